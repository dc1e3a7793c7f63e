//! Changes that lose nothing for good, and are little: setting aside what they change costs next to nothing, so `undo` takes
//! them back like any other.
//!
//! Only looks. What is made again by a tool or is temporary nobody takes back.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::knowledge::{Ease, Keep, KindFile};
use crate::model::{Assessment, FactValue, LossClass, Mutation, PathOrigin, PathSubject, Subject};

/// Things that are looked at, to see whether only names go.
pub(super) const NAMES: usize = 200;
/// Things that change, at most.
const THINGS: usize = 200;
/// Kind of what a patch changes.
const PATCH: &str = "patch.targets";
/// Bytes that are copied, at most.
const COPIED: u64 = 1 << 20;
/// Bytes that only get another name, at most: an undo may have to copy them.
const NAMED: u64 = 64 << 20;

/// Whether all that an act on files changes is there, and little.
pub(super) fn is_little(judged: &Assessment, parts: &[Keep]) -> bool {
    let Subject::Path(subject) = &judged.mutation.subject else { return false };
    if is_made_again(judged) {
        return false;
    }
    let renames = is_set(&judged.mutation, "renames");
    let rights = parts.contains(&Keep::Rights) || parts.contains(&Keep::TreeRights);
    let tree = parts.contains(&Keep::Tree) || parts.contains(&Keep::TreeRights);
    let changed = judged.evidence.changed.as_ref().filter(|_| parts.contains(&Keep::Tree));
    let mut pending = changed.cloned().unwrap_or_else(|| named(subject));
    pending.extend(subject.from.clone().filter(|_| renames));
    let below = subject.recursive || renames || tree && changed.is_none();
    fits(pending, below, rights, if renames { NAMED } else { COPIED })
}

/// Whether a thing with all below it is soon copied.
pub(super) fn is_quick(path: &Path) -> bool {
    fits(vec![path.to_owned()], true, false, COPIED)
}

/// Whether something is there, of sorts that can be kept, few things and no more bytes than these.
fn fits(mut pending: Vec<PathBuf>, below: bool, rights: bool, mut bytes: u64) -> bool {
    let mut things = 0;
    while let Some(path) = pending.pop() {
        let Ok(meta) = path.symlink_metadata() else { continue };
        let kind = meta.file_type();
        let size = if kind.is_file() && !rights { meta.size() } else { 0 };
        let Some(left) = bytes.checked_sub(size).filter(|_| things < THINGS) else { return false };
        (things, bytes) = (things + 1, left);
        if kind.is_dir() && below {
            let Ok(entries) = fs::read_dir(&path) else { return false };
            pending.extend(entries.take(THINGS + 1).filter_map(Result::ok).map(|entry| entry.path()));
        } else if !(rights || kind.is_file() || kind.is_dir() || kind.is_symlink() || kind.is_fifo()) {
            return false;
        }
    }
    things > 0
}

fn named(subject: &PathSubject) -> Vec<PathBuf> {
    subject.path.choices().unwrap_or_default().iter().map(PathBuf::from).collect()
}

fn is_made_again(judged: &Assessment) -> bool {
    let Some(loss) = &judged.evidence.loss else { return false };
    let again = [LossClass::Temporary, LossClass::Regenerable, LossClass::Packaged];
    loss.beyond || !loss.classes.is_empty() && loss.classes.keys().all(|class| again.contains(class))
}

/// Names without content that are looked at: links, pipes, directories, empty files. As many as are kept of anything else.
const EMPTY: usize = 20_000;

/// Whether no content goes with it, but names that nobody else knows: links, pipes, directories, empty files, and few further
/// names of files: of those a package manager makes thousands.
pub(super) fn is_of_names_alone(path: &Path) -> bool {
    let mut pending = vec![path.to_owned()];
    let (mut empty, mut further) = (EMPTY, NAMES);
    let mut found = false;
    while let Some(path) = pending.pop() {
        let Ok(meta) = path.symlink_metadata() else { continue };
        let kind = meta.file_type();
        let left = if kind.is_file() && meta.size() > 0 { &mut further } else { &mut empty };
        if *left == 0 || kind.is_file() && meta.size() > 0 && meta.nlink() < 2 {
            return false;
        }
        (*left, found) = (*left - 1, true);
        if kind.is_dir() {
            let Ok(entries) = std::fs::read_dir(&path) else { return false };
            pending.extend(entries.filter_map(Result::ok).map(|entry| entry.path()));
        }
    }
    found
}

/// The files that a patch names, where that is known of all.
pub(super) fn patched(mutation: &Mutation) -> Option<Vec<PathBuf>> {
    let here = mutation.kind == PATCH && !mutation.context.privileged;
    match mutation.facts.get("files").map(|fact| &fact.value) {
        Some(FactValue::Text(files)) if here => Some(files.lines().map(PathBuf::from).collect()),
        _ => None,
    }
}

/// Whether an act says this of itself.
pub(super) fn is_set(mutation: &Mutation, key: &str) -> bool {
    mutation.facts.get(key).is_some_and(|fact| fact.value != FactValue::Bool(false))
}

/// Whether something may stand in the directory that is written into.
pub(super) fn may_stand_there(subject: &Subject) -> bool {
    let Subject::Path(subject) = subject else { return true };
    let moved = matches!(subject.origin, PathOrigin::MovedFrom(_));
    moved || subject.path.choices().is_none_or(|paths| paths.iter().any(|path| Path::new(path).is_dir()))
}

/// Whether its kind says that undoing it would be work.
pub(super) fn eases(kind: &KindFile, mutation: &Mutation) -> bool {
    let says = |ease: &Ease| ease.flag.as_ref().is_none_or(|flag| is_set(mutation, flag));
    kind.ease.iter().any(|ease| ease.on == mutation.action && says(ease))
}
