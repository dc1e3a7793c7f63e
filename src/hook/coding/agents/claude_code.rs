//! Claude Code: `PreToolUse`.

use std::path::Path;

use serde_json::json;

use super::super::Output;
use super::super::call::{
    Act, Answer, Object, Request, Unreadable, command, directory, object, powershell, text,
};
use super::super::places::{Entry, Form, Piece, Place, TIMEOUT};
use super::super::servers::Servers;
use super::super::tools;
use super::{Adapter, context, pre_tool_use, silence};

/// All that is known of it.
pub(super) static ADAPTER: Adapter = Adapter {
    name: "claude-code",
    alias: Some("claude"),
    title: "Claude Code",
    asks: true,
    read,
    write,
    pieces,
    signs: &["claude", "/.claude"],
    remark: Some(
        "`onFailure` is known from version 2.1.295 on; older versions run a command when the hook fails",
    ),
    servers: Some(Servers {
        title: "Claude Code",
        user: |folders| folders.claude.as_ref().unwrap_or(&folders.home).join(".claude.json"),
        project: Some(".mcp.json"),
        form: Form::Typed,
        remark_in_project: Some("Claude Code asks once whether this project's servers may start"),
        ..Servers::COMMON
    }),
};

pub(super) fn read(input: &Object) -> Result<Request, Unreadable> {
    if text(input, &["hook_event_name"]).is_some_and(|event| event != "PreToolUse") {
        return Ok(Request::default());
    }
    let name = text(input, &["tool_name"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    let given = object(input, &["tool_input"])?;
    let acts = match name {
        "ExitWorktree" => worktree(text(input, &["cwd"]), &given),
        _ => acts(ADAPTER.name, name, &given)?,
    };
    Ok(Request::new(name, &given, acts).at(directory(text(input, &["cwd"]), None)))
}

/// Leaving a worktree of the session's own: kept, or removed with what was not committed in it.
fn worktree(cwd: Option<&str>, given: &Object) -> Vec<Act> {
    if text(given, &["action"]) == Some("keep") {
        return Vec::new();
    }
    let cwd = Path::new(cwd.unwrap_or("."));
    // The session may be in a folder of it.
    let own = |dir: &&Path| dir.parent().is_some_and(|above| above.ends_with(".claude/worktrees"));
    let top = cwd.ancestors().find(own).unwrap_or(cwd).to_string_lossy().into_owned();
    vec![Act::runs("worktree-removal", &top)]
}

/// What a tool does, also of agents that call their tools as Claude Code does.
pub(super) fn acts(agent: &str, name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        "Bash" | "Monitor" => Ok(vec![command(given, &["command"])?]),
        "PowerShell" => Ok(vec![powershell(given, &["command"])?]),
        _ => tools::mcp(name, given).unwrap_or_else(|| tools::own(agent, name, given)),
    }
}

pub(super) fn write(_event: &str, answer: &Answer) -> Output {
    match answer {
        Answer::Silent => silence(),
        Answer::Note(text) => context(text),
        Answer::Ask(reason) => pre_tool_use("ask", reason),
        Answer::Deny(reason) => pre_tool_use("deny", reason),
    }
}

fn pieces(place: &Place) -> Vec<Piece> {
    let folder = place.folders.claude.clone().unwrap_or_else(|| place.home(".claude"));
    let hook =
        json!({ "type": "command", "command": place.command(), "timeout": TIMEOUT, "onFailure": "block" });
    // Also tools of later versions: what is known to be harmless costs a few milliseconds.
    let group = json!({ "matcher": ".*", "hooks": [hook] });
    let file = place.choose(folder.join("settings.json"), ".claude/settings.json");
    vec![Piece::shared(file, [Entry::new(&["hooks", "PreToolUse"], group)])]
}
