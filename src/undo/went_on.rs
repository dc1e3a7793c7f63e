//! Repositories in which work went on since: what was committed meanwhile is never taken off its branch.
//!
//! Owns which files of a git directory an undo leaves alone where something was committed since: the index, logs that only
//! grew, refs that only went forward. What is gone comes back all the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::keep::{Head, Item, Made, Was};
use crate::world::{Query, RealWorld, World};

use super::Step;
use super::kept::Kept;

/// How long git may take to say whether one commit follows another.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longest log or ref that is read, in bytes.
const LIMIT: u64 = 16 << 20;
/// Messages of a log's lines that a commit leaves.
const COMMITTED: &[&str] = &["commit", "merge", "pull", "cherry-pick", "revert"];

/// Leaves alone what went on since the point was made, beyond what its command itself committed.
pub(super) fn spare(steps: &mut [(Item, Step)], kept: &Kept, head: &Head) {
    let mut committed: BTreeMap<PathBuf, bool> = BTreeMap::new();
    // As it was told then: the time of a commit says only in which second it was made.
    let told: BTreeMap<PathBuf, Vec<u8>> = steps
        .iter()
        .filter(|(item, _)| head.commits > 0 && item.path.0.ends_with("logs/HEAD"))
        .map(|(item, _)| (item.path.0.clone(), content(item, kept).unwrap_or_default()))
        .collect();
    for (item, step) in steps.iter_mut().filter(|(_, step)| matches!(step, Step::Replaced | Step::Gone)) {
        let path = item.path.0.as_path();
        let Some((dir, rest)) = git_dir(path) else { continue };
        let own = ["index", "HEAD", "ORIG_HEAD", "packed-refs", "COMMIT_EDITMSG"];
        let logs = rest.starts_with("logs");
        if !(logs || rest.starts_with("refs") || own.iter().any(|name| rest == Path::new(name))) {
            continue;
        }
        let committed = *committed.entry(dir.clone()).or_insert_with(|| {
            let log = dir.join("logs/HEAD");
            commits_since(&log, told.get(&log), head.time) > head.commits
        });
        let stays = committed
            && if logs {
                grew(item, kept, path)
            } else {
                !rest.starts_with("refs") || went_forward(item, kept, &dir, path)
            };
        if stays {
            *step = Step::Same;
        }
    }
}

/// Of a repository before a program that nobody could read: what is gone comes back, and so do logs that lost lines. Where
/// a branch stands now may be somebody's work of later, and its log tells where it stood.
pub(super) fn spare_unread(steps: &mut [(Item, Step)], kept: &Kept, head: &Head) {
    let alone = head.made == Made::ForUnread;
    let mut shrunk: Vec<PathBuf> = Vec::new();
    let mut moved: Vec<PathBuf> = Vec::new();
    for (item, step) in steps.iter_mut().filter(|(item, _)| alone || item.beside) {
        let path = item.path.0.as_path();
        let Some((dir, rest)) = git_dir(path) else { continue };
        match (*step, rest.starts_with("logs")) {
            (Step::Replaced, true) if grew(item, kept, path) => *step = Step::Same,
            (Step::Replaced | Step::Back, true) => {
                shrunk.push(dir.join(rest.strip_prefix("logs").unwrap_or(&rest)))
            }
            _ => {}
        }
        if rest.starts_with("logs/HEAD") && went_elsewhere(item, kept, path) {
            moved.push(dir);
        }
    }
    let replaced = |(item, step): &&mut (Item, Step)| *step == Step::Replaced && (alone || item.beside);
    for (item, step) in steps.iter_mut().filter(replaced) {
        let path = item.path.0.as_path();
        let Some((dir, rest)) = git_dir(path) else { continue };
        let comes_back = if rest.starts_with("logs") {
            true
        } else if rest.starts_with("refs") {
            rest.ends_with("stash") && shrunk.contains(&item.path.0)
        } else if rest.as_os_str() == "packed-refs" {
            lacks(item, kept, &dir)
        } else {
            rest.as_os_str() != "index" || !moved.contains(&dir)
        };
        if !comes_back {
            *step = Step::Same;
        }
    }
}

/// Whether a log tells of more since than that what is checked out was laid out again.
fn went_elsewhere(item: &Item, kept: &Kept, path: &Path) -> bool {
    let (Some(before), Some(now)) = (content(item, kept), read(path)) else { return true };
    let Some(since) = now.strip_prefix(before.as_slice()) else { return true };
    let since = String::from_utf8_lossy(since).into_owned();
    since.lines().any(|line| line.split_once('\t').is_none_or(|(_, message)| !message.starts_with("reset:")))
}

/// Whether a name of a commit that was packed is nowhere now.
fn lacks(item: &Item, kept: &Kept, dir: &Path) -> bool {
    let names = |text: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(text).into_owned();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.filter(|(id, _)| !id.starts_with(['#', '^'])).map(|(_, name)| name.to_owned()).collect()
    };
    let (Some(before), now) = (content(item, kept), read(&dir.join("packed-refs")).unwrap_or_default())
    else {
        return true;
    };
    let now = names(&now);
    names(&before).iter().any(|name| !now.contains(name) && !dir.join(name).exists())
}

/// The git directory that a path lies in, and the path below it.
fn git_dir(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let is_one = |dir: &&Path| {
        dir.join("HEAD").is_file() && (dir.join("objects").is_dir() || dir.join("commondir").is_file())
    };
    let dir = path.ancestors().skip(1).find(is_one)?;
    Some((dir.to_owned(), path.strip_prefix(dir).ok()?.to_owned()))
}

/// A file that holds more than before, and all that it held.
fn grew(item: &Item, kept: &Kept, path: &Path) -> bool {
    let (Some(before), Some(now)) = (content(item, kept), read(path)) else { return false };
    now.starts_with(&before)
}

/// A ref whose commit now follows from the one before.
fn went_forward(item: &Item, kept: &Kept, dir: &Path, path: &Path) -> bool {
    let (Some(before), Some(now)) =
        (content(item, kept).as_deref().and_then(id), read(path).as_deref().and_then(id))
    else {
        return false;
    };
    // Nothing of the one before is missing from the other.
    let arguments = ["rev-list", "--count", before.as_str(), &format!("^{now}")].map(str::to_owned).to_vec();
    let answer = RealWorld::new().ask(&Query::Git { dir: dir.to_owned(), arguments }, PATIENCE);
    answer.is_ok_and(|said| said.trim_ascii() == b"0")
}

/// How often something was committed since, as the log of what was checked out tells: behind what it said then, or where
/// that is not known by the time.
fn commits_since(log: &Path, before: Option<&Vec<u8>>, time: i64) -> u64 {
    let log = read(log).unwrap_or_default();
    let behind = before.and_then(|before| log.strip_prefix(before.as_slice()));
    let text = String::from_utf8_lossy(behind.unwrap_or(&log));
    let is_one = |line: &&str| {
        let Some((head, message)) = line.split_once('\t') else { return false };
        let when = head.rsplit(' ').nth(1).and_then(|seconds| seconds.parse::<i64>().ok());
        (behind.is_some() || when.is_some_and(|when| when > time / 1000))
            && COMMITTED.iter().any(|word| message.starts_with(word))
    };
    text.lines().filter(is_one).count() as u64
}

/// A ref's commit, where it names one.
fn id(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let hex = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex.then(|| text.to_owned())
}

fn content(item: &Item, kept: &Kept) -> Option<Vec<u8>> {
    let Was::File { content, size, .. } = &item.was else { return None };
    if *size > LIMIT { None } else { kept.bytes(content, *size).ok() }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    fs::symlink_metadata(path).ok().filter(|meta| meta.is_file() && meta.len() <= LIMIT)?;
    fs::read(path).ok()
}
