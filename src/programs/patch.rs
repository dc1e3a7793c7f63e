//! `patch`: which files a patch changes, and whether it stays. The patch itself is read as git's are.

use std::path::Path;

use crate::effects::program::{Draft, Scene};
use crate::model::{Mutation, Subject, Value};
use crate::shell::Invocation;

use super::backup::overwritten;
use super::git::{files, patch};

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
        let beside = planned.iter().flat_map(|draft| beside(scene, invocation, draft)).collect::<Vec<_>>();
        planned.extend(beside);
        planned
    }
}

/// What stands under the names of the backup and of the rejected parts of a file that is patched: the one is made where it
/// is asked for and where the patch fits only nearly, the other where a part does not fit.
fn beside(scene: &Scene<'_>, invocation: &Invocation, draft: &Draft) -> Vec<Draft> {
    let Some(mutation) = draft.mutation.as_ref().filter(|mutation| mutation.context.host.is_none()) else {
        return Vec::new();
    };
    let named = match &mutation.subject {
        Subject::Path(subject) => subject.path.as_known().into_iter().map(str::to_owned).collect(),
        _ => files(mutation),
    };
    named.iter().flat_map(|path| beside_one(scene, invocation, mutation, path)).collect()
}

fn beside_one(scene: &Scene<'_>, invocation: &Invocation, mutation: &Mutation, path: &str) -> Vec<Draft> {
    let given = |key: &str| invocation.matched.value(key).and_then(Value::as_known).map(str::to_owned);
    let set = invocation.environment.iter().find(|(name, _)| name == "SIMPLE_BACKUP_SUFFIX");
    let suffix = given("-z").or_else(|| set.and_then(|(_, value)| value.as_known().map(str::to_owned)));
    let (dir, base) = path.rsplit_once('/').unwrap_or(("", path));
    let mut names = vec![format!("{path}.orig")];
    // Editors leave such files in many places, and only where backups are asked for is one made.
    if matches!(mutation.subject, Subject::Path(_)) || invocation.matched.has("-b") {
        names.push(format!("{path}~"));
    }
    if given("-r").is_none() {
        names.push(format!("{path}.rej"));
    }
    names.extend(suffix.map(|suffix| format!("{path}{suffix}")));
    for prefix in [given("-B"), given("-Y")].into_iter().flatten() {
        names.push(format!("{dir}/{prefix}{base}"));
    }
    let lost = |name: String| overwritten(scene, mutation, Path::new(path), Path::new(&name));
    names.into_iter().filter_map(lost).collect()
}
