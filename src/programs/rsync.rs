//! `rsync`: what it overwrites and deletes at the receiving side, here or on another machine.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::{Action, Mutation, Subject, Value};
use crate::shell::Invocation;
use crate::world::FileKind;

use crate::effects::program::{
    Change, Draft, Scene, Word, base_name, behind_host, below, explicit, flag, is_remote, keeps_nothing,
    text_of,
};

/// See [`Room::Rsync`](crate::knowledge::Room::Rsync).
pub(super) struct Rsync;

impl super::Program for Rsync {
    fn does(&self, scene: &Scene<'_>, invocation: &Invocation, _: Vec<Draft>) -> Vec<Draft> {
        rsync(scene, invocation)
    }
}

/// Options that delete at the receiving side what the sender has not.
const DELETING: [&str; 8] = [
    "--delete",
    "--del",
    "--delete-before",
    "--delete-during",
    "--delete-delay",
    "--delete-after",
    "--delete-excluded",
    "--delete-missing-args",
];

/// Replaces the declared effects.
fn rsync(scene: &Scene<'_>, invocation: &Invocation) -> Vec<Draft> {
    let matched = &invocation.matched;
    let Some(dest) = matched.operand("dest") else { return Vec::new() };
    let target = Word::new(dest.value.clone(), explicit(invocation, &[dest.index]));
    let deletes = DELETING.iter().any(|key| matched.has(key));
    let mut drafts: Vec<Draft> = Vec::new();
    if is_remote(&target.value) {
        let action = if deletes { Action::Delete } else { Action::Update };
        drafts.push(Draft::of(scene.on_other(
            action,
            "remote.tree",
            std::slice::from_ref(&target.value),
            &target.value,
        )));
    }
    for source in matched.operands("src") {
        let word = Word::new(source.value.clone(), explicit(invocation, &[source.index]));
        let from = if is_remote(&source.value) { None } else { scene.only_path(&source.value) };
        let place = if is_remote(&target.value) {
            None
        } else {
            let (mutation, place) = receive(scene, matched, &word, from.as_ref(), &target, deletes);
            let changes = match (&from, &place) {
                (Some(from), Some(to)) if whole(scene, matched, from) => {
                    let made = Change::Made { path: to.clone(), content: None, directory: true };
                    let first = !drafts.iter().any(|draft| draft.changes.contains(&made));
                    let fresh = first && scene.is_directory(from) && scene.at(to).is_none();
                    let made = fresh.then_some(made);
                    let copied = Change::Copied { from: from.clone(), to: to.clone(), packed: true };
                    made.into_iter().chain([copied]).collect()
                }
                _ => Vec::new(),
            };
            drafts.extend(in_the_way(scene, matched, from.as_deref(), place.as_deref()));
            drafts.push(Draft::with(mutation, changes));
            drafts.extend(place.as_deref().and_then(|place| older_backups(scene, matched, place)));
            place
        };
        if matched.has("--remove-source-files") && !is_remote(&source.value) {
            let mut mutation = scene.on_path(Action::Delete, "tree", &word);
            if !place.as_deref().is_some_and(|place| keeps_nothing(&text_of(place))) {
                flag(&mut mutation, "kept", "every file is deleted only once it stands at the target");
            }
            if let (Subject::Path(subject), Some(place)) = (&mut mutation.subject, place)
                && !keeps_nothing(&text_of(&place))
            {
                subject.copies.push(place);
            }
            drafts.push(Draft::with(mutation, Vec::new()));
        }
    }
    drafts
}

/// What is overwritten goes to a directory of backups, or beside it under a longer name, over what of that name was put there
/// before.
fn older_backups(scene: &Scene<'_>, matched: &Match, place: &Path) -> Option<Draft> {
    if !matched.has("--backup") && !matched.has("-b") {
        return None;
    }
    let Some(given) = matched.value("--backup-dir") else { return older_beside(scene, matched, place) };
    // It counts from the directory that is written into.
    let tree = scene.is_directory(place);
    let into = if tree { place } else { place.parent()? };
    let to = scene.absolute(given, &[into.to_owned()]);
    let there = to.as_known().map(Path::new)?;
    if !scene.is_directory(there) {
        return None;
    }
    if !tree {
        let ending = matched.value("--suffix").map_or(Some(""), Value::as_known)?;
        let name = format!("{}{ending}", place.file_name()?.to_str()?);
        let old = there.join(name);
        let value = Value::known(old.to_string_lossy());
        let word = Word::new(value.clone(), false);
        let stands = scene.at(place).is_some() && scene.at(&old).is_some();
        return stands
            .then(|| Draft::with(scene.on_absolute(Action::Replace, "file", value, &word), Vec::new()));
    }
    let mut mutation =
        scene.on_absolute(Action::Replace, "tree", to.clone(), &Word::new(given.clone(), true));
    if let Subject::Path(subject) = &mut mutation.subject {
        subject.from = Some(place.to_owned());
    }
    Some(Draft::with(mutation, Vec::new()))
}

/// The backup of a file that stands there goes. In a directory older ones make the option no promise; see [`receive`].
fn older_beside(scene: &Scene<'_>, matched: &Match, place: &Path) -> Option<Draft> {
    let ending = ending(matched)?;
    let old = PathBuf::from(format!("{}{ending}", place.display()));
    let file = |path: &Path| scene.at(path).is_some_and(|seen| seen.kind == FileKind::File);
    let value = Value::known(old.to_string_lossy());
    let word = Word::new(value.clone(), false);
    (file(place) && file(&old))
        .then(|| Draft::with(scene.on_absolute(Action::Replace, "file", value, &word), Vec::new()))
}

/// What stands behind the names of backups that lie beside what they are of; `None` where it is not known.
fn ending(matched: &Match) -> Option<&str> {
    matched.value("--suffix").map_or(Some("~"), Value::as_known)
}

/// Whether what an option keeps under another name takes no older backup's place in a directory.
fn keeps_all(scene: &Scene<'_>, matched: &Match, place: Option<&Path>) -> bool {
    if matched.value("--backup-dir").is_some() {
        return true;
    }
    let (Some(place), Some(ending)) = (place, ending(matched)) else { return false };
    let is_backup = |path: &Path| path.to_string_lossy().ends_with(ending);
    !scene.is_directory(place) || !any_below(scene, place, &is_backup)
}

/// The directories of the target that `--force` takes away for files of the source which have their names; the target, where
/// those cannot be told.
fn in_the_way(scene: &Scene<'_>, matched: &Match, from: Option<&Path>, place: Option<&Path>) -> Vec<Draft> {
    let (true, Some(place)) = (matched.has("--force"), place.filter(|place| scene.is_directory(place)))
    else {
        return Vec::new();
    };
    let found = RefCell::new(Vec::new());
    let meets = |from: &Path, path: &Path| {
        let to = path.strip_prefix(from).map_or(place.to_owned(), |inner| place.join(inner));
        if !scene.is_directory(path) && scene.is_directory(&to) {
            found.borrow_mut().push(to);
        }
        false
    };
    let told = from.is_some_and(|from| {
        meets(from, from);
        scene.at(from).is_some()
            && (!scene.is_directory(from) || !any_below(scene, from, &|path| meets(from, path)))
    });
    let found = if told { found.into_inner() } else { vec![place.to_owned()] };
    let each = found.into_iter().map(|dir| {
        let value = Value::known(dir.to_string_lossy());
        let word = Word::new(value.clone(), false);
        Draft::with(scene.on_absolute(Action::Delete, "tree", value, &word), Vec::new())
    });
    each.collect()
}

/// Most names that are looked at below a directory; beyond, something may be there.
const NAMES: usize = 2000;

/// Whether something below a directory is what is looked for, or may be.
fn any_below(scene: &Scene<'_>, top: &Path, wanted: &dyn Fn(&Path) -> bool) -> bool {
    let mut waiting = vec![top.to_owned()];
    let mut left = NAMES;
    while let Some(dir) = waiting.pop() {
        let Some(names) = scene.look.names(&dir) else { return true };
        for path in names.into_iter().map(|name| dir.join(name)) {
            let Some(less) = left.checked_sub(1) else { return true };
            left = less;
            if wanted(&path) {
                return true;
            }
            if scene.is_directory(&path) && !scene.is_link(&path) {
                waiting.push(path);
            }
        }
    }
    false
}

/// Options that leave out some of the source, or all of it.
const PARTIAL: [&str; 16] = [
    "--exclude",
    "--exclude-from",
    "--include",
    "--include-from",
    "--files-from",
    "--filter",
    "-F",
    "--cvs-exclude",
    "--max-size",
    "--min-size",
    "--existing",
    "--ignore-existing",
    "--update",
    "--dirs",
    "--one-file-system",
    "--list-only",
];

/// Whether all of a source arrives.
fn whole(scene: &Scene<'_>, matched: &Match, from: &std::path::Path) -> bool {
    let tree = scene.is_directory(from);
    !PARTIAL.iter().any(|key| matched.has(key))
        && (!tree || matched.has("--archive") || matched.has("--recursive"))
}

/// What one local or remote source overwrites in a local target.
fn receive(
    scene: &Scene<'_>,
    matched: &Match,
    source: &Word,
    from: Option<&PathBuf>,
    target: &Word,
    deletes: bool,
) -> (Mutation, Option<PathBuf>) {
    let text = source.value.as_known().unwrap_or_default();
    let own = behind_host(text);
    let contents = own.ends_with('/') || own.ends_with("/.") || matches!(own, "." | "");
    let is_file = from.is_some_and(|from| scene.at(from).is_some_and(|seen| seen.kind == FileKind::File));
    let absolute = scene.path(&target.value);
    let target_is_directory = target.value.suffix().ends_with('/')
        || absolute.as_known().is_some_and(|path| scene.is_directory(std::path::Path::new(path)));
    let target_is_file = absolute
        .as_known()
        .and_then(|path| scene.at(Path::new(path)))
        .is_some_and(|seen| seen.kind == FileKind::File);
    let inside = !contents && (!is_file && !target_is_file || target_is_directory);
    let to = match base_name(own) {
        Some(name) if inside => below(&absolute, &Value::known(name)),
        _ => absolute,
    };
    let kind = if is_file { "file" } else { "tree" };
    let shown = if deletes || !inside { target.value.clone() } else { below_shown(&target.value, text) };
    let word = Word::new(shown, false);
    let place = to.as_known().map(PathBuf::from);
    let mut mutation = scene.on_absolute(Action::Replace, kind, to, &word);
    if let Subject::Path(subject) = &mut mutation.subject {
        // Of what is not there yet nobody knows what is in it.
        subject.from = from.filter(|from| is_file || !scene.is_to_come(from)).cloned();
    }
    if deletes {
        flag(&mut mutation, "mirror", "what the source does not have is deleted");
    }
    if matched.has("--ignore-existing") {
        flag(&mut mutation, "no-clobber", "existing files are left alone");
    }
    if matched.has("--update") || matched.has("-u") {
        flag(&mut mutation, "update-only", "newer files are left alone");
    }
    let backs_up = matched.has("--backup") || matched.has("-b");
    if backs_up && keeps_all(scene, matched, place.as_deref()) {
        flag(&mut mutation, "backup", "existing files are kept under another name");
    }
    (mutation, place)
}

fn below_shown(target: &Value, source: &str) -> Value {
    match (target, base_name(behind_host(source))) {
        (Value::Known(text), Some(name)) => Value::known(format!("{}/{name}", text.trim_end_matches('/'))),
        _ => target.clone(),
    }
}
