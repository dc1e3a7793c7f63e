//! Keys and their states, registries, copies, and what is compared with a report.

use super::*;

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
