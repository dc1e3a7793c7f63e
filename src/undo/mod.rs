//! Putting back what a recovery point holds.
//!
//! Owns what an undo would do (shown before it is done), what stands in the way by now, and that an undo is itself undone by
//! an undo: whatever it replaces is kept first. It never follows a symbolic link out of a place, gives back owners only
//! where it may, and begins only when everything that comes back was made beside its place: then names change places,
//! and change back when one of them cannot. Whoever is killed meanwhile leaves a mark, and the next undo goes on from there.

mod act;
mod compare;
mod databases;
mod dirs;
mod expected;
mod kept;
mod last;
mod rights;
mod services;
mod stage;
mod went_on;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::attest::Places;
use crate::keep::{
    Budget, CannotKeep, Capture, Head, Item, Made, Name, PointName, Store, StoreError, VERSION, Was, Way,
    clear, new_id,
};
use crate::order;

use dirs::Dir;
use kept::Kept;
pub use last::{last, last_undo};
use stage::{Act, Purpose, Stage};

/// Why nothing was undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What stands in the way cannot be kept, so it is not replaced.
    #[error("what stands there now could not be kept first: {0}")]
    Keep(#[from] CannotKeep),
    /// There is nothing.
    #[error("there is nothing to undo here: `recourse kept` lists what is kept")]
    Nothing,
}

/// What an undo would do with one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// It stands there as it was.
    Same,
    /// Nothing stands there: it comes back.
    Back,
    /// It stands there, with another mode, owner, attribute or time: that comes back.
    Rights,
    /// Something else stands there: it is kept, and replaced.
    Replaced,
    /// It was not there, and is kept and taken away.
    Gone,
}

/// What came back.
#[derive(Debug, Default)]
pub struct Restored {
    /// Paths that are as they were.
    pub back: u64,
    /// Paths that are not, with the reason.
    pub failed: Vec<(PathBuf, String)>,
}

/// What an undo did.
pub struct Done {
    /// What came back and what did not.
    pub restored: Restored,
    /// What it replaced, kept.
    pub before: Option<Head>,
}

/// What was found: what becomes of each item, and when directories changed last before anything was made in them.
type Found<'a> = (&'a [(Item, Step)], &'a BTreeMap<PathBuf, (i64, u32)>);

/// An undo, before it is done.
pub struct Undo {
    store: Store,
    name: PointName,
    kept: Kept,
    partial: bool,
    /// What it goes back to.
    pub head: Head,
    /// Each path with what becomes of it.
    pub steps: Vec<(Item, Step)>,
    /// What stands at its place no more as it was, and whose content is not in the point any more: it cannot come back.
    pub lost: Vec<Item>,
}

/// What becomes of each thing that a point holds.
fn compared(items: Vec<Item>, kept: &Kept, head: &Head) -> Vec<(Item, Step)> {
    let mut steps = compare::steps(items, kept, only_named(head));
    // To do a command again is wanted whole.
    match head.made {
        Made::ForUndo(_) => {}
        _ => {
            went_on::spare(&mut steps, kept, head);
            went_on::spare_unread(&mut steps, kept, head);
        }
    }
    steps
}

impl Undo {
    /// The undo of a point.
    ///
    /// # Errors
    /// When the point cannot be read.
    pub fn of(store: Store, name: PointName) -> Result<Self, UndoError> {
        let (head, mut items) = store.read(&name)?;
        order::by(&mut items, |a, b| a.path.cmp(&b.path));
        let kept = Kept::of(&head)?;
        let (of_services, items): (Vec<Item>, Vec<Item>) = items.into_iter().partition(services::is_service);
        let mut steps = compared(items, &kept, &head);
        // What a killed undo moved beside its place is there yet.
        let underway = store.is_marked(&name, "underway");
        let lost = if underway { Vec::new() } else { compare::take_lost(&mut steps, &kept) };
        steps.append(&mut services::steps(of_services, &kept));
        Ok(Self { store, name, kept, partial: !lost.is_empty(), head, steps, lost })
    }

    /// Only what is at or below one of these paths.
    pub fn only(&mut self, paths: &[PathBuf]) {
        self.partial = true;
        let meant = |item: &Item| paths.iter().any(|path| item.path.0.starts_with(path));
        self.steps.retain(|(item, _)| meant(item));
        self.lost.retain(meant);
    }

    /// What it is about, in a few words: of a point, or of a part of it.
    pub fn what(&self) -> String {
        if !self.partial {
            return self.head.what.clone();
        }
        let kept = self.steps.iter().map(|(item, _)| item);
        let content = kept.filter(|item| !item.was.is_about() && item.was != Was::Absent);
        let (mut files, mut bytes, mut last) = (0_u64, 0_u64, None);
        for item in content.filter(|item| item.was != Was::Directory) {
            files += 1;
            bytes = bytes.saturating_add(if let Was::File { size, .. } = item.was { size } else { 0 });
            last = item.path.0.file_name();
        }
        let name = last.filter(|_| files == 1).map(|name| name.to_string_lossy().into_owned());
        let what = name.unwrap_or_else(|| crate::text::count(files, "file"));
        format!("{what} ({})", crate::text::size(bytes))
    }

    /// How many paths are of a step.
    pub fn count(&self, of: Step) -> usize {
        self.steps.iter().filter(|(_, step)| *step == of).count()
    }

    /// There is nothing left to do.
    pub fn is_done(&self) -> bool {
        !self.is_underway() && self.steps.iter().all(|(_, step)| *step == Step::Same)
    }

    /// An earlier undo of it was killed half-way: this one goes on.
    pub fn is_underway(&self) -> bool {
        self.store.is_marked(&self.name, "underway")
    }

    /// Makes everything that comes back, keeps what stands in the way, then puts everything in its place.
    ///
    /// # Errors
    /// When what stands in the way cannot be kept; then nothing was changed.
    pub fn apply(&self, budget: Budget) -> Result<Done, UndoError> {
        let _lock = self.store.lock()?;
        let earlier = self.store.marked(&self.name, "underway")?.and_then(|name| PointName::parse(&name));
        if earlier.is_some() {
            self.sweep(&self.steps);
        }
        // Another undo may have been at work since this one was shown.
        let items = self.steps.iter().map(|(item, _)| item).filter(|item| !services::is_service(item));
        let mut steps = compared(items.cloned().collect(), &self.kept, &self.head);
        add_parents(&mut steps, 0o777 & !umask());
        let times = act::times(&steps);
        let before = match earlier {
            Some(name) if self.store.file(&name).exists() => name,
            // What was half kept is swept away later: in its folder nothing whole could be made.
            _ => PointName::new(now(), &new_id()?),
        };
        self.store.mark_with(&self.name, "underway", Some(before.as_str()))?;
        let purpose = if self.partial { Purpose::Part } else { Purpose::Whole };
        let open = databases::in_use(&steps);
        if !open.is_empty() {
            return self.nothing_done(&before, open);
        }
        let mut stage = Stage::new(&self.kept, &self.head.id, purpose);
        if let Err(failed) = stage.all(&steps) {
            stage.clear();
            return self.nothing_done(&before, vec![failed]);
        }
        let first = services::changes(&self.steps, &self.kept, budget.copied)
            .map_err(UndoError::from)
            .and_then(|changes| {
                let kept_first = self.keep_first(&stage, (&steps, &times), &changes, &before, budget)?;
                Ok((kept_first, changes))
            });
        let (kept_first, changes) = match first {
            Ok(first) => first,
            Err(error) => {
                stage.clear();
                self.nothing_done(&before, Vec::new())?;
                return Err(error);
            }
        };
        let mut failed = act::all(&stage, &self.kept);
        stage.clear();
        act::finish(&steps, &stage, &times);
        let back = if failed.is_empty() {
            let unserved = services::put_back(&changes, &self.kept);
            let back = steps.iter().filter(|(_, step)| *step != Step::Same).count();
            let back = back + changes.len() - unserved.len();
            failed.extend(unserved);
            back as u64
        } else {
            0
        };
        let whole = failed.is_empty();
        if whole && !self.partial {
            self.store.mark(&self.name, "undone", true)?;
            self.give_away(&steps);
        }
        self.store.mark(&self.name, "underway", false)?;
        failed.append(&mut stage.remarks);
        Ok(Done { restored: Restored { back, failed }, before: kept_first })
    }

    /// Nothing was touched: the mark goes, unless an earlier undo was half-way.
    fn nothing_done(&self, before: &PointName, failed: Vec<stage::Failed>) -> Result<Done, UndoError> {
        if !self.store.file(before).exists() {
            self.store.mark(&self.name, "underway", false)?;
        }
        Ok(Done { restored: Restored { back: 0, failed }, before: None })
    }

    /// What a killed undo left beside the places.
    fn sweep(&self, steps: &[(Item, Step)]) {
        let mark = stage::mark(&self.head.id);
        let mut last = PathBuf::new();
        for (item, _) in steps {
            let Some(parent) = item.path.0.parent().filter(|parent| *parent != last) else { continue };
            parent.clone_into(&mut last);
            let Ok(dir) = Dir::open(parent) else { continue };
            for name in dir.names().unwrap_or_default() {
                if name.to_string_lossy().starts_with(&mark) {
                    let _ = dir.remove(&name);
                }
            }
        }
    }

    /// What stands at its place again, and in the point by a further name only, needs that name no more: whoever writes
    /// into it would write into the point.
    fn give_away(&self, steps: &[(Item, Step)]) {
        for (item, _) in steps {
            let Some((place, itself)) = self.kept.itself(&item.was) else { continue };
            let twin = matches!(item.was, Was::File { twin: Some(_), .. });
            let there = fs::symlink_metadata(&item.path.0)
                .is_ok_and(|meta| (meta.dev(), meta.ino()) == (itself.dev(), itself.ino()));
            if there || twin {
                let _ = fs::remove_file(place);
            }
        }
    }

    /// Writes everything below another directory, and touches nothing else.
    ///
    /// # Errors
    /// When the directory cannot be made.
    pub fn beside(&self, dir: &Path) -> Result<Restored, UndoError> {
        let wrong = |source: io::Error| CannotKeep::Io { path: dir.to_owned(), source };
        fs::create_dir_all(dir).map_err(wrong)?;
        let dir = fs::canonicalize(dir).map_err(wrong)?;
        let items = self.steps.iter().map(|(item, _)| item);
        let items = items.filter_map(|item| {
            let below = match &item.was {
                Was::Absent => return None,
                was if was.is_about() => return None,
                Was::Service(held) => return services::as_file(held, &dir, self.head.time),
                _ => item.path.0.strip_prefix("/").unwrap_or(&item.path.0),
            };
            Some(Item { path: Name(dir.join(below)), ..item.clone() })
        });
        // Nobody else lays this out meanwhile, so what a killed one left can go.
        let _lock = self.store.lock()?;
        let mut steps = compare::beside(items.collect(), &self.kept);
        add_parents(&mut steps, 0o700);
        self.sweep(&steps);
        let standing = steps.iter().filter(|(_, step)| *step == Step::Replaced);
        let failed: Vec<_> = standing
            .map(|(item, _)| (item.path.0.clone(), "something else stands there already".to_owned()))
            .collect();
        if !failed.is_empty() {
            return Ok(Restored { back: 0, failed });
        }
        let times = act::times(&steps);
        let mut stage = Stage::new(&self.kept, &self.head.id, Purpose::Beside);
        if let Err(failed) = stage.all(&steps) {
            stage.clear();
            return Ok(Restored { back: 0, failed: vec![failed] });
        }
        let mut failed = act::all(&stage, &self.kept);
        stage.clear();
        act::finish(&steps, &stage, &times);
        let back = if failed.is_empty() { steps.len() as u64 } else { 0 };
        failed.append(&mut stage.remarks);
        Ok(Restored { back, failed })
    }

    /// What the undo replaces or takes away becomes a point of its own. That of a killed undo stays; beside it is kept
    /// what came in the way since.
    fn keep_first(
        &self,
        stage: &Stage<'_>,
        found: Found<'_>,
        changes: &[services::Change<'_>],
        name: &PointName,
        budget: Budget,
    ) -> Result<Option<Head>, UndoError> {
        if !self.store.file(name).exists() {
            return self.keep(stage.acts.iter(), found, changes, name, budget);
        }
        let (head, items) = self.store.read(name)?;
        let kept = Kept::of(&head)?;
        let known: BTreeMap<PathBuf, Step> =
            compare::steps(items, &kept, true).into_iter().map(|(item, step)| (item.path.0, step)).collect();
        let fresh = |act: &&Act<'_>| {
            let covered = known.get(&act.item().path.0).is_some_and(|step| *step == Step::Same);
            let begun = matches!(act, Act::Rewrite(item) if self.kept.has_begun(item));
            !covered && !begun && !matches!(act, Act::Place { over: false, .. })
        };
        if stage.acts.iter().any(|act| fresh(&act)) {
            // Older than the first: to take the undo back is to go to what stood there before it began.
            let other = PointName::new(name.time().saturating_sub(1), &new_id()?);
            self.keep(stage.acts.iter().filter(fresh), (&[], found.1), &[], &other, budget)?;
        }
        Ok(Some(head))
    }

    fn keep<'a>(
        &self,
        acts: impl Iterator<Item = &'a Act<'a>>,
        (steps, times): Found<'_>,
        changes: &[services::Change<'_>],
        name: &PointName,
        budget: Budget,
    ) -> Result<Option<Head>, UndoError> {
        let mut capture = Capture::new(self.store.contents(name), self.store.folder(), budget);
        let taken = take(acts, steps, &mut capture)
            .and_then(|()| services::keep(changes, &mut capture))
            .and_then(|()| capture.sync());
        if let Err(error) = taken {
            capture.clear();
            return Err(error.into());
        }
        if capture.items.is_empty() {
            return Ok(None);
        }
        // What was made beside the places has changed the time of their directories already.
        for (path, time) in times {
            if let Some(item) = capture.items.get_mut(path)
                && matches!(item.was, Was::Around | Was::Directory)
            {
                item.modified = *time;
            }
        }
        let head = Head {
            version: VERSION,
            id: name.id().to_owned(),
            time: name.time(),
            made: Made::ForUndo(self.head.id.clone()),
            command: format!("recourse undo {}", self.head.id),
            files: capture.items.values().filter(|item| matches!(item.was, Was::File { .. })).count() as u64,
            bytes: capture.bytes,
            copied: capture.copied,
            folders: capture.folders(),
            without: Vec::new(),
            ..self.head.clone()
        };
        let items: Vec<Item> = capture.items.into_values().collect();
        if let Err(error) = self.store.write(&head, &items) {
            for folder in &head.folders {
                let _ = clear(&folder.0);
            }
            return Err(error.into());
        }
        Ok(Some(head))
    }
}

fn take<'a>(
    acts: impl Iterator<Item = &'a Act<'a>>,
    steps: &[(Item, Step)],
    capture: &mut Capture,
) -> Result<(), CannotKeep> {
    for act in acts {
        let path = &act.item().path.0;
        match act {
            Act::Place { over: false, .. } => capture.absent(path),
            Act::Place { over: true, .. } | Act::Remove { .. } => capture.add(path, true, Way::Name)?,
            Act::Rewrite(_) => capture.add(path, false, Way::Content)?,
            Act::Rights(_) => capture.about(path)?,
        }
    }
    // What comes back within a tree goes again by its own name, so that what is put beside it stays.
    for (item, _) in steps.iter().filter(|(_, step)| *step == Step::Back) {
        capture.absent(&item.path.0);
    }
    Ok(())
}

/// What this user takes away from everything that is made.
fn umask() -> u32 {
    use nix::sys::stat::{Mode, umask};
    // It can only be read by setting it.
    let mask = umask(Mode::from_bits_truncate(0o077));
    umask(mask);
    mask.bits()
}

/// Directories that lead to what comes back and are not kept themselves: as far as is known as they were, else with this mode.
fn add_parents(steps: &mut Vec<(Item, Step)>, mode: u32) {
    let mut known: std::collections::BTreeSet<PathBuf> =
        steps.iter().filter(|(item, _)| !item.was.is_about()).map(|(item, _)| item.path.0.clone()).collect();
    let mut missing = Vec::new();
    for (item, _) in steps.iter().filter(|(_, step)| *step == Step::Back) {
        for above in item.path.0.ancestors().skip(1) {
            let gone =
                || fs::symlink_metadata(above).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
            if known.contains(above) || !gone() {
                break;
            }
            known.insert(above.to_owned());
            let around = steps.iter().find(|(item, _)| item.was == Was::Around && item.path.0 == above);
            let user = (nix::unistd::geteuid().as_raw(), nix::unistd::getegid().as_raw());
            let fresh = Item { mode, owner: user, modified: (now() / 1000, 0), ..Item::absent(above) };
            let item = around.map_or(fresh, |(around, _)| around.clone());
            missing.push((Item { was: Was::Directory, ..item }, Step::Back));
        }
    }
    if !missing.is_empty() {
        steps.append(&mut missing);
        order::by(steps, |a, b| a.0.path.cmp(&b.0.path));
    }
}

/// Milliseconds since the epoch.
fn now() -> i64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
    i64::try_from(time).unwrap_or(i64::MAX)
}

/// Whether a directory that goes leaves what was put into it since: what an undo brought back is named, one by one.
fn only_named(head: &Head) -> bool {
    matches!(head.made, Made::ForUndo(_))
}

/// The store of this user, if there is one.
///
/// # Errors
/// When others can get at it.
pub fn store(places: &Places) -> Result<Store, UndoError> {
    Store::existing(places)?.ok_or(UndoError::Nothing)
}

/// Paths by what becomes of them, for a list.
pub fn by_step(undo: &Undo) -> BTreeMap<Step, Vec<&Item>> {
    let mut found: BTreeMap<Step, Vec<&Item>> = BTreeMap::new();
    for (item, step) in &undo.steps {
        found.entry(*step).or_default().push(item);
    }
    found
}
