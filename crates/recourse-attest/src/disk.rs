//! Files that must survive a crash and stay private.
//!
//! Owns how such files are written, read and locked; knows nothing of what stands in them. A file is written beside
//! its place, brought to the disk, and moved there in one step, so a reader finds the old content or the new, never
//! half of one. Private files have mode 0600 in folders of mode 0700 that belong to this user; anything else is
//! refused rather than repaired, because somebody may have read it already.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use thiserror::Error;

mod lock;

pub use lock::Lock;

/// What the names of files under way begin and end with.
const UNDER_WAY: (&str, &str) = (".recourse-", ".tmp");

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// This user alone: 0600.
    Private,
    /// Everybody, for a web server: 0644.
    Public,
}

impl Access {
    fn mode(self) -> u32 {
        match self {
            Self::Private => 0o600,
            Self::Public => 0o644,
        }
    }
}

/// Why a file or folder could not be used.
#[derive(Debug, Error)]
pub enum DiskError {
    /// The system refused.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was tried, for example "cannot write".
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A symbolic link, or something that is neither a file nor a folder as expected.
    #[error("{} is not a plain {expected}: remove it, or put a real {expected} there", path.display())]
    Kind {
        /// What it is called.
        path: PathBuf,
        /// "file" or "folder".
        expected: &'static str,
    },
    /// It belongs to somebody else.
    #[error("{} belongs to user {owner}, not to the user who runs recourse (user {user}): move it away, or `chown` it if it is yours", path.display())]
    Foreign {
        /// What it is called.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who asks.
        user: u32,
    },
    /// Others may read or change it.
    #[error("{} has mode {mode:04o} and others can get at it: `chmod {wanted:04o}` it, and if it is a key, replace the key", path.display())]
    TooOpen {
        /// What it is called.
        path: PathBuf,
        /// Its mode.
        mode: u32,
        /// The mode that it must have at most.
        wanted: u32,
    },
    /// It is larger than anything that belongs there.
    #[error("{} is larger than {limit} bytes", path.display())]
    TooLarge {
        /// What it is called.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// Another process has held the lock too long.
    #[error("another process has held {} for more than 10 seconds: try again when it is done", path.display())]
    Busy {
        /// The lock's file.
        path: PathBuf,
    },
}

/// Turns the system's answer into an error that says what was tried on what.
pub fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DiskError {
    let path = path.to_owned();
    move |source| DiskError::Io { action, path, source }
}

/// Makes a folder with mode 0700 where there is none, and checks one that is there.
///
/// # Errors
/// When it cannot be made, is no real folder, belongs to somebody else, or others can get at it.
pub fn private_dir(path: &Path) -> Result<(), DiskError> {
    if let Err(error) = DirBuilder::new().recursive(true).mode(0o700).create(path) {
        // What stands in the way says more than that something does.
        check_dir(path)?;
        return Err(io_error("cannot make", path)(error));
    }
    check_dir(path).map(|_| ())
}

/// Makes a folder with mode 0700 where there is none, and checks that one that is there is this user's and that nobody
/// else may put files into it.
///
/// # Errors
/// When it cannot be made, is no real folder, belongs to somebody else, or others may write there.
pub fn own_dir(path: &Path) -> Result<(), DiskError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(io_error("cannot make", path))?;
    let found = fs::metadata(path).map_err(io_error("cannot look at", path))?;
    owned(path, &found)?;
    let mode = found.permissions().mode() & 0o7777;
    if mode & 0o022 != 0 {
        return Err(DiskError::TooOpen { path: path.to_owned(), mode, wanted: mode & 0o755 });
    }
    Ok(())
}

/// Makes a folder that everybody may enter (0755), and those above it, where there are none.
///
/// # Errors
/// When it cannot be made, or something else than a folder is there.
pub fn public_dir(path: &Path) -> Result<(), DiskError> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        public_dir(above)?;
    }
    match fs::create_dir(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => return Ok(()),
        Err(error) => return Err(io_error("cannot make", path)(error)),
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(io_error("cannot open up", path))
}

/// Checks that a folder, if there is one, is real, this user's, and closed to others. False: there is none.
///
/// # Errors
/// When it is not so, or cannot be looked at.
pub fn check_dir(path: &Path) -> Result<bool, DiskError> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(io_error("cannot look at", path)(error)),
    };
    if !found.is_dir() {
        return Err(DiskError::Kind { path: path.to_owned(), expected: "folder" });
    }
    check(path, &found, 0o700).map(|()| true)
}

/// Reads a private file. None: there is none.
///
/// # Errors
/// When it is a link or no file, belongs to somebody else, others can get at it, or it is larger than `limit` bytes.
pub fn read_private(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, DiskError> {
    let Some(file) = open_private(path, OpenOptions::new().read(true))? else { return Ok(None) };
    let size = file.metadata().map_err(io_error("cannot look at", path))?.len();
    // Room at once: growing would leave copies of what may be a secret in memory.
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(limit)).unwrap_or(0).saturating_add(64));
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(io_error("cannot read", path))?;
    if bytes.len() as u64 > limit {
        return Err(DiskError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(Some(bytes))
}

/// Opens a private file that is there, after checking it. None: there is none.
pub fn open_private(path: &Path, how: &OpenOptions) -> Result<Option<File>, DiskError> {
    let named = match fs::symlink_metadata(path) {
        Ok(named) => named,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("cannot look at", path)(error)),
    };
    let kind = || DiskError::Kind { path: path.to_owned(), expected: "file" };
    if !named.is_file() {
        return Err(kind());
    }
    let file = match how.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("cannot open", path)(error)),
    };
    // What is checked is what was opened. Another name for it cannot have slipped in between unless the file was
    // replaced by a file, which a writer of ours does: only its kind and openness matter then.
    let opened = file.metadata().map_err(io_error("cannot look at", path))?;
    if !opened.is_file() {
        return Err(kind());
    }
    if (opened.dev(), opened.ino()) != (named.dev(), named.ino()) {
        let again = fs::symlink_metadata(path).map_err(io_error("cannot look at", path))?;
        if !again.is_file() {
            return Err(kind());
        }
    }
    check(path, &opened, 0o600)?;
    Ok(Some(file))
}

fn owned(path: &Path, found: &fs::Metadata) -> Result<(), DiskError> {
    match user() {
        Some(user) if found.uid() != user => {
            Err(DiskError::Foreign { path: path.to_owned(), owner: found.uid(), user })
        }
        _ => Ok(()),
    }
}

fn check(path: &Path, found: &fs::Metadata, wanted: u32) -> Result<(), DiskError> {
    owned(path, found)?;
    let mode = found.permissions().mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(DiskError::TooOpen { path: path.to_owned(), mode, wanted });
    }
    Ok(())
}

/// The user whose files are private to us.
#[cfg(feature = "signing")]
fn user() -> Option<u32> {
    Some(nix::unistd::geteuid().as_raw())
}

/// The user whose files are private to us, where the system says it without more.
#[cfg(not(feature = "signing"))]
fn user() -> Option<u32> {
    fs::metadata("/proc/self").ok().map(|own| own.uid())
}

/// Puts a file in its place in one step, durably: who reads finds the old content or the new.
///
/// # Errors
/// When the folder or disk refuses; the old content is then still there.
pub fn write_atomic(path: &Path, bytes: &[u8], access: Access) -> Result<(), DiskError> {
    let waiting = Waiting::write(path, bytes, access)?;
    fs::rename(&waiting.path, path).map_err(io_error("cannot put in place", path))?;
    waiting.placed();
    sync_folder(path)
}

/// Makes a file that is not there yet, whole and durable. False: there is one already, and it is as it was.
///
/// # Errors
/// When the folder or disk refuses.
pub fn create_exclusive(path: &Path, bytes: &[u8], access: Access) -> Result<bool, DiskError> {
    let waiting = Waiting::write(path, bytes, access)?;
    // A second name for a finished file: the one call that both refuses an existing name and never shows a half.
    match fs::hard_link(&waiting.path, path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(io_error("cannot put in place", path)(error)),
    }
    drop(waiting);
    sync_folder(path)?;
    Ok(true)
}

/// Makes a file whose being there is what counts, durably. False: there is one already. What stands in it may be cut
/// short by a crash.
///
/// # Errors
/// When the folder or disk refuses; the file may then be there, and counts.
pub fn claim(path: &Path, bytes: &[u8]) -> Result<bool, DiskError> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut file = match made {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(io_error("cannot make", path)(error)),
    };
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(io_error("cannot write", path))?;
    sync_folder(path)?;
    Ok(true)
}

/// A file that is written but not yet in its place; removed when it never gets there.
struct Waiting {
    path: PathBuf,
    here: bool,
}

impl Waiting {
    fn write(place: &Path, bytes: &[u8], access: Access) -> Result<Self, DiskError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let folder = folder_of(place);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("{}{}-{count}{}", UNDER_WAY.0, std::process::id(), UNDER_WAY.1));
            let file = OpenOptions::new().write(true).create_new(true).mode(access.mode()).open(&path);
            let mut file = match file {
                Ok(file) => file,
                // Left behind by a process that had our number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(io_error("cannot write", place)(error)),
            };
            let waiting = Self { path, here: true };
            // The umask may have taken more away than a public file can spare.
            file.set_permissions(fs::Permissions::from_mode(access.mode()))
                .and_then(|()| file.write_all(bytes))
                .and_then(|()| file.sync_all())
                .map_err(io_error("cannot write", place))?;
            return Ok(waiting);
        }
    }

    fn placed(mut self) {
        self.here = false;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.here {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Brings a change of names in a file's folder to the disk.
pub fn sync_folder(path: &Path) -> Result<(), DiskError> {
    let folder = folder_of(path);
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(io_error("cannot sync", folder))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a name is one of a file that is not in its place yet, or never came there.
pub fn is_under_way(name: &str) -> bool {
    name.starts_with(UNDER_WAY.0) && name.ends_with(UNDER_WAY.1)
}

/// Removes files that a killed process left half-way in a folder: all of them when nobody else can be writing there
/// (`age` zero, under the folder's lock), else those older than `age`. Failing to is no error: they do no harm.
pub fn sweep(folder: &Path, age: Duration) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_str().is_some_and(is_under_way);
        let old = || {
            let changed = entry.metadata().and_then(|found| found.modified()).ok();
            changed
                .and_then(|then| SystemTime::now().duration_since(then).ok())
                .is_some_and(|since| since >= age)
        };
        if ours && (age.is_zero() || old()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::thread;

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        folder
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn files_are_private_and_nothing_is_left_beside_them() {
        let folder = folder();
        let path = folder.path().join("a/b/file");
        private_dir(path.parent().unwrap()).unwrap();
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        write_atomic(&path, b"one", Access::Private).unwrap();
        write_atomic(&path, b"two", Access::Private).unwrap();
        assert_eq!(read_private(&path, 10).unwrap().unwrap(), b"two");
        assert_eq!(mode(&path), 0o600);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        assert!(matches!(read_private(&path, 2), Err(DiskError::TooLarge { .. })));
        assert!(read_private(&path.with_extension("none"), 2).unwrap().is_none());
        let public = folder.path().join("public");
        write_atomic(&public, b"all", Access::Public).unwrap();
        assert_eq!(mode(&public), 0o644);
    }

    #[test]
    fn what_others_can_reach_is_refused() {
        let folder = folder();
        let path = folder.path().join("file");
        write_atomic(&path, b"secret", Access::Private).unwrap();
        for bad in [0o644, 0o640, 0o604, 0o660] {
            fs::set_permissions(&path, fs::Permissions::from_mode(bad)).unwrap();
            let error = read_private(&path, 10).unwrap_err();
            assert!(matches!(error, DiskError::TooOpen { .. }), "{bad:o}");
            assert!(!error.to_string().contains("secret"));
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
        assert!(read_private(&path, 10).is_ok(), "closer than needed is fine");
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(matches!(read_private(&link, 10), Err(DiskError::Kind { .. })));
        assert!(matches!(read_private(folder.path(), 10), Err(DiskError::Kind { .. })));
        let open = folder.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(private_dir(&open), Err(DiskError::TooOpen { .. })));
        let linked = folder.path().join("linked");
        symlink(folder.path(), &linked).unwrap();
        assert!(matches!(private_dir(&linked), Err(DiskError::Kind { .. })));
        assert!(!check_dir(&folder.path().join("none")).unwrap());
    }

    #[test]
    fn one_of_many_creates() {
        let folder = folder();
        let path = folder.path().join("once");
        let wins: usize = thread::scope(|scope| {
            let tries: Vec<_> = (0..50)
                .map(|n| {
                    let path = &path;
                    scope.spawn(move || {
                        create_exclusive(path, format!("{n}").as_bytes(), Access::Private).unwrap()
                    })
                })
                .collect();
            tries.into_iter().map(|one| usize::from(one.join().unwrap())).sum()
        });
        assert_eq!(wins, 1);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing half-way is left");
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn locks_exclude_and_leftovers_are_swept() {
        let folder = folder();
        let path = folder.path().join("lock");
        let counter = std::sync::Mutex::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _lock = Lock::acquire(&path).unwrap();
                    let mut inside = counter.try_lock().unwrap();
                    *inside += 1;
                    thread::sleep(Duration::from_millis(2));
                });
            }
        });
        assert_eq!(*counter.lock().unwrap(), 8);
        fs::write(folder.path().join(".recourse-1-1.tmp"), b"half").unwrap();
        fs::write(folder.path().join("other"), b"whole").unwrap();
        sweep(folder.path(), Duration::from_secs(3600));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        sweep(folder.path(), Duration::ZERO);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
