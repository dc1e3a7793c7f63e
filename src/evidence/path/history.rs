//! What becomes of history when a repository goes with its working tree, and what files of a git directory are worth.

use std::path::{Path, PathBuf};

use crate::evidence::Session;
use crate::evidence::git::GitRepo;
use crate::model::LossClass;
use crate::text::count;
use crate::world::{Query, World};

/// What holds the content of committed files once the command ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The object store is not touched.
    Stays,
    /// It goes, but a remote has every commit.
    Pushed,
    /// It goes, and with it what no remote has; says what, in words.
    Goes(String),
}

/// Judges a repository whose object store goes. Three questions to git.
pub(super) fn fate(world: &dyn World, session: &mut Session, repo: &GitRepo) -> Fate {
    let dir = repo.place().git_dir.clone();
    let remotes = remotes(world, session, repo);
    let number = |text: Option<String>| text.and_then(|text| text.trim().parse::<u64>().ok());
    let mut words = ["rev-list", "--count", "--ignore-missing", "--all", "--not"].map(str::to_owned).to_vec();
    let mut anywhere = false;
    for (name, place) in remotes {
        match place {
            // What is said to be there cannot be looked up; a name that no machine can have is nowhere.
            Place::Elsewhere => words.push(format!("--remotes={name}")),
            // A remote that can be looked at counts for what it has, not for what was noted of it here.
            Place::Here(path) => {
                let query = Query::Git {
                    dir: path,
                    arguments: ["for-each-ref", "--format=%(objectname)"].map(str::to_owned).to_vec(),
                };
                let Ok(answer) = world.ask(&query, session.time_left(world)) else { continue };
                words.extend(String::from_utf8_lossy(&answer).lines().map(str::to_owned));
            }
            Place::Nowhere => continue,
        }
        anywhere = true;
    }
    let mut ask = |arguments: &[&str]| -> Option<String> {
        let query =
            Query::Git { dir: dir.clone(), arguments: arguments.iter().map(|a| (*a).to_owned()).collect() };
        let timeout = session.time_left(world);
        // A name that git does not know and a git that cannot be asked look alike: no answer, which proves nothing.
        world.ask(&query, timeout).ok().map(|answer| String::from_utf8_lossy(&answer).into_owned())
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some(alone) = number(ask(&words)) else {
        return Fate::Goes("its history, which could not be compared with a remote".to_owned());
    };
    let stashed = ask(&["for-each-ref", "--format=%(refname)", "refs/stash"])
        .is_some_and(|text| !text.trim().is_empty());
    if alone > 0 {
        let commits = count(alone, "commit");
        let stash = if stashed { " (stashes among them)" } else { "" };
        return Fate::Goes(format!("{commits}{stash} that no remote has"));
    }
    let Some(index) = ask(&["ls-files", "-s", "-z"]) else {
        return Fate::Goes("its history, and what is staged could not be listed".to_owned());
    };
    let staged: Vec<&str> = index.split('\0').filter_map(object_in_index).collect();
    let only_staged = !staged.is_empty() && {
        // Without a commit, or when git says nothing, all that is staged is here alone.
        let tree = ask(&["ls-tree", "-r", "-z", "HEAD"]).unwrap_or_default();
        let committed: std::collections::HashSet<&str> =
            tree.split('\0').filter_map(object_in_tree).collect();
        staged.iter().any(|object| !committed.contains(object))
    };
    if only_staged {
        return Fate::Goes("staged changes that no remote has".to_owned());
    }
    if anywhere { Fate::Pushed } else { Fate::Goes("history that no remote has".to_owned()) }
}

/// `<mode> blob <object>\t<path>`.
fn object_in_tree(line: &str) -> Option<&str> {
    line.split('\t').next()?.split(' ').nth(2)
}

/// `<mode> <object> <stage>\t<path>`.
fn object_in_index(line: &str) -> Option<&str> {
    line.split('\t').next()?.split(' ').nth(1)
}

/// Where a remote is.
enum Place {
    /// A repository on this machine that stays.
    Here(PathBuf),
    /// On another machine.
    Elsewhere,
    /// Not there, on no machine, or what is destroyed itself.
    Nowhere,
}

/// Ends of names that no machine has: they are set aside for examples and tests.
const NO_MACHINE: [&str; 3] = [".invalid", ".example", ".test"];

/// The remotes by name, and where they are.
fn remotes(world: &dyn World, session: &Session, repo: &GitRepo) -> Vec<(String, Place)> {
    let git_dir = repo.place().git_dir.as_path();
    let above = git_dir.parent().filter(|_| git_dir.ends_with(".git"));
    let base = repo.work_tree().or(above).unwrap_or(git_dir);
    repo.config(world)
        .iter()
        .filter_map(|(key, url)| Some((key.strip_prefix("remote.")?.strip_suffix(".url")?.to_owned(), url)))
        .map(|(name, url)| {
            let local = url.strip_prefix("file://").unwrap_or(url);
            let elsewhere = url.contains("://") && local == url
                || local.split('/').next().is_some_and(|s| s.contains(':'));
            if elsewhere {
                let host = url.split_once("://").map_or(url, |(_, rest)| rest);
                let host = host.split(['/', ':']).next().unwrap_or_default();
                let none = NO_MACHINE.iter().any(|end| host.ends_with(end));
                return (name, if none { Place::Nowhere } else { Place::Elsewhere });
            }
            // A place that cannot be told may be this very repository.
            let path = crate::world::git_dir::named(world, &base.join(local)).ok();
            let place = path
                .into_iter()
                .flat_map(|path| [path.clone(), path.join(".git")])
                .find(|place| crate::world::git_dir::looks_like_git(world, place) == Ok(true))
                .and_then(|place| world.canonicalize(&place).ok());
            let place = match place {
                Some(place) if place != repo.place().common_dir && !session.is_destroyed(&place) => {
                    Place::Here(place)
                }
                _ => Place::Nowhere,
            };
            (name, place)
        })
        .collect()
}

/// What a single file of a git directory is worth while the rest of it stays.
pub(super) fn internal(repo: &GitRepo, path: &Path) -> (LossClass, &'static str) {
    let place = repo.place();
    let inside =
        path.strip_prefix(&place.git_dir).or_else(|_| path.strip_prefix(&place.common_dir)).unwrap_or(path);
    let text = inside.to_string_lossy();
    let head = text.split('/').next().unwrap_or_default();
    match head {
        _ if text.ends_with(".lock") || text.ends_with(".sample") => {
            (LossClass::Regenerable, "git writes it again")
        }
        "hooks" | "config" | "config.worktree" | "lfs" | "modules" | "objects" | "info" => {
            (LossClass::Lost, "part of the repository that exists nowhere else")
        }
        "refs" | "logs" | "packed-refs" | "HEAD" | "index" | "worktrees" | "shallow" => {
            (LossClass::Snapshot, "the commits stay in the object store and `git fsck` finds them")
        }
        // `.git` in a linked working tree is a file that names the repository.
        "" | ".git" => (LossClass::Nothing, "`git worktree repair` writes it again"),
        _ if head == text => (LossClass::Regenerable, "git writes it again"),
        _ => (LossClass::Lost, "part of the repository that exists nowhere else"),
    }
}
