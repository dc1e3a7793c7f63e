//! `recourse exec -- terraform …` against the real terraform, with its built-in `terraform_data`.
//!
//! Skipped, and said so, where terraform is not installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Refused by recourse.
const REFUSED: i32 = 126;

struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// An initialised configuration, or `None` without terraform.
    fn new(configuration: &str) -> Option<Self> {
        if Command::new("terraform")
            .arg("version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_err()
        {
            crate::support::skipped("terraform is not installed, so exec was not tested against it");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("project")).unwrap();
        fs::create_dir_all(folder.path().join("config/recourse")).unwrap();
        fs::create_dir_all(folder.path().join("tmp")).unwrap();
        fs::write(folder.path().join("terraformrc"), "").unwrap();
        let project = Self { folder };
        project.configure(configuration);
        assert!(project.terraform(&["init", "-no-color"]).status.success());
        Some(project)
    }

    fn configure(&self, text: &str) {
        fs::write(self.root().join("main.tf"), text).unwrap();
    }

    /// Deleting or replacing anything that Terraform manages is blocked.
    fn forbid_deletion(&self) {
        let policy = "[[rule]]\nsource = \"terraform\"\naction = [\"delete\", \"replace\"]\nverdict = \"block\"\nmessage = \"nothing is deleted here\"\n";
        fs::write(self.folder.path().join("config/recourse/policy.toml"), policy).unwrap();
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.root())
            .stdin(Stdio::null())
            .env("HOME", self.folder.path())
            .env("XDG_CONFIG_HOME", self.folder.path().join("config"))
            .env("TMPDIR", self.folder.path().join("tmp"))
            .env("TF_CLI_CONFIG_FILE", self.folder.path().join("terraformrc"))
            .env("CHECKPOINT_DISABLE", "1");
        for name in
            ["TF_CLI_ARGS", "TF_CLI_ARGS_apply", "TF_WORKSPACE", "RECOURSE_PROFILE", "RECOURSE_POLICY"]
        {
            command.env_remove(name);
        }
        command
    }

    fn terraform(&self, arguments: &[&str]) -> Output {
        self.command("terraform").args(arguments).output().unwrap()
    }

    /// `recourse exec -- terraform ARGUMENTS`, away from any terminal.
    fn exec(&self, arguments: &[&str]) -> Output {
        self.exec_with(arguments, &[])
    }

    fn exec_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        let mut command = self.command("setsid");
        command
            .arg("-w")
            .arg(env!("CARGO_BIN_EXE_recourse"))
            .args(["exec", "--", "terraform"])
            .args(arguments);
        command.envs(environment.iter().copied()).output().unwrap()
    }

    fn applied(&self, arguments: &[&str]) -> String {
        let output = self.exec(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        self.nothing_left_behind();
        said(&output)
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let before = self.state();
        let output = self.exec(arguments);
        assert_eq!(output.status.code(), Some(REFUSED), "{arguments:?}: {}", said(&output));
        assert_eq!(self.state(), before, "a refused apply leaves the state as it was");
        self.nothing_left_behind();
        said(&output)
    }

    fn state(&self) -> Option<String> {
        fs::read_to_string(self.root().join("terraform.tfstate")).ok()
    }

    fn resources(&self) -> Vec<String> {
        let output = self.terraform(&["state", "list"]);
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    fn nothing_left_behind(&self) {
        let left: Vec<_> = names(&self.folder.path().join("tmp"));
        assert!(left.is_empty(), "left in the temporary directory: {left:?}");
        let known = [
            "main.tf",
            "terraform.tfstate",
            "terraform.tfstate.backup",
            "terraform.tfstate.d",
            ".terraform",
            ".terraform.lock.hcl",
            "saved.plan",
            "one.tfvars",
        ];
        let foreign: Vec<_> =
            names(&self.root()).into_iter().filter(|n| !known.contains(&n.as_str())).collect();
        assert!(foreign.is_empty(), "left in the project: {foreign:?}");
    }
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

const TWO: &str = "variable \"x\" { default = \"1\" }\nresource \"terraform_data\" \"a\" { input = var.x }\nresource \"terraform_data\" \"b\" { triggers_replace = [var.x] }\n";

#[test]
fn what_is_judged_is_applied_from_creation_to_destruction() {
    let Some(project) = Project::new(TWO) else { return };
    let text = project.applied(&["apply", "-auto-approve", "-no-color"]);
    assert!(
        text.contains("Apply complete! Resources: 2 added") && !text.contains("Saved the plan"),
        "{text}"
    );
    assert_eq!(project.resources(), ["terraform_data.a", "terraform_data.b"]);
    assert!(
        project.applied(&["apply", "-auto-approve", "-no-color"]).contains("0 added, 0 changed, 0 destroyed")
    );
    assert!(
        project
            .applied(&["apply", "-auto-approve", "-no-color", "-var", "x=2", "-target=terraform_data.a"])
            .contains("1 changed")
    );
    fs::write(project.root().join("one.tfvars"), "x = \"3\"\n").unwrap();
    let text = project.applied(&["apply", "-auto-approve", "-no-color", "-var-file=one.tfvars"]);
    assert!(text.contains("1 added, 1 changed, 1 destroyed"), "{text}");
    assert!(project.applied(&["destroy", "-auto-approve", "-no-color"]).contains("2 destroyed"));
    assert!(project.resources().is_empty());
}

#[test]
fn a_refused_apply_leaves_everything_as_it_was() {
    let Some(project) = Project::new(TWO) else { return };
    project.applied(&["apply", "-auto-approve"]);
    project.forbid_deletion();
    let text = project.refused(&["apply", "-auto-approve", "-no-color", "-var=x=2"]);
    assert!(text.contains("nothing is deleted here") && text.contains("terraform_data.b"), "{text}");
    project.refused(&["destroy", "-auto-approve"]);
    project.refused(&["apply", "-destroy", "-auto-approve"]);
    project.refused(&["apply", "-replace=terraform_data.a", "-auto-approve"]);
    let folder = project.root();
    let chdir = format!("-chdir={}", folder.display());
    project.refused(&[&chdir, "destroy", "-auto-approve"]);
    let output = project.exec_with(&["apply", "-auto-approve"], &[("TF_CLI_ARGS_apply", "-destroy")]);
    assert_eq!(output.status.code(), Some(REFUSED), "{}", said(&output));
    let output = project.exec_with(&["apply", "-auto-approve"], &[("TF_CLI_ARGS", "-destroy")]);
    assert_eq!(output.status.code(), Some(REFUSED), "{}", said(&output));
    assert_eq!(project.resources().len(), 2);
    // The part that deletes nothing goes through.
    assert!(
        project
            .applied(&["apply", "-auto-approve", "-no-color", "-var=x=2", "-target=terraform_data.a"])
            .contains("1 changed")
    );
}

#[test]
fn a_saved_plan_is_judged_and_applied_as_it_was_read() {
    let Some(project) = Project::new(TWO) else { return };
    project.applied(&["apply", "-auto-approve"]);
    assert!(project.terraform(&["plan", "-out=saved.plan", "-destroy"]).status.success());
    project.forbid_deletion();
    project.refused(&["apply", "saved.plan"]);
    project.refused(&["apply", "-no-color", &project.root().join("saved.plan").display().to_string()]);
    fs::remove_file(project.folder.path().join("config/recourse/policy.toml")).unwrap();
    assert!(project.applied(&["apply", "-no-color", "saved.plan"]).contains("2 destroyed"));
    let missing = project.exec(&["apply", "no-such.plan"]);
    assert_eq!(missing.status.code(), Some(125), "{}", said(&missing));
}

#[test]
fn workspaces_are_kept_apart() {
    let Some(project) = Project::new(TWO) else { return };
    project.applied(&["apply", "-auto-approve"]);
    project.applied(&["workspace", "new", "other"]);
    assert!(project.applied(&["apply", "-auto-approve", "-no-color"]).contains("2 added"));
    project.forbid_deletion();
    let output = project.exec_with(&["destroy", "-auto-approve"], &[("TF_WORKSPACE", "default")]);
    assert_eq!(output.status.code(), Some(REFUSED), "{}", said(&output));
    assert_eq!(project.resources().len(), 2);
}

#[test]
fn without_a_terminal_nobody_is_asked_and_nothing_runs() {
    let Some(project) = Project::new(TWO) else { return };
    let text = project.refused(&["apply"]);
    assert!(text.contains("-auto-approve"), "{text}");
    let mut command = project.command("setsid");
    command.arg("-w").arg(env!("CARGO_BIN_EXE_recourse")).args(["exec", "--", "terraform", "apply"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    use std::io::Write;
    let _ = child.stdin.take().unwrap().write_all(b"yes\nyes\ny\n");
    assert_eq!(child.wait().unwrap().code(), Some(REFUSED), "a piped yes approves nothing");
    assert!(project.resources().is_empty());
}

#[test]
fn errors_are_terraforms_own_and_nothing_is_applied() {
    let Some(project) = Project::new(TWO) else { return };
    project.configure("resource \"terraform_data\" \"a\" { input = nonsense.x }\n");
    let output = project.exec(&["apply", "-auto-approve", "-no-color"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        said(&output).contains("Reference to undeclared resource")
            && said(&output).contains("nothing was applied")
    );
    project.nothing_left_behind();
    let output = project.exec(&["apply", "-no-such-option"]);
    assert!(!output.status.success());
    // What is no apply is handed through with its own exit status.
    assert_eq!(
        project.exec(&["fmt", "-check", "-no-color"]).status.code(),
        project.terraform(&["fmt", "-check", "-no-color"]).status.code()
    );
}

#[test]
fn sensitive_values_are_in_no_output() {
    let configuration = "variable \"password\" {\n  sensitive = true\n  default   = \"hunter2-hunter2\"\n}\nresource \"terraform_data\" \"a\" { input = { password = var.password } }\n";
    let Some(project) = Project::new(configuration) else { return };
    project.applied(&["apply", "-auto-approve"]);
    project.forbid_deletion();
    // Terraform's own plan text is not ours; what recourse says stands on standard error.
    let output = project.exec(&["destroy", "-auto-approve"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(REFUSED) && !text.contains("hunter2"), "{text}");
    assert!(project.terraform(&["plan", "-out=saved.plan", "-destroy"]).status.success());
    let plan = project.terraform(&["show", "-json", "saved.plan"]).stdout;
    assert!(String::from_utf8_lossy(&plan).contains("hunter2"), "the plan itself holds it");
    for format in ["json", "human"] {
        let mut command = project.command(env!("CARGO_BIN_EXE_recourse"));
        let mut child = command
            .args(["evaluate", "terraform", "--format", format, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        use std::io::Write;
        child.stdin.take().unwrap().write_all(&plan).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(
            !said(&output).contains("hunter2") && said(&output).contains("terraform_data.a"),
            "{}",
            said(&output)
        );
    }
}
