//! Operators of a parameter expansion (`${x#…}`, `${x/a/b}`, `${x:1:2}`, `${x^^}`, `${x@Q}`), as functions on values.

use crate::model::{Value, first_field, piece_of};
use crate::shell::interp::Shell;
use crate::shell::pattern;
use crate::shell::state::State;
use crate::syntax::ParameterOperator;

use super::Expanded;

/// An operator of a parameter expansion, ready to act on values.
pub(super) type Operation = Box<dyn Fn(&Value) -> Value>;

impl Shell<'_> {
    /// The operator as a function on values, its words expanded once.
    pub(super) fn operation(
        &mut self,
        state: &mut State,
        operator: &ParameterOperator,
    ) -> Expanded<Operation> {
        let options = pattern::Options { extglob: state.switches.extglob, ..Default::default() };
        Ok(match operator {
            ParameterOperator::Remove(which, longest, word) => {
                let (which, longest) = (*which, *longest);
                match self.expand_pattern(state, word)? {
                    Some(pattern) => Box::new(move |value| match (value, pattern.as_bytes()) {
                        // Of a line that begins with a number, what stands in front of the sign behind it.
                        (Value::Woven(text), [sign @ (b':' | b' ' | b',' | b'='), b'*'])
                            if which == '%' && longest =>
                        {
                            let field = first_field(text, char::from(*sign));
                            let field = field.map(|field| Value::marked(field.trim_end_matches('\n')));
                            field.unwrap_or(Value::Unknown)
                        }
                        _ => value.map(|text| remove(text, &pattern, which, longest, options)),
                    }),
                    None => Box::new(|_| Value::Unknown),
                }
            }
            ParameterOperator::Replace(which, word, replacement) => {
                let which = *which;
                let pattern = self.expand_pattern(state, word)?;
                let replacement = self.expand_text(state, replacement)?;
                match (pattern, replacement.as_known().map(str::to_owned)) {
                    (Some(pattern), Some(with)) => Box::new(move |value| {
                        value.map(|text| replace(text, &pattern, &with, which, options))
                    }),
                    _ => Box::new(|_| Value::Unknown),
                }
            }
            ParameterOperator::Substring(offset, length) => {
                let from = self.number(state, offset)?;
                let count = match length {
                    Some(word) => Some(self.number(state, word)?),
                    None => None,
                };
                match (from, count) {
                    (Some(from), None) => Box::new(move |value| part(value, from, None)),
                    (Some(from), Some(Some(n))) => Box::new(move |value| part(value, from, Some(n))),
                    _ => Box::new(|_| Value::Unknown),
                }
            }
            ParameterOperator::Case(which, all, word) => {
                let (which, all) = (*which, *all);
                let pattern = match word {
                    Some(word) => self.expand_pattern(state, word)?,
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

fn part(value: &Value, from: i64, count: Option<i64>) -> Value {
    match value {
        Value::Woven(text) => {
            piece_of(text).map_or(Value::Unknown, |piece| Value::marked(piece.trim_end_matches('\n')))
        }
        _ => value.map(|text| substring(text, from, count)),
    }
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
