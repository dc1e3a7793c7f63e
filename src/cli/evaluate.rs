//! `evaluate`: the verdict as report and exit status.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use crate::config::{Config, user_places};
use crate::evaluate::{Evaluation, EvaluationContext, Input, evaluate};
use crate::proof::{InputError, Proof, ProofError, Subject};
use crate::report::render;
use crate::shell;
use crate::terraform;

use super::args::{Evaluate, Format, ShellArgs, TerraformArgs};
use super::output::{self, Failure};
use super::setup::{self, Setup};
use super::status;

pub(super) fn run(what: Evaluate) -> Result<u8, Failure> {
    match what {
        Evaluate::Shell(args) => shell(&args),
        Evaluate::Terraform(args) => terraform(&args),
        Evaluate::Mcp(args) => super::mcp::evaluate_call(&args),
    }
}

fn shell(args: &ShellArgs) -> Result<u8, Failure> {
    let setup = Setup::new(&args.common)?;
    let input = shell_input(&args.words)?;
    let text = input.shown();
    let signing = Signing::new(args.threshold.attest)?;
    let subject = signing.as_ref().map(|_| Subject::shell(&input));
    let done = evaluate(Input::Shell(input), &setup.context, &setup.world, &setup.knowledge, &setup.policy);
    finish(&done, Some(&text), args.common.format, signing, subject, &setup.context)?;
    let code =
        if done.internal_error { status::INTERNAL } else { args.threshold.fail_on.status(done.verdict()) };
    // The process ends: the system takes the memory back faster than piece by piece.
    std::mem::forget((setup, done));
    Ok(code)
}

fn terraform(args: &TerraformArgs) -> Result<u8, Failure> {
    let setup = Setup::new(&args.common)?;
    let bytes = setup::read_document(&args.plan)?;
    let input = plan_input(&args.plan, &bytes, args.state.as_deref())?;
    let signing = Signing::new(args.threshold.attest)?;
    let subject = signing.as_ref().map(|_| Subject::terraform(&bytes));
    drop(bytes);
    let done = evaluate(input, &setup.context, &setup.world, &setup.knowledge, &setup.policy);
    finish(&done, None, args.common.format, signing, subject, &setup.context)?;
    Ok(if done.internal_error { status::INTERNAL } else { args.threshold.fail_on.status(done.verdict()) })
}

/// A plan, with a state where one is named.
pub(super) fn plan_input(plan: &Path, bytes: &[u8], state: Option<&Path>) -> Result<Input, Failure> {
    let named = |path: &Path, error: String| Failure::usage(format!("{}: {error}", path.display()));
    let read = terraform::read(bytes).map_err(|error| named(plan, error.to_string()))?;
    let state = match state {
        None => None,
        Some(path) => {
            let bytes = setup::read_document(path)?;
            let value: serde_json::Value = serde_json::from_slice(&bytes)
                .map_err(|error| named(path, format!("not JSON (line {})", error.line())))?;
            if value.pointer("/format_version").is_none() {
                return Err(named(path, "not a state; make one with `terraform show -json`".to_owned()));
            }
            Some(Arc::new(value))
        }
    };
    Ok(Input::Terraform { plan: Arc::new(read), state })
}

/// One word is shell text (`-`: standard input), several are an argument vector.
pub(super) fn shell_input(words: &[OsString]) -> Result<shell::Input, Failure> {
    let [word] = words else {
        return Ok(shell::Input::Argv(words.iter().map(|word| word.to_str().map(str::to_owned)).collect()));
    };
    let bytes = if word == "-" { setup::read_text()? } else { word.clone().into_encoded_bytes() };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(shell::Input::Text(text)),
        Err(_) => Err(Failure::usage("the shell text is not valid UTF-8 and cannot be judged")),
    }
}

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
pub(super) fn report(done: &Evaluation, text: Option<&str>, format: Format) -> Result<(), Failure> {
    match format {
        Format::Json => output::print_json(&done.report),
        Format::Human => {
            output::print(&render(&done.report, text, output::style()));
            Ok(())
        }
    }
}
