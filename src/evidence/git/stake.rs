//! What of a repository stands to change or go by one act, by name: for whoever sets it aside before.
//!
//! Owns no judgement. Where it cannot be told what an act reaches, everything of that sort that it may reach is named; an
//! error means that not even this can be told, and then nothing may count as set aside. The same words and rules decide
//! here as in the probes, and one look more: what an earlier step of the same command does to the repository is not
//! followed, so with several acts on one repository each is taken at its widest.

mod pushed;
mod refs;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::evidence::Session;
use crate::knowledge::Keep;
use crate::model::{Action, Mutation, Subject};
use crate::world::{FileKind, World};

use super::look::{Found, Look, find, has_fact, text_fact};
use super::{inner, made_here};

/// Directories that a command may run in that are looked at.
const DIRECTORIES: usize = 4;

/// Folders of objects, and files in them, that are few.
const FOLDERS: usize = 300;
const FEW: usize = 10_000;

/// State of one working tree that git replaces or removes as it goes: what is staged, what is under way.
const UNDER_WAY: &[&str] = &[
    "COMMIT_EDITMSG",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_RR",
    "MERGE_AUTOSTASH",
    "AUTO_MERGE",
    "SQUASH_MSG",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "BISECT_LOG",
    "BISECT_START",
    "BISECT_TERMS",
    "BISECT_NAMES",
    "BISECT_ANCESTORS_OK",
    "BISECT_EXPECTED_REV",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    "info/sparse-checkout",
];

/// One act on a repository.
#[derive(Clone, Debug)]
pub struct RepositoryAct {
    /// The act.
    pub mutation: Mutation,
    /// What of the repository its kind says it changes.
    pub parts: Vec<Keep>,
    /// Other acts of the same command come before or after it.
    pub among_others: bool,
    /// Another act of the same command may check out another branch: which one this act moves cannot be told.
    pub switched: bool,
    /// Its top, where the same command makes the repository.
    pub made: Option<PathBuf>,
}

/// What stands to change or go.
#[derive(Clone, Debug, Default)]
pub struct AtStake {
    /// Tops of the working trees and git directories that all of it lies in: what leads from there to it may go too.
    pub tops: BTreeSet<PathBuf>,
    /// Things that stand there: their names go, or lead to something new.
    pub files: BTreeSet<PathBuf>,
    /// The same with everything below.
    pub trees: BTreeSet<PathBuf>,
    /// Things with everything below that tools make again.
    pub made_again: BTreeSet<PathBuf>,
    /// Directories with names that are no text: those in them, with everything below.
    pub foreign: BTreeSet<PathBuf>,
    /// Places where nothing stands and the act puts something.
    pub absent: BTreeSet<PathBuf>,
    /// Files of a git directory that are written over in place, with everything below.
    pub written: BTreeSet<PathBuf>,
    /// Submodules in which the act goes on.
    inner: BTreeSet<PathBuf>,
    /// Files that would say the same as what stands packed in another: a ref's name, and what it holds.
    pub packed: BTreeMap<PathBuf, String>,
}

/// Looks at what one act puts at stake. At most `limit` files of a working tree are looked at. With `whole` committed files
/// are named too, or it is an error: else only what git does not have counts.
///
/// # Errors
/// In words, when it cannot be told.
pub fn at_stake(
    act: &RepositoryAct,
    limit: usize,
    whole: bool,
    world: &dyn World,
    session: &mut Session,
) -> Result<AtStake, String> {
    let Subject::Git { dir, .. } = &act.mutation.subject else {
        return Err("it is no act on a repository".to_owned());
    };
    let mut stake = AtStake::default();
    if has_fact(&act.mutation, "made") {
        return Ok(stake);
    }
    let dirs = dir.choices().ok_or("the directory that git runs in is not known")?;
    if dirs.len() > DIRECTORIES {
        return Err("git may run in more directories than are looked at".to_owned());
    }
    for dir in dirs {
        if let Some(top) = &act.made {
            made(act, (top, Path::new(dir)), world, &mut stake);
            continue;
        }
        match find(&act.mutation, Path::new(dir), world, session) {
            Found::Here(mut look) => {
                here(act, (limit, whole), &mut look, &mut stake)?;
                below(act, limit, world, session, &mut stake)?;
            }
            // Git refuses, unless this command makes one: then nothing of before is in it.
            Found::Nowhere(_) if act.mutation.kind == "git.config" => users(&act.mutation, world, &mut stake),
            Found::Nowhere(_) => {}
            Found::Unseen(reason) => return Err(reason),
        }
    }
    Ok(stake)
}

/// The same act in the submodules that it goes on in, each at its widest: what it sets them to is not looked up.
fn below(
    act: &RepositoryAct,
    limit: usize,
    world: &dyn World,
    session: &mut Session,
    stake: &mut AtStake,
) -> Result<(), String> {
    while let Some(place) = stake.inner.pop_first() {
        let mutation = inner::act(&act.mutation, &place);
        let act = RepositoryAct { mutation, among_others: true, ..act.clone() };
        match find(&act.mutation, &place, world, session) {
            Found::Here(mut look) if inner::is_there(&look, &place) => {
                here(&act, (limit, false), &mut look, stake)?;
                let dir = look.repo.place().git_dir.clone();
                for name in ["HEAD", "logs/HEAD"] {
                    stands(&look, dir.join(name), stake);
                }
            }
            Found::Here(_) | Found::Nowhere(_) => {}
            Found::Unseen(reason) => return Err(reason),
        }
    }
    Ok(())
}

/// What an act names in a directory that the same command makes a repository of: it is like any other until then.
fn made(act: &RepositoryAct, (top, dir): (&Path, &Path), world: &dyn World, stake: &mut AtStake) {
    for place in made_here::reached(&act.mutation, (top, dir)) {
        if world.lstat(&place).is_ok_and(|meta| meta.kind != FileKind::Directory) {
            stake.files.insert(place);
        } else {
            stake.trees.insert(place);
        }
    }
}

/// Acts that change nothing but what is staged or under way.
fn stages_only(look: &Look<'_>) -> bool {
    match look.mutation.kind.as_str() {
        "git.index" | "git.commit" | "git.head" => !look.has("brings"),
        "git.stash" => look.mutation.action == Action::Delete && !look.has("pop"),
        _ => false,
    }
}

fn here(
    act: &RepositoryAct,
    (limit, whole): (usize, bool),
    look: &mut Look<'_>,
    stake: &mut AtStake,
) -> Result<(), String> {
    let place = look.repo.place().clone();
    stake.tops.extend([place.git_dir.clone(), place.common_dir.clone()]);
    for part in &act.parts {
        match part {
            Keep::Work => {
                if !stages_only(look) {
                    work::changed(look, act.among_others, (limit, whole), stake)?;
                }
                if act.among_others || look.mutation.kind != "git.untracked" || look.has("sparse") {
                    under_way(look, place.git_dir.clone(), stake);
                    refs::staged(look, stake)?;
                    if look.has("trees") {
                        stands(look, place.common_dir.join("worktrees"), stake);
                    }
                    if look.has("renames") {
                        work::renamed(look, stake);
                    }
                    if look.has("unstages") {
                        refs::log(look, &place.git_dir.join("logs/HEAD"), stake);
                    }
                }
            }
            Keep::Refs => {
                refs::moved(look, whole, stake)?;
                if act.switched && look.mutation.kind != "git.remote-ref" && !look.refs_are_foreign() {
                    refs::all(look, stake)?;
                }
            }
            // For ease alone not more than is soon done.
            Keep::Objects if whole && !few_objects(look) => {}
            Keep::Objects => objects(look, stake),
            Keep::Settings if look.mutation.kind == "git.config" || says_settings(look) => {
                settings(look, stake);
            }
            Keep::Settings => {}
            Keep::Paths | Keep::Tree | Keep::Rights | Keep::TreeRights | Keep::Database => {}
        }
    }
    Ok(())
}

/// What stands at a place, or that nothing does.
fn stands(look: &Look<'_>, place: PathBuf, stake: &mut AtStake) {
    match look.world.lstat(&place) {
        Ok(_) => stake.written.insert(place),
        Err(_) => stake.absent.insert(place),
    };
}

fn under_way(look: &Look<'_>, dir: PathBuf, stake: &mut AtStake) {
    for name in UNDER_WAY {
        stands(look, dir.join(name), stake);
    }
    // Git moves a new one into the place of the old.
    let index = dir.join("index");
    if look.world.lstat(&index).is_ok() {
        stake.files.insert(index);
    } else {
        stake.absent.insert(index);
    }
    // A split index lies in two files.
    for entry in look.world.read_dir(&dir, 10_000).unwrap_or_default() {
        if entry.name.starts_with("sharedindex.") {
            stake.files.insert(dir.join(entry.name));
        }
    }
}

/// Acts on something else that write settings on the way.
fn says_settings(look: &Look<'_>) -> bool {
    look.has("sparse") || look.has("settings-too")
}

/// Whether all objects lie in few files.
fn few_objects(look: &Look<'_>) -> bool {
    let folder = look.repo.place().common_dir.join("objects");
    let Ok(below) = look.world.read_dir(&folder, FOLDERS) else { return false };
    let mut left = FEW;
    below.iter().all(|entry| match look.world.read_dir(&folder.join(&entry.name), left) {
        Ok(entries) => {
            left = left.saturating_sub(entries.len());
            true
        }
        Err(_) => entry.name.len() != 2 && entry.name != "pack",
    })
}

/// All objects: git never writes into one, it removes names.
fn objects(look: &Look<'_>, stake: &mut AtStake) {
    stake.trees.insert(look.repo.place().common_dir.join("objects"));
}

/// The repository's own settings, and the user's: which of them a command means it may say in many ways.
fn settings(look: &Look<'_>, stake: &mut AtStake) {
    let place = look.repo.place();
    for file in [place.common_dir.join("config"), place.git_dir.join("config.worktree")] {
        stands(look, file, stake);
    }
    if let Some(top) = look.repo.work_tree().filter(|_| look.has("settings-too")) {
        stake.written.extend(inner::settings(look, top).unwrap_or_default());
    }
    // What a working tree says of its submodules.
    if let Some(top) = look.repo.work_tree().filter(|_| look.has("settings-too")) {
        stands(look, top.join(".gitmodules"), stake);
    }
    users(look.mutation, look.world, stake);
}

/// The user's settings, in any repository or none, and files that variables name in their place.
fn users(mutation: &Mutation, world: &dyn World, stake: &mut AtStake) {
    let home = world.home(None).into_iter();
    let mut others: Vec<PathBuf> =
        home.flat_map(|home| [".gitconfig", ".config/git/config"].map(|name| home.join(name))).collect();
    others.extend(world.env("XDG_CONFIG_HOME").map(|dir| PathBuf::from(dir).join("git/config")));
    let named = text_fact(mutation, "config-files").unwrap_or_default();
    let Subject::Git { dir, .. } = &mutation.subject else { return };
    for dir in dir.choices().unwrap_or_default() {
        others.extend(named.lines().map(|file| Path::new(dir).join(file)));
        // In a working tree git reads such names from its top.
        let top = Path::new(dir).ancestors().find(|above| world.lstat(&above.join(".git")).is_ok());
        others.extend(top.into_iter().flat_map(|top| named.lines().map(move |file| top.join(file))));
    }
    let others = others.into_iter().map(|file| world.canonicalize(&file).unwrap_or(file));
    stake.files.extend(others.filter(|file| world.lstat(file).is_ok()));
}
