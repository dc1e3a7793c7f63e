//! Files that a program loads: asked for by their paths, read by whoever can look at the machine.

/// What is known of a file that a program would load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Its path as it was asked for, and its text.
    Text {
        /// The path.
        path: String,
        /// The text.
        text: String,
    },
    /// None of the files is there.
    Absent,
    /// One is there, and cannot be read.
    Unreadable,
    /// Nobody can look: the program may run elsewhere.
    Untold,
}

/// Gives the texts of files that a program loads.
pub trait Sources {
    /// The first of these files that is there. Paths are absolute or relative to the directory of the process.
    fn first(&self, paths: &[String]) -> Source;

    /// The names that a wildcard pattern matches; `None` when nobody can tell.
    fn matching(&self, _pattern: &str) -> Option<Vec<String>> {
        None
    }

    /// A variable of the environment; `None` where it is not set, or nobody can tell.
    fn variable(&self, _name: &str) -> Option<crate::model::Value> {
        None
    }

    /// The absolute path of a file, its links followed where that is asked; `None` where nobody can tell.
    fn place(&self, _path: &str, _real: bool) -> Option<String> {
        None
    }

    /// Whether something compiled is loaded in place of a module's source (`stem` is its path without an ending): an extension
    /// beside it, or bytecode that says that nobody is to compare it with the source (PEP 552).
    fn is_compiled(&self, _stem: &str) -> bool {
        false
    }

    /// The home directory of the process; `None` where nobody can tell.
    fn home(&self) -> Option<String> {
        None
    }
}

/// No file can be looked at.
pub struct Nowhere;

impl Sources for Nowhere {
    fn first(&self, _: &[String]) -> Source {
        Source::Untold
    }
}

/// A program text and what is known of how it is run.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Its language.
    pub language: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Its operands.
    pub arguments: &'a [crate::model::Value],
    /// The file that it stands in; `None` for text on a command line.
    pub file: Option<&'a str>,
    /// Directories in which modules are looked for, before those of the language itself.
    pub roots: &'a [String],
    /// What an interpreter's options do with the files that the operands name.
    pub reading: Reading,
}

/// How an interpreter reads the files that its operands name, whatever the program says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The program runs for each of their lines (`-n`, `-p`).
    pub lines: bool,
    /// What is printed takes their place (`-i`).
    pub in_place: bool,
    /// It is a suite of tests, whose functions a runner calls.
    pub tests: bool,
}

/// Which tasks of a file are run, and whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    /// A Rakefile.
    Rake,
    /// `tasks.py` of Invoke.
    Invoke,
    /// `noxfile.py`.
    Nox,
    /// `dodo.py` of doit.
    Doit,
}

/// What running tasks does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// In order.
    pub effects: Vec<super::CodeEffect>,
    /// Tasks that the file does not say.
    pub unknown: Vec<String>,
}
