//! At a terminal: questions and their keys.

use super::*;
use crate::support::no_person_here;

#[test]
fn what_a_person_removes_is_kept_in_a_line_and_comes_back() {
    if no_person_here() {
        return;
    }
    let place = Place::new();
    let line = "recourse exec -c 'rm notes.md'; echo ran $?; recourse undo; echo undone $?; recourse undo; echo then $?";
    let (_, text) = place.typed(line).finish();
    for part in [
        "recourse: kept notes.md (20 bytes): recourse undo",
        "ran 0",
        "recourse: undoing: rm notes.md",
        "back        notes.md  (20 bytes)",
        "recourse: back: notes.md (20 bytes)",
        "to take this back: recourse undo ",
        "undone 0",
        "there is nothing to undo here",
        "then 3",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains(ASKED), "{text}");
    assert_eq!(place.read("notes.md").unwrap(), "hello, nowhere else\n");
}

#[test]
fn nothing_is_said_where_nothing_is_kept() {
    if no_person_here() {
        return;
    }
    let place = Place::new();
    let (status, text) = place.typed("recourse exec -c 'ls > /dev/null; mkdir new'").finish();
    assert_eq!((status, text.as_str()), (0, ""));
    assert!(!exists(&place.scratch.root().join("home/.local/share/recourse/kept")));
}

#[test]
fn undo_asks_where_something_else_stands_and_keeps_it() {
    if no_person_here() {
        return;
    }
    let place = Place::new();
    let (status, _) = place.typed("recourse exec -c 'rm notes.md'; echo other > notes.md").finish();
    assert_eq!(status, 0);
    for keys in ["\r", "n", "\u{3}", "\u{1b}[1;5y\r", "q", "no\r", "yum install\r"] {
        let mut terminal = place.typed("recourse undo; echo status $?");
        terminal.expect("[Enter] no:");
        terminal.send(keys);
        terminal.expect("status 1");
        let (_, text) = terminal.finish();
        assert!(text.contains("nothing was changed"), "{keys:?}: {text}");
        assert!(text.contains("replaced    notes.md"), "{keys:?}: {text}");
        assert_eq!(place.read("notes.md").unwrap(), "other\n", "{keys:?}");
    }
    let mut terminal = place.typed("sleep 0.4; recourse undo; echo status $?");
    // What was typed before the question is no answer to it.
    terminal.send("yyy");
    terminal.expect("[Enter] no:");
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(place.read("notes.md").unwrap(), "other\n");
    terminal.send("y");
    terminal.expect("status 0");
    terminal.finish();
    assert_eq!(place.read("notes.md").unwrap(), "hello, nowhere else\n");
    let (_, text) = place.typed("recourse undo --redo --yes; echo status $?").finish();
    assert!(text.contains("status 0"), "{text}");
    assert_eq!(place.read("notes.md").unwrap(), "other\n", "{text}");
}

#[test]
fn what_the_command_itself_left_there_is_not_asked_about() {
    if no_person_here() {
        return;
    }
    let git = "git init -q . && git config user.email a@b && git config user.name n && echo one > file && git add file && git commit -qm one && echo more >> file";
    for (command, made) in [
        ("cp notes.md copy.md", "copy.md"),
        ("mv notes.md moved.md", "moved.md"),
        ("mkdir new && cp -r notes.md new/", "new"),
        ("git reset -q --hard", ""),
    ] {
        let place = Place::new();
        place.typed(git).finish();
        let line = format!("recourse exec -c '{command}'; recourse undo; echo undone $?");
        let (_, text) = place.typed(&line).finish();
        assert!(text.contains("undone 0") || text.contains("undone 3"), "{command}: {text}");
        assert!(!text.contains("[Enter] no:"), "{command}: {text}");
        assert!(
            made.is_empty() || text.contains("undone 3") || place.read(made).is_none(),
            "{command}: {text}"
        );
        assert_eq!(place.read("file").unwrap(), "one\nmore\n", "{command}: {text}");
        assert_eq!(place.read("notes.md").unwrap(), "hello, nowhere else\n", "{command}: {text}");
    }
    // Somebody went on with it.
    let place = Place::new();
    let line = "recourse exec -c 'mv notes.md moved.md'; sleep 2.5; echo more >> moved.md; recourse undo; echo status $?";
    let mut terminal = place.typed(line);
    terminal.expect("[Enter] no:");
    terminal.send("\r");
    terminal.expect("status 1");
    terminal.finish();
    assert!(place.read("moved.md").unwrap().ends_with("more\n"));
}

#[test]
fn who_answers_by_the_whole_word_types_no_command() {
    if no_person_here() {
        return;
    }
    let place = Place::new();
    let (status, _) = place.typed("recourse exec -c 'rm notes.md'; echo other > notes.md").finish();
    assert_eq!(status, 0);
    let mut terminal = place.typed("recourse undo; echo status $?; read -t 1 rest; echo \"rest:$rest.\"");
    terminal.expect("[Enter] no:");
    for key in ["y", "e", "s", "\r"] {
        terminal.send(key);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    terminal.expect("status 0");
    terminal.expect("rest:.");
    terminal.finish();
    assert_eq!(place.read("notes.md").unwrap(), "hello, nowhere else\n");
}

#[test]
fn a_key_keeps_first_where_policy_wants_a_person_to_say_so() {
    if no_person_here() {
        return;
    }
    let place = Place::with_policy("[keep]\nwhen = \"ask\"\n");
    for (keys, gone) in [("\r", false), ("k", true)] {
        let mut terminal = place.typed("recourse exec -c 'rm notes.md'; echo status $?");
        terminal.expect(ASKED);
        let text = terminal.text();
        assert!(text.contains("[k] keep it, then run it"), "{text}");
        assert!(text.contains("what is lost can be kept first; `recourse undo`"), "{text}");
        assert!(!text.contains("nothing brings it back"), "{text}");
        terminal.send(keys);
        terminal.expect("status ");
        let (_, text) = terminal.finish();
        assert_eq!(place.has("notes.md"), !gone, "{keys:?}: {text}");
        assert_eq!(text.contains("kept notes.md (20 bytes): recourse undo"), gone, "{text}");
    }
    // Of another terminal's command it is asked whether that one is meant.
    let mut terminal = place.typed("recourse undo; echo status $?");
    terminal.expect("from another terminal");
    terminal.expect("[Enter] no:");
    terminal.send("y");
    terminal.expect("status 0");
    terminal.finish();
    assert!(place.has("notes.md"));
}

#[test]
fn what_holds_the_store_is_not_promised_to_be_kept() {
    if no_person_here() {
        return;
    }
    let place = Place::new();
    let mut terminal = place.typed("recourse exec -c 'rm -rf ~'; echo status $?");
    terminal.expect(ASKED);
    let text = terminal.text();
    assert!(!text.contains("[k]") && !text.contains("can be kept first"), "{text}");
    terminal.send("\r");
    terminal.expect("status 126");
    terminal.finish();
}

#[test]
fn for_a_screen_reader_the_key_is_a_sentence() {
    if no_person_here() {
        return;
    }
    let place = Place::with_policy("[keep]\nwhen = \"ask\"\n");
    let mut terminal = place.typed_with("recourse exec -c 'rm notes.md'", 80, &[("RECOURSE_PLAIN", "1")]);
    terminal.expect(ASKED);
    let text = terminal.text().replace("\r\n", " ").replace('\n', " ");
    assert!(text.contains("Press k to keep it, then run it, r to run it"), "{text}");
    assert!(text.contains("To be undone later: what is lost can be kept first"), "{text}");
    terminal.send("\r");
    assert_eq!(terminal.finish().0, 126);
}

#[test]
fn beyond_the_bounds_it_says_why_and_the_key_keeps_it_all_the_same() {
    if no_person_here() {
        return;
    }
    let place = Place::with_policy("[keep]\nbytes = 10000\n");
    place.write("big.csv", &"1,2,3\n".repeat(20_000));
    let mut terminal = place.typed("recourse exec -c ': > big.csv'; echo status $?");
    terminal.expect(ASKED);
    let text = terminal.text().replace("\r\n", " ");
    assert!(text.contains("it could not be kept first: it is more than 10 kB"), "{text}");
    terminal.send("k");
    terminal.expect("status 0");
    let (_, text) = terminal.finish();
    assert!(text.contains("kept big.csv (120 kB): recourse undo"), "{text}");
    assert_eq!(place.read("big.csv").unwrap(), "");
    assert_eq!(place.run(&["undo", "--yes"]).status.code(), Some(0));
    assert_eq!(place.read("big.csv").unwrap().len(), 120_000);
}

#[test]
fn the_key_keeps_what_it_said_it_can_beside_what_nobody_can_read() {
    if no_person_here() {
        return;
    }
    let place = Place::with_policy("[keep]\nbytes = 1000000\n");
    place.write("huge", &"x".repeat(3_000_000));
    let mut terminal = place.typed("recourse exec -c 'nosuchcmd; : > huge'; echo status $?");
    terminal.expect(ASKED);
    let text = terminal.text();
    assert!(text.contains("[k] keep what can be kept") && text.contains("this cannot: nosuchcmd"), "{text}");
    terminal.send("k");
    terminal.expect("status 0");
    let (_, text) = terminal.finish();
    assert!(text.contains("kept huge (3.0 MB)"), "{text}");
    assert_eq!(place.read("huge").unwrap().len(), 0);
    assert_eq!(place.run(&["undo", "--yes"]).status.code(), Some(0));
    assert_eq!(place.read("huge").unwrap().len(), 3_000_000);
}

#[test]
fn what_cannot_come_back_is_said_before_anything_is_asked() {
    let place = Place::new();
    place.write("big.bin", &"x".repeat(3_000_000));
    place.kept("rm big.bin");
    let id = newest(&place);
    assert_eq!(place.run(&["undo", "--yes"]).status.code(), Some(0));
    place.write("big.bin", "something else");
    let output = place.run(&["undo", &id]);
    let said = both(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("nothing can come back: big.bin") && !said.contains("tries again"), "{said}");
    assert_eq!(place.read("big.bin").unwrap(), "something else");
    let shown = both(&place.run(&["kept", "show", &id]));
    assert!(shown.contains("size     0 bytes") && shown.contains("not kept  "), "{shown}");
}

#[test]
fn a_protection_is_named_where_its_file_is_lost_for_good_too() {
    if no_person_here() {
        return;
    }
    let place = Place::with_policy(
        "[keep]\nwhen = \"never\"\n[[protect]]\npath = [\"~/proj/notes.md\"]\nmessage = \"ask Ada first\"\n",
    );
    let mut terminal = place.typed("recourse exec -c 'rm notes.md'; echo status $?");
    terminal.expect(ASKED);
    let text = terminal.text();
    assert!(text.contains("ask Ada first") && text.contains("the protection of ~/proj/notes.md"), "{text}");
    terminal.send("\r");
    terminal.finish();
    let said = both(&place.run(&["explain", "rm notes.md"]));
    assert!(said.contains("ask Ada first") && said.contains("   by        the protection of"), "{said}");
}

#[test]
fn what_is_blocked_runs_by_typing_its_name_and_is_kept() {
    if no_person_here() {
        return;
    }
    let rule = "[[rule]]\naction = \"delete\"\nverdict = \"block\"\n";
    let place = Place::with_policy(rule);
    for (typed, code) in [("notes", 126), ("", 126), ("notes.md", 0)] {
        let mut terminal = place.typed("recourse exec -c 'rm notes.md'; echo status $?");
        terminal.expect(ASKED);
        let text = terminal.text();
        assert!(text.contains("[r] run it, by typing what will be lost") && !text.contains("[k]"), "{text}");
        assert!(text.contains("what is lost is kept first"), "{text}");
        terminal.send("r");
        terminal.expect(" : ");
        terminal.send(&format!("{typed}\r"));
        terminal.expect(&format!("status {code}"));
        let (_, text) = terminal.finish();
        assert_eq!(place.has("notes.md"), code != 0, "{text}");
    }
    assert_eq!(place.run(&["undo"]).status.code(), Some(0));
    assert_eq!(place.read("notes.md").unwrap(), "hello, nowhere else\n");
    // A project may forbid it.
    place.write(".recourse.toml", "[profile.human]\noverride-block = false\n");
    let (status, text) = place.typed("recourse exec -c 'rm notes.md'").finish();
    assert_eq!(status, 126, "{text}");
    assert!(!text.contains(ASKED) && place.has("notes.md"), "{text}");
}

#[test]
fn what_policy_never_keeps_has_no_key() {
    if no_person_here() {
        return;
    }
    let place = Place::with_policy("[keep]\nwhen = \"never\"\n");
    let mut terminal = place.typed("recourse exec -c 'rm notes.md'");
    terminal.expect(ASKED);
    let text = terminal.text();
    assert!(!text.contains("[k]") && !text.contains("kept first"), "{text}");
    terminal.press(&["k", "\r"]);
    assert_eq!(terminal.finish().0, 126);
    assert!(place.has("notes.md"));
}

#[test]
fn the_list_fits_its_terminal() {
    if no_person_here() {
        return;
    }
    let place = Place::new();
    for n in 0..3 {
        let name = format!("a-file-with-quite-a-long-name-{n}.csv");
        place.write(&name, &format!("{n}: nowhere else"));
        place.kept(&format!("rm {name} # and a remark that makes the command a long one"));
    }
    for columns in [60, 80, 120] {
        let (status, text) = place.typed_with("recourse kept", columns, &[]).finish();
        assert_eq!(status, 0);
        // Where there is room for the names.
        let newest_first = text.find("name-2") < text.find("name-0");
        assert!(columns < 120 || newest_first, "{text}");
        assert!(text.contains("ID ") && text.contains("just now") && text.contains("14 days"), "{text}");
        assert!(text.contains("3 recovery points, 45 bytes"), "{text}");
        assert!(text.lines().all(|line| line.trim_end().chars().count() <= usize::from(columns)), "{text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
    let piped = place.run(&["undo", "--list"]);
    let text = String::from_utf8(piped.stdout).unwrap();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.contains("makes the command a long one"), "{text}");
}

#[test]
fn it_works_where_the_directory_is_gone() {
    if no_person_here() {
        return;
    }
    let place = Place::new();
    place.write("sub/one.txt", "only here\n");
    let line = "cd sub && recourse exec -c 'rm -r ../sub'; recourse undo; echo status $?";
    let mut terminal = place.typed(line);
    // Whoever stands in what goes is asked.
    terminal.expect(ASKED);
    terminal.send("k");
    terminal.expect("status ");
    let (_, text) = terminal.finish();
    assert!(text.contains("status 0") && text.contains("cd \"$PWD\""), "{text}");
    assert_eq!(place.read("sub/one.txt").unwrap(), "only here\n");
}

#[test]
fn only_a_person_who_says_so_forgets() {
    if no_person_here() {
        return;
    }
    let place = Place::new();
    place.kept("rm notes.md");
    let id = newest(&place);
    let mut terminal = place.typed(&format!("recourse kept forget {id}; echo status $?"));
    terminal.expect("Delete this for good?");
    terminal.expect("no:");
    terminal.send("\r");
    terminal.expect("status 1");
    terminal.finish();
    assert_eq!(newest(&place), id);
    let mut terminal = place.typed(&format!("recourse kept forget {}; echo status $?", &id[..4]));
    terminal.expect("no:");
    terminal.send("y");
    terminal.expect("status 0");
    terminal.finish();
    let output = place.run(&["kept"]);
    assert!(both(&output).contains("nothing is kept"), "{}", both(&output));
}

#[test]
fn what_reaches_the_store_is_seen_at_the_first_use_too() {
    for text in [
        "rm -f notes.md; find ~/.local -delete",
        "rm -f notes.md; find ~ -path '*recourse*' -type f -delete",
        "rm -f notes.md; rm -rf ~/.l*l/share",
        "rm -f notes.md; for d in ~/.*/share/*; do rm -rf \"$d\"; done",
        "rm -f notes.md; find ~ -mmin -1 -type f -exec truncate -s 0 {} +",
        "rm -f notes.md; git init -q ~ && git -C ~ clean -fdxq .local",
        "rm -f notes.md; git init -q ~ && git -C ~ clean -fdxq",
        "rm -f notes.md; git init -q ~/.local && cd ~/.local && git clean -fdq '*'",
    ] {
        let scratch = Scratch::lasting();
        scratch.file("notes.md", "words that stand nowhere else\n");
        let done = scratch.recourse(&["exec", "--profile", "agent", "-c", text]).output().unwrap();
        assert_eq!(done.status.code(), Some(126), "{text}: {}", String::from_utf8_lossy(&done.stderr));
        assert!(scratch.work().join("notes.md").exists(), "{text}");
    }
}
