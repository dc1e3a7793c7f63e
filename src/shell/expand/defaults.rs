//! `${x:-word}` and its kin: what stands in for a parameter that is not set.

use crate::model::Value;
use crate::shell::interp::Shell;
use crate::shell::state::State;
use crate::syntax::{Parameter, Word};

use super::params::Held;
use super::{Abort, Builder, Expanded};

/// One of the lines of what was printed.
fn one_line(value: Value) -> Value {
    match &value {
        Value::Known(text) if text.contains('\n') => Value::one_of(text.lines().map(str::to_owned).collect()),
        _ => value,
    }
}

impl Shell<'_> {
    /// `${x:-word}`, `${x:=word}`, `${x:+word}`, `${x:?word}`.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn default(
        &mut self,
        state: &mut State,
        parameter: &Parameter,
        held: Held,
        (which, colon, word): (char, bool, &Word),
        quoted: bool,
        builder: &mut Builder,
    ) -> Expanded<()> {
        if parameter.name == crate::syntax::fish::LINES {
            let value = self.expand_quoted(state, &word.parts)?;
            builder.variable(one_line(value), true);
            return Ok(());
        }
        match (which, held.counts_as_set(colon)) {
            ('+', Some(false)) => builder.result(Value::known(""), quoted),
            ('+', None) => {
                let value = self.expand_text(state, word)?;
                builder.variable(value.join(&Value::known("")), quoted);
            }
            ('+', Some(true)) => self.word_in_place(state, word, quoted, builder)?,
            (_, Some(true)) => self.deliver(state, held, quoted, builder),
            ('?', Some(false)) => {
                self.expand_text(state, word)?;
                return Err(Abort);
            }
            ('?', None) => {
                self.expand_text(state, word)?;
                self.deliver(state, held.where_set(colon), quoted, builder);
            }
            ('=', Some(false)) => {
                let value = match quoted {
                    true => self.expand_quoted(state, &word.parts)?,
                    false => self.expand_one(state, word)?,
                };
                let value = self.assign_default(state, parameter, value)?;
                builder.variable(value, quoted);
            }
            (_, Some(false)) => self.word_in_place(state, word, quoted, builder)?,
            (_, None) => {
                let default = match (quoted, which) {
                    (true, _) => self.expand_quoted(state, &word.parts)?,
                    (false, '=') => self.expand_one(state, word)?,
                    (false, _) => self.expand_text(state, word)?,
                };
                let value = match held.where_set(colon) {
                    Held::One(value) => value.join(&default),
                    _ => Value::Unknown,
                };
                let value = match which {
                    '=' => self.assign_default(state, parameter, value)?,
                    _ => value,
                };
                builder.variable(value, quoted);
            }
        }
        Ok(())
    }

    /// `${x:=word}`, `${a[1]:=word}`, `${!n:=word}`; what it holds then.
    fn assign_default(&mut self, state: &mut State, parameter: &Parameter, value: Value) -> Expanded<Value> {
        let name = match parameter.indirect {
            false => parameter.name.clone(),
            true => match self.base(state, &parameter.name, parameter.index.as_ref())? {
                Held::One(Value::Known(name))
                    if super::is_identifier(name.split('[').next().unwrap_or_default()) =>
                {
                    name
                }
                // One name is as good as another where nobody knows which.
                _ => return Ok(Value::Unknown),
            },
        };
        match parameter.index.as_ref().filter(|_| !parameter.indirect) {
            Some(index) => {
                let key = self.subscript(state, &name, index)?;
                self.assign_element(state, &name, &key, value.clone());
                Ok(value)
            }
            None => {
                self.assign_scalar(state, &name, value.clone());
                Ok(if name.contains('[') { value } else { self.scalar(state, &name).unwrap_or(value) })
            }
        }
    }

    fn word_in_place(
        &mut self,
        state: &mut State,
        word: &Word,
        quoted: bool,
        builder: &mut Builder,
    ) -> Expanded<()> {
        if quoted {
            builder.current.quoted = true;
            return self.parts(state, &word.parts, true, builder);
        }
        // Unquoted, its blanks separate words; quotes inside protect as usual.
        for (index, part) in word.parts.iter().enumerate() {
            match part {
                crate::syntax::Part::Literal(text)
                    if index == 0 && (text.starts_with('~') || !builder.split && text.contains(":~")) =>
                {
                    // Where nothing is split, the word stands in an assignment.
                    let assigned = !builder.split;
                    self.parts_with_tilde(state, std::slice::from_ref(part), assigned, builder)?;
                }
                crate::syntax::Part::Literal(text) => builder.result(Value::known(text), false),
                other => self.parts(state, std::slice::from_ref(other), false, builder)?,
            }
        }
        Ok(())
    }
}
