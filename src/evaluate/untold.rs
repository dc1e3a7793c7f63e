//! What somebody else may not be told: text that stands in a file of this machine and nowhere in what was asked.
//!
//! Files are followed and lists are read to judge what would happen; a report then names places, and not what the files hold.
//! A name is told if it was asked with, or if something of that name stands here.

use std::path::Path;

use crate::knowledge::Knowledge;
use crate::model::{Assessment, FactValue, Secrets};
use crate::world::World;

use super::once::Once;
use super::{EvaluationContext, Input};

/// Adds to `secrets` what the assessments would say of files' contents. Nothing, unless somebody else asks.
pub(super) fn hide(
    assessments: &[Assessment],
    input: &Input,
    context: &EvaluationContext,
    once: &Once<'_>,
    knowledge: &Knowledge,
    secrets: &mut Secrets,
) {
    if !once.is_for_others() || once.has_read_nothing() {
        return;
    }
    let untold = Untold { asked: asked(input, context), context, once };
    for judged in assessments {
        let target = &judged.mutation.target;
        let dependents = judged.mutation.dependents.iter().map(|dependent| dependent.id.as_str());
        let ids = [Some(target.id.as_str()), target.name.as_deref()].into_iter().flatten().chain(dependents);
        ids.for_each(|id| untold.name(id, secrets));
        let items = judged.evidence.items.iter();
        for value in items.filter_map(|item| item.value.as_ref()) {
            if let FactValue::Text(text) = value {
                untold.name(text, secrets);
            }
        }
        // What a followed file says is quoted where something is said of its words.
        if judged.mutation.context.via.is_empty() {
            continue;
        }
        let missing = judged.evidence.missing.iter().map(|missing| &missing.description);
        let said = judged.evidence.items.iter().map(|item| &item.description).chain(missing);
        let said = said.chain([&judged.recoverability.reasoning]).chain(&judged.recovery);
        let quoted = said.flat_map(|text| text.split('`').skip(1).step_by(2));
        for text in quoted.chain(judged.alternatives.iter().map(|other| other.command.as_str())) {
            let words = text.split([' ', '\'', '"', '\n', '\t', '=']);
            words
                .filter(|word| !word.starts_with('-') && knowledge.tool(word).is_none())
                .for_each(|word| untold.name(word, secrets));
        }
    }
}

/// All that the caller has said.
fn asked(input: &Input, context: &EvaluationContext) -> String {
    let words = match input {
        Input::Terraform { plan, .. } => format!("{plan:?}"),
        other => other.shown(),
    };
    format!("{words}\n{}\n{:?}", context.cwd.display(), context.supplied)
}

struct Untold<'a> {
    asked: String,
    context: &'a EvaluationContext,
    once: &'a Once<'a>,
}

impl Untold<'_> {
    /// A text that stands for something: hidden as it is, and as the part of it that no file here is called.
    fn name(&self, text: &str, secrets: &mut Secrets) {
        if !self.holds(text) {
            return;
        }
        let path = self.context.cwd.join(text);
        if self.once.lstat(&path).is_ok() {
            return;
        }
        let there = path.ancestors().skip(1).find(|above| self.once.lstat(above).is_ok());
        let rest = there.and_then(|there| path.strip_prefix(there).ok()).map(Path::to_string_lossy);
        secrets.add_name(text);
        for part in rest.iter().flat_map(|rest| [rest.as_ref(), rest.rsplit('/').next().unwrap_or(rest)]) {
            if self.holds(part) {
                secrets.add_name(part);
            }
        }
    }

    /// Whether a word of it stands in a file that was read, and not in what was asked.
    fn holds(&self, text: &str) -> bool {
        super::once::words(text).any(|word| self.once.has_read(word) && !self.asked.contains(word))
    }
}
