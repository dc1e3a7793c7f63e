//! Our entries in a settings file: put in, found, taken out, with everything else left byte for byte as it is.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::syntax::{self, Kind, Node};

/// An entry that belongs at the end of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// Keys that lead to the list.
    pub(super) path: Vec<&'static str>,
    /// The entry.
    pub(super) value: Value,
}

/// Why a file is left alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum EditError {
    /// Not JSON.
    #[error("line {0} is not JSON; nothing was changed: repair it first")]
    Broken(usize),
    /// Something else stands where a list belongs.
    #[error("`{0}` is not of the expected form; nothing was changed: repair it first")]
    Form(String),
}

/// The text with the entries in it, and the members of `top` where they are missing. `ours` tells our commands.
pub(super) fn put(
    text: &str,
    top: &[(&str, Value)],
    entries: &[Entry],
    ours: &dyn Fn(&str) -> bool,
) -> Result<String, EditError> {
    if text.trim().is_empty() {
        let mut whole = Map::new();
        for (key, value) in top {
            whole.insert((*key).to_owned(), value.clone());
        }
        let mut whole = Value::Object(whole);
        for entry in entries {
            let list = entry.path.iter().fold(&mut whole, |at, key| &mut at[*key]);
            match list {
                Value::Array(list) => list.push(entry.value.clone()),
                other => *other = json!([entry.value]),
            }
        }
        return Ok(format!("{}\n", pretty(&whole, "  ", "")));
    }
    if entries.iter().all(|entry| stands(text, entry)) {
        return Ok(text.to_owned());
    }
    // What an older version of us put there goes first.
    let mut text = take(text, entries, ours)?;
    for (key, value) in top {
        let root = parse(&text)?;
        if root.member(key).is_none() {
            text = insert(&text, &root, Some(key), value)?;
        }
    }
    for entry in entries {
        let root = parse(&text)?;
        let mut at = &root;
        let mut missing = entry.path.as_slice();
        while let [key, rest @ ..] = missing {
            let Some(next) = at.member(key) else { break };
            at = next;
            missing = rest;
        }
        text = match missing {
            [] => insert(&text, at, None, &entry.value)?,
            [first, rest @ ..] => {
                let list = json!([entry.value]);
                let value = rest.iter().rev().fold(list, |value, key| json!({ *key: value }));
                insert(&text, at, Some(first), &value)?
            }
        };
    }
    Ok(text)
}

/// Whether an entry stands in the text as it should.
pub(super) fn stands(text: &str, entry: &Entry) -> bool {
    let Ok(root) = syntax::parse(text) else { return false };
    let list = entry.path.iter().try_fold(&root, |at, key| at.member(key));
    let Some(Node { kind: Kind::Array(elements), .. }) = list else { return false };
    elements.iter().any(|element| value_of(text, element).as_ref() == Some(&entry.value))
}

/// The text without our commands, and without what they leave empty on the way to them.
pub(super) fn take(text: &str, entries: &[Entry], ours: &dyn Fn(&str) -> bool) -> Result<String, EditError> {
    let mut text = text.to_owned();
    loop {
        let root = parse(&text)?;
        let found = entries.iter().find_map(|entry| {
            let mut chain = vec![Step { node: &root, index: None }];
            for key in &entry.path {
                let above = chain.last()?.node;
                let Kind::Object(members) = &above.kind else { return None };
                let index = members.iter().rposition(|(name, _, _)| name == key)?;
                chain.push(Step { node: &members[index].2, index: Some(index) });
            }
            find(&mut chain, ours).then(|| removal(&text, &chain))
        });
        let Some(span) = found else { return Ok(text) };
        text.replace_range(span, "");
    }
}

/// A value and its place among its siblings.
#[derive(Clone, Copy)]
struct Step<'a> {
    node: &'a Node,
    index: Option<usize>,
}

/// Leads the chain down to an object that holds one of our commands.
fn find<'a>(chain: &mut Vec<Step<'a>>, ours: &dyn Fn(&str) -> bool) -> bool {
    let Some(last) = chain.last().copied() else { return false };
    let children: Vec<&'a Node> = match &last.node.kind {
        Kind::Object(members) => {
            let command = |(key, _, node): &(String, Range<usize>, Node)| {
                matches!(key.as_str(), "command" | "bash")
                    && matches!(&node.kind, Kind::Text(text) if ours(text))
            };
            if members.iter().any(command) {
                return true;
            }
            members.iter().map(|(_, _, node)| node).collect()
        }
        Kind::Array(elements) => elements.iter().collect(),
        _ => return false,
    };
    for (index, node) in children.into_iter().enumerate() {
        chain.push(Step { node, index: Some(index) });
        if find(chain, ours) {
            return true;
        }
        chain.pop();
    }
    false
}

/// What goes: the object found, or the outermost of those above it that it would leave empty.
fn removal(text: &str, chain: &[Step<'_>]) -> Range<usize> {
    let mut at = chain.len() - 1;
    while at > 1 {
        let above = chain[at - 1].node;
        let empties = match &above.kind {
            Kind::Array(elements) => elements.len() == 1,
            Kind::Object(members) => {
                members.len() == 1
                    // A group with a matcher is nothing without its hooks.
                    || chain[at].index.and_then(|index| members.get(index)).is_some_and(|(key, _, _)| key == "hooks")
                        && members.iter().all(|(key, _, _)| matches!(key.as_str(), "hooks" | "matcher" | "sequential"))
            }
            _ => false,
        };
        if !empties {
            break;
        }
        at -= 1;
    }
    let (above, index) = (chain[at - 1].node, chain[at].index.unwrap_or(0));
    let spans: Vec<Range<usize>> = match &above.kind {
        Kind::Object(members) => members.iter().map(|(_, key, node)| key.start..node.span.end).collect(),
        Kind::Array(elements) => elements.iter().map(|node| node.span.clone()).collect(),
        _ => Vec::new(),
    };
    let own = spans.get(index).cloned().unwrap_or(chain[at].node.span.clone());
    if index > 0 {
        // With the comma before it.
        return spans.get(index - 1).map_or(own.start, |before| before.end)..own.end;
    }
    match spans.get(1) {
        Some(after) => own.start..after.start,
        // It was alone: what stays is empty.
        None => {
            let end = own.end + trailing(text, own.end, above.span.end - 1);
            above.span.start + 1..end
        }
    }
}

/// Bytes of blanks and of one comma from `at` on.
fn trailing(text: &str, at: usize, end: usize) -> usize {
    let rest = text.get(at..end).unwrap_or_default();
    let kept = rest.trim_start().trim_start_matches(',').trim_start();
    rest.len() - kept.len()
}

/// The text with a member or element at the end of an object or list.
fn insert(text: &str, into: &Node, key: Option<&str>, value: &Value) -> Result<String, EditError> {
    let form = || EditError::Form(key.unwrap_or("a list of hooks").to_owned());
    let last = match (&into.kind, key) {
        (Kind::Object(members), Some(_)) => members.last().map(|(_, key, node)| key.start..node.span.end),
        (Kind::Array(elements), None) => elements.last().map(|node| node.span.clone()),
        _ => return Err(form()),
    };
    let unit = unit(text);
    let outer = indent(text, into.span.start);
    let line = text.get(into.span.clone()).is_some_and(|inside| inside.contains('\n'));
    let inner = match &last {
        Some(last) if line => indent(text, last.start),
        _ => format!("{outer}{unit}"),
    };
    let written = pretty(value, &unit, &inner);
    let item = match key {
        Some(key) => format!("{}: {written}", Value::from(key)),
        None => written,
    };
    let mut out = text.to_owned();
    match last {
        Some(last) => out.insert_str(last.end, &format!(",\n{inner}{item}")),
        None => {
            let inside = text.get(into.span.start + 1..into.span.end - 1).unwrap_or_default();
            // Comments in an empty list stay before it.
            let at = into.span.start + 1 + inside.trim_end().len();
            out.replace_range(at..into.span.end - 1, &format!("\n{inner}{item}\n{outer}"));
        }
    }
    parse(&out).map(|_| out)
}

fn parse(text: &str) -> Result<Node, EditError> {
    syntax::parse(text).map_err(|broken| {
        EditError::Broken(text.get(..broken.0).unwrap_or_default().matches('\n').count() + 1)
    })
}

/// A value's own meaning, comments left out.
fn value_of(text: &str, node: &Node) -> Option<Value> {
    Some(match &node.kind {
        Kind::Object(members) => {
            let each = members.iter().map(|(key, _, node)| Some((key.clone(), value_of(text, node)?)));
            Value::Object(each.collect::<Option<_>>()?)
        }
        Kind::Array(elements) => {
            Value::Array(elements.iter().map(|node| value_of(text, node)).collect::<Option<_>>()?)
        }
        Kind::Text(string) => Value::String(string.clone()),
        Kind::Other => serde_json::from_str(text.get(node.span.clone())?).ok()?,
    })
}

/// The blanks that the line of a position begins with.
fn indent(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

/// How the file indents: as its first indented line does.
fn unit(text: &str) -> String {
    let first = text.lines().map(|line| line.len() - line.trim_start().len()).zip(text.lines());
    let mut indented = first.filter(|(blanks, line)| *blanks > 0 && *blanks < line.len());
    indented.next().map_or_else(|| "  ".to_owned(), |(blanks, line)| line[..blanks].to_owned())
}

/// Indented JSON, the keys in the order that people write them in.
fn pretty(value: &Value, unit: &str, indent: &str) -> String {
    let inner = format!("{indent}{unit}");
    match value {
        Value::Object(map) if !map.is_empty() => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_by_key(|key| rank(key));
            let each = keys.into_iter().filter_map(|key| {
                Some(format!("{inner}{}: {}", Value::from(key.as_str()), pretty(map.get(key)?, unit, &inner)))
            });
            format!("{{\n{}\n{indent}}}", each.collect::<Vec<_>>().join(",\n"))
        }
        Value::Array(list) if !list.is_empty() => {
            let each = list.iter().map(|one| format!("{inner}{}", pretty(one, unit, &inner)));
            format!("[\n{}\n{indent}]", each.collect::<Vec<_>>().join(",\n"))
        }
        other => other.to_string(),
    }
}

fn rank(key: &str) -> usize {
    ["version", "matcher", "type", "name", "command", "bash"]
        .iter()
        .position(|known| *known == key)
        .unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        let hook = json!({ "type": "command", "command": "/bin/recourse hook x", "timeout": 5 });
        vec![Entry { path: vec!["hooks", "Pre"], value: json!({ "matcher": "Bash", "hooks": [hook] }) }]
    }

    fn ours(text: &str) -> bool {
        text.ends_with("recourse hook x")
    }

    fn round(text: &str) -> String {
        let with = put(text, &[], &entries(), &ours).unwrap();
        assert!(entries().iter().all(|entry| stands(&with, entry)), "{with}");
        assert_eq!(put(&with, &[], &entries(), &ours).unwrap(), with, "again changes nothing");
        take(&with, &entries(), &ours).unwrap()
    }

    #[test]
    fn what_is_there_stays_as_it_is() {
        for text in [
            "{\n  // keep\n  \"model\": \"x\",\n  \"z\": [1, 2]\n}\n",
            "{\n\t\"hooks\": {\n\t\t\"Pre\": [\n\t\t\t{\"matcher\": \"Y\", \"hooks\": [{\"command\": \"mine\"}]}\n\t\t]\n\t}\n}",
            "{ \"a\": 1 }",
            "{\n    \"hooks\": {\n        \"Post\": [] // none\n    }\n}\n",
        ] {
            assert_eq!(round(text), text);
        }
        assert_eq!(round("{\"hooks\":{\"Pre\":[]}}"), "{}", "what only leads to us goes with us");
    }

    #[test]
    fn an_older_entry_is_replaced_and_a_shared_group_keeps_the_other() {
        let old = "{\"hooks\": {\"Pre\": [{\"matcher\": \"A\", \"hooks\": [{\"command\": \"/old/recourse hook x\"}, {\"command\": \"b\"}]}]}}";
        let new = put(old, &[], &entries(), &ours).unwrap();
        assert!(!new.contains("/old/") && new.contains("\"b\"") && new.contains("/bin/recourse"), "{new}");
        assert_eq!(
            take(old, &entries(), &ours).unwrap(),
            "{\"hooks\": {\"Pre\": [{\"matcher\": \"A\", \"hooks\": [{\"command\": \"b\"}]}]}}"
        );
    }

    #[test]
    fn an_empty_file_becomes_a_whole_one() {
        let text = put("", &[("version", json!(1))], &entries(), &ours).unwrap();
        assert!(text.starts_with("{\n  \"version\": 1,\n  \"hooks\": {"), "{text}");
        assert!(serde_json::from_str::<Value>(&text).is_ok());
    }

    #[test]
    fn what_cannot_be_read_is_left_alone() {
        assert_eq!(put("{\n\"a\": }", &[], &entries(), &ours), Err(EditError::Broken(2)));
        assert!(matches!(put("{\"hooks\": []}", &[], &entries(), &ours), Err(EditError::Form(_))));
        assert!(matches!(put("[]", &[], &entries(), &ours), Err(EditError::Form(_))));
        assert!(put("{\"a\": tru}", &[], &entries(), &ours).is_err());
        assert!(put(&"[".repeat(100_000), &[], &entries(), &ours).is_err());
    }
}
