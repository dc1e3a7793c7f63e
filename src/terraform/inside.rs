//! What lives in what goes: a namespace, a resource group or a project takes with it whatever names it as its place, also what
//! the plan itself leaves alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::facts::{self, Attributes, text};
use super::known::Known;
use super::place::{self, apart};
use super::plan::ResourceChange;
use super::provider::Providers;
use super::references::without_instances;
use super::select::{first_key, select};
use crate::model::Dependent;
use crate::wildcard::fits;

/// Inhabitants of one place that are listed.
const LISTED: usize = 64;

/// An attribute that names places, and which of them by what name.
type Way<'n> = (&'n str, &'n HashMap<String, Vec<usize>>);

/// A place that goes.
struct Place<'p, 'c> {
    address: &'p str,
    provider: Option<&'c str>,
    is: place::Place,
}

/// Adds the inhabitants to those that depend on what goes; the keys of `dependents` are what goes. Those that go by themselves
/// are given back, with their places.
pub(super) fn add<'p, 'c>(
    changes: &'p [ResourceChange],
    types: &HashMap<&str, Vec<Known>>,
    providers: &'c Providers,
    dependents: &mut HashMap<&'p str, Vec<Dependent>>,
) -> HashMap<&'p str, &'p str> {
    let mut within = HashMap::new();
    let mut places: Vec<Place<'p, 'c>> = Vec::new();
    let mut names: BTreeMap<(&str, &str), HashMap<String, Vec<usize>>> = BTreeMap::new();
    for change in changes.iter().filter(|change| dependents.contains_key(change.address.as_str())) {
        let Some(known) = types.get(change.r#type.as_str()).and_then(|said| said.first()) else { continue };
        let Some(declared) = known.declared.as_deref().filter(|declared| !declared.holds.is_empty()) else {
            continue;
        };
        let Ok(attributes) = Attributes::of(change, &known.wanted) else { continue };
        let own = place::NAMED.into_iter().filter_map(|path| text(attributes.before(), path));
        let called: BTreeSet<String> = own.chain(facts::names(&declared.id, &attributes)).collect();
        for (path, of) in declared.places() {
            for name in &called {
                names.entry((path, of)).or_default().entry(name.clone()).or_default().push(places.len());
            }
        }
        places.push(Place {
            address: &change.address,
            provider: providers.key(&change.address),
            is: place::Place::of(&change.r#type, attributes.before()),
        });
    }
    let mut ways: HashMap<&str, Vec<Way<'_>>> = HashMap::new();
    for change in changes.iter().filter(|_| !places.is_empty()) {
        if change.mode == "data" {
            continue;
        }
        let ways = ways.entry(&change.r#type).or_insert_with(|| {
            let fitting = names.iter().filter(|((_, of), _)| fits(of, &change.r#type));
            fitting.map(|((path, _), named)| (*path, named)).collect()
        });
        // Most have no such attribute at all.
        let before = change.change.before.get();
        if !ways.iter().any(|(path, _)| before.contains(first_key(path))) {
            continue;
        }
        let goes = dependents.contains_key(change.address.as_str());
        let provider = providers.key(&change.address);
        for (path, named) in ways.iter() {
            let Ok(values) =
                select(&change.change.before, &[&[first_key(path)], &place::SAID_BY[..]].concat())
            else {
                continue;
            };
            let Some(name) = text((&values, &Value::Null, &Value::Null), path) else { continue };
            for place in named.get(&name).into_iter().flatten().map(|at| &places[*at]) {
                let elsewhere = provider.zip(place.provider).is_some_and(|(one, other)| one != other)
                    || apart(&name, &place.is, &place::Place::of_values(&change.r#type, &values));
                if goes {
                    if !elsewhere && place.address != change.address {
                        within.entry(change.address.as_str()).or_insert(place.address);
                    }
                    continue;
                }
                if let Some(list) = dependents.get_mut(place.address).filter(|_| !elsewhere) {
                    lives(change, &name, list);
                }
            }
        }
    }
    within
}

/// One more inhabitant, unless it refers to its place anyway.
fn lives(change: &ResourceChange, place: &str, list: &mut Vec<Dependent>) {
    let plain = without_instances(&change.address);
    if list.iter().filter(|known| known.id != plain).count() >= LISTED {
        return;
    }
    let reason = format!("lives in {place} and goes with it");
    match list.iter_mut().find(|known| known.id == plain && !known.reason.starts_with("lives")) {
        Some(known) => known.reason = reason,
        None => list.push(Dependent {
            id: change.address.clone(),
            r#type: Some(change.r#type.clone()),
            reason,
            transitive: false,
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::knowledge::Knowledge;
    use crate::terraform::{analyse, read};

    fn change(address: &str, r#type: &str, actions: &[&str], before: Value) -> Value {
        json!({"address": address, "mode": "managed", "type": r#type, "name": "it",
            "change": {"actions": actions, "before": before, "after": null}})
    }

    /// What depends on the first change of these, and why.
    fn impact(changes: Value, configuration: Value) -> Vec<(String, String)> {
        let plan =
            json!({"format_version": "1.2", "resource_changes": changes, "configuration": configuration});
        let plan = read(plan.to_string().as_bytes()).unwrap();
        let made = analyse(&plan, None, &Knowledge::builtin()).mutations;
        made[0].dependents.iter().map(|one| (one.id.clone(), one.reason.clone())).collect()
    }

    fn of_namespaces(name: &str) -> Value {
        json!([
            change(
                "kubernetes_namespace.a",
                "kubernetes_namespace",
                &["delete"],
                json!({"metadata": [{"name": name}]})
            ),
            change(
                "kubernetes_secret.s[0]",
                "kubernetes_secret",
                &["no-op"],
                json!({"metadata": [{"name": "s", "namespace": "a"}]})
            ),
            change("helm_release.r", "helm_release", &["update"], json!({"name": "r", "namespace": "a"})),
            change(
                "helm_release.gone",
                "helm_release",
                &["delete"],
                json!({"name": "gone", "namespace": "a"})
            ),
            change(
                "kubernetes_secret.other",
                "kubernetes_secret",
                &["no-op"],
                json!({"metadata": [{"name": "s", "namespace": "b"}]})
            )
        ])
    }

    #[test]
    fn what_lives_in_a_namespace_goes_with_it() {
        let found = impact(of_namespaces("a"), json!({"root_module": {}}));
        let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(
            ids,
            ["kubernetes_secret.s[0]", "helm_release.r"],
            "what goes by itself is told by itself"
        );
        assert!(found.iter().all(|(_, why)| why == "lives in a and goes with it"), "{found:?}");
        assert!(impact(of_namespaces("c"), json!({"root_module": {}})).is_empty());
    }

    #[test]
    fn a_namespace_of_the_same_name_in_another_cluster_is_another_one() {
        let resource = |address: &str, key: &str| json!({"address": address, "provider_config_key": key});
        let configuration = json!({
            "provider_config": {"kubernetes": {}, "kubernetes.two": {}, "helm": {}},
            "root_module": {"resources": [resource("kubernetes_namespace.a", "kubernetes"),
                resource("kubernetes_secret.s", "kubernetes.two")]}
        });
        let found = impact(of_namespaces("a"), configuration);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, "helm_release.r");
    }
}
