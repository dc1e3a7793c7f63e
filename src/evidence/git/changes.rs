//! Files of the working tree that git overwrites or removes: `reset --hard`, `checkout -f`, `checkout -- path`,
//! `restore`, `rm -f` and their kin.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::evidence::path::lasts;
use crate::model::{CopyMade, Loss, LossClass, Saved, Subject};
use crate::world::{FileKind, LookError, Meta, Query};

use super::digest::hex;
use super::incoming::{Differing, difference, ignored};
use super::index::IndexEntry;
use super::inner;
use super::look::{Found, Look, find};
use super::pathspec::Pathspecs;
use super::repository::FileStatus;

/// Largest file that is looked into for whether it is text, in bytes: beyond `core.bigFileThreshold` git prints no lines.
const LARGEST_TEXT: u64 = 16 << 20;

/// What came of looking.
pub(super) enum Outcome {
    /// What would become of the files.
    Loss(Loss),
    /// Git refuses; says why.
    Refused(String),
}

/// Collects what the command would overwrite or remove.
///
/// # Errors
/// In words, when that cannot be told.
pub(super) fn changes(look: &mut Look<'_>) -> Result<Outcome, String> {
    let Some(top) = look.repo.work_tree().map(Path::to_owned) else {
        return Ok(Outcome::Refused("a bare repository has no working tree".to_owned()));
    };
    if look.has("abort") && !under_way(look) {
        return Ok(Outcome::Refused("no merge, rebase or the like is under way".to_owned()));
    }
    if look.has("ignored") {
        return ignored(look);
    }
    if let Some(prefix) = look.text("prefix").map(str::to_owned) {
        return super::worktree::exported(look, &top, &prefix);
    }
    let removes = look.has("removes");
    let mut whole = look.has("whole");
    let mut names = look.names();
    let mut source = look.text("source").map(str::to_owned);
    let mut may_switch = false;
    if look.has("maybe-source") {
        may_switch = matches!(names.as_slice(), [None]) && !look.has("keeps-ignored");
        match take_source(look, &mut names)? {
            Source::Paths => {}
            Source::From(revision) => source = Some(revision),
            Source::Switch(revision) => {
                if !look.has("force") {
                    if look.has("keeps-ignored") {
                        return Ok(Outcome::Refused(
                            "switching keeps what is there, or git refuses".to_owned(),
                        ));
                    }
                    return super::incoming::overwritten(look, &revision, None);
                }
                whole = true;
                source = Some(revision);
            }
        }
    }
    if whole && source.is_none() {
        source = Some("HEAD".to_owned());
    }
    let mut differing = BTreeMap::new();
    if look.has("source-unknown") {
        // Whatever it is, every changed file may be overwritten.
        source = None;
    }
    if let Some(source) = &source {
        match difference(look, source)? {
            Some(found) => differing = found,
            None if look.session.git().moved(&look.repo.place().common_dir) => {}
            None if source == "HEAD" => {}
            None => return Ok(Outcome::Refused(format!("there is no revision {source}"))),
        }
    }
    let prefix = look.prefix();
    let specs = look.specs(&names, if whole { "" } else { &prefix });
    let removes_missing = whole || removes || look.has("no-overlay");
    let safe = look.has("safe");
    let mut loss = Loss::default();
    let mut counted = Counted { look, top: &top, loss: &mut loss, displacing: BTreeSet::new() };
    counted.tracked(&specs, &differing, removes_missing, removes)?;
    if !counted.look.has("merge") {
        counted.untracked(&specs, &differing);
    }
    // Behind a filter git takes for unchanged what is not what it keeps.
    let index = std::rc::Rc::clone(&look.repo);
    let seen = !index.filters(look.world, index.index(look.world)?);
    if safe && seen && loss.modified > 0 {
        return Ok(Outcome::Refused("git refuses to remove changed files without -f".to_owned()));
    }
    if may_switch && let Outcome::Loss(found) = super::incoming::any_revision(look)? {
        super::clean::merge(&mut loss, found);
    }
    patched(look, &mut loss);
    Ok(Outcome::Loss(loss))
}

/// Which of the changes a patch takes out cannot be told.
fn patched(look: &Look<'_>, loss: &mut Loss) {
    if look.has("patch")
        && let Some(lost) = loss.classes.remove(&LossClass::Lost)
    {
        loss.modified = 0;
        loss.classes.insert(LossClass::Unseen, lost);
    }
}

/// What the words of `git checkout` turn out to be.
pub(super) enum Source {
    /// All are paths.
    Paths,
    /// The first is a revision, the others are paths taken from it.
    From(String),
    /// There is only a revision: another branch is checked out.
    Switch(String),
}

/// Git's own rule: the first word is a revision if there is one of that name.
pub(super) fn take_source(look: &mut Look<'_>, names: &mut Vec<Option<String>>) -> Result<Source, String> {
    // A word that is not known may be a path, and that is the worse of the two.
    let Some(Some(first)) = names.first().cloned() else { return Ok(Source::Paths) };
    if first == "-" {
        names.remove(0);
        return Ok(Source::Switch("@{-1}".to_owned()));
    }
    let found = look.resolve(&first).map_err(|e| format!("git could not be asked: {e}"))?;
    let path = look.world.lstat(&look.dir.join(&first)).is_ok();
    if found.is_none() && (path || names.len() > 1) {
        return Ok(Source::Paths);
    }
    let moved = look.session.git().moved(&look.repo.place().common_dir);
    if found.is_none() && !moved && !look.repo.tracks(look.world, &look.dir.join(&first))? {
        // A branch that only a remote has, or nothing at all.
        if first.contains(['*', '?', '[', ':']) {
            return Ok(Source::Paths);
        }
        names.remove(0);
        return Ok(Source::Switch(first));
    }
    if found.is_none() && !moved {
        return Ok(Source::Paths);
    }
    names.remove(0);
    Ok(if names.is_empty() { Source::Switch(first) } else { Source::From(first) })
}

/// Whether a merge, rebase, cherry-pick, revert, bisect or am is under way.
fn under_way(look: &Look<'_>) -> bool {
    ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer"]
        .iter()
        .any(|name| look.world.lstat(&look.repo.place().git_dir.join(name)).is_ok())
}

struct Counted<'c, 'l> {
    look: &'c mut Look<'l>,
    top: &'c Path,
    loss: &'c mut Loss,
    /// Files that stand where directories have to be, each judged once.
    displacing: BTreeSet<PathBuf>,
}

impl Counted<'_, '_> {
    /// Files that the index knows.
    fn tracked(
        &mut self,
        specs: &Pathspecs,
        differing: &BTreeMap<String, Differing>,
        removes_missing: bool,
        removes: bool,
    ) -> Result<(), String> {
        let world = self.look.world;
        let repo = std::rc::Rc::clone(&self.look.repo);
        let index = repo.index(world)?;
        let conflicts = self.look.has("merge");
        let mut last: &[u8] = b"";
        for (number, entry) in index.entries().iter().enumerate() {
            let path = index.path(entry);
            // Only what a conflict left unmerged is discarded; work beside it stays.
            let beside = conflicts && entry.stage == 0;
            if path == last || beside || (entry.skip_worktree && !removes) {
                continue;
            }
            last = path;
            let Ok(name) = std::str::from_utf8(path) else {
                self.loss.add(LossClass::Unseen, 0, || String::from_utf8_lossy(path).into_owned());
                continue;
            };
            if !specs.matches(name) {
                continue;
            }
            if number % 1024 == 1023 && !self.look.session.in_time(world) {
                self.loss.truncated = true;
                self.loss.add(LossClass::Unseen, 0, || "the rest".to_owned());
                return Ok(());
            }
            self.entry(entry, name, differing.get(name), (removes_missing, removes))?;
        }
        Ok(())
    }

    /// One of them. `removes`: whether files go that the source has not, and whether all do.
    fn entry(
        &mut self,
        entry: &IndexEntry,
        name: &str,
        difference: Option<&Differing>,
        (removes_missing, removes): (bool, bool),
    ) -> Result<(), String> {
        let world = self.look.world;
        let repo = std::rc::Rc::clone(&self.look.repo);
        let place = self.top.join(name);
        let Some(meta) = self.there(&place, name) else {
            // A file may stand where a directory of tracked files was.
            if !removes && difference.is_none_or(|d| d.source.is_some()) {
                self.in_the_way(name);
            }
            return Ok(());
        };
        // A submodule's content is left alone unless it is removed or the act goes on in it; a directory that took a file's
        // place goes.
        if meta.kind == FileKind::Directory {
            if inner::is_one(entry) && removes {
                self.submodule(&place, name)?;
            } else if inner::is_one(entry) && inner::goes_on(self.look) {
                if difference.is_some_and(|difference| difference.source.is_none()) {
                    self.displaced(&place, name, true);
                } else {
                    self.inside(&place, name)?;
                }
            }
            if !inner::is_one(entry) && !removes && difference.is_none_or(|d| d.source.is_some()) {
                self.displaced(&place, name, true);
            }
            return Ok(());
        }
        let goes = removes || difference.is_some_and(|d| d.source.is_none());
        if goes && !removes_missing {
            return Ok(());
        }
        let replaced = goes || difference.is_some_and(|d| d.source.is_some());
        if !replaced && repo.unchanged(world, &meta, entry) {
            // Git leaves alone what it takes for unchanged.
            return Ok(());
        }
        let class = match repo.compare(world, &place, &meta, entry) {
            FileStatus::Clean if replaced => LossClass::Tracked,
            FileStatus::Clean => LossClass::Nothing,
            FileStatus::Stored if meta.size == 0 => LossClass::Nothing,
            FileStatus::Stored => LossClass::Tracked,
            FileStatus::Modified if self.is_source(&place, &meta, difference) => LossClass::Nothing,
            FileStatus::Modified if self.saved(Saved::Tracked) || self.saved_path(name) => {
                let common = &repo.place().common_dir;
                self.look.session.git().note(common, |done| done.only_saved = true);
                LossClass::Tracked
            }
            FileStatus::Modified if self.copied(&place, name, difference.is_none()) => LossClass::Copied,
            FileStatus::Modified => {
                self.loss.modified += 1;
                LossClass::Lost
            }
            FileStatus::Untracked | FileStatus::Internal => LossClass::Nothing,
            FileStatus::Unseen(_) => LossClass::Unseen,
        };
        if class != LossClass::Nothing {
            self.loss.add(class, meta.size, || name.to_owned());
        }
        Ok(())
    }

    /// A submodule is removed with all that is in it. Without force git refuses where something is changed or new in it;
    /// what it ignores goes all the same.
    fn submodule(&mut self, place: &Path, name: &str) -> Result<(), String> {
        if self.look.has("safe") {
            return super::worktree::ignored_in(self.look, self.loss, place);
        }
        self.displaced(place, name, true);
        Ok(())
    }

    /// What the act takes in a submodule that it goes on in.
    fn inside(&mut self, place: &Path, name: &str) -> Result<(), String> {
        let mutation = inner::act(self.look.mutation, place);
        match find(&mutation, place, self.look.world, self.look.session) {
            Found::Here(mut look) if inner::is_there(&look, place) => {
                if let Outcome::Loss(found) = changes(&mut look)? {
                    self.loss.modified += found.modified;
                    super::clean::merge(self.loss, found);
                }
            }
            // It was never laid out: nothing stands there.
            Found::Here(_) | Found::Nowhere(_) => {}
            Found::Unseen(_) => self.loss.add(LossClass::Unseen, 0, || name.to_owned()),
        }
        Ok(())
    }

    /// Files that only the source knows and that stand there untracked: they are overwritten.
    fn untracked(&mut self, specs: &Pathspecs, differing: &BTreeMap<String, Differing>) {
        for (name, difference) in differing {
            if difference.in_index || !specs.matches(name) {
                continue;
            }
            let place = self.top.join(name);
            let Some(meta) = self.there(&place, name) else {
                // A name that is no valid text cannot be looked up by what git said of it.
                if name.contains('\u{fffd}') {
                    self.loss.add(LossClass::Unseen, 0, || name.clone());
                } else if difference.source.is_some() {
                    self.in_the_way(name);
                }
                continue;
            };
            if meta.kind == FileKind::Directory {
                self.displaced(&place, name, true);
                continue;
            }
            if meta.size == 0 || self.is_source(&place, &meta, Some(difference)) {
                continue;
            }
            let class = if self.saved(Saved::Untracked)
                || self.look.repo.stores_content(self.look.world, &place, &meta)
            {
                LossClass::Tracked
            } else {
                LossClass::Lost
            };
            self.loss.add(class, meta.size, || name.clone());
        }
    }

    /// The untracked file that stands where a directory for this path has to be, if one does.
    fn in_the_way(&mut self, name: &str) {
        let (world, repo) = (self.look.world, std::rc::Rc::clone(&self.look.repo));
        for above in Path::new(name).ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            let place = self.top.join(above);
            match world.lstat(&place) {
                Ok(meta) if meta.kind == FileKind::Directory => return,
                Ok(_) if !self.displacing.insert(place.clone()) => return,
                Ok(meta) if repo.classify(world, &place, &meta) == FileStatus::Clean => return,
                Ok(_) => return self.displaced(&place, &above.to_string_lossy(), false),
                Err(_) => {}
            }
        }
    }

    /// Something else that stands where git puts a tracked path: it goes as `rm -r` would take it.
    fn displaced(&mut self, place: &Path, name: &str, directory: bool) {
        super::clean::add(self.look, self.loss, place, name, directory);
    }

    /// Whether an earlier step of the command put just this path into git.
    fn saved_path(&self, name: &str) -> bool {
        let cache = self.look.session.git();
        let done = cache.done(&self.look.repo.place().common_dir).with(&cache.saves());
        done.saved_paths.iter().chain(&done.saved_tracked).any(|(_, specs)| specs.matches(name))
    }

    /// Whether the same command made a copy before that stays: outside of the working tree, where git takes nothing away. A
    /// patch counts for text that comes back to what the index has.
    fn copied(&mut self, place: &Path, name: &str, to_index: bool) -> bool {
        let (world, top) = (self.look.world, self.top);
        let Subject::Git { copies, .. } = &self.look.mutation.subject else { return false };
        let of: Vec<&CopyMade> = copies
            .iter()
            .filter(|copy| place.starts_with(&copy.source) && !copy.at.starts_with(top))
            .collect();
        if of.is_empty() {
            return false;
        }
        let places = self.look.session.places(world);
        let stay: Vec<_> = of.into_iter().filter(|copy| lasts(world, &places, &copy.at)).collect();
        stay.iter().any(|copy| !copy.patch) || to_index && !stay.is_empty() && self.is_patched(place, name)
    }

    /// Whether a patch holds the whole difference of a file: git takes it for text as it stands, and prints it itself.
    fn is_patched(&mut self, place: &Path, name: &str) -> bool {
        let world = self.look.world;
        let set = |key: &str| self.look.config(key).is_some_and(|value| value != "false" && value != "auto");
        if ["diff.external", "color.ui", "color.diff", "core.autocrlf"].into_iter().any(set)
            || world.env("GIT_EXTERNAL_DIFF").is_some()
        {
            return false;
        }
        let asked = ["check-attr", "-z", "--all", "--", name].map(str::to_owned);
        let query = Query::Git { dir: self.top.to_owned(), arguments: asked.to_vec() };
        let text = world.read_file(place, LARGEST_TEXT).is_ok_and(|bytes| !bytes.contains(&0));
        let left = self.look.session.time_left(world);
        text && world.ask(&query, left).is_ok_and(|attributes| attributes.is_empty())
    }

    fn saved(&self, what: Saved) -> bool {
        matches!(&self.look.mutation.subject, Subject::Git { saved, .. } if saved.contains(&what))
    }

    fn there(&mut self, place: &Path, name: &str) -> Option<Meta> {
        match self.look.world.lstat(place) {
            Ok(meta) => Some(meta),
            Err(LookError::NotFound) => None,
            Err(_) => {
                self.loss.add(LossClass::Unseen, 0, || name.to_owned());
                None
            }
        }
    }

    /// Whether the file already is what the source has.
    fn is_source(&self, place: &Path, meta: &Meta, difference: Option<&Differing>) -> bool {
        let Some(id) = difference.and_then(|d| d.source.as_ref()) else { return false };
        self.look
            .repo
            .content_ids(self.look.world, place, meta)
            .is_ok_and(|ids| ids.iter().any(|found| hex(found) == *id))
    }
}
