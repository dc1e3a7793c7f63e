//! The same thing under another key: what the plan makes where it takes the very same away gives nobody more.

use std::collections::{HashMap, HashSet};

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::attributes::marks_any;
use super::known::Known;
use super::plan::ResourceChange;
use super::provider::Providers;

/// A type, and the provider configuration, where a plan has several.
type Place<'p> = (&'p str, Option<&'p str>);

/// Addresses of what is made with the same attributes, by the same provider configuration (which is an account), as something
/// of its type that goes.
pub(super) fn of<'p: 'q, 'q>(
    changes: &'p [ResourceChange],
    types: &HashMap<&str, Vec<Known>>,
    providers: &'q Providers,
) -> HashSet<&'p str> {
    let grants = |change: &&ResourceChange| {
        let known = types.get(change.r#type.as_str()).and_then(|said| said.first());
        known
            .and_then(|known| known.declared.as_deref())
            .is_some_and(|declared| !declared.grants.is_empty() || !declared.opens.is_empty())
    };
    let does = |change: &&ResourceChange, word: &str| matches!(change.change.actions.as_slice(), [only] if only == word);
    let place = |change: &'p ResourceChange| (change.r#type.as_str(), providers.key(&change.address));
    let read = |raw: &RawValue| serde_json::from_str::<Map<String, Value>>(raw.get()).ok();
    let side = |change: &'p ResourceChange| {
        let (after, unknown) = read(&change.change.after).zip(read(&change.change.after_unknown))?;
        let later = Later::of(&unknown);
        let made = later.without(after);
        let said = !made.is_empty() && !later.anything(&unknown);
        said.then(|| (change, place(change), later, made))
    };
    let created: Vec<_> =
        changes.iter().filter(|one| does(one, "create")).filter(grants).filter_map(side).collect();
    // What went, compared without what is known only later of what is made: mostly the same few attributes.
    let ways: HashSet<Later> = created.iter().map(|(_, _, later, _)| *later).collect();
    let mut gone: HashSet<(Place<'_>, Later, Map<String, Value>)> = HashSet::new();
    if !ways.is_empty() {
        for change in changes.iter().filter(|one| does(one, "delete")).filter(grants) {
            let Some(before) = read(&change.change.before) else { continue };
            gone.extend(ways.iter().map(|later| (place(change), *later, later.without(before.clone()))));
        }
    }
    let same = |(change, place, later, made): (&'p ResourceChange, Place<'q>, Later, Map<String, Value>)| {
        gone.contains(&(place, later, made)).then_some(change.address.as_str())
    };
    created.into_iter().filter_map(same).collect()
}

/// Addresses of what is taken away and brought others to a service, where the plan makes one that says the same.
pub(super) fn moved<'p>(
    changes: &'p [ResourceChange],
    types: &HashMap<&str, Vec<Known>>,
    providers: &Providers,
) -> HashSet<&'p str> {
    const STOPS: Option<&str> = Some("service.stopped");
    let declared = |change: &ResourceChange| {
        let known = types.get(change.r#type.as_str())?.first()?.declared.as_deref()?;
        (known.removed.as_deref() == STOPS).then_some(known)
    };
    let does = |change: &&ResourceChange, word: &str| matches!(change.change.actions.as_slice(), [only] if only == word);
    let read = |change: &'p ResourceChange, raw: &RawValue| {
        let known = declared(change)?;
        let side = serde_json::from_str::<Map<String, Value>>(raw.get()).ok()?;
        let name = known.id.iter().find_map(|id| Some(side.get(id)?.as_str()?.to_owned()));
        Some(((change.r#type.as_str(), name), side))
    };
    let mut made: HashMap<_, Vec<(&ResourceChange, Map<String, Value>)>> = HashMap::new();
    for change in changes.iter().filter(|one| does(one, "create")) {
        if let Some((key, side)) = read(change, &change.change.after) {
            made.entry(key).or_default().push((change, side));
        }
    }
    let is = |change: &&'p ResourceChange| {
        !made.is_empty()
            && read(change, &change.change.before).is_some_and(|(key, was)| {
                // What stands in no configuration any more was made by no other provider that is known.
                let ours = providers.key(&change.address);
                let same = |(other, side): &(&ResourceChange, Map<String, Value>)| {
                    let theirs = providers.key(&other.address);
                    let said = side
                        .iter()
                        .filter(|(key, value)| !value.is_null() && !NUMBERED.contains(&key.as_str()));
                    let apart = ours.is_some() && theirs.is_some() && ours != theirs;
                    !apart
                        && said.clone().count() > 1
                        && said.clone().all(|(key, value)| was.get(key) == Some(value))
                };
                made.get(&key).is_some_and(|sides| sides.iter().take(CLOSE).any(same))
            })
    };
    changes.iter().filter(|one| does(one, "delete")).filter(is).map(|one| one.address.as_str()).collect()
}

/// How many of one name are compared.
const CLOSE: usize = 32;

/// What providers number.
const NUMBERED: [&str; 7] =
    ["id", "arn", "etag", "self_link", "security_group_rule_id", "unique_id", "tags_all"];

/// Which of [`NUMBERED`] is known only after the apply; what somebody wrote there counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Later([bool; NUMBERED.len()]);

impl Later {
    fn of(unknown: &Map<String, Value>) -> Self {
        Self(NUMBERED.map(|name| unknown.get(name) == Some(&Value::Bool(true))))
    }

    fn has(self, key: &str) -> bool {
        NUMBERED.iter().zip(self.0).any(|(name, later)| later && *name == key)
    }

    /// What is said, but for these.
    fn without(self, mut side: Map<String, Value>) -> Map<String, Value> {
        side.retain(|key, value| !value.is_null() && !self.has(key));
        side
    }

    /// Something else is known only later.
    fn anything(self, unknown: &Map<String, Value>) -> bool {
        unknown.iter().any(|(key, mark)| marks_any(mark) && !self.has(key))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Later;

    fn same(before: Value, after: Value, unknown: Value) -> bool {
        let map = |value: Value| value.as_object().cloned().unwrap_or_default();
        let unknown = map(unknown);
        let later = Later::of(&unknown);
        let made = later.without(map(after));
        !made.is_empty() && !later.anything(&unknown) && later.without(map(before)) == made
    }

    #[test]
    fn only_what_says_the_same_is_the_same() {
        let old = json!({"id": "r/joe", "role": "r", "member": "joe", "etag": "x", "condition": []});
        let new = json!({"role": "r", "member": "joe", "condition": []});
        assert!(same(old.clone(), new.clone(), json!({"id": true, "etag": true})));
        assert!(!same(
            old.clone(),
            json!({"role": "s", "member": "joe", "condition": []}),
            json!({"id": true})
        ));
        assert!(
            !same(old.clone(), json!({"role": "r", "member": "joe"}), json!({"id": true})),
            "without its condition"
        );
        assert!(
            !same(old, json!({"role": "r", "condition": []}), json!({"member": true})),
            "who that is comes later"
        );
        assert!(!same(json!({"id": "a"}), json!({}), json!({"id": true})));
    }
}
