//! zsh.

use std::path::Path;

use super::{Typing, missing};

const PLAIN: &str = "PS1='> '\nHOOK\n";

#[test]
fn a_refused_line_has_no_effect_at_all() {
    if missing("zsh") {
        return;
    }
    let mut shell = Typing::new("zsh", PLAIN);
    for line in [
        "rm keep && touch after",
        "rm keep; touch after",
        "rm keep | tee out",
        "{ rm keep } > keep2",
        "while rm keep; do :; done > keep2",
        "( rm keep )",
        // Without INTERACTIVE_COMMENTS this is no comment.
        "echo x #; rm keep",
        "rm keep*(.)",
    ] {
        shell.refuses(line);
    }
    shell.runs("alias zap='rm -rf'");
    shell.refuses("zap keep");
}

#[test]
fn lines_of_several_lines_and_repeated_lines() {
    if missing("zsh") {
        return;
    }
    for keys in ["for i in 1 2; do\rrm keep\rdone\r", "sh <<X\rrm keep\rX\r", "rm keep && touch after\u{1b}a"]
    {
        let mut shell = Typing::new("zsh", PLAIN);
        shell.refused += 1;
        shell.terminal.send(keys);
        shell.terminal.until(keys, |text| text.contains(super::REFUSED));
        std::thread::sleep(std::time::Duration::from_millis(200));
        shell.unharmed(keys);
    }
    let mut shell = Typing::new("zsh", PLAIN);
    shell.refuses("rm keep");
    shell.refuses("!rm");
}

#[test]
fn an_allowed_line_runs_once_and_stands_in_history_once() {
    if missing("zsh") {
        return;
    }
    let mut shell = Typing::new("zsh", "PS1='> '\nHISTSIZE=100\nHOOK\n");
    shell.runs("echo once >> count");
    shell.runs("history > seen");
    assert_eq!(shell.read("count"), "once\n");
    assert_eq!(shell.read("seen").matches("echo once >> count").count(), 1);
    shell.runs("(exit 3) | true | (exit 4)\recho \"$? $pipestatus\" > status");
    assert_eq!(shell.read("status").trim(), "4 3 0 4");
    shell.runs("print -l *(.) # x > /dev/null");
    shell.runs("ls **/*(om[1])");
    assert_eq!(shell.said("recourse:"), 0, "{}", shell.terminal.text());
}

#[test]
fn vi_mode_and_plugins() {
    if missing("zsh") {
        return;
    }
    let mut start = String::from("PS1='> '\nbindkey -v\n");
    for plugin in ["zsh-autosuggestions", "zsh-syntax-highlighting"] {
        let file = format!("/usr/share/{plugin}/{plugin}.zsh");
        if Path::new(&file).exists() {
            start.push_str(&format!("source {file}\n"));
        } else {
            eprintln!("SKIPPED: {plugin} is not installed");
        }
    }
    start.push_str("HOOK\n");
    let mut shell = Typing::new("zsh", &start);
    shell.vi = true;
    shell.refuses("rm keep && touch after");
    shell.runs("echo x >> count");
    shell.refuses("{ rm keep } > keep2");
    assert_eq!(shell.read("count"), "x\n");
}

#[test]
fn a_trapped_or_ignored_interrupt_does_not_let_it_through() {
    if missing("zsh") {
        return;
    }
    for trap in ["trap '' INT", "trap 'touch handled' INT", "TRAPINT() { touch handled }"] {
        let mut shell = Typing::new("zsh", PLAIN);
        shell.runs(trap);
        for line in ["rm keep && touch after", "{ rm keep } > keep2", "rm keep | tee out"] {
            shell.refuses(line);
        }
        assert_eq!(shell.said("INT is trapped or ignored"), 1);
    }
}
