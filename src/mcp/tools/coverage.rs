//! The tool that tells what is judged by a rule of its own: numbers first, names by page.
//!
//! Owns how the coverage is cut into pages. Every name is on exactly one page of a question.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value, json};

use crate::knowledge::Coverage;
use crate::order;

use super::fields::{Arguments, Kind, optional};
use super::result::{self, object};
use super::{Effect, Tool, Tools};

/// What a page holds, in bytes of its names.
const PAGE: usize = 4000;
/// What a name costs besides itself: quotation marks, commas.
const MARKS: usize = 3;
/// Providers that the numbers name; the rest is one number.
const PROVIDERS: usize = 12;
/// The lists, under the names that they have in the answer.
const LISTS: [&str; 4] = ["tools", "kinds", "terraformTypes", "mcpServers"];

pub(super) const TOOLS: &[Tool] = &[Tool {
    name: "recourse_supported_resources",
    title: "List what is known by rule",
    description: "Call this to learn whether a program, Terraform type or MCP server is judged by a rule of its own; what is not is judged by general signs at most, or needs a person. Without arguments it gives numbers only; with `filter`, `list` or `provider` the names, by page.",
    fields: &[
        optional("filter", Kind::Text, "Only names with this in them, for example \"s3_bucket\"."),
        optional("list", Kind::Choice(&LISTS), "Only this list."),
        optional("provider", Kind::Text, "Only names that begin with this word: \"aws\", \"kubernetes\"."),
        optional("cursor", Kind::Text, "`nextCursor` of the page before, with the same other arguments."),
    ],
    output: schema,
    effect: Effect::Looks,
    run: resources,
}];

/// One name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Tool(String),
    Kind {
        kind: String,
        title: String,
    },
    TerraformType(String),
    /// A tool of an MCP server.
    Server {
        server: String,
        also: Vec<String>,
        tool: String,
    },
}

impl Entry {
    fn list(&self) -> &'static str {
        match self {
            Self::Tool(_) => "tools",
            Self::Kind { .. } => "kinds",
            Self::TerraformType(_) => "terraformTypes",
            Self::Server { .. } => "mcpServers",
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Tool(name) | Self::TerraformType(name) => name,
            Self::Kind { kind, .. } => kind,
            Self::Server { server, .. } => server,
        }
    }

    /// The name's first word: that of a Terraform provider, a cloud, a family.
    fn provider(&self) -> &str {
        self.name().split(['_', '.', '-']).next().unwrap_or_default()
    }

    /// How far it is from what was looked for: that very name comes first.
    fn distance(&self, filter: &str) -> u8 {
        let names = match self {
            Self::Server { server, tool, .. } => [server.as_str(), tool.as_str()],
            _ => [self.name(); 2],
        };
        match names {
            names if names.contains(&filter) => 0,
            names if names.iter().any(|name| name.starts_with(filter)) => 1,
            _ => 2,
        }
    }

    fn size(&self) -> usize {
        MARKS
            + match self {
                Self::Tool(name) | Self::TerraformType(name) => name.len(),
                Self::Kind { kind, title } => kind.len() + title.len() + 20,
                Self::Server { tool, .. } => tool.len(),
            }
    }
}

fn resources(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let asked = ["filter", "list", "provider"].map(|name| arguments.text(name));
    let [filter, list, provider] = asked;
    let all = entries(tools.knowledge.coverage(filter));
    let mut found: Vec<Entry> = all
        .into_iter()
        .filter(|entry| list.is_none_or(|list| entry.list() == list))
        .filter(|entry| provider.is_none_or(|provider| entry.provider().eq_ignore_ascii_case(provider)))
        .collect();
    if let Some(filter) = filter {
        order::by_key(&mut found, |entry| entry.distance(filter));
    }
    let mut answer = Map::new();
    answer.insert("totals".to_owned(), totals(&found));
    let cursor = arguments.text("cursor");
    if asked == [None; 3] && cursor.is_none() {
        answer.insert("providers".to_owned(), providers(&found));
        return Ok(result::structured(&Value::Object(answer).to_string()));
    }
    let start = match cursor {
        Some(cursor) => begin(cursor, &asked, found.len())?,
        None => 0,
    };
    let end = page_end(&found, start);
    answer.extend(page(found.get(start..end).unwrap_or_default()));
    if end < found.len() {
        answer.insert("nextCursor".to_owned(), json!(format!("{end}-{:x}", mark(&asked, found.len()))));
    }
    Ok(result::structured(&Value::Object(answer).to_string()))
}

/// All names, one list after the other.
fn entries(covered: Coverage) -> Vec<Entry> {
    let kinds = covered.kinds.into_iter().map(|found| Entry::Kind { kind: found.kind, title: found.title });
    let servers = covered.mcp_servers.into_iter().flat_map(|found| {
        let (server, also) = (found.server, found.also);
        found.tools.into_iter().map(move |tool| Entry::Server {
            server: server.clone(),
            also: also.clone(),
            tool,
        })
    });
    covered
        .tools
        .into_iter()
        .map(Entry::Tool)
        .chain(kinds)
        .chain(covered.terraform_types.into_iter().map(Entry::TerraformType))
        .chain(servers)
        .collect()
}

fn totals(found: &[Entry]) -> Value {
    let count = |list: &str| found.iter().filter(|entry| entry.list() == list).count();
    let servers: BTreeSet<&str> =
        found.iter().filter(|entry| entry.list() == "mcpServers").map(Entry::name).collect();
    json!({
        "tools": count("tools"),
        "kinds": count("kinds"),
        "terraformTypes": count("terraformTypes"),
        "mcpServers": servers.len(),
        "mcpTools": count("mcpServers"),
    })
}

/// How many names each of the largest providers has.
fn providers(found: &[Entry]) -> Value {
    let mut all: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in found.iter().filter(|entry| matches!(entry, Entry::TerraformType(_))) {
        *all.entry(entry.provider()).or_default() += 1;
    }
    let mut sorted: Vec<(&str, usize)> = all.into_iter().collect();
    order::by_key(&mut sorted, |(name, number)| (std::cmp::Reverse(*number), *name));
    let rest: usize = sorted.iter().skip(PROVIDERS).map(|(_, number)| number).sum();
    let named = sorted.into_iter().take(PROVIDERS).map(|(name, number)| (name.to_owned(), json!(number)));
    let mut named: Map<String, Value> = named.collect();
    if rest > 0 {
        named.insert("others".to_owned(), json!(rest));
    }
    Value::Object(named)
}

/// What a cursor belongs to: another question's would skip names.
fn mark(asked: &[Option<&str>; 3], total: usize) -> u32 {
    let mut hasher = DefaultHasher::new();
    (asked, total).hash(&mut hasher);
    (hasher.finish() & u64::from(u32::MAX)) as u32
}

fn begin(cursor: &str, asked: &[Option<&str>; 3], total: usize) -> Result<usize, String> {
    let read = || {
        let (start, of) = cursor.split_once('-')?;
        let fits = of == format!("{:x}", mark(asked, total));
        start.parse().ok().filter(|start| fits && *start < total)
    };
    read().ok_or_else(|| {
        "`cursor` is none of this question's; give `nextCursor` of the page before, with the same `filter`, `list` and `provider`"
            .to_owned()
    })
}

/// Where the page that begins there ends: after at least one name.
fn page_end(found: &[Entry], start: usize) -> usize {
    let mut room = PAGE;
    let mut server = "";
    let mut end = start;
    for entry in found.iter().skip(start) {
        let mut size = entry.size();
        if let Entry::Server { server: name, also, .. } = entry
            && name != server
        {
            server = name;
            size += name.len() + 35 + also.iter().map(|other| other.len() + MARKS).sum::<usize>();
        }
        if size > room && end > start {
            break;
        }
        room = room.saturating_sub(size);
        end += 1;
    }
    end
}

/// The lists with these names; a list without any is absent.
fn page(entries: &[Entry]) -> Map<String, Value> {
    let mut lists: Map<String, Value> = Map::new();
    for entry in entries {
        let Some(list) = lists.entry(entry.list()).or_insert_with(|| Value::Array(Vec::new())).as_array_mut()
        else {
            continue;
        };
        match entry {
            Entry::Tool(name) | Entry::TerraformType(name) => list.push(json!(name)),
            Entry::Kind { kind, title } => list.push(json!({ "kind": kind, "title": title })),
            Entry::Server { server, also, tool } => {
                let same = list.last_mut().filter(|last| last["server"] == json!(server));
                match same.and_then(|last| last.get_mut("tools")).and_then(Value::as_array_mut) {
                    Some(tools) => tools.push(json!(tool)),
                    None => list.push(json!({ "server": server, "also": also, "tools": [tool] })),
                }
            }
        }
    }
    lists
}

fn schema() -> Value {
    let number = json!({ "type": "integer", "minimum": 0 });
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let objects = json!({ "type": "array", "items": { "type": "object" } });
    json!({
        "type": "object",
        "properties": {
            "totals": object(json!({ "tools": number, "kinds": number, "terraformTypes": number, "mcpServers": number, "mcpTools": number })),
            "providers": { "type": "object", "description": "Terraform types by provider." },
            "tools": texts,
            "kinds": objects,
            "terraformTypes": texts,
            "mcpServers": objects,
            "nextCursor": { "type": "string", "description": "There is more: give it as `cursor`." },
        },
        "required": ["totals"],
        "additionalProperties": false,
    })
}
