//! What a program runs as its declaration says: commands, scripts, code and libraries among its words, and what it reads
//! from standard input. Each role of a nested part is one way of running.

use std::sync::Arc;

use crate::knowledge::{Match, Nested, lists, match_words, places};
use crate::model::{Span, Value};

use super::expand::Expansion;
use super::follow::{Code, reading};
use super::interp::{Scope, Shell};
use super::simple::Call;
use super::state::{Flow, State, Status};
use super::step::{Arg, Stdin, StepKind};

/// The tool whose commands are the lines of simple text protocols (memcached, redis).
pub(super) const TEXT_PROTOCOL: &str = "text-protocol";

/// Directories of modules that a command line names (`perl -I lib`).
fn roots(matched: &Match) -> Vec<String> {
    matched.values("-I").into_iter().filter_map(Value::as_known).map(str::to_owned).collect()
}

/// The words of a nested part, as the command has them where they are the same.
fn words_of(call: &Call, part: &Nested) -> Vec<Expansion> {
    let word_of = |(index, value): (&usize, &Value)| match call.words.get(index + 1) {
        Some(word) if part.role == "argv" && word.arg.value == *value => word.clone(),
        // The declaration reads no more of it than the beginning and the end.
        Some(word)
            if matches!(word.arg.value, Value::Woven(_)) && word.arg.value.clone().plain() == *value =>
        {
            word.clone()
        }
        Some(word) => Expansion {
            arg: Arg { value: value.clone(), span: word.arg.span, explicit: word.arg.explicit },
            elastic: word.elastic,
            unordered: false,
        },
        None => Expansion {
            arg: Arg { value: value.clone(), span: call.span, explicit: false },
            elastic: false,
            unordered: false,
        },
    };
    part.indices.iter().zip(&part.values).map(word_of).collect()
}

/// The words of a command that stands in one word, with commas between them.
fn between_commas(word: &Expansion) -> Vec<Expansion> {
    let (arg, elastic) = (&word.arg, word.elastic);
    let texts: Vec<Value> = match arg.value.as_known() {
        Some(text) => text.split(',').map(Value::known).collect(),
        None => vec![arg.value.clone()],
    };
    let one = |value| Expansion { arg: Arg { value, ..arg.clone() }, elastic, unordered: false };
    texts.into_iter().map(one).collect()
}

/// The shell texts that a JSON list holds, one a line; what is no list is one text.
fn listed(value: &Value) -> Value {
    let Some(text) = value.as_known() else { return value.clone() };
    if !text.trim_start().starts_with(['[', '{']) {
        return value.clone();
    }
    let texts: Option<Vec<String>> = serde_json::from_str(text).ok();
    texts.map_or(Value::Unknown, |texts| Value::known(texts.join("\n")))
}

impl Shell<'_> {
    /// What a program runs, as its declaration says. `None` when it runs nothing.
    pub(super) fn nested(
        &mut self,
        state: &mut State,
        name: &str,
        call: &Call,
        matched: &Match,
    ) -> Option<Flow> {
        let nested = matched.nested();
        let stdin_role = matched.stdin_role().map(str::to_owned);
        if nested.is_empty() && stdin_role.is_none() {
            return None;
        }
        // Only of a text whose signs are known a program may leave what is told without running it.
        let printed = if state.scope.capture { self.printed(state, call) } else { None };
        let printed = printed.filter(|text| matches!(text, Value::Woven(_)));
        let (inner_scope, mut inner) = self.inside_of(state, name, call, matched);
        let mut runs = 0;
        for part in &nested {
            let ran = if part.here {
                state.within(&state.scope.through(name), |state| self.run_part(state, call, matched, part))
            } else {
                inner.within(&inner_scope, |inner| self.run_part(inner, call, matched, part))
            };
            if part.here {
                inner.files = state.files.clone();
            }
            runs += usize::from(ran);
        }
        let codes = nested.iter().any(|part| {
            // `-` stands for standard input.
            let read = part.values.first().and_then(Value::as_known) != Some("-");
            read && (part.role.starts_with("code") || part.role.starts_with("script"))
        });
        if let Some(role) = stdin_role.filter(|_| !codes) {
            runs +=
                usize::from(inner.within(&inner_scope, |inner| self.run_stdin(inner, call, matched, &role)));
        }
        if runs == 0 {
            return None;
        }
        state.after_reader(&inner);
        state.files = inner.files;
        state.output = inner.output;
        let hands_on = runs == 1 && lists(&places().becomes, name) && nested.iter().any(|p| p.role == "argv");
        state.status = if hands_on { inner.status } else { Status::Unknown };
        if state.scope.capture && !nested.iter().any(|p| p.role == "argv" || p.role == "shell") {
            state.print(&printed.unwrap_or(Value::Unknown));
        }
        Some(Flow::Next)
    }

    /// The circumstances and the state in which a program runs what it runs: its host, its directory, its variables.
    fn inside_of(&mut self, state: &mut State, name: &str, call: &Call, matched: &Match) -> (Scope, State) {
        let mut inner_scope = state.scope.through(name);
        inner_scope.privileged |= matched.privileged();
        state.share();
        let mut inner = state.clone();
        inner.go_out();
        for dir in matched.cwd() {
            inner.cwd = self.directories(&inner, &dir);
        }
        let home = matched.home_of().map(|user| self.home_of(state, &user));
        if let Some(home) = &home {
            inner.cwd = home.choices().unwrap_or_default().iter().map(std::path::PathBuf::from).collect();
        }
        if let Some(host) = matched.host() {
            // What a container reaches from within is another one's, and no longer its own.
            inner_scope.fresh = matched.makes_host() && (inner_scope.host.is_none() || inner_scope.fresh);
            inner_scope.host = Some(host.display());
            inner.cwd = Vec::new();
            inner.unset_is_empty = false;
            inner.variables = Arc::default();
        }
        // What goes to another host, goes there by an option.
        if matched.host().is_some() {
            self.lend(&mut inner, &call.environment);
        } else {
            self.hand_on(&mut inner, &call.environment);
        }
        if let Some(home) = home {
            self.assign_scalar(&mut inner, "HOME", home);
        }
        for given in matched.operands("assignment") {
            let text = given.value.prefix();
            let Some((name, value)) = text.split_once('=') else { continue };
            let value = match given.value.as_known() {
                Some(_) => Value::known(value),
                None => Value::known(value).concat(&Value::Unknown),
            };
            self.watch(name, Some(&value));
            self.assign_scalar(&mut inner, name, value);
            if let Some(variable) = Arc::make_mut(&mut inner.variables).get_mut(name) {
                variable.exported = true;
            }
        }
        inner.status = Status::Unknown;
        (inner_scope, inner)
    }

    /// Runs one nested part, by its role; false when it is nothing that is run.
    fn run_part(&mut self, state: &mut State, call: &Call, matched: &Match, part: &Nested) -> bool {
        let mut words = words_of(call, part);
        let span = words.first().map_or(call.span, |word| word.arg.span);
        let (kind, language) = part.role.split_once(':').unwrap_or((part.role.as_str(), ""));
        match (kind, words.first()) {
            ("argv", _) => {
                if state.scope.via.last().is_some_and(|via| Self::fetches(via)) {
                    self.name_package(&mut words);
                }
                self.program(state, words, span);
            }
            ("program", _) => {
                let further = matched.operands.iter().filter(|operand| operand.role == "arguments");
                words.extend(further.filter_map(|operand| call.words.get(operand.index + 1).cloned()));
                self.program(state, words, span);
            }
            ("commas", Some(word)) => {
                let words = between_commas(word);
                self.program(state, words, span);
            }
            ("shell", _) => {
                let text = words.iter().enumerate().fold(Value::known(""), |text, (index, word)| {
                    let text = if index > 0 { text.concat(&Value::known(" ")) } else { text };
                    text.concat(&word.arg.value)
                });
                let (zero, positional) = (state.zero.clone(), state.positional.clone());
                self.fresh_shell(state, &text, span, zero, positional);
            }
            ("shell-list", Some(word)) => {
                let text = listed(&word.arg.value);
                let (zero, positional) = (state.zero.clone(), state.positional.clone());
                self.fresh_shell(state, &text, span, zero, positional);
            }
            ("script", Some(word)) => self.run_script(state, call, matched, part, language, &word.arg),
            ("code", Some(word)) => {
                let arguments = self.code_arguments(matched, part);
                let text = Value::Known(self.programs.preloads(matched)).concat(&word.arg.value);
                let (reading, roots) = (reading(matched), roots(matched));
                let (raw, arguments) = (call.raw.as_str(), arguments.as_slice());
                let code = Code { language, text: &text, arguments, file: None, roots, reading, span, raw };
                self.run_code(state, code);
            }
            ("library", Some(word)) => return self.loaded(state, &word.arg.value, span, &call.raw),
            _ => return false,
        }
        true
    }

    /// Runs a file of shell text or of code.
    fn run_script(
        &mut self,
        state: &mut State,
        call: &Call,
        matched: &Match,
        part: &Nested,
        language: &str,
        file: &Arg,
    ) {
        let arguments = self.after(call, part);
        if matches!(language, "" | "sh" | "bash" | "shell") {
            return self.script_word(state, file, arguments);
        }
        let at = part.indices.first().map_or(1, |index| index + 1);
        if !self.with_switches(state, call, matched, language, at) {
            self.code_file_in(state, language, file, &arguments, roots(matched));
        }
    }

    /// The program that a package brings, by the name that it is known under: `pkg@1.2` brings `pkg`.
    fn name_package(&self, words: &mut [Expansion]) {
        let Some(Value::Known(package)) = words.first_mut().map(|word| &mut word.arg.value) else { return };
        let scoped = package.starts_with('@') && package.matches('/').count() == 1;
        if (scoped || !package.contains('/'))
            && let Some(at) = package.rfind('@').filter(|at| *at > 0)
        {
            package.truncate(at);
        }
        // A scope is no directory: `@angular/cli` stands in the knowledge as `@angular:cli`.
        let name = package.replace('/', ":");
        if scoped && self.knowledge.tool(&name).is_some() {
            *package = name;
            return;
        }
        // What npm brings may bear the name of another program.
        let name = format!("npx:{package}");
        if self.knowledge.tool(&name).is_some() {
            *package = name;
        }
    }

    /// Values of the words behind a nested part.
    fn after(&self, call: &Call, part: &Nested) -> Vec<Value> {
        let last = part.indices.last().copied().unwrap_or(0);
        call.words.iter().skip(last + 2).map(|word| word.arg.value.clone()).collect()
    }

    /// What a code's own arguments are: the operands that are not code.
    fn code_arguments(&self, matched: &Match, part: &Nested) -> Vec<Value> {
        matched
            .operands
            .iter()
            .filter(|operand| !part.indices.contains(&operand.index))
            .map(|operand| operand.value.clone())
            .collect()
    }

    /// Runs what a program reads from standard input, by its role; false when nothing is known to be run.
    fn run_stdin(&mut self, state: &mut State, call: &Call, matched: &Match, role: &str) -> bool {
        let scope = &Arc::clone(&state.scope);
        let (kind, language) = role.split_once(':').unwrap_or((role, ""));
        let followed = match &state.stdin {
            Stdin::File(file) => scope.following(file),
            _ => Scope::clone(scope),
        };
        match kind {
            "shell" => {
                self.shell_from_stdin(state, call.span, &call.raw);
                true
            }
            "commands" => {
                let stdin = state.stdin.clone();
                match self.stdin_text(state, &stdin) {
                    Some(text) => {
                        self.line = None;
                        state
                            .within(&followed, |state| self.command_lines(state, language, &text, call.span));
                    }
                    // What is typed is seen by who types it; a stream to any server is mostly data.
                    None if stdin == Stdin::Inherited || language == TEXT_PROTOCOL => {
                        return false;
                    }
                    None => {
                        let reason = format!("commands for {language} come from what cannot be read");
                        self.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
                    }
                }
                true
            }
            "code" => match self.stdin_text(state, &state.stdin.clone()) {
                Some(text) => {
                    let arguments =
                        matched.operands.iter().map(|operand| operand.value.clone()).collect::<Vec<_>>();
                    self.line = None;
                    state.within(&followed, |state| {
                        self.code(state, language, &text, &arguments, call.span, &call.raw)
                    });
                    true
                }
                None if state.stdin == Stdin::Inherited => false,
                None => {
                    let reason = format!("{language} code that another program prints is run");
                    self.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
                    true
                }
            },
            _ => false,
        }
    }

    /// Whether a wrapper fetches the program that it runs, as a package.
    pub(super) fn fetches(wrapper: &str) -> bool {
        lists(&places().fetches, wrapper)
    }

    fn is_dangerous(&self, tool: &str, words: &[String]) -> bool {
        let values = words.iter().map(Value::known).collect::<Vec<_>>();
        self.knowledge.tool(tool).is_some_and(|tool| match_words(&tool, &values).is_dangerous())
    }

    /// Lines that are commands of a tool: its arguments, as they would stand behind its name.
    pub(super) fn command_lines(&mut self, state: &mut State, tool: &str, text: &Value, span: Span) {
        let Some(texts) = text.choices() else {
            if tool != TEXT_PROTOCOL {
                let reason = format!("commands for {tool} are not known before they run");
                self.emit_as(state, span, &text.display(), StepKind::Opaque { reason });
            }
            return;
        };
        let mut inner = state.clone();
        inner.feed(Stdin::Empty);
        for line in texts.iter().flat_map(|text| text.lines()) {
            let words = shell_words::split(line)
                .unwrap_or_else(|_| line.split_whitespace().map(str::to_owned).collect());
            // Most of what goes over a connection is data.
            let says_nothing = tool == TEXT_PROTOCOL && !self.is_dangerous(tool, &words);
            if words.is_empty() || says_nothing {
                continue;
            }
            if !self.tick(&mut inner, span) {
                break;
            }
            let args = std::iter::once(tool.to_owned())
                .chain(words)
                .map(|word| Arg { value: Value::Known(word), span, explicit: false })
                .collect();
            self.argv(&mut inner, args, Vec::new(), span);
        }
        state.files = inner.files;
    }
}
