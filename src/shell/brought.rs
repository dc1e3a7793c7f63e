//! Files that a command fetches, clones, unpacks or writes: what they hold is known to nobody, or to no reader.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::code::{may_lose, parts_of_source};
use crate::knowledge::{Match, places};
use crate::model::Value;
use crate::world::FileKind;
use crate::world::resolve::Disk;

use super::files::FileState;
use super::interp::{Interp, Scope};
use super::rewritten::Now;
use super::simple::Call;
use super::state::{Flow, State};
use super::step::{Invocation, Stdin, StepKind};

/// Most sources that one program is read from.
const SOURCES: usize = 64;

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
        self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
        self.unknown_result(state, scope);
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

    /// The sources that a compiler is given by their names, or as the directory of a Go program; those of objects too.
    fn sources_of(&self, state: &State, run: &Invocation) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let words = run.args.iter().skip(1);
        for path in words.filter_map(|arg| self.absolute(state, &arg.value)) {
            let key = state.files.key(&path, &Disk(self.world));
            match state.files.now(&key).first() {
                Some(Now::Built(sources)) => found.extend(sources.iter().cloned()),
                _ if is_source(&path) => found.push(path),
                _ if run.name == "go" && self.is_directory(state, &path) == Some(true) => {
                    found.extend(self.go_files(state, &path));
                }
                _ => {}
            }
        }
        if found.is_empty() && run.name == "go" {
            found.extend(state.only_cwd().into_iter().flat_map(|dir| self.go_files(state, dir)));
        }
        found.truncate(SOURCES);
        found
    }

    fn go_files(&self, state: &State, dir: &Path) -> Vec<PathBuf> {
        let entries = self.list(state, dir, 256).unwrap_or_default();
        let names = entries.into_iter().map(|entry| dir.join(entry.name));
        let go = |path: &PathBuf| {
            let name = path.to_string_lossy();
            name.ends_with(".go") && !name.ends_with("_test.go")
        };
        names.filter(go).collect()
    }

    /// A program that this command compiled of sources which stand here: what they call counts. `None` where they say
    /// nothing, or cannot be read.
    pub(super) fn compiled(
        &mut self,
        state: &mut State,
        scope: &Scope,
        path: &Path,
        call: &Call,
    ) -> Option<Flow> {
        let key = state.files.key(path, &Disk(self.world));
        let Some(Now::Built(sources)) = state.files.now(&key).first().copied() else { return None };
        let mut waiting = sources.clone();
        let mut seen = BTreeSet::new();
        let mut effects = Vec::new();
        let arguments = call.values();
        while let Some(source) = waiting.pop().filter(|_| seen.len() < SOURCES) {
            if !seen.insert(source.clone()) {
                continue;
            }
            let Some(text) = self.read_text(state, &source, self.options.limits.script_bytes) else {
                continue;
            };
            let here = |value: &Value| {
                let file = self.absolute(state, value);
                file.is_some_and(|file| self.is_kind(state, &file, FileKind::File) == Some(true))
            };
            effects.extend(crate::code::compiled(&text, &arguments, &here));
            let dir = source.parent().unwrap_or(Path::new("/"));
            waiting.extend(parts_of_source(&text).into_iter().map(|part| dir.join(part)));
        }
        if effects.is_empty() {
            return None;
        }
        let inner = scope.through(call.words.first()?.arg.value.as_known()?);
        self.code_effects(state, &inner, "compiled", effects, call.span, &call.raw);
        self.unknown_result(state, scope);
        Some(Flow::Next)
    }

    /// What a build makes of sources is a program like any other of the project, unless this command wrote into them what
    /// may lose something.
    pub(super) fn note_build(&mut self, state: &mut State, run: &Invocation) {
        if run.matched.does_nothing() {
            return;
        }
        let sources = self.sources_of(state, run);
        let written = run.matched.written().into_iter().map(|(_, value, _)| value);
        let made = written.chain(default_output(run).map(Value::Known));
        for path in made.filter_map(|value| self.absolute(state, &value)).collect::<Vec<_>>() {
            let key = state.files.key(&path, &Disk(self.world));
            state.files.rewrite(key, Now::Built(sources.clone()));
        }
        let given = match &run.stdin {
            Stdin::Inherited | Stdin::Empty => false,
            Stdin::Text(text) => text.as_known().is_none_or(may_lose) && reads_input(run),
            Stdin::File(_) | Stdin::Unknown => reads_input(run),
        };
        let named: Vec<PathBuf> =
            run.args.iter().skip(1).filter_map(|arg| self.absolute(state, &arg.value)).collect();
        let source = |path: &Path| is_source(path) || named.iter().any(|one| one == path);
        let wrote = state.files.written().any(|(path, text)| source(path) && may_lose(text));
        let unread = named.iter().any(|path| {
            let key = state.files.key(path, &Disk(self.world));
            let made =
                matches!(state.files.get(&key), Some(FileState::Created { content: None, directory: false }));
            made && !matches!(state.files.now(&key).first(), Some(Now::Built(_)))
        });
        self.built_unread |= given || wrote || unread;
    }
}

/// What a compiler writes that is not told where.
fn default_output(run: &Invocation) -> Option<String> {
    if !run.matched.written().is_empty() {
        return None;
    }
    let words = || run.args.iter().skip(1).filter_map(|arg| arg.value.as_known());
    let source = words().find(|word| !word.starts_with('-') && is_source(Path::new(word)))?;
    let stem = Path::new(source).file_stem()?.to_str()?;
    match run.name.as_str() {
        "rustc" | "ghc" => Some(stem.to_owned()),
        "go" if words().next() == Some("build") => Some(stem.to_owned()),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "c99" if words().any(|word| word == "-c") => {
            Some(format!("{stem}.o"))
        }
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "c99" => Some("a.out".to_owned()),
        _ => None,
    }
}

/// Whether a file's ending is that of a source which is compiled.
fn is_source(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    places().compiled.iter().any(|known| known == ending)
}

/// Whether a compiler takes its standard input for a source.
fn reads_input(run: &Invocation) -> bool {
    run.args.iter().any(|arg| matches!(arg.value.as_known(), Some("-" | "/dev/stdin")))
}
