//! Task runners: the file that says what a task does is read, and what the task runs is followed.
//!
//! One runner per file. What is not followed is a program by that name.

mod functions;
pub(super) mod javascript;
mod just;
mod listed;

pub(crate) use just::just_recipes;
pub(crate) use listed::composer_command;

use std::path::PathBuf;

use crate::code::Runner;
use crate::model::Value;
use crate::programs::tasks::functions::{python_tasks, rake};
use crate::programs::tasks::just::just;
use crate::programs::tasks::listed::listed;
use crate::shell::program::{Call, Flow, Run, Shell, State, StepKind};

/// A runner's file that was found.
pub(super) enum Found {
    /// Its path and its text.
    File { path: PathBuf, text: String },
    /// There is none: the runner says so and stops.
    Nothing,
    /// It cannot be told, or not be read.
    Unread,
}

/// Follows a task runner where it says that it runs something; what it runs stays apart but for the files.
fn followed(
    shell: &mut Shell<'_>,
    state: &mut State,
    run: &Run<'_>,
    tasks: impl FnOnce(&mut Shell<'_>, &mut State) -> bool,
) -> Option<Flow> {
    if run.matched.does_nothing() {
        return None;
    }
    let inner = state.scope.through(run.name);
    let mut way = state.clone();
    for dir in run.matched.cwd() {
        way.cwd = shell.directories(&way, &dir);
    }
    for (name, value) in &run.call.environment {
        shell.assign_scalar(&mut way, name, value.clone());
    }
    if !way.within(&inner, |way| tasks(shell, way)) {
        return None;
    }
    state.files = way.files;
    shell.unknown_result(state);
    Some(Flow::Next)
}

/// See [`Room::Rake`](crate::knowledge::Room::Rake).
pub(super) struct Rake;

/// See [`Room::Invoke`](crate::knowledge::Room::Invoke).
pub(super) struct Invoke;

/// See [`Room::Nox`](crate::knowledge::Room::Nox).
pub(super) struct Nox;

/// See [`Room::Doit`](crate::knowledge::Room::Doit).
pub(super) struct Doit;

/// See [`Room::Just`](crate::knowledge::Room::Just).
pub(super) struct Just;

/// See [`Room::Listed`](crate::knowledge::Room::Listed).
pub(super) struct Listed;

impl super::Program for Rake {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        followed(shell, state, run, |shell, way| rake(shell, way, run.call, run.matched))
    }
}

impl super::Program for Invoke {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        followed(shell, state, run, |shell, way| {
            python_tasks(shell, way, run.call, run.matched, Runner::Invoke)
        })
    }
}

impl super::Program for Nox {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        followed(shell, state, run, |shell, way| python_tasks(shell, way, run.call, run.matched, Runner::Nox))
    }
}

impl super::Program for Doit {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        followed(shell, state, run, |shell, way| {
            python_tasks(shell, way, run.call, run.matched, Runner::Doit)
        })
    }
}

impl super::Program for Just {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        followed(shell, state, run, |shell, way| {
            let recipes = !run.matched.has("-c");
            if recipes {
                just(shell, way, run.call, run.matched);
            }
            recipes
        })
    }
}

impl super::Program for Listed {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        followed(shell, state, run, |shell, way| listed(shell, way, run.call, run.name, run.matched))
    }
}

/// Says that a task is a program that is not read, unless its name means the same everywhere. Of a project that is not here
/// even that is not seen.
pub(super) fn not_read(shell: &mut Shell<'_>, state: &mut State, call: &Call, runner: &str, task: &str) {
    if shell.world.is_elsewhere() && state.scope.host.is_none() {
        let name = format!("{runner} {task}");
        let reason =
            format!("what `{}` runs stands in a file of the project, which is not seen", name.trim_end());
        shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
        return;
    }
    let kind = shell.knowledge.kind("project.task");
    if kind.is_some_and(|kind| kind.is_ordinary(task)) {
        return;
    }
    let name = if task.is_empty() { runner.to_owned() } else { format!("{runner} {task}") };
    let kind = StepKind::UnknownProgram { name, args: call.args() };
    shell.emit_as(state, call.span, &call.raw, kind);
}

/// The same where only a project that is not here keeps it from being read.
pub(super) fn unseen(shell: &mut Shell<'_>, state: &mut State, call: &Call, runner: &str, task: &str) {
    if shell.world.is_elsewhere() {
        not_read(shell, state, call, runner, task);
    }
}

/// The first of these files in the working directory, or where `upwards` holds in one above it.
pub(super) fn task_file(shell: &Shell<'_>, state: &State, names: &[&str], upwards: bool) -> Found {
    if state.scope.host.is_some() {
        return Found::Unread;
    }
    let Some(cwd) = state.only_cwd() else { return Found::Unread };
    let places = if upwards { usize::MAX } else { 1 };
    for dir in cwd.ancestors().take(places) {
        let known = |name: &&&str| shell.exists(state, &dir.join(name)) == Some(true);
        // Of a working tree that is not here only what it has can be told.
        if shell.world.tree().is_some()
            && let Some(name) = names.iter().find(known)
        {
            return read_found(shell, state, dir.join(name));
        }
        for name in names {
            let path = dir.join(name);
            match shell.exists(state, &path) {
                Some(false) => {}
                Some(true) => return read_found(shell, state, path),
                None => return Found::Unread,
            }
        }
    }
    Found::Nothing
}

/// A file that the command line names.
pub(super) fn named_file(shell: &Shell<'_>, state: &State, value: &Value) -> Found {
    if state.scope.host.is_some() {
        return Found::Unread;
    }
    let Some(path) = shell.absolute(state, value) else { return Found::Unread };
    match shell.exists(state, &path) {
        Some(false) => Found::Nothing,
        _ => read_found(shell, state, path),
    }
}

fn read_found(shell: &Shell<'_>, state: &State, path: PathBuf) -> Found {
    match shell.read_text(state, &path, shell.options.limits.script_bytes) {
        Some(text) => Found::File { path, text },
        None => Found::Unread,
    }
}
