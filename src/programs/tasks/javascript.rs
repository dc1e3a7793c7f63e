//! `deno run FILE`, `deno task NAME`, `bun FILE`.

use crate::model::Value;
use crate::programs::tasks::{not_read, task_file};
use crate::shell::program::{Arg, Call, Expansion, Flow, Shell, State, StepKind};

use super::Found;

/// Options of Deno whose value is the next word.
const VALUED: [&str; 10] = [
    "-c",
    "--config",
    "--import-map",
    "--lock",
    "--seed",
    "--cert",
    "--location",
    "-L",
    "--log-level",
    "--cwd",
];

pub(in crate::programs) fn deno(shell: &mut Shell<'_>, state: &mut State, call: &Call) -> Option<Flow> {
    let mut rest = Vec::new();
    let mut words = call.arguments().iter();
    while let Some(word) = words.next() {
        match word.arg.value.as_known() {
            Some(option) if option.starts_with('-') && rest.len() < 2 => {
                if VALUED.contains(&option) {
                    words.next();
                }
            }
            _ => rest.push(word.arg.clone()),
        }
    }
    let first = rest.first()?.value.as_known()?.to_owned();
    let inner = state.scope.through("deno");
    match first.as_str() {
        "task" => {
            let task = rest.get(1)?.value.as_known()?.to_owned();
            state.within(&inner, |state| deno_task(shell, state, call, &task, rest.get(2..).unwrap_or(&[])));
        }
        "run" | "serve" => {
            let rest = rest.get(1..)?;
            state.within(&inner, |state| deno_file(shell, state, call, rest))
        }
        file if file.contains(['.', '/']) => {
            state.within(&inner, |state| deno_file(shell, state, call, &rest))
        }
        _ => return None,
    }
    shell.unknown_result(state);
    Some(Flow::Next)
}

fn deno_file(shell: &mut Shell<'_>, state: &mut State, call: &Call, words: &[Arg]) {
    let Some((file, arguments)) = words.split_first() else { return };
    match file.value.as_known() {
        Some(name) if name.starts_with("jsr:") || name.starts_with("npm:") => {
            not_read(shell, state, call, "deno", name);
        }
        Some(name) if name.contains("://") && !name.starts_with("file://") => {
            let reason = format!("code from {name} is run");
            shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
        }
        _ => {
            let arguments = arguments.iter().map(|arg| arg.value.clone()).collect::<Vec<_>>();
            shell.code_file(state, "node", file, &arguments);
        }
    }
}

/// A task of `deno.json`, or a script of `package.json`, which Deno runs as well.
fn deno_task(shell: &mut Shell<'_>, state: &mut State, call: &Call, task: &str, behind: &[Arg]) {
    let mut read = false;
    for (files, key) in [(&["deno.json", "deno.jsonc"][..], "tasks"), (&["package.json"][..], "scripts")] {
        let (path, text) = match task_file(shell, state, files, true) {
            Found::File { path, text } => (path, text),
            Found::Nothing => continue,
            Found::Unread => break,
        };
        let Ok(config) = serde_json::from_str::<serde_json::Value>(&text) else { break };
        let Some(entry) = config.get(key).and_then(|tasks| tasks.get(task)) else {
            read = true;
            continue;
        };
        let Some(text) = entry.as_str().or_else(|| entry.get("command")?.as_str()) else { break };
        let mut text = text.to_owned();
        for word in behind {
            text.push(' ');
            text.push_str(&shell_words::quote(&word.value.display()));
        }
        let mut inner = state.clone();
        inner.cwd = path.parent().map(|dir| vec![dir.to_path_buf()]).unwrap_or_default();
        let before = entry.get("dependencies").and_then(|list| list.as_array()).cloned().unwrap_or_default();
        if shell.tick(state, call.span) {
            for name in before.iter().filter_map(|name| name.as_str()) {
                inner.within(&state.scope.deeper(), |inner| deno_task(shell, inner, call, name, &[]));
            }
        }
        let (zero, positional) = (Value::known("sh"), Default::default());
        shell.fresh_shell(&mut inner, &Value::Known(text), call.span, zero, positional);
        state.files = inner.files;
        return;
    }
    if !read {
        not_read(shell, state, call, "deno task", task);
    }
}

/// `bun FILE`, `bun run FILE`.
pub(in crate::programs) fn bun_file(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    words: &[&str],
) -> Option<Flow> {
    let file = match words {
        ["run", file, ..] | [file, ..] => *file,
        [] => return None,
    };
    if !file.contains(['.', '/']) {
        return None;
    }
    let at = call.words.iter().position(|word| word.arg.value.as_known() == Some(file))?;
    let arguments = call.words.iter().skip(at + 1).map(|word| word.arg.value.clone()).collect::<Vec<_>>();
    let arg = call.words.get(at)?.arg.clone();
    let path = shell.absolute(state, &arg.value)?;
    // A script may have a dot in its name.
    if shell.exists(state, &path) == Some(false)
        && !file.contains('/')
        && !file.ends_with("js")
        && !file.ends_with("ts")
    {
        return None;
    }
    state.within(&state.scope.through("bun"), |state| shell.code_file(state, "node", &arg, &arguments));
    shell.unknown_result(state);
    Some(Flow::Next)
}

/// `deno eval CODE`, `bun -e CODE`.
pub(in crate::programs) fn code_words(shell: &mut Shell<'_>, state: &mut State, name: &str, call: &Call) {
    let mut words = call.arguments().iter();
    let code = if name == "deno" {
        if words.next().and_then(|word| word.arg.value.as_known()) != Some("eval") {
            return;
        }
        words.find(|word| word.arg.value.as_known().is_none_or(|text| !text.starts_with('-')))
    } else {
        let takes =
            |word: &&Expansion| matches!(word.arg.value.as_known(), Some("-e" | "--eval" | "-p" | "--print"));
        words.find(takes).and_then(|_| words.next())
    };
    if let Some(code) = code {
        shell.code(state, "node", &code.arg.value, &[], code.arg.span, &call.raw);
    }
}
