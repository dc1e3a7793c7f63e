//! Where agents' configurations stand, and what a hook of ours is made of in them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Seconds that an agent may wait for us; our own deadline is shorter.
pub(super) const TIMEOUT: u64 = 5;

/// Whose configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's, for all projects.
    User,
    /// That of the project in this directory.
    Project(PathBuf),
}

/// Folders that agents' configurations stand in.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The user's home.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, or `~/.config`.
    pub config: PathBuf,
    /// Where the system keeps applications' settings.
    pub applications: PathBuf,
    /// `$CLAUDE_CONFIG_DIR`, where it is set.
    pub claude: Option<PathBuf>,
    /// `$CODEX_HOME`, where it is set.
    pub codex: Option<PathBuf>,
}

/// One installation: whose it is, and how the agent starts us.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// The agent's name on our command line.
    pub(super) agent: &'a str,
    /// Whose configuration.
    pub(super) scope: &'a Scope,
    /// Where things stand.
    pub(super) folders: &'a Folders,
    /// The path by which the agent starts us.
    pub(super) program: &'a str,
}

impl Place<'_> {
    /// A file below the user's home.
    pub(super) fn home(&self, path: &str) -> PathBuf {
        self.folders.home.join(path)
    }

    /// A file below the user's settings.
    pub(super) fn config(&self, path: &str) -> PathBuf {
        self.folders.config.join(path)
    }

    /// The user's file, or the project's.
    pub(super) fn choose(&self, user: PathBuf, project: &str) -> PathBuf {
        match self.scope {
            Scope::User => user,
            Scope::Project(root) => root.join(project),
        }
    }

    /// The command that the agent runs.
    pub(super) fn command(&self) -> String {
        format!("{} hook {}", self.as_word(), self.agent)
    }

    /// Our program as a word of a shell.
    pub(super) fn as_word(&self) -> String {
        shell_words::quote(self.program).into_owned()
    }

    /// Our program as a string of JSON and JavaScript.
    pub(super) fn as_json(&self) -> String {
        json!(self.program).to_string()
    }
}

/// An entry that belongs at the end of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// Keys that lead to the list.
    pub(super) path: Vec<&'static str>,
    /// The entry.
    pub(super) value: Value,
}

impl Entry {
    /// For the list at `path`.
    pub(super) fn new(path: &[&'static str], value: Value) -> Self {
        Self { path: path.to_vec(), value }
    }
}

/// How an entry is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON: a command and its arguments.
    Plain,
    /// JSON: the same, and that it speaks over standard input and output.
    Typed,
    /// TOML: a table.
    Toml,
}

/// One file and what belongs in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// Entries in a settings file that others share.
    Shared {
        /// The file.
        file: PathBuf,
        /// Members that the file needs.
        top: Vec<(&'static str, Value)>,
        /// Ours.
        entries: Vec<Entry>,
    },
    /// A file of our own.
    Own {
        /// The file.
        file: PathBuf,
        /// Its content.
        content: String,
        /// It is a program.
        executable: bool,
    },
    /// Our server in a client's list of them.
    Server {
        /// The file.
        file: PathBuf,
        /// The key of the list.
        list: &'static str,
        /// How an entry is written there.
        form: Form,
        /// The words by which the client starts us.
        words: Vec<String>,
    },
    /// A line at the end of a file that a shell reads at its start.
    Line {
        /// The file.
        file: PathBuf,
        /// The line, without its end.
        line: String,
    },
}

impl Piece {
    /// Entries in a file that needs nothing else.
    pub(super) fn shared(file: PathBuf, entries: impl Into<Vec<Entry>>) -> Self {
        Self::shared_with(file, Vec::new(), entries)
    }

    /// Entries in a file that needs these members too.
    pub(super) fn shared_with(
        file: PathBuf,
        top: Vec<(&'static str, Value)>,
        entries: impl Into<Vec<Entry>>,
    ) -> Self {
        Self::Shared { file, top, entries: entries.into() }
    }

    /// The file.
    pub(super) fn file(&self) -> &Path {
        match self {
            Self::Shared { file, .. }
            | Self::Own { file, .. }
            | Self::Server { file, .. }
            | Self::Line { file, .. } => file,
        }
    }
}
