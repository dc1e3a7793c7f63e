//! What goes beside content: directories, links, pipes and empty files, further names of a file, modes and owners.
//!
//! Nobody would call for an undo because of a link or an empty directory alone, and programs make and remove many of them. So
//! these are noted, and come back with the content that went beside them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::Metadata;
use std::ops::Bound;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::super::files::{Capture, rights, without_content};
use super::super::point::{Item, Was};

/// Things of each sort that are noted, at most.
const MOST: usize = 10_000;

/// A file, by device and number.
type Id = (u64, u64);

/// What was noted, by first names.
#[derive(Debug, Default)]
pub(super) struct Slight {
    things: BTreeMap<PathBuf, Item>,
    rights: BTreeMap<PathBuf, Item>,
    /// Names that went of files that had others, and what was told of them.
    names: Vec<(Id, Item)>,
    /// Files whose content was set aside, by the name under which that is.
    kept: HashMap<Id, PathBuf>,
}

impl Slight {
    /// A name goes that leads to no content.
    pub(super) fn gone(&mut self, path: &Path, first: &Path, meta: &Metadata) {
        if self.things.len() < MOST
            && !self.things.contains_key(first)
            && let Some(item) = without_content(path, meta)
        {
            self.things.insert(first.to_owned(), Item { path: first.into(), ..item });
        }
    }

    /// One name goes of a file that has more.
    pub(super) fn name_gone(&mut self, path: &Path, first: &Path, meta: &Metadata) {
        if self.names.len() < MOST
            && let Some(item) = rights(path, meta)
        {
            self.names.push((id(meta), Item { path: first.into(), ..item }));
        }
    }

    /// Mode or owner are about to change.
    pub(super) fn changed(&mut self, path: &Path, first: &Path, meta: &Metadata) {
        if self.rights.len() < MOST
            && !self.rights.contains_key(first)
            && let Some(item) = rights(path, meta)
        {
            self.rights.insert(first.to_owned(), Item { path: first.into(), ..item });
        }
    }

    /// A file's content was set aside.
    pub(super) fn kept(&mut self, first: &Path, meta: &Metadata) {
        self.kept.entry(id(meta)).or_insert_with(|| first.to_owned());
    }

    /// Whether modes or owners changed of what stood there before.
    pub(super) fn has_rights(&self) -> bool {
        self.rights.values().any(has_others)
    }

    /// Adds to what was set aside what went beside it.
    pub(super) fn complete(&self, items: &mut Vec<Item>, capture: &mut Capture) {
        let mut all: BTreeMap<PathBuf, Item> =
            std::mem::take(items).into_iter().map(|item| (item.path.0.clone(), item)).collect();
        self.names(&mut all, capture);
        self.things(&mut all);
        for (path, earlier) in &self.rights {
            match all.get_mut(path) {
                // It was set aside after they had changed.
                Some(item) => (item.mode, item.owner) = (earlier.mode, earlier.owner),
                None if has_others(earlier) => drop(all.insert(path.clone(), earlier.clone())),
                None => {}
            }
        }
        items.extend(all.into_values());
    }

    fn names(&self, all: &mut BTreeMap<PathBuf, Item>, capture: &mut Capture) {
        for (id, name) in &self.names {
            let Some(first) = self.kept.get(id).filter(|first| **first != name.path.0) else { continue };
            let Some(item) = all.get_mut(first) else { continue };
            if let Was::File { group, .. } = &mut item.was {
                group.get_or_insert_with(|| capture.group(*id));
                let twin = Item { path: name.path.clone(), ..item.clone() };
                all.entry(name.path.0.clone()).or_insert(twin);
            }
        }
    }

    fn things(&self, all: &mut BTreeMap<PathBuf, Item>) {
        let content = |item: &&Item| !item.was.is_about() && item.was != Was::Directory;
        let beside: BTreeSet<PathBuf> = all
            .values()
            .filter(content)
            .filter_map(|item| item.path.0.parent().map(Path::to_owned))
            .collect();
        for (path, thing) in &self.things {
            if belongs(path, &beside, &self.things) {
                all.entry(path.clone()).or_insert_with(|| thing.clone());
            }
        }
    }
}

/// Whether a thing has another mode or owner than was noted. One that is gone is set aside by itself, where it matters.
fn has_others(noted: &Item) -> bool {
    noted
        .path
        .0
        .symlink_metadata()
        .is_ok_and(|now| (now.mode() & 0o7777, (now.uid(), now.gid())) != (noted.mode, noted.owner))
}

fn id(meta: &Metadata) -> Id {
    (meta.dev(), meta.ino())
}

/// Whether content went from where a thing stood, from below there, or from above it in a tree that went as a whole.
fn belongs(path: &Path, beside: &BTreeSet<PathBuf>, things: &BTreeMap<PathBuf, Item>) -> bool {
    let Some(dir) = path.parent() else { return false };
    let from = beside.range::<Path, _>((Bound::Included(dir), Bound::Unbounded)).next();
    from.is_some_and(|next| next.starts_with(dir))
        || dir.ancestors().take_while(|above| things.contains_key(*above)).any(|above| beside.contains(above))
}
