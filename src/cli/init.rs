//! `init`: a shell's hook, or our hook or server in an agent's configuration.

use std::io::Write;
use std::process::{Command, Stdio};

use clap::error::{Error, ErrorKind};
use clap::{ArgMatches, Args as _, FromArgMatches, Subcommand};

use crate::hook::coding::install::Installation;
use crate::hook::coding::{Agent, Scope};

use super::init_here::{self, InitHereArgs};
use super::init_mcp::{self, InitMcpArgs};
use super::installing::{failure, folders, not_yet, program, tell};
use super::output::{self, Failure};
use super::setup;
use super::shell_hook::{self, GuardedShell};
use super::status;

/// What is guarded: by default whatever is found here.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct InitArgs {
    #[command(flatten)]
    here: InitHereArgs,
    #[command(subcommand)]
    what: Option<InitCommand>,
}

/// One thing to guard.
#[derive(Debug, Subcommand)]
pub(super) enum InitCommand {
    /// Print the hook of bash
    Bash(InitShellArgs),
    /// Print the hook of zsh
    Zsh(InitShellArgs),
    /// Print the hook of fish
    Fish(InitShellArgs),
    /// Hook of an agent
    #[command(flatten)]
    Agent(InitAgent),
    /// The MCP server in a client's configuration
    Mcp(InitMcpArgs),
}

/// One subcommand for each agent.
#[derive(Debug)]
pub(super) struct InitAgent {
    agent: Agent,
    args: InitAgentArgs,
}

impl FromArgMatches for InitAgent {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let missing = || Error::new(ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let agent = Agent::named(name).ok_or_else(missing)?;
        Ok(Self { agent, args: InitAgentArgs::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for InitAgent {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        Agent::ALL.into_iter().fold(command, |command, agent| {
            let subcommand = InitAgentArgs::augment_args(clap::Command::new(agent.name()));
            let subcommand = subcommand.about(format!("Hook of {}", agent.title()));
            command.subcommand(subcommand.aliases(agent.alias()))
        })
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Agent::named(name).is_some()
    }
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
pub(super) struct InitShellArgs {
    /// Say how to remove it again
    #[arg(long)]
    pub(super) uninstall: bool,
}

pub(super) fn run(args: &InitArgs) -> Result<u8, Failure> {
    let Some(command) = &args.what else { return init_here::run(&args.here) };
    match command {
        InitCommand::Bash(args) => shell_hook::init(GuardedShell::Bash, args.uninstall),
        InitCommand::Zsh(args) => shell_hook::init(GuardedShell::Zsh, args.uninstall),
        InitCommand::Fish(args) => shell_hook::init(GuardedShell::Fish, args.uninstall),
        InitCommand::Agent(InitAgent { agent, args }) => agent_hook(*agent, args),
        InitCommand::Mcp(args) => init_mcp::run(args),
    }
}

fn agent_hook(agent: Agent, args: &InitAgentArgs) -> Result<u8, Failure> {
    let scope = if args.project { Scope::Project(setup::working_directory(None)?) } else { Scope::User };
    let program = program()?;
    let data = setup::places()?.data;
    let installation = Installation::new(agent, &scope, &folders()?, &program, &data);
    if args.verify {
        return verify(agent, &installation, &program);
    }
    let changes = match (args.write, args.uninstall, args.dry_run) {
        (true, _, _) => installation.write(),
        (_, true, false) => installation.remove(),
        (_, true, true) => installation.unwanted(),
        _ => installation.wanted(),
    };
    let changes = changes.map_err(failure)?;
    let done = args.write || (args.uninstall && !args.dry_run);
    tell(&changes, done);
    if !args.uninstall
        && let Some(remark) = installation.remark()
    {
        output::note(remark);
    }
    if !done {
        not_yet(&changes, args.uninstall);
    }
    Ok(0)
}

/// Whether it stands as it should, and whether what it starts answers.
fn verify(agent: Agent, installation: &Installation, program: &str) -> Result<u8, Failure> {
    let mut wrong = installation.verify().map_err(failure)?;
    if let Err(why) = answers(agent, program) {
        wrong.push(why);
    }
    for line in &wrong {
        output::error(line);
    }
    if wrong.is_empty() {
        output::print(&format!("the hook of {} is installed and answers\n", agent.name()));
        Ok(0)
    } else {
        Ok(status::INVALID)
    }
}

/// Hands the program a call that nobody can read: it must be stopped.
fn answers(agent: Agent, program: &str) -> Result<(), String> {
    let wrong = |what: &str| format!("{program}: {what}");
    let mut child = Command::new(program)
        .args(["hook", agent.name()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| wrong(&error.to_string()))?;
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(b"?");
    }
    let answer = child.wait_with_output().map_err(|error| wrong(&error.to_string()))?;
    let said = [answer.stdout, answer.stderr].concat();
    if String::from_utf8_lossy(&said).contains("does not run") {
        Ok(())
    } else {
        Err(wrong("it does not stop a call that cannot be read"))
    }
}
