//! What an archive that goes through a pipe holds, where the command that packs it says so.

use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::{FactValue, Mutation, Value};
use crate::shell::{Invocation, Packing, Stdin};

use super::draft::{Change, Draft as Planned};
use super::run::directories;
use super::scene::{Scene, fact};

/// Options of tar by which not all that is named is packed, or under other names.
const OTHERWISE: [&str; 24] = [
    "--exclude",
    "--exclude-ignore",
    "--exclude-ignore-recursive",
    "--exclude-tag",
    "--exclude-tag-all",
    "--exclude-tag-under",
    "--exclude-vcs",
    "--exclude-vcs-ignores",
    "--exclude-backups",
    "--exclude-caches",
    "--exclude-caches-all",
    "--exclude-caches-under",
    "-T",
    "-X",
    "--no-recursion",
    "-K",
    "--newer-mtime",
    "-N",
    "--one-file-system",
    "-g",
    "-w",
    "--transform",
    "-P",
    "--add-file",
];

/// What the invocation packs onto its standard output; through a program that hands on what comes in, what came in.
pub(super) fn packing(scene: &Scene<'_>, invocation: &Invocation) -> Option<Packing> {
    let matched = &invocation.matched;
    if matched.command.passes {
        let piped = matches!(invocation.stdin, Stdin::Text(_) | Stdin::Unknown);
        return scene.files.packings.pipe().filter(|_| piped).cloned();
    }
    if matched.does_nothing() {
        return None;
    }
    let out = match (&matched.value(out_key(matched)?), matched.has(out_key(matched)?)) {
        (Some(file), _) => file.as_known() == Some("-"),
        (None, given) => !given,
    };
    if out { packed(scene, matched) } else { None }
}

/// The archive that the invocation puts into a file which it names.
pub(super) fn into_file(scene: &Scene<'_>, invocation: &Invocation) -> Option<Planned> {
    let matched = &invocation.matched;
    let file = matched.value(out_key(matched)?).filter(|file| file.as_known() != Some("-"))?;
    let at = if is(matched, "git") {
        scene.absolute(file, &super::git::directories(scene, matched)).as_known().map(PathBuf::from)?
    } else {
        scene.only_path(file)?
    };
    let packing = packed(scene, matched)?;
    Some(Planned { mutation: None, changes: vec![Change::Packs { at, packing }], by_action: false })
}

fn is(matched: &Match, name: &str) -> bool {
    matched.tool.names.iter().any(|known| known == name)
}

/// The option that names the archive, of programs that pack.
fn out_key(matched: &Match) -> Option<&'static str> {
    if is(matched, "git") && matched.typed.get(1).is_some_and(|name| name == "archive") {
        return Some("-o");
    }
    (is(matched, "tar") && matched.has("-c")).then_some("-f")
}

/// What is packed, wherever to.
fn packed(scene: &Scene<'_>, matched: &Match) -> Option<Packing> {
    if is(matched, "git") {
        return git_archive(scene, matched);
    }
    if OTHERWISE.iter().any(|key| matched.has(key)) || matched.cwd().len() > 1 {
        return None;
    }
    let [dir] = <[_; 1]>::try_from(directories(scene, matched)).ok()?;
    Some(Packing { dir, tree: None, names: known(matched, "member")?, prefix: String::new() })
}

fn git_archive(scene: &Scene<'_>, matched: &Match) -> Option<Packing> {
    let other = ["--remote", "-l", "--add-file", "--add-virtual-file", "--git-dir", "--work-tree"];
    if other.iter().any(|key| matched.has(key)) {
        return None;
    }
    let [dir] = <[_; 1]>::try_from(super::git::directories(scene, matched)).ok()?;
    let prefix = match matched.value("--prefix") {
        Some(prefix) => prefix.as_known()?.to_owned(),
        None => String::new(),
    };
    let tree = matched.operand("tree")?.value.as_known()?.to_owned();
    Some(Packing { dir, tree: Some(tree), names: known(matched, "pathspec")?, prefix })
}

/// All words of an operand, when all are known and each is a name of its own.
fn known(matched: &Match, operand: &str) -> Option<Vec<String>> {
    let words = matched.operands.iter().filter(|binding| binding.name == operand);
    words
        .map(|binding| match &binding.value {
            Value::Known(word) if !word.contains('\n') => Some(word.clone()),
            _ => None,
        })
        .collect()
}

/// Says on a mutation that unpacks what is in the pipe what that holds.
pub(super) fn tell(mutation: &mut Mutation, packing: &Packing) {
    let about = "what the archive in the pipe is made of";
    let text = |path: &Path| path.to_string_lossy().into_owned();
    fact(mutation, "packed.dir", FactValue::Text(text(&packing.dir)), about);
    fact(mutation, "packed.names", FactValue::Text(packing.names.join("\n")), about);
    fact(mutation, "packed.prefix", FactValue::Text(packing.prefix.clone()), about);
    if let Some(tree) = &packing.tree {
        fact(mutation, "packed.tree", FactValue::Text(tree.clone()), about);
    }
}
