//! A tool call in terms of no agent in particular, and what is answered.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::knowledge::agents;
use crate::mcp_call::McpCall;

use super::terminal::Terminal;

/// A JSON object.
pub(super) type Object = Map<String, Value>;

/// Why a call cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unreadable(pub(super) String);

/// One thing that a call would do.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Act {
    /// Shell text is run.
    Shell(String),
    /// A program is run with these words.
    Argv(Vec<String>),
    /// A tool acts: the agent's own for files, or another server's.
    Tool(McpCall),
}

impl Act {
    /// What a tool runs that is no shell, with what the call says behind it.
    pub(super) fn runs(sort: &str, said: &str) -> Self {
        let mut words = agents::runs(sort);
        words.push(said.to_owned());
        Self::Argv(words)
    }
}

/// What the agent is about to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Request {
    /// The event, as far as the answer's form depends on it.
    pub(super) event: String,
    /// Where; `None`: where this process runs.
    pub(super) cwd: Option<PathBuf>,
    /// What. None: nothing that is judged here.
    pub(super) acts: Vec<Act>,
    /// How far shell text shares a shell with earlier calls.
    pub(super) terminal: Terminal,
    /// Tool and arguments in a form without ambiguity.
    pub(super) form: String,
    /// The agent's own name for its session.
    pub(super) session: Option<String>,
}

impl Request {
    /// A call of `tool` with `input` that does `acts`.
    pub(super) fn new(tool: &str, input: &Object, acts: Vec<Act>) -> Self {
        // Keys are sorted, so equal calls have equal forms.
        let form = serde_json::json!([tool, input]).to_string();
        Self { acts, form, ..Self::default() }
    }

    /// In this directory, if it is named.
    pub(super) fn at(mut self, cwd: Option<PathBuf>) -> Self {
        self.cwd = cwd;
        self
    }

    /// In this terminal.
    pub(super) fn in_terminal(mut self, terminal: Terminal) -> Self {
        self.terminal = terminal;
        self
    }

    /// Answered as this event wants it.
    pub(super) fn event(mut self, event: &str) -> Self {
        event.clone_into(&mut self.event);
        self
    }
}

/// What is answered, before the agent's own form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// No opinion: the agent's own rules go on.
    Silent,
    /// It runs; this is worth knowing.
    Note(String),
    /// A person has to decide, and the agent can ask.
    Ask(String),
    /// It does not run.
    Deny(String),
}

/// The text of the first of these keys that is there.
pub(super) fn text<'a>(object: &'a Object, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| object.get(*key)).and_then(Value::as_str)
}

/// The object at a key; JSON inside a string counts. None where there is none.
pub(super) fn object(from: &Object, keys: &[&str]) -> Result<Object, Unreadable> {
    match keys.iter().find_map(|key| from.get(*key)) {
        None | Some(Value::Null) => Ok(Object::new()),
        Some(Value::Object(map)) => Ok(map.clone()),
        Some(Value::String(inner)) if inner.trim().is_empty() => Ok(Object::new()),
        Some(Value::String(inner)) => serde_json::from_str::<Object>(inner)
            .map_err(|_| Unreadable(format!("`{}` holds no JSON object", keys.join("/")))),
        Some(_) => Err(Unreadable(format!("`{}` is no object", keys.join("/")))),
    }
}

/// The command of a shell tool: text, or a list of words.
pub(super) fn command(input: &Object, keys: &[&str]) -> Result<Act, Unreadable> {
    let missing = || Unreadable("the shell tool was called without a command".to_owned());
    match keys.iter().find_map(|key| input.get(*key)) {
        Some(Value::String(text)) => Ok(Act::Shell(text.clone())),
        Some(Value::Array(words)) if !words.is_empty() => words
            .iter()
            .map(|word| word.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
            .map(Act::Argv)
            .ok_or_else(missing),
        _ => Err(missing()),
    }
}

/// PowerShell text, as the program that would run it.
pub(super) fn pwsh(text: String) -> Act {
    Act::runs("powershell", &text)
}

/// The command of a PowerShell tool.
pub(super) fn powershell(input: &Object, keys: &[&str]) -> Result<Act, Unreadable> {
    match command(input, keys)? {
        Act::Shell(text) => Ok(pwsh(text)),
        other => Ok(other),
    }
}

/// A directory that is named and not empty; a second one is relative to the first.
pub(super) fn directory(base: Option<&str>, below: Option<&str>) -> Option<PathBuf> {
    let named = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(PathBuf::from);
    match (named(base), named(below)) {
        (Some(base), Some(below)) => Some(base.join(below)),
        (base, below) => below.or(base),
    }
}

/// The first of the workspace's folders.
pub(super) fn first<'a>(from: &'a Object, key: &str) -> Option<&'a str> {
    from.get(key)?.as_array()?.first()?.as_str()
}
