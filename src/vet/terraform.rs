//! Terraform types: the kind exists, its cases ask for the facts, and every example gets its tier.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::evaluate::Input;
use crate::knowledge::{TerraformExample, TerraformType, did_you_mean};
use crate::terraform;

use super::examples::judged;
use super::tools::kind_hint;
use super::{Vet, below};

/// What may happen to a resource in an example.
const CHANGES: [&str; 4] = ["create", "update", "delete", "replace"];

/// The provider of an example's resource.
const PROVIDER: &str = "registry.terraform.io/hashicorp/x";

/// What a resource may be of another.
const RELATIONS: [&str; 5] = ["backup", "replica", "protection", "member", "setting"];

pub(super) fn check(vet: &mut Vet<'_>) {
    let pack = vet.pack;
    for part in &pack.terraform {
        let (name, declared) = (&part.name, &part.it);
        if vet.knowledge.kind(&declared.kind).is_none() {
            let hint = kind_hint(vet.knowledge, &declared.kind);
            let what = format!("{name}: kind `{}` is not declared{hint}", declared.kind);
            vet.tell(&below(&part.at, &["kind"]), what);
            continue;
        }
        for (key, kind) in declared.more_kinds() {
            if vet.knowledge.kind(kind).is_none() {
                let hint = kind_hint(vet.knowledge, kind);
                let what = format!("{name}: kind `{kind}` is not declared{hint}");
                vet.tell(&below(&part.at, &[key]), what);
            }
        }
        let facts = || declared.facts.keys().map(String::as_str);
        let protecting: BTreeSet<&str> =
            declared.protects.keys().map(|entry| TerraformType::protecting(entry).0).collect();
        for fact in protecting.iter().copied().chain(declared.endless.iter().map(String::as_str)) {
            if !declared.facts.contains_key(fact) {
                let what = format!("{name}: `{fact}` is none of its facts{}", did_you_mean(fact, facts()));
                vet.tell(&below(&part.at, &["protects", fact]), what);
            }
        }
        if let Some(path) = declared.parts.keys().find(|path| !path.contains("[]")) {
            let what =
                format!("{name}: `{path}` leads through no list; write `list[].attribute`, or `list[]`");
            vet.tell(&below(&part.at, &["parts", path]), what);
        }
        if let Some(relation) = declared.relation.as_deref().filter(|one| !RELATIONS.contains(one)) {
            let hint = did_you_mean(relation, RELATIONS);
            let what = format!("{name}: `{relation}` is none of {}{hint}", RELATIONS.join(", "));
            vet.tell(&below(&part.at, &["relation"]), what);
        }
        let related = declared.related.iter().map(|related| (&related.fact, "related"));
        for (fact, place) in declared.facts.keys().map(|fact| (fact, "facts")).chain(related) {
            if protecting.contains(fact.as_str()) {
                continue;
            }
            let others = declared.removed.iter().chain(&declared.made);
            if others.into_iter().any(|kind| vet.facts.unasked(kind, fact).is_none()) {
                continue;
            }
            if let Some(hint) = vet.facts.unasked(&declared.kind, fact) {
                let what = format!("{name}: nobody asks a `{}` for `{fact}`{hint}", declared.kind);
                vet.tell(&below(&part.at, &[place, fact]), what);
            }
        }
        if declared.example.is_empty() {
            vet.tell(&part.at, format!("{name} has no example"));
        }
        for (number, example) in declared.example.iter().enumerate() {
            if let Err(why) = of_example(vet, name, example) {
                vet.tell(&below(&part.at, &["example", &number.to_string()]), format!("{name}: {why}"));
            }
        }
    }
}

fn of_example(vet: &Vet<'_>, name: &str, example: &TerraformExample) -> Result<(), String> {
    if !CHANGES.contains(&example.change.as_str()) {
        let hint = did_you_mean(&example.change, CHANGES);
        return Err(format!("`{}` is none of {}{hint}", example.change, CHANGES.join(", ")));
    }
    let text = plan(name, example).to_string();
    let read = terraform::read(text.as_bytes()).map_err(|error| error.to_string())?;
    let done = judged(Input::terraform(read), "/", vet.knowledge);
    let worst = done.report.mutations.iter().map(|one| &one.recoverability).max_by_key(|one| {
        crate::model::Tier::from_number(one.tier).map_or(u8::MAX, crate::model::Tier::severity)
    });
    let Some(found) = worst else { return Err("no change comes of the example".to_owned()) };
    if found.reasoning.contains('{') {
        return Err(format!("a placeholder was left open: {}", found.reasoning));
    }
    if found.tier != example.tier {
        let (change, tier) = (&example.change, example.tier);
        return Err(format!("{change} is of tier {} ({}), not {tier}", found.tier, found.reasoning));
    }
    Ok(())
}

/// The plan of an example: one change, and what else is in the state.
fn plan(name: &str, example: &TerraformExample) -> Value {
    let actions = match example.change.as_str() {
        "replace" => json!(["delete", "create"]),
        other => json!([other]),
    };
    let before = serde_json::to_value(&example.before).unwrap_or_default();
    let after = serde_json::to_value(&example.after).unwrap_or_default();
    let (before, after) = match example.change.as_str() {
        "create" => (Value::Null, after),
        "delete" => (before, Value::Null),
        "replace" => (before.clone(), before),
        _ => (before, after),
    };
    let state: Vec<Value> = example
        .state
        .iter()
        .map(|(kind, values)| {
            json!({"address": format!("{kind}.other"), "mode": "managed", "type": kind, "name": "other", "values": values})
        })
        .collect();
    let settings = constants(&serde_json::to_value(&example.provider).unwrap_or_default());
    json!({
        "format_version": "1.2",
        "configuration": {"provider_config": {"x": {"full_name": PROVIDER, "expressions": settings}}},
        "resource_changes": [{"address": format!("{name}.it"), "mode": "managed", "type": name, "name": "it",
            "provider_name": PROVIDER,
            "change": {"actions": actions, "before": before, "after": after, "after_unknown": {}}}],
        "prior_state": {"format_version": "1.0", "values": {"root_module": {"resources": state}}}
    })
}

/// Values as a plan's configuration writes them down.
fn constants(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, inner)| (key.clone(), constants(inner))).collect())
        }
        Value::Array(list) => Value::Array(list.iter().map(constants).collect()),
        plain => json!({"constant_value": plain}),
    }
}
