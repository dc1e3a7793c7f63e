//! SQLite databases that another process has open: a connection would go on with the files that were taken away from it,
//! and what it writes there would be gone.
//!
//! Owns how that is told: by SQLite's own locks, which say it of any user's process, and where the system lists open files
//! also of one that only waits.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::keep::{Item, shown};

use super::Step;
use super::stage::Failed;

/// How a database begins.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// What SQLite puts beside a database's file.
const BESIDE: &[&str] = &["-wal", "-shm", "-journal"];
/// Locks on the file: of whoever writes or is about to, and of readers (`PENDING_BYTE` to `SHARED_SIZE` of its file format).
const FILE: (i64, i64) = (0x4000_0000, 512);
/// Locks on the shared index: whoever has the database open holds the last one (`UNIX_SHM_DMS`).
const INDEX: (i64, i64) = (120, 9);

/// Databases that would be replaced, each with who has it open.
pub(super) fn in_use(steps: &[(Item, Step)]) -> Vec<Failed> {
    let changed = steps.iter().filter(|(_, step)| matches!(step, Step::Replaced | Step::Gone | Step::Back));
    let databases: BTreeSet<PathBuf> =
        changed.map(|(item, _)| of(&item.path.0)).filter(|path| is_database(path)).collect();
    let told = |path: PathBuf| {
        let who = holder(&path)?;
        Some((path, format!("{who} has this database open: close it there, then undo again")))
    };
    databases.into_iter().filter_map(told).collect()
}

/// The database that a file belongs to.
fn of(path: &Path) -> PathBuf {
    let text = path.as_os_str().as_encoded_bytes();
    let ending = BESIDE.iter().find(|ending| text.ends_with(ending.as_bytes()));
    let name = path.file_name().and_then(|name| name.to_str());
    match (ending, name) {
        (Some(ending), Some(name)) => path.with_file_name(name.trim_end_matches(ending)),
        _ => path.to_owned(),
    }
}

fn is_database(path: &Path) -> bool {
    let mut start = [0_u8; MAGIC.len()];
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file())
        && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == MAGIC
}

/// Who has it open, in words; none: nobody, as far as can be told.
fn holder(path: &Path) -> Option<String> {
    let mut index = path.as_os_str().to_owned();
    index.push("-shm");
    let process = locked(path, FILE).or_else(|| locked(Path::new(&index), INDEX)).or_else(|| opened(path))?;
    let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    Some(match name.trim() {
        "" => format!("process {process}"),
        name => format!("{} (process {process})", shown(Path::new(name))),
    })
}

/// The process that holds a lock in a range of a file.
fn locked(path: &Path, (start, length): (i64, i64)) -> Option<i32> {
    use nix::fcntl::{FcntlArg, fcntl};
    let meta = fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    // A lock for writing is asked about only where writing is allowed; elsewhere only writers can be told.
    let writable = fs::OpenOptions::new().read(true).write(true).open(path);
    let (file, kind) = match writable {
        Ok(file) => (file, nix::libc::F_WRLCK),
        Err(_) => (File::open(path).ok()?, nix::libc::F_RDLCK),
    };
    let same = file.metadata().is_ok_and(|now| (now.dev(), now.ino()) == (meta.dev(), meta.ino()));
    let mut lock = nix::libc::flock {
        l_type: i16::try_from(kind).unwrap_or_default(),
        l_whence: 0,
        l_start: start,
        l_len: length,
        l_pid: 0,
    };
    let asked = same && fcntl(&file, FcntlArg::F_GETLK(&mut lock)).is_ok();
    let free = i16::try_from(nix::libc::F_UNLCK).unwrap_or_default();
    (asked && lock.l_type != free).then_some(lock.l_pid)
}

/// A process that has a file open, where the system lists that.
fn opened(path: &Path) -> Option<i32> {
    let meta = fs::symlink_metadata(path).ok()?;
    let own = i32::try_from(std::process::id()).ok();
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers.find(|number| {
        let files = fs::read_dir(format!("/proc/{number}/fd")).into_iter().flatten().flatten();
        Some(*number) != own
            && files
                .filter_map(|file| fs::metadata(file.path()).ok())
                .any(|file| file.is_file() && (file.dev(), file.ino()) == (meta.dev(), meta.ino()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_beside_a_database_belongs_to_it() {
        for name in ["/a/app.db", "/a/app.db-wal", "/a/app.db-shm", "/a/app.db-journal"] {
            assert_eq!(of(Path::new(name)), Path::new("/a/app.db"));
        }
    }

    #[test]
    fn a_file_that_nobody_has_open_has_no_holder() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("app.db");
        fs::write(&path, [MAGIC, b"rest"].concat()).unwrap();
        assert!(is_database(&path) && holder(&path).is_none());
        assert!(!is_database(&dir.path().join("none")));
    }
}
