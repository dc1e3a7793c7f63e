//! YAML with the places of its values, for files that people and CI systems keep.
//!
//! Owns the tree that events become: anchors put in, `<<` merged, duplicate keys refused, all of it bounded. Scalars stay
//! texts: what type another program would take them for is its own affair. Pure.

use std::collections::HashMap;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle, Span as Range};

/// Collections within each other deeper than this are refused.
const DEPTH: usize = 64;
/// Values of one file, those that an alias repeats counted again.
const NODES: usize = 500_000;

/// Why a text is no YAML that is read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct YamlError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// What the file says its type is, for example `reference` for `!reference`.
    pub tag: Option<String>,
    /// First line, from 1.
    pub line: usize,
    /// Column of its first character, from 1.
    pub column: usize,
    /// Last line.
    pub end_line: usize,
    /// Values in it, itself included.
    size: usize,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text, a number, a truth value: as it is written. `plain`: without quotes, in one or several lines.
    Scalar {
        /// The text.
        text: String,
        /// It stands there without quotes or a block mark.
        plain: bool,
    },
    /// A list.
    List(Vec<Rc<Node>>),
    /// Keys and values in order.
    Map(Vec<(Key, Rc<Node>)>),
}

/// A key and the line that it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key.
    pub name: String,
    /// The line.
    pub line: usize,
}

impl Node {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Rc<Node>> {
        self.entries().iter().find(|(known, _)| known.name == key).map(|(_, value)| value)
    }

    /// The value at the end of these keys.
    pub fn at(&self, keys: &[&str]) -> Option<&Rc<Node>> {
        let (first, rest) = keys.split_first()?;
        let value = self.get(first)?;
        if rest.is_empty() { Some(value) } else { value.at(rest) }
    }

    /// Keys and values; none for what is no map.
    pub fn entries(&self) -> &[(Key, Rc<Node>)] {
        if let Value::Map(entries) = &self.value { entries } else { &[] }
    }

    /// The values of a list; none for what is no list.
    pub fn items(&self) -> &[Rc<Node>] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }

    /// The text of a scalar. What is written as nothing (`key:`, `~`) has none.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, plain } if !(*plain && matches!(text.as_str(), "" | "~" | "null")) => {
                Some(text)
            }
            _ => None,
        }
    }

    /// The same as JSON has it, every scalar a text.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Scalar { .. } => {
                self.text().map_or(serde_json::Value::Null, |text| serde_json::Value::String(text.to_owned()))
            }
            Value::List(items) => items.iter().map(|item| item.to_json()).collect(),
            Value::Map(entries) => {
                entries.iter().map(|(key, value)| (key.name.clone(), value.to_json())).collect()
            }
        }
    }
}

/// The documents of a text.
///
/// # Errors
/// [`YamlError`] for what is no YAML, has a key twice, refers to what is not there, or is beyond the bounds.
pub fn documents(text: &str) -> Result<Vec<Rc<Node>>, YamlError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, range) = event
            .map_err(|error| YamlError { line: error.marker().line(), what: error.info().to_owned() })?;
        builder.take(event, range)?;
    }
    Ok(builder.documents)
}

/// The first document of a text, if there is one.
///
/// # Errors
/// As [`documents`].
pub fn read(text: &str) -> Result<Option<Rc<Node>>, YamlError> {
    Ok(documents(text)?.into_iter().next())
}

/// A collection that is being read.
struct Open {
    node: Node,
    anchor: usize,
    /// The key whose value comes next.
    key: Option<Key>,
    /// Maps that `<<` names: what they hold counts only where the map itself says nothing.
    merged: Vec<Rc<Node>>,
}

#[derive(Default)]
struct Builder {
    documents: Vec<Rc<Node>>,
    open: Vec<Open>,
    anchors: HashMap<usize, Rc<Node>>,
    nodes: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, range: Range) -> Result<(), YamlError> {
        let at = |what: &str| YamlError { line: range.start.line(), what: what.to_owned() };
        let node = |value: Value, tag: Option<String>| Node {
            value,
            tag,
            line: range.start.line(),
            column: range.start.col() + 1,
            end_line: range.end.line(),
            size: 1,
        };
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag.map(|tag| tag.suffix.clone());
                let plain = style == ScalarStyle::Plain;
                self.done(node(Value::Scalar { text: text.into_owned(), plain }, tag), anchor, range)
            }
            Event::SequenceStart(anchor, tag) => {
                let tag = tag.map(|tag| tag.suffix.clone());
                self.begin(node(Value::List(Vec::new()), tag), anchor, range)
            }
            Event::MappingStart(anchor, tag) => {
                let tag = tag.map(|tag| tag.suffix.clone());
                self.begin(node(Value::Map(Vec::new()), tag), anchor, range)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else { return Err(at("an end without a beginning")) };
                let Open { mut node, anchor, merged, .. } = open;
                merge(&mut node, &merged);
                node.end_line = range.end.line();
                self.done(node, anchor, range)
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor).cloned() {
                Some(known) => self.put(known, range),
                None => Err(at("an alias of what stands nowhere before it")),
            },
            _ => Ok(()),
        }
    }

    fn begin(&mut self, node: Node, anchor: usize, range: Range) -> Result<(), YamlError> {
        if self.open.len() >= DEPTH {
            let what = "collections are nested too deep".to_owned();
            return Err(YamlError { line: range.start.line(), what });
        }
        self.open.push(Open { node, anchor, key: None, merged: Vec::new() });
        Ok(())
    }

    fn done(&mut self, node: Node, anchor: usize, range: Range) -> Result<(), YamlError> {
        let node = Rc::new(node);
        if anchor > 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        self.put(node, range)
    }

    /// Puts a value where it belongs.
    fn put(&mut self, node: Rc<Node>, range: Range) -> Result<(), YamlError> {
        let wrong = |what: String| YamlError { line: range.start.line(), what };
        self.nodes += node.size;
        if self.nodes > NODES {
            return Err(wrong("it holds more values than are read".to_owned()));
        }
        let Some(open) = self.open.last_mut() else {
            self.documents.push(node);
            return Ok(());
        };
        open.node.size += node.size;
        match (&mut open.node.value, open.key.take()) {
            (Value::List(items), _) => items.push(node),
            (Value::Map(_), None) => {
                let name = match &node.value {
                    Value::Scalar { text, .. } => text.clone(),
                    // A collection as a key names nothing that is looked for.
                    _ => format!("\u{0}{}", open.node.size),
                };
                open.key = Some(Key { name, line: range.start.line() });
            }
            (Value::Map(_), Some(key)) if key.name == "<<" => match &node.value {
                Value::List(all) => open.merged.extend(all.iter().cloned()),
                _ => open.merged.push(node),
            },
            (Value::Map(entries), Some(key)) => {
                if entries.iter().any(|(known, _)| known.name == key.name) {
                    return Err(wrong(format!("the key {} stands there twice", key.name)));
                }
                entries.push((key, node));
            }
            (Value::Scalar { .. }, _) => return Err(wrong("a value within a text".to_owned())),
        }
        Ok(())
    }
}

/// Adds what `<<` brings: what the map says itself comes first, then the maps in their order.
fn merge(node: &mut Node, merged: &[Rc<Node>]) {
    let Value::Map(entries) = &mut node.value else { return };
    for (key, value) in merged.iter().flat_map(|map| map.entries()) {
        if !entries.iter().any(|(known, _)| known.name == key.name) {
            entries.push((key.clone(), Rc::clone(value)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Rc<Node> {
        read(text).unwrap().unwrap()
    }

    #[test]
    fn values_know_their_lines() {
        let node = one("a: 1\nb:\n  - x\n  - |\n    rm -rf a\n    ls\nc: >-\n  one\n  two\n");
        assert_eq!(node.get("a").unwrap().line, 1);
        let block = &node.get("b").unwrap().items()[1];
        assert_eq!(block.text(), Some("rm -rf a\nls\n"));
        assert_eq!(node.get("c").unwrap().text(), Some("one two"));
        assert_eq!(node.at(&["b"]).unwrap().line, 3);
    }

    #[test]
    fn anchors_and_merged_maps_are_put_in() {
        let node = one("a: &x\n  k: 1\n  l: 2\nb:\n  <<: *x\n  k: 3\nc: [*x]\nd: !reference [a, k]\n");
        assert_eq!(node.at(&["b", "k"]).unwrap().text(), Some("3"));
        assert_eq!(node.at(&["b", "l"]).unwrap().text(), Some("2"));
        assert_eq!(node.get("c").unwrap().items()[0].get("l").unwrap().text(), Some("2"));
        assert_eq!(node.get("d").unwrap().tag.as_deref(), Some("reference"));
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        for text in ["a: *x\n", "a: [b\n", "a: 1\na: 2\n", "a:\n\t- b: c\n", "a: b: c\n"] {
            assert!(documents(text).is_err(), "{text:?}");
        }
        let deep = "[".repeat(100) + &"]".repeat(100);
        assert!(documents(&deep).is_err());
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..9 {
            let before = format!("*a{},", level - 1).repeat(10);
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", before.trim_end_matches(',')));
        }
        assert!(documents(&bomb).is_err());
        assert_eq!(documents("").unwrap(), []);
        assert_eq!(read("a:\n").unwrap().unwrap().get("a").unwrap().text(), None);
    }
}
