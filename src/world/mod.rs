//! The one door to the machine: files, environment, clock, and the few read-only programs that probes ask.
//!
//! Owns every look at the machine that judgement may take, and which place a path names (`resolve`). Nothing here changes
//! anything. `real` is the machine, `memory` an in-memory one for tests of judgement, `elsewhere` any other machine, of
//! which nothing can be told, `checkout` one of which a working tree is known. Uses `model` alone.

mod ask;
pub(crate) mod bounded;
mod checkout;
mod elsewhere;
pub mod git;
pub mod git_dir;
pub mod lossy;
mod memory;
mod private;
mod real;
pub mod resolve;
mod scan;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use crate::model::Part;

pub(crate) use ask::trusted;
pub use checkout::{Checkout, Tree};
pub use elsewhere::{Elsewhere, SOMEBODYS_HOME};
pub use memory::MemoryWorld;
pub use private::keep_private;
pub use real::RealWorld;
pub(crate) use real::sha256;

/// What kind of thing a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// Regular file.
    File,
    /// Directory.
    Directory,
    /// Symbolic link.
    Symlink,
    /// Block device.
    BlockDevice,
    /// Character device (`/dev/null` among them).
    CharDevice,
    /// Named pipe, socket or anything else.
    Other,
}

/// What `stat` tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Kind.
    pub kind: FileKind,
    /// Size in bytes.
    pub size: u64,
    /// Number of hard links.
    pub links: u64,
    /// Device and inode: the same pair is the same file.
    pub id: (u64, u64),
    /// Permission bits.
    pub mode: u32,
    /// Owner and group.
    pub owner: (u32, u32),
    /// Last change of content: seconds and nanoseconds since the epoch.
    pub modified: (i64, u32),
    /// Last change of the inode: seconds and nanoseconds since the epoch.
    pub changed: (i64, u32),
    /// Last access, seconds since the epoch.
    pub accessed: i64,
}

/// Why a look at the machine failed. `NotFound` is an answer; the others mean that evidence is missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookError {
    /// Nothing there (a missing parent, or a file where a directory is needed, included).
    #[error("no such file or directory")]
    NotFound,
    /// Not allowed.
    #[error("permission denied")]
    Denied,
    /// More than the limit asked for.
    #[error("larger than the limit")]
    TooLarge,
    /// Out of time.
    #[error("ran out of time")]
    Deadline,
    /// Symbolic links in a circle.
    #[error("symbolic links in a circle")]
    Loop,
    /// It is not known that this is the machine.
    #[error("it is not known on which machine this runs")]
    Elsewhere,
    /// A key, a token, or the guard's own.
    #[error("it is private and was not read")]
    Private,
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

/// One directory entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name (not UTF-8 names are given lossily and marked by `exact == false`).
    pub name: String,
    /// The name is exactly the bytes on disk.
    pub exact: bool,
    /// Kind, links not followed.
    pub kind: FileKind,
}

/// The read-only programs that probes may ask. Closed on purpose; arguments are whole words, never shell text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// Git in `dir`, hardened: no hooks, fsmonitor, pagers, external diff, filters, credential helpers, prompts, network
    /// or optional locks; configuration cannot make it run a program.
    Git {
        /// Directory to run in.
        dir: PathBuf,
        /// Subcommand and its arguments.
        arguments: Vec<String>,
    },
    /// `sqlite3 -readonly` on a database file, with one SELECT.
    Sqlite {
        /// The file.
        database: PathBuf,
        /// The query.
        sql: String,
    },
    /// Which installed package owns these paths, and whether they are unchanged (dpkg or rpm).
    PackageOwner {
        /// Absolute paths.
        paths: Vec<PathBuf>,
    },
}

/// A directory entry with what `lstat` tells of it.
pub type Seen = (Entry, Result<Meta, LookError>);

/// The machine, read-only.
pub trait World {
    /// It is not known that the command runs on this machine: every look fails with [`LookError::Elsewhere`].
    fn is_elsewhere(&self) -> bool {
        false
    }
    /// The working tree whose files are all that can be told.
    fn tree(&self) -> Option<&Tree> {
        None
    }
    /// Like `lstat`: a symbolic link is not followed.
    fn lstat(&self, path: &Path) -> Result<Meta, LookError>;
    /// Like `stat`: symbolic links are followed.
    fn stat(&self, path: &Path) -> Result<Meta, LookError>;
    /// Target of a symbolic link, as written.
    fn read_link(&self, path: &Path) -> Result<PathBuf, LookError>;
    /// Entries of a directory without `.` and `..`, sorted by name; [`LookError::TooLarge`] beyond `limit` entries.
    fn read_dir(&self, path: &Path, limit: usize) -> Result<Vec<Entry>, LookError>;
    /// [`World::read_dir`] of several directories, possibly at once; `limit` holds for each of them. Names cost a fraction
    /// of what a look at each file costs.
    fn read_dirs(&self, paths: &[&Path], limit: usize) -> Vec<Result<Vec<Entry>, LookError>> {
        paths.iter().map(|path| self.read_dir(path, limit)).collect()
    }
    /// Like [`World::read_dir`], each entry with what `lstat` tells of it. One look per file: for walks.
    fn scan(&self, path: &Path, limit: usize) -> Result<Vec<Seen>, LookError>;
    /// [`World::scan`] of several directories, possibly at once; `limit` holds for all of them together. `None` where
    /// the limit was used up before: such a directory is asked for alone.
    fn scan_all(&self, paths: &[&Path], limit: usize) -> Vec<Option<Result<Vec<Seen>, LookError>>> {
        let mut left = limit;
        let mut scan = |path: &Path| match self.scan(path, left) {
            Err(LookError::TooLarge) => None,
            Ok(entries) => {
                left -= entries.len().min(left);
                Some(Ok(entries))
            }
            error => Some(error),
        };
        paths.iter().map(|path| scan(path)).collect()
    }
    /// Content of a regular file (links followed; never blocks on a pipe or device); [`LookError::TooLarge`] beyond `limit` bytes.
    fn read_file(&self, path: &Path, limit: u64) -> Result<Vec<u8>, LookError>;
    /// Text that may be followed and spoken of: like [`World::read_file`], but nothing private.
    fn read_text(&self, path: &Path, limit: u64) -> Result<String, LookError> {
        let text = String::from_utf8(self.read_file(path, limit)?)
            .map_err(|_| LookError::Other("not text".to_owned()))?;
        if private::holds_a_key(&text) { Err(LookError::Private) } else { Ok(text) }
    }
    /// Settings that stand beside keys (`~/.ssh/config`, `gpg.conf`): who may read them lets them be followed; nobody else hears of
    /// them.
    fn read_settings(&self, path: &Path, limit: u64) -> Result<String, LookError> {
        self.read_text(path, limit)
    }
    /// [`World::read_text`] of what the judgement rests on: an evaluation notes which file it was and what it held.
    fn follow(&self, path: &Path, limit: u64, part: Part) -> Result<String, LookError> {
        let _ = part;
        self.read_text(path, limit)
    }
    /// A file is run that is not read, or could not be: an evaluation notes which.
    fn starts(&self, path: &Path) {
        let _ = path;
    }
    /// SHA-256 of a regular file's bytes, links followed; nothing private, and [`LookError::TooLarge`] beyond `limit` bytes.
    fn digest(&self, path: &Path, limit: u64) -> Result<[u8; 32], LookError> {
        Ok(Sha256::digest(self.read_file(path, limit)?).into())
    }
    /// Whether somebody asks who need not have the rights of this process.
    fn is_for_others(&self) -> bool {
        false
    }
    /// The path with every symbolic link resolved.
    fn canonicalize(&self, path: &Path) -> Result<PathBuf, LookError>;
    /// Whether this process may write to (a directory: create and remove entries in) the path.
    fn writable(&self, path: &Path) -> bool;
    /// An environment variable of the evaluated command, when set and valid text.
    fn env(&self, name: &str) -> Option<String>;
    /// The names of all environment variables, sorted; of one whose value is no valid text [`World::env`] says nothing.
    fn env_names(&self) -> Vec<String>;
    /// All environment variables with their values, sorted by name; without one where the value is no valid text.
    fn environment(&self) -> Vec<(String, Option<String>)> {
        let named = |name: String| {
            let value = self.env(&name);
            (name, value)
        };
        self.env_names().into_iter().map(named).collect()
    }
    /// Home directory of a user; of the caller for `None`.
    fn home(&self, user: Option<&str>) -> Option<PathBuf>;
    /// The caller's user name.
    fn user(&self) -> String;
    /// Effective user id.
    fn uid(&self) -> u32;
    /// Mount points, longest first; empty when they cannot be read.
    fn mounts(&self) -> Vec<PathBuf>;
    /// Wall clock.
    fn now(&self) -> SystemTime;
    /// Time since an arbitrary start, for budgets.
    fn elapsed(&self) -> Duration;
    /// What a read-only program prints, where that may be followed and spoken of: nothing private.
    fn ask_text(&self, query: &Query, timeout: Duration) -> Result<String, LookError> {
        let text = String::from_utf8(self.ask(query, timeout)?)
            .map_err(|_| LookError::Other("not text".to_owned()))?;
        if private::holds_a_key(&text) { Err(LookError::Private) } else { Ok(text) }
    }
    /// Asks a read-only program; its standard output.
    fn ask(&self, query: &Query, timeout: Duration) -> Result<Vec<u8>, LookError>;
}
