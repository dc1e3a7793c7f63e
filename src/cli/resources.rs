//! `resources`: what is known.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::json;

use super::args::{Format, ResourcesArgs};
use super::output::{self, Failure};
use super::setup;

/// A family of MCP servers.
#[derive(Serialize)]
struct Server {
    server: String,
    /// Other names of such servers.
    also: Vec<String>,
    tools: Vec<String>,
}

pub(super) fn run(args: &ResourcesArgs) -> Result<u8, Failure> {
    let knowledge = setup::knowledge()?;
    let wanted = |name: &str| args.filter.as_deref().is_none_or(|filter| name.contains(filter));
    let tools: Vec<&str> = knowledge.tool_names().into_iter().filter(|name| wanted(name)).collect();
    let kinds: Vec<(&str, String)> = knowledge
        .kind_names()
        .into_iter()
        .filter(|name| wanted(name))
        .map(|name| (name, knowledge.kind(name).map(|kind| kind.title.clone()).unwrap_or_default()))
        .collect();
    let types: Vec<&str> = knowledge.terraform_types().filter(|name| wanted(name)).collect();
    let servers: Vec<Server> = knowledge
        .mcp()
        .into_iter()
        .map(|family| {
            let mut tools: Vec<String> = family.tools.into_iter().flatten().chain(family.reads).collect();
            tools.sort();
            tools.dedup();
            let name = family.names.first().cloned().unwrap_or_default();
            if !wanted(&name) {
                tools.retain(|tool| wanted(tool));
            }
            Server { server: name, also: family.names.into_iter().skip(1).collect(), tools }
        })
        .filter(|server| !server.tools.is_empty())
        .collect();
    if args.format == Format::Json {
        let kinds: Vec<_> = kinds.iter().map(|(name, title)| json!({"kind": name, "title": title})).collect();
        output::print_json(
            &json!({"tools": tools, "kinds": kinds, "terraformTypes": types, "mcpServers": servers}),
        )?;
        return Ok(0);
    }
    let mut page = String::new();
    columns(&mut page, "tools", &tools);
    let _ = writeln!(page, "\nkinds ({})", kinds.len());
    let widest = kinds.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, title) in &kinds {
        let _ = writeln!(page, "  {name:<widest$}  {title}");
    }
    page.push('\n');
    columns(&mut page, "Terraform types", &types);
    for server in &servers {
        page.push('\n');
        let tools: Vec<&str> = server.tools.iter().map(String::as_str).collect();
        columns(&mut page, &format!("MCP server {}", server.server), &tools);
    }
    output::print(&page);
    Ok(0)
}

/// Names side by side, as many as fit.
fn columns(page: &mut String, title: &str, names: &[&str]) {
    let _ = writeln!(page, "{title} ({})", names.len());
    let widest = names.iter().map(|name| name.len()).max().unwrap_or(0) + 2;
    let per_line = (output::style().width.saturating_sub(2) / widest).max(1);
    for row in names.chunks(per_line) {
        let line: String = row.iter().map(|name| format!("{name:<widest$}")).collect();
        let _ = writeln!(page, "  {}", line.trim_end());
    }
}
