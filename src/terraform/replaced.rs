//! Why a resource is replaced or goes: what the plan itself says, in plain words.
//!
//! The attribute that forces a replacement is named with its old and new value, unless either is marked sensitive, has a
//! name that secrets have, or is longer than a word or two. Owns these sentences; they decide nothing.

use serde_json::Value;
use serde_json::value::RawValue;

use super::plan::ResourceChange;
use super::said::{PLANNED, printable};
use super::select::select;
use crate::knowledge::terraform_signs;
use crate::model::{BECAUSE, Fact, FactValue, Facts, is_secret_name, redact};

/// The longest value that is told.
const LONGEST: usize = 60;
/// Attributes that are told with their values.
const MOST: usize = 4;

/// Adds why, where the plan says so, and that it is an old object.
pub(super) fn tell(change: &ResourceChange, facts: &mut Facts) {
    if change.change.actions.len() > 1 {
        moves(change, facts);
    }
    if let Some(deposed) = &change.deposed {
        let said =
            format!("it is an old object ({}) left over from an earlier replacement", printable(deposed));
        facts.insert("deposed".into(), Fact::new(FactValue::Bool(true), PLANNED));
        let word = "it is an old object left over from an earlier replacement".to_owned();
        facts.insert(BECAUSE.to_owned(), Fact::new(FactValue::Text(word), said));
        return;
    }
    let forced = change.change.replace_paths.as_deref().unwrap_or_default();
    let (word, said) = if forced.is_empty() {
        let Some(said) = change.action_reason.as_deref().and_then(reason) else { return };
        (said.to_owned(), said.to_owned())
    } else {
        let names: Vec<String> = forced.iter().map(name).collect();
        let mut said: Vec<String> = forced.iter().take(MOST).map(|path| forces(change, path)).collect();
        if forced.len() > MOST {
            said.push(format!("{} more", forced.len() - MOST));
        }
        (format!("{} cannot be changed in place", names.join(", ")), said.join("; "))
    };
    facts.insert(BECAUSE.to_owned(), Fact::new(FactValue::Text(word), said));
}

/// What is made anew is reached elsewhere, where the provider gives the address: tells the old one.
fn moves(change: &ResourceChange, facts: &mut Facts) {
    let body = &change.change;
    let names: Vec<&str> = terraform_signs().addresses.iter().collect();
    let sides = select(&body.before, &names).ok().zip(select(&body.after_unknown, &names).ok());
    let Some((was, unknown)) = sides else { return };
    let address = names.iter().find_map(|name| {
        let old = was.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())?;
        (unknown.get(name) == Some(&Value::Bool(true))).then_some(old)
    });
    if let Some(address) = address {
        facts.insert("address".to_owned(), Fact::new(FactValue::Text(printable(address)), PLANNED));
    }
}

/// The plan's `action_reason` in words.
fn reason(word: &str) -> Option<&'static str> {
    Some(match word {
        "replace_because_tainted" => "it is marked as tainted",
        "replace_by_request" => "-replace asks for it",
        "replace_by_triggers" => "something that its replace_triggered_by names changes",
        "replace_because_cannot_update" => "it cannot be changed in place",
        "delete_because_no_resource_config" => "it is no longer in the configuration",
        "delete_because_no_module" => "its module is no longer in the configuration",
        "delete_because_wrong_repetition" => {
            "count or for_each was added to it or taken away, and its address changed"
        }
        "delete_because_count_index" => "count no longer reaches its index",
        "delete_because_each_key" => "for_each no longer has its key",
        "delete_because_no_move_target" => "it was moved to an address that the configuration does not have",
        "delete_because_enabled_false" => "its enabled argument is false",
        _ => return None,
    })
}

/// `settings[0].tier`.
fn name(path: &Value) -> String {
    let mut text = String::new();
    for step in path.as_array().map(Vec::as_slice).unwrap_or_default() {
        match step {
            Value::String(key) if text.is_empty() => text.push_str(&printable(key)),
            Value::String(key) => text.push_str(&format!(".{}", printable(key))),
            Value::Number(index) => text.push_str(&format!("[{index}]")),
            _ => {}
        }
    }
    if text.is_empty() { "an attribute".to_owned() } else { text }
}

/// One attribute with what becomes of it.
fn forces(change: &ResourceChange, path: &Value) -> String {
    let name = name(path);
    let base = format!("{name} cannot be changed in place");
    let steps = path.as_array().map(Vec::as_slice).unwrap_or_default();
    let secret = steps.iter().filter_map(Value::as_str).any(is_secret_name);
    let body = &change.change;
    let side = |values: &RawValue, sensitive: &RawValue, unknown: Option<&RawValue>| {
        let [values, sensitive] = [part(values, steps)?, part(sensitive, steps)?];
        let unknown = unknown.map_or(Some(Value::Null), |unknown| part(unknown, steps))?;
        shown(&values, &sensitive, &unknown)
    };
    let was = side(&body.before, &body.before_sensitive, None);
    let becomes = side(&body.after, &body.after_sensitive, Some(&body.after_unknown));
    match (secret, was, becomes) {
        (false, Some(was), Some(becomes)) if was != becomes => format!("{base}: {was} becomes {becomes}"),
        _ => base,
    }
}

/// What stands at the path, the marks of everything above it included.
fn part(raw: &RawValue, steps: &[Value]) -> Option<Value> {
    let first = steps.first()?.as_str()?;
    let mut value = &select(raw, &[first]).ok()?;
    for step in steps {
        // A mark that holds for the whole holds for its parts.
        if value == &Value::Bool(true) {
            break;
        }
        value = match step {
            Value::String(key) => value.get(key),
            Value::Number(index) => value.get(usize::try_from(index.as_u64()?).ok()?),
            _ => return None,
        }
        .unwrap_or(&Value::Null);
    }
    Some(value.clone())
}

/// A short value that nothing marks, in quotes where it is text.
fn shown(value: &Value, sensitive: &Value, unknown: &Value) -> Option<String> {
    let marked = |mark: &Value| !matches!(mark, Value::Null | Value::Bool(false));
    if marked(sensitive) {
        return None;
    }
    if marked(unknown) {
        return Some("what is known after the apply".to_owned());
    }
    let text = match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("\"{text}\""),
        Value::Array(_) | Value::Object(_) => return None,
    };
    let plain =
        text.chars().count() <= LONGEST && !text.contains(char::is_control) && redact(&text) == text.as_str();
    plain.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn because(mut change: Value) -> Option<String> {
        change["address"] = json!("a.b");
        change["type"] = json!("a");
        let change: ResourceChange = serde_json::from_value(change).unwrap();
        let mut facts = Facts::new();
        tell(&change, &mut facts);
        facts.get(BECAUSE).map(|fact| fact.description.clone().into_owned())
    }

    #[test]
    fn the_attribute_that_forces_it_is_named_with_its_values() {
        let change = |path: Value, more: Value| {
            let mut change = json!({ "actions": ["delete", "create"], "replace_paths": [path],
                "before": { "ami": "ami-1", "password": "one", "disk": [{ "size": 5 }], "text": "x\ny" },
                "after": { "ami": "ami-2", "password": "two", "disk": [{ "size": 4 }], "text": "z" } });
            for (key, value) in more.as_object().unwrap() {
                change[key] = value.clone();
            }
            because(json!({ "change": change })).unwrap()
        };
        let none = json!({});
        assert_eq!(
            change(json!(["ami"]), none.clone()),
            "ami cannot be changed in place: \"ami-1\" becomes \"ami-2\""
        );
        assert_eq!(
            change(json!(["disk", 0, "size"]), none.clone()),
            "disk[0].size cannot be changed in place: 5 becomes 4"
        );
        for (path, more) in [
            (json!(["password"]), none.clone()),
            (json!(["text"]), none.clone()),
            (json!(["ami"]), json!({ "after_sensitive": { "ami": true } })),
            (json!(["ami"]), json!({ "before_sensitive": true })),
            (json!(["disk", 0, "size"]), json!({ "before_sensitive": { "disk": [{ "size": true }] } })),
            (json!(["disk", 0, "size"]), json!({ "after_sensitive": { "disk": true } })),
            (json!(["disk"]), none),
        ] {
            let said = change(path.clone(), more);
            assert!(said.ends_with("cannot be changed in place"), "{path}: {said}");
        }
        let unknown = json!({ "after_unknown": { "ami": true } });
        assert_eq!(
            change(json!(["ami"]), unknown),
            "ami cannot be changed in place: \"ami-1\" becomes what is known after the apply"
        );
    }

    #[test]
    fn reasons_are_told_in_words() {
        let of = |word: &str| because(json!({ "change": { "actions": ["delete"] }, "action_reason": word }));
        assert_eq!(of("delete_because_each_key").unwrap(), "for_each no longer has its key");
        assert_eq!(of("read_because_config_unknown"), None);
    }
}
