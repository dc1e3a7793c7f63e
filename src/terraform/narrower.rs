//! Grants that an update only makes smaller: fewer people, fewer acts, a part of an address range.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::attributes::marks_any;
use super::facts::Attributes;
use super::select::first_key;
use crate::knowledge::terraform_signs;
use crate::model::{Fact, FactValue, Facts};
use crate::wildcard::fits;

/// How deep attributes and policies are looked into.
const DEPTH: usize = 32;

/// Whether all that changes are attributes that grant, and each grants a part of what it granted before.
pub(super) fn only_less(grants: &[String], changed: &BTreeSet<String>, attributes: &Attributes) -> bool {
    let less = |name: &String| {
        let side = |values: &'_ Value| values.get(name).cloned().unwrap_or(Value::Null);
        let [was, now] = [side(&attributes.before), side(&attributes.after)];
        let known = !marks_any(&side(&attributes.after_unknown));
        known && grants.iter().any(|grant| first_key(grant) == name) && is_part(&was, &now, DEPTH)
    };
    let harmless = |name: &String| terraform_signs().is_harmless(name);
    changed.iter().any(|name| !harmless(name)) && changed.iter().all(|name| harmless(name) || less(name))
}

/// Tells it as a fact.
pub(super) fn tell(shrinks: bool, facts: &mut Facts) {
    if shrinks {
        let said = "it grants a part of what it granted";
        facts.insert("shrinks".to_owned(), Fact::new(FactValue::Bool(true), said));
    }
}

fn is_part(was: &Value, now: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    if was == now {
        return true;
    }
    match (was, now) {
        (Value::Array(old), Value::Array(new)) => {
            // A rule that denies and is gone lets more through.
            let stays = |rule: &Value| !denies(rule) || new.contains(rule);
            !new.is_empty()
                && old.iter().all(stays)
                && new.iter().all(|one| old.iter().any(|other| is_part(other, one, depth)))
        }
        (Value::Array(old), one) => old.iter().any(|other| is_part(other, one, depth)),
        (Value::Object(old), Value::Object(new)) => {
            let bounds = |key: &String| key == "Condition";
            old.keys().all(|key| new.contains_key(key))
                && new.iter().all(|(key, value)| match old.get(key) {
                    Some(other) => other == value || !turns(key, new) && is_part(other, value, depth),
                    None => bounds(key),
                })
        }
        (Value::String(old), Value::String(new)) => text(old, new, depth),
        _ => false,
    }
}

/// Names of those who may not, conditions, and what a rule that denies is about.
fn turns(key: &str, rule: &Map<String, Value>) -> bool {
    let word = key.to_ascii_lowercase();
    word.starts_with("not") || word == "condition" || word == "effect" || rule.values().any(is_denial)
}

fn is_denial(value: &Value) -> bool {
    value.as_str().is_some_and(|word| word.eq_ignore_ascii_case("deny"))
}

fn denies(rule: &Value) -> bool {
    rule.as_object().is_some_and(|rule| rule.values().any(is_denial))
}

fn text(old: &str, new: &str, depth: usize) -> bool {
    let document =
        |text: &str| text.starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(text).ok())?;
    if let Some((old, new)) = document(old).zip(document(new)) {
        return is_part(&old, &new, depth);
    }
    if let Some((old, new)) = paths(old).zip(paths(new)) {
        return acts_less(&old, &new);
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/*@+=".contains(c);
    let pattern = old.contains('*') && new.chars().all(plain) && !new.is_empty();
    let off = ["inactive", "disabled"].contains(&new.to_ascii_lowercase().as_str());
    off || pattern && fits(old, new)
        || range(old).zip(range(new)).is_some_and(|(wide, part)| holds(wide, part))
}

/// What a policy of `path "…" { capabilities = […] }` allows, by path; `None`: it says something else, too.
fn paths(text: &str) -> Option<BTreeMap<&str, BTreeSet<&str>>> {
    let mut found = BTreeMap::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (path, after) = rest.strip_prefix("path")?.trim_start().strip_prefix('"')?.split_once('"')?;
        let (body, after) = after.trim_start().strip_prefix('{')?.split_once('}')?;
        let list = body.trim().strip_prefix("capabilities")?.trim_start().strip_prefix('=')?.trim();
        let list = list.strip_prefix('[')?.strip_suffix(']')?;
        let acts = list.split(',').map(|act| act.trim().trim_matches('"')).filter(|act| !act.is_empty());
        found.insert(path, acts.collect());
        rest = after.trim_start();
    }
    (!found.is_empty()).then_some(found)
}

/// The same paths, as a broader one counts where none fits better, with fewer acts each; what is denied stays denied.
fn acts_less(old: &BTreeMap<&str, BTreeSet<&str>>, new: &BTreeMap<&str, BTreeSet<&str>>) -> bool {
    let less = |(path, acts): (&&str, &BTreeSet<&str>)| {
        let was = old.get(path);
        was.is_some_and(|was| {
            !acts.is_empty() && acts.is_subset(was) && (acts == was || !was.contains("deny"))
        })
    };
    old.len() == new.len() && new.iter().all(less)
}

/// The first address of a range, and how many bits of it are fixed.
fn range(text: &str) -> Option<(u32, u32)> {
    let (address, bits) = text.split_once('/').unwrap_or((text, "32"));
    let bits = bits.parse().ok().filter(|bits| *bits <= 32)?;
    let parts: Vec<u8> = address.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
    Some((u32::from_be_bytes(parts.try_into().ok()?), bits))
}

fn holds(wide: (u32, u32), part: (u32, u32)) -> bool {
    let cut = |address: u32| if wide.1 == 0 { 0 } else { address >> (32 - wide.1) };
    wide.1 <= part.1 && cut(wide.0) == cut(part.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_of_what_was_granted_is_less() {
        let allow = |act: Value| json!({"Effect": "Allow", "Action": act, "Resource": "arn:x/*"});
        let deny = json!({"Effect": "Deny", "Action": "s3:PutObject"});
        let policy = |list: Value| json!(json!({"Statement": list}).to_string());
        for (wide, part) in [
            (json!(["SELECT", "INSERT"]), json!(["SELECT"])),
            (json!("10.0.0.0/8"), json!("10.2.0.0/16")),
            (json!("*"), json!("10.1.0.0/16")),
            (json!("Active"), json!("Inactive")),
            (
                json!([{"verbs": ["get", "list"], "resources": ["pods"]}]),
                json!([{"verbs": ["get"], "resources": ["pods"]}]),
            ),
            (
                policy(json!([allow(json!(["s3:Get*", "s3:PutObject"]))])),
                policy(json!([allow(json!("s3:GetObject"))])),
            ),
            (policy(json!([allow(json!("a:b"))])), policy(json!([allow(json!("a:b")), deny]))),
        ] {
            // A rule that denies and comes in addition is not looked at: more is asked, never less.
            let added = part.as_str().is_some_and(|text| text.contains("Deny"));
            assert_eq!(is_part(&wide, &part, DEPTH), !added, "{wide} {part}");
            assert!(!is_part(&part, &wide, DEPTH), "{part} {wide}");
        }
        let vault = |acts: &str| json!(format!("path \"kv/*\" {{\n  capabilities = [{acts}]\n}}\n"));
        assert!(is_part(&vault("\"read\", \"list\""), &vault("\"read\""), DEPTH));
        assert!(!is_part(&vault("\"read\""), &vault("\"read\", \"list\""), DEPTH));
        assert!(!is_part(&vault("\"read\", \"deny\""), &vault("\"read\""), DEPTH), "it was denied");
        let all = json!({"Effect": "Allow", "NotAction": ["a:b", "a:c"]});
        let more = json!({"Effect": "Allow", "NotAction": ["a:b"]});
        assert!(!is_part(&all, &more, DEPTH), "what is excepted shrinks");
        assert!(!is_part(&json!(["a"]), &json!([]), DEPTH), "an empty list may stand for all");
    }
}
