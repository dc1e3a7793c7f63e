//! What is kept before something that nobody can read is kept as well when the same line has a loss that is known: the one
//! never stands in the place of the other.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use crate::undo_files::{Place, said};

/// What a line may hold of which nobody can tell what it does, one of each sort. None of them has to be here: it is kept
/// before it is run.
const UNREAD: &[&str] = &[
    "../unread",
    "../unread -o b.txt",
    "pytest -q",
    "pytest --junitxml=b.txt -q",
    "pnpm test",
    "make",
    "cargo test",
    "black .",
    "python3 -c 'import acme; acme.go()'",
    "python3 < code",
    "git fetch ext::../unread",
    "poetry add acme",
];

/// Losses that are known.
const KNOWN: &[&str] =
    &["rm b.txt", "echo > b.txt", "chmod 600 b.txt", "git reset -q --hard", "git stash drop -q"];

/// A repository with something of each sort that no commit holds.
const LAID: &str = "
    git init -q . && git config user.name n && git config user.email a@b
    echo one > tracked && echo two > src && echo 'all: ; acme' > Makefile
    echo '{\"scripts\": {\"test\": \"acme\"}}' > package.json
    git add . && git commit -qm one && git branch side
    echo stashed > tracked && git stash -q
    echo staged > src && git add src && echo mine > tracked
    echo a > a.txt; echo b > b.txt; mkdir d; echo c > d/c.txt; echo 'import acme; acme.go()' > code
    cp /bin/true ../unread";

fn lay() -> Place {
    let place = Place::new();
    let laid = Command::new("sh").args(["-ec", LAID]).current_dir(place.work()).output().unwrap();
    assert!(laid.status.success(), "{}", said(&laid));
    place
}

/// What the only point holds, by the path in the place; and what was said.
fn kept(line: &str) -> (BTreeSet<String>, String) {
    let place = lay();
    let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
    let home = place.work().parent().unwrap().canonicalize().unwrap();
    let store = home.join(".local/share/recourse/kept");
    let mut paths = BTreeSet::new();
    for entry in fs::read_dir(store).into_iter().flatten().flatten() {
        if entry.path().extension() != Some(OsStr::new("point")) {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap();
        for line in text.lines().skip(1) {
            let item: serde_json::Value = serde_json::from_str(line).unwrap();
            if item["was"] == "around" {
                continue;
            }
            let path = std::path::PathBuf::from(item["path"].as_str().unwrap());
            paths.insert(path.strip_prefix(&home).unwrap_or(&path).to_string_lossy().into_owned());
        }
    }
    (paths, said(&output))
}

#[test]
fn a_known_loss_takes_nothing_from_what_is_kept_before_what_nobody_can_read() {
    let mut wrong = Vec::new();
    for unread in UNREAD {
        let (alone, words) = kept(unread);
        if !alone.contains("work/a.txt") || !alone.contains("work/d/c.txt") {
            wrong.push(format!("{unread} alone: {alone:?} {words}"));
            continue;
        }
        let lines =
            KNOWN.iter().flat_map(|known| [format!("{unread}; {known}"), format!("{known}; {unread}")]);
        for line in lines.chain([format!("{unread} > b.txt"), format!("{unread} 2> d/c.txt; rm b.txt")]) {
            let (beside, words) = kept(&line);
            let missing: Vec<&String> = alone.difference(&beside).collect();
            if !missing.is_empty() {
                wrong.push(format!("{line}: {missing:?} {words}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A program of the system, of which nobody can tell what it does here, and that takes what is nowhere else.
const TAKES: &str = "cp /bin/sh ../unread; printf 'rm -f a.txt; git branch -qD side\\n' > ../taker";

#[test]
fn what_an_unread_program_takes_beside_a_known_loss_comes_back() {
    for line in [
        "rm b.txt; ../unread ../taker",
        "../unread ../taker > b.txt",
        "git reset -q --hard; ../unread ../taker",
        "chmod 600 b.txt; ../unread ../taker",
        "git branch -qD side; ../unread ../taker",
    ] {
        let place = lay();
        let work = place.work();
        assert!(Command::new("sh").args(["-ec", TAKES]).current_dir(&work).status().unwrap().success());
        let heads = || {
            let words = ["for-each-ref", "--format=%(refname) %(objectname)"];
            let said = Command::new("git").args(words).current_dir(&work).output().unwrap();
            String::from_utf8(said.stdout).unwrap()
        };
        let files =
            || ["a.txt", "b.txt", "src", "tracked"].map(|name| fs::read_to_string(work.join(name)).ok());
        let (refs, was) = (heads(), files());
        let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
        assert!(!work.join("a.txt").exists() && heads() != refs, "{line}: {}", said(&output));
        let undone = place.undo(&[]);
        assert!(undone.status.success(), "{line}: {}", said(&undone));
        assert_eq!((heads(), files()), (refs, was), "{line}: {}{}", said(&output), said(&undone));
    }
}
