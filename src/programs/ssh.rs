//! `ssh` and its kin: commands that a person's own `~/.ssh/config` has run here, for whatever host.
//!
//! Owns which lines of it run something. What is run is followed where it can be read; a single program that nothing is known of
//! is what the person set up, and no finding.

use std::path::{Path, PathBuf};

use crate::effects::program::is_remote;
use crate::model::Value;
use crate::shell::program::{Call, Expansion, Flow, Positional, Run, Shell, State};

/// See [`Room::Ssh`](crate::knowledge::Room::Ssh).
pub(super) struct Ssh;

impl super::Program for Ssh {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let rsync = run.matched.tool.names.iter().any(|name| name == "rsync");
        let away = |word: &Expansion| is_remote(&word.arg.value);
        let speaks = !rsync || run.call.arguments().iter().any(away);
        if speaks && !run.matched.informational && (rsync || !run.matched.has("-F")) {
            settings(shell, state, run.call);
        }
        None
    }
}

/// How deep files include each other.
const DEPTH: usize = 8;

/// Most files of a directory that an inclusion may mean.
const FILES: usize = 2000;

/// Follows what the settings have run before anything is sent.
pub(super) fn settings(shell: &mut Shell<'_>, state: &mut State, call: &Call) {
    let Some(home) = shell.world.home(None).filter(|_| state.scope.host.is_none()) else { return };
    let dir = home.join(".ssh");
    let mut texts = Vec::new();
    read(shell, state, &dir, &dir.join("config"), DEPTH, &mut texts);
    let guard = "settings of ssh".to_owned();
    if texts.is_empty() || state.scope.aliases.contains(&guard) {
        return;
    }
    let mut inner = state.scope.through("ssh");
    inner.aliases.push(guard);
    for text in texts {
        let positional = Positional { open: false, values: Vec::new() };
        let text = Value::Known(text);
        state.perhaps(|state| {
            state.within(&inner, |state| {
                shell.fresh_shell(state, &text, call.span, Value::known("sh"), positional);
            });
        });
    }
}

/// The commands that a file of settings names, with those of the files that it includes.
fn read(shell: &Shell<'_>, state: &State, dir: &Path, file: &Path, depth: usize, found: &mut Vec<String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let Ok(text) = shell.world.read_settings(file, shell.options.limits.script_bytes) else { return };
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let end = line.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(line.len());
        let (word, rest) = line.split_at(end);
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '=').trim();
        let command = match word.to_ascii_lowercase().as_str() {
            "proxycommand" | "localcommand" | "knownhostscommand" => rest.to_owned(),
            "match" => match exec(rest) {
                Some(command) => command,
                None => continue,
            },
            "include" => {
                for file in rest.split_whitespace().flat_map(|name| included(shell, state, dir, name)) {
                    read(shell, state, dir, &file, depth, found);
                }
                continue;
            }
            _ => continue,
        };
        if !command.eq_ignore_ascii_case("none") {
            found.extend(shell.own_command(&command));
        }
    }
}

/// The command of `Match … exec "COMMAND"`; all criteria, where they cannot be told apart.
fn exec(criteria: &str) -> Option<String> {
    let Ok(words) = shell_words::split(criteria) else { return Some(criteria.to_owned()) };
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let plain = word.trim_start_matches('!').to_ascii_lowercase();
        if plain == "exec" {
            return words.next();
        }
        if plain.starts_with("exec=") {
            return word.split_once('=').map(|(_, command)| command.to_owned());
        }
    }
    None
}

/// The files that an inclusion names: below `~/.ssh`, unless they are rooted.
fn included(shell: &Shell<'_>, state: &State, dir: &Path, name: &str) -> Vec<PathBuf> {
    let path = match name.strip_prefix("~/") {
        Some(rest) => dir.parent().unwrap_or(dir).join(rest),
        None => dir.join(name),
    };
    let (Some(folder), Some(last)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    if !last.contains(['*', '?']) {
        return vec![path];
    }
    let entries = shell.list(state, folder, FILES).unwrap_or_default();
    let fits = entries.into_iter().filter(|entry| crate::wildcard::fits(last, &entry.name));
    fits.map(|entry| folder.join(entry.name)).collect()
}
