//! `rg --pre PROGRAM`: the program is given each file.

use crate::model::Value;
use crate::shell::program::{Call, Flow, Run, Shell, State};

use super::searched;
use super::words::word;

/// See [`Room::Ripgrep`](crate::knowledge::Room::Ripgrep).
pub(super) struct Ripgrep;

impl super::Program for Ripgrep {
    fn prints(&self, shell: &Shell<'_>, state: &State, _: &str, call: &Call) -> Option<Value> {
        searched::with_text(shell, state, call)
    }

    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let program = run.matched.value("--pre")?;
        let words = [program.clone(), Value::Unknown].map(|value| word(value, run.call));
        let inner = state.scope.through(run.name);
        state.within(&inner, |state| shell.program(state, words.to_vec(), run.call.span));
        None
    }
}
