//! What a path is where nothing but a tree's own files can be told: by where it stands and by its name.
//!
//! A scan reads files for whoever will run them, on a machine that nobody looks at. What a build makes, what a temporary
//! directory holds, and what the tree has not, is not what people lose by its script; places beyond the tree, the tree's own
//! directories, and what is named like data, keys and databases stay unseen.

use std::path::{Component, Path};

use crate::knowledge::machine;
use crate::model::{Action, LossClass, Mutation, PathSubject, Value};
use crate::world::{Tree, World};

use super::places::precious_name;
use super::regenerable;
use super::walk::Walk;

/// Whether the path was put into a class here.
pub(super) fn at(walk: &mut Walk<'_>, mutation: &Mutation, subject: &PathSubject, path: &Path) -> bool {
    let Some(tree) = walk.world.tree() else { return false };
    if mutation.kind == "device" || walk.places.catastrophe(path).is_some() {
        return false;
    }
    let found = if walk.places.is_temporary(path) || named_temporary(path) {
        Some((LossClass::Temporary, "is temporary by its name".to_owned()))
    } else if precious_name(path).is_some() {
        None
    } else if walk.places.is_cached(path) || machine().refilled.iter().any(|root| path.starts_with(root)) {
        Some((LossClass::Regenerable, "is a cache".to_owned()))
    } else {
        in_tree(tree, mutation, subject, path)
    };
    let Some((class, why)) = found else { return false };
    walk.note(format!("{} {why}", subject.shown));
    walk.add(class, 0, path);
    true
}

/// What a path below the tree is, or one that programs are installed to.
fn in_tree(
    tree: &Tree,
    mutation: &Mutation,
    subject: &PathSubject,
    path: &Path,
) -> Option<(LossClass, String)> {
    let made_again = |again: &str| Some((LossClass::Regenerable, format!("is made again: {again}")));
    let one = !subject.recursive && !tree.has_directory(path);
    // Of a directory that is not known only the name below it is.
    let relative = path.is_relative() && !path.components().any(|part| part == Component::ParentDir);
    let Some(below) = path.strip_prefix(tree.root()).ok().or(relative.then_some(path)) else {
        let installs = one && mutation.action != Action::Delete && path.starts_with("/usr/local");
        // Where one of the places that it may mean is the tree's, the others come from a way that nobody takes: `cd … && pwd`
        // gives nothing where it fails, and a script is not called from everywhere.
        let of_tree = |place: &String| {
            let place = Path::new(place);
            place.starts_with(tree.root()) && place.file_name() == path.file_name()
        };
        let perhaps = matches!(&subject.path, Value::OneOf(all) if all.iter().any(of_tree));
        let last = path.file_name().and_then(|name| name.to_str()).and_then(regenerable::listed_again);
        return match last.filter(|_| perhaps) {
            Some(again) => made_again(again),
            None if one && perhaps => Some((LossClass::Regenerable, "is no file of the project".to_owned())),
            None => installs.then(|| (LossClass::Regenerable, "is what is installed there again".to_owned())),
        };
    };
    if let Some(again) = made(below) {
        return made_again(again);
    }
    if tree.has_file(path) {
        return Some((LossClass::Tracked, "is a file of the project".to_owned()));
    }
    if tree.has_directory(path) || below.as_os_str().is_empty() {
        return None;
    }
    // What the project calls its own directories says nothing about what is in them.
    let own = path.ancestors().skip(1).find(|above| tree.has_directory(above)).unwrap_or(tree.root());
    let inner = path.strip_prefix(own).unwrap_or(below);
    let data = inner.components().any(|part| {
        part.as_os_str().to_str().is_some_and(|name| machine().holds_data.has(&name.to_ascii_lowercase()))
    });
    let a_persons = mutation.action == Action::Delete && is_a_persons(path);
    // Anything below the tree may be meant by a way that leads out of it.
    let leaves = below.components().any(|part| part == Component::ParentDir);
    let made = !(data && (subject.recursive || mutation.action == Action::Delete)) && !a_persons && !leaves;
    made.then(|| (LossClass::Regenerable, "is no file of the project".to_owned()))
}

/// The same for a path of which only the beginning and the end are known.
pub(super) fn between(
    walk: &mut Walk<'_>,
    mutation: &Mutation,
    subject: &PathSubject,
    (prefix, suffix): (&str, &str),
) -> bool {
    if walk.world.tree().is_none() {
        return false;
    }
    // Whatever stands before it, the last name says what it is.
    if let Some((_, last)) = suffix.rsplit_once('/')
        && !last.is_empty()
        && (regenerable::listed_again(last).is_some() || is_temporary_name(last))
    {
        walk.note(format!("{} is made again, by its name", subject.shown));
        walk.add(LossClass::Regenerable, 0, Path::new(&subject.shown));
        return true;
    }
    let Some((dir, stem)) = prefix.rsplit_once('/').filter(|_| prefix.starts_with('/')) else { return false };
    if dir.is_empty() || suffix.contains('/') && subject.recursive {
        return false;
    }
    let dir = Path::new(dir);
    if stem.is_empty() && suffix.is_empty() {
        // All that stands in it.
        let whole = PathSubject { recursive: true, ..subject.clone() };
        return mutation.raw.contains('*') && at(walk, mutation, &whole, dir)
            || !subject.recursive
                && mutation.action != Action::Delete
                && at(walk, mutation, subject, &dir.join("any"));
    }
    // Files of the tree that are meant are seen as what they are.
    if walk.world.tree().is_some_and(|tree| tree.has_below(dir, stem, suffix)) && subject.recursive {
        return false;
    }
    at(walk, mutation, subject, &dir.join(format!("{stem}x{suffix}")))
}

/// How what stands there is made again, by the name of one of the directories on the way.
fn made(below: &Path) -> Option<&'static str> {
    below.components().find_map(|part| match part {
        Component::Normal(name) => regenerable::listed_again(name.to_str()?),
        _ => None,
    })
}

/// It stands in a directory that is named as temporary, or is named so itself.
fn named_temporary(path: &Path) -> bool {
    let names = || path.components().filter_map(|part| part.as_os_str().to_str());
    let deep = names().count() > 2;
    deep && (names().any(is_temporary_directory) || names().next_back().is_some_and(is_temporary_name))
}

/// A path in a temporary directory, on whatever machine a tree's files are run.
pub(super) fn is_temporary(world: &dyn World, subject: &PathSubject) -> bool {
    let below = |text: &str| {
        machine()
            .temporary
            .iter()
            .any(|root| text.strip_prefix(root).is_some_and(|rest| rest.len() > 1 && !rest.contains("..")))
    };
    world.tree().is_some() && subject.path.choices().is_some_and(|all| all.iter().all(|text| below(text)))
}

fn is_temporary_directory(name: &str) -> bool {
    matches!(name, "tmp" | "temp" | ".tmp" | ".temp" | "_tmp" | "_temp")
}

fn is_temporary_name(name: &str) -> bool {
    is_temporary_directory(name)
        || ["tmp.", "tmp-", "tmp_", "temp-", "temp_"].iter().any(|start| name.starts_with(start))
        || [".tmp", ".temp", "-tmp", "_tmp", ".swp"].iter().any(|end| name.ends_with(end))
}

/// A document or a picture.
fn is_a_persons(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| regenerable::is_a_persons(name, false))
}
