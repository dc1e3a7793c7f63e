//! `hook AGENT`: standard input to the agent's answer.

use std::io::{self, Write};

use crate::hook::coding::{Agent, run as answer};

use super::args::HookCommand;
use super::hook;
use super::output::Failure;

/// Blocks in every agent that looks at exit statuses.
const BLOCK: u8 = 2;

pub(super) fn run(command: &HookCommand) -> Result<u8, Failure> {
    let agent = match command {
        HookCommand::Shell(args) => return hook::shell(args),
        HookCommand::ClaudeCode => Agent::ClaudeCode,
        HookCommand::Codex => Agent::Codex,
        HookCommand::Gemini => Agent::Gemini,
        HookCommand::Cursor => Agent::Cursor,
        HookCommand::Copilot => Agent::Copilot,
        HookCommand::Vscode => Agent::Vscode,
        HookCommand::Windsurf => Agent::Windsurf,
        HookCommand::Cline => Agent::Cline,
        HookCommand::Opencode => Agent::Opencode,
        HookCommand::Amp => Agent::Amp,
        HookCommand::Crush => Agent::Crush,
    };
    let output = answer(agent, io::stdin());
    let _ = io::stderr().lock().write_all(output.stderr.as_bytes());
    let mut out = io::stdout().lock();
    if out.write_all(output.stdout.as_bytes()).and_then(|()| out.flush()).is_err() {
        // An answer that does not arrive must not count as none.
        let _ = writeln!(io::stderr().lock(), "recourse: the answer could not be written");
        return Ok(BLOCK);
    }
    Ok(output.code)
}
