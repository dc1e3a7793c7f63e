//! What is known of coding agents (`agents.toml`): tools of their own that change nothing, our own server's, and how a
//! process of theirs is told. Owns the lists and how names of tools are compared.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::tool_words::Words;

/// The lists, by agent.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Agents {
    harmless: BTreeMap<String, Words>,
    ours: BTreeMap<String, Words>,
    runs: BTreeMap<String, Words>,
    processes: Processes,
    variables: Variables,
}

/// Names by which processes are told.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Processes {
    /// Agents' programs.
    pub agents: Words,
    /// Editors in whose terminals people type, and agents too.
    pub editors: Words,
    /// Programs that run a script which then is what counts.
    pub interpreters: Words,
    /// Programs that make a terminal of their own and answer in it by script.
    pub scripted: Words,
    /// Parts of a script's path that name an agent.
    pub packages: Words,
}

/// Names of variables.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Variables {
    set: Words,
    /// The variable that holds the session's id, by agent.
    sessions: BTreeMap<String, Words>,
}

/// A tool's name as it is compared: agents and their versions differ in case and in what joins words.
pub fn tool_key(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// Whether a tool of this agent's own is known to change nothing.
pub fn harmless_tool(agent: &str, tool: &str) -> bool {
    let key = tool_key(tool);
    lists().harmless.get(agent).is_some_and(|names| names.iter().any(|name| tool_key(name) == key))
}

/// The words that a tool of this sort runs, before what the call itself says; none when no such sort is known.
pub fn runs(sort: &str) -> Vec<String> {
    lists().runs.get(sort).into_iter().flat_map(|words| words.iter()).map(str::to_owned).collect()
}

/// Names by which processes are told.
pub fn processes() -> &'static Processes {
    &lists().processes
}

/// Whether agents set this variable for what they run.
pub fn sets(variable: &str) -> bool {
    lists().variables.set.has(variable)
}

/// The session of an agent that runs this process, as its hook names it; `look` reads a variable.
pub fn session(look: impl Fn(&str) -> Option<String>) -> Option<String> {
    lists().variables.sessions.iter().find_map(|(agent, names)| {
        let id = names.iter().find_map(&look).filter(|id| !id.is_empty())?;
        Some(format!("{agent}:{id}"))
    })
}

/// Whether there is a list of this agent's tools.
#[cfg(test)]
pub(crate) fn knows(agent: &str) -> bool {
    lists().harmless.contains_key(agent)
}

/// Whether a call is one of our own server's tools, with nothing but arguments that it takes: then it only judges.
pub fn is_ours<'a>(tool: &str, mut arguments: impl Iterator<Item = &'a str>) -> bool {
    lists().ours.get(tool).is_some_and(|known| arguments.all(|name| known.has(name)))
}

fn lists() -> &'static Agents {
    static LISTS: OnceLock<Agents> = OnceLock::new();
    // Unreadable lists know nothing, so every tool is judged; a test rules that out.
    LISTS.get_or_init(|| read().unwrap_or_default())
}

fn read() -> Result<Agents, serde_json::Error> {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/agents.json")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_can_be_read() {
        let lists = read().unwrap();
        assert_eq!(lists.harmless.len(), 11);
        assert!(lists.processes.agents.has("claude") && lists.processes.scripted.has("expect"));
        assert_eq!(runs("javascript"), ["node", "-e"]);
        assert!(!runs("powershell").is_empty() && !runs("worktree-removal").is_empty());
        let codex = |name: &str| (name == "CODEX_THREAD_ID").then(|| "7".to_owned());
        assert_eq!((session(codex).as_deref(), session(|_| None)), (Some("codex:7"), None));
        assert!(sets("CLAUDECODE") && !sets("PATH"));
        assert!(harmless_tool("claude-code", "Read") && harmless_tool("vscode", "runSubagent"));
        assert!(!harmless_tool("claude-code", "Bash") && !harmless_tool("nobody", "Read"));
    }
}
