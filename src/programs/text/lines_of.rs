//! What a filter that goes from line to line makes of a text.

use crate::model::{Lines, Value};

/// Longest text that is worked through, in bytes.
const TEXT_LIMIT: usize = 256 * 1024;

/// Each line by itself: what it becomes, or nothing. The function says `None` where it cannot tell. Every line is ended
/// afterwards, if it was not before.
pub(super) fn each(text: &Value, line: impl Fn(&str) -> Option<Option<String>>) -> Option<Value> {
    match text {
        Value::Lines(lines) if lines.end == '\n' => {
            let mut left = Vec::new();
            for one in &lines.each {
                left.extend(line(one)?);
            }
            Some(match (Value::lines(left, '\n'), lines.some) {
                (Value::Lines(left), some) => Value::Lines(Lines { some, ..left }),
                (Value::Known(one), true) if !one.is_empty() => Value::one_of(vec![one, String::new()]),
                (value, _) => value,
            })
        }
        _ => whole(text, |text| {
            let mut left = String::new();
            for one in text.lines() {
                if let Some(kept) = line(one)? {
                    left.push_str(&kept);
                    left.push('\n');
                }
            }
            Some(left)
        }),
    }
}

/// The whole text. What cannot be listed is not known afterwards either.
pub(super) fn whole(text: &Value, f: impl Fn(&str) -> Option<String>) -> Option<Value> {
    let all = text.choices()?;
    if all.iter().any(|text| text.len() > TEXT_LIMIT || text.contains(['\0', '\r'])) {
        return None;
    }
    Some(Value::one_of(all.iter().map(|text| f(text)).collect::<Option<Vec<_>>>()?))
}
