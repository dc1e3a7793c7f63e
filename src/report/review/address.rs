//! Resource addresses that differ in an index alone, told as one: `aws_instance.worker[0..9]`.
//!
//! Owns how an address is cut and joined again. Every address stands in the result; none is left out.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

/// One step of an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Part<'a> {
    /// Names and dots.
    Names(&'a str),
    /// What stands in brackets, of one or more addresses.
    Keys(BTreeSet<Key<'a>>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Key<'a> {
    Number(u64),
    Text(&'a str),
}

/// The addresses, those that differ in one index joined; in the order of their first.
pub(super) fn fold<'a>(addresses: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut all: Vec<Vec<Part<'a>>> = Vec::new();
    let mut seen = BTreeSet::new();
    for address in addresses {
        if seen.insert(address) {
            all.push(cut(address));
        }
    }
    let deepest = all.iter().map(Vec::len).max().unwrap_or(0);
    for at in (0..deepest).rev() {
        all = joined(all, at);
    }
    all.iter().map(|parts| shown(parts)).collect()
}

/// Those alike in all but the keys at one place become one.
fn joined(all: Vec<Vec<Part<'_>>>, at: usize) -> Vec<Vec<Part<'_>>> {
    let mut kept: Vec<Vec<Part<'_>>> = Vec::new();
    let mut places = HashMap::new();
    for mut parts in all {
        let keys = match parts.get_mut(at) {
            Some(part @ Part::Keys(_)) => match std::mem::take(part) {
                Part::Keys(keys) => keys,
                Part::Names(_) => BTreeSet::new(),
            },
            _ => {
                kept.push(parts);
                continue;
            }
        };
        let place = *places.entry(parts.clone()).or_insert(kept.len());
        match kept.get_mut(place).and_then(|same| same.get_mut(at)) {
            Some(Part::Keys(known)) => known.extend(keys),
            _ => {
                if let Some(part) = parts.get_mut(at) {
                    *part = Part::Keys(keys);
                }
                kept.push(parts);
            }
        }
    }
    kept
}

impl Default for Part<'_> {
    fn default() -> Self {
        Self::Names("")
    }
}

fn cut(address: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = address;
    while let Some(open) = rest.find('[') {
        let (names, inside) = (&rest[..open], &rest[open + 1..]);
        let Some(close) = end(inside) else { break };
        let key = &inside[..close];
        parts.push(Part::Names(names));
        let number = key.parse().ok().filter(|number: &u64| number.to_string() == key);
        parts.push(Part::Keys(BTreeSet::from([number.map_or(Key::Text(key), Key::Number)])));
        rest = &inside[close + 1..];
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(Part::Names(rest));
    }
    parts
}

/// Where the bracket closes; one within quotes does not.
fn end(inside: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ']' if !quoted => return Some(at),
            _ => {}
        }
    }
    None
}

fn shown(parts: &[Part<'_>]) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Names(names) => out.push_str(names),
            Part::Keys(keys) => {
                let _ = write!(out, "[{}]", ranges(keys).join(", "));
            }
        }
    }
    out
}

/// Three numbers and more in a row are told by their ends.
fn ranges(keys: &BTreeSet<Key<'_>>) -> Vec<String> {
    let mut said = Vec::new();
    let mut row: Option<(u64, u64)> = None;
    let close = |row: Option<(u64, u64)>, said: &mut Vec<String>| match row {
        Some((first, last)) if last - first >= 2 => said.push(format!("{first}..{last}")),
        Some((first, last)) => said.extend((first..=last).map(|number| number.to_string())),
        None => {}
    };
    for key in keys {
        match (key, row) {
            (Key::Number(number), Some((first, last))) if *number == last + 1 => row = Some((first, *number)),
            (Key::Number(number), _) => {
                close(row, &mut said);
                row = Some((*number, *number));
            }
            (Key::Text(text), _) => {
                close(row.take(), &mut said);
                said.push((*text).to_owned());
            }
        }
    }
    close(row, &mut said);
    said
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn indices_are_joined_and_no_address_is_left_out() {
        let worker: Vec<String> = (0..10).map(|n| format!("aws_instance.worker[{n}]")).collect();
        assert_eq!(fold(worker.iter().map(String::as_str)), ["aws_instance.worker[0..9]"]);
        for (given, want) in [
            (&["a.b"][..], &["a.b"][..]),
            (&["a.b", "a.b", "a.c"], &["a.b", "a.c"]),
            (&["a.b[0]", "a.b[2]", "a.b[3]", "a.b[7]", "a.b[8]", "a.b[9]"], &["a.b[0, 2, 3, 7..9]"]),
            (&["a.b[\"x\"]", "a.b[\"y.z[0]\"]", "a.b"], &["a.b[\"x\", \"y.z[0]\"]", "a.b"]),
            (&["module.m[0].a.b[0]", "module.m[1].a.b[0]"], &["module.m[0, 1].a.b[0]"]),
            (
                &["module.m[0].a.b[0]", "module.m[0].a.b[1]", "module.m[1].a.b[0]", "module.m[1].a.b[1]"],
                &["module.m[0, 1].a.b[0, 1]"],
            ),
            (&["module.m[0].a.b[0]", "module.m[1].a.b[1]"], &["module.m[0].a.b[0]", "module.m[1].a.b[1]"]),
            (&["a.b[\"odd", "a.b[00]", "a.b[0]"], &["a.b[\"odd", "a.b[0, 00]"]),
            (&["", "[", "[]"], &["", "[", "[]"]),
        ] {
            assert_eq!(fold(given.iter().copied()), want, "{given:?}");
        }
    }
}
