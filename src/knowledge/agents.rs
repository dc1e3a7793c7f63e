//! Tools of coding agents' own that change nothing, and our own server's (`agents.toml`). Owns the lists and how names are
//! compared.

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
        assert_eq!(read().unwrap().harmless.len(), 11);
        assert!(harmless_tool("claude-code", "Read") && harmless_tool("vscode", "runSubagent"));
        assert!(!harmless_tool("claude-code", "Bash") && !harmless_tool("nobody", "Read"));
    }
}
