//! Runners whose files list commands: Taskfile, tox, Composer, and the scripts that Python's project managers have in
//! `pyproject.toml`. Cargo's aliases are its own command lines under another name.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::knowledge::{Match, from_toml};
use crate::model::Value;
use crate::programs::tasks::functions::unfound;
use crate::programs::tasks::{named_file, not_read, task_file, unseen};
use crate::shell::program::{Call, Shell, State};

use super::Found;
use crate::yaml;

/// Stands in a command for a value that is not known.
const UNKNOWN: &str = "${__listed_unknown}";
/// Tasks that hang on each other deeper than this are not followed.
const DEPTH: usize = 24;

/// One thing that a task does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Shell(String),
    Task(String),
    /// A program that is not read.
    Program(String),
}

/// Follows a runner of this kind; false where its declaration says all.
pub(super) fn listed(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    name: &str,
    matched: &Match,
) -> bool {
    match name {
        "task" | "go-task" => taskfile(shell, state, call, matched),
        "tox" if runs_a_command(matched) => return false,
        "tox" => tox(shell, state, call, matched),
        "composer" => return composer(shell, state, call, matched),
        _ => return project_script(shell, state, call, name),
    }
    true
}

/// `tox exec -- COMMAND`.
fn runs_a_command(matched: &Match) -> bool {
    matched.operand("verb").is_some_and(|verb| matches!(verb.value.as_known(), Some("exec" | "e")))
}

fn taskfile(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) {
    let names = [
        "Taskfile.yml",
        "taskfile.yml",
        "Taskfile.yaml",
        "taskfile.yaml",
        "Taskfile.dist.yml",
        "Taskfile.dist.yaml",
    ];
    let found = match matched.value("-t") {
        Some(file) => named_file(shell, state, file),
        None => task_file(shell, state, &names, true),
    };
    let values = matched.operands("task");
    let wanted = values.iter().map(|one| one.value.display()).collect::<Vec<_>>();
    let Found::File { path, text } = found else {
        unfound(shell, state, call, "task", &wanted, &found);
        return;
    };
    let tasks =
        yaml::read(&text).ok().flatten().and_then(|file| file.get("tasks").map(|tasks| tasks.to_json()));
    let Some(Json::Object(tasks)) = tasks else {
        return not_read(shell, state, call, "task", wanted.first().map_or("", String::as_str));
    };
    if matched.value("-d").is_none() {
        state.cwd = path.parent().map(|dir| vec![dir.to_path_buf()]).unwrap_or_default();
    }
    let wanted = if wanted.is_empty() { vec!["default".to_owned()] } else { wanted };
    let mut done = BTreeSet::new();
    for task in wanted {
        let parts = |name: &str| tasks.get(name).and_then(taskfile_parts);
        listed_parts(shell, state, call, ("task", &task), &parts, &mut done, 0);
    }
}

fn tox(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) {
    let found = match matched.value("-c") {
        Some(file) => named_file(shell, state, file),
        None => task_file(shell, state, &["tox.ini", "setup.cfg", "tox.toml", "pyproject.toml"], false),
    };
    let wanted = matched.value("-e").and_then(Value::as_known).unwrap_or_default().to_owned();
    let Found::File { path, text } = found else {
        unfound(shell, state, call, "tox", std::slice::from_ref(&wanted), &found);
        return;
    };
    let sections =
        if path.extension().is_some_and(|ending| ending == "toml") { None } else { Some(sections(&text)) };
    let Some(sections) = sections.filter(|all| all.iter().any(|(name, _)| name.starts_with("testenv")))
    else {
        return not_read(shell, state, call, "tox", &wanted);
    };
    let chosen: Vec<&str> = wanted.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    let listed = sections.iter().filter(|(name, _)| matches!(name.as_str(), "tox" | "tox:tox"));
    let listed =
        listed.flat_map(|(_, keys)| keys).find(|(key, _)| matches!(key.as_str(), "envlist" | "env_list"));
    let listed = listed.map_or("", |(_, list)| list.as_str()).to_owned();
    let usual: Vec<&str> = listed.split([',', '\n']).map(str::trim).filter(|one| !one.is_empty()).collect();
    // Names in braces stand for several.
    let every = chosen.is_empty() && (usual.is_empty() || listed.contains('{')) || chosen.contains(&"ALL");
    let chosen = if chosen.is_empty() { usual } else { chosen };
    for (name, keys) in &sections {
        let own = name.strip_prefix("testenv:");
        let runs = name == "testenv" || own.is_some_and(|own| every || chosen.contains(&own));
        if !runs {
            continue;
        }
        for (_, text) in keys.iter().filter(|(key, _)| key.starts_with("commands")) {
            let text = text.replace('\\', "");
            for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
                let line = line.trim_start_matches(['-', '!', ' ']);
                // `py312: pytest`: only for some environments.
                let line = match line.split_once(": ") {
                    Some((factor, rest)) if !factor.contains(' ') => rest,
                    _ => line,
                };
                listed_shell(shell, state, call, &unknown_between(line, "{", "}"));
            }
        }
    }
}

fn composer(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) -> bool {
    if matched.has("--no-scripts") {
        return false;
    }
    let typed = matched.typed.get(1).map_or("", String::as_str);
    let events = composer_events(typed);
    let (path, text) = match task_file(shell, state, &["composer.json"], false) {
        Found::File { path, text } => (path, text),
        Found::Unread if !events.is_empty() || matches!(typed, "run-script" | "run" | "test" | "") => {
            unseen(shell, state, call, "composer", typed);
            return false;
        }
        _ => return false,
    };
    let file = serde_json::from_str::<Json>(&text).unwrap_or_default();
    let Some(scripts) = file.get("scripts").and_then(Json::as_object) else { return false };
    state.cwd = path.parent().map(|dir| vec![dir.to_path_buf()]).unwrap_or_default();
    let given = matched.operands.first().map(|bound| bound.value.display());
    let own = match typed {
        "run-script" | "run" => given.clone(),
        "test" => Some("test".to_owned()),
        _ if scripts.contains_key(typed) => Some(typed.to_owned()),
        _ => call
            .arguments()
            .iter()
            .map(|word| word.arg.value.display())
            .find(|word| scripts.contains_key(word))
            .filter(|_| events.is_empty()),
    };
    let wanted: Vec<String> = events.iter().map(|one| (*one).to_owned()).chain(own.clone()).collect();
    let parts = |name: &str| {
        let list = match scripts.get(name)? {
            Json::String(one) => vec![one.clone()],
            Json::Array(all) => {
                all.iter().map(|one| one.as_str().map(str::to_owned)).collect::<Option<_>>()?
            }
            _ => return None,
        };
        Some(list.iter().filter_map(|one| composer_part(one)).collect())
    };
    let mut done = BTreeSet::new();
    let known = wanted.into_iter().filter(|name| scripts.contains_key(name)).collect::<Vec<_>>();
    for name in &known {
        listed_parts(shell, state, call, ("composer", name), &parts, &mut done, 0);
    }
    own.is_some_and(|own| known.contains(&own))
}

/// The project's scripts that run beside what a subcommand does itself.
fn composer_events(typed: &str) -> &'static [&'static str] {
    match typed {
        "install" | "i" | "update" | "u" | "upgrade" | "require" | "r" | "remove" | "rm" | "reinstall" => &[
            "pre-install-cmd",
            "pre-update-cmd",
            "pre-autoload-dump",
            "post-autoload-dump",
            "post-install-cmd",
            "post-update-cmd",
            "pre-operations-exec",
        ],
        "dump-autoload" | "dumpautoload" => &["pre-autoload-dump", "post-autoload-dump"],
        "status" => &["pre-status-cmd", "post-status-cmd"],
        "archive" => &["pre-archive-cmd", "post-archive-cmd"],
        _ => &[],
    }
}

/// `pdm run NAME`, `hatch run NAME`, `pipenv run NAME`, `poe NAME`.
fn project_script(shell: &mut Shell<'_>, state: &mut State, call: &Call, name: &str) -> bool {
    let words: Vec<String> = call.arguments().iter().map(|word| word.arg.value.display()).collect();
    let mut rest = words.iter().filter(|word| !word.starts_with('-'));
    let wanted = match name {
        "poe" => rest.next(),
        "pdm" | "hatch" | "pipenv" | "rye" => {
            rest.next().filter(|verb| verb.as_str() == "run").and_then(|_| rest.next())
        }
        _ => None,
    };
    let Some(wanted) = wanted.cloned() else { return false };
    let file = if name == "pipenv" { "Pipfile" } else { "pyproject.toml" };
    let (path, text) = match task_file(shell, state, &[file], true) {
        Found::File { path, text } => (path, text),
        Found::Unread => {
            unseen(shell, state, call, name, &wanted);
            return false;
        }
        Found::Nothing => return false,
    };
    let Some(file) = from_toml(&text) else { return false };
    let at = |place: &str| file.pointer(place).and_then(Json::as_object);
    let (environment, wanted) = match wanted.split_once(':') {
        Some((environment, task)) if name == "hatch" => (environment.to_owned(), task.to_owned()),
        _ => ("default".to_owned(), wanted),
    };
    let place = match name {
        "pipenv" => "/scripts".to_owned(),
        "poe" => "/tool/poe/tasks".to_owned(),
        "hatch" => format!("/tool/hatch/envs/{environment}/scripts"),
        other => format!("/tool/{other}/scripts"),
    };
    let Some(scripts) = at(&place).filter(|scripts| scripts.contains_key(&wanted)) else { return false };
    state.cwd = path.parent().map(|dir| vec![dir.to_path_buf()]).unwrap_or_default();
    let parts = |name: &str| scripts.get(name).and_then(|entry| script_parts(entry, scripts));
    listed_parts(shell, state, call, (name, &wanted), &parts, &mut BTreeSet::new(), 0);
    true
}

#[allow(clippy::too_many_arguments)]
fn listed_parts(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    (runner, task): (&str, &str),
    parts: &dyn Fn(&str) -> Option<Vec<Part>>,
    done: &mut BTreeSet<String>,
    depth: usize,
) {
    if !shell.tick(state, call.span) || !done.insert(task.to_owned()) {
        return;
    }
    let Some(list) = parts(task).filter(|_| depth < DEPTH) else {
        return not_read(shell, state, call, runner, task);
    };
    for part in list {
        match part {
            Part::Shell(text) => listed_shell(shell, state, call, &text),
            Part::Task(name) => {
                listed_parts(shell, state, call, (runner, &name), parts, done, depth + 1);
            }
            Part::Program(name) => not_read(shell, state, call, runner, &name),
        }
    }
}

fn listed_shell(shell: &mut Shell<'_>, state: &mut State, call: &Call, text: &str) {
    shell.assign_scalar(state, "__listed_unknown", Value::Unknown);
    let (zero, positional) = (Value::known("sh"), Default::default());
    shell.fresh_shell(state, &Value::known(text), call.span, zero, positional);
}

fn taskfile_parts(task: &Json) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let map = match task {
        Json::String(text) => return Some(vec![Part::Shell(template(text))]),
        Json::Array(_) => return commands_of(task),
        Json::Object(map) => map,
        Json::Null => return Some(parts),
        _ => return None,
    };
    for dep in map.get("deps").and_then(Json::as_array).into_iter().flatten() {
        let name = dep.as_str().or_else(|| dep.get("task")?.as_str())?;
        parts.push(Part::Task(name.to_owned()));
    }
    for value in map.get("vars").and_then(Json::as_object).into_iter().flat_map(serde_json::Map::values) {
        if let Some(text) = value.get("sh") {
            parts.push(Part::Shell(template(text.as_str()?)));
        }
    }
    for key in ["status", "preconditions", "cmd", "cmds"] {
        if let Some(list) = map.get(key) {
            parts.extend(commands_of(list)?);
        }
    }
    if map.contains_key("dir") {
        let to = template(map.get("dir")?.as_str()?);
        for part in &mut parts {
            if let Part::Shell(text) = part {
                *text = format!("cd {to} && {{ {text}\n}}");
            }
        }
    }
    Some(parts)
}

fn commands_of(list: &Json) -> Option<Vec<Part>> {
    let one = |entry: &Json| match entry {
        Json::String(text) => Some(Part::Shell(template(text))),
        Json::Object(map) => {
            let text = |key: &str| map.get(key).and_then(Json::as_str);
            if let Some(name) = text("task") {
                return Some(Part::Task(name.to_owned()));
            }
            if let Some(task) = map.get("defer").and_then(|defer| defer.get("task")?.as_str()) {
                return Some(Part::Task(task.to_owned()));
            }
            text("cmd").or(text("sh")).or(text("defer")).map(|text| Part::Shell(template(text)))
        }
        _ => None,
    };
    match list {
        Json::Array(all) => all.iter().map(one).collect(),
        other => Some(vec![one(other)?]),
    }
}

/// What a shell gets of a script of Composer; nothing for a function, another script or a setting.
pub(crate) fn composer_command(text: &str) -> Option<&str> {
    match composer_part(text)? {
        Part::Shell(_) => Some(text.strip_prefix('@').unwrap_or(text)),
        Part::Task(_) | Part::Program(_) => None,
    }
}

fn composer_part(text: &str) -> Option<Part> {
    let Some(rest) = text.strip_prefix('@') else {
        let callback = text.contains("::") && !text.contains(' ');
        return Some(if callback { Part::Program(text.to_owned()) } else { Part::Shell(text.to_owned()) });
    };
    match rest.split_once(' ') {
        Some(("putenv", _)) => None,
        Some(("php" | "composer", _)) => Some(Part::Shell(rest.to_owned())),
        Some((name, _)) => Some(Part::Task(name.to_owned())),
        None => Some(Part::Task(rest.to_owned())),
    }
}

/// A script's entry: a text, a list of texts, or a table that says of what kind it is.
fn script_parts(entry: &Json, all: &serde_json::Map<String, Json>) -> Option<Vec<Part>> {
    let named = |text: &str| {
        let first = text.split_whitespace().next().unwrap_or_default();
        if all.contains_key(first) && first == text.trim() {
            Part::Task(first.to_owned())
        } else {
            Part::Shell(unknown_between(text, "{", "}"))
        }
    };
    match entry {
        Json::String(text) => Some(vec![named(text)]),
        Json::Array(list) => list.iter().map(|one| one.as_str().map(named)).collect(),
        Json::Object(map) => {
            let (kind, value) = ["cmd", "shell", "composite", "sequence", "call", "script", "expr", "ref"]
                .iter()
                .find_map(|key| Some((*key, map.get(*key)?)))?;
            match (kind, value) {
                ("call" | "script" | "expr", value) => Some(vec![Part::Program(value.as_str()?.to_owned())]),
                ("ref", value) => Some(vec![Part::Task(value.as_str()?.to_owned())]),
                ("cmd", Json::Array(words)) => {
                    let words = words.iter().map(|word| word.as_str()).collect::<Option<Vec<_>>>()?;
                    Some(vec![Part::Shell(shell_words::join(words))])
                }
                (_, Json::Array(list)) => list.iter().map(|one| one.as_str().map(named)).collect(),
                (_, value) => Some(vec![named(value.as_str()?)]),
            }
        }
        _ => None,
    }
}

/// `{{.NAME}}`: what it stands for is not looked up.
fn template(text: &str) -> String {
    unknown_between(text, "{{", "}}")
}

fn unknown_between(text: &str, open: &str, close: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(open) {
        let Some(end) = rest.get(at..).and_then(|from| from.find(close)) else { break };
        // `${NAME}` is the shell's own.
        let own = open == "{" && rest.get(..at).is_some_and(|before| before.ends_with('$'));
        out.push_str(rest.get(..at).unwrap_or_default());
        let inner = rest.get(at..at + end + close.len()).unwrap_or_default();
        out.push_str(if own { inner } else { UNKNOWN });
        rest = rest.get(at + end + close.len()..).unwrap_or_default();
    }
    out + rest
}

/// Sections of an INI file with their keys; lines that are indented go on with the value.
fn sections(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut found: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = trimmed
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .filter(|_| !line.starts_with(' '))
        {
            found.push((name.to_owned(), Vec::new()));
        } else if let Some((_, keys)) = found.last_mut() {
            if line.starts_with([' ', '\t']) {
                if let Some((_, value)) = keys.last_mut() {
                    value.push('\n');
                    value.push_str(trimmed);
                }
            } else if let Some((key, value)) = trimmed.split_once('=') {
                keys.push((key.trim().to_owned(), value.trim().to_owned()));
            }
        }
    }
    found
}
