//! What stands now at the places that a point speaks of, and what an undo would do with each.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::keep::{Item, Was, is_absent};

use super::Step;
use super::dirs::{Dirs, Thing, split};
use super::kept::{Kept, Where};
use super::rights;

/// An item of a group by its index, and the device and number of the file that stands there.
type Member = (usize, (u64, u64));

/// What becomes of each item. Items are sorted by path. With `only_named`, a directory goes only with things that are named.
pub(super) fn steps(items: Vec<Item>, kept: &Kept, only_named: bool) -> Vec<(Item, Step)> {
    let mut found = looked(items, kept, Where::There);
    if only_named {
        spare_the_unnamed(&mut found);
    }
    found
}

/// What becomes of each item below another directory.
pub(super) fn beside(items: Vec<Item>, kept: &Kept) -> Vec<(Item, Step)> {
    looked(items, kept, Where::Beside)
}

fn looked(items: Vec<Item>, kept: &Kept, at: Where) -> Vec<(Item, Step)> {
    let mut dirs = Dirs::default();
    let mut found: Vec<(Item, Step)> = Vec::with_capacity(items.len());
    let mut files: HashMap<u32, Vec<Member>> = HashMap::new();
    for item in items {
        let thing = look(&mut dirs, &item.path.0);
        let step = step(&item, &thing, kept, at);
        if let (Some(group), Ok(Some(thing)), Step::Same | Step::Rights) = (item.group(), &thing, step) {
            let id = (thing.meta.dev(), thing.meta.ino());
            files.entry(group).or_default().push((found.len(), id));
        }
        found.push((item, step));
    }
    // Names of one file that are names of several by now.
    for members in files.into_values() {
        let Some((first, id)) = members.first().copied() else { continue };
        let anchor = match kept.itself(&found[first].0.was) {
            Some((_, meta))
                if at == Where::There && meta.nlink() > 1 && !has_changed(&found[first].0, &meta) =>
            {
                (meta.dev(), meta.ino())
            }
            _ => id,
        };
        for (index, id) in members {
            if id != anchor {
                found[index].1 = Step::Replaced;
            }
        }
    }
    found
}

/// Whether a file that is kept by a further name was written into since.
pub(super) fn has_changed(item: &Item, now: &fs::Metadata) -> bool {
    let Was::File { size, .. } = item.was else { return true };
    let modified = (now.mtime(), u32::try_from(now.mtime_nsec()).unwrap_or(0));
    now.len() != size || modified != item.modified
}

/// What stands at a path, reached through directories only.
fn look(dirs: &mut Dirs, path: &Path) -> io::Result<Option<Thing>> {
    let (parent, name) = split(path)?;
    match dirs.open(parent).and_then(|dir| dir.thing(name)) {
        // A directory above it is none any more.
        Err(error) if is_absent(&error) => Ok(None),
        found => found,
    }
}

fn step(item: &Item, thing: &io::Result<Option<Thing>>, kept: &Kept, at: Where) -> Step {
    let thing = match thing {
        Ok(Some(thing)) => thing,
        Ok(None) if item.was == Was::Absent || item.was.is_about() => return Step::Same,
        Ok(None) => return Step::Back,
        Err(_) if item.was.is_about() => return Step::Same,
        Err(_) => return Step::Replaced,
    };
    let kind = thing.meta.file_type();
    let same = match &item.was {
        Was::Absent => return Step::Gone,
        Was::Around | Was::Service(_) => return Step::Same,
        Was::Rights | Was::RightsAndTime => true,
        Was::Directory => kind.is_dir(),
        Was::Pipe => kind.is_fifo(),
        Was::Device { blocks, number } => {
            (if *blocks { kind.is_block_device() } else { kind.is_char_device() })
                && thing.meta.rdev() == *number
        }
        Was::Link(target) => {
            kind.is_symlink() && fs::read_link(thing.place()).is_ok_and(|now| now == target.0)
        }
        Was::File { .. } => kind.is_file() && kept.is_in(item, &thing.reached().0, &thing.meta, at),
    };
    match same {
        true if rights::are_same(item, thing) => Step::Same,
        true => Step::Rights,
        false => Step::Replaced,
    }
}

/// Leaves directories that something was put into since, and only takes away what is named.
fn spare_the_unnamed(found: &mut [(Item, Step)]) {
    let named: BTreeSet<PathBuf> =
        found.iter().filter(|(_, step)| *step == Step::Gone).map(|(item, _)| item.path.0.clone()).collect();
    for (item, step) in found.iter_mut().filter(|(_, step)| *step == Step::Gone) {
        let mut pending = vec![item.path.0.clone()];
        while let Some(path) = pending.pop() {
            if !named.contains(&path) {
                *step = Step::Same;
                break;
            }
            if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir()) {
                match fs::read_dir(&path) {
                    Ok(entries) => pending.extend(entries.flatten().map(|entry| entry.path())),
                    Err(_) => {
                        *step = Step::Same;
                        break;
                    }
                }
            }
        }
    }
}

/// Takes out what cannot come back, because its content went back to its place before and was changed or removed there.
pub(super) fn take_lost(steps: &mut Vec<(Item, Step)>, kept: &Kept) -> Vec<Item> {
    // By another of its names it can be had.
    let stands = |group: Option<u32>| {
        group.is_some()
            && steps
                .iter()
                .any(|(item, step)| item.group() == group && matches!(step, Step::Same | Step::Rights))
    };
    let lost: BTreeSet<PathBuf> = steps
        .iter()
        .filter(|(item, step)| {
            matches!(step, Step::Back | Step::Replaced) && kept.has_lost(&item.was) && !stands(item.group())
        })
        .map(|(item, _)| item.path.0.clone())
        .collect();
    let (gone, rest): (Vec<_>, Vec<_>) =
        std::mem::take(steps).into_iter().partition(|(item, _)| lost.contains(&item.path.0));
    *steps = rest;
    gone.into_iter().map(|(item, _)| item).collect()
}
