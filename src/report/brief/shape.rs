//! The types of the brief form. The order of fields is the order in the JSON, and part of the contract.

use serde::Serialize;

use crate::model::{
    Action, Alternative, CrossActionRisk, EvidenceItem, MissingEffect, RecoverySource, Verdict,
};
use crate::policy::Enforcement;
use crate::report::contract::VerdictImpact;

/// A report's decisive part.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Brief {
    /// The whole report's.
    pub schema_version: &'static str,
    /// Always `brief`: what tells it from the whole report.
    pub detail: &'static str,
    /// The verdict.
    pub risk_assessment: Verdict,
    /// Why, in one line.
    pub assessment_reason: String,
    /// What the named profile does with it; absent when none was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enforcement: Option<Enforcement>,
    /// The whole in numbers.
    pub summary: BriefSummary,
    /// Each sort of change, the worst first; their counts add up to the summary's total.
    pub mutations: Vec<BriefMutation>,
    /// What is fatal only together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cross_action_risks: Vec<CrossActionRisk>,
    /// What a caller could look up to be surer, the most important first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verification_suggestions: Vec<BriefSuggestion>,
    /// How much of what weighs is left out.
    #[serde(skip_serializing_if = "Omitted::is_nothing")]
    pub omitted: Omitted,
    /// The attestation of the whole report, where one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<BriefProof>,
}

/// Where an attestation is, and its signature: all that has to be kept of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BriefProof {
    /// Where it is.
    pub attestation_uri: String,
    /// Its signature, base64url.
    pub signature: String,
}

/// The whole in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BriefSummary {
    /// Number of mutations of the whole report.
    pub total_mutations: usize,
    /// The worst of them; absent when there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_recoverability: Option<BriefTier>,
    /// Number of things that depend on what goes away.
    #[serde(skip_serializing_if = "is_zero")]
    pub dependency_impact_count: usize,
}

/// A tier by number and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BriefTier {
    /// 1 to 5.
    pub tier: u8,
    /// The tier's name.
    pub label: &'static str,
}

/// Mutations of one sort in one place. What is said of one is said of the first of them, whose id it has.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BriefMutation {
    /// The policy's verdict for each of them.
    pub verdict: Verdict,
    /// How many they are.
    pub count: usize,
    /// The directory that they are in or below, where they are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Some others of them, relative to that directory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The rest of a long list: they share the verdict alone.
    #[serde(skip_serializing_if = "is_false")]
    pub mixed: bool,
    /// What is intended.
    pub intent: BriefIntent,
    /// What it costs.
    pub recoverability: BriefRecoverability,
    /// What of them exists nowhere else, where they are several files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<BriefLoss>,
    /// What rests on the caller's word.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceItem>,
    /// What could not be had.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_evidence: Vec<BriefMissing>,
    /// Steps to get it back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recovery: Vec<String>,
    /// What to type instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
}

/// What is intended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BriefIntent {
    /// What is done.
    pub action: Action,
    /// To what.
    pub target: BriefTarget,
    /// The part of the input that says so, where several do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
}

/// What it is done to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BriefTarget {
    /// Resource kind or Terraform type.
    pub r#type: String,
    /// A path, an address, a name.
    pub id: String,
    /// For example production.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

/// A tier with its reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BriefRecoverability {
    /// 1 to 5.
    pub tier: u8,
    /// The tier's name.
    pub label: &'static str,
    /// Why, for a person.
    pub reasoning: String,
    /// Absent: rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<RecoverySource>,
    /// Absent: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

/// Files that exist nowhere else, all members of an entry together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BriefLoss {
    /// How many.
    pub files: u64,
    /// How large.
    pub bytes: u64,
    /// Files that could not be looked at.
    #[serde(skip_serializing_if = "is_none_of_them")]
    pub unseen: u64,
}

/// A piece of evidence that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BriefMissing {
    /// Stable key.
    pub key: String,
    /// What is missing and why; absent where the reason says it already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What that does.
    pub effect: MissingEffect,
}

/// A look that a caller could take to be surer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BriefSuggestion {
    /// Id of the target that it is about.
    pub target: String,
    /// Key of the missing evidence that it would supply.
    pub evidence_key: String,
    /// How to look.
    pub verification: BriefLook,
    /// What the answer looks like when the evidence is there.
    pub expected_signal: String,
    /// What the answer would change.
    pub verdict_impact: VerdictImpact,
}

/// A read-only command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BriefLook {
    /// Its words.
    pub argv: Vec<String>,
}

/// How much of what weighs is not told; the whole report has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Omitted {
    /// Mutations that are counted and not named.
    #[serde(skip_serializing_if = "is_zero")]
    pub targets: usize,
    /// Different steps to get something back.
    #[serde(skip_serializing_if = "is_zero")]
    pub recovery: usize,
    /// Different commands to type instead.
    #[serde(skip_serializing_if = "is_zero")]
    pub alternatives: usize,
    /// Different pieces of missing evidence.
    #[serde(skip_serializing_if = "is_zero")]
    pub missing_evidence: usize,
    /// Risks of actions together.
    #[serde(skip_serializing_if = "is_zero")]
    pub cross_action_risks: usize,
    /// Looks that could be taken.
    #[serde(skip_serializing_if = "is_zero")]
    pub verification_suggestions: usize,
}

impl Omitted {
    /// All is told.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_none_of_them(number: &u64) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_false(flag: &bool) -> bool {
    !*flag
}
