//! Options and subcommands.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};

use crate::hook::shell::ShellKind;
use crate::model::Verdict;
use crate::policy::Profile;

use super::generate::CompletionShell;
use super::init_mcp::InitMcpArgs;
use super::keys::KeysCommand;
use super::knowledge::KnowledgeCommand;
use super::log::LogArgs;
use super::policy::PolicyCommand;
use super::publish::PublishArgs;

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

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Judge a command or plan without running it
    #[command(subcommand)]
    Evaluate(Evaluate),
    /// Judge a command and show every step, piece of evidence and rule
    Explain(ExplainArgs),
    /// Judge a command, then become it
    Exec(ExecArgs),
    /// Guard a shell or a coding agent: `eval "$(recourse init bash)"`, `recourse init codex --write`
    Init {
        #[command(subcommand)]
        what: InitCommand,
    },
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
    /// Show or check the audit log
    Log(LogArgs),
    /// Answer AI agents over the Model Context Protocol
    Mcp {
        #[command(subcommand)]
        command: McpCommand,
    },
    /// Serve the key registry, attestations and evaluations over HTTP
    Serve(super::serve::ServeArgs),
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

#[derive(Debug, clap::Args)]
pub(super) struct GenerateArgs {
    /// The folder; `completions` and `man` in it are filled
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(super) folder: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(super) enum Evaluate {
    /// Judge shell text (one word) or an argument vector (several words)
    Shell(ShellArgs),
    /// Judge a Terraform plan (`terraform show -json PLAN`)
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
    /// One word is shell text, several are an argument vector; `-` reads shell text from standard input
    #[arg(required = true, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
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
    /// The plan as JSON; `-` reads standard input
    #[arg(value_name = "PLAN.json", value_hint = ValueHint::FilePath)]
    pub(super) plan: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(flatten)]
    pub(super) threshold: Threshold,
    #[command(flatten)]
    pub(super) call: McpCallArgs,
}

/// A tool call.
#[derive(Debug, clap::Args)]
pub(super) struct McpCallArgs {
    /// The server, as the client names it
    #[arg(long, value_name = "NAME")]
    pub(super) server: Option<String>,
    /// The tool
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(super) tool: String,
    /// The arguments, a JSON object; `-` reads standard input, `@FILE` a file
    #[arg(long, value_name = "JSON|-|@FILE")]
    pub(super) arguments: Option<String>,
    /// The description that the server gives of the tool
    #[arg(long, value_name = "TEXT")]
    pub(super) description: Option<String>,
    /// The annotations that the server gives, a JSON object
    #[arg(long, value_name = "JSON")]
    pub(super) annotations: Option<String>,
}

/// Circumstances that every judging command takes.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Common {
    /// Directory that the command would run in [default: the current one]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) cwd: Option<PathBuf>,
    /// Whose enforcement to state [env: RECOURSE_PROFILE]
    #[arg(long, value_name = "PROFILE", value_parser = profile())]
    pub(super) profile: Option<Profile>,
    /// Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(super) environment: Option<String>,
    /// Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]
    #[arg(long, value_name = "ID", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(super) actor: Option<String>,
    /// Evidence gathered elsewhere, with the raw output that proves it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) evidence: Option<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Threshold {
    /// Verdict from which on the exit status is not 0
    #[arg(long, value_enum, default_value_t = FailOn::Block, value_name = "VERDICT")]
    pub(super) fail_on: FailOn,
    /// Sign the report, also where the configuration does not say so
    #[arg(long)]
    pub(super) attest: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    #[command(flatten)]
    pub(super) common: Common,
    /// Explain a Terraform plan in JSON instead of a command
    #[arg(long, value_name = "PLAN.json", conflicts_with = "words", value_hint = ValueHint::FilePath)]
    pub(super) plan: Option<PathBuf>,
    /// Explain a call of this MCP tool instead of a command
    #[arg(long, value_name = "NAME", conflicts_with_all = ["words", "plan"])]
    pub(super) tool: Option<String>,
    /// The tool's server
    #[arg(long, value_name = "NAME", requires = "tool")]
    pub(super) server: Option<String>,
    /// The tool's arguments, a JSON object; `-` reads standard input, `@FILE` a file
    #[arg(long, value_name = "JSON|-|@FILE", requires = "tool")]
    pub(super) arguments: Option<String>,
    /// One word is shell text, several are an argument vector; `-` reads shell text from standard input
    #[arg(required_unless_present_any = ["plan", "tool"], value_name = "COMMAND", value_hint = ValueHint::CommandString)]
    pub(super) words: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
pub(super) struct ExecArgs {
    /// Whose enforcement to apply [default: human with a terminal, else ci; env: RECOURSE_PROFILE]
    #[arg(long, value_name = "PROFILE", value_parser = profile())]
    pub(super) profile: Option<Profile>,
    /// Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(super) environment: Option<String>,
    /// Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]
    #[arg(long, value_name = "ID", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(super) actor: Option<String>,
    /// An attestation, or a report with one: of the evaluation, or of a person's approval of it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) attestation: Vec<PathBuf>,
    /// Shell text to run with bash
    #[arg(short = 'c', value_name = "TEXT", conflicts_with = "words", value_hint = ValueHint::CommandString)]
    pub(super) text: Option<OsString>,
    /// The program and its arguments, run exactly so, without a shell
    #[arg(
        required_unless_present = "text",
        trailing_var_arg = true,
        allow_hyphen_values = false,
        value_name = "CMD",
        value_hint = ValueHint::CommandWithArguments
    )]
    pub(super) words: Vec<OsString>,
}

/// What is guarded.
#[derive(Debug, Subcommand)]
pub(super) enum InitCommand {
    /// Print the hook of bash
    Bash(InitShellArgs),
    /// Print the hook of zsh
    Zsh(InitShellArgs),
    /// Print the hook of fish
    Fish(InitShellArgs),
    /// Hook of Claude Code
    #[command(alias = "claude")]
    ClaudeCode(InitAgentArgs),
    /// Hook of OpenAI Codex
    Codex(InitAgentArgs),
    /// Hook of Gemini CLI
    Gemini(InitAgentArgs),
    /// Hook of Cursor
    Cursor(InitAgentArgs),
    /// Hook of GitHub Copilot CLI
    Copilot(InitAgentArgs),
    /// Hook of the agent of VS Code
    Vscode(InitAgentArgs),
    /// Hook of Windsurf
    Windsurf(InitAgentArgs),
    /// Hook of Cline
    Cline(InitAgentArgs),
    /// Hook of opencode
    Opencode(InitAgentArgs),
    /// Hook of Amp
    Amp(InitAgentArgs),
    /// Hook of Crush
    Crush(InitAgentArgs),
    /// The MCP server in a client's configuration
    Mcp(InitMcpArgs),
}

/// What is done with an agent's hook; by default it is only shown.
#[derive(Debug, clap::Args)]
pub(super) struct InitAgentArgs {
    /// Only show what would change (the default)
    #[arg(long, conflicts_with_all = ["write", "verify"])]
    pub(super) dry_run: bool,
    /// Install it
    #[arg(long, conflicts_with_all = ["verify", "uninstall"])]
    pub(super) write: bool,
    /// Check that it is installed as it should be and answers
    #[arg(long, conflicts_with = "uninstall")]
    pub(super) verify: bool,
    /// Remove it, and leave the file as it was before
    #[arg(long)]
    pub(super) uninstall: bool,
    /// For the project in this directory instead of all of the user's
    #[arg(long)]
    pub(super) project: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct ApproveArgs {
    /// Say no instead: the same command is not asked about again for a while
    #[arg(long, requires = "id")]
    pub(super) deny: bool,
    /// The request, as the denial named it; without it, what waits is listed
    #[arg(value_name = "ID")]
    pub(super) id: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct InitShellArgs {
    /// Say how to remove it again
    #[arg(long)]
    pub(super) uninstall: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum ShimCommand {
    /// Make shims
    Add {
        /// Programs by their names, such as terraform
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Take shims away
    Remove {
        /// Their names
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Say which there are, and whether PATH leads to them
    List,
}

#[derive(Debug, Subcommand)]
pub(super) enum HookCommand {
    /// Judge a line that was accepted in an interactive shell, from standard input; exit status 126 refuses it
    Shell(HookShellArgs),
    /// Judge a tool call of Claude Code (standard input) and answer in its own words
    #[command(alias = "claude")]
    ClaudeCode,
    /// Judge a tool call of OpenAI Codex (standard input) and answer in its own words
    Codex,
    /// Judge a tool call of Gemini CLI (standard input) and answer in its own words
    Gemini,
    /// Judge a tool call of Cursor (standard input) and answer in its own words
    Cursor,
    /// Judge a tool call of GitHub Copilot CLI (standard input) and answer in its own words
    Copilot,
    /// Judge a tool call of VS Code's agent (standard input) and answer in its own words
    Vscode,
    /// Judge a tool call of Windsurf (standard input) and answer in its own words
    Windsurf,
    /// Judge a tool call of Cline (standard input) and answer in its own words
    Cline,
    /// Judge a tool call of opencode (standard input) and answer in its own words
    Opencode,
    /// Judge a tool call of Amp (standard input) and answer in its own words
    Amp,
    /// Judge a tool call of Crush (standard input) and answer in its own words
    Crush,
}

#[derive(Debug, clap::Args)]
pub(super) struct HookShellArgs {
    /// The shell that it was typed in
    #[arg(long, value_enum)]
    pub(super) shell: GuardedShell,
    /// The line itself, not bash's last history entry
    #[arg(long)]
    pub(super) plain: bool,
    /// The cursor stands behind the line: what is said begins on a new one
    #[arg(long)]
    pub(super) below: bool,
    /// `#` begins a comment also in zsh
    #[arg(long)]
    pub(super) comments: bool,
    /// The shell can say what its functions do when it is asked (exit status 3)
    #[arg(long)]
    pub(super) functions: bool,
    /// The shell takes another text onto its line
    #[arg(long)]
    pub(super) text: bool,
}

/// Shells that have a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum GuardedShell {
    Bash,
    Zsh,
    Fish,
}

impl GuardedShell {
    pub(super) fn kind(self) -> ShellKind {
        match self {
            Self::Bash => ShellKind::Bash,
            Self::Zsh => ShellKind::Zsh,
            Self::Fish => ShellKind::Fish,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct ResourcesArgs {
    /// Only what has this in its name
    pub(super) filter: Option<String>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

#[derive(Debug, Subcommand)]
pub(super) enum McpCommand {
    /// Serve on standard input and output, for the client that starts it
    Serve,
}

#[derive(Debug, Subcommand)]
pub(super) enum RegistryCommand {
    /// Write the registry and attestations as static files for a web server
    Publish(PublishArgs),
    /// Fetch an instance's registry of keys now
    Refresh(RefreshArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct VerifyArgs {
    /// Base URLs of the instances to trust, separated by commas [default: any]
    #[arg(long, value_name = "URL", value_delimiter = ',', value_hint = ValueHint::Url)]
    pub(super) trust: Vec<String>,
    /// What to do with it: ignore, log, verify or require [default: require]
    #[arg(long, value_name = "MODE")]
    pub(super) mode: Option<String>,
    /// Whether to fetch the durable copy and compare
    #[arg(
        long,
        value_name = "true|false",
        num_args = 0..=1,
        require_equals = true,
        default_value_t = false,
        default_missing_value = "true",
        action = clap::ArgAction::Set
    )]
    pub(super) cross_check: bool,
    /// How old it may be, in seconds [default: as it says itself]
    #[arg(long, value_name = "SECONDS")]
    pub(super) max_age: Option<String>,
    /// The registry that was accepted last, instead of the cache folder; only read, and a fetch is always made
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) cached_registry: Option<OsString>,
    /// The registry to verify with; nothing is fetched
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) registry: Option<OsString>,
    /// The time that it is, such as 2026-05-01T14:30:00Z [default: the clock]
    #[arg(long, value_name = "TIME")]
    pub(super) now: Option<String>,
    /// Insist on a report with its attestation beside it
    #[arg(long)]
    pub(super) report: bool,
    /// What was to be evaluated, as JSON; another input is refused
    #[arg(long, value_name = "JSON")]
    pub(super) input: Option<String>,
    /// The Terraform plan (`terraform show -json`) that was to be evaluated; another plan is refused
    #[arg(long, value_name = "PLAN.json", conflicts_with = "input", value_hint = ValueHint::FilePath)]
    pub(super) plan: Option<PathBuf>,
    /// Verdicts that let it go on, separated by commas; a chained approval lets it go on too [default: all]
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', value_parser = ["allow", "warn", "escalate", "block"])]
    pub(super) permit: Vec<String>,
    /// The attestation that it follows; repeated for a longer chain, the first one first
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) parent: Vec<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// A file, a URL, or `-` for standard input
    #[arg(value_name = "FILE|URL", value_hint = ValueHint::AnyPath)]
    pub(super) source: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(super) struct RefreshArgs {
    /// Accept it even when it is older than the one accepted before; recorded in the audit log
    #[arg(long)]
    pub(super) force: bool,
    /// Why, for the record
    #[arg(long, value_name = "TEXT", requires = "force")]
    pub(super) justification: Option<String>,
    /// The instance's base URL
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(super) url: String,
}

/// Forms of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    #[default]
    Human,
    /// For programs
    Json,
}

/// Thresholds of `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    Warn,
    Escalate,
    Block,
    Never,
}

impl FailOn {
    /// The exit status for a verdict.
    pub(super) fn status(self, verdict: Verdict) -> u8 {
        let least = match self {
            Self::Warn => Verdict::Warn,
            Self::Escalate => Verdict::Escalate,
            Self::Block => Verdict::Block,
            Self::Never => return 0,
        };
        match verdict {
            below if below < least => 0,
            Verdict::Allow => 0,
            Verdict::Warn => 10,
            Verdict::Escalate => 20,
            Verdict::Block => 30,
        }
    }
}

/// Schemas that can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SchemaName {
    /// The report of `evaluate`
    Report,
}

fn profile() -> impl clap::builder::TypedValueParser<Value = Profile> {
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(["human", "agent", "ci"]).try_map(|text| text.parse::<Profile>())
}
