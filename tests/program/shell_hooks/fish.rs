//! fish.

use super::{Typing, missing};

#[test]
fn a_refused_line_has_no_effect_at_all() {
    if missing("fish") {
        return;
    }
    let mut shell = Typing::new("fish", "HOOK\n");
    for line in [
        "rm keep; and touch after",
        "rm keep && touch after",
        "rm keep; touch after",
        "rm keep | tee out",
        "begin; rm keep; end > keep2",
        "if rm keep; touch after; end",
        "for i in 1 2; rm keep; end",
        "echo (rm keep)",
    ] {
        shell.refuses(line);
    }
}

#[test]
fn lines_of_several_lines() {
    if missing("fish") {
        return;
    }
    let mut shell = Typing::new("fish", "HOOK\n");
    shell.terminal.send("for i in 1 2\rrm keep\rend\r");
    shell.terminal.until("a refusal", |text| text.contains(super::REFUSED));
    std::thread::sleep(std::time::Duration::from_millis(200));
    shell.unharmed("a loop over three lines");
}

#[test]
fn an_allowed_line_runs_once() {
    if missing("fish") {
        return;
    }
    let mut shell = Typing::new("fish", "HOOK\n");
    shell.runs("echo once >> count");
    assert_eq!(shell.read("count"), "once\n");
    shell.runs("false\recho $status > status");
    assert_eq!(shell.read("status").trim(), "1");
    shell.terminal.send("rm keep; and touch after\r");
    shell.terminal.until("a refusal", |text| text.contains(super::REFUSED));
    std::thread::sleep(std::time::Duration::from_millis(200));
    shell.unharmed("a refusal");
}
