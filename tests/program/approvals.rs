//! `recourse approve`: a person at a terminal can, an agent that runs the same program cannot.

// A test fails loudly.
use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::support::{InTerminal, Scratch, program};
use recourse::approvals::{Here, doubt};

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

/// These tests need a person's place, which a test that an agent runs does not have.
fn by_an_agent() -> bool {
    let doubt = doubt(&Here::new());
    if let Some(doubt) = &doubt {
        eprintln!("not tested: {doubt}");
    }
    doubt.is_some()
}

#[test]
fn a_person_approves_once() {
    if by_an_agent() {
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
    if by_an_agent() {
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
