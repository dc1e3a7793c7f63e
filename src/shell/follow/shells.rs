//! Nested shells: `bash -c`, scripts, `eval`, `source`, text on standard input.

use std::sync::Arc;

use crate::model::{Span, Value};
use crate::shell::interp::{Interp, Scope, parse};
use crate::shell::simple::Call;
use crate::shell::state::{Flow, Positional, State, Status, Switches, Words};
use crate::shell::step::{Arg, Stdin, StepKind};
use crate::syntax::{fish, zsh};

use super::startup::Starting;

/// Programs that read shell text.
pub(in crate::shell) fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "ash" | "rbash" | "yash" | "fish" | "ksh93"
    )
}

impl Interp<'_> {
    /// `bash …`.
    pub(in crate::shell) fn shell_program(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        call: &Call,
    ) -> Flow {
        let mut inner_scope = scope.through(name);
        inner_scope.source = Arc::from("");
        let mut inner = state.clone();
        for (name, value) in &call.environment {
            self.assign_scalar(&mut inner, name, value.clone());
            if let Some(variable) = Arc::make_mut(&mut inner.variables).get_mut(name) {
                variable.exported = true;
            }
        }
        let mut environment = self.exported(state);
        environment.extend(call.environment.iter().cloned());
        if !environment.is_empty() {
            self.environment_commands(&mut inner, &inner_scope, name, call, &environment);
        }
        let mut starting = Starting::default();
        let mut switches = Switches::of_shell(name);
        let mut command = false;
        let mut from_stdin = false;
        let mut words = call.arguments().iter();
        let mut rest: Vec<Arg> = Vec::new();
        while let Some(word) = words.next() {
            let Value::Known(text) = &word.arg.value else {
                rest.push(word.arg.clone());
                break;
            };
            match text.as_str() {
                "--version" | "--help" | "--dump-strings" | "--dump-po-strings" => {
                    self.unknown_result(state, scope);
                    state.status = Status::True;
                    return Flow::Next;
                }
                "--rcfile" | "--init-file" => {
                    starting.file = words.next().map(|word| word.arg.clone());
                }
                "--norc" | "--no-config" | "--no-rcs" => starting.bare = true,
                "--" | "-" => break,
                long if long.starts_with("--") => {
                    if long == "--command" {
                        command = true;
                    } else if long == "--posix" {
                        starting.no_variables = true;
                    } else if long == "--login" {
                        starting.login = true;
                    } else if long == "--noprofile" {
                        starting.no_profile = true;
                    } else if long == "--emulate" {
                        words.next();
                        switches.words = Words::Unsure;
                    }
                }
                short if short.len() > 1 && short.starts_with(['-', '+']) => {
                    let on = short.starts_with('-');
                    for letter in short.chars().skip(1) {
                        match letter {
                            'c' => command = true,
                            'C' if name == "fish" => {
                                if let Some(word) = words.next() {
                                    let text = word.arg.value.clone();
                                    self.shell(&mut inner, |interp, inner| {
                                        interp.shell_text(inner, &inner_scope, &text, word.arg.span)
                                    });
                                }
                            }
                            's' => from_stdin = true,
                            'l' => starting.login |= on,
                            'p' if name == "bash" && on => {
                                (starting.no_variables, starting.no_functions) = (true, true);
                            }
                            'i' => {
                                starting.interactive |= on;
                                switches.execfail |= on;
                            }
                            'f' if switches.zsh => starting.bare = true,
                            'N' if name == "fish" => starting.bare = true,
                            'y' if switches.zsh => switches.words = Words::Split,
                            'o' | 'O' => {
                                let option = words.next().and_then(|word| word.arg.value.as_known());
                                starting.no_variables |= on && matches!(option, Some("posix" | "privileged"));
                                starting.no_functions |= on && option == Some("privileged");
                                if switches.zsh {
                                    crate::shell::zsh::switch_or_doubt(&mut switches, option, on);
                                } else if let Some(option) = option {
                                    crate::shell::builtins::switch(&mut switches, option, on);
                                }
                            }
                            other => crate::shell::builtins::letter(&mut switches, other, on),
                        }
                    }
                }
                _ => {
                    rest.push(word.arg.clone());
                    break;
                }
            }
        }
        rest.extend(words.map(|word| word.arg.clone()));
        let open = call.open();
        let functions = self.exported_functions(&inner);
        new_shell(&mut inner, switches);
        if starting.no_functions {
            inner.functions = Default::default();
        }
        let span = rest.first().map_or(call.span, |arg| arg.span);
        self.start_up(&mut inner, &inner_scope, name, &starting, call.span);
        for definition in functions.into_iter().filter(|_| name == "bash" && !starting.no_functions) {
            self.shell_text(&mut inner, &inner_scope, &Value::Known(definition), call.span);
        }
        if command {
            let mut arguments = rest.iter().skip(1).map(|arg| arg.value.clone());
            // fish counts all of them, the others take the first for its name.
            inner.zero =
                if inner.switches.fish { None } else { arguments.next() }.unwrap_or(Value::known(name));
            inner.source = None;
            inner.positional = Positional { values: arguments.collect(), open };
            if let Some(text) = rest.first() {
                let text = text.value.clone();
                self.shell(&mut inner, |interp, inner| interp.shell_text(inner, &inner_scope, &text, span));
            }
        } else if from_stdin || rest.is_empty() {
            inner.zero = Value::known(name);
            inner.positional =
                Positional { values: rest.iter().map(|arg| arg.value.clone()).collect(), open };
            self.shell_from_stdin(&mut inner, &inner_scope, call.span, &call.raw);
        } else if let Some(file) = rest.first() {
            let arguments = rest.iter().skip(1).map(|arg| arg.value.clone()).collect();
            let switches = inner.switches.clone();
            self.script_file_in(&mut inner, &inner_scope, file, arguments, switches);
        }
        state.files = inner.files;
        state.output = inner.output;
        state.status = inner.status;
        state.stdin = inner.stdin;
        Flow::Next
    }

    /// Functions that come to a new shell in variables of this command, as definitions.
    fn exported_functions(&self, state: &State) -> Vec<String> {
        let mut found = Vec::new();
        for (name, value) in self.exported(state) {
            let function = name.strip_prefix("BASH_FUNC_").and_then(|name| name.strip_suffix("%%"));
            if let (Some(function), Some(body)) = (function, value.as_known()) {
                found.push(format!("{function} {body}"));
            }
        }
        found
    }

    /// Text for a shell of its own with the exported part of this one's state.
    pub(in crate::shell) fn fresh_shell(
        &mut self,
        state: &mut State,
        scope: &Scope,
        text: &Value,
        span: Span,
        zero: Value,
        positional: Positional,
    ) {
        let mut inner = state.clone();
        new_shell(&mut inner, Switches::default());
        inner.zero = zero;
        inner.source = None;
        inner.positional = positional;
        self.shell(&mut inner, |interp, inner| interp.shell_text(inner, scope, text, span));
        state.files = inner.files;
        state.output = inner.output;
        state.status = inner.status;
    }

    /// Shell text in the current state; `span` is placed.
    pub(in crate::shell) fn shell_text(
        &mut self,
        state: &mut State,
        scope: &Scope,
        text: &Value,
        span: Span,
    ) -> Flow {
        match text {
            Value::Known(text) => {
                if !self.tick(state, scope, span) {
                    return Flow::Exit;
                }
                if text.len() as u64 > self.options.limits.script_bytes {
                    self.limit("script size", scope, span, state);
                    return Flow::Exit;
                }
                let brought_over = match &state.switches {
                    switches if switches.fish => Some(fish::to_bash(text)),
                    switches if switches.zsh => Some(zsh::to_bash(text, true)),
                    _ => None,
                };
                let text = brought_over.as_ref().unwrap_or(text);
                let mut inner = scope.inside(text, span);
                if inner.followed.is_none() && self.is_read_from_a_file(text) {
                    inner = scope.following(&Value::known("a file that is read")).inside(text, span);
                    self.line = None;
                }
                let (script, gaps) = parse(text);
                self.gaps(state, &inner, &gaps);
                self.script(state, &inner, &script)
            }
            Value::OneOf(list) => {
                let maybe = state.maybe;
                let ways = list
                    .iter()
                    .map(|text| {
                        let mut way = state.clone();
                        way.maybe = true;
                        let flow = self.shell_text(&mut way, scope, &Value::known(text), span);
                        (flow, way)
                    })
                    .collect::<Vec<_>>();
                self.come_together(state, maybe, ways)
            }
            other if is_getopt(other) => {
                // `eval set -- "$(getopt …)"`: quoted words.
                state.positional = Positional { values: vec![Value::Unknown], open: true };
                state.status = Status::True;
                Flow::Next
            }
            other => {
                let reason = format!("shell text that is not known before it runs: `{}`", other.display());
                self.emit_as(state, scope, span, &other.display(), StepKind::Opaque { reason });
                self.salvage(state, scope, other, span);
                self.unknown_result(state, scope);
                Flow::Next
            }
        }
    }

    /// The known beginning of a text may hold whole commands.
    fn salvage(&mut self, state: &mut State, scope: &Scope, text: &Value, span: Span) {
        let prefix = text.prefix();
        let Some(end) = prefix.rfind([';', '\n']) else { return };
        let maybe = state.maybe;
        state.maybe = true;
        let known = Value::known(&prefix[..end]);
        let mut way = state.clone();
        self.shell_text(&mut way, scope, &known, span);
        state.files.merge(&way.files);
        state.maybe = maybe;
    }

    /// A shell that reads its commands from standard input.
    pub(in crate::shell) fn shell_from_stdin(
        &mut self,
        state: &mut State,
        scope: &Scope,
        span: Span,
        raw: &str,
    ) {
        let stdin = state.stdin.clone();
        if stdin == Stdin::Inherited {
            // A person's own shell, or nothing at all.
            state.status = Status::Unknown;
            return;
        }
        match self.stdin_text(state, &stdin) {
            Some(text) => {
                state.stdin = Stdin::Empty;
                let scope = &match &stdin {
                    Stdin::File(file) => scope.following(file),
                    _ => scope.clone(),
                };
                self.line = None;
                self.shell(state, |interp, inner| interp.shell_text(inner, scope, &text, span));
            }
            None => {
                let reason = match &stdin {
                    Stdin::File(path) => format!("the commands in `{}` could not be read", path.display()),
                    _ => "commands that another program prints are run by a shell".to_owned(),
                };
                self.emit_as(state, scope, span, raw, StepKind::Opaque { reason });
                self.unknown_result(state, scope);
            }
        }
    }

    /// A word that names a script which a program runs.
    pub(in crate::shell) fn script_word(
        &mut self,
        state: &mut State,
        scope: &Scope,
        file: &Arg,
        arguments: Vec<Value>,
    ) {
        let mut inner = state.clone();
        new_shell(&mut inner, Switches::default());
        self.script_file_in(&mut inner, scope, file, arguments, Switches::default());
        state.files = inner.files;
        state.output = inner.output;
        state.status = inner.status;
    }

    pub(super) fn script_file_in(
        &mut self,
        state: &mut State,
        scope: &Scope,
        file: &Arg,
        arguments: Vec<Value>,
        switches: Switches,
    ) {
        match self.file_text(state, scope, &file.value) {
            FileText::Text(text) => {
                state.switches = switches;
                state.zero = file.value.clone();
                state.source = Some(file.value.clone());
                // A word that is not known may be any number of words, or it is a list that the caller does not know.
                let open = arguments.contains(&Value::Unknown);
                state.positional = Positional { values: arguments, open };
                let text = Value::Known(text);
                let scope = &scope.following(&file.value);
                self.line = None;
                self.shell(state, |interp, inner| interp.shell_text(inner, scope, &text, file.span));
            }
            FileText::Missing => state.status = Status::False,
            FileText::Unknown => self.unreadable(state, scope, file),
        }
    }

    fn unreadable(&mut self, state: &mut State, scope: &Scope, file: &Arg) {
        let shown = file.value.display();
        let reason = format!("the script `{shown}` could not be read");
        self.emit_as(state, scope, file.span, &shown, StepKind::Opaque { reason });
        self.unknown_result(state, scope);
    }

    /// `source file args`.
    pub(in crate::shell) fn source(&mut self, state: &mut State, scope: &Scope, call: &Call) -> Flow {
        let Some(file) = call.arguments().first().map(|word| word.arg.clone()) else {
            state.status = Status::False;
            return Flow::Next;
        };
        let mut value = file.value.clone();
        if let Some(name) = value.as_known()
            && !name.contains('/')
            && let Some(path) = self.in_path(state, name)
        {
            value = Value::Known(path.to_string_lossy().into_owned());
        }
        let text = match self.file_text(state, scope, &value) {
            FileText::Text(text) => Value::Known(text),
            FileText::Missing => {
                state.status = Status::False;
                return Flow::Next;
            }
            FileText::Unknown => {
                self.unreadable(state, scope, &file);
                // It may have set anything.
                return Flow::Next;
            }
        };
        let arguments =
            call.arguments().iter().skip(1).map(|word| word.arg.value.clone()).collect::<Vec<_>>();
        let old = (!arguments.is_empty()).then(|| {
            std::mem::replace(&mut state.positional, Positional { values: arguments, open: call.open() })
        });
        let mark = self.escapes.len();
        let returns = std::mem::replace(&mut state.returns, true);
        let source = state.source.replace(file.value.clone());
        self.line = None;
        let mut flow = self.shell_text(state, &scope.following(&value), &text, file.span);
        state.source = source;
        if flow == Flow::Return {
            flow = Flow::Next;
        }
        for (kind, way) in self.escapes.split_off(mark.min(self.escapes.len())) {
            if kind == Flow::Return && flow == Flow::Next {
                *state = state.clone().join(way);
            } else {
                self.escapes.push((kind, way));
            }
        }
        if let Some(old) = old {
            state.positional = old;
        }
        state.returns = returns;
        flow
    }

    /// The text of a script.
    pub(in crate::shell) fn file_text(&self, state: &State, scope: &Scope, value: &Value) -> FileText {
        if let Some(name) = value.as_known() {
            if matches!(name, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-") {
                return match self.stdin_text(state, &state.stdin) {
                    Some(Value::Known(text)) => FileText::Text(text),
                    _ => FileText::Unknown,
                };
            }
            if name == "/dev/null" {
                return FileText::Text(String::new());
            }
            if let Some(input) = state.descriptors.get(name) {
                return match self.stdin_text(state, input) {
                    Some(Value::Known(text)) => FileText::Text(text),
                    _ => FileText::Unknown,
                };
            }
        }
        if scope.host.is_some() {
            return FileText::Unknown;
        }
        let Some(path) = self.absolute(state, value) else { return FileText::Unknown };
        match self.read_text(state, &path, self.options.limits.script_bytes) {
            Some(text) => FileText::Text(text),
            None if self.exists(state, &path) == Some(false) && !state.files.is_brought(&path) => {
                FileText::Missing
            }
            None => FileText::Unknown,
        }
    }
}

/// `set -- ` and something not known: what `getopt` is made for.
fn is_getopt(text: &Value) -> bool {
    matches!(text.prefix().trim_start().strip_prefix("set --"), Some(rest) if rest.trim().is_empty())
}

/// What is known of a file's text.
pub(in crate::shell) enum FileText {
    Text(String),
    Missing,
    Unknown,
}

/// What a new shell process does not inherit goes.
pub(in crate::shell) fn new_shell(state: &mut State, switches: Switches) {
    let variables = Arc::make_mut(&mut state.variables);
    variables.retain(|_, variable| variable.exported);
    state.functions.retain(|_, definitions| definitions.exported);
    state.session = false;
    state.aliases.clear();
    state.shadowed.clear();
    state.stack.clear();
    state.exit_traps.clear();
    // fish has variables that it keeps between its sessions.
    state.unset_is_empty &= !switches.fish;
    state.switches = switches;
    state.positional = Positional::default();
    state.returns = false;
    state.loops = 0;
}
