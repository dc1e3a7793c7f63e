//! A repository that the same command makes: what it takes of the working tree are files of a plain directory, and what it
//! would hold of them may go with it.

use std::path::{Path, PathBuf};

use crate::model::{Action, Evidence, FactValue, Mutation, PathSubject, Subject, Value};

use super::look::has_fact;

/// Fact of an act in such a repository.
pub const MADE_HERE: &str = "repository.made-here";

/// What an act reaches that runs in `dir` of a repository with this top: what it names, or all of it.
pub(super) fn reached(mutation: &Mutation, (top, dir): (&Path, &Path)) -> Vec<PathBuf> {
    let whole = || vec![if mutation.kind == "git.untracked" { dir } else { top }.to_owned()];
    let Subject::Git { names, .. } = &mutation.subject else { return whole() };
    let plain = |name: &Value| {
        let name = name.as_known()?;
        let path = Path::new(name);
        let below = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        (below && !name.contains(['*', '?', '[', ':', '\\'])).then(|| dir.join(path))
    };
    let named: Option<Vec<PathBuf>> = names.iter().map(plain).collect();
    let by_name = has_fact(mutation, "removes") || mutation.kind == "git.untracked";
    match named {
        Some(named) if by_name && !named.is_empty() => named,
        _ => whole(),
    }
}

/// Says that an earlier step makes the repository with this top.
pub(super) fn note(top: &Path, evidence: &mut Evidence) {
    let top = FactValue::Text(top.to_string_lossy().into_owned());
    evidence.fact(MADE_HERE, top, "an earlier step of this command makes the repository");
}

/// The removal of all that stands at a place.
pub(super) fn tree(mutation: &Mutation, place: &Path) -> Mutation {
    let mut subject = PathSubject::new(Value::known(place.to_string_lossy()), place.to_string_lossy());
    subject.recursive = true;
    let subject = Subject::Path(subject);
    Mutation { action: Action::Delete, kind: "tree".to_owned(), subject, ..mutation.clone() }
}
