//! Programs that take patterns for operands (`rimraf '*.md'`): the shell hands those on as they are, and the program looks up
//! what they stand for.

use crate::model::Value;
use crate::shell::program::{Expansion, Flow, Instead, Run, Shell, State};

/// See [`Room::Globs`](crate::knowledge::Room::Globs).
pub(super) struct Globs;

/// Patterns that braces stand for, at most.
const BRACES: usize = 64;

impl super::Program for Globs {
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead> {
        if run.matched.does_nothing() {
            return None;
        }
        let mut words = run.call.words.clone();
        let mut changed = false;
        // From the last to the first, so that the places in front stay.
        for operand in run.matched.operands.iter().rev() {
            let Some(text) = operand.value.as_known() else { continue };
            let Some(names) = stands_for(shell, state, text) else { continue };
            let at = operand.index + 1;
            let word = words.get(at)?.clone();
            let named = |value: Value| {
                let mut word = word.clone();
                word.arg.value = value;
                word.arg.explicit = false;
                word
            };
            let names: Vec<Expansion> = names.into_iter().map(named).collect();
            words.splice(at..=at, names);
            changed = true;
        }
        if !changed {
            return None;
        }
        shell.program(state, words, run.call.span);
        Some(Instead::Done(Flow::Next))
    }
}

/// What a pattern stands for here; `None` for a plain name, and for a pattern that is the name of what stands there.
fn stands_for(shell: &Shell<'_>, state: &State, text: &str) -> Option<Vec<Value>> {
    // What is left out by a pattern stays in doubt.
    if text.starts_with('!') || !text.contains(['*', '?', '[', '{']) {
        return None;
    }
    let unknown = || Some(vec![Value::Unknown]);
    if text.contains("(") {
        return unknown();
    }
    let mut found = Vec::new();
    let Some(patterns) = braces(text) else { return unknown() };
    for pattern in patterns {
        match shell.pattern_names(state, &pattern) {
            Some(names) => found.extend(names),
            None => return unknown(),
        }
    }
    if found.iter().any(|name| name == text) {
        return None;
    }
    Some(found.into_iter().map(Value::Known).collect())
}

/// `{a,b}`, from the innermost; `None` where there are too many.
fn braces(text: &str) -> Option<Vec<String>> {
    let Some(close) = text.find('}') else { return Some(vec![text.to_owned()]) };
    let Some(open) = text[..close].rfind('{') else { return Some(vec![text.to_owned()]) };
    let (before, inner, after) = (&text[..open], &text[open + 1..close], &text[close + 1..]);
    let mut all = Vec::new();
    for part in inner.split(',') {
        all.extend(braces(&format!("{before}{part}{after}"))?);
    }
    (all.len() <= BRACES).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::braces;

    #[test]
    fn braces_stand_for_each_of_their_parts() {
        assert_eq!(braces("{a,b}.{c,d}").unwrap(), ["a.c", "a.d", "b.c", "b.d"]);
        assert_eq!(braces("a").unwrap(), ["a"]);
        assert_eq!(braces(&"{a,b}".repeat(9)), None);
    }
}
