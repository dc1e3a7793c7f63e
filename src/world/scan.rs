//! Directories with what `lstat` tells of each entry, by several threads where there is much to look at.
//!
//! The system takes a microsecond or two for each file, which is nearly all that a look at a big tree costs. Threads only
//! share that out: the answers are those of one thread.

use std::fs::{self, DirEntry};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::real::{entry, file_kind, look_error, meta};
use super::{Entry, FileKind, LookError, Seen};

/// More than two to four threads wait for each other inside the system.
const THREADS: usize = 4;
/// Directories whose names are read faster by one thread than it takes to start others.
const FEW_DIRECTORIES: usize = 16;
/// Entries of one directory from which on threads pay.
const MANY_ENTRIES: usize = 1024;

/// One directory, sorted by name; `share` lets several threads look at its files.
pub(super) fn one(path: &Path, limit: usize, share: bool) -> Result<Vec<Seen>, LookError> {
    let mut items = Vec::new();
    for item in fs::read_dir(path).map_err(|error| look_error(path, &error))? {
        let item = item.map_err(|error| look_error(path, &error))?;
        if items.len() >= limit {
            return Err(LookError::TooLarge);
        }
        let kind = item.file_type().map_or(FileKind::Other, |found| file_kind(&found));
        items.push((entry(&item, kind), item));
    }
    // Before the looks, while there is little to move about.
    items.sort_unstable_by(|a, b| a.0.name.cmp(&b.0.name));
    if !share || items.len() < MANY_ENTRIES {
        return Ok(items.into_iter().map(look).collect());
    }
    let mut chunks = Vec::new();
    while !items.is_empty() {
        let rest = items.split_off(items.len().min(MANY_ENTRIES / 4));
        chunks.push(Mutex::new(std::mem::replace(&mut items, rest)));
    }
    let take = |at: usize| {
        let mut chunk = chunks[at].lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *chunk).into_iter().map(look).collect::<Vec<_>>()
    };
    let mut seen = Vec::new();
    for chunk in share_out(chunks.len(), take) {
        seen.extend(chunk.ok_or_else(|| LookError::Other("a thread failed".to_owned()))?);
    }
    Ok(seen)
}

/// The names in one directory, sorted.
pub(super) fn names(path: &Path, limit: usize) -> Result<Vec<Entry>, LookError> {
    let mut entries = Vec::new();
    for item in fs::read_dir(path).map_err(|error| look_error(path, &error))? {
        let item = item.map_err(|error| look_error(path, &error))?;
        if entries.len() >= limit {
            return Err(LookError::TooLarge);
        }
        let kind = item.file_type().map_or(FileKind::Other, |found| file_kind(&found));
        entries.push(entry(&item, kind));
    }
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// The names in several directories; see [`super::World::read_dirs`].
pub(super) fn all_names(paths: &[&Path], limit: usize) -> Vec<Result<Vec<Entry>, LookError>> {
    if paths.len() < FEW_DIRECTORIES {
        return paths.iter().map(|path| names(path, limit)).collect();
    }
    let failed = || Err(LookError::Other("a thread failed".to_owned()));
    let found = share_out(paths.len(), |at| names(paths[at], limit));
    found.into_iter().map(|list| list.unwrap_or_else(failed)).collect()
}

/// Several directories; see [`super::World::scan_all`].
pub(super) fn all(paths: &[&Path], limit: usize) -> Vec<Option<Result<Vec<Seen>, LookError>>> {
    let left = AtomicUsize::new(limit);
    let scan = |at: usize| {
        let room = left.load(Ordering::Relaxed);
        match one(paths[at], room, false) {
            Err(LookError::TooLarge) => None,
            Ok(entries) => {
                let take = |left: usize| Some(left.saturating_sub(entries.len()));
                let _ = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
                Some(Ok(entries))
            }
            error => Some(error),
        }
    };
    share_out(paths.len(), scan).into_iter().map(Option::flatten).collect()
}

/// Does every piece of work once, in any order and on several threads; the results in order. `None` for a piece whose
/// thread failed.
fn share_out<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<Option<T>> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return done;
            }
            done.push((at, work(at)));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS).min(count);
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let done = thread::scope(|scope| {
        // Where no thread can be had, this one does it all.
        let helpers: Vec<_> =
            (1..threads).filter_map(|_| thread::Builder::new().spawn_scoped(scope, run).ok()).collect();
        let mut done = run();
        done.extend(helpers.into_iter().flat_map(|helper| helper.join().unwrap_or_default()));
        done
    });
    for (at, result) in done {
        results[at] = Some(result);
    }
    results
}

/// What the system tells of an entry, relative to the open directory: no walk down the whole path for every file.
fn look((mut entry, item): (Entry, DirEntry)) -> Seen {
    let found = item.metadata().map(|found| meta(&found)).map_err(|error| look_error(&item.path(), &error));
    if let Ok(meta) = &found {
        entry.kind = meta.kind;
    }
    (entry, found)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{MANY_ENTRIES, all, one};
    use crate::world::LookError;

    #[test]
    fn threads_see_what_one_thread_sees() {
        let home = tempfile::tempdir().unwrap();
        for n in 0..MANY_ENTRIES + 10 {
            std::fs::write(home.path().join(format!("f{n}")), "x").unwrap();
        }
        let alone = one(home.path(), 9999, false).unwrap();
        assert_eq!(one(home.path(), 9999, true).unwrap().len(), MANY_ENTRIES + 10);
        assert_eq!(one(home.path(), 9999, true).unwrap(), alone);
        assert_eq!(one(home.path(), MANY_ENTRIES, true), Err(LookError::TooLarge));
    }

    #[test]
    fn a_limit_holds_for_all_directories_together() {
        let home = tempfile::tempdir().unwrap();
        let dirs: Vec<PathBuf> = (0..20).map(|n| home.path().join(format!("d{n}"))).collect();
        for dir in &dirs {
            std::fs::create_dir(dir).unwrap();
            for name in ["b", "a", "c"] {
                std::fs::write(dir.join(name), name).unwrap();
            }
        }
        let missing = home.path().join("missing");
        let mut paths: Vec<&std::path::Path> = dirs.iter().map(PathBuf::as_path).collect();
        paths.push(&missing);
        let every = all(&paths, 60);
        assert!(every[..20].iter().all(|found| matches!(found, Some(Ok(entries)) if entries.len() == 3)));
        assert_eq!(every[20], Some(Err(LookError::NotFound)));
        let some = all(&paths, 10).into_iter().take(20).flatten().count();
        assert!((3..20).contains(&some), "{some}");
        assert!(all(&paths[..1], 2)[0].is_none());
    }
}
