//! Where in a data file something is wrong, and what was probably meant.
//!
//! Owns the error of a file that cannot be used ([`LoadError`]) and the way from a key to its line.

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::as_json;
pub(super) use super::nearest::distance;
pub use super::nearest::{did_you_mean, nearest};

/// A data file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct LoadError {
    /// Name of the file.
    pub file: String,
    /// Where in it; none where it is the file as a whole.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

/// Something wrong below a key, before the file is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Keys and numbers of list entries that lead there.
    at: Vec<String>,
    /// The exact place, where the reader told it.
    byte: Option<usize>,
    message: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self { at: Vec::new(), byte: None, message }
    }
}

impl From<toml::de::Error> for Fault {
    fn from(error: toml::de::Error) -> Self {
        let message = with_hint(error.message().trim_end());
        Self { at: Vec::new(), byte: error.span().map(|span| span.start), message }
    }
}

impl Fault {
    /// The same, seen from further up.
    pub(super) fn below<S: Into<String>>(mut self, steps: impl IntoIterator<Item = S>) -> Self {
        self.at.splice(0..0, steps.into_iter().map(Into::into));
        self
    }

    /// The same, saying of what.
    pub(super) fn of(mut self, what: &str) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// The error with its file and line.
    pub(super) fn in_file(self, file: &str, text: &str) -> LoadError {
        let line = match self.byte {
            Some(byte) => Some(line_at(text, byte)),
            None => line_of(text, &self.at),
        };
        LoadError { file: file.to_owned(), line, message: self.message }
    }
}

/// Reads one table strictly.
pub(super) fn read<T: DeserializeOwned>(table: Spanned<DeTable<'_>>) -> Result<T, Fault> {
    let span = table.span();
    read_value(&Spanned::new(span, DeValue::Table(table.into_inner())))
}

/// Reads one value strictly.
pub(super) fn read_value<T: DeserializeOwned>(value: &Spanned<DeValue<'_>>) -> Result<T, Fault> {
    let fault = |(message, byte): (String, usize)| Fault {
        at: Vec::new(),
        byte: Some(byte),
        message: with_hint(&message),
    };
    as_json::read(value).map_err(fault)
}

/// The line, from 1, in which a place stands.
fn line_at(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|b| *b == b'\n').count() + 1
}

/// The line of what a path of keys and list numbers leads to, or of the last step on the way that is there.
pub(super) fn line_of(text: &str, at: &[String]) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut table: Option<&DeTable<'_>> = Some(root.get_ref());
    let mut list: Option<&[Spanned<DeValue<'_>>]> = None;
    let mut byte = None;
    for step in at {
        let value = match (table, list) {
            (Some(table), _) => {
                let Some((key, value)) = table.iter().find(|(key, _)| key.get_ref() == step.as_str()) else {
                    break;
                };
                // A table of its own begins at its header, a list of tables at that of its first.
                byte = Some(key.span().start);
                value
            }
            (None, Some(list)) => {
                let Some(value) = step.parse().ok().and_then(|number: usize| list.get(number)) else { break };
                byte = Some(value.span().start);
                value
            }
            (None, None) => break,
        };
        table = value.get_ref().as_table();
        list = value.get_ref().as_array().map(|list| &list[..]);
    }
    byte.map(|byte| line_at(text, byte))
}

/// The reader's complaint about a name lists what is allowed: the nearest of it is said as well.
fn with_hint(message: &str) -> String {
    if !message.starts_with("unknown ") {
        return message.to_owned();
    }
    let mut names = message.split('`').skip(1).step_by(2);
    let Some(wrong) = names.next() else { return message.to_owned() };
    format!("{message}{}", did_you_mean(wrong, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name() {
        let known = ["outfile", "appendfile", "path", "file", "git.branch"];
        assert_eq!(nearest("outfle", known), Some("outfile"));
        assert_eq!(nearest("filee", known), Some("file"));
        assert_eq!(nearest("aptendfiel", known), Some("appendfile"));
        assert_eq!(nearest("git.brunch", known), Some("git.branch"));
        assert_eq!(nearest("zz", known), None);
        assert_eq!(distance("ab", "ba"), 1);
    }

    #[test]
    fn a_line_is_found_through_tables_and_lists() {
        let text = "tool = \"x\"\n\n[cmd.a]\nreads = true\n\n[[cmd.a.effect]]\ndo = \"delete\"\n\n[[cmd.a.effect]]\ndo = \"read\"\n";
        let line = |at: &[&str]| line_of(text, &at.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        assert_eq!(line(&["cmd", "a", "reads"]), Some(4));
        assert_eq!(line(&["cmd", "a", "effect", "1", "do"]), Some(10));
        assert_eq!(line(&["cmd", "a", "effect", "1"]), Some(9));
        assert_eq!(line(&["cmd", "a", "nothing"]), Some(3));
        assert_eq!(line(&["nothing"]), None);
    }
}
