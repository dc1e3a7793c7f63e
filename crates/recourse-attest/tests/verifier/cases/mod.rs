//! What a verifier must accept and refuse, group by group, through the library: every document is made here, signed or
//! broken, and verified against a registry and a durable copy that are made here, too.

mod documents;
mod registries;

use std::collections::HashMap;

use recourse_attest::cache::{FetchError, read_registry};
use recourse_attest::json::{DOCUMENT_LIMIT, canonical, parse};
use recourse_attest::signature::{decode, encode};
use recourse_attest::{Expect, Fetch, MemoryStore, Options, Origin, Reason, Verifier, document, verify};
use serde_json::{Value, json};

use crate::made::*;

use Reason::{
    AttestationExpired, CrossCheckMismatch, InstanceNotTrusted, InvalidAttestation, KeyCompromised,
    KeyNotFound, KeyPending, NetworkError, RegistryRollback, SignatureInvalid,
};

/// The network of one case.
struct Net(HashMap<String, Vec<u8>>);

impl Fetch for Net {
    fn get(&self, url: &str, _: usize) -> Result<Vec<u8>, FetchError> {
        let gone = || FetchError {
            url: url.to_owned(),
            why: "it answers 404".to_owned(),
            transient: false,
            local: false,
        };
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
