//! Commands among the words of a program that nothing is known of: whether it runs them nobody can tell, so they are
//! judged as if it did.

use super::interp::{Interp, Scope};
use super::simple::Call;
use super::state::State;
use crate::knowledge::match_words;
use crate::model::Value;

/// Tools whose names are everyday words, so that as an operand of an unknown program they mostly mean something else.
pub(super) const ORDINARY_WORDS: [&str; 25] = [
    "install",
    "link",
    "kill",
    "split",
    "patch",
    "sort",
    "make",
    "import",
    "convert",
    "mount",
    "format",
    "env",
    "time",
    "watch",
    "init",
    "script",
    "test",
    "node",
    "go",
    "less",
    "more",
    "view",
    "edit",
    "docker",
    "terraform",
];

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

impl Interp<'_> {
    /// The general rule: an unknown program before words that form a dangerous command is judged as if it ran it.
    pub(super) fn suspect(&mut self, state: &mut State, scope: &Scope, call: &Call, name: &str) {
        // Behind `--` there often stands a command.
        let dashes = call.words.iter().position(|word| word.arg.value.as_known() == Some("--"));
        let order = dashes.map(|at| at + 1).into_iter().chain(1..call.words.len());
        for index in order {
            let Some(word) = call.words.get(index) else { continue };
            let Value::Known(text) = &word.arg.value else { continue };
            let inner = scope.through(name);
            if text.contains(char::is_whitespace) {
                let before = call.words.get(index.wrapping_sub(1)).and_then(|word| word.arg.value.as_known());
                if before.is_none_or(|before| !SAYING.contains(&before)) && self.is_dangerous_text(text) {
                    let maybe = std::mem::replace(&mut state.maybe, true);
                    let mut way = state.clone();
                    self.shell_text(&mut way, &inner, &word.arg.value, word.arg.span);
                    state.files.merge(&way.files);
                    state.maybe = maybe;
                    return;
                }
                continue;
            }
            let rest = call.words.get(index..).unwrap_or(&[]);
            let values = rest.iter().skip(1).map(|word| word.arg.value.clone()).collect::<Vec<_>>();
            if self.is_dangerous_command(text, &values) {
                let maybe = std::mem::replace(&mut state.maybe, true);
                self.program(state, &inner, rest.to_vec(), word.arg.span);
                state.maybe = maybe;
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
        if base.is_empty() || name.starts_with('-') || ORDINARY_WORDS.contains(&base) {
            return false;
        }
        super::follow::is_shell(base)
            || self.knowledge.tool(base).is_some_and(|tool| match_words(&tool, values).is_dangerous())
    }
}
