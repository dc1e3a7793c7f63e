//! Whether it is a person who answers: no agent among the processes that started this one, in its environment, or at the
//! other end of its terminal.
//!
//! This stops an agent that runs our program as it runs everything else. It cannot stop one that has taken over the
//! user's account: such a process can do whatever the user can, and `docs/agents.md` says so.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

/// Names of agents' programs, and of the programs that they run in.
const AGENTS: &[&str] = &[
    "claude",
    "claude-code",
    "codex",
    "codex-cli",
    "gemini",
    "gemini-cli",
    "agy",
    "antigravity",
    "cursor",
    "cursor-agent",
    "copilot",
    "copilot-cli",
    "windsurf",
    "cline",
    "opencode",
    "amp",
    "crush",
    "droid",
    "kiro",
    "kiro-cli",
    "qwen",
    "qwen-code",
    "aider",
    "goose",
    "grok",
    "hermes",
    "roo",
    "continue",
    "openhands",
    "plandex",
    "auggie",
    "code",
    "code-insiders",
    "code-server",
    "vscodium",
    "codium",
    "cursor-server",
    "windsurf-server",
    "zed-editor",
];

/// Programs that run a script which then is what counts.
const INTERPRETERS: &[&str] = &[
    "node", "nodejs", "bun", "deno", "python", "python3", "ruby", "electron", "npx", "npm", "uv", "uvx",
    "java",
];

/// Programs that make a terminal of their own and answer in it by script.
const SCRIPTED: &[&str] = &[
    "expect",
    "script",
    "unbuffer",
    "socat",
    "autoexpect",
    "perl",
    "ruby",
    "php",
    "lua",
    "empty",
    "python",
    "python3",
    "node",
    "bun",
    "deno",
];

/// Variables that agents set for what they run; those that end in `_` are beginnings.
const VARIABLES: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "CODEX_CI",
    "CODEX_SHELL",
    "GEMINI_CLI",
    "CURSOR_AGENT",
    "CURSOR_TRACE_ID",
    "COPILOT_CLI",
    "COPILOT_AGENT",
    "CLINE_ACTIVE",
    "OPENCODE",
    "AMP_CURRENT_THREAD_ID",
    "CRUSH",
    "ANTIGRAVITY_AGENT",
    "AI_AGENT",
    "AGENT",
    "AUGMENT_AGENT",
    "KIRO_AGENT",
    "QWEN_CODE",
    "GOOSE_TERMINAL",
    "RECOURSE_AGENT",
];

/// Processes followed upwards, at most.
const MOST: usize = 64;

/// Why it may not be a person who answers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// A variable of an agent.
    #[error("the variable {0} says that an agent runs this")]
    Variable(String),
    /// An agent started this process.
    #[error("{name} (process {process}) started this, and it runs agents")]
    Ancestor {
        /// Its name.
        name: String,
        /// Its number.
        process: u32,
    },
    /// The terminal is not a person's.
    #[error("the terminal belongs to {name} (process {process}), which can type into it by itself")]
    Terminal {
        /// Its name.
        name: String,
        /// Its number.
        process: u32,
    },
    /// It cannot be told.
    #[error("the processes that started this cannot be told")]
    Untold,
}

/// One process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// The one that started it; 0 when there is none.
    pub parent: u32,
    /// Short name.
    pub name: String,
    /// Its words.
    pub words: Vec<String>,
}

/// What is looked at.
pub trait Surroundings {
    /// Names of the variables that are set.
    fn variables(&self) -> Vec<String>;
    /// This process's number.
    fn own(&self) -> u32;
    /// A process; `None` when it cannot be seen.
    fn process(&self, id: u32) -> Option<Process>;
    /// Processes that hold the other end of the controlling terminal, as far as they can be seen.
    fn terminal_holders(&self) -> Vec<u32>;
}

/// Why it may not be a person who answers here; `None` when nothing speaks against it.
pub fn doubt(around: &dyn Surroundings) -> Option<Doubt> {
    if let Some(name) = around.variables().into_iter().find(|name| is_agents(name)) {
        return Some(Doubt::Variable(name));
    }
    if let Some(found) = agent_above(around, around.own()) {
        return Some(found);
    }
    for holder in around.terminal_holders() {
        let Some(process) = around.process(holder) else { continue };
        if is_agent(&process) || SCRIPTED.contains(&plain(&process.name).as_str()) {
            return Some(Doubt::Terminal { name: process.name, process: holder });
        }
        if let Some(Doubt::Ancestor { name, process }) = agent_above(around, holder) {
            return Some(Doubt::Terminal { name, process });
        }
    }
    None
}

fn is_agents(variable: &str) -> bool {
    VARIABLES.iter().any(|known| match known.strip_suffix('_') {
        Some(_) => variable.starts_with(known),
        None => variable == *known,
    })
}

/// An agent among those that started a process.
fn agent_above(around: &dyn Surroundings, from: u32) -> Option<Doubt> {
    let Some(own) = around.process(from) else { return Some(Doubt::Untold) };
    let mut id = own.parent;
    for _ in 0..MOST {
        if id <= 1 {
            return None;
        }
        // A process that ended meanwhile left nothing above it that could be told.
        let Some(process) = around.process(id) else { return Some(Doubt::Untold) };
        if is_agent(&process) {
            return Some(Doubt::Ancestor { name: process.name, process: id });
        }
        id = process.parent;
    }
    Some(Doubt::Untold)
}

fn is_agent(process: &Process) -> bool {
    let known = |name: &str| AGENTS.contains(&plain(name).as_str());
    if known(&process.name) {
        return true;
    }
    let mut words = process.words.iter();
    let Some(first) = words.next() else { return false };
    let program = base(first);
    if known(program) {
        return true;
    }
    let interpreter = |name: &str| INTERPRETERS.contains(&plain(name).as_str());
    if !interpreter(program) && !interpreter(&process.name) {
        return false;
    }
    // The script: any of its path's parts may name the agent (`…/@openai/codex/bin/codex.js`).
    words.take(8).any(|word| {
        word.split('/').any(|part| known(part.trim_start_matches('@')) || known(stem(part)))
            || word.contains("@anthropic-ai")
            || word.contains("@sourcegraph/amp")
    })
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// `python3.12` is `python3`, `Cursor Helper` is `cursor`.
fn plain(name: &str) -> String {
    let name = base(name).trim_start_matches('-');
    let name = name.split(' ').next().unwrap_or(name).to_lowercase();
    match name.split_once('.') {
        Some((before, _)) => before.to_owned(),
        None => name,
    }
}

/// This machine.
#[derive(Clone, Debug, Default)]
pub struct Here {
    /// From `ps`, where there is no `/proc`.
    listed: Option<BTreeMap<u32, Process>>,
}

impl Here {
    /// Looks once where looking costs a program.
    pub fn new() -> Self {
        let listed = (!Path::new("/proc/self/stat").exists()).then(listed);
        Self { listed }
    }
}

impl Surroundings for Here {
    fn variables(&self) -> Vec<String> {
        let set = |(name, value): (OsString, OsString)| {
            (!value.is_empty()).then(|| name.to_string_lossy().into_owned())
        };
        env::vars_os().filter_map(set).collect()
    }

    fn own(&self) -> u32 {
        std::process::id()
    }

    fn process(&self, id: u32) -> Option<Process> {
        match &self.listed {
            Some(listed) => listed.get(&id).cloned(),
            None => in_proc(id),
        }
    }

    fn terminal_holders(&self) -> Vec<u32> {
        if self.listed.is_some() { Vec::new() } else { holders().unwrap_or_default() }
    }
}

/// From `/proc`.
fn in_proc(id: u32) -> Option<Process> {
    let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
    // The name stands in parentheses and may hold any of them.
    let open = stat.iter().position(|byte| *byte == b'(')?;
    let close = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = String::from_utf8_lossy(stat.get(close + 1..)?).into_owned();
    let parent = rest.split_whitespace().nth(1)?.parse().ok()?;
    let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let words = words.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    let mut name = String::from_utf8_lossy(stat.get(open + 1..close)?).into_owned();
    // What is executed counts more than what it calls itself.
    if let Ok(program) = fs::read_link(format!("/proc/{id}/exe"))
        && let Some(file) = program.file_name()
        && AGENTS.contains(&plain(&file.to_string_lossy()).as_str())
    {
        name = file.to_string_lossy().into_owned();
    }
    Some(Process {
        parent,
        name,
        words: words.map(|word| String::from_utf8_lossy(word).into_owned()).collect(),
    })
}

/// Processes of this user that hold the other end of the controlling terminal.
fn holders() -> Option<Vec<u32>> {
    let tty = fs::read("/proc/self/stat").ok()?;
    let close = tty.iter().rposition(|byte| *byte == b')')?;
    let rest = String::from_utf8_lossy(tty.get(close + 1..)?).into_owned();
    let number: u64 = rest.split_whitespace().nth(4)?.parse().ok()?;
    // The kernel's packing of a device number; pseudo-terminals have the majors 136 to 143.
    let (major, minor) = ((number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xf_ff00));
    if !(136..=143).contains(&major) {
        return None;
    }
    let wanted = format!("{}", (major - 136) * 256 + minor);
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(open) = fs::read_dir(entry.path().join("fd")) else { continue };
        for file in open.flatten() {
            let Ok(target) = fs::read_link(file.path()) else { continue };
            if !target.as_os_str().as_bytes().ends_with(b"ptmx") {
                continue;
            }
            let info = entry.path().join("fdinfo").join(file.file_name());
            let Ok(text) = fs::read_to_string(info) else { continue };
            let index = text.lines().find_map(|line| line.strip_prefix("tty-index:"));
            if index.is_some_and(|index| index.trim() == wanted) {
                found.push(id);
                break;
            }
        }
    }
    Some(found)
}

/// From `ps`; empty when it cannot be asked, and then nobody can be told.
fn listed() -> BTreeMap<u32, Process> {
    let asked = Command::new("/bin/ps").args(["-axo", "pid=,ppid=,command="]).env_clear().output();
    let Ok(output) = asked else { return BTreeMap::new() };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let id = words.next()?.parse().ok()?;
            let parent = words.next()?.parse().ok()?;
            let words: Vec<String> = words.map(str::to_owned).collect();
            let name = words.first().map(|word| base(word).to_owned()).unwrap_or_default();
            Some((id, Process { parent, name, words }))
        })
        .collect()
}
