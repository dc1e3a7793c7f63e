//! Submodules, where an act on the outer repository goes on in them (`--recurse-submodules`, `submodule.recurse`).
//!
//! The same act is asked of each as if git had been called there: what is checked out in them is set to what the outer
//! repository wants, whatever was changed.

use std::path::{Path, PathBuf};

use crate::model::{Fact, FactValue, Mutation, Subject, Value};
use crate::world::git_dir;

use super::index::IndexEntry;
use super::look::Look;

/// Facts that are about the outer repository alone.
const OUTER: [&str; 7] =
    ["source", "maybe-source", "no-overlay", "git-dir", "work-tree", "source-unknown", "prefix"];

/// Whether the act goes on in submodules.
pub(super) fn goes_on(look: &Look<'_>) -> bool {
    match look.mutation.facts.get("submodules").map(|fact| &fact.value) {
        Some(FactValue::Bool(said)) => *said,
        _ => look.config_is("submodule.recurse", false),
    }
}

/// Whether an entry of the index stands for a submodule.
pub(super) fn is_one(entry: &IndexEntry) -> bool {
    entry.mode >> 12 == 0o16
}

/// The act as it goes on in the submodule at a place.
pub(super) fn act(outer: &Mutation, place: &Path) -> Mutation {
    let mut inner = outer.clone();
    for key in OUTER {
        inner.facts.remove(key);
    }
    for key in ["whole", "submodules"] {
        let says = Fact::new(FactValue::Bool(true), "the act goes on in submodules");
        inner.facts.insert(key.to_owned(), says);
    }
    if let Subject::Git { dir, names, .. } = &mut inner.subject {
        *dir = Value::known(place.to_string_lossy());
        names.clear();
    }
    inner
}

/// Whether what was found from a place is the repository that stands there, and not the one around it.
pub(super) fn is_there(look: &Look<'_>, place: &Path) -> bool {
    let place = look.world.canonicalize(place).unwrap_or_else(|_| place.to_owned());
    look.repo.work_tree() == Some(place.as_path())
}

/// Where the submodules at or below a place have their settings.
pub(super) fn settings(look: &Look<'_>, place: &Path) -> Result<Vec<PathBuf>, String> {
    let Some(top) = look.repo.work_tree() else { return Ok(Vec::new()) };
    let index = look.repo.index(look.world)?;
    let mut found = Vec::new();
    for entry in index.entries().iter().filter(|entry| is_one(entry)) {
        let Ok(name) = std::str::from_utf8(index.path(entry)) else { continue };
        let tree = top.join(name);
        if !tree.starts_with(place) {
            continue;
        }
        if let Some(inner) = git_dir::locate(look.world, &tree).map_err(|error| error.to_string())?
            && inner.git_dir != look.repo.place().git_dir
        {
            found.push(inner.git_dir.join("config"));
        }
    }
    Ok(found)
}
