//! `find`, evaluated: its expression is parsed and run over the real tree, so that its actions have real paths.
//!
//! Owns find's expression language and a bounded, read-only walk through [`World`]. Three-valued: a test that cannot be
//! told may match. Runs nothing.

mod expression;
mod predicates;
mod regex;
mod runs;
mod test;
mod time;
mod view;
mod walk;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::model::Value;
use crate::world::World;

use crate::shell::Names;
use crate::shell::program::{Arg, Files, Flow, Run, Shell, State};

use expression::Stop;
use view::View;
use walk::Walk;

pub(crate) use runs::substitute;

/// See [`Room::Find`](crate::knowledge::Room::Find).
pub(in crate::programs) struct Find;

impl super::Program for Find {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        Some(runs::find(shell, state, run.call))
    }
}

/// How far the walk may go.
#[derive(Clone, Copy, Debug)]
pub(super) struct FindLimits {
    /// Directory entries looked at.
    pub entries: usize,
    /// Time taken.
    pub time: Duration,
    /// Paths kept per action.
    pub paths: usize,
    /// It may run with other rights than the ones that are looked with: what may not be listed now counts.
    pub other_rights: bool,
    /// It runs on another machine: nothing that is here says what it finds there.
    pub elsewhere: bool,
    /// The directory it runs in is not known: relative starting points say nothing.
    pub adrift: bool,
}

impl Default for FindLimits {
    fn default() -> Self {
        Self {
            entries: 50_000,
            time: Duration::from_millis(600),
            paths: 10_000,
            other_rights: false,
            elsewhere: false,
            adrift: false,
        }
    }
}

/// What an action does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FindAction {
    /// `-delete`. A directory goes only when it is empty by then; what is below it is listed before it.
    Delete,
    /// `-exec`, `-execdir`, `-ok`, `-okdir`.
    Exec {
        /// The command; `{}` inside words stands for the path.
        argv: Vec<Arg>,
        /// Ends in `+`: one command with all paths in place of the last `{}`.
        batch: bool,
        /// Runs in the directory that holds the path; `{}` is `./name`.
        in_directory: bool,
        /// Asks before each run.
        asks: bool,
    },
    /// `-fprint`, `-fprintf`, `-fls`, `-fprint0`: opens a file for writing, whether anything matches or not.
    Write {
        /// The file.
        file: Arg,
    },
    /// Prints the path (`-print`, or no action at all).
    Print,
}

/// A path that an action is taken on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundPath {
    /// As find prints it: the starting point, then what is below it.
    pub path: String,
    /// It is a directory (symbolic links are not).
    pub directory: bool,
    /// False when a test could not be told: it may match.
    pub certain: bool,
}

/// Which paths an action is taken on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FoundPaths {
    /// Exactly these, in find's order.
    Listed(Vec<FoundPath>),
    /// Anything at or below these starting points: a limit was reached, or something is not known.
    Below {
        /// The starting points as written.
        starts: Vec<Value>,
        /// Why they cannot be listed.
        reason: String,
        /// The expression chooses among what is there, so not all of it is meant: those that were found before a limit.
        chosen: Option<Vec<FoundPath>>,
    },
}

/// One action with its paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundAction {
    /// What is done.
    pub action: FindAction,
    /// To what.
    pub paths: FoundPaths,
}

/// What a run of find would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Actions in the order of the expression.
    pub actions: Vec<FoundAction>,
    /// A part of the command line that is not understood (an unknown predicate; what follows it could be anything).
    pub gap: Option<String>,
    /// Find itself refuses to run (usage error): nothing happens.
    pub refused: bool,
}

/// What `find` with these arguments (the word `find` itself not among them) does in `cwd`.
pub(super) fn evaluate(
    arguments: &[Arg],
    cwd: &Path,
    world: &dyn World,
    (names, files): (&Names, &Files),
    limits: FindLimits,
) -> Found {
    let plan = match expression::parse(arguments) {
        Ok(plan) => plan,
        Err(Stop::Refused) => return Found { refused: true, ..Found::default() },
        Err(Stop::Gap { starts, reason, actions }) => {
            let actions = actions.into_iter().map(|action| anywhere(action, &starts, &reason)).collect();
            return Found { actions, gap: Some(reason), refused: false };
        }
    };
    if let Some(unknown) = plan.starts.iter().find(|start| start.choices().is_none()) {
        let reason = format!("the starting point {} is not known", unknown.display());
        let actions = plan.actions.iter().map(|a| anywhere(a.clone(), &plan.starts, &reason)).collect();
        return Found { actions, ..Found::default() };
    }
    let relative = |start: &Value| start.choices().is_some_and(|all| all.iter().any(|s| !s.starts_with('/')));
    if limits.elsewhere || limits.adrift && plan.starts.iter().any(relative) {
        let reason =
            if limits.elsewhere { "it may run on another machine" } else { "its directory is not known" };
        let one = |(at, action): (usize, &FindAction)| {
            let named = expression::name_before(&plan.root, at);
            let starts: Vec<Value> = match &named {
                Some(end) => plan.starts.iter().map(|start| below(start, end)).collect(),
                None => plan.starts.clone(),
            };
            anywhere(action.clone(), &starts, reason)
        };
        let actions = plan.actions.iter().enumerate().map(one).collect();
        return Found { actions, ..Found::default() };
    }
    let view = View { world, files, names, cwd, follow: plan.follow, deleted: BTreeSet::new() };
    let mut walk = Walk::new(&plan, view, limits);
    for start in &plan.starts {
        let choices = start.choices().unwrap_or_default();
        for choice in choices {
            walk.start(choice, choices.len() == 1);
        }
    }
    let actions = match walk.stopped {
        Some(reason) => {
            let found = plan.actions.iter().zip(walk.found);
            let chooses = plan.chooses();
            let partly = |(action, paths): (&FindAction, Vec<FoundPath>)| {
                let mut action = anywhere(action.clone(), &plan.starts, &reason);
                if let FoundPaths::Below { chosen, .. } = &mut action.paths {
                    *chosen = chooses.then_some(paths);
                }
                action
            };
            found.map(partly).collect()
        }
        None => plan
            .actions
            .iter()
            .zip(walk.found)
            .map(|(action, paths)| FoundAction { action: action.clone(), paths: FoundPaths::Listed(paths) })
            .collect(),
    };
    Found { actions, ..Found::default() }
}

/// Any path below a starting point that ends so.
fn below(start: &Value, end: &str) -> Value {
    let slash = if start.suffix().ends_with('/') { "" } else { "/" };
    start.concat(&Value::known(slash)).concat(&Value::Unknown).concat(&Value::known(end))
}

fn anywhere(action: FindAction, starts: &[Value], reason: &str) -> FoundAction {
    let paths = match action {
        FindAction::Write { .. } => FoundPaths::Listed(Vec::new()),
        _ => FoundPaths::Below { starts: starts.to_vec(), reason: reason.to_owned(), chosen: None },
    };
    FoundAction { action, paths }
}

#[cfg(test)]
mod tests;
