//! Abstract interpretation of the shared tree: what the program deletes, writes and runs, in order.
//!
//! Values are followed as far as they are literal; all ways of a branch are taken, loops over known lists are unrolled,
//! functions run where they are called. Bounded in steps and effects; what exceeds a bound is unknown.

mod act;
mod budget;
mod call;
mod containers;
mod each;
mod environment;
mod evaluate;
mod frames;
mod home;
mod implicit;
mod inputs;
mod load;
mod method;
mod object;
mod open;
mod operate;
mod places;
mod run;
mod suites;
mod tasks;

use std::collections::BTreeMap;
use std::rc::Rc;

use super::effect::CodeEffect;
use super::language::Language;
use super::library;
use super::parser;
use super::sources::{Program, Source, Sources};
use super::tree::{Expr, Function, Stmt};
use crate::model::Value;

pub(super) use object::{Arguments, Object};

use frames::{join_frames, pairs};

/// Expressions evaluated.
const STEPS: usize = 60_000;
/// Effects kept.
const EFFECTS: usize = 500;
/// Calls of the program's own functions in each other.
const CALLS: usize = 12;
/// Expressions in each other.
const NESTING: usize = 120;
/// Elements that a loop is unrolled for.
const UNROLL: usize = 64;

/// The effects of a program in one of the languages that share this interpreter.
pub(super) fn run(language: Language, program: &Program<'_>, sources: &dyn Sources) -> Vec<CodeEffect> {
    let mut machine = Machine::new(language, program, sources);
    machine.lines();
    let faults = machine.program(program.text);
    machine.lines();
    machine.suite();
    machine.afterwards();
    machine.settle();
    let mut effects = machine.effects;
    if let Some(name) = faults.filter(|_| effects.is_empty()) {
        effects.push(CodeEffect::Unknown {
            reason: format!("{} code that mentions {name} could not be read in full", language.title()),
        });
    }
    effects
}

pub(super) use tasks::run as run_tasks;

/// How a statement ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    /// The rest of the block does not run.
    Stop,
}

struct Machine<'a> {
    language: Language,
    arguments: &'a [Value],
    sources: &'a dyn Sources,
    /// Files can be looked at.
    looks: bool,
    /// Directory of the file that is run now, and those in which modules are looked for.
    directory: String,
    roots: Vec<String>,
    /// Modules may also be in directories that are not known.
    elsewhere: bool,
    /// The file that is run now, and the one that was started.
    file: Option<String>,
    main: Option<String>,
    /// Bytes of installed packages that were read, and whether one is being loaded.
    read: usize,
    installed: bool,
    /// What loading a file gave, by its path.
    loaded: BTreeMap<String, Object>,
    /// Names of loaded modules: their functions look for them when they are called.
    shared: BTreeMap<String, Object>,
    /// Greater than zero while a loaded file runs.
    loading: usize,
    /// The call that comes names its function itself.
    direct: bool,
    /// Text on a command line, short enough that all of it is meant to run.
    inline: bool,
    /// Names that several variables have for one list or map.
    names: Vec<containers::Names>,
    /// Names of the arguments of the call that comes, where they name a list or map.
    given: Vec<Option<(usize, String)>>,
    /// The functions that run now, with the number of effects before each.
    active: Vec<(usize, usize)>,
    /// One of them was not followed any deeper.
    turned: bool,
    /// The block of the call that comes.
    block: Option<Object>,
    /// Variables of the environment that the program has set.
    environment: BTreeMap<String, Object>,
    /// The frame that keeps the attributes of tests.
    carries: Option<usize>,
    /// What the function that runs has given so far.
    yielded: Option<Object>,
    /// Variables, innermost function last.
    frames: Vec<BTreeMap<String, Object>>,
    /// Methods of the program's own classes, by name.
    methods: BTreeMap<String, Vec<Rc<Function>>>,
    /// Classes, decorated functions and functions that were not called yet.
    implicit: implicit::Implicit,
    /// Files that the program gets as input.
    inputs: inputs::Inputs,
    /// Tasks that the file declares, where it is one of a task runner.
    tasks: Option<tasks::Declared>,
    /// Modules whose names are used without the module's (`from os import *`).
    open_modules: Vec<String>,
    effects: Vec<CodeEffect>,
    /// Effects on a database that are undone unless a commit follows.
    uncommitted: Vec<usize>,
    steps: usize,
    /// Parts of values that were handled.
    work: usize,
    calls: usize,
    depth: usize,
    /// Greater than zero where it is not sure that the code runs.
    maybe: usize,
    /// The program has ended.
    ended: bool,
    returned: Option<Object>,
}

impl<'a> Machine<'a> {
    fn new(language: Language, program: &Program<'a>, sources: &'a dyn Sources) -> Self {
        let mut machine = Self {
            language,
            arguments: program.arguments,
            sources,
            looks: sources.first(&[]) != Source::Untold,
            directory: String::new(),
            roots: program.roots.to_vec(),
            elsewhere: false,
            file: None,
            main: None,
            read: 0,
            installed: false,
            loaded: BTreeMap::new(),
            shared: BTreeMap::new(),
            loading: 0,
            direct: false,
            inline: program.file.is_none(),
            implicit: implicit::Implicit::default(),
            inputs: inputs::Inputs::new(program.reading),
            tasks: None,
            names: Vec::new(),
            given: Vec::new(),
            block: None,
            environment: BTreeMap::new(),
            carries: None,
            active: Vec::new(),
            turned: false,
            yielded: None,
            frames: vec![BTreeMap::new()],
            methods: BTreeMap::new(),
            open_modules: Vec::new(),
            effects: Vec::new(),
            uncommitted: Vec::new(),
            steps: 0,
            work: 0,
            calls: 0,
            depth: 0,
            maybe: 0,
            ended: false,
            returned: None,
        };
        machine.stand(program.file);
        machine.main = machine.file.clone();
        if language == Language::Python {
            // A program's own directory comes first.
            machine.roots.insert(0, machine.directory.clone());
        }
        machine
    }

    /// Runs program text; tells a dangerous name in it when the text was not understood in full.
    fn program(&mut self, text: &str) -> Option<String> {
        let Some(program) = parser::parse(text, self.language) else {
            self.unknown(format!("{} code that is too long to be read", self.language.title()));
            return None;
        };
        self.block(&program.body);
        if program.faults {
            program.names.into_iter().find(|name| library::acts(self.language, name))
        } else {
            None
        }
    }

    /// `ln` does it with these words.
    fn link(&mut self, target: Value, at: Value, symbolic: bool) {
        let manner = if symbolic { "-s" } else { "-P" };
        let argv = vec![Value::known("ln"), Value::known(manner), Value::known("--"), target, at];
        self.emit(CodeEffect::Run { argv });
    }

    fn emit(&mut self, effect: CodeEffect) {
        if self.effects.last() == Some(&effect) {
            return;
        }
        if self.effects.len() < EFFECTS {
            self.effects.push(effect);
        } else if self.effects.len() == EFFECTS {
            self.effects.push(CodeEffect::Unknown { reason: "more effects than are followed".to_owned() });
        }
    }

    fn unknown(&mut self, reason: impl Into<String>) {
        self.emit(CodeEffect::Unknown { reason: reason.into() });
    }

    /// What was done to a database and never committed is undone.
    fn settle(&mut self) {
        let undone = std::mem::take(&mut self.uncommitted);
        let mut index = 0;
        self.effects.retain(|_| {
            index += 1;
            !undone.contains(&(index - 1))
        });
    }

    /// Runs statements in order.
    fn block(&mut self, body: &[Stmt]) -> Flow {
        if matches!(self.language, Language::Node | Language::Perl | Language::Php) {
            self.hoist(body);
        }
        for statement in body {
            if self.ended || self.statement(statement) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Next
    }

    /// Functions are known in the whole block, also in front of where they stand.
    fn hoist(&mut self, body: &[Stmt]) {
        for statement in body {
            match statement {
                Stmt::Define(name, function) => self.set(name, Object::Function(Rc::clone(function))),
                Stmt::Class(name, members) if self.language == Language::Php => {
                    self.class(name, members);
                }
                _ => {}
            }
        }
    }

    fn class(&mut self, name: &str, body: &[Stmt]) {
        for member in body {
            match member {
                Stmt::Define(member, function) => {
                    self.implicit.says("", function, !self.installed);
                    let known = self.methods.entry(member.clone()).or_default();
                    if !known.iter().any(|one| Rc::ptr_eq(one, function)) {
                        known.push(Rc::clone(function));
                        self.implicit.member(name, member, function);
                    }
                }
                other => {
                    self.statement(other);
                }
            }
        }
        self.set(name, Object::Class(name.to_owned()));
    }

    fn statement(&mut self, statement: &Stmt) -> Flow {
        if !self.step() {
            return Flow::Stop;
        }
        match statement {
            Stmt::Expr(value) => {
                self.value(value);
                if self.ended { Flow::Stop } else { Flow::Next }
            }
            Stmt::Branch(conditions, ways) => self.branch(conditions, ways),
            Stmt::Loop { target, list, body } => {
                self.repeat(target.as_ref(), list.as_ref(), body);
                Flow::Next
            }
            Stmt::Attempt(body) => {
                let returned = self.returned.clone();
                self.maybe += 1;
                let flow = self.block(body);
                self.maybe -= 1;
                // What is thrown is no value; what is returned may be one all the same.
                if flow == Flow::Stop && self.returned.is_none() {
                    self.returned = returned;
                }
                Flow::Next
            }
            Stmt::Define(name, function) => {
                self.implicit.says(name, function, !self.installed);
                self.set(name, Object::Function(Rc::clone(function)));
                Flow::Next
            }
            Stmt::Class(name, body) => {
                self.class(name, body);
                Flow::Next
            }
            Stmt::Decorate { name, with } => {
                self.decorate(name, with);
                Flow::Next
            }
            Stmt::Import { name, bound } => {
                self.import(name, bound);
                Flow::Next
            }
            Stmt::With(value, target) => {
                let object = self.value(value);
                if matches!(object, Object::Database { .. }) {
                    self.uncommitted.clear();
                    self.set("\u{0}commits", Object::Plain);
                }
                if let Some(target) = target {
                    self.assign(target, object);
                }
                Flow::Next
            }
            Stmt::Return(value) => {
                let object = value.as_ref().map_or(Object::Plain, |value| self.value(value));
                self.returned = Some(match self.returned.take() {
                    Some(before) => before.or(object),
                    None => object,
                });
                Flow::Stop
            }
        }
    }

    fn branch(&mut self, conditions: &[Expr], ways: &[Vec<Stmt>]) -> Flow {
        for condition in conditions {
            self.value(condition);
        }
        let refined = conditions.first().and_then(|condition| self.refinement(condition));
        let before = self.snapshot();
        let mut after: Option<Vec<BTreeMap<String, Object>>> = None;
        let mut stops = true;
        let elsewhere = self.loading > 0 && conditions.first().is_some_and(|first| self.asks_for_main(first));
        for (index, way) in ways.iter().enumerate() {
            if elsewhere && index == 0 {
                continue;
            }
            self.frames.clone_from(&before);
            let restore = match (&refined, index) {
                (Some((name, object)), 0) => Some((name.clone(), self.replace(name, object.clone()))),
                _ => None,
            };
            self.maybe += 1;
            let flow = self.block(way);
            self.maybe -= 1;
            if let Some((name, old)) = restore {
                self.replace(&name, old);
            }
            if flow == Flow::Next {
                stops = false;
                let own = std::mem::take(&mut self.frames);
                after = Some(match after {
                    Some(joined) => join_frames(joined, own),
                    None => own,
                });
            }
        }
        self.frames = after.unwrap_or(before);
        // A return in every way ends the block; so does an exit, but that is only followed where it is sure.
        if stops && !ways.is_empty() { Flow::Stop } else { Flow::Next }
    }

    fn repeat(&mut self, target: Option<&Expr>, list: Option<&Expr>, body: &[Stmt]) {
        let (mut elements, mut exact) = match list {
            Some(list) => self.value(list).elements(),
            None => (vec![Object::Unknown], false),
        };
        if elements.len() > UNROLL {
            elements = vec![Object::any(elements)];
            exact = false;
        }
        if elements.is_empty() {
            return;
        }
        let before = self.snapshot();
        self.maybe += usize::from(!exact);
        self.round(target, elements.clone(), body);
        // What the body changes for its next round: once more, with all that it may be by then.
        if !exact && !self.ended && self.widen(&before) {
            self.round(target, elements, body);
        }
        self.maybe -= usize::from(!exact);
        let after = std::mem::take(&mut self.frames);
        self.frames = if exact { after } else { join_frames(before, after) };
    }

    /// The body of a loop, for each of these.
    fn round(&mut self, target: Option<&Expr>, elements: Vec<Object>, body: &[Stmt]) {
        for element in elements {
            if let Some(target) = target {
                self.assign(target, element);
            }
            self.maybe += 1;
            self.block(body);
            self.maybe -= 1;
            if self.ended {
                break;
            }
        }
    }

    /// Narrows a name pattern by a condition on its end or beginning.
    fn refinement(&self, condition: &Expr) -> Option<(String, Object)> {
        let (callee, arguments) = match condition {
            Expr::Call(callee, arguments) => (callee, arguments),
            Expr::Binary(super::tree::Operator::Both, first, _) => return self.refinement(first),
            _ => return None,
        };
        let Expr::Attribute(subject, method) = callee.as_ref() else { return None };
        let Expr::Name(name) = subject.as_ref() else { return None };
        let Expr::Text(parts) = &arguments.first()?.value else { return None };
        let [super::tree::Part::Text(text)] = parts.as_slice() else { return None };
        let Object::Text { value: Value::Known(pattern), glob: true } = self.get(name)? else { return None };
        let pattern = match method.as_str() {
            "endswith" | "endsWith" | "end_with?" if pattern.ends_with('*') => format!("{pattern}{text}"),
            "startswith" | "startsWith" | "start_with?" if pattern == "*" => format!("{text}*"),
            _ => return None,
        };
        Some((name.clone(), Object::pattern(Value::known(pattern))))
    }

    fn get(&self, name: &str) -> Option<&Object> {
        self.frames.iter().rev().find_map(|frame| frame.get(name)).or_else(|| self.shared.get(name))
    }

    fn set(&mut self, name: &str, object: Object) {
        if let Some(frame) = self.frames.last_mut() {
            frame.insert(name.to_owned(), object);
        }
    }

    /// Sets a variable and gives its old value.
    fn replace(&mut self, name: &str, object: Object) -> Object {
        let old = self.get(name).cloned().unwrap_or(Object::Unknown);
        self.set(name, object);
        old
    }

    /// A member of a map that is known.
    fn place_of(&self, target: &Expr) -> Option<()> {
        let Expr::Attribute(base, _) = target else { return Some(()) };
        let base = written(base)?;
        matches!(self.get(&base), Some(Object::Map(_))).then_some(())
    }

    /// Sets whatever stands on the left side of an assignment.
    fn assign(&mut self, target: &Expr, object: Object) {
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
                            [super::tree::Part::Text(text)] => text.clone(),
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

/// `self.path` as one name.
fn written(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Name(name) => Some(name.clone()),
        Expr::Attribute(object, member) => Some(format!("{}.{member}", written(object)?)),
        _ => None,
    }
}

#[cfg(test)]
mod combining;
#[cfg(test)]
mod dispatch_tests;
#[cfg(test)]
pub(super) mod tests;
