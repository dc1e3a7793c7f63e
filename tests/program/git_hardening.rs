//! A repository whose configuration names programs everywhere: probing it runs none of them.

// A test fails loudly.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use recourse::evidence::{Session, collect};
use recourse::model::{
    Action, Cause, Context, Evidence, Fact, FactValue, Facts, Mutation, PathSubject, RuleRef, Source,
    Subject, Target, Value,
};
use recourse::world::{LookError, Query, RealWorld, World};

fn git(dir: &Path, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"])
        .args(["-c", "protocol.file.allow=always"])
        .args(words)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git is installed");
    assert!(done.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn mutation(action: Action, kind: &str, subject: Subject, facts: &[(&str, FactValue)]) -> Mutation {
    let mut all = Facts::new();
    for (key, value) in facts {
        all.insert((*key).to_owned(), Fact::new(value.clone(), ""));
    }
    Mutation {
        action,
        kind: kind.to_owned(),
        subject,
        target: Target::default(),
        source: Source::Shell,
        raw: String::new(),
        span: None,
        rule: RuleRef::default(),
        cause: Cause::Rule,
        context: Context::default(),
        facts: all,
        dependents: Vec::new(),
    }
}

fn on(dir: &Path, names: &[&str]) -> Subject {
    Subject::Git {
        dir: Value::known(dir.to_str().unwrap()),
        names: names.iter().map(|name| Value::known(*name)).collect(),
        saved: BTreeSet::new(),
        copies: Vec::new(),
    }
}

fn yes() -> FactValue {
    FactValue::Bool(true)
}

fn text(value: &str) -> FactValue {
    FactValue::Text(value.to_owned())
}

/// Every question that the probe knows.
fn questions(dir: &Path) -> Vec<Mutation> {
    let mut tree = PathSubject::new(Value::known(dir.to_str().unwrap()), ".");
    tree.recursive = true;
    vec![
        mutation(Action::Update, "git.changes", on(dir, &[]), &[("whole", yes())]),
        mutation(Action::Update, "git.changes", on(dir, &["."]), &[]),
        mutation(Action::Update, "git.changes", on(dir, &["HEAD", "a.txt"]), &[("maybe-source", yes())]),
        mutation(Action::Delete, "git.untracked", on(dir, &[]), &[("force", yes()), ("directories", yes())]),
        mutation(
            Action::Delete,
            "git.untracked",
            on(dir, &[]),
            &[("force", yes()), ("directories", yes()), ("ignored", text("also"))],
        ),
        mutation(Action::Delete, "git.branch", on(dir, &["topic"]), &[]),
        mutation(Action::Delete, "git.tag", on(dir, &["v1"]), &[]),
        mutation(Action::Update, "git.commits", on(dir, &[]), &[("to", text("HEAD~1"))]),
        mutation(Action::Delete, "git.stash", on(dir, &[]), &[("all", yes())]),
        mutation(
            Action::Delete,
            "git.remote-ref",
            on(dir, &["origin"]),
            &[("mirror", yes()), ("has-remote", yes()), ("remote", text("origin"))],
        ),
        mutation(Action::Delete, "git.reflog", on(dir, &[]), &[]),
        mutation(Action::Delete, "git.objects", on(dir, &[]), &[("expire", text("now"))]),
        mutation(Action::Delete, "tree", Subject::Path(tree), &[]),
    ]
}

fn ask_all(world: &dyn World, dir: &Path) -> Vec<Evidence> {
    let mut session = Session::new();
    questions(dir).iter().map(|question| collect(question, world, &mut session)).collect()
}

/// A repository in which every program that git could be made to run leaves a mark.
fn trapped(home: &Path) -> (PathBuf, PathBuf) {
    let marks = home.join("marks");
    std::fs::create_dir(&marks).unwrap();
    let top = home.join("repo");
    std::fs::create_dir(&top).unwrap();
    git(&top, &["init", "-q"]);
    for name in ["a.txt", "b.txt"] {
        std::fs::write(top.join(name), format!("{name}\n")).unwrap();
    }
    git(&top, &["add", "-A"]);
    git(&top, &["commit", "-qm", "one"]);
    git(&top, &["commit", "-q", "--allow-empty", "-m", "two"]);
    git(&top, &["branch", "topic"]);
    git(&top, &["tag", "-a", "v1", "-m", "v1"]);
    std::fs::write(top.join("a.txt"), "stashed\n").unwrap();
    git(&top, &["stash", "-q"]);
    git(home, &["clone", "-q", "--bare", "repo", "remote.git"]);
    git(&top, &["remote", "add", "origin", "../remote.git"]);
    let mark = |name: &str| format!("touch {}/{name}; cat", marks.display());
    let programs = [
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "pager.branch",
        "core.editor",
        "core.askPass",
        "core.sshCommand",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "sequence.editor",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "merge.evil.driver",
        "credential.helper",
        "gpg.program",
        "gpg.ssh.program",
        "uploadpack.packObjectsHook",
        "interactive.diffFilter",
        "remote.origin.uploadpack",
        "remote.origin.receivepack",
    ];
    for place in [&top, &home.join("remote.git")] {
        for key in programs {
            git(place, &["config", key, &mark(key)]);
        }
        for name in ["ls-files", "rev-list", "fsck", "for-each-ref", "diff-index"] {
            git(place, &["config", &format!("alias.{name}"), &format!("!{}", mark("alias"))]);
        }
        for (key, value) in [
            ("filter.evil.required", "true"),
            ("log.showSignature", "true"),
            ("core.untrackedCache", "true"),
            ("core.hooksPath", home.join("hooks").to_str().unwrap()),
        ] {
            git(place, &["config", key, value]);
        }
    }
    std::fs::create_dir(home.join("hooks")).unwrap();
    for hook in
        ["post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout", "query-watchman"]
    {
        let path = home.join("hooks").join(hook);
        std::fs::write(&path, format!("#!/bin/sh\n{}\n", mark("hook"))).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
    }
    let attributes = "* filter=evil diff=evil merge=evil\n";
    std::fs::write(top.join(".gitattributes"), attributes).unwrap();
    std::fs::create_dir_all(top.join(".git/info")).unwrap();
    std::fs::write(top.join(".git/info/attributes"), attributes).unwrap();
    // Changed, touched and new files, so that anything that compares contents has something to do.
    std::fs::write(top.join("a.txt"), "changed\n").unwrap();
    std::fs::write(top.join("b.txt"), "b.txt\n").unwrap();
    std::fs::write(top.join("new.txt"), "new\n").unwrap();
    (top, marks)
}

fn marks_in(dir: &Path) -> Vec<String> {
    std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let (top, marks) = trapped(&home);
    let world = RealWorld::with_environment(
        [
            ("HOME".to_owned(), home.to_string_lossy().into_owned()),
            ("PATH".to_owned(), std::env::var("PATH").unwrap_or_default()),
            ("GIT_EXTERNAL_DIFF".to_owned(), format!("touch {}/external", marks.display())),
            ("GIT_PAGER".to_owned(), format!("touch {}/pager", marks.display())),
            ("GIT_TRACE2".to_owned(), format!("{}/trace", marks.display())),
        ]
        .into(),
    );
    let found = ask_all(&world, &top);
    assert_eq!(marks_in(&marks), Vec::<String>::new(), "a program was run");
    assert!(found.iter().all(|evidence| evidence.missing.is_empty()), "everything was answered: {found:#?}");
    // The traps work: git itself steps into them.
    let status = Command::new("git").args(["status", "--short"]).current_dir(&top).output();
    assert!(status.is_ok() && !marks_in(&marks).is_empty(), "git runs what the repository names");
}

#[test]
fn the_index_and_the_refs_stay_as_they_are() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let (top, _) = trapped(&home);
    let state = |top: &Path| {
        let files = ["index", "HEAD", "logs/HEAD", "refs/heads/main", "refs/stash", "packed-refs"];
        files.map(|name| {
            let path = top.join(".git").join(name);
            (std::fs::read(&path).ok(), std::fs::metadata(&path).and_then(|m| m.modified()).ok())
        })
    };
    let before = state(&top);
    ask_all(&RealWorld::new(), &top);
    assert!(before == state(&top), "a probe changed the repository");
    assert!(!top.join(".git/lost-found").exists() && !top.join(".git/index.lock").exists());
}

#[test]
fn damage_is_missing_evidence() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let (top, _) = trapped(&home);
    std::fs::write(top.join(".git/index"), b"DIRC\0\0\0\x02\0\0\0\x02broken").unwrap();
    let mut session = Session::new();
    let reset = mutation(Action::Update, "git.changes", on(&top, &["."]), &[]);
    let found = collect(&reset, &RealWorld::new(), &mut session);
    assert!(!found.missing.is_empty() && !found.facts.contains_key("loss"), "{found:#?}");
    std::fs::write(top.join(".git/HEAD"), "garbage").unwrap();
    ask_all(&RealWorld::new(), &top);
}

#[test]
fn only_listed_questions_are_asked_and_objects_are_never_fetched() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let (top, marks) = trapped(&home);
    let world = RealWorld::new();
    let ask = |dir: &Path, words: &[&str]| {
        let arguments = words.iter().map(|word| (*word).to_owned()).collect();
        world.ask(&Query::Git { dir: dir.to_owned(), arguments }, Duration::from_secs(10))
    };
    for words in [&["status"][..], &["diff"], &["gc"], &["diff-index", "HEAD"], &["-c", "a.b=c", "rev-parse"]]
    {
        assert_eq!(ask(&top, words), Err(LookError::Denied), "{words:?}");
    }
    git(&home.join("remote.git"), &["config", "uploadpack.allowFilter", "true"]);
    git(&home.join("remote.git"), &["config", "--unset", "uploadpack.packObjectsHook"]);
    let url = format!("file://{}", home.join("remote.git").display());
    git(&home, &["clone", "-q", "--filter=blob:none", "--no-checkout", &url, "partial"]);
    let partial = home.join("partial");
    git(
        &partial,
        &[
            "config",
            "remote.origin.uploadpack",
            &format!("touch {}/fetched; git-upload-pack", marks.display()),
        ],
    );
    let blob = "HEAD:a.txt";
    assert!(ask(&partial, &["cat-file", "-p", blob]).is_err(), "the blob is not here and is not fetched");
    assert_eq!(marks_in(&marks), Vec::<String>::new());
}
