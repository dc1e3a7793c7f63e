//! Each agent's adapter, byte for byte: what the program says to a call, and how it ends.
//!
//! `tests/data/agents/AGENT/CASE.json` is a call, `CASE.out` its exit status, standard output and standard error. Directories
//! and ids of requests stand as `@WORK@`, `@HOME@` and `@ID@`. With `UPDATE_FIXTURES=1` the answers are written anew.

// A test fails loudly.
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::support::Scratch;
use serde_json::{Value, json};

const AGENTS: &[&str] = &[
    "claude-code",
    "codex",
    "gemini",
    "cursor",
    "copilot",
    "vscode",
    "windsurf",
    "cline",
    "opencode",
    "amp",
    "crush",
];

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/agents")
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    fs::write(scratch.root().join("home/notes.txt"), "hello\n").unwrap();
    fs::write(scratch.root().join("home/n.ipynb"), "{}\n").unwrap();
    fs::write(scratch.root().join("home/x\u{1b}[2J\u{202e} y"), "other\n").unwrap();
    // What is suggested hangs on the programs that there are.
    fs::create_dir_all(scratch.root().join("bin")).unwrap();
    fs::write(scratch.root().join("bin/trash-put"), "#!/bin/sh\n").unwrap();
    // Nothing is refused that can be kept; here the refusals are looked at.
    fs::create_dir_all(scratch.root().join("config/recourse")).unwrap();
    fs::write(scratch.root().join("config/recourse/policy.toml"), "[keep]\nwhen = \"never\"\n").unwrap();
    scratch
}

fn hook(scratch: &Scratch, agent: &str, input: &[u8]) -> Output {
    let mut command = scratch.recourse(&["hook", agent]);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{path}:{}", scratch.root().join("bin").display()));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may end without reading all.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn input(scratch: &Scratch, text: &str) -> String {
    let home = scratch.root().join("home");
    text.replace("@WORK@", scratch.work().to_str().unwrap()).replace("@HOME@", home.to_str().unwrap())
}

/// The answer, with what differs from run to run taken out.
fn plain(scratch: &Scratch, output: &Output) -> String {
    let text = format!(
        "{}\n{}{}",
        output.status.code().unwrap(),
        String::from_utf8(output.stdout.clone()).unwrap(),
        String::from_utf8(output.stderr.clone()).unwrap()
    );
    let text = text.replace(scratch.work().to_str().unwrap(), "@WORK@");
    let text = text.replace(scratch.root().join("home").to_str().unwrap(), "@HOME@");
    let mut parts = text.split("recourse approve ");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| format!("{text}recourse approve @ID@{}", &part[12..]))
}

/// Standard output holds one JSON object or nothing, no decision to allow, and every denial its reason.
fn is_well_formed(agent: &str, case: &str, output: &Output) {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    match output.status.code().unwrap() {
        0 => assert!(stderr.is_empty(), "{agent}/{case}: {stderr}"),
        2 => assert!(!stderr.trim().is_empty() && text.is_empty(), "{agent}/{case}: {text}{stderr}"),
        other => panic!("{agent}/{case}: exit status {other}"),
    }
    assert!(!format!("{text}{stderr}").contains("ghp_0123"), "{agent}/{case}: a secret");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{agent}/{case}: control characters");
    if text.is_empty() {
        return;
    }
    assert_eq!(text.lines().count(), 1, "{agent}/{case}: {text}");
    let value: Value = serde_json::from_str(&text).unwrap();
    assert!(value.is_object(), "{agent}/{case}");
    let inner = value.get("hookSpecificOutput").unwrap_or(&value);
    let decision = ["permissionDecision", "decision", "permission", "action"]
        .iter()
        .find_map(|key| inner.get(*key))
        .and_then(Value::as_str)
        .unwrap_or_default();
    assert!(!["allow", "approve"].contains(&decision), "{agent}/{case}: {text}");
    if matches!(decision, "deny" | "ask" | "reject-and-continue") || value["cancel"] == Value::Bool(true) {
        let reason = ["permissionDecisionReason", "reason", "user_message", "message", "errorMessage"]
            .iter()
            .find_map(|key| inner.get(*key))
            .and_then(Value::as_str)
            .unwrap_or_default();
        assert!(!reason.trim().is_empty(), "{agent}/{case}: no reason: {text}");
    }
    if agent == "codex" {
        let known = |map: &Value, keys: &[&str]| {
            map.as_object().unwrap().keys().all(|key| keys.contains(&key.as_str()))
        };
        assert!(known(&value, &["hookSpecificOutput", "systemMessage"]), "{text}");
        let inside = ["hookEventName", "permissionDecision", "permissionDecisionReason", "decision"];
        assert!(value.get("hookSpecificOutput").is_none_or(|inner| known(inner, &inside)), "{text}");
        assert_ne!(decision, "ask", "{text}");
    }
}

/// Whether the answer stops the call.
fn stops(agent: &str, output: &Output) -> bool {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match agent {
        "windsurf" | "opencode" => output.status.code() == Some(2),
        "cline" => text.contains("\"cancel\":true"),
        "amp" => text.contains("reject-and-continue"),
        _ => text.contains("\"deny\""),
    }
}

#[test]
fn answers_are_these_bytes() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut wrong = Vec::new();
    for agent in AGENTS {
        let mut cases: Vec<PathBuf> =
            fs::read_dir(data().join(agent)).unwrap().map(|entry| entry.unwrap().path()).collect();
        cases.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        cases.sort();
        assert!(cases.len() >= 9, "{agent}");
        for path in cases {
            let case = path.file_stem().unwrap().to_string_lossy().into_owned();
            let scratch = scratch();
            let output =
                hook(&scratch, agent, input(&scratch, &fs::read_to_string(&path).unwrap()).as_bytes());
            is_well_formed(agent, &case, &output);
            match case.as_str() {
                "missing-command" | "command-is-no-text" | "block" | "control" | "mcp" | "patch-in-shell" => {
                    assert!(stops(agent, &output), "{agent}/{case}");
                }
                "allow" | "unknown-fields" | "warn" | "edit" | "read" | "view" => {
                    assert!(!stops(agent, &output), "{agent}/{case}");
                }
                "escalate" => {
                    let asks = ["claude-code", "copilot", "vscode"].contains(agent);
                    assert_eq!(stops(agent, &output), !asks, "{agent}/{case}");
                    let said =
                        String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
                    assert_eq!(said.contains("recourse approve "), !asks, "{agent}/{case}: {said}");
                }
                _ => {}
            }
            let said = plain(&scratch, &output);
            let expected = path.with_extension("out");
            if update {
                fs::write(&expected, &said).unwrap();
            } else if fs::read_to_string(&expected).unwrap_or_default() != said {
                wrong.push(format!("{agent}/{case}:\n{said}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_agents_destroy_is_kept_first_and_comes_back() {
    for agent in AGENTS {
        let scratch = scratch();
        fs::remove_file(scratch.root().join("config/recourse/policy.toml")).unwrap();
        let notes = scratch.root().join("home/notes.txt");
        let call = fs::read_to_string(data().join(agent).join("block.json")).unwrap();
        let output = hook(&scratch, agent, input(&scratch, &call).as_bytes());
        is_well_formed(agent, "kept", &output);
        assert!(!stops(agent, &output), "{agent}: {}", String::from_utf8_lossy(&output.stdout));
        fs::remove_file(&notes).unwrap();
        let undone = scratch.recourse(&["undo", "--yes"]).output().unwrap();
        assert_eq!(undone.status.code(), Some(0), "{agent}: {}", String::from_utf8_lossy(&undone.stderr));
        assert_eq!(fs::read_to_string(&notes).unwrap(), "hello\n", "{agent}");
    }
}

/// Calls of one session, one after the other; whether the last one is stopped or asked about.
fn stopped_last(agent: &str, calls: &[Value]) -> bool {
    let scratch = scratch();
    let mut last = String::new();
    let mut code = None;
    for call in calls {
        let text = input(&scratch, &call.to_string());
        let output = hook(&scratch, agent, text.as_bytes());
        last = String::from_utf8_lossy(&output.stdout).into_owned();
        code = output.status.code();
    }
    code == Some(2) || last.contains("deny") || last.contains("\"ask\"")
}

#[test]
fn terminals_that_go_on_are_judged_where_they_were_left() {
    let vscode = |session: &str, command: &str| {
        json!({"hook_event_name": "PreToolUse", "session_id": session, "cwd": "@WORK@",
            "tool_name": "run_in_terminal", "tool_input": {"command": command}})
    };
    let copilot = |session: &str, command: &str| json!({"sessionId": session, "cwd": "@WORK@", "toolName": "bash", "toolArgs": {"command": command}});
    type Call<'a> = &'a dyn Fn(&str, &str) -> Value;
    let windsurf = |session: &str, command: &str| {
        json!({"agent_action_name": "pre_run_command", "trajectory_id": session,
            "tool_info": {"command_line": command, "cwd": "@WORK@"}})
    };
    let calls: [(&str, Call<'_>); 3] = [("vscode", &vscode), ("copilot", &copilot), ("windsurf", &windsurf)];
    for (agent, call) in calls {
        let of = |commands: &[&str]| commands.iter().map(|text| call("s", text)).collect::<Vec<_>>();
        for lost in [
            &["cd @HOME@", "rm notes.txt"][..],
            &["cd @HOME@ && ls", "ls", "rm notes.txt"],
            &["pushd @HOME@ > /dev/null", "rm notes.txt"],
            &["cd \"$(cat nowhere)\"", "rm notes.txt"],
            &["WHERE=@HOME@", "rm -rf \"$WHERE\""],
            &["export HOME=/x", "rm -rf \"$HOME/y\""],
            &["rm -rf $NOBODY_SET_THIS/notes.txt"],
            &["alias ll='rm -rf @HOME@'", "ll"],
            &["ls(){ rm -rf \"$@\"; }", "pwd", "ls @HOME@"],
            &["echo 'k() { rm -rf @HOME@; }' > f.sh && . ./f.sh", "k"],
        ] {
            assert!(stopped_last(agent, &of(lost)), "{agent} {lost:?}");
        }
        for fine in [
            &["rm notes.txt"][..],
            &["ls", "rm notes.txt"],
            &["(cd @HOME@ && ls)", "rm notes.txt"],
            &["cd .", "rm notes.txt"],
            &["cd @WORK@ && ls", "rm notes.txt"],
            &["for f in a b; do echo $f; done", "ls -la $HOME"],
            &["alias ls='ls -la'", "ls @HOME@"],
            &["enter() { cd \"$1\" && ls; }", "enter @WORK@"],
        ] {
            assert!(!stopped_last(agent, &of(fine)), "{agent} {fine:?}");
        }
        assert!(
            !stopped_last(agent, &[call("a", "cd @HOME@"), call("b", "rm notes.txt")]),
            "another session"
        );
    }
    // A shell of its own for each call.
    let claude = |command: &str| {
        json!({"session_id": "s", "cwd": "@WORK@", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command}})
    };
    assert!(!stopped_last("claude-code", &[claude("cd @HOME@"), claude("rm notes.txt")]));
    let typed = |text: &str| {
        json!({"session_id": "s", "cwd": "@WORK@", "hook_event_name": "PreToolUse", "tool_name": "write_stdin",
            "tool_input": {"session_id": 3, "chars": text}})
    };
    assert!(stopped_last("codex", &[typed("rm notes.txt\n")]));
    assert!(!stopped_last("codex", &[typed("")]) && !stopped_last("codex", &[typed("ls\n")]));
}

/// Calls that every agent's adapter answers, each with a fixture.
const CASES: &[&str] = &[
    "allow",
    "warn",
    "escalate",
    "block",
    "unknown-fields",
    "missing-command",
    "command-is-no-text",
    "control",
    "secret",
    "mcp",
];

#[test]
fn every_agent_has_every_case() {
    for agent in AGENTS {
        for case in CASES {
            for extension in ["json", "out"] {
                assert!(
                    data().join(agent).join(case).with_extension(extension).exists(),
                    "{agent}/{case}.{extension}"
                );
            }
        }
    }
}

/// A call of an agent with one field more, so large that the whole has this many bytes.
fn padded(call: &str, size: usize) -> String {
    let mut call: Value = serde_json::from_str(call).unwrap();
    call["padding"] = Value::from("");
    let short = call.to_string().len();
    call["padding"] = Value::from("x".repeat(size - short));
    let text = call.to_string();
    assert_eq!(text.len(), size);
    text
}

/// What nobody can read, made of a call that would be let go: name and bytes.
fn unreadable(call: &str) -> Vec<(&'static str, Vec<u8>)> {
    let place = call.find("\"ls").map_or_else(|| call.find("ls").unwrap(), |at| at + 1);
    let (before, after) = call.as_bytes().split_at(place);
    let deep = |levels: usize| {
        let end = call.rfind('}').unwrap();
        format!("{},\"deep\":{}{}}}", &call[..end], "[".repeat(levels), "]".repeat(levels)).into_bytes()
    };
    vec![
        ("empty", Vec::new()),
        ("blanks", b" \n".to_vec()),
        ("null", b"null".to_vec()),
        ("a list", format!("[{call}]").into_bytes()),
        ("a text", b"\"ls\"".to_vec()),
        ("no fields", b"{}".to_vec()),
        ("two calls", format!("{call}{call}").into_bytes()),
        ("cut short", call.as_bytes()[..call.len() / 2].to_vec()),
        ("one brace short", call.trim_end().strip_suffix('}').unwrap().as_bytes().to_vec()),
        ("invalid UTF-8", [before, b"\xff\xfe", after].concat()),
        ("a lone surrogate", [before, b"\\ud800", after].concat()),
        ("a zero byte", [before, b"\0", after].concat()),
        ("a mark of byte order", [b"\xef\xbb\xbf", call.as_bytes()].concat()),
        ("deep", deep(200)),
        ("very deep", deep(100_000)),
        ("8 MiB and one byte", padded(call, (8 << 20) + 1).into_bytes()),
        ("9 MiB without an end", [b"{\"a\":\"".to_vec(), vec![b'x'; 9 << 20]].concat()),
    ]
}

#[test]
fn what_cannot_be_read_is_stopped() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let scratch = scratch();
    for agent in AGENTS {
        let call = input(&scratch, &fs::read_to_string(data().join(agent).join("allow.json")).unwrap());
        let mut all = String::new();
        for (case, bytes) in unreadable(&call) {
            let output = hook(&scratch, agent, &bytes);
            is_well_formed(agent, case, &output);
            assert!(stops(agent, &output), "{agent}: {case}");
            all.push_str(&format!("{case}: {}", plain(&scratch, &output)));
        }
        // Where a line and a column stand depends on how long the names of the test's own directories are.
        let all = without_columns(&all);
        let expected = data().join(agent).join("unreadable.out");
        if update {
            fs::write(&expected, &all).unwrap();
        }
        assert_eq!(fs::read_to_string(&expected).unwrap_or_default(), all, "{agent}");
    }
}

fn without_columns(text: &str) -> String {
    let mut parts = text.split(", column ");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| {
        format!("{text}, column @{}", part.trim_start_matches(|c: char| c.is_ascii_digit()))
    })
}

#[test]
fn eight_mebibytes_are_read() {
    for agent in AGENTS {
        // One of each kind of agent for the costlier ones.
        let usual = ["claude-code", "codex"].contains(agent);
        for case in if usual { &["allow", "block"][..] } else { &["allow"] } {
            let scratch = scratch();
            let fixture = |extension: &str| {
                fs::read_to_string(data().join(agent).join(case).with_extension(extension)).unwrap()
            };
            let call = padded(&input(&scratch, &fixture("json")), 8 << 20);
            let output = hook(&scratch, agent, call.as_bytes());
            assert_eq!(plain(&scratch, &output), fixture("out"), "{agent}/{case}");
        }
        if !usual {
            continue;
        }
        // A command of that size is beyond what is interpreted: a person decides.
        let scratch = scratch();
        let call = input(&scratch, &fs::read_to_string(data().join(agent).join("allow.json")).unwrap());
        let call = call.replacen("ls", &format!("ls {}", "x".repeat((8 << 20) - 2000)), 1);
        let output = hook(&scratch, agent, call.as_bytes());
        is_well_formed(agent, "a huge command", &output);
        let asks = String::from_utf8_lossy(&output.stdout).contains("\"ask\"");
        assert!(stops(agent, &output) || asks, "{agent}: a huge command");
    }
}

#[test]
fn our_own_failure_stops_the_call() {
    let scratch = Scratch::with_policy("[[rule]]\nverdict = \"maybe\"\n");
    for agent in AGENTS {
        let text = fs::read_to_string(data().join(agent).join("allow.json")).unwrap();
        let output = hook(&scratch, agent, input(&scratch, &text).as_bytes());
        is_well_formed(agent, "broken policy", &output);
        assert!(stops(agent, &output), "{agent}");
        let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
        assert!(said.contains("policy.toml:2"), "{agent}: {said}");
    }
}
