//! Shell text that stands for what a program feeds into another.

use crate::model::Value;

/// A word as shell text.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '=' | ':' | ',' | '+' | '@' | '%')
    };
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Shell text for a command with this input; input that is not known comes from `cat`, whose output nobody knows.
pub(super) fn fed(input: Option<&Value>, command: &Value) -> Value {
    let source = match input.and_then(Value::as_known) {
        Some(text) => format!("printf '%s\\n' {} | ", quoted_always(text)),
        None => "cat | ".to_owned(),
    };
    Value::known(source).concat(command)
}

fn quoted_always(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Words as shell text; `None` when one is not known.
pub(super) fn line(words: &[Value]) -> Option<String> {
    let words = words.iter().map(|word| word.as_known().map(quoted)).collect::<Option<Vec<_>>>()?;
    Some(words.join(" "))
}
