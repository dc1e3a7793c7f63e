//! The operator's commands as processes: keys, publishing, the audit log, and the schemas of what is written.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::Scratch;
use recourse::attest::keys::KeyStore;
use recourse::attest::sign::{Chain, DEFAULT_VALIDITY, Evaluation, Profile, Signer, SignerSettings};
use recourse::attest::store::Store;
use recourse::attest::{Attestation, Origin, Places};
use serde_json::{Value, json};

fn data(scratch: &Scratch) -> PathBuf {
    scratch.work().parent().unwrap().join("home/.local/share/recourse")
}

fn places(scratch: &Scratch) -> Places {
    let home = scratch.work().parent().unwrap().join("home");
    Places {
        data: data(scratch),
        state: home.join(".local/state/recourse"),
        cache: home.join(".cache/recourse"),
    }
}

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn valid(schema: &str, value: &Value) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(schema);
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap().is_valid(value)
}

fn registry(scratch: &Scratch) -> Value {
    serde_json::from_slice(&fs::read(data(scratch).join("registry.json")).unwrap()).unwrap()
}

fn states(scratch: &Scratch) -> Vec<String> {
    let registry = registry(scratch);
    let keys = registry["keys"].as_array().unwrap();
    keys.iter().map(|key| key["state"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_key_lives_and_ends() {
    let scratch = Scratch::new();
    let run = |words: &[&str]| scratch.run(words);
    assert!(done(&run(&["keys", "list"])).contains("no keys yet"));
    assert!(!data(&scratch).exists(), "looking makes nothing");
    done(&run(&["keys", "generate", "--instance", "prod"]));
    assert!(
        refused(&run(&["keys", "retire", "prod-1"]))
            .contains("it can become active, deprecated or compromised")
    );
    assert!(refused(&run(&["keys", "activate", "prod-7"])).contains("there are prod-1"));
    done(&run(&["keys", "activate", "prod-1"]));
    let outcome: Value = serde_json::from_str(&done(&run(&["keys", "rotate", "--format", "json"]))).unwrap();
    assert_eq!((outcome["active"].as_str(), outcome["registryVersion"].as_u64()), (Some("prod-2"), Some(4)));
    assert!(refused(&run(&["keys", "rotate", "--at", "2020-01-01T00:00:00Z"])).contains("not in the future"));
    assert!(refused(&run(&["keys", "rotate", "--at", "2020-02-30T00:00:00Z"])).contains("--at"));
    done(&run(&["keys", "retire", "prod-1"]));
    let text = done(&run(&["keys", "compromise", "prod-2", "--reason", "a laptop was lost"]));
    assert!(text.contains("no key is active"), "{text}");
    assert_eq!(states(&scratch), ["retired", "compromised"]);
    assert!(refused(&run(&["keys", "rotate"])).contains("no key is active"));
    assert!(refused(&run(&["keys", "compromise", "prod-2"])).contains("final"));
    assert!(valid("registry.schema.json", &registry(&scratch)));
    assert!(done(&run(&["log"])).contains("reason=a laptop was lost"));
    assert!(done(&run(&["log", "verify"])).contains("holds: 7 events"));
    let log = data(&scratch).join("audit.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("pending", "planned", 1)).unwrap();
    let output = run(&["log", "verify", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(crate::support::json(&output)["line"], 2);
}

#[test]
fn public_keys_are_exported() {
    let scratch = Scratch::new();
    done(&scratch.run(&["keys", "generate", "--instance", "prod"]));
    done(&scratch.run(&["keys", "activate", "prod-1"]));
    let jwk: Value = serde_json::from_str(&done(&scratch.run(&["keys", "export"]))).unwrap();
    assert_eq!(jwk["kid"], "prod-1");
    let raw = scratch.run(&["keys", "export", "--format", "raw", "prod-1"]);
    assert_eq!(raw.stdout.len(), 32);
    let pem = done(&scratch.run(&["keys", "export", "--format", "pem"]));
    assert!(pem.starts_with("-----BEGIN PUBLIC KEY-----\n"));
    let secret = fs::read_to_string(data(&scratch).join("keys/prod-1.pem")).unwrap();
    let secret = secret.lines().nth(1).unwrap();
    for words in
        [vec!["keys", "list", "--format", "json"], vec!["log", "--format", "json"], vec!["keys", "export"]]
    {
        assert!(!done(&scratch.run(&words)).contains(secret));
    }
}

#[test]
fn openssl_reads_the_keys() {
    if Command::new("openssl").arg("version").output().is_err() {
        eprintln!("NOT CHECKED: openssl is not installed");
        return;
    }
    let scratch = Scratch::new();
    let word = scratch.file("word", "open sesame\n");
    fs::set_permissions(&word, fs::Permissions::from_mode(0o644)).unwrap();
    let word = word.to_str().unwrap();
    let generate = ["keys", "generate", "--instance", "prod", "--passphrase-file", word];
    assert!(refused(&scratch.run(&generate)).contains("others can read it"));
    fs::set_permissions(word, fs::Permissions::from_mode(0o600)).unwrap();
    done(&scratch.run(&generate));
    done(&scratch.run(&["keys", "generate"]));
    let openssl = |key: &str, more: &[&str]| {
        let file = data(&scratch).join("keys").join(key);
        let output =
            Command::new("openssl").args(["pkey", "-pubout", "-in"]).arg(file).args(more).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    for (key, more) in [("prod-1", vec!["-passin", "pass:open sesame"]), ("prod-2", vec![])] {
        let exported = done(&scratch.run(&["keys", "export", "--format", "pem", key]));
        assert_eq!(openssl(&format!("{key}.pem"), &more), (true, exported));
    }
    assert!(!openssl("prod-1.pem", &["-passin", "pass:wrong"]).0);
    let needed = refused(&scratch.run(&["keys", "activate", "prod-1"]));
    assert!(needed.contains("encrypted") && !needed.contains("sesame"), "{needed}");
    let with = |value: &str| {
        let mut command = scratch.recourse(&["keys", "activate", "prod-1"]);
        command.env("RECOURSE_KEY_PASSPHRASE", value).stdin(Stdio::null()).output().unwrap()
    };
    let wrong = refused(&with("wrong word"));
    assert!(wrong.contains("does not open") && !wrong.contains("wrong word"), "{wrong}");
    done(&with("open sesame"));
    assert_eq!(states(&scratch), ["active", "pending"]);
}

#[test]
fn the_doctor_names_what_is_wrong() {
    let scratch = Scratch::new();
    let doctor = || String::from_utf8(scratch.run(&["doctor"]).stdout).unwrap();
    assert!(!doctor().contains("keys"), "nothing to say");
    assert!(doctor().contains("ok       attestation     not set up, and you are guarded without it"));
    done(&scratch.run(&["keys", "generate", "--instance", "prod"]));
    assert!(doctor().contains("no key is active"));
    done(&scratch.run(&["keys", "activate", "prod-1"]));
    assert!(doctor().contains("prod-1 signs") && doctor().contains("2 events"));
    let pem = data(&scratch).join("keys/prod-1.pem");
    fs::set_permissions(&pem, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(doctor().contains("0644"));
    let log = data(&scratch).join("audit.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("prod-1", "prod-9", 1)).unwrap();
    let changed = doctor();
    assert!(changed.contains("lacking  audit log") && changed.contains("broken at line"), "{changed}");
    assert!(changed.contains("next: recourse log verify"), "{changed}");
    fs::write(&log, &text).unwrap();
    assert!(doctor().contains("ok       audit log"));
    let head = scratch.root().join("home/.local/state/recourse/audit.head");
    let kept = fs::read(&head).unwrap();
    fs::write(&head, "{").unwrap();
    let damaged = doctor();
    assert!(damaged.contains("the audit log's end cannot be checked"), "{damaged}");
    assert!(damaged.contains("next: keep copies of"), "{damaged}");
    fs::write(&head, kept).unwrap();
    fs::remove_file(log).unwrap();
    assert!(doctor().contains("the log is gone"));
}

#[test]
fn many_processes_at_once_leave_one_active_key() {
    let scratch = Scratch::new();
    done(&scratch.run(&["keys", "generate", "--instance", "prod"]));
    done(&scratch.run(&["keys", "activate", "prod-1"]));
    let words: [&[&str]; 3] = [&["keys", "rotate"], &["keys", "generate"], &["keys", "activate", "prod-2"]];
    let started: Vec<_> = (0..18)
        .map(|n| {
            let mut command = scratch.recourse(words[n % words.len()]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    let mut worked = 0;
    for mut child in started {
        worked += usize::from(child.wait().unwrap().success());
    }
    assert!(worked >= 12, "rotating and generating always work: {worked}");
    let states = states(&scratch);
    assert_eq!(states.iter().filter(|state| *state == "active").count(), 1, "{states:?}");
    assert!(valid("registry.schema.json", &registry(&scratch)));
    assert!(done(&scratch.run(&["log", "verify"])).contains("holds"));
}

#[test]
fn what_is_published_is_what_the_schemas_say() {
    let scratch = Scratch::new();
    let root = scratch.work().join("web");
    let publish = ["registry", "publish", root.to_str().unwrap(), "--format", "json"];
    assert!(refused(&scratch.run(&publish)).contains("nothing to publish"));
    let places = places(&scratch);
    let keys = KeyStore::open(&places).named("prod").unwrap();
    keys.ensure_active().unwrap();
    let settings = |profile| SignerSettings {
        base: Origin::base("https://recourse.example").unwrap(),
        evaluator: "recourse:0.1.0".to_owned(),
        profile,
        validity: DEFAULT_VALIDITY,
    };
    let chain =
        Some(Chain { chain_id: "c-1".to_owned(), parent: Some(format!("sha256:{}", "a".repeat(64))) });
    let what = |chain| Evaluation {
        input: json!({"source": "shell", "input": "rm -rf /data", "cwd": "/"}),
        output: json!({"schemaVersion": "recourse.consequence.v1", "riskAssessment": "block"}),
        chain,
    };
    let full = Signer::new(keys, Store::open(&places), settings(Profile::Full));
    full.attest(what(None)).unwrap();
    full.attest(what(chain)).unwrap();
    let core = Signer::new(KeyStore::open(&places), Store::open(&places), settings(Profile::Core));
    core.attest(what(None)).unwrap();
    let published = crate::support::json(&scratch.run(&publish));
    assert_eq!(published["attestations"], 3);
    let read = |path: &Path| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    assert!(valid("registry.schema.json", &read(&root.join(".well-known/recourse-keys.json"))));
    let mut count = 0;
    for entry in fs::read_dir(root.join(".well-known/attestations")).unwrap().flatten() {
        let mut value = read(&entry.path());
        assert!(valid("attestation.schema.json", &value), "{value}");
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o644);
        value["more"] = json!(1);
        assert!(!valid("attestation.schema.json", &value), "unknown fields are refused");
        count += 1;
    }
    assert_eq!(count, 3);
    done(&scratch.run(&["keys", "compromise", "prod-1"]));
    let published = crate::support::json(&scratch.run(&publish));
    assert_eq!((&published["attestations"], &published["leftOut"]), (&json!(0), &json!(3)));
    assert_eq!(fs::read_dir(root.join(".well-known/attestations")).unwrap().count(), 0);
    assert!(valid("registry.schema.json", &read(&root.join(".well-known/recourse-keys.json"))));
}

#[cfg(target_os = "linux")]
#[test]
fn a_compromise_is_said_on_a_full_disk() {
    let scratch = Scratch::new();
    let disk = scratch.root().join("disk");
    fs::create_dir_all(&disk).unwrap();
    let script = r#"
        set -e
        "$R" keys generate && "$R" keys activate full-1
        cat /dev/zero > fill 2>/dev/null || true
        if echo more > more 2>/dev/null; then echo "NOT FULL"; fi
        "$R" keys compromise full-1 --reason "a full disk"
        "$R" keys list --format json
        ls data/recourse/keys
    "#;
    let mut command = std::process::Command::new("bwrap");
    command
        .args(["--dev-bind", "/", "/", "--size", "400000", "--tmpfs"])
        .arg(&disk)
        .arg("--chdir")
        .arg(&disk);
    command.args(["--", "bash", "-c", script]).env("R", crate::support::program());
    for (name, folder) in
        [("XDG_DATA_HOME", "data"), ("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache")]
    {
        command.env(name, disk.join(folder));
    }
    command.env("HOME", scratch.root().join("home")).env("RECOURSE_INSTANCE_ID", "full");
    command.env("XDG_CONFIG_HOME", scratch.root().join("config"));
    let Ok(output) = command.output() else {
        return crate::support::skipped("bwrap makes no small disk: it is not there");
    };
    let (out, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if said.contains("bwrap:") {
        return crate::support::skipped(&format!("bwrap makes no small disk: {said}"));
    }
    assert!(output.status.success() && !out.contains("NOT FULL"), "{out}{said}");
    assert!(out.contains("compromised") && !out.contains("full-1.pem"), "{out}{said}");
}

#[test]
fn a_compromised_key_is_gone_where_no_file_may_be_written() {
    let scratch = Scratch::new();
    for words in [&["keys", "generate"][..], &["keys", "activate", "prod-1"]] {
        done(&scratch.recourse(words).env("RECOURSE_INSTANCE_ID", "prod").output().unwrap());
    }
    let key = places(&scratch).keys().join("prod-1.pem");
    assert!(key.exists());
    let mut command = scratch.recourse::<&str>(&[]);
    let environment: Vec<_> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    command = std::process::Command::new("bash");
    for (name, value) in environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let script = "ulimit -f 0; exec \"$R\" keys compromise prod-1";
    let output = command
        .args(["-c", script])
        .env("R", crate::support::program())
        .current_dir(scratch.work())
        .output()
        .unwrap();
    assert!(output.status.code().is_some(), "a signal ended it: {:?}", output.status);
    assert!(!key.exists(), "{output:?}");
    // Nobody is to look for a compromised key in a backup.
    let listed = done(&scratch.run(&["keys", "list"]));
    assert!(listed.contains("was not finished") && !listed.contains("restore it"), "{listed}");
    done(&scratch.run(&["keys", "compromise", "prod-1"]));
    assert!(!done(&scratch.run(&["keys", "list"])).contains("was not finished"));
}

#[test]
fn a_registry_that_was_put_back_revives_no_key() {
    let scratch = Scratch::new();
    done(&scratch.run(&["keys", "generate", "--instance", "prod"]));
    done(&scratch.run(&["keys", "activate", "prod-1"]));
    let words = ["evaluate", "shell", "--attest", "--format", "json", "--fail-on", "never", "touch k"];
    let report = done(&scratch.run(&words));
    let attestation = scratch.file("a.json", report);
    let file = data(&scratch).join("registry.json");
    let old = fs::read(&file).unwrap();
    done(&scratch.run(&["keys", "compromise", "prod-1"]));
    let new = fs::read(&file).unwrap();
    fs::write(&file, &old).unwrap();
    for words in [
        &["keys", "generate"][..],
        &["keys", "rotate"],
        &["keys", "list"],
        &["keys", "compromise", "prod-1"],
        &["registry", "publish", "web"],
    ] {
        let output = scratch.run(words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("put back from an old copy"), "{words:?}: {said}");
        assert_eq!(fs::read(&file).unwrap(), old, "{words:?}");
    }
    let doctor = String::from_utf8(scratch.run(&["doctor"]).stdout).unwrap();
    assert!(doctor.contains("put back from an old copy"), "{doctor}");
    for mode in ["verify", "require"] {
        let output = scratch
            .recourse(&["exec", "--attestation", attestation.to_str().unwrap(), "--", "touch", "k"])
            .env("RECOURSE_ATTESTATION_MODE", mode)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(126) && said.contains("local_fault"), "{mode}: {said}");
    }
    fs::write(&file, new).unwrap();
    assert!(done(&scratch.run(&["keys", "generate"])).contains("prod-2"));
    // A copy of today is none that takes anything back.
    let today = fs::read(&file).unwrap();
    fs::write(&file, today).unwrap();
    done(&scratch.run(&["keys", "activate", "prod-2"]));
}

#[test]
fn an_approval_of_this_instance_is_of_whoever_runs_it() {
    let scratch = Scratch::with_policy("[[rule]]\nverdict = \"escalate\"\n");
    let words =
        ["evaluate", "shell", "--attest", "--format", "json", "--fail-on", "never", "--", "touch", "ran"];
    let report = crate::support::json(&scratch.run(&words));
    let parent = Attestation::from_value(&report["attestation"]).unwrap();
    let places = places(&scratch);
    let settings = SignerSettings {
        base: parent.origin().clone(),
        evaluator: "recourse:0.1.0".to_owned(),
        profile: Profile::Full,
        validity: DEFAULT_VALIDITY,
    };
    let signer = Signer::new(KeyStore::open(&places), Store::open(&places), settings);
    let own = nix::unistd::getuid().as_raw();
    let evaluation = scratch.file("report.json", report.to_string());
    for (uid, runs) in
        [(json!(4242), false), (json!(own.to_string()), false), (json!(null), false), (json!(own), true)]
    {
        let output = json!({
            "schemaVersion": "recourse.approval.v1", "decision": "approved", "riskAssessment": "escalate",
            "assessmentReason": "looked at it", "approver": {"user": "ann", "uid": uid, "method": "terminal"},
        });
        let chain = Some(Chain { chain_id: parent.id().to_owned(), parent: Some(parent.digest()) });
        let approval = signer.attest(Evaluation { input: parent.input().clone(), output, chain }).unwrap();
        let approval = scratch.file("approval.json", approval.canonical());
        let (evaluation, approval) = (evaluation.to_str().unwrap(), approval.to_str().unwrap());
        let words = [
            "exec",
            "--profile",
            "ci",
            "--attestation",
            evaluation,
            "--attestation",
            approval,
            "--",
            "touch",
            "ran",
        ];
        let output = scratch.recourse(&words).env("RECOURSE_ATTESTATION_MODE", "require").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.success(), scratch.work().join("ran").exists()),
            (runs, runs),
            "{uid}: {said}"
        );
        assert!(runs != said.contains("refused"), "{uid}: {said}");
    }
}
