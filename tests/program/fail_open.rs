//! What cannot be seen, read or followed must never end as "nothing to lose": one line a way to miss something.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::model::Verdict;
use recourse::policy::Policy;
use recourse::shell;
use recourse::world::{MemoryWorld, RealWorld, World};

fn judge(world: &dyn World, cwd: &Path, text: &str) -> Verdict {
    let context = EvaluationContext { cwd: cwd.to_owned(), ..EvaluationContext::default() };
    let input = Input::Shell(shell::Input::Text(text.to_owned()));
    evaluate(input, &context, world, &Knowledge::builtin(), &Policy::default()).verdict()
}

/// A home of its own, which is no temporary place although it lies in one.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn dir(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn world(&self) -> RealWorld {
        let path = std::env::var("PATH").unwrap_or_default();
        RealWorld::with_environment(
            [("HOME".to_owned(), self.dir().display().to_string()), ("PATH".to_owned(), path)].into(),
        )
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.dir().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, dir: &str, words: &[&str]) -> bool {
        Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"])
            .args(words)
            .current_dir(self.dir().join(dir))
            .env("HOME", self.dir())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap()
            .status
            .success()
    }

    #[track_caller]
    fn stopped(&self, dir: &str, text: &str) {
        let verdict = judge(&self.world(), &self.dir().join(dir), text);
        assert!(verdict >= Verdict::Escalate, "{text:?} is {verdict:?}");
    }

    #[track_caller]
    fn runs(&self, dir: &str, text: &str) {
        let verdict = judge(&self.world(), &self.dir().join(dir), text);
        assert_eq!(verdict, Verdict::Allow, "{text:?}");
    }
}

#[test]
fn a_name_that_is_no_valid_text_is_not_taken_for_nothing() {
    let home = Home::new();
    home.write("p/plain", "");
    let name = home.dir().join("p").join(OsStr::from_bytes(b"caf\xe9"));
    if fs::write(name, "words that stand nowhere else").is_err() {
        crate::support::skipped("this file system takes no such names");
        return;
    }
    for text in [
        "rm *",
        "rm caf*",
        "find . -type f -delete",
        "find . -name 'caf*' -exec rm {} +",
        "for f in *; do rm \"$f\"; done",
        "for f in *; do : > \"$f\"; done",
        "mv plain caf*",
        "truncate -s0 *",
        "rm -r ../p",
    ] {
        home.stopped("p", text);
    }
    home.runs("p", "ls *");
    assert!(home.git("p", &["init", "-q"]));
    home.stopped("p", "git clean -fd");
}

#[test]
fn what_may_not_be_listed_now_may_be_by_then() {
    let world = MemoryWorld::new().file("/home/me/d/keep", "words").mode("/home/me/d", 0o000);
    let cwd = Path::new("/home/me");
    for text in [
        "chmod 700 d; rm -f d/*",
        "chmod -R u+rwX d && rm -rf d",
        "chmod 700 d && find d -type f -delete",
        "sudo sh -c 'rm -rf /home/me/d/*'",
        "sudo find /home/me/d -type f -delete",
        "sudo tee d/keep < /dev/null",
    ] {
        let verdict = judge(&world, cwd, text);
        assert!(verdict >= Verdict::Escalate, "{text:?} is {verdict:?}");
    }
    assert_eq!(judge(&world, cwd, "ls d/*"), Verdict::Allow);
}

#[test]
fn a_repository_that_is_unusual_keeps_its_work() {
    let home = Home::new();
    // Nothing is committed yet, whatever remote there is.
    home.write("new/f", "words");
    for words in [&["init", "-q"][..], &["add", "."], &["remote", "add", "origin", "git@host.example:x.git"]]
    {
        assert!(home.git("new", words));
    }
    home.stopped("", "rm -rf new");
    // A branch that only the remote has is checked out by force.
    home.write("up/f", "words");
    for words in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "a"], &["branch", "feat"]] {
        assert!(home.git("up", words));
    }
    assert!(home.git("", &["clone", "-q", "up", "clone"]));
    home.write("clone/f", "changed words");
    home.stopped("clone", "git checkout -f feat");
    assert!(home.git("clone", &["branch", "other"]));
    home.stopped("clone", "git checkout -f other");
    home.stopped("clone", "git switch --discard-changes feat");
    // Untracked things that took the place of tracked ones.
    home.write("swap/a", "words");
    home.write("swap/d/f", "words");
    for words in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "a"]] {
        assert!(home.git("swap", words));
    }
    home.runs("swap", "git reset --hard");
    fs::remove_file(home.dir().join("swap/a")).unwrap();
    home.write("swap/a/b", "words that stand nowhere else");
    home.stopped("swap", "git reset --hard");
    fs::remove_dir_all(home.dir().join("swap/a")).unwrap();
    home.write("swap/a", "words");
    fs::remove_dir_all(home.dir().join("swap/d")).unwrap();
    home.write("swap/d", "words that stand nowhere else");
    home.stopped("swap", "git reset --hard");
    home.stopped("swap", "git checkout .");
    // A `.git` file that names nothing.
    home.write("broken/.git", "gitdir: /nowhere/at/all\n");
    home.write("broken/package.json", "{}");
    home.write("broken/dist/f", "words");
    home.stopped("", "rm -rf broken/dist");
}

#[test]
fn refs_that_are_no_files_are_asked_for() {
    let home = Home::new();
    home.write("r/f", "one");
    if !home.git("r", &["init", "-q", "--ref-format=reftable"]) {
        crate::support::skipped("this git knows no other form of refs");
        return;
    }
    assert!(home.git("r", &["add", "."]) && home.git("r", &["commit", "-qm", "a"]));
    home.write("r/f", "two");
    assert!(home.git("r", &["stash", "-q"]));
    home.stopped("r", "git stash clear && git gc --prune=now");
    home.runs("r", "git stash list");
}

#[test]
fn a_submodule_goes_with_the_git_directory_that_holds_it() {
    let home = Home::new();
    for repo in ["up", "sub"] {
        home.write(&format!("{repo}/f"), repo);
        for words in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "a"]] {
            assert!(home.git(repo, words));
        }
    }
    let allow = ["-c", "protocol.file.allow=always"];
    assert!(home.git("up", &[&allow[..], &["submodule", "--quiet", "add", "../sub", "m"]].concat()));
    assert!(home.git("up", &["commit", "-qm", "b"]));
    assert!(home.git("", &["clone", "-q", "up", "work"]));
    assert!(home.git("work", &[&allow[..], &["submodule", "--quiet", "update", "--init"]].concat()));
    home.write("work/m/f", "committed here alone");
    assert!(home.git("work/m", &["commit", "-qam", "c"]));
    assert!(home.git("work", &["submodule", "--quiet", "deinit", "-f", "m"]));
    home.stopped("", "rm -rf work");
}

#[test]
fn makefiles_are_read_as_make_reads_them() {
    let lost = "x:\n\trm -rf d\n";
    for (makefile, text) in [
        (lost, "make"),
        (lost, "make -j 4"),
        (lost, "make -j4 -k"),
        (lost, "make -p"),
        (lost, "make -Iinclude"),
        (lost, "make -onone"),
        (lost, "make --dir=."),
        (lost, "make --no-such-option"),
        (lost, "make $TARGET"),
        (lost, "make -f - < Makefile"),
        (lost, "make -f empty.mk -f Makefile"),
        (lost, "cd d; make -C .."),
        ("x:\n\techo\n", "printf 'x:\\n\\trm -rf d\\n' | make -f -"),
        ("D := b\nO := $(D)\nx:\n\trm -rf $(O)\n", "make D=d"),
        ("D ?= b\nx:\n\trm -rf $(D)\n", "D=d make"),
        ("D ?= b\nx:\n\trm -rf $(D)\n", "export D=d; make"),
        ("D = b\nx:\n\trm -rf $(D)\n", "D=d make -e"),
        (".ONESHELL:\nx:\n\tcd d\n\trm -rf *\n", "make"),
        ("x: D := d\nD = b\nx:\n\trm -rf $(D)\n", "make"),
        ("x: D := d\nD = b\nx: y\ny:\n\trm -rf $(D)\n", "make"),
        ("L = d-a\n$(L): %-a:\n\trm -rf $*\n", "make d-a"),
        ("d-x: e\nd-%:\n\trm -rf d\n", "make d-x"),
        (".DEFAULT_GOAL := y\nx:\n\techo\ny:\n\trm -rf d\n", "make"),
        (".DEFAULT:\n\trm -rf d\nx: foo\n", "make"),
        ("export D = d\nx:\n\trm -rf $$D\n", "make"),
        ("x:\n\t+rm -rf d\n", "make -n"),
        ("X := $(shell rm -rf d)\nx:\n\techo\n", "make -n"),
        ("x:\n\t$(MAKE) y\ny:\n\trm -rf $(D)\n", "make D=d"),
        ("x:\n\techo $(info $(shell rm -rf d))\n", "make"),
        ("x:\n\techo $(words $(shell rm -rf d))\n", "make"),
        ("X := $(file >d/keep,)\nx:\n\techo\n", "make"),
        ("x:\n\techo $(file >d/keep,)\n", "make"),
        ("ifdef Q\nD = b/\nendif\nx:\n\trm -rf $(CURDIR)/$(D)\n", "make"),
        ("ifeq ($(shell uname),Q)\nD = b\nelse\nD = d\nendif\nx:\n\trm -rf $(D)\n", "make"),
        (".SHELLFLAGS := -c 'rm -rf d' --\nx:\n\techo\n", "make"),
        ("x: SHELL := /usr/bin/python3\nx:\n\techo\n", "make"),
        ("X :::= d\nx:\n\trm -rf $(X)\n", "make"),
        ("f = rm -rf $(1)\nx:\n\t$(call f,d)\n", "make"),
        ("x:\n\t@-$(foreach n,b d,rm -rf $(n);)\n", "make"),
        ("define R\nrm -rf d\nendef\nx:\n\t$(R)\n", "make"),
        ("include d/absent.mk\nx:\n\techo\n", "make"),
        ("x: ; @rm -rf d\n", "make"),
        ("# caf\u{e9}\nx:\n\trm -rf d\n", "make"),
    ] {
        let home = Home::new();
        home.write("p/Makefile", makefile);
        home.write("p/empty.mk", "");
        home.write("p/d/keep", "words that stand nowhere else");
        let verdict = judge(&home.world(), &home.dir().join("p"), text);
        assert!(verdict >= Verdict::Escalate, "{text:?} with {makefile:?} is {verdict:?}");
    }
    let home = Home::new();
    home.write("p/Makefile", b"# caf\xe9\nx:\n\trm -rf d\n");
    home.write("p/d/keep", "words that stand nowhere else");
    home.stopped("p", "make");
}

#[test]
fn ordinary_makefiles_run() {
    let home = Home::new();
    let makefile = "\
CC ?= gcc
CFLAGS += -O2 -Wall
PREFIX ?= /usr/local
SRC := $(wildcard src/*.c)
OBJ := $(patsubst src/%.c,build/%.o,$(SRC))
VERSION := $(shell git describe --tags 2>/dev/null || echo dev)
-include $(OBJ:.o=.d)
ifeq ($(OS),Windows_NT)
EXE := .exe
else
EXE :=
endif
ifndef V
Q := @
endif
.PHONY: all test clean install
all: app$(EXE)
app$(EXE): $(OBJ)
\t$(Q)$(CC) $(CFLAGS) -o $@ $^
build/%.o: src/%.c | build
\t@mkdir -p $(@D)
\t$(CC) $(CFLAGS) -MMD -DVERSION=\\\"$(VERSION)\\\" -c -o $@ $<
build:
\tmkdir -p $@
test: all
\t./app$(EXE) --version
\t$(MAKE) -C src check
lint:
\t@for f in $(SRC); do cc -fsyntax-only $$f || exit 1; done
clean:
\t-rm -rf build app$(EXE)
";
    home.write("p/Makefile", makefile);
    home.write("p/src/Makefile", "check:\n\t@echo fine\n");
    home.write("p/src/a.c", "int main(void) { return 0; }");
    home.write("p/build/a.o", "x");
    home.write("p/build/a.d", "build/a.o: src/a.c\n");
    assert!(home.git("p", &["init", "-q"]));
    home.write("p/.gitignore", "build/\napp\n");
    for text in [
        "make",
        "make -j4",
        "make -j $(nproc) all",
        "make clean",
        "make lint",
        "make -n clean",
        "make V=1",
        "make --version",
    ] {
        home.runs("p", text);
    }
}

#[test]
fn scripts_of_a_package_are_followed_or_asked_about() {
    for (package, text) in [
        (r#"{"scripts":{"build":"echo","prebuild":"rm -rf ../d"}}"#, "npm run build"),
        (r#"{"scripts":{"postinstall":"rm -rf ../d"}}"#, "npm install"),
        (r#"{"scripts":{"prepare":"rm -rf ../d"}}"#, "npm ci"),
        (r#"{"scripts":{"postinstall":"rm -rf ../d"}}"#, "yarn"),
        (r#"{"scripts":{"prepack":"rm -rf ../d"}}"#, "npm pack"),
        (r#"{"scripts":{"stop":"rm -rf ../d","start":"node x"}}"#, "npm restart"),
        (r#"{"scripts":{"build":"rm -rf ../d"}}"#, "npm run \"$(cat which)\""),
        (r#"{"scripts":{"build":"rm -rf ../d"}}"#, "cd .. && npm run build -w p"),
        (r#"{"scripts":{"build":"#, "npm run build"),
    ] {
        let home = Home::new();
        home.write("d/keep", "words that stand nowhere else");
        home.write("package.json", r#"{"scripts":{"build":"echo"}}"#);
        home.write("p/package.json", package);
        let verdict = judge(&home.world(), &home.dir().join("p"), text);
        assert!(verdict >= Verdict::Escalate, "{text:?} with {package:?} is {verdict:?}");
    }
    let home = Home::new();
    home.write("p/package.json", r#"{"scripts":{"build":"tsc -p .","prepare":"echo","test":"jest"}}"#);
    for text in ["npm run build", "npm test", "npm ci", "npm install", "yarn build", "npm install lodash"] {
        let verdict = judge(&home.world(), &home.dir().join("p"), text);
        assert!(verdict <= Verdict::Warn, "{text:?} is {verdict:?}");
    }
}

#[test]
fn a_name_that_nothing_sets_here_may_be_set_where_it_runs() {
    let home = Home::new();
    home.write("p/build/kept", "words that stand nowhere else");
    for text in [
        "rm -rf $WHERE/foo",
        "rm -rf \"$WHERE\"",
        "cd $WHERE && rm -rf foo",
        "kubectl --context $WHERE delete namespace shop",
        "dropdb $OPTIONS shop",
        "rm -rf $WHERE/",
        "unset OTHER; rm -rf $WHERE/foo",
    ] {
        home.stopped("p", text);
    }
    for text in [
        "ls $WHERE",
        "unset WHERE; rm -rf $WHERE/foo",
        "rm -rf ${WHERE:-nothing}",
        "[ -n \"$WHERE\" ] && rm -rf build",
        "[[ -n $WHERE ]] && rm -rf build",
        "WHERE=nothing; rm -rf $WHERE",
    ] {
        home.runs("p", text);
    }
    // Before it runs in this very environment, there is nothing to guess.
    let context = EvaluationContext {
        cwd: home.dir().join("p"),
        same_environment: true,
        ..EvaluationContext::default()
    };
    let input = Input::Shell(shell::Input::Text("rm -rf $WHERE/foo".to_owned()));
    let done = evaluate(input, &context, &home.world(), &Knowledge::builtin(), &Policy::default());
    assert_eq!(done.verdict(), Verdict::Allow);
}

#[test]
fn a_repository_that_is_made_by_name_has_what_stood_there_as_untracked_files() {
    let home = Home::new();
    home.write("p/notes.md", "words that stand nowhere else");
    home.write("Documents/thesis.txt", "words that stand nowhere else");
    fs::create_dir(home.dir().join("free")).unwrap();
    for text in [
        "git init -q ~ && git -C ~ clean -fdxq Documents",
        "git init -q ~; cd ~; git clean -fdq Documents",
        "git init -q ~/Documents && cd ~/Documents && git clean -fdq",
        "git init -q ../Documents; git -C ../Documents clean -fdx",
        "git init -q --separate-git-dir ../g ../Documents && git -C ../Documents clean -fdx",
        "git init -q && git clean -fdx",
    ] {
        home.stopped("p", text);
    }
    home.runs("p", "git init -q ../free && git -C ../free clean -fdx");
    home.runs("p", "git init -q ../made && git -C ../made clean -fdx");
}

#[test]
fn a_copy_that_took_the_place_of_what_it_was_made_of_is_that_thing() {
    let home = Home::new();
    home.write("p/notes.md", "words that stand nowhere else");
    home.write("p/other", "other words that stand nowhere else");
    for text in [
        "cp notes.md n2 && mv n2 notes.md && echo > notes.md",
        "cp notes.md n2; mv n2 notes.md; rm notes.md",
        "install notes.md n2; mv n2 notes.md; truncate -s0 notes.md",
        "cp notes.md n2; mv n2 n3; mv n3 notes.md; rm notes.md",
        "cp -r ../p ../q; mv ../q/notes.md notes.md; rm notes.md",
        "cp notes.md n2; cp n2 notes.md; rm n2 notes.md",
        "mv notes.md t; mv other notes.md; mv t other; rm other",
        "cp notes.md n2; mv notes.md n3; rm n2 n3",
        "cp notes.md n2; mv notes.md n3; rm n2; rm n3",
        "cp notes.md n2; mv notes.md n3; rm n3; rm n2",
        "cp notes.md n2; echo x > notes.md; mv notes.md n3; rm n2",
        "cp notes.md n2; sed -i d notes.md; mv notes.md n3; rm n2",
        "cp notes.md n2; mv notes.md n3; echo x > n3; rm n2",
        "cp notes.md n2; if [ -e x ]; then mv notes.md n3; else rm notes.md; fi; rm n2",
        "cp -r ../p ../q; sed -i d notes.md; mv ../p ../r; rm -r ../q",
    ] {
        home.stopped("p", text);
    }
    for text in [
        "cp notes.md n2 && mv n2 notes.md",
        "cp notes.md n2; mv notes.md n3; rm n2",
        "cp notes.md n2; mv notes.md n3; rm n3",
        "cp notes.md n2; mv notes.md n3; mv n3 n4; rm n2",
        "cp -r ../p ../q; mv ../p ../r; rm -r ../q",
    ] {
        home.runs("p", text);
    }
}

#[test]
fn a_text_with_a_programs_name_is_no_program() {
    let home = Home::new();
    home.write("p/passwd", "words that stand nowhere else");
    home.write("p/rm", "#!/bin/sh\nrm \"$@\"\n");
    for text in
        ["wc -l /etc/passwd /etc/group", "head -n1 $PWD/passwd $PWD/rm", "cut -c1 \"$PWD/passwd\" root"]
    {
        home.runs("p", text);
    }
    home.stopped("p", "wc --by $PWD/rm passwd");
    // The kernel refuses it, and whoever calls it hands it to a shell.
    home.write("p/truncate", "rm \"$@\"\n");
    fs::set_permissions(home.dir().join("p/truncate"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    home.stopped("p", "wc --by $PWD/truncate -s0 passwd");
}
