//! Owner, mode, attributes and times: what is said about a thing.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown};

use crate::keep::{Item, Was, read_attributes, write_attributes};

use super::dirs::{Dir, Thing};

/// Bits that let others run something as its owner.
const AS_OWNER: u32 = 0o6000;

/// Whether what is said about a thing is as it was.
pub(super) fn are_same(item: &Item, thing: &Thing) -> bool {
    let meta = &thing.meta;
    if (meta.uid(), meta.gid()) != item.owner {
        return false;
    }
    let timed = !matches!(item.was, Was::Directory | Was::Rights);
    if timed && modified(thing) != item.modified {
        return false;
    }
    if meta.is_symlink() {
        return true;
    }
    let (path, led) = thing.reached();
    meta.mode() & 0o7777 == item.mode
        && read_attributes(&path, led, meta).is_ok_and(|now| now == item.attributes)
}

/// When a thing changed last.
pub(super) fn modified(thing: &Thing) -> (i64, u32) {
    (thing.meta.mtime(), u32::try_from(thing.meta.mtime_nsec()).unwrap_or(0))
}

/// Gives a thing back its owner, attributes, mode and time. An owner that may not be given stays as it is; then nobody gets
/// more rights by it.
pub(super) fn give(item: &Item, dir: &Dir, name: &OsStr) -> io::Result<()> {
    let thing = dir.thing(name)?.ok_or(io::ErrorKind::NotFound)?;
    let (path, led) = thing.reached();
    let now = (thing.meta.uid(), thing.meta.gid());
    let (uid, gid) = item.owner;
    if thing.meta.is_symlink() {
        if now != item.owner {
            let _ = lchown(dir.at(name), Some(uid), Some(gid));
        }
        return dir.touch(name, item.modified);
    }
    let mut mode = item.mode;
    if now != item.owner && chown(&path, Some(uid), Some(gid)).is_err() {
        // Rights to run it as its owner were the owner's to give.
        mode &= !AS_OWNER;
        if now.1 != gid && chown(&path, None, Some(gid)).is_err() {
            // Another group than it was gets no more than everybody.
            mode = mode & !0o070 | (mode & 0o007) << 3 & mode;
        }
    }
    let same = read_attributes(&path, led, &thing.meta).is_ok_and(|now| now == item.attributes);
    if !same {
        write_attributes(&path, led, &item.attributes)?;
    }
    // A new owner or list took bits away.
    let after = dir.thing(name)?.ok_or(io::ErrorKind::NotFound)?.meta.mode();
    if after & 0o7777 != mode {
        fs::set_permissions(&path, Permissions::from_mode(mode))?;
    }
    if matches!(item.was, Was::Directory | Was::Rights | Was::Around) {
        Ok(())
    } else {
        dir.touch(name, item.modified)
    }
}
