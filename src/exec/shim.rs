//! Shims: small programs in a folder of ours, early on PATH, that run `recourse exec` on the real program of their name.
//!
//! Owns the folder, what stands in it, and how the real program is found behind it. A shim never runs itself: the folder
//! is left out of the search, and a program that starts its own name again goes on to the next one of that name.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::attest::disk::{self, Access, DiskError};
use crate::order;

/// Tells that a shim of this name runs us.
const CALLED: &str = "RECOURSE_SHIM";
/// Tells what runs behind shims: `process:file`, separated by line breaks.
const CHAIN: &str = "RECOURSE_SHIM_CHAIN";
/// Programs behind shims that start one another, at most.
const DEEPEST: usize = 24;
/// The second line of every shim.
const MARK: &str = "# Written by `recourse shim add`; `recourse shim remove` takes it away.";

/// Why a shim was not made or removed.
#[derive(Debug, thiserror::Error)]
pub enum ShimError {
    /// A file or folder.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// On what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A name that no shim can have.
    #[error("{0:?} cannot have a shim: give the plain name of a program, such as terraform")]
    Name(String),
    /// Something else stands there.
    #[error("{} is not a shim of recourse's; it was left alone", .0.display())]
    Foreign(PathBuf),
}

/// The folder of shims.
#[derive(Clone, Debug)]
pub struct Shims(PathBuf);

impl Shims {
    /// Below our own folder of data.
    pub fn below(data: &Path) -> Self {
        Self(data.join("shims"))
    }

    /// Where they stand.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Makes a shim that starts `program`, which is us. False: it is there already.
    ///
    /// # Errors
    /// [`ShimError`].
    pub fn add(&self, name: &str, program: &str) -> Result<bool, ShimError> {
        let path = self.path(name)?;
        disk::own_dir(&self.0)?;
        let text = format!(
            "#!/bin/sh\n{MARK}\n{CALLED}={name}\nexport {CALLED}\nexec {} exec -- {name} \"$@\"\n",
            shell_words::quote(program)
        );
        match ours(&path)? {
            Some(there) if there == text => return Ok(false),
            _ => {}
        }
        disk::write_atomic(&path, text.as_bytes(), Access::Private)?;
        fs::set_permissions(&path, Permissions::from_mode(0o700))
            .map_err(|source| ShimError::Io { path, source })?;
        Ok(true)
    }

    /// Removes a shim. False: there is none.
    ///
    /// # Errors
    /// [`ShimError`].
    pub fn remove(&self, name: &str) -> Result<bool, ShimError> {
        let path = self.path(name)?;
        if ours(&path)?.is_none() {
            return Ok(false);
        }
        fs::remove_file(&path).map_err(|source| ShimError::Io { path, source })?;
        Ok(true)
    }

    /// The names that have one.
    ///
    /// # Errors
    /// [`ShimError`].
    pub fn list(&self) -> Result<Vec<String>, ShimError> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(ShimError::Io { path: self.0.clone(), source }),
        };
        let mut names: Vec<String> = entries
            .flatten()
            .filter(|entry| matches!(ours(&entry.path()), Ok(Some(_))))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        order::sort(&mut names);
        Ok(names)
    }

    /// Whether PATH leads to a program of this name through its shim.
    pub fn is_first(&self, name: &str) -> bool {
        let path = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&path).find(|folder| folder.join(name).is_file());
        found.is_some_and(|folder| same(&folder, &self.0))
    }

    fn path(&self, name: &str) -> Result<PathBuf, ShimError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
        // A shim of ours or of the shell that runs it could never start anything.
        let never = ["recourse", "sh", "env"].contains(&name);
        if name.is_empty() || name.starts_with(['-', '.']) || !name.chars().all(plain) || never {
            return Err(ShimError::Name(name.to_owned()));
        }
        Ok(self.0.join(name))
    }
}

/// A shim's text; `None` where nothing stands.
fn ours(path: &Path) -> Result<Option<String>, ShimError> {
    let mut text = String::new();
    match File::open(path) {
        Ok(file) => {
            let read = file.take(1 << 16).read_to_string(&mut text);
            if read.is_err() || !text.contains(MARK) {
                return Err(ShimError::Foreign(path.to_owned()));
            }
            Ok(Some(text))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ShimError::Io { path: path.to_owned(), source }),
    }
}

fn same(one: &Path, other: &Path) -> bool {
    one == other || matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(a), Ok(b)) if a == b)
}

/// Whether a shim called us.
pub(super) fn is_calling() -> bool {
    env::var_os(CALLED).is_some()
}

/// What the search for a program has to leave out, and what the program is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Behind {
    folder: Option<PathBuf>,
    /// Files that this very process, or the script that started it, came from.
    over: Vec<PathBuf>,
    chain: Vec<OsString>,
    called: bool,
}

impl Behind {
    /// As the environment tells.
    pub(super) fn now() -> Self {
        let chain: Vec<OsString> = env::var_os(CHAIN)
            .unwrap_or_default()
            .as_bytes()
            .split(|byte| *byte == b'\n')
            .filter(|entry| !entry.is_empty())
            .map(|entry| OsStr::from_bytes(entry).to_owned())
            .collect();
        let own = std::process::id().to_string();
        let parent = nix::unistd::getppid().to_string();
        let over = chain.iter().filter_map(|entry| {
            let bytes = entry.as_bytes();
            let at = bytes.iter().position(|byte| *byte == b':')?;
            let (process, file) = (&bytes[..at], PathBuf::from(OsStr::from_bytes(&bytes[at + 1..])));
            // A script that replaced itself by its own name, or that starts it.
            (process == own.as_bytes() || (process == parent.as_bytes() && is_script(&file))).then_some(file)
        });
        Self {
            folder: crate::config::user_places()
                .map(|places| Shims::below(&places.data).0)
                .filter(|ours| ours.is_dir()),
            over: over.collect(),
            called: is_calling(),
            chain,
        }
    }

    /// Whether shims take part: what they start is told of by the number of its process.
    #[cfg(target_os = "linux")]
    pub(super) fn is_any(&self) -> bool {
        self.called || !self.chain.is_empty()
    }

    /// Whether a shim called us, or there is one that this name could lead to.
    pub(super) fn is_in_the_way(&self, name: &OsStr) -> bool {
        self.called || self.folder.as_ref().is_some_and(|ours| ours.join(name).symlink_metadata().is_ok())
    }

    /// Whether a folder of PATH is that of the shims.
    pub(super) fn is_ours(&self, folder: &Path) -> bool {
        self.folder.as_deref().is_some_and(|ours| folder.is_absolute() && same(folder, ours))
    }

    /// Whether a file is a shim, wherever its folder is: with another HOME than the one it was made with, it still is none
    /// to be gone through again.
    pub(super) fn is_one(&self, file: &Path) -> bool {
        self.called && matches!(ours(file), Ok(Some(_)))
    }

    /// Whether a file was gone through already.
    pub(super) fn is_over(&self, file: &Path) -> bool {
        self.over.iter().any(|over| over == file)
    }

    /// Whether programs behind shims start one another without end.
    pub(super) fn is_too_deep(&self) -> bool {
        self.called && self.chain.len() >= DEEPEST
    }

    /// What the program that is started is told: variables to set, and to take away.
    pub(super) fn told(&self, file: &Path) -> Option<(&'static str, OsString, &'static str)> {
        if !self.called {
            return None;
        }
        let mut entry = OsString::from(format!("{}:", std::process::id()));
        entry.push(file);
        let mut chain = OsString::new();
        for link in self.chain.iter().chain([&entry]) {
            chain.push(link);
            chain.push("\n");
        }
        Some((CHAIN, chain, CALLED))
    }
}

fn is_script(file: &Path) -> bool {
    let mut head = [0; 2];
    File::open(file).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *b"#!"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shims_are_made_listed_and_removed() {
        let data = tempfile::tempdir().unwrap();
        let shims = Shims::below(data.path());
        assert!(shims.list().unwrap().is_empty());
        assert!(shims.add("terraform", "/opt/my tools/recourse").unwrap());
        assert!(!shims.add("terraform", "/opt/my tools/recourse").unwrap());
        assert_eq!(shims.list().unwrap(), ["terraform"]);
        let text = fs::read_to_string(shims.folder().join("terraform")).unwrap();
        assert!(text.ends_with("exec '/opt/my tools/recourse' exec -- terraform \"$@\"\n"), "{text}");
        for name in ["", "../x", "a/b", "-x", "recourse", "a b", ".x", "sh"] {
            assert!(matches!(shims.add(name, "/r"), Err(ShimError::Name(_))), "{name}");
        }
        fs::write(shims.folder().join("mine"), "#!/bin/sh\n").unwrap();
        assert!(matches!(shims.add("mine", "/r"), Err(ShimError::Foreign(_))));
        assert!(matches!(shims.remove("mine"), Err(ShimError::Foreign(_))));
        assert!(shims.remove("terraform").unwrap());
        assert!(!shims.remove("terraform").unwrap());
    }
}
