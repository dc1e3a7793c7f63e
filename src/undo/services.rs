//! Putting back what a service held, by the commands that its kind declares.
//!
//! What is there now is fetched first, the same way, and becomes part of the undo's own point: no service is written to whose
//! state could not be kept.

use std::path::{Path, PathBuf};

use crate::keep::{CannotKeep, Capture, Held, Item, Was};

use super::Step;
use super::kept::Kept;
use super::stage::Failed;

/// Most bytes that are fetched to be compared with what is kept.
const COMPARED: u64 = 64 << 20;

/// What a service holds now; none: nothing is there.
type Now = Option<Vec<u8>>;

fn held(item: &Item) -> Option<&Held> {
    match &item.was {
        Was::Service(held) => Some(held),
        _ => None,
    }
}

/// Whether an item is a service's.
pub(super) fn is_service(item: &Item) -> bool {
    held(item).is_some()
}

/// What becomes of each item. What cannot be told comes back, or is said to fail when that is tried.
pub(super) fn steps(items: Vec<Item>, kept: &Kept) -> Vec<(Item, Step)> {
    let step = |item: &Item| {
        let Some(held) = held(item) else { return Step::Same };
        let Ok(now) = held.now(COMPARED) else { return Step::Back };
        becomes(held, now.as_deref(), kept)
    };
    items.into_iter().map(|item| (step(&item), item)).map(|(step, item)| (item, step)).collect()
}

fn becomes(held: &Held, now: Option<&[u8]>, kept: &Kept) -> Step {
    match (&held.content, now) {
        (None, None) => Step::Same,
        (None, Some(_)) => Step::Gone,
        (Some(_), None) => Step::Back,
        (Some(content), Some(now)) => {
            if kept.bytes(content, held.size).is_ok_and(|kept| held.are_same(&kept, now)) {
                Step::Same
            } else {
                Step::Replaced
            }
        }
    }
}

/// What a service held as a file below a directory; none where nothing was there.
pub(super) fn as_file(held: &Held, dir: &Path, time: i64) -> Option<Item> {
    let content = held.content.clone()?;
    let fine = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' };
    let name: String = held.title.chars().map(fine).collect();
    let was = Was::File { size: held.size, content, group: None, twin: None };
    let path = dir.join("services").join(name);
    let owner = (nix::unistd::geteuid().as_raw(), nix::unistd::getegid().as_raw());
    Some(Item { was, mode: 0o600, owner, modified: (time / 1000, 0), ..Item::absent(&path) })
}

/// One that does not stand as it was.
pub(super) struct Change<'a> {
    item: &'a Item,
    held: &'a Held,
    now: Now,
}

/// Looks at all of them.
pub(super) fn changes<'a>(
    items: &'a [(Item, Step)],
    kept: &Kept,
    limit: u64,
) -> Result<Vec<Change<'a>>, CannotKeep> {
    let mut found = Vec::new();
    for (item, held) in items.iter().filter_map(|(item, _)| Some((item, held(item)?))) {
        let now = held
            .now(limit)
            .map_err(|why| CannotKeep::Untold(format!("{}: {}", held.title, crate::text::escape(&why))))?;
        if becomes(held, now.as_deref(), kept) != Step::Same {
            found.push(Change { item, held, now });
        }
    }
    Ok(found)
}

/// Keeps what they hold now.
pub(super) fn keep(changes: &[Change<'_>], capture: &mut Capture) -> Result<(), CannotKeep> {
    for change in changes {
        capture.add_held(change.held.clone(), change.now.clone())?;
    }
    Ok(())
}

/// Puts all of them back. One may need another to be there first: those that fail are tried again once others are back.
pub(super) fn put_back(changes: &[Change<'_>], kept: &Kept) -> Vec<Failed> {
    let mut left: Vec<&Change<'_>> = changes.iter().collect();
    loop {
        let mut failed: Vec<Failed> = Vec::new();
        let before = left.len();
        left.retain(|change| match one(change, kept) {
            Ok(()) => false,
            Err(why) => {
                failed.push((PathBuf::from(&change.item.path.0), why));
                true
            }
        });
        if left.is_empty() || left.len() == before {
            return failed;
        }
    }
}

fn one(change: &Change<'_>, kept: &Kept) -> Result<(), String> {
    let content = match &change.held.content {
        Some(content) => Some(kept.bytes(content, change.held.size).map_err(|error| error.to_string())?),
        None => None,
    };
    change.held.put_back(content, change.now.is_some())
}
