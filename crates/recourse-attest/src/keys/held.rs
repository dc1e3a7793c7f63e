//! The locks over an instance's keys: saying that one is compromised waits for nobody's network.
//!
//! Owns their order. `change` is held by whoever changes anything, also while the store that machines share is asked; `lock`
//! while files are read and written, and never while anybody is asked. That a key is compromised takes `lock` alone, and what
//! was under way then begins again.

use std::cell::Cell;

use crate::disk::{self, Lock};

use super::{KeyError, KeyStore, Outcome, book};

/// Both locks.
pub(super) struct Held<'k> {
    keys: &'k KeyStore,
    files: Cell<Option<Lock>>,
    _change: Lock,
}

impl Held<'_> {
    /// Asks others, while whoever says that a key is compromised does not have to wait.
    ///
    /// # Errors
    /// What `ask` returns; [`KeyError::Overtaken`] where somebody did.
    pub(super) fn asking<T, E: Into<KeyError>>(
        &self,
        ask: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, KeyError> {
        let before = self.keys.stamp();
        drop(self.files.take());
        let answer = ask();
        self.files.set(Some(self.keys.lock_files()?));
        if self.keys.stamp() != before {
            return Err(KeyError::Overtaken);
        }
        answer.map_err(Into::into)
    }
}

impl KeyStore {
    /// For a change.
    pub(super) fn lock(&self) -> Result<Held<'_>, KeyError> {
        disk::private_dir(&self.places.keys())?;
        let change = Lock::acquire(&self.change_path())?;
        self.holding(change)
    }

    fn holding(&self, change: Lock) -> Result<Held<'_>, KeyError> {
        let files = self.lock_files()?;
        Ok(Held { keys: self, files: Cell::new(Some(files)), _change: change })
    }

    /// For files alone.
    pub(super) fn lock_files(&self) -> Result<Lock, KeyError> {
        disk::private_dir(&self.places.keys())?;
        let lock = Lock::acquire(&book::lock_path(&self.places))?;
        // What a killed process left half-way here may be a private key.
        disk::sweep(&self.places.keys(), std::time::Duration::ZERO);
        Ok(lock)
    }

    /// Tells the store that machines share what is in force here already. Where it is away, or another process speaks with it
    /// just now, it hears of it with the next change or signature.
    pub(super) fn tell(&self, outcome: &mut Outcome) {
        if self.shared.is_none() {
            return;
        }
        let told = || -> Result<bool, KeyError> {
            let Some(change) = Lock::at_once(&self.change_path())? else { return Ok(false) };
            self.book(&self.holding(change)?).map(|_| true)
        };
        let why = match told() {
            Ok(true) => return,
            Ok(false) => "another process asks it just now".to_owned(),
            Err(error) => error.to_string(),
        };
        outcome.notes.push(format!(
            "done, but the store that machines share does not have it yet ({why}): it is told with the next change or signature"
        ));
    }

    fn change_path(&self) -> std::path::PathBuf {
        self.places.keys().join("change")
    }
}
