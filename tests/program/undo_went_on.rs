//! An undo in places where work went on since: commits, logs and further names stay what people made of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::program;

struct Place {
    root: tempfile::TempDir,
}

impl Place {
    /// A repository with two commits; not below a temporary directory, where little counts.
    fn lay() -> Self {
        let place = Self { root: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap() };
        fs::create_dir(place.dir()).unwrap();
        place.sh("git init -q -b main && echo 1 > t && git add t && git commit -qm one && echo 2 >> t && git commit -qam two");
        place
    }

    fn dir(&self) -> PathBuf {
        self.root.path().join("proj")
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.dir()).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", self.root.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "x").env(format!("GIT_{who}_EMAIL"), "x@y");
        }
        command
    }

    fn sh(&self, text: &str) -> String {
        let output = self.command("bash").args(["-c", text]).output().unwrap();
        assert!(output.status.success(), "{text}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Later than anything before.
    fn later(&self, text: &str) {
        let hour = 3600 + std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
        self.sh(&format!("export GIT_COMMITTER_DATE='{hour} +0000'; {text}"));
    }

    fn run(&self, command: &str) {
        let output =
            self.command(program()).args(["exec", "--profile", "agent", "-c", command]).output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn undo(&self, arguments: &[&str]) -> Option<i32> {
        self.command(program()).args(["undo", "--yes"]).args(arguments).output().unwrap().status.code()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir().join(Path::new(name))).unwrap()
    }
}

#[test]
fn what_was_committed_since_stays_on_its_branch() {
    let place = Place::lay();
    place.sh("git checkout -q -b f && git commit -q --allow-empty -m ff && git checkout -q main");
    place.run("git branch -D f; git reflog expire --expire=now --all; git gc -q --prune=now");
    place.later("echo w > w && git add w && git commit -qm since");
    assert_eq!(place.undo(&[]), Some(0));
    assert_eq!(
        place.sh("git log -1 --format=%s main; git log -1 --format=%s f; git status --short"),
        "since\nff\n"
    );
    place.sh("git fsck");
}

#[test]
fn the_index_of_a_later_commit_stays() {
    let place = Place::lay();
    place.sh("echo mine >> t");
    place.run("git reset -q --hard");
    place.later("echo n > n && git add n && git commit -qm since");
    assert_eq!(place.undo(&[]), Some(0));
    assert_eq!(place.sh("git status --short; git log -1 --format=%s"), " M t\nsince\n");
    assert!(place.read("t").ends_with("mine\n"));
}

#[test]
fn what_is_dropped_from_a_branch_by_an_undo_is_in_its_log() {
    let place = Place::lay();
    place.sh("echo mine >> t");
    place.run("git reset -q --hard HEAD~1");
    place.later("echo n > n && git add n && git commit -qm since");
    assert_eq!(place.undo(&[]), Some(0));
    assert!(place.sh("git log --reflog --format=%s").contains("since"));
}

#[test]
fn a_point_that_changed_nothing_is_passed_over() {
    let place = Place::lay();
    place.sh("echo own > own; echo '#!/nowhere/at/all' > tool; chmod +x tool");
    place.run("rm own");
    place.sh("echo other > other");
    let ran =
        place.command(program()).args(["exec", "--profile", "agent", "-c", "./tool frob"]).output().unwrap();
    assert!(!ran.status.success());
    assert_eq!(place.undo(&[]), Some(0));
    assert_eq!(place.read("own"), "own\n");
}

#[test]
fn names_that_the_store_gives_a_file_are_no_copies() {
    let place = Place::lay();
    place.sh("echo hard > a; ln a b");
    place.run("echo zz > a");
    assert_eq!(place.undo(&[]), Some(0));
    place.run("rm a b");
    assert_eq!(place.undo(&[]), Some(0));
    assert_eq!((place.read("a"), place.read("b")), ("hard\n".to_owned(), "hard\n".to_owned()));
}

#[test]
fn old_points_go_and_pinned_ones_stay() {
    let place = Place::lay();
    let kept = place.root.path().join(".local/share/recourse/kept");
    let points = || {
        let mut names: Vec<String> = fs::read_dir(&kept)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".point").map(str::to_owned))
            .collect();
        names.sort();
        names
    };
    for name in ["a", "b", "c"] {
        place.sh(&format!("echo own > {name}"));
        place.run(&format!("rm {name}"));
    }
    let [first, second, last] = points().try_into().unwrap();
    // The first two were made long ago, and the second is pinned.
    for old in [&first, &second] {
        let aged = format!("000000000{}", &old[9..]);
        fs::rename(kept.join(format!("{old}.point")), kept.join(format!("{aged}.point"))).unwrap();
    }
    fs::write(kept.join(format!("000000000{}.pinned", &second[9..])), "").unwrap();
    fs::remove_file(kept.join("tidied")).unwrap();
    place.sh("echo own > d");
    place.run("rm d");
    let left = points();
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(left.contains(&format!("000000000{}", &second[9..])) && left.contains(&last));
}
