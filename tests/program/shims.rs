//! Shims on PATH: what they run is judged, and nothing runs in a circle.

// A test fails loudly.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::support::{Scratch, no_person_here, program};

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
        self.command(text, folders).output().unwrap()
    }

    fn command(&self, text: &str, folders: &[&str]) -> std::process::Command {
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
        command.stdin(Stdio::null());
        command
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

#[test]
fn with_another_home_or_none_a_shim_does_not_meet_itself() {
    let case = Case::new(&["tool"]);
    script(&case.scratch.root().join("bin/tool"), "#!/bin/sh\necho real \"$@\"\n");
    let policy = "[profile.ci]\nunknown-program = \"run\"\n";
    case.scratch.policy(policy);
    let config = case.scratch.root().join("config");
    let said_by = |text: &str| said(&case.run(text, &["bin"]));
    assert_eq!(said_by("tool a"), "real a\n");
    // Another HOME: its configuration is another one too, so the policy is named.
    let named = format!("RECOURSE_POLICY={}/recourse/policy.toml", config.display());
    assert_eq!(said_by(&format!("HOME=/nonexistent {named} tool b")), "real b\n");
    assert_eq!(said_by(&format!("env -i PATH=\"$PATH\" {named} tool c")), "real c\n");
    let shim = case.shims.join("tool");
    assert_eq!(said_by(&format!("env -i PATH=\"$PATH\" {named} '{}' d", shim.display())), "real d\n");
}

#[test]
fn what_is_not_there_is_not_found_and_which_shows_both() {
    let case = Case::new(&["absent", "tool"]);
    let output = case.run("absent x", &[]);
    assert_eq!(output.status.code(), Some(127), "{}", said(&output));
    assert!(said(&output).contains("absent: command not found"), "{}", said(&output));
    let real = case.scratch.root().join("bin/tool");
    script(&real, "#!/bin/sh\necho real\n");
    let shown = said(&case.run("type -P tool 2>/dev/null; command -v tool; which -a tool", &["bin"]));
    assert!(shown.contains(case.shims.join("tool").to_str().unwrap()), "{shown}");
    if shown.lines().count() > 1 {
        assert!(shown.trim_end().ends_with(real.to_str().unwrap()), "{shown}");
    }
    let listed = String::from_utf8(case.scratch.run(&["shim", "list"]).stdout).unwrap();
    assert_eq!(listed, "absent  (PATH does not lead to it)\ntool  (PATH does not lead to it)\n");
    assert!(case.scratch.run(&["shim", "remove", "tool"]).status.success());
    case.scratch.policy("[profile.ci]\nunknown-program = \"run\"\n");
    assert_eq!(said(&case.run("tool", &["bin"])), "real\n");
    assert!(!said(&case.scratch.run(&["shim", "remove", "tool"])).contains("removed"));
}

#[test]
fn at_a_terminal_a_shim_asks_and_the_program_has_the_terminal() {
    if no_person_here() {
        return;
    }
    let case = Case::new(&["rm", "stty"]);
    case.scratch.policy("[[rule]]\ntool = \"rm\"\nverdict = \"escalate\"\n");
    let kept = case.scratch.file("kept", "content");
    let path = format!("{}:/usr/bin:/bin", case.shims.display());
    for (key, left) in [("\r", true), ("r", false)] {
        let mut terminal = case.scratch.in_sized_terminal(
            &["sh", "-c", "rm kept; echo status $?; stty size"],
            80,
            &[("PATH", &path)],
        );
        terminal.expect("Your decision");
        terminal.send(key);
        let (status, text) = terminal.finish();
        assert_eq!((status, kept.exists()), (0, left), "{text}");
        assert!(text.contains(if left { "status 126" } else { "status 0" }), "{text}");
        assert!(text.contains("24 80"), "{text}");
    }
}

#[test]
fn under_an_agents_hook_a_shim_is_the_program_that_it_is_called_like() {
    let case = Case::new(&["kubectl", "terraform"]);
    for (text, wanted) in [
        ("kubectl delete namespace shop", "k8s.namespace shop"),
        ("terraform destroy -auto-approve", "terraform.apply destroy"),
        ("kubectl get pods", ""),
        ("terraform plan", ""),
    ] {
        let bare = text.to_owned();
        let path = case.shims.join(text).to_str().unwrap().to_owned();
        for command in [bare, path] {
            let call =
                serde_json::json!({ "tool_name": "Bash", "tool_input": { "command": command } }).to_string();
            let text = format!("printf %s '{call}' | '{}' hook codex", program());
            let output = case.run(&text, &[]);
            let shown = said(&output);
            assert_eq!(shown.contains("\"deny\""), !wanted.is_empty(), "{command}: {shown}");
            assert!(shown.contains(wanted), "{command}: {shown}");
        }
    }
}

#[test]
fn an_empty_list_says_so() {
    let output = Scratch::new().run(&["shim", "list"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("there are no shims"), "{said}");
}
