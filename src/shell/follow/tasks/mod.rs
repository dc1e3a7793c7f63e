//! Task runners: the file that says what a task does is read, and what the task runs is followed.
//!
//! One runner per file. What is not followed is a program by that name.

mod functions;
mod javascript;
mod just;
mod listed;
mod yaml;

use std::path::PathBuf;

use crate::knowledge::{Follower, Match};
use crate::model::Value;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::{Flow, State};
use crate::shell::step::StepKind;

/// A runner's file that was found.
pub(super) enum Found {
    /// Its path and its text.
    File { path: PathBuf, text: String },
    /// There is none: the runner says so and stops.
    Nothing,
    /// It cannot be told, or not be read.
    Unread,
}

impl Interp<'_> {
    /// Follows a task runner.
    pub(super) fn task_runner(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        call: &Call,
        matched: &Match,
        follower: Follower,
    ) -> Option<Flow> {
        if matched.does_nothing() {
            return None;
        }
        let inner = scope.through(name);
        let mut way = state.clone();
        for dir in matched.cwd() {
            way.cwd = self.directories(&way, &dir);
        }
        for (name, value) in &call.environment {
            self.assign_scalar(&mut way, name, value.clone());
        }
        let ran = match follower {
            Follower::Just => {
                self.just(&mut way, &inner, call, matched);
                true
            }
            Follower::Listed => self.listed(&mut way, &inner, call, name, matched),
            Follower::Rake => self.rake(&mut way, &inner, call, matched),
            Follower::Invoke | Follower::Nox => self.python_tasks(&mut way, &inner, call, matched, follower),
            _ => {
                let operands = matched.operands("task");
                if operands.is_empty() {
                    self.not_read(&mut way, &inner, call, name, "");
                }
                for task in operands {
                    self.not_read(&mut way, &inner, call, name, &task.value.display());
                }
                true
            }
        };
        if !ran {
            return None;
        }
        state.files = way.files;
        self.unknown_result(state, scope);
        Some(Flow::Next)
    }

    /// Says that a task is a program that is not read, unless its name means the same everywhere.
    pub(super) fn not_read(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        runner: &str,
        task: &str,
    ) {
        let kind = self.knowledge.kind("project.task");
        if kind.is_some_and(|kind| kind.is_ordinary(task)) {
            return;
        }
        let name = if task.is_empty() { runner.to_owned() } else { format!("{runner} {task}") };
        let kind = StepKind::UnknownProgram { name, args: call.args() };
        self.emit_as(state, scope, call.span, &call.raw, kind);
    }

    /// The first of these files in the working directory, or where `upwards` holds in one above it.
    pub(super) fn task_file(&self, state: &State, scope: &Scope, names: &[&str], upwards: bool) -> Found {
        if scope.host.is_some() {
            return Found::Unread;
        }
        let Some(cwd) = state.only_cwd() else { return Found::Unread };
        let places = if upwards { usize::MAX } else { 1 };
        for dir in cwd.ancestors().take(places) {
            for name in names {
                let path = dir.join(name);
                match self.exists(state, &path) {
                    Some(false) => {}
                    Some(true) => return self.read_found(state, path),
                    None => return Found::Unread,
                }
            }
        }
        Found::Nothing
    }

    /// A file that the command line names.
    pub(super) fn named_file(&self, state: &State, scope: &Scope, value: &Value) -> Found {
        if scope.host.is_some() {
            return Found::Unread;
        }
        let Some(path) = self.absolute(state, value) else { return Found::Unread };
        match self.exists(state, &path) {
            Some(false) => Found::Nothing,
            _ => self.read_found(state, path),
        }
    }

    fn read_found(&self, state: &State, path: PathBuf) -> Found {
        match self.read_text(state, &path, self.options.limits.script_bytes) {
            Some(text) => Found::File { path, text },
            None => Found::Unread,
        }
    }
}
