//! The files of one directory, in order, against the index: no path is put together for a file that the index proves
//! unchanged.

use std::ops::Range;
use std::path::Path;

use crate::world::{Meta, World};

use super::index::IndexEntry;
use super::repository::{GitRepo, LoadedIndex, proves_unchanged};

/// A place in the index that moves along with the names of one directory.
pub(in crate::evidence) struct Cursor<'r> {
    loaded: &'r LoadedIndex,
    /// The index's entries at or below the directory.
    range: Range<usize>,
    /// Length of the directory's own part of their paths, the slash included.
    prefix: usize,
    /// Where the next name is looked for first.
    at: usize,
}

impl GitRepo {
    /// A cursor for a directory's files. `None` where the index has nothing below it, or cannot be read, or the
    /// directory belongs to the repository itself.
    pub(in crate::evidence) fn cursor(&self, world: &dyn World, dir: &Path) -> Option<Cursor<'_>> {
        if self.is_internal(dir) {
            return None;
        }
        let relative = self.relative(dir)?;
        let loaded = self.loaded(world).ok()?;
        let range = loaded.index.below(relative);
        let prefix = if relative.is_empty() { 0 } else { relative.len() + 1 };
        (!range.is_empty()).then_some(Cursor { loaded, at: range.start, range, prefix })
    }
}

impl Cursor<'_> {
    /// Whether the index alone proves the directory's file with this name to be as git has it. "No" proves nothing.
    pub(in crate::evidence) fn proves_clean(&mut self, name: &str, meta: &Meta) -> bool {
        let Some(at) = self.find(name.as_bytes()) else { return false };
        self.at = at + 1;
        self.loaded.index.entries().get(at).is_some_and(|entry| {
            entry.stage == 0 && !entry.intent_to_add && proves_unchanged(meta, entry, self.loaded.written)
        })
    }

    fn find(&self, name: &[u8]) -> Option<usize> {
        let entries = self.loaded.index.entries();
        // Everything in the range starts with the directory's own part.
        let rest = |entry: &IndexEntry| self.loaded.index.path(entry).get(self.prefix..).unwrap_or_default();
        if self.range.contains(&self.at) && entries.get(self.at).is_some_and(|entry| rest(entry) == name) {
            return Some(self.at);
        }
        let within = entries.get(self.range.clone())?;
        let at = within.partition_point(|entry| rest(entry) < name);
        within.get(at).is_some_and(|entry| rest(entry) == name).then_some(self.range.start + at)
    }
}
