//! Processes that wait for a store, and those that need not; and the true reason where the store alone is missing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

use super::memory::{Machine, said};

/// A program in the place of `recourse-net`, which hangs where the first thing that it is asked has these words.
fn hanging_at(words: &str, folder: &Path) -> PathBuf {
    let program = folder.join("recourse");
    fs::hard_link(crate::support::program(), &program).unwrap();
    let real = Path::new(crate::support::program()).with_file_name("recourse-net");
    let script = format!(
        "#!/bin/sh\nread -r line\ncase $line in *{words}*) exec sleep 100 ;; esac\n\
         {{ printf '%s\\n' \"$line\"; exec cat; }} | exec {} \"$@\"\n",
        real.display()
    );
    let helper = folder.join("recourse-net");
    fs::write(&helper, script).unwrap();
    fs::set_permissions(&helper, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// The same command, run by another program.
fn by(program: &Path, like: &Command) -> Command {
    let mut command = Command::new(program);
    command.args(like.get_args()).stdin(Stdio::null());
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(folder) = like.get_current_dir() {
        command.current_dir(folder);
    }
    command
}

#[test]
fn saying_that_a_key_is_compromised_waits_for_no_other_process_that_waits_for_the_store() {
    for (hangs, busy) in [("registries/", ["keys", "rotate"]), ("log/", ["log", "checkpoint"])] {
        let (_folder, address) = super::shared();
        let machine = Machine::new(&address);
        machine.attest("ls");
        machine.done(&["log", "checkpoint"]);
        let keys = || {
            let listed = machine.scratch.run(&["keys", "list", "--format", "json"]);
            serde_json::from_slice::<Value>(&listed.stdout).unwrap()["keys"].as_array().unwrap().clone()
        };
        let active = keys().iter().find(|key| key["state"] == "active").unwrap()["key_id"].clone();
        let beside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let program = hanging_at(hangs, beside.path());
        let mut other = by(&program, &machine.command(&busy))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // It holds its locks when it asks.
        let asks = || {
            let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", other.id()));
            children.is_ok_and(|children| !children.trim().is_empty())
        };
        let mut patience = 0;
        while !asks() && patience < 1000 {
            thread::sleep(std::time::Duration::from_millis(10));
            patience += 1;
        }
        let words = ["keys", "compromise", active.as_str().unwrap()];
        let output = by(&program, &machine.command(&words)).output().unwrap();
        assert!(other.try_wait().unwrap().is_none(), "{busy:?}: it still waits");
        let text = said(&output);
        assert!(output.status.success(), "{busy:?}: {text}");
        assert!(!text.contains("transparency log"), "{busy:?}: {text}");
        assert!(keys().iter().any(|key| key["key_id"] == active && key["state"] == "compromised"));
        other.kill().unwrap();
        other.wait().unwrap();
        // With the store there again all goes on, and it is told.
        machine.done(&["keys", "generate"]);
    }
}

#[test]
fn a_log_that_cannot_go_on_without_the_store_says_so() {
    let (_folder, address) = super::shared();
    let machine = Machine::new(&address);
    machine.attest("ls");
    machine.done(&["log", "checkpoint"]);
    let beside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = beside.path().join("recourse");
    fs::hard_link(crate::support::program(), &program).unwrap();
    let real = Path::new(crate::support::program()).with_file_name("recourse-net");
    // Of the log it knows nothing.
    let script = format!(
        "#!/bin/sh\nmkfifo \"$0.$$\"\n{} \"$@\" < \"$0.$$\" &\nexec 3> \"$0.$$\"\nwhile read -r line; do\n\
         case $line in *log/*) echo '{{\"is\":\"unclear\",\"why\":\"away for a test\"}}' ;; \
         *) printf '%s\\n' \"$line\" >&3 ;; esac\ndone\n",
        real.display()
    );
    let helper = beside.path().join("recourse-net");
    fs::write(&helper, script).unwrap();
    fs::set_permissions(&helper, fs::Permissions::from_mode(0o755)).unwrap();
    let mut exec = by(&program, &machine.command(&["exec", "--", "echo", "ran"]));
    exec.env("RECOURSE_ATTESTATION_MODE", "require").env("RECOURSE_REQUIRE_LOG", "1");
    let output = exec.output().unwrap();
    let (word, text) = super::outcome(&output);
    assert_eq!(word, "store_unavailable", "{text}");
    assert!(text.contains("away for a test"), "{text}");
}
