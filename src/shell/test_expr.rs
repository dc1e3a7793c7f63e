//! `[ … ]`, `test` and `[[ … ]]`.

use crate::model::Value;
use crate::syntax::TestExpression;
use crate::world::FileKind;

use super::expand::{Expanded, Number};
use super::interp::Shell;
use super::state::{State, Status};

impl Shell<'_> {
    pub(super) fn test_expression(
        &mut self,
        state: &mut State,
        expression: &TestExpression,
    ) -> Expanded<Status> {
        Ok(match expression {
            TestExpression::Unary(operator, word) => {
                let value = self.expand_one(state, word)?;
                // A name with a subscript is expanded once more.
                if matches!(operator.as_str(), "-v" | "-R") {
                    value.choices().unwrap_or_default().iter().for_each(|text| self.substitutes(text));
                }
                self.unary(state, operator, &value)
            }
            TestExpression::Binary(left, operator, right) => {
                let value = self.expand_one(state, left)?;
                match operator.as_str() {
                    "=" | "==" | "!=" => {
                        let pattern = self.expand_pattern(state, right)?;
                        let status =
                            Status::from_option(self.matches_pattern(state, &value, pattern.as_deref()));
                        if operator == "!=" { status.negate() } else { status }
                    }
                    "=~" => {
                        self.expand_one(state, right)?;
                        Status::Unknown
                    }
                    "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                        let right = self.expand_one(state, right)?;
                        let number = |interp: &mut Self, state: &mut State, value: &Value| match value
                            .as_known()
                            .map(|text| interp.evaluate_arithmetic(state, text))
                        {
                            Some(Number::Known(n)) => Value::Known(n.to_string()),
                            _ => Value::Unknown,
                        };
                        let (left, right) = (number(self, state, &value), number(self, state, &right));
                        self.binary(state, &left, operator, &right)
                    }
                    _ => {
                        let right = self.expand_one(state, right)?;
                        self.binary(state, &value, operator, &right)
                    }
                }
            }
            TestExpression::Word(word) => {
                let value = self.expand_one(state, word)?;
                not_empty(&value)
            }
            TestExpression::Not(inner) => self.test_expression(state, inner)?.negate(),
            TestExpression::And(left, right) => match self.test_expression(state, left)? {
                Status::False => Status::False,
                Status::True => self.test_expression(state, right)?,
                Status::Unknown => match self.test_expression(state, right)? {
                    Status::False => Status::False,
                    _ => Status::Unknown,
                },
            },
            TestExpression::Or(left, right) => match self.test_expression(state, left)? {
                Status::True => Status::True,
                Status::False => self.test_expression(state, right)?,
                Status::Unknown => match self.test_expression(state, right)? {
                    Status::True => Status::True,
                    _ => Status::Unknown,
                },
            },
            TestExpression::Other(words) => {
                self.expand_words(state, words)?;
                Status::Unknown
            }
        })
    }

    /// `test` and `[` with their words.
    pub(super) fn test_words(&self, state: &State, words: &[Value]) -> Status {
        let text = |at: usize| words.get(at).and_then(Value::as_known);
        match words.len() {
            0 => Status::False,
            1 => not_empty(&words[0]),
            2 => match text(0) {
                Some("!") => not_empty(&words[1]).negate(),
                Some(operator) => self.unary(state, operator, &words[1]),
                None => Status::Unknown,
            },
            3 => match (text(0), text(1), text(2)) {
                (_, Some("-a"), _) => and(not_empty(&words[0]), not_empty(&words[2])),
                (_, Some("-o"), _) => or(not_empty(&words[0]), not_empty(&words[2])),
                (Some("!"), ..) => self.test_words(state, &words[1..]).negate(),
                (Some("("), _, Some(")")) => not_empty(&words[1]),
                (_, Some(operator), _) => self.binary(state, &words[0], operator, &words[2]),
                _ => Status::Unknown,
            },
            _ => {
                if text(0) == Some("!") && words.len() == 4 {
                    return self.test_words(state, &words[1..]).negate();
                }
                for (operator, join) in [("-o", or as fn(Status, Status) -> Status), ("-a", and)] {
                    if let Some(at) = (1..words.len() - 1).find(|at| text(*at) == Some(operator)) {
                        let left = self.test_words(state, &words[..at]);
                        let right = self.test_words(state, &words[at + 1..]);
                        return join(left, right);
                    }
                }
                Status::Unknown
            }
        }
    }

    fn unary(&self, state: &State, operator: &str, value: &Value) -> Status {
        match operator {
            "-n" => return not_empty(value),
            "-z" => return not_empty(value).negate(),
            "-v" => {
                return match value.as_known() {
                    Some(name) => match self.scalar(state, name) {
                        None => Status::False,
                        Some(Value::Unknown) => Status::Unknown,
                        Some(_) => Status::True,
                    },
                    None => Status::Unknown,
                };
            }
            "-o" => return Status::Unknown,
            "-t" => return Status::Unknown,
            _ => {}
        }
        if state.scope.host.is_some() {
            return Status::Unknown;
        }
        if value.as_known() == Some("") {
            return Status::False;
        }
        let Some(path) = self.absolute(state, value) else { return Status::Unknown };
        Status::from_option(match operator {
            "-e" | "-a" => self.exists(state, &path),
            "-f" => self.is_kind(state, &path, FileKind::File),
            "-d" => self.is_kind(state, &path, FileKind::Directory),
            "-b" => self.is_kind(state, &path, FileKind::BlockDevice),
            "-c" => self.is_kind(state, &path, FileKind::CharDevice),
            "-L" | "-h" => match self.untouched(state, &path) {
                Some(path) => match self.world.lstat(&path) {
                    Ok(meta) => Some(meta.kind == FileKind::Symlink),
                    Err(crate::world::LookError::NotFound) => Some(false),
                    Err(_) => None,
                },
                None => None,
            },
            "-s" => match self.untouched(state, &path) {
                Some(path) => match self.world.stat(&path) {
                    Ok(meta) => Some(meta.size > 0),
                    Err(crate::world::LookError::NotFound) => Some(false),
                    Err(_) => None,
                },
                None => None,
            },
            "-r" | "-w" | "-x" | "-O" | "-G" | "-N" | "-u" | "-g" | "-k" | "-p" | "-S" => {
                match self.exists(state, &path) {
                    Some(false) => Some(false),
                    _ if operator == "-x" && self.is_directory(state, &path) == Some(true) => None,
                    _ if operator == "-x" => self
                        .untouched(state, &path)
                        .and_then(|path| self.world.stat(&path).ok())
                        .and_then(|meta| (meta.mode & 0o111 == 0).then_some(false)),
                    _ => None,
                }
            }
            _ => None,
        })
    }

    fn binary(&self, state: &State, left: &Value, operator: &str, right: &Value) -> Status {
        if self.is_stand_in(left) || self.is_stand_in(right) {
            return Status::Unknown;
        }
        match operator {
            "=" | "==" | "!=" => {
                let equal = match (left.choices(), right.choices()) {
                    (Some([a]), Some([b])) => Status::from_bool(a == b),
                    (Some(a), Some(b)) if !a.iter().any(|text| b.contains(text)) => Status::False,
                    _ => match (&left.clone().plain(), right.as_known()) {
                        (Value::Affix { prefix, suffix }, Some(text))
                            if !text.starts_with(prefix.as_str()) || !text.ends_with(suffix.as_str()) =>
                        {
                            Status::False
                        }
                        _ => Status::Unknown,
                    },
                };
                if operator == "!=" { equal.negate() } else { equal }
            }
            "<" | ">" => match (left.as_known(), right.as_known()) {
                (Some(a), Some(b)) => Status::from_bool(if operator == "<" { a < b } else { a > b }),
                _ => Status::Unknown,
            },
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                let number = |value: &Value| value.as_known().map(|text| text.trim().parse::<i64>());
                match (number(left), number(right)) {
                    (Some(Ok(a)), Some(Ok(b))) => Status::from_bool(match operator {
                        "-eq" => a == b,
                        "-ne" => a != b,
                        "-lt" => a < b,
                        "-le" => a <= b,
                        "-gt" => a > b,
                        _ => a >= b,
                    }),
                    (Some(Err(_)), _) | (_, Some(Err(_))) => Status::False,
                    _ => Status::Unknown,
                }
            }
            "-ef" => match (self.absolute(state, left), self.absolute(state, right)) {
                (Some(a), Some(b)) if a == b => Status::from_option(self.exists(state, &a)),
                _ => Status::Unknown,
            },
            _ => Status::Unknown,
        }
    }
}

fn not_empty(value: &Value) -> Status {
    match value.clone().plain() {
        Value::Known(text) => Status::from_bool(!text.is_empty()),
        Value::OneOf(list) if list.iter().all(|text| !text.is_empty()) => Status::True,
        Value::Affix { prefix, suffix } if !prefix.is_empty() || !suffix.is_empty() => Status::True,
        _ => Status::Unknown,
    }
}

fn and(a: Status, b: Status) -> Status {
    match (a, b) {
        (Status::False, _) | (_, Status::False) => Status::False,
        (Status::True, Status::True) => Status::True,
        _ => Status::Unknown,
    }
}

fn or(a: Status, b: Status) -> Status {
    and(a.negate(), b.negate()).negate()
}
