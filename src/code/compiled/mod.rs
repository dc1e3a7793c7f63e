//! Sources of compiled languages (C, C++, Rust, Go …): calls by which content goes, read token by token.
//!
//! Owns how a source is read and what can be told of a call's first argument; `knowledge/languages.toml` lists the calls. Nothing else of such a program is understood, so
//! this reader is only for sources that people wrote; what a command itself puts into a source is held against a wider list.

mod lists;
mod texts;

use crate::model::Value;

use super::effect::CodeEffect;

/// The listed calls, by what they do.
fn listed(kind: &str, name: &str) -> bool {
    super::plain::takes("compiled", kind).iter().any(|one| is(name, one))
}

/// A part of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A name with all that it is reached through (`std::fs::remove_file`).
    Name(String),
    Text(String),
    Sign(char),
}

/// What a program made of this source may take away. `arguments` are its operands: `exists` says of one whether it names a
/// file that is there. `home` is the home directory, where it is known.
pub(super) fn analyse(
    source: &str,
    arguments: &[Value],
    home: Option<&str>,
    exists: &dyn Fn(&Value) -> bool,
) -> Vec<CodeEffect> {
    let tokens = texts::folded(tokens(source), home);
    let mut effects = Vec::new();
    let names = lists::names(&tokens);
    let unknown = |what: &str| CodeEffect::Unknown { reason: format!("the source calls `{what}`") };
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        if listed("streams", name) {
            effects.extend(written(name, &tokens[at + 1..], arguments, exists));
            continue;
        }
        if tokens.get(at + 1) != Some(&Token::Sign('(')) {
            // Handed on, or under another name: what it is called with is not seen.
            let dangerous = ["deletes", "empties", "shells", "runs"].iter().any(|kind| listed(kind, name));
            if dangerous && is_handed_on(&tokens, at) {
                effects.push(unknown(name));
            }
            continue;
        }
        // A declaration, and not a call: a type's name stands in front.
        if matches!(at.checked_sub(1).and_then(|before| tokens.get(before)), Some(Token::Name(word)) if is_type(word))
        {
            continue;
        }
        let inside = call(&tokens[at + 2..]);
        let parts = divided(inside);
        let first = parts.first().and_then(|part| literal(part));
        if listed("deletes", name) && !(name.ends_with("remove") && parts.len() > 1) {
            let recursive = name.to_ascii_lowercase().contains("all");
            let each = parts.first().and_then(|part| lists::each_of(part, &names));
            effects.push(match (first, each) {
                (Some(path), _) => CodeEffect::Delete { path: Value::known(path), glob: false, recursive },
                (None, Some(each)) => CodeEffect::Delete { path: Value::Known(each), glob: true, recursive },
                (None, None) => unknown(name),
            });
        } else if listed("empties", name) {
            match first {
                Some(path) => effects.push(CodeEffect::Overwrite { path: Value::known(path) }),
                None => effects.extend(overwritten(name, arguments, exists)),
            }
        } else if listed("moves", name) {
            match (first, parts.get(1).and_then(|part| literal(part))) {
                (Some(from), Some(to)) => {
                    effects.push(CodeEffect::Rename { from: Value::known(from), to: Value::known(to) });
                }
                _ => effects.push(unknown(name)),
            }
        } else if listed("shells", name) {
            effects.push(match first {
                Some(text) => CodeEffect::Shell { text: Value::known(text) },
                None => unknown(name),
            });
        } else if listed("runs", name) {
            let behind = tokens.get(at + 2 + inside.len() + 1..).unwrap_or_default();
            let argv = words_of(name, &parts, behind);
            effects.push(argv.map_or_else(|| unknown(name), |argv| CodeEffect::Run { argv }));
        } else if is(name, "fopen") || is(name, "freopen") {
            let mode = parts.get(1).and_then(|part| literal(part));
            if mode.is_none_or(|mode| mode.starts_with('w') || mode.contains('+')) {
                effects.extend(written(name, inside, arguments, exists));
            }
        } else if is(name, "open") || is(name, "openat") || is(name, "os.OpenFile") {
            let writes = |token: &Token| matches!(token, Token::Name(flag) if ["O_WRONLY", "O_RDWR", "O_TRUNC"].iter().any(|known| flag.ends_with(known)));
            if inside.iter().any(writes) {
                effects.extend(written(name, inside, arguments, exists));
            }
        }
    }
    effects
}

/// Calls behind a command that start it, and others that change nothing of what it runs.
const STARTS: [&str; 9] =
    ["status", "output", "spawn", "exec", "Run", "Start", "Output", "CombinedOutput", "Wait"];
const PASSES: [&str; 2] = ["stdout", "stderr"];

/// The words of a command that is started where it is made, where all of them are plain texts: arguments of one call, or of
/// calls behind each other (`Command::new("a").arg("b").args(["c"]).status()`). Whatever else is called on it may give it more.
fn words_of(name: &str, parts: &[&[Token]], mut behind: &[Token]) -> Option<Vec<Value>> {
    let builds = name.ends_with("Command::new");
    if !builds && !name.ends_with("exec.Command") {
        return None;
    }
    let given = parts.iter().map(|part| literal(part).map(Value::known));
    let mut argv = given.collect::<Option<Vec<Value>>>().filter(|argv| !builds || argv.len() == 1)?;
    while let [Token::Sign('.'), Token::Name(method), Token::Sign('('), rest @ ..] = behind {
        let inside = call(rest);
        let sign = |token: &&Token| !matches!(token, Token::Sign('&' | '[' | ']' | ','));
        match method.as_str() {
            "arg" | "args" if builds => {
                for token in inside.iter().filter(sign) {
                    let Token::Text(word) = token else { return None };
                    argv.push(Value::known(word.as_str()));
                }
            }
            method if STARTS.contains(&method) => return Some(argv),
            method if PASSES.contains(&method) => {}
            _ => return None,
        }
        behind = rest.get(inside.len() + 1..)?;
    }
    None
}

/// A file that is opened for writing: the one that the first string names, or any that the program is given.
fn written(
    name: &str,
    tokens: &[Token],
    arguments: &[Value],
    exists: &dyn Fn(&Value) -> bool,
) -> Vec<CodeEffect> {
    let end = tokens.iter().position(|token| *token == Token::Sign(';')).unwrap_or(tokens.len());
    let opened = match tokens.get(..end).unwrap_or(tokens) {
        [Token::Text(path), ..] => Some(path),
        [Token::Sign('(' | '{'), Token::Text(path), ..] => Some(path),
        [Token::Name(_), Token::Sign('(' | '{'), Token::Text(path), ..] => Some(path),
        _ => None,
    };
    match opened {
        Some(path) => vec![CodeEffect::Overwrite { path: Value::known(path.as_str()) }],
        None => overwritten(name, arguments, exists),
    }
}

/// Any of the files that the program is given may be the one.
fn overwritten(name: &str, arguments: &[Value], exists: &dyn Fn(&Value) -> bool) -> Vec<CodeEffect> {
    if arguments.iter().any(|value| value.as_known().is_none()) {
        return vec![CodeEffect::Unknown { reason: format!("the source calls `{name}`") }];
    }
    let files = arguments.iter().filter(|value| exists(value));
    files.map(|path| CodeEffect::Overwrite { path: path.clone() }).collect()
}

/// Whether a name is the listed one: its last parts are. What is listed as one word is no method.
fn is(name: &str, listed: &str) -> bool {
    let Some(before) = name.strip_suffix(listed) else { return false };
    before.is_empty() || before.ends_with("::") || before.ends_with('.') && listed.contains(['.', ':'])
}

/// Whether a name stands where a value does, or for a macro.
fn is_handed_on(tokens: &[Token], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|place| tokens.get(place));
    match before(1) {
        Some(Token::Sign(sign)) => matches!(sign, '=' | ',' | '(' | '&' | '{' | '?' | ':'),
        Some(Token::Name(_)) => matches!(before(2), Some(Token::Name(word)) if word == "define"),
        _ => false,
    }
}

fn is_type(word: &str) -> bool {
    ["int", "void", "char", "bool", "long", "FILE", "fn", "func", "size_t", "ssize_t"].contains(&word)
}

/// The tokens between the parenthesis that was opened and its end.
fn call(tokens: &[Token]) -> &[Token] {
    let mut depth = 1;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &tokens[..at];
        }
    }
    tokens
}

/// The arguments of a call.
fn divided(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0;
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth -= 1,
            Token::Sign(',') if depth == 0 => {
                parts.push(&tokens[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    if from < tokens.len() {
        parts.push(&tokens[from..]);
    }
    parts
}

/// An argument that is one string.
fn literal(part: &[Token]) -> Option<&str> {
    match part {
        [Token::Text(text)] => Some(text),
        _ => None,
    }
}

fn tokens(source: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
        } else if c == '"' || c == '`' {
            let (text, after) = string(&rest[1..], c);
            found.push(Token::Text(text));
            rest = after;
        } else if c == '\'' {
            rest = character(&rest[1..]);
        } else if c.is_alphanumeric() || c == '_' {
            let end = name_end(rest);
            found.push(Token::Name(rest[..end].replace("->", ".").replace(char::is_whitespace, "")));
            rest = &rest[end..];
        } else {
            if !c.is_whitespace() {
                found.push(Token::Sign(c));
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    found
}

/// Where a name ends that parts may be joined to.
fn name_end(text: &str) -> usize {
    let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let mut end = word(text);
    loop {
        let rest = &text[end..];
        let joint = ["::", "->", "."].iter().find(|joint| rest.starts_with(**joint));
        let Some(joint) = joint else { return end };
        let more = word(&rest[joint.len()..]);
        if more == 0 {
            return end;
        }
        end += joint.len() + more;
    }
}

/// A string and what comes behind it.
fn string(text: &str, quote: char) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return (value, &text[at + 1..]);
        }
        if c == '\\' && quote == '"' {
            match chars.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, other)) => value.push(other),
                None => {}
            }
        } else {
            value.push(c);
        }
    }
    (value, "")
}

/// What comes behind a character in quotes, or a quote that only marks a name.
fn character(text: &str) -> &str {
    let mut chars = text.char_indices();
    match (chars.next(), chars.next(), chars.next()) {
        (Some((_, '\\')), _, _) => {
            let end = text.get(2..).and_then(|rest| rest.find('\''));
            end.map_or(text, |end| &text[end + 3..])
        }
        (_, Some((at, '\'')), _) => &text[at + 1..],
        _ => text,
    }
}

/// Files that a source is made of besides itself, as it names them: relative to its directory.
pub(super) fn parts(source: &str) -> Vec<String> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    for three in tokens.windows(3) {
        match three {
            [Token::Sign('#'), Token::Name(word), Token::Text(file)] if word == "include" => {
                found.push(file.clone())
            }
            [Token::Name(word), Token::Name(name), Token::Sign(';')] if word == "mod" => {
                found.push(format!("{name}.rs"));
                found.push(format!("{name}/mod.rs"));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(source: &str) -> Vec<CodeEffect> {
        analyse(source, &[Value::known("in.txt")], Some("/h"), &|_| true)
    }

    #[test]
    fn calls_by_which_content_goes_are_seen() {
        for source in [
            "int main(int c, char **v) { return unlink(v[1]); }",
            "int main(int c, char **v) { std::remove(v[1]); }",
            "std::filesystem::remove_all(dir);",
            "fn main() { std::fs::remove_file(path).unwrap(); }",
            "use std::fs; fn main() { fs::remove_dir_all(&d)?; }",
            "func main() { os.RemoveAll(os.Args[1]) }",
            "int main() { FILE *f = fopen(v[1], \"w\"); }",
            "std::ofstream out(argv[1]);",
            "int fd = open(v[1], O_WRONLY | O_TRUNC);",
            "system(\"rm -rf x\");",
            "int (*f)(const char *) = unlink; f(v[1]);",
            "#define RM unlink\nint main() { RM(v[1]); }",
            "for_each(v, std::filesystem::remove_all);",
            "char q = '\"'; unlink(p); char r = '\"';",
        ] {
            assert!(!effects(source).is_empty(), "{source}");
        }
    }

    #[test]
    fn a_command_of_plain_words_is_told() {
        let run = |source| effects(source);
        let words = |list: &[&str]| {
            vec![CodeEffect::Run { argv: list.iter().map(|word| Value::known(*word)).collect() }]
        };
        let source = "let _ = std::process::Command::new(\"rm\").arg(\"-rf\").args([\"a\", \"b\"]).status();";
        assert_eq!(run(source), words(&["rm", "-rf", "a", "b"]));
        assert_eq!(run("exec.Command(\"rm\", \"a\").Run()"), words(&["rm", "a"]));
        for source in [
            "Command::new(\"rm\").arg(dir).status()",
            "let mut c = Command::new(\"rm\"); c.arg(\"a\");",
            "more(Command::new(\"ls\")).status()",
            "Command::new(\"sh\").stdin(text).status()",
            "Command::new(\"ls\").env(\"PATH\", \"x\").status()",
            "Command::new(\"ls\").current_dir(\"x\").status()",
            "c := exec.Command(\"ls\"); c.Dir = dir",
            "Command::new(tool).arg(\"a\")",
        ] {
            assert!(matches!(run(source)[..], [CodeEffect::Unknown { .. }]), "{source}");
        }
    }

    #[test]
    fn what_a_source_goes_through_is_told() {
        let each =
            |path: &str| vec![CodeEffect::Delete { path: Value::known(path), glob: true, recursive: false }];
        let source = "fn home() -> PathBuf { PathBuf::from(env::var_os(\"HOME\").unwrap()) }\nfn t() { let d = home().join(\"data\"); for e in fs::read_dir(d).unwrap() { let p = e.unwrap().path(); fs::remove_file(p).unwrap(); } }";
        assert_eq!(effects(source), each("/h/data/*"));
        let go = "all, _ := filepath.Glob(\"../x/*.csv\"); for _, f := range all { os.Remove(f) }";
        assert_eq!(effects(go), each("../x/*.csv"));
        let go = "es, _ := os.ReadDir(\"../x\"); for _, e := range es { os.Remove(filepath.Join(\"../x\", e.Name())) }";
        assert_eq!(effects(go), each("../x/*"));
    }

    #[test]
    fn texts_with_names_in_them_are_put_together() {
        let source = "let m = env!(\"HOME\"); Command::new(\"sh\").arg(\"-c\").arg(format!(\"cd {m}/x && rm -rf old\")).status()";
        let words = ["sh", "-c", "cd /h/x && rm -rf old"];
        assert_eq!(effects(source), [CodeEffect::Run { argv: words.map(Value::known).to_vec() }]);
        let source = "let h = env::var(\"HOME\").unwrap(); fs::remove_file(format!(\"{}/n/{}\", h, concat!(\"a\", \".md\")))";
        let path = Value::known("/h/n/a.md");
        assert_eq!(effects(source), [CodeEffect::Delete { path, glob: false, recursive: false }]);
    }

    #[test]
    fn others_are_not() {
        for source in [
            "// unlink(x)\nint main() { puts(\"unlink(x)\"); }",
            "list.remove(x); map->remove(k); std::remove(v.begin(), v.end(), 3);",
            "FILE *f = fopen(v[1], \"r\");",
            "int fd = open(v[1], O_RDONLY);",
            "std::ifstream in(argv[1]);",
            "fn f<'a>(x: &'a str) -> &'a str { x }",
            "int unlink(const char *path);",
            "printf(\"%d\", argc); int removed = 0; removed += 1;",
        ] {
            assert_eq!(effects(source), Vec::new(), "{source}");
        }
    }

    #[test]
    fn a_path_that_stands_in_the_source_is_known() {
        let path = Value::known("out.txt");
        assert_eq!(effects("fopen(\"out.txt\", \"w\");"), [CodeEffect::Overwrite { path: path.clone() }]);
        assert_eq!(effects("std::ofstream o(\"out.txt\");"), [CodeEffect::Overwrite { path: path.clone() }]);
        let given = CodeEffect::Overwrite { path: Value::known("in.txt") };
        assert_eq!(effects("FILE *f = fopen(p, \"w\");"), [given]);
        let delete = CodeEffect::Delete { path, glob: false, recursive: false };
        assert_eq!(effects("remove(\"out.txt\");"), [delete]);
    }
}
