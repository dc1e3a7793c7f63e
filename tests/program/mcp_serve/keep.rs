//! Keeping, putting back and listing over MCP.

use std::fs;

use serde_json::{Value, json};

use super::Server;
use crate::support::Scratch;

const NAMES: [&str; 3] = ["recourse_keep", "recourse_undo", "recourse_kept"];

fn told(answer: &Value) -> Value {
    assert_ne!(answer["result"]["isError"], true, "{answer}");
    let told = answer["result"]["structuredContent"].clone();
    assert!(told.to_string().len() < 1000, "{told}");
    told
}

fn offered(server: &mut Server) -> Vec<Value> {
    let listed = server.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    tools.into_iter().filter(|tool| NAMES.contains(&tool["name"].as_str().unwrap())).collect()
}

#[test]
fn what_is_kept_comes_back_and_goes_again() {
    let scratch = Scratch::lasting();
    let notes = scratch.file("notes.md", "hello\n");
    let cwd = scratch.work().to_str().unwrap().to_owned();
    let mut server = Server::start(&scratch);
    server.initialize("2025-11-25");
    let kept = told(&server.call("recourse_keep", json!({"command": "rm notes.md", "cwd": cwd})));
    assert_eq!((&kept["before"], &kept["mayRun"]), (&json!("block"), &json!(true)), "{kept}");
    assert_eq!(kept["kept"], "notes.md (6 bytes)");
    fs::remove_file(&notes).unwrap();
    let seen = told(&server.call("recourse_undo", json!({"dry_run": true})));
    assert_eq!((&seen["result"], &seen["steps"]["back"]["count"]), (&json!("dryRun"), &json!(1)), "{seen}");
    assert!(!notes.exists());
    // By another name of its own, without an id.
    fs::write(&notes, "later\n").unwrap();
    let back = told(&server.call("recourse_undo", json!({"paths": ["notes.md"], "cwd": cwd})));
    assert_eq!((&back["result"], &back["id"]), (&json!("back"), &kept["id"]), "{back}");
    assert_eq!(fs::read_to_string(&notes).unwrap(), "hello\n");
    // What it replaced was kept.
    told(&server.call("recourse_undo", json!({"id": back["redo"]})));
    assert_eq!(fs::read_to_string(&notes).unwrap(), "later\n");
    let list = told(&server.call("recourse_kept", json!({"here": cwd})));
    let oldest = list["points"].as_array().unwrap().last().unwrap();
    assert_eq!((&oldest["who"], &oldest["command"]), (&json!("agent/t"), &json!("rm notes.md")), "{list}");
}

#[test]
fn files_of_other_servers_and_words_without_a_shell_are_kept() {
    let scratch = Scratch::lasting();
    let notes = scratch.file("notes.md", "hello\n");
    let cwd = scratch.work().to_str().unwrap().to_owned();
    let mut server = Server::start(&scratch);
    for call in [
        json!({"argv": ["rm", "notes.md"], "cwd": cwd}),
        json!({"server": "filesystem", "tool": "write_file", "arguments": {"path": notes, "content": "x"}, "cwd": cwd}),
    ] {
        let kept = told(&server.call("recourse_keep", call));
        assert_eq!((&kept["kept"], &kept["mayRun"]), (&json!("notes.md (6 bytes)"), &json!(true)), "{kept}");
    }
}

#[test]
fn what_cannot_be_kept_may_not_run() {
    let scratch = Scratch::lasting();
    let cwd = scratch.work().to_str().unwrap().to_owned();
    let mut server = Server::start(&scratch);
    let answer = told(
        &server.call("recourse_keep", json!({"command": "terraform destroy -auto-approve", "cwd": cwd})),
    );
    assert_eq!((&answer["mayRun"], &answer["id"]), (&json!(false), &Value::Null), "{answer}");
    assert!(answer["nothingKept"].is_string() && answer["notKept"].is_array(), "{answer}");
    for wrong in [
        json!({"command": "ls", "argv": ["ls"], "cwd": cwd}),
        json!({"command": "ls", "server": "x", "cwd": cwd}),
        json!({"cwd": cwd}),
        json!({"command": "ls"}),
        json!({"command": "ls", "cwd": "/nowhere/at/all"}),
    ] {
        let answer = server.call("recourse_keep", wrong);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(
            answer["result"]["content"][0]["text"].as_str().unwrap().contains("Nothing was kept"),
            "{answer}"
        );
    }
    let nothing = told(&server.call("recourse_undo", json!({})));
    assert_eq!(nothing["result"], "nothing");
}

#[test]
fn a_client_without_a_handshake_says_its_name_with_each_request() {
    let scratch = Scratch::lasting();
    scratch.file("notes.md", "hello\n");
    let mut server = Server::start(&scratch);
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "a b/c\u{1b}", "version": "1"},
    });
    let arguments = json!({"command": "rm notes.md", "cwd": scratch.work()});
    let call = json!({"name": "recourse_keep", "arguments": arguments, "_meta": about});
    told(&server.request("tools/call", call));
    let list = told(&server.call("recourse_kept", json!({})));
    assert_eq!(list["points"][0]["who"], "agent/abc", "{list}");
}

#[test]
fn secrets_are_not_listed() {
    let scratch = Scratch::lasting();
    scratch.file("notes.md", "hello\n");
    let cwd = scratch.work().to_str().unwrap().to_owned();
    let mut server = Server::start(&scratch);
    let command = "TOKEN=ghp_0123456789abcdef0123456789abcdef0123 rm notes.md";
    told(&server.call("recourse_keep", json!({"command": command, "cwd": cwd})));
    let list = told(&server.call("recourse_kept", json!({})));
    assert!(list.to_string().contains("rm notes.md") && !list.to_string().contains("ghp_"), "{list}");
}

#[test]
fn the_list_comes_by_page_and_every_point_once() {
    let scratch = Scratch::lasting();
    let cwd = scratch.work().to_str().unwrap().to_owned();
    let mut server = Server::start(&scratch);
    let mut made = Vec::new();
    for number in 0..12 {
        let name = format!("a-file-with-a-rather-long-name-{number}.md");
        scratch.file(&name, format!("hello {number}\n"));
        let kept = told(&server.call("recourse_keep", json!({"command": format!("rm {name}"), "cwd": cwd})));
        made.push(kept["id"].as_str().unwrap().to_owned());
    }
    made.sort();
    let (mut seen, mut question) = (Vec::new(), json!({"here": cwd}));
    loop {
        let page = told(&server.call("recourse_kept", question));
        seen.extend(
            page["points"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()),
        );
        let Some(next) = page["nextCursor"].as_str() else { break };
        question = json!({"here": cwd, "cursor": next});
    }
    seen.sort();
    assert_eq!(seen, made);
}

#[test]
fn they_say_that_they_write_and_are_offered_only_where_something_may_be_kept() {
    let scratch = Scratch::lasting();
    let tools = offered(&mut Server::start(&scratch));
    let hints: Vec<_> =
        tools.iter().map(|tool| tool["annotations"]["readOnlyHint"].as_bool().unwrap()).collect();
    assert_eq!(hints, [false, false, true]);
    for tool in &tools[..2] {
        assert_eq!(tool["annotations"]["destructiveHint"], false, "{tool}");
    }
    let never = Scratch::with_policy("[keep]\nwhen = \"never\"\n");
    let mut server = Server::start(&never);
    assert!(offered(&mut server).is_empty());
    for name in NAMES {
        let answer = server.call(name, json!({}));
        assert!(answer["error"]["message"].as_str().unwrap().contains("there is no tool"), "{answer}");
    }
}
