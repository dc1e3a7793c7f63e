//! What the audit log is told of a command: whether it ran, and what that rested on.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::attest::audit::{AuditError, AuditLog};
use crate::attest::{Attestation, Failure, Mode, Places, document};
use crate::evaluate::EvaluationContext;
use crate::report::ConsequenceReport;

use super::{Standing, Subject, random_hex};

/// What happened to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It is about to run; written before it does.
    Executed,
    /// It was refused for its verdict.
    Refused,
    /// It was refused for its attestation.
    VerificationFailed,
    /// It could not be started.
    NotStarted,
    /// It ran and ended.
    Ended,
}

impl Event {
    fn as_str(self) -> &'static str {
        match self {
            Self::Executed => "executed",
            Self::Refused => "refused",
            Self::VerificationFailed => "verification_failed",
            Self::NotStarted => "not_started",
            Self::Ended => "ended",
        }
    }
}

/// One entry in the making. Holds digests and ids, never the command itself.
#[derive(Clone, Debug, Default)]
pub struct Record {
    fields: Map<String, Value>,
}

impl Record {
    /// Of a command, with the report of its evaluation.
    pub fn new(
        mode: Mode,
        report: &ConsequenceReport,
        subject: Option<&Subject>,
        context: &EvaluationContext,
    ) -> Self {
        let mut fields = Map::new();
        fields.insert("mode".to_owned(), json!(mode.as_str()));
        fields.insert("riskAssessment".to_owned(), json!(report.risk_assessment));
        let digest = subject
            .and_then(|subject| subject.wire(context, &random_hex().ok()?, &report.secrets).ok())
            .and_then(|input| crate::json::canonical(&input).ok())
            .map(|bytes| format!("sha256:{}", document::hex(&Sha256::digest(bytes))));
        fields.insert("inputDigest".to_owned(), json!(digest));
        if let Some(actor) = &context.actor {
            fields.insert("actor".to_owned(), json!(actor.id));
        }
        if let Some(environment) = &context.environment {
            fields.insert("environment".to_owned(), json!(environment));
        }
        Self { fields }
    }

    /// With the attestations that it rests on.
    pub fn standing(mut self, standing: &Standing) -> Self {
        if let Some(attestation) = &standing.evaluation {
            self.attestation("", attestation);
        }
        if let Some(approval) = &standing.approval {
            self.attestation("approval", approval);
        }
        if !standing.warnings.is_empty() {
            self.fields.insert("warnings".to_owned(), json!(standing.warnings));
        }
        self
    }

    fn attestation(&mut self, prefix: &str, attestation: &Attestation) {
        let name = |name: &str| match prefix {
            "" => format!("attestation{name}"),
            prefix => format!("{prefix}Attestation{name}"),
        };
        self.fields.insert(name("Id"), json!(attestation.id()));
        self.fields.insert(name("Uri"), json!(attestation.uri()));
        self.fields.insert(name("Digest"), json!(attestation.digest()));
    }

    /// With the reason of a failed verification.
    pub fn failure(mut self, failure: &Failure) -> Self {
        self.fields.insert("reason".to_owned(), json!(failure.reason.as_str()));
        self.fields.insert("detail".to_owned(), json!(failure.detail));
        self
    }

    /// With one more field.
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// Writes it, durably.
    ///
    /// # Errors
    /// When the log cannot be written: what must be recorded must not run then.
    pub fn write(&self, event: Event, places: &Places) -> Result<(), AuditError> {
        AuditLog::open(places).append(event.as_str(), Value::Object(self.fields.clone())).map(|_| ())
    }
}
