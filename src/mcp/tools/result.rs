//! What tools give back: structured content and the same as text, within the size that clients take.
//!
//! The text is the same JSON because the protocol asks for it: revisions before 2025-06-18 know no structured content, and
//! many clients hand only the text to their model. A client that has both hands over one of them, so a model pays once.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::mcp::protocol::ANSWER_LIMIT;
use crate::order;
use crate::report::{BRIEF_SCHEMA, ConsequenceReport, SCHEMA, SCHEMA_VERSION};
use crate::text::escape;

/// What a report that is cut may still measure: it is sent twice, once with every quotation mark escaped.
const CUT: usize = 2 << 20;
/// The longest text in a report that is cut.
const TEXT: usize = 2000;
/// The longest of its lists but the mutations.
const LIST: usize = 50;

/// The result with this JSON object.
pub(super) fn structured(json: &str) -> String {
    let text = serde_json::to_string(json).unwrap_or_else(|_| "\"\"".to_owned());
    format!(
        "{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}],\"structuredContent\":{json},\"isError\":false}}"
    )
}

/// The result with this answer, in which nothing hides or moves what is read.
pub(super) fn shown(answer: &impl Serialize) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(answer)?;
    // What needs no change is most, and is not read once more.
    if !json.bytes().any(|byte| byte == b'\\' || byte == 0x7f || !byte.is_ascii()) {
        return Ok(structured(&json));
    }
    Ok(structured(&visible(&json, Hidden::Written)))
}

/// The result with this answer and one more text, whose lines stay lines whatever names in them say.
pub(super) fn with_lines(mut answer: Value, name: &str, lines: &[String]) -> String {
    escape_all(&mut answer);
    if let Some(members) = answer.as_object_mut() {
        let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
        members.insert(name.to_owned(), json!(lines.join("\n")));
    }
    structured(&answer.to_string())
}

/// Makes what hides or moves text visible in all texts of a value.
fn escape_all(value: &mut Value) {
    match value {
        Value::String(text) => *text = escape(text),
        Value::Array(items) => items.iter_mut().for_each(escape_all),
        Value::Object(members) => members.values_mut().for_each(escape_all),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What becomes of a character that hides or moves text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hidden {
    /// It is written out: `\\u{202e}` stands in its place.
    Written,
    /// It is the same text, in an escape of JSON: what is signed is compared.
    Same,
}

/// JSON without such characters.
fn visible(json: &str, hidden: Hidden) -> String {
    let mut out = String::with_capacity(json.len() + 16);
    let put = |c: char, out: &mut String| {
        let seen = escape(c.encode_utf8(&mut [0; 4]));
        match hidden {
            _ if seen.len() == c.len_utf8() => out.push(c),
            Hidden::Written => out.push_str(&seen.replace('\\', "\\\\")),
            Hidden::Same => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    };
    let mut chars = json.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            put(c, &mut out);
            continue;
        }
        match chars.next() {
            Some('n') => put('\n', &mut out),
            Some('t') => put('\t', &mut out),
            Some('r') => put('\r', &mut out),
            Some('b') => put('\u{8}', &mut out),
            Some('f') => put('\u{c}', &mut out),
            Some('u') => {
                let code: String = chars.by_ref().take(4).collect();
                match u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).filter(|c| c.is_control())
                {
                    Some(c) => put(c, &mut out),
                    None => out.push_str(&format!("\\u{code}")),
                }
            }
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

/// The result with a report's JSON; of a report that is too large, with its worst part.
pub(super) fn report(json: &str, report: &ConsequenceReport, attestation: Option<&str>) -> String {
    // What is signed stays the same text; what is not is told as in every other answer.
    let hidden = if attestation.is_some() { Hidden::Same } else { Hidden::Written };
    let json = &visible(json, hidden);
    // Escaping at most doubles what is ASCII text; control characters are escaped in the report already.
    if json.len() < ANSWER_LIMIT / 4 {
        return structured(json);
    }
    let whole = structured(json);
    if whole.len() <= ANSWER_LIMIT {
        return whole;
    }
    structured(&visible(&cut(report, attestation).to_string(), Hidden::Written))
}

/// The worst mutations first, as many as there is room for, and a note that says so.
fn cut(report: &ConsequenceReport, attestation: Option<&str>) -> Value {
    let mut head = report.clone();
    let mut mutations = std::mem::take(&mut head.mutations);
    let all = mutations.len();
    // Tier 5 stands between a backup and a sure loss.
    order::by_key(&mut mutations, |mutation| match mutation.recoverability.tier {
        4 => 0,
        5 => 1,
        tier => 10 - tier,
    });
    let mut value = serde_json::to_value(&head).unwrap_or_else(|_| json!({}));
    shorten(&mut value);
    let mut kept = Vec::new();
    let mut room = CUT;
    for mutation in &mutations {
        let Ok(mut shown) = serde_json::to_value(mutation) else { break };
        shorten(&mut shown);
        let size = shown.to_string().len();
        if size > room {
            break;
        }
        room -= size;
        kept.push(shown);
    }
    let note = format!(
        "The report is larger than clients take. The {} worst of {all} mutations are listed, long texts are cut; the verdict \
         and the numbers are of the whole. For all of it: recourse evaluate … --format json, on the command line.",
        kept.len()
    );
    if let Some(members) = value.as_object_mut() {
        let mut truncated = json!({ "omittedMutations": all - kept.len(), "note": note });
        if let (Some(uri), Some(truncated)) = (attestation, truncated.as_object_mut()) {
            truncated.insert("attestationUri".to_owned(), json!(uri));
        }
        members.insert("mutations".to_owned(), Value::Array(kept));
        members.insert("truncated".to_owned(), truncated);
    }
    value
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((at, _)) = text.char_indices().nth(TEXT) {
                text.truncate(at);
                text.push('…');
            }
        }
        Value::Array(items) => {
            items.truncate(LIST);
            items.iter_mut().for_each(shorten);
        }
        Value::Object(members) => members.values_mut().for_each(shorten),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What is published with every evaluating tool: enough to check and to read the verdict. The rest is said once, in
/// [`schemas`], for a model pays for it again in each tool.
pub(super) fn report_schema() -> Value {
    json!({
        "type": "object",
        "description": "A consequence report; recourse://schema/report says all of it.",
        "properties": {
            "schemaVersion": { "const": SCHEMA_VERSION },
            "riskAssessment": { "enum": ["allow", "warn", "escalate", "block"] },
            "assessmentReason": { "type": "string" },
            "summary": { "type": "object" },
            "mutations": { "type": "array", "items": { "type": "object" } },
        },
        "required": ["schemaVersion", "riskAssessment", "assessmentReason", "summary", "mutations"],
    })
}

/// The schemas of both forms of a report, the whole with what this front end may add.
pub(super) fn schemas() -> String {
    let read = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| json!({ "type": "object" }));
    let (brief, mut full): (Value, Value) = (read(BRIEF_SCHEMA), read(SCHEMA));
    let added = json!({
        "attestation": { "type": "object", "description": "Signed proof of this evaluation, when attestation is on." },
        "truncated": {
            "type": "object",
            "description": "Present when the report was too large: what is left out.",
            "properties": {
                "omittedMutations": { "type": "integer", "minimum": 0 },
                "note": { "type": "string" },
                "attestationUri": { "type": "string" }
            },
            "required": ["omittedMutations", "note"]
        }
    });
    if let (Some(Value::Object(properties)), Value::Object(added)) = (full.get_mut("properties"), added) {
        for (name, schema) in added {
            properties.entry(name).or_insert(schema);
        }
    }
    json!({ "brief": brief, "full": full }).to_string()
}

/// An object's schema with these members, all of them always there.
pub(super) fn object(members: Value) -> Value {
    let required: Vec<String> =
        members.as_object().map(|map: &Map<String, Value>| map.keys().cloned().collect()).unwrap_or_default();
    json!({ "type": "object", "properties": members, "required": required, "additionalProperties": false })
}
