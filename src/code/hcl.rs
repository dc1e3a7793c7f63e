//! Terraform's language, far enough to find what a plan runs: programs of `external` data, and local modules.

use serde_json::{Map, Value};

/// What a configuration file holds that a plan runs or reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// Programs of `external` data: their words, each as far as it is written literally. No words: not known.
    pub programs: Vec<Vec<Option<String>>>,
    /// Folders of modules beside this one.
    pub modules: Vec<String>,
}

/// A piece of the text.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    /// Its text; `None` when something is put into it.
    Text(Option<String>),
    Sign(char),
}

/// Reads a `.tf` file. `module` is what `${path.module}` stands for.
pub fn hcl(text: &str, module: &str) -> Configuration {
    let tokens = tokens(text, module);
    let mut found = Configuration::default();
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        let (head, wanted) = match rest {
            [Token::Name(word), Token::Text(Some(kind)), Token::Text(_), Token::Sign('{'), ..]
                if word == "data" && kind == "external" =>
            {
                (4, "program")
            }
            [Token::Name(word), Token::Text(_), Token::Sign('{'), ..] if word == "module" => (3, "source"),
            _ => {
                at += 1;
                continue;
            }
        };
        let body = body(&rest[head..]);
        let value = argument(body, wanted);
        if wanted == "program" {
            found.programs.push(value.and_then(list).unwrap_or_default());
        } else if let Some([Token::Text(Some(source)), ..]) = value
            && source.starts_with('.')
        {
            found.modules.push(source.clone());
        }
        at += head + body.len();
    }
    found
}

/// What a text of blocks says: `group "g" { count = 2 }` is `{"group": [{"count": 2}]}`; a text into which something is put is null.
/// `None`: it holds something else, too.
pub fn hcl_blocks(text: &str) -> Option<Value> {
    let tokens = tokens(text, "");
    let mut rest = &tokens[..];
    blocks(&mut rest, DEPTH, true).map(Value::Object)
}

/// How deep blocks are read.
const DEPTH: usize = 32;

/// The entries up to the brace that closes them, or to the end where nothing does.
fn blocks(rest: &mut &[Token], depth: usize, whole: bool) -> Option<Map<String, Value>> {
    let depth = depth.checked_sub(1)?;
    let mut found = Map::new();
    while let Some((first, after)) = rest.split_first() {
        *rest = after;
        let name = match first {
            Token::Sign('}') => return (!whole).then_some(found),
            Token::Sign(',') => continue,
            Token::Name(name) | Token::Text(Some(name)) => name.clone(),
            _ => return None,
        };
        if let [Token::Sign('=' | ':'), after @ ..] = rest {
            *rest = after;
            found.insert(name, value(rest, depth)?);
            continue;
        }
        while let [Token::Name(_) | Token::Text(Some(_)), after @ ..] = rest {
            *rest = after;
        }
        let Some((Token::Sign('{'), after)) = rest.split_first() else { return None };
        *rest = after;
        let inside = Value::Object(blocks(rest, depth, false)?);
        match found.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
            Value::Array(all) => all.push(inside),
            _ => return None,
        }
    }
    whole.then_some(found)
}

/// A text, a number, a word, or a list or a map of them.
fn value(rest: &mut &[Token], depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let (first, after) = rest.split_first()?;
    *rest = after;
    match first {
        Token::Text(text) => Some(text.clone().map_or(Value::Null, Value::String)),
        Token::Name(word) => serde_json::from_str(word).ok(),
        Token::Sign('{') => blocks(rest, depth, false).map(Value::Object),
        Token::Sign('[') => {
            let mut all = Vec::new();
            loop {
                match rest.split_first()? {
                    (Token::Sign(']'), after) => {
                        *rest = after;
                        return Some(Value::Array(all));
                    }
                    (Token::Sign(','), after) => *rest = after,
                    _ => all.push(value(rest, depth)?),
                }
            }
        }
        Token::Sign(sign) if sign.is_ascii_digit() || *sign == '-' => {
            let mut number = sign.to_string();
            while let [Token::Sign(sign), after @ ..] = rest
                && (sign.is_ascii_digit() || *sign == '.')
            {
                number.push(*sign);
                *rest = after;
            }
            serde_json::from_str(&number).ok()
        }
        Token::Sign(_) => None,
    }
}

/// Reads a `.tf.json` file.
pub fn hcl_json(text: &str) -> Configuration {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return Configuration::default() };
    let mut found = Configuration::default();
    let mut pending: Vec<&Value> = value.pointer("/data/external").into_iter().collect();
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(list) => pending.extend(list),
            Value::Object(map) => match map.get("program") {
                Some(Value::Array(words)) => {
                    let literal =
                        |word: &Value| word.as_str().filter(|text| !text.contains("${")).map(str::to_owned);
                    found.programs.push(words.iter().map(literal).collect());
                }
                Some(_) => found.programs.push(Vec::new()),
                None => pending.extend(map.values()),
            },
            _ => {}
        }
    }
    found
}

/// The tokens up to the brace that closes what is open.
fn body(tokens: &[Token]) -> &[Token] {
    let mut depth = 1usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('{') => depth += 1,
            Token::Sign('}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &tokens[..at];
        }
    }
    tokens
}

/// What follows `name =` in a block itself.
fn argument<'a>(body: &'a [Token], name: &str) -> Option<&'a [Token]> {
    let mut depth = 0usize;
    for (at, token) in body.iter().enumerate() {
        match token {
            Token::Sign('{' | '[' | '(') => depth += 1,
            Token::Sign('}' | ']' | ')') => depth = depth.saturating_sub(1),
            Token::Name(word)
                if depth == 0 && word == name && body.get(at + 1) == Some(&Token::Sign('=')) =>
            {
                return body.get(at + 2..);
            }
            _ => {}
        }
    }
    None
}

/// `["a", "b"]`; anything else in it than texts is a word that is not known.
fn list(tokens: &[Token]) -> Option<Vec<Option<String>>> {
    let (first, rest) = tokens.split_first()?;
    if first != &Token::Sign('[') {
        return None;
    }
    let mut words = Vec::new();
    let mut word: Option<Option<String>> = None;
    let mut depth = 0usize;
    for token in rest {
        match token {
            Token::Sign(']') if depth == 0 => {
                words.extend(word);
                return Some(words);
            }
            Token::Sign(',') if depth == 0 => words.extend(word.take()),
            Token::Text(text) if word.is_none() => word = Some(text.clone()),
            other => {
                match other {
                    Token::Sign('(' | '[' | '{') => depth += 1,
                    Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
                    _ => {}
                }
                word = Some(None);
            }
        }
    }
    None
}

fn tokens(text: &str, module: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        if first == '#' || rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
        } else if first == '"' {
            let (token, length) = quoted(after, module);
            found.push(token);
            rest = after.get(length..).unwrap_or("");
        } else if let Some(end) = heredoc(rest) {
            found.push(Token::Text(None));
            rest = rest.get(end..).unwrap_or("");
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
            found.push(Token::Name(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            if !first.is_whitespace() {
                found.push(Token::Sign(first));
            }
            rest = after;
        }
    }
    found
}

/// A text in quotes, and how long it is with the closing one.
fn quoted(text: &str, module: &str) -> (Token, usize) {
    let mut value = String::new();
    let (mut depth, mut computed) = (0usize, false);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                if let Some((_, escaped)) = chars.next() {
                    value.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        other => other,
                    });
                }
            }
            '$' | '%' if depth == 0 && text[at + 1..].starts_with('{') => {
                let inside = text[at + 2..].split('}').next().unwrap_or("").trim();
                match inside {
                    "path.module" => value.push_str(module),
                    "path.root" | "path.cwd" => value.push('.'),
                    _ => computed = true,
                }
                depth = 1;
                chars.next();
            }
            '{' if depth > 0 => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '"' if depth == 0 => return (Token::Text((!computed).then_some(value)), at + 1),
            _ if depth > 0 => {}
            other => value.push(other),
        }
    }
    (Token::Text(None), text.len())
}

/// `<<EOF … EOF`: how long it is.
fn heredoc(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("<<")?;
    let mark = rest.strip_prefix('-').unwrap_or(rest).lines().next()?.trim();
    if mark.is_empty() || !mark.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let mut at = text.find('\n')? + 1;
    for line in text[at..].split_inclusive('\n') {
        at += line.len();
        if line.trim() == mark {
            return Some(at);
        }
    }
    Some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_external_data_are_found() {
        let of = |text: &str| hcl(text, "mods/a").programs;
        let words = |words: &[Option<&str>]| words.iter().map(|w| w.map(str::to_owned)).collect::<Vec<_>>();
        let found = of(
            "# data \"external\" \"no\" {\nlocals { x = \"data {\" }\ndata \"external\" \"a\" {\n                          query = { program = \"x\" }\n  program = [\"bash\", \"${path.module}/x.sh\", var.y, \"a${b}\"]\n}\n",
        );
        assert_eq!(found, [words(&[Some("bash"), Some("mods/a/x.sh"), None, None])]);
        assert_eq!(of("data \"external\" \"a\" { program = var.p }"), [Vec::new()]);
        assert_eq!(of("data \"external\" \"a\" {\n program = concat([\"rm\"], [])\n}"), [Vec::new()]);
        assert!(of("data \"http\" \"a\" { url = \"x\" }\n/* data \"external\" \"b\" {} */").is_empty());
        let heredoc = "x = <<-EOT\n data \"external\" \"b\" { program = [\"rm\"] }\n EOT\ndata \"external\" \"c\" {program=[\"ls\"]}";
        assert_eq!(of(heredoc), [words(&[Some("ls")])]);
        let modules = hcl("module \"a\" { source = \"./m\" }\nmodule \"b\" { source = \"x/y\" }", "").modules;
        assert_eq!(modules, ["./m"]);
    }

    #[test]
    fn blocks_are_read_as_what_they_say() {
        let job = "job \"a\" {\n  # c\n  group \"g\" {\n    count = 12\n    task \"t\" { config { image = \"a:1\", args = [\"x\", -1] } }\n  }\n  meta = { on = true }\n}";
        let told = serde_json::json!({"job": [{
            "group": [{"count": 12, "task": [{"config": [{"image": "a:1", "args": ["x", -1]}]}]}],
            "meta": {"on": true},
        }]});
        assert_eq!(hcl_blocks(job), Some(told));
        for text in ["a = var.b", "a", "{", "a {", "a = [", "}"] {
            assert!(hcl_blocks(text).is_none(), "{text}");
        }
    }

    #[test]
    fn json_is_read_too_and_nothing_ends_badly() {
        let found = hcl_json("{\"data\": {\"external\": {\"a\": {\"program\": [\"rm\", \"${x}\"]}}}}");
        assert_eq!(found.programs, [vec![Some("rm".to_owned()), None]]);
        for text in [
            "data \"external\" \"a\" {",
            "\"",
            "\"${",
            "<<EOF",
            "data \"external\" \"a\" { program = [",
            "é\"\\",
        ] {
            hcl(text, "");
        }
    }
}
