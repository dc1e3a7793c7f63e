//! `recourse approve`: a person at a terminal can, an agent that runs the same program cannot.

// A test fails loudly.
use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::support::{InTerminal, Scratch, no_person_here, program};

const CALL: &str =
    r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"terraform apply"}}"#;

/// What the hook says to a command that needs a person.
fn hook(scratch: &Scratch, call: &str) -> String {
    let mut child = scratch
        .recourse(&["hook", "codex"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(call.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

fn id(said: &str) -> String {
    let at = said.find("recourse approve ").expect("the line for a person") + "recourse approve ".len();
    said[at..at + 12].to_owned()
}

fn code(terminal: &mut InTerminal) -> String {
    terminal.expect(" to allow it: ");
    let text = terminal.text();
    let at = text.rfind("Type ").unwrap() + "Type ".len();
    text[at..].split(' ').next().unwrap().to_owned()
}

#[test]
fn a_person_approves_once() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::new();
    let id = id(&hook(&scratch, CALL));
    let mut terminal = scratch.in_terminal(&[program(), "approve", &id]);
    let code = code(&mut terminal);
    assert!(
        terminal.text().contains("agent/codex wants to run in")
            && terminal.text().contains("terraform apply")
    );
    terminal.send(&format!("{code}\r"));
    let (status, text) = terminal.finish();
    assert_eq!(status, 0, "{text}");
    let other = CALL.replace("terraform apply", "terraform apply ");
    assert!(hook(&scratch, &other).contains("\"deny\""), "another text is another request");
    assert_eq!(hook(&scratch, CALL), "", "this once it runs");
    assert!(hook(&scratch, CALL).contains("\"deny\""), "and not again");
}

#[test]
fn a_wrong_code_is_no() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::new();
    let id = id(&hook(&scratch, CALL));
    for typed in ["y\r", "\r", "\u{3}", "\u{1b}"] {
        let mut terminal = scratch.in_terminal(&[program(), "approve", &id]);
        code(&mut terminal);
        terminal.send(typed);
        let (status, text) = terminal.finish();
        assert_eq!(status, 1, "{text}");
    }
    assert!(hook(&scratch, CALL).contains("\"deny\""));
    let denied = scratch.run(&["approve", "--deny", &id]);
    assert!(denied.status.success());
    assert!(hook(&scratch, CALL).contains("said no"));
}

#[test]
fn an_agent_does_not_approve_itself() {
    let scratch = Scratch::new();
    let id = id(&hook(&scratch, CALL));
    let refused = |status: Option<i32>, text: &str| {
        assert_eq!(status, Some(1), "{text}");
        assert!(text.contains("refused"), "{text}");
        assert!(hook(&scratch, CALL).contains("\"deny\""), "it is still denied");
    };
    // Without a terminal, with an answer on standard input.
    let output = scratch.run_detached(&["approve", &id], "y\nabcde\n");
    refused(output.status.code(), &String::from_utf8_lossy(&output.stderr));
    // With its own variable.
    let output = scratch.recourse(&["approve", &id]).env("CLAUDECODE", "1").output().unwrap();
    refused(output.status.code(), &String::from_utf8_lossy(&output.stderr));
    // In a terminal, but started by an agent.
    let agent = scratch.root().join("claude");
    fs::copy("/bin/bash", &agent).unwrap();
    let line = format!("'{}' approve {id}; exit $?", program());
    let (status, text) = scratch.in_terminal(&[agent.to_str().unwrap(), "-c", &line]).finish();
    refused(Some(status), &text);
    // In a terminal that it made itself, with nothing of it among the processes above.
    let made = std::process::Command::new("script").arg("--version").output();
    if made.is_ok_and(|output| output.status.success()) {
        let line = format!("'{}' approve {id}", program());
        let (status, text) = scratch.in_terminal(&["script", "-qefc", &line, "/dev/null"]).finish();
        refused(Some(status), &text);
    }
}

const ASK: &str = "[[rule]]\nverdict = \"escalate\"\nmessage = \"look first\"\n";

/// A shell by another name, so that what it runs was started by that.
fn shell_called(scratch: &Scratch, name: &str) -> String {
    let path = scratch.root().join(name);
    fs::copy("/bin/bash", &path).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn an_agent_in_a_terminal_of_its_own_is_not_asked() {
    let line = format!("'{}' exec -- rm kept; exit $?", program());
    let named = format!("'{}' exec --profile human -- rm kept; exit $?", program());
    let typed = format!("'{}' exec -c 'rm kept'; exit $?", program());
    let scratch = Scratch::with_policy(ASK);
    let kept = scratch.file("kept", "content");
    let agent = shell_called(&scratch, "claude");
    for (shell, line, variable) in [
        (agent.as_str(), &line, None),
        (agent.as_str(), &named, None),
        (agent.as_str(), &typed, None),
        ("/bin/bash", &line, Some(("CODEX_SANDBOX", "seatbelt"))),
        ("/bin/bash", &named, Some(("GEMINI_CLI", "1"))),
    ] {
        let variables: Vec<_> = variable.into_iter().collect();
        let mut terminal = scratch.in_sized_terminal(&[shell, "-c", line], 80, &variables);
        terminal.send("r\rr\r");
        let (status, text) = terminal.finish();
        assert_eq!(status, 126, "{text}");
        assert!(kept.exists() && !text.contains("Your decision"), "{text}");
        assert!(text.contains("an agent is not asked") && text.contains("recourse approve "), "{text}");
    }
}

#[test]
fn a_terminal_that_types_by_itself_is_not_asked() {
    let made = std::process::Command::new("script").arg("--version").output();
    if no_person_here() || !made.is_ok_and(|output| output.status.success()) {
        return;
    }
    let scratch = Scratch::with_policy(ASK);
    let kept = scratch.file("kept", "content");
    let line = format!("'{}' exec -- rm kept", program());
    let mut terminal = scratch.in_terminal(&["script", "-qefc", &line, "/dev/null"]);
    terminal.send("r");
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(kept.exists() && text.contains("the terminal belongs to script"), "{text}");
}

#[test]
fn in_an_editors_terminal_a_key_is_not_enough() {
    if no_person_here() {
        return;
    }
    for right in [true, false] {
        let scratch = Scratch::with_policy(ASK);
        let kept = scratch.file("kept", "content");
        let editor = shell_called(&scratch, "code");
        let line = format!("'{}' exec -- rm kept; exit $?", program());
        let mut terminal = scratch.in_terminal(&[&editor, "-c", &line]);
        terminal.expect("Your decision");
        assert!(terminal.text().contains("by typing a code"), "{}", terminal.text());
        terminal.send("r");
        // The row is drawn more than once, and may come in pieces.
        let asked =
            |text: &str| Some(text.rsplit_once("To run it, type ")?.1.split_once(" : ")?.0.to_owned());
        terminal.until("the question for the code", |text| asked(text).is_some());
        let code = asked(&terminal.text()).unwrap();
        terminal.send(&format!("{}\r", if right { code.as_str() } else { "rrrrr" }));
        let (status, text) = terminal.finish();
        assert_eq!((status, kept.exists()), if right { (0, false) } else { (126, true) }, "{text}");
    }
}

#[test]
fn what_an_agent_runs_through_exec_is_approved_once() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::with_policy(ASK);
    let kept = scratch.file("kept", "content");
    let run = || scratch.recourse(&["exec", "--", "rm", "kept"]).env("CLAUDECODE", "1").output().unwrap();
    let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let first = run();
    assert_eq!(first.status.code(), Some(126), "{}", said(&first));
    let mut terminal = scratch.in_terminal(&[program(), "approve", &id(&said(&first))]);
    let code = code(&mut terminal);
    assert!(terminal.text().contains("agent wants to run in"), "{}", terminal.text());
    terminal.send(&format!("{code}\r"));
    let (status, text) = terminal.finish();
    assert_eq!(status, 0, "{text}");
    let second = run();
    assert_eq!(second.status.code(), Some(0), "{}", said(&second));
    assert!(
        !kept.exists() && said(&second).contains("approved this; it runs this once"),
        "{}",
        said(&second)
    );
    scratch.file("kept", "content");
    assert_eq!(run().status.code(), Some(126), "and not again");
}

fn approve(scratch: &Scratch, said: &str) {
    let mut terminal = scratch.in_terminal(&[program(), "approve", &id(said)]);
    let code = code(&mut terminal);
    terminal.send(&format!("{code}\r"));
    let (status, text) = terminal.finish();
    assert_eq!(status, 0, "{text}");
}

#[test]
fn of_many_processes_one_spends_it() {
    if no_person_here() {
        return;
    }
    for config in ["", "[attestation]\nenabled = true\n"] {
        let scratch = Scratch::new();
        scratch.config(config);
        approve(&scratch, &hook(&scratch, CALL));
        let silent = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..8).map(|_| scope.spawn(|| hook(&scratch, CALL).is_empty())).collect();
            tries.into_iter().map(|one| usize::from(one.join().unwrap())).sum::<usize>()
        });
        assert_eq!(silent, 1, "{config}");
    }
}

#[test]
fn an_attested_approval_is_verified_before_it_counts() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::new();
    scratch.config("[attestation]\nenabled = true\n");
    approve(&scratch, &hook(&scratch, CALL));
    assert_eq!(hook(&scratch, CALL), "", "this once it runs");
    let said = hook(&scratch, CALL);
    assert!(said.contains("\"deny\""), "{said}");
    // A yes that somebody wrote by hand.
    let path = scratch.root().join(format!("home/.local/state/recourse/approvals/{}.json", id(&said)));
    let text = fs::read_to_string(&path).unwrap().replace("\"requested\"", "\"approved\"");
    assert!(text.contains("\"approved\""));
    fs::write(&path, text.replace("\"approved\":", "\"requested\":")).unwrap();
    let said = hook(&scratch, CALL);
    assert!(said.contains("is not proven"), "{said}");
    assert!(!path.exists(), "it was removed");
    assert!(hook(&scratch, CALL).contains("recourse approve "), "it can be asked for again");
}

/// A tool that nobody knows and a script that calls it; judged the same whatever it is called with.
fn with_script(config: &str) -> Scratch {
    let scratch = Scratch::with_policy(ASK);
    scratch.config(config);
    scratch.file("d.sh", "./utool --destroy db1\n");
    let tool = scratch.file("utool", "\u{7f}ELF and more");
    fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    scratch
}

#[test]
fn a_yes_to_a_script_is_none_to_another_under_its_name() {
    if no_person_here() {
        return;
    }
    let call = CALL.replace("terraform apply", "bash d.sh");
    let changes: [(&str, &str, &str); 3] = [
        ("d.sh", "./utool --destroy PROD\n", "d.sh has changed since"),
        ("d.sh", "./utool --destroy db1; cat ~/.ssh/id_rsa\n", "d.sh has changed since"),
        ("utool", "\u{7f}ELF of somebody else", "utool has changed since"),
    ];
    for config in ["", "[attestation]\nmode = \"require\"\n"] {
        for (name, text, why) in changes {
            let scratch = with_script(config);
            approve(&scratch, &hook(&scratch, &call));
            let before = fs::read(scratch.work().join(name)).unwrap();
            fs::write(scratch.work().join(name), text).unwrap();
            let said = hook(&scratch, &call);
            assert!(said.contains("\"deny\"") && said.contains(why), "{config} {name}: {said}");
            assert!(said.contains("recourse approve "), "{said}");
            fs::write(scratch.work().join(name), before).unwrap();
            assert_eq!(hook(&scratch, &call), "", "{config}: what was approved still is");
        }
    }
}

#[test]
fn a_file_that_changed_before_the_person_looked_is_not_approved() {
    if no_person_here() {
        return;
    }
    let scratch = with_script("");
    let said = hook(&scratch, &CALL.replace("terraform apply", "bash d.sh"));
    scratch.file("d.sh", "./utool --destroy PROD\n");
    let (status, text) = scratch.in_terminal(&[program(), "approve", &id(&said)]).finish();
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("d.sh has changed since"), "{text}");
}

#[test]
fn what_was_allowed_for_a_while_is_asked_again_when_its_script_changes() {
    if no_person_here() {
        return;
    }
    let scratch = with_script("");
    let run = || scratch.in_terminal(&[program(), "exec", "--", "bash", "d.sh"]);
    let mut terminal = run();
    terminal.expect("Your decision");
    terminal.send("w");
    terminal.finish();
    let (_, text) = run().finish();
    assert!(text.contains("you allowed this here"), "{text}");
    scratch.file("d.sh", "./utool --destroy PROD\n");
    let mut terminal = run();
    terminal.expect("Your decision");
    assert!(terminal.text().contains("d.sh has changed since"), "{}", terminal.text());
    terminal.send("a");
    assert_eq!(terminal.finish().0, 126);
}
