//! The stages, wired.
//!
//! TEMPORARY: until interpretation lands every command is of unknown reach.

use crate::cross_action;
use crate::evidence::{self, Session};
use crate::knowledge::Knowledge;
use crate::model::{
    Action, Assessment, Cause, Context, CrossActionRisk, Facts, Mutation, RuleRef, Source, Span, Subject,
    Target,
};
use crate::recoverability;
use crate::shell;
use crate::terraform;
use crate::world::World;

use super::EvaluationContext;

pub(super) fn shell(
    input: &shell::Input,
    context: &EvaluationContext,
    _world: &dyn World,
    _knowledge: &Knowledge,
) -> Vec<Mutation> {
    let text = match input {
        shell::Input::Text(text) => text.clone(),
        shell::Input::Argv(words) => words.iter().flatten().cloned().collect::<Vec<_>>().join(" "),
    };
    if text.trim().is_empty() {
        return Vec::new();
    }
    vec![Mutation {
        action: Action::Execute,
        kind: "unknown".to_owned(),
        subject: Subject::Unknown,
        target: Target { r#type: "command".to_owned(), id: text.clone(), ..Target::default() },
        source: Source::Shell,
        span: Some(Span::new(0, text.len())),
        raw: text,
        rule: RuleRef::default(),
        cause: Cause::Opaque("not interpreted yet".to_owned()),
        context: Context { cwd: vec![context.cwd.clone()], ..Context::default() },
        facts: Facts::new(),
        dependents: Vec::new(),
    }]
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

pub(super) fn assess(mutations: Vec<Mutation>, world: &dyn World, knowledge: &Knowledge) -> Vec<Assessment> {
    let mut session = Session::new();
    mutations
        .into_iter()
        .map(|mutation| {
            let evidence = evidence::collect(&mutation, world, &mut session);
            recoverability::assess(mutation, evidence, knowledge)
        })
        .collect()
}

pub(super) fn together(assessments: &mut [Assessment]) -> Vec<CrossActionRisk> {
    cross_action::examine(assessments)
}
