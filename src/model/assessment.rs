//! A mutation with its evidence and what it costs.

use serde::Serialize;

use super::evidence::Evidence;
use super::mutation::Mutation;
use super::tier::{Tier, Verdict};

/// Where a tier comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RecoverySource {
    /// A rule for this tool and kind: authoritative.
    Rules,
    /// No rule: judged by general signs, confidence below 1.
    Classifier,
}

/// How far the loss can be undone.
#[derive(Clone, Debug, PartialEq)]
pub struct Recoverability {
    /// The tier.
    pub tier: Tier,
    /// Why, for a person: "3 untracked files and 1 modified file, 41 kB, exist nowhere else".
    pub reasoning: String,
    /// Where the tier comes from.
    pub source: RecoverySource,
    /// 0 to 100.
    pub confidence: u8,
}

/// A safer thing to type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alternative {
    /// The command.
    pub command: String,
    /// Why it is safer.
    pub explanation: String,
}

/// A mutation, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    /// The intent.
    pub mutation: Mutation,
    /// What was found.
    pub evidence: Evidence,
    /// What it costs.
    pub recoverability: Recoverability,
    /// Nothing is lost at all: not worth a line.
    pub harmless: bool,
    /// Steps to get it back.
    pub recovery: Vec<String>,
    /// What to type instead.
    pub alternatives: Vec<Alternative>,
    /// Verdict of the policy for this mutation (set by policy).
    pub verdict: Verdict,
    /// Message of the policy rule that decided, if one did.
    pub message: Option<String>,
    /// That rule, and the file in which it stands.
    pub rule: Option<String>,
}

/// What is harmless alone and fatal together.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CrossActionRisk {
    /// Stable name, for example `backup_and_protected_both_deleted`.
    pub pattern: String,
    /// For people.
    pub pattern_name: String,
    /// Ids of the targets involved.
    pub affected_resources: Vec<String>,
    /// What happens.
    pub explanation: String,
    /// The tier that those involved get.
    pub upgraded_tier: u8,
}
