//! `undo` and `kept`: what was set aside, and how it comes back.

mod diff;
mod kept;
mod rows;
mod show;

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueHint;
use serde_json::json;

use crate::attest::Time;
use crate::hook::judged::{self, Fate, Loaded};
use crate::keep::{Budget, Head, Made, PointName, Store, StoreError};
use crate::prompt;
use crate::text::{count, escape};
use crate::undo::{self, Step, Undo, UndoError};

use super::common::Format;
use super::output::{self, Failure};
use super::setup;

pub(super) use kept::{KeptArgs, run as kept};

/// Part came back, or nothing because nobody agreed.
const PART: u8 = 1;
/// There was nothing to undo.
const NOTHING: u8 = 3;
/// Version of the JSON form.
const VERSION: &str = "recourse.undo.v1";

#[derive(Debug, clap::Args)]
pub(super) struct UndoArgs {
    /// The recovery point, or how its id begins; without it, the last of this terminal, else of this place
    #[arg(value_name = "ID")]
    pub(super) id: Option<String>,
    /// Do not ask; what is replaced is kept, so an undo can be undone
    #[arg(short, long)]
    pub(super) yes: bool,
    /// Write everything below this directory instead, and touch nothing else
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["diff", "list"])]
    pub(super) to: Option<PathBuf>,
    /// Show what would change, and change nothing
    #[arg(long, visible_alias = "dry-run", conflicts_with = "list")]
    pub(super) diff: bool,
    /// Take back the last undo instead
    #[arg(long, conflicts_with_all = ["id", "list"])]
    pub(super) redo: bool,
    /// List what is kept, as `recourse kept` does
    #[arg(short, long, conflicts_with = "id")]
    pub(super) list: bool,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Only what is at or below these paths
    #[arg(last = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(super) paths: Vec<PathBuf>,
}

pub(super) fn run(args: &UndoArgs) -> Result<u8, Failure> {
    if args.list {
        return kept::list(args.format, None);
    }
    let cwd = here();
    let session = crate::exec::session();
    let mut undo = match find(args, session.as_deref(), &cwd) {
        Ok(undo) => undo,
        Err(UndoError::Nothing) => return nothing(args, None, &UndoError::Nothing.to_string()),
        Err(error) => return Err(Failure::usage(error.to_string())),
    };
    if !args.paths.is_empty() {
        undo.only(&args.paths.iter().map(|path| resolved(&cwd.join(path))).collect::<Vec<_>>());
        if undo.steps.is_empty() && undo.lost.is_empty() {
            let said =
                format!("{} holds nothing at or below that; `recourse kept show {0}` lists it", undo.head.id);
            return nothing(args, Some(&undo.head), &said);
        }
    }
    if let Some(dir) = &args.to {
        let done = undo.beside(&cwd.join(dir)).map_err(|error| Failure::usage(error.to_string()))?;
        let shown = dir.to_string_lossy();
        return said(args, &undo, &done, &format!("written below {}", escape(&shown)), None);
    }
    if args.diff {
        return diff::run(&undo, &cwd);
    }
    if undo.is_done() && !undo.lost.is_empty() {
        return nothing(
            args,
            Some(&undo.head),
            &format!("nothing can come back: {}", show::lost(&undo, &cwd)),
        );
    }
    if undo.is_done() {
        let said = format!("nothing to do: all of it stands as it was ({})", escape(&undo.what()));
        return nothing(args, Some(&undo.head), &said);
    }
    let unsure =
        if args.id.is_none() && !args.redo { Unsure::of(&undo, session.as_deref(), &cwd) } else { None };
    if args.format == Format::Human {
        show::plan(&undo, &cwd, unsure);
    }
    let stands = undo.count(Step::Replaced) + undo.count(Step::Gone) > 0;
    let person = prompt::available() && prompt::doubt().is_none();
    // What the command itself left there a moment ago is nobody's work, and it is kept all the same.
    let sure = person && unsure.is_none() && undo.is_of_its_command(is_last_line(undo.head.time));
    let conflicts = stands && !sure;
    if !args.yes && !agreed(args, &undo, conflicts, unsure)? {
        return Ok(PART);
    }
    let settings = setup::policy(&cwd)?.keep();
    // What an undo replaces is kept whatever it costs: nobody asked for it to be lost.
    let budget =
        Budget { items: settings.files.saturating_mul(4), copied: settings.bytes.saturating_mul(4), free: 0 };
    let done = undo.apply(budget).map_err(|error| Failure::usage(error.to_string()))?;
    let code = said(args, &undo, &done.restored, done_word(&undo), done.before.as_ref())?;
    if args.format == Format::Human && env::current_dir().is_err() && cwd.is_dir() {
        output::note("this directory was made anew; to be in it again: cd \"$PWD\"");
    }
    Ok(code)
}

/// How long after a command nobody wonders which one is meant by the last.
const FRESH: i64 = 10 * 60 * 1000;

/// Why it may be another command that is meant: the line before this one may have kept nothing.
#[derive(Clone, Copy)]
enum Unsure {
    Terminal,
    Directory,
    Old,
    /// So many lines were typed here since, and what became of the last of them that could change something.
    Later(usize, Fate),
}

impl Unsure {
    fn of(undo: &Undo, session: Option<&str>, cwd: &Path) -> Option<Self> {
        let dir = &undo.head.cwd.0;
        if undo.head.session.as_deref() != session {
            Some(Self::Terminal)
        } else if !(dir.starts_with(cwd) || cwd.starts_with(dir)) {
            Some(Self::Directory)
        } else if let Some((lines, fate)) = typed_since(undo.head.time) {
            Some(Self::Later(lines, fate))
        } else {
            let age = Time::now().since(Time::from_millis(undo.head.time));
            (age > FRESH).then_some(Self::Old)
        }
    }
}

/// How many lines were typed in this shell since a time, and what became of the last that could change something and that
/// was not taken back yet; `None` where there is no such line.
fn typed_since(time: i64) -> Option<(usize, Fate)> {
    let places = setup::places().ok()?;
    let later = judged::later(&places.state, Loaded::here()?.process, time);
    let store = Store::existing(&places).ok()??;
    let names = store.names().ok()?;
    let undone = |from: i64, until: i64| {
        let of_it = |name: &&PointName| (from..until).contains(&name.time());
        names.iter().filter(of_it).any(|name| store.is_marked(name, "undone"))
    };
    let mut last = None;
    for (at, (since, fate)) in later.iter().enumerate() {
        let end = later.get(at + 1).map_or(i64::MAX, |(next, _)| *next);
        if *fate != Fate::Looked && !undone(*since, end) {
            last = Some((later.len(), *fate));
        }
    }
    last
}

/// Whether this shell's hook judged the command of a point, and nothing since that could change something.
fn is_last_line(time: i64) -> bool {
    let (Some(loaded), Ok(places)) = (Loaded::here(), setup::places()) else { return false };
    let all = judged::later(&places.state, loaded.process, i64::MIN);
    all.iter().any(|(since, _)| *since <= time) && typed_since(time).is_none()
}

/// The undo that is meant.
fn find(args: &UndoArgs, session: Option<&str>, cwd: &Path) -> Result<Undo, UndoError> {
    let Some(places) = crate::config::user_places() else { return Err(UndoError::Nothing) };
    let store = match (undo::store(&places), &args.id) {
        (Err(UndoError::Nothing), Some(id)) => return Err(StoreError::Unknown(id.clone()).into()),
        (store, _) => store?,
    };
    let name = match &args.id {
        Some(id) => store.find(id)?,
        None if args.redo => undo::last_undo(&store, session, cwd)?,
        None => undo::last(&store, session, cwd)?,
    };
    Undo::of(store, name)
}

/// Where this runs; a directory that is gone is still meant by its name.
fn here() -> PathBuf {
    let told = || env::var_os("PWD").map(PathBuf::from).filter(|path| path.is_absolute());
    env::current_dir().ok().or_else(told).unwrap_or_else(|| PathBuf::from("/"))
}

/// A path as it is kept: the links of its parents resolved, as far as they are there.
fn resolved(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    for above in path.ancestors().skip(1) {
        if let Ok(real) = above.canonicalize() {
            let tail = path.strip_prefix(above).unwrap_or(path);
            rest.push(real.join(tail));
            break;
        }
    }
    rest.pop().unwrap_or_else(|| path.to_owned())
}

fn nothing(args: &UndoArgs, head: Option<&Head>, why: &str) -> Result<u8, Failure> {
    match args.format {
        Format::Human => output::note(why),
        Format::Json => output::print_json(&json!({
            "schemaVersion": VERSION,
            "result": "nothing",
            "why": why,
            "id": head.map(|head| &head.id),
        }))?,
    }
    Ok(NOTHING)
}

/// What becomes of it, in a word.
fn done_word(undo: &Undo) -> &'static str {
    if undo.count(Step::Back) + undo.count(Step::Replaced) > 0 {
        "back"
    } else if undo.count(Step::Gone) > 0 {
        "taken away"
    } else {
        "rights back"
    }
}

/// Says what came of it.
fn said(
    args: &UndoArgs,
    undo: &Undo,
    done: &undo::Restored,
    word: &str,
    before: Option<&Head>,
) -> Result<u8, Failure> {
    // What was never kept is as little back as what could not be put there: a script asks for the status alone.
    let whole = done.failed.is_empty() && undo.lost.is_empty() && !undo.head.lacks_some();
    let code = if whole { 0 } else { PART };
    if args.format == Format::Json {
        output::print_json(&json!({
            "schemaVersion": VERSION,
            "result": if code == 0 { "back" } else { "part" },
            "id": undo.head.id,
            "command": undo.head.command,
            "what": undo.what(),
            "back": done.back,
            "failed": done.failed.iter().map(|(path, why)| json!({"path": path.to_string_lossy(), "why": why})).collect::<Vec<_>>(),
            "without": undo.head.without,
            "redo": before.map(|head| &head.id),
        }))?;
        return Ok(code);
    }
    for (path, why) in done.failed.iter().take(show::NAMED) {
        output::error(&format!("{}: {}", escape(&path.to_string_lossy()), escape(why)));
    }
    let failed = done.failed.len() as u64;
    if failed == 0 {
        output::note(&format!("{word}: {}", escape(&undo.what())));
    } else {
        let all = count(done.back, "path");
        let did = format!("{all} came back, {} did not", crate::text::grouped(failed));
        let again = format!("`recourse undo {}` tries again", undo.head.id);
        // Elsewhere than at its place it would be the same again.
        output::error(&if args.to.is_some() { did } else { format!("{did}; {again}") });
    }
    for without in &undo.head.without {
        output::note(&format!("was not kept, so it is not back: {without}"));
    }
    if !undo.lost.is_empty() {
        output::note(&format!("not back: {}", show::lost(undo, &here())));
    }
    if let Some(before) = before {
        output::note(&format!("to take this back: recourse undo {}", before.id));
    }
    Ok(code)
}

/// Asks at the terminal, where something stands in the way, or it may be another command that is meant.
fn agreed(args: &UndoArgs, undo: &Undo, conflicts: bool, unsure: Option<Unsure>) -> Result<bool, Failure> {
    // Of an agent nothing is asked: what an undo replaces is kept, and the exit status tells.
    let ask = conflicts || unsure.is_some() && prompt::available() && prompt::doubt().is_none();
    if !ask {
        return Ok(true);
    }
    if args.format == Format::Json {
        output::print_json(&json!({
            "schemaVersion": VERSION,
            "result": "needs-yes",
            "why": "something else stands there now; --yes replaces it, and it is kept",
            "id": undo.head.id,
            "steps": show::steps(undo),
        }))?;
        return Ok(false);
    }
    let question = "Put it back? [y] yes   [Enter] no:";
    let answer = match prompt::doubt() {
        Some(_) => None,
        None => prompt::yes(question).map_err(|error: io::Error| Failure::internal(error.to_string()))?,
    };
    match answer {
        Some(true) => Ok(true),
        Some(false) => {
            output::note("nothing was changed");
            Ok(false)
        }
        None => {
            output::error(
                "nothing was changed: something else stands there now, and there is nobody to ask; `--yes` replaces it (it is kept)",
            );
            Ok(false)
        }
    }
}

/// The store, if there is one.
fn store() -> Result<Option<Store>, Failure> {
    let places = setup::places()?;
    Store::existing(&places).map_err(|error| Failure::usage(error.to_string()))
}

/// Why a point was made, for programs.
fn made(head: &Head) -> &'static str {
    match head.made {
        Made::ForLoss => "loss",
        Made::ForEase => "ease",
        Made::ForUnread => "unread",
        Made::WhileRunning => "running",
        Made::ForUndo(_) => "undo",
        Made::Asked => "asked",
    }
}
