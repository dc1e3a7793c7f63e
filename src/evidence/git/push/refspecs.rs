//! Which refs of the remote a push names, and what becomes of each.

use std::collections::BTreeMap;

use crate::evidence::git::look::Look;
use crate::evidence::git::refs::{head, short};

use super::remote_name;

/// One ref on the remote and what becomes of it.
pub(super) struct Change {
    pub(super) name: String,
    /// The new commit; `None` when the ref is deleted.
    pub(super) new: Option<String>,
    pub(super) forced: bool,
}

/// Every ref on the remote that the push names.
pub(super) fn changes(
    look: &mut Look<'_>,
    specs: &[Option<String>],
    theirs: &BTreeMap<String, String>,
    ours: &[(String, String)],
) -> Result<Vec<Change>, String> {
    // A lease that holds was counted before.
    let force = look.has("force") || look.has("lease");
    let mut found = Vec::new();
    let under = |name: &str, prefixes: &[&str]| prefixes.iter().any(|p| name.starts_with(p));
    if look.has("mirror") {
        push_all(&mut found, ours.iter(), true);
        delete_missing(&mut found, theirs, ours, &["refs/"]);
        return Ok(found);
    }
    if look.has("all") {
        push_all(&mut found, ours.iter().filter(|(n, _)| under(n, &["refs/heads/"])), force);
    }
    if look.has("tags") {
        push_all(&mut found, ours.iter().filter(|(n, _)| under(n, &["refs/tags/"])), force);
    }
    for spec in specs {
        match spec {
            // Any ref may be meant, to any end.
            None => {
                found.extend(theirs.keys().map(|name| Change { name: name.clone(), new: None, forced: true }))
            }
            Some(spec) => one(look, spec, theirs, ours, force, &mut found)?,
        }
    }
    if specs.is_empty() && !look.has("all") && !look.has("tags") {
        default(look, theirs, ours, force, &mut found)?;
    }
    if look.has("prune") && specs.is_empty() {
        delete_missing(&mut found, theirs, ours, &["refs/heads/"]);
    }
    Ok(found)
}

fn push_all<'a>(found: &mut Vec<Change>, refs: impl Iterator<Item = &'a (String, String)>, forced: bool) {
    found.extend(refs.map(|(name, id)| Change { name: name.clone(), new: Some(id.clone()), forced }));
}

fn delete_missing(
    found: &mut Vec<Change>,
    theirs: &BTreeMap<String, String>,
    ours: &[(String, String)],
    prefixes: &[&str],
) {
    for name in theirs.keys() {
        if prefixes.iter().any(|p| name.starts_with(p)) && !ours.iter().any(|(known, _)| known == name) {
            found.push(Change { name: name.clone(), new: None, forced: true });
        }
    }
}

/// One refspec.
fn one(
    look: &mut Look<'_>,
    spec: &str,
    theirs: &BTreeMap<String, String>,
    ours: &[(String, String)],
    force: bool,
    found: &mut Vec<Change>,
) -> Result<(), String> {
    let (forced, body) = match spec.strip_prefix('+') {
        Some(body) => (true, body),
        None => (force, spec),
    };
    if look.has("delete") {
        found.push(Change { name: their_name(body, theirs), new: None, forced: true });
        return Ok(());
    }
    if body == ":" {
        let matching =
            ours.iter().filter(|(name, _)| name.starts_with("refs/heads/") && theirs.contains_key(name));
        push_all(found, matching, forced);
        return Ok(());
    }
    let (source, target) = body.split_once(':').unwrap_or((body, ""));
    if source.is_empty() {
        found.push(Change { name: their_name(target, theirs), new: None, forced: true });
        return Ok(());
    }
    if let Some((head, tail)) = source.split_once('*') {
        let target = if target.is_empty() { source } else { target };
        let (to_head, to_tail) = target.split_once('*').unwrap_or((target, ""));
        let mut kept = Vec::new();
        for (name, id) in ours {
            if let Some(middle) = name.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail)) {
                let name = format!("{to_head}{middle}{to_tail}");
                kept.push(name.clone());
                found.push(Change { name, new: Some(id.clone()), forced });
            }
        }
        if look.has("prune") {
            for name in theirs.keys() {
                if name.starts_with(to_head) && name.ends_with(to_tail) && !kept.contains(name) {
                    found.push(Change { name: name.clone(), new: None, forced: true });
                }
            }
        }
        return Ok(());
    }
    let Some(id) = look.resolve(source).map_err(|e| format!("git could not be asked: {e}"))? else {
        // No such source: git refuses the whole push.
        return Ok(());
    };
    let name = if target.is_empty() {
        match ours.iter().find(|(name, _)| short(name) == source || name == source) {
            Some((name, _)) => name.clone(),
            None if source == "HEAD" || source == "@" => match head(look)? {
                Some(name) => name,
                None => return Ok(()),
            },
            None => their_name(source, theirs),
        }
    } else {
        their_name(target, theirs)
    };
    found.push(Change { name, new: Some(id), forced });
    Ok(())
}

/// The full name on the remote.
fn their_name(name: &str, theirs: &BTreeMap<String, String>) -> String {
    if name.starts_with("refs/") {
        return name.to_owned();
    }
    ["refs/heads/", "refs/tags/"]
        .iter()
        .map(|prefix| format!("{prefix}{name}"))
        .find(|full| theirs.contains_key(full))
        .unwrap_or_else(|| format!("refs/heads/{name}"))
}

/// Without a refspec: what the configuration says.
fn default(
    look: &mut Look<'_>,
    theirs: &BTreeMap<String, String>,
    ours: &[(String, String)],
    force: bool,
    found: &mut Vec<Change>,
) -> Result<(), String> {
    let remote = remote_name(look)?.unwrap_or_default();
    if look.config_is(&format!("remote.{remote}.mirror"), false) {
        push_all(found, ours.iter(), true);
        delete_missing(found, theirs, ours, &["refs/"]);
        return Ok(());
    }
    let configured = look.configs(&format!("remote.{remote}.push"));
    for spec in &configured {
        one(look, spec, theirs, ours, force, found)?;
    }
    if !configured.is_empty() {
        return Ok(());
    }
    let Some(current) = head(look)? else { return Ok(()) };
    match look.config("push.default").as_deref() {
        Some("nothing") => Ok(()),
        Some("matching") => one(look, ":", theirs, ours, force, found),
        Some("upstream" | "tracking") => {
            let upstream = look.config(&format!("branch.{}.merge", short(&current)));
            let target = upstream.unwrap_or_else(|| current.clone());
            one(look, &format!("{current}:{target}"), theirs, ours, force, found)
        }
        _ => one(look, &format!("{current}:{current}"), theirs, ours, force, found),
    }
}
