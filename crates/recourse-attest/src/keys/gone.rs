//! Private keys that must not sign again, and the room that is kept for saying so.
//!
//! A key that is deprecated, retired or compromised never signs again: what it signed is verified with its public half, so
//! its private one is destroyed. That a key is compromised must be said also on a full disk: a file that holds nothing is there to be
//! given up for it.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use nix::sys::signal::{SigSet, Signal};

use crate::disk::{self, Access, DiskError};

use super::{Book, KeyError, KeyState, KeyStore, Outcome, book, no_active};

/// Bytes that are kept free: more than a registry of some hundred keys and the record.
const RESERVE: usize = 64 << 10;

impl KeyStore {
    /// Says that a key is not to be trusted: nothing that it ever signed verifies any more. Legal for the active key,
    /// after which nothing signs. Waits for no store: that is told afterwards.
    ///
    /// # Errors
    /// When it is compromised already.
    pub fn compromise(&self, key_id: &str, reason: Option<&str>) -> Result<Outcome, KeyError> {
        fail_rather_than_die();
        let files = self.lock_files()?;
        let (mut book, mut outcome) = (self.book_here()?, Outcome::default());
        let before = book.entry(key_id)?.state;
        if !book.went_forward || before != KeyState::Compromised {
            self.step(&mut book, &mut outcome, key_id, KeyState::Compromised)?;
        }
        self.commit_at_all_costs(&mut book, &mut outcome, key_id, reason)?;
        if before == KeyState::Active {
            outcome.notes.push(no_active(&book));
        }
        drop(files);
        self.tell(&mut outcome);
        Ok(self.finish(&book, outcome))
    }

    /// Makes sure that there is room for the day on which a key is compromised. Failing to is no error.
    pub(super) fn reserve(&self) {
        let path = self.reserve_path();
        if path.symlink_metadata().is_err() {
            // Not all the same byte: that might take no room at all.
            let mut bytes = vec![0; RESERVE];
            let _ = getrandom::fill(&mut bytes);
            let _ = disk::create_exclusive(&path, &bytes, Access::Private);
        }
    }

    fn reserve_path(&self) -> PathBuf {
        self.places.keys().join("reserve")
    }

    /// Puts the step in force by which a key is not to be trusted any more, whatever is in the way.
    pub(super) fn commit_at_all_costs(
        &self,
        book: &mut Book,
        outcome: &mut Outcome,
        key_id: &str,
        reason: Option<&str>,
    ) -> Result<(), KeyError> {
        let Err(error) = self.commit_because(book, outcome, None, reason, None) else {
            let _ = fs::remove_file(self.compromise_mark(key_id));
            return Ok(());
        };
        if !is_lack_of_room(&error) {
            return Err(error);
        }
        // Whatever becomes of the rest: it signs nothing here any more, and its place is free.
        self.destroy(key_id, outcome);
        // Takes no room. Whoever finds the key gone must not look for it in a backup.
        let mark = self.compromise_mark(key_id);
        let _ = disk::create_exclusive(&mark, &[], Access::Private);
        let _ = fs::remove_file(self.reserve_path());
        disk::sweep(&self.places.keys(), std::time::Duration::ZERO);
        self.commit_because(book, outcome, None, reason, None)?;
        let _ = fs::remove_file(mark);
        Ok(())
    }

    /// Stands while a compromise is not finished.
    pub(super) fn compromise_mark(&self, key_id: &str) -> PathBuf {
        self.places.keys().join(format!("{key_id}.compromised"))
    }

    /// Destroys the private halves of all keys that never sign again, also those that a process left that died before it
    /// came to this.
    pub(super) fn destroy_what_signs_no_more(&self, book: &Book, outcome: &mut Outcome) {
        let over = book.registry.keys.iter().filter(|key| !key.state.may_sign());
        over.for_each(|key| self.destroy(&key.key_id, outcome));
    }

    /// Overwrites and removes a private key. What cannot be removed is said: it is for a person then.
    pub(super) fn destroy(&self, key_id: &str, outcome: &mut Outcome) {
        let path = book::key_path(&self.places, key_id);
        let mut loaded = self.loaded.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if loaded.as_ref().is_some_and(|(loaded, _)| loaded == key_id) {
            *loaded = None;
        }
        // Where the disk writes in place nothing of it is left; elsewhere it is as good as a removal.
        if let Ok(Some(mut file)) = disk::open_private(&path, fs::OpenOptions::new().write(true)) {
            let size = file.metadata().map_or(0, |found| found.len()).min(super::private::KEY_LIMIT);
            let _ = file.write_all(&vec![0; size as usize]).and_then(|()| file.sync_all());
        }
        match fs::remove_file(&path) {
            Ok(()) => drop(disk::sync_folder(&path)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => outcome.notes.push(format!("{} could not be removed: {error}", path.display())),
        }
    }

    /// Private keys that no entry speaks of, and those of keys that never sign again: one that could not be removed, or that was
    /// put back.
    pub(super) fn left_over(&self, book: &Book) -> Result<Vec<String>, KeyError> {
        let mut found = Vec::new();
        for name in book::key_files(&self.places.keys())? {
            let path = book::key_path(&self.places, &name);
            match book.registry.keys.iter().find(|key| key.key_id == name) {
                None => found.push(format!(
                    "{} belongs to no key of the registry: remove it, or restore the registry that names it",
                    path.display()
                )),
                Some(key) if !key.state.may_sign() => {
                    found.push(format!(
                        "{} is the private half of a key that is {} and never signs again: remove it",
                        path.display(),
                        key.state
                    ));
                }
                Some(_) => {}
            }
        }
        Ok(found)
    }
}

/// A write beyond the size that files of this process may have fails in this thread from here on, where it would end the
/// process before the key is gone.
fn fail_rather_than_die() {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGXFSZ);
    // Where it cannot be held back it is as ever.
    let _ = signals.thread_block();
}

/// Whether the disk, a quota or a limit of the process left no room.
fn is_lack_of_room(error: &KeyError) -> bool {
    let KeyError::Disk(DiskError::Io { source, .. }) = error else { return false };
    matches!(source.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}
