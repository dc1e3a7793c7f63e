//! Names of the files in which `grep` finds something: some of those that it looks into, and no others.

use std::path::PathBuf;

use crate::model::{Lines, Value};
use crate::shell::program::{Call, Shell, State};
use crate::world::FileKind;

/// Files that are named at most.
const MOST: usize = 2_000;

/// What a call says about where it looks.
#[derive(Default)]
struct Asked<'a> {
    /// Only names are printed.
    names: bool,
    /// Nothing is printed.
    quiet: bool,
    recursive: bool,
    /// Links to directories are followed.
    follows: bool,
    /// Names end with the zero byte.
    zero: bool,
    /// The pattern stands in an option.
    pattern: bool,
    operands: Vec<&'a str>,
}

/// What `grep -l` and its like print; `None` for other forms, and where files cannot be listed.
pub(super) fn hits(shell: &Shell<'_>, state: &State, call: &Call) -> Option<Value> {
    let texts = call.texts()?;
    let mut asked = asked(&texts)?;
    if !asked.names || asked.quiet {
        return None;
    }
    if !asked.pattern {
        if asked.operands.is_empty() {
            return None;
        }
        asked.operands.remove(0);
    }
    let here = asked.operands.is_empty();
    if here && !asked.recursive || asked.operands.contains(&"-") {
        return None;
    }
    let mut found = Vec::new();
    if here {
        below(shell, state, "", state.only_cwd()?.to_owned(), &asked, &mut found)?;
    }
    for operand in &asked.operands {
        let path = shell.absolute(state, &Value::known(*operand))?;
        match shell.is_directory(state, &path)? {
            true if asked.recursive => {
                let prefix = format!("{}/", operand.trim_end_matches('/'));
                below(shell, state, &prefix, path, &asked, &mut found)?;
            }
            true => {}
            false if shell.exists(state, &path)? => found.push((*operand).to_owned()),
            false => {}
        }
    }
    some_of(found, asked.zero)
}

/// Some of these names and no others, one a line or each with a zero byte; `None` where they are too many.
pub(in crate::programs) fn some_of(names: Vec<String>, zero: bool) -> Option<Value> {
    if names.len() > MOST || names.iter().any(|name| name.contains('\n')) {
        return None;
    }
    let end = if zero { '\0' } else { '\n' };
    Some(match names.as_slice() {
        [] => Value::known(""),
        [only] => Value::one_of(vec![String::new(), format!("{only}{end}")]),
        _ => Value::Lines(Lines { each: names, end, some: true }),
    })
}

/// Reads the words; `None` where one of them is not understood.
fn asked<'a>(words: &[&'a str]) -> Option<Asked<'a>> {
    let mut asked = Asked::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--" => asked.operands.extend(words.by_ref()),
            "--files-with-matches" | "--files-without-match" => asked.names = true,
            "--recursive" => asked.recursive = true,
            "--null" => asked.zero = true,
            "--quiet" | "--silent" => asked.quiet = true,
            "--ignore-case" | "--word-regexp" | "--fixed-strings" | "--extended-regexp" | "--perl-regexp"
            | "--no-messages" | "--invert-match" | "--line-regexp" => {}
            long if long.starts_with("--") => {
                let (name, _) = long.split_once('=')?;
                match name {
                    "--include" | "--exclude" | "--exclude-dir" | "--color" | "--colour"
                    | "--binary-files" => {}
                    "--regexp" | "--file" => asked.pattern = true,
                    _ => return None,
                }
            }
            word if word.starts_with('-') && word.len() > 1 => short(word, &mut asked, &mut words)?,
            operand => asked.operands.push(operand),
        }
    }
    Some(asked)
}

fn short<'a>(word: &str, asked: &mut Asked<'a>, words: &mut std::slice::Iter<'_, &'a str>) -> Option<()> {
    for (at, letter) in word.char_indices().skip(1) {
        match letter {
            'l' | 'L' => asked.names = true,
            'r' => asked.recursive = true,
            'R' => (asked.recursive, asked.follows) = (true, true),
            'Z' => asked.zero = true,
            'q' => asked.quiet = true,
            'i' | 'w' | 'F' | 'E' | 'P' | 'G' | 's' | 'v' | 'x' | 'I' | 'a' | 'n' | 'H' | 'h' => {}
            'e' | 'f' | 'm' | 'A' | 'B' | 'C' => {
                asked.pattern |= matches!(letter, 'e' | 'f');
                if at + 1 == word.len() {
                    words.next()?;
                }
                return Some(());
            }
            _ => return None,
        }
    }
    Some(())
}

/// Every file below a directory, as it is printed.
fn below(
    shell: &Shell<'_>,
    state: &State,
    prefix: &str,
    dir: PathBuf,
    asked: &Asked<'_>,
    found: &mut Vec<String>,
) -> Option<()> {
    let mut pending = vec![(prefix.to_owned(), dir)];
    while let Some((prefix, dir)) = pending.pop() {
        for entry in shell.list(state, &dir, MOST)? {
            if !entry.exact || found.len() > MOST {
                return None;
            }
            let (name, path) = (format!("{prefix}{}", entry.name), dir.join(&entry.name));
            match entry.kind {
                FileKind::Directory => pending.push((format!("{name}/"), path)),
                FileKind::Symlink if asked.follows => return None,
                FileKind::Symlink => {}
                _ => found.push(name),
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::asked;

    #[test]
    fn options_with_a_value_take_it() {
        let read = |words: &[&'static str]| asked(words).map(|asked| (asked.names, asked.operands));
        assert_eq!(read(&["-rl", "x", "src"]), Some((true, vec!["x", "src"])));
        assert_eq!(read(&["-le", "x", "a"]), Some((true, vec!["a"])));
        assert_eq!(read(&["-lm1", "x", "--", "-a"]), Some((true, vec!["x", "-a"])));
        assert_eq!(read(&["-l", "--include=*.py", "x", "."]), Some((true, vec!["x", "."])));
        assert!(read(&["-l", "--unheard", "x"]).is_none() && read(&["-ly", "x"]).is_none());
    }
}
