//! Findings that somebody has looked at: a file of fingerprints, to be kept beside the code.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cli::output::Failure;
use crate::cli::setup::read_input;
use crate::order;

use super::finding::Finding;

/// Version of the form.
const VERSION: &str = "recourse.scan-baseline.v1";
/// Bytes of such a file.
const LIMIT: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    schema_version: String,
    findings: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Entry {
    fingerprint: String,
    /// For people: the fingerprint alone counts.
    file: String,
    rule: String,
    command: String,
}

/// What is known already.
pub(super) struct Baseline(BTreeSet<String>);

impl Baseline {
    /// Reads such a file strictly: one that cannot be read hides nothing.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |what: String| Failure::usage(format!("{}: {what}", path.display()));
        let file: File = serde_json::from_slice(&read_input(path, LIMIT)?)
            .map_err(|error| wrong(format!("no baseline of a scan: {error}")))?;
        if file.schema_version != VERSION {
            return Err(wrong(format!("a baseline of the form {}; this is {VERSION}", file.schema_version)));
        }
        Ok(Self(file.findings.into_iter().map(|entry| entry.fingerprint).collect()))
    }

    /// Whether a finding is in it.
    pub(super) fn has(&self, fingerprint: &str) -> bool {
        self.0.contains(fingerprint)
    }
}

/// Writes all findings down.
pub(super) fn write(path: &Path, findings: &[Finding]) -> Result<(), Failure> {
    let mut entries: Vec<Entry> = findings
        .iter()
        .map(|finding| Entry {
            fingerprint: finding.fingerprint.clone(),
            file: finding.file.clone(),
            rule: finding.rule.clone(),
            command: finding.command.clone(),
        })
        .collect();
    order::by(&mut entries, |a, b| {
        (&a.file, &a.rule, &a.fingerprint).cmp(&(&b.file, &b.rule, &b.fingerprint))
    });
    let file = File { schema_version: VERSION.to_owned(), findings: entries };
    let wrong = |error: String| Failure::usage(format!("{}: {error}", path.display()));
    let mut text = serde_json::to_string_pretty(&file).map_err(|error| wrong(error.to_string()))?;
    text.push('\n');
    std::fs::write(path, text).map_err(|error| wrong(error.to_string()))
}
