//! Terraform through `exec`: make the plan, judge that plan, apply that plan and no other.
//!
//! Owns the three steps and what stands between them. Everything else of Terraform (`init`, `state rm` …) is judged and
//! run like any program. Holds no judgement.

mod arguments;
mod output;
mod planfile;
mod show;
mod waiting;

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::evaluate::{Evaluation, Input, evaluate};
use crate::model::{Material, Part};
use crate::policy::{EnforcementAction, Profile};
use crate::prompt::{self, Replaceable};
use crate::proof::Subject;
use crate::shell;
use crate::terraform::{Plan, read};
use crate::text::escape;

use super::asking::confirm;
use super::case::Case;
use super::kept::First;
use super::permission::{Permission, permission};
use super::program::Program;
use super::{FAILED, REFUSED, SECRET, Surroundings, become_program, looks, say, still};
use arguments::{Apply, Request, understand};
use planfile::PlanFile;
pub use show::{ShowError, is_binary, show};
use waiting::Watched;

/// Largest plan file that is copied: far above any real one.
const PLAN_LIMIT: u64 = 4 << 30;

/// Runs an apply step by step. `None` when the words are no apply of Terraform's: they are judged like any command.
pub(super) fn run(program: &Program, argv: &[OsString], around: &Surroundings<'_>) -> Option<u8> {
    let name = Path::new(argv.first()?).file_name()?;
    if name != "terraform" && name != "tofu" {
        return None;
    }
    let environment = |name: &str| around.world.env(name);
    match understand(argv, environment) {
        Ok(Request::Other) => None,
        Ok(Request::Apply(apply)) => {
            let session = Session { program, name: argv.first()?, apply: &apply };
            Some(session.run(around).unwrap_or_else(|code| code))
        }
        Err(error) => {
            say(&format!("recourse: refused: {}", escape(&error.to_string())));
            Some(REFUSED)
        }
    }
}

struct Session<'a> {
    program: &'a Program,
    /// The command word as it was given.
    name: &'a OsStr,
    apply: &'a Apply,
}

impl Session<'_> {
    fn run(&self, around: &Surroundings<'_>) -> Result<u8, u8> {
        self.may_start(around)?;
        let file = self.plan()?;
        let (plan, subject) = self.show(&file, !around.attesting.is_off())?;
        let nothing = plan.changes_nothing();
        // What the apply runs runs where `-chdir` says.
        let directory = around.context.cwd.join(self.directory());
        let directory = directory.canonicalize().unwrap_or(directory);
        let evaluation =
            permitted(&Input::terraform(plan), subject, &directory, self.material(&file, around), around)?;
        let action = evaluation.report.enforcement.as_ref().map(|enforcement| enforcement.action);
        let asked = !matches!(action, Some(EnforcementAction::Run | EnforcementAction::Note));
        // Terraform itself asks before an apply, unless told not to, or the plan was made and read before.
        if !asked && !nothing && !self.apply.auto_approve && self.apply.planfile.is_none() {
            if !prompt::available() {
                say("recourse: refused: terraform would ask here, and there is no terminal to ask at");
                say("recourse: to go on without being asked: -auto-approve");
                return Err(REFUSED);
            }
            if around.context.profile == Some(Profile::Agent) {
                say("recourse: refused: terraform would ask a person here, and an agent is not asked");
                say("recourse: to go on without being asked: -auto-approve");
                return Err(REFUSED);
            }
            if !confirm(&evaluation, around) {
                return Err(REFUSED);
            }
        }
        let mut argv = vec![self.name.to_owned()];
        argv.extend(self.apply.global.iter().cloned());
        argv.push("apply".into());
        argv.extend(self.apply.apply.iter().cloned());
        argv.push(file.path().into());
        let code = match still(&evaluation, self.program, around) {
            Ok(bound) => become_program(self.program, bound.as_ref(), &argv, &without_options()),
            Err(code) => code,
        };
        around.attesting.not_started(code);
        Ok(code)
    }

    /// What bears the name may be anything, and planning runs programs too (`external` data): both are judged before. A plan
    /// that was made before is only shown.
    fn may_start(&self, around: &Surroundings<'_>) -> Result<(), u8> {
        let step = if self.apply.planfile.is_some() { "show" } else { "plan" };
        let options = self.apply.global.iter().map(|word| word.to_str().map(str::to_owned));
        let words = std::iter::once(self.program.judged_as(self.name)).chain(options);
        let input = shell::Input::Argv(words.chain([Some(step.to_owned())]).collect());
        let subject = Subject::shell(&input).map_err(|error| error.to_string());
        let input = Input::Shell(input);
        let evaluation =
            evaluate(input.clone(), &around.context, around.world, around.knowledge, around.policy);
        let action = evaluation.report.enforcement.as_ref().map(|enforcement| enforcement.action);
        if matches!(action, Some(EnforcementAction::Run | EnforcementAction::Note)) {
            return Ok(());
        }
        permitted(&input, subject, &around.context.cwd, None, around).map(|_| ())
    }

    /// The plan: the caller's own, copied, or a fresh one.
    fn plan(&self) -> Result<PlanFile, u8> {
        let failed = |what: &str, error: std::io::Error| {
            say(&format!("recourse: {what}: {error}"));
            FAILED
        };
        let file = match &self.apply.planfile {
            Some(name) => {
                let path = self.directory().join(name);
                let shown = escape(&path.to_string_lossy());
                let meta = path.metadata().map_err(|error| failed(&shown, error))?;
                if !meta.is_file() {
                    say(&format!("recourse: {shown}: not a plan file"));
                    return Err(FAILED);
                }
                let source = File::open(&path).map_err(|error| failed(&shown, error))?;
                PlanFile::copy_of(source, PLAN_LIMIT).map_err(|error| failed(&shown, error))?
            }
            None => {
                let file = PlanFile::new().map_err(|error| failed("no room for a plan", error))?;
                let mut command = self.command("plan");
                command.args(&self.apply.plan).arg(format!("-out={}", file.path())).stdout(Stdio::piped());
                let mut child = command.spawn().map_err(|error| failed("terraform plan", error))?;
                if let Some(stdout) = child.stdout.take() {
                    // What cannot be shown is no reason to stop: the plan is what counts.
                    let watched = Watched::new(stdout, "terraform is planning");
                    let _ = output::forward(watched, std::io::stdout().lock());
                }
                let status = child.wait().map_err(|error| failed("terraform plan", error))?;
                if !status.success() {
                    say("recourse: terraform could not make a plan; nothing was applied");
                    return Err(exit_code(status));
                }
                if file.size().map_err(|error| failed("the plan", error))? == 0 {
                    say("recourse: terraform made no plan; nothing was applied");
                    return Err(FAILED);
                }
                file
            }
        };
        file.seal().map_err(|error| failed("the plan could not be sealed", error))?;
        Ok(file)
    }

    /// The plan in JSON, read; and what is attested of it, where that plays a part.
    fn show(&self, file: &PlanFile, attested: bool) -> Result<(Plan, Result<Subject, String>), u8> {
        let mut command = self.command("show");
        command.arg("-json").arg(file.path()).stdin(Stdio::null()).stderr(Stdio::inherit());
        let output = command.output().map_err(|error| {
            say(&format!("recourse: terraform show: {error}"));
            FAILED
        })?;
        if !output.status.success() {
            say("recourse: terraform could not show the plan, so it was not judged and nothing was applied");
            return Err(FAILED);
        }
        let plan = read(&output.stdout).map_err(|error| {
            say(&format!("recourse: {error}"));
            say("recourse: nothing was applied");
            FAILED
        })?;
        let subject = if attested {
            Subject::terraform(&output.stdout).map_err(|error| error.to_string())
        } else {
            Err("attestation is off".to_owned())
        };
        Ok((plan, subject))
    }

    /// The caller's plan as the file that it came in, where that is attested.
    fn material(&self, file: &PlanFile, around: &Surroundings<'_>) -> Option<Material> {
        let name = self.apply.planfile.as_ref().filter(|_| around.context.signed)?;
        let path = around.context.cwd.join(self.directory()).join(name);
        Some(Material { path, part: Part::Plan, sha256: file.sha256().ok() })
    }

    fn command(&self, subcommand: &str) -> Command {
        let mut command = Command::new(self.program.path());
        command.args(&self.apply.global).arg(subcommand).env_remove(SECRET);
        for name in without_options() {
            command.env_remove(name);
        }
        command
    }

    /// Where Terraform takes relative paths from: the last `-chdir`.
    fn directory(&self) -> PathBuf {
        let chdir = |word: &OsString| {
            let text = word.to_string_lossy();
            text.strip_prefix("--chdir=").or_else(|| text.strip_prefix("-chdir=")).map(PathBuf::from)
        };
        self.apply.global.iter().rev().find_map(chdir).unwrap_or_default()
    }
}

/// Judges as often as looks are taken; its evaluation when it may run.
fn permitted(
    input: &Input,
    subject: Result<Subject, String>,
    directory: &Path,
    material: Option<Material>,
    around: &Surroundings<'_>,
) -> Result<Evaluation, u8> {
    let subject = subject.as_ref().map_err(String::as_str);
    let mut around = around.clone();
    around.context.materials.extend(material);
    let asked_from = around.context.cwd.clone();
    loop {
        around.context.cwd = directory.to_owned();
        let first = First::nothing(looks::evaluated(input, &mut around, &|| {}));
        around.context.cwd.clone_from(&asked_from);
        let case = Case {
            first: &first,
            text: None,
            subject,
            replaceable: Replaceable::AtOnce,
            answer: Cell::default(),
        };
        match permission(&case, &around) {
            Permission::Granted => return Ok(first.evaluation),
            Permission::Refused(code) => return Err(code),
            // There is no text that could be replaced.
            Permission::Instead(_) => return Err(REFUSED),
            Permission::Look(wanted) => looks::take(&wanted, true, &mut around),
        }
    }
}

/// Variables that would put options into each of the three steps: they were taken into account already.
fn without_options() -> Vec<OsString> {
    std::env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| name.as_encoded_bytes().starts_with(b"TF_CLI_ARGS"))
        .collect()
}

fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).filter(|code| *code != 0).unwrap_or(FAILED)
}
