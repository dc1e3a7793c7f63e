//! A witness (c2sp.org/tlog-witness): remembers the newest checkpoint of each log that it knows, and cosigns only what goes on
//! from it.
//!
//! Owns the folder of what was seen, and the answers of `add-checkpoint`. What it saw last is on the disk before its
//! signature leaves, twice: when the first copy is put back from an old one, the second one shows it, and the witness says
//! nothing any more.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::checkpoint::{Checkpoint, hash, number};
use super::merkle::{self, Hash, PROOF_LIMIT};
use super::note::{Kind, NOTE_LIMIT, Note, NoteError, Vkey};
use super::signer::{NoteSigner, SignerError};
use crate::disk::{self, Access, DiskError, Lock};
use crate::document::hex;
use crate::time::Time;

/// A request larger than this is not read, in bytes.
pub const REQUEST_LIMIT: usize = NOTE_LIMIT + (8 << 10);

/// Why there is no cosignature, by the protocol's statuses.
#[derive(Debug, Error)]
pub enum Refused {
    /// 400.
    #[error("{0}")]
    Malformed(&'static str),
    /// 403.
    #[error("the log's key did not sign this checkpoint")]
    Unsigned,
    /// 404.
    #[error("this log is not known here")]
    Unknown,
    /// 409: the size that was seen last.
    #[error("the last checkpoint seen here has {0} leaves")]
    Conflict(u64),
    /// 422.
    #[error("{0}")]
    Contradiction(&'static str),
    /// 500.
    #[error("{0}")]
    Own(String),
}

impl From<DiskError> for Refused {
    fn from(error: DiskError) -> Self {
        Self::Own(error.to_string())
    }
}

/// A request of `add-checkpoint`.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// The size that the proof begins at.
    pub old: u64,
    /// That the checkpoint goes on from there.
    pub proof: Vec<Hash>,
    /// The checkpoint.
    pub note: Note,
}

impl Request {
    /// Reads one.
    ///
    /// # Errors
    /// [`Refused::Malformed`].
    pub fn parse(bytes: &[u8]) -> Result<Self, Refused> {
        let wrong = Refused::Malformed;
        if bytes.len() > REQUEST_LIMIT {
            return Err(wrong("the request is too large"));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| wrong("the request is not UTF-8"))?;
        let (head, note) = text.split_once("\n\n").ok_or(wrong("the request has no checkpoint"))?;
        let mut lines = head.split('\n');
        let old = lines.next().and_then(|line| line.strip_prefix("old ")).and_then(number);
        let old = old.ok_or(wrong("the request does not begin with the old size"))?;
        let proof: Option<Vec<Hash>> = lines.map(hash).collect();
        let proof = proof.filter(|all| all.len() <= PROOF_LIMIT);
        let proof = proof.ok_or(wrong("a line of the proof is no hash, or there are too many"))?;
        let note = Note::parse(note.as_bytes()).map_err(|_| wrong("the checkpoint is no signed note"))?;
        Ok(Self { old, proof, note })
    }
}

/// A request's text.
pub fn request(old: u64, proof: &[Hash], note: &Note) -> String {
    let lines: String = proof.iter().map(|hash| STANDARD.encode(hash) + "\n").collect();
    format!("old {old}\n{lines}\n{note}")
}

/// A witness, ready to answer.
#[derive(Debug)]
pub struct Witness {
    signer: NoteSigner,
    logs: Vec<Vkey>,
    seen: PathBuf,
    head: PathBuf,
}

impl Witness {
    /// Opens the witness of this name, and makes its key where there is none. `seen` holds the key and what was seen,
    /// `head` the sizes again: it belongs elsewhere.
    ///
    /// # Errors
    /// When a folder is not private or the key cannot be used.
    pub fn open(name: &str, logs: Vec<Vkey>, seen: PathBuf, head: PathBuf) -> Result<Self, SignerError> {
        for folder in [&seen, &head] {
            disk::private_dir(folder)?;
        }
        let signer = NoteSigner::open(&seen.join("key.pem"), name, Kind::Witness, None, true)?;
        Ok(Self { signer, logs, seen, head })
    }

    /// What its cosignatures are verified with.
    pub fn vkey(&self) -> &Vkey {
        self.signer.vkey()
    }

    /// Answers a request with a line of signatures.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn add(&self, body: &[u8], now: Time) -> Result<String, Refused> {
        let Request { old, proof, note } = Request::parse(body)?;
        let malformed = |_: NoteError| Refused::Malformed("its text is no checkpoint");
        let new = Checkpoint::parse(note.text()).map_err(malformed)?;
        let mut keys = self.logs.iter().filter(|key| key.name() == new.origin).peekable();
        if keys.peek().is_none() {
            return Err(Refused::Unknown);
        }
        let mut signed = false;
        for key in keys {
            signed |= note.signed_by(key).map_err(|_| Refused::Unsigned)?.is_some();
        }
        if !signed {
            return Err(Refused::Unsigned);
        }
        if old > new.size {
            return Err(Refused::Malformed("the old size is larger than the checkpoint's"));
        }
        let name = hex(&Sha256::digest(&new.origin));
        let _lock = Lock::acquire(&self.seen.join("lock"))?;
        let last = self.last(&name, &new.origin)?;
        let (size, root) = last.as_ref().map_or((0, merkle::empty_root()), |last| (last.size, last.root));
        if old != size {
            return Err(Refused::Conflict(size));
        }
        if new.size == 0 && new.root != merkle::empty_root() {
            return Err(Refused::Contradiction("a log without leaves has another root"));
        }
        if !merkle::goes_on(size, &root, new.size, &new.root, &proof) {
            return Err(Refused::Contradiction("the checkpoint does not go on from the one seen last"));
        }
        let seconds = u64::try_from(now.millis() / 1000).unwrap_or(0).max(1);
        disk::write_atomic(&self.seen.join(&name), note.to_string().as_bytes(), Access::Private)?;
        disk::write_atomic(&self.head.join(&name), new.size.to_string().as_bytes(), Access::Private)?;
        Ok(self.signer.sign(note.text(), seconds))
    }

    /// What was seen last of a log. Whatever cannot be read is no reason to begin anew.
    fn last(&self, name: &str, origin: &str) -> Result<Option<Checkpoint>, Refused> {
        let damaged = || Refused::Own("what this witness saw last cannot be read".to_owned());
        let seen = disk::read_private(&self.seen.join(name), NOTE_LIMIT as u64)?
            .map(|bytes| Note::parse(&bytes).and_then(|note| Checkpoint::parse(note.text())))
            .transpose()
            .map_err(|_| damaged())?;
        let head = disk::read_private(&self.head.join(name), 64)?
            .map(|bytes| std::str::from_utf8(&bytes).ok().and_then(number).ok_or_else(damaged))
            .transpose()?;
        if seen.as_ref().is_some_and(|seen| seen.origin != origin) {
            return Err(damaged());
        }
        if head.unwrap_or(0) > seen.as_ref().map_or(0, |seen| seen.size) {
            return Err(Refused::Own("what this witness saw last was put back from an old copy".to_owned()));
        }
        Ok(seen)
    }
}

#[cfg(test)]
#[path = "witness_tests.rs"]
mod tests;
