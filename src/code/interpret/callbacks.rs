//! Functions that are handed to what is not followed.

use crate::code::language::Language;
use crate::code::library::{self, Act};
use crate::code::tree::{Expr, Function};

use super::{Arguments, Machine, Object};

impl Machine<'_> {
    /// Functions that are handed to something that is not followed are taken to be called.
    pub(super) fn callbacks(&mut self, arguments: &Arguments) {
        let all = arguments
            .list
            .iter()
            .chain(arguments.named.iter().map(|(_, value)| value))
            .chain(&arguments.block);
        let all = all.cloned().collect::<Vec<_>>();
        let (language, last) = (self.language, arguments.list.len() + arguments.named.len());
        let is_kept = |index: usize, name: &str| {
            let open = library::act(language, name) == Some(Act::Open);
            (arguments.list.len()..last).contains(&index) && !arguments.list.is_empty() && !open
        };
        for (index, object) in all.iter().enumerate() {
            let named = match object {
                // PHP hands functions on by their names.
                Object::Text { .. } if self.language == Language::Php => {
                    object.known().filter(|name| library::changes(self.language, name)).map(Object::Native)
                }
                _ => None,
            };
            match named.as_ref().unwrap_or(object) {
                Object::Function(function) => {
                    self.maybe += 1;
                    self.invoke(function, something(function));
                    self.maybe -= 1;
                }
                Object::Native(name) if library::changes(self.language, name) => {
                    let others = all.iter().enumerate().filter(|(other, _)| *other != index);
                    let others = others.map(|(_, object)| object.clone()).collect::<Vec<_>>();
                    let list =
                        others.iter().find(|o| matches!(o, Object::List(_) | Object::Many(_))).cloned();
                    match list {
                        Some(list) => {
                            self.apply_each(&Object::Native(name.clone()), &list);
                        }
                        // Which of them it is given is not known, nor what one is that is kept under a name (`type=`).
                        None if others.len() > 1 || is_kept(index, name) => {
                            self.implicit.called_as_value(name);
                            self.unknown(format!("{name} is handed to something that calls it"));
                        }
                        None => {
                            let given = !others.is_empty();
                            self.maybe += 1;
                            self.call(Object::Native(name.clone()), Arguments::of(others));
                            self.maybe -= 1;
                            // Node's callbacks are rarely given what stands beside them.
                            if self.language == Language::Node && given {
                                self.unknown(format!("{name} is handed to something that calls it"));
                            }
                        }
                    }
                }
                Object::Map(entries) => {
                    for (_, value) in entries.clone() {
                        if let Object::Function(function) = value {
                            self.maybe += 1;
                            self.invoke(&function, something(&function));
                            self.maybe -= 1;
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// Arguments for a function that is called with what nobody knows: one that takes any number is given some.
pub(super) fn something(function: &Function) -> Vec<Object> {
    let any = function.parameters.iter().any(|parameter| matches!(parameter, Expr::Rest(_)));
    if any { vec![Object::Unknown; function.parameters.len()] } else { Vec::new() }
}
