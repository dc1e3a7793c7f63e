//! A script of CMake as commands with their arguments.

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// It stands in quotes: it is one word, whatever it holds.
    pub(super) quoted: bool,
    /// It stands in brackets: nothing in it is put in.
    pub(super) plain: bool,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// Its name in small letters.
    pub(super) name: String,
    pub(super) words: Vec<Word>,
}

/// The commands of a script, as far as it can be read.
pub(super) fn commands(text: &str) -> Vec<Command> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = blanks(rest);
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = &rest[..end];
        let Some(inner) = blanks(&rest[end..]).strip_prefix('(').filter(|_| !name.is_empty()) else {
            return found;
        };
        let Some((words, behind)) = arguments(inner) else { return found };
        found.push(Command { name: name.to_ascii_lowercase(), words });
        rest = behind;
    }
}

/// What comes behind blanks and comments.
fn blanks(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let Some(comment) = text.strip_prefix('#') else { return text };
        text = match bracket(comment) {
            Some((_, behind)) => behind,
            None => comment.find('\n').map_or("", |end| &comment[end..]),
        };
    }
}

/// `[==[text]==]` and what comes behind it.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?;
    let signs = inner.len() - inner.trim_start_matches('=').len();
    let inner = inner[signs..].strip_prefix('[')?;
    inner.split_once(&format!("]{}]", "=".repeat(signs)))
}

/// The arguments up to the closing parenthesis, and what comes behind it.
fn arguments(text: &str) -> Option<(Vec<Word>, &str)> {
    let mut words = Vec::new();
    let mut depth = 0usize;
    let mut rest = text;
    loop {
        rest = blanks(rest);
        let first = rest.chars().next()?;
        match first {
            ')' if depth == 0 => return Some((words, &rest[1..])),
            '(' | ')' => {
                depth = if first == '(' { depth + 1 } else { depth - 1 };
                words.push(Word { text: first.to_string(), quoted: false, plain: false });
                rest = &rest[1..];
            }
            '"' => {
                let (text, behind) = quoted(&rest[1..])?;
                words.push(Word { text, quoted: true, plain: false });
                rest = behind;
            }
            '[' if bracket(rest).is_some() => {
                let (text, behind) = bracket(rest)?;
                words.push(Word { text: text.to_owned(), quoted: true, plain: true });
                rest = behind;
            }
            _ => {
                let (text, behind) = unquoted(rest);
                words.push(Word { text, quoted: false, plain: false });
                rest = behind;
            }
        }
    }
}

fn quoted(text: &str) -> Option<(String, &str)> {
    let mut made = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((made, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                '\n' => {}
                'n' => made.push('\n'),
                't' => made.push('\t'),
                // A sign that is no variable stays marked.
                '$' => made.push_str("\\$"),
                other => made.push(other),
            },
            c => made.push(c),
        }
    }
    None
}

fn unquoted(text: &str) -> (String, &str) {
    let mut made = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c.is_whitespace() || matches!(c, '(' | ')' | '#' | '"') => return (made, &text[at..]),
            '\\' => {
                let next = chars.next().map(|(_, c)| c);
                made.extend(next.filter(|c| *c == '$').map(|_| '\\'));
                made.extend(next);
            }
            c => made.push(c),
        }
    }
    (made, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_cut_up() {
        let text = "# x(\nfile(REMOVE a \"b c\" [[d)]])\nIf ( A AND (B) ) #[[ y( ]] set(x ${y})";
        let all: Vec<String> = commands(text)
            .iter()
            .map(|one| {
                format!(
                    "{} {}",
                    one.name,
                    one.words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join("|")
                )
            })
            .collect();
        assert_eq!(all, ["file REMOVE|a|b c|d)", "if A|AND|(|B|)", "set x|${y}"]);
        for text in ["file(", "file(\"", "x([[", "(", "é", "a(\\", ")"] {
            commands(&text.repeat(3));
        }
    }
}
