//! What a session holds and a later line names without saying it: the last word, names in front of a dot, functions that are called
//! from patterns or were exported, what options make of signs.

use super::rows::{BASH, FISH, ZSH};
use super::{Typing, missing};

/// The second line follows the first at once, and is refused.
fn refuses_after(shell: &mut Typing, first: &str, second: &str) {
    shell.refuses_keys(&format!("{first}\r{second}\r"));
}

#[test]
fn of_bash() {
    let mut shell = BASH.typing();
    refuses_after(&mut shell, "ls keep > /dev/null", "rm $_");
    shell.runs("G=kee; touch $G.new; rm $G.new");
    refuses_after(&mut shell, "G=kee", "rm ${G}p");
    shell.runs("gone() { rm keep; }; export -f gone");
    shell.refuses("bash -c gone");
    // A startup file may be read again.
    let mut shell = Typing::new("bash", "PS1='> '\nHOOK\nHOOK\n");
    shell.runs("echo once >> count");
    assert_eq!(shell.read("count"), "once\n");
    assert_eq!(shell.said("recourse:"), 0, "{}", shell.terminal.text());
}

#[test]
fn of_zsh() {
    if missing("zsh") {
        return;
    }
    let mut shell = ZSH.typing();
    refuses_after(&mut shell, "ls keep > /dev/null", "rm $_");
    shell.runs("call() { rm keep }");
    shell.refuses("ls *(+call)");
    shell.refuses("ls *(e:call:)");
    shell.runs("G=kee; touch $G.new; rm $G.new");
    refuses_after(&mut shell, "setopt kshglob", "rm +(k)eep");
    shell.runs("unsetopt kshglob");
}

#[test]
fn of_fish() {
    if missing("fish") {
        return;
    }
    let mut shell = FISH.typing();
    shell.runs("set G kee; touch kee.new; rm $G.new");
    shell.refuses("switch keep; case 'k*'; rm keep; end");
    shell.runs("abbr -a whole --set-cursor 'rm %keep'");
    shell.refuses("whole");
}
