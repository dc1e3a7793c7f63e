//! Lists, pipelines and shells: what runs after what, in which state.

use std::sync::Arc;

use crate::model::{Span, Value};
use crate::syntax::{Command, CommandKind, Script};

use super::interp::Shell;
use super::names::Open;
use super::state::{Flow, State, Status};
use super::step::{Stdin, StepKind};

impl Shell<'_> {
    /// Commands one after the other.
    pub(super) fn script(&mut self, state: &mut State, script: &Script) -> Flow {
        for item in &script.items {
            state.settle();
            if item.background {
                let output = state.output.clone();
                state.share();
                let mut inner = state.clone();
                if inner.stdin == Stdin::Inherited {
                    inner.stdin = Stdin::Empty;
                }
                self.shell(&mut inner, |interp, inner| interp.command(inner, &item.command));
                // Nobody knows when it is over: what it made may stand, what it took away may still be there.
                state.beside_reader(&inner);
                let before = std::mem::replace(&mut state.files, inner.files);
                let copies = state.files.copies_since(&before);
                state.files.merge(&before);
                state.files.leave_unfinished(&before, copies);
                state.output = if state.scope.capture { inner.output } else { output };
                state.status = Status::True;
                continue;
            }
            let flow = self.command(state, &item.command);
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    /// Runs something as a shell of its own: nothing but files, output and status comes back.
    pub(crate) fn shell(&mut self, state: &mut State, run: impl FnOnce(&mut Self, &mut State) -> Flow) {
        let mark = self.escapes.len();
        state.share();
        // The files are one and the same for parent and child: they move in and come back.
        let mut files = std::mem::take(&mut state.files);
        // A shell waits for its own jobs alone.
        let others = files.enter_shell();
        let mut ended = state.clone();
        ended.files = files;
        ended.go_out();
        ended.exit_traps.clear();
        run(self, &mut ended);
        for (_, escaped) in self.escapes.split_off(mark) {
            ended = ended.join(escaped);
        }
        self.run_exit_traps(&mut ended);
        // Input that was read is gone for the parent too.
        state.after_reader(&ended);
        if self.signalled {
            self.wake_traps(state);
        }
        state.files = ended.files;
        state.files.leave_shell(others);
        state.output = ended.output;
        state.status = ended.status;
    }

    pub(super) fn run_exit_traps(&mut self, state: &mut State) {
        let traps = std::mem::take(&mut state.exit_traps);
        let status = state.status;
        let maybe = state.maybe;
        for trap in traps {
            state.maybe = maybe || !trap.exit;
            let span = trap.scope.span.unwrap_or_default();
            state.within(&trap.scope, |state| self.shell_text(state, &trap.text, span));
        }
        state.maybe = maybe;
        state.status = status;
    }

    /// One command. Leaves its status in the state; directories of success and failure may still be apart.
    pub(super) fn command(&mut self, state: &mut State, command: &Command) -> Flow {
        if !self.tick(state, command.span) {
            return Flow::Exit;
        }
        state.settle();
        // A shell that is typed into goes on all the same.
        if state.switches.noexec && !self.is_guarded(state) {
            return Flow::Next;
        }
        let flow = self.command_kind(state, command);
        for text in std::mem::take(&mut self.hidden) {
            let reason = format!("`{text}` is expanded once more, and runs a command then");
            self.emit(state, command.span, StepKind::Opaque { reason });
        }
        flow
    }

    fn command_kind(&mut self, state: &mut State, command: &Command) -> Flow {
        let flow = match &command.kind {
            CommandKind::Simple { assignments, words } => self.simple(state, command, assignments, words),
            CommandKind::Pipeline { negated, stages, .. } => self.pipeline(state, *negated, stages),
            CommandKind::AndOr { first, rest } => return self.and_or(state, first, rest),
            CommandKind::Function { name, body } => {
                self.define(state, name, body);
                Flow::Next
            }
            CommandKind::Declaration { keyword, arguments }
                if state.switches.common && super::builtins::is_rare(keyword) =>
            {
                self.fork(
                    state,
                    |interp, way| {
                        interp.redirected(way, command, |interp, way| {
                            interp.declaration(way, keyword, arguments)
                        })
                    },
                    |_, way| {
                        way.fail();
                        Flow::Next
                    },
                )
            }
            CommandKind::Declaration { keyword, arguments } => {
                self.redirected(state, command, |interp, state| interp.declaration(state, keyword, arguments))
            }
            CommandKind::Gap(salvaged) => {
                let before = state.maybe;
                state.maybe = true;
                let mut other = state.clone();
                for command in salvaged {
                    other.settle();
                    if self.command(&mut other, command) != Flow::Next {
                        break;
                    }
                }
                *state = state.clone().join(other);
                state.maybe = before;
                state.status = Status::Unknown;
                Flow::Next
            }
            _ => {
                let flow = self.redirected(state, command, |interp, state| interp.compound(state, command));
                if !matches!(
                    command.kind,
                    CommandKind::Subshell(_) | CommandKind::Test(_) | CommandKind::Arithmetic(_)
                ) {
                    return flow;
                }
                flow
            }
        };
        if flow == Flow::Next {
            return self.check_exit(state, command);
        }
        flow
    }

    /// `set -e`.
    fn check_exit(&mut self, state: &mut State, command: &Command) -> Flow {
        let negated = matches!(command.kind, CommandKind::Pipeline { negated: true, .. });
        if !state.switches.errexit || state.scope.checked || negated {
            return Flow::Next;
        }
        match state.status {
            Status::False => Flow::Exit,
            Status::Unknown if state.failed_cwd.is_some() => {
                state.succeed();
                Flow::Next
            }
            _ => Flow::Next,
        }
    }

    fn compound(&mut self, state: &mut State, command: &Command) -> Flow {
        let scope = &Arc::clone(&state.scope);
        match &command.kind {
            CommandKind::Subshell(script) => {
                let scope = scope.deeper();
                self.shell(state, |interp, inner| inner.within(&scope, |inner| interp.script(inner, script)));
                Flow::Next
            }
            CommandKind::Group(script) => {
                let scope = scope.deeper();
                state.within(&scope, |state| self.script(state, script))
            }
            CommandKind::If { branches, otherwise } => {
                state.within(&scope.deeper(), |state| self.conditional(state, branches, otherwise.as_ref()))
            }
            CommandKind::While { until, condition, body } => self.in_loop(state, |interp, state| {
                state.within(&scope.deeper(), |state| interp.while_loop(state, *until, condition, body))
            }),
            CommandKind::For { variable, words, body, select } => self.in_loop(state, |interp, state| {
                state.within(&scope.deeper(), |state| {
                    interp.for_loop(state, command.span, variable, words.as_deref(), body, *select)
                })
            }),
            CommandKind::ArithmeticFor { header, body } => self.in_loop(state, |interp, state| {
                state.within(&scope.deeper(), |state| interp.arithmetic_for(state, header, body))
            }),
            CommandKind::Case { word, arms } => {
                state.within(&scope.deeper(), |state| self.case(state, word, arms))
            }
            CommandKind::Test(expression) => {
                // Who asks whether a name is set minds both.
                let unset = self.unset.clone();
                let status = self.test_expression(state, expression);
                self.unset = unset;
                match status {
                    Ok(status) => {
                        // A shell that has no such test finds no program of that name.
                        state.status = if state.switches.common { Status::Unknown } else { status };
                        Flow::Next
                    }
                    Err(_) => Flow::Exit,
                }
            }
            CommandKind::Arithmetic(word) => match self.arithmetic(state, &word.parts) {
                Ok(super::expand::Number::Known(n)) => {
                    state.status = Status::from_bool(n != 0);
                    Flow::Next
                }
                Ok(super::expand::Number::Unknown) => {
                    state.status = Status::Unknown;
                    Flow::Next
                }
                Err(_) => Flow::Exit,
            },
            CommandKind::Coproc { body, name } => {
                self.assign_scalar(state, &format!("{name}_PID"), Value::Unknown);
                // What is written to it comes to the command, which is followed with an input that is not known.
                self.assign_element(state, name, &Value::known("0"), Value::Unknown);
                self.assign_element(state, name, &Value::known("1"), Value::known("2"));
                let scope = scope.deeper();
                let mut inner = state.clone();
                inner.feed(Stdin::Unknown);
                self.shell(&mut inner, |interp, inner| {
                    inner.within(&scope, |inner| interp.command(inner, body))
                });
                let before = std::mem::replace(&mut state.files, inner.files);
                let copies = state.files.copies_since(&before);
                state.files.merge(&before);
                state.files.leave_unfinished(&before, copies);
                state.status = Status::True;
                Flow::Next
            }
            _ => Flow::Next,
        }
    }

    /// Two ways from here, as unknown makes it: runs `yes` on the first and `no` on the second, and joins.
    pub(super) fn fork(
        &mut self,
        state: &mut State,
        yes: impl FnOnce(&mut Self, &mut State) -> Flow,
        no: impl FnOnce(&mut Self, &mut State) -> Flow,
    ) -> Flow {
        let before = state.maybe;
        let mut first = state.clone();
        let mut second = state.clone();
        first.maybe = true;
        second.maybe = true;
        let first_flow = yes(self, &mut first);
        let second_flow = no(self, &mut second);
        self.come_together(state, before, [(first_flow, first), (second_flow, second)])
    }

    /// Joins the ways that go on; those that leave wait where they arrive.
    pub(super) fn come_together(
        &mut self,
        state: &mut State,
        maybe_before: bool,
        ways: impl IntoIterator<Item = (Flow, State)>,
    ) -> Flow {
        let scope = Arc::clone(&state.scope);
        let mut going: Option<State> = None;
        let mut leaving: Vec<(Flow, State)> = Vec::new();
        for (flow, way) in ways {
            if flow == Flow::Next {
                going = Some(match going {
                    Some(other) => other.join(way),
                    None => way,
                });
            } else {
                leaving.push((flow, way));
            }
        }
        match going {
            Some(mut joined) => {
                let left = leaving.iter().any(|(flow, _)| matches!(flow, Flow::Exit | Flow::Return));
                joined.maybe = maybe_before || left;
                self.escapes.extend(leaving);
                *state = joined;
                state.scope = scope;
                Flow::Next
            }
            None => {
                let Some((flow, last)) = leaving.pop() else { return Flow::Next };
                let mut joined = last;
                for (other_flow, other) in leaving {
                    if other_flow == flow {
                        joined = joined.join(other);
                    } else {
                        self.escapes.push((other_flow, other));
                    }
                }
                *state = joined;
                state.scope = scope;
                state.maybe = maybe_before;
                flow
            }
        }
    }

    fn pipeline(&mut self, state: &mut State, negated: bool, stages: &[(Command, bool)]) -> Flow {
        let scope = &Arc::clone(&state.scope);
        if let [(only, _)] = stages {
            let tested = scope.tested();
            let before = negated.then(|| state.files.clone());
            let asked = if negated { &tested } else { scope };
            let flow = state.within(asked, |state| self.command(state, only));
            if let Some(before) = before {
                // Who turns the status round goes on where the copy failed.
                state.files.forget_copies(&before);
                let cwd_apart = state.failed_cwd.take();
                if let Some(failed) = cwd_apart {
                    let succeeded = std::mem::replace(&mut state.cwd, failed);
                    state.failed_cwd = Some(succeeded);
                }
                state.status = state.status.negate();
            }
            return flow;
        }
        let mut statuses = Vec::new();
        let mut input = None;
        for (index, (stage, _)) in stages.iter().enumerate() {
            let last = index + 1 == stages.len();
            let mut inner_scope = if last { scope.deeper() } else { scope.capturing() };
            inner_scope.piped |= index > 0;
            state.share();
            let mut inner = state.clone();
            if let Some(input) = input {
                inner.feed(input);
            }
            inner.piped(index > 0, !last);
            if last && state.switches.lastpipe {
                let flow = inner.within(&inner_scope, |inner| self.command(inner, stage));
                inner.feed(state.stdin.clone());
                inner.names = Arc::clone(&state.names);
                *state = inner;
                return flow;
            }
            if !last {
                inner.output = Value::known("");
            }
            self.shell(&mut inner, |interp, inner| {
                inner.within(&inner_scope, |inner| interp.command(inner, stage))
            });
            statuses.push(inner.status);
            if !last && !state.switches.pipefail {
                // Nobody hears of it when this stage fails to make its copy.
                inner.files.forget_own_copies(&state.files);
            }
            state.beside_reader(&inner);
            state.files = inner.files;
            if last {
                state.output = inner.output;
                input = None;
            } else {
                input = Some(match inner.output {
                    Value::Unknown => Stdin::Unknown,
                    text => Stdin::Text(text),
                });
            }
        }
        let mut status = statuses.last().copied().unwrap_or(Status::Unknown);
        if state.switches.pipefail && statuses.iter().any(|s| *s != Status::True) {
            status = if statuses.contains(&Status::False) { Status::False } else { Status::Unknown };
        }
        state.status = if negated { status.negate() } else { status };
        Flow::Next
    }

    /// `$( … )`: what it prints, trailing newlines removed.
    pub(super) fn substitute(&mut self, state: &mut State, script: &Script, span: Span) -> Value {
        let scope = &Arc::clone(&state.scope);
        if !self.tick(state, span) {
            return Value::Unknown;
        }
        state.share();
        let mut inner = state.clone();
        inner.settle();
        inner.output = Value::known("");
        let scope = scope.capturing();
        if let Some(value) = inner.within(&scope, |inner| self.file_substitution(inner, script)) {
            return value;
        }
        self.shell(&mut inner, |interp, inner| inner.within(&scope, |inner| interp.script(inner, script)));
        state.after_reader(&inner);
        state.files = inner.files;
        state.status = inner.status;
        self.substituted = Some(inner.status);
        match inner.output {
            // Shells differ in what becomes of it.
            Value::Known(text) if text.contains('\0') => Value::Unknown,
            Value::Known(text) => Value::known(text.trim_end_matches('\n')),
            Value::OneOf(list) => {
                Value::one_of(list.iter().map(|text| text.trim_end_matches('\n').to_owned()).collect())
            }
            Value::Affix { prefix, suffix } => Value::known(prefix)
                .concat(&Value::Unknown)
                .concat(&Value::known(suffix.trim_end_matches('\n'))),
            Value::Woven(text) => Value::marked(text.trim_end_matches('\n')),
            lines @ Value::Lines(_) => lines,
            Value::Unknown => Value::Unknown,
        }
    }

    /// `$(< file)`.
    fn file_substitution(&mut self, state: &mut State, script: &Script) -> Option<Value> {
        let [item] = script.items.as_slice() else { return None };
        let CommandKind::Simple { assignments, words } = &item.command.kind else { return None };
        let [redirection] = item.command.redirections.as_slice() else { return None };
        if !assignments.is_empty()
            || !words.is_empty()
            || redirection.operator != crate::syntax::RedirectionOperator::Read
        {
            return None;
        }
        let crate::syntax::RedirectionTarget::Word(word) = &redirection.target else { return None };
        let value = self.expand_one(state, word).ok()?;
        Some(match self.stdin_text(state, &Stdin::File(value)) {
            Some(text) => text.map(|text| text.trim_end_matches('\n').to_owned()),
            None => Value::Unknown,
        })
    }

    /// `<( … )` and `>( … )`: the name that stands for it.
    pub(super) fn process_substitution(
        &mut self,
        state: &mut State,
        script: &Script,
        write: bool,
        span: Span,
    ) -> Value {
        let scope = &Arc::clone(&state.scope);
        if !self.tick(state, span) {
            return Value::Unknown;
        }
        state.share();
        let mut inner = state.clone();
        inner.settle();
        inner.output = Value::known("");
        inner.files.set_gits(None, None);
        let scope = scope.capturing();
        if write {
            inner.feed(Stdin::Unknown);
        }
        self.shell(&mut inner, |interp, inner| inner.within(&scope, |inner| interp.script(inner, script)));
        state.beside_reader(&inner);
        state.files = inner.files;
        self.counter += 1;
        let number = u32::try_from(self.counter).unwrap_or(0).wrapping_add(63);
        let name = format!("/dev/fd/{number}");
        Arc::make_mut(&mut state.names).set(number, Open::Stream);
        // Text of git's is that behind this name as well.
        let printed = state.files.gits(None).filter(|_| !write);
        state.files.set_gits(Some(name.clone().into()), printed);
        let content = match (write, inner.output) {
            (true, _) | (_, Value::Unknown) => Stdin::Unknown,
            (false, text) => Stdin::Text(text),
        };
        state.descriptors.insert(name.clone(), content);
        Value::Known(name)
    }
}
