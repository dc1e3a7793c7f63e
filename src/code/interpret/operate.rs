//! Operators on values.

use crate::code::language::Language;
use crate::code::tree::Operator;
use crate::model::Value;

use super::numbers::{in_format, reckoned};
use super::{Machine, Object};

impl Machine<'_> {
    /// The value of a binary operator whose operands were evaluated.
    pub(super) fn operate(&mut self, operator: Operator, left: Object, right: Object) -> Object {
        match operator {
            Operator::Push => left,
            Operator::Count => reckoned(&left, &right, i64::saturating_add)
                .unwrap_or_else(|| Self::some_text(Value::Unknown)),
            Operator::Range => Self::span(&left, &right),
            Operator::Join => match (left, right) {
                (Object::List(a), Object::List(b)) => Object::List(a.into_iter().chain(b).collect()),
                (Object::List(a), other @ Object::Many(_)) | (other @ Object::Many(_), Object::List(a)) => {
                    Object::Many(Box::new(Object::any(a.into_iter().chain(other.elements().0).collect())))
                }
                (Object::Many(a), Object::Many(b)) => Object::Many(Box::new(a.or(*b))),
                (path @ Object::Path { .. }, next) if self.language == Language::Ruby => path.slash(&next),
                (Object::Plain, Object::Plain) => Object::Plain,
                // Whether it is a sum the sign does not tell in every language.
                (a, b) => match reckoned(&a, &b, i64::saturating_add) {
                    Some(sum) if sum.wildcard().is_some() => sum,
                    Some(sum) => sum.or(a.then(&b)),
                    None => a.then(&b),
                },
            },
            Operator::Slash if matches!(left, Object::Path { .. }) => left.slash(&right),
            Operator::Repeat => match (&left, right.known().and_then(|n| n.parse::<usize>().ok())) {
                (_, times) if let Some(product) = reckoned(&left, &right, i64::saturating_mul) => {
                    match (left.known(), times) {
                        (Some(text), Some(times)) if text.len() * times <= 10_000 => {
                            product.or(Object::text(text.repeat(times)))
                        }
                        _ => product,
                    }
                }
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
        let argument = next.next().cloned().unwrap_or(Object::Unknown);
        let told = match after.get(..end).unwrap_or_default() {
            "s" | "d" => argument,
            format => in_format(&argument, format),
        };
        result = result.then(&told);
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
        let told = match (argument, field.strip_prefix(name)) {
            (Some(argument), Some("")) => argument.clone(),
            (Some(argument), Some(rest)) => {
                rest.strip_prefix(':').map_or(Object::Unknown, |format| in_format(argument, format))
            }
            _ => Object::Unknown,
        };
        result = result.then(&told);
        rest = tail;
    }
    result.then(&Object::text(rest))
}
