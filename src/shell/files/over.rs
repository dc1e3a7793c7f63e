//! Links as an evaluated command leaves them: those of the machine, and over them those that it made or took away.

use std::path::{Path, PathBuf};

use crate::world::resolve::{Link, Links};

use super::{FileState, Files, onto};

/// A link that this command made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    /// Where it leads; `None` when that is not known.
    pub(super) target: Option<PathBuf>,
    /// A symbolic link, not another name of the same file.
    pub(super) symbolic: bool,
}

/// The machine's links, with those that this command made or took away laid over.
pub struct Over<'a> {
    pub(super) files: &'a Files,
    pub(super) links: &'a dyn Links,
}

impl Links for Over<'_> {
    fn link(&self, path: &Path) -> Link {
        let files = self.files;
        if let Some(made) = files.links.get(path).filter(|made| made.symbolic) {
            return made.target.clone().map_or(Link::Unknown, Link::To);
        }
        match files.nearest(path) {
            None => self.links.link(path),
            Some((_, FileState::Gone)) => Link::None,
            Some((at, FileState::Created { .. })) if at == path => Link::None,
            // A directory that was made here may have been there before.
            Some((_, FileState::Created { .. })) => self.links.link(path),
            Some((at, FileState::MovedFrom(from) | FileState::CopiedFrom(from))) => {
                self.links.link(&onto(from, path, at))
            }
        }
    }
}
