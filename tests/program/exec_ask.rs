//! `exec` where it may not simply run: refusal without a terminal, the question on one.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{Scratch, exists, no_person_here, program};

/// Only after these words do keys count.
const ASKED: &str = "Your decision";
const ASK: &str = "[[rule]]\nverdict = \"escalate\"\nmessage = \"look first\"\n";
const BLOCK: &str = "[[rule]]\nverdict = \"block\"\n";

#[test]
fn without_a_terminal_it_refuses() {
    for policy in [ASK, BLOCK] {
        let scratch = Scratch::with_policy(policy);
        let kept = scratch.file("kept", "content");
        let output = scratch.run_detached(&["exec", "--", "rm", "kept"], "r\nr\n");
        assert_eq!(output.status.code(), Some(126));
        assert!(output.stdout.is_empty(), "standard output is the command's");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("refused"), "{said}");
        assert!(exists(&kept));
    }
}

#[test]
fn on_a_terminal_its_key_runs_it_and_nothing_else_does() {
    if no_person_here() {
        return;
    }
    for (keys, code) in [
        (&["r"][..], 0),
        (&["R"], 0),
        (&["a"], 126),
        (&["n"], 126),
        (&["\r"], 126),
        (&["z", "z", "\r"], 126),
        (&["\u{1b}[1;5r", "\r"], 126),
        (&["\u{1b}[1;5r\r"], 126),
        (&["\u{1b}r", "\r"], 126),
        (&["\u{1b}r\r"], 126),
        (&["\u{3}"], 126),
        (&["\u{4}"], 126),
        (&["\u{1b}"], 126),
    ] {
        let scratch = Scratch::with_policy(ASK);
        let kept = scratch.file("kept", "content");
        let mut terminal = scratch.in_terminal(&[program(), "exec", "--", "rm", "kept"]);
        terminal.expect(ASKED);
        terminal.press(keys);
        let (status, text) = terminal.finish();
        assert_eq!(status, code, "{keys:?}: {text}");
        assert_eq!(exists(&kept), code != 0, "{keys:?}: {text}");
        assert!(text.contains("look first") && text.contains("rm kept"), "{text}");
    }
}

#[test]
fn a_signal_at_the_question_is_a_no() {
    if no_person_here() {
        return;
    }
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let scratch = Scratch::with_policy(ASK);
        let kept = scratch.file("kept", "content");
        let mut terminal = scratch.in_terminal(&[program(), "exec", "--", "rm", "kept"]);
        terminal.expect(ASKED);
        kill(Pid::from_raw(terminal.id()), signal).unwrap();
        let (status, text) = terminal.finish();
        assert_eq!(status, 126, "{signal}: {text}");
        assert!(exists(&kept));
    }
}

#[test]
fn a_piped_yes_never_approves() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::with_policy(ASK);
    let kept = scratch.file("kept", "content");
    let line = format!("yes r | {} exec -- rm kept; echo status $?", program());
    let mut terminal = scratch.in_terminal(&["sh", "-c", &line]);
    terminal.expect(ASKED);
    terminal.send("\r");
    terminal.expect("status 126");
    terminal.finish();
    assert!(exists(&kept));
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::with_policy(ASK);
    let kept = scratch.file("kept", "content");
    // The terminal holds the early answer before the program starts.
    let line = format!("sleep 0.5; exec {} exec -- rm kept", program());
    let mut terminal = scratch.in_terminal(&["sh", "-c", &line]);
    terminal.send("r\rr\r");
    terminal.expect(ASKED);
    terminal.send("\r");
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(exists(&kept));
}

#[test]
fn the_command_has_the_terminal_as_it_was() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::with_policy(ASK);
    let line = format!(
        "stty -a > before; {} exec -c 'rm kept; stty -a' > after; cmp before after && echo same",
        program()
    );
    let mut terminal = scratch.in_terminal(&["sh", "-c", &line]);
    terminal.expect(ASKED);
    terminal.send("r");
    terminal.expect("same");
    terminal.finish();
}

#[test]
fn an_agent_is_never_asked() {
    let scratch = Scratch::with_policy(ASK);
    let kept = scratch.file("kept", "content");
    let terminal = scratch.in_terminal(&[program(), "exec", "--profile", "agent", "--", "rm", "kept"]);
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(exists(&kept) && !text.contains(ASKED));
}

#[test]
fn a_block_is_overridden_only_by_the_name_and_not_where_policy_forbids_it() {
    if no_person_here() {
        return;
    }
    let closed = format!("{BLOCK}[profile.human]\noverride-block = false\n");
    for (policy, keys, code) in [
        (BLOCK, Some("NAME\r"), 0),
        (BLOCK, Some("r\r"), 126),
        (BLOCK, Some("kep\r"), 126),
        (BLOCK, Some("\r"), 126),
        (&closed, None, 126),
    ] {
        let scratch = Scratch::with_policy(policy);
        let kept = scratch.file("kept", "content that exists nowhere else");
        let mut terminal = scratch.in_terminal(&[program(), "exec", "--", "rm", "kept"]);
        if let Some(keys) = keys {
            terminal.expect(ASKED);
            terminal.send("r");
            // The row is drawn more than once, and may come in pieces.
            let asked = |text: &str| Some(text.rsplit_once("type ")?.1.split_once(" : ")?.0.to_owned());
            terminal.until("the question for the name", |text| asked(text).is_some());
            let name = asked(&terminal.text()).unwrap();
            terminal.send(&keys.replace("NAME", &name));
        }
        let (status, text) = terminal.finish();
        assert_eq!(status, code, "{text}");
        assert_eq!(exists(&kept), code != 0, "{text}");
    }
}

#[test]
fn a_hostile_name_cannot_rewrite_the_question() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::with_policy(ASK);
    let name = "a\u{1b}[2K\u{202e}b\rc";
    scratch.file(name, "content");
    let mut terminal = scratch.in_terminal(&[program(), "exec", "--", "rm", name]);
    terminal.expect(ASKED);
    terminal.send("\r");
    let (_, text) = terminal.finish();
    assert!(text.contains("\\e[2K") && !text.contains('\u{202e}') && !text.contains("\u{1b}[2K"), "{text:?}");
}
