//! What bears a program's name may be anything: `exec` judges what stands there, and what the environment and the directory
//! make of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::{Scratch, exists, json as report_of, no_person_here, program};

/// Nobody knows what it does, and it would be seen.
const IMPOSTOR: &str = "#!/bin/sh\ntouch ran\nfrobnicate --purge all\n";

/// A place whose `bin` comes first on the search path, with such a script of this name.
fn with_impostor(name: &str) -> (Scratch, String) {
    let scratch = Scratch::new();
    executable(&scratch, &format!("bin/{name}"), IMPOSTOR);
    let path = format!("{}:{}", scratch.work().join("bin").display(), std::env::var("PATH").unwrap());
    (scratch, path)
}

fn executable(scratch: &Scratch, name: &str, text: &str) {
    let path = scratch.file(name, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn git(place: &Path, words: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words).current_dir(place);
    assert!(command.output().unwrap().status.success(), "{words:?}");
}

#[test]
fn text_is_run_by_the_systems_bash() {
    let (scratch, path) = with_impostor("bash");
    let output = scratch.recourse(&["exec", "--profile", "ci", "-c", "echo hi"]).env("PATH", &path).output();
    let output = output.unwrap();
    assert_eq!(output.stdout, b"hi\n", "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!exists(&scratch.work().join("ran")));
}

#[test]
fn a_saved_plan_is_handed_to_nothing_that_was_not_judged() {
    let (scratch, path) = with_impostor("terraform");
    executable(&scratch, "terraform", IMPOSTOR);
    scratch.file("tfplan", "plan");
    for words in [["terraform", "apply", "tfplan"], ["./terraform", "apply", "tfplan"]] {
        let mut command = scratch.recourse(&["exec", "--profile", "ci", "--"]);
        let output = command.args(words).env("PATH", &path).output().unwrap();
        assert_eq!(output.status.code(), Some(126), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(!exists(&scratch.work().join("ran")), "{words:?}");
    }
}

#[test]
fn an_interpreter_that_is_sought_is_what_is_found() {
    for (name, script) in
        [("python3", "#!/usr/bin/env python3\nprint(1)\n"), ("bash", "#!/usr/bin/env bash\necho 1\n")]
    {
        let (scratch, path) = with_impostor(name);
        executable(&scratch, "tool", script);
        let run = |path: &str| {
            let mut command = scratch.recourse(&["exec", "--profile", "ci", "--", "./tool"]);
            command.env("PATH", path).output().unwrap()
        };
        let plain = run(&std::env::var("PATH").unwrap());
        assert_eq!(plain.stdout, b"1\n", "{name}: {}", String::from_utf8_lossy(&plain.stderr));
        assert_eq!(run(&path).status.code(), Some(126), "{name}");
        assert!(!exists(&scratch.work().join("ran")), "{name}");
    }
}

/// Where what runs is bound, what was in the environment before counts as if the command set it.
#[test]
fn variables_that_act_are_part_of_what_was_attested() {
    let scratch = Scratch::new();
    scratch.config("[attestation]\nmode = \"require\"\n");
    let kept = scratch.file("kept", "content");
    let place = scratch.work().join("tree");
    fs::create_dir(&place).unwrap();
    scratch.file("tree/a", "1");
    git(&place, &["init", "-q"]);
    git(&place, &["add", "a"]);
    git(&place, &["commit", "-qm", "a"]);
    scratch.file("tree/a", "2");
    let run = |variable: &str, value: &str| {
        let words = ["evaluate", "shell", "--format", "json", "--", "git", "diff"];
        let report = scratch.recourse(&words).current_dir(&place).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
        let file = scratch.file("attestation.json", json!(report["attestation"]).to_string());
        let mut command = scratch.recourse(&["exec", "--profile", "ci", "--attestation"]);
        command.arg(file).args(["--", "git", "diff"]).current_dir(&place).env(variable, value);
        command.output().unwrap()
    };
    for (variable, value) in [
        ("GIT_EXTERNAL_DIFF", "shred -u ../kept;"),
        ("GIT_CONFIG_PARAMETERS", "'core.fsmonitor=shred -u ../kept'"),
        ("GIT_PAGER", "shred -u ../kept"),
        ("LD_PRELOAD", "/opt/somebody/hook.so"),
        ("OPENSSL_CONF", "/opt/somebody/o.cnf"),
        ("OPENSSL_MODULES", "/opt/somebody"),
    ] {
        let output = run(variable, value);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(126), "{variable}: {said}");
        assert!(said.contains("cross_check_mismatch"), "{variable}: {said}");
        assert!(exists(&kept), "{variable}");
    }
    for (variable, value) in [("EDITOR", "vim -u NONE"), ("GIT_AUTHOR_NAME", "a"), ("PAGER", "less -R")] {
        let output = run(variable, value);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{variable}: {said}");
    }
}

/// Shells, build tools and package managers are steered by variables too.
#[test]
fn what_steers_other_programs_is_part_of_what_was_attested() {
    let scratch = Scratch::new();
    scratch.config("[attestation]\nmode = \"require\"\n");
    let kept = scratch.file("kept", "content");
    let removes = format!("rm -f {}\n", kept.display());
    executable(&scratch, "evil", &format!("#!/bin/sh\n{removes}"));
    scratch.file("Makefile", "all:\n\t@true\n");
    scratch.file("package.json", r#"{"name":"p","scripts":{"test":"true"}}"#);
    scratch.file("z/.zshenv", &removes);
    scratch.file("f/fish/config.fish", &removes);
    scratch.file("g/fish/conf.d/a.fish", &removes);
    let at = |name: &str| scratch.work().join(name).display().to_string();
    let run = |words: &[&str], variable: &str, value: &str| {
        let mut asked = vec!["evaluate", "shell", "--format", "json", "--"];
        asked.extend(words);
        let report = scratch.recourse(&asked).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
        let file = scratch.file("attestation.json", json!(report["attestation"]).to_string());
        let mut command = scratch.recourse(&["exec", "--profile", "ci", "--attestation"]);
        command.arg(file).arg("--").args(words).env(variable, value).output().unwrap()
    };
    let rows: [(&[&str], &str, String); 7] = [
        (&["make"], "MAKEFLAGS", format!("SHELL={}", at("evil"))),
        (&["make"], "GNUMAKEFLAGS", format!("SHELL={}", at("evil"))),
        (&["zsh", "-c", "true"], "ZDOTDIR", at("z")),
        (&["npm", "test"], "NPM_CONFIG_SCRIPT_SHELL", at("evil")),
        (&["npm", "test"], "npm_config_script_shell", at("evil")),
        (&["cargo", "build"], "RUSTC_WRAPPER", at("evil")),
        (&["cargo", "build"], "CARGO_BUILD_RUSTC", at("evil")),
    ];
    for (words, variable, value) in rows {
        let output = run(words, variable, &value);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(126), "{variable}={value} {words:?}: {said}");
        assert!(said.contains("cross_check_mismatch"), "{variable}={value} {words:?}: {said}");
        assert!(exists(&kept), "{variable}={value} {words:?}");
    }
    // Where fish's settings are is where ours are, too: only what is told of it is looked at.
    for place in ["f", "g"] {
        let mut command = scratch.recourse(&["evaluate", "shell", "--format", "json", "fish -c true"]);
        let report = report_of(&command.env("XDG_CONFIG_HOME", at(place)).output().unwrap());
        assert!(report["mutations"].to_string().contains("/kept"), "{place}: {report}");
    }
    let output = run(&["make"], "MAKEFLAGS", "-j2");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Python loads an extension, or bytecode that nobody compares with the source, where the source that was read stands beside it.
#[test]
fn what_was_compiled_in_the_place_of_a_source_is_not_read() {
    let scratch = Scratch::new();
    scratch.file("p.py", "import m\n");
    scratch.file("m.py", "x = 1\n");
    let of = |line: &str| {
        let words = ["evaluate", "shell", "--profile", "agent", "--format", "json", line];
        report_of(&scratch.run(&words))["riskAssessment"].clone()
    };
    let verdict = || {
        let (imported, run) = (of("python3 p.py"), of("python3 -m m"));
        assert_eq!(imported, run);
        run
    };
    let bytecode = |flags: u8| {
        let mut code = vec![0xa7, 0x0d, 0x0d, 0x0a, flags, 0, 0, 0];
        code.extend([0; 16]);
        scratch.file("__pycache__/m.cpython-311.pyc", code)
    };
    for harmless in [0, 3] {
        bytecode(harmless);
        assert_eq!(verdict(), "allow", "flags {harmless}");
    }
    let file = bytecode(1);
    assert_eq!(verdict(), "escalate");
    fs::remove_file(file).unwrap();
    assert_eq!(verdict(), "allow");
    scratch.file("m.abi3.so", "x");
    assert_eq!(verdict(), "escalate");
}

#[test]
fn a_directory_that_is_replaced_at_the_question_is_refused() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::with_policy("[[rule]]\nverdict = \"escalate\"\n");
    let place = scratch.work().join("place");
    let script = "echo 1 > made\n";
    scratch.file("place/script.sh", script);
    let run = format!("cd place && exec {} exec -- bash script.sh", program());
    let mut terminal = scratch.in_terminal(&["sh", "-c", &run]);
    terminal.expect("Your decision");
    let away = scratch.work().join("away");
    fs::rename(&place, &away).unwrap();
    scratch.file("place/script.sh", script);
    scratch.file("away/script.sh", "echo 2 > evil\n");
    terminal.press(&["r"]);
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(text.contains("moved or replaced"), "{text}");
    assert!(!exists(&away.join("evil")));
}
