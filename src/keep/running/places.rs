//! Where what a running program names really is: its own directory and descriptors, links on the way resolved.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;

use crate::knowledge::machine;

use super::super::unread::is_of_the_kernel;
use super::kernel::{self, HERE, Named};

/// The path that a program names, not resolved; none: it cannot be read, or nothing that is kept can stand there.
pub(super) fn named(thread: Pid, named: Named) -> Option<PathBuf> {
    let text = kernel::text(thread, named.text).filter(|text| !text.is_empty())?;
    let path = PathBuf::from(OsString::from_vec(text));
    let path = if path.is_absolute() {
        path
    } else {
        let place = match named.dir {
            HERE => format!("/proc/{thread}/cwd"),
            dir => format!("/proc/{thread}/fd/{dir}"),
        };
        fs::read_link(place).ok()?.join(path)
    };
    (path.is_absolute() && !is_of_the_kernel(&path)).then_some(path)
}

/// The time by the clock that files are dated with: it stands still between two ticks.
pub(super) fn now() -> SystemTime {
    let fine = SystemTime::now();
    let coarse = clock_gettime(ClockId::CLOCK_REALTIME_COARSE).ok().and_then(|now| {
        let (seconds, part) = (u64::try_from(now.tv_sec()).ok()?, u64::try_from(now.tv_nsec()).ok()?);
        UNIX_EPOCH.checked_add(Duration::from_secs(seconds) + Duration::from_nanos(part))
    });
    coarse.unwrap_or(fine)
}

/// Whether the program means the same file by a path as we do: another view of the system may have another one there.
pub(super) fn is_ours(thread: Pid, path: &Path) -> bool {
    let same = |what: &str| {
        let of = |who: &str| fs::read_link(format!("/proc/{who}/{what}")).ok();
        of(&thread.to_string()).is_some_and(|theirs| of("self") == Some(theirs))
    };
    if same("ns/mnt") && same("root") {
        return true;
    }
    let id = |path: &Path| fs::symlink_metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
    let Ok(below) = path.strip_prefix("/") else { return false };
    id(path).is_some_and(|ours| id(&Path::new(&format!("/proc/{thread}/root")).join(below)) == Some(ours))
}

/// Whether it is git that asks: what becomes of its own files it was asked about beforehand.
pub(super) fn is_git(thread: Pid) -> bool {
    let program = fs::read_link(format!("/proc/{thread}/exe"));
    let name = program.ok().and_then(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()));
    name.is_some_and(|name| name == "git" || name.starts_with("git-"))
}

/// The name itself, the way to it resolved.
pub(super) fn name(path: &Path) -> Option<PathBuf> {
    Some(fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?))
}

/// What a repository is made of.
pub(super) fn is_of_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == ".git")
}

/// Whether what stands there is for a while only.
pub(super) fn is_fleeting(path: &Path) -> bool {
    let own = std::env::var_os("TMPDIR").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let (temporary, fleeting) = (machine().temporary.iter(), machine().fleeting.iter());
    own.is_some_and(|dir| path.starts_with(dir)) || temporary.chain(fleeting).any(|dir| path.starts_with(dir))
}
