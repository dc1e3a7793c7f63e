//! What runs in a container or on a machine that is made for the run and goes with it: what is the machine's own is
//! nobody's loss.
//!
//! Owns which mutations that takes away. What leads out of it (a cloud, a registry, a remote repository, a database) is
//! judged as ever, and so is a place that is not known.

use crate::knowledge::Knowledge;
use crate::model::{Cause, Mutation, Subject};

/// Marks what is of that place alone, and leaves out what nobody would miss.
pub(super) fn settle(mutations: &mut Vec<Mutation>, place: &str, knowledge: &Knowledge) {
    mutations.retain_mut(|mutation| {
        if mutation.context.host.is_some() {
            return true;
        }
        // One more program of a place that is full of them.
        if matches!(mutation.cause, Cause::UnknownProgram) {
            return false;
        }
        let own = knowledge.kind(&mutation.kind).is_some_and(|kind| kind.local);
        if !own || mutation.cause.is_unknown() {
            return true;
        }
        match &mutation.subject {
            Subject::Path(subject) => {
                if subject.path.as_known().is_some_and(|path| path != "/") {
                    mutation.context.host = Some(place.to_owned());
                    mutation.context.fresh = true;
                }
                true
            }
            _ => false,
        }
    });
}
