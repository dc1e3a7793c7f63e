//! Documents: their form, their signature, every field of them.

use ed25519_dalek::Signer as _;

use super::*;

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
