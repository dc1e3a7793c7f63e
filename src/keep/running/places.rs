//! Where what a running program names really is: its own directory and descriptors, links on the way resolved.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;

use super::kernel::{self, HERE, Named};

/// Where nothing stands that could be kept.
const NO_FILES: [&str; 3] = ["/proc", "/dev", "/sys"];
/// Where what stands is taken away by the system.
const FLEETING: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/run"];

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
    (path.is_absolute() && !NO_FILES.iter().any(|dir| path.starts_with(dir))).then_some(path)
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

/// Whether the program sees the same files under the same names as we do.
pub(super) fn is_ours(thread: Pid) -> bool {
    let same = |what: &str| {
        let of = |who: &str| fs::read_link(format!("/proc/{who}/{what}")).ok();
        of(&thread.to_string()).is_some_and(|theirs| of("self") == Some(theirs))
    };
    same("ns/mnt") && same("root")
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
    let below = |dir: &Path| path.starts_with(dir);
    own.is_some_and(|dir| below(&dir)) || FLEETING.iter().any(|dir| below(Path::new(dir)))
}
