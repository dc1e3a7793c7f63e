//! Operators on values.

use crate::code::language::Language;
use crate::code::tree::Operator;
use crate::model::Value;

use super::{Machine, Object};

impl Machine<'_> {
    /// The value of a binary operator whose operands were evaluated.
    pub(super) fn operate(&mut self, operator: Operator, left: Object, right: Object) -> Object {
        match operator {
            Operator::Push => left,
            Operator::Join => match (left, right) {
                (Object::List(a), Object::List(b)) => Object::List(a.into_iter().chain(b).collect()),
                (Object::List(a), other @ Object::Many(_)) | (other @ Object::Many(_), Object::List(a)) => {
                    Object::Many(Box::new(Object::element(a.into_iter().chain(other.elements().0).collect())))
                }
                (Object::Many(a), Object::Many(b)) => Object::Many(Box::new(a.or(*b))),
                (path @ Object::Path { .. }, next) if self.language == Language::Ruby => path.slash(&next),
                (Object::Plain, Object::Plain) => Object::Plain,
                (a, b) => a.then(&b),
            },
            Operator::Slash if matches!(left, Object::Path { .. }) => left.slash(&right),
            Operator::Repeat => match (&left, right.known().and_then(|n| n.parse::<usize>().ok())) {
                (Object::Text { value: Value::Known(text), .. }, Some(times))
                    if text.len() * times <= 10_000 =>
                {
                    Object::text(text.repeat(times))
                }
                (Object::List(_) | Object::Many(_), _) => left,
                _ => Object::Plain,
            },
            Operator::Format => match &left {
                Object::Text { value: Value::Known(format), .. } => {
                    let arguments =
                        if let Object::List(list) = &right { list.clone() } else { vec![right.clone()] };
                    percent(format, &arguments)
                }
                _ => Object::Plain,
            },
            // Flags such as `os.O_WRONLY | os.O_TRUNC`.
            Operator::Other => match (left, right) {
                (Object::Plain, Object::Plain) => Object::Plain,
                (a, b) => Object::Either(vec![a, b]),
            },
            _ => Object::Plain,
        }
    }
}

/// `printf`-like formatting: every directive stands for one argument.
pub(super) fn percent(format: &str, arguments: &[Object]) -> Object {
    let mut result = Object::text("");
    let mut rest = format;
    let mut next = arguments.iter();
    while let Some((before, after)) = rest.split_once('%') {
        result = result.then(&Object::text(before));
        if let Some(tail) = after.strip_prefix('%') {
            result = result.then(&Object::text("%"));
            rest = tail;
            continue;
        }
        let end = after.find(|c: char| c.is_ascii_alphabetic()).map_or(after.len(), |at| at + 1);
        let argument =
            if after.starts_with(['s', 'd']) { next.next() } else { next.next().map(|_| &Object::Unknown) };
        result = result.then(argument.unwrap_or(&Object::Unknown));
        rest = &after[end..];
    }
    result.then(&Object::text(rest))
}

/// `{}`-like formatting of Python.
pub(super) fn braces(format: &str, arguments: &[Object], named: &[(String, Object)]) -> Object {
    let mut result = Object::text("");
    let mut rest = format;
    let mut count = 0;
    while let Some((before, after)) = rest.split_once('{') {
        result = result.then(&Object::text(before));
        let Some((field, tail)) = after.split_once('}') else { break };
        let name = field.split([':', '!', '.', '[']).next().unwrap_or_default();
        let argument = if name.is_empty() {
            count += 1;
            arguments.get(count - 1)
        } else if let Ok(index) = name.parse::<usize>() {
            arguments.get(index)
        } else {
            named.iter().find(|(known, _)| known == name).map(|(_, value)| value)
        };
        let simple = field == name;
        result = result.then(argument.filter(|_| simple).unwrap_or(&Object::Unknown));
        rest = tail;
    }
    result.then(&Object::text(rest))
}
