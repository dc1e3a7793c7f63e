//! Lists of `&&` and `||`: what runs on which outcome.

use std::sync::Arc;

use crate::syntax::{AndOr, Command};

use super::files::Files;
use super::interp::{Scope, Shell};
use super::state::{Flow, State, Status};

/// Commands behind one of unknown outcome that are walked on one way; of more, each starts from where all ways meet.
const TOGETHER: usize = 32;

impl Shell<'_> {
    pub(super) fn and_or(&mut self, state: &mut State, first: &Command, rest: &[(AndOr, Command)]) -> Flow {
        let scope = &Arc::clone(&state.scope);
        let tested = scope.tested();
        let before = rest.iter().any(|(operator, _)| *operator == AndOr::Or).then(|| state.files.clone());
        let asked = if rest.is_empty() { scope } else { &tested };
        let flow = state.within(asked, |state| self.command(state, first));
        if flow != Flow::Next {
            return flow;
        }
        self.and_or_rest(state, (scope, &tested), before.as_ref(), rest)
    }

    /// What follows the first command of a list; `scopes`: of the last command, and of those whose status is asked.
    fn and_or_rest(
        &mut self,
        state: &mut State,
        scopes: (&Scope, &Scope),
        before: Option<&Files>,
        mut rest: &[(AndOr, Command)],
    ) -> Flow {
        while let Some(((operator, command), more)) = rest.split_first() {
            let scope = if more.is_empty() { scopes.0 } else { scopes.1 };
            let runs = match (operator, state.status) {
                (AndOr::And, Status::True) | (AndOr::Or, Status::False) => Some(true),
                (AndOr::And, Status::False) | (AndOr::Or, Status::True) => Some(false),
                (_, Status::Unknown) => None,
            };
            let mut next = more;
            let flow = match runs {
                Some(true) => {
                    state.settle();
                    state.within(scope, |state| self.command(state, command))
                }
                Some(false) => Flow::Next,
                None => {
                    let on_success = *operator == AndOr::And;
                    // All that hangs on the same outcome runs on the same way: `a && b && c`.
                    let alike = more.iter().take(TOGETHER).take_while(|(other, _)| other == operator).count();
                    let (same, others) = more.split_at(alike);
                    next = others;
                    let scopes = if next.is_empty() { scopes } else { (scopes.1, scopes.1) };
                    self.fork(
                        state,
                        |interp, way| {
                            if on_success {
                                way.succeed()
                            } else {
                                way.fail();
                                // What failed made no copy.
                                if let Some(before) = before {
                                    way.files.forget_copies(before);
                                }
                            }
                            match way.within(scope, |way| interp.command(way, command)) {
                                Flow::Next => interp.and_or_rest(way, scopes, before, same),
                                other => other,
                            }
                        },
                        |_, way| {
                            if on_success {
                                way.fail()
                            } else {
                                way.succeed()
                            }
                            Flow::Next
                        },
                    )
                }
            };
            if flow != Flow::Next {
                return flow;
            }
            rest = next;
        }
        Flow::Next
    }
}
