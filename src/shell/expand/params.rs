//! Parameter expansion with its operators.

use crate::model::Value;
use crate::shell::interp::{Interp, Scope};
use crate::shell::pattern;
use crate::shell::state::{Content, State};
use crate::shell::variables::kept_by_the_shell;
use crate::shell::zsh::is_counted_otherwise;
use crate::syntax::{Parameter, ParameterOperator, Word};

use super::{Abort, Builder, Expanded, Number, is_at};

/// An operator of a parameter expansion, ready to act on values.
type Operation = Box<dyn Fn(&Value) -> Value>;

/// What a parameter holds before its operator acts.
#[derive(Clone, Debug)]
enum Held {
    Unset,
    One(Value),
    /// `$@`, `$*`, `${a[@]}`, `${a[*]}`; `star` joins into one word when quoted.
    Many {
        values: Vec<Value>,
        star: bool,
        open: bool,
    },
}

impl Interp<'_> {
    pub(super) fn parameter(
        &mut self,
        state: &mut State,
        scope: &Scope,
        parameter: &Parameter,
        quoted: bool,
        builder: &mut Builder,
    ) -> Expanded<()> {
        builder.current.explicit = false;
        let held = self.held(state, scope, parameter)?;
        if parameter.length {
            let value = match &held {
                Held::Unset => Value::known("0"),
                Held::One(value) => value.map(|text| text.chars().count().to_string()),
                Held::Many { open: true, .. } => Value::Unknown,
                Held::Many { values, .. } => Value::Known(values.len().to_string()),
            };
            builder.result(value, true);
            return Ok(());
        }
        if let Some(ParameterOperator::Default(which, colon, word)) = &parameter.operator {
            return self.default(state, scope, parameter, held, (*which, *colon, word), quoted, builder);
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
                self.slice(state, scope, parameter, held, offset, length.as_ref())?
            }
            Some(ParameterOperator::Transform('P')) => {
                if let Held::One(value) = &held {
                    self.prompt(value);
                }
                match held {
                    Held::Unset => Held::Unset,
                    Held::One(value)
                        if value.as_known().is_some_and(|text| !text.contains(['\\', '$', '`'])) =>
                    {
                        Held::One(value)
                    }
                    Held::Many { values, .. } => {
                        values.iter().for_each(|value| self.prompt(value));
                        Held::One(Value::Unknown)
                    }
                    Held::One(_) => Held::One(Value::Unknown),
                }
            }
            Some(operator) => {
                let apply = self.operation(state, scope, operator)?;
                match held {
                    Held::Unset => Held::Unset,
                    Held::One(value) => Held::One(apply(&value)),
                    Held::Many { values, star, open } => {
                        Held::Many { values: values.iter().map(apply).collect(), star, open }
                    }
                }
            }
        };
        self.deliver(state, held, quoted, builder);
        Ok(())
    }

    fn deliver(&self, state: &State, held: Held, quoted: bool, builder: &mut Builder) {
        match held {
            Held::Unset => builder.result(Value::known(""), quoted),
            Held::One(value) => builder.variable(value, quoted),
            Held::Many { values, star, open } => {
                if quoted && star {
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
                    builder.result(whole, true);
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

    fn held(&mut self, state: &mut State, scope: &Scope, parameter: &Parameter) -> Expanded<Held> {
        let name = parameter.name.as_str();
        if matches!(parameter.operator, Some(ParameterOperator::Names)) {
            return Ok(self.names(state, parameter));
        }
        if parameter.indirect {
            let inner = self.base(state, scope, name, parameter.index.as_ref())?;
            return Ok(match inner {
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
        self.base(state, scope, name, parameter.index.as_ref())
    }

    fn base(&mut self, state: &mut State, scope: &Scope, name: &str, index: Option<&Word>) -> Expanded<Held> {
        let zsh = is_counted_otherwise(&state.switches, self.content(state, name));
        match index {
            None if zsh => Ok(self.all(state, name, false)),
            None => Ok(self.plain(state, name)),
            Some(index) if is_at(index, "@") => Ok(self.all(state, name, false)),
            Some(index) if is_at(index, "*") => Ok(self.all(state, name, true)),
            Some(_) if zsh => Ok(Held::One(Value::Unknown)),
            Some(index) => {
                let key = self.subscript(state, scope, name, index)?;
                Ok(self.element(state, name, &key))
            }
        }
    }

    /// The value of a subscript: text for associative arrays, a number otherwise.
    pub(in crate::shell) fn subscript(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        index: &Word,
    ) -> Expanded<Value> {
        let text = self.expand_text(state, scope, index)?;
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
                Some(Content::UnknownArray) => {
                    return Held::Many { values: vec![Value::Unknown], star: false, open: true };
                }
                _ => Vec::new(),
            },
            None => state
                .variables
                .iter()
                .filter(|(name, v)| name.starts_with(&parameter.name) && v.content != Content::Unset)
                .map(|(name, _)| Value::known(name))
                .collect(),
        };
        Held::Many { values, star: false, open: false }
    }

    #[allow(clippy::too_many_arguments)]
    fn default(
        &mut self,
        state: &mut State,
        scope: &Scope,
        parameter: &Parameter,
        held: Held,
        (which, colon, word): (char, bool, &Word),
        quoted: bool,
        builder: &mut Builder,
    ) -> Expanded<()> {
        // Whether the parameter counts as having a value: yes, no, or not known.
        let empty = |value: &Value| match value {
            Value::Known(text) => Some(text.is_empty()),
            Value::OneOf(list) if list.iter().all(|text| !text.is_empty()) => Some(false),
            Value::Affix { prefix, suffix } if !prefix.is_empty() || !suffix.is_empty() => Some(false),
            _ => None,
        };
        let present = match &held {
            Held::Unset => Some(false),
            Held::One(value) if colon => empty(value).map(|e| !e),
            Held::One(Value::Unknown) => None,
            Held::One(_) => Some(true),
            Held::Many { open: true, .. } => None,
            Held::Many { values, .. } if values.is_empty() => Some(false),
            Held::Many { values, .. } if colon => match values.as_slice() {
                [one] => empty(one).map(|e| !e),
                _ => Some(true),
            },
            Held::Many { .. } => Some(true),
        };
        match (which, present) {
            ('+', Some(false)) => {
                builder.result(Value::known(""), quoted);
                Ok(())
            }
            ('+', Some(true)) => self.word_in_place(state, scope, word, quoted, builder),
            ('+', None) => {
                let value = self.expand_text(state, scope, word)?;
                builder.variable(value.join(&Value::known("")), quoted);
                Ok(())
            }
            (_, Some(true)) => {
                self.deliver(state, held, quoted, builder);
                Ok(())
            }
            ('?', Some(false)) => {
                self.expand_text(state, scope, word)?;
                Err(Abort)
            }
            ('?', None) => {
                self.expand_text(state, scope, word)?;
                let held = match held {
                    Held::One(Value::OneOf(list)) if colon => {
                        Held::One(Value::one_of(list.into_iter().filter(|text| !text.is_empty()).collect()))
                    }
                    other => other,
                };
                self.deliver(state, held, quoted, builder);
                Ok(())
            }
            ('=', Some(false)) => {
                let value = self.expand_text(state, scope, word)?;
                self.assign_scalar(state, &parameter.name, value.clone());
                builder.variable(value, quoted);
                Ok(())
            }
            (_, Some(false)) => self.word_in_place(state, scope, word, quoted, builder),
            (_, None) => {
                let default = self.expand_text(state, scope, word)?;
                let value = match held {
                    Held::One(Value::OneOf(list)) if colon => {
                        Value::one_of(list.into_iter().filter(|text| !text.is_empty()).collect())
                            .join(&default)
                    }
                    Held::One(value) => value.join(&default),
                    _ => Value::Unknown,
                };
                if which == '=' {
                    self.assign_scalar(state, &parameter.name, value.clone());
                }
                builder.variable(value, quoted);
                Ok(())
            }
        }
    }

    fn word_in_place(
        &mut self,
        state: &mut State,
        scope: &Scope,
        word: &Word,
        quoted: bool,
        builder: &mut Builder,
    ) -> Expanded<()> {
        if quoted {
            builder.current.quoted = true;
            return self.parts(state, scope, &word.parts, true, builder);
        }
        // Unquoted, its blanks separate words; quotes inside protect as usual.
        for (index, part) in word.parts.iter().enumerate() {
            match part {
                crate::syntax::Part::Literal(text) if index == 0 && text.starts_with('~') => {
                    self.parts_with_tilde(state, scope, std::slice::from_ref(part), false, builder)?;
                }
                crate::syntax::Part::Literal(text) => builder.result(Value::known(text), false),
                other => self.parts(state, scope, std::slice::from_ref(other), false, builder)?,
            }
        }
        Ok(())
    }

    /// `${@:2}`, `${a[@]:1:2}`.
    fn slice(
        &mut self,
        state: &mut State,
        scope: &Scope,
        parameter: &Parameter,
        held: Held,
        offset: &Word,
        length: Option<&Word>,
    ) -> Expanded<Held> {
        let from = self.number(state, scope, offset)?;
        let count = match length {
            Some(word) => Some(self.number(state, scope, word)?),
            None => None,
        };
        let Held::Many { values, star, open } = held else { return Ok(held) };
        let positional = matches!(parameter.name.as_str(), "@" | "*");
        let unknown = Held::Many { values: vec![Value::Unknown], star, open: true };
        let Some(from) = from else { return Ok(unknown) };
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

    fn number(&mut self, state: &mut State, scope: &Scope, word: &Word) -> Expanded<Option<i64>> {
        let text = self.expand_text(state, scope, word)?;
        Ok(text.as_known().and_then(|text| match self.evaluate_arithmetic(state, text) {
            Number::Known(n) => Some(n),
            Number::Unknown => None,
        }))
    }

    /// The operator as a function on values, its words expanded once.
    fn operation(
        &mut self,
        state: &mut State,
        scope: &Scope,
        operator: &ParameterOperator,
    ) -> Expanded<Operation> {
        let options = pattern::Options { extglob: state.switches.extglob, ..Default::default() };
        Ok(match operator {
            ParameterOperator::Remove(which, longest, word) => {
                let (which, longest) = (*which, *longest);
                match self.expand_pattern(state, scope, word)? {
                    Some(pattern) => Box::new(move |value| {
                        value.map(|text| remove(text, &pattern, which, longest, options))
                    }),
                    None => Box::new(|_| Value::Unknown),
                }
            }
            ParameterOperator::Replace(which, word, replacement) => {
                let which = *which;
                let pattern = self.expand_pattern(state, scope, word)?;
                let replacement = self.expand_text(state, scope, replacement)?;
                match (pattern, replacement.as_known().map(str::to_owned)) {
                    (Some(pattern), Some(with)) => Box::new(move |value| {
                        value.map(|text| replace(text, &pattern, &with, which, options))
                    }),
                    _ => Box::new(|_| Value::Unknown),
                }
            }
            ParameterOperator::Substring(offset, length) => {
                let from = self.number(state, scope, offset)?;
                let count = match length {
                    Some(word) => Some(self.number(state, scope, word)?),
                    None => None,
                };
                match (from, count) {
                    (Some(from), None) => {
                        Box::new(move |value| value.map(|text| substring(text, from, None)))
                    }
                    (Some(from), Some(Some(n))) => {
                        Box::new(move |value| value.map(|text| substring(text, from, Some(n))))
                    }
                    _ => Box::new(|_| Value::Unknown),
                }
            }
            ParameterOperator::Case(which, all, word) => {
                let (which, all) = (*which, *all);
                let pattern = match word {
                    Some(word) => self.expand_pattern(state, scope, word)?,
                    None => Some("?".to_owned()),
                };
                match pattern {
                    Some(pattern) => Box::new(move |value| {
                        value.map(|text| change_case(text, &pattern, which, all, options))
                    }),
                    None => Box::new(|_| Value::Unknown),
                }
            }
            ParameterOperator::Transform(which) => match which {
                'U' => Box::new(|value| value.map(str::to_uppercase)),
                'u' => Box::new(|value| {
                    value.map(|t| change_case(t, "?", '^', false, pattern::Options::default()))
                }),
                'L' => Box::new(|value| value.map(str::to_lowercase)),
                'Q' => Box::new(|value| value.map(|text| format!("'{}'", text.replace('\'', "'\\''")))),
                'E' => Box::new(|value| value.map(crate::shell::builtins::decode_escapes)),
                'a' => Box::new(|_| Value::Unknown),
                _ => Box::new(|_| Value::Unknown),
            },
            ParameterOperator::Default(..) | ParameterOperator::Names => Box::new(Clone::clone),
        })
    }
}

fn remove(text: &str, pattern: &str, which: char, longest: bool, options: pattern::Options) -> String {
    let starts = boundaries(text);
    if which == '#' {
        let ends = pattern::prefixes_of(pattern, text, options).unwrap_or_default();
        let end = if longest { ends.last() } else { ends.first() };
        return text[end.copied().unwrap_or(0)..].to_owned();
    }
    let mut found = None;
    let matching = |at: usize| pattern::matches(pattern, &text[at..], options);
    if longest {
        found = starts.iter().copied().find(|at| matching(*at)).or(found);
    } else {
        found = starts.iter().rev().copied().find(|at| matching(*at)).or(found);
    }
    text[..found.unwrap_or(text.len())].to_owned()
}

fn replace(text: &str, pattern: &str, with: &str, which: char, options: pattern::Options) -> String {
    if pattern.is_empty() || text.len() > 4096 {
        return text.to_owned();
    }
    if which == '%' {
        let starts = boundaries(text);
        return match starts.into_iter().find(|at| pattern::matches(pattern, &text[*at..], options)) {
            Some(at) => format!("{}{with}", &text[..at]),
            None => text.to_owned(),
        };
    }
    let mut result = String::new();
    let mut at = 0;
    let mut replaced = false;
    while at <= text.len() {
        let here = if which == '#' && at > 0 || (replaced && which != '/') {
            None
        } else {
            pattern::prefixes_of(pattern, &text[at..], options).and_then(|ends| ends.last().copied())
        };
        match here {
            Some(length) if length > 0 => {
                result.push_str(with);
                replaced = true;
                at += length;
            }
            _ => match text[at..].chars().next() {
                Some(c) => {
                    result.push(c);
                    at += c.len_utf8();
                }
                None => break,
            },
        }
    }
    result
}

fn boundaries(text: &str) -> Vec<usize> {
    text.char_indices().map(|(at, _)| at).chain([text.len()]).collect()
}

fn substring(text: &str, from: i64, count: Option<i64>) -> String {
    let chars = text.chars().collect::<Vec<_>>();
    let length = chars.len() as i64;
    let start = if from < 0 { length + from } else { from };
    if start < 0 || start > length {
        return String::new();
    }
    let end = match count {
        None => length,
        Some(n) if n < 0 => length + n,
        Some(n) => start.saturating_add(n).min(length),
    };
    if end <= start {
        return String::new();
    }
    chars[start as usize..end as usize].iter().collect()
}

fn change_case(text: &str, pattern: &str, which: char, all: bool, options: pattern::Options) -> String {
    let mut result = String::new();
    for (index, c) in text.chars().enumerate() {
        let acts = (all || index == 0) && pattern::matches(pattern, &c.to_string(), options);
        match (acts, which) {
            (true, '^') => result.extend(c.to_uppercase()),
            (true, ',') => result.extend(c.to_lowercase()),
            (true, _) if c.is_lowercase() => result.extend(c.to_uppercase()),
            (true, _) => result.extend(c.to_lowercase()),
            (false, _) => result.push(c),
        }
    }
    result
}
