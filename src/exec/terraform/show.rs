//! A binary plan in JSON: `terraform show -json`, run where the plan was made.
//!
//! Owns which program is asked, in which directory, and what is said when it cannot tell. Only what a person's own
//! configuration leads to is run: never a program in the plan's directory or the current one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::super::SECRET;
use super::without_options;
use crate::text::{escape, size};
use crate::world::{LookError, World, bounded, trusted};

/// Reading a plan starts its providers; that takes seconds, not minutes.
const TIME: Duration = Duration::from_secs(120);
/// Lines of a complaint that are passed on.
const LINES: usize = 12;

/// Why a binary plan could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShowError {
    /// Neither program is there.
    #[error(
        "this is a binary plan file, and neither terraform nor tofu was found to read it (a program in the plan's own directory is not run); make it readable where it was made, with `terraform show -json FILE > plan.json`"
    )]
    NoProgram,
    /// It did not end.
    #[error("{0} show did not end within {time} seconds", time = TIME.as_secs())]
    Slow(&'static str),
    /// It says too much.
    #[error("{0} show printed more than {limit}", limit = size(*.1))]
    Large(&'static str, u64),
    /// It says why not.
    #[error(
        "{program} show could not read the plan in {directory}:\n{said}\nrun `{program} init` there, or hand over JSON: `{program} show -json FILE > plan.json`"
    )]
    Failed {
        /// Which.
        program: &'static str,
        /// Where.
        directory: String,
        /// Its words, nothing that a terminal would act on.
        said: String,
    },
}

/// Whether these bytes are a binary plan.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// The plan in JSON. `here`: the directory that the apply would run in.
///
/// # Errors
/// [`ShowError`].
pub fn show(file: &Path, here: &Path, limit: u64, world: &dyn World) -> Result<Vec<u8>, ShowError> {
    let file = here.join(file);
    let beside = file.parent().unwrap_or(here);
    let directory = place(beside, here, world);
    let path = world.env("PATH");
    let mut failed = None;
    for program in order(&directory) {
        let Some(found) = trusted(program, path.as_deref(), &[beside, here]) else { continue };
        let mut command = Command::new(found);
        command.args(["show", "-json", "-no-color"]).arg(&file).current_dir(&directory);
        command.env_remove(SECRET).env("TF_INPUT", "0").env("CHECKPOINT_DISABLE", "1");
        command.stderr(Stdio::piped());
        for name in without_options() {
            command.env_remove(name);
        }
        let why = match bounded::run(command, TIME, limit) {
            Ok(said) if said.success => return Ok(said.output),
            Ok(said) => complaint(&said.complaints),
            Err(LookError::Deadline) => return Err(ShowError::Slow(program)),
            Err(LookError::TooLarge) => return Err(ShowError::Large(program, limit)),
            Err(error) => error.to_string(),
        };
        // Another program's plan fails in the other one; the first word counts.
        failed.get_or_insert(ShowError::Failed {
            program,
            directory: escape(&directory.to_string_lossy()),
            said: why,
        });
    }
    Err(failed.unwrap_or(ShowError::NoProgram))
}

/// Where the providers are: beside the plan, else where the apply would run.
fn place(beside: &Path, here: &Path, world: &dyn World) -> PathBuf {
    let named = world.env("TF_DATA_DIR").is_some_and(|name| !name.is_empty());
    let ready = |dir: &Path| dir.join(".terraform").is_dir();
    let there = if (named || ready(here)) && !ready(beside) { here } else { beside };
    there.to_path_buf()
}

/// The program that made the directory's providers is asked first.
fn order(directory: &Path) -> [&'static str; 2] {
    let lock = std::fs::read_to_string(directory.join(".terraform.lock.hcl")).unwrap_or_default();
    if lock.contains("registry.opentofu.org/") { ["tofu", "terraform"] } else { ["terraform", "tofu"] }
}

/// What it complained of, without frames and empty lines.
fn complaint(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines =
        text.lines().map(|line| line.trim_matches(['╷', '│', '╵', ' '])).filter(|line| !line.is_empty());
    let said: Vec<String> = lines.take(LINES).map(|line| format!("  {}", escape(line))).collect();
    if said.is_empty() { "  it does not say why".to_owned() } else { said.join("\n") }
}
