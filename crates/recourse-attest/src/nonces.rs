//! Nonces that were spent here: what permits one execution permits no second.
//!
//! Owns a folder with one file for each nonce. The file is made in one exclusive step and brought to the disk before
//! anything is permitted, so of any number of processes exactly one wins, also after a crash.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use thiserror::Error;

use super::disk::{self, DiskError, Lock};
use super::document::is_nonce;
use super::places::Places;
use super::time::Time;

/// How long after its end an attestation's nonce is kept: far beyond any clock that is wrong.
const KEPT_DAYS: i64 = 30;

/// How often old ones are looked for.
const PRUNE_EVERY: Duration = Duration::from_secs(86_400);
/// So many are looked at then: something waits to be run.
const LOOKS: usize = 20_000;
/// So many of them are removed then.
const REMOVED: usize = 1_000;

/// Why a nonce is not spent now.
#[derive(Debug, Error)]
pub enum NonceError {
    /// It was spent before: `nonce_reused`.
    #[error("the attestation was used before: its nonce {0} is spent")]
    Reused(String),
    /// It ends so early that its nonce may have been spent and removed since.
    #[error(
        "the attestation ends at {0}, and nonces of that time are not kept any more: it may have been used before"
    )]
    Forgotten(Time),
    /// It is no nonce.
    #[error("a nonce is 32 lower-case hexadecimal digits")]
    NotANonce,
    /// The mark of what was removed cannot be read.
    #[error("{} is damaged: what was spent cannot be told; remove it and every nonce beside it once all attestations have expired", .0.display())]
    Damaged(PathBuf),
    /// It cannot be recorded, and so must count as spent.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// The nonces that were spent by this user on this machine.
#[derive(Clone, Debug)]
pub struct Nonces {
    folder: PathBuf,
}

impl Nonces {
    /// The nonces below these places. Touches nothing yet.
    pub fn open(places: &Places) -> Self {
        Self { folder: places.nonces() }
    }

    /// Spends a nonce. Succeeds once, whoever else tries.
    ///
    /// # Errors
    /// [`NonceError::Reused`] for every time but the first; the others mean that nothing may run either.
    pub fn spend(&self, nonce: &str, expires_at: Time) -> Result<(), NonceError> {
        if !is_nonce(nonce) {
            return Err(NonceError::NotANonce);
        }
        disk::private_dir(&self.folder)?;
        let forgotten = || Ok::<_, NonceError>(self.forgotten()?.is_some_and(|until| expires_at <= until));
        if forgotten()? {
            return Err(NonceError::Forgotten(expires_at));
        }
        let path = self.folder.join(nonce);
        if !disk::claim(&path, expires_at.to_string().as_bytes())? {
            return Err(NonceError::Reused(nonce.to_owned()));
        }
        // It may have been removed just now, by one who wrote that down before.
        if forgotten()? {
            return Err(NonceError::Forgotten(expires_at));
        }
        self.prune_sometimes(Time::now());
        Ok(())
    }

    /// Whether a nonce was spent.
    ///
    /// # Errors
    /// When it is none, or the folder is not private.
    pub fn is_spent(&self, nonce: &str) -> Result<bool, NonceError> {
        if !is_nonce(nonce) {
            return Err(NonceError::NotANonce);
        }
        Ok(disk::check_dir(&self.folder)? && fs::symlink_metadata(self.folder.join(nonce)).is_ok())
    }

    /// Removes nonces that could not be accepted any more for a month, a bounded number at a time. Failing to is no error: they
    /// do no harm. The latest end among them is written down first: a clock that only seemed to be so far gives none of them a
    /// second time.
    pub fn prune(&self, now: Time) {
        let Ok(_lock) = Lock::acquire(&self.folder.join("lock")) else { return };
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let ours = |entry: &fs::DirEntry| entry.file_name().to_str().is_some_and(is_nonce);
        let old: Vec<(PathBuf, Time)> = entries
            .flatten()
            .take(LOOKS)
            .filter(ours)
            // None ended before it was spent.
            .filter(|entry| spent_at(entry).is_none_or(|spent| now.since(spent) > KEPT_DAYS * 86_400_000))
            .filter_map(|entry| Some((entry.path(), end_of(&entry.path())?)))
            .filter(|(_, end)| now.since(*end) > KEPT_DAYS * 86_400_000)
            .take(REMOVED)
            .collect();
        let Some(last) = old.iter().map(|(_, end)| *end).max() else { return };
        let Ok(until) = self.forgotten() else { return };
        if until.is_none_or(|until| until < last)
            && disk::write_atomic(&self.mark(), last.to_string().as_bytes(), disk::Access::Private).is_err()
        {
            return;
        }
        for (path, _) in old {
            let _ = fs::remove_file(path);
        }
    }

    fn mark(&self) -> PathBuf {
        self.folder.join("forgotten")
    }

    /// Nonces that ended by then may have been removed.
    fn forgotten(&self) -> Result<Option<Time>, NonceError> {
        let path = self.mark();
        let Some(bytes) = disk::read_private(&path, 64)? else { return Ok(None) };
        let time = std::str::from_utf8(&bytes).ok().and_then(|text| text.parse().ok());
        time.map(Some).ok_or(NonceError::Damaged(path))
    }

    fn prune_sometimes(&self, now: Time) {
        let mark = self.folder.join("pruned");
        let since = fs::metadata(&mark)
            .and_then(|mark| mark.modified())
            .ok()
            .and_then(|then| SystemTime::now().duration_since(then).ok());
        if since.is_none_or(|since| since > PRUNE_EVERY)
            && disk::write_atomic(&mark, b"", disk::Access::Private).is_ok()
        {
            self.prune(now);
        }
    }
}

/// When a nonce was spent, by the clock of the disk.
fn spent_at(entry: &fs::DirEntry) -> Option<Time> {
    let spent = entry.metadata().and_then(|found| found.modified()).ok()?;
    let since = spent.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Time::from_millis(i64::try_from(since.as_millis()).ok()?))
}

/// When the attestation of a nonce ended. None: a process died between making and filling the file; those stay.
fn end_of(path: &Path) -> Option<Time> {
    let bytes = disk::read_private(path, 64).ok()??;
    std::str::from_utf8(&bytes).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const NONCE: &str = "00112233445566778899aabbccddeeff";

    #[test]
    fn one_of_fifty_spends_it() {
        let folder = tempfile::tempdir().unwrap();
        let nonces = Nonces::open(&Places::under(folder.path()));
        let end = Time::now().plus_seconds(900);
        assert!(!nonces.is_spent(NONCE).unwrap());
        let wins: usize = thread::scope(|scope| {
            let tries: Vec<_> = (0..50).map(|_| scope.spawn(|| nonces.spend(NONCE, end).is_ok())).collect();
            tries.into_iter().map(|one| usize::from(one.join().unwrap())).sum()
        });
        assert_eq!(wins, 1);
        assert!(matches!(nonces.spend(NONCE, end), Err(NonceError::Reused(_))));
        assert!(nonces.is_spent(NONCE).unwrap());
        for bad in ["", "../../etc/passwd", "00112233445566778899AABBCCDDEEFF", &NONCE[1..]] {
            assert!(matches!(nonces.spend(bad, end), Err(NonceError::NotANonce)), "{bad}");
        }
    }

    #[test]
    fn a_nonce_is_kept_long_after_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let nonces = Nonces::open(&Places::under(folder.path()));
        let now = Time::now();
        nonces.spend(NONCE, now).unwrap();
        nonces.prune(now.plus_seconds(29 * 86_400));
        assert!(nonces.is_spent(NONCE).unwrap());
        nonces.prune(now.plus_seconds(31 * 86_400));
        assert!(!nonces.is_spent(NONCE).unwrap());
        // The clock was wrong: what was spent stays so, and what ends later can be spent.
        assert!(matches!(nonces.spend(NONCE, now), Err(NonceError::Forgotten(_))));
        nonces.spend(NONCE, now.plus_seconds(1)).unwrap();
        fs::write(nonces.mark(), "soon").unwrap();
        assert!(matches!(nonces.spend(NONCE, now), Err(NonceError::Damaged(_))));
    }

    #[test]
    fn an_empty_file_of_a_killed_process_stays_spent() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::under(folder.path());
        let nonces = Nonces::open(&places);
        disk::private_dir(&places.nonces()).unwrap();
        disk::claim(&places.nonces().join(NONCE), b"").unwrap();
        nonces.prune(Time::now().plus_seconds(10 * 365 * 86_400));
        assert!(matches!(nonces.spend(NONCE, Time::now()), Err(NonceError::Reused(_))));
    }
}
