//! Commands of an editor and keys of a pager: the few that only show, move, set or change the text are known, and those that
//! write it to its file.

use crate::code::effect::CodeEffect;
use crate::model::Value;

use super::Plain;
use super::keys::{Typed, typed};

/// Marks that may stand around a pattern.
const DELIMITERS: [char; 8] = ['/', '#', ',', ':', ';', '@', '+', '_'];
/// Commands in each other.
const DEPTH: usize = 4;

/// What one command of an editor does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Nothing,
    Saves,
}

/// What the commands of an editor write; `None` where one of them may do anything.
pub(super) fn vim(plain: &Plain, text: &str, files: &[Value]) -> Option<Vec<CodeEffect>> {
    let mut saves = false;
    for line in text.split('\n') {
        let mut commands = line
            .split('|')
            .map(|command| command.trim_start().trim_start_matches(':').trim_start())
            .peekable();
        while let Some(command) = commands.next() {
            // A bar is a key as well.
            if commands.peek().is_some() && command.contains("norm") {
                return None;
            }
            saves |= command_of_vim(plain, command, 0)? == Does::Saves;
        }
    }
    if !saves {
        return Some(Vec::new());
    }
    let named = |file: &&Value| !file.prefix().starts_with(['-', '+']);
    let files: Vec<&Value> = files.iter().filter(named).collect();
    let update = |path: &&Value| CodeEffect::Update { path: (*path).clone() };
    // Without a name it is somewhere in the text which file that is.
    (!files.is_empty()).then(|| files.iter().map(update).collect())
}

fn command_of_vim(plain: &Plain, command: &str, depth: usize) -> Option<Does> {
    let nothing = Some(Does::Nothing);
    if plain.saves.iter().any(|known| known == command.trim()) {
        return Some(Does::Saves);
    }
    let whole = behind_addresses(command);
    if let Some(keys) = keys_of(whole) {
        return typed(keys).map(|typed| if typed == Typed::Saves { Does::Saves } else { Does::Nothing });
    }
    let command = whole.trim();
    if command.starts_with('"') {
        return nothing;
    }
    if command.is_empty() || plain.shows.iter().any(|known| known == command) {
        return nothing;
    }
    if let Some((pattern, rest)) = of_lines(command) {
        let harmless = depth < DEPTH && !pattern.is_empty();
        return harmless.then(|| command_of_vim(plain, rest.trim_start(), depth + 1))?;
    }
    if substitutes(command) {
        return nothing;
    }
    let mut words = command.split_whitespace();
    let head = words.next().unwrap_or_default();
    if plain.set.iter().any(|set| set == head) {
        let fine = words.all(|word| {
            let name = word.split('=').next().unwrap_or(word);
            name.chars().all(|c| c.is_ascii_alphabetic() || c == '!' || c == '?')
                && !plain.unset.iter().any(|option| option == name)
                && !name.ends_with("expr")
                && !name.ends_with("func")
        });
        return fine.then_some(Does::Nothing);
    }
    let address = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "$.+-".contains(c));
    let bare = head.trim_end_matches(|c: char| c.is_ascii_digit() || c == '$');
    if plain.changes.iter().any(|known| known == bare) {
        return words.all(address).then_some(Does::Nothing);
    }
    let known = plain.harmless.iter().any(|known| known == head) && !command.contains(['(', '=', '`']);
    known.then_some(Does::Nothing)
}

/// `g/pattern/command`: the pattern and the command, which is run on each line.
fn of_lines(command: &str) -> Option<(&str, &str)> {
    let rest = ["global", "vglobal", "g", "v"].iter().find_map(|name| command.strip_prefix(name))?;
    let rest = rest.strip_prefix('!').unwrap_or(rest);
    let mark = rest.chars().next().filter(|mark| DELIMITERS.contains(mark))?;
    divided(rest, mark)
}

/// What stands between this mark, with which the text begins, and the next one; and what stands behind that.
fn divided(text: &str, mark: char) -> Option<(&str, &str)> {
    let inner = text.strip_prefix(mark)?;
    let mut escaped = false;
    let end = inner.find(|c: char| {
        let found = c == mark && !escaped;
        escaped = c == '\\' && !escaped;
        found
    })?;
    Some((&inner[..end], &inner[end + mark.len_utf8()..]))
}

/// The command without the lines that it is about; nothing is left of a place alone.
fn behind_addresses(command: &str) -> &str {
    let mut rest = command;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || " \t$,%.;-+".contains(c));
        let next = match rest.chars().next() {
            Some(mark @ ('/' | '?')) => divided(rest, mark).map_or("", |(_, behind)| behind),
            // A mark, as in `'<,'>`.
            Some('\'') => {
                let mut chars = rest.chars();
                let mark = chars.by_ref().nth(1).filter(|c| c.is_ascii_lowercase() || matches!(c, '<' | '>'));
                if mark.is_none() {
                    return rest;
                }
                chars.as_str()
            }
            _ => return rest,
        };
        rest = next;
    }
}

/// `normal KEYS`: all that stands behind the blank.
fn keys_of(command: &str) -> Option<&str> {
    let rest = command.strip_prefix("normal").or_else(|| command.strip_prefix("norm"))?;
    let marked = rest.strip_prefix('!');
    match marked.unwrap_or(rest).strip_prefix(' ') {
        None => marked,
        keys => keys,
    }
}

/// `s/pattern/text/flags`, but for a text that is an expression.
fn substitutes(command: &str) -> bool {
    let rest = command.strip_prefix("substitute").or_else(|| command.strip_prefix('s'));
    rest.is_some_and(|rest| rest.starts_with(DELIMITERS) && !rest.contains("\\="))
}

/// Whether the keys only move or search.
pub(super) fn pager(plain: &Plain, text: &str) -> bool {
    let command = text.trim();
    let rest = command.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    rest.starts_with(['/', '?', '&']) || plain.harmless.iter().any(|known| known == rest)
}
