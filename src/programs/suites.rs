//! Suites of tests that an interpreter runs itself: which files belong to them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::knowledge::Match;
use crate::model::Value;
use crate::order;
use crate::programs::python::modules_loaded;
use crate::programs::tasks::not_read;
use crate::shell::pattern;
use crate::shell::program::{Arg, Call, Code, Expansion, Flow, Run, Shell, State, StepKind, Variable};
use crate::world::FileKind;

/// The shell's variables.
type Variables = Arc<BTreeMap<String, Variable>>;

/// Files of one suite.
const FILES: usize = 100;
/// Directories in each other.
const DEPTH: usize = 8;
/// Entries of one directory.
const ENTRIES: usize = 2_000;

/// The files of a suite.
struct Suite {
    files: Vec<String>,
    /// There are no others.
    whole: bool,
}

/// What `python -m unittest` is told.
struct Discovery {
    start: String,
    pattern: String,
    top: Option<String>,
}

/// `python -m unittest`: modules that are named, or found where none is.
pub(super) fn unit_tests(shell: &mut Shell<'_>, state: &mut State, call: &Call, rest: &[Expansion]) {
    let words = rest.iter().map(|word| word.arg.value.as_known()).collect::<Vec<_>>();
    if words.iter().flatten().any(|word| matches!(*word, "-h" | "--help")) {
        return;
    }
    let first = words.iter().flatten().find(|word| !word.starts_with('-')).copied();
    if first.is_some_and(|first| first != "discover") {
        let before = lent(shell, state, call);
        modules_loaded(shell, state, call, rest, true);
        state.variables = before;
        return;
    }
    let Some(asked) = discovery(&words) else {
        let reason = "which tests are run is not known".to_owned();
        shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
        return;
    };
    let top = asked.top.unwrap_or_else(|| asked.start.clone());
    let package = |interp: &Shell<'_>, state: &State, directory: &Path| {
        interp.exists(state, &directory.join("__init__.py")) == Some(true)
    };
    let wanted = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        pattern::matches(&asked.pattern, name, pattern::Options::default())
    };
    let Suite { files, whole } = files_below(shell, state, &asked.start, &wanted, &package);
    if !whole {
        not_read(shell, state, call, "unittest", "");
    }
    let prefix = format!("{}/", top.trim_end_matches('/'));
    let mut text = String::new();
    for file in files {
        let own = file.strip_prefix(&prefix).or(file.strip_prefix("./")).unwrap_or(&file);
        let module = own.strip_suffix(".py").unwrap_or(own).replace('/', ".");
        if module.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')) {
            text.push_str(&format!("import {module}\n"));
        }
    }
    if !text.is_empty() {
        let mut roots = vec![if top == "." { String::new() } else { top }];
        roots.extend(shell.module_roots(state, "python"));
        let text = Value::known(text);
        let mut code = Code::of("python", &text, roots, call);
        code.reading.tests = true;
        let before = lent(shell, state, call);
        shell.run_code(state, code);
        state.variables = before;
    }
}

/// See [`Room::Suite`](crate::knowledge::Room::Suite).
pub(super) struct Suites;

impl super::Program for Suites {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        if run.matched.does_nothing() || state.scope.host.is_some() {
            return None;
        }
        let inner = state.scope.through(run.name);
        match run.name {
            "prove" => state.within(&inner, |state| perl_tests(shell, state, run.call, run.matched)),
            _ => {
                let words = run.call.words.get(1..).unwrap_or(&[]).to_vec();
                state.within(&inner, |state| modules_loaded(shell, state, run.call, &words, false));
            }
        }
        None
    }
}

/// `prove`: the files that are named, and those of directories; those of `t` where nothing is named. What a test makes names of
/// is of its own making, as a rule: only what it plainly says counts besides that the project's own code runs.
fn perl_tests(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) {
    let named = matched.operands.iter().filter_map(|operand| operand.value.as_known().map(str::to_owned));
    let mut named: Vec<String> = named.collect();
    if named.is_empty() {
        named.push("t".to_owned());
    }
    let deep = matched.has("-r");
    let is_test = |path: &str| path.ends_with(".t");
    let mut files = Vec::new();
    for name in named {
        let at = shell.absolute(state, &Value::known(name.as_str()));
        if at.is_some_and(|at| shell.is_directory(state, &at) == Some(true)) {
            files.extend(files_below(shell, state, &name, &is_test, &|_, _, _| deep).files);
        } else {
            files.push(name);
        }
    }
    let mut roots: Vec<String> =
        matched.values("-I").into_iter().filter_map(Value::as_known).map(str::to_owned).collect();
    roots.extend(matched.has("-l").then(|| "lib".to_owned()));
    for file in files.into_iter().take(FILES) {
        let path = shell.absolute(state, &Value::known(file.as_str()));
        let limit = shell.options.limits.script_bytes;
        let Some(text) = path.and_then(|path| shell.read_text(state, &path, limit)) else { continue };
        let text = Value::Known(text);
        let mut code = Code::of("perl", &text, roots.clone(), call);
        code.file = Some(&file);
        let before = lent(shell, state, call);
        state.perhaps(|state| shell.run_plainly(state, &code));
        state.variables = before;
    }
}

/// `node --test`: the files that are named, those below directories, or those that Node finds.
pub(super) fn node_tests(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) {
    if !matched.has("--test") || state.scope.host.is_some() {
        return;
    }
    let inner = state.scope.through("node");
    let named = matched.operands.iter().map(|operand| operand.value.clone()).collect::<Vec<_>>();
    let (mut files, mut whole) = (Vec::new(), true);
    let outside = |interp: &Shell<'_>, state: &State, directory: &Path| {
        let name = directory.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let _ = (interp, state);
        !matches!(name, "node_modules" | ".git")
    };
    let code = |name: &str| {
        ["js", "cjs", "mjs", "ts", "cts", "mts"]
            .iter()
            .find_map(|ending| name.strip_suffix(ending)?.strip_suffix('.').map(str::to_owned))
    };
    if named.is_empty() {
        let found = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or_default();
            code(name).is_some_and(|stem| {
                stem == "test"
                    || stem.starts_with("test-")
                    || [".test", "-test", "_test"].iter().any(|end| stem.ends_with(end))
                    || path.split('/').any(|part| part == "test")
            })
        };
        let suite = files_below(shell, state, ".", &found, &outside);
        whole &= suite.whole;
        files.extend(suite.files);
    }
    for value in named {
        let Some(name) = value.as_known() else {
            let reason = "which tests are run is not known".to_owned();
            state.within(&inner, |state| {
                shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason })
            });
            continue;
        };
        let name = name.trim_end_matches('/');
        let at = shell.absolute(state, &Value::known(name));
        if at.is_some_and(|at| shell.is_directory(state, &at) == Some(true)) {
            let suite = files_below(shell, state, name, &|path| code(path).is_some(), &outside);
            whole &= suite.whole;
            files.extend(suite.files);
        } else if name.contains(['*', '?', '[']) {
            let names = shell.pattern_names(state, name);
            whole &= names.is_some();
            files.extend(names.unwrap_or_default());
        } else {
            files.push(name.to_owned());
        }
    }
    if !whole || files.len() > FILES {
        not_read(shell, state, call, "node --test", "");
    }
    let before = lent(shell, state, call);
    for file in files.into_iter().take(FILES) {
        let file = Arg { value: Value::known(file), span: call.span, explicit: false };
        state.within(&inner, |state| shell.code_file(state, "node", &file, &[]));
    }
    state.variables = before;
}

/// Variables in front of a command hold while it runs; gives those from before.
fn lent(shell: &mut Shell<'_>, state: &mut State, call: &Call) -> Variables {
    let before = state.variables.clone();
    for (name, value) in &call.environment {
        shell.assign_scalar(state, name, value.clone());
        shell.export(state, name);
    }
    before
}

/// Files below a directory whose names are wanted, in those directories that may be entered.
fn files_below(
    shell: &Shell<'_>,
    state: &State,
    start: &str,
    wanted: &dyn Fn(&str) -> bool,
    enters: &dyn Fn(&Shell<'_>, &State, &Path) -> bool,
) -> Suite {
    let mut found = Suite { files: Vec::new(), whole: true };
    let mut open = vec![(start.trim_end_matches('/').to_owned(), 0)];
    while let Some((directory, depth)) = open.pop() {
        let Some(at) = shell.absolute(state, &Value::known(directory.as_str())) else { continue };
        let Some(mut entries) = shell.list(state, &at, ENTRIES) else {
            found.whole = false;
            continue;
        };
        order::by(&mut entries, |a, b| a.name.cmp(&b.name));
        for entry in entries {
            let path =
                if directory == "." { entry.name.clone() } else { format!("{directory}/{}", entry.name) };
            if entry.kind == FileKind::Directory {
                if enters(shell, state, &at.join(&entry.name)) {
                    match depth < DEPTH {
                        true => open.push((path, depth + 1)),
                        false => found.whole = false,
                    }
                }
            } else if wanted(&path) {
                match found.files.len() < FILES {
                    true => found.files.push(path),
                    false => found.whole = false,
                }
            }
        }
    }
    found
}

/// The words behind `discover`; `None` when one of them is not known.
fn discovery(words: &[Option<&str>]) -> Option<Discovery> {
    let mut asked = Discovery { start: ".".to_owned(), pattern: "test*.py".to_owned(), top: None };
    let mut place = 0;
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let word = word?;
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (word, None),
        };
        let mut value =
            || value.map_or_else(|| words.next().flatten().map(str::to_owned), |v| Some(v.to_owned()));
        match name {
            "discover" => {}
            "-s" | "--start-directory" => asked.start = value()?,
            "-p" | "--pattern" => asked.pattern = value()?,
            "-t" | "--top-level-directory" => asked.top = Some(value()?),
            "-k" => {
                value();
            }
            _ if word.starts_with('-') => {}
            _ => {
                match place {
                    0 => asked.start = word.to_owned(),
                    1 => asked.pattern = word.to_owned(),
                    _ => asked.top = Some(word.to_owned()),
                }
                place += 1;
            }
        }
    }
    // A package may stand in place of its directory.
    if !asked.start.contains('/') && asked.start.contains('.') && !asked.start.trim_matches('.').is_empty() {
        asked.start = asked.start.replace('.', "/");
    }
    Some(asked)
}
