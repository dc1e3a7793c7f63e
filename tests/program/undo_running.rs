//! What an agent's command destroys while it runs comes back, whatever program does it: one that nobody can read, in places
//! that nothing names. And the command is none the wiser: status, signals, terminal, what outlives it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use crate::support::{Scratch, skipped};

/// A working directory, and a home with things that exist nowhere else; `tool` runs text that nobody reads.
fn scene() -> Scratch {
    let scratch = Scratch::lasting();
    fs::copy("/usr/bin/perl", scratch.work().join("tool")).unwrap();
    let home = scratch.root().join("home");
    for (name, content) in [
        ("notes/a.md", "first\n"),
        ("notes/b.md", "second\n"),
        ("notes/deep/c.md", "third\n"),
        ("notes/deep/with blank.md", "fourth\n"),
        ("notes/void", ""),
        ("big.bin", &"x".repeat(300_000)),
    ] {
        let path = home.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    symlink("notes/a.md", home.join("link")).unwrap();
    symlink("nowhere", home.join("notes/sym")).unwrap();
    fs::create_dir(home.join("notes/hollow")).unwrap();
    scratch
}

fn tree(dir: &Path, found: &mut BTreeMap<String, (u32, Vec<u8>)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let meta = path.symlink_metadata().unwrap();
        if path.ends_with(".local") || path.ends_with(".git") {
            continue;
        }
        if meta.is_dir() {
            found.insert(format!("{}/", path.display()), (meta.mode(), Vec::new()));
            tree(&path, found);
        } else if meta.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            found.insert(path.display().to_string(), (0, target.to_string_lossy().into_owned().into_bytes()));
        } else {
            found.insert(path.display().to_string(), (meta.mode(), fs::read(&path).unwrap()));
        }
    }
}

fn state(scratch: &Scratch) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    tree(scratch.root(), &mut found);
    found
}

/// Has the tool run a text as an agent's command.
fn done(scratch: &Scratch, text: &str) -> Output {
    scratch.file("job.dat", format!("use strict; my $h = $ENV{{HOME}}; my $n = 'no' . 'tes'; select undef, undef, undef, 0.05;\n{text}\n"));
    scratch.run(&["exec", "--profile", "agent", "--", "./tool", "job.dat"])
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whether this system tells what programs do.
fn is_watched() -> bool {
    let scratch = scene();
    let told = said(&done(&scratch, "unlink \"$h/$n/a.md\" or die;")).contains("while it ran");
    if !told {
        skipped("this system has no user notification of seccomp: what runs is not watched");
    }
    told
}

#[test]
fn whatever_it_destroys_comes_back() {
    if !is_watched() {
        return;
    }
    let texts = [
        "unlink glob \"$h/$n/*.md\";",
        "open my $f, '>', \"$h/$n/a.md\"; print $f 'x';",
        "open my $f, '+<', \"$h/$n/b.md\"; print $f 'x';",
        "truncate \"$h/$n/a.md\", 2;",
        "rename \"$h/$n/a.md\", \"$h/$n/b.md\";",
        "rename(\"$h/$n\", \"/tmp/gone.$$\") or system 'mv', \"$h/$n\", \"/tmp/gone.$$\"; system 'rm', '-rf', \"/tmp/gone.$$\";",
        "open my $f, '>', \"$h/link\"; print $f 'through a link';",
        "chdir $h; chdir $n; unlink 'a.md'; unlink '../big.bin';",
        "if (my $p = fork) { waitpid $p, 0 } else { unlink \"$h/$n/b.md\"; exit }",
        "system 'sh', '-c', \"rm -rf $h/$n\";",
        "system \"find $h/$n -type f -exec truncate -s 0 {} +\";",
        "chmod 0600, \"$h/$n/a.md\"; chmod 0644, \"$h/$n/a.md\"; unlink \"$h/$n/a.md\";",
        "utime 1, 1, \"$h/$n/a.md\"; unlink \"$h/$n/a.md\";",
        "open my $f, '>', \"$h/new\"; close $f; rename \"$h/new\", \"$h/$n/deep/with blank.md\";",
        "rename \"$h/$n\", \"$h/gone\"; system 'rm', '-rf', \"$h/gone\";",
        "rename \"$h/$n/a.md\", \"$h/x\"; rename \"$h/x\", \"$h/y\"; unlink \"$h/y\";",
        "rename \"$h/$n/a.md\", \"$h/x\"; rename \"$h/$n/b.md\", \"$h/$n/a.md\"; unlink \"$h/x\";",
        "for (1..3) { open my $f, '>', \"$h/$n/a.md\"; print $f $_; close $f }",
        // Another name keeps a file alive, but not its content.
        "link \"$h/$n/a.md\", \"$h/twin\" or die; open my $f, '>', \"$h/twin\"; print $f 'x';",
        "link \"$h/$n/a.md\", \"$h/twin\" or die; unlink \"$h/$n/a.md\"; open my $f, '>', \"$h/twin\"; print $f 'x';",
        "link \"$h/$n/a.md\", \"$h/twin\" or die; unlink \"$h/$n/a.md\"; unlink \"$h/twin\";",
        "open my $f, '>>', \"$h/$n/a.md\"; truncate $f, 0;",
        "open my $f, '+>>', \"$h/$n/a.md\"; truncate $f, 2; print $f 'x';",
        "rename \"$h/$n/deep/c.md\", \"$h/c\"; system 'rm', '-rf', \"$h/$n\"; unlink \"$h/c\";",
        "system 'rm', '-rf', \"$h/$n/deep\"; system 'rm', '-rf', \"$h/$n\";",
        // A copy that goes itself is none.
        "system 'cp', \"$h/$n/a.md\", \"$h/$n/a.md.bak\"; unlink \"$h/$n/a.md\"; unlink \"$h/$n/a.md.bak\";",
        // What stood at a name before something else came there.
        "unlink \"$h/$n/a.md\"; rename \"$h/$n/b.md\", \"$h/$n/a.md\"; unlink \"$h/$n/a.md\";",
        // Modes that change first, empty things and links beside.
        "chmod 0600, \"$h/$n/a.md\"; unlink \"$h/$n/a.md\"; rmdir \"$h/$n/hollow\"; unlink \"$h/$n/sym\", \"$h/$n/void\";",
        "chmod 0600, \"$h/$n/a.md\"; unlink \"$h/$n/b.md\";",
        "system 'rm', '-rf', \"$h/$n\";",
        // Where it goes says nothing of what it is: a cache, what a tool makes again.
        "mkdir \"$h/.cache\"; rename \"$h/$n/a.md\", \"$h/.cache/x\" or die; unlink \"$h/.cache/x\";",
        "mkdir \"$h/p\"; mkdir \"$h/p/node_modules\"; open my $f, '>', \"$h/p/package.json\"; print $f '{}'; close $f; rename \"$h/$n/deep\", \"$h/p/node_modules/x\" or die; system 'rm', '-rf', \"$h/p\";",
        // It goes on with the new directory that it came into.
        "mkdir \"$h/x\"; rename \"$h/$n/a.md\", \"$h/x/a.md\"; rename \"$h/x\", \"$h/z\"; unlink \"$h/z/a.md\";",
        "open STDOUT, '>>', \"$h/$n/a.md\"; open my $g, '>', '/dev/stdout'; print $g 'x';",
        // Its own names for what it has open, and for where it is.
        "open my $f, '<', \"$h/$n/a.md\"; open my $g, '>', '/proc/self/fd/' . fileno $f; print $g 'x';",
        "open my $f, '<', \"$h/$n/a.md\"; open my $g, '>', '/dev/fd/' . fileno $f; print $g 'x';",
        "unlink \"/proc/self/root$h/$n/a.md\";",
        // Opened for writing, and for nobody else (`O_RDWR | O_EXCL` without `O_CREAT`).
        "use Fcntl; sysopen my $f, \"$h/$n/a.md\", O_RDWR | O_EXCL or die; syswrite $f, 'x';",
        // Two names change places (`renameat2`), and one of them goes.
        "my ($p, $q) = (\"$h/$n/a.md\", \"$h/$n/b.md\"); syscall(316, -100, $p, -100, $q, 2) if -e '/lib64/ld-linux-x86-64.so.2'; unlink $p;",
    ];
    for text in texts {
        let scratch = scene();
        scratch.file("job.dat", "");
        let ran = done(&scratch, "1;");
        assert!(ran.status.success(), "{}", said(&ran));
        let before = state(&scratch);
        let ran = done(&scratch, text);
        assert!(ran.status.success(), "{text}: {}", said(&ran));
        assert!(said(&ran).contains("while it ran: recourse undo"), "{text}: {}", said(&ran));
        let undone = scratch.run(&["undo", "--yes"]);
        assert!(undone.status.success(), "{text}: {}", said(&undone));
        let mut after = state(&scratch);
        // What was made since stays.
        after.retain(|path, _| before.contains_key(path));
        let job = |path: &String| path.ends_with("job.dat");
        let lost: Vec<_> =
            before.iter().filter(|(path, was)| !job(path) && after.get(*path) != Some(was)).collect();
        assert!(lost.is_empty(), "{text}: {:?}", lost.iter().map(|(path, _)| path).collect::<Vec<_>>());
    }
}

#[test]
fn what_nobody_would_miss_is_not_kept() {
    for text in [
        "1;",
        "open my $f, '>', \"$h/new.txt\"; print $f 1; close $f; unlink \"$h/new.txt\";",
        "open my $f, '>>', \"$h/$n/a.md\"; print $f 'more';",
        "open my $f, '<', \"$h/$n/a.md\"; my $all = <$f>;",
        "rename \"$h/$n/a.md\", \"$h/$n/other.md\";",
        "link \"$h/$n/a.md\", \"$h/twin\" or die; unlink \"$h/twin\";",
        "chmod 0644, \"$h/$n/a.md\"; chmod 0600, \"$h/$n/a.md\"; chmod 0644, \"$h/$n/a.md\";",
        // A file without a name (`O_TMPFILE | O_RDWR`), in a directory that is full of others.
        "my $p = \"$h/$n\"; syscall(257, -100, $p, 020200002, 0600) if -e '/lib64/ld-linux-x86-64.so.2';",
        "link \"$h/$n/a.md\", \"$h/twin\" or die; unlink \"$h/$n/a.md\";",
        // Opened by the call that tells its flags in memory: to read.
        "my $p = \"$h/$n/a.md\"; my $how = pack 'Q3', 0, 0, 0; syscall(437, -100, $p, $how, 24);",
        "open my $f, '>', \"/tmp/recourse-test.$$\"; close $f; unlink \"/tmp/recourse-test.$$\";",
    ] {
        let scratch = scene();
        let ran = done(&scratch, text);
        assert!(ran.status.success(), "{text}: {}", said(&ran));
        assert!(!said(&ran).contains("while it ran"), "{text}: {}", said(&ran));
    }
}

#[test]
fn people_are_not_watched_unless_they_say_so() {
    if !is_watched() {
        return;
    }
    let scratch = scene();
    let run = |profile: &str| {
        scratch.file("job.dat", "unlink \"$ENV{HOME}/no\" . 'tes/a.md'; print getppid, ' ', $$;");
        scratch.run(&["exec", "--profile", profile, "--", "./tool", "job.dat"])
    };
    scratch.policy("[keep]\nwhile-running = \"never\"\n");
    let ran = run("agent");
    assert!(!said(&ran).contains("while it ran"), "{}", said(&ran));
    assert!(!scratch.root().join("home/notes/a.md").exists());
}

#[test]
fn status_and_signals_are_the_commands() {
    let scratch = scene();
    assert_eq!(done(&scratch, "exit 7;").status.code(), Some(7));
    assert_eq!(done(&scratch, "kill 'KILL', $$; sleep 5;").status.signal(), Some(9));
    assert_eq!(done(&scratch, "kill 'TERM', $$; sleep 5;").status.signal(), Some(15));
    // A signal to us is one to the command.
    scratch.file(
        "job.dat",
        "$SIG{TERM} = sub { print \"caught\\n\"; exit 3 }; $| = 1; print \"ready\\n\"; sleep 20;",
    );
    let mut child = scratch
        .recourse(&["exec", "--profile", "agent", "--", "./tool", "job.dat"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    assert_eq!(line, "ready\n");
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap()),
        nix::sys::signal::Signal::SIGTERM,
    )
    .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    line.clear();
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    assert_eq!(line, "caught\n");
}

#[test]
fn who_kills_us_kills_the_command() {
    let scratch = scene();
    scratch.file("job.dat", "$| = 1; print \"$$\\n\"; sleep 60;");
    let mut child = scratch
        .recourse(&["exec", "--profile", "agent", "--", "./tool", "job.dat"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line)
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let place = format!("/proc/{}", line.trim());
    let until = Instant::now() + Duration::from_secs(20);
    while Path::new(&place).exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!Path::new(&place).exists());
}

#[test]
fn what_outlives_the_command_goes_on() {
    let scratch = scene();
    let late = scratch.root().join("home/late");
    let begun = Instant::now();
    let ran = done(
        &scratch,
        "my $p = fork; exit 0 if $p; close STDOUT; close STDERR; sleep 3; open my $f, '>', \"$h/late\" or die; print $f 'written'; close $f; rename \"$h/late\", \"$h/later\";",
    );
    assert!(ran.status.success(), "{}", said(&ran));
    assert!(!late.exists());
    let until = begun + Duration::from_secs(30);
    let later = scratch.root().join("home/later");
    while !later.exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(fs::read_to_string(later).unwrap(), "written");
}

#[test]
fn the_first_point_stays_as_it_was_named_and_all_of_it_goes_together() {
    if !is_watched() {
        return;
    }
    let scratch = scene();
    scratch.file("draft.md", "unsaved\n");
    let ran = done(&scratch, "unlink \"$h/$n/a.md\"; unlink 'draft.md';");
    assert!(ran.status.success(), "{}", said(&ran));
    let kept = scratch.root().join("home/.local/share/recourse/kept");
    let ending = |ending: &str| {
        let names = fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.extension().is_some_and(|found| found == ending)).collect::<Vec<_>>()
    };
    assert_eq!((ending("point").len(), ending("running").len()), (1, 1));
    let list = scratch.run(&["kept", "--format", "json"]);
    let list: serde_json::Value = serde_json::from_slice(&list.stdout).unwrap();
    let id = list["points"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(list["points"].as_array().unwrap().len(), 1);
    // Undone, taken back, and undone again: both parts go together.
    let there =
        || (scratch.work().join("draft.md").exists(), scratch.root().join("home/notes/a.md").exists());
    assert_eq!(there(), (false, false));
    assert!(scratch.run(&["undo", &id, "--yes"]).status.success());
    assert_eq!(there(), (true, true));
    assert!(scratch.run(&["undo", "--redo", "--yes"]).status.success());
    assert_eq!(there(), (false, false));
    assert!(scratch.run(&["undo", &id, "--yes"]).status.success());
    assert_eq!(there(), (true, true));
    let forgotten =
        scratch.in_terminal(&[crate::support::program(), "kept", "forget", &id, "--yes"]).finish();
    assert_eq!(forgotten.0, 0, "{}", forgotten.1);
    assert!(ending("running").is_empty());
}

#[test]
fn a_killed_watcher_leaves_what_it_kept() {
    if !is_watched() {
        return;
    }
    let scratch = scene();
    scratch.file(
        "job.dat",
        "$| = 1; my $h = $ENV{HOME}; unlink \"$h/no\" . 'tes/a.md'; print getppid, \"\\n\"; sleep 60;",
    );
    let mut child = scratch
        .recourse(&["exec", "--profile", "agent", "--", "./tool", "job.dat"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut watcher = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut watcher)
        .unwrap();
    let watcher = nix::unistd::Pid::from_raw(watcher.trim().parse().unwrap());
    assert_ne!(watcher.as_raw(), i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(watcher, nix::sys::signal::Signal::SIGKILL).unwrap();
    assert!(!child.wait().unwrap().success());
    let note = scratch.root().join("home/notes/a.md");
    assert!(!note.exists());
    assert!(scratch.run(&["undo", "--yes"]).status.success());
    assert_eq!(fs::read_to_string(note).unwrap(), "first\n");
}

#[test]
fn two_names_of_one_file_come_back_as_one() {
    if !is_watched() {
        return;
    }
    let scratch = scene();
    let home = scratch.root().join("home");
    fs::hard_link(home.join("notes/a.md"), home.join("twin")).unwrap();
    let ran = done(&scratch, "open my $f, '>', \"$h/$n/a.md\"; print $f 'x';");
    assert!(said(&ran).contains("while it ran"), "{}", said(&ran));
    assert!(scratch.run(&["undo", "--yes"]).status.success());
    for name in ["notes/a.md", "twin"] {
        assert_eq!(fs::read_to_string(home.join(name)).unwrap(), "first\n", "{name}");
    }
}

#[test]
fn what_outlives_the_command_is_watched_too() {
    if !is_watched() {
        return;
    }
    let scratch = scene();
    let note = scratch.root().join("home/notes/a.md");
    let ran = done(
        &scratch,
        "my $p = fork; exit 0 if $p; close STDOUT; close STDERR; sleep 1; unlink \"$h/$n/a.md\"; open my $f, '>', \"$h/done\"; close $f; exit;",
    );
    assert!(ran.status.success() && note.exists(), "{}", said(&ran));
    let until = Instant::now() + Duration::from_secs(30);
    while !scratch.root().join("home/done").exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!note.exists());
    // It is written down when nothing more comes.
    let back = || scratch.run(&["undo", "--yes"]).status.success() && note.exists();
    let until = Instant::now() + Duration::from_secs(30);
    while !back() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(fs::read_to_string(&note).unwrap(), "first\n");
}

#[test]
fn who_kills_the_whole_group_leaves_what_was_kept() {
    if !is_watched() {
        return;
    }
    let scratch = scene();
    scratch.file(
        "job.dat",
        "$| = 1; my $h = $ENV{HOME}; unlink glob \"$h/no\" . 'tes/*.md'; unlink \"$h/big.bin\"; print \"gone\\n\"; sleep 60;",
    );
    let mut start = scratch.recourse(&["exec", "--profile", "agent", "--", "./tool", "job.dat"]);
    let mut child = std::os::unix::process::CommandExt::process_group(&mut start, 0)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line)
        .unwrap();
    assert_eq!(line, "gone\n");
    let group = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL).unwrap();
    child.wait().unwrap();
    let home = scratch.root().join("home");
    let there = || ["notes/a.md", "notes/b.md", "big.bin"].iter().all(|name| home.join(name).exists());
    assert!(!there());
    // What watches goes on for a moment, and writes all of it down.
    let until = Instant::now() + Duration::from_secs(30);
    while !(scratch.run(&["undo", "--yes"]).status.success() && there()) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(there());
}
