//! What a report advises works: every "instead" is milder, runs, and lets the original pass; every "back" that is a command
//! brings back what the original took.
//!
//! Each command of a table meets a home of its own, laid anew before every run. Commands are really run there, as is what
//! the report advises.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// A home that is not below a temporary directory; `keep` is what it is laid from.
struct Home {
    root: tempfile::TempDir,
}

const IDENTITY: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "a"),
    ("GIT_AUTHOR_EMAIL", "a@example.org"),
    ("GIT_COMMITTER_NAME", "a"),
    ("GIT_COMMITTER_EMAIL", "a@example.org"),
];

impl Home {
    fn new() -> Self {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/homes");
        fs::create_dir_all(&place).unwrap();
        let home = Self { root: tempfile::tempdir_in(place).unwrap() };
        fs::create_dir_all(home.proj()).unwrap();
        let done = home.run(&data("advice.sh"));
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        fs::rename(home.home(), home.kept()).unwrap();
        home
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("h")
    }

    fn kept(&self) -> PathBuf {
        self.root.path().join("kept")
    }

    fn proj(&self) -> PathBuf {
        self.home().join("proj")
    }

    /// Everything as it was at first: what is another file by now is copied anew.
    fn lay(&self) {
        let (wanted, found) = (looks(&self.kept()), looks(&self.home()));
        let mut again: Vec<&Path> = Vec::new();
        // Deepest first, so that directories are empty by then.
        for (name, _) in found.iter().rev().filter(|(name, look)| wanted.get(*name) != Some(look)) {
            let path = self.home().join(name);
            drop(fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700)));
            let _ = if fs::symlink_metadata(&path).unwrap().is_dir() {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
        }
        for name in wanted.keys() {
            let there = fs::symlink_metadata(self.home().join(name)).is_ok();
            if !there && !again.iter().any(|above| name.starts_with(above)) {
                again.push(name);
            }
        }
        if !again.is_empty() {
            let mut copy = Command::new("cp");
            copy.args(["-a", "--parents", "--"]).args(&again).arg(self.home()).current_dir(self.kept());
            fs::create_dir_all(self.home()).unwrap();
            assert!(copy.status().unwrap().success());
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        // A command may have taken the directory away.
        let dir = [self.proj(), self.home(), self.kept()].into_iter().find(|dir| dir.is_dir()).unwrap();
        command
            .current_dir(dir)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TEMPLATE_DIR", "")
            .envs(IDENTITY)
            .stdin(std::process::Stdio::null());
        command
    }

    fn run(&self, text: &str) -> Output {
        self.command("bash").args(["-c", text]).output().unwrap()
    }

    fn report(&self, text: &str) -> Value {
        let output = self
            .command(env!("CARGO_BIN_EXE_recourse"))
            .args(["evaluate", "shell", "--profile", "agent", "--format", "json", "--fail-on", "never", "--"])
            .arg(text)
            .output()
            .unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// What is there: each file's content by its place, and what git can still name.
    fn content(&self) -> Content {
        let mut content = Content::default();
        walk(&self.home(), &self.home(), &mut content);
        for dir in ["proj", "other", "proj/vendor/lib", "team.git"] {
            let list = format!(
                "cd ~/{dir} && {{ git rev-list --all --objects --reflog=none 2>/dev/null || git rev-list --all --objects; }}; git ls-files -s | cut -d' ' -f2; git ls-tree -r HEAD >/dev/null 2>&1 && git rev-parse HEAD"
            );
            let said = self.run(&list);
            let text = String::from_utf8_lossy(&said.stdout).into_owned();
            content.objects.extend(text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned));
        }
        content
    }
}

/// Mode, size and time.
type Look = (u32, u64, i64, i64);

/// Everything below a directory, as far as it shows without being read.
fn looks(top: &Path) -> BTreeMap<PathBuf, Look> {
    let mut found = BTreeMap::new();
    let mut pending = vec![top.to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let meta = fs::symlink_metadata(entry.path()).unwrap();
            let name = entry.path().strip_prefix(top).unwrap().to_owned();
            let look = if meta.is_dir() {
                pending.push(entry.path());
                (meta.mode(), 0, 0, 0)
            } else {
                (meta.mode(), meta.size(), meta.mtime(), meta.mtime_nsec())
            };
            found.insert(name, look);
        }
    }
    found
}

/// Content of a home.
#[derive(Default, PartialEq, Eq, Clone)]
struct Content {
    /// By place, outside of git's own directories.
    files: BTreeMap<String, String>,
    /// Objects that a ref or an index reaches.
    objects: BTreeSet<String>,
}

fn walk(top: &Path, dir: &Path, content: &mut Content) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let meta = fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
        if name.ends_with(".git") || name.contains(".git/") {
            continue;
        }
        let what = if meta.is_dir() {
            walk(top, &path, content);
            "directory".to_owned()
        } else if meta.is_symlink() {
            format!("link to {}", fs::read_link(&path).unwrap().display())
        } else {
            let bytes = fs::read(&path).unwrap_or_default();
            Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect()
        };
        content.files.insert(name, format!("{:o} {what}", meta.mode() & 0o7777));
    }
}

fn data(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

/// A line of the table: a class is headed by `##`.
fn commands(class: &str) -> Vec<String> {
    let table = data("advice.txt");
    let mut inside = false;
    let mut found = Vec::new();
    for line in table.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            inside = name == class;
        } else if inside && !line.is_empty() {
            found.push(line.replace('⏎', "\n"));
        }
    }
    assert!(!found.is_empty(), "{class}");
    found
}

fn rank(verdict: &Value) -> usize {
    ["allow", "warn", "escalate", "block"].iter().position(|word| verdict == word).unwrap()
}

/// How bad the loss of a mutation's target is; the tier for review stands below the last.
fn severity(mutation: &Value) -> u64 {
    match mutation["recoverability"]["tier"].as_u64().unwrap() {
        5 => 35,
        4 => 40,
        tier => tier * 10,
    }
}

/// How bad it is by now with what a mutation of the first report acts on.
fn now(report: &Value, first: &Value) -> u64 {
    let id = |mutation: &Value| {
        (mutation["intent"]["target"]["type"].clone(), mutation["intent"]["target"]["id"].clone())
    };
    let all = report["mutations"].as_array().unwrap();
    all.iter().filter(|one| id(one) == id(first)).map(severity).max().unwrap_or(0)
}

/// What is wrong with the advice for one command.
fn wrong(home: &Home, command: &str) -> Vec<String> {
    home.lay();
    let report = home.report(command);
    let mut found = Vec::new();
    let mut complain = |what: String| found.push(format!("{command}\n    {what}"));
    let mut all_first: Vec<String> = Vec::new();
    let mut advised = Vec::new();
    let mut dirty = false;
    for mutation in report["mutations"].as_array().unwrap() {
        let list: Vec<&str> = mutation["alternatives"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|other| other["command"].as_str().unwrap())
            .collect();
        let mut kept = false;
        for other in &list {
            if dirty {
                home.lay();
                dirty = false;
            }
            let said = home.report(other);
            if rank(&said["riskAssessment"]) >= 2 {
                complain(format!("instead `{other}` is itself {}", said["riskAssessment"]));
                continue;
            }
            // What runs elsewhere, or needs what is not installed here, is only judged.
            if judged_only(other) {
                continue;
            }
            let before = looks(&home.home());
            let done = home.run(other);
            dirty = looks(&home.home()) != before;
            if !done.status.success() {
                complain(format!(
                    "instead `{other}` fails: {}",
                    String::from_utf8_lossy(&done.stderr).trim()
                ));
                continue;
            }
            // A look changes nothing.
            if !dirty {
                continue;
            }
            let again = now(&home.report(command), mutation);
            if again >= 35 || again >= severity(mutation) {
                complain(format!("after `{other}` it costs as much as before"));
                continue;
            }
            if !kept {
                kept = true;
                advised.push(mutation);
                if !all_first.contains(&(*other).to_owned()) {
                    all_first.push((*other).to_owned());
                }
            }
        }
    }
    if all_first.len() > 1 {
        home.lay();
        for other in &all_first {
            home.run(other);
        }
        let again = home.report(command);
        if advised.iter().any(|mutation| now(&again, mutation) >= 35) {
            complain(format!("after all of {all_first:?} it is still {}", again["riskAssessment"]));
        }
    }
    back(home, command, &report, &mut complain);
    found
}

/// Runs the original for real, and then what is said to bring back what it took.
fn back(home: &Home, command: &str, report: &Value, complain: &mut dyn FnMut(String)) {
    let mut first: Option<Content> = None;
    for mutation in report["mutations"].as_array().unwrap() {
        let steps: Vec<&str> = mutation["recovery"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|step| step.as_str().unwrap())
            .collect();
        let steps: Vec<&str> = steps.into_iter().filter(|step| is_command(step)).collect();
        if steps.is_empty() {
            continue;
        }
        home.lay();
        let before = first.get_or_insert_with(|| home.content()).clone();
        home.run(command);
        let after = home.content();
        if after == before {
            continue;
        }
        for step in &steps {
            let said = home.report(step);
            // To go back costs what the original put there.
            let wrote =
                mutation["intent"]["action"] != "delete" && step.contains("git") && step.contains("restore");
            if rank(&said["riskAssessment"]) >= 2 && !wrote {
                complain(format!("back `{step}` is itself {}", said["riskAssessment"]));
            }
            let done = home.run(step);
            if !done.status.success() {
                complain(format!("back `{step}` fails: {}", String::from_utf8_lossy(&done.stderr).trim()));
            }
        }
        let then = home.content();
        let touched = |now: &Content| {
            before.objects != now.objects
                || before.files.iter().any(|(name, what)| now.files.get(name) != Some(what))
        };
        if then == after && touched(&after) {
            complain(format!("back {steps:?} brings nothing back"));
        }
        let target = mutation["intent"]["target"]["id"].as_str().unwrap();
        let inside = |name: &&String| home.home().join(name).starts_with(target);
        let missing: Vec<_> = before
            .files
            .iter()
            .filter(|(name, _)| inside(name))
            .filter(|(name, what)| then.files.get(*name) != Some(what))
            .map(|(name, _)| name)
            .collect();
        if !missing.is_empty() {
            complain(format!("back {steps:?} leaves {missing:?} away"));
        }
        let lost: Vec<_> = before.objects.difference(&then.objects).collect();
        if mutation["intent"]["target"]["type"].as_str().unwrap().starts_with("git.") && !lost.is_empty() {
            let more: Vec<_> = before
                .files
                .iter()
                .filter(|(name, what)| then.files.get(*name) != Some(what))
                .map(|(name, _)| name)
                .collect();
            if !more.is_empty() || !lost.is_empty() {
                println!("NOTE {command}: back {steps:?}: {} objects, files {more:?}", lost.len());
            }
        }
    }
}

/// Whether a command asks a service, or is of a program that need not be here.
fn judged_only(command: &str) -> bool {
    let first = command.split(' ').next().unwrap_or_default();
    let services = ["docker", "kubectl", "aws", "gpg", "terraform", "crontab"];
    let found = ["/usr/local/bin", "/usr/bin", "/bin"].iter().any(|dir| Path::new(dir).join(first).exists());
    services.contains(&first) || !found
}

/// Whether a step to get something back is a command to type, and no sentence.
fn is_command(step: &str) -> bool {
    let first = step.split(' ').next().unwrap_or_default();
    ["git", "mv", "cp", "mkdir", "tar", "chmod", "chown", "patch", "trash-restore", "sqlite3", "rmdir"]
        .contains(&first)
}

fn check(class: &str) {
    let home = Home::new();
    let only = std::env::var("ADVICE_ONLY").unwrap_or_default();
    let list = commands(class);
    let found: Vec<String> = list
        .iter()
        .filter(|command| command.contains(&only))
        .flat_map(|command| wrong(&home, command))
        .collect();
    assert!(found.is_empty(), "{} of {}:\n{}", found.len(), list.len(), found.join("\n"));
}

#[test]
fn advice_for_files_works() {
    check("files");
}

#[test]
fn advice_for_trees_works() {
    check("trees");
}

#[test]
fn advice_for_work_trees_of_git_works() {
    check("git: work");
}

#[test]
fn advice_for_refs_of_git_works() {
    check("git: refs");
}

#[test]
fn advice_for_databases_works() {
    check("databases");
}

#[test]
fn advice_for_archives_and_more_works() {
    check("archives and more");
}
