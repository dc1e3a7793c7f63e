//! `mv`: what is overwritten at the new place. What is moved is not lost.

use crate::model::{Action, Subject, Value};
use crate::shell::Invocation;

use super::super::draft::{Change, Draft};
use super::super::paths::{keeps_nothing, text_of};
use super::super::scene::{Scene, Word, flag};
use super::place::{backup_change, overwrite_facts, placed};

/// One draft per source.
pub(super) fn moves(scene: &Scene<'_>, invocation: &Invocation) -> Vec<Draft> {
    let matched = &invocation.matched;
    placed(scene, invocation, false)
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
            overwrite_facts(matched, &mut mutation);
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
                    changes.extend(backup_change(scene, matched, &to));
                    let stays = mutation.facts.contains_key("no-clobber") && scene.at(&to).is_some();
                    if !stays && !mutation.context.asks && !matched.has("--exchange") {
                        changes.push(Change::Moved { from: from.clone(), to });
                    }
                }
            }
            Draft::with(mutation, changes)
        })
        .collect()
}
