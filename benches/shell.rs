//! What a guarded prompt costs: the time from Enter to the effect of a line, with the hook and without it.
//!
//! Nothing here fails: timings are read by people. Needs `python3` for the pseudo-terminal's other end.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_recourse");

/// Types `true` into a shell many times and measures until the next prompt is there.
const DRIVER: &str = r#"
import os, pty, select, sys, time
words = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(words[0], words)
MARK = b'@@'
def prompt():
    seen = b''
    while MARK not in seen:
        select.select([fd], [], [], 10)
        seen += os.read(fd, 65536)
prompt()
times = []
for turn in range(330):
    time.sleep(0.004)
    start = time.perf_counter()
    os.write(fd, b'true\r')
    prompt()
    times.append(time.perf_counter() - start)
times = sorted(times[30:])
print(*('%.3f' % (1e3 * times[int((len(times) - 1) * at)]) for at in (0, .5, .99)))
"#;

fn main() {
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let driver = folder.path().join("driver.py");
    fs::write(&driver, DRIVER).unwrap();
    println!("{:<44} {:>9} {:>9} {:>9}", "Enter to the next prompt, `true` (ms)", "min", "median", "p99");
    for shell in ["bash", "zsh"] {
        let ps1 = if shell == "bash" { r"PS1='@\[\]@ '" } else { "PS1='@%{%}@ '" };
        for (name, more) in [
            ("bare", String::new()),
            (
                "with a program started per line",
                match shell {
                    "bash" => "PS0='${x:+}$(/bin/true)'\n".to_owned(),
                    _ => "preexec() { /bin/true }\n".to_owned(),
                },
            ),
            ("guarded", format!("eval \"$({BINARY} init {shell})\"\n")),
        ] {
            let file = folder.path().join(if shell == "bash" { "rc" } else { ".zshrc" });
            fs::write(&file, format!("{ps1}\n{more}")).unwrap();
            let rc = file.display().to_string();
            let words: Vec<&str> = match shell {
                "bash" => vec!["bash", "--noprofile", "--rcfile", &rc, "-i"],
                _ => vec!["zsh", "-d", "-i"],
            };
            let output = Command::new("python3")
                .arg(&driver)
                .args(&words)
                .env("ZDOTDIR", folder.path())
                .env("HOME", folder.path())
                .env("TERM", "dumb")
                .output();
            let text =
                output.map_or_else(|e| e.to_string(), |o| String::from_utf8_lossy(&o.stdout).into_owned());
            let mut figures = text.split_whitespace();
            let mut next = || figures.next().unwrap_or("-").to_owned();
            println!("{:<44} {:>9} {:>9} {:>9}", format!("{shell}, {name}"), next(), next(), next());
        }
    }
}
