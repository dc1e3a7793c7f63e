//! One walk over what a mutation destroys: every file put into a class.
//!
//! Never follows a symbolic link below its root, asks the machine once per file, and stops at the session's limits, saying
//! so.

mod around;
mod collect;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::evidence::Session;
use crate::evidence::git::{self, FileStatus, GitCache, GitRepo};
use crate::evidence::path::{Known, Uncommitted};
use crate::knowledge::machine;
use crate::model::{Loss, LossClass};
use crate::order;
use crate::world::{FileKind, LookError, Meta, Seen, World};

use super::ahead::{Ahead, may_be_looked_ahead};
use super::history::{self, Fate};
use super::made_again::is_compiled;
use super::places::Places;
use super::regenerable::{self, Regenerable};
use super::vouch::Stage;

/// Untracked files whose content is looked for among git's objects, and their size.
const STORED_LIMIT: (usize, u64) = (200, 8 << 20);
/// Lost files beyond which counting on changes nothing.
const ENOUGH: u64 = 10_000;

/// Rank from which on no copy makes a loss harmless: mounted file systems, disks, the system's own, whole homes.
const BEYOND: u8 = 90;

/// How the destruction works.
#[derive(Clone, Debug, Default)]
pub(super) struct How {
    /// The bytes are overwritten, not only the name taken away: another name of the file does not help.
    pub(super) in_place: bool,
    /// The caller's rights protect.
    pub(super) rights: bool,
    /// Mounted file systems below are left alone.
    pub(super) one_file_system: bool,
    /// Paths below that this command made, or moved away before.
    pub(super) excluded: Vec<PathBuf>,
    /// Directories that the command may run in.
    pub(super) cwd: Vec<PathBuf>,
    /// Paths that the same act may destroy.
    pub(super) going: Vec<PathBuf>,
    /// A program empties a directory in order to make anew what it made there.
    pub(super) anew: bool,
}

/// What is known of a directory for the files in it.
#[derive(Clone)]
pub(super) struct Around {
    pub(super) repo: Option<Rc<GitRepo>>,
    pub(super) regenerable: Option<Rc<Regenerable>>,
    /// How far what is here is the tool's.
    pub(super) stage: Stage,
    /// The directory that is entered next is known not to be a tool's.
    pub(super) own: bool,
    /// The repository's object store goes too.
    pub(super) going: bool,
    /// The directory's entries cannot be removed by the caller.
    pub(super) locked: bool,
    /// Which repository it belongs to could not be told: nothing may pass for made again or passing by its name.
    pub(super) unclear: bool,
}

impl Default for Around {
    fn default() -> Self {
        Self {
            repo: None,
            regenerable: None,
            stage: Stage::Own,
            own: false,
            going: false,
            locked: false,
            unclear: false,
        }
    }
}

/// A file with several names.
struct Linked {
    /// Names that go, in this evaluation so far.
    going: u64,
    /// Names that it has.
    names: u64,
    bytes: u64,
    shown: String,
}

/// A walk.
pub(super) struct Walk<'a> {
    pub(super) world: &'a dyn World,
    pub(super) session: &'a mut Session,
    pub(super) places: &'a Places,
    pub(super) how: How,
    pub(super) loss: Loss,
    /// Sentences for the report, without repetition.
    pub(super) notes: Vec<String>,
    /// How what a tool makes again is made again.
    pub(super) again: Option<String>,
    /// Where the content stays.
    pub(super) kept: Option<String>,
    /// A file that no repository tracks was met in a working tree whose repository stays.
    pub(super) untracked: bool,
    /// Files that the caller's rights protect.
    pub(super) protected: u64,
    /// A place was met whose loss is certain to be terrible.
    pub(super) catastrophe: bool,
    pub(super) git: Rc<GitCache>,
    fates: HashMap<PathBuf, Fate>,
    /// Files with several names, until all names are counted.
    linked: HashMap<(u64, u64), Linked>,
    stored: (usize, u64),
    precious: u8,
    limit: usize,
    pub(super) roots: Vec<PathBuf>,
    /// The last of these that was asked about, and whether it holds a site that a program made.
    pub(super) site: Option<(PathBuf, bool)>,
    /// Files that are nowhere else, where somebody wants their names and not only their number.
    pub(super) collect: Option<Uncommitted>,
    /// Which of them are named without a look at what they hold.
    pub(super) known: Option<&'a Known<'a>>,
}

impl<'a> Walk<'a> {
    /// A walk that has found nothing yet.
    pub(super) fn new(world: &'a dyn World, session: &'a mut Session, places: &'a Places, how: How) -> Self {
        let limit = session.entries_left();
        let git = session.git();
        Self {
            world,
            session,
            places,
            how,
            loss: Loss::default(),
            notes: Vec::new(),
            again: None,
            kept: None,
            untracked: false,
            protected: 0,
            catastrophe: false,
            git,
            fates: HashMap::new(),
            linked: HashMap::new(),
            stored: (0, 0),
            precious: 0,
            limit,
            roots: Vec::new(),
            site: None,
            collect: None,
            known: None,
        }
    }

    /// Looks at no more than so many entries.
    pub(super) fn limit_to(&mut self, limit: usize) {
        self.limit = self.limit.min(limit);
    }

    /// The verdict is certain: a few entries are looked at to say what goes, no more.
    pub(super) fn certain(&mut self) {
        self.catastrophe = true;
        self.limit = self.limit.min(self.session.certain_left());
    }

    /// Sets aside what was found so far, so that the next file can be looked at by itself.
    pub(super) fn begin(&mut self) -> (Loss, u8) {
        (std::mem::take(&mut self.loss), std::mem::take(&mut self.precious))
    }

    /// Takes up again what was set aside, and gives what was found since.
    pub(super) fn go_back(&mut self, (loss, precious): (Loss, u8)) -> Loss {
        self.precious = precious;
        std::mem::replace(&mut self.loss, loss)
    }

    /// A single file (links resolved, `meta` from `lstat`).
    pub(super) fn file(&mut self, path: &Path, meta: &Meta) -> LossClass {
        let around = self.around_file(path);
        let before = self.loss.worst();
        self.take(path, meta, &around);
        self.settle_links();
        self.loss.worst().max(before)
    }

    /// A directory and everything below it.
    pub(super) fn tree(&mut self, root: &Path, meta: &Meta) {
        // Whoever collects names destroys nothing.
        if self.collect.is_none() {
            self.roots.push(root.to_owned());
        }
        let device = meta.id.0;
        let mut around = root.parent().map(|parent| self.around_directory(parent)).unwrap_or_default();
        around.locked = false;
        let mut pending = vec![(root.to_owned(), meta.clone(), around)];
        let mut ahead = Ahead::default();
        let mut seen = 0_usize;
        while let Some((dir, meta, above)) = pending.pop() {
            if meta.id.0 != device {
                if self.how.one_file_system {
                    continue;
                }
                self.mark("mounted file system", 90);
                self.note(format!("{} is a file system of its own", self.show(&dir)));
            }
            if self.is_enough() {
                break;
            }
            let room = self.limit.saturating_sub(seen);
            if may_be_looked_ahead(&dir, &meta, &above, device) {
                let next =
                    pending.iter().rev().filter(|(dir, meta, at)| may_be_looked_ahead(dir, meta, at, device));
                ahead.prepare(self.world, &dir, next.map(|(dir, ..)| dir.as_path()), seen, room);
                if ahead.is_plain(&dir) {
                    self.git.inherit(&dir);
                }
            }
            let inner = self.enter(&dir, &meta, &above);
            if self.is_repository(&dir, &inner) {
                if !self.names_repository(&dir, root) {
                    self.repository(&dir, &inner);
                }
                continue;
            }
            if let Some(own) = self.made_again(&dir, &inner) {
                self.collect.iter_mut().for_each(|found| found.made_again.push(dir.clone()));
                pending.extend(own);
                continue;
            }
            let entries = match ahead.take(self.world, &dir, room) {
                Ok(entries) => entries,
                Err(LookError::NotFound) => continue,
                Err(LookError::TooLarge) => {
                    self.cut("there are more files than are looked at");
                    break;
                }
                Err(error) => {
                    self.unreadable(&dir, &error);
                    continue;
                }
            };
            seen += entries.len();
            self.session.spend_entries(entries.len());
            if self.catastrophe {
                self.session.spend_certain(entries.len());
            }
            if let Some(found) = self.collect.as_mut().filter(|_| dir != root) {
                found.files.extend(entries.is_empty().then(|| dir.clone()));
            }
            let first = pending.len();
            self.entries(&dir, &inner, entries, &mut pending);
            // The stack gives the last one back first.
            pending[first..].reverse();
        }
        self.limit = self.limit.saturating_sub(seen);
        self.settle_links();
    }

    /// Looking on would change nothing, or may not.
    fn is_enough(&mut self) -> bool {
        let in_time = self.session.in_time(self.world);
        if !in_time {
            self.cut("the time for looking ran out");
        } else if self.lost() >= ENOUGH {
            self.cut("there are more files than are counted");
        } else {
            return false;
        }
        true
    }

    /// The entries of one directory: files are put into their class, directories wait.
    fn entries(
        &mut self,
        dir: &Path,
        inner: &Around,
        entries: Vec<Seen>,
        pending: &mut Vec<(PathBuf, Meta, Around)>,
    ) {
        let plain = !inner.locked && !inner.going && self.how.excluded.is_empty();
        let mut cursor = inner.repo.as_ref().filter(|_| plain).and_then(|repo| repo.cursor(self.world, dir));
        for (entry, found) in entries {
            if let (Some(cursor), Ok(meta)) = (&mut cursor, &found)
                && entry.exact
                && meta.kind == FileKind::File
                && meta.size > 0
                && cursor.proves_clean(&entry.name, meta)
            {
                let (places, cwd) = (self.places, &self.how.cwd);
                self.loss.add(LossClass::Tracked, meta.size, || places.show(&dir.join(&entry.name), cwd));
                continue;
            }
            let path = dir.join(&entry.name);
            if self.is_excluded(&path) {
                continue;
            }
            match found {
                _ if !entry.exact && self.names_foreign(dir) => {}
                Ok(_) if !entry.exact => self.add(LossClass::Unseen, 0, &path),
                Ok(meta) if meta.kind == FileKind::Directory => {
                    pending.push((path, meta, inner.clone()));
                }
                Ok(meta) => self.take(&path, &meta, inner),
                Err(LookError::NotFound) => {}
                Err(error) => self.unreadable(&path, &error),
            }
        }
    }

    /// Whether the act that is looked at may destroy this too.
    pub(super) fn goes_too(&self, path: &Path) -> bool {
        self.roots.iter().chain(&self.how.going).any(|going| path.starts_with(going))
    }

    /// Puts one thing that is not a directory into its class.
    pub(super) fn take(&mut self, path: &Path, meta: &Meta, around: &Around) {
        if self.collect.is_some() {
            return self.name(path, meta, around);
        }
        if around.locked {
            self.protected += 1;
            return;
        }
        if meta.kind != FileKind::File || meta.size == 0 {
            self.add(LossClass::Nothing, 0, path);
            return;
        }
        let mut class = self.class(path, meta, around);
        if class == LossClass::Lost
            && let Some(root) = self.roots.last().cloned()
            && let Some(copy) = super::named::copy(self, Some(&root), path, meta)
        {
            let shown = self.show(&copy);
            self.note(format!("{shown} has the same content"));
            self.kept.get_or_insert(shown);
            class = LossClass::Copied;
        }
        if class == LossClass::Lost {
            if let Some(why) = self.places.precious(path) {
                self.mark(why, 50);
            }
            if meta.links > 1 && !self.how.in_place {
                let going = self.session.name_goes(meta.id, path);
                let shown = self.show(path);
                let names = super::fleeting::lasting(path, meta, self.places, self.world, self.session);
                self.linked.insert(meta.id, Linked { going, names, bytes: meta.size, shown });
                return;
            }
        }
        self.add(class, meta.size, path);
    }

    fn class(&mut self, path: &Path, meta: &Meta, around: &Around) -> LossClass {
        let mut in_work_tree = false;
        let mut unclear = around.unclear;
        if let Some(repo) = &around.repo {
            in_work_tree = repo.work_tree().is_some();
            match repo.classify(self.world, path, meta) {
                FileStatus::Clean if !around.going => return LossClass::Tracked,
                FileStatus::Clean => match self.fate(repo) {
                    Fate::Stays => return LossClass::Tracked,
                    Fate::Pushed => return LossClass::Copied,
                    Fate::Goes(_) => return LossClass::Lost,
                },
                FileStatus::Stored => match self.fate(repo) {
                    Fate::Stays => return LossClass::Snapshot,
                    Fate::Pushed | Fate::Goes(_) => return LossClass::Lost,
                },
                FileStatus::Modified | FileStatus::Untracked
                    if git::holds(self.world, self.session, repo, path) && self.fate(repo) == Fate::Stays =>
                {
                    return LossClass::Tracked;
                }
                FileStatus::Modified => {
                    self.loss.modified += 1;
                    return LossClass::Lost;
                }
                FileStatus::Internal => {
                    let (class, why) = history::internal(repo, path);
                    self.note(format!("{}: {why}", self.show(path)));
                    return class;
                }
                FileStatus::Unseen(reason) => {
                    self.note(reason);
                    unclear = true;
                }
                FileStatus::Untracked => self.untracked |= in_work_tree && !around.going,
            }
        }
        if self.is_vouched(path, around) {
            return LossClass::Regenerable;
        }
        let top = around.repo.as_ref().and_then(|repo| repo.work_tree());
        let again = regenerable::file(self.world, path, top).is_some();
        if self.places.is_cached(path) || again || is_compiled(path) || self.is_built(path, meta, top) {
            return LossClass::Regenerable;
        }
        if unclear {
            return LossClass::Unseen;
        }
        if !in_work_tree && self.places.is_temporary(path) {
            return LossClass::Temporary;
        }
        // Whoever collects names sets aside what only git's objects hold, too.
        if self.collect.is_none()
            && let Some(repo) = &around.repo
            && meta.size <= 1 << 20
            && self.stored.0 < STORED_LIMIT.0
            && self.stored.1 + meta.size < STORED_LIMIT.1
        {
            self.stored.0 += 1;
            self.stored.1 += meta.size;
            if repo.stores_content(self.world, path, meta) && self.fate(repo) == Fate::Stays {
                return LossClass::Snapshot;
            }
        }
        LossClass::Lost
    }

    /// A file whose every name goes is lost, once; one with a name elsewhere stays.
    fn settle_links(&mut self) {
        let mut linked: Vec<_> = std::mem::take(&mut self.linked).into_iter().collect();
        order::by(&mut linked, |a, b| a.1.shown.cmp(&b.1.shown));
        for (_, file) in linked {
            if file.going >= file.names {
                self.loss.add(LossClass::Lost, file.bytes, || file.shown);
            } else {
                self.note(format!("{} has another name that stays", file.shown));
                self.loss.add(LossClass::Copied, file.bytes, || file.shown);
            }
        }
    }

    pub(super) fn unreadable(&mut self, path: &Path, error: &LookError) {
        if let Some(found) = &mut self.collect {
            found.whole = false;
            return;
        }
        // What the caller may not even list, the caller's command cannot empty either.
        if self.how.rights && *error == LookError::Denied {
            self.protected += 1;
            self.note(format!("{} may not be looked into, nor emptied by this user", self.show(path)));
            return;
        }
        self.note(format!("{}: {error}", self.show(path)));
        self.add(LossClass::Unseen, 0, path);
    }

    /// Stops counting. Where enough is known to be lost, what was not looked at could not make it worse.
    fn cut(&mut self, why: &str) {
        self.loss.truncated = true;
        self.note(why.to_owned());
        if self.lost() < ENOUGH && !(self.catastrophe && self.lost() > 0) {
            self.loss.add(LossClass::Unseen, 0, || "…".to_owned());
        }
    }

    /// Files that are known to be lost so far.
    pub(super) fn lost(&self) -> u64 {
        self.loss.classes.get(&LossClass::Lost).map_or(0, |lost| lost.files)
    }

    fn is_excluded(&self, path: &Path) -> bool {
        self.how.excluded.iter().any(|known| path.starts_with(known))
    }

    /// Adds one file to a class.
    pub(super) fn add(&mut self, class: LossClass, bytes: u64, path: &Path) {
        let (places, cwd) = (self.places, &self.how.cwd);
        self.loss.add(class, bytes, || places.show(path, cwd));
    }

    /// The path for people.
    pub(super) fn show(&self, path: &Path) -> String {
        self.places.show(path, &self.how.cwd)
    }

    /// Records why something is precious; the higher rank stays.
    pub(super) fn mark(&mut self, why: &str, rank: u8) {
        self.loss.beyond |= rank >= BEYOND || machine().home.contains_key(why);
        if rank > self.precious {
            self.precious = rank;
            self.loss.precious = Some(why.to_owned());
        }
    }

    /// Adds a sentence unless it is there already; a handful is enough.
    pub(super) fn note(&mut self, text: String) {
        if self.notes.len() < 8 && !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}
