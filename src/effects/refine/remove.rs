//! `rm`: what it refuses by itself.

use crate::model::{Subject, Value};

use super::super::draft::Draft;

/// Every `rm` refuses `.` and `..`, also at the end of a longer name.
pub(super) fn remove(drafts: Vec<Draft>) -> Vec<Draft> {
    drafts
        .into_iter()
        .filter(|draft| {
            let Some(mutation) = &draft.mutation else { return true };
            let Subject::Path(subject) = &mutation.subject else { return true };
            !matches!(&subject.path, Value::Known(_)) || !is_dots(&subject.shown)
        })
        .collect()
}

fn is_dots(shown: &str) -> bool {
    let trimmed = shown.trim_end_matches('/');
    matches!(trimmed.rsplit('/').next(), Some("." | ".."))
}
