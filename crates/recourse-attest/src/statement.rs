//! An attestation in the formats of other tools: an in-toto Statement in a DSSE envelope in a Sigstore bundle
//! (docs/attestation.md §3.1).
//!
//! Owns what the statement is about, its bytes, and the bundle's shape. The envelope is signed by the key that `keys` gives.
//! Looks at nothing but its arguments.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::document::{Attestation, hex};
use crate::json::{self, JsonError};

/// What the statement says of its subjects: an attestation.
pub const PREDICATE_TYPE: &str = "https://github.com/recourse/recourse/attestation/v1";
/// The type of the envelope's payload.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// The type of the bundle.
pub const BUNDLE_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

/// The statement that carries an attestation, as bytes.
///
/// # Errors
/// None for an attestation: it has a canonical form.
pub fn statement(attestation: &Attestation) -> Result<Vec<u8>, JsonError> {
    json::canonical(&json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects(attestation)?,
        "predicateType": PREDICATE_TYPE,
        "predicate": attestation.to_value(),
    }))
}

/// The bytes that an envelope's signature is over (DSSE's pre-authentication encoding).
pub fn pre_authentication_encoding(payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {PAYLOAD_TYPE} {} ", PAYLOAD_TYPE.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

/// The bundle around a signed statement.
pub fn bundle(payload: &[u8], key_id: &str, signature: &[u8]) -> Value {
    json!({
        "mediaType": BUNDLE_TYPE,
        "verificationMaterial": { "publicKey": { "hint": key_id }, "tlogEntries": [] },
        "dsseEnvelope": {
            "payload": STANDARD.encode(payload),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [{ "keyid": key_id, "sig": STANDARD.encode(signature) }],
        },
    })
}

/// What it is about, by digest: the files that it rests on, then what was to run.
fn subjects(attestation: &Attestation) -> Result<Vec<Value>, JsonError> {
    let (input, output) = (attestation.input(), attestation.output());
    let mut named: Map<String, Value> = Map::new();
    let materials = output.get("materials").and_then(Value::as_array);
    for material in materials.into_iter().flatten() {
        let text = |name: &str| material.get(name).and_then(Value::as_str);
        if let (Some(path), Some(digest)) = (text("path"), text("sha256")) {
            named.insert(path.to_owned(), json!(digest));
        }
    }
    let digest = |bytes: &[u8]| json!(hex(&Sha256::digest(bytes)));
    let (name, own) = match (input.get("source").and_then(Value::as_str), input.get("input")) {
        (Some("terraform"), Some(plan)) => {
            let plan = plan.get("planSha256").cloned();
            ("plan.json", plan.map_or_else(|| Ok(digest(b"")), Ok)?)
        }
        // Where a secret was masked, what is digested is the masked text: a digest of the exact one would be guessed.
        (Some("shell"), Some(Value::String(text))) if input.get("inputSha256").is_none() => {
            ("command", digest(text.as_bytes()))
        }
        (Some("shell"), Some(Value::String(text))) => {
            ("command with secrets masked", digest(text.as_bytes()))
        }
        (Some("mcp"), Some(call)) => ("call", digest(&json::canonical(call)?)),
        _ => ("input", digest(&json::canonical(input)?)),
    };
    let files =
        named.into_iter().map(|(name, sha256)| json!({ "name": name, "digest": { "sha256": sha256 } }));
    let mut subjects: Vec<Value> = files.collect();
    subjects.push(json!({ "name": name, "digest": { "sha256": own } }));
    Ok(subjects)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attestation(input: Value, output: Value) -> Attestation {
        Attestation::from_value(&json!({
            "input": input, "output": output, "evaluator": "recourse:1", "timestamp": "2026-05-01T14:30:00.000Z",
            "key_id": "k-1", "attestation_uri": "https://recourse.example/.well-known/attestations/x.json", "signature": "AA",
        }))
        .unwrap()
    }

    fn of(input: Value, output: Value) -> Vec<(String, String)> {
        let subjects = subjects(&attestation(input, output)).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        subjects.iter().map(|one| (text(&one["name"]), text(&one["digest"]["sha256"]))).collect()
    }

    fn sha256(text: &str) -> String {
        hex(&Sha256::digest(text))
    }

    /// The example of the specification of DSSE, with our type.
    #[test]
    fn what_is_signed_is_unambiguous() {
        assert_eq!(
            pre_authentication_encoding(b"hello world"),
            b"DSSEv1 28 application/vnd.in-toto+json 11 hello world"
        );
    }

    #[test]
    fn subjects_are_files_and_what_was_to_run() {
        let digest = "ab".repeat(32);
        let materials = json!({"materials": [
            {"path": "/srv/b.sh", "part": "script", "sha256": digest}, {"path": "/srv/a", "part": "program"},
            {"path": "/srv/a.mk", "part": "data", "sha256": sha256("a")},
        ]});
        let found = of(json!({"source": "shell", "input": "bash b.sh"}), materials);
        let expected =
            [("/srv/a.mk", sha256("a")), ("/srv/b.sh", digest.clone()), ("command", sha256("bash b.sh"))];
        assert_eq!(found, expected.map(|(name, digest)| (name.to_owned(), digest)));
        let masked = json!({"source": "shell", "input": "x ***", "inputSha256": "sha256:00", "salt": "00"});
        assert_eq!(of(masked, json!({})), [("command with secrets masked".to_owned(), sha256("x ***"))]);
        let plan = json!({"source": "terraform", "input": {"planSha256": digest}});
        assert_eq!(of(plan, json!({})), [("plan.json".to_owned(), digest)]);
        let call = json!({"source": "mcp", "input": {"tool": "rm", "arguments": {"b": 1, "a": 2}}});
        assert_eq!(
            of(call, json!({})),
            [("call".to_owned(), sha256(r#"{"arguments":{"a":2,"b":1},"tool":"rm"}"#))]
        );
        assert_eq!(of(json!({"b": 1}), json!({})), [("input".to_owned(), sha256(r#"{"b":1}"#))]);
    }

    #[test]
    fn the_predicate_is_the_whole_attestation() {
        let one = attestation(json!({"source": "shell", "input": "ls"}), json!({"riskAssessment": "allow"}));
        let bytes = statement(&one).unwrap();
        let read: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(Attestation::from_value(&read["predicate"]).unwrap(), one);
        let bundle = bundle(&bytes, "k-1", &[7; 64]);
        assert_eq!(bundle["verificationMaterial"]["publicKey"]["hint"], "k-1");
        assert_eq!(STANDARD.decode(bundle["dsseEnvelope"]["payload"].as_str().unwrap()).unwrap(), bytes);
    }
}
