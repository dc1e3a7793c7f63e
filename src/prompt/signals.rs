//! Signals that arrive while a question stands: they answer it with no, and the terminal is put back.
//!
//! One thread takes them until it is told to end ([`end`]). While no question stands it gives them their usual effect.

use std::io::{self, PipeReader, PipeWriter, Read, Write, pipe};
use std::os::fd::{AsFd, BorrowedFd};
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal, raise};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::terminal::Raw;

/// What ends the question.
const ENDING: &[Signal] = &[Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];

/// A question that takes longer than this to notice a signal hangs in a write: then the process ends here.
const PATIENCE: Duration = Duration::from_secs(2);

/// The question that stands, if one does.
struct Standing {
    serial: u64,
    notify: PipeWriter,
    raw: Arc<Raw>,
}

static STANDING: Mutex<Option<Standing>> = Mutex::new(None);
static WATCHER: Mutex<Option<Watcher>> = Mutex::new(None);

/// The thread, and what ends it by being closed.
struct Watcher {
    thread: JoinHandle<()>,
    open: PipeWriter,
}

/// Ends the thread: who is about to become two processes must be alone. The next question has another one.
pub(super) fn end() {
    let watcher = WATCHER.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(Watcher { thread, open }) = watcher {
        drop(open);
        let _ = thread.join();
    }
}

/// Starts the thread, where none runs. It inherits the blocked signals and takes them by waiting.
fn start() -> io::Result<()> {
    let mut watcher = WATCHER.lock().unwrap_or_else(PoisonError::into_inner);
    if watcher.is_none() {
        let (ends, open) = pipe()?;
        let signals = SignalFd::with_flags(&watched(), SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        let thread = thread::Builder::new().spawn(move || take_signals(&signals, &ends))?;
        *watcher = Some(Watcher { thread, open });
    }
    Ok(())
}

fn standing() -> MutexGuard<'static, Option<Standing>> {
    STANDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// This signal would have ended the process.
    End(Signal),
    /// The terminal has another size.
    Resized,
}

/// While this lives, signals that would end the process are told here instead.
#[derive(Debug)]
pub(super) struct Signals {
    before: SigSet,
    notices: PipeReader,
}

/// The signals, held back in this thread. To be made before the terminal is changed, so that none slips in between.
#[derive(Debug)]
pub(super) struct Held {
    before: Option<SigSet>,
}

fn watched() -> SigSet {
    let mut set = SigSet::empty();
    for signal in ENDING.iter().copied().chain([Signal::SIGWINCH]) {
        set.add(signal);
    }
    set
}

impl Held {
    /// Holds them back from now on.
    pub(super) fn back() -> io::Result<Self> {
        let before = SigSet::thread_get_mask()?;
        watched().thread_block()?;
        Ok(Self { before: Some(before) })
    }

    /// From now on they are told, and `raw` is put back if nobody listens.
    pub(super) fn watch(mut self, raw: Arc<Raw>) -> io::Result<Signals> {
        start()?;
        let (notices, notify) = pipe()?;
        let mut standing = standing();
        let serial = standing.as_ref().map_or(0, |standing| standing.serial) + 1;
        *standing = Some(Standing { serial, notify, raw });
        drop(standing);
        let before = self.before.take().unwrap_or_else(SigSet::empty);
        Ok(Signals { before, notices })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = before.thread_set_mask();
        }
    }
}

impl Signals {
    /// Becomes readable when there is a notice.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.notices.as_fd()
    }

    /// The notice that made it readable.
    pub(super) fn notice(&mut self) -> io::Result<Notice> {
        let mut byte = [0];
        self.notices.read_exact(&mut byte)?;
        let signal = Signal::try_from(i32::from(byte[0])).unwrap_or(Signal::SIGTERM);
        Ok(if signal == Signal::SIGWINCH { Notice::Resized } else { Notice::End(signal) })
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        *standing() = None;
        let _ = self.before.thread_set_mask();
    }
}

/// The thread.
fn take_signals(signals: &SignalFd, ends: &PipeReader) {
    loop {
        let fds = &mut [signals.as_fd(), ends.as_fd()].map(|fd| PollFd::new(fd, PollFlags::POLLIN));
        if poll(fds, PollTimeout::NONE).is_ok() && fds[1].any().unwrap_or(true) {
            return;
        }
        let Ok(Some(taken)) = signals.read_signal() else { continue };
        let number = i32::try_from(taken.ssi_signo).unwrap_or(0);
        let Ok(signal) = Signal::try_from(number) else { continue };
        let told = {
            let mut standing = standing();
            standing.as_mut().map(|standing| {
                // As small as signal numbers are, and a full pipe has told enough.
                let _ = standing.notify.write_all(&[u8::try_from(signal as i32).unwrap_or(15)]);
                standing.serial
            })
        };
        match told {
            _ if signal == Signal::SIGWINCH => {}
            Some(serial) => {
                thread::spawn(move || end_if_deaf(serial));
            }
            None => {
                // It came after the answer: it means what it always means.
                let mut one = SigSet::empty();
                one.add(signal);
                let _ = one.thread_unblock();
                let _ = raise(signal);
                let _ = one.thread_block();
            }
        }
    }
}

/// Ends the process when the question that was told of a signal still stands after a while.
#[allow(clippy::exit)] // The main thread hangs in a write to a terminal that takes nothing.
fn end_if_deaf(serial: u64) {
    thread::sleep(PATIENCE);
    let standing = standing();
    if let Some(standing) = standing.as_ref().filter(|standing| standing.serial == serial) {
        standing.raw.restore_modes();
        process::exit(126);
    }
}
