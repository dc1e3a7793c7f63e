//! What the whole pipeline makes of an example: mutations as `action kind target`, in an empty world.

use crate::effects::WorldLook;
use crate::evaluate::{Evaluation, EvaluationContext, Input, Supplied, evaluate};
use crate::knowledge::Knowledge;
use crate::model::{Mutation, Subject};
use crate::policy::Policy;
use crate::programs;
use crate::shell;
use crate::world::MemoryWorld;

/// What a shell text does, up to its effects.
pub(super) fn of_text(text: &str, knowledge: &Knowledge) -> Vec<String> {
    let world = MemoryWorld::new();
    let look = WorldLook::new(&world);
    let mut collect = programs::collect(knowledge, &look);
    let input = shell::Input::Text(text.to_owned());
    programs::interpret(&input, &world, knowledge, &shell::Options::fresh("/work"), &mut collect);
    collect.mutations.iter().map(shown).collect()
}

/// What comes of an input, judged from end to end.
pub(super) fn judged(input: Input, cwd: &str, knowledge: &Knowledge) -> Evaluation {
    let context =
        EvaluationContext { cwd: cwd.into(), supplied: Supplied::default(), ..EvaluationContext::default() };
    evaluate(input, &context, &MemoryWorld::new(), knowledge, &Policy::default())
}

/// The mutations of an evaluation.
pub(super) fn mutations(done: &Evaluation) -> Vec<String> {
    done.assessments.iter().map(|judged| shown(&judged.mutation)).collect()
}

fn shown(mutation: &Mutation) -> String {
    let target = match &mutation.subject {
        Subject::Path(path) => path.shown.clone(),
        _ => mutation.target.name.clone().unwrap_or_else(|| mutation.target.id.clone()),
    };
    format!("{} {} {target}", action(mutation.action), mutation.kind).trim().to_owned()
}

/// An action as the files write it.
pub(super) fn action(action: crate::model::Action) -> String {
    format!("{action:?}").to_lowercase()
}

/// Whether these mutations were found and, unless others speak of the same as well, no more.
pub(super) fn agree(found: &[String], expected: &[String], more: bool) -> bool {
    let mut left = found.to_vec();
    for wanted in expected {
        let Some(at) = left.iter().position(|one| one == wanted) else { return false };
        left.remove(at);
    }
    more || left.is_empty()
}

/// Mutations in a sentence.
pub(super) fn told(list: &[String]) -> String {
    if list.is_empty() {
        return "nothing".to_owned();
    }
    list.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ")
}
