//! Takes strings and comments out of a text, so that what is left is words and signs alone.

use super::{Form, Plain};

/// Stands for a string in what is left.
pub(super) const STRING: char = '"';

/// The text with every string as [`STRING`] alone and without comments. `None` when a string does not end or may hold code, or
/// when something outside strings is forbidden.
pub(super) fn removed(plain: &Plain, text: &str) -> Option<String> {
    if text.contains("\"\"\"")
        || text.contains("'''")
        || plain.inside.iter().any(|code| text.contains(code.as_str()))
    {
        return None;
    }
    let mut left = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if plain.quotes.contains(next) {
            let (string, after) = split(&rest[next.len_utf8()..], next, &plain.escape)?;
            // Commands end with the line, quotes or not.
            if plain.form != Form::Calls && string.contains('\n') {
                return None;
            }
            left.push(STRING);
            rest = after;
        } else if !plain.comment.is_empty() && rest.starts_with(plain.comment.as_str()) {
            // Within a word it is a sign like any other.
            if plain.form == Form::Pipelines
                && left.ends_with(|c: char| !c.is_whitespace() && !plain.divide.contains(c))
            {
                return None;
            }
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else {
            left.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    let strange = |c: char| !c.is_ascii() || (c.is_ascii_control() && !matches!(c, '\n' | '\t'));
    let forbidden = plain.forbidden.iter().any(|part| left.contains(part.as_str()));
    (!left.contains(strange) && !forbidden).then_some(left)
}

/// The string that a text begins with, and what comes behind its closing quote.
fn split<'a>(text: &'a str, quote: char, escape: &str) -> Option<(&'a str, &'a str)> {
    let mut escaped = false;
    for (at, next) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if escape.contains(next) {
            escaped = true;
        } else if next == quote {
            return Some((text.get(..at)?, text.get(at + next.len_utf8()..)?));
        }
    }
    None
}
