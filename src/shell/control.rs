//! `if`, `case` and functions.

use std::sync::Arc;

use crate::model::{Span, Value};
use crate::shell::pattern;
use crate::syntax::{CaseArm, CaseEnd, Command, Script, Word};

use super::interp::{Frame, Shell};
use super::state::{Definitions, Flow, Function, Positional, State, Status};

impl Shell<'_> {
    pub(super) fn conditional(
        &mut self,
        state: &mut State,
        branches: &[(Script, Script)],
        otherwise: Option<&Script>,
    ) -> Flow {
        let Some(((condition, body), rest)) = branches.split_first() else {
            return match otherwise {
                Some(script) => self.script(state, script),
                None => {
                    state.status = Status::True;
                    Flow::Next
                }
            };
        };
        let before = state.files.clone();
        let flow = state.within(&state.scope.tested(), |state| self.script(state, condition));
        if flow != Flow::Next {
            return flow;
        }
        match state.status {
            Status::True => {
                state.succeed();
                self.script(state, body)
            }
            Status::False => {
                state.fail();
                self.conditional(state, rest, otherwise)
            }
            Status::Unknown => self.fork(
                state,
                |interp, way| {
                    way.succeed();
                    interp.script(way, body)
                },
                |interp, way| {
                    way.fail();
                    // What failed made no copy.
                    way.files.forget_copies(&before);
                    interp.conditional(way, rest, otherwise)
                },
            ),
        }
    }

    pub(super) fn case(&mut self, state: &mut State, word: &Word, arms: &[CaseArm]) -> Flow {
        let Ok(value) = self.expand_one(state, word) else { return Flow::Exit };
        self.arms(state, &value, arms)
    }

    fn arms(&mut self, state: &mut State, value: &Value, arms: &[CaseArm]) -> Flow {
        let Some((arm, rest)) = arms.split_first() else {
            state.status = Status::True;
            return Flow::Next;
        };
        let mut matched = Some(false);
        for word in &arm.patterns {
            let Ok(pattern) = self.expand_pattern(state, word) else { return Flow::Exit };
            match self.matches_pattern(state, value, pattern.as_deref()) {
                Some(true) => {
                    matched = Some(true);
                    break;
                }
                Some(false) => {}
                None => matched = None,
            }
        }
        match matched {
            Some(true) => self.arm(state, value, arm, rest),
            Some(false) => self.arms(state, value, rest),
            None => self.fork(
                state,
                |interp, way| interp.arm(way, value, arm, rest),
                |interp, way| interp.arms(way, value, rest),
            ),
        }
    }

    fn arm(&mut self, state: &mut State, value: &Value, arm: &CaseArm, rest: &[CaseArm]) -> Flow {
        state.status = Status::True;
        let flow = self.script(state, &arm.body);
        if flow != Flow::Next {
            return flow;
        }
        match (arm.end, rest.split_first()) {
            (CaseEnd::FallThrough, Some((next, after))) => {
                state.settle();
                self.arm(state, value, next, after)
            }
            (CaseEnd::TestNext, Some(_)) => {
                state.settle();
                self.arms(state, value, rest)
            }
            _ => Flow::Next,
        }
    }

    /// Whether a value matches a pattern; `None` when it may.
    pub(super) fn matches_pattern(
        &self,
        state: &State,
        value: &Value,
        pattern: Option<&str>,
    ) -> Option<bool> {
        let pattern = pattern?;
        let options =
            pattern::Options { extglob: true, ignore_case: state.switches.nocasematch, ..Default::default() };
        if pattern.chars().all(|c| c == '*') && !pattern.is_empty() {
            return Some(true);
        }
        if self.is_stand_in(value) {
            return None;
        }
        if let Some(list) = value.choices() {
            let mut answers = list.iter().map(|text| pattern::matches(pattern, text, options));
            let first = answers.next()?;
            return answers.all(|answer| answer == first).then_some(first);
        }
        if let (Value::Affix { prefix, suffix }, Some(text)) =
            (&value.clone().plain(), pattern::literal(pattern, options))
            && (!text.starts_with(prefix.as_str()) || !text.ends_with(suffix.as_str()))
        {
            return Some(false);
        }
        None
    }

    pub(super) fn define(&mut self, state: &mut State, name: &str, body: &Command) {
        let function = Arc::new(Function {
            body: body.clone(),
            source: Arc::clone(&state.scope.source),
            span: state.scope.span,
            own: state.scope.own,
        });
        self.mind_definition(state, name);
        let exported = state.functions.get(name).is_some_and(|f| f.exported);
        state.functions.insert(
            name.to_owned(),
            Definitions { bodies: vec![function], maybe_undefined: false, exported },
        );
        state.status = Status::True;
        self.mind_called(state, name);
        self.mind_traps(state);
    }

    /// Calls a function by each of its possible bodies.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn call(
        &mut self,
        state: &mut State,
        name: &str,
        definitions: &Definitions,
        arguments: Vec<Value>,
        open: bool,
        span: Span,
    ) -> Flow {
        let repeats = self.calls.iter().any(|frame| {
            frame.function && frame.name == name && frame.arguments == arguments && frame.cwd == state.cwd
        });
        if repeats && (state.maybe || state.scope.own) {
            // The same call is being walked already: it has nothing new.
            state.status = Status::Unknown;
            return Flow::Next;
        }
        if repeats || self.calls.len() >= self.options.limits.depth {
            self.limit("recursion", span, state);
            return Flow::Exit;
        }
        self.calls.push(Frame {
            name: name.to_owned(),
            arguments: arguments.clone(),
            cwd: state.cwd.clone(),
            function: true,
        });
        let maybe = state.maybe;
        let mut ways = Vec::new();
        for body in &definitions.bodies {
            let mut way = state.clone();
            way.maybe = maybe || definitions.bodies.len() > 1;
            let flow = self.call_body(&mut way, body, arguments.clone(), (open, span));
            ways.push((flow, way));
        }
        self.calls.pop();
        self.come_together(state, maybe, ways)
    }

    fn call_body(
        &mut self,
        state: &mut State,
        function: &Arc<Function>,
        arguments: Vec<Value>,
        (open, span): (bool, Span),
    ) -> Flow {
        let mark = self.escapes.len();
        let maybe = state.maybe;
        let positional = std::mem::replace(&mut state.positional, Positional { values: arguments, open });
        state.shadowed.push(Default::default());
        let mut inner = state.scope.deeper();
        inner.source = Arc::clone(&function.source);
        let (returns, loops) = (state.returns, state.loops);
        (state.returns, state.loops) = (true, 0);
        // A function from elsewhere stands where it is called.
        inner.span = if function.own { Some(span) } else { function.span };
        inner.own |= function.own;
        let mut flow = state.within(&inner, |state| self.command(state, &function.body));
        if flow == Flow::Return {
            flow = Flow::Next;
        }
        for (kind, mut way) in self.escapes.split_off(mark.min(self.escapes.len())) {
            if kind == Flow::Return {
                way.scope = Arc::clone(&state.scope);
                if flow == Flow::Next {
                    *state = state.clone().join(way);
                } else {
                    let other = std::mem::replace(state, way);
                    self.escapes.push((flow, other));
                    flow = Flow::Next;
                }
                state.maybe = maybe;
            } else {
                self.escapes.push((kind, way));
            }
        }
        self.unshadow(state);
        state.positional = positional;
        (state.returns, state.loops) = (returns, loops);
        flow
    }
}
