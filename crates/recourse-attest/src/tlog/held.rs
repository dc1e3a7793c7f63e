//! What the log holds already.

use std::collections::HashSet;

use super::book::{Log, LogError, OTHER_LEAVES};
use super::journal::{Journal, Record, numbers};
use super::merkle::{self, Hash};
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
    /// When the log cannot be read, or is not what its checkpoints were signed over: then it vouches for nothing.
    pub fn audit_lines(&self) -> Result<Vec<(u64, Hash)>, LogError> {
        let lines = self.vouched()?.into_iter().filter(|record| record.entry == Entry::Audit);
        Ok(lines.map(|record| (numbers(record.reference).0, record.digest)).collect())
    }

    /// The leaves, checked against every checkpoint that stands beside them.
    fn vouched(&self) -> Result<Vec<Record>, LogError> {
        let vkey = self.vkey()?;
        // Before the leaves: they grow, and a checkpoint counts none that is not there.
        let notes = [self.checkpoint()?, self.read("witnessed")?];
        let checkpoints = match (&vkey, notes.iter().flatten().next()) {
            (None, Some(_)) => return Err(self.damaged("it has checkpoints and no key".to_owned())),
            (None, None) => Vec::new(),
            (Some(vkey), _) => {
                notes.iter().flatten().map(|note| self.of_ours(note, vkey)).collect::<Result<_, _>>()?
            }
        };
        let size = checkpoints.iter().map(|one| one.size).max().unwrap_or(0);
        let Some(journal) = Journal::look(&self.folder)? else {
            if Journal::has_leaves(&self.folder)? {
                return Err(LogError::Hashes(self.folder.clone()));
            }
            return match size {
                0 => Ok(Vec::new()),
                _ => Err(self.damaged(format!("its leaves are gone, and its checkpoint counts {size}"))),
            };
        };
        let records = journal.records()?;
        if vkey.is_none() && !records.is_empty() {
            return Err(self.damaged("it has leaves and no key".to_owned()));
        }
        // A new registry goes in by itself, before anything was signed.
        let signed = notes[1].is_some() || records.iter().any(|record| record.entry != Entry::Registry);
        if notes[0].is_none() && signed {
            let why = "it has leaves and no checkpoint (`recourse log checkpoint` signs the first, where a process died before it)";
            return Err(self.damaged(why.to_owned()));
        }
        if size > records.len() as u64 {
            let why = format!("it has {} leaves, and its checkpoint counts {size}", records.len());
            return Err(self.damaged(why));
        }
        if !journal
            .is_hashed(records.get(..usize::try_from(size).unwrap_or(usize::MAX)).unwrap_or_default())?
        {
            return Err(LogError::Hashes(self.folder.clone()));
        }
        for checkpoint in &checkpoints {
            if merkle::root(&journal, checkpoint.size)? != checkpoint.root {
                return Err(self.damaged(OTHER_LEAVES.to_owned()));
            }
        }
        Ok(records)
    }
}
