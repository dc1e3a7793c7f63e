//! Runs a program from the edge of one system call to the next, and kills it at any of them.
//!
//! Whoever uses this is alone in its process: it waits for any child.

#![allow(unreachable_pub)] // Each test file uses its part.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// The shell waits for a word, so that it can be taken hold of before it becomes the program: `words` begin with that.
pub fn waiting(words: &[&std::ffi::OsStr]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", r#"read word; exec "$0" "$@""#]).args(words);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs it. `at` is told the number of each edge, and how often it became another program by then, and says whether to kill
/// there. The exit status; none: it was killed.
// Waited for below, with everything that it starts.
#[allow(clippy::zombie_processes)]
pub fn step(mut child: Child, mut at: impl FnMut(usize, usize) -> bool) -> Option<i32> {
    let main = Pid::from_raw(i32::try_from(child.id()).unwrap());
    ptrace::attach(main).unwrap();
    waitpid(main, Some(WaitPidFlag::__WALL)).unwrap();
    let options = Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_EXITKILL
        | Options::PTRACE_O_TRACEEXEC
        | Options::PTRACE_O_TRACECLONE;
    ptrace::setoptions(main, options).unwrap();
    child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    ptrace::cont(main, None).unwrap();
    let (mut programs, mut number) = (0, 0);
    loop {
        let status = waitpid(None, Some(WaitPidFlag::__WALL)).unwrap();
        let (pid, signal) = match status {
            WaitStatus::Exited(pid, code) if pid == main => return Some(code),
            WaitStatus::Signaled(pid, ..) if pid == main => return None,
            WaitStatus::PtraceEvent(pid, _, event) => {
                programs += usize::from(event == ptrace::Event::PTRACE_EVENT_EXEC as i32);
                (pid, None)
            }
            WaitStatus::PtraceSyscall(pid) => {
                number += 1;
                if at(number, programs) {
                    kill(main, Signal::SIGKILL).unwrap();
                    continue;
                }
                (pid, None)
            }
            // A new thread begins with a stop of its own.
            WaitStatus::Stopped(pid, Signal::SIGSTOP | Signal::SIGTRAP) => (pid, None),
            WaitStatus::Stopped(pid, signal) => (pid, Some(signal)),
            _ => continue,
        };
        // Killed meanwhile: then it is told at the next turn.
        let _ = if programs > 0 { ptrace::syscall(pid, signal) } else { ptrace::cont(pid, signal) };
    }
}
