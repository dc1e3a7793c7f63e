//! `tr`: one sign for another, signs left out, or many made one.

use crate::model::Value;
use crate::shell::program::decode_escapes;

/// What `tr` makes of a text.
pub(super) fn translated(text: &Value, options: &[&str], operands: &[&str]) -> Option<Value> {
    let mut letters = Vec::new();
    for option in options {
        match *option {
            "--delete" => letters.push('d'),
            "--squeeze-repeats" => letters.push('s'),
            "--complement" => letters.push('c'),
            other if other.starts_with("--") => return None,
            other => letters.extend(other.chars().skip(1)),
        }
    }
    if !letters.iter().all(|letter| "dscC".contains(*letter)) {
        return None;
    }
    // Some go by signs, some by bytes.
    let ascii = match text {
        Value::Lines(lines) => lines.each.iter().all(|line| line.is_ascii()),
        other => other.choices()?.iter().all(|text| text.is_ascii()),
    };
    // A class to go to has to stand where the other one does.
    let cased = |text: &&str| {
        ["[:upper:]", "[:lower:]"].iter().find_map(|class| text.strip_prefix(class)).map(str::to_owned)
    };
    if let [from, to] = operands
        && to.contains("[:")
        && (cased(from).is_none()
            || cased(to).is_none_or(|rest| rest.contains("[:"))
            || from.matches("[:").count() > 1)
    {
        return None;
    }
    let mut sets = Vec::new();
    for (at, operand) in operands.iter().enumerate() {
        // `[c*]` is as many as the first one has.
        sets.push(set(operand, (at == 1).then(|| sets.first().map_or(0, Vec::len)))?);
    }
    let has = |letter: char| letters.contains(&letter);
    let (deletes, squeezes, others) = (has('d'), has('s'), has('c') || has('C'));
    let within = move |set: &[char], c: char| set.contains(&c) != others;
    if !ascii {
        return None;
    }
    let ends = matches!(text, Value::Lines(_));
    // Lines of which the order is not known have to stay lines.
    let touches_ends = |set: &[char]| ends && within(set, '\n');
    match sets.as_slice() {
        [gone] if deletes && !squeezes && !touches_ends(gone) => {
            Some(over(text, |text| text.chars().filter(|c| !within(gone, *c)).collect()))
        }
        [many] if squeezes && !deletes && !touches_ends(many) => {
            Some(over(text, |text| squeezed(text.chars(), |c| within(many, c))))
        }
        [from, to] if !deletes && !touches_ends(from) => {
            let last = *to.last()?;
            if others && to.iter().any(|c| *c != last) {
                return None;
            }
            let put = |c: char| match from.iter().rposition(|one| *one == c) {
                _ if others => {
                    if within(from, c) {
                        last
                    } else {
                        c
                    }
                }
                Some(at) => to.get(at).copied().unwrap_or(last),
                None => c,
            };
            Some(over(text, |text| {
                let put = text.chars().map(put);
                if squeezes { squeezed(put, |c| to.contains(&c)) } else { put.collect() }
            }))
        }
        _ => None,
    }
}

fn over(text: &Value, f: impl Fn(&str) -> String) -> Value {
    match text {
        Value::Lines(_) => text.map_lines(f),
        _ => text.map(f),
    }
}

fn squeezed(signs: impl Iterator<Item = char>, within: impl Fn(char) -> bool) -> String {
    let mut text = String::new();
    for c in signs {
        if !(text.ends_with(c) && within(c)) {
            text.push(c);
        }
    }
    text
}

/// `[c*3]`, `[c*]`: what stands before it, which sign and how often (as often as there is room, with 0), and what stands
/// behind it.
fn repeated(text: &str) -> Option<(&str, (char, usize), &str)> {
    let (before, rest) = text.split_once('[')?;
    let mut chars = rest.chars();
    let sign = chars.next()?;
    let (count, after) = chars.as_str().strip_prefix('*')?.split_once(']')?;
    let number = match count {
        "" => 0,
        count if count.len() > 4 || !count.bytes().all(|b| b.is_ascii_digit()) => return None,
        count if count.starts_with('0') => usize::from_str_radix(count, 8).ok()?,
        count => count.parse().ok()?,
    };
    Some((before, (sign, number), after))
}

/// `a-z`, `[:upper:]_`, `\n`
fn set(text: &str, least: Option<usize>) -> Option<Vec<char>> {
    if let Some((before, many, after)) = repeated(text) {
        // Only where each sign is one, and nothing else means anything there.
        let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_,.".contains(c));
        if !plain(before) || !plain(after) || !plain(&many.0.to_string()) {
            return None;
        }
        let others = before.len() + after.len();
        let count = match many.1 {
            0 => least?.saturating_sub(others),
            count => count,
        };
        let many = std::iter::repeat_n(many.0, count);
        let all: Vec<char> = before.chars().chain(many).chain(after.chars()).collect();
        return (least.is_some() && !all.is_empty()).then_some(all);
    }
    let mut named = text.to_owned();
    for (class, signs) in [
        ("[:upper:]", "A-Z"),
        ("[:lower:]", "a-z"),
        ("[:digit:]", "0-9"),
        ("[:alpha:]", "A-Za-z"),
        ("[:alnum:]", "0-9A-Za-z"),
        ("[:space:]", "\t\n\u{b}\u{c}\r "),
        ("[:blank:]", "\t "),
    ] {
        named = named.replace(class, signs);
    }
    // `[=c=]`, `[c*3]`.
    if named.contains("[:")
        || named.contains("[=")
        || named.contains('[') && named.contains('*')
        || !named.is_ascii()
    {
        return None;
    }
    let escaped = named.contains('\\');
    let chars = decode_escapes(&named).chars().collect::<Vec<_>>();
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        match (chars.get(at + 1), chars.get(at + 2)) {
            // `\-` stands for itself.
            (Some('-'), Some(_)) if escaped && text.contains("\\-") => return None,
            (Some('-'), Some(&end)) if c <= end => {
                all.extend(c..=end);
                at += 3;
            }
            (Some('-'), Some(_)) => return None,
            _ => {
                all.push(c);
                at += 1;
            }
        }
    }
    (!all.is_empty()).then_some(all)
}
