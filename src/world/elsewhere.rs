//! A machine that is not this one, or of which that is not known: whatever is asked of it cannot be told.
//!
//! Owns the one place where "it may run anywhere" is turned into missing evidence. Nothing of the machine that judges
//! comes through: no file, no name, no variable, no user, so nothing of it can be taken for a fact or be disclosed.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{Entry, LookError, Meta, Query, Seen, World};

/// Stands for the home directory of whoever runs it: paths below it can be told from others, and nothing is called so.
pub const SOMEBODYS_HOME: &str = "/~";

/// The world as seen from a machine that need not be the one on which a command runs: only the clock is real.
pub struct Elsewhere<'a>(
    /// Whose clock it is.
    pub &'a dyn World,
);

impl World for Elsewhere<'_> {
    fn is_elsewhere(&self) -> bool {
        true
    }

    fn lstat(&self, _: &Path) -> Result<Meta, LookError> {
        Err(LookError::Elsewhere)
    }

    fn stat(&self, _: &Path) -> Result<Meta, LookError> {
        Err(LookError::Elsewhere)
    }

    fn read_link(&self, _: &Path) -> Result<PathBuf, LookError> {
        Err(LookError::Elsewhere)
    }

    fn read_dir(&self, _: &Path, _: usize) -> Result<Vec<Entry>, LookError> {
        Err(LookError::Elsewhere)
    }

    fn scan(&self, _: &Path, _: usize) -> Result<Vec<Seen>, LookError> {
        Err(LookError::Elsewhere)
    }

    fn read_file(&self, _: &Path, _: u64) -> Result<Vec<u8>, LookError> {
        Err(LookError::Elsewhere)
    }

    fn canonicalize(&self, _: &Path) -> Result<PathBuf, LookError> {
        Err(LookError::Elsewhere)
    }

    /// A lack of rights that nobody saw protects nothing.
    fn writable(&self, _: &Path) -> bool {
        true
    }

    fn env(&self, _: &str) -> Option<String> {
        None
    }

    fn env_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn home(&self, user: Option<&str>) -> Option<PathBuf> {
        user.is_none().then(|| PathBuf::from(SOMEBODYS_HOME))
    }

    fn user(&self) -> String {
        String::new()
    }

    /// It may be the one who may do everything.
    fn uid(&self) -> u32 {
        0
    }

    fn mounts(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn now(&self) -> SystemTime {
        self.0.now()
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn ask(&self, _: &Query, _: Duration) -> Result<Vec<u8>, LookError> {
        Err(LookError::Elsewhere)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    #[test]
    fn nothing_of_the_machine_that_judges_comes_through() {
        let here = MemoryWorld::new().env("TOKEN", "x").env("HOME", "/home/me").dir("/home/me");
        let world = Elsewhere(&here);
        let there = Path::new("/home/me");
        assert_eq!(world.stat(there), Err(LookError::Elsewhere));
        assert_eq!(world.lstat(there), Err(LookError::Elsewhere));
        assert_eq!(world.read_dir(there, 9), Err(LookError::Elsewhere));
        assert_eq!(world.scan_all(&[there], 9), [Some(Err(LookError::Elsewhere))]);
        assert_eq!(world.canonicalize(there), Err(LookError::Elsewhere));
        assert_eq!(world.read_file(Path::new("/etc/hostname"), 9), Err(LookError::Elsewhere));
        assert_eq!((world.env("TOKEN"), world.environment()), (None, Vec::new()));
        assert_eq!(world.home(None), Some(PathBuf::from(SOMEBODYS_HOME)));
        assert_eq!(world.home(Some("root")), None);
    }
}
