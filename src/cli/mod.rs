//! The command line: options in, one call, its verdict as text and exit status.
//!
//! Owns options, reading of files and standard input, the policy files' places, output and exit statuses. Holds no
//! judgement.

mod agent_hook;
mod approve;
mod args;
mod doctor;
mod evaluate;
mod exec;
mod explain;
mod generate;
mod hook;
mod init;
mod init_mcp;
mod keys;
mod knowledge;
mod log;
mod mcp;
mod mcp_serve;
mod often;
mod output;
mod policy;
mod publish;
mod registry;
mod resources;
mod serve;
mod setup;
mod shim;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command, RegistryCommand};
use output::Failure;

pub use args::command;
pub use generate::{CompletionShell, completions};

/// Exit statuses that commands share.
pub(crate) mod status {
    /// `verify`, `registry refresh`: what was looked at is not valid.
    pub(crate) const INVALID: u8 = 1;
    /// `verify`, `registry refresh`: it could not be looked at.
    pub(crate) const UNCHECKED: u8 = 3;
    /// Bad usage or unreadable input.
    pub(crate) const USAGE: u8 = 2;
    /// recourse itself failed.
    pub(crate) const INTERNAL: u8 = 70;
    /// `exec`: recourse itself failed.
    pub(crate) const EXEC_FAILED: u8 = 125;
}

/// Runs the program with these words (the program's own name first).
pub fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.into_iter().collect();
    let command = match often::read(&words) {
        Some(command) => command,
        None => match Args::try_parse_from(words) {
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
    match run(command) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            output::error(&failure.message);
            ExitCode::from(if executes { status::EXEC_FAILED } else { failure.code })
        }
    }
}

fn run(command: Command) -> Result<u8, Failure> {
    match command {
        Command::Evaluate(what) => evaluate::run(what),
        Command::Exec(args) => exec::run(args),
        Command::Hook { command } => agent_hook::run(&command),
        Command::Init { what } => init::run(&what),
        Command::Approve(args) => approve::run(&args),
        Command::Shim { command } => shim::run(&command),
        Command::Explain(args) => explain::run(&args),
        Command::Resources(args) => resources::run(&args),
        Command::Keys { command } => keys::run(command),
        Command::Registry { command: RegistryCommand::Publish(args) } => publish::run(&args),
        Command::Log(args) => log::run(&args),
        Command::Mcp { command: args::McpCommand::Serve } => mcp_serve::run(),
        Command::Serve(args) => serve::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Policy { command } => policy::run(&command),
        Command::Knowledge { command } => knowledge::run(&command),
        Command::Verify(args) => verify::run(&args),
        Command::Registry { command: RegistryCommand::Refresh(args) } => registry::refresh(&args),
        Command::Completions { shell } => {
            output::print_bytes(&completions(shell));
            Ok(0)
        }
        Command::Generate(args) => generate::run(&args),
        Command::Schema { name: args::SchemaName::Report } => {
            output::print(crate::report::SCHEMA);
            Ok(0)
        }
    }
}
