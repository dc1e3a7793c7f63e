//! `rm`: what it refuses by itself, and when it asks.

use crate::knowledge::Match;
use crate::model::{Subject, Value};
use crate::shell::Invocation;

use crate::effects::program::{Draft, Scene, flag};

/// See [`Room::Remove`](crate::knowledge::Room::Remove).
pub(super) struct Remove;

impl super::Program for Remove {
    fn does(&self, _: &Scene<'_>, invocation: &Invocation, declared: Vec<Draft>) -> Vec<Draft> {
        remove(invocation, declared)
    }
}

/// Every `rm` refuses `.` and `..`, also at the end of a longer name.
fn remove(invocation: &Invocation, drafts: Vec<Draft>) -> Vec<Draft> {
    let asks = asks(&invocation.matched);
    drafts
        .into_iter()
        .map(|mut draft| {
            if let Some(mutation) = draft.mutation.as_mut().filter(|_| asks) {
                mutation.context.asks = true;
                flag(mutation, "asks", "asks before it deletes");
            }
            draft
        })
        .filter(|draft| {
            let Some(mutation) = &draft.mutation else { return true };
            let Subject::Path(subject) = &mutation.subject else { return true };
            !matches!(&subject.path, Value::Known(_)) || !is_dots(&subject.shown)
        })
        .collect()
}

/// Most words that `rm -I` deletes without a question, where it does not delete trees.
const UNASKED: usize = 3;

/// Whether it asks: of the options about that the last one wins, and its value decides. A value that is not known may say
/// that it does not.
fn asks(matched: &Match) -> bool {
    let about = ["-i", "-I", "-f", "--interactive"];
    let Some(last) = matched.options.iter().rev().find(|option| about.contains(&option.key.as_str())) else {
        return false;
    };
    let once = || {
        let words = matched.operands("path");
        matched.has("-r") || words.iter().filter(|word| word.value.as_known().is_some()).count() > UNASKED
    };
    match (last.key.as_str(), &last.value) {
        ("-i", _) | ("--interactive", None) => true,
        ("-I", _) => once(),
        ("--interactive", Some(when)) => match when.as_known() {
            Some(when) if !when.is_empty() && ["always", "yes"].iter().any(|word| word.starts_with(when)) => {
                true
            }
            Some(when) if !when.is_empty() && "once".starts_with(when) => once(),
            _ => false,
        },
        _ => false,
    }
}

fn is_dots(shown: &str) -> bool {
    let trimmed = shown.trim_end_matches('/');
    matches!(trimmed.rsplit('/').next(), Some("." | ".."))
}
