//! The example verifier in Python, written from the documents alone: what we sign it verifies, what it signs we verify, and
//! both say the same of what is wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use recourse::attest::json::canonical;
use recourse::attest::keys::KeyStore;
use recourse::attest::sign::{Chain, DEFAULT_VALIDITY, Evaluation, Profile, Signer, SignerSettings};
use recourse::attest::store::Store;
use recourse::attest::{Attestation, Origin, Places, Time};
use serde_json::{Value, json};

use crate::support::Scratch;

/// A Python that has `cryptography`: the one that `.ci/run` made, or the machine's own.
fn python() -> Option<PathBuf> {
    let own =
        std::env::var_os("RECOURSE_VERIFIERS").map(|folder| PathBuf::from(folder).join("py/bin/python"));
    let found = own.into_iter().chain([PathBuf::from("python3")]).find(|python| {
        let tried = Command::new(python).args(["-c", "import cryptography"]).output();
        tried.is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        eprintln!("SKIPPED: there is no python3 with the package cryptography here; .ci/run installs it");
    }
    found
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/verify")
}

struct Both {
    python: PathBuf,
    scratch: Scratch,
    registry: PathBuf,
}

impl Both {
    /// What the example says of files: validity and reason of each.
    fn theirs(&self, files: &[PathBuf], more: &[&str]) -> Vec<(bool, Option<String>)> {
        let mut command = Command::new(&self.python);
        command.arg("-B").arg(example().join("verify.py")).arg("--registry").arg(&self.registry);
        let output = command.args(more).args(files).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said.lines().count(), files.len(), "{}", String::from_utf8_lossy(&output.stderr));
        said.lines().map(|line| answer(line.as_bytes())).collect()
    }

    /// What we say of a file.
    fn ours(&self, file: &Path, more: &[&str]) -> (bool, Option<String>) {
        let mut words = vec!["verify", "--format", "json", "--registry", self.registry.to_str().unwrap()];
        words.extend(more);
        words.push(file.to_str().unwrap());
        let output = self.scratch.run(&words);
        assert!(!output.stdout.is_empty(), "{output:?}");
        answer(&output.stdout)
    }

    /// That both say this of each document, with the same options.
    fn agree(&self, documents: &[(String, Vec<u8>)], more: &[&str]) -> Vec<(bool, Option<String>)> {
        let write =
            |(at, (_, bytes)): (usize, &(String, Vec<u8>))| self.scratch.file(&format!("{at}.json"), bytes);
        let files: Vec<PathBuf> = documents.iter().enumerate().map(write).collect();
        let theirs = self.theirs(&files, more);
        for (((name, _), file), their) in documents.iter().zip(&files).zip(&theirs) {
            assert_eq!(&self.ours(file, more), their, "{name} {more:?}");
        }
        theirs
    }
}

fn answer(line: &[u8]) -> (bool, Option<String>) {
    let value: Value = serde_json::from_slice(line).unwrap();
    (value["valid"] == true, value["reason"].as_str().map(str::to_owned))
}

/// An instance of our own, and both verifiers with its registry.
fn both(python: PathBuf) -> (Both, Signer) {
    let scratch = Scratch::new();
    let places = Places::under(&scratch.root().join("instance"));
    let keys = KeyStore::open(&places).named("prod").unwrap();
    keys.ensure_active().unwrap();
    let registry = scratch.file("registry", keys.registry().unwrap().unwrap().to_value().to_string());
    let settings = SignerSettings {
        base: Origin::base("https://recourse.example").unwrap(),
        evaluator: "recourse:0.1.0".to_owned(),
        profile: Profile::Full,
        validity: DEFAULT_VALIDITY,
    };
    let signer = Signer::new(keys, Store::open(&places), settings);
    (Both { python, scratch, registry }, signer)
}

fn evaluation(command: &str, extra: Value) -> Evaluation {
    Evaluation {
        input: json!({"source": "shell", "input": command, "cwd": "/srv"}),
        output: json!({"schemaVersion": "recourse.consequence.v1", "riskAssessment": "block", "extra": extra}),
        chain: None,
    }
}

fn bytes(attestation: &Attestation) -> Vec<u8> {
    attestation.canonical().to_vec()
}

/// Everything that can be done to a document by hand.
fn spoilt(good: &Attestation) -> Vec<(String, Vec<u8>)> {
    let mut all = vec![("good".to_owned(), bytes(good))];
    let mut set = |name: &str, field: &str, value: Value| {
        let mut document = good.to_value();
        document[field] = value;
        all.push((format!("{name} {field}"), document.to_string().into_bytes()));
    };
    let fields = good.to_value();
    for field in fields.as_object().unwrap().keys() {
        for value in [json!(null), json!(1), json!(""), json!("x"), json!([]), json!({})] {
            set(&value.to_string(), field, value);
        }
    }
    let signature = good.signature().to_owned();
    set("padded", "signature", json!(format!("{signature}==")));
    set(
        "other spelling",
        "signature",
        json!(format!("{}{}", &signature[..85], if signature.ends_with('Q') { "R" } else { "B" })),
    );
    set("zeros", "signature", json!("A".repeat(86)));
    for time in [
        "2026-05-01t14:30:00Z",
        "2026-05-01T14:30:60Z",
        "2026-05-01T14:30:00",
        "2026-02-30T00:00:00Z",
        "2026-05-01T14:30:00.Z",
        "2026-05-01T14:30:00+24:00",
        "0000-05-01T14:30:00Z",
    ] {
        set(time, "timestamp", json!(time));
        set(time, "expires_at", json!(time));
    }
    let path = good.uri().split_once("example").unwrap().1.to_owned();
    for host in [
        "https://RECOURSE.example:443",
        "https://recourse.example.",
        "https://a@recourse.example",
        "http://[::1]",
        "http://[::1",
        "ftp://a",
        "https://a:0",
        "https://a_b",
        "https://",
        "https://a b",
        "https://r\u{e9}.example",
    ] {
        set(host, "attestation_uri", json!(format!("{host}{path}")));
    }
    for more in ["?", "#x", "/"] {
        set(more, "attestation_uri", json!(format!("{}{more}", good.uri())));
    }
    set("prefix", "attestation_uri", json!(format!("https://recourse.example/x{path}")));
    set("unknown", "note", json!(1));
    set("reserved", "countersignatures", json!([{"by": "somebody"}]));
    set("reserved", "keyAttestation", json!({"format": "tpm"}));
    set("reserved of another kind", "countersignatures", json!({}));
    set("reserved of another kind", "keyAttestation", json!(null));
    set("reserved not in NFC", "keyAttestation", json!({"cafe\u{301}": 1}));
    set("chain", "chain_id", json!("a b"));
    set("changed", "output", json!({"riskAssessment": "allow"}));
    set("not in NFC", "evaluator", json!("cafe\u{301}"));
    let text = String::from_utf8(bytes(good)).unwrap();
    for (name, other) in [
        ("white space", format!(" {} \n", text.replace(',', " ,\n"))),
        ("behind it", format!("{text}1")),
        ("twice", text.replacen('{', "{\"key_id\":\"prod-1\",", 1)),
        ("twice inside", text.replacen("\"input\":{", "\"input\":{\"cwd\":\"/\",", 1)),
        ("lone surrogate", text.replacen("\"/srv\"", "\"\\ud800\"", 1)),
        ("escaped", text.replacen("\"/srv\"", "\"\\u002fsrv\"", 1)),
        ("beyond a double", text.replacen("\"/srv\"", "1e400", 1)),
        ("no JSON", text.replacen("\"/srv\"", "NaN", 1)),
        ("cut", text[..text.len() - 1].to_owned()),
        ("deep", text.replacen("\"/srv\"", &format!("{}{}", "[".repeat(200), "]".repeat(200)), 1)),
        ("empty", String::new()),
        ("null", "null".to_owned()),
        ("list", format!("[{text}]")),
        ("report without", "{\"schemaVersion\":\"recourse.consequence.v1\"}".to_owned()),
        ("report with null", "{\"schemaVersion\":\"x\",\"attestation\":null}".to_owned()),
    ] {
        all.push((name.to_owned(), other.into_bytes()));
    }
    let mut report = good.output().clone();
    report["attestation"] = good.to_value();
    all.push(("report".to_owned(), report.to_string().into_bytes()));
    report["riskAssessment"] = json!("allow");
    all.push(("changed report".to_owned(), report.to_string().into_bytes()));
    let mut latin = bytes(good);
    let last = latin.len() - 2;
    latin[last] = 0xe9;
    all.push(("not UTF-8".to_owned(), latin));
    all
}

#[test]
fn both_verifiers_say_the_same_of_what_we_sign() {
    let Some(python) = python() else { return };
    let (both, signer) = both(python);
    let numbers = json!([
        1e21,
        1e-7,
        5e-324,
        1.797_693_134_862_315_7e308,
        -0.0,
        0.1,
        1e20,
        123_456_789.125,
        9_007_199_254_740_993_i64
    ]);
    let extras = [json!(null), numbers, json!({"\u{1f600}": "\u{7f}\u{1}\"\\", "\u{fb33}": 1, "\u{e9}": []})];
    let signed: Vec<Attestation> =
        extras.into_iter().map(|extra| signer.attest(evaluation("rm -rf \u{e9}", extra)).unwrap()).collect();
    let all: Vec<_> = signed.iter().map(|one| ("signed".to_owned(), bytes(one))).collect();
    assert!(both.agree(&all, &[]).iter().all(|(valid, _)| *valid));
    let said = both.agree(&spoilt(&signed[2]), &[]);
    let valid = said.iter().filter(|(valid, _)| *valid).count();
    // As it is, the host in another spelling with the same place is another signature; with white space, escaped, as a report, with extras.
    assert_eq!(valid, 6, "{said:?}");
    let one = [("one".to_owned(), bytes(&signed[0]))];
    let end = signed[0].expires_at().unwrap();
    let input = signed[0].input().to_string();
    let at = |time: Time| time.to_string();
    for (expected, more) in [
        (None, vec!["--now", &at(end)]),
        (Some("attestation_expired"), vec!["--now", &at(end.plus_millis(1))]),
        (None, vec!["--now", &at(signed[0].timestamp().plus_seconds(-300))]),
        (Some("attestation_expired"), vec!["--now", &at(signed[0].timestamp().plus_millis(-300_001))]),
        (None, vec!["--now", &at(end), "--max-age", "900"]),
        (Some("attestation_expired"), vec!["--now", &at(end), "--max-age", "899"]),
        (Some("instance_not_trusted"), vec!["--trust", "https://other.example"]),
        (None, vec!["--trust", "https://Recourse.example:443/"]),
        (None, vec!["--input", &input]),
        (Some("cross_check_mismatch"), vec!["--input", "{}"]),
    ] {
        assert_eq!(both.agree(&one, &more)[0].1.as_deref(), expected, "{more:?}");
    }
    // It ends before it begins.
    let early = Signer::new(
        KeyStore::open(&Places::under(&both.scratch.root().join("instance"))),
        Store::open(&Places::under(&both.scratch.root().join("instance"))),
        SignerSettings { validity: std::time::Duration::ZERO, ..signer.settings().clone() },
    );
    let ends_at_once = early.attest(evaluation("ls", json!("at once"))).unwrap();
    let one_of_these = [("at once".to_owned(), bytes(&ends_at_once))];
    let before = at(ends_at_once.timestamp().plus_millis(-1));
    assert_eq!(both.agree(&one_of_these, &["--now", &before])[0].1, None);
    let registry = signer.keys().registry().unwrap().unwrap().to_value();
    for (state, expected) in [
        ("pending", "key_pending"),
        ("compromised", "key_compromised"),
        ("odd", "key_not_found"),
        ("retired", ""),
    ] {
        let mut other = registry.clone();
        other["keys"][0]["state"] = json!(state);
        fs::write(&both.registry, other.to_string()).unwrap();
        assert_eq!(both.agree(&one, &[])[0].1.as_deref().unwrap_or(""), expected);
    }
    let mut other = registry.clone();
    other["keys"].as_array_mut().unwrap().push(registry["keys"][0].clone());
    fs::write(&both.registry, other.to_string()).unwrap();
    assert_eq!(both.agree(&one, &[])[0].1.as_deref(), Some("key_not_found"));
}

#[test]
fn both_verifiers_say_the_same_of_chains() {
    let Some(python) = python() else { return };
    let (both, signer) = both(python);
    let parent = signer.attest(evaluation("dropdb prod", json!(1))).unwrap();
    let output = json!({
        "schemaVersion": "recourse.approval.v1", "decision": "approved", "riskAssessment": "block",
        "assessmentReason": "seen", "approver": {"user": "ann", "uid": 1, "method": "terminal"},
    });
    let chain = |parent: &Attestation, id: &str| {
        Some(Chain { chain_id: id.to_owned(), parent: Some(parent.digest()) })
    };
    let approve = |change: &dyn Fn(&mut Evaluation), time: Time| {
        let mut one = Evaluation {
            input: parent.input().clone(),
            output: output.clone(),
            chain: chain(&parent, parent.id()),
        };
        change(&mut one);
        signer.attest_at(one, time).unwrap()
    };
    let now = Time::now();
    let good = approve(&|_| {}, now);
    let file = both.scratch.file("parent", bytes(&parent));
    let follow = ["--parent", file.to_str().unwrap()];
    let children = [
        ("good", good.clone()),
        ("no chain", approve(&|one| one.chain = None, now)),
        ("another chain's name", approve(&|one| one.chain.as_mut().unwrap().chain_id = "x".to_owned(), now)),
        ("another parent", approve(&|one| one.chain = chain(&good, "x"), now)),
        ("another input", approve(&|one| one.input = json!({}), now)),
        ("another verdict", approve(&|one| one.output["riskAssessment"] = json!("allow"), now)),
        ("no verdict", approve(&|one| one.output["riskAssessment"] = json!(null), now)),
        ("denied", approve(&|one| one.output["decision"] = json!("denied"), now)),
        ("nobody", approve(&|one| one.output["approver"] = json!({}), now)),
        ("nobody by name", approve(&|one| one.output["approver"]["user"] = json!(""), now)),
        ("no approval", approve(&|one| one.output = json!({}), now)),
        ("before its parent", approve(&|_| {}, parent.timestamp().plus_millis(-1))),
    ];
    let documents: Vec<_> = children.iter().map(|(name, one)| ((*name).to_owned(), bytes(one))).collect();
    let said = both.agree(&documents, &follow);
    let valid: Vec<&str> =
        children.iter().zip(&said).filter(|(_, said)| said.0).map(|((name, _), _)| *name).collect();
    assert_eq!(valid, ["good", "another chain's name", "no approval"]);
    // After its parent's end: the approval itself still holds.
    let late = approve(&|_| {}, parent.expires_at().unwrap().plus_millis(1));
    let at = late.timestamp().to_string();
    let late = [("late".to_owned(), bytes(&late))];
    assert_eq!(
        both.agree(&late, &[follow[0], follow[1], "--now", &at])[0].1.as_deref(),
        Some("chain_invalid")
    );
    // Three links: an approval of an approval, and one that starts in the middle.
    let first = both.scratch.file("first", bytes(&good));
    let second = approve(&|one| one.chain = chain(&good, parent.id()), now);
    let second = [("second".to_owned(), bytes(&second))];
    let both_parents = [follow[0], follow[1], "--parent", first.to_str().unwrap()];
    assert_eq!(both.agree(&second, &both_parents)[0].1.as_deref(), Some("chain_invalid"));
    assert_eq!(both.agree(&second, &both_parents[2..])[0].1.as_deref(), Some("chain_invalid"));
}

/// Signs what stands in a file as the document says, with the example's own canonical form.
const SIGN: &str = r#"
import base64, hashlib, json, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
import verify
key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
text = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()
public = text(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))
registry = {"instance_id": "py", "keys": [{"key_id": "py-1", "algorithm": "Ed25519", "public_key": public, "state": "active"}]}
json.dump(registry, open(sys.argv[1], "w"))
for name in sys.argv[2:]:
    one = verify.parse(open(name, "rb").read())
    one["attestation_uri"] = "https://py.example/.well-known/attestations/" + verify.attestation_id(one) + ".json"
    one["signature"] = text(key.sign(verify.canonical(one)))
    open(name, "wb").write(verify.canonical(one))
"#;

#[test]
fn what_the_example_signs_we_verify() {
    let Some(python) = python() else { return };
    let (both, _) = both(python);
    let core = |extra: &str| {
        format!(
            r#"{{"input":{{"source":"shell","input":"ls"}},"output":{extra},"evaluator":"py:1","timestamp":"2026-05-01T16:30:00.1239+02:00","key_id":"py-1"}}"#
        )
    };
    let outputs = [
        r#"{"riskAssessment":"allow"}"#.to_owned(),
        r#"{"n":[1e21,1E-7,-0,0.10,100000000000000000000000,4.35,1e-6,333333333.33333329,9007199254740993,5e-324]}"#.to_owned(),
        "{\"\u{20ac}\":1,\"\\r\":2,\"\u{5d3}\":3,\"1\":4,\"\u{1f600}\":5,\"\u{80}\":6,\"\u{f6}\":7,\"z\":\"\\u000f\\u2028\"}".to_owned(),
        format!(r#"{{"deep":{}{}}}"#, "[".repeat(100), "]".repeat(100)),
        format!(r#"{{"long":"{}"}}"#, "\u{e9}".repeat(10_000)),
    ];
    let write = |(at, output): (usize, &String)| both.scratch.file(&format!("{at}.json"), core(output));
    let files: Vec<PathBuf> = outputs.iter().enumerate().map(write).collect();
    let made: Output = Command::new(&both.python)
        .args(["-B", "-c", SIGN])
        .arg(&both.registry)
        .args(&files)
        .env("PYTHONPATH", example())
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let now = ["--now", "2026-05-01T14:31:00Z"];
    for (file, their) in files.iter().zip(both.theirs(&files, &now)) {
        assert_eq!((both.ours(file, &now), their), ((true, None), (true, None)), "{}", file.display());
        let written = fs::read(file).unwrap();
        let read = recourse::attest::json::parse(&written, written.len()).unwrap();
        assert_eq!(canonical(&read).unwrap(), written, "one canonical form");
    }
}

#[test]
fn both_verifiers_say_the_same_of_logs() {
    let Some(python) = python() else { return };
    let (both, signer) = both(python);
    let places = Places::under(&both.scratch.root().join("instance"));
    let log = recourse::attest::tlog::book::Log::open(&places);
    log.begin(&Origin::base("https://recourse.example").unwrap()).unwrap();
    let signed: Vec<Attestation> =
        (0..9).map(|n| signer.attest(evaluation("ls", json!(n))).unwrap()).collect();
    log.advance().unwrap();
    let key = log.vkey().unwrap().unwrap().to_string();
    let registry = log.prove(&recourse::attest::tlog::book::Wanted::Registry).unwrap().0.to_string();
    let registry = both.scratch.file("registry.proof", registry);
    let registry = registry.to_str().unwrap();
    let wanted = |one: &Attestation| recourse::attest::tlog::book::Wanted::Attestation(one.id().to_owned());
    for one in &signed {
        let proof = log.prove(&wanted(one)).unwrap().0.to_string();
        let document = [("logged".to_owned(), bytes(one))];
        let other = [("another".to_owned(), bytes(&signed[usize::from(one == &signed[0])]))];
        let file = both.scratch.file("proof", &proof);
        let file = file.to_str().unwrap();
        let mut theirs = vec!["--log-key", &key, "--proof", file, "--proof", registry];
        let said = |documents: &[(String, Vec<u8>)], theirs: &[&str]| {
            let path = both.scratch.file("document", &documents[0].1);
            let their = both.theirs(std::slice::from_ref(&path), theirs).remove(0);
            let ours = both.ours(&path, &[&["--require-log"], theirs].concat());
            assert_eq!(ours, their);
            ours.1
        };
        assert_eq!(said(&document, &theirs), None);
        assert_eq!(said(&other, &theirs).as_deref(), Some("not_logged"));
        assert_eq!(said(&document, &theirs[..4]).as_deref(), Some("not_logged"), "its registry is not shown");
        let changed = both.scratch.file("changed", proof.replacen("index ", "index 1", 1));
        theirs[3] = changed.to_str().unwrap();
        assert_eq!(said(&document, &theirs).as_deref(), Some("not_logged"));
        for index in ["index +", "index 0"] {
            fs::write(&changed, proof.replacen("index ", index, 1)).unwrap();
            assert_eq!(said(&document, &theirs).as_deref(), Some("not_logged"), "{index}");
        }
    }
}
