//! What a change does besides: protections that it takes away, parts of the resource that go, access that it gives. Each is a
//! mutation of its own.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::amounts;
use super::attributes::{Attribute, each, lookup};
use super::diff::Leaf;
use super::facts::Attributes;
use super::grants;
use super::guards;
use super::protections::{is_on, is_weaker};
use super::said::{PLANNED, printable, show};
use crate::knowledge::{TerraformType, Words};
use crate::model::{Action, Fact, FactValue, Facts, Mutation};

/// One such effect.
pub(super) struct Beside {
    action: Action,
    kind: String,
    facts: Facts,
}

impl Beside {
    pub(super) fn new(action: Action, kind: &str) -> Self {
        Self { action, kind: kind.to_owned(), facts: Facts::new() }
    }

    pub(super) fn is_grant(&self) -> bool {
        self.action == Action::Grant
    }

    /// Found by an attribute's name, not by the type's data.
    pub(super) fn is_by_name(&self) -> bool {
        self.facts.contains_key("attribute")
    }

    /// Nothing of it is left.
    pub(super) fn leaves_nothing(&self) -> bool {
        self.facts.get("left").is_none_or(|left| !is_on(&left.value))
    }

    /// It is about an attribute whose own name is one of these.
    pub(super) fn is_of(&self, names: &Words) -> bool {
        self.facts.get("attribute").is_some_and(|fact| match &fact.value {
            FactValue::Text(path) => names.has(path.rsplit('.').next().unwrap_or(path)),
            _ => false,
        })
    }

    /// How loosely it is known: the name of an attribute says less than what is listed.
    fn looseness(&self) -> usize {
        const LOOSE: [&str; 5] =
            ["protection.word", "protection.switch", "service.stopped", "protection.unclear", "service.part"];
        LOOSE.iter().position(|kind| *kind == self.kind).map_or(0, |at| at + 1)
    }

    /// Whether another effect says of the same attribute what it does, and knows it better.
    fn is_said_by(&self, other: &Self) -> bool {
        let attribute = |one: &Self| one.facts.get("attribute").map(|fact| fact.value.clone());
        let same = attribute(self).is_some() && attribute(self) == attribute(other);
        same && !other.is_grant() && other.looseness() < self.looseness()
    }

    pub(super) fn kind(&self) -> &str {
        &self.kind
    }

    pub(super) fn tell(&mut self, key: &str, value: FactValue) {
        self.facts.insert(key.to_owned(), Fact::new(value, PLANNED));
    }

    #[cfg(test)]
    pub(super) fn told(&self, key: &str) -> bool {
        self.facts.contains_key(key)
    }

    /// The effect as a mutation of what `change` changes.
    pub(super) fn mutation(self, change: &Mutation) -> Mutation {
        let mut facts = self.facts;
        if let Some(identifier) = change.facts.get("identifier") {
            facts.insert("identifier".to_owned(), identifier.clone());
        }
        Mutation { action: self.action, kind: self.kind, facts, dependents: Vec::new(), ..change.clone() }
    }
}

/// The change itself, and all that it does besides; of those that were found by a name alone each kind once.
pub(super) fn tell(made: Mutation, mut found: Vec<Beside>, out: &mut Vec<Mutation>) {
    if found.len() > 1 {
        let worse: Vec<bool> =
            found.iter().map(|one| found.iter().any(|other| one.is_said_by(other))).collect();
        let mut worse = worse.into_iter();
        found.retain(|_| !worse.next().unwrap_or_default());
        let mut kinds = BTreeSet::new();
        found.retain(|more| kinds.insert(more.kind().to_owned()) || !more.is_by_name());
    }
    let at = out.len();
    out.push(made);
    for beside in found {
        let more = beside.mutation(&out[at]);
        out.push(more);
    }
}

/// A setting that is made anew with other rules does what the new ones say.
pub(super) fn anew(declared: &TerraformType, action: Action, longer: bool) -> Option<Beside> {
    let setting = declared.relation.as_deref() == Some("setting");
    let made = declared.made.as_ref().unwrap_or(&declared.kind);
    (setting && action == Action::Replace && !longer).then(|| Beside::new(Action::Create, made))
}

/// Attributes of a thing that holds content, of which nobody said what their change does to it.
pub(super) fn untold(names: &[String]) -> Option<Beside> {
    if names.is_empty() {
        return None;
    }
    let mut beside = Beside::new(Action::Update, "terraform.untold");
    beside.tell("names", FactValue::Text(printable(&names.join(", "))));
    Some(beside)
}

/// A guard that is switched off does what its removal does.
pub(super) fn off(declared: &TerraformType, leaves: &[Leaf]) -> Option<Beside> {
    const SWITCHES: [&str; 6] = ["enabled", "is_enabled", "active", "status", "state", "enforcement"];
    let kind = declared.removed.as_ref().filter(|kind| kind.starts_with("protection."))?;
    let leaf = leaves.iter().find(|leaf| {
        let off = leaf.now.as_ref().is_some_and(|now| !is_on(now));
        SWITCHES.contains(&leaf.path.as_str()) && leaf.was.as_ref().is_some_and(is_on) && off && !leaf.unknown
    })?;
    let mut beside = Beside::new(Action::Update, kind);
    beside.tell("attribute", FactValue::Text(leaf.path.clone()));
    Some(beside)
}

/// All of them that the type's data tells. `facts` are those of the change.
pub(super) fn of(
    declared: &TerraformType,
    attributes: &Attributes,
    action: Action,
    facts: &Facts,
) -> Vec<Beside> {
    let mut found = Vec::new();
    if action == Action::Update {
        found.extend(taken(declared, attributes, facts));
        found.extend(parts(declared, attributes));
    }
    if matches!(action, Action::Update | Action::Create | Action::Replace) {
        found.extend(opened(declared, attributes));
    }
    found
}

/// What an update takes away of what protects the resource's content.
fn taken(declared: &TerraformType, attributes: &Attributes, facts: &Facts) -> Vec<Beside> {
    let value = |key: &str| facts.get(key).map(|fact| &fact.value);
    let mut found = Vec::new();
    for (entry, kind) in &declared.protects {
        let (fact, values) = TerraformType::protecting(entry);
        let Some(was) = value(&format!("was.{fact}")) else { continue };
        let now = value(fact);
        let weaker = match values {
            Some(values) => {
                let values: Vec<&str> = values.collect();
                let is_one =
                    |value: &FactValue| values.iter().any(|known| known.eq_ignore_ascii_case(&show(value)));
                is_one(was) && !now.is_some_and(is_one)
            }
            None => is_weaker(was, now, declared.endless.iter().any(|endless| endless == fact)),
        };
        if !weaker {
            continue;
        }
        let path = declared.facts.get(fact).map_or("", String::as_str);
        let plain = path.split('|').next().unwrap_or(path).trim_start_matches('!');
        let later = lookup(&attributes.after, &Value::Null, &attributes.after_unknown, plain);
        if now.is_none() && later == Attribute::Hidden {
            found.push(guards::later(plain, kind));
            continue;
        }
        let mut told = Facts::new();
        told.insert("had".to_owned(), Fact::new(was.clone(), PLANNED));
        if let Some(now) = facts.get(fact) {
            told.insert("left".to_owned(), now.clone());
        }
        if let Some((key, value)) = amounts::kept(path, now) {
            told.insert(key.to_owned(), Fact::new(value, PLANNED));
        }
        found.push(Beside { action: Action::Update, kind: kind.clone(), facts: told });
    }
    found
}

/// Elements of lists that an update takes away.
fn parts(declared: &TerraformType, attributes: &Attributes) -> Vec<Beside> {
    let mut found = Vec::new();
    for (path, kind) in &declared.parts {
        let elements = |side| {
            let all = each(side, path)?;
            Some(all.iter().map(plain).collect::<BTreeSet<String>>())
        };
        let Some(was) = elements(attributes.before()) else { continue };
        // Elements that are known only after the apply may be others.
        let now = elements(attributes.after()).unwrap_or_default();
        let gone: Vec<&str> = was.difference(&now).map(String::as_str).collect();
        if gone.is_empty() {
            continue;
        }
        let names = printable(&gone.join(", "));
        let mut told = Facts::new();
        told.insert("gone".to_owned(), Fact::new(FactValue::Text(names), PLANNED));
        let left = FactValue::Number(i64::try_from(now.len()).unwrap_or(i64::MAX));
        told.insert("left".to_owned(), Fact::new(left, PLANNED));
        told.insert(
            "definition".to_owned(),
            Fact::new(FactValue::Bool(true), "the plan holds its definition"),
        );
        found.push(Beside { action: Action::Delete, kind: kind.clone(), facts: told });
    }
    found
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Attributes that open the resource to everybody and did not before.
fn opened(declared: &TerraformType, attributes: &Attributes) -> Option<Beside> {
    let (mut names, mut named) = (Vec::new(), Vec::new());
    for opening in declared.opens.iter().map(|entry| TerraformType::opening(entry)) {
        let says =
            |name: &str, value: &str| attributes.after.get(name).is_some_and(|now| plain(now) == value);
        let kept = opening.unless.is_some_and(|(other, value)| says(other, value));
        let name = opening.attribute;
        if kept || attributes.before.get(name) == attributes.after.get(name) {
            continue;
        }
        match opening.values.iter().find(|value| says(name, value)) {
            Some(value) => named.push(format!("{name} = {value}")),
            None if opening.values.is_empty() => names.push(name.to_owned()),
            None => {}
        }
    }
    if names.is_empty() && named.is_empty() {
        return None;
    }
    let (mut was, mut now) = (Facts::new(), Facts::new());
    grants::tell(&names, &attributes.before, &mut was);
    grants::tell(&names, &attributes.after, &mut now);
    switched(&names, &attributes.after, &mut now);
    for word in named {
        let fact = || Fact::new(FactValue::Text(printable(&word)), PLANNED);
        now.entry("everybody".to_owned()).or_insert_with(fact);
    }
    // What lets nothing in opens nothing, and what was open before is not opened.
    if now.contains_key("closed") {
        return None;
    }
    now.retain(|key, _| !was.contains_key(key));
    (!now.is_empty()).then(|| Beside { action: Action::Grant, kind: "access".to_owned(), facts: now })
}

/// A switch that is on, and a name of a way of access that means everybody.
fn switched(names: &[String], after: &Value, facts: &mut Facts) {
    const OPEN: [&str; 6] = ["enabled", "public", "external", "blob", "container", "all"];
    let none = Map::new();
    let after = after.as_object().unwrap_or(&none);
    for name in names {
        let word = match after.get(name) {
            Some(Value::Bool(true)) => format!("{name} = true"),
            Some(Value::String(text)) if OPEN.contains(&text.to_ascii_lowercase().as_str()) => {
                format!("{name} = {text}")
            }
            _ => continue,
        };
        let fact = || Fact::new(FactValue::Text(printable(&word)), PLANNED);
        facts.entry("everybody".to_owned()).or_insert_with(fact);
    }
}
