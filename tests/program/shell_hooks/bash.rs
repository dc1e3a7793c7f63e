//! bash 4.4 and later, and what is left of it without PS0.

use std::process::Command;

use super::rows::BASH;
use super::{POLICY, REFUSED, Typing, pause};
use crate::support::{Scratch, exists, program};

const PLAIN: &str = "PS1='> '\nHOOK\n";

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
fn without_history_lines_are_judged_whole() {
    for (start, off) in [
        ("PS1='> '\nHOOK\n", "set +o history"),
        ("PS1='> '\nset -o vi\nHOOK\n", "set +o history"),
        ("PS1='> '\nHISTSIZE=0\nreadonly HISTSIZE\nHOOK\n", "true"),
    ] {
        let mut shell = Typing::new("bash", start);
        shell.runs(off);
        shell.refuses("rm keep && touch after");
        shell.refuses("rm keep; touch after");
        shell.refuses("{ rm keep; } > keep2");
        shell.refuses("{ echo x; } > keep2");
        shell.refuses("for i in 1 2; do\recho $i\rdone > keep2");
        // vi has no such key.
        if !start.contains("vi") {
            shell.refuses_keys("{ rm keep; } > keep2\u{f}");
        }
        shell.runs("for i in 1 2; do\recho $i >> count\rdone");
        assert_eq!(shell.read("count"), "1\n2\n");
        assert_eq!(shell.said("is not in history"), 0, "{}", shell.terminal.text());
        shell.runs("set -o history");
        shell.refuses("{ rm keep; } > keep2");
    }
}

#[test]
fn without_history_and_with_other_keys_commands_are_judged_one_by_one_and_that_is_said() {
    // The key is bound again, and its line is not handed over.
    let mut shell = Typing::new("bash", PLAIN);
    shell.runs("set +o history");
    shell.runs("bind '\"\\C-m\": accept-line'");
    shell.refuses("rm keep && touch after");
    shell.refuses("rm keep; touch after");
    assert_eq!(shell.said("is not in history"), 1);
}

#[test]
fn the_status_after_a_refusal() {
    BASH.the_status_after_a_refusal_is_130();
}

#[test]
fn a_restricted_shell() {
    let mut shell = Typing::new("bash", "PS1='> '\nHOOK\nset -r");
    shell.terminal.expect("a restricted shell starts nothing that is not on PATH: lines are not judged");
    shell.runs("touch ran");
    assert_eq!(shell.said("recourse:"), 1, "{}", shell.terminal.text());
    assert_eq!(shell.said("restricted"), 1, "{}", shell.terminal.text());
    let folder = std::path::Path::new(program()).parent().unwrap().display().to_string();
    let mut shell = Typing::new("bash", &format!("PS1='> '\nPATH={folder}:$PATH\nHOOK\nset -r"));
    shell.refuses("rm keep && touch after");
    shell.runs("touch ran");
    assert!(exists(&shell.path("ran")));
    assert_eq!(shell.said("restricted"), 0, "{}", shell.terminal.text());
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
fn a_shell_that_is_not_interactive_claims_nothing() {
    let scratch = Scratch::with_policy(POLICY);
    let text = format!("eval \"$({} init bash)\"; echo \"${{RECOURSE_SHELL_HOOK-none}}\"; trap", program());
    let output = Command::new("bash").arg("-c").arg(text).current_dir(scratch.work()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "none");
    assert!(output.stderr.is_empty());
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
}

#[test]
fn a_simple_redirection_does_not_open() {
    BASH.refused(&["rm keep > keep2", "rm keep >> out", "<> keep echo x >&0"]);
}

#[test]
fn a_compound_redirection_does_not_open() {
    BASH.refused(&["{ rm keep; } > keep2", "while rm keep; do :; done > keep2", "( rm keep ) > keep2"]);
}

#[test]
fn what_follows_a_refusal_does_not_run() {
    BASH.refused(&[
        "rm keep && touch after",
        "rm keep || touch after",
        "touch after; rm keep",
        "rm keep; touch after",
        "if rm keep; then touch after; fi",
        "! rm keep",
    ]);
}

#[test]
fn a_pipeline_does_not_start() {
    BASH.refused(&["rm keep | tee out", "echo x | tee out | rm keep", "rm keep | cat > out"]);
}

#[test]
fn subshells_substitutions_and_the_background() {
    BASH.refused(&["( rm keep )", "x=$(rm keep)", "cat <(rm keep)", "rm keep &", "coproc rm keep"]);
}

#[test]
fn loops_and_texts_of_several_lines() {
    BASH.refused(&[
        "for i in 1 2; do\rrm keep\rdone",
        "bash <<X\rrm keep\rX",
        "rm \\\rkeep",
        "touch after && {\rrm keep\r}",
    ]);
}

#[test]
fn functions_of_the_line() {
    BASH.refused(&["f() { rm keep; }; f; touch after", "f() {\rrm keep\r}\rtouch fine\rf"]);
}

#[test]
fn functions_of_the_session() {
    BASH.functions_of_the_session_are_judged();
}

#[test]
fn functions_that_cannot_be_read() {
    BASH.a_function_that_cannot_be_read_is_not_asked_about(
        "own() { eval \"$(printf true)\"; $(echo true); no-such-program-here; true; }",
    );
}

#[test]
fn a_warned_line_runs_once() {
    BASH.a_warned_line_runs_once();
}

#[test]
fn one_start_for_a_line_and_none_for_an_empty_one() {
    BASH.the_guard_starts_once_for_a_line_and_never_for_none();
}

#[test]
fn three_hundred_refusals_and_no_leak() {
    BASH.three_hundred_refusals_and_no_leak();
}

#[test]
fn vi_mode() {
    BASH.vi_mode();
}

#[test]
fn edit_brings_the_line_back() {
    if crate::support::no_person_here() {
        return;
    }
    BASH.a_line_comes_back_to_be_edited();
}

#[test]
fn the_safer_form_comes_onto_the_line() {
    if crate::support::no_person_here() {
        return;
    }
    BASH.the_safer_form_comes_onto_the_line();
}

#[test]
fn a_guard_that_is_gone_lets_people_work() {
    BASH.a_guard_that_is_gone_is_said_once_and_lets_people_work();
}

#[test]
fn doctor_tells_what_is_covered() {
    BASH.doctor_tells_what_is_covered("bash: every line typed here is judged before it runs");
}

#[test]
fn interrupts_trapped_or_ignored() {
    for trap in ["trap '' INT", "trap 'touch handled' INT"] {
        let mut shell = BASH.typing();
        shell.runs(trap);
        for line in [
            "rm keep && touch after",
            "( rm keep )",
            "rm keep | tee out",
            "if rm keep; then touch after; fi",
            // Their redirections would take place before a trap could stop them.
            "{ rm keep; } > keep2",
            "while rm keep; do :; done > keep2",
            "for i in 1 2; do\rrm keep\rdone > keep2",
        ] {
            shell.refuses(line);
        }
        shell.runs("trap -p INT > traps; echo $- > flags; shopt extdebug >> flags");
        assert!(shell.read("traps").contains("INT"), "the trap is still there");
        let flags = shell.read("flags");
        assert!(!flags.contains('T') && flags.contains("off"), "{flags}");
    }
}

#[test]
fn history_expansion() {
    let mut shell = BASH.typing();
    shell.terminal.send("rm keep && touch after\r");
    shell.terminal.expect_count(REFUSED, 1);
    pause(200);
    shell.refuses("!!");
    shell.refuses("!rm");
    shell.runs("echo keep > name");
    shell.refuses("rm !#:0\u{8}\u{8}\u{8}\u{8}keep");
}

#[test]
fn accept_and_go_to_the_next() {
    // Ctrl-O accepts the line and brings the one after it in history.
    let mut shell = BASH.typing();
    shell.refuses_keys("rm keep && touch after\u{f}");
    shell.refuses_keys("{ rm keep; } > keep2\u{f}");
}

#[test]
fn a_hook_that_is_taken_apart_is_said() {
    let mut shell = BASH.typing();
    // These come back by themselves.
    shell.runs("PS0=");
    shell.refuses("rm keep && touch after");
    shell.runs("trap - DEBUG");
    shell.runs("unset PS0");
    shell.refuses("rm keep; touch after");
    assert_eq!(shell.said("takes recourse's hook out"), 0, "{}", shell.terminal.text());
    // What keeps what was there takes nothing away.
    shell.runs("PROMPT_COMMAND=\"true;$PROMPT_COMMAND\"");
    shell.runs("PROMPT_COMMAND+=';true'");
    assert_eq!(shell.said("takes recourse's hook out"), 0, "{}", shell.terminal.text());
    // Nor does another value by itself: the next line is judged all the same, and puts it back.
    shell.runs("HISTCONTROL=ignoreboth");
    for line in ["unset PROMPT_COMMAND", "PROMPT_COMMAND='history -a'", "PROMPT_COMMAND=(true true)"] {
        shell.runs(line);
        shell.refuses(" rm keep; touch after");
        shell.refuses("rm keep; touch after");
    }
    assert_eq!(shell.said("takes recourse's hook out"), 0, "{}", shell.terminal.text());
    for line in [
        "unset PROMPT_COMMAND PS0",
        "PS0=x; PROMPT_COMMAND='history -a'",
        "PROMPT_COMMAND=; trap - DEBUG",
        "trap true DEBUG; unset PROMPT_COMMAND",
        "shopt -u promptvars",
        "unset -f __recourse_guard",
    ] {
        let mut shell = BASH.typing();
        shell.runs(line);
        shell.terminal.expect("takes recourse's hook out");
    }
}

#[test]
fn careful_shells_stay_as_they_are() {
    // `set -u` and friends of the user must not trip over the hook.
    let mut shell = Typing::new("bash", "PS1='> '\nset -u\nset -o pipefail\nIFS=,\nHOOK\nset -f");
    shell.refuses("rm keep && touch after");
    shell.runs("echo \"$-\" > flags; printf '%s' \"$IFS\" > ifs");
    assert!(shell.read("flags").contains('u') && shell.read("flags").contains('f'));
    assert_eq!(shell.read("ifs"), ",");
    assert_eq!(shell.said("unbound"), 0, "{}", shell.terminal.text());
    // With `set -e` a refusal does not end the shell.
    let mut shell = BASH.typing();
    shell.runs("set -e");
    shell.refuses("rm keep && touch after");
    shell.refuses("rm keep; touch after");
    shell.runs("echo \"$-\" > flags");
    assert!(shell.read("flags").contains('e'), "{}", shell.terminal.text());
}

#[test]
fn without_an_answering_terminal_the_text_is_one_up_away() {
    if crate::support::no_person_here() {
        return;
    }
    let scratch =
        Scratch::with_policy("[[rule]]\nverdict = \"escalate\"\ntarget = \"**/asked\"\nmessage = \"look\"\n");
    scratch.file("asked", "precious");
    let mut shell = Typing::in_scratch(scratch, "bash", "PS1='> '\nHOOK", program());
    shell.terminal.send("rm asked\r");
    shell.terminal.expect("Your decision");
    pause(100);
    shell.terminal.send("e");
    shell.terminal.expect("one Up away");
    pause(400);
    shell.terminal.send("\u{1b}[A-not\r");
    shell.terminal.expect("rm asked-not");
    shell.settled();
    assert_eq!(shell.read("asked"), "precious");
}

#[test]
fn prompt_commands_set_later_do_not_turn_it_off() {
    for after in ["PROMPT_COMMAND='history -a'", "unset PROMPT_COMMAND", "PROMPT_COMMAND="] {
        let mut shell = Typing::new("bash", &format!("PS1='> '\nHOOK\n{after}"));
        shell.refuses("rm keep && touch after");
        shell.refuses("{ rm keep; } > keep2");
        shell.runs("PROMPT_COMMAND=true");
        shell.refuses("rm keep; touch after");
    }
}

#[test]
fn what_runs_without_a_line_is_judged() {
    let start = "PS1='> '\nprintf '#!/bin/sh\\necho rm keep > \"$1\"\\n' > ed\nchmod +x ed\nexport VISUAL=$PWD/ed EDITOR=$PWD/ed\nHOOK\nbind -x '\"\\C-t\": rm keep'";
    let mut shell = Typing::new("bash", start);
    shell.refuses_keys("x\u{18}\u{5}");
    shell.refuses_keys("\u{14}");
    // A key that completes runs it.
    shell.refuses("complete -W '$(rm keep)' zz");
    shell.refuses("gone() { rm keep; }; complete -o default -F gone zz; complete -C 'rm keep' zz");
    shell.refuses("PROMPT_COMMAND+=(\"rm keep\")");
    shell.runs("true");
    shell.unharmed("what was added to the prompt's commands");
}

#[test]
fn posix_mode_and_any_separator() {
    let mut shell = BASH.typing();
    shell.runs("set -o posix");
    shell.refuses("rm keep && touch after");
    for separators in ["-", "0123456789", "abcdefghijklmnopqrstuvwxyz", ""] {
        let mut shell = Typing::new("bash", &format!("PS1='> '\nHOOK\nIFS='{separators}'"));
        shell.refuses("rm keep && touch after");
        shell.runs("touch fine");
        assert_eq!(shell.said("the guard"), 0, "{separators}: {}", shell.terminal.text());
    }
}

#[test]
fn aliases_and_functions_with_our_words() {
    for own in [
        "alias kill='kill -9' local=echo trap=true set=true return=true printf=no shopt=false",
        "kill() { :; }; printf() { :; }; wait() { :; }; trap() { :; }; shopt() { :; }; history() { :; }",
    ] {
        let mut shell = Typing::new("bash", &format!("PS1='> '\n{own}\nHOOK"));
        shell.refuses("rm keep && touch after");
        shell.refuses("rm keep && touch after");
    }
    // Everything in the hook is called through `builtin`.
    for own in ["builtin() { :; }", "builtin() { command \"$@\"; }"] {
        let mut shell = BASH.typing();
        shell.runs(own);
        shell.refuses("rm keep && touch after");
        shell.runs("touch fine");
        assert!(exists(&shell.path("fine")), "{}", shell.terminal.text());
    }
}

#[test]
fn history_settings_that_cannot_be_lifted() {
    for set in
        ["readonly HISTCONTROL=ignoreboth", "readonly HISTIGNORE='rm*'", "HISTSIZE=00", "enable -n history"]
    {
        let mut shell = Typing::new("bash", &format!("PS1='> '\n{set}\nHOOK"));
        shell.refuses(" rm keep && touch after");
        assert_eq!(shell.said("readonly variable"), 0, "{set}: {}", shell.terminal.text());
    }
}

#[test]
fn what_the_session_holds_is_told() {
    let mut shell = BASH.typing();
    shell.runs("set -- keep");
    shell.refuses("rm $1");
    shell.runs("F=keep");
    shell.refuses("rm $F");
    shell.runs("shopt -s nocaseglob");
    shell.refuses("rm KEE*");
    shell.runs("echo x > other; F=other");
    shell.runs("cp $F copied");
    assert_eq!(shell.read("copied"), "x\n", "{}", shell.terminal.text());
}

#[test]
fn the_rest_of_a_paste_does_not_run() {
    let mut shell = BASH.typing();
    shell.refuses_keys("true\rrm keep\rtouch after\r");
    // As terminals bracket it.
    shell.terminal.send("\u{1b}[200~true\nrm keep\ntouch after\u{1b}[201~");
    pause(100);
    shell.refuses_keys("\r");
    shell.runs("echo x >> count");
    assert_eq!(shell.read("count"), "x\n");
}

#[test]
fn a_guard_that_hangs_is_given_up() {
    BASH.a_look_that_does_not_end_is_given_up();
    BASH.a_guard_that_gives_no_sign_is_given_up();
}

#[test]
fn an_undo_of_an_older_line_is_asked_about() {
    BASH.undo_tells_an_older_line();
}
