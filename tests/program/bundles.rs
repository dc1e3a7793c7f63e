//! Attestations as Sigstore bundles, verified by the clients that others wrote.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{Scratch, json as read};

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A program of others that verifies bundles.
struct Client {
    program: PathBuf,
    script: &'static str,
    key: &'static str,
    modules: PathBuf,
}

impl Client {
    /// Those that `.ci/run` installed.
    fn all() -> Vec<Self> {
        let Some(folder) = std::env::var_os("RECOURSE_VERIFIERS").map(PathBuf::from) else {
            eprintln!(
                "SKIPPED: @sigstore/verify and securesystemslib are not installed here (RECOURSE_VERIFIERS is not set); .ci/run installs them"
            );
            return Vec::new();
        };
        let modules = folder.join("node/node_modules");
        [("node".into(), "bundle.mjs", "pem"), (folder.join("py/bin/python"), "bundle.py", "raw")]
            .map(|(program, script, key)| Self { program, script, key, modules: modules.clone() })
            .into()
    }

    fn verifies(&self, scratch: &Scratch, bundle: &Value) -> Output {
        let file = scratch.file("bundle.json", bundle.to_string());
        let key = scratch.run(&["keys", "export", "--format", self.key]);
        let key = scratch.file("key", key.stdout);
        Command::new(&self.program)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verifiers").join(self.script))
            .args([file, key])
            .env("RECOURSE_NODE_MODULES", &self.modules)
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", self.program.display()))
    }
}

fn payload(bundle: &Value) -> Vec<u8> {
    let text = bundle["dsseEnvelope"]["payload"].as_str().unwrap();
    base64(text)
}

/// Standard base64.
fn base64(text: &str) -> Vec<u8> {
    let mut child =
        Command::new("base64").arg("-d").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    child.wait_with_output().unwrap().stdout
}

fn sha256(bytes: &[u8]) -> String {
    recourse::attest::document::hex(&Sha256::digest(bytes))
}

#[test]
fn a_bundle_is_of_the_files_and_the_command() {
    let scratch = Scratch::new();
    scratch.file("deploy.sh", "touch ok\n");
    let words = ["evaluate", "shell", "--attest", "--format", "bundle", "bash deploy.sh"];
    let bundle = read(&scratch.run(&words));
    assert_eq!(bundle["mediaType"], "application/vnd.dev.sigstore.bundle.v0.3+json");
    let statement: Value = serde_json::from_slice(&payload(&bundle)).unwrap();
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    let digests: Vec<&str> = statement["subject"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["digest"]["sha256"].as_str().unwrap())
        .collect();
    assert!(digests.contains(&sha256(b"touch ok\n").as_str()), "{statement}");
    assert!(digests.contains(&sha256(b"bash deploy.sh").as_str()), "{statement}");
    // What it carries is the attestation, which verifies by itself.
    let attestation = scratch.file("attestation.json", statement["predicate"].to_string());
    assert!(done(&scratch.run(&["verify", attestation.to_str().unwrap()])).contains("valid"));
    // Whoever gives the bundle is told what to give.
    let whole = scratch.file("whole.json", bundle.to_string());
    let refused = scratch.run(&["verify", whole.to_str().unwrap()]);
    let told = String::from_utf8_lossy(&refused.stdout);
    assert!(
        !refused.status.success() && told.contains("bundle") && told.contains("predicate"),
        "{refused:?}"
    );
    // The same again from the store, and nothing that is not there.
    let uri = statement["predicate"]["attestation_uri"].as_str().unwrap();
    let id = uri.rsplit('/').next().unwrap().trim_end_matches(".json");
    assert_eq!(read(&scratch.run(&["registry", "export", "--bundle", id])), bundle);
    assert_eq!(read(&scratch.run(&["registry", "export", id])), statement["predicate"]);
    assert_eq!(scratch.run(&["registry", "export", &"0".repeat(32)]).status.code(), Some(2));
    assert_eq!(scratch.run(&["registry", "export", "../registry"]).status.code(), Some(2));
    let without = scratch.run(&["evaluate", "shell", "--format", "bundle", "ls"]);
    assert_eq!(without.status.code(), Some(2), "{without:?}");
    assert!(String::from_utf8_lossy(&without.stderr).contains("--attest"));
}

#[test]
fn a_plan_is_a_subject() {
    let scratch = Scratch::new();
    let plan =
        json!({"format_version": "1.2", "terraform_version": "1.9.0", "resource_changes": []}).to_string();
    let file = scratch.file("plan.json", &plan);
    let words = ["evaluate", "terraform", "--attest", "--format", "bundle", file.to_str().unwrap()];
    let statement: Value = serde_json::from_slice(&payload(&read(&scratch.run(&words)))).unwrap();
    let subjects = statement["subject"].as_array().unwrap();
    assert!(subjects.iter().any(|one| one["digest"]["sha256"] == sha256(plan.as_bytes())), "{statement}");
}

#[test]
fn no_secret_is_a_subject() {
    let scratch = Scratch::new();
    let words =
        ["evaluate", "shell", "--attest", "--format", "bundle", "mysql -phunter2secret -e 'select 1'"];
    let bundle = read(&scratch.run(&words));
    let text = String::from_utf8(payload(&bundle)).unwrap();
    assert!(!text.contains("hunter2secret"), "{text}");
    assert!(!text.contains(&sha256(b"mysql -phunter2secret -e 'select 1'")), "{text}");
}

#[test]
fn the_clients_of_others_verify_it() {
    for client in Client::all() {
        let scratch = Scratch::new();
        let words = ["evaluate", "shell", "--attest", "--format", "bundle", "echo \u{e9}"];
        let bundle = read(&scratch.run(&words));
        let output = client.verifies(&scratch, &bundle);
        assert!(output.status.success(), "{}: {}", client.script, String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.stdout, payload(&bundle), "{}", client.script);
        let other = read(&scratch.run(&["evaluate", "shell", "--attest", "--format", "bundle", "echo e"]));
        let mut forged = bundle.clone();
        forged["dsseEnvelope"]["payload"] = other["dsseEnvelope"]["payload"].clone();
        assert!(!client.verifies(&scratch, &forged).status.success(), "{}", client.script);
        let mut forged = bundle.clone();
        forged["dsseEnvelope"]["payloadType"] = json!("text/plain");
        assert!(!client.verifies(&scratch, &forged).status.success(), "{}", client.script);
    }
}

#[test]
fn nothing_is_signed_again_that_this_instance_does_not_vouch_for() {
    let made = || {
        let scratch = Scratch::new();
        done(&scratch.run(&["keys", "generate", "--instance", "prod"]));
        done(&scratch.run(&["keys", "activate", "prod-1"]));
        scratch
    };
    let attest = |scratch: &Scratch, command: &str| -> String {
        let words = ["evaluate", "shell", "--attest", "--format", "json", "--fail-on", "never", command];
        let report = read(&scratch.run(&words));
        let uri = report["attestation"]["attestation_uri"].as_str().unwrap().to_owned();
        uri.rsplit('/').next().unwrap().trim_end_matches(".json").to_owned()
    };
    let refused = |scratch: &Scratch, id: &str, why: &str| {
        let output = scratch.run(&["registry", "export", "--bundle", id]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.stdout.is_empty() && said.contains(why), "{why}: {output:?}");
        assert_eq!(output.status.code(), Some(1), "{why}");
    };
    let store = |scratch: &Scratch| scratch.root().join("home/.local/share/recourse/attestations");
    let (ours, theirs) = (made(), made());
    // The same names, another key: what somebody else wrote into the store.
    let forged = attest(&theirs, "rm -rf /");
    let one = attest(&ours, "ls");
    done(&ours.run(&["registry", "export", "--bundle", &one]));
    let name = format!("{forged}.json");
    std::fs::copy(store(&theirs).join(&name), store(&ours).join(&name)).unwrap();
    refused(&ours, &forged, "signature_invalid");
    // Of another instance altogether.
    let mut elsewhere =
        theirs.recourse(&["evaluate", "shell", "--attest", "--format", "json", "--fail-on", "never", "pwd"]);
    let output = elsewhere.env("RECOURSE_BASE_URL", "https://evil.example").output().unwrap();
    let uri = read(&output)["attestation"]["attestation_uri"].as_str().unwrap().to_owned();
    assert!(uri.starts_with("https://evil.example/"), "{uri}");
    let name = uri.rsplit('/').next().unwrap();
    std::fs::copy(store(&theirs).join(name), store(&ours).join(name)).unwrap();
    refused(&ours, name.trim_end_matches(".json"), "instance_not_trusted");
    done(&ours.run(&["keys", "rotate"]));
    done(&ours.run(&["registry", "export", "--bundle", &one]));
    let two = attest(&ours, "pwd");
    done(&ours.run(&["keys", "retire", "prod-1"]));
    refused(&ours, &one, "is retired");
    done(&ours.run(&["keys", "compromise", "prod-1"]));
    refused(&ours, &one, "key_compromised");
    done(&ours.run(&["registry", "export", "--bundle", &two]));
}
