//! Numbers that a program counts through, sums of them, and how they stand in texts.
//!
//! A number that is told is a text of its digits. Of one that only grows nobody knows more than that names of files that hold
//! it have a digit there, so it is a wildcard pattern.

use crate::code::language::Language;
use crate::model::Value;

use super::{Arguments, Machine, Object};

/// Any number that is not below zero, also one with zeros in front.
const DIGITS: &str = "[0-9]*";
/// The longest padding that is told.
const WIDEST: usize = 100;

impl Machine<'_> {
    /// One of the numbers of a range, both ends of which belong to it; none where the ends are the wrong way round.
    /// An end that is not told is at least as far as the other one.
    pub(super) fn counted(first: Option<i64>, last: Option<i64>, step: i64) -> Object {
        let low = if step < 0 { last } else { first };
        match (first, last) {
            (Some(first), Some(last)) if step != 0 => {
                let count = (last.saturating_sub(first) / step).saturating_add(1);
                let backwards = (last.saturating_sub(first)).signum() == -step.signum();
                match usize::try_from(count) {
                    _ if backwards => Object::List(Vec::new()),
                    Ok(1) => Object::List(vec![Object::text(first.to_string())]),
                    Ok(count) if count <= Value::MAX_CHOICES => {
                        let all = (0..count).map(|at| {
                            let at = i64::try_from(at).unwrap_or(i64::MAX);
                            first.saturating_add(at.saturating_mul(step)).to_string()
                        });
                        let one = Value::one_of(all.collect());
                        Object::Many(Box::new(Object::Text { value: one, glob: false }))
                    }
                    _ => some(first.min(last)),
                }
            }
            _ => low.map_or(Object::Plain, some),
        }
    }

    /// `a..b`, from whichever is the smaller one.
    pub(super) fn span(first: &Object, last: &Object) -> Object {
        match (integer(first), integer(last)) {
            (None, _) => Object::Plain,
            (Some(first), Some(last)) => Self::counted(Some(first.min(last)), Some(first.max(last)), 1),
            (first, None) => Self::counted(first, None, 1),
        }
    }

    /// Python's `range`.
    pub(super) fn range_of(arguments: &Arguments) -> Object {
        let number = |at: usize| arguments.list.get(at).and_then(integer);
        let below = |end: Option<i64>, step: i64| end.map(|end| end.saturating_sub(step.signum()));
        match arguments.list.len() {
            1 => Self::counted(Some(0), below(number(0), 1), 1),
            2 => Self::counted(number(0), below(number(1), 1), 1),
            3 => match number(2) {
                Some(step) => Self::counted(number(0), below(number(1), step), step),
                None => Object::Plain,
            },
            _ => Object::Plain,
        }
    }

    /// Methods of numbers that count (Ruby), or that write them out with zeros in front.
    pub(super) fn number_method(
        &mut self,
        number: &Object,
        name: &str,
        arguments: &Arguments,
    ) -> Option<Object> {
        let ruby = self.language == Language::Ruby;
        let first = integer(number);
        let given = arguments.list.first().and_then(integer);
        let range = match name {
            "times" if ruby => Self::counted(Some(0), first.map(|count| count.saturating_sub(1)), 1),
            "upto" if ruby => Self::counted(first, given, 1),
            "downto" if ruby => Self::counted(first, given, -1),
            "zfill" => return Some(padded(number, given)),
            "padStart" | "rjust" => {
                let zero = arguments.list.get(1).and_then(Object::known).is_some_and(|with| with == "0");
                return Some(if zero { padded(number, given) } else { Object::Unknown });
            }
            _ => return None,
        };
        Some(self.with_block(range, arguments))
    }
}

/// The number that is told.
fn integer(object: &Object) -> Option<i64> {
    object.known()?.parse().ok()
}

/// All that a number may be; none where it is not told, or no number.
fn integers(object: &Object) -> Option<Vec<i64>> {
    let (value, glob) = object.value();
    let list = value.choices().filter(|_| !glob)?;
    list.iter().map(|text| text.parse().ok()).collect()
}

/// Some number from this one on.
fn some(low: i64) -> Object {
    Object::Many(Box::new(if low < 0 { Object::Unknown } else { digits() }))
}

/// Whether a number that is not below zero has become a larger one.
pub(super) fn grows(old: &Object, new: &Object) -> bool {
    let least = |object: &Object| match is_digits(object) {
        true => Some(0),
        false => integers(object).and_then(|all| all.into_iter().min()),
    };
    matches!((least(old), least(new)), (Some(old), Some(new)) if old >= 0 && new >= old)
}

pub(super) fn digits() -> Object {
    Object::pattern(Value::known(DIGITS))
}

/// Whether it is some number that is not told.
fn is_digits(object: &Object) -> bool {
    object.wildcard().is_some_and(|pattern| pattern == DIGITS)
}

/// A sum or a product, where both are numbers. None: they are not.
pub(super) fn reckoned(left: &Object, right: &Object, with: fn(i64, i64) -> i64) -> Option<Object> {
    if is_digits(left) || is_digits(right) {
        let number = |object: &Object| is_digits(object) || integers(object).is_some();
        return (number(left) && number(right)).then(digits);
    }
    let (left, right) = (integers(left)?, integers(right)?);
    let all = left.iter().flat_map(|a| right.iter().map(move |b| with(*a, *b).to_string()));
    Some(Object::Text { value: Value::one_of(all.collect()), glob: false })
}

/// A number with zeros in front, at least so long. What is no number may have anything there.
pub(super) fn padded(number: &Object, width: Option<i64>) -> Object {
    if is_digits(number) {
        return digits();
    }
    let width = width.and_then(|width| usize::try_from(width).ok()).filter(|width| *width <= WIDEST);
    match (integers(number), width) {
        (Some(all), Some(width)) => {
            let all = all.iter().map(|number| format!("{number:0width$}"));
            Object::Text { value: Value::one_of(all.collect()), glob: false }
        }
        _ => Object::Unknown,
    }
}

/// What a format (`03d`, `d`) makes of a number; anything else is not told.
pub(super) fn in_format(number: &Object, format: &str) -> Object {
    let width = format.strip_suffix('d').unwrap_or(format);
    match width.strip_prefix('0') {
        Some(width) => padded(number, width.parse().ok()),
        None if width.is_empty() && integers(number).is_some() => number.clone(),
        None => Object::Unknown,
    }
}
