//! Files of a working tree that an act may overwrite, remove or make.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::evidence::git::changes::{Source, take_source};
use crate::evidence::git::incoming::difference;
use crate::evidence::git::index::IndexEntry;
use crate::evidence::git::inner;
use crate::evidence::git::look::Look;
use crate::evidence::git::pathspec::Pathspecs;
use crate::evidence::git::worktree;
use crate::evidence::path::uncommitted;
use crate::model::Action;
use crate::world::resolve::logical;
use crate::world::{FileKind, LookError, git_dir};

use super::AtStake;

/// Files that a repository tracks, beyond which those that are committed as they stand are not named where it cannot be told
/// which of them an act rewrites: git itself has them.
const COMMITTED_LIMIT: usize = 5_000;

/// What an act reaches.
struct Reach {
    /// Paths.
    specs: Pathspecs,
    /// Revisions whose files it puts there.
    sources: Vec<String>,
    /// Tracked files go whatever they hold.
    removes: bool,
    /// Files that git does not track go too.
    untracked: bool,
    /// Tracked files that are changed stay as they are.
    only_untracked: bool,
    /// Repositories in the working tree go too.
    nested: bool,
    /// It cannot be told which committed files are rewritten.
    wide: bool,
}

/// Names what an act changes of the working tree.
pub(super) fn changed(
    look: &mut Look<'_>,
    among_others: bool,
    (limit, whole): (usize, bool),
    stake: &mut AtStake,
) -> Result<(), String> {
    let Some(top) = look.repo.work_tree().map(Path::to_owned) else { return Ok(()) };
    if look.mutation.kind == "git.worktree" {
        return linked(look, stake);
    }
    let reach = reach(look, among_others)?;
    stake.tops.insert(top.clone());
    if let Some(prefix) = look.text("prefix").map(str::to_owned) {
        return exported(look, &top, &prefix, stake);
    }
    let mut wide = reach.wide;
    for source in &reach.sources {
        wide |= !coming(look, &top, source, &reach, stake)?;
    }
    tracked(look, &top, &reach, (wide, whole), stake)?;
    if reach.untracked || wide {
        untracked(look, &top, &reach, limit, stake)?;
    }
    Ok(())
}

fn reach(look: &mut Look<'_>, among_others: bool) -> Result<Reach, String> {
    let kind = look.mutation.kind.clone();
    let mut names = look.names();
    let mut whole = look.has("whole") || look.has("ignored");
    let mut sources: Vec<String> = look.text("source").map(str::to_owned).into_iter().collect();
    // What a fetch brings, or what other steps do before, is not known yet.
    let mut wide = among_others || look.has("source-unknown") || look.has("fetches") || look.has("sparse");
    let mut untracked = false;
    match (kind.as_str(), look.mutation.action) {
        ("git.untracked", _) => untracked = true,
        ("git.stash", Action::Create) => {
            sources.push("HEAD".to_owned());
            untracked =
                !look.has("saves-tracked") || look.has("saves-untracked") || look.has("saves-ignored");
        }
        ("git.stash", _) => {
            whole = true;
            let entry = names.first().cloned().unwrap_or_else(|| Some("stash@{0}".to_owned()));
            match entry {
                Some(name) if name.parse::<u32>().is_ok() => sources.push(format!("stash@{{{name}}}")),
                Some(name) => sources.push(name),
                None => wide = true,
            }
            names.clear();
        }
        ("git.changes", _) if look.has("maybe-source") => match take_source(look, &mut names)? {
            Source::Paths => {}
            Source::From(revision) => sources.push(revision),
            Source::Switch(revision) => {
                whole = true;
                sources.push(revision);
            }
        },
        ("git.changes", _) => {}
        _ => {
            whole = true;
            wide |= look.has("rebase");
            match look.text("to") {
                Some(to) => sources.push(to.to_owned()),
                None => wide = true,
            }
        }
    }
    if whole && sources.is_empty() {
        sources.push("HEAD".to_owned());
    }
    let prefix = if whole { String::new() } else { look.prefix() };
    let names = if whole { Vec::new() } else { names };
    Ok(Reach {
        specs: Pathspecs::read(&names, &prefix),
        sources,
        removes: look.has("removes"),
        untracked,
        only_untracked: kind == "git.untracked",
        nested: look.has("nested") || look.has("removes"),
        wide,
    })
}

/// Where a revision differs from the index: what stands there is replaced or goes. `false` when there is no such revision
/// now, or not all of it could be read.
fn coming(
    look: &mut Look<'_>,
    top: &Path,
    source: &str,
    reach: &Reach,
    stake: &mut AtStake,
) -> Result<bool, String> {
    let Some(found) = difference(look, source)? else { return Ok(false) };
    for (name, differing) in found {
        if !reach.specs.matches(&name) {
            continue;
        }
        // Git's answer was no text here.
        if name.contains('\u{fffd}') {
            return Ok(false);
        }
        put(look, top, &top.join(&name), differing.source.is_some(), stake)?;
    }
    Ok(true)
}

/// Something is put at a place, or taken away there.
fn put(look: &Look<'_>, top: &Path, place: &Path, comes: bool, stake: &mut AtStake) -> Result<(), String> {
    match look.world.lstat(place) {
        Ok(meta) if meta.kind == FileKind::Directory => stake.trees.insert(place.to_owned()),
        Ok(_) => stake.files.insert(place.to_owned()),
        Err(LookError::NotFound) if comes => {
            in_the_way(look, top, place, stake);
            stake.absent.insert(place.to_owned())
        }
        Err(LookError::NotFound) => false,
        Err(error) => return Err(format!("{} could not be looked at: {error}", place.display())),
    };
    Ok(())
}

/// A file that stands where a directory has to be.
fn in_the_way(look: &Look<'_>, top: &Path, place: &Path, stake: &mut AtStake) {
    for above in place.ancestors().skip(1).take_while(|above| above.starts_with(top) && *above != top) {
        match look.world.lstat(above) {
            Ok(meta) if meta.kind == FileKind::Directory => return,
            Ok(_) => {
                stake.files.insert(above.to_owned());
                return;
            }
            Err(_) => {}
        }
    }
}

/// Files that the index knows: those that are not as it has them, and with `wide` all.
fn tracked(
    look: &mut Look<'_>,
    top: &Path,
    reach: &Reach,
    (wide, whole): (bool, bool),
    stake: &mut AtStake,
) -> Result<(), String> {
    if reach.only_untracked && !wide {
        return Ok(());
    }
    let repo = Rc::clone(&look.repo);
    let index = repo.index(look.world)?;
    let fits = index.entries().len() <= COMMITTED_LIMIT;
    if wide && whole && !fits {
        return Err("which of very many files are rewritten cannot be told".to_owned());
    }
    let all = reach.removes || wide && fits;
    for entry in index.entries() {
        let bytes = index.path(entry);
        if !wide && std::str::from_utf8(bytes).is_ok_and(|name| !reach.specs.matches(name)) {
            continue;
        }
        let place = top.join(std::ffi::OsStr::from_bytes(bytes));
        one(look, top, &place, entry, all, reach.removes, stake)?;
    }
    Ok(())
}

fn one(
    look: &Look<'_>,
    top: &Path,
    place: &Path,
    entry: &IndexEntry,
    all: bool,
    removes: bool,
    stake: &mut AtStake,
) -> Result<(), String> {
    let submodule = inner::is_one(entry);
    match look.world.lstat(place) {
        // A submodule's content is left alone unless it is removed; a directory that took a file's place goes.
        Ok(meta) if meta.kind == FileKind::Directory => {
            if removes || !submodule {
                stake.trees.insert(place.to_owned());
            } else if inner::goes_on(look) {
                stake.inner.insert(place.to_owned());
            }
            if removes && submodule {
                put(look, top, &top.join(".gitmodules"), false, stake)?;
            }
            Ok(())
        }
        Ok(meta) if !all && look.repo.unchanged(look.world, &meta, entry) => Ok(()),
        Ok(_) | Err(LookError::NotFound) => put(look, top, place, !entry.skip_worktree, stake),
        Err(error) => Err(format!("{} could not be looked at: {error}", place.display())),
    }
}

/// Files that git does not track, but what tools make again.
fn untracked(
    look: &mut Look<'_>,
    top: &Path,
    reach: &Reach,
    limit: usize,
    stake: &mut AtStake,
) -> Result<(), String> {
    let found = uncommitted(top, limit, &|_, _| false, look.world, look.session);
    if !found.whole {
        return Err(format!("not all of {} could be looked at", top.display()));
    }
    let meant = |path: &Path| match path.strip_prefix(top).map(Path::to_str) {
        Ok(Some(name)) => reach.wide || name.is_empty() || reach.specs.matches(name),
        _ => true,
    };
    stake.files.extend(found.files.into_iter().filter(|path| meant(path)));
    stake.foreign.extend(found.foreign);
    if look.has("ignored") || look.has("saves-ignored") {
        stake.made_again.extend(found.made_again.into_iter().filter(|path| meant(path)));
    }
    // A bare repository is a directory like any other to git.
    let going = |path: &PathBuf| path != top && meant(path) && (reach.nested || !path.join(".git").exists());
    stake.trees.extend(found.nested.into_iter().filter(going));
    Ok(())
}

/// Working trees that are linked to this repository go whole, and what the repository knows of them.
fn linked(look: &mut Look<'_>, stake: &mut AtStake) -> Result<(), String> {
    for name in look.names() {
        let name = name.ok_or("which working tree is removed is not known")?;
        let Some(place) = worktree::place(look, &name)? else { continue };
        if let Some(tree) = git_dir::locate(look.world, &place).map_err(|error| error.to_string())?
            && tree.git_dir != tree.common_dir
        {
            // It is moved: what it is called then is free, or a directory that it goes into.
            if let Some(to) = look.text("to").map(|to| logical(&look.dir.join(to))) {
                let into = place.file_name().filter(|_| look.world.lstat(&to).is_ok());
                let to = into.map_or(to.clone(), |name| to.join(name));
                if look.world.lstat(&to).is_err() {
                    stake.absent.insert(to);
                }
            }
            stake.trees.extend([place, tree.git_dir]);
        }
    }
    Ok(())
}

/// Files of the index are written below a prefix, over what stands there.
fn exported(look: &mut Look<'_>, top: &Path, prefix: &str, stake: &mut AtStake) -> Result<(), String> {
    let repo = Rc::clone(&look.repo);
    let index = repo.index(look.world)?;
    let specs = Pathspecs::read(&look.names(), &look.prefix());
    let mut places: BTreeSet<PathBuf> = BTreeSet::new();
    for entry in index.entries() {
        let name = std::str::from_utf8(index.path(entry)).map_err(|_| "a name is no text".to_owned())?;
        if specs.matches(name) {
            places.insert(top.join(format!("{prefix}{name}")));
        }
    }
    places.iter().try_for_each(|place| put(look, top, place, true, stake))
}

/// Files and directories get other names, the last of those that are told or below it.
pub(super) fn renamed(look: &Look<'_>, stake: &mut AtStake) {
    let places: Vec<PathBuf> =
        look.names().into_iter().flatten().map(|name| logical(&look.dir.join(name))).collect();
    let Some((to, from)) = places.split_last() else { return };
    stake.tops.extend(look.repo.work_tree().map(Path::to_owned));
    let into = look.world.lstat(to).is_ok_and(|meta| meta.kind == FileKind::Directory);
    for place in from {
        let to = place.file_name().filter(|_| into).map_or(to.clone(), |name| to.join(name));
        if look.world.lstat(&to).is_err() {
            stake.absent.insert(to);
        }
        // A submodule says where it stands, in two places.
        for settings in inner::settings(look, place).unwrap_or_default() {
            stake.written.insert(settings);
            stake.written.extend(look.repo.work_tree().map(|top| top.join(".gitmodules")));
        }
        stake.trees.insert(place.clone());
    }
}
