//! A folder that machines share, as a store of objects.
//!
//! Owns what a bucket has rules for and a folder has nobody for: nonces and probes that are over go by themselves. How old a
//! file is, is told by the clock of the disk that all machines share.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use recourse::attest::Time;
use recourse::attest::disk::{self, Access, DiskError, Lock};
use recourse::attest::document::hex;
use recourse::attest::fleet::{Answer, Ask};
use sha2::{Digest, Sha256};

use super::store::{answer, held};

/// An object is at most this large.
const LIMIT: u64 = recourse::attest::beside::LINE_LIMIT / 2;
const DAY: Duration = Duration::from_secs(86_400);
/// For so long nonces are kept after the day on which their attestations ended, and after they were spent.
const KEPT: Duration = Duration::from_secs(38 * 86_400);
/// For so long at most somebody who claims a nonce waits for what goes meanwhile.
const BUDGET: Duration = Duration::from_secs(1);
/// Where not all went, it is gone on with after so long.
const AGAIN: Duration = Duration::from_secs(600);
/// Older files that a dead process left half-way are of nobody who still writes.
const LEFT_OVER: Duration = Duration::from_secs(3600);

/// Answers one question about a folder.
pub(crate) fn in_folder(folder: &Path, ask: Ask) -> Answer {
    // Whoever may write to the folder itself could take away what is in it, and a nonce would be spent twice.
    let root = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    if let Err(error) = disk::check_dir(&root) {
        return Answer::Unclear { why: error.to_string() };
    }
    let done = match ask {
        Ask::Create { at, body, bytes } => match held(body, bytes) {
            Ok(body) => create(folder, &at, &body),
            Err(why) => return Answer::Unclear { why },
        },
        Ask::Replace { at, body, over } => replace(&folder.join(at), &body, &over),
        // Who was given a name here was given it by the system, and nobody has to look who else was.
        Ask::List { .. } => return Answer::Unclear { why: "what is in a folder is not listed".to_owned() },
        Ask::Get { at, bytes: encoded } => disk::read_private(&folder.join(at), LIMIT).map(|found| {
            found.map_or(Answer::Absent {}, |bytes| {
                let tag = digest(&bytes);
                answer(bytes, tag, encoded)
            })
        }),
    };
    done.unwrap_or_else(|error| Answer::Unclear { why: error.to_string() })
}

fn create(folder: &Path, at: &str, body: &[u8]) -> Result<Answer, DiskError> {
    let over = || Answer::Unclear { why: "it does not keep nonces of that day any more".to_owned() };
    let day = at.strip_prefix("nonces/").and_then(|rest| rest.split('/').next()).filter(|day| is_day(day));
    let forgotten = || {
        Ok::<_, DiskError>(day.is_some_and(|day| forgotten(folder).is_none_or(|until| day <= until.as_str())))
    };
    if forgotten()? {
        return Ok(over());
    }
    let path = folder.join(at);
    // Cheap, and leaves no trace in the folder.
    if fs::symlink_metadata(&path).is_ok() {
        return Ok(Answer::There {});
    }
    disk::private_dir(path.parent().unwrap_or(folder))?;
    let made = disk::create_exclusive(&path, body, Access::Private)?;
    // It may have been removed just now, by one who wrote that down before.
    if forgotten()? {
        return Ok(over());
    }
    if day.is_some() {
        prune_sometimes(folder);
    }
    Ok(if made { Answer::Made {} } else { Answer::There {} })
}

/// Puts a file in the place of what it is known to hold, one process after another.
fn replace(path: &Path, body: &str, over: &str) -> Result<Answer, DiskError> {
    let _lock = Lock::acquire(&path.with_extension("lock"))?;
    let there = disk::read_private(path, LIMIT)?;
    if there.is_none_or(|there| digest(&there) != over) {
        return Ok(Answer::There {});
    }
    disk::write_atomic(path, body.as_bytes(), Access::Private)?;
    Ok(Answer::Made {})
}

fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Whether a name is that of a day.
fn is_day(name: &str) -> bool {
    name.len() == 10 && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// Nonces of attestations that ended by that day are not kept any more. None: that cannot be told.
fn forgotten(folder: &Path) -> Option<String> {
    let bytes = disk::read_private(&mark(folder), 64).ok()?;
    let Some(bytes) = bytes else { return Some(String::new()) };
    String::from_utf8(bytes).ok().filter(|day| is_day(day))
}

fn mark(folder: &Path) -> PathBuf {
    folder.join("nonces/forgotten")
}

/// Takes away what is over, once a day. Failing to is no error: it does no harm.
fn prune_sometimes(folder: &Path) {
    let tried = folder.join("pruned");
    let since = modified(&tried).and_then(|then| SystemTime::now().duration_since(then).ok());
    if since.is_some_and(|since| since < DAY) {
        return;
    }
    let Ok(Some(_lock)) = Lock::at_once(&folder.join("prune.lock")) else { return };
    // What this was written at says what time it is for all.
    if disk::write_atomic(&tried, b"", Access::Private).is_ok()
        && let Some(now) = modified(&tried)
        && prune(folder, now, Instant::now() + BUDGET).is_none()
        && let Ok(mark) = fs::OpenOptions::new().write(true).open(&tried)
    {
        let _ = mark.set_modified(now - DAY + AGAIN);
    }
}

/// Nonces of days that are long over, of which the last was spent long ago; probes; and what dead processes left. That nonces
/// go is written down first. None: it was not come to the end.
fn prune(folder: &Path, now: SystemTime, until: Instant) -> Option<()> {
    let in_time = || (Instant::now() < until).then_some(());
    let oldest = day_before(now)?;
    let mut known = forgotten(folder)?;
    let mut days = entries(&folder.join("nonces"));
    days.retain(|path| named(path).is_some_and(|day| is_day(day) && *day < *oldest));
    days.sort();
    for path in days {
        let day = named(&path).unwrap_or_default();
        if *day > *known {
            // A folder is as old as the last name that was made in it.
            if !is_older(&path, KEPT, now) {
                continue;
            }
            disk::write_atomic(&mark(folder), day.as_bytes(), Access::Private).ok()?;
            day.clone_into(&mut known);
        }
        for nonce in fs::read_dir(&path).into_iter().flatten().flatten() {
            in_time()?;
            let _ = fs::remove_file(nonce.path());
        }
        let _ = fs::remove_dir(path);
    }
    for probe in entries(&folder.join("probe")).iter().filter(|probe| is_older(probe, KEPT, now)) {
        let _ = fs::remove_file(probe);
    }
    sweep(folder, now, in_time)
}

/// Takes away what dead processes left half-way; beside a day's nonces it goes with the day.
fn sweep(folder: &Path, now: SystemTime, in_time: impl Fn() -> Option<()>) -> Option<()> {
    let flat = [folder.to_owned(), folder.join("nonces")];
    let deep = ["attestations", "unpublished", "registries", "audit", "log", "probe"];
    let mut folders: Vec<_> = flat.iter().cloned().chain(deep.iter().map(|part| folder.join(part))).collect();
    while let Some(one) = folders.pop() {
        for entry in fs::read_dir(&one).into_iter().flatten().flatten() {
            in_time()?;
            let path = entry.path();
            if !flat.contains(&one) && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if named(&path).is_some_and(disk::is_under_way) && is_older(&path, LEFT_OVER, now) {
                let _ = fs::remove_file(path);
            }
        }
    }
    Some(())
}

/// The last day of which nothing is kept.
fn day_before(now: SystemTime) -> Option<String> {
    let since = now.checked_sub(KEPT)?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Time::from_millis(i64::try_from(since.as_millis()).ok()?).day())
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn named(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str())
}

fn is_older(path: &Path, than: Duration, now: SystemTime) -> bool {
    modified(path).and_then(|then| now.duration_since(then).ok()).is_some_and(|since| since > than)
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).and_then(|found| found.modified()).ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        folder
    }

    fn claim(folder: &Path, at: &str) -> Answer {
        in_folder(folder, Ask::Create { at: at.to_owned(), body: "own".to_owned(), bytes: false })
    }

    fn aged(path: &Path, days: u32) {
        fs::File::open(path).unwrap().set_modified(SystemTime::now() - days * DAY).unwrap();
    }

    fn days_ago(days: i64) -> String {
        Time::now().plus_seconds(-days * 86_400).day()
    }

    #[test]
    fn nonces_that_are_over_go_and_stay_spent() {
        let root = folder();
        let place = |days: i64, n: u8| format!("nonces/{}/{n:032x}", days_ago(days));
        for (at, days) in [(place(60, 1), 61), (place(50, 2), 51), (place(45, 3), 1), (place(20, 4), 45)] {
            assert_eq!(claim(root.path(), &at), Answer::Made {});
            let at = root.path().join(at);
            aged(&at, days);
            aged(at.parent().unwrap(), days);
        }
        let unending = format!("nonces/unending/{:032x}", 5);
        assert_eq!(claim(root.path(), &unending), Answer::Made {});
        aged(&root.path().join(&unending), 400);
        assert_eq!(claim(root.path(), "probe/2020-01-01"), Answer::Made {});
        aged(&root.path().join("probe/2020-01-01"), 400);
        assert_eq!(claim(root.path(), "attestations/a.json"), Answer::Made {});
        let left = root.path().join("attestations/.recourse-1-1.tmp");
        fs::write(&left, b"half").unwrap();
        aged(&left, 1);
        // It was looked at today.
        assert_eq!(claim(root.path(), &place(0, 6)), Answer::Made {});
        assert!(root.path().join(place(60, 1)).exists());
        aged(&root.path().join("pruned"), 2);
        assert_eq!(claim(root.path(), &place(0, 7)), Answer::Made {});
        for (days, n, stays) in [(60, 1, false), (50, 2, false), (45, 3, true), (20, 4, true), (0, 6, true)] {
            assert_eq!(root.path().join(place(days, n)).exists(), stays, "{days} {n}");
        }
        assert!(root.path().join(&unending).exists() && !root.path().join("probe/2020-01-01").exists());
        assert!(!left.exists());
        // What went is not made again, whatever a clock says.
        for days in [60, 55, 50] {
            assert!(matches!(claim(root.path(), &place(days, 1)), Answer::Unclear { .. }), "{days}");
        }
        assert_eq!(claim(root.path(), &place(45, 8)), Answer::Made {});
        // No time is left: what is over goes soon, and no day later.
        assert!(prune(root.path(), SystemTime::now(), Instant::now()).is_none());
        fs::write(mark(root.path()), "soon").unwrap();
        assert!(matches!(claim(root.path(), &place(0, 9)), Answer::Unclear { .. }), "that cannot be told");
    }
}
