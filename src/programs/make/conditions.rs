//! Conditionals of a makefile: which branch holds, where that can be told.

use super::expand::{UNKNOWN, expand, outside_of_references, value};
use super::read::{Makefile, Place, Reader};

/// A conditional: `None` when it cannot be told which branch holds.
#[derive(Clone, Copy)]
pub(super) struct Condition {
    /// This branch.
    pub(super) holds: Option<bool>,
    /// A branch before was taken.
    done: Option<bool>,
    /// `ifndef NAME` around `NAME = …` is `?=`.
    pub(super) default_only: bool,
}

impl Reader<'_> {
    /// A line that opens, turns or closes a conditional; false when it does none of it.
    pub(super) fn conditional(&self, makefile: &Makefile, place: &mut Place, code: &str) -> bool {
        let (first, rest) = code.split_once([' ', '\t', '(']).unwrap_or((code, ""));
        match first {
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => {
                let condition = if place.is_skipped() {
                    Condition { holds: Some(false), done: Some(true), default_only: false }
                } else {
                    self.condition(makefile, first, code[first.len()..].trim())
                };
                place.conditions.push(condition);
            }
            "else" => self.otherwise(makefile, place, rest.trim()),
            "endif" => {
                place.conditions.pop();
            }
            _ => return false,
        }
        true
    }

    /// `else`, alone or with a condition of its own.
    fn otherwise(&self, makefile: &Makefile, place: &mut Place, rest: &str) {
        let Some((before, above)) = place.conditions.split_last_mut() else { return };
        let outer = above.iter().any(|condition| condition.holds == Some(false));
        let next = match rest.split([' ', '\t', '(']).next() {
            Some(word @ ("ifeq" | "ifneq" | "ifdef" | "ifndef")) if !outer => {
                self.condition(makefile, word, rest[word.len()..].trim())
            }
            _ => Condition { holds: Some(true), done: None, default_only: false },
        };
        let holds = match (before.done, next.holds) {
            _ if outer => Some(false),
            (Some(true), _) | (_, Some(false)) => Some(false),
            (Some(false), holds) => holds,
            (None, _) => None,
        };
        let done = match (before.done, holds) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
        *before = Condition { holds, done, default_only: false };
    }

    /// A condition by its word (`ifeq`) and what stands behind it.
    fn condition(&self, makefile: &Makefile, word: &str, text: &str) -> Condition {
        let variables = &makefile.variables;
        let put = |text: &str| expand(text, variables, &self.outside, 0).trim().to_owned();
        let known = |text: &str| !text.contains(UNKNOWN) && !text.contains("$(");
        let (truth, default_only) = match word {
            "ifdef" | "ifndef" => {
                let name = put(text);
                let set = match variables.get(&name) {
                    Some(found) => !found.text.is_empty(),
                    None => !value(&name, variables, &self.outside, 0).is_empty(),
                };
                let clear = known(&name) && variables.get(&name).is_none_or(|found| found.text != UNKNOWN);
                let truth = (clear && (self.outside.variable)(&name).is_none_or(|text| known(&text)))
                    .then_some(set == (word == "ifdef"));
                (truth, word == "ifndef")
            }
            _ => {
                let sides = match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
                    Some(inner) => {
                        outside_of_references(inner, ",").map(|at| (&inner[..at], &inner[at + 1..]))
                    }
                    None => quoted(text),
                };
                let truth = sides.and_then(|(left, right)| {
                    let (left, right) = (put(left), put(right));
                    (known(&left) && known(&right)).then_some((left == right) == (word == "ifeq"))
                });
                (truth, false)
            }
        };
        Condition { holds: truth, done: truth, default_only }
    }
}

/// `"a" "b"` or `'a' 'b'`.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let one = |text: &str| -> Option<usize> {
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        Some(text[1..].find(quote)? + 1)
    };
    let end = one(text)?;
    let rest = text[end + 1..].trim_start();
    let last = one(rest)?;
    Some((&text[1..end], &rest[1..last]))
}
