//! Brace expansion: `{a,b}` and `{1..9..2}`, before everything else.

use crate::model::Span;
use crate::shell::interp::Shell;
use crate::shell::state::State;
use crate::syntax::{Part, Word};

use super::{Expanded, Expansion};

/// What comes of a word.
pub(super) enum Braces {
    /// Nothing to expand.
    None,
    /// These words.
    Words(Vec<Word>),
    /// More words than the limit.
    TooMany,
}

#[derive(Clone)]
enum Token {
    Char(char),
    Part(Part),
}

/// Expands the braces in a word.
pub(super) fn expand(word: &Word, limit: usize) -> Braces {
    let possible = word.parts.iter().any(|part| matches!(part, Part::Literal(text) if text.contains('{')));
    if !possible {
        return Braces::None;
    }
    let mut tokens = Vec::new();
    for part in &word.parts {
        match part {
            Part::Literal(text) => tokens.extend(text.chars().map(Token::Char)),
            other => tokens.push(Token::Part(other.clone())),
        }
    }
    match alternatives(&tokens, limit, 0) {
        Some(list) if list.len() == 1 && list[0].len() == tokens.len() => Braces::None,
        Some(list) => Braces::Words(
            list.into_iter().map(|tokens| Word { parts: rebuild(tokens), span: word.span }).collect(),
        ),
        None => Braces::TooMany,
    }
}

impl Shell<'_> {
    /// Not every shell that is called `sh` expands them: there a file of this very name is meant, where it stands.
    pub(super) fn with_braces(
        &mut self,
        state: &mut State,
        word: &Word,
        span: Span,
    ) -> Expanded<Vec<Expansion>> {
        let mut own = Vec::new();
        if state.switches.common {
            self.expand_braced(state, word, span, &mut own)?;
            own.retain(|word| {
                let path = self.absolute(state, &word.arg.value);
                path.is_some_and(|path| self.exists(state, &path) == Some(true))
            });
        }
        Ok(own)
    }
}

fn rebuild(tokens: Vec<Token>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = String::new();
    for token in tokens {
        match token {
            Token::Char(c) => text.push(c),
            Token::Part(part) => {
                if !text.is_empty() {
                    parts.push(Part::Literal(std::mem::take(&mut text)));
                }
                parts.push(part);
            }
        }
    }
    if !text.is_empty() {
        parts.push(Part::Literal(text));
    }
    parts
}

/// All words that the tokens stand for; `None` beyond the limit.
fn alternatives(tokens: &[Token], limit: usize, depth: usize) -> Option<Vec<Vec<Token>>> {
    if depth > 32 {
        return None;
    }
    let mut from = 0;
    while let Some(open) = position(tokens, from, '{') {
        let Some((close, commas)) = group(tokens, open) else {
            from = open + 1;
            continue;
        };
        let inner = &tokens[open + 1..close];
        let middle = if commas.is_empty() {
            match sequence(inner, limit) {
                Sequence::No => {
                    from = open + 1;
                    continue;
                }
                Sequence::TooMany => return None,
                Sequence::Items(items) => {
                    items.into_iter().map(|text| text.chars().map(Token::Char).collect()).collect()
                }
            }
        } else {
            let mut all = Vec::new();
            let mut start = open + 1;
            for end in commas.iter().copied().chain([close]) {
                all.extend(alternatives(&tokens[start..end], limit, depth + 1)?);
                start = end + 1;
            }
            all
        };
        let after = alternatives(&tokens[close + 1..], limit, depth + 1)?;
        if middle.len().saturating_mul(after.len()) > limit {
            return None;
        }
        let mut all = Vec::new();
        for choice in &middle {
            for rest in &after {
                let mut word = tokens[..open].to_vec();
                word.extend(choice.iter().cloned());
                word.extend(rest.iter().cloned());
                all.push(word);
            }
        }
        return Some(all);
    }
    Some(vec![tokens.to_vec()])
}

fn position(tokens: &[Token], from: usize, wanted: char) -> Option<usize> {
    (from..tokens.len()).find(|&at| matches!(tokens[at], Token::Char(c) if c == wanted))
}

/// Where the brace that opens at `open` closes, and the commas of its level.
fn group(tokens: &[Token], open: usize) -> Option<(usize, Vec<usize>)> {
    let mut depth = 0usize;
    let mut commas = Vec::new();
    for (at, token) in tokens.iter().enumerate().skip(open + 1) {
        match token {
            Token::Char('{') => depth += 1,
            Token::Char('}') if depth == 0 => return Some((at, commas)),
            Token::Char('}') => depth -= 1,
            Token::Char(',') if depth == 0 => commas.push(at),
            _ => {}
        }
    }
    None
}

enum Sequence {
    No,
    Items(Vec<String>),
    TooMany,
}

fn sequence(inner: &[Token], limit: usize) -> Sequence {
    let mut text = String::new();
    for token in inner {
        match token {
            Token::Char(c) => text.push(*c),
            Token::Part(_) => return Sequence::No,
        }
    }
    let fields = text.split("..").collect::<Vec<_>>();
    let (first, last, step) = match fields.as_slice() {
        [a, b] => (*a, *b, 1),
        [a, b, step] => match step.parse::<i64>() {
            Ok(step) => (*a, *b, step.saturating_abs().max(1)),
            Err(_) => return Sequence::No,
        },
        _ => return Sequence::No,
    };
    if let (Ok(a), Ok(b)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let count = a.abs_diff(b) / step.unsigned_abs() + 1;
        if count > limit as u64 {
            return Sequence::TooMany;
        }
        let padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
        let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
        let items = (0..count as i64)
            .map(|n| {
                let value = if a <= b { a + n * step } else { a - n * step };
                format!("{value:0width$}")
            })
            .collect();
        return Sequence::Items(items);
    }
    let mut single = (first.chars(), last.chars());
    match (single.0.next(), single.0.next(), single.1.next(), single.1.next()) {
        (Some(a), None, Some(b), None) if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
            let (a, b) = (i64::from(a as u8), i64::from(b as u8));
            let count = a.abs_diff(b) as i64 / step + 1;
            let items = (0..count)
                .map(|n| {
                    let code = if a <= b { a + n * step } else { a - n * step };
                    char::from(u8::try_from(code).unwrap_or(b'?')).to_string()
                })
                .collect();
            Sequence::Items(items)
        }
        _ => Sequence::No,
    }
}
