//! A process that works on keys, attestations, nonces or the audit log is killed between any two system calls, and
//! whoever comes next finds everything in order.
//!
//! One operation alone in a process: it waits for any child.

#![cfg(target_os = "linux")]
// A test fails loudly.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use recourse::attest::audit::{AuditLog, Limits};
use recourse::attest::beside::PROGRAM;
use recourse::attest::fleet::{Address, Shared};
use recourse::attest::keys::KeyStore;
use recourse::attest::nonces::Nonces;
use recourse::attest::retention::Retention;
use recourse::attest::sign::{DEFAULT_VALIDITY, Evaluation, Profile, Signer, SignerSettings};
use recourse::attest::signature::PublicKey;
use recourse::attest::store::{Served, Store};
use recourse::attest::tlog::book::Log;
use recourse::attest::{Attestation, KeyState, Origin, Places, Time, disk};
use serde_json::json;

#[path = "support/folder_store.rs"]
mod folder_store;
#[path = "support/stops.rs"]
mod stops;

const NONCE: &str = "00112233445566778899aabbccddeeff";
/// What an operation's name ends with that is done with a store in a folder.
const SHARED: &str = ", shared";
/// In the record that goes into the store.
const EVENTS: u64 = 3;
/// Of attestations that ended long ago.
const OLD: [&str; 2] = ["10112233445566778899aabbccddeeff", "20112233445566778899aabbccddeeff"];

/// Puts the program that speaks with stores beside this one: it is looked for nowhere else.
fn with_the_helper() {
    let (helper, own) = (Path::new(env!("CARGO_BIN_EXE_recourse-net")), std::env::current_exe().unwrap());
    let place = own.with_file_name(PROGRAM);
    let number = |path: &Path| fs::metadata(path).map(|found| found.ino()).ok();
    if number(&place) != number(helper) {
        let _ = fs::remove_file(&place);
        fs::hard_link(helper, &place).unwrap();
    }
}

/// Runs in the child: one operation on the files below a folder.
#[test]
#[ignore = "run by the other test in a process of its own"]
fn operate() {
    let folder = PathBuf::from(std::env::var_os("CRASH_FOLDER").unwrap());
    work(&std::env::var("CRASH_OPERATION").unwrap(), &folder);
}

fn keys(folder: &Path) -> KeyStore {
    let keys = KeyStore::open(&Places::under(folder)).named("crash").unwrap();
    keys.publishing_to(&folder.join("web")).sharing(shared(folder))
}

/// The store that machines share, where this folder's machine is one of them.
fn shared(folder: &Path) -> Option<Arc<Shared>> {
    folder.join("shares").exists().then(|| store_in(folder))
}

fn store_in(folder: &Path) -> Arc<Shared> {
    let store = Address::parse(&format!("file://{}/store", folder.display())).unwrap();
    Arc::new(Shared::new(store))
}

/// The audit log, of which each file is full at once.
fn record(folder: &Path, segments: usize) -> AuditLog {
    let limits = Limits { segment: 1, segments, age: None };
    AuditLog::open(&Places::under(folder)).within(limits).sharing(shared(folder))
}

fn work(operation: &str, folder: &Path) {
    let keys = keys(folder);
    match operation {
        "first-run" => drop(keys.ensure_active().unwrap()),
        "generate" => drop(keys.generate().unwrap()),
        "rotate" => drop(keys.rotate(None).unwrap()),
        "compromise" => drop(keys.compromise("crash-1", Some("crash")).unwrap()),
        "sign" => {
            let settings = SignerSettings {
                base: Origin::base("https://recourse.example").unwrap(),
                evaluator: "recourse:test".to_owned(),
                profile: Profile::Full,
                validity: DEFAULT_VALIDITY,
            };
            let store = Store::open(&Places::under(folder)).sharing(shared(folder));
            let signer = Signer::new(keys, store, settings);
            let input = json!({"source": "shell", "input": "true"});
            signer.attest(Evaluation { input, output: json!({}), chain: None }).unwrap();
        }
        "spend" => {
            // Afterwards the first one may be spent already: that is what it is for.
            let _ = Nonces::open(&Places::under(folder)).spend(NONCE, Time::now());
        }
        "note" => {
            record(folder, 2).note("noted", json!({})).unwrap();
        }
        "push" => {
            let record = record(folder, 0).sharing(Some(store_in(folder)));
            record.ship(&store_in(folder), true).unwrap();
            record.prune(&Limits { segment: 1, segments: 1, age: None }).unwrap();
        }
        "log" => drop(log(folder).advance().unwrap()),
        "tidy" => retention().tidy(&Places::under(folder), shared(folder).as_ref()),
        other => panic!("{other}"),
    }
}

/// The transparency log, in the store that machines share as well.
fn log(folder: &Path) -> Log {
    Log::open(&Places::under(folder)).sharing(Some(store_in(folder)))
}

/// For how long what is kept: of what is over, for no time.
fn retention() -> Retention {
    let record = Limits { segment: 1 << 20, segments: 0, age: Some(Duration::from_secs(60)) };
    Retention { attestations: Some(Duration::ZERO), record }
}

/// Attestations of a key that is retired, nonces of attestations that ended long ago, an old file of the record.
fn prepare_tidy(folder: &Path) {
    let places = Places::under(folder);
    for _ in 0..3 {
        work("sign", folder);
    }
    keys(folder).rotate(None).unwrap();
    keys(folder).retire("crash-1").unwrap();
    for nonce in OLD {
        Nonces::open(&places).spend(nonce, ended()).unwrap();
        aged(&places.nonces().join(nonce));
    }
    record(folder, 0).append("noted", json!({})).unwrap();
    for file in fs::read_dir(&places.data).unwrap().flatten() {
        if file.file_name().to_string_lossy().starts_with("audit-") {
            aged(&file.path());
        }
    }
    // What is counted here comes from one run.
    fs::write(folder.join("signed"), Store::open(&places).list().unwrap().join("\n")).unwrap();
}

/// When attestations ended whose nonces are not kept any more.
fn ended() -> Time {
    "2020-01-01T00:00:00Z".parse().unwrap()
}

fn aged(path: &Path) {
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_577_836_800)).unwrap();
}

/// The question to `recourse-net` about a folder that machines share, where the operation is one.
fn asked(operation: &str) -> Option<&str> {
    operation.strip_prefix("asked for ")
}

/// An operation without where it is done.
fn first(operation: &str) -> &str {
    operation.strip_suffix(SHARED).unwrap_or(operation)
}

/// A folder in which an operation can be done.
fn prepare(operation: &str, folder: &Path) {
    if let Some(kind) = asked(operation) {
        return folder_store::prepare(kind, folder);
    }
    if operation.ends_with(SHARED) || operation == "push" {
        fs::DirBuilder::new().mode(0o700).create(folder.join("store")).unwrap();
    }
    if operation.ends_with(SHARED) {
        fs::write(folder.join("shares"), "").unwrap();
    }
    let operation = first(operation);
    match operation {
        "first-run" | "spend" | "push" => {}
        _ => drop(keys(folder).ensure_active().unwrap()),
    }
    if operation == "log" {
        log(folder).begin(&Origin::base("https://recourse.example").unwrap()).unwrap();
        work("log", folder);
        work("sign", folder);
    }
    if operation == "tidy" {
        prepare_tidy(folder);
    }
    if operation == "push" {
        for number in 0..EVENTS {
            record(folder, 0).append("noted", json!({"number": number})).unwrap();
        }
    }
    if operation == "note" {
        // Each begins a new file; the next one takes the oldest away, too.
        for _ in 0..3 {
            work(operation, folder);
        }
    }
}

/// Runs an operation; `at` is told the number of each stop and says whether to kill there. Whether it ended by itself.
fn step(operation: &str, folder: &Path, mut at: impl FnMut(usize) -> bool) -> bool {
    let own = std::env::current_exe().unwrap().display().to_string();
    let words = match asked(operation) {
        Some(_) => folder_store::words(folder),
        None => {
            [&own, "--ignored", "--exact", "operate", "-q", "--test-threads=1"].map(str::to_owned).to_vec()
        }
    };
    let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
    let mut command = stops::waiting(&words);
    command.env("CRASH_OPERATION", first(operation)).env("CRASH_FOLDER", folder);
    let code = stops::step(command.spawn().unwrap(), |number, _| at(number));
    assert!(matches!(code, Some(0) | None), "{operation} fails without being killed");
    code.is_some()
}

/// Name, size, inode, time and mode of a file.
type Seen = (PathBuf, u64, u64, i64, u32);

/// What can be seen of a folder from outside.
fn snapshot(folder: &Path, into: &mut Vec<Seen>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let Ok(found) = fs::symlink_metadata(entry.path()) else { continue };
        into.push((entry.path(), found.len(), found.ino(), found.mtime_nsec(), found.mode()));
        if found.is_dir() {
            snapshot(&entry.path(), into);
        }
    }
    into.sort();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), &place).unwrap();
            let then = entry.metadata().unwrap().modified().unwrap();
            fs::OpenOptions::new().append(true).open(&place).unwrap().set_modified(then).unwrap();
        }
    }
    let then = fs::metadata(from).unwrap().modified().unwrap();
    fs::File::open(to).unwrap().set_modified(then).unwrap();
}

/// Key names and what stands behind them.
fn named(folder: &Path) -> (u64, BTreeMap<String, String>) {
    let registry = keys(folder).registry().unwrap();
    registry.map_or_else(
        || (0, BTreeMap::new()),
        |registry| {
            assert!(registry.keys.iter().filter(|key| key.state == KeyState::Active).count() <= 1);
            let names =
                registry.keys.iter().map(|key| (key.key_id.clone(), key.public_key.clone())).collect();
            (registry.version.unwrap(), names)
        },
    )
}

/// Every event is here or in the store, in order.
fn in_the_record(folder: &Path) {
    let mut seen = Vec::new();
    let stored = fs::read_dir(folder.join("store/audit")).into_iter().flatten().flatten();
    for place in stored.map(|stream| stream.path()).chain([folder.join("data")]) {
        for entry in fs::read_dir(place).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("audit") && name.ends_with(".jsonl") {
                let text = fs::read_to_string(entry.path()).unwrap();
                let events = text.lines().map(|line| serde_json::from_str(line).unwrap());
                seen.extend(
                    events.filter_map(|event: serde_json::Value| event["details"]["number"].as_u64()),
                );
            }
        }
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, (0..EVENTS).collect::<Vec<_>>(), "an event was lost");
}

/// What the store has is whole, and its registry is the one in force.
fn in_the_store(folder: &Path) {
    let entries = |name: &str| fs::read_dir(folder.join("store").join(name)).into_iter().flatten().flatten();
    for entry in entries("attestations").filter(|entry| !is_under_way(entry)) {
        let attestation = Attestation::parse(&fs::read(entry.path()).unwrap()).unwrap();
        assert_eq!(entry.file_name().to_string_lossy(), format!("{}.json", attestation.id()));
    }
    let is_registry = |entry: &fs::DirEntry| entry.path().extension() == Some(OsStr::new("json"));
    for entry in entries("registries").filter(is_registry) {
        let value: serde_json::Value = serde_json::from_slice(&fs::read(entry.path()).unwrap()).unwrap();
        assert!(value["registry_version"].as_u64().unwrap() >= 1);
    }
}

fn is_under_way(entry: &fs::DirEntry) -> bool {
    disk::is_under_way(&entry.file_name().to_string_lossy())
}

/// That everything is in order, and the next operation works.
fn inspect(operation: &str, before: &Path, folder: &Path) {
    if let Some(kind) = asked(operation) {
        return folder_store::inspect(kind, folder);
    }
    if operation == "push" {
        in_the_record(folder);
    }
    let operation = first(operation);
    let places = Places::under(folder);
    let (old_version, old) = named(before);
    let (version, now) = named(folder);
    assert!(version >= old_version);
    for (name, key) in &old {
        assert_eq!(now.get(name), Some(key), "a key was lost or replaced");
    }
    if places.data.exists() {
        AuditLog::open(&places).verify().unwrap();
    }
    in_the_store(folder);
    // What was published is never ahead of what a verifier may see next.
    let published = fs::read(folder.join("web/.well-known/recourse-keys.json")).ok();
    let published: Option<serde_json::Value> = published.map(|bytes| serde_json::from_slice(&bytes).unwrap());
    let seen = published.map_or(0, |value| value["registry_version"].as_u64().unwrap());
    let store = Store::open(&places);
    for id in store.list().unwrap() {
        let attestation = store.read(&id).unwrap().unwrap();
        let key = PublicKey::from_base64url(&now[attestation.key_id()]).unwrap();
        key.verify(attestation.payload(), attestation.signature()).unwrap();
    }
    if operation == "tidy" {
        for nonce in OLD {
            assert!(Nonces::open(&places).spend(nonce, ended()).is_err(), "it was spent before");
        }
    }
    let next = match operation {
        // Done again, whether or not it was done.
        "compromise" if keys(folder).registry().unwrap().unwrap().active().is_none() => "generate",
        other => other,
    };
    work(next, folder);
    in_the_store(folder);
    let (later, names) = named(folder);
    if !matches!(operation, "sign" | "spend" | "first-run" | "note" | "push" | "log" | "tidy") {
        assert!(later > version && later > seen, "{later} after {version}, seen {seen}");
    }
    for (name, key) in &now {
        assert_eq!(names.get(name), Some(key));
    }
    match operation {
        // What counts here is there, and what a checkpoint counts is there before it.
        "log" => {
            let there = fs::read_dir(folder.join("store/log")).unwrap().next().unwrap().unwrap().path();
            let checkpoint = fs::read_to_string(there.join("checkpoint")).unwrap();
            assert_eq!(log(folder).checkpoint().unwrap().unwrap().to_string(), checkpoint);
            let size = checkpoint.lines().nth(1).unwrap();
            assert!(there.join(format!("tile/entries/000.p/{size}")).is_file());
        }
        "first-run" | "rotate" => assert!(keys(folder).registry().unwrap().unwrap().active().is_some()),
        "sign" => assert!(!store.list().unwrap().is_empty()),
        "spend" => assert!(Nonces::open(&places).spend(NONCE, Time::now()).is_err()),
        "tidy" => {
            let registry = keys(folder).registry().unwrap().unwrap();
            let signed = fs::read_to_string(folder.join("signed")).unwrap();
            assert_eq!(signed.lines().count(), 3);
            for id in signed.lines() {
                assert_eq!(store.served(id, &registry).unwrap(), Served::Gone, "410, not 404");
            }
            for nonce in OLD {
                assert!(!places.nonces().join(nonce).exists());
            }
            let left = || [&places.data, &places.state].map(|place| folder_store::half_way(place)).concat();
            left().iter().for_each(|left| aged(left));
            work("tidy", folder);
            assert_eq!(left(), [] as [PathBuf; 0]);
        }
        _ => {}
    }
    if places.audit_log().exists() {
        AuditLog::open(&places).verify().unwrap();
    }
    // A private key that was half-way to its place is gone.
    let left = fs::read_dir(places.keys()).into_iter().flatten().flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with(".recourse-")).count();
    assert!(
        left == 0 || matches!(operation, "sign" | "spend" | "note" | "push" | "log" | "tidy"),
        "{left} files half-way"
    );
}

#[test]
fn killed_anywhere_nothing_is_lost() {
    with_the_helper();
    let here =
        ["first-run", "generate", "rotate", "compromise", "sign", "spend", "note", "push", "log", "tidy"];
    let shared = ["rotate", "compromise", "sign", "tidy"].map(|operation| format!("{operation}{SHARED}"));
    let asked = folder_store::ASKS.map(|kind| format!("asked for {kind}"));
    // The longest first.
    let all: Vec<String> = asked.into_iter().chain(here.map(str::to_owned)).chain(shared).collect();
    // One process each, since it waits for any child; as many at once as there are cores.
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(operation) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut command = Command::new(std::env::current_exe().unwrap());
                    command.args(["--ignored", "--exact", "killed_anywhere", "--nocapture"]);
                    if !command.env("CRASH_OPERATION", operation).status().unwrap().success() {
                        failed.lock().unwrap().push(operation);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{failed:?}: what failed is told above");
}

/// One operation, killed at every stop.
#[test]
#[ignore = "run by the other test in a process of its own"]
fn killed_anywhere() {
    let operation = &std::env::var("CRASH_OPERATION").unwrap();
    // In memory where possible: a killed process loses nothing that it handed to the kernel, so syncing only costs.
    let memory = Path::new("/dev/shm");
    let root = tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir()).unwrap();
    let before = root.path().join("before");
    fs::create_dir(&before).unwrap();
    prepare(operation, &before);
    // Once to the end, to find where it works on the folder: before and after that a kill changes nothing.
    let whole = root.path().join("whole");
    copy(&before, &whole);
    let (mut last, mut changes) = (Vec::new(), Vec::new());
    snapshot(&whole, &mut last);
    let ended = step(operation, &whole, |number| {
        let mut now = Vec::new();
        snapshot(&whole, &mut now);
        if now != last {
            changes.push(number);
            last = now;
        }
        false
    });
    assert!(ended);
    assert!(changes.len() > 3, "{operation} works on the folder");
    // Between two changes of the folder one edge is as good as another; with this variable all are tried.
    let stops: Vec<usize> = match std::env::var_os("CRASH_EVERYWHERE") {
        // With threads and another program no edge has the same number twice.
        Some(_) if !operation.ends_with(SHARED) && !["log", "push"].contains(&operation.as_str()) => {
            (changes[0].saturating_sub(3)..=changes[changes.len() - 1] + 3).collect()
        }
        _ => std::iter::once(changes[0] - 1).chain(changes).collect(),
    };
    for &number in &stops {
        let folder = root.path().join("killed");
        copy(&before, &folder);
        step(operation, &folder, |at| at == number);
        if let Err(fault) = std::panic::catch_unwind(|| inspect(operation, &before, &folder)) {
            eprintln!("{operation}, killed at stop {number} of {stops:?}");
            std::panic::resume_unwind(fault);
        }
        fs::remove_dir_all(&folder).unwrap();
    }
    eprintln!("{operation}: killed at each of {} stops", stops.len());
}
