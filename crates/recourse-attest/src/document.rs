//! The attestation: its shape, the id that its content gives, the bytes that are signed.
//!
//! Owns the wire form (protocol §4 to §6). A value of [`Attestation`] has the right shape; whether it is genuine is
//! `verify`'s question. Looks at nothing but its arguments.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::origin::{self, Origin, OriginError, attestation_path};
use super::time::Time;
use crate::json::{self, DOCUMENT_LIMIT, JsonError};

/// The value of the `version` field, where there is one.
pub const VERSION: &str = "recourse.attestation.v1";

/// Fields that every attestation has.
const CORE: [&str; 7] =
    ["input", "output", "evaluator", "timestamp", "key_id", "attestation_uri", "signature"];
/// Fields that an attestation may have; signed like the others.
const OPTIONAL: [&str; 5] = ["version", "nonce", "expires_at", "chain_id", "parent_attestation"];
/// Unsigned fields that later versions may use (§1.7): a list and an object. They are no part of what is signed, hashed or
/// compared.
const EXTRAS: [&str; 2] = ["countersignatures", "keyAttestation"];
/// Fields that the id is derived from.
const IDENTIFYING: [&str; 5] = ["evaluator", "input", "key_id", "output", "timestamp"];

/// Why a document is no attestation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// Not strict JSON.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// Not a JSON object.
    #[error("an attestation is a JSON object")]
    NotAnObject,
    /// A field is not there.
    #[error("the field {0} is missing")]
    Missing(&'static str),
    /// A field that the protocol does not know: a reader that ignores it could be told something else than one that does not.
    #[error("the field {0:?} is unknown")]
    Unknown(String),
    /// A field does not hold what it should.
    #[error("the field {field} is not {wanted}")]
    Field {
        /// Its name.
        field: &'static str,
        /// What it should hold.
        wanted: &'static str,
    },
    /// A string that is not in normalisation form C: two texts that look the same would be attested differently.
    #[error("a string is not in Unicode normalisation form C")]
    NotNormal,
    /// `attestation_uri` is no URL of an instance.
    #[error("attestation_uri: {0}")]
    Uri(#[from] OriginError),
}

/// An optional field, what it holds, and whether a text is that.
type Check = (&'static str, &'static str, fn(&str) -> bool);

/// An attestation of the right shape. Immutable; not yet verified.
#[derive(Clone, Debug, PartialEq)]
pub struct Attestation {
    fields: Map<String, Value>,
    timestamp: Time,
    expires_at: Option<Time>,
    origin: Origin,
    uri_path: String,
    id: String,
    payload: Vec<u8>,
    canonical: Vec<u8>,
}

impl Attestation {
    /// Reads an attestation from JSON of at most [`DOCUMENT_LIMIT`] bytes.
    ///
    /// # Errors
    ///
    /// [`DocumentError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, DocumentError> {
        Self::from_parsed(json::parse(bytes, DOCUMENT_LIMIT)?)
    }

    /// Checks a value that was built in memory. It is read back from its canonical bytes first, as a verifier will see it.
    ///
    /// # Errors
    ///
    /// [`DocumentError`].
    pub fn from_value(value: &Value) -> Result<Self, DocumentError> {
        Self::from_parsed(json::reread(value, DOCUMENT_LIMIT)?)
    }

    /// Checks a value that [`json::parse`] gave.
    ///
    /// # Errors
    ///
    /// [`DocumentError`].
    pub fn from_parsed(value: Value) -> Result<Self, DocumentError> {
        let normal = json::is_nfc(&value);
        let Value::Object(mut fields) = value else { return Err(DocumentError::NotAnObject) };
        let [list, object] = EXTRAS;
        if fields.remove(list).is_some_and(|extra| !extra.is_array()) {
            return Err(DocumentError::Field { field: list, wanted: "a list" });
        }
        if fields.remove(object).is_some_and(|extra| !extra.is_object()) {
            return Err(DocumentError::Field { field: object, wanted: "an object" });
        }
        if let Some(missing) = CORE.iter().find(|name| !fields.contains_key(**name)) {
            return Err(DocumentError::Missing(missing));
        }
        if let Some(unknown) =
            fields.keys().find(|name| !CORE.contains(&name.as_str()) && !OPTIONAL.contains(&name.as_str()))
        {
            return Err(DocumentError::Unknown(unknown.chars().take(64).collect()));
        }
        for field in ["input", "output"] {
            if !fields.get(field).is_some_and(Value::is_object) {
                return Err(DocumentError::Field { field, wanted: "an object" });
            }
        }
        let uri = text(&fields, "attestation_uri")?;
        let (origin, uri_path) = origin::split(uri)?;
        let uri_path = uri_path.to_owned();
        for field in ["evaluator", "signature"] {
            text(&fields, field)?;
        }
        if !is_key_id(text(&fields, "key_id")?) {
            return Err(DocumentError::Field { field: "key_id", wanted: "printable ASCII without spaces" });
        }
        let timestamp = time(&fields, "timestamp")?;
        let optional = |field: &'static str| fields.contains_key(field).then_some(field);
        let expires_at = optional("expires_at").map(|field| time(&fields, field)).transpose()?;
        let checks: [Check; 4] = [
            ("version", "recourse.attestation.v1", |text| text == VERSION),
            ("nonce", "128 bits in lower-case hexadecimal", is_nonce),
            ("chain_id", "1 to 200 printable ASCII characters without spaces", is_chain_id),
            ("parent_attestation", "sha256: and 64 lower-case hexadecimal digits", is_digest),
        ];
        for (field, wanted, is_right) in checks {
            if fields.contains_key(field) && !is_right(text(&fields, field)?) {
                return Err(DocumentError::Field { field, wanted });
            }
        }
        if !normal {
            return Err(DocumentError::NotNormal);
        }
        let parts = fields
            .iter()
            .map(|(name, value)| Ok((name.as_str(), json::canonical(value)?)))
            .collect::<Result<BTreeMap<_, _>, JsonError>>()?;
        let id = hash_id(&assemble(&parts, |name| IDENTIFYING.contains(&name)));
        let payload = assemble(&parts, |name| name != "signature");
        let canonical = assemble(&parts, |_| true);
        Ok(Self { timestamp, expires_at, origin, uri_path, id, payload, canonical, fields })
    }

    /// What was evaluated.
    pub fn input(&self) -> &Value {
        self.fields.get("input").unwrap_or(&Value::Null)
    }

    /// The report that the evaluation gave, without its attestation.
    pub fn output(&self) -> &Value {
        self.fields.get("output").unwrap_or(&Value::Null)
    }

    /// The program that evaluated, and its version.
    pub fn evaluator(&self) -> &str {
        self.optional("evaluator").unwrap_or_default()
    }

    /// When it was evaluated.
    pub fn timestamp(&self) -> Time {
        self.timestamp
    }

    /// The time as it is written in the document.
    pub fn timestamp_text(&self) -> &str {
        self.optional("timestamp").unwrap_or_default()
    }

    /// The key that signed.
    pub fn key_id(&self) -> &str {
        self.optional("key_id").unwrap_or_default()
    }

    /// Where the durable copy is.
    pub fn uri(&self) -> &str {
        self.optional("attestation_uri").unwrap_or_default()
    }

    /// The signature in base64url.
    pub fn signature(&self) -> &str {
        self.optional("signature").unwrap_or_default()
    }

    /// The number that is used once, where there is one: 32 lower-case hexadecimal digits.
    pub fn nonce(&self) -> Option<&str> {
        self.optional("nonce")
    }

    /// When the verdict stops holding, where that is said.
    pub fn expires_at(&self) -> Option<Time> {
        self.expires_at
    }

    /// The chain that it belongs to, where it does.
    pub fn chain_id(&self) -> Option<&str> {
        self.optional("chain_id")
    }

    /// The [`digest`](Self::digest) of the attestation that it follows, where there is one.
    pub fn parent(&self) -> Option<&str> {
        self.optional("parent_attestation")
    }

    /// `output.riskAssessment`, where it is a text.
    pub fn risk_assessment(&self) -> Option<&str> {
        self.output().get("riskAssessment").and_then(Value::as_str)
    }

    /// The instance that published it: the origin of `attestation_uri`.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The id that its content gives (§6.3): 32 lower-case hexadecimal digits.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether `attestation_uri` is where an attestation with this content belongs.
    pub fn uri_fits(&self) -> bool {
        self.uri_path == attestation_path(&self.id)
    }

    /// The bytes that are signed (§4.1).
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// The canonical bytes, signature included: what copies are compared by and stores should hold.
    pub fn canonical(&self) -> &[u8] {
        &self.canonical
    }

    /// `sha256:` and the digest of the canonical bytes: how a child names its parent.
    pub fn digest(&self) -> String {
        format!("sha256:{}", hex(&Sha256::digest(&self.canonical)))
    }

    /// The document as a value, to be put beside a report.
    pub fn to_value(&self) -> Value {
        Value::Object(self.fields.clone())
    }

    fn optional(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }
}

/// The attestation id that content gives (§6.3), before there is a URI or a signature.
///
/// # Errors
///
/// A value without a canonical form.
pub fn derive_id(
    input: &Value,
    output: &Value,
    evaluator: &str,
    timestamp: &str,
    key_id: &str,
) -> Result<String, JsonError> {
    let string = |text: &str| json::canonical(&Value::String(text.to_owned()));
    let parts = BTreeMap::from([
        ("input", json::canonical(input)?),
        ("output", json::canonical(output)?),
        ("evaluator", string(evaluator)?),
        ("timestamp", string(timestamp)?),
        ("key_id", string(key_id)?),
    ]);
    Ok(hash_id(&assemble(&parts, |_| true)))
}

/// The bytes to sign for these fields (§4.1): canonical, without `signature`.
///
/// # Errors
///
/// A value without a canonical form.
pub fn payload(fields: &Map<String, Value>) -> Result<Vec<u8>, JsonError> {
    let parts = fields
        .iter()
        .map(|(name, value)| Ok((name.as_str(), json::canonical(value)?)))
        .collect::<Result<BTreeMap<_, _>, JsonError>>()?;
    Ok(assemble(&parts, |name| name != "signature"))
}

/// Whether text may be a key id: not empty, U+0021 to U+007E (§5.1).
pub fn is_key_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| (0x21..=0x7e).contains(&byte))
}

/// Whether text may be an attestation id: 32 lower-case hexadecimal digits.
pub fn is_id(text: &str) -> bool {
    text.len() == 32 && is_lower_hex(text)
}

/// Whether text may be a nonce: 128 bits in lower-case hexadecimal.
pub fn is_nonce(text: &str) -> bool {
    is_id(text)
}

/// Whether text may name a chain: 1 to 200 characters U+0021 to U+007E.
pub fn is_chain_id(text: &str) -> bool {
    is_key_id(text) && text.len() <= 200
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        for nibble in [byte >> 4, byte & 15] {
            text.push(char::from(if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 }));
        }
        text
    })
}

fn is_digest(text: &str) -> bool {
    text.strip_prefix("sha256:").is_some_and(|digits| digits.len() == 64 && is_lower_hex(digits))
}

fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn text<'a>(fields: &'a Map<String, Value>, field: &'static str) -> Result<&'a str, DocumentError> {
    fields.get(field).and_then(Value::as_str).ok_or(DocumentError::Field { field, wanted: "a string" })
}

fn time(fields: &Map<String, Value>, field: &'static str) -> Result<Time, DocumentError> {
    text(fields, field)?.parse().map_err(|_| DocumentError::Field { field, wanted: "an RFC 3339 time" })
}

/// A canonical object from canonical members. Field names are ASCII letters and `_`, so the map's order is the canonical
/// one and nothing in them is escaped.
fn assemble(parts: &BTreeMap<&str, Vec<u8>>, wanted: impl Fn(&str) -> bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.values().map(|part| part.len() + 24).sum());
    for (name, part) in parts.iter().filter(|(name, _)| wanted(name)) {
        bytes.push(if bytes.is_empty() { b'{' } else { b',' });
        bytes.push(b'"');
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(b"\":");
        bytes.extend_from_slice(part);
    }
    if bytes.is_empty() {
        bytes.push(b'{');
    }
    bytes.push(b'}');
    bytes
}

fn hash_id(canonical: &[u8]) -> String {
    Sha256::digest(canonical).get(..16).map(hex).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn example() -> Value {
        json!({
            "input": {"source": "shell", "input": "rm -rf /data/production"},
            "output": {"schemaVersion": "recourse.consequence.v1", "riskAssessment": "block"},
            "evaluator": "recourse:blast-radius:1.0.0",
            "timestamp": "2026-05-01T14:30:00.000Z",
            "key_id": "recourse-prod-1",
            "attestation_uri": "https://recourse.example/.well-known/attestations/x.json",
            "signature": "AA",
        })
    }

    fn with(field: &str, value: Value) -> Result<Attestation, DocumentError> {
        let mut document = example();
        document[field] = value;
        Attestation::from_value(&document)
    }

    #[test]
    fn the_id_hashes_five_fields_and_the_payload_leaves_out_the_signature() {
        let attestation = Attestation::from_value(&example()).unwrap();
        let mut five = example();
        for field in ["attestation_uri", "signature"] {
            five.as_object_mut().unwrap().remove(field);
        }
        let digest = Sha256::digest(json::canonical(&five).unwrap());
        assert_eq!(attestation.id(), hex(&digest[..16]));
        assert!(is_id(attestation.id()));
        assert!(!attestation.uri_fits());
        let id = derive_id(
            &five["input"],
            &five["output"],
            "recourse:blast-radius:1.0.0",
            "2026-05-01T14:30:00.000Z",
            "recourse-prod-1",
        );
        assert_eq!(id.as_deref(), Ok(attestation.id()));

        let mut unsigned = example();
        unsigned.as_object_mut().unwrap().remove("signature");
        assert_eq!(attestation.payload(), json::canonical(&unsigned).unwrap());
        assert_eq!(payload(example().as_object().unwrap()).as_deref(), Ok(attestation.payload()));
        assert_eq!(attestation.canonical(), json::canonical(&example()).unwrap());
        assert_eq!(attestation.risk_assessment(), Some("block"));

        let uri = attestation.origin().attestation_url(attestation.id());
        let moved = with("attestation_uri", json!(uri)).unwrap();
        assert!(moved.uri_fits());
        assert_eq!(moved.id(), attestation.id());
        assert_ne!(moved.digest(), attestation.digest());
    }

    #[test]
    fn optional_fields_are_read_and_checked() {
        let mut document = example();
        document["version"] = json!(VERSION);
        document["nonce"] = json!("0123456789abcdef0123456789abcdef");
        document["expires_at"] = json!("2026-05-01T14:45:00Z");
        document["chain_id"] = json!("chain-1");
        let parent = format!("sha256:{}", "ab".repeat(32));
        document["parent_attestation"] = json!(parent);
        let attestation = Attestation::from_value(&document).unwrap();
        assert_eq!(attestation.expires_at().unwrap().since(attestation.timestamp()), 900_000);
        assert_eq!((attestation.chain_id(), attestation.parent()), (Some("chain-1"), Some(parent.as_str())));
        assert_eq!(attestation.id(), Attestation::from_value(&example()).unwrap().id());

        for (field, value) in [
            ("version", json!("recourse.attestation.v2")),
            ("nonce", json!("0123456789ABCDEF0123456789ABCDEF")),
            ("nonce", json!("00")),
            ("nonce", json!(null)),
            ("expires_at", json!("soon")),
            ("chain_id", json!("")),
            ("chain_id", json!("a b")),
            ("parent_attestation", json!("sha256:00")),
            ("parent_attestation", json!("ab".repeat(32))),
        ] {
            assert!(
                matches!(with(field, value.clone()), Err(DocumentError::Field { field: f, .. }) if f == field),
                "{field} {value}"
            );
        }
    }

    #[test]
    fn reserved_extras_change_nothing() {
        let mut document = example();
        document["countersignatures"] = json!([{"any": "thing"}]);
        document["keyAttestation"] = json!({"any": ["thing"]});
        let (extra, plain) =
            (Attestation::from_value(&document).unwrap(), Attestation::from_value(&example()).unwrap());
        assert_eq!(extra, plain);
        assert_eq!(extra.digest(), plain.digest());
        assert!(with("countersignatures", json!({})).is_err());
        assert!(with("keyAttestation", json!(null)).is_err());
        assert_eq!(with("keyAttestation", json!({"cafe\u{301}": 1})), Err(DocumentError::NotNormal));
    }

    #[test]
    fn the_shape_is_strict() {
        for field in CORE {
            let mut document = example();
            document.as_object_mut().unwrap().remove(field);
            assert_eq!(Attestation::from_value(&document), Err(DocumentError::Missing(field)));
            assert!(
                matches!(with(field, json!(null)), Err(DocumentError::Field { field: f, .. }) if f == field)
            );
        }
        assert_eq!(with("note", json!(1)), Err(DocumentError::Unknown("note".to_owned())));
        assert_eq!(with("evaluator", json!("cafe\u{301}")), Err(DocumentError::NotNormal));
        assert_eq!(with("input", json!({"cafe\u{301}": 1})), Err(DocumentError::NotNormal));
        assert!(with("key_id", json!("")).is_err());
        assert!(with("key_id", json!("a b")).is_err());
        assert!(with("key_id", json!("cl\u{e9}")).is_err());
        assert!(with("timestamp", json!("2026-02-30T00:00:00Z")).is_err());
        assert!(matches!(with("attestation_uri", json!("/x")), Err(DocumentError::Uri(_))));
        assert_eq!(Attestation::parse(b"[]"), Err(DocumentError::NotAnObject));
        assert_eq!(Attestation::parse(b"null"), Err(DocumentError::NotAnObject));
    }
}
