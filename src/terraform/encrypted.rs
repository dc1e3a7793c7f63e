//! What stays and is encrypted with a key that goes: it says so by the key's name, in the plan or in the state before it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use serde_json::value::RawValue;

use super::plan::{Plan, StateModule};
use super::said::printable;
use crate::model::{Action, ENCRYPTS, Fact, FactValue, Mutation, Source};

/// How deep attributes and modules are looked into.
const DEPTH: usize = 24;
/// Keys of one plan that are looked for, and things that are named for each.
const KEYS: usize = 64;
const NAMED: usize = 3;

/// Parts of attributes' names that say what a thing is encrypted with.
const BY: [&str; 6] = ["kms", "encrypt", "cmk", "customer_managed_key", "key_vault_key", "key_id"];

/// Whether a type is of keys themselves, and not of what is said of them.
fn is_key(r#type: &str) -> bool {
    let keys = ["kms", "crypto_key", "key_vault_key", "disk_encryption_set", "key_management"];
    let ends = ["key", "key_version", "disk_encryption_set", "kms"];
    keys.iter().any(|part| r#type.contains(part)) && ends.iter().any(|end| r#type.ends_with(end))
}

/// Tells it of each key that goes.
pub(super) fn tell(mutations: &mut [Mutation], plan: &Plan) {
    let mut keys: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (at, mutation) in mutations.iter().enumerate() {
        let goes = mutation.action == Action::Delete && mutation.source == Source::Terraform;
        if keys.len() < KEYS && goes && is_key(&mutation.target.r#type) {
            // Short names are names of other things, too.
            let names = mutation.names().filter(|name| name.contains([':', '/', '-'])).map(str::to_owned);
            keys.insert(at, names.collect());
        }
    }
    if keys.is_empty() {
        return;
    }
    let mut found: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let mut look = |address: &str, values: &RawValue| {
        for (key, names) in &keys {
            let text = values.get();
            if names.iter().any(|name| text.contains(name.as_str()))
                && serde_json::from_str(text).is_ok_and(|values: Value| uses("", &values, names, DEPTH))
            {
                found.entry(*key).or_default().insert(address.to_owned());
            }
        }
    };
    let mut known = BTreeSet::new();
    for change in plan.resource_changes.iter().flatten().filter(|change| change.mode != "data") {
        known.insert(change.address.as_str());
        if !change.change.actions.iter().any(|action| action == "delete") && !is_key(&change.r#type) {
            look(&change.address, &change.change.after);
        }
    }
    let prior = plan.prior_state.as_ref().and_then(|state| state.values.as_ref());
    if let Some(root) = prior.and_then(|values| values.root_module.as_ref()) {
        state(root, &known, &mut look, DEPTH);
    }
    for (at, addresses) in found {
        let mut said: Vec<String> = addresses.iter().take(NAMED).map(|address| printable(address)).collect();
        if addresses.len() > NAMED {
            said.push(format!("{} more", addresses.len() - NAMED));
        }
        let said = said.join(", ");
        let fact = Fact::new(FactValue::Text(said.clone()), format!("{said} stays and is encrypted with it"));
        mutations[at].facts.insert(ENCRYPTS.to_owned(), fact);
    }
}

/// What is in the state alone stays as it is.
fn state(module: &StateModule, known: &BTreeSet<&str>, look: &mut impl FnMut(&str, &RawValue), depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for resource in &module.resources {
        if resource.mode != "data" && !known.contains(resource.address.as_str()) && !is_key(&resource.r#type)
        {
            look(&resource.address, &resource.values);
        }
    }
    module.child_modules.iter().for_each(|child| state(child, known, look, depth));
}

/// Whether an attribute that says what it is encrypted with is one of these names.
fn uses(key: &str, value: &Value, names: &[String], depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match value {
        Value::Object(map) => map.iter().any(|(name, inner)| {
            let key = if BY.iter().any(|part| name.contains(part)) { name } else { key };
            uses(key, inner, names, depth)
        }),
        Value::Array(list) => list.iter().any(|inner| uses(key, inner, names, depth)),
        // A key's versions have names below its own.
        Value::String(text) => {
            !key.is_empty()
                && names.iter().any(|name| {
                    text.strip_prefix(name.as_str())
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                })
        }
        _ => false,
    }
}
