//! `screen -X`: commands for a session that somebody else looks at.

use crate::shell::program::{Flow, Run, Shell, State};

use super::words::opaque;

/// See [`Room::Screen`](crate::knowledge::Room::Screen).
pub(super) struct Screen;

impl super::Program for Screen {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let mut words = run.call.arguments().iter().filter_map(|word| word.arg.value.as_known());
        let sends = |word| matches!(word, "stuff" | "exec" | "screen" | "eval" | "source");
        if run.matched.has("-X") && words.any(sends) {
            opaque(shell, state, run.call, "commands are sent to another session");
        }
        None
    }
}
