//! What long lists cost: a list of names beside its directory, hits of `find`, and what git would clean or overwrite beside
//! `git status`.
//!
//! Nothing here fails: timings are read by people. The trees stand in the build's directory, since a temporary place is
//! harmless before it is looked at.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::binary;

mod support;

const RUNS: usize = 5;

fn main() {
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let [node, new, changed] = ["node", "new", "changed"].map(|name| folder.path().join(name));

    repository(&node, 0);
    fs::write(node.join("package.json"), "{}").unwrap();
    fs::write(node.join("package-lock.json"), "{\"lockfileVersion\":3}").unwrap();
    let packages = node.join("node_modules");
    files(&packages, 500, 100, "js");
    println!("{:<58} {:>9}", "50,000 files in 500 packages", "median");
    print("du -s node_modules", Command::new("du").args(["-s", "node_modules"]).current_dir(&node));
    judged("rm -rf node_modules", &node);
    judged("rm -rf node_modules/*", &node);
    let names: Vec<String> = (0..500).map(|n| format!("node_modules/d{n}")).collect();
    let named = format!("rm -rf {}", names.join(" "));
    print("recourse: rm -rf, by 500 names", &mut guard(&named, &node));

    repository(&new, 0);
    files(&new, 300, 100, "txt");
    println!("\n{:<58} {:>9}", "30,000 files that git does not know", "median");
    status(&new);
    judged("git clean -fd", &new);
    judged("find d1* -name '*.txt' -delete", &new);
    judged("find d1* -name '*.txt' -exec rm {} +", &new);

    repository(&changed, 20_000);
    files(&changed, 200, 100, "txt");
    println!("\n{:<58} {:>9}", "20,000 changed files in git", "median");
    status(&changed);
    judged("git checkout .", &changed);
    judged("git reset --hard", &changed);
}

/// Directories with as many files in each.
fn files(root: &Path, directories: usize, each: usize, ending: &str) {
    for directory in (0..directories).map(|n| root.join(format!("d{n}"))) {
        fs::create_dir_all(&directory).unwrap();
        for n in 0..each {
            fs::write(directory.join(format!("f{n}.{ending}")), format!("file {n} of {directory:?}\n"))
                .unwrap();
        }
    }
}

/// A repository with one commit of so many files.
fn repository(root: &Path, tracked: usize) {
    fs::create_dir_all(root).unwrap();
    fs::write(root.join("README"), "x").unwrap();
    for n in 0..tracked {
        let directory = root.join(format!("d{}", n / 100));
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(format!("f{}.txt", n % 100)), "before\n").unwrap();
    }
    for arguments in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["-c", "user.name=n", "-c", "user.email=e@e", "commit", "-q", "-m", "all"],
    ] {
        assert!(Command::new("git").args(arguments).current_dir(root).status().unwrap().success());
    }
}

fn guard(text: &str, directory: &Path) -> Command {
    let mut command = Command::new(binary());
    command.args(["evaluate", "shell", "--fail-on", "never", "--format", "json", "--", text]);
    command.current_dir(directory);
    command
}

fn judged(text: &str, directory: &Path) {
    print(&format!("recourse: {text}"), &mut guard(text, directory));
}

fn status(directory: &Path) {
    let mut command = Command::new("git");
    print("git status, every file", command.args(["status", "--short", "-uall"]).current_dir(directory));
}

fn print(name: &str, command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            command.status().unwrap();
            start.elapsed()
        })
        .collect();
    times.sort();
    println!("{name:<58} {:>6.1} ms", times[RUNS / 2].as_secs_f64() * 1e3);
}
