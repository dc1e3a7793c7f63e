//! `history` and `fc`: the list of what was typed.

use crate::model::{Span, Value};
use crate::shell::follow::FileText;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::{State, Status};
use crate::shell::step::{Arg, Mode, StepKind};

impl Shell<'_> {
    /// `history`, which prints the list or writes it to a file.
    pub(super) fn history(&mut self, state: &mut State, call: &Call) -> Status {
        self.list_written(state, call);
        Self::prints_something(state);
        Status::True
    }

    /// `fc`, which runs a command of the history again unless it only lists.
    pub(in crate::shell) fn run_again(&mut self, state: &mut State, call: &Call) -> Status {
        let lists = |texts: Vec<&str>| texts.iter().any(|text| text.starts_with('-') && text.contains('l'));
        if !call.texts().is_some_and(lists) {
            let reason = "a command of the history is run again".to_owned();
            self.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
        }
        Self::prints_something(state);
        Status::Unknown
    }

    /// Setting `HISTFILESIZE` cuts the file of the history at once.
    pub(in crate::shell) fn history_is_cut(&mut self, state: &mut State, size: &Value, span: Span) {
        let Some(file) = self.scalar(state, "HISTFILE").filter(|file| file.as_known().is_some()) else {
            return;
        };
        let lines = size.as_known().and_then(|size| size.trim().parse::<usize>().ok());
        if let (Some(lines), FileText::Text(text)) = (lines, self.file_text(state, &file))
            && text.lines().count() <= lines
        {
            return;
        }
        let path = Arg { value: file, span, explicit: false };
        let kind = StepKind::Write { path, mode: Mode::Truncate, noclobber: false, content: None };
        self.emit_as(state, span, "HISTFILESIZE", kind);
    }

    /// `history -w file` writes over the file, the shell's own list when none is named.
    fn list_written(&mut self, state: &mut State, call: &Call) {
        let mut words = call.arguments().iter();
        while let Some(word) = words.next() {
            let Some(option) = word.arg.value.as_known().and_then(|text| text.strip_prefix('-')) else {
                return;
            };
            let mode = match option.chars().last() {
                Some('w') => Mode::Truncate,
                Some('a') => Mode::Append,
                _ => continue,
            };
            let path = match words.next() {
                Some(file) => file.arg.clone(),
                None => match self.scalar(state, "HISTFILE") {
                    Some(value) if value.as_known() != self.world.env("HISTFILE").as_deref() => {
                        Arg { value, span: word.arg.span, explicit: false }
                    }
                    // The list that it was read from.
                    _ => return,
                },
            };
            let kind = StepKind::Write { path, mode, noclobber: false, content: None };
            self.emit_as(state, call.span, &call.raw, kind);
            return;
        }
    }
}
