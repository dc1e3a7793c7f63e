//! A consistent copy of an SQLite database, with what of it stands beside its file.
//!
//! Owns that nobody writes meanwhile: SQLite's own locks are taken, a reader's on the file and, where changes are logged
//! ahead of it, the writer's and the checkpointer's in the shared index. So the copy is what a reader would have seen, byte
//! for byte, and no program is needed for it.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::files::{CannotKeep, Capture, Way};
use super::store::shown;

/// What SQLite puts beside a database's file.
const BESIDE: &[&str] = &["-wal", "-shm", "-journal"];
/// Where readers lock the file, and how many bytes (`SHARED_FIRST`, `SHARED_SIZE` of its file format).
const READERS: (i64, i64) = (0x4000_0002, 510);
/// Where the writer and the checkpointer lock the shared index.
const WRITERS: (i64, i64) = (120, 2);
/// How often a lock is tried, and how long to wait between.
const TRIES: (u32, Duration) = (50, Duration::from_millis(20));

/// Sets a database aside. No file there is nothing to do.
pub(super) fn set_aside(database: &Path, capture: &mut Capture) -> Result<(), CannotKeep> {
    // Through a link SQLite works on what it leads to, and puts its files there.
    let database = fs::canonicalize(database).unwrap_or_else(|_| database.to_owned());
    let held = hold(&database);
    let before = look(&database);
    capture.add(&database, false, Way::Content)?;
    for beside in besides(&database) {
        if beside.symlink_metadata().is_ok() {
            capture.add(&beside, false, Way::Content)?;
        } else {
            capture.absent(&beside);
        }
    }
    let still = look(&database) == before;
    drop(held);
    if still { Ok(()) } else { Err(CannotKeep::Untold(format!("{} is being written to", shown(&database)))) }
}

fn besides(database: &Path) -> impl Iterator<Item = PathBuf> {
    BESIDE.iter().map(|ending| {
        let mut name = database.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    })
}

/// What changes when somebody writes: number, size and time of the file and of its logs.
fn look(database: &Path) -> Vec<Option<(u64, u64, i64, i64)>> {
    std::iter::once(database.to_owned())
        .chain(besides(database).filter(|path| !path.as_os_str().to_string_lossy().ends_with("-shm")))
        .map(|path| {
            let meta = fs::symlink_metadata(path).ok()?;
            Some((meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec()))
        })
        .collect()
}

/// The locks, held as long as these files are open. Where one is not to be had, a look before and after has to do.
fn hold(database: &Path) -> Vec<File> {
    let mut shared = database.as_os_str().to_owned();
    shared.push("-shm");
    let opened = |path: &Path, write: bool| {
        let flags = nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK;
        OpenOptions::new().read(true).write(write).custom_flags(flags).open(path).ok()
    };
    let reader = opened(database, false).filter(|file| locked(file, false, READERS));
    let writer = opened(Path::new(&shared), true).filter(|file| locked(file, true, WRITERS));
    reader.into_iter().chain(writer).collect()
}

#[cfg(target_os = "linux")]
fn locked(file: &File, write: bool, (start, length): (i64, i64)) -> bool {
    use nix::fcntl::{FcntlArg, fcntl};
    let kind = if write { nix::libc::F_WRLCK } else { nix::libc::F_RDLCK };
    let lock = nix::libc::flock {
        l_type: i16::try_from(kind).unwrap_or_default(),
        l_whence: 0,
        l_start: start,
        l_len: length,
        l_pid: 0,
    };
    for _ in 0..TRIES.0 {
        // A lock of this opening of the file alone: reading it once more elsewhere does not give it up.
        if fcntl(file, FcntlArg::F_OFD_SETLK(&lock)).is_ok() {
            return true;
        }
        std::thread::sleep(TRIES.1);
    }
    false
}

/// Elsewhere a lock would be given up with the first file that is closed.
#[cfg(not(target_os = "linux"))]
fn locked(_file: &File, _write: bool, _place: (i64, i64)) -> bool {
    let _ = TRIES;
    false
}
