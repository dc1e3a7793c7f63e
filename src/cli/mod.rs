//! The command line: options in, one call, its verdict as text and exit status.
//!
//! Owns options, reading of files and standard input, the policy files' places, output and exit statuses. Holds no
//! judgement.

mod approve;
mod args;
mod common;
mod doctor;
mod evaluate;
mod exec;
mod explain;
mod finish;
mod generate;
mod hook;
mod init;
mod init_here;
mod init_mcp;
mod inputs;
mod installing;
mod keys;
mod knowledge;
mod log;
mod log_export;
mod log_lines;
mod mcp;
mod mcp_serve;
mod output;
mod policy;
mod publish;
mod quick_args;
mod registry;
mod resources;
mod scan;
#[cfg(feature = "net")]
mod serve;
mod servers;
mod setup;
mod shell_hook;
mod shim;
mod status;
mod statuses;
mod tidy;
mod transparency;
mod trust;
mod undo;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches;

use args::{Args, Command, SchemaName};
use output::Failure;
use servers::This;

pub use args::{command, completions};
pub use generate::CompletionShell;
pub use servers::Servers;

/// Runs the program with these words (the program's own name first). `servers` is what it serves itself: what it does not, it
/// becomes `recourse-net` for.
pub fn main(words: impl IntoIterator<Item = OsString>, servers: Option<&Servers>) -> ExitCode {
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
    match run(command, This { words: &words, servers }) {
        Ok(code) => ExitCode::from(code),
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
        Command::Scan(args) => scan::run(&args),
        Command::Hook { command } => hook::run(&command),
        Command::Init(args) => init::run(&args),
        Command::Approve(args) => approve::run(&args),
        Command::Shim { command } => shim::run(&command),
        Command::Explain(args) => explain::run(&args),
        Command::Resources(args) => resources::run(&args),
        Command::Keys { command } => keys::run(command),
        Command::Registry { command } => registry::run(&command),
        Command::Log(args) => log::run(&args, this),
        Command::Trust { command } => trust::run(&command),
        Command::Mcp { command } => mcp_serve::run(&command),
        Command::Serve(args) => this.serve(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Policy { command } => policy::run(&command),
        Command::Knowledge { command } => knowledge::run(&command),
        Command::Undo(args) => undo::run(&args),
        Command::Kept(args) => undo::kept(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Completions { shell } => {
            output::print_bytes(&completions(shell));
            Ok(0)
        }
        Command::Generate(args) => generate::run(&args, &self::command()),
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
