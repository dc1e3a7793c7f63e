//! What is said of the words of a followed file: where they stand, and not they themselves.
//!
//! Somebody may have a key or a list of passwords followed, and a report goes to many.

use crate::code::CodeEffect;
use crate::model::Value;

use super::interp::{Shell, shorten};
use super::state::State;
use super::step::StepKind;

impl Shell<'_> {
    /// A step of a followed file, and where it stands: that place is said instead of the file's own words. They may be no
    /// commands at all: somebody had a key or a list of passwords followed.
    pub(super) fn discreet(&self, state: &State, file: &str, kind: StepKind) -> (StepKind, String) {
        let place = match self.line {
            Some(line) => format!("{file}:{line}"),
            None => file.to_owned(),
        };
        let kind = match kind {
            StepKind::UnknownProgram { name, args } if !self.is_program(state, &name) => {
                StepKind::UnknownProgram { name: format!("the program in {place}"), args }
            }
            StepKind::Gap { reason } => StepKind::Gap { reason: unquoted(&reason) },
            StepKind::Opaque { reason } => StepKind::Opaque { reason: unquoted(&reason) },
            StepKind::Code { language, effect: CodeEffect::Unknown { reason } } => {
                StepKind::Code { language, effect: CodeEffect::Unknown { reason: unquoted(&reason) } }
            }
            other => other,
        };
        (kind, shorten(&place))
    }

    /// Whether a text that is run is none that was typed, and may come out of a file.
    pub(super) fn is_read_from_a_file(&self, text: &str) -> bool {
        self.data_read.get() && !self.typed.contains(text)
    }

    /// Whether a step speaks in words that nobody typed, and that may come out of a file.
    pub(super) fn is_data(&self, kind: &StepKind) -> bool {
        self.data_read.get()
            && match kind {
                StepKind::UnknownProgram { name, .. } => !self.typed.contains(name.as_str()),
                StepKind::Gap { .. } | StepKind::Opaque { .. } => true,
                _ => false,
            }
    }

    /// Whether a word is the name of a program that stands here: then it is no secret.
    fn is_program(&self, state: &State, name: &str) -> bool {
        match self.absolute(state, &Value::known(name)) {
            Some(path) if name.contains('/') => self.exists(state, &path) == Some(true),
            _ => self.in_path(state, name).is_some(),
        }
    }
}

/// A reason without what it quotes between backquotes.
fn unquoted(reason: &str) -> String {
    let mut parts = reason.split('`');
    let mut out = parts.next().unwrap_or_default().to_owned();
    while let (Some(_), rest) = (parts.next(), parts.next()) {
        out.push_str("`…`");
        out.push_str(rest.unwrap_or_default());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn what_a_reason_quotes_is_left_out() {
        assert_eq!(unquoted("the script `a b` could not be read"), "the script `…` could not be read");
        assert_eq!(unquoted("no quotes"), "no quotes");
        assert_eq!(unquoted("open `x"), "open `…`");
        assert_eq!(unquoted("`a` and `b`"), "`…` and `…`");
    }
}
