//! One question at a time on a terminal: two programs that read from it at once would share the keys by chance.
//!
//! A terminal belongs to one session, so the lock's name is the session's id.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use nix::unistd::getsid;

use crate::attest::disk;
use crate::config;

use super::terminal::Terminal;

/// How often it looks whether the other question is answered.
const PAUSE: Duration = Duration::from_millis(50);

/// The right to ask, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    /// `None` where there is no place for a lock.
    lock: Option<(File, PathBuf)>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some((_, path)) = &self.lock {
            // Still locked: whoever opened it meanwhile sees that it has no name any more and starts anew.
            let _ = fs::remove_file(path);
        }
    }
}

/// Waits for its turn; `None` when it did not come in time.
pub(super) fn take(terminal: &mut Terminal, timeout: Option<Duration>) -> io::Result<Option<Turn>> {
    let (Some(places), Ok(session)) = (config::user_places(), getsid(None)) else {
        return Ok(Some(Turn { lock: None }));
    };
    let folder = places.state.join("questions");
    if disk::private_dir(&places.state).and_then(|()| disk::private_dir(&folder)).is_err() {
        // A home that cannot be written to is no reason not to ask.
        return Ok(Some(Turn { lock: None }));
    }
    let path = folder.join(session.to_string());
    let start = Instant::now();
    let mut said = false;
    loop {
        let opened =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let Ok(file) = opened else { return Ok(Some(Turn { lock: None })) };
        match file.try_lock() {
            Ok(()) => {
                if file.metadata()?.nlink() > 0 {
                    return Ok(Some(Turn { lock: Some((file, path)) }));
                }
                continue;
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(_)) => return Ok(Some(Turn { lock: None })),
        }
        if timeout.is_some_and(|timeout| start.elapsed() >= timeout) {
            return Ok(None);
        }
        if !said {
            terminal.write("recourse: waiting for another question at this terminal\r\n")?;
            said = true;
        }
        thread::sleep(PAUSE);
    }
}
