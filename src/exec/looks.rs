//! Looks: the read-only commands that a report suggests are run before it is decided, and it is judged again.
//!
//! Owns which of them run, what bounds them, and what stays of their output. What a look is, and what its output says, the
//! knowledge tells and `evaluate` reads. A look runs the program that the judged command is about, with the settings that it
//! would use itself; `git` is not run so, because what a repository names would run with it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::attest::disk::{self, Access};
use crate::evaluate::{Evaluation, Input, evaluate};
use crate::knowledge::{LookType, RAW_LIMIT};
use crate::order;
use crate::policy::EnforcementAction;
use crate::report::VerificationSuggestion;
use crate::text::{escape, shorten};
use crate::world::{LookError, bounded, trusted};

use super::{SECRET, Surroundings, say};

/// Looks before one command, at most.
pub(crate) const MOST: usize = 6;
/// Time of all of them together.
const TIME: Duration = Duration::from_secs(60);
/// Files of kept output, at most: the oldest go.
const FILES: usize = 200;
/// Columns of a complaint.
const WIDTH: usize = 160;

/// What is looked at before one command.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    /// Whatever is suggested, without a question (`--look`).
    all: bool,
    /// The words of those that ran.
    taken: Vec<Vec<String>>,
}

impl Looks {
    /// None so far; `all` of them without a question, or those that the policy names.
    pub fn wanted(all: bool) -> Self {
        Self { all, taken: Vec::new() }
    }
}

/// Judges; where somebody would have to decide, takes the looks that need no question, and judges again.
/// `before` is called when it comes to that.
pub(super) fn evaluated(input: &Input, around: &mut Surroundings<'_>, before: &dyn Fn()) -> Evaluation {
    loop {
        let evaluation =
            evaluate(input.clone(), &around.context, around.world, around.knowledge, around.policy);
        let unasked: Vec<VerificationSuggestion> =
            open(&evaluation, around).filter(|look| is_unasked(look, &evaluation, around)).cloned().collect();
        if unasked.is_empty() {
            return evaluation;
        }
        before();
        take(&unasked, false, around);
    }
}

/// What a person can have looked at, at the question.
pub(super) fn offered(evaluation: &Evaluation, around: &Surroundings<'_>) -> Vec<VerificationSuggestion> {
    open(evaluation, around).cloned().collect()
}

/// What is suggested, would change something, and was not looked at yet.
fn open<'e>(
    evaluation: &'e Evaluation,
    around: &'e Surroundings<'_>,
) -> impl Iterator<Item = &'e VerificationSuggestion> {
    let stops = evaluation
        .report
        .enforcement
        .as_ref()
        .is_none_or(|enforcement| enforcement.action > EnforcementAction::Note);
    let left = if stops { MOST.saturating_sub(around.looks.taken.len()) } else { 0 };
    let suggested = evaluation.report.verification_suggestions.iter();
    let new = |look: &&VerificationSuggestion| {
        look.verification.r#type != LookType::Git && !around.looks.taken.contains(&look.verification.argv)
    };
    suggested.filter(new).take(left)
}

/// Whether the caller or the user's policy wants it without a question.
fn is_unasked(look: &VerificationSuggestion, evaluation: &Evaluation, around: &Surroundings<'_>) -> bool {
    let of_it = |kind: &str| around.policy.looks_at(kind);
    around.looks.all
        || evaluation
            .assessments
            .iter()
            .filter(|judged| judged.mutation.target.id == look.target)
            .any(|judged| of_it(&judged.mutation.kind))
}

/// Runs looks, says what they are, and adds what they say to the evidence. `person`: one read them first and wanted it.
pub(super) fn take(looks: &[VerificationSuggestion], person: bool, around: &mut Surroundings<'_>) {
    let end = Instant::now() + TIME;
    let mut answers = Vec::new();
    for look in looks {
        let argv = &look.verification.argv;
        around.looks.taken.push(argv.clone());
        say(&format!("recourse: looking: {}", escape(&shell_words::join(argv))));
        let time = Duration::from_secs(u64::from(look.verification.timeout_seconds));
        let time = time.min(end.saturating_duration_since(Instant::now()));
        match run(argv, time, around) {
            Ok(raw) => {
                around.context.supplied.looked(&look.target, &look.evidence_key, argv, &raw, person);
                answers.push(json!({
                    "target": look.target,
                    "key": look.evidence_key,
                    "argv": argv,
                    "raw": raw,
                }));
            }
            Err(why) => say(&format!("recourse: that look told nothing: {}", escape(&why))),
        }
    }
    if answers.is_empty() {
        return;
    }
    match store(&json!({ "evidence": answers }), around) {
        Ok(Some(path)) => say(&format!("recourse: what they told is kept: {}", escape(&path))),
        Ok(None) => {}
        Err(error) => say(&format!("recourse: what they told could not be kept: {}", escape(&error))),
    }
}

/// One look's output.
fn run(argv: &[String], time: Duration, around: &Surroundings<'_>) -> Result<String, String> {
    let (name, words) = argv.split_first().ok_or("it has no words")?;
    if time.is_zero() {
        return Err("there was no time left for it".to_owned());
    }
    let here = around.context.cwd.as_path();
    let path = around.world.env("PATH");
    let program = trusted(name, path.as_deref(), &[here])
        .ok_or_else(|| format!("there is no {name} outside of this directory"))?;
    let mut command = Command::new(program);
    // No pager, nothing that asks: nobody sees it.
    command.args(words).env_remove(SECRET).env("AWS_PAGER", "").env("PAGER", "cat").stderr(Stdio::piped());
    if here.is_dir() {
        command.current_dir(here);
    }
    match bounded::run(command, time, RAW_LIMIT as u64) {
        Ok(said) if said.success => {
            String::from_utf8(said.output).map_err(|_| "its output is no text".to_owned())
        }
        Ok(said) => {
            let text = String::from_utf8_lossy(&said.complaints);
            let line = text.lines().map(str::trim).find(|line| !line.is_empty());
            Err(shorten(line.unwrap_or("it failed, and does not say why"), WIDTH))
        }
        Err(LookError::Deadline) => Err(format!("it took longer than {} s", time.as_secs())),
        Err(error) => Err(error.to_string()),
    }
}

/// Keeps output as a file of evidence, readable for its owner alone; the path, for people.
fn store(evidence: &serde_json::Value, around: &Surroundings<'_>) -> Result<Option<String>, String> {
    let Some(places) = &around.attesting.places else { return Ok(None) };
    let folder = places.state.join("looks");
    let told = |error: &dyn std::fmt::Display| error.to_string();
    disk::private_dir(&places.state)
        .and_then(|()| disk::private_dir(&folder))
        .map_err(|error| told(&error))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
    let path = folder.join(format!("{now:014}-{}.json", std::process::id()));
    let text = serde_json::to_vec_pretty(evidence).map_err(|error| told(&error))?;
    disk::write_atomic(&path, &text, Access::Private).map_err(|error| told(&error))?;
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .map_err(|error| told(&error))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    order::sort(&mut files);
    for old in files.iter().rev().skip(FILES) {
        // What stays too long is no reason to stop.
        let _ = fs::remove_file(old);
    }
    Ok(Some(path.display().to_string()))
}
