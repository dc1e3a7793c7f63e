//! Cursor: `beforeShellExecution`, `beforeMCPExecution` and `preToolUse`. One of its modes ignores `ask` and runs the
//! command, so it is never said. Silence is an empty object: with `failClosed` no output at all might count as a failure.

use serde_json::json;

use super::super::Output;
use super::super::call::{Act, Answer, Object, Request, Unreadable, command, directory, first, object, text};
use super::super::places::{Entry, Piece, Place, TIMEOUT};
use super::super::servers::Servers;
use super::super::terminal::Terminal;
use super::super::tools;
use super::{Adapter, said};

/// All that is known of it.
pub(super) static ADAPTER: Adapter = Adapter {
    name: "cursor",
    alias: None,
    title: "Cursor",
    asks: false,
    read,
    write,
    pieces,
    signs: &["cursor", "cursor-agent", "/.cursor"],
    remark: None,
    servers: Some(Servers {
        title: "Cursor",
        user: |folders| folders.home.join(".cursor/mcp.json"),
        project: Some(".cursor/mcp.json"),
        ..Servers::COMMON
    }),
};

fn read(input: &Object) -> Result<Request, Unreadable> {
    let root = first(input, "workspace_roots");
    let cwd = text(input, &["cwd"]).filter(|cwd| !cwd.is_empty()).or(root);
    match text(input, &["hook_event_name"]) {
        event
            if event == Some("beforeShellExecution")
                || (event.is_none() && !input.contains_key("tool_name")) =>
        {
            let acts = vec![command(input, &["command"])?];
            let request = Request::new("Shell", &only(input, "command"), acts).at(directory(cwd, None));
            Ok(request.in_terminal(terminal(input, &Object::new())))
        }
        Some("beforeMCPExecution") => {
            let name = text(input, &["tool_name"]).ok_or_else(unnamed)?;
            let given = object(input, &["tool_input"])?;
            let acts = tools::mcp(name, &given)
                .unwrap_or_else(|| tools::server(text(input, &["server_name", "server"]), name, &given))?;
            Ok(Request::new(name, &given, acts).at(directory(cwd, None)))
        }
        Some("preToolUse") | None => {
            let name = text(input, &["tool_name"]).ok_or_else(unnamed)?;
            let given = object(input, &["tool_input"])?;
            let below = text(&given, &["working_directory", "cwd"]);
            let request = Request::new(name, &given, acts(name, &given)?).at(directory(cwd, below));
            let shell = matches!(name, "Shell" | "Bash" | "run_terminal_cmd");
            Ok(if shell { request.in_terminal(terminal(input, &given)) } else { request })
        }
        Some(_) => Ok(Request::default()),
    }
}

fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        "Shell" | "Bash" | "run_terminal_cmd" => Ok(vec![command(given, &["command"])?]),
        _ => {
            if let Some(tool) = name.strip_prefix("MCP:") {
                return tools::server(None, tool, given);
            }
            tools::mcp(name, given).unwrap_or_else(|| tools::own(ADAPTER.name, name, given))
        }
    }
}

/// Its terminal goes on between calls; where the call itself says where it runs, only variables stay.
fn terminal(input: &Object, given: &Object) -> Terminal {
    let says =
        |object: &Object| text(object, &["cwd", "working_directory"]).is_some_and(|cwd| !cwd.is_empty());
    if says(input) || says(given) {
        return Terminal::Variables;
    }
    Terminal::Kept(text(input, &["conversation_id"]).unwrap_or_default().to_owned())
}

fn only(input: &Object, key: &str) -> Object {
    input.get(key).map(|value| (key.to_owned(), value.clone())).into_iter().collect()
}

fn unnamed() -> Unreadable {
    Unreadable("it names no tool".to_owned())
}

fn write(_event: &str, answer: &Answer) -> Output {
    match answer {
        Answer::Silent | Answer::Note(_) => said(&json!({})),
        Answer::Ask(reason) | Answer::Deny(reason) => {
            said(&json!({ "permission": "deny", "user_message": reason, "agent_message": reason }))
        }
    }
}

fn pieces(place: &Place) -> Vec<Piece> {
    let hook = json!({ "command": place.command(), "timeout": TIMEOUT, "failClosed": true });
    let mut tools = hook.clone();
    tools["matcher"] = json!(
        "Write|Edit|MultiEdit|StrReplace|ApplyPatch|Delete|EditNotebook|Rename|Move|Create|Remove|GenerateImage"
    );
    let file = place.choose(place.home(".cursor/hooks.json"), ".cursor/hooks.json");
    let entries = [
        Entry::new(&["hooks", "beforeShellExecution"], hook.clone()),
        Entry::new(&["hooks", "beforeMCPExecution"], hook),
        Entry::new(&["hooks", "preToolUse"], tools),
    ];
    vec![Piece::shared_with(file, vec![("version", json!(1))], entries)]
}
