//! Calls: the program's own functions, callbacks, and what belongs to libraries.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::code::effect::CodeEffect;
use crate::code::language::Language;
use crate::code::library;
use crate::code::tree::{Argument, Expr, Function};
use crate::model::Value;

use super::{Arguments, CALLS, Machine, Object, UNROLL};

/// How often one function is followed in itself.
const TURNS: usize = 3;

impl Machine<'_> {
    /// Calls a value with arguments.
    pub(super) fn call(&mut self, callee: Object, arguments: Arguments) -> Object {
        let direct = std::mem::take(&mut self.direct);
        let method = match &callee {
            Object::Member(_, name) => Some(name.as_str()),
            Object::Native(name) | Object::Foreign(name) => name.rsplit('.').next(),
            _ => None,
        };
        if let Some(parsed) = method.and_then(|method| self.command_line(method, &arguments)) {
            return parsed;
        }
        if let Object::Native(name) | Object::Foreign(name) | Object::Member(_, name) = &callee {
            self.request(name, &arguments);
        }
        match callee {
            Object::Function(function) => {
                let mut list = arguments.list;
                list.extend(arguments.named.into_iter().map(|(_, value)| value));
                self.block = arguments.block;
                self.invoke(&function, list)
            }
            Object::Native(name) => self.call_native(name, arguments, direct),
            Object::Foreign(name) => self.call_foreign(&name, &arguments),
            Object::Member(receiver, name) => self.method(*receiver, &name, arguments),
            Object::Class(class) => {
                self.implicit.used(&class);
                for name in ["__init__", "constructor", "initialize", "__construct"] {
                    self.own_methods(name, &arguments);
                }
                Object::Unknown
            }
            Object::Either(list) => {
                self.maybe += 1;
                let results = list.into_iter().map(|one| self.call(one, arguments.clone())).collect();
                self.maybe -= 1;
                Object::any(results)
            }
            Object::Database { .. } => callee,
            // A text that names a function.
            Object::Text { .. } if self.language == Language::Php => self.call_php_text(&callee, &arguments),
            // Perl's `"name"->(…)` and `&$name(…)`.
            Object::Text { .. } if self.language == Language::Perl && callee.known().is_some() => {
                self.call_perl_text(&callee, arguments)
            }
            _ => {
                self.implicit.blind = true;
                self.hand_on(&arguments);
                // Any text may be the name of a function of PHP.
                if self.language == Language::Php && !self.installed {
                    self.unknown("a function that is chosen at run time");
                }
                self.callbacks(&arguments);
                Object::Unknown
            }
        }
    }

    fn call_php_text(&mut self, name: &Object, arguments: &Arguments) -> Object {
        match name.known() {
            Some(name) if self.implicit.has(&name) => {
                self.by_name(&name, arguments).unwrap_or(Object::Unknown)
            }
            Some(name) => self.call(library::global(self.language, &name), arguments.clone()),
            None => {
                self.unknown("a function that is chosen at run time");
                Object::Unknown
            }
        }
    }

    fn call_perl_text(&mut self, name: &Object, arguments: Arguments) -> Object {
        let name = name.known().unwrap_or_default();
        let name = name.rsplit("::").next().unwrap_or_default();
        match self.by_name(name, &arguments) {
            Some(result) => result,
            None => self.call(library::global(self.language, name), arguments),
        }
    }

    /// A function of the language or of a known library.
    fn call_native(&mut self, name: String, mut arguments: Arguments, direct: bool) -> Object {
        if !direct {
            self.implicit.called_as_value(&name);
        }
        if name.ends_with('\u{0}') {
            self.unknown(format!(
                "a function of {} that is chosen at run time",
                name.trim_end_matches(['\u{0}', '.'])
            ));
            return Object::Unknown;
        }
        self.commands(&name, &arguments);
        if self.environment_call(&name, &arguments) {
            return Object::Plain;
        }
        if let Some(copy) = self.environment_copy(&name, &arguments) {
            return copy;
        }
        if let Some(result) = self.search_call(&name, &arguments) {
            return result;
        }
        if self.language == Language::Ruby
            && let Some(result) = self.ruby_call_by_name(&name, &arguments)
        {
            return result;
        }
        if self.language == Language::Python {
            Self::below_descriptors(&name, &mut arguments);
            if let Some(result) = self.python_call(&name, &arguments) {
                return result;
            }
        }
        if matches!(name.as_str(), "operator.methodcaller" | "operator.attrgetter") {
            let chosen = arguments.list.first().and_then(Object::known);
            if chosen.is_none_or(|chosen| library::takes_away(&chosen) || chosen.contains("write")) {
                self.unknown("a function that is chosen by its name");
            }
            return Object::Unknown;
        }
        match library::act(self.language, &name) {
            Some(act) => self.perform(&name, act, arguments),
            None => self.harmless(&name, arguments),
        }
    }

    /// A function of a module that is not known.
    fn call_foreign(&mut self, name: &str, arguments: &Arguments) -> Object {
        self.commands(name, arguments);
        if let Some(result) = self.rake(name, arguments) {
            return result;
        }
        if self.language == Language::Perl
            && let Some(result) = self.perl_call(name, arguments)
        {
            return result;
        }
        if library::is_remote(self.language, name) {
            return self.call_remote(name, arguments);
        }
        self.hand_over(arguments);
        let last = name.rsplit(['.', ':']).next().unwrap_or(name).to_owned();
        if library::takes_away(&last) {
            self.unknown(format!("{name}(…) of a module that is not known"));
        }
        self.callbacks(arguments);
        Object::Unknown
    }

    /// A function of a library that changes nothing by itself.
    fn harmless(&mut self, name: &str, mut arguments: Arguments) -> Object {
        if self.language == Language::Perl
            && let Some(result) = self.perl_call(name, &arguments)
        {
            return result;
        }
        // `Path.unlink(path)`
        if let Some(member) = library::unbound(self.language, name)
            && library::method("path", member).is_some()
            && !arguments.list.is_empty()
        {
            let path = arguments.list.remove(0);
            let (value, glob) = path.value();
            return self.method(Object::Path { value, glob }, member, arguments);
        }
        if name == "define"
            && let (Language::Php, [constant, value]) = (self.language, arguments.list.as_slice())
        {
            self.set(&constant.known().unwrap_or_default(), value.clone());
        }
        // `FileUtils::Verbose.rm_rf`: a part of a module has its functions.
        if let Some((whole, member)) =
            name.split_once('.').and_then(|(top, rest)| Some((top, rest.rsplit_once('.')?.1)))
            && let Some(act) =
                library::act(self.language, &format!("{whole}.{member}")).filter(|act| act.changes())
        {
            return self.perform(&format!("{whole}.{member}"), act, arguments);
        }
        self.callbacks(&arguments);
        if let Some((place, member)) = name.rsplit_once('.') {
            // `User::truncate()`: what class that is nobody knows.
            if self.language == Language::Php
                && library::takes_away(member)
                && !library::is_remote(self.language, name)
            {
                self.unknown(format!("{place}::{member}(…) of a class that is not known"));
            }
            self.saved(member, &arguments);
            // Streams are given texts, and what works on descriptors is told where they are opened.
            if place != "os" && !place.contains("std") {
                self.written_by_name(member, &arguments);
            }
        }
        // What is made of a module, or of what was made of one, may be any function of it.
        let of_module = arguments.list.iter().find_map(|one| match one {
            Object::Native(module) if library::holds_acts(self.language, module) => Some(module.as_str()),
            Object::Native(any) => any.split_once(".\u{0}").map(|(module, _)| module),
            _ => None,
        });
        match of_module.or_else(|| name.split_once(".\u{0}").map(|(module, _)| module)) {
            Some(module) => Object::Native(format!("{module}.\u{0}")),
            None if library::is_remote(self.language, name) => self.of_remote(name, &arguments),
            None => Object::Plain,
        }
    }

    /// Ruby's `x.send(:name, …)`, `method(:name)`, `include Module`.
    fn ruby_call_by_name(&mut self, name: &str, arguments: &Arguments) -> Option<Object> {
        let (receiver, function) = name.rsplit_once('.').unwrap_or(("", name));
        match function {
            "alias_method" => {
                let (new, old) = (arguments.list.first()?.known()?, arguments.list.get(1)?.known()?);
                let old = self.get(&old).cloned().unwrap_or_else(|| library::global(self.language, &old));
                self.set(&new, old);
                Some(Object::Plain)
            }
            "const_get" => Some(match arguments.list.first()?.known() {
                Some(constant) => library::global(self.language, &constant),
                None => Object::Unknown,
            }),
            "send" | "public_send" | "__send__" | "method" => {
                let Some(member) = arguments.list.first()?.known() else {
                    self.implicit.blind = true;
                    return None;
                };
                let callee = match receiver {
                    "" | "Kernel" | "self" | "Object" => match self.get(&member) {
                        Some(own @ Object::Function(_)) => own.clone(),
                        _ => library::global(self.language, &member),
                    },
                    _ => Object::Native(format!("{receiver}.{member}")),
                };
                if function == "method" {
                    if let Object::Native(name) = &callee {
                        self.hold(name);
                    }
                    return Some(callee);
                }
                let rest = Arguments { list: arguments.list[1..].to_vec(), ..arguments.clone() };
                Some(self.call(callee, rest))
            }
            "include" | "extend" => {
                if let Some(Object::Native(module)) = arguments.list.first() {
                    self.open_modules.push(module.clone());
                }
                Some(Object::Plain)
            }
            _ => None,
        }
    }

    /// `GetOptions('x=s' => \$x)` sets the variables that it is given, as the arguments say.
    pub(super) fn options_set(&mut self, callee: &Expr, arguments: &[Argument]) {
        let Expr::Name(name) = callee else { return };
        let name = name.rsplit("::").next().unwrap_or(name);
        if self.language != Language::Perl
            || !(name.starts_with("GetOptions") || matches!(name, "getopt" | "getopts"))
        {
            return;
        }
        for argument in arguments {
            if matches!(&argument.value, Expr::Name(name) if name.starts_with(['$', '@', '%'])) {
                self.assign(&argument.value, Object::Unknown);
            }
        }
    }

    /// Perl's `Class->method(…)` and `Class::function(…)` of the program and its modules.
    fn perl_call(&mut self, name: &str, arguments: &Arguments) -> Option<Object> {
        let (class, method) = name.rsplit_once('.').unwrap_or(("", name));
        let function = method.rsplit("::").next().unwrap_or(method);
        let mut arguments = arguments.clone();
        // `new Class(…)`
        if let ("new", Some(class @ (Object::Foreign(_) | Object::Native(_)))) =
            (name, arguments.list.first())
        {
            let made = self.attribute(class.clone(), "new");
            arguments.list.remove(0);
            return Some(self.call(made, arguments));
        }
        let made = format!("{name}.new");
        if library::act(self.language, &made).is_some() {
            return Some(self.call(Object::Native(made), arguments));
        }
        if !class.is_empty() {
            arguments.list.insert(0, Object::text(class));
        }
        self.by_name(function, &arguments)
    }

    /// Runs the program's own methods of this name; `None` when there are none.
    pub(super) fn own_methods(&mut self, name: &str, arguments: &Arguments) -> Option<Object> {
        let methods = self.methods.get(name)?.clone();
        let mut results = Vec::new();
        let given = std::mem::take(&mut self.given);
        for method in methods {
            let mut list = arguments.list.clone();
            self.given.clone_from(&given);
            self.block.clone_from(&arguments.block);
            if self.language == Language::Python {
                list.insert(0, Object::Unknown);
                self.given.insert(0, None);
            }
            results.push(self.invoke(&method, list));
        }
        Some(Object::any(results))
    }

    /// Runs a function of the program.
    pub(super) fn invoke(&mut self, function: &Rc<Function>, arguments: Vec<Object>) -> Object {
        if self.calls >= CALLS || self.ended {
            // One that never ran is run by itself in the end.
            self.implicit.blind |= !self.ended && !self.implicit.was_called(function);
            return Object::Unknown;
        }
        let own = Rc::as_ptr(function) as usize;
        let turns = self.active.iter().filter(|(active, _)| *active == own).count();
        if turns >= TURNS {
            self.turned = true;
            self.open_all();
            return Object::Unknown;
        }
        let first_effect = self.effects.len();
        self.active.push((own, first_effect));
        self.calls += 1;
        self.implicit.called(function);
        let given = std::mem::take(&mut self.given);
        let block = self.block.take();
        let outer = self.returned.take();
        let outer_yielded = self.yielded.take();
        let mut frame = BTreeMap::new();
        match self.language {
            Language::Perl => {
                frame.insert("@_".to_owned(), Object::List(arguments.clone()));
                if let Some(first) = arguments.first() {
                    frame.insert("$_".to_owned(), first.clone());
                }
            }
            Language::Ruby => {
                if let Some(block) = block {
                    frame.insert("yield".to_owned(), block);
                }
                for name in ["it", "_1"] {
                    frame.insert(name.to_owned(), arguments.first().cloned().unwrap_or(Object::Unknown));
                }
            }
            _ => {}
        }
        self.frames.push(frame);
        // A single list that meets several parameters is taken apart (Ruby, and Python's `for k, v`).
        let spread = match arguments.as_slice() {
            [Object::List(inner)] if function.parameters.len() > 1 && self.language == Language::Ruby => {
                inner.clone()
            }
            _ => arguments,
        };
        for (index, parameter) in function.parameters.iter().enumerate() {
            let object = match (spread.get(index), parameter) {
                (_, crate::code::tree::Expr::Rest(_)) => {
                    Object::List(spread.get(index..).unwrap_or_default().to_vec())
                }
                (Some(object), _) => object.clone(),
                (None, crate::code::tree::Expr::Assign { value, .. }) => self.value(value),
                (None, _) => Object::Unknown,
            };
            self.parameter(parameter, object);
            if let (Some(Some(other)), Some(name)) = (given.get(index), super::written(parameter)) {
                self.name_too(&name, other.clone());
            }
        }
        // Without an explicit return, the last expression is the value.
        let body = function.body.clone();
        let last = self.value(&crate::code::tree::Expr::Block(body));
        self.frames.pop();
        self.forget_names();
        self.active.pop();
        if turns == 0 && std::mem::take(&mut self.turned) {
            self.deeper(first_effect);
        }
        self.calls -= 1;
        let result = self.returned.take();
        self.returned = outer;
        let yielded = std::mem::replace(&mut self.yielded, outer_yielded);
        match yielded {
            Some(given) => Object::Many(Box::new(given)),
            None => result.unwrap_or(last),
        }
    }

    /// What a function did that calls itself, at any further depth: patterns reach down from where it was left.
    fn deeper(&mut self, from: usize) {
        let new = self.effects.get(from..).unwrap_or_default().to_vec();
        for effect in new {
            let deep = |pattern: &str| {
                let (directory, name) = pattern.rsplit_once('/')?;
                directory.contains('*').then(|| format!("{directory}/**/{name}"))
            };
            match effect {
                CodeEffect::Delete { path: Value::Known(pattern), glob: true, recursive } => {
                    if let Some(deep) = deep(&pattern) {
                        self.emit(CodeEffect::Delete { path: Value::Known(deep), glob: true, recursive });
                    }
                }
                CodeEffect::Each { pattern: Value::Known(pattern), effect } => {
                    if let Some(deep) = deep(&pattern) {
                        let effect = effect.map(&|value| match value {
                            Value::Known(text) => Value::Known(text.replace(&pattern, &deep)),
                            other => other,
                        });
                        let pattern = Value::Known(deep);
                        self.emit(CodeEffect::Each { pattern, effect: Box::new(effect) });
                    }
                }
                _ => {}
            }
        }
    }

    /// Lists that a function fills that is not followed any deeper.
    fn open_all(&mut self) {
        for object in self.frames.iter_mut().flat_map(BTreeMap::values_mut) {
            if matches!(object, Object::List(_) | Object::Many(_)) {
                *object = super::containers::opened(std::mem::replace(object, Object::Plain));
            }
        }
    }

    /// Sets a parameter: it is never a variable from outside.
    fn parameter(&mut self, parameter: &crate::code::tree::Expr, object: Object) {
        if let Some(name) = super::written(parameter) {
            self.set(&name, Object::Plain);
        }
        self.assign(parameter, object);
    }

    /// Applies a callable to arguments; a text names a method of the first one (`&:delete`).
    pub(super) fn apply(&mut self, callable: &Object, arguments: Vec<Object>) -> Object {
        if let (Some(name), Some(first)) = (callable.known(), arguments.first()) {
            return match self.language {
                Language::Php => {
                    let function = library::global(self.language, &name);
                    self.call(function, Arguments::of(arguments))
                }
                _ => {
                    let member = self.attribute(first.clone(), &name);
                    self.call(member, Arguments::default())
                }
            };
        }
        self.call(callable.clone(), Arguments::of(arguments))
    }

    /// Applies a callable to each element of a list; the results.
    pub(super) fn apply_each(&mut self, callable: &Object, list: &Object) -> Object {
        let (mut elements, mut exact) = list.elements();
        if elements.len() > UNROLL {
            elements = vec![Object::any(elements)];
            exact = false;
        }
        let mut results = Vec::new();
        self.maybe += 1;
        for element in elements {
            results.push(self.apply(callable, vec![element]));
        }
        self.maybe -= 1;
        if exact { Object::List(results) } else { Object::Many(Box::new(Object::any(results))) }
    }
}
