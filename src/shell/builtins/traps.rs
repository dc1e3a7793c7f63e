//! What a trap may change at any time: before each command, behind one that fails, when a signal comes.

use std::sync::Arc;

use crate::model::Value;
use crate::shell::interp::{Shell, shell};
use crate::shell::kept::Nowhere;
use crate::shell::state::{Content, Flow, State, Trap, Variable};
use crate::shell::step::StepKind;

impl State {
    /// Whether a signal may be caught, so that it ends nothing.
    pub(crate) fn minds_signals(&self) -> bool {
        self.exit_traps.iter().any(|trap| trap.comes || trap.waits)
    }
}

impl Shell<'_> {
    /// Another function may be what a trap calls.
    pub(in crate::shell) fn mind_traps(&mut self, state: &mut State) {
        let sent = state.exit_traps.iter().filter(|trap| trap.comes).cloned().collect::<Vec<_>>();
        for trap in &sent {
            self.mind_trap(state, trap);
        }
    }

    /// A command may send the signals that were waited for, or a failure ends the shell no more.
    pub(crate) fn wake_traps(&mut self, state: &mut State) {
        self.signalled = true;
        let mut woken = Vec::new();
        for trap in state.exit_traps.iter_mut().filter(|trap| trap.waits) {
            (trap.waits, trap.comes) = (false, true);
            woken.push(trap.clone());
        }
        for trap in &woken {
            self.mind_trap(state, trap);
        }
    }

    /// What the text of a trap assigns is not known from here on; where it leads the shell elsewhere, nothing is.
    pub(super) fn mind_trap(&mut self, state: &mut State, trap: &Trap) {
        let mut nowhere = Nowhere;
        let mut other = shell(self.world, self.knowledge, self.programs, self.options, &mut nowhere);
        other.given = Arc::clone(&self.given);
        other.typed = Arc::clone(&self.typed);
        let mut way = state.possible();
        way.exit_traps.clear();
        let span = trap.scope.span.unwrap_or_default();
        let flow = way.within(&trap.scope, |way| other.shell_text(way, &trap.text, span));
        // What ends the shell leads it nowhere else.
        let ends = flow == Flow::Exit && other.escapes.is_empty();
        for (_, escaped) in std::mem::take(&mut other.escapes) {
            way = way.join(escaped);
        }
        way.settle();
        let moves = !ends
            && (way.cwd != state.cwd
                || way.positional != state.positional
                || way.aliases != state.aliases
                || !way.functions.iter().all(|(name, now)| {
                    let before = state.functions.get(name).map_or(&[][..], |known| &known.bodies);
                    now.bodies.iter().all(|body| before.iter().any(|known| Arc::ptr_eq(known, body)))
                }));
        if moves {
            let reason =
                "a trap may change at any time where the commands run, and what they mean".to_owned();
            self.emit_as(state, span, &trap.text.display(), StepKind::Opaque { reason });
        }
        if Arc::ptr_eq(&way.variables, &state.variables) {
            return;
        }
        let changed = way.variables.iter().filter(|(name, now)| {
            state.variables.get(*name).map(|before| &before.content) != Some(&now.content)
        });
        let changed: Vec<String> = changed.map(|(name, _)| name.clone()).collect();
        let variables = Arc::make_mut(&mut state.variables);
        for name in changed {
            let variable =
                variables.entry(name).or_insert_with(|| Variable::new(Content::Scalar(Value::Unknown)));
            variable.content.blur();
            variable.loose = true;
        }
    }
}
