//! OpenAI Codex: `PreToolUse` and `PermissionRequest`. An answer with any key, value or decision outside its schema counts
//! as a failed hook, and then the command runs: so only `deny` is ever said, with a reason.

use std::path::PathBuf;

use serde_json::json;

use super::super::Output;
use super::super::call::{Act, Answer, Object, Request, Unreadable, command, directory, object, text};
use super::super::places::{Entry, Folders, Form, Piece, Place, TIMEOUT};
use super::super::servers::Servers;
use super::super::terminal::Terminal;
use super::super::tools;
use super::{Adapter, pre_tool_use, said, silence};

/// All that is known of it.
pub(super) static ADAPTER: Adapter = Adapter {
    name: "codex",
    alias: None,
    title: "OpenAI Codex",
    asks: false,
    read,
    write,
    pieces,
    signs: &["codex", "/.codex"],
    remark: Some(
        "codex skips the hook until you trust it: run /hooks in codex, and again after every change of it",
    ),
    servers: Some(Servers {
        title: "OpenAI Codex",
        user: |folders| folder(folders).join("config.toml"),
        project: Some(".codex/config.toml"),
        list: "mcp_servers",
        form: Form::Toml,
        remark_in_project: Some("codex reads this in projects that you trust only"),
        ..Servers::COMMON
    }),
};

const PERMISSION: &str = "PermissionRequest";

fn read(input: &Object) -> Result<Request, Unreadable> {
    let event = text(input, &["hook_event_name"]).unwrap_or("PreToolUse");
    if event != "PreToolUse" && event != PERMISSION {
        return Ok(Request::default());
    }
    let name = text(input, &["tool_name"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    let given = object(input, &["tool_input"])?;
    let below = text(&given, &["workdir", "cwd"]);
    let terminal = if name == "write_stdin" { Terminal::Unseen } else { Terminal::Fresh };
    let request = Request::new(name, &given, acts(name, &given)?).in_terminal(terminal);
    Ok(request.at(directory(text(input, &["cwd"]), below)).event(event))
}

fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        "Bash" | "shell" | "exec_command" | "local_shell" | "unified_exec" => {
            Ok(vec![command(given, &["command", "cmd"])?])
        }
        // What is typed into a shell that runs already.
        "write_stdin" => {
            Ok(text(given, &["chars"]).map(|typed| Act::Shell(typed.to_owned())).into_iter().collect())
        }
        "js_repl" => {
            let code = text(given, &["code", "input"])
                .ok_or_else(|| Unreadable("it was called without code".to_owned()))?;
            Ok(vec![Act::runs("javascript", code)])
        }
        _ => tools::mcp(name, given).unwrap_or_else(|| tools::own(ADAPTER.name, name, given)),
    }
}

fn write(event: &str, answer: &Answer) -> Output {
    match answer {
        Answer::Silent => silence(),
        Answer::Note(_) if event == PERMISSION => silence(),
        Answer::Note(text) => said(&json!({ "systemMessage": text })),
        Answer::Ask(reason) | Answer::Deny(reason) if event == PERMISSION => {
            said(&json!({ "hookSpecificOutput": {
                "hookEventName": PERMISSION,
                "decision": { "behavior": "deny", "message": reason },
            } }))
        }
        Answer::Ask(reason) | Answer::Deny(reason) => pre_tool_use("deny", reason),
    }
}

fn pieces(place: &Place) -> Vec<Piece> {
    let hook = json!({ "type": "command", "command": place.command(), "timeout": TIMEOUT });
    let group = json!({ "matcher": ".*", "hooks": [hook] });
    let file = place.choose(folder(place.folders).join("hooks.json"), ".codex/hooks.json");
    vec![Piece::shared(file, [Entry::new(&["hooks", "PreToolUse"], group)])]
}

fn folder(folders: &Folders) -> PathBuf {
    folders.codex.clone().unwrap_or_else(|| folders.home.join(".codex"))
}
