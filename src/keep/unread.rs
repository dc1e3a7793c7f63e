//! Before a program that nobody can read: what is not committed in the working tree is set aside.
//!
//! Owns that this is bounded, and that the second time costs a look at each file: content that stands in the last such point as
//! the file still is comes from there, unread; where nothing changed since, that point is enough. What does not fit is
//! left out and named: the program runs all the same, and part is better than nothing. With it goes what the command names
//! outside of the working tree, and what the repository says of its branches, stashes and of what is staged.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Access, access};

use crate::evaluate::Evaluation;
use crate::evidence::{Budget as Looking, Session, Uncommitted, uncommitted};
use crate::model::Subject;
use crate::text::{count, size};
use crate::world::{Meta, Query};

use super::Keeping;
use super::files::{CannotKeep, Capture, Way, is_absent};
use super::git::with_parents;
use super::plan::is_open;
use super::point::{Content, Head, Item, Made, Was};
use super::store::Store;
use super::storing::HERE;

/// Entries of the working tree that are looked at.
const ENTRIES: usize = 20_000;
/// How long looking may take, and by when after the start it is over: agents do not wait for more.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(2), Duration::from_millis(2800));
/// Files that are read, and their bytes, at most.
const FRESH: (usize, u64) = (5_000, 128 << 20);
/// Newer points among which the last of this kind is looked for.
const BACK: usize = 16;
/// Where a repository keeps names of its own commits, and what they were before.
const NAMES_OF_COMMITS: [&str; 6] =
    ["refs/heads", "refs/tags", "refs/stash", "refs/notes", "logs/refs/heads", "logs/refs/stash"];
/// Files and bytes of it that are read, at most.
const STATE_FILES: usize = 500;
const STATE_BYTES: u64 = 16 << 20;
/// A file that changed so shortly before it was read may have changed again in the same tick of the clock.
const TICK: i64 = 50;

/// What came of it.
pub(super) enum Unread {
    /// It is in the capture; what is not, in words.
    Taken(Option<String>),
    /// The newest point holds it already, and nothing changed since.
    Same,
}

/// A file or link of an earlier point.
struct Then {
    item: Item,
    /// The walk has come to it, and found it as it was: it is not asked about again.
    met: Cell<bool>,
}

/// An earlier point of this place.
struct Earlier {
    head: Head,
    files: HashMap<PathBuf, Then>,
    dirs: HashSet<PathBuf>,
    /// It is the newest of all points, and of this session.
    newest: bool,
}

/// By what a file is known to be unchanged.
#[derive(Clone, Copy)]
struct Stamp {
    inode: u64,
    links: u64,
    size: u64,
    changed: (i64, u32),
}

impl From<&Metadata> for Stamp {
    fn from(meta: &Metadata) -> Self {
        let changed = (meta.ctime(), u32::try_from(meta.ctime_nsec()).unwrap_or(0));
        Self { inode: meta.ino(), links: meta.nlink(), size: meta.len(), changed }
    }
}

impl From<&Meta> for Stamp {
    fn from(meta: &Meta) -> Self {
        Self { inode: meta.id.1, links: meta.links, size: meta.size, changed: meta.changed }
    }
}

impl Earlier {
    fn find(store: &Store, keeping: &Keeping<'_>) -> Option<Self> {
        let names = store.names().ok()?;
        let (at, name) = names.iter().take(BACK).enumerate().find(|(_, name)| {
            store.head(name).is_ok_and(|head| {
                head.made == Made::ForUnread && head.cwd.0 == keeping.context.cwd && head.without.is_empty()
            })
        })?;
        let (head, items) = store.read_first(name).ok()?;
        let touched = |mark| store.is_marked(name, mark);
        let newest =
            at == 0 && head.session == keeping.session && !["undone", "underway"].into_iter().any(touched);
        let (mut files, mut dirs) = (HashMap::new(), HashSet::new());
        for item in items {
            match item.was {
                Was::File { .. } | Was::Link(_) => {
                    files.insert(item.path.0.clone(), Then { item, met: Cell::new(false) });
                }
                Was::Directory => drop(dirs.insert(item.path.0)),
                _ => {}
            }
        }
        Some(Self { files, dirs, head, newest })
    }

    /// The file as it was then, when it is as it was then.
    fn same(&self, path: &Path, now: Stamp) -> Option<&Item> {
        let Then { item, met } = self.files.get(path)?;
        let changed = now.changed.0.saturating_mul(1000).saturating_add(i64::from(now.changed.1 / 1_000_000));
        let Was::File { size, content, group: None, twin: None } = &item.was else { return None };
        let here = matches!(content, Content::Here(_) | Content::Stored(0, _) | Content::Packed(0, ..));
        let seen = Some((now.inode, now.changed.0, now.changed.1));
        let same = here
            && now.links == 1
            && now.size == *size
            && item.seen == seen
            && changed.saturating_add(TICK) < self.head.time;
        met.set(same);
        same.then_some(item)
    }

    /// The file that the walk met as it was then.
    fn met(&self, path: &Path) -> Option<&Item> {
        self.files.get(path).filter(|then| then.met.get()).map(|then| &then.item)
    }

    /// The file at a path is as it was then.
    fn has(&self, path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|meta| self.same(path, Stamp::from(&meta)).is_some())
    }

    /// A link that leads where it led then.
    fn is_same_link(&self, path: &Path) -> bool {
        let Some(Then { item: Item { was: Was::Link(target), .. }, .. }) = self.files.get(path) else {
            return false;
        };
        fs::read_link(path).is_ok_and(|now| now == target.0)
    }
}

/// Sets aside what is not committed here.
pub(super) fn set_aside(
    keeping: &Keeping<'_>,
    store: &Store,
    capture: &mut Capture,
    touched: &[PathBuf],
    alone: bool,
) -> Result<Unread, CannotKeep> {
    let earlier = Earlier::find(store, keeping);
    let Looked { mut found, whole } = look(keeping, touched, earlier.as_ref());
    let trees: Vec<PathBuf> = found.iter().map(|(top, _)| top.clone()).collect();
    found.extend(trees.iter().flat_map(|tree| state_of(tree, keeping, earlier.as_ref())));
    let (mut old, mut fresh): (Vec<&Item>, Vec<(u64, PathBuf)>) = (Vec::new(), Vec::new());
    let (mut empty, mut unreadable) = (Vec::new(), 0);
    let tops: Vec<PathBuf> = found.iter().map(|(top, _)| top.clone()).collect();
    let top = |path: &Path| tops.iter().rfind(|top| path.starts_with(top)).map(PathBuf::as_path);
    let mut seen = HashSet::new();
    for path in found.into_iter().flat_map(|(_, files)| files).filter(|path| seen.insert(path.clone())) {
        if let Some(item) = earlier.as_ref().and_then(|earlier| earlier.met(&path)) {
            old.push(item);
            continue;
        }
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if meta.is_dir() {
            empty.push(path);
            continue;
        }
        match earlier.as_ref().and_then(|earlier| earlier.same(&path, Stamp::from(&meta))) {
            Some(item) => old.push(item),
            // Nothing of what may not be read can be kept.
            None if meta.is_file() && access(&path, Access::READ_OK).is_err() => unreadable += 1,
            None => fresh.push((if meta.is_file() { meta.len() } else { 0 }, path)),
        }
    }
    if let Some(earlier) = earlier.as_ref().filter(|earlier| alone && whole && earlier.newest)
        && old.len() + fresh.len() == earlier.files.len()
        && fresh.iter().all(|(_, path)| earlier.is_same_link(path))
        && empty.iter().all(|dir| earlier.dirs.contains(dir))
        && unreadable == 0
    {
        return Ok(Unread::Same);
    }
    let without = bound(&mut fresh, capture.budget.items, whole, unreadable);
    let mut packs = HashMap::new();
    for item in old {
        if let Some(earlier) = &earlier {
            take(item, &earlier.head, &mut packs, capture);
        }
        // What could not be taken from there is read.
        still_there(with_parents(&item.path.0, top(&item.path.0), false, Way::Content, capture))?;
    }
    for path in fresh.into_iter().map(|(_, path)| path).chain(empty) {
        still_there(with_parents(&path, top(&path), false, Way::Content, capture))?;
    }
    Ok(Unread::Taken(without))
}

/// What somebody else took away since it was found is no reason to keep nothing.
fn still_there(done: Result<(), CannotKeep>) -> Result<(), CannotKeep> {
    match done {
        Err(CannotKeep::Io { source, .. }) if is_absent(&source) => Ok(()),
        done => done,
    }
}

/// What is nowhere else.
struct Looked {
    /// By the place that was looked at: the working tree, and what the command names outside of it.
    found: Vec<(PathBuf, Vec<PathBuf>)>,
    /// It is all of it.
    whole: bool,
}

/// What the command names, and the working trees in which it starts what nobody can read.
pub(super) fn places(evaluation: &Evaluation, keeping: &Keeping<'_>) -> Vec<PathBuf> {
    let session = Session::new();
    let unread = evaluation.assessments.iter().filter(|judged| is_open(judged, keeping.knowledge));
    let here = unread.map(|judged| &judged.mutation.context).filter(|context| context.host.is_none());
    let mut places: Vec<PathBuf> = Vec::new();
    for dir in here.flat_map(|context| &context.cwd).filter(|dir| **dir != keeping.context.cwd) {
        let top = match session.git().discover(keeping.world, dir) {
            Ok(Some(repo)) => repo.work_tree().map(Path::to_owned),
            _ => None,
        };
        let top = top.unwrap_or_else(|| dir.clone());
        if !places.contains(&top) {
            places.push(top);
        }
    }
    // What it writes into is not always a word of the command.
    let open = evaluation.assessments.iter().filter(|judged| is_open(judged, keeping.knowledge));
    let into = open.filter_map(|judged| match &judged.mutation.subject {
        Subject::Path(subject) => subject.path.as_known().map(PathBuf::from),
        _ => None,
    });
    places.extend(into);
    places.extend(evaluation.touched.iter().cloned());
    places
}

/// Looks at the working tree for what is not committed in it, and at the places outside of it that the command names.
fn look(keeping: &Keeping<'_>, touched: &[PathBuf], earlier: Option<&Earlier>) -> Looked {
    let known = |path: &Path, meta: &Meta| {
        earlier.is_some_and(|earlier| earlier.same(path, Stamp::from(meta)).is_some())
    };
    let time = PATIENCE.0.min(PATIENCE.1.saturating_sub(keeping.world.elapsed()));
    let mut session = Session::with_budget(Looking { time, ..Looking::default() });
    let top = match session.git().discover(keeping.world, &keeping.context.cwd) {
        Ok(Some(repo)) => repo.work_tree().map(Path::to_owned),
        _ => None,
    };
    let top = top.unwrap_or_else(|| keeping.context.cwd.clone());
    let within = with_foreign(uncommitted(&top, ENTRIES, &known, keeping.world, &mut session));
    let mut looked = Looked { found: vec![(top, within.files)], whole: within.whole };
    for place in touched.iter().filter_map(|place| fs::canonicalize(place).ok()) {
        let whole = looked.whole;
        let seen =
            |(top, _): &(PathBuf, Vec<PathBuf>)| place.starts_with(top) && whole || top.starts_with(&place);
        let Ok(meta) = fs::symlink_metadata(&place) else { continue };
        // What programs are installed in is not what they work on.
        if looked.found.iter().any(seen) || !(meta.is_dir() || meta.is_file()) || !is_ours(&place) {
            continue;
        }
        let below = if meta.is_dir() {
            with_foreign(uncommitted(&place, ENTRIES, &known, keeping.world, &mut session))
        } else {
            Uncommitted { files: vec![place.clone()], whole: true, ..Uncommitted::default() }
        };
        looked.whole &= below.whole;
        let itself = Some(place.clone()).filter(|_| meta.is_dir());
        looked.found.push((place, below.files.into_iter().chain(itself).collect()));
    }
    looked
}

/// Adds what stands under names that are no text.
fn with_foreign(mut found: Uncommitted) -> Uncommitted {
    for dir in found.foreign.iter().collect::<HashSet<_>>() {
        let entries = fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
        for path in entries.filter(|entry| entry.file_name().to_str().is_none()).map(|entry| entry.path()) {
            match files_below(&path) {
                Some(below) => found.files.extend(below),
                None => found.whole = false,
            }
        }
    }
    found
}

/// What a repository says of its branches, stashes and of what is staged, by the directory that it stands in. Only where it
/// is little: objects stay for a while when their names go.
fn state_of(tree: &Path, keeping: &Keeping<'_>, earlier: Option<&Earlier>) -> Vec<(PathBuf, Vec<PathBuf>)> {
    let session = Session::new();
    let Ok(Some(repo)) = session.git().discover(keeping.world, tree) else { return Vec::new() };
    let place = repo.place();
    let mut own = Vec::new();
    for (dir, name) in [(&place.git_dir, "index"), (&place.common_dir, "packed-refs")] {
        own.extend(Some(dir.join(name)).filter(|path| path.is_file()));
    }
    let log = place.git_dir.join("logs/HEAD");
    let index = place.git_dir.join("index");
    own.extend(Some(log.clone()).filter(|path| path.is_file()));
    for name in NAMES_OF_COMMITS {
        own.extend(files_below(&place.common_dir.join(name)).unwrap_or_default());
    }
    let staged = match earlier {
        _ if !index.is_file() => Vec::new(),
        // Neither what is staged nor what is committed changed: what was staged is among what was set aside.
        Some(earlier) if earlier.has(&index) && earlier.has(&log) => {
            let unmet = earlier.files.iter().filter(|(_, then)| !then.met.get()).map(|(path, _)| path);
            unmet.filter(|path| path.starts_with(tree) && path.is_file()).cloned().collect()
        }
        _ => staged(tree, keeping),
    };
    let bytes: u64 =
        own.iter().filter_map(|path| fs::symlink_metadata(path).ok()).map(|meta| meta.len()).sum();
    if bytes > STATE_BYTES {
        return Vec::new();
    }
    let (here, shared): (Vec<_>, Vec<_>) = own.into_iter().partition(|path| path.starts_with(&place.git_dir));
    [(tree.to_owned(), staged), (place.git_dir.clone(), here), (place.common_dir.clone(), shared)]
        .into_iter()
        .filter(|(_, files)| !files.is_empty())
        .collect()
}

/// Files whose content is staged and not committed: with what is staged it may go.
fn staged(tree: &Path, keeping: &Keeping<'_>) -> Vec<PathBuf> {
    let words = ["diff-index", "--cached", "--name-only", "--diff-filter=AM", "-z", "HEAD"];
    let query = Query::Git { dir: tree.to_owned(), arguments: words.map(str::to_owned).to_vec() };
    let left = PATIENCE.1.saturating_sub(keeping.world.elapsed());
    let said = keeping.world.ask(&query, left).unwrap_or_default();
    let names = said.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let names = names.take(STATE_FILES).map(|name| tree.join(OsStr::from_bytes(name)));
    names.filter(|path| path.is_file()).collect()
}

/// The files below a directory; `None` where there are many.
fn files_below(dir: &Path) -> Option<Vec<PathBuf>> {
    let (mut pending, mut found) = (vec![dir.to_owned()], Vec::new());
    while let Some(path) = pending.pop() {
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if meta.is_dir() {
            let entries = fs::read_dir(&path).ok()?;
            pending.extend(entries.filter_map(Result::ok).map(|entry| entry.path()));
        } else if meta.is_file() {
            found.push(path);
        }
        if pending.len() + found.len() > STATE_FILES {
            return None;
        }
    }
    Some(found)
}

/// Whether this user may change what stands there.
fn is_ours(place: &Path) -> bool {
    access(place, Access::WRITE_OK).is_ok() && !is_of_the_kernel(place)
}

/// Where no file stands that could be kept.
pub(super) fn is_of_the_kernel(place: &Path) -> bool {
    ["/dev", "/proc", "/sys"].iter().any(|dir| place.starts_with(dir))
}

/// Leaves out what is too much, the largest first; what that is, in words.
fn bound(fresh: &mut Vec<(u64, PathBuf)>, items: u64, whole: bool, unreadable: u64) -> Option<String> {
    fresh.sort_unstable();
    // Whoever asks for it waits for it.
    let asked = items == u64::MAX;
    let most = if asked { usize::MAX } else { FRESH.0.min(usize::try_from(items / 2).unwrap_or(usize::MAX)) };
    let mut room = if asked { u64::MAX } else { FRESH.1 };
    let fits = fresh.iter().take(most).take_while(|(bytes, _)| {
        let fits = *bytes <= room;
        room = room.saturating_sub(*bytes);
        fits
    });
    let fits = fits.count();
    let left = fresh.split_off(fits);
    match (left.len() as u64 + unreadable, whole) {
        (0, true) => None,
        (0, false) => Some("part of the working tree, which is too large to be looked at in time".to_owned()),
        (files, _) => {
            let bytes = left.iter().map(|(bytes, _)| bytes).sum();
            Some(format!("{} ({}) of the working tree", count(files, "file"), size(bytes)))
        }
    }
}

/// Takes a file's content from the earlier point, where that can be done.
fn take(item: &Item, from: &Head, packs: &mut HashMap<u32, u32>, capture: &mut Capture) {
    let Was::File { size, content, .. } = &item.was else { return };
    let mut shared = |number: u32, capture: &mut Capture| {
        if let Some(known) = packs.get(&number) {
            return Some(*known);
        }
        let folder = &from.folders.first()?.0;
        // Nobody writes into it any more, so both points may have it.
        let new = capture.folders.first_mut()?.link(&folder.join(number.to_string())).ok()?;
        packs.insert(number, new);
        Some(new)
    };
    let content = match content {
        Content::Here(text) if capture.here.saturating_add(*size) <= HERE => {
            capture.here += size;
            Some(Content::Here(text.clone()))
        }
        Content::Stored(0, number) => shared(*number, capture).map(|number| Content::Stored(0, number)),
        Content::Packed(0, number, at) => {
            shared(*number, capture).map(|number| Content::Packed(0, number, *at))
        }
        _ => None,
    };
    if let Some(content) = content {
        let was = Was::File { size: *size, content, group: None, twin: None };
        capture.items.insert(item.path.0.clone(), Item { was, ..item.clone() });
        capture.bytes += size;
    }
}
