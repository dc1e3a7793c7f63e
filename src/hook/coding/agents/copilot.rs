//! GitHub Copilot CLI: `preToolUse`, arguments as JSON inside a string. Configured with the event's other spelling it speaks
//! VS Code's language, and is answered in it.

use serde_json::json;

use super::super::Output;
use super::super::call::{
    Act, Answer, Object, Request, Unreadable, command, directory, object, powershell, text,
};
use super::super::places::{Entry, Piece, Place, TIMEOUT};
use super::super::terminal::Terminal;
use super::super::tools;
use super::{Adapter, said, silence, vscode};

/// All that is known of it.
pub(super) static ADAPTER: Adapter = Adapter {
    name: "copilot",
    alias: None,
    title: "GitHub Copilot CLI",
    asks: true,
    read,
    write,
    pieces,
    signs: &["copilot", "/.copilot"],
    remark: Some("a hook that takes too long is ignored by this agent: the command then runs"),
    servers: None,
};

/// Keys that may be typed beside text.
const KEYS: &[&str] = &[
    "{up}",
    "{down}",
    "{left}",
    "{right}",
    "{backspace}",
    "{delete}",
    "{tab}",
    "{space}",
    "{escape}",
    "{esc}",
];

fn read(input: &Object) -> Result<Request, Unreadable> {
    if input.contains_key("tool_name") || input.contains_key("hook_event_name") {
        return Ok(vscode::read(input)?.event("vscode"));
    }
    let name = text(input, &["toolName"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    // A patch may stand there as plain text.
    let given = match (name, text(input, &["toolArgs"])) {
        ("apply_patch", Some(patch)) if !patch.trim_start().starts_with('{') => {
            [("patch".to_owned(), json!(patch))].into_iter().collect()
        }
        _ => object(input, &["toolArgs"])?,
    };
    let below = text(&given, &["cwd", "workdir"]);
    let cwd = text(input, &["cwd"]);
    // A shell goes on between calls, under its own id or as the session's.
    let terminal = match (name, below) {
        ("bash" | "shell" | "write_bash", None) => {
            let session = text(input, &["sessionId"]).or(cwd).unwrap_or_default();
            let shell = text(&given, &["sessionId", "shellId"]).unwrap_or_default();
            Terminal::Kept(format!("{session}\n{shell}"))
        }
        ("bash" | "shell", Some(_)) => Terminal::Variables,
        _ => Terminal::Fresh,
    };
    Ok(Request::new(name, &given, acts(name, &given)?).at(directory(cwd, below)).in_terminal(terminal))
}

fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        "bash" | "shell" => Ok(vec![command(given, &["command"])?]),
        "powershell" => Ok(vec![powershell(given, &["command"])?]),
        // What is typed into a shell that runs already.
        "write_bash" => typed(given, Act::Shell),
        "write_powershell" => typed(given, super::super::call::pwsh),
        // Other servers' tools are called `server-tool`.
        _ if name.contains('-') && !tools::is_own(ADAPTER.name, name) => {
            tools::mcp(name, given).unwrap_or_else(|| tools::server(None, name, given))
        }
        _ => tools::mcp(name, given).unwrap_or_else(|| tools::own(ADAPTER.name, name, given)),
    }
}

/// Text typed into a shell, with the names of keys in braces: `rm x{enter}`.
fn typed(given: &Object, act: fn(String) -> Act) -> Result<Vec<Act>, Unreadable> {
    let Some(input) = text(given, &["input"]) else { return Ok(vec![command(given, &["input"])?]) };
    let plain = input.replace("{enter}", "\n");
    let left = KEYS.iter().fold(plain.clone(), |left, key| left.replace(key, ""));
    if left.trim().is_empty() {
        // Keys alone answer a menu.
        return Ok(Vec::new());
    }
    if left != plain {
        return Err(Unreadable(
            "keys that edit a line stand among what is typed; type the whole line".to_owned(),
        ));
    }
    Ok(vec![act(plain)])
}

fn write(event: &str, answer: &Answer) -> Output {
    if event == "vscode" {
        return vscode::write(event, answer);
    }
    let decision = |word: &str, reason: &str| {
        said(&json!({ "permissionDecision": word, "permissionDecisionReason": reason }))
    };
    match answer {
        Answer::Silent => silence(),
        Answer::Note(text) => said(&json!({ "additionalContext": text })),
        Answer::Ask(reason) => decision("ask", reason),
        Answer::Deny(reason) => decision("deny", reason),
    }
}

fn pieces(place: &Place) -> Vec<Piece> {
    let command = place.command();
    let hook = json!({
        "type": "command", "bash": command, "powershell": command, "timeoutSec": TIMEOUT,
    });
    let file = place.choose(place.home(".copilot/hooks/recourse.json"), ".github/hooks/recourse.json");
    let entries = [Entry::new(&["hooks", "preToolUse"], hook)];
    vec![Piece::shared_with(file, vec![("version", json!(1))], entries)]
}
