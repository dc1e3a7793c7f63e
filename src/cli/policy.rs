//! `policy show` and `policy check`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueHint};
use serde::Serialize;
use serde_json::json;

use crate::config::{self, ConfigError};
use crate::model::Tier;
use crate::policy::{
    KeepSettings, KeepWhen, LayerKind, PolicyFile, Profile, UnknownPrograms, default_verdict,
};
use crate::text::{count, escape, size};

use super::common::Format;
use super::output::{self, Failure};
use super::setup;
use super::status;

#[derive(Debug, Subcommand)]
pub(super) enum PolicyCommand {
    /// The rules in force, layer by layer
    Show(PolicyShowArgs),
    /// Read policy files strictly and say what is wrong with them
    Check(PolicyCheckArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct PolicyShowArgs {
    /// Directory from which project policies are looked for [default: the current one]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    cwd: Option<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, clap::Args)]
pub(super) struct PolicyCheckArgs {
    /// Directory from which project policies are looked for [default: the current one]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    cwd: Option<PathBuf>,
    /// Files to check instead of those in force; `.recourse.toml` is read as a project's
    #[arg(value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(command: &PolicyCommand) -> Result<u8, Failure> {
    match command {
        PolicyCommand::Show(args) => show(args),
        PolicyCommand::Check(args) => check(args),
    }
}

const PROFILES: [Profile; 3] = [Profile::Human, Profile::Agent, Profile::Ci];

fn show(args: &PolicyShowArgs) -> Result<u8, Failure> {
    let cwd = setup::working_directory(args.cwd.as_deref())?;
    let policy = setup::policy(&cwd)?;
    let tiers: Vec<Tier> = (1..=5).filter_map(Tier::from_number).collect();
    if args.format == Format::Json {
        output::print_json(&policy.describe())?;
        return Ok(0);
    }
    let mut page = String::from("built in\n  tier                        default   production\n");
    for tier in tiers {
        let _ = writeln!(
            page,
            "  {} {:<25} {:<9} {}",
            tier.number(),
            tier.label(),
            default_verdict(tier, false).as_str(),
            default_verdict(tier, true).as_str()
        );
    }
    for layer in policy.layers() {
        let _ = writeln!(page, "\n{}: {}", layer.kind().as_str(), escape(layer.name()));
        let rules = layer.describe();
        if rules.is_empty() {
            page.push_str("  no rules\n");
        }
        for rule in rules {
            let _ = writeln!(page, "  {}", escape(&rule));
        }
    }
    page.push_str("\nprofiles\n");
    for profile in PROFILES {
        let settings = policy.settings(profile);
        let _ =
            write!(page, "  {:<6} unknown program: {}", profile.as_str(), settings.unknown_program.as_str());
        if profile == Profile::Human {
            let kept = if settings.allow_for_a_while { "by a key" } else { "no" };
            let typed = if settings.override_block { "by typing the name" } else { "no" };
            let _ = write!(page, "\n         block can be overridden: {typed}; allowed for a while: {kept}");
        }
        page.push('\n');
    }
    page.push_str(&keep(&policy.keep()));
    output::print(&page);
    Ok(0)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Checked {
    file: String,
    layer: &'static str,
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    notes: Vec<String>,
}

fn check(args: &PolicyCheckArgs) -> Result<u8, Failure> {
    let mut checked = Vec::new();
    if args.files.is_empty() {
        let cwd = setup::working_directory(args.cwd.as_deref())?;
        for (kind, path, required) in config::policy_files(&cwd)? {
            match config::read_policy(kind, &path, required) {
                Ok(None) => {}
                Ok(Some(file)) => checked.push(good(&path, &file)),
                Err(failure) => checked.push(bad(&path, kind, failure)),
            }
        }
    }
    for path in &args.files {
        let kind = match path.file_name() {
            Some(name) if name == ".recourse.toml" => LayerKind::Project,
            _ if path.starts_with("/etc") => LayerKind::System,
            _ => LayerKind::User,
        };
        match config::read_policy(kind, path, true) {
            Ok(Some(file)) => checked.push(good(path, &file)),
            Ok(None) => {}
            Err(failure) => checked.push(bad(path, kind, failure)),
        }
    }
    let valid = checked.iter().all(|file| file.valid);
    if args.format == Format::Json {
        output::print_json(&json!({"valid": valid, "files": checked}))?;
    } else {
        let mut page = String::new();
        for file in &checked {
            let verdict = file.error.as_deref().unwrap_or("valid");
            if file.valid {
                let _ = writeln!(page, "{} ({}): {verdict}", escape(&file.file), file.layer);
            } else {
                let _ = writeln!(page, "{}", escape(verdict));
            }
            for note in &file.notes {
                let _ = writeln!(page, "  {}", escape(note));
            }
        }
        if checked.is_empty() {
            page.push_str("no policy files; the built-in policy is in force\n");
        }
        output::print(&page);
    }
    Ok(if valid { 0 } else { status::USAGE })
}

/// What is kept first, and what that may cost.
fn keep(settings: &KeepSettings) -> String {
    let when = match settings.when {
        KeepWhen::Loss => "whenever that makes a loss good; then it runs",
        KeepWhen::Ask => "only when a person wants it, at the question",
        KeepWhen::Never => "never",
    };
    let whom = |setting| match setting {
        UnknownPrograms::Never => "never",
        UnknownPrograms::Agents => "for agents",
        UnknownPrograms::Always => "always",
    };
    let (unknown, running) = (whom(settings.unknown_programs), whom(settings.while_running));
    let remote =
        if settings.remote { "without a question" } else { "when a person wants it, at the question" };
    format!(
        "\nkept first\n  {when}\n  for one command: at most {} copied, {}\n  in all: at most {}, {}; {} % of the disk stays free\n  what is not committed, before programs that cannot be read: {unknown}\n  what programs destroy while the command runs: {running}\n  what services of other machines hold: {remote}\n",
        size(settings.bytes),
        count(settings.files, "file"),
        size(settings.total_bytes),
        count(settings.days, "day"),
        settings.free,
    )
}

fn good(path: &Path, file: &PolicyFile) -> Checked {
    let notes = file
        .toothless()
        .into_iter()
        .map(|(line, name)| {
            let name = if name.is_empty() { String::new() } else { format!(" `{name}`") };
            format!("line {line}: rule{name} cannot loosen anything, a project only tightens; it exempts from the rules below it")
        })
        .collect();
    Checked { file: path.display().to_string(), layer: file.kind().as_str(), valid: true, error: None, notes }
}

fn bad(path: &Path, kind: LayerKind, failure: ConfigError) -> Checked {
    Checked {
        file: path.display().to_string(),
        layer: kind.as_str(),
        valid: false,
        error: Some(failure.to_string()),
        notes: Vec::new(),
    }
}
