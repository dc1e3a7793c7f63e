//! `eval`, `exec`, `command`, `trap` and the end of a shell.

use crate::model::Value;
use crate::shell::interp::Shell;
use crate::shell::simple::Call;
use crate::shell::state::{Flow, State, Status, Trap};

impl Shell<'_> {
    pub(super) fn eval(&mut self, state: &mut State, call: &Call) -> Flow {
        let mut words = call.arguments();
        if words.first().is_some_and(|word| word.arg.value.as_known() == Some("--")) {
            words = &words[1..];
        }
        let Some(first) = words.first() else {
            state.status = Status::True;
            return Flow::Next;
        };
        let text = words.iter().enumerate().fold(Value::known(""), |text, (index, word)| {
            let text = if index > 0 { text.concat(&Value::known(" ")) } else { text };
            text.concat(&word.arg.value)
        });
        let span = words.iter().fold(first.arg.span, |span, word| span.to(word.arg.span));
        self.shell_text(state, &text, span)
    }

    pub(super) fn exec(&mut self, state: &mut State, call: &Call) -> Flow {
        let mut skip = 1;
        while let Some(text) = call.words.get(skip).and_then(|word| word.arg.value.as_known()) {
            match text {
                "-a" => skip += 2,
                "--" => {
                    skip += 1;
                    break;
                }
                "-c" | "-l" | "-cl" | "-lc" => skip += 1,
                _ => break,
            }
        }
        let rest = call.without(skip);
        if rest.words.is_empty() {
            if let Some(opened) = call.opened.clone() {
                self.keep(state, &opened);
            }
            state.status = Status::True;
            return Flow::Next;
        }
        let mut rest = rest;
        rest.external = true;
        let goes_on = state.switches.execfail && !self.can_start(state, &rest);
        let flow = self.dispatch(state, &rest);
        if flow != Flow::Next {
            return flow;
        }
        if goes_on {
            state.status = Status::False;
            return Flow::Next;
        }
        // When the program cannot be started, a script ends just so.
        state.exit_traps.clear();
        Flow::Exit
    }

    /// Whether the program of a call can be started, as far as can be seen.
    fn can_start(&self, state: &State, call: &Call) -> bool {
        let Some(name) = call.words.first().and_then(|word| word.arg.value.as_known()) else { return false };
        if name.contains('/') {
            return self.absolute(state, &Value::known(name)).is_some_and(|path| self.runnable(state, &path));
        }
        self.in_path(state, name).is_some()
    }

    pub(super) fn command_builtin(&mut self, state: &mut State, name: &str, call: &Call) -> Flow {
        let mut skip = 1;
        let (mut asks, mut usual) = (false, false);
        while let Some(text) = call.words.get(skip).and_then(|word| word.arg.value.as_known()) {
            match text {
                "--" => {
                    skip += 1;
                    break;
                }
                option if name == "command" && option.starts_with('-') && option.len() > 1 => {
                    asks |= option.contains(['v', 'V']);
                    usual |= option.contains('p');
                    skip += 1;
                }
                _ => break,
            }
        }
        let rest = call.without(skip);
        if asks {
            let names = rest.words.iter().map(|word| word.arg.value.clone()).collect::<Vec<_>>();
            if state.scope.capture {
                let text = match names.as_slice() {
                    [Value::Known(name)] if super::is_builtin(name) || state.functions.contains_key(name) => {
                        Value::Known(format!("{name}\n"))
                    }
                    [Value::Known(_)] if self.world.is_elsewhere() => Value::Unknown,
                    [Value::Known(name)] => match self.in_path(state, name) {
                        Some(path) => Value::Known(format!("{}\n", path.display())),
                        None => Value::known(""),
                    },
                    _ => Value::Unknown,
                };
                state.print(&text);
            }
            state.status = self.found_all(state, &names);
            return Flow::Next;
        }
        let Some(first) = rest.words.first() else {
            state.status = Status::True;
            return Flow::Next;
        };
        if let Value::Known(name) = &first.arg.value {
            let name = name.clone();
            if let Some(flow) = self.builtin(state, &name, &rest) {
                return flow;
            }
        }
        let mut rest = rest;
        rest.external = true;
        if usual {
            // `-p`: the system's own programs, whatever stands in front of them on the search path.
            rest.environment.push(("PATH".to_owned(), Value::known("/usr/bin:/bin:/usr/sbin:/sbin")));
        }
        self.dispatch(state, &rest)
    }

    pub(super) fn trap(&mut self, state: &mut State, call: &Call) -> Flow {
        let mut words = call.arguments();
        if words.first().is_some_and(|word| word.arg.value.as_known() == Some("--")) {
            words = &words[1..];
        }
        state.status = Status::True;
        let Some((action, signals)) = words.split_first() else { return Flow::Next };
        let text = action.arg.value.as_known();
        let known =
            |word: &&crate::shell::expand::Expansion| word.arg.value.as_known().is_some_and(is_signal);
        if matches!(text, Some("-p" | "-l" | "-P")) || signals.is_empty() {
            state.status = Status::from_option(signals.iter().all(|word| known(&word)).then_some(true));
            return Flow::Next;
        }
        if !signals.iter().all(|word| known(&word)) {
            state.status = Status::Unknown;
        }
        let exits = signals.iter().any(|word| matches!(word.arg.value.as_known(), Some("EXIT" | "0")));
        // A signal comes when it comes: what its trap does is seen at the end, as something that may happen, also where the
        // trap was taken back or changed by then.
        state.exit_traps.retain(|trap| !(trap.exit && exits));
        if matches!(text, Some("-" | "")) {
            return Flow::Next;
        }
        let mut inner = state.scope.deeper();
        inner.via.push("trap".to_owned());
        inner.span = Some(action.arg.span);
        let others = signals
            .iter()
            .map(|word| word.arg.value.as_known())
            .filter(|name| !matches!(name, Some("EXIT" | "0")));
        let (waits, inside): (Vec<_>, Vec<_>) = others.partition(|name| {
            !self.signalled && name.is_some_and(|name| from_outside(name, state.switches.errexit))
        });
        let (comes, waits) = (!inside.is_empty(), !waits.is_empty());
        let trap = Trap { text: action.arg.value.clone(), scope: inner, exit: exits, comes, waits };
        if comes {
            self.mind_trap(state, &trap);
        }
        let same = |known: &Trap| {
            (known.exit, known.comes, known.waits) == (exits, comes, waits) && known.text == trap.text
        };
        if !state.exit_traps.iter().any(same) {
            state.exit_traps.push(trap);
        }
        Flow::Next
    }

    /// `exit` and `logout`.
    pub(super) fn exit(&mut self, state: &mut State, call: &Call) -> Flow {
        self.exit_status(state, call);
        Flow::Exit
    }

    /// `return`, which outside of a function or sourced file only complains.
    pub(super) fn return_builtin(&mut self, state: &mut State, call: &Call) -> Flow {
        if !state.returns {
            state.status = Status::False;
            return Flow::Next;
        }
        self.exit_status(state, call);
        Flow::Return
    }

    /// `break n` and `continue n`, which outside of a loop do nothing.
    pub(super) fn leave_loops(state: &mut State, name: &str, call: &Call) -> Flow {
        let levels = call.texts().and_then(|t| t.first()?.parse().ok()).unwrap_or(1usize).max(1);
        state.status = Status::True;
        match (levels.min(state.loops), name) {
            (0, _) => Flow::Next,
            (levels, "break") => Flow::Break(levels),
            (levels, _) => Flow::Continue(levels),
        }
    }

    /// The status that `exit` and `return` give.
    fn exit_status(&mut self, state: &mut State, call: &Call) {
        state.settle();
        if let Some(word) = call.arguments().first() {
            state.status = match word.arg.value.as_known() {
                Some(text) => Status::from_bool(text.trim() == "0"),
                None => Status::Unknown,
            };
        }
    }
}

/// Whether a signal comes from outside, by a person or another program that ends this one; what fails ends a shell that is
/// told to end then.
fn from_outside(name: &str, errexit: bool) -> bool {
    let name = name.to_ascii_uppercase();
    let name = name.strip_prefix("SIG").unwrap_or(&name);
    matches!(name, "HUP" | "INT" | "QUIT" | "PIPE" | "TERM" | "1" | "2" | "3" | "13" | "15")
        || name == "ERR" && errexit
}

/// Whether a word is surely the name of a signal, or what the shell counts as one.
fn is_signal(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let name = name.strip_prefix("SIG").unwrap_or(&name);
    let names = [
        "EXIT", "DEBUG", "ERR", "RETURN", "HUP", "INT", "QUIT", "ABRT", "ALRM", "TERM", "USR1", "USR2",
        "PIPE", "CHLD", "TSTP", "CONT", "WINCH", "TTIN", "TTOU",
    ];
    names.contains(&name) || name.parse::<u8>().is_ok_and(|number| number < 32)
}
