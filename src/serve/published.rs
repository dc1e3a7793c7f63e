//! What an instance publishes, from its own files: a change of keys shows at once, and what never changes is read once.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::attest::Places;
use crate::attest::fleet::Shared;
use crate::attest::keys::{KeyError, KeyStore, Stamp};
use crate::attest::registry::Registry;
use crate::attest::store::{Served, Store, StoreError};
use crate::attest::tlog::book::{Log, LogError, Wanted};

use super::documents::{Document, Held};

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
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// The document.
    Here(Document),
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
    /// The registry as it was read last, and what its files were then.
    registry: Mutex<Option<(Stamp, Arc<Registry>, Document)>>,
    /// Attestations for everybody, with their keys' ids.
    attestations: Held<String>,
}

/// Puts what is not there yet into the log.
pub type GoOn = Box<dyn Fn(&Log) -> Result<(), LogError> + Send>;

impl Published {
    /// Those at these places, and attestations of this instance that only the store has which machines share.
    pub fn new(places: &Places, shared: Option<Arc<Shared>>, log: Log, go_on: GoOn) -> Self {
        Self {
            keys: KeyStore::open(places),
            store: Store::open(places).sharing(shared.clone()),
            unpublished: Store::unpublished(places).sharing(shared),
            log,
            go_on: Mutex::new(go_on),
            registry: Mutex::default(),
            attestations: Held::default(),
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

    /// The registry in force; `None` before the first key. It is read again only when its files are others.
    fn in_force(&self) -> Result<Option<(Arc<Registry>, Document)>, PublishedError> {
        // Before it is read: what is written meanwhile shows the next time.
        let stamp = self.keys.stamp();
        let mut held = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, registry, document)) = &*held
            && *known == stamp
        {
            return Ok(Some((Arc::clone(registry), document.clone())));
        }
        *held = None;
        let Some(registry) = self.keys.registry()? else { return Ok(None) };
        let document = Document::new(serde_json::to_vec_pretty(&registry.to_value())?);
        let registry = Arc::new(registry);
        *held = Some((stamp, Arc::clone(&registry), document.clone()));
        Ok(Some((registry, document)))
    }

    /// The registry's bytes; `None` before the first key.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn registry(&self) -> Result<Option<Document>, PublishedError> {
        Ok(self.in_force()?.map(|(_, document)| document))
    }

    /// The registry's bytes where they were read before and its files are the same.
    pub(super) fn held_registry(&self) -> Option<Document> {
        let stamp = self.keys.stamp();
        let held = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().filter(|(known, ..)| *known == stamp).map(|(.., document)| document.clone())
    }

    /// The entry of the key that signs now.
    ///
    /// # Errors
    /// When the registry cannot be read.
    pub fn active_key(&self) -> Result<Option<Value>, PublishedError> {
        let Some((registry, _)) = self.in_force()? else { return Ok(None) };
        Ok(registry.active().map(crate::attest::registry::KeyEntry::to_value))
    }

    /// An attestation for everybody that was read before, without a look at its file.
    pub(super) fn held(&self, id: &str) -> Option<Document> {
        let (key_id, document) = self.attestations.get(id)?;
        let (registry, _) = self.in_force().ok()??;
        let key = registry.keys.iter().find(|key| key.key_id == key_id)?;
        key.state.retains().then_some(document)
    }

    /// An attestation by its id; one that is not for everybody only for who may ask for evaluations.
    ///
    /// # Errors
    /// When the registry or the store cannot be read.
    pub(super) fn attestation(&self, id: &str, may_ask: bool) -> Result<Found, PublishedError> {
        if let Some(document) = self.held(id) {
            return Ok(Found::Here(document));
        }
        let Some((registry, _)) = self.in_force()? else { return Ok(Found::None) };
        let (served, everybody) = match self.store.served(id, &registry)? {
            Served::Absent if may_ask => (self.unpublished.served(id, &registry)?, false),
            served => (served, true),
        };
        Ok(match served {
            Served::Found(attestation) => {
                let document = Document::new(attestation.canonical().to_vec());
                if everybody {
                    self.attestations.put(id, attestation.key_id().to_owned(), &document);
                }
                Found::Here(document)
            }
            Served::Gone => Found::Gone,
            Served::Absent => Found::None,
        })
    }
}
