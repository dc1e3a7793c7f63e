//! Python: `-m MODULE`, modules of the project, and what tools load that are given their names.

use std::path::Path;

use crate::code::Sources;
use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Arg, Beside, Call, Code, Expansion, Flow, Run, Shell, State, Stdin, StepKind};

use super::suites::unit_tests;

/// Modules that load those of the project whose names they are given.
const LOADING: [&str; 6] = ["pydoc", "doctest", "inspect", "pytest", "nose2", "green"];

/// See [`Room::PythonModule`](crate::knowledge::Room::PythonModule).
pub(super) struct Module;

impl super::Program for Module {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        // After what it was told to run it goes on with what it reads; the order counts for nothing in what may be lost.
        let module = run.matched.value("-m").and_then(Value::as_known);
        if run.matched.has("-i") && !run.matched.informational || matches!(module, Some("asyncio" | "pdb")) {
            typed(shell, state, run.call);
        }
        python_module(shell, state, run.call, run.matched)
    }
}

/// Statements that stand in the input. At a terminal somebody types them, and sees what they do.
fn typed(shell: &mut Shell<'_>, state: &mut State, call: &Call) {
    let input = state.stdin.clone();
    if !matches!(input, Stdin::Inherited) {
        // The debugger takes a mark in front of a statement.
        let plain =
            |text: &str| text.lines().map(|line| line.trim_start_matches('!')).collect::<Vec<_>>().join("\n");
        let text = shell.stdin_text(state, &input).unwrap_or(Value::Unknown).map(plain);
        shell.run_code(state, Code::of("python", &text, Vec::new(), call));
    }
}

/// `python -m MODULE WORDS`: a file of the project, a module that the knowledge has, or a program by that name.
fn python_module(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) -> Option<Flow> {
    let option = matched.options.iter().rfind(|option| option.key == "-m")?;
    let at = option.value_index + 2;
    let inner = state.scope.through(matched.path.first().map_or("python", String::as_str));
    let Some(name) = option.value.as_ref().and_then(Value::as_known) else {
        let reason = "which Python module is run is not known".to_owned();
        shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
        return Some(done(shell, state));
    };
    state.within(&inner, |state| module_named(shell, state, call, name, at))?;
    Some(done(shell, state))
}

fn done(shell: &mut Shell<'_>, state: &mut State) -> Flow {
    shell.unknown_result(state);
    Flow::Next
}

/// Runs the module of this name with the words from a place on. `None`: its declaration says all.
fn module_named(shell: &mut Shell<'_>, state: &mut State, call: &Call, name: &str, at: usize) -> Option<()> {
    let rest = call.words.get(at..).unwrap_or(&[]);
    if name == "runpy" {
        let inner = rest.first()?.arg.value.as_known()?.to_owned();
        return module_named(shell, state, call, &inner, at + 1);
    }
    if state.scope.host.is_none() && own_module(shell, state, call, name, rest) {
        return Some(());
    }
    let words = |tool: &str| {
        let first = Arg { value: Value::known(tool), span: call.span, explicit: false };
        let mut words = vec![Expansion { arg: first, elastic: false, unordered: false }];
        words.extend(rest.iter().cloned());
        words
    };
    if state.scope.host.is_none() && name == "unittest" {
        unit_tests(shell, state, call, rest);
    } else if state.scope.host.is_none() && LOADING.contains(&name) {
        modules_loaded(shell, state, call, rest, false);
    }
    let declared = format!("python:{name}");
    if let Some(tool) = shell.knowledge.tool(&declared) {
        shadows(shell, state, call);
        let call = Call { words: words(&declared), external: true, ..call.clone() };
        shell.known(state, &declared, &tool, &call);
        return Some(());
    }
    for tool in [name.to_owned(), name.replace('_', "-")] {
        if shell.knowledge.tool(&tool).is_some() {
            shell.program(state, words(&tool), call.span);
            return Some(());
        }
    }
    let kind = StepKind::UnknownProgram { name: format!("python -m {name}"), args: call.args() };
    shell.emit_as(state, call.span, &call.raw, kind);
    shell.suspect(state, call, "python");
    Some(())
}

/// Modules that those of the library load: what stands here under such a name is loaded in its place.
const LOADED: [&str; 40] = [
    "argparse",
    "getopt",
    "optparse",
    "socketserver",
    "os",
    "re",
    "io",
    "json",
    "subprocess",
    "shutil",
    "tempfile",
    "pathlib",
    "threading",
    "time",
    "string",
    "socket",
    "email",
    "html",
    "urllib",
    "http",
    "types",
    "functools",
    "contextlib",
    "logging",
    "mimetypes",
    "datetime",
    "base64",
    "copy",
    "struct",
    "textwrap",
    "gettext",
    "warnings",
    "collections",
    "ssl",
    "inspect",
    "ast",
    "tokenize",
    "importlib",
    "traceback",
    "sysconfig",
];

/// Files of those names where the module runs, which it may load.
fn shadows(shell: &mut Shell<'_>, state: &mut State, call: &Call) {
    let Some(dir) = state.only_cwd().map(Path::to_path_buf).filter(|_| state.scope.host.is_none()) else {
        return;
    };
    for name in LOADED {
        let file = format!("{name}.py");
        if shell.exists(state, &dir.join(&file)) != Some(true) {
            continue;
        }
        let words = ["python3", file.as_str()].map(|word| Expansion {
            arg: Arg { value: Value::known(word), span: call.span, explicit: false },
            elastic: false,
            unordered: false,
        });
        state.perhaps(|state| {
            shell.program(state, words.to_vec(), call.span);
        });
    }
}

/// Modules of the project that a tool loads to look at them: what stands in them outside functions runs.
pub(super) fn modules_loaded(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    rest: &[Expansion],
    tests: bool,
) {
    for word in rest {
        let Some(name) = word.arg.value.as_known().filter(|name| !name.starts_with('-')) else {
            continue;
        };
        let name = name.trim_start_matches("./");
        let dotted = name.strip_suffix(".py").unwrap_or(name).replace('/', ".");
        // A class or a test may stand behind the module's name.
        let prefixes = std::iter::successors(Some(dotted.as_str()), |long| Some(long.rsplit_once('.')?.0));
        let found = prefixes.take(6).find(|module| {
            let stem = module.replace('.', "/");
            [format!("{stem}.py"), format!("{stem}/__init__.py")].iter().any(|path| {
                let at = shell.absolute(state, &Value::known(path.as_str()));
                at.is_some_and(|at| shell.exists(state, &at) == Some(true))
            })
        });
        let plain = |module: &&str| module.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let Some(module) = found.filter(plain) else { continue };
        let text = Value::known(format!("import {module}"));
        let roots = shell.module_roots(state, "python");
        let mut code = Code::of("python", &text, roots, call);
        code.reading.tests = tests;
        shell.run_code(state, code);
    }
}

/// Whether a module of this name is a file of the project.
fn stands_here(shell: &Shell<'_>, state: &State, roots: &[String], stem: &str) -> bool {
    roots.iter().any(|root| {
        let base = if root.is_empty() { stem.to_owned() } else { format!("{root}/{stem}") };
        [format!("{base}/__main__.py"), format!("{base}/__init__.py"), format!("{base}.py")].iter().any(
            |path| {
                let at = shell.absolute(state, &Value::known(path.as_str()));
                at.is_some_and(|at| shell.exists(state, &at) == Some(true))
            },
        )
    })
}

/// A module that is a file below the working directory or on the search path.
fn own_module(shell: &mut Shell<'_>, state: &mut State, call: &Call, name: &str, rest: &[Expansion]) -> bool {
    let stem = name.replace('.', "/");
    let mut roots = vec![String::new()];
    roots.extend(shell.module_roots(state, "python"));
    // `-m json.tool` loads a `json` of this place, whatever is installed.
    if let Some((package, _)) = name.split_once('.').filter(|_| !stands_here(shell, state, &roots, &stem)) {
        if !stands_here(shell, state, &roots, package) {
            return false;
        }
        let text = Value::known(format!("import {package}"));
        shell.run_code(state, Code::of("python", &text, roots, call));
        return false;
    }
    let arguments = rest.iter().map(|word| word.arg.value.clone()).collect::<Vec<_>>();
    for root in &roots {
        let base = if root.is_empty() { stem.clone() } else { format!("{root}/{stem}") };
        for path in [format!("{base}/__main__.py"), format!("{base}.py")] {
            let there = shell
                .absolute(state, &Value::known(path.as_str()))
                .is_some_and(|at| shell.exists(state, &at) != Some(false));
            if !there {
                continue;
            }
            // The package is loaded before its program runs.
            let packages = name.rsplit_once('.').map_or(name, |(package, _)| package);
            if name.contains('.') || path.ends_with("__main__.py") {
                let text = Value::known(format!("import {packages}"));
                let code = Code::of("python", &text, roots.clone(), call);
                shell.run_code(state, code);
            }
            let stem = path.strip_suffix(".py").unwrap_or(&path);
            if (Beside { interp: shell, state }).is_compiled(stem) {
                let reason = format!("the Python module {name} is loaded from what was compiled");
                shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
            }
            let file = Arg { value: Value::known(path), span: call.span, explicit: false };
            shell.code_file_in(state, "python", &file, &arguments, roots.clone());
            return true;
        }
    }
    false
}
