//! GitHub Copilot CLI: `preToolUse`, arguments as JSON inside a string. Configured with the event's other spelling it speaks
//! VS Code's language, and is answered in it.

use serde_json::json;

use super::super::Output;
use super::super::call::{
    Act, Answer, Object, Request, Unreadable, command, directory, object, powershell, text,
};
use super::super::tools;
use super::{said, silence, vscode};

/// Tools of its own that change nothing outside the session.
const OWN: &[&str] = &[
    "view",
    "grep",
    "rg",
    "glob",
    "web_fetch",
    "web_search",
    "fetch",
    "report_intent",
    "task",
    "update_todo",
    "ask_user",
    "show_file",
    "store_memory",
    "skill",
    "sql",
    "read_agent",
    "list_agents",
    "read_bash",
    "stop_bash",
    "list_bash",
    "read_powershell",
    "stop_powershell",
    "list_powershell",
    "exit_plan_mode",
    "think",
    "fetch_copilot_cli_documentation",
];

pub(super) fn read(input: &Object) -> Result<Request, Unreadable> {
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
    Ok(Request::new(name, &given, acts(name, &given)?).at(directory(text(input, &["cwd"]), below)))
}

fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        "bash" | "shell" => Ok(vec![command(given, &["command"])?]),
        "powershell" => Ok(vec![powershell(given, &["command"])?]),
        // What is typed into a shell that runs already.
        "write_bash" => Ok(vec![command(given, &["input"])?]),
        "write_powershell" => Ok(vec![powershell(given, &["input"])?]),
        _ if OWN.contains(&name) => Ok(Vec::new()),
        _ => match tools::mcp(name, given).or_else(|| tools::files(name, given)) {
            Some(found) => found,
            // Other servers' tools are called `server-tool`.
            None if name.contains('-') => tools::server(None, name, given),
            None => Ok(Vec::new()),
        },
    }
}

pub(super) fn write(event: &str, answer: &Answer) -> Output {
    if event == "vscode" {
        return vscode::write(answer);
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
