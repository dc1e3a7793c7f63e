//! Which line comes first: what lists of names print, and what `sort`, `head`, `tail` and `grep` leave of it.
//!
//! Owns the question whether an order is known. The order of times, of sizes, of a directory and of a locale is not: such
//! a list is [`Value::Lines`], and whoever takes the first of it takes any of it.

use crate::model::{Lines, Value};
use crate::shell::program::{Call, Shell, State};

/// What `ls` prints into a pipe.
pub(super) fn listing(shell: &Shell<'_>, state: &State, call: &Call) -> Option<Value> {
    let texts = call.texts()?;
    let (options, operands): (Vec<&str>, Vec<&str>) =
        texts.iter().filter(|text| **text != "--").partition(|text| text.len() > 1 && text.starts_with('-'));
    let letters = options.iter().flat_map(|text| text.chars().skip(1)).collect::<Vec<_>>();
    if !letters.iter().all(|c| "1aAdtrUScuvX".contains(*c)) {
        return None;
    }
    let hidden = letters.contains(&'a') || letters.contains(&'A');
    let operands = if operands.is_empty() { vec!["."] } else { operands };
    let single = operands.len() == 1;
    let mut lines = Vec::new();
    for operand in &operands {
        let path = shell.absolute(state, &Value::known(*operand))?;
        if letters.contains(&'d') || shell.is_directory(state, &path) == Some(false) {
            if shell.exists(state, &path)? {
                lines.push((*operand).to_owned());
            }
            continue;
        }
        if !single {
            return None;
        }
        let entries = shell.list(state, &path, shell.options.limits.words)?;
        // What this same line puts there is listed as well: any names.
        if entries.is_empty() && state.files.is_brought(&path) {
            lines.push("*".to_owned());
        }
        if letters.contains(&'a') {
            lines.extend([".".to_owned(), "..".to_owned()]);
        }
        lines.extend(entries.into_iter().map(|e| e.name).filter(|n| hidden || !n.starts_with('.')));
    }
    let by_name = !letters.iter().any(|c| "tUScuvX".contains(*c));
    if !by_name || !shell.in_byte_order(state, &lines) {
        return Some(Value::lines(lines, '\n'));
    }
    lines.sort_unstable();
    if letters.contains(&'r') {
        lines.reverse();
    }
    Some(Value::Known(ended(&lines)))
}

/// What `sort` makes of a text.
pub(super) fn sorted(shell: &Shell<'_>, state: &State, options: &[&str], text: Value) -> Option<Value> {
    let letters = options.iter().flat_map(|option| option.chars().skip(1)).collect::<Vec<_>>();
    // Keys and separators are values of their own, which would look like files here.
    if !letters.iter().all(|c| "rnVhfRMgbdius".contains(*c)) {
        return None;
    }
    let (mut each, some) = match &text {
        Value::Known(text) => (text.lines().map(str::to_owned).collect::<Vec<_>>(), false),
        Value::Lines(lines) if lines.end == '\n' => (lines.each.clone(), lines.some),
        _ => return None,
    };
    let unique = letters.contains(&'u');
    if !some && letters.iter().all(|c| "ru".contains(*c)) && shell.in_byte_order(state, &each) {
        each.sort_unstable();
        if unique {
            each.dedup();
        }
        if letters.contains(&'r') {
            each.reverse();
        }
        return Some(Value::Known(ended(&each)));
    }
    Some(part(each, '\n', some || unique))
}

/// A number of lines at the beginning or the end.
pub(super) enum Cut {
    /// So many at the beginning.
    First(usize),
    /// So many at the end.
    Last(usize),
    /// All but so many at the beginning.
    Behind(usize),
    /// All but so many at the end.
    Before(usize),
}

impl Cut {
    /// The lines that `head` or `tail` print, and how many operands say so.
    pub(super) fn read(name: &str, options: &[&str], operand: Option<&str>) -> Option<(Self, usize)> {
        let (number, used) = match (options, operand) {
            ([], _) => ("10", 0),
            // `-n 5` is an option and what looks like an operand, `-n -5` two options.
            (["-n"], Some(number)) => (number, 1),
            (["-n", number], _) => (*number, 0),
            ([one], _) => (one.strip_prefix("-n").unwrap_or(one.strip_prefix('-')?), 0),
            _ => return None,
        };
        let behind = number.starts_with('+');
        let before = number.starts_with('-');
        let count = number.trim_start_matches(['+', '-']).parse::<usize>().ok()?;
        let cut = match name {
            "head" if before => Self::Before(count),
            "head" => Self::First(count),
            _ if behind => Self::Behind(count.saturating_sub(1)),
            _ => Self::Last(count),
        };
        Some((cut, used))
    }

    fn range(&self, all: usize) -> std::ops::Range<usize> {
        match *self {
            Self::First(n) => 0..n.min(all),
            Self::Last(n) => all.saturating_sub(n)..all,
            Self::Behind(n) => n.min(all)..all,
            Self::Before(n) => 0..all.saturating_sub(n),
        }
    }

    /// What is left of a text.
    pub(super) fn of(&self, text: &Value) -> Option<Value> {
        match text {
            Value::Known(text) => {
                let lines = text.lines().map(str::to_owned).collect::<Vec<_>>();
                Some(Value::Known(ended(&lines[self.range(lines.len())])))
            }
            Value::OneOf(texts) => {
                let cut = texts.iter().filter_map(|text| self.of(&Value::known(text))).collect::<Vec<_>>();
                cut.into_iter().reduce(|a, b| a.join(&b))
            }
            Value::Lines(lines) if lines.end == '\n' => {
                let count = self.range(lines.each.len()).len();
                Some(match count {
                    0 => Value::known(""),
                    1 if !lines.some => {
                        Value::one_of(lines.each.iter().map(|line| format!("{line}\n")).collect())
                    }
                    // It may be none at all.
                    1 if lines.each.len() < Value::MAX_CHOICES => {
                        let all = lines.each.iter().map(|line| format!("{line}\n"));
                        Value::one_of(all.chain([String::new()]).collect())
                    }
                    _ if count == lines.each.len() => text.clone(),
                    _ => Value::Lines(Lines { some: true, ..lines.clone() }),
                })
            }
            _ => None,
        }
    }
}

/// The lines of a text that `grep` prints: exactly those that hold plain text, or some of them.
pub(super) fn matching(text: &Value, pattern: &str, options: &[&str]) -> Option<Value> {
    let mut letters = options.iter().flat_map(|option| option.chars().skip(1));
    if !letters.all(|c| "vEFia".contains(c)) || options.iter().any(|option| option.starts_with("--")) {
        return None;
    }
    let given = |letter: char| options.iter().any(|option| option.contains(letter));
    let plain = |c: char| c.is_alphanumeric() || "_-/ ,:@=#%;!~<>\"'&".contains(c);
    let body = pattern.strip_prefix('^').filter(|_| !given('F'));
    let text_of = body.unwrap_or(pattern);
    let exact = !given('i') && !text_of.is_empty() && (given('F') || text_of.chars().all(plain));
    let holds = |line: &String| match body {
        Some(start) => line.starts_with(start),
        None => line.contains(pattern),
    };
    let stays = |line: &String| holds(line) != given('v');
    match text {
        Value::Known(text) if exact => {
            Some(Value::Known(ended(&text.lines().map(str::to_owned).filter(stays).collect::<Vec<_>>())))
        }
        Value::Lines(lines) if exact && !lines.some => {
            Some(Value::lines(lines.each.iter().filter(|line| stays(line)).cloned().collect(), lines.end))
        }
        Value::Lines(lines) if exact => {
            Some(part(lines.each.iter().filter(|line| stays(line)).cloned().collect(), lines.end, true))
        }
        Value::Known(text) => Some(part(text.lines().map(str::to_owned).collect(), '\n', true)),
        Value::Lines(lines) => Some(part(lines.each.clone(), lines.end, true)),
        _ => None,
    }
}

/// Lines of which perhaps only some are there.
fn part(each: Vec<String>, end: char, some: bool) -> Value {
    match (Value::lines(each, end), some) {
        (Value::Lines(lines), true) => Value::Lines(Lines { some: true, ..lines }),
        (Value::Known(text), true) if !text.is_empty() => Value::one_of(vec![text, String::new()]),
        (value, _) => value,
    }
}

fn ended(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
