//! The controlling terminal: opened by itself, never through standard input, so that nothing piped in can answer.

use std::env;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nix::sys::termios::{self, FlushArg, InputFlags, LocalFlags, SetArg, SpecialCharacterIndices, Termios};
use nix::unistd::{getpgrp, tcgetpgrp};

use crate::report::Style;

/// Leaves the alternate screen and shows the cursor.
const LEAVE: &str = "\u{1b}[?1049l";

/// The terminal of this process's session.
#[derive(Debug)]
pub(super) struct Terminal {
    file: File,
}

impl Terminal {
    /// Opens it; `None` without one, or when this process may not read from it because it is in the background.
    pub(super) fn open() -> Option<Self> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
        let foreground = tcgetpgrp(&file).ok()?;
        (foreground == getpgrp()).then_some(Self { file })
    }

    /// Columns and rows.
    pub(super) fn size() -> (usize, usize) {
        let size = crossterm::terminal::window_size().map_or((0, 0), |size| (size.columns, size.rows));
        let or = |given: u16, usual: usize| if given == 0 { usual } else { usize::from(given) };
        (or(size.0, 80), or(size.1, 24))
    }

    /// How to print on it.
    pub(super) fn style() -> Style {
        let colourless = is_set("NO_COLOR") || is_dumb();
        Style { color: !colourless, width: Self::size().0 }
    }

    /// Without moving the cursor: for screen readers, and terminals that cannot.
    pub(super) fn is_plain() -> bool {
        is_dumb() || env::var_os("RECOURSE_PLAIN").is_some_and(|value| !value.is_empty() && value != "0")
    }

    /// Writes text.
    pub(super) fn write(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        self.file.flush()
    }

    /// Single characters, not echoed, and no signals from keys, until the guard is dropped. What was typed before is
    /// thrown away: it was no answer to this question.
    pub(super) fn raw(&self) -> io::Result<Raw> {
        let before = termios::tcgetattr(&self.file)?;
        let mut now = before.clone();
        now.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO | LocalFlags::ISIG | LocalFlags::IEXTEN);
        // Ctrl-S must not hold the question back, and Enter is Enter.
        now.input_flags.remove(InputFlags::IXON | InputFlags::INLCR | InputFlags::IGNCR);
        now.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
        now.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
        let file = self.file.try_clone()?;
        // Takes effect after what was written has gone out, and discards what was typed.
        termios::tcsetattr(&self.file, SetArg::TCSAFLUSH, &now)?;
        let raw = Raw { file, before: Mutex::new(before), alternate: AtomicBool::new(false) };
        if !is_dumb() {
            // What is pasted comes between marks.
            let _ = (&raw.file).write_all(b"\x1b[?2004h");
        }
        self.forget()?;
        Ok(raw)
    }

    /// Throws away what was typed and not read yet.
    pub(super) fn forget(&self) -> io::Result<()> {
        Ok(termios::tcflush(&self.file, FlushArg::TCIFLUSH)?)
    }

    /// The next byte, which [`Ready::Terminal`] announced; `None` when the terminal is gone.
    pub(super) fn byte(&mut self) -> io::Result<Option<u8>> {
        let mut byte = [0];
        loop {
            match self.file.read(&mut byte) {
                Ok(0) => return Ok(None),
                Ok(_) => return Ok(Some(byte[0])),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits until there is something to read here or from `other`; without `timeout`, as long as it takes.
    pub(super) fn wait(&self, other: BorrowedFd<'_>, timeout: Option<Duration>) -> io::Result<Ready> {
        loop {
            match ready(self.file.as_fd(), other, timeout) {
                // Starting anew only lengthens the wait.
                Err(nix::errno::Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
                Ok(ready) => return Ok(ready),
            }
        }
    }
}

fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty())
}

fn is_dumb() -> bool {
    env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// What [`Terminal::wait`] waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ready {
    /// The other one; told first.
    Other,
    /// The terminal.
    Terminal,
    /// Neither in time.
    Nothing,
}

#[cfg(not(target_vendor = "apple"))]
fn ready(terminal: BorrowedFd<'_>, other: BorrowedFd<'_>, timeout: Option<Duration>) -> nix::Result<Ready> {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    let mut both = [PollFd::new(other, PollFlags::POLLIN), PollFd::new(terminal, PollFlags::POLLIN)];
    let timeout = match timeout {
        None => PollTimeout::NONE,
        // Longer than it can take is some 24 days.
        Some(time) => PollTimeout::try_from(time).unwrap_or(PollTimeout::MAX),
    };
    poll(&mut both, timeout)?;
    let [other, terminal] = both.map(|fd| fd.any().unwrap_or(false));
    Ok(match (other, terminal) {
        (true, _) => Ready::Other,
        (_, true) => Ready::Terminal,
        _ => Ready::Nothing,
    })
}

/// There `poll` does not work on terminals.
#[cfg(target_vendor = "apple")]
fn ready(terminal: BorrowedFd<'_>, other: BorrowedFd<'_>, timeout: Option<Duration>) -> nix::Result<Ready> {
    use nix::sys::select::{FD_SETSIZE, FdSet, select};
    use nix::sys::time::{TimeVal, TimeValLike};
    use std::os::fd::AsRawFd;
    let fits = |fd: BorrowedFd<'_>| usize::try_from(fd.as_raw_fd()).is_ok_and(|fd| fd < FD_SETSIZE);
    if !fits(terminal) || !fits(other) {
        return Err(nix::errno::Errno::EMFILE);
    }
    let mut both = FdSet::new();
    both.insert(terminal);
    both.insert(other);
    let mut time = timeout
        .map(|time| TimeVal::milliseconds(i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 1_000_000)));
    select(None, &mut both, None, None, &mut time)?;
    Ok(match (both.contains(other), both.contains(terminal)) {
        (true, _) => Ready::Other,
        (_, true) => Ready::Terminal,
        _ => Ready::Nothing,
    })
}

/// Puts the terminal back when dropped.
#[derive(Debug)]
pub(super) struct Raw {
    file: File,
    before: Mutex<Termios>,
    alternate: AtomicBool,
}

impl Raw {
    /// The alternate screen is shown, or no longer.
    pub(super) fn alternate(&self, on: bool) {
        let text = if on { "\u{1b}[?1049h" } else { LEAVE };
        if self.alternate.swap(on, Ordering::SeqCst) != on {
            let _ = (&self.file).write_all(text.as_bytes());
        }
    }

    /// Puts the terminal back now; also done when dropped.
    pub(super) fn restore(&self) {
        self.alternate(false);
        if !is_dumb() {
            let _ = (&self.file).write_all(b"\x1b[?2004l");
        }
        self.restore_modes();
    }

    /// Puts its modes back without writing to it: nobody may be reading.
    pub(super) fn restore_modes(&self) {
        let before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = termios::tcsetattr(&self.file, SetArg::TCSANOW, &before);
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.restore();
    }
}
