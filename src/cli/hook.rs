//! `hook`: what hooks call, and `init`: what installs them.

use std::env;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use crate::exec::{Permit, REFUSED, Surroundings, ask_unjudged};
use crate::hook::shell::{self, Form, Line};
use crate::hook::{Script, script};
use crate::policy::Profile;
use crate::world::RealWorld;

use super::args::{Common, GuardedShell, HookShellArgs};
use super::output::{self, Failure};
use super::setup::{self, Setup};
use super::status;

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
    let attesting = super::exec::attesting(&[])?;
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
