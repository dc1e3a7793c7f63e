//! The stages, wired: input to mutations, mutations to assessments.

use std::time::Duration;

use crate::cross_action;
use crate::effects;
use crate::evidence::{self, Session};
use crate::knowledge::Knowledge;
use crate::model::{Assessment, CrossActionRisk, Mutation};
use crate::shell;
use crate::terraform;
use crate::world::World;

use super::EvaluationContext;

/// How long interpretation may take; past it the verdict is a human's.
const READING: Duration = Duration::from_secs(2);

/// What the steps of shell text or of an argument vector would change.
pub(super) fn shell(
    input: &shell::Input,
    context: &EvaluationContext,
    world: &dyn World,
    knowledge: &Knowledge,
) -> Vec<Mutation> {
    let look = effects::WorldLook(world);
    let mut collect = effects::Collect::new(knowledge, &look);
    let mut options = shell::Options::fresh(&context.cwd);
    options.deadline = Some(world.elapsed() + READING);
    shell::interpret(input, world, knowledge, &options, &mut collect);
    collect.mutations
}

/// A plan's changes, and what the commands that its apply runs on this machine would do.
pub(super) fn terraform(
    plan: &terraform::Plan,
    state: Option<&serde_json::Value>,
    context: &EvaluationContext,
    world: &dyn World,
    knowledge: &Knowledge,
) -> Vec<Mutation> {
    let analysis = terraform::analyse(plan, state, knowledge);
    let mut mutations = analysis.mutations;
    for command in analysis.commands {
        let found = match command.text {
            Some(text) if !command.interpreter => shell(&shell::Input::Text(text), context, world, knowledge),
            _ => vec![terraform::unread_command(&command.address)],
        };
        mutations.extend(found.into_iter().map(|mut mutation| {
            mutation.context.via.insert(0, format!("local-exec of {}", command.address));
            // The text stands in the plan's configuration, not in what was typed.
            mutation.span = None;
            mutation
        }));
    }
    mutations
}

pub(super) fn assess(
    mutations: Vec<Mutation>,
    context: &EvaluationContext,
    world: &dyn World,
    knowledge: &Knowledge,
) -> Vec<Assessment> {
    let mut session = Session::new().elsewhere(context.anywhere);
    mutations
        .into_iter()
        .map(|mutation| {
            let evidence = evidence::collect(&mutation, world, &mut session);
            context.supplied.assess(mutation, evidence, knowledge)
        })
        .collect()
}

pub(super) fn together(assessments: &mut [Assessment]) -> Vec<CrossActionRisk> {
    cross_action::examine(assessments)
}
