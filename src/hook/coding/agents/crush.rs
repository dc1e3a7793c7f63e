//! Crush: `PreToolUse`.

use serde_json::json;

use super::super::Output;
use super::super::call::{Act, Answer, Object, Request, Unreadable, command, directory, object, text};
use super::super::tools;
use super::{Agent, said, silence};

pub(super) fn read(input: &Object) -> Result<Request, Unreadable> {
    let event = text(input, &["event"]).unwrap_or("PreToolUse");
    if event.replace('_', "").to_lowercase() != "pretooluse" {
        return Ok(Request::default());
    }
    let name = text(input, &["tool_name"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    let given = object(input, &["tool_input"])?;
    let below = text(&given, &["working_dir"]);
    Ok(Request::new(name, &given, acts(name, &given)?).at(directory(text(input, &["cwd"]), below)))
}

fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    if name == "bash" {
        return Ok(vec![command(given, &["command"])?]);
    }
    if let Some(found) = tools::mcp(name, given) {
        return found;
    }
    if let Some(rest) = name.strip_prefix("mcp_") {
        return tools::server(None, rest, given);
    }
    tools::own(Agent::Crush, name, given)
}

pub(super) fn write(answer: &Answer) -> Output {
    match answer {
        Answer::Silent => silence(),
        Answer::Note(text) => said(&json!({ "version": 1, "context": text })),
        Answer::Ask(reason) | Answer::Deny(reason) => {
            said(&json!({ "version": 1, "decision": "deny", "reason": reason }))
        }
    }
}
