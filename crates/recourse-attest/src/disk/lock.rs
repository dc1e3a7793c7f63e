//! Locks between processes: files that somebody holds.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::{DiskError, io_error, open_private};

/// How long to wait for another process that holds a lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// A lock between processes and threads, held until it is dropped. The kernel lets go of it when a process dies.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock that a file stands for (made with mode 0600 where there is none).
    ///
    /// # Errors
    /// When the file cannot be opened, is not a private file, or somebody holds it for more than ten seconds.
    pub fn acquire(path: &Path) -> Result<Self, DiskError> {
        Self::wait(path, File::try_lock)
    }

    /// As [`Lock::acquire`], but together with others who do the same; excludes only [`Lock::acquire`].
    ///
    /// # Errors
    /// As there.
    pub fn shared(path: &Path) -> Result<Self, DiskError> {
        Self::wait(path, File::try_lock_shared)
    }

    /// As [`Lock::acquire`], without waiting. None: somebody holds it.
    ///
    /// # Errors
    /// When the file cannot be opened or is not a private file.
    pub fn at_once(path: &Path) -> Result<Option<Self>, DiskError> {
        let file = Self::file(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(io_error("cannot lock", path)(error)),
        }
    }

    fn file(path: &Path) -> Result<File, DiskError> {
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        match made {
            Ok(file) => Ok(file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                open_private(path, OpenOptions::new().write(true))?
                    .ok_or_else(|| DiskError::Kind { path: path.to_owned(), expected: "file" })
            }
            Err(error) => Err(io_error("cannot make", path)(error)),
        }
    }

    fn wait(path: &Path, attempt: fn(&File) -> Result<(), TryLockError>) -> Result<Self, DiskError> {
        let file = Self::file(path)?;
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match attempt(&file) {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => return Err(DiskError::Busy { path: path.to_owned() }),
                Err(TryLockError::Error(error)) => return Err(io_error("cannot lock", path)(error)),
            }
        }
    }
}
