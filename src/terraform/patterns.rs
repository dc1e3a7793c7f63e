//! Texts that say what is looked for, and lists whose order says it: what goes out of them is not found any more.
//!
//! Owns three such forms (`terraform_signs.toml`, `patterns`): documents that name what fits (each list of them holds choices, each key
//! is one more condition), texts of one rule a line, and lists of which the first entry that fits counts.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::beside::Beside;
use super::said::printable;
use super::texts;
use crate::knowledge::terraform_signs;
use crate::model::{Action, FactValue};

/// How deep attributes are looked into.
const DEPTH: usize = 16;

/// How much of what goes is told.
const SHOWN: usize = 80;

/// The first attribute of which less is looked for than before.
pub(super) fn fewer(r#type: &str, before: &Value, after: &Value) -> Option<Beside> {
    let (Value::Object(old), Value::Object(new)) = (before, after) else { return None };
    let lists = &terraform_signs().patterns;
    let moved = || {
        lists.orders.iter().find_map(|entry| {
            let (types, name) = entry.split_once(':')?;
            let (was, now) = (old.get(name)?.as_array()?, new.get(name)?.as_array()?);
            let stay = |list: &[Value], other: &[Value]| -> Vec<Value> {
                list.iter().filter(|one| other.contains(one)).cloned().collect()
            };
            (types == r#type && stay(was, now) != stay(now, was))
                .then(|| told(name, "the same in another order".to_owned()))
        })
    };
    gone(old, new, DEPTH).or_else(moved)
}

fn gone(old: &Map<String, Value>, new: &Map<String, Value>, depth: usize) -> Option<Beside> {
    let depth = depth.checked_sub(1)?;
    let lists = &terraform_signs().patterns;
    old.iter().find_map(|(name, was)| {
        let now = new.get(name)?;
        match (was, now) {
            _ if was == now => None,
            (Value::String(was), Value::String(now)) => {
                let said = if lists.documents.has(name) { narrower(was, now) } else { None };
                let said = said.or_else(|| if lists.lines.has(name) { lost(was, now) } else { None });
                said.map(|said| told(name, said))
            }
            (Value::Object(old), Value::Object(new)) => gone(old, new, depth),
            (Value::Array(old), Value::Array(new)) => {
                old.iter().zip(new).find_map(|(old, new)| gone(old.as_object()?, new.as_object()?, depth))
            }
            _ => None,
        }
    })
}

fn told(name: &str, said: String) -> Beside {
    let mut found = Beside::new(Action::Update, "protection.fewer");
    found.tell("attribute", FactValue::Text(name.to_owned()));
    found.tell("gone", FactValue::Text(printable(&said.chars().take(SHOWN).collect::<String>())));
    found
}

/// The choice that is gone, or the condition that is new.
fn narrower(was: &str, now: &str) -> Option<String> {
    let (Value::Object(old), Value::Object(new)) = (texts::json(was)?, texts::json(now)?) else {
        return None;
    };
    bounded(&old, &new, DEPTH)
}

fn bounded(old: &Map<String, Value>, new: &Map<String, Value>, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let added =
        new.keys().find(|key| !old.contains_key(*key)).map(|key| format!("only with a certain `{key}`"));
    added.or_else(|| {
        old.iter().find_map(|(key, was)| match (was, new.get(key)?) {
            (Value::Object(old), Value::Object(new)) => bounded(old, new, depth),
            (Value::Array(old), Value::Array(new)) => {
                let left = old.iter().find(|one| !new.contains(one))?;
                let text = left.as_str().map_or_else(|| left.to_string(), str::to_owned);
                Some(format!("`{text}` of `{key}`"))
            }
            _ => None,
        })
    })
}

/// The first line that stands nowhere any more.
fn lost(was: &str, now: &str) -> Option<String> {
    let each = |text: &str| -> BTreeSet<String> {
        let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
    };
    each(was).difference(&each(now)).next().map(|line| format!("`{line}`"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn is_fewer(r#type: &str, before: Value, after: Value) -> bool {
        fewer(r#type, &before, &after).is_some()
    }

    #[test]
    fn what_goes_out_of_a_pattern_is_told_and_what_comes_in_is_not() {
        let event = |pattern: Value| json!({"event_pattern": pattern.to_string()});
        let lines = |lines: &str| json!({"rule_group": [{"rules_source": [{"rules_string": lines}]}]});
        for (wide, narrow) in [
            (event(json!({"source": ["a", "b"]})), event(json!({"source": ["a"]}))),
            (
                event(json!({"source": ["a"]})),
                event(json!({"source": ["a"], "detail": {"severity": [{"numeric": [">", 8]}]}})),
            ),
            (lines("drop a\ndrop b\n"), lines("drop  a")),
        ] {
            assert!(is_fewer("aws_cloudwatch_event_rule", wide.clone(), narrow.clone()), "{narrow}");
            assert!(!is_fewer("aws_cloudwatch_event_rule", narrow, wide.clone()), "{wide}");
        }
        assert!(!is_fewer("x", lines("drop a # b"), lines(" drop a # b\n# more\n")));
    }

    #[test]
    fn where_the_first_one_counts_another_order_is_told() {
        let order = |names: &[&str]| json!({"indexes": names});
        assert!(is_fewer("datadog_logs_index_order", order(&["a", "b"]), order(&["b", "a"])));
        assert!(!is_fewer("datadog_logs_index_order", order(&["a", "b"]), order(&["a", "c", "b"])));
        assert!(!is_fewer("datadog_other", order(&["a", "b"]), order(&["b", "a"])));
    }
}
