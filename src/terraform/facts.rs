//! What a type's data names among the attributes of a change, as facts.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::value::RawValue;

use super::amounts::number;
use super::attributes::{Attribute, Side, each, lookup, parse_default};
use super::place::{NAMED, Place};
use super::plan::ResourceChange;
use super::protections::is_on;
use super::provider::Settings;
use super::said::PLANNED;
use super::select::select;
use super::state::Others;
use crate::knowledge::{Related, TerraformType};
use crate::model::{Action, Fact, FactValue, Facts, NAMES, PLACE};

/// What of a change's attributes somebody asks for.
pub(super) struct Attributes {
    pub(super) before: Value,
    pub(super) before_sensitive: Value,
    pub(super) after: Value,
    pub(super) after_sensitive: Value,
    pub(super) after_unknown: Value,
}

impl Attributes {
    pub(super) fn of(change: &ResourceChange, wanted: &[String]) -> Result<Self, serde_json::Error> {
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let part = |raw: &RawValue| select(raw, &wanted);
        let body = &change.change;
        Ok(Self {
            before: part(&body.before)?,
            before_sensitive: part(&body.before_sensitive)?,
            after: part(&body.after)?,
            after_sensitive: part(&body.after_sensitive)?,
            after_unknown: part(&body.after_unknown)?,
        })
    }

    /// All of them: for changes that are read whole in any case.
    pub(super) fn whole(change: &ResourceChange) -> Result<Self, serde_json::Error> {
        let part = |raw: &RawValue| serde_json::from_str(raw.get());
        let body = &change.change;
        Ok(Self {
            before: part(&body.before)?,
            before_sensitive: part(&body.before_sensitive)?,
            after: part(&body.after)?,
            after_sensitive: part(&body.after_sensitive)?,
            after_unknown: part(&body.after_unknown)?,
        })
    }

    pub(super) fn before(&self) -> Side<'_> {
        (&self.before, &self.before_sensitive, &Value::Null)
    }

    pub(super) fn after(&self) -> Side<'_> {
        (&self.after, &self.after_sensitive, &self.after_unknown)
    }
}

/// A word may say that a protection is off.
fn said_off(name: &str, value: FactValue) -> FactValue {
    let off = name == "deletion_protection" && matches!(value, FactValue::Text(_)) && !is_on(&value);
    if off { FactValue::Bool(false) } else { value }
}

/// What the type's data names among the attributes.
pub(super) fn collect(
    (declared, siblings, r#type): (&TerraformType, Option<&Related>, &str),
    attributes: &Attributes,
    settings: &Settings<'_>,
    action: Action,
    others: &Others<'_>,
    facts: &mut Facts,
) {
    let (before, after) = (attributes.before(), attributes.after());
    let now = if matches!(action, Action::Create | Action::Update) { after } else { before };
    let get = |side, path: &str| settings.fact(path).unwrap_or_else(|| fact(side, path));
    for (name, path) in &declared.facts {
        let get = |side, path: &str| get(side, path).map(|value| said_off(name, value));
        if let Some(value) = get(now, path) {
            if action == Action::Update {
                let was = get(before, path);
                if was.as_ref() != Some(&value) {
                    facts.insert(format!("changed.{name}"), Fact::new(FactValue::Bool(true), PLANNED));
                }
                if let Some(was) = was {
                    lowered(name, &was, &value, facts);
                    facts.insert(format!("was.{name}"), Fact::new(was, PLANNED));
                }
            }
            facts.insert(name.clone(), Fact::new(value, PLANNED));
        } else if action == Action::Update
            && let Some(was) = get(before, path)
        {
            facts.insert(format!("was.{name}"), Fact::new(was, PLANNED));
        }
    }
    let goes = matches!(action, Action::Delete | Action::Replace);
    let asks = goes || siblings.is_some() || !declared.related.is_empty();
    let place = if asks { Place::of(r#type, now) } else { Place::default() };
    if goes && let Some(said) = place.said() {
        facts.insert(PLACE.to_owned(), Fact::new(FactValue::Text(said), "where it is"));
    }
    let names = names(&declared.id, attributes);
    if let Some(first) = names.first() {
        facts.insert("identifier".into(), Fact::new(FactValue::Text(first.clone()), "what it is called"));
    }
    if matches!(action, Action::Delete | Action::Replace) {
        let own = NAMED.into_iter().filter_map(|path| text(before, path));
        let all: BTreeSet<String> = own.chain(names.iter().cloned()).collect();
        let said = all.into_iter().collect::<Vec<_>>().join("\n");
        facts.insert(NAMES.to_owned(), Fact::new(FactValue::Text(said), "what others may call it"));
    }
    if let Some(relation) = &declared.relation
        && let Some(source) = self::names(&declared.source, attributes).into_iter().next()
    {
        facts
            .insert("relation".into(), Fact::new(FactValue::Text(relation.clone()), "what it is to another"));
        facts.insert("source_id".into(), Fact::new(FactValue::Text(source.clone()), "what it is about"));
        if !declared.of.is_empty() {
            let types = FactValue::Text(declared.of.join(" "));
            facts.insert("source_types".into(), Fact::new(types, "what that may be"));
        }
        // Its siblings are those of its own type that name the same source.
        if let Some(siblings) = siblings
            && let Some((FactValue::Number(0), _)) =
                others.related(siblings, std::slice::from_ref(&source), &place)
        {
            facts.insert(
                "last-member".into(),
                Fact::new(FactValue::Bool(true), "no other one stays in the state"),
            );
        }
    }
    if matches!(declared.relation.as_deref(), Some("setting" | "protection")) {
        let attributes = FactValue::Text(declared.source.join(" "));
        facts.insert("setting".into(), Fact::new(attributes, "where it says what it is about"));
    }
    for related in &declared.related {
        if let Some((value, said)) = others.related(related, &names, &place) {
            facts.insert(related.fact.clone(), Fact::new(value, said));
        }
    }
}

/// What the attributes at these paths say, before or else after the change.
pub(super) fn names(paths: &[String], attributes: &Attributes) -> Vec<String> {
    let (before, after) = (attributes.before(), attributes.after());
    paths.iter().filter_map(|path| text(before, path).or_else(|| text(after, path))).collect()
}

/// A number that goes down; of a time without end, 0, any number.
fn lowered(name: &str, was: &FactValue, now: &FactValue, facts: &mut Facts) {
    if let (Some(was), Some(now)) = (number(was), number(now))
        && (now < was || (was == 0 && now > 0))
    {
        let key = if now < was { "lowered" } else { "limited" };
        facts.insert(format!("{key}.{name}"), Fact::new(FactValue::Bool(true), PLANNED));
    }
}

pub(super) fn fact((values, sensitive, unknown): Side<'_>, declared: &str) -> Option<FactValue> {
    let (path, default) = declared.split_once('|').map_or((declared, None), |(p, d)| (p, Some(d)));
    let found = if path.contains("[]") {
        let set = |value: &&Value| !matches!(value, Value::Null | Value::Bool(false)) && !is_empty(value);
        // How many there are is no secret.
        each((values, &Value::Null, unknown), path)
            .map(|all| count(all.iter().filter(|value| set(value)).count()))
    } else {
        Some(lookup(values, sensitive, unknown, path))
    };
    match found? {
        Attribute::Known(value) => Some(value),
        // Without any attributes nothing is known, not even that the default holds.
        Attribute::Absent if values.is_object() => default.map(parse_default),
        Attribute::Absent | Attribute::Hidden => None,
    }
}

fn count(number: usize) -> Attribute {
    Attribute::Known(FactValue::Number(i64::try_from(number).unwrap_or(i64::MAX)))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

pub(super) fn text(side: Side<'_>, path: &str) -> Option<String> {
    match fact(side, path)? {
        FactValue::Text(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}
