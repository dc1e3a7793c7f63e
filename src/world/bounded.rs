//! A program run to its end, within a time and a size.
//!
//! Owns how it is stopped: with everything that it started, when it takes too long or says too much.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::LookError;

/// What is kept of a program's complaints.
const COMPLAINTS: u64 = 64 << 10;

/// What a program said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// Its standard output, whole.
    pub(crate) output: Vec<u8>,
    /// The beginning of its standard error, where that is listened to.
    pub(crate) complaints: Vec<u8>,
    /// It ended with status 0.
    pub(crate) success: bool,
}

/// Runs a command without standard input, in a process group of its own.
///
/// # Errors
/// [`LookError::Deadline`] and [`LookError::TooLarge`] when it was killed for that; [`LookError::Other`] when it could not be
/// started or read.
pub(crate) fn run(mut command: Command, timeout: Duration, limit: u64) -> Result<Said, LookError> {
    let other = |error: std::io::Error| LookError::Other(error.to_string().to_lowercase());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(other)?;
    let end = Instant::now() + timeout;
    let (Some(output), complaints) = (child.stdout.take(), child.stderr.take()) else {
        stop(&mut child);
        return Err(LookError::Other("no output to read".to_owned()));
    };
    let complaints = complaints.map(|pipe| read(pipe, COMPLAINTS, true));
    let left = || end.saturating_duration_since(Instant::now());
    let output = match read(output, limit + 1, false).recv_timeout(left()) {
        Ok(Ok(output)) if output.len() as u64 > limit => {
            stop(&mut child);
            return Err(LookError::TooLarge);
        }
        Ok(Ok(output)) => output,
        Ok(Err(error)) => {
            stop(&mut child);
            return Err(other(error));
        }
        Err(_) => {
            stop(&mut child);
            return Err(LookError::Deadline);
        }
    };
    // It may close its output and go on.
    let (sender, receiver) = mpsc::channel();
    let group = child.id();
    std::thread::spawn(move || {
        let _ = sender.send(child.wait());
    });
    let status = match receiver.recv_timeout(left()) {
        Ok(status) => status.map_err(other)?,
        Err(_) => {
            kill(group);
            return Err(LookError::Deadline);
        }
    };
    let complaints = complaints.and_then(|told| told.recv_timeout(left()).ok()).and_then(Result::ok);
    Ok(Said { output, complaints: complaints.unwrap_or_default(), success: status.success() })
}

/// Reads in a thread of its own: reading a pipe has no deadline. `drain`: what is beyond the limit is read and forgotten.
fn read(
    mut pipe: impl Read + Send + 'static,
    limit: u64,
    drain: bool,
) -> mpsc::Receiver<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.by_ref().take(limit).read_to_end(&mut bytes);
        if drain {
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        }
        // The receiver is gone after a timeout; nothing is left to tell then.
        let _ = sender.send(read.map(|_| bytes));
    });
    receiver
}

/// Kills the child with everything it started. Failure means that it is gone already.
fn stop(child: &mut Child) {
    kill(child.id());
    let _ = child.kill();
    let _ = child.wait();
}

fn kill(group: u32) {
    if let Ok(group) = i32::try_from(group) {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}
