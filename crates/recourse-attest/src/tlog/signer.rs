//! Keys that sign notes: a log's, a witness's.
//!
//! Owns their file, PKCS#8 PEM as all private keys here, and the two kinds of signature.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};
use thiserror::Error;
use zeroize::Zeroizing;

use super::note::{self, Kind, NoteError, Vkey};
use crate::disk::{self, Access, DiskError};
use crate::keys::Passphrase;
use crate::keys::material;
use crate::signature::PublicKey;

/// A private key's file is some hundred bytes.
const KEY_LIMIT: u64 = 16 << 10;

/// Why a key cannot sign.
#[derive(Debug, Error)]
pub enum SignerError {
    /// The file.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The name.
    #[error(transparent)]
    Name(#[from] NoteError),
    /// There is none.
    #[error("{0} is not there: restore it from a backup; what was signed goes on with its own key alone")]
    Missing(String),
    /// What is in the file.
    #[error("{0} cannot be used: {1}")]
    Material(String, &'static str),
    /// It could not be made.
    #[error("no key could be made: {0}")]
    Make(&'static str),
}

/// A key with its name.
pub struct NoteSigner {
    vkey: Vkey,
    key: SigningKey,
}

impl std::fmt::Debug for NoteSigner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NoteSigner").field("vkey", &self.vkey).finish_non_exhaustive()
    }
}

impl NoteSigner {
    /// Puts them together.
    ///
    /// # Errors
    /// When the name can name no key.
    pub fn new(name: &str, kind: Kind, key: SigningKey) -> Result<Self, SignerError> {
        let public = PublicKey::from_bytes(key.verifying_key().as_bytes())
            .map_err(|_| SignerError::Make("it is no key that verifies"))?;
        Ok(Self { vkey: Vkey::new(name, kind, public)?, key })
    }

    /// Reads a key's file; `make` makes one where there is none.
    ///
    /// # Errors
    /// When the file is not private, holds no key, or is encrypted with another passphrase.
    pub fn open(
        path: &Path,
        name: &str,
        kind: Kind,
        passphrase: Option<&Passphrase>,
        make: bool,
    ) -> Result<Self, SignerError> {
        if make && !path.exists() {
            let key = material::generate().map_err(SignerError::Make)?;
            let pem = material::to_pem(&key, passphrase).map_err(SignerError::Make)?;
            disk::create_exclusive(path, pem.as_bytes(), Access::Private)?;
        }
        let shown = || path.display().to_string();
        let bytes = disk::read_private(path, KEY_LIMIT)?.ok_or_else(|| SignerError::Missing(shown()))?;
        let bytes = Zeroizing::new(bytes);
        let wrong = |why| SignerError::Material(shown(), why);
        let text = std::str::from_utf8(&bytes).map_err(|_| wrong("it is not text"))?;
        let key = material::from_pem(text, passphrase).map_err(|error| {
            wrong(match error {
                material::Unreadable::Needed => "it is encrypted and there is no passphrase",
                material::Unreadable::Wrong => "the passphrase does not open it",
                material::Unreadable::Not(why) => why,
            })
        })?;
        Self::new(name, kind, key)
    }

    /// Its public half.
    pub fn vkey(&self) -> &Vkey {
        &self.vkey
    }

    /// A line of signatures for a text. `time`, in seconds since 1970, is what a witness states.
    pub fn sign(&self, text: &str, time: u64) -> String {
        let signature = match self.vkey.kind() {
            Kind::Log => self.key.sign(text.as_bytes()).to_bytes().to_vec(),
            Kind::Witness => {
                let signature = self.key.sign(note::cosigned(text, time).as_bytes()).to_bytes();
                [time.to_be_bytes().as_slice(), signature.as_slice()].concat()
            }
        };
        let bytes = [self.vkey.id().as_slice(), signature.as_slice()].concat();
        format!("\u{2014} {} {}\n", self.vkey.name(), STANDARD.encode(bytes))
    }
}
