//! Sizes: of functions, of files, and of the file in the middle. What is too large stands in a list that only shrinks.

use std::fs;

use super::source::{self, File};
use super::{files, root, src};

/// A function has at most this many lines.
const FUNCTION: usize = 80;
/// A file has at most this many lines, those with tests included.
const FILE: usize = 500;
/// Half of the files have at most this many; the goal is 150.
const MEDIAN: usize = 180;

/// Functions that are longer, by name and with how many lines they may have. Take off what is mended; add nothing.
const LONG_FUNCTIONS: &[(&str, usize)] = &[("command", 120), ("look", 100)];

/// Files that are longer, by the end of their paths, with how many lines they may have. Take off what is mended; add nothing.
const LONG_FILES: &[(&str, usize)] = &[
    ("keys/mod.rs", 560),
    ("interpret/tests.rs", 600),
    ("syntax/commands.rs", 580),
    ("syntax/structure.rs", 520),
];

#[test]
fn functions_fit_on_a_page() {
    let sources = source::crate_files(&src());
    let mut long = Vec::new();
    let mut known = vec![false; LONG_FUNCTIONS.len()];
    for file in sources.iter().filter(|file| !file.is_test) {
        for function in file.said.functions.iter().filter(|function| function.lines > FUNCTION) {
            // Two functions of one name are two entries, the shorter first.
            let listed = LONG_FUNCTIONS.iter().zip(&known).position(|((name, most), known)| {
                *name == function.name && function.lines <= *most && !known
            });
            match listed {
                Some(at) => known[at] = true,
                None => long.push(format!(
                    "{}: {} has {} lines",
                    file.at(function.line),
                    function.name,
                    function.lines
                )),
            }
        }
    }
    assert!(long.is_empty(), "longer than {FUNCTION} lines, split them:\n{}", long.join("\n"));
    let mended: Vec<&str> =
        LONG_FUNCTIONS.iter().zip(known).filter(|(_, known)| !known).map(|(listed, _)| listed.0).collect();
    assert!(mended.is_empty(), "no longer too long, take them off LONG_FUNCTIONS: {}", mended.join(" "));
}

#[test]
fn source_files_stay_small_enough_to_hold_in_the_head() {
    let mut paths = Vec::new();
    for folder in ["src", "crates", "tests", "benches"] {
        files(&root().join(folder), "rs", &mut paths);
    }
    let mut long = Vec::new();
    let mut known = vec![false; LONG_FILES.len()];
    for path in paths {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        if lines <= FILE {
            continue;
        }
        match LONG_FILES.iter().position(|(end, most)| path.ends_with(end) && lines <= *most) {
            Some(at) => known[at] = true,
            None => long.push(format!("{}: {lines} lines", path.display())),
        }
    }
    assert!(long.is_empty(), "longer than {FILE} lines, split them by idea:\n{}", long.join("\n"));
    let mended: Vec<&str> =
        LONG_FILES.iter().zip(known).filter(|(_, known)| !known).map(|(listed, _)| listed.0).collect();
    assert!(mended.is_empty(), "no longer too long, take them off LONG_FILES: {}", mended.join(" "));
}

#[test]
fn the_file_in_the_middle_is_short() {
    let lines = |file: &File| file.text.lines().count();
    let mut all: Vec<usize> =
        source::crate_files(&src()).iter().filter(|file| !file.is_test).map(lines).collect();
    all.sort_unstable();
    let median = all[all.len() / 2];
    println!("the median of {} files is {median} lines", all.len());
    assert!(median <= MEDIAN, "half of the files have more than {MEDIAN} lines: {median}");
}
