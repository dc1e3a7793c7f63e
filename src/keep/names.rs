//! The store's list of files that have a name in it: device and number, a line each.
//!
//! Whoever counts a file's names must not take ours for somebody's: a file is on the list before it gets a name here. The
//! list may name too many, never too few; so those that give names share its lock, and nobody rewrites it meanwhile.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::attest::disk::{self, Access};

use super::store::StoreError;

/// Where it is in the store.
const FILE: &str = "names";
/// Bytes from which on it is worth writing anew.
const LONG: u64 = 64 << 10;

/// Notes that these files will have one more name each. What comes back must be held until they do.
pub(super) fn note(store: &Path, ids: impl Iterator<Item = (u64, u64)>) -> io::Result<File> {
    let mut lines = String::new();
    for (device, number) in ids {
        let _ = writeln!(lines, "{device} {number}");
    }
    let path = store.join(FILE);
    loop {
        let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
        if lines.is_empty() {
            return Ok(file);
        }
        file.lock_shared()?;
        // It may have been written anew while this one waited.
        let id = |meta: fs::Metadata| (meta.dev(), meta.ino());
        if fs::symlink_metadata(&path).ok().map(id) == Some(id(file.metadata()?)) {
            file.write_all(lines.as_bytes())?;
            return Ok(file);
        }
    }
}

/// Writes the list anew with what really has a name in these folders, where it has grown long and nobody works on it.
pub(super) fn shorten(store: &Path, folders: &BTreeSet<PathBuf>) -> Result<(), StoreError> {
    let path = store.join(FILE);
    let Ok(old) = OpenOptions::new().append(true).open(&path) else { return Ok(()) };
    if old.metadata().is_ok_and(|meta| meta.len() < LONG) || old.try_lock().is_err() {
        return Ok(());
    }
    let mut lines = String::new();
    for entry in folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
        if let Ok(meta) = entry.metadata()
            && meta.is_file()
            && meta.nlink() > 1
        {
            let _ = writeln!(lines, "{} {}", meta.dev(), meta.ino());
        }
    }
    Ok(disk::write_atomic(&path, lines.as_bytes(), Access::Private)?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_list_is_written_anew_with_what_has_a_name() {
        let store = tempfile::tempdir().unwrap();
        fs::set_permissions(store.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let folder = store.path().join("point");
        fs::create_dir(&folder).unwrap();
        fs::write(store.path().join("file"), "x").unwrap();
        fs::hard_link(store.path().join("file"), folder.join("1")).unwrap();
        fs::write(folder.join("2"), "copied").unwrap();
        let held = note(store.path(), (0..10_000).map(|number| (1, number))).unwrap();
        let list = || fs::read_to_string(store.path().join(FILE)).unwrap();
        let folders = BTreeSet::from([folder]);
        shorten(store.path(), &folders).unwrap();
        assert_eq!(list().lines().count(), 10_000, "somebody gives names");
        drop(held);
        shorten(store.path(), &folders).unwrap();
        let meta = fs::metadata(store.path().join("file")).unwrap();
        assert_eq!(list(), format!("{} {}\n", meta.dev(), meta.ino()));
    }
}
