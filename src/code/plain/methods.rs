//! Texts of which only the names of what is called count.

use super::Plain;
use super::strings::removed;

/// Whether everything that is called is listed.
pub(super) fn harmless(plain: &Plain, text: &str) -> bool {
    let Some(left) = removed(plain, text) else { return false };
    // A pattern may hold a quote: then strings are not where they seem to be.
    let seen = if left.contains('/') { text } else { &left };
    called(seen).all(|name| plain.harmless.iter().any(|known| known == name))
}

/// Names in front of an opening parenthesis; `?` for what is looked up or made first.
fn called(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('(').filter_map(|(at, _)| {
        let before = text[..at].trim_end();
        let start = before.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$')).len();
        match &before[start..] {
            "" => before.ends_with([']', ')']).then_some("?"),
            name => Some(name),
        }
    })
}
