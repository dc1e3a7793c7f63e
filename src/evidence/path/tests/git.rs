//! Files of working trees and of repositories.

use super::*;

#[test]
fn git_holds_what_is_committed_and_nothing_else() {
    let repository = Repository::new();
    assert_eq!(repository.worst("p/src"), LossClass::Tracked);
    repository.write("p/src/a.py", "changed\n");
    repository.write("p/src/new.py", "new\n");
    let evidence = repository.delete("p/src");
    let loss = evidence.loss.unwrap();
    assert_eq!(loss.worst(), LossClass::Lost);
    assert_eq!(loss.classes[&LossClass::Lost].files, 2);
    assert_eq!(loss.modified, 1);
    let summary = &evidence.facts["loss.summary"].value;
    let FactValue::Text(summary) = summary else { panic!("{summary:?}") };
    assert!(
        summary.starts_with("1 untracked file and 1 modified file, 12 bytes, exist nowhere else"),
        "{summary}"
    );
    repository.git("p", &["add", "-A"]);
    assert_eq!(repository.worst("p/src"), LossClass::Tracked, "staged content is in the object store");
}

#[test]
fn a_repository_that_goes_takes_its_history_with_it_unless_a_remote_has_it() {
    let repository = Repository::new();
    let loss = repository.delete("p").loss.unwrap();
    assert_eq!(loss.worst(), LossClass::Lost);
    assert_eq!(loss.precious.as_deref(), Some("git repository"));
    repository.git("", &["clone", "-q", "--bare", "p", "p.git"]);
    repository.git("p", &["remote", "add", "origin", "../p.git"]);
    repository.git("p", &["fetch", "-q", "origin"]);
    let evidence = repository.delete("p");
    assert_eq!(evidence.loss.as_ref().unwrap().worst(), LossClass::Copied, "{evidence:#?}");
    repository.write("p/src/b.py", "staged\n");
    repository.git("p", &["add", "-A"]);
    assert_eq!(repository.worst("p"), LossClass::Lost, "staged, not pushed");
    repository.git("p", &["commit", "-qm", "two"]);
    assert_eq!(repository.worst("p"), LossClass::Lost, "committed, not pushed");
    assert_eq!(repository.worst("p/.git"), LossClass::Lost);
    assert_eq!(repository.worst("p/src"), LossClass::Tracked);
}

#[test]
fn a_linked_working_tree_leaves_history_alone() {
    let repository = Repository::new();
    repository.git("p", &["worktree", "add", "-q", "../wt"]);
    assert_eq!(repository.worst("wt"), LossClass::Tracked);
    repository.write("wt/note", "untracked\n");
    assert_eq!(repository.worst("wt"), LossClass::Lost);
}

#[test]
fn files_of_a_git_directory_differ_in_worth() {
    let repository = Repository::new();
    repository.write("p/.git/hooks/pre-push", "#!/bin/sh\n");
    repository.write("p/.git/index.lock", "x");
    assert_eq!(repository.worst("p/.git/hooks/pre-push"), LossClass::Lost);
    assert_eq!(repository.worst("p/.git/index.lock"), LossClass::Regenerable);
    assert_eq!(repository.worst("p/.git/refs"), LossClass::Snapshot);
    assert_eq!(repository.worst("p/.git/objects"), LossClass::Lost);
}
