//! The helper of the interactive shells' hooks: one line that a person accepted, judged before it runs.
//!
//! What comes in on standard input is three parts with NUL bytes between them: aliases, names of functions, the line.
//! What goes out is the exit status (0: run it, 126: do not), and for bash a sum on standard
//! output that tells its script what else to mind.

use crate::exec::{self, Surroundings};
use crate::shell::Session;

use super::session::session;
use super::{fish, zsh};

/// Interactive shells with a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellKind {
    /// bash
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
}

impl ShellKind {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
        }
    }
}

/// A line as a hook hands it over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What was typed.
    pub typed: String,
    /// What is judged: the same in the syntax that recourse reads.
    pub judged: String,
    /// The shell around it.
    pub session: Session,
}

/// How the line comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The shell.
    pub shell: ShellKind,
    /// The line is the last entry as `history 1` prints it.
    pub history: bool,
    /// `#` begins a comment (zsh alone may say no).
    pub comments: bool,
}

impl Line {
    /// Takes apart what a hook sent.
    ///
    /// # Errors
    /// When it is not valid text, and so cannot be judged.
    pub fn read(bytes: &[u8], form: Form) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "the line is not valid UTF-8".to_owned())?;
        let mut parts = text.splitn(3, '\0');
        let (aliases, functions, line) = match (parts.next(), parts.next(), parts.next()) {
            (Some(aliases), Some(functions), Some(line)) => (aliases, functions, line),
            _ => ("", "", text),
        };
        let typed = if form.history { entry(line) } else { line };
        let mut session = session(aliases, functions);
        let judged = match form.shell {
            ShellKind::Bash => typed.to_owned(),
            ShellKind::Zsh => zsh::to_bash(typed, form.comments),
            ShellKind::Fish => fish::to_bash(typed),
        };
        session.translated = form.shell != ShellKind::Bash;
        Ok(Self { typed: typed.to_owned(), judged, session })
    }

    /// There is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.typed.trim().is_empty()
    }

    /// For bash's script: 2 when the line begins with a blank, 8 when it may have set a trap.
    pub fn marks(&self) -> u8 {
        let traps = self.typed.split(|c: char| !(c.is_alphanumeric() || "_-.".contains(c))).any(|word| {
            matches!(word, "trap" | "source" | "." | "eval")
                || self.session.functions.iter().any(|function| function == word)
        });
        u8::from(self.typed.starts_with(' ')) * 2 + u8::from(traps) * 8
    }
}

/// The command of an entry as `history 1` prints it: number, a mark, a blank, the command, a line break.
fn entry(text: &str) -> &str {
    let rest = text.trim_start_matches(' ').trim_start_matches(|c: char| c.is_ascii_digit());
    let mut chars = rest.chars();
    match (chars.next(), chars.next()) {
        (Some(' ' | '*'), Some(' ')) => {
            let line = chars.as_str();
            line.strip_suffix('\n').unwrap_or(line)
        }
        _ => text,
    }
}

/// Judges the line, asks where that is due, and gives the exit status. With `below`, what is said begins on a new line.
pub fn run(line: &Line, below: bool, around: &Surroundings<'_>) -> u8 {
    exec::permit(&line.judged, &line.typed, below, around)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Line {
        Line::read(text.as_bytes(), Form { shell: ShellKind::Bash, history: true, comments: true }).unwrap()
    }

    #[test]
    fn an_entry_of_history_is_the_line_alone() {
        for (text, line) in [
            ("  501  rm x\n", "rm x"),
            ("  501   rm x\n", " rm x"),
            ("12345* rm x\n", "rm x"),
            ("    1  cat <<E\na\nE\n", "cat <<E\na\nE"),
            ("   12  3  4\n", "3  4"),
        ] {
            assert_eq!(read(&format!("alias a='b'\n\0declare -f f\n\0{text}")).typed, line);
        }
        assert_eq!(read("  501  rm x\n").typed, "rm x");
    }

    #[test]
    fn marks_for_bash() {
        for (line, marks) in [("ls", 0), (" ls", 2), ("trap '' INT", 8), (" . ./env", 10), ("up now", 8)] {
            assert_eq!(read(&format!("\0declare -f up\n\0    1  {line}\n")).marks(), marks, "{line}");
        }
    }

    #[test]
    fn what_is_no_text_is_an_error() {
        assert!(
            Line::read(b"\0\0rm \xff", Form { shell: ShellKind::Bash, history: false, comments: true })
                .is_err()
        );
    }
}
