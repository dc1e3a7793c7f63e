//! What a command destroyed comes back exactly: names, bytes, modes, owners, times, attributes, links, holes.
//!
//! Everything goes through the program as people and agents run it: `recourse exec`, then `recourse undo`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A home that is not below a temporary directory, with a directory in which things are lost.
pub(crate) struct Place {
    home: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/homes");
        fs::create_dir_all(&place).unwrap();
        let home = tempfile::tempdir_in(place).unwrap();
        fs::create_dir(home.path().join("work")).unwrap();
        let config = home.path().join(".config/recourse");
        fs::create_dir_all(&config).unwrap();
        // The disk that tests run on may be full.
        fs::write(config.join("policy.toml"), "[keep]\nfree = 0\n").unwrap();
        Self { home }
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.home.path().join("work")
    }

    pub(crate) fn recourse(&self, arguments: &[&OsStr]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_recourse"))
            .args(arguments)
            .current_dir(self.work())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.home.path())
            .output()
            .unwrap()
    }

    /// Runs a command as an agent would; it must be let through.
    fn exec(&self, command: &str) {
        let output = self.recourse(&["exec", "--profile", "agent", "-c", command].map(OsStr::new));
        assert!(output.status.success(), "{command}: {}", said(&output));
    }

    pub(crate) fn undo(&self, arguments: &[&str]) -> Output {
        let all: Vec<&OsStr> = ["undo", "--yes"].iter().chain(arguments).map(OsStr::new).collect();
        self.recourse(&all)
    }

    /// Takes the last command back; all of it must come back.
    fn undone(&self) -> String {
        let output = self.undo(&[]);
        assert!(output.status.success(), "undo: {}", said(&output));
        said(&output)
    }

    fn store(&self) -> PathBuf {
        self.home.path().join(".local/share/recourse/kept")
    }

    /// The id of the newest point.
    fn newest(&self) -> String {
        let mut names: Vec<String> = fs::read_dir(self.store())
            .unwrap()
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".point").map(str::to_owned))
            .collect();
        names.sort();
        names.last().unwrap()[13..].to_owned()
    }

    pub(crate) fn seen(&self) -> BTreeMap<PathBuf, Seen> {
        let mut found = BTreeMap::new();
        let mut links = BTreeMap::new();
        see(&self.work(), &mut found, &mut links);
        found
    }

    fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }
}

pub(crate) fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// All that can be told of a thing.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) kind: String,
    mode: u32,
    owner: (u32, u32),
    pub(crate) modified: (i64, i64),
    size: u64,
    /// Blocks, of files with holes.
    holes: Option<u64>,
    pub(crate) content: Vec<u8>,
    attributes: BTreeMap<String, Vec<u8>>,
    /// The first name of the same file.
    first: Option<PathBuf>,
}

impl std::fmt::Debug for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, mode, owner, modified, size, holes, attributes, first, content } = self;
        let start = String::from_utf8_lossy(&content[..content.len().min(20)]).into_owned();
        write!(
            f,
            "{kind} {mode:o} {owner:?} {modified:?} {size} {holes:?} {attributes:?} {first:?} {start:?}"
        )
    }
}

fn see(path: &Path, found: &mut BTreeMap<PathBuf, Seen>, links: &mut BTreeMap<(u64, u64), PathBuf>) {
    let meta = fs::symlink_metadata(path).unwrap();
    let kind = meta.file_type();
    let mut seen = Seen {
        kind: String::new(),
        mode: meta.mode() & 0o7777,
        owner: (meta.uid(), meta.gid()),
        modified: (meta.mtime(), meta.mtime_nsec()),
        size: 0,
        holes: None,
        content: Vec::new(),
        attributes: BTreeMap::new(),
        first: None,
    };
    if kind.is_symlink() {
        seen.kind = format!("link to {}", fs::read_link(path).unwrap().display());
    } else if kind.is_fifo() {
        seen.kind = "pipe".to_owned();
    } else {
        seen.attributes = attributes(path);
        if kind.is_file() {
            seen.kind = "file".to_owned();
            seen.size = meta.len();
            // What of it is data: blocks may be counted otherwise after a copy.
            seen.holes = (meta.blocks() * 512 < meta.len()).then(|| data(path));
            File::open(path).unwrap().read_to_end(&mut seen.content).unwrap();
            let first = links.entry((meta.dev(), meta.ino())).or_insert_with(|| path.to_owned());
            seen.first = Some(first.clone());
        } else {
            seen.kind = "directory".to_owned();
        }
    }
    found.insert(path.to_owned(), seen);
    if kind.is_dir() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for entry in entries {
            see(&entry, found, links);
        }
    }
}

/// Where the first data of a file stands.
fn data(path: &Path) -> u64 {
    let file = File::open(path).unwrap();
    rustix::fs::seek(&file, rustix::fs::SeekFrom::Data(0)).unwrap_or(u64::MAX)
}

fn attributes(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut names = vec![0_u8; 1 << 16];
    let length = rustix::fs::llistxattr(path, &mut names[..]).unwrap_or(0);
    let names = names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names
        .map(|name| {
            let name = String::from_utf8(name.to_vec()).unwrap();
            let mut value = vec![0_u8; 1 << 16];
            let length = rustix::fs::lgetxattr(path, name.as_str(), &mut value[..]).unwrap();
            value.truncate(length);
            (name, value)
        })
        .collect()
}

pub(crate) fn set(path: &Path, name: &str, value: &[u8]) {
    // Not every file system has them.
    let _ = rustix::fs::lsetxattr(path, name, value, rustix::fs::XattrFlags::empty());
}

/// A time long ago, so that one that was not put back shows.
pub(crate) fn age(path: &Path, seconds: i64) {
    let time = rustix::fs::Timespec { tv_sec: seconds, tv_nsec: 123_456_789 };
    let times = rustix::fs::Timestamps { last_access: time, last_modification: time };
    rustix::fs::utimensat(rustix::fs::CWD, path, &times, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).unwrap();
}

#[track_caller]
fn same(was: &BTreeMap<PathBuf, Seen>, now: &BTreeMap<PathBuf, Seen>) {
    let differ: Vec<String> = was
        .iter()
        .filter(|(path, seen)| now.get(*path) != Some(*seen))
        .map(|(path, seen)| format!("{path:?}\n  was {seen:?}\n  now {:?}", now.get(path)))
        .chain(now.keys().filter(|path| !was.contains_key(*path)).map(|path| format!("{path:?} is new")))
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// Everything that a tree can be made of.
fn everything(place: &Place) {
    let work = place.work();
    place.write("tree/dir/small", b"small\n");
    place.write("tree/dir/large", &vec![7_u8; 300_000]);
    place.write("tree/empty", b"");
    fs::write(work.join("tree").join(OsStr::from_bytes(b"no\xffutf8 \n name")), "bytes").unwrap();
    fs::hard_link(work.join("tree/dir/small"), work.join("tree/other-name")).unwrap();
    fs::hard_link(work.join("tree/dir/large"), work.join("outside")).unwrap();
    let mut sparse = File::create(work.join("tree/sparse")).unwrap();
    sparse.seek(SeekFrom::Start(3 << 20)).unwrap();
    sparse.write_all(b"end").unwrap();
    drop(sparse);
    symlink("nowhere", work.join("tree/broken")).unwrap();
    symlink("dir", work.join("tree/to-dir")).unwrap();
    nix::unistd::mkfifo(&work.join("tree/pipe"), nix::sys::stat::Mode::from_bits_truncate(0o640)).unwrap();
    fs::set_permissions(work.join("tree/pipe"), Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(work.join("tree/hollow")).unwrap();
    set(&work.join("tree/dir"), "user.note", b"of a directory");
    set(&work.join("tree/dir/large"), "user.note", &vec![b'x'; 700]);
    // Everybody's list: owner rw, user 1 r, group r, mask r, others none.
    let list = [
        2_u32,
        0x0006_0001,
        u32::MAX,
        0x0004_0002,
        1,
        0x0004_0004,
        u32::MAX,
        0x0004_0010,
        u32::MAX,
        0x0000_0020,
        u32::MAX,
    ];
    let list: Vec<u8> = list.iter().flat_map(|part| part.to_le_bytes()).collect();
    set(&work.join("tree/empty"), "system.posix_acl_access", &list);
    fs::set_permissions(work.join("tree/dir/large"), Permissions::from_mode(0o4751)).unwrap();
    fs::set_permissions(work.join("tree/hollow"), Permissions::from_mode(0o1555)).unwrap();
    if nix::unistd::geteuid().is_root() {
        std::os::unix::fs::lchown(work.join("tree/broken"), Some(1), Some(2)).unwrap();
        std::os::unix::fs::chown(work.join("tree/sparse"), Some(3), Some(4)).unwrap();
    }
    let mut paths: Vec<PathBuf> = place.seen().into_keys().collect();
    paths.sort_by(|a, b| b.cmp(a));
    for (number, path) in paths.iter().enumerate() {
        age(path, 1_000_000_000 + i64::try_from(number).unwrap() * 1000);
    }
}

#[test]
fn a_tree_of_everything_comes_back_as_it_was() {
    for command in [
        "rm -rf tree",
        "rm -rf tree outside",
        "find tree -type f -delete",
        "find . -name small -delete; rm tree/broken tree/pipe; rmdir tree/hollow",
        ": > outside",
        "truncate -s 5 tree/sparse tree/dir/small",
        "echo new > fresh && mv fresh outside && mv fresh2 outside || rm -r tree",
    ] {
        let place = Place::new();
        everything(&place);
        let was = place.seen();
        place.exec(command);
        let after = place.seen();
        assert_ne!(was, after, "{command} does something");
        eprintln!("after {command}");
        place.undone();
        same(&was, &place.seen());
        // The undo is undone by an undo, and that again.
        let redo = place.undo(&[&place.newest()]);
        assert!(redo.status.success(), "{}", said(&redo));
        same(&after, &place.seen());
        place.undone();
        same(&was, &place.seen());
    }
}

#[test]
fn what_was_made_since_stays_and_what_stands_in_the_way_is_kept() {
    let place = Place::new();
    place.write("tree/a", b"first a");
    place.write("tree/b", b"first b");
    place.exec("rm -r tree");
    place.write("tree/a", b"second a");
    place.write("tree/c", b"made since");
    place.undone();
    let read = |name: &str| fs::read_to_string(place.work().join(name)).unwrap();
    assert_eq!(
        (read("tree/a"), read("tree/b"), read("tree/c")),
        ("first a".into(), "first b".into(), "made since".into())
    );
    assert!(place.undo(&[&place.newest()]).status.success());
    assert_eq!((read("tree/a"), read("tree/c")), ("second a".into(), "made since".into()));
    assert!(!place.work().join("tree/b").exists());
    // A tree that came back goes again, but not what was put into it since.
    place.write("dir/x", b"x");
    place.exec("rm -r dir");
    place.undone();
    let undo = place.newest();
    place.write("dir/y", b"y");
    assert!(place.undo(&[&undo]).status.success());
    assert!(!place.work().join("dir/x").exists());
    assert_eq!(read("dir/y"), "y");
}

#[test]
fn a_link_in_the_way_is_not_followed() {
    let place = Place::new();
    place.write("tree/dir/file", b"content");
    place.write("elsewhere/file", b"not touched");
    place.exec("rm -r tree/dir");
    symlink(place.work().join("elsewhere"), place.work().join("tree/dir")).unwrap();
    // The link itself is in the way: it is kept, and replaced.
    place.undone();
    assert_eq!(fs::read(place.work().join("elsewhere/file")).unwrap(), b"not touched");
    assert_eq!(fs::read(place.work().join("tree/dir/file")).unwrap(), b"content");
    // A link above what comes back leads to another place.
    place.exec("rm tree/dir/file");
    fs::rename(place.work().join("tree"), place.work().join("moved")).unwrap();
    symlink(place.work().join("elsewhere"), place.work().join("tree")).unwrap();
    let output = place.undo(&[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("no directory any more"), "{}", said(&output));
    assert_eq!(fs::read_dir(place.work().join("elsewhere")).unwrap().count(), 1);
    // Beside, it can be had all the same.
    let beside = place.undo(&["--to", "beside"]);
    assert!(beside.status.success(), "{}", said(&beside));
    let found = place.work().join("beside").join(place.work().strip_prefix("/").unwrap());
    assert_eq!(fs::read(found.join("tree/dir/file")).unwrap(), b"content");
}

#[test]
fn writing_into_what_came_back_never_writes_into_what_is_kept() {
    let place = Place::new();
    let file = place.write("large", &vec![1_u8; 200_000]);
    place.exec("rm large");
    place.undone();
    assert_eq!(fs::metadata(&file).unwrap().nlink(), 1, "no name in the store is left");
    place.exec(": > large");
    let mut open = File::options().write(true).open(&file).unwrap();
    open.write_all(b"other content").unwrap();
    place.undone();
    assert_eq!(fs::read(&file).unwrap(), vec![1_u8; 200_000]);
    // Taken back in part, the point can still be needed.
    let other = place.write("second", &vec![2_u8; 200_000]);
    place.exec("rm large second");
    assert!(place.undo(&[&place.newest(), "--", "large"]).status.success());
    File::options().write(true).open(&file).unwrap().write_all(b"written over").unwrap();
    place.undone();
    assert_eq!(fs::read(&file).unwrap(), vec![1_u8; 200_000]);
    assert_eq!(fs::read(&other).unwrap(), vec![2_u8; 200_000]);
}

/// What keeping, undoing and the list of what is kept say of a store that is not this user's alone.
fn is_refused(place: &Place, to_do: &str) {
    let output = place.recourse(&["exec", "--profile", "agent", "-c", "rm other"].map(OsStr::new));
    assert_eq!(output.status.code(), Some(126), "{}", said(&output));
    assert!(said(&output).contains(to_do), "{}", said(&output));
    assert_eq!(fs::read(place.work().join("other")).unwrap(), b"nowhere else");
    for words in [&["undo", "--yes"][..], &["kept"], &["undo", "--to", "beside"]] {
        let output = place.recourse(&words.iter().map(OsStr::new).collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", said(&output));
        assert!(said(&output).contains(to_do), "{words:?}: {}", said(&output));
    }
    assert!(!place.work().join("file").exists() && !place.work().join("beside").exists());
}

#[test]
fn a_store_that_is_not_this_users_alone_neither_keeps_nor_gives_back() {
    let place = Place::new();
    place.write("file", b"content");
    place.write("other", b"nowhere else");
    place.exec("rm file");
    for mode in [0o770, 0o707, 0o750, 0o777] {
        fs::set_permissions(place.store(), Permissions::from_mode(mode)).unwrap();
        is_refused(&place, "recourse doctor --repair");
    }
    fs::set_permissions(place.store(), Permissions::from_mode(0o700)).unwrap();
    // Whoever is not allowed to give it away cannot try that.
    if std::os::unix::fs::chown(place.store(), Some(65_534), None).is_ok() {
        is_refused(&place, "chown");
        std::os::unix::fs::chown(place.store(), Some(nix_user()), None).unwrap();
    }
    let moved = place.home.path().join("moved");
    fs::rename(place.store(), &moved).unwrap();
    for target in [moved.as_path(), std::path::Path::new("/nowhere")] {
        symlink(target, place.store()).unwrap();
        is_refused(&place, "put a real folder there");
        fs::remove_file(place.store()).unwrap();
    }
    fs::write(place.store(), b"a file").unwrap();
    is_refused(&place, "put a real folder there");
    fs::remove_file(place.store()).unwrap();
    fs::rename(&moved, place.store()).unwrap();
    place.undone();
    assert_eq!(fs::read(place.work().join("file")).unwrap(), b"content");
}

/// Whose the test's own files are.
fn nix_user() -> u32 {
    fs::metadata(env!("CARGO_TARGET_TMPDIR")).unwrap().uid()
}

#[test]
fn a_directory_in_the_place_of_a_file_goes_and_comes_again() {
    let place = Place::new();
    place.write("thing", b"a file");
    let was = place.seen();
    place.exec("rm thing; mkdir thing; echo x > thing/x");
    let after = place.seen();
    let kinds = |seen: &BTreeMap<PathBuf, Seen>| -> Vec<(PathBuf, String)> {
        seen.iter().map(|(path, seen)| (path.clone(), seen.kind.clone())).collect()
    };
    for _ in 0..2 {
        assert!(place.undo(&[&place.newest()]).status.success());
        assert_eq!(kinds(&was), kinds(&place.seen()));
        let redo = place.undo(&["--redo"]);
        assert!(redo.status.success(), "{}", said(&redo));
        assert_eq!(kinds(&after), kinds(&place.seen()));
    }
}

#[test]
fn two_undos_at_once_bring_it_back_once() {
    let place = Place::new();
    for number in 0..300 {
        place.write(&format!("tree/{}/{number}", number % 7), format!("{number}").as_bytes());
    }
    let was = place.seen();
    place.exec("rm -r tree");
    let id = place.newest();
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..3).map(|_| scope.spawn(|| place.undo(&[&id]))).collect();
        for one in all {
            let output = one.join().unwrap();
            assert!(matches!(output.status.code(), Some(0 | 3)), "{}", said(&output));
        }
    });
    same(&was, &place.seen());
}
