//! The agents: one table. A file of this folder is all that is known of one of them.

mod amp;
mod claude_code;
mod cline;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod gemini;
mod opencode;
mod vscode;
mod windsurf;

use std::fmt;

use serde_json::{Value, json};

use super::Output;
use super::call::{Answer, Object, Request, Unreadable};
use super::places::{Piece, Place};
use super::servers::Servers;

/// What is known of one agent: its names, its words, and what stands where in its configuration.
struct Adapter {
    /// Its name on the command line and in actors (`agent/codex`).
    name: &'static str,
    /// Another name that the command line takes.
    alias: Option<&'static str>,
    /// As people call it.
    title: &'static str,
    /// A hook's `ask` really asks a person, in every mode and version that has hooks at all. Elsewhere the command would
    /// run, so what needs a person is denied with the line that a person can run.
    asks: bool,
    /// What a call is about to do.
    read: fn(&Object) -> Result<Request, Unreadable>,
    /// An answer in its words, for an event as [`Request`] has it; empty when the call could not be read.
    write: fn(&str, &Answer) -> Output,
    /// What belongs where for its hook.
    pieces: fn(&Place) -> Vec<Piece>,
    /// That it is used here: names of its programs, and folders below the home that it makes (those begin with `/`).
    signs: &'static [&'static str],
    /// What a person who installs the hook has to do or know besides.
    remark: Option<&'static str>,
    /// Where it keeps MCP servers, when ours can be put there.
    servers: Option<Servers>,
}

/// A coding agent whose calls can be judged.
#[derive(Clone, Copy)]
pub struct Agent(&'static Adapter);

impl Agent {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self(&claude_code::ADAPTER),
        Self(&codex::ADAPTER),
        Self(&gemini::ADAPTER),
        Self(&cursor::ADAPTER),
        Self(&copilot::ADAPTER),
        Self(&vscode::ADAPTER),
        Self(&windsurf::ADAPTER),
        Self(&cline::ADAPTER),
        Self(&opencode::ADAPTER),
        Self(&amp::ADAPTER),
        Self(&crush::ADAPTER),
    ];

    /// Its name on the command line and in actors (`agent/codex`).
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Another name that the command line takes.
    pub fn alias(self) -> Option<&'static str> {
        self.0.alias
    }

    /// As people call it.
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// The agent of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name || agent.alias() == Some(name))
    }

    /// Whether its hook can have a person asked.
    pub fn asks(self) -> bool {
        self.0.asks
    }

    /// What a person who installs the hook has to do or know besides.
    pub fn remark(self) -> Option<&'static str> {
        self.0.remark
    }

    /// Where it keeps MCP servers, when ours can be put there.
    pub(super) fn servers(self) -> Option<&'static Servers> {
        self.0.servers.as_ref()
    }

    /// What the agent is about to do.
    pub(super) fn read(self, input: &Object) -> Result<Request, Unreadable> {
        (self.0.read)(input)
    }

    /// The answer in the agent's words. `event` as [`Request`] has it; empty when the call could not be read.
    pub(super) fn write(self, event: &str, answer: &Answer) -> Output {
        (self.0.write)(event, answer)
    }

    /// Names of its programs, and folders below the home that it makes (those begin with `/`): one of them is there where it is
    /// used.
    pub fn signs(self) -> &'static [&'static str] {
        self.0.signs
    }

    /// What belongs where for its hook.
    pub(super) fn pieces(self, place: &Place) -> Vec<Piece> {
        (self.0.pieces)(place)
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Agent {}

/// What several agents do with a hook of theirs.
const IGNORES_FAILURE: &str =
    "a hook that fails or takes too long is ignored by this agent: the command then runs";

/// Nothing is printed: no opinion.
fn silence() -> Output {
    Output::default()
}

/// One object on standard output, exit status 0.
fn said(value: &Value) -> Output {
    Output { stdout: format!("{value}\n"), ..Output::default() }
}

/// The reason on standard error, exit status 2.
fn stopped(reason: &str) -> Output {
    Output { stderr: format!("{reason}\n"), code: 2, ..Output::default() }
}

/// Claude Code's answer, which VS Code shares.
fn pre_tool_use(decision: &str, reason: &str) -> Output {
    said(&json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    } }))
}

/// Claude Code's note to the model.
fn context(text: &str) -> Output {
    said(&json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "additionalContext": text } }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::agents;

    #[test]
    fn every_agent_stands_in_the_table_once_and_in_the_lists_of_the_knowledge() {
        let names: Vec<&str> =
            Agent::ALL.into_iter().flat_map(|agent| [Some(agent.name()), agent.alias()]).flatten().collect();
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{name} names two agents");
        }
        for agent in Agent::ALL {
            assert!(agents::knows(agent.name()), "agents.toml has no list for {agent:?}");
        }
    }
}
