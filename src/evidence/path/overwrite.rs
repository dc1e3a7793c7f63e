//! What one file, one device or one merged tree loses.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::evidence::{Session, archive};
use crate::knowledge::machine;
use crate::model::{Action, Evidence, FactValue, Loss, LossClass, Mutation, PathSubject, keeps_nothing};
use crate::world::{FileKind, LookError, Meta, Query, World};

use super::walk::{How, Walk};
use super::{Places, content, flag, places, regenerable, rights};

/// Deepest and largest tree that is merged into another, in entries.
const MERGE_LIMIT: usize = 20_000;

/// A regular file is deleted, overwritten or changed.
pub(super) fn file(
    walk: &mut Walk<'_>,
    mutation: &Mutation,
    subject: &PathSubject,
    place: &Path,
    meta: &Meta,
) {
    if let Some(why) = stays(walk, mutation, subject, place, meta) {
        walk.note(format!("{} {why}", walk.show(place)));
        return;
    }
    if fails(walk, mutation, place, meta) {
        walk.protected += 1;
        return;
    }
    if made_before(walk, mutation, place, meta) {
        walk.note(format!("{} is what the program made before", walk.show(place)));
        walk.add(LossClass::Regenerable, meta.size, place);
        return;
    }
    one(walk, place, meta);
}

/// Whether what stands where a program puts what it makes is a program's work already, and not of the system.
/// Whoever names the file may name anything: there it must be what compilers make, and lie where this is done.
fn made_before(walk: &Walk<'_>, mutation: &Mutation, place: &Path, meta: &Meta) -> bool {
    let here = || walk.how.cwd.iter().any(|cwd| place.starts_with(cwd));
    let is_made: fn(&[u8]) -> bool = match (flag(mutation, "product"), flag(mutation, "product.named")) {
        (true, _) => regenerable::is_product,
        (false, true) if here() => regenerable::is_compiled,
        _ => return false,
    };
    !walk.places.is_system(place)
        && meta.size <= content::FILE_LIMIT
        && walk.world.read_file(place, content::FILE_LIMIT).is_ok_and(|it| is_made(&it))
}

/// Classes one file; a twin or a package may still hold what seems lost.
pub(super) fn one(walk: &mut Walk<'_>, place: &Path, meta: &Meta) {
    let before = walk.begin();
    walk.file(place, meta);
    let found = walk.go_back(before);
    let class = match found.worst() {
        LossClass::Lost => rescued(walk, place, meta).unwrap_or(LossClass::Lost),
        other => other,
    };
    if class == LossClass::Lost {
        walk.loss.modified += found.modified;
        if let Some(why) = found.precious {
            walk.mark(&why, 50);
        }
    }
    walk.add(class, if class == LossClass::Nothing { 0 } else { meta.size }, place);
}

/// Another place that holds the same content.
fn rescued(walk: &mut Walk<'_>, place: &Path, meta: &Meta) -> Option<LossClass> {
    if let Some(twin) = content::twin(walk.world, walk.session, place, meta) {
        let shown = walk.show(&twin);
        walk.note(format!("{shown} has the same content"));
        walk.kept.get_or_insert(shown);
        return Some(LossClass::Copied);
    }
    if let Some(class) = named(walk, place, meta) {
        return Some(class);
    }
    let (places, cwd) = (walk.places, walk.how.cwd.clone());
    let keeps = |path: &Path| !places.is_temporary(path);
    if let Some(unpacked) = archive::elsewhere(walk.world, walk.session, place, meta.size, &cwd, &keeps) {
        let shown = walk.show(&unpacked);
        walk.note(format!("all that it holds stands unpacked in {shown}"));
        walk.kept.get_or_insert(shown);
        return Some(LossClass::Copied);
    }
    // What installs it again needs it itself.
    if let Some(why) = walk.places.essential(place) {
        walk.mark(why, 100);
        return None;
    }
    if walk.places.is_system(place) && walk.session.in_time(walk.world) {
        let query = Query::PackageOwner { paths: vec![place.to_owned()] };
        let answer = walk.world.ask(&query, walk.session.time_left(walk.world)).ok()?;
        let text = String::from_utf8_lossy(&answer).into_owned();
        let mut fields = text.lines().next()?.split('\t');
        let (package, state) = (fields.next()?, fields.nth(1)?);
        if state == "unchanged" {
            walk.note(format!("{} belongs to the package {package}, unchanged", walk.show(place)));
            return Some(LossClass::Packaged);
        }
    }
    None
}

/// A place that the command names and that holds the same content.
fn named(walk: &mut Walk<'_>, place: &Path, meta: &Meta) -> Option<LossClass> {
    let copy = super::named::copy(walk, None, place, meta)?;
    let shown = walk.show(&copy);
    walk.note(format!("{shown} has the same content"));
    walk.kept.get_or_insert(shown);
    Some(LossClass::Copied)
}

/// Why the content stays although the command names it, if it does.
fn stays(
    walk: &mut Walk<'_>,
    mutation: &Mutation,
    subject: &PathSubject,
    place: &Path,
    meta: &Meta,
) -> Option<&'static str> {
    if meta.size == 0 {
        return Some("is empty");
    }
    if flag(mutation, "no-change") {
        return Some("is not changed");
    }
    if mutation.action == Action::Delete {
        return None;
    }
    if flag(mutation, "append") {
        return Some("is only added to");
    }
    if let Some(fact) = mutation.facts.get("adds")
        && let FactValue::Text(names) = &fact.value
    {
        let from = mutation.context.cwd.as_slice();
        return (archive::replaces(walk.world, walk.session, place, names, from) == Some(false))
            .then_some("gets new members, and keeps those that it has");
    }
    if flag(mutation, "no-clobber") {
        return Some("exists, so it is left alone");
    }
    if let Some(text) = &subject.content
        && content::keeps(walk.world, place, meta.size, text)
    {
        return Some("keeps its content");
    }
    let from = subject.from.as_deref()?;
    let source = walk.world.stat(from).ok()?;
    if source.id == meta.id {
        return Some("is the same file as the one it would be replaced by");
    }
    if flag(mutation, "update-only") && source.modified <= meta.modified {
        return Some("is newer, so it is left alone");
    }
    let identical = source.kind == FileKind::File
        && source.size == meta.size
        && !walk.session.is_destroyed(from)
        && content::same(walk.world, walk.session, from, place, meta.size);
    identical.then_some("already has the same content")
}

/// Whether the caller's rights make the act fail.
fn fails(walk: &Walk<'_>, mutation: &Mutation, place: &Path, meta: &Meta) -> bool {
    if !walk.how.rights {
        return false;
    }
    let name_may_go = rights::name_may_go(walk.world, place, meta);
    match mutation.action {
        Action::Delete => !name_may_go,
        // Some programs write in place, others put a new file in the old one's stead: either suffices.
        _ if flag(mutation, "in-place") => !walk.world.writable(place),
        _ => !name_may_go && !walk.world.writable(place),
    }
}

/// A symbolic link itself goes: nothing, unless the system finds its programs through it.
pub(super) fn link(walk: &mut Walk<'_>, place: &Path, meta: &Meta) {
    let why = walk.places.catastrophe(place).or_else(|| walk.places.essential(place));
    let installed = walk.places.is_system(place) && !place.starts_with("/etc");
    if why.is_none() && !installed {
        walk.note(format!("{} is only a symbolic link", walk.show(place)));
    } else if walk.how.rights && !rights::name_may_go(walk.world, place, meta) {
        walk.protected += 1;
    } else if let Some(why) = why {
        walk.mark(why, 200);
        walk.add(LossClass::Lost, 0, place);
    } else {
        walk.note(format!("{} is a link that an installed package may need", walk.show(place)));
        walk.add(LossClass::Packaged, 0, place);
    }
}

/// A device is written to or its name removed.
pub(super) fn device(walk: &mut Walk<'_>, mutation: &Mutation, place: &Path, kind: FileKind) {
    if mutation.action == Action::Delete && !flag(mutation, "overwrites") && mutation.kind != "device" {
        walk.note(format!("{} is only the name of a device", place.display()));
        return;
    }
    if keeps_nothing(&place.to_string_lossy()) {
        walk.note(format!("{} keeps nothing", place.display()));
        return;
    }
    if kind == FileKind::BlockDevice {
        walk.mark("block device", 95);
        walk.add(LossClass::Lost, 0, place);
    } else {
        walk.note(format!("{} is a device; what writing to it does cannot be told", place.display()));
        walk.add(LossClass::Unseen, 0, place);
    }
}

/// Names that disks and partitions have, whether or not one is there now.
pub(super) fn names_a_device(path: &Path) -> bool {
    let Ok(name) = path.strip_prefix("/dev") else { return false };
    let name = name.to_string_lossy();
    machine().disks.iter().any(|start| name.starts_with(start))
}

/// A tree is copied over another: files in both are overwritten; with `mirror` what only the target has goes too.
pub(super) fn tree(walk: &mut Walk<'_>, mutation: &Mutation, target: &Path, from: &Path) {
    let mirror = flag(mutation, "mirror");
    let mut pending: Vec<(PathBuf, PathBuf)> = vec![(from.to_owned(), target.to_owned())];
    let mut seen = 0_usize;
    while let Some((source, dest)) = pending.pop() {
        let here = match walk.world.scan(&dest, MERGE_LIMIT.saturating_sub(seen)) {
            Ok(entries) => entries,
            Err(LookError::NotFound) => continue,
            Err(error) => {
                walk.note(format!("{}: {error}", walk.show(&dest)));
                walk.add(LossClass::Unseen, 0, &dest);
                continue;
            }
        };
        seen += here.len();
        walk.session.spend_entries(here.len());
        for (entry, meta) in here {
            let (ours, theirs) = (dest.join(&entry.name), source.join(&entry.name));
            let (meta, other) = match (meta, walk.world.lstat(&theirs)) {
                (Err(LookError::NotFound), _) => continue,
                (Ok(meta), Ok(other)) if entry.exact => (meta, Some(other)),
                (Ok(meta), Err(LookError::NotFound)) if entry.exact => (meta, None),
                // Whether it is overwritten, or what it is, cannot be told.
                _ => {
                    walk.add(LossClass::Unseen, 0, &ours);
                    continue;
                }
            };
            match (meta.kind, other) {
                (FileKind::Directory, Some(other)) if other.kind == FileKind::Directory => {
                    pending.push((theirs, ours))
                }
                (FileKind::Directory, None) if mirror => walk.tree(&ours, &meta),
                (FileKind::Directory, _) => {}
                (_, None) if mirror => merged(walk, &ours, &meta),
                (_, None) => {}
                // Written through, unless the name is taken over.
                (FileKind::Symlink, Some(other)) if other.kind == FileKind::File && walk.how.in_place => {
                    match (walk.world.canonicalize(&ours), walk.world.stat(&ours)) {
                        (Ok(place), Ok(meta)) => {
                            overwritten(walk, mutation, (&place, &meta), (&theirs, &other));
                        }
                        (Err(LookError::NotFound | LookError::Loop), _) => {}
                        _ => walk.add(LossClass::Unseen, 0, &ours),
                    }
                }
                (FileKind::File, Some(other)) => {
                    overwritten(walk, mutation, (&ours, &meta), (&theirs, &other))
                }
                (_, Some(_)) => {}
            }
        }
    }
}

fn overwritten(walk: &mut Walk<'_>, mutation: &Mutation, ours: (&Path, &Meta), theirs: (&Path, &Meta)) {
    let untouched = theirs.1.kind == FileKind::Directory
        || flag(mutation, "no-clobber")
        || (flag(mutation, "update-only") && theirs.1.modified <= ours.1.modified)
        || (theirs.1.size == ours.1.size
            && content::same(walk.world, walk.session, theirs.0, ours.0, ours.1.size));
    if !untouched {
        merged(walk, ours.0, ours.1);
    }
}

fn merged(walk: &mut Walk<'_>, path: &Path, meta: &Meta) {
    if meta.kind == FileKind::File && meta.size > 0 {
        let place = places::resolve_parent(walk.world, path).unwrap_or_else(|_| path.to_owned());
        one(walk, &place, meta);
    }
}

/// Files that something writes over, one by one: what they lose together.
pub(in crate::evidence) struct Overwritten<'a> {
    mutation: &'a Mutation,
    world: &'a dyn World,
    session: &'a mut Session,
    places: Rc<Places>,
    loss: Loss,
    notes: Vec<String>,
    untracked: bool,
    /// The files that stand there now, as long as all are known.
    changed: Option<Vec<PathBuf>>,
    /// What goes although what is overwritten is kept.
    displaced: Loss,
}

impl<'a> Overwritten<'a> {
    /// Nothing so far.
    pub(in crate::evidence) fn new(
        mutation: &'a Mutation,
        world: &'a dyn World,
        session: &'a mut Session,
    ) -> Self {
        let places = session.places(world);
        Self {
            mutation,
            world,
            session,
            places,
            loss: Loss::default(),
            notes: Vec::new(),
            untracked: false,
            changed: Some(Vec::new()),
            displaced: Loss::default(),
        }
    }

    /// A file whose name what is kept takes: that one goes.
    pub(in crate::evidence) fn displaces(&mut self, path: &Path, meta: &Meta) {
        let kept = std::mem::take(&mut self.loss);
        std::mem::swap(&mut self.displaced, &mut self.loss);
        self.add(path, meta);
        self.displaced = std::mem::replace(&mut self.loss, kept);
        self.meets(path);
    }

    /// Bytes of content that may still be read.
    pub(in crate::evidence) fn bytes_left(&self) -> u64 {
        self.session.bytes_left()
    }

    /// One more file, whose content goes.
    pub(in crate::evidence) fn add(&mut self, path: &Path, meta: &Meta) {
        let place = places::resolve_parent(self.world, path).unwrap_or_else(|_| path.to_owned());
        self.walk(|walk| one(walk, &place, meta));
        self.session.destroy(&place);
    }

    /// A directory that goes with all below it.
    pub(in crate::evidence) fn add_all(&mut self, path: &Path, meta: &Meta) {
        self.changed = None;
        self.walk(|walk| walk.tree(path, meta));
        self.session.destroy(path);
    }

    /// Something stands where something is put, whether or not content goes by that.
    pub(in crate::evidence) fn meets(&mut self, path: &Path) {
        if let Some(changed) = &mut self.changed {
            changed.push(path.to_owned());
        }
    }

    /// One more file, which could not be looked at.
    pub(in crate::evidence) fn add_unseen(&mut self, path: &Path) {
        self.changed = None;
        self.walk(|walk| walk.add(LossClass::Unseen, 0, path));
    }

    /// A directory whose files are laid over those of another.
    pub(in crate::evidence) fn add_tree(&mut self, target: &Path, from: &Path) {
        let mutation = self.mutation;
        self.changed = None;
        self.walk(|walk| tree(walk, mutation, target, from));
    }

    /// A file that is laid over another, if one stands there.
    pub(in crate::evidence) fn add_copy(&mut self, target: &Path, from: &Path, theirs: &Meta) {
        let mutation = self.mutation;
        match self.world.lstat(target) {
            Ok(meta) if meta.kind == FileKind::File => {
                self.meets(target);
                self.walk(|walk| overwritten(walk, mutation, (target, &meta), (from, theirs)));
            }
            Ok(meta) if meta.kind != FileKind::Directory => self.meets(target),
            Ok(_) | Err(LookError::NotFound) => {}
            Err(_) => self.add_unseen(target),
        }
    }

    /// Whether something is lost, or may be.
    pub(in crate::evidence) fn loses(&self) -> bool {
        self.loss.worst() >= LossClass::Lost
    }

    fn walk(&mut self, each: impl FnOnce(&mut Walk<'_>)) {
        let how = How { cwd: self.mutation.context.cwd.clone(), ..How::default() };
        let mut walk = Walk::new(self.world, self.session, &self.places, how);
        walk.loss = std::mem::take(&mut self.loss);
        walk.notes = std::mem::take(&mut self.notes);
        each(&mut walk);
        self.untracked |= walk.untracked;
        (self.loss, self.notes) = (walk.loss, walk.notes);
    }

    /// Sets the facts; `nothing` says why, when nothing is lost.
    pub(in crate::evidence) fn finish(mut self, evidence: &mut Evidence, nothing: &str) {
        evidence.changed = self.changed.take();
        if flag(self.mutation, "backup") {
            super::kept::soften(&mut self.loss, LossClass::Snapshot);
        }
        for (class, tally) in std::mem::take(&mut self.displaced).classes {
            let into = self.loss.classes.entry(class).or_default();
            into.files += tally.files;
            into.bytes += tally.bytes;
            into.examples.extend(tally.examples);
        }
        if self.loss.worst() == LossClass::Nothing {
            self.notes.insert(0, nothing.to_owned());
        }
        super::finish(evidence, self.loss, &self.notes, self.untracked);
    }
}
