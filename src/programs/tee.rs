//! `… f | tee f`: whether `f` is read before or after it is emptied is open.

use crate::model::Value;
use crate::shell::program::{Call, Expansion, Instead, Run, Shell, State, Stdin};

/// See [`Room::Tee`](crate::knowledge::Room::Tee).
pub(super) struct Tee;

impl super::Program for Tee {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        let empties = |word: &Expansion| {
            let path = shell.absolute(state, &word.arg.value);
            path.is_none_or(|path| shell.exists(state, &path) != Some(false))
        };
        let races = state.scope.piped && run.call.arguments().iter().any(empties);
        races.then_some(Instead::Input(Stdin::Unknown))
    }

    fn prints(&self, shell: &Shell<'_>, state: &State, _: &str, call: &Call) -> Option<Value> {
        let texts = call.texts()?;
        let mut options = texts.iter().filter(|text| text.len() > 1 && text.starts_with('-'));
        let plain = options.all(|option| *option == "-a") && state.scope.host.is_none();
        if plain { shell.stdin_text(state, &state.stdin) } else { None }
    }
}
