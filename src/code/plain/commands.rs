//! Languages made of commands: each is known by its first words.

use super::Plain;
use super::strings::{STRING, removed};

/// Whether every command is listed and nothing in its words may act.
pub(super) fn harmless(plain: &Plain, text: &str) -> bool {
    let Some(left) = removed(plain, text) else { return false };
    left.split(|c| plain.divide.contains(c)).map(str::trim).filter(|command| !command.is_empty()).all(
        |command| {
            let command = if plain.folds { command.to_lowercase() } else { command.to_owned() };
            listed(plain, &command) && !says_never(plain, &command) && calls_only(plain, &command)
        },
    )
}

fn listed(plain: &Plain, command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let bare = plain.bare.iter().any(|name| {
        words.first() == Some(&name.as_str())
            && words[1..].iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    });
    bare || plain.harmless.iter().any(|entry| begins(&words, entry))
}

/// Whether the words begin with an entry's.
fn begins(words: &[&str], entry: &str) -> bool {
    let mut rest = words.iter();
    entry.split(' ').all(|wanted| {
        let Some(word) = rest.next() else { return false };
        match wanted.strip_suffix('*') {
            Some("") => true,
            Some(start) => word
                .strip_prefix(start)
                .is_some_and(|end| end.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')),
            None => *word == wanted,
        }
    })
}

fn says_never(plain: &Plain, command: &str) -> bool {
    plain.never.iter().any(|never| {
        if never.starts_with('-') {
            // An option, with its value attached or shortened or not.
            let mut words = command.split_whitespace();
            return words.any(|word| {
                word.starts_with(never.as_str())
                    || (never.starts_with("--") && word.len() > 2 && never.starts_with(word))
            });
        }
        command.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == never)
    })
}

/// Whether the only functions called are listed.
fn calls_only(plain: &Plain, command: &str) -> bool {
    // Human languages use parentheses for grouping alone.
    if plain.calls.is_empty() {
        return true;
    }
    command.match_indices('(').all(|(at, _)| {
        let before = command[..at].trim_end();
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        plain.calls.iter().any(|call| call == name)
            || (name.is_empty() && !before.ends_with([')', ']', STRING]))
    })
}

/// PowerShell: commands in pipes, blocks and parentheses; variables and strings as expressions.
pub(super) fn pipelines(plain: &Plain, text: &str) -> bool {
    let Some(left) = removed(plain, text) else { return false };
    let called = left.match_indices('(').any(|(at, _)| {
        left[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | STRING | ')' | '}'))
    });
    !called
        && left.split(|c| plain.divide.contains(c)).all(|part| segment(plain, &part.trim().to_lowercase()))
}

pub(super) fn segment(plain: &Plain, part: &str) -> bool {
    let value = |word: &str| {
        word.starts_with(['$', STRING, '-', ',', '+', '*']) || word.starts_with(|c: char| c.is_ascii_digit())
    };
    let mut words = part.split_whitespace();
    let Some(first) = words.next() else { return true };
    if first.starts_with('$')
        && let Some((target, assigned)) = part.split_once('=')
    {
        return target.split_whitespace().count() == 1 && segment(plain, assigned.trim());
    }
    // What follows `)` or `}`: a property (`.Length`), never `. script`.
    let property = first.starts_with('.') && first[1..].starts_with(|c: char| c.is_ascii_alphabetic());
    if value(first) || (property && !first.contains('/')) {
        return words.all(value);
    }
    listed(plain, part)
}
