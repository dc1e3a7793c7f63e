//! Cargo: aliases of its configuration, and programs of the project that it names in a compiler's place.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::code::{CodeEffect, compiled};
use crate::knowledge::{Match, from_toml};
use crate::model::Value;
use crate::shell::program::{Arg, Call, Expansion, Flow, Instead, Run, Shell, State};

/// See [`Room::Cargo`](crate::knowledge::Room::Cargo).
pub(super) struct Cargo;

impl super::Program for Cargo {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        cargo_alias(shell, state, run.call).or_else(|| elsewhere(shell, state, run)).map(Instead::Words)
    }

    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        for program in compilers(shell, state) {
            let words = [Value::Known(program), Value::Unknown].map(|value| Expansion {
                arg: Arg { value, span: run.call.span, explicit: false },
                elastic: false,
                unordered: false,
            });
            let inner = state.scope.through("cargo");
            state.perhaps(|state| {
                state.within(&inner, |state| shell.program(state, words.to_vec(), run.call.span));
            });
        }
        for source in run_by_builds(shell, state, run.matched) {
            takes_away(shell, state, run.call, &source);
        }
        None
    }
}

/// Subcommands that run the project's build script, and those that run its tests.
const BUILDS: [&str; 25] = [
    "build",
    "b",
    "check",
    "c",
    "clippy",
    "doc",
    "d",
    "run",
    "r",
    "install",
    "rustc",
    "rustdoc",
    "fix",
    "test",
    "t",
    "bench",
    "nextest",
    "miri",
    "tarpaulin",
    "llvm-cov",
    "expand",
    "publish",
    "package",
    "hack",
    "watch",
];
const TESTS: [&str; 6] = ["test", "t", "nextest", "miri", "tarpaulin", "llvm-cov"];

/// Most files of tests that are read.
const FILES: usize = 2000;

/// Sources of the project that are built and run at once: the build script, and tests that are programs of their own.
fn run_by_builds(shell: &Shell<'_>, state: &State, matched: &Match) -> Vec<PathBuf> {
    let named = |names: &[&str]| matched.typed.iter().any(|word| names.contains(&word.as_str()));
    let (builds, tests) = (named(&BUILDS), named(&TESTS));
    let Some(cwd) = state.only_cwd().filter(|_| (builds || tests) && state.scope.host.is_none()) else {
        return Vec::new();
    };
    let Some(root) = cwd.ancestors().find(|dir| shell.exists(state, &dir.join("Cargo.toml")) == Some(true))
    else {
        return Vec::new();
    };
    let mut found = vec![root.join("build.rs")];
    let dir = root.join("tests");
    for entry in shell.list(state, &dir, FILES).filter(|_| tests).into_iter().flatten() {
        found.extend(Some(&entry.name).filter(|name| name.ends_with(".rs")).map(|name| dir.join(name)));
    }
    found
}

/// What such a source deletes or moves by names that stand in it. What it makes names of is of its own making, as a rule, and
/// what nobody can tell is kept like what any program of the project does.
fn takes_away(shell: &mut Shell<'_>, state: &mut State, call: &Call, source: &Path) {
    let above =
        source.ancestors().skip(1).find(|dir| shell.exists(state, &dir.join("Cargo.toml")) == Some(true));
    let root = above.unwrap_or(source);
    let Some(text) = shell.read_text(state, source, shell.options.limits.script_bytes) else { return };
    let text = of_manifest(&text, root);
    let mut effects = compiled(&text, &[], shell.home_text(state).as_deref(), &|_| false);
    effects.retain(|effect| match effect {
        CodeEffect::Delete { .. } | CodeEffect::Shell { .. } | CodeEffect::Rename { .. } => true,
        // A program that nothing is known of is one that the build needs.
        CodeEffect::Run { argv } => {
            argv.first().and_then(Value::as_known).is_some_and(|name| shell.knowledge.tool(name).is_some())
        }
        _ => false,
    });
    if effects.is_empty() {
        return;
    }
    let inner = state.scope.through("cargo");
    let (span, raw) = (call.span, call.raw.clone());
    state.perhaps(|state| {
        state.within(&inner, |state| shell.code_effects(state, "compiled", effects, span, &raw));
    });
}

/// A source in which the directory of its package stands as a text.
fn of_manifest(text: &str, root: &Path) -> String {
    let root = format!("{:?}", root.to_string_lossy());
    let text = text.replace("env!(\"CARGO_MANIFEST_DIR\")", &root);
    ["env::var(\"CARGO_MANIFEST_DIR\")", "env::var_os(\"CARGO_MANIFEST_DIR\")"]
        .iter()
        .fold(text, |text, given| text.replace(given, &format!("String::from({root})")))
}

/// Where the configuration may name programs that run in a compiler's place, or before what was built.
const COMPILERS: [&str; 4] =
    ["/build/rustc-wrapper", "/build/rustc-workspace-wrapper", "/build/rustc", "/build/rustdoc"];

/// Programs of the project, by their paths, that its configuration puts there.
fn compilers(shell: &Shell<'_>, state: &State) -> Vec<String> {
    let mut found = Vec::new();
    for (file, config) in configurations(shell, state) {
        let above = file.parent().and_then(Path::parent);
        let target = config.get("target").and_then(Json::as_object).into_iter().flatten();
        let own = target.flat_map(|(_, own)| [own.get("linker"), own.get("runner")]).flatten();
        let named = COMPILERS.iter().filter_map(|place| config.pointer(place)).chain(own);
        let named = named.filter_map(|value| value.as_str().or_else(|| value.get(0)?.as_str()));
        let paths = named.filter_map(|name| name.split_whitespace().next()).filter(|name| name.contains('/'));
        // A name alone, or a path of another place, is what a person installed.
        let paths = paths.filter_map(|path| above.map(|above| (above, above.join(path))));
        let inside = paths.filter(|(above, path)| path.starts_with(above));
        found.extend(inside.map(|(_, path)| path.to_string_lossy().into_owned()));
    }
    found.extend(toolchain(shell, state));
    found.dedup();
    found
}

/// The program that stands in Cargo's place where a file of the project names a toolchain's directory.
fn toolchain(shell: &Shell<'_>, state: &State) -> Option<String> {
    let cwd = state.only_cwd().filter(|_| state.scope.host.is_none())?;
    cwd.ancestors().find_map(|dir| {
        let text =
            shell.read_text(state, &dir.join("rust-toolchain.toml"), shell.options.limits.script_bytes)?;
        let own = dir.join(from_toml(&text)?.pointer("/toolchain/path")?.as_str()?).join("bin/cargo");
        own.starts_with(dir).then(|| own.to_string_lossy().into_owned())
    })
}

/// The configuration that holds here, the nearest first.
fn configurations(shell: &Shell<'_>, state: &State) -> Vec<(PathBuf, Json)> {
    let Some(cwd) = state.only_cwd().filter(|_| state.scope.host.is_none()) else { return Vec::new() };
    let home = shell.world.home(None);
    let dirs = cwd.ancestors().map(Path::to_path_buf).chain(home);
    let files = dirs.flat_map(|dir| [dir.join(".cargo/config.toml"), dir.join(".cargo/config")]);
    let read = |file: PathBuf| {
        let text = shell.read_text(state, &file, shell.options.limits.script_bytes)?;
        Some((file, from_toml(&text)?))
    };
    files.filter_map(read).collect()
}

/// `cargo clean` where a variable or the configuration says which directory is cleaned: with the option that says so.
fn elsewhere(shell: &Shell<'_>, state: &State, run: &Run<'_>) -> Option<Call> {
    let known = |word: &Expansion| word.arg.value.as_known() == Some("clean");
    let cleans = run.call.words.iter().skip(1).find(|word| !word.arg.value.prefix().starts_with(['-', '+']));
    if !cleans.is_some_and(known) || run.matched.has("--target-dir") {
        return None;
    }
    let before = |name: &str| {
        let given = run.call.environment.iter().rev().find(|(own, _)| own == name);
        given.map(|(_, value)| value.clone()).or_else(|| shell.scalar(state, name))
    };
    let variable = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"].into_iter().find_map(before);
    let empty = |value: &Value| value.as_known() == Some("");
    let dir = variable.filter(|value| !empty(value)).or_else(|| {
        configurations(shell, state).into_iter().find_map(|(file, config)| {
            let dir = config.pointer("/build/target-dir")?.as_str()?;
            let above = file.parent().and_then(Path::parent)?;
            Some(Value::Known(above.join(dir).to_string_lossy().into_owned()))
        })
    })?;
    let mut call = run.call.clone();
    call.words.extend([Value::known("--target-dir"), dir].map(|value| Expansion {
        arg: Arg { value, span: call.span, explicit: false },
        elastic: false,
        unordered: false,
    }));
    Some(call)
}

/// `cargo NAME`, where the project or the person gave a command line a name.
fn cargo_alias(shell: &Shell<'_>, state: &State, call: &Call) -> Option<Call> {
    let at = call
        .words
        .iter()
        .skip(1)
        .position(|word| word.arg.value.as_known().is_none_or(|text| !text.starts_with(['-', '+'])))?
        + 1;
    let name = call.words.get(at)?.arg.value.as_known().filter(|_| state.scope.host.is_none())?;
    for (_, config) in configurations(shell, state) {
        let words: Vec<String> = match config.get("alias").and_then(|all| all.get(name)) {
            Some(Json::String(text)) => text.split_whitespace().map(str::to_owned).collect(),
            Some(Json::Array(all)) => all.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect(),
            _ => continue,
        };
        if words.first().is_none_or(|first| first == name) {
            return None;
        }
        let mut call = call.clone();
        let words = words.into_iter().map(|word| Expansion {
            arg: Arg { value: Value::Known(word), span: call.span, explicit: false },
            elastic: false,
            unordered: false,
        });
        let words = words.collect::<Vec<_>>();
        call.words.splice(at..=at, words);
        return Some(call);
    }
    None
}
