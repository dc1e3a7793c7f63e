//! `mv`: what is overwritten at the new place. What is moved is not lost.

use std::path::Path;

use crate::knowledge::{Match, machine};
use crate::model::{Action, Subject, Value};
use crate::shell::Invocation;

use super::backup;
use super::place::{Placed, overwrite_facts, placed, with_displaced};
use crate::effects::program::{Change, Draft, Scene, Word, flag, keeps_nothing, text_of};

/// See [`Room::Move`](crate::knowledge::Room::Move).
pub(super) struct Move;

impl super::Program for Move {
    fn does(&self, scene: &Scene<'_>, invocation: &Invocation, _: Vec<Draft>) -> Vec<Draft> {
        moves(scene, invocation)
    }
}

/// One draft per source.
fn moves(scene: &Scene<'_>, invocation: &Invocation) -> Vec<Draft> {
    let matched = &invocation.matched;
    let places = placed(scene, invocation, false);
    let mut away: Vec<Draft> = places.iter().filter_map(|placed| taken_away(scene, placed)).collect();
    away.extend(places.iter().filter_map(|placed| one_of_several(scene, placed)));
    away.extend(places.iter().filter_map(|placed| onto_each_other(scene, matched, placed)));
    let put = places
        .into_iter()
        .map(|placed| {
            if placed.to.as_known().is_some_and(keeps_nothing)
                && let Some(from) = &placed.from
            {
                // Renaming onto a device takes its place, or fails and copies the content into nothing.
                let path = Value::known(text_of(from));
                let word = Word::new(placed.source.value.clone(), placed.source.explicit);
                return Draft::of(scene.on_absolute(Action::Delete, "file", path, &word));
            }
            let mut mutation = scene.on_absolute(Action::Replace, "file", placed.to.clone(), &placed.shown);
            overwrite_facts(invocation, &mut mutation);
            if matched.has("--exchange") {
                flag(&mut mutation, "no-change", "the two change places");
            } else {
                flag(&mut mutation, "renames", "only the name is taken over");
            }
            let mut changes = Vec::new();
            if let Subject::Path(subject) = &mut mutation.subject {
                subject.follow = false;
                subject.from.clone_from(&placed.from);
                if let (Some(from), Some(to)) = (&placed.from, placed.place()) {
                    changes.extend(backup::moved(scene, invocation, &to));
                    let stays = mutation.facts.contains_key("no-clobber") && scene.at(&to).is_some();
                    if !stays && !mutation.context.asks && !matched.has("--exchange") {
                        changes.push(Change::Moved { from: from.clone(), to });
                    }
                }
            }
            Draft::with(mutation, changes)
        })
        .collect::<Vec<_>>();
    away.extend(with_displaced(scene, put));
    away
}

/// One of several things goes to a place where something stands: which of them is not known, and putting the old one back
/// would take the place of what was moved there.
fn one_of_several(scene: &Scene<'_>, placed: &Placed) -> Option<Draft> {
    placed.source.value.choices().filter(|_| placed.from.is_none() && !placed.comes)?;
    let taken = |place: &String| scene.at(Path::new(place)).is_some();
    let free = placed.to.choices().is_some_and(|places| !places.iter().any(taken));
    let mutation =
        scene.on_absolute(Action::Delete, "file", scene.path(&placed.source.value), &placed.source);
    (!free && scene.step.context.host.is_none()).then(|| Draft::of(mutation))
}

/// Each turn of a loop gives its file a name that is only known then, and none that is made of the name it had: two of them may
/// get the same one, and the first is gone.
fn onto_each_other(scene: &Scene<'_>, matched: &Match, placed: &Placed) -> Option<Draft> {
    let context = &scene.step.context;
    let spares = ["-n", "-i", "-b", "--backup", "--exchange"].iter().any(|option| matched.has(option));
    if context.once || context.host.is_some() || spares || placed.comes || placed.to.choices().is_some() {
        return None;
    }
    let shown = placed.shown.value.display();
    let from = placed.from.as_deref()?;
    let stem = from.file_stem()?.to_str()?;
    scene.at(from).filter(|_| !shown.contains(stem))?;
    let path = Value::known(text_of(from));
    Some(Draft::of(scene.on_absolute(Action::Delete, "file", path, &placed.source)))
}

/// Directories of a machine of which all below is the system's or somebody else's.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr",
    "/etc",
    "/boot",
    "/efi",
    "/opt",
    "/srv",
    "/var",
    "/home",
    "/root",
    "/nix",
    "/snap",
    "/System",
    "/Library",
    "/Applications",
    "/Users",
    "/private",
];
/// What it costs that something is no longer where it was: asked only where the place may matter.
fn taken_away(scene: &Scene<'_>, placed: &Placed) -> Option<Draft> {
    let (from, to) = (placed.from.as_ref()?, placed.to.prefix());
    if scene.step.context.host.is_some() {
        return None;
    }
    let home = scene.home();
    let at_home = |path: &Path| home.as_ref().is_some_and(|home| path.starts_with(home));
    let fleeting = |path: &Path| machine().fleeting.iter().any(|dir| path.starts_with(dir)) && !at_home(path);
    let leaves = fleeting(Path::new(&to)) && !fleeting(from);
    let system = from == Path::new("/")
        || (SYSTEM.iter().any(|dir| from.starts_with(dir)) && !at_home(from))
        || home.as_ref() == Some(from);
    if !leaves && !system {
        return None;
    }
    let path = Value::known(text_of(from));
    let mut mutation = scene.on_absolute(Action::Update, "file.moved", path, &placed.source);
    if leaves {
        flag(&mut mutation, "to-temporary", "it goes where nothing lasts");
    }
    if let Subject::Path(subject) = &mut mutation.subject {
        subject.recursive = true;
        subject.follow = false;
    }
    Some(Draft::of(mutation))
}
