//! Comparing content: what is identical somewhere else is not lost.

use std::path::{Path, PathBuf};

use crate::evidence::Session;
use crate::world::{FileKind, Meta, World};

/// Largest file that is read to be compared, in bytes.
const FILE_LIMIT: u64 = 16 << 20;
/// Largest directory that is searched for a copy, in entries.
const DIRECTORY_LIMIT: usize = 2000;

/// Whether two files hold the same bytes. False when it cannot be told.
pub(super) fn same(world: &dyn World, session: &mut Session, one: &Path, other: &Path, size: u64) -> bool {
    if size > FILE_LIMIT || session.bytes_left() < size.saturating_mul(2) || !session.in_time(world) {
        return false;
    }
    session.spend_bytes(size.saturating_mul(2));
    match (world.read_file(one, FILE_LIMIT), world.read_file(other, FILE_LIMIT)) {
        (Ok(left), Ok(right)) => left == right,
        _ => false,
    }
}

/// Whether a file's content is exactly this text, or the text begins with it (so that writing it keeps all of it).
pub(super) fn keeps(world: &dyn World, path: &Path, size: u64, text: &str) -> bool {
    size <= text.len() as u64
        && world.read_file(path, FILE_LIMIT).is_ok_and(|content| text.as_bytes().starts_with(&content))
}

/// Another file in the same directory with the same content that no earlier mutation destroys.
pub(super) fn twin(world: &dyn World, session: &mut Session, path: &Path, meta: &Meta) -> Option<PathBuf> {
    if meta.size == 0 || meta.size > FILE_LIMIT {
        return None;
    }
    let dir = path.parent()?;
    let entries = session.scan(world, dir, DIRECTORY_LIMIT)?;
    for (entry, found) in entries.iter() {
        let Ok(found) = found else { continue };
        if found.kind != FileKind::File || found.size != meta.size || !entry.exact || found.id == meta.id {
            continue;
        }
        let other = dir.join(&entry.name);
        if other != path && !session.is_destroyed(&other) && same(world, session, path, &other, meta.size) {
            return Some(other);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    #[test]
    fn a_twin_counts_until_it_is_destroyed_itself() {
        let world = MemoryWorld::new()
            .file("/d/a", "same")
            .file("/d/b", "same")
            .file("/d/c", "also")
            .file("/d/e", "longer");
        let mut session = Session::new();
        let meta = world.lstat(Path::new("/d/a")).unwrap();
        assert_eq!(twin(&world, &mut session, Path::new("/d/a"), &meta), Some(PathBuf::from("/d/b")));
        session.destroy(Path::new("/d/b"));
        assert_eq!(twin(&world, &mut session, Path::new("/d/a"), &meta), None);
    }

    #[test]
    fn text_that_begins_with_the_old_content_keeps_it() {
        let world = MemoryWorld::new().file("/d/a", "one\n");
        assert!(keeps(&world, Path::new("/d/a"), 4, "one\ntwo\n"));
        assert!(!keeps(&world, Path::new("/d/a"), 4, "two\n"));
    }
}
