//! `capsh -- WORDS`: behind its own options stand those of a shell.

use crate::model::Value;
use crate::shell::program::{Flow, Run, Shell, State};

use super::words::word;

/// See [`Room::Capsh`](crate::knowledge::Room::Capsh).
pub(super) struct Capsh;

impl super::Program for Capsh {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let words = run.call.arguments();
        let at = words.iter().position(|word| matches!(word.arg.value.as_known(), Some("--" | "==")))?;
        let mut words = vec![word(Value::known("bash"), run.call)];
        words.extend(run.call.arguments().iter().skip(at + 1).cloned());
        let inner = state.scope.through(run.name);
        state.within(&inner, |state| shell.program(state, words, run.call.span));
        None
    }
}
