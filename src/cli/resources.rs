//! `resources`: what is known.

use std::fmt::Write as _;

use super::common::Format;
use super::output::{self, Failure};
use super::setup;

#[derive(Debug, clap::Args)]
pub(super) struct ResourcesArgs {
    /// Only what has this in its name
    pub(super) filter: Option<String>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

pub(super) fn run(args: &ResourcesArgs) -> Result<u8, Failure> {
    let knowledge = setup::knowledge()?;
    let covered = knowledge.coverage(args.filter.as_deref());
    if args.format == Format::Json {
        output::print_json(&covered)?;
        return Ok(0);
    }
    let mut page = String::new();
    columns(&mut page, "tools", &covered.tools);
    let _ = writeln!(page, "\nkinds ({})", covered.kinds.len());
    let widest = covered.kinds.iter().map(|kind| kind.kind.len()).max().unwrap_or(0);
    for kind in &covered.kinds {
        let _ = writeln!(page, "  {:<widest$}  {}", kind.kind, kind.title);
    }
    page.push('\n');
    columns(&mut page, "Terraform types", &covered.terraform_types);
    for server in &covered.mcp_servers {
        page.push('\n');
        columns(&mut page, &format!("MCP server {}", server.server), &server.tools);
    }
    output::print(&page);
    Ok(0)
}

/// Names side by side, as many as fit.
fn columns(page: &mut String, title: &str, names: &[String]) {
    let _ = writeln!(page, "{title} ({})", names.len());
    let widest = names.iter().map(|name| name.len()).max().unwrap_or(0) + 2;
    let per_line = (output::style().width.saturating_sub(2) / widest).max(1);
    for row in names.chunks(per_line) {
        let line: String = row.iter().map(|name| format!("{name:<widest$}")).collect();
        let _ = writeln!(page, "  {}", line.trim_end());
    }
}
