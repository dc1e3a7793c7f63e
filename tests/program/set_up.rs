//! What is set up elsewhere than in the words that lose something: remotes that mirror, revisions that are asked for, outputs
//! whose names nobody gave. In real places, by whole lines.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) fn git(dir: &Path, line: &str) {
    let done = Command::new("sh")
        .args(["-c", line])
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_NAME", "a")
        .env("GIT_AUTHOR_EMAIL", "a@b")
        .env("GIT_COMMITTER_NAME", "a")
        .env("GIT_COMMITTER_EMAIL", "a@b")
        .output()
        .unwrap();
    assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Not below a temporary directory, where little counts.
pub(crate) struct Place(pub(crate) tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    pub(crate) fn dir(&self) -> PathBuf {
        let dir = self.0.path().canonicalize().unwrap().join("work");
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    pub(crate) fn write(&self, names: &[&str]) {
        for name in names {
            let path = self.dir().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{name} is nowhere else\n")).unwrap();
        }
    }

    fn judged(&self, words: &[OsString]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recourse"));
        command.args(["evaluate", "shell", "--profile", "agent", "--fail-on", "warn", "--"]).args(words);
        // Above a home nobody builds anything.
        let home = self.0.path().canonicalize().unwrap();
        command.current_dir(self.dir()).env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin");
        command.output().unwrap()
    }

    /// Fails unless each line is stopped, or each is not.
    pub(crate) fn are(&self, stopped: bool, lines: &[&str]) {
        let wrong = lines.iter().filter_map(|line| {
            let done = self.judged(&[OsString::from(line)]);
            let is = matches!(done.status.code(), Some(20 | 30));
            (is != stopped).then(|| format!("{line}: {}", String::from_utf8_lossy(&done.stdout)))
        });
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
    }
}

/// A repository whose ignored file an older commit tracks, a bare one that has a commit of its own, and a file of the old kind
/// that makes a remote of it.
pub(crate) fn repository() -> Place {
    let place = Place::new();
    let dir = place.dir();
    git(
        &dir,
        "git init -q -b main && echo 'ign*' > .gitignore && echo a > f && git add . && git commit -qm one
         echo t > ignored.txt && git add -f ignored.txt && git commit -qm two && git branch tracks
         git rm -q --cached ignored.txt && git commit -qm three && echo precious > ignored.txt
         git init -q --bare ../x.git && git remote add x ../x.git && git push -q x main
         git clone -q ../x.git ../other && cd ../other && git checkout -q main 2>/dev/null || git checkout -q -b main origin/main
         echo b > g && git add . && git commit -qm theirs && git push -q origin main
         cd ../work && mkdir -p .git/remotes && printf 'URL: ../x.git\nPush: +main:main\n' > .git/remotes/old",
    );
    place
}

#[test]
fn remotes_push_what_their_settings_say() {
    let place = repository();
    place.are(
        true,
        &[
            "git push old",
            "git remote add --mirror=push y ../x.git; git push y",
            "git remote add y ../x.git && git push --mirror y",
            "git remote set-url x ../x.git; git push --mirror x",
            "git config remote.x.push +main:main; git push x",
        ],
    );
    place.are(
        false,
        &["git push x", "git remote add y ../new.git; git push y main", "git fetch -p x", "git pull x main"],
    );
}

/// What git reads and is not read here may say anything: more files than are looked at, longer ones.
#[test]
fn settings_that_were_not_read_are_no_permission() {
    let place = repository();
    let dir = place.dir().join(".git");
    let harmless = &["git status", "git push x main"];
    let forced = &["git push old", "git push x +main", "git push -f x"];
    place.are(true, forced);
    place.are(false, harmless);
    let long = format!("{}Push: +main:main\n", "# \n".repeat(40_000));
    fs::write(dir.join("remotes/long"), format!("URL: ../x.git\n{long}")).unwrap();
    place.are(true, &["git push long", "git push"]);
    fs::remove_file(dir.join("remotes/long")).unwrap();
    place.are(false, harmless);
    for at in 0..300 {
        fs::write(dir.join(format!("remotes/r{at}")), "URL: ../x.git\nPush: +main:main\n").unwrap();
    }
    place.are(true, &["git push r299", "git push r7"]);
    fs::remove_dir_all(dir.join("remotes")).unwrap();
    fs::write(place.0.path().join("more"), "x".repeat(17 << 20)).unwrap();
    place.are(false, harmless);
    fs::OpenOptions::new()
        .append(true)
        .open(dir.join("config"))
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"[include]\n path = ~/more\n"))
        .unwrap();
    place.are(true, &["git push x main", "git checkout main"]);
}

#[test]
fn a_revision_that_is_asked_for_overwrites_what_is_ignored() {
    let place = repository();
    place.are(
        true,
        &[
            "git checkout $(git rev-parse HEAD~1)",
            "git checkout \"$(git rev-parse --verify -q tracks)\"",
            "git switch --detach $(git log -1 --format=%H HEAD~1)",
            "git checkout $(git merge-base HEAD HEAD~1)",
            "git checkout \"$REVISION\"",
            "git switch \"$REVISION\"",
            "git read-tree -um HEAD HEAD~1",
            "git read-tree -m -u HEAD~1",
        ],
    );
    place.are(
        false,
        &[
            "git checkout $(git rev-parse HEAD)",
            "git checkout $(git rev-parse HEAD~2)",
            "git read-tree HEAD~1",
            "git checkout main",
        ],
    );
}

#[test]
fn outputs_whose_names_nobody_gave_are_overwritten() {
    let place = Place::new();
    place.write(&[
        "typescript",
        "privkey.pem",
        "t.gpg",
        "t",
        "m.s",
        "m.i",
        "m.gcno",
        "shop.cat",
        "t.orig",
        "back/t",
        "from/t",
        "to/t",
        "hist",
        "git-diagnostics-x.zip",
    ]);
    let dir = place.dir();
    fs::write(dir.join("m.c"), "int main(){return 0;}\n").unwrap();
    fs::write(dir.join("p.patch"), "--- a/t\n+++ b/t\n@@ -1 +1 @@\n-t is nowhere else\n+x\n").unwrap();
    place.are(
        true,
        &[
            "script -c ls",
            "openssl req -new -nodes -out new.csr",
            "gpg --yes -c t",
            "gcc -S m.c",
            "gcc -save-temps m.c",
            "gcc --coverage -c m.c",
            "gencat shop.cat shop.msg",
            "patch -p1 < p.patch",
            "rsync -a --backup --backup-dir=../back from/ to/",
            "HISTFILE=hist bash -i",
            "git diagnose -s x",
        ],
    );
    place.are(
        false,
        &[
            "script -c ls log.txt",
            "openssl req -in new.csr -noout -text",
            "openssl req -new -key k.pem -out new.csr",
            "gcc -c m.c",
            "gcc -O2 -o program m.c",
            "patch -p1 -d to < p.patch",
            "bash -c ls",
            "git diagnose --mode=stats",
        ],
    );
}

#[test]
fn what_a_compiler_hands_on_to_other_programs_is_written_too() {
    let place = Place::new();
    place.write(&["t", "lib.a", "lds.map"]);
    fs::write(place.dir().join("m.c"), "int main(){return 0;}\n").unwrap();
    fs::write(place.dir().join("opts"), "-O2 -o 't' m.c\n").unwrap();
    fs::write(place.dir().join("odd"), "-O2 'm.c\n").unwrap();
    fs::write(place.dir().join("fine"), "-O2 -o program m.c\n").unwrap();
    place.are(
        true,
        &[
            "gcc @opts",
            "gcc @odd",
            "gcc -Wa,-adhln=t m.c",
            "gcc -Wl,-Map,t m.c",
            "cc -Wl,-Map=t m.c",
            "gcc -Wl,-ot m.c",
            "gcc -Wp,-MD,t -c m.c",
            "clang -Xlinker -Map -Xlinker t m.c",
            "gcc -Xassembler -a=t m.c",
            "gcc -fdump-tree-all=t m.c",
            "gcc -Wl,--lto-obj-path=t m.c",
            "clang -Xclang -header-include-file -Xclang t m.c",
        ],
    );
    place.are(
        false,
        &[
            "gcc @fine",
            "gcc @nowhere m.c",
            "gcc -Wl,--version-script=lds.map m.c",
            "gcc -Wl,-T,lds.map m.c",
            "gcc -Wl,--whole-archive,lib.a -Wl,--no-whole-archive m.c",
            "gcc -Wl,lib.a,lib.a m.c",
            "gcc -Wl,-z,relro -Wl,-Map=m.map -Wa,-adhln=m.lst m.c",
        ],
    );
}

#[test]
fn a_build_is_cleaned_where_variables_and_the_configuration_say() {
    let place = Place::new();
    place.write(&["src/main.rs"]);
    place.are(
        true,
        &[
            "CARGO_TARGET_DIR=src cargo clean",
            "export CARGO_TARGET_DIR=src; cargo +nightly clean",
            "env CARGO_BUILD_TARGET_DIR=src cargo clean",
            "CARGO_TARGET_DIR=$NOWHERE_SAID cargo clean",
        ],
    );
    let clean = &["cargo clean", "CARGO_TARGET_DIR=out cargo clean", "CARGO_TARGET_DIR=src cargo build"];
    place.are(false, clean);
    fs::create_dir(place.dir().join(".cargo")).unwrap();
    fs::write(place.dir().join(".cargo/config.toml"), "[build]\ntarget-dir = \"src\"\n").unwrap();
    place.are(true, &["cargo clean"]);
}

#[test]
fn backups_take_the_place_of_older_ones() {
    let place = Place::new();
    place.write(&["t", "t~", "t.old"]);
    let dir = place.dir();
    git(&dir, "mkdir in a b && echo new > in/t && tar cf x.tar -C in t && echo 'b is nowhere else' > b/t");
    place.are(
        true,
        &[
            "tar xf x.tar --backup",
            "tar x --backup=simple --suffix=.old -f x.tar",
            "tar -C a -C ../b -xf x.tar",
        ],
    );
    place.are(false, &["tar xf x.tar --backup=numbered", "tar -xf x.tar -C a"]);
}

#[test]
fn older_backups_and_directories_in_the_way_go_by_rsync() {
    let place = Place::new();
    place.write(&[
        "t",
        "t~",
        "t.old",
        "from/t",
        "to/t",
        "to/t~",
        "in/box",
        "out/box/x",
        "away/t",
        "away/kept",
    ]);
    place.are(
        true,
        &[
            "rsync -b from/t t",
            "rsync -b --suffix=.old from/t t",
            "rsync -ab from/ to/",
            "rsync -a --force in/ out/",
            "rsync --force in/box out/",
            "rsync -ab --suffix=$UNSAID from/ to/",
        ],
    );
    place.are(
        false,
        &[
            "rsync -b --suffix=.new from/t t",
            "rsync -ab from/ away/",
            "rsync -ab --suffix=.new from/ to/",
            "rsync -a --force in/ new/",
            "rsync -a --ignore-existing --force from/ away/",
        ],
    );
}

#[test]
fn what_is_newer_is_not_known_where_the_line_itself_wrote() {
    let place = repository();
    let dir = place.dir();
    git(&dir, "mkdir d && cp f d/f && echo mine >> d/f && touch -d '2 days ago' f && git checkout -q main");
    place.are(
        true,
        &[
            "git checkout -q HEAD~1 -- f; cp -u f d/f",
            "git stash; cp -u f d/f",
            "git reset -q --hard; rsync -u f d/f",
            "black f; cp -u f d/f",
            "python3 -c 'import os; os.utime(\"f\")'; cp -u f d/f",
            "python3 -c 'from pathlib import Path; Path(\"f\").touch()'; rsync -u f d/f",
            "node -e 'require(\"fs\").utimesSync(\"f\", 9e9, 9e9)'; cp -u f d/f",
        ],
    );
    place.are(
        false,
        &[
            "cp -u f d/f",
            "rsync -u f d/f",
            "ls; cat f | head -1; cp -u f d/f",
            "mkdir -p e && cp -u f d/f",
            "git status; cp -u f d/f",
            "cd d && cp -u ../f f",
        ],
    );
}

/// A program of many sources is read whole, and one that was not is not taken for harmless.
#[test]
fn what_a_program_is_built_of_is_all_read() {
    let place = Place::new();
    place.write(&["notes.txt"]);
    let dir = place.dir();
    let mut includes = String::new();
    for at in 0..100 {
        fs::write(dir.join(format!("p{at}.h")), "int x;\n").unwrap();
        includes += &format!("#include \"p{at}.h\"\n");
    }
    fs::write(dir.join("many.c"), format!("#include \"last.h\"\n{includes}int main(){{return gone();}}\n"))
        .unwrap();
    fs::write(dir.join("last.h"), "static int gone(){return remove(\"notes.txt\");}\n").unwrap();
    fs::write(dir.join("one.c"), "int main(){return 0;}\n").unwrap();
    place.are(true, &["gcc many.c && ./a.out", "gcc -o m many.c; ./m"]);
    place.are(false, &["gcc one.c && ./a.out", "gcc many.c"]);
    fs::write(dir.join("big.h"), "/*".to_owned() + &"x".repeat(17 << 20) + "*/ int y;\n").unwrap();
    fs::write(dir.join("big.c"), "#include \"big.h\"\nint main(){return 0;}\n").unwrap();
    place.are(true, &["gcc big.c && ./a.out"]);
}

#[test]
fn a_name_that_is_no_text_is_judged_where_it_can_be_told() {
    let place = Place::new();
    let name = OsStr::from_bytes(b"odd\xff.txt");
    fs::write(place.dir().join(name), "nowhere else\n").unwrap();
    let words = |words: &[&OsStr]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let said = place.judged(&words(&[OsStr::new("rm"), name]));
    assert_eq!(said.status.code(), Some(30), "{}", String::from_utf8_lossy(&said.stdout));
    let read = place.judged(&words(&[OsStr::new("cat"), name]));
    assert_eq!(read.status.code(), Some(0), "{}", String::from_utf8_lossy(&read.stdout));
    fs::write(place.dir().join(OsStr::from_bytes(b"odd\xfe.txt")), "another\n").unwrap();
    let said = place.judged(&words(&[OsStr::new("rm"), name]));
    assert_eq!(said.status.code(), Some(20), "{}", String::from_utf8_lossy(&said.stdout));
}

/// What stands in front of a name, behind it, or in another place than its word is no part of where something is written.
#[test]
fn outputs_have_other_names_than_their_words() {
    let place = Place::new();
    place.write(&["a.png", "b.mp3", "c.txt", "in/a.jpg", "in/a.txt", "d/e.txt", "d/f.txt", "x.R"]);
    place.are(
        true,
        &[
            "convert in/a.jpg png:a.png",
            "convert in/a.jpg 'PNG32:a.png[0]'",
            "magick in/a.jpg -write png:a.png null:",
            "convert in/a.jpg -set filename:f a '%[filename:f].png'",
            "magick mogrify -resize 50% a.png",
            "ffmpeg -y -i v.mp4 file:b.mp3",
            "ffmpeg -y -i v.mp4 -f tee -map 0 '[f=mp3]b.mp3|n.mp3'",
            "ffmpeg -y -i v.mp4 -progress file:c.txt n.mp3",
            "yes | ffmpeg -i v.mp4 b.mp3",
            "exiftool -w! txt in/a.jpg",
            "exiftool -w! txt in",
            "exiftool -W! d/%f.txt e.jpg",
            "tar -g c.txt -cf n.tar d",
            "debugfs -R 'dump /etc/hosts c.txt' i.img",
            "R CMD BATCH x.R c.txt",
            "R --no-save < x.R",
            "python3 -m pickletools -o c.txt a.pkl",
            "TF_CLI_ARGS=-out=c.txt terraform plan",
            "TF_CLI_ARGS_plan=-out=c.txt terraform plan",
            "scp host:c.txt .",
            "scp 'host:*.txt' .",
            "scp -r host:d .",
            "rsync host:c.txt .",
            "sftp host:c.txt",
            "docker cp web:/srv/c.txt .",
            "docker compose cp web:/srv/c.txt .",
            "kubectl cp web:/srv/c.txt .",
            "incus file pull c1/srv/c.txt .",
            "fish -c 'rm d/(ls d)'",
        ],
    );
    place.are(
        false,
        &[
            "convert in/a.jpg png:n.png",
            "convert in/a.jpg info:",
            "magick identify a.png",
            "magick mogrify -path out -format png in/a.jpg",
            "ffmpeg -n -i v.mp4 b.mp3",
            "ffmpeg -y -i v.mp4 -f null -",
            "ffmpeg -y -i v.mp4 pipe:1",
            "exiftool -w txt in/a.jpg",
            "exiftool -w! md in/a.jpg",
            "tar -g n.snar -cf n.tar d",
            "debugfs -R 'ls /' i.img",
            "TF_CLI_ARGS_apply=-out=c.txt terraform plan",
            "scp host:n.txt .",
            "docker cp web:/srv/n.txt .",
        ],
    );
}
