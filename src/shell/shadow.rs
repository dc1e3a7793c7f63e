//! A known name that a file outside of the system's directories bears: whether it is that program, and whether libraries
//! stand in for the system's.
//!
//! What package managers put there, and what has stood for a while where only its person or an administrator can have put
//! it, is what its name says; of scripts, what they plainly do counts besides.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::knowledge::{lists, places};
use crate::model::Value;

use super::follow::is_shell;
use super::interp::{Scope, Shell};
use super::simple::Call;
use super::state::{Flow, State};
use super::step::StepKind;

/// Programs of one directory of the system's that are compared at most, and the longest of them.
const COMPARED: usize = 20_000;
const LONGEST: u64 = 64 * 1024 * 1024;

/// Where the system's libraries are.
const LIBRARIES: [&str; 10] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib/i386-linux-gnu",
    "/usr/lib/arm-linux-gnueabihf",
    "/usr/lib/riscv64-linux-gnu",
];

impl Shell<'_> {
    /// Follows a file that bears the name of a known program, unless the name counts (`None`).
    pub(super) fn bears(&mut self, state: &mut State, path: &Path, base: &str, call: &Call) -> Option<Flow> {
        let again = state.scope.via.iter().any(|via| Path::new(via) == path);
        if again
            || self.exists(state, path) != Some(true)
            || self.is_shim(state, path)
            || self.is_behind_the_systems(state, path, call)
        {
            return None;
        }
        let managed = self.is_managed(state, path.parent()?);
        if managed && !self.is_recent(path) {
            return None;
        }
        let real = self.world.canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if self.is_the_systems(&real, base) {
            return None;
        }
        if let Some(other) = self.linked_program(&real, base) {
            return Some(self.external(state, &other.to_string_lossy(), call));
        }
        let trusted = managed || self.is_settled(path);
        match self.read_text(state, path, self.options.limits.script_bytes) {
            Some(text) if !text.contains('\0') => {
                if trusted {
                    self.plainly(state, path, call);
                    return None;
                }
                if let Some(flow) = self.program_file(state, &path.to_string_lossy(), call) {
                    return Some(flow);
                }
            }
            _ => match self.twin(&real, base) {
                Some(twin) if twin.file_name().is_some_and(|name| name == base) => return None,
                Some(twin) => return Some(self.external(state, &twin.to_string_lossy(), call)),
                None => {}
            },
        }
        if !trusted {
            let kind =
                StepKind::UnknownProgram { name: path.to_string_lossy().into_owned(), args: call.args() };
            self.emit_as(state, call.span, &call.raw, kind);
        }
        None
    }

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

    /// Whether a directory of the system's that holds programs comes before this one, on a search path that this command
    /// did not change: then the file stands in for none of the system's.
    fn is_behind_the_systems(&self, state: &State, path: &Path, call: &Call) -> bool {
        let word = call.words.first().and_then(|word| word.arg.value.as_known());
        if word.is_none_or(|word| word.contains('/')) {
            return false;
        }
        let Some(Value::Known(text)) = self.search_path(state, call) else { return false };
        let before = |text: &str| {
            let earlier = text.split(':').take_while(|dir| Some(Path::new(dir)) != path.parent());
            earlier.into_iter().any(|dir| places().holds_programs(dir))
        };
        self.world.env("PATH").as_deref() == Some(text.as_str()) && before(&text)
    }

    /// Whether a package manager or an administrator fills a directory.
    fn is_managed(&self, state: &State, dir: &Path) -> bool {
        let text = format!("{}/", dir.display());
        let lies_in = |known: &String| match known.strip_prefix('/') {
            Some(_) => text.starts_with(known.as_str()),
            None => text.contains(&format!("/{known}")),
        };
        places().managed.iter().any(lies_in)
            || dir.parent().is_some_and(|above| {
                places().marks.iter().any(|mark| self.exists(state, &above.join(mark)) == Some(true))
            })
    }

    /// Whether a file is what the system itself has under a name.
    fn is_the_systems(&self, real: &Path, base: &str) -> bool {
        let named = places().programs.iter().map(|dir| Path::new(dir).join(base));
        named.into_iter().any(|file| self.world.canonicalize(&file).is_ok_and(|own| own == real))
    }

    /// The known program of another name that a link leads to.
    fn linked_program(&self, real: &Path, base: &str) -> Option<PathBuf> {
        let name = real.file_name()?.to_str()?;
        let plain = self.knowledge.plain_name(name).unwrap_or(name);
        let known = self.knowledge.tool(plain).is_some() || is_shell(plain);
        // `python` leads to `python3.12`.
        let versioned = name.starts_with(base) && self.knowledge.tool(name).is_none();
        (known && name != base && plain != base && !versioned && !lists(&places().many, name))
            .then(|| real.to_owned())
    }

    /// The program of the system's that a file is a copy or another name of: the one of that name first.
    fn twin(&self, real: &Path, base: &str) -> Option<PathBuf> {
        let size = self.world.stat(real).ok()?.size;
        let own = self.world.digest(real, LONGEST).ok()?;
        let same = |file: &PathBuf| {
            self.world.stat(file).is_ok_and(|meta| meta.size == size)
                && self.world.digest(file, LONGEST).is_ok_and(|digest| digest == own)
        };
        let dirs = || places().programs.iter().map(Path::new);
        if let Some(file) = dirs().map(|dir| dir.join(base)).find(same) {
            return Some(file);
        }
        // `/bin` mostly is another name of `/usr/bin`.
        let apart =
            dirs().filter(|dir| self.world.canonicalize(dir).is_ok_and(|there| there.as_path() == *dir));
        apart.into_iter().find_map(|dir| {
            let names = self.world.read_dir(dir, COMPARED).ok()?;
            let known = |name: &str| {
                (self.knowledge.tool(name).is_some() || is_shell(name)) && !lists(&places().many, name)
            };
            names
                .iter()
                .map(|entry| dir.join(&entry.name))
                .find(|file| same(file) && file.file_name().and_then(|name| name.to_str()).is_some_and(known))
        })
    }

    /// Whether a directory of a search path for libraries holds one that is called like one of the system's, and that not
    /// only its person or an administrator can have put there.
    pub(super) fn shadows_library(&self, state: &State, value: &Value) -> bool {
        let Some(texts) = value.choices() else { return false };
        texts.iter().flat_map(|text| text.split(':')).filter(|dir| !dir.is_empty()).any(|dir| {
            let Some(place) = self.absolute(state, &Value::known(dir)) else { return false };
            if self.is_managed(state, &place) || LIBRARIES.iter().any(|known| place.starts_with(known)) {
                return false;
            }
            let found = ["*.so*", "*.dylib", "glibc-hwcaps/*/*.so*"]
                .iter()
                .filter_map(|names| self.pattern_names(state, &format!("{}/{names}", place.display())))
                .flatten();
            found.into_iter().any(|file| {
                let file = Path::new(&file);
                let Some(name) = file.file_name() else { return false };
                LIBRARIES.iter().any(|dir| self.world.stat(&Path::new(dir).join(name)).is_ok())
                    && !(state.files.nearest(file).is_none() && self.is_settled(file))
            })
        })
    }
}
