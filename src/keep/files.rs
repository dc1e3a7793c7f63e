//! Which things are set aside, and what it may cost: everything is looked at and counted first, and stored only when it fits.
//!
//! Owns what of a thing is noted (mode, owner, times, attributes, which names are one file). How content is stored is
//! `storing`'s. Never follows a symbolic link, and never gives a kept file more rights than it had.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::attributes::{self, Led};
use super::content::Folder;
use super::point::{Content, Head, Item, Name, Was};
use super::progress::Progress;

/// Names in a directory beside what is set aside, beyond which its time is not kept: listing it would cost more.
const AROUND: usize = 4096;
/// What the names of an undo under way begin with.
pub(crate) const UNDER_WAY: &str = ".recourse-undo-";

/// How a thing is about to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// Its mode, owner or attributes: the content stays.
    Rights,
    /// Its name goes, or leads to something else: nobody writes into the file itself.
    Name,
    /// Its content may be written over.
    Content,
}

/// Why something cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum CannotKeep {
    /// The system refused.
    #[error("{}: {source}", super::store::shown(path))]
    Io {
        /// What.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A device, a socket.
    #[error("{} is {what}, which cannot be set aside", super::store::shown(path))]
    Sort {
        /// What.
        path: PathBuf,
        /// "a device".
        what: &'static str,
    },
    /// More than the policy allows for one command.
    #[error("it is more than {0}, the most that is kept for one command (policy [keep])")]
    TooMuch(String),
    /// The disk would be too full.
    #[error("less than {0} % of the disk would stay free")]
    Full(u64),
    /// Not all of it could be looked at in time.
    #[error("not all of {} could be looked at", super::store::shown(.0))]
    Unread(PathBuf),
    /// What is reached cannot be told.
    #[error("{0}")]
    Untold(String),
    /// It would take the store itself away.
    #[error("{} holds the store of what is kept", super::store::shown(.0))]
    OwnStore(PathBuf),
}

/// What may be spent on one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Things, directories included.
    pub items: u64,
    /// Bytes that are copied.
    pub copied: u64,
    /// Part of the disk that stays free, in percent.
    pub free: u64,
}

/// What a file system may be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ability {
    Link,
    Share,
}

/// A file whose content waits to be stored.
#[derive(Debug)]
pub(super) struct Waiting {
    pub path: PathBuf,
    pub way: Way,
    pub size: u64,
    /// Bytes that it takes on the disk, without holes.
    pub taken: u64,
    /// Device and number.
    pub id: (u64, u64),
    /// How many names it has.
    pub names: u64,
}

/// Sets things aside, one after the other, into one point.
pub struct Capture {
    /// The store, which is never put into itself.
    pub(super) store: PathBuf,
    /// The folder's place in a store: also in those on other file systems.
    pub(super) place: PathBuf,
    pub(super) budget: Budget,
    /// What was set aside, by path.
    pub items: BTreeMap<PathBuf, Item>,
    /// Directories in which something was set aside; none of those that hold too much to be looked at again each time.
    around: BTreeMap<PathBuf, Option<Item>>,
    /// Files with several names: the group, by device and number.
    groups: HashMap<(u64, u64), u32>,
    pub(super) waiting: Vec<Waiting>,
    /// Of those whose names go: what is written over before that.
    pub(super) rewritten: HashSet<PathBuf>,
    /// Where content goes; the first is in the store, the others on other file systems.
    pub(super) folders: Vec<Folder>,
    /// Which of the folders is on a device.
    pub(super) devices: HashMap<u64, usize>,
    /// Whether a device's file system shares content, and gives files a further name in the folder; once tried.
    pub(super) abilities: HashMap<(u64, Ability), bool>,
    /// Bytes of content.
    pub bytes: u64,
    /// Bytes that were copied.
    pub copied: u64,
    /// Bytes of content that stand in the point's own file.
    pub(super) here: u64,
    left_out: BTreeSet<PathBuf>,
    /// The list of files that have a name in the store, as long as names are given.
    pub(super) noted: Option<fs::File>,
    /// Tells whoever waits.
    pub(crate) progress: Progress,
}

impl Capture {
    /// Into this folder, which need not be there yet.
    pub fn new(folder: PathBuf, store: &Path, budget: Budget) -> Self {
        let device = fs::symlink_metadata(store).map(|meta| meta.dev());
        Self {
            store: store.to_owned(),
            place: folder.strip_prefix(store).map_or_else(|_| folder.clone(), Path::to_owned),
            budget,
            items: BTreeMap::new(),
            around: BTreeMap::new(),
            groups: HashMap::new(),
            waiting: Vec::new(),
            rewritten: HashSet::new(),
            folders: vec![Folder::new(folder)],
            devices: device.map(|device| (device, 0)).into_iter().collect(),
            abilities: HashMap::new(),
            bytes: 0,
            copied: 0,
            here: 0,
            left_out: BTreeSet::new(),
            noted: None,
            progress: Progress::default(),
        }
    }

    /// Leaves out what stands at or below a path.
    pub fn leave_out(&mut self, path: &Path) {
        self.left_out.insert(path.to_owned());
    }

    /// Sets aside what stands at a path, and with `below` everything below it. Nothing there is nothing to do.
    /// Content is stored by [`Capture::sync`].
    ///
    /// # Errors
    /// When it cannot be kept whole.
    pub fn add(&mut self, path: &Path, below: bool, way: Way) -> Result<(), CannotKeep> {
        if self.store.starts_with(path) && (below || path == self.store) {
            return Err(CannotKeep::OwnStore(path.to_owned()));
        }
        let meta = match fs::symlink_metadata(path) {
            Ok(meta) => meta,
            Err(error) if is_absent(&error) => return Ok(()),
            Err(source) => return Err(io(path, source)),
        };
        // Only where names go does a directory change.
        if way == Way::Name {
            self.around(path);
        }
        let mut pending = vec![(path.to_owned(), meta)];
        while let Some((path, meta)) = pending.pop() {
            if self.left_out.contains(&path) || path.starts_with(&self.store) {
                continue;
            }
            match self.items.get_mut(&path) {
                None => self.one(&path, &meta, way)?,
                Some(item) => {
                    item.beside = false;
                    if way == Way::Content {
                        self.rewritten.insert(path.clone());
                    }
                }
            }
            if meta.is_dir() && below {
                self.entries(&path, &mut pending)?;
            }
        }
        Ok(())
    }

    /// What stands in a directory.
    fn entries(&mut self, dir: &Path, into: &mut Vec<(PathBuf, Metadata)>) -> Result<(), CannotKeep> {
        let mut names = Vec::new();
        for entry in fs::read_dir(dir).map_err(|source| io(dir, source))? {
            let entry = entry.map_err(|source| io(dir, source))?;
            names.push(entry.file_name());
            match entry.metadata() {
                Ok(meta) => into.push((entry.path(), meta)),
                Err(error) if is_absent(&error) => {}
                Err(source) => return Err(io(&entry.path(), source)),
            }
            if (self.items.len() + into.len()) as u64 > self.budget.items {
                return Err(self.too_many());
            }
        }
        if let Some(item) = self.items.get_mut(dir) {
            item.names = Some(told(names));
        }
        Ok(())
    }

    /// Notes the time of the directory that something stands in.
    fn around(&mut self, path: &Path) {
        let Some(dir) = path.parent() else { return };
        if self.around.contains_key(dir) {
            return;
        }
        // What cannot be looked at keeps the time that it gets.
        let Ok(meta) = fs::symlink_metadata(dir) else { return };
        let item =
            names(dir).map(|names| Item { names: Some(names), ..noted(dir, &meta, Was::Around, Vec::new()) });
        self.around.insert(dir.to_owned(), item);
    }

    /// Sets aside what is said about a thing whose content stays: mode, owner, attributes and, of anything but a directory,
    /// its time.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn about(&mut self, path: &Path) -> Result<(), CannotKeep> {
        let meta = fs::symlink_metadata(path).map_err(|source| io(path, source))?;
        let was = if meta.is_dir() { Was::Rights } else { Was::RightsAndTime };
        if self.items.contains_key(path) { Ok(()) } else { self.insert(path, &meta, was) }
    }

    /// What stood at and below a path earlier is put by, so that something else can be set aside under that name.
    pub(super) fn put_by(&mut self, path: &Path) -> Vec<Item> {
        let below: Vec<PathBuf> = self
            .items
            .range(path.to_owned()..)
            .map(|(kept, _)| kept)
            .take_while(|kept| kept.starts_with(path))
            .cloned()
            .collect();
        below.iter().filter_map(|kept| self.items.remove(kept)).collect()
    }

    /// The group of files with several names that these are one of, by device and number.
    pub(super) fn group(&mut self, id: (u64, u64)) -> u32 {
        let known = self.groups.len();
        *self.groups.entry(id).or_insert_with(|| u32::try_from(known).unwrap_or(u32::MAX))
    }

    /// What was set aside at and below a path is called otherwise: as it was before it came there.
    pub(super) fn call(&mut self, path: &Path, name: &Path) {
        let there = |kept: &Path| kept.strip_prefix(path).ok().map(Path::to_owned);
        let below: Vec<(PathBuf, PathBuf)> =
            self.items.keys().filter_map(|kept| Some((kept.clone(), there(kept)?))).collect();
        for (kept, rest) in below {
            if let Some(item) = self.items.remove(&kept) {
                let path = if rest.as_os_str().is_empty() { name.to_owned() } else { name.join(rest) };
                self.items.entry(path.clone()).or_insert(Item { path: Name(path), ..item });
            }
        }
    }

    /// Sets aside that nothing stands at a path.
    pub fn absent(&mut self, path: &Path) {
        self.around(path);
        self.items.entry(path.to_owned()).or_insert_with(|| Item::absent(path));
    }

    /// Puts content that was made for this (a consistent copy of a database) in the place of a file's own.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn add_made(
        &mut self,
        path: &Path,
        made: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<(), CannotKeep> {
        let meta = fs::symlink_metadata(path).map_err(|source| io(path, source))?;
        self.around(path);
        let (target, number) = self.folders[0].next().map_err(|source| io(path, source))?;
        made(&target).map_err(|source| io(path, source))?;
        let size = fs::symlink_metadata(&target).map_err(|source| io(path, source))?.len();
        self.spend(size)?;
        self.folders[0].written(target);
        self.bytes += size;
        let was = Was::File { size, content: Content::Stored(0, number), group: None, twin: None };
        self.insert(path, &meta, was)
    }

    fn one(&mut self, path: &Path, meta: &Metadata, way: Way) -> Result<(), CannotKeep> {
        if self.items.len() as u64 >= self.budget.items {
            return Err(self.too_many());
        }
        let kind = meta.file_type();
        let was = if way == Way::Rights && !kind.is_symlink() {
            Was::Rights
        } else if kind.is_dir() {
            Was::Directory
        } else if kind.is_symlink() {
            Was::Link(Name(fs::read_link(path).map_err(|source| io(path, source))?))
        } else if kind.is_fifo() {
            Was::Pipe
        } else if kind.is_file() {
            self.file(path, meta, way)
        } else if kind.is_socket() {
            // Whoever listened there makes a new one; nothing stands in it.
            return Ok(());
        } else if way == Way::Content {
            // Only its name goes at most: what is written to it is another's.
            return Err(CannotKeep::Sort { path: path.to_owned(), what: "a device" });
        } else {
            Was::Device { blocks: kind.is_block_device(), number: meta.rdev() }
        };
        self.insert(path, meta, was)
    }

    fn insert(&mut self, path: &Path, meta: &Metadata, was: Was) -> Result<(), CannotKeep> {
        let attributes = attributes::read(path, Led::Here, meta).map_err(|source| io(path, source))?;
        self.items.insert(path.to_owned(), noted(path, meta, was, attributes));
        Ok(())
    }

    /// A file, whose content waits.
    fn file(&mut self, path: &Path, meta: &Metadata, way: Way) -> Was {
        let id = (meta.dev(), meta.ino());
        let known = self.groups.len();
        let group = (meta.nlink() > 1)
            .then(|| *self.groups.entry(id).or_insert_with(|| u32::try_from(known).unwrap_or(u32::MAX)));
        if group.is_none_or(|_| self.groups.len() > known) {
            self.bytes += meta.len();
        }
        self.waiting.push(Waiting {
            path: path.to_owned(),
            way,
            size: meta.len(),
            taken: meta.blocks().saturating_mul(512).min(meta.len()),
            id,
            names: meta.nlink(),
        });
        Was::File { size: meta.len(), content: Content::Here(String::new()), group, twin: None }
    }

    /// Stores all content and brings all of it to the disk. Only then may what it was kept from run.
    ///
    /// # Errors
    /// When it does not fit, or the disk refuses.
    pub fn sync(&mut self) -> Result<(), CannotKeep> {
        self.flush()?;
        if !self.items.is_empty() {
            for (path, item) in std::mem::take(&mut self.around) {
                if let Some(item) = item {
                    self.items.entry(path).or_insert(item);
                }
            }
        }
        Ok(())
    }

    /// Stores the content of what was set aside so far, and brings it to the disk. More may come.
    ///
    /// # Errors
    /// When it does not fit, or the disk refuses.
    pub(super) fn flush(&mut self) -> Result<(), CannotKeep> {
        self.store_all()?;
        self.noted = None;
        for folder in &mut self.folders {
            folder.sync().map_err(|source| io(&folder.path, source))?;
        }
        Ok(())
    }

    /// All that was set aside so far, with the directories that it stood in.
    pub(super) fn all(&self) -> Vec<Item> {
        let around = self.around.iter().filter(|(path, _)| !self.items.contains_key(*path));
        self.items.values().chain(around.filter_map(|(_, item)| item.as_ref())).cloned().collect()
    }

    /// Takes away all that was stored.
    pub fn clear(&self) {
        for folder in self.folders.iter().filter(|folder| folder.is_used()) {
            // What stays is swept away later.
            let _ = fs::remove_dir_all(&folder.path);
        }
    }

    /// The folders that content stands in.
    pub fn folders(&self) -> Vec<Name> {
        let used = self.folders.iter().rposition(Folder::is_used).map_or(0, |last| last + 1);
        self.folders.iter().take(used).map(|folder| Name(folder.path.clone())).collect()
    }

    /// A point's head with what it says of all this, which is called so.
    pub(super) fn told_in(&self, head: Head, what: String) -> Head {
        let files = self.items.values().filter(|item| matches!(item.was, Was::File { .. })).count() as u64;
        Head { what, files, bytes: self.bytes, copied: self.copied, folders: self.folders(), ..head }
    }

    fn too_many(&self) -> CannotKeep {
        CannotKeep::TooMuch(crate::text::count(self.budget.items, "file"))
    }
}

/// What is told of a thing without content: a directory, a link, a pipe, an empty file. None: it is none of these, or cannot be
/// looked at.
pub(super) fn without_content(path: &Path, meta: &Metadata) -> Option<Item> {
    let kind = meta.file_type();
    let was = if kind.is_dir() {
        Was::Directory
    } else if kind.is_symlink() {
        Was::Link(Name(fs::read_link(path).ok()?))
    } else if kind.is_fifo() {
        Was::Pipe
    } else if kind.is_file() && meta.len() == 0 {
        Was::File { size: 0, content: Content::Here(String::new()), group: None, twin: None }
    } else {
        return None;
    };
    Some(noted(path, meta, was, attributes::read(path, Led::Here, meta).ok()?))
}

/// What is told of a thing's mode and owner.
pub(super) fn rights(path: &Path, meta: &Metadata) -> Option<Item> {
    let was = if meta.is_dir() { Was::Rights } else { Was::RightsAndTime };
    Some(noted(path, meta, was, attributes::read(path, Led::Here, meta).ok()?))
}

fn noted(path: &Path, meta: &Metadata, was: Was, attributes: Vec<(String, String)>) -> Item {
    Item {
        was,
        mode: meta.mode() & 0o7777,
        owner: (meta.uid(), meta.gid()),
        modified: (meta.mtime(), u32::try_from(meta.mtime_nsec()).unwrap_or(0)),
        attributes,
        ..Item::absent(path)
    }
}

/// What tells the names in a directory from others; none where it cannot be listed, or holds too many.
pub(crate) fn names(dir: &Path) -> Option<String> {
    let names: Result<Vec<OsString>, io::Error> =
        fs::read_dir(dir).ok()?.take(AROUND + 1).map(|entry| entry.map(|entry| entry.file_name())).collect();
    names.ok().filter(|names| names.len() <= AROUND).map(told)
}

fn told(mut names: Vec<OsString>) -> String {
    names.retain(|name| !name.as_bytes().starts_with(UNDER_WAY.as_bytes()));
    names.sort_unstable();
    let mut hash = Sha256::new();
    for name in names {
        hash.update(name.as_bytes());
        hash.update([0]);
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

pub(super) fn io(path: &Path, source: io::Error) -> CannotKeep {
    CannotKeep::Io { path: path.to_owned(), source }
}
