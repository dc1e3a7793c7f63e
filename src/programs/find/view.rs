//! The tree as it stands after the earlier steps of the same command.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::order;
use crate::shell::program::{FileState, Files};
use crate::shell::{Names, places};
use crate::world::resolve::{Disk, physical};
use crate::world::{Entry, FileKind, LookError, Meta, World};

/// What is known of a path.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) kind: FileKind,
    /// Missing for what this command made, and where looking failed.
    pub(super) meta: Option<Meta>,
}

/// The machine with the overlay of what the command did.
pub(super) struct View<'a> {
    pub(super) world: &'a dyn World,
    pub(super) files: &'a Files,
    pub(super) names: &'a Names,
    pub(super) cwd: &'a Path,
    /// Symbolic links are followed (`-L`).
    pub(super) follow: bool,
    /// Paths that `-delete` certainly removed in this run.
    pub(super) deleted: BTreeSet<PathBuf>,
}

enum Place {
    /// Content stands at this path of the machine.
    Real(PathBuf),
    Made {
        directory: bool,
    },
    Nowhere,
}

impl View<'_> {
    /// The absolute path as the kernel finds it; `None` when it cannot be told.
    pub(super) fn absolute(&self, text: &str) -> Option<PathBuf> {
        let disk = Disk(self.world);
        let over = self.files.over(&disk);
        let cwds = [self.cwd.to_owned()];
        let mut all = places((self.names, self.files), &cwds, &self.cwd.join(text), &over)?;
        let path = all.pop().filter(|_| all.is_empty())?;
        if text.ends_with('/') {
            return physical(&path, &over, true);
        }
        Some(if self.files.is_untouched() { path } else { self.files.key(&path, &disk) })
    }

    fn place(&self, path: &Path) -> Place {
        match self.files.nearest(path) {
            None => Place::Real(path.to_owned()),
            Some((_, FileState::Gone)) => Place::Nowhere,
            Some((above, FileState::MovedFrom(origin) | FileState::CopiedFrom(origin))) => {
                match path.strip_prefix(above) {
                    Ok(rest) if rest.as_os_str().is_empty() => Place::Real(origin.clone()),
                    Ok(rest) => Place::Real(origin.join(rest)),
                    Err(_) => Place::Nowhere,
                }
            }
            Some((above, FileState::Created { directory, .. })) if above == path => {
                Place::Made { directory: *directory }
            }
            // A directory that `mkdir -p` recorded may have stood there before, with content.
            Some((_, FileState::Created { .. })) => Place::Real(path.to_owned()),
        }
    }

    /// What stands at a path; `None` for nothing.
    pub(super) fn seen(&self, path: &Path) -> Option<Seen> {
        if self.is_lost(path) {
            // It is entered as a directory, where the walk finds that it cannot be told.
            return Some(Seen { kind: FileKind::Directory, meta: None });
        }
        let led = if self.follow { self.files.through(path, true) } else { None };
        let path = led.as_deref().unwrap_or(path);
        match self.place(path) {
            Place::Nowhere => None,
            Place::Made { directory } => {
                Some(Seen { kind: if directory { FileKind::Directory } else { FileKind::File }, meta: None })
            }
            Place::Real(real) => {
                let followed = if self.follow { self.world.stat(&real).ok() } else { None };
                match followed.map_or_else(|| self.world.lstat(&real), Ok) {
                    Ok(meta) if self.files.is_stamped(path) => Some(Seen { kind: meta.kind, meta: None }),
                    Ok(meta) => Some(Seen { kind: meta.kind, meta: Some(meta) }),
                    Err(LookError::NotFound) => None,
                    Err(_) => Some(Seen { kind: FileKind::Other, meta: None }),
                }
            }
        }
    }

    /// Kind with links followed; of a dangling link, the link's.
    pub(super) fn followed_kind(&self, path: &Path) -> Option<FileKind> {
        let Place::Real(real) = self.place(path) else { return Some(self.seen(path)?.kind) };
        self.world.stat(&real).or_else(|_| self.world.lstat(&real)).ok().map(|meta| meta.kind)
    }

    /// Target of a link.
    pub(super) fn read_link(&self, path: &Path) -> Option<PathBuf> {
        let Place::Real(real) = self.place(path) else { return None };
        self.world.read_link(&real).ok()
    }

    /// Whether links are followed, and one that this command made leads to a place that is not known.
    pub(super) fn is_lost(&self, path: &Path) -> bool {
        self.follow && self.files.through(path, true).is_none()
    }

    /// Entries of a directory, sorted.
    pub(super) fn entries(&self, path: &Path, limit: usize) -> Result<Vec<Entry>, LookError> {
        let led = if self.follow { self.files.through(path, true) } else { None };
        let path = led.as_deref().unwrap_or(path);
        let mut entries = match self.place(path) {
            Place::Real(real) => self.world.read_dir(&real, limit)?,
            Place::Made { .. } => match self.world.read_dir(path, limit) {
                Err(LookError::NotFound) => Vec::new(),
                // What stood there before this command made it.
                other => other?,
            },
            Place::Nowhere => return Err(LookError::NotFound),
        };
        let mut changed = false;
        for (known, state) in self.files.below(path).filter(|(known, _)| known.parent() == Some(path)) {
            let Some(name) = known.file_name().and_then(|n| n.to_str()) else { continue };
            entries.retain(|entry| entry.name != name);
            if !matches!(state, FileState::Gone)
                && let Some(seen) = self.seen(known)
            {
                entries.push(Entry { name: name.to_owned(), exact: true, kind: seen.kind });
                changed = true;
            }
        }
        if changed {
            order::by(&mut entries, |a, b| a.name.cmp(&b.name));
        }
        Ok(entries)
    }

    /// Whether a directory holds nothing, what this run deleted not counted.
    pub(super) fn is_empty(&self, path: &Path) -> Option<bool> {
        match self.entries(path, 4096) {
            Ok(entries) => Some(entries.iter().all(|entry| self.deleted.contains(&path.join(&entry.name)))),
            Err(LookError::TooLarge) => Some(false),
            Err(_) => None,
        }
    }
}
