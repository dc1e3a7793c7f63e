//! `npm run`, `yarn`, `pnpm`, `bun`: scripts in `package.json`.

mod asked;
mod dependencies;
mod edit;
mod workspaces;

use crate::knowledge::{Match, places};
use crate::model::Value;
use crate::programs::npm::edit::package_edit;
use crate::programs::npm::workspaces::workspaces;
use crate::programs::tasks::javascript::{bun_file, code_words, deno};
use crate::programs::tasks::{not_read, unseen};
use crate::shell::program::{Arg, Call, Expansion, Flow, Run, Shell, State, StepKind};

use self::asked::Asked;
use self::workspaces::own_words;

/// See [`Room::Npm`](crate::knowledge::Room::Npm).
pub(super) struct Npm;

impl super::Program for Npm {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        if matches!(run.name, "deno" | "bun") {
            let inner = state.scope.through(run.name);
            state.within(&inner, |state| code_words(shell, state, run.name, run.call));
        }
        match run.name {
            "deno" => deno(shell, state, run.call),
            name => package_script(shell, state, name, run.call, run.matched),
        }
    }
}

/// Under this the setting is kept that a command made.
const SCRIPT_SHELL: &str = "npm script-shell";

/// Follows the scripts of `package.json` that a call runs, as its shell would run them.
fn package_script(
    shell: &mut Shell<'_>,
    state: &mut State,
    name: &str,
    call: &Call,
    matched: &Match,
) -> Option<Flow> {
    package_config(shell, state, call);
    package_edit(shell, state, name, call);
    let Some(texts) = call.texts() else {
        // Any script may be meant.
        return package_unknown(shell, state, call, "which script it runs is not known");
    };
    let asked = Asked::of(&texts);
    if name == "bun"
        && let Some(flow) = bun_file(shell, state, call, &asked.words)
    {
        return Some(flow);
    }
    folders(shell, state, call, &asked);
    if name == "npm" {
        dependencies::scripts(shell, state, call, &asked);
    }
    let scripts = asked.scripts(name)?;
    if asked.elsewhere
        && matches!(asked.words.first(), Some(&("run" | "run-script" | "test" | "start" | "t")))
    {
        return in_workspaces(shell, state, name, call, matched, &asked);
    }
    let Some(cwd) = directory_of(shell, state, &asked) else {
        // Whatever else it does is known by its name.
        if asked.names_script() {
            not_read(shell, state, call, name, asked.script());
        } else if asked::is_beside(&scripts) || !asked.is_own() {
            unseen(shell, state, call, name, asked.script());
        }
        return None;
    };
    let root = cwd.ancestors().find(|dir| shell.exists(state, &dir.join("package.json")) != Some(false))?;
    let text = shell.read_text(state, &root.join("package.json"), shell.options.limits.script_bytes);
    let Some(package) = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok()) else {
        return package_unknown(shell, state, call, "the project's package.json could not be read");
    };
    let known = package.get("scripts").and_then(|scripts| scripts.as_object());
    let Some(known) = known.filter(|known| scripts.iter().any(|name| known.contains_key(name))) else {
        if asked.words == ["start"] && shell.exists(state, &root.join("server.js")) == Some(true) {
            return server(shell, state, name, call, root);
        }
        return package_program(shell, state, name, call, matched, &asked.words);
    };
    // What installing or packing does beside the project's own scripts is said by its declaration.
    let beside = asked::is_beside(&scripts);
    let scope = state.scope.through(name);
    let mut inner = state.clone();
    let own_shell = asked.own_shell.clone().or_else(|| {
        let set = || shell.scalar(state, SCRIPT_SHELL).filter(|_| state.variables.contains_key(SCRIPT_SHELL));
        set_for_scripts(shell, state, call, (root, asked.settings), ("script-shell", &set))
    });
    inner.cwd = vec![root.to_path_buf()];
    if name == "npm" {
        node_options(shell, &mut inner, call, (root, &asked));
    }
    package_variables(shell, &mut inner, &package, asked.script());
    for script in scripts {
        let Some(text) = known.get(&script).and_then(|text| text.as_str()) else { continue };
        let mut text = text.to_owned();
        for word in asked.behind(name).iter().filter(|_| script == asked.script()) {
            text.push_str(&format!(" '{}'", word.replace('\'', "'\\''")));
        }
        inner.within(&scope, |inner| run_text(shell, inner, call, text, own_shell.as_ref()));
    }
    state.files = inner.files;
    if beside {
        return None;
    }
    shell.unknown_result(state);
    Some(Flow::Next)
}

/// Packages that are folders of this machine: installing one runs its own scripts, there.
fn folders(shell: &mut Shell<'_>, state: &mut State, call: &Call, asked: &Asked<'_>) {
    for folder in asked.folders() {
        for dir in shell.directories(state, &Value::known(folder)) {
            let text = shell.read_text(state, &dir.join("package.json"), shell.options.limits.script_bytes);
            let Some(package) = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok())
            else {
                continue;
            };
            let mut inner = state.clone();
            inner.cwd = vec![dir];
            let scope = state.scope.through("npm");
            for script in asked::INSTALLING {
                let Some(text) =
                    package.pointer(&format!("/scripts/{script}")).and_then(|text| text.as_str())
                else {
                    continue;
                };
                let text = text.to_owned();
                inner.within(&scope, |inner| run_text(shell, inner, call, text, asked.own_shell.as_ref()));
            }
            state.files = inner.files;
        }
    }
}

/// The same call in each of the packages that it is asked for.
fn in_workspaces(
    shell: &mut Shell<'_>,
    state: &mut State,
    name: &str,
    call: &Call,
    matched: &Match,
    asked: &Asked<'_>,
) -> Option<Flow> {
    let Some(packages) = workspaces(shell, state, asked.directory, &asked.chosen) else {
        not_read(shell, state, call, name, asked.script());
        return None;
    };
    let again = own_words(call);
    for package in packages {
        let mut inner = state.clone();
        inner.cwd = vec![package];
        package_script(shell, &mut inner, name, &again, matched);
        state.files = inner.files;
    }
    shell.unknown_result(state);
    Some(Flow::Next)
}

/// The directory that a call is about, as the program finds itself: where the links lead.
fn directory_of(shell: &Shell<'_>, state: &State, asked: &Asked<'_>) -> Option<std::path::PathBuf> {
    let cwd = match asked.directory {
        Some(dir) => shell.directories(state, &Value::known(dir)).into_iter().next(),
        None => state.only_cwd().map(std::path::Path::to_path_buf),
    }?;
    Some(shell.physical(state, &cwd).unwrap_or(cwd))
}

/// Runs the text of a script, by the shell that settings name.
fn run_text(shell: &mut Shell<'_>, state: &mut State, call: &Call, text: String, own: Option<&Value>) {
    let text = Value::Known(text);
    match own.filter(|own| !is_usual(own)) {
        Some(own) => {
            let words = [own.clone(), Value::known("-c"), text].map(|value| Expansion {
                arg: Arg { value, span: call.span, explicit: false },
                elastic: false,
                unordered: false,
            });
            shell.program(state, words.to_vec(), call.span);
        }
        None => shell.fresh_shell(state, &text, call.span, Value::known("sh"), Default::default()),
    }
}

/// What settings say for running scripts: those of the environment, of earlier commands (`set`), of files.
fn set_for_scripts(
    shell: &Shell<'_>,
    state: &State,
    call: &Call,
    (root, settings): (&std::path::Path, Option<&str>),
    (wanted, set): (&str, &dyn Fn() -> Option<Value>),
) -> Option<Value> {
    let same = |name: &str, key: &str| {
        let name = name.to_ascii_lowercase().replace('-', "_");
        name.strip_prefix("npm_config_") == Some(key.replace('-', "_").as_str())
    };
    let environment = call.environment.iter().cloned().chain(shell.exported(state)).collect::<Vec<_>>();
    let set_to =
        |key: &str| environment.iter().find(|(name, _)| same(name, key)).map(|(_, value)| value.clone());
    let given = set_to(wanted);
    let named = settings.map(Value::known).or_else(|| set_to("userconfig"));
    let named = named.and_then(|file| shell.absolute(state, &file));
    let home = shell.world.home(None);
    let files = || {
        let files = [Some(root.to_path_buf()), home].into_iter().flatten().map(|dir| dir.join(".npmrc"));
        named.into_iter().chain(files).find_map(|file| {
            let text = shell.read_text(state, &file, 1 << 16);
            // Tokens stand in it as well.
            let text = text.or_else(|| shell.world.read_settings(&file, 1 << 16).ok())?;
            let line = text.lines().find_map(|line| {
                let (key, value) = line.split_once('=')?;
                (key.trim() == wanted).then(|| value.trim().trim_matches('"').to_owned())
            })?;
            Some(Value::Known(line))
        })
    };
    given.or_else(set).or_else(files)
}

/// Options of Node that settings give to all scripts.
fn node_options(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    (root, asked): (&std::path::Path, &Asked<'_>),
) {
    let given = || asked.node_options.clone();
    let files = (root, asked.settings);
    if let Some(options) = set_for_scripts(shell, state, call, files, ("node-options", &given)) {
        shell.assign_scalar(state, "NODE_OPTIONS", options);
        shell.export(state, "NODE_OPTIONS");
    }
}

/// `npm config set script-shell …`: kept beside the variables, under a name that none can have.
pub(super) fn package_config(shell: &mut Shell<'_>, state: &mut State, call: &Call) {
    let words = call.values();
    let texts: Vec<&str> = words.iter().filter_map(Value::as_known).collect();
    let rest = match texts.as_slice() {
        ["config" | "c", "set" | "s", rest @ ..] | ["set", rest @ ..] => rest,
        _ => return,
    };
    let value = match rest {
        ["script-shell", value, ..] => Some(*value),
        [first, ..] => first.strip_prefix("script-shell="),
        [] => None,
    };
    // A value that is not known leaves one word less.
    match value {
        Some(value) => shell.assign_scalar(state, SCRIPT_SHELL, Value::known(value)),
        None if rest.first() == Some(&"script-shell") => {
            shell.assign_scalar(state, SCRIPT_SHELL, Value::Unknown);
        }
        None => {}
    }
}

/// Variables that scripts are given of their package.
fn package_variables(shell: &mut Shell<'_>, state: &mut State, package: &serde_json::Value, script: &str) {
    let mut set = vec![("npm_lifecycle_event".to_owned(), script.to_owned())];
    for (key, value) in package.as_object().into_iter().flatten() {
        match value {
            serde_json::Value::String(text) => set.push((format!("npm_package_{key}"), text.clone())),
            serde_json::Value::Object(map) if key == "config" => {
                for (name, value) in map {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    set.push((format!("npm_package_config_{name}"), text));
                }
            }
            _ => {}
        }
    }
    for (name, value) in set {
        shell.assign_scalar(state, &name, Value::Known(value));
        if let Some(variable) = std::sync::Arc::make_mut(&mut state.variables).get_mut(&name) {
            variable.exported = true;
        }
    }
}

/// `npm start` without such a script runs the project's server.
fn server(
    shell: &mut Shell<'_>,
    state: &mut State,
    name: &str,
    call: &Call,
    root: &std::path::Path,
) -> Option<Flow> {
    let words = [Value::known("node"), Value::known("server.js")].map(|value| Expansion {
        arg: Arg { value, span: call.span, explicit: false },
        elastic: false,
        unordered: false,
    });
    let outer = std::mem::replace(&mut state.cwd, vec![root.to_path_buf()]);
    let inner = state.scope.through(name);
    state.within(&inner, |state| shell.program(state, words.to_vec(), call.span));
    state.cwd = outer;
    Some(Flow::Next)
}

/// `yarn NAME`, where no script has the name: a program of that name, from the project's packages.
fn package_program(
    shell: &mut Shell<'_>,
    state: &mut State,
    name: &str,
    call: &Call,
    matched: &Match,
    words: &[&str],
) -> Option<Flow> {
    let asked = match words {
        ["run", rest @ ..] => rest,
        // What is declared of the package manager itself.
        _ if matched.path.len() > 1 => return None,
        all => all,
    };
    let first = asked.first().filter(|_| matches!(name, "yarn" | "yarnpkg" | "pnpm" | "bun"))?;
    let at = call.words.iter().position(|word| word.arg.value.as_known() == Some(first))?;
    if shell.knowledge.tool(first).is_some() {
        let inner = state.scope.through(name);
        state.within(&inner, |state| {
            shell.program(state, call.words.get(at..).unwrap_or(&[]).to_vec(), call.span)
        });
    } else {
        not_read(shell, state, call, name, first);
    }
    Some(Flow::Next)
}

fn package_unknown(shell: &mut Shell<'_>, state: &mut State, call: &Call, reason: &str) -> Option<Flow> {
    let kind = StepKind::Opaque { reason: reason.to_owned() };
    shell.emit_as(state, call.span, &call.raw, kind);
    None
}

/// Whether scripts are run by a shell of the machine, as ever.
fn is_usual(shell: &Value) -> bool {
    shell.as_known().is_some_and(|text| {
        let (dir, base) = text.rsplit_once('/').unwrap_or(("", text));
        (text.is_empty() || crate::shell::program::is_shell(base))
            && (dir.is_empty() || places().holds_programs(dir))
    })
}
