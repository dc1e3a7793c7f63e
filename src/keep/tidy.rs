//! Taking points out of the store: what is old, what is too much, and what killed processes left.
//!
//! Owns that nothing half gone ever counts, and that nothing half gone stays: a point loses its name first, and the file
//! that says where its content lies goes last, so whoever comes next can go on from there.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::attest::disk::{self, Access};

use super::names;
use super::point::Head;
use super::store::{BESIDE, PointName, Store, StoreError, clear, io_error};

/// How often old points are looked for, and how long something may stand there without its point.
const TIDY_EVERY: Duration = Duration::from_secs(3600);
/// Longest list of folders on other file systems, in bytes.
const LIST_LIMIT: u64 = 1 << 20;

/// The ending of a point that is being taken out.
const GONE: &str = "gone";
/// The ending of a point that is being written.
const NEW: &str = "new";
/// What may stand beside a point: marks, and what was set aside while its command ran.
const MARKS: &[&str] = &["pinned", "undone", "underway", BESIDE];
/// The store's list of folders on other file systems, a line each.
const ELSEWHERE: &str = "elsewhere";

impl Store {
    /// Takes out what is older than so many days, and the oldest while more than so many bytes were copied; what is pinned
    /// stays. At most once an hour: the rest of the time it costs one look at a file.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn tidy(&self, now: i64, days: u64, total: u64) -> Result<(), StoreError> {
        let mark = self.folder.join("tidied");
        let fresh = |meta: fs::Metadata| {
            meta.modified().ok().and_then(|then| then.elapsed().ok()).is_some_and(|age| age < TIDY_EVERY)
        };
        if fs::symlink_metadata(&mark).is_ok_and(fresh) {
            return Ok(());
        }
        disk::write_atomic(&mark, b"", Access::Private)?;
        let _lock = self.lock()?;
        let oldest = now.saturating_sub(i64::try_from(days.saturating_mul(86_400_000)).unwrap_or(i64::MAX));
        let (mut copied, mut holding, mut all) = (0_u64, BTreeSet::new(), true);
        for name in self.names()? {
            let Ok(head) = self.head(&name) else {
                all = false;
                continue;
            };
            holding.extend(folders(&head));
            copied = copied.saturating_add(head.copied);
            if !self.is_marked(&name, "pinned") && (name.time() < oldest || copied > total) {
                self.remove(&name, &folders(&head))?;
            }
        }
        self.sweep()?;
        if all { names::shorten(&self.folder, &holding) } else { Ok(()) }
    }

    /// Takes away what killed processes left: content whose point was never written, points that are half gone.
    fn sweep(&self) -> Result<(), StoreError> {
        disk::sweep(&self.folder, TIDY_EVERY);
        for entry in fs::read_dir(&self.folder).map_err(io_error("list", &self.folder))?.flatten() {
            let (path, file) = (entry.path(), entry.file_name());
            let Some(file) = file.to_str() else { continue };
            let (stem, ending) = file.split_once('.').unwrap_or((file, ""));
            let Some(name) = PointName::parse(stem) else { continue };
            if !is_old(&entry) || self.file(&name).exists() {
                continue;
            }
            match ending {
                "" => clear(&path)?,
                GONE => {
                    let head = self.head_of(&path).ok();
                    self.finish(&name, &head.as_ref().map(folders).unwrap_or_default())?;
                }
                NEW => drop(fs::remove_file(&path)),
                mark if MARKS.contains(&mark) => drop(fs::remove_file(&path)),
                _ => {}
            }
        }
        for folder in self.elsewhere() {
            // Only ours, and only what bears the name of a point.
            if !disk::check_dir(&folder).is_ok_and(|there| there) {
                continue;
            }
            for entry in fs::read_dir(&folder).map_err(io_error("list", &folder))?.flatten() {
                let name = entry.file_name().to_str().and_then(PointName::parse);
                if name.is_some_and(|name| is_old(&entry) && !self.file(&name).exists()) {
                    clear(&entry.path())?;
                }
            }
        }
        Ok(())
    }

    /// Takes a point out of the store, with its content. It loses its name first: what is half gone never counts.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn remove(&self, name: &PointName, folders: &[PathBuf]) -> Result<(), StoreError> {
        let path = self.file(name);
        match fs::rename(&path, path.with_extension(GONE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(io_error("remove", &path)(error));
            }
            _ => {}
        }
        self.finish(name, folders)
    }

    /// Takes away what is left of a point without a name.
    fn finish(&self, name: &PointName, folders: &[PathBuf]) -> Result<(), StoreError> {
        for folder in folders.iter().chain([&self.contents(name)]) {
            // Only ever a folder of this point.
            if folder.file_name().is_some_and(|last| last == name.as_str()) {
                clear(folder)?;
            }
        }
        for ending in MARKS.iter().chain([&GONE]) {
            let _ = fs::remove_file(self.folder.join(format!("{}.{ending}", name.as_str())));
        }
        Ok(())
    }

    /// Folders on other file systems in which something was kept.
    fn elsewhere(&self) -> Vec<PathBuf> {
        elsewhere(&self.folder)
    }
}

fn elsewhere(store: &Path) -> Vec<PathBuf> {
    let list = disk::read_private(&store.join(ELSEWHERE), LIST_LIMIT).ok().flatten().unwrap_or_default();
    // A name that is no text is a folder that nobody sweeps; it is none that we made.
    String::from_utf8_lossy(&list).lines().map(PathBuf::from).filter(|path| path.is_absolute()).collect()
}

/// Notes a folder on another file system, before anything stands in it.
pub(super) fn note_elsewhere(store: &Path, folder: &Path) -> io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    if elsewhere(store).iter().any(|known| known == folder) {
        return Ok(());
    }
    let mut how = fs::OpenOptions::new();
    let file = how.append(true).create(true).mode(0o600).open(store.join(ELSEWHERE));
    writeln!(file?, "{}", folder.display())
}

fn folders(head: &Head) -> Vec<PathBuf> {
    head.folders.iter().map(|folder| folder.0.clone()).collect()
}

/// Nobody works on it any more.
fn is_old(entry: &fs::DirEntry) -> bool {
    let modified = entry.metadata().and_then(|meta| meta.modified());
    modified.is_ok_and(|then| then.elapsed().is_ok_and(|age| age > TIDY_EVERY))
}
