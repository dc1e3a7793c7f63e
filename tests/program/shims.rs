//! Shims on PATH: what they run is judged, and nothing runs in a circle.

// A test fails loudly.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::support::{Scratch, program};

fn script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

struct Case {
    scratch: Scratch,
    shims: PathBuf,
}

impl Case {
    fn new(names: &[&str]) -> Self {
        let scratch = Scratch::new();
        let mut words = vec!["shim", "add"];
        words.extend(names);
        let output = scratch.run(&words);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let shims = scratch.root().join("home/.local/share/recourse/shims");
        Self { scratch, shims }
    }

    /// Runs shell text with the shims first on PATH, then these folders.
    fn run(&self, text: &str, folders: &[&str]) -> Output {
        let mut path = self.shims.to_string_lossy().into_owned();
        for folder in folders {
            path.push_str(&format!(":{}", self.scratch.root().join(folder).display()));
        }
        path.push_str(":/usr/bin:/bin");
        let mut command = std::process::Command::new("setsid");
        let like = self.scratch.recourse(&["x"]);
        for (name, value) in like.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.args(["-w", "/bin/sh", "-c", text]).env("PATH", path).current_dir(self.scratch.work());
        command.stdin(Stdio::null()).output().unwrap()
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn what_a_shim_runs_is_judged_and_is_the_real_program() {
    let case = Case::new(&["rm", "ls"]);
    fs::write(case.scratch.root().join("home/notes.txt"), "mine\n").unwrap();
    let output = case.run("rm -rf \"$HOME/notes.txt\"", &[]);
    assert_eq!(output.status.code(), Some(126), "{}", said(&output));
    assert!(case.scratch.root().join("home/notes.txt").exists());
    let output = case.run("ls -d \"$HOME\"", &[]);
    assert!(output.status.success() && said(&output).contains("/home"), "{}", said(&output));
    let listed = case.scratch.run(&["shim", "list"]);
    assert!(String::from_utf8_lossy(&listed.stdout).starts_with("ls"));
    assert!(case.scratch.run(&["shim", "remove", "rm", "ls"]).status.success());
    assert!(fs::read_dir(&case.shims).unwrap().next().is_none());
}

#[test]
fn a_wrapper_that_starts_its_own_name_reaches_the_next_one() {
    for (call, name) in [("exec tool \"$@\"", "exec"), ("tool \"$@\"", "child")] {
        let case = Case::new(&["tool"]);
        let root = case.scratch.root();
        script(&root.join("first/tool"), &format!("#!/bin/sh\n# {name}\necho first\n{call}\n"));
        script(&root.join("second/tool"), "#!/bin/sh\necho second \"$@\"\n");
        case.scratch.policy("[profile.ci]\nunknown-program = \"run\"\n");
        let output = case.run("tool a", &["first", "second"]);
        assert_eq!(said(&output), "first\nsecond a\n", "{name}");
    }
}

#[test]
fn a_circle_ends() {
    let case = Case::new(&["one", "two"]);
    let root = case.scratch.root();
    script(&root.join("bin/one"), "#!/bin/sh\nexec two\n");
    script(&root.join("bin/two"), "#!/bin/sh\n(one)\n");
    case.scratch.policy("[profile.ci]\nunknown-program = \"run\"\n");
    let output = case.run("one", &["bin"]);
    assert!(!output.status.success() && said(&output).contains("one another"), "{}", said(&output));
    assert!(program().contains("recourse"));
}
