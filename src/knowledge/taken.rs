//! The part of a value that a template takes.

use super::micro::Part;
use crate::model::Value;

/// The part of a value that a template asks for; nothing is known of a part of what is not wholly known.
pub(super) fn take(part: Part, value: &Value) -> Value {
    match (part, value.choices()) {
        (Part::Whole, _) => value.clone(),
        (Part::Numbered, Some([text])) => numbered(text),
        (Part::Numbered, _) => value.clone(),
        (_, Some(list)) => Value::one_of(list.iter().map(|text| part.of(text).into_owned()).collect()),
        (_, None) => Value::Unknown,
    }
}

/// A name in which a counter may stand (`%d`, `%03d`).
fn numbered(text: &str) -> Value {
    let counter = text.match_indices('%').find_map(|(at, _)| {
        let behind = text[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
        Some((&text[..at], behind.strip_prefix(['d', 'u', 'i'])?))
    });
    match counter {
        Some((before, behind)) => Value::known(before).concat(&Value::Unknown).concat(&Value::known(behind)),
        None => Value::known(text),
    }
}
