//! A report about a text that was brought over from another shell's syntax speaks of what was typed.

use crate::model::Verdict;
use crate::syntax::aligned::Aligned;

use super::contract::ConsequenceReport;

/// Stands for what is not known.
const HOLE: &str = "…";

impl ConsequenceReport {
    /// From now on spans and quoted parts are those of the typed text.
    pub fn speak_of(&mut self, aligned: &Aligned<'_>) {
        for mutation in &mut self.mutations {
            let intent = &mut mutation.intent;
            if let Some(span) = &mut intent.span {
                intent.raw = self.secrets.mask(aligned.text(*span)).into_owned();
                *span = aligned.typed(*span);
            }
        }
    }

    /// What is not known by name is called by its words in the text.
    pub fn call_by_words(&mut self, text: &str) {
        for mutation in self.mutations.iter_mut().filter(|one| one.verdict != Some(Verdict::Block)) {
            let target = &mut mutation.intent.target;
            let word = mutation.intent.span.and_then(|span| text.get(span.start..span.end));
            let Some(word) =
                word.filter(|word| target.id == HOLE && word.len() <= 60 && !word.contains('\n'))
            else {
                continue;
            };
            let word = self.secrets.mask(word).into_owned();
            let named = |said: &mut String| {
                if let Some(rest) = said.strip_prefix(HOLE) {
                    *said = format!("{word}{rest}");
                }
            };
            if self.assessment_reason.strip_suffix(" could not be looked at").is_some_and(|what| what == HOLE)
            {
                named(&mut self.assessment_reason);
            }
            named(&mut mutation.recoverability.reasoning);
            mutation.missing_evidence.iter_mut().for_each(|missing| named(&mut missing.description));
            target.name = Some(word);
        }
    }
}
