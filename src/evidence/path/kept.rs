//! What a command keeps itself of what it takes away: copies made before, backups.

use std::path::Path;

use crate::model::{Evidence, Fact, FactValue, Loss, LossClass, Mutation, PathSubject};
use crate::world::{FileKind, LookError, World};

use super::places::Places;
use super::{flag, rights, word};

/// What the mutation's own command keeps of it: then less is lost.
pub(super) struct Kept<'a> {
    pub(super) mutation: &'a Mutation,
    pub(super) subject: &'a PathSubject,
    pub(super) world: &'a dyn World,
    pub(super) places: &'a Places,
}

/// Counts copies and backups that the command itself makes before: what they hold is not lost.
pub(super) fn soften_by_copies(
    kept: &Kept<'_>,
    loss: &mut Loss,
    notes: &mut Vec<String>,
    evidence: &mut Evidence,
) {
    let Kept { mutation, subject, .. } = *kept;
    let outright = loss.worst();
    let stays: Vec<_> = subject.copies.iter().filter(|copy| lasts(kept.world, kept.places, copy)).collect();
    if !subject.copies.is_empty() {
        evidence.fact(
            "loss.outright",
            FactValue::Text(word(outright).to_owned()),
            "what would be lost if this command had not made a copy before",
        );
    }
    if outright > LossClass::Copied && !stays.is_empty() {
        let copies: Vec<_> = stays.iter().map(|copy| walk_show(kept.places, copy, mutation)).collect();
        let copies = copies.join(", ");
        notes.push(format!("this command copies it to {copies} before"));
        let stays = Fact::new(FactValue::Text(copies), "where the content stays");
        evidence.facts.insert("loss.kept".to_owned(), stays);
        soften(loss, LossClass::Copied);
    } else if outright > LossClass::Copied && flag(mutation, "kept") {
        notes.push("the command keeps the content elsewhere first".to_owned());
        soften(loss, LossClass::Copied);
    } else if outright >= LossClass::Lost && flag(mutation, "backup") {
        notes.push("the command keeps a backup of the old content".to_owned());
        soften(loss, LossClass::Snapshot);
    }
}

/// Whether a copy at this place can be made and stays: not below a temporary directory or among devices, and where this
/// user may write.
pub(in crate::evidence) fn lasts(world: &dyn World, places: &Places, copy: &Path) -> bool {
    if places.is_temporary(copy) || ["/dev", "/proc", "/sys"].iter().any(|dir| copy.starts_with(dir)) {
        return false;
    }
    // What this user may not write is not overwritten.
    if world.stat(copy).is_ok_and(|meta| meta.kind == FileKind::File) && !world.writable(copy) {
        return false;
    }
    // The nearest directory above it that is there already.
    for dir in copy.ancestors().skip(1) {
        match world.stat(dir) {
            Ok(meta) => return rights::entries_change(world, dir, &meta),
            Err(LookError::NotFound) => {}
            Err(_) => return false,
        }
    }
    false
}

fn walk_show(places: &Places, path: &Path, mutation: &Mutation) -> String {
    places.show(path, &mutation.context.cwd)
}

/// Everything that would be lost counts as this milder class instead.
pub(super) fn soften(loss: &mut Loss, class: LossClass) {
    let worse: Vec<LossClass> = loss.classes.keys().copied().filter(|known| *known > class).collect();
    for known in worse {
        if let Some(tally) = loss.classes.remove(&known) {
            let target = loss.classes.entry(class).or_default();
            target.files += tally.files;
            target.bytes += tally.bytes;
            target.examples.extend(tally.examples);
            target.examples.truncate(5);
        }
    }
    loss.modified = 0;
    loss.truncated = false;
}
