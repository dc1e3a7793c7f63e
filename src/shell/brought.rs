//! Files that a command fetches, clones, unpacks or writes: what they hold is known to nobody, or to no reader.

use std::path::{Path, PathBuf};

use crate::code::may_lose;
use crate::knowledge::{Match, places};
use crate::world::resolve::Disk;

use super::files::FileState;
use super::interp::{Interp, Scope};
use super::rewritten::Now;
use super::simple::Call;
use super::state::{Flow, State};
use super::step::{Invocation, Stdin, StepKind};

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

    /// A program by its path whose content is this command's own, and was not read.
    pub(super) fn unread(
        &mut self,
        state: &mut State,
        scope: &Scope,
        path: &Path,
        call: &Call,
    ) -> Option<Flow> {
        let here = state.files.key(path, &Disk(self.world));
        let written = match state.files.now(&here).first() {
            Some(Now::Built) => self.built_unread,
            Some(Now::Unread) => true,
            _ => match state.files.get(&here) {
                Some(FileState::Created { content: None, directory: false }) => true,
                None => self.built_unread && !self.runs_from_before(state, path),
                _ => false,
            },
        };
        if !written {
            return None;
        }
        let reason = format!("`{}` is what this command itself wrote, and could not be read", path.display());
        self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
        self.unknown_result(state, scope);
        Some(Flow::Next)
    }

    /// Whether a program stands there that a build of this project does not make.
    fn runs_from_before(&self, state: &State, path: &Path) -> bool {
        !state.cwd.iter().any(|dir| path.starts_with(dir))
    }

    /// What a build makes of sources is a program like any other of the project, unless this command wrote into them what
    /// may lose something.
    pub(super) fn note_build(&mut self, state: &mut State, run: &Invocation) {
        if run.matched.does_nothing() {
            return;
        }
        let made = run.matched.written().into_iter().filter_map(|(_, value, _)| self.absolute(state, &value));
        for path in made.collect::<Vec<_>>() {
            let key = state.files.key(&path, &Disk(self.world));
            state.files.rewrite(key, Now::Built);
        }
        let given = match &run.stdin {
            Stdin::Inherited | Stdin::Empty => false,
            Stdin::Text(text) => text.as_known().is_none_or(may_lose) && reads_input(run),
            Stdin::File(_) | Stdin::Unknown => reads_input(run),
        };
        let named: Vec<PathBuf> =
            run.args.iter().skip(1).filter_map(|arg| self.absolute(state, &arg.value)).collect();
        let source = |path: &Path| {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            places().compiled.iter().any(|known| known == ending) || named.iter().any(|one| one == path)
        };
        let wrote = state.files.written().any(|(path, text)| source(path) && may_lose(text));
        let unread = named.iter().any(|path| {
            let key = state.files.key(path, &Disk(self.world));
            let made =
                matches!(state.files.get(&key), Some(FileState::Created { content: None, directory: false }));
            made && state.files.now(&key).first() != Some(&&Now::Built)
        });
        self.built_unread |= given || wrote || unread;
    }
}

/// Whether a compiler takes its standard input for a source.
fn reads_input(run: &Invocation) -> bool {
    run.args.iter().any(|arg| matches!(arg.value.as_known(), Some("-" | "/dev/stdin")))
}
