//! The access log's file: opened, written by a thread of its own, moved on when it is full.
//!
//! Owns the file and its older ones. Nobody who asks for something waits for it: where it cannot be written (a full disk, a
//! reader that takes nothing), lines are left out, that is said once, and counted.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;

use crate::text::{count, escape};

/// Lines that wait for the disk, at most.
const WAITING: usize = 4096;
/// Older files that are kept: `FILE.1`, the newest of them, to `FILE.8`.
const KEPT: u32 = 8;
/// How often it is looked whether somebody else moved the file away.
const LOOKS: Duration = Duration::from_secs(1);
/// How long the last lines may take at the end.
const END: Duration = Duration::from_secs(2);

enum Said {
    Line(String),
    /// The end: everything before it is to be written.
    End(SyncSender<()>),
}

/// Where lines go.
#[derive(Debug)]
pub struct AccessLog {
    lines: SyncSender<Said>,
    lost: Arc<AtomicU64>,
}

impl AccessLog {
    /// Opens a file to add lines to it; at `limit` bytes it becomes `FILE.1`, and a new one is begun. No limit: nobody does that here.
    ///
    /// # Errors
    /// When it cannot be opened, or others can write to it.
    pub fn open(path: &Path, limit: Option<u64>) -> io::Result<Self> {
        let lost = Arc::new(AtomicU64::new(0));
        let file = open(path)?;
        let size = file.metadata()?.len();
        let looked = Instant::now();
        let writer = Writer {
            path: path.to_owned(),
            limit,
            file,
            size,
            looked,
            torn: false,
            failed: 0,
            lost: Arc::clone(&lost),
        };
        let (lines, waiting) = sync_channel(WAITING);
        thread::Builder::new().name("access log".to_owned()).spawn(move || writer.run(&waiting))?;
        Ok(Self { lines, lost })
    }

    /// Hands a line over; one too many is left out.
    pub(super) fn write(&self, line: String) {
        if self.lines.try_send(Said::Line(line)).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many lines were left out since the start.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Waits for what was handed over, for a moment.
    pub(super) fn finish(&self) {
        let (done, is_done) = sync_channel(1);
        if self.lines.try_send(Said::End(done)).is_ok() {
            let _ = is_done.recv_timeout(END);
        }
    }
}

/// Opened to add to it; what others can write to is no record.
fn open(path: &Path) -> io::Result<File> {
    let mut how = OpenOptions::new();
    how.append(true).create(true).mode(0o600).custom_flags(OFlag::O_NOFOLLOW.bits());
    let file = how.open(path)?;
    let meta = file.metadata()?;
    if meta.is_file() && meta.permissions().mode() & 0o022 != 0 {
        return Err(io::Error::other("others can write to it; make it private with chmod go-w"));
    }
    Ok(file)
}

struct Writer {
    path: PathBuf,
    limit: Option<u64>,
    file: File,
    size: u64,
    /// When it was last looked whether the file is still the one of that name.
    looked: Instant,
    /// A line was written by half.
    torn: bool,
    /// Lines that could not be written since that was said.
    failed: u64,
    lost: Arc<AtomicU64>,
}

impl Writer {
    fn run(mut self, waiting: &Receiver<Said>) {
        while let Ok(said) = waiting.recv() {
            match said {
                Said::Line(line) => self.line(&line),
                Said::End(done) => {
                    let _ = done.send(());
                }
            }
        }
    }

    fn line(&mut self, line: &str) {
        match self.add(line) {
            Ok(()) if self.failed > 0 => {
                let lines = count(self.failed, "line");
                self.say(&format!("can be written again; {lines} are missing"));
                self.failed = 0;
            }
            Ok(()) => {}
            Err(error) => {
                self.lost.fetch_add(1, Ordering::Relaxed);
                self.failed += 1;
                // Once, until it can be written again.
                if self.failed == 1 {
                    self.say(&format!(
                        "cannot be written ({error}): requests are answered, and lines are missing"
                    ));
                }
            }
        }
    }

    fn add(&mut self, line: &str) -> io::Result<()> {
        self.look()?;
        let begin = if self.torn { "\n" } else { "" };
        let bytes = format!("{begin}{line}\n").into_bytes();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            match self.file.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    rest = &rest[written..];
                    self.size += written as u64;
                    self.torn = !rest.is_empty();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Begins a new file where this one is full, or is not the one of that name any more.
    fn look(&mut self) -> io::Result<()> {
        let here = self.file.metadata()?;
        if !here.is_file() {
            return Ok(());
        }
        if self.looked.elapsed() >= LOOKS {
            self.looked = Instant::now();
            let there = fs::symlink_metadata(&self.path).ok();
            if there.is_none_or(|there| (there.dev(), there.ino()) != (here.dev(), here.ino())) {
                return self.begin();
            }
        }
        if self.limit.is_some_and(|limit| self.size >= limit) {
            let older = |n: u32| {
                let mut name = self.path.as_os_str().to_owned();
                name.push(format!(".{n}"));
                PathBuf::from(name)
            };
            for n in (1..KEPT).rev() {
                // What is not there need not go on.
                let _ = fs::rename(older(n), older(n + 1));
            }
            if let Err(error) = fs::rename(&self.path, older(1)) {
                self.say(&format!("cannot be moved on ({error}): it grows"));
                self.size = 0;
                return Ok(());
            }
            return self.begin();
        }
        Ok(())
    }

    fn begin(&mut self) -> io::Result<()> {
        self.file = open(&self.path)?;
        self.size = self.file.metadata()?.len();
        self.torn = false;
        Ok(())
    }

    fn say(&self, what: &str) {
        let path = self.path.display().to_string();
        crate::exec::say(&format!("recourse: serve: the access log {} {}", escape(&path), escape(what)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> Vec<String> {
        fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn writes(log: &AccessLog, lines: std::ops::Range<u32>) {
        for n in lines {
            log.write(format!("{{\"n\": {n:04}}}"));
        }
        log.finish();
    }

    #[test]
    fn a_full_file_is_moved_on_and_no_line_is_lost_or_torn() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.jsonl");
        let log = AccessLog::open(&path, Some(100)).unwrap();
        writes(&log, 0..50);
        let mut all = Vec::new();
        for n in (1..=KEPT).rev() {
            all.extend(read(&folder.path().join(format!("access.jsonl.{n}"))));
        }
        all.extend(read(&path));
        assert_eq!(all, (0..50).map(|n| format!("{{\"n\": {n:04}}}")).collect::<Vec<_>>());
        writes(&log, 50..500);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1 + KEPT as usize, "no more are kept");
        assert_eq!(read(&path).last().unwrap(), "{\"n\": 0499}");
        assert_eq!(log.lost(), 0);
    }

    #[test]
    fn who_moves_the_file_away_finds_the_next_lines_in_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let (path, moved) = (folder.path().join("access"), folder.path().join("moved"));
        let log = AccessLog::open(&path, None).unwrap();
        writes(&log, 0..1);
        fs::rename(&path, &moved).unwrap();
        thread::sleep(LOOKS);
        writes(&log, 1..2);
        assert_eq!((read(&moved).len(), read(&path).len()), (1, 1));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_disk_that_is_full_costs_lines_and_nothing_else() {
        let log = AccessLog::open(Path::new("/dev/full"), Some(100)).unwrap();
        writes(&log, 0..3);
        assert_eq!(log.lost(), 3);
    }

    #[test]
    fn a_reader_that_takes_nothing_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let _reader = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let log = AccessLog::open(&path, Some(100)).unwrap();
        let start = Instant::now();
        for _ in 0..2 * WAITING {
            log.write("x".repeat(100));
        }
        assert!(log.lost() > 0 && start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn what_others_can_write_to_is_no_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(AccessLog::open(&path, None).is_err());
        std::os::unix::fs::symlink(&path, folder.path().join("link")).unwrap();
        assert!(AccessLog::open(&folder.path().join("link"), None).is_err());
    }
}
