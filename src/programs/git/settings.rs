//! Git's own ways of running programs: aliases, and what settings and variables name (editors, pagers, ssh …).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::knowledge::Match;
use crate::model::{Part, Value};
use crate::shell::program::{Arg, Call, Expansion, Flow, Positional, Shell, State, Variable};
use crate::world::LookError;
use crate::world::git_dir::{self, Config, GitDir};

/// Variables whose value git runs as shell text, and whether a file name follows it.
const VARIABLES: [(&str, bool); 11] = [
    ("GIT_EDITOR", true),
    ("GIT_SEQUENCE_EDITOR", true),
    ("VISUAL", true),
    ("EDITOR", true),
    ("GIT_PAGER", false),
    ("PAGER", false),
    ("GIT_SSH_COMMAND", false),
    ("GIT_SSH", false),
    ("GIT_EXTERNAL_DIFF", true),
    ("GIT_ASKPASS", false),
    ("GIT_PROXY_COMMAND", false),
];

/// What stands for the file that an editor is given: one of git's own, made for the purpose.
pub(super) const MESSAGE: &str = "/dev/null";

/// An alias of git, run as what it stands for; `None` when the subcommand is git's own or stands for nothing known.
///
/// A known name may be a companion's that is not here, and then an alias has it: that runs besides, perhaps.
pub(super) fn git_alias(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    matched: &Match,
) -> Option<Flow> {
    if matched.path.is_empty() || matched.informational {
        return None;
    }
    let known = matched.path.len() > 1;
    let taken: Vec<usize> = matched.options.iter().flat_map(|o| [o.index, o.value_index]).collect();
    let free = |index: &usize| !taken.contains(index);
    let index = if known {
        // Options that are switched off again stand among no others.
        let is_word = |index: &usize| {
            let word = call.words.get(index + 1).and_then(|word| word.arg.value.as_known());
            word.is_none_or(|word| !word.starts_with('-'))
        };
        (0..call.words.len().saturating_sub(1)).find(|index| free(index) && is_word(index))?
    } else {
        matched.gaps.iter().map(|gap| gap.index).find(free)?
    };
    let name = call.words.get(index + 1)?.arg.value.as_known()?.to_owned();
    if state.scope.aliases.contains(&format!("git {name}")) {
        return None;
    }
    let dirs = git_directories(shell, state, matched);
    let place = git_place(shell, &dirs);
    let key = format!("alias.{name}");
    let text = git_setting(shell, state, matched, call, place.as_ref(), &key);
    let top = place.and_then(|place| place.work_tree).map_or(dirs, |top| vec![top]);
    match text {
        Some(text) if known => {
            state.perhaps(|state| stands_for(shell, state, call, (index, &name, &text), top));
            None
        }
        None if known => None,
        Some(text) => stands_for(shell, state, call, (index, &name, &text), top),
        None => {
            let path = shell.in_path(state, &format!("git-{name}"))?;
            shell.program_file(state, &path.to_string_lossy(), call)
        }
    }
}

/// Runs what an alias says, at the place of its name among the words.
fn stands_for(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    (index, name, text): (usize, &str, &str),
    top: Vec<PathBuf>,
) -> Option<Flow> {
    let guard = format!("git {name}");
    let mut inner_scope = state.scope.through("git");
    inner_scope.aliases.push(guard);
    let rest = call.words.get(index + 2..).unwrap_or_default();
    if let Some(command) = text.strip_prefix('!') {
        let mut inner = state.clone();
        inner.cwd = top;
        for (name, value) in &call.environment {
            shell.assign_scalar(&mut inner, name, value.clone());
        }
        let values = rest.iter().map(|word| word.arg.value.clone()).collect::<Vec<_>>();
        let text = Value::known(format!("{command} \"$@\""));
        let positional = Positional { open: rest.iter().any(|word| word.elastic), values };
        inner.within(&inner_scope, |inner| {
            shell.fresh_shell(inner, &text, call.span, Value::known("sh"), positional)
        });
        state.files = inner.files;
        state.output = inner.output;
        state.status = inner.status;
        return Some(Flow::Next);
    }
    let span = call.words.get(index + 1).map_or(call.span, |word| word.arg.span);
    let mut words = call.words.get(..=index).unwrap_or_default().to_vec();
    let expanded = shell_words::split(text).ok()?;
    words.extend(expanded.into_iter().map(|word| Expansion {
        arg: Arg::literal(word, span),
        elastic: false,
        unordered: false,
    }));
    words.extend_from_slice(rest);
    let call = Call {
        words,
        environment: call.environment.clone(),
        span: call.span,
        raw: call.raw.clone(),
        external: true,
        opened: None,
    };
    Some(state.within(&inner_scope, |state| shell.external(state, "git", &call)))
}

/// Programs that the command names by settings and variables, and settings that it writes for later commands.
pub(super) fn git_programs(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) {
    git_config_written(shell, state, matched);
    for word in call.arguments() {
        if let Some(text) = word.arg.value.as_known().filter(|text| text.starts_with("ext::")) {
            let text = text.to_owned();
            git_transport(shell, state, call, &text);
        }
    }
    let mut texts: Vec<(Value, Vec<Value>)> = Vec::new();
    let environment = shell.given_to(state, &call.environment);
    for (name, value) in &environment {
        if let Some((_, file)) = VARIABLES.iter().find(|(known, _)| known == name) {
            // A program that shows differences is given the file of the work tree.
            let shows = name == "GIT_EXTERNAL_DIFF";
            texts.push((value.clone(), if shows { vec![Value::Unknown] } else { arguments(*file) }));
        }
    }
    for (key, value) in git_given(shell, state, matched, call) {
        let Some(file) = runs(&key, &value) else { continue };
        let text = value.strip_prefix('!').unwrap_or(&value);
        texts.push((Value::known(text), arguments(file)));
    }
    if matched.path.get(1).is_some_and(|name| name == "grep")
        && let Some(pager) = matched.value("-O")
    {
        // It is given every file that has a match.
        texts.push((pager.clone(), vec![Value::Unknown]));
    }
    let mut shown = Vec::new();
    if matched.path.get(1).is_some_and(|name| name == "difftool")
        && let Some(command) = matched.value("-x")
    {
        // A script reads it as its own text, whose first word is the file of the working tree, and gives it the old content
        // and that file.
        let text = command.concat(&Value::known(" \"$2\" \"$3\""));
        shown.push((text, vec![Value::Unknown, Value::known(MESSAGE), Value::Unknown]));
    }
    let given = |(text, values): (Value, _)| (text.concat(&Value::known(" \"$@\"")), values);
    let texts: Vec<_> = texts.into_iter().map(given).chain(shown).collect();
    if texts.is_empty() {
        return;
    }
    let inner_scope = state.scope.through("git");
    let before = state.status;
    let cwd = state.cwd.clone();
    state.cwd = git_directories(shell, state, matched);
    let outer = compares(shell, state, matched);
    for (text, values) in texts {
        let positional = Positional { open: false, values };
        state.within(&inner_scope, |state| {
            shell.fresh_shell(state, &text, call.span, Value::known("sh"), positional)
        });
    }
    state.variables = outer;
    state.cwd = cwd;
    state.status = before;
}

/// Sets the variables by which a tool that shows or merges is told its files, those of the working tree among them; what
/// was set before.
pub(super) fn compares(
    shell: &mut Shell<'_>,
    state: &mut State,
    matched: &Match,
) -> Arc<BTreeMap<String, Variable>> {
    let before = Arc::clone(&state.variables);
    if matched.path.get(1).is_some_and(|name| matches!(name.as_str(), "difftool" | "mergetool")) {
        let unknown = ["REMOTE", "MERGED", "BASE"].map(|name| (name, Value::Unknown));
        for (name, value) in unknown.into_iter().chain([("LOCAL", Value::known(MESSAGE))]) {
            shell.assign_scalar(state, name, value);
            if let Some(variable) = Arc::make_mut(&mut state.variables).get_mut(name) {
                variable.exported = true;
            }
        }
    }
    before
}

/// `git submodule foreach`: the text runs in every submodule, and nowhere when there is none.
pub(super) fn git_foreach(
    shell: &mut Shell<'_>,
    state: &mut State,
    call: &Call,
    matched: &Match,
) -> Option<Flow> {
    if matched.path.get(1..).unwrap_or_default() != ["submodule", "foreach"] {
        return None;
    }
    let top = git_place(shell, &git_directories(shell, state, matched))?.work_tree?;
    let text = match shell.world.read_file(&top.join(".gitmodules"), 1 << 20) {
        Ok(text) => text,
        Err(LookError::NotFound) => return Some(Flow::Next),
        Err(_) => return None,
    };
    let mut modules = Config::default();
    modules.read(&String::from_utf8_lossy(&text));
    let mut words = matched.operands.iter().map(|binding| binding.value.clone());
    let mut command = words.next()?;
    for word in words {
        command = command.concat(&Value::known(" ")).concat(&word);
    }
    let inner_scope = state.scope.through("git");
    let (before, cwd) = (state.status, state.cwd.clone());
    for (key, path) in modules.iter().filter(|(key, _)| key.ends_with(".path")) {
        let _ = key;
        state.cwd = vec![top.join(path)];
        let positional = Positional { open: true, values: Vec::new() };
        state.within(&inner_scope, |state| {
            shell.fresh_shell(state, &command, call.span, Value::known("sh"), positional)
        });
    }
    state.cwd = cwd;
    state.status = before;
    Some(Flow::Next)
}

/// `git config key value`: later commands see it. Kept beside the variables, under a name that none can have.
fn git_config_written(shell: &mut Shell<'_>, state: &mut State, matched: &Match) {
    if matched.path.get(1).is_none_or(|name| name != "config") {
        return;
    }
    let mut words: Vec<&Value> = matched.operands.iter().map(|binding| &binding.value).collect();
    if words.first().and_then(|word| word.as_known()) == Some("set") {
        words.remove(0);
    }
    if let [key, value, ..] = words.as_slice()
        && let Some(key) = key.as_known()
    {
        let name = format!("git {}", key.to_ascii_lowercase());
        shell.assign_scalar(state, &name, (*value).clone());
    }
}

/// Settings given in the command line, in the environment, or by earlier commands.
pub(super) fn git_given(
    shell: &Shell<'_>,
    state: &State,
    matched: &Match,
    call: &Call,
) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = state
        .variables
        .keys()
        .filter_map(|name| {
            let key = name.strip_prefix("git ")?;
            Some((key.to_owned(), shell.scalar(state, name)?.as_known()?.to_owned()))
        })
        .collect();
    let environment = shell.given_to(state, &call.environment);
    let text = |name: &str| {
        environment.iter().rev().find(|(known, _)| known == name).and_then(|(_, value)| value.as_known())
    };
    let said = |file: &str| {
        let [dir] = state.cwd.as_slice() else { return Vec::new() };
        let config = Config::of_file(shell.world, &dir.join(file));
        config.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    };
    // Files that stand in for the machine's and the user's own.
    for file in ["GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"].into_iter().filter_map(text) {
        found.extend::<Vec<(String, String)>>(said(file));
    }
    found.extend(set_by(&environment));
    for option in matched.options.iter().filter(|option| option.key == "-c" && option.level == 0) {
        if let Some(given) = option.value.as_ref().and_then(Value::as_known) {
            let (key, value) = given.split_once('=').unwrap_or((given, "true"));
            if key.eq_ignore_ascii_case("include.path") {
                found.extend::<Vec<(String, String)>>(said(value));
            }
            found.push((key.to_ascii_lowercase(), value.to_owned()));
        }
    }
    found
}

/// Settings that variables hold.
pub(super) fn set_by(environment: &[(String, Value)]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let text = |name: &str| {
        environment.iter().rev().find(|(known, _)| known == name).and_then(|(_, value)| value.as_known())
    };
    let count = text("GIT_CONFIG_COUNT").and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
    for number in 0..count.min(100) {
        if let (Some(key), Some(value)) =
            (text(&format!("GIT_CONFIG_KEY_{number}")), text(&format!("GIT_CONFIG_VALUE_{number}")))
        {
            found.push((key.to_ascii_lowercase(), value.to_owned()));
        }
    }
    // `'key=value' 'key'='value'`: how git hands its own `-c` on.
    for part in
        text("GIT_CONFIG_PARAMETERS").and_then(|text| shell_words::split(text).ok()).unwrap_or_default()
    {
        let (key, value) = part.split_once('=').unwrap_or((part.as_str(), "true"));
        found.push((key.to_ascii_lowercase(), value.to_owned()));
    }
    found
}

/// The value of one setting.
fn git_setting(
    shell: &Shell<'_>,
    state: &State,
    matched: &Match,
    call: &Call,
    place: Option<&GitDir>,
    key: &str,
) -> Option<String> {
    let key = key.to_ascii_lowercase();
    let given = git_given(shell, state, matched, call);
    if let Some((_, value)) = given.into_iter().rev().find(|(known, _)| *known == key) {
        return Some(value);
    }
    let config = Config::load(shell.world, place);
    let value = config.get(&key)?.to_owned();
    if let Some(file) = config.file_of(&key) {
        // What it says is followed: the file is one of those that this rests on.
        let _ = shell.world.follow(file, shell.options.limits.script_bytes, Part::Script);
    }
    Some(value)
}

/// Directories that git runs in.
pub(super) fn git_directories(shell: &Shell<'_>, state: &State, matched: &Match) -> Vec<PathBuf> {
    let mut inner = state.clone();
    for option in matched.options.iter().filter(|option| option.key == "-C" && option.level == 0) {
        if let Some(value) = &option.value {
            inner.cwd = shell.directories(&inner, value);
        }
    }
    inner.cwd
}

/// The repository that the command or its environment names, or the one there.
pub(super) fn git_place_named(
    shell: &Shell<'_>,
    state: &State,
    call: &Call,
    matched: &Match,
    dirs: &[PathBuf],
) -> Option<GitDir> {
    let environment = shell.given_to(state, &call.environment);
    let named = |option: &str, variable: &str| {
        let set = environment.iter().rev().find(|(name, _)| name == variable).map(|(_, value)| value);
        let known = matched.value(option).or(set).and_then(Value::as_known).map(str::to_owned);
        known.or_else(|| shell.world.env(variable)).filter(|path| !path.is_empty())
    };
    let [dir] = dirs else { return None };
    let Some(git_dir) = named("--git-dir", "GIT_DIR") else { return git_place(shell, dirs) };
    let at = |path: String| shell.world.canonicalize(&dir.join(&path)).unwrap_or_else(|_| dir.join(path));
    let top = named("--work-tree", "GIT_WORK_TREE").map(at);
    git_dir::at(shell.world, &at(git_dir), top.as_deref(), Some(dir)).ok()?
}

/// The repository there, when there is one directory.
pub(super) fn git_place(shell: &Shell<'_>, dirs: &[PathBuf]) -> Option<GitDir> {
    let [dir] = dirs else { return None };
    let dir = shell.world.canonicalize(dir).ok()?;
    git_dir::locate(shell.world, &dir).ok()?
}

/// Runs the program by which an address is reached (`ext::PROGRAM`, `NAME::ADDRESS`), if it is one of that form.
pub(super) fn git_transport(shell: &mut Shell<'_>, state: &mut State, call: &Call, address: &str) {
    let Some((helper, rest)) = address.split_once("::") else { return };
    let words = match helper {
        "ext" => transport(rest),
        // Git's own.
        "http" | "https" | "ftp" | "ftps" | "fd" => return,
        name if name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '.')) => {
            vec![format!("git-remote-{name}"), "origin".to_owned(), rest.to_owned()]
        }
        _ => return,
    };
    let words = words.into_iter().map(|text| Expansion {
        arg: Arg { value: Value::Known(text), span: call.span, explicit: false },
        elastic: false,
        unordered: false,
    });
    let words: Vec<Expansion> = words.collect();
    state.within(&state.scope.through("git"), |state| shell.program(state, words, call.span));
}

/// The words of an `ext::` address: blanks cut, `% ` is a blank in a word.
fn transport(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, words.last_mut()) {
            (' ', _) => words.push(String::new()),
            ('%', Some(word)) => word.extend(chars.next()),
            (c, Some(word)) => word.push(c),
            (_, None) => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn arguments(file: bool) -> Vec<Value> {
    if file { vec![Value::known(MESSAGE)] } else { Vec::new() }
}

/// Whether git runs a setting's value as shell text; `Some(true)` when a file name follows it.
fn runs(key: &str, value: &str) -> Option<bool> {
    let tail = key.rsplit('.').next().unwrap_or(key);
    match key {
        "core.editor" | "sequence.editor" | "diff.external" => return Some(true),
        "core.pager"
        | "core.sshcommand"
        | "core.askpass"
        | "core.gitproxy"
        | "core.alternaterefscommand"
        | "uploadpack.packobjectshook"
        | "gpg.program" => return Some(false),
        "core.fsmonitor" => return (!matches!(value, "true" | "false" | "0" | "1" | "")).then_some(false),
        "credential.helper" => return value.starts_with(['!', '/']).then_some(false),
        _ => {}
    }
    let section = key.split('.').next().unwrap_or(key);
    match (section, tail) {
        ("pager", _) => (!matches!(value, "true" | "false")).then_some(false),
        ("diff", "textconv" | "command") => Some(true),
        ("filter", "clean" | "smudge" | "process") | ("merge", "driver") => Some(false),
        ("difftool" | "mergetool", "cmd") => Some(false),
        ("remote", "uploadpack" | "receivepack") => Some(false),
        ("credential", "helper") => value.starts_with(['!', '/']).then_some(false),
        ("gpg", "program") => Some(false),
        _ => None,
    }
}
