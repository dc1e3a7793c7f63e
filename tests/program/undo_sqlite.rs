//! Rows of an SQLite database come back with `recourse undo`, those too that still stand in its log.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::program;

#[test]
fn rows_come_back_once_no_other_process_has_the_database_open() {
    if Command::new("sqlite3").arg("--version").output().is_err() {
        crate::support::skipped("there is no sqlite3 here");
        return;
    }
    for mode in ["delete", "wal"] {
        // Not below a temporary directory, where little counts.
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let command = |name: &str, words: &[&str]| {
            let mut command = Command::new(name);
            command.args(words).current_dir(root.path()).env_clear();
            command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", root.path());
            command
        };
        let asked = |words: &str| {
            let output = command("sqlite3", &["app.db", words]).output().unwrap();
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        };
        let mut other =
            command("sqlite3", &["app.db"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        // Whoever asks meanwhile holds a lock now and then.
        let mut words =
            format!("pragma busy_timeout=20000;\npragma journal_mode={mode};\ncreate table t(a);\nbegin;\n");
        for number in 0..200 {
            words.push_str(&format!("insert into t values('row {number}');\n"));
        }
        words.push_str("commit;\n");
        other.stdin.as_mut().unwrap().write_all(words.as_bytes()).unwrap();
        let mut waited = 0;
        while asked("select count(*) from t") != "200" {
            waited += 1;
            assert!(waited < 600, "{mode}: the rows do not appear");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert_eq!(root.path().join("app.db-wal").exists(), mode == "wal");
        let line = "sqlite3 app.db 'delete from t'";
        let output = command(program(), &["exec", "--profile", "agent", "-c", line]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && told.contains("kept"), "{mode}: {told}");
        assert_eq!(asked("select count(*) from t"), "0", "{mode}");
        // What it writes on would be taken away from it.
        if mode == "wal" || cfg!(target_os = "linux") {
            let output = command(program(), &["undo", "--yes"]).output().unwrap();
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                output.status.code() == Some(1) && told.contains("has this database open"),
                "{mode}: {told}"
            );
            assert_eq!(asked("select count(*) from t"), "0", "{mode}: {told}");
        }
        drop(other.stdin.take());
        other.wait().unwrap();
        let output = command(program(), &["undo", "--yes"]).output().unwrap();
        assert!(output.status.success(), "{mode}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(asked("select count(*) from t; pragma integrity_check"), "200\nok", "{mode}");
        assert!(fs::metadata(root.path().join("app.db")).is_ok());
    }
}

#[test]
fn rows_come_back_when_the_file_goes_behind_them() {
    if Command::new("sqlite3").arg("--version").output().is_err() {
        crate::support::skipped("there is no sqlite3 here");
        return;
    }
    for line in [
        "sqlite3 app.db 'delete from t'; rm app.db",
        "sqlite3 app.db 'delete from t' && rm -f app.db app.db-journal",
        "sqlite3 app.db 'drop table t'; mv app.db old.db; rm old.db",
    ] {
        // Not below a temporary directory, where little counts.
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let command = |name: &str, words: &[&str]| {
            let mut command = Command::new(name);
            command.args(words).current_dir(root.path()).env_clear();
            command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", root.path());
            command.output().unwrap()
        };
        command("sqlite3", &["app.db", "create table t(a); insert into t values('alone')"]);
        let ran = command(program(), &["exec", "--profile", "agent", "-c", line]);
        assert!(!root.path().join("app.db").exists(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
        let undone = command(program(), &["undo", "--yes"]);
        let told = String::from_utf8_lossy(&undone.stderr).into_owned();
        let rows = command("sqlite3", &["app.db", "select a from t"]);
        assert_eq!(String::from_utf8_lossy(&rows.stdout), "alone\n", "{line}: {told}");
    }
}
