//! What the tests of the program share: a scratch home, the program, and a terminal to run it in.

#![allow(dead_code, unreachable_pub)] // Each test file uses its part.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A scratch directory with a home and a working directory, and nothing of the caller's configuration.
pub struct Scratch {
    root: tempfile::TempDir,
}

/// Says what is not tried here, and why: beside the test, and once more at the end of all (`what_was_skipped`).
pub fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped");
    let _ = fs::create_dir_all(&folder);
    // All of one run are started by the same process.
    let file = folder.join(nix::unistd::getppid().to_string());
    let file = File::options().create(true).append(true).open(file);
    let _ = file.and_then(|mut file| file.write_all(format!("{why}\n").as_bytes()));
}

/// Whether nobody who answers a question here could pass for a person: an agent runs the tests, say. Then what is asked at
/// a terminal cannot be tested, which is said.
pub fn no_person_here() -> bool {
    let doubt = recourse::approvals::doubt(&recourse::approvals::Here::new());
    if let Some(doubt) = &doubt {
        skipped(&format!("no person could answer here: {doubt}"));
    }
    doubt.is_some()
}

impl Scratch {
    pub fn new() -> Self {
        Self::of(tempfile::tempdir().unwrap())
    }

    /// Not below a temporary directory, where little counts; the working directory is a repository without commits.
    pub fn lasting() -> Self {
        let scratch = Self::of(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        let made =
            Command::new("git").args(["init", "-q", "-b", "main"]).arg(scratch.work()).status().unwrap();
        assert!(made.success());
        scratch
    }

    fn of(root: tempfile::TempDir) -> Self {
        // Where fish finds no completions made of manual pages, it makes them: minutes of work beside every test.
        for dir in ["home/.local/share/fish/generated_completions", "work", "config/recourse"] {
            fs::create_dir_all(root.path().join(dir)).unwrap();
        }
        Self { root }
    }

    /// With a user policy.
    pub fn with_policy(text: &str) -> Self {
        let scratch = Self::new();
        scratch.policy(text);
        scratch
    }

    pub fn policy(&self, text: &str) {
        fs::write(self.root.path().join("config/recourse/policy.toml"), text).unwrap();
    }

    /// With `config.toml`.
    pub fn config(&self, text: &str) {
        fs::write(self.root.path().join("config/recourse/config.toml"), text).unwrap();
    }

    /// Where everything of this scratch is.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The working directory.
    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// A file in the working directory, made with this content.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn environment(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("RECOURSE_") {
                command.env_remove(name);
            }
        }
        // Whoever runs the tests, what they run is a person's unless they say otherwise.
        for name in [
            "CLAUDECODE",
            "CLAUDE_CODE_ENTRYPOINT",
            "CODEX_SANDBOX",
            "GEMINI_CLI",
            "OPENCODE",
            "AI_AGENT",
            "AGENT",
        ] {
            command.env_remove(name);
        }
        command
            .current_dir(self.work())
            .env("HOME", self.root.path().join("home"))
            .env("XDG_CONFIG_HOME", self.root.path().join("config"))
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_STATE_HOME")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("BASH_ENV")
            .env_remove("NO_COLOR")
            .env_remove("COLUMNS")
            .env("TERM", "xterm");
    }

    /// The program with these arguments, ready to run.
    pub fn recourse<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(program());
        command.args(arguments);
        self.environment(&mut command);
        command
    }

    /// Runs the program and waits.
    pub fn run<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Output {
        self.recourse(arguments).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs the program in a session of its own, so that it has no terminal even when the tests have one.
    pub fn run_detached<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S], stdin: &str) -> Output {
        let mut command = Command::new("setsid");
        command.arg("-w").arg(program()).args(arguments);
        self.environment(&mut command);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("setsid (util-linux) is needed by these tests");
        // The program may end without reading.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// Runs words in a terminal of their own.
    pub fn in_terminal(&self, words: &[&str]) -> InTerminal {
        self.in_sized_terminal(words, 80, &[])
    }

    /// Runs words in a terminal of their own with so many columns, and variables of the environment.
    pub fn in_sized_terminal(&self, words: &[&str], columns: u16, variables: &[(&str, &str)]) -> InTerminal {
        InTerminal::start(self, words, columns, variables)
    }
}

/// The program's path.
pub fn program() -> &'static str {
    heed_signals();
    env!("CARGO_BIN_EXE_recourse")
}

/// Whoever starts the tests in the background, or below `nohup`, ignores signals, and so would every program that they start.
#[allow(unsafe_code)] // The signal's default, without a handler.
fn heed_signals() {
    use nix::sys::signal::{SigHandler, Signal, signal};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        for ignored in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT] {
            unsafe { signal(ignored, SigHandler::SigDfl) }.unwrap();
        }
    });
}

/// JSON from standard output; nothing else may stand there.
pub fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "not JSON alone: {error}\n{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

/// A child on a pseudo-terminal, which is its controlling terminal.
pub struct InTerminal {
    master: File,
    child: Child,
    output: Receiver<Vec<u8>>,
    seen: Vec<u8>,
}

const PATIENCE: Duration = Duration::from_secs(20);

impl Drop for InTerminal {
    fn drop(&mut self) {
        // What it runs gets the hang-up; it itself may wait for ever.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl InTerminal {
    fn start(scratch: &Scratch, words: &[&str], columns: u16, variables: &[(&str, &str)]) -> Self {
        let size = nix::pty::Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = nix::pty::openpty(Some(&size), None).unwrap();
        // Whoever holds the terminal's other side keeps it from hanging up.
        for side in [&pty.master, &pty.slave] {
            rustix::io::fcntl_setfd(side, rustix::io::FdFlags::CLOEXEC).unwrap();
        }
        let slave = File::from(pty.slave);
        let mut command = Command::new("setsid");
        command.arg("-w").arg("-c").args(words);
        scratch.environment(&mut command);
        command.envs(variables.iter().copied());
        let child = command
            .stdin(slave.try_clone().unwrap())
            .stdout(slave.try_clone().unwrap())
            .stderr(slave)
            .spawn()
            .expect("setsid (util-linux) is needed by these tests");
        let master = File::from(pty.master);
        let mut reader = master.try_clone().unwrap();
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { master, child, output, seen: Vec::new() }
    }

    /// Process id of the program (setsid becomes it).
    pub fn id(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    /// Waits until this text has come.
    pub fn expect(&mut self, text: &str) {
        self.expect_count(text, 1);
    }

    /// Waits until this text has come so often.
    pub fn expect_count(&mut self, text: &str, count: usize) {
        let end = Instant::now() + PATIENCE;
        while self.text().matches(text).count() < count {
            let left = end.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.seen.extend(bytes),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("`{text}` did not come; this did:\n{}", self.text())
                }
            }
        }
    }

    /// Waits until this holds of all that came so far.
    pub fn until(&mut self, what: &str, mut holds: impl FnMut(&str) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds(&self.text()) {
            assert!(Instant::now() < end, "{what} did not come true; this came:\n{}", self.text());
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.seen.extend(bytes);
            }
        }
    }

    /// Types.
    pub fn send(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Types these keys as a person does: one after the other. What comes in one piece is a text, and no key.
    pub fn press(&mut self, keys: &[&str]) {
        for (at, key) in keys.iter().enumerate() {
            if at > 0 {
                thread::sleep(Duration::from_millis(150));
            }
            self.send(key);
        }
    }

    /// All that came so far.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// Waits for the end: exit status (128+n for signals) and everything that came.
    pub fn finish(mut self) -> (i32, String) {
        use std::os::unix::process::ExitStatusExt;
        let end = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > end {
                let _ = self.child.kill();
                panic!("it did not end; this came:\n{}", self.text());
            }
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.seen.extend(bytes);
            }
        };
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(100)) {
            self.seen.extend(bytes);
        }
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        (code, self.text())
    }
}

/// Whether something stands at a path.
pub fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
