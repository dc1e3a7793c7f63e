//! The findings as SARIF 2.1.0, which code scanning reads.
//!
//! Facts: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::model::Verdict;

use super::finding::Finding;
use super::{Report, below};

/// The whole log.
pub(super) fn log(report: &Report) -> Value {
    let mut rules: BTreeMap<&str, Verdict> = BTreeMap::new();
    for finding in &report.findings {
        let worst = rules.entry(&finding.rule).or_insert(finding.verdict);
        *worst = (*worst).max(finding.verdict);
    }
    let index: BTreeMap<&str, usize> = rules.keys().enumerate().map(|(at, name)| (*name, at)).collect();
    let described: Vec<Value> = rules.iter().map(|(name, worst)| rule(name, *worst)).collect();
    let results: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| result(finding, index.get(finding.rule.as_str()).copied().unwrap_or(0)))
        .collect();
    let notes: Vec<Value> = report
        .not_read
        .iter()
        .map(|unseen| {
            let mut place =
                json!({ "artifactLocation": { "uri": uri(&unseen.file), "uriBaseId": "%SRCROOT%" } });
            if let Some(line) = unseen.line {
                place["region"] = json!({ "startLine": line });
            }
            json!({
                "level": "warning",
                "message": { "text": format!("not read: {}", unseen.why) },
                "locations": [{ "physicalLocation": place }],
            })
        })
        .collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "recourse",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": described,
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notes }],
            "results": results,
        }],
    })
}

fn rule(name: &str, worst: Verdict) -> Value {
    let (thing, action) = name.split_once('/').unwrap_or((name, "change"));
    let text = if thing == "unknown" {
        format!("What it does cannot be told: {action}")
    } else {
        format!("{action} of {}", thing.replace(['.', '-'], " "))
    };
    json!({
        "id": name,
        "shortDescription": { "text": text },
        "defaultConfiguration": { "level": level(worst, false) },
    })
}

fn level(verdict: Verdict, unknown: bool) -> &'static str {
    match verdict {
        Verdict::Block => "error",
        Verdict::Escalate if !unknown => "warning",
        _ => "note",
    }
}

fn result(finding: &Finding, index: usize) -> Value {
    let end_column = match finding.end_line == finding.line {
        true => finding.end_column.max(finding.column + 1),
        false => finding.end_column.max(1),
    };
    let text = format!("{}: {}", finding.command, finding.reason);
    json!({
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": level(finding.verdict, finding.unknown),
        "message": { "text": text },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&finding.file), "uriBaseId": "%SRCROOT%" },
            "region": {
                "startLine": finding.line,
                "startColumn": finding.column,
                "endLine": finding.end_line.max(finding.line),
                "endColumn": end_column,
            },
        } }],
        "partialFingerprints": { "recourseFinding/v1": finding.fingerprint },
        "baselineState": if finding.known { "unchanged" } else { "new" },
        "properties": { "verdict": finding.verdict, "tier": finding.tier, "part": finding.part },
    })
}

/// The name of a file as a relative address.
fn uri(name: &str) -> String {
    let mut out = String::new();
    for byte in below(name).bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                out.push(byte.into())
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_become_addresses() {
        assert_eq!(super::uri("./a b/ü.sh"), "a%20b/%C3%BC.sh");
    }
}
