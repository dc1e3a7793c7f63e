//! What a push changes in a repository on this machine: its refs and their logs, the names by which they are followed here,
//! and the working tree of one that takes over what is pushed to its branch.

use std::path::Path;

use crate::evidence::git::look::Look;
use crate::evidence::git::push::{self, Moved};
use crate::evidence::git::refs::for_each_ref;
use crate::world::git_dir::{self, Config};

use super::{AtStake, refs, stands, under_way};

/// Files of a working tree that a push may write, at most.
const FILES: usize = 5_000;

/// Names what a push changes. With `easing` no commit is lost by it, and the objects stay where they are.
pub(super) fn moved(look: &mut Look<'_>, easing: bool, stake: &mut AtStake) -> Result<(), String> {
    let Some((remote, place)) = push::local_remote(look)? else {
        return Err("what a remote on another machine holds is not set aside".to_owned());
    };
    stake.tops.insert(place.clone());
    if look.world.lstat(&place.join("reftable")).is_ok() {
        stake.trees.insert(place.join("reftable"));
    }
    let logs = place.join("logs");
    if look.world.lstat(&logs).is_ok() {
        stake.written.insert(logs);
    }
    let moves = push::moves(look, &place)?;
    for one in &moves {
        refs::one_in(look, &place, &one.name, one.old.as_deref(), stake);
    }
    followed(look, &remote, &moves, stake)?;
    taken_over(look, &place, &moves, stake)?;
    if !easing {
        stake.trees.insert(place.join("objects"));
    }
    Ok(())
}

/// The names under which a remote's branches stand here move along.
fn followed(look: &mut Look<'_>, remote: &str, moves: &[Moved], stake: &mut AtStake) -> Result<(), String> {
    if look.config(&format!("remote.{remote}.url")).is_none() {
        return Ok(());
    }
    let ours = for_each_ref(look)?;
    for branch in moves.iter().filter_map(|one| one.name.strip_prefix("refs/heads/")) {
        let tracking = format!("refs/remotes/{remote}/{branch}");
        let known = ours.iter().find(|(name, _)| *name == tracking).map(|(_, id)| id.clone());
        let common = look.repo.place().common_dir.clone();
        refs::one_in(look, &common, &tracking, known.as_deref(), stake);
    }
    Ok(())
}

/// A repository that says so lays out what is pushed to the branch that is checked out there.
fn taken_over(look: &mut Look<'_>, place: &Path, moves: &[Moved], stake: &mut AtStake) -> Result<(), String> {
    let Ok(Some(there)) = git_dir::at(look.world, place, None, place.parent()) else { return Ok(()) };
    let config = Config::load(look.world, Some(&there));
    let takes = config
        .get("receive.denyCurrentBranch")
        .is_some_and(|value| value.eq_ignore_ascii_case("updateInstead"));
    let Some(top) = there.work_tree.clone().filter(|_| takes) else { return Ok(()) };
    let head = look.world.read_file(&there.git_dir.join("HEAD"), 4096).unwrap_or_default();
    let head = String::from_utf8_lossy(&head).trim().strip_prefix("ref: ").map(str::to_owned);
    let Some(new) = moves.iter().find(|one| Some(&one.name) == head.as_ref()) else { return Ok(()) };
    let list = |look: &mut Look<'_>, dir: &Path, words: &[&str]| {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let listed = look.ask_in(dir, words);
        listed.map_err(|error| format!("the files of {} could not be listed: {error}", dir.display()))
    };
    let mut names = list(look, &top, &["ls-files", "-z"])?;
    if let Some(new) = &new.new {
        let dir = look.dir.clone();
        names.push_str(&list(look, &dir, &["ls-tree", "-r", "-z", "--name-only", "--full-tree", new])?);
    }
    let names: Vec<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
    if names.len() > FILES || names.iter().any(|name| name.contains('\u{fffd}')) {
        return Err(format!("the files of {} are too many to be set aside", top.display()));
    }
    stake.tops.insert(top.clone());
    for name in names {
        stands(look, top.join(name), stake);
    }
    under_way(look, there.git_dir, stake);
    Ok(())
}
