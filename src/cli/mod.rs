//! The command line: options in, one call, its verdict as text and exit status.
//!
//! Owns options, reading of files and standard input, the policy files' places, output and exit statuses. Holds no
//! judgement.

mod approve;
mod args;
mod beside;
mod common;
mod doctor;
mod evaluate;
mod exec;
mod explain;
mod finish;
#[cfg_attr(not(feature = "net"), allow(dead_code))] // Done beside.
mod generate;
mod hook;
mod init;
mod init_here;
mod init_mcp;
mod inputs;
mod installing;
mod keys;
#[cfg_attr(not(feature = "net"), allow(dead_code))] // Done beside.
mod knowledge;
#[cfg_attr(not(feature = "net"), allow(dead_code))] // Done beside.
mod log;
#[cfg_attr(not(feature = "net"), allow(dead_code))] // Done beside.
mod log_export;
#[cfg_attr(not(feature = "net"), allow(dead_code))] // Done beside.
mod log_lines;
mod mcp;
#[cfg_attr(not(feature = "net"), allow(dead_code))] // Done beside.
mod mcp_serve;
mod output;
mod policy;
mod publish;
mod quick_args;
mod registry;
#[cfg_attr(not(feature = "net"), allow(dead_code))] // Done beside.
mod resources;
#[cfg_attr(not(feature = "net"), allow(dead_code))] // Done beside.
mod scan;
#[cfg(feature = "net")]
mod serve;
mod setup;
mod shell_hook;
mod shim;
mod status;
mod statuses;
mod tidy;
#[cfg_attr(not(feature = "net"), allow(dead_code))] // Done beside.
mod transparency;
#[cfg_attr(not(feature = "net"), allow(dead_code))] // Done beside.
mod trust;
mod undo;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches;

use args::{Args, Command, SchemaName};
use beside::This;
use output::Failure;

pub use args::{command, completions};
pub use beside::Beside;
pub use generate::CompletionShell;

/// Runs the program with these words (the program's own name first). `beside` is what only `recourse-net` does: for that, any
/// other program becomes it.
pub fn main(words: impl IntoIterator<Item = OsString>, beside: Option<&Beside>) -> ExitCode {
    let words: Vec<OsString> = words.into_iter().collect();
    let command = match quick_args::read(&words) {
        Some(command) => command,
        None => match whole(words.clone()) {
            Ok(args) => args.command,
            Err(error) => {
                // `--help` and `--version` come here too and are no failure.
                let code = if error.use_stderr() { status::USAGE } else { 0 };
                output::clap_message(&error);
                return ExitCode::from(code);
            }
        },
    };
    let executes = matches!(command, Command::Exec(_));
    match run(command, This { words: &words, beside }) {
        Ok(code) => match output::lost() {
            // Whoever reads a part must not take it for all.
            Some(why) if !executes => {
                output::error(&format!("the output could not be written: {why}"));
                ExitCode::from(status::INTERNAL)
            }
            _ => ExitCode::from(code),
        },
        Err(failure) => {
            output::error(&failure.message);
            ExitCode::from(if executes { status::EXEC_FAILED } else { failure.code })
        }
    }
}

/// Reads the words by the whole definition. `help evaluate shell` is `evaluate shell --help`.
fn whole(mut words: Vec<OsString>) -> Result<Args, clap::Error> {
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push(OsString::from("--help"));
    }
    let matches = statuses::with_statuses(self::command()).try_get_matches_from(words)?;
    Args::from_arg_matches(&matches)
}

fn run(command: Command, this: This<'_>) -> Result<u8, Failure> {
    match command {
        Command::Evaluate(what) => evaluate::run(what),
        Command::Exec(args) => exec::run(args),
        Command::Scan(args) => this.does(|beside| (beside.scan)(&args)),
        Command::Hook { command } => hook::run(&command),
        Command::Init(args) => init::run(&args),
        Command::Approve(args) => approve::run(&args),
        Command::Shim { command } => shim::run(&command),
        Command::Explain(args) => explain::run(&args),
        Command::Resources(args) => this.does(|beside| (beside.resources)(&args)),
        Command::Keys { command } => keys::run(command),
        Command::Registry { command } => registry::run(&command),
        Command::Log(args) => this.does(|beside| (beside.log)(&args, beside.witness)),
        Command::Trust { command } => this.does(|beside| (beside.trust)(&command)),
        Command::Mcp { command } => this.does(|beside| (beside.mcp)(&command)),
        Command::Serve(args) => this.does(|beside| (beside.serve)(&args)),
        Command::Doctor(args) => doctor::run(&args),
        Command::Policy { command } => policy::run(&command),
        Command::Knowledge { command } => this.does(|beside| (beside.knowledge)(&command)),
        Command::Undo(args) => undo::run(&args),
        Command::Kept(args) => undo::kept(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Completions { shell } => this.does(|beside| (beside.completions)(shell)),
        Command::Generate(args) => this.does(|beside| (beside.generate)(&args)),
        Command::Schema { name } => {
            output::print(match name {
                SchemaName::Report => crate::report::SCHEMA,
                SchemaName::Attestation => crate::attest::ATTESTATION_SCHEMA,
                SchemaName::Registry => crate::attest::REGISTRY_SCHEMA,
                SchemaName::Evidence => crate::evaluate::EVIDENCE_SCHEMA,
                SchemaName::Scan => scan::SCHEMA,
            });
            Ok(0)
        }
    }
}
