//! Our entries in a settings file: put in, found, taken out, with everything else left byte for byte as it is.

use std::ops::Range;

use serde_json::{Map, Value, json};

use crate::settings::edit::{self, EditError, insert, parse, pretty, value_of};
use crate::settings::syntax::{self, Kind, Node};

use super::super::places::Entry;

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
    edit::without(text, chain[at - 1].node, chain[at].index.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        let hook = json!({ "type": "command", "command": "/bin/recourse hook x", "timeout": 5 });
        vec![Entry::new(&["hooks", "Pre"], json!({ "matcher": "Bash", "hooks": [hook] }))]
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
