//! JSON as people keep it in settings files: comments and trailing commas stay, and every value knows where it stands.
//!
//! Reads positions only; values are never rewritten as a whole, so order, spacing and comments stay as they are.

use std::ops::Range;

/// Depth at which reading stops.
const DEEPEST: usize = 64;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// Its bytes.
    pub(crate) span: Range<usize>,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Members in order; the range is the key's, quotes included.
    Object(Vec<(String, Range<usize>, Node)>),
    /// Elements in order.
    Array(Vec<Node>),
    /// A string.
    Text(String),
    /// A number, truth value or null.
    Other,
}

impl Node {
    /// An object's member.
    pub(crate) fn member(&self, name: &str) -> Option<&Node> {
        match &self.kind {
            // As readers do: the last one of a name counts.
            Kind::Object(members) => {
                members.iter().rev().find(|(key, _, _)| key == name).map(|(_, _, node)| node)
            }
            _ => None,
        }
    }
}

/// Where a text stops being JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) usize);

/// Reads a whole text.
pub(crate) fn parse(text: &str) -> Result<Node, Broken> {
    let mut reader = Reader { text, at: 0 };
    reader.blank()?;
    let node = reader.value(0)?;
    reader.blank()?;
    if reader.at == text.len() { Ok(node) } else { Err(Broken(reader.at)) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn broken<T>(&self) -> Result<T, Broken> {
        Err(Broken(self.at))
    }

    /// Skips blanks and comments.
    fn blank(&mut self) -> Result<(), Broken> {
        loop {
            let rest = self.rest();
            let skipped = rest.len() - rest.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).len();
            self.at += skipped;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else { return self.broken() };
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Broken> {
        if depth > DEEPEST {
            return self.broken();
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                let end = self.rest().find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
                self.at += end.unwrap_or(self.rest().len());
                let word = self.text.get(start..self.at).unwrap_or_default();
                if serde_json::from_str::<serde_json::Value>(word).is_err() {
                    return Err(Broken(start));
                }
                Kind::Other
            }
            _ => return self.broken(),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn string(&mut self) -> Result<String, Broken> {
        let start = self.at;
        let mut escaped = false;
        for (offset, byte) in self.rest().bytes().enumerate().skip(1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.at += offset + 1;
                    let text = self.text.get(start..self.at).unwrap_or_default();
                    return serde_json::from_str(text).map_err(|_| Broken(start));
                }
                _ => {}
            }
        }
        self.broken()
    }

    /// After a value: whether another one may follow.
    fn next(&mut self, end: u8) -> Result<bool, Broken> {
        self.blank()?;
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.blank()?;
                Ok(true)
            }
            Some(byte) if byte == end => Ok(false),
            _ => self.broken(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Kind, Broken> {
        self.at += 1;
        self.blank()?;
        let mut members = Vec::new();
        while self.peek() != Some(b'}') {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return self.broken();
            }
            let key = self.string()?;
            let span = start..self.at;
            self.blank()?;
            if self.peek() != Some(b':') {
                return self.broken();
            }
            self.at += 1;
            self.blank()?;
            members.push((key, span, self.value(depth + 1)?));
            if !self.next(b'}')? {
                break;
            }
        }
        self.at += 1;
        Ok(Kind::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Kind, Broken> {
        self.at += 1;
        self.blank()?;
        let mut elements = Vec::new();
        while self.peek() != Some(b']') {
            elements.push(self.value(depth + 1)?);
            if !self.next(b']')? {
                break;
            }
        }
        self.at += 1;
        Ok(Kind::Array(elements))
    }
}
