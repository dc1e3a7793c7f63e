//! Programs that look for files and heed what git ignores: the names that they print are some of those that git lists.

use std::collections::BTreeSet;
use std::path::Path;

use crate::model::Value;
use crate::shell::program::{Call, Shell, State};

use super::git::not_ignored;
use super::text::hits::some_of;

/// What a call asks for.
#[derive(Default)]
struct Asked<'a> {
    names: bool,
    zero: bool,
    /// The pattern stands in an option, or none is needed.
    pattern: bool,
    /// Endings of names, without their dot.
    endings: Vec<&'a str>,
    only_files: bool,
    operands: Vec<&'a str>,
}

/// Names of the files in which `rg -l` finds something, or that `rg --files` lists.
pub(super) fn with_text(shell: &Shell<'_>, state: &State, call: &Call) -> Option<Value> {
    let mut asked = Asked { only_files: true, ..Asked::default() };
    let texts = call.texts()?;
    let mut words = texts.iter();
    while let Some(word) = words.next() {
        match *word {
            "--" => asked.operands.extend(words.by_ref()),
            "--files-with-matches" | "--files-without-match" => asked.names = true,
            "--files" => (asked.names, asked.pattern) = (true, true),
            "--null" => asked.zero = true,
            "--fixed-strings" | "--ignore-case" | "--smart-case" | "--word-regexp" | "--hidden"
            | "--multiline" | "--pcre2" | "--no-messages" | "--line-regexp" => {}
            "-e" | "--regexp" => {
                words.next()?;
                asked.pattern = true;
            }
            "-g" | "--glob" | "-t" | "--type" | "-T" | "--type-not" | "-j" | "--threads" => {
                words.next()?;
            }
            word if word.starts_with("--glob=") || word.starts_with("--type=") => {}
            word if word.len() > 1 && word.starts_with('-') && !word.starts_with("--") => {
                word.chars().skip(1).all(|letter| "l0FiSwsUPNnHx.".contains(letter)).then_some(())?;
                (asked.names, asked.zero) =
                    (asked.names || word.contains('l'), asked.zero || word.contains('0'));
            }
            word if word.starts_with('-') => return None,
            operand => asked.operands.push(operand),
        }
    }
    if !asked.names || !asked.pattern && asked.operands.is_empty() {
        return None;
    }
    let from = usize::from(!asked.pattern);
    let paths = asked.operands.get(from..)?.to_vec();
    listed(shell, state, call, &asked, &paths)
}

/// Names that `fd` finds.
pub(super) fn by_name(shell: &Shell<'_>, state: &State, call: &Call) -> Option<Value> {
    let mut asked = Asked::default();
    let texts = call.texts()?;
    let mut words = texts.iter();
    while let Some(word) = words.next() {
        match *word {
            "-e" | "--extension" => asked.endings.push(words.next()?.trim_start_matches('.')),
            "-t" | "--type" => asked.only_files |= matches!(*words.next()?, "f" | "file"),
            "-E" | "--exclude" | "-d" | "--max-depth" => {
                words.next()?;
            }
            "-0" | "--print0" => asked.zero = true,
            "-H" | "--hidden" | "-g" | "--glob" | "-i" | "--ignore-case" | "-s" | "--case-sensitive" => {}
            "-tf" => asked.only_files = true,
            word if word.starts_with('-') => return None,
            operand => asked.operands.push(operand),
        }
    }
    let paths = asked.operands.get(1..).unwrap_or_default().to_vec();
    listed(shell, state, call, &asked, &paths)
}

fn listed(shell: &Shell<'_>, state: &State, call: &Call, asked: &Asked<'_>, paths: &[&str]) -> Option<Value> {
    // A file of options may say anything.
    let told = shell.scalar(state, "RIPGREP_CONFIG_PATH").is_some();
    if state.scope.host.is_some() || told {
        return None;
    }
    let files = not_ignored(shell, state, call, paths)?;
    let here = if paths.is_empty() { &["."][..] } else { paths };
    if !here.iter().all(|path| holds_any(shell, state, path, &files)) {
        return None;
    }
    let mut names: BTreeSet<String> = files.iter().cloned().collect();
    if !asked.only_files {
        let above = files.iter().flat_map(|file| Path::new(file).ancestors().skip(1));
        names.extend(above.filter_map(Path::to_str).filter(|dir| !dir.is_empty()).map(str::to_owned));
    }
    let fits = |name: &String| {
        let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
        asked.endings.is_empty()
            || ending.is_some_and(|ending| asked.endings.iter().any(|one| ending.eq_ignore_ascii_case(one)))
    };
    some_of(names.into_iter().filter(fits).collect(), asked.zero)
}

/// Whether some of the files are at the path or below it. Of a place that git ignores these programs list everything when it is
/// named, or when they are started there, and git nothing.
fn holds_any(shell: &Shell<'_>, state: &State, path: &str, files: &[String]) -> bool {
    let absolute = |text: &str| shell.absolute(state, &Value::known(text));
    let Some(place) = absolute(path) else { return false };
    files.iter().any(|file| absolute(file).is_some_and(|file| file.starts_with(&place)))
}
