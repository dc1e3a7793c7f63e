//! zsh.

use std::path::Path;

use super::rows::ZSH;
use super::{Typing, missing, pause};
use crate::support::Scratch;

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
            crate::support::skipped(&format!("{plugin} is not installed"));
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
fn a_simple_redirection_does_not_open() {
    ZSH.refused(&["rm keep > keep2", "rm keep >> out", "<> keep echo x >&0"]);
}

#[test]
fn a_compound_redirection_does_not_open() {
    ZSH.refused(&["{ rm keep } > keep2", "while rm keep; do :; done > keep2", "( rm keep ) > keep2"]);
}

#[test]
fn what_follows_a_refusal_does_not_run() {
    ZSH.refused(&[
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
    ZSH.refused(&["rm keep | tee out", "echo x | tee out | rm keep", "rm keep | cat > out"]);
}

#[test]
fn subshells_substitutions_and_the_background() {
    ZSH.refused(&[
        "( rm keep )",
        "x=$(rm keep)",
        "cat <(rm keep)",
        "cat =(rm keep)",
        "rm keep &",
        "rm keep &!",
    ]);
}

#[test]
fn functions_of_the_line() {
    ZSH.refused(&["f() { rm keep; }; f; touch after"]);
}

#[test]
fn functions_of_the_session() {
    ZSH.functions_of_the_session_are_judged();
}

#[test]
fn functions_that_cannot_be_read() {
    ZSH.a_function_that_cannot_be_read_is_not_asked_about(
        "own() { eval \"$(print true)\"; $(echo true); no-such-program-here; true }",
    );
}

#[test]
fn a_warned_line_runs_once() {
    ZSH.a_warned_line_runs_once();
}

#[test]
fn one_start_for_a_line_and_none_for_an_empty_one() {
    ZSH.the_guard_starts_once_for_a_line_and_never_for_none();
}

#[test]
fn three_hundred_refusals_and_no_leak() {
    ZSH.three_hundred_refusals_and_no_leak();
}

#[test]
fn vi_mode() {
    ZSH.vi_mode();
}

#[test]
fn edit_brings_the_line_back() {
    if crate::support::no_person_here() {
        return;
    }
    ZSH.a_line_comes_back_to_be_edited();
}

#[test]
fn the_safer_form_comes_onto_the_line() {
    if crate::support::no_person_here() {
        return;
    }
    ZSH.the_safer_form_comes_onto_the_line();
}

#[test]
fn a_guard_that_is_gone_lets_people_work() {
    ZSH.a_guard_that_is_gone_is_said_once_and_lets_people_work();
}

#[test]
fn doctor_tells_what_is_covered() {
    ZSH.doctor_tells_what_is_covered("zsh: every line typed here is judged before it runs");
}

#[test]
fn what_only_zsh_reads_so() {
    // Without INTERACTIVE_COMMENTS `#` begins no comment.
    ZSH.refused(&[
        "echo x #; rm keep",
        "rm keep*(.)",
        "alias zap='rm -rf'; eval 'zap keep'",
        "repeat 2 rm keep",
        "noglob rm keep",
    ]);
}

#[test]
fn aliases_are_judged_by_what_they_stand_for() {
    if missing("zsh") {
        return;
    }
    let mut shell = ZSH.typing();
    shell.runs("alias zap='rm -rf' say=echo");
    shell.refuses("zap keep");
    shell.runs("alias -g K=keep");
    shell.refuses("rm K");
    shell.runs("say hello > count");
    assert_eq!(shell.read("count"), "hello\n");
}

#[test]
fn loops_and_texts_of_several_lines() {
    if missing("zsh") {
        return;
    }
    for keys in [
        "for i in 1 2; do\rrm keep\rdone\r",
        "sh <<X\rrm keep\rX\r",
        "touch after && {\rrm keep\r}\r",
        "rm \\\rkeep\r",
    ] {
        let mut shell = ZSH.typing();
        shell.terminal.send(keys);
        shell.terminal.until(keys, |text| text.contains(super::REFUSED));
        pause(200);
        shell.unharmed(keys);
    }
}

#[test]
fn history_expansion() {
    if missing("zsh") {
        return;
    }
    let mut shell = ZSH.typing();
    shell.terminal.send("rm keep && touch after\r");
    shell.terminal.expect_count(super::REFUSED, 1);
    pause(300);
    shell.refuses("\u{15}!!");
    shell.refuses("!rm");
}

#[test]
fn accept_and_hold() {
    if missing("zsh") {
        return;
    }
    for keys in ["\u{1b}a", "\u{f}", "\u{18}\u{e}"] {
        // Escape-a, Ctrl-O, and accept-and-infer-next-history.
        let start = format!("{}\nbindkey '^X^N' accept-and-infer-next-history", ZSH.start);
        let mut shell = Typing::new("zsh", &start);
        // The last one wants the line in history, and another after it.
        shell.refuses("{ rm keep && touch after } > keep2");
        pause(200);
        shell.terminal.send(&format!("{{ rm keep && touch after }} > keep2{keys}"));
        shell.terminal.expect_count(super::REFUSED, 2);
        pause(200);
        shell.unharmed(keys);
    }
}

#[test]
fn what_history_leaves_out_is_judged_all_the_same() {
    if missing("zsh") {
        return;
    }
    let options = "setopt histignorespace histignoredups\nHISTORY_IGNORE='(rm*|secret*)'\nzshaddhistory() { [[ $1 != rm* ]] }";
    let mut shell = Typing::new("zsh", &ZSH.start.replace("HOOK", &format!("{options}\nHOOK")));
    shell.refuses(" rm keep && touch after");
    shell.refuses("rm keep && touch after");
    shell.refuses("rm keep && touch after");
    shell.runs(" echo secret >> count");
    shell.runs("echo twice >> count\recho twice >> count");
    assert_eq!(shell.read("count"), "secret\ntwice\ntwice\n");
    shell.runs("history 1 > seen");
    assert!(!shell.read("seen").contains("secret >>"), "{}", shell.read("seen"));
    // Without any history.
    shell.runs("HISTSIZE=0; unset HISTFILE");
    shell.refuses("rm keep && touch after");
}

#[test]
fn interrupts_trapped_or_ignored() {
    if missing("zsh") {
        return;
    }
    for trap in ["trap '' INT", "trap 'touch handled' INT", "TRAPINT() { touch handled }"] {
        let mut shell = ZSH.typing();
        shell.runs(trap);
        for line in [
            "rm keep && touch after",
            "{ rm keep } > keep2",
            "rm keep | tee out",
            "while rm keep; do :; done > keep2",
        ] {
            shell.refuses(line);
        }
        assert_eq!(shell.said("INT is trapped or ignored"), 0);
    }
}

#[test]
fn what_others_hooked_goes_on_working() {
    if missing("zsh") {
        return;
    }
    let others = "preexec() { echo \"$1\" >> executed }\nprecmd() { echo $? >> prompts }\nprecmd_functions=(more)\n\
        more() { echo m >> more }\ntrap 'echo d >> debug' DEBUG";
    for start in [
        format!("PS1='> '\n{others}\nHOOK"),
        format!("PS1='> '\nHOOK\n{}", others.replace("functions=(", "functions+=(")),
    ] {
        let mut shell = Typing::new("zsh", &start);
        shell.refuses("rm keep && touch after");
        shell.runs("echo x >> count");
        shell.runs("(exit 7)");
        assert_eq!(shell.read("count"), "x\n");
        assert!(shell.read("executed").contains("echo x >> count"));
        assert!(shell.read("prompts").lines().any(|line| line == "7"), "{}", shell.read("prompts"));
        assert!(shell.read("more").contains('m') && shell.read("debug").contains('d'));
        shell.refuses("rm keep && touch after");
    }
}

#[test]
fn a_hook_that_is_taken_apart_is_said() {
    if missing("zsh") {
        return;
    }
    let mut shell = ZSH.typing();
    for (line, said) in [
        ("precmd_functions+=(true)", 0),
        ("preexec_functions=()", 0),
        ("precmd_functions=()", 0),
        ("unset preexec_functions", 0),
        ("precmd_functions=(true) preexec_functions=()", 1),
    ] {
        shell.runs(line);
        shell.terminal.expect_count("takes recourse's hook out", said);
        assert_eq!(shell.said("takes recourse's hook out"), said, "{line}: {}", shell.terminal.text());
        if said == 0 {
            // It came back with the next prompt, or the next line.
            shell.refuses("rm keep && touch after");
        }
    }
    let mut shell = ZSH.typing();
    shell.runs("unfunction __recourse_guard");
    shell.terminal.expect_count("takes recourse's hook out", 1);
    shell.runs("touch works");
    shell.terminal.expect("was taken apart");
    assert!(crate::support::exists(&shell.path("works")));
}

#[test]
fn careful_shells_stay_as_they_are() {
    if missing("zsh") {
        return;
    }
    let mut shell =
        Typing::new("zsh", "PS1='> '\nHOOK\nsetopt nounset pipefail shwordsplit ksharrays noglob\nIFS=,");
    shell.refuses("rm keep && touch after");
    shell.runs("echo $options[nounset] > flags; printf '%s' \"$IFS\" > ifs");
    assert_eq!(shell.read("ifs"), ",");
    assert_eq!(shell.said("parameter not set"), 0, "{}", shell.terminal.text());
    for emulation in ["sh", "ksh", "-R sh", "csh"] {
        let mut shell = ZSH.typing();
        shell.runs(&format!("emulate {emulation}"));
        shell.refuses("rm keep && touch after");
        assert_eq!(shell.said("bad math"), 0, "{emulation}: {}", shell.terminal.text());
    }
}

#[test]
fn a_shell_that_is_not_interactive_claims_nothing() {
    if missing("zsh") {
        return;
    }
    let scratch = Scratch::with_policy(super::POLICY);
    let text = format!(
        "eval \"$({} init zsh)\"; echo \"${{RECOURSE_SHELL_HOOK-none}}\" $preexec_functions",
        crate::support::program()
    );
    let output = std::process::Command::new("zsh")
        .args(["-f", "-c", &text])
        .current_dir(scratch.work())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "none");
    assert!(output.stderr.is_empty());
}

#[test]
fn aliases_and_functions_with_our_words() {
    if missing("zsh") {
        return;
    }
    for own in [
        "alias kill='kill -9' local=echo typeset=echo trap=true unset=echo setopt=true zle=true",
        "kill() { : }; trap() { : }; zle() { : }; print() { : }",
        "setopt ksharrays shwordsplit noglob nounset; IFS=e",
        "preexec() { typeset -r z=1; z=2 }",
    ] {
        let mut shell = Typing::new("zsh", &format!("PS1='> '\n{own}\nHOOK"));
        shell.refuses("rm keep && touch after");
    }
    for own in ["builtin() { : }", "disable builtin", "disable local emulate trap kill"] {
        let mut shell = ZSH.typing();
        shell.runs(own);
        shell.refuses("rm keep && touch after");
        shell.runs("touch fine");
    }
}

#[test]
fn what_the_session_holds_is_told() {
    if missing("zsh") {
        return;
    }
    let mut shell = ZSH.typing();
    shell.runs("F=keep");
    shell.refuses("rm $F");
    shell.runs("setopt nocaseglob");
    shell.refuses("rm KEE*");
}

#[test]
fn what_zsh_alone_runs() {
    ZSH.refused(&[
        "ls k*(e:'rm keep':)",
        "ls k*(oe{rm keep})",
        "functions[qq]='rm keep'; qq",
        "mapfile[keep]=x",
        "unset 'mapfile[keep]'",
        "zargs -l1 -- keep* -- rm",
        "precmd() { rm keep }",
        "TRAPUSR1() { rm keep }; kill -USR1 $$",
        "chpwd() { rm keep }; cd .",
        "precmd_functions+=(late); late() { rm keep }",
        "zle -N late; late() { rm keep }",
        "add-zsh-hook chpwd late; late() { rm keep }",
        "() { rm $1 } keep",
        "for f (keep) rm $f",
        "for f in keep; { rm $f }",
        "foreach f (keep) rm $f; end",
        "repeat 2 { rm keep }",
        "if [[ -f keep ]] rm keep",
        "while (true) { rm keep }",
        "{ true } always { rm keep }",
        "late() rm keep; late",
        "rm ke(ep|op)",
        "rm (#i)KEEP",
        "source <(echo rm keep)",
    ]);
    if missing("zsh") {
        return;
    }
    let mut shell = ZSH.typing();
    shell.runs("precmd() { : }; chpwd() { print -n '' }");
    shell.runs("for i (1 2) echo $i >> count");
    shell.runs("repeat 2 { echo r >> count }; () { echo $1 >> count } a");
    shell.runs("if [[ -f keep ]] { echo yes >> count } else { echo no >> count }");
    shell.runs("a=(x y); ls *(e:'[[ -f $REPLY ]]':) > /dev/null; print -P '%n' > /dev/null; echo ${PWD:t} > /dev/null");
    assert_eq!(shell.read("count"), "1\n2\nr\nr\na\nyes\n");
    assert_eq!(shell.said("recourse:"), 0, "{}", shell.terminal.text());
}

#[test]
fn the_status_after_a_refusal() {
    ZSH.the_status_after_a_refusal_is_130();
}

#[test]
fn a_restricted_shell() {
    if missing("zsh") {
        return;
    }
    let mut shell = Typing::new("zsh", "PS1='> '\nHOOK\nsetopt restricted");
    shell.terminal.expect("cannot be started in a restricted shell: lines are not judged");
    shell.runs("touch ran");
    assert_eq!(shell.said("recourse:"), 1, "{}", shell.terminal.text());
}

#[test]
fn what_runs_later_is_judged_when_it_is_defined() {
    if missing("zsh") {
        return;
    }
    let mut shell = ZSH.typing();
    shell.runs("zle -N late; bindkey '^G' late; precmd_functions+=(later)");
    shell.refuses("late() { rm keep }");
    shell.refuses("function late { rm keep }");
    shell.refuses("later() { rm keep }");
    shell.runs("other() { rm keep }");
    shell.runs("late() { : }");
    assert_eq!(shell.said("recourse: blocked"), 3, "{}", shell.terminal.text());
}

#[test]
fn what_was_typed_is_shown() {
    if missing("zsh") {
        return;
    }
    let mut shell = ZSH.typing();
    shell.runs("a=(x y)");
    shell.terminal.send("rm $a[2] ${(U)a}\r");
    shell
        .terminal
        .until("the question", |text| text.contains("Your decision") || text.contains("has to decide, and"));
    assert!(shell.said("rm $a[2] ${(U)a}") > 1, "{}", shell.terminal.text());
    assert_eq!(shell.said("_recourse"), 0, "{}", shell.terminal.text());
}

#[test]
fn a_refused_assignment_or_definition_does_not_take_place() {
    if missing("zsh") {
        return;
    }
    let mut shell = ZSH.typing();
    shell.refuses("x=$(rm keep) y=set");
    shell.refuses("precmd() { rm keep }");
    shell.runs("print \"y=$y ${+functions[precmd]} $options[errexit]\" > count");
    assert_eq!(shell.read("count"), "y= 0 off\n");
}

#[test]
fn a_guard_that_hangs_is_given_up() {
    ZSH.a_look_that_does_not_end_is_given_up();
    ZSH.a_guard_that_gives_no_sign_is_given_up();
}

#[test]
fn an_undo_of_an_older_line_is_asked_about() {
    ZSH.undo_tells_an_older_line();
}
