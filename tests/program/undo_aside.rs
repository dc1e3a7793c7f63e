//! Files that go by what stands beside the words: variables, settings, remotes, submodules, repositories that the same line
//! makes, SQL that code runs. What an agent loses by them comes back.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::undo_files::{Place, said};

/// A program that has to be there, what is laid out, and the line that takes something away.
type Case = (&'static str, &'static str, &'static str);

/// All files but git's own, which lines of git change besides.
fn seen(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut pending, mut found) = (vec![dir.to_owned()], BTreeMap::new());
    while let Some(dir) = pending.pop() {
        for path in std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            if path.file_name() == Some(OsStr::new(".git")) {
                continue;
            }
            if path.is_dir() {
                pending.push(path);
            } else if let Ok(content) = std::fs::read(&path) {
                found.insert(path, content);
            }
        }
    }
    found
}

fn is_there(program: &str) -> bool {
    let (program, module) = program.split_once('+').unwrap_or((program, ""));
    let asked = if module.is_empty() {
        Command::new("sh").args(["-c", &format!("command -v {program}")]).output()
    } else {
        Command::new(program).args(["-c", &format!("import {module}")]).output()
    };
    asked.is_ok_and(|done| done.status.success())
}

fn come_back(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (program, laid, line) in cases {
        if !is_there(program) {
            eprintln!("SKIPPED: there is no {program} here");
            continue;
        }
        let place = Place::new();
        let work = place.work();
        let git = "git config --global user.name n; git config --global user.email a@b";
        let laying = Command::new("sh")
            .args(["-ec", &format!("{git}; git config --global protocol.file.allow always; {laid}")])
            .env("HOME", work.parent().unwrap())
            .current_dir(&work)
            .output()
            .unwrap();
        assert!(laying.status.success(), "{laid}: {}", said(&laying));
        let was = seen(&work);
        let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
        let now = seen(&work);
        if !was.iter().any(|(path, held)| now.get(path) != Some(held)) {
            wrong.push(format!("{line} took nothing away: {}", said(&output)));
            continue;
        }
        let undone = place.undo(&[]);
        let now = seen(&work);
        let lost: Vec<_> = was.iter().filter(|(path, held)| now.get(*path) != Some(held)).collect();
        if !lost.is_empty() || !undone.status.success() {
            let lost: Vec<_> = lost.iter().map(|(path, _)| path).collect();
            wrong.push(format!("{line}: {lost:?} {}{}", said(&output), said(&undone)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const FILES: &str = "echo a > a.txt; echo b > b.txt; mkdir d; echo c > d/c.txt";

const REPOSITORY: &str = "git init -q; git config user.name n; git config user.email a@b; echo one > tracked; git add .; git commit -qm one; echo a > a.txt; echo mine > tracked";

#[test]
fn files_that_variables_name_come_back() {
    come_back(&[
        ("git", REPOSITORY, "GIT_INDEX_FILE=$PWD/a.txt git read-tree HEAD"),
        ("git", REPOSITORY, "GIT_TRACE=$PWD/a.txt git status"),
        ("git", REPOSITORY, "export GIT_TRACE2_EVENT=$PWD/a.txt; git log --oneline"),
        ("python3", FILES, "BROWSER='sh -c \">a.txt\" %s' python3 -m webbrowser http://x"),
        ("make", "echo a > a.txt; printf 'Z:=$(shell rm -f a.txt)\\n' > mkf", "MAKEFILES=mkf make; true"),
        ("node", FILES, "NODE_OPTIONS=--redirect-warnings=a.txt node -e 'process.emitWarning(\"x\")'"),
        ("gcc", "echo a > a.txt; echo 'int x;' > x.c", "DEPENDENCIES_OUTPUT='a.txt x' gcc -c x.c"),
        ("tar", FILES, "TAPE=a.txt tar c b.txt"),
        ("tar", FILES, "TAR_OPTIONS=--remove-files tar cf all.tar a.txt"),
        ("xz", "echo a > n; xz -k n; echo mine > n.xz", "XZ_OPT=-f xz -k n"),
        (
            "wget",
            "echo a > a.txt; echo 'output_document = a.txt' > rc",
            "WGETRC=rc wget -q http://127.0.0.1:1/; true",
        ),
    ]);
}

#[test]
fn what_open_descriptors_hold_is_read_by_their_names() {
    come_back(&[
        ("bash", FILES, ". /dev/fd/3 3<<< 'rm a.txt'"),
        ("bash", FILES, ". /proc/self/fd/3 3<<< 'rm a.txt'"),
        ("bash", FILES, "bash /dev/fd/3 3<<< 'rm a.txt'"),
        ("bash", FILES, "exec 3<<< 'rm a.txt'; source /proc/self/fd/3"),
        ("bash", FILES, "exec 4<<< 'rm a.txt'; . /dev/fd/5 5<&4"),
        ("bash", FILES, "{ . /dev/fd/3; } 3<<< 'rm a.txt'"),
        ("bash", FILES, "exec 3<<< 'echo'; exec 3<<< 'rm a.txt'; . /dev/fd/3"),
        ("bash", "echo 'rm a.txt' > x; echo a > a.txt", ". /dev/fd/3 3< x"),
        ("tclsh", FILES, "tclsh /dev/fd/3 3<<< 'file delete a.txt'"),
        ("python3", FILES, "python3 /proc/self/fd/3 3<<< 'import os; os.remove(\"a.txt\")'"),
        ("awk", FILES, "awk -f /dev/fd/3 3<<< 'BEGIN { system(\"rm a.txt\") }'"),
        ("sed", FILES, "sed -f /dev/fd/3 b.txt 3<<< 'w a.txt'"),
        ("make", FILES, "make -f /dev/fd/3 3<<< 'all: ; rm a.txt'"),
    ]);
}

#[test]
fn names_that_the_shell_works_out_come_back() {
    come_back(&[
        ("bash", FILES, "printf -vf a.txt; rm $f"),
        ("bash", "echo 1 > a1.txt", "x=$(printf %d 1z); rm a$x.txt"),
        ("bash", "echo 1 > a000.txt", "printf -v x %03d abc; rm a$x.txt"),
        ("bash", FILES, "f=a.txt; local f=q; rm $f"),
        ("bash", "echo 1 > aaa.txt", "rm $(printf y.txt | tr y '[a*3]' | sed s/a/aaa/)"),
        ("bash", FILES, "rm $(printf y.txt | tr y '[a*3]')"),
        ("bash", "echo b > b.txt; printf 'a.txt\\nb.txt\\n' > list", "mapfile -t -s1 A < list; rm $A"),
        ("bash", FILES, "x=b; rm ${x/b/&}.txt"),
        ("bash", FILES, "A=(a b); rm ${A[*]/%/.txt}"),
        ("bash", FILES, "declare -n r=a[1]; a=(b.txt a.txt); rm $r"),
        ("bash", "echo 1 > f1; echo 2 > f2", "x=1; cat <<E\n$((x++))\nE\nrm f$x"),
    ]);
}

#[test]
fn backups_and_rejected_parts_that_stood_there_come_back() {
    const PATCH: &str =
        "echo a > a.txt; echo b > b.txt; diff -u a.txt b.txt > p || true; sed -i s/b.txt/a.txt/ p
        echo old > a.txt.orig; echo old > a.txt.bak; echo old > a.txt.rej";
    come_back(&[
        ("patch", PATCH, "patch -b a.txt p"),
        ("patch", PATCH, "patch -z .bak a.txt p"),
        ("patch", PATCH, "echo z > a.txt; patch -f a.txt p; true"),
    ]);
}

#[test]
fn what_a_trap_may_change_is_not_taken_for_known() {
    const LAID: &str = "echo 1 > f1; echo 2 > f2";
    for line in [
        "x=1; trap 'x=2' DEBUG; rm f$x",
        "x=1; trap 'x=2' ERR; false; rm f$x",
        "x=1; trap 'x=2' USR1; kill -USR1 $$; rm f$x",
        "trap 'h' DEBUG; h() { x=2; }; x=1; rm f$x",
        "trap 'x=2' DEBUG; x=1; rm f$x",
    ] {
        let place = Place::new();
        let work = place.work();
        let laid = Command::new("sh").args(["-ec", LAID]).current_dir(&work).status().unwrap();
        assert!(laid.success());
        let was = seen(&work);
        let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
        if seen(&work) != was {
            place.undo(&[]);
        }
        assert_eq!(seen(&work), was, "{line}: {}", said(&output));
    }
}

#[test]
fn what_a_remote_runs_comes_back() {
    const REMOTE: &str =
        "git init -q; echo a > a.txt; printf '#!/bin/sh\\n: > a.txt\\n' > ../reach; chmod +x ../reach
        git config protocol.ext.allow always; git config remote.origin.url ext::$PWD/../reach";
    come_back(&[
        ("git", REMOTE, "git ls-remote; true"),
        ("git", REMOTE, "git fetch; true"),
        ("git", REMOTE, "git remote show origin; true"),
    ]);
}

#[test]
fn what_a_repository_of_the_same_line_takes_comes_back() {
    come_back(&[
        ("git", FILES, "git init -q; git add -A; git rm -qf a.txt"),
        ("git", FILES, "git init -q && git add -A && git commit -qm x && git rm -rqf . && rm -rf .git"),
        (
            "git",
            FILES,
            "git init -q; git add -A; git commit -qm x; git checkout -q --orphan y; git rm -rqf .; rm -rf .git",
        ),
        ("git", FILES, "git init -q; git commit -q --allow-empty -m x; git stash -u -q; rm -rf .git"),
        ("git", FILES, "git init -q; git add -A; git commit -qm x; git switch -q --orphan y; rm -rf .git"),
        (
            "git",
            FILES,
            "git init -q; git add -A; git commit -qm x; echo new > a.txt; git reset -q --hard; rm -rf .git b.txt",
        ),
    ]);
}

#[test]
fn work_in_submodules_comes_back() {
    const OUTER: &str = "mkdir ../in; (cd ../in; git init -q; echo one > f; git add .; git commit -qm one)
        git init -q; git submodule --quiet add ../in m; git commit -qm two
        echo mine > m/f; echo new > m/new";
    come_back(&[
        ("git", OUTER, "git reset -q --hard --recurse-submodules"),
        ("git", OUTER, "git checkout -q --recurse-submodules -f"),
        ("git", OUTER, "git -c submodule.recurse=true checkout -q -f HEAD"),
        ("git", OUTER, "git read-tree --recurse-submodules -u --reset HEAD"),
        ("git", OUTER, "git config submodule.recurse true; git reset -q --hard"),
        ("git", OUTER, "git restore --recurse-submodules ."),
        ("git", OUTER, "git submodule --quiet update --force"),
        ("git", OUTER, "git rm -qf m"),
        ("git", OUTER, "git mv m n"),
        ("git", OUTER, "git submodule set-url m x"),
    ]);
}

#[test]
fn files_among_the_words_of_git_come_back() {
    come_back(&[
        ("git", REPOSITORY, "git mailinfo a.txt tracked < /dev/null"),
        (
            "git",
            REPOSITORY,
            "git credential-store --file a.txt store < /dev/null; printf 'host=h\nusername=u\npassword=p\nprotocol=https\n' | git credential-store --file a.txt store",
        ),
        ("git", REPOSITORY, "git bundle create a.txt HEAD"),
        ("git", REPOSITORY, "git read-tree --index-output=a.txt HEAD"),
        ("git", REPOSITORY, "git archive -o a.txt HEAD"),
    ]);
}

#[test]
fn what_sql_writes_in_code_comes_back() {
    come_back(&[
        (
            "python3+duckdb",
            FILES,
            "python3 -c \"import duckdb; duckdb.sql('copy (select 1) to \\'a.txt\\'')\"",
        ),
        (
            "python3+duckdb",
            FILES,
            "python3 -c \"import duckdb; duckdb.connect().execute('copy (select 1) to \\'a.txt\\'')\"",
        ),
        ("python3+duckdb", FILES, "python3 -c \"import duckdb; duckdb.sql('select 1').write_csv('a.txt')\""),
        ("sqlite3", FILES, "sqlite3 x.db \"select writefile('a.txt', 'x')\""),
        // What nobody can read may change all of the repository that it stands in: not in that of the tests.
        ("parallel", "git init -q; echo a > a.txt", "PARALLEL='--joblog a.txt' parallel echo ::: 1"),
        ("fish", FILES, "fish -d 3 -o a.txt -c true"),
        ("fish", FILES, "fish --profile-startup=a.txt -c true"),
        ("zsh", FILES, "zsh -c 'f(){ rm $REPLY }; print *.txt(+f)'"),
        ("zsh", FILES, "zsh -c 'mv b.txt(:A) a.txt'"),
        ("bash", "seq 9 > h", "HISTFILE=h; HISTFILESIZE=2; true"),
        ("tclsh", FILES, "echo 'file delete a.txt' | tclsh"),
        ("tclsh", "echo a > a.txt; echo 'file delete a.txt' > x.tcl", "tclsh x.tcl"),
    ]);
}

#[test]
fn which_file_a_tool_of_git_is_given_cannot_be_told() {
    for line in [
        "git difftool -y -x 'cp $LOCAL $REMOTE; true'",
        "git config difftool.x.cmd 'rm -f $REMOTE'; git difftool -y -t x",
    ] {
        let place = Place::new();
        let laying = Command::new("sh").args(["-ec", REPOSITORY]).current_dir(place.work()).output().unwrap();
        assert!(laying.status.success(), "{}", said(&laying));
        let was = seen(&place.work());
        let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
        assert!(!output.status.success() && seen(&place.work()) == was, "{line}: {}", said(&output));
    }
}
