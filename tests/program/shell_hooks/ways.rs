//! A refusal looks the same whichever way a line came: its status, what is shown of it, and that the next is told as well.

use super::rows::{BASH, ZSH};
use super::{REFUSED, Typing, missing, pause};

/// Types keys that end in a refusal, and tells the status of that.
fn status_after(shell: &mut Typing, keys: &str, clear: &str) -> String {
    let count = shell.said(REFUSED) + 1;
    shell.terminal.send(keys);
    shell.terminal.until(&format!("a refusal of {keys:?}"), |text| text.matches(REFUSED).count() >= count);
    pause(300);
    shell.terminal.send(&format!("{clear}echo $? > status\r"));
    shell.settled();
    shell.unharmed(keys);
    shell.read("status").trim().to_owned()
}

#[test]
fn a_function_preexec_of_zsh_changes_nothing() {
    if missing("zsh") {
        return;
    }
    let own = "preexec() { print -r -- \"[$1]\" >> executed }";
    for start in [format!("PS1='> '\n{own}\nHOOK"), format!("PS1='> '\nHOOK\n{own}")] {
        let mut shell = Typing::new("zsh", &start);
        // What is typed ahead of the prompt stands on the screen before it, too.
        pause(400);
        shell.runs("x=1 && print $x >> count");
        assert_eq!(shell.said("=1 && print $x >> count"), 1, "shown once: {}", shell.terminal.text());
        assert_eq!(shell.read("count"), "1\n");
        assert_eq!(shell.read("executed").matches("[x=1 && print $x >> count]").count(), 1);
        assert_eq!(status_after(&mut shell, "rm keep && touch after\r", "\u{15}"), "130");
        // One that is defined anew is as good as the first.
        shell.runs("preexec() { print again >> executed }");
        shell.runs("true");
        assert_eq!(status_after(&mut shell, "rm keep || touch after\r", "\u{15}"), "130");
        assert!(shell.read("executed").contains("again"));
        shell.runs("unfunction preexec");
        assert_eq!(status_after(&mut shell, "touch after; rm keep\r", "\u{15}"), "130");
    }
    // After an error in it no other function is called.
    let mut shell = Typing::new("zsh", "PS1='> '\npreexec() { typeset -r z=1; z=2 }\nHOOK");
    assert_eq!(status_after(&mut shell, "rm keep && touch after\r", "\u{15}"), "130");
    shell.runs("unfunction preexec; true");
    shell.refuses("rm keep && touch after");
}

#[test]
fn the_status_where_zsh_traps_interrupts() {
    if missing("zsh") {
        return;
    }
    for trap in ["trap '' INT", "trap 'touch handled' INT", "TRAPINT() { touch handled }"] {
        let mut shell = ZSH.typing();
        shell.runs(trap);
        assert_eq!(
            status_after(&mut shell, "{ rm keep } > keep2 && touch after\r", "\u{15}"),
            "130",
            "{trap}"
        );
        shell.runs("setopt nodebugbeforecmd; true");
        shell.refuses("rm keep && touch after");
    }
}

#[test]
fn a_coprocess_of_bash_is_none_of_the_hooks() {
    let mut shell = BASH.typing();
    shell.runs("coproc cat");
    shell.refuses("rm keep && touch after");
    shell.runs("echo to >&\"${COPROC[1]}\"; read -u \"${COPROC[0]}\" x; echo \"$x\" > got");
    assert_eq!(shell.read("got"), "to\n");
    assert_eq!(shell.said("still exists"), 0, "{}", shell.terminal.text());
}
