use std::fs;
use std::thread;

use super::*;

fn log(events: u64) -> (tempfile::TempDir, AuditLog) {
    let folder = tempfile::tempdir().unwrap();
    let log = AuditLog::open(&Places::under(folder.path()));
    for n in 1..=events {
        assert_eq!(log.append("tested", json!({"n": n, "text": "π ≠ 3"})).unwrap(), n);
    }
    (folder, log)
}

fn lines(log: &AuditLog) -> Vec<String> {
    fs::read_to_string(&log.log).unwrap().lines().map(str::to_owned).collect()
}

fn put(log: &AuditLog, lines: &[String]) {
    fs::write(&log.log, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

fn broken_at(log: &AuditLog) -> u64 {
    match log.verify() {
        Err(AuditError::Broken { line, .. }) => line,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_untouched_log_holds() {
    let (_folder, log) = log(5);
    assert_eq!(log.verify().unwrap(), Verified { entries: 5, ..Verified::default() });
    let entries = log.read().unwrap();
    assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(entries[2].details["n"], json!(3.0));
    let (_folder, none) = super::tests::log(0);
    assert_eq!(none.verify().unwrap(), Verified::default());
    assert!(none.read().unwrap().is_empty());
}

#[test]
fn every_changed_line_is_named() {
    for n in 0..5usize {
        let (_folder, log) = log(5);
        let mut all = lines(&log);
        all[n] = all[n].replace("tested", "tasted");
        put(&log, &all);
        // The line itself cannot know; the one after it does, or the head for the last one.
        assert_eq!(broken_at(&log), (n as u64 + 2).min(5), "line {}", n + 1);
        log.append("later", json!({})).unwrap();
        assert!(log.verify().is_err(), "writing on heals nothing");
    }
}

#[test]
fn a_whole_line_that_nobody_of_ours_wrote_is_excused_by_nothing() {
    for (garbage, holds) in [("garbage\n", false), ("garbage", true)] {
        let (_folder, log) = log(3);
        let mut text = fs::read_to_string(&log.log).unwrap();
        text.push_str(garbage);
        fs::write(&log.log, text).unwrap();
        assert_eq!(log.verify().is_ok(), holds, "{garbage:?}");
        for durable in [Durable::Yes, Durable::No] {
            log.write("later", json!({}), Time::now(), durable).unwrap();
            assert_eq!(log.verify().is_ok(), holds, "{garbage:?}: writing on heals nothing");
        }
    }
}

#[test]
fn removed_moved_and_cut_lines_are_found() {
    for n in 0..5usize {
        let (_folder, log) = log(5);
        let mut all = lines(&log);
        all.remove(n);
        put(&log, &all);
        assert_eq!(broken_at(&log), (n as u64 + 1).min(4), "line {} removed", n + 1);
        log.append("later", json!({})).unwrap();
        assert!(log.verify().is_err(), "writing on heals nothing");
    }
    let (_folder, log) = log(5);
    let mut all = lines(&log);
    all.swap(1, 2);
    put(&log, &all);
    assert_eq!(broken_at(&log), 2);
    put(&log, &[]);
    assert_eq!(broken_at(&log), 1);
    fs::remove_file(&log.log).unwrap();
    assert_eq!(broken_at(&log), 1);
    log.append("later", json!({})).unwrap();
    assert_eq!(broken_at(&log), 1, "a new log does not pass for the old one");
}

#[test]
fn a_missing_or_damaged_head_is_said() {
    let (_folder, log) = log(3);
    fs::write(&log.head, "{}").unwrap();
    assert!(matches!(log.verify(), Err(AuditError::Head { .. })));
    assert!(matches!(log.append("x", json!({})), Err(AuditError::Head { .. })));
    fs::remove_file(&log.head).unwrap();
    assert_eq!(broken_at(&log), 3);
    assert_eq!(log.append("x", json!({})).unwrap(), 4);
    assert_eq!(log.verify().unwrap(), Verified { entries: 4, headless: vec![4], ..Verified::default() });
}

#[test]
fn half_a_line_is_reported_and_writing_goes_on() {
    let (_folder, log) = log(3);
    let whole = fs::read(&log.log).unwrap();
    let mut more = whole.clone();
    more.extend_from_slice(b"{\"details\":{\"n\":4},\"ev");
    fs::write(&log.log, &more).unwrap();
    assert_eq!(log.verify().unwrap().torn, [4]);
    assert_eq!(log.append("after", json!({})).unwrap(), 4);
    let held = log.verify().unwrap();
    assert_eq!((held.entries, held.torn), (4, vec![4]));
    assert_eq!(log.append("more", json!({})).unwrap(), 5);
    assert_eq!(log.verify().unwrap().entries, 5);
    // Nobody passes a line off as torn.
    let mut all = lines(&log);
    all[1] = "garbage".to_owned();
    put(&log, &all);
    assert_eq!(broken_at(&log), 2);
    let mut all = lines(&log);
    all[3] = "other garbage".to_owned();
    put(&log, &all);
    assert!(log.verify().is_err());
}

#[test]
fn a_line_without_its_head_counts() {
    let (_folder, log) = log(3);
    let head = fs::read(&log.head).unwrap();
    log.append("four", json!({})).unwrap();
    log.append("five", json!({})).unwrap();
    fs::write(&log.head, head).unwrap();
    assert_eq!(log.verify().unwrap().entries, 5);
    assert_eq!(log.append("six", json!({})).unwrap(), 6);
    assert_eq!(log.verify().unwrap(), Verified { entries: 6, ..Verified::default() });
}

#[test]
fn many_write_at_once() {
    let (_folder, log) = log(0);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for n in 0..10 {
                    log.append("at once", json!({"n": n})).unwrap();
                }
            });
        }
    });
    assert_eq!(log.verify().unwrap().entries, 80);
}

#[test]
fn the_log_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, log) = log(1);
    assert_eq!(fs::metadata(&log.log).unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&log.log, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(log.append("x", json!({})), Err(AuditError::Disk(DiskError::TooOpen { .. }))));
}

#[test]
fn a_line_whose_end_alone_was_cut_is_whole() {
    for durable in [Durable::Yes, Durable::No] {
        let (_folder, log) = log(2);
        log.write("last", json!({}), Time::now(), durable).unwrap();
        let text = fs::read_to_string(&log.log).unwrap();
        fs::write(&log.log, text.trim_end()).unwrap();
        let found = log.verify().unwrap();
        assert_eq!((found.entries, found.torn), (3, Vec::new()), "{durable:?}");
        for later in [Durable::No, Durable::Yes] {
            log.write("later", json!({}), Time::now(), later).unwrap();
            log.verify().unwrap();
        }
        assert_eq!(log.verify().unwrap().entries, 5);
    }
}

#[test]
fn an_ordinary_record_that_is_emptied_or_gone_is_missed() {
    for empty in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::open(&Places::under(folder.path()));
        for n in 0..3 {
            log.note("noted", json!({ "n": n })).unwrap();
        }
        assert_eq!(log.verify().unwrap().entries, 3);
        match empty {
            true => fs::write(&log.log, "").unwrap(),
            false => fs::remove_file(&log.log).unwrap(),
        }
        assert_eq!(broken_at(&log), 1);
        log.note("later", json!({})).unwrap();
        assert_eq!(broken_at(&log), 1, "writing on heals nothing");
    }
}

#[test]
fn nobody_goes_over_very_many_lines_that_are_none() {
    for garbage in ["\n", "x\n", "{}\n"] {
        let (_folder, log) = log(3);
        let mut text = fs::read_to_string(&log.log).unwrap();
        text.push_str(&garbage.repeat(2_000_000));
        fs::write(&log.log, text).unwrap();
        let begun = std::time::Instant::now();
        for durable in [Durable::Yes, Durable::No] {
            let done = log.write("later", json!({}), Time::now(), durable);
            assert!(matches!(done, Err(AuditError::Broken { .. })), "{garbage:?}: {done:?}");
        }
        assert_eq!(broken_at(&log), 4, "{garbage:?}");
        assert!(begun.elapsed().as_secs() < 5, "{garbage:?}: {:?}", begun.elapsed());
    }
}

#[test]
fn a_clock_that_went_back_is_said_where_it_did() {
    let (_folder, log) = log(0);
    let start = Time::now();
    // Small steps are those of clocks that are set over the network.
    for seconds in [0, 10, -200, 4000, 4001, 3000, 3001, 9000, 8000] {
        log.write("tested", json!({}), start.plus_seconds(seconds), Durable::Yes).unwrap();
    }
    assert_eq!(log.verify().unwrap().backwards, [6, 9]);
}

#[test]
fn a_check_ends_when_its_time_is_over() {
    let (_folder, log) = log(600);
    let whole = log.verify().unwrap();
    assert!(!whole.unfinished && whole.entries == 600);
    let part = log.verify_until(Some(std::time::Instant::now())).unwrap();
    assert!(part.unfinished && part.entries < 600, "{part:?}");
}
