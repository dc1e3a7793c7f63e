//! What a report suggests instead is judged like any command: only what is milder is suggested.

use std::path::Path;

use crate::model::{Assessment, Subject};
use crate::shell::Input;
use crate::world::{FileKind, World};

use super::supplied::Bar;
use super::{EvaluationContext, stages};
use crate::knowledge::Knowledge;

/// Suggestions that are judged in one evaluation: nobody reads more of them.
const JUDGED: usize = 12;

/// Takes away what would cost as much as what it is to replace, and what needs a program that is not here.
pub(super) fn keep_only_milder(
    assessments: &mut [Assessment],
    context: &EvaluationContext,
    bar: Bar,
    world: &dyn World,
    knowledge: &Knowledge,
) {
    let mut judged = 0;
    for assessment in assessments {
        // Of what is not a path, the suggestions are looks, which the knowledge's own tests judge.
        if !matches!(assessment.mutation.subject, Subject::Path(_)) {
            continue;
        }
        let tier = assessment.recoverability.tier.severity();
        assessment.alternatives.retain(|other| {
            judged += 1;
            if judged > JUDGED || is_missing(&other.command, world) {
                return false;
            }
            let input = Input::Text(other.command.clone());
            let mut told = stages::Told::default();
            let mutations = stages::shell(&input, context, world, knowledge, &mut told);
            let found = stages::assess(mutations, told.named, context, bar, world, knowledge);
            found.iter().all(|one| one.recoverability.tier.severity() < tier.min(4))
        });
    }
}

/// Whether a suggestion rests on a program that has to be installed first, and is not.
fn is_missing(command: &str, world: &dyn World) -> bool {
    let Some(program) = command.split(' ').next().filter(|program| *program == "trash-put") else {
        return false;
    };
    let there =
        |dir: &str| world.stat(&Path::new(dir).join(program)).is_ok_and(|meta| meta.kind == FileKind::File);
    !world.env("PATH").is_some_and(|path| path.split(':').any(there))
}
