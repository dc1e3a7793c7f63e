//! Requests to a server: what is sent may be a statement of a query language that deletes, and what comes may be written
//! under names that the address tells.

mod saved;

use crate::code::SqlVerb;
use crate::model::{Action, Value};
use crate::shell::{Invocation, Stdin};

use crate::effects::program::{Draft, Scene, sql};

/// See [`Room::Web`](crate::knowledge::Room::Web).
pub(super) struct Web;

impl super::Program for Web {
    fn does(&self, scene: &Scene<'_>, invocation: &Invocation, declared: Vec<Draft>) -> Vec<Draft> {
        let mut drafts = web(scene, invocation, declared);
        drafts.extend(saved::saved(scene, invocation));
        drafts
    }
}

/// Adds what the request's body, fields and query say.
fn web(scene: &Scene<'_>, invocation: &Invocation, mut drafts: Vec<Draft>) -> Vec<Draft> {
    let matched = &invocation.matched;
    let server = matched
        .operands
        .iter()
        .find(|operand| operand.name == "url" || operand.name == "word")
        .map_or(Value::Unknown, |operand| operand.value.clone());
    let mut texts: Vec<String> = Vec::new();
    let options = matched.options.iter().filter_map(|option| option.value.as_ref());
    for value in options.chain(matched.operands.iter().map(|operand| &operand.value)) {
        texts.extend(value.choices().unwrap_or_default().iter().cloned());
    }
    if texts.iter().any(|text| text == "@-" || text == "-")
        && let Stdin::Text(Value::Known(text)) = &invocation.stdin
    {
        texts.push(text.clone());
    }
    for text in &texts {
        if overrides(text) || mutates(text) {
            let whole = [server.clone()];
            drafts.push(Draft::of(scene.on_other(Action::Delete, "http.resource", &whole, &server)));
        }
        for statement in statements(text) {
            if deletes(&statement) {
                drafts.extend(sql::text(scene, "sql", &server, &Value::Known(statement)));
            }
        }
    }
    drafts
}

/// A header or field that turns the request into a deletion.
fn overrides(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    ["x-http-method-override:delete", "x-http-method:delete", "x-method-override:delete", "_method=delete"]
        .iter()
        .any(|form| text.contains(form))
}

/// A GraphQL mutation whose name says that something goes.
fn mutates(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let Some(at) = lower.find("mutation") else { return false };
    let rest = &lower[at..];
    let begins = rest.find('{').is_some();
    begins
        && rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| {
            ["delete", "remove", "destroy", "purge", "truncate", "drop"].iter().any(|v| word.starts_with(v))
        })
}

/// Names of fields that hold a statement.
const FIELDS: &[&str] = &["q", "query", "sql", "stmt", "statement", "statements", "command", "ddl"];

/// What may be a statement in a text that is sent: the text itself, or the value of a field of it.
fn statements(text: &str) -> Vec<String> {
    let mut found = vec![text.trim().to_owned()];
    let fields = text.split_once('?').map_or(text, |(_, query)| query);
    for field in fields.split('&') {
        if let Some((name, value)) = field.split_once('=')
            && FIELDS.contains(&name.trim().to_ascii_lowercase().as_str())
        {
            found.push(decoded(value));
        }
    }
    if let Ok(serde_json::Value::Object(object)) = serde_json::from_str(text) {
        for (name, value) in &object {
            let parts = match value {
                serde_json::Value::String(text) => vec![text.clone()],
                serde_json::Value::Array(list) => {
                    list.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect()
                }
                _ => Vec::new(),
            };
            if FIELDS.contains(&name.to_ascii_lowercase().as_str()) {
                found.extend(parts);
            }
        }
    }
    found
}

/// Percent signs and plus signs of a URL put back.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = bytes.get(at + 1..at + 3).and_then(|two| std::str::from_utf8(two).ok());
        match (byte, hex.and_then(|two| u8::from_str_radix(two, 16).ok())) {
            (b'%', Some(code)) => {
                plain.push(code);
                at += 2;
            }
            (b'+', _) => plain.push(b' '),
            _ => plain.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// Whether a text is a statement that takes something away.
fn deletes(text: &str) -> bool {
    let head = text.split_whitespace().next().unwrap_or("").to_ascii_lowercase();
    matches!(head.as_str(), "drop" | "delete" | "truncate" | "alter")
        && text.split_whitespace().count() > 1
        && crate::code::sql("sql", text)
            .iter()
            .any(|one| !matches!(one.verb, SqlVerb::Read | SqlVerb::Control | SqlVerb::Create))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_a_url_or_of_a_document_may_hold_a_statement() {
        let url = "http://h:8123/?user=a&query=DROP%20TABLE+users";
        assert!(statements(url).iter().any(|text| deletes(text)));
        assert!(statements(r#"{"stmt": "DELETE FROM t"}"#).iter().any(|text| deletes(text)));
        assert!(!statements(r#"{"text": "drop table users"}"#).iter().any(|text| deletes(text)));
        assert!(!statements("please drop table users").iter().any(|text| deletes(text)));
    }

    #[test]
    fn a_mutation_that_deletes_is_told_from_one_that_does_not() {
        assert!(mutates("mutation { deleteIssue(input: {}) { id } }"));
        assert!(!mutates("mutation { addStar(input: {}) { id } }"));
        assert!(!mutates("query { deletedIssues { id } }"));
    }
}
