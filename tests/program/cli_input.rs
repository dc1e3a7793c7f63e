//! Bad input: a clear error or a careful verdict, never a crash and never `allow` by accident.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Scratch, json};

fn piped(scratch: &Scratch, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = scratch
        .recourse(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn verdict(output: &Output) -> String {
    json(output)["riskAssessment"].as_str().unwrap().to_owned()
}

const JSON: &[&str] = &["evaluate", "shell", "--format", "json", "--fail-on", "never"];

fn judged(scratch: &Scratch, text: &[u8]) -> Output {
    piped(scratch, &[JSON, &["-"]].concat(), text)
}

#[test]
fn usage_errors_end_with_two_and_say_why() {
    let scratch = Scratch::new();
    for (arguments, part) in [
        (&["evaluate", "shell"][..], "COMMAND"),
        (&["evaluate", "shell", "--format", "yaml", "ls"], "yaml"),
        (&["evaluate", "shell", "--fail-on", "nevr", "ls"], "nevr"),
        (&["evaluate", "shell", "--fail-on", "", "ls"], "fail-on"),
        (&["evaluate", "shell", "--profile", "root", "ls"], "root"),
        (&["evaluate", "shell", "--environment", "", "ls"], "environment"),
        (&["evaluate", "shell", "--cwd", "/no/such/dir", "ls"], "/no/such/dir"),
        (&["evaluate", "shell", "--attested", "ls"], "attested"),
        (&["evaluate", "terraform", "/no/such/plan"], "/no/such/plan"),
        (&["evaluate", "shell", "--evidence", "/no/such/evidence", "ls"], "/no/such/evidence"),
        (&["frobnicate"], "frobnicate"),
        (&[], "Usage"),
    ] {
        let output = scratch.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(part), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn environment_variables_are_read_as_strictly_as_options() {
    let scratch = Scratch::new();
    for (name, value) in [("RECOURSE_PROFILE", "root"), ("RECOURSE_POLICY", "/no/such/policy")] {
        let output = scratch.recourse(&[JSON, &["ls"]].concat()).env(name, value).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(output.stdout.is_empty());
    }
    let odd = OsStr::from_bytes(b"\xff");
    let output = scratch.recourse(&[JSON, &["ls"]].concat()).env("RECOURSE_ACTOR", odd).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn text_that_is_no_text() {
    let scratch = Scratch::new();
    let output = judged(&scratch, b"rm -rf \xff\xfe");
    assert_eq!(output.status.code(), Some(2), "not UTF-8");
    let output = judged(&scratch, b"ls\0rm -rf ~");
    assert_ne!(verdict(&output), "allow", "NUL");
    let odd = OsStr::from_bytes(b"\xff\xfe");
    let words: Vec<&OsStr> = JSON
        .iter()
        .map(OsStr::new)
        .chain([OsStr::new("--"), OsStr::new("rm"), OsStr::new("-rf"), odd])
        .collect();
    let output = scratch.run(&words);
    assert_eq!(output.status.code(), Some(0));
    assert_ne!(verdict(&output), "allow", "a file whose name cannot be read");
}

#[test]
fn nothing_at_all_changes_nothing() {
    let scratch = Scratch::new();
    for text in ["", "   ", "\n\n", "# only a comment"] {
        assert_eq!(verdict(&judged(&scratch, text.as_bytes())), "allow", "{text:?}");
    }
}

#[test]
fn large_and_deep_text_ends_in_time_and_is_never_allowed_unread() {
    let scratch = Scratch::new();
    let deep = "$(".repeat(20_000);
    let nested = format!("{}rm -rf /usr{}", "( ".repeat(5000), " )".repeat(5000));
    for text in ["a|".repeat(524_288), "x".repeat(1 << 20), deep, nested, "\\\n".repeat(400_000)] {
        let start = Instant::now();
        let output = judged(&scratch, text.as_bytes());
        let took = start.elapsed();
        assert_eq!(output.status.code(), Some(0), "{}…", &text[..10]);
        assert!(took < Duration::from_secs(20), "{}… took {took:?}", &text[..10]);
        if !text.starts_with(['x', '\\']) {
            assert_ne!(verdict(&output), "allow", "{}…", &text[..10]);
        }
    }
}

#[test]
fn directories_that_may_not_be_read() {
    let scratch = Scratch::new();
    let inner = scratch.file("closed/inner/file", "content").parent().unwrap().to_path_buf();
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o000)).unwrap();
    let readable = fs::read_dir(&inner).is_ok();
    let output = scratch.run(&[JSON, &["rm -rf closed"]].concat());
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).unwrap();
    // The administrator reads everything.
    assert!(readable || verdict(&output) != "allow");
}

#[test]
fn links_in_a_circle_end() {
    let scratch = Scratch::new();
    symlink("b", scratch.work().join("a")).unwrap();
    symlink("a", scratch.work().join("b")).unwrap();
    fs::create_dir(scratch.work().join("d")).unwrap();
    symlink("..", scratch.work().join("d/up")).unwrap();
    for text in ["rm -rf a", "cat a/x > b", "rm -rf d", "cd a && rm -rf *", "echo x > a"] {
        let output = scratch.run(&[JSON, &[text]].concat());
        assert_eq!(output.status.code(), Some(0), "{text}");
        json(&output);
    }
}

#[test]
fn a_broken_git_index_is_not_a_clean_one() {
    let scratch = Scratch::new();
    let git = |arguments: &[&str]| {
        let status = std::process::Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main"])
            .args(arguments)
            .current_dir(scratch.work())
            .env("HOME", scratch.work())
            .output()
            .unwrap();
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
    };
    git(&["init", "-q"]);
    scratch.file("src/a", "committed");
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    fs::write(scratch.work().join(".git/index"), b"DIRC\0\0\0\x02\0\0\xff\xffgarbage").unwrap();
    for text in ["rm -rf src", "git checkout -- src", "git reset --hard"] {
        let output = scratch.run(&[JSON, &[text]].concat());
        assert_ne!(verdict(&output), "allow", "{text}");
    }
}

#[test]
fn what_is_no_plan_is_an_error() {
    let scratch = Scratch::new();
    for text in [
        "{}",
        "",
        "[]",
        "null",
        "not json",
        "{\"resource_changes\": []}",
        "{\"format_version\": \"1.2\"",
        "\u{0}",
    ] {
        let output = piped(&scratch, &["evaluate", "terraform", "--format", "json", "-"], text.as_bytes());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text:?}: {said}");
        assert!(output.stdout.is_empty() && !said.is_empty(), "{text:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let scratch = Scratch::new();
    let line = format!("{} explain 'rm -rf a b c' | true", crate::support::program());
    let output =
        std::process::Command::new("sh").arg("-c").arg(&line).current_dir(scratch.work()).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_broken_policy_judges_nothing() {
    let scratch = Scratch::new();
    for (text, place) in [
        ("[[rule]]\n", ".recourse.toml:1"),
        ("verdict = 1\n", ".recourse.toml:1"),
        ("\u{0}", ".recourse.toml:1"),
    ] {
        scratch.file(".recourse.toml", text);
        let output = scratch.run(&[JSON, &["ls"]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(place), "{said}");
    }
    fs::remove_file(scratch.work().join(".recourse.toml")).unwrap();
    fs::create_dir(scratch.work().join(".recourse.toml")).unwrap();
    assert_eq!(scratch.run(&[JSON, &["ls"]].concat()).status.code(), Some(2));
}
