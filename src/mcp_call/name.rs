//! Names of servers and tools as lists of words, however they are written.

use std::collections::HashMap;

use crate::knowledge::{Knowledge, McpFamily};
pub(super) use crate::model::{says_production, words};
use crate::order;

/// Words joined as arguments and data spell them.
pub(super) fn snake(name: &str) -> String {
    words(name).join("_")
}

/// Words that say nothing about which server it is.
const NOISE: &[&str] =
    &["mcp", "server", "servers", "modelcontextprotocol", "the", "official", "local", "my"];

/// The words that count, in an order of their own: `s3.delete_bucket` and `delete_s3_bucket` are one tool. Verbs that
/// mean the same are one word.
fn key(words: &[String]) -> Vec<String> {
    let mut key: Vec<String> = words
        .iter()
        .map(|word| match word.as_str() {
            "remove" | "rm" | "del" | "destroy" | "erase" => "delete".to_owned(),
            "modify" => "update".to_owned(),
            _ => word.clone(),
        })
        .collect();
    order::sort(&mut key);
    key
}

/// Where a tool's declaration stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// It only reads.
    Reads,
    /// At this position among the family's tools.
    Tool(usize),
}

/// A family's tools by their words, and by their words without a prefix that only names the family.
pub(super) fn entries(family: &McpFamily) -> HashMap<Vec<String>, Entry> {
    let reads = family.reads.iter().map(|name| (words(name), Entry::Reads));
    let tools = family
        .tools
        .iter()
        .enumerate()
        .flat_map(|(at, names)| names.iter().map(move |name| (words(name), Entry::Tool(at))));
    let all: Vec<(Vec<String>, Entry)> = reads.chain(tools).collect();
    let mut found: HashMap<Vec<String>, Entry> =
        all.iter().map(|(words, entry)| (key(words), *entry)).collect();
    let prefixes: Vec<Vec<String>> = family.names.iter().map(|name| words(name)).collect();
    for (words, entry) in &all {
        for rest in prefixes.iter().filter_map(|prefix| words.strip_prefix(prefix.as_slice())) {
            if !rest.is_empty() {
                found.entry(key(rest)).or_insert(*entry);
            }
        }
    }
    found
}

/// A call's server and tool as far as names tell.
#[derive(Debug)]
pub(super) struct Named {
    /// The tool's words.
    pub(super) tool: Vec<String>,
    /// The same without a prefix that repeats the server's name.
    pub(super) bare: Vec<String>,
    /// The server's words.
    server: Vec<String>,
    /// Families that the server's name or the tool's prefix speak of, the most telling first.
    pub(super) families: Vec<McpFamily>,
    /// The server was named.
    pub(super) told: bool,
}

impl Named {
    pub(super) fn of(server: Option<&str>, tool: &str, knowledge: &Knowledge) -> Self {
        let (given, tool) = match (server, tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")))
        {
            // `mcp__github__delete_file`, as some clients call it.
            (None, Some((server, tool))) => (Some(server), tool),
            (Some(server), Some((_, tool))) => (Some(server), tool),
            (server, None) => (server, tool),
        };
        let all = knowledge.mcp();
        let server = given.map(words).unwrap_or_default();
        let tool = words(tool);
        let mut families = of_words(&server, &all);
        let told = given.is_some();
        if !told {
            // The tool's own prefix names the family: `github_delete_file`, `aws.s3.delete_bucket`. A server of another name
            // may mean anything by it.
            families = prefixed(&tool, &all);
        }
        // A prefix that repeats the server: `github_delete_file` of `github`.
        let bare =
            tool.strip_prefix(server.as_slice()).filter(|rest| !rest.is_empty()).unwrap_or(&tool).to_vec();
        Self { tool, bare, server, families, told }
    }

    /// The service that the server's own name says beside its family's: `dynamodb` of `awslabs.dynamodb-mcp-server`.
    pub(super) fn service(&self, family: &McpFamily) -> Option<String> {
        let kept: Vec<&String> = self.server.iter().filter(|word| !NOISE.contains(&word.as_str())).collect();
        let first = family.names.first()?;
        let service = kept.last().filter(|word| !word.starts_with(first.as_str()))?;
        family.names.contains(service).then(|| (*service).clone())
    }

    /// The tool among a family's: as it is, or without a prefix that names the family.
    pub(super) fn entry(&self, family: &McpFamily) -> Option<Entry> {
        let entries = entries(family);
        if let Some(found) = entries.get(&key(&self.tool)).or_else(|| entries.get(&key(&self.bare))) {
            return Some(*found);
        }
        family.names.iter().find_map(|name| {
            let prefix = words(name);
            let rest = self.tool.strip_prefix(prefix.as_slice()).or_else(|| {
                // `delete_file_github` is unheard of, but the noise around a name is not: `mcp_github_delete_file`.
                self.tool
                    .strip_prefix(&["mcp".to_owned()])
                    .and_then(|rest| rest.strip_prefix(prefix.as_slice()))
            })?;
            entries.get(&key(rest)).copied()
        })
    }
}

/// Families whose name stands among the words, longest names first.
fn of_words(server: &[String], all: &[McpFamily]) -> Vec<McpFamily> {
    let kept: Vec<String> = server.iter().filter(|word| !NOISE.contains(&word.as_str())).cloned().collect();
    let mut found: Vec<(usize, &McpFamily)> = all
        .iter()
        .filter_map(|family| {
            let longest = family
                .names
                .iter()
                .map(|name| words(name))
                .filter(|name| kept.windows(name.len().max(1)).any(|part| part == name.as_slice()))
                .map(|name| name.len())
                .max()?;
            Some((longest, family))
        })
        .collect();
    order::by_key(&mut found, |(length, _)| std::cmp::Reverse(*length));
    found.into_iter().map(|(_, family)| family.clone()).collect()
}

/// Families whose name the tool's words begin with.
fn prefixed(tool: &[String], all: &[McpFamily]) -> Vec<McpFamily> {
    let tool = tool.strip_prefix(&["mcp".to_owned()]).unwrap_or(tool);
    all.iter()
        .filter(|family| {
            family.names.iter().any(|name| {
                let name = words(name);
                tool.len() > name.len() && tool.starts_with(&name)
            })
        })
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_found_in_their_names() {
        let knowledge = Knowledge::builtin();
        let family = |server: Option<&str>, tool: &str| {
            let named = Named::of(server, tool, &knowledge);
            (named.families.first().map(|f| f.names[0].clone()).unwrap_or_default(), named.bare.join(" "))
        };
        let files = ("filesystem".to_owned(), "delete file".to_owned());
        for server in
            ["filesystem", "@modelcontextprotocol/server-filesystem", "mcp-server-filesystem", "my_fs"]
        {
            assert_eq!(family(Some(server), "delete_file"), files, "{server}");
        }
        assert_eq!(family(None, "mcp__filesystem__delete_file"), files);
        assert_eq!(family(Some("acme"), "delete_file").0, "");
    }
}
