//! The path probe: what would become of the content of a file or tree.
//!
//! Owns how a path is looked up (links, several possible values, what the same command did before) and hands each place
//! to the walk. Facts it sets: `loss` (the worst class), `loss.summary`, `loss.files` and `loss.bytes` (of that class),
//! `loss.outright` (the class if copies that the same command made did not count), `precious`, `truncated`, `exists`,
//! `writable`.
//!
//! Facts of the mutation that it heeds: `append`, `no-clobber`, `backup`, `update-only`, `overwrites` (bytes are
//! overwritten in place), `renames` (only the name is taken over), `one-file-system`, `mirror` (a tree replaced by another
//! also loses what the other has not), `no-change`, `product` (the program makes it, and may have made it before).

mod ahead;
mod by_name;
mod clone;
mod content;
mod fleeting;
mod history;
mod kept;
mod made_again;
mod named;
mod overwrite;
mod packages;
mod places;
mod reach;
mod regenerable;
mod rights;
mod standing;
mod summary;
mod told;
mod vouch;
mod walk;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::model::{
    Action, Evidence, Fact, FactValue, Loss, LossClass, MissingEffect, Mutation, PathOrigin, PathSubject,
    Source, Value,
};
use crate::world::{FileKind, LookError, Meta, World};

use super::Session;
use kept::{Kept, soften_by_copies};
use reach::{reached, remember};
use standing::exists;
use told::{finish_saying, unseen};
use walk::{How, Walk};

pub(super) use content::Alike;
pub(super) use kept::lasts;
pub(super) use named::{Named, places as named_places};
pub(super) use overwrite::Overwritten;
pub(super) use packages::installed;
pub(super) use places::Places;
pub(super) use regenerable::MadeAgain;
pub(super) use told::{finish, word};
pub(super) use vouch::Records;

/// Whether a fact of the mutation is set to anything but no.
pub(super) fn flag(mutation: &Mutation, key: &str) -> bool {
    mutation.facts.get(key).is_some_and(|fact| fact.value != FactValue::Bool(false))
}

/// Collects evidence for a mutation of files.
pub(super) fn probe(
    mutation: &Mutation,
    subject: &PathSubject,
    world: &dyn World,
    session: &mut Session,
    evidence: &mut Evidence,
) {
    let keeps_content = matches!(
        mutation.kind.as_str(),
        "file.packed" | "file.trashed" | "file.mode" | "tree.mode" | "file.moved"
    );
    if keeps_content || !matches!(mutation.action, Action::Delete | Action::Replace | Action::Update) {
        exists(mutation, subject, world, session, evidence);
        if mutation.kind != "file.moved" || !flag(mutation, "to-temporary") {
            return;
        }
    }
    if elsewhere(mutation, subject, world, evidence) {
        return;
    }
    if !reached(mutation, subject, world, session) {
        let note = format!("git leaves {} alone", subject.shown);
        return finish(evidence, Loss::default(), &[note], false);
    }
    let places = session.places(world);
    let how = How {
        in_place: flag(mutation, "overwrites")
            || mutation.kind == "device"
            || (mutation.action != Action::Delete && !flag(mutation, "renames")),
        rights: session.rights_hold() && !mutation.context.privileged,
        one_file_system: flag(mutation, "one-file-system"),
        excluded: subject.moved_out.clone(),
        cwd: mutation.context.cwd.clone(),
        going: going(world, subject),
        anew: flag(mutation, "product"),
    };
    let mut walk = Walk::new(world, session, &places, how);
    match &subject.origin {
        PathOrigin::Created => walk.note(format!("{} is made by this command", subject.shown)),
        PathOrigin::Gone => walk.note(format!("{} is gone by then", subject.shown)),
        PathOrigin::MovedFrom(from) => {
            let moved = Value::known(from.display().to_string());
            values(&mut walk, mutation, subject, &moved);
        }
        PathOrigin::Existing => values(&mut walk, mutation, subject, &subject.path),
    }
    for from in &subject.moved_in {
        at(&mut walk, mutation, subject, from);
    }
    let Walk { mut loss, mut notes, untracked, protected, again, kept, .. } = walk;
    for (key, value) in [("loss.again", again), ("loss.kept", kept)] {
        let value = value.unwrap_or_default();
        evidence
            .facts
            .insert(key.to_owned(), Fact::new(FactValue::Text(value), "how or where it can be had again"));
    }
    if protected > 0 {
        notes.push("this user may not change it, so the command fails there".to_owned());
        evidence.fact("writable", FactValue::Bool(false), "this user may not remove or overwrite it");
    }
    let kept = Kept { mutation, subject, world, places: &places };
    soften_by_copies(&kept, &mut loss, &mut notes, evidence);
    remember_all(session, world, subject);
    if loss.worst() == LossClass::Unseen {
        let what = if loss.truncated {
            "not everything below it was looked at"
        } else {
            "it could not be looked at"
        };
        evidence.miss("files", format!("{}: {what}", subject.shown), MissingEffect::RequiresReview);
    }
    finish(evidence, loss, &notes, untracked);
}

/// What is on another machine, which is not looked at; whether the files are there.
fn elsewhere(mutation: &Mutation, subject: &PathSubject, world: &dyn World, evidence: &mut Evidence) -> bool {
    let Some(host) = &mutation.context.host else { return false };
    if by_name::is_temporary(world, subject) {
        let note = format!("{} is temporary by its name", subject.shown);
        finish(evidence, Loss::default(), &[note], false);
        return true;
    }
    if mutation.context.fresh {
        let note =
            format!("{} belongs to {host}, made fresh for this: nothing in it is anybody's", subject.shown);
        finish(evidence, Loss::default(), &[note], false);
    } else if flag(mutation, "backup") {
        let mut kept = Loss::default();
        kept.add(LossClass::Snapshot, 0, || subject.shown.clone());
        let note = format!("the command keeps a backup of the old content on {host}");
        finish(evidence, kept, &[note], false);
    } else {
        evidence.miss(
            "files",
            format!("{} is on {host}, which was not looked at", subject.shown),
            MissingEffect::RequiresReview,
        );
        let summary = format!("{} is on {host}, where nobody looked", subject.shown);
        finish_saying(evidence, unseen(subject), &[], summary);
    }
    true
}

/// What was judged here counts for what the same command does later.
fn remember_all(session: &mut Session, world: &dyn World, subject: &PathSubject) {
    match &subject.origin {
        PathOrigin::Existing => {
            for path in subject.path.choices().unwrap_or_default() {
                remember(session, world, subject, Path::new(path));
            }
        }
        // The content that was there when the command began.
        PathOrigin::MovedFrom(from) => remember(session, world, subject, from),
        PathOrigin::Created | PathOrigin::Gone => {}
    }
    for from in &subject.moved_in {
        remember(session, world, subject, from);
    }
}

/// The places that an act names as its targets.
fn going(world: &dyn World, subject: &PathSubject) -> Vec<PathBuf> {
    let choices = subject.path.choices().unwrap_or_default().iter().map(PathBuf::from);
    let named = choices.chain(subject.moved_in.iter().cloned());
    named.flat_map(|path| [places::resolve(world, &path).unwrap_or_else(|_| path.clone()), path]).collect()
}

/// How a file stands for whoever changes it in part: the class its content would have, in a word and a sentence.
pub(super) fn standing(
    mutation: &Mutation,
    file: &Path,
    world: &dyn World,
    session: &mut Session,
) -> Option<(&'static str, String)> {
    let place = world.canonicalize(file).ok()?;
    let meta = world.lstat(&place).ok()?;
    let places = session.places(world);
    let how = How { in_place: true, cwd: mutation.context.cwd.clone(), ..How::default() };
    let mut walk = Walk::new(world, session, &places, how);
    overwrite::one(&mut walk, &place, &meta);
    Some((word(walk.loss.worst()), summary::sentence(&walk.loss, walk.untracked)))
}

/// What stands below a directory and is nowhere else as it stands: what is not committed, or outside of any repository.
/// What is temporary, and what git holds as it stands, is left out.
#[derive(Debug, Default)]
pub struct Uncommitted {
    /// Files, links and empty directories.
    pub files: Vec<PathBuf>,
    /// Directories in which names stand that are no text: those are in none of these lists.
    pub foreign: Vec<PathBuf>,
    /// Repositories below it, by their git directories' place: what is committed there is in none of these lists.
    pub nested: Vec<PathBuf>,
    /// What tools make again: whole directories, and files.
    pub made_again: Vec<PathBuf>,
    /// It is all of it: no limit was reached, everything could be looked at.
    pub whole: bool,
}

/// Whether a file was found to be nowhere else before, and is as it was then: it need not be compared again.
pub type Known<'a> = dyn Fn(&Path, &Meta) -> bool + 'a;

/// Looks for [`Uncommitted`] files, `limit` entries of directories at most.
pub fn uncommitted(
    root: &Path,
    limit: usize,
    known: &Known<'_>,
    world: &dyn World,
    session: &mut Session,
) -> Uncommitted {
    let nothing = Uncommitted::default();
    let Ok(root) = world.canonicalize(root) else { return nothing };
    let Ok(meta) = world.lstat(&root) else { return nothing };
    let places = session.places(world);
    let mut walk = Walk::new(world, session, &places, How { in_place: true, ..How::default() });
    walk.collect = Some(Uncommitted { whole: true, ..Uncommitted::default() });
    walk.known = Some(known);
    walk.limit_to(limit);
    walk.tree(&root, &meta);
    let cut = walk.loss.truncated;
    let found = walk.collect.take().unwrap_or_default();
    Uncommitted { whole: found.whole && !cut, ..found }
}

/// Every possible value of the path.
fn values(walk: &mut Walk<'_>, mutation: &Mutation, subject: &PathSubject, value: &Value) {
    match value {
        Value::Known(path) => at(walk, mutation, subject, Path::new(path)),
        Value::OneOf(list) => {
            for path in list {
                at(walk, mutation, subject, Path::new(path));
            }
        }
        Value::Affix { prefix, suffix } => between(walk, mutation, subject, prefix, suffix),
        Value::Woven(_) => values(walk, mutation, subject, &value.clone().plain()),
        Value::Lines(_) | Value::Unknown => {
            walk.note(format!("which path {} names cannot be told", subject.shown));
            walk.add(LossClass::Unseen, 0, Path::new(&subject.shown));
        }
    }
}

/// A path that begins and ends with known text: the entries that fit decide.
fn between(walk: &mut Walk<'_>, mutation: &Mutation, subject: &PathSubject, prefix: &str, suffix: &str) {
    if by_name::between(walk, mutation, subject, (prefix, suffix)) {
        return;
    }
    let (dir, stem) = match prefix.rsplit_once('/') {
        Some((dir, stem)) if prefix.starts_with('/') => (if dir.is_empty() { "/" } else { dir }, stem),
        _ => {
            walk.note(format!("which path {} names cannot be told", subject.shown));
            walk.add(LossClass::Unseen, 0, Path::new(&subject.shown));
            return;
        }
    };
    let dir = places::resolve(walk.world, Path::new(dir)).unwrap_or_else(|_| PathBuf::from(dir));
    if walk.places.is_temporary(&dir.join("x")) {
        walk.note(format!("{} lies in a temporary directory", subject.shown));
        walk.add(LossClass::Temporary, 0, Path::new(&subject.shown));
        return;
    }
    let dots = matches!(stem, "." | "..");
    let entries = match walk.world.read_dir(&dir, 2000) {
        Ok(entries) => entries,
        Err(LookError::NotFound) if !(subject.recursive && stem.is_empty() || dots) => return,
        // All that stands in such a place.
        Err(LookError::Elsewhere)
            if subject.recursive
                && stem.is_empty()
                && suffix.is_empty()
                && mutation.raw.contains('*')
                && fatal_anywhere(walk, &dir) =>
        {
            return;
        }
        Err(_) => {
            walk.add(LossClass::Unseen, 0, Path::new(&subject.shown));
            return;
        }
    };
    let fits = |name: &str, kind: FileKind| {
        name.starts_with(stem)
            && (kind == FileKind::Directory || name.ends_with(suffix) || suffix.contains('/'))
    };
    // Of a name that is no valid text it cannot be told whether it fits.
    let found: Vec<_> =
        entries.into_iter().filter(|entry| !entry.exact || fits(&entry.name, entry.kind)).collect();
    // With a stem the unknown part cannot lead out of the directory, unless `.` or `..` goes on with a slash.
    let leaves = dots || stem.is_empty() && (subject.recursive || mutation.action == Action::Delete);
    if leaves {
        walk.note(format!("{} could be any path below {}", subject.shown, walk.show(&dir)));
        walk.add(LossClass::Unseen, 0, Path::new(&subject.shown));
        return;
    }
    let before = walk.loss.clone();
    for entry in &found {
        if !entry.exact {
            walk.add(LossClass::Unseen, 0, &dir.join(&entry.name));
            continue;
        }
        let mut each = subject.clone();
        each.recursive |= entry.kind == FileKind::Directory;
        at(walk, mutation, &each, &dir.join(&entry.name));
    }
    // Which of them it will be is not known, so a possible loss is a question and not a certainty.
    if walk.loss.worst() >= LossClass::Lost {
        walk.loss = before;
        walk.note(format!("{} could be any of {} names", subject.shown, found.len()));
        walk.add(LossClass::Unseen, 0, Path::new(&subject.shown));
    }
}

/// One known path.
fn at(walk: &mut Walk<'_>, mutation: &Mutation, subject: &PathSubject, path: &Path) {
    let world = walk.world;
    // `rm -r link/` empties the directory behind the link.
    let behind = subject.recursive && subject.shown.len() > 1 && subject.shown.ends_with('/');
    let updates = mutation.action == Action::Update && !flag(mutation, "renames");
    let follow = subject.follow || behind || updates;
    if mutation.action != Action::Delete && places::commands_the_kernel(path) {
        walk.note(format!(
            "{} is a switch of the running system; what it does cannot be told",
            path.display()
        ));
        walk.add(LossClass::Unseen, 0, path);
        return;
    }
    if by_name::at(walk, mutation, subject, path) {
        return;
    }
    let named = match places::resolve_parent(world, path) {
        Ok(named) => named,
        Err(LookError::NotFound) => return absent(walk, mutation, path),
        Err(LookError::Elsewhere) if subject.recursive && fatal_anywhere(walk, path) => return,
        Err(error) => return blocked(walk, path, &error),
    };
    let meta = match world.lstat(&named) {
        Ok(meta) => meta,
        Err(LookError::NotFound) => return absent(walk, mutation, &named),
        Err(LookError::Elsewhere) if subject.recursive && fatal_anywhere(walk, &named) => return,
        Err(error) => return blocked(walk, &named, &error),
    };
    let (place, meta) = if meta.kind == FileKind::Symlink && follow {
        match (world.canonicalize(&named), world.stat(&named)) {
            (Ok(place), Ok(meta)) => (place, meta),
            (Err(LookError::NotFound | LookError::Loop), _)
            | (_, Err(LookError::NotFound | LookError::Loop)) => {
                walk.note(format!("{} is a symbolic link to nothing", walk.show(&named)));
                return;
            }
            (Err(error), _) | (_, Err(error)) => return blocked(walk, &named, &error),
        }
    } else {
        (named, meta)
    };
    match meta.kind {
        FileKind::Symlink => overwrite::link(walk, &place, &meta),
        FileKind::BlockDevice | FileKind::CharDevice => overwrite::device(walk, mutation, &place, meta.kind),
        FileKind::Other => walk.note(format!("{} is a pipe or socket", walk.show(&place))),
        FileKind::Directory => directory(walk, mutation, subject, &place, &meta),
        FileKind::File => overwrite::file(walk, mutation, subject, &place, &meta),
    }
}

fn directory(
    walk: &mut Walk<'_>,
    mutation: &Mutation,
    subject: &PathSubject,
    place: &Path,
    meta: &crate::world::Meta,
) {
    if !subject.recursive {
        walk.note(format!("{} is a directory, so the command fails on it", walk.show(place)));
        return;
    }
    if mutation.action == Action::Replace
        && let Some(from) = &subject.from
    {
        overwrite::tree(walk, mutation, place, from);
        return;
    }
    if mutation.action != Action::Delete && subject.from.is_none() && flag(mutation, "no-clobber") {
        return;
    }
    if let Some(why) = walk.places.catastrophe(place) {
        walk.mark(why, 200);
        walk.certain();
        walk.tree(place, meta);
        // However little of it could be seen, and whatever the walk made of it.
        let known = walk.loss.classes.remove(&LossClass::Unseen);
        walk.loss.truncated |= known.is_some();
        walk.loss.add(LossClass::Lost, 0, || place.display().to_string());
        return;
    }
    let inside = |cwd: &PathBuf| {
        cwd.starts_with(place) || walk.world.canonicalize(cwd).is_ok_and(|cwd| cwd.starts_with(place))
    };
    if mutation.context.cwd.iter().any(inside) {
        walk.mark("current directory", 70);
    }
    if walk.places.mounts_below(place).next().is_some() && !walk.how.one_file_system {
        walk.mark("mounted file system", 90);
    }
    if let Some(why) = walk.places.precious(place) {
        walk.mark(why, 60);
    }
    walk.tree(place, meta);
}

fn absent(walk: &mut Walk<'_>, mutation: &Mutation, path: &Path) {
    if mutation.action != Action::Delete && overwrite::names_a_device(path) {
        walk.mark("block device", 95);
        walk.note(format!("{} is not here now; if it is there by then, all it holds goes", path.display()));
        walk.add(LossClass::Lost, 0, path);
        return;
    }
    // The character that stands for bytes which are no valid text: the name that is meant is another one.
    if path.to_str().is_none_or(|text| text.contains(char::REPLACEMENT_CHARACTER)) {
        walk.note(format!("the name {} is not valid text, so it was not looked up", walk.show(path)));
        walk.add(LossClass::Unseen, 0, path);
        return;
    }
    if foreign(mutation, path, walk.world) && !walk.places.is_temporary(path) {
        walk.note(format!("{} is not here, but it may be where the command runs", walk.show(path)));
        walk.add(LossClass::Unseen, 0, path);
        return;
    }
    walk.note(format!("{} does not exist", walk.show(path)));
}

/// A place of another machine, such as a server's container: not even its folder is here, nor in the call's directory.
fn foreign(mutation: &Mutation, path: &Path, world: &dyn World) -> bool {
    mutation.source == Source::Mcp
        && !flag(mutation, "here")
        && path.parent().is_some_and(|folder| world.stat(folder).is_err())
        && !mutation.context.cwd.iter().any(|cwd| path.starts_with(cwd) && world.stat(cwd).is_ok())
}

fn blocked(walk: &mut Walk<'_>, path: &Path, error: &LookError) {
    if let Some(why) = walk.places.precious(path) {
        walk.mark(why, 60);
    }
    // A directory that may not be searched keeps its content from the command as well.
    if walk.how.rights && *error == LookError::Denied {
        walk.protected += 1;
        return;
    }
    if *error == LookError::Loop {
        walk.note(format!("{}: {error}", walk.show(path)));
        return;
    }
    walk.note(format!("{}: {error}", walk.show(path)));
    walk.add(LossClass::Unseen, 0, path);
}

/// Such places exist on every machine, and hold what all depends on.
fn fatal_anywhere(walk: &mut Walk<'_>, path: &Path) -> bool {
    let Some(why) = walk.places.catastrophe(path) else { return false };
    walk.mark(why, 200);
    walk.add(LossClass::Lost, 0, path);
    true
}
