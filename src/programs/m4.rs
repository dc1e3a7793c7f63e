//! `m4`: macros that run commands, defined among the words.

use crate::shell::program::{Flow, Run, Shell, State};

use super::words::opaque;

/// See [`Room::M4`](crate::knowledge::Room::M4).
pub(super) struct M4;

impl super::Program for M4 {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let words = run.call.arguments().iter().filter_map(|word| word.arg.value.as_known());
        if words.into_iter().any(|word| word.contains("syscmd")) {
            opaque(shell, state, run.call, "an m4 macro that runs commands is defined");
        }
        None
    }
}
