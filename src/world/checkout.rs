//! A working tree of which the files are known, on a machine that is not this one: what a scan judges by.
//!
//! Owns what of such a place can be told: that the files of the tree are there, with their text. Whatever else may stand
//! there or beside it cannot be told, as [`super::Elsewhere`] has it; that something is absent is never said.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{Elsewhere, Entry, FileKind, LookError, Meta, Query, Seen, World};

/// The files of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    root: PathBuf,
    /// By their place below the root: where they are read.
    files: BTreeMap<PathBuf, PathBuf>,
    directories: BTreeSet<PathBuf>,
}

impl Tree {
    /// A tree that is thought to stand at a place.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let directories = root.ancestors().map(Path::to_path_buf).collect();
        Self { root, files: BTreeMap::new(), directories }
    }

    /// Adds a file by its name below the root; `real` is where it is read.
    pub fn add(&mut self, name: &Path, real: PathBuf) {
        let place = self.root.join(name);
        for above in place.ancestors().skip(1) {
            if !self.directories.insert(above.to_path_buf()) {
                break;
            }
        }
        self.files.insert(place, real);
    }

    /// Where it is thought to stand.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A file of the tree stands there.
    pub fn has_file(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    /// Files of the tree stand below it.
    pub fn has_directory(&self, path: &Path) -> bool {
        path.starts_with(&self.root) && self.directories.contains(path)
    }

    /// Whether a file below a directory begins and ends so, the name of the directory left out.
    pub fn has_below(&self, dir: &Path, start: &str, end: &str) -> bool {
        let mut files = self.files.range(dir.to_path_buf()..).map(|(path, _)| path);
        files.by_ref().take_while(|path| path.starts_with(dir)).any(|path| {
            let below = path.strip_prefix(dir).ok().and_then(Path::to_str);
            below.is_some_and(|below| below.starts_with(start) && below.ends_with(end))
        })
    }
}

/// The world in which a tree stands: only its files and the clock are real.
pub struct Checkout<'a> {
    /// Whose clock it is, and who reads the files.
    pub here: &'a dyn World,
    /// The files.
    pub tree: &'a Tree,
}

impl Checkout<'_> {
    fn elsewhere(&self) -> Elsewhere<'_> {
        Elsewhere(self.here)
    }
}

impl World for Checkout<'_> {
    fn is_elsewhere(&self) -> bool {
        true
    }

    fn tree(&self) -> Option<&Tree> {
        Some(self.tree)
    }

    fn lstat(&self, path: &Path) -> Result<Meta, LookError> {
        let kind = match self.tree.files.contains_key(path) {
            true => FileKind::File,
            false if self.tree.directories.contains(path) => FileKind::Directory,
            false => return Err(LookError::Elsewhere),
        };
        let mode = if kind == FileKind::File { 0o644 } else { 0o755 };
        let (id, owner) = ((0, 0), (0, 0));
        Ok(Meta { kind, size: 1, links: 1, id, mode, owner, modified: (0, 0), changed: (0, 0), accessed: 0 })
    }

    fn stat(&self, path: &Path) -> Result<Meta, LookError> {
        self.lstat(path)
    }

    fn read_link(&self, _: &Path) -> Result<PathBuf, LookError> {
        Err(LookError::Elsewhere)
    }

    fn read_dir(&self, _: &Path, _: usize) -> Result<Vec<Entry>, LookError> {
        Err(LookError::Elsewhere)
    }

    fn scan(&self, _: &Path, _: usize) -> Result<Vec<Seen>, LookError> {
        Err(LookError::Elsewhere)
    }

    fn read_file(&self, path: &Path, limit: u64) -> Result<Vec<u8>, LookError> {
        let real = self.tree.files.get(path).ok_or(LookError::Elsewhere)?;
        self.here.read_file(real, limit)
    }

    fn canonicalize(&self, path: &Path) -> Result<PathBuf, LookError> {
        self.lstat(path).map(|_| path.to_path_buf())
    }

    fn writable(&self, path: &Path) -> bool {
        self.elsewhere().writable(path)
    }

    fn env(&self, _: &str) -> Option<String> {
        None
    }

    fn env_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn home(&self, user: Option<&str>) -> Option<PathBuf> {
        self.elsewhere().home(user)
    }

    fn user(&self) -> String {
        String::new()
    }

    fn uid(&self) -> u32 {
        0
    }

    fn mounts(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn now(&self) -> SystemTime {
        self.here.now()
    }

    fn elapsed(&self) -> Duration {
        self.here.elapsed()
    }

    fn ask(&self, _: &Query, _: Duration) -> Result<Vec<u8>, LookError> {
        Err(LookError::Elsewhere)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    #[test]
    fn only_the_files_of_the_tree_are_there() {
        let here = MemoryWorld::new().file("/here/a/b.sh", "x").file("/here/other", "y").env("TOKEN", "z");
        let mut tree = Tree::new("/~/t");
        tree.add(Path::new("a/b.sh"), PathBuf::from("/here/a/b.sh"));
        tree.add(Path::new("a/c.sh"), PathBuf::from("/here/a/c.sh"));
        let world = Checkout { here: &here, tree: &tree };
        assert_eq!(world.read_file(Path::new("/~/t/a/b.sh"), 9), Ok(b"x".to_vec()));
        assert_eq!(world.lstat(Path::new("/~/t/a")).map(|meta| meta.kind), Ok(FileKind::Directory));
        for path in ["/here/other", "/~/t/other", "/etc"] {
            assert_eq!(world.stat(Path::new(path)), Err(LookError::Elsewhere), "{path}");
        }
        assert_eq!(world.env("TOKEN"), None);
        assert!(tree.has_below(Path::new("/~/t"), "", ".sh") && tree.has_below(Path::new("/~/t/a"), "b", ""));
        assert!(
            !tree.has_below(Path::new("/~/t/a"), "", ".log") && !tree.has_below(Path::new("/~/u"), "", "")
        );
    }
}
