use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::*;

fn small(folder: &Path, segments: usize) -> AuditLog {
    AuditLog::open(&Places::under(folder)).within(Limits { segment: 600, segments, age: None })
}

fn files(log: &AuditLog) -> Vec<PathBuf> {
    log.closed().unwrap().into_iter().map(|closed| closed.path).collect()
}

fn seqs(log: &AuditLog) -> Vec<u64> {
    log.read().unwrap().iter().map(|entry| entry.seq).collect()
}

#[test]
fn what_is_noted_is_in_the_chain_and_moves_no_head() {
    let folder = tempfile::tempdir().unwrap();
    let log = AuditLog::open(&Places::under(folder.path()));
    log.append("one", json!({})).unwrap();
    let head = fs::read(&log.head).unwrap();
    for n in 2..=5 {
        assert_eq!(log.note("noted", json!({"n": n})).unwrap(), n);
    }
    assert_eq!(fs::read(&log.head).unwrap(), head);
    assert_eq!(log.verify().unwrap().entries, 5);
    assert_eq!(log.append("six", json!({})).unwrap(), 6);
    assert_eq!(log.verify().unwrap(), Verified { entries: 6, ..Verified::default() });
    assert_eq!(log.read_head().unwrap().unwrap().seq, 6);
}

#[test]
fn a_change_under_the_head_is_not_healed_by_notes() {
    let folder = tempfile::tempdir().unwrap();
    let log = AuditLog::open(&Places::under(folder.path()));
    log.append("one", json!({})).unwrap();
    let text = fs::read_to_string(&log.log).unwrap();
    fs::write(&log.log, text.replace("one", "two")).unwrap();
    log.note("noted", json!({})).unwrap();
    log.note("noted", json!({})).unwrap();
    assert!(log.verify().is_err());
    log.append("three", json!({})).unwrap();
    assert!(log.verify().is_err());
    let text = fs::read_to_string(&log.log).unwrap();
    fs::write(&log.log, text.replace("noted", "nated")).unwrap();
    let full = log.clone().within(Limits { segment: 10, segments: 0, age: None });
    full.note("noted", json!({})).unwrap();
    assert!(full.verify().is_err(), "nor by a new file");
}

#[test]
fn the_chain_goes_on_from_file_to_file() {
    let folder = tempfile::tempdir().unwrap();
    let log = small(folder.path(), 0);
    for n in 1..=20 {
        if n % 4 == 0 { log.append("kept", json!({"n": n})) } else { log.note("noted", json!({"n": n})) }
            .unwrap();
        assert_eq!(log.verify().unwrap().entries, n, "after {n}");
    }
    let all = files(&log);
    assert!(all.len() > 3, "{all:?}");
    assert_eq!(seqs(&log), (1..=20).collect::<Vec<_>>());
    let mut newest = Vec::new();
    log.newest_first(|entry| {
        newest.push(entry.seq);
        newest.len() < 7
    })
    .unwrap();
    assert_eq!(newest, (14..=20).rev().collect::<Vec<_>>());
    for file in &all {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // Whoever does not turn files over goes on in the one that is there.
    let plain = AuditLog::open(&Places::under(folder.path()));
    assert_eq!(plain.append("plain", json!({})).unwrap(), 21);
    assert_eq!(plain.verify().unwrap().entries, 21);
    // A line of an earlier file that is another one, and an earlier file that is gone.
    let text = fs::read_to_string(&all[1]).unwrap();
    fs::write(&all[1], text.replace("noted", "nated")).unwrap();
    assert!(log.verify().unwrap_err().to_string().contains("audit-"), "named");
    fs::write(&all[1], text).unwrap();
    assert!(log.verify().is_ok());
    for gone in &all {
        let bytes = fs::read(gone).unwrap();
        fs::remove_file(gone).unwrap();
        assert!(log.verify().is_err(), "{}", gone.display());
        fs::write(gone, bytes).unwrap();
        fs::set_permissions(gone, fs::Permissions::from_mode(0o600)).unwrap();
    }
    assert!(log.verify().is_ok());
}

#[test]
fn the_oldest_files_go_and_that_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let log = small(folder.path(), 3);
    for n in 1..=30 {
        log.note("noted", json!({"n": n})).unwrap();
        log.verify().unwrap();
    }
    let all = files(&log);
    assert_eq!(all.len(), 2, "{all:?}");
    let held = log.verify().unwrap();
    let first = seqs(&log)[0];
    assert_eq!((held.entries, held.pruned), (30, first - 1));
    // One more that nobody took away as configured is missed.
    let bytes = fs::read(&all[0]).unwrap();
    fs::remove_file(&all[0]).unwrap();
    assert!(log.verify().is_err());
    fs::write(&all[0], bytes).unwrap();
    fs::set_permissions(&all[0], fs::Permissions::from_mode(0o600)).unwrap();
    // Without its head nobody knows what was before.
    fs::remove_file(&log.head).unwrap();
    assert!(log.verify().is_err());
    log.append("later", json!({})).unwrap();
    assert_eq!(log.verify().unwrap().headless.len(), 1);
    // By age, and then there is nothing left to take.
    for file in files(&log) {
        let long_ago = SystemTime::now() - Duration::from_secs(9 * 86_400);
        fs::File::options().write(true).open(file).unwrap().set_modified(long_ago).unwrap();
    }
    let limits = Limits { segment: 600, segments: 0, age: Some(Duration::from_secs(8 * 86_400)) };
    let pruned = log.prune(&limits).unwrap();
    assert!(pruned.segments >= 2 && pruned.bytes > 1000 && pruned.last > first, "{pruned:?}");
    assert_eq!(log.prune(&limits).unwrap(), Pruned::default());
    assert_eq!(log.verify().unwrap().pruned, pruned.last);
    assert_eq!(log.note("noted", json!({})).unwrap(), 32);
    assert_eq!(log.verify().unwrap().entries, 32);
}

#[test]
fn half_a_line_at_the_end_of_a_file_is_taken_over_into_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let log = small(folder.path(), 0);
    log.note("noted", json!({})).unwrap();
    let mut bytes = fs::read(&log.log).unwrap();
    bytes.extend_from_slice(&[b'x'; 700]);
    fs::write(&log.log, &bytes).unwrap();
    assert_eq!(log.verify().unwrap().torn, [2]);
    log.note("noted", json!({})).unwrap();
    assert_eq!(files(&log).len(), 1);
    let held = log.verify().unwrap();
    assert_eq!((held.entries, held.torn), (2, vec![2]));
}

#[test]
fn a_new_file_that_was_not_made_yet_is_none_that_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let log = small(folder.path(), 0);
    while files(&log).is_empty() {
        log.append("kept", json!({})).unwrap();
    }
    let last = log.closed().unwrap()[0].last;
    fs::remove_file(&log.log).unwrap();
    // What went in with it is missed, as long as the head knows of it.
    assert!(log.verify().is_err());
    let head = log.read_head().unwrap().unwrap();
    let digest = lines::Backwards::new(
        fs::File::open(&files(&log)[0]).unwrap(),
        fs::metadata(&files(&log)[0]).unwrap().len(),
        &log.log,
    )
    .next()
    .unwrap()
    .unwrap()
    .digest;
    log.write_head(&Head { seq: last, digest, length: 0, ..head }).unwrap();
    assert_eq!(log.verify().unwrap().entries, last);
    assert_eq!(log.note("noted", json!({})).unwrap(), last + 1);
    assert_eq!(log.verify().unwrap().entries, last + 1);
}

#[test]
fn what_cannot_be_written_leaves_nothing_and_links_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = AuditLog::open(&Places::under(folder.path()));
    log.note("noted", json!({})).unwrap();
    let before = fs::read(&log.log).unwrap();
    assert!(matches!(log.note("x", json!({"x": "y".repeat(1 << 20)})), Err(AuditError::TooLarge)));
    assert_eq!(fs::read(&log.log).unwrap(), before);
    let away = folder.path().join("away");
    fs::rename(&log.log, &away).unwrap();
    symlink(&away, &log.log).unwrap();
    assert!(matches!(log.note("x", json!({})), Err(AuditError::Disk(DiskError::Kind { .. }))));
    assert_eq!(fs::read(&away).unwrap(), before);
}

#[test]
fn fifty_note_at_once_and_none_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let log = small(folder.path(), 0);
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| {
                for n in 0..4 {
                    log.note("at once", json!({"n": n})).unwrap();
                }
            });
        }
    });
    assert_eq!(log.verify().unwrap().entries, 200);
    assert_eq!(log.read().unwrap().len(), 200);
}

#[test]
fn the_transparency_log_goes_on_over_files() {
    let folder = tempfile::tempdir().unwrap();
    let log = small(folder.path(), 3);
    let mut known = Vec::new();
    for n in 1..=30u64 {
        log.note("noted", json!({"n": n})).unwrap();
        if n % 5 == 0 {
            known.extend(log.behind(known.last().copied()).unwrap());
        }
    }
    assert_eq!(known.iter().map(|(seq, ..)| *seq).collect::<Vec<_>>(), (1..=30).collect::<Vec<_>>());
    let shown: Vec<_> = known.iter().map(|(seq, _, digest)| (*seq, *digest)).collect();
    log.holds(&shown).unwrap();
    // What was taken away before it went in is left out.
    let late = log.behind(known.first().copied()).unwrap();
    assert_eq!(late.first().map(|(seq, ..)| *seq), Some(seqs(&log)[0]));
    let text = fs::read_to_string(&log.log).unwrap();
    fs::write(&log.log, text.replace("noted", "nated")).unwrap();
    assert!(log.holds(&shown).is_err());
}

#[test]
fn a_quiet_log_is_not_kept_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let places = Places::under(folder.path());
    let log = AuditLog::open(&places);
    let limits = Limits { segment: u64::MAX, segments: 0, age: Some(Duration::from_secs(80 * 86_400)) };
    let days_ago = |days: i64| Time::now().plus_seconds(-days * 86_400);
    let closed = places.data.join("audit-000000000001.jsonl");
    log.write("first", json!({}), days_ago(9), Durable::Yes).unwrap();
    log.tidy(&limits).unwrap();
    assert!(!closed.exists(), "it is young");
    let limits = Limits { age: Some(Duration::from_secs(64 * 86_400)), ..limits };
    log.tidy(&limits).unwrap();
    assert!(closed.exists());
    log.append("second", json!({})).unwrap();
    let old = fs::OpenOptions::new().write(true).open(&closed).unwrap();
    old.set_modified(SystemTime::now() - Duration::from_secs(65 * 86_400)).unwrap();
    log.tidy(&limits).unwrap();
    assert!(!closed.exists());
    assert!(log.verify().is_ok());
}
