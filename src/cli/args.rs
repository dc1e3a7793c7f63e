//! The whole command line, put together from the commands.

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

use super::approve::ApproveArgs;
use super::beside::ServeArgs;
use super::doctor::DoctorArgs;
use super::evaluate::Evaluate;
use super::exec::ExecArgs;
use super::explain::ExplainArgs;
use super::generate::{self, CompletionShell, GenerateArgs};
use super::hook::HookCommand;
use super::init::InitArgs;
use super::keys::KeysCommand;
use super::knowledge::KnowledgeCommand;
use super::log::LogArgs;
use super::mcp_serve::McpCommand;
use super::policy::PolicyCommand;
use super::registry::RegistryCommand;
use super::resources::ResourcesArgs;
use super::scan::ScanArgs;
use super::shim::ShimCommand;
use super::trust::TrustCommand;
use super::undo::{KeptArgs, UndoArgs};
use super::verify::VerifyArgs;

/// Tells what a command would destroy for good, before it runs, and stops what must not run.
#[derive(Debug, Parser)]
#[command(name = "recourse", version, about, max_term_width = 100, disable_help_subcommand = true)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The command line's definition, for completions.
pub fn command() -> clap::Command {
    Args::command()
}

/// The completion script for a shell.
pub fn completions(shell: CompletionShell) -> Vec<u8> {
    generate::script(&command(), shell)
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Judge a command or plan without running it
    #[command(subcommand)]
    Evaluate(Evaluate),
    /// Judge a command and show every step, piece of evidence and rule
    Explain(ExplainArgs),
    /// Find what scripts, images, build files and CI jobs would destroy
    Scan(ScanArgs),
    /// Judge a command, then become it
    Exec(ExecArgs),
    /// Put back what the last command destroyed, or another one that is kept
    Undo(UndoArgs),
    /// What is kept: when, by whom, what, how large
    Kept(KeptArgs),
    /// Guard the shells, coding agents and MCP clients that are found here, or one of them
    Init(InitArgs),
    /// What installed hooks call
    Hook {
        #[command(subcommand)]
        command: HookCommand,
    },
    /// Allow, once, what an agent was denied; only a person at a terminal can
    Approve(ApproveArgs),
    /// Programs that are run through `exec` wherever they are called from
    Shim {
        #[command(subcommand)]
        command: ShimCommand,
    },
    /// List what is known: tools, kinds and Terraform types
    Resources(ResourcesArgs),
    /// Show or check policy files
    Policy {
        #[command(subcommand)]
        command: PolicyCommand,
    },
    /// Check what you teach about your own tools
    Knowledge {
        #[command(subcommand)]
        command: KnowledgeCommand,
    },
    /// Make, rotate and revoke the keys that sign attestations
    Keys {
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// Publish this instance's keys and attestations; fetch another's keys
    Registry {
        #[command(subcommand)]
        command: RegistryCommand,
    },
    /// Show or check the audit log; keep, prove and witness the transparency log
    Log(LogArgs),
    /// Sign an organisation's trust bundle, or follow one
    Trust {
        #[command(subcommand)]
        command: TrustCommand,
    },
    /// Answer AI agents over the Model Context Protocol
    Mcp {
        #[command(subcommand)]
        command: McpCommand,
    },
    /// Serve the key registry, attestations and evaluations over HTTP
    Serve(ServeArgs),
    /// Say what is and is not covered on this machine
    Doctor(DoctorArgs),
    /// Verify an attestation, or a report with one beside it
    Verify(VerifyArgs),
    /// Print a completion script
    Completions {
        /// The shell to complete in
        #[arg(value_enum)]
        shell: CompletionShell,
    },
    /// Write completion scripts and manual pages into a folder
    #[command(hide = true)]
    Generate(GenerateArgs),
    /// Print the JSON Schema of what recourse prints
    Schema {
        /// Which schema
        #[arg(value_enum, default_value_t = SchemaName::Report)]
        name: SchemaName,
    },
}

/// Schemas that can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SchemaName {
    /// The report of `evaluate`
    Report,
    /// An attestation, as it stands beside a report and by itself
    Attestation,
    /// A key registry
    Registry,
    /// Evidence that `--evidence` takes
    Evidence,
    /// The JSON of `scan`
    Scan,
}
