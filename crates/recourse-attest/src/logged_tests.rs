#![cfg(feature = "signing")]

//! What a verifier says of registries and attestations that a log holds, does not hold, or cannot be asked about.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::json;

use super::super::cache::{FetchError, MemoryStore};
use super::super::keys::KeyStore;
use super::super::places::Places;
use super::super::sign::{DEFAULT_VALIDITY, Evaluation, Profile, Signer, SignerSettings};
use super::super::store::Store;
use super::super::tlog::book::{Log, Wanted};
use super::super::verify::{Expect, Options, Verified, Verifier};
use super::*;

const BASE: &str = "https://recourse.example";
const KEYS: &str = "https://recourse.example/.well-known/recourse-keys";

#[derive(Clone, Debug)]
enum Says {
    This(Vec<u8>),
    /// 404 and its like.
    No,
    /// Nothing, this time.
    Nothing,
    /// Nothing once, then 404.
    NothingThenNo,
}

/// What stands at URLs.
#[derive(Clone, Default)]
struct Net(Arc<Mutex<HashMap<String, Says>>>);

impl Net {
    fn put(&self, url: &str, says: Says) {
        self.0.lock().unwrap().insert(url.to_owned(), says);
    }
}

impl Fetch for Net {
    fn get(&self, url: &str, _: usize) -> Result<Vec<u8>, FetchError> {
        let failed = |why: &str, transient| FetchError {
            url: url.to_owned(),
            why: why.to_owned(),
            transient,
            local: false,
        };
        let mut all = self.0.lock().unwrap();
        match all.get(url).cloned() {
            Some(Says::This(bytes)) => Ok(bytes),
            Some(Says::Nothing) => Err(failed("timeout", true)),
            Some(Says::NothingThenNo) => {
                all.insert(url.to_owned(), Says::No);
                Err(failed("timeout", true))
            }
            Some(Says::No) | None => Err(failed("it answers 404", false)),
        }
    }
}

/// An instance with a log, and what it publishes.
struct Instance {
    _folder: tempfile::TempDir,
    signer: Signer,
    log: Log,
    net: Net,
}

impl Instance {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::under(folder.path());
        let keys = KeyStore::open(&places).named("test").unwrap();
        keys.ensure_active().unwrap();
        let base = Origin::base(BASE).unwrap();
        let settings = SignerSettings {
            base: base.clone(),
            evaluator: "recourse:0.1.0".to_owned(),
            profile: Profile::Full,
            validity: DEFAULT_VALIDITY,
        };
        let log = Log::open(&places);
        log.begin(&base).unwrap();
        Self {
            signer: Signer::new(keys, Store::open(&places), settings),
            log,
            _folder: folder,
            net: Net::default(),
        }
    }

    fn attest(&self) -> Attestation {
        let (input, output) = (json!({"source": "shell", "input": "ls"}), json!({"riskAssessment": "allow"}));
        self.signer.attest(Evaluation { input, output, chain: None }).unwrap()
    }

    /// Puts everything into the log, and shows it.
    fn publish(&self, attestation: &Attestation) {
        self.log.advance().unwrap();
        let registry = self.signer.keys().registry().unwrap().unwrap().to_value();
        self.net.put(&format!("{KEYS}.json"), Says::This(registry.to_string().into_bytes()));
        let proof = |wanted: &Wanted| Says::This(self.log.prove(wanted).unwrap().0.to_string().into_bytes());
        self.net.put(&format!("{KEYS}.proof"), proof(&Wanted::Registry));
        let of = Wanted::Attestation(attestation.id().to_owned());
        self.net.put(&Subject::Attestation(attestation).proof_url(), proof(&of));
    }

    fn verifier(&self) -> Verifier {
        let log = LogPolicy { logs: vec![self.log.vkey().unwrap().unwrap()], ..LogPolicy::default() };
        let options = Options { log: Some(log), ..Options::default() };
        Verifier::new(options, self.net.clone(), MemoryStore::default())
    }

    fn says(&self, verifier: &Verifier, attestation: &Attestation) -> Result<Verified, Failure> {
        verifier.verify(attestation, Expect::default())
    }
}

#[test]
fn a_log_that_says_no_is_told_from_one_that_cannot_be_asked() {
    let instance = Instance::new();
    let one = instance.attest();
    instance.publish(&one);
    let good = instance.says(&instance.verifier(), &one).unwrap();
    assert_eq!((good.logged.unwrap().size, good.registry_logged.unwrap().size), (4, 4));
    let urls = [format!("{KEYS}.proof"), Subject::Attestation(&one).proof_url()];
    for (says, reason) in [
        (Says::No, Reason::NotLogged),
        (Says::This(b"no proof".to_vec()), Reason::NotLogged),
        (Says::NothingThenNo, Reason::NotLogged),
        (Says::Nothing, Reason::NetworkError),
    ] {
        for url in &urls {
            instance.publish(&one);
            instance.net.put(url, says.clone());
            let failure = instance.says(&instance.verifier(), &one).unwrap_err();
            assert_eq!(failure.reason, reason, "{url} {says:?}: {failure}");
        }
    }
    // The proof of something else.
    instance.publish(&one);
    let other = instance.net.0.lock().unwrap().get(&urls[1]).cloned().unwrap();
    instance.net.put(&urls[0], other);
    let failure = instance.says(&instance.verifier(), &one).unwrap_err();
    assert_eq!(failure.reason, Reason::NotLogged);
    assert!(failure.detail.contains("the registry"), "{failure}");
}

#[test]
fn a_registry_that_is_shown_to_one_alone_is_not_logged() {
    let instance = Instance::new();
    let one = instance.attest();
    instance.publish(&one);
    // The same version with the same keys, and not what everybody sees.
    let mut registry = instance.signer.keys().registry().unwrap().unwrap().to_value();
    registry["note"] = json!("for you alone");
    instance.net.put(&format!("{KEYS}.json"), Says::This(registry.to_string().into_bytes()));
    let failure = instance.says(&instance.verifier(), &one).unwrap_err();
    assert_eq!(failure.reason, Reason::NotLogged, "{failure}");
    // From a file it counts as it was written there, too.
    let digest = |registry: &serde_json::Value| {
        super::super::cache::read_registry(registry.to_string().as_bytes()).unwrap()
    };
    let proofs = |wanted: &Wanted| instance.log.prove(wanted).unwrap().0;
    let both = vec![proofs(&Wanted::Registry), proofs(&Wanted::Attestation(one.id().to_owned()))];
    for (registry, good) in
        [(instance.signer.keys().registry().unwrap().unwrap().to_value(), true), (registry, false)]
    {
        let (registry, digest) = digest(&registry);
        let both = both.clone();
        let options = instance.verifier().options().clone();
        let verifier =
            Verifier::offline(options, registry).read_from(digest).with_proofs(move |_| Ok(both.clone()));
        assert_eq!(instance.says(&verifier, &one).is_ok(), good);
    }
}

#[test]
fn a_kept_registry_whose_proof_is_not_published_any_more_is_fetched_again() {
    let instance = Instance::new();
    let one = instance.attest();
    instance.publish(&one);
    let verifier = instance.verifier();
    let before = instance.says(&verifier, &one).unwrap();
    instance.signer.keys().rotate(None).unwrap();
    instance.publish(&one);
    let after = instance.says(&verifier, &one).unwrap();
    assert!(after.registry_version > before.registry_version);
    assert_eq!(after.key_state, super::super::KeyState::Deprecated, "what the newest one says counts");
    // What the newest one says may be that the key is no good.
    instance.signer.keys().compromise(one.key_id(), None).unwrap();
    instance.publish(&one);
    assert_eq!(instance.says(&verifier, &one).unwrap_err().reason, Reason::KeyCompromised);
}

#[test]
fn what_is_at_hand_and_no_proof_of_it_is_no_matter_of_the_network() {
    let instance = Instance::new();
    let (one, other) = (instance.attest(), instance.attest());
    instance.publish(&one);
    let proof = |wanted: &Wanted| instance.log.prove(wanted).unwrap().0;
    let of = |attestation: &Attestation| proof(&Wanted::Attestation(attestation.id().to_owned()));
    for url in [format!("{KEYS}.proof"), Subject::Attestation(&one).proof_url()] {
        instance.net.put(&url, Says::Nothing);
    }
    let says = |proofs: Vec<Proof>| {
        let verifier = instance.verifier().with_proofs(move |_| Ok(proofs.clone()));
        instance.says(&verifier, &one).map(|_| ()).map_err(|failure| failure.reason)
    };
    assert_eq!(says(vec![of(&one), proof(&Wanted::Registry)]), Ok(()));
    assert_eq!(says(vec![of(&other), proof(&Wanted::Registry)]), Err(Reason::NotLogged));
    assert_eq!(says(vec![of(&one)]), Err(Reason::NotLogged), "both are to be given");
    assert_eq!(says(Vec::new()), Err(Reason::NetworkError));
}
