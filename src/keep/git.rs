//! What of a repository is set aside: its refs, index, logs and what is under way, its objects, files of its working tree.
//!
//! Everything is kept as the files that it is, so that putting it back needs no git, runs no hook and no filter. Objects that
//! nothing will reach any more are held as the files that they lie in: git's housekeeping takes away its names of them, and
//! no ref, log or remote ever sees them here.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::evidence::{AtStake, Session, at_stake};
use crate::world::World;

use super::files::{CannotKeep, Capture, Way};
use super::plan::Repository;
use super::point::{Content, Item, Was};

/// Entries of a working tree that are looked at for what is not committed, for each file that may be kept.
const LOOKED_AT: usize = 10;

/// Entries and bytes of what tools make again that are kept all the same.
const CHEAP: (u64, u64) = (5_000, 64 << 20);

/// Sets aside what is wanted of a repository. No repository there is nothing to do. With `easing` an act that is half set
/// aside would make more work than none.
pub(super) fn set_aside(
    wanted: &Repository,
    easing: bool,
    limit: usize,
    capture: &mut Capture,
    world: &dyn World,
) -> Result<(), CannotKeep> {
    let mut session = Session::new();
    let looked_at = limit.saturating_mul(LOOKED_AT);
    match at_stake(&wanted.act, looked_at, easing, world, &mut session) {
        Ok(stake) => take(&stake, wanted.way, capture),
        // Nothing of it is lost by this, whatever it is.
        Err(_) if !(wanted.weighs || easing && wanted.eases) => Ok(()),
        Err(why) => Err(CannotKeep::Untold(why)),
    }
}

fn take(stake: &AtStake, way: Way, capture: &mut Capture) -> Result<(), CannotKeep> {
    // The innermost one.
    let top = |path: &Path| stake.tops.iter().rfind(|top| path.starts_with(top));
    for path in &stake.written {
        with_parents(path, top(path).map(PathBuf::as_path), true, Way::Content, capture)?;
    }
    for path in &stake.files {
        with_parents(path, top(path).map(PathBuf::as_path), false, way, capture)?;
    }
    for path in &stake.trees {
        with_parents(path, top(path).map(PathBuf::as_path), true, way, capture)?;
    }
    for dir in &stake.foreign {
        let entries = fs::read_dir(dir).map_err(|source| CannotKeep::Io { path: dir.clone(), source })?;
        for entry in entries {
            let entry = entry.map_err(|source| CannotKeep::Io { path: dir.clone(), source })?;
            if std::str::from_utf8(entry.file_name().as_bytes()).is_err() {
                with_parents(&entry.path(), top(dir).map(PathBuf::as_path), true, way, capture)?;
            }
        }
    }
    // What tools make again takes less time to link than to make, as long as it is not much.
    let mut left = CHEAP;
    for path in &stake.made_again {
        if way == Way::Name && fits(path, &mut left) {
            with_parents(path, top(path).map(PathBuf::as_path), true, way, capture)?;
        }
    }
    for path in &stake.absent {
        if fs::symlink_metadata(path).is_err() {
            capture.absent(path);
        }
    }
    for (path, holds) in &stake.packed {
        unpacked(path, holds, capture);
    }
    Ok(())
}

/// Whether a thing with everything below is within what is left, which shrinks by it.
fn fits(path: &Path, left: &mut (u64, u64)) -> bool {
    let mut now = *left;
    let mut pending = vec![path.to_owned()];
    while let Some(path) = pending.pop() {
        let Ok(meta) = fs::symlink_metadata(&path) else { return false };
        let (Some(entries), Some(bytes)) = (now.0.checked_sub(1), now.1.checked_sub(meta.len())) else {
            return false;
        };
        now = (entries, bytes);
        if meta.is_dir() {
            let Ok(entries) = fs::read_dir(&path) else { return false };
            pending.extend(entries.filter_map(Result::ok).map(|entry| entry.path()));
        }
    }
    *left = now;
    true
}

/// What stands packed among others comes back as a file of its own: the others may have moved on by then.
fn unpacked(path: &Path, holds: &str, capture: &mut Capture) {
    let text = format!("{holds}\n");
    let owner = path
        .ancestors()
        .find_map(|above| fs::symlink_metadata(above).ok())
        .map_or((0, 0), |meta| (meta.uid(), meta.gid()));
    let was = Was::File {
        size: text.len() as u64,
        content: Content::Here(STANDARD.encode(text)),
        group: None,
        twin: None,
    };
    let item = Item { was, mode: 0o644, owner, ..Item::absent(path) };
    capture.items.entry(path.to_owned()).or_insert(item);
}

/// A thing, and the directories that lead to it from the top.
pub(super) fn with_parents(
    path: &Path,
    top: Option<&Path>,
    below: bool,
    way: Way,
    capture: &mut Capture,
) -> Result<(), CannotKeep> {
    let top = top.unwrap_or(path);
    for above in path.ancestors().skip(1).take_while(|above| above.starts_with(top) && *above != top) {
        if capture.items.contains_key(above) {
            break;
        }
        capture.add(above, false, Way::Name)?;
    }
    capture.add(path, below, way)
}
