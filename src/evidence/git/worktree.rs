//! Other trees that git removes or writes: linked working trees and submodules (without force, what is changed or new in them
//! makes it refuse, and what they ignore goes), and files of the index under other names.

use std::path::{Path, PathBuf};

use crate::model::{Evidence, Loss, LossClass};
use crate::text::list;
use crate::world::resolve::logical;
use crate::world::{FileKind, git_dir};

use super::changes::Outcome;
use super::clean;
use super::look::Look;
use super::probe::{outcome, say};
use super::repository::FileStatus;

/// Working trees of a repository that are looked through for a name.
const TREES: usize = 500;

/// A working tree goes; where nothing else is lost, what only it had checked out is told.
pub(super) fn goes(look: &mut Look<'_>, evidence: &mut Evidence) {
    let found = removed(look);
    let harmless = matches!(&found, Ok(Outcome::Loss(loss)) if loss.worst() <= LossClass::Regenerable);
    let unnamed = unnamed(look).filter(|_| matches!(found, Ok(Outcome::Loss(_))));
    outcome(found, evidence, "removed");
    if let Some(what) = unnamed {
        let common = look.repo.place().common_dir.clone();
        if harmless {
            say(
                evidence,
                "snapshot",
                &format!("{what} stays as an object that nothing names until git prunes it"),
            );
        }
        look.session.git().note(&common, |done| done.dropped.push(what));
    }
}

/// What goes with a working tree that `git worktree remove` takes away.
///
/// # Errors
/// In words, when that cannot be told.
fn removed(look: &mut Look<'_>) -> Result<Outcome, String> {
    let forced = look.has("force");
    let mut loss = Loss::default();
    for name in look.names() {
        let Some(name) = name else { return Err("which working tree is removed is not known".to_owned()) };
        let Some(place) = place(look, &name)? else {
            return Ok(Outcome::Refused(format!("{name} is no working tree")));
        };
        let tree = git_dir::locate(look.world, &place).map_err(|error| error.to_string())?;
        let Some(tree) = tree.filter(|tree| tree.git_dir != tree.common_dir) else {
            return Ok(Outcome::Refused(format!("{name} is no linked working tree")));
        };
        let unlocked = look.session.git().done(&tree.common_dir).unlocked || look.has("locked-too");
        if !unlocked && look.world.lstat(&tree.git_dir.join("locked")).is_ok() {
            return Ok(Outcome::Refused("git refuses to remove a locked working tree".to_owned()));
        }
        if forced {
            clean::add(look, &mut loss, &place, &name, true);
        } else {
            ignored_in(look, &mut loss, &place)?;
        }
    }
    Ok(Outcome::Loss(loss))
}

/// What only detached HEADs of the trees that go reach: their logs go too, and nothing names it any more.
fn unnamed(look: &mut Look<'_>) -> Option<String> {
    let mut found = Vec::new();
    for name in look.names().into_iter().flatten() {
        let tree = git_dir::locate(look.world, &place(look, &name).ok()??).ok()??;
        let head = look.world.read_file(&tree.git_dir.join("HEAD"), 4096).ok()?;
        let head = String::from_utf8_lossy(&head).trim().to_owned();
        if head.len() < 40 || !head.chars().all(|c| c.is_ascii_hexdigit()) {
            continue;
        }
        let words = ["rev-list", "--count", "--ignore-missing", &head, "--not", "--glob=refs/*", "HEAD"];
        if look.count(&words).is_ok_and(|only| only > 0) {
            found.push(format!("commit {} of its detached HEAD", &head[..12]));
        }
    }
    (!found.is_empty()).then(|| list(&found))
}

/// Where a working tree stands: at the path, or where the end of a path that git knows is what was said.
pub(super) fn place(look: &Look<'_>, name: &str) -> Result<Option<PathBuf>, String> {
    if let Ok(place) = look.world.canonicalize(&look.dir.join(name)) {
        return Ok(Some(place));
    }
    let trees = look.repo.place().common_dir.join("worktrees");
    let entries = look.world.read_dir(&trees, TREES).unwrap_or_default();
    let tops = entries.iter().filter_map(|entry| {
        let text = look.world.read_file(&trees.join(&entry.name).join("gitdir"), 4096).ok()?;
        PathBuf::from(String::from_utf8_lossy(&text).trim()).parent().map(Path::to_owned)
    });
    let found: Vec<PathBuf> = tops.filter(|top| top.ends_with(name)).collect();
    Ok(<[PathBuf; 1]>::try_from(found).ok().map(|[place]| place))
}

/// What files of the index take the place of when they are written under other names: each with `prefix` in front, counted
/// from the top.
///
/// # Errors
/// In words, when that cannot be told.
pub(super) fn exported(look: &mut Look<'_>, top: &Path, prefix: &str) -> Result<Outcome, String> {
    let (names, within) = (look.names(), look.prefix());
    let specs = look.specs(&names, &within);
    let repo = std::rc::Rc::clone(&look.repo);
    let index = repo.index(look.world)?;
    let (mut loss, mut last): (Loss, &[u8]) = (Loss::default(), b"");
    for (number, entry) in index.entries().iter().enumerate() {
        let path = index.path(entry);
        if path == last {
            continue;
        }
        last = path;
        if number % 1024 == 1023 && !look.session.in_time(look.world) {
            loss.truncated = true;
            loss.add(LossClass::Unseen, 0, || "the rest".to_owned());
            break;
        }
        let name = String::from_utf8_lossy(path);
        if !specs.matches(&name) {
            continue;
        }
        let place = top.join(format!("{prefix}{name}"));
        // Git makes directories that are missing, so that `new/../` leads back as well.
        let place = look.world.canonicalize(&place).unwrap_or_else(|_| logical(&place));
        let Ok(meta) = look.world.lstat(&place) else { continue };
        let same = meta.kind == FileKind::File
            && repo.compare(look.world, &place, &meta, entry) == FileStatus::Clean;
        if !same {
            clean::add(look, &mut loss, &place, &name, meta.kind == FileKind::Directory);
        }
    }
    Ok(Outcome::Loss(loss))
}

/// Adds what git ignores below the top of another working tree.
///
/// # Errors
/// In words, when that cannot be listed.
pub(super) fn ignored_in(look: &mut Look<'_>, loss: &mut Loss, place: &Path) -> Result<(), String> {
    if !look.world.lstat(&place.join(".git")).is_ok_and(|meta| meta.kind == FileKind::File) {
        return Ok(());
    }
    let words = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
    let listed = look
        .ask_in(place, words.map(str::to_owned).to_vec())
        .map_err(|error| format!("ignored files could not be listed: {error}"))?;
    for name in listed.split('\0').filter(|name| !name.is_empty()) {
        if !look.session.in_time(look.world) {
            loss.truncated = true;
            loss.add(LossClass::Unseen, 0, || "the rest".to_owned());
            break;
        }
        clean::add(look, loss, &place.join(name.trim_end_matches('/')), name, name.ends_with('/'));
    }
    Ok(())
}
