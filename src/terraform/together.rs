//! What goes, or comes, together with what it is about: a lock with what it locks, rules with a new bucket. That is no loss
//! of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::place::are_apart;
use super::references::{References, without_instances};
use crate::model::{Action, Fact, FactValue, Mutation};
use crate::wildcard::fits;

fn text<'m>(mutation: &'m Mutation, key: &str) -> Option<&'m str> {
    match mutation.facts.get(key).map(|fact| &fact.value) {
        Some(FactValue::Text(text)) => Some(text),
        _ => None,
    }
}

fn is_about_another(mutation: &Mutation) -> bool {
    matches!(text(mutation, "relation"), Some("protection" | "setting" | "member"))
}

/// Whether what a mutation is about may be of this type.
fn may_be(mutation: &Mutation, r#type: &str) -> bool {
    text(mutation, "source_types").is_none_or(|types| types.split(' ').any(|pattern| fits(pattern, r#type)))
}

/// A protection that goes with all that it protects is no loss of its own: by name, or by reference.
pub(super) fn gone(mutations: &mut [Mutation], references: &References) {
    let (mut about, others): (Vec<&mut Mutation>, Vec<&mut Mutation>) = mutations
        .iter_mut()
        .filter(|mutation| matches!(mutation.action, Action::Delete | Action::Replace))
        .partition(|mutation| is_about_another(mutation));
    if about.is_empty() {
        return;
    }
    let mut going: HashMap<&str, Vec<&Mutation>> = HashMap::new();
    let mut addresses = BTreeSet::new();
    for mutation in &others {
        if mutation.action == Action::Delete && !mutation.target.id.contains('[') {
            addresses.insert(mutation.target.id.clone());
        }
        for name in mutation.names() {
            going.entry(name).or_default().push(mutation);
        }
    }
    let who: BTreeSet<String> = about.iter().map(|mutation| without_instances(&mutation.target.id)).collect();
    let referred = references.referred(&who);
    for mutation in &mut about {
        let named = text(mutation, "source_id").and_then(|source| going.get(source)).into_iter().flatten();
        let source = text(mutation, "source_id").unwrap_or_default();
        let by_name = || {
            let mut named = named.clone();
            named.find(|other| {
                // What is made anew without its protection has none.
                let both = mutation.action == Action::Replace || other.action == Action::Delete;
                // A rule that is called by what it is about goes with nothing but itself.
                let itself = other.target.id == mutation.target.id;
                both && !itself
                    && may_be(mutation, &other.target.r#type)
                    && !are_apart(source, &mutation.facts, &other.facts)
            })
        };
        let with = by_name()
            .map(|other| other.target.id.clone())
            .or_else(|| by_reference(mutation, &referred, &addresses));
        if let Some(with) = with {
            let said = "what it is about goes with it";
            mutation.facts.insert("together".into(), Fact::new(FactValue::Bool(true), said));
            // An address says more to a person than an id.
            mutation.facts.insert("source_id".into(), Fact::new(FactValue::Text(with), said));
        }
    }
}

/// All that the attributes which say what it is about refer to goes: the first of them. Which of several instances each is about
/// no reference says.
fn by_reference(
    mutation: &Mutation,
    referred: &BTreeMap<String, Vec<(&str, &str)>>,
    going: &BTreeSet<String>,
) -> Option<String> {
    let only = !mutation.target.id.contains('[');
    let attributes = text(mutation, "setting").filter(|_| only).unwrap_or_default();
    let is_about =
        |how: &str| attributes.split(' ').any(|attribute| attribute.split(['.', '[']).next() == Some(how));
    let all = referred.get(&without_instances(&mutation.target.id)).into_iter().flatten();
    let about: Vec<&str> = all.filter(|(_, how)| is_about(how)).map(|(to, _)| *to).collect();
    let first = about.first().map(|first| (*first).to_owned());
    first.filter(|_| about.iter().all(|to| going.contains(*to)))
}

/// A setting that is made with what it is about finds nothing there: by reference, or by name.
pub(super) fn fresh(mutations: &mut [Mutation], references: &References) {
    let made = |mutation: &Mutation| mutation.action == Action::Create;
    let settings = |mutation: &Mutation| mutation.facts.contains_key("setting");
    if !mutations.iter().any(|mutation| made(mutation) && settings(mutation)) {
        return;
    }
    let (mut names, mut referring) = (BTreeSet::new(), BTreeSet::new());
    for mutation in mutations.iter().filter(|mutation| made(mutation) && !settings(mutation)) {
        names.extend(text(mutation, "identifier").map(str::to_owned));
        let direct = references.direct(&mutation.target.id).filter(|(_, how)| *how != "depends_on");
        referring.extend(direct.map(|(who, how)| (who.to_owned(), how.to_owned())));
    }
    for mutation in mutations.iter_mut().filter(|mutation| made(mutation) && settings(mutation)) {
        let named = text(mutation, "source_id").is_some_and(|source| names.contains(source));
        let plain = without_instances(&mutation.target.id);
        let attributes = text(mutation, "setting").unwrap_or_default();
        let refers =
            attributes.split(' ').any(|attribute| referring.contains(&(plain.clone(), attribute.to_owned())));
        if named || refers {
            let said = "what it is about is made by the same plan";
            mutation.facts.insert("fresh".into(), Fact::new(FactValue::Bool(true), said));
        }
    }
}
