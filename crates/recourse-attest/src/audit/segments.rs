//! The files of the audit log: the one that is written to, and those that were full. The chain goes on from one to the next.
//!
//! A full `audit.jsonl` is brought to the disk, the head with it, and gets the number of its last event as its name
//! (`audit-000000001234.jsonl`). Where the oldest are taken away, the head first says where the log begins from now on: a
//! segment that went in another way is missed.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::lines::{Backwards, Lines};
use super::{AuditError, AuditLog, Head, disk, io_error};
use crate::disk::Lock;
use crate::time::Time;

/// A file goes on for at most this part of the time that is kept.
const PARTS: u128 = 8;

/// How much is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes after which a file is full.
    pub segment: u64,
    /// Files that are kept, the one that is written to included; 0: all.
    pub segments: usize,
    /// Full files whose last event is older are taken away.
    pub age: Option<Duration>,
}

/// What was taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Files.
    pub segments: usize,
    /// Bytes.
    pub bytes: u64,
    /// The number of the last event in them; 0 where there is none.
    pub last: u64,
}

/// A full file.
#[derive(Clone, Debug)]
pub(super) struct Closed {
    pub(super) path: PathBuf,
    /// The number of its last event.
    pub(super) last: u64,
}

/// A file of the log as it was at one moment.
pub(super) struct Open {
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) size: u64,
    /// The number of the last event in it, where it is full.
    pub(super) last: Option<u64>,
}

impl Limits {
    /// Whether a file of this size is full.
    pub(super) fn is_full(&self, size: u64) -> bool {
        size > 0 && size >= self.segment
    }
}

impl AuditLog {
    /// The full files, oldest first.
    pub(super) fn closed(&self) -> Result<Vec<Closed>, AuditError> {
        let Some(folder) = self.log.parent() else { return Ok(Vec::new()) };
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(io_error("cannot list", folder)(error).into()),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(io_error("cannot list", folder))?;
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix("audit-")?.strip_suffix(".jsonl"));
            if let Some(last) = number.and_then(|number| number.parse().ok()) {
                found.push(Closed { path: entry.path(), last });
            }
        }
        found.sort_by_key(|closed| closed.last);
        Ok(found)
    }

    /// The files as they are now, oldest first, and those alone that the log begins with. None: there is no log.
    pub(super) fn look(&self) -> Result<Vec<Open>, AuditError> {
        // A log that nobody may write to can be read all the same.
        let _lock = match self.log.parent().is_some_and(|folder| folder.is_dir()) {
            true => Lock::acquire(&self.lock_path()).ok(),
            false => return Ok(Vec::new()),
        };
        let begins = self.read_head().ok().flatten().and_then(|head| head.start).map_or(0, |(seq, _)| seq);
        let mut found = Vec::new();
        let closed = self.closed()?.into_iter().filter(|closed| closed.last > begins);
        let files = closed.map(|closed| (closed.path, Some(closed.last)));
        for (path, last) in files.chain([(self.log.clone(), None)]) {
            if let Some(file) = disk::open_private(&path, OpenOptions::new().read(true))? {
                found.push(Open { size: self.size(&file)?, path, file, last });
            }
        }
        Ok(found)
    }

    /// What the log follows, where its beginning is gone: what its first line says.
    pub(super) fn begins(&self) -> Result<Option<(u64, String)>, AuditError> {
        let Some(first) = self.closed()?.into_iter().next() else { return Ok(None) };
        let Some(file) = disk::open_private(&first.path, OpenOptions::new().read(true))? else {
            return Ok(None);
        };
        let line = Lines::new(file, &first.path).next()?;
        let parsed = line.and_then(|line| line.parsed).filter(|parsed| parsed.entry.seq > 1);
        Ok(parsed.map(|parsed| (parsed.entry.seq - 1, parsed.previous)))
    }

    /// Puts the full file away and begins a new one. None: it has to go on as it is.
    pub(super) fn rotate(&self, file: &File, size: u64, head: &mut Head) -> Result<Option<File>, AuditError> {
        let path = self.log.with_file_name(format!("audit-{:012}.jsonl", head.seq));
        if head.seq == 0 || head.length > size || path.symlink_metadata().is_ok() {
            return Ok(None);
        }
        file.sync_all().map_err(io_error("cannot write", &self.log))?;
        head.length = size;
        self.write_head(head)?;
        fs::rename(&self.log, &path).map_err(io_error("cannot put away", &self.log))?;
        disk::sync_folder(&self.log)?;
        head.length = 0;
        self.write_head(head)?;
        if let Some(limits) = &self.limits {
            self.drop_oldest(limits, head)?;
        }
        Ok(Some(self.make()?))
    }

    /// Takes away what is more than is kept.
    ///
    /// # Errors
    /// When a file cannot be read or removed.
    pub fn prune(&self, limits: &Limits) -> Result<Pruned, AuditError> {
        if !self.log.parent().is_some_and(|folder| folder.is_dir()) {
            return Ok(Pruned::default());
        }
        let _lock = Lock::acquire(&self.lock_path())?;
        match self.read_head()? {
            Some(mut head) => self.drop_oldest(limits, &mut head),
            // Without a head nobody would know where the log begins.
            None => Ok(Pruned::default()),
        }
    }

    /// [`AuditLog::prune`], after the file that is written to was closed where what it begins with is old: on a quiet machine
    /// none is ever full, and all would be kept for ever.
    ///
    /// # Errors
    /// As there.
    pub fn tidy(&self, limits: &Limits) -> Result<Pruned, AuditError> {
        if let (Some(age), Some(began)) = (limits.age, self.began()?)
            && Time::now().since(began) > i64::try_from(age.as_millis() / PARTS).unwrap_or(i64::MAX)
        {
            self.close()?;
        }
        self.prune(limits)
    }

    /// When the first event of the file that is written to happened.
    fn began(&self) -> Result<Option<Time>, AuditError> {
        let Some(file) = disk::open_private(&self.log, OpenOptions::new().read(true))? else {
            return Ok(None);
        };
        let line = Lines::new(file, &self.log).next()?;
        Ok(line.and_then(|line| line.parsed).and_then(|parsed| parsed.entry.time.parse().ok()))
    }

    fn drop_oldest(&self, limits: &Limits, head: &mut Head) -> Result<Pruned, AuditError> {
        let closed = self.closed()?;
        let many = match limits.segments {
            0 => 0,
            most => closed.len().saturating_sub(most.saturating_sub(1)),
        };
        let is_old = |closed: &Closed| {
            let changed = fs::metadata(&closed.path).and_then(|found| found.modified()).ok();
            let since = changed.and_then(|then| SystemTime::now().duration_since(then).ok());
            matches!((limits.age, since), (Some(age), Some(since)) if since > age)
        };
        let old = closed.iter().take_while(|closed| is_old(closed)).count();
        // What belongs into a store stays until it is there.
        let stored = if self.shared.is_some() { self.stored()? } else { u64::MAX };
        let there = closed.iter().take_while(|closed| closed.last <= stored).count();
        let Some(gone) = closed.get(..many.max(old).min(there)).filter(|gone| !gone.is_empty()) else {
            return Ok(Pruned::default());
        };
        let mut pruned = Pruned::default();
        for one in gone {
            let Some(file) = disk::open_private(&one.path, OpenOptions::new().read(true))? else { continue };
            let size = self.size(&file)?;
            if let Some(line) = Backwards::new(file, size, &one.path).next()? {
                head.start = Some((one.last, line.digest));
            }
            pruned.segments += 1;
            pruned.bytes += size;
            pruned.last = one.last;
        }
        self.write_head(head)?;
        for one in gone {
            fs::remove_file(&one.path).map_err(io_error("cannot remove", &one.path))?;
        }
        disk::sync_folder(&self.log)?;
        Ok(pruned)
    }
}
