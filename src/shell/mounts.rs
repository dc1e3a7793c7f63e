//! What the command itself mounted, as far as a place then means another one.
//!
//! Owns the list of it. A mount of which it is not known whether it succeeds leaves both meanings open.

use std::path::{Path, PathBuf};

/// Mounts in the order in which they are made: a later one lies over those before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mounts(Vec<Mount>);

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mount {
    at: PathBuf,
    /// What is seen there; `None` when that is not known.
    source: Option<PathBuf>,
    /// Whoever sees the place at all sees this.
    certain: bool,
}

impl Mounts {
    /// `at` shows what stands at `source`; `None`: something that is not known.
    pub fn put(&mut self, at: PathBuf, source: Option<PathBuf>, certain: bool) {
        self.0.push(Mount { at, source, certain });
    }

    /// The places that a path may name by now; `None` where that is not known.
    pub fn places(&self, path: &Path) -> Option<Vec<PathBuf>> {
        let mut all = Vec::new();
        for mount in self.0.iter().rev() {
            let Ok(rest) = path.strip_prefix(&mount.at) else { continue };
            all.push(onto(mount.source.as_ref()?, rest));
            if mount.certain {
                return Some(all);
            }
        }
        all.push(path.to_owned());
        all.dedup();
        Some(all)
    }

    /// Whether something else is seen somewhere below a path than what stands there.
    pub fn lies_below(&self, path: &Path) -> bool {
        let other = |mount: &&Mount| mount.source.as_ref() != Some(&mount.at);
        self.0.iter().filter(other).any(|mount| mount.at != path && mount.at.starts_with(path))
    }

    /// Whether a path is in what some mount shows.
    pub fn covers(&self, path: &Path) -> bool {
        self.0.iter().any(|mount| path.starts_with(&mount.at))
    }

    /// After either of two ways: each mount may be there.
    pub fn merge(&mut self, other: &Self) {
        if self == other {
            return;
        }
        let more = other.0.iter().filter(|mount| !self.0.contains(mount)).cloned().collect::<Vec<_>>();
        self.0.extend(more);
        for mount in &mut self.0 {
            mount.certain = false;
        }
    }
}

/// `rest` below `base`.
pub(super) fn onto(base: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { base.to_owned() } else { base.join(rest) }
}
