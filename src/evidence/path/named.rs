//! Copies in places that the command itself names: `cmp a bak/a && rm a`, `rm -r d && cp -r ../safe/d .`, `tar tf d.tar && rm -r d`.
//!
//! Hardly anything is searched for: only places that the words of the command name are looked at, what stands beside a file
//! or tree under a name that begins with its own (`d.bak`, `d.tar`), and only when something would be lost. Bytes are compared,
//! within bounds; what goes with the same act or went before, or is temporary, is no copy.

use std::path::{Component, Path, PathBuf};

use crate::evidence::{Session, archive};
use crate::world::{FileKind, Meta, World};

use super::content;
use super::walk::Walk;

/// Places that are looked at, and files that are compared, in one evaluation.
const PLACES: usize = 40;
const COMPARED: usize = 2_000;
/// Largest directory in which a copy beside a tree is looked for, and such copies that are looked into.
const BESIDE: usize = 2_000;
const COPIES: usize = 4;

/// A place that the command names.
#[derive(Clone, Debug)]
pub(in crate::evidence) struct Named {
    place: PathBuf,
    kind: FileKind,
}

impl Named {
    pub(in crate::evidence) fn place(&self) -> &Path {
        &self.place
    }
}

/// The places, each once, links followed.
pub(in crate::evidence) fn places(world: &dyn World, words: &[PathBuf]) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for word in words.iter().take(4 * PLACES) {
        let Ok(meta) = world.stat(word) else { continue };
        let Ok(place) = world.canonicalize(word) else { continue };
        let known = found.iter().any(|named| named.place == place);
        if !known && matches!(meta.kind, FileKind::File | FileKind::Directory) && found.len() < PLACES {
            found.push(Named { place, kind: meta.kind });
        }
    }
    found
}

/// Where a file that would be lost has a copy of the same bytes; `root` is the tree that goes with it.
pub(super) fn copy(walk: &mut Walk<'_>, root: Option<&Path>, path: &Path, meta: &Meta) -> Option<PathBuf> {
    if meta.size == 0 {
        return None;
    }
    let named = walk.session.named(walk.world);
    let beside = beside(walk, root.unwrap_or(path));
    for one in named.iter().chain(&beside) {
        if walk.goes_too(&one.place)
            || walk.session.is_destroyed(&one.place)
            || walk.places.is_temporary(&one.place)
            || one.place == path
        {
            continue;
        }
        let found = match one.kind {
            FileKind::Directory => below(walk, &one.place, root, path, meta),
            _ => file(walk, &one.place, root, path, meta),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// What stands beside a tree or file under a name that begins with its name.
fn beside(walk: &mut Walk<'_>, root: &Path) -> Vec<Named> {
    let (Some(dir), Some(name)) = (root.parent(), root.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let Some(listed) = walk.session.scan(walk.world, dir, BESIDE) else { return Vec::new() };
    let fits = |entry: &str| entry.len() > name.len() && entry.starts_with(name);
    let found = listed.iter().filter(|(entry, _)| entry.exact && fits(&entry.name));
    let files = found.filter_map(|(entry, meta)| Some((entry, meta.as_ref().ok()?.kind)));
    let files = files.filter(|(_, kind)| matches!(kind, FileKind::File | FileKind::Directory));
    files.take(COPIES).map(|(entry, kind)| Named { place: dir.join(&entry.name), kind }).collect()
}

/// In a directory that is named: under its own name, or as the tree is laid out.
fn below(walk: &mut Walk<'_>, dir: &Path, root: Option<&Path>, path: &Path, meta: &Meta) -> Option<PathBuf> {
    let mut tried: Vec<PathBuf> = Vec::new();
    match root.and_then(|root| Some((root.file_name()?, path.strip_prefix(root).ok()?))) {
        Some((name, rest)) => tried.extend([dir.join(rest), dir.join(name).join(rest)]),
        None => tried.push(dir.join(path.file_name()?)),
    }
    tried.into_iter().find(|other| same(walk, other, path, meta))
}

/// A file that is named: the copy itself, or an archive that holds it.
fn file(walk: &mut Walk<'_>, place: &Path, root: Option<&Path>, path: &Path, meta: &Meta) -> Option<PathBuf> {
    if same(walk, place, path, meta) {
        return Some(place.to_owned());
    }
    let packed = walk.session.packed(walk.world, place)?;
    let within = root.and_then(|root| path.strip_prefix(root.parent()?).ok());
    let fits = |name: &Path| {
        let plain = name.components().all(|part| matches!(part, Component::Normal(_)));
        plain && (path.ends_with(name) || within.is_some_and(|within| name.ends_with(within)))
    };
    let held = packed.find(meta.size, fits)?;
    if !walk.session.compares(COMPARED) || walk.session.bytes_left() < meta.size {
        return None;
    }
    walk.session.spend_bytes(meta.size);
    let content = walk.world.read_file(path, meta.size).ok()?;
    held.iter().any(|held| archive::is_held(held, &content)).then(|| place.to_owned())
}

fn same(walk: &mut Walk<'_>, other: &Path, path: &Path, meta: &Meta) -> bool {
    let Ok(found) = walk.world.lstat(other) else { return false };
    found.kind == FileKind::File
        && found.size == meta.size
        && found.id != meta.id
        && other != path
        && !walk.goes_too(other)
        && !walk.session.is_destroyed(other)
        && walk.session.compares(COMPARED)
        && content::same(walk.world, walk.session, path, other, meta.size)
}

/// What the session keeps of this.
impl Session {
    /// Whether one more file may be compared.
    fn compares(&mut self, limit: usize) -> bool {
        self.compared += 1;
        self.compared <= limit
    }
}
