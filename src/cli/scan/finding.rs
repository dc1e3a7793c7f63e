//! One finding: what stands where, and what it would destroy.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::model::{Alternative, Verdict};
use crate::scan::Position;

/// Something in a file that needs a look.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Finding {
    pub(super) verdict: Verdict,
    /// What is acted on and how: `kind/action`, or `unknown/…`.
    pub(super) rule: String,
    /// Tier, 1 to 5.
    pub(super) tier: u8,
    pub(super) label: &'static str,
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) end_line: usize,
    pub(super) end_column: usize,
    /// What of the file runs it.
    pub(super) part: String,
    /// The command, secrets masked.
    pub(super) command: String,
    /// What it acts on.
    pub(super) targets: Vec<String>,
    pub(super) reason: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) recovery: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) alternatives: Vec<Alternative>,
    /// Nothing speaks against it but that something about it is not known.
    pub(super) unknown: bool,
    /// The baseline has it.
    #[serde(rename = "baseline")]
    pub(super) known: bool,
    /// The same for the same finding in another version of the file.
    pub(super) fingerprint: String,
    /// It stands in another file that this one runs.
    #[serde(skip)]
    pub(super) followed: bool,
}

impl Finding {
    /// The worst first; within that as the files have them.
    pub(super) fn order(a: &Self, b: &Self) -> Ordering {
        let key = |finding: &Self| (finding.line, finding.column);
        b.verdict
            .cmp(&a.verdict)
            .then_with(|| a.unknown.cmp(&b.unknown))
            .then_with(|| a.file.cmp(&b.file))
            .then_with(|| key(a).cmp(&key(b)))
            .then_with(|| a.rule.cmp(&b.rule))
    }

    /// Sets where it stands.
    pub(super) fn stands(&mut self, from: Position, to: Position) {
        (self.line, self.column) = (from.line, from.column);
        (self.end_line, self.end_column) = (to.line, to.column);
    }
}

/// Gives each finding its fingerprint: where it stands in the file counts for nothing, only which of several alike it is.
pub(super) fn mark(findings: &mut [Finding]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for finding in findings {
        let command: Vec<&str> = finding.command.split_whitespace().collect();
        let (targets, command) = (finding.targets.join("\u{1f}"), command.join(" "));
        let text = [finding.file.as_str(), &finding.rule, &targets, &command].join("\u{1e}");
        let number = seen.entry(text.clone()).or_default();
        *number += 1;
        let digest = Sha256::digest(format!("{text}\u{1e}{number}"));
        finding.fingerprint = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    }
}

/// Takes out what stands there twice: what several parts of a file share, and what a file runs that is found where it
/// stands.
pub(super) fn once(findings: &mut Vec<Finding>) {
    let mut own: BTreeSet<(String, String)> = BTreeSet::new();
    for finding in findings.iter().filter(|finding| !finding.followed) {
        own.extend(finding.targets.iter().map(|target| (finding.rule.clone(), target.clone())));
    }
    let elsewhere = |finding: &Finding| {
        let mut targets = finding.targets.iter();
        finding.followed && targets.all(|target| own.contains(&(finding.rule.clone(), target.clone())))
    };
    let mut seen = BTreeSet::new();
    findings.retain(|finding| {
        let act = (finding.rule.clone(), finding.targets.clone(), finding.command.clone());
        !elsewhere(finding) && seen.insert((finding.file.clone(), finding.line, finding.column, act))
    });
}

/// Something that was not read.
#[derive(Clone, Debug, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "camelCase")]
pub(super) struct Unseen {
    pub(super) file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    pub(super) why: String,
}
