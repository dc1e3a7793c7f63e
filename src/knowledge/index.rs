//! The embedded knowledge as text, found by name: positions only, so that nothing of it costs a start that does not ask.
//!
//! `build.rs` writes the tables and explains their form.

use std::sync::OnceLock;

use super::packed;

static NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/knowledge_names.txt"));
static TEXTS: &str = include_str!(concat!(env!("OUT_DIR"), "/knowledge_texts.txt"));

/// What is declared of Terraform types, as it stands in the program.
static PLANS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/knowledge_plans.deflate"));

include!(concat!(env!("OUT_DIR"), "/knowledge_index.rs"));

/// A tool's number, by one of its names.
pub(super) fn tool(name: &str) -> Option<usize> {
    let at = TOOLS.binary_search_by_key(&name, |[start, end, _]| cut(NAMES, *start, *end)).ok()?;
    TOOLS.get(at).map(|row| row[2] as usize)
}

/// A tool's own text as JSON, by number.
pub(super) fn tool_text(number: usize) -> Option<&'static str> {
    TOOL_TEXTS.get(number).map(|[start, end, _, _]| cut(TEXTS, *start, *end))
}

/// A tool's subcommands, by the tool's number: names (the first is not an alias) and text.
pub(super) fn subcommands(
    number: usize,
) -> impl Iterator<Item = (impl Iterator<Item = &'static str>, &'static str)> {
    let rows = TOOL_TEXTS.get(number).map_or(&[][..], |[_, _, first, end]| part(COMMANDS, *first, *end));
    rows.iter()
        .map(|[start, end, first, last]| (names(COMMAND_NAMES, *first, *last), cut(TEXTS, *start, *end)))
}

/// A kind's name and text.
pub(super) fn kind(name: &str) -> Option<(&'static str, &'static str)> {
    find(KINDS, name)
}

/// The name of a kind that can be looked at, and the text of its looks.
pub(super) fn looks(kind: &str) -> Option<(&'static str, &'static str)> {
    find(LOOKS, kind)
}

/// The name of a kind that can be fetched and put back, and the text of how.
pub(super) fn services(kind: &str) -> Option<(&'static str, &'static str)> {
    find(SERVICES, kind)
}

/// A Terraform type's name and text.
pub(super) fn terraform(name: &str) -> Option<(&'static str, &'static str)> {
    static TEXTS: OnceLock<String> = OnceLock::new();
    let row = found(TERRAFORM, name)?;
    let texts = TEXTS.get_or_init(|| packed::text(PLANS));
    Some((cut(NAMES, row[0], row[1]), cut(texts, row[2], row[3])))
}

/// How many families of MCP servers there are.
pub(super) fn servers() -> usize {
    MCP.len()
}

/// A family's own text as JSON, by number.
pub(super) fn server_text(number: usize) -> Option<&'static str> {
    MCP.get(number).map(|row| cut(TEXTS, row[0], row[1]))
}

/// Names of a family's servers, best first.
pub(super) fn server_names(number: usize) -> impl Iterator<Item = &'static str> {
    MCP.get(number).into_iter().flat_map(|row| names(MCP_NAMES, row[2], row[3]))
}

/// Names of a family's tools that only read.
pub(super) fn server_reads(number: usize) -> impl Iterator<Item = &'static str> {
    MCP.get(number).into_iter().flat_map(|row| names(MCP_NAMES, row[4], row[5]))
}

/// A family's other tools: names (the first is not an alias) and text.
pub(super) fn server_tools(
    number: usize,
) -> impl Iterator<Item = (impl Iterator<Item = &'static str>, &'static str)> {
    let rows = MCP.get(number).map_or(&[][..], |row| part(MCP_TOOLS, row[6], row[7]));
    rows.iter().map(|[start, end, first, last]| (names(MCP_NAMES, *first, *last), cut(TEXTS, *start, *end)))
}

/// All tools' names, aliases included, sorted.
pub(super) fn tool_names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|[start, end, _]| cut(NAMES, *start, *end))
}

/// All kinds' names, sorted.
pub(super) fn kind_names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|[start, end, _, _]| cut(NAMES, *start, *end))
}

/// All Terraform types, sorted.
pub(super) fn terraform_types() -> impl Iterator<Item = &'static str> {
    TERRAFORM.iter().map(|[start, end, _, _]| cut(NAMES, *start, *end))
}

fn names(table: &'static [[u32; 2]], first: u32, end: u32) -> impl Iterator<Item = &'static str> {
    part(table, first, end).iter().map(|[start, end]| cut(NAMES, *start, *end))
}

fn find(table: &'static [[u32; 4]], name: &str) -> Option<(&'static str, &'static str)> {
    let [start, end, text, text_end] = found(table, name)?;
    Some((cut(NAMES, *start, *end), cut(TEXTS, *text, *text_end)))
}

fn found(table: &'static [[u32; 4]], name: &str) -> Option<&'static [u32; 4]> {
    let at = table.binary_search_by_key(&name, |[start, end, _, _]| cut(NAMES, *start, *end)).ok()?;
    table.get(at)
}

/// Part of a text. The tables hold no positions outside it; an empty part is nothing that could be read as knowledge.
fn cut(text: &'static str, start: u32, end: u32) -> &'static str {
    text.get(start as usize..end as usize).unwrap_or_default()
}

fn part<T>(rows: &'static [T], first: u32, end: u32) -> &'static [T] {
    rows.get(first as usize..end as usize).unwrap_or_default()
}
