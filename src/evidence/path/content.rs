//! Comparing content: what is identical somewhere else is not lost.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::evidence::Session;
use crate::evidence::session::Listing;
use crate::world::{Entry, FileKind, LookError, Meta, World};

/// Largest file that is read to be compared, in bytes.
pub(super) const FILE_LIMIT: u64 = 16 << 20;
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

/// What is known of the files of a directory that have the same size: their places in its listing, and once they were read
/// the digest of what they hold. Those that go are taken out.
#[derive(Debug, Default)]
pub(in crate::evidence) struct Alike(HashMap<(PathBuf, u64), Vec<Told>>);

/// A file's place in the listing, and its digest once it was read.
type Told = (usize, Option<Digest>);

/// SHA-256 of a file's content.
type Digest = [u8; 32];

/// Another file in the same directory with the same content that no earlier mutation destroys.
pub(super) fn twin(world: &dyn World, session: &mut Session, path: &Path, meta: &Meta) -> Option<PathBuf> {
    if meta.size == 0 || meta.size > FILE_LIMIT {
        return None;
    }
    let dir = path.parent()?;
    let entries = session.scan(world, dir, DIRECTORY_LIMIT)?;
    let key = (dir.to_owned(), meta.size);
    let mut alike = session.alike.0.remove(&key).unwrap_or_else(|| of_size(&entries, meta.size));
    let found =
        if alike.len() > 1 { among(world, session, path, meta, (&entries, &mut alike)) } else { None };
    session.alike.0.insert(key, alike);
    found
}

/// The regular files of a size in a listing.
fn of_size(entries: &Listing, size: u64) -> Vec<Told> {
    let fits = |(entry, found): &(Entry, Result<Meta, LookError>)| {
        entry.exact && found.as_ref().is_ok_and(|found| found.kind == FileKind::File && found.size == size)
    };
    entries.iter().enumerate().filter(|(_, one)| fits(one)).map(|(at, _)| (at, None)).collect()
}

fn among(
    world: &dyn World,
    session: &mut Session,
    path: &Path,
    meta: &Meta,
    (entries, alike): (&Listing, &mut Vec<Told>),
) -> Option<PathBuf> {
    let dir = path.parent()?;
    let name = path.file_name()?;
    let own =
        alike.iter_mut().find(|(at, _)| entries.get(*at).is_some_and(|(entry, _)| *entry.name == *name));
    let wanted = match own {
        Some((_, digest)) => known(world, session, path, meta.size, digest)?,
        None => known(world, session, path, meta.size, &mut None)?,
    };
    let mut next = 0;
    while let Some((at, digest)) = alike.get_mut(next) {
        let Some((entry, Ok(found))) = entries.get(*at) else { return None };
        // What was read before needs no path to be told apart.
        let differs = digest.is_some_and(|digest| digest != wanted) || found.id == meta.id;
        let other = if differs { PathBuf::new() } else { dir.join(&entry.name) };
        if differs || other == path || known(world, session, &other, meta.size, digest) != Some(wanted) {
            next += 1;
        } else if session.is_destroyed(&other) {
            alike.remove(next);
        } else {
            return Some(other);
        }
    }
    None
}

/// The digest of a file, read once.
fn known(
    world: &dyn World,
    session: &mut Session,
    path: &Path,
    size: u64,
    digest: &mut Option<Digest>,
) -> Option<Digest> {
    if digest.is_none() && session.bytes_left() >= size && session.in_time(world) {
        session.spend_bytes(size);
        *digest = world.read_file(path, FILE_LIMIT).ok().map(|content| Sha256::digest(content).into());
    }
    *digest
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
