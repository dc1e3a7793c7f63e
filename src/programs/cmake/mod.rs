//! `cmake`, `ctest`: the project's own scripts, put into the words of a shell that then goes through them.
//!
//! `read` cuts a script up, `script` says in a shell's words what its commands do to files. What of it is not known
//! is the project's own: only what it plainly removes, moves, writes over or runs is told.

mod install;
mod read;
mod script;
mod words;

use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Arg, Expansion, Flow, Run, Shell, State};

use script::{Script, Stage};

/// See [`Room::Cmake`](crate::knowledge::Room::Cmake).
pub(super) struct Cmake;

impl super::Program for Cmake {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let matched = run.matched;
        if matched.has("-E") && run.name == "cmake" && !matched.does_nothing() {
            return own_command(shell, state, run);
        }
        let elsewhere = ["-E", "-P"].iter().any(|option| matched.has(option));
        if matched.does_nothing() || elsewhere || state.scope.host.is_some() {
            return None;
        }
        let here = state.only_cwd()?.to_path_buf();
        let text = told(shell, state, matched, &here, run.name)?;
        let scope = state.scope.through(run.name);
        let mut way = state.clone();
        let unknown = script::UNKNOWN_NAME;
        shell.assign_scalar(&mut way, unknown, Value::Unknown);
        shell.export(&mut way, unknown);
        let zero = Value::known("sh");
        way.perhaps(|way| {
            way.within(&scope, |way| {
                shell.fresh_shell(way, &Value::Known(text), run.call.span, zero, Default::default());
            });
        });
        state.files = way.files;
        None
    }
}

/// `cmake -E NAME …`: a command of the program's own, in the words of the program that does the same; `None` where it is called
/// as that one is, or is none of them.
fn own_command(shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
    let call = run.call;
    let at = call.words.iter().position(|word| word.arg.value.as_known() == Some("-E"))?;
    let name = call.words.get(at + 1)?.arg.value.as_known()?;
    let (_, start) = script::OWN.iter().find(|(own, _)| *own == name)?;
    let given = call.words.get(at + 2..).unwrap_or_default();
    let front = start.split(' ').map(|word| Expansion {
        arg: Arg { value: Value::known(word), span: call.span, explicit: false },
        elastic: false,
        unordered: false,
    });
    let front: Vec<Expansion> = front.collect();
    // Each of several trees is laid over the last one.
    let lists: Vec<Vec<Expansion>> = match given.split_last() {
        Some((into, trees)) if trees.len() > 1 && start.ends_with('T') => {
            trees.iter().map(|tree| vec![tree.clone(), into.clone()]).collect()
        }
        _ => vec![given.to_vec()],
    };
    let scope = state.scope.through(run.name);
    state.within(&scope, |state| {
        for list in lists {
            let words = front.iter().cloned().chain(list).collect();
            shell.program(state, words, call.span);
        }
    });
    Some(Flow::Next)
}

/// What the project's scripts do, in a shell's words; `None` where that is nothing.
fn told(shell: &Shell<'_>, state: &State, matched: &Match, here: &Path, name: &str) -> Option<String> {
    let place = |option: &str| {
        let value = matched.value(option)?.as_known()?.to_owned();
        Some(here.join(value))
    };
    // What runs tests finds them where it stands; what builds knows of the sources what was written there.
    if name != "cmake" {
        let dir = place("--test-dir").unwrap_or_else(|| here.to_owned());
        let mut script = Script::new(shell, state, dir.clone(), dir, Stage::Tests);
        script.directory("CTestTestfile.cmake");
        return script.text();
    }
    if let Some(binary) = place("--install") {
        return installed(shell, state, here, binary);
    }
    if let Some(binary) = place("--build") {
        let cache =
            shell.read_text(state, &binary.join("CMakeCache.txt"), shell.options.limits.script_bytes)?;
        let home = cache.lines().find_map(|line| line.strip_prefix("CMAKE_HOME_DIRECTORY:INTERNAL="))?;
        let targets = matched.values("--target").into_iter().filter_map(Value::as_known).map(str::to_owned);
        let targets: Vec<String> = targets.collect();
        if targets.iter().any(|target| target == "install") {
            return installed(shell, state, here, binary);
        }
        let stage = Stage::Build(targets);
        let mut script = Script::new(shell, state, PathBuf::from(home), binary, stage);
        script.directory("CMakeLists.txt");
        return script.text();
    }
    let word =
        matched.operands("task").first().and_then(|one| one.value.as_known()).map(|word| here.join(word));
    let source = place("-S").or_else(|| word.clone()).unwrap_or_else(|| here.to_owned());
    let binary = place("-B").unwrap_or_else(|| here.to_owned());
    let mut script = Script::new(shell, state, source, binary, Stage::Configure);
    for setting in matched.values("-D").into_iter().filter_map(Value::as_known) {
        script.given(setting);
    }
    if let Some(file) = place("-C") {
        script.file(&file);
    }
    script.toolchain();
    script.directory("CMakeLists.txt");
    script.text()
}

/// What is laid out by the script that the configuration wrote, or by the project's own where that is not there yet.
fn installed(shell: &Shell<'_>, state: &State, here: &Path, binary: PathBuf) -> Option<String> {
    let written = binary.join("cmake_install.cmake");
    let mut script = Script::new(shell, state, here.to_owned(), binary, Stage::Install);
    match shell.exists(state, &written) {
        Some(true) => script.file(&written),
        _ => script.directory("CMakeLists.txt"),
    }
    script.text()
}
