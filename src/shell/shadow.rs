//! A known name that a file outside of the system's directories bears: whether it is that program, and whether libraries
//! stand in for the system's.
//!
//! What package managers put there, and what has stood for a while where only its person or an administrator can have put
//! it, is what its name says; of scripts, what they plainly do counts besides.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::knowledge::{lists, places};
use crate::model::Value;
use crate::world::FileKind;

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
    /// Follows a file that bears the name of a known program, unless the name alone counts (`None`). What the name says
    /// counts in any case.
    pub(super) fn bears(&mut self, state: &mut State, path: &Path, base: &str, call: &Call) -> Option<Flow> {
        let again = state.scope.via.iter().any(|via| Path::new(via) == path);
        if again
            || self.is_kind(state, path, FileKind::File) != Some(true)
            || self.is_shim(state, path)
            || self.is_behind_the_systems(state, path, call)
        {
            return None;
        }
        let place = path.parent()?;
        let sought = self.sought_as_before(state, call);
        let anywhere = || sought.is_some() && Self::is_managed_anywhere(place);
        if self.is_installed(state, place, false) || anywhere() {
            self.plainly(state, path, call);
            return None;
        }
        let real = self.world.canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if self.is_the_systems(&real, base) {
            return None;
        }
        let text = self.read_text(state, path, self.options.limits.script_bytes);
        let is_text = text.is_some_and(|text| !text.contains('\0'));
        let name = path.to_string_lossy();
        let other = match self.linked_program(&real, base) {
            None if !is_text => self.twin(&real, base),
            linked => linked,
        };
        if let Some(other) = other {
            if other.file_name().is_some_and(|name| name == base) {
                return None;
            }
            let other = other.to_string_lossy();
            return self.besides(state, &name, call, |interp, way| Some(interp.external(way, &other, call)));
        }
        if self.is_settled(path) {
            self.plainly(state, path, call);
            return None;
        }
        let followed = self.besides(state, &name, call, |interp, way| match is_text {
            true => interp.program_file(way, &name, call),
            false => None,
        });
        if followed.is_none() {
            let kind = StepKind::UnknownProgram { name: name.into_owned(), args: call.args() };
            self.emit_as(state, call.span, &call.raw, kind);
        }
        followed
    }

    /// One more thing that a command may be, beside what its name says: both count.
    pub(super) fn besides(
        &mut self,
        state: &mut State,
        name: &str,
        call: &Call,
        follow: impl FnOnce(&mut Self, &mut State) -> Option<Flow>,
    ) -> Option<Flow> {
        let maybe = state.maybe;
        let (mut first, mut other) = (state.possible(), state.possible());
        let flow = follow(self, &mut first)?;
        let named = self.as_named(&mut other, name, call);
        Some(self.come_together(state, maybe, [(flow, first), (named, other)]))
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

    /// The search path that a name was sought in, where this command did not change it.
    fn sought_as_before(&self, state: &State, call: &Call) -> Option<String> {
        let word = call.words.first().and_then(|word| word.arg.value.as_known())?;
        let Some(Value::Known(text)) = self.search_path(state, call) else { return None };
        (!word.contains('/') && self.world.env("PATH").as_deref() == Some(text.as_str())).then_some(text)
    }

    /// Whether a directory of the system's that holds programs comes before this one, on a search path that this command
    /// did not change: then the file stands in for none of the system's.
    fn is_behind_the_systems(&self, state: &State, path: &Path, call: &Call) -> bool {
        self.sought_as_before(state, call).is_some_and(|text| {
            let mut earlier = text.split(':').take_while(|dir| Some(Path::new(dir)) != path.parent());
            earlier.any(|dir| places().holds_programs(dir))
        })
    }

    /// Whether a directory is called as package managers call theirs, in whoever's home.
    fn is_managed_anywhere(dir: &Path) -> bool {
        let relative = || places().managed.iter().filter(|known| !known.starts_with('/'));
        dir.ancestors().any(|above| relative().any(|known| above.ends_with(known)))
    }

    /// Whether a package manager or an administrator fills a directory, as far as its place says; of the project's own
    /// (or anybody's) only where package managers install for it.
    pub(super) fn is_installed(&self, state: &State, dir: &Path, own: bool) -> bool {
        let listed = |known: &String| match known.strip_prefix('/') {
            Some(_) => !own && dir.starts_with(known),
            None => self.homes_part(dir).is_some_and(|part| part.starts_with(known)),
        };
        places().managed.iter().any(listed)
            || places().packages.iter().any(|end| dir.ends_with(end))
            || dir.parent().is_some_and(|above| {
                places().marks.iter().any(|mark| self.exists(state, &above.join(mark)) == Some(true))
            })
    }

    /// The part of a path below somebody's home.
    fn homes_part<'p>(&self, dir: &'p Path) -> Option<&'p Path> {
        let home = self.world.home(None);
        let beside = ["/home", "/Users"].iter().find_map(|homes| {
            let mut below = dir.strip_prefix(homes).ok()?.components();
            below.next()?;
            Some(below.as_path())
        });
        home.and_then(|home| dir.strip_prefix(home).ok()).or(beside)
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
            if self.is_installed(state, &place, false)
                || LIBRARIES.iter().any(|known| place.starts_with(known))
            {
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
