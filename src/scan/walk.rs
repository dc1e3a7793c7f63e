//! The files of a tree that can run something: what git ignores is left out, links are not followed, and all is bounded.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::order;
use crate::world::{FileKind, LookError, Query, World};

use super::format::{Format, Named, format_of, named};

/// How much is looked at. What is beyond is said to be unread.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Names that are looked at.
    pub names: usize,
    /// Files that are read.
    pub files: usize,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files together.
    pub bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { names: 500_000, files: 20_000, file_bytes: 1 << 20, bytes: 256 << 20 }
    }
}

/// A file to be read.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name below the tree that it was found in, or as it was given.
    pub name: String,
    /// Its format.
    pub format: Format,
    /// Its text.
    pub text: String,
}

/// What a walk gave.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// In the order of their names.
    pub sources: Vec<Source>,
    /// Files and trees that were not read, and why.
    pub unread: Vec<(String, String)>,
    /// Every file of the trees, by its name and where it is read.
    pub names: Vec<(String, PathBuf)>,
    /// Bytes that were read.
    pub bytes: u64,
}

/// How long git may take to list the files of a tree.
const LISTING: Duration = Duration::from_secs(60);
/// Directories within each other deeper than this are not looked at.
const DEPTH: usize = 64;

/// Everything at these paths that can run something. `shown` is how a path is named.
pub fn walk(paths: &[(String, PathBuf)], bounds: Bounds, world: &dyn World) -> Walked {
    let mut walk = Walk { world, bounds, walked: Walked::default(), seen: Default::default(), full: false };
    for (shown, path) in paths {
        let prefix = if shown == "." { String::new() } else { shown.trim_end_matches('/').to_owned() };
        match world.stat(path).map(|meta| meta.kind) {
            Ok(FileKind::Directory) => walk.tree(&prefix, path),
            Ok(FileKind::File) => walk.file(shown, path, true),
            Ok(_) => walk.unread(shown, "it is neither a file nor a directory"),
            Err(error) => walk.unread(shown, error.to_string()),
        }
    }
    order::by(&mut walk.walked.sources, |a, b| a.name.cmp(&b.name));
    order::sort(&mut walk.walked.unread);
    walk.walked
}

struct Walk<'a> {
    world: &'a dyn World,
    bounds: Bounds,
    walked: Walked,
    seen: std::collections::BTreeSet<PathBuf>,
    /// More names than may be were met.
    full: bool,
}

impl Walk<'_> {
    fn unread(&mut self, name: &str, why: impl Into<String>) {
        self.walked.unread.push((name.to_owned(), why.into()));
    }

    /// A directory: what git lists of it, or all of it where git does not know it.
    fn tree(&mut self, prefix: &str, dir: &Path) {
        let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
        let query = Query::Git { dir: dir.to_owned(), arguments: arguments.map(str::to_owned).to_vec() };
        match self.world.ask(&query, LISTING) {
            Ok(listed) => {
                for name in listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
                    self.listed(prefix, dir, name);
                }
            }
            Err(LookError::Deadline | LookError::TooLarge) => {
                self.unread(join(prefix, ".").as_str(), "git did not list its files in time");
            }
            Err(_) => self.everything(prefix, dir, 0),
        }
    }

    fn listed(&mut self, prefix: &str, dir: &Path, name: &[u8]) {
        match std::str::from_utf8(name) {
            // Of a submodule git lists the directory alone; it has a list of its own.
            Ok(name) => {
                let path = dir.join(name);
                match self.world.lstat(&path).map(|meta| meta.kind) {
                    Ok(FileKind::Directory) => self.everything(&join(prefix, name), &path, 0),
                    Ok(FileKind::File) => self.file(&join(prefix, name), &path, false),
                    // A link leads to a file that is listed itself, or out of the tree; what is gone runs nothing.
                    _ => {}
                }
            }
            Err(_) => {
                let name = String::from_utf8_lossy(name).into_owned();
                self.unread(&join(prefix, &name), "its name is not valid UTF-8");
            }
        }
    }

    fn everything(&mut self, prefix: &str, dir: &Path, depth: usize) {
        if depth > DEPTH {
            return self.unread(prefix, "directories are nested too deep");
        }
        let entries = match self.world.read_dir(dir, self.bounds.names) {
            Ok(entries) => entries,
            Err(error) => return self.unread(prefix, error.to_string()),
        };
        for entry in entries {
            let name = join(prefix, &entry.name);
            match entry.kind {
                _ if entry.name == ".git" => {}
                _ if !entry.exact => self.unread(&name, "its name is not valid UTF-8"),
                FileKind::Directory => self.everything(&name, &dir.join(&entry.name), depth + 1),
                FileKind::File => self.file(&name, &dir.join(&entry.name), false),
                _ => {}
            }
        }
    }

    /// A file; one that was `given` by name is read whatever its name is.
    fn file(&mut self, name: &str, path: &Path, given: bool) {
        let told = named(name);
        if told == Named::Nothing && !given {
            self.count(name, path);
            return;
        }
        if !self.seen.insert(path.to_owned()) {
            return;
        }
        if !self.count(name, path) {
            return;
        }
        let left = self.bounds.bytes.saturating_sub(self.walked.bytes);
        let sure = matches!(told, Named::Is(_)) || given;
        if self.walked.sources.len() >= self.bounds.files || left == 0 {
            if sure {
                self.unread(name, "more files than are read in one scan");
            }
            return;
        }
        let bytes = match self.world.read_file(path, self.bounds.file_bytes.min(left)) {
            Ok(bytes) => bytes,
            Err(LookError::TooLarge) if !sure => return,
            Err(error) => return self.unread(name, error.to_string()),
        };
        self.walked.bytes += bytes.len() as u64;
        let Ok(text) = String::from_utf8(bytes) else {
            if sure {
                self.unread(name, "it is no text");
            }
            return;
        };
        if text.contains('\0') {
            if sure {
                self.unread(name, "it is no text");
            }
            return;
        }
        match format_of(name, &text) {
            Some(format) => self.walked.sources.push(Source { name: name.to_owned(), format, text }),
            None if given => self.unread(name, "it is of no format that is read"),
            None => {}
        }
    }

    /// Counts a name; false where there are too many.
    fn count(&mut self, name: &str, path: &Path) -> bool {
        if self.walked.names.len() >= self.bounds.names {
            if !self.full {
                self.unread(name, "more names than are looked at in one scan; this one and all behind it");
            }
            self.full = true;
            return false;
        }
        self.walked.names.push((name.to_owned(), path.to_owned()));
        true
    }
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") }
}
