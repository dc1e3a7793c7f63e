//! Proofs that an entry is in a log (c2sp.org/tlog-proof), and what a verifier demands of them.
//!
//! Owns the text, the entries, and the policy: which logs count, which witnesses, and how many of them. Looks at nothing
//! but its arguments.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::checkpoint::{Checkpoint, hash, number};
use super::merkle::{self, Hash, PROOF_LIMIT};
use super::note::{Kind, NOTE_LIMIT, Note, NoteError, Vkey};
use crate::document::hex;

/// The first line.
const MAGIC: &str = "c2sp.org/tlog-proof@v1";
/// A proof larger than this is not read, in bytes.
pub const LIMIT: usize = NOTE_LIMIT + (8 << 10);

/// What a log holds digests of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// An attestation in canonical form, its signature included.
    Attestation,
    /// A version of the key registry in canonical form.
    Registry,
    /// A line of the audit log.
    Audit,
}

impl Entry {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Attestation, Self::Registry, Self::Audit];

    /// The word in the leaf.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Attestation => "attestation",
            Self::Registry => "registry",
            Self::Audit => "audit",
        }
    }

    /// The leaf of bytes with this digest.
    pub fn leaf(self, digest: &Hash) -> Vec<u8> {
        format!("{} sha256:{}", self.as_str(), hex(digest)).into_bytes()
    }

    /// The leaf of these bytes.
    pub fn leaf_of(self, bytes: &[u8]) -> Vec<u8> {
        self.leaf(&Sha256::digest(bytes).into())
    }
}

/// Why an entry is not taken as logged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProofError {
    /// Not a proof.
    #[error("it is no proof of a log: {0}")]
    Form(&'static str),
    /// The checkpoint.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// No log that counts signed it.
    #[error("no log that is believed signed the checkpoint of {0}")]
    Log(String),
    /// The hashes do not lead to the root.
    #[error("this is not what the log holds at that place")]
    Leaf,
    /// Too few saw it.
    #[error("{found} of the known witnesses saw the checkpoint, {wanted} are demanded")]
    Witnesses {
        /// How many.
        found: usize,
        /// How many were to.
        wanted: usize,
    },
}

/// That an entry is in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Its place, from 0.
    pub index: u64,
    /// From its sibling upwards.
    pub hashes: Vec<Hash>,
    /// What the log says that it holds.
    pub checkpoint: Note,
}

impl Proof {
    /// Whether the hashes lead from this leaf to the root that the checkpoint names, whoever signed that.
    pub fn leads_from(&self, leaf: &[u8]) -> bool {
        let leaf = merkle::leaf_hash(leaf);
        Checkpoint::parse(self.checkpoint.text()).is_ok_and(|checkpoint| {
            merkle::includes(&leaf, self.index, checkpoint.size, &self.hashes, &checkpoint.root)
        })
    }

    /// Reads a proof of at most [`LIMIT`] bytes.
    ///
    /// # Errors
    /// [`ProofError::Form`] and [`ProofError::Note`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ProofError> {
        if bytes.len() > LIMIT {
            return Err(ProofError::Form("it is too large"));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| ProofError::Form("it is not UTF-8"))?;
        let (head, note) = text.split_once("\n\n").ok_or(ProofError::Form("it has no checkpoint"))?;
        let mut lines = head.split('\n');
        if lines.next() != Some(MAGIC) {
            return Err(ProofError::Form("its first line is another"));
        }
        let mut line = lines.next();
        if let Some(extra) = line.and_then(|line| line.strip_prefix("extra ")) {
            STANDARD.decode(extra).map_err(|_| ProofError::Form("its extra data is not base64"))?;
            line = lines.next();
        }
        let index = line.and_then(|line| line.strip_prefix("index ")).and_then(number);
        let index = index.ok_or(ProofError::Form("it has no index"))?;
        let hashes: Option<Vec<Hash>> = lines.map(hash).collect();
        let hashes = hashes.filter(|all| all.len() <= PROOF_LIMIT);
        let hashes = hashes.ok_or(ProofError::Form("a line of it is no hash, or there are too many"))?;
        Ok(Self { index, hashes, checkpoint: Note::parse(note.as_bytes())? })
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{MAGIC}\nindex {}", self.index)?;
        self.hashes.iter().try_for_each(|hash| writeln!(formatter, "{}", STANDARD.encode(hash)))?;
        write!(formatter, "\n{}", self.checkpoint)
    }
}

/// An entry that is in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// The log.
    pub origin: String,
    /// The entry's place, from 0.
    pub index: u64,
    /// The log's size in the checkpoint.
    pub size: u64,
    /// The known witnesses that saw the checkpoint, sorted.
    pub witnesses: Vec<String>,
}

/// Which logs and witnesses count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogPolicy {
    /// The logs' keys.
    pub logs: Vec<Vkey>,
    /// The witnesses' keys.
    pub witnesses: Vec<Vkey>,
    /// How many of the witnesses must have seen the checkpoint.
    pub quorum: usize,
}

impl LogPolicy {
    /// Whether a proof shows that a log that counts holds this leaf, before enough witnesses.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn check(&self, proof: &Proof, leaf: &[u8]) -> Result<Logged, ProofError> {
        let note = &proof.checkpoint;
        let checkpoint = Checkpoint::parse(note.text())?;
        // Every known key is looked at: a forged signature spoils the note.
        let mut signed = false;
        for key in self.logs.iter().filter(|key| key.kind() == Kind::Log && key.name() == checkpoint.origin) {
            signed |= note.signed_by(key)?.is_some();
        }
        if !signed {
            return Err(ProofError::Log(checkpoint.origin));
        }
        // One key is one witness, under however many names it is listed.
        let mut seen: Vec<&Vkey> = Vec::new();
        for key in self.witnesses.iter().filter(|key| key.kind() == Kind::Witness) {
            if note.signed_by(key)?.is_some() && !seen.iter().any(|one| one.key() == key.key()) {
                seen.push(key);
            }
        }
        let leaf = merkle::leaf_hash(leaf);
        if !merkle::includes(&leaf, proof.index, checkpoint.size, &proof.hashes, &checkpoint.root) {
            return Err(ProofError::Leaf);
        }
        if seen.len() < self.quorum {
            return Err(ProofError::Witnesses { found: seen.len(), wanted: self.quorum });
        }
        let mut witnesses: Vec<String> = seen.iter().map(|key| key.name().to_owned()).collect();
        witnesses.sort();
        Ok(Logged { origin: checkpoint.origin, index: proof.index, size: checkpoint.size, witnesses })
    }
}

#[cfg(test)]
#[path = "proof_tests.rs"]
mod tests;
