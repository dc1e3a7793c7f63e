//! Commands of an editor and keys of a pager: the few that only show or set something are known.

use super::Plain;

/// Whether all commands of an editor only show, move or set.
pub(super) fn vim(plain: &Plain, text: &str) -> bool {
    text.split(['\n', '|'])
        .all(|command| command_of_vim(plain, command.trim().trim_start_matches(':').trim()))
}

fn command_of_vim(plain: &Plain, command: &str) -> bool {
    if command.is_empty()
        || command.starts_with(['/', '?', '"'])
        || command.chars().all(|c| c.is_ascii_digit() || matches!(c, '$' | ',' | '%' | '.'))
    {
        return true;
    }
    let mut words = command.split_whitespace();
    let head = words.next().unwrap_or_default();
    if plain.set.iter().any(|set| set == head) {
        return words.all(|word| {
            let name = word.split('=').next().unwrap_or(word);
            name.chars().all(|c| c.is_ascii_alphabetic() || c == '!' || c == '?')
                && !plain.unset.iter().any(|option| option == name)
                && !name.ends_with("expr")
                && !name.ends_with("func")
        });
    }
    plain.harmless.iter().any(|known| known == head) && !command.contains(['(', '=', '`'])
}

/// Whether the keys only move or search.
pub(super) fn pager(plain: &Plain, text: &str) -> bool {
    let command = text.trim();
    let rest = command.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    rest.starts_with(['/', '?', '&']) || plain.harmless.iter().any(|known| known == rest)
}
