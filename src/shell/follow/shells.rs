//! Nested shells: `bash -c`, scripts, `eval`, `source`, text on standard input.

use std::path::PathBuf;
use std::sync::Arc;

use crate::knowledge::{lists, places};
use crate::model::{Span, Value};
use crate::shell::interp::{Scope, Shell, parse};
use crate::shell::names::{STDIN, of_a_process};
use crate::shell::simple::Call;
use crate::shell::state::{Flow, Positional, State, Status, Switches};
use crate::shell::step::{Arg, Mode, Stdin, StepKind};
use crate::syntax::{fish, zsh};
use crate::world::FileKind;

use super::command_line::{CommandLine, Source};
use super::startup::TAKES_FUNCTIONS;

/// Programs that read shell text.
pub(crate) fn is_shell(name: &str) -> bool {
    lists(&places().shells, name)
}

impl Shell<'_> {
    /// `bash …`.
    pub(in crate::shell) fn shell_program(&mut self, state: &mut State, name: &str, call: &Call) -> Flow {
        let mut scope = state.scope.through(name);
        scope.source = Arc::from("");
        state.share();
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
            inner.within(&scope, |inner| self.environment_commands(inner, name, call, &environment));
        }
        let asked = CommandLine::of(name, call);
        for first in &asked.first {
            self.shell(&mut inner, |interp, inner| {
                inner.within(&scope, |inner| interp.shell_text(inner, &first.value, first.span))
            });
        }
        for path in &asked.written {
            let kind =
                StepKind::Write { path: path.clone(), mode: Mode::Truncate, noclobber: false, content: None };
            inner.within(&scope, |inner| self.emit_as(inner, call.span, &call.raw, kind));
        }
        if asked.informational {
            self.unknown_result(state);
            state.status = Status::True;
            return Flow::Next;
        }
        let functions = self.exported_functions(&inner);
        new_shell(&mut inner, asked.switches);
        let starting = asked.starting;
        inner.switches.expand_aliases |= starting.interactive;
        inner.exit_traps.clear();
        if starting.no_functions {
            inner.functions = Default::default();
        }
        inner.within(&scope, |inner| self.start_up(inner, name, &starting, call.span));
        for definition in functions.into_iter().filter(|_| name == TAKES_FUNCTIONS && !starting.no_functions)
        {
            inner.within(&scope, |inner| self.shell_text(inner, &Value::Known(definition), call.span));
        }
        // What its start-up files want done when it ends.
        let traps = std::mem::take(&mut inner.exit_traps);
        inner.within(&scope, |inner| self.run_source(inner, name, call, asked.source, asked.rest));
        inner.exit_traps = traps;
        inner.within(&scope, |inner| {
            self.run_exit_traps(inner);
            self.ended(inner, name, &starting, call.span);
        });
        state.after_reader(&inner);
        state.files = inner.files;
        state.output = inner.output;
        state.status = inner.status;
        Flow::Next
    }

    /// Runs what a shell was started for, with the words behind its options.
    fn run_source(&mut self, state: &mut State, name: &str, call: &Call, source: Source, rest: Vec<Arg>) {
        let values = |words: &[Arg]| words.iter().map(|arg| arg.value.clone()).collect::<Vec<_>>();
        let open = call.open();
        match (source, rest.split_first()) {
            (Source::Text, text) => {
                let mut arguments = values(text.map_or(&[], |(_, behind)| behind)).into_iter();
                // fish counts all of them, the others take the first for its name.
                let zero = if state.switches.fish { None } else { arguments.next() };
                state.zero = zero.unwrap_or(Value::known(name));
                state.source = None;
                state.positional = Positional { values: arguments.collect(), open };
                if let Some((text, _)) = text {
                    let scope = &Arc::clone(&state.scope);
                    self.shell(state, |interp, inner| {
                        inner.within(scope, |inner| interp.shell_text(inner, &text.value, text.span))
                    });
                }
            }
            (Source::File, Some((file, behind))) => {
                let switches = state.switches.clone();
                self.script_file_in(state, file, values(behind), switches);
            }
            (Source::Stdin, _) | (Source::File, None) => {
                state.zero = Value::known(name);
                state.positional = Positional { values: values(&rest), open };
                self.shell_from_stdin(state, call.span, &call.raw);
            }
        }
    }

    /// Functions that come to a new shell in variables of this command, as definitions.
    pub(super) fn exported_functions(&self, state: &State) -> Vec<String> {
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
    pub(crate) fn fresh_shell(
        &mut self,
        state: &mut State,
        text: &Value,
        span: Span,
        zero: Value,
        positional: Positional,
    ) {
        let mut inner = state.clone();
        new_shell(&mut inner, Switches::of_any_shell());
        inner.zero = zero;
        inner.source = None;
        inner.positional = positional;
        self.shell(&mut inner, |interp, inner| interp.shell_text(inner, text, span));
        state.files = inner.files;
        state.output = inner.output;
        state.status = inner.status;
    }

    /// Shell text in the current state; `span` is placed.
    pub(in crate::shell) fn shell_text(&mut self, state: &mut State, text: &Value, span: Span) -> Flow {
        match text {
            Value::Known(text) => {
                if !self.tick(state, span) {
                    return Flow::Exit;
                }
                if text.len() as u64 > self.options.limits.script_bytes {
                    self.limit("script size", span, state);
                    return Flow::Exit;
                }
                let brought_over = match &state.switches {
                    switches if switches.fish => Some(fish::to_bash(text)),
                    switches if switches.zsh => Some(zsh::to_bash(text, true)),
                    _ => None,
                };
                let text = brought_over.as_ref().unwrap_or(text);
                let mut inner = state.scope.inside(text, span);
                if inner.followed.is_none() && self.is_read_from_a_file(text) {
                    inner = state.scope.following(&Value::known("a file that is read")).inside(text, span);
                    self.line = None;
                }
                let (script, gaps) = parse(text);
                state.within(&inner, |state| self.gaps(state, &gaps));
                state.within(&inner, |state| self.script(state, &script))
            }
            Value::OneOf(list) => {
                let maybe = state.maybe;
                let ways = list
                    .iter()
                    .map(|text| {
                        let mut way = state.possible();
                        let flow = self.shell_text(&mut way, &Value::known(text), span);
                        (flow, way)
                    })
                    .collect::<Vec<_>>();
                self.come_together(state, maybe, ways)
            }
            Value::Woven(_) if text.woven().is_some_and(super::woven::is_inert) => {
                let text = text.woven().unwrap_or_default().to_owned();
                self.shell_text(state, &Value::Known(text), span)
            }
            other if is_getopt(other) => {
                // `eval set -- "$(getopt …)"`: quoted words.
                state.positional = Positional { values: vec![Value::Unknown], open: true };
                state.status = Status::True;
                Flow::Next
            }
            other => {
                let reason = format!("shell text that is not known before it runs: `{}`", other.display());
                self.emit_as(state, span, &other.display(), StepKind::Opaque { reason });
                self.salvage(state, other, span);
                self.unknown_result(state);
                Flow::Next
            }
        }
    }

    /// The known beginning of a text may hold whole commands.
    fn salvage(&mut self, state: &mut State, text: &Value, span: Span) {
        let prefix = text.prefix();
        let Some(end) = prefix.rfind([';', '\n']) else { return };
        state.perhaps(|state| {
            let known = Value::known(&prefix[..end]);
            let mut way = state.clone();
            self.shell_text(&mut way, &known, span);
            state.files.merge(&way.files);
        });
    }

    /// A shell that reads its commands from standard input.
    pub(in crate::shell) fn shell_from_stdin(&mut self, state: &mut State, span: Span, raw: &str) {
        let scope = &Arc::clone(&state.scope);
        let stdin = state.stdin.clone();
        if stdin == Stdin::Inherited {
            // A person's own shell, or nothing at all.
            state.status = Status::Unknown;
            return;
        }
        let text = self.stdin_text(state, &stdin);
        if let Stdin::File(file) = &stdin {
            // Commands, not data.
            self.file_text(state, file);
        }
        match text {
            Some(text) => {
                state.take(STDIN, Stdin::Empty);
                let scope = &match &stdin {
                    Stdin::File(file) => scope.following(file),
                    _ => Scope::clone(scope),
                };
                self.line = None;
                self.shell(state, |interp, inner| {
                    inner.within(scope, |inner| interp.shell_text(inner, &text, span))
                });
            }
            None => {
                let reason = match &stdin {
                    Stdin::File(path) => format!("the commands in `{}` could not be read", path.display()),
                    _ => "commands that another program prints are run by a shell".to_owned(),
                };
                self.emit_as(state, span, raw, StepKind::Opaque { reason });
                self.unknown_result(state);
            }
        }
    }

    /// A word that names a script which a program runs.
    pub(in crate::shell) fn script_word(&mut self, state: &mut State, file: &Arg, arguments: Vec<Value>) {
        let mut inner = state.clone();
        let switches = Switches::of_any_shell();
        new_shell(&mut inner, switches.clone());
        self.script_file_in(&mut inner, file, arguments, switches);
        state.files = inner.files;
        state.output = inner.output;
        state.status = inner.status;
    }

    pub(super) fn script_file_in(
        &mut self,
        state: &mut State,
        file: &Arg,
        arguments: Vec<Value>,
        switches: Switches,
    ) {
        let scope = &Arc::clone(&state.scope);
        match self.file_text(state, &file.value) {
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
                self.shell(state, |interp, inner| {
                    inner.within(scope, |inner| interp.shell_text(inner, &text, file.span))
                });
            }
            FileText::Missing => state.status = Status::False,
            FileText::Unknown => self.unreadable(state, file),
        }
    }

    fn unreadable(&mut self, state: &mut State, file: &Arg) {
        let shown = file.value.display();
        let reason = format!("the script `{shown}` could not be read");
        self.emit_as(state, file.span, &shown, StepKind::Opaque { reason });
        self.unknown_result(state);
    }

    /// `source file args`.
    pub(in crate::shell) fn source(&mut self, state: &mut State, call: &Call) -> Flow {
        let skip =
            usize::from(call.arguments().first().and_then(|word| word.arg.value.as_known()) == Some("--"));
        let file = match call.arguments().get(skip).map(|word| word.arg.clone()) {
            Some(file) => file,
            // fish reads what comes to it.
            None if state.switches.fish => Arg { value: Value::known("-"), span: call.span, explicit: false },
            None => {
                state.status = Status::False;
                return Flow::Next;
            }
        };
        let mut value = file.value.clone();
        if let Some(name) = value.as_known()
            && !name.contains('/')
            && let Some(path) = self.found_to_source(state, name)
        {
            value = Value::Known(path.to_string_lossy().into_owned());
        }
        let text = match self.file_text(state, &value) {
            FileText::Text(text) => Value::Known(text),
            FileText::Missing => {
                state.status = Status::False;
                return Flow::Next;
            }
            FileText::Unknown => {
                self.unreadable(state, &file);
                // It may have set anything.
                return Flow::Next;
            }
        };
        let arguments =
            call.arguments().iter().skip(1 + skip).map(|word| word.arg.value.clone()).collect::<Vec<_>>();
        let old = (!arguments.is_empty()).then(|| {
            std::mem::replace(&mut state.positional, Positional { values: arguments, open: call.open() })
        });
        let mark = self.escapes.len();
        let returns = std::mem::replace(&mut state.returns, true);
        let source = state.source.replace(file.value.clone());
        self.line = None;
        let mut flow =
            state.within(&state.scope.following(&value), |state| self.shell_text(state, &text, file.span));
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

    /// A file of this name on the search path, which need not be one that may be run.
    fn found_to_source(&self, state: &State, name: &str) -> Option<PathBuf> {
        let path = self.scalar(state, "PATH")?;
        let mut places = path
            .as_known()?
            .split(':')
            .map(|dir| self.absolute(state, &Value::Known(format!("{dir}/{name}"))));
        places
            .find_map(|place| place.filter(|place| self.is_kind(state, place, FileKind::File) == Some(true)))
    }

    /// The text of a script.
    pub(crate) fn file_text(&self, state: &State, value: &Value) -> FileText {
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
        if state.scope.host.is_some() {
            return FileText::Unknown;
        }
        let Some(path) = self.absolute(state, value) else { return FileText::Unknown };
        match self.read_text(state, &path, self.options.limits.script_bytes) {
            Some(text) => FileText::Text(text),
            None if self.exists(state, &path) == Some(false)
                && !state.files.is_brought(&path)
                // A link to an open file of whoever reads it says nothing here.
                && !self.physical(state, &path).is_some_and(|to| of_a_process(&to.to_string_lossy())) =>
            {
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
pub enum FileText {
    Text(String),
    Missing,
    Unknown,
}

/// What a new shell process does not inherit goes.
pub(in crate::shell) fn new_shell(state: &mut State, switches: Switches) {
    let variables = Arc::make_mut(&mut state.variables);
    variables.retain(|_, variable| variable.exported);
    state.functions.retain(|_, definitions| definitions.exported);
    // What the session holds for itself is not handed over; what it exports is this process's environment, too.
    state.unset_is_empty |= state.session && state.scope.host.is_none();
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
