//! Whether a judged command may run: the profile's enforcement, the person at the terminal, and what attestation demands.
//!
//! The verdict is the evaluation's and the demands are the gate's; here they are put together. The strictest wins.

use std::cell::RefCell;
use std::path::Path;

use nix::unistd::{Uid, User};
use serde_json::json;

use crate::attest::{Attestation, Failure, Mode, Places, Reason};
use crate::config::AttestationConfig;
use crate::evaluate::Evaluation;
use crate::model::Verdict;
use crate::policy::{EnforcementAction, Profile};
use crate::prompt::{self, Decision, Keeps, Question, Replaceable};
use crate::proof::{Approver, Attested, Event, Gate, Judged, Presented, Proof, Record, Standing, Subject};
use crate::report::{VerificationSuggestion, render, render_line};
use crate::text::escape;

use super::allowed::{self, Exactly};
use super::always;
use super::kept::First;
use super::{REFUSED, Surroundings, looks, say};

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
        Self { config, places, presented, evaluator_token, record: RefCell::default() }
    }

    /// Whether nothing of it plays a part.
    pub(super) fn is_off(&self) -> bool {
        self.config.mode == Mode::Ignore && !self.config.enabled && self.presented.is_empty()
    }

    /// Records that what was granted could not be started.
    pub(super) fn not_started(&self, code: u8) {
        if let (Some(record), Some(places)) = (self.record.take(), &self.places) {
            let _ = record.with("exitStatus", json!(code)).write(Event::NotStarted, places);
        }
    }
}

/// What the policy, or the person, says.
enum Answer {
    /// Run it.
    Yes,
    /// Do not.
    No,
    /// Run this instead, when it may run.
    Instead(String),
    /// Look first.
    Look(Vec<VerificationSuggestion>),
}

/// What is asked about.
pub(super) struct Case<'a> {
    /// Its evaluation, and what was set aside for it.
    pub(super) first: &'a First,
    /// The text that spans speak of.
    pub(super) text: Option<&'a str>,
    /// What is attested of it; or why nothing can be.
    pub(super) subject: Result<&'a Subject, &'a str>,
    /// Whether another command may run in its place.
    pub(super) replaceable: Replaceable,
}

/// Acts on an evaluation: runs quietly, notes, asks at the terminal, or refuses and says why.
pub(super) fn permission(case: &Case<'_>, around: &Surroundings<'_>) -> Permission {
    if around.attesting.is_off() {
        return match enforce(case, None, around) {
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
    let session = Session { case, around, places, config: &around.attesting.config };
    session.run().unwrap_or_else(Permission::Refused)
}

/// One command, one mode.
struct Session<'a> {
    case: &'a Case<'a>,
    around: &'a Surroundings<'a>,
    places: &'a Places,
    config: &'a AttestationConfig,
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
        let judged = Judged {
            subject: self.case.subject,
            context: &self.around.context,
            evaluation: &self.case.first.evaluation,
            world: self.around.world,
        };
        let mut standing =
            gate.examine(&judged, presented, own.as_ref()).map_err(|failure| self.failed(&failure))?;
        for warning in &standing.warnings {
            say(&format!("recourse: attestation: {}", escape(warning)));
        }
        let answer = enforce(self.case, Some(&standing), self.around);
        if !matches!(answer, Answer::Yes | Answer::Look(_)) {
            // That it did not run is not worth failing over.
            let _ = self.record(&standing).write(Event::Refused, self.places);
        }
        match answer {
            Answer::Yes => {}
            Answer::No => return Err(REFUSED),
            Answer::Instead(text) => return Ok(Permission::Instead(text)),
            Answer::Look(looks) => return Ok(Permission::Look(looks)),
        }
        if self.asks(&standing) && standing.approval.is_none() {
            standing.approval = self.approve(proof.as_ref(), &standing)?;
        }
        gate.spend(&standing).map_err(|failure| self.failed(&failure))?;
        let record = self.record(&standing);
        if let Err(error) = record.write(Event::Executed, self.places) {
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
            Err(error) => self.without(&error.to_string()),
        }
    }

    fn attest(&self, proof: &Proof) -> Result<Option<Attested>, u8> {
        let attested = self.case.subject.map_err(str::to_owned).and_then(|subject| {
            let report = &self.case.first.evaluation.report;
            proof.attest(subject, &self.around.context, report).map_err(|error| error.to_string())
        });
        match attested {
            Ok(attested) => Ok(Some(attested)),
            Err(error) => self.without(&error),
        }
    }

    /// There is no attestation, for this reason: the mode decides what that means.
    fn without<T>(&self, why: &str) -> Result<Option<T>, u8> {
        let failure = Failure::new(Reason::AttestationAbsent, why);
        if self.config.mode == Mode::Require && self.around.attesting.presented.is_empty() {
            return Err(self.failed(&failure));
        }
        say(&format!("recourse: attestation: {}", escape(&failure.to_string())));
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
            Err(error) => self.without(&format!("the approval could not be attested: {error}")),
        }
    }

    fn record(&self, standing: &Standing) -> Record {
        let report = &self.case.first.evaluation.report;
        let record = Record::new(self.config.mode, report, self.case.subject.ok(), &self.around.context);
        let record = record.standing(standing);
        match self.case.first.recovery() {
            Some(point) => record.with("recoveryPoint", point),
            None => record,
        }
    }

    /// Says and records why verification stops it.
    fn failed(&self, failure: &Failure) -> u8 {
        say(&format!("recourse: refused: {}", escape(&failure.to_string())));
        if failure.reason.may_retry() {
            say("recourse: this can be tried again");
        }
        let record = self.record(&Standing::default()).failure(failure);
        if let Err(error) = record.write(Event::VerificationFailed, self.places) {
            say(&format!("recourse: the audit log could not be written: {}", escape(&error.to_string())));
        }
        REFUSED
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
    let demanded = own.max(attested);
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
            say(&render_line(report, around.style));
            Answer::Yes
        }
        EnforcementAction::Ask if profile == Profile::Agent => {
            let exactly = Exactly::for_agent(case, around);
            if exactly.as_ref().is_some_and(|exactly| exactly.was_approved(case, around)) {
                case.first.keep_some(around);
                return Answer::Yes;
            }
            explain(case, standing, around);
            say("recourse: refused: a person has to decide, and an agent is not asked");
            match exactly {
                Some(exactly) => exactly.request(case, around),
                None => say("recourse: a person can run it in a terminal of their own"),
            }
            Answer::No
        }
        EnforcementAction::Ask => {
            if let Some(why) = nobody_to_ask(profile) {
                explain(case, standing, around);
                say(&format!("recourse: refused: a person has to decide, and {}", escape(&why)));
                return Answer::No;
            }
            let exactly = Exactly::of(case, around);
            if exactly.as_ref().is_some_and(|exactly| exactly.is_allowed(case, around)) {
                case.first.keep_some(around);
                return Answer::Yes;
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

/// Why there is nobody to ask.
fn nobody_to_ask(profile: Profile) -> Option<String> {
    if profile != Profile::Human || !prompt::available() {
        return Some("there is no terminal to ask at".to_owned());
    }
    prompt::doubt().map(|doubt| doubt.to_string())
}

/// Says what it would cost, why nothing of that is kept where that was tried, and when the attested verdict is worse than
/// what this machine found.
fn explain(case: &Case<'_>, standing: Option<&Standing>, around: &Surroundings<'_>) {
    say(render(&case.first.evaluation.report, case.text, around.style).trim_end());
    for note in case.first.failed().into_iter().chain(attested_note(case, standing)) {
        say(&format!("recourse: {}", escape(&note)));
    }
}

fn attested_note(case: &Case<'_>, standing: Option<&Standing>) -> Option<String> {
    let attested = standing?.attested.filter(|attested| *attested > case.first.evaluation.verdict())?;
    Some(format!("the attested verdict is {}, and no approval of it was given", attested.as_str()))
}

/// Name of the first blocked target, which a person types to override `block`.
fn blocked_target(evaluation: &Evaluation) -> Option<String> {
    let judged = evaluation.assessments.iter().zip(&evaluation.report.mutations);
    let (_, said) = judged.into_iter().find(|(judged, _)| judged.verdict == Verdict::Block)?;
    let name = said.intent.target.name.as_deref().unwrap_or(&said.intent.target.id);
    // Only what can be typed and read plainly.
    (!name.is_empty() && name.len() <= 200 && escape(name) == name).then(|| name.to_owned())
}

/// Asks at the terminal. With `exactly`, it can be allowed for a while; with `name`, the person has to type exactly that to run it.
fn ask(
    case: &Case<'_>,
    standing: Option<&Standing>,
    around: &Surroundings<'_>,
    exactly: Option<&Exactly>,
    name: Option<&str>,
) -> Answer {
    let mut offer = case.first.offer(around);
    let looks = looks::offered(&case.first.evaluation, around);
    let shown: Vec<String> = looks.iter().map(|look| shell_words::join(&look.verification.argv)).collect();
    let lasting = always::lasting(&case.first.evaluation, around).filter(|_| name.is_none());
    loop {
        let notes: Vec<String> =
            case.first.failed().into_iter().chain(attested_note(case, standing)).collect();
        let note = notes.join("; ");
        let keeps = offer.as_ref().map(|offer| Keeps {
            all: offer.without.is_empty(),
            without: &offer.without,
            suffices: name.is_none() || offer.verdict < Verdict::Block,
        });
        let question = Question {
            note: (!note.is_empty()).then_some(note.as_str()),
            typed: name,
            replaceable: case.replaceable,
            allowable: exactly.map(|_| allowed::WHILE),
            lasting: lasting.as_ref(),
            keeps,
            looks: &shown,
            ..Question::new(&case.first.evaluation.report, case.text, &around.context.cwd)
        };
        match decide(&question) {
            Some(Decision::Run) => {
                // What is blocked is lost for good when the person errs: what can be kept is, though it was not asked for.
                if name.is_some() && offer.is_some() {
                    case.first.keep_some(around);
                }
                return Answer::Yes;
            }
            Some(Decision::KeepThenRun) => match case.first.keep_now(around) {
                Ok(()) => return Answer::Yes,
                // It was to be kept and is not: that is another question.
                Err(_) => offer = None,
            },
            Some(Decision::AllowFor(time)) => {
                if let Some(exactly) = exactly {
                    exactly.allow(case, around, time);
                }
                case.first.keep_some(around);
                return Answer::Yes;
            }
            Some(Decision::Look) => return Answer::Look(looks),
            Some(Decision::Always) => {
                if let Some(Err(error)) = lasting.as_ref().map(always::write) {
                    say(&format!("recourse: no rule was written: {}", escape(&error)));
                }
                case.first.keep_some(around);
                return Answer::Yes;
            }
            Some(Decision::RunInstead(text) | Decision::Edited(text)) => return Answer::Instead(text),
            Some(Decision::Abort(_)) | None => return Answer::No,
        }
    }
}

/// Asks whether to run what could not be judged.
pub(super) fn confirm_unjudged(evaluation: &Evaluation, cwd: &Path, why: &str) -> bool {
    let question = Question { note: Some(why), ..Question::new(&evaluation.report, None, cwd) };
    matches!(decide(&question), Some(Decision::Run))
}

/// Who sits at the terminal.
pub(super) fn user_name() -> String {
    let uid = Uid::current();
    User::from_uid(uid).ok().flatten().map_or_else(|| uid.to_string(), |user| user.name)
}

/// Asks for a yes to what nothing stands against.
pub(super) fn confirm(evaluation: &Evaluation, around: &Surroundings<'_>) -> bool {
    let question = Question::new(&evaluation.report, None, &around.context.cwd);
    matches!(decide(&question), Some(Decision::Run))
}

/// A terminal that fails is a no.
fn decide(question: &Question<'_>) -> Option<Decision> {
    let decision = prompt::decide(question);
    if let Err(error) = &decision {
        say(&format!("recourse: refused: nobody could be asked: {}", escape(&error.to_string())));
    }
    decision.ok()
}
