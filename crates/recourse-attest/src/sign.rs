//! Making attestations: from an evaluation to a signed, stored document.
//!
//! Owns the order of §6.3: content, id, URI, signature; then the durable copy, before anybody else sees it. The key's
//! state is read from the registry at the moment of signing, under the lock that every change of state takes.

use std::time::Duration;

use ed25519_dalek::Signer as _;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::document::{self, Attestation, DocumentError, VERSION, hex};
use super::keys::{KeyError, KeyStore};
use super::origin::Origin;
use super::signature;
use super::statement;
use super::store::{Store, StoreError};
use super::time::Time;
use super::verify::{Expect, Options, Verifier};
use super::{Failure, Reason};
use crate::json::{self, JsonError};

/// How long an attestation is fresh unless the operator says otherwise.
pub const DEFAULT_VALIDITY: Duration = Duration::from_secs(900);

/// Which fields an attestation carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Also `version`, `nonce`, `expires_at`, and the chain where there is one.
    #[default]
    Full,
    /// The seven fields of the protocol's core alone, for readers that refuse others.
    Core,
}

/// What an attestation continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Names the chain: the same in all of its attestations.
    pub chain_id: String,
    /// [`Attestation::digest`] of the one before, where there is one.
    pub parent: Option<String>,
}

/// What is to be attested.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// What was evaluated, an object.
    pub input: Value,
    /// The report, an object, without an attestation in it.
    pub output: Value,
    /// The chain that it belongs to.
    pub chain: Option<Chain>,
}

/// How this instance signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignerSettings {
    /// The instance's base URL, at which its registry and attestations are served.
    pub base: Origin,
    /// Who evaluates, for example `recourse:0.1.0`.
    pub evaluator: String,
    /// Which fields to write.
    pub profile: Profile,
    /// How long an attestation is fresh.
    pub validity: Duration,
}

/// Why there is no attestation.
#[derive(Debug, Error)]
pub enum SignError {
    /// The key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The evaluation has no canonical form.
    #[error("the evaluation cannot be attested: {0}")]
    Content(#[from] JsonError),
    /// What was built is no attestation.
    #[error("the evaluation cannot be attested: {0}")]
    Document(#[from] DocumentError),
    /// Not what this instance vouches for.
    #[error("{0}")]
    NotOurs(Failure),
    /// The core profile has no fields for a chain.
    #[error("a chain needs the profile `full`: `core` has no fields for it")]
    NoChainInCore,
    /// No random bytes.
    #[error("the system gave no random bytes for a nonce")]
    Random,
    /// Too many equal evaluations in one moment.
    #[error("no free attestation id was found: the same evaluation was attested too often in one moment")]
    Crowded,
}

/// Signs evaluations with the active key and stores what it signed.
#[derive(Debug)]
pub struct Signer {
    keys: KeyStore,
    store: Store,
    settings: SignerSettings,
}

impl Signer {
    /// Puts keys, store and settings together.
    pub fn new(keys: KeyStore, store: Store, settings: SignerSettings) -> Self {
        Self { keys, store, settings }
    }

    /// The keys that it signs with.
    pub fn keys(&self) -> &KeyStore {
        &self.keys
    }

    /// Where it stores what it signed.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// How it signs.
    pub fn settings(&self) -> &SignerSettings {
        &self.settings
    }

    /// Signs an evaluation and stores the attestation durably. What it says is normalised to NFC: compare
    /// [`Attestation::input`] with what will run before relying on it.
    ///
    /// # Errors
    /// When no key can sign, the evaluation has no canonical form or is too large, or the store refuses.
    pub fn attest(&self, evaluation: Evaluation) -> Result<Attestation, SignError> {
        self.attest_at(evaluation, Time::now())
    }

    /// [`Signer::attest`] with the time of the evaluation; a millisecond or more later when its id is taken.
    ///
    /// # Errors
    /// As there.
    pub fn attest_at(&self, evaluation: Evaluation, now: Time) -> Result<Attestation, SignError> {
        let draft = Draft::new(&self.settings, evaluation)?;
        for later in 0..self.store.tries() {
            let time = now.plus_millis(later);
            let signed = self.keys.with_active(|entry, key| -> Result<Attestation, SignError> {
                let mut fields = draft.fields(time, &entry.key_id)?;
                let payload = document::payload(&fields)?;
                let signature = signature::encode(&key.sign(&payload).to_bytes());
                fields.insert("signature".to_owned(), json!(signature));
                Ok(Attestation::from_value(&Value::Object(fields))?)
            })??;
            if self.store.create(&signed)? {
                return Ok(signed);
            }
        }
        Err(self.store.crowded().map_or(SignError::Crowded, SignError::Store))
    }
}

impl Signer {
    /// An attestation as a Sigstore bundle, signed with the key that is active now. It has to be one of this instance that
    /// still is served: nothing is vouched for that nobody here signed, or that a compromised key did.
    ///
    /// # Errors
    /// When it is not, or no key can sign.
    pub fn bundle(&self, attestation: &Attestation) -> Result<Value, SignError> {
        self.vouches_for(attestation).map_err(SignError::NotOurs)?;
        let payload = statement::statement(attestation)?;
        let message = statement::pre_authentication_encoding(&payload);
        Ok(self.keys.with_active(|entry, key| {
            statement::bundle(&payload, &entry.key_id, &key.sign(&message).to_bytes())
        })?)
    }
}

impl Signer {
    /// Whether this instance signed it with a key of which attestations are served.
    fn vouches_for(&self, attestation: &Attestation) -> Result<(), Failure> {
        let fault = |error: KeyError| Failure::new(Reason::LocalFault, error.to_string());
        let registry =
            self.keys.registry().and_then(|found| found.ok_or(KeyError::NoActive)).map_err(fault)?;
        let options = Options { trusted: vec![self.settings.base.clone()], ..Options::default() };
        let verified = Verifier::offline(options, registry).verify_past(attestation, Expect::default())?;
        match verified.key_state.retains() {
            true => Ok(()),
            false => Err(Failure::new(
                Reason::KeyNotFound,
                format!("its key is {}, and what it signed is not served any more", verified.key_state),
            )),
        }
    }
}

/// An attestation without its time, key and what follows from them.
struct Draft<'a> {
    settings: &'a SignerSettings,
    input: Value,
    output: Value,
    extra: Map<String, Value>,
}

impl<'a> Draft<'a> {
    fn new(settings: &'a SignerSettings, evaluation: Evaluation) -> Result<Self, SignError> {
        let mut extra = Map::new();
        match settings.profile {
            Profile::Core if evaluation.chain.is_some() => return Err(SignError::NoChainInCore),
            Profile::Core => {}
            Profile::Full => {
                let mut nonce = [0u8; 16];
                getrandom::fill(&mut nonce).map_err(|_| SignError::Random)?;
                extra.insert("version".to_owned(), json!(VERSION));
                extra.insert("nonce".to_owned(), json!(hex(&nonce)));
                if let Some(chain) = evaluation.chain {
                    extra.insert("chain_id".to_owned(), json!(chain.chain_id));
                    if let Some(parent) = chain.parent {
                        extra.insert("parent_attestation".to_owned(), json!(parent));
                    }
                }
            }
        }
        let (input, output) = (json::to_nfc(evaluation.input)?, json::to_nfc(evaluation.output)?);
        Ok(Self { settings, input, output, extra })
    }

    /// Every field but the signature.
    fn fields(&self, time: Time, key_id: &str) -> Result<Map<String, Value>, SignError> {
        let timestamp = time.to_string();
        let evaluator = &self.settings.evaluator;
        let id = document::derive_id(&self.input, &self.output, evaluator, &timestamp, key_id)?;
        let mut fields = self.extra.clone();
        fields.insert("input".to_owned(), self.input.clone());
        fields.insert("output".to_owned(), self.output.clone());
        fields.insert("evaluator".to_owned(), json!(evaluator));
        fields.insert("timestamp".to_owned(), json!(timestamp));
        fields.insert("key_id".to_owned(), json!(key_id));
        fields.insert("attestation_uri".to_owned(), json!(self.settings.base.attestation_url(&id)));
        if self.settings.profile == Profile::Full {
            let seconds = i64::try_from(self.settings.validity.as_secs()).unwrap_or(i64::MAX);
            fields.insert("expires_at".to_owned(), json!(time.plus_seconds(seconds).to_string()));
        }
        Ok(fields)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::thread;

    use super::*;
    use crate::places::Places;
    use crate::publish::publish;
    use crate::signature::PublicKey;
    use crate::store::Served;

    fn signer(folder: &std::path::Path, profile: Profile) -> Signer {
        let places = Places::under(folder);
        let keys = KeyStore::open(&places).named("test").unwrap();
        keys.ensure_active().unwrap();
        let settings = SignerSettings {
            base: Origin::base("https://recourse.example").unwrap(),
            evaluator: "recourse:0.1.0".to_owned(),
            profile,
            validity: DEFAULT_VALIDITY,
        };
        Signer::new(keys, Store::open(&places), settings)
    }

    fn evaluation() -> Evaluation {
        Evaluation {
            input: json!({"source": "shell", "input": "rm -rf /data"}),
            output: json!({"riskAssessment": "block", "size": 1e21, "name": "Cafe\u{301}"}),
            chain: None,
        }
    }

    #[test]
    fn what_is_signed_verifies_and_is_stored() {
        let folder = tempfile::tempdir().unwrap();
        let signer = signer(folder.path(), Profile::Full);
        let signed = signer.attest(evaluation()).unwrap();
        let registry = signer.keys().registry().unwrap().unwrap();
        let key = PublicKey::from_base64url(&registry.active().unwrap().public_key).unwrap();
        key.verify(signed.payload(), signed.signature()).unwrap();
        assert!(signed.uri_fits());
        assert_eq!(signed.output()["name"], "Caf\u{e9}", "NFC");
        assert_eq!(signed.expires_at().unwrap().since(signed.timestamp()), 900_000);
        assert_eq!(signer.store().read(signed.id()).unwrap().unwrap(), signed);
        assert_eq!(signer.store().list().unwrap(), [signed.id()]);
        let file = folder.path().join("data/attestations").join(format!("{}.json", signed.id()));
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(signer.store().read("../keys/registry").is_err());
        assert!(signer.store().read(&"0".repeat(32)).unwrap().is_none());
    }

    #[test]
    fn the_core_profile_has_seven_fields() {
        let folder = tempfile::tempdir().unwrap();
        let signer = signer(folder.path(), Profile::Core);
        let signed = signer.attest(evaluation()).unwrap();
        assert_eq!(signed.to_value().as_object().unwrap().len(), 7);
        let chain = Some(Chain { chain_id: "c".to_owned(), parent: None });
        assert!(matches!(signer.attest(Evaluation { chain, ..evaluation() }), Err(SignError::NoChainInCore)));
    }

    #[test]
    fn a_chain_is_signed_too() {
        let folder = tempfile::tempdir().unwrap();
        let signer = signer(folder.path(), Profile::Full);
        let first = signer.attest(evaluation()).unwrap();
        let chain = Chain { chain_id: "chain-1".to_owned(), parent: Some(first.digest()) };
        let second = signer.attest(Evaluation { chain: Some(chain), ..evaluation() }).unwrap();
        assert_eq!((second.chain_id(), second.parent()), (Some("chain-1"), Some(first.digest().as_str())));
        let bad = Chain { chain_id: "has space".to_owned(), parent: None };
        assert!(matches!(
            signer.attest(Evaluation { chain: Some(bad), ..evaluation() }),
            Err(SignError::Document(_))
        ));
    }

    #[test]
    fn equal_evaluations_in_one_moment_get_ids_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let signer = signer(folder.path(), Profile::Full);
        let now = Time::now();
        thread::scope(|scope| {
            for _ in 0..10 {
                scope.spawn(|| signer.attest_at(evaluation(), now).unwrap());
            }
        });
        assert_eq!(signer.store().list().unwrap().len(), 10);
    }

    #[test]
    fn only_objects_are_attested() {
        let folder = tempfile::tempdir().unwrap();
        let signer = signer(folder.path(), Profile::Full);
        let none = Evaluation { input: json!("text"), ..evaluation() };
        assert!(matches!(signer.attest(none), Err(SignError::Document(_))));
        let huge = Evaluation { output: json!({"x": "x".repeat(json::DOCUMENT_LIMIT)}), ..evaluation() };
        assert!(signer.attest(huge).is_err());
        assert!(signer.store().list().unwrap().is_empty());
    }

    #[test]
    fn the_key_in_force_signs_and_retention_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let signer = signer(folder.path(), Profile::Full);
        let first = signer.attest(evaluation()).unwrap();
        // Another process rotates; the key that this one has in memory is not used any more.
        let places = Places::under(folder.path());
        KeyStore::open(&places).rotate(None).unwrap();
        let second = signer.attest(evaluation()).unwrap();
        assert_eq!((first.key_id(), second.key_id()), ("test-1", "test-2"));
        let root = folder.path().join("web");
        assert_eq!(publish(signer.keys(), signer.store(), None, &root).unwrap().attestations, 2);
        let file = root.join(".well-known/attestations").join(format!("{}.json", first.id()));
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
        assert_eq!(fs::read(&file).unwrap(), first.canonical());
        signer.keys().compromise("test-1", None).unwrap();
        let registry = signer.keys().registry().unwrap().unwrap();
        assert_eq!(signer.store().served(first.id(), &registry).unwrap(), Served::Gone);
        assert!(matches!(signer.store().served(second.id(), &registry).unwrap(), Served::Found(_)));
        assert_eq!(signer.store().served("x", &registry).unwrap(), Served::Absent);
        let published = publish(signer.keys(), signer.store(), None, &root).unwrap();
        assert_eq!((published.attestations, published.left_out), (1, 1));
        assert!(!file.exists());
        signer.keys().compromise("test-2", None).unwrap();
        assert!(matches!(signer.attest(evaluation()), Err(SignError::Key(KeyError::NoActive))));
    }
}
