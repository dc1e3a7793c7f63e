//! Runners whose tasks are functions of a language that is read: `rake`, `invoke`, `nox`, `doit`.

use std::path::Path;

use crate::code::{Program, Reading, Runner, tasks};
use crate::knowledge::Match;
use crate::model::Value;
use crate::programs::tasks::{named_file, not_read, task_file};
use crate::shell::program::{Beside, Call, Shell, State};

use super::Found;

/// `rake TASK…`: its file is looked for upwards, and its directory is where tasks run.
pub(super) fn rake(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) -> bool {
    let named = matched.value("-f").cloned();
    let found = match &named {
        Some(file) => named_file(shell, state, file),
        None => task_file(shell, state, &["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"], true),
    };
    let values = matched.operands("task");
    let Some(wanted) = names(&values.iter().map(|one| &one.value).collect::<Vec<_>>()) else {
        not_read(shell, state, call, "rake", "");
        return true;
    };
    // `task[argument]`, `NAME=value`
    let wanted = wanted
        .iter()
        .filter(|word| !word.contains('='))
        .map(|word| word.split('[').next().unwrap_or(word).to_owned())
        .collect::<Vec<_>>();
    let Found::File { path, mut text } = found else {
        return unfound(shell, state, call, "rake", &wanted, &found);
    };
    if named.is_none()
        && let Some(dir) = path.parent()
    {
        state.cwd = vec![dir.to_path_buf()];
    }
    // Files that are read without being named.
    let more = shell.pattern_names(state, "rakelib/*.rake");
    for name in more.into_iter().flatten() {
        text.push_str(&format!("\nload '{}'\n", name.replace('\'', "\\'")));
    }
    run_tasks(shell, state, call, "rake", Runner::Rake, (&path, &text), &wanted);
    true
}

/// `invoke TASK…`, `nox -s SESSION…`.
pub(super) fn python_tasks(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    matched: &Match,
    runner: Runner,
) -> bool {
    let (name, files, option): (_, &[&str], _) = match runner {
        Runner::Nox => ("nox", &["noxfile.py"], "-f"),
        Runner::Doit => ("doit", &["dodo.py"], "-f"),
        _ => ("invoke", &["tasks.py", "tasks/__init__.py"], "-c"),
    };
    let file = matched.value(option).cloned();
    let found = match (&file, runner) {
        (Some(Value::Known(file)), Runner::Invoke) => {
            task_file(shell, state, &[&format!("{file}.py"), &format!("{file}/__init__.py")], true)
        }
        (Some(file), _) => named_file(shell, state, file),
        (None, _) => task_file(shell, state, files, runner == Runner::Invoke),
    };
    let mut values = matched.operands("task").iter().map(|one| &one.value).collect::<Vec<_>>();
    if runner == Runner::Nox {
        values = matched.values("-s");
    }
    let Some(wanted) = names(&values) else {
        not_read(shell, state, call, name, "");
        return true;
    };
    let wanted = if runner == Runner::Nox {
        // `-s` takes several names; a session is chosen by the interpreter behind a dash too.
        let all = wanted.iter().chain(std::iter::empty());
        all.map(|word| word.split(['-', '(']).next().unwrap_or(word).to_owned()).collect()
    } else if runner == Runner::Doit {
        let plain = wanted.iter().filter(|word| !word.contains('=') && *word != "run");
        plain.map(|word| word.split(':').next().unwrap_or(word).to_owned()).collect()
    } else {
        wanted.into_iter().filter(|word| !word.starts_with('-') && !word.contains('=')).collect::<Vec<_>>()
    };
    let Found::File { path, text } = found else {
        return unfound(shell, state, call, name, &wanted, &found);
    };
    if runner == Runner::Invoke
        && let Some(dir) = path.parent()
    {
        let dir = if path.ends_with("__init__.py") { dir.parent().unwrap_or(dir) } else { dir };
        state.cwd = vec![dir.to_path_buf()];
    }
    run_tasks(shell, state, call, name, runner, (&path, &text), &wanted);
    true
}

/// No file: nothing runs. One that cannot be read: any program may.
pub(super) fn unfound(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    runner: &str,
    wanted: &[String],
    found: &Found,
) -> bool {
    if let Found::Unread = found {
        if wanted.is_empty() {
            not_read(shell, state, call, runner, "");
        }
        for task in wanted {
            not_read(shell, state, call, runner, task);
        }
    }
    true
}

#[allow(clippy::too_many_arguments)]
fn run_tasks(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    name: &str,
    runner: Runner,
    (path, text): (&Path, &str),
    wanted: &[String],
) {
    let language = if runner == Runner::Rake { "ruby" } else { "python" };
    let file = path.to_string_lossy();
    let roots = shell.module_roots(state, language);
    let program = Program {
        language,
        text,
        arguments: &[],
        file: Some(&file),
        roots: &roots,
        reading: Reading::default(),
    };
    let done = tasks(runner, &program, wanted, &Beside { interp: shell, state });
    shell.code_effects(state, language, done.effects, call.span, &call.raw);
    for task in done.unknown {
        not_read(shell, state, call, name, &task);
    }
}

/// The words, when all of them are known.
fn names(values: &[&Value]) -> Option<Vec<String>> {
    values.iter().map(|value| value.as_known().map(str::to_owned)).collect()
}
