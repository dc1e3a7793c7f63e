//! Parameter expansion with its operators.

use std::sync::Arc;

use crate::model::{Signs, Value};
use crate::shell::interp::Shell;
use crate::shell::special::kept_by_the_shell;
use crate::shell::state::{Content, State};
use crate::shell::zsh::is_counted_otherwise;
use crate::syntax::{Parameter, ParameterOperator, Word};

use super::{Abort, Builder, Expanded, Number, is_at};

/// What a parameter holds before its operator acts.
#[derive(Clone, Debug)]
pub(super) enum Held {
    Unset,
    One(Value),
    /// `$@`, `$*`, `${a[@]}`, `${a[*]}`; `star` joins into one word when quoted.
    Many {
        values: Vec<Value>,
        star: bool,
        open: bool,
    },
}

impl Held {
    /// Whether the parameter counts as having a value; with `colon`, an empty one is none.
    pub(super) fn counts_as_set(&self, colon: bool) -> Option<bool> {
        let filled = |value: &Value| match value.clone().plain() {
            Value::Known(text) => Some(!text.is_empty()),
            Value::OneOf(list) if list.iter().all(|text| !text.is_empty()) => Some(true),
            Value::Affix { prefix, suffix } if !prefix.is_empty() || !suffix.is_empty() => Some(true),
            _ => None,
        };
        match self {
            Self::Unset => Some(false),
            Self::One(value) if colon => filled(value),
            Self::One(Value::Unknown) => None,
            // Of several one may stand for its not being set at all.
            Self::One(Value::OneOf(list)) if list.iter().any(String::is_empty) => None,
            Self::One(_) => Some(true),
            Self::Many { open: true, .. } => None,
            Self::Many { values, .. } => match values.as_slice() {
                [] => Some(false),
                [one] if colon => filled(one),
                _ => Some(true),
            },
        }
    }

    /// Any words.
    fn any() -> Self {
        Self::Many { values: vec![Value::Unknown], star: false, open: true }
    }

    /// What of it counts as a value.
    pub(super) fn where_set(self, colon: bool) -> Self {
        match self {
            Self::One(Value::OneOf(list)) if colon => {
                Self::One(Value::one_of(list.into_iter().filter(|text| !text.is_empty()).collect()))
            }
            other => other,
        }
    }
}

impl Shell<'_> {
    /// Puts a parameter into the words, through its operator.
    pub(super) fn parameter(
        &mut self,
        state: &mut State,
        parameter: &Parameter,
        quoted: bool,
        builder: &mut Builder,
    ) -> Expanded<()> {
        builder.current.explicit = false;
        let held = self.held(state, parameter)?;
        if parameter.length {
            let value = match &held {
                Held::Unset => Value::known("0"),
                // Signs or bytes: that goes by the locale.
                Held::One(value)
                    if value.choices().is_none_or(|all| all.iter().any(|text| !text.is_ascii())) =>
                {
                    Value::signs(Signs::Number, false)
                }
                Held::One(value) => value.map(|text| text.chars().count().to_string()),
                Held::Many { open: true, .. } => Value::signs(Signs::Number, false),
                Held::Many { values, .. } => Value::Known(values.len().to_string()),
            };
            builder.result(value, true);
            return Ok(());
        }
        if let Some(ParameterOperator::Default(which, colon, word)) = &parameter.operator {
            return self.default(state, parameter, held, (*which, *colon, word), quoted, builder);
        }
        if matches!(held, Held::Unset) {
            self.miss(state, &parameter.name);
        }
        if matches!(held, Held::Unset)
            && state.switches.nounset
            && !matches!(parameter.name.as_str(), "@" | "*")
        {
            return Err(Abort);
        }
        let held = match &parameter.operator {
            None | Some(ParameterOperator::Names | ParameterOperator::Default(..)) => held,
            Some(ParameterOperator::Substring(offset, length)) if matches!(held, Held::Many { .. }) => {
                self.slice(state, parameter, held, offset, length.as_ref())?
            }
            Some(ParameterOperator::Transform('P')) => self.prompted(held),
            // The words of an operator are not even expanded where there is nothing to act on.
            Some(_) if matches!(&held, Held::Unset) => held,
            Some(_) if matches!(&held, Held::Many { values, open: false, .. } if values.is_empty()) => held,
            // Without separators some bashes make one word of many then.
            Some(_)
                if !quoted
                    && matches!(&held, Held::Many { .. })
                    && self.separators(state).is_none_or(|text| text.is_empty()) =>
            {
                Held::any()
            }
            Some(operator) => {
                let apply = self.operation(state, operator)?;
                match held {
                    Held::Unset => Held::Unset,
                    Held::One(value) => Held::One(apply(&value)),
                    Held::Many { values, star, open } => {
                        Held::Many { values: values.iter().map(apply).collect(), star, open }
                    }
                }
            }
        };
        let from = builder.done.len();
        self.deliver(state, held, quoted, builder);
        if self.is_mixed(state, parameter) {
            builder.mix(from);
        }
        Ok(())
    }

    /// What a prompt makes of it.
    fn prompted(&mut self, held: Held) -> Held {
        if let Held::One(value) = &held {
            self.prompt(value);
        }
        match held {
            Held::Unset => Held::Unset,
            Held::One(value) if value.as_known().is_some_and(|text| !text.contains(['\\', '$', '`'])) => {
                Held::One(value)
            }
            Held::Many { values, .. } => {
                values.iter().for_each(|value| self.prompt(value));
                Held::One(Value::Unknown)
            }
            Held::One(_) => Held::One(Value::Unknown),
        }
    }

    /// Whether it stands for what is in an order that nobody knows.
    fn is_mixed(&self, state: &State, parameter: &Parameter) -> bool {
        parameter.index.as_ref().is_some_and(|index| is_at(index, "@") || is_at(index, "*"))
            && matches!(self.content(state, &parameter.name), Some(Content::Assoc(list)) if list.len() > 1)
    }

    /// Notes a name that the typed text means to be set, and that nothing sets: `unset` would have said so.
    fn miss(&mut self, state: &State, name: &str) {
        let typed = state.scope.host.is_none() && Arc::ptr_eq(&state.scope.source, &self.typed);
        let named = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
        if typed && named && state.unset_is_empty && self.content(state, name).is_none() {
            self.unset.insert(name.to_owned());
        }
    }

    pub(super) fn deliver(&self, state: &State, held: Held, quoted: bool, builder: &mut Builder) {
        match held {
            Held::Unset => builder.result(Value::known(""), quoted),
            Held::One(value) => builder.variable(value, quoted),
            Held::Many { values, star, open } => {
                if star && (quoted || !builder.split) {
                    let separator = match self.separators(state) {
                        Some(text) => Value::Known(text.chars().next().map(String::from).unwrap_or_default()),
                        None => Value::Unknown,
                    };
                    let mut whole = Value::known("");
                    for (index, value) in values.iter().enumerate() {
                        if index > 0 {
                            whole = whole.concat(&separator);
                        }
                        whole = whole.concat(value);
                    }
                    builder.result(whole, quoted);
                    return;
                }
                if !builder.split {
                    for (index, value) in values.iter().enumerate() {
                        if index > 0 {
                            builder.result(Value::known(" "), quoted);
                        }
                        builder.result(value.clone(), quoted);
                    }
                    return;
                }
                for (index, value) in values.iter().enumerate() {
                    if index > 0 && (quoted || !builder.current.pieces.is_empty()) {
                        builder.finish_field();
                    }
                    builder.current.elastic |= open;
                    builder.variable(value.clone(), quoted);
                }
            }
        }
    }

    fn held(&mut self, state: &mut State, parameter: &Parameter) -> Expanded<Held> {
        let name = parameter.name.as_str();
        if name.starts_with(crate::syntax::zsh::PART) {
            return Ok(Held::any());
        }
        if matches!(parameter.operator, Some(ParameterOperator::Names)) {
            return Ok(self.names(state, parameter));
        }
        if parameter.indirect {
            // Of a reference it is the name that it leads to.
            let inner = match state.variables.get(name) {
                Some(variable) if variable.nameref => match &variable.content {
                    Content::Scalar(value) => return Ok(Held::One(value.clone())),
                    _ => Held::Unset,
                },
                _ => self.base(state, name, parameter.index.as_ref())?,
            };
            return Ok(match inner {
                Held::One(Value::Known(target)) if !is_name(&target) => Held::One(Value::Unknown),
                Held::One(Value::Known(target)) => match target.split_once('[') {
                    Some((array, rest)) => match rest.trim_end_matches(']') {
                        "@" => self.all(state, array, false),
                        "*" => self.all(state, array, true),
                        key => self.element(state, array, &Value::known(key)),
                    },
                    None => self.plain(state, &target),
                },
                Held::One(Value::OneOf(list)) => list
                    .iter()
                    .map(|target| match self.plain(state, target) {
                        Held::One(value) => value,
                        Held::Unset => Value::known(""),
                        Held::Many { .. } => Value::Unknown,
                    })
                    .reduce(|a, b| a.join(&b))
                    .map_or(Held::Unset, Held::One),
                Held::Unset => Held::Unset,
                _ => Held::One(Value::Unknown),
            });
        }
        self.base(state, name, parameter.index.as_ref())
    }

    pub(super) fn base(&mut self, state: &mut State, name: &str, index: Option<&Word>) -> Expanded<Held> {
        let zsh = is_counted_otherwise(&state.switches, self.content(state, name));
        match index {
            None if zsh => Ok(self.all(state, name, false)),
            None => Ok(self.plain(state, name)),
            Some(index) if is_at(index, "@") => Ok(self.all(state, name, false)),
            Some(index) if is_at(index, "*") => Ok(self.all(state, name, true)),
            Some(_) if zsh => Ok(Held::One(Value::Unknown)),
            Some(index) => {
                let key = self.subscript(state, name, index)?;
                Ok(self.element(state, name, &key))
            }
        }
    }

    /// The value of a subscript: text for associative arrays, a number otherwise.
    pub(in crate::shell) fn subscript(
        &mut self,
        state: &mut State,
        name: &str,
        index: &Word,
    ) -> Expanded<Value> {
        let text = self.expand_text(state, index)?;
        // The shell's own table of programs goes by names.
        if name == "BASH_CMDS" || matches!(self.content(state, name), Some(Content::Assoc(_))) {
            return Ok(text);
        }
        Ok(match text.as_known() {
            Some(text) => match self.evaluate_arithmetic(state, text) {
                Number::Known(n) => Value::Known(n.to_string()),
                Number::Unknown => Value::Unknown,
            },
            None => Value::Unknown,
        })
    }

    fn plain(&self, state: &State, name: &str) -> Held {
        if name == "@" || name == "*" {
            return Held::Many {
                values: state.positional.values.clone(),
                star: name == "*",
                open: state.positional.open,
            };
        }
        self.scalar(state, name).map_or(Held::Unset, Held::One)
    }

    fn all(&self, state: &State, name: &str, star: bool) -> Held {
        let (values, open) = match self.content(state, name) {
            Some(Content::Indexed(map)) => (map.values().cloned().collect(), false),
            Some(Content::Assoc(list)) => (list.iter().map(|(_, v)| v.clone()).collect(), false),
            Some(Content::UnknownArray) => (vec![Value::Unknown], true),
            Some(Content::Scalar(value)) => (vec![value.clone()], false),
            Some(Content::Unset) => (Vec::new(), false),
            None => match self.scalar(state, name) {
                Some(value) => (vec![value], true),
                None => (Vec::new(), false),
            },
        };
        Held::Many { values, star, open }
    }

    fn element(&self, state: &State, name: &str, key: &Value) -> Held {
        let content = self.content(state, name);
        match (content, key.as_known()) {
            (Some(Content::Indexed(map)), Some(key)) => {
                let Ok(mut at) = key.parse::<i64>() else { return Held::One(Value::Unknown) };
                if at < 0 {
                    at += map.keys().next_back().map_or(0, |last| last + 1);
                }
                map.get(&at).map_or(Held::Unset, |value| Held::One(value.clone()))
            }
            (Some(Content::Assoc(list)), Some(key)) => list
                .iter()
                .find(|(known, _)| known == key)
                .map_or(Held::Unset, |(_, value)| Held::One(value.clone())),
            (Some(Content::Scalar(value)), Some("0")) => Held::One(value.clone()),
            (Some(Content::Scalar(_) | Content::Unset), Some(_)) => Held::Unset,
            (Some(Content::Indexed(map)), None) => {
                map.values().cloned().reduce(|a, b| a.join(&b)).map_or(Held::Unset, Held::One)
            }
            (Some(Content::Assoc(list)), None) => {
                list.iter().map(|(_, v)| v.clone()).reduce(|a, b| a.join(&b)).map_or(Held::Unset, Held::One)
            }
            (None, Some("0")) => self.plain(state, name),
            (None, Some(_)) if state.unset_is_empty && !kept_by_the_shell(name) => Held::Unset,
            _ => Held::One(Value::Unknown),
        }
    }

    /// `${!prefix*}` and `${!array[@]}`.
    fn names(&self, state: &State, parameter: &Parameter) -> Held {
        let values = match &parameter.index {
            Some(_) => match self.content(state, &parameter.name) {
                Some(Content::Indexed(map)) => map.keys().map(|k| Value::Known(k.to_string())).collect(),
                Some(Content::Assoc(list)) => list.iter().map(|(k, _)| Value::known(k)).collect(),
                Some(Content::Scalar(_)) => vec![Value::known("0")],
                Some(Content::UnknownArray) => return Held::any(),
                Some(Content::Unset) => Vec::new(),
                None if state.unset_is_empty && !kept_by_the_shell(&parameter.name) => Vec::new(),
                None => return Held::any(),
            },
            None if !state.unset_is_empty => return Held::any(),
            None => state
                .variables
                .iter()
                .filter(|(name, v)| name.starts_with(&parameter.name) && v.content != Content::Unset)
                .map(|(name, _)| Value::known(name))
                .collect(),
        };
        Held::Many { values, star: false, open: false }
    }

    /// `${@:2}`, `${a[@]:1:2}`.
    fn slice(
        &mut self,
        state: &mut State,
        parameter: &Parameter,
        held: Held,
        offset: &Word,
        length: Option<&Word>,
    ) -> Expanded<Held> {
        let from = self.number(state, offset)?;
        let count = match length {
            Some(word) => Some(self.number(state, word)?),
            None => None,
        };
        let Held::Many { values, star, open } = held else { return Ok(held) };
        // What is not known word by word has no second word, and elements that are missing are not counted.
        let whole = matches!(self.content(state, &parameter.name), Some(Content::Indexed(map)) if map.keys().copied().eq(0..map.len() as i64));
        let positional = matches!(parameter.name.as_str(), "@" | "*");
        let unknown = Held::Many { values: vec![Value::Unknown], star, open: true };
        let Some(from) = from.filter(|_| !open && (positional || whole)) else { return Ok(unknown) };
        let all: Vec<Value> =
            if positional { std::iter::once(state.zero.clone()).chain(values).collect() } else { values };
        let start = if from < 0 { all.len() as i64 + from } else { from };
        let Ok(start) = usize::try_from(start) else {
            return Ok(Held::Many { values: Vec::new(), star, open });
        };
        let rest = all.into_iter().skip(start);
        let values = match count {
            None => rest.collect(),
            Some(Some(n)) => rest.take(usize::try_from(n).unwrap_or(0)).collect(),
            Some(None) => return Ok(unknown),
        };
        Ok(Held::Many { values, star, open })
    }

    /// A word as a number; `None` when it is not known.
    pub(super) fn number(&mut self, state: &mut State, word: &Word) -> Expanded<Option<i64>> {
        let text = self.expand_text(state, word)?;
        Ok(text.as_known().and_then(|text| match self.evaluate_arithmetic(state, text) {
            Number::Known(n) => Some(n),
            Number::Unknown => None,
        }))
    }
}

/// Whether a text names a variable, an element or a parameter.
pub(super) fn is_name(text: &str) -> bool {
    let name = text.split('[').next().unwrap_or(text);
    super::is_identifier(name)
        || text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty()
        || matches!(text, "@" | "*" | "#" | "?" | "$" | "!" | "-" | "_")
}
