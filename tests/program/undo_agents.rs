//! What agents run in silence, although it may take something away, comes back: lists of names, patterns that a program
//! looks up itself, downloads, settings of programs, code that an interpreter calls by itself.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A home with a repository in it, and programs that a package manager put there.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        // Temporary places are harmless by definition.
        let place = Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        for dir in ["work/data", "home/go/bin", "home/.docker", "home/.kube"] {
            fs::create_dir_all(place.path(dir)).unwrap();
        }
        for (name, text) in [
            ("work/tracked.txt", "tracked\n"),
            ("home/.docker/config.json", "{\"auths\": {}}\n"),
            ("home/.npmrc", "//registry/:_authToken=x\n"),
            ("home/.kube/config", "apiVersion: v1\n"),
        ] {
            place.file(name, text);
        }
        let git = |words: &[&str]| {
            let done = place.command(Path::new("git")).args(words).output().unwrap();
            assert!(done.status.success(), "{words:?}");
        };
        git(&["init", "-q"]);
        git(&["add", "."]);
        git(&["-c", "user.name=n", "-c", "user.email=a@b", "commit", "-qm", "one"]);
        place.file("work/notes.md", "nowhere else\n");
        place.file("work/data/one.csv", "1\n");
        place.file("work/list", "notes.md\n");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A known program that does this instead. It cannot be read, as a real one.
    fn stub(&self, name: &str, text: &str) {
        let path = self.path("home/go/bin").join(name);
        let python =
            format!("import os, sys\nos.execv('/bin/sh', ['sh', '-c', {text:?}, 'stub'] + sys.argv[1:])\n");
        fs::write(&path, format!("#!/usr/bin/python3\n{python}")).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let path = format!("{}:{}", self.path("home/go/bin").display(), std::env::var("PATH").unwrap());
        command.current_dir(self.path("work")).env("HOME", self.path("home")).env("PATH", path);
        for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "KUBECONFIG", "DOCKER_HOST"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null());
        command
    }

    fn recourse(&self, words: &[&str]) -> Output {
        self.command(Path::new(env!("CARGO_BIN_EXE_recourse"))).args(words).output().unwrap()
    }

    fn exec(&self, command: &str) -> Output {
        self.recourse(&["exec", "--profile", "agent", "-c", command])
    }

    /// All files but those of git and of the guard.
    fn seen(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let (mut pending, mut found) = (vec![self.0.path().to_owned()], BTreeMap::new());
        while let Some(dir) = pending.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                let own = [".git", ".local", ".cache", "bin"];
                if own.iter().any(|name| path.ends_with(name)) {
                    continue;
                }
                if path.is_dir() {
                    pending.push(path);
                } else {
                    found.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        found
    }

    /// An agent runs it, it takes something away, and `undo` brings that back.
    fn comes_back(&self, command: &str) {
        let was = self.seen();
        let ran = self.exec(command);
        assert!(ran.status.success(), "{command}: {}", said(&ran));
        let now = self.seen();
        assert!(was.iter().any(|(path, held)| now.get(path) != Some(held)), "{command} took nothing away");
        let undone = self.recourse(&["undo", "--yes"]);
        assert!(undone.status.success(), "{command}: {}", said(&undone));
        let now = self.seen();
        for (path, held) in &was {
            assert!(now.get(path) == Some(held), "{command}: {} did not come back", path.display());
        }
        for path in now.keys().filter(|path| !was.contains_key(*path)) {
            fs::remove_file(path).unwrap();
        }
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

#[test]
fn names_in_a_list_are_kept_before_a_program_packs_and_removes_them() {
    let place = Place::new();
    let mut commands = vec![
        "tar -cf /dev/null --remove-files -T list",
        "tar -cf x.tar --remove-files -T list; rm x.tar",
        "tar -cf x.tar --remove-files -T - < list; rm x.tar",
        "ls *.md | tar -cf x.tar --remove-files -T -; rm x.tar",
        "echo notes.md > other; tar -cf /dev/null --remove-files -T other",
    ];
    if is_there("zip") {
        commands.extend(["zip -qm x.zip -@ < list; rm x.zip", "cat list | zip -qm x.zip -@; rm x.zip"]);
    }
    if is_there("7z") {
        commands.push("7z a -sdel x.7z @list > /dev/null; rm x.7z");
    }
    for command in commands {
        place.comes_back(command);
    }
    // What the list says is not known.
    let output = place.exec("some-filter | tar -cf /dev/null --remove-files -T -");
    assert_eq!(output.status.code(), Some(126), "{}", said(&output));
    let output = place.exec("tar -cf copy.tar -T list");
    assert!(output.status.success() && !said(&output).contains("recourse"), "{}", said(&output));
}

#[test]
fn patterns_that_a_program_looks_up_itself_are_looked_up() {
    let place = Place::new();
    let globs = "for one; do case $one in -*) ;; *) eval \"set -- $one\"; rm -rf -- \"$@\";; esac; done";
    for name in ["rimraf", "del-cli"] {
        place.stub(name, globs);
    }
    for command in ["rimraf '*.md'", "rimraf --glob 'd*/*.csv'", "del-cli 'n*' '!tracked.txt'"] {
        place.comes_back(command);
    }
    let output = place.exec("rimraf 'dist/*' 'build/**'");
    assert!(output.status.success() && !said(&output).contains("recourse"), "{}", said(&output));
}

#[test]
fn what_a_download_writes_over_is_kept_first() {
    let place = Place::new();
    for name in ["scp", "docker", "kubectl", "gsutil", "rclone", "mc", "s5cmd", "sftp"] {
        place.stub(name, "echo other > notes.md; echo other > data/one.csv");
    }
    for command in [
        "scp -r host:/srv/. .",
        "scp 'host:*' .",
        "docker cp web:/srv/. .",
        "kubectl cp web:/srv .",
        "gsutil cp 'gs://b/*' .",
        "gsutil -m cp -r gs://b/x .",
        "gsutil rsync -r gs://b .",
        "rclone copy remote: .",
        "mc cp -r p/b/ .",
        "mc mirror p/b .",
        "s5cmd cp 's3://b/*' .",
        "sftp host:/srv/x .",
        "docker build -o . src",
        "docker buildx bake",
    ] {
        place.comes_back(command);
    }
    // Nothing stands where it goes.
    place.stub("docker", ":");
    for command in ["docker cp web:/srv/a.txt new.txt", "docker cp web:/srv new"] {
        let output = place.exec(command);
        assert!(output.status.success() && said(&output).is_empty(), "{command}: {}", said(&output));
    }
    let kept = place.recourse(&["kept"]);
    assert!(!String::from_utf8_lossy(&kept.stdout).contains("a.txt"), "{kept:?}");
}

#[test]
fn settings_of_programs_are_kept_before_they_write_them_anew() {
    let place = Place::new();
    place.stub("docker", "echo '{}' > ~/.docker/config.json");
    place.stub("npm", ": > ~/.npmrc");
    place.stub("kubectl", ": > ~/.kube/config");
    place.stub("aws", ": > ~/.kube/config");
    for command in [
        "docker logout",
        "docker login -u me registry.example.org",
        "npm logout",
        "npm config delete //registry/:_authToken",
        "kubectl config delete-context old",
        "kubectl config unset users.me",
        "aws eks update-kubeconfig --name main",
    ] {
        place.comes_back(command);
    }
    place.stub("kubectl", ":");
    let output = place.exec("kubectl config view");
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
}

#[test]
fn commands_behind_the_names_of_runners_are_followed() {
    let place = Place::new();
    for name in ["just", "tox"] {
        place.stub(name, "while [ $# -gt 0 ] && [ \"$1\" != rm ]; do shift; done; exec \"$@\"");
    }
    for command in ["just --command rm notes.md", "just -c rm notes.md", "tox exec -- rm notes.md"] {
        place.comes_back(command);
    }
    let output = place.exec("just --command true");
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
}

#[test]
fn variables_of_make_that_its_own_rules_run_are_put_in() {
    if !is_there("make") {
        return;
    }
    let place = Place::new();
    place.file("work/x.c", "int main(void) { return 0; }\n");
    for command in ["make CC='rm notes.md #' x", "CC='rm notes.md #' make x", "make CC='rm notes.md #' x.o"] {
        place.comes_back(command);
    }
    let output = place.exec("make -n x; make CC=true x");
    assert!(output.status.success() && !said(&output).contains("kept"), "{}", said(&output));
}

/// Scripts in which nothing calls by name what takes a file away.
const WAITING: &[(&str, &str)] = &[
    (
        "python3",
        "import os, unittest\nclass T(unittest.TestCase):\n    def test_a(self): os.remove('notes.md')\nunittest.main()\n",
    ),
    ("python3", "import os\nclass A:\n    @property\n    def x(self): os.remove('notes.md')\nA().x\n"),
    (
        "python3",
        "import os, threading\nclass T(threading.Thread):\n    def run(self): os.remove('notes.md')\nT().start()\n",
    ),
    (
        "python3",
        "import os, cmd\nclass C(cmd.Cmd):\n    def do_x(self, a): os.remove('notes.md')\nC().onecmd('x')\n",
    ),
    ("python3", "import os, sys\nsys.excepthook = lambda *a: os.remove('notes.md')\nraise ValueError\n"),
    (
        "python3",
        "import doctest\ndef f():\n    \"\"\"\n    >>> import os; os.remove('notes.md')\n    \"\"\"\ndoctest.testmod()\n",
    ),
    (
        "python3",
        "import os, shutil, tempfile\nd = tempfile.mkdtemp()\nshutil.move('notes.md', d)\nshutil.rmtree(d)\n",
    ),
    ("node", "const fs = require('fs'); const o = {get x() { fs.unlinkSync('notes.md') }}; o.x"),
    ("node", "const fs = require('fs'); class A { get x() { fs.unlinkSync('notes.md') } } new A().x"),
    ("ruby", "class A\n  def ==(o); File.delete('notes.md'); end\nend\nA.new == 1\n"),
    ("perl", "sub AUTOLOAD { unlink 'notes.md' } foo();"),
    ("perl", "*f = sub { unlink 'notes.md' }; f();"),
];

#[test]
fn what_an_interpreter_calls_by_itself_is_reckoned_with() {
    let place = Place::new();
    for (interpreter, text) in WAITING.iter().filter(|(interpreter, _)| is_there(interpreter)) {
        place.file("work/script", text);
        let was = place.seen();
        let ran = place.exec(&format!("{interpreter} script"));
        assert!(ran.status.code() != Some(126), "{text}: {}", said(&ran));
        assert!(!place.path("work/notes.md").exists(), "{text} took nothing away");
        let undone = place.recourse(&["undo", "--yes"]);
        assert!(undone.status.success(), "{text}: {}", said(&undone));
        assert!(place.seen() == was, "{text}: not all came back");
    }
    // What nothing calls is not taken for done.
    for (interpreter, text) in [
        ("python3", "import os\nclass A:\n    def clean(self): os.remove('notes.md')\nprint(A())\n"),
        ("python3", "import os\ndef clean(): os.remove('notes.md')\nprint(1)\n"),
    ] {
        place.file("work/script", text);
        let output = place.exec(&format!("{interpreter} script"));
        assert!(output.status.success() && said(&output).is_empty(), "{text}: {}", said(&output));
    }
}

#[test]
fn a_copy_of_a_database_that_goes_too_is_no_copy() {
    if !is_there("sqlite3") {
        return;
    }
    let place = Place::new();
    let rows = |place: &Place| {
        let words = ["app.db", "select count(*) from t"];
        let output = place.command(Path::new("sqlite3")).args(words).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let made = ["app.db", "create table t(x); insert into t values(1), (2)"];
    assert!(place.command(Path::new("sqlite3")).args(made).status().unwrap().success());
    for command in [
        "cp app.db b; sqlite3 app.db 'delete from t'; rm b",
        "cp app.db b; sqlite3 app.db 'delete from t'; cp app.db b",
        "sqlite3 app.db '.backup b'; sqlite3 app.db 'delete from t'; rm b",
        "sqlite3 app.db \"vacuum into 'b'\"; sqlite3 app.db 'delete from t'; rm b",
        "sqlite3 app.db .dump > b; sqlite3 app.db 'delete from t'; rm b",
        "sqlite3 app.db 'create table u as select * from t; delete from t; drop table u'",
    ] {
        let ran = place.exec(command);
        assert!(ran.status.success(), "{command}: {}", said(&ran));
        assert_eq!(rows(&place), "0", "{command}");
        let undone = place.recourse(&["undo", "--yes"]);
        assert!(undone.status.success(), "{command}: {}", said(&undone));
        assert_eq!(rows(&place), "2", "{command}");
        let _ = fs::remove_file(place.path("work/b"));
    }
}

#[test]
fn files_that_a_program_reads_first_are_read_first() {
    let place = Place::new();
    for (program, command) in [
        ("bash", "echo 'rm notes.md' >> ~/.profile; bash -lc true"),
        ("zsh", "echo 'rm notes.md' > ~/.zshenv; zsh -c true"),
        ("fish", "mkdir -p ~/.config/fish; echo 'rm notes.md' > ~/.config/fish/config.fish; fish -c true"),
        ("gdb", "echo 'shell rm notes.md' > ~/.gdbinit; gdb -batch"),
        (
            "tmux",
            "echo 'run-shell \"rm notes.md\"' > ~/.tmux.conf; tmux -L none new -d; sleep 1; tmux -L none kill-server",
        ),
        ("python3", "echo 'import os; os.remove(\"notes.md\")' > json.py; python3 -m json.tool list || true"),
    ] {
        let text = place.exec(&format!("command -v {program}"));
        if !text.status.success() {
            continue;
        }
        let was = place.seen();
        place.exec(command);
        if place.path("work/notes.md").exists() {
            continue;
        }
        let undone = place.recourse(&["undo", "--yes"]);
        assert!(undone.status.success(), "{command}: {}", said(&undone));
        let now = place.seen();
        let same = |(path, held): (&PathBuf, &Vec<u8>)| now.get(path) == Some(held);
        assert!(was.iter().all(same), "{command}: not all came back");
        for path in now.keys().filter(|path| !was.contains_key(*path)) {
            fs::remove_file(path).unwrap();
        }
    }
    place.file("home/.zshenv", "export A=1\n");
    place.file("home/.curlrc", "silent\n");
    for command in ["zsh -c true", "curl --version > /dev/null", "bash -lc true"] {
        let output = place.exec(command);
        assert!(
            output.status.code() != Some(126) && said(&output).is_empty(),
            "{command}: {}",
            said(&output)
        );
    }
}

#[test]
fn what_an_editor_is_told_to_write_is_kept() {
    let place = Place::new();
    let there = |program: &str| place.exec(&format!("command -v {program}")).status.success();
    if there("ex") {
        place.comes_back("ex -sc '%d|x' notes.md");
        place.comes_back("ex -s -c '%s/nowhere/somewhere/g' -c x notes.md");
    }
    if there("vim") {
        place.comes_back("vim -es -c ':%d' -c 'wq' notes.md");
        let output = place.exec("vim -es -c ':%p' -c 'q!' notes.md");
        assert!(output.status.code() != Some(126), "{}", said(&output));
    }
    let output = place.exec("coproc { cat > /dev/null; }; echo x >&\"${COPROC[1]}\"");
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
    let output = place.exec("coproc { bash; }; echo 'rm notes.md' >&\"${COPROC[1]}\"; wait");
    assert_eq!(output.status.code(), Some(126), "{}", said(&output));
}

#[test]
fn the_name_that_a_backup_got_goes_with_it() {
    let place = Place::new();
    place.file("work/dst", "words of before\n");
    for command in [
        "mv -b src dst",
        "cp -b src dst",
        "mv --backup=numbered src dst",
        "cp --suffix=.old -b src dst",
        "install -b src dst",
    ] {
        place.file("work/src", "other words\n");
        let was = place.seen();
        let ran = place.exec(command);
        assert!(ran.status.success(), "{command}: {}", said(&ran));
        assert!(place.seen() != was, "{command} did nothing");
        let undone = place.recourse(&["undo", "--yes"]);
        assert!(undone.status.success(), "{command}: {}", said(&undone));
        assert!(place.seen() == was, "{command}: {:?}", place.seen().keys());
    }
}

/// `git commit` leaves its message behind, and the one of before comes back with the commit.
#[test]
fn the_message_of_the_last_commit_comes_back() {
    let place = Place::new();
    let told = |message: &str| {
        place.file("work/tracked.txt", message);
        let output = place.exec(&format!("git -c user.name=n -c user.email=a@b commit -qam {message}"));
        assert!(output.status.success(), "{}", said(&output));
        fs::read_to_string(place.path("work/.git/COMMIT_EDITMSG")).unwrap()
    };
    assert_eq!(told("first"), "first\n");
    assert_eq!(told("second"), "second\n");
    assert!(place.recourse(&["undo", "--yes"]).status.success());
    assert_eq!(fs::read_to_string(place.path("work/.git/COMMIT_EDITMSG")).unwrap(), "first\n");
}
