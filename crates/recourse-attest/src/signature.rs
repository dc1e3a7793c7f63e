//! Ed25519 with every check that a lenient reader leaves out, and base64url with one spelling.
//!
//! Owns public keys and the verification of signatures; private keys belong to `keys`. Looks at nothing but its arguments.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, VerifyingKey};
use thiserror::Error;

/// Why a key or a signature is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// Not base64url without padding, or another number of bytes.
    #[error("the public key is not 32 bytes of base64url without padding")]
    KeyEncoding,
    /// No point of the curve, a second spelling of one, or one of small order, for which anybody can sign.
    #[error("the public key is no point of full order in its one encoding")]
    KeyPoint,
    /// Not base64url without padding, or another number of bytes.
    #[error("the signature is not 64 bytes of base64url without padding")]
    Encoding,
    /// The signature is not this key's over these bytes.
    #[error("the signature does not belong to this content and key")]
    Mismatch,
}

/// A public key that may verify.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// From its 32 bytes.
    ///
    /// # Errors
    ///
    /// [`SignatureError::KeyPoint`].
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, SignatureError> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| SignatureError::KeyPoint)?;
        if key.is_weak() || !is_reduced(bytes) { Err(SignatureError::KeyPoint) } else { Ok(Self(key)) }
    }

    /// From base64url without padding, as registries hold it.
    ///
    /// # Errors
    ///
    /// [`SignatureError::KeyEncoding`] or [`SignatureError::KeyPoint`].
    pub fn from_base64url(text: &str) -> Result<Self, SignatureError> {
        Self::from_bytes(&decode(text).ok_or(SignatureError::KeyEncoding)?)
    }

    /// Its 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// As registries hold it.
    pub fn to_base64url(&self) -> String {
        encode(self.as_bytes())
    }

    /// Checks a signature in base64url over these bytes.
    ///
    /// # Errors
    ///
    /// [`SignatureError::Encoding`] or [`SignatureError::Mismatch`].
    pub fn verify(&self, payload: &[u8], signature: &str) -> Result<(), SignatureError> {
        self.verify_bytes(payload, &decode(signature).ok_or(SignatureError::Encoding)?)
    }

    /// Checks a signature of 64 bytes.
    ///
    /// # Errors
    ///
    /// [`SignatureError::Mismatch`].
    pub fn verify_bytes(&self, payload: &[u8], signature: &[u8; 64]) -> Result<(), SignatureError> {
        let signature = Signature::from_bytes(signature);
        if !is_reduced(signature.r_bytes()) {
            return Err(SignatureError::Mismatch);
        }
        self.0.verify_strict(payload, &signature).map_err(|_| SignatureError::Mismatch)
    }
}

/// Base64url without padding.
pub fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Exactly so many bytes from base64url without padding, in its one spelling.
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

/// Whether the y coordinate of an encoded point is below 2^255 - 19, so that the point has no second encoding.
fn is_reduced(point: &[u8; 32]) -> bool {
    let all_ones = point[31] & 0x7f == 0x7f && point[1..31].iter().all(|byte| *byte == 0xff);
    !(all_ones && point[0] >= 0xed)
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer as _, SigningKey};

    use super::*;

    #[test]
    fn one_spelling_of_keys_and_signatures() {
        let secret = SigningKey::from_bytes(&[7; 32]);
        let key = PublicKey::from_bytes(secret.verifying_key().as_bytes()).unwrap();
        let text = key.to_base64url();
        assert_eq!(PublicKey::from_base64url(&text), Ok(key.clone()));
        for wrong in [format!("{text}="), format!("{text}A"), format!(" {text}"), text[1..].to_owned()] {
            assert_eq!(PublicKey::from_base64url(&wrong), Err(SignatureError::KeyEncoding), "{wrong}");
        }
        let signature = encode(&secret.sign(b"payload").to_bytes());
        assert_eq!(key.verify(b"payload", &signature), Ok(()));
        assert_eq!(key.verify(b"Payload", &signature), Err(SignatureError::Mismatch));
        assert_eq!(key.verify(b"payload", &format!("{signature}==")), Err(SignatureError::Encoding));
    }

    #[test]
    fn keys_that_anybody_can_sign_for_are_refused() {
        let mut identity = [0; 32];
        identity[0] = 1;
        let mut other_identity = [0xff; 32];
        other_identity[0] = 0xee;
        other_identity[31] = 0x7f;
        for bytes in [identity, [0; 32], other_identity] {
            assert_eq!(PublicKey::from_bytes(&bytes), Err(SignatureError::KeyPoint));
        }
    }
}
