//! Refs that an act moves or removes, their logs, and the objects that nothing else would reach.

use std::path::Path;
use std::rc::Rc;

use crate::evidence::git::changes::{Source, take_source};
use crate::evidence::git::digest::hex;
use crate::evidence::git::incoming::difference;
use crate::evidence::git::look::Look;
use crate::evidence::git::refs::{for_each_ref, head, refs, stashes};
use crate::model::Action;

use super::{AtStake, objects, stands};

/// Objects that are named one by one; beyond, all are.
const OBJECTS: usize = 20_000;
/// Commits of remotes that no branch here has, up to which they are held.
const ONLY_THERE: u64 = 1_000;
/// Where git makes refs of its own accord.
const FOLDERS: [&str; 5] = ["refs/bisect", "refs/notes", "refs/original", "refs/replace", "refs/stash"];
/// Linked working trees whose logs are kept.
const TREES: usize = 500;

/// Names what an act changes of the refs.
pub(super) fn moved(look: &mut Look<'_>, easing: bool, stake: &mut AtStake) -> Result<(), String> {
    if look.refs_are_foreign() && look.mutation.kind != "git.remote-ref" {
        stake.trees.insert(look.repo.place().common_dir.join("reftable"));
        stake.trees.insert(look.repo.place().git_dir.join("reftable"));
        stake.trees.retain(|path| look.world.lstat(path).is_ok());
        objects(look, stake);
        return Ok(());
    }
    // The words of notes name commits.
    let unnamed = ["any-ref", "all-refs", "rewrites"].iter().any(|flag| look.has(flag));
    // A remote may be set up so that what it has becomes, or takes away, branches of our own.
    let follows = look.has("fetches")
        || (look.mutation.kind.as_str(), look.mutation.action) == ("git.remote", Action::Update);
    if unnamed || look.mutation.kind == "git.note" || (follows && look.fetches_onto().is_some()) {
        return any(look, stake);
    }
    match (look.mutation.kind.as_str(), look.mutation.action) {
        ("git.config", _) => Ok(()),
        ("git.fetch", _) => fetched(look, stake),
        ("git.head", _) => {
            for name in look.names().into_iter().flatten().filter(|name| name.starts_with("refs/")) {
                one(look, &name, None, stake);
            }
            checked_out(look, stake)
        }
        ("git.branch" | "git.tag" | "git.ref", _) => named(look, stake),
        ("git.remote", _) => named(look, stake),
        ("git.stash", _) => stash(look, stake),
        ("git.remote-ref", _) => super::pushed::moved(look, easing, stake),
        ("git.commits" | "git.commit", _) => checked_out(look, stake),
        ("git.changes", _) if switches(look)? => checked_out(look, stake),
        ("git.changes", _) => {
            // Which branch is checked out may change; the branch itself stays.
            if look.has("whole") {
                stands(look, look.repo.place().git_dir.join("HEAD"), stake);
                log(look, &look.repo.place().git_dir.join("logs/HEAD"), stake);
            }
            Ok(())
        }
        // What stands in files of its own may go into one with others, and that may be taken away.
        ("git.objects" | "git.store", _) => {
            let packed = look.repo.place().common_dir.join("packed-refs");
            if look.world.lstat(&packed).is_ok() {
                stake.files.insert(packed);
            }
            all(look, stake)
        }
        _ => {
            all(look, stake)?;
            held(look, &["--reflog"], &["--not", "--all"], stake)
        }
    }
}

/// A ref's file and log; what it holds, where it stands packed with others.
fn one(look: &Look<'_>, name: &str, id: Option<&str>, stake: &mut AtStake) {
    let common = look.repo.place().common_dir.clone();
    one_in(look, &common, name, id, stake);
}

/// The same in the repository of this directory.
pub(super) fn one_in(look: &Look<'_>, common: &Path, name: &str, id: Option<&str>, stake: &mut AtStake) {
    let file = common.join(name);
    match (look.world.lstat(&file), id) {
        (Ok(_), _) => {
            stake.files.insert(file);
        }
        (Err(_), Some(id)) => {
            stake.packed.insert(file, id.to_owned());
        }
        (Err(_), None) => {
            stake.absent.insert(file);
        }
    }
    log(look, &common.join("logs").join(name), stake);
}

pub(super) fn log(look: &Look<'_>, file: &Path, stake: &mut AtStake) {
    if look.world.lstat(file).is_ok() {
        stake.written.insert(file.to_owned());
    } else {
        stake.absent.insert(file.to_owned());
    }
}

/// Refs that the act names.
fn named(look: &mut Look<'_>, stake: &mut AtStake) -> Result<(), String> {
    let gone = refs(look)?.tips;
    for (name, id) in &gone {
        one(look, name, Some(id), stake);
    }
    let known = for_each_ref(look)?;
    let folder = match look.mutation.kind.as_str() {
        "git.branch" if look.has("remote") => "refs/remotes/",
        "git.branch" => "refs/heads/",
        "git.tag" => "refs/tags/",
        "git.note" => "refs/notes/",
        _ => "refs/",
    };
    if look.mutation.action != Action::Delete {
        for name in look.names().into_iter().flatten().filter(|name| !name.starts_with("refs/")) {
            let full = format!("{folder}{name}");
            if !known.iter().any(|(known, _)| *known == full) {
                one(look, &full, None, stake);
            }
        }
        checked_out(look, stake)?;
    }
    // A branch that is moved onto another goes itself.
    if look.has("renames")
        && let Some(from) = look.text("to").map(|from| format!("refs/heads/{from}"))
        && let Some((name, id)) = known.iter().find(|(name, _)| *name == from)
    {
        one(look, name, Some(id), stake);
    }
    if matches!(look.mutation.kind.as_str(), "git.branch" | "git.remote") {
        stands(look, look.repo.place().common_dir.join("config"), stake);
    }
    if gone.is_empty() {
        return Ok(());
    }
    let tips: Vec<&str> = gone.iter().map(|(_, id)| id.as_str()).collect();
    let mut others = vec!["--not".to_owned()];
    others.extend(gone.iter().map(|(name, _)| format!("--exclude={name}")));
    others.push("--glob=refs/*".to_owned());
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    held(look, &tips, &others, stake)
}

/// The branch that is checked out, and which one that is.
fn checked_out(look: &mut Look<'_>, stake: &mut AtStake) -> Result<(), String> {
    let place = look.repo.place().clone();
    stands(look, place.git_dir.join("HEAD"), stake);
    log(look, &place.git_dir.join("logs/HEAD"), stake);
    let from = look.resolve("HEAD").map_err(|error| format!("git could not be asked: {error}"))?;
    let current = head(look)?;
    if let Some(name) = &current {
        one(look, name, from.as_deref(), stake);
    }
    let (Some(from), true) = (from, look.mutation.kind == "git.commits") else { return Ok(()) };
    let to = look.text("to").unwrap_or("HEAD").to_owned();
    let to = look.resolve(&to).map_err(|error| format!("git could not be asked: {error}"))?;
    let mut others = vec!["--not".to_owned()];
    others.extend(to);
    others.extend(current.map(|name| format!("--exclude={name}")));
    others.push("--glob=refs/*".to_owned());
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    held(look, &[&from], &others, stake)
}

fn stash(look: &mut Look<'_>, stake: &mut AtStake) -> Result<(), String> {
    let entries = stashes(look)?;
    one(look, "refs/stash", entries.first().map(String::as_str), stake);
    if look.mutation.action == Action::Create {
        // The changes are taken out by a reset, which is logged.
        log(look, &look.repo.place().git_dir.join("logs/HEAD"), stake);
        return Ok(());
    }
    if entries.is_empty() {
        return Ok(());
    }
    let tips: Vec<&str> = entries.iter().map(String::as_str).collect();
    held(look, &tips, &["--not", "--exclude=refs/stash", "--glob=refs/*"], stake)
}

/// Whether a change of files moves what is checked out too.
fn switches(look: &mut Look<'_>) -> Result<bool, String> {
    if look.has("maybe-source") {
        let mut names = look.names();
        return Ok(matches!(take_source(look, &mut names)?, Source::Switch(_)));
    }
    Ok(look.has("ignored") || look.has("abort"))
}

/// The logs of the repository and of every working tree that is linked to it.
fn logs(look: &Look<'_>, stake: &mut AtStake) {
    let place = look.repo.place();
    let trees = place.common_dir.join("worktrees");
    let linked = look.world.read_dir(&trees, TREES).unwrap_or_default();
    let linked = linked.into_iter().map(|entry| trees.join(entry.name).join("logs"));
    for logs in [place.git_dir.join("logs"), place.common_dir.join("logs")].into_iter().chain(linked) {
        if look.world.lstat(&logs).is_ok() {
            stake.written.insert(logs);
        }
    }
}

/// Every ref and log.
pub(super) fn all(look: &mut Look<'_>, stake: &mut AtStake) -> Result<(), String> {
    let place = look.repo.place().clone();
    for dir in [&place.git_dir, &place.common_dir] {
        stands(look, dir.join("HEAD"), stake);
    }
    logs(look, stake);
    for (name, id) in for_each_ref(look)? {
        one(look, &name, Some(&id), stake);
    }
    Ok(())
}

/// Every ref, where it cannot be told which one an act moves or makes; which new ones come is told by the folders.
fn any(look: &mut Look<'_>, stake: &mut AtStake) -> Result<(), String> {
    let common = look.repo.place().common_dir.clone();
    for folder in FOLDERS {
        stands(look, common.join(folder), stake);
    }
    // A remote gets another name.
    if let Some(name) = look.text("to").filter(|_| look.mutation.kind == "git.config") {
        stands(look, common.join("refs/remotes").join(name), stake);
    }
    all(look, stake)?;
    checked_out(look, stake)
}

/// What a fetch moves beside the refs that follow the remote.
fn fetched(look: &mut Look<'_>, stake: &mut AtStake) -> Result<(), String> {
    let onto = |spec: &Option<String>| {
        spec.as_deref().is_none_or(|spec| spec.contains(':') || spec.starts_with('+'))
    };
    let named = look.names().iter().skip(1).any(onto);
    if !(look.has("moves") || named || look.fetches_onto().is_some()) {
        return Ok(());
    }
    stands(look, look.repo.place().git_dir.join("FETCH_HEAD"), stake);
    any(look, stake)?;
    // What is pruned goes with its log.
    let only = ["--remotes", "--tags", "--not", "--branches"];
    let few =
        look.count(&[&["rev-list", "--count"][..], &only].concat()).is_ok_and(|count| count <= ONLY_THERE);
    if few { held(look, &only[..2], &only[2..], stake) } else { Ok(()) }
}

/// Objects that only these tips reach.
fn held(look: &mut Look<'_>, tips: &[&str], others: &[&str], stake: &mut AtStake) -> Result<(), String> {
    let mut words = vec!["rev-list", "--objects", "--ignore-missing"];
    words.extend(tips);
    words.extend(others);
    let folder = look.repo.place().common_dir.join("objects");
    let listed = match look.ask(&words) {
        Ok(listed) if listed.lines().take(OBJECTS + 1).count() <= OBJECTS => listed,
        _ => {
            objects(look, stake);
            return Ok(());
        }
    };
    listed.lines().filter_map(|line| line.split(' ').next()).for_each(|id| object(look, &folder, id, stake));
    Ok(())
}

/// The file that an object lies in, or all that hold many.
fn object(look: &Look<'_>, folder: &Path, id: &str, stake: &mut AtStake) {
    if id.len() < 3 {
        return;
    }
    let file = folder.join(&id[..2]).join(&id[2..]);
    if look.world.lstat(&file).is_ok() {
        stake.files.insert(file);
    } else {
        stake.trees.insert(folder.join("pack"));
    }
}

/// Objects that only the index names: content that is staged and not committed.
pub(super) fn staged(look: &mut Look<'_>, stake: &mut AtStake) -> Result<(), String> {
    let repo = Rc::clone(&look.repo);
    let folder = repo.place().common_dir.join("objects");
    let committed = difference(look, "HEAD")?;
    let index = repo.index(look.world)?;
    for entry in index.entries().iter().filter(|entry| entry.mode >> 12 != 0o16) {
        let name = String::from_utf8_lossy(index.path(entry));
        if committed.as_ref().is_none_or(|differing| differing.contains_key(name.as_ref())) {
            object(look, &folder, &hex(index.id(entry)), stake);
        }
    }
    Ok(())
}
