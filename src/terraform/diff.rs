//! What differs between a resource's attributes before and after a change, attribute by attribute.

use serde_json::{Map, Value};

use super::attributes::{marks_any, plain};
use super::texts;
use crate::knowledge::terraform_signs;
use crate::model::FactValue;

/// How deep attributes are looked into; below, a difference is one of the whole.
const DEPTH: usize = 48;

/// One attribute that differs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leaf {
    /// `settings.backup.enabled`: without the positions in lists.
    pub(super) path: String,
    /// What it was; `None`: not there, or sensitive.
    pub(super) was: Option<FactValue>,
    /// What it is; `None`: not there any more, sensitive, or known only after the apply.
    pub(super) now: Option<FactValue>,
    /// It is known only after the apply.
    pub(super) unknown: bool,
    /// It is a list, and these are its lengths.
    pub(super) is_list: bool,
    /// It stands in an element of a list that comes or goes as a whole.
    pub(super) whole: bool,
}

/// Everything that differs. `sensitive` marks what must not be told, of either side.
pub(super) fn leaves(before: &Value, after: &Value, unknown: &Value, sensitive: [&Value; 2]) -> Vec<Leaf> {
    let mut found = Vec::new();
    walk(Sides { before, after, unknown, sensitive, whole: false }, String::new(), DEPTH, &mut found);
    found
}

#[derive(Clone, Copy)]
struct Sides<'a> {
    before: &'a Value,
    after: &'a Value,
    unknown: &'a Value,
    sensitive: [&'a Value; 2],
    /// Of the element of a list that they are one side is not there.
    whole: bool,
}

const NULL: &Value = &Value::Null;

fn walk(sides: Sides<'_>, path: String, depth: usize, found: &mut Vec<Leaf>) {
    let Sides { before, after, unknown, sensitive, whole: part } = sides;
    let computed = marks_any(unknown);
    if before == after && !computed {
        return;
    }
    let whole = unknown == &Value::Bool(true);
    let hidden = sensitive.iter().any(|mark| **mark == Value::Bool(true)) || depth == 0;
    if whole || hidden {
        let was = if hidden { None } else { scalar(before) };
        found.push(Leaf { path, was, now: None, unknown: whole, is_list: before.is_array(), whole: part });
        return;
    }
    match (before, after) {
        (Value::Object(_), Value::Object(_) | Value::Null) | (Value::Null, Value::Object(_)) => {
            let none = Map::new();
            let [old, new] = [before, after].map(|side| side.as_object().unwrap_or(&none));
            let times = texts::in_seconds(old, new);
            let [old, new] = times.as_ref().map_or([old, new], |[old, new]| [old, new]);
            let marks = unknown.as_object().unwrap_or(&none);
            let mut names: Vec<&String> = old.keys().chain(new.keys()).chain(marks.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let sides = Sides {
                    before: named(old, name),
                    after: named(new, name),
                    unknown: named(marks, name),
                    sensitive,
                    whole: part,
                };
                if sides.before == sides.after && !marks_any(sides.unknown) {
                    continue;
                }
                let sides =
                    Sides { sensitive: sensitive.map(|mark| mark.get(name).unwrap_or(NULL)), ..sides };
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                walk(sides, path, depth - 1, found);
            }
        }
        (Value::Array(_), Value::Array(_) | Value::Null) | (Value::Null, Value::Array(_)) => {
            lists(sides, &path, depth, found);
        }
        _ => {
            if let Some([before, after]) = texts::documents(&path, before, after) {
                let sides = Sides {
                    before: &before,
                    after: &after,
                    unknown: NULL,
                    sensitive: [NULL, NULL],
                    whole: part,
                };
                return walk(sides, path, depth - 1, found);
            }
            let (was, now) = (scalar(before), scalar(after));
            found.push(Leaf { path, was, now, unknown: computed, is_list: false, whole: part });
        }
    }
}

/// Lists of parameters, as what they say by name.
fn parameters(list: &[Value]) -> Option<Value> {
    let named = list.iter().map(|entry| {
        let (name, value) = (entry.get("name")?.as_str()?, entry.get("value")?);
        Some((name.to_owned(), value.clone()))
    });
    named.collect::<Option<Map<_, _>>>().filter(|named| named.len() == list.len()).map(Value::Object)
}

/// Lists are often sets: what stands in both is the same element, wherever it stands; the others are compared in order.
fn lists(sides: Sides<'_>, path: &str, depth: usize, found: &mut Vec<Leaf>) {
    let none = Vec::new();
    let [old, new] = [sides.before, sides.after].map(|side| side.as_array().unwrap_or(&none));
    let [was, now] = [old, new].map(|list| scalar(&Value::from(list.len())));
    let last = path.rsplit('.').next().unwrap_or(path);
    let secret = sides.sensitive.iter().any(|mark| marks_any(mark));
    if terraform_signs().parameters.has(last)
        && !secret
        && !marks_any(sides.unknown)
        && let [Some(before), Some(after)] = [old, new].map(|list| parameters(list))
    {
        let named = Sides {
            before: &before,
            after: &after,
            unknown: NULL,
            sensitive: [NULL, NULL],
            whole: sides.whole,
        };
        return walk(named, path.to_owned(), depth - 1, found);
    }
    let at = found.len();
    if was != now {
        found.push(Leaf {
            path: path.to_owned(),
            was,
            now,
            unknown: false,
            is_list: true,
            whole: sides.whole,
        });
    }
    let mut left: Vec<Option<usize>> = (0..new.len()).map(Some).collect();
    let mut unmatched = Vec::new();
    // Longer ones are compared in order alone: more differs then, never less.
    let short = old.len().saturating_mul(new.len()) <= 1 << 20;
    for (at, element) in old.iter().enumerate() {
        if !short {
            unmatched.push(at);
            continue;
        }
        let same = left
            .iter()
            .flatten()
            .copied()
            .find(|other| new[*other] == *element && !marked(sides.unknown, *other));
        match same {
            Some(other) => left[other] = None,
            None => unmatched.push(at),
        }
    }
    let mut rest = left.into_iter().flatten();
    // Without a rule that lets something through less comes through, and nothing else is another one. Without any, all may.
    let fewer = short && !new.is_empty() && new.len() < old.len() && rest.clone().next().is_none();
    if fewer && unmatched.iter().all(|gone| lets_through(&old[*gone])) {
        found.truncate(at);
        return;
    }
    let mut pairs: Vec<(Option<usize>, Option<usize>)> =
        unmatched.into_iter().map(|at| (Some(at), rest.next())).collect();
    pairs.extend(rest.map(|at| (None, Some(at))));
    for (before, after) in pairs {
        let inner = Sides {
            before: before.map_or(NULL, |at| &old[at]),
            after: after.map_or(NULL, |at| &new[at]),
            unknown: element(sides.unknown, after),
            sensitive: [element(sides.sensitive[0], before), element(sides.sensitive[1], after)],
            whole: sides.whole || before.is_none() || after.is_none(),
        };
        walk(inner, path.to_owned(), depth - 1, found);
    }
}

/// A rule that lets through what others would keep out.
fn lets_through(rule: &Value) -> bool {
    const WORDS: [&str; 5] = ["allow", "accept", "permit", "skip", "bypass"];
    let Value::Object(map) = rule else { return false };
    ["action", "rule_action", "decision"].iter().any(|name| {
        let word = map.get(*name).and_then(Value::as_str).map(str::to_ascii_lowercase);
        word.is_some_and(|word| WORDS.contains(&word.as_str()))
    })
}

fn named<'v>(side: &'v Map<String, Value>, name: &str) -> &'v Value {
    side.get(name).unwrap_or(NULL)
}

fn element(list: &Value, at: Option<usize>) -> &Value {
    at.and_then(|at| list.get(at)).unwrap_or(NULL)
}

fn marked(unknown: &Value, at: usize) -> bool {
    unknown.get(at).is_some_and(marks_any)
}

fn scalar(value: &Value) -> Option<FactValue> {
    match value {
        Value::Null => None,
        Value::Bool(yes) => Some(FactValue::Bool(*yes)),
        Value::Number(number) => {
            Some(number.as_i64().map_or_else(|| FactValue::Text(number.to_string()), FactValue::Number))
        }
        Value::String(text) => Some(plain(text)),
        Value::Array(list) => Some(FactValue::Number(i64::try_from(list.len()).unwrap_or(i64::MAX))),
        Value::Object(_) => Some(FactValue::Bool(true)),
    }
}

/// What the value of a type of one setting each is about: its `name`, or the like, as a path of its own.
pub(super) fn pairs(r#type: &str, before: &Value, after: &Value, leaves: &mut Vec<Leaf>) {
    const NAMED: [&str; 5] = ["name", "setting_id", "key", "parameter_name", "configuration_name"];
    let is_value = |leaf: &&Leaf| ["value", "setting_value"].contains(&leaf.path.as_str());
    let Some(value) = leaves.iter().find(is_value) else { return };
    if !terraform_signs().pairs.fit(r#type) {
        return;
    }
    let name = NAMED.iter().find_map(|name| {
        let text = after.get(name)?.as_str()?;
        (before.is_null() || before.get(name)?.as_str()? == text).then_some(text)
    });
    if let Some(name) = name {
        let leaf = Leaf { path: name.to_owned(), ..value.clone() };
        leaves.push(leaf);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(before: Value, after: Value, unknown: Value) -> Vec<String> {
        let none = json!({});
        let shown = |value: &Option<FactValue>| match value {
            None => "-".to_owned(),
            Some(FactValue::Bool(yes)) => yes.to_string(),
            Some(FactValue::Number(number)) => number.to_string(),
            Some(FactValue::Text(text)) => text.clone(),
        };
        let found = leaves(&before, &after, &unknown, [&none, &none]);
        found.iter().map(|leaf| format!("{} {} {}", leaf.path, shown(&leaf.was), shown(&leaf.now))).collect()
    }

    #[test]
    fn blocks_are_compared_inside() {
        let before = json!({"a": 1, "b": [{"c": true, "d": "x"}], "same": [1], "gone": "g"});
        let after = json!({"a": 2, "b": [{"c": false, "d": "x"}], "same": [1], "new": 3});
        assert_eq!(told(before, after, json!({})), ["a 1 2", "b.c true false", "gone g -", "new - 3"]);
    }

    #[test]
    fn elements_that_only_move_do_not_differ() {
        let before = json!({"rule": [{"p": 1}, {"p": 2}], "zones": ["a", "b"]});
        let after = json!({"rule": [{"p": 2}, {"p": 1}], "zones": ["b", "a", "c"]});
        assert_eq!(told(before, after, json!({})), ["zones 2 3", "zones - c"]);
    }

    #[test]
    fn what_is_not_known_yet_differs() {
        let same = json!({"a": true, "b": [{"c": 1}]});
        assert_eq!(told(same.clone(), same.clone(), json!({"b": [{"c": true}]})), ["b.c 1 -"]);
        assert_eq!(told(same, json!({"b": [{"c": 1}]}), json!({"a": true})), ["a true -"]);
    }

    #[test]
    fn secrets_are_not_told() {
        let (before, after) =
            (json!({"password": "old", "b": [{"t": "x"}]}), json!({"password": "new", "b": [{"t": "y"}]}));
        let marks = json!({"password": true, "b": [{"t": true}]});
        let found = leaves(&before, &after, &json!({}), [&marks, &json!({})]);
        assert!(found.iter().all(|leaf| leaf.was.is_none() && leaf.now.is_none()), "{found:?}");
        assert_eq!(found.len(), 2);
    }
}
