//! Names that are no valid text: a judgement speaks of them with U+FFFD in place of what it could not read.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::files::CannotKeep;

/// What stands for bytes that are no text.
const UNREADABLE: char = '\u{FFFD}';
/// Things that one such path may mean, beyond which it is not known what is meant.
const MEANT: usize = 10_000;

/// The paths that a path can mean: itself, or all whose unreadable names read so.
///
/// # Errors
/// When it could mean anything: nothing that reads so is found, or too much.
pub(super) fn meant(path: &Path) -> Result<Vec<PathBuf>, CannotKeep> {
    if !is_unreadable(path) {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = vec![PathBuf::new()];
    for part in path.components() {
        match part {
            Component::Normal(name) if is_unreadable(Path::new(name)) => {
                let mut next = Vec::new();
                for dir in found {
                    for entry in
                        fs::read_dir(&dir).map_err(|source| CannotKeep::Io { path: dir.clone(), source })?
                    {
                        let entry = entry.map_err(|source| CannotKeep::Io { path: dir.clone(), source })?;
                        if entry.file_name().to_string_lossy() == name.to_string_lossy() {
                            next.push(entry.path());
                        }
                    }
                }
                found = next;
            }
            part => found.iter_mut().for_each(|path| path.push(part)),
        }
    }
    if found.is_empty() || found.len() > MEANT { Err(CannotKeep::Unread(path.to_owned())) } else { Ok(found) }
}

/// Whether part of a path is not known byte for byte.
pub(super) fn is_unreadable(path: &Path) -> bool {
    path.to_string_lossy().contains(UNREADABLE)
}

/// Whether something stands where a path leads, whatever its name is byte for byte.
pub(super) fn stands(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
        || meant(path).is_ok_and(|all| all.iter().any(|path| path.symlink_metadata().is_ok()))
}
