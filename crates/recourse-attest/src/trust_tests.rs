#![cfg(feature = "signing")]

use serde_json::json;

use super::super::tlog::signer::NoteSigner;
use super::*;

fn signer(name: &str, seed: u8) -> NoteSigner {
    NoteSigner::new(name, Kind::Log, ed25519_dalek::SigningKey::from_bytes(&[seed; 32])).unwrap()
}

fn document(serial: u64) -> Value {
    json!({
        "version": VERSION, "organisation": "acme", "serial": serial,
        "issued_at": "2026-05-01T00:00:00Z", "expires_at": "2026-06-01T00:00:00Z",
        "instances": [{"base_url": "https://a.example", "public_keys": []}, {"base_url": "https://b.example"}],
        "policy": {"mode": "require", "max_age": 600},
    })
}

fn bundle(document: Value, signers: &[&NoteSigner]) -> Bundle {
    let mut made = Bundle::from_document(document, Vec::new()).unwrap();
    for signer in signers {
        let line = signer.sign(made.text(), 0);
        made.add(&line).unwrap();
    }
    Bundle::parse(made.to_value().to_string().as_bytes()).unwrap()
}

#[test]
fn enough_known_keys_have_to_have_signed_it() {
    let (one, two, other) = (signer("acme-1", 1), signer("acme-2", 2), signer("acme-1", 3));
    let keys = [one.vkey().clone(), two.vkey().clone()];
    assert_eq!(bundle(document(1), &[&one]).signed_by(&keys, 1), Ok(()));
    assert_eq!(bundle(document(1), &[&one, &two]).signed_by(&keys, 2), Ok(()));
    let too_few = |found| Err(TrustError::Signatures { found, wanted: 2 });
    assert_eq!(bundle(document(1), &[&one]).signed_by(&keys, 2), too_few(1));
    assert_eq!(bundle(document(1), &[&one, &other]).signed_by(&keys, 2), too_few(1));
    assert_eq!(bundle(document(1), &[]).signed_by(&keys, 2), too_few(0));
    assert!(bundle(document(1), &[]).signed_by(&keys, 0).is_err(), "none is never enough");
    let twice = [one.vkey().clone(), signer("other-name", 1).vkey().clone()];
    assert!(
        bundle(document(1), &[&one, &signer("other-name", 1)]).signed_by(&twice, 2).is_err(),
        "one key is one"
    );
    // What was signed is this document and no other.
    for (member, value) in [
        ("serial", json!(2)),
        ("organisation", json!("evil")),
        ("instances", json!([{"base_url": "https://evil.example"}])),
        ("policy", json!({})),
        ("expires_at", json!("2026-12-01T00:00:00Z")),
    ] {
        let mut changed = bundle(document(1), &[&one]).to_value();
        changed[member] = value;
        let changed = Bundle::parse(changed.to_string().as_bytes()).unwrap();
        assert_eq!(changed.signed_by(&keys, 1), Err(TrustError::Forged("acme-1".to_owned())), "{member}");
    }
}

#[test]
fn it_never_goes_back_and_ends() {
    let kept = bundle(document(5), &[]);
    assert_eq!(bundle(document(5), &[]).follows(&kept), Ok(()));
    assert_eq!(bundle(document(6), &[]).follows(&kept), Ok(()));
    assert!(matches!(bundle(document(4), &[]).follows(&kept), Err(TrustError::Rollback(_))));
    let mut other = document(5);
    other["policy"] = json!({});
    assert!(matches!(bundle(other, &[]).follows(&kept), Err(TrustError::Rollback(_))));
    let mut other = document(9);
    other["organisation"] = json!("evil");
    assert!(matches!(bundle(other, &[]).follows(&kept), Err(TrustError::Rollback(_))));
    for (now, holds) in
        [("2026-04-30T23:54:00Z", false), ("2026-04-30T23:56:00Z", true), ("2026-06-01T00:00:00.001Z", false)]
    {
        assert_eq!(kept.holds(now.parse().unwrap()).is_ok(), holds, "{now}");
    }
}

#[test]
fn what_is_not_known_or_not_whole_is_refused() {
    for (member, value) in [
        ("version", json!("recourse.trust.v2")),
        ("more", json!(1)),
        ("serial", json!(1.5)),
        ("serial", json!(null)),
        ("expires_at", json!("2026-05-01T00:00:00Z")),
        ("expires_at", json!("2028-05-01T00:00:00Z")),
        ("instances", json!([{"base_url": "https://a.example/path"}])),
        ("instances", json!([{"base_url": "https://a.example", "pin": 1}])),
        ("instances", json!([{"base_url": "https://a.example", "public_keys": ["short"]}])),
        ("instances", json!([{"base_url": "https://a.example"}, {"base_url": "https://a.example:443"}])),
        ("policy", json!({"mode": "harsh"})),
        ("policy", json!({"allow_unfresh": true})),
        ("policy", json!({"require_log": true})),
        ("policy", json!({"witness_quorum": 1})),
        ("organisation", json!("two\nlines")),
    ] {
        let mut bad = document(1);
        bad[member] = value.clone();
        assert!(Bundle::from_document(bad, Vec::new()).is_err(), "{member} {value}");
    }
    for lines in [json!("x"), json!([1]), json!(["no signature"])] {
        let mut bad = document(1);
        bad["signatures"] = lines;
        let read = Bundle::parse(bad.to_string().as_bytes());
        assert!(read.is_err() || read.unwrap().signed_by(&[signer("a", 1).vkey().clone()], 1).is_err());
    }
}
