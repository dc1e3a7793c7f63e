//! JSON as people keep it in settings files: comments and trailing commas stay, and every value knows where it stands.
//!
//! Reads positions only; values are never rewritten as a whole, so order, spacing and comments stay as they are. The parser
//! is a library's: its own editing would put objects of one line on several, so only its tree is used.

use std::ops::Range;

use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

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

/// Comments and trailing commas, and nothing else that JSON has not.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Reads a whole text.
pub(crate) fn parse(text: &str) -> Result<Node, Broken> {
    let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - plain.len();
    let parsed = parse_to_ast(plain, &CollectOptions::default(), &STRICT)
        .map_err(|error| Broken(mark + error.range().start))?;
    Ok(node(&parsed.value.ok_or(Broken(text.len()))?, mark))
}

/// A value of the library's tree, `mark` bytes further behind.
fn node(value: &Value<'_>, mark: usize) -> Node {
    let range = value.range();
    let kind = match value {
        Value::Object(object) => {
            Kind::Object(object.properties.iter().map(|member| property(member, mark)).collect())
        }
        Value::Array(array) => {
            Kind::Array(array.elements.iter().map(|element| node(element, mark)).collect())
        }
        Value::StringLit(string) => Kind::Text(string.value.to_string()),
        Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => Kind::Other,
    };
    Node { span: mark + range.start..mark + range.end, kind }
}

fn property(member: &ObjectProp<'_>, mark: usize) -> (String, Range<usize>, Node) {
    let name = member.name.range();
    (member.name.as_str().to_owned(), mark + name.start..mark + name.end, node(&member.value, mark))
}
