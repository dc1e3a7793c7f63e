//! What denies: where it goes, what it kept out comes in.

use serde_json::{Map, Value};

use super::beside::Beside;
use super::facts::Attributes;
use super::later;
use crate::model::{Action, FactValue};

/// How deep attributes and policies are looked into.
const DEPTH: usize = 40;

const DENY: [&str; 17] = [
    "deny",
    "denied",
    "block",
    "blocked",
    "drop",
    "reject",
    "disallow",
    "forbid",
    "deny_all",
    "block_all",
    "drop_all",
    "block_reset",
    "block_drop",
    "reset_both",
    "deny-all",
    "quarantine",
    "blacklist",
];

/// Attributes that say whether something is let through.
const WAYS: [&str; 15] = [
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
    "policy",
];

/// Words of types that are rules themselves: what else goes takes all that its rules are about with it.
const RULES: [&str; 12] = [
    "rule",
    "rules",
    "ruleset",
    "policy",
    "policies",
    "firewall",
    "acl",
    "guardrail",
    "intention",
    "intentions",
    "filter",
    "deny",
];

/// Rules that deny and are fewer after the change.
pub(super) fn fewer(r#type: &str, action: Action, attributes: &Attributes) -> Option<Beside> {
    let gone = action == Action::Delete;
    if gone && !r#type.split('_').any(|word| RULES.contains(&word)) {
        return None;
    }
    let was = count(&attributes.before, DEPTH);
    let now = if gone { 0 } else { count(&attributes.after, DEPTH) };
    if now >= was {
        return None;
    }
    let mut found = Beside::new(if gone { Action::Delete } else { Action::Update }, "protection.denial");
    found.tell("denies", FactValue::Bool(true));
    if let Some((attribute, value)) = later::about(&attributes.before).filter(|_| gone) {
        found.tell("relation", FactValue::Text("setting".to_owned()));
        found.tell("setting", FactValue::Text(attribute.to_owned()));
        found.tell("source_id", FactValue::Text(value.to_owned()));
    }
    Some(found)
}

/// As many rules, of which one denies less.
pub(super) fn less() -> Beside {
    let mut found = Beside::new(Action::Update, "protection.denial");
    found.tell("denies", FactValue::Bool(true));
    found
}

/// Whether anything is denied.
pub(super) fn any(value: &Value) -> bool {
    count(value, DEPTH) > 0
}

/// How much is denied.
fn count(value: &Value, depth: usize) -> usize {
    let Some(depth) = depth.checked_sub(1) else { return 0 };
    match value {
        Value::Object(map) if is_off(map) => 0,
        Value::Object(map) => {
            usize::from(denies(map)) + map.values().map(|inner| count(inner, depth)).sum::<usize>()
        }
        Value::Array(list) => list.iter().map(|inner| count(inner, depth)).sum(),
        Value::String(text) if text.starts_with(['{', '[']) => {
            serde_json::from_str(text).map_or(0, |document| count(&document, depth))
        }
        _ => 0,
    }
}

fn is_off(map: &Map<String, Value>) -> bool {
    map.get("disabled") == Some(&Value::Bool(true)) || map.get("enabled") == Some(&Value::Bool(false))
}

fn denies(map: &Map<String, Value>) -> bool {
    let filled = |value: &Value| match value {
        Value::Array(list) => !list.is_empty(),
        Value::Object(_) => true,
        _ => false,
    };
    map.iter().any(|(key, value)| {
        let key = key.to_ascii_lowercase();
        if key == "deny" {
            return filled(value);
        }
        let ways = WAYS.contains(&key.as_str());
        let inside = |value: &Value| {
            value.as_object().is_some_and(|map| DENY.iter().any(|word| map.get(*word).is_some_and(filled)))
        };
        match value {
            Value::String(text) => ways && DENY.contains(&text.to_ascii_lowercase().as_str()),
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
            assert_eq!(count(&value, DEPTH), denials, "{value}");
        }
    }
}
