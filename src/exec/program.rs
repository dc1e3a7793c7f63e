//! From a command word to the file that runs, once.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

use crate::attest::document::hex;
use crate::model::{Material, Part};
use crate::text::escape;
use crate::world::sha256;

use super::not_judged;
use super::shim::Behind;

/// Directories that only an administrator fills: there a program's name says what it is.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/opt/homebrew/sbin",
    "/opt/local/bin",
    "/snap/bin",
    "/run/current-system/sw/bin",
];

/// A program that was looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    path: PathBuf,
}

impl Program {
    /// The file that runs.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The same from the root, where it is named from here.
    pub(super) fn absolute(&self, cwd: &Path) -> PathBuf {
        cwd.join(&self.path).components().collect()
    }

    /// The file opened, when it is still what was judged, by its digest. `None` where it has to be started by its name: a
    /// script is, so that it finds itself, and where no file can be started that is merely open.
    ///
    /// # Errors
    /// What it is not, for a person.
    pub(super) fn open_as(&self, digest: &str) -> Result<Option<File>, String> {
        let shown = escape(&self.path.to_string_lossy());
        let wrong =
            |error: std::io::Error| format!("{shown} cannot be compared with what was judged: {error}");
        let mut file = File::open(&self.path).map_err(wrong)?;
        let mut start = [0; 2];
        let read = file.read(&mut start).map_err(wrong)?;
        file.rewind().map_err(wrong)?;
        let now = sha256(&file, u64::MAX).map_err(wrong)?.map(|bytes| hex(&bytes));
        if now.as_deref() != Some(digest) {
            return Err(format!("{shown} changed after it was judged"));
        }
        let startable = cfg!(target_os = "linux") && read == 2 && start != *b"#!";
        Ok(startable.then_some(file))
    }

    /// The search path leads to it from this name, over directories that are the same from everywhere: whoever judges the
    /// name comes to this file, and knows that it was called by its name.
    pub(super) fn is_found_by(&self, name: &OsStr) -> bool {
        let before = |path: OsString| {
            env::split_paths(&path)
                .take_while(|folder| folder.join(name) != self.path)
                .all(|folder| folder.is_absolute())
        };
        !name.as_bytes().contains(&b'/') && self.path.is_absolute() && env::var_os("PATH").is_some_and(before)
    }

    /// The word by which it is judged where it was called by `name`. A name that the judge would not find the same file by is
    /// judged by where it leads; behind a shim the bare name would lead to the shim again. What was attested was attested by
    /// its name. `None`: it is no text.
    pub(super) fn judged_as(&self, name: &OsStr) -> Option<String> {
        let by_name = self.is_system() || self.is_found_by(name);
        let word = if by_name && !Behind::now().is_in_the_way(name) { name } else { self.path.as_os_str() };
        word.to_str().map(str::to_owned)
    }

    /// It lies in a directory that only an administrator fills.
    pub(super) fn is_system(&self) -> bool {
        self.path.parent().is_some_and(|parent| SYSTEM.iter().any(|dir| Path::new(dir) == parent))
    }
}

/// Programs that are started and that anybody but an administrator may have put there, as they stood when that was judged. To
/// read them through each time would be dear: where nothing is attested, a file is the same while the system says so.
#[derive(Debug)]
pub(super) struct Standing(Vec<(PathBuf, [u64; 3], [i64; 2])>);

impl Standing {
    pub(super) fn of(started: &[Material]) -> Self {
        let programs = started.iter().filter(|one| one.part == Part::Program);
        let outside = programs.filter(|one| !Program { path: one.path.clone() }.is_system());
        Self(outside.filter_map(|one| standing(&one.path)).collect())
    }

    /// Nobody has put others in their place since; the error is the status of a refusal.
    pub(super) fn are_still(&self) -> Result<(), u8> {
        match self.0.iter().find(|then| standing(&then.0).as_ref() != Some(then)) {
            Some((path, ..)) => {
                Err(not_judged(&format!("{} changed after it was judged", escape(&path.to_string_lossy()))))
            }
            None => Ok(()),
        }
    }
}

fn standing(path: &Path) -> Option<(PathBuf, [u64; 3], [i64; 2])> {
    let meta = path.metadata().ok()?;
    // Not when its names changed: keeping gives it a further one.
    let changed = [meta.mtime(), meta.mtime_nsec()];
    Some((path.to_owned(), [meta.dev(), meta.ino(), meta.size()], changed))
}

/// The first program of a name along PATH that only an administrator can have put there, or else one where systems have it.
pub(super) fn system(name: &OsStr) -> Option<Program> {
    let path = env::var_os("PATH").unwrap_or_default();
    let along = env::split_paths(&path).chain(SYSTEM.iter().map(PathBuf::from));
    let programs = along.filter_map(|folder| match candidate(folder.join(name)) {
        Some(Lookup::Found(program)) => Some(program),
        _ => None,
    });
    programs.filter(|program| !is_shim(&Behind::now(), program.path())).find(Program::is_system)
}

/// Whether the directory that was judged, by its path, is no longer the one that this process is in.
pub(super) fn has_moved(cwd: &Path) -> bool {
    let place = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino())).ok();
    place(cwd) != place(Path::new("."))
}

/// Outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// This file.
    Found(Program),
    /// Nothing of that name.
    NotFound,
    /// Something of that name that may not be executed.
    NotExecutable,
}

/// Looks a command word up as `execvp` does: a word with a slash is a path, any other is sought along PATH.
pub(super) fn look_up(name: &OsStr) -> Lookup {
    if name.is_empty() {
        return Lookup::NotFound;
    }
    let path = env::var_os("PATH");
    let behind = Behind::now();
    match look_up_along(name, path.as_deref(), &|file| is_shim(&behind, file) || behind.is_over(file)) {
        // Nothing of that name comes after it: then it means itself.
        Lookup::NotFound => look_up_along(name, path.as_deref(), &|file| is_shim(&behind, file)),
        found => found,
    }
}

fn is_shim(behind: &Behind, file: &Path) -> bool {
    file.parent().is_some_and(|folder| behind.is_ours(folder)) || behind.is_one(file)
}

fn look_up_along(name: &OsStr, path: Option<&OsStr>, passed: &dyn Fn(&Path) -> bool) -> Lookup {
    if name.as_bytes().contains(&b'/') {
        return candidate(PathBuf::from(name)).unwrap_or(Lookup::NotFound);
    }
    let default = OsStr::new("/bin:/usr/bin");
    let mut denied = false;
    for directory in path.unwrap_or(default).as_bytes().split(|byte| *byte == b':') {
        // An empty entry is the current directory.
        let directory =
            if directory.is_empty() { Path::new(".") } else { Path::new(OsStr::from_bytes(directory)) };
        let file = directory.join(name);
        if passed(&file) {
            continue;
        }
        match candidate(file) {
            Some(Lookup::NotExecutable) => denied = true,
            Some(found) => return found,
            None => {}
        }
    }
    if denied { Lookup::NotExecutable } else { Lookup::NotFound }
}

/// `None` when nothing stands there.
fn candidate(path: PathBuf) -> Option<Lookup> {
    let meta = path.metadata().ok()?;
    if meta.is_file() && access(&path, AccessFlags::X_OK).is_ok() {
        Some(Lookup::Found(Program { path }))
    } else {
        Some(Lookup::NotExecutable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn path_is_searched_in_order_and_passes_over_what_may_not_run() {
        let root = tempfile::tempdir().unwrap();
        let (a, b) = (root.path().join("a"), root.path().join("b"));
        for (dir, mode) in [(&a, 0o644), (&b, 0o755)] {
            fs::create_dir(dir).unwrap();
            fs::write(dir.join("tool"), "#!/bin/sh\n").unwrap();
            fs::set_permissions(dir.join("tool"), fs::Permissions::from_mode(mode)).unwrap();
        }
        let path = format!("{}:{}", a.display(), b.display());
        let found = look_up_along(OsStr::new("tool"), Some(OsStr::new(&path)), &|_| false);
        assert_eq!(found, Lookup::Found(Program { path: b.join("tool") }));
        let only = a.display().to_string();
        assert_eq!(
            look_up_along(OsStr::new("tool"), Some(OsStr::new(&only)), &|_| false),
            Lookup::NotExecutable
        );
        assert_eq!(
            look_up_along(OsStr::new("absent"), Some(OsStr::new(&path)), &|_| false),
            Lookup::NotFound
        );
        assert_eq!(look_up(OsStr::new("")), Lookup::NotFound);
        assert_eq!(look_up(root.path().as_os_str()), Lookup::NotExecutable);
    }
}
