//! Finding what a command word names outside the shell, and running what programs run.

use std::sync::Arc;

use crate::knowledge::{Follower, Match, Nested, ToolFile, match_words};
use crate::model::{Span, Value};

use super::expand::Expansion;
use super::follow::{Code, reading};
use super::interp::{Interp, Scope};
use super::simple::Call;
use super::state::{Flow, State, Status};
use super::step::{Arg, Invocation, Stdout, StepKind};

/// The tool whose commands are the lines of simple text protocols (memcached, redis).
pub(super) const TEXT_PROTOCOL: &str = "text-protocol";

/// Programs that fetch a package, of a version given behind `@`, and run the program of its name.
pub(super) const RUNNERS: [&str; 8] = ["npx", "bunx", "pnpx", "uvx", "npm", "pnpm", "yarn", "bun"];

/// Programs that become the one they start, so that its status is theirs. All others may end it, refuse it, or outlive it.
const HAND_ON: [&str; 8] = ["env", "nice", "nohup", "stdbuf", "ionice", "chrt", "taskset", "time"];

/// Directories of modules that a command line names (`perl -I lib`).
fn roots(matched: &Match) -> Vec<String> {
    matched.values("-I").into_iter().filter_map(Value::as_known).map(str::to_owned).collect()
}

impl Interp<'_> {
    /// Runs a program. One that reads as code what git may have brought is a program that nobody knows.
    pub(super) fn external(&mut self, state: &mut State, scope: &Scope, name: &str, call: &Call) -> Flow {
        let before = self.unseen_of_git.replace(false);
        let flow = self.external_program(state, scope, name, call);
        if self.unseen_of_git.replace(before) {
            let base = name.rsplit('/').next().unwrap_or(name);
            let name = format!("{base} with what git brings");
            let kind = StepKind::UnknownProgram { name, args: call.args().into_iter().take(1).collect() };
            self.emit_as(state, scope, call.span, &call.raw, kind);
        }
        flow
    }

    fn external_program(&mut self, state: &mut State, scope: &Scope, name: &str, call: &Call) -> Flow {
        if !self.tick(state, scope, call.span) {
            return Flow::Exit;
        }
        let base = name.rsplit('/').next().unwrap_or(name);
        if scope.host.is_none()
            && let Some(flow) = self.located(state, scope, name, call)
        {
            return flow;
        }
        if super::follow::is_shell(base) {
            return self.shell_program(state, scope, base, call);
        }
        let base = self.knowledge.plain_name(base).unwrap_or(base);
        if let Some(tool) = self.knowledge.tool(base) {
            return self.known(state, scope, base, &tool, call);
        }
        self.unknown_program(state, scope, name, call)
    }

    /// A program that nothing is known of.
    pub(super) fn unknown_program(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        call: &Call,
    ) -> Flow {
        let base = name.rsplit('/').next().unwrap_or(name);
        // An alias of the same line is none yet: the shell finds nothing, or what it would stand for.
        if call.arguments().is_empty()
            && !scope.aliases.iter().any(|known| known == name)
            && let Some(alias) = state.aliases.get(name).cloned()
        {
            let (script, gaps) = super::interp::parse(&alias.text);
            let mut inner = scope.inside(&alias.text, call.span);
            inner.depth = scope.depth;
            inner.aliases.push(name.to_owned());
            self.gaps(state, &inner, &gaps);
            return self.script(state, &inner, &script);
        }
        let handler = "command_not_found_handle";
        if !name.contains('/')
            && let Some(definitions) = state.functions.get(handler).cloned()
        {
            // What the shell calls for a name that it does not find.
            let arguments = call.words.iter().map(|word| word.arg.value.clone()).collect();
            let maybe = std::mem::replace(&mut state.maybe, true);
            self.call(state, scope, handler, &definitions, arguments, call.open(), call.span);
            state.maybe = maybe;
        }
        // In a container of its own it is one more program of an image that is run anyway.
        let own = scope.host.is_none() && self.options.session.functions.iter().any(|known| known == name);
        if !scope.fresh && !own {
            // In a container it is a word for the program of its image.
            let (name, args) = match scope.host.as_deref().filter(|_| name.starts_with('-')) {
                Some(image) => {
                    (image, std::iter::once(Arg::literal(image, call.span)).chain(call.args()).collect())
                }
                None => (name, call.args()),
            };
            let kind = StepKind::UnknownProgram { name: name.to_owned(), args };
            self.emit_as(state, scope, call.span, &call.raw, kind);
        }
        self.suspect(state, scope, call, base);
        state.status = Status::Unknown;
        if scope.capture {
            let text = self.printed(state, scope, call).unwrap_or(Value::Unknown);
            state.print(&text);
        }
        Flow::Next
    }

    /// A known program.
    pub(super) fn known(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        tool: &Arc<ToolFile>,
        call: &Call,
    ) -> Flow {
        if let Some((base, at)) = self.launched(name, call)
            && let Some(launcher) = self.knowledge.tool(&base)
        {
            return self.known(state, scope, &base, &launcher, &call.without(at));
        }
        let more = self.with_options_of_variables(state, name, call);
        let call = more.as_ref().unwrap_or(call);
        let alias = if name == "cargo" { self.cargo_alias(state, scope, call) } else { None };
        let call = alias.as_ref().unwrap_or(call);
        let values = call.values();
        let matched = match_words(tool, &values);
        if name == "git"
            && let Some(flow) = self.git_alias(state, scope, call, &matched)
        {
            return flow;
        }
        let printed = if scope.capture { Some(self.printed(state, scope, call)) } else { None };
        if matches!(name, "kill" | "pkill" | "killall") {
            state.files.forget_unfinished();
        }
        if name == "mktemp" && !matched.does_nothing() {
            return self.fresh_name(state, scope, call);
        }
        let mut environment = self.exported(state);
        environment.extend(call.environment.iter().cloned());
        let invocation = Invocation {
            name: name.to_owned(),
            args: call.args(),
            matched: matched.clone(),
            stdin: if name == "tee" && self.tee_races(state, scope, call) {
                super::step::Stdin::Unknown
            } else {
                state.stdin.clone()
            },
            stdout: match &call.opened {
                Some(opened) if opened.output != super::redirect::Output::Same => opened.output_file(),
                _ if scope.capture => Stdout::Pipe,
                _ => Stdout::Inherited,
            },
            environment: environment.clone(),
        };
        let status = self.status_of(state, scope, name, call);
        let ends = name == "kill" && self.kills_shell(call);
        // What it runs while it packs comes before there is a whole copy of anything.
        let acts = matched.options.iter().any(|option| option.key == "--checkpoint-action");
        let unfinished = acts.then(|| state.files.clone());
        self.emit_as(state, scope, call.span, &call.raw, StepKind::Run(Box::new(invocation)));
        if let Some(before) = unfinished {
            state.files.forget_copies(&before);
        }
        if scope.host.is_none() {
            self.brings(state, name, &matched);
            if name == "git" {
                self.lays_out(state, &matched);
            }
        }
        if !matched.gaps.is_empty() && matched.is_judged_by_words() {
            self.suspect(state, scope, call, name);
        }
        let mut followed = None;
        if !matched.informational && !environment.is_empty() {
            self.environment_commands(state, scope, name, call, &environment);
        }
        if !matched.informational {
            self.inherited(state, scope, name, call, &environment);
        }
        if !matched.informational {
            followed = self.follow(state, scope, name, call, &matched);
            if followed.is_none() && !matched.dry_run {
                followed = self.nested(state, scope, name, call, &matched);
            }
            if followed.is_none() {
                self.unexplained(state, scope, name, call, &matched);
            }
        } else if matched.command.follow == Some(Follower::Perl) {
            self.perl_checked(state, scope, call, &matched);
        }
        match followed {
            Some(flow) => flow,
            None if ends => Flow::Exit,
            None => {
                state.status = status;
                if let Some(text) = printed {
                    state.print(&text.unwrap_or(Value::Unknown));
                }
                Flow::Next
            }
        }
    }

    /// `… f | tee f`: whether `f` is read before or after it is emptied is open.
    fn tee_races(&self, state: &State, scope: &Scope, call: &Call) -> bool {
        scope.piped
            && call.arguments().iter().any(|word| {
                self.absolute(state, &word.arg.value)
                    .is_none_or(|path| self.exists(state, &path) != Some(false))
            })
    }

    /// `kill $$`: what follows never runs. A shell at a prompt ignores the mild signals.
    fn kills_shell(&self, call: &Call) -> bool {
        let Some(texts) = call.texts() else { return false };
        let own = texts.contains(&super::variables::OWN_PROCESS);
        let hard = texts.iter().any(|t| matches!(*t, "-9" | "-KILL" | "-SIGKILL" | "-HUP" | "-1"));
        let named = texts.iter().any(|t| t.starts_with('-'));
        own && (hard || (!named && !self.options.interactive))
    }

    /// What a program runs, as its declaration says. `None` when it runs nothing.
    fn nested(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        call: &Call,
        matched: &Match,
    ) -> Option<Flow> {
        let nested = matched.nested();
        let stdin_role = matched.stdin_role().map(str::to_owned);
        if nested.is_empty() && stdin_role.is_none() {
            return None;
        }
        let mut inner_scope = scope.through(name);
        inner_scope.privileged |= matched.privileged();
        let mut inner = state.clone();
        for dir in matched.cwd() {
            inner.cwd = self.directories(&inner, &dir);
        }
        if let Some(host) = matched.host() {
            // What a container reaches from within is another one's, and no longer its own.
            inner_scope.fresh = matched.makes_host() && (inner_scope.host.is_none() || inner_scope.fresh);
            inner_scope.host = Some(host.display());
            inner.cwd = Vec::new();
            inner.unset_is_empty = false;
            inner.variables = Arc::default();
        }
        for (name, value) in &call.environment {
            self.assign_scalar(&mut inner, name, value.clone());
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
        let mut runs = 0;
        for part in &nested {
            let ran = if part.here {
                self.run_part(state, &scope.through(name), call, matched, part)
            } else {
                self.run_part(&mut inner, &inner_scope, call, matched, part)
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
            runs += usize::from(self.run_stdin(&mut inner, &inner_scope, call, matched, &role));
        }
        if runs == 0 {
            return None;
        }
        state.files = inner.files;
        state.output = inner.output;
        state.stdin = inner.stdin;
        let hands_on = runs == 1 && HAND_ON.contains(&name) && nested.iter().any(|p| p.role == "argv");
        state.status = if hands_on { inner.status } else { Status::Unknown };
        if scope.capture && !nested.iter().any(|p| p.role == "argv" || p.role == "shell") {
            state.print(&Value::Unknown);
        }
        Some(Flow::Next)
    }

    fn run_part(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        matched: &Match,
        part: &Nested,
    ) -> bool {
        let mut words = part
            .indices
            .iter()
            .zip(&part.values)
            .map(|(index, value)| match call.words.get(index + 1) {
                Some(word) if part.role == "argv" && word.arg.value == *value => word.clone(),
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
            })
            .collect::<Vec<_>>();
        let span = words.first().map_or(call.span, |word| word.arg.span);
        if part.role == "argv"
            && scope.via.last().is_some_and(|via| RUNNERS.contains(&via.as_str()))
            && let Some(Value::Known(package)) = words.first_mut().map(|word| &mut word.arg.value)
        {
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
            }
        }
        let (kind, language) = part.role.split_once(':').unwrap_or((part.role.as_str(), ""));
        match kind {
            "argv" | "program" => {
                if kind == "program" {
                    let further = matched.operands.iter().filter(|operand| operand.role == "arguments");
                    words.extend(further.filter_map(|operand| call.words.get(operand.index + 1).cloned()));
                }
                self.program(state, scope, words, span);
                true
            }
            "shell" => {
                let text = words.iter().enumerate().fold(Value::known(""), |text, (index, word)| {
                    let text = if index > 0 { text.concat(&Value::known(" ")) } else { text };
                    text.concat(&word.arg.value)
                });
                let (zero, positional) = (state.zero.clone(), state.positional.clone());
                self.fresh_shell(state, scope, &text, span, zero, positional);
                true
            }
            "script" => {
                let Some(word) = words.first() else { return false };
                let arguments = self.after(call, part);
                match language {
                    "" | "sh" | "bash" | "shell" => self.script_word(state, scope, &word.arg, arguments),
                    language => {
                        let at = part.indices.first().map_or(1, |index| index + 1);
                        if self.with_switches(state, scope, call, matched, language, at) {
                            return true;
                        }
                        let roots = roots(matched);
                        self.code_file_in(state, scope, language, &word.arg, &arguments, roots);
                    }
                }
                true
            }
            "commas" => {
                let Some(word) = words.first() else { return false };
                let (arg, elastic) = (&word.arg, word.elastic);
                let texts: Vec<Value> = match arg.value.as_known() {
                    Some(text) => text.split(',').map(Value::known).collect(),
                    None => vec![arg.value.clone()],
                };
                let word = |value| Expansion { arg: Arg { value, ..arg.clone() }, elastic, unordered: false };
                self.program(state, scope, texts.into_iter().map(word).collect(), span);
                true
            }
            "library" => {
                let Some(word) = words.first() else { return false };
                self.loaded(state, scope, &word.arg.value, span, &call.raw)
            }
            "code" => {
                let Some(word) = words.first() else { return false };
                let arguments = self.code_arguments(matched, part);
                let text = self.preloaded(matched, language).concat(&word.arg.value);
                let (reading, roots) = (reading(matched), roots(matched));
                let (span, raw, arguments) = (word.arg.span, call.raw.as_str(), arguments.as_slice());
                let code = Code { language, text: &text, arguments, file: None, roots, reading, span, raw };
                self.run_code(state, scope, code);
                true
            }
            _ => false,
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

    fn run_stdin(
        &mut self,
        state: &mut State,
        scope: &Scope,
        call: &Call,
        matched: &Match,
        role: &str,
    ) -> bool {
        let (kind, language) = role.split_once(':').unwrap_or((role, ""));
        let followed = match &state.stdin {
            super::step::Stdin::File(file) => scope.following(file),
            _ => scope.clone(),
        };
        match kind {
            "shell" => {
                self.shell_from_stdin(state, scope, call.span, &call.raw);
                true
            }
            "commands" => {
                let stdin = state.stdin.clone();
                match self.stdin_text(state, &stdin) {
                    Some(text) => {
                        self.line = None;
                        self.command_lines(state, &followed, language, &text, call.span);
                    }
                    // What is typed is seen by who types it; a stream to any server is mostly data.
                    None if stdin == super::step::Stdin::Inherited || language == TEXT_PROTOCOL => {
                        return false;
                    }
                    None => {
                        let reason = format!("commands for {language} come from what cannot be read");
                        self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
                    }
                }
                true
            }
            "code" => match self.stdin_text(state, &state.stdin.clone()) {
                Some(text) => {
                    let arguments =
                        matched.operands.iter().map(|operand| operand.value.clone()).collect::<Vec<_>>();
                    self.line = None;
                    self.code(state, &followed, language, &text, &arguments, call.span, &call.raw);
                    true
                }
                None if state.stdin == super::step::Stdin::Inherited => false,
                None => {
                    let reason = format!("{language} code that another program prints is run");
                    self.emit_as(state, scope, call.span, &call.raw, StepKind::Opaque { reason });
                    true
                }
            },
            _ => false,
        }
    }

    fn is_dangerous(&self, tool: &str, words: &[String]) -> bool {
        let values = words.iter().map(Value::known).collect::<Vec<_>>();
        self.knowledge.tool(tool).is_some_and(|tool| match_words(&tool, &values).is_dangerous())
    }

    /// Lines that are commands of a tool: its arguments, as they would stand behind its name.
    pub(super) fn command_lines(
        &mut self,
        state: &mut State,
        scope: &Scope,
        tool: &str,
        text: &Value,
        span: Span,
    ) {
        let Some(texts) = text.choices() else {
            if tool != TEXT_PROTOCOL {
                let reason = format!("commands for {tool} are not known before they run");
                self.emit_as(state, scope, span, &text.display(), StepKind::Opaque { reason });
            }
            return;
        };
        let mut inner = state.clone();
        inner.stdin = super::step::Stdin::Empty;
        for line in texts.iter().flat_map(|text| text.lines()) {
            let words = shell_words::split(line)
                .unwrap_or_else(|_| line.split_whitespace().map(str::to_owned).collect());
            // Most of what goes over a connection is data.
            let says_nothing = tool == TEXT_PROTOCOL && !self.is_dangerous(tool, &words);
            if words.is_empty() || says_nothing {
                continue;
            }
            if !self.tick(&mut inner, scope, span) {
                break;
            }
            let args = std::iter::once(tool.to_owned())
                .chain(words)
                .map(|word| Arg { value: Value::Known(word), span, explicit: false })
                .collect();
            self.argv(&mut inner, scope, args, Vec::new(), span);
        }
        state.files = inner.files;
    }

    /// Words that are run as a program, never looked up among functions and builtins.
    pub(super) fn program(
        &mut self,
        state: &mut State,
        scope: &Scope,
        words: Vec<Expansion>,
        span: Span,
    ) -> Flow {
        if let [option, text, ..] = words.as_slice()
            && option.arg.value.as_known() == Some("-c")
        {
            // `flock file -c text`, `su user -c text`: shell text after all.
            let (text, zero) = (text.arg.value.clone(), state.zero.clone());
            self.fresh_shell(state, scope, &text, span, zero, Default::default());
            return Flow::Next;
        }
        if let [text] = words.as_slice()
            && let Some(command) = text.arg.value.as_known()
            && command.trim().contains([' ', '\t', '\n'])
            && self
                .absolute(state, &text.arg.value)
                .is_none_or(|path| self.exists(state, &path) != Some(true))
        {
            // No program is called so: `xterm -e text` and its like hand one word to a shell.
            let (text, zero) = (text.arg.value.clone(), state.zero.clone());
            self.fresh_shell(state, scope, &text, span, zero, Default::default());
            return Flow::Next;
        }
        let raw = words.iter().map(|word| word.arg.value.display()).collect::<Vec<_>>().join(" ");
        let call = Call { words, environment: Vec::new(), span, raw, external: true, opened: None };
        self.shell(state, |interp, inner| interp.dispatch(inner, scope, &call));
        Flow::Next
    }

    /// An argument vector.
    pub(super) fn argv(
        &mut self,
        state: &mut State,
        scope: &Scope,
        args: Vec<Arg>,
        environment: Vec<(String, Value)>,
        span: Span,
    ) {
        let words = args
            .into_iter()
            .map(|arg| Expansion { arg, elastic: false, unordered: false })
            .collect::<Vec<_>>();
        let raw = words.iter().map(|word| word.arg.value.display()).collect::<Vec<_>>().join(" ");
        let call = Call { words, environment, span, raw, external: true, opened: None };
        self.shell(state, |interp, inner| interp.dispatch(inner, scope, &call));
    }
}
