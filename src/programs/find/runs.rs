//! What `find` runs on what it finds.

use std::collections::BTreeMap;

use crate::code::CodeEffect;
use crate::model::Value;
use crate::programs::find::{FindAction, FindLimits, FoundAction, FoundPath, FoundPaths, evaluate};
use crate::shell::program::{Arg, Call, Expansion, Flow, Mode, Shell, State, Status, Stdin, StepKind};

/// Deletions of one `-delete` that are given one by one.
const LISTED: usize = 512;

pub(super) fn find(shell: &mut Shell<'_>, state: &mut State, call: &Call) -> Flow {
    let arguments = call.arguments().iter().map(|word| word.arg.clone()).collect::<Vec<_>>();
    let mut printed = Value::known("");
    let cwds = if state.scope.host.is_some() { Vec::new() } else { state.cwd.clone() };
    let other_rights = state.scope.privileged || shell.rights_changed;
    let limits = FindLimits {
        other_rights,
        elsewhere: state.scope.host.is_some() || shell.world.is_elsewhere(),
        adrift: state.cwd.is_empty(),
        ..FindLimits::default()
    };
    if cwds.is_empty() {
        let nowhere = std::path::PathBuf::from("/");
        let found = evaluate(&arguments, &nowhere, shell.world, (&state.names, &state.files), limits);
        for action in found.actions {
            unlisted(shell, state, call, &action);
        }
        printed = Value::Unknown;
    }
    for cwd in cwds {
        let found = evaluate(&arguments, &cwd, shell.world, (&state.names, &state.files), limits);
        if found.refused {
            state.status = Status::False;
            continue;
        }
        let all = std::mem::replace(&mut state.cwd, vec![cwd]);
        for one in &found.actions {
            act(shell, state, call, one, &mut printed);
            comes(shell, state, call, one);
        }
        state.cwd = all;
    }
    state.status = Status::Unknown;
    if state.scope.capture {
        state.print(&printed);
    }
    Flow::Next
}

/// Programs that put what they are given in the place of something else.
const PLACING: [&str; 4] = ["cp", "mv", "install", "ln"];

/// What this same line puts below a starting point is found as well: it goes where the others go, whatever it is called.
fn comes(shell: &mut Shell<'_>, state: &mut State, call: &Call, found: &FoundAction) {
    let FindAction::Exec { argv, in_directory: false, .. } = &found.action else { return };
    let places =
        argv.first().and_then(|name| name.value.as_known()).is_some_and(|name| PLACING.contains(&name));
    if !places || matches!(found.paths, FoundPaths::Below { .. }) {
        return;
    }
    let inner = state.scope.through("find");
    let starts = call
        .arguments()
        .iter()
        .map_while(|word| word.arg.value.as_known().filter(|text| !text.starts_with(['-', '(', '!'])));
    let mut starts: Vec<String> = starts.map(|start| start.trim_end_matches('/').to_owned()).collect();
    if starts.is_empty() {
        starts.push(".".to_owned());
    }
    for start in starts {
        let place = shell.absolute(state, &Value::known(start.as_str()));
        if place.is_some_and(|place| state.files.is_brought(&place)) {
            let any = Value::known(format!("{start}/*"));
            state.perhaps(|state| state.within(&inner, |state| one(shell, state, call, argv, &any)));
        }
    }
}

fn act(shell: &mut Shell<'_>, state: &mut State, call: &Call, found: &FoundAction, printed: &mut Value) {
    let FoundPaths::Listed(paths) = &found.paths else {
        if found.action == FindAction::Print {
            *printed = Value::Unknown;
        }
        unlisted(shell, state, call, found);
        return;
    };
    match &found.action {
        FindAction::Print if paths.is_empty() => {}
        FindAction::Print => {
            if paths.iter().any(|path| !path.certain) {
                *printed = Value::Unknown;
            }
            let given = |name: &str| call.texts().is_some_and(|texts| texts.contains(&name));
            let end = if given("-print0") { '\0' } else { '\n' };
            if given("-printf") || given("-ls") {
                *printed = Value::Unknown;
                return;
            }
            // In the order of the directories, which nobody knows.
            let found = Value::lines(paths.iter().map(|path| path.path.clone()).collect(), end);
            *printed = printed.concat(&found);
        }
        FindAction::Delete => deleted(shell, state, call, paths),
        FindAction::Write { file } => written(shell, state, call, file),
        // Nobody is there to say yes.
        FindAction::Exec { asks: true, .. } if state.stdin == Stdin::Empty => {}
        FindAction::Exec { argv, batch, in_directory, asks } => {
            let mut inner = state.scope.through("find");
            inner.asks |= *asks;
            if *batch {
                state.within(&inner, |state| batches(shell, state, call, argv, paths, *in_directory));
                return;
            }
            // Those that are walked one by one.
            let single = if *in_directory { paths.len() } else { shell.turns_of(paths.len()) };
            for path in paths.iter().take(single) {
                if *in_directory {
                    let directory = path.path.rsplit_once('/').map_or(".", |(dir, _)| dir);
                    let at = shell.directories(state, &Value::known(directory));
                    let all = std::mem::replace(&mut state.cwd, at);
                    state.within(&inner, |state| {
                        one(shell, state, call, argv, &Value::Known(named(&path.path, true)))
                    });
                    state.cwd = all;
                    continue;
                }
                state.within(&inner, |state| one(shell, state, call, argv, &Value::known(&path.path)));
            }
            if !in_directory {
                for chunk in paths.get(single..).unwrap_or(&[]).chunks(Value::MAX_CHOICES) {
                    let any = Value::one_of(chunk.iter().map(|path| path.path.clone()).collect());
                    state.within(&inner, |state| one(shell, state, call, argv, &any));
                }
            }
        }
    }
}

/// `-exec … {} +`: all in one call, or in one for each directory in which something was found.
fn batches(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    argv: &[Arg],
    paths: &[FoundPath],
    in_directory: bool,
) {
    let mut calls: BTreeMap<Option<&str>, Vec<&FoundPath>> = BTreeMap::new();
    for path in paths {
        let directory = path.path.rsplit_once('/').map_or(".", |(directory, _)| directory);
        calls.entry(in_directory.then_some(directory)).or_default().push(path);
    }
    for (directory, paths) in calls {
        let mut words = Vec::new();
        for arg in argv {
            if arg.value.as_known() != Some("{}") {
                words.push(Expansion { arg: arg.clone(), elastic: false, unordered: false });
                continue;
            }
            words.extend(paths.iter().map(|path| word(Value::known(named(&path.path, in_directory)), arg)));
        }
        let before = state.cwd.clone();
        if let Some(directory) = directory {
            state.cwd = shell.directories(state, &Value::known(directory));
        }
        shell.program(state, words, call.span);
        state.cwd = before;
    }
}

fn one(shell: &mut Shell<'_>, state: &mut State, call: &Call, argv: &[Arg], path: &Value) {
    let words = argv
        .iter()
        .map(|arg| match substitute(&arg.value, path) {
            Some(value) => word(value, arg),
            None => Expansion { arg: arg.clone(), elastic: false, unordered: false },
        })
        .collect();
    shell.program(state, words, call.span);
}

/// An action on paths that cannot be listed.
fn unlisted(shell: &mut Shell<'_>, state: &mut State, call: &Call, found: &FoundAction) {
    match &found.action {
        FindAction::Exec { argv, in_directory, asks, .. } => {
            let mut inner = state.scope.through("find");
            inner.asks |= *asks;
            let path = match &found.paths {
                _ if *in_directory => Value::Unknown,
                FoundPaths::Below { starts, .. } => starts
                    .iter()
                    .map(|start| match start {
                        // The name that is asked for is its end already.
                        Value::Affix { suffix, .. } if !suffix.is_empty() => start.clone(),
                        _ => start.concat(&Value::Unknown),
                    })
                    .reduce(|a, b| a.join(&b))
                    .unwrap_or(Value::Unknown),
                FoundPaths::Listed(paths) => {
                    Value::one_of(paths.iter().map(|path| path.path.clone()).collect())
                }
            };
            state.perhaps(|state| {
                let all = state.cwd.clone();
                if *in_directory {
                    state.cwd = Vec::new();
                }
                state.within(&inner, |state| one(shell, state, call, argv, &path));
                state.cwd = all;
            });
        }
        FindAction::Write { file } => written(shell, state, call, file),
        FindAction::Delete => {
            let FoundPaths::Below { starts, reason, chosen } = &found.paths else { return };
            if let Some(paths) = chosen {
                deleted(shell, state, call, &paths[..paths.len().min(LISTED)]);
                let reason = format!("not everything that it deletes was looked at ({reason})");
                let effect = CodeEffect::Unknown { reason };
                shell.emit_as(state, call.span, &call.raw, StepKind::Code { language: "find", effect });
                return;
            }
            for start in starts {
                let effect = CodeEffect::Delete { path: start.clone(), glob: false, recursive: true };
                shell.emit_as(state, call.span, &call.raw, StepKind::Code { language: "find", effect });
            }
        }
        FindAction::Print => {}
    }
}

/// `-delete`: files one by one; a directory goes only when it is empty by then.
fn deleted(shell: &mut Shell<'_>, state: &mut State, call: &Call, paths: &[FoundPath]) {
    let (directories, files): (Vec<&FoundPath>, Vec<&FoundPath>) =
        paths.iter().partition(|path| path.directory);
    let names = |found: Vec<&FoundPath>| found.into_iter().map(|path| path.path.clone()).collect::<Vec<_>>();
    let (directories, files) = (names(directories), names(files));
    let (single, rest) = files.split_at(files.len().min(LISTED));
    let rest = rest.chunks(Value::MAX_CHOICES).map(|chunk| Value::one_of(chunk.to_vec()));
    for path in single.iter().map(Value::known).chain(rest) {
        let effect = CodeEffect::Delete { path, glob: false, recursive: false };
        shell.emit_as(state, call.span, &call.raw, StepKind::Code { language: "find", effect });
    }
    for chunk in directories.chunks(Value::MAX_CHOICES) {
        let effect = CodeEffect::RemoveDirectory { path: Value::one_of(chunk.to_vec()) };
        shell.emit_as(state, call.span, &call.raw, StepKind::Code { language: "find", effect });
    }
}

fn written(shell: &mut Shell<'_>, state: &mut State, call: &Call, file: &Arg) {
    let kind = StepKind::Write { path: file.clone(), mode: Mode::Truncate, noclobber: false, content: None };
    shell.emit_as(state, call.span, &call.raw, kind);
}

fn word(value: Value, like: &Arg) -> Expansion {
    Expansion { arg: Arg { value, span: like.span, explicit: false }, elastic: false, unordered: false }
}

fn named(path: &str, in_directory: bool) -> String {
    match (in_directory, path.rsplit_once('/')) {
        (true, Some((_, name))) => format!("./{name}"),
        (true, None) => format!("./{path}"),
        _ => path.to_owned(),
    }
}

/// The word with `{}` replaced; `None` when it holds none.
pub(crate) fn substitute(value: &Value, path: &Value) -> Option<Value> {
    let text = value.as_known()?;
    if !text.contains("{}") {
        return None;
    }
    let mut whole = Value::known("");
    for (index, piece) in text.split("{}").enumerate() {
        if index > 0 {
            whole = whole.concat(path);
        }
        whole = whole.concat(&Value::known(piece));
    }
    Some(whole)
}
