//! `recourse verify` and `recourse registry refresh`: options, output, exit statuses, over real HTTP on this machine.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::support::{Scratch, json as output_json};
use made::{BASE, good, known};

#[path = "../../crates/recourse-attest/tests/verifier/made.rs"]
mod made;

const NOW: &str = "--now=2026-05-01T14:40:00Z";

/// An instance on this machine: documents by path, and a count of requests.
struct Instance {
    base: String,
    documents: Arc<Mutex<HashMap<String, String>>>,
}

impl Instance {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let documents: Arc<Mutex<HashMap<String, String>>> = Arc::default();
        let served = Arc::clone(&documents);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let request = lines.next().unwrap().unwrap();
                while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
                let path = request.split(' ').nth(1).unwrap();
                let (status, body) = match served.lock().unwrap().get(path) {
                    Some(body) => ("200 OK", body.clone()),
                    None => ("404 Not Found", String::new()),
                };
                let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            }
        });
        Self { base, documents }
    }

    fn publish(&self, registry: &Value) {
        let path = "/.well-known/recourse-keys.json".to_owned();
        self.documents.lock().unwrap().insert(path, registry.to_string());
    }
}

fn verify(scratch: &Scratch, arguments: &[&str]) -> (i32, Value) {
    let mut all = vec!["verify", NOW, "--format=json"];
    all.extend(arguments);
    let output = scratch.recourse(&all).env("XDG_CACHE_HOME", scratch.work().join("cache")).output().unwrap();
    (output.status.code().unwrap(), output_json(&output))
}

fn report() -> Value {
    let attestation = good();
    let mut report = attestation["output"].clone();
    report["attestation"] = attestation;
    report
}

#[test]
fn offline_with_a_registry() {
    let scratch = Scratch::new();
    scratch.file("keys.json", known().to_string());
    scratch.file("good.json", good().to_string());
    let trust = format!("--trust=https://other.example,{BASE}");
    let (code, answer) = verify(&scratch, &["--registry=keys.json", &trust, "good.json"]);
    assert_eq!((code, &answer["valid"], &answer["proceed"]), (0, &json!(true), &json!(true)), "{answer}");
    assert_eq!(answer["reason"], json!(null));
    assert_eq!(answer["mode"], json!("require"));
    assert_eq!(answer["keyId"], json!("prod-2"));
    assert_eq!(answer["keyState"], json!("active"));
    assert_eq!(answer["instance"], json!(BASE));
    assert_eq!(answer["riskAssessment"], json!("block"));
    assert_eq!(answer["attestationId"].as_str().unwrap().len(), 32);

    // A verdict is only told of what is valid.
    let mut bad = good();
    bad["output"]["riskAssessment"] = json!("allow");
    scratch.file("bad.json", bad.to_string());
    let (code, answer) = verify(&scratch, &["--registry=keys.json", "bad.json"]);
    assert_eq!((code, &answer["valid"]), (1, &json!(false)));
    assert_eq!((&answer["reason"], &answer["riskAssessment"]), (&json!("signature_invalid"), &json!(null)));

    let human = scratch.run(&["verify", NOW, "--registry=keys.json", "bad.json"]);
    let text = String::from_utf8(human.stdout).unwrap();
    assert!(text.starts_with("not valid: signature_invalid\n"), "{text}");
    assert!(text.ends_with("mode require: do not go on; a person must decide\n"), "{text}");
}

#[test]
fn reports_and_modes() {
    let scratch = Scratch::new();
    scratch.file("keys.json", known().to_string());
    scratch.file("report.json", report().to_string());
    scratch.file("good.json", good().to_string());
    let mut absent = report();
    absent.as_object_mut().unwrap().remove("attestation");
    scratch.file("absent.json", absent.to_string());
    let mut other = report();
    other["riskAssessment"] = json!("allow");
    scratch.file("other.json", other.to_string());
    let with = |mode: &str, file: &str, more: &[&str]| {
        let mode = format!("--mode={mode}");
        let (code, answer) = verify(&scratch, &[&["--registry=keys.json", &mode, file], more].concat());
        (code, answer["valid"].clone(), answer["reason"].as_str().unwrap_or_default().to_owned())
    };
    let (yes, no, unseen) = (json!(true), json!(false), json!(null));
    assert_eq!(with("require", "report.json", &["--report"]), (0, yes.clone(), String::new()));
    assert_eq!(
        with("require", "good.json", &["--report"]),
        (1, no.clone(), "invalid_attestation".to_owned())
    );
    assert_eq!(with("require", "other.json", &[]), (1, no.clone(), "cross_check_mismatch".to_owned()));
    assert_eq!(with("require", "absent.json", &[]), (1, no.clone(), "attestation_absent".to_owned()));
    assert_eq!(with("verify", "absent.json", &[]), (0, no.clone(), "attestation_absent".to_owned()));
    assert_eq!(with("verify", "other.json", &[]), (1, no.clone(), "cross_check_mismatch".to_owned()));
    assert_eq!(with("log", "other.json", &[]), (0, unseen.clone(), String::new()));
    assert_eq!(with("ignore", "other.json", &[]), (0, unseen.clone(), String::new()));
    assert_eq!(with("ignore", "absent.json", &[]), (0, unseen, "attestation_absent".to_owned()));
    let input = good()["input"].to_string();
    assert_eq!(with("require", "good.json", &["--input", &input]).0, 0);
    assert_eq!(
        with("require", "good.json", &["--input", "{}"]),
        (1, no.clone(), "cross_check_mismatch".to_owned())
    );
    assert_eq!(with("require", "good.json", &["--max-age=599"]), (1, no, "attestation_expired".to_owned()));
    assert_eq!(
        with("", "good.json", &["--input=", "--max-age=600", "--trust=", "--cached-registry="]),
        (0, yes, String::new())
    );
}

#[test]
fn wrong_usage_is_its_own_status() {
    let scratch = Scratch::new();
    scratch.file("good.json", good().to_string());
    scratch.file("keys.json", known().to_string());
    for arguments in [
        &["verify"][..],
        &["verify", "none.json"],
        &["verify", "--mode=maybe", "good.json"],
        &["verify", "--now=soon", "good.json"],
        &["verify", "--max-age=-1", "good.json"],
        &["verify", "--trust=recourse.example", "good.json"],
        &["verify", "--trust=https://recourse.example/path", "good.json"],
        &["verify", "--input={", "good.json"],
        &["verify", "--registry=none.json", "good.json"],
        &["verify", "--registry=good.json", "good.json"],
        &["verify", "--registry=keys.json", "--cross-check", "good.json"],
        &["verify", "--registry=keys.json", "--cached-registry=keys.json", "good.json"],
        &["verify", "--registry=keys.json", "https://recourse.example/x"],
        &["registry", "refresh", "recourse.example"],
        &["registry", "refresh", "--justification=x", "https://recourse.example"],
    ] {
        let output = scratch.run(arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?} {}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

#[test]
fn the_cache_protects_until_an_operator_forces_it() {
    let scratch = Scratch::new();
    let instance = Instance::start();
    let at = |version: u64| {
        let mut registry = known();
        (registry["registry_version"], registry["sequence"]) = (json!(version), json!(version));
        registry
    };
    let run = |arguments: &[&str]| {
        let output = scratch
            .recourse(arguments)
            .env("XDG_CACHE_HOME", scratch.work().join("cache"))
            .env("XDG_DATA_HOME", scratch.work().join("data"))
            .env("XDG_STATE_HOME", scratch.work().join("state"))
            .output()
            .unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let base = instance.base.as_str();
    assert_eq!(run(&["registry", "refresh", base]).0, 3, "nothing is published yet");
    instance.publish(&at(9));
    assert_eq!(run(&["registry", "refresh", base]), (0, format!("{base}: version 9 accepted, 2 keys\n")));
    instance.publish(&at(4));
    assert_eq!(run(&["registry", "refresh", base]).0, 1);
    assert!(!scratch.work().join("data").exists(), "an ordinary refresh is no event");
    let (code, text) =
        run(&["registry", "refresh", "--force", "--justification", "restored from backup", base]);
    assert_eq!((code, text), (0, format!("{base}: version 4 accepted, 9 discarded\n")));
    let log = std::fs::read_to_string(scratch.work().join("data/recourse/audit.jsonl")).unwrap();
    let entry: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert_eq!(entry["event"], json!("registry_force_refresh"));
    let text = entry.to_string();
    for part in ["restored from backup", "\"discardedVersion\":\"9\"", "\"acceptedVersion\":\"4\"", base] {
        assert!(text.contains(part), "{text}");
    }
    instance.publish(&at(3));
    assert_eq!(run(&["registry", "refresh", base]).0, 1, "protection goes on from there");
}

#[test]
fn over_the_network() {
    let scratch = Scratch::new();
    let instance = Instance::start();
    // A document of an instance that is not there: neither valid nor invalid.
    let mut here = good();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let path = here["attestation_uri"].as_str().unwrap().strip_prefix(BASE).unwrap().to_owned();
    here["attestation_uri"] = json!(format!("http://{closed}{path}"));
    scratch.file("here.json", here.to_string());
    let (code, answer) = verify(&scratch, &["here.json"]);
    assert_eq!(
        (code, &answer["reason"], &answer["proceed"]),
        (3, &json!("network_error"), &json!(false)),
        "{answer}"
    );
    assert!(!scratch.work().join("cache").exists());

    // Fetched by URL, but it says that its place is elsewhere.
    instance.publish(&known());
    instance.documents.lock().unwrap().insert(path.clone(), good().to_string());
    let url = format!("{}{path}", instance.base);
    let (code, answer) = verify(&scratch, &[&url]);
    assert_eq!((code, &answer["reason"]), (1, &json!("cross_check_mismatch")), "{answer}");

    // A rolled back registry, against the one that was accepted before; that file is never written.
    here["attestation_uri"] = json!(url);
    scratch.file("here.json", here.to_string());
    let mut newer = known();
    (newer["registry_version"], newer["sequence"]) = (json!(8), json!(8));
    let seen = scratch.file("seen.json", newer.to_string());
    let (code, answer) = verify(&scratch, &["--cached-registry=seen.json", "here.json"]);
    assert_eq!((code, &answer["reason"]), (1, &json!("registry_rollback")), "{answer}");
    let (_, answer) = verify(&scratch, &["--cached-registry=none.json", "here.json"]);
    assert_eq!(answer["reason"], json!("signature_invalid"), "moved after signing");
    assert_eq!(std::fs::read_to_string(seen).unwrap(), newer.to_string());
    assert!(!scratch.work().join("none.json").exists() && !scratch.work().join("cache").exists());
}
