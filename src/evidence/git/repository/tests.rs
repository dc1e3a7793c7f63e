//! Repositories that are found and read.

use std::path::Path;
use std::process::Command;

use super::{FileStatus, GitCache};
use crate::world::{RealWorld, World};

fn git(dir: &Path, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"])
        .args(words)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git is installed");
    assert!(done.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn status(cache: &GitCache, path: &Path) -> FileStatus {
    let world = RealWorld::new();
    let repo = cache.discover(&world, path.parent().unwrap()).unwrap().expect("a repository");
    repo.classify(&world, path, &world.lstat(path).unwrap())
}

#[test]
fn files_are_told_apart_in_every_index_version() {
    for version in ["2", "3", "4"] {
        let home = tempfile::tempdir().unwrap();
        let top = home.path().canonicalize().unwrap();
        git(&top, &["init", "-q"]);
        git(&top, &["config", "index.version", version]);
        std::fs::create_dir_all(top.join("src/deep")).unwrap();
        for name in ["a.txt", "src/b.txt", "src/deep/c.txt", "src.txt", "touched", "crlf"] {
            std::fs::write(top.join(name), format!("{name}\nmore\n")).unwrap();
        }
        std::os::unix::fs::symlink("a.txt", top.join("link")).unwrap();
        git(&top, &["add", "-A"]);
        git(&top, &["commit", "-qm", "x"]);
        std::fs::write(top.join("src/b.txt"), "changed\n").unwrap();
        std::fs::write(top.join("touched"), "touched\nmore\n").unwrap();
        std::fs::write(top.join("crlf"), "crlf\r\nmore\r\n").unwrap();
        std::fs::write(top.join("new"), "new\n").unwrap();
        std::fs::write(top.join("intent"), "intent\n").unwrap();
        git(&top, &["add", "-N", "intent"]);
        std::fs::write(top.join("staged"), "one\n").unwrap();
        git(&top, &["add", "staged"]);
        std::fs::write(top.join("src.txt"), "one\n").unwrap();
        std::fs::create_dir(top.join("nested")).unwrap();
        git(&top.join("nested"), &["init", "-q"]);
        std::fs::write(top.join("nested/f"), "x").unwrap();

        let cache = GitCache::default();
        for (name, expected) in [
            ("a.txt", FileStatus::Clean),
            ("src/b.txt", FileStatus::Modified),
            ("src/deep/c.txt", FileStatus::Clean),
            ("src.txt", FileStatus::Stored),
            ("touched", FileStatus::Clean),
            ("crlf", FileStatus::Clean),
            ("new", FileStatus::Untracked),
            ("intent", FileStatus::Modified),
            ("staged", FileStatus::Clean),
            ("link", FileStatus::Clean),
            ("nested/f", FileStatus::Untracked),
            (".git/HEAD", FileStatus::Internal),
        ] {
            assert_eq!(status(&cache, &top.join(name)), expected, "{name} in version {version}");
        }
        let world = RealWorld::new();
        let repo = cache.discover(&world, &top).unwrap().unwrap();
        assert_eq!(repo.tracked_below(&world, &top.join("src")), Ok(2));
        let nested = cache.discover(&world, &top.join("nested")).unwrap().unwrap();
        assert_eq!(nested.work_tree(), Some(top.join("nested").as_path()));
    }
}

#[test]
fn linked_working_trees_and_bare_repositories_are_found() {
    let home = tempfile::tempdir().unwrap();
    let top = home.path().canonicalize().unwrap();
    git(&top, &["init", "-q", "main"]);
    let main = top.join("main");
    std::fs::write(main.join("f"), "f\n").unwrap();
    git(&main, &["add", "f"]);
    git(&main, &["commit", "-qm", "x"]);
    git(&main, &["worktree", "add", "-q", "../other"]);
    git(&top, &["clone", "-q", "--bare", "main", "bare.git"]);
    let world = RealWorld::new();
    let cache = GitCache::default();
    assert_eq!(status(&cache, &top.join("other/f")), FileStatus::Clean);
    let other = cache.discover(&world, &top.join("other")).unwrap().unwrap();
    assert_eq!(other.place().common_dir, main.join(".git"));
    let bare = cache.discover(&world, &top.join("bare.git/refs")).unwrap().unwrap();
    assert_eq!((bare.work_tree(), bare.is_internal(&top.join("bare.git/HEAD"))), (None, true));
    assert!(cache.discover(&world, &top).unwrap().is_none());
}

#[test]
fn a_damaged_index_makes_every_file_unseen() {
    let home = tempfile::tempdir().unwrap();
    let top = home.path().canonicalize().unwrap();
    git(&top, &["init", "-q"]);
    std::fs::write(top.join("f"), "f\n").unwrap();
    git(&top, &["add", "f"]);
    std::fs::write(top.join(".git/index"), b"DIRC\0\0\0\x02\xff\xff\xff\xff").unwrap();
    assert!(matches!(status(&GitCache::default(), &top.join("f")), FileStatus::Unseen(_)));
}
