//! Which file a command word names, and whether its name says what it is.
//!
//! Names are trusted where programs are installed. A file in the project, in a temporary directory, in one that anybody
//! may write to, or made by the same command is what it contains: it is read, or nothing is known of it.

use std::sync::Arc;

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::knowledge::{SHIMS, places};
use crate::model::Value;
use crate::world::{FileKind, LookError};

use super::files::FileState;
use super::interp::{Scope, Shell};
use super::simple::Call;
use super::state::{Content, Flow, State, Status};
use super::step::StepKind;

/// What every shim says of itself, and its size at most.
const SHIM_MARK: &[u8] = b"Written by `recourse shim add`";
const SHIM_LIMIT: u64 = 4096;

/// A program that has not been touched for so many seconds was not put there for the command at hand.
const SETTLED: u64 = 60 * 60;

/// Longest program of a package that is read.
const PACKAGED: u64 = 64 * 1024;

/// Stands in the knowledge for a program that the project's own build made just before.
const BUILT: &str = "just-built";

impl Shell<'_> {
    /// Follows what stands at the place that a command word names, unless its name is to be trusted (`None`).
    pub(super) fn located(&mut self, state: &mut State, name: &str, call: &Call) -> Option<Flow> {
        if name.contains('/') {
            let Some(path) = self.absolute(state, &Value::known(name)) else {
                // Which directory it is in is not known.
                if self.anywhere_system(name) {
                    return None;
                }
                return Some(self.by_name_as_well(state, name, call));
            };
            return self.at_path(state, name, &path, call);
        }
        if let Some(Content::Assoc(known)) = self.content(state, "BASH_CMDS")
            && let Some(path) =
                known.iter().find(|(key, _)| key == name).and_then(|(_, path)| path.as_known())
        {
            let path = path.to_owned();
            return Some(self.external(state, &path, call));
        }
        if state.scope.via.last().is_some_and(|via| Self::fetches(via))
            && let Some(script) = self.program_of_project(state, name)
        {
            if self.is_shell_script(state, &script) {
                return self.program_file(state, &script.to_string_lossy(), call);
            }
            if self.knowledge.tool(name).is_none() {
                return Some(self.of_package(state, name, &script, call));
            }
        }
        let path = self.search_path(state, call)?;
        let text = path.as_known()?;
        // What our own program runs is sought behind the shims, and behind the wrapper that calls its own name.
        let behind = state.scope.via.iter().any(|via| via == "recourse").then_some(&state.scope.via[..]);
        match self.search(state, text, name, behind) {
            Some(found) => self.at_path(state, &found.to_string_lossy(), &found, call),
            None if self.is_nothing_else(state, text, name) && self.everywhere(state, text) => {
                state.status = Status::False;
                Some(Flow::Next)
            }
            None => None,
        }
    }

    /// Where a command's program is sought.
    pub(super) fn search_path(&self, state: &State, call: &Call) -> Option<Value> {
        let given = call.environment.iter().rev().find(|(name, _)| name == "PATH");
        given.map(|(_, value)| value.clone()).or_else(|| self.scalar(state, "PATH"))
    }

    /// Whether the search path leads from this name to where only an administrator puts programs, or nowhere.
    pub(super) fn leads_to_system(&self, state: &State, name: &str, call: &Call) -> bool {
        let path = self.search_path(state, call);
        let found = path.as_ref().and_then(Value::as_known).map(|path| self.search(state, path, name, None));
        let holds = |file: PathBuf| {
            let dir = file.parent().and_then(Path::to_str);
            state.files.nearest(&file).is_none() && dir.is_some_and(|dir| places().holds_programs(dir))
        };
        match found {
            Some(found) => found.is_none_or(holds),
            None => path.is_none(),
        }
    }

    /// Whether a name that no directory of the search path holds is known to mean nothing at all: the path is this
    /// command's own, or the name was a function that this command took away.
    fn is_nothing_else(&self, state: &State, path: &str, name: &str) -> bool {
        self.world.env("PATH").as_deref() != Some(path)
            || (state.no_functions.contains(name)
                && !state.functions.contains_key("command_not_found_handle")
                && self.knowledge.tool(name).is_none())
    }

    /// Judged by both: nothing is known of the file, and its name may say what it would do.
    fn by_name_as_well(&mut self, state: &mut State, name: &str, call: &Call) -> Flow {
        let base = name.rsplit('/').next().unwrap_or(name);
        match self.knowledge.tool(base) {
            Some(tool) => {
                let kind = StepKind::UnknownProgram { name: name.to_owned(), args: call.args() };
                self.emit_as(state, call.span, &call.raw, kind);
                self.known(state, base, &tool, call)
            }
            None => self.unknown_program(state, name, call),
        }
    }

    fn anywhere_system(&self, name: &str) -> bool {
        name.rsplit_once('/').is_some_and(|(dir, _)| places().holds_programs(dir))
    }

    fn at_path(&mut self, state: &mut State, name: &str, path: &Path, call: &Call) -> Option<Flow> {
        let dir = path.parent()?;
        let base = path.file_name()?.to_str()?;
        if let Some(real) = self.stands_for(state, path) {
            return Some(self.external(state, &real.to_string_lossy(), call));
        }
        let made = state.files.nearest(path).is_some();
        if !made && dir.to_str().is_some_and(|dir| places().holds_programs(dir)) {
            return None;
        }
        // Only an administrator puts anything into a directory of the system's: there the name says which program it is.
        self.runs_unread(state, path);
        if !made && base == "recourse" && self.is_ourselves(path) {
            return None;
        }
        let own = made || self.is_own(state, dir);
        let placed =
            call.words.first().and_then(|word| word.arg.value.as_known()).is_some_and(|t| t.contains('/'));
        let known = self.knowledge.tool(base).is_some() || super::follow::is_shell(base);
        if !own && known {
            return self.bears(state, path, base, call);
        }
        // What the search path leads to may be no more than what its name says.
        let named = known && !placed;
        if named && !made && (self.is_installed(state, dir, true) || self.is_persons_script(state, path)) {
            self.plainly(state, path, call);
            return None;
        }
        if !made && let Some(real) = self.installed_link(path) {
            // A link to an installed program (`.venv/bin/python`): the program counts, by the name that is known.
            let target = real.file_name().and_then(|name| name.to_str()).unwrap_or(base).to_owned();
            if target == base || target.starts_with(base) && self.knowledge.tool(&target).is_none() {
                return None;
            }
            return Some(self.external(state, &real.to_string_lossy(), call));
        }
        if own && !made && self.is_launcher(state, dir, base) && !self.is_shell_script(state, path) {
            if self.world.is_elsewhere() {
                return Some(self.by_name_as_well(state, name, call));
            }
            self.plainly(state, path, call);
            return None;
        }
        if let Some(flow) = self.fetched(state, path, call) {
            return Some(flow);
        }
        let followed = match named {
            true => self.besides(state, name, call, |interp, way| interp.program_file(way, name, call)),
            false => self.program_file(state, name, call),
        };
        if followed.is_some() {
            return followed;
        }
        if !made && self.is_persons(dir) && self.knowledge.tool(base).is_some() {
            // What is no text counts by its name alone where only the person can have put it there, and not just now.
            return (!self.is_settled(path)).then(|| self.by_name_as_well(state, name, call));
        }
        if let Some(flow) = self.unread(state, path, call) {
            return Some(flow);
        }
        if let Some(flow) = self.compiled(state, path, call) {
            return Some(flow);
        }
        let built = self.acted && self.only_built || self.is_built(state, path);
        if built
            && !name.starts_with('@')
            && (made || self.exists(state, path) == Some(false))
            && let Some(tool) = self.knowledge.tool(BUILT)
        {
            return Some(self.known(state, BUILT, &tool, call));
        }
        // Not text that could be followed, or not there.
        Some(match named {
            true => self.by_name_as_well(state, name, call),
            false => self.unknown_program(state, name, call),
        })
    }

    /// The program of the system's that a link elsewhere leads to.
    fn installed_link(&self, path: &Path) -> Option<PathBuf> {
        let real = self.world.canonicalize(path).ok().filter(|real| real != path)?;
        real.parent().and_then(Path::to_str).is_some_and(|dir| places().holds_programs(dir)).then_some(real)
    }

    /// Whether a script among the person's own programs was put there by that person, and not just now.
    fn is_persons_script(&self, state: &State, path: &Path) -> bool {
        path.parent().is_some_and(|dir| self.is_persons(dir))
            && self.is_in_shell(state, path)
            && self.is_settled(path)
    }

    /// The installed program that a path of this command's making is a copy or a link of.
    fn stands_for(&self, state: &State, path: &Path) -> Option<PathBuf> {
        let mut real = state.files.through(path, true)?;
        for _ in 0..8 {
            match state.files.get(&real) {
                Some(FileState::CopiedFrom(from) | FileState::MovedFrom(from)) => {
                    real = state.files.through(from, true)?;
                }
                _ => break,
            }
        }
        let installed = real.parent().and_then(Path::to_str).is_some_and(|dir| places().holds_programs(dir));
        (real != path && installed).then_some(real)
    }

    /// A program of a package that nothing is known of: what it surely does counts, besides.
    fn of_package(&mut self, state: &mut State, name: &str, script: &Path, call: &Call) -> Flow {
        let scope = &Arc::clone(&state.scope);
        if self.read_text(state, script, PACKAGED).is_some() {
            let mut own = Scope::clone(scope);
            own.own = true;
            let mut way = state.clone();
            way.within(&own, |way| self.program_file(way, &script.to_string_lossy(), call));
            state.files = way.files;
        }
        self.unknown_program(state, name, call)
    }

    /// What stands where a package manager puts programs, in this directory or above.
    fn program_of_project(&self, state: &State, name: &str) -> Option<PathBuf> {
        let dir = state.only_cwd()?;
        let found = dir.ancestors().map(|above| above.join("node_modules/.bin").join(name));
        found.take(8).find(|file| self.exists(state, file) == Some(true))
    }

    /// Whether a file among the project's programs is a shell script of its own: neither a link to a package's nor what
    /// build tools and package managers write to start the program proper.
    fn is_shell_script(&self, state: &State, path: &Path) -> bool {
        let packages = path
            .parent()
            .is_some_and(|dir| dir.ends_with("node_modules/.bin") || dir.ends_with("vendor/bin"));
        let linked = packages && self.world.lstat(path).is_ok_and(|meta| meta.kind == FileKind::Symlink);
        let wraps = |text: &str| places().wrappers.iter().any(|mark| text.contains(mark.as_str()));
        !linked
            && self
                .read_text(state, path, self.options.limits.script_bytes)
                .is_some_and(|text| names_a_shell(&text) && !wraps(&text))
    }

    /// Whether a file's first line says that a shell runs it.
    pub(super) fn is_in_shell(&self, state: &State, path: &Path) -> bool {
        self.read_text(state, path, self.options.limits.script_bytes).is_some_and(|text| names_a_shell(&text))
    }

    /// Whether a directory's programs belong to the project or the person, or may be anybody's.
    fn is_own(&self, state: &State, dir: &Path) -> bool {
        if state.cwd.iter().any(|cwd| dir.starts_with(cwd) && cwd != Path::new("/")) {
            return true;
        }
        if self.is_persons(dir) {
            return true;
        }
        let home = self.world.home(None);
        let temporary = self.world.env("TMPDIR").filter(|dir| dir.starts_with('/'));
        if places()
            .shared
            .iter()
            .map(String::as_str)
            .chain(temporary.as_deref())
            .any(|place| dir.starts_with(place))
        {
            return true;
        }
        if self.world.stat(dir).is_ok_and(|meta| meta.mode & 0o002 != 0) {
            return true;
        }
        state.cwd.iter().any(|cwd| {
            cwd.ancestors()
                .take_while(|above| Some(*above) != home.as_deref() && *above != Path::new("/"))
                .filter(|above| dir.starts_with(above))
                .any(|above| self.world.lstat(&above.join(".git")).is_ok())
        })
    }

    /// Programs of the project whose names say what they are: installed for it by a package manager, or launchers
    /// (`gradlew`, `manage.py`) that no installed program is called like.
    fn is_launcher(&self, state: &State, dir: &Path, base: &str) -> bool {
        if self.knowledge.tool(base).is_none() {
            return false;
        }
        // A launcher that is not there cannot run now, and is only ever written under such a name to be one; what a
        // package manager would install there may be anything.
        if self.exists(state, &dir.join(base)) == Some(false) {
            let environment = places().environments.iter().any(|name| dir.ends_with(name))
                && places().environment.iter().any(|name| name == base);
            return environment
                || (self.knowledge_of_project(base) || places().generated.iter().any(|name| name == base))
                    && !dir.ends_with("vendor/bin");
        }
        let installed = dir.ends_with("node_modules/.bin")
            || dir.ends_with("vendor/bin")
            || dir.parent().is_some_and(|above| self.exists(state, &above.join("pyvenv.cfg")) == Some(true));
        installed
            || !places().programs.iter().any(|system| self.world.stat(&Path::new(system).join(base)).is_ok())
                && !super::builtins::is_builtin(base)
                && self.knowledge_of_project(base)
    }

    /// `python manage.py …`, `php artisan …`: the launcher that an interpreter runs, and where its name stands.
    pub(super) fn launched(&self, interpreter: &str, call: &Call) -> Option<(String, usize)> {
        // What the others are given first is code.
        if !matches!(places().language(interpreter)?, "python" | "php" | "ruby" | "node" | "perl") {
            return None;
        }
        let mut at = 1;
        loop {
            let word = call.words.get(at)?.arg.value.as_known()?;
            match word {
                "-c" | "-m" | "-e" | "-r" | "-p" | "-" | "--eval" | "--print" => return None,
                "-d" | "-W" | "-X" | "-I" | "--require" => at += 2,
                flag if flag.starts_with('-') => at += 1,
                script => {
                    let (dir, base) = script.rsplit_once('/').unwrap_or(("", script));
                    let installed = dir.ends_with("node_modules/.bin") || dir.ends_with("vendor/bin");
                    let names = installed || self.knowledge_of_project(base);
                    let here = self.knowledge.tool(base).is_some() && names && script != interpreter;
                    return here.then(|| (base.to_owned(), at));
                }
            }
        }
    }

    /// Launchers have a name of their own kind: an extension, or a wrapper's `w`.
    pub(super) fn knowledge_of_project(&self, base: &str) -> bool {
        base.contains('.') || places().launchers.iter().any(|launcher| launcher == base)
    }

    /// Whether every directory of a search path can be looked into.
    fn everywhere(&self, state: &State, path: &str) -> bool {
        path.split(':').all(|dir| dir.starts_with('/') && self.exists(state, Path::new(dir)).is_some())
    }

    /// A program found by `PATH`.
    pub(crate) fn in_path(&self, state: &State, name: &str) -> Option<PathBuf> {
        if name.is_empty() || name.contains('/') {
            return None;
        }
        let path = self.scalar(state, "PATH")?;
        self.search(state, path.as_known()?, name, None)
    }

    fn search(&self, state: &State, path: &str, name: &str, behind: Option<&[String]>) -> Option<PathBuf> {
        path.split(':').find_map(|dir| {
            let dir = if dir.is_empty() { "." } else { dir };
            let bases = if dir.starts_with('/') {
                vec![PathBuf::from(dir)]
            } else {
                state.cwd.iter().map(|cwd| cwd.join(dir)).collect()
            };
            bases.into_iter().filter_map(|base| self.resolved(state, &base.join(name))).find(|file| {
                let passed = |via: &[String]| {
                    self.is_shim(state, file) || via.iter().any(|one| Path::new(one) == file)
                };
                self.runnable(state, file) && !behind.is_some_and(passed)
            })
        })
    }

    /// Whether a file is one of our shims, which only start us.
    pub(super) fn is_shim(&self, state: &State, file: &Path) -> bool {
        file.parent().is_some_and(|folder| folder.ends_with(SHIMS))
            && state.files.nearest(file).is_none()
            && self
                .world
                .read_file(file, SHIM_LIMIT)
                .is_ok_and(|text| text.windows(SHIM_MARK.len()).any(|window| window == SHIM_MARK))
    }

    /// Whether a file is the very program that judges.
    fn is_ourselves(&self, path: &Path) -> bool {
        let Ok(own) = self.world.read_link(Path::new("/proc/self/exe")) else { return false };
        self.world.canonicalize(path).is_ok_and(|real| real == own)
    }

    /// Where people put programs for themselves: an agent could have put one there, and yet it mostly is what its name says.
    pub(super) fn is_persons(&self, dir: &Path) -> bool {
        self.world.home(None).is_some_and(|home| dir == home.join("bin") || dir == home.join(".local/bin"))
    }

    /// Whether a program among the person's own was put there by that person or an administrator, has stood there for a
    /// while, and belongs to no project: nobody else may write it or where it stands, and no repository holds it.
    pub(super) fn is_settled(&self, path: &Path) -> bool {
        let Ok(real) = self.world.canonicalize(path) else { return false };
        let own = |place: &Path| {
            self.world.stat(place).ok().filter(|meta| {
                let (user, group) = meta.owner;
                // A group of the same number is the person's alone.
                let others = if user == group { 0o002 } else { 0o022 };
                [0, self.world.uid()].contains(&user) && meta.mode & others == 0
            })
        };
        let stands = |file: &Path| {
            file.ancestors().skip(1).all(|dir| {
                own(dir).is_some() && matches!(self.world.lstat(&dir.join(".git")), Err(LookError::NotFound))
            })
        };
        own(&real).is_some() && !self.is_recent(&real) && stands(path) && stands(&real)
    }

    /// Whether a file was touched just now, as far as can be seen; where links lead counts.
    pub(super) fn is_recent(&self, path: &Path) -> bool {
        let now = self.world.now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let changed = self.world.stat(path).ok().and_then(|meta| u64::try_from(meta.changed.0).ok());
        changed.is_none_or(|changed| changed.saturating_add(SETTLED) >= now)
    }

    /// Whether a file stands there that may be run.
    pub(super) fn runnable(&self, state: &State, file: &Path) -> bool {
        if self.is_kind(state, file, FileKind::File) != Some(true) {
            return false;
        }
        match self.untouched(state, file).map(|real| self.world.stat(&real)) {
            Some(Ok(meta)) => meta.mode & 0o111 != 0,
            _ => true,
        }
    }
}

fn names_a_shell(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let program = first.split(['/', ' ']).rfind(|part| !part.is_empty()).unwrap_or_default();
    first.starts_with("#!") && super::follow::is_shell(program)
}
