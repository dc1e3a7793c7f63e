//! Claude Code: `PreToolUse`.

use std::path::Path;

use super::super::Output;
use super::super::call::{
    Act, Answer, Object, Request, Unreadable, command, directory, object, powershell, text,
};
use super::super::tools;
use super::{Agent, context, pre_tool_use, silence};

pub(super) fn read(input: &Object) -> Result<Request, Unreadable> {
    if text(input, &["hook_event_name"]).is_some_and(|event| event != "PreToolUse") {
        return Ok(Request::default());
    }
    let name = text(input, &["tool_name"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    let given = object(input, &["tool_input"])?;
    let acts = match name {
        "ExitWorktree" => worktree(text(input, &["cwd"]), &given),
        _ => acts(Agent::ClaudeCode, name, &given)?,
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
    let words = ["git", "worktree", "remove", "--force"].map(str::to_owned);
    vec![Act::Argv(words.into_iter().chain([top]).collect())]
}

/// What a tool does, also of agents that call their tools as Claude Code does.
pub(super) fn acts(agent: Agent, name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        "Bash" | "Monitor" => Ok(vec![command(given, &["command"])?]),
        "PowerShell" => Ok(vec![powershell(given, &["command"])?]),
        _ => tools::mcp(name, given).unwrap_or_else(|| tools::own(agent, name, given)),
    }
}

pub(super) fn write(answer: &Answer) -> Output {
    match answer {
        Answer::Silent => silence(),
        Answer::Note(text) => context(text),
        Answer::Ask(reason) => pre_tool_use("ask", reason),
        Answer::Deny(reason) => pre_tool_use("deny", reason),
    }
}
