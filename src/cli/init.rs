//! `init`: a shell's hook, or our hook or server in an agent's configuration.

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::hook::coding::Agent;
use crate::hook::coding::install::{Change, Folders, InstallError, Installation, Scope};
use crate::report::escape;

use super::args::{GuardedShell, InitAgentArgs, InitCommand};
use super::hook;
use super::init_mcp;
use super::output::{self, Failure};
use super::setup;
use super::status;

pub(super) fn run(command: &InitCommand) -> Result<u8, Failure> {
    let (agent, args) = match command {
        InitCommand::Bash(args) => return hook::init(GuardedShell::Bash, args.uninstall),
        InitCommand::Zsh(args) => return hook::init(GuardedShell::Zsh, args.uninstall),
        InitCommand::Fish(args) => return hook::init(GuardedShell::Fish, args.uninstall),
        InitCommand::Mcp(args) => return init_mcp::run(args),
        InitCommand::ClaudeCode(args) => (Agent::ClaudeCode, args),
        InitCommand::Codex(args) => (Agent::Codex, args),
        InitCommand::Gemini(args) => (Agent::Gemini, args),
        InitCommand::Cursor(args) => (Agent::Cursor, args),
        InitCommand::Copilot(args) => (Agent::Copilot, args),
        InitCommand::Vscode(args) => (Agent::Vscode, args),
        InitCommand::Windsurf(args) => (Agent::Windsurf, args),
        InitCommand::Cline(args) => (Agent::Cline, args),
        InitCommand::Opencode(args) => (Agent::Opencode, args),
        InitCommand::Amp(args) => (Agent::Amp, args),
        InitCommand::Crush(args) => (Agent::Crush, args),
    };
    agent_hook(agent, args)
}

fn agent_hook(agent: Agent, args: &InitAgentArgs) -> Result<u8, Failure> {
    let scope = if args.project { Scope::Project(setup::working_directory(None)?) } else { Scope::User };
    let program = program()?;
    let data = setup::places()?.data;
    let installation = Installation::new(agent, &scope, &folders()?, &program, &data);
    if args.verify {
        return verify(agent, &installation, &program);
    }
    let changes = match (args.write, args.uninstall, args.dry_run) {
        (true, _, _) => installation.write(),
        (_, true, false) => installation.remove(),
        (_, true, true) => installation.unwanted(),
        _ => installation.wanted(),
    };
    let changes = changes.map_err(failure)?;
    let done = args.write || (args.uninstall && !args.dry_run);
    tell(&changes, done);
    if !args.uninstall
        && let Some(remark) = installation.remark()
    {
        output::note(remark);
    }
    if !done {
        not_yet(&changes, args.uninstall);
    }
    Ok(0)
}

/// What a look ahead ends with.
pub(super) fn not_yet(changes: &[Change], uninstall: bool) {
    if changes.iter().any(|change| !change.is_none()) {
        let how = if uninstall { "without --dry-run it is removed" } else { "--write installs it" };
        output::note(&format!("nothing was changed yet: {how}"));
    }
}

fn failure(error: InstallError) -> Failure {
    Failure::usage(error.to_string())
}

/// The changes, and for a look ahead what would stand there.
pub(super) fn tell(changes: &[Change], done: bool) {
    for change in changes {
        let file = escape(&change.file.to_string_lossy());
        let word = match (&change.before, &change.after, change.is_none()) {
            (_, _, true) => "unchanged",
            (None, _, _) => "new",
            (_, None, _) => "removed",
            _ => "changed",
        };
        output::print(&format!("{word}: {file}\n"));
        if done || change.is_none() {
            continue;
        }
        if let Some(after) = &change.after {
            let before: Vec<&str> = change.before.as_deref().unwrap_or_default().lines().collect();
            let after: Vec<&str> = after.lines().collect();
            for (sign, line) in difference(&before, &after) {
                output::print(&format!("  {sign} {}\n", escape(line)));
            }
        }
    }
}

/// Lines that go and come, between what both begin and end with.
fn difference<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<(char, &'a str)> {
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (before, after) = (&before[same..], &after[same..]);
    let tail = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    let gone = before[..before.len() - tail].iter().map(|line| ('-', *line));
    gone.chain(after[..after.len() - tail].iter().map(|line| ('+', *line))).collect()
}

/// Whether it stands as it should, and whether what it starts answers.
fn verify(agent: Agent, installation: &Installation, program: &str) -> Result<u8, Failure> {
    let mut wrong = installation.verify().map_err(failure)?;
    if let Err(why) = answers(agent, program) {
        wrong.push(why);
    }
    for line in &wrong {
        output::error(line);
    }
    if wrong.is_empty() {
        output::print(&format!("the hook of {} is installed and answers\n", agent.name()));
        Ok(0)
    } else {
        Ok(status::INVALID)
    }
}

/// Hands the program a call that nobody can read: it must be stopped.
fn answers(agent: Agent, program: &str) -> Result<(), String> {
    let wrong = |what: &str| format!("{program}: {what}");
    let mut child = Command::new(program)
        .args(["hook", agent.name()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| wrong(&error.to_string()))?;
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(b"?");
    }
    let answer = child.wait_with_output().map_err(|error| wrong(&error.to_string()))?;
    let said = [answer.stdout, answer.stderr].concat();
    if String::from_utf8_lossy(&said).contains("does not run") {
        Ok(())
    } else {
        Err(wrong("it does not stop a call that cannot be read"))
    }
}

/// The path by which others start us: the name on PATH that leads here where there is one, since it outlives updates.
pub(super) fn program() -> Result<String, Failure> {
    let own = env::current_exe().map_err(|error| {
        Failure::internal(format!("the path of the program itself cannot be told: {error}"))
    })?;
    let here = fs::canonicalize(&own).unwrap_or_else(|_| own.clone());
    let path = env::var_os("PATH").unwrap_or_default();
    let named = env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("recourse"))
        .find(|candidate| fs::canonicalize(candidate).is_ok_and(|real| real == here));
    let program = named.unwrap_or(own);
    let text = program.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::usage("the path of the program itself is not valid UTF-8"))
}

/// Where agents' configurations stand.
pub(super) fn folders() -> Result<Folders, Failure> {
    let home = dirs::home_dir().ok_or_else(|| Failure::usage("there is no home directory: set HOME"))?;
    let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = named("XDG_CONFIG_HOME").unwrap_or_else(|| Path::new(&home).join(".config"));
    Ok(Folders { home, config, claude: named("CLAUDE_CONFIG_DIR"), codex: named("CODEX_HOME") })
}
