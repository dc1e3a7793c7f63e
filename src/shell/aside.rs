//! What the words of redirections and of assignments before a command change besides.

use std::sync::Arc;

use crate::model::Value;

use super::expand::Expansion;
use super::interp::Shell;
use super::state::{State, Variable};

type Variables = std::collections::BTreeMap<String, Variable>;

impl Shell<'_> {
    /// The redirections of a program are expanded in the program's own process: what their words assign does not come back.
    /// Those of builtins and functions are expanded in the shell.
    pub(super) fn opened_outside(
        &self,
        state: &mut State,
        before: Arc<Variables>,
        first: Option<&Expansion>,
    ) {
        let here = |name: &str| super::builtins::is_builtin(name) || state.functions.contains_key(name);
        let unsure =
            |name: &str| state.functions.get(name).is_some_and(|definitions| definitions.maybe_undefined);
        match first.map(|word| &word.arg.value) {
            None => {}
            Some(Value::Known(name)) if here(name) && !unsure(name) => {}
            Some(Value::Known(name)) if !here(name) => state.variables = before,
            // A function may also not be there.
            Some(_) => {
                let other = State { variables: before, ..state.clone() };
                state.variables = state.clone().join(other).variables;
            }
        }
    }

    /// An assignment before a command holds for the command alone; what its words assigned stays.
    pub(super) fn left_by_assignments(state: &mut State, inner: &State, own: &[(String, Value)]) {
        if Arc::ptr_eq(&state.variables, &inner.variables) {
            return;
        }
        let before = std::mem::replace(&mut state.variables, Arc::clone(&inner.variables));
        let variables = Arc::make_mut(&mut state.variables);
        for (name, _) in own {
            match before.get(name) {
                Some(own) => drop(variables.insert(name.clone(), own.clone())),
                None => drop(variables.remove(name)),
            }
        }
    }

    /// Assignments before a function or builtin hold while it runs.
    pub(super) fn lend(
        &mut self,
        state: &mut State,
        environment: &[(String, Value)],
    ) -> Vec<(String, Option<Variable>)> {
        environment
            .iter()
            .map(|(name, value)| {
                let old = state.variables.get(name).cloned();
                self.assign_scalar(state, name, value.clone());
                (name.clone(), old)
            })
            .collect()
    }

    /// The same for what a program runs in turn: it hands them on.
    pub(super) fn hand_on(
        &mut self,
        state: &mut State,
        environment: &[(String, Value)],
    ) -> Vec<(String, Option<Variable>)> {
        let saved = self.lend(state, environment);
        for (name, _) in environment {
            if let Some(variable) = Arc::make_mut(&mut state.variables).get_mut(name) {
                variable.exported = true;
            }
        }
        saved
    }

    pub(super) fn give_back(&mut self, state: &mut State, saved: Vec<(String, Option<Variable>)>) {
        if saved.is_empty() {
            return;
        }
        let variables = Arc::make_mut(&mut state.variables);
        for (name, old) in saved.into_iter().rev() {
            match old {
                Some(variable) => variables.insert(name, variable),
                None => variables.remove(&name),
            };
        }
    }
}
