//! The controlling terminal: opened by itself, never through standard input, so that nothing piped in can answer.

use std::env;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::sync::{Mutex, PoisonError};

use nix::sys::termios::{self, FlushArg, LocalFlags, SetArg, SpecialCharacterIndices, Termios};
use nix::unistd::{getpgrp, tcgetpgrp};

use crate::report::Style;

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

    /// How to print on it.
    pub(super) fn style() -> Style {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let plain = set("NO_COLOR").is_some() || set("TERM").is_none_or(|term| term == "dumb");
        let width = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        Style { color: !plain, width: if width == 0 { 80 } else { width } }
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
        now.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
        now.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
        // Takes effect after what was written has gone out, and discards what was typed.
        termios::tcsetattr(&self.file, SetArg::TCSAFLUSH, &now)?;
        termios::tcflush(&self.file, FlushArg::TCIFLUSH)?;
        Ok(Raw { file: self.file.try_clone()?, before: Mutex::new(before) })
    }

    /// The next byte; `None` when the terminal is gone.
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
}

/// Puts the terminal back when dropped.
pub(super) struct Raw {
    file: File,
    before: Mutex<Termios>,
}

impl Raw {
    /// Puts the terminal back now; also done when dropped.
    pub(super) fn restore(&self) {
        let before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = termios::tcsetattr(&self.file, SetArg::TCSADRAIN, &before);
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.restore();
    }
}
