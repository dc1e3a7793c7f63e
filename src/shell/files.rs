//! What the evaluated command itself did to files so far.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use crate::model::{CopyMade, Save, Saved};
use crate::order;
use crate::world::resolve::{Links, physical};

use super::mounts::Mounts;
use super::packing::Packings;
use super::rewritten::{Moved, Texts};
use over::Made;
pub(super) use over::Over;

mod over;

/// A path after earlier steps of the same command. Paths are keys: see [`Files::key`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// Made by this command; with its content where known.
    Created {
        /// Content where known.
        content: Option<String>,
        /// It is a directory.
        directory: bool,
    },
    /// Moved here from another path.
    MovedFrom(PathBuf),
    /// Copied here from another path.
    CopiedFrom(PathBuf),
    /// Removed, or moved away.
    Gone,
}

/// What git printed: what it has as objects, or what it found in the working tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// Commits, stashes or the index: git keeps it.
    Objects,
    /// Changes that are only in the working tree may be among it.
    WorkTree,
    /// All changes of tracked files that are not in the index, as a patch that puts them back.
    Changes,
}

/// The overlay over the machine's files, and what was saved into git.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    states: BTreeMap<PathBuf, FileState>,
    /// Where this command put copies: the copy or archive, what it holds, and whether the copy is an archive.
    held: BTreeSet<CopyMade>,
    /// Copies that jobs in the background are making, job by job.
    unfinished: Vec<BTreeSet<CopyMade>>,
    /// How many of them, from the first on, are the jobs of a shell further out.
    others: usize,
    /// Links that this command made.
    links: BTreeMap<PathBuf, Made>,
    /// Files whose content this command changed where they stand.
    altered: BTreeSet<PathBuf>,
    /// Files whose times, size, mode or owner this command changed (`true`: and those of all below).
    stamped: BTreeMap<PathBuf, bool>,
    /// What the text in the pipe between two stages is a copy of.
    stream: Vec<PathBuf>,
    /// Archives that this command packs, and what it mounts.
    pub packings: Packings,
    pub mounts: Mounts,
    /// Files that hold what git printed, and whether the pipe does.
    gits: BTreeMap<PathBuf, Printed>,
    from_git: Option<Printed>,
    /// Places at or below which stands what earlier commands fetched or unpacked.
    brought: BTreeSet<PathBuf>,
    /// Folders whose hooks git puts into the repositories that this command makes.
    hooks: BTreeSet<PathBuf>,
    /// Per repository directory: work that this command put into git.
    saved: BTreeMap<PathBuf, BTreeSet<Saved>>,
    /// The acts that did so, as long as they have surely succeeded.
    saves: BTreeSet<Save>,
    /// What files hold by now that held something else before.
    pub(super) texts: Texts,
    /// What git moved.
    pub(crate) moved: Moved,
}

/// `base` with what of `path` lies below `at`.
fn onto(base: &Path, path: &Path, at: &Path) -> PathBuf {
    match path.strip_prefix(at) {
        Ok(rest) if !rest.as_os_str().is_empty() => base.join(rest),
        _ => base.to_owned(),
    }
}

impl Files {
    /// Nothing was done so far.
    pub fn is_untouched(&self) -> bool {
        self.states.is_empty() && self.links.is_empty()
    }

    /// The machine's links as this command leaves them.
    pub fn over<'a>(&'a self, links: &'a dyn Links) -> Over<'a> {
        Over { files: self, links }
    }

    /// The one name under which a place is recorded, whatever links lead to it: those above its last component are
    /// followed. Where one of them cannot be told, the name that was given.
    pub fn key(&self, path: &Path, links: &dyn Links) -> PathBuf {
        physical(path, &self.over(links), false).unwrap_or_else(|| path.to_owned())
    }

    /// Records that something that is not known yet may come to stand at `place` or below it.
    pub fn bring(&mut self, place: PathBuf) {
        self.brought.insert(place);
    }

    /// Whether something may stand there that this command fetched or unpacked.
    pub fn is_brought(&self, path: &Path) -> bool {
        self.brought.iter().any(|place| path.starts_with(place))
    }

    /// Records that git puts the hooks of a folder into a repository that this command makes.
    pub fn bring_hooks(&mut self, folder: PathBuf) {
        self.hooks.insert(folder);
    }

    /// Folders of such hooks.
    pub fn hooks_brought(&self) -> impl Iterator<Item = &Path> {
        self.hooks.iter().map(PathBuf::as_path)
    }

    /// Records that a copy of `source` stands at `at`.
    pub fn hold(&mut self, held: CopyMade) {
        self.held.insert(held);
    }

    /// Records that `at` is a link (or another name) of `target`; `None`: of something that is not known.
    pub fn link(&mut self, at: PathBuf, target: Option<PathBuf>, symbolic: bool) {
        let round = |target: &PathBuf| {
            target.starts_with(&at) || self.through(target, true).is_some_and(|place| place == at)
        };
        if !target.as_ref().is_some_and(round) {
            self.links.insert(at, Made { target, symbolic });
        }
    }

    /// Whether `at` is a link of `target` that this command made.
    pub fn is_link(&self, at: &Path, target: &Path) -> bool {
        at != target && self.through(at, true) == self.through(target, true)
    }

    /// Records that content was changed where it stands: it is no copy of anything any more, and what it was is gone.
    pub fn alter(&mut self, path: &Path) {
        self.drop_copies(|at| at == path);
        self.packings.forget(path);
        self.altered.insert(path.to_owned());
    }

    /// Records that what the machine tells of a file's times, size, mode and owner holds no more, nor of all below it.
    pub fn stamp(&mut self, path: &Path, below: bool) {
        *self.stamped.entry(path.to_owned()).or_default() |= below;
    }

    /// Whether this command changed the times, the size, the mode or the owner of a file.
    pub fn is_stamped(&self, path: &Path) -> bool {
        !self.stamped.is_empty()
            && path.ancestors().any(|at| self.stamped.get(at).is_some_and(|below| *below || at == path))
    }

    /// Whether this command changed the content of a file where it stands.
    pub fn is_altered(&self, path: &Path) -> bool {
        self.altered.contains(path)
    }

    /// Copies that stand at or below a path.
    pub fn held_in<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a CopyMade> {
        self.held.iter().filter(move |held| held.at.starts_with(path))
    }

    /// Copies of trees that a path may lie in.
    pub fn held_above<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a CopyMade> {
        self.held.iter().filter(move |held| path.starts_with(&held.at))
    }

    /// Forgets one copy.
    pub fn release(&mut self, held: &CopyMade) {
        self.held.remove(held);
    }

    /// Forgets the copies that stand at such places, those that jobs are still making too.
    pub fn drop_copies(&mut self, goes: impl Fn(&Path) -> bool) {
        self.held.retain(|held| !goes(&held.at));
        for job in &mut self.unfinished {
            job.retain(|held| !goes(&held.at));
        }
    }

    /// What stands in copies at or below a path, and nowhere else that this command knows of: with it, the last copy goes.
    pub fn only_held<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Path> {
        let inside = move |held: &&CopyMade| held.at.starts_with(path);
        self.held.iter().filter(|held| !held.patch).filter(inside).map(|held| held.source.as_path()).filter(
            move |source| {
                !self
                    .held
                    .iter()
                    .any(|other| source.starts_with(&other.source) && !other.at.starts_with(path))
            },
        )
    }

    /// Copies that are recorded here and were not `before`.
    pub fn copies_since(&self, before: &Self) -> BTreeSet<CopyMade> {
        order::set(self.held.difference(&before.held).cloned())
    }

    /// Records copies that one more job in the background is making, besides those of jobs `before` it.
    pub fn leave_unfinished(&mut self, before: &Self, copies: BTreeSet<CopyMade>) {
        self.unfinished.clone_from(&before.unfinished);
        self.unfinished.push(copies);
    }

    /// How many jobs may still run.
    pub fn unfinished_jobs(&self) -> usize {
        self.unfinished.len().saturating_sub(self.others)
    }

    /// All jobs are over: what they copied stands.
    pub fn finish_copies(&mut self) {
        let own = self.unfinished.split_off(self.others.min(self.unfinished.len()));
        self.held.extend(own.into_iter().flatten());
    }

    /// Forgets the jobs: they may be ended before they are done, or are nobody's to wait for.
    pub fn forget_unfinished(&mut self) {
        self.unfinished.clear();
    }

    /// A shell of its own begins, which waits for its own jobs alone. Returns what [`Files::leave_shell`] needs.
    pub fn enter_shell(&mut self) -> usize {
        std::mem::replace(&mut self.others, self.unfinished.len())
    }

    /// That shell is over: nobody waits for its jobs.
    pub fn leave_shell(&mut self, others: usize) {
        self.unfinished.truncate(self.others);
        self.others = others.min(self.unfinished.len());
    }

    /// Forgets the copies that were not there `before`: the step that made them failed, or may not be over.
    pub fn forget_copies(&mut self, before: &Self) {
        self.held.retain(|held| before.held.contains(held));
        // Nor did it put anything into git.
        self.saved.clone_from(&before.saved);
        self.saves.clone_from(&before.saves);
    }

    /// Forgets the copies that were not there `before`, but for those of what came through the pipe.
    pub fn forget_own_copies(&mut self, before: &Self) {
        let stream = &before.stream;
        self.held.retain(|held| before.held.contains(held) || stream.contains(&held.source));
    }

    /// Where a path leads through links that this command made; `last`: through the path itself as well. `None` when one
    /// of them leads to a place that is not known.
    pub fn through(&self, path: &Path, last: bool) -> Option<PathBuf> {
        let mut path = path.to_owned();
        if self.links.is_empty() {
            return Some(path);
        }
        for _ in 0..8 {
            let step = path
                .ancestors()
                .skip(usize::from(!last))
                .find_map(|above| Some((above, self.links.get(above)?)))
                .map(|(above, made)| made.target.as_ref().map(|target| onto(target, &path, above)));
            match step {
                Some(next) => path = next?,
                None => break,
            }
        }
        Some(path)
    }

    /// Records what the output that goes into a pipe holds a copy of.
    pub fn set_stream(&mut self, sources: Vec<PathBuf>) {
        self.stream = sources;
    }

    /// Notes whether git prints what goes into the pipe, or into a file.
    pub fn set_gits(&mut self, file: Option<PathBuf>, printed: Option<Printed>) {
        match (file, printed) {
            (Some(file), Some(printed)) => drop(self.gits.insert(file, printed)),
            (Some(file), None) => drop(self.gits.remove(&file)),
            (None, printed) => self.from_git = printed,
        }
    }

    /// Whether git printed what comes out of the pipe, or what a file holds.
    pub fn gits(&self, file: Option<&Path>) -> Option<Printed> {
        file.map_or(self.from_git, |file| self.gits.get(file).copied())
    }

    /// What comes out of the pipe is a copy of these.
    pub fn stream(&self) -> &[PathBuf] {
        &self.stream
    }

    /// Records that what stands at `from` stands at `to` from now on, in this state; copies below it move along.
    pub fn carry(&mut self, from: &Path, to: PathBuf, state: FileState) {
        let moved = self.held.iter().filter(|h| h.at.starts_with(from)).cloned().collect::<Vec<_>>();
        let whole = state == FileState::MovedFrom(from.to_owned())
            && self.below(from).next().is_none()
            && !self.altered.iter().any(|at| at.starts_with(from));
        self.drop_copies(|at| at.starts_with(from));
        let links = std::mem::take(&mut self.links);
        let (below, others): (BTreeMap<_, _>, _) =
            links.into_iter().partition(|(at, _)| at.starts_with(from));
        self.links = others;
        let said = self.said(from);
        self.set(to.clone(), state);
        self.say(&to, said);
        self.links.extend(below.into_iter().map(|(at, made)| (onto(&to, &at, from), made)));
        // Another name of the same file is one of it wherever the first one goes.
        for made in self.links.values_mut().filter(|made| !made.symbolic) {
            if let Some(target) = made.target.as_mut().filter(|target| target.starts_with(from)) {
                *target = onto(&to, target, from);
            }
        }
        let copied = self.held.iter().any(|held| !held.patch && from.starts_with(&held.source));
        if copied && whole {
            // Beside its copies, what was moved away is one more place where the content stands.
            let (at, source) = (to.clone(), from.to_owned());
            self.held.insert(CopyMade { at, source, packed: false, patch: false });
        }
        self.held.extend(moved.into_iter().map(|held| CopyMade { at: onto(&to, &held.at, from), ..held }));
    }

    /// Where copies stand that this command made of a path (or of a directory above it).
    pub fn copies(&self, path: &Path) -> Vec<PathBuf> {
        self.held
            .iter()
            .filter(|held| !held.patch)
            .filter_map(|held| {
                let rest = path.strip_prefix(&held.source).ok()?;
                let whole = held.packed || rest.as_os_str().is_empty();
                Some(if whole { held.at.clone() } else { held.at.join(rest) })
            })
            // One that was moved back is the thing itself, and what was taken out of a copied tree is not in it.
            .filter(|at| at != path && !matches!(self.nearest(at), Some((_, FileState::Gone))))
            .collect()
    }

    /// Records a state. Everything recorded below the path goes when the path is gone or replaced by a move; copies that
    /// stood there are none any more.
    pub fn set(&mut self, path: impl Into<PathBuf>, state: FileState) {
        let path = path.into();
        match state {
            // A tree is copied into one that is there: what else is in it stays.
            FileState::CopiedFrom(_) => self.drop_copies(|at| at == path),
            _ => self.drop_copies(|at| at.starts_with(&path)),
        }
        self.altered.retain(|at| !at.starts_with(&path));
        self.packings.forget(&path);
        self.put_there(&path, matches!(state, FileState::Created { directory: true, .. }));
        self.links.retain(|at, _| !at.starts_with(&path));
        if matches!(state, FileState::Gone | FileState::MovedFrom(_)) {
            self.unlink(&path);
            // Paths are ordered by component: what lies below one follows it.
            let below = self.below(&path).map(|(known, _)| known.to_path_buf()).collect::<Vec<_>>();
            for known in below {
                self.states.remove(&known);
            }
        }
        self.states.insert(path, state);
    }

    /// Records again what stood below a directory that moved here; copies there are what they were.
    pub fn restore(&mut self, path: PathBuf, state: FileState) {
        self.states.insert(path, state);
    }

    /// A name goes away: of several names of one file that this command made, another one stands for it from now on.
    fn unlink(&mut self, path: &Path) {
        let of_it = |made: &Made| !made.symbolic && made.target.as_deref() == Some(path);
        let Some(heir) = self.links.iter().find(|(_, made)| of_it(made)).map(|(at, _)| at.clone()) else {
            return;
        };
        self.links.remove(&heir);
        for made in self.links.values_mut().filter(|made| of_it(made)) {
            made.target = Some(heir.clone());
        }
    }

    /// The state recorded for exactly this path.
    pub fn get(&self, path: &Path) -> Option<&FileState> {
        self.states.get(path)
    }

    /// The nearest recorded state: of the path, or of the closest directory above it.
    pub fn nearest(&self, path: &Path) -> Option<(&Path, &FileState)> {
        if self.states.is_empty() {
            return None;
        }
        path.ancestors().find_map(|p| self.states.get_key_value(p).map(|(k, v)| (k.as_path(), v)))
    }

    /// All states recorded below a path.
    pub fn below<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = (&'a Path, &'a FileState)> {
        self.states
            .range::<Path, _>((Bound::Excluded(path), Bound::Unbounded))
            .take_while(move |(k, _)| k.starts_with(path))
            .map(|(k, v)| (k.as_path(), v))
    }

    /// All states.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &FileState)> {
        self.states.iter().map(|(k, v)| (k.as_path(), v))
    }

    /// Records that work was saved into git by a command that ran in `dir`.
    pub fn save(&mut self, dir: impl Into<PathBuf>, saved: Saved) {
        self.saved.entry(dir.into()).or_default().insert(saved);
    }

    /// Records an act that puts work into git.
    pub fn save_by(&mut self, act: Save) {
        self.saves.insert(act);
    }

    /// Acts that put work into git so far.
    pub fn saves(&self) -> BTreeSet<Save> {
        self.saves.clone()
    }

    /// What was saved by commands that ran in `dir`, above it or below it.
    pub fn saved(&self, dir: &Path) -> BTreeSet<Saved> {
        self.saved
            .iter()
            .filter(|(known, _)| dir.starts_with(known) || known.starts_with(dir))
            .flat_map(|(_, set)| set.iter().copied())
            .collect()
    }

    /// Two ways of going on come together: what is not so in both is dropped, except that a move or copy made in either
    /// is kept (content may stand there).
    pub fn merge(&mut self, other: &Self) {
        self.states.retain(|path, state| {
            other.states.get(path) == Some(state)
                || matches!(
                    state,
                    FileState::MovedFrom(_) | FileState::CopiedFrom(_) | FileState::Created { .. }
                )
        });
        for (path, state) in &other.states {
            if !matches!(state, FileState::Gone) {
                self.states.entry(path.clone()).or_insert_with(|| state.clone());
            }
        }
        self.merge_texts(other);
        self.brought.extend(other.brought.iter().cloned());
        self.hooks.extend(other.hooks.iter().cloned());
        self.links.extend(other.links.iter().map(|(at, to)| (at.clone(), to.clone())));
        self.altered.extend(other.altered.iter().cloned());
        for (path, below) in &other.stamped {
            self.stamp(path, *below);
        }
        self.held.retain(|held| other.held.contains(held));
        if self.unfinished != other.unfinished {
            self.unfinished.clear();
        }
        self.saved.retain(|dir, set| other.saved.get(dir) == Some(set));
        self.saves.retain(|act| other.saves.contains(act));
        self.gits.retain(|file, printed| other.gits.get(file) == Some(printed));
        self.packings.merge(&other.packings);
        self.mounts.merge(&other.mounts);
        if self.from_git != other.from_git {
            self.from_git = None;
        }
    }
}
