//! Directories that a walk will come to, looked at together: where a tree is big, several threads share the work.
//!
//! Changes nothing about what a walk sees, or in which order.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::world::{LookError, Meta, Seen, World};

use super::walk::Around;

/// Directories looked at together, and entries that may be held in store.
const TOGETHER: (usize, usize) = (128, 16_384);
/// A tree is big when so many directories wait, or so many entries were seen.
const BIG: (usize, usize) = (32, 256);

/// Listings in store.
#[derive(Default)]
pub(super) struct Ahead {
    store: HashMap<PathBuf, Result<Vec<Seen>, LookError>>,
    held: usize,
    /// Too large to be looked at with others.
    alone: HashSet<PathBuf>,
}

impl Ahead {
    /// Looks at `dir` and some of those that come after it (`next`, nearest first), if that pays. `seen` and `room`: how
    /// many entries the walk has seen, and may still see.
    pub(super) fn prepare<'p>(
        &mut self,
        world: &dyn World,
        dir: &'p Path,
        next: impl Iterator<Item = &'p Path>,
        seen: usize,
        room: usize,
    ) {
        if self.store.contains_key(dir) {
            return;
        }
        let others = next
            .take(TOGETHER.0)
            .filter(|other| !self.store.contains_key(*other) && !self.alone.contains(*other));
        let paths: Vec<&Path> = std::iter::once(dir).chain(others).collect();
        let limit = room.min(TOGETHER.1).saturating_sub(self.held);
        if paths.len() < 2 || limit == 0 || (paths.len() < BIG.0 && seen < BIG.1) {
            return;
        }
        for (path, found) in paths.iter().zip(world.scan_all(&paths, limit)) {
            match found {
                Some(found) => {
                    self.held += found.as_ref().map_or(0, Vec::len);
                    self.store.insert((*path).to_owned(), found);
                }
                None => {
                    self.alone.insert((*path).to_owned());
                }
            }
        }
    }

    /// Whether a listing in store shows that a directory has no `.git` and no `HEAD` of its own, in any spelling.
    pub(super) fn is_plain(&self, dir: &Path) -> bool {
        let marks = |name: &str| name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("HEAD");
        matches!(self.store.get(dir), Some(Ok(list)) if !list.iter().any(|(entry, _)| marks(&entry.name)))
    }

    /// The directory's entries, from the store or from the machine.
    pub(super) fn take(
        &mut self,
        world: &dyn World,
        dir: &Path,
        room: usize,
    ) -> Result<Vec<Seen>, LookError> {
        match self.store.remove(dir) {
            Some(Ok(list)) => {
                self.held -= list.len().min(self.held);
                if list.len() > room { Err(LookError::TooLarge) } else { Ok(list) }
            }
            Some(error) => error,
            None => world.scan(dir, room),
        }
    }
}

/// Whether the walk is sure to list a directory, so that it may be listed before its turn: not a git directory, nor on
/// another file system, nor below what is not counted to the end.
pub(super) fn may_be_looked_ahead(dir: &Path, meta: &Meta, above: &Around, device: u64) -> bool {
    meta.id.0 == device && above.regenerable.is_none() && dir.file_name().is_none_or(|name| name != ".git")
}
