//! What files of settings say that are written as JSON or JavaScript: keys with a plain value, wherever they stand, and files
//! of the project that they name.

/// Endings of files that are read so.
const ENDINGS: [&str; 9] = [".json", ".jsonc", ".json5", ".js", ".cjs", ".mjs", ".ts", ".mts", ".cts"];
/// Endings of files with code.
const CODE: [&str; 8] = [".js", ".cjs", ".mjs", ".ts", ".mts", ".cts", ".py", ".rb"];
/// Where others keep the code that a project uses.
const OTHERS: [&str; 3] = ["node_modules/", ".yarn/", ".pnp."];
/// Most settings and names that are read in one file, and its length.
const MOST: usize = 200;
const LENGTH: usize = 256 * 1024;
/// What stands in an expression that puts a path together below the directory of the file.
const JOINS: [&str; 6] = ["__dirname", "resolve(", "join(", "import.meta", "cwd(", "URL("];

/// Whether a file is read so.
pub(super) fn is_structured(file: &str) -> bool {
    ENDINGS.iter().any(|ending| file.ends_with(ending))
}

/// One sign that means something, or a text.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Text(String),
    Word(String),
    Sign(char),
}

/// `key: value`, in order.
pub(super) fn settings(text: &str) -> Vec<(String, String)> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        if found.len() >= MOST {
            break;
        }
        // What stands between `?` and `:` is no key.
        if at.checked_sub(1).and_then(|before| tokens.get(before)) == Some(&Token::Sign('?')) {
            continue;
        }
        let (Token::Text(key) | Token::Word(key), Some(Token::Sign(':' | '='))) =
            (&tokens[at], tokens.get(at + 1))
        else {
            continue;
        };
        let value: Vec<&Token> = tokens[at + 2..]
            .iter()
            .scan(0_i32, |depth, token| {
                match token {
                    Token::Sign('(' | '[' | '{') => *depth += 1,
                    Token::Sign(')' | ']' | '}') => *depth -= 1,
                    _ => {}
                }
                let over = *depth < 0 || *depth == 0 && matches!(token, Token::Sign(',' | ';'));
                (!over).then_some(token)
            })
            .collect();
        let value = match value.as_slice() {
            [Token::Text(text) | Token::Word(text)] => Some(text.clone()),
            parts => joined(parts),
        };
        found.extend(value.map(|value| (key.clone(), value)));
    }
    found
}

/// A path that is put together of texts, below the directory of the file.
fn joined(parts: &[&Token]) -> Option<String> {
    let word = |token: &&Token| matches!(token, Token::Word(word) if JOINS.iter().any(|join| format!("{word}(").ends_with(join) || word.starts_with(join)));
    let texts = parts.iter().filter_map(|token| match token {
        Token::Text(text) => Some(text.trim_start_matches('/')),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect();
    let plain = !parts.iter().any(|token| matches!(token, Token::Sign('{' | '?')));
    (plain && !texts.is_empty() && parts.iter().any(word)).then(|| texts.join("/"))
}

/// Files with code that the text names by their paths.
pub(super) fn code_files(text: &str) -> Vec<String> {
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= LENGTH).last().unwrap_or(0);
    let end = if text.len() <= LENGTH { text.len() } else { end };
    let pieces = text[..end].split(|c: char| c.is_whitespace() || "\"'`,[]{}()=".contains(c));
    let own = |piece: &&str| {
        piece.contains('/')
            && CODE.iter().any(|ending| piece.ends_with(ending))
            && !OTHERS.iter().any(|other| piece.contains(other))
    };
    let pieces = pieces.map(|piece| piece.trim_end_matches([';', ':'])).filter(own);
    pieces.map(str::to_owned).take(MOST).collect()
}

fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if text.len() - rest.len() > LENGTH {
            break;
        }
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
        } else if matches!(c, '"' | '\'' | '`') {
            let inner = &rest[1..];
            let end = inner.find(c).unwrap_or(inner.len());
            found.push(Token::Text(inner[..end].to_owned()));
            rest = inner.get(end + 1..).unwrap_or("");
        } else if c.is_alphanumeric() || matches!(c, '_' | '$') {
            let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
            let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
            found.push(Token::Word(rest[..end].to_owned()));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        settings(text).iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn plain_values_are_read_wherever_they_stand() {
        assert_eq!(
            said("{\"entryPoints\": [\"a.ts\"], \"out\": \"docs\", // x: y\n\"n\": 1}"),
            "out=docs n=1"
        );
        assert_eq!(
            said("export default { build: { outDir: 'assets', emptyOutDir: true /* z: 1 */ } };"),
            "outDir=assets emptyOutDir=true"
        );
        assert_eq!(
            said("module.exports = { output: { path: __dirname + \"/reports\", clean: true } }"),
            "path=reports clean=true"
        );
        assert_eq!(said("{ path: path.resolve(__dirname, '..', 'out') }"), "path=../out");
        assert_eq!(
            said("{ path: pick(a, 'b'), dir: env ? 'a' : 'b' }"),
            "",
            "what is worked out is not known"
        );
        assert_eq!(said("{ a: \"x"), "a=x");
    }

    #[test]
    fn files_with_code_are_found_by_their_paths() {
        let names = |text: &str| code_files(text).join(" ");
        assert_eq!(names("{\"plugins\": [\"./tools/plug.js\", \"prettier-plugin-x\"]}"), "./tools/plug.js");
        assert_eq!(names("yarnPath: tools/y.cjs\n"), "tools/y.cjs");
        assert_eq!(names("yarnPath: .yarn/releases/yarn-4.1.0.cjs\n"), "");
    }
}
