//! `doctor --repair`: closes to others what is recourse's own, where a command opened it or took its owner's rights away.
//!
//! Owns which of it is private. Content that is kept may be a second name of a file of the user's, whose mode is theirs, and is
//! left alone; so are the shims, which have to start.

use std::fs::{self, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::attest::Places;
use crate::keep::Store;
use crate::order;

/// The folder of programs in front of others.
const SHIMS: &str = "shims";
/// So deep our own folders go, at most.
const DEEPEST: usize = 8;

/// Something of ours whose mode is not as it has to be.
pub(super) struct Open {
    pub(super) path: PathBuf,
    mode: u32,
}

impl Open {
    /// Sets the mode that it has to have.
    pub(super) fn close(&self) -> Result<(), String> {
        let wanted = Permissions::from_mode(self.mode);
        fs::set_permissions(&self.path, wanted).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

/// All that is not closed, folders before what is in them; `each` is called for it before its folder is looked into.
pub(super) fn open(places: &Places, each: &mut dyn FnMut(&Open)) -> Vec<Open> {
    let kept = Store::folder_of(places);
    let mut found = Vec::new();
    for top in [&places.data, &places.state] {
        below(top, &kept, 0, each, &mut found);
    }
    found
}

fn below(path: &Path, kept: &Path, depth: usize, each: &mut dyn FnMut(&Open), found: &mut Vec<Open>) {
    let Ok(meta) = fs::symlink_metadata(path) else { return };
    if let Some(mode) = wanted(path, &meta, kept) {
        let open = Open { path: path.to_owned(), mode };
        each(&open);
        found.push(open);
    }
    if !meta.is_dir() || depth == DEEPEST || path.ends_with(SHIMS) {
        return;
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    order::sort(&mut entries);
    for entry in entries {
        below(&entry, kept, depth + 1, each, found);
    }
}

/// The mode that something has to have, where it has another.
fn wanted(path: &Path, meta: &Metadata, kept: &Path) -> Option<u32> {
    let mode = meta.mode() & 0o7777;
    if meta.uid() != nix::unistd::geteuid().as_raw() || path.ends_with(SHIMS) {
        return None;
    }
    if meta.is_dir() {
        return (mode & 0o077 != 0 || mode & 0o700 != 0o700).then_some(0o700);
    }
    let content = path.starts_with(kept) && path.parent() != Some(kept);
    if !meta.is_file() || meta.nlink() > 1 || content {
        return None;
    }
    (mode & 0o077 != 0 || mode & 0o600 != 0o600).then_some(0o600)
}
