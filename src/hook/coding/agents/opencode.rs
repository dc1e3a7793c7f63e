//! opencode: our plugin hands over `{tool, args, cwd}` and throws what comes on standard error when the exit status is not 0.

use super::super::Output;
use super::super::call::{Act, Answer, Object, Request, Unreadable, command, directory, object, text};
use super::super::tools;
use super::{silence, stopped};

/// Tools of its own that change nothing outside the session.
const OWN: &[&str] = &[
    "read",
    "grep",
    "glob",
    "list",
    "ls",
    "webfetch",
    "websearch",
    "codesearch",
    "task",
    "todowrite",
    "todoread",
    "skill",
    "question",
    "lsp",
    "lsp_hover",
    "lsp_diagnostics",
    "invalid",
    "batch",
    "plan_enter",
    "plan_exit",
];

pub(super) fn read(input: &Object) -> Result<Request, Unreadable> {
    let name = text(input, &["tool"]).ok_or_else(|| Unreadable("it names no tool".to_owned()))?;
    let given = object(input, &["args"])?;
    let below = text(&given, &["workdir"]);
    Ok(Request::new(name, &given, acts(name, &given)?).at(directory(text(input, &["cwd"]), below)))
}

fn acts(name: &str, given: &Object) -> Result<Vec<Act>, Unreadable> {
    match name {
        "bash" => Ok(vec![command(given, &["command"])?]),
        _ if OWN.contains(&name) => Ok(Vec::new()),
        _ => match tools::mcp(name, given).or_else(|| tools::files(name, given)) {
            Some(found) => found,
            // Other servers' tools are called `server_tool`.
            None if name.contains('_') => tools::server(None, name, given),
            None => Ok(Vec::new()),
        },
    }
}

pub(super) fn write(answer: &Answer) -> Output {
    match answer {
        Answer::Silent | Answer::Note(_) => silence(),
        Answer::Ask(reason) | Answer::Deny(reason) => stopped(reason),
    }
}
