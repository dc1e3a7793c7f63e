//! What a value in a program can be.

use std::rc::Rc;

use crate::code::effect::matched;
use crate::code::tree::Function;
use crate::model::Value;
use crate::wildcard;

use super::remote::is_made;

/// A value, as far as it matters.
#[derive(Clone, Debug)]
pub(in crate::code) enum Object {
    /// A text or number; `glob`: a wildcard pattern that stands for the names of which it is one.
    Text {
        value: Value,
        glob: bool,
    },
    /// A path object with methods of its own.
    Path {
        value: Value,
        glob: bool,
    },
    List(Vec<Object>),
    /// Any number of such elements.
    Many(Box<Object>),
    Map(Vec<(String, Object)>),
    /// Something of the language or a known library, by its full name.
    Native(String),
    /// Something of a module that is not known.
    Foreign(String),
    /// A method of a value.
    Member(Box<Object>, String),
    Function(Rc<Function>),
    /// A class of the program, by name.
    Class(String),
    /// An open file.
    Handle(Value),
    Database {
        dialect: &'static str,
        database: Value,
    },
    /// One of these.
    Either(Vec<Object>),
    /// A process that the program started itself, and what comes from it.
    Process,
    /// `None`, `nil`, `undefined`: whoever uses it as a name fails.
    Nothing,
    /// Harmless, whatever it is; as a name it is any.
    Plain,
    /// Anything that came from outside.
    Unknown,
}

impl Object {
    /// A known text.
    pub(in crate::code) fn text(text: impl Into<String>) -> Self {
        Self::Text { value: Value::known(text), glob: false }
    }

    /// A wildcard pattern.
    pub(in crate::code) fn pattern(value: Value) -> Self {
        Self::Text { value, glob: true }
    }

    /// Text and path with what is known of them; everything else is an unknown text.
    pub(in crate::code) fn value(&self) -> (Value, bool) {
        match self {
            Self::Text { value, glob } | Self::Path { value, glob } => (value.clone(), *glob),
            Self::Either(list) => {
                let mut values = list.iter().map(Self::value);
                let Some(first) = values.next() else { return (Value::Unknown, false) };
                values.fold(first, |(value, glob), (next, other)| (value.join(&next), glob || other))
            }
            _ => (Value::Unknown, false),
        }
    }

    /// What is known of the one text that this is at a time; of one of many names only what all of them share.
    pub(in crate::code) fn word(&self) -> Value {
        match self.value() {
            (value, true) => matched(&value),
            (value, false) => value,
        }
    }

    /// The wildcard pattern that this is one of the names of, when all of it is known.
    pub(in crate::code) fn wildcard(&self) -> Option<String> {
        match self.value() {
            (Value::Known(pattern), true) => Some(pattern),
            _ => None,
        }
    }

    /// The text when it is known.
    pub(in crate::code) fn known(&self) -> Option<String> {
        match self {
            Self::Text { value: Value::Known(text), glob: false }
            | Self::Path { value: Value::Known(text), glob: false } => Some(text.clone()),
            _ => None,
        }
    }

    /// All paths that this stands for, each with whether it is a pattern.
    pub(in crate::code) fn paths(&self) -> Vec<(Value, bool)> {
        match self {
            Self::List(list) | Self::Either(list) => list.iter().flat_map(Self::paths).collect(),
            Self::Many(element) => element.paths(),
            Self::Handle(path) => vec![(path.clone(), false)],
            other => match other.value() {
                // Several patterns: each stands for names of its own.
                (Value::OneOf(list), true) => {
                    list.into_iter().map(|text| (Value::Known(text), true)).collect()
                }
                one => vec![one],
            },
        }
    }

    /// Elements of a list, and whether there are exactly these.
    pub(in crate::code) fn elements(&self) -> (Vec<Object>, bool) {
        match self {
            Self::List(list) => (list.clone(), true),
            Self::Many(element) => (vec![(**element).clone()], false),
            Self::Map(entries) => {
                let known = |key: &String| !key.starts_with('\u{0}');
                let keys = entries
                    .iter()
                    .map(|(key, _)| if known(key) { Self::text(key.clone()) } else { Self::Unknown });
                (keys.collect(), entries.iter().all(|(key, _)| known(key)))
            }
            Self::Either(list) => (list.iter().flat_map(|o| o.elements().0).collect(), false),
            Self::Path { .. } => (vec![self.clone()], true),
            Self::Plain | Self::Nothing => (vec![Self::Plain], false),
            Self::Foreign(name) if is_made(name) => (vec![self.clone()], false),
            // Any function of a module.
            Self::Native(name) if name.ends_with('\u{0}') => (vec![self.clone()], false),
            _ => (vec![Self::Unknown], false),
        }
    }

    /// The values of a map; anything else itself.
    pub(in crate::code) fn values_or_self(&self) -> Vec<Object> {
        match self {
            Self::Map(entries) => entries.iter().map(|(_, value)| value.clone()).collect(),
            other => vec![other.clone()],
        }
    }

    /// One or the other.
    pub(in crate::code) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, other) | (other, Self::Nothing) => other,
            (Self::Plain, Self::Plain) => Self::Plain,
            (Self::Plain, other) | (other, Self::Plain) => other.or(Self::Unknown),
            (Self::Unknown, Self::Unknown) => Self::Unknown,
            (Self::Text { value: a, glob: g }, Self::Text { value: b, glob: h }) if g == h => {
                Self::Text { value: a.join(&b), glob: g }
            }
            (Self::Either(mut list), other) => {
                if matches!(other, Self::Unknown) && list.iter().any(|one| matches!(one, Self::Unknown)) {
                    Self::Either(list)
                } else if list.len() < 8 {
                    list.push(other);
                    Self::Either(list)
                } else {
                    Self::Unknown
                }
            }
            (first, second) => Self::Either(vec![first, second]),
        }
    }

    /// One of many.
    pub(in crate::code) fn any(list: Vec<Self>) -> Self {
        list.into_iter().reduce(Self::or).unwrap_or(Self::Unknown)
    }

    /// A text of both, one behind the other.
    pub(in crate::code) fn then(&self, next: &Self) -> Self {
        let ((a, g), (b, h)) = Self::both(self, next);
        let long = |value: &Value| value.as_known().map_or(0, str::len);
        let value = if long(&a) + long(&b) > super::budget::TEXT { Value::Unknown } else { a.concat(&b) };
        Self::Text { value, glob: g || h }
    }

    /// The texts of both. Beside a pattern what a mere text has of wildcards stands for itself.
    fn both(first: &Self, next: &Self) -> ((Value, bool), (Value, bool)) {
        let (first, next) = (first.value(), next.value());
        let bare = |(value, glob): (Value, bool), beside: bool| match value.choices() {
            Some(list) if beside && !glob && list.iter().any(|text| text.contains(['*', '?', '[', '\\'])) => {
                (value.map(wildcard::escape), glob)
            }
            _ => (value, glob),
        };
        let (one, other) = (first.1, next.1);
        (bare(first, other), bare(next, one))
    }

    /// A path of both, as path joining does it.
    pub(in crate::code) fn slash(&self, next: &Self) -> Self {
        let ((a, g), (b, h)) = Self::both(self, next);
        let value = match (&a, &b) {
            (_, Value::Known(text)) if text.starts_with('/') => b.clone(),
            (Value::Known(text), _) if text.is_empty() || text == "." => b.clone(),
            (_, Value::Known(text)) if text.is_empty() => a.clone(),
            (Value::Known(text), _) if text.ends_with('/') => a.concat(&b),
            _ => a.concat(&Value::known("/")).concat(&b),
        };
        let glob = g || h;
        if matches!(self, Self::Path { .. }) {
            Self::Path { value, glob }
        } else {
            Self::Text { value, glob }
        }
    }
}

/// Arguments of a call.
#[derive(Clone, Debug, Default)]
pub(in crate::code) struct Arguments {
    pub(in crate::code) list: Vec<Object>,
    pub(in crate::code) named: Vec<(String, Object)>,
    /// Block behind the call (Ruby, Perl).
    pub(in crate::code) block: Option<Object>,
}

impl Arguments {
    /// Positional arguments alone.
    pub(in crate::code) fn of(list: Vec<Object>) -> Self {
        Self { list, ..Self::default() }
    }

    /// The same, with what the method is of as the first word: a connection to some machine.
    pub(in crate::code) fn of_somebody(&self) -> Self {
        let words = std::iter::once(Object::Unknown).chain(self.list.iter().cloned());
        Self { list: words.collect(), ..self.clone() }
    }

    /// The argument at a place, or with one of these keywords.
    pub(in crate::code) fn get(&self, index: usize, names: &[&str]) -> Option<&Object> {
        self.list.get(index).or_else(|| self.keyword(names))
    }

    /// The argument with one of these keywords, in the call itself or in a map among the arguments.
    pub(in crate::code) fn keyword(&self, names: &[&str]) -> Option<&Object> {
        let own = self.named.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value);
        own.or_else(|| {
            self.list.iter().find_map(|object| match object {
                Object::Map(entries) => {
                    entries.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value)
                }
                _ => None,
            })
        })
    }

    /// The first argument.
    pub(in crate::code) fn first(&self) -> Object {
        self.list.first().or(self.named.first().map(|(_, v)| v)).cloned().unwrap_or(Object::Unknown)
    }
}
