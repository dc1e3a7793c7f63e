//! `socat`: what a connection is joined to may be a program or a file.

use crate::model::Value;
use crate::shell::program::{Arg, Call, Flow, Mode, Run, Shell, State, StepKind};

/// See [`Room::Socat`](crate::knowledge::Room::Socat).
pub(super) struct Socat;

impl super::Program for Socat {
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        if run.name == "socat" { socat(shell, state, run.call) } else { None }
    }
}

/// `socat … EXEC:command`, `SYSTEM:text`: what a connection is joined to is a program.
fn socat(shell: &mut Shell<'_>, state: &mut State, call: &Call) -> Option<Flow> {
    let mut ran = None;
    for word in call.arguments() {
        let Some(text) = word.arg.value.as_known() else { continue };
        let Some((kind, rest)) = text.split_once(':') else { continue };
        let (kind, parts) = (kind.to_ascii_lowercase(), rest.split(',').collect::<Vec<_>>());
        let command = parts.first().copied().unwrap_or(rest);
        let inner = state.scope.through("socat");
        let span = word.arg.span;
        match kind.as_str() {
            "exec" | "system" | "shell" => {
                // Quotes only keep what is in them together for socat.
                let command = command.trim_matches(['"', '\'']);
                let text = Value::known(command);
                state.within(&inner, |state| {
                    shell.fresh_shell(state, &text, span, Value::known("sh"), Default::default())
                });
            }
            "create" | "creat" | "open" | "gopen" | "file" => {
                let has = |name: &str| parts.iter().any(|part| *part == name || *part == format!("o_{name}"));
                let mode = match kind.as_str() {
                    "create" | "creat" => Mode::Truncate,
                    _ if has("trunc") => Mode::Truncate,
                    _ if has("append") => Mode::Append,
                    _ if has("rdonly") => continue,
                    _ => Mode::ReadWrite,
                };
                let path = Arg { value: Value::known(command), span, explicit: false };
                let write = StepKind::Write { path, mode, noclobber: false, content: None };
                state.within(&inner, |state| shell.emit_as(state, span, &call.raw, write));
                continue;
            }
            _ => continue,
        }
        ran = Some(Flow::Next);
    }
    ran
}
