//! Cargo: aliases of its configuration.

use std::path::Path;

use serde_json::Value as Json;

use crate::knowledge::from_toml;
use crate::model::Value;
use crate::shell::program::{Arg, Call, Expansion, Instead, Run, Shell, State};

/// See [`Room::Cargo`](crate::knowledge::Room::Cargo).
pub(super) struct Cargo;

impl super::Program for Cargo {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        cargo_alias(shell, state, run.call).map(Instead::Words)
    }
}

/// `cargo NAME`, where the project or the person gave a command line a name.
fn cargo_alias(shell: &Shell<'_>, state: &State, call: &Call) -> Option<Call> {
    let at = call
        .words
        .iter()
        .skip(1)
        .position(|word| word.arg.value.as_known().is_none_or(|text| !text.starts_with(['-', '+'])))?
        + 1;
    let name = call.words.get(at)?.arg.value.as_known().filter(|_| state.scope.host.is_none())?;
    let cwd = state.only_cwd()?;
    let home = shell.world.home(None);
    let dirs = cwd.ancestors().map(Path::to_path_buf).chain(home);
    let files = dirs.flat_map(|dir| [dir.join(".cargo/config.toml"), dir.join(".cargo/config")]);
    for file in files {
        let Some(text) = shell.read_text(state, &file, shell.options.limits.script_bytes) else { continue };
        let Some(config) = from_toml(&text) else { continue };
        let words: Vec<String> = match config.get("alias").and_then(|all| all.get(name)) {
            Some(Json::String(text)) => text.split_whitespace().map(str::to_owned).collect(),
            Some(Json::Array(all)) => all.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect(),
            _ => continue,
        };
        if words.first().is_none_or(|first| first == name) {
            return None;
        }
        let mut call = call.clone();
        let words = words.into_iter().map(|word| Expansion {
            arg: Arg { value: Value::Known(word), span: call.span, explicit: false },
            elastic: false,
            unordered: false,
        });
        let words = words.collect::<Vec<_>>();
        call.words.splice(at..=at, words);
        return Some(call);
    }
    None
}
