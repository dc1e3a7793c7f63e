//! `split` and `csplit`: names made by counting up from the first one.

use std::path::PathBuf;

use crate::model::{Subject, Value};

use super::super::draft::Draft;
use super::super::paths::text_of;
use super::super::scene::Scene;

/// The declared draft names the first piece; every further piece that exists already is overwritten too.
pub(super) fn split(scene: &Scene<'_>, drafts: Vec<Draft>) -> Vec<Draft> {
    let mut all = Vec::new();
    for draft in drafts {
        let more = draft.mutation.as_ref().map_or_else(Vec::new, |mutation| {
            let Subject::Path(subject) = &mutation.subject else { return Vec::new() };
            let Some(path) = subject.path.as_known() else { return Vec::new() };
            further(path)
                .into_iter()
                .filter(|path| scene.at(path).is_some())
                .map(|path| {
                    let mut other = mutation.clone();
                    let text = text_of(&path);
                    if let Subject::Path(subject) = &mut other.subject {
                        subject.shown.clone_from(&text);
                        subject.path = Value::Known(text.clone());
                        subject.explicit = false;
                    }
                    other.target.id = text;
                    other.target.name = None;
                    Draft::of(other)
                })
                .collect()
        });
        all.push(draft);
        all.extend(more);
    }
    all
}

/// The names behind `…aa` or `…00`.
fn further(first: &str) -> Vec<PathBuf> {
    let (Some(base), letters) = (first.get(..first.len().saturating_sub(2)), first.ends_with("aa")) else {
        return Vec::new();
    };
    let digits: Vec<char> = if letters { ('a'..='z').collect() } else { ('0'..='9').collect() };
    digits
        .iter()
        .flat_map(|a| digits.iter().map(move |b| format!("{base}{a}{b}")))
        .filter(|name| name != first)
        .map(PathBuf::from)
        .collect()
}
