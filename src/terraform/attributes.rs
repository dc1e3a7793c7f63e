//! A resource's attributes by path, never those that the plan marks sensitive.

use serde_json::Value;

use super::select::first_key;
use crate::model::FactValue;

/// Values, which of them are sensitive, and which are not known yet.
pub(super) type Side<'a> = (&'a Value, &'a Value, &'a Value);

/// What an attribute holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Attribute {
    /// A scalar, a list's length, or whether a block is there.
    Known(FactValue),
    /// Not set, or null.
    Absent,
    /// Marked sensitive, or only known after the apply.
    Hidden,
}

/// Looks up `path` (`settings[0].backup_configuration[0].enabled`) in `values`, with the plan's sensitivity mirror.
///
/// A list gives its length, an object whether it is there; `!path` negates a boolean.
pub(super) fn lookup(values: &Value, sensitive: &Value, unknown: &Value, path: &str) -> Attribute {
    if let Some(inner) = path.strip_prefix('!') {
        return match lookup(values, sensitive, unknown, inner) {
            Attribute::Known(FactValue::Bool(yes)) => Attribute::Known(FactValue::Bool(!yes)),
            other => other,
        };
    }
    let (mut values, mut sensitive, mut unknown) = (values, sensitive, unknown);
    for key in keys(path) {
        if is_marked(sensitive) || is_marked(unknown) {
            return Attribute::Hidden;
        }
        values = child(values, key);
        sensitive = child(sensitive, key);
        unknown = child(unknown, key);
    }
    if marks_any(sensitive) || is_marked(unknown) {
        return Attribute::Hidden;
    }
    match values {
        Value::Null => Attribute::Absent,
        Value::Bool(yes) => Attribute::Known(FactValue::Bool(*yes)),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Attribute::Known(FactValue::Number(whole)),
            None => Attribute::Known(FactValue::Text(number.to_string())),
        },
        Value::String(text) => Attribute::Known(plain(text)),
        Value::Array(list) => {
            Attribute::Known(FactValue::Number(i64::try_from(list.len()).unwrap_or(i64::MAX)))
        }
        Value::Object(_) => Attribute::Known(FactValue::Bool(true)),
    }
}

/// All values that a path with `[]` in it leads to (`rule[].expiration[].days`); `None` where a part of it is sensitive or
/// not known yet. Text that is itself JSON is looked into.
pub(super) fn each((values, sensitive, unknown): Side<'_>, path: &str) -> Option<Vec<Value>> {
    let top = Key::Name(first_key(path));
    if marks_any(child(sensitive, top)) || marks_any(child(unknown, top)) {
        return None;
    }
    let mut found = Vec::new();
    gather(values, path, &mut found);
    Some(found)
}

/// What a path leads to, below `at`.
fn gather(at: &Value, path: &str, found: &mut Vec<Value>) {
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
    let (name, all) = step.strip_suffix("[]").map_or((step, false), |name| (name, true));
    let mut go = |value: &Value| match rest {
        Some(rest) => gather(value, rest, found),
        None => found.push(value.clone()),
    };
    let inner = keys(name).fold(at, child);
    let document = inner.as_str().filter(|_| all).and_then(|text| serde_json::from_str(text).ok());
    match document.as_ref().unwrap_or(inner) {
        Value::Array(list) if all => list.iter().for_each(go),
        Value::Object(map) if all => map.keys().for_each(|key| go(&Value::String(key.clone()))),
        Value::Null => {}
        other => go(other),
    }
}

/// What a declaration says behind `|`.
pub(super) fn parse_default(text: &str) -> FactValue {
    match plain(text) {
        FactValue::Text(text) => text.parse().map_or(FactValue::Text(text), FactValue::Number),
        switch => switch,
    }
}

/// Older providers write booleans as text.
pub(super) fn plain(text: &str) -> FactValue {
    text.parse().map_or_else(|_| FactValue::Text(text.to_owned()), FactValue::Bool)
}

/// Blocks stand as lists of one.
fn child<'a>(value: &'a Value, key: Key<'_>) -> &'a Value {
    const NULL: &Value = &Value::Null;
    match key {
        Key::Name(name) if value.is_array() => value.get(0).and_then(|first| first.get(name)).unwrap_or(NULL),
        Key::Name(name) => value.get(name).unwrap_or(NULL),
        Key::Index(index) => value.get(index).unwrap_or(NULL),
    }
}

/// The whole value is marked.
fn is_marked(mark: &Value) -> bool {
    mark == &Value::Bool(true)
}

/// The value or any part of it is marked.
pub(super) fn marks_any(mark: &Value) -> bool {
    match mark {
        Value::Bool(yes) => *yes,
        Value::Array(list) => list.iter().any(marks_any),
        Value::Object(map) => map.values().any(marks_any),
        _ => false,
    }
}

#[derive(Clone, Copy)]
enum Key<'a> {
    Name(&'a str),
    Index(usize),
}

fn keys(path: &str) -> impl Iterator<Item = Key<'_>> {
    path.split('.').flat_map(|step| {
        let mut parts = step.split('[');
        let name = parts.next().filter(|name| !name.is_empty()).map(Key::Name);
        let indices = parts.filter_map(|index| index.trim_end_matches(']').parse().ok()).map(Key::Index);
        name.into_iter().chain(indices)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Attribute, each, lookup};
    use crate::model::FactValue;

    #[test]
    fn paths_reach_into_blocks() {
        let values =
            json!({"settings": [{"backup": [{"enabled": true}]}], "days": 7, "skip": false, "n": null});
        let none = json!({});
        let at = |path| lookup(&values, &none, &none, path);
        assert_eq!(at("settings[0].backup[0].enabled"), Attribute::Known(FactValue::Bool(true)));
        assert_eq!(at("days"), Attribute::Known(FactValue::Number(7)));
        assert_eq!(at("!skip"), Attribute::Known(FactValue::Bool(true)));
        assert_eq!(at("settings"), Attribute::Known(FactValue::Number(1)));
        assert_eq!(at("n"), Attribute::Absent);
        assert_eq!(at("settings[3].x"), Attribute::Absent);
        assert_eq!(
            at("settings.backup.enabled"),
            Attribute::Known(FactValue::Bool(true)),
            "blocks are lists of one"
        );
    }

    #[test]
    fn lists_are_gone_through() {
        let values = json!({"rule": [{"expiration": [{"days": 1}]}, {"id": "b", "expiration": []}, {"id": "c"}],
            "zones": ["a", "b"], "data": {"k": 1}, "schema": "[{\"name\": \"id\"}]", "secret": ["s"]});
        let sensitive = json!({"secret": [true]});
        let all = |path| each((&values, &sensitive, &json!({})), path);
        assert_eq!(all("rule[].expiration[].days"), Some(vec![json!(1)]));
        assert_eq!(all("rule[].id"), Some(vec![json!("b"), json!("c")]));
        assert_eq!(all("zones[]"), Some(vec![json!("a"), json!("b")]));
        assert_eq!(all("data[]"), Some(vec![json!("k")]), "the keys of a map");
        assert_eq!(all("schema[].name"), Some(vec![json!("id")]), "text that is JSON");
        assert_eq!(all("none[].x"), Some(vec![]));
        assert_eq!(all("secret[]"), None);
    }

    #[test]
    fn what_is_sensitive_or_unknown_is_hidden() {
        let values = json!({"password": "hunter2", "block": [{"token": "t"}]});
        let none = json!({});
        let sensitive = json!({"password": true, "block": [{"token": true}]});
        assert_eq!(lookup(&values, &sensitive, &none, "password"), Attribute::Hidden);
        assert_eq!(lookup(&values, &sensitive, &none, "block[0].token"), Attribute::Hidden);
        assert_eq!(lookup(&values, &json!(true), &none, "block"), Attribute::Hidden);
        assert_eq!(lookup(&values, &none, &json!({"password": true}), "password"), Attribute::Hidden);
    }
}
