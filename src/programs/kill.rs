//! `kill`, `pkill`, `killall`: jobs that never finish, and a shell that ends itself.

use crate::model::Value;
use crate::shell::program::{Call, Flow, Instead, OWN_PROCESS, Run, Shell, State};

/// See [`Room::Kill`](crate::knowledge::Room::Kill).
pub(super) struct Kill;

impl super::Program for Kill {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        state.files.forget_unfinished();
        // To ask whether something runs, or to end what was started here, changes nothing for this shell.
        let own = |value: &Value| {
            !matches!(value, Value::Woven(_)) && !value.as_known().is_some_and(|text| text.starts_with('%'))
        };
        let texts = run.call.values();
        let asks = texts.first().and_then(Value::as_known) == Some("-0");
        if !asks && texts.iter().skip_while(|value| value.prefix().starts_with('-')).any(own) {
            shell.wake_traps(state);
        }
        None
    }

    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let ends = run.name == "kill" && !state.minds_signals() && kills_shell(shell, run.call);
        ends.then_some(Flow::Exit)
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
