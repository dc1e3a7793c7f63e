//! Members of settings files in JSON: put in, found, taken out, with everything else left byte for byte as it is.

use std::ops::Range;

use serde_json::{Value, json};

use crate::order;

use super::syntax::{self, Kind, Node};

/// Why a file is left alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EditError {
    /// Not JSON.
    #[error("line {0} is not JSON; nothing was changed: repair it first")]
    Broken(usize),
    /// Something else stands where our entry, or what leads to it, belongs.
    #[error("`{0}` is not of the expected form; nothing was changed: repair it first")]
    Form(String),
}

/// The text with this value as the member that the path leads to. Of an object that is there already, only the members
/// that the value has are set: what somebody added to it stays.
pub(crate) fn put_member(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    let nested = |rest: &[&str]| rest.iter().rev().fold(value.clone(), |value, key| json!({ *key: value }));
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(format!("{}\n", pretty(&nested(path), "  ", "")));
    }
    let root = parse(text)?;
    let mut at = &root;
    let mut missing = path;
    while let [key, rest @ ..] = missing {
        let Some(next) = at.member(key) else { break };
        at = next;
        missing = rest;
    }
    match missing {
        [first, rest @ ..] => insert(text, at, Some(first), &nested(rest)),
        [] if value_of(text, at).as_ref() == Some(value) => Ok(text.to_owned()),
        [] if let (Kind::Object(_), Value::Object(wanted)) = (&at.kind, value) => {
            wanted.iter().try_fold(text.to_owned(), |text, (key, value)| {
                let path: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
                put_member(&text, &path, value)
            })
        }
        [] => {
            let written = pretty(value, &unit(text), &indent(text, at.span.start));
            let mut out = text.to_owned();
            out.replace_range(at.span.clone(), &written);
            parse(&out).map(|_| out)
        }
    }
}

/// The text without the member that the path leads to, and without what it leaves empty on the way to it.
pub(crate) fn take_member(text: &str, path: &[&str]) -> Result<String, EditError> {
    let mut text = text.to_owned();
    // A name may stand twice.
    while !text.trim().is_empty() {
        let root = parse(&text)?;
        let mut chain: Vec<(&Node, usize)> = Vec::new();
        let mut at = &root;
        for key in path {
            let Kind::Object(members) = &at.kind else { break };
            let Some(index) = members.iter().rposition(|(name, _, _)| name == key) else { break };
            chain.push((at, index));
            at = &members[index].2;
        }
        if chain.len() < path.len() {
            break;
        }
        let alone = |node: &Node| matches!(&node.kind, Kind::Object(members) if members.len() == 1);
        while chain.len() > 1 && chain.last().is_some_and(|(above, _)| alone(above)) {
            chain.pop();
        }
        let Some((above, index)) = chain.last() else { break };
        let span = without(&text, above, *index);
        text.replace_range(span, "");
    }
    Ok(text)
}

/// What goes with an object's member or a list's element: itself and the comma that it needed.
pub(crate) fn without(text: &str, above: &Node, index: usize) -> Range<usize> {
    let spans: Vec<Range<usize>> = match &above.kind {
        Kind::Object(members) => members.iter().map(|(_, key, node)| key.start..node.span.end).collect(),
        Kind::Array(elements) => elements.iter().map(|node| node.span.clone()).collect(),
        _ => Vec::new(),
    };
    let own = spans.get(index).cloned().unwrap_or(above.span.end..above.span.end);
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
pub(crate) fn insert(text: &str, into: &Node, key: Option<&str>, value: &Value) -> Result<String, EditError> {
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

pub(crate) fn parse(text: &str) -> Result<Node, EditError> {
    syntax::parse(text).map_err(|broken| {
        EditError::Broken(text.get(..broken.0).unwrap_or_default().matches('\n').count() + 1)
    })
}

/// A value's own meaning, comments left out.
pub(crate) fn value_of(text: &str, node: &Node) -> Option<Value> {
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
pub(crate) fn pretty(value: &Value, unit: &str, indent: &str) -> String {
    let inner = format!("{indent}{unit}");
    match value {
        Value::Object(map) if !map.is_empty() => {
            let mut keys: Vec<&String> = map.keys().collect();
            order::by_key(&mut keys, |key| rank(key));
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
    use proptest::prelude::*;

    use super::*;

    const PATH: &[&str] = &["servers", "ours"];

    #[test]
    fn a_member_comes_and_goes_and_the_rest_stays() {
        let ours = json!({ "command": "/bin/x", "args": ["a", "b"] });
        for (text, after) in [
            (
                "{\n  // keep\n  \"z\": 1.0,\n  \"servers\": {\n    \"a\": {\"command\": \"x, y\"}\n  },\n  \"b\": [1]\n}\n",
                None,
            ),
            ("{ \"a\": 1 }", None),
            ("{\n\t\"servers\": {\n\t\t\"a\": {}\n\t}\n}", None),
            ("\u{feff}{\n    \"a\": 1,\n}\n", None),
            ("{\"servers\": {}}", Some("{}")),
            ("", Some("{}\n")),
            (
                "{\"servers\": {\"ours\": 1, \"ours\": {\"command\": \"old\"}, \"a\": {}}}",
                Some("{\"servers\": {\"a\": {}}}"),
            ),
        ] {
            let with = put_member(text, PATH, &ours).unwrap();
            let root = syntax::parse(&with).unwrap();
            let found = root.member("servers").and_then(|list| list.member("ours")).unwrap();
            assert_eq!(value_of(&with, found).as_ref(), Some(&ours), "{with}");
            assert_eq!(put_member(&with, PATH, &ours).unwrap(), with, "again changes nothing");
            assert_eq!(take_member(&with, PATH).unwrap(), after.unwrap_or(text), "{with}");
        }
        let added = "{\"servers\": {\"ours\": {\"env\": {\"A\": \"1\"}, \"command\": \"old\", \"args\": [\"a\", \"b\"]}}}";
        assert_eq!(put_member(added, PATH, &ours).unwrap(), added.replace("old", "/bin/x"));
        assert_eq!(take_member("{\"a\": 1}", PATH).unwrap(), "{\"a\": 1}");
        assert_eq!(take_member("", PATH).unwrap(), "");
    }

    /// An object as people lay it out: on one line or several, with comments and commas where they like them.
    fn object() -> impl Strategy<Value = String> {
        let member = prop_oneof![
            Just("\"a\": 1"),
            Just("\"b\" : [1, {\"c\": \"}\"}]"),
            Just("\"ours\": {\"x\": null}"),
            Just("\"list\": []"),
            Just("\"other\": {\"ours\": true}"),
        ];
        let between = prop_oneof![
            Just(", "),
            Just(","),
            Just(",\n  "),
            Just(", // c\r\n\t"),
            Just(" /* d */,\n\n    ")
        ];
        let edge = prop_oneof![Just(""), Just(" "), Just("\n  "), Just("\r\n\t"), Just(" // e\n  ")];
        let end =
            prop_oneof![Just(""), Just("\n"), Just(" "), Just(",\n"), Just(" // f\n"), Just(" /* g */ ")];
        let members = proptest::collection::vec((member, between), 1..4);
        (members, edge, end, any::<bool>()).prop_map(|(members, edge, end, mark)| {
            let mut text = format!("{}{{{edge}", if mark { "\u{feff}" } else { "" });
            for (index, (member, between)) in members.iter().enumerate() {
                text.push_str(if index > 0 { between } else { "" });
                text.push_str(member);
            }
            format!("{text}{end}}}\n")
        })
    }

    proptest! {
        #[test]
        fn taking_out_what_was_put_in_gives_the_same_bytes(text in object()) {
            let ours = json!({ "command": "/bin/x", "args": ["a"] });
            let with = put_member(&text, PATH, &ours).unwrap();
            prop_assert_eq!(put_member(&with, PATH, &ours).unwrap(), with.clone());
            prop_assert_eq!(take_member(&with, PATH).unwrap(), text, "{}", with);
        }
    }

    #[test]
    fn what_is_of_another_form_is_left_alone() {
        for (text, said) in
            [("[]", "servers"), ("{\"servers\": []}", "ours"), ("{\n\"a\": }", "line 2"), ("{", "line 1")]
        {
            let error = put_member(text, PATH, &json!(1)).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        assert_eq!(take_member("{\"servers\": []}", PATH).unwrap(), "{\"servers\": []}");
    }
}
