//! `hook shell`: what a shell's hook calls; `init bash` and its like: what prints that hook.

use std::env;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::ValueEnum;

use crate::exec::{Permit, REFUSED, Surroundings, ask_unjudged};
use crate::hook::shell::{self, Form, Line, ShellKind};
use crate::hook::{Script, script};
use crate::policy::Profile;
use crate::world::RealWorld;

use super::common::Common;
use super::exec::attesting;
use super::output::{self, Failure};
use super::setup::{self, Setup};
use super::status;

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

/// Judges one accepted line of an interactive shell.
pub(super) fn shell(args: &HookShellArgs) -> Result<u8, Failure> {
    let form = Form { shell: args.shell.kind(), history: history(args), comments: args.comments };
    let bytes = setup::read_text()?;
    let line = match Line::read(&bytes, form) {
        Ok(line) => line,
        Err(why) => return unjudged(&why),
    };
    if args.functions && line.wants_bodies() {
        return Ok(shell::WANTS_BODIES);
    }
    if history(args) {
        output::print(&format!("{}+", line.marks()));
    }
    if line.is_empty() {
        return Ok(0);
    }
    match judge(&line, args) {
        Ok(Permit::Run) => Ok(0),
        Ok(Permit::Refused(code)) => Ok(code),
        Ok(Permit::Instead(text)) => {
            let told = if history(args) { shell::for_bash(&text) } else { Some(text) };
            if let Some(told) = told {
                output::print(&told);
            }
            Ok(REFUSED)
        }
        // A broken configuration must not lock a person out of the shell that mends it: they are asked.
        Err(failure) => unjudged(&failure.message),
    }
}

/// The line comes as `history 1` prints it.
fn history(args: &HookShellArgs) -> bool {
    args.shell == GuardedShell::Bash && !args.plain
}

fn unjudged(why: &str) -> Result<u8, Failure> {
    let cwd = setup::working_directory(None).unwrap_or_else(|_| PathBuf::from("/"));
    Ok(ask_unjudged(why, &cwd, &RealWorld::new()))
}

fn judge(line: &Line, args: &HookShellArgs) -> Result<Permit, Failure> {
    let common = Common { profile: Some(Profile::Human), ..Common::default() };
    let setup = Setup::new(&common)?;
    let attesting = attesting(&[])?;
    let mut context = setup.context.clone();
    context.session = Some(line.session.clone().into());
    let around = Surroundings {
        world: &setup.world,
        knowledge: &setup.knowledge,
        policy: &setup.policy,
        context,
        style: output::style_of(io::stderr().is_terminal()),
        attesting: &attesting,
    };
    Ok(shell::run(line, args.below, args.text, &around))
}

/// Prints a shell's hook, or how to take it out.
pub(super) fn init(guarded: GuardedShell, uninstall: bool) -> Result<u8, Failure> {
    let binary = env::current_exe().map_err(|error| Failure {
        code: status::INTERNAL,
        message: format!("the program's own path cannot be told: {error}"),
    })?;
    let what = if uninstall { Script::Removal } else { Script::Hook };
    let text = script(guarded.kind(), what, binary.as_os_str()).map_err(Failure::usage)?;
    output::print(&text);
    Ok(0)
}
