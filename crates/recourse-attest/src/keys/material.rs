//! Private keys as they stand in files: PKCS#8 PEM, plain or encrypted, readable by other tools.
//!
//! Owns the formats and the secrets' way through memory: what held one is overwritten when it is dropped, and
//! nothing prints one. Does no I/O.

use std::fmt;

use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::{EncodePrivateKey, KeypairBytes};
use pkcs8::pkcs5::pbes2;
use pkcs8::pkcs5::scrypt;
use pkcs8::{EncryptedPrivateKeyInfoRef, LineEnding, PrivateKeyInfoRef, SecretDocument};
use zeroize::Zeroizing;

const PLAIN: &str = "PRIVATE KEY";
const ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";

/// Work for whoever guesses passphrases: 16 MiB of memory, five times over. OpenSSL refuses more than 32 MiB.
const SCRYPT: (u8, u32, u32) = (14, 8, 5);

/// A passphrase. Overwritten when dropped, never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Passphrase(Zeroizing<String>);

impl Passphrase {
    /// Takes over a passphrase.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(…)")
    }
}

/// Why a file is no private key that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It is encrypted, and there is no passphrase.
    Needed,
    /// The passphrase does not open it.
    Wrong,
    /// It is something else.
    Not(&'static str),
}

/// A fresh key from the system's random numbers.
pub(crate) fn generate() -> Result<SigningKey, &'static str> {
    let mut seed = Zeroizing::new([0u8; 32]);
    getrandom::fill(seed.as_mut()).map_err(|_| "the system gave no random bytes")?;
    Ok(SigningKey::from_bytes(&seed))
}

/// The key as PEM text; encrypted when there is a passphrase.
pub(crate) fn to_pem(
    key: &SigningKey,
    passphrase: Option<&Passphrase>,
) -> Result<Zeroizing<String>, &'static str> {
    const FAILED: &str = "it could not be written as PKCS#8";
    // Version 1 of the format, without the public key: every OpenSSL reads it.
    let pair = KeypairBytes { secret_key: key.to_bytes(), public_key: None };
    let plain = pair.to_pkcs8_der().map_err(|_| FAILED)?;
    let Some(passphrase) = passphrase else { return plain.to_pem(PLAIN, LineEnding::LF).map_err(|_| FAILED) };
    let (mut salt, mut iv) = ([0u8; 16], [0u8; 16]);
    getrandom::fill(&mut salt)
        .and_then(|()| getrandom::fill(&mut iv))
        .map_err(|_| "the system gave no random bytes")?;
    let work = scrypt::Params::new(SCRYPT.0, SCRYPT.1, SCRYPT.2).map_err(|_| FAILED)?;
    let how = pbes2::Parameters::generate_scrypt_aes256cbc(work, &salt, iv).map_err(|_| FAILED)?;
    let info = PrivateKeyInfoRef::try_from(plain.as_bytes()).map_err(|_| FAILED)?;
    let sealed = info.encrypt_with_params(how, passphrase.0.as_bytes()).map_err(|_| FAILED)?;
    sealed.to_pem(ENCRYPTED, LineEnding::LF).map_err(|_| FAILED)
}

/// Whether PEM text holds an encrypted key.
pub(crate) fn is_encrypted(pem: &str) -> bool {
    pem.contains(&format!("-----BEGIN {ENCRYPTED}-----"))
}

/// The key in PEM text.
pub(crate) fn from_pem(pem: &str, passphrase: Option<&Passphrase>) -> Result<SigningKey, Unreadable> {
    let (label, document) =
        SecretDocument::from_pem(pem).map_err(|_| Unreadable::Not("it is not PEM of one private key"))?;
    let opened;
    let plain = match label {
        PLAIN => &document,
        ENCRYPTED => {
            let sealed = EncryptedPrivateKeyInfoRef::try_from(document.as_bytes())
                .map_err(|_| Unreadable::Not("its encryption is not PKCS#8's"))?;
            let passphrase = passphrase.ok_or(Unreadable::Needed)?;
            opened = sealed.decrypt(passphrase.0.as_bytes()).map_err(|_| Unreadable::Wrong)?;
            &opened
        }
        _ => return Err(Unreadable::Not("it is PEM of something else than a PKCS#8 private key")),
    };
    let info =
        PrivateKeyInfoRef::try_from(plain.as_bytes()).map_err(|_| Unreadable::Not("it is not PKCS#8"))?;
    SigningKey::try_from(info).map_err(|_| Unreadable::Not("it is not an Ed25519 key"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_from_their_files() {
        let key = generate().unwrap();
        let plain = to_pem(&key, None).unwrap();
        assert!(plain.starts_with("-----BEGIN PRIVATE KEY-----\n") && !is_encrypted(&plain));
        assert_eq!(from_pem(&plain, None).unwrap().to_bytes(), key.to_bytes());
        let word = Passphrase::new("correct horse".to_owned());
        let sealed = to_pem(&key, Some(&word)).unwrap();
        assert!(is_encrypted(&sealed));
        assert_eq!(from_pem(&sealed, Some(&word)).unwrap().to_bytes(), key.to_bytes());
        assert_eq!(from_pem(&sealed, None).unwrap_err(), Unreadable::Needed);
        let other = Passphrase::new("correct horsf".to_owned());
        assert_eq!(from_pem(&sealed, Some(&other)).unwrap_err(), Unreadable::Wrong);
        assert!(matches!(from_pem("nothing", None), Err(Unreadable::Not(_))));
        let cut = plain.replace("-----END PRIVATE KEY-----", "");
        assert!(matches!(from_pem(&cut, None), Err(Unreadable::Not(_))));
        assert!(!format!("{word:?}").contains("horse"));
    }
}
