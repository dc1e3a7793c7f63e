//! What interpretation is told about the shell that would run the text, and how far it may go.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// Bounds on the work; each is a count unless said otherwise. Past one of them comes a `Limit` step and nothing more.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Commands walked, nested ones and loop turns included.
    pub steps: usize,
    /// Turns of one loop that are walked one by one; what is left of a list is taken several values at a time.
    pub iterations: usize,
    /// Turns of any loop that are walked one by one in any case, however many others have been.
    pub few: usize,
    /// Turns of all loops beyond that.
    pub turns: usize,
    /// How deep functions, nested shells, scripts and substitutions may call each other.
    pub depth: usize,
    /// Directory entries that one wildcard may look at.
    pub glob_entries: usize,
    /// Words that one expansion may give.
    pub words: usize,
    /// Bytes of a script or Makefile that is read.
    pub script_bytes: u64,
    /// Bytes of a file whose content is taken as data (`$(cat f)`, `while read … < f`).
    pub data_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 20_000,
            iterations: 512,
            few: 64,
            turns: 1_024,
            depth: 24,
            glob_entries: 20_000,
            words: 4_096,
            script_bytes: 1 << 20,
            data_bytes: 256 * 1024,
        }
    }
}

/// The shell that a person types into, as far as its hook tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Aliases, name and text.
    pub aliases: Vec<(String, String)>,
    /// Names of functions. Without a body here, what they do is the person's own business.
    pub functions: Vec<String>,
    /// Definitions of functions that the line may call, name and text.
    pub bodies: Vec<(String, String)>,
    /// A hook of ours judges the lines of this shell.
    pub guarded: bool,
    /// The text was brought over from another shell's syntax: what cannot be read in it counts only where a command that
    /// changes something may stand.
    pub translated: bool,
    /// It was fish's; otherwise zsh's.
    pub fish: bool,
    /// What sets variables, options, positional parameters and directories as they are in it; empty where it did not say.
    pub prelude: String,
}

/// What is not as the directory and the environment say: a terminal that was used before, a command that another program
/// starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Directories that it may be in instead; none: it is not known which.
    pub directories: Option<Vec<PathBuf>>,
    /// Variables that are set otherwise: to a value, or to one that is not known.
    pub variables: Vec<(String, Option<String>)>,
    /// Names that are not set here may be set there.
    pub open: bool,
    /// Any variable but `PATH` may have another value there.
    pub changed: bool,
    /// Functions and aliases that earlier texts may have left there.
    pub definitions: super::Kept,
    /// It is a script that others call: by this name, with words that are not known.
    pub script: Option<String>,
    /// A name that nothing sets is taken to be unset, wherever this runs: what happens where somebody forgot it.
    pub unset: bool,
}

/// What a shell that goes on is left with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Directories that it may be in; none: it is not known.
    pub directories: Vec<PathBuf>,
    /// Variables that the text set or took away.
    pub variables: BTreeSet<String>,
    /// Functions and aliases that it defined.
    pub definitions: super::Kept,
}

/// The circumstances of the text.
#[derive(Clone, Debug)]
pub struct Options {
    /// Directory it starts in, absolute; empty when it is not known.
    pub cwd: PathBuf,
    /// A person's shell at a prompt: aliases are expanded, names may be set that the environment does not show.
    pub interactive: bool,
    /// A name that is not in the environment is unset (a fresh `bash -c`); otherwise its value is unknown.
    pub unset_is_empty: bool,
    /// What the shell has besides: aliases, functions.
    pub session: Session,
    /// What is not as `cwd` and the environment say.
    pub start: Start,
    /// What is judged is what is bound: variables that were there before count as if the command set them.
    pub bound: bool,
    /// `$0` and the positional parameters.
    pub arguments: Vec<String>,
    /// Bounds on the work.
    pub limits: Limits,
    /// Point on [`crate::world::World::elapsed`]'s clock after which interpretation stops.
    pub deadline: Option<Duration>,
}

impl Options {
    /// A person's shell at a prompt in `cwd`.
    pub fn at_prompt(cwd: impl Into<PathBuf>, session: Session) -> Self {
        Self { interactive: true, unset_is_empty: false, session, ..Self::fresh(cwd) }
    }

    /// A fresh, non-interactive `bash -c` in `cwd`.
    pub fn fresh(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            interactive: false,
            unset_is_empty: true,
            session: Session::default(),
            start: Start::default(),
            bound: false,
            arguments: vec!["bash".to_owned()],
            limits: Limits::default(),
            deadline: None,
        }
    }
}
