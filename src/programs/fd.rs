//! `fd -x COMMAND`: the command is given names that are found.

use crate::model::Value;
use crate::shell::program::{Call, Expansion, Flow, Instead, Run, Shell, State};

use super::searched;
use super::words::word;

/// See [`Room::Fd`](crate::knowledge::Room::Fd).
pub(super) struct Fd;

impl super::Program for Fd {
    fn prints(&self, shell: &Shell<'_>, state: &State, _: &str, call: &Call) -> Option<Value> {
        searched::by_name(shell, state, call)
    }

    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        // What it finds is asked for before it counts as something that ran.
        if run.call.environment.is_empty() && !run.matched.does_nothing() {
            let inner = state.scope.through(run.name);
            state.within(&inner, |state| found_by_fd(shell, state, run.call));
        }
        None
    }

    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        if !run.call.environment.is_empty() {
            let inner = state.scope.through(run.name);
            state.within(&inner, |state| found_by_fd(shell, state, run.call));
        }
        None
    }
}

/// `fd -x COMMAND`: the command is given names that are found.
fn found_by_fd(shell: &mut Shell<'_>, state: &mut State, call: &Call) {
    let runs = |word: &Expansion| {
        let text = word.arg.value.as_known().unwrap_or_default();
        matches!(text, "-x" | "-X" | "--exec" | "--exec-batch") || text.starts_with("--exec")
    };
    let before = call.words.iter().position(runs).unwrap_or(call.words.len());
    let asked = Call { words: call.words.get(..before).unwrap_or_default().to_vec(), ..call.clone() };
    let found = match searched::by_name(shell, state, &asked) {
        Some(Value::Lines(lines)) => Some(lines.each),
        Some(value) => {
            let each = |text: &String| text.trim_end_matches(['\n', '\0']).to_owned();
            value
                .choices()
                .map(|all| all.iter().map(each).filter(|name| !name.is_empty()).collect::<Vec<_>>())
        }
        None => None,
    };
    // Each of them may be given, in any order.
    let names = || -> Vec<Expansion> {
        let Some(found) = &found else { return vec![word(Value::Unknown, call)] };
        let one =
            |name: &String| Expansion { elastic: true, unordered: true, ..word(Value::known(name), call) };
        found.iter().map(one).collect()
    };
    if found.as_ref().is_some_and(Vec::is_empty) {
        return;
    }
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
                Some("{}") => {
                    marked = true;
                    command.extend(names());
                }
                Some(text) if ["{}", "{/}", "{//}", "{.}", "{/.}"].iter().any(|mark| text.contains(mark)) => {
                    marked = true;
                    command.push(word(Value::Unknown, call));
                }
                _ => command.push(one.clone()),
            }
        }
        if !marked {
            command.extend(names());
        }
        state.perhaps(|state| {
            shell.program(state, command, call.span);
        });
    }
}
