//! A mutation: the intent to act on a target, wherever it came from (shell, Terraform plan, MCP call).

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Facts;
use super::evidence::FactValue;
use super::value::Value;

/// What is done to the target. The words are the report's (`seeds/agent-interface`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Makes something that was not there.
    Create,
    /// Looks, changes nothing.
    Read,
    /// Changes part of it; the changed part's old content goes.
    Update,
    /// Removes it.
    Delete,
    /// Puts something else in its place; its whole old content goes.
    Replace,
    /// Runs something.
    Execute,
    /// Gives rights.
    Grant,
    /// Takes rights away.
    Revoke,
}

impl Action {
    /// The report's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Read => "read",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Replace => "replace",
            Self::Execute => "execute",
            Self::Grant => "grant",
            Self::Revoke => "revoke",
        }
    }
}

/// Where the intent came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Shell text or an argument vector.
    Shell,
    /// A Terraform plan.
    Terraform,
    /// An MCP tool call.
    Mcp,
}

/// Byte range in the text that was evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest range that holds both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Who asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// As given, for example `agent/deploy`.
    pub id: String,
    /// Derived from the id's first segment.
    pub kind: ActorKind,
}

/// The kinds of actor that reports know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActorKind {
    /// A person.
    Human,
    /// An AI agent.
    Agent,
    /// A CI job.
    Ci,
    /// Another service.
    Service,
    /// Not told.
    Unknown,
}

impl Actor {
    /// Reads `kind/name`; an id without a known first segment is of kind unknown.
    pub fn parse(id: &str) -> Self {
        let kind = match id.split('/').next() {
            Some("human" | "user") => ActorKind::Human,
            Some("agent") => ActorKind::Agent,
            Some("ci") => ActorKind::Ci,
            Some("service") => ActorKind::Service,
            _ => ActorKind::Unknown,
        };
        Self { id: id.to_owned(), kind }
    }
}

/// The target as reports name it.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// Cloud or Terraform provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Service, for example `filesystem`, `git`, `rds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Resource kind (shell, MCP) or Terraform type.
    pub r#type: String,
    /// What identifies it: a path, an address, a name.
    pub id: String,
    /// Human name, where it differs from the id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Environment, for example `production`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Cloud region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Cloud account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

/// Fact of a mutation that rests on not knowing: what speaks against letting it run.
pub const AGAINST: &str = "against";
/// Fact of a change in a plan: why it is replaced or goes, as the plan says.
pub const BECAUSE: &str = "because";
/// Fact of a key that goes in a plan: what stays and is encrypted with it.
pub const ENCRYPTS: &str = "encrypts";
/// Fact of what goes in a plan: its backups and replicas that stay.
pub const STAYS: &str = "stays";
/// Fact of a change in a plan: the account and region where it is.
pub const PLACE: &str = "place";
/// Fact of what goes in a plan: the place where it lives, which goes too.
pub const WITHIN: &str = "within";
/// Fact of what goes in a plan: all that it may be called by others, a line each.
pub const NAMES: &str = "also-called";
/// Fact of a form that is not known: its words say whether it may destroy something.
pub const BY_WORDS: &str = "by-words";

/// Why this mutation is listed; decides whether the verdict rests on rules or on not knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A rule of the knowledge says so.
    Rule,
    /// A program that no knowledge file describes.
    UnknownProgram,
    /// A known program in a form that its file does not describe (unknown option or subcommand).
    UnknownForm,
    /// Text that could not be parsed; says what.
    Gap(String),
    /// A command word, script or code that could not be resolved; says what.
    Opaque(String),
    /// A limit was reached; names it.
    Limit(String),
}

impl Cause {
    /// True when the mutation is listed because something is not known, not because a rule says what happens.
    pub fn is_unknown(&self) -> bool {
        !matches!(self, Self::Rule)
    }
}

/// The rule that a mutation rests on.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RuleRef {
    /// Tool or Terraform type, for example `git`.
    pub tool: String,
    /// Subcommand path and effect, for example `push#2`.
    pub rule: String,
}

/// Circumstances of the act, known before any evidence.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Context {
    /// Directories it may run in; empty when unknown.
    pub cwd: Vec<PathBuf>,
    /// Another machine or container that it runs on (`ssh box`, `docker exec web`): what is here says nothing there.
    pub host: Option<String>,
    /// The other machine is a container made for this act, with nothing of ours in it: its files are its own.
    pub fresh: bool,
    /// Runs with more rights than the caller (`sudo`).
    pub privileged: bool,
    /// Wrappers it runs through, outermost first.
    pub via: Vec<String>,
    /// It runs only if something unknown turns out so (a branch, a loop that may be empty).
    pub maybe: bool,
    /// It runs at most once, as the text says it: in no loop, function or other text, and no wrapper repeats it.
    pub once: bool,
    /// What the operator was asked first (`rm -i` at a terminal).
    pub asks: bool,
    /// Acts of the same command that put work into git, and have succeeded where this runs.
    pub saves: BTreeSet<Save>,
}

/// An act that puts work into git: where it stands in the text, and what it names.
pub type Save = (Span, String);

/// Content of this command's own making or moving that stands behind a path when the act happens.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum PathOrigin {
    /// Whatever is on the machine now.
    #[default]
    Existing,
    /// Made earlier in this command: nothing of before to lose.
    Created,
    /// Moved here earlier in this command, from this path.
    MovedFrom(PathBuf),
    /// Removed or moved away earlier in this command: nothing left.
    Gone,
}

/// Files or trees that are acted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathSubject {
    /// Absolute, lexically normalised where fully known. May be a prefix (everything below is possible) or unknown.
    pub path: Value,
    /// As it was written, for people.
    pub shown: String,
    /// Everything below it too.
    pub recursive: bool,
    /// The last component, when a symbolic link, is followed (`>`, `cp` onto) or acted on itself (`rm`, `mv`).
    pub follow: bool,
    /// Written by the person as a word of the command, as what is to go: no glob, variable, substitution, search or program
    /// text took part, and it is not merely where something else is put.
    pub explicit: bool,
    /// What this same command did to the path before.
    pub origin: PathOrigin,
    /// Content from elsewhere that this command moved below this path before.
    pub moved_in: Vec<PathBuf>,
    /// Paths below this one that this command moved away before.
    pub moved_out: Vec<PathBuf>,
    /// Copies of this path that the same command made before.
    pub copies: Vec<PathBuf>,
    /// For a replacement: where the new content comes from, when that is a file (identical content loses nothing).
    pub from: Option<PathBuf>,
    /// For a replacement the new content itself, for an addition what is added, when known.
    pub content: Option<String>,
}

impl PathSubject {
    /// A single path with nothing special about it.
    pub fn new(path: Value, shown: impl Into<String>) -> Self {
        Self {
            path,
            shown: shown.into(),
            recursive: false,
            follow: false,
            explicit: false,
            origin: PathOrigin::Existing,
            moved_in: Vec::new(),
            moved_out: Vec::new(),
            copies: Vec::new(),
            from: None,
            content: None,
        }
    }
}

/// Work that this command put into git before the act (`git stash`, `git add`, `git commit`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Saved {
    /// Changes to tracked files.
    Tracked,
    /// Untracked files too.
    Untracked,
    /// Ignored files too.
    Ignored,
}

/// A copy that a command made before it acts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CopyMade {
    /// Where the copy stands.
    pub at: PathBuf,
    /// What it is a copy of: a file, or a tree.
    pub source: PathBuf,
    /// It is an archive (or another form) that holds the source, not the same file or tree under another name.
    pub packed: bool,
    /// It only holds how files below the source that git tracks differ from its index: git's own acts alone can count on it.
    pub patch: bool,
}

/// What is acted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A file or tree.
    Path(PathSubject),
    /// Something in a git repository: working-tree changes, refs, stashes, objects. The kind says which.
    Git {
        /// Directory that git runs in (absolute), or unknown.
        dir: Value,
        /// Ref names, pathspecs, stash entries, as the kind needs them.
        names: Vec<Value>,
        /// What the same command saved before.
        saved: BTreeSet<Saved>,
        /// Copies of files that the same command made before.
        copies: Vec<CopyMade>,
    },
    /// Rows or tables of a database.
    Sql {
        /// `sqlite`, `postgres`, `mysql`.
        dialect: &'static str,
        /// Database file (sqlite, absolute) or connection name.
        database: Value,
        /// Table or other object, when one is named.
        object: Option<String>,
        /// The statement's text, secrets and all: never printed whole.
        statement: String,
        /// The statement's condition, when there is one.
        condition: Option<String>,
    },
    /// A thing with a name, of any other kind.
    Named(Value),
    /// What it acts on cannot be told.
    Unknown,
}

/// One intended change.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutation {
    /// What is done.
    pub action: Action,
    /// Resource kind: a key of the kinds table.
    pub kind: String,
    /// What it is done to.
    pub subject: Subject,
    /// The target as reports show it.
    pub target: Target,
    /// Where it came from.
    pub source: Source,
    /// The part of the input that says so (never secrets).
    pub raw: String,
    /// Where in the evaluated text.
    pub span: Option<Span>,
    /// The rule it rests on.
    pub rule: RuleRef,
    /// Why it is listed.
    pub cause: Cause,
    /// Circumstances.
    pub context: Context,
    /// What the input itself tells: flags that are set, attributes of a Terraform resource.
    pub facts: Facts,
    /// What refers to the target and feels its loss (real references only).
    pub dependents: Vec<Dependent>,
}

impl Mutation {
    /// What a plan says that others may call it.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let text = |key: &str| match self.facts.get(key).map(|fact| &fact.value) {
            Some(FactValue::Text(text)) => text.as_str(),
            _ => "",
        };
        let names = text(NAMES).lines().chain(std::iter::once(text("identifier")));
        names.filter(|name| !name.is_empty())
    }
}

/// Something that refers to a target which goes away.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependent {
    /// Its id, for example a Terraform address.
    pub id: String,
    /// Its type.
    pub r#type: Option<String>,
    /// How it depends, in plain words.
    pub reason: String,
    /// Through others, not directly.
    pub transitive: bool,
}
