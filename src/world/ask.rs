//! Running the few read-only programs that probes may ask.
//!
//! Owns how such a program is found and run: by absolute path, from fixed directories before `PATH` and never from a
//! relative entry or the directory that is judged, with a cleared environment, no standard input, bounded output and a
//! deadline after which its whole process group is killed.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{LookError, Query, bounded, git};

/// Directories that only an administrator fills, looked at before `PATH`.
const SAFE_DIRECTORIES: &[&str] =
    &["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/opt/homebrew/bin", "/opt/local/bin"];

/// More output than this is an error, not a cut answer.
const OUTPUT_LIMIT: u64 = 64 << 20;

/// Runs the query's program and returns its standard output.
///
/// # Errors
/// [`LookError::NotFound`] when the program is not installed, [`LookError::Deadline`] when it was killed for taking too
/// long, [`LookError::TooLarge`] for too much output, [`LookError::Other`] when it failed.
pub(super) fn ask(
    query: &Query,
    timeout: Duration,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<u8>, LookError> {
    let path = env("PATH");
    match query {
        Query::Git { dir, arguments } => {
            let call = git::harden(arguments, env)?;
            let mut command = prepare("git", path.as_deref(), dir)?;
            command.envs(call.environment).args(call.arguments);
            run(command, timeout)
        }
        Query::Sqlite { database, sql } => {
            let mut command = prepare("sqlite3", path.as_deref(), Path::new("/"))?;
            command.args(["-readonly", "-batch", "-safe", "-init", "/dev/null", "-noheader", "-list"]);
            command.arg(sqlite_uri(database)).arg(sql);
            run(command, timeout)
        }
        Query::PackageOwner { paths } => package_owner(paths, timeout, path.as_deref()),
    }
}

/// A file with a write-ahead log is opened as it stands; any other as immutable, so that not even a lock is taken.
fn sqlite_uri(database: &Path) -> OsString {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let journal = std::fs::metadata(&log).is_ok_and(|found| found.len() > 0);
    let mut uri = String::from("file:");
    for byte in database.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(*byte))
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push_str(if journal { "?mode=ro" } else { "?mode=ro&immutable=1" });
    uri.into()
}

/// One line per path that a package owns: `package<TAB>path<TAB>unchanged|changed`.
fn package_owner(paths: &[PathBuf], timeout: Duration, path: Option<&str>) -> Result<Vec<u8>, LookError> {
    if let Ok(mut command) = prepare("dpkg", path, Path::new("/")) {
        command.arg("-S").arg("--").args(paths);
        // dpkg fails when any path is unowned but still names the others.
        let listing = run_any(command, timeout)?;
        let mut answer = String::new();
        for line in String::from_utf8_lossy(&listing).lines() {
            if let Some((package, owned)) = line.split_once(": ")
                && !package.starts_with("diversion by")
            {
                let package = package.split(", ").next().unwrap_or(package);
                answer.push_str(&format!(
                    "{package}\t{owned}\t{}\n",
                    dpkg_state(package, owned, timeout, path)
                ));
            }
        }
        return Ok(answer.into_bytes());
    }
    let mut answer = String::new();
    for owned in paths {
        let mut command = prepare("rpm", path, Path::new("/"))?;
        command.args(["-qf", "--queryformat", "%{NAME}\n", "--"]).arg(owned);
        if let Ok(name) = run(command, timeout)
            && let Some(package) = String::from_utf8_lossy(&name).lines().next()
        {
            answer.push_str(&format!("{package}\t{}\tunknown\n", owned.display()));
        }
    }
    Ok(answer.into_bytes())
}

/// Whether dpkg's verification has nothing to say about a file.
fn dpkg_state(package: &str, owned: &str, timeout: Duration, path: Option<&str>) -> &'static str {
    let Ok(mut command) = prepare("dpkg", path, Path::new("/")) else { return "unknown" };
    command.args(["--verify", "--", package]);
    match finish(command, timeout) {
        // It failed before it compared anything.
        Ok((report, false)) if report.is_empty() => "unknown",
        Ok((report, _)) if String::from_utf8_lossy(&report).lines().any(|line| line.ends_with(owned)) => {
            "changed"
        }
        Ok(_) => "unchanged",
        Err(_) => "unknown",
    }
}

fn prepare(name: &str, path: Option<&str>, dir: &Path) -> Result<Command, LookError> {
    let program = find(name, path, dir).ok_or(LookError::NotFound)?;
    let mut command = Command::new(program);
    command
        .current_dir(dir)
        .env_clear()
        .env("LC_ALL", "C")
        .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
        .stderr(Stdio::null());
    Ok(command)
}

/// The program's absolute path. An entry of `PATH` counts when it is absolute and not within the directory asked about.
fn find(name: &str, path: Option<&str>, dir: &Path) -> Option<PathBuf> {
    let fixed = SAFE_DIRECTORIES.iter().map(PathBuf::from);
    let listed = path
        .unwrap_or_default()
        .split(':')
        .map(PathBuf::from)
        .filter(|entry| entry.is_absolute() && (dir == Path::new("/") || !entry.starts_with(dir)));
    fixed.chain(listed).map(|entry| entry.join(name)).find(|program| {
        std::fs::metadata(program)
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    })
}

/// A program that a person's own configuration leads to, and nothing in these directories: found as the probes' programs are.
pub(crate) fn trusted(name: &str, path: Option<&str>, apart_from: &[&Path]) -> Option<PathBuf> {
    let apart: Vec<PathBuf> = apart_from.iter().filter_map(|dir| dir.canonicalize().ok()).collect();
    let path: Vec<&str> = path.unwrap_or_default().split(':').collect();
    let outside = |entry: &&str| {
        let entry = Path::new(entry);
        let real = entry.canonicalize().unwrap_or_else(|_| entry.to_owned());
        entry.is_absolute() && !apart.iter().any(|dir| real.starts_with(dir) && dir != Path::new("/"))
    };
    let path: Vec<&str> = path.into_iter().filter(outside).collect();
    let found = find(name, Some(&path.join(":")), Path::new("/"))?;
    let real = found.canonicalize().ok()?;
    (!apart.iter().any(|dir| real.starts_with(dir) && dir != Path::new("/"))).then_some(found)
}

fn run(command: Command, timeout: Duration) -> Result<Vec<u8>, LookError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let (output, success) = finish(command, timeout)?;
    if success { Ok(output) } else { Err(LookError::Other(format!("{name} failed"))) }
}

/// Output whatever the exit status.
fn run_any(command: Command, timeout: Duration) -> Result<Vec<u8>, LookError> {
    finish(command, timeout).map(|(output, _)| output)
}

fn finish(command: Command, timeout: Duration) -> Result<(Vec<u8>, bool), LookError> {
    let said = bounded::run(command, timeout, OUTPUT_LIMIT)?;
    Ok((said.output, said.success))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn shell(text: &str) -> Command {
        let mut command = prepare("sh", None, Path::new("/")).unwrap();
        command.args(["-c", text]);
        command
    }

    #[test]
    fn a_slow_program_is_killed_with_its_children() {
        let start = Instant::now();
        assert_eq!(run(shell("sleep 30 & sleep 30"), Duration::from_millis(50)), Err(LookError::Deadline));
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn the_environment_is_not_passed_on() {
        let output = run(
            shell("env | grep -c -v -e ^PATH= -e ^LC_ALL= -e ^PWD= -e ^_= -e ^SHLVL=; true"),
            Duration::from_secs(5),
        );
        assert_eq!(String::from_utf8(output.unwrap()).unwrap().trim(), "0");
    }

    #[test]
    fn programs_are_never_taken_from_the_directory_that_is_judged() {
        let dir = tempfile::tempdir().unwrap();
        let trap = dir.path().join("trap-program");
        std::fs::write(&trap, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!(".::{}", dir.path().display());
        assert_eq!(find("trap-program", Some(&path), dir.path()), None);
        assert!(find("trap-program", Some(&path), Path::new("/")).is_some());
        assert_eq!(trusted("trap-program", Some(&path), &[dir.path()]), None);
        assert_eq!(trusted("../trap-program", Some("/usr"), &[]), None);
        assert_eq!(trusted("trap-program", Some(&path), &[Path::new("/usr")]), Some(trap.clone()));
        let link = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(&trap, link.path().join("linked-trap")).unwrap();
        let path = link.path().display().to_string();
        assert_eq!(trusted("linked-trap", Some(&path), &[dir.path()]), None);
    }

    #[test]
    fn sqlite_answers_and_refuses_to_write() {
        let dir = tempfile::tempdir().unwrap();
        let database = dir.path().join("a b?.db");
        let made = Command::new("sqlite3")
            .arg(&database)
            .arg("create table t(x); insert into t values(1),(2);")
            .status();
        if !made.is_ok_and(|status| status.success()) {
            println!("SKIPPED: sqlite3 is not installed");
            return;
        }
        let question = |sql: &str| {
            let query = Query::Sqlite { database: database.clone(), sql: sql.to_owned() };
            ask(&query, Duration::from_secs(5), &|_| None)
        };
        assert_eq!(question("select count(*) from t").unwrap(), b"2\n");
        assert!(question("delete from t").is_err());
        assert!(question(".shell touch made").is_err());
        assert!(!dir.path().join("made").exists());
    }
}
