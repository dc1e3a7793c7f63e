//! The report: the JSON contract and the text for people.
//!
//! Owns field names, their order, masking of secrets and all wording that is not a reason of the knowledge. Pure: gives
//! back text, prints nothing. Judges nothing: everything it says comes from the assessments and the policy's decision.

mod brief;
mod build;
mod contract;
mod human;
mod question;
mod review;
mod typed;

pub use brief::{
    BRIEF_SCHEMA, Brief, BriefIntent, BriefLook, BriefLoss, BriefMissing, BriefMutation, BriefProof,
    BriefRecoverability, BriefSuggestion, BriefSummary, BriefTarget, BriefTier, Omitted, brief,
};
pub use build::{Parts, StageTimes, build};
pub use contract::{
    ActorReport, ConsequenceReport, DecisionChange, DependencyImpact, IntentReport, KeepFirst,
    MaterialReport, MutationReport, RecoverabilityReport, RecoveryPoint, SCHEMA_VERSION, Summary, Timing,
    Trace, TraceStep, VerdictImpact, VerificationCommand, VerificationSuggestion,
};
pub use human::{Style, render, render_all, render_approved_line, render_line};
pub use question::{Asked, Keeps, render_question, safer_form, speak_question};

/// The report as a comment on a pull request: Markdown of less than 65,536 characters, the same bytes for the same report.
pub fn markdown(report: &ConsequenceReport) -> String {
    review::markdown(report)
}

/// The report as SARIF 2.1.0. `file`: where what was judged stands, where it is a file.
pub fn sarif(report: &ConsequenceReport, file: Option<&str>) -> serde_json::Value {
    review::sarif(report, file)
}

/// The report as JUnit's XML: what `fails` is a failure.
pub fn junit(
    report: &ConsequenceReport,
    file: Option<&str>,
    fails: &dyn Fn(crate::model::Verdict) -> bool,
) -> String {
    review::junit(report, file, fails)
}

/// The report as GitHub's workflow commands: what `fails` is an error, what is else not simply let through a warning.
pub fn github(
    report: &ConsequenceReport,
    file: Option<&str>,
    fails: &dyn Fn(crate::model::Verdict) -> bool,
) -> String {
    review::github(report, file, fails)
}

/// The JSON Schema of [`ConsequenceReport`], as published in `docs/report.schema.json`.
pub const SCHEMA: &str = include_str!("../../docs/report.schema.json");
