//! What is told of `sed`, `grep`, `awk`, `cut` and `tr` beside what they print: expressions that nobody chose.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::model::Value;

use super::awk::Program;
use super::cut::Cuts;
use super::lines_of;
use super::pattern::{Pattern, Syntax};
use super::sed::Script;
use super::translate::translated;
use super::words::Words;

const TEXT: &str = "aab\nab\nba.b\n\nabc abc\n a  b\tc \nb\naaa\nx=a;y=bb\nABab-1\n";

/// Numbers in an order that only looks like chance.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn some(&mut self, of: &[&str], most: usize) -> String {
        (0..=self.below(most)).map(|_| self.one(of)).collect()
    }
}

/// What a program prints; `None` where it fails or is not here.
fn really(program: &str, words: &[&str]) -> Option<String> {
    let mut child = Command::new(program)
        .args(words)
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    // It may have ended before it has read all.
    let _ = input.write_all(TEXT.as_bytes());
    drop(input);
    let output = child.wait_with_output().ok()?;
    // `grep` says with 1 that it found nothing.
    let fine = output.status.success() || program == "grep" && output.status.code() == Some(1);
    fine.then(|| String::from_utf8(output.stdout).ok())?
}

const BASIC: &[&str] = &[
    "a",
    "b",
    "c",
    ".",
    "*",
    "\\.",
    "[ab]",
    "[^a]",
    "[b-c]",
    "\\(a\\)",
    "\\(ab*\\)",
    "\\{2\\}",
    "\\+",
    "\\?",
    "\\|",
    "^",
    "$",
    " ",
    "[[:space:]]",
    "a*",
    "\\(b\\)*",
    "[^ ]*",
];
const EXTENDED: &[&str] = &[
    "a",
    "b",
    "c",
    ".",
    "*",
    "\\.",
    "[ab]",
    "[^a]",
    "[b-c]",
    "(a)",
    "(ab?)",
    "{1,2}",
    "+",
    "?",
    "|",
    "^",
    "$",
    " ",
    "[[:upper:]]",
    "(b|a)",
    "(ab)+",
    "[^ ]+",
    "-",
];

/// What is told must be so, and enough must be told.
fn compare(rows: impl Iterator<Item = (String, Vec<String>, Option<Value>)>, at_least: usize) {
    let mut told = 0;
    for (program, words, said) in rows {
        let Some(said) = said else { continue };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let real = really(&program, &words);
        assert_eq!(said, Value::Known(real.unwrap_or_else(|| "it fails".into())), "{program} {words:?}");
        told += 1;
    }
    assert!(told >= at_least, "only {told} were told");
}

#[test]
fn sed_prints_what_is_told() {
    let mut chance = Chance(1);
    let rows = (0..1_500).map(move |n| {
        let extended = n % 2 == 0;
        let pattern = chance.some(if extended { EXTENDED } else { BASIC }, 4);
        let to = chance.some(&["x", "&", "\\1", "-", "\\\\", ""], 2);
        let address =
            chance.one(&["", "", "", "2", "$", "2,4", "/a/", "/b/,/c/", "3,/a/", "/a/,2", "$!", "/x/!"]);
        let command = match chance.below(6) {
            0 => format!("{address}p"),
            1 => format!("{address}d"),
            2 => format!("{}q", address.split(',').next().unwrap_or_default()),
            _ => format!("{address}s/{pattern}/{to}/{}", chance.one(&["", "", "g", "p", "I"])),
        };
        let silent = chance.below(3) == 0;
        let mut words: Vec<String> = Vec::new();
        let mut options = Vec::new();
        if extended {
            words.push("-E".into());
            options.push(('E', ""));
        }
        if silent {
            words.push("-n".into());
            options.push(('n', ""));
        }
        words.push(command.clone());
        let read = Words { options, operands: vec![&command] };
        let said = Script::read(&read).and_then(|(script, _)| script.of(&Value::known(TEXT)));
        ("sed".to_owned(), words, said)
    });
    compare(rows, 500);
}

#[test]
fn grep_finds_what_is_told() {
    let mut chance = Chance(7);
    let rows = (0..1_000).map(move |n| {
        let extended = n % 2 == 0;
        let pattern = chance.some(if extended { EXTENDED } else { BASIC }, 4);
        let syntax = if extended { Syntax::Extended } else { Syntax::Basic };
        let only = chance.below(2) == 0;
        let said = Pattern::read(&pattern, syntax, false).and_then(|expression| {
            lines_of::each(&Value::known(TEXT), |line| {
                if only {
                    let found = expression.all(line)?;
                    return Some((!found.is_empty()).then(|| found.join("\n")));
                }
                Some(expression.holds(line)?.then(|| line.to_owned()))
            })
        });
        let option = match (extended, only) {
            (true, true) => "-oE",
            (true, false) => "-E",
            (false, true) => "-o",
            (false, false) => "-G",
        };
        ("grep".to_owned(), vec![option.to_owned(), "-e".into(), pattern], said)
    });
    compare(rows, 400);
}

#[test]
fn awk_prints_what_is_told() {
    let mut chance = Chance(3);
    let rows = (0..600).map(move |_| {
        let when = chance.one(&["", "", "NR==2", "/a/", "!/b/", "$1==\"ab\"", "$2!=\"b\"", "/^a.b/"]);
        let items = chance
            .some(&["$1", "$2", "$NF", " ", ",", "\"-\"", "$0", "NR", "NF", "$(NF-1)", "tolower($1)"], 4);
        let end = chance.one(&["", "", ";exit", " ; "]);
        let program = format!("{when}{{print {items}{end}}}");
        let separator = chance.one(&["", "", "a", "=", "b+", "[;=]", ".", "|", "\\t", "ab"]);
        let mut words: Vec<String> = Vec::new();
        let mut options = Vec::new();
        if !separator.is_empty() {
            words.push(format!("-F{separator}"));
            options.push(('F', separator));
        }
        words.push(program.clone());
        let read = Words { options, operands: vec![&program] };
        let said = Program::read(&read).and_then(|program| program.of(&Value::known(TEXT)));
        ("awk".to_owned(), words, said)
    });
    compare(rows, 200);
}

#[test]
fn cut_and_tr_print_what_is_told() {
    let mut chance = Chance(5);
    let rows = (0..400).map(move |n| {
        if n % 2 == 0 {
            let list = chance.one(&["1", "2", "1,3", "2-", "-2", "1-2", "3,1", "2-1", "0", "1,", "4-"]);
            let delimiter = chance.one(&["a", " ", "=", ".", ";", "ab"]);
            let kind = chance.one(&["-f", "-f", "-c"]);
            let mut words = vec![format!("{kind}{list}")];
            let mut options = vec![(kind.chars().nth(1).unwrap_or('f'), list)];
            if kind == "-f" {
                words.push(format!("-d{delimiter}"));
                options.push(('d', delimiter));
            }
            let read = Words { options, operands: Vec::new() };
            let said =
                Cuts::read(&read).and_then(|cuts| lines_of::each(&Value::known(TEXT), |line| cuts.of(line)));
            return ("cut".to_owned(), words, said);
        }
        let sets = [
            "a",
            "ab",
            "a-c",
            "A-Z",
            "[:upper:]",
            "[:lower:]",
            "[:space:]",
            " ",
            "_",
            "\\n",
            ".",
            "-",
            "a\\-c",
            "[ab]",
            "b-a",
        ];
        let option = chance.one(&["", "-d", "-s", "-c", "-cd", "-ds"]);
        let both = option.is_empty() || option == "-c" || chance.below(3) == 0;
        let operands: Vec<&str> = (0..1 + usize::from(both)).map(|_| chance.one(&sets)).collect();
        let options: Vec<&str> = if option.is_empty() { Vec::new() } else { vec![option] };
        let said = translated(&Value::known(TEXT), &options, &operands);
        ("tr".to_owned(), options.iter().chain(&operands).map(|word| (*word).to_owned()).collect(), said)
    });
    compare(rows, 150);
}
