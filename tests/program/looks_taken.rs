//! Looks that are run before it is decided: at the question, with `--look`, by the policy; with programs that are not the
//! real ones where every way of going wrong has to be had, and with the real ones.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::{InTerminal, Scratch, no_person_here, program};

const REMOVE: &[&str] = &["--", "aws", "s3", "rm", "s3://logs/k"];

/// Where a person has programs of their own.
fn bin(scratch: &Scratch) -> PathBuf {
    scratch.root().join("home/.local/bin")
}

/// Writes down what it was asked, and answers questions with this shell text. It cannot be read, as a real one.
fn aws(scratch: &Scratch, answer: &str) {
    let text = format!(
        "case \"$2\" in get-*|list-*|describe-*) echo \"$*\" >> {0}/asked\n{answer}\n;; *) echo \"$*\" >> {0}/ran;; esac\n",
        scratch.root().display()
    );
    let python =
        format!("import os, sys\nos.execv('/bin/sh', ['sh', '-c', {text:?}, 'stub'] + sys.argv[1:])\n");
    let path = bin(scratch).join("aws");
    fs::create_dir_all(bin(scratch)).unwrap();
    fs::write(&path, format!("#!/usr/bin/python3\n{python}")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Where a program of this name is found first.
fn path(folder: &Path) -> String {
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default())
}

fn told(scratch: &Scratch, name: &str) -> String {
    fs::read_to_string(scratch.root().join(name)).unwrap_or_default()
}

fn exec(scratch: &Scratch, options: &[&str]) -> Output {
    let words: Vec<&str> =
        ["exec", "--profile", "human"].iter().chain(options).chain(REMOVE).copied().collect();
    scratch.recourse(&words).env("PATH", path(&bin(scratch))).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const VERSIONED: &str =
    "case \"$2\" in get-bucket-versioning) echo '{\"Status\": \"Enabled\"}';; *) exit 254;; esac";

/// There is no real one before it on the search path.
fn stub_is_first() -> bool {
    let first =
        ["/usr/bin/aws", "/usr/local/bin/aws", "/bin/aws"].iter().all(|path| !Path::new(path).exists());
    if !first {
        println!("SKIPPED: aws is installed for the whole machine");
    }
    first
}

#[test]
fn a_look_that_helps_lets_it_run_and_its_output_is_kept() {
    if !stub_is_first() {
        return;
    }
    let scratch = Scratch::lasting();
    aws(&scratch, VERSIONED);
    let refused = exec(&scratch, &[]);
    assert_eq!(refused.status.code(), Some(126), "{}", said(&refused));
    assert_eq!((told(&scratch, "asked"), told(&scratch, "ran")), (String::new(), String::new()));
    let done = exec(&scratch, &["--look"]);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    assert_eq!(told(&scratch, "ran"), "s3 rm s3://logs/k\n");
    let lines = said(&done);
    assert!(lines.contains("recourse: looking: aws s3api get-bucket-versioning --bucket logs"), "{lines}");
    let kept =
        lines.lines().find_map(|line| line.strip_prefix("recourse: what they told is kept: ")).unwrap();
    assert_eq!(fs::metadata(kept).unwrap().permissions().mode() & 0o777, 0o600);
    // What is kept is what `evaluate` takes.
    let again = scratch.run(&["evaluate", "shell", "--evidence", kept, "aws s3 rm s3://logs/k"]);
    assert_eq!(again.status.code(), scratch.run(&["evaluate", "shell", "ls"]).status.code(), "{again:?}");
}

#[test]
fn a_look_that_does_not_help_stops_it_as_before() {
    if !stub_is_first() {
        return;
    }
    for (answer, line) in [
        ("echo '{\"Status\": \"Suspended\"}'", ""),
        ("echo 'Unable to locate credentials' >&2; exit 255", "Unable to locate credentials"),
        ("printf '\\033]0;x\\007' >&2; exit 1", "told nothing"),
        ("exit 3", "does not say why"),
        ("head -c 3000000 /dev/zero", "told nothing"),
        ("printf '\\377'", "no text"),
        ("echo \"$RECOURSE_KEY_PASSPHRASE\" >&2; exit 1", "does not say why"),
    ] {
        let scratch = Scratch::lasting();
        aws(&scratch, answer);
        let words: Vec<&str> =
            ["exec", "--profile", "human", "--look"].iter().chain(REMOVE).copied().collect();
        let done = scratch
            .recourse(&words)
            .env("PATH", path(&bin(&scratch)))
            .env("RECOURSE_KEY_PASSPHRASE", "hunter2")
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(126), "{answer}: {}", said(&done));
        assert!(said(&done).contains(line), "{answer}: {}", said(&done));
        assert!(!said(&done).contains(['\u{1b}', '\u{7}']) && !said(&done).contains("hunter2"), "{answer}");
        assert_eq!(told(&scratch, "ran"), "");
        assert!(!told(&scratch, "asked").is_empty(), "{answer}");
    }
}

#[test]
fn a_program_of_the_directory_itself_never_looks() {
    if !stub_is_first() {
        return;
    }
    let scratch = Scratch::lasting();
    aws(&scratch, VERSIONED);
    let words: Vec<&str> = ["exec", "--profile", "human", "--look"].iter().chain(REMOVE).copied().collect();
    let mut command = scratch.recourse(&words);
    let path = format!("{}:/usr/bin:/bin", bin(&scratch).display());
    command.current_dir(scratch.root().join("home")).env("PATH", path);
    let done = command.output().unwrap();
    assert_eq!(done.status.code(), Some(126), "{}", said(&done));
    assert_eq!(told(&scratch, "asked"), "");
    assert!(said(&done).contains("there is no aws outside of this directory"), "{}", said(&done));
}

#[test]
fn a_policy_names_the_kinds_that_are_looked_at() {
    if !stub_is_first() {
        return;
    }
    for (kinds, ran) in [("aws.s3.*", true), ("aws.rds.*", false)] {
        let scratch = Scratch::lasting();
        scratch.policy(&format!("[look]\nkinds = [\"{kinds}\"]\n"));
        aws(&scratch, VERSIONED);
        let done = exec(&scratch, &[]);
        assert_eq!(done.status.success(), ran, "{kinds}: {}", said(&done));
        assert_eq!(!told(&scratch, "ran").is_empty(), ran);
    }
    // A project has no say in what is run.
    let scratch = Scratch::lasting();
    aws(&scratch, VERSIONED);
    scratch.file(".recourse.toml", "[look]\nkinds = [\"*\"]\n");
    let done = exec(&scratch, &[]);
    assert!(!done.status.success(), "{}", said(&done));
    assert_eq!(told(&scratch, "asked"), "");
}

/// At the keys of the question about the removal.
fn asked(scratch: &Scratch, environment: &str) -> InTerminal {
    let path = path(&bin(scratch));
    let words = [program(), "exec", "--environment", environment, "-c", "aws s3 rm s3://logs/k"];
    let mut terminal = scratch.in_sized_terminal(&words, 100, &[("PATH", &path)]);
    terminal.expect("Your decision");
    terminal
}

#[test]
fn l_at_the_question_shows_the_looks_runs_them_and_judges_again() {
    if no_person_here() || !stub_is_first() {
        return;
    }
    let scratch = Scratch::lasting();
    aws(&scratch, VERSIONED);
    let mut terminal = asked(&scratch, "staging");
    terminal.send("l");
    terminal.expect("[l] run them");
    assert_eq!(told(&scratch, "asked"), "", "shown first");
    terminal.press(&["x"]);
    terminal.expect_count("Your decision", 2);
    assert_eq!(told(&scratch, "asked"), "", "another key goes back");
    terminal.press(&["l"]);
    terminal.expect_count("[l] run them", 2);
    terminal.press(&["l"]);
    let (status, text) = terminal.finish();
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("get-bucket-versioning"), "{text}");
    assert_eq!(told(&scratch, "ran"), "s3 rm s3://logs/k\n");
}

#[test]
fn what_no_look_helped_with_is_asked_again_without_it() {
    if no_person_here() || !stub_is_first() {
        return;
    }
    let scratch = Scratch::lasting();
    aws(&scratch, "echo '{\"Status\": \"Suspended\"}'");
    let mut terminal = asked(&scratch, "staging");
    let start = Instant::now();
    let mut asked = 1;
    while start.elapsed() < Duration::from_secs(60)
        && terminal.text().matches("[l] look first").count() == asked
    {
        terminal.press(&["l"]);
        terminal.expect_count("[l] run them", asked);
        terminal.press(&["l"]);
        asked += 1;
        terminal.expect_count("Your decision", asked);
    }
    terminal.press(&["\r"]);
    let (status, text) = terminal.finish();
    assert_eq!(status, 126, "{text}");
    assert!(asked > 1 && !told(&scratch, "asked").is_empty(), "{text}");
    assert_eq!(told(&scratch, "ran"), "");
}

/// Programs of clouds that were installed for the tests: `aws` and `moto_server`.
fn cloud_tools() -> Option<PathBuf> {
    let bin = std::env::var_os("RECOURSE_CLOUD_TOOLS").map(|folder| PathBuf::from(folder).join("bin"));
    let found = bin.filter(|bin| ["aws", "moto_server"].iter().all(|name| bin.join(name).exists()));
    if found.is_none() {
        println!("SKIPPED: RECOURSE_CLOUD_TOOLS names no folder with aws and moto_server");
    }
    found
}

struct Moto(Child);

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_real_aws_looks_at_a_real_api() {
    let Some(bin) = cloud_tools() else { return };
    let scratch = Scratch::lasting();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    let server = Command::new(bin.join("moto_server"))
        .args(["-H", "127.0.0.1", "-p", &port.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _server = Moto(server.unwrap());
    let with = |command: &mut Command| -> Output {
        command
            .env("PATH", path(&bin))
            .env("AWS_ENDPOINT_URL", &url)
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test")
            .env("AWS_DEFAULT_REGION", "eu-central-1")
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .output()
            .unwrap()
    };
    let aws = |words: &[&str]| with(Command::new(bin.join("aws")).args(words));
    let start = Instant::now();
    while !aws(&["s3", "ls"]).status.success() {
        assert!(start.elapsed() < Duration::from_secs(120), "moto does not answer");
    }
    let body = scratch.file("k", "content");
    for bucket in ["versioned", "plain"] {
        for words in [
            vec![
                "s3api",
                "create-bucket",
                "--bucket",
                bucket,
                "--create-bucket-configuration",
                "LocationConstraint=eu-central-1",
            ],
            vec!["s3", "cp", body.to_str().unwrap(), &format!("s3://{bucket}/k")],
        ] {
            let done = aws(&words);
            assert!(done.status.success(), "{words:?}: {done:?}");
        }
        if bucket == "versioned" {
            let on = [
                "s3api",
                "put-bucket-versioning",
                "--bucket",
                bucket,
                "--versioning-configuration",
                "Status=Enabled",
            ];
            assert!(aws(&on).status.success());
            assert!(aws(&["s3", "cp", body.to_str().unwrap(), "s3://versioned/k"]).status.success());
        }
    }
    for (bucket, runs) in [("versioned", true), ("plain", false)] {
        let key = format!("s3://{bucket}/k");
        let done = with(&mut scratch.recourse(&["exec", "--look", "--", "aws", "s3", "rm", &key]));
        assert_eq!(done.status.success(), runs, "{bucket}: {}", said(&done));
        assert_eq!(aws(&["s3", "ls", &key]).status.success(), !runs, "{bucket}");
    }
    // A table with a backup, and one without.
    for (table, backup) in [("kept", true), ("lone", false)] {
        let made = aws(&[
            "dynamodb",
            "create-table",
            "--table-name",
            table,
            "--attribute-definitions",
            "AttributeName=id,AttributeType=S",
            "--key-schema",
            "AttributeName=id,KeyType=HASH",
            "--billing-mode",
            "PAY_PER_REQUEST",
        ]);
        assert!(made.status.success(), "{made:?}");
        if backup {
            let made = aws(&["dynamodb", "create-backup", "--table-name", table, "--backup-name", "before"]);
            assert!(made.status.success(), "{made:?}");
        } else {
            let item = ["dynamodb", "put-item", "--table-name", table, "--item", "{\"id\": {\"S\": \"1\"}}"];
            assert!(aws(&item).status.success());
        }
        let words = ["exec", "--look", "--", "aws", "dynamodb", "delete-table", "--table-name", table];
        let done = with(&mut scratch.recourse(&words));
        assert_eq!(done.status.success(), backup, "{table}: {}", said(&done));
    }
}
