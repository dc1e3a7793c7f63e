//! opencode: our plugin hands over `{tool, args, cwd}` and throws what comes on standard error when the exit status is not 0.

use super::super::Output;
use super::super::call::{Act, Answer, Object, Request, Unreadable, command, directory, object, text};
use super::super::places::{Piece, Place};
use super::super::tools;
use super::{Adapter, silence, stopped};

/// All that is known of it.
pub(super) static ADAPTER: Adapter = Adapter {
    name: "opencode",
    alias: None,
    title: "opencode",
    asks: false,
    read,
    write,
    pieces,
    signs: &["opencode", "/.config/opencode"],
    remark: Some("plugins of opencode 1 are not loaded by opencode 2"),
    servers: None,
};

fn read(input: &Object) -> Result<Request, Unreadable> {
    let name = text(input, &["tool"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    let given = object(input, &["args"])?;
    let below = text(&given, &["workdir"]);
    Ok(Request::new(name, &given, acts(name, &given)?).at(directory(text(input, &["cwd"]), below)))
}

fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        "bash" => Ok(vec![command(given, &["command"])?]),
        // Other servers' tools are called `server_tool`.
        _ if name.contains('_') && !tools::is_own(ADAPTER.name, name) => {
            tools::mcp(name, given).unwrap_or_else(|| tools::server(None, name, given))
        }
        _ => tools::own(ADAPTER.name, name, given),
    }
}

fn write(_event: &str, answer: &Answer) -> Output {
    match answer {
        Answer::Silent | Answer::Note(_) => silence(),
        Answer::Ask(reason) | Answer::Deny(reason) => stopped(reason),
    }
}

fn pieces(place: &Place) -> Vec<Piece> {
    let content = include_str!("../install/plugins/opencode.js").replace("@PROGRAM@", &place.as_json());
    let file = place.choose(place.config("opencode/plugins/recourse.js"), ".opencode/plugins/recourse.js");
    vec![Piece::Own { file, content, executable: false }]
}
