//! Proofs that something is in the log.
//!
//! Owns how a leaf is looked up and its proof made, which is checked before anybody is given it.

use std::sync::PoisonError;

use super::book::{Log, LogError};
use super::index::Wanted;
use super::journal::{Journal, Record, id_bytes, numbers, registry_record};
use super::merkle;
use super::proof::{Entry, Proof};
use crate::document::hex;
use crate::keys::KeyStore;

impl Log {
    /// The proof that something is logged, and its leaf.
    ///
    /// # Errors
    /// [`LogError::NotYet`] where no checkpoint counts it.
    pub fn prove(&self, wanted: &Wanted) -> Result<(Proof, Vec<u8>), LogError> {
        let vkey = self.vkey()?.ok_or(LogError::None)?;
        let named = match wanted {
            Wanted::Attestation(id) => format!("attestation {id}"),
            Wanted::Registry => "the registry in force".to_owned(),
            Wanted::Audit(line) => format!("event {line} of the audit log"),
        };
        let not_yet = || LogError::NotYet(named.clone());
        let journal = Journal::look(&self.folder)?.ok_or_else(not_yet)?;
        let index = self.place_of(wanted, &journal)?.ok_or_else(not_yet)?;
        let leaf = journal.some(index, index + 1)?.first().map(Record::leaf).unwrap_or_default();
        let witnessed = self.read("witnessed")?.into_iter().chain(self.checkpoint()?);
        for note in witnessed {
            let checkpoint = self.of_ours(&note, &vkey)?;
            if checkpoint.size > index {
                let hashes = merkle::inclusion(&journal, index, checkpoint.size)?;
                let hash = merkle::leaf_hash(&leaf);
                if !merkle::includes(&hash, index, checkpoint.size, &hashes, &checkpoint.root) {
                    return Err(LogError::Hashes(self.folder.clone()));
                }
                return Ok((Proof { index, hashes, checkpoint: note }, leaf));
            }
        }
        Err(not_yet())
    }

    /// Which leaf it is. None: none yet.
    fn place_of(&self, wanted: &Wanted, journal: &Journal) -> Result<Option<u64>, LogError> {
        if let Wanted::Audit(line) = wanted {
            let is_it = |one: &Record| one.entry == Entry::Audit && numbers(one.reference).0 == *line;
            return Ok(journal.records()?.iter().rposition(is_it).map(|at| at as u64));
        }
        let newest = match wanted {
            Wanted::Registry => {
                KeyStore::open(&self.places).registry()?.map(|one| registry_record(&one)).transpose()?
            }
            _ => None,
        };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.update(journal)?;
        Ok(match wanted {
            Wanted::Attestation(id) => {
                id_bytes(id).filter(|bytes| hex(bytes) == *id).and_then(|id| found.attestations.get(&id))
            }
            _ => newest.and_then(|newest| found.registries.get(&newest.digest)),
        }
        .copied())
    }
}
