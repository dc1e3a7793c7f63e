//! Many machines, one memory of nonces: homes of their own, one store. Exactly one of all runs what one attestation permits.

mod cloud;
mod memory;
mod waiting;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use recourse::attest::sign::Evaluation;
use recourse::attest::{Attestation, Time};
use serde_json::json;

use crate::exec_attestation::Instance;
use crate::support::{Scratch, program};

/// Of the stand-in for Azure; base64 of "guard".
const AZURE_KEY: &str = "Z3VhcmQ=";
/// What speaks with networks.
const NET: [&str; 3] = ["/object_store-", "/reqwest-", "/rustls-"];
/// A log's key.
const LOG: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const ALLOW: &str = "[[rule]]\nverdict = \"allow\"\n";

/// Machines that trust one instance and share one store and one working directory.
struct Machines {
    homes: Vec<Scratch>,
    instance: Instance,
    store: String,
    /// The program that runs: another than the built one where a test says so.
    program: PathBuf,
}

impl Machines {
    fn new(store: &str) -> Self {
        let homes = (0..3).map(|_| Scratch::with_policy(ALLOW)).collect();
        Self { homes, instance: Instance::new(), store: store.to_owned(), program: program().into() }
    }

    /// An attestation of `echo ran`, which changes nothing, so that the nonce alone can refuse the second.
    fn attestation(&self) -> PathBuf {
        let cwd = self.homes[0].work().canonicalize().unwrap();
        let input = json!({"source": "shell", "input": "echo ran", "argv": ["echo", "ran"], "cwd": cwd});
        let output = json!({
            "schemaVersion": "recourse.consequence.v1", "riskAssessment": "allow", "mutations": [],
        });
        let made = self.instance.sign(Evaluation { input, output, chain: None }, Time::now());
        let path = self.homes[0].root().join(format!("{}.json", made.id()));
        fs::write(&path, made.to_value().to_string()).unwrap();
        path
    }

    fn exec(&self, machine: usize, attestation: &Path) -> Command {
        // The environment of a scratch, for this program.
        let like = self.homes[machine].recourse(&["exec"]);
        let mut command = Command::new(&self.program);
        for (name, value) in like.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
            .args(["exec", "--attestation", attestation.to_str().unwrap(), "--", "echo", "ran"])
            .current_dir(self.homes[0].work())
            .env("RECOURSE_ATTESTATION_MODE", "require")
            .env("RECOURSE_TRUSTED_INSTANCES", &self.instance.base)
            .env("RECOURSE_ATTESTATION_STORE", &self.store)
            // What would choose another store, or another way to it, is not handed on.
            .env("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
            .env("AWS_ENDPOINT", "http://127.0.0.1:1")
            .env("AWS_PROXY_URL", "http://127.0.0.1:1")
            .env("AWS_REGION", "evil.example/")
            .env("HTTP_PROXY", "http://127.0.0.1:1")
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test")
            .env("AZURE_STORAGE_ACCOUNT_KEY", AZURE_KEY)
            .stdin(Stdio::null());
        command
    }

    /// `ran`, or the reason of the refusal and what else was said.
    fn outcome(&self, machine: usize, attestation: &Path) -> (String, String) {
        outcome(&self.exec(machine, attestation).output().unwrap())
    }

    fn word(&self, machine: usize, attestation: &Path) -> String {
        self.outcome(machine, attestation).0
    }

    /// Fifty processes on all machines with one attestation.
    fn race(&self) {
        let attestation = self.attestation();
        let left = Mutex::new(50_usize);
        let outcomes = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    loop {
                        let number = {
                            let mut left = left.lock().unwrap();
                            let Some(next) = left.checked_sub(1) else { return };
                            *left = next;
                            next
                        };
                        let one = self.outcome(number % 3, &attestation);
                        outcomes.lock().unwrap().push(one);
                    }
                });
            }
        });
        let outcomes = outcomes.into_inner().unwrap();
        let count = |word: &str| outcomes.iter().filter(|(one, _)| one == word).count();
        assert_eq!(outcomes.len(), 50);
        assert!(count("ran") <= 1, "{outcomes:?}");
        // A machine that is too busy to wait for an answer lets none run; it never lets two.
        let late = count("store_unavailable") + count("network_error");
        assert_eq!(count("ran") + count("nonce_reused") + late, 50, "{outcomes:?}");
        assert!(count("ran") == 1 || late > 0, "{outcomes:?}");
    }
}

fn outcome(output: &Output) -> (String, String) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.stdout == b"ran\n" {
        assert_eq!(output.status.code(), Some(0), "{said}");
        return ("ran".to_owned(), said);
    }
    assert!(output.stdout.is_empty());
    assert_eq!(output.status.code(), Some(126), "{said}");
    let reason = said.split("refused: ").nth(1).unwrap_or(&said);
    (reason.split([':', ' ', '\n']).next().unwrap_or_default().to_owned(), said)
}

/// A folder that machines share.
fn shared() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("file://{}/store", folder.path().canonicalize().unwrap().display());
    (folder, address)
}

#[test]
fn fifty_processes_on_three_machines_race_for_a_nonce_in_a_folder() {
    let (_folder, address) = shared();
    Machines::new(&address).race();
}

#[test]
fn without_a_store_each_machine_has_its_own_memory_and_with_one_there_is_one() {
    let mut machines = Machines::new("");
    let (folder, address) = shared();
    let attestation = machines.attestation();
    let own = |machine: usize| {
        outcome(
            &machines.exec(machine, &attestation).env_remove("RECOURSE_ATTESTATION_STORE").output().unwrap(),
        )
        .0
    };
    assert_eq!([own(0), own(0), own(1)], ["ran", "nonce_reused", "ran"]);
    machines.store = address;
    let attestation = machines.attestation();
    assert_eq!(machines.word(0, &attestation), "ran");
    assert_eq!(machines.word(1, &attestation), "nonce_reused");
    assert_eq!(machines.word(2, &attestation), "nonce_reused");
    // Under the day on which the attestation ends.
    let read: Attestation = Attestation::parse(&fs::read(&attestation).unwrap()).unwrap();
    let day: String = read.expires_at().unwrap().to_string().chars().take(10).collect();
    let object = folder.path().join("store/nonces").join(day).join(read.nonce().unwrap());
    assert_eq!(fs::metadata(&object).unwrap().permissions().mode() & 0o777, 0o600);
    // A store that lost it: the machine that ran it still knows.
    fs::remove_file(&object).unwrap();
    assert_eq!(machines.word(0, &attestation), "nonce_reused");
}

#[test]
fn a_store_that_is_away_lets_nothing_run_and_the_attestation_is_not_spent() {
    let (folder, address) = shared();
    let machines = Machines::new(&address);
    let attestation = machines.attestation();
    let store = folder.path().join("store");
    fs::write(&store, "no folder").unwrap();
    for mode in ["require", "verify"] {
        let output = machines.exec(0, &attestation).env("RECOURSE_ATTESTATION_MODE", mode).output().unwrap();
        let (word, said) = outcome(&output);
        assert_eq!(word, "store_unavailable", "{said}");
        assert!(said.contains(&address), "{said}");
    }
    fs::remove_file(&store).unwrap();
    // One that others may write to could lose what was spent.
    fs::create_dir(&store).unwrap();
    fs::set_permissions(&store, fs::Permissions::from_mode(0o777)).unwrap();
    let (word, said) = machines.outcome(0, &attestation);
    assert_eq!(word, "store_unavailable", "{said}");
    fs::set_permissions(&store, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(machines.word(0, &attestation), "ran");
}

#[test]
fn a_helper_that_is_missing_or_talks_nonsense_lets_nothing_run() {
    let (_folder, address) = shared();
    let mut machines = Machines::new(&address);
    let beside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    machines.program = beside.path().join("recourse");
    fs::hard_link(program(), &machines.program).unwrap();
    let attestation = machines.attestation();
    let (word, said) = machines.outcome(0, &attestation);
    assert_eq!(word, "local_fault", "{said}");
    assert!(said.contains("recourse-net is not there"), "{said}");
    let real = Path::new(program()).with_file_name("recourse-net").display().to_string();
    let helper = beside.path().join("recourse-net");
    for script in [
        "exit 0",
        "exec cat",
        "yes made",
        "while read -r line; do echo '{\"is\":\"made\"}'; done",
        "while read -r line; do echo '{\"is\":\"there\"}'; done",
        "while read -r line; do echo '{\"is\":\"found\",\"body\":\"x\",\"more\":1}'; done",
        "exec sleep 60",
    ] {
        fs::write(&helper, format!("#!/bin/sh\n[ \"$3\" = fetch ] && exec {real} \"$@\"\n{script}\n"))
            .unwrap();
        fs::set_permissions(&helper, fs::Permissions::from_mode(0o755)).unwrap();
        let (word, said) = machines.outcome(0, &attestation);
        assert_eq!(word, "store_unavailable", "{script}: {said}");
    }
    // Never along the path.
    fs::remove_file(&helper).unwrap();
    let real = Path::new(program()).parent().unwrap().display().to_string();
    let output =
        machines.exec(0, &attestation).env("PATH", format!("{real}:/usr/bin:/bin")).output().unwrap();
    assert_eq!(outcome(&output).0, "store_unavailable");
}

#[test]
fn killed_at_any_moment_it_never_runs_twice() {
    let (_folder, address) = shared();
    let machines = Machines::new(&address);
    for round in 0..12 {
        let attestation = machines.attestation();
        let mut child = machines
            .exec(round % 3, &attestation)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(40 * u64::try_from(round).unwrap()));
        let _ = child.kill();
        let first = child.wait_with_output().unwrap().stdout == b"ran\n";
        let second = machines.word((round + 1) % 3, &attestation);
        assert!(!(first && second == "ran"), "round {round}");
        assert!(["ran", "nonce_reused"].contains(&second.as_str()) || second == "store_unavailable");
        assert_ne!(machines.word((round + 2) % 3, &attestation), "ran", "round {round}");
    }
}

#[test]
fn the_program_at_the_prompt_links_nothing_that_speaks_with_networks() {
    let helper = Path::new(program()).with_file_name("recourse-net");
    let links = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        NET.map(|name| bytes.windows(name.len()).any(|window| window == name.as_bytes()))
    };
    assert_eq!(links(&helper), [true; NET.len()]);
    assert_eq!(links(Path::new(program())), [false; NET.len()]);
}

#[test]
fn without_the_program_beside_it_what_that_does_is_not_done_and_the_way_out_is_said() {
    let beside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let alone = beside.path().join("recourse");
    fs::hard_link(program(), &alone).unwrap();
    let scratch = Scratch::with_policy(ALLOW);
    let run = |words: &[&str]| {
        let output =
            Command::new(&alone).args(words).env("HOME", scratch.root().join("home")).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for (words, code) in [
        (&["serve"][..], 70),
        (&["log", "witness", "--name", "w.example", "--log", LOG], 70),
        (&["mcp", "serve"], 70),
        (&["scan", "."], 70),
        (&["trust", "show"], 70),
        (&["resources"], 70),
        (&["knowledge", "new", "x"], 70),
        (&["completions", "bash"], 70),
        (&["registry", "refresh", "https://recourse.example"], 3),
    ] {
        let (status, said) = run(words);
        assert_eq!(status, Some(code), "{words:?}: {said}");
        assert!(said.contains("recourse-net is not there: install it beside recourse"), "{said}");
    }
    let own = scratch.root().join("home/.config/recourse/knowledge");
    fs::create_dir_all(&own).unwrap();
    let start = Command::new(program()).args(["knowledge", "new", "atool"]).output().unwrap();
    fs::write(own.join("own.toml"), start.stdout).unwrap();
    let doctor =
        Command::new(&alone).arg("doctor").env("HOME", scratch.root().join("home")).output().unwrap();
    let said = String::from_utf8(doctor.stdout).unwrap();
    assert!(said.contains("your own files are not checked"), "{said}");
    // One of another version answers nobody.
    let real = Path::new(program()).with_file_name("recourse-net");
    let output = Command::new(&real).args(["for", "0.0.1", "fetch"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("was started by recourse 0.0.1"), "{said}");
    assert!(output.stdout.is_empty());
}
