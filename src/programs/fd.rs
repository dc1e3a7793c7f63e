//! `fd -x COMMAND`: the command is given names that are found.

use crate::model::Value;
use crate::shell::program::{Call, Flow, Run, Shell, State};

use super::searched;
use super::words::word;

/// See [`Room::Fd`](crate::knowledge::Room::Fd).
pub(super) struct Fd;

impl super::Program for Fd {
    fn prints(&self, shell: &Shell<'_>, state: &State, _: &str, call: &Call) -> Option<Value> {
        searched::by_name(shell, state, call)
    }

    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let inner = state.scope.through(run.name);
        state.within(&inner, |state| found_by_fd(shell, state, run.call));
        None
    }
}

/// `fd -x COMMAND`: the command is given names that are found.
fn found_by_fd(shell: &mut Shell<'_>, state: &mut State, call: &Call) {
    let mut words = call.arguments().iter();
    while let Some(option) = words.next() {
        let text = option.arg.value.as_known().unwrap_or_default();
        let attached = text.strip_prefix("--exec=").or_else(|| text.strip_prefix("--exec-batch="));
        if attached.is_none() && !matches!(text, "-x" | "-X" | "--exec" | "--exec-batch") {
            continue;
        }
        let mut command = attached.map(|text| word(Value::known(text), call)).into_iter().collect::<Vec<_>>();
        let mut marked = false;
        for one in words.by_ref() {
            match one.arg.value.as_known() {
                Some(";") => break,
                Some(text) if ["{}", "{/}", "{//}", "{.}", "{/.}"].iter().any(|mark| text.contains(mark)) => {
                    marked = true;
                    command.push(word(Value::Unknown, call));
                }
                _ => command.push(one.clone()),
            }
        }
        if !marked {
            command.push(word(Value::Unknown, call));
        }
        state.perhaps(|state| {
            shell.program(state, command, call.span);
        });
    }
}
