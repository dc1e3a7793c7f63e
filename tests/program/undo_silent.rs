//! Changes that are easily overlooked: what stood before comes back with `recourse undo`, modes and owners included.

use std::ffi::OsStr;
use std::process::Command;

use crate::undo_files::{Place, said};

/// A program, what is laid out for it, and what is run.
pub(crate) type Case = (&'static str, &'static str, &'static str);

/// Runs each in a place of its own and takes it back; all must be as it was, times included.
pub(crate) fn come_back(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (program, laid, line) in cases {
        if Command::new("sh")
            .args(["-c", &format!("command -v {program}")])
            .output()
            .unwrap()
            .stdout
            .is_empty()
        {
            eprintln!("SKIPPED: there is no {program} here");
            continue;
        }
        let place = Place::new();
        let laying = Command::new("sh").args(["-ec", laid]).current_dir(place.work()).output().unwrap();
        assert!(laying.status.success(), "{laid}: {}", said(&laying));
        let was = place.seen();
        let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
        if !output.status.success() || place.seen() == was {
            wrong.push(format!("{line} did not run, or changed nothing: {}", said(&output)));
            continue;
        }
        let undone = place.undo(&[]);
        if place.seen() != was {
            let now = place.seen();
            wrong.push(format!("{line}: {}{}\n{was:#?}\n{now:#?}", said(&output), said(&undone)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const FILES: &str = "mkdir d; echo a > a; chmod 640 a; echo b > d/b; chmod 600 d/b; ln -s a l";

#[test]
fn modes_that_code_gives_come_back() {
    come_back(&[
        ("python3", FILES, "python3 -c \"import os; os.chmod('a', 0o777)\""),
        (
            "python3",
            FILES,
            "python3 -c \"from pathlib import Path; [p.chmod(0o777) for p in Path('.').rglob('*')]\"",
        ),
        ("python3", FILES, "python3 -c \"import shutil; shutil.copymode('d/b', 'a')\""),
        ("perl", FILES, "perl -e 'chmod 0777, glob(\"*\")'"),
        ("perl", FILES, "perl -MFile::Find -e 'find(sub { chmod 0777, $_ }, \".\")'"),
        ("node", FILES, "node -e 'require(\"fs\").chmodSync(\"a\", 0o777)'"),
        ("ruby", FILES, "ruby -rfileutils -e 'FileUtils.chmod_R 0777, \"d\"; File.open(\"a\").chmod(0600)'"),
        ("php", FILES, "php -r 'chmod(\"a\", 0777);'"),
    ]);
}

const TAKEN: &str = "mkdir pre; echo keep > pre/x";

#[test]
fn what_runs_by_itself_comes_back() {
    come_back(&[
        ("zsh", TAKEN, "zsh -fc 'TRAPEXIT() { rm -rf pre }; true'"),
        ("zsh", TAKEN, "zsh -fc 'zshexit() { rm -rf pre }; true'"),
        ("zsh", TAKEN, "zsh -fc 'zshexit_functions=(f); f() { rm -rf pre }; true'"),
        ("fish", TAKEN, "fish -c 'function f --on-event fish_exit; rm -rf pre; end'"),
        ("fish", TAKEN, "fish -c 'function f --on-variable v; rm -rf pre; end; set v 1'"),
    ]);
}

#[test]
fn nodes_and_their_modes_come_back() {
    come_back(&[
        ("mkfifo", "mkfifo -m 640 p", "chmod 777 p"),
        ("mkfifo", "mkfifo -m 640 p; echo a > f", "mv f p"),
    ]);
    // Only an administrator makes devices.
    if nix::unistd::geteuid().is_root() {
        const DEVICE: &str = "mkdir nodes; mknod -m 640 nodes/x c 1 3";
        come_back(&[
            ("mknod", DEVICE, "rm nodes/x"),
            ("mknod", DEVICE, "rm -rf nodes"),
            ("mknod", DEVICE, "chmod 777 nodes/x"),
        ]);
    }
}

#[test]
fn what_packers_write_over_comes_back() {
    come_back(&[
        ("python3", "echo a > n; gzip n; echo mine > n", "python3 -m gzip -d n.gz"),
        ("python3", "echo a > n; echo mine > n.gz", "python3 -m gzip n"),
    ]);
}
