//! Commands among the words of a program that nothing is known of: whether it runs them nobody can tell, so they are
//! judged as if it did.

use super::expand::Expansion;
use super::interp::Shell;
use super::simple::Call;
use super::state::State;
use crate::knowledge::{lists, match_words, places, tool_words};
use crate::model::Value;

/// Options whose value is said to people: a text behind one of them is no command.
const SAYING: [&str; 12] = [
    "-m",
    "--message",
    "-t",
    "--title",
    "--body",
    "-b",
    "--description",
    "--comment",
    "--text",
    "--subject",
    "--reason",
    "--query",
];

/// Where a program says that it runs the command in each of several directories, nobody knows which.
fn elsewhere(state: &mut State, words: &[Expansion], index: usize) {
    let said = words.get(1..index).unwrap_or_default().iter().filter_map(|word| word.arg.value.as_known());
    let plain = |word: &str| word.trim_start_matches('-').replace('-', "_").to_ascii_lowercase();
    if said.map(plain).any(|word| tool_words().commands.everywhere.has(&word)) {
        state.cwd = Vec::new();
    }
}

impl Shell<'_> {
    /// The general rule: an unknown program before words that form a dangerous command is judged as if it ran it.
    pub(crate) fn suspect(&mut self, state: &mut State, call: &Call, name: &str) {
        // Behind `--` there often stands a command.
        let dashes = call.words.iter().position(|word| word.arg.value.as_known() == Some("--"));
        let order = dashes.map(|at| at + 1).into_iter().chain(1..call.words.len());
        for index in order {
            let Some(word) = call.words.get(index) else { continue };
            let Value::Known(text) = &word.arg.value else { continue };
            let inner = state.scope.guess(name);
            if text.contains(char::is_whitespace) {
                let before = call.words.get(index.wrapping_sub(1)).and_then(|word| word.arg.value.as_known());
                if before.is_none_or(|before| !SAYING.contains(&before)) && self.is_dangerous_text(text) {
                    state.perhaps(|state| {
                        let mut way = state.clone();
                        elsewhere(&mut way, &call.words, index);
                        way.within(&inner, |way| self.shell_text(way, &word.arg.value, word.arg.span));
                        state.files.merge(&way.files);
                    });
                    return;
                }
                continue;
            }
            let rest = call.words.get(index..).unwrap_or(&[]);
            let values = rest.iter().skip(1).map(|word| word.arg.value.clone()).collect::<Vec<_>>();
            if self.is_dangerous_command(text, &values) {
                state.perhaps(|state| {
                    let here = state.cwd.clone();
                    elsewhere(state, &call.words, index);
                    state.within(&inner, |state| self.program(state, rest.to_vec(), word.arg.span));
                    state.cwd = here;
                });
                return;
            }
        }
    }

    /// One word that is a whole command: `repo forall -c 'git reset --hard'`.
    fn is_dangerous_text(&self, text: &str) -> bool {
        let mut words = text.split_whitespace();
        let Some(first) = words.next() else { return false };
        self.is_dangerous_command(first, &words.map(Value::known).collect::<Vec<_>>())
    }

    fn is_dangerous_command(&self, name: &str, values: &[Value]) -> bool {
        let base = name.rsplit('/').next().unwrap_or(name);
        if base.is_empty() || name.starts_with('-') || lists(&places().everyday, base) {
            return false;
        }
        super::follow::is_shell(base)
            || self.knowledge.tool(base).is_some_and(|tool| match_words(&tool, values).is_dangerous())
    }
}
