//! `exec` where it runs: the command's own arguments, input, signals and exit status.

use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use crate::support::Scratch;

const ALLOW: &str = "[[rule]]\nverdict = \"allow\"\n";

#[test]
fn arguments_arrive_exactly() {
    let scratch = Scratch::with_policy(ALLOW);
    let output = scratch.run(&["exec", "--", "printf", "%s|", "a b", "$HOME", "*", "", "--help", "'"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a b|$HOME|*||--help|'|");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn bytes_that_are_no_text_arrive_too() {
    let scratch = Scratch::with_policy(ALLOW);
    let odd = std::ffi::OsStr::from_bytes(b"a\xff\xfeb");
    let words = ["exec".as_ref(), "--".as_ref(), "printf".as_ref(), "%s".as_ref(), odd];
    let output = scratch.run(&words);
    assert_eq!(output.stdout, b"a\xff\xfeb");
}

#[test]
fn exit_status_and_signals_are_the_commands_own() {
    let scratch = Scratch::with_policy(ALLOW);
    assert_eq!(scratch.run(&["exec", "--", "sh", "-c", "exit 7"]).status.code(), Some(7));
    let killed = scratch.run(&["exec", "--", "sh", "-c", "kill -TERM $$"]);
    assert_eq!(killed.status.signal(), Some(15));
    assert_eq!(scratch.run(&["exec", "-c", "exit 9"]).status.code(), Some(9));
}

#[test]
fn standard_input_is_untouched() {
    let scratch = Scratch::with_policy(ALLOW);
    let mut child = scratch
        .recourse(&["exec", "--", "cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"y\nall of it\n").unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"y\nall of it\n");
}

#[test]
#[cfg(target_os = "linux")]
fn signal_dispositions_are_what_they_were() {
    let scratch = Scratch::with_policy(ALLOW);
    let of = |words: &[&str]| {
        let output = scratch.run(words);
        signals(&output.stdout)
    };
    fn signals(status: &[u8]) -> String {
        let text = String::from_utf8_lossy(status).into_owned();
        text.lines().filter(|line| line.starts_with("SigIgn") || line.starts_with("SigBlk")).collect()
    }
    let through = of(&["exec", "--", "cat", "/proc/self/status"]);
    let direct = std::process::Command::new("cat").arg("/proc/self/status").output().unwrap();
    assert_eq!(through, signals(&direct.stdout));
}

#[test]
fn the_program_is_looked_up_once_and_named_as_given() {
    let scratch = Scratch::with_policy(ALLOW);
    let tool = scratch.file("bin/tool", "#!/bin/sh\necho \"$0\"\n");
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", tool.parent().unwrap().display());
    let output = scratch.recourse(&["exec", "--", "tool"]).env("PATH", &path).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), tool.display().to_string());
    let output = scratch.recourse(&["exec", "--", "./bin/tool"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "./bin/tool");
}

#[test]
fn what_is_not_there_or_may_not_run_has_its_status() {
    let scratch = Scratch::with_policy(ALLOW);
    let absent = scratch.run(&["exec", "--", "no-such-program-here"]);
    assert_eq!(absent.status.code(), Some(127));
    assert!(String::from_utf8_lossy(&absent.stderr).contains("command not found"));
    scratch.file("plain", "x");
    assert_eq!(scratch.run(&["exec", "--", "./plain"]).status.code(), Some(126));
    assert_eq!(scratch.run(&["exec", "--", ""]).status.code(), Some(127));
    assert_eq!(scratch.run(&["exec"]).status.code(), Some(2));
    assert_eq!(scratch.run(&["exec", "--profile", "robot", "--", "true"]).status.code(), Some(2));
}

#[test]
fn a_broken_policy_runs_nothing() {
    let scratch = Scratch::with_policy("[[rule]]\nverdict = \"maybe\"\n");
    let output = scratch.run(&["exec", "--", "touch", "made"]);
    assert_eq!(output.status.code(), Some(125));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("policy.toml:2:"), "{said}");
    assert!(!crate::support::exists(&scratch.work().join("made")));
}

#[test]
fn what_a_shell_would_run_unjudged_is_not_handed_on() {
    let scratch = Scratch::with_policy(ALLOW);
    let startup = scratch.work().join("startup.sh");
    std::fs::write(&startup, "echo startup ran\n").unwrap();
    let output = scratch
        .recourse(&["exec", "-c", "echo hi; ls -d ."])
        .env("BASH_ENV", &startup)
        .env("ENV", &startup)
        .env("BASH_FUNC_ls%%", "() { echo function ran; }")
        .env("BASH_FUNC_echo%%", "() { printf 'function ran'; }")
        .env("SHELLOPTS", "xtrace")
        .env("PS4", "$(printf 'prompt ran')")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "hi\n.\n");
    assert!(!String::from_utf8_lossy(&output.stderr).contains(" ran"));
}

#[test]
fn a_script_gets_no_startup_file_either() {
    let scratch = Scratch::with_policy(ALLOW);
    let startup = scratch.work().join("startup.sh");
    std::fs::write(&startup, "echo startup ran\n").unwrap();
    std::fs::write(scratch.work().join("a.sh"), "echo script\n").unwrap();
    let output =
        scratch.recourse(&["exec", "--", "bash", "a.sh"]).env("BASH_ENV", &startup).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "script\n");
}

#[test]
fn code_of_this_place_in_the_environment_is_a_question() {
    let scratch = Scratch::new();
    let verdict = |name: &str, value: &str| {
        let words = ["evaluate", "shell", "--fail-on", "never", "--format", "json", "node -e 1"];
        let output = scratch.recourse(&words).env(name, value).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        report["riskAssessment"].as_str().unwrap().to_owned()
    };
    for (name, value) in [("LD_AUDIT", "/tmp/nowhere/e.so"), ("NODE_OPTIONS", "--require ./w.js")] {
        assert_eq!(verdict(name, value), "escalate", "{name}");
    }
    let everyday = [
        ("OPENSSL_CONF", "/dev/null"),
        ("OPENSSL_CONF", "/etc/ssl/openssl.cnf"),
        ("LD_LIBRARY_PATH", "/opt/x/lib"),
        ("LD_PRELOAD", "libjemalloc.so.2"),
        ("NODE_OPTIONS", "--max-old-space-size=4096"),
        ("PYTHONPATH", "src"),
        ("MAKEFLAGS", "-j8"),
    ];
    for (name, value) in everyday {
        assert_eq!(verdict(name, value), "allow", "{name}");
    }
}
