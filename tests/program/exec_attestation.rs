//! What `exec` does with attestations: every mode against everything that can be wrong with one.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use recourse::attest::keys::KeyStore;
use recourse::attest::sign::{Chain, Evaluation, Profile, Signer, SignerSettings};
use recourse::attest::store::Store;
use recourse::attest::{Attestation, Origin, Places, Time};
use serde_json::{Value, json};

use crate::support::{Scratch, exists, no_person_here, program};

pub(crate) const ALLOW: &str = "[[rule]]\nverdict = \"allow\"\n";
const ASK: &str = "[[rule]]\nverdict = \"escalate\"\n";
pub(crate) const MODES: [&str; 4] = ["ignore", "log", "verify", "require"];

/// Another instance: its keys in a directory of its own, its registry on a loopback port.
pub(crate) struct Instance {
    folder: tempfile::TempDir,
    registry: Arc<Mutex<Option<String>>>,
    pub(crate) base: String,
}

impl Instance {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry: Arc<Mutex<Option<String>>> = Arc::default();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let served = Arc::clone(&registry);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut request = [0; 4096];
                let _ = stream.read(&mut request);
                let body = served.lock().unwrap().clone();
                let (status, body) = match body {
                    Some(body) => ("200 OK", body),
                    None => ("503 Service Unavailable", String::new()),
                };
                let length = body.len();
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
            }
        });
        let instance = Self { folder, registry, base };
        instance.keys().ensure_active().unwrap();
        instance.publish();
        instance
    }

    fn places(&self) -> Places {
        Places::under(self.folder.path())
    }

    fn keys(&self) -> KeyStore {
        KeyStore::open(&self.places())
    }

    /// The registry as it is now, over HTTP.
    fn publish(&self) -> String {
        let text = self.keys().registry().unwrap().unwrap().to_value().to_string();
        *self.registry.lock().unwrap() = Some(text.clone());
        text
    }

    /// Serves a registry in which the key has been active since then.
    pub(crate) fn active_since(&self, time: Time) {
        let mut registry: Value = serde_json::from_str(&self.publish()).unwrap();
        registry["keys"][0]["valid_from"] = json!(time.to_string());
        self.serve(Some(registry.to_string()));
    }

    /// The key that signs.
    pub(crate) fn public_key(&self) -> String {
        self.keys().registry().unwrap().unwrap().active().unwrap().public_key.clone()
    }

    /// Serves the registry under another version and changed so.
    pub(crate) fn serve_changed(&self, version: u64, change: &dyn Fn(&mut Value)) {
        let mut registry: Value = serde_json::from_str(&self.publish()).unwrap();
        (registry["registry_version"], registry["sequence"]) = (json!(version), json!(version));
        change(&mut registry);
        self.serve(Some(registry.to_string()));
    }

    fn serve(&self, registry: Option<String>) {
        *self.registry.lock().unwrap() = registry;
    }

    /// A person's approval of an evaluation, said to be of this verdict.
    fn approve(&self, parent: &Attestation, verdict: &str) -> Attestation {
        let output = json!({
            "schemaVersion": "recourse.approval.v1", "decision": "approved", "riskAssessment": verdict,
            "assessmentReason": "looked at it", "approver": {"user": "ann", "uid": 1, "method": "terminal"},
        });
        let chain = Some(Chain { chain_id: parent.id().to_owned(), parent: Some(parent.digest()) });
        self.sign(Evaluation { input: parent.input().clone(), output, chain }, Time::now())
    }

    pub(crate) fn attest(&self, input: Value, verdict: &str, time: Time) -> Attestation {
        self.attest_for(input, verdict, time, Duration::from_secs(900))
    }

    /// The same, good for so long.
    pub(crate) fn attest_for(
        &self,
        input: Value,
        verdict: &str,
        time: Time,
        validity: Duration,
    ) -> Attestation {
        // The part of a report that says what `touch ran` does.
        let made = Path::new(input["cwd"].as_str().unwrap()).join("ran");
        let change = json!({
            "intent": {"action": "create", "target": {"type": "file", "id": made}},
            "recoverability": {"tier": 1},
        });
        let output = json!({
            "schemaVersion": "recourse.consequence.v1", "riskAssessment": verdict, "mutations": [change],
        });
        self.sign_for(Evaluation { input, output, chain: None }, time, validity)
    }

    pub(crate) fn sign(&self, evaluation: Evaluation, time: Time) -> Attestation {
        self.sign_for(evaluation, time, Duration::from_secs(900))
    }

    fn sign_for(&self, evaluation: Evaluation, time: Time, validity: Duration) -> Attestation {
        let settings = SignerSettings {
            base: Origin::base(&self.base).unwrap(),
            evaluator: "recourse:test:1".to_owned(),
            profile: Profile::Full,
            validity,
        };
        let signer = Signer::new(self.keys(), Store::open(&self.places()), settings);
        signer.attest_at(evaluation, time).unwrap()
    }
}

/// What `touch ran` in a scratch directory is attested as.
pub(crate) fn input(scratch: &Scratch) -> Value {
    let cwd = scratch.work().canonicalize().unwrap();
    json!({"source": "shell", "input": "touch ran", "argv": ["touch", "ran"], "cwd": cwd})
}

/// One command in one mode with one attestation: `ran`, or the reason of the refusal.
fn outcome(scratch: &Scratch, mode: &str, trusted: &str, attestation: &Value) -> String {
    let ran = scratch.work().join("ran");
    let _ = std::fs::remove_file(&ran);
    let file = scratch.root().join("attestation.json");
    std::fs::write(&file, attestation.to_string()).unwrap();
    let output = scratch
        .recourse(&["exec", "--attestation", file.to_str().unwrap(), "--", "touch", "ran"])
        .env("RECOURSE_ATTESTATION_MODE", mode)
        .env("RECOURSE_TRUSTED_INSTANCES", trusted)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if exists(&ran) {
        assert_eq!(output.status.code(), Some(0), "{said}");
        return "ran".to_owned();
    }
    assert_eq!(output.status.code(), Some(126), "{said}");
    let reason = said.split("refused: ").nth(1).unwrap_or(&said);
    reason.split([':', ' ', '\n']).next().unwrap_or_default().to_owned()
}

/// The table of the modes. Every row: what is wrong, and what each mode did about it.
#[test]
fn each_mode_against_each_fault() {
    let mut table = String::new();
    let mut row = |name: &str, each: &mut dyn FnMut(&str) -> String| {
        let cells: Vec<String> = MODES.iter().map(|mode| each(mode)).collect();
        let _ = writeln!(table, "{name} | {}", cells.join(" | "));
    };
    let now = Time::now;
    let fresh = || (Scratch::with_policy(ALLOW), Instance::new());
    let good =
        |scratch: &Scratch, instance: &Instance| instance.attest(input(scratch), "allow", now()).to_value();

    row("valid", &mut |mode| {
        let (scratch, instance) = fresh();
        outcome(&scratch, mode, &instance.base, &good(&scratch, &instance))
    });
    row("absent", &mut |mode| {
        let scratch = Scratch::with_policy(ALLOW);
        let output = scratch
            .recourse(&["exec", "--", "touch", "ran"])
            .env("RECOURSE_ATTESTATION_MODE", mode)
            .env("RECOURSE_ATTESTATION", "false")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if mode == "verify" {
            assert!(said.contains("attestation_absent"), "{said}");
        }
        if exists(&scratch.work().join("ran")) {
            "ran".to_owned()
        } else {
            assert!(said.contains("attestation_absent"), "{said}");
            "attestation_absent".to_owned()
        }
    });
    row("forged", &mut |mode| {
        let (scratch, instance) = fresh();
        let mut forged = instance.attest(input(&scratch), "block", now()).to_value();
        forged["output"]["riskAssessment"] = json!("allow");
        outcome(&scratch, mode, &instance.base, &forged)
    });
    row("stale", &mut |mode| {
        let (scratch, instance) = fresh();
        let old = instance.attest(input(&scratch), "allow", now().plus_seconds(-1000));
        outcome(&scratch, mode, &instance.base, &old.to_value())
    });
    row("clock skewed", &mut |mode| {
        let (scratch, instance) = fresh();
        let ahead = instance.attest(input(&scratch), "allow", now().plus_seconds(600));
        outcome(&scratch, mode, &instance.base, &ahead.to_value())
    });
    row("replayed", &mut |mode| {
        let (scratch, instance) = fresh();
        let once = good(&scratch, &instance);
        assert_eq!(outcome(&scratch, mode, &instance.base, &once), "ran");
        outcome(&scratch, mode, &instance.base, &once)
    });
    row("rolled back", &mut |mode| {
        let (scratch, instance) = fresh();
        let old = instance.publish();
        instance.keys().generate().unwrap();
        instance.publish();
        assert_eq!(outcome(&scratch, mode, &instance.base, &good(&scratch, &instance)), "ran");
        instance.serve(Some(old));
        // Signed by a key that is in no kept registry: it has to be fetched again.
        instance.keys().rotate(None).unwrap();
        instance.keys().rotate(None).unwrap();
        outcome(&scratch, mode, &instance.base, &good(&scratch, &instance))
    });
    row("wrong directory", &mut |mode| {
        let (scratch, instance) = fresh();
        let mut elsewhere = input(&scratch);
        elsewhere["cwd"] = json!("/elsewhere");
        let attestation = instance.attest(elsewhere, "allow", now());
        outcome(&scratch, mode, &instance.base, &attestation.to_value())
    });
    row("one byte changed", &mut |mode| {
        let (scratch, instance) = fresh();
        let mut other = input(&scratch);
        other["input"] = json!("touch rat");
        other["argv"] = json!(["touch", "rat"]);
        outcome(&scratch, mode, &instance.base, &instance.attest(other, "allow", now()).to_value())
    });
    row("key compromised", &mut |mode| {
        let (scratch, instance) = fresh();
        let attestation = good(&scratch, &instance);
        let key = attestation["key_id"].as_str().unwrap().to_owned();
        instance.keys().compromise(&key, None).unwrap();
        instance.publish();
        outcome(&scratch, mode, &instance.base, &attestation)
    });
    row("registry down", &mut |mode| {
        let (scratch, instance) = fresh();
        let attestation = good(&scratch, &instance);
        instance.serve(None);
        outcome(&scratch, mode, &instance.base, &attestation)
    });
    row("not trusted", &mut |mode| {
        let (scratch, instance) = fresh();
        outcome(&scratch, mode, "https://recourse.example", &good(&scratch, &instance))
    });
    row("nobody trusted", &mut |mode| {
        let (scratch, instance) = fresh();
        outcome(&scratch, mode, "", &good(&scratch, &instance))
    });
    row("attested block", &mut |mode| {
        let (scratch, instance) = fresh();
        let attestation = instance.attest(input(&scratch), "block", now());
        outcome(&scratch, mode, &instance.base, &attestation.to_value())
    });

    let expected = "\
valid | ran | ran | ran | ran
absent | ran | ran | ran | attestation_absent
forged | ran | ran | signature_invalid | signature_invalid
stale | ran | ran | attestation_expired | attestation_expired
clock skewed | ran | ran | attestation_expired | attestation_expired
replayed | ran | ran | nonce_reused | nonce_reused
rolled back | ran | ran | registry_rollback | registry_rollback
wrong directory | ran | ran | cross_check_mismatch | cross_check_mismatch
one byte changed | ran | ran | cross_check_mismatch | cross_check_mismatch
key compromised | ran | ran | key_compromised | key_compromised
registry down | ran | ran | network_error | network_error
not trusted | ran | ran | instance_not_trusted | instance_not_trusted
nobody trusted | ran | ran | ran | instance_not_trusted
attested block | ran | ran | it | it
";
    assert_eq!(table, expected);
}

/// The last entry of the audit log.
fn logged(scratch: &Scratch) -> Value {
    crate::support::json(&scratch.run(&["log", "--last", "1", "--format", "json"]))
}

#[test]
fn the_own_evaluation_is_attested_verified_and_recorded() {
    let scratch = Scratch::with_policy(ALLOW);
    scratch.config("[attestation]\nmode = \"require\"\n");
    assert_eq!(scratch.run(&["exec", "--", "touch", "ran"]).status.code(), Some(0));
    assert!(exists(&scratch.work().join("ran")));
    let entry = logged(&scratch);
    assert_eq!(entry["event"], "executed", "{entry}");
    assert_eq!(entry["details"]["attestationId"].as_str().map(str::len), Some(32), "{entry}");
    // The stored attestation cannot be used a second time.
    let id = entry["details"]["attestationId"].as_str().unwrap();
    let stored = scratch.root().join(format!("home/.local/share/recourse/attestations/{id}.json"));
    let again = scratch.run(&["exec", "--attestation", stored.to_str().unwrap(), "--", "touch", "ran"]);
    assert_eq!(again.status.code(), Some(126));
    assert!(String::from_utf8_lossy(&again.stderr).contains("nonce_reused"));
    assert_eq!(scratch.run(&["log", "verify"]).status.code(), Some(0));
}

#[test]
fn an_evaluation_can_be_handed_on_and_is_used_once() {
    let scratch = Scratch::with_policy(ALLOW);
    scratch.config("[attestation]\nmode = \"require\"\n");
    let evaluated = scratch.run(&["evaluate", "shell", "--format", "json", "--", "touch", "ran"]);
    let report = crate::support::json(&evaluated);
    assert!(report["attestation"]["signature"].is_string(), "{report}");
    let file = scratch.root().join("report.json");
    std::fs::write(&file, &evaluated.stdout).unwrap();
    let exec = |words: &[&str]| {
        let mut all = vec!["exec", "--attestation", file.to_str().unwrap(), "--"];
        all.extend(words);
        scratch.run(&all)
    };
    let other = exec(&["touch", "other"]);
    assert_eq!(other.status.code(), Some(126));
    assert!(String::from_utf8_lossy(&other.stderr).contains("cross_check_mismatch"));
    assert_eq!(exec(&["touch", "ran"]).status.code(), Some(0));
    assert_eq!(exec(&["touch", "ran"]).status.code(), Some(126));
}

#[test]
fn a_person_at_the_terminal_makes_an_approval_that_is_chained() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::with_policy(ASK);
    scratch.config("[attestation]\nmode = \"require\"\n");
    let mut terminal = scratch.in_terminal(&[program(), "exec", "--", "touch", "ran"]);
    terminal.expect("Your decision");
    terminal.send("r");
    let (status, text) = terminal.finish();
    assert_eq!(status, 0, "{text}");
    assert!(exists(&scratch.work().join("ran")));
    let entry = logged(&scratch);
    let details = &entry["details"];
    let read = |field: &str| -> Value {
        let id = details[field].as_str().unwrap();
        let path = scratch.root().join(format!("home/.local/share/recourse/attestations/{id}.json"));
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    };
    let (evaluation, approval) = (read("attestationId"), read("approvalAttestationId"));
    assert_eq!(approval["input"], evaluation["input"]);
    assert_eq!(approval["output"]["decision"], "approved");
    assert_eq!(approval["parent_attestation"], details["attestationDigest"]);
    assert_eq!(approval["output"]["riskAssessment"], "escalate");
}

#[test]
fn what_cannot_be_bound_is_refused_where_binding_is_required() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::with_policy(ALLOW);
    scratch.config("[attestation]\nmode = \"require\"\n");
    let decomposed = scratch.run(&["exec", "--", "touch", "cafe\u{301}"]);
    assert_eq!(decomposed.status.code(), Some(126));
    assert!(String::from_utf8_lossy(&decomposed.stderr).contains("normalisation form C"));
    let odd = std::ffi::OsStr::from_bytes(b"a\xff");
    let words = ["exec".as_ref(), "--".as_ref(), "touch".as_ref(), odd];
    assert_eq!(scratch.run(&words).status.code(), Some(126));
}

#[test]
fn a_broken_configuration_runs_nothing() {
    for text in ["[attestation]\nmode = \"strict\"\n", "[attestation]\nmod = \"log\"\n", "nonsense"] {
        let scratch = Scratch::with_policy(ALLOW);
        scratch.config(text);
        assert_eq!(scratch.run(&["exec", "--", "touch", "ran"]).status.code(), Some(125), "{text}");
        assert_eq!(scratch.run(&["evaluate", "shell", "ls"]).status.code(), Some(2), "{text}");
        assert!(!exists(&scratch.work().join("ran")));
    }
}

#[test]
fn an_approval_that_is_chained_lets_an_escalated_command_run_once() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::with_policy(ASK);
    let instance = Instance::new();
    let evaluation = instance.attest(input(&scratch), "escalate", Time::now());
    let approval = instance.approve(&evaluation, "escalate");
    let exec = |documents: &[&Attestation]| {
        let mut words = vec!["exec".to_owned()];
        for (number, document) in documents.iter().enumerate() {
            let file = scratch.root().join(format!("{number}.json"));
            std::fs::write(&file, document.to_value().to_string()).unwrap();
            words.extend(["--attestation".to_owned(), file.display().to_string()]);
        }
        words.extend(["--", "touch", "ran"].map(str::to_owned));
        let output = scratch
            .recourse(&words)
            .env("RECOURSE_ATTESTATION_MODE", "require")
            .env("RECOURSE_TRUSTED_INSTANCES", &instance.base)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let refused = |documents: &[&Attestation], why: &str| {
        let (code, said) = exec(documents);
        assert_eq!(code, Some(126), "{said}");
        assert!(said.contains(why), "{why}: {said}");
        assert!(!exists(&scratch.work().join("ran")));
    };
    refused(&[&evaluation], "it was not run");
    refused(&[&approval], "chain_invalid");
    let other = instance.attest(input(&scratch), "escalate", Time::now());
    refused(&[&other, &approval], "chain_invalid");
    refused(&[&evaluation, &instance.approve(&evaluation, "allow")], "chain_invalid");
    // Approved was less than what is found here.
    let mild = instance.attest(input(&scratch), "warn", Time::now());
    refused(&[&mild, &instance.approve(&mild, "warn")], "it was not run");
    let (code, said) = exec(&[&evaluation, &approval]);
    assert_eq!(code, Some(0), "{said}");
    std::fs::remove_file(scratch.work().join("ran")).unwrap();
    refused(&[&evaluation, &approval], "nonce_reused");
}

/// That a person may type the name of what is lost is no consent to an approval that somebody hands over: that has to stand
/// in a policy.
#[test]
fn an_approval_of_what_is_blocked_counts_only_where_a_policy_says_so() {
    for (policy, mode, runs) in [
        ("", "verify", false),
        ("", "require", false),
        ("[profile.human]\noverride-block = false\n", "require", false),
        ("[profile.human]\noverride-block = true\n", "verify", true),
        ("[profile.human]\noverride-block = true\n", "require", true),
    ] {
        let scratch = Scratch::with_policy(policy);
        let instance = Instance::new();
        let evaluation = instance.attest(input(&scratch), "block", Time::now());
        let approval = instance.approve(&evaluation, "block");
        let mut words = vec!["exec".to_owned()];
        for (number, document) in [&evaluation, &approval].iter().enumerate() {
            let file = scratch.root().join(format!("{number}.json"));
            std::fs::write(&file, document.to_value().to_string()).unwrap();
            words.extend(["--attestation".to_owned(), file.display().to_string()]);
        }
        words.extend(["--", "touch", "ran"].map(str::to_owned));
        let output = scratch
            .recourse(&words)
            .env("RECOURSE_ATTESTATION_MODE", mode)
            .env("RECOURSE_TRUSTED_INSTANCES", &instance.base)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(exists(&scratch.work().join("ran")), runs, "{mode} {policy}: {said}");
    }
}
