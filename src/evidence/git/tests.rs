//! The probe against real repositories.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::evidence::{Session, collect};
use crate::model::{
    Action, Cause, Context, Fact, FactValue, Facts, Mutation, RuleRef, Source, Subject, Target, Value,
};
use crate::world::RealWorld;

struct Repo {
    _home: tempfile::TempDir,
    top: PathBuf,
}

fn git(dir: &Path, words: &[&str]) -> String {
    let done = Command::new("git")
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "init.defaultBranch=main",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(words)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git is installed");
    assert!(done.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

fn write(path: PathBuf, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

impl Repo {
    /// Three commits on main, a topic branch with one of its own, a bare remote with one that nobody fetched.
    fn new() -> Self {
        // Not below a temporary directory: what is there counts for little.
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/probe");
        std::fs::create_dir_all(&base).unwrap();
        let home = tempfile::tempdir_in(base).unwrap();
        let home_path = home.path().canonicalize().unwrap();
        let top = home_path.join("repo");
        std::fs::create_dir(&top).unwrap();
        git(&top, &["init", "-q"]);
        write(top.join(".gitignore"), "*.log\n");
        for (number, name) in ["a.txt", "src/b.txt", "src/c.txt"].into_iter().enumerate() {
            write(top.join(name), &format!("{name} first\n"));
            git(&top, &["add", "-A"]);
            git(&top, &["commit", "-qm", &format!("commit {number}")]);
        }
        git(&top, &["checkout", "-qb", "topic"]);
        write(top.join("topic.txt"), "topic\n");
        git(&top, &["add", "-A"]);
        git(&top, &["commit", "-qm", "topic"]);
        git(&top, &["checkout", "-q", "main"]);
        git(&top, &["branch", "merged", "HEAD~1"]);
        git(&home_path, &["clone", "-q", "--bare", "repo", "remote.git"]);
        git(&top, &["remote", "add", "origin", "../remote.git"]);
        git(&top, &["fetch", "-q"]);
        git(&home_path, &["clone", "-q", "remote.git", "colleague"]);
        let colleague = home_path.join("colleague");
        write(colleague.join("hotfix"), "hotfix\n");
        git(&colleague, &["add", "-A"]);
        git(&colleague, &["commit", "-qm", "hotfix"]);
        git(&colleague, &["push", "-q", "origin", "HEAD:main", "HEAD:refs/heads/hotfix"]);
        Self { _home: home, top }
    }

    fn mutation(&self, action: Action, kind: &str, names: &[&str], facts: &[(&str, &str)]) -> Mutation {
        let mut all = Facts::new();
        for (key, value) in facts {
            let value = match *value {
                "" => FactValue::Bool(true),
                text => FactValue::Text(text.to_owned()),
            };
            all.insert((*key).to_owned(), Fact::new(value, (*key).to_owned()));
        }
        Mutation {
            action,
            kind: kind.to_owned(),
            subject: Subject::Git {
                dir: Value::known(self.top.to_str().unwrap()),
                names: names.iter().map(|name| Value::known(*name)).collect(),
                saved: std::collections::BTreeSet::new(),
                copies: Vec::new(),
            },
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

    /// The classes that a sequence of mutations ends in, with the last one's sentence.
    fn probe(&self, mutations: &[Mutation]) -> (Vec<String>, String) {
        let world = RealWorld::new();
        let mut session = Session::new();
        let mut classes = Vec::new();
        let mut sentence = String::new();
        for mutation in mutations {
            let found = collect(mutation, &world, &mut session);
            let text = |key: &str| match found.facts.get(key).map(|fact| &fact.value) {
                Some(FactValue::Text(text)) => text.clone(),
                _ => "?".to_owned(),
            };
            classes.push(text("loss"));
            sentence = text("loss.summary");
        }
        (classes, sentence)
    }

    fn class(&self, action: Action, kind: &str, names: &[&str], facts: &[(&str, &str)]) -> String {
        let (classes, _) = self.probe(&[self.mutation(action, kind, names, facts)]);
        classes[0].clone()
    }

    fn changes(&self, names: &[&str], facts: &[(&str, &str)]) -> String {
        self.class(Action::Update, "git.changes", names, facts)
    }
}

#[test]
fn changed_files_are_lost_and_clean_ones_are_not() {
    let repo = Repo::new();
    assert_eq!(repo.changes(&[], &[("whole", "")]), "nothing");
    write(repo.top.join("src/b.txt"), "changed\n");
    write(repo.top.join("a.txt"), "staged\n");
    git(&repo.top, &["add", "a.txt"]);
    assert_eq!(repo.changes(&[], &[("whole", "")]), "lost");
    assert_eq!(repo.changes(&["src"], &[]), "lost");
    assert_eq!(repo.changes(&["a.txt", "src/c.txt"], &[]), "nothing");
    assert_eq!(repo.changes(&["a.txt"], &[("source", "HEAD")]), "tracked");
    assert_eq!(repo.changes(&["*.md"], &[]), "nothing");
    let reset = repo.mutation(Action::Update, "git.changes", &[], &[("whole", "")]);
    let (_, sentence) = repo.probe(&[reset]);
    assert_eq!(
        sentence,
        "1 changed file, 8 bytes, exists nowhere else: src/b.txt and 1 file, 7 bytes, stays in git's object store: a.txt"
    );
}

#[test]
fn an_untracked_file_in_the_way_of_another_tree_is_lost() {
    let repo = Repo::new();
    write(repo.top.join("topic.txt"), "mine\n");
    assert_eq!(repo.changes(&[], &[("whole", ""), ("source", "topic")]), "lost");
    assert_eq!(repo.changes(&["topic", "topic.txt"], &[("maybe-source", "")]), "lost");
    assert_eq!(repo.changes(&["topic"], &[("maybe-source", "")]), "nothing", "git refuses");
    write(repo.top.join("topic.txt"), "topic\n");
    assert_eq!(repo.changes(&[], &[("whole", ""), ("source", "topic")]), "nothing");
}

#[test]
fn a_revision_that_is_not_there_makes_git_refuse() {
    let repo = Repo::new();
    write(repo.top.join("a.txt"), "changed\n");
    assert_eq!(repo.changes(&[], &[("whole", ""), ("source", "nowhere")]), "nothing");
    let fetch = repo.mutation(Action::Create, "git.fetch", &[], &[]);
    let reset = repo.mutation(Action::Update, "git.changes", &[], &[("whole", ""), ("source", "nowhere")]);
    assert_eq!(repo.probe(&[fetch, reset]).0, ["nothing", "lost"], "it may be there by then");
}

#[test]
fn clean_follows_its_options_and_settings() {
    let repo = Repo::new();
    write(repo.top.join("notes.md"), "notes\n");
    write(repo.top.join("new/deep/f"), "f\n");
    write(repo.top.join("x.log"), "log\n");
    let clean =
        |names: &[&str], facts: &[(&str, &str)]| repo.class(Action::Delete, "git.untracked", names, facts);
    assert_eq!(clean(&[], &[]), "nothing", "requireForce");
    assert_eq!(clean(&[], &[("settings", "clean.requireForce=false")]), "lost");
    assert_eq!(clean(&[], &[("force", "")]), "lost");
    assert_eq!(clean(&["src"], &[("force", "")]), "nothing");
    assert_eq!(clean(&[], &[("force", ""), ("exclude", "*.md")]), "nothing", "new/ needs -d");
    assert_eq!(clean(&[], &[("force", ""), ("directories", ""), ("exclude", "*.md")]), "lost");
    assert_eq!(clean(&["new"], &[("force", "")]), "lost");
    assert_eq!(clean(&[], &[("interactive", ""), ("no-input", "")]), "nothing");
    let set = repo.mutation(Action::Update, "git.config", &["clean.requireForce"], &[("value", "false")]);
    let bare = repo.mutation(Action::Delete, "git.untracked", &[], &[]);
    assert_eq!(repo.probe(&[set, bare]).0, ["nothing", "lost"]);
}

#[test]
fn refs_are_worth_the_commits_that_only_they_reach() {
    let repo = Repo::new();
    let delete = |name: &str| repo.class(Action::Delete, "git.branch", &[name], &[]);
    // The remote's copy counts too: the topic was pushed.
    assert_eq!(delete("topic"), "nothing");
    git(&repo.top, &["remote", "remove", "origin"]);
    assert_eq!(delete("topic"), "tracked");
    assert_eq!(delete("merged"), "nothing");
    assert_eq!(delete("absent"), "nothing");
    let moved = repo.class(Action::Replace, "git.branch", &["topic"], &[("to", "main")]);
    assert_eq!(moved, "tracked");
    let forward = repo.class(Action::Replace, "git.branch", &["merged"], &[("to", "main")]);
    assert_eq!(forward, "nothing");
    let reset = |to: &str| repo.class(Action::Update, "git.commits", &[], &[("to", to)]);
    assert_eq!(reset("HEAD~1"), "nothing", "topic holds it");
    git(&repo.top, &["commit", "-q", "--allow-empty", "-m", "only here"]);
    assert_eq!((reset("HEAD~1").as_str(), reset("HEAD").as_str()), ("tracked", "nothing"));
}

#[test]
fn pruning_takes_what_nothing_reaches() {
    let repo = Repo::new();
    git(&repo.top, &["remote", "remove", "origin"]);
    let prune = || repo.mutation(Action::Delete, "git.objects", &[], &[("expire", "now")]);
    assert_eq!(repo.probe(&[prune()]).0, ["nothing"]);
    let branch = |name: &str| repo.mutation(Action::Delete, "git.branch", &[name], &[]);
    assert_eq!(repo.probe(&[branch("merged"), prune()]).0, ["nothing", "nothing"]);
    assert_eq!(repo.probe(&[branch("topic"), prune()]).0, ["tracked", "lost"]);
    let housekeeping = repo.mutation(Action::Delete, "git.objects", &[], &[("expire-configured", "")]);
    assert_eq!(repo.probe(&[branch("topic"), housekeeping]).0, ["tracked", "nothing"]);
    write(repo.top.join("a.txt"), "changed\n");
    git(&repo.top, &["commit", "-qam", "gone"]);
    git(&repo.top, &["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(repo.probe(&[prune()]).0, ["nothing"], "the reflog reaches it");
    let reflog = repo.mutation(Action::Delete, "git.reflog", &["--all"], &[]);
    assert_eq!(repo.probe(&[reflog, prune()]).0, ["tracked", "lost"]);
}

#[test]
fn a_forced_push_is_judged_by_what_the_remote_has() {
    let repo = Repo::new();
    let push = |facts: &[(&str, &str)], names: &[&str]| {
        let facts: Vec<_> = facts.iter().copied().chain([("has-remote", ""), ("remote", names[0])]).collect();
        repo.class(Action::Delete, "git.remote-ref", names, &facts)
    };
    assert_eq!(push(&[], &["origin", "main"]), "nothing");
    assert_eq!(push(&[("force", "")], &["origin", "main"]), "nothing", "hotfix keeps the commit");
    assert_eq!(push(&[], &["origin", ":hotfix"]), "nothing", "main keeps the commit");
    assert_eq!(push(&[("mirror", "")], &["origin"]), "lost");
    assert_eq!(push(&[("force", "")], &["origin", "main", "main:hotfix"]), "lost");
    assert_eq!(push(&[("force", "")], &["../remote.git", "+main", "+main:hotfix"]), "lost");
    assert_eq!(push(&[("delete", "")], &["origin", "topic"]), "tracked");
    assert_eq!(push(&[("force", "")], &["https://example.com/x.git", "main"]), "?");
    assert_eq!(push(&[("lease", "")], &["https://example.com/x.git", "main"]), "tracked");
    assert_eq!(push(&[], &["https://example.com/x.git", "main"]), "nothing");
    let fetch = repo.mutation(Action::Create, "git.fetch", &[], &[]);
    let all = [("force", ""), ("has-remote", ""), ("remote", "origin"), ("mirror", "")];
    let forced = repo.mutation(Action::Delete, "git.remote-ref", &["origin"], &all);
    assert_eq!(repo.probe(&[fetch, forced]).0, ["nothing", "tracked"]);
}
