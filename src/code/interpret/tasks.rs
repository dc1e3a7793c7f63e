//! Files of task runners: which tasks they declare, and what running some of them does.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::code::effect::CodeEffect;
use crate::code::language::Language;
use crate::code::sources::{Program, Runner, Sources, Tasks};
use crate::code::tree::Function;
use crate::model::Value;

use super::{Arguments, Machine, Object};

/// What a Rakefile's line means beside Ruby's own functions.
const RAKE: [&str; 9] =
    ["task", "file", "multitask", "directory", "namespace", "desc", "rule", "import", "ruby"];

/// Tasks of a file.
#[derive(Debug)]
pub(super) struct Declared {
    runner: Runner,
    /// Names of Rake's namespaces that are open.
    spaces: Vec<String>,
    known: BTreeMap<String, Task>,
    /// Patterns that `rake clean` and `rake clobber` delete.
    cleaned: Vec<(&'static str, Object)>,
    /// The task that runs when none is named.
    default: Option<String>,
    /// The file takes tasks from elsewhere.
    pub(super) more: bool,
    done: BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
struct Task {
    before: Vec<String>,
    /// Names of arguments, or of tasks that come first behind them: those that are tasks run.
    perhaps: Vec<String>,
    after: Vec<String>,
    bodies: Vec<Object>,
}

/// What running these tasks of a file does.
pub(in crate::code) fn run(
    runner: Runner,
    program: &Program<'_>,
    wanted: &[String],
    sources: &dyn Sources,
) -> Tasks {
    let language = if runner == Runner::Rake { Language::Ruby } else { Language::Python };
    let mut machine = Machine::new(language, program, sources);
    machine.tasks = Some(Declared {
        runner,
        spaces: Vec::new(),
        known: BTreeMap::new(),
        cleaned: Vec::new(),
        default: None,
        more: false,
        done: BTreeSet::new(),
    });
    if runner == Runner::Rake {
        machine.open_modules.push("FileUtils".to_owned());
    }
    if let Some(name) = machine.program(program.text) {
        machine.unknown(format!("code that mentions {name} could not be read in full"));
    }
    machine.task_functions();
    let mut unknown = Vec::new();
    let all = match machine.tasks.as_ref() {
        Some(declared) if wanted.is_empty() => match runner {
            Runner::Rake => vec!["default".to_owned()],
            Runner::Invoke => declared.default.iter().cloned().collect(),
            Runner::Nox | Runner::Doit => declared.known.keys().cloned().collect(),
        },
        _ => wanted.to_vec(),
    };
    for name in &all {
        if !machine.task(name, true, 0) {
            unknown.push(name.clone());
        }
    }
    machine.afterwards();
    machine.settle();
    Tasks { effects: machine.effects, unknown }
}

impl Machine<'_> {
    /// A call of one of Rake's own words; `None` when it is none.
    pub(super) fn rake(&mut self, name: &str, arguments: &Arguments) -> Option<Object> {
        let declared = self.tasks.as_ref().filter(|tasks| tasks.runner == Runner::Rake)?;
        if let Some(task) = name.strip_prefix("Rake.Task.") {
            let (task, method) = task.rsplit_once('.').unwrap_or((task, ""));
            if matches!(method, "invoke" | "execute") && !self.task(task, true, 0) {
                self.unknown(format!("the task {task} is declared elsewhere"));
            }
            if method == "enhance" {
                self.enhance(task, arguments);
            }
            return Some(Object::Unknown);
        }
        for list in ["CLEAN", "CLOBBER"] {
            if name
                .strip_prefix(list)
                .is_some_and(|rest| matches!(rest, ".include" | ".add" | ".push" | ".<<"))
            {
                let kept: &'static str = if list == "CLEAN" { "clean" } else { "clobber" };
                let patterns =
                    arguments.list.iter().flat_map(|one| one.elements_or_self()).collect::<Vec<_>>();
                if let Some(tasks) = self.tasks.as_mut() {
                    tasks.cleaned.extend(patterns.into_iter().map(|one| (kept, one)));
                }
                return Some(Object::Plain);
            }
        }
        if !RAKE.contains(&name) {
            return None;
        }
        match name {
            "desc" => {}
            "directory" => {}
            "ruby" => {
                let mut list = vec![Object::text("ruby")];
                list.extend(arguments.list.iter().cloned());
                if let [_, Object::Text { value, .. }] = list.as_slice() {
                    let text = crate::model::Value::known("ruby ").concat(value);
                    self.emit(CodeEffect::Shell { text });
                } else {
                    self.system(&Arguments::of(list));
                }
            }
            "import" => {
                for file in arguments.list.clone() {
                    self.load_file(&file, false);
                }
            }
            "rule" => self.more_tasks(),
            "namespace" => {
                let space = arguments.list.first().and_then(Object::known);
                let block = arguments.block.clone();
                match (space, block) {
                    (Some(space), Some(Object::Function(body))) => {
                        self.in_namespace(space, &body);
                    }
                    _ => self.more_tasks(),
                }
            }
            _ => {
                let space = declared.spaces.join(":");
                self.declare(&space, arguments);
            }
        }
        Some(Object::Unknown)
    }

    /// `Rake::Task[:a].enhance([:before]) { … }`: more of a task that is declared.
    fn enhance(&mut self, task: &str, arguments: &Arguments) {
        let before = arguments.list.iter().flat_map(Object::elements_or_self).collect::<Vec<_>>();
        let mut names = Vec::new();
        for object in &before {
            match object.known() {
                Some(name) => names.push(name),
                None => self.more_tasks(),
            }
        }
        let Some(tasks) = self.tasks.as_mut() else { return };
        let task = tasks.known.entry(task.to_owned()).or_default();
        task.before.extend(names);
        task.bodies.extend(arguments.block.clone());
    }

    /// `rake/clean` comes with patterns of its own.
    pub(super) fn cleans(&mut self) {
        if let Some(tasks) = self.tasks.as_mut().filter(|tasks| tasks.runner == Runner::Rake) {
            let patterns = ["**/*~", "**/*.bak"].map(|pattern| Object::pattern(Value::known(pattern)));
            tasks.cleaned.extend(patterns.map(|pattern| ("clean", pattern)));
        }
    }

    /// Deletes what `rake clean` or `rake clobber` does. `false`: there is no such task.
    fn clean(&mut self, name: &str) -> bool {
        let Some(tasks) = self.tasks.as_ref().filter(|_| matches!(name, "clean" | "clobber")) else {
            return false;
        };
        let cleaned = tasks
            .cleaned
            .iter()
            .filter(|(list, _)| name == *list || name == "clobber")
            .map(|(_, pattern)| pattern.clone())
            .collect::<Vec<_>>();
        for pattern in &cleaned {
            let (path, _) = pattern.value();
            let glob = path.as_known().is_none_or(|text| text.contains(['*', '?', '[', '{']));
            self.emit(CodeEffect::Delete { path, glob, recursive: true });
        }
        !cleaned.is_empty()
    }

    /// doit: functions whose names say that they tell of a task.
    fn task_functions(&mut self) {
        let functions = self.implicit.named_functions();
        let Some(tasks) = self.tasks.as_mut().filter(|tasks| tasks.runner == Runner::Doit) else { return };
        for (name, function) in functions {
            if let Some(name) = name.strip_prefix("task_") {
                let bodies = vec![Object::Function(function)];
                tasks.known.insert(name.to_owned(), Task { bodies, ..Task::default() });
            }
        }
    }

    /// What a task of doit consists of: texts for a shell, lists of words, functions, and functions with what they are given.
    fn actions(&mut self, said: &Object) {
        for task in said.elements_or_self() {
            let Object::Map(entries) = &task else { continue };
            let actions =
                entries.iter().find(|(key, _)| key == "actions").map(|(_, value)| value.elements_or_self());
            for action in actions.unwrap_or_default() {
                match &action {
                    Object::Function(_) => {
                        self.call(action, Arguments::of(Vec::new()));
                    }
                    Object::List(words) => match words.split_first() {
                        Some((Object::Function(function), rest)) => {
                            let given = rest.first().map(Object::elements_or_self).unwrap_or_default();
                            self.invoke(&Rc::clone(function), given);
                        }
                        _ => {
                            let argv = words.iter().map(|word| word.value().0).collect();
                            self.emit(CodeEffect::Run { argv });
                        }
                    },
                    other => self.emit(CodeEffect::Shell { text: other.value().0 }),
                }
            }
        }
    }

    fn more_tasks(&mut self) {
        if let Some(tasks) = self.tasks.as_mut() {
            tasks.more = true;
        }
    }

    fn in_namespace(&mut self, space: String, body: &Rc<Function>) {
        if let Some(tasks) = self.tasks.as_mut() {
            tasks.spaces.push(space);
        }
        self.invoke(body, Vec::new());
        if let Some(tasks) = self.tasks.as_mut() {
            tasks.spaces.pop();
        }
    }

    /// `task :name, [:arguments] => [:before] do … end` in its spellings.
    fn declare(&mut self, space: &str, arguments: &Arguments) {
        let mut name = None;
        let mut before = Vec::new();
        let mut perhaps = Vec::new();
        for object in &arguments.list {
            match object {
                Object::Map(entries) => {
                    for (key, value) in entries {
                        if name.is_none() {
                            name = Some(key.clone());
                        }
                        before.push(value.clone());
                    }
                }
                other if name.is_none() => name = other.known(),
                other => perhaps.extend(other.elements_or_self().iter().filter_map(Object::known)),
            }
        }
        for (key, value) in &arguments.named {
            if name.is_none() {
                name = Some(key.clone());
            }
            before.push(value.clone());
        }
        let Some(name) = name else {
            self.more_tasks();
            return;
        };
        let full = if space.is_empty() { name } else { format!("{space}:{name}") };
        let mut names = Vec::new();
        for object in before.iter().flat_map(Object::elements_or_self) {
            match object.known() {
                Some(name) => names.push(name),
                None => self.more_tasks(),
            }
        }
        let Some(tasks) = self.tasks.as_mut() else { return };
        let task = tasks.known.entry(full).or_default();
        task.before.extend(names);
        task.perhaps.extend(perhaps);
        task.bodies.extend(arguments.block.clone());
    }

    /// Whether a decorator declares a task of the runner whose file this is.
    pub(super) fn declares(&mut self, decorator: &str, function: &str, arguments: &Arguments) -> bool {
        let Some(body @ Object::Function(_)) = self.get(function).cloned() else { return false };
        let named = arguments.keyword(&["name"]).and_then(Object::known);
        let lists = |key: &str| arguments.keyword(&[key]).map(Object::elements_or_self).unwrap_or_default();
        let mut before = lists("pre");
        before.extend(arguments.list.iter().cloned());
        let after = lists("post");
        let default = arguments.keyword(&["default"]).is_some();
        let Some(tasks) = self.tasks.as_mut() else { return false };
        let last = decorator.rsplit('.').next().unwrap_or_default();
        let name = match (tasks.runner, last) {
            (Runner::Invoke, "task") => named.unwrap_or_else(|| function.replace('_', "-")),
            (Runner::Nox, "session") => named.unwrap_or_else(|| function.to_owned()),
            _ => return false,
        };
        // The tasks before and after are the functions themselves, known by what they are called.
        let hold = |tasks: &mut Declared, list: Vec<Object>, mark: &str| {
            let mut names = Vec::new();
            for (number, object) in list.into_iter().enumerate() {
                let key = format!("\u{0}{name}{mark}{number}");
                tasks.known.insert(key.clone(), Task { bodies: vec![object], ..Task::default() });
                names.push(key);
            }
            names
        };
        let task = if tasks.runner == Runner::Invoke {
            let before = hold(tasks, before, "<");
            let after = hold(tasks, after, ">");
            Task { before, after, bodies: vec![body], ..Task::default() }
        } else {
            Task { bodies: vec![body], ..Task::default() }
        };
        if default {
            tasks.default = Some(name.clone());
        }
        tasks.known.insert(name, task);
        true
    }

    /// Runs a task with those that stand before and after it. `false`: nobody says what it is.
    fn task(&mut self, name: &str, asked: bool, depth: usize) -> bool {
        let Some(tasks) = self.tasks.as_mut() else { return false };
        if depth > super::CALLS {
            self.unknown("tasks that hang on each other deeper than they are followed");
            return true;
        }
        if !tasks.done.insert(name.to_owned()) {
            return true;
        }
        let runner = tasks.runner;
        let task = tasks.known.get(name).cloned();
        let more = tasks.more;
        let cleaned = self.clean(name);
        let Some(task) = task else {
            if cleaned {
                return true;
            }
            // What stands before a task may be a file.
            return !asked && !more;
        };
        let mut known = true;
        let space = name.rsplit_once(':').map_or("", |(space, _)| space);
        let is_task = |machine: &Self, name: &str| {
            machine.tasks.as_ref().is_some_and(|tasks| tasks.known.contains_key(name))
        };
        let perhaps = task
            .perhaps
            .iter()
            .filter(|name| is_task(self, &format!("{space}:{name}")) || is_task(self, name));
        for before in task.before.iter().chain(perhaps.collect::<Vec<_>>()) {
            let inner = format!("{space}:{before}");
            let inside = is_task(self, &inner);
            known &= self.task(if inside { &inner } else { before }, false, depth + 1);
        }
        for body in task.bodies {
            let list = match runner {
                Runner::Rake => vec![Object::Unknown, Object::Unknown],
                Runner::Invoke => vec![Object::Native("invoke.Context".to_owned())],
                Runner::Nox => vec![Object::Native("nox.Session".to_owned())],
                Runner::Doit => Vec::new(),
            };
            let said = self.call(body, Arguments::of(list));
            if runner == Runner::Doit {
                self.actions(&said);
            }
        }
        for after in &task.after {
            known &= self.task(after, false, depth + 1);
        }
        known
    }
}
