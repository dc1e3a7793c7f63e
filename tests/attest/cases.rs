//! What a verifier must accept and refuse, group by group, through the library: every document is made here, signed or
//! broken, and verified against a registry and a durable copy that are made here, too.

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
                MemoryStore::having_accepted(read_registry(cached.to_string().as_bytes()).unwrap())
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

#[test]
fn what_is_valid() {
    Case::of(&good()).valid("plain");
    Case::of(&good()).trusting(&[]).valid("an empty list accepts any instance");
    Case::of(&sign_by(2, with("key_id", json!("prod-1")))).valid("a deprecated key");
    Case::of(&good()).registry(state("retired")).valid("a retired key");
    Case::text(serde_json::to_string_pretty(&good()).unwrap()).valid("white space does not count");
    Case::text(good().to_string().replace("rm -rf", "\\u0072m -rf")).valid("an escape is the same string");
    Case::of(&sign(with("timestamp", json!("2026-05-01T14:30:00Z")))).valid("without milliseconds");
    let mut extra = known();
    extra["extra"] = json!({"a": 1});
    extra["keys"][1]["note"] = json!("x");
    Case::of(&good()).registry(extra).valid("unknown fields of a registry");
    Case::of(&good()).trusting(&["HTTPS://RECOURSE.example:443/"]).valid("another spelling of the origin");
    let mut empty = content();
    (empty["input"], empty["output"]) = (json!({}), json!({}));
    Case::of(&sign(empty)).valid("empty objects");
    let items: Vec<Value> = (0..10_000).map(|i| json!({"i": i, "s": "x".repeat(100)})).collect();
    Case::of(&sign(with("input", json!({"items": items})))).valid("a megabyte");
    let mut fresh = content();
    fresh["version"] = json!("recourse.attestation.v1");
    fresh["nonce"] = json!("00112233445566778899aabbccddeeff");
    fresh["expires_at"] = json!("2026-05-01T14:45:00.000Z");
    fresh["chain_id"] = json!("c-1");
    fresh["parent_attestation"] = json!(format!("sha256:{}", "0".repeat(64)));
    Case::of(&sign(fresh)).valid("all optional fields");
}

#[test]
fn canonical_form() {
    let odd =
        json!({"\u{20ac}": 1, "\r": 2, "1": 3, "\u{1f600}": 4, "\u{80}": 5, "\u{f6}": 6, "\u{ffee}": 7});
    Case::of(&sign(with("input", odd.clone()))).valid("names sorted by UTF-16 units");
    Case::of(&sign(with("input", json!({"s": "\u{8}\t\n\u{c}\r\"\\/\0\u{1f}\u{7f}\u{2028}</script>"}))))
        .valid("escapes");
    Case::of(&sign(with("input", json!({"__proto__": {"a": 1}, "": 3, "10": 1, "9": 2})))).valid("odd names");
    for (token, value) in [
        ("1e21", 1e21),
        ("1e-7", 1e-7),
        ("1e+23", 1e23),
        ("1.7976931348623157e308", f64::MAX),
        ("5e-324", 5e-324),
        ("999999999999999900000", 999_999_999_999_999_900_000.0),
        ("4.50", 4.5),
        ("-0", 0.0),
        ("1.0", 1.0),
        ("1E0", 1.0),
        ("9007199254740993", 9_007_199_254_740_992.0),
        ("18446744073709551615", 18_446_744_073_709_551_616.0),
    ] {
        let signed = sign(with("input", json!({"n": value})));
        let plain = format!("\"n\":{}", json!(value));
        let text = signed.to_string();
        assert!(text.contains(&plain), "{text} / {plain}");
        Case::text(text.replace(&plain, &format!("\"n\":{token}"))).valid(token);
    }
    // Signed over something that only looks canonical.
    let over = |content: Value, bytes: &dyn Fn(&str) -> Vec<u8>| {
        let mut signed = sign(content);
        let mut unsigned = signed.clone();
        unsigned.as_object_mut().unwrap().remove("signature");
        let text = String::from_utf8(canonical(&unsigned).unwrap()).unwrap();
        signed["signature"] = json!(encode(&key(1).sign(&bytes(&text)).to_bytes()));
        Case::of(&signed)
    };
    over(with("input", json!({"n": 1e21})), &|text| text.replace("1e+21", "1e21").into_bytes())
        .refused(SignatureInvalid, "1e21 without its sign");
    over(with("input", odd), &|text| {
        // By code point, U+FFEE comes before U+1F600.
        text.replace("\"\u{1f600}\":4,\"\u{ffee}\":7", "\"\u{ffee}\":7,\"\u{1f600}\":4").into_bytes()
    })
    .refused(SignatureInvalid, "names by code point");
    over(content(), &|text| text.replace(',', ", ").into_bytes()).refused(SignatureInvalid, "with spaces");
    over(content(), &|text| text.as_bytes().to_vec()).valid("the control of these three");
}

#[test]
fn what_is_not_strict_json() {
    let text = good().to_string();
    let body = text.strip_suffix('}').unwrap();
    let number = |token: &str| {
        sign(with("input", json!({"n": 7}))).to_string().replace("\"n\":7", &format!("\"n\":{token}"))
    };
    let replaced = sign(with("input", json!({"s": "a\u{fffd}b"}))).to_string();
    let deep = text.replace("\"/srv\"", &format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)));
    for (name, bytes) in [
        ("a name twice", format!("{body},\"evaluator\":\"recourse:blast-radius:1.0.0\"}}")),
        ("two signatures", format!("{{\"signature\":\"AAAA\",{}", &text[1..])),
        (
            "two verdicts",
            text.replace(
                "\"riskAssessment\":\"block\"",
                "\"riskAssessment\":\"allow\",\"riskAssessment\":\"block\"",
            ),
        ),
        ("a lone surrogate", replaced.replace('\u{fffd}', "\\ud800")),
        ("a lone low surrogate", replaced.replace('\u{fffd}', "\\udc00")),
        ("1e400", number("1e400")),
        ("NaN", number("NaN")),
        ("a leading zero", number("07")),
        ("a plus", number("+7")),
        ("a comma too many", format!("{body},}}")),
        ("something behind", format!("{text}x")),
        ("a comment", format!("{text} // c")),
        ("single quotes", text.replace('"', "'")),
        ("a raw control character", text.replace("rm -rf", "rm\u{1}-rf")),
        ("nothing", String::new()),
        ("null", "null".to_owned()),
        ("a list", format!("[{text}]")),
        ("a string", json!(text).to_string()),
        ("depth", deep),
    ] {
        Case::text(bytes).refused(InvalidAttestation, name);
    }
    let broken: Vec<u8> = text.bytes().map(|byte| if byte == b'v' { 0xff } else { byte }).collect();
    Case::text(broken).refused(InvalidAttestation, "not UTF-8");
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    Case::text(wide).refused(InvalidAttestation, "UTF-16");
    Case::text(" ".repeat(DOCUMENT_LIMIT) + &text).refused(InvalidAttestation, "too large");
}

#[test]
fn normalisation() {
    let composed = sign(with("input", json!({"input": "rm caf\u{e9}"})));
    Case::of(&composed).valid("composed");
    Case::of(&sign(with("input", json!({"s": "\u{fb01} \u{2460} \u{ff21}"})))).valid("not NFKC");
    let text = composed.to_string().replace("caf\u{e9}", "cafe\u{301}");
    Case::text(text).refused(InvalidAttestation, "made decomposed after signing");
    for input in [
        json!({"s": "cafe\u{301}"}),
        json!({"cafe\u{301}": 1}),
        json!({"caf\u{e9}": 1, "cafe\u{301}": 2}),
        json!({"s": "\u{212b}"}),
    ] {
        Case::of(&sign(with("input", input.clone()))).refused(InvalidAttestation, &input.to_string());
    }
}

#[test]
fn every_field_is_signed() {
    let input = content()["input"].clone();
    let mut output = content()["output"].clone();
    let changed = |field: &str, value: Value, of: &Value| {
        let mut copy = of.clone();
        copy[field] = value;
        copy
    };
    for (name, document) in [
        ("input", tampered("input", changed("input", json!("ls"), &input))),
        ("input grew", tampered("input", changed("x", json!(1), &input))),
        ("verdict", tampered("output", changed("riskAssessment", json!("allow"), &output))),
        ("emptied", tampered("output", changed("mutations", json!([]), &output))),
        ("true to 1", tampered("output", changed("hasUnrecoverable", json!(1), &output))),
        ("evaluator", tampered("evaluator", json!("recourse:blast-radius:9.9.9"))),
        ("timestamp", tampered("timestamp", json!("2026-05-01T14:31:00.000Z"))),
        ("the same instant", tampered("timestamp", json!("2026-05-01T14:30:00Z"))),
        ("another key of the instance", tampered("key_id", json!("prod-1"))),
        (
            "id",
            tampered(
                "attestation_uri",
                json!(format!("{BASE}/.well-known/attestations/{}.json", "0".repeat(32))),
            ),
        ),
        ("expiry added", tampered("expires_at", json!("2036-01-01T00:00:00Z"))),
        (
            "signature of another",
            tampered("signature", sign(with("evaluator", json!("x")))["signature"].clone()),
        ),
        ("another's key", sign_by(9, content())),
        ("without URI", {
            let mut bare = good();
            bare["signature"] = json!(encode(&key(1).sign(&canonical(&content()).unwrap()).to_bytes()));
            bare
        }),
    ] {
        Case::of(&document).refused(SignatureInvalid, name);
    }
    output["mutations"][0]["tier"] = json!(1);
    Case::of(&tampered("output", output)).refused(SignatureInvalid, "a number deep inside");
    let moved = good()["attestation_uri"].as_str().unwrap().replace("recourse.example", "other.example");
    Case::of(&tampered("attestation_uri", json!(moved)))
        .trusting(&[BASE, "https://other.example"])
        .refused(SignatureInvalid, "moved to another trusted host");
    Case::of(&tampered("note", json!("unsigned"))).refused(InvalidAttestation, "an unknown field");
    for field in ["input", "output", "evaluator", "timestamp", "key_id", "attestation_uri", "signature"] {
        let mut without = good();
        without.as_object_mut().unwrap().remove(field);
        Case::of(&without).refused(InvalidAttestation, field);
        Case::of(&tampered(field, json!(null))).refused(InvalidAttestation, field);
        Case::of(&tampered(field, json!([1]))).refused(InvalidAttestation, field);
    }
}

#[test]
fn signatures_have_one_spelling() {
    let text = good()["signature"].as_str().unwrap().to_owned();
    let bytes: [u8; 64] = decode(&text).unwrap();
    let case = |name: &str, signature: String| {
        Case::of(&tampered("signature", json!(signature))).refused(SignatureInvalid, name)
    };
    for at in [0, 31, 32, 63] {
        let mut flipped = bytes;
        flipped[at] ^= 1;
        case("one bit", encode(&flipped));
    }
    // S + L: the same equation, another number.
    const L: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let mut plus = bytes;
    let mut carry = 0;
    for at in 0..32 {
        let sum = u16::from(bytes[32 + at]) + u16::from(L[at]) + carry;
        plus[32 + at] = sum as u8;
        carry = sum >> 8;
    }
    case("S + L", encode(&plus));
    case("halves swapped", encode(&[&bytes[32..], &bytes[..32]].concat()));
    case("zeros", encode(&[0; 64]));
    case("ones", encode(&[255; 64]));
    case("63 bytes", encode(&bytes[..63]));
    case("65 bytes", encode(&[&bytes[..], &[0]].concat()));
    case("empty", String::new());
    case("hexadecimal", document::hex(&bytes));
    case("padded", format!("{text}=="));
    case("a newline inside", format!("{}\n{}", &text[..43], &text[43..]));
    case("a space behind", format!("{text} "));
    case("garbage behind", format!("{text}=!!"));
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let last = alphabet.iter().position(|letter| *letter == text.as_bytes()[85]).unwrap();
    case("unused bits", format!("{}{}", &text[..85], alphabet[last | 1] as char));
    let both = (0..200)
        .map(|i| sign(with("input", json!({"i": i}))))
        .find(|document| ["-", "_"].iter().all(|sign| document["signature"].as_str().unwrap().contains(sign)))
        .unwrap();
    let mut standard = both.clone();
    standard["signature"] = json!(both["signature"].as_str().unwrap().replace('-', "+").replace('_', "/"));
    Case::of(&both).valid("the control");
    Case::of(&standard).refused(SignatureInvalid, "the other alphabet");
}

#[test]
fn keys_that_are_none() {
    let unhex = |text: &str| {
        let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
        (0..text.len()).step_by(2).map(digit).collect::<Vec<u8>>()
    };
    let mut identity = [0; 32];
    identity[0] = 1;
    let points = [
        ("identity", identity.to_vec()),
        ("order 2", unhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        ("order 4", vec![0; 32]),
        ("order 8", unhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")),
        (
            "the identity's second encoding",
            unhex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
        ),
        ("off the curve", unhex("0200000000000000000000000000000000000000000000000000000000000000")),
    ];
    // R the identity and S zero: what a lenient verifier accepts under a key of small order.
    let forged = encode(&[&identity[..], &[0; 32]].concat());
    for (name, point) in points {
        let registry = keys(7, &[entry("prod-2", &encode(&point), "active")]);
        Case::of(&tampered("signature", json!(forged))).registry(&registry).refused(SignatureInvalid, name);
        Case::of(&good()).registry(&registry).refused(SignatureInvalid, name);
    }
    let raw = *key(1).verifying_key().as_bytes();
    for (name, text) in [
        ("31 bytes", encode(&raw[..31])),
        ("33 bytes", encode(&[&raw[..], &[0]].concat())),
        ("DER", encode(&[&unhex("302a300506032b6570032100")[..], &raw].concat())),
        ("padded", format!("{}=", encode(&raw))),
        ("hexadecimal", document::hex(&raw)),
    ] {
        Case::of(&good())
            .registry(keys(7, &[entry("prod-2", &text, "active")]))
            .refused(SignatureInvalid, name);
    }
    for (field, value) in
        [("algorithm", json!("RSA")), ("algorithm", json!(null)), ("public_key", json!(null))]
    {
        let mut odd = entry("prod-2", &public(1), "active");
        odd[field] = value;
        Case::of(&good()).registry(keys(7, &[odd])).refused(KeyNotFound, field);
    }
}

#[test]
fn states_of_keys() {
    Case::of(&good()).registry(state("pending")).refused(KeyPending, "pending");
    Case::of(&good()).registry(state("compromised")).refused(KeyCompromised, "compromised");
    for word in ["revoked", "COMPROMISED", "rotated", ""] {
        Case::of(&good()).registry(state(word)).refused(KeyNotFound, word);
    }
    let mut stateless = entry("prod-2", &public(1), "active");
    stateless.as_object_mut().unwrap().remove("state");
    Case::of(&good()).registry(keys(7, &[stateless])).refused(KeyNotFound, "no state");
    Case::of(&good()).registry(keys(7, &[])).refused(KeyNotFound, "no keys");
    Case::of(&sign(with("key_id", json!("Prod-2")))).refused(KeyNotFound, "key ids compare exactly");
    Case::of(&sign(with("key_id", json!("")))).refused(InvalidAttestation, "an empty key id");
    Case::of(&sign(with("key_id", json!("cl\u{e9}")))).refused(InvalidAttestation, "beyond ASCII");
    let twice = |first: Value| keys(7, &[first, entry("prod-2", &public(1), "active")]);
    Case::of(&good())
        .registry(twice(entry("prod-2", &public(1), "compromised")))
        .refused(KeyCompromised, "twice, once compromised");
    Case::of(&good()).registry(twice(entry("prod-2", &public(2), "active"))).refused(KeyNotFound, "twice");
}

#[test]
fn tricks_with_the_host() {
    let path = format!("/.well-known/attestations/{}.json", id(&content()));
    let uri = |start: &str| at_uri(&format!("{start}{path}"));
    for start in [
        "https://recourse.example.evil.test",
        "https://evilrecourse.example",
        "https://evil.test#@recourse.example",
        "https://evil.test?.recourse.example",
        "https://evil.test/https://recourse.example",
        "http://recourse.example",
        "https://recourse.example:8443",
        "https://recourse.example.",
    ] {
        Case::of(&uri(start)).refused(InstanceNotTrusted, start);
    }
    for start in [
        "https://recourse.example@evil.test",
        "https://recourse.example:443@evil.test",
        "https://evil.test\\@recourse.example",
        "https://rec\u{43e}urse.example",
        "https://recourse.ex\tample",
        "file:///etc",
        "data:application/json,{}#",
        "",
    ] {
        Case::of(&uri(start)).trusting(&[]).refused(InvalidAttestation, start);
    }
    Case::of(&good()).trusting(&["https://trusted.example"]).refused(InstanceNotTrusted, "another instance");
}

#[test]
fn the_uri_is_that_of_the_content() {
    let own = id(&content());
    let other = id(&with("timestamp", json!("2026-05-01T15:00:00.000Z")));
    let path = |id: &str| format!("{BASE}/.well-known/attestations/{id}.json");
    for uri in [
        path(&other),
        path(&"0".repeat(32)),
        path(&own.to_uppercase()),
        path(&format!("{own}{own}")),
        format!("{BASE}/attestations/{own}.json"),
        format!("{BASE}/.well-known/attestations/../attestations/{own}.json"),
        format!("{BASE}/.well-known/attestations/{own}"),
        format!("{BASE}/.well-known/attestations/{own}.json?v=1"),
    ] {
        Case::of(&at_uri(&uri)).refused(CrossCheckMismatch, &uri);
    }
    Case::of(&at_uri(&path(&own))).valid("the control");
    Case::of(&at_uri(&format!("{BASE}/\r\nHost: evil"))).refused(InvalidAttestation, "header injection");
}

#[test]
fn registries() {
    let none = Case { registry: None, ..Case::of(&good()) };
    none.refused(NetworkError, "unreachable");
    let twice = format!("{},\"keys\":[]}}", known().to_string().strip_suffix('}').unwrap());
    for (name, text) in [
        ("an error page", "<html>502 Bad Gateway</html>".to_owned()),
        ("no list", json!({"keys": {"a": 1}, "registry_version": 1}).to_string()),
        ("no keys", json!({"instance_id": "x", "registry_version": 1}).to_string()),
        ("a list", "[]".to_owned()),
        ("a name twice", twice),
        ("too large", format!("{}{}", known(), " ".repeat(1 << 20))),
        ("a version that is text", known().to_string().replace("_version\":7", "_version\":\"10\"")),
        ("a version below zero", known().to_string().replace(":7", ":-1")),
        ("two versions", known().to_string().replace("sequence\":7", "sequence\":8")),
    ] {
        Case::of(&good()).registry(text).refused(NetworkError, name);
    }
    let bad = entry("prod-2", &public(1), "compromised");
    let versioned = |version, state: &str| keys(version, &[entry("prod-2", &public(1), state)]);
    Case::of(&good()).cached(keys(8, std::slice::from_ref(&bad))).refused(RegistryRollback, "7 after 8");
    Case::of(&good())
        .cached(versioned(9, "active"))
        .registry(versioned(6, "active"))
        .refused(RegistryRollback, "6 after 9");
    let mut unversioned = known();
    for field in ["registry_version", "sequence"] {
        unversioned.as_object_mut().unwrap().remove(field);
    }
    Case::of(&good()).registry(&unversioned).valid("no version, and none seen");
    Case::of(&good())
        .cached(versioned(1, "active"))
        .registry(&unversioned)
        .refused(RegistryRollback, "no version after 1");
    Case::of(&good()).cached(known()).valid("the same version");
    Case::of(&good()).cached(versioned(6, "active")).valid("a newer version");
    Case::of(&good()).cached(keys(6, &[])).valid("a key that was not there");
    Case::of(&good())
        .cached(versioned(7, "active"))
        .registry(versioned(8, "compromised"))
        .refused(KeyCompromised, "compromised since");
    let mut old = json!({"version": 1, "sequence": 1, "instance_id": "x", "updated_at": "", "keys": [bad]});
    old["keys"][0]["state"] = json!("active");
    Case::of(&good()).registry(&old).valid("the older dialect");
    let mut newer = old.clone();
    newer["sequence"] = json!(2);
    Case::of(&good()).cached(newer).registry(&old).refused(RegistryRollback, "the older dialect's version");
}

#[test]
fn copies() {
    Case::of(&good()).copy(good()).valid("identical");
    Case::of(&good()).copy(serde_json::to_string_pretty(&good()).unwrap()).valid("the same canonical form");
    let other = sign(with("timestamp", json!("2026-05-01T15:00:00.000Z")));
    for copy in [other.to_string(), tampered("x", json!(1)).to_string(), "<html></html>".to_owned()] {
        Case::of(&good()).copy(&copy).refused(CrossCheckMismatch, &copy);
    }
    let mut gone = Case::of(&good()).copy("");
    gone.copy = None;
    gone.refused(NetworkError, "no copy");
}

#[test]
fn reports_inputs_and_time() {
    let with_report = |report: Value| Case { report: Some(report), ..Case::of(&good()) };
    let mut report = content()["output"].clone();
    with_report(report.clone()).valid("without the attestation in it");
    report["attestation"] = good();
    with_report(report.clone()).valid("with the attestation beside it");
    for (field, value) in [("riskAssessment", json!("allow")), ("mutations", json!([])), ("extra", json!(1))]
    {
        let mut other = report.clone();
        other[field] = value;
        with_report(other).refused(CrossCheckMismatch, field);
    }
    let expecting = |input: Value| Case { input: Some(input), ..Case::of(&good()) };
    expecting(content()["input"].clone()).valid("this input");
    expecting(json!({"source": "shell", "input": "ls"})).refused(CrossCheckMismatch, "another input");

    Case::of(&good()).at("2026-05-01T14:40:00Z", 86_400).valid("fresh");
    Case::of(&good()).at("2026-05-01T14:26:00Z", 86_400).valid("four minutes ahead");
    Case::of(&good()).at("2026-05-02T15:30:00Z", 86_400).refused(AttestationExpired, "25 hours old");
    Case::of(&good()).at("2026-05-01T14:24:00Z", 86_400).refused(AttestationExpired, "six minutes ahead");
    for time in ["yesterday", "2026-02-30T00:00:00Z"] {
        Case::of(&sign(with("timestamp", json!(time)))).refused(InvalidAttestation, time);
    }
    let expired = sign(with("expires_at", json!("2026-05-01T14:39:59Z")));
    Case::of(&expired).refused(AttestationExpired, "its own end");
}

#[test]
fn limits_of_parsing_are_the_same_for_signer_and_verifier() {
    // What can be built in memory but not be read back is refused when it is made, not later.
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    assert!(document::Attestation::from_value(&sign(with("input", json!({"deep": deep})))).is_err());
    assert!(parse(b"[1]", 3).is_ok());
}
