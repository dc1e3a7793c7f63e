//! Whatever the text: parsing does not panic, ends, and points into the text.

use proptest::prelude::*;
use recourse::syntax::{Limits, Part, Visit, parse, parse_with, walk};

/// Bits of shell that matter to a reader, alone or broken.
const PIECES: &[&str] = &[
    " ",
    "\n",
    ";",
    "&",
    "|",
    "&&",
    "||",
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "{ ",
    "; }",
    "<",
    ">",
    ">>",
    "<<E\n",
    "<<-'E'\n",
    "E\n",
    "<<<",
    "<(",
    ">(",
    "$(",
    "${",
    "${x:-",
    "${x/",
    "${x[",
    "$((",
    "$[",
    "$x",
    "$'",
    "$\"",
    "`",
    "\\`",
    "'",
    "\"",
    "\\",
    "\\\n",
    "#",
    " # ",
    "!",
    "! ",
    "[[ ",
    " ]]",
    "=~ ",
    "== ",
    "!(",
    "@(",
    "a=(",
    "a[1]=",
    "x=1 ",
    "if ",
    "then ",
    "else ",
    "elif ",
    "fi",
    "for i in ",
    "for ((",
    "do ",
    "done",
    "while ",
    "until ",
    "case x in ",
    "esac",
    ";;",
    ";&",
    ";;&",
    "function f ",
    "f() ",
    "coproc ",
    "time ",
    "select i in ",
    "in ",
    "rm -rf /",
    "echo a",
    "declare -a ",
    "export ",
    "2>&1",
    "&>f",
    "{fd}>f",
    "é",
    "\0",
    "\u{2028}",
    "\r",
    "\t",
    "=",
    "]",
    "}x",
    "-p ",
    "EOF",
    "*",
    "~",
    "?",
];

fn shellish() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

fn check(text: &str) {
    let (script, gaps) = parse(text);
    for gap in &gaps {
        assert!(gap.span.start <= gap.span.end && gap.span.end <= text.len(), "{gap:?} in {text:?}");
    }
    let mut outside = Vec::new();
    walk(&script, &mut |visit| {
        let span = match visit {
            Visit::Command(command) => command.span,
            Visit::Word(word) => word.span,
            Visit::Part(Part::Command(_, span) | Part::Process(_, _, span) | Part::Gap(span)) => *span,
            Visit::Part(Part::Parameter(parameter)) => parameter.span,
            Visit::Part(_) => return,
        };
        if span.start > span.end || span.end > text.len() {
            outside.push(span);
        }
    });
    assert!(outside.is_empty(), "{outside:?} in {text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in ".*") {
        check(&text);
    }

    #[test]
    fn bits_of_shell(text in shellish()) {
        check(&text);
    }

    #[test]
    fn broken_scripts(index in any::<prop::sample::Index>(), edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3, prop::sample::select(PIECES)), 1..4)) {
        let table: Vec<&str> = include_str!("../data/oracle.txt").split("\n%%\n").collect();
        let mut text = index.get(&table).to_string();
        for (at, kind, piece) in edits {
            let positions: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            if positions.is_empty() {
                break;
            }
            let at = *at.get(&positions);
            match kind {
                0 => text.insert_str(at, piece),
                1 => drop(text.remove(at)),
                _ => text.truncate(at),
            }
        }
        check(&text);
    }

    #[test]
    fn small_limits(text in shellish(), bytes in 0_usize..200, depth in 0_usize..6, nodes in 0_usize..60) {
        let limits = Limits { bytes, depth, nodes, ..Limits::default() };
        let (_, gaps) = parse_with(&text, &limits);
        prop_assert!(text.len() <= bytes || !gaps.is_empty());
    }
}
