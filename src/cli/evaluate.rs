//! `evaluate`: the verdict as report and exit status.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Subcommand, ValueHint};

use crate::evaluate::{Input, evaluate};
use crate::proof::Subject;

use super::common::{Common, Threshold};
use super::finish::{Form, Signing, finish, say_what_is_kept};
use super::inputs::{plan_bytes, plan_input, shell_input};
use super::mcp::{self, McpArgs};
use super::output::Failure;
use super::setup::Setup;
use super::status;

#[derive(Debug, Subcommand)]
pub(super) enum Evaluate {
    /// Judge shell text (one word) or an argument vector (several words)
    Shell(ShellArgs),
    /// Judge a Terraform plan, binary or in JSON
    Terraform(TerraformArgs),
    /// Judge a call of another MCP server's tool
    Mcp(McpArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct ShellArgs {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(flatten)]
    pub(super) threshold: Threshold,
    /// One word is shell text, several are an argument vector; `-` reads shell text from standard input. From the first
    /// word on all belongs to the command
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
    pub(super) words: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
pub(super) struct TerraformArgs {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(flatten)]
    pub(super) threshold: Threshold,
    /// Current state as JSON (`terraform show -json`), for what the plan does not say
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) state: Option<PathBuf>,
    /// The plan as `plan -out` wrote it, or in JSON; `-` reads JSON from standard input. A binary plan is read by
    /// `terraform show`, which starts the providers of its directory
    #[arg(value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub(super) plan: PathBuf,
}

pub(super) fn run(what: Evaluate) -> Result<u8, Failure> {
    match what {
        Evaluate::Shell(args) => shell(&args),
        Evaluate::Terraform(args) => terraform(&args),
        Evaluate::Mcp(args) => mcp::evaluate_call(&args),
    }
}

fn shell(args: &ShellArgs) -> Result<u8, Failure> {
    let mut setup = Setup::new(&args.common)?;
    let input = shell_input(&args.words)?;
    let text = input.shown();
    let signing = Signing::new(args.threshold.attest)?;
    setup.context.signed = signing.is_some();
    let subject = signing.as_ref().map(|_| Subject::shell(&input));
    let mut done =
        evaluate(Input::Shell(input), &setup.context, &setup.world, &setup.knowledge, &setup.policy);
    say_what_is_kept(&mut done, &text, &setup);
    let form = Form { text: Some(&text), file: None, threshold: args.threshold };
    finish(&done, &form, signing, subject, &setup.context)?;
    let code =
        if done.internal_error { status::INTERNAL } else { args.threshold.fail_on.status(done.verdict()) };
    // The process ends: the system takes the memory back faster than piece by piece.
    std::mem::forget((setup, done));
    Ok(code)
}

fn terraform(args: &TerraformArgs) -> Result<u8, Failure> {
    let mut setup = Setup::new(&args.common)?;
    let (bytes, file) = plan_bytes(&args.plan, &setup)?;
    let input = plan_input(&args.plan, &bytes, args.state.as_deref())?;
    let signing = Signing::new(args.threshold.attest)?;
    setup.context.signed = signing.is_some();
    setup.context.materials.extend(file.filter(|_| signing.is_some()));
    let subject = signing.as_ref().map(|_| Subject::terraform(&bytes));
    drop(bytes);
    let done = evaluate(input, &setup.context, &setup.world, &setup.knowledge, &setup.policy);
    let file = args.plan.to_str().filter(|name| *name != "-");
    let form = Form { text: None, file, threshold: args.threshold };
    finish(&done, &form, signing, subject, &setup.context)?;
    Ok(if done.internal_error { status::INTERNAL } else { args.threshold.fail_on.status(done.verdict()) })
}
