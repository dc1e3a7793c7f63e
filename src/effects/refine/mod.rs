//! Refiners: what data cannot say about a command's effects. A closed list, one file each.
//!
//! A refiner gets the drafts of the declared effects and returns those that hold instead.

mod backup;
mod copy;
mod dd;
mod extract;
mod in_place;
mod moves;
mod place;
mod remove;
mod rename;
mod rsync;
mod split;
mod truncate;
mod web;

use crate::knowledge::Refiner;
use crate::shell::Invocation;

use super::draft::Draft;
use super::scene::Scene;

/// Refines the drafts of an invocation.
pub(super) fn refine(
    refiner: Refiner,
    scene: &Scene<'_>,
    invocation: &Invocation,
    drafts: Vec<Draft>,
) -> Vec<Draft> {
    match refiner {
        Refiner::Copy => copy::copy(scene, invocation, drafts),
        Refiner::Move => moves::moves(scene, invocation),
        Refiner::Dd => dd::dd(scene, invocation, drafts),
        Refiner::Remove => remove::remove(invocation, drafts),
        Refiner::Rsync => rsync::rsync(scene, invocation),
        Refiner::Extract => extract::extract(scene, invocation, drafts),
        Refiner::InPlace => in_place::in_place(scene, invocation, drafts),
        Refiner::Truncate => truncate::truncate(scene, invocation, drafts),
        Refiner::Split => split::split(scene, invocation, drafts),
        Refiner::Rename => rename::rename(scene, invocation, drafts),
        Refiner::Web => web::web(scene, invocation, drafts),
        // With a file named, or output elsewhere, the data says it.
        Refiner::Patch if invocation.matched.has("-o") => drafts,
        Refiner::Patch => {
            let mut planned = super::git::patch(scene, invocation);
            if invocation.matched.has("path") {
                planned.retain(|draft| draft.mutation.as_ref().is_some_and(|m| m.kind == "unknown"));
                planned.extend(drafts);
            }
            planned
        }
        Refiner::Git => super::git::git(scene, invocation),
    }
}
