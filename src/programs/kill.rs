//! `kill`, `pkill`, `killall`: jobs that never finish, and a shell that ends itself.

use crate::shell::program::{Call, Flow, Instead, OWN_PROCESS, Run, Shell, State};

/// See [`Room::Kill`](crate::knowledge::Room::Kill).
pub(super) struct Kill;

impl super::Program for Kill {
    fn begins(&self, _: &mut Shell<'_>, state: &mut State, _: &Run<'_>) -> Option<Instead> {
        state.files.forget_unfinished();
        None
    }

    fn runs(&self, shell: &mut Shell<'_>, _: &mut State, run: &Run<'_>) -> Option<Flow> {
        (run.name == "kill" && kills_shell(shell, run.call)).then_some(Flow::Exit)
    }
}

/// `kill $$`: what follows never runs. A shell at a prompt ignores the mild signals.
fn kills_shell(shell: &Shell<'_>, call: &Call) -> bool {
    let Some(texts) = call.texts() else { return false };
    let own = texts.contains(&OWN_PROCESS);
    let hard = texts.iter().any(|t| matches!(*t, "-9" | "-KILL" | "-SIGKILL" | "-HUP" | "-1"));
    let named = texts.iter().any(|t| t.starts_with('-'));
    own && (hard || (!named && !shell.options.interactive))
}
