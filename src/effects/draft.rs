//! A mutation on its way, with what the act does to files.

use std::path::{Path, PathBuf};

use crate::model::{Mutation, Saved};
use crate::shell::{Packing, Printed};

/// What an act does to files, beyond what its action says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Something new stands there (old content, if any, is gone).
    Made { path: PathBuf, content: Option<String>, directory: bool },
    /// Content moves.
    Moved { from: PathBuf, to: PathBuf },
    /// A copy is made. `packed`: inside an archive.
    Copied { from: PathBuf, to: PathBuf, packed: bool },
    /// A patch is made of the files below `dir` that git tracks, against git's index.
    Patched { dir: PathBuf, to: PathBuf },
    /// A symbolic link, or another name of the same file; without a target where it leads is not known.
    Linked { at: PathBuf, target: Option<PathBuf>, symbolic: bool },
    /// A file that stays holds another text: this one, where it is known.
    Rewritten { path: PathBuf, text: Option<String> },
    /// A file is an archive of this.
    Packs { at: PathBuf, packing: Packing },
    /// Work of the repository that `dir` belongs to is saved in git.
    Saved { dir: PathBuf, what: Saved },
}

impl Change {
    /// What git printed into a file, where that is a patch of the working tree that it ran in.
    pub(super) fn patched(printed: Option<Printed>, cwds: &[PathBuf], to: &Path) -> Option<Self> {
        match (printed, cwds) {
            (Some(Printed::Changes), [dir]) => Some(Self::Patched { dir: dir.clone(), to: to.to_owned() }),
            _ => None,
        }
    }

    /// Whether it says what stands at a place from then on.
    pub(super) fn puts(&self) -> bool {
        match self {
            Self::Made { .. } | Self::Moved { .. } | Self::Linked { .. } | Self::Rewritten { .. } => true,
            Self::Copied { packed, .. } => !packed,
            Self::Packs { .. } | Self::Patched { .. } | Self::Saved { .. } => false,
        }
    }
}

/// A mutation with the changes that it makes, in order. Changes may also come without a mutation.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The mutation.
    pub(crate) mutation: Option<Mutation>,
    /// What it does to files.
    pub(crate) changes: Vec<Change>,
    /// The action itself says what becomes of the path: deleted is gone, replaced is new.
    pub(crate) by_action: bool,
}

impl Draft {
    /// A mutation whose action says what becomes of its path.
    pub(crate) fn of(mutation: Mutation) -> Self {
        Self { mutation: Some(mutation), changes: Vec::new(), by_action: true }
    }

    /// Changes that only later steps need to know of.
    pub(crate) fn only(changes: Vec<Change>) -> Self {
        Self { mutation: None, changes, by_action: false }
    }

    /// A mutation whose changes are told.
    pub(crate) fn with(mutation: Mutation, changes: Vec<Change>) -> Self {
        Self { mutation: Some(mutation), changes, by_action: false }
    }
}
