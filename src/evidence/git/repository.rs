//! A repository on the machine: where it is, and how files of its working tree compare with its index.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::model::{Save, Saved};
use crate::world::git_dir::{self, Config, GitDir};
use crate::world::{FileKind, LookError, Meta, World};

use super::digest::{self, Format};
use super::index::{Index, IndexEntry};
use super::pathspec::Pathspecs;
use super::store::Store;

/// Largest index that is read, in bytes (about a million files).
const INDEX_LIMIT: u64 = 128 << 20;
/// Largest file that is hashed to compare it, in bytes.
const FILE_LIMIT: u64 = 32 << 20;
/// All that is hashed in one evaluation, in bytes.
const HASH_BUDGET: u64 = 128 << 20;

/// How a file's content stands to git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileStatus {
    /// Exactly as git's index has it, so git's object store holds the content (committed, or at least staged).
    Clean,
    /// Differs from the index, but the same content is an object in the store (stashed, staged before …).
    Stored,
    /// Tracked, and its content is in no object that was looked for: only here.
    Modified,
    /// Not tracked (ignored or not).
    Untracked,
    /// Part of the git directory itself.
    Internal,
    /// Could not be told; says why.
    Unseen(String),
}

/// Repositories looked at in one evaluation.
#[derive(Debug, Default)]
pub struct GitCache {
    by_directory: RefCell<BTreeMap<PathBuf, Option<Rc<GitRepo>>>>,
    opened: RefCell<BTreeMap<PathBuf, Rc<GitRepo>>>,
    done: RefCell<BTreeMap<PathBuf, Done>>,
    /// Acts that have put work into git where the mutation that is looked at runs.
    saves: RefCell<BTreeSet<Save>>,
}

/// What earlier steps of the same command did to a repository.
#[derive(Debug, Default, Clone)]
pub(super) struct Done {
    /// Settings that were written.
    pub(super) settings: Vec<(String, String)>,
    /// Refs came or moved: a revision that is not there now may be there then.
    pub(super) moved: bool,
    /// A fetch brought what the remotes have.
    pub(super) fetched: bool,
    /// The remotes that were; `None` for one that is not known, or all.
    pub(super) fetched_remotes: Vec<Option<String>>,
    /// From which remote, and which of its refs.
    pub(super) fetched_from: Option<(String, String)>,
    /// Stashes that it made.
    pub(super) stashed: usize,
    /// The reflogs were expired.
    pub(super) reflog_gone: bool,
    /// Branches that got another name: the new one, and the one they have now.
    pub(super) renamed: Vec<(String, String)>,
    /// Refs that went: full names.
    pub(super) gone: Vec<String>,
    /// What is reachable from no ref any more, in words.
    pub(super) dropped: Vec<String>,
    /// What only a reflog still reaches, in words.
    pub(super) in_reflog: Vec<String>,
    /// Content that was only in the working tree is, by this command, only in git.
    pub(super) only_saved: bool,
    /// Content that this command staged is in no commit or stash yet.
    pub(super) staged_here: bool,
    /// Files were staged anew: of those that were staged before, with other content, nothing names that any more.
    pub(super) restaged: bool,
    /// A commit or stash made by this command holds what was staged.
    pub(super) index_kept: bool,
    /// Paths whose content was put into git.
    pub(super) saved_paths: Vec<(Save, Pathspecs)>,
    /// Paths of which only what git knew before was put into git.
    pub(super) saved_tracked: Vec<(Save, Pathspecs)>,
    /// Paths whose content was put into git though git ignores them.
    pub(super) saved_ignored: Vec<(Save, Pathspecs)>,
    /// Commands that put the work of all files below a directory into git.
    pub(super) saved_below: Vec<(Save, PathBuf, Saved)>,
    /// Staged content was taken out of the index: it may be reachable from nothing any more.
    pub(super) unstaged: bool,
    /// The repository is made by the command itself.
    pub(super) made: bool,
    /// A working tree was unlocked.
    pub(super) unlocked: bool,
    /// Refs that pushes of this command set here (`None`: deleted), by their full names.
    pub(super) pushed: BTreeMap<String, Option<String>>,
}

impl Done {
    /// Only what these acts have put into git.
    pub(super) fn with(mut self, acts: &BTreeSet<Save>) -> Self {
        self.saved_paths.retain(|(act, _)| acts.contains(act));
        self.saved_tracked.retain(|(act, _)| acts.contains(act));
        self.saved_ignored.retain(|(act, _)| acts.contains(act));
        self.saved_below.retain(|(act, ..)| acts.contains(act));
        self
    }

    /// Notes that staged content is taken out of the index, if it is: what was only staged is in git by no name then.
    pub(super) fn unstage(&mut self, unstages: bool) {
        self.unstaged |= unstages;
        if unstages && self.staged_here {
            self.saved_paths.clear();
            self.saved_tracked.clear();
            self.saved_ignored.clear();
            self.saved_below.clear();
        }
    }
}

impl GitCache {
    /// The repository that `dir` (a directory; absolute, symbolic links resolved) belongs to: the nearest one above it,
    /// nested repositories, submodules and linked working trees being repositories of their own. Inside a git
    /// directory it is that one, without a working tree. Cheap when asked again.
    ///
    /// # Errors
    /// When a directory on the way could not be looked at.
    pub fn discover(&self, world: &dyn World, dir: &Path) -> Result<Option<Rc<GitRepo>>, LookError> {
        if let Some(known) = self.by_directory.borrow().get(dir) {
            return Ok(known.clone());
        }
        // A directory without `.git` or `HEAD` of its own belongs where its parent belongs.
        let own = world.lstat(&dir.join(".git")).is_ok() || world.lstat(&dir.join("HEAD")).is_ok();
        let found = match dir.parent() {
            Some(parent) if !own => self.discover(world, parent)?,
            _ => git_dir::locate(world, dir)?.map(|place| self.open(place)),
        };
        self.by_directory.borrow_mut().insert(dir.to_owned(), found.clone());
        Ok(found)
    }

    /// Says of a directory that it has neither `.git` nor `HEAD`, as a listing shows: it belongs where its parent belongs.
    pub(in crate::evidence) fn inherit(&self, dir: &Path) {
        let mut known = self.by_directory.borrow_mut();
        if let Some(above) = dir.parent().and_then(|parent| known.get(parent)).cloned() {
            known.entry(dir.to_owned()).or_insert(above);
        }
    }

    /// Tells which acts of the command have put work into git by the time of the next mutation.
    pub(in crate::evidence) fn tell_saves(&self, acts: &BTreeSet<Save>) {
        self.saves.borrow_mut().clone_from(acts);
    }

    /// Those acts.
    pub(super) fn saves(&self) -> BTreeSet<Save> {
        self.saves.borrow().clone()
    }

    /// Settings that earlier steps of the command wrote.
    pub(super) fn settings(&self, common_dir: &Path) -> Vec<(String, String)> {
        self.done(common_dir).settings
    }

    /// Whether earlier steps of the command made or moved refs.
    pub(super) fn moved(&self, common_dir: &Path) -> bool {
        self.done(common_dir).moved
    }

    /// Whether a revision may by then be another one than it is now.
    pub(in crate::evidence) fn in_motion(&self, common_dir: &Path) -> bool {
        let done = self.done(common_dir);
        done.moved || done.fetched
    }

    /// Whether earlier steps of the command unlocked a working tree.
    pub(in crate::evidence) fn unlocks(&self, common_dir: &Path) -> bool {
        self.done(common_dir).unlocked
    }

    /// What earlier steps of the command did to the repository.
    pub(super) fn done(&self, common_dir: &Path) -> Done {
        self.done.borrow().get(common_dir).cloned().unwrap_or_default()
    }

    /// Records what a step does to the repository.
    pub(super) fn note(&self, common_dir: &Path, note: impl FnOnce(&mut Done)) {
        note(self.done.borrow_mut().entry(common_dir.to_owned()).or_default());
    }

    /// The repository at a place that is known already.
    pub fn open(&self, place: GitDir) -> Rc<GitRepo> {
        let mut opened = self.opened.borrow_mut();
        if let Some(known) = opened.get(&place.git_dir)
            && known.place == place
        {
            return Rc::clone(known);
        }
        let repo = Rc::new(GitRepo::new(place.clone()));
        opened.insert(place.git_dir, Rc::clone(&repo));
        repo
    }
}

/// One repository with one working tree (or none).
#[derive(Debug)]
pub struct GitRepo {
    place: GitDir,
    index: OnceCell<Result<LoadedIndex, String>>,
    config: OnceCell<Config>,
    store: Store,
    last: Cell<usize>,
    hashed: Cell<u64>,
}

#[derive(Debug)]
pub(super) struct LoadedIndex {
    pub(super) index: Index,
    /// When the index file was written: entries not older may have changed since without a sign.
    pub(super) written: (i64, u32),
}

/// What of a normalised path lies below a directory: `Path::strip_prefix` without taking both apart, which counts when
/// tens of thousands of files are looked at.
fn below<'p>(path: &'p Path, top: &Path) -> Option<&'p [u8]> {
    let (path, top) = (path.as_os_str().as_bytes(), top.as_os_str().as_bytes());
    let rest = path.strip_prefix(top)?;
    match rest.split_first() {
        None => Some(rest),
        Some((b'/', inner)) => Some(inner),
        Some(_) if top.ends_with(b"/") => Some(rest),
        Some(_) => None,
    }
}

impl GitRepo {
    fn new(place: GitDir) -> Self {
        Self {
            place,
            index: OnceCell::new(),
            config: OnceCell::new(),
            store: Store::default(),
            last: Cell::new(0),
            hashed: Cell::new(0),
        }
    }

    /// Where its parts are.
    pub fn place(&self) -> &GitDir {
        &self.place
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Top of the working tree; `None` when bare.
    pub fn work_tree(&self) -> Option<&Path> {
        self.place.work_tree.as_deref()
    }

    /// Whether a path is the git directory or below it.
    pub fn is_internal(&self, path: &Path) -> bool {
        below(path, &self.place.git_dir).is_some()
            || below(path, &self.place.common_dir).is_some()
            || self
                .relative(path)
                .and_then(|inner| inner.strip_prefix(b".git"))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    }

    /// Its configuration with the system's and the user's, read as text.
    pub fn config(&self, world: &dyn World) -> &Config {
        self.config.get_or_init(|| Config::load(world, Some(&self.place)))
    }

    pub(super) fn format(&self, world: &dyn World) -> Format {
        match self.config(world).get("extensions.objectFormat") {
            Some("sha256") => Format::Sha256,
            _ => Format::Sha1,
        }
    }

    pub(super) fn loaded(&self, world: &dyn World) -> Result<&LoadedIndex, String> {
        self.index.get_or_init(|| self.load(world)).as_ref().map_err(Clone::clone)
    }

    fn load(&self, world: &dyn World) -> Result<LoadedIndex, String> {
        let path = self.place.git_dir.join("index");
        let format = self.format(world);
        let meta = match world.stat(&path) {
            Ok(meta) => meta,
            Err(LookError::NotFound) => {
                return Ok(LoadedIndex { index: Index::empty(format), written: (0, 0) });
            }
            Err(error) => return Err(format!("{} could not be looked at: {error}", path.display())),
        };
        let data = world
            .read_file(&path, INDEX_LIMIT)
            .map_err(|error| format!("{} could not be read: {error}", path.display()))?;
        let index = Index::parse(&data, format).map_err(|reason| format!("{}: {reason}", path.display()))?;
        Ok(LoadedIndex { index, written: meta.modified })
    }

    /// The index.
    ///
    /// # Errors
    /// In words, when it cannot be read or makes no sense: nothing may then be taken for tracked.
    pub(super) fn index(&self, world: &dyn World) -> Result<&Index, String> {
        self.loaded(world).map(|loaded| &loaded.index)
    }

    /// Path relative to the top of the working tree, as bytes; `None` outside of it.
    pub(super) fn relative<'p>(&self, path: &'p Path) -> Option<&'p [u8]> {
        let top = self.work_tree()?;
        below(path, top).or_else(|| path.strip_prefix(top).ok().map(|rest| rest.as_os_str().as_bytes()))
    }

    /// How the file at `path` (absolute, no symbolic link above its last component, `meta` from `lstat`) stands to git.
    /// Reads the file only when its times do not prove it unchanged.
    pub fn classify(&self, world: &dyn World, path: &Path, meta: &Meta) -> FileStatus {
        if self.is_internal(path) {
            return FileStatus::Internal;
        }
        let Some(relative) = self.relative(path) else { return FileStatus::Untracked };
        let loaded = match self.loaded(world) {
            Ok(loaded) => loaded,
            Err(reason) => return FileStatus::Unseen(reason),
        };
        let Some(position) = loaded.index.find(relative, self.last.get()) else {
            return FileStatus::Untracked;
        };
        self.last.set(position);
        match loaded.index.entries().get(position) {
            Some(entry) => self.compare(world, path, meta, entry),
            None => FileStatus::Untracked,
        }
    }

    /// Whether a path is a tracked file or holds some.
    ///
    /// # Errors
    /// As [`FileStatus::Unseen`].
    pub(in crate::evidence) fn tracks(&self, world: &dyn World, path: &Path) -> Result<bool, String> {
        let path = git_dir::named(world, path).map_err(|error| error.to_string())?;
        let Some(relative) = self.relative(&path) else { return Ok(false) };
        let index = self.index(world)?;
        Ok(index.find(relative, 0).is_some() || !index.below(relative).is_empty())
    }

    /// How many tracked files lie at or below a directory of the working tree.
    ///
    /// # Errors
    /// As [`FileStatus::Unseen`].
    pub fn tracked_below(&self, world: &dyn World, dir: &Path) -> Result<usize, String> {
        let Some(relative) = self.relative(dir) else { return Ok(0) };
        Ok(self.index(world)?.below(relative).len())
    }

    /// Whether git itself takes the file for unchanged, by its size and times.
    pub(super) fn unchanged(&self, world: &dyn World, meta: &Meta, entry: &IndexEntry) -> bool {
        let written = self.loaded(world).map(|loaded| loaded.written);
        entry.stage == 0
            && !entry.intent_to_add
            && written.is_ok_and(|written| proves_unchanged(meta, entry, written))
    }

    /// Compares what stands on disk with an entry of the index.
    pub(super) fn compare(
        &self,
        world: &dyn World,
        path: &Path,
        meta: &Meta,
        entry: &IndexEntry,
    ) -> FileStatus {
        let loaded = match self.loaded(world) {
            Ok(loaded) => loaded,
            Err(reason) => return FileStatus::Unseen(reason),
        };
        let recorded = loaded.index.id(entry);
        let unchanged = self.unchanged(world, meta, entry);
        let gone = meta.size > 0 && entry.mode >> 12 != 0o16 && !self.holds(world, recorded);
        // Behind a filter git says that a file is unchanged while it keeps something else.
        let filtered = unchanged && self.filters(world, &loaded.index);
        if unchanged && !gone && !filtered {
            return FileStatus::Clean;
        }
        let id = match self.content_ids(world, path, meta) {
            Ok(ids) => ids,
            Err(reason) => return FileStatus::Unseen(reason),
        };
        let recorded =
            entry.stage == 0 && !entry.intent_to_add && !gone && id.iter().any(|id| id == recorded);
        let in_large_files = || {
            filtered
                && world.read_file(path, FILE_LIMIT).is_ok_and(|bytes| self.in_large_files(world, &bytes))
        };
        if recorded || in_large_files() {
            FileStatus::Clean
        } else if meta.size == 0 || id.iter().any(|id| self.has_loose_object(world, id)) {
            FileStatus::Stored
        } else {
            FileStatus::Modified
        }
    }

    /// Whether an untracked (or changed) file's content is an object of the store all the same.
    pub fn stores_content(&self, world: &dyn World, path: &Path, meta: &Meta) -> bool {
        self.content_ids(world, path, meta)
            .is_ok_and(|ids| ids.iter().any(|id| self.has_loose_object(world, id)))
    }

    /// Ids that git may give the content: as it is, and with line endings brought to LF.
    pub(super) fn content_ids(
        &self,
        world: &dyn World,
        path: &Path,
        meta: &Meta,
    ) -> Result<Vec<Vec<u8>>, String> {
        let format = self.format(world);
        match meta.kind {
            FileKind::Symlink => {
                let target = world.read_link(path).map_err(|e| format!("{}: {e}", path.display()))?;
                Ok(vec![digest::blob(format, target.as_os_str().as_bytes())])
            }
            FileKind::File => {
                let spent = self.hashed.get().saturating_add(meta.size);
                if meta.size > FILE_LIMIT || spent > HASH_BUDGET {
                    return Err(format!("{} is too large to be compared with git", path.display()));
                }
                self.hashed.set(spent);
                let content = world
                    .read_file(path, FILE_LIMIT)
                    .map_err(|e| format!("{} could not be read: {e}", path.display()))?;
                let mut ids = vec![digest::blob(format, &content)];
                if content.windows(2).any(|pair| pair == b"\r\n") {
                    ids.push(digest::blob(format, &without_carriage_returns(&content)));
                }
                Ok(ids)
            }
            // A submodule's directory, or something that took a file's place.
            _ => Ok(Vec::new()),
        }
    }

    /// Whether the object store has this object as a file of its own.
    pub(super) fn has_loose_object(&self, world: &dyn World, id: &[u8]) -> bool {
        self.has_loose_hex(world, &digest::hex(id))
    }

    /// The same for an id in hexadecimal.
    pub(super) fn has_loose_hex(&self, world: &dyn World, hex: &str) -> bool {
        let (dir, name) = hex.split_at(2.min(hex.len()));
        world.lstat(&self.place.common_dir.join("objects").join(dir).join(name)).is_ok()
    }
}

/// Git's own test: same kind, size, times and inode, and last touched before the index was written.
pub(super) fn proves_unchanged(meta: &Meta, entry: &IndexEntry, written: (i64, u32)) -> bool {
    let kind = match entry.mode >> 12 {
        0o10 => FileKind::File,
        0o12 => FileKind::Symlink,
        // Only whether the submodule's directory is there; its content is a repository of its own.
        0o16 => return meta.kind == FileKind::Directory,
        _ => return false,
    };
    let same_time =
        |seen: (i64, u32), known: (u32, u32)| seen.0 as u32 == known.0 && (known.1 == 0 || seen.1 == known.1);
    let racy = (entry.mtime.0, entry.mtime.1) >= (written.0 as u32, written.1);
    meta.kind == kind
        && meta.size as u32 == entry.size
        && same_time(meta.modified, entry.mtime)
        && same_time(meta.changed, entry.ctime)
        && (entry.inode == 0 || meta.id.1 as u32 == entry.inode)
        && !racy
}

fn without_carriage_returns(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len());
    for (index, byte) in content.iter().enumerate() {
        if !(*byte == b'\r' && content.get(index + 1) == Some(&b'\n')) {
            out.push(*byte);
        }
    }
    out
}

#[cfg(test)]
mod tests;
