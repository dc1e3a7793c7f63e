//! The audit log as the transparency log holds it: each line's digest, so that not even its owner writes another history.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use sha2::{Digest, Sha256};

use super::{AuditError, AuditLog, LINE_LIMIT, Lines, broken, io_error};
use crate::attest::document::hex;

/// An event's number, where the next line begins, and its line's digest.
type Shown = (u64, u64, [u8; 32]);

impl AuditLog {
    /// Whether these events are still the lines with these digests.
    ///
    /// # Errors
    /// [`AuditError::Broken`] names the first event that is another one now.
    pub fn holds(&self, shown: &[(u64, [u8; 32])]) -> Result<(), AuditError> {
        let mut wanted = shown.iter().peekable();
        if let (Some((file, _, _lock)), true) = (self.look()?, wanted.peek().is_some()) {
            let mut lines = Lines::new(file, &self.log);
            while let (Some(line), Some((seq, digest))) = (lines.next()?, wanted.peek()) {
                if line.parsed.is_some_and(|parsed| parsed.entry.seq == *seq) {
                    if line.hash != *digest {
                        break;
                    }
                    wanted.next();
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
        let Some((mut file, size, _lock)) = self.look()? else {
            return if known.is_none() { Ok(Vec::new()) } else { Err(rewritten()) };
        };
        let there =
            size >= end && ends_with(&mut file, end, &last).map_err(io_error("cannot read", &self.log))?;
        if known.is_some() && !there {
            return Err(rewritten());
        }
        file.seek(SeekFrom::Start(end)).map_err(io_error("cannot read", &self.log))?;
        let mut lines = Lines::new(file, &self.log);
        lines.at = end;
        let (mut expected, mut previous) = (seq, format!("sha256:{}", hex(&last)));
        let mut found = Vec::new();
        while let Some(line) = lines.next()? {
            let end = line.end;
            // Half a line of a dying process, which the next writer ends and names.
            if let Some(parsed) = line.parsed.filter(|_| line.complete) {
                expected += 1;
                if parsed.entry.seq != expected || parsed.previous != previous {
                    return Err(if found.is_empty() {
                        rewritten()
                    } else {
                        broken(expected, "the chain does not hold there".to_owned())
                    });
                }
                found.push((expected, end, line.hash));
            }
            previous = line.digest;
        }
        Ok(found)
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
