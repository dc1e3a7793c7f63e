//! Variables of the environment: what a program sets for whatever it runs, and reads back.

use crate::code::effect::CodeEffect;
use crate::code::language::Language;
use crate::code::tree::Expr;
use crate::model::Value;

use super::{Arguments, Machine, Object, written};

impl Machine<'_> {
    /// Whether a name is the map of the environment's variables.
    fn is_environment(&self, name: &str) -> bool {
        let native = |name: &str, full: &str| match self.get(name) {
            Some(object) => matches!(object, Object::Native(known) if known == full),
            None => name == full,
        };
        match self.language {
            Language::Python => {
                native(name, "os.environ") || name.strip_suffix(".environ").is_some_and(|os| native(os, "os"))
            }
            Language::Node => native(name, "process.env"),
            Language::Ruby => name == "ENV",
            Language::Perl => name == "%ENV",
            _ => false,
        }
    }

    pub(super) fn names_environment(&self, place: &Expr) -> bool {
        written(place).is_some_and(|name| self.is_environment(&name))
    }

    /// An assignment to a variable of the environment; `false` when it is none.
    pub(super) fn environment_set(&mut self, target: &Expr, object: &Object) -> bool {
        let (base, key) = match target {
            Expr::Index(base, key) => (base, Some(key.as_ref())),
            Expr::Attribute(base, _) => (base, None),
            _ => return false,
        };
        if !self.names_environment(base) {
            return false;
        }
        let name = match (key, target) {
            (Some(key), _) => self.value(key),
            (None, Expr::Attribute(_, member)) => Object::text(member.clone()),
            _ => Object::Unknown,
        };
        self.environment_put(&name, object);
        true
    }

    fn environment_put(&mut self, name: &Object, object: &Object) {
        let name = name.word();
        for one in name.choices().unwrap_or_default() {
            self.environment.insert(one.clone(), object.clone());
        }
        self.emit(CodeEffect::SetVariable { name, value: object.word() });
    }

    /// Variables that a call gives to what it runs: `env=…` of Python and Node, a map in front of Ruby's commands.
    pub(super) fn environment_given(&mut self, arguments: &Arguments) {
        let given = match self.language {
            Language::Ruby => arguments.list.first(),
            Language::Python | Language::Node => arguments.keyword(&["env"]),
            _ => None,
        };
        let entries = match given {
            Some(Object::Map(entries)) => entries.clone(),
            Some(Object::Many(_) | Object::Either(_)) => {
                vec![(super::containers::ANY.to_owned(), Object::Unknown)]
            }
            _ => return,
        };
        for (key, object) in entries {
            let name = if key == super::containers::ANY { Value::Unknown } else { Value::known(key) };
            self.emit(CodeEffect::SetVariable { name, value: object.word() });
        }
    }

    /// Functions that set variables; `false` when this is none of them.
    pub(super) fn environment_call(&mut self, name: &str, arguments: &Arguments) -> bool {
        let (first, second) = (arguments.first(), arguments.list.get(1).cloned().unwrap_or(Object::Unknown));
        match (self.language, name) {
            (Language::Python, "os.putenv" | "os.environ.setdefault" | "os.environ.__setitem__")
            | (Language::Ruby, "ENV.store") => self.environment_put(&first, &second),
            (Language::Php, "putenv") => match first.known() {
                Some(text) => {
                    let (name, value) = text.split_once('=').unwrap_or((&text, ""));
                    self.environment_put(&Object::text(name), &Object::text(value));
                }
                None => self.environment_put(&Object::Unknown, &Object::Unknown),
            },
            (Language::Python, "os.environ.update")
            | (Language::Ruby, "ENV.update" | "ENV.merge!" | "ENV.replace") => {
                let mut entries = arguments.named.clone();
                match first {
                    Object::Map(more) => entries.extend(more),
                    _ if entries.is_empty() => self.environment_put(&Object::Unknown, &Object::Unknown),
                    _ => {}
                }
                for (key, object) in entries {
                    self.environment_put(&Object::text(key), &object);
                }
            }
            _ => return false,
        }
        true
    }

    /// `dict(os.environ, name=value)`, `os.environ.copy()`: a map with all of it.
    pub(super) fn environment_copy(&self, name: &str, arguments: &Arguments) -> Option<Object> {
        let whole = || (super::containers::ANY.to_owned(), Object::Native("os.environ".to_owned()));
        let given = matches!(arguments.first(), Object::Native(known) if known == "os.environ");
        match name {
            "os.environ.copy" => Some(Object::Map(vec![whole()])),
            "dict" | "copy.copy" if given => {
                Some(Object::Map(std::iter::once(whole()).chain(arguments.named.clone()).collect()))
            }
            _ => None,
        }
    }

    /// What a variable of the environment is, where it is known to be set.
    pub(super) fn environment_get(&self, name: &str) -> Option<Object> {
        if let Some(own) = self.environment.get(name) {
            return Some(own.clone());
        }
        self.sources.variable(name).map(Self::some_text)
    }

    /// `os.environ.get(name, other)`, `ENV.fetch(name)`, `os.getenv(name)`.
    pub(super) fn environment_read(&self, function: &str, name: &Object) -> Option<Object> {
        let reads = matches!(function, "os.environ.get" | "os.getenv" | "ENV.fetch" | "getenv");
        name.known().filter(|_| reads).and_then(|name| self.environment_get(&name))
    }
}
