//! What the audit log is told of a command: who wanted it, what was found, what was answered, and what came of it.
//!
//! What attestation demands is written durably before anything runs. Everything else that was not plainly allowed is noted
//! (`[record]`), which costs one write; that this fails stops nothing, and is said once.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::attest::audit::{AuditError, AuditLog};
use crate::attest::fleet::Shared;
use crate::attest::{Attestation, Failure, Mode, Places, document};
use crate::config::RecordConfig;
use crate::evaluate::EvaluationContext;
use crate::model::{Secrets, Verdict};
use crate::order;
use crate::policy::EnforcementAction;
use crate::report::{ConsequenceReport, MutationReport};
use crate::text::{escape, shorten};

use super::who::{Front, plain, who};
use super::{Standing, Subject, random_hex};

/// Columns of a command, and of a directory or a reason.
const COMMAND: usize = 2000;
const LINE: usize = 500;
/// Changes that are named, the worst first.
const CHANGES: usize = 5;

/// What happened to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It is about to run; written before it does.
    Executed,
    /// An agent was told that it may run it, which it does by itself.
    Permitted,
    /// An agent was told to ask a person, and does not tell us the answer.
    Asked,
    /// It was refused for its verdict.
    Refused,
    /// It was refused for its attestation.
    VerificationFailed,
    /// It could not be started.
    NotStarted,
    /// It was judged for somebody who runs it, or does not, elsewhere.
    Evaluated,
    /// A person allowed what an agent had been denied.
    Approved,
    /// A person said no to it.
    Denied,
}

impl Event {
    fn as_str(self) -> &'static str {
        match self {
            Self::Executed => "executed",
            Self::Permitted => "permitted",
            Self::Asked => "asked",
            Self::Refused => "refused",
            Self::VerificationFailed => "verification_failed",
            Self::NotStarted => "not_started",
            Self::Evaluated => "evaluated",
            Self::Approved => "approved",
            Self::Denied => "denied",
        }
    }
}

/// One entry in the making. Secrets are masked in it, and nothing in it hides or moves the cursor.
#[derive(Clone, Debug, Default)]
pub struct Record {
    fields: Map<String, Value>,
}

impl Record {
    /// Of what came this way.
    pub fn from(front: &Front) -> Self {
        let mut fields = Map::new();
        fields.insert("frontEnd".to_owned(), json!(front.as_str()));
        if let Some(name) = front.other() {
            fields.insert("client".to_owned(), json!(plain(name)));
        }
        fields.insert("who".to_owned(), who());
        Self { fields }
    }

    /// With what was to run there.
    pub fn command(self, text: &str, cwd: &Path, secrets: &Secrets) -> Self {
        let bounded = |text: &str, most| {
            // Masking looks at all of it: a secret that is cut in two is still one.
            shorten(&escape(&secrets.mask(text)), most)
        };
        let cwd = cwd.to_string_lossy();
        let this = self.with("command", json!(bounded(text, COMMAND)));
        if cwd.is_empty() { this } else { this.with("cwd", json!(bounded(&cwd, LINE))) }
    }

    /// With what was found.
    pub fn report(mut self, report: &ConsequenceReport, context: &EvaluationContext) -> Self {
        let worst = &report.summary.worst_recoverability;
        let mut set = |name: &str, value: Value| self.fields.insert(name.to_owned(), value);
        set("riskAssessment", json!(report.risk_assessment));
        set("tier", json!(worst.label));
        set("reason", json!(shorten(&escape(&report.assessment_reason), LINE)));
        let mut changes: Vec<&MutationReport> =
            report.mutations.iter().filter(|one| one.recoverability.tier > 1).collect();
        order::by_key(&mut changes, |one| std::cmp::Reverse(one.recoverability.tier % 5));
        if !changes.is_empty() {
            set("changes", changes.iter().take(CHANGES).map(|one| change(one)).collect());
            set("changesInAll", json!(changes.len()));
        }
        if !report.cross_action_risks.is_empty() {
            let together: Vec<&str> =
                report.cross_action_risks.iter().map(|risk| risk.pattern.as_str()).collect();
            set("together", json!(together));
        }
        if let Some(enforcement) = &report.enforcement {
            set("profile", json!(enforcement.profile));
        }
        if let Some(actor) = &context.actor {
            set("actor", json!(plain(&actor.id)));
        }
        if let Some(environment) = &context.environment {
            set("environment", json!(plain(environment)));
        }
        self
    }

    /// With the mode in force, and the digest of what is attested of it.
    pub fn attested(
        self,
        mode: Mode,
        report: &ConsequenceReport,
        subject: Option<&Subject>,
        context: &EvaluationContext,
    ) -> Self {
        let digest = subject
            .and_then(|subject| subject.wire(context, &random_hex().ok()?, &report.secrets).ok())
            .and_then(|input| crate::json::canonical(&input).ok())
            .map(|bytes| format!("sha256:{}", document::hex(&Sha256::digest(bytes))));
        self.with("mode", json!(mode.as_str())).with("inputDigest", json!(digest))
    }

    /// With the attestations that it rests on.
    pub fn standing(mut self, standing: &Standing) -> Self {
        if let Some(attestation) = &standing.evaluation {
            self = self.attestation("", attestation);
        }
        if let Some(approval) = &standing.approval {
            self = self.attestation("approval", approval);
        }
        if !standing.warnings.is_empty() {
            self.fields.insert("warnings".to_owned(), json!(standing.warnings));
        }
        self
    }

    /// With one of them; `prefix` says which.
    pub fn attestation(mut self, prefix: &str, attestation: &Attestation) -> Self {
        let name = |name: &str| match prefix {
            "" => format!("attestation{name}"),
            prefix => format!("{prefix}Attestation{name}"),
        };
        self.fields.insert(name("Id"), json!(attestation.id()));
        self.fields.insert(name("Uri"), json!(attestation.uri()));
        self.fields.insert(name("Digest"), json!(attestation.digest()));
        self
    }

    /// With the reason of a failed verification.
    pub fn failure(self, failure: &Failure) -> Self {
        self.with("reason", json!(failure.reason.as_str())).with("detail", json!(failure.detail))
    }

    /// With why nothing could be found.
    pub fn unjudged(self, why: &str) -> Self {
        self.with("reason", json!(shorten(&escape(&crate::model::redact(why)), LINE)))
    }

    /// With one more field.
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// With one more field, where there is one.
    pub fn and(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value.into()),
            None => self,
        }
    }

    /// Writes it, durably.
    ///
    /// # Errors
    /// When the log cannot be written: what must be recorded must not run then.
    pub fn write(&self, event: Event, places: &Places, config: &RecordConfig) -> Result<(), AuditError> {
        let log = opened(places, config);
        log.append(event.as_str(), Value::Object(self.fields.clone())).map(|_| ())
    }

    /// Notes it where that is wanted. That it cannot be noted is said once, and changes nothing.
    pub fn note(&self, event: Event, places: Option<&Places>, config: &RecordConfig) {
        static SAID: AtomicBool = AtomicBool::new(false);
        let Some(places) = places.filter(|_| config.enabled) else { return };
        let log = opened(places, config);
        if let Err(error) = log.note(event.as_str(), Value::Object(self.fields.clone()))
            && !SAID.swap(true, Ordering::Relaxed)
        {
            say(&format!("recourse: this could not be recorded: {}", escape(&error.to_string())));
        }
    }
}

/// The audit log as configured.
fn opened(places: &Places, config: &RecordConfig) -> AuditLog {
    let shared = config.store.clone().map(|address| Arc::new(Shared::new(address)));
    AuditLog::open(places).within(config.limits.clone()).sharing(shared)
}

/// Whether nothing is to be said of it: it was allowed, asked nothing and cost nothing.
pub fn is_plain(report: &ConsequenceReport) -> bool {
    let quiet = report.enforcement.as_ref().is_none_or(|one| one.action == EnforcementAction::Run);
    report.risk_assessment == Verdict::Allow && quiet
}

fn change(one: &MutationReport) -> Value {
    let target = &one.intent.target;
    let mut said = json!({
        "action": one.intent.action.as_str(),
        "type": target.r#type,
        "target": shorten(&escape(&target.id), LINE),
        "tier": one.recoverability.label,
    });
    if let (Some(rule), Some(said)) = (&one.decided, said.as_object_mut()) {
        said.insert("rule".to_owned(), json!(shorten(&escape(rule), LINE)));
    }
    said
}

/// A line on standard error.
fn say(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
