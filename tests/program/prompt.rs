//! The question to a person: every key and its effect on files, and everything that must not count as an answer.

mod always;
mod safer;
mod texts;
mod words;

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{InTerminal, Scratch, exists, no_person_here, program};

/// Only after these words do keys count.
const ASKED: &str = "Your decision";
/// Removing asks; whatever else a test types is harmless.
const ASK: &str = "[[rule]]\naction = \"delete\"\nverdict = \"escalate\"\nmessage = \"look first\"\n";

/// A file that exists nowhere else, and the question about its removal, at the keys.
fn asked(scratch: &Scratch, columns: u16, variables: &[(&str, &str)]) -> InTerminal {
    let words = [program(), "exec", "-c", "rm kept"];
    let mut terminal = scratch.in_sized_terminal(&words, columns, variables);
    terminal.expect(ASKED);
    terminal
}

fn scratch() -> Scratch {
    let scratch = Scratch::with_policy(ASK);
    scratch.file("kept", "content that exists nowhere else");
    scratch
}

fn has(scratch: &Scratch, name: &str) -> bool {
    exists(&scratch.work().join(name))
}

/// Without what asks the terminal to mark what is pasted: nothing is seen or heard of that.
fn without_paste_marks(text: &str) -> String {
    text.replace("\u{1b}[?2004h", "").replace("\u{1b}[?2004l", "")
}

/// Without escape sequences.
fn visible(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            if rest.next() == Some('[') {
                for c in rest.by_ref() {
                    if ('\u{40}'..='\u{7e}').contains(&c) {
                        break;
                    }
                }
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[test]
fn it_says_what_runs_where_what_is_lost_and_which_keys_there_are() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let mut terminal = asked(&scratch, 100, &[]);
    terminal.send("\r");
    let (status, text) = terminal.finish();
    let seen = visible(&text);
    assert_eq!(status, 126);
    let work = scratch.work();
    for part in [
        "look first",
        "  rm kept",
        "     ^^^^",
        work.to_str().unwrap(),
        "only temporary",
        "[r] run it once",
        "[e] edit it",
        "[d] details",
        "[Enter] do not run it",
        "5 minutes",
        "refused: it was not run",
    ] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    assert!(has(&scratch, "kept"));
}

#[test]
fn run_once_runs_it() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let mut terminal = asked(&scratch, 80, &[]);
    terminal.send("r");
    let (status, text) = terminal.finish();
    assert_eq!(status, 0, "{text}");
    assert!(!has(&scratch, "kept"));
}

#[test]
fn an_edited_line_is_judged_again_and_then_runs() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let mut terminal = asked(&scratch, 80, &[]);
    terminal.send("e");
    terminal.expect("> rm kept");
    // `rm kept` becomes `touch kept2`: home, delete the word, type, end, type.
    terminal.send("\u{1}\u{1b}dtouch\u{5}2\r");
    let (status, text) = terminal.finish();
    assert_eq!(status, 0, "{text}");
    assert!(has(&scratch, "kept") && has(&scratch, "kept2"), "{text}");
}

#[test]
fn an_edited_line_that_would_cost_something_is_asked_about_again() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    scratch.file("other", "this too exists nowhere else");
    let mut terminal = asked(&scratch, 80, &[]);
    terminal.send("e");
    terminal.expect("> rm kept");
    terminal.send("\u{17}other\r");
    terminal.expect("[Enter]");
    terminal.expect("  rm other");
    std::thread::sleep(Duration::from_millis(800));
    terminal.send("\r");
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(has(&scratch, "kept") && has(&scratch, "other"));
}

#[test]
fn it_may_be_edited_so_often_only() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let mut terminal = asked(&scratch, 80, &[]);
    for round in 0..6 {
        terminal.expect_count(ASKED, round + 1);
        terminal.send("e");
        terminal.expect_count("judged again", round + 1);
        terminal.send("t\r");
    }
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(text.contains("replaced too often") && has(&scratch, "kept"), "{text}");
}

#[test]
fn going_back_from_the_editor_runs_nothing() {
    if no_person_here() {
        return;
    }
    for leave in ["\u{1b}", "\r", "\u{15}\r", "\u{15}\u{4}"] {
        let scratch = scratch();
        let mut terminal = asked(&scratch, 80, &[]);
        terminal.send("e");
        terminal.expect("> rm kept");
        terminal.send(leave);
        terminal.expect_count(ASKED, 2);
        terminal.send("\r");
        let (status, text) = terminal.finish();
        assert_eq!(status, 126, "{leave:?}: {text}");
        assert!(has(&scratch, "kept"));
    }
}

#[test]
fn details_are_shown_on_a_screen_of_their_own_and_left_again() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let mut terminal = asked(&scratch, 80, &[]);
    terminal.send("d");
    terminal.expect("q goes back");
    assert!(terminal.text().contains("\u{1b}[?1049h"));
    terminal.send("jjk Gg\u{1b}[6~\u{1b}[5~q");
    terminal.expect_count(ASKED, 2);
    assert!(terminal.text().contains("\u{1b}[?1049l"));
    terminal.send("\r");
    let (status, _) = terminal.finish();
    assert_eq!(status, 126);
    assert!(has(&scratch, "kept"));
}

#[test]
fn no_answer_in_time_is_a_no() {
    if no_person_here() {
        return;
    }
    for wait in ["", "e", "d"] {
        let scratch = scratch();
        let start = Instant::now();
        let mut terminal = asked(&scratch, 80, &[("RECOURSE_PROMPT_TIMEOUT", "1")]);
        terminal.send(wait);
        let (status, text) = terminal.finish();
        assert_eq!(status, 126, "{text}");
        assert!(text.contains("no answer within 1 second"), "{text}");
        assert!(start.elapsed() < Duration::from_secs(15));
        assert_eq!(text.matches("[?1049h").count(), text.matches("[?1049l").count(), "{text:?}");
        assert!(has(&scratch, "kept"));
    }
}

#[test]
fn without_a_limit_it_says_none() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let mut terminal = asked(&scratch, 80, &[("RECOURSE_PROMPT_TIMEOUT", "0")]);
    terminal.expect("Your decision: ");
    terminal.send("\r");
    assert_eq!(terminal.finish().0, 126);
}

#[test]
fn what_was_typed_before_it_could_be_read_is_dropped() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let line = format!("sleep 0.4; exec {} exec -c 'rm kept'", program());
    let mut terminal = scratch.in_terminal(&["sh", "-c", &line]);
    terminal.send("rrr");
    terminal.expect("[Enter]");
    // Shown, but whoever types on has not read it.
    terminal.send("rr");
    terminal.expect(ASKED);
    terminal.send("\r");
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(has(&scratch, "kept"));
}

#[test]
fn sixty_columns_are_enough() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let mut terminal = asked(&scratch, 60, &[]);
    terminal.send("\r");
    let (_, text) = terminal.finish();
    for line in visible(&text).lines() {
        assert!(line.trim_end().chars().count() <= 60, "{line}");
    }
}

#[test]
fn no_color_is_no_colour() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let mut terminal = asked(&scratch, 80, &[("NO_COLOR", "1")]);
    terminal.send("\r");
    let (_, text) = terminal.finish();
    assert!(!without_paste_marks(&text).contains("\u{1b}["), "{text:?}");
}

#[test]
fn for_a_screen_reader_there_are_sentences_and_no_redrawing() {
    if no_person_here() {
        return;
    }
    for variables in [[("RECOURSE_PLAIN", "1")], [("TERM", "dumb")]] {
        let scratch = scratch();
        let mut terminal = asked(&scratch, 80, &variables);
        terminal.send("d");
        terminal.expect_count(ASKED, 2);
        terminal.send("e");
        terminal.expect("New command: ");
        terminal.send("touch wrong\u{17}nex\u{7f}w\r");
        let (status, text) = terminal.finish();
        assert_eq!(status, 0, "{text}");
        let seen = visible(&text);
        for part in
            ["The command is: rm kept", "It would run in ", "Press r to run it once", "d to read the details"]
        {
            assert!(seen.contains(part), "{part}: {seen}");
        }
        // Colours, which end in `m`, and nothing that moves or erases.
        let moved = without_paste_marks(&text);
        let ends = moved.split("\u{1b}[").skip(1);
        let ends = ends.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
        assert!(ends.clone().all(|rest| rest.starts_with('m')) && !moved.contains("\u{1b}c"), "{text:?}");
        assert!(!moved.replace("\r\n", "\n").contains('\r') && !seen.contains("^^^"), "{text:?}");
        assert!(has(&scratch, "new") || has(&scratch, "new".trim()), "{text}");
        assert!(has(&scratch, "kept"));
    }
}

#[test]
fn signals_are_a_no_wherever_the_person_is() {
    if no_person_here() {
        return;
    }
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT] {
        for (keys, seen) in [("", ASKED), ("e", "> rm kept"), ("d", "q goes back")] {
            let scratch = scratch();
            let line = format!(
                "stty -a > before; {} exec -c 'rm kept'; echo status $?; stty -a > after; cmp before after && echo same",
                program()
            );
            let mut terminal =
                scratch.in_terminal(&["sh", "-c", &format!("trap : INT TERM HUP QUIT; {line}")]);
            terminal.expect(ASKED);
            terminal.send(keys);
            terminal.expect(seen);
            kill(Pid::from_raw(child_of(terminal.id())), signal).unwrap();
            terminal.expect("status 126");
            terminal.expect("same");
            let (_, text) = terminal.finish();
            assert_eq!(text.matches("[?1049h").count(), text.matches("[?1049l").count(), "{text:?}");
            assert!(has(&scratch, "kept"));
        }
    }
}

/// The one child of a process.
fn child_of(parent: i32) -> i32 {
    let output = std::process::Command::new("pgrep").args(["-P", &parent.to_string()]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()
}

#[test]
fn standard_input_is_no_answer() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let line = format!("printf 'r\\nr\\ny\\n' | {} exec -c 'rm kept'; echo status $?", program());
    let mut terminal = scratch.in_terminal(&["sh", "-c", &line]);
    terminal.expect(ASKED);
    terminal.send("a");
    terminal.expect("status 126");
    terminal.finish();
    assert!(has(&scratch, "kept"));
}

#[test]
fn standard_output_stays_the_commands() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let line = format!("{} exec -c 'rm kept; echo out' > out; echo status $?", program());
    let mut terminal = scratch.in_terminal(&["sh", "-c", &line]);
    terminal.expect(ASKED);
    terminal.send("r");
    terminal.expect("status 0");
    terminal.finish();
    assert_eq!(std::fs::read_to_string(scratch.work().join("out")).unwrap(), "out\n");
}

#[test]
fn names_are_shown_escaped_everywhere() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::with_policy(ASK);
    let name = "a\u{1b}[2J\u{202e}b\rc";
    scratch.file(name, "content");
    let mut terminal = scratch.in_terminal(&[program(), "exec", "--", "rm", name]);
    terminal.expect(ASKED);
    terminal.send("d");
    terminal.expect("q goes back");
    terminal.send("q");
    terminal.expect_count(ASKED, 2);
    terminal.send("e");
    terminal.expect("> ");
    std::thread::sleep(Duration::from_millis(200));
    terminal.send("\u{3}");
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(text.contains("\\e[2J"), "{text:?}");
    assert!(!text.contains('\u{202e}') && !text.contains("\u{1b}[2J") && !text.contains("b\rc"), "{text:?}");
    assert!(has(&scratch, name));
}

#[test]
fn two_questions_at_one_terminal_are_asked_one_after_the_other() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    scratch.file("other", "this too exists nowhere else");
    let line = format!("{0} exec -c 'rm kept' & {0} exec -c 'rm other' & wait; echo both", program());
    let mut terminal = scratch.in_terminal(&["sh", "-c", &line]);
    terminal.expect("waiting for another question");
    terminal.expect(ASKED);
    assert_eq!(terminal.text().matches(ASKED).count(), 1);
    terminal.send("r");
    terminal.expect_count(ASKED, 2);
    terminal.send("\r");
    terminal.expect("both");
    terminal.finish();
    assert!(has(&scratch, "kept") != has(&scratch, "other"), "one answer each");
}

/// A tool of the user's own, what it costs, and what would be safer.
pub(crate) fn with_box() -> Scratch {
    let scratch = Scratch::with_policy("[[rule]]\ntype = \"test.box\"\nverdict = \"escalate\"\n");
    let folder = scratch.root().join("config/recourse/knowledge");
    std::fs::create_dir_all(&folder).unwrap();
    let tool = "tool = \"emptybox\"\noperands = [\"name...\"]\n\
        [[effect]]\ndo = \"delete\"\non = \"test.box {name}\"\n\
        [[example]]\nrun = \"emptybox a\"\nis = [\"delete test.box a\"]\n";
    let kind = "[\"test.box\"]\ntitle = \"box\"\nsubject = \"name\"\nservice = \"test\"\n\
        [[\"test.box\".delete]]\ntier = 4\nreason = \"three letters, 40 kB, are only in {target}\"\n\
        recovery = [\"write them again\"]\n\
        alternative = [{ command = \"touch {target}.saved\", explanation = \"keeps a copy\" }]\n";
    std::fs::write(folder.join("tool.toml"), tool).unwrap();
    std::fs::write(folder.join("kind.toml"), kind).unwrap();
    scratch
}

#[test]
fn allowed_for_a_while_means_exactly_this_here() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let mut terminal = asked(&scratch, 80, &[]);
    assert!(terminal.text().contains("[w] run it, and again here for 15 minutes"), "{}", terminal.text());
    terminal.send("w");
    let (status, text) = terminal.finish();
    assert_eq!(status, 0, "{text}");
    assert!(!has(&scratch, "kept"));

    // The same again: no question.
    scratch.file("kept", "content that exists nowhere else");
    let (status, text) = scratch.in_terminal(&[program(), "exec", "-c", "rm kept"]).finish();
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains("you allowed this here") && !text.contains(ASKED) && !has(&scratch, "kept"),
        "{text}"
    );

    // Nearly the same: asked about, in other words, elsewhere, without a terminal, and for an agent.
    scratch.file("kept", "content that exists nowhere else");
    scratch.file("sub/kept", "content that exists nowhere else");
    for words in ["rm  kept", "rm ./kept", "rm -f kept"] {
        let mut terminal = scratch.in_terminal(&[program(), "exec", "-c", words]);
        terminal.expect(ASKED);
        terminal.send("\r");
        assert_eq!(terminal.finish().0, 126, "{words}");
    }
    let line = format!("cd sub && {} exec -c 'rm kept'", program());
    let mut terminal = scratch.in_terminal(&["sh", "-c", &line]);
    terminal.expect(ASKED);
    terminal.send("\r");
    assert_eq!(terminal.finish().0, 126);
    assert_eq!(scratch.run_detached(&["exec", "-c", "rm kept"], "").status.code(), Some(126));
    let agent = [program(), "exec", "--profile", "agent", "-c", "rm kept"];
    assert_eq!(scratch.in_terminal(&agent).finish().0, 126);
    assert!(has(&scratch, "kept") && has(&scratch, "sub/kept"));

    // A stricter policy: what is blocked wants its name.
    scratch.policy("[[rule]]\naction = \"delete\"\nverdict = \"block\"\n");
    let mut terminal = scratch.in_terminal(&[program(), "exec", "-c", "rm kept"]);
    terminal.expect(ASKED);
    assert!(!terminal.text().contains("you allowed this here"), "{}", terminal.text());
    terminal.send("\r");
    assert_eq!(terminal.finish().0, 126);
    assert!(has(&scratch, "kept"));
}

#[test]
fn a_policy_can_forbid_allowing_for_a_while() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    scratch.policy(&format!("{ASK}[profile.human]\nallow-for-a-while = false\n"));
    let mut terminal = asked(&scratch, 80, &[]);
    assert!(!terminal.text().contains("[w]"), "{}", terminal.text());
    terminal.press(&["w", "\r"]);
    assert_eq!(terminal.finish().0, 126);
    assert!(has(&scratch, "kept"));
}
