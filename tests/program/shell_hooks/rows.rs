//! The rows of the table in `docs/shell-hooks.md` that read the same in every shell; each shell's file has them as tests.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::{POLICY, REFUSED, Typing, missing, pause};
use crate::support::{Scratch, program};

/// How each shell says the same.
pub(super) struct Dialect {
    pub(super) name: &'static str,
    /// Startup file with `HOOK` where the hook is loaded.
    pub(super) start: &'static str,
    /// `$?`
    pub(super) status: &'static str,
    /// A function `f` that removes what its first argument names.
    pub(super) function: [&'static str; 2],
    /// Turns vi keys on.
    pub(super) vi: &'static str,
}

pub(super) const BASH: Dialect = Dialect {
    name: "bash",
    start: "PS1='> '\nHOOK",
    status: "$?",
    function: ["g() { rm \"$1\"; }", "f() { g \"$1\"; }"],
    vi: "set -o vi",
};

pub(super) const ZSH: Dialect = Dialect {
    name: "zsh",
    start: "PS1='> '\nHISTSIZE=100\nHOOK",
    status: "$?",
    function: ["g() { rm $1 }", "f() { g $1 }"],
    vi: "bindkey -v",
};

pub(super) const FISH: Dialect = Dialect {
    name: "fish",
    start: "HOOK",
    status: "$status",
    function: ["function g; rm $argv[1]; end", "function f -a name; g $name; end"],
    vi: "fish_vi_key_bindings",
};

impl Dialect {
    fn missing(&self) -> bool {
        missing(self.name)
    }

    pub(super) fn typing(&self) -> Typing {
        Typing::new(self.name, self.start)
    }

    /// Each of these lines is refused, and nothing of it happens.
    pub(super) fn refused(&self, lines: &[&str]) {
        if self.missing() {
            return;
        }
        let mut shell = self.typing();
        for line in lines {
            shell.refuses(line);
        }
        assert_eq!(shell.said("recourse: the guard"), 0);
    }

    /// The person's own functions are judged by what they do, however many of them call one another.
    pub(super) fn functions_of_the_session_are_judged(&self) {
        if self.missing() {
            return;
        }
        let mut shell = self.typing();
        for line in self.function {
            shell.runs(line);
        }
        shell.refuses("f keep && touch after");
        shell.runs("alias short=f");
        shell.refuses("short keep");
        shell.runs("touch gone\rf gone");
        assert!(!crate::support::exists(&shell.path("gone")), "{}", shell.terminal.text());
    }

    /// What cannot be told of a function is the person's own business; what can be is not.
    pub(super) fn a_function_that_cannot_be_read_is_not_asked_about(&self, function: &str) {
        if self.missing() {
            return;
        }
        let mut shell = self.typing();
        shell.runs(function);
        shell.runs("own && touch fine");
        assert!(crate::support::exists(&shell.path("fine")), "{}", shell.terminal.text());
        assert_eq!(shell.said("recourse:"), 0, "{}", shell.terminal.text());
    }

    pub(super) fn three_hundred_refusals_and_no_leak(&self) {
        if self.missing() {
            return;
        }
        let mut shell = self.typing();
        let clear = if self.name == "bash" { "" } else { "\u{15}" };
        for turn in 0..300_usize {
            let count = turn + 1;
            shell.terminal.send(&format!("{clear}rm keep && touch after\r"));
            shell.terminal.until("a refusal", |text| text.matches(REFUSED).count() >= count);
            if !clear.is_empty() {
                pause(30);
            }
        }
        shell.clears();
        shell.unharmed("300 times");
        shell.runs("echo x >> count");
        assert_eq!(shell.read("count"), "x\n");
    }

    pub(super) fn the_status_after_a_refusal_is_130(&self) {
        if self.missing() {
            return;
        }
        let mut shell = self.typing();
        shell.terminal.send("rm keep && touch after\r");
        shell.terminal.expect_count(REFUSED, 1);
        pause(300);
        let clear = if self.name == "bash" { "" } else { "\u{15}" };
        shell.terminal.send(&format!("{clear}echo $? > status\r"));
        shell.settled();
        assert_eq!(shell.read("status").trim(), "130", "{}", shell.terminal.text());
    }

    /// A warned line is noted, runs once, and leaves its own status.
    pub(super) fn a_warned_line_runs_once(&self) {
        if self.missing() {
            return;
        }
        let scratch =
            Scratch::with_policy("[[rule]]\nverdict = \"warn\"\ntarget = \"**/odd*\"\nmessage = \"odd\"\n");
        let mut shell = Typing::in_scratch(scratch, self.name, self.start, program());
        shell.runs("echo once >> odd");
        shell.runs(&format!("rm odd-nothing\recho {} > status", self.status));
        assert_eq!(shell.read("odd"), "once\n");
        assert_eq!(shell.read("status").trim(), "1");
        assert!(shell.said("recourse: note") >= 1, "{}", shell.terminal.text());
    }

    /// The guard is started once for a line, never for an empty one, and whatever PATH says.
    pub(super) fn the_guard_starts_once_for_a_line_and_never_for_none(&self) {
        if self.missing() {
            return;
        }
        let scratch = Scratch::with_policy(POLICY);
        let script = Command::new(program()).args(["init", self.name]).output().unwrap();
        let counting = scratch.root().join("counting");
        let log = scratch.root().join("started");
        fs::write(&counting, format!("#!/bin/sh\necho x >> {}\nexec {} \"$@\"\n", log.display(), program()))
            .unwrap();
        fs::set_permissions(&counting, fs::Permissions::from_mode(0o755)).unwrap();
        let text = String::from_utf8(script.stdout).unwrap();
        assert!(text.contains(program()), "the path is pinned");
        let hook = scratch.root().join("hook");
        fs::write(&hook, text.replace(program(), &counting.display().to_string())).unwrap();
        // Another program of that name comes first on PATH.
        let bin = scratch.root().join("bin");
        fs::create_dir(&bin).unwrap();
        fs::write(bin.join("recourse"), "#!/bin/sh\ntouch handled\n").unwrap();
        fs::set_permissions(bin.join("recourse"), fs::Permissions::from_mode(0o755)).unwrap();
        let path = match self.name {
            "fish" => format!("set -gx PATH {} $PATH", bin.display()),
            _ => format!("PATH={}:$PATH", bin.display()),
        };
        let start = self.start.replace("HOOK", &format!("source {}\n{path}", hook.display()));
        let mut shell = Typing::in_scratch(scratch, self.name, &start, program());
        let before = fs::read_to_string(&log).unwrap().lines().count();
        shell.terminal.send("\r\r  \r\r");
        shell.settled();
        shell.runs("touch a b c");
        // It asks what the variable holds, and goes on.
        shell.runs("touch \"$HOME\"");
        let after = fs::read_to_string(&log).unwrap().lines().count();
        // Three lines that settle, and two.
        assert_eq!(after - before, 5, "{}", shell.terminal.text());
        assert!(!crate::support::exists(&shell.path("handled")));
    }

    /// `e` at the question brings the line back to be edited in the shell's own editor.
    pub(super) fn a_line_comes_back_to_be_edited(&self) {
        if self.missing() {
            return;
        }
        let scratch = Scratch::with_policy(
            "[[rule]]\nverdict = \"escalate\"\ntarget = \"**/asked\"\nmessage = \"look\"\n",
        );
        scratch.file("asked", "precious");
        let mut shell = Typing::in_scratch(scratch, self.name, self.start, program());
        shell.terminal.send("rm asked\r");
        shell.terminal.expect("Your decision");
        pause(100);
        shell.terminal.send("e");
        self.on_the_line(&mut shell, "edit\r\n");
        // The cursor stands at its end.
        shell.terminal.send("-not; touch edited\r");
        let edited = shell.path("edited");
        shell.terminal.until("the edited line", |_| crate::support::exists(&edited));
        assert_eq!(shell.read("asked"), "precious", "{}", shell.terminal.text());
    }

    /// `s` at the question puts the safer form onto the line; Enter judges it and runs it.
    pub(super) fn the_safer_form_comes_onto_the_line(&self) {
        if self.missing() {
            return;
        }
        let scratch = crate::prompt::with_box();
        let mut shell = Typing::in_scratch(scratch, self.name, self.start, program());
        shell.terminal.send("emptybox crate\r");
        shell.terminal.expect("[s] take the safer form");
        shell.terminal.expect("Your decision");
        pause(100);
        shell.terminal.send("s");
        self.on_the_line(&mut shell, "the safer form, on the line\r\n");
        shell.terminal.send("\r");
        shell.settled();
        assert!(crate::support::exists(&shell.path("crate.saved")), "{}", shell.terminal.text());
    }

    /// Waits until the text stands on the line: bash asks the terminal for it, which answers.
    fn on_the_line(&self, shell: &mut Typing, after: &str) {
        if self.name == "bash" {
            shell.terminal.expect("\u{1b}[5n");
            shell.terminal.send("\u{1b}[0n");
        } else {
            shell.terminal.expect(after);
        }
        pause(400);
    }

    /// What `recourse doctor` says of the shell that it is typed in, and of one that is started from it.
    pub(super) fn doctor_tells_what_is_covered(&self, words: &str) {
        if self.missing() {
            return;
        }
        let mut shell = self.typing();
        shell.runs(&format!("{} doctor > here; sh -c '{} doctor; true' > there", program(), program()));
        let line =
            |text: &str| text.lines().find(|line| line.contains(" shell ")).unwrap_or_default().to_owned();
        let here = line(&shell.read("here"));
        assert!(here.contains(words), "{here}");
        // Our own files are closed to others whatever the umask is.
        assert!(!shell.read("here").contains("modes"), "{}", shell.read("here"));
        let there = line(&shell.read("there"));
        assert!(there.contains("lines typed in this shell are not judged"), "{there}");
        // A call that is hidden in an alias is one all the same.
        shell.runs(&format!("alias how='{} doctor'", program()));
        shell.runs("how > short");
        let short = line(&shell.read("short"));
        assert!(short.contains(words), "{short}");
        // The same process is another shell, which has no hook, and still the variable that the hook had set.
        let without = match self.name {
            "bash" => "exec bash --norc --noprofile",
            "zsh" => "exec zsh -f",
            _ => "exec fish --no-config",
        };
        shell.runs(without);
        shell.runs(&format!("{} doctor > gone", program()));
        let gone = line(&shell.read("gone"));
        assert!(gone.contains("is not this one") && gone.starts_with("lacking"), "{gone}");
    }

    /// An undo of the last line is done; one of an older line is asked about, and says so.
    pub(super) fn undo_tells_an_older_line(&self) {
        if self.missing() {
            return;
        }
        let mut shell = self.typing();
        let file = shell.path("../home/p/notes");
        let undo = format!("{} undo\r", program());
        let content = || std::fs::read_to_string(&file).unwrap_or_default();
        shell.runs("mkdir -p ../home/p; echo one > ../home/p/notes");
        // At once, whether it is gone or something else stands there.
        for (line, after) in [("rm ../home/p/notes", ""), ("echo two > ../home/p/notes", "two\n")] {
            shell.terminal.send(&format!("{line}\r"));
            shell.terminal.until(line, |_| content() == after);
            shell.terminal.send(&undo);
            shell.terminal.until(&format!("undo of {line}"), |_| content() == "one\n");
        }
        shell.settled();
        assert!(shell.said("[Enter] no:") == 0, "{}", shell.terminal.text());
        shell.runs("rm ../home/p/notes");
        shell.refuses("rm keep && touch after");
        shell.terminal.send(&undo);
        shell.terminal.expect("[Enter] no:");
        assert!(shell.said("Not your last line") == 1 && content().is_empty(), "{}", shell.terminal.text());
        shell.terminal.send("y");
        shell.terminal.until("undo after a yes", |_| content() == "one\n");
    }

    /// Refused and allowed lines with vi keys, from insert and from command mode; Enter leaves the mode as vi's does.
    pub(super) fn vi_mode(&self) {
        if self.missing() {
            return;
        }
        for first in [true, false] {
            let start = if first {
                self.start.replace("HOOK", &format!("{}\nHOOK", self.vi))
            } else {
                self.start.replace("HOOK", &format!("HOOK\n{}", self.vi))
            };
            let mut shell = Typing::new(self.name, &start);
            shell.vi = true;
            shell.refuses("rm keep && touch after");
            shell.runs("echo x >> count");
            // Enter in command mode.
            shell.terminal.send("echo y >> count");
            pause(200);
            shell.terminal.send("\u{1b}");
            pause(700);
            shell.terminal.send("\r");
            shell.settled();
            shell.terminal.send("rm keep && touch after");
            pause(200);
            shell.terminal.send("\u{1b}");
            pause(700);
            shell.refuses_keys("\r");
            assert_eq!(shell.read("count"), "x\ny\n", "{}", shell.terminal.text());
        }
    }

    /// A look that does not end is spoken of, and asked about in the end.
    pub(super) fn a_look_that_does_not_end_is_given_up(&self) {
        if self.missing() {
            return;
        }
        let scratch = Scratch::with_policy(POLICY);
        // Nothing comes in.
        let stub = stub(&scratch, &format!("exec '{}' \"$@\" < <(exec sleep 60)", program()));
        let mut shell = Typing::starting(scratch, self.name, self.start, &stub);
        shell.terminal.send("touch ran\r");
        shell.terminal.expect("still looking");
        shell.terminal.until("the end of the look", |text| {
            text.contains("Your decision") || text.contains("could not be judged")
        });
        shell.terminal.expect("more than 10 seconds");
        pause(500);
        shell.terminal.send("\r");
        shell.terminal.expect("refused");
        pause(300);
        assert!(!crate::support::exists(&shell.path("ran")), "{}", shell.terminal.text());
    }

    /// A program that gives no sign of life: spoken of, then given up.
    pub(super) fn a_guard_that_gives_no_sign_is_given_up(&self) {
        if self.missing() {
            return;
        }
        for strict in [false, true] {
            let scratch = Scratch::with_policy(POLICY);
            let stub = stub(&scratch, "exec sleep 60");
            let set = match (strict, self.name) {
                (false, _) => "",
                (true, "fish") => "set -gx RECOURSE_SHELL_STRICT 1\n",
                (true, _) => "export RECOURSE_SHELL_STRICT=1\n",
            };
            let start = format!("{set}{}", self.start);
            let mut shell = Typing::starting(scratch, self.name, &start, &stub);
            shell.terminal.send("touch ran\r");
            shell.terminal.expect("still looking");
            shell.terminal.expect("gave no answer in 10 seconds");
            let ran = shell.path("ran");
            if strict {
                pause(700);
                assert!(!crate::support::exists(&ran), "{}", shell.terminal.text());
            } else {
                shell.terminal.until("the line to run", |_| crate::support::exists(&ran));
            }
        }
    }

    /// A program that is gone: said once, and the person can work; or cannot, where that was asked for.
    pub(super) fn a_guard_that_is_gone_is_said_once_and_lets_people_work(&self) {
        if self.missing() {
            return;
        }
        for (strict, runs) in [(false, true), (true, false)] {
            let scratch = Scratch::with_policy(POLICY);
            let binary = scratch.root().join("recourse");
            fs::copy(program(), &binary).unwrap();
            let set = match (strict, self.name) {
                (false, _) => "",
                (true, "fish") => "set -gx RECOURSE_SHELL_STRICT 1\n",
                (true, _) => "export RECOURSE_SHELL_STRICT=1\n",
            };
            let start = format!("{set}{}", self.start);
            let mut shell = Typing::in_scratch(scratch, self.name, &start, &binary.display().to_string());
            fs::remove_file(&binary).unwrap();
            shell.terminal.send("touch ran-1\r");
            shell.terminal.until("the warning", |text| text.contains("the guard failed"));
            if runs {
                shell.runs("touch ran-2");
            } else {
                pause(200);
                shell.terminal.send("\u{15}touch ran-2\r");
                // A line that is refused is never swallowed in silence.
                shell.terminal.expect("because lines are not judged");
            }
            for name in ["ran-1", "ran-2"] {
                assert_eq!(
                    crate::support::exists(&shell.path(name)),
                    runs,
                    "{name}: {}",
                    shell.terminal.text()
                );
            }
            assert_eq!(shell.said("the guard failed"), 1, "{}", shell.terminal.text());
        }
    }
}

/// A program that prints the hook as recourse does, with its own path in it, and otherwise runs this text of bash.
pub(super) fn stub(scratch: &Scratch, text: &str) -> String {
    let file = scratch.root().join("stub");
    let program = program();
    let script = format!(
        "#!/bin/bash\nif [ \"$1\" = init ]; then '{program}' \"$@\" | sed \"s#{program}#$0#g\"; exit; fi\n{text}\n"
    );
    fs::write(&file, script).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file.display().to_string()
}
