//! Whole git commands, from text to verdict, in a real repository.

// A test fails loudly.
use std::path::{Path, PathBuf};
use std::process::Command;

fn git(dir: &Path, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"])
        .args(words)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git is installed");
    assert!(done.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn write(path: PathBuf, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A repository with a changed, a staged and an untracked file, a branch of its own, a stash and an alias. Not below a
/// temporary directory, where little counts.
fn repository(home: &Path) -> PathBuf {
    let top = home.join("repo");
    std::fs::create_dir(&top).unwrap();
    git(&top, &["init", "-q"]);
    write(top.join(".gitignore"), "*.log\n");
    write(top.join("src/a.py"), "print(1)\n");
    write(top.join("src/b.py"), "print(2)\n");
    write(top.join("README.md"), "read me\n");
    git(&top, &["add", "-A"]);
    git(&top, &["commit", "-qm", "one"]);
    git(&top, &["commit", "-q", "--allow-empty", "-m", "two"]);
    git(&top, &["branch", "merged"]);
    git(&top, &["checkout", "-qb", "topic"]);
    git(&top, &["commit", "-q", "--allow-empty", "-m", "topic"]);
    git(&top, &["checkout", "-q", "main"]);
    write(top.join("README.md"), "stashed\n");
    git(&top, &["stash", "-q"]);
    git(&top, &["config", "alias.zap", "!rm -f notes.md"]);
    git(&top, &["config", "alias.undo", "checkout --"]);
    write(top.join("src/a.py"), "print('changed')\n");
    write(top.join("src/b.py"), "print('staged')\n");
    git(&top, &["add", "src/b.py"]);
    write(top.join("notes.md"), "only here\n");
    top
}

/// Each loses something that nothing else holds.
const STOPPED: &[&str] = &[
    "git reset --hard",
    "git -C src checkout .",
    "git checkout -- '*.py'",
    "git restore src/a.py",
    "git switch --discard-changes topic",
    "git clean -f",
    "git rm -rf src",
    "git undo src/a.py",
    "git zap",
    "git -c alias.x='!rm -f notes.md' x",
    "git -c alias.x='clean -f' x",
    "git config alias.y '!rm -f notes.md' && git y",
    "git config clean.requireForce false && git clean",
    "GIT_EDITOR='rm -f notes.md' git commit --amend",
    "git -c core.pager='rm -f notes.md' log",
    "git stash && git clean -f",
    "git stash drop && git gc --prune=now",
    "git branch -D topic && git reflog expire --expire=now --all && git prune",
    "git archive -o notes.md HEAD",
    "git add -A && git reset --hard && git gc --prune=now",
    "git commit -qam wip && git reset --hard HEAD~1 && git reflog expire --expire=now --all && git prune",
    "git --git-dir=.git --work-tree=src clean -f ../notes.md; cd src && git reset --hard",
    "git checkout-index -fa",
];

fn verdict(home: &Path, top: &Path, command: &str) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_recourse"))
        .args(["evaluate", "shell", "--format", "json", "--fail-on", "never", "--", command])
        .current_dir(top)
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join(".config"))
        .env_remove("GIT_DIR")
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
    report["riskAssessment"].as_str().unwrap_or("error").to_owned()
}

#[test]
fn commands_are_judged_by_what_is_in_the_repository() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = home.path().canonicalize().unwrap();
    let top = repository(&home);
    let mut wrong = Vec::new();
    for (expected, commands) in [
        ("block", STOPPED),
        (
            "allow",
            &[
                "git status",
                "git log --grep='reset --hard'",
                "git checkout topic",
                "git checkout README.md",
                "git restore README.md src/b.py",
                "git reset --hard nowhere",
                "git reset",
                "git clean -n",
                "git clean",
                "git clean -f src",
                "git stash -u && git reset --hard && git clean -fd",
                "git add -A && git reset --hard",
                "git add src/a.py && git checkout HEAD -- src/a.py",
                "git branch -D topic",
                "git branch -d merged",
                "git branch -D topic && git gc",
                "git stash drop",
                "git commit --amend --no-edit",
                "git gc",
                "git gc --prune=now",
                "git stash && git reset --hard && git gc --prune=now",
                "git commit -m 'git reset --hard'",
                "git submodule foreach 'git reset --hard'",
                "git submodule deinit -f .",
                "git submodule deinit -f --all",
                "git rebase --abort",
                "git -c alias.st=status st",
                "git push origin main",
            ],
        ),
        (
            "escalate",
            &[
                "git --no-pager frobnicate",
                "git -P history drop HEAD",
                "git push --force https://example.com/x.git main",
                "git frobnicate",
            ],
        ),
    ] {
        for command in commands {
            let found = verdict(&home, &top, command);
            if found != *expected {
                wrong.push(format!("{command}: {found}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Options of git itself that change nothing about what the subcommand does.
const WITHOUT_EFFECT: &[&str] = &[
    "--no-pager",
    "-P",
    "-p",
    "--paginate --no-pager",
    "--no-optional-locks",
    "--no-replace-objects",
    "--no-advice --no-lazy-fetch",
    "--literal-pathspecs",
    "-c a.b=c",
    "-C .",
    "--git-dir=.git",
    "-c a.b=c -P -C . --no-optional-locks",
];

#[test]
fn options_without_effect_never_lower_the_verdict() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = home.path().canonicalize().unwrap();
    let top = repository(&home);
    let mut wrong = Vec::new();
    let more = ["git push --force https://example.com/x.git main", "git frobnicate", "git history drop HEAD"];
    for command in STOPPED.iter().chain(&more) {
        for option in WITHOUT_EFFECT {
            // Only the last of these has a pattern that an option may turn into a plain name.
            let literal = option.contains("literal") && command.contains('*');
            let other =
                option.contains("git-dir") && (command.contains("-C src") || command.contains("git-dir"));
            if literal || other {
                continue;
            }
            let with = command
                .replace("git ", &format!("git {option} "))
                .replace(&format!(".git {option} "), ".git ");
            let found = verdict(&home, &top, &with);
            if found != "block" && found != "escalate" {
                wrong.push(format!("{with}: {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn script(path: PathBuf, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    write(path.clone(), text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn judged(home: &Path, top: &Path, expected: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (expected, commands) in expected {
        for command in *commands {
            let found = verdict(home, top, command);
            if found != *expected {
                wrong.push(format!("{command}: {found}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ignored_files_are_no_obstacle_to_git() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = home.path().canonicalize().unwrap();
    let top = repository(&home);
    git(&top, &["stash", "-q"]);
    git(&top, &["checkout", "-qb", "tracks"]);
    write(top.join("local.log"), "of the branch\n");
    git(&top, &["add", "-f", "local.log"]);
    git(&top, &["commit", "-qm", "log"]);
    git(&top, &["checkout", "-q", "main"]);
    write(top.join("local.log"), "of this machine alone\n");
    judged(
        &home,
        &top,
        &[
            (
                "block",
                &[
                    "git switch tracks",
                    "git checkout tracks",
                    "git -P checkout tracks --",
                    "git checkout -b new tracks",
                    "git merge tracks",
                    "git rebase tracks",
                    "git cherry-pick tracks",
                    "git pull . tracks",
                    "git reset --keep tracks",
                ],
            ),
            (
                "allow",
                &[
                    "git switch topic",
                    "git switch --no-overwrite-ignore tracks",
                    "git merge topic",
                    "git log tracks",
                ],
            ),
        ],
    );
}

#[test]
fn hooks_patches_and_own_stashes() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = home.path().canonicalize().unwrap();
    let top = repository(&home);
    script(top.join(".git/hooks/pre-commit"), "#!/bin/sh\nrm -f notes.md\n");
    script(top.join(".git/hooks/commit-msg"), "#!/bin/sh\ngrep -q . \"$1\"\n");
    script(top.join(".git/hooks/post-merge"), "#!/usr/bin/env python3\nimport os\nos.remove('notes.md')\n");
    // A hook is called like a known program, and is none.
    script(home.join("outside/pre-commit"), "#!/bin/sh\nrm -f notes.md\n");
    judged(
        &home,
        &top,
        &[
            (
                "block",
                &[
                    "git commit -m x",
                    "git --no-pager -c a.b=c commit --amend --no-edit",
                    "git merge topic",
                    "printf '#!/bin/sh\\nrm -f notes.md\\n' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; git switch topic",
                    "mkdir h; printf 'rm -f notes.md\\n' > h/post-checkout; chmod +x h/*; git config core.hooksPath h; git switch topic",
                    "git -c core.hooksPath=../outside commit -nm x; git -c core.hooksPath=../outside commit -m x",
                    "git config core.fsmonitor 'rm -f notes.md; true'; git status",
                ],
            ),
            (
                "escalate",
                &[
                    "git diff | git apply -R",
                    "git apply -R <(git diff)",
                    "patch -R -p1 < <(git diff)",
                    "git apply -R /dev/fd/9",
                    "git diff -R | patch -p1",
                    "head -c 99 /dev/urandom | git apply",
                ],
            ),
            ("warn", &["git stash && git stash drop", "git stash -u && git stash clear"]),
            (
                "allow",
                &[
                    "git commit -n -m x",
                    "git commit --dry-run",
                    "git status",
                    "git switch topic",
                    "git diff --cached | git apply -R",
                    "git diff main..topic | git apply",
                    "git apply <(git diff main..topic)",
                    "git diff | git apply --check",
                    "git apply nowhere.patch",
                    "git stash && git stash pop",
                ],
            ),
        ],
    );
}

#[test]
fn trees_and_hooks_that_git_lays_out_elsewhere() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = home.path().canonicalize().unwrap();
    let top = repository(&home);
    git(&home, &["init", "-q", "other"]);
    write(home.join("other/a.txt"), "a\n");
    write(home.join("other/.gitignore"), "*.log\n");
    git(&home.join("other"), &["add", "-A"]);
    git(&home.join("other"), &["commit", "-qm", "one"]);
    let other = home.join("other").display().to_string();
    for name in ["sub", "clean"] {
        git(&top, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &other, name]);
    }
    git(&top, &["commit", "-qm", "submodules", "--", "sub", "clean", ".gitmodules"]);
    write(top.join("sub/a.txt"), "changed\n");
    git(&top, &["worktree", "add", "-q", "../tree", "-b", "tree"]);
    git(&top, &["worktree", "lock", "../tree"]);
    write(home.join("tree/by-hand.log"), "by hand\n");
    git(&top, &["worktree", "add", "-q", "../clean-tree", "-b", "clean-tree"]);
    script(home.join("tpl/hooks/post-checkout"), "#!/bin/sh\nrm -f ../repo/notes.md\n");
    script(home.join("tpl/hooks/pre-commit"), "#!/bin/sh\nrm -f ../repo/notes.md\n");
    script(home.join("quiet/hooks/post-checkout"), "#!/bin/sh\necho hello\n");
    write(top.join(".git/info/attributes"), "*.md filter=f\n");
    git(&top, &["config", "filter.f.smudge", "rm -f notes.md; cat"]);
    judged(
        &home,
        &top,
        &[
            (
                "block",
                &[
                    "git rm -rfq sub",
                    "git submodule deinit -f .",
                    "git submodule deinit -qf --all",
                    "cd src && git submodule deinit -f ..",
                    "git --git-dir=sub/.git --work-tree=sub checkout -- .",
                    "GIT_DIR=sub/.git GIT_WORK_TREE=sub git reset --hard",
                    "git worktree unlock ../tree && git worktree remove ../tree",
                    "git worktree unlock tree; git worktree remove tree",
                    "git checkout-index -f --prefix=new/../ src/a.py",
                    "git clone -q --template=../tpl ../other ../other2",
                    "git -c init.templateDir=../tpl clone ../other ../other2",
                    "git init -q --template ../tpl ../other2 && cd ../other2 && git commit --allow-empty -m x",
                    "git cat-file --filters HEAD:README.md",
                    "git init -q new && cd new && rm -f ../notes.md",
                    "mkdir -p new/a && cd new && rm -f ../notes.md",
                ],
            ),
            (
                "allow",
                &[
                    "git rm -rq clean",
                    "git rm -q sub",
                    "git rm --cached sub",
                    "git worktree remove ../tree",
                    "git worktree remove ../clean-tree",
                    "git worktree unlock ../tree",
                    "git clone -qn --template=../tpl ../other ../other2",
                    "git clone -q --template=../quiet ../other ../other2",
                    "git clone -q --template= ../other ../other2",
                    "git cat-file -p HEAD:README.md",
                    "git hash-object --no-filters README.md",
                    "git show HEAD:README.md",
                    "cd new && rm -f ../notes.md",
                ],
            ),
        ],
    );
}

#[test]
fn what_the_same_line_copied_or_put_into_a_patch_before_is_not_lost() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = home.path().canonicalize().unwrap();
    let top = repository(&home);
    write(top.join("image.bin"), "one");
    git(&top, &["add", "image.bin"]);
    git(&top, &["commit", "-qm", "image"]);
    write(top.join("image.bin"), "a\0b");
    judged(
        &home,
        &top,
        &[
            (
                "allow",
                &[
                    "git diff > ../work.patch && git checkout -- src/a.py",
                    "git diff --binary > ../work.patch; git restore src",
                    "cp src/a.py ../kept.py && git checkout -- src/a.py",
                    "cp -a . ../kept && git checkout -- .",
                    "tar czf ../kept.tgz src && git restore src/a.py",
                ],
            ),
            (
                "block",
                &[
                    // Not there any more, not there yet, not below it, not a patch, or not all of it.
                    "git diff > ../work.patch && git checkout -- src/a.py && rm ../work.patch",
                    "cp src/a.py ../kept.py && git checkout -- src/a.py && echo x > ../kept.py",
                    "git checkout -- src/a.py && git diff > ../work.patch",
                    "git diff > ../work.patch && git checkout -- image.bin",
                    "git diff --stat > ../work.patch && git checkout -- src/a.py",
                    "git diff README.md > ../work.patch && git checkout -- src/a.py",
                    "git -c diff.external=true diff > ../work.patch && git checkout -- src/a.py",
                    "git diff --cached > ../work.patch && git checkout -- src/a.py",
                    "git diff > ../work.patch && rm src/a.py",
                    "git diff > ../work.patch && git clean -f",
                    "git diff > kept.patch && git checkout -- src/a.py && git clean -f",
                    "cp src/b.py ../kept.py && git checkout -- src/a.py",
                    "cp src/a.py /dev/null && git checkout -- src/a.py",
                ],
            ),
        ],
    );
}

/// A file that is staged, and changed since: two versions that no commit has.
#[test]
fn a_staged_version_goes_when_it_is_staged_anew_and_pruned() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = home.path().canonicalize().unwrap();
    let top = repository(&home);
    write(top.join("two.txt"), "the first version\n");
    git(&top, &["add", "two.txt"]);
    write(top.join("two.txt"), "the second version\n");
    let block = [
        "git add -A && git gc -q --prune=now",
        "git add two.txt; git prune",
        "git add -u && git prune --expire now",
        "git commit -qam x && git prune --expire now",
        "git commit -qm x two.txt && git gc --prune=now",
    ];
    let allow = [
        "git gc -q --prune=now",
        "git add -A && git gc -q",
        "git add -A && git commit -qm x",
        "git commit -qm x && git add -A && git gc --prune=now",
        "git stash && git gc --prune=now",
    ];
    judged(&home, &top, &[("block", &block), ("allow", &allow)]);
}

/// A branch whose commits no reflog reaches goes by another name than `git branch -D`, and then its commits.
#[test]
fn a_branch_that_goes_however_it_goes_is_pruned_with_its_commits() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = home.path().canonicalize().unwrap();
    let top = repository(&home);
    git(&top, &["reflog", "expire", "--expire=now", "--all"]);
    let goes = [
        "git push . :topic",
        "git push -q . +main:topic",
        "git fetch -q . +main:topic",
        "git pull -q . +main:topic",
        "git branch -m topic x; git branch -D x",
        "git branch -m topic x; git branch -m x y; git branch -D y",
        "git symbolic-ref refs/heads/topic refs/heads/main",
    ];
    let pruned = goes.map(|line| format!("{line}; git gc -q --prune=now"));
    let pruned: Vec<&str> = pruned.iter().map(String::as_str).collect();
    let stays = ["git branch -m topic x; git gc -q --prune=now", "git fetch -q .; git gc -q --prune=now"];
    judged(&home, &top, &[("block", &pruned), ("allow", &stays)]);
}
