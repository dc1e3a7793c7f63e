//! Public keys in the forms that other programs read.

use ed25519_dalek::VerifyingKey;
use ed25519_dalek::pkcs8::spki::EncodePublicKey;
use pkcs8::LineEnding;
use serde_json::{Value, json};

use crate::registry::KeyEntry;
use crate::signature;

/// The public key as a JSON Web Key (RFC 8037).
pub fn jwk(entry: &KeyEntry) -> Value {
    json!({"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": entry.key_id, "x": entry.public_key})
}

/// The public key as PEM (`SubjectPublicKeyInfo`). None: the entry holds no Ed25519 key.
pub fn public_pem(entry: &KeyEntry) -> Option<String> {
    let key = VerifyingKey::from_bytes(&signature::decode(&entry.public_key)?).ok()?;
    key.to_public_key_pem(LineEnding::LF).ok()
}
