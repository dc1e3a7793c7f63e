//! Windsurf's Cascade: `pre_run_command`, `pre_write_code` and `pre_mcp_tool_use`. Only the exit status 2 stops it; the reason
//! goes to standard error.

use serde_json::json;

use super::super::Output;
use super::super::call::{Answer, Object, Request, Unreadable, command, directory, object, text};
use super::super::places::{Entry, Piece, Place};
use super::super::servers::Servers;
use super::super::terminal::Terminal;
use super::super::tools;
use super::{Adapter, IGNORES_FAILURE, silence, stopped};

/// All that is known of it.
pub(super) static ADAPTER: Adapter = Adapter {
    name: "windsurf",
    alias: None,
    title: "Windsurf",
    asks: false,
    read,
    write,
    pieces,
    signs: &["windsurf", "/.codeium/windsurf"],
    remark: Some(IGNORES_FAILURE),
    servers: Some(Servers {
        title: "Windsurf",
        user: |folders| folders.home.join(".codeium/windsurf/mcp_config.json"),
        ..Servers::COMMON
    }),
};

fn read(input: &Object) -> Result<Request, Unreadable> {
    let given = object(input, &["tool_info"])?;
    let event = text(input, &["agent_action_name"]).unwrap_or("pre_run_command");
    let acts = match event {
        "pre_run_command" => vec![command(&given, &["command_line", "command"])?],
        "pre_write_code" => tools::own(ADAPTER.name, "edit_file", &given)?,
        "pre_mcp_tool_use" => {
            let name =
                text(&given, &["mcp_tool_name"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
            let arguments = object(&given, &["mcp_tool_arguments"])?;
            tools::server(text(&given, &["mcp_server_name"]), name, &arguments)?
        }
        _ => return Ok(Request::default()),
    };
    // Its terminal goes on between the calls of a conversation.
    let terminal = match event {
        "pre_run_command" => {
            let session = text(input, &["trajectory_id", "session_id"]).or(text(&given, &["cwd"]));
            Terminal::Kept(session.unwrap_or_default().to_owned())
        }
        _ => Terminal::Fresh,
    };
    Ok(Request::new(event, &given, acts).at(directory(text(&given, &["cwd"]), None)).in_terminal(terminal))
}

fn write(_event: &str, answer: &Answer) -> Output {
    match answer {
        Answer::Silent | Answer::Note(_) => silence(),
        Answer::Ask(reason) | Answer::Deny(reason) => stopped(reason),
    }
}

fn pieces(place: &Place) -> Vec<Piece> {
    let hook = json!({ "command": place.command(), "show_output": true });
    let file = place.choose(place.home(".codeium/windsurf/hooks.json"), ".windsurf/hooks.json");
    let events = ["pre_run_command", "pre_write_code", "pre_mcp_tool_use"];
    vec![Piece::shared(file, events.map(|event| Entry::new(&["hooks", event], hook.clone())))]
}
