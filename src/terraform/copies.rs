//! What was made from what goes: the replica or backup that stays, and the copy of which another resource says whose copy it is.

use std::collections::{BTreeMap, HashMap};

use super::attributes::each;
use super::facts::{self, Attributes, names};
use super::known::Known;
use super::place::{Place, are_apart};
use super::plan::ResourceChange;
use super::said::printable;
use super::select::first_key;
use crate::knowledge::TerraformType;
use crate::model::{Action, Fact, FactValue, Facts, Mutation, PLACE, STAYS, Source};
use crate::wildcard::fits;

/// Copies of one thing that are named.
const NAMED: usize = 3;

/// What goes in a plan, by all that it may be called.
struct Going<'m> {
    by_name: HashMap<&'m str, Vec<usize>>,
    mutations: &'m [Mutation],
}

impl<'m> Going<'m> {
    fn of(mutations: &'m [Mutation]) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, mutation) in mutations.iter().enumerate() {
            if mutation.source == Source::Terraform && is_gone(mutation) {
                mutation.names().for_each(|name| by_name.entry(name).or_default().push(at));
            }
        }
        Self { by_name, mutations }
    }

    /// Those of a name, and of one of the types, where any are told.
    fn called<'a>(
        &'a self,
        name: &'a str,
        types: &'a [String],
        (kind, by): (&str, &'a Attributes),
    ) -> impl Iterator<Item = usize> + 'a {
        let found = self.by_name.get(name).into_iter().flatten().copied();
        let mut facts = Facts::new();
        if let Some(said) = Place::of(kind, by.before()).said() {
            facts.insert(PLACE.to_owned(), Fact::new(FactValue::Text(said), "where it is"));
        }
        found.filter(move |at| {
            let mutation = &self.mutations[*at];
            let r#type = &mutation.target.r#type;
            !are_apart(name, &facts, &mutation.facts)
                && (types.is_empty() || types.iter().any(|pattern| fits(pattern, r#type)))
        })
    }
}

fn is_gone(mutation: &Mutation) -> bool {
    matches!(mutation.action, Action::Delete | Action::Replace)
}

/// Tells what goes of its copies that stay, and what is a copy by another resource's words whose copy it is.
pub(super) fn tell(
    mutations: &mut [Mutation],
    changes: &[ResourceChange],
    types: &HashMap<&str, Vec<Known>>,
) {
    if !mutations.iter().any(is_gone) {
        return;
    }
    let going = Going::of(mutations);
    let mut staying: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut copies: BTreeMap<usize, String> = BTreeMap::new();
    for change in changes {
        let Some(known) = types.get(change.r#type.as_str()).and_then(|said| said.first()) else { continue };
        let Some(declared) = known.declared.as_deref() else { continue };
        let relation = declared.relation.as_deref().filter(|word| matches!(*word, "backup" | "replica"));
        let goes = change.change.actions.iter().any(|action| action == "delete");
        if change.mode == "data" || declared.links.is_empty() && (relation.is_none() || goes) {
            continue;
        }
        // Most are copies of nothing.
        let from = declared.linked().map(|(from, _)| from);
        let mut said = declared.source.iter().map(String::as_str).chain(from);
        if !said.any(|path| change.change.before.get().contains(first_key(path))) {
            continue;
        }
        let Ok(attributes) = Attributes::of(change, &known.wanted) else { continue };
        if let Some(relation) = relation.filter(|_| !goes)
            && !change.change.actions.iter().any(|action| action == "create")
        {
            let said = format!("{relation} {}", printable(&change.address));
            for source in names(&declared.source, &attributes) {
                for at in going.called(&source, &declared.of, (&change.r#type, &attributes)) {
                    staying.entry(at).or_default().push(said.clone());
                }
            }
        }
        for (from, to) in declared.linked() {
            linked(&going, declared, (&change.r#type, &attributes), (from, to), &mut staying, &mut copies);
        }
    }
    for (at, said) in staying {
        let mut shown: Vec<String> = said.iter().take(NAMED).cloned().collect();
        shown.dedup();
        let fact = Fact::new(FactValue::Text(shown.join(", ")), "copies of it that the plan leaves alone");
        let mutation = &mut mutations[at];
        mutation.facts.insert(STAYS.to_owned(), fact);
        // A copy that stays is none of those that feel the loss.
        let copy = |id: &str| said.iter().any(|one| one.ends_with(&format!(" {id}")));
        mutation.dependents.retain(|dependent| !copy(&dependent.id));
    }
    for (at, source) in copies {
        let facts = &mut mutations[at].facts;
        let mut tell = |key: &str, value: String| {
            facts.insert(
                key.to_owned(),
                Fact::new(FactValue::Text(value), "another resource copies it there"),
            );
        };
        tell("relation", "replica".to_owned());
        tell("source_id", source);
    }
}

/// A resource that says from where to where something is copied.
fn linked(
    going: &Going<'_>,
    declared: &TerraformType,
    by: (&str, &Attributes),
    (from, to): (&str, &str),
    staying: &mut BTreeMap<usize, Vec<String>>,
    copies: &mut BTreeMap<usize, String>,
) {
    let Some(source) = facts::text(by.1.before(), from) else { return };
    let origins: Vec<usize> = going.called(&source, &declared.of, by).collect();
    if origins.is_empty() {
        return;
    }
    let ends = each(by.1.before(), to).unwrap_or_default();
    for end in ends.iter().filter_map(|end| end.as_str()) {
        let mut gone = going.called(end, &declared.of, by).peekable();
        if gone.peek().is_none() {
            origins
                .iter()
                .for_each(|at| staying.entry(*at).or_default().push(format!("replica {}", printable(end))));
        }
        gone.filter(|at| !origins.contains(at)).for_each(|at| {
            copies.insert(at, source.clone());
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::knowledge::Knowledge;
    use crate::model::{FactValue, STAYS};
    use crate::terraform::{analyse, read};

    fn change(address: &str, action: &str, before: Value) -> Value {
        let r#type = address.split('.').next().unwrap_or_default();
        let after = if action == "delete" { Value::Null } else { before.clone() };
        json!({"address": address, "mode": "managed", "type": r#type, "name": "it",
            "change": {"actions": [action], "before": before, "after": after}})
    }

    /// What is said of the first change: which copies stay, and whose copy it is.
    fn said(changes: Value) -> (Option<String>, Option<String>) {
        let plan = json!({"format_version": "1.2", "resource_changes": changes});
        let made =
            analyse(&read(plan.to_string().as_bytes()).unwrap(), None, &Knowledge::builtin()).mutations;
        let text = |key: &str| match made[0].facts.get(key).map(|fact| &fact.value) {
            Some(FactValue::Text(text)) => Some(text.clone()),
            _ => None,
        };
        (text(STAYS), text("source_id"))
    }

    #[test]
    fn what_stays_and_was_made_from_it_is_named() {
        let primary = change("aws_db_instance.p", "delete", json!({"identifier": "orders"}));
        let replica = |of: &str, action: &str| {
            change("aws_db_instance.r", action, json!({"identifier": "r", "replicate_source_db": of}))
        };
        assert_eq!(
            said(json!([primary, replica("orders", "no-op")])).0.as_deref(),
            Some("replica aws_db_instance.r")
        );
        assert_eq!(said(json!([primary, replica("other", "no-op")])).0, None);
        assert_eq!(said(json!([primary, replica("orders", "delete")])).0, None, "it goes too");
        assert_eq!(
            said(json!([primary, replica("orders", "create")])).0,
            None,
            "it is to be made of what goes"
        );
        let snapshot =
            change("google_compute_snapshot.s", "no-op", json!({"name": "s", "source_disk": "data"}));
        let disk = change("google_compute_disk.d", "delete", json!({"name": "data"}));
        assert_eq!(said(json!([disk, snapshot])).0.as_deref(), Some("backup google_compute_snapshot.s"));
        let other = change("google_pubsub_topic.d", "delete", json!({"name": "data"}));
        assert_eq!(said(json!([other, snapshot])).0, None, "of the same name");
    }

    #[test]
    fn a_bucket_that_another_is_copied_to_is_its_replica() {
        let bucket = |name: &str, action: &str| {
            change(
                &format!("aws_s3_bucket.{name}"),
                action,
                json!({"bucket": name, "arn": format!("arn:aws:s3:::{name}")}),
            )
        };
        let rules = |action: &str| {
            let rule = json!([{"destination": [{"bucket": "arn:aws:s3:::b"}]}]);
            change("aws_s3_bucket_replication_configuration.r", action, json!({"bucket": "a", "rule": rule}))
        };
        for action in ["no-op", "delete"] {
            let both = said(json!([bucket("b", "delete"), rules(action), bucket("a", "delete")]));
            assert_eq!(both.1.as_deref(), Some("a"), "{action}");
        }
        assert_eq!(
            said(json!([bucket("b", "delete"), rules("no-op")])).1,
            None,
            "what it is a copy of stays"
        );
        let stays = said(json!([bucket("a", "delete"), rules("delete"), bucket("b", "no-op")]));
        assert_eq!(stays.0.as_deref(), Some("replica arn:aws:s3:::b"));
    }
}
