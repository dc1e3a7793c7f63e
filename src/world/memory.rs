//! An in-memory machine for tests of judgement.
//!
//! Behaves like a small Unix: symbolic links, permissions of one ordinary user, an environment, canned answers for the
//! programs that probes ask. Time stands still unless [`MemoryWorld::at`] sets it.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::order;

use super::{Entry, FileKind, LookError, Meta, Query, World};

/// A machine that exists in memory alone. Paths are absolute; missing parent directories are made.
#[derive(Clone, Debug)]
pub struct MemoryWorld {
    nodes: BTreeMap<PathBuf, Node>,
    environment: BTreeMap<String, String>,
    users: BTreeMap<String, PathBuf>,
    mounts: Vec<PathBuf>,
    answers: Vec<(Query, Result<Vec<u8>, LookError>)>,
    now: SystemTime,
    uid: u32,
    next: u64,
}

#[derive(Clone, Debug)]
struct Node {
    content: Content,
    meta: Meta,
}

#[derive(Clone, Debug)]
enum Content {
    File(Vec<u8>),
    Directory,
    Link(PathBuf),
    Special,
}

/// Symbolic links followed before a path is called circular, as on Linux.
const LINK_LIMIT: usize = 40;

impl Default for MemoryWorld {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryWorld {
    /// An empty machine: `/`, the user `me` (id 1000) at home in `/home/me`.
    pub fn new() -> Self {
        let mut world = Self {
            nodes: BTreeMap::new(),
            environment: BTreeMap::new(),
            users: BTreeMap::new(),
            mounts: vec![PathBuf::from("/")],
            answers: Vec::new(),
            now: SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000),
            uid: 1000,
            next: 2,
        };
        world.put(Path::new("/"), Content::Directory, 0o755);
        world.env("HOME", "/home/me").env("USER", "me").user_home("me", "/home/me").dir("/home/me")
    }

    /// A file with this content, mode 644.
    #[must_use]
    pub fn file(mut self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.put(Path::new(path), Content::File(content.as_ref().to_vec()), 0o644);
        self
    }

    /// A directory, mode 755.
    #[must_use]
    pub fn dir(mut self, path: &str) -> Self {
        if !self.nodes.contains_key(Path::new(path)) {
            self.put(Path::new(path), Content::Directory, 0o755);
        }
        self
    }

    /// A symbolic link.
    #[must_use]
    pub fn link(mut self, path: &str, target: &str) -> Self {
        self.put(Path::new(path), Content::Link(PathBuf::from(target)), 0o777);
        self
    }

    /// Another name of a file that exists.
    #[must_use]
    pub fn hard_link(mut self, path: &str, existing: &str) -> Self {
        if let Some(node) = self.nodes.get(Path::new(existing)).cloned() {
            self.parents(Path::new(path));
            self.nodes.insert(PathBuf::from(path), node.clone());
            let links = self.nodes.values().filter(|other| other.meta.id == node.meta.id).count();
            for other in self.nodes.values_mut().filter(|other| other.meta.id == node.meta.id) {
                other.meta.links = links as u64;
            }
        }
        self
    }

    /// A device, pipe or socket.
    #[must_use]
    pub fn special(mut self, path: &str, kind: FileKind) -> Self {
        self.put(Path::new(path), Content::Special, 0o666);
        if let Some(node) = self.nodes.get_mut(Path::new(path)) {
            node.meta.kind = kind;
        }
        self
    }

    /// Permission bits of a path that exists.
    #[must_use]
    pub fn mode(mut self, path: &str, mode: u32) -> Self {
        if let Some(node) = self.nodes.get_mut(Path::new(path)) {
            node.meta.mode = mode;
        }
        self
    }

    /// Owner of a path that exists.
    #[must_use]
    pub fn owner(mut self, path: &str, uid: u32) -> Self {
        if let Some(node) = self.nodes.get_mut(Path::new(path)) {
            node.meta.owner = (uid, uid);
        }
        self
    }

    /// Last change of a path that exists, seconds since the epoch.
    #[must_use]
    pub fn modified(mut self, path: &str, seconds: i64) -> Self {
        if let Some(node) = self.nodes.get_mut(Path::new(path)) {
            node.meta.modified = (seconds, 0);
            node.meta.changed = (seconds, 0);
        }
        self
    }

    /// Something is mounted at a path; everything below lies on a device of its own.
    #[must_use]
    pub fn mount(mut self, path: &str) -> Self {
        self.parents(&Path::new(path).join("x"));
        self.mounts.push(PathBuf::from(path));
        order::by_key(&mut self.mounts, |mount| std::cmp::Reverse(mount.as_os_str().len()));
        let device = self.mounts.len() as u64;
        for (_, node) in self.nodes.iter_mut().filter(|(known, _)| known.starts_with(path)) {
            node.meta.id.0 = device;
        }
        self
    }

    /// An environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Takes an environment variable away.
    #[must_use]
    pub fn no_env(mut self, name: &str) -> Self {
        self.environment.remove(name);
        self
    }

    /// Home directory of a user.
    #[must_use]
    pub fn user_home(mut self, user: &str, home: &str) -> Self {
        self.users.insert(user.to_owned(), PathBuf::from(home));
        self
    }

    /// Effective user id; 0 may write everywhere.
    #[must_use]
    pub fn as_uid(mut self, uid: u32) -> Self {
        self.uid = uid;
        self
    }

    /// What the clock says.
    #[must_use]
    pub fn at(mut self, now: SystemTime) -> Self {
        self.now = now;
        self
    }

    /// The answer to a query; any other is [`LookError::NotFound`].
    #[must_use]
    pub fn answer(mut self, query: Query, answer: Result<Vec<u8>, LookError>) -> Self {
        self.answers.push((query, answer));
        self
    }

    fn put(&mut self, path: &Path, content: Content, mode: u32) {
        self.parents(path);
        let (kind, size) = match &content {
            Content::File(bytes) => (FileKind::File, bytes.len() as u64),
            Content::Directory => (FileKind::Directory, 4096),
            Content::Link(target) => (FileKind::Symlink, target.as_os_str().len() as u64),
            Content::Special => (FileKind::Other, 0),
        };
        let device = self.mounts.iter().rev().position(|mount| path.starts_with(mount)).unwrap_or(0) as u64;
        let meta = Meta {
            kind,
            size,
            links: 1,
            id: (device, self.next),
            mode,
            owner: (self.uid, self.uid),
            modified: (1_600_000_000, 0),
            changed: (1_600_000_000, 0),
            accessed: 1_600_000_000,
        };
        self.next += 1;
        self.nodes.insert(path.to_owned(), Node { content, meta });
    }

    fn parents(&mut self, path: &Path) {
        if let Some(parent) = path.parent()
            && !self.nodes.contains_key(parent)
        {
            self.put(parent, Content::Directory, 0o755);
        }
    }

    /// The real place of a path: links resolved, of the last component only when `follow`.
    fn place(&self, path: &Path, follow: bool) -> Result<PathBuf, LookError> {
        let mut links = 0;
        let mut pending: Vec<std::ffi::OsString> = Vec::new();
        push_parts(&mut pending, path);
        let mut place = PathBuf::from("/");
        while let Some(part) = pending.pop() {
            if part == ".." {
                place.pop();
                continue;
            }
            let node = self.nodes.get(&place).ok_or(LookError::NotFound)?;
            if node.meta.kind != FileKind::Directory {
                return Err(LookError::NotFound);
            }
            if self.uid != 0 && node.meta.mode & 0o111 == 0 {
                return Err(LookError::Denied);
            }
            place.push(&part);
            if let Some(Node { content: Content::Link(target), .. }) = self.nodes.get(&place)
                && (follow || !pending.is_empty())
            {
                links += 1;
                if links > LINK_LIMIT {
                    return Err(LookError::Loop);
                }
                place.pop();
                if target.is_absolute() {
                    place = PathBuf::from("/");
                }
                push_parts(&mut pending, target);
            }
        }
        if self.nodes.contains_key(&place) { Ok(place) } else { Err(LookError::NotFound) }
    }

    fn node(&self, path: &Path, follow: bool) -> Result<(&Path, &Node), LookError> {
        let place = self.place(path, follow)?;
        let (place, node) = self.nodes.get_key_value(&place).ok_or(LookError::NotFound)?;
        Ok((place, node))
    }

    fn children<'a>(&'a self, place: &'a Path) -> impl Iterator<Item = (&'a PathBuf, &'a Node)> {
        self.nodes
            .range::<Path, _>((std::ops::Bound::Excluded(place), std::ops::Bound::Unbounded))
            .take_while(move |(known, _)| known.starts_with(place))
            .filter(move |(known, _)| known.parent() == Some(place))
    }
}

/// Pushes the components so that the first is popped first; a trailing `/` means the directory itself.
fn push_parts(pending: &mut Vec<std::ffi::OsString>, path: &Path) {
    let parts: Vec<_> = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| part.as_os_str().to_owned())
        .collect();
    pending.extend(parts.into_iter().rev());
}

impl World for MemoryWorld {
    fn lstat(&self, path: &Path) -> Result<Meta, LookError> {
        let follow = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        self.node(path, follow).map(|(_, node)| node.meta.clone())
    }

    fn stat(&self, path: &Path) -> Result<Meta, LookError> {
        self.node(path, true).map(|(_, node)| node.meta.clone())
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, LookError> {
        match &self.node(path, false)?.1.content {
            Content::Link(target) => Ok(target.clone()),
            _ => Err(LookError::Other("not a symbolic link".to_owned())),
        }
    }

    fn read_dir(&self, path: &Path, limit: usize) -> Result<Vec<Entry>, LookError> {
        Ok(self.scan(path, limit)?.into_iter().map(|(entry, _)| entry).collect())
    }

    fn scan(&self, path: &Path, limit: usize) -> Result<Vec<(Entry, Result<Meta, LookError>)>, LookError> {
        let (place, node) = self.node(path, true)?;
        if node.meta.kind != FileKind::Directory {
            return Err(LookError::NotFound);
        }
        if self.uid != 0 && node.meta.mode & 0o444 == 0 {
            return Err(LookError::Denied);
        }
        let mut entries: Vec<_> = self
            .children(place)
            .map(|(known, node)| {
                let name =
                    known.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                (Entry { name, exact: true, kind: node.meta.kind }, Ok(node.meta.clone()))
            })
            .collect();
        order::by(&mut entries, |a, b| a.0.name.cmp(&b.0.name));
        if entries.len() > limit { Err(LookError::TooLarge) } else { Ok(entries) }
    }

    fn read_file(&self, path: &Path, limit: u64) -> Result<Vec<u8>, LookError> {
        let (_, node) = self.node(path, true)?;
        if self.uid != 0 && node.meta.mode & 0o444 == 0 {
            return Err(LookError::Denied);
        }
        match &node.content {
            Content::File(bytes) if bytes.len() as u64 > limit => Err(LookError::TooLarge),
            Content::File(bytes) => Ok(bytes.clone()),
            _ => Err(LookError::Other("not a regular file".to_owned())),
        }
    }

    fn canonicalize(&self, path: &Path) -> Result<PathBuf, LookError> {
        self.place(path, true)
    }

    fn writable(&self, path: &Path) -> bool {
        self.node(path, true).is_ok_and(|(_, node)| {
            let bit = if node.meta.owner.0 == self.uid { 0o200 } else { 0o002 };
            self.uid == 0 || node.meta.mode & bit != 0
        })
    }

    fn env(&self, name: &str) -> Option<String> {
        self.environment.get(name).cloned()
    }

    fn env_names(&self) -> Vec<String> {
        self.environment.keys().cloned().collect()
    }

    fn home(&self, user: Option<&str>) -> Option<PathBuf> {
        match user {
            Some(name) => self.users.get(name).cloned(),
            None => self.env("HOME").map(PathBuf::from),
        }
    }

    fn user(&self) -> String {
        "me".to_owned()
    }

    fn uid(&self) -> u32 {
        self.uid
    }

    fn mounts(&self) -> Vec<PathBuf> {
        self.mounts.clone()
    }

    fn now(&self) -> SystemTime {
        self.now
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn ask(&self, query: &Query, _timeout: Duration) -> Result<Vec<u8>, LookError> {
        self.answers
            .iter()
            .find(|(known, _)| known == query)
            .map_or(Err(LookError::NotFound), |(_, a)| a.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_where_a_unix_would() {
        let world = MemoryWorld::new()
            .file("/home/me/notes.md", "text")
            .link("/home/me/link", "notes.md")
            .link("/home/me/dangling", "nowhere")
            .link("/home/me/circle", "circle")
            .dir("/home/me/docs")
            .link("/home/me/there", "/home/me/docs/../docs");
        let at = |name: &str| PathBuf::from("/home/me").join(name);
        assert_eq!(world.lstat(&at("link")).unwrap().kind, FileKind::Symlink);
        assert_eq!(world.stat(&at("link")).unwrap().size, 4);
        assert_eq!(world.stat(&at("dangling")), Err(LookError::NotFound));
        assert_eq!(world.stat(&at("circle")), Err(LookError::Loop));
        assert_eq!(world.canonicalize(&at("there")).unwrap(), at("docs"));
        assert_eq!(world.lstat(&at("notes.md/x")), Err(LookError::NotFound));
        assert_eq!(world.lstat(Path::new("/home/me/there/")).unwrap().kind, FileKind::Directory);
    }

    #[test]
    fn names_of_one_file_count_as_links() {
        let world = MemoryWorld::new().file("/a", "x").hard_link("/b", "/a");
        assert_eq!(world.lstat(Path::new("/a")).unwrap().links, 2);
        assert_eq!(world.lstat(Path::new("/a")).unwrap().id, world.lstat(Path::new("/b")).unwrap().id);
    }

    #[test]
    fn directories_list_only_their_own_entries() {
        let world = MemoryWorld::new().file("/d/a/deep", "").file("/d/b", "").file("/da", "");
        let names: Vec<_> = world.read_dir(Path::new("/d"), 9).unwrap().into_iter().map(|e| e.name).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(world.read_dir(Path::new("/d"), 1), Err(LookError::TooLarge));
        assert_eq!(world.read_dir(Path::new("/d/b"), 1), Err(LookError::NotFound));
    }

    #[test]
    fn permissions_are_those_of_one_user() {
        let world = MemoryWorld::new().file("/s/f", "").mode("/s", 0o000).file("/t/f", "").owner("/t", 0);
        assert_eq!(world.lstat(Path::new("/s/f")), Err(LookError::Denied));
        assert!(!world.writable(Path::new("/t")));
        assert!(world.as_uid(0).writable(Path::new("/t")));
    }
}
