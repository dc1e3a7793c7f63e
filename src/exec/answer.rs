//! The question at the terminal and its answer. Whatever is not plainly yes is no.

use std::io;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::sys::signal::{SigSet, Signal, raise};

use super::REFUSED;
use super::terminal::{Raw, Terminal};

/// What the person said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Run it.
    Yes,
    /// Do not.
    No,
}

/// Longest line that is read.
const LINE_LIMIT: usize = 1024;

/// Shows the report and asks. With `name`, the person has to type exactly that.
///
/// # Errors
/// When the terminal fails; the caller must take that for a no.
pub(super) fn ask(mut terminal: Terminal, report: &str, name: Option<&str>) -> io::Result<Answer> {
    let question = match name {
        Some(name) => format!("\nTo run it all the same, type {name} : "),
        None => "\nRun it? [y/N] ".to_owned(),
    };
    let raw = Arc::new(terminal.raw()?);
    let _guard = Signals::watch(Arc::clone(&raw))?;
    terminal.write(report)?;
    terminal.write(&question)?;
    let line = read_line(&mut terminal)?;
    raw.restore();
    let yes = match (&line, name) {
        (Some(line), Some(name)) => line == name,
        (Some(line), None) => matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"),
        (None, _) => false,
    };
    terminal.write(if yes { "\n" } else { "\nrecourse: refused: it was not run\n" })?;
    Ok(if yes { Answer::Yes } else { Answer::No })
}

/// A line, with backspace and kill; `None` for Ctrl-C, Ctrl-D, Escape and a terminal that is gone.
fn read_line(terminal: &mut Terminal) -> io::Result<Option<String>> {
    let mut line: Vec<u8> = Vec::new();
    loop {
        let Some(byte) = terminal.byte()? else { return Ok(None) };
        match byte {
            b'\r' | b'\n' => return Ok(String::from_utf8(line).ok()),
            // Ctrl-C, Ctrl-D, Ctrl-\, Escape.
            0x03 | 0x04 | 0x1c | 0x1b => return Ok(None),
            0x7f | 0x08 => {
                while line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
                redraw(terminal, "\u{8} \u{8}")?;
            }
            // Ctrl-U.
            0x15 => {
                let columns = String::from_utf8_lossy(&line).chars().count();
                line.clear();
                redraw(terminal, &"\u{8} \u{8}".repeat(columns))?;
            }
            byte if byte >= 0x20 => {
                if line.len() >= LINE_LIMIT {
                    return Ok(None);
                }
                line.push(byte);
                // Whole characters only.
                if let Some(c) = last_char(&line) {
                    redraw(terminal, &c.to_string())?;
                }
            }
            _ => {}
        }
    }
}

fn redraw(terminal: &mut Terminal, text: &str) -> io::Result<()> {
    terminal.write(text)
}

/// The last character when the bytes end with a whole one.
fn last_char(line: &[u8]) -> Option<char> {
    let start = line.iter().rposition(|byte| byte & 0xc0 != 0x80)?;
    std::str::from_utf8(&line[start..]).ok()?.chars().next()
}

/// While this lives, a signal that would end the process puts the terminal back and counts as a no.
struct Signals {
    before: SigSet,
    answered: Arc<AtomicBool>,
}

impl Signals {
    fn watch(raw: Arc<Raw>) -> io::Result<Self> {
        let mut set = SigSet::empty();
        for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT] {
            set.add(signal);
        }
        let before = SigSet::thread_get_mask()?;
        set.thread_block()?;
        let answered = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&answered);
        // The thread inherits the blocked signals and takes them by waiting. It ends with the process: by `exec`, or here.
        thread::Builder::new().spawn(move || {
            let Ok(signal) = set.wait() else { return };
            if over.load(Ordering::SeqCst) {
                // It came after the answer: it means what it always means.
                let _ = set.thread_unblock();
                let _ = raise(signal);
                return;
            }
            raw.restore();
            super::say("\nrecourse: refused: interrupted");
            end();
        })?;
        Ok(Self { before, answered })
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.answered.store(true, Ordering::SeqCst);
        let _ = self.before.thread_set_mask();
    }
}

#[allow(clippy::exit)] // The main thread sits in a read that nothing else ends.
fn end() -> ! {
    process::exit(i32::from(REFUSED))
}
