//! Grants that an update only makes smaller: fewer people, fewer acts, a part of an address range.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::attributes::marks_any;
use super::denying;
use super::facts::Attributes;
use super::grammars;
use super::select::first_key;
use crate::knowledge::{Range, terraform_gains, terraform_signs, tool_words};
use crate::model::{Fact, FactValue, Facts};
use crate::wildcard::fits;

/// How deep attributes and policies are looked into.
const DEPTH: usize = 32;

/// The place of a rule among the others.
const PLACE: &str = "priority";

/// Whether all that changes are attributes that grant, and each grants a part of what it granted before.
/// `alone`: no other rule of its sort changes, so that its place among them says nothing.
pub(super) fn only_less(
    grants: &[String],
    changed: &BTreeSet<String>,
    attributes: &Attributes,
    alone: bool,
) -> bool {
    let less = |name: &String| {
        if name == PLACE {
            return alone && !is_closed(&attributes.after);
        }
        let side = |values: &'_ Value| values.get(name).cloned().unwrap_or(Value::Null);
        let [was, now] = [side(&attributes.before), side(&attributes.after)];
        let known = !marks_any(&side(&attributes.after_unknown));
        let goes_off =
            was == Value::Bool(true) && now == Value::Bool(false) && terraform_gains().is_off(name);
        if known && (goes_off || ends_sooner(name, &was, &now)) {
            return true;
        }
        let ports = !grants.is_empty() && was.is_array() && terraform_signs().ports.has(name);
        let given = ports || grants.iter().any(|grant| first_key(grant) == name);
        known && given && is_part(&was, &now, DEPTH)
    };
    let harmless = |name: &String| terraform_signs().is_harmless(name);
    let plain = |name: &String| harmless(name) || terraform_signs().personal.has(name);
    let given = |name: &String| grants.iter().any(|grant| first_key(grant) == name);
    if changed.iter().any(|name| !harmless(name)) && changed.iter().all(|name| plain(name) && !given(name)) {
        return true;
    }
    changed.iter().any(|name| !harmless(name)) && changed.iter().all(|name| harmless(name) || less(name))
}

/// A range whose first address comes later, or whose last one comes sooner; a right that ends, or ends sooner.
fn ends_sooner(name: &str, was: &Value, now: &Value) -> bool {
    let (was, now) = (was.as_str().unwrap_or_default(), now.as_str().unwrap_or_default());
    let order = |was, now| Range::of(was).zip(Range::of(now)).map(|(old, new)| new.place().cmp(&old.place()));
    if name.starts_with("expire") || name.ends_with("expiration_date") {
        // Dates are written from the year on.
        let date = |text: &str| text.get(..10).is_some_and(|date| date.split('-').count() == 3);
        return date(now) && (was.is_empty() || date(was) && now < was);
    }
    if name.starts_with("start_") {
        return order(was, now).is_some_and(Ordering::is_ge);
    }
    name.starts_with("end_") && order(was, now).is_some_and(Ordering::is_le)
}

/// Whether a rule that denies only gets a later place among the others, which let more through before it.
pub(super) fn denies_later(changed: &BTreeSet<String>, attributes: &Attributes) -> bool {
    let place = |side: &Value| side.get(PLACE).and_then(Value::as_i64);
    let mut telling = changed.iter().filter(|name| !terraform_signs().is_harmless(name));
    telling.next().is_some_and(|name| name == PLACE)
        && telling.next().is_none()
        && is_closed(&attributes.after)
        && place(&attributes.before) < place(&attributes.after)
}

/// Whether a rule denies, or its list of what it denies has something in it.
pub(super) fn is_closed(values: &Value) -> bool {
    values.as_object().is_some_and(denying::denies)
}

/// Tells it as a fact.
pub(super) fn tell(shrinks: bool, facts: &mut Facts) {
    if shrinks {
        let said = "it grants a part of what it granted";
        facts.insert("shrinks".to_owned(), Fact::new(FactValue::Bool(true), said));
    }
}

/// Whether all that the second lets in or allows the first does.
pub(super) fn is_part_of(was: &Value, now: &Value) -> bool {
    is_part(was, now, DEPTH)
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
    word.starts_with("not") || word == "condition" || word == "effect" || denying::denies(rule)
}

fn denies(rule: &Value) -> bool {
    rule.as_object().is_some_and(denying::denies)
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
    // Everybody, and all rights, hold any of them.
    let everybody = tool_words().grants.everybody.has(&old.to_ascii_lowercase()) && Range::of(new).is_some();
    let all = ["all", "all privileges", "all_privileges"].contains(&old.to_ascii_lowercase().as_str())
        && !new.is_empty();
    // To hand on what one has, or to own it, is no part of it.
    let hands_on = ["grant", "owner"].iter().any(|word| new.to_ascii_lowercase().contains(word));
    if everybody || all && !hands_on && new.chars().all(|c| c.is_ascii_alphabetic() || " _".contains(c)) {
        return true;
    }
    // Of patterns of another sort, all.
    if [".*", "^.*$"].contains(&old) {
        return true;
    }
    let pattern = old.contains('*') && new.chars().all(plain) && !new.is_empty();
    if sentence_less(old, new) || grammars::is_less(old, new) {
        return true;
    }
    let off = ["inactive", "disabled"].contains(&new.to_ascii_lowercase().as_str());
    off || pattern && fits(old, new)
        || terraform_signs().is_less(new, old)
        || Range::of(old).zip(Range::of(new)).is_some_and(|(wide, part)| wide.holds(part))
}

/// `Allow group a to read buckets in tenancy` after `… to manage …`: the same words, but one that stands for less.
fn sentence_less(old: &str, new: &str) -> bool {
    let begins = |text: &str| text.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("allow "));
    // Rules of the form `key_prefix "app/" { policy = "write" }`.
    let rules = |text: &str| text.contains('{') && text.contains("policy");
    if !(begins(old) && begins(new) || rules(old) && rules(new)) {
        return false;
    }
    let [old, new] = [old, new].map(|text| text.split_whitespace().collect::<Vec<_>>());
    let bare = |word: &'_ str| word.trim_matches('"').to_owned();
    // What is more exact counts instead of what is less so: beside another rule a smaller part may let that one in.
    let alone = || old.iter().filter(|word| word.ends_with('{')).count() == 1 && !old.contains(&"\"deny\"");
    let less = |at: usize| {
        let (was, now) = (bare(old[at]), bare(new[at]));
        let part = at > 0 && old[at - 1].ends_with("_prefix") && now.starts_with(&was) && alone();
        was.eq_ignore_ascii_case(&now) || part || terraform_signs().is_less(&now, &was)
    };
    old.len() == new.len() && (0..old.len()).all(less)
}

/// What a policy of `path "…" { … }` says of a path.
#[derive(Default, PartialEq)]
struct Path<'t> {
    acts: BTreeSet<&'t str>,
    /// Bounds on what is handed over.
    rest: BTreeSet<&'t str>,
}

/// All its paths; `None`: it says something else, too.
fn paths(text: &str) -> Option<BTreeMap<&str, Path<'_>>> {
    let mut found: BTreeMap<&str, Path<'_>> = BTreeMap::new();
    let mut rest = uncommented(text);
    while !rest.is_empty() {
        let (path, after) = rest.strip_prefix("path")?.trim_start().strip_prefix('"')?.split_once('"')?;
        let (body, after) = after.trim_start().strip_prefix('{')?.split_once('}')?;
        let (front, list) = body.split_once("capabilities")?;
        let (list, back) =
            list.trim_start().strip_prefix('=')?.trim_start().strip_prefix('[')?.split_once(']')?;
        let said = found.entry(path).or_default();
        let acts =
            list.lines().filter(|line| !line.trim_start().starts_with('#')).flat_map(|line| line.split(','));
        said.acts.extend(acts.map(|act| act.trim().trim_matches('"')).filter(|act| !act.is_empty()));
        let lines = front.lines().chain(back.lines()).map(str::trim);
        said.rest.extend(lines.filter(|line| !line.is_empty() && !line.starts_with('#')));
        rest = uncommented(after);
    }
    (!found.is_empty()).then_some(found)
}

/// Without the lines at the beginning that only people read.
fn uncommented(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with('#') || rest.starts_with("//") {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    rest
}

/// What a policy says of a path: of several that fit the most exact one counts. What is allowed, within which bounds, and
/// whether it denies.
fn said_of<'t>(
    all: &BTreeMap<&'t str, Path<'t>>,
    path: &str,
) -> Option<(BTreeSet<&'t str>, BTreeSet<&'t str>, bool)> {
    let fitting = all.iter().filter(|(own, _)| fits(&own.replace('+', "*"), path));
    let (_, said) = fitting.max_by_key(|(own, _)| (own.split('*').next().unwrap_or(own).len(), own.len()))?;
    let denied = said.acts.contains("deny");
    let acts = if denied { BTreeSet::new() } else { said.acts.clone() };
    Some((acts, said.rest.clone(), denied))
}

/// Whether each path may do no more than before.
fn acts_less(old: &BTreeMap<&str, Path<'_>>, new: &BTreeMap<&str, Path<'_>>) -> bool {
    old.keys().chain(new.keys()).all(|path| match (said_of(old, path), said_of(new, path)) {
        // Another policy may allow what this one denied.
        (Some((_, _, was)), Some((_, _, is))) if was != is => is,
        (Some((was, old, _)), Some((is, new, _))) => is.is_subset(&was) && (old == new || is.is_empty()),
        (Some((_, _, denied)), None) => !denied,
        (None, Some((is, _, _))) => is.is_empty(),
        (None, None) => true,
    })
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
        let told = |verb: &str| json!([format!("Allow group a to {verb} buckets in tenancy")]);
        assert!(
            is_part(&told("manage"), &told("read"), DEPTH) && !is_part(&told("read"), &told("use"), DEPTH)
        );
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
