//! Variables of a makefile, and what references to them give.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::functions::Function;

/// Stands in text for a value that is not known.
pub(super) const UNKNOWN: &str = "${__make_unknown}";
/// Stands for something that may change anything: a command that cannot be told, wherever it stands.
pub(super) const OPAQUE: &str = "$(${__make_unknown})";
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
            "RM" | "CC" | "CXX" | "AR" | "LD" | "AS" | "FC" | "PC" | "YACC" | "TEX" => {
                (outside.variable)(name).unwrap_or_else(|| programs(name).to_owned())
            }
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

/// What make runs under these names when nobody says otherwise.
fn programs(name: &str) -> &'static str {
    match name {
        "RM" => "rm -f",
        "CC" => "cc",
        "CXX" => "g++",
        "AR" => "ar",
        "LD" => "ld",
        "AS" => "as",
        "FC" => "f77",
        "PC" => "pc",
        "YACC" => "yacc",
        _ => "tex",
    }
}

/// `@D`, `<F` and their kin.
fn automatic(name: &str) -> Option<(&str, &str)> {
    let (base, part) = name.split_at_checked(1)?;
    ("@<^*?+".contains(base) && matches!(part, "D" | "F")).then_some((base, part))
}

/// What stands between the brackets of `$( )`: a variable, or a function with its arguments.
fn reference(inner: &str, variables: &Variables, outside: &Outside<'_>, depth: usize) -> String {
    if let Some((name, rest)) = inner.split_once([' ', '\t'])
        && !name.contains(['$', ':', '='])
    {
        return Function { variables, outside, depth }.call(name, rest.trim_start());
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

/// Something that depends on these texts; what they run, they may run.
pub(super) fn doubtful(parts: &[String]) -> String {
    let runs: Vec<&str> = parts.iter().map(String::as_str).filter(|part| part.contains("$(")).collect();
    if runs.is_empty() { UNKNOWN.to_owned() } else { format!("$(: {}){UNKNOWN}", runs.join(" ")) }
}

/// Each word of a text, changed or left out.
pub(super) fn each(text: &str, change: impl Fn(&str) -> Option<String>) -> String {
    if text.contains("$(") {
        return doubtful(&[text.to_owned()]);
    }
    text.split_whitespace().filter_map(change).collect::<Vec<_>>().join(" ")
}

/// The words that fit a pattern, as another pattern.
pub(super) fn patsubst(from: &str, to: &str, text: &str) -> String {
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

/// The part of a name in front of the file, with its slash.
pub(super) fn directory(word: &str) -> &str {
    word.rfind('/').map_or("./", |at| &word[..=at])
}

/// The part of a name behind the last slash.
pub(super) fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// What `%` stands for when a pattern fits a target.
pub(super) fn stem(pattern: &str, target: &str) -> Option<String> {
    let (before, after) = pattern.split_once('%')?;
    let rest = target.strip_prefix(before)?.strip_suffix(after)?;
    Some(rest.to_owned())
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
