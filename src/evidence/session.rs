//! What probes of one evaluation share: budgets, and what was already found.

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use crate::world::{Entry, LookError, Meta, World};

use super::archive::Packed;
use super::git::GitCache;
use super::path::{Alike, MadeAgain, Named, Places, Records, named_places};
use super::surroundings;

/// A directory's entries with what `lstat` tells of each.
pub(super) type Listing = Rc<Vec<(Entry, Result<Meta, LookError>)>>;

/// What one evaluation may spend on looking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Directory entries that may be looked at.
    pub entries: usize,
    /// Bytes of file content that may be read.
    pub bytes: u64,
    /// Time for all probes together, counted from the first.
    pub time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self { entries: 200_000, bytes: 64 << 20, time: Duration::from_secs(2) }
    }
}

/// Directory entries that are looked at, in all, in places whose loss is certain to be terrible: they only illustrate it.
const CERTAIN_LIMIT: usize = 250;

/// Longest list of files with a name in the store of recovery points, in bytes.
const NAMES_KEPT_LIMIT: u64 = 16 << 20;

/// Names that are read, in all, in what tools make again.
const NAMES_LIMIT: usize = 1_000_000;

/// Caches and budgets of one evaluation.
#[derive(Debug, Default)]
pub struct Session {
    budget: Budget,
    start: Option<Duration>,
    entries: usize,
    /// Of those, the ones in places whose loss is certain to be terrible.
    certain: usize,
    bytes: u64,
    /// Files that earlier mutations destroy, by place.
    destroyed: BTreeSet<PathBuf>,
    /// Names of files with several names that this evaluation destroys, by file.
    names: HashMap<(u64, u64), BTreeSet<PathBuf>>,
    /// Names that files have in the store of recovery points, by file, once somebody asks.
    kept: Option<Option<HashMap<(u64, u64), u64>>>,
    /// Names that files have in temporary directories, by file, once somebody asks; none: not all were looked at.
    pub(super) fleeting: Option<Option<HashMap<(u64, u64), u64>>>,
    /// An earlier mutation may have changed rights or what is mounted: a lack of rights protects nothing any more.
    rights_changed: bool,
    git: Rc<GitCache>,
    places: Option<Rc<Places>>,
    /// Places that the command's words name, and what is known of them once somebody asks.
    words: Vec<PathBuf>,
    named: Option<Rc<Vec<Named>>>,
    packed: HashMap<PathBuf, Option<Rc<Packed>>>,
    /// Files that were compared with copies in such places.
    pub(super) compared: usize,
    listings: HashMap<PathBuf, Option<Listing>>,
    /// Files of one size in one directory.
    pub(super) alike: Alike,
    /// What installers say that they put into directories.
    pub(super) records: Records,
    /// What makes directories again, by the directory in which operands stand.
    pub(super) made_again: MadeAgain,
    /// Names seen in what tools make again.
    names_seen: usize,
    /// The variable that names production, once somebody asks.
    production: Option<Option<&'static str>>,
}

impl Session {
    /// A session with the usual budget.
    pub fn new() -> Self {
        Self::default()
    }

    /// A session with a budget of its own.
    pub fn with_budget(budget: Budget) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Tells which places the words of the command name.
    pub fn tell_words(&mut self, words: Vec<PathBuf>) {
        self.words = words;
    }

    /// The variable that names production, looked for once.
    pub(super) fn production(&mut self, world: &dyn World) -> Option<&'static str> {
        *self.production.get_or_insert_with(|| surroundings::production(world))
    }

    /// What stands at those places, looked up once; what was destroyed since is left out for good.
    pub(super) fn named(&mut self, world: &dyn World) -> Rc<Vec<Named>> {
        let words = &self.words;
        let named = Rc::clone(self.named.get_or_insert_with(|| Rc::new(named_places(world, words))));
        if !named.iter().any(|one| self.is_destroyed(one.place())) {
            return named;
        }
        let left = named.iter().filter(|one| !self.is_destroyed(one.place())).cloned().collect();
        Rc::clone(self.named.insert(Rc::new(left)))
    }

    /// What an archive holds, read once; `None` for what is none, or is too large.
    pub(super) fn packed(&mut self, world: &dyn World, archive: &Path) -> Option<Rc<Packed>> {
        if let Some(known) = self.packed.get(archive) {
            return known.clone();
        }
        let found = Packed::read(world, self, archive).map(Rc::new);
        self.packed.insert(archive.to_owned(), found.clone());
        found
    }

    /// The repositories looked at so far.
    pub fn git(&self) -> Rc<GitCache> {
        Rc::clone(&self.git)
    }

    /// Whether time is left. The clock starts with the first question.
    pub fn in_time(&mut self, world: &dyn World) -> bool {
        let now = world.elapsed();
        let start = *self.start.get_or_insert(now);
        now.saturating_sub(start) < self.budget.time
    }

    /// Time left for a program that is asked.
    pub fn time_left(&mut self, world: &dyn World) -> Duration {
        let now = world.elapsed();
        let start = *self.start.get_or_insert(now);
        self.budget.time.saturating_sub(now.saturating_sub(start))
    }

    /// Directory entries that may still be looked at.
    pub fn entries_left(&self) -> usize {
        self.budget.entries.saturating_sub(self.entries)
    }

    /// Directory entries that may still be looked at in places whose loss is certain to be terrible.
    pub(super) fn certain_left(&self) -> usize {
        CERTAIN_LIMIT.saturating_sub(self.certain).min(self.entries_left())
    }

    /// Takes entries off what may be looked at in such places. What else is destroyed is looked at as usual: a policy may
    /// judge it by itself.
    pub(super) fn spend_certain(&mut self, count: usize) {
        self.certain = self.certain.saturating_add(count);
    }

    /// Takes entries off the budget.
    pub fn spend_entries(&mut self, count: usize) {
        self.entries = self.entries.saturating_add(count);
    }

    /// Names that may still be read in what tools make again: far more than files are looked at.
    pub(super) fn names_left(&self) -> usize {
        NAMES_LIMIT.saturating_sub(self.names_seen)
    }

    /// Takes names off that.
    pub(super) fn spend_names(&mut self, count: usize) {
        self.names_seen = self.names_seen.saturating_add(count);
    }

    /// Bytes of content that may still be read.
    pub fn bytes_left(&self) -> u64 {
        self.budget.bytes.saturating_sub(self.bytes)
    }

    /// Takes bytes off the budget.
    pub fn spend_bytes(&mut self, count: u64) {
        self.bytes = self.bytes.saturating_add(count);
    }

    /// Records that a mutation destroys what is at (or below) a path.
    pub fn destroy(&mut self, path: &Path) {
        self.destroyed.insert(path.to_owned());
    }

    /// Whether an earlier mutation destroys a path.
    pub fn is_destroyed(&self, path: &Path) -> bool {
        !self.destroyed.is_empty() && path.ancestors().any(|above| self.destroyed.contains(above))
    }

    /// Whether an earlier mutation destroys a path, or something below it.
    pub fn is_touched(&self, path: &Path) -> bool {
        let below = self.destroyed.range::<Path, _>((Bound::Included(path), Bound::Unbounded)).next();
        below.is_some_and(|found| found.starts_with(path)) || self.is_destroyed(path)
    }

    /// Records one more destroyed name of a file that has several; how many go so far.
    pub fn name_goes(&mut self, id: (u64, u64), path: &Path) -> u64 {
        let names = self.names.entry(id).or_default();
        names.insert(path.to_owned());
        names.len() as u64
    }

    /// How many names of a file are our own, in the store of recovery points: those are no copy that somebody relies on.
    pub(super) fn names_kept(&mut self, world: &dyn World, id: (u64, u64)) -> u64 {
        match self.kept.get_or_insert_with(|| names_kept(world)) {
            Some(kept) => kept.get(&id).copied().unwrap_or(0),
            // The list cannot be read: any name may be the store's.
            None => u64::MAX,
        }
    }

    /// A directory's entries, looked up once. `None` when it cannot be listed or holds more than `limit`.
    pub(super) fn scan(&mut self, world: &dyn World, dir: &Path, limit: usize) -> Option<Listing> {
        if let Some(known) = self.listings.get(dir) {
            return known.clone();
        }
        let found = world.scan(dir, limit.min(self.entries_left())).ok().map(Rc::new);
        self.spend_entries(found.as_ref().map_or(limit, |entries| entries.len()));
        self.listings.insert(dir.to_owned(), found.clone());
        found
    }

    /// What kind of place paths are, looked up once.
    pub(super) fn places(&mut self, world: &dyn World) -> Rc<Places> {
        Rc::clone(self.places.get_or_insert_with(|| Rc::new(Places::find(world))))
    }

    /// Records that rights or mounts may be other than they are now.
    pub fn change_rights(&mut self) {
        self.rights_changed = true;
    }

    /// Whether a lack of rights still protects.
    pub fn rights_hold(&self) -> bool {
        !self.rights_changed
    }
}

/// The store's list of files that have a name in it; none: it cannot be read.
fn names_kept(world: &dyn World) -> Option<HashMap<(u64, u64), u64>> {
    let usual = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    let moved = world.env("XDG_DATA_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
    // Without a place there is no store.
    let Some(data) = moved.or_else(|| Some(world.home(None)?.join(usual))) else {
        return Some(HashMap::new());
    };
    let list = match world.read_file(&data.join("recourse/kept/names"), NAMES_KEPT_LIMIT) {
        Err(LookError::NotFound) => Vec::new(),
        list => list.ok()?,
    };
    let mut found = HashMap::new();
    for line in String::from_utf8_lossy(&list).lines() {
        let mut numbers = line.split(' ').map(str::parse::<u64>);
        if let (Some(Ok(device)), Some(Ok(number))) = (numbers.next(), numbers.next()) {
            *found.entry((device, number)).or_default() += 1;
        }
    }
    Some(found)
}
