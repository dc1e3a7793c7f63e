//! What commands lose of a repository comes back with `recourse undo`, as people see it: files, status, stash, refs, logs.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::program;

/// A home with a repository `proj`, a working tree `tree` that is linked to it, and a bare remote `remote.git`.
struct Fixture {
    root: tempfile::TempDir,
}

impl Fixture {
    /// Not below a temporary directory, where little counts.
    fn lay() -> Self {
        let fixture = Self { root: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap() };
        let proj = fixture.proj();
        fs::create_dir_all(&proj).unwrap();
        for file in ["a.txt", "b.txt", "src/c.txt", "src/gone.txt", "old.txt"] {
            fixture.write(file, "as committed");
        }
        fixture.write(".gitignore", "*.secret\n");
        fixture.sh(
            "git init -q -b main && git add -A && git commit -qm first
             git init -q --bare ../remote.git && git remote add origin ../remote.git && git push -q origin main
             git checkout -q -b side && echo side > side.txt && echo other > a.txt && git add -A && git commit -qm side
             git checkout -q main && git tag v1 && git gc -q",
        );
        fixture.write("b.txt", "stashed");
        fixture.sh("git stash -q");
        fixture.write("old.txt", "second");
        fixture.sh("git commit -qam second && git worktree add -q ../tree side");
        // What is nowhere else.
        fixture.write("a.txt", "changed");
        fixture.write("src/c.txt", "staged");
        fixture.sh("git add src/c.txt && echo further >> src/c.txt && rm src/gone.txt");
        for file in ["notes.md", "own/deep/x.md", "key.secret"] {
            fixture.write(file, "mine alone");
        }
        fs::create_dir(proj.join("empty")).unwrap();
        symlink("notes.md", proj.join("link")).unwrap();
        let odd = std::ffi::OsStr::from_bytes(b"odd\xff");
        fs::write(proj.join("own").join(odd), "no text is its name\n".repeat(3)).unwrap();
        fs::write(fixture.root.path().join("tree/mine.txt"), "in the other tree\n".repeat(3)).unwrap();
        fixture
    }

    fn proj(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("proj")
    }

    fn write(&self, name: &str, words: &str) {
        let path = self.proj().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{name}: {words}\n").repeat(20)).unwrap();
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.proj()).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", self.root.path());
        for (name, value) in [
            ("GIT_AUTHOR_NAME", "a"),
            ("GIT_AUTHOR_EMAIL", "a@b.c"),
            ("GIT_COMMITTER_NAME", "a"),
            ("GIT_COMMITTER_EMAIL", "a@b.c"),
        ] {
            command.env(name, value);
        }
        command
    }

    fn sh(&self, text: &str) -> String {
        let output = self.command("sh").args(["-c", text]).output().unwrap();
        assert!(output.status.success(), "{text}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn recourse(&self, words: &[&str]) -> Output {
        self.command(program()).args(words).output().unwrap()
    }

    /// What git says of both trees and of the remote.
    fn said(&self) -> String {
        let all = "git status --porcelain=v2 --ignored --branch; git status; git stash list; git log --all --oneline
             git reflog --all; git for-each-ref; git ls-files -s -v; git worktree list; git config --list --local
             git fsck --no-dangling; git -C ../remote.git for-each-ref; git -C ../remote.git fsck --no-dangling";
        self.sh(&format!("{all}; cd ../tree && git status --porcelain=v2"))
    }

    /// Every file outside of git directories: mode and content.
    fn files(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut found = BTreeMap::new();
        let mut pending = vec![self.proj(), self.root.path().canonicalize().unwrap().join("tree")];
        while let Some(path) = pending.pop() {
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            let content = if meta.is_dir() {
                pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                Vec::new()
            } else if meta.is_symlink() {
                fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()
            } else {
                fs::read(&path).unwrap()
            };
            found.insert(path, (meta.mode(), content));
        }
        found.retain(|path, _| path.file_name().is_some_and(|name| name != ".git") && !is_internal(path));
        found
    }

    /// Runs a command, `then` what somebody does before undoing it, and undoes it: everything is as it was.
    fn comes_back(&self, line: &str, then: &str) {
        let told = self.is_taken_back(line, then);
        assert!(told.contains("kept"), "{line}: {told}");
    }

    /// The same, where keeping may be worth no word; what the command says.
    fn is_taken_back(&self, line: &str, then: &str) -> String {
        let (said, files) = (self.said(), self.files());
        let output = self.recourse(&["exec", "--profile", "agent", "-c", line]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{line}: {told}");
        assert!(self.files() != files || self.said() != said, "{line} changed nothing");
        self.sh(then);
        let output = self.recourse(&["undo", "--yes"]);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        let now = self.files();
        for path in files.keys().chain(now.keys()) {
            assert!(files.get(path) == now.get(path), "{line}: {} is not as it was", path.display());
        }
        assert_eq!(self.said(), said, "{line}");
        told
    }
}

fn is_internal(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == ".git")
}

/// Each line begins where the one before was undone: that undoing leaves nothing behind is tested with it.
fn all_come_back(lines: &[(&str, &str)]) {
    let fixture = Fixture::lay();
    for (line, then) in lines {
        fixture.comes_back(line, then);
    }
}

#[test]
fn what_is_discarded_in_the_working_tree_comes_back() {
    all_come_back(&[
        ("git checkout -- a.txt", "true"),
        ("git checkout .", "true"),
        ("git restore --staged --worktree src", "true"),
        ("git reset -q --hard", "true"),
        ("git rm -rfq src", "true"),
        ("git mv -f b.txt a.txt && git reset -q --hard", "true"),
        ("git add notes.md && git reset -q --hard", "true"),
    ]);
}

#[test]
fn what_git_cleans_comes_back() {
    all_come_back(&[
        ("git clean -fdq", "true"),
        ("git clean -fdxq", "true"),
        ("git clean -fq own", "true"),
        ("git add -A && git rm -q --cached -r . && git clean -fdxq", "true"),
        ("git init -q own/repo && cp notes.md own/repo && git clean -ffdxq", "true"),
    ]);
}

#[test]
fn switching_with_force_is_taken_back_whole() {
    all_come_back(&[
        ("git checkout -q -f v1", "true"),
        ("git reset -q --hard HEAD~1", "git gc -q --prune=now"),
        ("git switch -q --discard-changes --detach side", "true"),
    ]);
}

#[test]
fn stashes_and_branches_come_back_even_after_housekeeping() {
    all_come_back(&[
        ("git stash -q -u && git stash drop -q && git clean -fdxq", "git gc -q --prune=now"),
        ("git stash drop -q && rm notes.md", "git gc -q --prune=now"),
        ("git worktree remove --force ../tree && git branch -q -D side", "git gc -q --prune=now"),
        (
            "git stash -q && git stash drop -q && git reflog expire --expire=now --all && git gc -q --prune=now",
            "true",
        ),
    ]);
}

#[test]
fn what_only_people_know_comes_back_although_git_has_the_content() {
    let fixture = Fixture::lay();
    fixture.sh(
        "git branch spare side~1 && git tag -a v2 -m two && git stash push -q -m another -- b.txt old.txt a.txt
         git stash apply -q --index",
    );
    let gc = "git gc -q --prune=now";
    for (line, then) in [
        ("git stash drop -q", gc),
        ("git stash drop -q stash@{1}", gc),
        ("git stash clear", gc),
        ("git branch -q -D spare", gc),
        ("git branch -q -f spare main", "true"),
        ("git branch -q -M spare other", "true"),
        ("git tag -d v2", gc),
        ("git tag -f v1 main", "true"),
        ("git update-ref -d refs/heads/spare", gc),
        ("git remote remove origin", "true"),
        ("git reflog expire --expire=now --all", "true"),
        ("rm -r .git/refs/stash .git/logs/refs/stash", "true"),
    ] {
        fixture.is_taken_back(line, then);
    }
}

#[test]
fn what_moves_a_ref_the_head_or_the_index_is_taken_back_though_git_has_the_content() {
    let fixture = Fixture::lay();
    fixture.sh(
        "git branch spare side~1 && git branch ahead main && git branch -q -u origin/main main && git remote set-head origin main
         git notes add -m old && git -C ../remote.git branch other main && git diff src/c.txt > ../further.patch",
    );
    let gc = "git gc -q --prune=now";
    for (line, then) in [
        ("git symbolic-ref HEAD refs/heads/spare", "true"),
        ("git symbolic-ref HEAD refs/heads/unborn", "true"),
        ("git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/nothing", "true"),
        ("git remote set-head origin -d", "true"),
        ("git update-ref HEAD side", "true"),
        ("git add src/c.txt", gc),
        ("git add -A", "true"),
        ("git add --chmod=+x src/c.txt", "true"),
        ("git apply --cached ../further.patch", "true"),
        ("git commit -qam all", "true"),
        ("git commit -qm some src/c.txt", gc),
        ("git commit -q --amend -m other", "sleep 1"),
        ("git stash -q", "true"),
        ("git stash push -q -u", gc),
        ("git fetch -q -f origin main:ahead", gc),
        ("git fetch -q origin +main:ahead", "true"),
        ("git branch -q -m spare another", "true"),
        ("git branch -q --unset-upstream", "true"),
        ("git checkout -q -b topic", "true"),
        ("git checkout -q --detach", "true"),
        ("git remote set-url origin /nowhere", "true"),
        ("git remote rename origin upstream", "true"),
        ("git notes add -f -m new", "true"),
        ("git notes remove", "true"),
        ("git config user.name other", "true"),
        ("git reset -q --soft HEAD~1", "true"),
        ("git worktree move ../tree ../elsewhere", "true"),
    ] {
        fixture.is_taken_back(line, then);
    }
}

#[test]
fn what_brings_other_files_is_taken_back_whole() {
    let fixture = Fixture::lay();
    fixture.sh("git checkout -q -- . && git reset -q --hard && git branch -q spare side~1");
    for line in [
        "git checkout -q spare",
        "git switch -q -c topic spare",
        "git merge -q --no-edit side",
        "git cherry-pick side",
        "git revert --no-edit HEAD",
        "git stash apply -q",
        "git stash branch again",
        "git bisect start",
        "git rm -q b.txt",
        "git checkout -q HEAD~1 -- old.txt",
        "git mv a.txt z.txt",
        "cd src && git checkout -q spare",
        "git checkout -q spare && git reset -q --hard main",
        "git checkout -q spare && git commit -q --amend -m other",
    ] {
        fixture.is_taken_back(line, "true");
    }
}

#[test]
fn what_is_staged_comes_back_when_it_is_taken_out_of_the_index() {
    let fixture = Fixture::lay();
    for line in [
        "git reset -q",
        "git reset -q -- src/c.txt",
        "git restore --staged src/c.txt",
        "git rm -q --cached -f src/c.txt",
        "git update-index --force-remove src/c.txt",
        "git read-tree HEAD",
        "git mv -f b.txt src/c.txt",
    ] {
        fixture.is_taken_back(line, "git gc -q --prune=now");
    }
    fixture.is_taken_back("rm .git/index", "true");
}

#[test]
fn a_merge_that_is_given_up_comes_back_with_what_was_resolved() {
    let fixture = Fixture::lay();
    fixture.sh("git add -A && git commit -qm all && ! git merge -q side && echo half resolved > a.txt");
    fixture.is_taken_back("git merge --abort", "true");
    fixture.is_taken_back("git reset -q --merge", "true");
    fixture.sh("git merge --abort && git checkout -q -b topic && ! git rebase -q side && echo mine > a.txt");
    fixture.is_taken_back("git rebase --abort", "true");
    fixture.is_taken_back("git rebase --quit", "true");
}

#[test]
fn patches_written_anew_give_back_those_that_stood_there() {
    let fixture = Fixture::lay();
    fixture.write("patches/0001-second.patch", "with a covering word");
    fixture.write("0001-second.patch", "with a covering word");
    for line in
        ["git format-patch -q -1", "git format-patch -q -o patches -1", "git bundle create -q notes.md HEAD"]
    {
        fixture.comes_back(line, "true");
    }
}

#[test]
fn what_a_remote_on_this_machine_holds_comes_back() {
    let fixture = Fixture::lay();
    fixture.sh("git clone -q -b main ../remote.git ../theirs && cd ../theirs && echo theirs > t && git add t
         git commit -qm theirs && git push -q origin main");
    fixture.comes_back("git push -q --force origin main", "git -C ../remote.git gc -q --prune=now");
}

#[test]
fn only_what_an_act_rewrites_is_set_aside() {
    let fixture = Fixture::lay();
    for number in 0..300 {
        fixture.write(&format!("many/{number}.txt"), "as committed");
    }
    fixture.sh("git add many && git commit -qm many");
    let output = fixture.recourse(&["exec", "--profile", "agent", "-c", "git checkout -- a.txt"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let kept = fs::read_dir(fixture.root.path().join(".local/share/recourse/kept")).unwrap();
    let point = kept
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "point"))
        .unwrap();
    let text = fs::read_to_string(point).unwrap();
    assert!(
        text.contains("proj/a.txt") && !text.contains("many/1.txt") && !text.contains("refs/heads"),
        "{told}"
    );
}

/// A repository with a program that nobody can read, which runs what stands in `wipe`.
fn with_unread(wipe: &str) -> Fixture {
    let fixture = Fixture::lay();
    fixture.sh("git branch spike side && git tag v2 && cp /bin/sh ../unread");
    fs::write(fixture.root.path().join("wipe"), wipe).unwrap();
    fixture
}

#[test]
fn what_an_unread_program_takes_of_a_repository_comes_back() {
    for wipe in [
        "git stash clear",
        "git branch -q -D spike; git tag -d v2",
        "git tag -d v1",
        "rm -f .git/refs/stash .git/logs/refs/stash .git/index .git/refs/heads/spike",
        "git stash clear; git branch -D spike; rm -f a.txt notes.md; git rm -q --cached b.txt",
    ] {
        with_unread(wipe).is_taken_back("../unread ../wipe", "");
    }
}

#[test]
fn what_was_staged_before_an_unread_program_comes_back() {
    let fixture = with_unread("git stash clear; git reset -q --hard; git clean -fdq");
    fixture.sh("rm -r own; git add a.txt notes.md");
    let files = fixture.files();
    let output = fixture.recourse(&["exec", "--profile", "agent", "-c", "../unread ../wipe"]);
    assert!(output.status.success() && fixture.files() != files);
    assert!(fixture.recourse(&["undo", "--yes"]).status.success());
    // What the program itself laid out again stays.
    let now = fixture.files();
    for (path, was) in files {
        assert!(now.get(&path) == Some(&was), "{} is not as it was", path.display());
    }
    assert!(fixture.sh("git diff --cached --name-only; git stash list").contains("a.txt\nnotes.md\n"));
}

#[test]
fn work_that_went_on_after_an_unread_program_stays_in_the_repository() {
    let fixture = with_unread("rm -f notes.md");
    let output = fixture.recourse(&["exec", "--profile", "agent", "-c", "../unread ../wipe"]);
    assert!(output.status.success());
    fixture.sh("git switch -q -c further && git add -A src && git branch -q -m spike spoken && git tag v3
         git -c gc.auto=0 pack-refs --all && git stash push -q -- a.txt");
    let names = "git symbolic-ref HEAD; git for-each-ref; git stash list; git ls-files -s";
    let now = fixture.sh(names);
    assert!(fixture.recourse(&["undo", "--yes"]).status.success());
    assert!(fixture.proj().join("notes.md").is_file());
    let after = fixture.sh(names);
    for line in now.lines().filter(|line| !line.contains("spike")) {
        assert!(after.contains(line), "{line} is gone:\n{after}");
    }
}
