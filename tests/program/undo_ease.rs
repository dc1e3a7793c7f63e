//! What loses nothing for good and is little is taken back like any other: moves, what is appended, packed, patched, linked.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;

use crate::undo_files::{Place, said};

fn lay() -> Place {
    let place = Place::new();
    let work = place.work();
    fs::create_dir_all(work.join("own/deep")).unwrap();
    fs::create_dir(work.join("empty")).unwrap();
    for name in ["notes.md", "own/deep/x.md", "other.md"] {
        fs::write(work.join(name), format!("{name}: nowhere else\n").repeat(20)).unwrap();
    }
    symlink("notes.md", work.join("link")).unwrap();
    fs::write(
        work.join("change.patch"),
        "--- a/other.md\n+++ b/other.md\n@@ -1 +1 @@\n-other.md: nowhere else\n+changed\n",
    )
    .unwrap();
    place
}

/// Runs a command and takes it back; what undo said.
fn run_and_back(place: &Place, command: &str) -> String {
    let output = place.recourse(&["exec", "--profile", "agent", "-c", command].map(OsStr::new));
    assert!(output.status.success(), "{command}: {}", said(&output));
    let undone = place.undo(&[]);
    assert!(undone.status.success(), "{command}: {}", said(&undone));
    said(&undone)
}

#[test]
fn what_is_moved_appended_packed_or_linked_is_taken_back_in_silence() {
    let place = lay();
    let was = place.seen();
    for command in [
        "mv notes.md named.md",
        "mv own moved",
        "mv -T own empty",
        "mv notes.md own/deep/",
        "echo more >> notes.md",
        "echo more | tee -a notes.md > /dev/null",
        "touch -d 2001-01-01 notes.md",
        "gzip notes.md",
        "gzip -r own",
        "gzip -S .old notes.md own/deep/x.md",
        "perl -i.orig -pe s/nowhere/somewhere/ notes.md",
        "ln -sfn own link",
        "chmod +x notes.md",
        "patch -s -p1 < change.patch",
    ] {
        let output = place.recourse(&["exec", "--profile", "agent", "-c", command].map(OsStr::new));
        assert!(output.status.success(), "{command}: {}", said(&output));
        assert!(!said(&output).contains("kept"), "{command}: {}", said(&output));
        assert!(place.seen() != was, "{command} changed nothing");
        let undone = place.undo(&[]);
        assert!(undone.status.success(), "{command}: {}", said(&undone));
        let now = place.seen();
        for (path, thing) in &was {
            let there = now.get(path).unwrap_or_else(|| panic!("{command}: {} is gone", path.display()));
            let same = there.kind == thing.kind && (thing.kind != "file" || there.modified == thing.modified);
            assert!(same, "{command}: {}: {there:?} was {thing:?}", path.display());
        }
        for made in
            ["named.md", "moved", "own/deep/notes.md", "notes.md.gz", "own/deep/x.md.gz", "notes.md.old"]
        {
            assert!(!place.work().join(made).exists(), "{command} left {made}");
        }
        let read = |name: &str| fs::read_to_string(place.work().join(name)).unwrap();
        assert_eq!(read("notes.md"), "notes.md: nowhere else\n".repeat(20), "{command}");
        assert_eq!(read("own/deep/x.md"), "own/deep/x.md: nowhere else\n".repeat(20), "{command}");
        assert_eq!(read("other.md"), "other.md: nowhere else\n".repeat(20), "{command}");
    }
}

#[test]
fn moves_into_each_others_places_are_taken_back() {
    for command in ["mv own aside; mv others own", "mv own aside && mv -T others own"] {
        let place = lay();
        fs::create_dir_all(place.work().join("others/deep/er")).unwrap();
        for name in ["others/y.md", "others/deep/y.md", "others/deep/er/y.md"] {
            fs::write(place.work().join(name), format!("{name}: nowhere else\n")).unwrap();
        }
        let was = place.seen();
        run_and_back(&place, command);
        let now = place.seen();
        assert_eq!(now.keys().collect::<Vec<_>>(), was.keys().collect::<Vec<_>>(), "{command}");
        let read = |name: &str| fs::read_to_string(place.work().join(name)).unwrap();
        assert_eq!(read("own/deep/x.md"), "own/deep/x.md: nowhere else\n".repeat(20), "{command}");
        assert_eq!(read("others/deep/er/y.md"), "others/deep/er/y.md: nowhere else\n", "{command}");
    }
}

/// Nothing is left where something only stood for a while.
#[test]
fn moves_one_after_the_other_leave_nothing_where_they_went() {
    for command in [
        "mv notes.md n && mv n o && mv o p",
        "mv notes.md n; mv n o; mv o own/p; mv own q",
        "mv notes.md n && mv other.md notes.md && mv n other.md && mv other.md o",
        "mkdir d && mv notes.md d/ && mv d e && mv e f",
    ] {
        let place = lay();
        let was = place.seen();
        let undone = run_and_back(&place, command);
        let now = place.seen();
        for path in now.keys().filter(|path| now[*path].kind == "file") {
            assert!(was.contains_key(path), "{command} left {}: {}", path.display(), undone);
        }
        assert!(was.keys().all(|path| now.contains_key(path)), "{command}: {undone}");
    }
}

/// The folder that a thing goes into comes with the same command: what is in it then is no copy that stays.
#[test]
fn what_goes_into_a_folder_of_the_same_command_leaves_no_copy_there() {
    let place = lay();
    let command = "mkdir -p into/it; mv own into/it";
    let output = place.recourse(&["exec", "--profile", "human", "-c", command].map(OsStr::new));
    assert!(output.status.success(), "{}", said(&output));
    assert!(place.work().join("into/it/own").is_dir());
    let output = place.undo(&[]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        place.work().join("own").is_dir() && !place.work().join("into/it/own").exists(),
        "{}",
        said(&output)
    );
}

#[test]
fn what_is_much_is_not_set_aside_for_ease() {
    let place = lay();
    fs::write(place.work().join("large"), vec![b'x'; 3 << 20]).unwrap();
    let output = place.recourse(&["exec", "--profile", "agent", "-c", "echo more >> large"].map(OsStr::new));
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(place.undo(&[]).status.code(), Some(3));
}

/// Of several things that one command moves, those that are much are left alone: where they went, and where they were.
#[test]
fn what_is_much_is_not_taken_from_where_it_went() {
    let place = lay();
    let work = place.work();
    fs::create_dir(work.join("big")).unwrap();
    for number in 0..300 {
        fs::write(work.join(format!("big/{number}")), "one of many\n").unwrap();
    }
    for command in ["mv own big empty", "mv -t empty big notes.md"] {
        let output = place.recourse(&["exec", "--profile", "agent", "-c", command].map(OsStr::new));
        assert!(output.status.success(), "{command}: {}", said(&output));
        let undone = place.undo(&[]);
        let stands = work.join("big/7").exists() || work.join("empty/big/7").exists();
        assert!(stands, "{command}: {}", said(&undone));
        let _ = fs::rename(work.join("empty/big"), work.join("big"));
        assert!(work.join("own/deep/x.md").exists() && work.join("notes.md").exists(), "{command}");
    }
}

#[test]
fn what_makes_another_file_of_one_finds_no_second_name() {
    let place = Place::new();
    let content: Vec<u8> =
        (0..300_000_u32).flat_map(|n| (n.wrapping_mul(2_654_435_761)).to_be_bytes()).collect();
    for (command, made) in [
        ("gzip big && rm big.gz", "big.gz"),
        ("xz -0 big && rm big.xz", "big.xz"),
        ("bzip2 -1 big && rm big.bz2", "big.bz2"),
    ] {
        let file = place.work().join("big");
        fs::write(&file, &content).unwrap();
        let program = command.split(' ').next().unwrap_or_default();
        if std::process::Command::new(program)
            .arg("--version")
            .stdin(std::process::Stdio::null())
            .output()
            .is_err()
        {
            crate::support::skipped(&format!("no {program} here"));
            continue;
        }
        let output = place.recourse(&["exec", "--profile", "agent", "-c", command].map(OsStr::new));
        assert!(output.status.success(), "{command}: {}", said(&output));
        assert!(!file.exists() && !place.work().join(made).exists(), "{command}: {}", said(&output));
        let undone = place.undo(&[]);
        assert!(undone.status.success(), "{command}: {}", said(&undone));
        assert_eq!(fs::read(&file).unwrap(), content, "{command}");
    }
}

#[test]
fn what_the_projects_own_tests_and_builds_do_comes_back() {
    for command in ["pytest -q", "jest", "cargo test", "go test ./...", "poetry lock", "black ."] {
        let place = Place::new();
        let file = place.work().join("notes.md");
        fs::write(&file, "nowhere else\n").unwrap();
        // None of these has to be here: what they might do happens behind them.
        let output = place.recourse(&["exec", "--profile", "agent", "-c", command].map(OsStr::new));
        assert!(!said(&output).contains("recourse:"), "{command}: {}", said(&output));
        fs::remove_file(&file).unwrap();
        let undone = place.undo(&[]);
        assert!(undone.status.success(), "{command}: {}", said(&undone));
        assert_eq!(fs::read_to_string(&file).unwrap(), "nowhere else\n", "{command}");
    }
}
