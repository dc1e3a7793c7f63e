//! Text to tree: shell source becomes our own small tree plus a list of gaps. Parsing never fails.
//!
//! Owns the reading of bash. The work is divided by what tree-sitter-bash is good at. A reader of our own takes words apart:
//! quoting, expansions, here-documents, backquotes, redirections, assignments, continued lines. It hands on one token
//! per simple command and reserved word, spelled so that the grammar cannot misread it (a here-document or `{ …; }`
//! behind `for` is never seen by it). tree-sitter-bash then says which command stands in which. Its nodes are taken by
//! an allow-list; a token that no node accounts for is a gap, and so is a substitution in the source that the finished
//! tree does not hold.
//!
//! Pure: no file, no environment, no clock but the parse deadline. Uses `model` alone.
//!
//! Invariant: every command word that bash would look up is in the tree or lies under a [`Gap`].

pub mod aligned;
mod commands;
mod coverage;
mod expansion;
pub mod fish;
#[cfg(test)]
mod fish_tests;
mod heredoc;
mod parameter;
mod reader;
mod simple;
mod structure;
mod test_expression;
mod tokens;
mod tree;
mod unfinished;
mod walk;
mod word;
pub mod zsh;

#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::model::Span;
use crate::order;

pub use commands::is_reserved_word;
pub use tree::*;
pub use unfinished::ends_in_redirection;
pub use walk::{Visit, walk};

/// How much a parse may cost. Past a limit the rest of the text is a gap with the limit's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text (`size`).
    pub bytes: usize,
    /// Nesting of substitutions, groups and compound commands together (`depth`). Whoever walks the tree recursively
    /// relies on it.
    pub depth: usize,
    /// Words, expansions, redirections and operators (`nodes`).
    pub nodes: usize,
    /// Time (`deadline`).
    pub deadline: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 1 << 20, depth: 48, nodes: 200_000, deadline: Duration::from_millis(400) }
    }
}

/// Reads shell text with the usual limits.
pub fn parse(text: &str) -> (Script, Vec<Gap>) {
    parse_with(text, &Limits::default())
}

/// Reads shell text. What cannot be understood is among the gaps; commands found in such parts are in the tree all the
/// same, so that a verdict can be stricter for them.
pub fn parse_with(text: &str, limits: &Limits) -> (Script, Vec<Gap>) {
    if text.len() > limits.bytes {
        return nothing(text, GapReason::Limit("size"));
    }
    let mut context = reader::Context::new(limits.clone());
    if let Some(at) = text.find('\0') {
        context.gaps.push(Gap { span: Span::new(at, at + 1), reason: GapReason::Encoding });
    }
    let mut reader = reader::Reader::new(text, reader::Origin::Offset(0), &mut context);
    let script = reader.script(commands::End::Text);
    coverage::check(text, &script, &mut context);
    let mut gaps = context.gaps;
    order::by_key(&mut gaps, |gap| gap.span);
    gaps.dedup();
    (script, gaps)
}

/// A text that is a gap from end to end.
fn nothing(text: &str, reason: GapReason) -> (Script, Vec<Gap>) {
    let span = Span::new(0, text.len());
    let command = Command { kind: CommandKind::Gap(Vec::new()), redirections: Vec::new(), span };
    (Script { items: vec![Item { command, background: false }] }, vec![Gap { span, reason }])
}
