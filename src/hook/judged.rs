//! The time at which the last line of a shell was judged: proof for `doctor` that its hook works, which a variable is not.
//!
//! One file for each shell, named by its process, whose time of change counts. In it stands when each of the last lines was
//! judged, what became of it, and how often it starts `doctor`: of what was typed nothing.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
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

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It ran, and only looks.
    Looked,
    /// It ran, and changes something.
    Ran,
    /// It did not run.
    Refused,
}

/// A line that was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// When looking at it began, in milliseconds since the epoch: what was kept for it is younger.
    pub since: i64,
    /// What became of it; `None` where it was a call of ours.
    pub fate: Option<Fate>,
}

/// Lines that are remembered of a shell.
const LINES: usize = 64;

/// A file beyond this is written anew, with the last lines alone.
const LONG: u64 = 8 << 10;

/// A line was judged now, which starts `doctor` so often. That it cannot be noted changes nothing.
///
/// It is put behind the others: to write the file anew before each command would make a disk wait.
pub fn note(state: &Path, shell: &Loaded, line: Judged, doctors: usize) {
    let folder = folder(state);
    let file = folder.join(shell.process.to_string());
    let fate = match line.fate {
        Some(Fate::Looked) => "looked",
        Some(Fate::Ran) => "ran",
        Some(Fate::Refused) => "refused",
        None => "own",
    };
    let line = format!("{} {fate} {doctors}\n", line.since);
    let opened = match fs::OpenOptions::new().append(true).open(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && private_dir(&folder).is_ok() => {
            sweep(&folder);
            fs::OpenOptions::new().append(true).create(true).mode(0o600).open(&file)
        }
        opened => opened,
    };
    let Ok(mut opened) = opened else { return };
    // Earlier versions left the mode to the umask.
    if opened.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0) {
        let _ = opened.set_permissions(fs::Permissions::from_mode(0o600));
    }
    if opened.write_all(line.as_bytes()).is_ok() && opened.metadata().is_ok_and(|meta| meta.len() > LONG) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let last = &lines[lines.len().saturating_sub(LINES)..];
        let _ = fs::write(&file, format!("{}\n", last.join("\n")));
    }
}

/// Takes one start of `doctor` that the line judged last speaks of. False: that line is another one. A variable may outlive
/// the hook, and so may the note of an earlier line; each start that was judged counts once.
pub fn takes_doctor(state: &Path, process: i32) -> bool {
    let file = folder(state).join(process.to_string());
    let Ok(text) = fs::read_to_string(&file) else { return false };
    let whole = text.trim_end();
    let Some((before, doctors)) = whole.rsplit_once(' ') else { return false };
    let left = doctors.parse::<usize>().ok().and_then(|count| count.checked_sub(1));
    left.is_some_and(|left| fs::write(&file, format!("{before} {left}\n")).is_ok())
}

/// The lines of a shell that were judged since a time, calls of ours left out; the oldest first.
pub fn later(state: &Path, process: i32, time: i64) -> Vec<(i64, Fate)> {
    let text = fs::read_to_string(folder(state).join(process.to_string())).unwrap_or_default();
    let read = |line: &str| {
        let mut words = line.split(' ');
        let (since, fate) = (words.next()?, words.next()?);
        let fate = match fate {
            "looked" => Fate::Looked,
            "ran" => Fate::Ran,
            "refused" => Fate::Refused,
            _ => return None,
        };
        Some((since.parse().ok()?, fate))
    };
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    last.iter().copied().filter_map(read).filter(|(since, _)| *since > time).collect()
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
    use std::fs::File;

    use super::*;

    const RAN: Judged = Judged { since: 10, fate: Some(Fate::Ran) };

    #[test]
    fn each_start_of_doctor_that_was_judged_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let shell = Loaded::read("bash:full:4711").unwrap();
        assert!(!takes_doctor(folder.path(), 4711));
        note(folder.path(), &shell, RAN, 2);
        assert!(takes_doctor(folder.path(), 4711) && takes_doctor(folder.path(), 4711));
        assert!(!takes_doctor(folder.path(), 4711));
        note(folder.path(), &shell, RAN, 1);
        note(folder.path(), &shell, RAN, 0);
        assert!(!takes_doctor(folder.path(), 4711));
    }

    #[test]
    fn what_is_noted_is_closed_to_others_whatever_the_umask() {
        let folder = tempfile::tempdir().unwrap();
        let shell = Loaded::read("bash:full:4711").unwrap();
        let file = folder.path().join("shells/4711");
        let mode = || fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        note(folder.path(), &shell, RAN, 0);
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        note(folder.path(), &shell, RAN, 0);
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn lines_since_a_time_are_told_without_our_own() {
        let folder = tempfile::tempdir().unwrap();
        let shell = Loaded::read("bash:full:4711").unwrap();
        note(folder.path(), &shell, RAN, 0);
        for (since, fate) in [(20, Some(Fate::Looked)), (30, Some(Fate::Refused)), (40, None)] {
            note(folder.path(), &shell, Judged { since, fate }, 1);
        }
        assert!(takes_doctor(folder.path(), 4711));
        assert_eq!(later(folder.path(), 4711, 10), [(20, Fate::Looked), (30, Fate::Refused)]);
        for since in 100..300 {
            note(folder.path(), &shell, Judged { since, fate: Some(Fate::Ran) }, 0);
        }
        assert_eq!(later(folder.path(), 4711, 0).len(), LINES);
        for since in 300..1_000 {
            note(folder.path(), &shell, Judged { since, fate: Some(Fate::Ran) }, 0);
        }
        assert_eq!(later(folder.path(), 4711, 998), [(999, Fate::Ran)]);
        let size = fs::metadata(folder.path().join("shells/4711")).unwrap().len();
        assert!(size <= LONG, "{size} bytes: it grows for ever");
    }

    #[test]
    fn the_last_line_leaves_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let shell = Loaded::read("bash:full:4711").unwrap();
        assert_eq!(last(folder.path(), 4711), None);
        note(folder.path(), &shell, RAN, 0);
        let file = folder.path().join("shells/4711");
        File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_modified(SystemTime::now() - Duration::from_secs(900))
            .unwrap();
        assert!(last(folder.path(), 4711).unwrap() > Duration::from_secs(800));
        note(folder.path(), &shell, RAN, 0);
        assert!(last(folder.path(), 4711).unwrap() < Duration::from_secs(800));
        assert_eq!(Loaded::read("bash:full:-1"), None);
        assert_eq!(Loaded::read("bash"), None);
    }

    #[test]
    fn shells_that_are_gone_leave_nothing_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        for process in 0..40 {
            let shell = Loaded::read(&format!("zsh:full:{}", 2_000_000_000 + process)).unwrap();
            note(folder.path(), &shell, RAN, 0);
        }
        let left = fs::read_dir(folder.path().join("shells")).unwrap().count();
        assert!(left <= MANY + 1, "{left}");
    }
}
