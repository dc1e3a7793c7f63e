//! Which rules deny, and how much: by words alone, of any type.

use serde_json::{Map, Value};

use super::texts;
use crate::knowledge::tool_words;

/// How deep attributes and policies are looked into.
const DEPTH: usize = 40;

/// Attributes that say whether something is let through.
const WAYS: [&str; 16] = [
    "permission",
    "permission_type",
    "acl_permission_type",
    "access_type",
    "filter_action",
    "traffic_action",
    "access",
    "action",
    "effect",
    "rule_action",
    "decision",
    "policy_action",
    "default_action",
    "firewall_policy",
    "basic_profile",
    "policy",
];

/// Whether a word says that something is not let through, whatever it answers: `deny(403)`.
pub(super) fn is_word(word: &str) -> bool {
    let word = word.split('(').next().unwrap_or(word).to_ascii_lowercase();
    tool_words().grants.denies.has(&word)
}

/// Whether anything is denied.
pub(super) fn any(value: &Value) -> bool {
    count(value) > 0
}

/// How much is denied.
pub(super) fn count(value: &Value) -> usize {
    count_in(value, DEPTH)
}

fn count_in(value: &Value, depth: usize) -> usize {
    let Some(depth) = depth.checked_sub(1) else { return 0 };
    match value {
        Value::Object(map) if is_off(map) => 0,
        Value::Object(map) => {
            usize::from(denies(map)) + map.values().map(|inner| count_in(inner, depth)).sum::<usize>()
        }
        Value::Array(list) => list.iter().map(|inner| count_in(inner, depth)).sum(),
        Value::String(text) if text.starts_with(['{', '[']) => {
            serde_json::from_str(text).map_or(0, |document| count_in(&document, depth))
        }
        _ => 0,
    }
}

fn is_off(map: &Map<String, Value>) -> bool {
    map.get("disabled") == Some(&Value::Bool(true)) || map.get("enabled") == Some(&Value::Bool(false))
}

/// Whether a rule itself denies.
pub(super) fn denies(map: &Map<String, Value>) -> bool {
    let filled = |value: &Value| match value {
        Value::Array(list) => !list.is_empty(),
        Value::Object(_) => true,
        _ => false,
    };
    map.iter().any(|(key, value)| {
        let key = texts::small(key);
        if key == "deny" {
            return filled(value);
        }
        let ways = WAYS.contains(&key.as_ref());
        let inside = |value: &Value| {
            let word = |(key, value): (&String, &Value)| is_word(key) && filled(value);
            value.as_object().is_some_and(|map| map.iter().any(word))
        };
        match value {
            Value::String(text) => ways && is_word(text),
            Value::Array(list) => ways && list.iter().any(inside),
            other => ways && inside(other),
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_denies_is_counted_wherever_it_stands() {
        for (value, denials) in [
            (json!({"access": "Deny"}), 1),
            (json!({"rule_action": "allow"}), 0),
            (json!({"deny": [{"protocol": "all"}], "allow": []}), 1),
            (json!({"deny": []}), 0),
            (json!({"policy": "{\"Statement\":[{\"Effect\":\"Deny\"},{\"Effect\":\"Allow\"}]}"}), 1),
            (json!({"rule": [{"action": [{"block": [{}], "allow": []}]}, {"action": [{"block": []}]}]}), 1),
            (json!({"action": "block", "enabled": false}), 0),
            (json!({"name": "deny"}), 0),
        ] {
            assert_eq!(count(&value), denials, "{value}");
        }
    }
}
