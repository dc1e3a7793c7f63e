//! Whether a value is plainly less than the one before, of whatever attribute: a list with fewer entries, a switch that goes off, a
//! smaller number, a text with a part taken out, or nothing where something was.
//!
//! Owns the way in which a value goes; what its name says of that is `Sounds`.

use std::collections::HashMap;

use super::amounts::{endless, number};
use super::diff::Leaf;
use super::senses::{switch, word};
use super::spoken::Spoken;
use crate::knowledge::Sounds;
use crate::model::FactValue;

/// What is told of it.
pub(super) const KIND: &str = "service.part";

/// Longer texts are not compared by their parts.
const LONGEST: usize = 1 << 16;

/// Words that stand for nothing, or for something that stands still.
const NOTHING: [&str; 13] = [
    "none",
    "off",
    "no",
    "disabled",
    "disable",
    "never",
    "inactive",
    "paused",
    "suspended",
    "stopped",
    "cancelled",
    "canceled",
    "archived",
];

/// Whether the new value is less, and nothing in the attribute's name says that this is no loss.
pub(super) fn is_less(spoken: &Spoken, sounds: Sounds, leaf: &Leaf) -> bool {
    // What stands in an entry that comes or goes is said by the list.
    if spoken.lighter || leaf.whole || leaf.unknown {
        return false;
    }
    let (was, now) = (leaf.was.as_ref(), leaf.now.as_ref());
    if leaf.is_list {
        let length = |value: Option<&FactValue>| value.and_then(number).unwrap_or(0);
        return sounds.serves && length(now) < length(was);
    }
    let is_switch = was.is_none_or(|was| switch(Some(was)).is_some());
    match (switch(was), switch(now)) {
        (Some(true), Some(false)) if is_switch => return sounds.does && sounds.serves,
        (Some(false), Some(true)) if is_switch => return sounds.stops,
        _ => {}
    }
    match (was, now) {
        (Some(was), None) => sounds.serves && is_something(was) && sounds.amounts,
        (Some(was), Some(now)) => match (number(was), number(now)) {
            (Some(was), Some(now)) => {
                sounds.amounts && endless(now) < endless(was) || sounds.bounds && was > 0 && now == 0
            }
            (None, None) => sounds.serves && loses(was, now, sounds.does),
            _ => false,
        },
        (None, _) => false,
    }
}

fn is_something(value: &FactValue) -> bool {
    match value {
        FactValue::Bool(yes) => *yes,
        FactValue::Number(number) => *number != 0,
        FactValue::Text(text) => !text.is_empty() && !is_nothing(text),
    }
}

/// `NONE`, `LOG_NONE`, `STRATEGY_UNSPECIFIED`.
fn is_nothing(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    NOTHING.contains(&text.as_str()) || text.ends_with("_none") || text.ends_with("unspecified")
}

/// Nothing instead of something, or all but a part of it.
fn loses(was: &FactValue, now: &FactValue, does: bool) -> bool {
    let (FactValue::Text(old), FactValue::Text(new)) = (was, now) else { return false };
    if new.is_empty() {
        return !old.is_empty();
    }
    let choices = word(Some(was)).is_some() && word(Some(now)).is_some();
    choices && does && is_nothing(new) && !is_nothing(old) || is_part(old, new)
}

/// Whether the new text is the old one without some of its lines, or without some entries between commas or tags.
fn is_part(old: &str, new: &str) -> bool {
    if new.len() >= old.len() || old.len() > LONGEST {
        return false;
    }
    let ends = ['\n', ',', '<', ';'].into_iter().find(|end| old.contains(*end));
    ends.is_some_and(|end| is_subset(&parts(old, end), &parts(new, end)))
}

/// The parts of a text and how often each stands there; what only people read says nothing.
fn parts(text: &str, end: char) -> HashMap<&str, usize> {
    let mut found = HashMap::new();
    for part in text.split(end).map(str::trim) {
        if !part.is_empty() && !part.starts_with(['#', '*']) && !part.starts_with("//") {
            *found.entry(part).or_insert(0) += 1;
        }
    }
    found
}

fn is_subset(old: &HashMap<&str, usize>, new: &HashMap<&str, usize>) -> bool {
    let count = |side: &HashMap<&str, usize>| side.values().sum::<usize>();
    !new.is_empty()
        && count(new) < count(old)
        && new.iter().all(|(part, times)| old.get(part).is_some_and(|most| most >= times))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::diff::leaves;
    use super::*;
    use crate::knowledge::terraform_signs;

    fn less(name: &str, was: Value, now: Value) -> bool {
        let (before, after, none) = (json!({name: was}), json!({name: now}), json!({}));
        leaves(&before, &after, &none, [&none, &none]).iter().any(|leaf| {
            let spoken = Spoken { known: true, ..Spoken::default() };
            is_less(&spoken, terraform_signs().sounding.of(&leaf.path), leaf)
        })
    }

    /// Of names that say nothing less is told and more is not; of those that give, show or tell a time neither is.
    #[test]
    fn less_is_told_whatever_it_is_called() {
        let pairs = [
            (json!(["a", "b"]), json!(["a"])),
            (json!(["a"]), json!([])),
            (json!(true), json!(false)),
            (json!("on"), json!("off")),
            (json!(5), json!(3)),
            (json!(5), json!(0)),
            (json!("LOG_ALL"), json!("LOG_NONE")),
            (json!("some/thing"), json!("")),
            (json!("some/thing"), Value::Null),
            (json!("a\nb\nc\n"), json!("a\nc\n")),
            (json!("<a><b/></a>"), json!("<a></a>")),
        ];
        for (more, part) in pairs {
            for name in ["frobs", "wanted_frobs", "outer.frob"] {
                assert!(less(name, more.clone(), part.clone()), "{name} {more} {part}");
                assert!(!less(name, part.clone(), more.clone()), "{name} {part} {more}");
            }
            for name in ["allowed_frobs", "debug_trusted_frob", "preview_member_seconds"] {
                assert!(!less(name, more.clone(), part.clone()), "{name} {more} {part}");
            }
        }
        assert!(less("disabled", json!(false), json!(true)) && !less("disabled", json!(true), json!(false)));
        assert!(!less("frobs", json!("a\nb\n"), json!("a\nc\n")), "another one");
        assert!(!less("frobs", json!(5), json!(-1)), "without end");
        assert!(!less("frobs", json!("a\n# note\n"), json!("a\n")), "people read it alone");
    }
}
