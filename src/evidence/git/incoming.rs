//! Trees that come: where a revision differs from the index, what a fetch of the same command brings, and which ignored files
//! a switch, merge or rebase overwrites without a word.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::model::{Evidence, Loss, LossClass};
use crate::order;
use crate::world::{FileKind, LookError};

use super::changes::Outcome;
use super::digest::hex;
use super::look::Look;
use super::probe::say;
use super::push::local_place;
use super::refs::{for_each_ref, head, short};
use super::repository::FileStatus;

/// Branches and tags that are looked at where it is not known which one is meant.
const REVISIONS: usize = 60;
/// Files in the way that git is asked about.
const IN_THE_WAY: usize = 500;

/// What the index and the source of new content say about a path.
pub(super) struct Differing {
    pub(super) in_index: bool,
    /// Object id in the source, when it is there.
    pub(super) source: Option<String>,
}

type Differences = BTreeMap<String, Differing>;

/// Where index and source differ; `None` when there is no such revision.
pub(super) fn difference(look: &mut Look<'_>, source: &str) -> Result<Option<Differences>, String> {
    let asked = |e: LookError| format!("git could not be asked: {e}");
    if let Some(found) = fetched(look, source)? {
        return Ok(Some(found));
    }
    let commit = match look.resolve(source).map_err(asked)? {
        Some(commit) => Some(commit),
        // A branch that only a remote has is made here by that name.
        None => {
            let name = format!("/{source}");
            for_each_ref(look)?
                .into_iter()
                .find(|(full, _)| full.starts_with("refs/remotes/") && full.ends_with(&name))
                .map(|(_, id)| id)
        }
    };
    let Some(commit) = commit else { return Ok(None) };
    let raw = look
        .ask(&["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", &commit])
        .map_err(|e| format!("the difference to {source} could not be looked at: {e}"))?;
    let mut found = BTreeMap::new();
    let mut fields = raw.split('\0');
    while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
        // `:<mode> <mode> <source id> <index id> <status>`; the source is the first of the two.
        let parts: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        let [source_mode, index_mode, id, _, _] = parts[..] else {
            return Err("git's list of differences could not be read".to_owned());
        };
        let known = |mode: &str| mode != "000000";
        found.insert(
            path.to_owned(),
            Differing { in_index: known(index_mode), source: known(source_mode).then(|| id.to_owned()) },
        );
    }
    Ok(Some(found))
}

/// What a fetch does to refs here, noted for what comes after it.
pub(super) fn fetched_by(look: &mut Look<'_>, evidence: &mut Evidence) {
    let common = look.repo.place().common_dir.clone();
    let onto = |spec: &Option<String>| {
        let forced = look.has("moves") || spec.as_deref().is_none_or(|spec| spec.starts_with('+'));
        let ends = |spec: &str| spec.split_once(':').is_some_and(|(_, to)| !to.starts_with("refs/remotes/"));
        forced && spec.as_deref().is_none_or(ends)
    };
    let specs = look.names();
    let specs = specs.get(1..).unwrap_or_default();
    let own =
        specs.iter().any(onto) || look.has("unnamed") || onto(&look.fetches_onto().or(Some(String::new())));
    let mut names = look.names().into_iter().map(Option::unwrap_or_default);
    let remote = names.next();
    let from = remote.clone().zip(names.next());
    look.session.git().note(&common, |done| {
        done.fetched = true;
        done.fetched_remotes.push(remote);
        done.moved = true;
        done.fetched_from = from;
        if own {
            done.dropped.push("what only branches and tags here reached that the fetch moves".to_owned());
        }
    });
    if own {
        let why = "branches and tags here become what the remote has, or go with what it has not: their commits stay as objects until git prunes them";
        return say(evidence, "tracked", why);
    }
    say(evidence, "nothing", "only remote-tracking refs follow the remote");
}

/// The same for a ref of a repository on this machine that this command fetches first: what it has is looked up there. `None`
/// when nothing is fetched, or from elsewhere.
fn fetched(look: &mut Look<'_>, source: &str) -> Result<Option<Differences>, String> {
    let done = look.session.git().done(&look.repo.place().common_dir);
    if !done.fetched && !look.has("fetches") {
        return Ok(None);
    }
    let Some((remote, branch)) = remote_ref(look, source, &done.fetched_from)? else { return Ok(None) };
    let Some(Some(place)) = local_place(look, &remote) else { return Ok(None) };
    let words = ["ls-tree", "-r", "-z", "--full-tree", branch.as_str()].map(str::to_owned).to_vec();
    let Ok(listed) = look.ask_in(&place, words) else { return Ok(None) };
    let mut theirs: BTreeMap<&str, &str> = BTreeMap::new();
    for line in listed.split('\0').filter(|line| !line.is_empty()) {
        // `<mode> <type> <id>\t<path>`
        let Some((about, path)) = line.split_once('\t') else { continue };
        if let Some(id) = about.split(' ').nth(2) {
            theirs.insert(path, id);
        }
    }
    let repo = std::rc::Rc::clone(&look.repo);
    let index = repo.index(look.world)?;
    let mut found = Differences::new();
    let mut known = BTreeSet::new();
    for entry in index.entries() {
        let path = String::from_utf8_lossy(index.path(entry)).into_owned();
        let source = theirs.get(path.as_str()).map(|id| (*id).to_owned());
        if source.as_deref() != Some(hex(index.id(entry)).as_str()) {
            found.insert(path.clone(), Differing { in_index: true, source });
        }
        known.insert(path);
    }
    for (path, id) in theirs.into_iter().filter(|(path, _)| !known.contains(*path)) {
        found.insert(path.to_owned(), Differing { in_index: false, source: Some(id.to_owned()) });
    }
    Ok(Some(found))
}

/// The remote and its ref that a revision names once it was fetched.
fn remote_ref(
    look: &mut Look<'_>,
    source: &str,
    fetched_from: &Option<(String, String)>,
) -> Result<Option<(String, String)>, String> {
    if let Some(remote) = look.text("remote").map(str::to_owned) {
        let branch = look.text("branch").unwrap_or("HEAD").to_owned();
        return Ok(Some((remote, branch)));
    }
    if source == "FETCH_HEAD"
        && let Some((remote, branch)) = fetched_from
        && !branch.is_empty()
    {
        return Ok(Some((remote.clone(), branch.clone())));
    }
    if matches!(source, "@{upstream}" | "@{u}" | "FETCH_HEAD") {
        let Some(name) = head(look)? else { return Ok(None) };
        let branch = short(&name).to_owned();
        let remote = look.config(&format!("branch.{branch}.remote")).unwrap_or_else(|| "origin".to_owned());
        let merged = look.config(&format!("branch.{branch}.merge"));
        return Ok(Some((remote, merged.unwrap_or(name))));
    }
    let plain = source.strip_prefix("refs/remotes/").unwrap_or(source);
    let names: Vec<String> = look
        .repo
        .config(look.world)
        .iter()
        .filter_map(|(key, _)| Some(key.strip_prefix("remote.")?.strip_suffix(".url")?.to_owned()))
        .collect();
    Ok(names.into_iter().find_map(|name| {
        let branch = plain.strip_prefix(&name)?.strip_prefix('/')?;
        Some((name.clone(), format!("refs/heads/{branch}")))
    }))
}

/// `switch`, `merge`, `rebase` and their kin, which keep changes and refuse to overwrite untracked files, but not ignored ones.
///
/// # Errors
/// In words, when it cannot be told.
pub(super) fn ignored(look: &mut Look<'_>) -> Result<Outcome, String> {
    let source = look.text("source").unwrap_or("HEAD").to_owned();
    if look.has("source-unknown") {
        return any_revision(look);
    }
    let base = match look.text("base").map(str::to_owned) {
        Some(base) => Some(base),
        None if look.has("merges") && !look.has("fetches") => {
            look.ask(&["merge-base", "HEAD", &source]).ok().map(|id| id.trim().to_owned())
        }
        None => None,
    };
    if (look.has("merges") || look.has("rebases")) && !look.has("fetches") {
        // What HEAD has already brings nothing.
        let ahead = look.ask(&["rev-list", "--count", "--max-count=1", &source, "--not", "HEAD"]);
        if ahead.is_ok_and(|count| count.trim() == "0") {
            return Ok(Outcome::Refused("there is nothing to bring in".to_owned()));
        }
    }
    overwritten(look, &source, base.as_deref())
}

/// What a revision that is not known overwrites of the files that are ignored here: mostly it is a branch or a tag, and the
/// newest of them are looked at.
///
/// # Errors
/// In words, when it cannot be told.
pub(super) fn any_revision(look: &mut Look<'_>) -> Result<Outcome, String> {
    let keeps = || Ok(Outcome::Refused("switching keeps local changes, or git refuses".to_owned()));
    let ignored = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
    let top = look.repo.work_tree().map(Path::to_owned);
    let Some(top) = top else { return keeps() };
    let there = look.ask_in(&top, ignored.map(str::to_owned).to_vec());
    if there.is_ok_and(|listed| listed.is_empty()) {
        return keeps();
    }
    let newest = format!("--count={REVISIONS}");
    let words = ["for-each-ref", "--sort=-committerdate", "--format=%(objectname)", &newest];
    let listed = look.ask(&words).map_err(|error| format!("refs could not be listed: {error}"))?;
    let mut loss = Loss::default();
    let brings = look.has("merges") || look.has("rebases");
    for tip in order::set(listed.lines()) {
        // What HEAD has already brings nothing.
        let words = ["rev-list", "--count", "--max-count=1", tip, "--not", "HEAD"];
        if brings && look.ask(&words).is_ok_and(|count| count.trim() == "0") {
            continue;
        }
        if let Outcome::Loss(found) = overwritten(look, tip, None)? {
            super::clean::merge(&mut loss, found);
        }
    }
    if loss.classes.is_empty() { keeps() } else { Ok(Outcome::Loss(loss)) }
}

/// What of the files that are ignored here a revision overwrites: it tracks them, and git takes what is ignored for
/// worthless. With a base only what changed since counts.
///
/// # Errors
/// In words, when it cannot be told.
pub(super) fn overwritten(look: &mut Look<'_>, source: &str, base: Option<&str>) -> Result<Outcome, String> {
    let keeps = || Ok(Outcome::Refused("switching keeps local changes, or git refuses".to_owned()));
    let Some(top) = look.repo.work_tree().map(Path::to_owned) else { return keeps() };
    let Some(differing) = difference(look, source)? else { return keeps() };
    let mut way: Vec<(String, PathBuf)> = Vec::new();
    for (name, found) in differing.iter().filter(|(_, found)| !found.in_index) {
        let Some(id) = &found.source else { continue };
        if let Some(there) = in_the_way(look, &top, name, id) {
            way.push((name.clone(), there));
        }
    }
    let mut loss = Loss::default();
    if behind_a_filter(look, &top, &differing, &mut loss)? {
        return Ok(Outcome::Loss(loss));
    }
    if way.is_empty() {
        return keeps();
    }
    if let Some(base) = base {
        let words = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", base, source];
        if let Ok(changed) = look.ask(&words) {
            let changed = order::set(changed.split('\0'));
            way.retain(|(name, _)| changed.contains(name.as_str()));
        }
    }
    if way.len() > IN_THE_WAY {
        return Err("more files stand in the way than are looked at".to_owned());
    }
    let mut words =
        ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"].map(str::to_owned).to_vec();
    words.extend(
        way.iter().map(|(_, place)| {
            format!(":(top,literal){}", place.strip_prefix(&top).unwrap_or(place).display())
        }),
    );
    let listed =
        look.ask_in(&top, words).map_err(|error| format!("ignored files could not be listed: {error}"))?;
    let listed: BTreeSet<PathBuf> =
        listed.split('\0').filter(|name| !name.is_empty()).map(|name| top.join(name)).collect();
    for (name, place) in &way {
        // One that is not ignored makes git refuse all of it.
        if !listed.iter().any(|known| known.starts_with(place)) {
            return keeps();
        }
        match look.world.lstat(place) {
            Ok(meta) => super::clean::add(look, &mut loss, place, name, meta.kind == FileKind::Directory),
            Err(_) => loss.add(LossClass::Unseen, 0, || name.clone()),
        }
    }
    Ok(Outcome::Loss(loss))
}

/// Adds tracked files that the revision changes and of which git keeps something else than what is on disk. Whether there are.
fn behind_a_filter(
    look: &Look<'_>,
    top: &Path,
    differing: &Differences,
    loss: &mut Loss,
) -> Result<bool, String> {
    let repo = std::rc::Rc::clone(&look.repo);
    let index = repo.index(look.world)?;
    if !repo.filters(look.world, index) {
        return Ok(false);
    }
    for name in differing.iter().filter(|(_, found)| found.in_index).map(|(name, _)| name) {
        let place = top.join(name);
        let Some(entry) = index.find(name.as_bytes(), 0).and_then(|at| index.entries().get(at)) else {
            continue;
        };
        let Ok(meta) = look.world.lstat(&place) else { continue };
        // What git sees to be changed it keeps.
        if repo.unchanged(look.world, &meta, entry)
            && repo.compare(look.world, &place, &meta, entry) == FileStatus::Modified
        {
            loss.modified += 1;
            loss.add(LossClass::Lost, meta.size, || name.clone());
        }
    }
    Ok(loss.modified > 0)
}

/// What stands where a file would be written: the file itself unless it is the same, or a file where a directory has to be.
fn in_the_way(look: &Look<'_>, top: &Path, name: &str, id: &str) -> Option<PathBuf> {
    let place = top.join(name);
    for above in Path::new(name).ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
        match look.world.lstat(&top.join(above)) {
            Ok(meta) if meta.kind == FileKind::Directory => break,
            Ok(_) => return Some(top.join(above)),
            Err(_) => {}
        }
    }
    let meta = look.world.lstat(&place).ok()?;
    let same = meta.size == 0 && meta.kind == FileKind::File
        || look
            .repo
            .content_ids(look.world, &place, &meta)
            .is_ok_and(|ids| ids.iter().any(|found| hex(found) == *id));
    (!same).then_some(place)
}
