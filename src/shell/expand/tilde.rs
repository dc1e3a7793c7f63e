//! `~`, `~user`, `~+`, `~-`.

use std::sync::Arc;

use crate::model::Value;
use crate::shell::interp::{Scope, Shell};
use crate::shell::state::State;

impl Shell<'_> {
    /// The directory that a leading tilde stands for, and the rest of the literal. `alone`: nothing follows the literal.
    pub(super) fn tilde(
        &self,
        state: &State,
        text: &str,
        alone: bool,
        assignment: bool,
    ) -> Option<(Value, String)> {
        let scope = &Arc::clone(&state.scope);
        if !text.starts_with('~') {
            let found = if assignment { text.find(":~") } else { None }?;
            let (before, after) = text.split_at(found + 1);
            let (value, rest) = self.tilde(state, after, alone, true).or_else(|| {
                // What is none there may be followed by one that is.
                let (skipped, behind) = after.split_at(1);
                self.tilde(state, behind, alone, true)
                    .map(|(value, rest)| (Value::known(skipped).concat(&value), rest))
            })?;
            return Some((Value::known(before).concat(&value), rest));
        }
        let end = text.find(|c| c == '/' || (assignment && c == ':')).unwrap_or(text.len());
        if end == text.len() && !alone {
            return None;
        }
        let name = &text[1..end];
        let rest = text[end..].to_owned();
        let value = match name {
            "" => match self.scalar(state, "HOME") {
                Some(home) => home,
                None => self.home(scope, None)?,
            },
            "+" => self.cwd_value(state),
            "-" => match state.previous.as_slice() {
                [] => Value::Unknown,
                list => Value::one_of(list.iter().map(|p| p.to_string_lossy().into_owned()).collect()),
            },
            // An entry of the directory stack.
            entry if entry.trim_start_matches(['+', '-']).bytes().all(|b| b.is_ascii_digit()) => {
                Value::Unknown
            }
            user if user.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) => {
                self.home(scope, Some(user))?
            }
            _ => return None,
        };
        // Each part of a list of paths may begin with one.
        if assignment
            && let Some((more, rest)) =
                self.tilde(state, &rest, alone, true).filter(|_| !rest.starts_with('~'))
        {
            return Some((value.concat(&more), rest));
        }
        Some((value, rest))
    }

    fn home(&self, scope: &Scope, user: Option<&str>) -> Option<Value> {
        if scope.host.is_some() {
            return Some(Value::Unknown);
        }
        if user.is_some() && self.world.is_elsewhere() {
            return Some(Value::Unknown);
        }
        self.world.home(user).map(|path| Value::Known(path.to_string_lossy().into_owned()))
    }

    /// The home of a user; nothing is known of that of one who is not named here.
    pub(crate) fn home_of(&self, state: &State, user: &Value) -> Value {
        let home = user.as_known().and_then(|user| self.home(&state.scope, Some(user)));
        home.unwrap_or(Value::Unknown)
    }

    /// The home directory that a program sees.
    pub(crate) fn home_text(&self, state: &State) -> Option<String> {
        let scope = &Arc::clone(&state.scope);
        let home = self.scalar(state, "HOME").or_else(|| self.home(scope, None))?;
        home.as_known().map(str::to_owned)
    }

    /// `$PWD`.
    pub(super) fn cwd_value(&self, state: &State) -> Value {
        Value::one_of(state.cwd.iter().map(|p| p.to_string_lossy().into_owned()).collect())
    }
}
