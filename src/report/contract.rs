//! The report's types. The order of fields is the order in the JSON, and part of the contract.

use serde::Serialize;

use crate::knowledge::LookType;
use crate::model::{
    Action, Actor, Alternative, CrossActionRisk, EvidenceItem, Missing, Part, RecoverySource, Secrets,
    Source, Span, Target, Verdict,
};
use crate::policy::{Enforcement, EnforcementAction};

/// Version of the contract.
pub const SCHEMA_VERSION: &str = "recourse.consequence.v1";

/// What an input would destroy, and what to think of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsequenceReport {
    /// Always [`SCHEMA_VERSION`].
    pub schema_version: &'static str,
    /// The verdict.
    pub risk_assessment: Verdict,
    /// Why, in one line.
    pub assessment_reason: String,
    /// What the named profile does with it; absent when none was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enforcement: Option<Enforcement>,
    /// What running it through `recourse exec` would do instead; absent where nothing would be kept first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_first: Option<KeepFirst>,
    /// What was set aside before this was reported; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_point: Option<RecoveryPoint>,
    /// The whole in numbers.
    pub summary: Summary,
    /// Each intended change.
    pub mutations: Vec<MutationReport>,
    /// The files whose content it rests on, sorted by path; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<MaterialReport>,
    /// What is fatal only together.
    pub cross_action_risks: Vec<CrossActionRisk>,
    /// What a caller could look up to be surer.
    pub verification_suggestions: Vec<VerificationSuggestion>,
    /// How the verdict came about.
    pub trace: Trace,
    /// Where the time went.
    pub timing: Timing,
    /// Resources that a plan names, those that stay as they are included. Never written out.
    #[serde(skip)]
    pub resources: Option<usize>,
    /// What was masked because the input's own words say that it is secret. Never written out.
    #[serde(skip)]
    pub secrets: Secrets,
}

/// `recourse exec` would set aside first what would be lost, and then run the command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeepFirst {
    /// The verdict once that is done.
    pub risk_assessment: Verdict,
    /// What the profile does then.
    pub action: EnforcementAction,
    /// What would be kept, by name.
    pub keeps: Vec<String>,
}

/// A recovery point that was complete and on the disk when the report was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryPoint {
    /// Its id: `recourse undo ID`.
    pub id: String,
    /// `sha256:` and the digest of the file that lists what it holds.
    pub digest: String,
}

/// The whole in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Number of mutations listed.
    pub total_mutations: usize,
    /// The worst of them; reversible when there are none.
    pub worst_recoverability: RecoverabilityReport,
    /// Some mutation needs a human's look (tier 5).
    pub needs_review: bool,
    /// Some mutation is unrecoverable (tier 4).
    pub has_unrecoverable: bool,
    /// Number of things that depend on what goes away.
    pub dependency_impact_count: usize,
}

/// A file whose content the evaluation rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MaterialReport {
    /// Where it stands, secrets masked.
    pub path: String,
    /// What it was read as.
    pub part: Part,
    /// SHA-256 of its bytes; absent when they may not be looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A tier with its reasons.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoverabilityReport {
    /// 1 to 5.
    pub tier: u8,
    /// The tier's name.
    pub label: &'static str,
    /// Why, for a person.
    pub reasoning: String,
    /// Rules are authoritative, the classifier is not.
    pub source: RecoverySource,
    /// 0 to 1.
    pub confidence: f64,
}

/// One intended change with all that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MutationReport {
    /// What is intended.
    pub intent: IntentReport,
    /// What it costs.
    pub recoverability: RecoverabilityReport,
    /// The policy's verdict for it alone, where it is known. Never written out.
    #[serde(skip)]
    pub verdict: Option<Verdict>,
    /// The rule of the policy that decided, if one did. Never written out.
    #[serde(skip)]
    pub decided: Option<String>,
    /// What was found.
    pub evidence: Vec<EvidenceItem>,
    /// What could not be had.
    pub missing_evidence: Vec<Missing>,
    /// Steps to get it back.
    pub recovery: Vec<String>,
    /// What to type instead.
    pub alternatives: Vec<Alternative>,
    /// What feels its loss.
    pub dependency_impact: Vec<DependencyImpact>,
}

/// What is intended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IntentReport {
    /// Where it came from.
    pub source: Source,
    /// What is done.
    pub action: Action,
    /// To what.
    pub target: Target,
    /// By whom, when told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<Actor>,
    /// The part of the input that says so, secrets masked.
    pub raw: String,
    /// Where it stands in the input, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// Who asked. The model's type, under the name that the contract gives it.
pub type ActorReport = Actor;

/// Something that feels the target's loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DependencyImpact {
    /// Its id.
    pub target_id: String,
    /// Its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_type: Option<String>,
    /// How it depends.
    pub reason: String,
    /// Through something else.
    pub transitive: bool,
}

/// A look that a caller could take to be surer. Its names are those that consumers of such suggestions know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerificationSuggestion {
    /// Id of the target that it is about, as `mutations` names it.
    pub target: String,
    /// Key of the missing evidence that it would supply.
    pub evidence_key: String,
    /// What it would tell.
    pub description: String,
    /// How unsure the verdict is without it: `high`, `medium` or `low`.
    pub uncertainty: &'static str,
    /// How to look.
    pub verification: VerificationCommand,
    /// What the answer looks like when the evidence is there.
    pub expected_signal: String,
    /// What it looks like when it is not.
    pub failure_signal: String,
    /// What the answer would change.
    pub verdict_impact: VerdictImpact,
    /// `critical`, `recommended` or `informational`.
    pub priority: &'static str,
}

/// A read-only command that looks something up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerificationCommand {
    /// Which program's: `aws_cli`, `kubectl`, `git` …
    pub r#type: LookType,
    /// Its words.
    pub argv: Vec<String>,
    /// How long it may take.
    pub timeout_seconds: u32,
    /// Rights that it needs.
    pub requires_permissions: Vec<String>,
}

/// What a suggestion's answer would change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerdictImpact {
    /// Label of the tier now.
    pub current_tier: &'static str,
    /// Label of the tier that it could become.
    pub potential_tier: &'static str,
    /// What becomes of the mutation's verdict; absent when it stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_change: Option<DecisionChange>,
}

/// One verdict in another's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DecisionChange {
    /// Now.
    pub from: Verdict,
    /// With the answer.
    pub to: Verdict,
}

/// How the verdict came about. Its names are those that consumers of traces know.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trace {
    /// Stages in order.
    pub steps: Vec<TraceStep>,
    /// Milliseconds in all.
    pub duration_ms: f64,
    /// Tools and Terraform types whose knowledge was used.
    pub handlers_invoked: Vec<String>,
    /// What was looked at.
    pub state_sources: Vec<String>,
}

/// One stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceStep {
    /// From 1.
    pub step: usize,
    /// Stable name.
    pub action: &'static str,
    /// What came out.
    pub result: String,
    /// The decision taken, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
}

/// Where the time went, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timing {
    /// In all.
    pub total_ms: f64,
    /// Reading the input: parsing, interpretation, effects.
    pub parse_ms: f64,
    /// Evidence and recoverability.
    pub analysis_ms: f64,
    /// Policy.
    pub policy_ms: f64,
}
