//! What runs without being called by name: decorated functions, members of classes that the language itself calls, and
//! functions that act and are handed on as values.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::code::effect::CodeEffect;
use crate::code::language::Language;
use crate::code::library;
use crate::code::tree::{Expr, Function};

use super::{Arguments, Machine, Object, written};

/// Values under one name that are told apart.
const NAMESAKES: usize = 8;

/// What the language may call by itself.
#[derive(Debug, Default)]
pub(super) struct Implicit {
    /// Class, name and function.
    members: Vec<(String, String, Rc<Function>)>,
    /// Functions behind decorators that may call them.
    decorated: Vec<Rc<Function>>,
    /// Classes that were used.
    used: BTreeSet<String>,
    /// Functions of the program that were called.
    called: BTreeSet<usize>,
    /// Functions of libraries that act: evaluated as a value, and called through one.
    held: BTreeMap<String, (bool, bool)>,
    /// Functions of the program that were kept or handed on as values.
    loose: Vec<Rc<Function>>,
    /// All functions that the program says, once each.
    said: Vec<Rc<Function>>,
    /// Those of them that have a name, outside of any class and function: who does not say that name does not call them.
    plain: BTreeSet<usize>,
    /// The classes of members.
    classes: BTreeMap<usize, String>,
    /// A library looks through the program's classes for what it calls.
    pub(super) searched: bool,
    /// A library runs what stands in texts beside functions.
    pub(super) documented: bool,
    seen: BTreeSet<usize>,
    /// Callable values by the names that they were given: of functions, attributes, entries of maps.
    names: BTreeMap<String, Vec<Object>>,
    /// A value that is not known was called: it may be any function of the program.
    pub(super) blind: bool,
}

impl Implicit {
    pub(super) fn member(&mut self, class: &str, name: &str, function: &Rc<Function>) {
        self.members.push((class.to_owned(), name.to_owned(), Rc::clone(function)));
        // What the language calls by itself needs nobody who makes one.
        if !name.starts_with("__") {
            self.classes.insert(Rc::as_ptr(function) as usize, class.to_owned());
        }
    }

    /// A function that the program says; `name` is empty for one that has none.
    pub(super) fn says(&mut self, name: &str, function: &Rc<Function>, own: bool) {
        if self.seen.insert(Rc::as_ptr(function) as usize) {
            if own {
                self.said.push(Rc::clone(function));
            }
            self.names_value(name, &Object::Function(Rc::clone(function)));
        }
    }

    /// It stands by itself in a file, under a name that the language does not know.
    pub(super) fn is_plain(&mut self, function: &Rc<Function>) {
        self.plain.insert(Rc::as_ptr(function) as usize);
    }

    /// Whether nobody but who says its name calls it.
    fn waits_for_its_name(&self, function: &Rc<Function>, language: Language) -> bool {
        let own = Rc::as_ptr(function) as usize;
        let unused = |class: &String| !self.used.contains(class) && !self.searched;
        self.plain.contains(&own)
            || language == Language::Python && self.classes.get(&own).is_some_and(unused)
    }

    /// A callable value under a name: whoever is asked for this name later may give it.
    pub(super) fn names_value(&mut self, name: &str, object: &Object) {
        let callable = match object {
            Object::Function(_) | Object::Class(_) | Object::Native(_) => true,
            Object::Either(list) => list.iter().any(|one| matches!(one, Object::Function(_))),
            _ => false,
        };
        if !callable || name.is_empty() {
            return;
        }
        let known = self.names.entry(name.to_owned()).or_default();
        let same = |one: &Object| match (one, object) {
            (Object::Function(a), Object::Function(b)) => Rc::ptr_eq(a, b),
            (Object::Class(a), Object::Class(b)) | (Object::Native(a), Object::Native(b)) => a == b,
            _ => false,
        };
        if known.len() < NAMESAKES && !known.iter().any(same) {
            known.push(object.clone());
        } else if known.len() >= NAMESAKES {
            self.blind = true;
        }
    }

    /// Functions of the program and members of its classes, with their names.
    pub(super) fn named_functions(&self) -> Vec<(String, Rc<Function>)> {
        let functions = self.names.iter().flat_map(|(name, objects)| {
            objects.iter().filter_map(move |object| match object {
                Object::Function(function) => Some((name.clone(), Rc::clone(function))),
                _ => None,
            })
        });
        let members = self.members.iter().map(|(_, name, function)| (name.clone(), Rc::clone(function)));
        functions.chain(members).collect()
    }

    /// Members of these classes.
    pub(super) fn members_of(&self, classes: &[&str]) -> Vec<Rc<Function>> {
        let own = self.members.iter().filter(|(class, ..)| classes.contains(&class.as_str()));
        own.map(|(_, _, function)| Rc::clone(function)).collect()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    pub(super) fn was_called(&self, function: &Rc<Function>) -> bool {
        self.called.contains(&(Rc::as_ptr(function) as usize))
    }

    pub(super) fn called(&mut self, function: &Rc<Function>) {
        self.called.insert(Rc::as_ptr(function) as usize);
    }

    pub(super) fn used(&mut self, class: &str) {
        self.used.insert(class.to_owned());
    }

    pub(super) fn called_as_value(&mut self, name: &str) {
        self.held.entry(name.to_owned()).or_default().1 = true;
    }
}

impl Machine<'_> {
    /// Notes what a decorator may do with the function behind it.
    pub(super) fn decorate(&mut self, name: &str, with: &[Expr]) {
        for decorator in with {
            let (callee, arguments) = match decorator {
                Expr::Call(callee, arguments) => (callee.as_ref(), arguments.as_slice()),
                other => (other, &[][..]),
            };
            let known = written(callee).unwrap_or_default();
            let given = self.passed(arguments);
            if self.declares(&known, name, &given) {
                continue;
            }
            let Some(Object::Function(function)) = self.get(name).cloned().or_else(|| self.last_method(name))
            else {
                continue;
            };
            match self.place(callee) {
                Object::Function(own) => {
                    self.maybe += 1;
                    let list = if arguments.is_empty() {
                        vec![Object::Function(Rc::clone(&function))]
                    } else {
                        given.list
                    };
                    let result = self.invoke(&own, list);
                    if !arguments.is_empty() {
                        self.call(result, Arguments::of(vec![Object::Function(function)]));
                    }
                    self.maybe -= 1;
                }
                // What is laid out for tests runs with them.
                _ if known != "atexit.register"
                    && library::registers(&known)
                    && !(self.inputs.tests() && known.ends_with("fixture")) => {}
                _ => self.implicit.decorated.push(function),
            }
        }
    }

    fn last_method(&self, name: &str) -> Option<Object> {
        self.methods.get(name)?.last().map(|function| Object::Function(Rc::clone(function)))
    }

    /// A value that is kept or handed on: a function that acts must be seen to be called, or nobody knows with what.
    pub(super) fn held(&mut self, object: &Object) {
        match object {
            // In Ruby a name alone is a call.
            Object::Native(name) if self.language != Language::Ruby => self.hold(name),
            Object::Function(function) if self.inline && !self.installed => {
                self.implicit.loose.push(Rc::clone(function));
            }
            Object::Class(name) => self.implicit.used(name),
            _ => {}
        }
    }

    /// A function that acts is a value now.
    pub(super) fn hold(&mut self, name: &str) {
        if library::changes(self.language, name) {
            self.implicit.held.entry(name.to_owned()).or_default().0 = true;
        }
    }

    /// When the program has run: what nobody called by name and may have run all the same.
    pub(super) fn afterwards(&mut self) {
        let ended = std::mem::take(&mut self.ended);
        if ended && self.steps > super::STEPS {
            return;
        }
        self.maybe += 1;
        for function in std::mem::take(&mut self.implicit.decorated) {
            self.once(&function);
        }
        for function in std::mem::take(&mut self.implicit.loose) {
            self.once(&function);
        }
        let members = std::mem::take(&mut self.implicit.members);
        for (class, name, function) in &members {
            if self.inline
                || self.implicit.blind
                || self.implicit.used.contains(class) && by_itself(self.language, name)
            {
                self.once(function);
            }
        }
        let own = self.implicit.named_functions().into_iter();
        for (_, function) in
            own.filter(|(name, _)| self.inline && by_itself(self.language, name)).collect::<Vec<_>>()
        {
            self.once(&function);
        }
        if self.implicit.blind {
            self.everything();
        }
        self.maybe -= 1;
        let held = std::mem::take(&mut self.implicit.held);
        if let Some((name, _)) = held.iter().find(|(_, (value, called))| *value && !called) {
            self.unknown(format!("{name} is handed on, and what it is given cannot be told"));
        }
    }

    /// Functions that nothing called by name: whether one of them would change something. What it would change is not taken
    /// for done.
    pub(super) fn waiting(&mut self) {
        let (before, uncommitted) = (self.effects.len(), self.uncommitted.clone());
        self.maybe += 1;
        let mut at = 0;
        while let Some(function) = self.implicit.said.get(at).cloned() {
            at += 1;
            let named = self.implicit.waits_for_its_name(&function, self.language);
            if self.ended || !named && self.would_act(&function, before) {
                break;
            }
        }
        self.maybe -= 1;
        let acts = self.implicit.documented || self.acts_since(before);
        self.effects.truncate(before);
        self.uncommitted = uncommitted;
        let handed = std::mem::take(&mut self.foreign).into_handed();
        if acts || handed.is_some() {
            self.emit(CodeEffect::Waits { handed: handed.unwrap_or_default() });
        }
    }

    fn would_act(&mut self, function: &Rc<Function>, before: usize) -> bool {
        self.once(function);
        self.acts_since(before)
    }

    fn acts_since(&self, before: usize) -> bool {
        let mut new = self.effects.get(before..).unwrap_or_default().iter();
        new.any(|effect| {
            !matches!(
                effect,
                CodeEffect::ChangeDirectory { .. }
                    | CodeEffect::SetVariable { .. }
                    | CodeEffect::Holds { .. }
                    | CodeEffect::Waits { .. }
            )
        })
    }

    /// Runs every function that nothing called: one of them may be what was called without being known.
    fn everything(&mut self) {
        let mut at = 0;
        // Running them may say more of them.
        while let Some(function) = self.implicit.said.get(at).cloned() {
            at += 1;
            if self.ended {
                return;
            }
            self.once(&function);
        }
    }

    /// Calls whatever of the program has this name; `None` when nothing has.
    pub(super) fn by_name(&mut self, name: &str, arguments: &Arguments) -> Option<Object> {
        let all = self.implicit.names.get(name)?.clone();
        self.maybe += 1;
        let results = all.into_iter().map(|one| self.call(one, arguments.clone())).collect();
        self.maybe -= 1;
        Some(Object::any(results))
    }

    fn once(&mut self, function: &Rc<Function>) {
        if !self.implicit.was_called(function) {
            self.invoke(function, vec![Object::Unknown]);
        }
    }
}

/// Members that the language calls: when something is made, used as text, opened, looked into or thrown away.
pub(super) fn by_itself(language: Language, name: &str) -> bool {
    match language {
        Language::Python | Language::Php => name.starts_with("__"),
        Language::Node => matches!(name, "constructor" | "toString" | "valueOf" | "toJSON" | "then"),
        Language::Ruby => {
            matches!(name, "initialize" | "to_s" | "inspect" | "to_str" | "method_missing" | "each")
        }
        Language::Perl => matches!(name, "DESTROY" | "AUTOLOAD" | "import"),
        Language::Lua => name.starts_with("__"),
    }
}
