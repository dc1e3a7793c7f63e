//! Gemini CLI: `BeforeTool`. Versions that know no `ask` go on without asking, so it is never said.

use serde_json::json;

use super::super::Output;
use super::super::call::{Act, Answer, Object, Request, Unreadable, command, directory, object, text};
use super::super::places::{Entry, Piece, Place, TIMEOUT};
use super::super::servers::Servers;
use super::super::tools;
use super::{Adapter, IGNORES_FAILURE, said, silence};

/// All that is known of it.
pub(super) static ADAPTER: Adapter = Adapter {
    name: "gemini",
    alias: None,
    title: "Gemini CLI",
    asks: false,
    read,
    write,
    pieces,
    signs: &["gemini", "/.gemini"],
    remark: Some(IGNORES_FAILURE),
    servers: Some(Servers {
        title: "Gemini CLI",
        user: |folders| folders.home.join(".gemini/settings.json"),
        project: Some(".gemini/settings.json"),
        ..Servers::COMMON
    }),
};

fn read(input: &Object) -> Result<Request, Unreadable> {
    if text(input, &["hook_event_name"]).is_some_and(|event| event != "BeforeTool") {
        return Ok(Request::default());
    }
    let name = text(input, &["tool_name"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    let given = object(input, &["tool_input"])?;
    let server = object(input, &["mcp_context"])?;
    let acts = match (text(&server, &["server_name"]), text(&server, &["tool_name"])) {
        (Some(from), tool) => tools::server(Some(from), tool.unwrap_or(name), &given)?,
        _ => acts(name, &given)?,
    };
    let below = text(&given, &["dir_path", "directory"]).filter(|_| name == "run_shell_command");
    Ok(Request::new(name, &given, acts).at(directory(text(input, &["cwd"]), below)))
}

fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    if name == "run_shell_command" {
        return Ok(vec![command(given, &["command"])?]);
    }
    if let Some(found) = tools::mcp(name, given) {
        return found;
    }
    if let Some(tool) = name.strip_prefix("mcp_") {
        return tools::server(None, tool, given);
    }
    // As older versions join a server and its tool.
    if let Some((from, tool)) =
        name.split_once("__").filter(|(from, tool)| !from.is_empty() && !tool.is_empty())
    {
        return tools::server(Some(from), tool, given);
    }
    tools::own(ADAPTER.name, name, given)
}

fn write(_event: &str, answer: &Answer) -> Output {
    match answer {
        Answer::Silent => silence(),
        Answer::Note(text) => said(&json!({ "systemMessage": text })),
        Answer::Ask(reason) | Answer::Deny(reason) => said(&json!({ "decision": "deny", "reason": reason })),
    }
}

fn pieces(place: &Place) -> Vec<Piece> {
    let hook = json!({
        "type": "command", "name": "recourse", "command": place.command(), "timeout": TIMEOUT * 1000,
    });
    let group = json!({ "matcher": ".*", "hooks": [hook] });
    let file = place.choose(place.home(".gemini/settings.json"), ".gemini/settings.json");
    vec![Piece::shared(file, [Entry::new(&["hooks", "BeforeTool"], group)])]
}
