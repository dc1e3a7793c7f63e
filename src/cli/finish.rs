//! How an evaluation ends: signed where that is on, and printed.

use crate::attest::Mode;
use crate::config::{Config, user_places};
use crate::evaluate::{Evaluation, EvaluationContext};
use crate::keep::{Keeping, offer};
use crate::model::Verdict;
use crate::policy::Profile;
use crate::proof::{Attested, InputError, Proof, ProofError, Subject};
use crate::report::{KeepFirst, github, junit, markdown, render, sarif};

use super::common::{ReportFormat, Threshold};
use super::output::{self, Failure};
use super::setup::Setup;

/// The instance's signing, for this evaluation.
pub(super) struct Signing(Proof);

impl Signing {
    /// When it is asked for, or configured.
    pub(super) fn new(asked: bool) -> Result<Option<Self>, Failure> {
        let config = Config::load()?.attestation;
        if !asked && !config.enabled {
            return Ok(None);
        }
        let places = user_places().ok_or_else(|| Failure::usage(ProofError::NoHome.to_string()))?;
        Proof::open(&config, &places).map(Self).map(Some).map_err(|error| unsigned(&error))
    }
}

/// An evaluation that was to be signed and could not be is no evaluation.
fn unsigned(error: &dyn std::fmt::Display) -> Failure {
    Failure::internal(format!("the report could not be signed: {error}"))
}

/// Says in the report what running it would do in its place: `evaluate` itself keeps nothing. The verdict stays.
pub(super) fn say_what_is_kept(done: &mut Evaluation, text: &str, setup: &Setup) {
    let Some(places) = user_places() else { return };
    // What must be attested is judged as if nothing were kept.
    if done.verdict() < Verdict::Escalate || Config::load().is_ok_and(|c| c.attestation.mode == Mode::Require)
    {
        return;
    }
    // Where nobody can be asked `exec` keeps nothing and refuses.
    let by_hand = if crate::prompt::available() { Profile::Human } else { Profile::Ci };
    let profile = setup.context.profile.or(Some(by_hand));
    let context = EvaluationContext { profile, ..setup.context.clone() };
    let could = offer(
        done,
        &Keeping {
            world: &setup.world,
            knowledge: &setup.knowledge,
            policy: &setup.policy,
            context: &context,
            places: &places,
            command: text,
            session: None,
        },
    );
    done.report.keep_first = could.filter(|offer| offer.at_once).map(|offer| KeepFirst {
        risk_assessment: offer.verdict,
        action: offer.action,
        keeps: offer.keeps,
    });
}

/// What a report is printed from, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form<'a> {
    /// The command line that it speaks of.
    pub(super) text: Option<&'a str>,
    /// The file that it speaks of.
    pub(super) file: Option<&'a str>,
    /// The form, and what fails.
    pub(super) threshold: Threshold,
}

/// Signs where that is on, and prints.
pub(super) fn finish(
    done: &Evaluation,
    form: &Form<'_>,
    signing: Option<Signing>,
    subject: Option<Result<Subject, InputError>>,
    context: &EvaluationContext,
) -> Result<(), Failure> {
    let (Some(Signing(proof)), Some(subject)) = (signing, subject) else {
        if form.threshold.format == ReportFormat::Bundle {
            return Err(Failure::usage("a bundle holds what is signed: --format bundle wants --attest"));
        }
        return report(done, form);
    };
    let subject = subject.map_err(|error| unsigned(&error))?;
    let attested = proof.attest(&subject, context, &done.report).map_err(|error| unsigned(&error))?;
    signed(&attested, &proof, done, form)?;
    super::tidy::tidy();
    Ok(())
}

/// Prints what was signed.
fn signed(attested: &Attested, proof: &Proof, done: &Evaluation, form: &Form<'_>) -> Result<(), Failure> {
    let uri = attested.attestation.uri();
    match form.threshold.format {
        ReportFormat::Json => return output::print_json(&attested.beside(&done.report)),
        ReportFormat::Bundle => {
            let bundle = proof.bundle(&attested.attestation).map_err(|error| unsigned(&error))?;
            return output::print_json(&bundle);
        }
        ReportFormat::Human => {
            report(done, form)?;
            output::print(&format!("attestation: {uri}\n"));
        }
        // What a program reads ends where its form ends.
        ReportFormat::Markdown | ReportFormat::Sarif | ReportFormat::Junit | ReportFormat::Github => {
            report(done, form)?;
            output::note(&format!("attestation: {uri}"));
        }
    }
    Ok(())
}

/// Prints a report.
fn report(done: &Evaluation, form: &Form<'_>) -> Result<(), Failure> {
    let Form { text, file, threshold } = *form;
    let report = &done.report;
    let fails = |verdict: Verdict| threshold.fail_on.status(verdict) != 0;
    let page = match threshold.format {
        // A bundle was printed where it was signed.
        ReportFormat::Json | ReportFormat::Bundle => return output::print_json(report),
        ReportFormat::Sarif => return output::print_json(&sarif(report, file)),
        ReportFormat::Human => render(report, text, output::style()),
        ReportFormat::Markdown => markdown(report),
        ReportFormat::Junit => junit(report, file, &fails),
        ReportFormat::Github => github(report, file, &fails),
    };
    output::print(&page);
    Ok(())
}
