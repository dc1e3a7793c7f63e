//! What an undo would do, for people and for programs.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::attest::time::Time;
use crate::hook::judged::Fate;
use crate::keep::{Head, Item, Was};
use crate::report::Style;
use crate::text::{count, escape, shorten, size, wrap};
use crate::undo::{Step, Undo};

use super::super::output;
use super::Unsure;
use super::rows::ago;

/// Paths that are named for each thing that happens; the rest is counted.
pub(super) const NAMED: usize = 12;

/// Says which command is undone, and what comes back, on standard error.
pub(super) fn plan(undo: &Undo, cwd: &Path, unsure: Option<Unsure>) {
    let style = output::style_of(io::IsTerminal::is_terminal(&io::stderr()));
    let _ = io::stderr().lock().write_all(text(undo, cwd, unsure, style).as_bytes());
}

fn text(undo: &Undo, cwd: &Path, unsure: Option<Unsure>, style: Style) -> String {
    let width = style.width.clamp(40, 160);
    let head = &undo.head;
    let mut page = String::new();
    let mut line = |text: &str| {
        page.push_str(&shorten(text, width));
        page.push('\n');
    };
    line(&format!("recourse: undoing: {}", escape(&head.command)));
    // Why it asks is never cut.
    let mut told = vec![escape(&origin(head, cwd, unsure))];
    if let Some(Unsure::Later(lines, fate)) = unsure {
        let what = if fate == Fate::Refused { "was not run" } else { "kept nothing" };
        told.push(format!("Not your last line, which {what}: {} earlier.", count(lines as u64, "line")));
    }
    for part in told.iter().flat_map(|told| wrap(told, width - 2)) {
        line(&format!("  {part}"));
    }
    for (step, word) in [
        (Step::Back, "back"),
        (Step::Replaced, "replaced"),
        (Step::Rights, "rights back"),
        (Step::Gone, "taken away"),
    ] {
        let items: Vec<&Item> = undo
            .steps
            .iter()
            .filter(|(item, is)| *is == step && is_shown(item))
            .map(|(item, _)| item)
            .collect();
        for item in items.iter().take(NAMED) {
            let what = sort(item);
            let room = width.saturating_sub(14 + crate::text::width(&what));
            line(&format!("  {word:<11} {}{what}", fitted(&item.path.0, cwd, room)));
        }
        if items.len() > NAMED {
            line(&format!("  {word:<11} and {} more", crate::text::grouped((items.len() - NAMED) as u64)));
        }
    }
    for item in undo.lost.iter().take(NAMED) {
        line(&format!("  {:<11} {}", "not kept", place(&item.path.0, cwd)));
    }
    if undo.count(Step::Replaced) + undo.count(Step::Gone) > 0 {
        for part in wrap("What is replaced or taken away stands there now; it is kept first.", width - 2) {
            line(&format!("  {part}"));
        }
    }
    page
}

/// What cannot come back, and why.
pub(super) fn lost(undo: &Undo, cwd: &Path) -> String {
    let mut names: Vec<String> = undo.lost.iter().take(3).map(|item| place(&item.path.0, cwd)).collect();
    if undo.lost.len() > names.len() {
        names.push(format!("and {} more", crate::text::grouped((undo.lost.len() - names.len()) as u64)));
    }
    format!(
        "{}: went back to its place when this was undone, is not kept since, and was changed or removed there",
        names.join(", ")
    )
}

/// A directory whose time alone comes back is not worth a line.
pub(super) fn is_shown(item: &Item) -> bool {
    item.was != Was::Around
}

/// When, by whom and where it ran.
fn origin(head: &Head, cwd: &Path, unsure: Option<Unsure>) -> String {
    let when = ago(Time::now().since(Time::from_millis(head.time)));
    let mut said = format!("{}: {when}, by {}", head.id, head.who);
    if head.cwd.0 != cwd {
        said.push_str(&format!(", in {}", head.cwd.0.to_string_lossy()));
    }
    match unsure {
        Some(Unsure::Terminal) => said.push_str("; the last one here, from another terminal"),
        Some(Unsure::Directory) => said.push_str("; the last one of this terminal, in another place"),
        Some(Unsure::Old) => said.push_str("; the last one, if nothing since then is meant"),
        Some(Unsure::Later(..)) | None => {}
    }
    said
}

/// A path as it is easiest to read: from here, where it is below.
pub(super) fn place(path: &Path, cwd: &Path) -> String {
    let near = path.strip_prefix(cwd).ok().filter(|near| !near.as_os_str().is_empty());
    escape(&near.unwrap_or(path).to_string_lossy())
}

/// A path in so much room: its name is what counts.
fn fitted(path: &Path, cwd: &Path, room: usize) -> String {
    let whole = place(path, cwd);
    let name = path.file_name().map(|name| format!("…/{}", escape(&name.to_string_lossy())));
    let fits = crate::text::width(&whole) <= room;
    shorten(&name.filter(|_| !fits).unwrap_or(whole), room.max(12))
}

/// What stood there, in a word or two.
pub(super) fn sort(item: &Item) -> String {
    match &item.was {
        Was::File { size: bytes, .. } => format!("  ({})", size(*bytes)),
        Was::Directory => "/".to_owned(),
        Was::Link(_) => "  (a link)".to_owned(),
        Was::Rights | Was::RightsAndTime => "  (mode and owner)".to_owned(),
        Was::Pipe => "  (a pipe)".to_owned(),
        Was::Device { .. } => "  (a device's node)".to_owned(),
        Was::Service(held) if held.content.is_none() => "  (there was none)".to_owned(),
        Was::Service(held) => format!("  ({})", size(held.size)),
        Was::Absent | Was::Around => String::new(),
    }
}

/// Each path and what becomes of it.
pub(super) fn steps(undo: &Undo) -> Vec<Value> {
    undo.steps
        .iter()
        .map(|(item, step)| {
            let word = match step {
                Step::Same => "same",
                Step::Back => "back",
                Step::Rights => "rights",
                Step::Replaced => "replaced",
                Step::Gone => "gone",
            };
            (item, word)
        })
        .chain(undo.lost.iter().map(|item| (item, "lost")))
        .map(|(item, word)| {
            json!({ "path": item.path.0.to_string_lossy(), "step": word, "was": kind(item), "size": bytes(item) })
        })
        .collect()
}

/// What stood there, for programs.
fn kind(item: &Item) -> &'static str {
    match &item.was {
        Was::File { .. } => "file",
        Was::Directory => "directory",
        Was::Link(_) => "link",
        Was::Rights | Was::RightsAndTime | Was::Around => "rights",
        Was::Pipe => "pipe",
        Was::Device { .. } => "device",
        Was::Service(_) => "service",
        Was::Absent => "absent",
    }
}

pub(super) fn bytes(item: &Item) -> Option<u64> {
    match &item.was {
        Was::File { size, .. } => Some(*size),
        Was::Service(held) => Some(held.size),
        _ => None,
    }
}
