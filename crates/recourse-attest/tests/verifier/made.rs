//! Registries and signed documents that the cases are made of; the tests of the program use them, too.

#![allow(dead_code)] // Each test program uses its part.

use ed25519_dalek::{Signer as _, SigningKey};
use recourse_attest::document;
use recourse_attest::signature::encode;
use serde_json::{Value, json};

pub(crate) const BASE: &str = "https://recourse.example";

pub(crate) fn key(number: u8) -> SigningKey {
    SigningKey::from_bytes(&[number; 32])
}

pub(crate) fn public(number: u8) -> String {
    encode(key(number).verifying_key().as_bytes())
}

pub(crate) fn entry(id: &str, public: &str, state: &str) -> Value {
    json!({"key_id": id, "algorithm": "Ed25519", "public_key": public, "state": state,
        "valid_from": "2026-04-01T00:00:00Z", "valid_until": null, "created_at": "2026-03-01T00:00:00Z"})
}

pub(crate) fn keys(version: u64, keys: &[Value]) -> Value {
    json!({"instance_id": "recourse-prod", "version": 1, "registry_version": version, "sequence": version,
        "updated_at": "2026-04-15T12:00:00Z", "keys": keys})
}

/// The registry: an old key, and the one that signs.
pub(crate) fn known() -> Value {
    keys(7, &[entry("prod-1", &public(2), "deprecated"), entry("prod-2", &public(1), "active")])
}

pub(crate) fn state(word: &str) -> Value {
    keys(7, &[entry("prod-2", &public(1), word)])
}

pub(crate) fn content() -> Value {
    json!({
        "input": {"source": "shell", "input": "rm -rf /data/production", "cwd": "/srv"},
        "output": {"schemaVersion": "recourse.consequence.v1", "riskAssessment": "block", "hasUnrecoverable": true,
            "mutations": [{"target": "/data/production", "tier": 4, "confidence": 0.95}]},
        "evaluator": "recourse:blast-radius:1.0.0",
        "timestamp": "2026-05-01T14:30:00.000Z",
        "key_id": "prod-2",
    })
}

pub(crate) fn with(field: &str, value: Value) -> Value {
    let mut content = content();
    content[field] = value;
    content
}

pub(crate) fn id(content: &Value) -> String {
    let text = |field: &str| content[field].as_str().unwrap();
    let (evaluator, time, key) = (text("evaluator"), text("timestamp"), text("key_id"));
    document::derive_id(&content["input"], &content["output"], evaluator, time, key).unwrap()
}

pub(crate) fn sign_by(number: u8, mut content: Value) -> Value {
    if content.get("attestation_uri").is_none() {
        content["attestation_uri"] = json!(format!("{BASE}/.well-known/attestations/{}.json", id(&content)));
    }
    let payload = document::payload(content.as_object().unwrap()).unwrap();
    content["signature"] = json!(encode(&key(number).sign(&payload).to_bytes()));
    content
}

pub(crate) fn sign(content: Value) -> Value {
    sign_by(1, content)
}

pub(crate) fn good() -> Value {
    sign(content())
}

pub(crate) fn at_uri(uri: &str) -> Value {
    sign(with("attestation_uri", json!(uri)))
}

/// The good attestation with a field changed after signing.
pub(crate) fn tampered(field: &str, value: Value) -> Value {
    let mut document = good();
    document[field] = value;
    document
}
