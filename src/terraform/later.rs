//! What decides who may do what, or what is deleted, and is known only after the apply.

use std::collections::HashSet;
use std::sync::OnceLock;

use serde_json::Value;
use serde_json::value::RawValue;

use super::attributes::marks_any;
use super::beside::Beside;
use super::classify;
use super::facts::Attributes;
use super::openings;
use crate::knowledge::terraform_signs;
use crate::model::{Action, FactValue};

/// How deep the marks of what is not known yet are looked into.
const DEPTH: usize = 24;

/// Whether what is not known yet can be of that sort at all.
pub(super) fn may_be(unknown: &RawValue) -> bool {
    // Each change of a long plan is asked, and the lists are long.
    static NAMES: OnceLock<HashSet<&str>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let signs = terraform_signs();
        signs.decides.iter().chain(signs.deletes.iter()).collect()
    });
    unknown.get().split('"').skip(1).step_by(2).any(|name| names.contains(name))
}

/// What of it a change leaves open. `gives` tells whether the configuration gives an attribute.
pub(super) fn of(
    r#type: &str,
    action: Action,
    attributes: &Attributes,
    gives: impl Fn(&str) -> Option<bool>,
) -> Option<Beside> {
    let (before, after) = (&attributes.before, &attributes.after);
    let made = action == Action::Create;
    let about = about(after);
    // What is made together with what it is about finds nothing there.
    if made && about.is_none()
        || openings::is_way(r#type)
        || after.as_object().is_some_and(openings::is_closed)
    {
        return None;
    }
    let deletes = classify::guess(r#type).class == "expiry";
    for (name, mark) in attributes.after_unknown.as_object().into_iter().flatten() {
        let is_set =
            || if made { gives(name) != Some(false) } else { !before.get(name).is_none_or(Value::is_null) };
        if !marks_any(mark) || !is_set() && gives(name) != Some(true) {
            continue;
        }
        let signs = terraform_signs();
        let kind = if signs.deletes.has(name)
            && (deletes || name.contains("lifecycle") || name.contains("cleanup"))
        {
            "expiry.later"
        } else if !deletes && decides(name, mark, DEPTH) {
            "access.later"
        } else {
            continue;
        };
        let mut found = Beside::new(if made { Action::Create } else { Action::Update }, kind);
        found.tell("attribute", FactValue::Text(name.clone()));
        if let Some((attribute, value)) = about {
            found.tell("relation", FactValue::Text("setting".to_owned()));
            found.tell("setting", FactValue::Text(attribute.to_owned()));
            found.tell("source_id", FactValue::Text(value.to_owned()));
        }
        return Some(found);
    }
    None
}

/// What a setting or a rule is about: the attribute that names it, and its name.
pub(super) fn about(values: &Value) -> Option<(&'static str, &str)> {
    let named = |name: &&'static str| values.get(*name)?.as_str().filter(|value| !value.is_empty());
    terraform_signs().about.iter().find_map(|name| Some((name, named(&name)?)))
}

/// The parts that are not known yet by themselves, and not only a reference beside them.
fn decides(name: &str, mark: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    let signs = terraform_signs();
    match mark {
        Value::Bool(true) => signs.decides.has(name),
        Value::Array(list) => list.iter().any(|mark| decides(name, mark, depth)),
        Value::Object(map) => map.iter().any(|(name, mark)| {
            !signs.ways.iter().any(|part| name.contains(part)) && decides(name, mark, depth)
        }),
        _ => false,
    }
}
