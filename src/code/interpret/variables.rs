//! Variables: what they hold, and what is set.

use crate::code::language::Language;
use crate::code::tree::{Expr, Part};

use super::frames::pairs;
use super::{Machine, Object, written};

impl Machine<'_> {
    pub(super) fn get(&self, name: &str) -> Option<&Object> {
        self.frames.iter().rev().find_map(|frame| frame.get(name)).or_else(|| self.shared.get(name))
    }

    pub(super) fn set(&mut self, name: &str, object: Object) {
        if let Some(frame) = self.frames.last_mut() {
            frame.insert(name.to_owned(), object);
        }
    }

    /// A function or module that one function makes a member is there for others, too: one of all that any of them sets.
    /// Texts are not told: each thing may have one of its own.
    pub(super) fn share(&mut self, name: &str, object: &Object) {
        if !matches!(object, Object::Native(_) | Object::Function(_) | Object::Member(..)) {
            return;
        }
        let both = match self.shared.remove(name) {
            Some(old) => old.or(object.clone()),
            None => object.clone(),
        };
        self.shared.insert(name.to_owned(), both);
    }

    /// Sets a variable and gives its old value.
    pub(super) fn replace(&mut self, name: &str, object: Object) -> Object {
        let old = self.get(name).cloned().unwrap_or(Object::Unknown);
        self.set(name, object);
        old
    }

    /// A member of a map that is known.
    pub(super) fn place_of(&self, target: &Expr) -> Option<()> {
        let Expr::Attribute(base, _) = target else { return Some(()) };
        let base = written(base)?;
        matches!(self.get(&base), Some(Object::Map(_))).then_some(())
    }

    /// Sets whatever stands on the left side of an assignment.
    pub(super) fn assign(&mut self, target: &Expr, object: Object) {
        self.search_set(target, &object);
        if self.environment_set(target, &object) {
            return;
        }
        match target {
            Expr::Name(name) => {
                // Perl keeps a list and its elements under names with different signs.
                self.unname(name);
                let object = if self.language == Language::Perl && name.starts_with('%') {
                    pairs(object)
                } else {
                    object
                };
                let object = self.kept(object);
                self.set_outside(name, &object);
                self.set(name, object);
            }
            Expr::Rest(inner) => self.assign(inner, object),
            Expr::List(targets) => {
                let (elements, exact) = object.elements();
                for (index, target) in targets.iter().enumerate() {
                    // Perl's lists take all that is left.
                    if matches!(target, Expr::Name(name) if name.starts_with(['@', '%'])) {
                        let rest = if exact {
                            Object::List(elements.get(index..).unwrap_or_default().to_vec())
                        } else {
                            object.clone()
                        };
                        self.assign(target, rest);
                        break;
                    }
                    let element =
                        if exact { elements.get(index).cloned() } else { elements.first().cloned() };
                    self.assign(target, element.unwrap_or(Object::Unknown));
                }
            }
            Expr::Map(entries) => {
                for (key, target) in entries {
                    let key = match key {
                        Expr::Text(parts) => match parts.as_slice() {
                            [Part::Text(text)] => text.clone(),
                            _ => continue,
                        },
                        _ => continue,
                    };
                    let member = self.attribute(object.clone(), &key);
                    self.assign(target, member);
                }
            }
            Expr::Assign { target, .. } => self.assign(target, object),
            Expr::Attribute(..) | Expr::Index(..) => {
                // Members are kept under their written path, so that `self.path` is found again.
                if let Expr::Attribute(_, member) = target {
                    self.implicit.names_value(member, &object);
                }
                if let Some(name) = written(target)
                    && self.place_of(target).is_none()
                {
                    self.set_outside(&name, &object);
                    self.share(&name, &object);
                    self.set(&name, object);
                } else {
                    self.put_at(target, &object);
                }
            }
            Expr::Plain(targets) => {
                for target in targets {
                    self.assign(target, object.clone());
                }
            }
            _ => {}
        }
    }
}
