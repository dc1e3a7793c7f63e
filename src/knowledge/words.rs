//! Questions about single words: do they look like options or assignments, where does a value start.

use crate::model::Value;

/// `Some(true)`: starts like an option. `Some(false)`: might be one. `None`: is none.
pub(super) fn option_like(word: &Value) -> Option<bool> {
    match word {
        Value::Known(text) => (text.len() > 1 && text.starts_with('-')).then_some(true),
        Value::OneOf(list) => {
            let dashed = list.iter().filter(|t| t.len() > 1 && t.starts_with('-')).count();
            (dashed > 0).then_some(dashed == list.len())
        }
        Value::Affix { prefix, .. } => prefix.starts_with('-').then_some(true),
        Value::Woven(_) => option_like(&word.clone().plain()),
        Value::Lines(_) | Value::Unknown => None,
    }
}

/// `NAME=value` with a shell name (or a path of such, as make and env allow dots and dashes).
pub(super) fn is_assignment(word: &Value) -> bool {
    let text = word.prefix();
    let Some(at) = text.find('=') else { return false };
    // A function in a variable: `BASH_FUNC_name%%`.
    let name = text[..at].trim_end_matches([':', '+', '?', '!', '%']);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

/// Name before `=`, and where the value starts.
pub(super) fn cut(text: &str) -> (&str, Option<usize>) {
    match text.find('=') {
        Some(at) => (&text[..at], Some(at + 1)),
        None => (text, None),
    }
}

/// Whether a switch is given as off.
pub(super) fn is_false(text: &str) -> bool {
    ["false", "f", "0", "no", "n", "off", "none", "never"].iter().any(|no| no.eq_ignore_ascii_case(text))
}

/// Whether a switch is given as on.
pub fn is_true(text: &str) -> bool {
    ["true", "t", "1", "yes", "y", "on"].iter().any(|yes| yes.eq_ignore_ascii_case(text))
}

/// What follows the first `from` bytes, which are the same in all possibilities.
pub(super) fn tail(word: &Value, from: usize) -> Value {
    match word {
        Value::Known(text) => Value::known(text.get(from..).unwrap_or_default()),
        Value::OneOf(list) => {
            Value::one_of(list.iter().map(|t| t.get(from..).unwrap_or_default().to_owned()).collect())
        }
        Value::Affix { prefix, suffix } => {
            let rest = prefix.get(from..).unwrap_or_default();
            if rest.is_empty() && suffix.is_empty() {
                Value::Unknown
            } else {
                Value::Affix { prefix: rest.to_owned(), suffix: suffix.clone() }
            }
        }
        Value::Woven(_) => tail(&word.clone().plain(), from),
        Value::Lines(_) | Value::Unknown => Value::Unknown,
    }
}
