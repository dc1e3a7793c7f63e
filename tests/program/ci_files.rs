//! What CI systems are handed: the GitHub action, the GitLab template, the hooks of pre-commit. Their YAML is read, their shell
//! is run with the built program.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use recourse::yaml::{self, Node};

use crate::support::{Scratch, program};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn document(name: &str) -> (String, std::rc::Rc<Node>) {
    let text = fs::read_to_string(root().join(name)).unwrap();
    let node = yaml::read(&text).unwrap().unwrap();
    (text, node)
}

fn text<'a>(node: &'a Node, keys: &[&str]) -> &'a str {
    node.at(keys).and_then(|node| node.text()).unwrap_or_else(|| panic!("{keys:?}"))
}

/// The shell text is one that shellcheck has nothing against.
fn checked(shell: &str, text: &str) {
    let scratch = Scratch::new();
    let file = scratch.file("checked.sh", text);
    match Command::new("shellcheck").args(["-s", shell]).arg(&file).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout)),
        Err(_) => crate::support::skipped("shellcheck is not there"),
    }
}

/// A step of the action, run as a runner runs it.
fn step(step: &Node, dir: &Path, inputs: &[(&str, &str)]) -> (Output, String) {
    let output = dir.join("github-output");
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", text(step, &["run"])]).current_dir(dir);
    command.env("GITHUB_OUTPUT", &output).env("GITHUB_STEP_SUMMARY", dir.join("summary"));
    command.env("GITHUB_ACTION_PATH", root()).env("RUNNER_TEMP", dir.join("temp")).env("HOME", dir);
    for (name, value) in inputs {
        command.env(name, value);
    }
    let done = command.output().unwrap();
    (done, fs::read_to_string(output).unwrap_or_default())
}

#[test]
fn the_action_uses_what_it_declares() {
    let (whole, action) = document("action.yml");
    let declared: BTreeSet<&str> =
        action.get("inputs").unwrap().entries().iter().map(|(key, _)| key.name.as_str()).collect();
    let mut used = BTreeSet::new();
    for part in whole.split("inputs.").skip(1) {
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(part.len());
        used.insert(&part[..end]);
    }
    assert_eq!(declared, used);
    for step in action.at(&["runs", "steps"]).unwrap().items() {
        // Expressions inside shell text would be run as shell text.
        assert!(!text(step, &["run"]).contains("${{"));
        checked("bash", text(step, &["run"]));
        for (key, _) in step.get("env").unwrap().entries() {
            assert!(text(step, &["run"]).contains(&format!("${}", key.name)), "{}", key.name);
        }
    }
}

#[test]
fn the_action_finds_the_program_and_scans() {
    let (_, action) = document("action.yml");
    let steps = action.at(&["runs", "steps"]).unwrap().items();
    let scratch = Scratch::new();
    let dir = scratch.work();
    let (done, out) = step(&steps[0], &dir, &[("GIVEN", program())]);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(out, format!("program={}\n", program()));
    fs::remove_file(dir.join("github-output")).unwrap();
    scratch.file("a/b.sh", "dropdb x\n");
    scratch.file("c d.sh", "echo\n");
    let inputs = |fail_on| {
        [
            ("PROGRAM", program()),
            ("PATHS", "a\nc d.sh\n"),
            ("FAIL_ON", fail_on),
            ("BASELINE", ""),
            ("SARIF", "out.sarif"),
        ]
    };
    let (done, out) = step(&steps[1], &dir, &inputs("block"));
    assert_eq!(done.status.code(), Some(30), "{done:?}");
    assert_eq!(out, "sarif=out.sarif\nstatus=30\n");
    let report = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(report.contains("a/b.sh:1:8: blocked") && report.contains("in 2 files"), "{report}");
    assert!(fs::read_to_string(dir.join("summary")).unwrap().contains("a/b.sh:1:8"));
    let log: serde_json::Value = serde_json::from_slice(&fs::read(dir.join("out.sarif")).unwrap()).unwrap();
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(1));
    let (done, _) = step(&steps[1], &dir, &inputs("never"));
    assert!(done.status.success(), "{done:?}");
    assert!(scratch.run(&["scan", "--write-baseline", "known.json", "a"]).status.success());
    let known: Vec<(&str, &str)> = inputs("block")
        .into_iter()
        .map(|(name, value)| (name, if name == "BASELINE" { "known.json" } else { value }))
        .collect();
    let (done, _) = step(&steps[1], &dir, &known);
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn the_gitlab_template_scans() {
    let (_, template) = document("ci/recourse.gitlab-ci.yml");
    let job = template.get("recourse-scan").unwrap();
    let mut script = String::new();
    for key in ["before_script", "script"] {
        for line in job.get(key).unwrap().items() {
            script.push_str(line.text().unwrap());
            script.push('\n');
        }
    }
    checked("sh", &script);
    let scratch = Scratch::new();
    scratch.file("a.sh", "dropdb x\n");
    let run = |fail_on: &str| {
        let mut command = Command::new("sh");
        command.args(["-ec", &script]).current_dir(scratch.work()).env("HOME", scratch.work());
        for (key, value) in job.get("variables").unwrap().entries() {
            command.env(&key.name, value.text().unwrap_or_default());
        }
        command.env("RECOURSE_PROGRAM", program()).env("RECOURSE_FAIL_ON", fail_on).output().unwrap()
    };
    assert_eq!(run("block").status.code(), Some(30));
    assert!(run("never").status.success());
    assert!(fs::read_to_string(scratch.work().join("recourse.sarif")).unwrap().contains("\"2.1.0\""));
}

#[test]
fn the_hooks_of_pre_commit_are_ones() {
    let (_, hooks) = document(".pre-commit-hooks.yaml");
    let ids: Vec<&str> = hooks.items().iter().map(|hook| text(hook, &["id"])).collect();
    assert_eq!(ids, ["recourse-scan", "recourse-scan-system"]);
    for hook in hooks.items() {
        assert!(text(hook, &["files"]).starts_with("(?x)(") && text(hook, &["entry"]) == "recourse scan");
    }
    let manifest = root().join(".pre-commit-hooks.yaml");
    match Command::new("pre-commit").arg("validate-manifest").arg(&manifest).output() {
        Ok(output) => assert!(output.status.success(), "{output:?}"),
        Err(_) => crate::support::skipped("pre-commit is not there"),
    }
}

#[test]
fn our_own_files_are_quiet() {
    let mut command = Command::new(program());
    command.args(["scan", "--format", "json", "action.yml", "ci", ".pre-commit-hooks.yaml", ".ci/run"]);
    let output = command.current_dir(root()).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let worst: Vec<&serde_json::Value> =
        report["findings"].as_array().unwrap().iter().filter(|one| one["verdict"] == "block").collect();
    assert!(worst.is_empty(), "{worst:?}");
}
