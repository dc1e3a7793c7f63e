//! fish.

use super::rows::FISH;
use super::{POLICY, Typing, missing, pause};
use crate::support::{Scratch, program};

#[test]
fn a_simple_redirection_does_not_open() {
    FISH.refused(&["rm keep > keep2", "rm keep >> out"]);
}

#[test]
fn a_compound_redirection_does_not_open() {
    FISH.refused(&[
        "begin; rm keep; end > keep2",
        "while rm keep; true; end > keep2",
        "for i in 1 2; rm keep; end > keep2",
    ]);
}

#[test]
fn what_follows_a_refusal_does_not_run() {
    FISH.refused(&[
        "rm keep; and touch after",
        "rm keep && touch after",
        "rm keep; or touch after",
        "touch after; rm keep",
        "rm keep; touch after",
        "if rm keep; touch after; end",
        "not rm keep",
    ]);
}

#[test]
fn a_pipeline_does_not_start() {
    FISH.refused(&["rm keep | tee out", "echo x | tee out | rm keep", "rm keep | cat > out"]);
}

#[test]
fn subshells_substitutions_and_the_background() {
    FISH.refused(&["echo (rm keep)", "set x (rm keep)", "cat (rm keep | psub)", "rm keep &"]);
}

#[test]
fn functions_of_the_line() {
    FISH.refused(&["function f; rm keep; end; f; touch after"]);
}

#[test]
fn functions_of_the_session() {
    FISH.functions_of_the_session_are_judged();
}

#[test]
fn functions_that_cannot_be_read() {
    FISH.a_function_that_cannot_be_read_is_not_asked_about(
        "function own; eval (printf true); no-such-program-here; true; end",
    );
}

#[test]
fn a_warned_line_runs_once() {
    FISH.a_warned_line_runs_once();
}

#[test]
fn one_start_for_a_line_and_none_for_an_empty_one() {
    FISH.the_guard_starts_once_for_a_line_and_never_for_none();
}

#[test]
fn three_hundred_refusals_and_no_leak() {
    FISH.three_hundred_refusals_and_no_leak();
}

#[test]
fn vi_mode() {
    FISH.vi_mode();
}

#[test]
fn edit_brings_the_line_back() {
    if crate::support::no_person_here() {
        return;
    }
    FISH.a_line_comes_back_to_be_edited();
}

#[test]
fn the_safer_form_comes_onto_the_line() {
    if crate::support::no_person_here() {
        return;
    }
    FISH.the_safer_form_comes_onto_the_line();
}

#[test]
fn a_guard_that_is_gone_lets_people_work() {
    FISH.a_guard_that_is_gone_is_said_once_and_lets_people_work();
}

#[test]
fn doctor_tells_what_is_covered() {
    FISH.doctor_tells_what_is_covered("fish: what Enter accepts is judged");
}

#[test]
fn an_allowed_line_runs_once_and_stands_in_history_once() {
    if missing("fish") {
        return;
    }
    let mut shell = FISH.typing();
    shell.runs("echo once >> count");
    assert_eq!(shell.read("count"), "once\n");
    shell.runs("history search --exact 'echo once >> count' > seen");
    assert_eq!(shell.read("seen").matches("echo once >> count").count(), 1);
    shell.runs("false | true | false\recho $status $pipestatus > status");
    assert_eq!(shell.read("status").trim(), "1 1 0 1");
}

#[test]
fn loops_and_texts_of_several_lines() {
    if missing("fish") {
        return;
    }
    for keys in [
        "for i in 1 2\rrm keep\rend\r",
        "begin\rtouch after\rrm keep\rend > keep2\r",
        "echo 'a\rb'; rm keep\r",
        "rm \\\rkeep\r",
    ] {
        let mut shell = FISH.typing();
        shell.terminal.send(keys);
        shell.terminal.until(keys, |text| text.contains(super::REFUSED));
        pause(200);
        shell.unharmed(keys);
    }
}

#[test]
fn abbreviations_are_judged_by_what_they_stand_for() {
    if missing("fish") {
        return;
    }
    let mut shell = FISH.typing();
    shell.runs("abbr -a zap 'rm -rf'");
    shell.refuses("zap keep");
    shell.runs("alias tidy 'rm -rf'");
    shell.refuses("tidy keep");
    // Those that stand anywhere, match a pattern or call a function are expanded when Enter is pressed.
    shell.runs("abbr -a --position anywhere -- K keep");
    shell.refuses("rm K");
    shell.runs("function gone; echo rm keep; end");
    shell.runs("abbr -a gone-away --regex 'x+' --function gone");
    shell.refuses("xx");
    shell.runs("abbr -a --set-cursor -- M 'rm % keep'");
    shell.refuses("M");
}

#[test]
fn aliases_and_functions_with_our_words() {
    if missing("fish") {
        return;
    }
    // Where `functions` says yes to everything, fish's own handler of unknown commands calls itself until the stack is full.
    let own = "function fish_command_not_found; end\n\
        function contains; return 1; end\nfunction printf; end\nfunction commandline; end\nfunction functions; end\n\
        function recourse; end\nfunction math; echo 99; end\n";
    for start in [format!("{own}HOOK"), format!("HOOK\n{own}")] {
        let mut shell = Typing::new("fish", &start);
        shell.refuses("rm keep; and touch after");
    }
}

#[test]
fn what_the_session_holds_is_told() {
    if missing("fish") {
        return;
    }
    let mut shell = FISH.typing();
    shell.runs("set -g F keep");
    shell.refuses("rm $F");
    shell.refuses("set G keep; rm $G");
    // Whatever stands around it, and where it is set all the same.
    shell.runs("set -g F fine");
    shell.runs("touch fine; set G fine; rm $G");
    assert_eq!(shell.said("Your decision"), 0, "{}", shell.terminal.text());
    for (at, line) in
        ["set F keep | true; rm $F", "echo (set F keep); rm $F", "string match -rq '(?<F>keep)' keep; rm $F"]
            .into_iter()
            .enumerate()
    {
        shell.terminal.send(&format!("{line}\r"));
        shell.terminal.expect_count("Your decision", at + 1);
        shell.terminal.send("\r");
        shell.clears();
        shell.unharmed(line);
    }
    shell.runs("function one; rm keep; end");
    shell.runs("functions -c one two");
    shell.refuses("two");
    shell.refuses("functions -c one three; three");
}

#[test]
fn texts_that_are_run() {
    FISH.refused(&[
        "echo rm keep | source",
        "echo rm keep | source -",
        "eval rm keep",
        "eval 'begin; rm keep; end'",
        "echo keep | read -l name; rm $name",
        "function fish_prompt; rm keep; end",
        "bind \\ct 'rm keep'",
        "bind \\ct \"sh -c 'rm keep'\"",
        "bind \\ct 'commandline -r \"rm keep\"; commandline -f execute'",
        "function keys; bind \\ct 'rm keep'; end; set -g fish_key_bindings keys",
        "complete -c zz -a '(rm keep)'",
        "complete -c zz -fan 'rm keep' -n 'rm keep'",
        "function later; rm keep; end; abbr -a K --function later",
    ]);
}

#[test]
fn a_guard_that_hangs_is_given_up() {
    FISH.a_look_that_does_not_end_is_given_up();
    FISH.a_guard_that_gives_no_sign_is_given_up();
}

#[test]
fn what_history_leaves_out_is_judged_all_the_same() {
    if missing("fish") {
        return;
    }
    let mut shell = FISH.typing();
    shell.refuses(" rm keep; and touch after");
    shell.refuses("rm keep; and touch after");
    shell.refuses("rm keep; and touch after");
    shell.runs(" echo secret >> count");
    shell.runs("echo twice >> count\recho twice >> count");
    assert_eq!(shell.read("count"), "secret\ntwice\ntwice\n");
    shell.runs("set -g fish_history ''");
    shell.refuses("rm keep; and touch after");
}

#[test]
fn interrupts_trapped_or_ignored() {
    if missing("fish") {
        return;
    }
    let mut shell = FISH.typing();
    shell.runs("function on_int --on-signal INT; touch handled; end");
    shell.refuses("rm keep; and touch after");
    shell.refuses("begin; rm keep; end > keep2");
}

#[test]
fn what_others_hooked_goes_on_working() {
    if missing("fish") {
        return;
    }
    let others = "function others_exec --on-event fish_preexec; echo $argv >> executed; end\n\
        function others_prompt --on-event fish_prompt; echo p >> prompts; end\n\
        function others_post --on-event fish_postexec; echo $status >> status; end";
    for start in [format!("{others}\nHOOK"), format!("HOOK\n{others}")] {
        let mut shell = Typing::new("fish", &start);
        shell.refuses("rm keep; and touch after");
        shell.runs("echo x >> count");
        shell.runs("sh -c 'exit 7'");
        assert_eq!(shell.read("count"), "x\n");
        assert!(shell.read("executed").contains("echo x >> count") && shell.read("prompts").contains('p'));
        assert!(shell.read("status").lines().any(|line| line == "7"), "{}", shell.read("status"));
        assert!(!shell.read("executed").contains("rm keep"), "a refused line was never executed");
    }
}

#[test]
fn enter_in_every_mode_of_vi() {
    if missing("fish") {
        return;
    }
    let mut shell = Typing::new("fish", "fish_vi_key_bindings\nHOOK");
    shell.vi = true;
    for mode in ["v", "R"] {
        shell.terminal.send("rm keep; and touch after");
        pause(200);
        shell.terminal.send("\u{1b}");
        pause(700);
        shell.terminal.send(mode);
        pause(200);
        shell.refuses_keys("\r");
    }
}

#[test]
fn what_another_key_executes_is_said() {
    if missing("fish") {
        return;
    }
    let mut shell = Typing::new("fish", "HOOK\nbind \\cg 'commandline -f execute'");
    shell.terminal.send("echo x >> count\u{7}");
    shell.terminal.expect("was not accepted with Enter and was not judged");
    shell.settled();
    assert_eq!(shell.read("count"), "x\n");
}

#[test]
fn a_hook_that_is_taken_apart_is_said() {
    if missing("fish") {
        return;
    }
    for line in ["bind \\r execute", "bind \\r 'commandline -f execute'"] {
        let mut shell = FISH.typing();
        shell.runs(line);
        shell.terminal.expect("Enter is bound to something else");
    }
    let mut shell = FISH.typing();
    shell.runs("functions -e __recourse_enter");
    shell.terminal.expect("takes recourse's hook out");
    shell.runs("touch works");
    assert!(crate::support::exists(&shell.path("works")));
}

#[test]
fn a_shell_that_is_not_interactive_claims_nothing() {
    if missing("fish") {
        return;
    }
    let scratch = Scratch::with_policy(POLICY);
    let text = format!("{} init fish | source; set -q RECOURSE_SHELL_HOOK; or echo none", program());
    let output = std::process::Command::new("fish")
        .args(["--no-config", "-c", &text])
        .env("HOME", scratch.root().join("home"))
        .current_dir(scratch.work())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "none");
    assert!(output.stderr.is_empty());
}

#[test]
fn the_status_after_a_refusal() {
    if missing("fish") {
        return;
    }
    let mut shell = FISH.typing();
    shell.terminal.send("sh -c 'exit 7'\rrm keep; and touch after\r");
    shell.terminal.expect(super::REFUSED);
    pause(600);
    // The line stands there again.
    shell.terminal.send("\u{1}echo $status > after-refusal; \u{5}2\r");
    shell.terminal.expect(super::REFUSED);
    pause(600);
    shell.terminal.send("\u{15}echo $status > after-refusal\r");
    shell.settled();
    assert_eq!(shell.read("after-refusal").trim(), "130", "{}", shell.terminal.text());
    // And nothing of this in history.
    shell.runs("count (builtin history search -c -- \u{2060}) > found");
    assert_eq!(shell.read("found").trim(), "0", "{}", shell.terminal.text());
}

#[test]
fn an_answer_to_read_is_no_command() {
    if missing("fish") {
        return;
    }
    let mut shell = FISH.typing();
    shell.terminal.send("read answer\r");
    pause(600);
    shell.terminal.send("rm keep\r");
    pause(300);
    shell.runs("echo $answer > answered");
    assert_eq!(shell.read("answered").trim(), "rm keep", "{}", shell.terminal.text());
}

#[test]
fn a_line_with_completions_below_it_is_judged() {
    if missing("fish") {
        return;
    }
    let mut shell = FISH.typing();
    shell.terminal.send("rm kee\t");
    pause(600);
    shell.refuses_keys("\r");
}

#[test]
fn an_undo_of_an_older_line_is_asked_about() {
    FISH.undo_tells_an_older_line();
}
