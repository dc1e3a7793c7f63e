//! Workspaces of a JavaScript project: the directories in which a package manager runs a script.

use std::path::{Path, PathBuf};

use crate::model::Value;
use crate::shell::program::{Call, Shell, State};

/// Most workspaces that are followed.
const MOST: usize = 64;

/// The packages that are meant: those of these names or directories, all when none is named. `None` when one of them is
/// not found, or more may be meant than can be told.
pub(super) fn workspaces(
    shell: &Shell<'_>,
    state: &State,
    directory: Option<&str>,
    named: &[&str],
) -> Option<Vec<PathBuf>> {
    let from = match directory {
        Some(dir) => shell.directories(state, &Value::known(dir)).into_iter().next()?,
        None => state.only_cwd()?.to_path_buf(),
    };
    let root = from
        .ancestors()
        .find(|dir| package(shell, state, dir).is_some_and(|package| package.get("workspaces").is_some()));
    let all = root.and_then(|root| members(shell, state, root));
    if named.is_empty() {
        return all;
    }
    let mut found = Vec::new();
    for name in named {
        let place = from.join(name);
        let of_name = |dir: &&PathBuf| {
            let package = package(shell, state, dir);
            package.is_some_and(|package| package.get("name").and_then(|name| name.as_str()) == Some(*name))
        };
        let below = |dir: &&PathBuf| dir.starts_with(&place);
        let members = all.as_deref().unwrap_or_default();
        let mut these: Vec<PathBuf> = members.iter().filter(of_name).cloned().collect();
        if these.is_empty() && package(shell, state, &place).is_some() {
            these.push(place.clone());
        }
        if these.is_empty() {
            these.extend(members.iter().filter(below).cloned());
        }
        if these.is_empty() {
            return None;
        }
        found.extend(these);
    }
    Some(found)
}

fn package(shell: &Shell<'_>, state: &State, dir: &Path) -> Option<serde_json::Value> {
    let text = shell.read_text(state, &dir.join("package.json"), shell.options.limits.script_bytes)?;
    serde_json::from_str(&text).ok()
}

/// All packages that the root's patterns name: a directory, or all directories in one.
fn members(shell: &Shell<'_>, state: &State, root: &Path) -> Option<Vec<PathBuf>> {
    let package = package(shell, state, root)?;
    let listed = package.get("workspaces")?;
    let patterns = listed.as_array().or_else(|| listed.get("packages")?.as_array())?;
    let mut found = Vec::new();
    for pattern in patterns {
        let pattern = pattern.as_str()?.trim_start_matches("./").trim_end_matches('/');
        match pattern.strip_suffix("/*") {
            Some(above) if !above.contains(['*', '?', '[', '{', '!']) => {
                let dir = root.join(above);
                let entries = shell.list(state, &dir, 4096)?;
                found.extend(entries.into_iter().map(|entry| dir.join(entry.name)));
            }
            None if !pattern.contains(['*', '?', '[', '{', '!']) => found.push(root.join(pattern)),
            _ => return None,
        }
    }
    found.retain(|dir| shell.exists(state, &dir.join("package.json")) == Some(true));
    (found.len() <= MOST).then_some(found)
}

/// The call as it stands for one package: without the words that choose packages.
pub(super) fn own_words(call: &Call) -> Call {
    let mut kept = Vec::new();
    let mut words = call.words.iter();
    while let Some(word) = words.next() {
        match word.arg.value.as_known() {
            Some("--") => {
                kept.push(word.clone());
                kept.extend(words.by_ref().cloned());
            }
            Some("-w" | "--workspace" | "--filter" | "-F" | "--prefix" | "-C" | "--dir" | "--cwd") => {
                words.next();
            }
            Some("-r" | "--recursive" | "--workspaces" | "-ws") => {}
            Some(text)
                if ["--workspace=", "--filter=", "--prefix="].iter().any(|one| text.starts_with(one)) => {}
            _ => kept.push(word.clone()),
        }
    }
    Call { words: kept, ..call.clone() }
}
