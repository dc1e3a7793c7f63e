//! The audit log as the transparency log holds it: each line's digest, so that not even its owner writes another history.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use sha2::{Digest, Sha256};

use super::lines::{LINE_LIMIT, Lines};
use super::segments::Open;
use super::{AuditError, AuditLog, broken, io_error};
use crate::document::hex;

/// An event's number, where the next line begins in its file, and its line's digest.
type Shown = (u64, u64, [u8; 32]);

impl AuditLog {
    /// Whether these events are still the lines with these digests. Those that were taken away are no more.
    ///
    /// # Errors
    /// [`AuditError::Broken`] names the first event that is another one now.
    pub fn holds(&self, shown: &[(u64, [u8; 32])]) -> Result<(), AuditError> {
        let gone = self.read_head()?.and_then(|head| head.start).map_or(0, |(seq, _)| seq);
        let mut wanted = shown.iter().filter(|(seq, _)| *seq > gone).peekable();
        if wanted.peek().is_some() {
            'files: for open in self.look()? {
                let mut lines = Lines::new(open.file, &open.path).up_to(open.size);
                while let (Some(line), Some((seq, digest))) = (lines.next()?, wanted.peek()) {
                    if line.parsed.is_some_and(|parsed| parsed.entry.seq == *seq) {
                        if line.hash != *digest {
                            break 'files;
                        }
                        wanted.next();
                    }
                }
            }
        }
        match wanted.peek() {
            None => Ok(()),
            Some((seq, _)) => {
                Err(broken(*seq, "it is not the event that went into the transparency log".to_owned()))
            }
        }
    }

    /// The events behind the last one that is known: their numbers, where the next line begins, and their lines' digests.
    /// `known` is the same of that one.
    ///
    /// # Errors
    /// [`AuditError::Broken`] where the known line is not there any more or another one follows.
    pub fn behind(&self, known: Option<Shown>) -> Result<Vec<Shown>, AuditError> {
        let (seq, end, last) = known.unwrap_or((0, 0, Sha256::digest(b"").into()));
        let rewritten =
            || broken(seq.max(1), "it was rewritten since it went into the transparency log".to_owned());
        let mut files = self.look()?;
        if files.is_empty() {
            return if known.is_none() { Ok(Vec::new()) } else { Err(rewritten()) };
        }
        let mut at = Behind { seq, previous: format!("sha256:{}", hex(&last)), found: Vec::new() };
        let mut from = end;
        match self.read_head()?.and_then(|head| head.start) {
            // What came next was taken away before it went in.
            Some((gone, digest)) if gone >= seq => {
                (at.seq, at.previous, from) = (gone, digest, 0);
            }
            _ if known.is_some() => {
                files.retain(|open| open.last.is_none_or(|last| last >= seq));
                let first = files.first_mut().ok_or_else(rewritten)?;
                let there = first.size >= end
                    && ends_with(&mut first.file, end, &last)
                        .map_err(io_error("cannot read", &first.path))?;
                if !there {
                    return Err(rewritten());
                }
            }
            _ => {}
        }
        for open in files {
            at.read(open, from, &rewritten)?;
            from = 0;
        }
        Ok(at.found)
    }
}

/// How far the log was read.
struct Behind {
    seq: u64,
    previous: String,
    found: Vec<Shown>,
}

impl Behind {
    /// Reads one file from this place on.
    fn read(
        &mut self,
        mut open: Open,
        from: u64,
        rewritten: &dyn Fn() -> AuditError,
    ) -> Result<(), AuditError> {
        open.file.seek(SeekFrom::Start(from)).map_err(io_error("cannot read", &open.path))?;
        let mut lines = Lines::new(open.file, &open.path).up_to(open.size.saturating_sub(from));
        lines.at = from;
        while let Some(line) = lines.next()? {
            let end = line.end;
            // Half a line of a dying process, which the next writer ends and names.
            if let Some(parsed) = line.parsed.filter(|_| line.complete) {
                self.seq += 1;
                if parsed.entry.seq != self.seq || parsed.previous != self.previous {
                    return Err(if self.found.is_empty() {
                        rewritten()
                    } else {
                        broken(self.seq, "the chain does not hold there".to_owned())
                    });
                }
                self.found.push((self.seq, end, line.hash));
            }
            self.previous = line.digest;
        }
        Ok(())
    }
}

/// Whether the line that ends before this place has this digest.
fn ends_with(file: &mut File, end: u64, digest: &[u8; 32]) -> std::io::Result<bool> {
    let from = end.saturating_sub(LINE_LIMIT + 1);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(end - from).read_to_end(&mut bytes)?;
    let Some((b'\n', line)) = bytes.split_last() else { return Ok(false) };
    let line = line.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(Sha256::digest(line).as_slice() == digest)
}
