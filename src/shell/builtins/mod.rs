//! Commands that the shell itself carries out.

mod declare;
mod directory;
mod flow;
mod getopts;
mod options;
mod printf;
mod read;

use crate::model::Value;

use super::interp::{Interp, Scope};
use super::simple::Call;
use super::state::{Alias, Flow, State, Status};
use super::step::{Arg, Mode, StepKind};

pub(super) use options::{letter, switch};
pub(super) use printf::{decode_escapes, format_printf};

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

impl Interp<'_> {
    /// Carries out a builtin; `None` when there is none of this name.
    pub(super) fn builtin(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        call: &Call,
    ) -> Option<Flow> {
        if !is_builtin(name) {
            return None;
        }
        if call.texts().is_some_and(|texts| texts == ["--help"])
            && !matches!(name, "echo" | "test" | "[" | ":" | "true" | "false")
        {
            self.unknown_result(state, scope);
            return Some(Flow::Next);
        }
        self.names_expanded(name, call);
        let lists = |texts: Vec<&str>| texts.first().is_none_or(|first| *first == "-p");
        if scope.capture
            && matches!(
                name,
                "set" | "alias" | "trap" | "shopt" | "declare" | "typeset" | "export" | "readonly"
            )
            && call.texts().is_none_or(lists)
        {
            // What the shell has is listed.
            state.print(&Value::Unknown);
        }
        let done = |state: &mut State, status: Status| {
            state.status = status;
            Some(Flow::Next)
        };
        if name == "disown" {
            state.files.forget_unfinished();
        }
        match name {
            "enable" | "hash" if call.texts().is_none_or(|texts| texts.iter().any(|t| rebinds(name, t))) => {
                let reason = "names come to mean other programs from here on".to_owned();
                self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
                done(state, Status::Unknown)
            }
            ":" | "true" | "jobs" | "bg" | "fg" | "disown" | "umask" | "ulimit" | "times" | "bind"
            | "complete" | "compopt" | "enable" | "help" | "caller" | "suspend" | "dirs" | "compgen" => {
                if scope.capture && !matches!(name, ":" | "true") {
                    state.print(&Value::Unknown);
                }
                done(state, Status::True)
            }
            "false" => done(state, Status::False),
            "history" => {
                self.history(state, scope, call);
                if scope.capture {
                    state.print(&Value::Unknown);
                }
                done(state, Status::True)
            }
            "echo" | "pwd" => {
                self.print(state, scope, call);
                done(state, Status::True)
            }
            "printf" => {
                self.printf(state, scope, call);
                done(state, Status::True)
            }
            "test" => {
                let status = self.test_words(state, scope, &call.values());
                done(state, status)
            }
            "[" => {
                let mut words = call.values();
                if words.pop().as_ref().and_then(Value::as_known) != Some("]") {
                    return done(state, Status::False);
                }
                let status =
                    if call.open() { Status::Unknown } else { self.test_words(state, scope, &words) };
                done(state, status)
            }
            "cd" => Some(self.cd(state, scope, call)),
            "pushd" => Some(self.pushd(state, scope, call)),
            "popd" => Some(self.popd(state, call)),
            "eval" => Some(self.eval(state, scope, call)),
            "source" | "." => Some(self.source(state, scope, call)),
            "exec" => Some(self.exec(state, scope, call)),
            "command" | "builtin" => Some(self.command_builtin(state, scope, name, call)),
            "exit" | "logout" => {
                self.exit_status(state, call);
                Some(Flow::Exit)
            }
            "return" => {
                if !state.returns {
                    return done(state, Status::False);
                }
                self.exit_status(state, call);
                Some(Flow::Return)
            }
            "break" | "continue" => {
                let levels = call.texts().and_then(|t| t.first()?.parse().ok()).unwrap_or(1usize).max(1);
                state.status = Status::True;
                let levels = levels.min(state.loops);
                if levels == 0 {
                    return Some(Flow::Next);
                }
                Some(if name == "break" { Flow::Break(levels) } else { Flow::Continue(levels) })
            }
            "trap" => Some(self.trap(state, scope, call)),
            "fc" => {
                if !call
                    .texts()
                    .is_some_and(|texts| texts.iter().any(|t| t.starts_with('-') && t.contains('l')))
                {
                    let reason = "a command of the history is run again".to_owned();
                    self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
                }
                done(state, Status::Unknown)
            }
            "wait" => {
                // Which job is meant by a number is not known, so only waiting for all counts, or for the only one.
                if call.values().is_empty()
                    || (state.files.unfinished_jobs() == 1 && !call.values().contains(&Value::known("-n")))
                {
                    state.files.finish_copies();
                }
                done(state, Status::Unknown)
            }
            "set" => Some(self.set(state, call)),
            "shift" => Some(self.shift(state, call)),
            "shopt" => Some(self.shopt(state, call)),
            "getopts" => Some(self.getopts(state, call)),
            "let" => Some(self.let_builtin(state, call)),
            "unset" => Some(self.unset_builtin(state, call)),
            "read" => Some(self.read(state, call)),
            "mapfile" | "readarray" => Some(self.mapfile(state, scope, call)),
            "alias" => {
                Self::zsh_alias(state, call);
                for word in call.arguments() {
                    if let Some((name, text)) = word.arg.value.as_known().and_then(|t| t.split_once('=')) {
                        let end = scope.source.len().min(word.arg.span.end);
                        let defined = scope.span.is_none().then_some((scope.source.as_ptr() as usize, end));
                        state.aliases.insert(name.to_owned(), Alias { text: text.to_owned(), defined });
                    }
                }
                done(state, Status::True)
            }
            "unalias" => {
                match call.texts() {
                    Some(texts) if texts.contains(&"-a") => state.aliases.clear(),
                    Some(texts) => state.aliases.retain(|name, _| !texts.contains(&name.as_str())),
                    None => {}
                }
                done(state, Status::True)
            }
            "type" | "hash" => {
                if scope.capture {
                    state.print(&Value::Unknown);
                }
                let status = self.found_all(state, &call.values());
                done(state, status)
            }
            "declare" | "typeset" | "export" | "readonly" | "local" => {
                Some(self.declare_words(state, name, call))
            }
            _ => None,
        }
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
        if matches!(name, "mapfile" | "readarray" | "compgen") && after("C") {
            self.hidden.push(call.raw.clone());
        }
    }

    /// `history -w file` writes over the file, the shell's own list when none is named.
    fn history(&mut self, state: &mut State, scope: &Scope, call: &Call) {
        let mut words = call.arguments().iter();
        while let Some(word) = words.next() {
            let Some(option) = word.arg.value.as_known().and_then(|text| text.strip_prefix('-')) else {
                return;
            };
            let mode = match option.chars().last() {
                Some('w') => Mode::Truncate,
                Some('a') => Mode::Append,
                _ => continue,
            };
            let path = match words.next() {
                Some(file) => file.arg.clone(),
                None => match self.scalar(state, "HISTFILE") {
                    Some(value) if value.as_known() != self.world.env("HISTFILE").as_deref() => {
                        Arg { value, span: word.arg.span, explicit: false }
                    }
                    // The list that it was read from.
                    _ => return,
                },
            };
            let kind = StepKind::Write { path, mode, noclobber: false, content: None };
            self.emit_as(state, scope, call.span, &call.raw, kind);
            return;
        }
    }

    fn print(&mut self, state: &mut State, scope: &Scope, call: &Call) {
        if scope.capture {
            let text = self.printed(state, scope, call).unwrap_or(Value::Unknown);
            state.print(&text);
        }
    }

    /// Whether every name can be run.
    fn found_all(&self, state: &State, names: &[Value]) -> Status {
        let mut all = Status::True;
        for name in names {
            let Some(name) = name.as_known() else { return Status::Unknown };
            if name.starts_with('-') {
                continue;
            }
            let found = state.functions.get(name).is_some_and(|f| !f.maybe_undefined)
                || is_builtin(name)
                || self.in_path(state, name).is_some()
                || (name.contains('/')
                    && self
                        .absolute(state, &Value::known(name))
                        .is_some_and(|path| self.exists(state, &path) == Some(true)));
            if !found {
                all = if state.aliases.contains_key(name)
                    || state.functions.contains_key(name)
                    || !state.unset_is_empty
                {
                    Status::Unknown
                } else {
                    return Status::False;
                };
            }
        }
        all
    }
}

/// Whether an option of `enable` or `hash` lets a name mean another program.
fn rebinds(builtin: &str, option: &str) -> bool {
    let letter = if builtin == "enable" { 'f' } else { 'p' };
    option.starts_with('-') && option.contains(letter)
}
