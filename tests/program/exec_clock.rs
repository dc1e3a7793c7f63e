//! A clock that goes back, as the program itself sees it: what had expired stays so, and it is said what to do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{Scratch, exists};

/// Tells another time to whoever asks: `CLOCK_MOVED` seconds from the real one.
const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int done = real(id, at);
    const char *moved = getenv("CLOCK_MOVED");
    if (done == 0 && moved && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += atol(moved);
    return done;
}
"#;

/// The library with it; none where nothing can be built or loaded.
fn moved_clock(scratch: &Scratch) -> Option<PathBuf> {
    let (source, library) = (scratch.root().join("clock.c"), scratch.root().join("clock.so"));
    fs::write(&source, SOURCE).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).arg("-ldl");
    let built = cc.output().is_ok_and(|output| output.status.success());
    let date = |moved: &str| {
        let mut date = Command::new("date");
        date.arg("+%s").env("LD_PRELOAD", &library).env("CLOCK_MOVED", moved);
        let text = String::from_utf8(date.output().ok()?.stdout).ok()?;
        text.trim().parse::<i64>().ok()
    };
    let works = built && date("0")? + 80_000 < date("86400")?;
    works.then_some(library)
}

fn at(scratch: &Scratch, library: &Path, moved: i64, words: &[&str]) -> Output {
    let mut command = scratch.recourse(words);
    command.env("LD_PRELOAD", library).env("CLOCK_MOVED", moved.to_string());
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_had_expired_does_not_run_when_the_clock_goes_back() {
    for mode in ["require", "verify"] {
        let scratch = Scratch::with_policy("[[rule]]\nverdict = \"allow\"\n");
        let Some(library) = moved_clock(&scratch) else {
            return crate::support::skipped("no other time can be told to a program here");
        };
        scratch.config(&format!("[attestation]\nmode = \"{mode}\"\n"));
        let ran = scratch.work().join("ran");
        let run = |moved: i64, words: &[&str]| {
            let _ = fs::remove_file(&ran);
            let output = at(&scratch, &library, moved, words);
            (output.status.code(), exists(&ran), said(&output))
        };
        let words = ["evaluate", "shell", "--format", "json", "--", "touch", "ran"];
        let report = at(&scratch, &library, 0, &words);
        let file = scratch.root().join("a.json");
        fs::write(&file, &report.stdout).unwrap();
        let file = file.display().to_string();
        let handed = ["exec", "--attestation", &file, "--", "touch", "ran"];
        let own = ["exec", "--", "touch", "ran"];
        // An hour later something runs; then the clock is where the attestation still held.
        let (status, done, text) = run(3600, &own);
        assert!(status == Some(0) && done, "{mode}: {text}");
        for words in [&handed[..], &own] {
            let (status, done, text) = run(0, words);
            assert!(status == Some(126) && !done, "{mode}: {text}");
            assert!(text.contains("attestation_expired") && text.contains("the clock went back"), "{text}");
            assert!(text.contains("set it right"), "{text}");
        }
        let last = at(&scratch, &library, 0, &["log", "--last", "1", "--format", "json"]);
        let last = String::from_utf8(last.stdout).unwrap();
        assert!(last.contains("verification_failed") && last.contains("attestation_expired"), "{last}");
        // The record and the mark both tell, and a clock that is right again is no matter.
        let doctor = |moved| String::from_utf8(at(&scratch, &library, moved, &["doctor"]).stdout).unwrap();
        let now = doctor(0);
        assert!(now.contains("lacking  clock") && now.contains("the clock went back"), "{now}");
        assert!(now.contains("while the record was written") && now.contains("next: "), "{now}");
        let verified = at(&scratch, &library, 0, &["log", "verify"]);
        let verified = String::from_utf8(verified.stdout).unwrap();
        assert!(verified.contains("the clock went back before event"), "{verified}");
        let (status, done, text) = run(3700, &own);
        assert!(status == Some(0) && done, "{mode}: {text}");
        assert!(!doctor(3700).contains("set it right"), "{}", doctor(3700));
        // Clocks that are set over the network make small steps.
        let (status, done, text) = run(3600, &own);
        assert!(status == Some(0) && done, "{mode}: {text}");
    }
}
