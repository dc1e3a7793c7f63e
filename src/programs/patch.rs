//! `patch`: which files a patch changes, and whether it stays. The patch itself is read as git's are.

use crate::effects::program::{Draft, Scene};
use crate::shell::Invocation;

use super::git::patch;

/// See [`Room::Patch`](crate::knowledge::Room::Patch).
pub(super) struct Patch;

impl super::Program for Patch {
    fn does(&self, scene: &Scene<'_>, invocation: &Invocation, declared: Vec<Draft>) -> Vec<Draft> {
        // With a file named, or output elsewhere, the data says it.
        if invocation.matched.has("-o") {
            return declared;
        }
        let mut planned = patch(scene, invocation);
        if invocation.matched.has("path") {
            planned.retain(|draft| draft.mutation.as_ref().is_some_and(|m| m.kind == "unknown"));
            planned.extend(declared);
        }
        planned
    }
}
