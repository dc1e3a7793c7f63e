//! An agent's own tools for files, and other servers', on what guards against it: never without a person.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::support::Scratch;
use serde_json::{Value, json};

/// A home in which recourse is installed for agents.
fn machine() -> Scratch {
    let scratch = Scratch::new();
    let hook = r#"{"model":"x","hooks":{"PreToolUse":[{"hooks":[{"command":"/usr/local/bin/recourse hook claude-code"}]}]}}"#;
    for (path, text) in [
        ("home/.claude/settings.json", hook),
        ("home/.cursor/hooks.json", hook),
        ("config/recourse/policy.toml", "[profile.agent]\n"),
        ("config/opencode/plugins/recourse.js", "// recourse\n"),
        ("work/other/.claude/settings.json", "{\"model\":\"x\"}"),
        ("work/notes.txt", "hello\n"),
    ] {
        let path = scratch.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    scratch
}

/// What is said to a call; empty where nothing is.
fn said(scratch: &Scratch, agent: &str, tool: &str, input: &Value) -> String {
    let call = json!({ "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "cwd": scratch.work() });
    let mut child = scratch
        .recourse(&["hook", agent])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(call.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn stopped(text: &str) -> bool {
    text.contains("\"permissionDecision\":\"deny\"") || text.contains("\"permissionDecision\":\"ask\"")
}

#[test]
fn tools_for_files_do_not_change_what_guards() {
    let scratch = machine();
    let at = |path: &str| scratch.root().join(path).to_str().unwrap().to_owned();
    let settings = at("home/.claude/settings.json");
    let policy = at("config/recourse/policy.toml");
    let plugin = at("config/opencode/plugins/recourse.js");
    let local = at("work/.claude/settings.local.json");
    let approval = at("home/.local/state/recourse/approvals/0123456789ab.json");
    let patch = |kind: &str, path: &str| json!({ "input": format!("*** Begin Patch\n*** {kind} File: {path}\n*** End Patch") });
    let calls = [
        ("Write", json!({ "file_path": settings, "content": "{}" })),
        ("Edit", json!({ "file_path": settings, "old_string": "recourse", "new_string": "true" })),
        (
            "MultiEdit",
            json!({ "file_path": settings, "edits": [{ "old_string": "recourse", "new_string": "true" }] }),
        ),
        ("Write", json!({ "file_path": policy, "content": "" })),
        ("Edit", json!({ "file_path": policy, "old_string": "agent", "new_string": "ci" })),
        ("Write", json!({ "file_path": at("config/recourse/knowledge/mine.toml"), "content": "" })),
        ("Write", json!({ "file_path": at("config/recourse/config.toml"), "content": "" })),
        ("Write", json!({ "file_path": plugin, "content": "" })),
        ("Write", json!({ "file_path": at("home/.cursor/hooks.json"), "content": "{}" })),
        ("Write", json!({ "file_path": local, "content": "{\"disableAllHooks\": true}" })),
        ("Write", json!({ "file_path": approval, "content": "{}" })),
        ("mcp__filesystem__write_file", json!({ "path": settings, "content": "{}" })),
        (
            "mcp__filesystem__edit_file",
            json!({ "path": policy, "edits": [{ "oldText": "a", "newText": "b" }] }),
        ),
        ("mcp__filesystem__move_file", json!({ "source": settings, "destination": at("work/x") })),
        ("mcp__filesystem__move_file", json!({ "source": at("home/.claude"), "destination": at("work/x") })),
        ("mcp__filesystem__delete_file", json!({ "path": plugin })),
        ("mcp__shell__execute", json!({ "command": format!("rm {settings}") })),
    ];
    for (tool, input) in &calls {
        let text = said(&scratch, "claude-code", tool, input);
        assert!(stopped(&text) && text.contains("guard"), "{tool} {input}: {text}");
    }
    for (tool, input) in [
        ("apply_patch", patch("Update", &settings)),
        ("apply_patch", patch("Delete", &policy)),
        ("apply_patch", patch("Add", &local.replace("local.json", "json"))),
        (
            "apply_patch",
            json!({ "input": format!("*** Begin Patch\n*** Update File: notes.txt\n*** Move to: {settings}\n*** End Patch") }),
        ),
    ] {
        let input = match tool {
            // A project's settings that switch hooks off.
            _ if input.to_string().contains("Add File") => json!({ "input": format!(
                "*** Begin Patch\n*** Add File: {}\n+{{\"disableAllHooks\": true}}\n*** End Patch", at("work/.claude/settings.json")) }),
            _ => input,
        };
        let text = said(&scratch, "codex", tool, &input);
        assert!(stopped(&text) && text.contains("guard"), "{tool} {input}: {text}");
        assert!(text.contains("recourse approve ") || text.contains("blocks this"), "{text}");
    }
}

#[test]
fn their_neighbours_are_nobodys_business() {
    let scratch = machine();
    let at = |path: &str| scratch.root().join(path).to_str().unwrap().to_owned();
    for (tool, input) in [
        (
            "Edit",
            json!({ "file_path": at("work/other/.claude/settings.json"), "old_string": "x", "new_string": "y" }),
        ),
        ("Read", json!({ "file_path": at("home/.claude/settings.json") })),
        ("Write", json!({ "file_path": at("work/recourse.md"), "content": "recourse" })),
        ("Write", json!({ "file_path": at("work/.claude/agents/x.md"), "content": "recourse" })),
        ("mcp__filesystem__read_file", json!({ "path": at("config/recourse/policy.toml") })),
        ("mcp__recourse__recourse_evaluate_shell", json!({ "command": "rm -rf /" })),
    ] {
        let text = said(&scratch, "claude-code", tool, &input);
        assert!(!stopped(&text), "{tool} {input}: {text}");
    }
}
