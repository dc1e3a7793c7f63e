//! What becomes of history when a repository goes with its working tree, and what files of a git directory are worth.

use std::path::{Path, PathBuf};

use crate::evidence::Session;
use crate::evidence::git::GitRepo;
use crate::evidence::text::count;
use crate::model::LossClass;
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
    let mut ask = |arguments: &[&str]| -> Option<String> {
        let query =
            Query::Git { dir: dir.clone(), arguments: arguments.iter().map(|a| (*a).to_owned()).collect() };
        let timeout = session.time_left(world);
        // A name that git does not know and a git that cannot be asked look alike: no answer, which proves nothing.
        world.ask(&query, timeout).ok().map(|answer| String::from_utf8_lossy(&answer).into_owned())
    };
    let number = |text: Option<String>| text.and_then(|text| text.trim().parse::<u64>().ok());
    let Some(alone) = number(ask(&["rev-list", "--count", "--all", "--not", "--remotes"])) else {
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
    let reachable = remote_places(world, repo).into_iter().any(|place| match place {
        Some(path) => world.lstat(&path).is_ok() && !session.is_destroyed(&path),
        None => true,
    });
    if reachable { Fate::Pushed } else { Fate::Goes("history that no remote has".to_owned()) }
}

/// `<mode> blob <object>\t<path>`.
fn object_in_tree(line: &str) -> Option<&str> {
    line.split('\t').next()?.split(' ').nth(2)
}

/// `<mode> <object> <stage>\t<path>`.
fn object_in_index(line: &str) -> Option<&str> {
    line.split('\t').next()?.split(' ').nth(1)
}

/// Where the remotes are: a path on this machine, or `None` for another machine.
fn remote_places(world: &dyn World, repo: &GitRepo) -> Vec<Option<PathBuf>> {
    repo.config(world)
        .iter()
        .filter(|(key, _)| key.starts_with("remote.") && key.ends_with(".url"))
        .map(|(_, url)| {
            let local = url.strip_prefix("file://").unwrap_or(url);
            let elsewhere = url.contains("://") && local == url
                || local.split('/').next().is_some_and(|s| s.contains(':'));
            let git_dir = repo.place().git_dir.as_path();
            let above = git_dir.parent().filter(|_| git_dir.ends_with(".git"));
            let base = repo.work_tree().or(above).unwrap_or(git_dir);
            (!elsewhere).then(|| crate::world::git_dir::normalise(&base.join(local)))
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
