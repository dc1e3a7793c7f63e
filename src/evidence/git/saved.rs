//! What earlier steps of the same command put into git (`git add`, `git commit`, `git stash`): content that a file loses later
//! is there still. Owns the notes and their reading.

use std::path::Path;

use super::look::Look;
use super::repository::GitRepo;
use crate::evidence::Session;
use crate::model::Saved;
use crate::world::{LookError, Query, World};

/// Facts by which an act says that it saves the work of all files below its directory.
const BELOW: [(&str, Saved); 3] = [
    ("saves-tracked", Saved::Tracked),
    ("saves-untracked", Saved::Untracked),
    ("saves-ignored", Saved::Ignored),
];

/// Notes what the act saves, if it is certain to run.
pub(super) fn note(look: &mut Look<'_>) {
    if look.mutation.context.maybe {
        return;
    }
    let common = look.repo.place().common_dir.clone();
    let Some(span) = look.mutation.span else { return };
    let act = (span, look.mutation.target.id.clone());
    if look.has("saves-paths") {
        let names = look.names();
        // One name that is not there, and git puts nothing in at all; a pattern that fits nothing is such a name.
        let there = |name: &str| {
            let excludes = [":!", ":^", ":(exclude)"].iter().any(|sign| name.starts_with(sign));
            let pattern = name.contains(['*', '?', '[', ':']) && names.len() == 1;
            excludes || pattern || look.world.lstat(&look.dir.join(name)).is_ok()
        };
        let known = !names.is_empty() && names.iter().all(|name| name.as_deref().is_some_and(there));
        if known && can_save(look) {
            let specs = look.specs(&names, &look.prefix());
            let forced = look.has("forced");
            let act = act.clone();
            let untracked = look.has("untracked-too");
            let known = |name: &str| look.repo.tracks(look.world, &look.dir.join(name)) == Ok(true);
            let tracked = names.iter().flatten().all(|name| known(name));
            look.session.git().note(&common, |done| {
                if forced {
                    done.saved_ignored.push((act.clone(), specs.clone()));
                }
                // A commit of files that git does not know fails.
                if untracked {
                    done.saved_paths.push((act, specs));
                } else if tracked {
                    done.saved_tracked.push((act, specs));
                }
            });
        }
    }
    for (fact, saved) in BELOW {
        if look.has(fact) && can_save(look) {
            let dir = look.dir.clone();
            let act = act.clone();
            look.session.git().note(&common, |done| done.saved_below.push((act, dir, saved)));
        }
    }
}

/// Whether git can put anything in: nobody else is at it, and its directory is the caller's to change.
fn can_save(look: &Look<'_>) -> bool {
    let dir = &look.repo.place().git_dir;
    look.world.lstat(&dir.join("index.lock")).is_err() && look.world.writable(dir)
}

/// Whether a file whose content no commit has is in git all the same by an earlier step of the command.
pub(in crate::evidence) fn holds(
    world: &dyn World,
    session: &mut Session,
    repo: &GitRepo,
    path: &Path,
) -> bool {
    let common = &repo.place().common_dir;
    let done = session.git().done(common);
    // What failed, or may not be over, has put nothing in.
    let cache = session.git();
    let done = done.with(&cache.saves());
    if done.saved_paths.is_empty() && done.saved_tracked.is_empty() && done.saved_below.is_empty() {
        return false;
    }
    let Some(name) = repo.work_tree().and_then(|top| path.strip_prefix(top).ok()).and_then(Path::to_str)
    else {
        return false;
    };
    let below =
        |what: Saved| done.saved_below.iter().any(|(_, dir, saved)| *saved == what && path.starts_with(dir));
    let named = done.saved_paths.iter().any(|(_, specs)| specs.matches(name));
    let by_any = named || below(Saved::Untracked);
    let ignored_too =
        below(Saved::Ignored) || done.saved_ignored.iter().any(|(_, specs)| specs.matches(name));
    let as_tracked =
        named || below(Saved::Tracked) || done.saved_tracked.iter().any(|(_, specs)| specs.matches(name));
    // Most files of a command that takes thousands are in none of these: git is not asked about each.
    if !(by_any || ignored_too || as_tracked) {
        return false;
    }
    let mut asked = |words: &[&str], name: &str| {
        let dir = repo.work_tree().unwrap_or(path).to_owned();
        let arguments = words.iter().copied().chain(["--", name]).map(str::to_owned).collect();
        world.ask(&Query::Git { dir, arguments }, session.time_left(world)).ok()
    };
    let exactly = format!(":(literal){name}");
    let in_git = match repo.tracks(world, path) {
        Ok(true) => as_tracked,
        // What is ignored is put in only where that is asked for.
        Ok(false) => {
            ignored_too
                || by_any
                    && asked(&["ls-files", "-z", "--others", "--exclude-standard"], &exactly)
                        .is_some_and(|text| !text.is_empty())
        }
        Err(_) => false,
    };
    // A filter may put something else in than what stands there.
    let plain = |text: Vec<u8>| text.ends_with(b"\0filter\0unspecified\0");
    let held = in_git
        && (!may_be_filtered(world, repo, path)
            || asked(&["check-attr", "-z", "filter"], name).is_some_and(plain));
    if held {
        session.git().note(common, |done| done.only_saved = true);
    }
    held
}

/// Whether any file of attributes speaks of a path, here or in the index.
fn may_be_filtered(world: &dyn World, repo: &GitRepo, path: &Path) -> bool {
    let Some(top) = repo.work_tree() else { return true };
    let absent = |file: &Path| matches!(world.lstat(file), Err(LookError::NotFound));
    let silent = |dir: &Path| {
        let file = dir.join(".gitattributes");
        absent(&file) && repo.tracks(world, &file) == Ok(false)
    };
    let within = |dir: &&Path| dir.starts_with(top);
    let all_silent = path.ancestors().skip(1).take_while(within).all(silent);
    !(all_silent && absent(&repo.place().common_dir.join("info/attributes")))
}
