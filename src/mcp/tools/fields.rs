//! What tools take: one declaration that is both the schema which is published and the check of what comes.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::json as strict;
use crate::mcp::framing::MESSAGE_LIMIT;

/// What a field may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text that is not empty.
    Text,
    /// True or false.
    Flag,
    /// An object.
    Object,
    /// An object, or that object's JSON in a text.
    Document,
    /// A list of claims with their proof.
    Claims,
    /// A list of texts, of which the first is not empty.
    Texts,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl Kind {
    fn expected(self) -> String {
        let said = match self {
            Self::Text => "a text that is not empty",
            Self::Flag => "true or false",
            Self::Object => "an object",
            Self::Document => "an object, or a text with that object's JSON",
            Self::Claims => "a list of objects with target, key and raw",
            Self::Texts => "a list of texts",
            Self::Choice(words) => return format!("one of {}", words.join(", ")),
        };
        said.to_owned()
    }

    fn fits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Text, Value::String(text)) => !text.is_empty(),
            (Self::Document, Value::String(text)) => !text.trim().is_empty(),
            (Self::Flag, Value::Bool(_)) | (Self::Object | Self::Document, Value::Object(_)) => true,
            (Self::Claims, Value::Array(items)) => items.iter().all(Value::is_object),
            (Self::Texts, Value::Array(items)) => {
                items.iter().all(Value::is_string) && items.first().is_some_and(|first| first != "")
            }
            (Self::Choice(words), Value::String(text)) => words.contains(&text.as_str()),
            _ => false,
        }
    }

    fn schema(self) -> Value {
        match self {
            Self::Text => json!({ "type": "string", "minLength": 1 }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::Choice(words) => json!({ "type": "string", "enum": words }),
            Self::Object => json!({ "type": "object" }),
            Self::Texts => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
            // Not a list of types: some models take schemas with one type in each place only.
            Self::Document => json!({ "anyOf": [{ "type": "object" }, { "type": "string" }] }),
            Self::Claims => json!({
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "target": { "type": "string", "description": "The target's id, as in the report." },
                        "key": { "type": "string", "description": "Key of the missing evidence." },
                        "raw": { "type": "string", "description": "The command's whole output, unchanged." },
                        "value": { "anyOf": [{ "type": "boolean" }, { "type": "integer" }, { "type": "string" }], "description": "May be left out. What the output shows: a count, true or false, or a word." },
                        "argv": { "type": "array", "items": { "type": "string" }, "description": "May be left out. The command's words." }
                    },
                    "required": ["target", "key", "raw"],
                    "additionalProperties": false
                }
            }),
        }
    }
}

/// One field of a tool's input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) required: bool,
    pub(super) about: &'static str,
}

/// A field that may be left out.
pub(super) const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, kind, required: false, about }
}

/// A field that must be there.
pub(super) const fn required(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, kind, required: true, about }
}

/// The JSON Schema of these fields.
pub(super) fn schema(fields: &[Field]) -> Value {
    let mut properties = Map::new();
    for field in fields {
        let mut schema = field.kind.schema();
        if let Some(members) = schema.as_object_mut() {
            members.insert("description".to_owned(), json!(field.about));
        }
        properties.insert(field.name.to_owned(), schema);
    }
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if let (false, Some(members)) = (required.is_empty(), schema.as_object_mut()) {
        members.insert("required".to_owned(), json!(required));
    }
    schema
}

/// Arguments that fit a tool's fields.
#[derive(Debug)]
pub(super) struct Arguments<'a> {
    values: Map<String, Value>,
    raw: &'a str,
}

impl<'a> Arguments<'a> {
    /// Reads and checks them. Every name may stand once, and only names that the tool has: an argument that is not
    /// understood could have been the one that matters.
    ///
    /// # Errors
    /// What is wrong and what was expected, in words.
    pub(super) fn read(raw: Option<&'a RawValue>, fields: &[Field]) -> Result<Self, String> {
        let raw = raw.map_or("{}", |raw| if raw.get() == "null" { "{}" } else { raw.get() });
        strict::parse(raw.as_bytes(), MESSAGE_LIMIT)
            .map_err(|error| format!("the arguments are not usable: {error}"))?;
        // The strict reading made doubles of all numbers.
        let values: Map<String, Value> =
            serde_json::from_str(raw).map_err(|error| format!("the arguments are not usable: {error}"))?;
        let mut wrong = Vec::new();
        for (name, value) in &values {
            match fields.iter().find(|field| field.name == name) {
                None => {
                    let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
                    let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
                    let name = super::super::protocol::shorten(name);
                    wrong.push(format!("`{name}` is not expected here (this tool takes {known})"));
                }
                Some(field) if !field.required && value.is_null() => {}
                Some(field) if !field.kind.fits(value) => {
                    wrong.push(format!("`{name}` is {}, expected {}", shape(value), field.kind.expected()));
                }
                Some(_) => {}
            }
        }
        for field in fields.iter().filter(|field| field.required && !values.contains_key(field.name)) {
            wrong.push(format!(
                "`{}` is missing, expected {}: {}",
                field.name,
                field.kind.expected(),
                field.about
            ));
        }
        if wrong.is_empty() { Ok(Self { values, raw }) } else { Err(wrong.join("; ")) }
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).and_then(Value::as_str)
    }

    /// A list of texts; none where it was not given.
    pub(super) fn texts(&self, name: &str) -> Option<Vec<&str>> {
        Some(self.values.get(name)?.as_array()?.iter().filter_map(Value::as_str).collect())
    }

    /// A value; null is none.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.values.get(name).filter(|value| !value.is_null())
    }

    /// A document's JSON as it came: an object's text, or the text in a text.
    pub(super) fn document(&self, name: &str) -> Option<String> {
        if let Some(text) = self.text(name) {
            return Some(text.to_owned());
        }
        self.value(name)?;
        let members: std::collections::HashMap<String, &RawValue> = serde_json::from_str(self.raw).ok()?;
        members.get(name).map(|raw| raw.get().to_owned())
    }
}

fn shape(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(text) if text.trim().is_empty() => "an empty text",
        Value::String(_) => "a text",
        Value::Array(items) if items.is_empty() => "an empty list",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[Field] = &[
        required("command", Kind::Text, "The command."),
        optional("plan", Kind::Document, "The plan."),
        optional("evidence", Kind::Claims, "Claims."),
        optional("classifier", Kind::Flag, "Whether."),
        optional("detail", Kind::Choice(&["brief", "full"]), "How much."),
    ];

    fn read(text: &str) -> Result<String, String> {
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        Arguments::read(Some(&raw), FIELDS)
            .map(|found| format!("{:?} {:?}", found.text("command"), found.document("plan")))
    }

    #[test]
    fn every_error_names_what_was_expected() {
        for (text, said) in [
            ("{}", "`command` is missing, expected a text"),
            (r#"{"command": 5}"#, "`command` is a number, expected a text"),
            (r#"{"command": null}"#, "`command` is null"),
            (r#"{"command": ""}"#, "an empty text"),
            (r#"{"command": "ls", "cmd": "x"}"#, "`cmd` is not expected here (this tool takes command, plan"),
            (r#"{"command": "ls", "plan": []}"#, "`plan` is an empty list, expected an object, or"),
            (r#"{"command": "ls", "evidence": [{}, 1]}"#, "`evidence` is a list, expected a list of objects"),
            (r#"{"command": "ls", "classifier": "yes"}"#, "expected true or false"),
            (r#"{"command": "ls", "detail": "all"}"#, "`detail` is a text, expected one of brief, full"),
            (r#"{"command": "ls", "command": "rm -rf /"}"#, "not usable"),
            (r#"{"command": "\ud800"}"#, "not usable"),
            (r#"[1]"#, "not usable"),
        ] {
            let wrong = read(text).unwrap_err();
            assert!(wrong.contains(said), "{text}: {wrong}");
        }
        assert_eq!(read(r#"{"command": "ls", "plan": null}"#).unwrap(), "Some(\"ls\") None");
    }

    #[test]
    fn documents_are_taken_as_they_came() {
        let object = read(r#"{"command": "ls", "plan": {"a": 1.0,  "b":12345678901234567890123}}"#).unwrap();
        assert_eq!(object, r#"Some("ls") Some("{\"a\": 1.0,  \"b\":12345678901234567890123}")"#);
        assert_eq!(read(r#"{"command": "ls", "plan": "{}"}"#).unwrap(), r#"Some("ls") Some("{}")"#);
    }
}
