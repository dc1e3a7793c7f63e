//! What interpretation hands on: steps.

use std::sync::Arc;

use crate::code::CodeEffect;
use crate::knowledge::Match;
use crate::model::{Context, Span, Value};

use super::files::Files;
use super::names::Names;

/// A word as a program receives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    /// What is known of it.
    pub value: Value,
    /// Where it stands in the evaluated text (the outer word's range for nested text).
    pub span: Span,
    /// Written literally: no expansion, glob or substitution took part.
    pub explicit: bool,
}

impl Arg {
    /// A literal word.
    pub fn literal(text: impl Into<String>, span: Span) -> Self {
        Self { value: Value::known(text), span, explicit: true }
    }
}

/// Standard input of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// The caller's: a terminal, or whatever it is.
    Inherited,
    /// Nothing (`/dev/null`, `<&-`).
    Empty,
    /// This text (here-document, here-string, pipe from `echo`).
    Text(Value),
    /// A file's content.
    File(Value),
    /// Output of a program that cannot be told.
    Unknown,
}

/// Where standard output of a program goes, as far as its own redirections tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdout {
    /// Where the caller's goes, or elsewhere.
    Inherited,
    /// Into the next stage of a pipe, or into a substitution.
    Pipe,
    /// Into this file.
    File(Value),
}

/// How a file is opened by a redirection or by code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Emptied, then written.
    Truncate,
    /// Written at the end: nothing lost.
    Append,
    /// Opened for both, content overwritten from the start (`<>`).
    ReadWrite,
}

/// A program of the knowledge with its arguments matched.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// Program name as resolved (`rm` for `/bin/rm`).
    pub name: String,
    /// All words, the command word first.
    pub args: Vec<Arg>,
    /// The match against the tool's grammar.
    pub matched: Match,
    /// Standard input.
    pub stdin: Stdin,
    /// Standard output.
    pub stdout: Stdout,
    /// Assignments before the command word, and exported variables that the command itself set.
    pub environment: Vec<(String, Value)>,
    /// What it does, it does to the database of the project's tests.
    pub for_tests: bool,
}

/// What a step is.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// A known program runs. Wrappers are steps too (they may have effects of their own, such as `tee`'s or
    /// `flock`'s); what they run follows as steps of its own.
    Run(Box<Invocation>),
    /// A program that no knowledge describes.
    UnknownProgram {
        /// As written, or the resolved path.
        name: String,
        /// All words.
        args: Vec<Arg>,
    },
    /// A redirection opens a file for writing.
    Write {
        /// Path as written (relative to cwd), tilde and variables expanded.
        path: Arg,
        /// How.
        mode: Mode,
        /// `noclobber` is on and the operator is a plain `>`: an existing file is refused.
        noclobber: bool,
        /// The content, where it is known (`echo x > f`).
        content: Option<Value>,
    },
    /// Something that code given on the command line does (`python3 -c`, `awk`, `perl -e`).
    Code {
        /// The language.
        language: &'static str,
        /// What it does. Shell text and argv inside code are followed and come as steps of their own.
        effect: CodeEffect,
    },
    /// A variable is set, or taken away, that says how recourse judges or whether its shims are found.
    Guard {
        /// Its name.
        variable: String,
    },
    /// A part that could not be read.
    Gap {
        /// Why.
        reason: String,
    },
    /// Something runs that cannot be told: an unresolved command word, an unreadable script, unknown shell text.
    Opaque {
        /// Why.
        reason: String,
    },
    /// A limit was reached; interpretation stopped here.
    Limit {
        /// Its name.
        name: &'static str,
    },
}

/// One step, in program order.
#[derive(Clone, Debug)]
pub struct Step {
    /// What.
    pub kind: StepKind,
    /// Where in the evaluated text.
    pub span: Span,
    /// The text of the command, shortened (for people; secrets are masked later).
    pub raw: String,
    /// Circumstances.
    pub context: Context,
    /// What names of the process mean that it runs in.
    pub names: Arc<Names>,
}

/// Receives the steps in program order.
pub trait Sink {
    /// Takes one step and records in `files` what it does to them.
    fn step(&mut self, step: Step, files: &mut Files);
    /// A program is about to run, known or not: its name, the variables before it, its words, and what it is given to read.
    fn starts(&mut self, name: &str, environment: &[(String, Value)], words: &[Value], stdin: &Stdin) {
        let _ = (name, environment, words, stdin);
    }
}

/// What is evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Shell text.
    Text(String),
    /// An argument vector, never parsed as shell text (`None`: a word that is not valid text).
    Argv(Vec<Option<String>>),
}

impl Input {
    /// The text that spans speak of: the text itself, or the words as a person would type them.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Argv(words) => shown_words(words).0,
        }
    }
}

/// The words joined by blanks, quoted where that is needed, and where each stands.
pub(super) fn shown_words(words: &[Option<String>]) -> (String, Vec<Span>) {
    let mut text = String::new();
    let mut spans = Vec::with_capacity(words.len());
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        let start = text.len();
        match word {
            Some(word) => text.push_str(&shell_words::quote(word)),
            None => text.push('\u{fffd}'),
        }
        spans.push(Span::new(start, text.len()));
    }
    (text, spans)
}
