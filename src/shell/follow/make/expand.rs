//! Variables and functions of a makefile.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// Stands in text for a value that is not known.
pub(super) const UNKNOWN: &str = "${__make_unknown}";
/// Stands for something that may change anything: a command that cannot be told, wherever it stands.
const OPAQUE: &str = "$(${__make_unknown})";
/// Longest text that is made, in bytes.
const LENGTH: usize = 256 * 1024;

/// A variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) text: String,
    /// Its value was expanded when it was set.
    pub(super) simple: bool,
}

pub(super) type Variables = BTreeMap<String, Variable>;

/// What the world outside of the makefile knows.
pub(super) struct Outside<'a> {
    /// A variable of the environment; [`UNKNOWN`] when its value is not known.
    pub(super) variable: &'a dyn Fn(&str) -> Option<String>,
    /// The files that fit a pattern; `None` when they cannot be listed.
    pub(super) files: &'a dyn Fn(&str) -> Option<Vec<String>>,
    /// While the makefile is read: shell text that runs at once. Otherwise it stays in the recipe.
    pub(super) at_once: Option<&'a RefCell<Vec<String>>>,
}

/// Variables put in and functions worked out; what cannot be told gives [`UNKNOWN`].
pub(super) fn expand(text: &str, variables: &Variables, outside: &Outside<'_>, depth: usize) -> String {
    if depth > 24 {
        return UNKNOWN.to_owned();
    }
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(first) = rest.chars().next() else { break };
        if result.len() > LENGTH {
            return OPAQUE.to_owned();
        }
        match first {
            '$' => {
                result.push('$');
                rest = &rest[1..];
            }
            '(' | '{' => {
                let Some(end) = closing(rest) else {
                    result.push_str(UNKNOWN);
                    return result;
                };
                let inner = &rest[1..end];
                rest = &rest[end + 1..];
                result.push_str(&reference(inner, variables, outside, depth));
            }
            other => {
                rest = &rest[other.len_utf8()..];
                result.push_str(&value(&other.to_string(), variables, outside, depth));
            }
        }
    }
    result.push_str(rest);
    if result.len() > LENGTH { OPAQUE.to_owned() } else { result }
}

/// The value of a variable.
pub(super) fn value(name: &str, variables: &Variables, outside: &Outside<'_>, depth: usize) -> String {
    match variables.get(name) {
        Some(variable) if variable.simple => variable.text.clone(),
        Some(variable) => expand(&variable.text, variables, outside, depth + 1),
        None => match name {
            "RM" => "rm -f".to_owned(),
            "CC" => "cc".to_owned(),
            "CXX" => "g++".to_owned(),
            "AR" => "ar".to_owned(),
            "LD" => "ld".to_owned(),
            "AS" => "as".to_owned(),
            "SHELL" => "/bin/sh".to_owned(),
            "MAKE_COMMAND" => "make".to_owned(),
            "?" | "+" | "|" | "%" => UNKNOWN.to_owned(),
            "MAKEFILE_LIST" | "MAKEFLAGS" | "MFLAGS" | ".VARIABLES" | ".FEATURES" | "MAKELEVEL" => {
                UNKNOWN.to_owned()
            }
            name if automatic(name).is_some() => {
                let (base, part) = automatic(name).unwrap_or_default();
                each(&value(base, variables, outside, depth + 1), |word| {
                    Some(if part == "D" {
                        directory(word).trim_end_matches('/').to_owned()
                    } else {
                        file_name(word).to_owned()
                    })
                })
            }
            name => (outside.variable)(name).unwrap_or_default(),
        },
    }
}

/// `@D`, `<F` and their kin.
fn automatic(name: &str) -> Option<(&str, &str)> {
    let (base, part) = name.split_at_checked(1)?;
    ("@<^*?+".contains(base) && matches!(part, "D" | "F")).then_some((base, part))
}

fn reference(inner: &str, variables: &Variables, outside: &Outside<'_>, depth: usize) -> String {
    if let Some((name, rest)) = inner.split_once([' ', '\t'])
        && !name.contains(['$', ':', '='])
    {
        return function(name, rest.trim_start(), variables, outside, depth);
    }
    // `$(NAME:a=b)`
    if let Some(colon) = outside_of_references(inner, ":") {
        let (name, change) = (&inner[..colon], &inner[colon + 1..]);
        let name = expand(name, variables, outside, depth + 1);
        let Some((from, to)) = change.split_once('=') else { return UNKNOWN.to_owned() };
        let text = value(&name, variables, outside, depth + 1);
        let from = expand(from, variables, outside, depth + 1);
        let to = expand(to, variables, outside, depth + 1);
        let (from, to) = if from.contains('%') { (from, to) } else { (format!("%{from}"), format!("%{to}")) };
        return patsubst(&from, &to, &text);
    }
    let name = expand(inner, variables, outside, depth + 1);
    if name.contains(UNKNOWN) { UNKNOWN.to_owned() } else { value(&name, variables, outside, depth) }
}

fn function(name: &str, rest: &str, variables: &Variables, outside: &Outside<'_>, depth: usize) -> String {
    let put = |text: &str| expand(text, variables, outside, depth + 1);
    let parts = || split(rest).into_iter().map(&put).collect::<Vec<_>>();
    match name {
        "shell" => {
            let text = put(rest);
            if matches!(text.trim(), "pwd" | "pwd -P") {
                return value("CURDIR", variables, outside, depth + 1);
            }
            match outside.at_once {
                Some(list) => {
                    list.borrow_mut().push(text);
                    UNKNOWN.to_owned()
                }
                // It is walked too, as a part of the recipe; its value is not known.
                None => format!("$({text} >/dev/null){UNKNOWN}"),
            }
        }
        "strip" => put(rest).split_whitespace().collect::<Vec<_>>().join(" "),
        "info" | "warning" | "error" => {
            // Nothing comes of it but what its words run.
            let said = put(rest);
            if said.contains("$(") { format!("$(: {said})") } else { String::new() }
        }
        "wildcard" => match (outside.files)(put(rest).trim()) {
            Some(names) => names.join(" "),
            None => UNKNOWN.to_owned(),
        },
        "subst" => match parts().as_slice() {
            [from, to, text] if !from.is_empty() && !from.contains(UNKNOWN) => {
                text.replace(from.as_str(), to)
            }
            [_, to, text] => text.clone() + to,
            _ => UNKNOWN.to_owned(),
        },
        "patsubst" => match parts().as_slice() {
            [from, to, text] => patsubst(from.trim(), to.trim(), text),
            _ => UNKNOWN.to_owned(),
        },
        "addprefix" => match parts().as_slice() {
            [prefix, text] => each(text, |word| Some(format!("{prefix}{word}"))),
            _ => UNKNOWN.to_owned(),
        },
        "addsuffix" => match parts().as_slice() {
            [suffix, text] => each(text, |word| Some(format!("{word}{suffix}"))),
            _ => UNKNOWN.to_owned(),
        },
        "dir" => each(&put(rest), |word| Some(directory(word).to_owned())),
        "notdir" => each(&put(rest), |word| Some(file_name(word).to_owned())),
        "basename" => each(&put(rest), |word| {
            let at = word.rfind('.').filter(|at| !word[*at..].contains('/'));
            Some(word[..at.unwrap_or(word.len())].to_owned())
        }),
        "suffix" => each(&put(rest), |word| {
            let at = word.rfind('.').filter(|at| !word[*at..].contains('/'))?;
            Some(word[at..].to_owned())
        }),
        "abspath" | "realpath" => each(&put(rest), |word| {
            Some(if word.starts_with(['/', '$']) {
                word.to_owned()
            } else {
                format!("{}/{word}", value("CURDIR", variables, outside, depth + 1))
            })
        }),
        "firstword" => put(rest).split_whitespace().next().unwrap_or_default().to_owned(),
        "lastword" => put(rest).split_whitespace().next_back().unwrap_or_default().to_owned(),
        "sort" => {
            let text = put(rest);
            let mut words: Vec<&str> = text.split_whitespace().collect();
            words.sort_unstable();
            words.dedup();
            words.join(" ")
        }
        "value" => variables.get(rest.trim()).map_or_else(String::new, |found| found.text.clone()),
        "call" => {
            let parts = parts();
            let Some((name, arguments)) = parts.split_first() else { return UNKNOWN.to_owned() };
            let Some(called) = variables.get(name.trim()) else { return UNKNOWN.to_owned() };
            let mut inner = variables.clone();
            for number in 0..10 {
                let text = if number == 0 { Some(name) } else { arguments.get(number - 1) };
                let text = text.cloned().unwrap_or_default();
                inner.insert(number.to_string(), Variable { text, simple: true });
            }
            expand(&called.text, &inner, outside, depth + 1)
        }
        "foreach" => match split(rest).as_slice() {
            [name, words, ..] => {
                let name = put(name).trim().to_owned();
                let body = rest.splitn(3, ',').nth(2).unwrap_or_default();
                let mut done = Vec::new();
                for word in put(words).split_whitespace().take(500) {
                    let mut inner = variables.clone();
                    inner.insert(name.clone(), Variable { text: word.to_owned(), simple: true });
                    done.push(expand(body, &inner, outside, depth + 1));
                }
                if done.len() < 500 { done.join(" ") } else { OPAQUE.to_owned() }
            }
            _ => UNKNOWN.to_owned(),
        },
        "if" => match split(rest).as_slice() {
            [condition, then, other @ ..] => {
                let otherwise = || other.first().map(|text| put(text)).unwrap_or_default();
                match put(condition).trim() {
                    "" => otherwise(),
                    text if text.contains(UNKNOWN) => {
                        let (then, otherwise) = (put(then), otherwise());
                        if then == otherwise { then } else { doubtful(&[then, otherwise]) }
                    }
                    _ => put(then),
                }
            }
            _ => UNKNOWN.to_owned(),
        },
        // They write files, or run a program of another kind.
        "file" | "guile" | "eval" => match outside.at_once {
            Some(list) => {
                list.borrow_mut().push(UNKNOWN.to_owned());
                UNKNOWN.to_owned()
            }
            None => OPAQUE.to_owned(),
        },
        _ => doubtful(&parts()),
    }
}

/// Something that depends on these texts; what they run, they may run.
fn doubtful(parts: &[String]) -> String {
    let runs: Vec<&str> = parts.iter().map(String::as_str).filter(|part| part.contains("$(")).collect();
    if runs.is_empty() { UNKNOWN.to_owned() } else { format!("$(: {}){UNKNOWN}", runs.join(" ")) }
}

fn each(text: &str, change: impl Fn(&str) -> Option<String>) -> String {
    if text.contains("$(") {
        return doubtful(&[text.to_owned()]);
    }
    text.split_whitespace().filter_map(change).collect::<Vec<_>>().join(" ")
}

fn patsubst(from: &str, to: &str, text: &str) -> String {
    if from.contains(UNKNOWN) {
        return doubtful(&[from.to_owned(), to.to_owned(), text.to_owned()]);
    }
    each(text, |word| {
        Some(match stem(from, word) {
            Some(stem) => to.replacen('%', &stem, 1),
            None if word == from => to.to_owned(),
            // Whether it fits cannot be told.
            None if word.contains(UNKNOWN) => UNKNOWN.to_owned(),
            None => word.to_owned(),
        })
    })
}

fn directory(word: &str) -> &str {
    word.rfind('/').map_or("./", |at| &word[..=at])
}

fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// What `%` stands for when a pattern fits a target.
pub(super) fn stem(pattern: &str, target: &str) -> Option<String> {
    let (before, after) = pattern.split_once('%')?;
    let rest = target.strip_prefix(before)?.strip_suffix(after)?;
    Some(rest.to_owned())
}

/// Arguments of a function.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = outside_of_references(rest, ",") {
        parts.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    parts.push(rest);
    parts
}

/// Where one of these characters first stands outside of `$(…)` and `${…}`.
pub(super) fn outside_of_references(text: &str, wanted: &str) -> Option<usize> {
    let mut rest = text;
    loop {
        let offset = text.len() - rest.len();
        let at = rest.find(|c: char| matches!(c, '(' | '{') || wanted.contains(c))?;
        let c = rest[at..].chars().next()?;
        if wanted.contains(c) {
            return Some(offset + at);
        }
        rest = match closing(&rest[at..]) {
            Some(end) => &rest[at + end + 1..],
            None => &rest[at + 1..],
        };
    }
}

/// Where the bracket that opens the text is closed.
pub(super) fn closing(text: &str) -> Option<usize> {
    let open = text.chars().next()?;
    let close = if open == '(' { ')' } else { '}' };
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}
