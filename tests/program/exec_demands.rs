//! What `exec` demands of an attestation besides its signature: that there is one, that it is fresh, meant for here, and that
//! what this machine keeps for verifying can be relied on.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use recourse::attest::Time;
use serde_json::{Value, json};

use crate::exec_attestation::{ALLOW, Instance, MODES, input};
use crate::support::{Scratch, exists, no_person_here, program};

/// `touch ran` with this handed over, as configured by these variables.
fn touch(scratch: &Scratch, attestation: &Path, variables: &[(&str, &str)]) -> Output {
    let words = ["exec", "--attestation", attestation.to_str().unwrap(), "--", "touch", "ran"];
    scratch
        .recourse(&words)
        .envs(variables.iter().copied())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn written(scratch: &Scratch, document: &str) -> PathBuf {
    let file = scratch.root().join("attestation.json");
    fs::write(&file, document).unwrap();
    file
}

/// The last entries of the audit log, oldest first.
fn logged(scratch: &Scratch, last: &str) -> Vec<Value> {
    let output = scratch.run(&["log", "--last", last, "--format", "json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().rev().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn state(scratch: &Scratch) -> PathBuf {
    scratch.root().join("home/.local/state/recourse")
}

#[test]
fn what_is_absent_or_broken_is_weighed_by_the_mode_and_logged() {
    let table = [
        ("no file", None, ["ran", "ran", "ran", "attestation_absent"]),
        ("no member", Some("{\"schemaVersion\":\"1\"}"), ["ran", "ran", "ran", "attestation_absent"]),
        (
            "null",
            Some("{\"schemaVersion\":\"1\",\"attestation\":null}"),
            ["ran", "ran", "invalid_attestation", "invalid_attestation"],
        ),
        ("garbage", Some("{{{"), ["ran", "ran", "invalid_attestation", "invalid_attestation"]),
        ("a folder", Some("/"), ["ran", "ran", "invalid_attestation", "invalid_attestation"]),
    ];
    for (name, document, expected) in table {
        for (mode, expected) in MODES.iter().zip(expected) {
            let scratch = Scratch::with_policy(ALLOW);
            let file = match document {
                None => scratch.root().join("absent.json"),
                Some("/") => scratch.root().to_owned(),
                Some(text) => written(&scratch, text),
            };
            let output = touch(&scratch, &file, &[("RECOURSE_ATTESTATION_MODE", mode)]);
            let said = said(&output);
            let ran = exists(&scratch.work().join("ran"));
            assert_eq!(ran, expected == "ran", "{name} {mode}: {said}");
            assert_eq!(output.status.code(), Some(if ran { 0 } else { 126 }), "{name} {mode}: {said}");
            let entry = logged(&scratch, "1").pop().unwrap();
            let text = entry.to_string();
            let event = if ran { "executed" } else { "verification_failed" };
            assert_eq!(entry["event"], event, "{name} {mode}: {entry}");
            assert!(
                text.contains("attestation_absent") || text.contains("invalid_attestation"),
                "{name} {mode}: {text}"
            );
            assert!(ran || said.contains(expected), "{name} {mode}: {said}");
        }
    }
}

#[test]
fn what_is_required_is_young_whatever_it_says_itself() {
    let scratch = Scratch::with_policy(ALLOW);
    let instance = Instance::new();
    let week = Duration::from_secs(7 * 24 * 3600);
    let old = instance.attest_for(input(&scratch), "allow", Time::now().plus_seconds(-1000), week);
    let file = written(&scratch, &old.to_value().to_string());
    let required = [
        ("RECOURSE_ATTESTATION_MODE", "require"),
        ("RECOURSE_TRUSTED_INSTANCES", instance.base.as_str()),
        ("RECOURSE_ATTESTATION_MAX_AGE", ""),
    ];
    let refused = touch(&scratch, &file, &required);
    assert_eq!(refused.status.code(), Some(126));
    assert!(said(&refused).contains("attestation_expired"), "{}", said(&refused));
    let mut longer = required;
    longer[2].1 = "2000";
    // Its key was not the active one then.
    let refused = touch(&scratch, &file, &longer);
    assert_eq!(refused.status.code(), Some(126));
    assert!(said(&refused).contains("not active before"), "{}", said(&refused));
    instance.active_since(Time::now().plus_seconds(-2000));
    fs::remove_dir_all(scratch.root().join("home/.cache/recourse")).unwrap();
    assert_eq!(touch(&scratch, &file, &longer).status.code(), Some(0));
}

#[test]
fn what_a_verifier_knows_of_a_key_is_not_taken_back() {
    let retired = |registry: &mut Value| {
        registry["keys"][0]["state"] = json!("retired");
        registry["keys"][0]["deprecated_at"] = json!(Time::now().plus_seconds(-3600).to_string());
    };
    let left_out = |registry: &mut Value| registry["keys"] = json!([]);
    let another = |registry: &mut Value| {
        registry["keys"][0]["public_key"] = json!("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
    };
    let same = |_: &mut Value| {};
    type Step<'a> = (&'a dyn Fn(&mut Value), &'a str);
    let tables: [&[Step<'_>]; 3] = [
        // Signed now with a key that was replaced an hour ago; and that comes back to life.
        &[(&same, "ran"), (&retired, "attestation_expired"), (&same, "registry_rollback")],
        // In two steps.
        &[(&retired, "attestation_expired"), (&left_out, "key_not_found"), (&same, "registry_rollback")],
        &[(&same, "ran"), (&left_out, "key_not_found"), (&another, "registry_rollback")],
    ];
    for (row, steps) in tables.into_iter().enumerate() {
        let (scratch, instance) = (Scratch::with_policy(ALLOW), Instance::new());
        for (version, (change, expected)) in (10..).zip(steps) {
            instance.serve_changed(version, change);
            let made = instance.attest(input(&scratch), "allow", Time::now());
            let file = written(&scratch, &made.to_value().to_string());
            let _ = fs::remove_file(scratch.work().join("ran"));
            let variables = [
                ("RECOURSE_ATTESTATION_MODE", "require"),
                ("RECOURSE_TRUSTED_INSTANCES", instance.base.as_str()),
                ("RECOURSE_KEY_CACHE_TTL", "0"),
            ];
            let output = touch(&scratch, &file, &variables);
            let text = said(&output);
            let ran = exists(&scratch.work().join("ran"));
            assert_eq!(ran, *expected == "ran", "{row} {version}: {text}");
            assert!(ran || text.contains(expected), "{row} {version}: {text}");
        }
    }
    // `verify` says so only where it is asked to.
    let (scratch, instance) = (Scratch::new(), Instance::new());
    instance.serve_changed(10, &retired);
    let made = instance.attest(input(&scratch), "allow", Time::now());
    let file = written(&scratch, &made.to_value().to_string());
    let verify = |more: &[&str]| {
        let words = [&["verify", "--trust", &instance.base], more, &[file.to_str().unwrap()]].concat();
        scratch.run(&words).status.code()
    };
    assert_eq!((verify(&[]), verify(&["--key-validity"])), (Some(0), Some(1)));
}

#[test]
fn a_clock_that_went_back_revives_nothing() {
    let scratch = Scratch::with_policy(ALLOW);
    scratch.config("[attestation]\nmode = \"require\"\n");
    assert_eq!(scratch.run(&["exec", "--", "touch", "first"]).status.code(), Some(0));
    let seen = state(&scratch).join("clock");
    let before: Time = fs::read_to_string(&seen).unwrap().parse().unwrap();
    fs::write(&seen, before.plus_seconds(86_400).to_string()).unwrap();
    let refused = scratch.run(&["exec", "--", "touch", "ran"]);
    assert_eq!(refused.status.code(), Some(126));
    let text = said(&refused);
    assert!(text.contains("attestation_expired") && text.contains("the clock went back"), "{text}");
    // The way out that it names.
    fs::remove_file(&seen).unwrap();
    assert_eq!(scratch.run(&["exec", "--", "touch", "ran"]).status.code(), Some(0));
}

/// Who answers takes as long as they like; what permits it does not hold longer for that.
#[test]
fn what_expires_while_a_person_is_asked_does_not_run() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::with_policy("[[rule]]\nverdict = \"escalate\"\n");
    scratch.config("[attestation]\nmode = \"require\"\nvalidity = 4\n");
    let mut terminal = scratch.in_terminal(&[program(), "exec", "--", "touch", "ran"]);
    terminal.expect("Your decision");
    std::thread::sleep(Duration::from_millis(4200));
    terminal.send("r");
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(text.contains("attestation_expired"), "{text}");
    assert!(!exists(&scratch.work().join("ran")));
}

#[test]
fn a_fault_of_this_machine_is_no_replay_and_no_network() {
    let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    type Break = fn(&Path, &dyn Fn(&Path));
    let faults: [(&str, Break); 3] = [
        ("nonces", |state, open| {
            fs::create_dir_all(state.join("nonces")).unwrap();
            open(&state.join("nonces"));
        }),
        ("nonces", |state, _| {
            fs::create_dir_all(state).unwrap();
            std::os::unix::fs::symlink("/tmp", state.join("nonces")).unwrap();
        }),
        ("clock", |state, _| {
            fs::create_dir_all(state).unwrap();
            fs::write(state.join("clock"), "noon").unwrap();
            fs::set_permissions(state.join("clock"), fs::Permissions::from_mode(0o600)).unwrap();
        }),
    ];
    for (named, fault) in faults {
        let scratch = Scratch::with_policy(ALLOW);
        scratch.config("[attestation]\nmode = \"require\"\n");
        fault(&state(&scratch), &open);
        let refused = scratch.run(&["exec", "--", "touch", "ran"]);
        let text = said(&refused);
        assert_eq!(refused.status.code(), Some(126), "{text}");
        assert!(text.contains("refused: local_fault") && text.contains(named), "{text}");
        assert!(!text.contains("tried again"), "{text}");
        assert!(!exists(&scratch.work().join("ran")));
    }
    let scratch = Scratch::with_policy(ALLOW);
    let instance = Instance::new();
    let kept = scratch.root().join("home/.cache/recourse/registries");
    fs::create_dir_all(&kept).unwrap();
    open(&kept);
    let good = instance.attest(input(&scratch), "allow", Time::now());
    let file = written(&scratch, &good.to_value().to_string());
    let variables =
        [("RECOURSE_ATTESTATION_MODE", "require"), ("RECOURSE_TRUSTED_INSTANCES", instance.base.as_str())];
    let refused = touch(&scratch, &file, &variables);
    assert!(said(&refused).contains("refused: local_fault"), "{}", said(&refused));
    // What was fetched could not be kept: nobody would notice an older one next time.
    open_to_us_alone(&kept);
    fs::create_dir(kept.join("lock")).unwrap();
    for mode in ["verify", "require"] {
        let variables = [("RECOURSE_ATTESTATION_MODE", mode), variables[1]];
        let refused = touch(&scratch, &file, &variables);
        let text = said(&refused);
        assert!(
            text.contains("refused: local_fault") && text.contains("could not be kept"),
            "{mode}: {text}"
        );
        assert!(!text.contains("tried again") && !exists(&scratch.work().join("ran")), "{mode}: {text}");
    }
    fs::remove_dir(kept.join("lock")).unwrap();
    let ran = touch(&scratch, &file, &variables);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
}

fn open_to_us_alone(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
}

/// In `verify` a person may go on, and is told what failed; nobody else may.
#[test]
fn a_failed_verification_goes_to_the_person_at_the_terminal() {
    if no_person_here() {
        return;
    }
    for (mode, answer, runs) in [("verify", "r", true), ("verify", "a", false), ("require", "", false)] {
        let scratch = Scratch::with_policy(ALLOW);
        let instance = Instance::new();
        let mut forged = instance.attest(input(&scratch), "block", Time::now()).to_value();
        forged["output"]["riskAssessment"] = json!("allow");
        let file = written(&scratch, &forged.to_string());
        let variables =
            [("RECOURSE_ATTESTATION_MODE", mode), ("RECOURSE_TRUSTED_INSTANCES", instance.base.as_str())];
        let words = [program(), "exec", "--attestation", file.to_str().unwrap(), "--", "touch", "ran"];
        let mut terminal = scratch.in_sized_terminal(&words, 100, &variables);
        if !answer.is_empty() {
            terminal.expect("Your decision");
            terminal.send(answer);
        }
        let (status, text) = terminal.finish();
        assert!(text.contains("signature_invalid"), "{text}");
        assert_eq!(status == 0, runs, "{mode} {answer}: {text}");
        assert_eq!(exists(&scratch.work().join("ran")), runs, "{text}");
        let entries = logged(&scratch, "2");
        let failed = |entry: &Value| {
            entry["event"] == "verification_failed" && entry["details"]["reason"] == "signature_invalid"
        };
        assert!(entries.iter().any(failed), "{entries:?}");
        assert_eq!(entries.iter().any(|entry| entry["event"] == "executed"), runs, "{entries:?}");
    }
}

#[test]
fn what_is_meant_for_another_machine_does_not_run_here() {
    let scratch = Scratch::with_policy(ALLOW);
    scratch.config("[attestation]\nmode = \"require\"\n");
    let attested = |audience: &str| {
        let words = ["evaluate", "shell", "--format", "json", "--", "touch", "ran"];
        let output = scratch.recourse(&words).env("RECOURSE_AUDIENCE", audience).output().unwrap();
        let report = crate::support::json(&output);
        assert_eq!(report["attestation"]["input"]["audience"].as_str().unwrap_or_default(), audience);
        written(&scratch, &report.to_string())
    };
    for (meant, here, runs) in
        [("a", "a", true), ("a", "b", false), ("a", "", false), ("", "a", false), ("", "", true)]
    {
        let file = attested(meant);
        let output = touch(&scratch, &file, &[("RECOURSE_AUDIENCE", here)]);
        let ran = scratch.work().join("ran");
        assert_eq!(exists(&ran), runs, "{meant} {here}: {}", said(&output));
        assert!(runs || said(&output).contains("cross_check_mismatch"), "{}", said(&output));
        let _ = fs::remove_file(&ran);
    }
}

#[test]
fn an_attested_report_names_the_recovery_point_that_was_made_first() {
    let scratch = Scratch::lasting();
    scratch.config("[attestation]\nmode = \"verify\"\n");
    let notes = scratch.file("notes.txt", "words that stand nowhere else\n");
    let run = |words: &[&str]| {
        let mut all = vec!["exec", "--profile", "agent", "--"];
        all.extend(words);
        let output = scratch.run(&all);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let entry = logged(&scratch, "1").pop().unwrap();
        let id = entry["details"]["attestationId"].as_str().unwrap().to_owned();
        let path = scratch.root().join(format!("home/.local/share/recourse/attestations/{id}.json"));
        let attestation: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        (entry, attestation)
    };
    let (entry, attestation) = run(&["rm", "notes.txt"]);
    assert!(!exists(&notes));
    let point = &attestation["output"]["recoveryPoint"];
    assert_eq!(*point, entry["details"]["recoveryPoint"], "{entry}");
    assert!(point["digest"].as_str().unwrap().starts_with("sha256:"), "{point}");
    let undone = scratch.run(&["undo", point["id"].as_str().unwrap(), "--yes"]);
    assert!(exists(&notes), "{}", said(&undone));
    let (_, nothing) = run(&["true"]);
    assert!(nothing["output"].get("recoveryPoint").is_none());
}

/// The program in a machine of its own: with this system configuration, and this home in the list of accounts.
#[cfg(target_os = "linux")]
fn under(
    scratch: &Scratch,
    config: &str,
    account: &Path,
    variables: &[(&str, &str)],
    words: &[&str],
) -> Option<Output> {
    let root = scratch.root();
    let uid = nix::unistd::geteuid();
    fs::write(root.join("system.toml"), config).unwrap();
    fs::write(root.join("passwd"), format!("me:x:{uid}:{uid}::{}:/bin/sh\n", account.display())).unwrap();
    let mut command = Command::new("bwrap");
    command.args(["--dev-bind", "/", "/", "--tmpfs", "/etc"]);
    for (from, to) in [("system.toml", "/etc/recourse/config.toml"), ("passwd", "/etc/passwd")] {
        command.arg("--ro-bind").arg(root.join(from)).arg(to);
    }
    command.args(["--ro-bind-try", "/usr/lib/os-release", "/etc/os-release"]);
    command.arg("--").arg(program()).args(words);
    command.current_dir(scratch.work()).env("HOME", root.join("home")).env_remove("RECOURSE_PROFILE");
    command.envs(variables.iter().copied());
    let output = command.output().ok()?;
    let text = said(&output);
    if text.contains("bwrap:") {
        eprintln!("SKIPPED: {text}");
        return None;
    }
    Some(output)
}

#[cfg(target_os = "linux")]
#[test]
fn no_variable_moves_what_the_system_binds() {
    let scratch = Scratch::new();
    let account = scratch.root().join("account");
    fs::create_dir_all(&account).unwrap();
    let places = format!(
        "[places]\nstate_dir = \"{0}/state\"\ndata_dir = \"{0}/data\"\ncache_dir = \"{0}/cache\"\n",
        scratch.root().join("fixed").display()
    );
    for (config, state) in
        [(String::new(), account.join(".local/state/recourse")), (places, scratch.root().join("fixed/state"))]
    {
        let config = format!("[attestation]\nmode = \"require\"\n{config}");
        let evaluate = ["evaluate", "shell", "--format", "json", "--", "touch", "ran"];
        let Some(evaluated) = under(&scratch, &config, &account, &[], &evaluate) else { return };
        let file = written(&scratch, &crate::support::json(&evaluated).to_string());
        let moved = scratch.root().join("moved").display().to_string();
        let variables: [&[(&str, &str)]; 5] = [
            &[],
            &[],
            &[("XDG_STATE_HOME", &moved)],
            &[("XDG_DATA_HOME", &moved), ("XDG_STATE_HOME", &moved), ("XDG_CACHE_HOME", &moved)],
            &[("HOME", &moved)],
        ];
        for (number, variables) in variables.into_iter().enumerate() {
            let words = ["exec", "--attestation", file.to_str().unwrap(), "--", "touch", "ran"];
            let output = under(&scratch, &config, &account, variables, &words).unwrap();
            if number == 0 {
                assert_eq!(output.status.code(), Some(0), "{}", said(&output));
            } else {
                assert!(said(&output).contains("nonce_reused"), "{variables:?}: {}", said(&output));
            }
        }
        assert!(exists(&state.join("nonces")) && !exists(Path::new(&moved)));
    }
    // Only the system's file says where.
    fs::create_dir_all(scratch.root().join("config/recourse")).unwrap();
    scratch.config("[places]\nstate_dir = \"/tmp\"\n");
    let refused = scratch.run(&["exec", "--", "true"]);
    assert_eq!(refused.status.code(), Some(125));
    assert!(said(&refused).contains("/etc/recourse/config.toml"), "{}", said(&refused));
}

#[test]
fn an_evaluation_names_whom_it_is_for() {
    let scratch = Scratch::with_policy(ALLOW);
    let words = ["evaluate", "shell", "--attest", "--audience", "runner-7", "--format", "json", "touch ran"];
    let report = crate::support::json(&scratch.run(&words));
    assert_eq!(report["attestation"]["input"]["audience"], "runner-7", "{report}");
    assert_eq!(scratch.run(&["evaluate", "shell", "--audience", "two words", "true"]).status.code(), Some(2));
}
