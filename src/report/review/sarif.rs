//! The review as SARIF 2.1.0, which code scanning reads.
//!
//! Owns the form: one result a change that is not simply let through, the worst first, with a fingerprint that stays the same
//! from run to run.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::model::{Source, Verdict};
use crate::report::contract::{ConsequenceReport, MutationReport};
use crate::text::escape;

use super::group::{Group, groups};

/// The version's schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// Results of a run; code scanning takes no more.
const MOST: usize = 5_000;

/// The log. `file`: where the plan is, where it is a file.
pub(in crate::report) fn sarif(report: &ConsequenceReport, file: Option<&str>) -> Value {
    let mut rules: BTreeMap<String, Value> = BTreeMap::new();
    let mut results = Vec::new();
    let mut more = 0;
    for group in groups(report).iter().filter(|group| group.verdict > Verdict::Allow) {
        let id = rule_id(group);
        rules.entry(id.clone()).or_insert_with(|| rule(&id, group));
        for one in &group.members {
            if results.len() < MOST {
                results.push(result(&id, group, one, file));
            } else {
                more += 1;
            }
        }
    }
    let said: Vec<Value> = (more > 0)
        .then(|| json!({ "level": "error", "message": { "text": format!("{more} more changes are not listed here") } }))
        .into_iter()
        .collect();
    let mut invocation = json!({ "executionSuccessful": true });
    if !said.is_empty() {
        invocation["toolExecutionNotifications"] = json!(said);
    }
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "recourse",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules.into_values().collect::<Vec<Value>>(),
            } },
            "invocations": [invocation],
            "columnKind": "utf16CodeUnits",
            "results": results,
            "properties": { "verdict": report.risk_assessment, "reason": escape(&report.assessment_reason) },
        }],
    })
}

/// `delete/aws_instance`.
fn rule_id(group: &Group<'_>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '-' };
    format!("{}/{}", group.action, group.r#type().chars().map(plain).collect::<String>())
}

fn rule(id: &str, group: &Group<'_>) -> Value {
    json!({
        "id": id,
        "shortDescription": { "text": format!("{} of {}", group.action, escape(group.r#type())) },
        "defaultConfiguration": { "level": level(group.verdict) },
        "properties": { "tags": ["recoverability"] },
    })
}

fn level(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Block | Verdict::Escalate => "error",
        Verdict::Warn => "warning",
        Verdict::Allow => "note",
    }
}

fn result(id: &str, group: &Group<'_>, one: &MutationReport, file: Option<&str>) -> Value {
    let target = &one.intent.target;
    let mut text =
        format!("{} {}: {}", group.action, escape(&target.id), escape(&one.recoverability.reasoning));
    if let Some((_, said)) = super::group::because(one) {
        text.push_str(&format!(" ({})", escape(said)));
    }
    if let Some(said) = &one.decided {
        text.push_str(&format!(" [{}]", escape(said)));
    }
    let kind = if one.intent.source == Source::Terraform { "resource" } else { "member" };
    let mut location =
        json!({ "logicalLocations": [{ "fullyQualifiedName": escape(&target.id), "kind": kind }] });
    if let Some(file) = file {
        location["physicalLocation"] =
            json!({ "artifactLocation": { "uri": uri(file) }, "region": { "startLine": 1 } });
    }
    json!({
        "ruleId": id,
        "level": level(group.verdict),
        "message": { "text": text },
        "locations": [location],
        "partialFingerprints": { "recourse/v1": fingerprint(&[id, &target.id, one.recoverability.label]) },
        "properties": {
            "verdict": group.verdict,
            "recoverability": one.recoverability.label,
            "recovery": one.recovery.iter().map(|step| escape(step)).collect::<Vec<_>>(),
        },
    })
}

fn fingerprint(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// A path as a relative reference.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.strip_prefix("./").unwrap_or(path).bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    if out.starts_with('/') { format!("file://{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        for (path, want) in
            [("./a b.json", "a%20b.json"), ("/tmp/é", "file:///tmp/%C3%A9"), ("a:b#c", "a%3Ab%23c")]
        {
            assert_eq!(uri(path), want);
        }
    }
}
