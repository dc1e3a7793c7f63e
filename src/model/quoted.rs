//! Where a value that stands in a text ends: in quotes, in several of them side by side, or without any.
//!
//! Texts are lines of shells, JSON, YAML, SQL and logs; which of them is not known, so a quote without its partner on the
//! same line ends a value. Owns nothing but this.

use std::ops::Range;

use super::tokens::is_reference;

/// Longest part of a line in front of a value that is looked at for an open quote, in bytes.
const BEFORE: usize = 4096;

/// Longest text between two marks of SQL, in bytes.
const LONGEST: usize = 4096;

/// The bytes of the value that begins at `start`, without the quotes where one pair holds all of it.
pub(super) fn value(text: &str, start: usize) -> Range<usize> {
    let rest = &text[start..];
    if let Some(found) = dollars(rest) {
        return start + found.start..start + found.end;
    }
    let outer = open_quote(text, start);
    let escape = rest.starts_with("$'") || rest.starts_with("$\"");
    let opening = usize::from(escape);
    let mut only = None;
    let mut at = 0;
    while let Some(c) = rest[at..].chars().next() {
        match c {
            '$' if escape && at == 0 => at += 1,
            '"' | '\'' if outer != Some(c) => {
                let Some(close) = closing(&rest[at + 1..], c) else { break };
                if at == opening {
                    only = Some(at + 1..at + 1 + close);
                }
                at += close + 2;
                if outer.is_some() {
                    break;
                }
            }
            '\\' => at += 1 + rest[at + 1..].chars().next().map_or(0, char::len_utf8),
            c if c.is_whitespace() || is_end(c) => break,
            c => at += c.len_utf8(),
        }
    }
    match only.filter(|inner| inner.end + 1 == at) {
        Some(inner) => start + inner.start..start + inner.end,
        // A quote that stays open holds the rest.
        None if at == opening && rest[at..].starts_with(['"', '\'']) && outer.is_none() => {
            start + at + 1..text.len()
        }
        None => start..start + at,
    }
}

/// Records the (perhaps quoted) value that starts at `start`.
pub(super) fn push_value(text: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let range = value(text, start);
    if is_value(&text[range.clone()]) {
        found.push(range);
    }
}

/// Whether what stands in a secret's place may be one.
pub(super) fn is_value(said: &str) -> bool {
    !is_reference(said) && !matches!(said, "true" | "false" | "null" | "none" | "yes" | "no")
}

/// What ends a value that no quote holds.
fn is_end(c: char) -> bool {
    matches!(c, '"' | '\'' | ';' | '&' | '|' | ')' | '}' | ',' | '`')
}

/// `$$value$$`, `$tag$value$tag$`: how SQL quotes what holds quotes.
fn dollars(rest: &str) -> Option<Range<usize>> {
    let tag = rest.strip_prefix('$')?.split('$').next()?;
    let open = tag.len() + 2;
    let named = tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let mark = rest.get(..open).filter(|mark| named && mark.ends_with('$'))?;
    let end = (rest.len().min(open + LONGEST)..=rest.len()).find(|end| rest.is_char_boundary(*end))?;
    rest[open..end].find(mark).map(|length| open..open + length)
}

/// Where a quote closes, behind its opening.
fn closing(inside: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            c if c == quote => return Some(at),
            _ => {}
        }
    }
    None
}

/// The quote that is open on the line at this place.
fn open_quote(text: &str, at: usize) -> Option<char> {
    let near = at.saturating_sub(BEFORE);
    let near = (near..=at).find(|from| text.is_char_boundary(*from)).unwrap_or(at);
    let from = text[near..at].rfind('\n').map_or(near, |end| near + end + 1);
    let (mut open, mut escaped) = (None, false);
    for c in text[from..at].chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if open != Some('\'') => escaped = true,
            '"' | '\'' if open.is_none() => open = Some(c),
            c if open == Some(c) => open = None,
            _ => {}
        }
    }
    open
}
