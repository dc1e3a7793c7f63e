//! What Terraform runs while it plans: programs of `external` data, as the configuration names them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::code::{hcl, hcl_json};
use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Arg, Call, Expansion, Flow, Run, Shell, State, StepKind};

/// See [`Room::Terraform`](crate::knowledge::Room::Terraform).
pub(super) struct Terraform;

impl super::Program for Terraform {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        planned(shell, state, run.call, run.matched);
        None
    }
}

/// Folders of configuration that are looked at.
const FOLDERS: usize = 64;
/// Entries of one folder.
const ENTRIES: usize = 2000;
/// Bytes of a file.
const BYTES: u64 = 1 << 20;

/// Follows what a plan runs before anybody has seen it.
pub(super) fn planned(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) {
    let plans = matched
        .path
        .get(1)
        .is_some_and(|name| matches!(name.as_str(), "plan" | "refresh" | "console" | "import" | "test"));
    if !plans || matched.informational || state.scope.host.is_some() {
        return;
    }
    let Some(root) = configuration(shell, state, matched) else { return };
    let mut pending = vec![root.clone()];
    let mut seen = BTreeSet::new();
    let inner = state.scope.through("terraform");
    while let Some(folder) = pending.pop() {
        if seen.len() >= FOLDERS {
            let reason = "Terraform reads more modules than are looked at".to_owned();
            shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
            return;
        }
        if !seen.insert(folder.clone()) {
            continue;
        }
        for entry in shell.list(state, &folder, ENTRIES).unwrap_or_default() {
            let json = entry.name.ends_with(".tf.json");
            if !json && !entry.name.ends_with(".tf") && !entry.name.ends_with(".tofu") {
                continue;
            }
            let Some(text) = shell.read_text(state, &folder.join(&entry.name), BYTES) else {
                let reason = "a file of Terraform's configuration cannot be read".to_owned();
                shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
                continue;
            };
            if !text.contains("external") && !text.contains("module") {
                continue;
            }
            let found = if json { hcl_json(&text) } else { hcl(&text, &folder.to_string_lossy()) };
            for words in found.programs {
                state.within(&inner, |state| data_program(shell, state, call, &root, &words));
            }
            pending.extend(
                found.modules.iter().filter_map(|module| shell.resolved(state, &folder.join(module))),
            );
        }
    }
}

/// The folder that the configuration stands in.
fn configuration(shell: &Shell<'_>, state: &State, matched: &Match) -> Option<PathBuf> {
    match matched.value("-chdir") {
        Some(dir) => shell.absolute(state, dir),
        None => state.only_cwd().map(Path::to_path_buf),
    }
}

fn data_program(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    root: &Path,
    words: &[Option<String>],
) {
    let words: Vec<Expansion> = match words {
        [] => vec![Value::Unknown],
        words => words.iter().map(|word| word.clone().map_or(Value::Unknown, Value::Known)).collect(),
    }
    .into_iter()
    .map(|value| Expansion {
        arg: Arg { value, span: call.span, explicit: false },
        elastic: false,
        unordered: false,
    })
    .collect();
    let before = std::mem::replace(&mut state.cwd, vec![root.to_owned()]);
    shell.program(state, words, call.span);
    state.cwd = before;
}
