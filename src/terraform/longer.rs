//! Rules that delete after a time, when a change lets them keep more: longer times, greater numbers, nothing else.

use serde_json::Value;

use super::attributes::marks_any;
use crate::knowledge::terraform_signs;
use crate::model::{Fact, FactValue, Facts};

/// How deep attributes are looked into.
const DEPTH: usize = 40;

/// Whether all that differs keeps longer, or says nothing of what is kept.
pub(super) fn is_longer(before: &Value, after: &Value, unknown: &Value) -> bool {
    !marks_any(unknown) && before != after && keeps("", before, after, DEPTH)
}

/// Tells it as a fact.
pub(super) fn tell(longer: bool, facts: &mut Facts) {
    if longer {
        let said = "its rules keep more than before";
        facts.insert("longer".into(), Fact::new(FactValue::Bool(true), said));
    }
}

fn keeps(name: &str, before: &Value, after: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    if before == after {
        return true;
    }
    let signs = terraform_signs();
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            old.iter().all(|(key, value)| {
                let other = new.get(key).unwrap_or(&Value::Null);
                signs.is_harmless(key) || keeps(key, value, other, depth)
            }) && new.keys().all(|key| old.contains_key(key) || signs.is_harmless(key))
        }
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| keeps(name, old, new, depth))
        }
        (Value::String(old), Value::String(new)) if old.starts_with(['{', '[']) => {
            let [old, new] = [old, new].map(|text| serde_json::from_str::<Value>(text).ok());
            old.zip(new).is_some_and(|(old, new)| keeps(name, &old, &new, depth))
        }
        _ => {
            let times = signs.times.fit(name);
            let amounts = [before, after].map(amount);
            times && matches!(amounts, [Some(was), Some(now)] if was > 0 && now > was)
        }
    }
}

fn amount(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => super::signs::number(&super::attributes::plain(text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_keeps_more_is_longer() {
        let longer = |before: Value, after: Value| is_longer(&before, &after, &json!({}));
        let days = |days: i64| json!({"rule": [{"id": "a", "expiration": [{"days": days}]}]});
        assert!(longer(days(30), days(365)) && !longer(days(365), days(30)));
        assert!(!longer(days(0), days(30)), "0 stands for never with some");
        let text = |count: i64| json!({"policy": format!("{{\"rules\":[{{\"selection\":{{\"countNumber\":{count}}}}}]}}")});
        assert!(longer(text(5), text(50)) && !longer(text(50), text(5)));
        let age = |age: &str| json!({"delete": [{"min_age": age}]});
        assert!(longer(age("7d"), age("90d")) && !longer(age("7d"), age("12h")));
        let filter = json!({"rule": [{"id": "a", "prefix": "", "expiration": [{"days": 365}]}]});
        assert!(!longer(days(30), filter), "another prefix reaches other objects");
        assert!(!is_longer(&days(30), &days(365), &json!({"rule": true})));
    }
}
