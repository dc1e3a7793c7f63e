//! Where what a running program names really is: its own directory and descriptors, links on the way resolved.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;

use crate::knowledge::machine;

use super::super::unread::is_of_the_kernel;
use super::kernel::{self, HERE, Named};
use super::views;

/// The path that a program names, in our words, links not resolved; none: it cannot be read, or nothing that is kept can stand
/// there.
pub(super) fn named(thread: Pid, named: Named) -> Option<PathBuf> {
    let text = kernel::text(thread, named.text)?;
    let path = PathBuf::from(OsString::from_vec(text));
    let path = match path.as_os_str().is_empty() {
        // The descriptor itself is meant.
        true => open(thread, named.dir)?,
        false if path.is_absolute() => path,
        false if named.dir == HERE => fs::read_link(format!("/proc/{thread}/cwd")).ok()?.join(path),
        false => open(thread, named.dir)?.join(path),
    };
    if path.starts_with("/sys") || path == Path::new("/dev/null") || path == Path::new("/dev/tty") {
        return None;
    }
    views::ours(thread, path)
}

/// What is open in a program by this descriptor.
pub(super) fn open(thread: Pid, descriptor: i32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{thread}/fd/{descriptor}")).ok().filter(|path| path.is_absolute())
}

/// The same, in our words.
pub(super) fn opened(thread: Pid, descriptor: i32) -> Option<PathBuf> {
    views::ours(thread, open(thread, descriptor)?).filter(|path| !is_of_the_kernel(path))
}

/// Where this leads, links followed to their end.
pub(super) fn end(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().filter(|path| !is_of_the_kernel(path))
}

/// A program into which nobody may look, by its name.
pub(super) fn hidden(thread: Pid) -> Option<String> {
    let shut = fs::read_link(format!("/proc/{thread}/cwd"))
        .is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied);
    let name = || fs::read_to_string(format!("/proc/{thread}/comm")).ok();
    shut.then(name).flatten().map(|name| name.trim_end().to_owned())
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

/// Whether it is git that asks: what becomes of its own files it was asked about beforehand.
pub(super) fn is_git(thread: Pid) -> bool {
    let program = fs::read_link(format!("/proc/{thread}/exe"));
    let name = program.ok().and_then(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()));
    name.is_some_and(|name| name == "git" || name.starts_with("git-"))
}

/// The name itself, the way to it resolved.
pub(super) fn name(path: &Path) -> Option<PathBuf> {
    let found = fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?);
    (!is_of_the_kernel(&found)).then_some(found)
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
