//! One memory for many machines: attestations, the registry and the record live in the store, a folder's as S3's.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use recourse::attest::Places;
use recourse::attest::audit::AuditLog;
use serde_json::{Value, json as value};

use crate::exec_attestation::ALLOW;
use crate::support::{Scratch, json};

/// A machine with a store.
pub(super) struct Machine {
    pub(super) scratch: Scratch,
    store: String,
}

impl Machine {
    pub(super) fn new(store: &str) -> Self {
        Self { scratch: Scratch::with_policy(ALLOW), store: store.to_owned() }
    }

    /// Another machine with a copy of everything that this one keeps.
    fn copy(&self) -> Self {
        let other = Self::new(&self.store);
        let from = self.scratch.root().join("home/.local");
        let to = other.scratch.root().join("home");
        assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
        other
    }

    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.scratch.recourse(words);
        command
            .env("RECOURSE_ATTESTATION_STORE", &self.store)
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test")
            .env("AZURE_STORAGE_ACCOUNT_KEY", super::AZURE_KEY)
            .stdin(Stdio::null());
        command
    }

    pub(super) fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    pub(super) fn done(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn refused(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert!(!output.status.success(), "{words:?}: {output:?}");
        said(&output)
    }

    /// Goes on with the log, or is refused for a reason: a stand-in on a busy machine may be late, and is asked again then.
    pub(super) fn checkpoint(&self) -> Output {
        let mut output = self.run(&["log", "checkpoint"]);
        for _ in 0..5 {
            if !said(&output).contains("did not answer in time") {
                break;
            }
            output = self.run(&["log", "checkpoint"]);
        }
        output
    }

    fn goes_on(&self) {
        let output = self.checkpoint();
        assert!(output.status.success(), "{}", said(&output));
    }

    pub(super) fn attest(&self, command: &str) -> Value {
        let words = ["evaluate", "shell", "--attest", "--format", "json", "--fail-on", "never", command];
        json(&self.run(&words))["attestation"].clone()
    }

    /// `ran`, or the reason of the refusal and what else was said, of a command that this machine attests itself.
    pub(super) fn exec(&self) -> (String, String) {
        let output =
            self.command(&["exec", "--", "echo", "ran"]).env("RECOURSE_ATTESTATION_MODE", "require").output();
        super::outcome(&output.unwrap())
    }

    fn data(&self) -> PathBuf {
        self.scratch.root().join("home/.local/share/recourse")
    }
}

pub(super) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn id(attestation: &Value) -> String {
    let uri = attestation["attestation_uri"].as_str().unwrap();
    uri.rsplit('/').next().unwrap().trim_end_matches(".json").to_owned()
}

/// What must be true of every engine.
pub(super) fn lives_there(store: &str) {
    let machine = Machine::new(store);
    // Attestations: what this machine lost, the store has, byte for byte.
    let one = machine.attest("ls");
    let name = id(&one);
    let own = machine.data().join(format!("attestations/{name}.json"));
    let bytes = fs::read(&own).unwrap();
    fs::remove_file(&own).unwrap();
    assert_eq!(machine.run(&["registry", "export", &name]).stdout, bytes);
    let without = machine.scratch.run(&["registry", "export", &name]);
    assert!(!without.status.success(), "without the store it is lost: {without:?}");

    // The registry: of two copies of a machine one goes on, and the other is told.
    assert_eq!(machine.exec().0, "ran");
    let copy = machine.copy();
    machine.done(&["keys", "rotate"]);
    let refused = copy.refused(&["keys", "rotate"]);
    assert!(refused.contains("another copy of these keys"), "{refused}");
    let (word, refused) = copy.exec();
    assert_eq!(word, "store_unavailable", "{refused}");
    assert!(refused.contains("another copy of these keys"), "{refused}");
    assert_eq!(machine.exec().0, "ran");
    // At the same moment, too.
    let copies: Vec<Machine> = (0..3).map(|_| machine.copy()).collect();
    let won: usize = thread::scope(|scope| {
        let all: Vec<_> = copies
            .iter()
            .map(|copy| scope.spawn(|| usize::from(copy.run(&["keys", "generate"]).status.success())))
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert!(won <= 1, "{won} copies changed one registry");

    // The record: full files go there once, and stay here until they are there.
    let third = Machine::new(store);
    third.attest("ls");
    let pushed: Value =
        serde_json::from_str(&third.done(&["log", "push", "--all", "--format", "json"])).unwrap();
    assert_eq!(pushed["segments"], 1, "{pushed}");
    let again: Value = serde_json::from_str(&third.done(&["log", "push", "--format", "json"])).unwrap();
    assert_eq!((&again["segments"], &again["lastEvent"]), (&Value::from(0), &pushed["lastEvent"]), "{again}");
    third.done(&["log", "verify"]);
    third.done(&["keys", "rotate"]);
    third.done(&["log", "push", "--all"]);
    third.done(&["log", "verify"]);
}

/// The transparency log, of every engine: of two copies of a machine one goes on, and the other is told.
pub(super) fn log_lives_there(store: &str) {
    let machine = Machine::new(store);
    machine.attest("ls");
    machine.goes_on();
    machine.goes_on();
    let copy = machine.copy();
    machine.attest("ls -l");
    machine.goes_on();
    copy.attest("ls -a");
    for _ in 0..2 {
        let output = copy.checkpoint();
        let refused = said(&output);
        assert!(!output.status.success(), "{output:?}");
        assert!(refused.contains("another copy of this log went on"), "{refused}");
    }
    machine.goes_on();
    // At the same moment, too, and whoever lost signed nothing.
    let copies: Vec<Machine> = (0..3).map(|_| machine.copy()).collect();
    let checkpoint = |one: &Machine| fs::read(one.data().join("tlog/checkpoint")).unwrap();
    let before = checkpoint(&machine);
    let won: usize = thread::scope(|scope| {
        let one = |(number, copy): (usize, &Machine)| {
            copy.attest(&format!("ls {number}"));
            let done = copy.checkpoint().status.success();
            assert_eq!(done, checkpoint(copy) != before);
            usize::from(done)
        };
        let all: Vec<_> = copies.iter().enumerate().map(|one_of| scope.spawn(move || one(one_of))).collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert!(won <= 1, "{won} copies went on with one log");
}

/// The files below a folder, with what they hold.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_none_or(|end| end != "lock") {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn the_transparency_log_lives_in_a_folder_as_it_is_published() {
    let (folder, address) = super::shared();
    log_lives_there(&address);
    fs::remove_dir_all(folder.path().join("store/log")).unwrap();
    let machine = Machine::new(&address);
    for command in ["ls", "ls -l"] {
        machine.attest(command);
        machine.done(&["log", "checkpoint"]);
    }
    // More than one tile holds.
    let home = machine.scratch.root().join("home");
    let places = Places {
        data: home.join(".local/share/recourse"),
        state: home.join(".local/state/recourse"),
        cache: home.join(".cache/recourse"),
    };
    for _ in 0..300 {
        AuditLog::open(&places).note("filled", value!({})).unwrap();
    }
    machine.done(&["log", "checkpoint"]);
    let web = folder.path().join("web");
    machine.done(&["registry", "publish", web.to_str().unwrap()]);
    let logs: Vec<_> = fs::read_dir(folder.path().join("store/log")).unwrap().collect();
    assert_eq!(logs.len(), 1);
    let mut there = files(&logs[0].as_ref().unwrap().path());
    let shown = files(&web.join(".well-known/recourse-log"));
    assert!(shown.len() > 5 && shown.contains_key(Path::new("tile/0/000")), "{:?}", shown.keys());
    // Partial tiles of smaller trees stay there: proofs of the time rest on them.
    there.retain(|path, _| shown.contains_key(path));
    assert_eq!(there, shown);
}

#[test]
fn a_log_that_the_store_lost_or_somebody_wrote_over_is_brought_back_or_refused() {
    let (folder, address) = super::shared();
    let machine = Machine::new(&address);
    machine.attest("ls");
    machine.done(&["log", "checkpoint"]);
    let logs = folder.path().join("store/log");
    let log = fs::read_dir(&logs).unwrap().next().unwrap().unwrap().path();
    // Another's words in the place of the checkpoint.
    let own = fs::read(log.join("checkpoint")).unwrap();
    fs::write(log.join("checkpoint"), "not.this.log\n1\nAAAA\n").unwrap();
    machine.attest("ls -l");
    let refused = machine.refused(&["log", "checkpoint"]);
    assert!(refused.contains("is no checkpoint of this log"), "{refused}");
    fs::write(log.join("checkpoint"), &own).unwrap();
    machine.done(&["log", "checkpoint"]);
    // An older state of it, which this machine goes on from; and a tile of others that is there first.
    let newest = fs::read(log.join("checkpoint")).unwrap();
    fs::write(log.join("checkpoint"), &own).unwrap();
    machine.done(&["log", "checkpoint"]);
    assert_eq!(fs::read(log.join("checkpoint")).unwrap(), newest);
    let local = machine.data().join("tlog/checkpoint");
    let size: u64 = fs::read_to_string(&local).unwrap().lines().nth(1).unwrap().parse().unwrap();
    let foreign = log.join(format!("tile/0/000.p/{}", size + 1));
    fs::write(&foreign, "x").unwrap();
    fs::set_permissions(&foreign, fs::Permissions::from_mode(0o600)).unwrap();
    machine.attest("ls -a");
    let before = fs::read(&local).unwrap();
    let refused = machine.refused(&["log", "checkpoint"]);
    assert!(refused.contains("another copy of this log went on"), "{refused}");
    assert_eq!(fs::read(&local).unwrap(), before);
    fs::remove_file(&foreign).unwrap();
    machine.done(&["log", "checkpoint"]);
    // All of it gone: it is made again.
    fs::remove_dir_all(&logs).unwrap();
    machine.done(&["log", "checkpoint"]);
    assert_eq!(fs::read(log.join("checkpoint")).unwrap(), fs::read(&local).unwrap());
    // Away: the log does not go on.
    machine.attest("ls -R");
    let away = folder.path().join("away");
    fs::rename(folder.path().join("store"), &away).unwrap();
    fs::write(folder.path().join("store"), "no folder").unwrap();
    let refused = machine.refused(&["log", "checkpoint"]);
    assert!(refused.contains(&address), "{refused}");
}

#[test]
fn attestations_registry_and_record_live_in_a_folder() {
    let (folder, address) = super::shared();
    lives_there(&address);
    // What is where.
    let names = |below: &str| -> Vec<PathBuf> {
        let all = fs::read_dir(folder.path().join("store").join(below)).unwrap();
        all.map(|entry| entry.unwrap().path()).collect()
    };
    assert!(!names("attestations").is_empty() && !names("registries").is_empty());
    assert!(names("audit").iter().all(|stream| fs::read_dir(stream).unwrap().count() > 0));
}

#[test]
fn a_store_that_goes_back_or_away_is_refused_and_said() {
    let (folder, address) = super::shared();
    let store = folder.path().join("store");
    let machine = Machine::new(&address);
    assert_eq!(machine.exec().0, "ran");
    let registries = store.join("registries");
    let old = folder.path().join("old");
    let copy = |from: &Path, to: &Path| {
        let _ = fs::remove_dir_all(to);
        assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
    };
    copy(&registries, &old);
    machine.done(&["keys", "rotate"]);
    assert_eq!(machine.exec().0, "ran");
    // An older state, and none at all.
    let new = folder.path().join("new");
    copy(&registries, &new);
    copy(&old, &registries);
    let (word, text) = machine.exec();
    assert_eq!(word, "store_unavailable", "{text}");
    assert!(text.contains("stale"), "{text}");
    fs::remove_dir_all(&registries).unwrap();
    assert_eq!(machine.exec().0, "store_unavailable");
    copy(&new, &registries);
    assert_eq!(machine.exec().0, "ran");
    // Somebody who may write to the store gives this machine no keys.
    let mut files = fs::read_dir(&registries).unwrap().map(|entry| entry.unwrap().path());
    let file = files.find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let mut forged: Value = serde_json::from_str(&text).unwrap();
    let version = forged["registry_version"].as_u64().unwrap() + 1;
    (forged["registry_version"], forged["sequence"]) = (version.into(), version.into());
    forged["keys"][1]["public_key"] = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo".into();
    fs::write(&file, forged.to_string()).unwrap();
    let (word, said) = machine.exec();
    assert_eq!(word, "store_unavailable", "{said}");
    assert!(said.contains("another copy of these keys"), "{said}");
    fs::write(&file, text).unwrap();
    // Away: nothing runs, nothing is signed, but a compromise is said all the same, and told when the store is back.
    let away = folder.path().join("away");
    fs::rename(&store, &away).unwrap();
    fs::write(&store, "no folder").unwrap();
    let (word, text) = machine.exec();
    assert_eq!(word, "store_unavailable", "{text}");
    assert!(text.contains(&address), "{text}");
    let refused = machine.refused(&["keys", "rotate"]);
    assert!(refused.contains(&address), "{refused}");
    let doctor = String::from_utf8(machine.run(&["doctor", "--format", "json"]).stdout).unwrap();
    assert!(doctor.contains("does not answer as it should"), "{doctor}");
    let active = serde_json::from_str::<Value>(&machine.done(&["keys", "list", "--format", "json"])).unwrap();
    let active = active["keys"].as_array().unwrap().iter().find(|key| key["state"] == "active").unwrap();
    let active = active["key_id"].as_str().unwrap().to_owned();
    let output = machine.run(&["keys", "compromise", &active]);
    assert!(output.status.success(), "{output:?}");
    fs::remove_file(&store).unwrap();
    fs::rename(&away, &store).unwrap();
    machine.done(&["keys", "generate"]);
    let told = fs::read_to_string(&file).unwrap();
    assert!(told.contains("compromised"), "{told}");
}

#[test]
fn a_full_file_of_the_record_goes_there_by_itself_and_is_not_taken_away_before() {
    let (folder, address) = super::shared();
    let store = folder.path().join("store");
    let machine = Machine::new(&address);
    machine.scratch.config("[record]\nsegment_mib = 1\nsegments = 2\n");
    let home = machine.scratch.root().join("home");
    let places = Places {
        data: home.join(".local/share/recourse"),
        state: home.join(".local/state/recourse"),
        cache: home.join(".cache/recourse"),
    };
    let fill = || {
        for _ in 0..24 {
            AuditLog::open(&places).append("filled", value!({"x": "x".repeat(50_000)})).unwrap();
        }
    };
    let there = || -> usize {
        let streams = fs::read_dir(store.join("audit")).into_iter().flatten();
        streams.map(|stream| fs::read_dir(stream.unwrap().path()).unwrap().count()).sum()
    };
    let here = || {
        let files = fs::read_dir(&places.data).unwrap().map(|entry| entry.unwrap().file_name());
        files.filter(|name| name.to_str().is_some_and(|name| name.starts_with("audit-"))).count()
    };
    assert_eq!(machine.exec().0, "ran");
    fill();
    assert_eq!(machine.exec().0, "ran");
    assert_eq!((there(), here()), (1, 1));
    // While the store is away more is kept here than was said.
    let away = folder.path().join("away");
    fs::rename(&store, &away).unwrap();
    fs::write(&store, "no folder").unwrap();
    for _ in 0..3 {
        fill();
        assert_eq!(machine.exec().0, "store_unavailable");
    }
    assert!(here() >= 3, "{}", here());
    fs::remove_file(&store).unwrap();
    fs::rename(&away, &store).unwrap();
    machine.done(&["log", "push"]);
    assert_eq!(there(), 4);
    machine.done(&["log", "prune"]);
    assert_eq!(here(), 1);
    machine.done(&["log", "verify"]);
}
