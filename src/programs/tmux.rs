//! `tmux send-keys`: what is typed into another terminal, read as a shell there would.

use crate::knowledge::Match;
use crate::model::Value;
use crate::shell::program::{Call, Flow, Run, Shell, State, StepKind};

/// See [`Room::Tmux`](crate::knowledge::Room::Tmux).
pub(super) struct Tmux;

impl super::Program for Tmux {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        typed(shell, state, run.call, run.matched)
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
