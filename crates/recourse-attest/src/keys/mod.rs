//! The operator's keys: making them, moving them through their states, signing with the active one.
//!
//! Owns which change is legal and in which order things reach the disk. Every change is made under one lock between
//! processes, and takes effect in one write of the registry; a process that dies before it has changed nothing that
//! anybody sees, and whoever comes next goes on from there.

mod book;
mod error;
mod export;
mod forward;
mod gone;
mod held;
pub(super) mod material;
mod private;
mod shared;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ed25519_dalek::SigningKey;
use serde_json::{Value, json};

use super::audit::AuditLog;
use super::disk::{self, Access, Lock};
use super::fleet::Shared;
use super::places::Places;
use super::registry::{KeyEntry, KeyState, Registry};
use super::signature;
use super::time::Time;
use super::tlog::journal;

pub use book::Stamp;
use book::{Book, no_active};

pub use error::KeyError;
pub use export::{jwk, public_pem};
use held::Held;
pub use material::Passphrase;

/// How long a key should stay deprecated before it is retired.
const RETENTION_DAYS: i64 = 90;

/// One key's step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The key.
    pub key_id: String,
    /// Where it stood; None for a key that is new.
    pub from: Option<KeyState>,
    /// Where it stands now.
    pub to: KeyState,
}

/// What an operation did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Steps, in their order. Empty when there was nothing to do.
    pub changes: Vec<Change>,
    /// The registry's version now.
    pub registry_version: u64,
    /// The key that signs now.
    pub active: Option<String>,
    /// When a rotation is to be completed, if it is not yet.
    pub rotates_at: Option<String>,
    /// What the operator should know.
    pub notes: Vec<String>,
    /// How many of the changes are in the audit log.
    recorded: usize,
}

/// One key as the operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its entry in the registry.
    pub entry: KeyEntry,
    /// Whether its private key is here.
    pub private_key: bool,
}

/// The keys of this instance.
pub struct KeyStore {
    places: Places,
    publish: Option<PathBuf>,
    instance: Option<String>,
    passphrase: Option<Passphrase>,
    audit: AuditLog,
    clock: fn() -> Time,
    /// The store that machines share.
    shared: Option<Arc<Shared>>,
    /// The active key's material, once it was needed. Overwritten when dropped.
    loaded: Mutex<Option<(String, SigningKey)>>,
}

impl fmt::Debug for KeyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyStore").field("places", &self.places).finish_non_exhaustive()
    }
}

impl KeyStore {
    /// The keys below these places. Touches nothing yet.
    pub fn open(places: &Places) -> Self {
        Self {
            places: places.clone(),
            publish: None,
            instance: None,
            passphrase: None,
            audit: AuditLog::open(places),
            clock: Time::now,
            shared: None,
            loaded: Mutex::new(None),
        }
    }

    /// Names the instance when it is made, and insists on the name when it is there.
    ///
    /// # Errors
    /// When the text cannot name an instance.
    pub fn named(mut self, instance: &str) -> Result<Self, KeyError> {
        if !book::is_instance(instance) {
            return Err(KeyError::InstanceName(instance.chars().take(80).collect()));
        }
        self.instance = Some(instance.to_owned());
        Ok(self)
    }

    /// Shows every registry below this web root (`.well-known/recourse-keys.json`) before it takes effect here.
    #[must_use]
    pub fn publishing_to(mut self, root: &Path) -> Self {
        self.publish = Some(root.to_owned());
        self
    }

    /// Opens encrypted keys, and encrypts those that are made from here on.
    ///
    /// # Errors
    /// When the passphrase is empty.
    pub fn with_passphrase(mut self, passphrase: Passphrase) -> Result<Self, KeyError> {
        if passphrase.is_empty() {
            return Err(KeyError::PassphraseEmpty);
        }
        self.passphrase = Some(passphrase);
        Ok(self)
    }

    /// The registry in force. None: there is no instance yet.
    ///
    /// # Errors
    /// When a file is damaged or not private.
    pub fn registry(&self) -> Result<Option<Registry>, KeyError> {
        Ok(Book::read(&self.places)?.map(|book| book.registry))
    }

    /// All keys, in the order in which they were made.
    ///
    /// # Errors
    /// When a file is damaged or not private.
    pub fn list(&self) -> Result<Vec<Listed>, KeyError> {
        let Some(book) = Book::read(&self.places)? else { return Ok(Vec::new()) };
        let files = book::key_files(&self.places.keys())?;
        let listed = |entry: KeyEntry| Listed { private_key: files.contains(&entry.key_id), entry };
        Ok(book.registry.keys.into_iter().map(listed).collect())
    }

    /// What is worth telling the operator: no active key, a rotation whose time has passed, a missing private key.
    ///
    /// # Errors
    /// When a file is damaged or not private.
    pub fn warnings(&self) -> Result<Vec<String>, KeyError> {
        let Some(book) = Book::read(&self.places)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        match book.registry.active() {
            None => found.push(no_active(&book)),
            Some(key) => {
                if let Some(at) = key.valid_until.as_deref().filter(|at| self.is_past(at)) {
                    found.push(format!(
                        "key `{}` was to be replaced at {at} and still signs: `recourse keys rotate` completes the rotation",
                        key.key_id
                    ));
                }
                if let Err(error) = self.check_file(&key.key_id) {
                    found.push(error.to_string());
                }
            }
        }
        found.extend(self.left_over(&book)?);
        Ok(found)
    }

    /// Makes a key, pending.
    ///
    /// # Errors
    /// When a file is damaged or not private, or the disk or the random numbers fail.
    pub fn generate(&self) -> Result<Outcome, KeyError> {
        let held = self.lock()?;
        let mut book = self.book(&held)?;
        let mut outcome = Outcome::default();
        self.make(&mut book, &mut outcome)?;
        self.commit(&mut book, &mut outcome, None, &held)?;
        Ok(self.finish(&book, outcome))
    }

    /// Makes sure that a key is active, on the first run by making the instance and its first key. Cheap when one is.
    ///
    /// # Errors
    /// [`KeyError::NoActive`] when there were keys in use before: then the operator decides, not the first run.
    pub fn ensure_active(&self) -> Result<Outcome, KeyError> {
        if let Some(book) = Book::read(&self.places)?
            && book.registry.active().is_some()
        {
            return Ok(self.finish(&book, Outcome::default()));
        }
        let held = self.lock()?;
        let mut book = self.book(&held)?;
        let mut outcome = Outcome::default();
        if book.registry.active().is_some() {
            return Ok(self.finish(&book, outcome));
        }
        if book.registry.keys.iter().any(|key| key.state != KeyState::Pending) {
            return Err(KeyError::NoActive);
        }
        // A pending key and no other is what a first run leaves that died half-way.
        let key_id = match book.next_pending() {
            Some(key) => key.key_id.clone(),
            None => {
                let key_id = self.make(&mut book, &mut outcome)?;
                self.commit(&mut book, &mut outcome, None, &held)?;
                key_id
            }
        };
        self.usable(&book, &key_id)?;
        self.step(&mut book, &mut outcome, &key_id, KeyState::Active)?;
        self.commit(&mut book, &mut outcome, None, &held)?;
        Ok(self.finish(&book, outcome))
    }

    /// Makes a pending key the active one. Where a rotation was scheduled and its time has come, completes it.
    ///
    /// # Errors
    /// When the step is illegal, another key is active, or the private key cannot be used.
    pub fn activate(&self, key_id: &str) -> Result<Outcome, KeyError> {
        let held = self.lock()?;
        let (mut book, mut outcome) = (self.existing(key_id, &held)?, Outcome::default());
        legal(&book, key_id, KeyState::Active)?;
        if let Some(active) = book.registry.active().cloned() {
            match &active.valid_until {
                None => return Err(KeyError::AnotherActive { active: active.key_id }),
                Some(at) if !self.is_past(at) => {
                    return Err(KeyError::NotYet { active: active.key_id, at: at.clone() });
                }
                Some(_) => self.step(&mut book, &mut outcome, &active.key_id, KeyState::Deprecated)?,
            }
        }
        self.usable(&book, key_id)?;
        self.step(&mut book, &mut outcome, key_id, KeyState::Active)?;
        self.commit(&mut book, &mut outcome, None, &held)?;
        Ok(self.finish(&book, outcome))
    }

    /// Replaces the active key by the pending one that was published first, which is made where there is none. With a time, only
    /// publishes the successor and that time; a later call without one completes it.
    ///
    /// # Errors
    /// When no key is active, the time is not in the future, or the successor's private key cannot be used.
    pub fn rotate(&self, at: Option<Time>) -> Result<Outcome, KeyError> {
        let now = (self.clock)();
        if let Some(at) = at.filter(|at| *at <= now) {
            return Err(KeyError::NotFuture { at });
        }
        let held = self.lock()?;
        let (mut book, mut outcome) = (self.book(&held)?, Outcome::default());
        let old = book.registry.active().ok_or(KeyError::NoActive)?.key_id.clone();
        let pending = book.next_pending().map(|key| key.key_id.clone());
        let fresh = pending.is_none();
        let new = match pending {
            Some(new) => new,
            None => {
                // The successor of an encrypted key is never left in the clear by an oversight.
                if self.passphrase.is_none() && self.is_encrypted(&old) {
                    return Err(KeyError::PassphraseNeeded { key_id: old });
                }
                self.make(&mut book, &mut outcome)?
            }
        };
        self.usable(&book, &new)?;
        if fresh || at.is_some() {
            book.entry_mut(&old)?.valid_until = Some(at.unwrap_or(now).to_string());
            self.commit(&mut book, &mut outcome, at, &held)?;
        }
        if at.is_none() {
            self.step(&mut book, &mut outcome, &old, KeyState::Deprecated)?;
            self.step(&mut book, &mut outcome, &new, KeyState::Active)?;
            self.commit(&mut book, &mut outcome, None, &held)?;
        }
        Ok(self.finish(&book, outcome))
    }

    /// Takes a pending key out of the way, or the active one out of use without a successor.
    ///
    /// # Errors
    /// When the step is illegal.
    pub fn deprecate(&self, key_id: &str) -> Result<Outcome, KeyError> {
        self.move_to(key_id, KeyState::Deprecated)
    }

    /// Takes a deprecated key out of rotation for good.
    ///
    /// # Errors
    /// When the step is illegal.
    pub fn retire(&self, key_id: &str) -> Result<Outcome, KeyError> {
        self.move_to(key_id, KeyState::Retired)
    }

    /// Writes the registry below a web root now. Returns the file and the registry that it shows.
    ///
    /// # Errors
    /// When there is no instance, or a newer registry is published there already.
    pub fn show(&self, root: &Path) -> Result<(PathBuf, Registry), KeyError> {
        let held = self.lock_existing()?;
        let mut book = self.book(&held)?;
        if let Some(shown) = book::published(&root.join(book::PUBLISHED))?
            && shown.version > book.registry.version
            && !self.go_forward(&mut book, &shown)?
        {
            return Err(book.is_behind(root.join(book::PUBLISHED), &shown));
        }
        Ok((book::show(&book.registry, root)?, book.registry))
    }

    /// Calls `work` with the active key while no other process can change its state.
    ///
    /// # Errors
    /// When no key is active or its private key cannot be used; what `work` returns otherwise.
    pub(crate) fn with_active<T>(
        &self,
        work: impl FnOnce(&KeyEntry, &SigningKey) -> T,
    ) -> Result<T, KeyError> {
        if !disk::check_dir(&self.places.keys())? {
            return Err(KeyError::NoActive);
        }
        self.agreed()?;
        let _lock = Lock::shared(&book::lock_path(&self.places))?;
        let book = Book::read(&self.places)?.ok_or(KeyError::NoActive)?;
        let entry = book.registry.active().ok_or(KeyError::NoActive)?;
        let mut loaded = self.loaded.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if loaded.as_ref().is_none_or(|(key_id, _)| *key_id != entry.key_id) {
            *loaded = Some((entry.key_id.clone(), self.load(entry)?));
        }
        match loaded.as_ref() {
            Some((_, key)) => Ok(work(entry, key)),
            None => Err(KeyError::NoActive),
        }
    }

    fn lock_existing(&self) -> Result<Held<'_>, KeyError> {
        if Book::read(&self.places)?.is_none() {
            return Err(KeyError::NoActive);
        }
        self.lock()
    }

    /// What is in force here and in the store that machines share.
    fn book(&self, held: &Held<'_>) -> Result<Book, KeyError> {
        let mut book = self.book_here()?;
        self.agree(&mut book, held)?;
        Ok(book)
    }

    /// What is in force here, or a new instance.
    fn book_here(&self) -> Result<Book, KeyError> {
        if let Some(mut book) = Book::read(&self.places)? {
            let own = &book.registry.instance_id;
            if let Some(asked) = self.instance.as_ref().filter(|asked| *asked != own) {
                return Err(KeyError::InstanceIs { own: own.clone(), asked: asked.clone() });
            }
            // Where nothing was left half-way, nobody is asked.
            if book.unfinished(&self.places)?.is_some()
                && let Some(root) = &self.publish
                && let Some(shown) = book::published(&root.join(book::PUBLISHED))?
            {
                self.go_forward(&mut book, &shown)?;
            }
            return Ok(book);
        }
        if let Some(name) = &self.instance {
            return Ok(Book::new(name));
        }
        // Random, so that an instance that was lost with all its files never gives a name a second time.
        let mut random = [0u8; 5];
        getrandom::fill(&mut random).map_err(|_| KeyError::Make("the system gave no random bytes"))?;
        Ok(Book::new(&format!("recourse-{}", super::document::hex(&random))))
    }

    /// The book, when it has this key; nothing is made where there is none.
    fn existing(&self, key_id: &str, held: &Held<'_>) -> Result<Book, KeyError> {
        let book = self.book(held)?;
        book.entry(key_id)?;
        Ok(book)
    }

    fn move_to(&self, key_id: &str, to: KeyState) -> Result<Outcome, KeyError> {
        let held = self.lock()?;
        let (mut book, mut outcome) = (self.existing(key_id, &held)?, Outcome::default());
        let before = book.entry(key_id)?.clone();
        // Who makes a change again that was cut off finds it done.
        if !book.went_forward || before.state != to {
            self.step(&mut book, &mut outcome, key_id, to)?;
        }
        self.commit(&mut book, &mut outcome, None, &held)?;
        if before.state == KeyState::Active {
            outcome.notes.push(no_active(&book));
        }
        let since = before.deprecated_at.as_deref().and_then(|at| at.parse::<Time>().ok());
        let kept = since.map_or(i64::MAX, |at| (self.clock)().since(at) / 86_400_000);
        if to == KeyState::Retired && kept < RETENTION_DAYS {
            outcome.notes.push(format!(
                "it was deprecated for {kept} days; {RETENTION_DAYS} are recommended, because its attestations may no longer be served now"
            ));
        }
        Ok(self.finish(&book, outcome))
    }

    /// Makes a key's name and file, and enters it as pending. The registry is not written yet.
    fn make(&self, book: &mut Book, outcome: &mut Outcome) -> Result<String, KeyError> {
        let key = material::generate().map_err(KeyError::Make)?;
        self.reserve();
        let pem = material::to_pem(&key, self.passphrase.as_ref()).map_err(KeyError::Make)?;
        let key_id = loop {
            let key_id = book.take_name(&self.places)?;
            let path = book::key_path(&self.places, &key_id);
            if disk::create_exclusive(&path, pem.as_bytes(), Access::Private)? {
                break key_id;
            }
        };
        book.registry.keys.push(KeyEntry {
            key_id: key_id.clone(),
            public_key: signature::encode(key.verifying_key().as_bytes()),
            state: KeyState::Pending,
            valid_from: None,
            valid_until: None,
            deprecated_at: None,
            retired_at: None,
            compromised_at: None,
        });
        outcome.changes.push(Change { key_id: key_id.clone(), from: None, to: KeyState::Pending });
        Ok(key_id)
    }

    /// Moves a key in memory.
    fn step(
        &self,
        book: &mut Book,
        outcome: &mut Outcome,
        key_id: &str,
        to: KeyState,
    ) -> Result<(), KeyError> {
        let from = legal(book, key_id, to)?;
        let now = Some((self.clock)().to_string());
        let entry = book.entry_mut(key_id)?;
        entry.state = to;
        match to {
            KeyState::Pending => {}
            KeyState::Active => entry.valid_from = now,
            KeyState::Deprecated => {
                // Required of a deprecated key, also of one that never signed.
                entry.valid_from = entry.valid_from.take().or_else(|| now.clone());
                entry.valid_until = now.clone();
                entry.deprecated_at = now;
            }
            KeyState::Retired => entry.retired_at = now,
            KeyState::Compromised => entry.compromised_at = now,
        }
        outcome.changes.push(Change { key_id: key_id.to_owned(), from: Some(from), to });
        Ok(())
    }

    fn commit(
        &self,
        book: &mut Book,
        outcome: &mut Outcome,
        at: Option<Time>,
        held: &Held<'_>,
    ) -> Result<(), KeyError> {
        self.commit_because(book, outcome, at, None, Some(held))
    }

    /// Puts what was changed in force, and records it. The store that machines share has to take it first, unless `held` is
    /// nothing: then it cannot wait for that.
    fn commit_because(
        &self,
        book: &mut Book,
        outcome: &mut Outcome,
        rotates_at: Option<Time>,
        reason: Option<&str>,
        held: Option<&Held<'_>>,
    ) -> Result<(), KeyError> {
        let first = self.shared.as_deref().zip(held);
        let version = book.commit(&self.places, self.publish.as_deref(), (self.clock)(), &mut |book| {
            let Some((shared, held)) = first else { return Ok(()) };
            book.write_next(&self.places)?;
            self.bring(shared, book, held)
        })?;
        outcome.registry_version = version;
        self.destroy_what_signs_no_more(book, outcome);
        let mut events = Vec::new();
        // Only what this write put in force: an operation may write twice.
        for change in outcome.changes.iter().skip(outcome.recorded) {
            let from = change.from.map_or(Value::Null, |from| json!(from.as_str()));
            let mut details = json!({
                "key_id": change.key_id, "from": from, "to": change.to.as_str(), "registry_version": version,
            });
            if let (Some(reason), Some(details)) = (reason, details.as_object_mut()) {
                details.insert("reason".to_owned(), json!(reason));
            }
            events.push(("key_state", details));
        }
        if let Some(at) = rotates_at {
            let active = book.registry.active().map(|key| key.key_id.as_str());
            let details =
                json!({"key_id": active, "rotates_at": at.to_string(), "registry_version": version});
            events.push(("rotation_scheduled", details));
        }
        outcome.recorded = outcome.changes.len();
        if let Err(error) = journal::note_registry(&self.places, &book.registry) {
            outcome.notes.push(format!("done, but the transparency log could not be written: {error}"));
        }
        for (event, details) in events {
            if let Err(error) = self.audit.append(event, details) {
                outcome.notes.push(format!("done, but the audit log could not be written: {error}"));
            }
        }
        Ok(())
    }

    fn finish(&self, book: &Book, mut outcome: Outcome) -> Outcome {
        let active = book.registry.active();
        outcome.registry_version = book.registry.version.unwrap_or(0);
        outcome.active = active.map(|key| key.key_id.clone());
        outcome.rotates_at = active.and_then(|key| key.valid_until.clone());
        outcome
    }

    fn is_past(&self, at: &str) -> bool {
        at.parse::<Time>().is_ok_and(|at| at <= (self.clock)())
    }
}

/// The key's state, when it may become `to`.
fn legal(book: &Book, key_id: &str, to: KeyState) -> Result<KeyState, KeyError> {
    let from = book.entry(key_id)?.state;
    if from.may_become(to) {
        Ok(from)
    } else {
        Err(KeyError::Illegal { key_id: key_id.to_owned(), from, to })
    }
}

#[cfg(test)]
mod tests;
