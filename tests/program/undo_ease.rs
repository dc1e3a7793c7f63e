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
        for made in ["named.md", "moved", "own/deep/notes.md"] {
            assert!(!place.work().join(made).exists(), "{command} left {made}");
        }
        let read = |name: &str| fs::read_to_string(place.work().join(name)).unwrap();
        assert_eq!(read("notes.md"), "notes.md: nowhere else\n".repeat(20), "{command}");
        assert_eq!(read("own/deep/x.md"), "own/deep/x.md: nowhere else\n".repeat(20), "{command}");
        assert_eq!(read("other.md"), "other.md: nowhere else\n".repeat(20), "{command}");
    }
}

#[test]
fn what_is_much_is_not_set_aside_for_ease() {
    let place = lay();
    fs::write(place.work().join("large"), vec![b'x'; 3 << 20]).unwrap();
    let output = place.recourse(&["exec", "--profile", "agent", "-c", "echo more >> large"].map(OsStr::new));
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(place.undo(&[]).status.code(), Some(3));
}
