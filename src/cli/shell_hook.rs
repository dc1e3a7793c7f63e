//! `hook shell`: what a shell's hook calls; `init bash` and its like: what prints that hook.

use std::env;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use clap::ValueEnum;

use crate::exec::{Looks, Permit, REFUSED, Surroundings, ask_unjudged};
use crate::hook::shell::{self, Form, Line, Manner, ShellKind};
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
    /// The shell's options come before its aliases
    #[arg(long)]
    pub(super) state: bool,
    /// The status is printed too, before what else there is; and `?` before a person may be asked
    #[arg(long)]
    pub(super) answer: bool,
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
    let (code, text) = answer(args)?;
    if args.answer {
        output::print(&format!("{code}\n{text}\n"));
    } else {
        output::print(&text);
    }
    Ok(code)
}

/// The exit status, and what is printed besides.
fn answer(args: &HookShellArgs) -> Result<(u8, String), Failure> {
    let state = args.state;
    let form = Form { shell: args.shell.kind(), history: history(args), comments: args.comments, state };
    let bytes = setup::read_text()?;
    let line = match Line::read(&bytes, form) {
        Ok(line) => line,
        Err(why) => return Ok((unjudged(&why, args), String::new())),
    };
    if args.functions && line.wants_bodies() {
        return Ok((shell::WANTS_BODIES, String::new()));
    }
    let mut text = String::new();
    if history(args) {
        text = format!("{}+", line.marks());
    }
    if line.is_empty() {
        return Ok((0, text));
    }
    let code = match judge(&line, args) {
        Ok(Permit::Run) => 0,
        Ok(Permit::Refused(code)) => code,
        Ok(Permit::Instead(instead)) => {
            let told = if history(args) { shell::for_bash(&instead) } else { Some(instead) };
            text.push_str(&told.unwrap_or_default());
            REFUSED
        }
        // A broken configuration must not lock a person out of the shell that mends it: they are asked.
        Err(failure) => unjudged(&failure.message, args),
    };
    Ok((code, text))
}

/// The line comes as `history 1` prints it.
fn history(args: &HookShellArgs) -> bool {
    args.shell == GuardedShell::Bash && !args.plain
}

fn unjudged(why: &str, args: &HookShellArgs) -> u8 {
    alive(args);
    let cwd = setup::working_directory(None).unwrap_or_else(|_| PathBuf::from("/"));
    ask_unjudged(why, &cwd, &RealWorld::new())
}

/// The shell waits from here on for as long as it takes.
fn alive(args: &HookShellArgs) {
    if args.answer {
        output::print("?\n");
    }
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
        looks: Looks::default(),
    };
    let watch = Watch::start(args);
    let looked = || watch.stop();
    let manner = Manner { below: args.below, takes_text: args.text, looked: &looked };
    Ok(shell::run(line, manner, &around))
}

/// Minds that looking does not take for ever: a directory on a server that is gone can hold every look at it.
struct Watch {
    /// Told when the look is over.
    over: Arc<(Mutex<bool>, Condvar)>,
    answer: bool,
}

impl Watch {
    fn start(args: &HookShellArgs) -> Self {
        let over = Arc::new((Mutex::new(false), Condvar::new()));
        let (seen, answer) = (Arc::clone(&over), args.answer);
        // Without it the line is judged all the same.
        let _ = thread::Builder::new().spawn(move || {
            if still(&seen, SLOW) {
                if answer {
                    output::print("?\n");
                }
                crate::exec::say("recourse: still looking (Ctrl-C drops the line)");
                if still(&seen, HUNG) {
                    give_up(answer);
                }
            }
        });
        Self { over, answer }
    }

    /// The look is over, and a person may be asked.
    fn stop(&self) {
        let mut over = self.over.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *over, true) && self.answer {
            output::print("?\n");
        }
        self.over.1.notify_all();
    }
}

/// After this long a person is told that it takes time.
const SLOW: Duration = Duration::from_secs(2);
/// After this long more it is given up.
const HUNG: Duration = Duration::from_secs(8);

/// Whether the look goes on for so long.
fn still(over: &(Mutex<bool>, Condvar), time: Duration) -> bool {
    let guard = over.0.lock().unwrap_or_else(PoisonError::into_inner);
    let (guard, _) =
        over.1.wait_timeout_while(guard, time, |over| !*over).unwrap_or_else(PoisonError::into_inner);
    !*guard
}

/// Nothing came of it: a person decides, and this process ends with that, whatever still holds it.
#[allow(clippy::exit)] // The main thread hangs in a look that does not end.
fn give_up(answer: bool) {
    let cwd = PathBuf::from("/");
    let code = ask_unjudged("looking at it took more than 10 seconds", &cwd, &RealWorld::new());
    if answer {
        output::print(&format!("{code}\n\n"));
    }
    std::process::exit(i32::from(code));
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
