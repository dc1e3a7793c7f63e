//! Whatever is destroyed comes back: random trees of every sort of file, a destroying command of an agent, `undo`, and all
//! of it compared: names, bytes, modes, owners, times, attributes, holes, and which names are one file.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::undo_files::{Place, Seen, age, said, set};

/// What destroys, on whatever stands in `tree`; `$one` is a file in it.
const COMMANDS: &[&str] = &[
    "rm -rf tree",
    "rm -f tree/*",
    "rm -rf tree/*",
    "find tree -delete",
    "find tree -mindepth 1 -delete",
    "find tree -type f -delete",
    "find tree -type l -delete",
    "find tree -type d -empty -delete",
    "find . -mindepth 2 -delete",
    "find tree -type f -exec truncate -s 0 {} +",
    "find tree -type f -exec sed -i s/a/b/g {} +",
    "find tree -name '*.txt' -exec truncate -s 1 {} \\;",
    "find tree -name '*.txt' -exec rm -f {} +",
    "find tree -type f -exec cp /dev/null {} \\;",
    "find tree -type f -exec dd if=/dev/zero of={} bs=1 count=3 status=none \\;",
    "find tree -type f -exec chmod 600 {} +; find tree -type f -delete",
    "find tree -type f -print0 | xargs -0 rm -f",
    "chmod -R u+rwX,go= tree",
    "chmod -R a+rX tree && rm -r tree",
    "truncate -s 0 \"$one\"",
    "truncate -s 2 \"$one\"",
    ": > \"$one\"",
    "echo other > \"$one\"",
    "cat /dev/null > \"$one\"",
    "tee \"$one\" < /dev/null",
    "dd if=/dev/zero of=\"$one\" bs=4 count=1",
    "cp fresh \"$one\"",
    "cp -f fresh \"$one\"",
    "cp --remove-destination fresh \"$one\"",
    "mv fresh \"$one\"",
    "mv -f \"$one\" other && rm other",
    "ln -sf fresh \"$one\"",
    "ln -f fresh \"$one\"",
    "install -m 600 fresh \"$one\"",
    "sed -i d \"$one\"",
    "sort -o \"$one\" -r \"$one\"",
    "unlink \"$one\"",
    "rm -f \"$one\" && mkdir -p \"$one\"",
    "mv tree gone && rm -rf gone",
    "python3 -c 'import shutil; shutil.rmtree(\"tree\")'",
    "perl -e 'use File::Path; File::Path::remove_tree(\"tree\")'",
];

/// Numbers that look random, and are the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[usize::try_from(self.below(list.len() as u64)).unwrap()]
    }
}

/// Names as they occur, and as they should not.
const NAMES: &[&[u8]] = &[
    b"plain",
    b"notes.txt",
    b"a b.txt",
    b".hidden",
    b"-dash",
    b"star*",
    b"\xc3\xa9t\xc3\xa9.txt",
    b"bad\xff.txt",
    b"\xfe\xff",
    b"new\nline",
    b"quo'te\"",
    b"back\\slash",
    b"tab\t.txt",
    b"dollar$x",
];

/// A tree of every sort of thing. A plain file in it.
fn grow(work: &Path, chance: &mut Chance) -> PathBuf {
    let tree = work.join("tree");
    fs::create_dir(&tree).unwrap();
    let one = tree.join("one.txt");
    fs::write(&one, "a first line\nand another\n").unwrap();
    fs::write(work.join("fresh"), "fresh\n").unwrap();
    let (mut dirs, mut files) = (vec![tree], vec![one.clone()]);
    for number in 0..(6 + chance.below(12)) {
        let dir = dirs[usize::try_from(chance.below(dirs.len() as u64)).unwrap()].clone();
        let mut name = OsString::from(OsStr::from_bytes(chance.of(NAMES)));
        if chance.below(2) == 0 {
            name.push(number.to_string());
        }
        let path = dir.join(name);
        if path.symlink_metadata().is_ok() {
            continue;
        }
        match chance.below(10) {
            0 | 1 => {
                fs::create_dir(&path).unwrap();
                set(&path, "user.note", b"of a directory");
                dirs.push(path);
            }
            2 => symlink(chance.of(&["one.txt", "nowhere", "..", "/etc/hostname"]), &path).unwrap(),
            3 => {
                let file = fs::File::create(&path).unwrap();
                file.set_len(100_000 + chance.below(100_000)).unwrap();
                std::os::unix::fs::FileExt::write_all_at(&file, b"data", 70_000).unwrap();
                files.push(path);
            }
            4 => fs::hard_link(&files[usize::try_from(chance.below(files.len() as u64)).unwrap()], &path)
                .unwrap(),
            5 => fs::hard_link(&one, work.join(format!("outside{number}"))).unwrap(),
            6 => nix::unistd::mkfifo(&path, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap(),
            sort => {
                let long = usize::try_from(chance.below(if sort == 7 { 90_000 } else { 60 })).unwrap();
                fs::write(&path, b"abc\n".repeat(long)).unwrap();
                if chance.below(3) == 0 {
                    set(&path, "user.note", b"a note");
                }
                fs::set_permissions(&path, Permissions::from_mode([0o644, 0o600, 0o755, 0o440][long % 4]))
                    .unwrap();
                files.push(path);
            }
        }
    }
    one
}

/// Times long ago, from the inside out.
fn old(place: &Place) {
    let mut paths: Vec<PathBuf> = place.seen().into_keys().collect();
    paths.sort_by(|a, b| b.cmp(a));
    for (number, path) in paths.iter().enumerate() {
        age(path, 1_000_000_000 + i64::try_from(number).unwrap() * 1000);
    }
}

/// A directory's time comes back only where the same names stand in it as before.
fn timeless(seen: BTreeMap<PathBuf, Seen>) -> BTreeMap<PathBuf, Seen> {
    let still = |(path, mut seen): (PathBuf, Seen)| {
        if seen.kind == "directory" {
            seen.modified = (0, 0);
        }
        (path, seen)
    };
    seen.into_iter().map(still).collect()
}

#[test]
fn whatever_is_destroyed_comes_back() {
    // More with this variable, and the one that failed.
    let rounds = std::env::var("RECOURSE_UNDO_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let (mut ran, mut asked) = (0, Vec::new());
    for seed in 0..rounds {
        for (number, command) in COMMANDS.iter().enumerate() {
            let place = Place::new();
            let mut chance = Chance(seed * 1000 + number as u64);
            let one = grow(&place.work(), &mut chance);
            old(&place);
            let was = timeless(place.seen());
            let shown = one.strip_prefix(place.work()).unwrap().to_str().unwrap();
            let text = command.replace("$one", shown);
            let words = ["exec", "--profile", "agent", "-c", &text].map(OsStr::new);
            let output = place.recourse(&words);
            let after = timeless(place.seen());
            if output.status.code() == Some(126) {
                assert!(was == after, "{text} was refused");
                asked.push(*command);
                continue;
            }
            let lost = |now: &BTreeMap<PathBuf, Seen>| {
                let differs = |(path, _): &(&PathBuf, &Seen)| now.get(*path) != was.get(*path);
                let lines = was
                    .iter()
                    .filter(differs)
                    .map(|(path, seen)| format!("{path:?}\n  was {seen:?}\n  now {:?}", now.get(path)));
                lines.collect::<Vec<_>>()
            };
            if lost(&after).is_empty() {
                continue;
            }
            let undone = place.undo(&[]);
            let lost = lost(&timeless(place.seen()));
            assert!(
                undone.status.success() && lost.is_empty(),
                "seed {seed}: {text}: {}{}\n{}",
                said(&output),
                said(&undone),
                lost.join("\n")
            );
            ran += 1;
        }
    }
    eprintln!("{ran} ran and came back; asked about: {asked:?}");
    assert!(ran * 3 > COMMANDS.len() * usize::try_from(rounds).unwrap() * 2, "most of it runs: {asked:?}");
}

#[test]
fn what_a_program_that_nobody_can_read_is_given_outside_of_its_directory_comes_back() {
    let place = Place::new();
    let (work, other) = (place.work(), place.work().with_file_name("other"));
    fs::create_dir(&other).unwrap();
    fs::write(other.join("notes.md"), "nowhere else\n").unwrap();
    fs::set_permissions(&other, Permissions::from_mode(0o710)).unwrap();
    fs::write(place.work().with_file_name("single"), "alone\n").unwrap();
    fs::write(work.join("eater"), "#!/bin/sh\nfor one; do rm -r \"${one#--from=}\"; done\n").unwrap();
    fs::set_permissions(work.join("eater"), Permissions::from_mode(0o755)).unwrap();
    // Compiled, as far as anybody can tell.
    fs::copy("/bin/sh", work.join("unread")).unwrap();
    // Else its working tree would be this project's.
    assert!(Command::new("git").args(["init", "-q"]).arg(&work).status().unwrap().success());
    let line = "./unread ./eater ../other --from=../single";
    let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
    assert!(!other.exists(), "{}", said(&output));
    let undone = place.undo(&[]);
    assert!(undone.status.success(), "{}", said(&undone));
    assert_eq!(fs::read_to_string(other.join("notes.md")).unwrap(), "nowhere else\n");
    assert_eq!(fs::metadata(&other).unwrap().permissions().mode() & 0o777, 0o710);
    assert_eq!(fs::read_to_string(work.with_file_name("single")).unwrap(), "alone\n");
}

#[test]
fn what_a_program_that_nobody_can_read_takes_where_it_is_started_comes_back() {
    for line in [
        "cd ../other && ../unread ../finisher",
        "(cd ../other; ../unread ../finisher)",
        "sh -c 'cd ../other && ../unread ../finisher'",
        "cd ../other; ../unread ../finisher; cd -; ../unread ../finisher",
    ] {
        let place = Place::new();
        let (work, other) = (place.work(), place.work().with_file_name("other"));
        fs::create_dir(&other).unwrap();
        fs::write(other.join("notes.md"), "nowhere else\n").unwrap();
        fs::write(work.with_file_name("finisher"), "#!/bin/sh\nrm -f notes.md\n").unwrap();
        fs::copy("/bin/sh", work.with_file_name("unread")).unwrap();
        for dir in [&work, &other] {
            assert!(Command::new("git").args(["init", "-q"]).arg(dir).status().unwrap().success());
        }
        let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
        assert!(!other.join("notes.md").exists(), "{line}: {}", said(&output));
        let undone = place.undo(&[]);
        assert!(undone.status.success(), "{line}: {}", said(&undone));
        assert_eq!(fs::read_to_string(other.join("notes.md")).unwrap(), "nowhere else\n", "{line}");
    }
}

#[test]
fn what_is_open_for_a_program_that_nobody_can_read_comes_back() {
    for line in [
        "../unread ../finisher 4>>../single",
        "../unread ../finisher 4<>../single",
        "exec 4>>../single; ../unread ../finisher",
        "../unread ../finisher >> ../single 4>&1",
    ] {
        let place = Place::new();
        let work = place.work();
        fs::write(work.with_file_name("single"), "nowhere else\n").unwrap();
        fs::write(work.with_file_name("finisher"), ": > /dev/fd/4\n").unwrap();
        fs::copy("/bin/sh", work.with_file_name("unread")).unwrap();
        assert!(Command::new("git").args(["init", "-q"]).arg(&work).status().unwrap().success());
        let output = place.recourse(&["exec", "--profile", "agent", "-c", line].map(OsStr::new));
        assert_eq!(
            fs::read_to_string(work.with_file_name("single")).unwrap(),
            "",
            "{line}: {}",
            said(&output)
        );
        let undone = place.undo(&[]);
        assert!(undone.status.success(), "{line}: {}", said(&undone));
        assert_eq!(fs::read_to_string(work.with_file_name("single")).unwrap(), "nowhere else\n", "{line}");
    }
}

#[test]
fn names_that_are_no_text_come_back_from_a_program_that_nobody_can_read() {
    let place = Place::new();
    let work = place.work();
    fs::copy("/bin/sh", work.with_file_name("unread")).unwrap();
    fs::write(work.with_file_name("finisher"), "#!/bin/sh\nrm -rf -- *\n").unwrap();
    assert!(Command::new("git").args(["init", "-q"]).arg(&work).status().unwrap().success());
    let (file, dir) = (work.join(OsStr::from_bytes(b"caf\xe9")), work.join(OsStr::from_bytes(b"dir\xff")));
    fs::write(&file, "alone\n").unwrap();
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("inner"), "below\n").unwrap();
    let output =
        place.recourse(&["exec", "--profile", "agent", "-c", "../unread ../finisher"].map(OsStr::new));
    assert!(!file.exists() && !dir.exists(), "{}", said(&output));
    let undone = place.undo(&[]);
    assert!(undone.status.success(), "{}", said(&undone));
    assert_eq!(fs::read_to_string(&file).unwrap(), "alone\n");
    assert_eq!(fs::read_to_string(dir.join("inner")).unwrap(), "below\n");
}

/// The second time most is known from the first: what changed since, what is only staged, and what git has by now.
#[test]
fn an_unread_program_finds_everything_kept_the_second_time_too() {
    let place = Place::new();
    let work = place.work();
    let git = |words: &[&str]| {
        let who = ["-c", "user.name=n", "-c", "user.email=e@x"];
        assert!(Command::new("git").args(who).args(words).current_dir(&work).status().unwrap().success());
    };
    fs::copy("/bin/sh", work.with_file_name("unread")).unwrap();
    git(&["init", "-q", "."]);
    fs::write(work.join("tracked"), "one\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    fs::write(work.join("tracked"), "staged\n").unwrap();
    git(&["add", "tracked"]);
    for name in ["same", "changed", "committed"] {
        fs::write(work.join(name), "first\n").unwrap();
    }
    // A file that changed in the same tick of the clock is never taken for unchanged.
    std::thread::sleep(std::time::Duration::from_millis(80));
    let call = |script: &str| {
        fs::write(work.with_file_name("finisher"), script).unwrap();
        place.recourse(&["exec", "--profile", "agent", "-c", "../unread ../finisher"].map(OsStr::new))
    };
    call("true\n");
    fs::write(work.join("changed"), "second\n").unwrap();
    git(&["add", "committed"]);
    let ran = call("rm -rf tracked same changed committed .git/index\n");
    assert!(!work.join("changed").exists(), "{}", said(&ran));
    let undone = place.undo(&[]);
    assert!(undone.status.success(), "{}", said(&undone));
    for (name, content) in [("same", "first\n"), ("changed", "second\n"), ("committed", "first\n")] {
        assert_eq!(fs::read_to_string(work.join(name)).unwrap(), content, "{name}");
    }
    assert_eq!(fs::read_to_string(work.join("tracked")).unwrap(), "staged\n");
    let staged = Command::new("git").args(["diff", "--cached", "--name-only"]).current_dir(&work).output();
    assert_eq!(String::from_utf8_lossy(&staged.unwrap().stdout), "committed\ntracked\n");
}
