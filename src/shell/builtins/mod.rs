//! Commands that the shell itself carries out.

mod behind;
mod declare;
mod directory;
mod flow;
mod getopts;
mod history;
mod mapfile;
mod names;
mod options;
mod printf;
mod read;
mod traps;

use crate::model::Value;

use super::interp::Shell;
use super::simple::Call;
use super::state::{Flow, State, Status};

pub(super) use options::{letter, switch};
pub(crate) use printf::decode_escapes;
pub(super) use printf::format_printf;
pub(super) use printf::{decode_echoed, decode_quoted};

/// Whether a builtin of this name only answers a question about its words.
pub(super) fn is_question(name: &str) -> bool {
    matches!(name, "test" | "[")
}

/// Whether a builtin is one that not every shell has.
pub(super) fn is_rare(name: &str) -> bool {
    matches!(
        name,
        "declare"
            | "typeset"
            | "let"
            | "pushd"
            | "popd"
            | "dirs"
            | "shopt"
            | "source"
            | "mapfile"
            | "readarray"
            | "builtin"
    )
}

/// Whether the shell has a builtin of this name.
pub(super) fn is_builtin(name: &str) -> bool {
    const NAMES: [&str; 60] = [
        ".",
        ":",
        "[",
        "alias",
        "bg",
        "bind",
        "break",
        "builtin",
        "caller",
        "cd",
        "command",
        "compgen",
        "complete",
        "compopt",
        "continue",
        "declare",
        "dirs",
        "disown",
        "echo",
        "enable",
        "eval",
        "exec",
        "exit",
        "export",
        "false",
        "fc",
        "fg",
        "getopts",
        "hash",
        "help",
        "history",
        "jobs",
        "let",
        "local",
        "logout",
        "mapfile",
        "popd",
        "printf",
        "pushd",
        "pwd",
        "read",
        "readarray",
        "readonly",
        "return",
        "set",
        "shift",
        "shopt",
        "source",
        "suspend",
        "test",
        "times",
        "trap",
        "true",
        "type",
        "typeset",
        "ulimit",
        "umask",
        "unalias",
        "unset",
        "wait",
    ];
    NAMES.binary_search(&name).is_ok()
}

impl Shell<'_> {
    /// Carries out a builtin; `None` when there is none of this name.
    pub(super) fn builtin(&mut self, state: &mut State, name: &str, call: &Call) -> Option<Flow> {
        if !is_builtin(name) {
            return None;
        }
        if call.texts().is_some_and(|texts| texts == ["--help"])
            && !matches!(name, "echo" | "test" | "[" | ":" | "true" | "false")
        {
            self.unknown_result(state);
            return Some(Flow::Next);
        }
        self.names_expanded(name, call);
        if lists_settings(name, call) {
            Self::prints_something(state);
        }
        self.steering(state, name, call).or_else(|| {
            state.status = self.ordinary(state, name, call)?;
            Some(Flow::Next)
        })
    }

    /// Builtins that say themselves how the shell goes on.
    fn steering(&mut self, state: &mut State, name: &str, call: &Call) -> Option<Flow> {
        Some(match name {
            "cd" => self.cd(state, call),
            "pushd" => self.pushd(state, call),
            "popd" => self.popd(state, call),
            "eval" => self.eval(state, call),
            "source" | "." => self.source(state, call),
            "exec" => self.exec(state, call),
            "command" | "builtin" => self.command_builtin(state, name, call),
            "exit" | "logout" => self.exit(state, call),
            "return" => self.return_builtin(state, call),
            "break" | "continue" => Self::leave_loops(state, name, call),
            "trap" => self.trap(state, call),
            "set" => self.set(state, call),
            "shift" => self.shift(state, call),
            "shopt" => self.shopt(state, call),
            "getopts" => self.getopts(state, call),
            "let" => self.let_builtin(state, call),
            "unset" => self.unset_builtin(state, call),
            "read" => self.read(state, call),
            "mapfile" | "readarray" => self.mapfile(state, call),
            "declare" | "typeset" | "export" | "readonly" | "local" => self.declare_words(state, name, call),
            _ => return None,
        })
    }

    /// Builtins behind which the next command follows: the status that they leave.
    fn ordinary(&mut self, state: &mut State, name: &str, call: &Call) -> Option<Status> {
        Some(match name {
            ":" | "true" => Status::True,
            "false" => Status::False,
            "echo" | "pwd" => {
                self.print(state, call);
                Status::True
            }
            "printf" => self.printf(state, call),
            "test" => self.test_words(state, &call.values()),
            "[" => self.bracket(state, call),
            "history" => self.history(state, call),
            "fc" => self.run_again(state, call),
            "wait" => Self::wait(state, call),
            "enable" | "hash" if names::rebinds(name, call) => self.rebind(state, call),
            "type" | "hash" => self.type_builtin(state, call),
            "alias" => self.define_aliases(state, call),
            "unalias" => Self::unalias(state, call),
            "disown" => {
                state.files.forget_unfinished();
                Self::prints_something(state);
                Status::Unknown
            }
            "complete" => {
                self.mind_completion(state, call);
                Self::prints_something(state);
                Status::True
            }
            "dirs" => {
                if call.values().iter().any(|value| value.as_known().is_none_or(|text| text.contains('c'))) {
                    state.stack.clear();
                }
                Self::prints_something(state);
                names::asked(call)
            }
            // They fail where there is no job, no name, or no such number.
            "bg" | "fg" | "caller" | "suspend" | "compgen" => {
                Self::prints_something(state);
                Status::Unknown
            }
            "jobs" | "umask" | "ulimit" | "times" | "bind" | "compopt" | "enable" | "help" => {
                Self::prints_something(state);
                names::asked(call)
            }
            _ => return None,
        })
    }

    /// Something is printed that nobody can tell.
    fn prints_something(state: &mut State) {
        if state.scope.capture {
            state.print(&Value::Unknown);
        }
    }

    /// `[ … ]`.
    fn bracket(&mut self, state: &mut State, call: &Call) -> Status {
        let mut words = call.values();
        if words.pop().as_ref().and_then(Value::as_known) != Some("]") {
            return Status::False;
        }
        if call.open() { Status::Unknown } else { self.test_words(state, &words) }
    }

    /// `wait`, after which the copies that run meanwhile are finished.
    fn wait(state: &mut State, call: &Call) -> Status {
        // Which job is meant by a number is not known, so only waiting for all counts, or for the only one.
        if call.values().is_empty()
            || (state.files.unfinished_jobs() == 1 && !call.values().contains(&Value::known("-n")))
        {
            state.files.finish_copies();
        }
        Status::Unknown
    }

    /// What a key that completes will run.
    fn mind_completion(&mut self, state: &mut State, call: &Call) {
        if !self.is_guarded(state) {
            return;
        }
        let words = call.values();
        for pair in words.windows(2) {
            match pair[0].as_known() {
                Some("-C") => self.later(state, pair[1].clone(), call.span),
                // The words are expanded each time.
                Some(option) if option.starts_with('-') && option.ends_with('W') => {
                    let runs = |text: &str| text.contains(['`', '$']);
                    if pair[1].choices().is_none_or(|texts| texts.iter().any(|text| runs(text))) {
                        self.later(state, Value::known(": ").concat(&pair[1]), call.span);
                    }
                }
                Some("-F") if self.is_of_session(state, &pair[1]) => {
                    self.later(state, pair[1].clone(), call.span)
                }
                _ => {}
            }
        }
    }

    /// A function that the shell at hand has, or this text defines.
    fn is_of_session(&self, state: &State, name: &Value) -> bool {
        name.as_known().is_some_and(|name| {
            state.functions.contains_key(name)
                || self.options.session.bodies.iter().any(|(known, _)| known == name)
        })
    }

    /// Names with a subscript are expanded once more by these, as arithmetic does; callbacks are commands.
    fn names_expanded(&mut self, name: &str, call: &Call) {
        let words = call.values();
        let after = |option: &str| {
            words.windows(2).any(|pair| {
                pair[0].as_known().is_some_and(|text| text.starts_with('-') && text.ends_with(option))
            })
        };
        let acts = match name {
            "test" | "[" => after("v") || after("R"),
            "printf" | "wait" => after("v") || after("p"),
            "compgen" => true,
            "read" | "unset" | "mapfile" | "readarray" | "getopts" => true,
            "declare" | "typeset" | "local" | "export" | "readonly" => false,
            _ => return,
        };
        for word in words.iter().filter(|_| acts) {
            for text in word.choices().unwrap_or_default() {
                self.substitutes(text);
            }
        }
        if matches!(name, "mapfile" | "readarray" | "compgen")
            && (after("C") || name == "compgen" && after("F"))
        {
            self.hidden.push(call.raw.clone());
        }
    }

    pub(super) fn print(&mut self, state: &mut State, call: &Call) {
        if state.scope.capture {
            let text = self.printed(state, call).unwrap_or(Value::Unknown);
            state.print(&text);
        }
    }
}

/// Whether a builtin that sets something is asked to list it.
fn lists_settings(name: &str, call: &Call) -> bool {
    matches!(name, "set" | "alias" | "trap" | "shopt" | "declare" | "typeset" | "export" | "readonly")
        && call.texts().is_none_or(|texts| texts.first().is_none_or(|first| *first == "-p"))
}
