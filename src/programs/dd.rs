//! `dd`: how much of its output file is overwritten.

use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::{Action, Subject, Value};
use crate::shell::Invocation;
use crate::world::FileKind;

use crate::effects::program::{Change, Draft, Scene, flag};

/// See [`Room::Dd`](crate::knowledge::Room::Dd).
pub(super) struct Dd;

impl super::Program for Dd {
    fn does(&self, scene: &Scene<'_>, invocation: &Invocation, declared: Vec<Draft>) -> Vec<Draft> {
        dd(scene, invocation, declared)
    }
}

/// Changes the draft of the output file by `conv=`, `oflag=`, `seek=` and the input.
fn dd(scene: &Scene<'_>, invocation: &Invocation, drafts: Vec<Draft>) -> Vec<Draft> {
    let matched = &invocation.matched;
    let notrunc = lists(matched, "conv", "notrunc");
    let partial = notrunc || ["seek", "oseek"].iter().any(|key| given(matched, key));
    drafts
        .into_iter()
        .map(|mut draft| {
            let Some(mutation) = &mut draft.mutation else { return draft };
            mutation.action = if partial { Action::Update } else { Action::Replace };
            flag(mutation, "in-place", "written in place");
            if lists(matched, "conv", "excl") {
                flag(mutation, "no-clobber", "an existing file is refused");
            }
            if notrunc && lists(matched, "oflag", "append") {
                flag(mutation, "append", "written at the end");
            }
            let empty = matched.value("count").and_then(Value::as_known) == Some("0")
                || matched.value("if").and_then(Value::as_known) == Some("/dev/null");
            if notrunc && empty {
                flag(mutation, "no-change", "nothing is copied");
            }
            let whole = !["count", "skip", "iseek"].iter().any(|key| given(matched, key)) && !partial;
            if whole
                && let Some(input) = matched.value("if")
                && let Subject::Path(subject) = &mut mutation.subject
            {
                match input.as_known() {
                    Some("/dev/null") => subject.content = Some(String::new()),
                    _ => subject.from = scene.only_path(input),
                }
                let file = |path: &PathBuf| scene.at(path).is_some_and(|seen| seen.kind == FileKind::File);
                if exact(matched)
                    && let (Some(from), Some(to)) =
                        (subject.from.clone().filter(file), subject.path.as_known())
                    && from != Path::new(to)
                {
                    draft.changes.push(Change::Copied { from, to: PathBuf::from(to), packed: true });
                }
            }
            draft
        })
        .collect()
}

/// Whether what is written is what was read, byte for byte.
fn exact(matched: &Match) -> bool {
    let harmless = ["fsync", "fdatasync", "excl"];
    let plain = |value: &Value| {
        value.as_known().is_some_and(|text| text.split(',').all(|part| harmless.contains(&part)))
    };
    matched.values("conv").into_iter().all(plain)
        && ["iflag", "oflag", "cbs"].iter().all(|key| matched.value(key).is_none())
}

/// Whether a list option holds a word; one that is not known may.
fn lists(matched: &Match, key: &str, word: &str) -> bool {
    matched.values(key).into_iter().any(|value| match value.as_known() {
        Some(text) => text.split(',').any(|part| part == word),
        None => false,
    })
}

fn given(matched: &Match, key: &str) -> bool {
    matched.value(key).is_some_and(|value| value.as_known() != Some("0"))
}
