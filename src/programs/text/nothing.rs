//! Filters whose input is known to be empty, and lists of what is not there: they print nothing.

use crate::model::Value;
use crate::shell::program::{Call, Shell, State};

/// Programs that print no more than what they read: their flags, their options with a value, and how many operands stand
/// in front of their files. What counts, frames or names its input is not among the flags.
const FILTERS: [(&str, &str, &str, usize); 17] = [
    ("sort", "bdfgiMhnRrVcmsuz", "kStT", 0),
    ("uniq", "cdDiuz", "fsw", 0),
    ("head", "qz0123456789", "nc", 0),
    ("tail", "qfzr0123456789", "nc", 0),
    ("cut", "nsz", "bcdf", 0),
    ("rev", "", "", 0),
    ("tac", "br", "s", 0),
    ("nl", "p", "bdfhilnsvw", 0),
    ("fold", "bs", "w", 0),
    ("expand", "i", "t", 0),
    ("column", "tx", "sco", 0),
    ("tr", "cCdst", "", 2),
    ("grep", "EFGPabhinoqsvwxyz", "ABCm", 1),
    ("egrep", "EFGPabhinoqsvwxyz", "ABCm", 1),
    ("fgrep", "EFGPabhinoqsvwxyz", "ABCm", 1),
    ("sed", "nErszu", "", 1),
    ("awk", "", "Fv", 1),
];

/// Whether this prints nothing because there is nothing to print.
pub(super) fn comes_of_nothing(shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> bool {
    if name == "ls" {
        return lists_nothing(shell, state, call);
    }
    let Some((_, flags, valued, before)) = FILTERS.iter().find(|(known, ..)| *known == name) else {
        return false;
    };
    if shell.stdin_text(state, &state.stdin) != Some(Value::known("")) {
        return false;
    }
    let Some(operands) = operands(call, flags, valued) else { return false };
    // What is done before the first line or behind the last one would print.
    let frames = |text: &Value| text.as_known().is_none_or(|t| t.contains("BEGIN") || t.contains("END"));
    let fits = operands.len() == *before || name == "tr" && operands.len() < *before;
    fits && !(name == "awk" && operands.into_iter().any(frames))
}

/// The operands, where every option is one of these.
fn operands<'c>(call: &'c Call, flags: &str, valued: &str) -> Option<Vec<&'c Value>> {
    let mut operands = Vec::new();
    let mut words = call.arguments().iter();
    while let Some(word) = words.next() {
        if word.elastic {
            return None;
        }
        let value = &word.arg.value;
        let text = value.as_known()?;
        let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            operands.push(value);
            continue;
        };
        let mut letters = letters.chars();
        while let Some(letter) = letters.next() {
            if valued.contains(letter) {
                if letters.as_str().is_empty() {
                    words.next()?;
                }
                break;
            }
            if !flags.contains(letter) {
                return None;
            }
        }
    }
    Some(operands)
}

/// Whether nothing of what is to be listed is there.
fn lists_nothing(shell: &Shell<'_>, state: &State, call: &Call) -> bool {
    let Some(texts) = call.texts() else { return false };
    let mut named = texts.iter().filter(|text| !text.starts_with('-')).peekable();
    let missing = |name: &&str| {
        !name.starts_with("/dev")
            && !name.starts_with("/proc")
            && shell
                .absolute(state, &Value::known(*name))
                .is_some_and(|path| shell.exists(state, &path) == Some(false))
    };
    named.peek().is_some() && named.all(missing) && !texts.iter().any(|text| text.starts_with("--"))
}
