//! What a script does that bears a known program's name, beside what that name says; what package managers install, and
//! whether libraries stand in for the system's.

use std::path::Path;
use std::sync::Arc;

use crate::knowledge::places;
use crate::model::Value;

use super::interp::{Scope, Shell};
use super::simple::Call;
use super::state::State;

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
