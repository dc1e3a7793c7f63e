//! What agents destroy comes back: each sort of call is given to the hook, done as the agent would do it, and undone.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use crate::support::Scratch;
use serde_json::{Value, json};

/// What the agent does once the hook let it.
type Deed = fn(&Path);
/// What a tool is given, by the working directory.
type Input = fn(&str) -> Value;

/// A directory with something of each sort in it.
fn scene() -> Scratch {
    let scratch = Scratch::lasting();
    scratch.file("notes.md", "one\ntwo\n");
    scratch.file("other.md", "other\n");
    scratch.file("book.ipynb", "{\"cells\": [{\"id\": \"a\", \"source\": [\"x\"]}]}\n");
    scratch.file("sub/deep.txt", "deep\n");
    scratch
}

fn tree(dir: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with(".git") {
            continue;
        }
        if path.is_dir() {
            found.insert(format!("{}/", path.display()), Vec::new());
            tree(&path, found);
        } else {
            found.insert(path.display().to_string(), fs::read(&path).unwrap());
        }
    }
}

fn state(scratch: &Scratch) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    tree(&scratch.work(), &mut found);
    found
}

/// A call as this agent hands it over.
fn call(agent: &str, tool: &str, input: &Value, cwd: &str) -> Value {
    match agent {
        "gemini" => {
            json!({"session_id": "s", "cwd": cwd, "hook_event_name": "BeforeTool", "tool_name": tool, "tool_input": input})
        }
        "copilot" => json!({"sessionId": "s", "cwd": cwd, "toolName": tool, "toolArgs": input.to_string()}),
        "windsurf" => json!({"agent_action_name": tool, "trajectory_id": "s", "tool_info": input}),
        "cline" => {
            json!({"hookName": "PreToolUse", "taskId": "s", "workspaceRoots": [cwd], "preToolUse": {"toolName": tool, "parameters": input}})
        }
        "opencode" => json!({"tool": tool, "args": input, "cwd": cwd, "sessionID": "s"}),
        "amp" => json!({"tool": tool, "input": input, "cwd": cwd, "threadId": "s"}),
        "cursor" => {
            json!({"conversation_id": "s", "workspace_roots": [cwd], "cwd": cwd, "hook_event_name": "preToolUse", "tool_name": tool, "tool_input": input})
        }
        "crush" => {
            json!({"event": "PreToolUse", "session_id": "s", "cwd": cwd, "tool_name": tool, "tool_input": input})
        }
        _ => {
            json!({"session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input})
        }
    }
}

/// What the hook says; it lets the call run.
fn let_through(scratch: &Scratch, agent: &str, tool: &str, input: &Value) -> String {
    let call = call(agent, tool, input, scratch.work().to_str().unwrap());
    let mut child = scratch
        .recourse(&["hook", agent])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(call.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let stopped = output.status.code() != Some(0)
        || ["\"deny\"", "\"ask\"", "\"cancel\":true", "reject-and-continue"]
            .iter()
            .any(|no| text.contains(no));
    assert!(!stopped, "{agent} {tool} {input}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn overwrite(work: &Path) {
    fs::write(work.join("notes.md"), "new\n").unwrap();
}

fn remove(work: &Path) {
    fs::remove_file(work.join("notes.md")).unwrap();
}

fn shift(work: &Path) {
    fs::rename(work.join("notes.md"), work.join("other.md")).unwrap();
}

fn write_book(work: &Path) {
    fs::write(work.join("book.ipynb"), "{\"cells\": []}\n").unwrap();
}

fn remove_tree(work: &Path) {
    fs::remove_dir_all(work.join("sub")).unwrap();
}

#[test]
fn what_each_sort_of_call_destroys_comes_back() {
    let patch = |text: &str| json!({ "input": format!("*** Begin Patch\n{text}\n*** End Patch") });
    let notes = |work: &str| format!("{work}/notes.md");
    let cases: &[(&str, &str, Input, Deed)] = &[
        ("claude-code", "Bash", |_| json!({"command": "rm notes.md"}), remove),
        ("claude-code", "Bash", |_| json!({"command": "rm -rf sub"}), remove_tree),
        ("claude-code", "Bash", |_| json!({"command": "echo new > notes.md"}), overwrite),
        ("claude-code", "Bash", |_| json!({"command": "mv -f notes.md other.md"}), shift),
        (
            "claude-code",
            "Write",
            |w| json!({"file_path": format!("{w}/notes.md"), "content": "new\n"}),
            overwrite,
        ),
        (
            "claude-code",
            "Edit",
            |w| json!({"file_path": format!("{w}/notes.md"), "old_string": "one\ntwo", "new_string": "new"}),
            overwrite,
        ),
        (
            "claude-code",
            "MultiEdit",
            |w| json!({"file_path": format!("{w}/notes.md"), "edits": [{"old_string": "one\ntwo", "new_string": "new"}]}),
            overwrite,
        ),
        (
            "claude-code",
            "NotebookEdit",
            |w| json!({"notebook_path": format!("{w}/book.ipynb"), "cell_id": "a", "edit_mode": "delete", "new_source": ""}),
            write_book,
        ),
        (
            "claude-code",
            "mcp__filesystem__move_file",
            |w| json!({"source": format!("{w}/notes.md"), "destination": format!("{w}/other.md")}),
            shift,
        ),
        (
            "claude-code",
            "mcp__filesystem__write_file",
            |w| json!({"path": format!("{w}/notes.md"), "content": "new\n"}),
            overwrite,
        ),
        ("codex", "Bash", |_| json!({"command": "rm notes.md"}), remove),
        ("gemini", "run_shell_command", |_| json!({"command": "rm notes.md"}), remove),
        (
            "gemini",
            "write_file",
            |w| json!({"file_path": format!("{w}/notes.md"), "content": "new\n"}),
            overwrite,
        ),
        (
            "gemini",
            "replace",
            |w| json!({"file_path": format!("{w}/notes.md"), "old_string": "one\ntwo", "new_string": "new"}),
            overwrite,
        ),
        ("cursor", "Shell", |_| json!({"command": "rm notes.md"}), remove),
        ("cursor", "Write", |w| json!({"file_path": format!("{w}/notes.md"), "content": "new\n"}), overwrite),
        ("cursor", "Delete", |w| json!({"file_path": format!("{w}/notes.md")}), remove),
        ("copilot", "bash", |_| json!({"command": "rm notes.md"}), remove),
        ("copilot", "create", |w| json!({"path": format!("{w}/notes.md"), "file_text": "new\n"}), overwrite),
        (
            "copilot",
            "edit",
            |w| json!({"path": format!("{w}/notes.md"), "old_str": "one\ntwo", "new_str": "new"}),
            overwrite,
        ),
        ("vscode", "run_in_terminal", |_| json!({"command": "rm notes.md"}), remove),
        (
            "vscode",
            "create_file",
            |w| json!({"filePath": format!("{w}/notes.md"), "content": "new\n"}),
            overwrite,
        ),
        (
            "vscode",
            "replace_string_in_file",
            |w| json!({"filePath": format!("{w}/notes.md"), "oldString": "one\ntwo", "newString": "new"}),
            overwrite,
        ),
        ("windsurf", "pre_run_command", |w| json!({"command_line": "rm notes.md", "cwd": w}), remove),
        (
            "windsurf",
            "pre_write_code",
            |w| json!({"file_path": format!("{w}/notes.md"), "edits": [{"old_string": "one\ntwo", "new_string": "new"}]}),
            overwrite,
        ),
        ("cline", "execute_command", |_| json!({"command": "rm notes.md"}), remove),
        ("cline", "write_to_file", |_| json!({"path": "notes.md", "content": "new\n"}), overwrite),
        ("cline", "replace_in_file", |_| json!({"path": "notes.md", "diff": "x"}), overwrite),
        ("opencode", "bash", |_| json!({"command": "rm notes.md"}), remove),
        (
            "opencode",
            "write",
            |w| json!({"filePath": format!("{w}/notes.md"), "content": "new\n"}),
            overwrite,
        ),
        (
            "opencode",
            "edit",
            |w| json!({"filePath": format!("{w}/notes.md"), "oldString": "one\ntwo", "newString": "new"}),
            overwrite,
        ),
        ("amp", "Bash", |_| json!({"cmd": "rm notes.md"}), remove),
        ("amp", "create_file", |w| json!({"path": format!("{w}/notes.md"), "content": "new\n"}), overwrite),
        (
            "amp",
            "edit_file",
            |w| json!({"path": format!("{w}/notes.md"), "old_str": "one\ntwo", "new_str": "new"}),
            overwrite,
        ),
        ("crush", "bash", |_| json!({"command": "rm notes.md"}), remove),
        ("crush", "write", |w| json!({"file_path": format!("{w}/notes.md"), "content": "new\n"}), overwrite),
        (
            "crush",
            "edit",
            |w| json!({"file_path": format!("{w}/notes.md"), "old_string": "one\ntwo", "new_string": "new"}),
            overwrite,
        ),
    ];
    let mut all: Vec<(&str, &str, Value, Deed)> = Vec::new();
    let scratch = scene();
    let work = scratch.work().to_str().unwrap().to_owned();
    all.extend(cases.iter().map(|(agent, tool, input, deed)| (*agent, *tool, input(&work), *deed)));
    let path = notes(&work);
    for (agent, text, deed) in [
        ("codex", format!("*** Update File: {path}\n@@\n-one\n-two\n+new"), overwrite as Deed),
        ("codex", format!("*** Delete File: {path}"), remove),
        ("codex", format!("*** Update File: {path}\n*** Move to: {work}/other.md\n@@\n-one\n+one"), shift),
        ("opencode", format!("*** Delete File: {path}"), remove),
    ] {
        all.push((agent, "apply_patch", patch(&text), deed));
    }
    let mut wrong = Vec::new();
    for (agent, tool, input, deed) in all {
        let before = state(&scratch);
        let said = let_through(&scratch, agent, tool, &input);
        deed(&scratch.work());
        assert_ne!(state(&scratch), before);
        let undone = scratch.run(&["undo", "--yes"]);
        if state(&scratch) != before {
            wrong
                .push(format!("{agent} {tool} {input}: {said}\n{}", String::from_utf8_lossy(&undone.stderr)));
            for (name, text) in
                [("notes.md", "one\ntwo\n"), ("other.md", "other\n"), ("sub/deep.txt", "deep\n")]
            {
                scratch.file(name, text);
            }
            scratch.file("book.ipynb", &before[&format!("{work}/book.ipynb")]);
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn undo_without_an_id_is_of_the_agents_own_session() {
    let scratch = scene();
    let input = |name: &str| json!({"command": format!("rm {name}")});
    let said = let_through(&scratch, "claude-code", "Bash", &input("notes.md"));
    remove(&scratch.work());
    let id = said.split("recourse undo ").nth(1).unwrap()[..8].to_owned();
    assert!(said.contains("kept notes.md (8 bytes): recourse undo "), "{said}");
    // Another agent in the same place, later.
    let_through(&scratch, "crush", "bash", &input("other.md"));
    fs::remove_file(scratch.work().join("other.md")).unwrap();
    // What undo itself is judged as keeps nothing.
    assert_eq!(let_through(&scratch, "claude-code", "Bash", &json!({"command": "recourse undo"})), "");
    let undone = scratch.recourse(&["undo"]).env("CLAUDE_CODE_SESSION_ID", "s").output().unwrap();
    let text = String::from_utf8_lossy(&undone.stderr).into_owned();
    assert_eq!(undone.status.code(), Some(0), "{text}");
    assert!(text.contains(&id), "{text}");
    assert!(scratch.work().join("notes.md").exists() && !scratch.work().join("other.md").exists());
    // A person in the project gets the last of the place.
    assert_eq!(scratch.run(&["undo"]).status.code(), Some(0));
    assert!(scratch.work().join("other.md").exists());
}

#[test]
fn an_agent_does_not_reach_for_what_is_kept() {
    let scratch = scene();
    let_through(&scratch, "claude-code", "Bash", &json!({"command": "rm notes.md"}));
    let store = scratch.root().join("home/.local/share/recourse/kept");
    let store = if store.exists() { store } else { scratch.root().join("data/recourse/kept") };
    assert!(store.exists());
    let point = fs::read_dir(&store).unwrap().map(|entry| entry.unwrap().path()).next().unwrap();
    let (store, point) = (store.to_str().unwrap(), point.to_str().unwrap());
    let calls = [
        ("Bash", json!({"command": format!("rm -rf {store}")})),
        ("Bash", json!({"command": format!("rm {point}")})),
        ("Bash", json!({"command": format!("chmod 777 {store}")})),
        ("Bash", json!({"command": format!("mv {store} /tmp/x")})),
        ("Bash", json!({"command": "recourse kept prune --yes"})),
        ("Bash", json!({"command": "recourse kept forget 7f3a"})),
        ("Write", json!({"file_path": point, "content": ""})),
        ("mcp__filesystem__write_file", json!({"path": point, "content": ""})),
        ("mcp__filesystem__move_file", json!({"source": store, "destination": "/tmp/x"})),
        ("mcp__fs__delete_file", json!({"path": point})),
    ];
    for (tool, input) in calls {
        let mut child = scratch
            .recourse(&["hook", "claude-code"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let call = call("claude-code", tool, &input, scratch.work().to_str().unwrap());
        child.stdin.take().unwrap().write_all(call.to_string().as_bytes()).unwrap();
        let text = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        assert!(text.contains("\"deny\"") || text.contains("\"ask\""), "{tool} {input}: {text}");
    }
}

#[test]
fn before_programs_that_nobody_can_read_what_is_not_committed_is_kept_once() {
    let scratch = scene();
    scratch.file("large.bin", vec![7_u8; 100_000]);
    std::os::unix::fs::symlink("notes.md", scratch.work().join("link")).unwrap();
    fs::create_dir(scratch.work().join("empty")).unwrap();
    let points = || {
        let store = scratch.root().join("home/.local/share/recourse/kept");
        let store = if store.exists() { store } else { scratch.root().join("data/recourse/kept") };
        let names = fs::read_dir(store).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".point")).count()
    };
    let unread = json!({"command": "./some-tool --all"});
    let run = || assert_eq!(let_through(&scratch, "claude-code", "Bash", &unread), "");
    // What changed just before it was read could change again in the same tick of the clock.
    let settle = || std::thread::sleep(std::time::Duration::from_millis(100));
    settle();
    run();
    assert_eq!(points(), 1);
    run();
    run();
    assert_eq!(points(), 1);
    // Another session has its own.
    let_through(&scratch, "crush", "bash", &unread);
    assert_eq!(points(), 2);
    overwrite(&scratch.work());
    settle();
    let before = state(&scratch);
    run();
    assert_eq!(points(), 3);
    // The program writes over everything; what was taken from an earlier point comes back like the rest.
    for name in ["notes.md", "other.md", "book.ipynb", "sub/deep.txt", "large.bin"] {
        scratch.file(name, "gone\n");
    }
    fs::remove_file(scratch.work().join("link")).unwrap();
    let undone = scratch.run(&["undo", "--yes"]);
    assert_eq!(undone.status.code(), Some(0), "{}", String::from_utf8_lossy(&undone.stderr));
    assert_eq!(state(&scratch), before);
    // What was undone is no base for the next one.
    settle();
    run();
    assert!(points() > 3);
}
