//! Cline: `PreToolUse` of the editor, `tool_call` of the command line. `cancel: false` is no opinion.

use serde_json::{Value, json};

use super::super::Output;
use super::super::call::{Act, Answer, Object, Request, Unreadable, command, directory, first, object, text};
use super::super::places::{Piece, Place, Scope};
use super::super::terminal::Terminal;
use super::super::tools;
use super::{Adapter, said};

/// All that is known of it.
pub(super) static ADAPTER: Adapter = Adapter {
    name: "cline",
    alias: None,
    title: "Cline",
    asks: false,
    read,
    write,
    pieces,
    signs: &["cline", "/.cline", "/Documents/Cline"],
    remark: Some("enable hooks in Cline's settings; the file's execute bit switches it on"),
    servers: None,
};

fn read(input: &Object) -> Result<Request, Unreadable> {
    if text(input, &["hookName"]).is_some_and(|event| !matches!(event, "PreToolUse" | "tool_call")) {
        return Ok(Request::default());
    }
    let call = object(input, &["preToolUse", "toolCall", "tool_call"])?;
    let name = text(&call, &["toolName", "tool", "name"])
        .ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    let given = object(&call, &["parameters", "input", "arguments"])?;
    let cwd = directory(first(input, "workspaceRoots"), text(&given, &["cwd"]));
    // It takes a terminal that stands there already.
    let shell = matches!(name, "execute_command" | "run_commands");
    let terminal = if shell { Terminal::Variables } else { Terminal::Fresh };
    Ok(Request::new(name, &given, acts(name, &given)?).at(cwd).in_terminal(terminal))
}

fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        "execute_command" => Ok(vec![command(given, &["command"])?]),
        "run_commands" => commands(given),
        // A command that shows the result may stand beside it, and is run.
        "attempt_completion" if given.contains_key("command") => Ok(vec![command(given, &["command"])?]),
        "use_mcp_tool" => {
            let tool = text(given, &["tool_name"])
                .ok_or_else(|| Unreadable("it names no tool of the server".to_owned()))?;
            tools::server(text(given, &["server_name"]), tool, &object(given, &["arguments"])?)
        }
        _ => tools::mcp(name, given).unwrap_or_else(|| tools::own(ADAPTER.name, name, given)),
    }
}

/// Several commands: a list, or JSON of one inside a string, or one text.
fn commands(given: &Object) -> Result<Vec<Act>, Unreadable> {
    let missing = || Unreadable("the shell tool was called without a command".to_owned());
    let value = given.get("commands").or_else(|| given.get("command")).ok_or_else(missing)?;
    let list = match value {
        Value::Array(list) => list.clone(),
        Value::String(text) => match serde_json::from_str::<Vec<Value>>(text) {
            Ok(list) => list,
            Err(_) => vec![value.clone()],
        },
        _ => return Err(missing()),
    };
    let each = list.iter().map(|one| match one {
        Value::String(text) => Ok(Act::Shell(text.clone())),
        Value::Object(one) => command(one, &["command"]),
        _ => Err(missing()),
    });
    let acts = each.collect::<Result<Vec<_>, _>>()?;
    if acts.is_empty() { Err(missing()) } else { Ok(acts) }
}

fn write(_event: &str, answer: &Answer) -> Output {
    match answer {
        Answer::Silent => said(&json!({ "cancel": false })),
        Answer::Note(text) => said(&json!({ "cancel": false, "contextModification": text })),
        Answer::Ask(reason) | Answer::Deny(reason) => {
            said(&json!({ "cancel": true, "errorMessage": reason, "contextModification": "" }))
        }
    }
}

fn pieces(place: &Place) -> Vec<Piece> {
    let content = include_str!("../install/plugins/cline.sh").replace("@PROGRAM@", &place.as_word());
    let files = match place.scope {
        Scope::User => {
            vec![place.home("Documents/Cline/Hooks/PreToolUse"), place.home(".cline/hooks/PreToolUse")]
        }
        Scope::Project(root) => vec![root.join(".clinerules/hooks/PreToolUse")],
    };
    let own = |file| Piece::Own { file, content: content.clone(), executable: true };
    files.into_iter().map(own).collect()
}
