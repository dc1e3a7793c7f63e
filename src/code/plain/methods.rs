//! Texts of which only the names of what is called count.

use super::Plain;
use super::strings::removed;
use crate::code::CodeEffect;
use crate::model::Value;

/// Whether everything that is called is listed.
pub(super) fn harmless(plain: &Plain, text: &str) -> bool {
    let Some(left) = removed(plain, text) else { return false };
    // A pattern may hold a quote: then strings are not where they seem to be.
    let seen = if left.contains('/') { text } else { &left };
    called(seen).all(|name| plain.harmless.iter().any(|known| known == name))
}

/// What goes, where each statement calls what is listed alone and the methods that take content stand at its end: `db.a.drop()`.
pub(super) fn acts(plain: &Plain, text: &str) -> Option<Vec<CodeEffect>> {
    let left = removed(plain, text).filter(|left| !left.contains(['/', '=']))?;
    let mut effects = Vec::new();
    for statement in left.split([';', '\n']).map(str::trim) {
        let mut found = None;
        for name in called(statement) {
            match plain.acts.get(name) {
                Some(words) if found.is_none() => found = Some((name, words)),
                None if plain.harmless.iter().any(|known| known == name) => {}
                _ => return None,
            }
        }
        let Some((name, words)) = found else { continue };
        let (on, _) = statement.split_once(&format!(".{name}("))?;
        let plainly = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '(' | ')' | '"');
        if !on.chars().all(plainly) {
            return None;
        }
        let root = on.strip_prefix(plain.root.as_str())?;
        // Of what is looked up by a text the name is not told.
        let thing = root.strip_prefix('.').filter(|name| !name.contains(['(', '.'])).unwrap_or("documents");
        if !root.is_empty() && !root.starts_with('.') {
            return None;
        }
        let words = words.split(' ').chain(std::iter::once(thing));
        effects.push(CodeEffect::Run { argv: words.map(Value::known).collect() });
    }
    (!effects.is_empty()).then_some(effects)
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
