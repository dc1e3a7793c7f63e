//! Whether the caller could do it at all: what fails destroys nothing.

use std::path::Path;

use crate::world::{Meta, World};

/// Whether entries of a directory may be removed or made. `meta` is the directory's.
pub(super) fn entries_change(world: &dyn World, dir: &Path, meta: &Meta) -> bool {
    // The owner's own bit decides without another look at the machine; anything else (groups, lists) is asked for.
    if world.uid() != 0 && meta.owner.0 == world.uid() && meta.mode & 0o200 != 0 {
        return true;
    }
    world.writable(dir)
}

/// In a directory with the sticky bit only the file's owner and the directory's may remove a file.
pub(super) fn sticky_protects(world: &dyn World, dir: &Meta, file: &Meta) -> bool {
    let me = world.uid();
    dir.mode & 0o1000 != 0 && me != 0 && file.owner.0 != me && dir.owner.0 != me
}

/// Whether a name may be taken out of its directory.
pub(super) fn name_may_go(world: &dyn World, path: &Path, meta: &Meta) -> bool {
    let Some(parent) = path.parent() else { return false };
    match world.stat(parent) {
        Ok(dir) => entries_change(world, parent, &dir) && !sticky_protects(world, &dir, meta),
        // Not to be told: nothing protects.
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    #[test]
    fn a_directory_that_may_not_be_written_keeps_its_names() {
        let world = MemoryWorld::new()
            .file("/home/me/ro/f", "x")
            .mode("/home/me/ro", 0o555)
            .file("/t/theirs", "x")
            .owner("/t/theirs", 7)
            .owner("/t", 0)
            .mode("/t", 0o1777);
        let may = |world: &MemoryWorld, path: &str| {
            let path = Path::new(path);
            name_may_go(world, path, &world.lstat(path).unwrap())
        };
        assert!(!may(&world, "/home/me/ro/f"));
        assert!(!may(&world, "/t/theirs"));
        let root = world.as_uid(0);
        assert!(may(&root, "/home/me/ro/f") && may(&root, "/t/theirs"));
    }
}
