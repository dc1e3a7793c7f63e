//! `tmux`: several commands in one call, commands that stand in files and in words of others, and `send-keys`, which types
//! into another terminal what is read as a shell there would.

mod commands;

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Call, Expansion, FileText, Flow, Instead, Run, Shell, State, StepKind};

use super::words::{opaque, word};

/// See [`Room::Tmux`](crate::knowledge::Room::Tmux).
pub(super) struct Tmux;

/// What it is known by.
const NAME: &str = "tmux";

impl super::Program for Tmux {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        let several = divided(run.call);
        if several.len() < 2 {
            return None;
        }
        for words in several {
            let one = Call { words, opened: None, ..run.call.clone() };
            shell.external(state, NAME, &one);
        }
        Some(Instead::Done(Flow::Next))
    }

    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        if let Some(flow) = typed(shell, state, run.call, run.matched) {
            return Some(flow);
        }
        if !run.matched.does_nothing() {
            let inner = state.scope.through(NAME);
            state.within(&inner, |state| held(shell, state, run));
        }
        None
    }
}

/// The calls that words stand for: each `;`, alone or at a word's end, begins the next command.
fn divided(call: &Call) -> Vec<Vec<Expansion>> {
    let mut several: Vec<Vec<Expansion>> = vec![Vec::new()];
    for given in &call.words {
        let text = given.arg.value.as_known().unwrap_or_default();
        let ends = text.strip_suffix(';').filter(|before| !before.ends_with('\\'));
        match ends {
            Some(before) => {
                if !before.is_empty()
                    && let Some(last) = several.last_mut()
                {
                    last.push(word(Value::known(before), call));
                }
                several.push(vec![word(Value::known(NAME), call)]);
            }
            None => {
                if let Some(last) = several.last_mut() {
                    last.push(given.clone());
                }
            }
        }
    }
    several.retain(|words| words.len() > 1);
    several
}

/// Commands of its own that stand in files and in words, and shell text in formats.
fn held(shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) {
    for format in run.call.arguments().iter().filter_map(|word| word.arg.value.as_known()) {
        for text in commands::of_format(format) {
            let (text, zero) = (Value::known(text), Value::known("sh"));
            state.perhaps(|state| {
                shell.fresh_shell(state, &text, run.call.span, zero, Default::default());
            });
        }
    }
    // Its own option, which some of its commands have for something else.
    let own = run.matched.options.iter().filter(|option| option.level == 0 && option.key == "-f");
    let own = own.filter_map(|option| option.value.clone());
    let operands = run.matched.operands("file").into_iter().map(|bound| bound.value.clone());
    for file in operands.chain(own).collect::<Vec<_>>() {
        match shell.file_text(state, &file) {
            FileText::Text(text) => one_by_one(shell, state, run.call, &text),
            FileText::Missing => {}
            FileText::Unknown => opaque(shell, state, run.call, "tmux runs commands that are not known"),
        }
    }
    for bound in run.matched.operands("commands") {
        match bound.value.as_known() {
            Some(text) => state.perhaps(|state| one_by_one(shell, state, run.call, text)),
            None => opaque(shell, state, run.call, "tmux runs commands that are not known"),
        }
    }
}

fn one_by_one(shell: &mut Shell<'_>, state: &mut State, call: &Call, text: &str) {
    for words in commands::of_text(text) {
        let words = std::iter::once(NAME).chain(words.iter().map(String::as_str));
        let words = words.map(|text| word(Value::known(text), call)).collect();
        shell.external(state, NAME, &Call { words, opened: None, ..call.clone() });
    }
}

/// The keys as shell text in a directory that is not known; keys that edit or interrupt make it unreadable.
pub(super) fn typed(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) -> Option<Flow> {
    let given = |key: &str| matched.options.iter().any(|option| option.key == key);
    let sends = call.texts()?.iter().any(|word| matches!(*word, "send-keys" | "send"));
    if !sends || given("-X") || matched.does_nothing() {
        return None;
    }
    let words: Vec<&Value> = matched.operands.iter().map(|operand| &operand.value).collect();
    let text = if given("-H") || given("-N") { None } else { text(&words, given("-l")) };
    let inner_scope = state.scope.through("tmux");
    let mut inner = state.clone();
    inner.cwd = Vec::new();
    match text {
        Some(text) => {
            let zero = state.zero.clone();
            inner.within(&inner_scope, |inner| {
                shell.fresh_shell(inner, &text, call.span, zero, Default::default())
            });
            state.files = inner.files;
        }
        None => {
            let reason = "the keys that are sent cannot be read as text".to_owned();
            state.within(&inner_scope, |state| {
                shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason })
            });
        }
    }
    shell.unknown_result(state);
    Some(Flow::Next)
}

/// What is typed; `None` where a key does something else than type.
fn text(words: &[&Value], literal: bool) -> Option<Value> {
    let mut text = Value::known("");
    for word in words {
        let typed = match word.as_known() {
            _ if literal => (*word).clone(),
            Some("C-m" | "C-j") => Value::known("\n"),
            Some(key) if ["Enter", "KPEnter"].iter().any(|name| name.eq_ignore_ascii_case(key)) => {
                Value::known("\n")
            }
            Some(key) if key.eq_ignore_ascii_case("Space") => Value::known(" "),
            // Ends what runs in the foreground, or clears the line or the screen.
            Some("C-c" | "C-u" | "C-l") => {
                text = text.concat(&Value::known("\n"));
                continue;
            }
            Some(key) if is_key(key) => return None,
            Some(_) => (*word).clone(),
            None => return None,
        };
        text = text.concat(&typed);
    }
    Some(text)
}

/// Names of keys that move or edit, so that what stands in the line is not what was sent.
fn is_key(word: &str) -> bool {
    const NAMES: [&str; 20] = [
        "BSpace", "BTab", "DC", "Delete", "Down", "End", "Escape", "Home", "IC", "Insert", "Left", "NPage",
        "PPage", "PageDown", "PageUp", "PgDn", "PgUp", "Right", "Tab", "Up",
    ];
    let function =
        word.strip_prefix('F').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let with = ["C-", "M-", "S-", "c-", "m-", "s-", "^", "0x", "KP", "kp"]
        .iter()
        .any(|start| word.starts_with(start) && word.len() > start.len());
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(word)) || function || with
}
