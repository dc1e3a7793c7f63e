//! The durable store of attestations: one file each, made once, never changed.
//!
//! Owns the folder and the ids as file names. Whether an attestation is still to be served is decided here from the
//! state of its key.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::disk::{self, Access, DiskError};
use super::document::{Attestation, DocumentError, is_id};
use super::fleet::{Away, Shared};
use super::places::Places;
use super::registry::Registry;
use crate::json::DOCUMENT_LIMIT;

/// Equal evaluations in one moment, at most. Each takes one millisecond further.
const TRIES: i64 = 10_000;
/// The same where machines share a store.
const SHARED_TRIES: i64 = 16;

/// Why the store failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A file or folder.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The store that machines share.
    #[error(transparent)]
    Away(#[from] Away),
    /// Not an id: nothing else is ever looked for.
    #[error("an attestation id is 32 lower-case hexadecimal digits")]
    NotAnId,
    /// A stored file is not what was stored.
    #[error("{} is damaged ({source}): restore it from a backup", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: DocumentError,
    },
    /// A stored file holds an attestation that belongs under another name.
    #[error("{} holds another attestation than its name says", path.display())]
    Misplaced {
        /// The file.
        path: PathBuf,
    },
}

/// What to answer to somebody who asks for an attestation.
#[derive(Clone, Debug, PartialEq)]
pub enum Served {
    /// Here it is.
    Found(Box<Attestation>),
    /// It was here, and its key is retired or compromised: 410.
    Gone,
    /// There is none: 404.
    Absent,
}

/// The attestations that were signed here.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    /// What it is called in the store that machines share.
    name: &'static str,
    shared: Option<Arc<Shared>>,
}

/// Whether these bytes are an attestation with this id.
fn is_of(bytes: &[u8], id: &str) -> bool {
    Attestation::parse(bytes).is_ok_and(|one| one.id() == id)
}

impl Store {
    /// The store below these places. Touches nothing yet.
    pub fn open(places: &Places) -> Self {
        Self { folder: places.attestations(), name: "attestations", shared: None }
    }

    /// The store of what is not for everybody.
    pub fn unpublished(places: &Places) -> Self {
        Self { folder: places.unpublished(), name: "unpublished", shared: None }
    }

    /// Puts each attestation into this store first, and looks there for what is not here.
    #[must_use]
    pub fn sharing(mut self, shared: Option<Arc<Shared>>) -> Self {
        self.shared = shared;
        self
    }

    /// Stores an attestation under its id, durably. False: there is one with that id, and it is as it was.
    ///
    /// # Errors
    /// When the disk refuses, the folder is not private, or the store that machines share does not clearly say that it is
    /// there.
    pub fn create(&self, attestation: &Attestation) -> Result<bool, StoreError> {
        disk::private_dir(&self.folder)?;
        let path = self.path(attestation.id());
        // Cheap, and saves the two syncs of a file that would be thrown away.
        if fs::symlink_metadata(&path).is_ok() {
            return Ok(false);
        }
        if let Some(shared) = &self.shared {
            let text = String::from_utf8_lossy(attestation.canonical());
            let at = self.at(attestation.id());
            if !shared.put_once(&at, &text)? {
                return match shared.read(&at)? {
                    Some(kept) if is_of(kept.body.as_bytes(), attestation.id()) => Ok(false),
                    // Another id would meet the same: it does not keep what it is given.
                    _ => Err(shared.away("it has no attestation where it says that one is").into()),
                };
            }
        }
        Ok(disk::create_exclusive(&path, attestation.canonical(), Access::Private)?)
    }

    /// Reads an attestation. None: there is none.
    ///
    /// # Errors
    /// When the id is not one, or the file is damaged or not private.
    pub fn read(&self, id: &str) -> Result<Option<Attestation>, StoreError> {
        if !is_id(id) {
            return Err(StoreError::NotAnId);
        }
        let path = self.path(id);
        let here = match disk::check_dir(&self.folder)? {
            true => disk::read_private(&path, DOCUMENT_LIMIT as u64)?,
            false => None,
        };
        let bytes = match (here, &self.shared) {
            (Some(bytes), _) => bytes,
            (None, None) => return Ok(None),
            (None, Some(shared)) => match shared.read(&self.at(id))? {
                Some(kept) => kept.body.into_bytes(),
                None => return Ok(None),
            },
        };
        let attestation = Attestation::parse(&bytes)
            .map_err(|source| StoreError::Damaged { path: path.clone(), source })?;
        if attestation.id() != id {
            return Err(StoreError::Misplaced { path });
        }
        Ok(Some(attestation))
    }

    /// What to answer to somebody who asks for an id, given the registry in force.
    ///
    /// # Errors
    /// As [`Store::read`]; what is no id is [`Served::Absent`].
    pub fn served(&self, id: &str, registry: &Registry) -> Result<Served, StoreError> {
        match self.read(id) {
            Ok(None) if self.is_pruned(id)? => Ok(Served::Gone),
            Ok(None) | Err(StoreError::NotAnId) => Ok(Served::Absent),
            Ok(Some(attestation)) => {
                let key = registry.keys.iter().find(|key| key.key_id == attestation.key_id());
                Ok(match key.map(|key| key.state) {
                    Some(state) if state.retains() => Served::Found(Box::new(attestation)),
                    // Retired or compromised; or signed under a registry that was lost: nobody can verify it.
                    _ => Served::Gone,
                })
            }
            Err(error) => Err(error),
        }
    }

    /// The ids of all attestations, sorted.
    ///
    /// # Errors
    /// When the folder cannot be read or is not private.
    pub fn list(&self) -> Result<Vec<String>, StoreError> {
        if !disk::check_dir(&self.folder)? {
            return Ok(Vec::new());
        }
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(disk::io_error("cannot list", &self.folder)(error).into()),
        };
        let mut ids = Vec::new();
        for entry in entries {
            let entry = entry.map_err(disk::io_error("cannot list", &self.folder))?;
            if let Some(id) = entry.file_name().to_str().and_then(|name| name.strip_suffix(".json"))
                && is_id(id)
            {
                ids.push(id.to_owned());
            }
        }
        ids.sort();
        Ok(ids)
    }

    /// Removes what processes that died while they stored something left an hour ago or longer.
    pub fn tidy(&self) {
        disk::sweep(&self.folder, Duration::from_secs(3600));
    }

    /// How often a free id is looked for; each try costs a store that machines share several requests.
    pub(super) fn tries(&self) -> i64 {
        if self.shared.is_some() { SHARED_TRIES } else { TRIES }
    }

    /// Why no free id was found, where that is the fault of the store that machines share.
    pub(super) fn crowded(&self) -> Option<StoreError> {
        let shared = self.shared.as_ref()?;
        Some(shared.away("it says that it has another attestation under every id that was tried").into())
    }

    fn at(&self, id: &str) -> String {
        format!("{}/{id}.json", self.name)
    }

    pub(super) fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    pub(super) fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }
}
