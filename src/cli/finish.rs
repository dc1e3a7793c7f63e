//! How an evaluation ends: signed where that is on, and printed.

use crate::attest::Mode;
use crate::config::{Config, user_places};
use crate::evaluate::{Evaluation, EvaluationContext};
use crate::keep::{Keeping, offer};
use crate::model::Verdict;
use crate::policy::Profile;
use crate::proof::{InputError, Proof, ProofError, Subject};
use crate::report::{KeepFirst, render};

use super::common::Format;
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
    // Whoever runs it by hand is a person.
    let profile = setup.context.profile.or(Some(Profile::Human));
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

/// Signs where that is on, and prints.
pub(super) fn finish(
    done: &Evaluation,
    text: Option<&str>,
    format: Format,
    signing: Option<Signing>,
    subject: Option<Result<Subject, InputError>>,
    context: &EvaluationContext,
) -> Result<(), Failure> {
    let (Some(Signing(proof)), Some(subject)) = (signing, subject) else {
        return report(done, text, format);
    };
    let subject = subject.map_err(|error| unsigned(&error))?;
    let attested = proof.attest(&subject, context, &done.report).map_err(|error| unsigned(&error))?;
    match format {
        Format::Json => output::print_json(&attested.beside(&done.report)),
        Format::Human => {
            report(done, text, format)?;
            output::print(&format!("attestation: {}\n", attested.attestation.uri()));
            Ok(())
        }
    }
}

/// Prints a report.
fn report(done: &Evaluation, text: Option<&str>, format: Format) -> Result<(), Failure> {
    match format {
        Format::Json => output::print_json(&done.report),
        Format::Human => {
            output::print(&render(&done.report, text, output::style()));
            Ok(())
        }
    }
}
