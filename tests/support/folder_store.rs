//! A folder that machines share, as `recourse-net` works on it: what it is asked, and what must be true of the folder whenever
//! it was killed in the middle of that.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use recourse::attest::Time;
use recourse::attest::beside::{FOR, VERSION};
use recourse::attest::document::hex;
use recourse::attest::fleet::{Answer, Ask};
use sha2::{Digest as _, Sha256};

/// One question each; the first begins with what is over and goes.
pub(crate) const ASKS: [&str; 3] = ["claim", "attestation", "registry"];
/// What is done with a question that stands in the folder.
const SCRIPT: &str = r#"exec "$0" "$@" <"$CRASH_FOLDER/ask" >"$CRASH_FOLDER/answer""#;
const REGISTRY: &str = "registries/one.json";
const ATTESTATION: &str = "attestations/00112233445566778899aabbccddeeff.json";
/// Longer than what is written in one go.
const LONG: usize = 100_000;
const DAY: Duration = Duration::from_secs(86_400);

/// Spent so many days ago, for attestations that ended then, and whether that goes.
const SPENT: [(u32, bool); 4] = [(60, true), (59, true), (50, true), (20, false)];

fn text(letter: &str) -> String {
    letter.repeat(LONG)
}

fn days_ago(days: u32) -> String {
    Time::now().plus_seconds(-i64::from(days) * 86_400).day()
}

/// Two nonces of a day.
fn nonces(days: u32) -> [String; 2] {
    [1, 2].map(|n| format!("nonces/{}/{:032x}", days_ago(days), days * 10 + n))
}

fn own(folder: &Path) -> String {
    fs::read_to_string(folder.join("own")).unwrap()
}

fn aged(path: &Path, age: Duration) {
    // Nobody needs to write to it to say how old it is.
    fs::File::open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
}

/// Another machine asks, and is answered.
fn asks(folder: &Path, ask: &Ask) -> Answer {
    fs::write(folder.join("ask"), format!("{}\n", serde_json::to_string(ask).unwrap())).unwrap();
    let words = words(folder);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env("CRASH_FOLDER", folder).stdin(Stdio::null());
    assert!(command.status().unwrap().success());
    serde_json::from_slice(&fs::read(folder.join("answer")).unwrap()).unwrap()
}

fn create(at: &str, body: &str) -> Ask {
    Ask::Create { at: at.to_owned(), body: body.to_owned(), bytes: false }
}

fn ask_of(kind: &str, folder: &Path) -> Ask {
    match kind {
        "claim" => create(&own(folder), "first"),
        "attestation" => create(ATTESTATION, &text("a")),
        _ => {
            let over = hex(&Sha256::digest(text("r")));
            Ask::Replace { at: REGISTRY.to_owned(), body: text("s"), over }
        }
    }
}

/// What is started about the store in a folder.
pub(crate) fn words(folder: &Path) -> Vec<String> {
    let store = format!("file://{}/store", folder.display());
    ["sh", "-c", SCRIPT, env!("CARGO_BIN_EXE_recourse-net"), FOR, VERSION, "store", &store]
        .map(str::to_owned)
        .to_vec()
}

/// A folder with nonces of several days, one that is looked at with the next claim.
pub(crate) fn prepare(kind: &str, folder: &Path) {
    let store = folder.join("store");
    DirBuilder::new().mode(0o700).create(&store).unwrap();
    fs::write(folder.join("own"), format!("nonces/{}/{:032x}", days_ago(0), 7)).unwrap();
    for (days, _) in SPENT {
        for at in nonces(days) {
            assert_eq!(asks(folder, &create(&at, "own")), Answer::Made {});
            aged(&store.join(at), days * DAY);
        }
        // As old as the last that was spent.
        aged(&store.join("nonces").join(days_ago(days)), days * DAY);
    }
    assert_eq!(asks(folder, &create("probe/2020-01-01", "own")), Answer::Made {});
    aged(&store.join("probe/2020-01-01"), 400 * DAY);
    assert_eq!(asks(folder, &create(REGISTRY, &text("r"))), Answer::Made {});
    aged(&store.join("pruned"), 2 * DAY);
    let ask = serde_json::to_string(&ask_of(kind, folder)).unwrap();
    fs::write(folder.join("ask"), ask + "\n").unwrap();
    fs::remove_file(folder.join("answer")).unwrap();
}

/// That what is there is whole, nothing can be had twice, and who comes next ends what was begun.
pub(crate) fn inspect(kind: &str, folder: &Path) {
    let store = folder.join("store");
    let read = |at: &str| fs::read_to_string(store.join(at)).ok();
    let answered = fs::read(folder.join("answer")).is_ok_and(|answer| !answer.is_empty());
    assert!(kind == "registry" || read(REGISTRY) == Some(text("r")));
    assert!([None, Some(text("a"))].contains(&read(ATTESTATION)));
    match kind {
        "attestation" => assert!(!answered || read(ATTESTATION).is_some()),
        "registry" => {
            let now = read(REGISTRY).unwrap();
            assert!(now == text("s") || now == text("r") && !answered);
        }
        _ => {}
    }
    for at in SPENT.iter().flat_map(|(days, _)| nonces(*days)) {
        assert_ne!(asks(folder, &create(&at, "again")), Answer::Made {}, "{at} was spent before");
    }
    if kind == "claim" {
        // Who was not answered may have claimed it, and another one may then not.
        let second = asks(folder, &create(&own(folder), "second"));
        assert!(!answered || second == Answer::There {}, "{second:?}");
        assert_eq!(asks(folder, &create(&own(folder), "third")), Answer::There {});
    } else {
        let again = asks(folder, &ask_of(kind, folder));
        assert!(matches!(again, Answer::Made {} | Answer::There {}), "{again:?}");
        assert_eq!(read(if kind == "registry" { REGISTRY } else { ATTESTATION }).unwrap().len(), LONG);
    }
    // Two days later.
    let _ = fs::metadata(store.join("pruned")).map(|_| aged(&store.join("pruned"), 2 * DAY));
    half_way(&store).iter().for_each(|left| aged(left, DAY));
    let last = format!("nonces/{}/{:032x}", days_ago(0), 8);
    assert_eq!(asks(folder, &create(&last, "own")), Answer::Made {});
    for (days, goes) in SPENT {
        for at in nonces(days) {
            assert_eq!(read(&at).is_none(), goes, "{at}");
            assert_ne!(asks(folder, &create(&at, "again")), Answer::Made {}, "{at} was spent before");
        }
        assert_eq!(!store.join("nonces").join(days_ago(days)).exists(), goes, "its folder");
    }
    assert!(read("probe/2020-01-01").is_none());
    let left = half_way(&store);
    assert!(left.iter().all(|left| left.starts_with(store.join("nonces").join(days_ago(0)))), "{left:?}");
}

/// Files that never came to their place.
pub(crate) fn half_way(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            found.extend(half_way(&entry.path()));
        } else if entry.file_name().to_string_lossy().starts_with(".recourse-") {
            found.push(entry.path());
        }
    }
    found
}
