//! The audit log: what happened, in order, so that a change to it is found.
//!
//! Owns `audit.jsonl`, the segments that it grew out of, and its head. Each line is canonical JSON and holds the SHA-256 of
//! the line before it, so changing, removing or moving a line breaks the chain at a line that can be named. The head, in
//! another folder, says how far the log was brought to the disk, so a cut end is found too. Who can rewrite both files can
//! forge both: the log shows tampering by others and by accident, not by its owner.
//!
//! What must be recorded is brought to the disk, and the head with it. What is only noted costs one write and no wait: the
//! head stays, and the next one that is brought to the disk takes what was noted before it along.
//!
//! A process that dies while it writes leaves half a line. The next one ends that line, and says in its own
//! (`after: torn_line`) that the line before it is torn; the chain goes on over the torn bytes. A whole line of which only
//! the end of line is missing is a whole line, which the next one ends.

mod lines;
mod segments;
mod ship;
mod shown;
mod verify;

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use nix::sys::resource::{Resource, getrlimit};
use serde_json::{Value, json};
use thiserror::Error;

use super::disk::{self, Access, DiskError, Lock, io_error};
use super::fleet::{Away, Shared};
use super::places::Places;
use super::time::Time;
use crate::json;

use lines::{Backwards, LINE_LIMIT, Lines, digest, ends_line};
pub use segments::{Limits, Pruned};
pub use ship::Shipped;
pub use verify::Verified;

/// What a head and a short line take, in bytes.
const LEAST_ROOM: u64 = 4096;

const TORN: &str = "torn_line";
/// More lines one after another that cannot be read were left by no process that died: nobody waits while they are gone over.
const UNREADABLE: usize = 64;
const HEADLESS: &str = "missing_head";

/// Why the log could not be written, read, or believed.
#[derive(Debug, Error)]
pub enum AuditError {
    /// A file or folder.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The store that machines share.
    #[error(transparent)]
    Away(#[from] Away),
    /// It has another file where one of this log belongs.
    #[error("{place} is there and is not this log's")]
    Taken {
        /// The store and the name.
        place: String,
    },
    /// An event too large for a line.
    #[error("the event is larger than a line of the audit log may be")]
    TooLarge,
    /// An event without a canonical form.
    #[error("the event cannot be written as JSON: {0}")]
    Content(#[from] json::JsonError),
    /// The head does not say what it should.
    #[error("{} is damaged: the audit log's end cannot be checked", path.display())]
    Head {
        /// The head's file.
        path: PathBuf,
    },
    /// The chain breaks.
    #[error("the audit log is broken at line {line}: {why}")]
    Broken {
        /// The first line (from 1) that is not as it was written.
        line: u64,
        /// What is wrong there.
        why: String,
    },
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The line that it stands on, from 1; 0 where nobody counted.
    pub line: u64,
    /// Its number, from 1.
    pub seq: u64,
    /// When it was written, RFC 3339.
    pub time: String,
    /// What happened.
    pub event: String,
    /// More about it.
    pub details: Value,
}

/// The audit log of this user.
#[derive(Clone, Debug)]
pub struct AuditLog {
    log: PathBuf,
    head: PathBuf,
    /// Where it goes on in a new file; none: never.
    limits: Option<Limits>,
    /// Where full files go as well.
    shared: Option<Arc<Shared>>,
}

/// How far the log was brought to the disk, and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Head {
    /// Number of the last event.
    seq: u64,
    /// Digest of the last line.
    digest: String,
    /// Bytes of `audit.jsonl` up to there.
    length: u64,
    /// What was last in the segments that were taken away: its number and its line's digest.
    start: Option<(u64, String)>,
}

impl Head {
    fn start() -> Self {
        Self { seq: 0, digest: digest(b""), length: 0, start: None }
    }

    /// A head there, whatever it says of the beginning.
    fn is_at(&self, other: &Self) -> bool {
        (self.seq, &self.digest, self.length) == (other.seq, &other.digest, other.length)
    }
}

/// Where the next line goes.
struct End {
    head: Head,
    /// What the next line has to say of the one before it.
    after: Option<&'static str>,
    /// The line before it was not ended.
    open: bool,
}

/// Whether an event waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Durable {
    Yes,
    No,
}

impl AuditLog {
    /// The log below these places. Touches nothing yet.
    pub fn open(places: &Places) -> Self {
        Self { log: places.audit_log(), head: places.audit_head(), limits: None, shared: None }
    }

    /// Goes on in a new file where one is full, and takes the oldest away.
    #[must_use]
    pub fn within(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Puts full files into this store as well, and takes none away that is not there.
    #[must_use]
    pub fn sharing(mut self, shared: Option<Arc<Shared>>) -> Self {
        self.shared = shared;
        self
    }

    /// Adds an event, durably. Returns its number.
    ///
    /// # Errors
    /// When the disk refuses, a file is not private, the head is damaged, or the event is too large.
    pub fn append(&self, event: &str, details: Value) -> Result<u64, AuditError> {
        self.write(event, details, Time::now(), Durable::Yes)
    }

    /// Adds an event with one write, and does not wait for the disk. Returns its number.
    ///
    /// # Errors
    /// As [`AuditLog::append`].
    pub fn note(&self, event: &str, details: Value) -> Result<u64, AuditError> {
        self.write(event, details, Time::now(), Durable::No)
    }

    fn write(&self, event: &str, details: Value, now: Time, durable: Durable) -> Result<u64, AuditError> {
        let seq = self.write_line(event, details, now, durable)?;
        // Whoever does not wait for the disk does not wait for the store.
        if durable == Durable::Yes
            && let Some(shared) = &self.shared
        {
            self.ship_sometimes(shared);
        }
        Ok(seq)
    }

    fn write_line(
        &self,
        event: &str,
        details: Value,
        now: Time,
        durable: Durable,
    ) -> Result<u64, AuditError> {
        // The head and the line each have to have room.
        room_for(LEAST_ROOM).map_err(io_error("cannot write", &self.log))?;
        for path in [&self.log, &self.head] {
            if let Some(folder) = path.parent() {
                disk::own_dir(folder)?;
            }
        }
        let _lock = Lock::acquire(&self.lock_path())?;
        let (mut file, mut new) = self.current()?;
        let mut size = self.size(&file)?;
        let full = self.limits.as_ref().is_some_and(|limits| limits.is_full(size));
        let mut end = self.end(&mut file, size, durable == Durable::Yes || full)?;
        if full && let Some(next) = self.rotate(&file, size, &mut end.head)? {
            (file, new, size, end.open) = (next, true, 0, false);
        }
        let seq = end.head.seq.saturating_add(1);
        let line = line(seq, now, event, &details, &end)?;
        let mut bytes = Vec::with_capacity(line.len() + 2);
        if end.open {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(&line);
        bytes.push(b'\n');
        self.put(&mut file, size, &bytes)?;
        // The first line of a file moves the head, so that a file that is emptied or gone is missed.
        if durable == Durable::Yes || new {
            file.sync_all().map_err(io_error("cannot write", &self.log))?;
            if new {
                disk::sync_folder(&self.log)?;
            }
            let length = size.saturating_add(bytes.len() as u64);
            self.write_head(&Head { seq, digest: digest(&line), length, start: end.head.start })?;
        }
        Ok(seq)
    }

    /// One write; where it fails, what was written of it goes again: half a line after half a line could not be told.
    fn put(&self, file: &mut File, size: u64, bytes: &[u8]) -> Result<(), AuditError> {
        room_for(size.saturating_add(bytes.len() as u64)).map_err(io_error("cannot write", &self.log))?;
        let written = file.write_all(bytes);
        if written.is_err() {
            let _ = file.set_len(size);
        }
        Ok(written.map_err(io_error("cannot write", &self.log))?)
    }

    /// The file that is written to, and whether it is new.
    fn current(&self) -> Result<(File, bool), AuditError> {
        if let Some(file) = disk::open_private(&self.log, OpenOptions::new().read(true).append(true))? {
            return Ok((file, false));
        }
        match (self.read_head()?, self.closed()?.last()) {
            // First, so that a missing head always means something.
            (None, None) => self.write_head(&Head::start())?,
            // A process died when it had put the full file away.
            (Some(head), Some(last)) if head.seq == last.last && head.length > 0 => {
                self.write_head(&Head { length: 0, ..head })?;
            }
            _ => {}
        }
        Ok((self.make()?, true))
    }

    fn make(&self) -> Result<File, AuditError> {
        let mut how = OpenOptions::new();
        how.read(true).append(true).create_new(true).mode(0o600);
        Ok(how.open(&self.log).map_err(io_error("cannot make", &self.log))?)
    }

    /// Where the next line goes.
    /// With `check`, what was noted has to continue the chain.
    fn end(&self, file: &mut File, size: u64, check: bool) -> Result<End, AuditError> {
        let (head, mut after) = match self.read_head()? {
            Some(head) => (head, None),
            None => (self.headless()?, Some(HEADLESS)),
        };
        let open = size > 0 && !ends_line(file, size).map_err(io_error("cannot read", &self.log))?;
        let mut end = End { head, after: None, open };
        if size > end.head.length {
            // Noted, or written by a process that died before the head. Believed as far as it continues the chain.
            let torn = match check {
                true => self.catch_up(file, &mut end.head)?,
                false => self.reach(file, size, &mut end.head)?,
            };
            // A whole line that cannot be read was not left by a process that died: nothing is said that would excuse it.
            if torn && open {
                after = Some(TORN);
            }
        }
        end.after = after;
        Ok(end)
    }

    /// What stands in for a head that is missing: the last segment's end.
    fn headless(&self) -> Result<Head, AuditError> {
        let mut head = Head { start: self.begins()?, ..Head::start() };
        if let Some(last) = self.closed()?.last()
            && let Some(mut file) = disk::open_private(&last.path, OpenOptions::new().read(true))?
        {
            let size = self.size(&file)?;
            self.reach(&mut file, size, &mut head)?;
        }
        Ok(head)
    }

    /// Goes to the last line, reading from the end. True: the last bytes are half a line.
    fn reach(&self, file: &mut File, size: u64, head: &mut Head) -> Result<bool, AuditError> {
        let again = file.try_clone().map_err(io_error("cannot read", &self.log))?;
        let mut lines = Backwards::new(again, size, &self.log);
        let (mut torn, mut unreadable) = (None, 0);
        while let Some(line) = lines.next()? {
            let whole = line.parsed.as_ref();
            count_unreadable(whole.is_none(), &mut unreadable, line.number)?;
            if torn.is_none() {
                torn = Some(whole.is_none());
                head.digest.clone_from(&line.digest);
            }
            if let Some(parsed) = whole {
                head.seq = parsed.entry.seq;
                break;
            }
        }
        Ok(torn.unwrap_or(false))
    }

    /// Goes on from the head over what was written behind it. True: the last bytes are half a line.
    fn catch_up(&self, file: &mut File, head: &mut Head) -> Result<bool, AuditError> {
        file.seek(SeekFrom::Start(head.length)).map_err(io_error("cannot read", &self.log))?;
        let again = file.try_clone().map_err(io_error("cannot read", &self.log))?;
        let mut lines = Lines::new(again, &self.log);
        let (mut torn, mut broken, mut unreadable) = (false, None, 0);
        while let Some(line) = lines.next()? {
            torn = line.parsed.is_none();
            count_unreadable(torn, &mut unreadable, line.number)?;
            if let Some(parsed) = line.parsed {
                // A break must stay one: what is written next follows what the head knew.
                if parsed.previous != head.digest && broken.is_none() {
                    broken = Some(head.digest.clone());
                }
                head.seq = parsed.entry.seq;
            }
            head.digest = line.digest;
        }
        if let Some(known) = broken {
            head.digest = known;
        }
        Ok(torn)
    }

    /// All events that can be read, oldest first; lines that cannot are left out.
    ///
    /// # Errors
    /// When the file cannot be read or is not private.
    pub fn read(&self) -> Result<Vec<Entry>, AuditError> {
        let mut entries = Vec::new();
        self.oldest_first(|entry| {
            entries.push(entry);
            true
        })?;
        Ok(entries)
    }

    /// Shows events that can be read, oldest first, until `see` has seen enough. Holds one line at a time.
    ///
    /// # Errors
    /// When a file cannot be read or is not private.
    pub fn oldest_first(&self, mut see: impl FnMut(Entry) -> bool) -> Result<(), AuditError> {
        for open in self.look()? {
            let mut lines = Lines::new(open.file, &open.path).up_to(open.size);
            while let Some(line) = lines.next()? {
                if let Some(parsed) = line.parsed
                    && !see(parsed.entry)
                {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The same, newest first.
    ///
    /// # Errors
    /// As [`AuditLog::oldest_first`].
    pub fn newest_first(&self, mut see: impl FnMut(Entry) -> bool) -> Result<(), AuditError> {
        for open in self.look()?.into_iter().rev() {
            let mut lines = Backwards::new(open.file, open.size, &open.path);
            while let Some(line) = lines.next()? {
                if let Some(parsed) = line.parsed
                    && !see(parsed.entry)
                {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn size(&self, file: &File) -> Result<u64, AuditError> {
        Ok(file.metadata().map_err(io_error("cannot look at", &self.log))?.len())
    }

    fn lock_path(&self) -> PathBuf {
        self.log.with_extension("lock")
    }

    fn read_head(&self) -> Result<Option<Head>, AuditError> {
        let Some(bytes) = disk::read_private(&self.head, 4096)? else { return Ok(None) };
        let damaged = || AuditError::Head { path: self.head.clone() };
        let value: Value = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        let place = |value: &Value| {
            let digest = value.get("digest").and_then(Value::as_str)?;
            Some((value.get("seq").and_then(Value::as_u64)?, digest.to_owned()))
        };
        let (seq, digest) = place(&value).ok_or_else(damaged)?;
        let length = value.get("length").and_then(Value::as_u64).ok_or_else(damaged)?;
        let start = match value.get("start") {
            Some(start) => Some(place(start).ok_or_else(damaged)?),
            None => None,
        };
        Ok(Some(Head { seq, digest, length, start }))
    }

    fn write_head(&self, head: &Head) -> Result<(), AuditError> {
        let mut value = json!({"seq": head.seq, "digest": head.digest, "length": head.length});
        if let (Some((seq, digest)), Some(value)) = (&head.start, value.as_object_mut()) {
            value.insert("start".to_owned(), json!({"seq": seq, "digest": digest}));
        }
        Ok(disk::write_atomic(&self.head, value.to_string().as_bytes(), Access::Private)?)
    }
}

/// The bytes of a line.
fn line(seq: u64, now: Time, event: &str, details: &Value, end: &End) -> Result<Vec<u8>, AuditError> {
    let mut line = json!({
        "seq": seq, "time": now.to_string(), "event": event, "previous": end.head.digest, "details": details,
    });
    if let (Some(after), Some(line)) = (end.after, line.as_object_mut()) {
        line.insert("after".to_owned(), json!(after));
    }
    let line = json::canonical(&line)?;
    if line.len() as u64 >= LINE_LIMIT { Err(AuditError::TooLarge) } else { Ok(line) }
}

/// Whether a file may grow to this size: the system ends a process that tries all the same.
fn room_for(size: u64) -> std::io::Result<()> {
    match getrlimit(Resource::RLIMIT_FSIZE) {
        Ok((most, _)) if size > most => Err(std::io::ErrorKind::FileTooLarge.into()),
        _ => Ok(()),
    }
}

/// Counts lines that cannot be read, one after another, and says when there are too many.
fn count_unreadable(is_one: bool, so_far: &mut usize, line: u64) -> Result<(), AuditError> {
    *so_far = if is_one { *so_far + 1 } else { 0 };
    match *so_far > UNREADABLE {
        true => Err(broken(line, "it and many around it are no lines of this log".to_owned())),
        false => Ok(()),
    }
}

fn broken(line: u64, why: String) -> AuditError {
    AuditError::Broken { line, why }
}

#[cfg(test)]
mod segment_tests;
#[cfg(test)]
mod tests;
