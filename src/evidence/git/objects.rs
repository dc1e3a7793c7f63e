//! Objects that only a reflog, or nothing at all, reaches: what `gc --prune=now` and `prune` delete for good.

use std::collections::BTreeMap;

use crate::evidence::text::{count, list};

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
        || look.session.is_destroyed(&common.join("logs"));
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
    if done.unstaged
        && let Ok(raw) =
            look.ask(&["diff-index", "--cached", "--name-only", "--diff-filter=AM", "-z", "HEAD"])
    {
        let staged = raw.split('\0').filter(|name| !name.is_empty()).count() as u64;
        if staged > 0 {
            parts.push(format!("what was staged of {}", count(staged, "file")));
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
