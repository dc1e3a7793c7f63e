//! Crush: `PreToolUse`.

use serde_json::json;

use super::super::Output;
use super::super::call::{Act, Answer, Object, Request, Unreadable, command, directory, object, text};
use super::super::places::{Entry, Piece, Place, Scope, TIMEOUT};
use super::super::tools;
use super::{Adapter, IGNORES_FAILURE, said, silence};

/// All that is known of it.
pub(super) static ADAPTER: Adapter = Adapter {
    name: "crush",
    alias: None,
    title: "Crush",
    asks: false,
    read,
    write,
    pieces,
    signs: &["crush", "/.config/crush"],
    remark: Some(IGNORES_FAILURE),
    servers: None,
};

fn read(input: &Object) -> Result<Request, Unreadable> {
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
    tools::own(ADAPTER.name, name, given)
}

fn write(_event: &str, answer: &Answer) -> Output {
    match answer {
        Answer::Silent => silence(),
        Answer::Note(text) => said(&json!({ "version": 1, "context": text })),
        Answer::Ask(reason) | Answer::Deny(reason) => {
            said(&json!({ "version": 1, "decision": "deny", "reason": reason }))
        }
    }
}

fn pieces(place: &Place) -> Vec<Piece> {
    let hook = json!({ "name": "recourse", "matcher": ".*", "command": place.command(), "timeout": TIMEOUT });
    let file = match place.scope {
        Scope::Project(root) if root.join(".crush.json").exists() => root.join(".crush.json"),
        _ => place.choose(place.config("crush/crush.json"), "crush.json"),
    };
    vec![Piece::shared(file, [Entry::new(&["hooks", "PreToolUse"], hook)])]
}
