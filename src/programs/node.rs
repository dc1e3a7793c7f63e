//! Node: modules that are loaded first, and suites of tests that it runs itself.

use crate::model::Value;
use crate::shell::program::{Arg, Call, Flow, Run, Shell, State};

use super::suites::node_tests;
use super::words::opaque;

/// See [`Room::Node`](crate::knowledge::Room::Node).
pub(super) struct Node;

impl super::Program for Node {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let inner = state.scope.through(run.name);
        for option in ["-r", "--import", "--loader"] {
            for module in run.matched.values(option) {
                state.within(&inner, |state| loaded_first(shell, state, run.call, module));
            }
        }
        node_tests(shell, state, run.call, run.matched);
        None
    }
}

/// A module that is loaded first. A bare name is an installed package.
fn loaded_first(shell: &mut Shell<'_>, state: &mut State, call: &Call, module: &Value) {
    match module.as_known() {
        Some(name) if name.starts_with(['.', '/', '~']) => {
            let file = Arg { value: module.clone(), span: call.span, explicit: false };
            shell.code_file(state, "node", &file, &[]);
        }
        Some(name) if !name.contains(':') || name.starts_with("node:") => {}
        _ => opaque(shell, state, call, "a module is loaded that is not looked at"),
    }
}
