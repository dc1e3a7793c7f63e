//! `kept`: the list of recovery points, one of them in full, and what a person may do with them.

use std::io::{self, IsTerminal};

use clap::{Subcommand, ValueHint};
use serde_json::json;

use crate::approvals::Here;
use crate::attest::time::Time;
use crate::keep::{Head, Item, PointName, Store, StoreError};
use crate::prompt;
use crate::text::{count, escape, shorten, size, wrap};
use crate::undo::Undo;

use super::super::common::Format;
use super::super::output::{self, Failure};
use super::super::setup;
use super::rows::{DAY, Row, ago, table};
use super::{here, show};

/// Nobody agreed, or it is no person who asks.
const NO: u8 = 1;
/// Version of the JSON forms.
const VERSION: &str = "recourse.kept.v1";
/// The mark of what stays until it is forgotten.
const PINNED: &str = "pinned";

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct KeptArgs {
    #[command(subcommand)]
    command: Option<KeptCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum KeptCommand {
    /// All that is kept, the newest first (the default)
    List(ListArgs),
    /// One recovery point in full: what it holds, and what `undo` would do
    Show(ShowArgs),
    /// Keep a recovery point until it is forgotten, however old it grows
    Pin(PointArgs),
    /// Let a pinned one go when its time has come; only a person can
    Unpin(PointArgs),
    /// Delete recovery points for good; only a person can
    Forget(ForgetArgs),
    /// Delete what is older than the policy keeps it; only a person can
    Prune(PruneArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// How many, the newest first [default: all]
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// For completion scripts: an id and its command a line
    #[arg(long, hide = true)]
    pub(super) ids: bool,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    /// The recovery point
    #[arg(value_name = "ID")]
    pub(super) id: String,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

#[derive(Debug, clap::Args)]
pub(super) struct PointArgs {
    /// The recovery points
    #[arg(value_name = "ID", required = true)]
    pub(super) ids: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct ForgetArgs {
    /// The recovery points
    #[arg(value_name = "ID", required = true)]
    pub(super) ids: Vec<String>,
    /// Do not ask
    #[arg(short, long)]
    pub(super) yes: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct PruneArgs {
    /// Keep those of the last so many days only [default: what the policy says]
    #[arg(long, value_name = "N", value_hint = ValueHint::Other)]
    pub(super) days: Option<u64>,
    /// Do not ask
    #[arg(short, long)]
    pub(super) yes: bool,
}

pub(in crate::cli) fn run(args: &KeptArgs) -> Result<u8, Failure> {
    match &args.command {
        None if args.list.ids => ids(),
        None => list(args.list.format, args.list.limit),
        Some(KeptCommand::List(args)) if args.ids => ids(),
        Some(KeptCommand::List(args)) => list(args.format, args.limit),
        Some(KeptCommand::Show(args)) => shown(args),
        Some(KeptCommand::Pin(args)) => pin(&args.ids, true),
        Some(KeptCommand::Unpin(args)) => match no_person("let go of what is kept") {
            Some(code) => Ok(code),
            None => pin(&args.ids, false),
        },
        Some(KeptCommand::Forget(args)) => forget(args),
        Some(KeptCommand::Prune(args)) => prune(args),
    }
}

fn failure(error: StoreError) -> Failure {
    Failure::usage(error.to_string())
}

/// The row of a point.
fn row(store: &Store, name: &PointName, days: u64) -> Result<Row, StoreError> {
    let head = store.head(name)?;
    let pinned = store.is_marked(name, PINNED);
    let days = i64::try_from(days).unwrap_or(i64::MAX);
    let until = (!pinned).then(|| Time::from_millis(head.time).plus_millis(days.saturating_mul(DAY)));
    Ok(Row { pinned, undone: store.is_marked(name, "undone"), until, head })
}

/// All points that can be read; the others are named as errors.
fn rows(store: &Store, limit: Option<usize>) -> Result<Vec<(PointName, Row)>, Failure> {
    let days = setup::policy(&here())?.keep().days;
    let mut rows = Vec::new();
    for name in store.names().map_err(failure)?.into_iter().take(limit.unwrap_or(usize::MAX)) {
        match row(store, &name, days) {
            Ok(row) => rows.push((name, row)),
            Err(error) => output::error(&error.to_string()),
        }
    }
    Ok(rows)
}

/// Prints what is kept.
pub(super) fn list(format: Format, limit: Option<usize>) -> Result<u8, Failure> {
    let rows: Vec<Row> = match super::store()? {
        Some(store) => rows(&store, limit)?.into_iter().map(|(_, row)| row).collect(),
        None => Vec::new(),
    };
    let bytes: u64 = rows.iter().map(|row| row.head.bytes).sum();
    let copied: u64 = rows.iter().map(|row| row.head.copied).sum();
    if format == Format::Json {
        output::print_json(&json!({
            "schemaVersion": VERSION,
            "bytes": bytes,
            "copied": copied,
            "points": rows.iter().map(Row::json).collect::<Vec<_>>(),
        }))?;
        return Ok(0);
    }
    if rows.is_empty() {
        output::note("nothing is kept");
        return Ok(0);
    }
    let terminal = io::stdout().is_terminal();
    output::print(&table(&rows, terminal.then(|| output::style().width), Time::now()));
    if terminal {
        let all = count(rows.len() as u64, "recovery point");
        let said = format!("{all}, {}. `recourse undo ID` puts one back.", size(bytes));
        output::print(&format!("\n{}\n", wrap(&said, output::style().width).join("\n")));
    }
    Ok(0)
}

/// Recovery points that a completion offers.
const OFFERED: usize = 100;
/// Columns of a command beside its id.
const BESIDE: usize = 60;

/// What a shell offers: nothing where nothing can be read, because nobody looks at errors of a completion.
fn ids() -> Result<u8, Failure> {
    let Ok(Some(store)) = super::store() else { return Ok(0) };
    let mut page = String::new();
    for name in store.names().unwrap_or_default().into_iter().take(OFFERED) {
        let Ok(head) = store.head(&name) else { continue };
        let age = ago(Time::now().since(Time::from_millis(head.time)));
        let command = shorten(&escape(&head.command.replace(['\n', '\t'], " ")), BESIDE);
        page.push_str(&format!("{}\t{command} ({age})\n", head.id));
    }
    output::print(&page);
    Ok(0)
}

/// A store in which such a point is to be found.
fn found(id: &str) -> Result<(Store, PointName), Failure> {
    let store = super::store()?.ok_or_else(|| failure(StoreError::Unknown(id.to_owned())))?;
    let name = store.find(id).map_err(failure)?;
    Ok((store, name))
}

fn shown(args: &ShowArgs) -> Result<u8, Failure> {
    let (store, name) = found(&args.id)?;
    let days = setup::policy(&here())?.keep().days;
    let row = row(&store, &name, days).map_err(failure)?;
    let undo = Undo::of(store, name).map_err(|error| Failure::usage(error.to_string()))?;
    if args.format == Format::Json {
        let mut point = row.json();
        point["schemaVersion"] = json!(VERSION);
        point["steps"] = json!(show::steps(&undo));
        output::print_json(&point)?;
        return Ok(0);
    }
    output::print(&described(&row, &undo));
    Ok(0)
}

fn described(row: &Row, undo: &Undo) -> String {
    let head = &row.head;
    let time = Time::from_millis(head.time);
    let now = Time::now();
    let until = match row.until {
        None => "until it is forgotten (pinned)".to_owned(),
        Some(until) => until.to_string(),
    };
    let lost: u64 = undo.lost.iter().filter_map(show::bytes).sum();
    let bytes = head.bytes.saturating_sub(lost);
    let linked = bytes.saturating_sub(head.copied);
    let mut page = String::new();
    let mut say = |label: &str, text: &str| page.push_str(&format!("{label:<9}{}\n", escape(text)));
    say("id", &head.id);
    say("command", &head.command);
    say("when", &format!("{time} ({})", ago(now.since(time))));
    say("who", &head.who);
    say("in", &head.cwd.0.to_string_lossy());
    say("size", &format!("{}: {} copied, {} only linked", size(bytes), size(bytes - linked), size(linked)));
    say("until", &until);
    if row.undone {
        say("state", "undone");
    }
    for without in &head.without {
        say("without", without);
    }
    page.push('\n');
    for (item, step) in undo.steps.iter().filter(|(item, _)| show::is_shown(item)) {
        let word = match step {
            crate::undo::Step::Same => "as it was",
            crate::undo::Step::Back => "gone",
            crate::undo::Step::Rights => "touched",
            crate::undo::Step::Replaced => "changed",
            crate::undo::Step::Gone => "new",
        };
        page.push_str(&format!("  {word:<10}{}{}\n", place(item), show::sort(item)));
    }
    for item in &undo.lost {
        page.push_str(&format!("  {:<10}{}  (since it was undone)\n", "not kept", place(item)));
    }
    page
}

fn place(item: &Item) -> String {
    escape(&item.path.0.to_string_lossy())
}

/// Says so where it may be an agent that asks: the guard guards its store.
fn no_person(what: &str) -> Option<u8> {
    let doubt = Here::doubt().filter(|doubt| !doubt.is_open())?;
    output::error(&format!("refused: {doubt}; only a person may {what}"));
    Some(NO)
}

fn pin(ids: &[String], on: bool) -> Result<u8, Failure> {
    for id in ids {
        let (store, name) = found(id)?;
        store.mark(&name, PINNED, on).map_err(failure)?;
        let what = store.head(&name).map(|head| head.what).unwrap_or_default();
        let word = if on { "stays until it is forgotten" } else { "goes when its time has come" };
        output::note(&format!("{} ({what}) {word}", name.id()));
    }
    Ok(0)
}

/// A yes of the person at the terminal to a loss.
fn agreed(yes: bool, question: &str) -> Result<bool, Failure> {
    if yes {
        return Ok(true);
    }
    let refused = |why: String| {
        output::error(&format!("refused: {why}; `--yes` does not ask"));
        Ok(false)
    };
    // In the terminals of an editor an agent may press the key.
    if let Some(doubt) = Here::doubt() {
        return refused(doubt.to_string());
    }
    match prompt::yes(&format!("{question} [y] yes   [Enter] no:")) {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => refused("there is no terminal to ask at".to_owned()),
        Err(error) => refused(format!("the terminal could not be asked: {error}")),
    }
}

fn forget(args: &ForgetArgs) -> Result<u8, Failure> {
    if let Some(code) = no_person("forget what is kept") {
        return Ok(code);
    }
    let mut gone = Vec::new();
    for id in &args.ids {
        let (store, name) = found(id)?;
        let head = store.head(&name).ok();
        let what = head.as_ref().map_or("what cannot be read", |head| head.what.as_str());
        output::note(&format!("{}: {}", name.id(), escape(what)));
        gone.push((store, name, head));
    }
    if !agreed(args.yes, "Delete this for good?")? {
        return Ok(NO);
    }
    remove(gone)
}

fn remove(gone: Vec<(Store, PointName, Option<Head>)>) -> Result<u8, Failure> {
    let (mut number, mut bytes) = (0, 0);
    for (store, name, head) in gone {
        let _lock = store.lock().map_err(failure)?;
        let folders: Vec<_> =
            head.iter().flat_map(|head| head.folders.iter().map(|folder| folder.0.clone())).collect();
        store.remove(&name, &folders).map_err(failure)?;
        number += 1;
        bytes += head.map_or(0, |head| head.bytes);
    }
    output::note(&format!("forgotten: {} ({})", count(number, "recovery point"), size(bytes)));
    Ok(0)
}

fn prune(args: &PruneArgs) -> Result<u8, Failure> {
    if let Some(code) = no_person("prune what is kept") {
        return Ok(code);
    }
    let Some(store) = super::store()? else {
        output::note("nothing is kept");
        return Ok(0);
    };
    let settings = setup::policy(&here())?.keep();
    let days = i64::try_from(args.days.unwrap_or(settings.days)).unwrap_or(i64::MAX);
    let oldest = Time::now().plus_millis(days.saturating_mul(DAY).saturating_neg());
    let mut total = 0_u64;
    let mut gone = Vec::new();
    for (name, row) in rows(&store, None)? {
        total = total.saturating_add(row.head.bytes);
        let old = Time::from_millis(row.head.time) < oldest || total > settings.total_bytes;
        if old && !row.pinned {
            gone.push((store.clone(), name, Some(row.head)));
        }
    }
    if gone.is_empty() {
        output::note("nothing is older than the policy keeps it");
        return Ok(0);
    }
    let bytes: u64 = gone.iter().filter_map(|(_, _, head)| head.as_ref()).map(|head| head.bytes).sum();
    let what = format!("{} ({})", count(gone.len() as u64, "recovery point"), size(bytes));
    // What the policy keeps no longer goes without a question.
    if args.days.is_some() && !agreed(args.yes, &format!("Delete {what} for good?"))? {
        return Ok(NO);
    }
    remove(gone)
}
