//! Published vectors: RFC 8785, number serialisation, Ed25519; and the protocol's worked example.

use std::fs;
use std::path::PathBuf;

use recourse_attest::document::{self, Attestation};
use recourse_attest::json::{canonical, parse};
use recourse_attest::registry::{KeyState, Registry};
use recourse_attest::signature::{PublicKey, decode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const ALL: usize = usize::MAX;

fn data(path: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(path);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16).unwrap() as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn canon(bytes: &[u8]) -> Vec<u8> {
    canonical(&parse(bytes, ALL).unwrap()).unwrap()
}

#[test]
fn rfc_8785_pairs() {
    for name in ["arrays", "french", "structures", "unicode", "values", "weird"] {
        let input = data(&format!("rfc8785/input/{name}.json"));
        let expected = unhex(&String::from_utf8(data(&format!("rfc8785/outhex/{name}.txt"))).unwrap());
        assert_eq!(canon(&input), expected, "{name}");
        assert_eq!(canon(&expected), expected, "{name} is its own canonical form");
    }
}

#[test]
fn ten_thousand_numbers() {
    let text = String::from_utf8(data("rfc8785/es6numbers-10000.txt")).unwrap();
    let mut count = 0;
    for line in text.lines() {
        let (bits, expected) = line.split_once(',').unwrap();
        let number = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
        assert_eq!(canonical(&json!(number)).unwrap(), expected.as_bytes(), "{line}");
        // And back: what is written is read as the same double.
        assert_eq!(canon(expected.as_bytes()), expected.as_bytes(), "{line}");
        count += 1;
    }
    assert_eq!(count, 10_000);
}

#[test]
fn vectors_of_the_reference() {
    let text = data("reference/canonicalization-vectors.json");
    let all: Value = serde_json::from_slice(&text).unwrap();
    let (vectors, numbers) =
        (all["vectors"].as_array().unwrap(), all["number_edge_cases"].as_array().unwrap());
    assert_eq!((vectors.len(), numbers.len()), (40, 7));
    for vector in vectors.iter().chain(numbers) {
        let expected = vector["expected"].as_str().unwrap();
        assert_eq!(
            String::from_utf8(canonical(&vector["input"]).unwrap()).unwrap(),
            expected,
            "{}",
            vector["id"]
        );
    }
}

#[test]
fn wycheproof() {
    let all: Value = serde_json::from_slice(&data("wycheproof/ed25519_test.json")).unwrap();
    let mut count = (0, 0);
    for group in all["testGroups"].as_array().unwrap() {
        let bytes: [u8; 32] = unhex(group["publicKey"]["pk"].as_str().unwrap()).try_into().unwrap();
        let key = PublicKey::from_bytes(&bytes).unwrap();
        for test in group["tests"].as_array().unwrap() {
            let message = unhex(test["msg"].as_str().unwrap());
            let valid = <[u8; 64]>::try_from(unhex(test["sig"].as_str().unwrap()))
                .is_ok_and(|signature| key.verify_bytes(&message, &signature).is_ok());
            assert_eq!(valid, test["result"] == "valid", "{test}");
            if valid { count.0 += 1 } else { count.1 += 1 }
        }
    }
    assert_eq!(count, (88, 63));
}

#[test]
fn edge_cases_of_ed25519() {
    let all: Value = serde_json::from_slice(&data("speccheck/cases.json")).unwrap();
    let line: String = all
        .as_array()
        .unwrap()
        .iter()
        .map(|case| {
            let part = |name: &str| unhex(case[name].as_str().unwrap());
            let signature: [u8; 64] = part("signature").try_into().unwrap();
            let valid = PublicKey::from_bytes(&part("pub_key").try_into().unwrap())
                .and_then(|key| key.verify_bytes(&part("message"), &signature));
            if valid.is_ok() { 'V' } else { 'X' }
        })
        .collect();
    assert_eq!(line, "XXXVXXXXXXXX");
}

/// §7.10's attestation, with a short `output` where the document leaves it out. Its signature is over another output and
/// cannot be checked; its shape, encoding and canonical form can.
fn worked_example() -> Value {
    json!({
        "input": {"source": "shell", "input": "rm -rf /data/production"},
        "output": {"schemaVersion": "recourse.consequence.v1", "riskAssessment": "block"},
        "evaluator": "recourse:blast-radius:1.0.0",
        "timestamp": "2026-05-01T14:30:00.000Z",
        "key_id": "recourse-prod-1",
        "attestation_uri": "https://recourse.example/.well-known/attestations/a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6.json",
        "signature": "4-n_0Z2l4sRQjAvu8_tqe22sbFKuvrxHnYZjiAMuXtpj0cq_YoDjEHC5V4fn1O71zDL5mhAjsE6Fu-tPu2hjCw"
    })
}

#[test]
fn the_worked_example_has_our_shapes() {
    let attestation = Attestation::from_value(&worked_example()).unwrap();
    assert_eq!(attestation.origin().to_string(), "https://recourse.example");
    assert_eq!(
        attestation.origin().registry_url(),
        "https://recourse.example/.well-known/recourse-keys.json"
    );
    assert_eq!(attestation.risk_assessment(), Some("block"));
    assert!(decode::<64>(attestation.signature()).is_some());
    let payload = String::from_utf8(attestation.payload().to_vec()).unwrap();
    assert_eq!(
        payload,
        r#"{"attestation_uri":"https://recourse.example/.well-known/attestations/a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6.json","evaluator":"recourse:blast-radius:1.0.0","input":{"input":"rm -rf /data/production","source":"shell"},"key_id":"recourse-prod-1","output":{"riskAssessment":"block","schemaVersion":"recourse.consequence.v1"},"timestamp":"2026-05-01T14:30:00.000Z"}"#
    );

    let registry = parse(
        br#"{"instance_id": "recourse-prod", "keys": [{"key_id": "recourse-prod-1", "algorithm": "Ed25519",
            "public_key": "X8RJHBSyeubU49i9QMl1cfGfy3VjpTfyOLGKPjXagQ8", "state": "active",
            "valid_from": "2026-04-01T00:00:00Z"}], "registry_version": 3, "updated_at": "2026-04-15T12:00:00Z"}"#,
        ALL,
    );
    let registry = Registry::from_value(&registry.unwrap()).unwrap();
    let key = registry.lookup("recourse-prod-1").unwrap();
    assert_eq!((registry.version, key.state), (Some(3), KeyState::Active));
    assert!(PublicKey::from_base64url(&key.public_key).is_ok());
}

#[test]
fn the_id_is_derived_from_five_fields() {
    // §6.3 step by step, by other means than the library's.
    let example = worked_example();
    let canonical = r#"{"evaluator":"recourse:blast-radius:1.0.0","input":{"input":"rm -rf /data/production","source":"shell"},"key_id":"recourse-prod-1","output":{"riskAssessment":"block","schemaVersion":"recourse.consequence.v1"},"timestamp":"2026-05-01T14:30:00.000Z"}"#;
    let expected: String = Sha256::digest(canonical)[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    let attestation = Attestation::from_value(&example).unwrap();
    assert_eq!(attestation.id(), expected);
    assert!(!attestation.uri_fits(), "the document's id is a placeholder");
    let id = document::derive_id(
        &example["input"],
        &example["output"],
        attestation.evaluator(),
        attestation.timestamp_text(),
        attestation.key_id(),
    );
    assert_eq!(id.unwrap(), expected);
}
