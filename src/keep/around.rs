//! What lies around the things that are set aside: where links lead, whose they are, what is linked to them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Things that are looked at, to see whose they are or where they lead.
const OWNED: usize = 20_000;
/// Names that come in place of others, and are told apart.
const COMING: usize = 20_000;

/// The folders of a home that people see; `None` where there are not several.
pub(super) fn folders(home: &Path) -> Option<Vec<PathBuf>> {
    let seen = |entry: &std::fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_dir())
            && !entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    let found: Vec<PathBuf> =
        std::fs::read_dir(home).ok()?.flatten().filter(seen).map(|entry| entry.path()).collect();
    (found.len() > 1).then_some(found)
}

/// Directories that links below these lead to; `None` where there is more than is looked at.
pub(super) fn links_out(paths: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let mut pending = paths.to_vec();
    let (mut found, mut left) = (Vec::new(), OWNED);
    while let Some(dir) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        for entry in entries.filter_map(Result::ok) {
            left = left.checked_sub(1)?;
            let kind = entry.file_type().ok()?;
            if kind.is_dir() {
                pending.push(entry.path());
            } else if kind.is_symlink()
                && let Ok(place) = entry.path().canonicalize()
                && place.is_dir()
                && !found.contains(&place)
                && !paths.iter().any(|path| place.starts_with(path))
            {
                pending.push(place.clone());
                found.push(place);
            }
        }
    }
    Some(found)
}

/// Whether a thing, all below it and the directory that it stands in are this user's own.
pub(super) fn is_ours(path: &Path) -> bool {
    let user = nix::unistd::geteuid();
    if user.is_root() {
        return true;
    }
    let mut pending = vec![path.to_owned()];
    pending.extend(path.parent().map(Path::to_owned));
    let (parent, mut left) = (path.parent(), OWNED);
    while let Some(path) = pending.pop() {
        let Ok(meta) = path.symlink_metadata() else { continue };
        if meta.uid() != user.as_raw() || left == 0 {
            return false;
        }
        left -= 1;
        if meta.is_dir() && Some(path.as_path()) != parent {
            let Ok(entries) = std::fs::read_dir(&path) else { return false };
            pending.extend(entries.filter_map(Result::ok).map(|entry| entry.path()));
        }
    }
    true
}

/// What a repository knows of a working tree that is linked to it lies in the repository, and goes with the tree; of a
/// submodule its settings do.
pub(super) fn linked(tree: &Path) -> Vec<PathBuf> {
    let Ok(text) = std::fs::read_to_string(tree.join(".git")) else { return Vec::new() };
    let Some(place) = text.strip_prefix("gitdir:").map(|place| tree.join(place.trim())) else {
        return Vec::new();
    };
    let Ok(place) = place.canonicalize() else { return Vec::new() };
    if place.join("commondir").is_file() {
        return vec![place];
    }
    let above = place.ancestors().skip(1).find(|above| above.join("HEAD").is_file());
    above.into_iter().chain([place.as_path()]).map(|dir| dir.join("config")).collect()
}

/// Names below a directory that the directory has not whose place it takes; below one that is missing no more are told.
pub(super) fn names_that_come(from: &Path, to: &Path) -> Vec<PathBuf> {
    let is_dir = |path: &Path| path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
    let mut found = Vec::new();
    let mut pending = if is_dir(to) { vec![(from.to_owned(), to.to_owned())] } else { Vec::new() };
    while let Some((from, to)) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(&from) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let place = to.join(entry.file_name());
            if place.symlink_metadata().is_err() {
                found.push(place);
            } else if is_dir(&entry.path()) && is_dir(&place) {
                pending.push((entry.path(), place));
            }
            if found.len() > COMING {
                return found;
            }
        }
    }
    found
}
