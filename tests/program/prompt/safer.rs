//! The key for the safer form.

use super::*;

#[test]
fn a_safer_form_is_shown_in_full_and_judged_before_it_runs() {
    if no_person_here() {
        return;
    }
    let scratch = with_box();
    let mut terminal = scratch.in_terminal(&[program(), "exec", "-c", "emptybox red blue"]);
    terminal.expect(ASKED);
    let seen = visible(&terminal.text());
    for part in [
        "[s] run the safer form",
        "instead   touch red.saved && touch blue.saved",
        "keeps a copy",
        "lost      three letters, 40 kB, are only in red",
        "          three letters, 40 kB, are only in blue",
        "back      write them again",
    ] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    terminal.send("s");
    let (status, text) = terminal.finish();
    assert_eq!(status, 0, "{text}");
    assert!(has(&scratch, "red.saved") && has(&scratch, "blue.saved"), "{text}");
}

#[test]
fn a_safer_form_of_a_part_is_no_key() {
    if no_person_here() {
        return;
    }
    let scratch = with_box();
    let mut terminal = scratch.in_terminal(&[program(), "exec", "-c", "emptybox red && echo and more"]);
    terminal.expect(ASKED);
    assert!(!terminal.text().contains("[s]"), "{}", terminal.text());
    terminal.press(&["s", "\r"]);
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(!has(&scratch, "red.saved") && visible(&text).contains("touch red.saved"), "{text}");
}

#[test]
fn a_safer_form_that_costs_something_itself_is_asked_about() {
    if no_person_here() {
        return;
    }
    let scratch = with_box();
    scratch.policy("[[rule]]\naction = [\"create\", \"update\", \"delete\"]\nverdict = \"escalate\"\n");
    let mut terminal = scratch.in_terminal(&[program(), "exec", "-c", "emptybox red"]);
    terminal.expect(ASKED);
    terminal.send("s");
    terminal.expect_count(ASKED, 2);
    terminal.send("\r");
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(!has(&scratch, "red.saved"), "{text}");
}

#[test]
fn advice_names_the_whole_command() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::new();
    let mut terminal = scratch.in_terminal(&[program(), "exec", "-c", "terraform destroy -target=a.b"]);
    terminal.expect(ASKED);
    let seen = visible(&terminal.text());
    assert!(
        seen.contains("recourse exec -- terraform destroy -target=a.b") && seen.contains("[s]"),
        "{seen}"
    );
    terminal.send("\r");
    assert_eq!(terminal.finish().0, 126);
}

#[test]
fn a_safer_form_keeps_quotes() {
    if no_person_here() {
        return;
    }
    let scratch = with_box();
    let line = "emptybox 'red box'";
    let mut terminal = scratch.in_terminal(&[program(), "exec", "-c", line]);
    terminal.expect(ASKED);
    assert!(visible(&terminal.text()).contains("touch 'red box'.saved"), "{}", terminal.text());
    terminal.send("s");
    assert_eq!(terminal.finish().0, 0);
    assert!(has(&scratch, "red box.saved"));
}
