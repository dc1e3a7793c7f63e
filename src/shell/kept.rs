//! What a shell that goes on keeps between texts besides its directory and variables: functions and aliases.
//!
//! An alias is kept as the function that does the same. Whether the text that defined it really ran is not known, so
//! the name may also mean what it means elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Span, Value};
use crate::world::resolve::logical;

use super::files::{FileState, Files};
use super::interp::{Scope, Shell, parse};
use super::simple::Call;
use super::state::{Definitions, State};
use super::step::{Mode, Sink, Step, StepKind};

/// Names with the texts that may define them; none: what the name means was not kept.
pub type Kept = BTreeMap<String, BTreeSet<String>>;

/// Bytes of text that are kept of one shell; past them only names are.
const MOST: usize = 32 * 1024;

/// What earlier texts defined, with what a later one did. Bounded.
pub fn add(kept: &mut Kept, more: &Kept) {
    for (name, texts) in more {
        let unread = kept.get(name).is_some_and(BTreeSet::is_empty);
        let all = kept.entry(name.clone()).or_default();
        if !unread && !texts.is_empty() {
            all.extend(texts.iter().cloned());
        } else {
            all.clear();
        }
    }
    let mut room = MOST;
    for texts in kept.values_mut() {
        let length: usize = texts.iter().map(String::len).sum();
        match room.checked_sub(length) {
            Some(left) => room = left,
            None => texts.clear(),
        }
    }
}

/// Records only the texts that the steps write: they may be read back as commands.
pub(super) struct Nowhere;

impl Sink for Nowhere {
    fn step(&mut self, step: Step, files: &mut Files) {
        let StepKind::Write { path, mode: Mode::Truncate, content, .. } = &step.kind else { return };
        let (Some(name), [cwd], None) = (path.value.as_known(), &step.context.cwd[..], &step.context.host)
        else {
            return;
        };
        let content = content.as_ref().and_then(Value::as_known).map(str::to_owned);
        files.set(logical(&cwd.join(name)), FileState::Created { content, directory: false });
    }
}

impl Shell<'_> {
    /// Functions and aliases that the text defined.
    pub(super) fn defined(&self, state: &State) -> Kept {
        let mut kept = Kept::new();
        for (name, definitions) in &state.functions {
            let texts = definitions.bodies.iter().map(|function| {
                let span = function.body.span;
                let body = function.source.get(span.start..span.end).filter(|body| !body.is_empty())?;
                // The text may be the whole definition, or what stands behind the name.
                let whole = body.starts_with("function") || body.starts_with(name.as_str());
                Some(if whole { body.to_owned() } else { format!("{name}() {body}") })
            });
            kept.insert(name.clone(), texts.collect::<Option<_>>().unwrap_or_default());
        }
        for (name, alias) in &state.aliases {
            if self.options.session.aliases.iter().any(|(known, _)| known == name) {
                continue;
            }
            let own = alias.text.split_whitespace().next() == Some(name.as_str());
            let by = if own { "command " } else { "" };
            let text = format!("{name}() {{ {by}{} \"$@\"\n}}", alias.text);
            let texts = if alias.text.trim().is_empty() { BTreeSet::new() } else { BTreeSet::from([text]) };
            kept.insert(name.clone(), texts);
        }
        let given = &self.options.start.definitions;
        kept.retain(|name, texts| given.get(name) != Some(texts));
        let mut bounded = Kept::new();
        add(&mut bounded, &kept);
        bounded
    }

    /// Defines what earlier texts left in this shell. `whole`: the span of the text that is judged.
    pub(super) fn recall(&mut self, state: &mut State, whole: Span) {
        let options = self.options;
        for (name, texts) in &options.start.definitions {
            let mut all = Definitions { maybe_undefined: true, ..Definitions::default() };
            for text in texts {
                let (script, _) = parse(text);
                let mut scope = Scope::top(std::sync::Arc::from(text.as_str()));
                scope.span = Some(whole);
                state.functions.remove(name);
                state.within(&scope, |state| self.script(state, &script));
                if let Some(definitions) = state.functions.remove(name) {
                    all.bodies.extend(definitions.bodies);
                }
            }
            if !all.bodies.is_empty() {
                state.functions.insert(name.clone(), all);
            }
        }
    }

    /// A name to which an earlier text gave a meaning that was not kept is a program that nothing is known of.
    pub(super) fn mind_kept(&mut self, state: &mut State, name: &str, call: &Call) {
        let unread = self.options.start.definitions.get(name).is_some_and(BTreeSet::is_empty);
        if unread && state.scope.host.is_none() {
            let kind = StepKind::UnknownProgram { name: name.to_owned(), args: call.args() };
            self.emit_as(state, call.span, &call.raw, kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_together_and_are_bounded() {
        let one = |text: &str| Kept::from([("f".to_owned(), BTreeSet::from([text.to_owned()]))]);
        let mut kept = one("f() { a; }");
        add(&mut kept, &one("f() { b; }"));
        assert_eq!(kept.get("f").map(BTreeSet::len), Some(2));
        add(&mut kept, &one(&"x".repeat(MOST)));
        assert_eq!(kept.get("f").map(BTreeSet::len), Some(0));
        add(&mut kept, &one("f() { c; }"));
        assert_eq!(kept.get("f").map(BTreeSet::len), Some(0), "what was lost stays so");
    }
}
