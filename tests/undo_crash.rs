//! Keeping, the command after it, undo, redo and tidying are killed at every system call: what the user has is as it was, or
//! comes back; nothing half-written is taken for whole; and whoever comes next finds a store that works.
//!
//! Alone in its program, and each worker in a process of its own: it waits for any child.

#![cfg(target_os = "linux")]
// A test fails loudly.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sha2::{Digest, Sha256};

#[path = "support/stops.rs"]
mod stops;

/// Workers, each with its share of the operations.
const WORKERS: usize = 4;

/// What is killed: what ran before it, and its words.
struct Operation {
    name: &'static str,
    before: &'static [&'static str],
    words: &'static [&'static str],
}

/// A program that nothing is known of.
const TOOL: &str = "./tool tree";

/// A command of an agent.
macro_rules! agent {
    ($command:literal) => {
        &["exec", "--profile", "agent", "-c", $command]
    };
}

const OPERATIONS: &[Operation] = &[
    Operation { name: "keep names", before: &[], words: agent!("rm -r tree") },
    Operation {
        name: "keep content",
        before: &[],
        words: agent!("truncate -s 1 tree/large tree/sub/many tree/one"),
    },
    Operation { name: "keep rights", before: &[], words: agent!("chmod -R a-w tree") },
    Operation {
        name: "keep what is not committed",
        before: &["./tool", "echo more > tree/one"],
        words: &["exec", "--profile", "agent", "-c", TOOL],
    },
    Operation { name: "undo names", before: &["rm -r tree"], words: &["undo", "--yes"] },
    Operation {
        name: "undo content",
        before: &["truncate -s 1 tree/large tree/sub/many tree/one"],
        words: &["undo", "--yes"],
    },
    Operation {
        name: "undo over others",
        before: &["rm -r tree; mkdir tree; echo other > tree/one"],
        words: &["undo", "--yes"],
    },
    Operation { name: "redo", before: &["rm -r tree", "undo"], words: &["undo", "--yes", "--redo"] },
    Operation { name: "undo beside", before: &["rm -r tree"], words: &["undo", "--to", "../beside"] },
    Operation {
        name: "prune",
        before: &["rm tree/large", "truncate -s 1 tree/sub/many"],
        words: &["kept", "prune", "--days", "0", "--yes"],
    },
];

/// A home with what can be lost.
struct Home(PathBuf);

impl Home {
    fn work(&self) -> PathBuf {
        self.0.join("work")
    }

    fn store(&self) -> PathBuf {
        self.0.join(".local/share/recourse/kept")
    }

    fn fill(&self) {
        let tree = self.work().join("tree");
        fs::create_dir_all(tree.join("sub/empty")).unwrap();
        // Else it would be part of this project's working tree, and ignored there.
        assert!(Command::new("git").arg("init").arg("-q").arg(self.work()).status().unwrap().success());
        fs::create_dir_all(self.0.join(".config/recourse")).unwrap();
        fs::write(self.0.join(".config/recourse/policy.toml"), "[keep]\nfree = 0\n").unwrap();
        fs::write(tree.join("one"), "one\n").unwrap();
        fs::write(tree.join("sub/many"), vec![b'm'; 9000]).unwrap();
        fs::write(tree.join("large"), vec![b'l'; 90_000]).unwrap();
        fs::hard_link(tree.join("one"), tree.join("sub/one-too")).unwrap();
        fs::hard_link(tree.join("sub/many"), self.work().join("many-outside")).unwrap();
        symlink("one", tree.join("link")).unwrap();
        fs::copy("/bin/true", self.work().join("tool")).unwrap();
        fs::set_permissions(tree.join("one"), fs::Permissions::from_mode(0o640)).unwrap();
        fs::set_permissions(tree.join("sub"), fs::Permissions::from_mode(0o750)).unwrap();
    }

    fn environment(&self, command: &mut Command) {
        command.current_dir(self.work()).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", &self.0);
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recourse"));
        self.environment(&mut command);
        command.args(words).output().unwrap()
    }

    #[track_caller]
    fn works(&self, words: &[&str], codes: &[i32]) -> String {
        let output = self.run(words);
        let said = format!(
            "{words:?}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(output.status.code().is_some_and(|code| codes.contains(&code)), "{said}");
        said
    }

    fn prepare(&self, operation: &Operation) {
        for command in operation.before {
            match *command {
                "undo" => drop(self.works(&["undo", "--yes"], &[0])),
                command => drop(self.works(&["exec", "--profile", "agent", "-c", command], &[0])),
            }
        }
    }

    /// Runs the operation to the edge where `at` says so. Whether it ended by itself.
    fn step(&self, operation: &Operation, at: impl FnMut(usize, usize) -> bool) -> bool {
        let words: Vec<&OsStr> = std::iter::once(env!("CARGO_BIN_EXE_recourse"))
            .chain(operation.words.iter().copied())
            .map(OsStr::new)
            .collect();
        let mut command = stops::waiting(&words);
        self.environment(&mut command);
        let code = stops::step(command.spawn().unwrap(), at);
        assert!(matches!(code, Some(0) | None), "{} ends with {code:?}", operation.name);
        code.is_some()
    }

    /// The same as it stands elsewhere, with its links; at the same place each time, because points name places.
    fn stand_as(&self, other: &Home) {
        if self.0.exists() {
            fs::remove_dir_all(&self.0).unwrap();
        }
        let done = Command::new("cp").arg("-a").arg(&other.0).arg(&self.0).status().unwrap();
        assert!(done.success());
    }

    fn user(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        see(&self.work(), &self.work(), &mut found, &mut HashMap::new(), true);
        found
    }

    /// All that a kill may have left, without what chance made of it.
    fn state(&self) -> String {
        let mut found = BTreeMap::new();
        see(&self.0, &self.0, &mut found, &mut HashMap::new(), false);
        let mut names: Vec<String> = Vec::new();
        let lines = found.into_iter().map(|(path, seen)| {
            let parts = path.iter().map(|part| plain(&part.to_string_lossy(), &mut names));
            format!("{} {seen}\n", parts.collect::<Vec<_>>().join("/"))
        });
        lines.collect()
    }

    /// All there is, byte for byte and without a sum: looked at between any two system calls.
    fn exact(&self) -> Vec<(PathBuf, [i64; 5], Vec<u8>)> {
        let (mut found, mut pending) = (Vec::new(), vec![self.0.clone()]);
        while let Some(path) = pending.pop() {
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            let mut bytes = Vec::new();
            if meta.is_dir() {
                pending.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            } else if meta.is_file() {
                bytes = fs::read(&path).unwrap_or_default();
            }
            let number = |part: u64| i64::try_from(part).unwrap_or(i64::MAX);
            // The time and size of a directory follow from what stands in it.
            let changed = if meta.is_dir() { 0 } else { meta.mtime_nsec() };
            let owner = i64::from(meta.mode());
            found.push((
                path,
                [number(meta.ino()), number(meta.nlink()), owner, meta.mtime(), changed],
                bytes,
            ));
        }
        found.sort();
        found
    }

    fn points(&self) -> Vec<String> {
        let names = fs::read_dir(self.store()).into_iter().flatten().flatten();
        let mut points: Vec<String> = names
            .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".point").map(str::to_owned))
            .collect();
        points.sort();
        points
    }

    fn is_underway(&self) -> bool {
        let names = fs::read_dir(self.store()).into_iter().flatten().flatten();
        names.into_iter().any(|entry| entry.path().extension().is_some_and(|ending| ending == "underway"))
    }

    fn leftovers(&self) -> Vec<PathBuf> {
        let mut found = BTreeMap::new();
        see(&self.0, &self.0, &mut found, &mut HashMap::new(), false);
        found.retain(|path, _| path.starts_with("work") || path.starts_with("beside"));
        found.into_keys().filter(|path| path.to_string_lossy().contains(".recourse-")).collect()
    }
}

/// A name of the store without its time and chance.
fn plain(name: &str, known: &mut Vec<String>) -> String {
    if let Some(process) = name.strip_prefix(".recourse-").filter(|name| name.ends_with(".tmp")) {
        return format!(
            "tmp{}",
            process.len() - process.trim_start_matches(|c: char| c.is_ascii_digit()).len() > 0
        );
    }
    let hex = |text: &str| text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut said = String::new();
    for (number, part) in name.split(['-', '.']).enumerate() {
        let part = match part {
            part if part.len() == 12 && part.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                "TIME".to_owned()
            }
            part if hex(part) => {
                let place = known.iter().position(|one| one == part).unwrap_or_else(|| {
                    known.push(part.to_owned());
                    known.len() - 1
                });
                format!("ID{place}")
            }
            part => part.to_owned(),
        };
        said.push_str(if number == 0 { "" } else { "-" });
        said.push_str(&part);
    }
    said
}

fn see(
    top: &Path,
    path: &Path,
    found: &mut BTreeMap<PathBuf, String>,
    links: &mut HashMap<u64, usize>,
    exact: bool,
) {
    let Ok(meta) = fs::symlink_metadata(path) else { return };
    let mut said = format!("{:o} {}", meta.mode(), meta.size());
    if meta.is_symlink() {
        said = fs::read_link(path).unwrap().to_string_lossy().into_owned();
    } else if meta.is_dir() {
        said = format!("{:o}", meta.mode());
    } else {
        let known = links.len();
        said.push_str(&format!(" of {} {}", meta.nlink(), links.entry(meta.ino()).or_insert(known)));
        if exact {
            // How many names the store has is not the user's business.
            let digest = Sha256::digest(fs::read(path).unwrap());
            said = format!("{:o} {:?} {} {}", meta.mode(), digest, meta.mtime_nsec(), links[&meta.ino()]);
        }
    }
    found.insert(path.strip_prefix(top).unwrap().to_owned(), said);
    if meta.is_dir() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()).collect();
        entries.sort();
        for entry in entries {
            see(top, &entry, found, links, exact);
        }
    }
}

/// What the user's files may be.
struct Known {
    /// Before any command.
    first: BTreeMap<PathBuf, String>,
    /// Before the operation.
    before: BTreeMap<PathBuf, String>,
}

/// That nothing is lost, and all that comes next works.
fn inspect(operation: &Operation, known: &Known, home: &Home) {
    // What can be seen is whole.
    home.works(&["kept"], &[0]);
    for point in home.points() {
        home.works(&["kept", "show", &point[13..]], &[0]);
    }
    match operation.words[0] {
        "exec" => {
            // Before the first loss, or it comes back.
            if home.user() != known.before {
                home.works(&["undo", "--yes"], &[0]);
                same(&known.before, &home.user());
            }
            home.works(operation.words, &[0]);
            if operation.words.contains(&TOOL) {
                // What nobody can read may do that.
                fs::write(home.work().join("tree/large"), "destroyed").unwrap();
            }
            home.works(&["undo", "--yes"], &[0]);
            same(&known.before, &home.user());
        }
        "undo" if operation.words.contains(&"--to") => {
            same(&known.before, &home.user());
            home.works(operation.words, &[0]);
            assert!(home.leftovers().is_empty(), "{:?}", home.leftovers());
        }
        "undo" => {
            let redo = operation.words.contains(&"--redo");
            // It is begun, or done: once more is enough for all of it.
            let again: &[&str] = if redo { operation.words } else { &["undo", "--yes"] };
            // A redo that is done is not done again: once more would take it back.
            let done = redo && !home.work().join("tree").exists() && !home.is_underway();
            let said = if done { String::new() } else { home.works(again, &[0, 3]) };
            assert!(home.leftovers().is_empty(), "{said}{:?}", home.leftovers());
            let wanted = if redo { None } else { Some(&known.first) };
            if let Some(wanted) = wanted {
                same(wanted, &home.user());
                // And what it replaced comes back.
                home.works(&["undo", "--yes", "--redo"], &[0]);
                same(&known.before, &home.user());
            } else {
                assert!(!home.work().join("tree").exists(), "{said}");
                home.works(&["undo", "--yes"], &[0]);
                same(&known.before, &home.user());
            }
        }
        _ => same(&known.before, &home.user()),
    }
    tidied(home);
}

/// What was left half-way goes when it is tidied, and nothing else.
fn tidied(home: &Home) {
    let points: BTreeSet<String> = home.points().into_iter().collect();
    let _ = fs::remove_file(home.store().join("tidied"));
    let old = Command::new("find")
        .arg(home.store())
        .args(["-exec", "touch", "-h", "-d", "2020-01-01", "{}", "+"])
        .status();
    assert!(old.unwrap().success());
    let _ = fs::remove_file(home.store().join("tidied"));
    fs::write(home.work().join("last"), "one more\n").unwrap();
    home.works(&["exec", "--profile", "agent", "-c", "rm last"], &[0]);
    let now: BTreeSet<String> = home.points().into_iter().collect();
    assert!(points.is_subset(&now), "{points:?} {now:?}");
    for entry in fs::read_dir(home.store()).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let own = ["lock", "tidied", "names", "elsewhere", "README"].contains(&name.as_str());
        let stem = name.split('.').next().unwrap_or_default();
        assert!(
            own || now.contains(stem),
            "{name} is left: {:?}",
            fs::read_dir(home.store()).unwrap().flatten().map(|e| e.file_name()).collect::<Vec<_>>()
        );
    }
}

#[track_caller]
fn same(was: &BTreeMap<PathBuf, String>, now: &BTreeMap<PathBuf, String>) {
    let missing: Vec<_> = was
        .iter()
        .filter(|(path, seen)| now.get(*path) != Some(*seen))
        .map(|(path, seen)| (path, seen, now.get(path)))
        .collect();
    let new: Vec<_> = now.keys().filter(|path| !was.contains_key(*path)).collect();
    assert!(missing.is_empty() && new.is_empty(), "{missing:#?} new {new:?}");
}

/// One operation, killed at each of its stops that leaves something else than the one before: between two calls that
/// change anything a kill leaves what the first left.
fn killed(operation: &Operation, root: &Path) {
    let (before, home) = (Home(root.join("before")), Home(root.join("home")));
    home.fill();
    let first = home.user();
    home.prepare(operation);
    before.stand_as(&home);
    let known = Known { first, before: home.user() };
    // Once to the end, to find those calls.
    let (mut last, mut stops) = (home.exact(), Vec::new());
    let ended = home.step(operation, |number, _| {
        let now = home.exact();
        if now != last {
            stops.push(number);
            last = now;
        }
        false
    });
    assert!(ended && stops.len() > 3, "{} works on the home: {stops:?}", operation.name);
    let (mut seen, start) = (BTreeSet::new(), std::time::Instant::now());
    for &number in &stops {
        home.stand_as(&before);
        home.step(operation, |at, _| at == number);
        // What is left in the same state goes on in the same way.
        if !seen.insert(home.state()) {
            continue;
        }
        if let Err(fault) = std::panic::catch_unwind(|| inspect(operation, &known, &home)) {
            eprintln!("{}, killed at stop {number} of {stops:?}", operation.name);
            std::panic::resume_unwind(fault);
        }
    }
    let (stops, states) = (stops.len(), seen.len());
    eprintln!("{}: killed at each of {stops} stops, {states} states, {:?}", operation.name, start.elapsed());
}

#[test]
#[ignore = "run by the other test in a process of its own"]
fn work() {
    let share: usize = std::env::var("CRASH_SHARE").unwrap().parse().unwrap();
    // Not below a temporary directory, where nothing is worth keeping.
    for operation in OPERATIONS.iter().skip(share).step_by(WORKERS) {
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        killed(operation, root.path());
    }
}

#[test]
fn killed_anywhere_nothing_is_lost() {
    let own = std::env::current_exe().unwrap();
    let start = |share: usize| {
        let mut command = Command::new(&own);
        command.args(["--ignored", "--exact", "work", "--nocapture"]).env("CRASH_SHARE", share.to_string());
        command.spawn().unwrap()
    };
    let workers: Vec<_> = (0..WORKERS).map(start).collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().success());
    }
}
