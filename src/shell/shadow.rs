//! What a script does that bears a known program's name, beside what that name says.

use std::path::Path;
use std::sync::Arc;

use super::interp::{Scope, Shell};
use super::simple::Call;
use super::state::State;

impl Shell<'_> {
    /// What a shell script plainly does, though what it is named after counts as well.
    pub(super) fn plainly(&mut self, state: &mut State, path: &Path, call: &Call) {
        if !self.is_in_shell(state, path) {
            return;
        }
        let mut own = Scope::clone(&Arc::clone(&state.scope));
        own.own = true;
        let mut way = state.clone();
        way.within(&own, |way| self.program_file(way, &path.to_string_lossy(), call));
        state.files = way.files;
    }
}
