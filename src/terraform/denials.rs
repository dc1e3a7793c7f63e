//! What denies: where it goes, or denies less, what it kept out comes in.

use serde_json::{Map, Value};

use super::attributes::marks_any;
use super::beside::Beside;
use super::denying::{count, denies, is_word};
use super::facts::Attributes;
use super::later;
use super::narrower::{is_closed, is_part_of};
use crate::knowledge::terraform_signs;
use crate::model::{Action, FactValue};

/// How deep attributes and policies are looked into.
const DEPTH: usize = 40;

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
    let was = count(&attributes.before);
    let now = if gone { 0 } else { count(&attributes.after) };
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

/// Whether a rule that denies, and stays, denies less than before: fewer addresses, ports or protocols, wherever it stands.
pub(super) fn denies_less(r#type: &str, attributes: &Attributes) -> bool {
    if top_less(attributes) || set_less(r#type, attributes) {
        return true;
    }
    let rules = |side| {
        let mut found = Vec::new();
        denying(side, DEPTH, &mut found);
        found
    };
    let (old, new) = (rules(&attributes.before), rules(&attributes.after));
    let lost = |was: &&Map<String, Value>| !new.iter().any(|now| denies_as_much(was, now));
    !marks_any(&attributes.after_unknown) && !new.is_empty() && old.iter().any(lost)
}

/// A set by which others deny, as its own name says: an entry that goes, or another one in its place.
fn set_less(r#type: &str, attributes: &Attributes) -> bool {
    let (Value::Object(old), Value::Object(new)) = (&attributes.before, &attributes.after) else {
        return false;
    };
    let sets = &terraform_signs().sets;
    let said = sets.says.iter().filter_map(|name| old.get(name)?.as_str());
    let denying = said.flat_map(|text| text.split(|c: char| !c.is_alphanumeric())).any(is_word);
    let is_set = sets.are.fit(r#type);
    let fewer = |(name, was): (&String, &Value)| {
        let (Some(was), Some(now)) = (was.as_array(), new.get(name).and_then(Value::as_array)) else {
            return false;
        };
        let known = !attributes.after_unknown.get(name).is_some_and(marks_any);
        known && was.iter().any(|entry| !now.contains(entry))
    };
    is_set && denying && old.iter().any(fewer)
}

/// The same of the addresses of a rule that is a resource of its own.
fn top_less(attributes: &Attributes) -> bool {
    let (Value::Object(old), Value::Object(new)) = (&attributes.before, &attributes.after) else {
        return false;
    };
    let fewer = |(name, was): (&String, &Value)| {
        let known = !attributes.after_unknown.get(name).is_some_and(marks_any);
        let now = new.get(name).unwrap_or(&Value::Null);
        is_about(name) && known && was != now && !was.is_null() && !holds_denied(name, now, was)
    };
    is_closed(&attributes.before) && is_closed(&attributes.after) && old.iter().any(fewer)
}

/// Whether an attribute says what a rule is about.
fn is_about(name: &str) -> bool {
    const ABOUT: [&str; 6] = ["source", "cidr", "destination", "range", "prefix", "deny"];
    ABOUT.iter().any(|word| name.contains(word)) || is_whole(name)
}

/// Where nothing is said of it, the rule is about all of them.
fn is_whole(name: &str) -> bool {
    name != "allow" && terraform_signs().ports.has(name) || name.contains("protocol")
}

/// Rules that deny, below the top.
fn denying<'v>(at: &'v Value, depth: usize, found: &mut Vec<&'v Map<String, Value>>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match at {
        Value::Object(map) => map.values().for_each(|inner| match inner {
            Value::Array(list) => list.iter().for_each(|one| {
                found.extend(one.as_object().filter(|rule| denies(rule)));
                denying(one, depth, found);
            }),
            inner => denying(inner, depth, found),
        }),
        Value::Array(list) => list.iter().for_each(|inner| denying(inner, depth, found)),
        _ => {}
    }
}

/// Whether all that a rule denies another one does.
fn denies_as_much(was: &Map<String, Value>, now: &Map<String, Value>) -> bool {
    denies(now)
        && was.iter().all(|(name, was)| {
            let now = now.get(name).unwrap_or(&Value::Null);
            !is_about(name) || holds_denied(name, now, was)
        })
}

/// Whether what a rule that denies is about now holds all that it was about.
fn holds_denied(name: &str, now: &Value, was: &Value) -> bool {
    let empty = |value: &Value| value.is_null() || value == "" || value.as_array().is_some_and(Vec::is_empty);
    let all = |value: &Value| {
        let word = value.as_str().unwrap_or_default();
        ["*", "-1", "all", "any"].contains(&word.to_ascii_lowercase().as_str())
    };
    let wholly = is_whole(name);
    // Without ports or a protocol it is about all of them; nothing becomes something by less.
    let whole = empty(now) && wholly;
    now == was
        || all(now)
        || whole
        || !empty(was) && part_of_denied(now, was)
        || wholly && holds_ports(now, was)
        || empty(was) && !wholly
}

/// Each entry of a list that denies is a part of one of another.
fn part_of_denied(now: &Value, was: &Value) -> bool {
    match (now, was) {
        (Value::Array(now), Value::Array(was)) => {
            was.iter().all(|one| now.iter().any(|other| part_of_denied(other, one)))
        }
        (Value::Object(now), Value::Object(was)) => {
            was.iter().all(|(name, was)| holds_denied(name, now.get(name).unwrap_or(&Value::Null), was))
        }
        _ => is_part_of(now, was) || holds_ports(now, was),
    }
}

/// `1-1024` holds `22`.
fn holds_ports(now: &Value, was: &Value) -> bool {
    let range = |value: &Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let (low, high) = text.split_once('-').unwrap_or((&text, &text));
        Some((low.trim().parse::<u32>().ok()?, high.trim().parse::<u32>().ok()?))
    };
    range(now).zip(range(was)).is_some_and(|(now, was)| now.0 <= was.0 && was.1 <= now.1)
}
