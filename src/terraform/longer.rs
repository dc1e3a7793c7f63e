//! Rules that delete after a time, when a change lets them keep more: longer times, greater numbers, nothing else.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::amounts;
use super::attributes::marks_any;
use crate::knowledge::terraform_signs;
use crate::model::{Fact, FactValue, Facts};

/// How deep attributes are looked into.
const DEPTH: usize = 40;

/// Whether all that differs keeps longer, or says nothing of what is kept.
pub(super) fn is_longer(before: &Value, after: &Value, unknown: &Value) -> bool {
    // What the provider tells by itself says nothing of what is kept.
    let computed =
        |name: &str| unknown.get(name) == Some(&Value::Bool(true)) && terraform_signs().is_computed(name);
    let open = |(name, mark): (&String, &Value)| {
        marks_any(mark) && !computed(name) && !terraform_signs().is_harmless(name)
    };
    if unknown.as_object().is_some_and(|marks| marks.iter().any(open)) || before == after {
        return false;
    }
    let (Value::Object(old), Value::Object(new)) = (before, after) else { return false };
    entries("", old, new, DEPTH, &computed)
}

/// Attributes at the top whose rules keep longer, whatever else changes.
pub(super) fn names(before: &Value, after: &Value, unknown: &Value) -> BTreeSet<String> {
    let (Value::Object(old), Value::Object(new)) = (before, after) else { return BTreeSet::new() };
    let longer = |(name, was): &(&String, &Value)| {
        let now = new.get(*name).unwrap_or(&Value::Null);
        !unknown.get(*name).is_some_and(marks_any) && *was != now && keeps(name, was, now, DEPTH)
    };
    old.iter().filter(longer).map(|(name, _)| name.clone()).collect()
}

/// Those of them that say what is deleted: what else gets longer may be anything. Of an unknown type their own words have to
/// say it.
pub(super) fn deleting(
    before: &Value,
    after: &Value,
    mut names: BTreeSet<String>,
    unknown: bool,
) -> BTreeSet<String> {
    let inside = |side: &Value, name: &str| side.get(name).is_some_and(|rule| says_inside(rule, DEPTH));
    names.retain(|name| {
        let named = !unknown && (may_delete(name) || inside(after, name));
        !terraform_signs().is_harmless(name) && (named || inside(before, name))
    });
    names
}

/// Whether an attribute of this name may say what is deleted.
pub(super) fn may_delete(name: &str) -> bool {
    const PARTS: [&str; 8] = ["rule", "lifecycle", "polic", "expir", "reten", "clean", "delet", "purge"];
    PARTS.iter().any(|part| name.contains(part)) || terraform_signs().times.fit(name)
}

fn says_inside(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let says = |name: &str| ["expir", "delet", "purge"].iter().any(|part| name.contains(part));
    match value {
        Value::Object(map) => map.iter().any(|(key, inner)| says(key) || says_inside(inner, depth)),
        Value::Array(list) => list.iter().any(|inner| says_inside(inner, depth)),
        _ => false,
    }
}

/// Tells it as a fact.
pub(super) fn tell(longer: bool, facts: &mut Facts) {
    if longer {
        let said = "its rules keep more than before";
        facts.insert("longer".into(), Fact::new(FactValue::Bool(true), said));
    }
}

/// Whether all entries of a block that differ keep longer; `told` are those that say nothing.
fn entries(
    name: &str,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    depth: usize,
    told: &dyn Fn(&str) -> bool,
) -> bool {
    let harmless =
        |key: &str| told(key) || moves(key) || terraform_signs().is_harmless(&format!("{name}.{key}"));
    old.iter().all(|(key, value)| {
        let other = new.get(key).unwrap_or(&Value::Null);
        // `max_age { duration }`
        let key = if key == "duration" && terraform_signs().times.fit(name) { name } else { key };
        value == other || harmless(key) || keeps(key, value, other, depth)
    }) && new.keys().all(|key| old.contains_key(key) || harmless(key))
}

fn keeps(name: &str, before: &Value, after: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    if before == after {
        return true;
    }
    let signs = terraform_signs();
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            is_off(new) && may_delete(name) || entries(name, old, new, depth, &|_: &str| false)
        }
        // Nothing is deleted any more.
        (Value::Array(_), Value::Array(none)) if none.is_empty() && deletes_by(name) => true,
        (Value::Array(old), Value::Array(new)) => {
            let more = new.get(old.len()..).unwrap_or_default();
            old.len() <= new.len()
                && old.iter().zip(new).all(|(old, new)| keeps(name, old, new, depth))
                && (moves(name)
                    || !says(name) && more.iter().all(|rule| !deletes(rule, depth))
                    || more.iter().all(only_moves)
                    || more.is_empty())
        }
        (Value::String(old), Value::String(new)) if old.starts_with(['{', '[']) => {
            let [old, new] = [old, new].map(|text| serde_json::from_str::<Value>(text).ok());
            old.zip(new).is_some_and(|(old, new)| keeps(name, &old, &new, depth))
        }
        _ => {
            // What is renewed after a longer time is renewed less often.
            let times = signs.times.fit(name) && !signs.sounding.of(name).renews;
            let amounts = [before, after].map(amount);
            times && matches!(amounts, [Some(was), Some(now)] if was > 0 && amounts::endless(now) > was)
        }
    }
}

/// A rule that is switched off deletes nothing.
fn is_off(rule: &Map<String, Value>) -> bool {
    rule.get("status").and_then(Value::as_str).is_some_and(|word| word.eq_ignore_ascii_case("disabled"))
        || rule.get("enabled") == Some(&Value::Bool(false))
}

/// What only moves to other storage, or ends uploads that were never finished.
fn moves(name: &str) -> bool {
    !says(name) && ["transition", "tier_to_", "abort_incomplete"].iter().any(|part| name.contains(part))
}

/// A rule all of whose words are about moving.
fn only_moves(rule: &Value) -> bool {
    rule.as_object().is_some_and(|rule| !rule.is_empty() && rule.keys().all(|key| moves(key)))
}

/// A block that only says what is deleted.
fn deletes_by(name: &str) -> bool {
    ["delete", "expiration", "purge", "ttl"].contains(&name)
}

/// The name says that something is deleted.
fn says(name: &str) -> bool {
    ["expir", "delete", "action", "policy"].iter().any(|part| name.contains(part))
}

/// Whether a rule may delete: unless it is switched off, or says that it only moves, or no time of it is set.
fn deletes(rule: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    let Value::Object(map) = rule else { return true };
    let word =
        |value: &Value| value.get(0).unwrap_or(value).get("type").and_then(Value::as_str).map(str::to_owned);
    let moved = |value: &Value| {
        word(value).is_some_and(|word| {
            ["SetStorageClass", "AbortIncompleteMultipartUpload"].contains(&word.as_str())
        })
    };
    if is_off(map) || map.get("action").is_some_and(moved) {
        return false;
    }
    let filled =
        |value: &Value| !matches!(value, Value::Null) && value.as_array().is_none_or(|list| !list.is_empty());
    map.iter().filter(|(key, value)| !moves(key) && filled(value)).any(|(key, value)| {
        let inside = match value {
            Value::Array(list) => list.iter().any(|inner| inner.is_object() && deletes(inner, depth)),
            Value::Object(_) => deletes(value, depth),
            _ => false,
        };
        says(key) || inside
    })
}

fn amount(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => amounts::number(&super::attributes::plain(text)),
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
        let status = |word: &str| json!({"rule": [{"status": word, "expiration": [{"days": 30}]}]});
        assert!(
            longer(status("Enabled"), status("Disabled")) && !longer(status("Disabled"), status("Enabled"))
        );
        let and = |more: Value| json!({"rule": [{"id": "a", "expiration": [{"days": 30}]}, more]});
        let uploads = and(
            json!({"status": "Enabled", "expiration": [], "abort_incomplete_multipart_upload": [{"days_after_initiation": 7}]}),
        );
        assert!(longer(days(30), uploads.clone()) && !longer(uploads, days(30)));
        assert!(!longer(days(30), and(json!({"id": "b", "expiration": [{"days": 1}]}))));
        let class = json!({"action": [{"type": "SetStorageClass"}], "condition": [{"age": 60}]});
        assert!(longer(days(30), and(class)));
        let old = json!({"rule": [{"noncurrent_version_expiration": []}]});
        assert!(!longer(old, json!({"rule": [{"noncurrent_version_expiration": [{"noncurrent_days": 7}]}]})));
        let ttl = |ttl: &str| json!({"expiration_policy": [{"ttl": ttl}]});
        assert!(!longer(ttl(""), ttl("86400s")));
        let after = |days: i64| json!({"rule": [{"delete_after_days": days}]});
        assert!(longer(after(90), after(-1)) && !longer(after(-1), after(90)));
        let filter = json!({"rule": [{"id": "a", "prefix": "", "expiration": [{"days": 365}]}]});
        assert!(!longer(days(30), filter), "another prefix reaches other objects");
        assert!(!is_longer(&days(30), &days(365), &json!({"rule": true})));
    }
}
