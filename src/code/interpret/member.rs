//! Members and elements of values.

use crate::code::language::Language;
use crate::code::library;
use crate::model::Value;

use super::method::is_promised;
use super::remote::is_made;
use super::{Arguments, Machine, Object};

impl Machine<'_> {
    /// A member of a value.
    pub(super) fn attribute(&mut self, object: Object, member: &str) -> Object {
        match object {
            // `f.call(…)` of a function that acts, and what a promise of it gives.
            Object::Native(name)
                if matches!(member, "call" | "apply" | "bind" | "__call__")
                    && library::changes(self.language, &name)
                    || self.language == Language::Node && is_promised(member) =>
            {
                Object::Member(Box::new(Object::Native(name)), member.to_owned())
            }
            // A function of a module that was looked up by a name.
            Object::Native(name) if name.ends_with('\u{0}') && self.known_member(&name, member).is_some() => {
                Object::Native(self.known_member(&name, member).unwrap_or(name))
            }
            Object::Native(name) => match (self.language, name.as_str(), member) {
                (Language::Python, "sys", "argv") => {
                    let mut list = vec![Object::text("-c")];
                    list.extend(
                        self.arguments.iter().map(|v| Object::Text { value: v.clone(), glob: false }),
                    );
                    Object::List(list)
                }
                (Language::Node, "process", "argv") => {
                    let list = self
                        .arguments
                        .iter()
                        .map(|v| Object::Text { value: v.clone(), glob: false })
                        .collect();
                    Object::Many(Box::new(Object::any(list)))
                }
                (Language::Node, "fs", "promises") => Object::Native(name),
                // A module's own names, and the module itself.
                (Language::Python, _, "__dict__" | "__builtins__") => Object::Native(name),
                (_, "os" | "os.path" | "path", "sep") => Object::text("/"),
                (Language::Node, "process.env", name) => self.of_environment(name),
                _ => {
                    let used = library::used_by(self.language, &name, member);
                    let full = used.map_or_else(|| format!("{name}.{member}"), str::to_owned);
                    // `f.__get__`: whoever has it may call it.
                    if library::act(self.language, &full).is_none() && !says_only(member) {
                        self.hold(&name);
                    }
                    Object::Native(full)
                }
            },
            Object::Foreign(name) => {
                let full = format!("{name}.{member}");
                let listed = library::act(self.language, &full).is_some();
                if listed { Object::Native(full) } else { Object::Foreign(full) }
            }
            Object::Map(entries) => {
                let found = entries.iter().find(|(key, _)| key == member).map(|(_, value)| value.clone());
                found.unwrap_or_else(|| Object::Member(Box::new(Object::Map(entries)), member.to_owned()))
            }
            Object::Path { value, glob } => match member {
                "parent" | "dirname" => Object::Path {
                    value: value.map(|path| path.rsplit_once('/').map_or(".", |(dir, _)| dir).to_owned()),
                    glob,
                },
                "name" => Object::Text {
                    value: value.map(|path| path.rsplit('/').next().unwrap_or_default().to_owned()),
                    glob,
                },
                "path" => Object::Text { value, glob },
                "stem" | "suffix" | "parts" => Object::Unknown,
                _ => Object::Member(Box::new(Object::Path { value, glob }), member.to_owned()),
            },
            Object::Either(list) => {
                let members = list.into_iter().map(|object| self.attribute(object, member)).collect();
                Object::any(members)
            }
            // `TemporaryDirectory().name`
            Object::Text { value: Value::Affix { prefix, suffix }, glob }
                if member == "name" && prefix == "/tmp/" =>
            {
                Object::Text { value: Value::Affix { prefix, suffix }, glob }
            }
            other => Object::Member(Box::new(other), member.to_owned()),
        }
    }

    /// The function of this name of a module whose functions were looked through.
    fn known_member(&self, module: &str, member: &str) -> Option<String> {
        let full = format!("{}.{member}", module.trim_end_matches(['\u{0}', '.']));
        library::act(self.language, &full).map(|_| full)
    }

    /// A variable of the environment; one that is not set is nothing.
    fn of_environment(&self, name: &str) -> Object {
        self.environment_get(name).unwrap_or(Object::Nothing)
    }

    pub(super) fn index(&mut self, object: Object, index: &Object) -> Object {
        match (&object, index.known()) {
            // `f['x']` of Ruby is a call.
            (Object::Function(_), _) if self.language == Language::Ruby => {
                self.call(object, Arguments::of(vec![index.clone()]))
            }
            (Object::Native(name), _)
                if self.language == Language::Ruby && library::changes(self.language, name) =>
            {
                self.call(object, Arguments::of(vec![index.clone()]))
            }
            (Object::Native(name), _) if name.ends_with('\u{0}') => object,
            (Object::List(list), Some(text)) => match text.parse::<usize>() {
                // Lua counts from one.
                Ok(at) => {
                    let at = if self.language == Language::Lua { at.saturating_sub(1) } else { at };
                    list.get(at).cloned().unwrap_or(Object::Unknown)
                }
                Err(_) => Object::any(list.clone()),
            },
            (Object::Map(entries), Some(key)) => entries
                .iter()
                .find(|(known, _)| *known == key)
                .map_or_else(|| any_value(entries), |(_, value)| value.clone()),
            (Object::Map(entries), None) => any_value(entries),
            (Object::Either(list), _) => {
                let list = list.iter().map(|one| self.index(one.clone(), index)).collect();
                Object::any(list)
            }
            (Object::List(list), None) => {
                if matches!(index, Object::Plain | Object::Nothing) && list.len() > 1 {
                    // A slice or a counted index.
                    Object::Many(Box::new(Object::any(list.clone())))
                } else {
                    Object::any(list.clone())
                }
            }
            (Object::Many(element), _) => (**element).clone(),
            // `Dir['*.txt']`
            (Object::Native(name), Some(_)) if name == "Dir" => {
                self.call(Object::Native("Dir.glob".to_owned()), Arguments::of(vec![index.clone()]))
            }
            (Object::Native(name), Some(module))
                if self.language == Language::Python && name == "sys.modules" =>
            {
                library::global(self.language, &module)
            }
            (Object::Native(name), None) if self.language == Language::Python && name == "sys.modules" => {
                Object::Native("os.\u{0}".to_owned())
            }
            (Object::Native(name), None) if library::holds_acts(self.language, name) => {
                Object::Native(format!("{name}.\u{0}"))
            }
            (Object::Native(name), Some(variable)) if matches!(name.as_str(), "os.environ" | "ENV") => {
                self.environment_get(&variable).unwrap_or(Object::Unknown)
            }
            (_, Some(member)) if matches!(object, Object::Native(_) | Object::Foreign(_)) => {
                self.attribute(object, &member)
            }
            (Object::Foreign(name), None) if is_made(name) => object,
            (Object::Plain | Object::Nothing, _) => Object::Plain,
            _ => Object::Unknown,
        }
    }
}

/// What of a function only says something of it.
fn says_only(member: &str) -> bool {
    matches!(
        member,
        "name" | "length" | "prototype" | "toString" | "__name__" | "__doc__" | "__module__" | "__class__"
    )
}

/// Some value of a map.
fn any_value(entries: &[(String, Object)]) -> Object {
    Object::any(entries.iter().map(|(_, value)| value.clone()).collect())
}
