//! Runs the command in place of becoming it, so that what it is about to destroy is set aside while it runs.
//!
//! Owns three processes. The first is the one that was started: it passes signals on, and ends as the command ended. The
//! second is the parent of all that comes from the command, and answers the kernel; it stays for as long as any of them runs,
//! because a question that nobody answers is an error to whoever asked. The third becomes the command. Holds no judgement:
//! what is kept, and when, and what is handed out, is `keep`'s.

use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, raise, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgrp, setpgid};
use serde::{Deserialize, Serialize};

use crate::keep::{
    Answers, Bound, Listener, Running, Side, below_filter, default_action, is_there, let_go, listener, split,
};
use crate::text::escape;

use super::say;

/// The right to look at system calls of others, by its number (`CAP_SYS_ADMIN`).
const ADMIN: u32 = 21;
/// The attribute in which a file's own rights stand.
const RIGHTS: &str = "security.capability";

/// What a command leaves running is watched for so long after its end.
const LATE: Duration = Duration::from_secs(600);

/// When nothing is asked for so long, what was set aside is written down.
const QUIET: Duration = Duration::from_millis(50);

/// What the second process tells the first.
#[derive(Debug, Serialize, Deserialize)]
enum Word {
    /// The command has this number.
    Started(i32),
    /// It could not be started: the system's number, or none.
    NotStarted(Option<i32>, String),
    /// This was set aside.
    Kept(String),
    /// This was not.
    NotKept(String),
    /// Something was not any more what was judged; with `true`, the command was ended for it.
    Changed(String, bool),
    /// It ended with this status.
    Ended(u8),
    /// A signal ended it.
    Killed(i32),
}

/// How it went.
pub(super) enum Outcome {
    /// It ran, and ended with this status.
    Ran(u8),
    /// It could not be started.
    Failed(io::Error),
    /// It cannot be run so here; it has not been started.
    Impossible,
}

/// Whether a command that starts these programs can be run so, in this directory: who may not look at system calls of others
/// has to give up other rights for all that comes from the command, and some programs live by them (`sudo`).
pub(super) fn is_possible<'a>(mut programs: impl Iterator<Item = &'a str>, cwd: &Path) -> bool {
    is_there() && (may_look() || !programs.any(|name| gets_rights(name, cwd)))
}

/// Whether this process may look at system calls of others as it is.
fn may_look() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let rights = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    rights
        .and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .is_some_and(|bits| bits >> ADMIN & 1 == 1)
}

/// Whether a program gets other rights when it is started.
fn gets_rights(name: &str, cwd: &Path) -> bool {
    let gets = |path: &Path| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o6000 != 0)
            || rustix::fs::getxattr(path, RIGHTS, &mut [0_u8; 64][..]).is_ok_and(|length| length > 0)
    };
    if name.contains('/') {
        return gets(&cwd.join(name));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| gets(&cwd.join(dir).join(name)))
}

/// Runs the command, with these to answer what the kernel asks.
pub(super) fn run(command: &mut Command, answers: Answers<'_>) -> Outcome {
    let Ok((ours, theirs)) = UnixStream::pair() else { return Outcome::Impossible };
    // From here on signals wait to be read; the command gets none of that.
    let mut before = SigSet::empty();
    if sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), Some(&mut before)).is_err() {
        return Outcome::Impossible;
    }
    let outcome = match split() {
        Ok(Side::Old) => {
            drop(theirs);
            first(&ours)
        }
        Ok(Side::New) => {
            drop(ours);
            Second { ours: theirs, answers, command: None, until: None }.run(command, before);
            // Nothing of what the first process still has to do is this one's.
            leave()
        }
        Err(_) => Outcome::Impossible,
    };
    let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&before), None);
    outcome
}

/// So long, or as long as can be told; never shorter than the system's tick.
fn brief(time: Duration) -> PollTimeout {
    PollTimeout::try_from(time + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
}

/// Ends this process at once.
fn leave() -> ! {
    loop {
        let _ = kill(Pid::this(), Signal::SIGKILL);
    }
}

/// Passes signals on, and ends as the command ends.
fn first(from: &UnixStream) -> Outcome {
    let signals = SignalFd::with_flags(&SigSet::all(), SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK).ok();
    let mut words = BufReader::new(from);
    let (mut command, mut kept, mut early) = (None, Vec::new(), Vec::new());
    let mut stopped = false;
    loop {
        if words.buffer().is_empty() {
            let mut waiting = vec![PollFd::new(from.as_fd(), PollFlags::POLLIN)];
            waiting.extend(signals.as_ref().map(|signals| PollFd::new(signals.as_fd(), PollFlags::POLLIN)));
            let _ = poll(&mut waiting, PollTimeout::NONE);
            let told = waiting[0].any().unwrap_or(false);
            while let Some(Ok(Some(signal))) = signals.as_ref().map(SignalFd::read_signal) {
                match command {
                    Some(command) => pass_on(signal.ssi_signo, signal.ssi_code, command),
                    // It may run already, and we were not told yet.
                    None => early.push((signal.ssi_signo, signal.ssi_code)),
                }
            }
            if !told {
                continue;
            }
        }
        let mut line = String::new();
        let read = words.read_line(&mut line).unwrap_or(0);
        let word = if read == 0 { None } else { serde_json::from_str(&line).ok() };
        match word {
            Some(Word::Started(number)) => {
                let number = Pid::from_raw(number);
                early.drain(..).for_each(|(signal, code)| pass_on(signal, code, number));
                command = Some(number);
            }
            Some(Word::Kept(what)) => {
                kept.push(format!("recourse: kept {} while it ran: recourse undo", escape(&what)))
            }
            Some(Word::NotKept(why)) => {
                kept.push(format!("recourse: not kept while it ran: {}", escape(&why)))
            }
            Some(Word::Changed(what, ended)) => {
                stopped |= ended;
                kept.push(format!("recourse: {what}"));
            }
            Some(Word::NotStarted(number, text)) => {
                return Outcome::Failed(
                    number.map_or_else(|| io::Error::other(text), io::Error::from_raw_os_error),
                );
            }
            Some(Word::Ended(status)) => {
                kept.iter().for_each(|line| say(line));
                return Outcome::Ran(status);
            }
            Some(Word::Killed(signal)) => {
                kept.iter().for_each(|line| say(line));
                let by_us = stopped && signal == Signal::SIGKILL as i32;
                return Outcome::Ran(if by_us { super::REFUSED } else { die_of(signal) });
            }
            None => {
                say("recourse: what watched the command is gone; how it ended is not known");
                return Outcome::Ran(super::FAILED);
            }
        }
    }
}

/// A signal that came to us alone is meant for the command. The terminal's come to both.
fn pass_on(number: u32, code: i32, command: Pid) {
    let Some(signal) = i32::try_from(number).ok().and_then(|number| Signal::try_from(number).ok()) else {
        return;
    };
    let ours = matches!(signal, Signal::SIGCHLD | Signal::SIGCONT);
    if code <= 0 && !ours {
        let _ = kill(command, signal);
    }
    if signal == Signal::SIGTSTP {
        // The terminal's key stops us as it stopped the command, until somebody has both go on.
        let mut alone = SigSet::empty();
        alone.add(signal);
        let _ = raise(signal);
        let _ = sigprocmask(SigmaskHow::SIG_UNBLOCK, Some(&alone), None);
        let _ = sigprocmask(SigmaskHow::SIG_BLOCK, Some(&alone), None);
    }
}

/// Ends by this signal, as the command did. The status where that cannot be.
fn die_of(number: i32) -> u8 {
    if let Ok(signal) = Signal::try_from(number) {
        // It was not us who broke down.
        let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
        default_action(signal);
        let mut alone = SigSet::empty();
        alone.add(signal);
        let _ = raise(signal);
        let _ = sigprocmask(SigmaskHow::SIG_UNBLOCK, Some(&alone), None);
    }
    128_u8.saturating_add(u8::try_from(number).unwrap_or(0))
}

/// The parent of all that comes from the command.
struct Second<'a> {
    ours: UnixStream,
    answers: Answers<'a>,
    command: Option<Pid>,
    /// Until when what outlives the command is watched.
    until: Option<Instant>,
}

impl Second<'_> {
    fn run(mut self, command: &mut Command, signals: SigSet) {
        // What loses its parent comes to us: of others the kernel may not let us read what they name.
        let _ = prctl::set_child_subreaper(true);
        // Who kills the whole group of the command would have it forgotten what was set aside.
        let group = getpgrp();
        if setpgid(Pid::from_raw(0), Pid::from_raw(0)).is_ok() {
            command.process_group(group.as_raw());
        }
        let Some(listener) = self.start(command, signals) else { return };
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGCHLD);
        let Ok(signals) = SignalFd::with_flags(&signals, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)
        else {
            return;
        };
        let mut stay = vec![self.ours.as_fd(), signals.as_fd()];
        stay.extend(listener.as_ref().map(AsFd::as_fd));
        stay.extend(self.answers.bound.iter().flat_map(Bound::open));
        let_go(&stay);
        self.serve(listener.as_ref(), &signals);
        if let Some(running) = self.answers.running {
            running.close();
        }
    }

    /// Starts the command; its listener, where there is one. None: it could not be started.
    fn start(&mut self, command: &mut Command, signals: SigSet) -> Option<Option<Listener>> {
        let (ours, theirs) = UnixStream::pair().ok()?;
        let reads = self.answers.bound.is_some();
        below_filter(command, OwnedFd::from(theirs), signals, !may_look(), reads);
        let started = command.spawn();
        // The command itself holds the other end, until it has become what it is.
        *command = Command::new("");
        match started {
            Ok(child) => {
                let number = i32::try_from(child.id()).unwrap_or(0);
                self.command = Some(Pid::from_raw(number));
                self.tell(&Word::Started(number));
                let listener = listener(ours.as_fd());
                if listener.is_none() {
                    self.answers = Answers::default();
                }
                Some(listener)
            }
            Err(error) => {
                self.tell(&Word::NotStarted(error.raw_os_error(), error.to_string()));
                None
            }
        }
    }

    fn tell(&mut self, word: &Word) {
        if let Ok(mut line) = serde_json::to_vec(word) {
            line.push(b'\n');
            let _ = self.ours.write_all(&line);
        }
    }

    /// Answers until nobody is left who could ask.
    fn serve(&mut self, listener: Option<&Listener>, signals: &SignalFd) {
        let mut first_is_there = true;
        loop {
            let mut waiting = vec![PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
            waiting.extend(listener.map(|listener| PollFd::new(listener.as_fd(), PollFlags::POLLIN)));
            if first_is_there {
                waiting.push(PollFd::new(self.ours.as_fd(), PollFlags::POLLIN));
            }
            let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
            let unsaved = self.answers.running.as_ref().is_some_and(Running::is_unsaved);
            let longest = left.into_iter().chain(unsaved.then_some(QUIET)).min();
            let answer = poll(&mut waiting, longest.map_or(PollTimeout::NONE, brief));
            if unsaved
                && answer == Ok(0)
                && let Some(running) = &mut self.answers.running
            {
                running.save_now();
            }
            let events = |at: usize| waiting.get(at).and_then(PollFd::revents).unwrap_or(PollFlags::empty());
            let (child, asks) = (events(0), if listener.is_some() { events(1) } else { PollFlags::empty() });
            let gone = first_is_there && !events(waiting.len() - 1).is_empty();
            drop(waiting);
            if left.is_some_and(|left| left.is_zero()) {
                self.until = None;
                if let Some(running) = self.answers.running.take() {
                    running.close();
                }
            }
            if asks.contains(PollFlags::POLLIN)
                && let Some(listener) = listener
            {
                self.answers.answer(listener);
                self.tell_changes();
            }
            if gone {
                first_is_there = false;
                if let Some(command) = self.command {
                    let _ = kill(command, Signal::SIGKILL);
                }
            }
            if !child.is_empty() {
                while let Ok(Some(_)) = signals.read_signal() {}
                if self.reap() {
                    return;
                }
            }
            if asks.contains(PollFlags::POLLHUP) && self.command.is_none() {
                return;
            }
        }
    }

    /// Takes note of who ended; whether nobody is left.
    fn reap(&mut self) -> bool {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => return false,
                Err(Errno::EINTR) => {}
                Err(_) => return true,
                Ok(status) if status.pid() == self.command => match status {
                    WaitStatus::Exited(_, code) => {
                        self.ended(&Word::Ended(u8::try_from(code).unwrap_or(u8::MAX)))
                    }
                    WaitStatus::Signaled(_, signal, _) => self.ended(&Word::Killed(signal as i32)),
                    _ => {}
                },
                Ok(_) => {}
            }
        }
    }

    /// Tells what was not any more what was judged.
    fn tell_changes(&mut self) {
        let Some(bound) = &mut self.answers.bound else { return };
        let (said, ended) = (bound.said(), bound.has_stopped_it());
        said.into_iter().for_each(|what| self.tell(&Word::Changed(what, ended)));
    }

    fn ended(&mut self, how: &Word) {
        self.command = None;
        match self.answers.running.as_mut().map(Running::ended) {
            Some(Ok((kept, missed))) => {
                kept.into_iter().for_each(|what| self.tell(&Word::Kept(what)));
                missed.into_iter().for_each(|what| self.tell(&Word::NotKept(what)));
                self.until = Some(Instant::now() + LATE);
            }
            Some(Err(why)) => {
                self.answers.running = None;
                self.tell(&Word::NotKept(why));
            }
            None => {}
        }
        self.tell(how);
        // The first process ends with this word; that it is gone is no news any more.
    }
}
