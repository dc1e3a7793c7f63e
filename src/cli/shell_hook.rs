//! `hook shell`: what a shell's hook calls; `init bash` and its like: what prints that hook.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::attest::Time;
use crate::exec::{Looks, Permit, REFUSED, Surroundings, ask_unjudged};
use crate::hook::incoming::Incoming;
use crate::hook::judged::{self, Fate, Judged, Loaded};
use crate::hook::shell::{self, Form, Line, Manner, ShellKind};
use crate::hook::{Script, script};
use crate::policy::Profile;
use crate::proof::Front;
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
    /// The shell can say what its functions do and its variables hold when it is asked (answer 3)
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
    /// The line as it was typed comes before the line as it will run
    #[arg(long)]
    pub(super) shown: bool,
    /// Process started beside this one, which ends it when it does not answer; it is stopped first
    #[arg(long)]
    pub(super) watcher: Option<u32>,
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
    let since = Time::now().millis();
    let mut seen = Seen::default();
    let (code, text) = answer(args, &mut seen)?;
    if code != shell::WANTS_BODIES
        && let (Some(loaded), Ok(places)) = (Loaded::here(), setup::places())
    {
        let fate = match code {
            _ if seen.own => None,
            0 if seen.changes => Some(Fate::Ran),
            0 => Some(Fate::Looked),
            _ => Some(Fate::Refused),
        };
        judged::note(&places.state, &loaded, Judged { since, fate }, seen.doctors);
    }
    if args.answer {
        output::print(&format!("{code}\n{text}\n"));
    } else {
        output::print(&text);
    }
    Ok(code)
}

/// What a line is about, for those who ask later.
#[derive(Default)]
struct Seen {
    /// How often it names `doctor`.
    doctors: usize,
    /// It is a call of ours.
    own: bool,
    /// It runs and changes something.
    changes: bool,
}

/// The exit status, and what is printed besides.
fn answer(args: &HookShellArgs, seen: &mut Seen) -> Result<(u8, String), Failure> {
    let watch = Watch::start(args);
    let state = args.state;
    let form = Form {
        shell: args.shell.kind(),
        history: history(args),
        comments: args.comments,
        state,
        shown: args.shown,
    };
    let line = match told(args, form)? {
        Ok(Some(line)) => line,
        Ok(None) => return Ok((shell::WANTS_BODIES, String::new())),
        Err(why) => return Ok((unjudged(&why, &watch), String::new())),
    };
    let mut text = String::new();
    if history(args) {
        text = format!("{}+", line.marks());
    }
    if line.is_empty() {
        // A shell that runs something read something: its history does not hold it.
        return Ok((0, if history(args) { format!("{}+", shell::UNSEEN) } else { text }));
    }
    seen.doctors = line.mentions("doctor");
    seen.own = line.mentions("recourse") > 0;
    let code = match judge(&line, args, &watch) {
        Ok(Permit::Run { changes }) => {
            seen.changes = changes;
            0
        }
        Ok(Permit::Refused(code)) => code,
        Ok(Permit::Instead(instead)) => {
            let told = if history(args) { shell::for_bash(&instead) } else { Some(instead) };
            text.push_str(&told.unwrap_or_default());
            REFUSED
        }
        // A broken configuration must not lock a person out of the shell that mends it: they are asked.
        Err(failure) => unjudged(&failure.message, &watch),
    };
    watch.over();
    Ok((code, text))
}

/// The line, with what the shell says of what it names. `None` when that is needed, and the shell has to come again.
fn told(args: &HookShellArgs, form: Form) -> Result<Result<Option<Line>, String>, Failure> {
    if !args.functions {
        return Ok(Line::read(&setup::read_text()?, form).map(Some));
    }
    let failed = |error| Failure::usage(format!("-: {error}"));
    let incoming = Incoming::line(io::stdin().lock(), form.parts()).map_err(failed)?;
    let names = match Line::read(incoming.first(), form) {
        Ok(line) if line.wants_bodies() => line.names(),
        line => return Ok(line.map(Some)),
    };
    if !incoming.can_be_asked() {
        return Ok(Ok(None));
    }
    // With the words that the line holds: bash would have to start a process to look at it again.
    output::print(&format!("{}\n{names}\n", shell::WANTS_BODIES));
    Ok(Line::read(&incoming.whole().map_err(failed)?, form).map(Some))
}

/// The line comes as `history 1` prints it.
fn history(args: &HookShellArgs) -> bool {
    args.shell == GuardedShell::Bash && !args.plain
}

fn unjudged(why: &str, watch: &Watch) -> u8 {
    watch.stop();
    let cwd = setup::working_directory(None).unwrap_or_else(|_| PathBuf::from("/"));
    ask_unjudged(why, &cwd, &RealWorld::new())
}

fn judge(line: &Line, args: &HookShellArgs, watch: &Watch) -> Result<Permit, Failure> {
    let common = Common { profile: Some(Profile::Human), ..Common::default() };
    let setup = Setup::new(&common)?;
    let attesting = attesting(&[])?.by(Front::Shell);
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
    let looked = || watch.stop();
    let manner = Manner { below: args.below, takes_text: args.text, looked: &looked };
    Ok(shell::run(line, manner, &around))
}

/// Minds that reading settings and looking do not take for ever: a directory on a server that is gone can hold every look
/// at it.
struct Watch {
    /// How far it is.
    looking: Arc<(Mutex<Looking>, Condvar)>,
    answer: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Looking {
    Still,
    Over,
    /// A person decides without it.
    GivenUp,
}

impl Watch {
    fn start(args: &HookShellArgs) -> Self {
        let looking = Arc::new((Mutex::new(Looking::Still), Condvar::new()));
        let (seen, answer) = (Arc::clone(&looking), args.answer);
        // From here on this thread minds it.
        stop_watcher(args.watcher);
        // Without it the line is judged all the same.
        let _ = thread::Builder::new().spawn(move || {
            if still(&seen, SLOW) {
                if answer {
                    output::print("?\n");
                }
                crate::exec::say("recourse: still looking (Ctrl-C drops the line)");
                if still(&seen, HUNG) && gives_up(&seen) {
                    give_up(answer);
                }
            }
        });
        Self { looking, answer }
    }

    /// The look is over, and a person may be asked. Does not come back where one is asked already.
    fn stop(&self) {
        if self.over() && self.answer {
            wait_for_a_person();
        }
    }

    /// The look is over; whether it was not before. Does not come back where a person is asked already.
    fn over(&self) -> bool {
        let before = {
            let mut looking = self.looking.0.lock().unwrap_or_else(PoisonError::into_inner);
            let before = *looking;
            if before == Looking::Still {
                *looking = Looking::Over;
            }
            before
        };
        if before == Looking::GivenUp {
            loop {
                thread::park();
            }
        }
        let first = before == Looking::Still;
        if first {
            self.looking.1.notify_all();
        }
        first
    }
}

/// Stops the process that minds a program which does not even get here. It is no other: our own child, and not gone.
fn stop_watcher(watcher: Option<u32>) {
    let Some(pid) = watcher.and_then(|pid| i32::try_from(pid).ok()).filter(|pid| *pid > 1) else { return };
    let pid = Pid::from_raw(pid);
    if waitpid(pid, Some(WaitPidFlag::WNOHANG)) == Ok(WaitStatus::StillAlive) {
        let _ = kill(pid, Signal::SIGTERM);
    }
}

/// Says that the shell has to wait as long as it takes; where it went away meanwhile nobody is asked any more.
#[allow(clippy::exit)] // Its person sits at another prompt by now.
fn wait_for_a_person() {
    let mut out = io::stdout().lock();
    if out.write_all(b"?\n").and_then(|()| out.flush()).is_err() {
        std::process::exit(i32::from(REFUSED));
    }
}

/// After this long a person is told that it takes time.
const SLOW: Duration = Duration::from_secs(2);
/// After this long more it is given up.
const HUNG: Duration = Duration::from_secs(8);

/// Whether the look goes on for so long.
fn still(looking: &(Mutex<Looking>, Condvar), time: Duration) -> bool {
    let guard = looking.0.lock().unwrap_or_else(PoisonError::into_inner);
    let goes_on = |looking: &mut Looking| *looking == Looking::Still;
    let (guard, _) =
        looking.1.wait_timeout_while(guard, time, goes_on).unwrap_or_else(PoisonError::into_inner);
    *guard == Looking::Still
}

/// From here on what the look finds counts no more; false when it was quicker.
fn gives_up(looking: &(Mutex<Looking>, Condvar)) -> bool {
    let mut guard = looking.0.lock().unwrap_or_else(PoisonError::into_inner);
    let still = *guard == Looking::Still;
    if still {
        *guard = Looking::GivenUp;
    }
    still
}

/// Nothing came of it: a person decides, and this process ends with that, whatever still holds it.
#[allow(clippy::exit)] // The main thread hangs in a look that does not end.
fn give_up(answer: bool) {
    if answer {
        wait_for_a_person();
    }
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
