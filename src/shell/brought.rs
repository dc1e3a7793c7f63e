//! Files that a command fetches, clones or unpacks: they are not here yet, and what they hold is known to nobody.

use std::path::Path;

use crate::knowledge::{Match, places};

use super::files::FileState;
use super::interp::{Interp, Scope};
use super::simple::Call;
use super::state::{Flow, State};
use super::step::StepKind;

impl Interp<'_> {
    /// Remembers where a program puts what it fetches or unpacks: here, and at every place that its words name.
    pub(super) fn brings(&self, state: &mut State, name: &str, matched: &Match) {
        let command = matched.path.get(1..).unwrap_or_default().join(" ");
        if matched.does_nothing() || !places().brings(name, &command, |option| matched.has(option)) {
            return;
        }
        for dir in state.cwd.clone() {
            state.files.bring(dir);
        }
        let options = matched.options.iter().filter_map(|option| option.value.as_ref());
        let operands = matched.operands.iter().map(|operand| &operand.value);
        for value in options.chain(operands) {
            // `~/x` and `/x`; what is relative lies below where it runs, or above it.
            let rooted = value.as_known().is_some_and(|text| text.starts_with(['/', '.']));
            if let Some(path) = self.absolute(state, value).filter(|_| rooted)
                && path != Path::new("/")
            {
                state.files.bring(path);
            }
        }
    }

    /// A program by its path that is not here yet: this command itself brings it.
    pub(super) fn fetched(
        &mut self,
        state: &mut State,
        scope: &Scope,
        path: &Path,
        call: &Call,
    ) -> Option<Flow> {
        let written =
            matches!(state.files.get(path), Some(FileState::Created { content: None, directory: false }));
        if !state.files.is_brought(path) || !written && self.exists(state, path) != Some(false) {
            return None;
        }
        // What builds a project that was cloned is a program like `make`.
        let base = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if places().launchers.iter().chain(&places().generated).any(|known| known == base) {
            return None;
        }
        let reason = format!("`{}` comes with what this command fetches, and is run unseen", path.display());
        self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
        self.unknown_result(state, scope);
        Some(Flow::Next)
    }
}
