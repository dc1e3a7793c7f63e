//! Names that do not last: a file whose only other name is in a temporary directory, or the store's of what is kept, is
//! nowhere else.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::evidence::Session;
use crate::order;
use crate::world::{FileKind, LookError, Meta, World};

use super::places::Places;

/// Entries of temporary directories that are looked at.
const LOOKED: usize = 10_000;

/// How many of a file's names last, at least one.
pub(super) fn lasting(
    path: &Path,
    meta: &Meta,
    places: &Places,
    world: &dyn World,
    session: &mut Session,
) -> u64 {
    let kept = session.names_kept(world, meta.id);
    let fleeting = if places.is_temporary(path) {
        0
    } else {
        match session.fleeting.get_or_insert_with(|| names(world, places)) {
            Some(names) => names.get(&meta.id).copied().unwrap_or(0),
            // Any name may be there.
            None => u64::MAX,
        }
    };
    meta.links.saturating_sub(kept).saturating_sub(fleeting).max(1)
}

/// How many names the files with several have in temporary directories. None: not all of them were looked at.
fn names(world: &dyn World, places: &Places) -> Option<HashMap<(u64, u64), u64>> {
    let mut found: HashMap<(u64, u64), u64> = HashMap::new();
    let mut left = LOOKED;
    // Two names of one directory are one.
    let mut pending: Vec<PathBuf> =
        places.temporary_roots().iter().filter_map(|root| world.canonicalize(root).ok()).collect();
    order::sort(&mut pending);
    pending.dedup();
    while let Some(dir) = pending.pop() {
        let entries = match world.scan(&dir, left) {
            Ok(entries) => entries,
            // Nothing of this user's is in there.
            Err(LookError::Denied | LookError::NotFound) => continue,
            Err(_) => return None,
        };
        left -= entries.len().min(left);
        for (entry, meta) in entries {
            let Ok(meta) = meta else { continue };
            match meta.kind {
                FileKind::Directory => pending.push(dir.join(entry.name)),
                FileKind::File if meta.links > 1 => *found.entry(meta.id).or_default() += 1,
                _ => {}
            }
        }
    }
    Some(found)
}
