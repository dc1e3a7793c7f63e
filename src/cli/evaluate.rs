//! `evaluate`: the verdict as report and exit status.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use crate::evaluate::{Evaluation, Input, evaluate};
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
    }
}

fn shell(args: &ShellArgs) -> Result<u8, Failure> {
    let setup = Setup::new(&args.common)?;
    let input = shell_input(&args.words)?;
    let text = input.shown();
    let done = evaluate(Input::Shell(input), &setup.context, &setup.world, &setup.knowledge, &setup.policy);
    report(&done, Some(&text), args.common.format)?;
    Ok(if done.internal_error { status::INTERNAL } else { args.threshold.fail_on.status(done.verdict()) })
}

fn terraform(args: &TerraformArgs) -> Result<u8, Failure> {
    let setup = Setup::new(&args.common)?;
    let input = plan_input(&args.plan, args.state.as_deref())?;
    let done = evaluate(input, &setup.context, &setup.world, &setup.knowledge, &setup.policy);
    report(&done, None, args.common.format)?;
    Ok(if done.internal_error { status::INTERNAL } else { args.threshold.fail_on.status(done.verdict()) })
}

/// A plan in a file (`-`: standard input), with a state where one is named.
pub(super) fn plan_input(plan: &Path, state: Option<&Path>) -> Result<Input, Failure> {
    let named = |path: &Path, error: String| Failure::usage(format!("{}: {error}", path.display()));
    let bytes = setup::read_document(plan)?;
    let read = terraform::read(&bytes).map_err(|error| named(plan, error.to_string()))?;
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
