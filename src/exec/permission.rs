//! Whether a judged command may run: the profile's enforcement, the person at the terminal, and what attestation demands.
//!
//! The verdict is the evaluation's and the demands are the gate's; here they are put together. The strictest wins.

use std::cell::RefCell;

use nix::unistd::Uid;
use serde_json::json;

use crate::attest::{Attestation, Failure, Mode, Places, Reason};
use crate::config::AttestationConfig;
use crate::model::Verdict;
use crate::policy::{EnforcementAction, Profile};
use crate::proof::{
    Approver, Attested, Event, Front, Gate, Judged, Presented, Proof, Record, Standing, Subject, is_plain,
};
use crate::report::{VerificationSuggestion, render_approved_line, render_line};
use crate::text::escape;

use super::allowed::Exactly;
use super::asking::{ask, blocked_target, explain, nobody_to_ask};
use super::case::{Answer, Case, user_name};
use super::kept::session;
use super::{REFUSED, Surroundings, say, shim};

/// Whether it may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    /// Run it.
    Granted,
    /// Judge this text, and run that instead.
    Instead(String),
    /// Take these looks, and judge again.
    Look(Vec<VerificationSuggestion>),
    /// End with this exit status; the reason was said.
    Refused(u8),
}

/// Attestation as configured, and what was handed over with the command.
#[derive(Debug, Default)]
pub struct Attesting {
    /// The configuration.
    pub config: AttestationConfig,
    /// Where keys, nonces and the audit log are; `None` without a home directory.
    pub places: Option<Places>,
    /// `--attestation FILE`s.
    pub presented: Presented,
    /// Token of the configured evaluator.
    pub evaluator_token: Option<String>,
    /// By what way it came.
    front: Front,
    /// What is written when it could not be started after all.
    record: RefCell<Option<Record>>,
}

impl Attesting {
    /// As configured, with what was handed over.
    pub fn new(
        config: AttestationConfig,
        places: Option<Places>,
        presented: Presented,
        evaluator_token: Option<String>,
    ) -> Self {
        Self { config, places, presented, evaluator_token, front: Front::Exec, record: RefCell::default() }
    }

    /// Whether nothing of it plays a part.
    pub(super) fn is_off(&self) -> bool {
        self.config.mode == Mode::Ignore && !self.config.enabled && self.presented.is_empty()
    }

    /// Records that what was granted could not be started.
    pub(super) fn not_started(&self, code: u8) {
        if let (Some(record), Some(places)) = (self.record.take(), &self.places) {
            let record = record.with("exitStatus", json!(code));
            if self.is_off() {
                record.note(Event::NotStarted, Some(places), &self.config.record);
            } else {
                let _ = record.write(Event::NotStarted, places, &self.config.record);
            }
        }
    }

    /// The same for what came another way.
    #[must_use]
    pub fn by(mut self, front: Front) -> Self {
        self.front = front;
        self
    }
}

/// Acts on an evaluation: runs quietly, notes, asks at the terminal, or refuses and says why.
pub(super) fn permission(case: &Case<'_>, around: &Surroundings<'_>) -> Permission {
    if around.attesting.is_off() {
        let answer = enforce(case, None, around);
        noted(case, around, &answer);
        return match answer {
            Answer::Yes => Permission::Granted,
            Answer::No => Permission::Refused(REFUSED),
            Answer::Instead(text) => Permission::Instead(text),
            Answer::Look(looks) => Permission::Look(looks),
        };
    }
    let Some(places) = &around.attesting.places else {
        say(
            "recourse: refused: there is no home directory, so attestation has no place; set HOME or XDG_DATA_HOME",
        );
        return Permission::Refused(REFUSED);
    };
    let session = Session {
        case,
        around,
        places,
        config: &around.attesting.config,
        absent: RefCell::default(),
        tried: RefCell::default(),
    };
    session.run().unwrap_or_else(Permission::Refused)
}

/// Notes what becomes of it where nothing is attested, unless it is plainly allowed.
fn noted(case: &Case<'_>, around: &Surroundings<'_>, answer: &Answer) {
    let (config, places) = (&around.attesting.config.record, around.attesting.places.as_ref());
    let report = &case.first.evaluation.report;
    let event = match answer {
        // Nothing is decided yet.
        Answer::Look(_) => return,
        Answer::Yes => Event::Executed,
        Answer::No | Answer::Instead(_) => Event::Refused,
    };
    let plain = is_plain(report) && case.answer.get().is_none() && !case.first.has_kept();
    if !config.enabled || (plain && !config.allowed) {
        return;
    }
    let record = described(case, around);
    record.note(event, places, config);
    if event == Event::Executed {
        around.attesting.record.replace(Some(record));
    }
}

/// What is recorded of it in every case.
fn described(case: &Case<'_>, around: &Surroundings<'_>) -> Record {
    let report = &case.first.evaluation.report;
    let front = match &around.attesting.front {
        Front::Exec if shim::is_calling() => &Front::Shim,
        front => front,
    };
    // A plan has no words of its own.
    let text = case.text.unwrap_or("terraform apply");
    Record::from(front)
        .command(text, &around.context.cwd, &report.secrets)
        .report(report, &around.context)
        .and("session", session())
        .and("answer", case.answer.get())
        .and("recoveryPoint", case.first.recovery())
}

/// One command, one mode.
struct Session<'a> {
    case: &'a Case<'a>,
    around: &'a Surroundings<'a>,
    places: &'a Places,
    config: &'a AttestationConfig,
    /// Why there is no attestation of its own.
    absent: RefCell<Option<String>>,
    /// What was handed over, or signed here, before any of it is verified.
    tried: RefCell<Standing>,
}

impl Session<'_> {
    fn run(&self) -> Result<Permission, u8> {
        let gate = Gate { config: self.config, places: self.places };
        let asked = self.ask_evaluator()?;
        let presented = asked.as_ref().unwrap_or(&self.around.attesting.presented);
        let proof = self.proof()?;
        let own = match &proof {
            Some(proof) if presented.is_empty() => self.attest(proof)?,
            _ => None,
        };
        self.tried.replace(Standing {
            evaluation: presented.evaluation.clone().or(own.as_ref().map(|own| own.attestation.clone())),
            approval: presented.approval.clone(),
            ..Standing::default()
        });
        let judged = Judged {
            subject: self.case.subject,
            context: &self.around.context,
            evaluation: &self.case.first.evaluation,
            world: self.around.world,
        };
        let mut standing = match gate.examine(&judged, presented, own.as_ref()) {
            Ok(standing) => standing,
            Err(failure) => self.to_a_person(failure, None)?,
        };
        for warning in &standing.warnings {
            say(&format!("recourse: attestation: {}", escape(warning)));
        }
        loop {
            if let Some(other) = self.answered(&standing)? {
                return Ok(other);
            }
            // Whoever was asked may have taken long, and somebody else may have used it meanwhile.
            match self.use_up(&gate, proof.as_ref(), &mut standing)? {
                Ok(()) => break,
                // With nothing left to verify the next turn is the last.
                Err(failure) => standing = self.to_a_person(failure, standing.attested)?,
            }
        }
        let record = self.record(&standing);
        if let Err(error) = record.write(Event::Executed, self.places, &self.config.record) {
            let error = escape(&error.to_string());
            if standing.record {
                say(&format!(
                    "recourse: refused: what runs must be recorded, and the audit log failed: {error}"
                ));
                return Err(REFUSED);
            }
            say(&format!("recourse: the audit log could not be written: {error}"));
        }
        self.around.attesting.record.replace(Some(record));
        Ok(Permission::Granted)
    }

    /// What the policy, or the person, says to it: `None` when it may run.
    fn answered(&self, standing: &Standing) -> Result<Option<Permission>, u8> {
        let answer = enforce(self.case, Some(standing), self.around);
        // That it did not run is not worth failing over.
        let refused = || drop(self.record(standing).write(Event::Refused, self.places, &self.config.record));
        match answer {
            Answer::Yes => Ok(None),
            // Nothing is decided yet.
            Answer::Look(looks) => Ok(Some(Permission::Look(looks))),
            Answer::Instead(text) => {
                refused();
                Ok(Some(Permission::Instead(text)))
            }
            Answer::No => {
                refused();
                Err(REFUSED)
            }
        }
    }

    /// What permits it still does, and does so for the last time. A person's yes is attested.
    fn use_up(
        &self,
        gate: &Gate<'_>,
        proof: Option<&Proof>,
        standing: &mut Standing,
    ) -> Result<Result<(), Failure>, u8> {
        if let Err(failure) = gate.still_holds(standing) {
            return Ok(Err(failure));
        }
        if self.asks(standing) && standing.approval.is_none() {
            standing.approval = self.approve(proof, standing)?;
        }
        Ok(gate.spend(standing))
    }

    /// A verification failed. In `verify` the person at the terminal is told what, and decides; where nobody is there, and in
    /// `require`, it is refused (§7.6).
    fn to_a_person(&self, failure: Failure, attested: Option<Verdict>) -> Result<Standing, u8> {
        let profile = self.around.context.profile.unwrap_or(Profile::Ci);
        if self.config.mode != Mode::Verify || nobody_to_ask(profile).is_some() {
            return Err(self.failed(&failure));
        }
        self.log_failure(&failure);
        let warnings = vec![failure.to_string()];
        Ok(Standing { attested, failed: Some(failure), record: true, warnings, ..Standing::default() })
    }

    /// The configured evaluator's attested report, where there is one to ask and nothing was handed over.
    fn ask_evaluator(&self) -> Result<Option<Presented>, u8> {
        let Some(url) = &self.config.evaluator_url else { return Ok(None) };
        if !self.around.attesting.presented.is_empty() {
            return Ok(None);
        }
        let Ok(Subject::Shell { text, argv }) = self.case.subject else { return Ok(None) };
        let context = &self.around.context;
        let mut request = json!({ "source": "shell", "cwd": context.cwd });
        match argv {
            Some(argv) => request["argv"] = json!(argv),
            None => request["command"] = json!(text),
        }
        if let Some(actor) = &context.actor {
            request["actor"] = json!(actor.id);
        }
        if let Some(environment) = &context.environment {
            request["environment"] = json!(environment);
        }
        if let Some(audience) = &self.config.audience {
            request["audience"] = json!(audience);
        }
        let token = self.around.attesting.evaluator_token.as_deref();
        let mut presented = Presented::default();
        let failure = match crate::proof::evaluate_remotely(url, token, &request) {
            Ok(bytes) => match presented.add(&bytes) {
                Ok(()) => return Ok(Some(presented)),
                Err(failure) => failure,
            },
            Err(error) => Failure::new(Reason::NetworkError, error.to_string()),
        };
        if self.config.mode.verifies() {
            return Err(self.failed(&failure));
        }
        say(&format!("recourse: attestation: {}", escape(&failure.to_string())));
        Ok(None)
    }

    /// This instance's signing, when it is on.
    fn proof(&self) -> Result<Option<Proof>, u8> {
        if !self.config.enabled {
            return Ok(None);
        }
        match Proof::open(self.config, self.places) {
            Ok(proof) => Ok(Some(proof)),
            Err(error) => self.without(Failure::new(error.reason(), error.to_string())),
        }
    }

    fn attest(&self, proof: &Proof) -> Result<Option<Attested>, u8> {
        let absent = |why: &str| Failure::new(Reason::AttestationAbsent, why);
        let attested = self.case.subject.map_err(absent).and_then(|subject| {
            let report = &self.case.first.evaluation.report;
            let signed = proof.attest(subject, &self.around.context, report);
            signed.map_err(|error| Failure::new(error.reason(), error.to_string()))
        });
        match attested {
            Ok(attested) => Ok(Some(attested)),
            Err(failure) => self.without(failure),
        }
    }

    /// There is no attestation, for this reason: the mode decides what that means.
    fn without<T>(&self, failure: Failure) -> Result<Option<T>, u8> {
        if self.config.mode == Mode::Require && self.around.attesting.presented.is_empty() {
            return Err(self.failed(&failure));
        }
        say(&format!("recourse: attestation: {}", escape(&failure.to_string())));
        self.absent.replace(Some(failure.to_string()));
        Ok(None)
    }

    /// Whether a person had to be asked.
    fn asks(&self, standing: &Standing) -> bool {
        demanded(self.case, Some(standing), self.around) > EnforcementAction::Note
    }

    /// A person said yes: that is attested too.
    fn approve(&self, proof: Option<&Proof>, standing: &Standing) -> Result<Option<Attestation>, u8> {
        let (Some(proof), Some(evaluation)) = (proof, &standing.evaluation) else { return Ok(None) };
        let approver = Approver { user: user_name(), uid: Uid::current().as_raw() };
        match proof.approve(evaluation, &approver, "approved at the terminal") {
            Ok(approval) => Ok(Some(approval)),
            Err(error) => {
                let why = format!("the approval could not be attested: {error}");
                self.without(Failure::new(error.reason(), why))
            }
        }
    }

    fn record(&self, standing: &Standing) -> Record {
        let report = &self.case.first.evaluation.report;
        let mut standing = standing.clone();
        standing.warnings.extend(self.absent.borrow().clone());
        described(self.case, self.around)
            .attested(self.config.mode, report, self.case.subject.ok(), &self.around.context)
            .and("instance", self.config.instance_id.clone())
            .standing(&standing)
    }

    /// Says and records why verification stops it.
    fn failed(&self, failure: &Failure) -> u8 {
        say(&format!("recourse: refused: {}", escape(&failure.to_string())));
        if failure.reason.may_retry() {
            say("recourse: this can be tried again");
        }
        self.log_failure(failure);
        REFUSED
    }

    fn log_failure(&self, failure: &Failure) {
        let record =
            self.record(&self.tried.borrow()).with("attestationVerified", json!(false)).failure(failure);
        if let Err(error) = record.write(Event::VerificationFailed, self.places, &self.config.record) {
            say(&format!("recourse: the audit log could not be written: {}", escape(&error.to_string())));
        }
    }
}

/// What is demanded before it runs: the profile's enforcement, or what a foreign attestation's verdict calls for.
fn demanded(case: &Case<'_>, standing: Option<&Standing>, around: &Surroundings<'_>) -> EnforcementAction {
    let report = &case.first.evaluation.report;
    // Without a stated enforcement nothing may run.
    let own = report.enforcement.as_ref().map_or(EnforcementAction::Refuse, |enforcement| enforcement.action);
    let attested = match standing.and_then(|standing| standing.attested) {
        None | Some(Verdict::Allow | Verdict::Warn) => EnforcementAction::Run,
        Some(Verdict::Escalate) => EnforcementAction::Ask,
        Some(Verdict::Block) => EnforcementAction::Refuse,
    };
    let unverified = match standing.and_then(|standing| standing.failed.as_ref()) {
        Some(_) => EnforcementAction::Ask,
        None => EnforcementAction::Run,
    };
    let demanded = own.max(attested).max(unverified);
    let worst =
        report.risk_assessment.max(standing.and_then(|standing| standing.attested).unwrap_or(Verdict::Allow));
    // That a person may type the name at the terminal is no consent to an approval that somebody hands over.
    let overridable = around.policy.settings(Profile::Human).override_said;
    let covers = |approved: Verdict| approved >= worst && (worst < Verdict::Block || overridable);
    if standing.and_then(Standing::approved).is_some_and(covers) {
        demanded.min(EnforcementAction::Note)
    } else {
        demanded
    }
}

fn enforce(case: &Case<'_>, standing: Option<&Standing>, around: &Surroundings<'_>) -> Answer {
    let report = &case.first.evaluation.report;
    let profile = around.context.profile.unwrap_or(Profile::Ci);
    match demanded(case, standing, around) {
        EnforcementAction::Run => Answer::Yes,
        EnforcementAction::Note => {
            let said = match standing.and_then(Standing::approved) {
                Some(_) => render_approved_line(report, around.style),
                None => render_line(report, around.style),
            };
            say(&said);
            Answer::Yes
        }
        EnforcementAction::Ask if profile == Profile::Agent => {
            let exactly = Exactly::for_agent(case, around);
            if exactly.as_ref().is_some_and(|exactly| exactly.was_approved(case, around)) {
                case.first.keep_some(around);
                return case.answered("a person approved it before", Answer::Yes);
            }
            explain(case, standing, around);
            say("recourse: refused: a person has to decide, and an agent is not asked");
            match exactly {
                Some(exactly) => exactly.request(case, around),
                None => say("recourse: a person can run it in a terminal of their own"),
            }
            case.answered("an agent is not asked", Answer::No)
        }
        EnforcementAction::Ask => {
            if let Some(why) = nobody_to_ask(profile) {
                explain(case, standing, around);
                say(&format!("recourse: refused: a person has to decide, and {}", escape(&why)));
                return case.answered("nobody to ask", Answer::No);
            }
            let exactly = Exactly::of(case, around);
            if exactly.as_ref().is_some_and(|exactly| exactly.is_allowed(case, around)) {
                case.first.keep_some(around);
                return case.answered("allowed for a while before", Answer::Yes);
            }
            ask(case, standing, around, exactly.as_ref(), None)
        }
        EnforcementAction::Refuse => {
            let settings = around.policy.settings(profile);
            // Where evaluations have to be attested, what nobody wrote down does not loosen.
            let strict = around.attesting.config.mode == Mode::Require;
            let may = if strict { settings.override_said } else { settings.override_block };
            let overridable = profile == Profile::Human && may;
            if overridable
                && report.risk_assessment == Verdict::Block
                && let Some(name) = blocked_target(&case.first.evaluation)
                && nobody_to_ask(profile).is_none()
            {
                return ask(case, standing, around, None, Some(&name));
            }
            explain(case, standing, around);
            say("recourse: refused: it was not run");
            Answer::No
        }
    }
}
