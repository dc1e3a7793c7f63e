//! Terminals of agents that go on between calls: where they may stand by now, and which variables they may have.
//!
//! A call's own input tells where the agent works, not where a terminal was left by `cd`, and the hook does not inherit
//! what was exported there. Each call that is judged is noted here by the session's id, so that the next one is judged
//! where it may run. Every directory that it may be in is kept: whether a call really ran is not known.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::attest::Places;
use crate::attest::disk::{self, Access};
use crate::attest::document::hex;
use crate::shell::{self, Kept, Left, Start};

/// Directories that are told apart; past them it is not known where the terminal is.
const MOST: usize = 8;
/// A note larger than this is none of ours.
const LIMIT: u64 = 1 << 20;
/// Notes of sessions that are as old as this are of no use.
const AGE: Duration = Duration::from_secs(7 * 24 * 3600);

/// How far a shell tool's calls share one shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Terminal {
    /// Each call has a shell of its own.
    #[default]
    Fresh,
    /// Variables may stay; the call says where it runs.
    Variables,
    /// All stays, in the terminal of this name.
    Kept(String),
    /// What is typed goes to a program that was started before, and where that is was not seen.
    Unseen,
}

/// What is known of a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Memory {
    /// Directories that it may be in besides the one that the call names.
    directories: Vec<PathBuf>,
    /// It may be anywhere.
    lost: bool,
    /// Variables that were set there.
    variables: BTreeSet<String>,
    /// Functions and aliases that were defined there.
    #[serde(default)]
    definitions: Kept,
}

impl Memory {
    /// How a call starts there. `cwd`: where the agent works.
    pub(super) fn start(&self, cwd: &Path) -> Start {
        let directories = if self.lost {
            Some(Vec::new())
        } else if self.directories.is_empty() {
            None
        } else {
            let mut all = vec![cwd.to_owned()];
            all.extend(self.directories.iter().filter(|dir| *dir != cwd).cloned());
            Some(all)
        };
        let variables = self.variables.iter().map(|name| (name.clone(), None)).collect();
        let definitions = self.definitions.clone();
        Start { directories, variables, open: true, definitions, ..Start::default() }
    }

    /// With what a call may have left behind.
    pub(super) fn after(mut self, left: &Left, cwd: &Path) -> Self {
        if left.directories.is_empty() {
            self.lost = true;
        } else {
            // It went to a place that does not depend on where it was.
            self.lost = false;
            for dir in left.directories.iter().filter(|dir| *dir != cwd) {
                if !self.directories.contains(dir) {
                    self.directories.push(dir.clone());
                }
            }
        }
        if self.directories.len() > MOST {
            self.directories.clear();
            self.lost = true;
        }
        self.variables.extend(left.variables.iter().cloned());
        shell::add(&mut self.definitions, &left.definitions);
        self
    }
}

/// The notes of all terminals.
pub(super) struct Notes {
    file: PathBuf,
}

impl Notes {
    /// The note of one terminal of an agent.
    pub(super) fn of(places: &Places, agent: &str, terminal: &str) -> Self {
        let name = hex(&Sha256::digest(format!("{agent}\0{terminal}")));
        Self { file: places.state.join("terminals").join(format!("{}.json", &name[..32])) }
    }

    /// What was noted.
    ///
    /// # Errors
    /// When it cannot be read: then nothing is known.
    pub(super) fn read(&self) -> Result<Memory, String> {
        match disk::read_private(&self.file, LIMIT).map_err(|error| error.to_string())? {
            None => Ok(Memory::default()),
            Some(bytes) => serde_json::from_slice(&bytes)
                .map_err(|_| format!("{} is no note that recourse wrote: remove it", self.file.display())),
        }
    }

    /// Notes it down.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn write(&self, memory: &Memory) -> Result<(), String> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        disk::private_dir(folder).map_err(|error| error.to_string())?;
        if !self.file.exists() {
            forget_old(folder);
        }
        let bytes = serde_json::to_vec(memory).map_err(|error| error.to_string())?;
        disk::write_atomic(&self.file, &bytes, Access::Private).map_err(|error| error.to_string())
    }
}

/// Notes of sessions that are long over.
fn forget_old(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let old = entry
            .metadata()
            .and_then(|meta| meta.modified())
            .is_ok_and(|time| time.elapsed().is_ok_and(|age| age > AGE));
        if old {
            // One that stays costs nothing but its bytes.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(dirs: &[&str], variables: &[&str]) -> Left {
        Left {
            directories: dirs.iter().map(PathBuf::from).collect(),
            variables: variables.iter().map(|name| (*name).to_owned()).collect(),
            definitions: Kept::new(),
        }
    }

    #[test]
    fn a_terminal_may_be_wherever_it_was_sent() {
        let cwd = Path::new("/w");
        let fresh = Memory::default();
        assert_eq!(fresh.start(cwd).directories, None);
        assert!(fresh.start(cwd).open);
        let stayed = fresh.after(&left(&["/w"], &[]), cwd);
        assert_eq!(stayed, Memory::default());
        let moved = stayed.after(&left(&["/w/a"], &["DATA"]), cwd);
        let start = moved.start(cwd);
        assert_eq!(start.directories, Some(vec![PathBuf::from("/w"), PathBuf::from("/w/a")]));
        assert_eq!(start.variables, [("DATA".to_owned(), None)]);
        let lost = moved.after(&left(&[], &[]), cwd);
        assert_eq!(lost.start(cwd).directories, Some(Vec::new()));
        assert!(
            lost.after(&left(&["/x"], &[]), cwd).start(cwd).directories.is_some_and(|dirs| dirs.len() == 3)
        );
        let mut far = Memory::default();
        for at in 0..20 {
            far = far.after(&left(&[&format!("/{at}")], &[]), cwd);
        }
        assert!(far.start(cwd).directories.is_some_and(|dirs| dirs.len() <= MOST + 1));
    }

    #[test]
    fn notes_are_kept_by_agent_and_terminal() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::under(folder.path());
        let note = Notes::of(&places, "vscode", "s");
        assert_eq!(note.read().unwrap(), Memory::default());
        let memory = Memory::default().after(&left(&["/a"], &["X"]), Path::new("/w"));
        note.write(&memory).unwrap();
        assert_eq!(note.read().unwrap(), memory);
        assert_eq!(Notes::of(&places, "copilot", "s").read().unwrap(), Memory::default());
        fs::write(&note.file, "{}x").unwrap();
        assert!(note.read().is_err());
    }
}
