//! The stages, wired.
//!
//! TEMPORARY: until interpretation lands every command is of unknown reach.

use crate::evidence::{self, Session};
use crate::knowledge::Knowledge;
use crate::model::{
    Action, Assessment, Cause, Context, CrossActionRisk, Facts, Mutation, Recoverability, RecoverySource,
    RuleRef, Source, Span, Subject, Target, Tier, Verdict,
};
use crate::shell;
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

pub(super) fn assess(mutations: Vec<Mutation>, world: &dyn World, _knowledge: &Knowledge) -> Vec<Assessment> {
    let mut session = Session::new();
    mutations
        .into_iter()
        .map(|mutation| {
            let evidence = evidence::collect(&mutation, world, &mut session);
            Assessment {
                evidence,
                mutation,
                recoverability: Recoverability {
                    tier: Tier::NeedsReview,
                    reasoning: "what this does is not known".to_owned(),
                    source: RecoverySource::Classifier,
                    confidence: 0,
                },
                harmless: false,
                recovery: Vec::new(),
                alternatives: Vec::new(),
                verdict: Verdict::Escalate,
                message: None,
            }
        })
        .collect()
}

pub(super) fn together(_assessments: &mut [Assessment]) -> Vec<CrossActionRisk> {
    Vec::new()
}
