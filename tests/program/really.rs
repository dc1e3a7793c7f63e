//! Repositories, databases and installed packages as they really are: what stands in them decides, not the command's name.

use std::path::Path;
use std::process::Command;

fn report(home: &Path, command: &str) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_recourse"))
        .args(["evaluate", "shell", "--format", "json", "--fail-on", "never", "--"])
        .arg(command)
        .current_dir(home.join("proj"))
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn verdict(home: &Path, command: &str) -> String {
    report(home, command)["riskAssessment"].as_str().unwrap().to_owned()
}

fn stops(home: &Path, commands: &[&str]) {
    for command in commands {
        let found = verdict(home, command);
        assert!(matches!(found.as_str(), "escalate" | "block"), "{command}: {found}");
    }
}

fn passes(home: &Path, commands: &[&str]) {
    for command in commands {
        let found = verdict(home, command);
        assert!(matches!(found.as_str(), "allow" | "warn"), "{command}: {found}");
    }
}

fn sh(dir: &Path, text: &str) {
    let done = Command::new("sh")
        .args(["-ec", text])
        .current_dir(dir)
        .env("HOME", dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
        .envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@example.org")])
        .output()
        .unwrap();
    assert!(done.status.success(), "{text}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A home that is not below a temporary directory, with a repository in `proj`.
fn home() -> tempfile::TempDir {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/homes");
    std::fs::create_dir_all(&place).unwrap();
    let home = tempfile::tempdir_in(place).unwrap();
    sh(
        home.path(),
        "mkdir proj; cd proj; git init -q -b main; mkdir src; echo one > src/a.py; echo two > src/b.py
         printf 'node_modules\\nlogs\\n*.db\\n' > .gitignore; git add -A; git commit -qm first",
    );
    home
}

#[test]
fn what_git_packs_overwrites_what_is_not_the_same() {
    let home = home();
    sh(
        home.path(),
        "cd proj; echo changed by hand >> src/a.py; mkdir ../spare; cp -r src ../spare/; echo own > ../spare/src/b.py",
    );
    stops(
        home.path(),
        &[
            "git archive HEAD src | tar x",
            "git archive HEAD | tar -xf - -C .",
            "git archive --prefix=proj/ HEAD src/a.py | tar x -C ..",
            "git archive HEAD src | gzip | tar xz",
            "git archive -o ../a.tar HEAD && tar xf ../a.tar",
            "git archive HEAD > ../a.tar && tar xf ../a.tar",
            "tar cf - src | tar xf - -C ../spare",
        ],
    );
    passes(
        home.path(),
        &[
            "git archive HEAD src/b.py | tar x",
            "git archive --prefix=new/ HEAD | tar x",
            "git archive HEAD src | tar xk",
            "git archive HEAD src/b.py > ../a.tar && tar xf ../a.tar",
            "git archive HEAD | tar t",
            "tar cf - src/a.py | tar xf - -C ../spare",
        ],
    );
}

#[test]
fn pushes_of_one_command_are_judged_one_after_the_other() {
    let home = home();
    sh(
        home.path(),
        "cd proj; git clone -q --bare . ../team.git; git remote add team ../team.git; git clone -q ../team.git ../colleague
         cd ../colleague; echo theirs > t; git add t; git commit -qm theirs; git push -q origin main main:other; rm -rf ../colleague",
    );
    stops(
        home.path(),
        &[
            "git push team +main :other",
            "git push -f team main && git push team -d other",
            "git push team --delete other; git push team +main:main",
        ],
    );
    passes(home.path(), &["git push team +main", "git push team :other", "git push team main:new"]);
}

#[test]
fn triggers_in_a_database_fire() {
    let home = home();
    let made = Command::new("sqlite3")
        .arg(home.path().join("proj/shop.db"))
        .arg(
            "create table ping(id, at); create table hist(a); insert into hist values(1),(2); create table log(a);
             create trigger one after insert on ping begin delete from hist; end;
             create table plain(id, at); create trigger two after insert on plain begin
               insert into log values(new.id); update plain set at = 1 where id = new.id; end;
             create trigger three after insert on log begin update log set a = a where a = new.a; end;",
        )
        .status();
    if !made.is_ok_and(|status| status.success()) {
        crate::support::skipped("sqlite3 is not installed");
        return;
    }
    stops(
        home.path(),
        &[
            "sqlite3 shop.db 'insert into ping values(1, 2)'",
            "sqlite3 shop.db '.import a.csv ping'",
            "sqlite3 shop.db \"delete from sqlite_master where name = 'hist'\"",
        ],
    );
    passes(
        home.path(),
        &[
            "sqlite3 shop.db 'insert into plain values(1, 2)'",
            "sqlite3 shop.db 'insert into log values(1)'",
            "sqlite3 shop.db 'create table fresh(a)'",
        ],
    );
}

#[test]
fn an_installer_does_not_take_a_clone_away() {
    let home = home();
    sh(
        home.path(),
        "cd proj; echo '{\"name\":\"p\"}' > package.json; mkdir -p node_modules/dep; echo 1 > node_modules/dep/index.js
         echo '{\"name\":\"dep\"}' > node_modules/dep/package.json; echo '{}' > node_modules/.package-lock.json",
    );
    let installs = ["npm ci", "npm install", "npm prune", "yarn install", "pnpm add lodash"];
    passes(home.path(), &installs);
    sh(
        home.path(),
        "git init -q proj/node_modules/mine; cd proj/node_modules/mine; echo 1 > m; git add m; git commit -qm m",
    );
    stops(home.path(), &installs);
    passes(home.path(), &["npm install -g typescript", "npm ls", "npm init -y", "npm ci --dry-run"]);
}

#[test]
fn a_driver_runs_where_an_attribute_gives_it_a_file() {
    let home = home();
    sh(
        home.path(),
        "cd proj; mkdir data docs; echo a,b > data/t.csv; echo t > docs/t.md; git add -A; git commit -qm data; echo c,d >> data/t.csv
         echo precious > own.txt; echo '*.csv diff=table' > .git/info/attributes; echo '*.md filter=wash' > docs/.gitattributes
         git config diff.table.textconv 'rm -f own.txt; cat'; git config filter.wash.clean 'rm -f own.txt; cat'",
    );
    stops(
        home.path(),
        &["git diff", "git diff data", "git blame -s data/t.csv", "git show HEAD", "git add docs/t.md"],
    );
    passes(
        home.path(),
        &[
            "git diff src",
            "git blame src/a.py",
            "git diff --stat src",
            "git show --no-textconv HEAD",
            "git add src",
            "git grep one",
        ],
    );
}

#[test]
fn hooks_are_those_that_this_call_runs() {
    let home = home();
    sh(
        home.path(),
        "cd proj; echo precious > own.txt; cd .git/hooks; printf '#!/bin/sh\\n[ \"$3\" = 1 ] && rm -f own.txt\\n' > post-checkout
         printf '#!/bin/sh\\nrm -f own.txt\\n' > pre-commit; cp pre-commit pre-push; chmod +x post-checkout pre-commit pre-push
         cd ../..; git branch other; git clone -q --bare . ../r.git; git remote add origin ../r.git
         git init -q ../said; cd ../said; echo x > x; git add x
         printf '#!/bin/sh\n[ -z \"$2\" ] || [ \"$2\" = message ] && sed -i \"1s/^/[x] /\" \"$1\"\n' > .git/hooks/prepare-commit-msg
         chmod +x .git/hooks/prepare-commit-msg",
    );
    stops(
        home.path(),
        &[
            "git switch other",
            "git checkout -b new",
            "git commit -m x",
            "git push origin main",
            "git hook run pre-commit",
        ],
    );
    passes(
        home.path(),
        &[
            "git checkout src/a.py",
            "git checkout -- src",
            "git commit --no-verify -m x",
            "git push --no-verify origin main",
            "git hook run commit-msg",
            "git clone -q . ../second",
            "cd ../said && git commit -qm x",
            "cd ../said && git commit",
        ],
    );
}

#[test]
fn what_was_put_into_git_first_is_not_lost_with_the_file() {
    let home = home();
    sh(
        home.path(),
        "cd proj; echo mine > own.txt; echo more >> src/a.py; mkdir logs; echo line > logs/x.log; echo raw > raw.bin
         echo '*.bin filter=other' > .gitattributes",
    );
    passes(
        home.path(),
        &[
            "git add own.txt && rm own.txt",
            "git add -A && git commit -qm work && rm own.txt src/a.py",
            "git add . ; echo new > own.txt",
            "git add -f logs/x.log && rm logs/x.log",
            "git commit -qam work && rm src/a.py",
            "git add $PWD/own.txt && sed -i s/mine/yours/ own.txt",
            "if git add own.txt; then rm own.txt; fi",
            "git stash push -u own.txt && rm own.txt",
            "git commit -qm work src/a.py && git checkout HEAD~1 src/a.py",
            "git stash && git checkout -- src",
        ],
    );
    stops(
        home.path(),
        &[
            "git add own.txt nothing; rm own.txt",
            "git add own.txt || rm own.txt",
            "git add own.txt & rm own.txt",
            "git commit -qm work own.txt; rm own.txt",
            "git checkout -- $PWD/src/a.py",
            "test -e x && git add own.txt; rm own.txt",
            "git add -n own.txt && rm own.txt",
            "git add -u . && rm own.txt",
            "git add -u own.txt; rm own.txt",
            "git add --renormalize . && rm own.txt",
            "git -C src add . && rm own.txt",
            "git add -A && rm logs/x.log",
            "git add -A && rm raw.bin",
            "git commit -qam work && rm own.txt",
            "git add -A && rm -rf ../proj",
            "git add own.txt && rm own.txt && git reset -q && git gc --prune=now",
        ],
    );
}

#[test]
fn a_database_that_was_copied_first_is_not_lost_with_its_rows() {
    let home = home();
    let made = Command::new("sqlite3")
        .arg(home.path().join("proj/app.db"))
        .arg("create table t(a); insert into t values(1), (2)")
        .status();
    if !made.is_ok_and(|status| status.success()) {
        crate::support::skipped("sqlite3 is not installed");
        return;
    }
    passes(
        home.path(),
        &[
            "cp app.db ../app.bak && sqlite3 app.db 'delete from t'",
            "cp -a app.db app.bak; sqlite3 app.db 'drop table t'",
            "tar cf ../app.tar app.db && sqlite3 app.db 'delete from t'",
            "cp app.db bak && sqlite3 app.db 'insert into t values(3)' && sqlite3 app.db 'delete from t'",
        ],
    );
    stops(
        home.path(),
        &[
            "cp app.db bak || sqlite3 app.db 'delete from t'",
            "cp app.db /dev/null && sqlite3 app.db 'delete from t'",
            "cp app.db bak && sqlite3 app.db 'delete from t' && rm bak",
            "cp app.db bak & sqlite3 app.db 'delete from t'",
        ],
    );
    // What is only in its log is in no copy of the file.
    std::fs::write(home.path().join("proj/app.db-wal"), "pages").unwrap();
    stops(home.path(), &["cp app.db ../app.bak && sqlite3 app.db 'delete from t'"]);
}
