//! The registry and the attestations as static files, for any web server or bucket.
//!
//! Owns the layout below a web root and what is left out of it: attestations of retired and compromised keys.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::disk::{self, Access, DiskError};
use super::document::Attestation;
use super::keys::{KeyError, KeyStore};
use super::registry::Registry;
use super::store::{Served, Store, StoreError};
use super::tlog::book::{Log, LogError, Wanted};

/// Why publishing failed. What was written until then is whole.
#[derive(Debug, Error)]
pub enum PublishError {
    /// The registry.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The transparency log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The web root.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// What is published now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The registry's file.
    pub registry: PathBuf,
    /// Its version.
    pub registry_version: u64,
    /// Attestations that are there now.
    pub attestations: u64,
    /// Attestations of retired or compromised keys, which are not there.
    pub left_out: u64,
    /// Leaves of the transparency log, where there is one.
    pub log_size: Option<u64>,
    /// Why attestations could not be read: everything else is there.
    pub damaged: Vec<String>,
}

/// Writes registry and attestations below a web root, the registry first, then the log's tiles and checkpoint with the
/// proofs that rest on it. Attestations that were published before their key was retired or compromised are removed; their
/// digests stay in the log.
///
/// # Errors
/// When there is no instance, a newer registry is published there, or a file cannot be read or written; not where it is an
/// attestation alone that cannot be read.
pub fn publish(
    keys: &KeyStore,
    store: &Store,
    log: Option<&Log>,
    root: &Path,
) -> Result<Published, PublishError> {
    let (path, registry) = keys.show(root)?;
    store.tidy();
    let folder = root.join(".well-known/attestations");
    disk::public_dir(&folder)?;
    let mut published = Published {
        registry: path,
        registry_version: registry.version.unwrap_or(0),
        attestations: 0,
        left_out: 0,
        log_size: None,
        damaged: Vec::new(),
    };
    if let Some(log) = log {
        published.log_size = Some(log.show(root)?);
        log.show_proof(&Wanted::Registry, &root.join(".well-known/recourse-keys.proof"))?;
    }
    let kept = store.list()?;
    published.left_out += unpublish(&folder, &kept, store)?;
    for id in kept {
        let proof = folder.join(format!("{id}.proof"));
        let place = folder.join(format!("{id}.json"));
        let served = match store.served(&id, &registry) {
            Ok(served) => served,
            // One file that was damaged keeps nothing else from being published.
            Err(error) => {
                published.damaged.push(error.to_string());
                match there(&place, &registry) {
                    Some(false) => Served::Gone,
                    _ => continue,
                }
            }
        };
        match served {
            Served::Found(attestation) => {
                published.attestations += 1;
                if let Some(log) = log {
                    log.show_proof(&Wanted::Attestation(id.clone()), &proof)?;
                }
                // An attestation never changes.
                if fs::read(&place).is_ok_and(|there| there == attestation.canonical()) {
                    continue;
                }
                disk::write_atomic(&place, attestation.canonical(), Access::Public)?;
            }
            Served::Gone => {
                published.left_out += 1;
                remove(&place)?;
                remove(&proof)?;
            }
            Served::Absent => {}
        }
    }
    Ok(published)
}

/// Whether what is published there is of a key whose attestations are served. None: nothing is, or nothing that is one.
fn there(place: &Path, registry: &Registry) -> Option<bool> {
    let attestation = Attestation::parse(&fs::read(place).ok()?).ok()?;
    Some(registry.keys.iter().any(|key| key.key_id == attestation.key_id() && key.state.retains()))
}

/// Removes what was published and is not kept any more. How many there were.
fn unpublish(folder: &Path, kept: &[String], store: &Store) -> Result<u64, PublishError> {
    let mut gone = 0;
    for entry in fs::read_dir(folder).map_err(disk::io_error("cannot list", folder))? {
        let name = entry.map_err(disk::io_error("cannot list", folder))?.file_name();
        let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".json")) else { continue };
        if kept.binary_search_by(|one| one.as_str().cmp(id)).is_err() && store.is_pruned(id)? {
            gone += 1;
            remove(&folder.join(format!("{id}.json")))?;
            remove(&folder.join(format!("{id}.proof")))?;
        }
    }
    Ok(gone)
}

fn remove(place: &Path) -> Result<(), DiskError> {
    match fs::remove_file(place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(disk::io_error("cannot remove", place)(error))
        }
        _ => Ok(()),
    }
}
