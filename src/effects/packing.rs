//! What an archive that goes through a pipe holds, where the command that packs it says so.

use std::path::Path;

use crate::knowledge::Match;
use crate::model::{FactValue, Mutation, Value};
use crate::shell::{Invocation, Packing, Stdin};

use super::draft::{Change, Draft as Planned};
use super::paths::text_of;
use super::scene::{Scene, fact, flag};

/// What the invocation packs onto its standard output; through a program that hands on what comes in, what came in.
pub(crate) fn packing(scene: &Scene<'_>, invocation: &Invocation) -> Option<Packing> {
    let matched = &invocation.matched;
    if matched.command.passes {
        let piped = matches!(invocation.stdin, Stdin::Text(_) | Stdin::Unknown);
        return scene.files.packings.pipe().filter(|_| piped).cloned();
    }
    if matched.does_nothing() {
        return None;
    }
    scene.programs.packs(scene, matched).filter(|packed| packed.into.is_none())?.packing
}

/// The archive that the invocation puts into a file which it names.
pub(super) fn into_file(scene: &Scene<'_>, invocation: &Invocation) -> Option<Planned> {
    let packed = scene.programs.packs(scene, &invocation.matched)?;
    let (at, packing) = (packed.into?, packed.packing?);
    Some(Planned { mutation: None, changes: vec![Change::Packs { at, packing }], by_action: false })
}

/// All words of an operand, when all are known and each is a name of its own.
pub(crate) fn named(matched: &Match, operand: &str) -> Option<Vec<String>> {
    let words = matched.operands.iter().filter(|binding| binding.name == operand);
    words
        .map(|binding| match &binding.value {
            Value::Known(word) if !word.contains('\n') => Some(word.clone()),
            _ => None,
        })
        .collect()
}

/// Says on a mutation which archive is unpacked, and what that holds, where this is known.
pub(crate) fn of_archive(scene: &Scene<'_>, mutation: &mut Mutation, archive: Option<&Path>) {
    let Some(path) = archive else {
        return flag(mutation, "archive.unknown", "the archive is not known");
    };
    if let Some(packing) = scene.files.packings.file(path) {
        tell(mutation, packing);
    }
    fact(mutation, "archive", FactValue::Text(text_of(path)), "the archive that is unpacked");
}

/// Says on a mutation that unpacks what is in the pipe what that holds.
pub(crate) fn tell(mutation: &mut Mutation, packing: &Packing) {
    let about = "what the archive in the pipe is made of";
    let text = |path: &Path| path.to_string_lossy().into_owned();
    fact(mutation, "packed.dir", FactValue::Text(text(&packing.dir)), about);
    fact(mutation, "packed.names", FactValue::Text(packing.names.join("\n")), about);
    fact(mutation, "packed.prefix", FactValue::Text(packing.prefix.clone()), about);
    if let Some(tree) = &packing.tree {
        fact(mutation, "packed.tree", FactValue::Text(tree.clone()), about);
    }
}
