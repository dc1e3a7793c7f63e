//! The machine itself.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::unistd::{AccessFlags, Uid, User, access};
use sha2::{Digest, Sha256};

use crate::order;

use super::{Entry, FileKind, LookError, Meta, Query, Seen, World, ask, lossy, private, scan};

/// The machine that the process runs on.
#[derive(Debug)]
pub struct RealWorld {
    start: Instant,
    environment: Option<BTreeMap<String, String>>,
    for_others: bool,
}

impl Default for RealWorld {
    fn default() -> Self {
        Self::new()
    }
}

impl RealWorld {
    /// The machine with this process's environment.
    pub fn new() -> Self {
        Self { start: Instant::now(), environment: None, for_others: false }
    }

    /// The machine as a command sees it that runs with this environment and no other.
    pub fn with_environment(environment: BTreeMap<String, String>) -> Self {
        Self { start: Instant::now(), environment: Some(environment), for_others: false }
    }

    /// The machine for somebody else who asks: what only this process's user may see stays closed.
    pub fn for_others() -> Self {
        Self { for_others: true, ..Self::new() }
    }

    /// Where a file really stands that may be followed and spoken of.
    fn telling(&self, path: &Path) -> Result<PathBuf, LookError> {
        // What a link leads to counts, and so does its own name.
        let real = self.canonicalize(path)?;
        if private::is_named(path) || private::is_named(&real) {
            return Err(LookError::Private);
        }
        if self.for_others && private::is_for_its_owner(&self.stat(&real)?, self.uid()) {
            return Err(LookError::Private);
        }
        Ok(real)
    }

    /// What the guard itself keeps is nobody else's business, names and sizes included.
    fn open(&self, path: &Path) -> Result<(), LookError> {
        if self.for_others && private::is_own(path) { Err(LookError::Private) } else { Ok(()) }
    }
}

impl World for RealWorld {
    fn lstat(&self, path: &Path) -> Result<Meta, LookError> {
        self.open(path)?;
        let found = fs::symlink_metadata(lossy::meant(path).as_deref().unwrap_or(path));
        found.map(|found| meta(&found)).map_err(|error| look_error(path, &error))
    }

    fn stat(&self, path: &Path) -> Result<Meta, LookError> {
        self.open(path)?;
        let found = fs::metadata(lossy::meant(path).as_deref().unwrap_or(path));
        found.map(|found| meta(&found)).map_err(|error| look_error(path, &error))
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, LookError> {
        let found = fs::read_link(lossy::meant(path).as_deref().unwrap_or(path));
        found.map_err(|error| look_error(path, &error))
    }

    fn read_dir(&self, path: &Path, limit: usize) -> Result<Vec<Entry>, LookError> {
        self.open(path)?;
        told(path, scan::names(lossy::meant(path).as_deref().unwrap_or(path), limit))
    }

    fn read_dirs(&self, paths: &[&Path], limit: usize) -> Vec<Result<Vec<Entry>, LookError>> {
        if paths.iter().any(|path| is_lossy(path) || self.for_others && private::is_own(path)) {
            return paths.iter().map(|path| self.read_dir(path, limit)).collect();
        }
        scan::all_names(paths, limit)
    }

    fn scan(&self, path: &Path, limit: usize) -> Result<Vec<Seen>, LookError> {
        self.open(path)?;
        told(path, scan::one(lossy::meant(path).as_deref().unwrap_or(path), limit, true))
    }

    fn scan_all(&self, paths: &[&Path], limit: usize) -> Vec<Option<Result<Vec<Seen>, LookError>>> {
        if paths.iter().any(|path| is_lossy(path) || self.for_others && private::is_own(path)) {
            return paths.iter().map(|path| Some(self.scan(path, limit))).collect();
        }
        scan::all(paths, limit)
    }

    fn read_file(&self, path: &Path, limit: u64) -> Result<Vec<u8>, LookError> {
        if private::is_own(path) {
            return Err(LookError::Private);
        }
        let (file, size) = open_file(path, limit)?;
        let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        file.take(limit.saturating_add(1))
            .read_to_end(&mut content)
            .map_err(|error| look_error(path, &error))?;
        if content.len() as u64 > limit { Err(LookError::TooLarge) } else { Ok(content) }
    }

    fn read_settings(&self, path: &Path, limit: u64) -> Result<String, LookError> {
        if self.for_others {
            return self.read_text(path, limit);
        }
        let text = String::from_utf8_lossy(&self.read_file(path, limit)?).into_owned();
        if private::holds_a_key(&text) { Err(LookError::Private) } else { Ok(text) }
    }

    fn read_text(&self, path: &Path, limit: u64) -> Result<String, LookError> {
        let real = self.telling(path)?;
        let text = String::from_utf8(self.read_file(&real, limit)?)
            .map_err(|_| LookError::Other("not text".to_owned()))?;
        if private::holds_a_key(&text) { Err(LookError::Private) } else { Ok(text) }
    }

    fn digest(&self, path: &Path, limit: u64) -> Result<[u8; 32], LookError> {
        let (file, _) = open_file(&self.telling(path)?, limit)?;
        sha256(file, limit).map_err(|error| look_error(path, &error))?.ok_or(LookError::TooLarge)
    }

    fn is_for_others(&self) -> bool {
        self.for_others
    }

    fn canonicalize(&self, path: &Path) -> Result<PathBuf, LookError> {
        let found = match lossy::meant(path) {
            // As everywhere else it is text.
            Some(real) => fs::canonicalize(real).map(|real| real.to_string_lossy().into_owned().into()),
            None => fs::canonicalize(path),
        };
        found.map_err(|error| look_error(path, &error))
    }

    fn writable(&self, path: &Path) -> bool {
        match lossy::meant(path) {
            Some(real) => access(&real, AccessFlags::W_OK).is_ok(),
            // What cannot be found may be written by whoever finds it.
            None => access(path, AccessFlags::W_OK).is_ok() || is_lossy(path) && self.lstat(path).is_err(),
        }
    }

    fn env(&self, name: &str) -> Option<String> {
        match &self.environment {
            Some(known) => known.get(name).cloned(),
            None => std::env::var(name).ok(),
        }
    }

    fn env_names(&self) -> Vec<String> {
        match &self.environment {
            Some(known) => known.keys().cloned().collect(),
            None => self.environment().into_iter().map(|(name, _)| name).collect(),
        }
    }

    fn environment(&self) -> Vec<(String, Option<String>)> {
        match &self.environment {
            Some(known) => known.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect(),
            None => {
                let mut found: Vec<_> = std::env::vars_os()
                    .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok())))
                    .collect();
                // The first of a name counts, as it does for `env`.
                order::by(&mut found, |a, b| a.0.cmp(&b.0));
                found.dedup_by(|later, first| later.0 == first.0);
                found
            }
        }
    }

    fn home(&self, user: Option<&str>) -> Option<PathBuf> {
        match user {
            Some(name) => User::from_name(name).ok().flatten().map(|found| found.dir),
            None => self
                .env("HOME")
                .map(PathBuf::from)
                .filter(|home| home.is_absolute())
                .or_else(|| User::from_uid(nix::unistd::geteuid()).ok().flatten().map(|found| found.dir)),
        }
    }

    fn user(&self) -> String {
        User::from_uid(nix::unistd::geteuid())
            .ok()
            .flatten()
            .map_or_else(|| self.uid().to_string(), |found| found.name)
    }

    fn uid(&self) -> u32 {
        Uid::effective().as_raw()
    }

    fn mounts(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = mount_table();
        order::by(&mut found, |a, b| b.as_os_str().len().cmp(&a.as_os_str().len()).then(a.cmp(b)));
        found.dedup();
        found
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn ask(&self, query: &Query, timeout: Duration) -> Result<Vec<u8>, LookError> {
        ask::ask(query, timeout, &|name| match name {
            "HOME" => self.home(None).and_then(|home| home.into_os_string().into_string().ok()),
            name => self.env(name),
        })
    }
}

/// Opens a regular file of at most `limit` bytes; and its size.
fn open_file(path: &Path, limit: u64) -> Result<(fs::File, u64), LookError> {
    // Without O_NONBLOCK opening a pipe waits for a writer; O_NOCTTY keeps a terminal from becoming ours.
    let file = fs::OpenOptions::new()
        .read(true)
        .custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).bits())
        .open(lossy::meant(path).as_deref().unwrap_or(path))
        .map_err(|error| look_error(path, &error))?;
    let found = file.metadata().map_err(|error| look_error(path, &error))?;
    if !found.is_file() {
        return Err(LookError::Other("not a regular file".to_owned()));
    }
    if found.len() > limit { Err(LookError::TooLarge) } else { Ok((file, found.len())) }
}

/// SHA-256 of what is read; `None` when it is more than `limit` bytes.
pub(crate) fn sha256(mut source: impl Read, limit: u64) -> std::io::Result<Option<[u8; 32]>> {
    let mut hash = Sha256::new();
    let mut read = 0;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(Some(hash.finalize().into())),
            Ok(count) => {
                read += count as u64;
                if read > limit {
                    return Ok(None);
                }
                hash.update(buffer.get(..count).unwrap_or_default());
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn is_lossy(path: &Path) -> bool {
    path.to_string_lossy().contains(char::REPLACEMENT_CHARACTER)
}

/// That a directory is not there says nothing where its name is not known byte for byte: it was just another one.
fn told<T>(path: &Path, found: Result<T, LookError>) -> Result<T, LookError> {
    match found {
        Err(LookError::NotFound) if is_lossy(path) => {
            Err(LookError::Other("a name in it is not valid text".to_owned()))
        }
        found => found,
    }
}

pub(super) fn entry(item: &fs::DirEntry, kind: FileKind) -> Entry {
    match item.file_name().into_string() {
        Ok(name) => Entry { name, exact: true, kind },
        Err(raw) => Entry { name: raw.to_string_lossy().into_owned(), exact: false, kind },
    }
}

pub(super) fn file_kind(found: &fs::FileType) -> FileKind {
    if found.is_file() {
        FileKind::File
    } else if found.is_dir() {
        FileKind::Directory
    } else if found.is_symlink() {
        FileKind::Symlink
    } else if found.is_block_device() {
        FileKind::BlockDevice
    } else if found.is_char_device() {
        FileKind::CharDevice
    } else {
        FileKind::Other
    }
}

pub(super) fn meta(found: &fs::Metadata) -> Meta {
    Meta {
        kind: file_kind(&found.file_type()),
        size: found.size(),
        links: found.nlink(),
        id: (found.dev(), found.ino()),
        mode: found.mode() & 0o7777,
        owner: (found.uid(), found.gid()),
        modified: (found.mtime(), u32::try_from(found.mtime_nsec()).unwrap_or(0)),
        changed: (found.ctime(), u32::try_from(found.ctime_nsec()).unwrap_or(0)),
        accessed: found.atime(),
    }
}

/// Longest path that the kernel takes in one piece, in bytes (the least of the supported systems).
const PATH_LENGTH: usize = 1024;
/// Longest name that any file system has, in bytes.
const NAME_LENGTH: usize = 1024;

/// Places of the system, and directories in them that every machine has.
const STANDARD: [(&str, &str); 4] =
    [("/var", "/var/lib"), ("/var", "/var/log"), ("/srv", "/srv"), ("/opt", "/opt")];

/// Whether a place of the system is not there because a sandbox leaves it out: then that nothing is there says nothing
/// about the machine. What passes is no such place.
fn is_hidden(path: &Path) -> bool {
    let passing = ["/var/tmp", "/var/run", "/var/lock"];
    cfg!(target_os = "linux")
        && !passing.iter().any(|place| path.starts_with(place))
        && STANDARD.iter().any(|(place, always)| {
            path.starts_with(place)
                && fs::symlink_metadata(always).is_err_and(|error| error.kind() == ErrorKind::NotFound)
        })
}

/// `ENOTDIR` counts as "nothing there": no file can exist below a file.
pub(super) fn look_error(path: &Path, error: &std::io::Error) -> LookError {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory if is_hidden(path) => {
            LookError::Other("not all of this machine can be seen from here".to_owned())
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory => LookError::NotFound,
        ErrorKind::PermissionDenied => LookError::Denied,
        _ => match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::ELOOP) => LookError::Loop,
            // A name that is too long or holds a NUL cannot exist. A path that is too long as a whole can: programs that
            // walk a tree never spell it out.
            Some(Errno::ENAMETOOLONG) if path.as_os_str().len() < PATH_LENGTH => LookError::NotFound,
            Some(Errno::ENAMETOOLONG) if path.iter().any(|name| name.len() > NAME_LENGTH) => {
                LookError::NotFound
            }
            Some(Errno::ENAMETOOLONG) => LookError::Other("the path is too long to be looked at".to_owned()),
            None if error.kind() == ErrorKind::InvalidInput => LookError::NotFound,
            _ => LookError::Other(error.to_string().to_lowercase()),
        },
    }
}

#[cfg(target_os = "linux")]
fn mount_table() -> Vec<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let Ok(text) = fs::read("/proc/self/mounts") else { return Vec::new() };
    text.split(|byte| *byte == b'\n')
        .filter_map(|line| line.split(|byte| *byte == b' ').nth(1))
        .map(|field| PathBuf::from(std::ffi::OsStr::from_bytes(&unescape_octal(field))))
        .collect()
}

/// Without `/proc`: what the usual places for mounted volumes hold. Evidence compares device numbers as well.
#[cfg(not(target_os = "linux"))]
fn mount_table() -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("/")];
    if let Ok(entries) = fs::read_dir("/Volumes") {
        found.extend(entries.flatten().map(|item| item.path()));
    }
    found
}

/// Blanks in `/proc/self/mounts` are written as `\040`.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn unescape_octal(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, tail)) = rest.split_first() {
        if let (b'\\', Some(digits)) = (first, tail.get(..3))
            && digits.iter().all(|d| (b'0'..=b'7').contains(d))
        {
            let value = digits.iter().fold(0_u32, |sum, d| sum * 8 + u32::from(d - b'0'));
            plain.push(u8::try_from(value).unwrap_or(b'?'));
            rest = &tail[3..];
        } else {
            plain.push(*first);
            rest = tail;
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_below_a_file_is_not_found_and_a_circle_is_a_loop() {
        let home = tempfile::tempdir().unwrap();
        let world = RealWorld::new();
        fs::write(home.path().join("file"), "x").unwrap();
        symlink("circle", home.path().join("circle")).unwrap();
        assert_eq!(world.lstat(&home.path().join("file/below")), Err(LookError::NotFound));
        assert_eq!(world.stat(&home.path().join("circle")), Err(LookError::Loop));
        assert_eq!(world.lstat(&home.path().join("circle")).unwrap().kind, FileKind::Symlink);
        assert_eq!(world.lstat(Path::new("/with\0nul")), Err(LookError::NotFound));
    }

    #[test]
    fn reading_never_waits_on_a_pipe_and_stops_at_the_limit() {
        let home = tempfile::tempdir().unwrap();
        let world = RealWorld::new();
        let pipe = home.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(matches!(world.read_file(&pipe, 10), Err(LookError::Other(_))));
        assert!(matches!(world.read_file(Path::new("/dev/zero"), 10), Err(LookError::Other(_))));
        let file = home.path().join("file");
        fs::write(&file, "0123456789").unwrap();
        assert_eq!(world.read_file(&file, 9), Err(LookError::TooLarge));
        assert_eq!(world.read_file(&file, 10).unwrap(), b"0123456789");
    }

    #[test]
    fn directories_are_sorted_and_bounded_and_say_which_names_are_not_exact() {
        let home = tempfile::tempdir().unwrap();
        let world = RealWorld::new();
        for name in ["b", "a", "c"] {
            fs::write(home.path().join(name), name).unwrap();
        }
        assert_eq!(world.read_dir(home.path(), 2), Err(LookError::TooLarge));
        fs::write(home.path().join(std::ffi::OsStr::from_bytes(b"d\xff")), "").unwrap();
        let names: Vec<_> =
            world.read_dir(home.path(), 9).unwrap().into_iter().map(|e| (e.name, e.exact)).collect();
        let plain = |name: &str| (name.to_owned(), true);
        assert_eq!(names, [plain("a"), plain("b"), plain("c"), ("d\u{fffd}".to_owned(), false)]);
        let scanned = world.scan(home.path(), 9).unwrap();
        assert_eq!(scanned.len(), 4);
        assert_eq!(scanned[0].1.as_ref().unwrap().size, 1);
    }

    #[test]
    fn a_path_too_long_to_spell_out_is_not_taken_for_nothing() {
        let home = tempfile::tempdir().unwrap();
        let world = RealWorld::new();
        let mut long = home.path().to_owned();
        for _ in 0..40 {
            long.push("n".repeat(200));
        }
        // The kernel gives up on it as a whole, before it looks.
        assert!(matches!(world.lstat(&long), Err(LookError::Other(_))));
        assert_eq!(world.lstat(&home.path().join("n".repeat(300))), Err(LookError::NotFound));
    }

    #[test]
    fn a_given_environment_replaces_the_process_s_own() {
        let world = RealWorld::with_environment([("HOME".to_owned(), "/h".to_owned())].into());
        assert_eq!(world.env("PATH"), None);
        assert_eq!(world.home(None), Some(PathBuf::from("/h")));
        assert_eq!(world.env_names(), ["HOME"]);
    }

    #[test]
    fn mount_points_may_hold_blanks() {
        assert_eq!(unescape_octal(br"/mnt/my\040disk\134x"), b"/mnt/my disk\\x");
        assert_eq!(unescape_octal(br"a\04"), br"a\04");
    }
}
