//! From a word of the tree to the words that a program receives, in bash's order: braces, tilde, parameters,
//! substitutions, arithmetic, splitting, wildcards, quote removal.
//!
//! Owns the order and the quoting rules; each kind of expansion has its own file.

mod arith;
mod braces;
mod defaults;
mod glob;
mod operators;
mod params;
mod split;
mod tilde;

use crate::model::{Signs, Span, Value, is_mark};
use crate::shell::pattern;
use crate::syntax::{Part, Word};

use super::interp::Shell;
use super::state::{State, Words};
use super::step::Arg;

pub(super) use arith::Number;

/// An expansion that ends the command (`${x:?}`, `set -u`).
#[derive(Debug)]
pub(super) struct Abort;

pub(super) type Expanded<T> = Result<T, Abort>;

/// Whether a text may stand in front of `=` in an assignment.
fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Bytes that the expansions in one word may give; more is not known text any more.
const LENGTH: usize = 256 * 1024;

/// A piece of a field.
#[derive(Clone, Debug)]
enum Piece {
    /// Stands for itself.
    Quoted(Value),
    /// Wildcards in it act.
    Active(Value),
}

/// A field before wildcards and quote removal.
#[derive(Clone, Debug)]
struct Field {
    pieces: Vec<Piece>,
    explicit: bool,
    elastic: bool,
    unordered: bool,
    quoted: bool,
}

impl Field {
    fn new() -> Self {
        Self { pieces: Vec::new(), explicit: true, elastic: false, unordered: false, quoted: false }
    }

    fn value(&self) -> Value {
        self.pieces.iter().fold(Value::known(""), |all, piece| match piece {
            Piece::Quoted(value) | Piece::Active(value) => all.concat(value),
        })
    }

    /// As a wildcard pattern in which quoted text stands for itself; `None` when not fully known.
    fn pattern(&self) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Quoted(value) => text.push_str(&pattern::escape(value.as_known()?)),
                Piece::Active(value) => text.push_str(value.as_known()?),
            }
        }
        Some(text)
    }
}

/// A word as a program receives it, and whether it may stand for any number of words.
#[derive(Clone, Debug)]
pub struct Expansion {
    pub(crate) arg: Arg,
    /// Unquoted and unknown: several words, or none.
    pub(crate) elastic: bool,
    /// One of several words of which it is not known which comes first.
    pub(crate) unordered: bool,
}

/// Collects fields while the parts of a word are gone through.
struct Builder {
    done: Vec<Field>,
    current: Field,
    /// Unquoted results are split into words.
    split: bool,
    /// What becomes of the words of a variable.
    words: Words,
    /// Characters that separate words.
    separators: Option<String>,
    /// Bytes that expansions gave so far.
    length: usize,
}

impl Builder {
    fn new(split: bool, separators: Option<String>, words: Words) -> Self {
        Self { done: Vec::new(), current: Field::new(), split, words, separators, length: 0 }
    }

    fn finish_field(&mut self) {
        let mut next = Field::new();
        next.explicit = false;
        let field = std::mem::replace(&mut self.current, next);
        self.done.push(field);
    }

    fn quoted(&mut self, value: Value) {
        self.current.quoted = true;
        self.current.pieces.push(Piece::Quoted(value));
    }

    fn literal(&mut self, text: &str) {
        // What consists of signs that are not known alone may be no word at all.
        self.current.elastic |= text.contains(is_mark) && text.chars().all(is_mark);
        self.current.pieces.push(Piece::Active(Value::marked(text)));
    }

    /// The result of an expansion.
    fn result(&mut self, value: Value, quoted: bool) {
        self.current.explicit = false;
        self.length += length(&value);
        let value = if self.length > LENGTH { Value::Unknown } else { value };
        if quoted {
            self.quoted(value);
        } else if self.split {
            self.split_in(&value);
        } else {
            self.current.pieces.push(Piece::Active(value));
        }
    }

    /// What a variable holds.
    fn variable(&mut self, value: Value, quoted: bool) {
        if quoted || !self.split || self.words == Words::Split {
            return self.result(value, quoted);
        }
        let blank = value.as_known().is_some_and(|text| text.contains(char::is_whitespace));
        let value = match self.words {
            Words::Unsure if !blank => return self.result(value, false),
            Words::Unsure => Value::Unknown,
            _ => value,
        };
        // A name may stand for a list there, of any length.
        self.current.elastic |= value.as_known().is_none();
        self.current.explicit = false;
        self.length += length(&value);
        let value = if self.length > LENGTH { Value::Unknown } else { value };
        self.current.pieces.push(Piece::Quoted(value));
    }

    /// The fields from one on come in an order that is not known.
    fn mix(&mut self, from: usize) {
        self.done.iter_mut().skip(from).for_each(|field| field.unordered = true);
        self.current.unordered = true;
        if self.done.len() == from {
            // All of them in one word, or a part of it.
            for piece in &mut self.current.pieces {
                *piece = Piece::Quoted(Value::Unknown);
            }
        }
    }

    fn fields(mut self) -> Vec<Field> {
        if !self.current.pieces.is_empty() || self.current.quoted {
            self.done.push(self.current);
        }
        self.done.retain(|field| field.quoted || field.value() != Value::known(""));
        self.done
    }
}

impl Shell<'_> {
    /// Words as a program receives them.
    pub(super) fn expand_words(&mut self, state: &mut State, words: &[Word]) -> Expanded<Vec<Expansion>> {
        let mut all = Vec::new();
        for word in words {
            self.expand_word(state, word, &mut all)?;
            if all.len() > self.options.limits.words {
                self.limit("words", word.span, state);
                return Err(Abort);
            }
        }
        Ok(all)
    }

    fn expand_word(&mut self, state: &mut State, word: &Word, all: &mut Vec<Expansion>) -> Expanded<()> {
        let span = state.scope.place(word.span);
        let otherwise = state.switches.zsh && crate::shell::zsh::is_subscripted(&word.parts);
        if let Some(text) = plain_text(word).filter(|_| !otherwise) {
            all.push(Expansion { arg: Arg::literal(text, span), elastic: false, unordered: false });
            return Ok(());
        }
        if state.switches.no_braces || otherwise {
            return self.expand_braced(state, word, span, all);
        }
        match braces::expand(word, self.options.limits.words) {
            braces::Braces::None => self.expand_braced(state, word, span, all),
            braces::Braces::Words(words) => {
                all.append(&mut self.with_braces(state, word, span)?);
                for word in &words {
                    self.expand_braced(state, word, span, all)?;
                }
                Ok(())
            }
            braces::Braces::TooMany => {
                all.push(Expansion {
                    arg: Arg { value: Value::Unknown, span, explicit: false },
                    elastic: true,
                    unordered: false,
                });
                Ok(())
            }
        }
    }

    fn expand_braced(
        &mut self,
        state: &mut State,
        word: &Word,
        span: Span,
        all: &mut Vec<Expansion>,
    ) -> Expanded<()> {
        let mut builder = Builder::new(true, self.separators(state), state.switches.words);
        self.word_with_tilde(state, &word.parts, &mut builder)?;
        if state.switches.zsh && crate::shell::zsh::is_subscripted(&word.parts) {
            let arg = Arg { value: Value::Unknown, span, explicit: false };
            all.push(Expansion { arg, elastic: true, unordered: false });
            return Ok(());
        }
        for field in builder.fields() {
            self.finish(state, field, span, all)?;
        }
        Ok(())
    }

    /// Wildcards, then quote removal.
    fn finish(
        &mut self,
        state: &mut State,
        field: Field,
        span: Span,
        all: &mut Vec<Expansion>,
    ) -> Expanded<()> {
        let (elastic, unordered) = (field.elastic, field.unordered);
        if state.switches.noglob || !glob::may_act(&field, &state.switches) {
            let arg = Arg { value: field.value().word(), span, explicit: field.explicit };
            all.push(Expansion { arg, elastic, unordered });
            return Ok(());
        }
        match self.glob(state, &field) {
            glob::Globbed::Names(names) => {
                let unordered = unordered || !self.in_byte_order(state, &names);
                all.extend(names.into_iter().map(|name| Expansion {
                    arg: Arg { value: Value::Known(name), span, explicit: false },
                    elastic: false,
                    unordered,
                }));
            }
            glob::Globbed::Value(value) => {
                all.push(Expansion {
                    arg: Arg { value, span, explicit: false },
                    elastic: true,
                    unordered: false,
                });
            }
            glob::Globbed::Literal => {
                let arg = Arg { value: field.value().word(), span, explicit: false };
                all.push(Expansion { arg, elastic, unordered });
            }
            glob::Globbed::Nothing => {}
            glob::Globbed::Failed => return Err(Abort),
        }
        Ok(())
    }

    /// A word where no splitting and no wildcards happen (assignments, redirection of text, `case`).
    pub(super) fn expand_text(&mut self, state: &mut State, word: &Word) -> Expanded<Value> {
        if let Some(text) = plain_text(word) {
            return Ok(Value::Known(text));
        }
        let mut builder = Builder::new(false, None, Words::Split);
        self.parts_with_tilde(state, &word.parts, true, &mut builder)?;
        Ok(self.joined(state, builder))
    }

    /// The same outside of assignments, where a tilde means nothing behind a colon.
    pub(super) fn expand_one(&mut self, state: &mut State, word: &Word) -> Expanded<Value> {
        if let Some(text) = plain_text(word) {
            return Ok(Value::Known(text));
        }
        let mut builder = Builder::new(false, None, Words::Split);
        self.parts_with_tilde(state, &word.parts, false, &mut builder)?;
        Ok(self.joined(state, builder))
    }

    /// The body of a here-document, or text inside double quotes.
    pub(super) fn expand_quoted(&mut self, state: &mut State, parts: &[Part]) -> Expanded<Value> {
        let mut builder = Builder::new(false, None, Words::Split);
        self.parts(state, parts, true, &mut builder)?;
        Ok(self.joined(state, builder))
    }

    /// A word as a pattern (`case`, `[[ = ]]`, `${x#…}`); `None` when it is not fully known.
    pub(super) fn expand_pattern(&mut self, state: &mut State, word: &Word) -> Expanded<Option<String>> {
        let mut builder = Builder::new(false, None, Words::Split);
        self.parts_with_tilde(state, &word.parts, false, &mut builder)?;
        let mut text = String::new();
        for field in builder.fields() {
            match field.pattern() {
                Some(part) => text.push_str(&part),
                None => return Ok(None),
            }
        }
        Ok(Some(text))
    }

    fn joined(&self, state: &State, builder: Builder) -> Value {
        let mut fields = builder.done;
        fields.push(builder.current);
        let separator = Value::Known(
            self.separators(state).and_then(|s| s.chars().next()).map(String::from).unwrap_or_default(),
        );
        let mut whole: Option<Value> = None;
        for field in &fields {
            whole = Some(match whole {
                None => field.value(),
                Some(value) => value.concat(&separator).concat(&field.value()),
            });
        }
        whole.unwrap_or(Value::known(""))
    }

    /// A word of a command. Bash reads one that looks like an assignment as one: `dd of=~/disk.img`.
    fn word_with_tilde(&mut self, state: &mut State, parts: &[Part], builder: &mut Builder) -> Expanded<()> {
        let assigned = match parts.split_first() {
            Some((Part::Literal(text), rest)) if !state.switches.zsh && !state.switches.fish => text
                .find('=')
                .filter(|at| is_identifier(&text[..*at]) && text.contains('~'))
                .map(|at| (text.split_at(at + 1), rest)),
            _ => None,
        };
        let Some(((name, text), rest)) = assigned else {
            return self.parts_with_tilde(state, parts, false, builder);
        };
        builder.literal(name);
        let behind: Vec<Part> =
            std::iter::once(Part::Literal(text.to_owned())).chain(rest.iter().cloned()).collect();
        self.parts_with_tilde(state, &behind, true, builder)
    }

    fn parts_with_tilde(
        &mut self,
        state: &mut State,
        parts: &[Part],
        assignment: bool,
        builder: &mut Builder,
    ) -> Expanded<()> {
        let Some((Part::Literal(text), rest)) = parts.split_first() else {
            return self.parts(state, parts, false, builder);
        };
        match self.tilde(state, text, rest.is_empty(), assignment) {
            Some((value, remainder)) => {
                builder.current.pieces.push(Piece::Quoted(value));
                builder.literal(&remainder);
                self.parts(state, rest, false, builder)
            }
            None => self.parts(state, parts, false, builder),
        }
    }

    fn parts(
        &mut self,
        state: &mut State,
        parts: &[Part],
        quoted: bool,
        builder: &mut Builder,
    ) -> Expanded<()> {
        for part in parts {
            match part {
                Part::Literal(text) if quoted => builder.quoted(Value::marked(text)),
                Part::Literal(text) => builder.literal(text),
                Part::Quoted(text) => builder.quoted(Value::marked(text)),
                Part::DoubleQuoted(inner) => {
                    if !only_empty_list(inner) {
                        builder.current.quoted = true;
                    }
                    self.parts(state, inner, true, builder)?;
                }
                Part::Parameter(parameter) => self.parameter(state, parameter, quoted, builder)?,
                Part::Command(script, span) => {
                    let value = self.substitute(state, script, *span);
                    builder.result(value, quoted);
                }
                Part::Process(script, write, span) => {
                    let value = self.process_substitution(state, script, *write, *span);
                    builder.result(value, true);
                }
                Part::Arithmetic(inner) => {
                    let number = self.arithmetic(state, inner)?;
                    let value = match number {
                        Number::Known(n) => Value::Known(n.to_string()),
                        // zsh writes numbers to other bases, and fish has none.
                        Number::Unknown if state.switches.zsh || state.switches.fish => Value::Unknown,
                        Number::Unknown => Value::signs(Signs::Number, false),
                    };
                    builder.result(value, true);
                }
                Part::Gap(_) => builder.result(Value::Unknown, quoted),
            }
        }
        Ok(())
    }

    /// `$IFS` where known; `None` when it is not.
    fn separators(&self, state: &State) -> Option<String> {
        if state.switches.fish {
            return Some("\n".to_owned());
        }
        match self.scalar(state, "IFS") {
            Some(value) => value.as_known().map(str::to_owned),
            None => Some(" \t\n".to_owned()),
        }
    }
}

fn length(value: &Value) -> usize {
    match value {
        Value::Known(text) => text.len(),
        Value::OneOf(list) => list.iter().map(String::len).max().unwrap_or(0),
        Value::Affix { prefix, suffix } => prefix.len() + suffix.len(),
        Value::Woven(text) => text.len(),
        Value::Lines(lines) => lines.each.iter().map(|line| line.len() + 1).sum(),
        Value::Unknown => 0,
    }
}

/// A value short enough to be kept.
pub(super) fn capped(value: Value) -> Value {
    if length(&value) > LENGTH { Value::Unknown } else { value }
}

/// `"$@"` and `"${a[@]}"` alone: no word at all when the list is empty.
fn only_empty_list(parts: &[Part]) -> bool {
    !parts.is_empty()
        && parts.iter().all(|part| match part {
            Part::Parameter(parameter) => {
                !parameter.length
                    && (parameter.name == "@" || parameter.index.as_ref().is_some_and(|i| is_at(i, "@")))
            }
            _ => false,
        })
}

/// Whether a subscript is this character (`@` or `*`).
pub(super) fn is_at(index: &Word, character: &str) -> bool {
    matches!(index.parts.as_slice(), [Part::Literal(text)] if text == character)
}

/// The text of a word on which no expansion can act.
pub(super) fn plain_text(word: &Word) -> Option<String> {
    let mut whole = String::new();
    for (position, part) in word.parts.iter().enumerate() {
        match part {
            Part::Literal(text) => {
                if text.contains(['*', '?', '[', '{', '('])
                    || (position == 0 && text.starts_with('~'))
                    || text.contains(":~")
                    || text.contains("=~")
                {
                    return None;
                }
                whole.push_str(text);
            }
            Part::Quoted(text) => whole.push_str(text),
            Part::DoubleQuoted(inner) => {
                for part in inner {
                    match part {
                        Part::Literal(text) | Part::Quoted(text) => whole.push_str(text),
                        _ => return None,
                    }
                }
            }
            _ => return None,
        }
    }
    (!word.parts.is_empty() && !whole.contains(is_mark)).then_some(whole)
}
