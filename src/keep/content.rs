//! Content of files, from one place to another: shared by the file system where it can, else copied; holes stay holes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::attest::disk::check_dir;

use super::progress::Progress;

/// Bytes that are copied before it is told how far it is.
const PART: u64 = 16 << 20;

/// A new file that only this user may read.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).custom_flags(nix::libc::O_NOFOLLOW).open(path)
}

/// A file to read: never through a link at its place, and never waiting for somebody at the other end of a pipe.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no plain file")) }
}

/// Has the file system share a whole file's content. False: it cannot.
#[cfg(target_os = "linux")]
pub(crate) fn share(from: &File, to: &File) -> bool {
    rustix::fs::ioctl_ficlone(to, from).is_ok()
}

/// Has the file system share a whole file's content. False: it cannot.
#[cfg(not(target_os = "linux"))]
pub(crate) fn share(_from: &File, _to: &File) -> bool {
    false
}

/// Copies a whole file into an empty one, without filling its holes. The number of bytes that were really copied.
pub(crate) fn copy(from: &mut File, to: &mut File, progress: &Progress) -> io::Result<u64> {
    let meta = from.metadata()?;
    let size = meta.len();
    if meta.blocks().saturating_mul(512) >= size {
        from.rewind()?;
        return stretch(from, to, size, progress);
    }
    to.set_len(size)?;
    let (mut at, mut copied) = (0, 0);
    while let Some((start, end)) = data(from, at, size)? {
        from.seek(SeekFrom::Start(start))?;
        to.seek(SeekFrom::Start(start))?;
        copied += stretch(from, to, end - start, progress)?;
        at = end;
    }
    Ok(copied)
}

/// Copies so many bytes, a part at a time so that it can be told how far it is.
fn stretch(from: &mut File, to: &mut File, length: u64, progress: &Progress) -> io::Result<u64> {
    let mut copied = 0;
    while copied < length {
        // The kernel copies by itself, and shares where it can.
        let part = io::copy(&mut Read::by_ref(from).take(PART.min(length - copied)), to)?;
        if part == 0 {
            break;
        }
        progress.bytes(part);
        copied += part;
    }
    Ok(copied)
}

/// The next stretch of a file that is no hole.
fn data(file: &File, at: u64, size: u64) -> io::Result<Option<(u64, u64)>> {
    use rustix::fs::SeekFrom as Edge;
    use rustix::io::Errno;
    if at >= size {
        return Ok(None);
    }
    match rustix::fs::seek(file, Edge::Data(at)) {
        Ok(start) => {
            let end = rustix::fs::seek(file, Edge::Hole(start)).unwrap_or(size);
            Ok(Some((start, end.min(size).max(start + 1))))
        }
        // Nothing but a hole from here on.
        Err(Errno::NXIO) => Ok(None),
        // It knows no holes.
        Err(Errno::INVAL | Errno::NOTSUP) => Ok(Some((at, size))),
        Err(error) => Err(error.into()),
    }
}

/// One folder of a point, on one file system.
#[derive(Debug)]
pub(super) struct Folder {
    /// Where it is or will be.
    pub path: PathBuf,
    /// The last number that was given.
    count: u32,
    /// Bytes that were appended to the pack, and its number.
    pack: Option<(File, u32, u64)>,
    /// The pack is not known to be on the disk yet.
    pack_waits: bool,
    /// Copied files that are not known to be on the disk yet.
    unsynced: Vec<PathBuf>,
}

impl Folder {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, count: 0, pack: None, pack_waits: false, unsynced: Vec::new() }
    }

    /// Something stands in it.
    pub(super) fn is_used(&self) -> bool {
        self.count > 0
    }

    /// The next file's place and number.
    pub(super) fn next(&mut self) -> io::Result<(PathBuf, u32)> {
        if self.count == 0 {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.path)?;
        }
        self.count += 1;
        Ok((self.path.join(self.count.to_string()), self.count))
    }

    /// Notes a file that has to be brought to the disk.
    pub(super) fn written(&mut self, path: PathBuf) {
        self.unsynced.push(path);
    }

    /// Gives a file a further name here.
    pub(super) fn link(&mut self, path: &Path) -> io::Result<u32> {
        let (target, number) = self.next()?;
        fs::hard_link(path, target)?;
        Ok(number)
    }

    /// Puts a small file's content behind that of others: one file to write and to sync, however many there are.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<(u32, u64)> {
        use std::io::Write;
        if self.pack.is_none() {
            let (path, number) = self.next()?;
            self.pack = Some((create(&path)?, number, 0));
        }
        let (file, number, length) = self.pack.as_mut().ok_or(io::ErrorKind::NotFound)?;
        let at = *length;
        file.write_all(bytes)?;
        *length += bytes.len() as u64;
        // It may have been brought to the disk before, and grows again.
        if !std::mem::replace(&mut self.pack_waits, true) {
            self.unsynced.push(self.path.join(number.to_string()));
        }
        Ok((*number, at))
    }

    /// Brings all of it to the disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if !self.is_used() {
            return Ok(());
        }
        self.pack_waits = false;
        sync_all(&std::mem::take(&mut self.unsynced))?;
        File::open(&self.path)?.sync_all()?;
        match self.path.parent() {
            Some(above) => File::open(above)?.sync_all(),
            None => Ok(()),
        }
    }
}

/// Brings files to the disk: several at a time, so that the disk can do them in one go.
pub(crate) fn sync_all(paths: &[PathBuf]) -> io::Result<()> {
    let sync = |path: &PathBuf| File::open(path).and_then(|file| file.sync_data());
    if paths.len() < 4 {
        return paths.iter().try_for_each(sync);
    }
    std::thread::scope(|scope| {
        let parts = paths.chunks(paths.len().div_ceil(8));
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || part.iter().try_for_each(sync))).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread ended"))))
    })
}

/// The folder for a point's content on another file system than the store's: below `.recourse-USER` at its top, as the
/// trash of desktops does it. None: there can be none that only this user can get at.
pub(super) fn folder_elsewhere(path: &Path, device: u64, point: &Path) -> Option<PathBuf> {
    let mut top = path.parent()?;
    while let Some(above) = top.parent()
        && fs::symlink_metadata(above).is_ok_and(|meta| meta.dev() == device)
    {
        top = above;
    }
    let meta = fs::symlink_metadata(top).ok()?;
    if !meta.is_dir() || meta.dev() != device {
        return None;
    }
    let store = top.join(format!(".recourse-{}", nix::unistd::geteuid()));
    // Who may write at the top could put a folder of theirs there, but not one of ours.
    match fs::DirBuilder::new().mode(0o700).create(&store) {
        Ok(()) => {
            let _ = File::open(top).and_then(|top| top.sync_all());
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(_) => return None,
    }
    let real = fs::symlink_metadata(&store).is_ok_and(|meta| meta.dev() == device);
    (check_dir(&store).ok()? && real).then(|| store.join(point))
}
