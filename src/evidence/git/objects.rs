//! Objects that only a reflog, or nothing at all, reaches: what `gc --prune=now` and `prune` delete for good.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::text::{count, list};

use crate::world::{FileKind, LookError};

use super::blob_id;
use super::look::Look;

/// Kinds of object in the order in which they matter to people.
const KINDS: [&str; 4] = ["commit", "tag", "blob", "tree"];

/// What would be deleted, in words, with names of a few commits; `None` when nothing would.
///
/// # Errors
/// In words, when the store could not be looked at.
pub(super) fn pruned(look: &mut Look<'_>) -> Result<Option<(String, Vec<String>)>, String> {
    let common = look.repo.place().common_dir.clone();
    let done = look.session.git().done(&common);
    let now = |look: &Look<'_>, key: &str| {
        look.config(key).is_some_and(|value| matches!(value.as_str(), "now" | "all" | "0"))
    };
    let expires = now(look, "gc.reflogExpire") || now(look, "gc.reflogExpireUnreachable");
    let gone = done.reflog_gone
        || look.has("no-reflog")
        || (look.has("expires-reflog") && expires)
        || look.session.is_touched(&common.join("logs"));
    let configured = look.has("expire-configured");
    let keeps = |date: &str| ["week", "month", "year", "never"].iter().any(|unit| date.contains(unit));
    let grace =
        look.has("grace") || (configured && look.config("gc.pruneExpire").is_none_or(|date| keeps(&date)));
    if grace {
        return Ok(None);
    }
    let mut words = vec!["fsck", "--unreachable", "--no-dangling", "--connectivity-only", "--no-progress"];
    if gone {
        words.push("--no-reflogs");
    }
    let answer = look.ask(&words).map_err(|e| format!("unreachable objects could not be listed: {e}"))?;
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut commits = Vec::new();
    for line in answer.lines() {
        let mut words = line.split(' ');
        if words.next() != Some("unreachable") {
            continue;
        }
        let (Some(kind), Some(id)) = (words.next(), words.next()) else { continue };
        let Some(kind) = KINDS.iter().find(|known| **known == kind) else { continue };
        // Repacking leaves objects alone that are files of their own.
        if look.has("packed") && look.repo.has_loose_hex(look.world, id) {
            continue;
        }
        *counts.entry(kind).or_default() += 1;
        if *kind == "commit" && commits.len() < 5 {
            commits.push(id.chars().take(12).collect());
        }
    }
    let mut parts: Vec<String> = KINDS
        .iter()
        .filter(|kind| **kind != "tree")
        .filter_map(|kind| counts.get(kind).map(|number| count(*number, &format!("unreachable {kind}"))))
        .collect();
    parts.extend(staged(look, done.unstaged && !done.index_kept, done.restaged)?);
    let refs = ["refs", "packed-refs"].map(|name| common.join(name));
    if refs.iter().any(|refs| look.session.is_touched(refs)) {
        parts.push("what refs reach that this command itself takes away".to_owned());
    }
    let drops = !done.dropped.is_empty() || gone;
    if (done.unstaged && done.staged_here) || (done.only_saved && drops) {
        parts.push("what this command itself put into git before".to_owned());
    }
    if !gone && look.has("expires-reflog") {
        let forgotten = forgotten(look)?;
        if forgotten > 0 {
            parts.push(format!("{} that only old reflog entries reach", count(forgotten, "commit")));
        }
    }
    if !look.has("packed") {
        parts.extend(done.dropped.iter().cloned());
        if gone {
            parts.extend(done.in_reflog.iter().cloned());
        }
    }
    Ok((!parts.is_empty()).then(|| (list(&parts), commits)))
}

/// What only the index holds and no longer will, in words.
fn staged(look: &mut Look<'_>, unstaged: bool, again: bool) -> Result<Vec<String>, String> {
    let mut parts = Vec::new();
    if unstaged {
        let words: &[&str] = match look.resolve("HEAD").map_err(|e| format!("git could not be asked: {e}"))? {
            Some(_) => &["diff-index", "--cached", "--name-only", "--diff-filter=AM", "-z", "HEAD"],
            // Nothing is committed yet: all that is staged is nowhere else.
            None => &["ls-files", "--cached", "-z"],
        };
        let raw = look.ask(words).map_err(|e| format!("what is staged could not be listed: {e}"))?;
        let names = raw.split('\0').filter(|name| !name.is_empty()).count() as u64;
        if names > 0 {
            parts.push(format!("what was staged of {}", count(names, "file")));
        }
    }
    if again {
        let names = restaged(look)?;
        if names > 0 {
            parts.push(format!("what was staged before of {}", count(names, "file")));
        }
    }
    Ok(parts)
}

/// Files that are staged with another content than they have, and than is committed: what staging them again leaves behind.
fn restaged(look: &mut Look<'_>) -> Result<u64, String> {
    if look.resolve("HEAD").map_err(|e| format!("git could not be asked: {e}"))?.is_none() {
        return Ok(0);
    }
    let words = ["diff-index", "--cached", "--no-renames", "--diff-filter=AM", "-z", "HEAD"];
    let raw = look.ask(&words).map_err(|e| format!("what is staged could not be listed: {e}"))?;
    let Some(top) = look.repo.work_tree().map(Path::to_owned) else { return Ok(0) };
    let fields: Vec<&str> = raw.split('\0').collect();
    let changed = |entry: &&[&str]| {
        let [about, name] = entry else { return false };
        let Some(id) = about.split(' ').nth(3) else { return false };
        let place = top.join(name);
        match look.world.read_file(&place, STAGED) {
            Ok(content) => blob_id(&content, id.len()).is_none_or(|own| own != id),
            Err(_) => true,
        }
    };
    Ok(fields.chunks(2).filter(changed).count() as u64)
}

/// Largest file that is compared with what is staged of it, in bytes.
const STAGED: u64 = 16 << 20;

/// Seconds that `gc` keeps a reflog entry whose commit no ref reaches, unless configured.
const UNREACHABLE_AGE: u64 = 30 * 24 * 3600;
/// Reflogs and entries that are read.
const LOGS: usize = 500;
/// Old entries that git is asked about.
const ENTRIES: usize = 2000;

/// Commits that only reflog entries reach which `gc` itself expires first, for their age.
fn forgotten(look: &mut Look<'_>) -> Result<u64, String> {
    let keep = match look.config("gc.reflogExpireUnreachable") {
        None => UNREACHABLE_AGE,
        Some(value) if value == "never" || value == "false" => return Ok(0),
        // `90`, `90.days`, `90 days`.
        Some(value) => {
            let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<u64>().map_or(UNREACHABLE_AGE, |days| days * 24 * 3600)
        }
    };
    let now = look.world.now().duration_since(std::time::UNIX_EPOCH).map_or(0, |age| age.as_secs());
    let common = look.repo.place().common_dir.clone();
    if look.refs_are_foreign() {
        return Err("this repository's reflogs are in a form that is not read".to_owned());
    }
    let unread = |place: &Path, error: LookError| format!("{} could not be read: {error}", place.display());
    let mut pending = vec![common.join("logs")];
    let trees = common.join("worktrees");
    match look.world.read_dir(&trees, LOGS) {
        Ok(found) => pending.extend(found.iter().map(|tree| trees.join(&tree.name).join("logs"))),
        Err(LookError::NotFound) => {}
        Err(error) => return Err(unread(&trees, error)),
    }
    let (mut old, mut young) = (BTreeSet::new(), BTreeSet::new());
    let mut files = 0;
    while let Some(place) = pending.pop() {
        match look.world.stat(&place) {
            Ok(meta) if meta.kind == FileKind::Directory => {
                let entries = look.world.read_dir(&place, LOGS).map_err(|error| unread(&place, error))?;
                pending.extend(entries.iter().map(|entry| place.join(&entry.name)));
                continue;
            }
            Ok(_) => {}
            Err(LookError::NotFound) => continue,
            Err(error) => return Err(unread(&place, error)),
        }
        // Stashes are kept whatever their age.
        if place.ends_with("refs/stash") {
            continue;
        }
        files += 1;
        if files > LOGS {
            return Err("there are more reflogs than are read".to_owned());
        }
        let text = look.world.read_file(&place, 16 << 20).map_err(|error| unread(&place, error))?;
        for line in String::from_utf8_lossy(&text).lines() {
            let head = line.split('\t').next().unwrap_or(line);
            let mut words = head.split(' ');
            let (Some(before), Some(after)) = (words.next(), words.next()) else { continue };
            let time = head.rsplit(' ').nth(1).and_then(|time| time.parse::<u64>().ok()).unwrap_or(0);
            let into = if time.saturating_add(keep) < now { &mut old } else { &mut young };
            into.extend(
                [before, after].into_iter().filter(|id| id.chars().any(|c| c != '0')).map(str::to_owned),
            );
        }
    }
    if old.is_empty() {
        return Ok(0);
    }
    let mut words: Vec<&str> = vec!["rev-list", "--count", "--ignore-missing"];
    if old.len() > ENTRIES {
        return Err("there are more old reflog entries than git is asked about".to_owned());
    }
    words.extend(old.iter().map(String::as_str));
    words.extend(["--not", "--glob=refs/*", "HEAD"]);
    words.extend(young.iter().take(ENTRIES).map(String::as_str));
    look.count(&words).map_err(|e| format!("old reflog entries could not be looked at: {e}"))
}
