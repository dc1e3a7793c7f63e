//! What a verifier must accept and refuse, group by group, through the library: every document is made here, signed or
//! broken, and verified against a registry and a durable copy that are made here, too.

mod documents;
mod registries;

use std::collections::HashMap;

use ed25519_dalek::{Signer as _, SigningKey};
use recourse::attest::cache::{FetchError, read_registry};
use recourse::attest::json::{DOCUMENT_LIMIT, canonical, parse};
use recourse::attest::signature::{decode, encode};
use recourse::attest::{Expect, Fetch, MemoryStore, Options, Origin, Reason, Verifier, document, verify};
use serde_json::{Value, json};

pub(crate) const BASE: &str = "https://recourse.example";

use Reason::{
    AttestationExpired, CrossCheckMismatch, InstanceNotTrusted, InvalidAttestation, KeyCompromised,
    KeyNotFound, KeyPending, NetworkError, RegistryRollback, SignatureInvalid,
};

/// The network of one case.
struct Net(HashMap<String, Vec<u8>>);

impl Fetch for Net {
    fn get(&self, url: &str, _: usize) -> Result<Vec<u8>, FetchError> {
        let gone = || FetchError { url: url.to_owned(), why: "it answers 404".to_owned(), transient: false };
        self.0.get(url).cloned().ok_or_else(gone)
    }
}

/// One case: what is verified, with which surroundings.
#[derive(Clone)]
struct Case {
    bytes: Vec<u8>,
    registry: Option<String>,
    cached: Option<Value>,
    copy: Option<String>,
    options: Options,
    report: Option<Value>,
    input: Option<Value>,
}

impl Case {
    fn of(document: &Value) -> Self {
        Self::text(document.to_string())
    }

    fn text(text: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: text.into(),
            registry: Some(known().to_string()),
            cached: None,
            copy: None,
            options: Options {
                trusted: vec![Origin::base(BASE).unwrap()],
                now: Some("2026-05-01T14:40:00Z".parse().unwrap()),
                retries: 0,
                ..Options::default()
            },
            report: None,
            input: None,
        }
    }

    fn registry(mut self, registry: impl ToString) -> Self {
        self.registry = Some(registry.to_string());
        self
    }

    fn cached(mut self, registry: Value) -> Self {
        self.cached = Some(registry);
        self
    }

    fn trusting(mut self, trusted: &[&str]) -> Self {
        self.options.trusted = trusted.iter().map(|url| Origin::base(url).unwrap()).collect();
        self
    }

    fn copy(mut self, copy: impl ToString) -> Self {
        self.options.cross_check = true;
        self.copy = Some(copy.to_string());
        self
    }

    fn at(mut self, now: &str, max_age: u64) -> Self {
        self.options.now = Some(now.parse().unwrap());
        self.options.max_age = Some(max_age);
        self
    }

    fn outcome(self) -> Result<(), Reason> {
        let attestation = verify::read(&self.bytes).map_err(|failure| failure.reason)?;
        let mut net = HashMap::new();
        if let Some(registry) = self.registry {
            net.insert(attestation.origin().registry_url(), registry.into_bytes());
        }
        if let Some(copy) = self.copy {
            net.insert(attestation.uri().to_owned(), copy.into_bytes());
        }
        let store = match self.cached {
            Some(cached) => {
                MemoryStore::having_accepted(read_registry(cached.to_string().as_bytes()).unwrap().0)
            }
            None => MemoryStore::default(),
        };
        let verifier = Verifier::new(self.options, Net(net), store);
        let expect = Expect { report: self.report.as_ref(), input: self.input.as_ref() };
        verifier.verify(&attestation, expect).map(|_| ()).map_err(|failure| failure.reason)
    }

    #[track_caller]
    fn valid(self, name: &str) {
        assert_eq!(self.outcome(), Ok(()), "{name}");
    }

    #[track_caller]
    fn refused(self, reason: Reason, name: &str) {
        assert_eq!(self.outcome(), Err(reason), "{name}");
    }
}

fn key(number: u8) -> SigningKey {
    SigningKey::from_bytes(&[number; 32])
}

fn public(number: u8) -> String {
    encode(key(number).verifying_key().as_bytes())
}

fn entry(id: &str, public: &str, state: &str) -> Value {
    json!({"key_id": id, "algorithm": "Ed25519", "public_key": public, "state": state,
        "valid_from": "2026-04-01T00:00:00Z", "valid_until": null, "created_at": "2026-03-01T00:00:00Z"})
}

fn keys(version: u64, keys: &[Value]) -> Value {
    json!({"instance_id": "recourse-prod", "version": 1, "registry_version": version, "sequence": version,
        "updated_at": "2026-04-15T12:00:00Z", "keys": keys})
}

/// The registry: an old key, and the one that signs.
pub(crate) fn known() -> Value {
    keys(7, &[entry("prod-1", &public(2), "deprecated"), entry("prod-2", &public(1), "active")])
}

fn state(word: &str) -> Value {
    keys(7, &[entry("prod-2", &public(1), word)])
}

fn content() -> Value {
    json!({
        "input": {"source": "shell", "input": "rm -rf /data/production", "cwd": "/srv"},
        "output": {"schemaVersion": "recourse.consequence.v1", "riskAssessment": "block", "hasUnrecoverable": true,
            "mutations": [{"target": "/data/production", "tier": 4, "confidence": 0.95}]},
        "evaluator": "recourse:blast-radius:1.0.0",
        "timestamp": "2026-05-01T14:30:00.000Z",
        "key_id": "prod-2",
    })
}

fn with(field: &str, value: Value) -> Value {
    let mut content = content();
    content[field] = value;
    content
}

fn id(content: &Value) -> String {
    let text = |field: &str| content[field].as_str().unwrap();
    let (evaluator, time, key) = (text("evaluator"), text("timestamp"), text("key_id"));
    document::derive_id(&content["input"], &content["output"], evaluator, time, key).unwrap()
}

fn sign_by(number: u8, mut content: Value) -> Value {
    if content.get("attestation_uri").is_none() {
        content["attestation_uri"] = json!(format!("{BASE}/.well-known/attestations/{}.json", id(&content)));
    }
    let payload = document::payload(content.as_object().unwrap()).unwrap();
    content["signature"] = json!(encode(&key(number).sign(&payload).to_bytes()));
    content
}

fn sign(content: Value) -> Value {
    sign_by(1, content)
}

pub(crate) fn good() -> Value {
    sign(content())
}

fn at_uri(uri: &str) -> Value {
    sign(with("attestation_uri", json!(uri)))
}

/// The good attestation with a field changed after signing.
fn tampered(field: &str, value: Value) -> Value {
    let mut document = good();
    document[field] = value;
    document
}
