//! `grep` over texts that are known: whether it finds something.

use crate::model::Value;
use crate::shell::program::{Call, Shell, State, Status};

/// Longest text that is searched.
const LONGEST: u64 = 256 * 1024;

/// What a call of `grep` looks for, where all of it is understood.
struct Search<'a> {
    pattern: &'a str,
    files: Vec<&'a str>,
    fixed: bool,
    folds: bool,
    whole: bool,
    inverted: bool,
}

/// Whether `grep` finds something. Only patterns without special signs are understood, and `^`, `$` and `.`.
pub(super) fn grep_status(shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Status {
    // Which way is taken would tell somebody else what a file holds.
    if shell.world.is_for_others() {
        return Status::Unknown;
    }
    found(shell, state, name, call).map_or(Status::Unknown, Status::from_bool)
}

fn found(shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Option<bool> {
    let texts = call.texts()?;
    let search = search(&texts, name == "fgrep")?;
    let mut all = String::new();
    let mut missing = false;
    if search.files.is_empty() {
        all.push_str(shell.stdin_text(state, &state.stdin)?.as_known()?);
    }
    for file in &search.files {
        let path = shell.absolute(state, &Value::known(*file))?;
        if shell.exists(state, &path) == Some(false) {
            missing = true;
            continue;
        }
        let text = shell.read_data(state, &path, LONGEST)?;
        all.push_str(&text);
        if !all.ends_with('\n') {
            all.push('\n');
        }
    }
    if all.contains('\0') || !(all.is_ascii() || search.pattern.is_ascii() && !search.folds) {
        return None;
    }
    let fold = |text: &str| if search.folds { text.to_ascii_lowercase() } else { text.to_owned() };
    let pattern = fold(search.pattern);
    let mut hits = Vec::new();
    for line in all.split_terminator('\n') {
        hits.push(matches(&pattern, &fold(line), &search)? != search.inverted);
    }
    let hit = hits.contains(&true);
    // A file that is missing is an error, unless something was found first.
    (!(hit && missing)).then_some(hit)
}

/// The call's words; `None` where one of them is not understood.
fn search<'a>(words: &[&'a str], fixed: bool) -> Option<Search<'a>> {
    let mut found =
        Search { pattern: "", files: Vec::new(), fixed, folds: false, whole: false, inverted: false };
    let mut pattern = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--" => {
                found.files.extend(words.by_ref());
            }
            "-e" => pattern = Some(*words.next()?).filter(|_| pattern.is_none()),
            "--quiet" | "--silent" | "--no-messages" => {}
            "--fixed-strings" => found.fixed = true,
            "--ignore-case" => found.folds = true,
            "--line-regexp" => found.whole = true,
            "--invert-match" => found.inverted = true,
            word if word.starts_with('-') && word.len() > 1 => {
                for letter in word.chars().skip(1) {
                    match letter {
                        'q' | 's' | 'E' | 'n' | 'c' | 'l' | 'h' | 'H' | 'a' => {}
                        'F' => found.fixed = true,
                        'i' => found.folds = true,
                        'x' => found.whole = true,
                        'v' => found.inverted = true,
                        _ => return None,
                    }
                }
            }
            file => found.files.push(file),
        }
    }
    if pattern.is_none() && !found.files.is_empty() {
        pattern = Some(found.files.remove(0));
    }
    found.pattern = pattern.filter(|pattern| !pattern.contains('\n'))?;
    let directory_or_stream = |file: &&str| *file == "-" || file.starts_with("/dev/");
    (!found.files.iter().any(directory_or_stream)).then_some(found)
}

/// Whether a line holds the pattern; `None` for a pattern that is not understood.
fn matches(pattern: &str, line: &str, search: &Search<'_>) -> Option<bool> {
    if search.fixed {
        return Some(if search.whole { line == pattern } else { line.contains(pattern) });
    }
    let (pattern, start) = pattern.strip_prefix('^').map_or((pattern, false), |rest| (rest, true));
    let (pattern, end) = pattern.strip_suffix('$').map_or((pattern, false), |rest| (rest, true));
    if pattern.contains(['[', ']', '*', '^', '$', '\\', '+', '?', '(', ')', '{', '}', '|']) {
        return None;
    }
    let (start, end) = (start || search.whole, end || search.whole);
    let wanted: Vec<char> = pattern.chars().collect();
    let there: Vec<char> = line.chars().collect();
    let fits = |at: usize| {
        let part = there.get(at..at + wanted.len());
        part.is_some_and(|part| wanted.iter().zip(part).all(|(w, t)| *w == '.' || w == t))
    };
    let last = there.len().checked_sub(wanted.len());
    let Some(last) = last else { return Some(false) };
    Some((0..=last).any(|at| fits(at) && (!start || at == 0) && (!end || at == last)))
}
