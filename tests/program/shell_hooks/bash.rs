//! bash 4.4 and later, and what is left of it without PS0.

use std::fs;
use std::process::Command;

use super::{POLICY, Typing, missing};
use crate::support::{Scratch, program};

const PLAIN: &str = "PS1='> '\nHOOK\n";

#[test]
fn a_refused_line_has_no_effect_at_all() {
    let mut shell = Typing::new("bash", PLAIN);
    for line in [
        "rm keep && touch after",
        "touch after; rm keep",
        "rm keep; touch after",
        "if rm keep; then touch after; fi",
        "rm keep | tee out",
        "{ rm keep; } > keep2",
        "while rm keep; do :; done > keep2",
        "( rm keep )",
        "x=$(rm keep)",
        "rm keep &",
        "f() { rm keep; }; f; touch after",
        "! rm keep",
        "bash <<X\rrm keep\rX",
        "for i in 1 2; do\rrm keep\rdone",
        "rm \\\rkeep",
    ] {
        shell.refuses(line);
    }
    assert_eq!(shell.said("recourse: the guard"), 0);
}

#[test]
fn an_allowed_line_runs_once_and_stands_in_history_once() {
    let mut shell = Typing::new("bash", PLAIN);
    shell.runs("echo once >> count");
    shell.runs("history > seen");
    assert_eq!(shell.read("count"), "once\n");
    assert_eq!(shell.read("seen").matches("echo once >> count").count(), 1);
    shell.runs("(exit 3) | true | (exit 4)\recho \"$? ${PIPESTATUS[*]}\" > status");
    assert_eq!(shell.read("status").trim(), "4 3 0 4");
    shell.runs("echo one two\recho \"$_\" > last");
    assert_eq!(shell.read("last").trim(), "two");
}

#[test]
fn what_history_leaves_out_is_judged_all_the_same() {
    let mut shell = Typing::new("bash", "PS1='> '\nHISTCONTROL=ignoreboth\nHOOK\n");
    shell.refuses(" rm keep && touch after");
    shell.refuses("rm keep && touch after");
    shell.refuses("rm keep && touch after");
    shell.refuses("!rm");
    shell.runs(" echo secret >> count");
    shell.runs("echo twice >> count\recho twice >> count");
    assert_eq!(shell.read("count"), "secret\ntwice\ntwice\n");
    shell.runs("echo \"$HISTCONTROL\" > control; history > seen");
    assert_eq!(shell.read("control").trim(), "ignoreboth");
    let seen = shell.read("seen");
    assert!(!seen.contains("secret") && !seen.contains("   rm keep"), "{seen}");
    assert_eq!(seen.matches("echo twice").count(), 1, "{seen}");
}

#[test]
fn patterns_of_histignore_hide_nothing_from_the_guard() {
    let mut shell = Typing::new("bash", "PS1='> '\nHISTIGNORE='rm*:secret*:ls'\nHOOK\n");
    shell.refuses("rm keep && touch after");
    shell.runs("secret() { echo s >> count; }");
    shell.runs("secret");
    shell.runs("echo \"$HISTIGNORE\" > ignore; history > seen");
    assert_eq!(shell.read("count"), "s\n");
    assert_eq!(shell.read("ignore").trim(), "rm*:secret*:ls");
    let seen = shell.read("seen");
    assert!(!seen.contains("secret") && !seen.contains("  rm keep"), "{seen}");
}

#[test]
fn without_history_the_commands_are_judged_one_by_one_and_that_is_said() {
    let mut shell = Typing::new("bash", PLAIN);
    shell.runs("set +o history");
    shell.refuses("rm keep && touch after");
    shell.refuses("rm keep; touch after");
    assert_eq!(shell.said("is not in history"), 1);
}

#[test]
fn a_trapped_or_ignored_interrupt_does_not_let_it_through() {
    for trap in ["trap '' INT", "trap 'touch handled' INT"] {
        let mut shell = Typing::new("bash", PLAIN);
        shell.runs(trap);
        for line in [
            "rm keep && touch after",
            "( rm keep )",
            "rm keep | tee out",
            "if rm keep; then touch after; fi",
            "for i in 1 2; do rm keep; done",
        ] {
            shell.refuses(line);
        }
        shell.runs("trap -p INT > traps");
        assert!(shell.read("traps").contains("INT"), "the trap is still there");
        assert_eq!(shell.said("INT is trapped or ignored"), 1);
        shell.runs("trap - INT");
        shell.runs("echo $- > flags; shopt extdebug >> flags");
        let flags = shell.read("flags");
        assert!(!flags.contains('T') && flags.contains("off"), "{flags}");
    }
}

#[test]
fn what_others_hooked_goes_on_working() {
    let start = "PS1='> '\ntrap 'echo d >> debug' DEBUG\nPROMPT_COMMAND='echo $? >> prompts'\nPS0='$(echo 0 >> zeroes)'\nset -o vi\nHOOK\n";
    let mut shell = Typing::new("bash", start);
    shell.refuses("rm keep && touch after");
    shell.runs("echo x >> count");
    shell.runs("(exit 7)");
    assert_eq!(shell.read("count"), "x\n");
    assert!(shell.read("debug").lines().count() >= 2);
    assert!(shell.read("prompts").lines().any(|line| line == "7"), "{}", shell.read("prompts"));
    assert!(shell.read("zeroes").lines().count() >= 2);
    shell.refuses("rm keep && touch after");
}

#[test]
fn a_hook_that_loads_later_and_puts_itself_first_changes_nothing() {
    // As bash-preexec does at its first prompt: a DEBUG trap of its own, first in PROMPT_COMMAND.
    let start = "PS1='> '\nHOOK\nlate_debug() { echo d >> debug; }\nlate_prompt() { echo p >> prompts; }\n\
        late_install() { trap 'late_debug \"$_\"' DEBUG; PROMPT_COMMAND=\"late_prompt;${PROMPT_COMMAND//late_install/:}\"; }\n\
        PROMPT_COMMAND+=$'\\n'late_install\n";
    let mut shell = Typing::new("bash", start);
    shell.refuses("rm keep && touch after");
    shell.runs("trap '' INT");
    shell.refuses("rm keep && touch after");
    shell.runs("echo x >> count");
    assert_eq!(shell.read("count"), "x\n");
    assert!(shell.read("debug").contains('d') && shell.read("prompts").contains('p'));
}

#[test]
fn three_hundred_refusals_and_no_leak() {
    let mut shell = Typing::new("bash", PLAIN);
    for _ in 0..300 {
        shell.refused += 1;
        let count = shell.refused;
        shell.terminal.send("rm keep && touch after\r");
        shell.terminal.until("a refusal", |text| text.matches(super::REFUSED).count() >= count);
    }
    shell.settled();
    shell.unharmed("300 times");
    shell.runs("echo x >> count");
    assert_eq!(shell.read("count"), "x\n");
}

#[test]
fn a_shell_that_is_not_interactive_claims_nothing() {
    let scratch = Scratch::with_policy(POLICY);
    let text = format!("eval \"$({} init bash)\"; echo \"${{RECOURSE_SHELL_HOOK-none}}\"; trap", program());
    let output = Command::new("bash").arg("-c").arg(text).current_dir(scratch.work()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "none");
    assert!(output.stderr.is_empty());
}

#[test]
fn a_guard_that_is_gone_is_said_once_and_lets_people_work() {
    for (strict, runs) in [("", true), ("export RECOURSE_SHELL_STRICT=1\n", false)] {
        let scratch = Scratch::with_policy(POLICY);
        scratch.file("keep", "precious");
        let binary = scratch.root().join("it's recourse");
        fs::copy(program(), &binary).unwrap();
        let start = format!("PS1='> '\n{strict}eval \"$(\"{0}\" init bash)\"\n", binary.display());
        let mut shell = Typing::in_scratch(scratch, "bash", &start, "");
        fs::remove_file(&binary).unwrap();
        shell.terminal.send("touch ran-1\r");
        shell.terminal.until("the warning", |text| text.contains("the guard failed"));
        if runs {
            shell.runs("touch ran-2");
        } else {
            shell.terminal.send("touch ran-2\r");
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
        assert_eq!(crate::support::exists(&shell.path("ran-2")), runs);
        assert_eq!(shell.said("the guard failed"), 1);
    }
}

#[test]
fn without_ps0_simple_commands_are_still_stopped() {
    // What bash before 4.4 gets, tried in the bash that is here.
    let output = Command::new(program()).args(["init", "bash"]).output().unwrap();
    let old = String::from_utf8(output.stdout).unwrap().replace(">= 404", ">= 9999");
    let mut shell = Typing::new("bash", &format!("PS1='> '\n{old}\n"));
    shell.refuses("rm keep && touch after");
    shell.refuses("rm keep; touch after");
    shell.refuses("for i in 1 2; do rm keep; done");
    shell.runs("echo x >> count");
    assert_eq!(shell.read("count"), "x\n");
    assert_eq!(shell.said("are not covered"), 1);
}

#[test]
fn aliases_are_judged_by_what_they_stand_for() {
    let mut shell = Typing::new("bash", PLAIN);
    shell.runs("alias zap='rm -rf' say='echo'");
    shell.refuses("zap keep");
    shell.runs("say hello > count");
    assert_eq!(shell.read("count"), "hello\n");
    assert!(!missing("bash"));
}
