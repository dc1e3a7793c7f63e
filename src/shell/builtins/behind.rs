//! Declarations that do something else than they seem to: those of a variable that a local hides, lists in one text, and
//! what a shell refuses.

use crate::model::Value;
use crate::shell::expand::Expanded;
use crate::shell::interp::Shell;
use crate::shell::state::{Content, State, Variable};
use crate::syntax::{AssignedValue, Assignment};

use super::declare::Attributes;

impl Shell<'_> {
    /// Whether a shell may refuse to declare, to set or to take away what a word names.
    pub(in crate::shell) fn may_refuse(&self, state: &State, word: &str) -> bool {
        let name = word.split(['=', '[']).next().unwrap_or(word).trim_end_matches('+');
        let valid = !name.starts_with(|c: char| c.is_ascii_digit())
            && !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let mut names = state.variables.get(name).into_iter();
        !valid || names.any(|variable| variable.readonly || variable.nameref)
    }

    /// A text between brackets is a list where an array is declared.
    pub(super) fn listed(&mut self, state: &mut State, attributes: &Attributes, name: &str) {
        let array = attributes.has('a') || attributes.has('A');
        let Some(Content::Indexed(map)) = self.content(state, name).filter(|_| array) else {
            if attributes.has('A') {
                self.assign_content(state, name, Content::UnknownArray);
            }
            return;
        };
        let first = map.get(&0);
        if first.is_some_and(|value| value.as_known().is_none_or(|text| text.starts_with('('))) {
            self.assign_content(state, name, Content::UnknownArray);
        }
    }

    /// `declare -g name=value` where a local hides the one that is meant; false where none does.
    pub(super) fn behind_local(
        &mut self,
        state: &mut State,
        attributes: &Attributes,
        assignment: &Assignment,
        given: Option<Value>,
    ) -> Expanded<bool> {
        if !attributes.has('g') || !state.shadowed.iter().any(|frame| frame.contains_key(&assignment.name)) {
            return Ok(false);
        }
        let value = match (given, &assignment.value) {
            (Some(value), _) => value,
            (None, AssignedValue::Scalar(word)) => self.expand_text(state, word)?,
            (None, AssignedValue::Array(elements)) => {
                for (_, word) in elements {
                    self.expand_text(state, word)?;
                }
                Value::Unknown
            }
        };
        let plain = attributes.on.iter().all(|letter| matches!(letter, 'g' | 'x' | 'r'))
            && !assignment.append
            && assignment.index.is_none();
        Ok(Self::set_behind(state, &assignment.name, if plain { value } else { Value::Unknown }))
    }

    /// Gives a value to the variable that comes back when all functions which hide it by a local of theirs have ended.
    pub(super) fn set_behind(state: &mut State, name: &str, value: Value) -> bool {
        let Some(slot) = state.shadowed.iter_mut().find_map(|frame| frame.get_mut(name)) else {
            return false;
        };
        let mut variable = Variable::new(Content::Scalar(value));
        match slot.take() {
            Some(old) if old.content == Content::Unset || matches!(old.content, Content::Scalar(_)) => {
                let plain = !old.integer && old.case.is_none() && !old.nameref && !old.readonly && !old.loose;
                variable =
                    Variable { content: if plain { variable.content } else { old.content.clone() }, ..old };
                if !plain {
                    variable.content.blur();
                }
            }
            Some(old) => {
                variable = old;
                variable.content.blur();
            }
            None => {}
        }
        *slot = Some(variable);
        true
    }
}
