//! The files of private keys.
//!
//! Owns how one is read, and that it is the key that the registry names. What is in them goes nowhere but into a signature.

use ed25519_dalek::SigningKey;
use zeroize::Zeroizing;

use crate::disk;
use crate::registry::KeyEntry;
use crate::signature;

use super::material::{self, Unreadable};
use super::{Book, KeyError, KeyStore, book};

/// A private key's file is some hundred bytes.
pub(super) const KEY_LIMIT: u64 = 16 << 10;

impl KeyStore {
    /// That a key could sign: a key that cannot must not become the active one.
    pub(super) fn usable(&self, book: &Book, key_id: &str) -> Result<(), KeyError> {
        self.load(book.entry(key_id)?).map(|_| ())
    }

    pub(super) fn check_file(&self, key_id: &str) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let path = book::key_path(&self.places, key_id);
        let bytes = disk::read_private(&path, KEY_LIMIT)?;
        let key_id = key_id.to_owned();
        let missing = || match self.compromise_mark(&key_id).symlink_metadata() {
            Ok(_) => KeyError::Interrupted { key_id: key_id.clone() },
            Err(_) => KeyError::Missing { key_id: key_id.clone(), path },
        };
        bytes.map(Zeroizing::new).ok_or_else(missing)
    }

    pub(super) fn is_encrypted(&self, key_id: &str) -> bool {
        self.check_file(key_id)
            .is_ok_and(|bytes| std::str::from_utf8(&bytes).is_ok_and(material::is_encrypted))
    }

    pub(super) fn load(&self, entry: &KeyEntry) -> Result<SigningKey, KeyError> {
        let key_id = entry.key_id.clone();
        let path = book::key_path(&self.places, &key_id);
        let bytes = self.check_file(&key_id)?;
        let wrong = |why| KeyError::Material { key_id: key_id.clone(), path: path.clone(), why };
        let text = std::str::from_utf8(&bytes).map_err(|_| wrong("it is not text"))?;
        let key = material::from_pem(text, self.passphrase.as_ref()).map_err(|error| match error {
            Unreadable::Needed => KeyError::PassphraseNeeded { key_id: key_id.clone() },
            Unreadable::Wrong => KeyError::PassphraseWrong { key_id: key_id.clone() },
            Unreadable::Not(why) => wrong(why),
        })?;
        if signature::encode(key.verifying_key().as_bytes()) != entry.public_key {
            return Err(wrong("it is another key than the registry's"));
        }
        Ok(key)
    }
}
