//! Variables over time: what they may be after one way or the other, after another round, or set from within a function.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::code::language::Language;
use crate::model::Value;

use super::numbers::{digits, grows};
use super::{Machine, Object, containers};

impl Machine<'_> {
    /// Forgets what is known of variables that a round of a loop has changed; tells whether there are any.
    pub(super) fn widen(&mut self, before: &[BTreeMap<String, Object>]) -> bool {
        let mut changed = false;
        for (frame, old) in self.frames.iter_mut().zip(before) {
            for (name, object) in frame.iter_mut() {
                let Some(old) = old.get(name).filter(|old| !same(old, object)) else { continue };
                let new = std::mem::replace(object, Object::Plain);
                *object = match (old, new) {
                    (old, new) if grows(old, &new) => digits(),
                    // Something that was counted.
                    (Object::Text { glob: false, .. }, Object::Plain) => Self::some_text(Value::Unknown),
                    (Object::Text { glob, .. }, Object::Text { glob: other, .. }) => {
                        Object::Text { value: Value::Unknown, glob: *glob && other }
                    }
                    (Object::Path { glob, .. }, Object::Path { glob: other, .. }) => {
                        Object::Path { value: Value::Unknown, glob: *glob && other }
                    }
                    (
                        old @ (Object::List(_) | Object::Many(_)),
                        new @ (Object::List(_) | Object::Many(_)),
                    ) => {
                        let elements = old.elements().0.into_iter().chain(new.elements().0);
                        Object::Many(Box::new(Object::any(elements.collect())))
                    }
                    (old, new) => old.clone().or(new),
                };
                changed = true;
            }
        }
        changed
    }

    /// An assignment in a function may be one to a variable outside it.
    pub(super) fn set_outside(&mut self, name: &str, object: &Object) {
        self.carry(name, object);
        let inner = self.frames.len().saturating_sub(1);
        if inner == 0 || matches!(name, "$_" | "@_" | "it" | "_1") {
            return;
        }
        let says = || self.frames.last().is_some_and(|frame| frame.contains_key(&format!("\u{0}{name}")));
        let reaches = match self.language {
            Language::Python | Language::Php => name.contains('.') || says(),
            _ => !self.frames.last().is_some_and(|frame| frame.contains_key(name)),
        };
        if !reaches {
            return;
        }
        let outer = self.frames.get_mut(..inner).unwrap_or_default();
        if let Some(frame) = outer.iter_mut().rev().find(|frame| frame.contains_key(name))
            && let Some(before) = frame.get_mut(name)
        {
            let old = std::mem::replace(before, Object::Plain);
            *before = if same(&old, object) { old } else { old.or(object.clone()) };
        }
    }
}

/// Perl's list of keys and values as a map.
pub(super) fn pairs(object: Object) -> Object {
    let Object::List(list) = object else { return object };
    let entry = |pair: &[Object]| {
        let key = pair.first().and_then(Object::known).unwrap_or_else(|| containers::ANY.to_owned());
        (key, pair.get(1).cloned().unwrap_or(Object::Unknown))
    };
    if let [Object::Map(entries)] = list.as_slice() {
        return Object::Map(entries.clone());
    }
    Object::Map(list.chunks(2).map(entry).collect())
}

/// What variables may be after either way.
pub(super) fn join_frames(
    left: Vec<BTreeMap<String, Object>>,
    right: Vec<BTreeMap<String, Object>>,
) -> Vec<BTreeMap<String, Object>> {
    left.into_iter()
        .zip(right)
        .map(|(mut left, right)| {
            for (name, object) in right {
                match left.remove(&name) {
                    Some(before) if !same(&before, &object) => left.insert(name, before.or(object)),
                    _ => left.insert(name, object),
                };
            }
            left
        })
        .collect()
}

/// Cheap equality: enough to keep unchanged variables as they are.
fn same(left: &Object, right: &Object) -> bool {
    match (left, right) {
        (Object::Text { value: a, glob: g }, Object::Text { value: b, glob: h })
        | (Object::Path { value: a, glob: g }, Object::Path { value: b, glob: h }) => a == b && g == h,
        (Object::Native(a), Object::Native(b)) | (Object::Foreign(a), Object::Foreign(b)) => a == b,
        (Object::Function(a), Object::Function(b)) => Rc::ptr_eq(a, b),
        (Object::Handle(a), Object::Handle(b)) => a == b,
        (Object::Class(a), Object::Class(b)) => a == b,
        (Object::Database { .. }, Object::Database { .. })
        | (Object::Nothing, Object::Nothing)
        | (Object::Plain, Object::Plain)
        | (Object::Unknown, Object::Unknown) => true,
        (Object::List(a), Object::List(b)) | (Object::Either(a), Object::Either(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Object::Many(a), Object::Many(b)) => same(a, b),
        (Object::Map(a), Object::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => false,
    }
}
