//! VS Code's agent: `PreToolUse`, answered as Claude Code is.

use serde_json::{Value, json};

use super::super::Output;
use super::super::call::{Act, Answer, Object, Request, Unreadable, command, directory, object, text};
use super::super::places::{Entry, Form, Piece, Place, TIMEOUT};
use super::super::servers::Servers;
use super::super::terminal::Terminal;
use super::super::tools;
use super::{Adapter, claude_code};

/// All that is known of it.
pub(super) static ADAPTER: Adapter = Adapter {
    name: "vscode",
    alias: None,
    title: "VS Code's agent",
    asks: true,
    read,
    write,
    pieces,
    signs: &["code", "/.config/Code/User", "/Library/Application Support/Code/User"],
    remark: Some(
        "hooks are a preview in VS Code and may be switched off by `chat.useHooks` or an organisation",
    ),
    servers: Some(Servers {
        title: "VS Code",
        user: |folders| folders.applications.join("Code/User/mcp.json"),
        project: Some(".vscode/mcp.json"),
        list: "servers",
        form: Form::Typed,
        remark: Some("VS Code asks once whether you trust this server"),
        ..Servers::COMMON
    }),
};

/// Tools that type into a terminal.
const TERMINALS: &[&str] =
    &["run_in_terminal", "runTerminalCommand", "runInTerminal", "send_to_terminal", "bash", "shell"];

pub(super) fn read(input: &Object) -> Result<Request, Unreadable> {
    if text(input, &["hook_event_name", "hookEventName"]).is_some_and(|event| event != "PreToolUse") {
        return Ok(Request::default());
    }
    let name = text(input, &["tool_name"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    let given = object(input, &["tool_input"])?;
    let below = text(&given, &["cwd"]);
    let cwd = text(input, &["cwd"]);
    // Its terminals go on between calls; a task has one of its own.
    let terminal = match (below, TERMINALS.contains(&name)) {
        (_, false) => Terminal::Fresh,
        (Some(_), true) => Terminal::Variables,
        (None, true) => {
            let session = text(input, &["session_id", "sessionId"]).or(cwd);
            Terminal::Kept(session.unwrap_or_default().to_owned())
        }
    };
    Ok(Request::new(name, &given, acts(name, &given)?).at(directory(cwd, below)).in_terminal(terminal))
}

fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        _ if TERMINALS.contains(&name) => Ok(vec![command(given, &["command"])?]),
        "create_and_run_task" | "createAndRunTask" => task(given),
        _ => {
            // Other servers' tools are called `mcp_server_tool`.
            if let Some(rest) = name.strip_prefix("mcp_").filter(|rest| !rest.starts_with('_')) {
                return tools::server(None, rest, given);
            }
            claude_code::acts(ADAPTER.name, name, given)
        }
    }
}

/// A task that is made and run: its program or line, and the words that stand beside it.
fn task(given: &Object) -> Result<Vec<Act>, Unreadable> {
    let task = object(given, &["task"])?;
    let task = if task.is_empty() { given } else { &task };
    let mut words = match command(task, &["command"])? {
        Act::Shell(line) => line,
        other => return Ok(vec![other]),
    };
    for word in task.get("args").and_then(Value::as_array).into_iter().flatten() {
        let word = word.as_str().ok_or_else(|| Unreadable("a word of the task is no text".to_owned()))?;
        words.push(' ');
        words.push_str(&shell_words::quote(word));
    }
    Ok(vec![Act::Shell(words)])
}

pub(super) fn write(event: &str, answer: &Answer) -> Output {
    claude_code::write(event, answer)
}

fn pieces(place: &Place) -> Vec<Piece> {
    let hook = json!({ "type": "command", "command": place.command(), "timeout": TIMEOUT });
    let file =
        place.choose(place.home(".copilot/hooks/recourse-vscode.json"), ".github/hooks/recourse-vscode.json");
    vec![Piece::shared(file, [Entry::new(&["hooks", "PreToolUse"], hook)])]
}
