//! What an instance publishes, read from its own files at each request: a change of keys shows at once.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::attest::Places;
use crate::attest::keys::{KeyError, KeyStore};
use crate::attest::store::{Served, Store, StoreError};
use crate::attest::tlog::book::{Log, LogError, Wanted};

/// Why something that is published could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// The registry.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// The transparency log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The attestations.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot be written as JSON.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}

/// What there is under an attestation's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The document.
    Here(Vec<u8>),
    /// It was here; its key is retired or compromised.
    Gone,
    /// Nothing.
    None,
}

/// Registry and attestations of an instance.
pub struct Published {
    keys: KeyStore,
    store: Store,
    unpublished: Store,
    log: Log,
    /// Goes on with the log; one at a time.
    go_on: Mutex<GoOn>,
}

/// Puts what is not there yet into the log.
pub type GoOn = Box<dyn Fn(&Log) -> Result<(), LogError> + Send>;

impl Published {
    /// Those at these places.
    pub fn new(places: &Places, log: Log, go_on: GoOn) -> Self {
        Self {
            keys: KeyStore::open(places),
            store: Store::open(places),
            unpublished: Store::unpublished(places),
            log,
            go_on: Mutex::new(go_on),
        }
    }

    /// A file of the transparency log by its path below the log.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn log_file(&self, path: &str) -> Result<Option<Vec<u8>>, PublishedError> {
        Ok(self.log.file(path)?)
    }

    /// The proof that something is in the transparency log, put in now where it is not yet. None: there is no log.
    ///
    /// # Errors
    /// When the log cannot go on.
    pub fn proof(&self, wanted: &Wanted) -> Result<Option<Vec<u8>>, PublishedError> {
        if self.log.vkey()?.is_none() {
            return Ok(None);
        }
        let found = match self.log.prove(wanted) {
            Err(LogError::NotYet(_)) => {
                let go_on = self.go_on.lock().unwrap_or_else(PoisonError::into_inner);
                // Another request may have done it while this one waited.
                if matches!(self.log.prove(wanted), Err(LogError::NotYet(_))) {
                    go_on(&self.log)?;
                }
                drop(go_on);
                self.log.prove(wanted)
            }
            found => found,
        };
        match found {
            Ok((proof, _)) => Ok(Some(proof.to_string().into_bytes())),
            Err(LogError::NotYet(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The registry's bytes; `None` before the first key.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn registry(&self) -> Result<Option<Vec<u8>>, PublishedError> {
        let Some(registry) = self.keys.registry()? else { return Ok(None) };
        Ok(Some(serde_json::to_vec_pretty(&registry.to_value())?))
    }

    /// The entry of the key that signs now.
    ///
    /// # Errors
    /// When the registry cannot be read.
    pub fn active_key(&self) -> Result<Option<Value>, PublishedError> {
        let Some(registry) = self.keys.registry()? else { return Ok(None) };
        Ok(registry.active().map(crate::attest::registry::KeyEntry::to_value))
    }

    /// An attestation by its id; one that is not for everybody only for who may ask for evaluations.
    ///
    /// # Errors
    /// When the registry or the store cannot be read.
    pub fn attestation(&self, id: &str, may_ask: bool) -> Result<Found, PublishedError> {
        let Some(registry) = self.keys.registry()? else { return Ok(Found::None) };
        let served = match self.store.served(id, &registry)? {
            Served::Absent if may_ask => self.unpublished.served(id, &registry)?,
            served => served,
        };
        Ok(match served {
            Served::Found(attestation) => Found::Here(attestation.canonical().to_vec()),
            Served::Gone => Found::Gone,
            Served::Absent => Found::None,
        })
    }
}
