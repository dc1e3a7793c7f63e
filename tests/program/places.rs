//! The place that a path names, whatever it is called: behind links, over `..`, through links and copies of the same command.

// A test fails loudly.
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A home with a repository `proj`, `Documents` and `Pictures` beside it, and links to them.
struct Fixture {
    root: tempfile::TempDir,
}

fn words(name: &str) -> String {
    format!("{name}: words that stand nowhere else\n").repeat(20)
}

impl Fixture {
    /// Not below a temporary directory, where little counts.
    fn lay() -> Self {
        let fixture = Self { root: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap() };
        let (home, proj) = (fixture.home(), fixture.home().join("proj"));
        let clean = ["README.md", "LICENSE", "src/main.py"];
        let own = ["notes.md", "draft.txt", "a/one.txt", "b/two.txt", "c/one.txt"];
        for file in clean {
            write(&proj.join(file), &words(file));
        }
        let git = |arguments: &[&str]| {
            let done = Command::new("git")
                .args(["-c", "user.name=a", "-c", "user.email=a@b.c"])
                .args(arguments)
                .current_dir(&proj)
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .status();
            assert!(done.unwrap().success());
        };
        git(&["init", "-q", "-b", "main"]);
        git(&["add", "-A"]);
        git(&["commit", "-qm", "first"]);
        for file in own {
            write(&proj.join(file), &words(&format!("own {file}")));
        }
        for name in ["dup1.txt", "dup2.txt"] {
            write(&proj.join(name), &words("twice"));
        }
        for file in
            ["notes.txt", "Documents/thesis.md", "Documents/deep/x.txt", "Pictures/a.jpg", "site/index.html"]
        {
            write(&home.join(file), &words(file));
        }
        for (at, to) in [("proj/link-docs", "../Documents"), ("proj/lsite", "../site"), ("alias", "proj")] {
            symlink(to, home.join(at)).unwrap();
        }
        fixture
    }

    fn home(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    /// The verdict in a directory below the home, which the caller's shell calls by this very name.
    fn verdict_in(&self, below: &str, command: &str) -> String {
        let (home, cwd) = (self.home(), self.home().join(below));
        let done = Command::new(env!("CARGO_BIN_EXE_recourse"))
            .args(["evaluate", "shell", "--format", "json", "--fail-on", "never", "--", command])
            .current_dir(&cwd)
            .env("PWD", &cwd)
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("TMPDIR", "/tmp")
            .output()
            .unwrap();
        let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
        report["riskAssessment"].as_str().unwrap_or("error").to_owned()
    }

    fn verdict(&self, command: &str) -> String {
        self.verdict_in("proj", command)
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn severity(verdict: &str) -> usize {
    ["allow", "warn", "escalate", "block"].iter().position(|known| *known == verdict).unwrap_or(9)
}

/// Those that are not as expected: `stopped` or not.
fn wrong(fixture: &Fixture, stopped: bool, commands: &[&str]) -> Vec<String> {
    let found = commands.iter().map(|command| (fixture.verdict(command), command));
    let odd = found.filter(|(verdict, _)| (severity(verdict) >= 2) != stopped);
    odd.map(|(verdict, command)| format!("{verdict}: {command}")).collect()
}

#[test]
fn the_parent_of_a_link_is_where_the_kernel_finds_it() {
    let fixture = Fixture::lay();
    let stopped = [
        "rm link-docs/../notes.txt",
        "cd link-docs && rm -rf ../Pictures",
        "cd -P link-docs && rm ../notes.txt",
        "cd -P link-docs && cd .. && rm notes.txt",
        "set -P; cd link-docs; cd ..; rm notes.txt",
        "set -o physical; cd link-docs/..; rm notes.txt",
        "pushd link-docs && rm -rf ../Pictures",
        "env -C link-docs rm ../notes.txt",
        "env -C link-docs/.. rm notes.txt",
        "find link-docs/../Pictures -delete",
        "cd link-docs && find .. -name '*.jpg' -delete",
        "> link-docs/../notes.txt",
        "cp README.md link-docs/../notes.txt",
        "mv README.md link-docs/../notes.txt",
        "sed -i d link-docs/../notes.txt",
        "rsync -a --delete src/ link-docs/../Pictures/",
        "python3 -c \"import os; os.chdir('link-docs'); os.remove('../notes.txt')\"",
        "cd link-docs && git -C ../proj clean -fd",
        "rm link-docs/deep/../../notes.txt",
        "ln -s ../Documents/deep here && rm here/../thesis.md",
        "cd link-docs/deep && rm ../thesis.md",
        "rm \"$(cd -P link-docs && pwd)/thesis.md\"",
        "cd link-docs && rm \"$(pwd -P)/../notes.txt\"",
        "for f in link-docs/../*.txt; do rm \"$f\"; done",
        "CDPATH=.. cd link-docs/.. ; rm notes.md",
        "cd nowhere/..; rm notes.md",
    ];
    // These paths lead nowhere, or to what git holds.
    let harmless = [
        "cd link-docs && cd .. && rm README.md",
        "cd link-docs/.. && rm LICENSE",
        "rm -f link-docs/../README.md",
        "cd link-docs && ls ..",
        "rm src/../README.md",
        "mkdir -p out/x && rm -rf out/x/../x",
        "rm link-docs",
        "pushd link-docs && popd && rm README.md",
    ];
    let mut wrong_ones = wrong(&fixture, false, &harmless);
    wrong_ones.extend(wrong(&fixture, true, &stopped));
    assert!(wrong_ones.is_empty(), "{}", wrong_ones.join("\n"));
}

#[test]
fn links_that_the_command_makes_are_known() {
    let fixture = Fixture::lay();
    let mut wrong_ones = wrong(
        &fixture,
        true,
        &[
            "ln -s ../Documents x && rm -rf x/",
            "ln -sfn ../Documents lsite; rm -rf lsite/",
            "ln -s \"$WHERE\" x && rm -rf x/",
            "ln -s notes.md x && cat README.md > x",
            "cp -s notes.md x; cat LICENSE > x",
            "ln notes.md x && cat README.md > x",
            "cp -l notes.md x; cp README.md x",
            "ln notes.md h; rm notes.md; echo > h",
            "ln -s ../Documents x && cd x && rm thesis.md",
            "ln -s ../Documents x && rm x/../notes.txt",
            "ln -s ../Documents x && find x/ -delete",
            "ln -s . x; rm x/x/notes.md",
            "ln notes.md q && mv q z && echo x > z",
            "ln -s ../Pictures p; find -L p -name '*.jpg' -delete",
        ],
    );
    wrong_ones.extend(wrong(
        &fixture,
        false,
        &[
            "ln -s ../Documents x && rm x",
            "ln -s ../Documents x && rm -rf x",
            "ln notes.md h; rm notes.md",
            "ln notes.md h; rm h",
            "mkdir d && ln -s d x && rm -rf x/",
            "cp -s README.md x; rm x",
        ],
    ));
    assert!(wrong_ones.is_empty(), "{}", wrong_ones.join("\n"));
}

#[test]
fn copies_that_are_destroyed_later_are_none() {
    let fixture = Fixture::lay();
    let mut wrong_ones = wrong(
        &fixture,
        true,
        &[
            "mv dup1.txt x; rm x dup2.txt",
            "cp notes.md n2; sed -i d n2; rm notes.md",
            "cp notes.md n2; rm notes.md; sed -i d n2",
            "cp notes.md n2; cp draft.txt n2; rm notes.md",
            "cp notes.md n2; rm notes.md; mv README.md n2",
            "cp notes.md n2; rm notes.md; rm ../alias/n2",
            "mkdir d; cp notes.md d/; rm notes.md; rm -rf ../alias/d",
            "tar cf a.tar notes.md; rm notes.md; tar --delete -f a.tar notes.md",
            "zip -q a.zip notes.md; zip -qd a.zip notes.md; rm notes.md",
            "tar cf a.tar notes.md; rm notes.md; rm ./a.tar",
            "cp notes.md LICENSE; rm notes.md; git checkout LICENSE",
            "mkdir s; mv notes.md s/; git clean -fdq s",
            "mv notes.md LICENSE; git reset -q --hard",
            "cp a/one.txt o; cp b/two.txt o; rm -r a b",
            "rsync -a a/ c/ out/ && rm -rf a c",
            "cp -r a a2; rm -rf a2/*; rm -rf a",
            "cp -r a a2; find a2 -delete; rm -rf a",
            "cp -r a a2; echo > a2/one.txt; rm -rf a",
        ],
    );
    wrong_ones.extend(wrong(
        &fixture,
        false,
        &[
            "cp notes.md n2; rm notes.md",
            "cp notes.md n2; sed -i d README.md; rm notes.md",
            "tar cf a.tar a b && rm -rf a b",
            "rsync -a a/ b/ out/ && rm -rf a b",
            "mv notes.md n2; git checkout LICENSE",
            "mv notes.md n2; git reset -q --hard",
            "cp notes.md n2; rm notes.md; mv n2 notes.md",
            "cp -r a a2; echo x > a2/new.txt; rm -rf a",
            "cp notes.md n2; mkdir k; mv n2 k/; rm notes.md",
        ],
    ));
    assert!(wrong_ones.is_empty(), "{}", wrong_ones.join("\n"));
}

#[test]
fn a_protected_place_is_protected_by_every_name() {
    let fixture = Fixture::lay();
    let policy = "[[protect]]\npath = [\"~/site\", \"~/alias/src\"]\n";
    write(&fixture.home().join(".config/recourse/policy.toml"), policy);
    let mut wrong_ones = wrong(
        &fixture,
        true,
        &[
            "rm ../site/index.html",
            "rm lsite/index.html",
            "cd lsite && rm index.html",
            "sed -i s/a/b/ lsite/index.html",
            "mv ../site ../site2",
            "mv lsite/index.html elsewhere.html",
            "rm src/main.py",
            "rm ../alias/src/main.py",
            "git rm -qf src/main.py",
            "git -C ../alias rm -q src/main.py",
            "git -C src rm -q main.py",
            "mv src src2",
            "mv ../proj ../proj2",
            "true; rm link-docs/../site/index.html",
        ],
    );
    wrong_ones.extend(wrong(
        &fixture,
        false,
        &[
            "rm README.md",
            "git rm -q LICENSE",
            "mv LICENSE l2",
            "cat lsite/index.html",
            "rm lsite",
            "git status",
        ],
    ));
    assert!(wrong_ones.is_empty(), "{}", wrong_ones.join("\n"));
}

#[test]
fn no_name_of_a_place_lowers_the_verdict() {
    let fixture = Fixture::lay();
    // `@` stands before each path.
    let commands = [
        "rm @notes.md",
        "rm -rf @a @b",
        "cat README.md > @notes.md",
        "mv README.md @notes.md",
        "cp README.md @notes.md",
        "sed -i d @notes.md",
        "truncate -s 0 @notes.md",
        "dd if=/dev/zero of=@notes.md count=1",
        "shred -u @notes.md",
        "find @a -delete",
        "find @a -type f -exec rm {} +",
        "ls @a | sed 's,^,@a/,' | xargs rm",
        "tee @notes.md < README.md",
        "rsync -a --delete src/ @a/",
        "tar cf @notes.md README.md",
        "python3 -c 'open(\"@notes.md\", \"w\")'",
        "perl -e 'unlink \"@notes.md\"'",
        "for f in @*.txt; do rm \"$f\"; done",
        "rm @README.md",
        "cp @notes.md n2; rm @notes.md; rm @n2",
        "mv @notes.md @x; rm @x",
        "ln -s @a l; rm -rf l/",
        "cat @a/one.txt > @a/other.txt && rm @a/*.txt",
        "rm @nowhere.txt",
    ];
    let mut wrong = Vec::new();
    for command in commands {
        let plain = severity(&fixture.verdict(&command.replace('@', "")));
        for spelling in ["./", "src/../", "../proj/", "../alias/", "../alias/src/../", "link-docs/../proj/"] {
            let other = command.replace('@', spelling);
            let found = fixture.verdict(&other);
            if severity(&found) < plain {
                wrong.push(format!("{found}: {other}"));
            }
        }
        let found = fixture.verdict_in("alias", &command.replace('@', ""));
        if severity(&found) < plain {
            wrong.push(format!("{found}, from a linked directory: {command}"));
        }
    }
    assert!(wrong.is_empty(), "milder than by the plain name:\n{}", wrong.join("\n"));
}
