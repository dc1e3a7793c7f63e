//! Texts that a source puts together of others, as far as all of them stand in it: joined paths, the home directory, a
//! variable that is set once.

use super::Token;

/// Most times that the tokens are gone through.
const PASSES: usize = 8;

/// Calls that give the text in them, those that join texts as parts of a path, and those that put texts into another.
const SAME: [&str; 7] = [
    "Path::new",
    "PathBuf::from",
    "String::from",
    "filepath.Clean",
    "filepath.FromSlash",
    "Paths.get",
    "Path.of",
];
const JOIN: [&str; 4] = ["filepath.Join", "path.Join", "Paths.get", "Path.of"];
const FORMAT: [&str; 1] = ["fmt.Sprintf"];
/// Calls that give a variable of the environment, and those that give the home directory.
const VARIABLE: [&str; 5] = ["os.Getenv", "env::var", "env::var_os", "getenv", "System.getenv"];
const HOME: [&str; 3] = ["os.UserHomeDir", "home_dir", "dirs::home_dir"];
/// Methods of a text that give the same.
const KEEPS: [&str; 12] = [
    "unwrap",
    "expect",
    "to_string",
    "to_owned",
    "clone",
    "into",
    "as_str",
    "as_path",
    "to_path_buf",
    "unwrap_or_default",
    "display",
    "as_ref",
];

/// The tokens, with texts in the places of what gives them.
pub(super) fn folded(mut tokens: Vec<Token>, home: Option<&str>) -> Vec<Token> {
    for _ in 0..PASSES {
        let before = tokens.clone();
        tokens = once(&tokens, home);
        named(&mut tokens);
        if tokens == before {
            break;
        }
    }
    tokens
}

fn once(tokens: &[Token], home: Option<&str>) -> Vec<Token> {
    let mut made: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let Some((first, behind)) = rest.split_first() {
        if let Some((text, taken)) = called(rest, home) {
            made.push(Token::Text(text));
            rest = &rest[taken..];
            continue;
        }
        // What is done with a text that was made just now.
        if let Some(Token::Text(last)) = made.last_mut()
            && let Some(taken) = grown(last, rest)
        {
            rest = &rest[taken..];
            continue;
        }
        // A reference to a text is the text.
        let opens = matches!(made.last(), Some(Token::Sign('(' | ',' | '=')));
        if *first != Token::Sign('&') || !opens || !matches!(behind.first(), Some(Token::Text(_))) {
            made.push(first.clone());
        }
        rest = behind;
    }
    made
}

/// The text that a call gives, and how many tokens it is.
fn called(tokens: &[Token], home: Option<&str>) -> Option<(String, usize)> {
    let (name, mut at) = match tokens {
        [Token::Name(name), Token::Sign('!'), Token::Sign('('), ..] => (format!("{name}!"), 3),
        [Token::Name(name), Token::Sign('('), ..] => (name.clone(), 2),
        _ => return None,
    };
    let listed = |list: &[&str]| list.iter().any(|one| super::is(&name, one));
    let mut texts = Vec::new();
    while let Some(Token::Text(text)) = tokens.get(at) {
        texts.push(text.as_str());
        at += 1;
        match tokens.get(at) {
            Some(Token::Sign(',')) => at += 1,
            _ => break,
        }
    }
    if tokens.get(at) != Some(&Token::Sign(')')) {
        return None;
    }
    let text = match texts.as_slice() {
        [] if listed(&HOME) => home?.to_owned(),
        ["HOME"] if listed(&VARIABLE) || name == "env!" => home?.to_owned(),
        [text] if listed(&SAME) => (*text).to_owned(),
        [_, ..] if listed(&JOIN) => texts.join("/"),
        [_, ..] if name == "concat!" => texts.concat(),
        [form, given @ ..] if listed(&FORMAT) || name == "format!" => filled(form, given)?,
        _ => return None,
    };
    Some((text, at + 1))
}

/// What stands behind a text and only makes it longer, or leaves it as it is: how many tokens that is.
fn grown(text: &mut String, tokens: &[Token]) -> Option<usize> {
    match tokens {
        [Token::Sign('+'), Token::Text(more), behind @ ..] => {
            // A call, or a longer sum, is not known yet.
            if matches!(behind.first(), Some(Token::Sign('.'))) {
                return None;
            }
            text.push_str(more);
            Some(2)
        }
        [
            Token::Sign('.'),
            Token::Name(method),
            Token::Sign('('),
            Token::Text(part),
            Token::Sign(')'),
            ..,
        ] if matches!(method.as_str(), "join" | "resolve") => {
            *text = if part.starts_with('/') { part.clone() } else { format!("{text}/{part}") };
            Some(5)
        }
        [Token::Sign('.'), Token::Name(method), Token::Sign('('), Token::Sign(')'), ..]
            if KEEPS.contains(&method.as_str()) =>
        {
            Some(4)
        }
        [Token::Sign('.'), Token::Name(method), Token::Sign('('), Token::Text(_), Token::Sign(')'), ..]
            if KEEPS.contains(&method.as_str()) =>
        {
            Some(5)
        }
        _ => None,
    }
}

/// A form with texts in its places.
fn filled(form: &str, given: &[&str]) -> Option<String> {
    let mut text = form.to_owned();
    for one in given {
        let place =
            ["{}", "%s", "%v"].iter().filter_map(|place| Some((text.find(place)?, place.len()))).min()?;
        text.replace_range(place.0..place.0 + place.1, one);
    }
    (!text.contains(['{', '%'])).then_some(text)
}

/// Puts in for a variable, and for a function that gives one text, the text that it is set to, where that is the only one.
fn named(tokens: &mut Vec<Token>) {
    let mut set: Vec<(String, Option<String>)> = Vec::new();
    for at in 1..tokens.len() {
        if tokens[at] != Token::Sign('=') || tokens.get(at + 1) == Some(&Token::Sign('=')) {
            continue;
        }
        // `name :=`, `name, err :=`, `let name =`, `name: Type =`.
        let mut front = at;
        while front > 0
            && at - front < 8
            && !matches!(tokens[front - 1], Token::Sign(';' | '{' | '}' | '(' | ')'))
        {
            front -= 1;
        }
        let passed = |token: &Token| matches!(token, Token::Name(word) if ["let", "mut", "var", "const", "auto", "final"].contains(&word.as_str()));
        let Some(Token::Name(name)) = tokens[front..at].iter().find(|token| !passed(token)) else { continue };
        let value = match (tokens.get(at + 1), tokens.get(at + 2)) {
            (Some(Token::Text(text)), Some(Token::Sign(';'))) => Some(text.clone()),
            (Some(Token::Text(text)), Some(Token::Name(_)) | None) => Some(text.clone()),
            _ => None,
        };
        match set.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = None,
            None => set.push((name.clone(), value)),
        }
    }
    set.extend(functions(tokens));
    set.retain(|(name, value)| value.is_some() && !name.contains('.'));
    if set.is_empty() {
        return;
    }
    let old = std::mem::take(tokens);
    let mut skip = 0;
    for (at, token) in old.iter().enumerate() {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let name = match token {
            Token::Name(name) => name,
            Token::Text(form) if is_form(&old, at) => {
                tokens.push(Token::Text(with_names(form, &set)));
                continue;
            }
            _ => {
                tokens.push(token.clone());
                continue;
            }
        };
        let (own, method) = name.split_once('.').unwrap_or((name, ""));
        let text = set.iter().find(|(known, _)| known == own).and_then(|(_, value)| value.clone());
        let called = old.get(at + 1) == Some(&Token::Sign('('));
        let declared = matches!(at.checked_sub(1).and_then(|before| old.get(before)), Some(Token::Name(word)) if matches!(word.as_str(), "fn" | "func"));
        let given = format!("{name}()");
        if called
            && !declared
            && old.get(at + 2) == Some(&Token::Sign(')'))
            && let Some(text) =
                set.iter().find(|(known, _)| *known == given).and_then(|(_, text)| text.clone())
        {
            tokens.push(Token::Text(text));
            skip = 2;
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| old.get(before));
        let handed = matches!(before, Some(Token::Sign('(' | ',' | '&' | '+' | '=')));
        match text {
            Some(text) if handed && (method.is_empty() != called) => {
                tokens.push(Token::Text(text));
                if called {
                    tokens.extend([Token::Sign('.'), Token::Name(method.to_owned())]);
                }
            }
            _ => tokens.push(token.clone()),
        }
    }
}

/// Functions without parameters whose body is one text.
fn functions(tokens: &[Token]) -> Vec<(String, Option<String>)> {
    let starts = tokens.windows(4).enumerate().filter_map(|(at, four)| match four {
        [Token::Name(word), Token::Name(name), Token::Sign('('), Token::Sign(')')]
            if matches!(word.as_str(), "fn" | "func") =>
        {
            Some((at + 4, name))
        }
        _ => None,
    });
    let body = |(at, name): (usize, &String)| {
        let opens = tokens[at..].iter().take(8).position(|token| *token == Token::Sign('{'))?;
        let inner = tokens.get(at + opens + 1..)?;
        let inner = match inner {
            [Token::Name(word), rest @ ..] if word == "return" => rest,
            inner => inner,
        };
        match inner {
            [Token::Text(text), Token::Sign('}'), ..]
            | [Token::Text(text), Token::Sign(';'), Token::Sign('}'), ..] => {
                Some((format!("{name}()"), Some(text.clone())))
            }
            _ => None,
        }
    };
    starts.filter_map(body).collect()
}

/// Whether a text is the form that a macro fills with the names in it.
fn is_form(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(3).and_then(|from| tokens.get(from..at));
    matches!(before, Some([Token::Name(name), Token::Sign('!'), Token::Sign('(')]) if name.rsplit("::").next() == Some("format"))
}

/// A form with what its names are set to.
fn with_names(form: &str, set: &[(String, Option<String>)]) -> String {
    let known = set.iter().filter_map(|(name, text)| Some((name, text.as_ref()?)));
    known.fold(form.to_owned(), |form, (name, text)| form.replace(&format!("{{{name}}}"), text))
}
