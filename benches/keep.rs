//! What keeping first costs: `exec` beside the plain check and the bare command, `undo`, and the disk that is used.
//!
//! Nothing here fails: timings are read by people. The trees stand in the build's directory, since a temporary place is
//! harmless before it is looked at. A file system that shares blocks is mounted from a file where root may; else that is said.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::binary;

mod support;

const RUNS: usize = 5;

fn main() {
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    println!("{:<64} {:>9}", "", "median");
    one_file(&Home::new(&folder.path().join("one")));
    many_files(&Home::new(&folder.path().join("many")));
    unchanged_tree(&Home::new(&folder.path().join("tree")));
    match Mounted::new(folder.path()) {
        Ok(disk) => shared_blocks(&Home::new(&disk.at.join("home"))),
        Err(why) => println!("\nNOT MEASURED: 1 GB overwritten where blocks are shared: {why}"),
    }
}

/// A home with a directory to work in.
struct Home(PathBuf);

impl Home {
    fn new(at: &Path) -> Self {
        let home = Self(at.to_owned());
        fs::create_dir_all(home.work()).unwrap();
        fs::create_dir_all(at.join(".config/recourse")).unwrap();
        // How full this disk may become is not what is measured.
        fs::write(at.join(".config/recourse/policy.toml"), "[keep]\nfree = 0\nbytes = 4294967296\n").unwrap();
        assert!(Command::new("git").args(["init", "-q"]).arg(home.work()).status().unwrap().success());
        home
    }

    fn work(&self) -> PathBuf {
        self.0.join("work")
    }

    fn in_it(&self, command: &mut Command) -> Duration {
        command.current_dir(self.work()).env("HOME", &self.0).env_remove("XDG_DATA_HOME");
        command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
        let start = Instant::now();
        command.status().unwrap();
        start.elapsed()
    }

    fn recourse(&self, words: &[&str]) -> Duration {
        self.in_it(Command::new(binary()).args(words))
    }

    /// Judged only; bare; kept and run; undone. Each time on what `make` makes.
    fn beside(&self, command: &str, runs: usize, make: impl Fn(&Path)) {
        let mut times: [Vec<Duration>; 4] = Default::default();
        for _ in 0..runs {
            make(&self.work());
            times[0].push(self.recourse(&["evaluate", "shell", command]));
            times[1].push(self.in_it(Command::new("bash").args(["-c", command])));
            make(&self.work());
            let before = self.points();
            times[2].push(self.recourse(&["exec", "--profile", "agent", "-c", command]));
            assert!(self.points() > before, "{command} is kept first");
            times[3].push(self.recourse(&["undo", "--yes"]));
        }
        let names = ["judged only", "run only", "judged, kept and run", "undone"];
        for (name, times) in names.iter().zip(times) {
            print(&format!("{command}: {name}"), times);
        }
    }

    fn points(&self) -> usize {
        let store = fs::read_dir(self.0.join(".local/share/recourse/kept")).into_iter().flatten().flatten();
        store.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "point")).count()
    }

    /// Bytes of the disk that the store alone uses.
    fn used(&self) -> u64 {
        let mut pending = vec![self.0.join(".local/share/recourse/kept")];
        let mut blocks = 0;
        while let Some(path) = pending.pop() {
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            blocks += if meta.nlink() > 1 && meta.is_file() { 0 } else { meta.blocks() };
            pending.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        blocks * 512
    }
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort();
    println!("{what:<64} {:>6.1} ms", times[times.len() / 2].as_secs_f64() * 1e3);
}

fn one_file(home: &Home) {
    println!("\none file of 6 bytes");
    home.beside("rm notes.md", 20, |work| fs::write(work.join("notes.md"), "notes\n").unwrap());
    home.beside("echo other > notes.md", 20, |work| fs::write(work.join("notes.md"), "notes\n").unwrap());
    println!("disk used by the store: {} bytes", home.used());
}

fn many_files(home: &Home) {
    println!("\n10,000 files of 4 kB");
    let make = |work: &Path| {
        for directory in 0..100 {
            let directory = work.join(format!("tree/d{directory}"));
            fs::create_dir_all(&directory).unwrap();
            for file in 0..100 {
                fs::write(directory.join(format!("f{file}")), vec![b'x'; 4096]).unwrap();
            }
        }
    };
    home.beside("rm -r tree", RUNS, make);
    println!("disk used by the store, without files that stand elsewhere too: {} bytes", home.used());
}

fn unchanged_tree(home: &Home) {
    println!("\na program that nobody can read, in a tree of 1,000 files that are not committed");
    let work = home.work();
    fs::copy("/bin/true", work.join("tool")).unwrap();
    fs::set_permissions(work.join("tool"), fs::Permissions::from_mode(0o755)).unwrap();
    for file in 0..1000 {
        fs::write(work.join(format!("f{file}")), format!("file {file}\n")).unwrap();
    }
    // What changed in the last moment before it was kept is never taken for unchanged.
    std::thread::sleep(Duration::from_millis(100));
    let call = |word: &str| home.recourse(&["exec", "--profile", "agent", "-c", &format!("./tool {word}")]);
    let judged = || home.recourse(&["evaluate", "shell", "./tool x"]);
    print("judged only", (0..RUNS).map(|_| judged()).collect());
    print("the first call", vec![call("first")]);
    print("the second", vec![call("second")]);
    print("any later one", (0..RUNS).map(|_| call("later")).collect());
    println!("disk used by the store: {} bytes", home.used());
}

fn shared_blocks(home: &Home) {
    println!("\n1 GB overwritten where blocks are shared");
    home.beside("truncate -s 0 large", 3, |work| {
        let mut file = File::create(work.join("large")).unwrap();
        let part = vec![b'x'; 1 << 20];
        for _ in 0..1024 {
            file.write_all(&part).unwrap();
        }
        file.sync_all().unwrap();
    });
}

/// A file system in a file, until it is dropped.
struct Mounted {
    at: PathBuf,
}

impl Mounted {
    fn new(folder: &Path) -> Result<Self, String> {
        let (image, at) = (folder.join("image"), folder.join("disk"));
        let run = |program: &str, words: &[&str]| {
            let done =
                Command::new(program).args(words).output().map_err(|error| format!("{program}: {error}"))?;
            let said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
            if done.status.success() { Ok(()) } else { Err(format!("{program}: {said}")) }
        };
        fs::create_dir(&at).map_err(|error| error.to_string())?;
        File::create(&image).and_then(|file| file.set_len(6 << 30)).map_err(|error| error.to_string())?;
        let (shown, to) = (image.to_string_lossy(), at.to_string_lossy());
        run("mkfs.xfs", &["-q", "-m", "reflink=1", &shown])
            .or_else(|xfs| run("mkfs.btrfs", &["-q", &shown]).map_err(|btrfs| format!("{xfs}; {btrfs}")))?;
        run("mount", &["-o", "loop", &shown, &to])?;
        Ok(Self { at })
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.at).status();
    }
}
