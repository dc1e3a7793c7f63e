//! Running the commands by which what a service holds is fetched and put back.
//!
//! Owns how such a program is found and run: the one that the user's own command would run, never one that lies in the
//! directory where the command runs, by its words alone and never through a shell, with bounded output and a deadline after
//! which its whole process group is killed.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// What a program says of a failure, at most.
const SAID: u64 = 64 << 10;
/// How long between two looks whether a program has ended.
const PAUSE: Duration = Duration::from_millis(5);
/// Longest answer that is repeated to people.
const REPEATED: usize = 200;

/// Folders of a home that hold programs.
const OWN: [&str; 2] = ["bin", ".local/bin"];
/// Folders of package managers that belong to a user.
const BREWED: [&str; 3] = ["/opt/homebrew/bin", "/opt/local/bin", "/usr/local/bin"];

/// Where and how a command runs.
#[derive(Clone, Debug)]
pub(crate) struct Setting<'a> {
    /// Where.
    pub dir: &'a Path,
    /// Variables that are set, or taken away, beside the user's own.
    pub env: &'a [(String, Option<String>)],
    /// When it is killed.
    pub deadline: Instant,
    /// Most bytes of output.
    pub limit: u64,
}

/// What a command that ended did.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Its standard output.
    pub output: Vec<u8>,
    /// What it said on standard error.
    pub said: String,
    /// It ended with 0.
    pub well: bool,
}

impl Ended {
    /// Why it failed, in its own words.
    pub(crate) fn why(&self, program: &str) -> String {
        let line = self.said.lines().map(str::trim).find(|line| !line.is_empty());
        match line {
            Some(line) => format!("{program}: {}", line.chars().take(REPEATED).collect::<String>()),
            None => format!("{program} failed and does not say why"),
        }
    }
}

/// Runs a command to its end, with this input.
///
/// # Errors
/// In words: it is not installed, does not end, or says too much.
pub(crate) fn run(words: &[String], input: Option<Vec<u8>>, setting: &Setting<'_>) -> Result<Ended, String> {
    let Some((name, rest)) = words.split_first() else { return Err("there is no command".to_owned()) };
    let program = find(name, setting.dir)
        .ok_or_else(|| format!("{name} is not installed where only you or an administrator put programs"))?;
    let failed = |error: io::Error| format!("{name}: {error}");
    let mut command = Command::new(program);
    command.args(rest).current_dir(setting.dir).env("LC_ALL", "C").process_group(0);
    for (variable, value) in setting.env {
        match value {
            Some(value) => command.env(variable, value),
            None => command.env_remove(variable),
        };
    }
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let (output, said) = match (child.stdout.take(), child.stderr.take()) {
        (Some(output), Some(said)) => (reader(output, setting.limit + 1), reader(said, SAID)),
        _ => {
            stop(&mut child);
            return Err(format!("{name}: no output to read"));
        }
    };
    if let (Some(bytes), Some(mut pipe)) = (input, child.stdin.take()) {
        // Whoever reads only part of it says so by its exit status.
        std::thread::spawn(move || pipe.write_all(&bytes));
    }
    let ended = end(&mut child, &output, &said, setting);
    if ended.is_err() {
        stop(&mut child);
    }
    ended.map_err(|why| format!("{name} {why}"))
}

fn end(
    child: &mut Child,
    output: &Receiver<io::Result<Vec<u8>>>,
    said: &Receiver<io::Result<Vec<u8>>>,
    setting: &Setting<'_>,
) -> Result<Ended, String> {
    let left = || setting.deadline.saturating_duration_since(Instant::now());
    let late = || "did not answer in time".to_owned();
    let read = |from: &Receiver<io::Result<Vec<u8>>>| match from.recv_timeout(left()) {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => Err(error.to_string()),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(late()),
    };
    let output = read(output)?;
    if output.len() as u64 > setting.limit {
        return Err(format!("gives more than {}", crate::text::size(setting.limit)));
    }
    let said = read(said)?;
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if left().is_zero() => return Err(late()),
            None => std::thread::sleep(PAUSE),
        }
    };
    Ok(Ended { output, said: String::from_utf8_lossy(&said).into_owned(), well: status.success() })
}

/// Reads a pipe in a thread of its own: reading has no deadline. What is beyond the limit is not waited for.
fn reader(pipe: impl Read + Send + 'static, limit: u64) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.take(limit).read_to_end(&mut bytes);
        // Whoever waited may have given up.
        let _ = sender.send(read.map(|_| bytes));
    });
    receiver
}

/// Kills it with everything it started. Failure means that it is gone already.
fn stop(child: &mut Child) {
    if let Ok(group) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The program's file, as the user's own command would find it, where only an administrator puts programs or a person for
/// themselves. What lies in or below the directory where the command runs does not count, and neither does what leads back to us.
fn find(name: &str, dir: &Path) -> Option<PathBuf> {
    if name.is_empty() || name.contains('/') {
        return None;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let real = |path: &Path| path.canonicalize().ok();
    // What asks may be the program beside, and what stands on PATH leads to the one at the prompt.
    let own = std::env::current_exe().ok();
    let ourselves = own.map(|own| [own.with_file_name("recourse"), own].map(|path| real(&path)));
    // Where a whole home is the working directory, everything of the user's own lies in it.
    let inside = |entry: &Path| match (real(entry), real(dir)) {
        (Some(entry), Some(dir)) => {
            entry.starts_with(&dir)
                && dir.parent().is_some()
                && home.as_deref().is_none_or(|home| home != dir)
        }
        _ => true,
    };
    // A project's folder on PATH holds what the project wants to be run.
    let trusted = |entry: &Path| {
        home.as_deref().is_some_and(|home| OWN.iter().any(|own| home.join(own) == entry))
            || BREWED.contains(&entry.to_str().unwrap_or_default())
            || std::fs::metadata(entry).is_ok_and(|meta| meta.uid() == 0 && meta.mode() & 0o022 == 0)
    };
    std::env::split_paths::<OsStr>(&path)
        .filter(|entry| entry.is_absolute() && !inside(entry) && trusted(entry))
        .map(|entry| entry.join(name))
        .find(|program| {
            let runs = std::fs::metadata(program)
                .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
            runs && ourselves.as_ref().is_none_or(|own| !own.contains(&real(program)))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(text: &str, seconds: f32, limit: u64) -> Result<Ended, String> {
        let dir = tempfile::tempdir().unwrap();
        let deadline = Instant::now() + Duration::from_secs_f32(seconds);
        let setting = Setting { dir: dir.path(), env: &[], deadline, limit };
        run(&["sh", "-c", text].map(str::to_owned), Some(b"in".to_vec()), &setting)
    }

    #[test]
    fn what_it_says_and_how_it_ends_is_told() {
        let ended = sh("cat; echo why >&2; exit 3", 5.0, 10).unwrap();
        assert_eq!(
            (ended.output.as_slice(), ended.why("sh").as_str(), ended.well),
            (&b"in"[..], "sh: why", false)
        );
        assert!(sh("echo 12345678901", 5.0, 10).unwrap_err().contains("more than"));
    }

    #[test]
    fn it_never_hangs() {
        let start = Instant::now();
        for text in ["sleep 30 & sleep 30", "exec >&- 2>&-; sleep 30", "sleep 30 & exit 0"] {
            assert!(sh(text, 0.2, 10).unwrap_err().contains("in time"), "{text}");
        }
        assert!(start.elapsed() < Duration::from_secs(9));
    }

    #[test]
    fn a_program_of_the_working_directory_is_never_run() {
        let here = Path::new("/usr/bin");
        assert_eq!(find("env", here).filter(|path| path.starts_with(here)), None);
        assert!(find("env", Path::new("/nowhere-at-all")).is_none());
        assert!(find("env", Path::new("/")).is_some());
        assert!(find("./env", Path::new("/")).is_none());
    }
}
