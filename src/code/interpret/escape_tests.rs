//! A function that acts is seen, however it is reached: it leaves as a value, or the language calls it.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;

use super::tests::show;

/// Whether a program is said to delete something, or to do what is not known.
fn is_seen(language: &str, text: &str) -> bool {
    let found = show(language, text, &[]);
    found.contains("rm ") || found.contains("unknown")
}

/// One way to a function: the language, and a program in which `DELETE` deletes and `F` is the function.
struct Way {
    language: &'static str,
    program: String,
}

/// How each language deletes the file `a`, and how it says the function that does.
const DELETING: [(&str, &str, &str, &str); 5] = [
    ("python", "import os\n", "os.remove('a')", "os.remove"),
    ("node", "const f=require('fs'); ", "f.unlinkSync('a')", "f.unlinkSync"),
    ("ruby", "", "File.delete('a')", "File.method(:delete)"),
    ("perl", "", "unlink('a')", "sub { unlink @_ }"),
    ("php", "", "unlink('a')", "'unlink'"),
];

/// The programs of the data file: the language, then the program with `\n` for a line's end.
fn ways() -> Vec<Way> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/code_escapes.txt");
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let way = |line: &str| {
        let (name, program) = line.split_once(' ').unwrap();
        let (language, before, delete, function) =
            *DELETING.iter().find(|(language, ..)| *language == name).unwrap();
        let program = program.replace("\\n", "\n").replace("DELETE", delete).replace("FUNCTION", function);
        Way { language, program: format!("{before}{program}") }
    };
    lines.map(way).collect()
}

#[test]
fn what_leaves_as_a_value_or_runs_by_itself_is_seen() {
    let ways = ways();
    assert!(ways.len() > 150, "the list is read");
    let missed: Vec<String> = ways
        .iter()
        .filter(|way| !is_seen(way.language, &way.program))
        .map(|way| format!("{}: {}", way.language, way.program))
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// The same function under more names, in containers, handed through functions and out of them again.
fn wrapped(language: &str, value: String, how: u8) -> String {
    match (language, how % 6) {
        ("python", 0) => format!("[{value}][0]"),
        ("python", 1) => format!("{{'k': {value}}}['k']"),
        ("python", 2) => format!("(lambda: {value})()"),
        ("python", 3) => format!("(lambda g={value}: g)()"),
        ("python", 4) => format!("(None or {value})"),
        ("python", _) => format!("getattr(type('T', (), {{'m': staticmethod({value})}}), 'm')"),
        ("node", 0) => format!("[{value}][0]"),
        ("node", 1) => format!("({{k: {value}}}).k"),
        ("node", 2) => format!("(() => {value})()"),
        ("node", 3) => format!("((g = {value}) => g)()"),
        ("node", 4) => format!("(null || {value})"),
        ("node", _) => format!("new Map([['k', {value}]]).get('k')"),
        ("ruby", 0) => format!("[{value}][0]"),
        ("ruby", 1) => format!("({{k: {value}}})[:k]"),
        ("ruby", 2) => format!("(-> {{ {value} }}).call"),
        ("ruby", 3) => format!("(nil || {value})"),
        ("ruby", 4) => format!("[{value}].first"),
        ("ruby", _) => format!("(-> (g = {value}) {{ g }}).call"),
        ("perl", 0) => format!("[{value}]->[0]"),
        ("perl", 1) => format!("{{k => {value}}}->{{k}}"),
        ("perl", 2) => format!("(sub {{ return {value} }})->()"),
        ("perl", _) => format!("(undef || {value})"),
        (_, 0) => format!("[{value}][0]"),
        (_, 1) => format!("['k' => {value}]['k']"),
        (_, 2) => format!("(fn() => {value})()"),
        (_, 3) => format!("((fn($g = {value}) => $g)())"),
        (_, 4) => format!("(null ?? {value})"),
        (_, _) => format!("(true ? {value} : null)"),
    }
}

fn called(language: &str, value: &str) -> String {
    match language {
        "ruby" => format!("g = {value}; g.call('a')"),
        "perl" => format!("my $g = {value}; $g->('a')"),
        "php" => format!("$g = {value}; $g('a');"),
        "python" => format!("g = {value}\ng('a')"),
        _ => format!("const g = {value}; g('a')"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_function_that_acts_is_never_forgotten(which in 0..5_usize, hows in prop::collection::vec(0_u8..6, 0..4)) {
        let (language, before, _, function) = DELETING[which];
        let value = hows.iter().fold(function.to_owned(), |value, how| wrapped(language, value, *how));
        let program = format!("{before}{}", called(language, &value));
        prop_assert!(is_seen(language, &program), "{language}: {program}");
    }
}
