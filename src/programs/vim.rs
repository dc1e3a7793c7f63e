//! `vim +COMMAND`, in all its names.

use crate::shell::program::{Flow, Run, Shell, State};

use super::words::plus_words;

/// See [`Room::Vim`](crate::knowledge::Room::Vim).
pub(super) struct Vim;

impl super::Program for Vim {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let inner = state.scope.through(run.name);
        state.within(&inner, |state| plus_words(shell, state, run.call, "vim"));
        None
    }
}
