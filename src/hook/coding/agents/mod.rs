//! The agents: which there are, and to which adapter each goes.

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

use serde_json::{Value, json};

use super::Output;
use super::call::{Answer, Object, Request, Unreadable};

/// A coding agent whose calls can be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agent {
    /// Claude Code.
    ClaudeCode,
    /// OpenAI Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor, editor and command line.
    Cursor,
    /// GitHub Copilot CLI.
    Copilot,
    /// The agent of VS Code.
    Vscode,
    /// Windsurf.
    Windsurf,
    /// Cline, editor and command line.
    Cline,
    /// opencode, through our plugin.
    Opencode,
    /// Amp, through our plugin.
    Amp,
    /// Crush.
    Crush,
}

impl Agent {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Gemini,
        Self::Cursor,
        Self::Copilot,
        Self::Vscode,
        Self::Windsurf,
        Self::Cline,
        Self::Opencode,
        Self::Amp,
        Self::Crush,
    ];

    /// Its name on the command line and in actors (`agent/codex`).
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::Vscode => "vscode",
            Self::Windsurf => "windsurf",
            Self::Cline => "cline",
            Self::Opencode => "opencode",
            Self::Amp => "amp",
            Self::Crush => "crush",
        }
    }

    /// The agent of this name.
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "claude" { "claude-code" } else { name };
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// A hook's `ask` really asks a person, in every mode and version that has hooks at all. Elsewhere the command would
    /// run, so what needs a person is denied with the line that a person can run.
    pub fn asks(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::Copilot | Self::Vscode)
    }
}

/// What the agent is about to do.
pub(super) fn read(agent: Agent, input: &Object) -> Result<Request, Unreadable> {
    match agent {
        Agent::ClaudeCode => claude_code::read(input),
        Agent::Codex => codex::read(input),
        Agent::Gemini => gemini::read(input),
        Agent::Cursor => cursor::read(input),
        Agent::Copilot => copilot::read(input),
        Agent::Vscode => vscode::read(input),
        Agent::Windsurf => windsurf::read(input),
        Agent::Cline => cline::read(input),
        Agent::Opencode => opencode::read(input),
        Agent::Amp => amp::read(input),
        Agent::Crush => crush::read(input),
    }
}

/// The answer in the agent's words. `event` as [`Request`] has it; empty when the call could not be read.
pub(super) fn write(agent: Agent, event: &str, answer: &Answer) -> Output {
    match agent {
        Agent::ClaudeCode => claude_code::write(answer),
        Agent::Codex => codex::write(event, answer),
        Agent::Gemini => gemini::write(answer),
        Agent::Cursor => cursor::write(answer),
        Agent::Copilot => copilot::write(event, answer),
        Agent::Vscode => vscode::write(answer),
        Agent::Windsurf => windsurf::write(answer),
        Agent::Cline => cline::write(answer),
        Agent::Opencode => opencode::write(answer),
        Agent::Amp => amp::write(answer),
        Agent::Crush => crush::write(answer),
    }
}

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
