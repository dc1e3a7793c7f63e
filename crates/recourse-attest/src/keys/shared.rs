//! The registry in the store that machines share (docs/fleet.md): which change was the last is said there, by
//! compare-and-swap, so that two copies of one instance never go two ways.
//!
//! Owns what it means that the store has another registry than this machine. The keys themselves are never in a store.
//! Whoever may write to the store could put a registry of his own there, so nothing is taken from it but what was
//! written down here before it was shown.

use std::sync::Arc;

use crate::disk::{self, Access};
use crate::fleet::Shared;
use crate::json;
use crate::registry::Registry;

use super::{Book, Held, KeyError, KeyStore, book};

/// What the store has.
#[derive(Debug, Default)]
struct There {
    registry: Option<Registry>,
    tag: Option<String>,
}

impl KeyStore {
    /// Keeps the registry in this store, too: no change takes effect that it does not take first, and nothing is signed
    /// while it has another.
    #[must_use]
    pub fn sharing(mut self, shared: Option<Arc<Shared>>) -> Self {
        self.shared = shared;
        self
    }

    /// That the store has the registry that is in force here. Brings it there where the store has an older one that this
    /// machine knows. Under the lock of all changes.
    pub(super) fn agree(&self, book: &mut Book, held: &Held<'_>) -> Result<(), KeyError> {
        let Some(shared) = &self.shared else { return Ok(()) };
        let there = held.asking(|| self.in_store(shared, book))?;
        let own = book.registry.version.unwrap_or(0);
        let version = there.registry.as_ref().and_then(|registry| registry.version).unwrap_or(0);
        book.tag = there.tag;
        match there.registry {
            Some(registry) if version > own && self.go_forward(book, &registry)? => {
                self.remember(shared, version)
            }
            Some(registry) if registry == book.registry => Ok(()),
            Some(_) if version >= own => Err(elsewhere(shared, book, version)),
            None if own == 0 => Ok(()),
            _ => self.bring(shared, book, held),
        }
    }

    /// [`KeyStore::agree`] where mostly nothing is to be done: without keeping others from signing.
    pub(super) fn agreed(&self) -> Result<(), KeyError> {
        let Some(shared) = &self.shared else { return Ok(()) };
        let book = Book::read(&self.places)?.ok_or(KeyError::NoActive)?;
        if self.in_store(shared, &book)?.registry.is_some_and(|there| there == book.registry) {
            return Ok(());
        }
        let held = self.lock_existing()?;
        self.book(&held).map(|_| ())
    }

    /// Puts the registry of a change into the store, before it takes effect here.
    pub(super) fn bring(&self, shared: &Shared, book: &mut Book, held: &Held<'_>) -> Result<(), KeyError> {
        let at = place(book);
        let text = String::from_utf8_lossy(&book::page(&book.registry)).into_owned();
        let version = book.registry.version.unwrap_or(0);
        let tag = held.asking(|| match &book.tag {
            Some(over) => shared.replace(&at, &text, over),
            None => shared.put(&at, &text),
        })?;
        let Some(tag) = tag else { return Err(elsewhere(shared, book, version)) };
        book.tag = Some(tag);
        self.remember(shared, version)
    }

    /// What the store has under this instance's name. It never has less than this machine has seen there.
    fn in_store(&self, shared: &Shared, book: &Book) -> Result<There, KeyError> {
        let at = place(book);
        let found = shared.read(&at)?;
        let no_registry =
            || KeyError::NotInStore { place: at.clone(), why: "it holds no registry there".to_owned() };
        let there = match found {
            None => There::default(),
            Some(kept) => {
                let value =
                    json::parse(kept.body.as_bytes(), book::LIMIT as usize).map_err(|_| no_registry())?;
                let registry = Registry::from_value(&value).map_err(|_| no_registry())?;
                There { registry: Some(registry), tag: Some(kept.tag) }
            }
        };
        let version = there.registry.as_ref().and_then(|registry| registry.version).unwrap_or(0);
        let seen = self.seen(shared)?;
        if version < seen {
            let why =
                format!("it has version {version}, and had {seen} before: it is stale, or lost what it had");
            return Err(KeyError::NotInStore { place: at, why });
        }
        Ok(there)
    }

    /// The highest version that this machine has seen in this store.
    fn seen(&self, shared: &Shared) -> Result<u64, KeyError> {
        let Some(bytes) = disk::read_private(&self.seen_path(), 4096)? else { return Ok(0) };
        let text = String::from_utf8_lossy(&bytes);
        let of_this =
            text.trim_end().rsplit_once(' ').filter(|(store, _)| *store == shared.address().to_string());
        Ok(of_this.and_then(|(_, version)| version.parse().ok()).unwrap_or(0))
    }

    fn remember(&self, shared: &Shared, version: u64) -> Result<(), KeyError> {
        let text = format!("{} {version}\n", shared.address());
        Ok(disk::write_atomic(&self.seen_path(), text.as_bytes(), Access::Private)?)
    }

    fn seen_path(&self) -> std::path::PathBuf {
        self.places.keys().join("store.seen")
    }
}

fn place(book: &Book) -> String {
    format!("registries/{}.json", book.registry.instance_id)
}

fn elsewhere(shared: &Shared, book: &Book, there: u64) -> KeyError {
    let own = book.registry.version.unwrap_or(0);
    KeyError::Elsewhere { place: format!("{}: {}", shared.address(), place(book)), there, own }
}
