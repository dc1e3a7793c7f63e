//! What runs in the files of a tree: shell scripts, image and service definitions, build files, jobs of CI systems.
//!
//! Owns which files can run something, and the reading of each format down to [`Piece`]s: a text for a shell or the words
//! of a program, where they stand in the file, and what is known of the place in which they run. Judges nothing. What
//! cannot be read is said as [`Unread`], never left out.

mod align;
mod ansible;
mod compose;
mod docker;
mod format;
mod github;
mod gitlab;
mod heredoc;
mod lines;
mod make;
mod package;
mod precommit;
mod script;
mod walk;

pub use format::{Format, format_of};
pub use lines::{Lines, Position};
pub use package::Package;
pub use walk::{Bounds, Source, Walked, walk};

use std::rc::Rc;

use crate::yaml::{self, Node};

/// Stands for a value that is not known inside a text that is handed on; it may be empty.
pub const UNKNOWN: &str = "__scan_unknown";
/// The same for a value that is not known and not empty.
pub const GIVEN: &str = "__scan_given";

/// Where the tree of a scan is thought to stand: in some directory of whoever works with it.
pub const TREE: &str = "/~/projects/checkout";

/// One thing that a file runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What of the file it is, for people: `RUN`, `target clean`, `scripts.build`.
    pub label: String,
    /// What is run.
    pub runs: Runs,
    /// Where its text stands in the file.
    pub lines: Lines,
    /// The directory that it runs in, below the tree; `None`: it is not known which.
    pub directory: Option<String>,
    /// Variables that are set there: to a value, or to one that is not known.
    pub variables: Vec<(String, Option<String>)>,
    /// On what it runs.
    pub place: Place,
    /// It is a script that others call: by this name, with words that are not known.
    pub script: Option<String>,
}

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runs {
    /// A text for a shell.
    Shell(Dialect, String),
    /// A program with its words; `None` for one that is not known.
    Words(Vec<Option<String>>),
}

/// The language of a shell's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// bash and everything near it.
    Bash,
    /// zsh.
    Zsh,
    /// fish.
    Fish,
}

/// On what something runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Somebody's machine.
    Machine,
    /// A layer of an image that is being built.
    Image,
    /// A container or machine that is made for the run, and goes with it.
    Runner,
}

impl Place {
    /// It is made for what runs there, and nothing in it is anybody's.
    pub fn made_for_it(self) -> bool {
        self != Self::Machine
    }
}

impl Piece {
    /// A text for bash on somebody's machine, in the root of the tree.
    pub fn shell(label: impl Into<String>, text: String, lines: Lines) -> Self {
        Self {
            label: label.into(),
            runs: Runs::Shell(Dialect::Bash, text),
            lines,
            directory: Some(String::new()),
            variables: Vec::new(),
            place: Place::Machine,
            script: None,
        }
    }
}

/// A part of a file that was not read, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// The line, from 1; `None`: the whole file.
    pub line: Option<usize>,
    /// Why, for people.
    pub why: String,
}

/// What a file runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// In the order of the file.
    pub pieces: Vec<Piece>,
    /// What of it was not read.
    pub unread: Vec<Unread>,
}

impl Found {
    fn unread(&mut self, line: Option<usize>, why: impl Into<String>) {
        self.unread.push(Unread { line, why: why.into() });
    }

    /// Reads the whole file as YAML; one that is none is told as unread.
    fn yaml(&mut self, text: &str) -> Option<Rc<Node>> {
        match yaml::read(text) {
            Ok(document) => document,
            Err(error) => {
                self.unread(Some(error.line), format!("no YAML that is read: {}", error.what));
                None
            }
        }
    }

    /// Where each piece stands, what it is called and what a shell gets of it.
    #[cfg(test)]
    fn shown(&self) -> Vec<String> {
        let text = |piece: &Piece| match &piece.runs {
            Runs::Shell(_, text) => text.clone(),
            Runs::Words(_) => String::new(),
        };
        self.pieces
            .iter()
            .map(|piece| format!("{} {}: {}", piece.lines.first(), piece.label, text(piece)))
            .collect()
    }
}

/// Reads a file of this format; `path` is its name below the tree, `other` gives the text of another file of the tree.
pub fn read(format: Format, path: &str, text: &str, other: &dyn Fn(&str) -> Option<String>) -> Found {
    match format {
        Format::Script(dialect) => script::read(dialect, path, text),
        Format::Docker => docker::read(text),
        Format::Compose => compose::read(text),
        Format::Make => {
            let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
            let include =
                |name: &str| other(&if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") });
            make::makefile(path, text, &include)
        }
        Format::Just => make::justfile(path, text),
        Format::Task => package::taskfile(text),
        Format::Package(package) => package::read(package, text),
        Format::Github => github::read(text),
        Format::Gitlab => gitlab::read(text),
        Format::Ansible => ansible::read(text),
        Format::PreCommit => precommit::read(text),
    }
}
