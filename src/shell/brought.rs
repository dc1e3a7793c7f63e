//! Files that a command fetches, clones, unpacks or writes: what they hold is known to nobody, or to no reader.

use std::collections::BTreeSet;
use std::path::Path;

use crate::code::{CodeEffect, parts_of_source};
use crate::knowledge::{Match, places};
use crate::model::Value;
use crate::world::FileKind;
use crate::world::resolve::Disk;

use super::files::FileState;
use super::interp::Shell;
use super::rewritten::Now;
use super::simple::Call;
use super::state::{Flow, State};
use super::step::StepKind;

/// Most sources that one program is read from.
const SOURCES: usize = 512;

/// Largest source that is read, in bytes: generated ones are long.
const SOURCE_BYTES: u64 = 16 << 20;

impl Shell<'_> {
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
    pub(super) fn fetched(&mut self, state: &mut State, path: &Path, call: &Call) -> Option<Flow> {
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
        self.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
        self.unknown_result(state);
        Some(Flow::Next)
    }

    /// A program by its path whose content is this command's own, and was not read.
    pub(super) fn unread(&mut self, state: &mut State, path: &Path, call: &Call) -> Option<Flow> {
        let here = state.files.key(path, &Disk(self.world));
        let written = match state.files.now(&here).first() {
            Some(Now::Built(_)) => self.built_unread,
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
        self.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
        self.unknown_result(state);
        Some(Flow::Next)
    }

    /// Whether this command compiled what stands there.
    pub(super) fn is_built(&self, state: &State, path: &Path) -> bool {
        let key = state.files.key(path, &Disk(self.world));
        matches!(state.files.now(&key).first(), Some(Now::Built(_)))
    }

    /// Whether a program stands there that a build of this project does not make.
    fn runs_from_before(&self, state: &State, path: &Path) -> bool {
        !state.cwd.iter().any(|dir| path.starts_with(dir))
    }

    /// A program that this command compiled of sources which stand here: what they call counts, and that one of them was not
    /// read. `None` where they say nothing.
    pub(super) fn compiled(&mut self, state: &mut State, path: &Path, call: &Call) -> Option<Flow> {
        let key = state.files.key(path, &Disk(self.world));
        let Some(Now::Built(sources)) = state.files.now(&key).first().copied() else { return None };
        let mut waiting = sources.clone();
        let mut seen = BTreeSet::new();
        let mut effects = Vec::new();
        let arguments = call.values();
        let home = self.home_text(state);
        while let Some(source) = waiting.pop() {
            if !seen.insert(source.clone()) {
                continue;
            }
            let text = self.read_text(state, &source, SOURCE_BYTES).filter(|_| seen.len() <= SOURCES);
            let Some(text) = text else {
                // A header that is not here is the system's.
                if self.exists(state, &source) == Some(false) {
                    continue;
                }
                let reason = format!("{} is compiled into it, and was not read", source.display());
                effects.push(CodeEffect::Unknown { reason });
                break;
            };
            let here = |value: &Value| {
                let file = self.absolute(state, value);
                file.is_some_and(|file| self.is_kind(state, &file, FileKind::File) == Some(true))
            };
            effects.extend(crate::code::compiled(&text, &arguments, home.as_deref(), &here));
            let dir = source.parent().unwrap_or(Path::new("/"));
            waiting.extend(parts_of_source(&text).into_iter().map(|part| dir.join(part)));
        }
        if effects.is_empty() {
            return None;
        }
        let inner = state.scope.through(call.words.first()?.arg.value.as_known()?);
        state.within(&inner, |state| self.code_effects(state, "compiled", effects, call.span, &call.raw));
        self.unknown_result(state);
        Some(Flow::Next)
    }
}

/// Whether a file's ending is that of a source which is compiled.
pub(crate) fn is_source(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    places().compiled.iter().any(|known| known == ending)
}
