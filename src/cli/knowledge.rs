//! `knowledge check` and `knowledge new`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use clap::{Subcommand, ValueHint};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::attest::beside;
use crate::config;
use crate::knowledge::{Knowledge, Pack};
use crate::text::escape;
use crate::vet::{self, Problem};

use super::common::Format;
use super::output::{self, Failure};
use super::status;

#[derive(Debug, Subcommand)]
pub(super) enum KnowledgeCommand {
    /// Read knowledge files strictly, run their examples and say what is wrong with them
    Check(CheckArgs),
    /// Print a commented file that teaches a tool, to start from
    New {
        /// The tool's name, as it is typed
        tool: String,
    },
}

/// What a new file holds, with `TOOL` for the name.
const START: &str = include_str!("knowledge_start.toml");

#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// Files to check; your own in the configuration directory when none are given
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(command: &KnowledgeCommand) -> Result<u8, Failure> {
    match command {
        KnowledgeCommand::Check(args) => check(args),
        KnowledgeCommand::New { tool } => new(tool),
    }
}

/// A file to start from, on standard output: where it belongs is for the user to say.
fn new(tool: &str) -> Result<u8, Failure> {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    if !tool.starts_with(|c: char| c.is_ascii_alphanumeric()) || !tool.chars().all(fine) {
        return Err(Failure::usage(format!(
            "`{tool}` is no name of a program: letters, digits and . - _ + only"
        )));
    }
    let plain = tool.to_ascii_lowercase().replace('+', "-");
    output::print(&START.replace("TOOLKIND", &format!("{plain}.entry")).replace("TOOL", tool));
    Ok(0)
}

/// What became of one file.
#[derive(Serialize)]
struct Checked {
    file: String,
    valid: bool,
    declares: Vec<String>,
    problems: Vec<Problem>,
}

fn check(args: &CheckArgs) -> Result<u8, Failure> {
    let own = config::knowledge_files()?;
    let files = if args.files.is_empty() { &own } else { &args.files };
    let checked = checked(files, &own);
    let valid = checked.iter().all(|file| file.valid);
    if args.format == Format::Json {
        output::print_json(&json!({"valid": valid, "files": checked}))?;
    } else {
        let mut page = String::new();
        for file in &checked {
            if file.valid {
                let _ = writeln!(page, "{}: valid, {}", escape(&file.file), file.declares.join(", "));
            }
            for problem in &file.problems {
                let _ = writeln!(page, "{}", escape(&problem.to_string()));
            }
        }
        if checked.is_empty() {
            page.push_str("no knowledge files of your own; what is built in is in force\n");
        }
        output::print(&page);
    }
    Ok(if valid { 0 } else { status::USAGE })
}

/// Everything that is wrong in the user's own files, as the program beside this one finds it.
pub(super) fn own_problems() -> Result<Vec<Problem>, String> {
    if config::knowledge_files().unwrap_or_default().is_empty() {
        return Ok(Vec::new());
    }
    let mut command = beside::command()?;
    command.args(["knowledge", "check", "--format", "json"]).stdin(Stdio::null());
    let output = command.output().map_err(|error| beside::not_started(&error))?;
    let found: Found = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("{} gives no answer: run `recourse knowledge check`", beside::PROGRAM))?;
    Ok(found.files.into_iter().flat_map(|file| file.problems).collect())
}

/// What `knowledge check` prints as JSON, as far as [`own_problems`] asks.
#[derive(Deserialize)]
struct Found {
    files: Vec<FoundIn>,
}

#[derive(Deserialize)]
struct FoundIn {
    problems: Vec<Problem>,
}

/// Checks files, with what the user's other files declare in mind.
fn checked(files: &[PathBuf], own: &[PathBuf]) -> Vec<Checked> {
    let mut packs = Vec::new();
    let mut found = Vec::new();
    for path in files {
        match read(path) {
            Ok(pack) => packs.push(pack),
            Err(problem) => found.push(problem),
        }
    }
    let same =
        |path: &Path| files.iter().any(|file| fs::canonicalize(file).ok() == fs::canonicalize(path).ok());
    let mut all: Vec<Pack> =
        own.iter().filter(|path| !same(path)).filter_map(|path| read(path).ok()).collect();
    all.extend(packs.iter().cloned());
    found.extend(vet::check(&packs, &Knowledge::with_packs(&all)));
    let of = |path: &PathBuf| {
        let file = path.display().to_string();
        let problems: Vec<Problem> = found.iter().filter(|problem| problem.file == file).cloned().collect();
        let pack = packs.iter().find(|pack| pack.file == file);
        let declares = pack.map_or_else(Vec::new, declared);
        Checked { valid: problems.is_empty(), file, declares, problems }
    };
    files.iter().map(of).collect()
}

fn read(path: &Path) -> Result<Pack, Problem> {
    let file = path.display().to_string();
    match fs::read_to_string(path) {
        Ok(text) => Pack::parse(&file, &text).map_err(Problem::from),
        Err(error) => Err(Problem { file, line: None, message: error.to_string() }),
    }
}

/// What a file declares, in words.
fn declared(pack: &Pack) -> Vec<String> {
    let counts = [
        (pack.tools.len(), "tool", "tools"),
        (pack.kinds.len(), "kind", "kinds"),
        (pack.terraform.len(), "Terraform type", "Terraform types"),
        (pack.servers.len(), "MCP server", "MCP servers"),
        (pack.looks.iter().map(|part| part.it.len()).sum(), "look", "looks"),
        (pack.services.iter().map(|part| part.it.len()).sum(), "service", "services"),
    ];
    let some = counts.into_iter().filter(|(count, ..)| *count > 0);
    some.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many })).collect()
}
