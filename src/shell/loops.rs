//! Loops: `while`, `until`, `for`, `select`; how often they turn, and what is known after turns that nobody counted.

use std::sync::Arc;

use crate::model::{Span, Value};
use crate::syntax::{Script, Word};

use super::expand::Number;
use super::interp::Shell;
use super::names::STDIN;
use super::state::{Content, Flow, State, Status};
use super::step::Stdin;

/// What a loop does after a turn.
enum Turn {
    On,
    Over,
    Leave(Flow),
}

impl Shell<'_> {
    /// `while` and `until`: turns as long as it is known how the condition turns out, then any number of them.
    pub(super) fn while_loop(
        &mut self,
        state: &mut State,
        until: bool,
        condition: &Script,
        body: &Script,
    ) -> Flow {
        let scope = &Arc::clone(&state.scope);
        let mark = self.escapes.len();
        let maybe = state.maybe;
        let mut result = Status::True;
        let goes_through_lines = starts_with_lines(state);
        for turn in 0.. {
            state.settle();
            // Taken before the condition: a line that it reads, or a word that it shifts away, is progress too.
            let before = state.clone();
            let flow = state.within(&scope.tested(), |state| self.script(state, condition));
            match self.turn(flow) {
                Turn::On => {}
                Turn::Over => break,
                Turn::Leave(flow) => return self.leave_loop(state, mark, maybe, flow),
            }
            match if until { state.status.negate() } else { state.status } {
                Status::False => {
                    answered(state, until);
                    break;
                }
                Status::True if self.walks(turn) => {
                    answered(state, !until);
                    let flow = self.script(state, body);
                    result = state.status;
                    match self.turn(flow) {
                        Turn::On => {}
                        // The lines are gone through all the same.
                        Turn::Over if goes_through_lines => state.maybe = true,
                        Turn::Over => break,
                        Turn::Leave(flow) => return self.leave_loop(state, mark, maybe, flow),
                    }
                    state.settle();
                    if before.cwd == state.cwd && before.stdin == state.stdin && !differs(&before, state) {
                        // Turns without an end, each like this one.
                        result = Status::Unknown;
                        break;
                    }
                }
                _ => {
                    self.repeated(state, |interp, way| {
                        answered(way, !until);
                        let flow = interp.script(way, body);
                        if flow != Flow::Next && !matches!(flow, Flow::Continue(_)) {
                            return flow;
                        }
                        way.settle();
                        way.within(&scope.tested(), |way| interp.script(way, condition))
                    });
                    answered(state, until);
                    result = Status::Unknown;
                    break;
                }
            }
        }
        state.status = result;
        self.leave_loop(state, mark, maybe, Flow::Next)
    }

    /// Something that `break` and `continue` can leave.
    pub(super) fn in_loop(
        &mut self,
        state: &mut State,
        body: impl FnOnce(&mut Self, &mut State) -> Flow,
    ) -> Flow {
        let loops = state.loops;
        state.loops = loops + 1;
        let flow = body(self, state);
        state.loops = loops;
        flow
    }

    /// A body that runs an unknown number of times: once from here, and once more from a state in which what it changed
    /// is widened. Steps of the second turn that were given in the first are not given again.
    fn repeated(&mut self, state: &mut State, mut body: impl FnMut(&mut Self, &mut State) -> Flow) {
        let maybe = state.maybe;
        let before = state.clone();
        let outer = self.seen.is_none();
        if outer {
            self.seen = Some(std::collections::HashSet::new());
        }
        let mut first = state.possible();
        let flow = body(self, &mut first);
        first.settle();
        let changed = first.cwd != before.cwd || differs(&first, &before);
        let mut after = before.clone();
        match flow {
            Flow::Next | Flow::Break(_) | Flow::Continue(_) => after = after.join(first.clone()),
            other => self.escapes.push((other, first.clone())),
        }
        if changed && matches!(flow, Flow::Next | Flow::Continue(_)) {
            let mut second = widen(&before, first);
            second.maybe = true;
            let flow = body(self, &mut second);
            second.settle();
            match flow {
                Flow::Next | Flow::Break(_) | Flow::Continue(_) => after = after.join(second),
                other => self.escapes.push((other, second)),
            }
        }
        if outer {
            self.seen = None;
        }
        *state = after;
        state.maybe = maybe;
    }

    /// Whether this turn of a loop is walked by itself.
    fn walks(&mut self, turn: usize) -> bool {
        let limits = &self.options.limits;
        let walks = turn < limits.few || turn < limits.iterations && self.turns < limits.turns;
        self.turns += usize::from(walks && turn >= limits.few);
        walks
    }

    /// How many of so many turns are walked by themselves.
    pub(crate) fn turns_of(&mut self, wanted: usize) -> usize {
        let limits = &self.options.limits;
        let few = wanted.min(limits.few);
        let more = (wanted.min(limits.iterations) - few).min(limits.turns.saturating_sub(self.turns));
        self.turns += more;
        few + more
    }

    fn turn(&self, flow: Flow) -> Turn {
        match flow {
            Flow::Next | Flow::Continue(0 | 1) => Turn::On,
            Flow::Break(0 | 1) => Turn::Over,
            Flow::Break(n) => Turn::Leave(Flow::Break(n - 1)),
            Flow::Continue(n) => Turn::Leave(Flow::Continue(n - 1)),
            other => Turn::Leave(other),
        }
    }

    /// Ways that broke out of this loop join here; those that go further stay apart.
    fn leave_loop(&mut self, state: &mut State, mark: usize, maybe: bool, flow: Flow) -> Flow {
        let waiting = self.escapes.split_off(mark.min(self.escapes.len()));
        let mut exited = false;
        for (kind, way) in waiting {
            match kind {
                Flow::Break(0 | 1) | Flow::Continue(0 | 1) => *state = state.clone().join(way),
                Flow::Break(n) => self.escapes.push((Flow::Break(n - 1), way)),
                Flow::Continue(n) => self.escapes.push((Flow::Continue(n - 1), way)),
                other => {
                    exited = true;
                    self.escapes.push((other, way));
                }
            }
        }
        state.maybe = maybe || exited;
        flow
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn for_loop(
        &mut self,
        state: &mut State,
        span: Span,
        variable: &str,
        words: Option<&[Word]>,
        body: &Script,
        select: bool,
    ) -> Flow {
        let (values, open, unordered) = match words {
            Some(words) => match self.expand_words(state, words) {
                Ok(list) => {
                    let open = list.iter().any(|e| e.elastic);
                    let unordered = list.iter().any(|e| e.unordered);
                    (list.into_iter().map(|e| e.arg.value).collect::<Vec<_>>(), open, unordered)
                }
                Err(_) => return Flow::Exit,
            },
            None => (state.positional.values.clone(), state.positional.open, false),
        };
        let mark = self.escapes.len();
        let maybe = state.maybe;
        state.status = Status::True;
        if self.is_reference(state, variable) {
            self.over_references(state, variable, &values, body);
            return self.leave_loop(state, mark, maybe, Flow::Next);
        }
        if select {
            let chosen = values.iter().cloned().reduce(|a, b| a.join(&b)).unwrap_or(Value::Unknown);
            self.repeated(state, |interp, way| {
                interp.assign_scalar(way, variable, chosen.clone());
                interp.assign_scalar(way, "REPLY", Value::Unknown);
                interp.script(way, body)
            });
            state.status = Status::Unknown;
            return self.leave_loop(state, mark, maybe, Flow::Next);
        }
        if open {
            for value in values {
                self.repeated(state, |interp, way| {
                    interp.assign_scalar(way, variable, value.clone());
                    interp.script(way, body)
                });
            }
            state.status = Status::Unknown;
            return self.leave_loop(state, mark, maybe, Flow::Next);
        }
        let count = self.turns_of(values.len());
        for value in in_turns(values, count) {
            if matches!(value, Value::OneOf(_)) {
                // As many turns as it has texts: what one of them changes, the next one finds changed.
                self.repeated(state, |interp, way| {
                    interp.assign_scalar(way, variable, value.clone());
                    interp.script(way, body)
                });
                continue;
            }
            if !self.tick(state, span) {
                return Flow::Exit;
            }
            state.settle();
            self.assign_scalar(state, variable, value);
            let flow = self.script(state, body);
            match self.turn(flow) {
                Turn::On => {}
                // Another of the words may have come before this one.
                Turn::Over if unordered => state.maybe = true,
                Turn::Over => break,
                Turn::Leave(flow) => return self.leave_loop(state, mark, maybe, flow),
            }
        }
        self.leave_loop(state, mark, maybe, Flow::Next)
    }

    /// A loop over names that its variable leads to, one after the other.
    fn over_references(&mut self, state: &mut State, variable: &str, values: &[Value], body: &Script) {
        // Each word is a name that it leads to from then on.
        Arc::make_mut(&mut state.variables).remove(variable);
        let referred = values.iter().map(|value| match value.as_known() {
            Some(name) => self.scalar(state, name).unwrap_or(Value::known("")),
            None => Value::Unknown,
        });
        let any = referred.reduce(|a, b| a.join(&b)).unwrap_or(Value::known(""));
        self.repeated(state, |interp, way| {
            interp.assign_scalar(way, variable, any.clone());
            for name in values.iter().filter_map(Value::as_known) {
                interp.assign_scalar(way, name, Value::Unknown);
            }
            interp.script(way, body)
        });
    }

    pub(super) fn arithmetic_for(&mut self, state: &mut State, header: &Word, body: &Script) -> Flow {
        let mark = self.escapes.len();
        let maybe = state.maybe;
        let text = header_text(header);
        let mut parts = text.as_deref().unwrap_or("").split(';');
        let (first, condition, step) =
            (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        if text.is_none() {
            if self.arithmetic(state, &header.parts).is_err() {
                return Flow::Exit;
            }
        } else {
            self.evaluate_arithmetic(state, first);
        }
        for turn in 0.. {
            let goes = match (&text, condition.trim()) {
                (None, _) => Number::Unknown,
                (_, "") => Number::Known(1),
                (_, condition) => self.evaluate_arithmetic(state, condition),
            };
            match goes {
                Number::Known(0) => break,
                Number::Known(_) if self.walks(turn) => {
                    if !self.tick(state, header.span) {
                        return Flow::Exit;
                    }
                    let flow = self.script(state, body);
                    match self.turn(flow) {
                        Turn::On => {}
                        Turn::Over => break,
                        Turn::Leave(flow) => return self.leave_loop(state, mark, maybe, flow),
                    }
                    self.evaluate_arithmetic(state, step);
                }
                _ => {
                    self.repeated(state, |interp, way| {
                        let flow = interp.script(way, body);
                        interp.evaluate_arithmetic(way, step);
                        flow
                    });
                    break;
                }
            }
        }
        state.status = Status::Unknown;
        self.leave_loop(state, mark, maybe, Flow::Next)
    }
}

/// The way on which a condition answers so.
fn answered(state: &mut State, yes: bool) {
    if yes { state.succeed() } else { state.fail() }
}

/// Whether standard input is lines in an order that is not known. A loop over them goes through all; only where it ends
/// early does it matter which came first.
fn starts_with_lines(state: &mut State) -> bool {
    let lines = match &state.stdin {
        Stdin::Text(Value::Lines(lines)) if lines.end == '\n' => lines.clone(),
        _ => return false,
    };
    state.take(STDIN, Stdin::Text(Value::Known(lines.text())));
    state.maybe |= lines.some;
    true
}

fn header_text(header: &Word) -> Option<String> {
    let mut whole = String::new();
    for part in &header.parts {
        match part {
            crate::syntax::Part::Literal(text) | crate::syntax::Part::Quoted(text) => whole.push_str(text),
            crate::syntax::Part::Parameter(p)
                if p.operator.is_none() && p.index.is_none() && !p.length && !p.indirect =>
            {
                whole.push_str(&p.name);
            }
            _ => return None,
        }
    }
    let inner = whole.trim().trim_start_matches("((").trim_end_matches("))").to_owned();
    (inner.matches(';').count() == 2).then_some(inner)
}

/// The values one by one, and past `limit` several at a time.
fn in_turns(values: Vec<Value>, limit: usize) -> Vec<Value> {
    if values.len() <= limit {
        return values;
    }
    let mut turns = values[..limit].to_vec();
    let mut rest = values[limit..].iter();
    while let Some(first) = rest.next() {
        match first.as_known() {
            None => turns.push(first.clone()),
            Some(text) => {
                let mut chunk = vec![text.to_owned()];
                for next in rest.by_ref().take(Value::MAX_CHOICES - 1) {
                    match next.as_known() {
                        Some(text) => chunk.push(text.to_owned()),
                        None => turns.push(next.clone()),
                    }
                }
                turns.push(Value::one_of(chunk));
            }
        }
    }
    turns
}

fn differs(a: &State, b: &State) -> bool {
    a.variables != b.variables
        || a.positional != b.positional
        || a.files != b.files
        || a.functions.len() != b.functions.len()
}

/// The state after any number of turns, seen from the state before and the one after the first: what changed is unknown
/// but for the files.
fn widen(before: &State, first: State) -> State {
    let mut widened = before.clone().join(first);
    if widened.cwd != before.cwd {
        widened.cwd = Vec::new();
    }
    if widened.variables != before.variables {
        let variables = Arc::make_mut(&mut widened.variables);
        for (name, variable) in variables.iter_mut() {
            if before.variables.get(name) != Some(variable) {
                variable.content = match variable.content {
                    Content::Scalar(_) | Content::Unset => Content::Scalar(Value::Unknown),
                    _ => Content::UnknownArray,
                };
            }
        }
    }
    widened
}
