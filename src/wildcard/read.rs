//! A pattern as a list of items.

use super::{Crossing, Options};

/// Patterns with wildcards that are longer than this (in characters) are taken to match anything.
const LENGTH: usize = 1024;
/// Bracket expressions longer than this are taken literally.
const BRACKET: usize = 128;
/// How deep extended groups may nest before they are taken to match anything.
const DEPTH: usize = 16;

/// A part of a pattern.
#[derive(Debug)]
pub(super) enum Item {
    Char(char),
    Any,
    Star,
    /// `**`: anything, slashes too.
    Everything,
    /// `**/`: nothing, or anything that ends at a slash.
    Directories,
    Set {
        negated: bool,
        members: Vec<Member>,
    },
    Group {
        operator: char,
        choices: Vec<Vec<Item>>,
    },
    /// Nested beyond the limit.
    Anything,
}

/// What a bracket expression holds.
#[derive(Debug)]
pub(super) enum Member {
    Range(char, char),
    Class(String),
}

/// The items of a pattern.
pub(super) fn parse(pattern: &[char], options: Options, depth: usize) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    if !options.exact
        && pattern.len() > LENGTH
        && pattern.iter().any(|c| matches!(c, '*' | '?' | '[' | '(' | '\\'))
    {
        return vec![Item::Anything];
    }
    while let Some(&c) = pattern.get(at) {
        if options.extglob
            && matches!(c, '?' | '*' | '+' | '@' | '!')
            && pattern.get(at + 1) == Some(&'(')
            && let Some((inner, end)) = group(&pattern[at + 2..])
        {
            items.push(if depth >= DEPTH {
                Item::Anything
            } else {
                let choices = inner.into_iter().map(|part| parse(part, options, depth + 1)).collect();
                Item::Group { operator: c, choices }
            });
            at += 2 + end;
            continue;
        }
        at += 1;
        match c {
            '*' if options.stars_only => items.push(Item::Star),
            other if options.stars_only => items.push(Item::Char(other)),
            '?' => items.push(Item::Any),
            '*' if pattern.get(at) == Some(&'*') && crosses(pattern, at - 1, options.crossing) => {
                let directories = pattern.get(at + 1) == Some(&'/');
                items.push(if directories { Item::Directories } else { Item::Everything });
                at += 1 + usize::from(directories);
            }
            '*' => {
                if !matches!(items.last(), Some(Item::Star)) {
                    items.push(Item::Star);
                }
            }
            '[' => match bracket(&pattern[at..], options) {
                Some((item, length)) => {
                    items.push(item);
                    at += length;
                }
                None => items.push(Item::Char('[')),
            },
            '\\' => match pattern.get(at) {
                Some(&next) => {
                    items.push(Item::Char(next));
                    at += 1;
                }
                None => items.push(Item::Char('\\')),
            },
            other => items.push(Item::Char(other)),
        }
    }
    items
}

/// Whether the two stars here stand for slashes too.
fn crosses(pattern: &[char], at: usize, crossing: Crossing) -> bool {
    match crossing {
        Crossing::Never => false,
        Crossing::Anywhere => true,
        Crossing::WholeName => {
            let begins = at == 0 || pattern[at - 1] == '/';
            begins && pattern.get(at + 2).is_none_or(|next| *next == '/')
        }
    }
}

/// The alternatives of a group whose opening parenthesis was read, and the length up to and with the closing one.
fn group(rest: &[char]) -> Option<(Vec<&[char]>, usize)> {
    let (mut level, mut at, mut start) = (0, 0, 0);
    let mut parts = Vec::new();
    while let Some(&c) = rest.get(at) {
        match c {
            '\\' => at += 1,
            '[' => {
                if let Some((_, length)) = bracket(&rest[at + 1..], Options::default()) {
                    at += length;
                }
            }
            '(' => level += 1,
            ')' if level == 0 => {
                parts.push(&rest[start..at]);
                return Some((parts, at + 1));
            }
            ')' => level -= 1,
            '|' if level == 0 => {
                parts.push(&rest[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// A bracket expression whose `[` was read, and its length with the closing `]`.
fn bracket(rest: &[char], options: Options) -> Option<(Item, usize)> {
    let mut at = 0;
    let negated = matches!(rest.first(), Some('!' | '^'));
    at += usize::from(negated);
    let first = at;
    let mut members = Vec::new();
    while at < BRACKET {
        let c = *rest.get(at)?;
        if c == ']' && at > first {
            return Some((Item::Set { negated, members }, at + 1));
        }
        if c == '/' && options.pathname {
            return None;
        }
        if c == '['
            && let Some(&kind @ (':' | '=' | '.')) = rest.get(at + 1)
            && let Some(end) =
                (at + 2..rest.len().min(at + 24)).find(|i| rest[*i] == kind && rest.get(i + 1) == Some(&']'))
        {
            let name = rest[at + 2..end].iter().collect::<String>();
            at = end + 2;
            match (kind, name.chars().next()) {
                (':', _) => members.push(Member::Class(name)),
                (_, Some(only)) => members.push(Member::Range(only, only)),
                _ => {}
            }
            continue;
        }
        let (low, next) = element(rest, at)?;
        at = next;
        if rest.get(at) == Some(&'-') && rest.get(at + 1).is_some_and(|c| *c != ']') {
            let (high, next) = element(rest, at + 1)?;
            members.push(Member::Range(low, high));
            at = next;
        } else {
            members.push(Member::Range(low, low));
        }
    }
    None
}

fn element(rest: &[char], at: usize) -> Option<(char, usize)> {
    match *rest.get(at)? {
        '\\' => rest.get(at + 1).map(|c| (*c, at + 2)),
        c => Some((c, at + 1)),
    }
}
