//! Archives that the evaluated command itself packs: what those in a pipe and in files hold.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What an archive that this command packs holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Where the packing program runs.
    pub dir: PathBuf,
    /// The commit or tree, where it is git that packs.
    pub tree: Option<String>,
    /// What is packed, as it is named; none: all of the tree.
    pub names: Vec<String>,
    /// What stands in front of each name in the archive.
    pub prefix: String,
}

/// The archives that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packings {
    pipe: Option<Packing>,
    files: BTreeMap<PathBuf, Packing>,
}

impl Packings {
    /// Records the archive that goes into a pipe.
    pub fn set_pipe(&mut self, packing: Option<Packing>) {
        self.pipe = packing;
    }

    /// The archive that comes out of the pipe.
    pub fn pipe(&self) -> Option<&Packing> {
        self.pipe.as_ref()
    }

    /// Records the archive that a file is.
    pub fn set_file(&mut self, file: PathBuf, packing: Packing) {
        self.files.insert(file, packing);
    }

    /// The archive that a file is.
    pub fn file(&self, file: &Path) -> Option<&Packing> {
        self.files.get(file)
    }

    /// Something else stands there, or is done to it.
    pub(super) fn forget(&mut self, path: &Path) {
        self.files.retain(|file, _| !file.starts_with(path));
    }

    /// What holds on another way as well stays.
    pub(super) fn merge(&mut self, other: &Self) {
        self.files.retain(|file, packing| other.files.get(file) == Some(packing));
        if self.pipe != other.pipe {
            self.pipe = None;
        }
    }
}
