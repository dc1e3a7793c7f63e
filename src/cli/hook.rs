//! `hook`: what installed hooks call. An agent's call on standard input becomes its answer.

use std::io::{self, Write};

use clap::error::{Error, ErrorKind};
use clap::{ArgMatches, FromArgMatches, Subcommand};

use crate::hook::coding::{Agent, run as answer};

use super::output::Failure;
use super::shell_hook::{self, HookShellArgs};

#[derive(Debug, Subcommand)]
pub(super) enum HookCommand {
    /// Judge a line that was accepted in an interactive shell, from standard input; exit status 126 refuses it
    Shell(HookShellArgs),
    /// Judge a call of an agent's tool
    #[command(flatten)]
    Agent(HookedAgent),
}

/// One subcommand for each agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct HookedAgent(pub(super) Agent);

impl FromArgMatches for HookedAgent {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let agent = matches.subcommand_name().and_then(Agent::named);
        agent.map(Self).ok_or_else(|| Error::new(ErrorKind::MissingSubcommand))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for HookedAgent {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        Agent::ALL.into_iter().fold(command, |command, agent| {
            let about = format!(
                "Judge a tool call of {} (standard input) and answer in its own words",
                agent.title()
            );
            let subcommand = clap::Command::new(agent.name()).about(about);
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

/// Blocks in every agent that looks at exit statuses.
const BLOCK: u8 = 2;

pub(super) fn run(command: &HookCommand) -> Result<u8, Failure> {
    match command {
        HookCommand::Shell(args) => shell_hook::shell(args),
        HookCommand::Agent(HookedAgent(agent)) => Ok(answered(*agent)),
    }
}

fn answered(agent: Agent) -> u8 {
    let output = answer(agent, io::stdin());
    let _ = io::stderr().lock().write_all(output.stderr.as_bytes());
    let mut out = io::stdout().lock();
    if out.write_all(output.stdout.as_bytes()).and_then(|()| out.flush()).is_err() {
        // An answer that does not arrive must not count as none.
        let _ = writeln!(io::stderr().lock(), "recourse: the answer could not be written");
        return BLOCK;
    }
    output.code
}
