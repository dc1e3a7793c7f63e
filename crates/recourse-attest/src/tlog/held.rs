//! What the log holds already.

use std::collections::HashSet;

use super::book::{Log, LogError};
use super::journal::{Journal, numbers};
use super::merkle::Hash;
use super::proof::Entry;

impl Log {
    /// The ids of the attestations that are in the log. None: there is no log.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn attestations(&self) -> Result<Option<HashSet<String>>, LogError> {
        if self.vkey()?.is_none() {
            return Ok(None);
        }
        let Some(journal) = Journal::look(&self.folder)? else { return Ok(Some(HashSet::new())) };
        let all = journal.records()?.into_iter().filter(|record| record.entry == Entry::Attestation);
        Ok(Some(all.map(|record| crate::document::hex(&record.reference)).collect()))
    }

    /// The digests of the audit log's lines that are in the log, by their numbers.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn audit_lines(&self) -> Result<Vec<(u64, Hash)>, LogError> {
        let Some(journal) = Journal::look(&self.folder)? else { return Ok(Vec::new()) };
        let lines = journal.records()?.into_iter().filter(|record| record.entry == Entry::Audit);
        Ok(lines.map(|record| (numbers(record.reference).0, record.digest)).collect())
    }
}
