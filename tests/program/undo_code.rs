//! What scripts write over comes back: copies and moves of files and trees onto what stands there.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use crate::undo_files::{Place, said};

/// A program, and code that puts `fresh` or the tree `new` over `old.txt` or the tree `old`.
const CODE: &[(&str, &str)] = &[
    ("python3", r#"-c 'import shutil; shutil.copytree("new", "old", dirs_exist_ok=True)'"#),
    ("python3", r#"-c 'import shutil; shutil.copy("fresh", "old.txt")'"#),
    ("python3", r#"-c 'import shutil; shutil.copy("new/one.txt", "old")'"#),
    ("python3", r#"-c 'import shutil; shutil.move("fresh", "old.txt")'"#),
    ("python3", r#"-c 'import shutil; shutil.move("new/one.txt", "old/one.txt")'"#),
    ("python3", r#"-c 'import os; os.replace("fresh", "old.txt")'"#),
    ("python3", r#"-c 'from pathlib import Path; Path("fresh").replace("old.txt")'"#),
    ("node", r#"-e 'require("fs").cpSync("new", "old", {recursive: true})'"#),
    ("node", r#"-e 'require("fs").copyFileSync("fresh", "old.txt")'"#),
    ("node", r#"-e 'require("fs").renameSync("fresh", "old.txt")'"#),
    ("ruby", r#"-r fileutils -e 'FileUtils.cp_r("new/.", "old")'"#),
    ("ruby", r#"-r fileutils -e 'FileUtils.cp("new/one.txt", "old")'"#),
    ("ruby", r#"-r fileutils -e 'FileUtils.mv("fresh", "old.txt")'"#),
    ("perl", r#"-MFile::Copy -e 'copy("fresh", "old.txt")'"#),
    ("perl", r#"-MFile::Copy -e 'copy("new/one.txt", "old")'"#),
    ("perl", r#"-MFile::Copy -e 'move("fresh", "old.txt")'"#),
];

#[test]
fn what_code_writes_over_comes_back() {
    for (program, code) in CODE {
        if Command::new(program).arg("--version").output().is_err() {
            eprintln!("SKIPPED: there is no {program} here");
            continue;
        }
        let place = Place::new();
        let work = place.work();
        for (name, content) in [
            ("fresh", "fresh\n"),
            ("new/one.txt", "new one\n"),
            ("new/sub/two.txt", "new two\n"),
            ("old.txt", "old and alone\n"),
            ("old/one.txt", "old one, alone\n"),
            ("old/sub/two.txt", "old two, alone\n"),
            ("old/other.txt", "stays\n"),
        ] {
            fs::create_dir_all(work.join(name).parent().unwrap()).unwrap();
            fs::write(work.join(name), content).unwrap();
        }
        let was = place.seen();
        let line = format!("{program} {code}");
        let output = place.recourse(&["exec", "--profile", "agent", "-c", &line].map(OsStr::new));
        assert!(output.status.success(), "{line}: {}", said(&output));
        assert!(place.seen() != was, "{line} changes nothing");
        let undone = place.undo(&[]);
        assert!(undone.status.success(), "{line}: {}{}", said(&output), said(&undone));
        assert!(place.seen() == was, "{line}: {}\n{was:#?}\n{:#?}", said(&undone), place.seen());
    }
}

/// A program that has to be there, and a line that takes or changes `old.txt` in a way that no word of it says plainly.
const ASIDE: &[(&str, &str)] = &[
    ("perl", r#"printf 'fresh\nold.txt\n' | perl -ne 'chomp; rename $_, "one"'"#),
    ("python3", r#"echo '!import os; os.unlink("old.txt")' | python3 -m pdb code.py"#),
    ("ruby", r#"ruby -e 'system("echo x", out: "old.txt")'"#),
    ("xz", r"printf 'old.txt\n' | xz --files"),
    ("xz", r"echo old.txt > list; xz --files=list"),
    ("as", r"echo nop > in.s; as -a=old.txt in.s -o out.o"),
    ("bash", r#"echo 'trap "rm old.txt" EXIT' > start; BASH_ENV=start bash -c true"#),
    ("gawk", r#"echo 'BEGIN { system("rm old.txt") }' > one.awk; gawk '@include "one.awk"; BEGIN {}'"#),
];

#[test]
fn what_is_changed_aside_comes_back() {
    for (program, line) in ASIDE {
        if Command::new(program).arg("--version").output().is_err() {
            eprintln!("SKIPPED: there is no {program} here");
            continue;
        }
        let place = Place::new();
        let work = place.work();
        // What nobody can read may change all of the repository that it stands in: other tests stand in this one's.
        let made = Command::new("git").args(["init", "-q"]).current_dir(&work).status();
        assert!(made.is_ok_and(|made| made.success()));
        for (name, content) in [("fresh", "fresh\n"), ("old.txt", "old and alone\n"), ("code.py", "a = 1\n")]
        {
            fs::write(work.join(name), content).unwrap();
        }
        let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
        let now = || fs::read_to_string(work.join("old.txt")).ok();
        assert_ne!(now().as_deref(), Some("old and alone\n"), "{line} changes nothing: {}", said(&output));
        let undone = place.undo(&[]);
        assert_eq!(now().as_deref(), Some("old and alone\n"), "{line}: {}", said(&undone));
    }
}
