//! Amp: our plugin hands over `{tool, input, cwd}` and rejects with the message of what comes on standard output.

use serde_json::json;

use super::super::Output;
use super::super::call::{Act, Answer, Object, Request, Unreadable, command, directory, object, text};
use super::super::places::{Piece, Place};
use super::super::tools;
use super::{Adapter, said, silence};

/// All that is known of it.
pub(super) static ADAPTER: Adapter = Adapter {
    name: "amp",
    alias: None,
    title: "Amp",
    asks: false,
    read,
    write,
    pieces,
    signs: &["amp", "/.config/amp"],
    remark: Some("an Amp plugin cannot abstain: what is not rejected is allowed, without Amp's own question"),
    servers: None,
};

fn read(input: &Object) -> Result<Request, Unreadable> {
    let name = text(input, &["tool"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    let given = object(input, &["input"])?;
    let below = text(&given, &["cwd"]);
    Ok(Request::new(name, &given, acts(name, &given)?).at(directory(text(input, &["cwd"]), below)))
}

fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        "Bash" | "shell_command" => Ok(vec![command(given, &["cmd", "command"])?]),
        _ => tools::mcp(name, given).unwrap_or_else(|| tools::own(ADAPTER.name, name, given)),
    }
}

fn write(_event: &str, answer: &Answer) -> Output {
    match answer {
        Answer::Silent | Answer::Note(_) => silence(),
        Answer::Ask(reason) | Answer::Deny(reason) => {
            said(&json!({ "action": "reject-and-continue", "message": reason }))
        }
    }
}

fn pieces(place: &Place) -> Vec<Piece> {
    let content = include_str!("../install/plugins/amp.ts").replace("@PROGRAM@", &place.as_json());
    let file = place.choose(place.config("amp/plugins/recourse.ts"), ".amp/plugins/recourse.ts");
    vec![Piece::Own { file, content, executable: false }]
}
