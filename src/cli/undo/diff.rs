//! `undo --diff`: what would change, line by line, from what stands there now to what is kept.

use std::fs;
use std::path::Path;

use crate::keep::Was;
use crate::text::escape;
use crate::undo::{Step, Undo};

use super::super::output::{self, Failure};
use super::show::{is_shown, place, sort};

/// Files larger than this are not compared line by line.
const LARGEST: u64 = 1 << 20;
/// Lines of a file that are compared, at most.
const LINES: usize = 3_000;
/// Unchanged lines around a change.
const AROUND: usize = 3;

/// Prints it.
pub(super) fn run(undo: &Undo, cwd: &Path) -> Result<u8, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::internal(format!("what is kept could not be laid out: {error}"))
    };
    // Private to this user from its making.
    let folder =
        tempfile(&crate::config::user_places().map(|places| places.state)).map_err(|error| failed(&error))?;
    let laid = undo.beside(&folder);
    let mut page = String::new();
    for (item, step) in &undo.steps {
        let shown = place(&item.path.0, cwd);
        let kept = folder.join(item.path.0.strip_prefix("/").unwrap_or(&item.path.0));
        match step {
            Step::Same => {}
            Step::Rights if !is_shown(item) => {}
            Step::Rights => page.push_str(&format!("mode, owner or times of {shown} change\n")),
            Step::Gone => page.push_str(&format!("taken away: {shown}\n")),
            Step::Back | Step::Replaced => match &item.was {
                Was::File { size, .. } if *size <= LARGEST => {
                    page.push_str(&file(&shown, &item.path.0, &kept))
                }
                _ => page.push_str(&format!(
                    "{}: {shown}{}\n",
                    if *step == Step::Back { "back" } else { "replaced" },
                    sort(item)
                )),
            },
        }
    }
    let _ = fs::remove_dir_all(&folder);
    laid.map_err(|error| failed(&error))?;
    output::print(&page);
    Ok(0)
}

/// An empty folder of our own.
fn tempfile(state: &Option<std::path::PathBuf>) -> std::io::Result<std::path::PathBuf> {
    use std::os::unix::fs::DirBuilderExt;
    let base = state.clone().unwrap_or_else(std::env::temp_dir);
    fs::create_dir_all(&base)?;
    let folder = base.join(format!("diff-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

fn file(shown: &str, now: &Path, kept: &Path) -> String {
    let read = |path: &Path| -> Option<String> {
        let meta = fs::symlink_metadata(path).ok()?;
        (meta.is_file() && meta.len() <= LARGEST)
            .then(|| fs::read(path).ok())
            .flatten()
            .and_then(|bytes| String::from_utf8(bytes).ok())
    };
    let there = fs::symlink_metadata(now).is_ok();
    let (Some(after), before) = (read(kept), read(now)) else {
        return format!("Binary file {shown} differs\n");
    };
    let before = match before {
        Some(before) => before,
        None if there => return format!("{shown} differs\n"),
        None => String::new(),
    };
    if before == after {
        return format!("mode or times of {shown} change\n");
    }
    let from = if there { format!("a/{shown}") } else { "/dev/null".to_owned() };
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let changes = if old.len() > LINES || new.len() > LINES { None } else { Some(changes(&old, &new)) };
    match changes {
        Some(changes) => format!("--- {from}\n+++ b/{shown}\n{}", hunks(&changes)),
        None => format!("{shown} differs ({} lines now, {} kept)\n", old.len(), new.len()),
    }
}

/// A line of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Out(&'a str),
    In(&'a str),
}

/// The lines of both, as few changed as can be.
fn changes<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (left, right) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    // Length of the longest common part from here to the end.
    let columns = right.len() + 1;
    let mut common = vec![0_u32; (left.len() + 1) * columns];
    for a in (0..left.len()).rev() {
        for b in (0..right.len()).rev() {
            common[a * columns + b] = if left[a] == right[b] {
                common[(a + 1) * columns + b + 1] + 1
            } else {
                common[(a + 1) * columns + b].max(common[a * columns + b + 1])
            };
        }
    }
    let mut lines: Vec<Line<'a>> = old[..start].iter().map(|line| Line::Same(line)).collect();
    let (mut a, mut b) = (0, 0);
    while a < left.len() || b < right.len() {
        if a < left.len() && b < right.len() && left[a] == right[b] {
            lines.push(Line::Same(left[a]));
            (a, b) = (a + 1, b + 1);
        } else if a < left.len()
            && (b == right.len() || common[(a + 1) * columns + b] >= common[a * columns + b + 1])
        {
            lines.push(Line::Out(left[a]));
            a += 1;
        } else {
            lines.push(Line::In(right[b]));
            b += 1;
        }
    }
    lines.extend(old[old.len() - end..].iter().map(|line| Line::Same(line)));
    lines
}

/// The changed lines with some around them, as `diff -u` prints them.
fn hunks(lines: &[Line<'_>]) -> String {
    let changed: Vec<usize> = (0..lines.len()).filter(|at| !matches!(lines[*at], Line::Same(_))).collect();
    let mut page = String::new();
    let (mut old, mut new, mut at) = (1, 1, 0);
    let mut next = 0;
    while next < changed.len() {
        let from = changed[next].saturating_sub(AROUND);
        let mut last = changed[next];
        while next < changed.len() && changed[next] <= last + 2 * AROUND {
            last = changed[next];
            next += 1;
        }
        let to = (last + AROUND + 1).min(lines.len());
        // What lies before is the same on both sides.
        (old, new, at) = (old + from - at, new + from - at, from);
        let part = &lines[at..to];
        let count = |not: fn(&Line<'_>) -> bool| part.iter().filter(|line| !not(line)).count();
        let outs = count(|line| matches!(line, Line::In(_)));
        let ins = count(|line| matches!(line, Line::Out(_)));
        page.push_str(&format!("@@ -{old},{outs} +{new},{ins} @@\n"));
        for line in part {
            let (mark, text) = match line {
                Line::Same(text) => (' ', text),
                Line::Out(text) => ('-', text),
                Line::In(text) => ('+', text),
            };
            page.push_str(&format!("{mark}{}\n", escape(text)));
        }
        (old, new, at) = (old + outs, new + ins, to);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_few_and_in_hunks() {
        let old: Vec<String> = (0..40).map(|n| format!("line {n}")).collect();
        let mut new = old.clone();
        new[5] = "other".to_owned();
        new.remove(30);
        let (a, b): (Vec<&str>, Vec<&str>) =
            (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        let lines = changes(&a, &b);
        let page = hunks(&lines);
        assert!(page.starts_with("@@ -3,7 +3,7 @@\n line 2\n"), "{page}");
        assert!(page.contains("-line 5\n+other\n") && page.contains("@@ -28,7 +28,6 @@\n"), "{page}");
        assert_eq!(page.matches("\n-").count() + page.matches("\n+").count(), 3, "{page}");
        assert_eq!(hunks(&changes(&[], &["a"])), "@@ -1,0 +1,1 @@\n+a\n");
    }
}
