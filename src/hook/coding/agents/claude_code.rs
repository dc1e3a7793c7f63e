//! Claude Code: `PreToolUse`.

use super::super::Output;
use super::super::call::{
    Act, Answer, Object, Request, Unreadable, command, directory, object, powershell, text,
};
use super::super::tools;
use super::{context, pre_tool_use, silence};

pub(super) fn read(input: &Object) -> Result<Request, Unreadable> {
    if text(input, &["hook_event_name"]).is_some_and(|event| event != "PreToolUse") {
        return Ok(Request::default());
    }
    let name = text(input, &["tool_name"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    let given = object(input, &["tool_input"])?;
    let request = Request::new(name, &given, acts(name, &given)?);
    Ok(request.at(directory(text(input, &["cwd"]), None)))
}

pub(super) fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        "Bash" | "Monitor" => Ok(vec![command(given, &["command"])?]),
        "PowerShell" => Ok(vec![powershell(given, &["command"])?]),
        _ => tools::mcp(name, given).or_else(|| tools::files(name, given)).unwrap_or_else(|| Ok(Vec::new())),
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
