use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::json;

use super::*;
use crate::cache::FetchError;
use crate::document;
use crate::signature::encode;

const BASE: &str = "https://recourse.example";

/// The network: documents by URL, and what was asked for.
#[derive(Clone, Default)]
struct Net(Arc<Mutex<Documents>>);

type Documents = (HashMap<String, String>, Vec<String>);

impl Net {
    fn put(&self, url: impl Into<String>, document: &Value) {
        self.0.lock().unwrap().0.insert(url.into(), document.to_string());
    }

    fn asked(&self) -> usize {
        self.0.lock().unwrap().1.len()
    }
}

impl Fetch for Net {
    fn get(&self, url: &str, _: usize) -> Result<Vec<u8>, FetchError> {
        let mut inner = self.0.lock().unwrap();
        inner.1.push(url.to_owned());
        inner.0.get(url).map(|text| text.clone().into_bytes()).ok_or_else(|| FetchError {
            url: url.to_owned(),
            why: "it answers 404".to_owned(),
            transient: false,
            local: false,
        })
    }
}

fn key(number: u8) -> SigningKey {
    SigningKey::from_bytes(&[number; 32])
}

fn registry(version: u64, keys: &[(&str, u8, &str)]) -> Value {
    let keys: Vec<Value> = keys
        .iter()
        .map(|(id, number, state)| {
            let public = encode(key(*number).verifying_key().as_bytes());
            json!({"key_id": id, "algorithm": "Ed25519", "public_key": public, "state": state})
        })
        .collect();
    json!({"instance_id": "x", "keys": keys, "registry_version": version, "updated_at": "2026-04-01T00:00:00Z"})
}

fn content() -> Value {
    json!({
        "input": {"source": "shell", "input": "rm -rf /srv/data"},
        "output": {"schemaVersion": "recourse.consequence.v1", "riskAssessment": "block", "mutations": [1, 2]},
        "evaluator": "recourse:1",
        "timestamp": "2026-05-01T14:30:00.000Z",
        "key_id": "k-1",
    })
}

fn sign(mut document: Value, number: u8) -> Value {
    let text = |field: &str| document[field].as_str().unwrap().to_owned();
    let id = document::derive_id(
        &document["input"],
        &document["output"],
        &text("evaluator"),
        &text("timestamp"),
        &text("key_id"),
    );
    if document.get("attestation_uri").is_none() {
        document["attestation_uri"] = json!(format!("{BASE}/.well-known/attestations/{}.json", id.unwrap()));
    }
    let payload = document::payload(document.as_object().unwrap()).unwrap();
    document["signature"] = json!(encode(&key(number).sign(&payload).to_bytes()));
    document
}

fn good() -> Value {
    sign(content(), 1)
}

fn options() -> Options {
    let now = "2026-05-01T14:31:00Z".parse().unwrap();
    Options { trusted: vec![Origin::base(BASE).unwrap()], now: Some(now), retries: 0, ..Options::default() }
}

fn online(options: Options) -> (Net, Verifier) {
    let net = Net::default();
    net.put(format!("{BASE}/.well-known/recourse-keys.json"), &registry(7, &[("k-1", 1, "active")]));
    let verifier = Verifier::new(options, net.clone(), MemoryStore::default());
    (net, verifier)
}

fn check(verifier: &Verifier, document: &Value) -> Result<Verified, Reason> {
    verifier.verify_json(document.to_string().as_bytes(), Expect::default()).map_err(|failure| failure.reason)
}

fn offline(options: Options, registry: &Value, document: &Value) -> Result<KeyState, Reason> {
    let verifier = Verifier::offline(options, Registry::from_value(registry).unwrap());
    check(&verifier, document).map(|verified| verified.key_state)
}

#[test]
fn a_valid_attestation_needs_one_request_and_then_none() {
    let (net, verifier) = online(options());
    let verified = check(&verifier, &good()).unwrap();
    assert_eq!((verified.key_id.as_str(), verified.key_state), ("k-1", KeyState::Active));
    assert_eq!((verified.registry_version, verified.warnings.len()), (Some(7), 0));
    assert!(check(&verifier, &good()).is_ok());
    assert_eq!(net.asked(), 1);
}

#[test]
fn a_failure_with_a_cached_key_is_looked_at_again_with_a_fresh_registry() {
    let (net, verifier) = online(options());
    check(&verifier, &good()).unwrap();
    let url = format!("{BASE}/.well-known/recourse-keys.json");
    // A bad signature: once more, and then it is final.
    let mut bad = good();
    bad["signature"] = sign(content(), 2)["signature"].clone();
    assert_eq!(check(&verifier, &bad), Err(Reason::SignatureInvalid));
    assert_eq!(net.asked(), 2);
    // The key was pending in the cache and is active by now.
    let mut next = content();
    next["key_id"] = json!("k-2");
    let next = sign(next, 2);
    net.put(&url, &registry(8, &[("k-1", 1, "active"), ("k-2", 2, "pending")]));
    assert_eq!(check(&verifier, &next), Err(Reason::KeyPending));
    net.put(&url, &registry(9, &[("k-1", 1, "deprecated"), ("k-2", 2, "active")]));
    assert_eq!(check(&verifier, &next).unwrap().key_state, KeyState::Active);
    // The cached key looks good until its registry is fetched again.
    net.put(&url, &registry(10, &[("k-1", 1, "compromised"), ("k-2", 2, "active")]));
    assert_eq!(check(&verifier, &good()).unwrap().key_state, KeyState::Deprecated);
    assert_eq!(check(&verifier, &bad), Err(Reason::KeyCompromised));
    assert_eq!(check(&verifier, &good()), Err(Reason::KeyCompromised));
    // An older registry: rejected. None at all: what failed stays failed for its own reason.
    net.put(&url, &registry(9, &[("k-1", 1, "active"), ("k-2", 2, "active")]));
    assert_eq!(check(&verifier, &good()), Err(Reason::RegistryRollback));
    net.0.lock().unwrap().0.clear();
    assert_eq!(check(&verifier, &good()), Err(Reason::KeyCompromised));
    // Without a registry nothing is verified.
    let (net, verifier) = online(options());
    net.0.lock().unwrap().0.clear();
    assert_eq!(check(&verifier, &good()), Err(Reason::NetworkError));
}

#[test]
fn keys_by_state() {
    let state = |word| offline(options(), &registry(1, &[("k-1", 1, word)]), &good());
    assert_eq!(state("active"), Ok(KeyState::Active));
    assert_eq!(state("deprecated"), Ok(KeyState::Deprecated));
    assert_eq!(state("retired"), Ok(KeyState::Retired));
    assert_eq!(state("pending"), Err(Reason::KeyPending));
    assert_eq!(state("compromised"), Err(Reason::KeyCompromised));
    assert_eq!(state("revoked"), Err(Reason::KeyNotFound));
    assert_eq!(offline(options(), &registry(1, &[]), &good()), Err(Reason::KeyNotFound));
    assert_eq!(
        offline(options(), &registry(1, &[("k-1", 2, "active")]), &good()),
        Err(Reason::SignatureInvalid)
    );
}

#[test]
fn trust_comes_before_the_network() {
    let other = Options { trusted: vec![Origin::base("https://other.example").unwrap()], ..options() };
    let (net, verifier) = online(other);
    assert_eq!(check(&verifier, &good()), Err(Reason::InstanceNotTrusted));
    assert_eq!(net.asked(), 0);
    let (_, verifier) = online(Options { trusted: Vec::new(), ..options() });
    assert!(check(&verifier, &good()).is_ok());
    assert_eq!(
        verifier.verify_json(b"{\"a\":1,\"a\":1}", Expect::default()).unwrap_err().reason,
        Reason::InvalidAttestation
    );
}

#[test]
fn the_uri_belongs_to_the_content() {
    let mut document = content();
    document["attestation_uri"] = json!(format!("{BASE}/.well-known/attestations/{}.json", "0".repeat(32)));
    let (_, verifier) = online(options());
    assert_eq!(check(&verifier, &sign(document, 1)), Err(Reason::CrossCheckMismatch));
}

#[test]
fn the_report_and_the_input_are_what_was_attested() {
    let (_, verifier) = online(options());
    let attestation = good();
    let mut report = attestation["output"].clone();
    assert_eq!(verifier.verify_report(&report, None).unwrap_err().reason, Reason::AttestationAbsent);
    report["attestation"] = attestation.clone();
    assert!(verifier.verify_report(&report, Some(&attestation["input"])).is_ok());
    let other = json!({"source": "shell", "input": "ls"});
    let failure = verifier.verify_report(&report, Some(&other)).unwrap_err();
    assert_eq!(failure.reason, Reason::CrossCheckMismatch);
    report["riskAssessment"] = json!("allow");
    assert_eq!(verifier.verify_report(&report, None).unwrap_err().reason, Reason::CrossCheckMismatch);
    report["attestation"] = json!(null);
    assert_eq!(verifier.verify_report(&report, None).unwrap_err().reason, Reason::InvalidAttestation);
    assert_eq!(verifier.verify_report(&json!([]), None).unwrap_err().reason, Reason::InvalidAttestation);
}

#[test]
fn the_durable_copy_is_the_same() {
    let (net, verifier) = online(Options { cross_check: true, ..options() });
    let attestation = good();
    let url = attestation["attestation_uri"].as_str().unwrap().to_owned();
    assert_eq!(check(&verifier, &attestation), Err(Reason::NetworkError));
    net.put(&url, &attestation);
    assert!(check(&verifier, &attestation).is_ok());
    // Countersigned since.
    let mut more = attestation.clone();
    more["countersignatures"] = json!([{}]);
    more["keyAttestation"] = json!({});
    net.put(&url, &more);
    assert!(check(&verifier, &attestation).is_ok());
    let mut later = content();
    later["timestamp"] = json!("2026-05-01T14:30:00.001Z");
    net.put(&url, &sign(later, 1));
    assert_eq!(check(&verifier, &attestation), Err(Reason::CrossCheckMismatch));
    net.0.lock().unwrap().0.insert(url, "<html></html>".to_owned());
    assert_eq!(check(&verifier, &attestation), Err(Reason::CrossCheckMismatch));
}

#[test]
fn an_attestation_holds_for_a_while() {
    let known = registry(1, &[("k-1", 1, "active")]);
    let at = |now: &str, document: &Value, max_age, require_freshness| {
        let now = Some(now.parse().unwrap());
        offline(Options { now, max_age, require_freshness, ..options() }, &known, document)
    };
    let late = Err(Reason::AttestationExpired);
    let valid = Ok(KeyState::Active);
    assert_eq!(at("2026-05-01T14:25:00Z", &good(), None, false), valid);
    assert_eq!(at("2026-05-01T14:24:59.999Z", &good(), None, false), late);
    assert_eq!(at("2036-05-01T14:24:00Z", &good(), None, false), valid);
    assert_eq!(at("2026-05-01T14:31:00Z", &good(), Some(60), false), valid);
    assert_eq!(at("2026-05-01T14:31:00.001Z", &good(), Some(60), false), late);
    assert_eq!(at("2026-05-01T14:31:00Z", &good(), None, true), late);
    let mut fresh = content();
    fresh["expires_at"] = json!("2026-05-01T14:45:00Z");
    assert_eq!(at("2026-05-01T14:31:00Z", &sign(fresh.clone(), 1), None, true), late);
    fresh["nonce"] = json!("0".repeat(32));
    let fresh = sign(fresh, 1);
    assert_eq!(at("2026-05-01T14:45:00Z", &fresh, None, true), valid);
    assert_eq!(at("2026-05-01T14:45:00.001Z", &fresh, None, false), late);
    // Made by a clock that is a little ahead, and over before it begins.
    let mut backwards = content();
    backwards["expires_at"] = json!("2026-05-01T14:29:00Z");
    assert_eq!(at("2026-05-01T14:28:00Z", &sign(backwards, 1), None, false), late);
}

#[test]
fn an_approval_of_nothing_permits_nothing() {
    let known = registry(1, &[("k-1", 1, "active")]);
    let mut approval = content();
    approval["output"] = json!({
        "schemaVersion": chain::APPROVAL, "decision": "approved", "riskAssessment": "allow",
        "assessmentReason": "x", "approver": {"user": "ada"},
    });
    let alone = sign(approval.clone(), 1);
    assert_eq!(offline(options(), &known, &alone), Err(Reason::ChainInvalid));
    let first = Attestation::from_value(&alone).unwrap();
    assert_eq!(chain::check(&[first]).unwrap_err().reason, Reason::ChainInvalid);
    approval["chain_id"] = json!("c");
    approval["parent_attestation"] = json!(format!("sha256:{}", "0".repeat(64)));
    assert_eq!(offline(options(), &known, &sign(approval, 1)), Ok(KeyState::Active));
}

#[test]
fn chains_are_verified_link_by_link() {
    let mut parent = content();
    parent["expires_at"] = json!("2026-05-01T14:45:00Z");
    let parent = sign(parent, 1);
    let mut child = content();
    child["timestamp"] = json!("2026-05-01T14:40:00.000Z");
    child["output"] = json!({"schemaVersion": chain::APPROVAL, "decision": "approved", "riskAssessment": "block", "approver": {"user": "ann"}});
    child["chain_id"] = json!("c-1");
    child["parent_attestation"] = json!(Attestation::from_value(&parent).unwrap().digest());
    // The parent may have expired since; the approval was made in time.
    let options = Options { now: Some("2026-05-01T14:50:00Z".parse().unwrap()), ..options() };
    let verifier =
        Verifier::offline(options, Registry::from_value(&registry(1, &[("k-1", 1, "active")])).unwrap());
    let outcome = |parent: &Value, child: &Value| {
        let chain = [parent, child].map(|document| Attestation::from_value(document).unwrap());
        verifier.verify_chain(&chain, Expect::default()).map(|_| ()).map_err(|failure| failure.reason)
    };
    assert_eq!(outcome(&parent, &sign(child.clone(), 1)), Ok(()));
    assert_eq!(outcome(&sign(content(), 1), &sign(child.clone(), 1)), Err(Reason::ChainInvalid));
    assert_eq!(outcome(&parent, &sign(child.clone(), 2)), Err(Reason::SignatureInvalid));
    let mut forged = parent.clone();
    forged["signature"] = good()["signature"].clone();
    assert_eq!(outcome(&forged, &sign(child, 1)), Err(Reason::SignatureInvalid));
    assert_eq!(verifier.verify_chain(&[], Expect::default()).unwrap_err().reason, Reason::ChainInvalid);
}

#[test]
fn the_own_instance_needs_no_network() {
    let net = Net::default();
    let own = Registry::from_value(&registry(1, &[("k-1", 1, "active")])).unwrap();
    let verifier = Verifier::new(options(), net.clone(), MemoryStore::default())
        .with_registry(Origin::base(BASE).unwrap(), own);
    assert!(check(&verifier, &good()).is_ok());
    assert_eq!(net.asked(), 0);
}

#[test]
fn what_a_key_signed_outside_its_time_is_told() {
    let with = |state: &str, times: Value| {
        let mut registry = registry(7, &[("k-1", 1, state)]);
        for (name, time) in times.as_object().unwrap() {
            registry["keys"][0][name] = time.clone();
        }
        registry
    };
    let strict = || Options { key_validity: true, ..options() };
    let after = "2026-05-01T14:20:00Z";
    let table = [
        ("active", json!({"valid_from": "2026-05-01T14:00:00Z"}), true),
        ("active", json!({}), true),
        // Within what clocks may differ.
        ("active", json!({"valid_from": "2026-05-01T14:33:00Z"}), true),
        ("active", json!({"valid_from": "2099-01-01T00:00:00Z"}), false),
        ("active", json!({"valid_from": "2026-05-01T14:00:00Z", "valid_until": after}), true),
        (
            "deprecated",
            json!({"valid_from": "2026-05-01T14:00:00Z", "deprecated_at": "2026-05-01T14:40:00Z"}),
            true,
        ),
        ("deprecated", json!({"valid_from": "2026-05-01T14:00:00Z", "deprecated_at": after}), false),
        ("retired", json!({"deprecated_at": after, "retired_at": "2026-05-01T14:40:00Z"}), false),
        ("retired", json!({}), false),
    ];
    for (state, times, holds) in table {
        let registry = with(state, times.clone());
        assert!(offline(options(), &registry, &good()).is_ok(), "{state} {times}: nobody asked");
        let found = offline(strict(), &registry, &good());
        assert_eq!(found.is_ok(), holds, "{state} {times}");
        assert!(holds || found == Err(Reason::AttestationExpired), "{state} {times}: {found:?}");
    }
}
