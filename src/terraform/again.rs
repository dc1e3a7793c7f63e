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

/// Changes of one type that are compared with each other.
const COMPARED: usize = 400;

/// Addresses of what is made with the same attributes, by the same provider configuration (which is an account), as something
/// of its type that goes.
pub(super) fn of<'p>(
    changes: &'p [ResourceChange],
    types: &HashMap<&str, Vec<Known>>,
    providers: &Providers,
) -> HashSet<&'p str> {
    let grants = |change: &&ResourceChange| {
        let known = types.get(change.r#type.as_str()).and_then(|said| said.first());
        known
            .and_then(|known| known.declared.as_deref())
            .is_some_and(|declared| !declared.grants.is_empty() || !declared.opens.is_empty())
    };
    let does = |change: &&ResourceChange, word: &str| matches!(change.change.actions.as_slice(), [only] if only == word);
    let mut gone: HashMap<Place<'_>, Vec<Map<String, Value>>> = HashMap::new();
    let place = |change: &'p ResourceChange| (change.r#type.as_str(), providers.key(&change.address));
    let created: Vec<&ResourceChange> =
        changes.iter().filter(|change| does(change, "create")).filter(grants).collect();
    if created.is_empty() || created.len() > COMPARED {
        return HashSet::new();
    }
    for change in changes.iter().filter(|change| does(change, "delete")).filter(grants) {
        let list = gone.entry(place(change)).or_default();
        if list.len() < COMPARED
            && let Ok(before) = serde_json::from_str(change.change.before.get())
        {
            list.push(before);
        }
    }
    let same = |change: &&'p ResourceChange| {
        let read = |raw: &RawValue| serde_json::from_str::<Map<String, Value>>(raw.get()).ok();
        let sides = read(&change.change.after).zip(read(&change.change.after_unknown));
        sides.is_some_and(|(after, unknown)| {
            gone.get(&place(change)).into_iter().flatten().any(|before| is_same(before, &after, &unknown))
        })
    };
    created.into_iter().filter(same).map(|change| change.address.as_str()).collect()
}

/// Both say the same, but for what providers number; nothing else is known only later.
fn is_same(before: &Map<String, Value>, after: &Map<String, Value>, unknown: &Map<String, Value>) -> bool {
    const NUMBERED: [&str; 7] =
        ["id", "arn", "etag", "self_link", "security_group_rule_id", "unique_id", "tags_all"];
    // What providers number is known only after the apply; what somebody wrote there counts.
    let numbered = |key: &str| NUMBERED.contains(&key) && unknown.get(key) == Some(&Value::Bool(true));
    let counts = |key: &str, value: &Value| !value.is_null() && !numbered(key);
    let side = |map: &Map<String, Value>| -> Map<String, Value> {
        map.iter()
            .filter(|(key, value)| counts(key, value))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    };
    let (old, new) = (side(before), side(after));
    let later = unknown.iter().any(|(key, mark)| marks_any(mark) && counts(key, mark));
    !new.is_empty() && old == new && !later
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::is_same;

    fn same(before: Value, after: Value, unknown: Value) -> bool {
        let map = |value: Value| value.as_object().cloned().unwrap_or_default();
        is_same(&map(before), &map(after), &map(unknown))
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
