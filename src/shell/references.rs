//! Name references (`declare -n`): which variable they lead to, and what is left known where nobody can tell.

use std::sync::Arc;

use crate::model::Value;

use super::interp::Shell;
use super::state::{Content, State, Variable};

/// What a reference gives that leads to one element, or to a name that is not known.
static UNKNOWN: Content = Content::UnknownArray;

/// Where an assignment to a name goes.
pub(super) enum Lead {
    /// To this name, which may be one of an element.
    To(String),
    /// To a name that is not known: one of these, or any.
    Lost(Option<Vec<String>>),
}

impl Shell<'_> {
    /// What a variable holds, name references followed; `None` when nothing was said about it.
    pub(super) fn content<'s>(&self, state: &'s State, name: &str) -> Option<&'s Content> {
        let mut variable = state.variables.get(name)?;
        for _ in 0..8 {
            if !variable.nameref {
                return Some(&variable.content);
            }
            match &variable.content {
                Content::Unset => return Some(&Content::Unset),
                Content::Scalar(Value::Known(target)) if !target.contains('[') => {
                    variable = state.variables.get(target)?;
                }
                _ => break,
            }
        }
        Some(&UNKNOWN)
    }

    /// Whether a name stands for another.
    pub(super) fn is_reference(&self, state: &State, name: &str) -> bool {
        state.variables.get(name).is_some_and(|variable| variable.nameref)
    }

    /// The name that an assignment to `name` goes to.
    pub(super) fn lead(&self, state: &State, name: &str) -> Lead {
        let mut name = name.to_owned();
        for _ in 0..8 {
            match state.variables.get(&name) {
                Some(Variable { nameref: true, content: Content::Scalar(value), .. }) => match value {
                    Value::Known(next) => name = next.clone(),
                    other => return Lead::Lost(other.choices().map(<[String]>::to_vec)),
                },
                _ => return Lead::To(name),
            }
        }
        Lead::Lost(None)
    }

    /// The name that an assignment to `name` goes to; `None` where that is not known. Then whatever it may have gone to is
    /// not known any more.
    pub(super) fn target(&self, state: &mut State, name: &str) -> Option<String> {
        match self.lead(state, name) {
            Lead::To(name) => Some(name),
            Lead::Lost(names) => {
                let given = Arc::clone(&self.given);
                let variables = Arc::make_mut(&mut state.variables);
                for (name, variable) in variables.iter_mut() {
                    let meant = match &names {
                        Some(names) => {
                            names.iter().any(|target| target.split('[').next() == Some(name.as_str()))
                        }
                        None => given.get(name) != Some(variable),
                    };
                    if meant && !variable.nameref && !variable.readonly {
                        variable.content.blur();
                    }
                }
                None
            }
        }
    }

    /// The value of what a reference leads to; `None` when unset.
    pub(super) fn referred(&self, state: &State, name: &str) -> Option<Value> {
        let target = match self.lead(state, name) {
            Lead::To(target) if target != name => target,
            Lead::To(_) => return None,
            Lead::Lost(_) => return Some(Value::Unknown),
        };
        let Some((array, key)) = target.split_once('[') else { return self.scalar(state, &target) };
        let key = key.strip_suffix(']').unwrap_or(key);
        match self.content(state, array) {
            Some(Content::Assoc(list)) if !key.contains(['$', '`', '\\', '"', '\'']) => {
                list.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
            }
            Some(Content::Indexed(map)) => match key.parse::<i64>() {
                Ok(at) if at >= 0 && at.to_string() == key => map.get(&at).cloned(),
                _ => Some(Value::Unknown),
            },
            _ => Some(Value::Unknown),
        }
    }

    /// `unset`.
    pub(super) fn unset(&mut self, state: &mut State, name: &str) {
        let Some(name) = self.target(state, name) else { return };
        if let Some((array, key)) = name.split_once('[') {
            let key = key.strip_suffix(']').unwrap_or(key);
            let Some(target) = self.target(state, array) else { return };
            if let Some(variable) = Arc::make_mut(&mut state.variables).get_mut(&target) {
                let index = key.parse::<i64>().ok().filter(|at| *at >= 0 && at.to_string() == key);
                match (&mut variable.content, index) {
                    _ if variable.readonly => {}
                    (Content::Indexed(map), Some(at)) => drop(map.remove(&at)),
                    (Content::Assoc(list), _) if !key.contains(['$', '`', '\\', '"', '\'', '@', '*']) => {
                        list.retain(|(known, _)| known != key);
                    }
                    // Which one goes is arithmetic, or all of them do.
                    (content, _) => *content = Content::UnknownArray,
                }
            }
            return;
        }
        self.unset_itself(state, &name);
    }

    /// Takes a variable away, not what it may lead to.
    pub(super) fn unset_itself(&self, state: &mut State, name: &str) {
        let variables = Arc::make_mut(&mut state.variables);
        match variables.get_mut(name) {
            Some(variable) if variable.readonly => return,
            Some(variable) if variable.loose => return variable.content.blur(),
            _ => {}
        }
        // A local of this function stays one without a value; of a function further out, what it hides comes back.
        let own = state.shadowed.last().is_some_and(|frame| frame.contains_key(name));
        let outer = state.shadowed.iter_mut().rev().skip(1).find(|frame| frame.contains_key(name));
        if outer.is_some() && !own && state.switches.keeps_locals {
            return variables
                .entry(name.to_owned())
                .or_insert_with(|| Variable::new(Content::Unset))
                .content
                .blur();
        }
        match outer.filter(|_| !own).and_then(|frame| frame.remove(name)) {
            Some(Some(old)) => variables.insert(name.to_owned(), old),
            Some(None) if !state.unset_is_empty => variables.remove(name),
            _ => variables.insert(name.to_owned(), Variable::new(Content::Unset)),
        };
    }
}

impl Content {
    /// Nothing is known any more of what it holds.
    pub(super) fn blur(&mut self) {
        *self = match self {
            Self::Unset | Self::Scalar(_) => Self::Scalar(Value::Unknown),
            _ => Self::UnknownArray,
        };
    }
}
