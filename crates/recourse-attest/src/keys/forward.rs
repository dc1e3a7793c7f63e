//! A change of keys that a dying process left half-way: shown to others, and not in force here.
//!
//! Before a change is shown anywhere it is written beside the registry. Where it was shown, whoever comes next puts it in
//! force: others may know by now that a key is compromised, and going back would look like an attack. Where it was not,
//! nothing has happened.

use serde_json::json;

use crate::disk::{self, Access};
use crate::registry::Registry;
use crate::tlog::journal;

use super::{Book, KeyError, KeyStore, book};

impl KeyStore {
    /// Puts a change in force that was shown and not finished. `shown` is what others see: the published registry, or the
    /// one of the store. Under the lock of all changes. True: it is in force now.
    pub(super) fn go_forward(&self, book: &mut Book, shown: &Registry) -> Result<bool, KeyError> {
        let Some(next) = book.unfinished(&self.places)?.filter(|next| next == shown) else {
            return Ok(false);
        };
        let version = next.version;
        disk::write_atomic(&book::registry_path(&self.places), &book::page(&next), Access::Private)?;
        book.registry = next;
        book.went_forward = true;
        book.remember(&self.places);
        // Neither undoes what is in force.
        let _ = journal::note_registry(&self.places, &book.registry);
        let _ = self.audit.append("registry_finished", json!({"registry_version": version}));
        Ok(true)
    }
}
