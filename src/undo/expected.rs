//! Whether what stands in the way of an undo is what its own command left there, and nobody's work of later.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::keep::{Item, Was};

use super::{Step, Undo};

/// A command that still works changes something at least this often.
const PAUSE: Duration = Duration::from_secs(2);
/// Things that are looked at.
const LOOKED: usize = 5_000;

impl Undo {
    /// Whether what is replaced or taken away came there by the command that is undone: it was moved there, and goes back to
    /// its place; or nothing stood there, git laid it out, or nothing ran since (`last`), in one go with what was kept before.
    pub fn is_of_its_command(&self, last: bool) -> bool {
        let Ok(kept) = fs::metadata(self.store.file(&self.name)).and_then(|meta| meta.modified()) else {
            return false;
        };
        let mut times = Vec::new();
        for (item, step) in &self.steps {
            let replaced = match step {
                Step::Replaced => true,
                Step::Gone => false,
                _ => continue,
            };
            let Ok(now) = item.path.0.symlink_metadata() else { return false };
            if self.goes_back(&now) {
                continue;
            }
            let known = last || !replaced || self.is_laid_out(&item.path.0);
            if !known || !changes(&item.path.0, &now, &mut times) {
                return false;
            }
        }
        in_one_go(kept, times)
    }

    /// The very file comes back elsewhere.
    fn goes_back(&self, now: &Metadata) -> bool {
        let modified = (now.mtime(), u32::try_from(now.mtime_nsec()).unwrap_or(0));
        let same = |item: &Item| {
            matches!(item.was, Was::File { size, .. } if size == now.len() && now.is_file())
                && item.modified == modified
        };
        self.steps.iter().any(|(item, step)| *step == Step::Back && same(item))
    }

    /// Git's own state is kept with it.
    fn is_laid_out(&self, path: &Path) -> bool {
        let git = |item: &Item| {
            let dir = item.path.0.ancestors().find(|dir| dir.file_name() == Some(OsStr::new(".git")));
            dir.and_then(Path::parent).is_some_and(|top| path.starts_with(top))
        };
        self.steps.iter().any(|(item, _)| git(item))
    }
}

/// When a thing and all below it changed last; false where that is too much to look at.
fn changes(path: &Path, meta: &Metadata, times: &mut Vec<SystemTime>) -> bool {
    let mut pending = vec![(path.to_owned(), meta.clone())];
    while let Some((path, meta)) = pending.pop() {
        let nanoseconds = u32::try_from(meta.ctime_nsec()).unwrap_or(0);
        let Ok(seconds) = u64::try_from(meta.ctime()) else { return false };
        times.push(SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds));
        if times.len() > LOOKED {
            return false;
        }
        if !meta.is_dir() {
            continue;
        }
        let Ok(entries) = fs::read_dir(&path) else { return false };
        for entry in entries {
            let Ok((path, meta)) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?))) else {
                return false;
            };
            pending.push((path, meta));
        }
    }
    true
}

/// Whether all of this happened one soon after the other, from there on.
fn in_one_go(from: SystemTime, mut times: Vec<SystemTime>) -> bool {
    times.sort_unstable();
    let mut last = from;
    times.into_iter().all(|time| {
        let soon = time <= last + PAUSE;
        last = last.max(time);
        soon
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_works_on_without_a_long_pause() {
        let start = SystemTime::now();
        let at =
            |seconds: &[u64]| seconds.iter().map(|s| start + Duration::from_secs(*s)).collect::<Vec<_>>();
        assert!(in_one_go(start, at(&[])));
        assert!(in_one_go(start, at(&[4, 1, 2, 5])));
        assert!(in_one_go(start, vec![start - Duration::from_secs(900)]));
        assert!(!in_one_go(start, at(&[3])));
        assert!(!in_one_go(start, at(&[1, 60])));
    }
}
