//! What code on a command line does to files and databases.

use std::path::PathBuf;

use crate::code::{CodeEffect, matched};
use crate::knowledge::places;
use crate::model::{Action, Cause, FactValue, Subject, Value};

use super::draft::{Change, Draft};
use super::paths::{base_name, below};
use super::scene::{Scene, Word, fact, flag};
use super::{packing, sql, write};

/// One effect of code. Shell text, programs and directory changes inside code are steps of their own.
pub(super) fn code(scene: &Scene<'_>, language: &str, effect: &CodeEffect) -> Vec<Draft> {
    match effect {
        CodeEffect::Delete { path, glob, recursive } => {
            let word = Word::new(if *glob { pattern(path) } else { path.clone() }, false);
            let kind = if *recursive { "tree" } else { "file" };
            let mut mutation = scene.on_path(Action::Delete, kind, &word);
            if *glob {
                mutation.target.id = path.display();
                mutation.target.name = None;
            }
            vec![Draft::of(mutation)]
        }
        CodeEffect::RemoveDirectory { path } => {
            vec![Draft::of(scene.on_path(Action::Delete, "directory", &literal(path)))]
        }
        CodeEffect::Overwrite { path } => vec![write::overwrite(scene, &literal(path), None, false)],
        CodeEffect::Holds { path, text } => {
            let changes = scene.only_path(path).map(|path| Change::Rewritten {
                path,
                text: text.clone().filter(|_| !scene.step.context.maybe),
            });
            vec![Draft::only(changes.into_iter().collect())]
        }
        CodeEffect::Update { path } => {
            let mut mutation = scene.on_path(Action::Update, "file", &literal(path));
            flag(&mut mutation, "in-place", "changed in place");
            vec![Draft::of(mutation)]
        }
        CodeEffect::Append { path } => write::append(scene, &literal(path)),
        CodeEffect::Rights { path, recursive, as_owner } => {
            let mut drafts = vec![rights(scene, language, path, *recursive)];
            if *as_owner {
                let mut grant = scene.on_other(Action::Grant, "access", std::slice::from_ref(path), path);
                let what = FactValue::Text("it runs with its owner's rights".to_owned());
                fact(&mut grant, "full", what, "whoever runs it has its owner's rights from then on");
                drafts.push(Draft::of(grant));
            }
            drafts
        }
        CodeEffect::Rename { from, to } => {
            let mut drafts = vec![rename(scene, from, to)];
            // Of several that get one name only the last is left, and nobody knows which they are.
            if from.choices().is_none() {
                drafts.push(waits(scene, language));
            }
            drafts
        }
        CodeEffect::Copy { from, to } => copy(scene, from, to),
        CodeEffect::Unpack { archive, into } => vec![unpacked(scene, archive, into)],
        CodeEffect::Sql { dialect, database, text } => sql::text(scene, dialect, database, text),
        CodeEffect::Unknown { reason } => vec![Draft::of(scene.unknown(
            Action::Execute,
            Cause::Opaque(format!("{language}: {reason}")),
            &scene.step.raw,
            reason,
        ))],
        CodeEffect::Waits { .. } => vec![waits(scene, language)],
        CodeEffect::Shell { .. }
        | CodeEffect::Run { .. }
        | CodeEffect::Each { .. }
        | CodeEffect::SetVariable { .. }
        | CodeEffect::ChangeDirectory { .. } => Vec::new(),
    }
}

/// Kind of code that something else may call.
const WAITING: &str = "code.waiting";

/// Whether it is in a temporary directory that the program makes: nobody knows its name, and mostly it goes with the program.
fn is_unnamed(path: &Value) -> bool {
    let begins = |dir: &String| path.prefix().strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
    path.choices().is_none() && places().shared.iter().any(begins)
}

/// Something that is not told further, and takes nothing away by itself.
fn waits(scene: &Scene<'_>, language: &str) -> Draft {
    let whose = Value::known(language);
    Draft::of(scene.on_other(Action::Execute, WAITING, std::slice::from_ref(&whose), &whose))
}

/// Modes and owners. Of names that cannot be listed those of the whole directory count, in which all of them stand.
fn rights(scene: &Scene<'_>, language: &str, path: &Value, recursive: bool) -> Draft {
    if path.choices().is_some() {
        let kind = if recursive { "tree.mode" } else { "file.mode" };
        return Draft::of(scene.on_path(Action::Update, kind, &literal(path)));
    }
    match path.prefix().rsplit_once('/') {
        Some((dir, _)) if !dir.is_empty() => {
            Draft::of(scene.on_path(Action::Update, "tree.mode", &literal(&Value::known(dir))))
        }
        _ => waits(scene, language),
    }
}

fn rename(scene: &Scene<'_>, from: &Value, to: &Value) -> Draft {
    if to.as_known().is_some_and(super::paths::keeps_nothing) || is_unnamed(to) {
        // Moved into nothing: copied there and then deleted.
        return Draft::of(scene.on_path(Action::Delete, "tree", &literal(from)));
    }
    let to = if directory(scene, to).is_some() { within(from, to) } else { to.clone() };
    let mut mutation = scene.on_path(Action::Replace, "file", &literal(&to));
    flag(&mut mutation, "renames", "only the name is taken over");
    let mut changes = Vec::new();
    if let Subject::Path(subject) = &mut mutation.subject {
        subject.follow = false;
        subject.from = scene.only_path(from);
        if let (Some(from), Some(to)) = (&subject.from, only(&subject.path)) {
            changes.push(Change::Moved { from: from.clone(), to });
        }
    }
    Draft::with(mutation, changes)
}

/// As the programs that unpack do it, over what is there and without a question.
fn unpacked(scene: &Scene<'_>, archive: &Value, into: &Value) -> Draft {
    let mut mutation = scene.on_path(Action::Update, "archive.extract", &literal(into));
    packing::of_archive(scene, &mut mutation, scene.only_path(archive).as_deref());
    flag(&mut mutation, "absolute", "names lead to where they say, also outside the directory");
    Draft::of(mutation)
}

/// A file lands in a directory that is there; a tree is laid over one, or lands in it, as the function has it.
fn copy(scene: &Scene<'_>, from: &Value, to: &Value) -> Vec<Draft> {
    let Some(dir) = directory(scene, to) else { return vec![copied(scene, "file", from, to)] };
    let inside = within(from, to);
    if directory(scene, from).is_none() {
        return vec![copied(scene, "file", from, &inside)];
    }
    let mut drafts = vec![copied(scene, "tree", from, to)];
    let below = scene.only_path(&inside).filter(|inside| *inside != dir);
    if below.is_some_and(|inside| scene.is_directory(&inside)) {
        drafts.push(copied(scene, "tree", from, &inside));
    }
    drafts
}

fn copied(scene: &Scene<'_>, kind: &str, from: &Value, to: &Value) -> Draft {
    let mut mutation = scene.on_path(Action::Replace, kind, &literal(to));
    let mut changes = Vec::new();
    if let Subject::Path(subject) = &mut mutation.subject {
        subject.from = scene.only_path(from);
        if kind == "file"
            && let (Some(from), Some(to)) = (&subject.from, only(&subject.path))
        {
            changes.push(Change::Copied { from: from.clone(), to, packed: false });
        }
    }
    Draft::with(mutation, changes)
}

/// The directory that stands at a path now.
fn directory(scene: &Scene<'_>, path: &Value) -> Option<PathBuf> {
    scene.only_path(path).filter(|path| scene.is_directory(path))
}

/// What stands in a directory under something's own name.
fn within(from: &Value, dir: &Value) -> Value {
    // Unnamed (`in/.`): anything in it.
    let name = match from.as_known().map(base_name) {
        Some(None) => Value::Unknown,
        _ => from.map(|text| base_name(text).unwrap_or(text).to_owned()),
    };
    below(dir, &name)
}

/// A path that code names: nobody wrote it as a word of the command, so nobody is taken to have meant that very file.
fn literal(path: &Value) -> Word {
    Word::new(path.clone(), false)
}

fn only(path: &Value) -> Option<PathBuf> {
    path.as_known().map(PathBuf::from)
}

/// A wildcard pattern as a value.
fn pattern(path: &Value) -> Value {
    match matched(path) {
        // In the working directory, by name: an anchor keeps it from being taken for an absolute path.
        Value::Affix { prefix, suffix } if prefix.is_empty() && path.as_known().is_some() => {
            Value::Affix { prefix: "./".to_owned(), suffix }
        }
        other => other,
    }
}
