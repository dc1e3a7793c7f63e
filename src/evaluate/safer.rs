//! What a report advises is judged like any command: "instead" only what is milder and lets the original pass, "back" only
//! what can be typed where the caller stands.
//!
//! Owns the choice among what the knowledge offers, and the directory that git is sent to. Says nothing of its own.

use std::path::{Path, PathBuf};

use crate::knowledge::Knowledge;
use crate::model::{Action, Assessment, FactValue, Mutation, Subject, Tier};
use crate::shell;
use crate::world::git_dir::locate;
use crate::world::{FileKind, LookError, World};

use super::supplied::Bar;
use super::{EvaluationContext, Input, stages};

/// Suggestions that are judged in one evaluation: nobody reads more of them.
const JUDGED: usize = 12;
/// Files that may be looked at again for them, about: a clock would advise now this and now that. An act of its own costs as
/// much as so many files of a tree.
const FILES: u64 = 20_000;
const ACT: u64 = 10;
/// Suggestions that one mutation keeps.
const KEPT: usize = 2;
/// What stands for a part that is not known: nobody can type it.
const HOLE: char = '…';
/// How commands begin that work on the repository of the current directory.
const GIT: &str = "git ";
/// Fact of a mutation whose command alone was aimed elsewhere, by a variable.
const AIMED: &str = "aimed";

/// Everything that advice is judged with.
pub(super) struct Judge<'a> {
    pub(super) input: &'a Input,
    pub(super) context: &'a EvaluationContext,
    pub(super) bar: Bar,
    pub(super) world: &'a dyn World,
    pub(super) knowledge: &'a Knowledge,
}

/// Takes away what would cost as much as what it is to replace, what leaves the original as costly as it was, and what
/// cannot be typed here.
pub(super) fn keep_only_what_works(assessments: &mut [Assessment], judge: &Judge<'_>) {
    let mut judged = 0;
    let found = assessments.iter().filter_map(|one| one.evidence.loss.as_ref());
    let files: u64 = found.flat_map(|loss| loss.classes.values()).map(|tally| tally.files).sum();
    let files = files.saturating_add(ACT.saturating_mul(assessments.len() as u64));
    let advised = |one: &Assessment| !one.alternatives.is_empty();
    let costly: Vec<(String, String)> = match assessments.iter().any(advised) {
        true => assessments.iter().filter(|one| is_costly(one)).map(known_as).collect(),
        false => Vec::new(),
    };
    for assessment in assessments {
        if assessment.recovery.is_empty() && !advised(assessment) {
            continue;
        }
        let other = assessment.alternatives.iter().map(|other| &other.command);
        let sent = assessment.recovery.iter().chain(other).any(|line| line.starts_with(GIT));
        let git = if sent { git_here(&assessment.mutation, judge) } else { None };
        let recovery = std::mem::take(&mut assessment.recovery);
        let mut offered = std::mem::take(&mut assessment.alternatives);
        assessment.recovery = recovery.iter().filter_map(|step| typed(step, git.as_deref())).collect();
        offered.retain_mut(|other| match first_typed(&other.command, &assessment.mutation, git.as_deref()) {
            Some(command) => {
                other.command = command;
                true
            }
            None => false,
        });
        for other in offered {
            let told = assessment.alternatives.iter().any(|known| known.explanation == other.explanation);
            let enough = judged >= JUDGED || (judged as u64).saturating_mul(files) > FILES;
            if told || assessment.alternatives.len() >= KEPT || enough {
                continue;
            }
            judged += 1;
            if judge.works(&other.command, assessment, &costly) {
                assessment.alternatives.push(other);
            }
        }
    }
}

impl Judge<'_> {
    /// Whether a suggestion is milder than what it is for, and that is milder once it was followed.
    fn works(&self, command: &str, original: &Assessment, costly: &[(String, String)]) -> bool {
        if self.is_missing(command) || self.is_made_later(&original.mutation) {
            return false;
        }
        let tier = original.recoverability.tier.severity();
        let found = self.assess(shell::Input::Text(command.to_owned()));
        if found.iter().any(|one| one.recoverability.tier.severity() >= tier.min(4)) {
            return false;
        }
        // What is written into has to be there.
        let takes = |one: &Assessment| {
            one.mutation.target.id == original.mutation.target.id && one.mutation.action != Action::Read
        };
        if original.mutation.action != Action::Delete
            && matches!(original.mutation.subject, Subject::Path(_))
            && found.iter().any(takes)
        {
            return false;
        }
        // A look changes nothing, and what other machines hold is not known before nor after.
        if found.iter().all(|one| one.mutation.action == Action::Read) || !is_local(&original.mutation) {
            return true;
        }
        let Some(text) = self.text() else { return true };
        let own = known_as(original);
        let then = self.assess(shell::Input::Text(format!("{command} && {{\n{text}\n}}")));
        // What else the original costs has advice of its own; nothing new may come to it.
        then.iter().all(|one| {
            let name = known_as(one);
            let milder = one.recoverability.tier.severity() < tier.min(4);
            if name == own { milder } else { !is_costly(one) || costly.contains(&name) }
        })
    }

    /// Whether what goes is not there yet: only the original itself puts it there.
    fn is_made_later(&self, mutation: &Mutation) -> bool {
        let Subject::Path(subject) = &mutation.subject else { return false };
        let gone = |path: &str| self.world.lstat(Path::new(path)) == Err(LookError::NotFound);
        subject.path.as_known().is_some_and(gone)
    }

    fn assess(&self, input: shell::Input) -> Vec<Assessment> {
        let mut told = stages::Told::default();
        let mutations = stages::shell(&input, self.context, self.world, self.knowledge, &mut told);
        stages::assess(mutations, told.named, self.context, self.bar, self.world, self.knowledge)
    }

    /// What was evaluated, as shell text; `None` where it is none.
    fn text(&self) -> Option<String> {
        match self.input {
            Input::Shell(shell::Input::Text(text)) => Some(text.clone()),
            Input::Shell(shell::Input::Argv(words)) => {
                let words: Option<Vec<&str>> = words.iter().map(Option::as_deref).collect();
                Some(shell_words::join(words?))
            }
            Input::Terraform { .. } | Input::Mcp(_) => None,
        }
    }

    /// Whether a suggestion rests on a program that has to be installed first, and is not.
    fn is_missing(&self, command: &str) -> bool {
        let Some(program) = command.split(' ').next().filter(|program| *program == "trash-put") else {
            return false;
        };
        let there = |dir: &str| {
            self.world.stat(&Path::new(dir).join(program)).is_ok_and(|meta| meta.kind == FileKind::File)
        };
        !self.world.env("PATH").is_some_and(|path| path.split(':').any(there))
    }
}

/// What a mutation acts on.
fn known_as(assessment: &Assessment) -> (String, String) {
    (assessment.mutation.kind.clone(), assessment.mutation.target.id.clone())
}

fn is_costly(assessment: &Assessment) -> bool {
    assessment.recoverability.tier.severity() >= Tier::NeedsReview.severity()
}

/// Whether what is here tells how a mutation stands.
fn is_local(mutation: &Mutation) -> bool {
    match &mutation.subject {
        Subject::Path(_) | Subject::Git { .. } | Subject::Sql { .. } => true,
        Subject::Named(_) | Subject::Unknown => false,
    }
}

/// A suggestion as it has to be typed here; `None` where it would act on another machine or account than the original.
fn first_typed(line: &str, mutation: &Mutation, git: Option<&str>) -> Option<String> {
    let context = &mutation.context;
    if context.host.is_some() || mutation.facts.contains_key(AIMED) {
        return None;
    }
    let line = typed(line, git)?;
    match context.via.as_slice() {
        // Who needs more rights for the original needs them for this.
        [wrapper] if context.privileged => Some(format!("{wrapper} {line}")),
        _ => Some(line),
    }
}

/// A line of advice as it has to be typed here; `None` for a command that cannot be.
fn typed(line: &str, git: Option<&str>) -> Option<String> {
    if line.contains(HOLE) {
        return None;
    }
    let Some(rest) = line.strip_prefix(GIT) else { return Some(line.to_owned()) };
    git.map(|git| format!("{git}{}", rest.replace(&format!("&& {GIT}"), &format!("&& {git}"))))
}

/// How git is called so that it works on the repository of a mutation; `None` where that is not known or not here.
fn git_here(mutation: &Mutation, judge: &Judge<'_>) -> Option<String> {
    if mutation.context.host.is_some() {
        return None;
    }
    let cwd = &judge.context.cwd;
    let mut words = Vec::new();
    match &mutation.subject {
        Subject::Git { dir, .. } => {
            let dir = Path::new(dir.as_known()?);
            if dir != cwd {
                words.extend(["-C".to_owned(), below(dir, cwd)]);
            }
            for key in ["git-dir", "work-tree"] {
                if let Some(FactValue::Text(path)) = mutation.facts.get(key).map(|fact| &fact.value) {
                    words.push(format!("--{key}={path}"));
                }
            }
        }
        Subject::Path(subject) => {
            let path = Path::new(subject.path.as_known()?);
            let top = work_tree(judge.world, path.parent()?)?;
            // What stands in a directory that goes cannot work there afterwards.
            let stays = !judge.world.canonicalize(cwd).is_ok_and(|cwd| cwd.starts_with(path));
            if !stays || work_tree(judge.world, cwd).as_ref() != Some(&top) {
                words.extend(["-C".to_owned(), below(&top, cwd)]);
            }
        }
        Subject::Sql { .. } | Subject::Named(_) | Subject::Unknown => {}
    }
    words.push(String::new());
    let words = words.iter().map(|word| if word.is_empty() { word.into() } else { shell_words::quote(word) });
    Some(format!("{GIT}{}", words.collect::<Vec<_>>().join(" ")))
}

/// A directory as it is shortest from here.
fn below(dir: &Path, cwd: &Path) -> String {
    let inside =
        dir.strip_prefix(cwd).ok().filter(|rest| !rest.as_os_str().is_empty() && !rest.starts_with("-"));
    inside.unwrap_or(dir).to_string_lossy().into_owned()
}

/// Top of the working tree that a directory lies in.
fn work_tree(world: &dyn World, dir: &Path) -> Option<PathBuf> {
    locate(world, &world.canonicalize(dir).ok()?).ok()??.work_tree
}
