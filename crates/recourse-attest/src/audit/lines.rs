//! Lines of the audit log: read forwards or backwards, one at a time, each of limited length.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{AuditError, Entry, broken, io_error};
use crate::document::hex;
use crate::json;

/// No line is longer, in bytes.
pub(super) const LINE_LIMIT: u64 = 1 << 20;

/// How much is read at once from the end.
const BLOCK: u64 = 16 << 10;

/// A line of the file.
pub(super) struct Line {
    pub(super) number: u64,
    /// Where the next one begins.
    pub(super) end: u64,
    pub(super) complete: bool,
    pub(super) digest: String,
    pub(super) hash: [u8; 32],
    pub(super) parsed: Option<Parsed>,
}

pub(super) struct Parsed {
    pub(super) entry: Entry,
    pub(super) previous: String,
    pub(super) after: Option<String>,
    pub(super) canonical: bool,
}

impl Line {
    fn new(bytes: &[u8], number: u64, end: u64, complete: bool) -> Self {
        let hash: [u8; 32] = Sha256::digest(bytes).into();
        Self {
            number,
            end,
            complete,
            digest: format!("sha256:{}", hex(&hash)),
            hash,
            parsed: parse(bytes, number),
        }
    }
}

/// Reads a file line by line.
pub(super) struct Lines<'a> {
    reader: BufReader<Take<File>>,
    path: &'a Path,
    pub(super) number: u64,
    pub(super) at: u64,
    /// Whether the last line read was ended.
    pub(super) ended: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(file: File, path: &'a Path) -> Self {
        Self { reader: BufReader::new(file.take(u64::MAX)), path, number: 0, at: 0, ended: true }
    }

    /// Not further than this: what comes behind was written later.
    pub(super) fn up_to(mut self, size: u64) -> Self {
        self.reader.get_mut().set_limit(size);
        self
    }

    pub(super) fn next(&mut self) -> Result<Option<Line>, AuditError> {
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
        Ok(Some(Line::new(&bytes, self.number, self.at, complete)))
    }
}

/// Reads a file line by line from its end. Lines have no number then.
pub(super) struct Backwards<'a> {
    file: File,
    path: &'a Path,
    /// What stands before this was not read yet.
    from: u64,
    /// What was read and not given yet.
    held: Vec<u8>,
}

impl<'a> Backwards<'a> {
    pub(super) fn new(file: File, size: u64, path: &'a Path) -> Self {
        Self { file, path, from: size, held: Vec::new() }
    }

    pub(super) fn next(&mut self) -> Result<Option<Line>, AuditError> {
        loop {
            let complete = self.held.last() == Some(&b'\n');
            let body = self.held.len() - usize::from(complete);
            let begin = self.held[..body].iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
            if let Some(begin) = begin.or((self.from == 0 && !self.held.is_empty()).then_some(0)) {
                let end = self.from + self.held.len() as u64;
                let line = Line::new(&self.held[begin..body], 0, end, complete);
                self.held.truncate(begin);
                return Ok(Some(line));
            }
            if self.from == 0 {
                return Ok(None);
            }
            if self.held.len() as u64 > LINE_LIMIT {
                return Err(broken(0, "it is longer than a line can be".to_owned()));
            }
            let more = BLOCK.min(self.from);
            let mut bytes = vec![0; more as usize];
            self.from -= more;
            self.file.read_exact_at(&mut bytes, self.from).map_err(io_error("cannot read", self.path))?;
            bytes.append(&mut self.held);
            self.held = bytes;
        }
    }
}

fn parse(bytes: &[u8], line: u64) -> Option<Parsed> {
    // Nothing else is ours, and there may be very much of it.
    if bytes.first() != Some(&b'{') {
        return None;
    }
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

pub(super) fn ends_line(file: &mut File, size: u64) -> std::io::Result<bool> {
    let mut last = [0u8];
    file.seek(SeekFrom::Start(size.saturating_sub(1)))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

pub(super) fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}
