//! Forms that hide what a command destroys: each must be stopped. A class a file, a command a line.
//!
//! Whole-program tests on a small repository with work in it that nothing else holds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A home with a project: `notes.md` and `scratch/` untracked, `src/app.py` changed, `app.db` ignored.
pub(crate) struct Fixture {
    root: tempfile::TempDir,
}

impl Fixture {
    pub(crate) fn lay() -> Self {
        let root = tempfile::tempdir().unwrap();
        let fixture = Self { root };
        let proj = fixture.proj();
        for dir in ["src", "scratch/deep", "build", "emptydir", "scripts"] {
            fs::create_dir_all(proj.join(dir)).unwrap();
        }
        fs::create_dir_all(fixture.home().join("Documents/old")).unwrap();
        fs::create_dir_all(fixture.root.path().join("tmp")).unwrap();
        let long = |name: &str| format!("{name}: words that stand nowhere else\n").repeat(20);
        for file in ["README.md", "src/app.py", ".gitignore", "Makefile", "scripts/clean.sh"] {
            let text = match file {
                ".gitignore" => "build/\n*.db\n".to_owned(),
                "Makefile" => include_str!("../data/evasions.mk").to_owned(),
                "scripts/clean.sh" => "#!/bin/sh\nrm -rf scratch\n".to_owned(),
                other => long(other),
            };
            fs::write(proj.join(file), text).unwrap();
        }
        #[cfg(unix)]
        fs::set_permissions(
            proj.join("scripts/clean.sh"),
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )
        .unwrap();
        for words in [
            &["init", "-q", "-b", "main"][..],
            &["add", "-A"],
            &["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "first"],
        ] {
            let done = Command::new("git")
                .args(words)
                .current_dir(&proj)
                .env("HOME", fixture.home())
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .status()
                .unwrap();
            assert!(done.success());
        }
        let files =
            ["src/app.py", "notes.md", "draft.txt", "scratch/exp1.py", "scratch/deep/exp2.py", "app.db"];
        for file in files {
            fs::write(proj.join(file), long(&format!("changed {file}"))).unwrap();
        }
        fs::write(proj.join("files.txt"), "notes.md\n").unwrap();
        for file in ["thesis.md", "old/letter.txt"] {
            fs::write(fixture.home().join("Documents").join(file), long(file)).unwrap();
        }
        fixture
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(crate) fn proj(&self) -> PathBuf {
        self.home().join("proj")
    }

    pub(crate) fn verdict(&self, command: &str) -> String {
        self.verdict_in(&self.proj(), command)
    }

    fn verdict_in(&self, directory: &Path, command: &str) -> String {
        use std::io::Write;
        let mut child = Command::new(env!("CARGO_BIN_EXE_recourse"))
            .args(["evaluate", "shell", "--format", "json", "--fail-on", "never", "-"])
            .current_dir(directory)
            .env_clear()
            .env("PWD", directory)
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("SHELL", "/bin/bash")
            .env("HOME", self.home())
            .env("TMPDIR", self.root.path().join("tmp"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(command.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        report["riskAssessment"].as_str().unwrap().to_owned()
    }
}

/// Commands of a table: one a line, `⏎` for a line's end inside; `##` heads a class.
fn commands(table: &str) -> impl Iterator<Item = String> + '_ {
    table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("##"))
        .map(|line| line.replace('⏎', "\n"))
}

fn wrong(fixture: &Fixture, directory: &Path, right: impl Fn(&str) -> bool) -> Vec<String> {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/evasions.txt");
    let text = fs::read_to_string(table).unwrap();
    commands(&text)
        .map(|command| (fixture.verdict_in(directory, &command), command))
        .filter(|(verdict, _)| !right(verdict))
        .map(|(verdict, command)| format!("{verdict}: {command}"))
        .collect()
}

fn stopped(verdict: &str) -> bool {
    matches!(verdict, "escalate" | "block")
}

/// Each of these commands is stopped.
#[track_caller]
pub(crate) fn all_stopped(commands: &[&str]) {
    let wrong = judged_otherwise(commands, stopped);
    assert!(wrong.is_empty(), "not stopped:\n{}", wrong.join("\n"));
}

/// None of these commands is stopped.
#[track_caller]
pub(crate) fn none_stopped(commands: &[&str]) {
    let wrong = judged_otherwise(commands, |verdict| matches!(verdict, "allow" | "warn"));
    assert!(wrong.is_empty(), "stopped:\n{}", wrong.join("\n"));
}

fn judged_otherwise(commands: &[&str], right: impl Fn(&str) -> bool) -> Vec<String> {
    let fixture = Fixture::lay();
    let judged = commands.iter().map(|command| (fixture.verdict(command), command));
    judged
        .filter(|(verdict, _)| !right(verdict))
        .map(|(verdict, command)| format!("{verdict}: {command}"))
        .collect()
}

#[test]
fn hidden_destruction_is_stopped() {
    let fixture = Fixture::lay();
    let wrong = wrong(&fixture, &fixture.proj(), stopped);
    assert!(wrong.is_empty(), "not stopped:\n{}", wrong.join("\n"));
}

/// Neighbours of such forms that lose nothing.
#[test]
fn what_only_changes_its_place_is_not_stopped() {
    let fixture = Fixture::lay();
    for command in [
        "mv notes.md x && mv draft.txt notes.md && mv x draft.txt",
        "cp notes.md kept.md && cp draft.txt kept.txt && rm notes.md draft.txt",
        "echo hi > emptydir/new && rm emptydir/new",
        "mkdir out && echo hi > out/x || echo no",
        "set -C; echo hi > notes.md",
        "dd if=notes.md of=kept.md bs=1M && rm notes.md",
        "cp notes.md kept.md && git checkout -q README.md && rm notes.md",
        "cp -b README.md notes.md",
        "split -n 2 README.md scratch/part; csplit -f scratch/more README.md 2",
        "cpp README.md; cpp README.md out.h",
        "rename.ul draft done draft.txt; rename.ul -o notes.md README.md notes.md",
        "printf '#!/usr/bin/wc -l\n' > x && chmod +x x && ./x notes.md",
        "cp --backup=t README.md notes.md; cp --backup=t Makefile notes.md",
        "SIMPLE_BACKUP_SUFFIX=.old install -b README.md notes.md",
        "sed -i.bak 1d notes.md; sed -i.old 1d notes.md",
        "cp -nf README.md notes.md",
        "mv -fn draft.txt notes.md",
    ] {
        assert!(!stopped(&fixture.verdict(command)), "{command}");
    }
}

/// A project that is reached by a symbolic link is as well guarded.
#[cfg(unix)]
#[test]
fn hidden_destruction_is_stopped_where_a_link_leads() {
    let fixture = Fixture::lay();
    let alias = fixture.home().join("alias");
    std::os::unix::fs::symlink("proj", &alias).unwrap();
    let wrong = wrong(&fixture, &alias, stopped);
    assert!(wrong.is_empty(), "not stopped:\n{}", wrong.join("\n"));
}
