//! The time at which the last line of a shell was judged: proof for `doctor` that its hook works, which a variable is not.
//!
//! One empty file for each shell, named by its process, whose time of change counts.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::sys::signal::kill;
use nix::unistd::Pid;

use crate::attest::disk::private_dir;

/// Files of shells that are gone are taken away when there are more.
const MANY: usize = 32;

/// What the hook of the shell at hand said when it was loaded: `shell:extent:process`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The shell's name.
    pub shell: String,
    /// `full` or `partial`.
    pub extent: String,
    /// Its process.
    pub process: i32,
}

impl Loaded {
    /// Reads it from the environment.
    pub fn here() -> Option<Self> {
        Self::read(&env::var("RECOURSE_SHELL_HOOK").ok()?)
    }

    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (shell, extent, process) = (parts.next()?, parts.next()?, parts.next()?);
        let process = process.parse().ok().filter(|process| *process > 0)?;
        Some(Self { shell: shell.to_owned(), extent: extent.to_owned(), process })
    }
}

fn folder(state: &Path) -> PathBuf {
    state.join("shells")
}

/// A line was judged now. That it cannot be noted changes nothing.
pub fn note(state: &Path, shell: &Loaded) {
    let folder = folder(state);
    let file = folder.join(shell.process.to_string());
    let now = SystemTime::now();
    let touched = File::options().write(true).open(&file).and_then(|file| file.set_modified(now));
    if touched.is_err() && private_dir(&folder).is_ok() {
        sweep(&folder);
        let _ = File::create_new(&file);
    }
}

/// How long ago the last line of a shell was judged.
pub fn last(state: &Path, process: i32) -> Option<Duration> {
    let changed = fs::metadata(folder(state).join(process.to_string())).ok()?.modified().ok()?;
    Some(SystemTime::now().duration_since(changed).unwrap_or_default())
}

/// Takes away what shells left that are gone.
fn sweep(folder: &Path) {
    let entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
    if entries.len() <= MANY {
        return;
    }
    for entry in entries {
        let process = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok());
        if process.is_none_or(|process| kill(Pid::from_raw(process), None).is_err()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_leaves_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let shell = Loaded::read("bash:full:4711").unwrap();
        assert_eq!(last(folder.path(), 4711), None);
        note(folder.path(), &shell);
        let file = folder.path().join("shells/4711");
        File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_modified(SystemTime::now() - Duration::from_secs(900))
            .unwrap();
        assert!(last(folder.path(), 4711).unwrap() > Duration::from_secs(800));
        note(folder.path(), &shell);
        assert!(last(folder.path(), 4711).unwrap() < Duration::from_secs(800));
        assert_eq!(Loaded::read("bash:full:-1"), None);
        assert_eq!(Loaded::read("bash"), None);
    }

    #[test]
    fn shells_that_are_gone_leave_nothing_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        for process in 0..40 {
            note(folder.path(), &Loaded::read(&format!("zsh:full:{}", 2_000_000_000 + process)).unwrap());
        }
        let left = fs::read_dir(folder.path().join("shells")).unwrap().count();
        assert!(left <= MANY + 1, "{left}");
    }
}
