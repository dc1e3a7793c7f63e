//! The hooks in real shells on a pseudo-terminal. What counts is what stands on disk afterwards, not what a screen shows.

mod bash;
mod fish;
mod held;
mod rows;
mod table;
mod tools;
mod ways;
mod zsh;

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{InTerminal, Scratch, exists, program};

/// Scratch directories count as temporary, so that a rule has to say what may not go.
const POLICY: &str = "[[rule]]\nverdict = \"block\"\ntarget = \"**/keep*\"\nmessage = \"kept\"\n[profile.human]\noverride-block = false\n";
const REFUSED: &str = "recourse: refused: it was not run";

/// A shell with the hook, at its prompt in a directory with a file `keep` that must stay as it is.
struct Typing {
    scratch: Scratch,
    terminal: InTerminal,
    done: usize,
    /// The editor clears its line as vi does.
    vi: bool,
}

impl Typing {
    /// `start` runs as startup file, with `HOOK` replaced by what loads the hook.
    fn new(shell: &str, start: &str) -> Self {
        Self::with(shell, start, program())
    }

    fn with(shell: &str, start: &str, binary: &str) -> Self {
        let scratch = Scratch::with_policy(POLICY);
        scratch.file("keep", "precious");
        scratch.file("keep2", "precious");
        Self::in_scratch(scratch, shell, start, binary)
    }

    fn in_scratch(scratch: Scratch, shell: &str, start: &str, binary: &str) -> Self {
        let mut typing = Self::starting(scratch, shell, start, binary);
        typing.settled();
        typing
    }

    /// Without waiting for a line to run.
    fn starting(scratch: Scratch, shell: &str, start: &str, binary: &str) -> Self {
        let hook = match shell {
            "fish" => format!("{binary} init fish | source"),
            shell => format!("eval \"$({binary} init {shell})\""),
        };
        let lines: Vec<&str> = start.lines().map(|line| if line == "HOOK" { &hook } else { line }).collect();
        let start = lines.join("\n") + "\n";
        let home = scratch.root().join("home");
        let file = match shell {
            "bash" => "rc.bash",
            "zsh" => ".zshrc",
            _ => "../config/fish/config.fish",
        };
        fs::create_dir_all(scratch.root().join("config/fish")).unwrap();
        let start = if shell == "fish" { format!("set -g fish_greeting\n{start}") } else { start };
        fs::write(home.join(file), start).unwrap();
        let file = home.join(file).display().to_string();
        let words: Vec<String> = match shell {
            "bash" => ["bash", "--noprofile", "--rcfile", &file, "-i"].map(str::to_owned).into(),
            "zsh" => {
                let zdotdir = format!("ZDOTDIR={}", home.display());
                ["env", &zdotdir, "zsh", "-d", "-i"].map(str::to_owned).into()
            }
            _ => ["fish", "-i"].map(str::to_owned).into(),
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let terminal = scratch.in_sized_terminal(&words, 80, &[("RECOURSE_PROMPT_TIMEOUT", "30")]);
        Self { scratch, terminal, done: 0, vi: false }
    }

    /// Types a harmless line and waits until it has run: what was typed before is over then.
    fn settled(&mut self) {
        self.done += 1;
        let name = format!("done-{}", self.done);
        self.terminal.send(&format!("touch {name}\r"));
        let path = self.path(&name);
        self.terminal.until(&name, |_| exists(&path));
    }

    /// Types a line that may run, and waits.
    fn runs(&mut self, line: &str) {
        self.terminal.send(&format!("{line}\r"));
        self.settled();
    }

    /// Types keys that must end in a refusal, waits, and clears the editor.
    fn refuses_keys(&mut self, keys: &str) {
        let count = self.said(REFUSED) + 1;
        self.terminal.send(keys);
        self.terminal.until(&format!("a refusal of {keys:?}"), |text| text.matches(REFUSED).count() >= count);
        self.clears();
        self.unharmed(keys);
    }

    /// Clears the editor, into which a refused line may come back a moment later, until a line runs by itself.
    fn clears(&mut self) {
        self.done += 1;
        let name = format!("done-{}", self.done);
        let path = self.path(&name);
        for turn in 1..=12 {
            pause(50 * turn);
            if self.vi {
                self.terminal.send("\u{1b}");
                pause(600);
                self.terminal.send("ddi");
            } else {
                self.terminal.send("\u{15}");
            }
            // A terminal whose shell is busy takes the key itself.
            pause(40 * turn);
            self.terminal.send(&format!("touch {name}\r"));
            for _ in 0..20 * turn {
                self.terminal.until("", |_| true);
                pause(20);
                if exists(&path) {
                    return;
                }
            }
        }
        panic!("the editor does not come back: {}", self.terminal.text());
    }

    fn refuses(&mut self, line: &str) {
        self.refuses_keys(&format!("{line}\r"));
    }

    /// Nothing of a refused line has run.
    fn unharmed(&self, line: &str) {
        for kept in ["keep", "keep2"] {
            let content = fs::read_to_string(self.path(kept)).unwrap_or_default();
            assert_eq!(content, "precious", "{kept} after {line:?}: {}", self.terminal.text());
        }
        for never in ["after", "out", "handled"] {
            assert!(!exists(&self.path(never)), "{never} after {line:?}: {}", self.terminal.text());
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scratch.work().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn said(&self, text: &str) -> usize {
        self.terminal.text().matches(text).count()
    }
}

/// Waits until nothing more comes for a moment: keys that end in no refusal and no file give nothing else to wait for.
fn pause(milliseconds: u64) {
    std::thread::sleep(std::time::Duration::from_millis(milliseconds));
}

/// Whether a shell is there; its absence is said aloud.
fn missing(shell: &str) -> bool {
    let found = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| Path::new(&dir).join(shell).is_file()));
    if !found {
        crate::support::skipped(&format!("{shell} is not installed, so its hook was not tried"));
    }
    !found
}
