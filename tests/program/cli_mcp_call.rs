//! `evaluate mcp`: calls of other servers' tools, through the program.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json as object};

use crate::support::{Scratch, json};

/// The report of a call.
fn judged(scratch: &Scratch, server: &str, tool: &str, arguments: &Value, more: &[&str]) -> Value {
    let arguments = arguments.to_string();
    let mut words = vec!["evaluate", "mcp", "--format", "json", "--fail-on", "never", "--tool", tool];
    if !server.is_empty() {
        words.extend(["--server", server]);
    }
    words.extend(["--arguments", &arguments]);
    words.extend(more);
    json(&scratch.run(&words))
}

fn verdict(report: &Value) -> &str {
    report["riskAssessment"].as_str().unwrap()
}

#[test]
fn a_call_is_judged_like_the_command_that_does_the_same() {
    let scratch = Scratch::new();
    let report = judged(&scratch, "filesystem", "delete_file", &object!({"path": "/etc/passwd"}), &[]);
    assert_eq!(verdict(&report), "block", "{report:#}");
    assert_eq!(report["mutations"][0]["intent"]["source"], "mcp");
    assert_eq!(report["mutations"][0]["recoverability"]["source"], "rules");
    let report = judged(&scratch, "filesystem", "read_file", &object!({"path": "/etc/passwd"}), &[]);
    assert_eq!(verdict(&report), "allow", "{report:#}");
    let bucket = object!({"bucket": "prod-audit-logs"});
    let report = judged(&scratch, "aws", "s3.delete_bucket", &bucket, &["--actor", "agent/infra"]);
    assert_eq!(verdict(&report), "block", "{report:#}");
    assert_eq!(report["mutations"][0]["intent"]["target"]["environment"], "production");
    assert_eq!(report["mutations"][0]["intent"]["actor"]["kind"], "agent");
}

#[test]
fn commands_and_sql_in_arguments_are_read() {
    let scratch = Scratch::new();
    for (server, tool, arguments, want) in [
        ("shell", "run_command", object!({"command": "ls -l"}), "allow"),
        ("shell", "run_command", object!({"command": "rm -rf /etc/ssl"}), "block"),
        ("desktop-commander", "start_process", object!({"command": "cd /etc && rm passwd"}), "block"),
        ("desktop-commander", "execute_command", object!({"command": "rm passwd", "cwd": "/etc"}), "block"),
        ("postgres", "query", object!({"sql": "SELECT 1"}), "allow"),
        ("postgres", "query", object!({"sql": "DROP TABLE users"}), "block"),
        ("db-prod", "execute_sql", object!({"query": "select 1; delete from users"}), "block"),
        // Nobody knows these servers; what they are handed is read all the same.
        ("acme", "do_it", object!({"command": "rm -rf /etc/ssl"}), "block"),
        ("acme", "ask", object!({"sql": "TRUNCATE users"}), "block"),
        ("acme", "run_command", object!({"command": "ls"}), "allow"),
    ] {
        let report = judged(&scratch, server, tool, &arguments, &[]);
        let got = verdict(&report);
        let fine = got == want || (want == "block" && got == "escalate" && server == "acme");
        assert!(fine, "{server}.{tool} {arguments}: {got}: {report:#}");
    }
}

#[test]
fn unknown_tools_are_never_allowed_on_weak_evidence() {
    let scratch = Scratch::new();
    for (tool, arguments) in [
        ("frobnicate", object!({})),
        ("purge_everything", object!({})),
        ("deleteAllUsers", object!({})),
        ("get_and_delete", object!({"id": 1})),
        ("create_payment", object!({"amount": 10})),
        ("list_things", object!({"force": true})),
        ("list_things", object!({"query": "DROP TABLE x"})),
        ("search", object!({"callback": "curl x | sh"})),
    ] {
        let report =
            judged(&scratch, "acme", tool, &arguments, &["--annotations", "{\"readOnlyHint\": true}"]);
        assert!(["escalate", "block"].contains(&verdict(&report)), "{tool}: {report:#}");
        let source = &report["mutations"][0]["recoverability"];
        assert!(source["confidence"].as_f64().unwrap() < 1.0, "{source}");
    }
    let report = judged(&scratch, "acme", "get_weather", &object!({"city": "Berlin"}), &[]);
    assert_eq!(verdict(&report), "allow", "{report:#}");
    assert_eq!(report["mutations"][0]["recoverability"]["source"], "classifier");
}

#[test]
fn calls_of_many_servers() {
    let scratch = Scratch::new();
    let calls = include_str!("../data/mcp_calls.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let calls: Vec<[&str; 4]> =
        calls.map(|line| line.splitn(4, ' ').collect::<Vec<_>>().try_into().expect(line)).collect();
    let mut child =
        scratch.recourse(&["mcp", "serve"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut requests = String::new();
    for (id, [_, server, tool, arguments]) in calls.iter().enumerate() {
        let arguments: Value = serde_json::from_str(arguments).expect(arguments);
        let mut call = object!({"tool": tool, "arguments": arguments});
        if *server != "-" {
            call["server"] = object!(server);
        }
        let params = object!({"name": "recourse_evaluate_mcp_call", "arguments": call});
        let request = object!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        requests.push_str(&format!("{request}\n"));
    }
    std::thread::spawn(move || input.write_all(requests.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    let mut wrong = Vec::new();
    let mut answered = 0;
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        let [want, server, tool, arguments] = calls[usize::try_from(answer["id"].as_u64().unwrap()).unwrap()];
        answered += 1;
        let got = verdict(&answer["result"]["structuredContent"]);
        if (want == "allow") != (got == "allow") {
            wrong.push(format!("{server}.{tool} {arguments}: {got}"));
        }
    }
    assert_eq!(answered, calls.len());
    assert!(wrong.is_empty() && calls.len() > 400, "{} calls:\n{}", calls.len(), wrong.join("\n"));
}

#[test]
fn bad_input_is_an_error_and_never_a_verdict() {
    let scratch = Scratch::new();
    for (words, part) in [
        (&["--tool", "x", "--arguments", "{"][..], "not JSON"),
        (&["--tool", "x", "--arguments", "[1]"], "not an object"),
        (&["--tool", "x", "--arguments", "\"{}\""], "not an object"),
        (&["--tool", "x", "--arguments", "@/no/such/file"], "/no/such/file"),
        (&["--tool", "x", "--annotations", "3"], "not an object"),
        (&["--tool", " "], "tool"),
        (&["--server", "x"], "--tool"),
    ] {
        let output = scratch.run(&[&["evaluate", "mcp"], words].concat());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains(part) && output.stdout.is_empty(), "{words:?}: {error}");
    }
}

#[test]
fn arguments_come_from_standard_input_and_files_too() {
    let scratch = Scratch::new();
    scratch.file("call.json", "{\"command\": \"rm -f /etc/passwd\"}");
    let words = ["evaluate", "mcp", "--server", "shell", "--tool", "bash", "--arguments"];
    let output = scratch.run(&[&words[..], &["@call.json"]].concat());
    assert_eq!(output.status.code(), Some(30), "{}", String::from_utf8_lossy(&output.stdout));
    let mut child = scratch
        .recourse(&[&words[..], &["-"]].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"{\"command\": \"ls\"}").unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
}

#[test]
fn explain_and_resources_speak_of_tools() {
    let scratch = Scratch::new();
    let output =
        scratch.run(&["explain", "--server", "filesystem", "--tool", "delete_file", "--arguments", "{}"]);
    let page = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(page.contains("mcp filesystem") && page.contains("without `path`"), "{page}");
    let found = json(&scratch.run(&["resources", "--format", "json", "delete_file"]));
    let servers = found["mcpServers"].as_array().unwrap();
    assert!(servers.iter().any(|server| server["server"] == "filesystem"), "{found:#}");
}

#[test]
fn secrets_in_arguments_are_not_repeated() {
    let scratch = Scratch::new();
    let report = judged(&scratch, "acme", "login", &object!({"user": "u", "password": "hunter2"}), &[]);
    assert!(!report.to_string().contains("hunter2"), "{report:#}");
}
