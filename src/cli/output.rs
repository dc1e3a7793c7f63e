//! Printing: quiet on a broken pipe, never on a full disk, colour only on a terminal.

use std::env;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::OnceLock;

use serde::Serialize;

use crate::report::Style;
use crate::text::escape;

use super::status;

/// Why a command ended without doing its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// Exit status.
    pub(super) code: u8,
    /// What, where, what to do.
    pub(super) message: String,
}

impl Failure {
    /// Bad usage, or input that cannot be read.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self { code: status::USAGE, message: message.into() }
    }

    /// A fault of recourse's own.
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self { code: status::INTERNAL, message: message.into() }
    }
}

impl From<crate::config::ConfigError> for Failure {
    fn from(error: crate::config::ConfigError) -> Self {
        Self::usage(error.to_string())
    }
}

/// Prints text to standard output. A reader that has gone away is no error.
pub(super) fn print(text: &str) {
    print_bytes(text.as_bytes());
}

/// [`print`] for bytes.
pub(super) fn print_bytes(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    note_lost(out.write_all(bytes).and_then(|()| out.flush()));
}

/// Why standard output is not whole, once that is so.
static LOST: OnceLock<String> = OnceLock::new();

/// Notes that something could not be written. A reader that has gone away wants no more, and nobody reads a closed output.
fn note_lost(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        let _ = LOST.set(error.to_string());
    }
}

/// Why standard output is not whole; `None`: all of it was written, or nobody wants it.
pub(super) fn lost() -> Option<&'static str> {
    LOST.get().map(String::as_str)
}

/// Prints a value as JSON and a newline. A reader that has gone away is no error.
pub(super) fn print_json<T: Serialize>(value: &T) -> Result<(), Failure> {
    // Written as it comes: the report of a big plan is as long as a book.
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match serde_json::to_writer_pretty(&mut out, value) {
        Ok(()) => {
            note_lost(out.write_all(b"\n").and_then(|()| out.flush()));
            Ok(())
        }
        Err(error) if error.is_io() => {
            note_lost(Err(io::Error::from(error)));
            Ok(())
        }
        Err(error) => Err(Failure::internal(format!("the output could not be written as JSON: {error}"))),
    }
}

/// A note on standard error.
pub(super) fn note(message: &str) {
    let _ = writeln!(io::stderr().lock(), "recourse: {}", escape(message));
}

/// An error on standard error.
pub(super) fn error(message: &str) {
    let lines: Vec<String> = message.lines().map(escape).collect();
    let _ = writeln!(io::stderr().lock(), "recourse: {}", lines.join("\n"));
}

/// What clap has to say, on the stream that it belongs to.
pub(super) fn clap_message(error: &clap::Error) {
    let text = error.render();
    if error.use_stderr() {
        let _ = write!(io::stderr().lock(), "{text}");
    } else {
        print(&text.to_string());
    }
}

/// How to print on standard output.
pub(super) fn style() -> Style {
    style_of(io::stdout().is_terminal())
}

/// How to print on a stream that is (not) a terminal.
pub(super) fn style_of(terminal: bool) -> Style {
    let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || env::var_os("TERM").is_some_and(|value| value == "dumb");
    let columns = env::var("COLUMNS").ok().and_then(|value| value.parse::<usize>().ok());
    let measured = || crossterm::terminal::size().ok().map(|(columns, _)| usize::from(columns));
    let width = if terminal { columns.or_else(measured) } else { columns };
    Style { color: terminal && !plain, width: width.filter(|width| *width > 0).unwrap_or(80) }
}
