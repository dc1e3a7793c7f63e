//! Doing what was prepared: names change places, and change back when one of them cannot.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{self, Seek};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::keep::{Item, Progress, Was, names};

use super::Step;
use super::dirs::{Dir, Dirs, split};
use super::kept::Kept;
use super::rights;
use super::stage::{Act, Failed, Stage};

/// What a change of names left, so that it can be taken back.
enum Changed {
    /// What stood there has the name of what was made.
    Exchanged,
    /// Nothing stood there.
    Placed,
    /// What stood there was moved aside.
    Aside,
}

/// Does everything. Each failure with its path; with a failure among the names nothing is changed.
pub(super) fn all(stage: &Stage<'_>, kept: &Kept) -> Vec<Failed> {
    let mut dirs = Dirs::default();
    let mut done: Vec<(&Act<'_>, Changed)> = Vec::new();
    for act in &stage.acts {
        match change(act, &mut dirs) {
            Ok(Some(changed)) => done.push((act, changed)),
            Ok(None) => {}
            Err(error) => {
                let mut failed = vec![(act.item().path.0.clone(), error.to_string())];
                for (act, changed) in done.into_iter().rev() {
                    if let Err(error) = back(act, &changed, &mut dirs) {
                        failed.push((act.item().path.0.clone(), error.to_string()));
                    }
                }
                return failed;
            }
        }
    }
    let mut failed = Vec::new();
    for act in &stage.acts {
        let wrong = match act {
            Act::Rewrite(item) => rewrite(item, kept, &stage.progress, &mut dirs),
            Act::Rights(item) => at(item, &mut dirs).and_then(|(dir, name)| rights::give(item, &dir, name)),
            Act::Place { .. } | Act::Remove { .. } => continue,
        };
        if let Err(error) = wrong {
            failed.push((act.item().path.0.clone(), error.to_string()));
        }
    }
    failed.extend(clear(&done, &mut dirs));
    failed
}

fn at<'a>(item: &'a Item, dirs: &mut Dirs) -> io::Result<(std::rc::Rc<Dir>, &'a std::ffi::OsStr)> {
    let (parent, name) = split(&item.path.0)?;
    Ok((dirs.open(parent)?, name))
}

fn change(act: &Act<'_>, dirs: &mut Dirs) -> io::Result<Option<Changed>> {
    match act {
        Act::Place { item, made, over: false } => {
            let (dir, name) = at(item, dirs)?;
            dir.rename_new(made, name)?;
            Ok(Some(Changed::Placed))
        }
        Act::Place { item, made, over: true } => {
            let (dir, name) = at(item, dirs)?;
            if dir.exchange(made, name)? {
                return Ok(Some(Changed::Exchanged));
            }
            let mut aside = made.clone();
            aside.push("-old");
            dir.rename_new(name, &aside)?;
            dir.rename_new(made, name).inspect_err(|_| {
                let _ = dir.rename_new(&aside, name);
            })?;
            Ok(Some(Changed::Aside))
        }
        Act::Remove { item, aside } => {
            let (dir, name) = at(item, dirs)?;
            dir.rename_new(name, aside)?;
            Ok(Some(Changed::Aside))
        }
        Act::Rewrite(_) | Act::Rights(_) => Ok(None),
    }
}

/// Takes a change of names back.
fn back(act: &Act<'_>, changed: &Changed, dirs: &mut Dirs) -> io::Result<()> {
    let (dir, name) = at(act.item(), dirs)?;
    match (act, changed) {
        (Act::Place { made, .. }, Changed::Exchanged) => dir.exchange(made, name).map(|_| ()),
        (Act::Place { made, .. }, Changed::Placed) => dir.rename_new(name, made),
        (Act::Place { made, .. }, Changed::Aside) => {
            let mut aside = made.clone();
            aside.push("-old");
            dir.rename_new(name, made)?;
            dir.rename_new(&aside, name)
        }
        (Act::Remove { aside, .. }, _) => dir.rename_new(aside, name),
        _ => Ok(()),
    }
}

/// Takes away what was replaced; it is kept.
fn clear(done: &[(&Act<'_>, Changed)], dirs: &mut Dirs) -> Vec<Failed> {
    let mut failed = Vec::new();
    for (act, changed) in done {
        let cleared = at(act.item(), dirs).and_then(|(dir, _)| match (act, changed) {
            (Act::Place { made, .. }, Changed::Exchanged) => dir.remove(made),
            (Act::Place { made, .. }, Changed::Aside) => {
                let mut aside = made.clone();
                aside.push("-old");
                dir.remove(&aside)
            }
            (Act::Remove { aside, .. }, _) => dir.remove(aside),
            _ => Ok(()),
        });
        if let Err(error) = cleared {
            failed
                .push((act.item().path.0.clone(), format!("what stood there could not be removed: {error}")));
        }
    }
    failed
}

/// Writes into the very file, so that its other names lead to the same again.
fn rewrite(item: &Item, kept: &Kept, progress: &Progress, dirs: &mut Dirs) -> io::Result<()> {
    let Was::File { content, size, .. } = &item.was else { return Ok(()) };
    let (dir, name) = at(item, dirs)?;
    let thing = dir.thing(name)?.ok_or(io::ErrorKind::NotFound)?;
    let itself = kept.itself(&item.was).map(|(_, meta)| (meta.dev(), meta.ino()));
    if itself != Some((thing.meta.dev(), thing.meta.ino())) {
        return Err(io::Error::other("something else stands there by now: try again"));
    }
    let (path, _) = thing.reached();
    let mode = thing.meta.mode() & 0o7777;
    if mode & 0o200 == 0 {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode | 0o200))?;
    }
    let mut file = OpenOptions::new().write(true).open(&path)?;
    file.set_len(0)?;
    file.rewind()?;
    progress.file();
    kept.write(content, *size, &mut file, progress)?;
    file.sync_all()?;
    rights::give(item, &dir, name)
}

/// Gives directories their times back where the same names stand in them as before, and brings all names to the disk.
pub(super) fn finish(steps: &[(Item, Step)], stage: &Stage<'_>, times: &BTreeMap<PathBuf, (i64, u32)>) {
    let mut dirs = Dirs::default();
    let changed: BTreeSet<&Path> = stage
        .acts
        .iter()
        .filter(|act| matches!(act, Act::Place { over: false, .. } | Act::Remove { .. }))
        .filter_map(|act| act.item().path.0.parent())
        .collect();
    for (path, time) in times.iter().filter(|(path, _)| !changed.contains(path.as_path())) {
        set(&mut dirs, path, *time);
    }
    // From the inside out.
    for (item, _) in steps.iter().rev() {
        if matches!(item.was, Was::Directory | Was::Around)
            && item.names.is_some()
            && names(&item.path.0) == item.names
        {
            set(&mut dirs, &item.path.0, item.modified);
        }
    }
    for path in times.keys() {
        if let Ok(dir) = dirs.open(path) {
            let _ = dir.sync();
        }
    }
}

/// A time that cannot be set is no loss.
fn set(dirs: &mut Dirs, path: &Path, time: (i64, u32)) {
    if let Ok((parent, name)) = split(path)
        && let Ok(dir) = dirs.open(parent)
        && let Ok(Some(thing)) = dir.thing(name)
        && thing.meta.is_dir()
        && rights::modified(&thing) != time
    {
        let _ = dir.touch(name, time);
    }
}

/// When the directories changed last in which something will.
pub(super) fn times(steps: &[(Item, Step)]) -> BTreeMap<PathBuf, (i64, u32)> {
    let mut found = BTreeMap::new();
    for (item, _) in steps.iter().filter(|(_, step)| *step != Step::Same) {
        if let Some(parent) = item.path.0.parent()
            && !found.contains_key(parent)
            && let Ok(meta) = std::fs::symlink_metadata(parent)
            && meta.is_dir()
        {
            found.insert(parent.to_owned(), (meta.mtime(), u32::try_from(meta.mtime_nsec()).unwrap_or(0)));
        }
    }
    found
}
