//! Files that packers put another in the place of: which those are, and what the other is called.

use std::path::{Path, PathBuf};

use crate::model::{FactValue, Mutation};

/// Files below the directories that are packed one by one, at most.
const FILES: usize = 200;

/// The ending that each file gets, or `stem` where it loses its own; `None` where nothing is packed.
pub(super) fn packed(mutation: &Mutation) -> Option<&str> {
    match mutation.facts.get("becomes").map(|fact| &fact.value) {
        Some(FactValue::Text(end)) => Some(end),
        _ => None,
    }
}

/// The files that are named, and those below the directories that are; `None` where there are many.
pub(super) fn packed_files(paths: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let mut pending = paths.to_vec();
    let mut found = Vec::new();
    while let Some(path) = pending.pop() {
        if found.len() + pending.len() > FILES {
            return None;
        }
        match path.symlink_metadata() {
            Ok(meta) if meta.is_dir() => {
                let entries = std::fs::read_dir(&path).ok()?;
                pending.extend(entries.take(FILES + 1).filter_map(Result::ok).map(|entry| entry.path()));
            }
            _ => found.push(path),
        }
    }
    Some(found)
}

/// The name of the other file.
pub(super) fn becomes(path: &Path, end: &str) -> Option<PathBuf> {
    if end == "stem" {
        return path.extension().map(|_| path.with_extension(""));
    }
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    Some(PathBuf::from(name))
}
