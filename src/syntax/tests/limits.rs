//! Hostile texts end in time, and the limit that ended them is named. `RECOURSE_TIMES=1` takes a mebibyte of each and
//! prints the times.

use std::time::{Duration, Instant};

use super::super::{GapReason, Limits, parse, parse_with};

fn limits_of(text: &str) -> Vec<&'static str> {
    let (_, gaps) = parse_with(text, &Limits { deadline: Duration::from_secs(60), ..Limits::default() });
    gaps.iter()
        .filter_map(|gap| match gap.reason {
            GapReason::Limit(name) => Some(name),
            _ => None,
        })
        .collect()
}

#[test]
fn limits_have_names() {
    assert_eq!(limits_of(&"x".repeat((1 << 20) + 1)), ["size"]);
    assert_eq!(limits_of(&"$(".repeat(1000)), ["depth"]);
    assert_eq!(limits_of(&"( ".repeat(1000)), ["depth"]);
    assert_eq!(limits_of(&"a ".repeat(400_000)), ["nodes"]);
    assert_eq!(limits_of(&"f() ".repeat(1000)), ["depth"]);
    assert_eq!(limits_of(&"; ".repeat(4000)), ["nodes"]);
    let late = Limits { deadline: Duration::ZERO, ..Limits::default() };
    let (_, gaps) = parse_with(&"a;".repeat(4000), &late);
    assert_eq!(gaps[0].reason, GapReason::Limit("deadline"));
}

#[test]
fn nul_is_a_gap_and_the_rest_is_read() {
    let (script, gaps) = parse("rm a\0b; rm c");
    assert_eq!(gaps[0].reason, GapReason::Encoding);
    assert_eq!(script.items.len(), 2);
}

#[test]
fn repetitions_of_anything_end() {
    let long = std::env::var_os("RECOURSE_TIMES").is_some();
    let size = if long { 1 << 20 } else { 1 << 16 };
    let pieces = [
        "a|",
        "a;",
        "a&&",
        "(",
        ")",
        "{ ",
        "} ",
        "$(",
        "`",
        "\\`",
        "${",
        "${x:-",
        "\"",
        "'",
        "\"$(",
        "<<E\n",
        "cat <<E;",
        "$((",
        "((",
        "(( ",
        "[[ ",
        "[[ a && ",
        "[[ ! ",
        "if ",
        "if a; then ",
        "case x in ",
        "case x in a) ",
        ";;",
        "f() ",
        "f(){ ",
        "a=(",
        "a[",
        "a[$(",
        "x=$(a[",
        "! ",
        "time ",
        "coproc ",
        "coproc a ",
        "for ",
        "for i in ",
        "for i in a; do ",
        "!(",
        "@(a|",
        "<(",
        ">",
        "> a ",
        "2>&1 ",
        "\\\n",
        "\n",
        "\t",
        "#",
        "é",
        "$",
        "$'",
        "$\"",
        "${x/",
        "${x:",
        "${x[",
        "&",
        "|",
        "while a; do ",
        "$((1+(",
        "a\\",
        "function f ",
        "select x in ",
        "do ",
        "done ",
        "esac ",
        "fi ",
        "\\",
        "a $x ",
        "$x",
        "`\\`",
        "a&&b||",
        "{a,",
        "<<-\\E ",
    ];
    for piece in pieces {
        let text = piece.repeat(size / piece.len());
        let start = Instant::now();
        let (script, gaps) = parse(&text);
        let count = gaps.len();
        drop((script, gaps));
        // Far above what it takes; the point is that nothing is quadratic without end.
        assert!(start.elapsed() < Duration::from_secs(30), "{piece:?}: {:?}", start.elapsed());
        if long {
            eprintln!("{piece:?} {:?} {count}", start.elapsed());
        }
    }
}
