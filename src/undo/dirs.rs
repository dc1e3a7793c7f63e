//! Directories held open, so that nobody can put a symbolic link in the way between a look and an act.
//!
//! A directory is reached from the root one name at a time, and no name may be a symbolic link: links were resolved when the
//! things were kept, and one that stands there now leads to another place. What stands in an open directory is then reached
//! through the directory's own name below `/proc`, where there is one.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Timespec, Timestamps, openat, utimensat};

use crate::keep::shown;

#[cfg(target_os = "linux")]
const LOOK: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const LOOK: OFlags = OFlags::RDONLY;

/// The time that `utimensat` leaves as it is.
#[cfg(target_os = "linux")]
const LEFT: i64 = 0x3fff_fffe;
#[cfg(not(target_os = "linux"))]
const LEFT: i64 = -2;

/// A directory.
#[derive(Debug)]
pub(super) struct Dir {
    fd: OwnedFd,
    /// Where it was found.
    pub(super) path: PathBuf,
}

/// What stands in a directory under a name.
#[derive(Debug)]
pub(super) struct Thing {
    file: Option<File>,
    place: PathBuf,
    /// What the system says about it.
    pub(super) meta: Metadata,
}

impl Dir {
    /// Opens a directory through directories only.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = LOOK | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut fd = openat(CWD, "/", flags, Mode::empty())?;
        let mut at = PathBuf::from("/");
        for part in path.components() {
            match part {
                Component::RootDir => {}
                Component::Normal(name) => {
                    at.push(name);
                    fd = openat(&fd, name, flags, Mode::empty()).map_err(|error| match error {
                        rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP => io::Error::new(
                            io::ErrorKind::NotADirectory,
                            format!("{} is no directory any more", shown(&at)),
                        ),
                        other => other.into(),
                    })?;
                }
                _ => return Err(io::Error::other(format!("{} is no plain path", shown(path)))),
            }
        }
        Ok(Self { fd, path: path.to_owned() })
    }

    /// A name in it, as a path that leads nowhere else.
    pub(super) fn at(&self, name: &OsStr) -> PathBuf {
        let own = PathBuf::from(format!("/proc/self/fd/{}", self.fd.as_raw_fd()));
        if cfg!(target_os = "linux") && has_proc() { own.join(name) } else { self.path.join(name) }
    }

    /// What stands there; none: nothing.
    pub(super) fn thing(&self, name: &OsStr) -> io::Result<Option<Thing>> {
        let place = self.at(name);
        if !cfg!(target_os = "linux") {
            return match fs::symlink_metadata(&place) {
                Ok(meta) => Ok(Some(Thing { file: None, place, meta })),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            };
        }
        match openat(&self.fd, name, LOOK | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()) {
            Ok(fd) => {
                let file = File::from(fd);
                let meta = file.metadata()?;
                Ok(Some(Thing { file: Some(file), place, meta }))
            }
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a directory in it.
    pub(super) fn enter(&self, name: &OsStr) -> io::Result<Self> {
        let flags = LOOK | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = openat(&self.fd, name, flags, Mode::empty())?;
        Ok(Self { fd, path: self.path.join(name) })
    }

    /// Sets the time of last change of what stands there.
    pub(super) fn touch(&self, name: &OsStr, (seconds, nanoseconds): (i64, u32)) -> io::Result<()> {
        let times = Timestamps {
            last_access: Timespec { tv_sec: 0, tv_nsec: LEFT },
            last_modification: Timespec { tv_sec: seconds, tv_nsec: i64::from(nanoseconds) },
        };
        Ok(utimensat(&self.fd, name, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Gives what stands under a name another name, where nothing stands yet.
    pub(super) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        match rustix::fs::renameat_with(&self.fd, from, &self.fd, to, rustix::fs::RenameFlags::NOREPLACE) {
            // The file system does not know how.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {}
            Err(rustix::io::Errno::EXIST) => {
                return Err(io::Error::other("something stands there by now: try again"));
            }
            done => return Ok(done?),
        }
        match self.thing(to)? {
            Some(_) => Err(io::Error::other("something stands there by now: try again")),
            None => Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?),
        }
    }

    /// Has two names change places. False: the file system does not know how, and nothing happened.
    #[cfg(target_os = "linux")]
    pub(super) fn exchange(&self, one: &OsStr, other: &OsStr) -> io::Result<bool> {
        use rustix::io::Errno;
        match rustix::fs::renameat_with(&self.fd, one, &self.fd, other, rustix::fs::RenameFlags::EXCHANGE) {
            Ok(()) => Ok(true),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Has two names change places. False: the system does not know how, and nothing happened.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn exchange(&self, _one: &OsStr, _other: &OsStr) -> io::Result<bool> {
        Ok(false)
    }

    /// Takes away what stands under a name, with all below it. Nothing there is nothing to do.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        let place = self.at(name);
        let gone = match fs::symlink_metadata(&place) {
            Ok(meta) if meta.is_dir() => fs::remove_dir_all(&place),
            Ok(_) => fs::remove_file(&place),
            Err(error) => Err(error),
        };
        match gone {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The names in it.
    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        fs::read_dir(self.at(OsStr::new(".")))?.map(|entry| entry.map(|entry| entry.file_name())).collect()
    }

    /// Brings its names to the disk. A directory that may not be read is brought there with the others around it.
    pub(super) fn sync(&self) -> io::Result<()> {
        match File::open(self.at(OsStr::new("."))) {
            Ok(dir) => dir.sync_all(),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Thing {
    /// Its own name in its directory.
    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    /// A path that leads to it and nothing else.
    pub(super) fn reached(&self) -> (PathBuf, crate::keep::Led) {
        match &self.file {
            Some(file) if has_proc() => {
                (PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd())), crate::keep::Led::There)
            }
            _ => (self.place.clone(), crate::keep::Led::Here),
        }
    }
}

fn has_proc() -> bool {
    static THERE: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *THERE.get_or_init(|| Path::new("/proc/self/fd").is_dir())
}

/// Opens directories, and keeps the last one: things come sorted by path.
#[derive(Debug, Default)]
pub(super) struct Dirs {
    last: Option<Rc<Dir>>,
}

impl Dirs {
    pub(super) fn open(&mut self, path: &Path) -> io::Result<Rc<Dir>> {
        if let Some(last) = self.last.as_ref().filter(|last| last.path == path) {
            return Ok(Rc::clone(last));
        }
        let dir = Rc::new(Dir::open(path)?);
        self.last = Some(Rc::clone(&dir));
        Ok(dir)
    }

    /// What was opened is looked for anew.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }
}

/// The directory that a path stands in, and its name there.
pub(super) fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    path.parent()
        .zip(path.file_name())
        .ok_or_else(|| io::Error::other(format!("{} has no name", shown(path))))
}
