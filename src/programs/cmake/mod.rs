//! `cmake`, `ctest`: the project's own scripts, put into the words of a shell that then goes through them.
//!
//! `read` cuts a script up, `script` says in a shell's words what its commands do to files. What of it is not known
//! is the project's own: only what it plainly removes, moves, writes over or runs is told.

mod read;
mod script;
mod words;

use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Flow, Run, Shell, State};

use script::{Script, Stage};

/// See [`Room::Cmake`](crate::knowledge::Room::Cmake).
pub(super) struct Cmake;

impl super::Program for Cmake {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let matched = run.matched;
        let elsewhere = ["-E", "-P", "--install"].iter().any(|option| matched.has(option));
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
    if let Some(binary) = place("--build") {
        let cache =
            shell.read_text(state, &binary.join("CMakeCache.txt"), shell.options.limits.script_bytes)?;
        let home = cache.lines().find_map(|line| line.strip_prefix("CMAKE_HOME_DIRECTORY:INTERNAL="))?;
        let targets = matched.values("--target").into_iter().filter_map(Value::as_known).map(str::to_owned);
        let stage = Stage::Build(targets.collect());
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
