//! What was approved or attested is what runs: the files that a command follows, the program itself, what both would do.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;

use recourse::attest::keys::KeyStore;
use recourse::attest::sign::{Chain, DEFAULT_VALIDITY, Evaluation, Profile, Signer, SignerSettings};
use recourse::attest::store::Store;
use recourse::attest::{Attestation, Origin, Places};
use serde_json::{Value, json};

use crate::support::{Scratch, exists, no_person_here, program};

const ALLOW: &str = "[[rule]]\nverdict = \"allow\"\n";
const ASK: &str = "[[rule]]\nverdict = \"escalate\"\n";

/// A scratch whose own instance signs, and where nothing runs without its attestation.
fn requiring(policy: &str) -> Scratch {
    let scratch = Scratch::with_policy(policy);
    scratch.config("[attestation]\nmode = \"require\"\n");
    scratch
}

/// The attestation of a command, as `evaluate` hands it out.
fn attested(scratch: &Scratch, words: &[&str]) -> Value {
    let mut all = vec!["evaluate", "shell", "--fail-on", "never", "--format", "json", "--"];
    all.extend(words);
    crate::support::json(&scratch.run(&all))["attestation"].clone()
}

/// A signer with the scratch's own keys.
fn own(scratch: &Scratch) -> Signer {
    let home = scratch.root().join("home");
    let places = Places {
        data: home.join(".local/share/recourse"),
        state: home.join(".local/state/recourse"),
        cache: home.join(".cache/recourse"),
    };
    let settings = SignerSettings {
        base: Origin::base("http://127.0.0.1:7471").unwrap(),
        evaluator: "recourse:test:1".to_owned(),
        profile: Profile::Full,
        validity: DEFAULT_VALIDITY,
    };
    Signer::new(KeyStore::open(&places), Store::open(&places), settings)
}

/// A person's approval of it.
fn approved(scratch: &Scratch, evaluation: &Value) -> Value {
    let parent = Attestation::from_value(evaluation).unwrap();
    let output = json!({
        "schemaVersion": "recourse.approval.v1", "decision": "approved",
        "riskAssessment": parent.risk_assessment(), "assessmentReason": "looked at it",
        "approver": {"user": "ann", "uid": nix::unistd::getuid().as_raw(), "method": "terminal"},
    });
    let chain = Some(Chain { chain_id: parent.id().to_owned(), parent: Some(parent.digest()) });
    own(scratch).attest(Evaluation { input: parent.input().clone(), output, chain }).unwrap().to_value()
}

fn exec(scratch: &Scratch, documents: &[&Value], words: &[&str]) -> Output {
    let mut all = vec!["exec".to_owned()];
    for (number, document) in documents.iter().enumerate() {
        let file = scratch.root().join(format!("{number}.json"));
        fs::write(&file, document.to_string()).unwrap();
        all.extend(["--attestation".to_owned(), file.display().to_string()]);
    }
    all.push("--".to_owned());
    all.extend(words.iter().map(|word| (*word).to_owned()));
    scratch.run(&all)
}

fn refused(output: &Output, why: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(126), "{why}: {said}");
    assert!(said.contains("refused: cross_check_mismatch") && said.contains(why), "{why}: {said}");
}

fn tool(scratch: &Scratch, name: &str, from: &str) -> PathBuf {
    let path = scratch.work().join(name);
    let _ = fs::remove_file(&path);
    fs::copy(from, &path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_file_that_was_swapped_is_refused_and_named() {
    let put = |scratch: &Scratch, text: &str| {
        scratch.file("deploy.sh", text);
    };
    type Change = (&'static [&'static str], fn(&Scratch), fn(&Scratch), &'static str);
    let changes: [Change; 9] = [
        (&["bash", "deploy.sh"], |_| {}, |s| drop(s.file("deploy.sh", "touch one two\n")), "deploy.sh"),
        (&["./deploy.sh"], |_| {}, |s| drop(s.file("deploy.sh", "touch one two\n")), "deploy.sh"),
        (&["env", "bash", "deploy.sh"], |_| {}, |s| drop(s.file("deploy.sh", "touch a\n")), "deploy.sh"),
        (
            &["bash", "outer.sh"],
            |s| drop(s.file("outer.sh", "cd .\n. ./deploy.sh\n")),
            |s| drop(s.file("deploy.sh", "touch one two\n")),
            "deploy.sh",
        ),
        (
            &["make", "deploy"],
            |s| drop(s.file("Makefile", "deploy:\n\ttouch one\n")),
            |s| drop(s.file("Makefile", "deploy:\n\ttouch two\n")),
            "Makefile",
        ),
        (
            &["bash", "link.sh"],
            |s| symlink("deploy.sh", s.work().join("link.sh")).unwrap(),
            |s| {
                s.file("other.sh", "touch one two\n");
                fs::remove_file(s.work().join("link.sh")).unwrap();
                symlink("other.sh", s.work().join("link.sh")).unwrap();
            },
            "link.sh",
        ),
        (
            &["bash", "-c", "xargs touch < list"],
            |s| drop(s.file("list", "one\n")),
            |s| drop(s.file("list", "two\n")),
            "list",
        ),
        (
            &["./tool", "one"],
            |s| drop(tool(s, "tool", "/bin/true")),
            |s| drop(tool(s, "tool", "/bin/touch")),
            "tool",
        ),
        (&["bash", "deploy.sh"], |_| {}, |s| fs::remove_file(s.work().join("deploy.sh")).unwrap(), "gone"),
    ];
    for (words, before, after, named) in changes {
        let scratch = requiring(ALLOW);
        put(&scratch, "#!/bin/bash\ntouch one\n");
        fs::set_permissions(scratch.work().join("deploy.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        before(&scratch);
        let attestation = attested(&scratch, words);
        assert!(attestation["output"]["materials"].is_array(), "{words:?}: {attestation}");
        after(&scratch);
        refused(&exec(&scratch, &[&attestation], words), named);
        assert!(!exists(&scratch.work().join("one")), "{words:?}");
    }
}

#[test]
fn what_was_attested_and_is_still_there_runs() {
    let scratch = requiring(ALLOW);
    scratch.file("deploy.sh", "#!/bin/bash\necho \"$0\" > name\n. ./part.sh\n");
    scratch.file("part.sh", "touch one\n");
    fs::set_permissions(scratch.work().join("deploy.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let attestation = attested(&scratch, &["./deploy.sh"]);
    let parts: Vec<&str> = attestation["output"]["materials"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| Path::new(one["path"].as_str().unwrap()).file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(parts, ["deploy.sh", "part.sh"]);
    let output = exec(&scratch, &[&attestation], &["./deploy.sh"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(exists(&scratch.work().join("one")));
    // A script finds itself under the name that it was called by.
    assert_eq!(fs::read_to_string(scratch.work().join("name")).unwrap(), "./deploy.sh\n");
    let program = tool(&scratch, "tool", "/bin/touch");
    let attestation = attested(&scratch, &["./tool", "two"]);
    let output = exec(&scratch, &[&attestation], &["./tool", "two"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(exists(&scratch.work().join("two")) && exists(&program));
}

#[test]
fn an_approval_covers_what_the_person_read() {
    if no_person_here() {
        return;
    }
    let scratch = requiring(ASK);
    scratch.file("deploy.sh", "touch one\n");
    let words = ["bash", "deploy.sh"];
    let evaluation = attested(&scratch, &words);
    let approval = approved(&scratch, &evaluation);
    scratch.file("deploy.sh", "touch two\n");
    refused(&exec(&scratch, &[&evaluation, &approval], &words), "deploy.sh");
    assert!(!exists(&scratch.work().join("two")));
    scratch.file("deploy.sh", "touch one\n");
    let output = exec(&scratch, &[&evaluation, &approval], &words);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(exists(&scratch.work().join("one")));
}

/// The words are the same, and what they do here is more than what was attested.
#[test]
fn a_consequence_that_the_attested_output_lacks_is_refused_and_named() {
    let scratch = Scratch::lasting();
    scratch.policy(ALLOW);
    scratch.config("[attestation]\nmode = \"require\"\n");
    let words = ["rm", "-rf", "photos"];
    let nothing = attested(&scratch, &words);
    scratch.file("photos/only-copy", "bytes that exist nowhere else\n");
    refused(&exec(&scratch, &[&nothing], &words), "delete");
    assert!(exists(&scratch.work().join("photos/only-copy")));
    let known = attested(&scratch, &words);
    // Milder than attested is no other act.
    fs::remove_dir_all(scratch.work().join("photos")).unwrap();
    fs::create_dir(scratch.work().join("photos")).unwrap();
    let output = exec(&scratch, &[&known], &words);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Whoever is asked has time, and so has whoever swaps the file meanwhile.
#[test]
fn what_changes_while_a_person_is_asked_does_not_run() {
    if no_person_here() {
        return;
    }
    for config in ["", "[attestation]\nmode = \"require\"\n"] {
        let scratch = Scratch::with_policy(ASK);
        scratch.config(config);
        scratch.file("deploy.sh", "touch one\n");
        let mut terminal = scratch.in_terminal(&[program(), "exec", "--", "bash", "deploy.sh"]);
        terminal.expect("Your decision");
        scratch.file("deploy.sh", "touch two\n");
        terminal.send("r");
        let (status, text) = terminal.finish();
        assert_eq!(status, 126, "{text}");
        assert!(text.contains("changed after it was judged"), "{text}");
        assert!(!exists(&scratch.work().join("two")) && !exists(&scratch.work().join("one")));
    }
}

/// A version manager's stand-in for a program: a script that hands on to another script, which nobody can follow to its end.
fn version_manager(scratch: &Scratch) -> String {
    let root = scratch.root().join("home/.pyenv");
    let shown = root.display();
    let put = |name: &str, text: &str| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/usr/bin/env bash\n{text}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let stand_in = format!("set -e\nexec \"{shown}/libexec/manager\" exec \"${{0##*/}}\" \"$@\"\n");
    put("shims/python3", &stand_in);
    put(
        "libexec/manager",
        "hooks=\"$(\"$0-hooks\")\"\neval \"$hooks\"\nshift\nPATH=/usr/bin:/bin\nexec \"$@\"\n",
    );
    put("libexec/manager-hooks", "compgen -A file /nonexistent/ || true\n");
    format!("{shown}/shims:/usr/bin:/bin")
}

#[test]
fn what_was_attested_by_its_bare_name_runs_through_a_version_managers_stand_in() {
    if !Path::new("/usr/bin/python3").exists() {
        return crate::support::skipped("there is no /usr/bin/python3");
    }
    let scratch = requiring(ALLOW);
    let path = version_manager(&scratch);
    let script = "open('ran', 'w').write('1')\n";
    scratch.file("s.py", script);
    let with = |words: &[&str]| scratch.recourse(words).env("PATH", &path).output().unwrap();
    let words = ["evaluate", "shell", "--fail-on", "never", "--format", "json", "--", "python3", "s.py"];
    let attestation = crate::support::json(&with(&words))["attestation"].clone();
    let file = scratch.root().join("0.json");
    fs::write(&file, attestation.to_string()).unwrap();
    let exec = || with(&["exec", "--attestation", file.to_str().unwrap(), "--", "python3", "s.py"]);
    // The stand-in is bound like any file that is followed.
    let stand_in = scratch.root().join("home/.pyenv/shims/python3");
    let text = fs::read_to_string(&stand_in).unwrap();
    fs::write(&stand_in, format!("{text}# changed\n")).unwrap();
    refused(&exec(), "shims/python3");
    fs::write(&stand_in, text).unwrap();
    let output = exec();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(scratch.work().join("ran").exists());
    // Shims of other names are in nobody's way.
    assert!(scratch.run(&["shim", "add", "rm"]).status.success());
    fs::remove_file(scratch.work().join("ran")).unwrap();
    let attestation = crate::support::json(&with(&words))["attestation"].clone();
    fs::write(&file, attestation.to_string()).unwrap();
    let output = exec();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Programs that are not here are stood in for: what is read of them is their words.
#[test]
fn a_file_that_words_name_is_what_it_was() {
    let rows: [(&[&str], &str); 12] = [
        (&["psql", "-f", "q.in"], "q.in"),
        (&["psql", "-fq.in"], "q.in"),
        (&["sqlite3", "b.db", ".read q.in"], "q.in"),
        (&["sqlite3", "-init", "q.in", "b.db", "delete from t"], "q.in"),
        (&["git", "apply", "q.in"], "q.in"),
        (&["git", "rm", "--pathspec-from-file=q.in"], "q.in"),
        (&["rsync", "-a", "--remove-source-files", "--files-from=q.in", ".", "out2/"], "q.in"),
        (&["tar", "-cf", "o.tar", "-T", "q.in"], "q.in"),
        (&["systemctl", "enable", "./q.in"], "q.in"),
        (&["crontab", "q.in"], "q.in"),
        (&["pip", "install", "-r", "q.in"], "q.in"),
        (&["nobody-knows", "--input-json", "file://q.in"], "q.in"),
    ];
    for (words, name) in rows {
        let scratch = requiring(ALLOW);
        scratch.file(name, "one\n");
        scratch.file("o.tar", "an archive\n");
        let attestation = attested(&scratch, words);
        let materials = attestation["output"]["materials"].to_string();
        assert!(materials.contains("/q.in\""), "{words:?}: {materials}");
        scratch.file(name, "another\n");
        let mut command = scratch.recourse(&["exec", "--attestation"]);
        let file = scratch.root().join("a.json");
        fs::write(&file, attestation.to_string()).unwrap();
        let output = command.arg(&file).arg("--").args(words).output().unwrap();
        if output.status.code() == Some(127) {
            continue;
        }
        refused(&output, "q.in");
    }
}

#[test]
fn what_is_only_read_may_change() {
    let scratch = requiring(ALLOW);
    scratch.file("app.log", "one\n");
    for words in [&["cat", "app.log"][..], &["ls", "-l", "app.log"]] {
        scratch.file("app.log", "one\n");
        let attestation = attested(&scratch, words);
        scratch.file("app.log", "one\ntwo\n");
        let output = exec(&scratch, &[&attestation], words);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_file_that_an_alias_stands_in_is_one_that_is_followed() {
    let scratch = requiring(ALLOW);
    let alias = |text: &str| {
        let mut git = std::process::Command::new("git");
        git.args(["config", "alias.do", text]).current_dir(scratch.work());
        assert!(git.status().unwrap().success());
    };
    assert!(
        std::process::Command::new("git")
            .arg("init")
            .arg("-q")
            .arg(scratch.work())
            .status()
            .unwrap()
            .success()
    );
    // What it does afterwards is no other act, and yet not what was attested.
    for (before, after) in [("!touch one", "!touch one && :"), ("status", "status --short")] {
        alias(before);
        let attestation = attested(&scratch, &["git", "do"]);
        let materials = attestation["output"]["materials"].to_string();
        assert!(materials.contains("/.git/config\""), "{materials}");
        alias(after);
        refused(&exec(&scratch, &[&attestation], &["git", "do"]), ".git/config");
    }
    // Where no alias is used, it is nothing that anybody rests on.
    alias("status");
    let attestation = attested(&scratch, &["git", "status"]);
    assert!(!attestation["output"]["materials"].to_string().contains(".git/config"), "{attestation}");
}
