//! Abstract interpretation of the shared tree: what the program deletes, writes and runs, in order.
//!
//! Values are followed as far as they are literal; all ways of a branch are taken, loops over known lists are unrolled,
//! functions run where they are called. Bounded in steps and effects; what exceeds a bound is unknown.

mod act;
mod act_files;
mod act_values;
mod arguments;
mod budget;
mod call;
mod callbacks;
mod callee;
mod containers;
mod each;
mod environment;
mod evaluate;
mod foreign;
mod frames;
mod home;
mod implicit;
mod inputs;
mod literal;
mod load;
mod member;
mod method;
mod numbers;
mod object;
mod open;
mod operate;
mod path;
mod places;
mod python;
mod remote;
mod rights;
mod run;
mod shapes;
mod statement;
mod suites;
mod tasks;
mod variables;

use std::collections::BTreeMap;
use std::rc::Rc;

use super::effect::CodeEffect;
use super::language::Language;
use super::library;
use super::parser;
use super::sources::{Program, Source, Sources};
use super::tree::{Expr, Function};
use crate::model::Value;

pub(super) use object::{Arguments, Object};

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
    machine.waiting();
    machine.settle();
    let mut effects = machine.effects;
    if let Some(name) = faults {
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
    /// What the program asks of its command line.
    asked: Vec<arguments::Asked>,
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
    /// What functions were given that are not known.
    foreign: foreign::Foreign,
    /// Files that the program gets as input.
    inputs: inputs::Inputs,
    /// Tasks that the file declares, where it is one of a task runner.
    tasks: Option<tasks::Declared>,
    /// Modules whose names are used without the module's (`from os import *`).
    open_modules: Vec<String>,
    effects: Vec<CodeEffect>,
    /// What was attached to databases, as statements.
    attached: Vec<(Value, String)>,
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
            asked: Vec::new(),
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
            foreign: foreign::Foreign::default(),
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
            attached: Vec::new(),
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
mod escape_tests;
#[cfg(test)]
mod held_tests;
#[cfg(test)]
mod number_tests;
#[cfg(test)]
pub(super) mod tests;
