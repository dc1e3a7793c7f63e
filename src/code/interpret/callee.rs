//! What is called, and what it is given.

use crate::code::language::Language;
use crate::code::library;
use crate::code::tree::{Argument, Expr};

use super::{Arguments, Machine, Object, written};

impl Machine<'_> {
    /// Evaluates the arguments of a call.
    pub(super) fn passed(&mut self, arguments: &[Argument]) -> Arguments {
        let mut passed = Arguments::default();
        for argument in arguments {
            let object = self.value(&argument.value);
            match argument.name.as_deref() {
                Some("&") => passed.block = Some(object),
                Some(name) => passed.named.push((name.to_owned(), object)),
                None => match object {
                    Object::List(list) if argument.spread || self.language == Language::Perl => {
                        passed.list.extend(list)
                    }
                    Object::Many(element) if argument.spread => passed.list.push(*element),
                    other => passed.list.push(other),
                },
            }
        }
        passed
    }

    pub(super) fn called(&mut self, callee: &Expr, arguments: &[Argument]) -> Object {
        if self.search_edit(callee, arguments) {
            return Object::Plain;
        }
        // What is added to a list stays in it.
        if let Some(object) = self.changed(callee, arguments) {
            return object;
        }
        let named = matches!(callee, Expr::Name(_) | Expr::Attribute(..));
        let mut through_value = !named || written(callee).is_some_and(|name| self.get(&name).is_some());
        let spoken = callee;
        let callee = match spoken {
            // No call happens while the callee itself is looked up.
            Expr::Name(name) => match self.get(name) {
                Some(object) => object.clone(),
                None => match self.language {
                    Language::Ruby => self.ruby_global(name),
                    _ => self.named(name),
                },
            },
            Expr::Attribute(object, member) => {
                let known = written(spoken).and_then(|name| self.get(&name).cloned());
                match known {
                    Some(known) => known,
                    None => {
                        let object = self.place(object);
                        // A name of a module of the program, or an entry of a map.
                        through_value |= matches!(object, Object::Map(_));
                        self.attribute(object, member)
                    }
                }
            }
            other => self.value(other),
        };
        let passed = self.passed(arguments);
        self.direct = !through_value;
        match &callee {
            Object::Function(_) | Object::Member(..) => {
                self.given = arguments.iter().map(|argument| self.container_name(&argument.value)).collect();
            }
            Object::Foreign(_) | Object::Unknown => self.handed_out(arguments),
            Object::Native(name) if fills(name) => self.handed_out(arguments),
            _ => {}
        }
        let object = self.call(callee, passed);
        self.options_set(spoken, arguments);
        self.given.clear();
        object
    }

    fn ruby_global(&self, name: &str) -> Object {
        let open = self
            .open_modules
            .iter()
            .find(|module| library::act(self.language, &format!("{module}.{name}")).is_some())
            .map(|module| Object::Native(format!("{module}.{name}")));
        open.unwrap_or_else(|| library::global(self.language, name))
    }
}

/// Functions that put something into a list that they are given.
fn fills(name: &str) -> bool {
    matches!(
        name,
        "heapq.heappush"
            | "bisect.insort"
            | "bisect.insort_left"
            | "random.shuffle"
            | "list.append"
            | "list.extend"
            | "operator.iadd"
            | "array_splice"
            | "Object.assign"
            | "Object.defineProperty"
            | "Reflect.apply"
    )
}
