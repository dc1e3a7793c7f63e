//! The question to a person when a command needs one, and the answer.
//!
//! Owns the terminal while the question stands: its screen, its keys, its end. Everything is read from and written to the
//! controlling terminal, never standard input or output, so that nothing piped in can answer; and nothing is asked where an
//! agent would answer (`approvals` tells). Whatever is not plainly yes
//! is no: another key, silence, a signal, a terminal that fails. Judges nothing and runs nothing: what is to run instead is
//! handed back, to be judged again.

mod confirm;
mod dialogue;
mod keys;
mod line;
mod pager;
mod rule;
mod signals;
mod terminal;
mod turn;
mod yes;

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::approvals::{Doubt, Here};
use crate::config;
use crate::report::{ConsequenceReport, Style};

pub use crate::report::Keeps;
pub use confirm::{code, confirm};
use signals::Held;
use terminal::Terminal;
pub use yes::yes;

/// How long a person has, when `RECOURSE_PROMPT_TIMEOUT` does not say.
const USUAL_TIMEOUT: Duration = Duration::from_secs(300);

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// What it would cost. Its secrets are masked.
    pub report: &'a ConsequenceReport,
    /// The command line as it would run; `None` where there is none (a Terraform plan).
    pub command: Option<&'a str>,
    /// The directory that it would run in.
    pub cwd: &'a Path,
    /// Who wants it, when it is not the person at the terminal.
    pub actor: Option<&'a str>,
    /// Something more that has to be said.
    pub note: Option<&'a str>,
    /// What has to be typed to run it: the name of what will be lost. Without it a key is enough.
    pub typed: Option<&'a str>,
    /// Whether another command may be run instead: the safer form, or the line edited. The caller judges it again.
    pub replaceable: Replaceable,
    /// For how long this exact command could be allowed here; `None` where that is not possible.
    pub allowable: Option<Duration>,
    /// The rule that would allow it always; `None` where that is not possible.
    pub lasting: Option<&'a Lasting>,
    /// What could be kept before it runs, where something can.
    pub keeps: Option<Keeps<'a>>,
    /// Read-only commands that could tell more before it is decided.
    pub looks: &'a [String],
}

impl<'a> Question<'a> {
    /// Asks for yes or no, by a key.
    pub fn new(report: &'a ConsequenceReport, command: Option<&'a str>, cwd: &'a Path) -> Self {
        Self {
            report,
            command,
            cwd,
            actor: None,
            note: None,
            typed: None,
            replaceable: Replaceable::No,
            allowable: None,
            lasting: None,
            keeps: None,
            looks: &[],
        }
    }
}

/// A rule of the person's policy that would let it run from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasting {
    /// The file that it goes into.
    pub file: std::path::PathBuf,
    /// The rule, as it would stand there.
    pub rule: String,
}

/// Whether something else may run instead, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaceable {
    /// It cannot.
    No,
    /// At once, when it is judged well.
    AtOnce,
    /// It is put onto the line of the shell that asks, to be edited and accepted there. The safer form only where the
    /// command that is shown is the one that was typed.
    OnTheLine {
        /// It is.
        as_typed: bool,
    },
}

/// What the person decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it, this once.
    Run,
    /// Keep what can be kept, then run it, this once.
    KeepThenRun,
    /// Run the looks, which were shown; then it is judged again.
    Look,
    /// Run the safer form instead; to be judged again.
    RunInstead(String),
    /// Run what the person made of it; to be judged again.
    Edited(String),
    /// Run it, and this exact command in this directory without a question for so long.
    AllowFor(Duration),
    /// Run it, and write the rule that was shown.
    Always,
    /// Do not run it.
    Abort(Abort),
}

/// Why it is not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abort {
    /// The person said so.
    Refused,
    /// What was typed is not what had to be.
    Mistyped,
    /// No answer came in this time.
    TimedOut(Duration),
    /// A signal came.
    Interrupted,
    /// The terminal went away.
    Gone,
}

impl fmt::Display for Abort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused => f.write_str("it was not run"),
            Self::Mistyped => f.write_str("that is not what had to be typed, so it was not run"),
            Self::TimedOut(time) => write!(f, "no answer within {}, so it was not run", spoken(*time)),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Gone => f.write_str("the terminal is gone"),
        }
    }
}

/// Whether there is a terminal at which a person can be asked.
pub fn available() -> bool {
    Terminal::open().is_some()
}

/// Why nobody may be asked here, although there is a terminal: it is an agent that would answer.
pub fn doubt() -> Option<Doubt> {
    Here::doubt().filter(|doubt| !doubt.is_open())
}

/// Asks, and says at the terminal what came of it. Where it cannot be told whether a person or an agent types, a key is not
/// enough: a code has to be typed.
///
/// # Errors
/// When there is no terminal, it fails, or an agent would answer; the caller must take that for a no.
pub fn decide(question: &Question<'_>) -> io::Result<Decision> {
    let code = match Here::doubt() {
        None => None,
        Some(doubt) if doubt.is_open() => Some(code()?),
        Some(doubt) => return Err(io::Error::other(doubt)),
    };
    let mut terminal = Terminal::open()
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no terminal to ask at"))?;
    let timeout = timeout();
    let Some(_turn) = turn::take(&mut terminal, timeout)? else {
        return Ok(Decision::Abort(Abort::TimedOut(timeout.unwrap_or_default())));
    };
    let held = Held::back()?;
    let raw = Arc::new(terminal.raw()?);
    let mut signals = held.watch(Arc::clone(&raw))?;
    let decision = dialogue::hold(question, code, &mut terminal, &mut signals, &raw, timeout);
    raw.restore();
    drop(signals);
    signals::end();
    let decision = decision?;
    let last = match &decision {
        Decision::Abort(abort) => format!("\nrecourse: refused: {abort}\n"),
        _ => "\n".to_owned(),
    };
    // The answer stands, whether or not it can be confirmed.
    let _ = terminal.write(&last);
    Ok(decision)
}

/// How to print on the terminal.
pub fn style() -> Style {
    Terminal::style()
}

/// `RECOURSE_PROMPT_TIMEOUT` in seconds, 0 for none. What is no number is as if it were not there.
fn timeout() -> Option<Duration> {
    let seconds = config::variable("RECOURSE_PROMPT_TIMEOUT").ok().flatten();
    match seconds.and_then(|text| text.trim().parse::<u32>().ok()) {
        Some(0) => None,
        Some(seconds) => Some(Duration::from_secs(u64::from(seconds))),
        None => Some(USUAL_TIMEOUT),
    }
}

/// A time in words.
fn spoken(time: Duration) -> String {
    let seconds = time.as_secs();
    let (count, unit) = if seconds >= 60 && seconds.is_multiple_of(60) {
        (seconds / 60, "minute")
    } else {
        (seconds, "second")
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_spoken() {
        for (seconds, want) in
            [(1, "1 second"), (59, "59 seconds"), (60, "1 minute"), (90, "90 seconds"), (900, "15 minutes")]
        {
            assert_eq!(spoken(Duration::from_secs(seconds)), want);
        }
    }
}
