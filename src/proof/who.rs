//! Who asks for something to run, as far as this process can tell: for the record.

use std::sync::OnceLock;

use nix::unistd::{Uid, User, gethostname, getppid};
use serde_json::{Value, json};

use crate::text::{escape, shorten};

/// Columns of a name.
const NAME: usize = 120;

/// By what way a command came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Front {
    /// `recourse exec`.
    #[default]
    Exec,
    /// A program's shim, which runs `recourse exec`.
    Shim,
    /// The hook of an interactive shell.
    Shell,
    /// The hook of a coding agent, by its name.
    Agent(String),
    /// The MCP server; the client's name, where it said it.
    Mcp(Option<String>),
    /// `POST /api/evaluate`.
    Api,
}

impl Front {
    /// Its name in the record.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Exec => "exec",
            Self::Shim => "shim",
            Self::Shell => "shell",
            Self::Agent(_) => "agent",
            Self::Mcp(_) => "mcp",
            Self::Api => "api",
        }
    }

    /// The program at the other end, where it has a name.
    pub(super) fn other(&self) -> Option<&str> {
        match self {
            Self::Agent(name) => Some(name),
            Self::Mcp(name) => name.as_deref(),
            _ => None,
        }
    }
}

/// User, process, what started it, and the machine.
pub(super) fn who() -> Value {
    let uid = Uid::current();
    let parent = getppid();
    json!({
        "uid": uid.as_raw(),
        "user": user(uid),
        "pid": std::process::id(),
        "parentPid": parent.as_raw(),
        "parent": program(parent.as_raw()),
        "host": gethostname().ok().map(|name| plain(&name.to_string_lossy())),
    })
}

/// The name of an account. A directory service may have to be asked, so once.
fn user(uid: Uid) -> Option<&'static str> {
    static NAME: OnceLock<Option<String>> = OnceLock::new();
    NAME.get_or_init(|| User::from_uid(uid).ok().flatten().map(|user| plain(&user.name))).as_deref()
}

/// The name of a process's program, where the system shows it as a file.
fn program(process: i32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{process}/comm")).ok()?;
    Some(plain(name.trim_end()))
}

/// One line without anything that hides.
pub(super) fn plain(text: &str) -> String {
    shorten(&escape(text), NAME)
}
