//! The question to a person before something runs, and what they are told about it.

use std::path::Path;

use crate::evaluate::Evaluation;
use crate::model::Verdict;
use crate::policy::Profile;
use crate::prompt::{self, Decision, Keeps, Question};
use crate::proof::Standing;
use crate::report::render;
use crate::text::escape;

use super::allowed::{self, Exactly};
use super::always;
use super::case::{Answer, Case};
use super::{Surroundings, looks, say};

/// Why there is nobody to ask.
pub(super) fn nobody_to_ask(profile: Profile) -> Option<String> {
    if profile != Profile::Human || !prompt::available() {
        return Some("there is no terminal to ask at".to_owned());
    }
    prompt::doubt().map(|doubt| doubt.to_string())
}

/// Says what it would cost, why nothing of that is kept where that was tried, and when the attested verdict is worse than
/// what this machine found.
pub(super) fn explain(case: &Case<'_>, standing: Option<&Standing>, around: &Surroundings<'_>) {
    say(render(&case.first.evaluation.report, case.text, around.style).trim_end());
    for note in case.first.failed().into_iter().chain(attested_note(case, standing)) {
        say(&format!("recourse: {}", escape(&note)));
    }
}

fn attested_note(case: &Case<'_>, standing: Option<&Standing>) -> Option<String> {
    if let Some(failure) = standing.and_then(|standing| standing.failed.as_ref()) {
        return Some(format!("its attestation could not be verified: {failure}"));
    }
    let attested = standing?.attested.filter(|attested| *attested > case.first.evaluation.verdict())?;
    Some(format!("the attested verdict is {}, and no approval of it was given", attested.as_str()))
}

/// Name of the first blocked target, which a person types to override `block`.
pub(super) fn blocked_target(evaluation: &Evaluation) -> Option<String> {
    let judged = evaluation.assessments.iter().zip(&evaluation.report.mutations);
    let (_, said) = judged.into_iter().find(|(judged, _)| judged.verdict == Verdict::Block)?;
    let name = said.intent.target.name.as_deref().unwrap_or(&said.intent.target.id);
    // Only what can be typed and read plainly.
    (!name.is_empty() && name.len() <= 200 && escape(name) == name).then(|| name.to_owned())
}

/// Asks at the terminal. With `exactly`, it can be allowed for a while; with `name`, the person has to type exactly that to run it.
pub(super) fn ask(
    case: &Case<'_>,
    standing: Option<&Standing>,
    around: &Surroundings<'_>,
    exactly: Option<&Exactly>,
    name: Option<&str>,
) -> Answer {
    let mut offer = case.first.offer(around);
    let looks = looks::offered(&case.first.evaluation, around);
    let shown: Vec<String> = looks.iter().map(|look| shell_words::join(&look.verification.argv)).collect();
    // What could not be verified is decided each time.
    let unverified = standing.is_some_and(|standing| standing.failed.is_some());
    let lasting = always::lasting(&case.first.evaluation, around).filter(|_| name.is_none() && !unverified);
    loop {
        let notes: Vec<String> =
            case.first.failed().into_iter().chain(attested_note(case, standing)).collect();
        let note = notes.join("; ");
        let keeps = offer.as_ref().map(|offer| Keeps {
            all: offer.without.is_empty(),
            without: &offer.without,
            suffices: name.is_none() || offer.verdict < Verdict::Block,
        });
        let question = Question {
            note: (!note.is_empty()).then_some(note.as_str()),
            typed: name,
            replaceable: case.replaceable,
            allowable: exactly.map(|_| allowed::WHILE),
            lasting: lasting.as_ref(),
            keeps,
            looks: &shown,
            ..Question::new(&case.first.evaluation.report, case.text, &around.context.cwd)
        };
        match decide(&question) {
            Some(Decision::Run) => {
                // What is blocked is lost for good when the person errs: what can be kept is, though it was not asked for.
                if name.is_some() && offer.is_some() {
                    case.first.keep_some(around);
                }
                return case.answered(if name.is_some() { "typed the name" } else { "yes" }, Answer::Yes);
            }
            Some(Decision::KeepThenRun) => match case.first.keep_now(around) {
                Ok(()) => return case.answered("keep, then run", Answer::Yes),
                // It was to be kept and is not: that is another question.
                Err(_) => offer = None,
            },
            Some(Decision::AllowFor(time)) => {
                if let Some(exactly) = exactly {
                    exactly.allow(case, around, time);
                }
                case.first.keep_some(around);
                return case.answered("yes, and for a while", Answer::Yes);
            }
            Some(Decision::Look) => return Answer::Look(looks),
            Some(Decision::Always) => {
                if let Some(Err(error)) = lasting.as_ref().map(always::write) {
                    say(&format!("recourse: no rule was written: {}", escape(&error)));
                }
                case.first.keep_some(around);
                return case.answered("yes, and always", Answer::Yes);
            }
            Some(Decision::RunInstead(text) | Decision::Edited(text)) => {
                return case.answered("another command instead", Answer::Instead(text));
            }
            Some(Decision::Abort(_)) => return case.answered("no", Answer::No),
            None => return case.answered("nobody to ask", Answer::No),
        }
    }
}

/// Asks whether to run what could not be judged.
pub(super) fn confirm_unjudged(evaluation: &Evaluation, cwd: &Path, why: &str) -> bool {
    let question = Question { note: Some(why), ..Question::new(&evaluation.report, None, cwd) };
    matches!(decide(&question), Some(Decision::Run))
}

/// Asks for a yes to what nothing stands against.
pub(super) fn confirm(evaluation: &Evaluation, around: &Surroundings<'_>) -> bool {
    let question = Question::new(&evaluation.report, None, &around.context.cwd);
    matches!(decide(&question), Some(Decision::Run))
}

/// A terminal that fails is a no.
fn decide(question: &Question<'_>) -> Option<Decision> {
    let decision = prompt::decide(question);
    if let Err(error) = &decision {
        say(&format!("recourse: refused: nobody could be asked: {}", escape(&error.to_string())));
    }
    decision.ok()
}
