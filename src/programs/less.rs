//! `less +COMMAND`, and other pagers.

use crate::shell::program::{Flow, Run, Shell, State};

use super::words::plus_words;

/// See [`Room::Less`](crate::knowledge::Room::Less).
pub(super) struct Less;

impl super::Program for Less {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        // Editors and viewers that share the declaration take `+LINE`.
        if !matches!(run.name, "less" | "more" | "most" | "zless" | "bzless" | "xzless" | "lv") {
            return None;
        }
        let inner = state.scope.through(run.name);
        state.within(&inner, |state| plus_words(shell, state, run.call, "less"));
        None
    }
}
