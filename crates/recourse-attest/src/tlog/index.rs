//! What is looked for in the log, and where it stands: a log that is asked again and again reads only what it grew by.

use std::collections::HashMap;

use super::journal::{Journal, Record};
use super::merkle::Hash;
use super::proof::Entry;
use crate::disk::DiskError;

/// What is looked for in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// An attestation by its id.
    Attestation(String),
    /// The registry in force.
    Registry,
    /// A line of the audit log by its number.
    Audit(u64),
}

/// Where attestations and registries stand among the leaves.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// So many leaves were read, and this was the last of them.
    read: u64,
    last: Option<Record>,
    pub(super) attestations: HashMap<[u8; 16], u64>,
    pub(super) registries: HashMap<Hash, u64>,
}

impl Index {
    /// Reads what the log grew by.
    pub(super) fn update(&mut self, journal: &Journal) -> Result<(), DiskError> {
        let mut new = journal.records_from(self.read.saturating_sub(1))?.into_iter();
        if self.read > 0 && new.next() != self.last {
            // Another log stands there by now.
            *self = Self::default();
            new = journal.records()?.into_iter();
        }
        for record in new {
            match record.entry {
                Entry::Attestation => self.attestations.insert(record.reference, self.read),
                Entry::Registry => self.registries.insert(record.digest, self.read),
                Entry::Audit => None,
            };
            self.read += 1;
            self.last = Some(record);
        }
        Ok(())
    }
}
