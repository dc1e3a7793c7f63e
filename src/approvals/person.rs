//! Whether it is a person who answers: no agent among the processes that started this one, in its environment, or at the
//! other end of its terminal.
//!
//! This stops an agent that runs our program as it runs everything else. It cannot stop one that has taken over the
//! user's account: such a process can do whatever the user can, and `docs/agents.md` says so.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::parent_id;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use crate::knowledge::{Words, agents};

/// Processes followed upwards, at most.
const MOST: usize = 64;
/// Words of a process, in bytes: more the system hands to none.
const LONGEST: u64 = 8 << 20;

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
    /// In the terminals of an editor both type.
    #[error("{name} (process {process}) started this, and both people and agents type in its terminals")]
    Editor {
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

impl Doubt {
    /// It may be a person all the same.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Editor { .. })
    }
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
    /// The process that started one; `None` when it cannot be seen.
    fn parent(&self, id: u32) -> Option<u32> {
        self.process(id).map(|process| process.parent)
    }
    /// Processes that hold the other end of the controlling terminal, as far as they can be seen.
    fn terminal_holders(&self) -> Vec<u32>;
}

/// Why it may not be a person who answers here; `None` when nothing speaks against it. What is certain comes first.
pub fn doubt(around: &dyn Surroundings) -> Option<Doubt> {
    let above = started_by_agent(around);
    match above {
        Some(Doubt::Editor { .. }) | None => terminal(around).or(above),
        certain => certain,
    }
}

/// The part of [`doubt`] that costs next to nothing: variables, and the processes that started this one.
fn started_by_agent(around: &dyn Surroundings) -> Option<Doubt> {
    let variable = around.variables().into_iter().find(|name| agents::sets(name));
    variable.map(Doubt::Variable).or_else(|| agent_above(around, around.own()))
}

/// Who holds the other end of the terminal.
fn terminal(around: &dyn Surroundings) -> Option<Doubt> {
    for holder in around.terminal_holders() {
        let Some(process) = around.process(holder) else { continue };
        if is_agent(&process) || agents::processes().scripted.has(&plain(&process.name)) {
            return Some(Doubt::Terminal { name: process.name, process: holder });
        }
        if let Some(Doubt::Ancestor { name, process }) = agent_above(around, holder) {
            return Some(Doubt::Terminal { name, process });
        }
    }
    None
}

/// An agent among those that started a process, or an editor.
fn agent_above(around: &dyn Surroundings, from: u32) -> Option<Doubt> {
    let Some(mut id) = around.parent(from) else { return Some(Doubt::Untold) };
    let mut editor = None;
    for _ in 0..MOST {
        if id <= 1 {
            return editor;
        }
        // A process that ended meanwhile left nothing above it that could be told.
        let Some(process) = around.process(id) else { return Some(Doubt::Untold) };
        if is_agent(&process) {
            return Some(Doubt::Ancestor { name: process.name, process: id });
        }
        if editor.is_none() && is_named(&process, agents::processes().editors) {
            editor = Some(Doubt::Editor { name: process.name.clone(), process: id });
        }
        id = process.parent;
    }
    Some(Doubt::Untold)
}

/// The process, or the program that it says it is, has one of these names.
fn is_named(process: &Process, names: Words) -> bool {
    let known = |name: &str| names.has(&plain(name));
    known(&process.name) || process.words.first().is_some_and(|first| known(base(first)))
}

fn is_agent(process: &Process) -> bool {
    let names = agents::processes();
    if is_named(process, names.agents) {
        return true;
    }
    let known = |name: &str| names.agents.has(&plain(name));
    let mut words = process.words.iter();
    let Some(first) = words.next() else { return false };
    let program = base(first);
    let interpreter = |name: &str| names.interpreters.has(&plain(name));
    if !interpreter(program) && !interpreter(&process.name) {
        return false;
    }
    // The script: any of its path's parts may name the agent (`…/@openai/codex/bin/codex.js`).
    words.take(8).any(|word| {
        word.split('/').any(|part| known(part.trim_start_matches('@')) || known(stem(part)))
            || names.packages.iter().any(|package| word.contains(package))
    })
}

fn is_known(name: &str) -> bool {
    let names = agents::processes();
    names.agents.has(name) || names.editors.has(name)
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
#[derive(Debug, Default)]
pub struct Here {
    /// From `ps`, where there is no `/proc`: asked when it is needed, and once, for it costs a program.
    listed: OnceLock<Option<BTreeMap<u32, Process>>>,
}

impl Here {
    /// Looks at nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn listed(&self) -> Option<&BTreeMap<u32, Process>> {
        let look = || (!Path::new("/proc/self/stat").exists()).then(listed);
        self.listed.get_or_init(look).as_ref()
    }

    /// Whether an agent started this very process, as far as variables and processes tell.
    pub fn agent() -> Option<Doubt> {
        started_by_agent(&Self::new()).filter(|doubt| !doubt.is_open())
    }

    /// [`doubt`] about this very process, looked for once: neither its terminal nor its ancestors become others.
    pub fn doubt() -> Option<Doubt> {
        static FOUND: OnceLock<Option<Doubt>> = OnceLock::new();
        FOUND.get_or_init(|| doubt(&Self::new())).clone()
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
        match self.listed() {
            Some(listed) => listed.get(&id).cloned(),
            None => in_proc(id),
        }
    }

    fn parent(&self, id: u32) -> Option<u32> {
        // The system tells it without more, where the others can be seen as well.
        match self.listed() {
            None if id == self.own() => Some(parent_id()),
            _ => self.process(id).map(|process| process.parent),
        }
    }

    fn terminal_holders(&self) -> Vec<u32> {
        if self.listed().is_some() { Vec::new() } else { holders().unwrap_or_default() }
    }
}

/// From `/proc`.
fn in_proc(id: u32) -> Option<Process> {
    let stat = at_once(&format!("/proc/{id}/stat")).ok()?;
    // The name stands in parentheses and may hold any of them.
    let open = stat.iter().position(|byte| *byte == b'(')?;
    let close = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = String::from_utf8_lossy(stat.get(close + 1..)?).into_owned();
    let parent = rest.split_whitespace().nth(1)?.parse().ok()?;
    let words = at_once(&format!("/proc/{id}/cmdline")).unwrap_or_default();
    let words = words.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    let mut name = String::from_utf8_lossy(stat.get(open + 1..close)?).into_owned();
    // What is executed counts more than what it calls itself.
    if let Ok(program) = fs::read_link(format!("/proc/{id}/exe"))
        && let Some(file) = program.file_name()
        && is_known(&plain(&file.to_string_lossy()))
    {
        name = file.to_string_lossy().into_owned();
    }
    Some(Process {
        parent,
        name,
        words: words.map(|word| String::from_utf8_lossy(word).into_owned()).collect(),
    })
}

/// A file of `/proc`. None says how long it is, and each piece that is read costs the system as much as all of it.
fn at_once(path: &str) -> io::Result<Vec<u8>> {
    let mut all = Vec::with_capacity(4096);
    File::open(path)?.take(LONGEST).read_to_end(&mut all)?;
    Ok(all)
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
