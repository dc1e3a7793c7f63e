//! A push to a repository on this machine changes that one: its refs, logs and files come back with `recourse undo`.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use crate::undo_files::{Place, said};

/// A repository `r`, a bare one `other.git` that keeps logs, and a clone `k` that takes over what is pushed to its branch.
/// `other.git` has a commit that nobody else has.
const LAID: &str = "
    git init -q -b main r && cd r && git config user.email a@b.c && git config user.name a
    echo a > a && git add a && git commit -qm one && echo b >> a && git commit -qam two
    git branch side && git branch x HEAD~1 && git checkout -q -b dev && echo d > d && git add d && git commit -qm dev
    git checkout -q main && cd .. && git clone -q --bare r other.git && git -C other.git config core.logAllRefUpdates true
    git clone -q other.git k && cd k && git config user.email a@b.c && git config user.name a
    git config receive.denyCurrentBranch updateInstead && echo z > z && git add z && git commit -qm z
    git push -q origin HEAD:main HEAD:refs/heads/only && git reset -q --hard HEAD~1 && cd ../r
    git remote add origin ../other.git && echo c > c && git add c && git commit -qm three && git tag v1 && git push -q origin v1
    git tag -f v1 HEAD~1";

const ASKED: &str = "for repo in r/.git other.git k/.git; do
    git --git-dir=$repo for-each-ref; git --git-dir=$repo log -g --all --format=%H%gd%gs%cI; git --git-dir=$repo fsck --full 2>&1
    done; git -C k status --porcelain; git -C k ls-files -s; cat k/a";

fn git(place: &Path, text: &str) -> String {
    let command = Command::new("sh")
        .args(["-c", text])
        .current_dir(place)
        .env("HOME", place)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(command.status.success(), "{text}: {}", said(&command));
    String::from_utf8_lossy(&command.stdout).into_owned()
}

fn comes_back(line: &str) {
    let place = Place::new();
    git(&place.work(), LAID);
    let was = git(&place.work(), ASKED);
    let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
    assert!(output.status.success(), "{line}: {}", said(&output));
    assert!(git(&place.work(), ASKED) != was, "{line} changes nothing: {}", said(&output));
    let undone = place.undo(&[]);
    assert!(undone.status.success(), "{line}: {}{}", said(&output), said(&undone));
    // Objects that nothing reaches stay where they are.
    let reached = |text: &str| -> String {
        text.lines().filter(|line| !line.starts_with("dangling")).map(|line| format!("{line}\n")).collect()
    };
    assert_eq!(reached(&git(&place.work(), ASKED)), reached(&was), "{line}: {}", said(&undone));
}

#[test]
fn what_a_push_changes_here_comes_back() {
    for line in [
        "cd r && git push . HEAD:refs/heads/x --force",
        "cd r && git push ../other.git +main",
        "cd r && git push ../other.git main:new HEAD:side",
        "cd r && git push -f origin main && git push origin --delete only",
        "cd r && git push -f --tags origin",
        "cd r && git push -f \"file://$PWD/../other.git\" main",
    ] {
        comes_back(line);
    }
}

#[test]
fn what_a_push_deletes_or_lays_out_here_comes_back() {
    for line in [
        "cd r && git push --mirror origin",
        "cd r && git push --prune origin 'refs/heads/*:refs/heads/*' --force",
        "cd r && git push ../k main",
        "cd r && git send-pack --force ../other.git main",
    ] {
        comes_back(line);
    }
}

#[test]
fn hooks_of_the_repository_that_is_pushed_to_run() {
    let place = Place::new();
    git(&place.work(), LAID);
    git(
        &place.work(),
        "cd other.git && mkdir -p own && printf '#!/bin/sh\\nrm -f ../precious\\n' > own/update && chmod +x own/update
         git config core.hooksPath own && echo p > ../precious && git -C ../r remote remove origin",
    );
    let line = "cd r && git push ../other.git HEAD:refs/heads/new";
    let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
    assert!(output.status.success(), "{}", said(&output));
    assert!(!place.work().join("precious").exists());
    let undone = place.undo(&[]);
    assert!(place.work().join("precious").exists(), "{}{}", said(&output), said(&undone));
}

#[test]
fn what_git_packs_and_the_same_line_takes_away_comes_back() {
    for line in [
        "cd r && git gc -q && rm .git/packed-refs",
        "cd r && git pack-refs --all && rm .git/packed-refs",
        "cd r && git repack -adq && rm -f .git/objects/pack/*",
        "cd r && git repack -adq; find .git/objects -name '*.pack' -delete",
        "cd r && git init -q --separate-git-dir ../moved && rm -rf ../moved",
    ] {
        comes_back(line);
    }
}

#[test]
fn settings_in_variables_are_settings() {
    for (laid, line) in [
        ("printf '[user]\\n name=x\\n' > own.cfg", "GIT_CONFIG=$PWD/own.cfg git config user.name other"),
        ("printf '[user]\\n name=x\\n' > own.cfg", "GIT_CONFIG_GLOBAL=$PWD/own.cfg git config --global user.name other"),
        (
            "mkdir hk; printf '#!/bin/sh\\nrm ../own.cfg\\n' > hk/pre-commit; chmod +x hk/pre-commit; echo x > own.cfg
             printf '[core]\\n hooksPath = %s/hk\\n' \"$PWD\" > g.cfg; git init -q n",
            "cd n && GIT_CONFIG_GLOBAL=$PWD/../g.cfg git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m x",
        ),
    ] {
        let place = Place::new();
        git(&place.work(), laid);
        let was = git(&place.work(), "cat own.cfg");
        let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
        assert!(output.status.success(), "{line}: {}", said(&output));
        let undone = place.undo(&[]);
        assert_eq!(git(&place.work(), "cat own.cfg"), was, "{line}: {}{}", said(&output), said(&undone));
    }
}
