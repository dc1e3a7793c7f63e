//! What several rooms do with words.

use crate::model::Value;
use crate::shell::program::{Arg, Call, Expansion, Shell, State, StepKind};

/// Words that start with `+` are commands in a language of the program's own.
pub(super) fn plus_words(shell: &mut Shell<'_>, state: &mut State, call: &Call, language: &str) {
    for word in call.arguments() {
        match word.arg.value.as_known() {
            Some("--") => return,
            Some(text) => {
                if let Some(command) = text.strip_prefix('+') {
                    let command = Value::known(command.trim_start_matches('+'));
                    shell.code(state, language, &command, &[], word.arg.span, &call.raw);
                }
            }
            None => {}
        }
    }
}

/// Says that what runs cannot be told.
pub(super) fn opaque(shell: &mut Shell<'_>, state: &mut State, call: &Call, reason: &str) {
    let kind = StepKind::Opaque { reason: reason.to_owned() };
    shell.emit_as(state, call.span, &call.raw, kind);
}

/// A word that stands nowhere in the text.
pub(super) fn word(value: Value, call: &Call) -> Expansion {
    let elastic = value == Value::Unknown;
    Expansion { arg: Arg { value, span: call.span, explicit: false }, elastic, unordered: false }
}
