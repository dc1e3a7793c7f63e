//! Attributes whose text is a document, and numbers whose unit stands beside them: compared by what they say.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::amounts;
use crate::code::hcl_blocks;
use crate::model::FactValue;
use crate::yaml;

/// Longer documents are compared as a whole.
const LONGEST: usize = 1 << 18;

/// Attributes whose text may be YAML.
const YAML: [&str; 10] =
    ["data", "values", "yaml", "yaml_body", "manifest", "content", "body", "config", "configuration", "spec"];

/// The attribute whose text is one of blocks.
const BLOCKS: &str = "jobspec";

/// What both texts say, where both are documents. Policies are compared elsewhere.
pub(super) fn documents(path: &str, before: &Value, after: &Value) -> Option<[Value; 2]> {
    let (old, new) = (before.as_str()?, after.as_str()?);
    if old.len().max(new.len()) > LONGEST {
        return None;
    }
    let last = path.rsplit('.').next().unwrap_or(path);
    let lines = last.ends_with("properties");
    let written = YAML.contains(&last) || last.ends_with("_yaml");
    let both = (json(old).zip(json(new)))
        .or_else(|| lines.then(|| properties(old).zip(properties(new))).flatten())
        .or_else(|| written.then(|| yaml(old).zip(yaml(new))).flatten())
        .or_else(|| (last == BLOCKS).then(|| blocks(old, new)).flatten());
    let (old, new) = both?;
    let policy = |document: &Value| document.get("Statement").is_some();
    (!policy(&old) && !policy(&new)).then_some([old, new])
}

/// Where what is put into a text alone differs, the text is all that says so.
fn blocks(old: &str, new: &str) -> Option<(Value, Value)> {
    hcl_blocks(old).zip(hcl_blocks(new)).filter(|(old, new)| old != new)
}

/// A list or an object that is written as a text.
pub(super) fn json(text: &str) -> Option<Value> {
    text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(text).ok()).flatten()
}

/// Lines of `key=value` or `key: value`; `None`: another one stands among them.
fn properties(text: &str) -> Option<Value> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', '!']));
    let pairs = lines.map(|line| {
        let (key, value) = line.split_once(['=', ':'])?;
        Some((key.trim().to_owned(), Value::String(value.trim().to_owned())))
    });
    pairs.collect::<Option<Map<_, _>>>().map(Value::Object)
}

fn yaml(text: &str) -> Option<Value> {
    let document = yaml::read(text).ok()??.to_json();
    document.is_object().then_some(document)
}

/// Both sides of a block with its times in seconds, where it says the units of some beside them.
pub(super) fn in_seconds(
    old: &Map<String, Value>,
    new: &Map<String, Value>,
) -> Option<[Map<String, Value>; 2]> {
    if let Some(both) = other_unit(old, new) {
        return Some(both);
    }
    if !new.keys().any(|name| name.contains("unit")) {
        return None;
    }
    let pairs: Vec<[String; 2]> = new.keys().flat_map(|unit| numbers(unit, new)).collect();
    let mut sides = [old.clone(), new.clone()];
    let mut found = false;
    for [number, unit] in pairs {
        let times = [old, new].map(|side| seconds(side, &number, &unit));
        let [Some(was), Some(now)] = times else { continue };
        for (side, time) in sides.iter_mut().zip([was, now]) {
            side.insert(number.clone(), Value::String(format!("{time}s")));
            forget(side, &unit);
        }
        found = true;
    }
    found.then_some(sides)
}

/// Both sides of a block that says a time by one of several units, and by another one before: `days = 365`, then `years = 2`.
fn other_unit(old: &Map<String, Value>, new: &Map<String, Value>) -> Option<[Map<String, Value>; 2]> {
    const UNITS: [&str; 7] = ["seconds", "minutes", "hours", "days", "weeks", "months", "years"];
    let only = |side: &Map<String, Value>| {
        let mut given = UNITS
            .into_iter()
            .filter_map(|unit| Some((unit, side.get(unit)?.as_i64().filter(|time| *time > 0)?)));
        given.next().filter(|_| given.next().is_none())
    };
    let ((was, before), (now, after)) = (only(old)?, only(new)?);
    if was == now {
        return None;
    }
    let time = |number: i64, unit: &str| amounts::number(&FactValue::Text(format!("{number} {unit}")));
    let mut sides = [old.clone(), new.clone()];
    for (side, time) in sides.iter_mut().zip([time(before, was)?, time(after, now)?]) {
        side.insert(was.to_owned(), Value::String(format!("{time}s")));
        side.remove(now);
    }
    Some(sides)
}

/// Attributes that a unit may be of, each with where the unit stands.
fn numbers(unit: &str, side: &Map<String, Value>) -> Vec<[String; 2]> {
    let several = unit.strip_suffix("_validity_units");
    if let Some(Value::Object(units)) = several.and_then(|_| side.get(unit)).and_then(|units| units.get(0)) {
        return units.keys().map(|key| [format!("{key}_validity"), format!("{unit}.{key}")]).collect();
    }
    let stem = unit.strip_suffix('s').unwrap_or(unit);
    let Some(stem) = stem.strip_suffix("unit").map(|stem| stem.trim_end_matches('_')) else {
        return Vec::new();
    };
    let ends = ["", "_value", "_amount", "_number", "_duration", "_length"];
    let beside = ["value", "duration", "number", "amount", "length"].map(str::to_owned);
    let names = ends.map(|end| format!("{stem}{end}")).into_iter().chain(beside);
    let given = names.filter(|name| side.get(name).is_some_and(Value::is_number));
    given.take(1).map(|name| [name, unit.to_owned()]).collect()
}

fn seconds(side: &Map<String, Value>, number: &str, unit: &str) -> Option<i64> {
    let number = side.get(number)?.as_i64()?;
    let unit = match unit.split_once('.') {
        Some((block, key)) => side.get(block)?.get(0)?.get(key)?,
        None => side.get(unit)?,
    };
    let unit = unit.as_str()?.to_ascii_lowercase();
    const TIMES: [&str; 7] = ["sec", "min", "hour", "day", "week", "month", "year"];
    let known = TIMES.iter().find(|time| unit.starts_with(**time))?;
    let unit = if *known == "min" { "m" } else { unit.as_str() };
    amounts::number(&FactValue::Text(format!("{number}{unit}")))
}

/// The unit stands in the number from now on.
fn forget(side: &mut Map<String, Value>, unit: &str) {
    match unit.split_once('.') {
        Some((block, key)) => {
            let units = side.get_mut(block).and_then(|block| block.get_mut(0)).and_then(Value::as_object_mut);
            units.and_then(|units| units.remove(key));
        }
        None => drop(side.remove(unit)),
    }
}

/// In small letters; most names are.
pub(super) fn small(text: &str) -> Cow<'_, str> {
    match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(text.to_ascii_lowercase()),
        false => Cow::Borrowed(text),
    }
}

/// `minAvailable` as `min_available`; annotations are called as they are.
pub(super) fn snake(path: &str) -> String {
    if path.contains('/') || !path.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return path.to_owned();
    }
    let mut plain = String::with_capacity(path.len() + 4);
    let mut small = false;
    for c in path.chars() {
        if c.is_ascii_uppercase() && small {
            plain.push('_');
        }
        small = c.is_ascii_lowercase() || c.is_ascii_digit();
        plain.push(c.to_ascii_lowercase());
    }
    plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_are_read_and_policies_are_not() {
        let read = |path: &str, old: &str, new: &str| documents(path, &json!(old), &json!(new));
        assert_eq!(read("settings", "{\"a\":1}", "{\"a\":2}"), Some([json!({"a": 1}), json!({"a": 2})]));
        assert_eq!(
            read("values", "a: true\n", "a: false\n"),
            Some([json!({"a": "true"}), json!({"a": "false"})])
        );
        assert_eq!(read("description", "a: b", "a: c"), None);
        assert_eq!(read("policy", "{\"Statement\":[]}", "{\"Statement\":[{}]}"), None);
        assert_eq!(read("values", "a: true\n", "plain"), None);
        assert_eq!(
            read("container_properties", "{\"user\":\"app\"}", "{\"user\":\"root\"}"),
            Some([json!({"user": "app"}), json!({"user": "root"})])
        );
        assert_eq!(
            read("server_properties", "a.b=1\n", "a.b: 2\n"),
            Some([json!({"a.b": "1"}), json!({"a.b": "2"})])
        );
    }

    #[test]
    fn times_are_compared_in_one_unit() {
        let said = |old: Value, new: Value| {
            let (Value::Object(old), Value::Object(new)) = (old, new) else { return None };
            in_seconds(&old, &new).map(|[old, new]| [Value::Object(old), Value::Object(new)])
        };
        let told = said(json!({"hold": 2, "hold_unit": "DAYS"}), json!({"hold": 48, "hold_unit": "HOURS"}));
        assert_eq!(told, Some([json!({"hold": "172800s"}), json!({"hold": "172800s"})]));
        let block = |number: i64, unit: &str| json!({"id_token_validity": number, "token_validity_units": [{"id_token": unit}]});
        let plain = |time: &str| json!({"id_token_validity": time, "token_validity_units": [{}]});
        assert_eq!(said(block(5, "minutes"), block(1, "days")), Some([plain("300s"), plain("86400s")]));
        assert_eq!(
            said(json!({"size": 1, "size_unit": "GB"}), json!({"size": 2, "size_unit": "furlong"})),
            None
        );
    }
}
