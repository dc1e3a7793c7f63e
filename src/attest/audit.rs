//! The audit log: what happened, in order, so that a change to it is found.
//!
//! Owns `audit.jsonl` and its head. Each line is canonical JSON and holds the SHA-256 of the line before it, so
//! changing, removing or moving a line breaks the chain at a line that can be named. The head, in another folder, says
//! how far the log reaches, so a cut end is found too. Who can rewrite both files can forge both: the log shows
//! tampering by others and by accident, not by its owner.
//!
//! A process that dies while it writes leaves half a line. The next one ends that line, and says in its own
//! (`after: torn_line`) that the line before it is torn; the chain goes on over the torn bytes.

mod shown;

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::disk::{self, Access, DiskError, Lock, io_error};
use super::document::hex;
use super::places::Places;
use super::time::Time;
use crate::json;

/// No line is longer, in bytes.
const LINE_LIMIT: u64 = 1 << 20;

const TORN: &str = "torn_line";
const HEADLESS: &str = "missing_head";

/// Why the log could not be written, read, or believed.
#[derive(Debug, Error)]
pub enum AuditError {
    /// A file or folder.
    #[error(transparent)]
    Disk(#[from] DiskError),
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
    /// The line that it stands on, from 1.
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

/// What a log that holds has to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many events there are.
    pub entries: u64,
    /// Lines that a dying process left half-written.
    pub torn: Vec<u64>,
    /// Lines before which the head was missing, so that nobody knows whether lines were cut off there.
    pub headless: Vec<u64>,
}

/// The audit log of this user.
#[derive(Clone, Debug)]
pub struct AuditLog {
    log: PathBuf,
    head: PathBuf,
}

/// How far the log reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Head {
    /// Number of the last event.
    seq: u64,
    /// Digest of the last line.
    digest: String,
    /// The log's size in bytes.
    length: u64,
}

impl Head {
    fn start() -> Self {
        Self { seq: 0, digest: digest(b""), length: 0 }
    }
}

impl AuditLog {
    /// The log below these places. Touches nothing yet.
    pub fn open(places: &Places) -> Self {
        Self { log: places.audit_log(), head: places.audit_head() }
    }

    /// Adds an event, durably. Returns its number.
    ///
    /// # Errors
    /// When the disk refuses, a file is not private, the head is damaged, or the event is too large.
    pub fn append(&self, event: &str, details: Value) -> Result<u64, AuditError> {
        self.append_at(event, details, Time::now())
    }

    fn append_at(&self, event: &str, details: Value, now: Time) -> Result<u64, AuditError> {
        for path in [&self.log, &self.head] {
            if let Some(folder) = path.parent() {
                disk::own_dir(folder)?;
            }
        }
        let _lock = Lock::acquire(&self.lock_path())?;
        let existing = disk::open_private(&self.log, OpenOptions::new().read(true).append(true))?;
        let (mut file, new) = match existing {
            Some(file) => (file, false),
            None => {
                if self.read_head()?.is_none() {
                    // First, so that a missing head always means something.
                    self.write_head(&Head::start())?;
                }
                let made =
                    OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(&self.log);
                (made.map_err(io_error("cannot make", &self.log))?, true)
            }
        };
        let size = file.metadata().map_err(io_error("cannot look at", &self.log))?.len();
        let (mut head, mut after) = match self.read_head()? {
            Some(head) => (head, None),
            None => (Head::start(), Some(HEADLESS)),
        };
        let mut bytes = Vec::new();
        if size > head.length {
            // Written, but its writer died before the head. Believed as far as it continues the chain.
            let (reached, torn) = self.catch_up(&mut file, head)?;
            head = reached;
            if torn {
                after = Some(TORN);
            }
        }
        if size > 0 && !ends_line(&mut file, size).map_err(io_error("cannot read", &self.log))? {
            bytes.push(b'\n');
        }
        let seq = head.seq.saturating_add(1);
        let mut line = json!({
            "seq": seq, "time": now.to_string(), "event": event, "previous": head.digest, "details": details,
        });
        if let (Some(after), Some(line)) = (after, line.as_object_mut()) {
            line.insert("after".to_owned(), json!(after));
        }
        let line = json::canonical(&line)?;
        if line.len() as u64 >= LINE_LIMIT {
            return Err(AuditError::TooLarge);
        }
        let digest = digest(&line);
        bytes.extend_from_slice(&line);
        bytes.push(b'\n');
        let length = size.saturating_add(bytes.len() as u64);
        file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(io_error("cannot write", &self.log))?;
        if new {
            disk::sync_folder(&self.log)?;
        }
        self.write_head(&Head { seq, digest, length })?;
        Ok(seq)
    }

    /// All events that can be read, oldest first; lines that cannot are left out.
    ///
    /// # Errors
    /// When the file cannot be read or is not private.
    pub fn read(&self) -> Result<Vec<Entry>, AuditError> {
        let Some((file, _, _lock)) = self.look()? else { return Ok(Vec::new()) };
        let mut entries = Vec::new();
        let mut lines = Lines::new(file, &self.log);
        while let Some(line) = lines.next()? {
            if let Some(parsed) = line.parsed {
                entries.push(parsed.entry);
            }
        }
        Ok(entries)
    }

    /// Checks the whole chain and its end.
    ///
    /// # Errors
    /// [`AuditError::Broken`] names the first line that is not as it was written.
    pub fn verify(&self) -> Result<Verified, AuditError> {
        let Some((file, size, _lock)) = self.look()? else {
            return match self.read_head()? {
                Some(head) if head.seq > 0 => {
                    Err(broken(1, format!("the log is gone, its head counts {} events", head.seq)))
                }
                _ => Ok(Verified::default()),
            };
        };
        let head = self.read_head()?;
        let mut found = Verified::default();
        let mut reached = Head::start();
        // Whether the log ever stood as the head says.
        let mut met = head.as_ref() == Some(&reached);
        let mut torn: Option<u64> = None;
        let mut lines = Lines::new(file, &self.log);
        while let Some(line) = lines.next()? {
            let number = line.number;
            match line.parsed {
                Some(parsed) if line.complete => {
                    follow(&reached, &parsed, number, torn)?;
                    found.torn.extend(torn.take());
                    if parsed.after.as_deref() == Some(HEADLESS) {
                        found.headless.push(number);
                    }
                    reached.seq = parsed.entry.seq;
                }
                _ if torn.is_some() => return Err(broken(torn.unwrap_or(number), UNREADABLE.to_owned())),
                _ => torn = Some(number),
            }
            reached.digest = line.digest;
            reached.length = line.end;
            met |= head.as_ref() == Some(&reached);
        }
        let last = lines.number;
        match head {
            None if size > 0 => {
                return Err(broken(last, format!("its head {} is missing", self.head.display())));
            }
            Some(head) if !met => {
                let why = if head.length > reached.length {
                    format!("the log ends here, its head counts {} events", head.seq)
                } else {
                    "it is not the line that the log's head names".to_owned()
                };
                return Err(broken(last.max(1), why));
            }
            _ => {}
        }
        // Nobody wrote after it yet. A whole line that cannot be read was not left by a dying process.
        if let Some(line) = torn {
            if lines.ended {
                return Err(broken(line, UNREADABLE.to_owned()));
            }
            found.torn.push(line);
        }
        found.entries = reached.seq;
        Ok(found)
    }

    /// The log between two writes, and what keeps writers away from it. None: there is none.
    fn look(&self) -> Result<Option<(File, u64, Lock)>, AuditError> {
        let Some(file) = disk::open_private(&self.log, OpenOptions::new().read(true))? else {
            return Ok(None);
        };
        let lock = Lock::acquire(&self.lock_path())?;
        let size = file.metadata().map_err(io_error("cannot look at", &self.log))?.len();
        Ok(Some((file, size, lock)))
    }

    /// Goes on from the head over what was written behind it. True: the last bytes are half a line.
    fn catch_up(&self, file: &mut File, mut head: Head) -> Result<(Head, bool), AuditError> {
        file.seek(SeekFrom::Start(head.length)).map_err(io_error("cannot read", &self.log))?;
        let again = file.try_clone().map_err(io_error("cannot read", &self.log))?;
        let mut lines = Lines::new(again, &self.log);
        let mut torn = false;
        while let Some(line) = lines.next()? {
            if let Some(parsed) = &line.parsed
                && line.complete
            {
                head.seq = parsed.entry.seq;
            }
            torn = line.parsed.is_none() || !line.complete;
            head.digest = line.digest;
        }
        Ok((head, torn))
    }

    fn lock_path(&self) -> PathBuf {
        self.log.with_extension("lock")
    }

    fn read_head(&self) -> Result<Option<Head>, AuditError> {
        let Some(bytes) = disk::read_private(&self.head, 4096)? else { return Ok(None) };
        let damaged = || AuditError::Head { path: self.head.clone() };
        let value: Value = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        let number = |name: &str| value.get(name).and_then(Value::as_u64).ok_or_else(damaged);
        let digest = value.get("digest").and_then(Value::as_str).ok_or_else(damaged)?;
        Ok(Some(Head { seq: number("seq")?, digest: digest.to_owned(), length: number("length")? }))
    }

    fn write_head(&self, head: &Head) -> Result<(), AuditError> {
        let value = json!({"seq": head.seq, "digest": head.digest, "length": head.length});
        Ok(disk::write_atomic(&self.head, value.to_string().as_bytes(), Access::Private)?)
    }
}

const UNREADABLE: &str = "it is not a line that was written whole";

/// That a line follows what was reached.
fn follow(reached: &Head, line: &Parsed, number: u64, torn: Option<u64>) -> Result<(), AuditError> {
    let says_torn = line.after.as_deref() == Some(TORN);
    if let Some(torn) = torn.filter(|_| !says_torn) {
        return Err(broken(torn, UNREADABLE.to_owned()));
    }
    let expected = reached.seq.saturating_add(1);
    let why = if line.entry.seq != expected {
        format!("it is event {}, event {expected} should follow", line.entry.seq)
    } else if line.previous != reached.digest {
        "the line before it is not the one that it followed when it was written".to_owned()
    } else if says_torn && torn.is_none() {
        "it says that the line before it is torn, which it is not".to_owned()
    } else if !line.canonical {
        "it is not written as the log writes".to_owned()
    } else {
        return Ok(());
    };
    Err(broken(number, why))
}

/// A line of the file.
struct Line {
    number: u64,
    /// Where the next one begins.
    end: u64,
    complete: bool,
    digest: String,
    hash: [u8; 32],
    parsed: Option<Parsed>,
}

struct Parsed {
    entry: Entry,
    previous: String,
    after: Option<String>,
    canonical: bool,
}

/// Reads a file line by line, each of limited length.
struct Lines<'a> {
    reader: BufReader<File>,
    path: &'a Path,
    number: u64,
    at: u64,
    /// Whether the last line read was ended.
    ended: bool,
}

impl<'a> Lines<'a> {
    fn new(file: File, path: &'a Path) -> Self {
        Self { reader: BufReader::new(file), path, number: 0, at: 0, ended: true }
    }

    fn next(&mut self) -> Result<Option<Line>, AuditError> {
        let mut bytes = Vec::new();
        let mut limited = (&mut self.reader).take(LINE_LIMIT);
        let read = limited.read_until(b'\n', &mut bytes).map_err(io_error("cannot read", self.path))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.at += read as u64;
        let complete = bytes.last() == Some(&b'\n');
        if complete {
            bytes.pop();
        } else if read as u64 == LINE_LIMIT {
            return Err(broken(self.number, "it is longer than a line can be".to_owned()));
        }
        self.ended = complete;
        let parsed = parse(&bytes, self.number);
        Ok(Some(Line {
            number: self.number,
            end: self.at,
            complete,
            digest: digest(&bytes),
            hash: Sha256::digest(&bytes).into(),
            parsed,
        }))
    }
}

fn parse(bytes: &[u8], line: u64) -> Option<Parsed> {
    let value = json::parse(bytes, bytes.len()).ok()?;
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let seq =
        value.get("seq").and_then(Value::as_f64).filter(|n| *n >= 1.0 && n.fract() == 0.0 && *n < 9e15)?;
    let entry = Entry {
        line,
        seq: seq as u64,
        time: text("time")?,
        event: text("event")?,
        details: value.get("details").cloned().unwrap_or(Value::Null),
    };
    let canonical = json::canonical(&value).is_ok_and(|canonical| canonical == bytes);
    Some(Parsed { entry, previous: text("previous")?, after: text("after"), canonical })
}

fn ends_line(file: &mut File, size: u64) -> std::io::Result<bool> {
    let mut last = [0u8];
    file.seek(SeekFrom::Start(size.saturating_sub(1)))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

fn broken(line: u64, why: String) -> AuditError {
    AuditError::Broken { line, why }
}

#[cfg(test)]
mod tests;
