//! VS Code's agent: `PreToolUse`, answered as Claude Code is.

use super::super::Output;
use super::super::call::{Act, Answer, Object, Request, Unreadable, command, directory, object, text};
use super::super::tools;
use super::claude_code;

pub(super) fn read(input: &Object) -> Result<Request, Unreadable> {
    if text(input, &["hook_event_name", "hookEventName"]).is_some_and(|event| event != "PreToolUse") {
        return Ok(Request::default());
    }
    let name = text(input, &["tool_name"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    let given = object(input, &["tool_input"])?;
    let below = text(&given, &["cwd"]);
    Ok(Request::new(name, &given, acts(name, &given)?).at(directory(text(input, &["cwd"]), below)))
}

fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        "run_in_terminal" | "runTerminalCommand" | "runInTerminal" | "send_to_terminal" | "bash"
        | "shell" => Ok(vec![command(given, &["command"])?]),
        _ => {
            // Other servers' tools are called `mcp_server_tool`.
            if let Some(rest) = name.strip_prefix("mcp_").filter(|rest| !rest.starts_with('_')) {
                return tools::server(None, rest, given);
            }
            claude_code::acts(name, given)
        }
    }
}

pub(super) fn write(answer: &Answer) -> Output {
    claude_code::write(answer)
}
