//! Refs that go or move: branches, tags, any ref, stashes, and commits that a branch leaves behind.

use crate::model::Action;
use crate::text::{count, list};
use crate::world::{FileKind, LookError};

use super::look::Look;

/// Refs that say which object stands in for another.
const REPLACED: &str = "refs/replace/";

/// The ref of a replacement, whose name is the full one of the object that it replaces.
fn replaced(look: &mut Look<'_>, name: String) -> String {
    let object = name.strip_prefix(REPLACED).unwrap_or_default();
    match look.resolve(object) {
        Ok(Some(id)) => format!("{REPLACED}{id}"),
        _ => name,
    }
}

/// What a ref leaves behind.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// Commits that no other ref reaches.
    pub(super) commits: u64,
    /// `name id` of the refs that are there, for recovery.
    pub(super) tips: Vec<(String, String)>,
    /// Annotated tags whose message goes with the ref.
    pub(super) tags: u64,
}

/// Deleted or overwritten refs.
///
/// # Errors
/// In words, when history could not be looked at.
pub(super) fn refs(look: &mut Look<'_>) -> Result<Left, String> {
    let folder = match look.mutation.kind.as_str() {
        "git.branch" if look.has("remote") => "refs/remotes/",
        "git.branch" => "refs/heads/",
        "git.tag" => "refs/tags/",
        "git.remote" => "refs/remotes/",
        "git.note" => "refs/notes/",
        _ => "",
    };
    let names = look.names();
    let mut full: Vec<String> = Vec::new();
    let all = for_each_ref(look)?;
    for name in names {
        match name {
            Some(name) if look.mutation.kind == "git.remote" => {
                let prefix = format!("{folder}{name}/");
                full.extend(
                    all.iter().filter(|(known, _)| known.starts_with(&prefix)).map(|(n, _)| n.clone()),
                );
            }
            Some(name) if name == "HEAD" || name == "@" => full.extend(head(look)?),
            Some(name) if name.starts_with(REPLACED) => full.push(replaced(look, name)),
            Some(name) if name.starts_with("refs/") => full.push(name),
            Some(name) => full.push(format!("{folder}{name}")),
            // Not known: any ref of the kind but the one that is checked out.
            None => full.extend(all.iter().filter(|(n, _)| n.starts_with(folder)).map(|(n, _)| n.clone())),
        }
    }
    let done = look.session.git().done(&look.repo.place().common_dir);
    for name in &mut full {
        // By then it has the name of a branch that is there now.
        if let Some((_, old)) = done.renamed.iter().rev().find(|(new, _)| new == name) {
            old.clone_into(name);
        }
    }
    let tips: Vec<(String, String)> =
        all.into_iter().filter(|(name, _)| full.iter().any(|wanted| wanted == name)).collect();
    if tips.is_empty() {
        return Ok(Left::default());
    }
    let mut words = vec!["rev-list".to_owned(), "--count".to_owned()];
    words.extend(tips.iter().map(|(_, id)| id.clone()));
    words.push("--not".to_owned());
    if look.mutation.action != Action::Delete
        && let Some(to) = look.text("to").map(str::to_owned)
        && let Some(id) = look.resolve(&to).map_err(|e| format!("git could not be asked: {e}"))?
    {
        words.push(id);
    }
    words.extend(tips.iter().map(|(name, _)| format!("--exclude={name}")));
    // What this command took before reaches nothing any more.
    words.extend(done.gone.iter().map(|name| format!("--exclude={name}")));
    words.push("--glob=refs/*".to_owned());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let commits = look.count(&words).map_err(|e| format!("history could not be looked at: {e}"))?;
    let mut tags = 0;
    for (name, id) in tips.iter().filter(|(name, _)| name.starts_with("refs/tags/")).take(50) {
        if look.ask(&["cat-file", "-t", id]).is_ok_and(|kind| kind.trim() == "tag") {
            tags += 1;
        }
        let _ = name;
    }
    Ok(Left { commits, tips, tags })
}

/// The name that an act gives a branch, and the one it has now; `None`: it gives none.
pub(super) fn renamed(look: &mut Look<'_>) -> Option<(String, String)> {
    if !look.has("renames") {
        return None;
    }
    let full = |name: &str| format!("refs/heads/{name}");
    let new = look.names().into_iter().next().flatten()?;
    let old = match look.text("to")? {
        "HEAD" => head(look).ok().flatten()?,
        name => full(name),
    };
    let done = look.session.git().done(&look.repo.place().common_dir);
    let first = done.renamed.into_iter().rev().find(|(name, _)| *name == old).map(|(_, first)| first);
    Some((full(&new), first.unwrap_or(old)))
}

/// All refs with the ids that they hold (not peeled).
pub(super) fn for_each_ref(look: &mut Look<'_>) -> Result<Vec<(String, String)>, String> {
    let answer = look
        .ask(&["for-each-ref", "--format=%(refname) %(objectname)"])
        .map_err(|e| format!("refs could not be listed: {e}"))?;
    Ok(answer
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, id)| (name.to_owned(), id.to_owned()))
        .collect())
}

/// The ref that is checked out; `None` when a commit is.
///
/// # Errors
/// In words, when that cannot be told.
pub(super) fn head(look: &mut Look<'_>) -> Result<Option<String>, String> {
    let file = look.repo.place().git_dir.join("HEAD");
    let link = matches!(look.world.lstat(&file), Ok(meta) if meta.kind == FileKind::Symlink);
    if link || look.refs_are_foreign() {
        // Fails where a commit is checked out, and says nothing.
        return match look.ask(&["rev-parse", "--symbolic-full-name", "HEAD"]) {
            Ok(name) => Ok(Some(name.trim().to_owned()).filter(|name| name.starts_with("refs/"))),
            Err(error) => Err(format!("what is checked out could not be looked at: {error}")),
        };
    }
    let text = look.world.read_file(&file, 4096);
    let text = text.map_err(|error| format!("{} could not be read: {error}", file.display()))?;
    Ok(String::from_utf8_lossy(&text).strip_prefix("ref:").map(|name| name.trim().to_owned()))
}

/// Commits that the current branch (or the ref in `names`) leaves for its reflog when it moves to `to`.
///
/// # Errors
/// In words, when history could not be looked at.
pub(super) fn moves(look: &mut Look<'_>) -> Result<Left, String> {
    let from = match look.resolve("HEAD") {
        Ok(Some(id)) => id,
        Ok(None) => return Ok(Left::default()),
        Err(error) => return Err(format!("git could not be asked: {error}")),
    };
    let to = look.text("to").unwrap_or("HEAD").to_owned();
    let target = look.resolve(&to).map_err(|e| format!("git could not be asked: {e}"))?;
    let Some(target) = target else { return Ok(Left::default()) };
    let current = head(look)?;
    let mut words = ["rev-list", "--count", &from, "--not", &target].map(str::to_owned).to_vec();
    if let Some(current) = &current {
        words.push(format!("--exclude={current}"));
    }
    words.push("--glob=refs/*".to_owned());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let commits = look.count(&words).map_err(|e| format!("history could not be looked at: {e}"))?;
    let name = current.unwrap_or_else(|| "HEAD".to_owned());
    Ok(Left { commits, tips: vec![(name, from)], tags: 0 })
}

/// Stash entries that are there, newest first, with their ids.
///
/// # Errors
/// In words, when they cannot be listed.
pub(super) fn stashes(look: &mut Look<'_>) -> Result<Vec<String>, String> {
    let said = |error: LookError| format!("the stash could not be listed: {error}");
    if look.refs_are_foreign() {
        if look.resolve("refs/stash").map_err(said)?.is_none() {
            return Ok(Vec::new());
        }
        let listed = look.ask(&["rev-list", "--walk-reflogs", "refs/stash"]).map_err(said)?;
        return Ok(listed.lines().map(str::to_owned).collect());
    }
    let log = look.repo.place().common_dir.join("logs/refs/stash");
    let text = match look.world.read_file(&log, 16 << 20) {
        Ok(text) => text,
        Err(LookError::NotFound) => return Ok(Vec::new()),
        Err(error) => return Err(said(error)),
    };
    Ok(String::from_utf8_lossy(&text)
        .lines()
        .rev()
        .filter_map(|line| line.split(' ').nth(1).map(str::to_owned))
        .collect())
}

/// `2 commits of feature/login`.
pub(super) fn describe(left: &Left) -> String {
    let names: Vec<String> = left.tips.iter().take(4).map(|(name, _)| short(name).to_owned()).collect();
    match (left.commits, left.tags) {
        (0, 0) => format!("nothing of {}", list(&names)),
        (0, tags) => format!("{} ({})", count(tags, "annotated tag"), list(&names)),
        (commits, _) => format!("{} of {}", count(commits, "commit"), list(&names)),
    }
}

/// A ref's name as people write it.
pub(super) fn short(name: &str) -> &str {
    ["refs/heads/", "refs/tags/", "refs/remotes/", "refs/"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name)
}
