//! What an act reaches: places that git's acts touch or leave alone, and content that is no copy for what comes after.

use std::path::Path;

use crate::model::{Mutation, PathSubject};
use crate::world::{World, git_dir};

use super::{Session, flag, places};

/// Whether git's act reaches a path that the command brought there: some acts touch only what git tracks, others only
/// what it does not. Where that cannot be told, it does.
pub(super) fn reached(
    mutation: &Mutation,
    subject: &PathSubject,
    world: &dyn World,
    session: &Session,
) -> bool {
    if flag(mutation, "unless-locked") && locked(subject, world, session) {
        return false;
    }
    let (tracked, untracked) = (flag(mutation, "if-tracked"), flag(mutation, "if-untracked"));
    if !tracked && !untracked {
        return true;
    }
    let is_tracked = || {
        let path = Path::new(subject.path.as_known()?);
        let real = places::resolve_parent(world, path).ok()?;
        // A directory that only this command makes belongs where the nearest one above it does.
        let dir = real.ancestors().skip(1).find(|dir| world.stat(dir).is_ok())?;
        let repo = session.git().discover(world, dir).ok()??;
        repo.tracks(world, &real).ok()
    };
    is_tracked().is_none_or(|is| is == tracked)
}

/// Whether a linked working tree is locked, and no earlier step of the command unlocks one.
fn locked(subject: &PathSubject, world: &dyn World, session: &Session) -> bool {
    let tree = subject.path.as_known().and_then(|path| world.canonicalize(Path::new(path)).ok());
    let Some(Ok(Some(tree))) = tree.map(|tree| git_dir::locate(world, &tree)) else { return false };
    world.lstat(&tree.git_dir.join("locked")).is_ok() && !session.git().unlocks(&tree.common_dir)
}

/// Records what goes, so that it no longer counts as a copy for what comes after.
pub(super) fn remember(session: &mut Session, world: &dyn World, subject: &PathSubject, path: &Path) {
    let place =
        if subject.follow { places::resolve(world, path) } else { places::resolve_parent(world, path) };
    if let Ok(place) = place {
        session.destroy(&place);
    }
}
