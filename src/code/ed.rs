//! Scripts of the line editor: editing stays in its buffer until it is written.

use crate::model::Value;

use super::effect::CodeEffect;

/// What a script writes and runs; the first argument is the file being edited.
pub(super) fn analyse(text: &str, arguments: &[Value]) -> Vec<CodeEffect> {
    let mut file = arguments.first().cloned();
    let mut effects = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        match command(line, &mut file, &mut effects) {
            Some(Follows::Command) => {}
            Some(Follows::Text) => {
                // Text for the buffer, up to a lone dot.
                lines.by_ref().find(|line| *line == ".");
            }
            Some(Follows::End) => break,
            None => {
                let reason = format!("the editor command `{line}` may run a program or write a file");
                effects.push(CodeEffect::Unknown { reason });
                break;
            }
        }
    }
    effects
}

/// What stands behind a command.
enum Follows {
    Command,
    Text,
    End,
}

/// One line. `None` when it is not understood.
fn command(line: &str, file: &mut Option<Value>, effects: &mut Vec<CodeEffect>) -> Option<Follows> {
    let rest = behind_addresses(line)?;
    let Some(letter) = rest.chars().next() else { return Some(Follows::Command) };
    let words = rest[letter.len_utf8()..].trim();
    match letter {
        'a' | 'i' | 'c' if only_printing(words) => return Some(Follows::Text),
        'p' | 'n' | 'l' | '=' | 'd' | 'j' | 'm' | 't' | 'k' | 'x' | 'y' | 'u' | 'z' | 'H' | 'h' | 'P'
        | '#' => {}
        // A line that ends in a backslash goes on in the next one.
        's' if !words.ends_with('\\') => {}
        'q' | 'Q' if words.is_empty() => return Some(Follows::End),
        'w' | 'W' => {
            let quits = letter == 'w' && rest.starts_with("wq");
            let name = if quits { rest[2..].trim() } else { words };
            if let Some(shell) = name.strip_prefix('!') {
                effects.push(CodeEffect::Shell { text: Value::known(shell) });
            } else {
                let path = if name.is_empty() { file.clone()? } else { Value::known(name) };
                file.get_or_insert_with(|| path.clone());
                effects.push(match (letter, name.is_empty()) {
                    ('W', _) => CodeEffect::Append { path },
                    (_, true) => CodeEffect::Update { path },
                    _ => CodeEffect::Overwrite { path },
                });
            }
            if quits {
                return Some(Follows::End);
            }
        }
        '!' => effects.push(CodeEffect::Shell { text: Value::known(words) }),
        'e' | 'E' | 'r' | 'f' if !words.starts_with('!') => {
            if letter != 'r' && !words.is_empty() {
                *file = Some(Value::known(words));
            } else if letter == 'r' && !words.is_empty() {
                file.get_or_insert_with(|| Value::known(words));
            }
        }
        'g' | 'v' => {
            let delimiter = words.chars().next()?;
            let inner = after_pattern(&words[delimiter.len_utf8()..], delimiter)?;
            return if inner.is_empty() { Some(Follows::Command) } else { command(inner, file, effects) };
        }
        _ => return None,
    }
    Some(Follows::Command)
}

fn only_printing(words: &str) -> bool {
    words.chars().all(|c| matches!(c, 'p' | 'n' | 'l'))
}

/// What stands behind line numbers, marks and patterns.
fn behind_addresses(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    loop {
        let Some(first) = rest.chars().next() else { return Some(rest) };
        rest = match first {
            '/' | '?' => after_pattern(&rest[1..], first)?,
            '\'' => rest.get(2..)?,
            '0'..='9' | '.' | '$' | ',' | ';' | '+' | '-' | '%' | '^' | ' ' | '\t' => &rest[1..],
            _ => return Some(rest),
        };
    }
}

/// What stands behind a pattern's end; a pattern may also end with the line.
fn after_pattern(text: &str, delimiter: char) -> Option<&str> {
    if delimiter.is_alphanumeric() || delimiter.is_whitespace() {
        return None;
    }
    let mut escaped = false;
    for (at, next) in text.char_indices() {
        match next {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            // A delimiter in brackets is taken otherwise by some editors.
            '[' => return None,
            _ if next == delimiter => return text.get(at + next.len_utf8()..),
            _ => {}
        }
    }
    Some("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(text: &str) -> Vec<CodeEffect> {
        analyse(text, &[Value::known("f")])
    }

    #[test]
    fn reading_and_editing_the_buffer_change_nothing() {
        for text in
            ["1,3p\nq", ",p\nQ", "/a b/,$n", "1d\ns/a/b/g\nq", "a\n!rm x\nw\n.\nQ", "g/x/p", "", "'ap", "$="]
        {
            assert_eq!(effects(text), [], "{text}");
        }
    }

    #[test]
    fn what_is_written_or_run_is_seen() {
        let path = |name: &str| Value::known(name);
        assert_eq!(effects("1d\nw\nq"), [CodeEffect::Update { path: path("f") }]);
        assert_eq!(effects("wq"), [CodeEffect::Update { path: path("f") }]);
        assert_eq!(effects("w g"), [CodeEffect::Overwrite { path: path("g") }]);
        assert_eq!(effects("1,2W g"), [CodeEffect::Append { path: path("g") }]);
        assert_eq!(effects("e h\nw"), [CodeEffect::Update { path: path("h") }]);
        assert_eq!(effects("!rm x"), [CodeEffect::Shell { text: path("rm x") }]);
        assert_eq!(effects("w !rm x"), [CodeEffect::Shell { text: path("rm x") }]);
        assert_eq!(effects("g/x/!rm x"), [CodeEffect::Shell { text: path("rm x") }]);
        for text in ["r !rm x", "e !rm x", "G/x/", "s/a/b\\\n!rm x", "a x\n!rm y", "/[/]/!rm x"] {
            assert!(matches!(effects(text).first(), Some(CodeEffect::Unknown { .. })), "{text}");
        }
    }
}
