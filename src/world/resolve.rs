//! Which place a path names: the one resolver of `..` and of links.
//!
//! The kernel follows what stands before `..` and then goes up; only a shell's own `cd` takes `..` away by the text. So
//! `..` is kept until it is known whether a symbolic link stands before it. Paths without `..` are not looked at.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::{FileKind, LookError, World};

/// Links on the way that are followed before it counts as a circle; the kernel's own number.
const CIRCLE: usize = 40;

/// Whether a path is a symbolic link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// None: something else stands there, or nothing.
    None,
    /// It leads there, as written in it.
    To(PathBuf),
    /// It cannot be told.
    Unknown,
}

/// Who can tell about links.
pub trait Links {
    /// Whether an absolute path is a symbolic link. Links above its last component are followed.
    fn link(&self, path: &Path) -> Link;
}

/// The links of the machine as it is.
pub struct Disk<'a>(
    /// Where it is looked.
    pub &'a dyn World,
);

impl Links for Disk<'_> {
    fn link(&self, path: &Path) -> Link {
        match self.0.lstat(path) {
            // A name that is no valid text may be that of several.
            Err(LookError::NotFound) if path.to_string_lossy().contains(char::REPLACEMENT_CHARACTER) => {
                Link::Unknown
            }
            Ok(meta) if meta.kind == FileKind::Symlink => {
                self.0.read_link(path).map_or(Link::Unknown, Link::To)
            }
            Ok(_) | Err(LookError::NotFound | LookError::Loop) => Link::None,
            Err(_) => Link::Unknown,
        }
    }
}

/// What others tell about links, each asked once: the same directories are on the way to most paths of a command.
pub struct Remembered<L> {
    links: L,
    known: RefCell<HashMap<PathBuf, Link>>,
}

impl<L: Links> Remembered<L> {
    /// Nothing is known yet.
    pub fn new(links: L) -> Self {
        Self { links, known: RefCell::default() }
    }
}

impl<L: Links> Links for Remembered<L> {
    fn link(&self, path: &Path) -> Link {
        if let Some(known) = self.known.borrow().get(path) {
            return known.clone();
        }
        let found = self.links.link(path);
        self.known.borrow_mut().insert(path.to_owned(), found.clone());
        found
    }
}

/// A path whose `..` are the text's alone: for a place that is not looked at, and for a shell's own `cd`.
pub fn logical(path: &Path) -> PathBuf {
    if is_plain(path) {
        return path.to_owned();
    }
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The path without `.` and `..` that the kernel would go to; links behind the last `..` are left as they are named. `None` when what stands
/// before a `..` cannot be told.
pub fn resolve(path: &Path, links: &dyn Links) -> Option<PathBuf> {
    if is_plain(path) {
        return Some(path.to_owned());
    }
    // `link/.` is the directory that the link leads to.
    let bytes = path.as_os_str().as_encoded_bytes();
    let inside = bytes.ends_with(b"/.") || bytes.ends_with(b"/./");
    walk(path, links, inside, &mut 0)
}

/// The path with every link in it followed, the last one only if `last`. `None` when one cannot be told.
pub fn physical(path: &Path, links: &dyn Links, last: bool) -> Option<PathBuf> {
    let mut followed = 0;
    if last {
        return walk(path, links, true, &mut followed);
    }
    let path = resolve(path, links)?;
    match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) => Some(walk(above, links, true, &mut followed)?.join(name)),
        _ => Some(path),
    }
}

/// Nothing to take out, seen by the bytes alone: most paths.
fn is_plain(path: &Path) -> bool {
    let mut parts = path.as_os_str().as_encoded_bytes().split(|byte| *byte == b'/');
    parts.next() == Some(b"") && parts.all(|part| !matches!(part, b"" | b"." | b".."))
}

fn walk(path: &Path, links: &dyn Links, all: bool, followed: &mut usize) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !all {
                    out = walk(&out, links, true, followed)?;
                }
                out.pop();
            }
            other => {
                out.push(other);
                if all {
                    out = follow(out, links, followed)?;
                }
            }
        }
    }
    Some(out)
}

/// Where the last component leads, when it is a link.
fn follow(path: PathBuf, links: &dyn Links, followed: &mut usize) -> Option<PathBuf> {
    let mut path = path;
    while path.file_name().is_some() {
        match links.link(&path) {
            Link::None => break,
            Link::Unknown => return None,
            Link::To(target) => {
                *followed += 1;
                if *followed > CIRCLE {
                    return None;
                }
                let from = path.parent().unwrap_or(Path::new("/")).join(target);
                path = walk(&from, links, true, followed)?;
            }
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    fn world() -> MemoryWorld {
        MemoryWorld::new()
            .dir("/h/docs/deep")
            .dir("/h/p/real")
            .link("/h/p/link", "../docs/deep")
            .link("/h/p/twice", "link")
            .link("/h/p/round", "round")
            .link("/h/p/gone", "nowhere/below")
    }

    fn at(text: &str) -> Option<String> {
        let world = world();
        Some(resolve(Path::new(text), &Disk(&world))?.display().to_string())
    }

    #[test]
    fn the_parent_of_a_link_is_where_it_leads() {
        for (text, want) in [
            ("/h/p/link/../x", "/h/docs/x"),
            ("/h/p/twice/../x", "/h/docs/x"),
            ("/h/p/link/../../p/real/../x", "/h/p/x"),
            ("/h/p/real/../x", "/h/p/x"),
            ("/h/p/absent/../x", "/h/p/x"),
            ("/h/p/gone/../x", "/h/p/nowhere/x"),
            ("/h/p/./link//x", "/h/p/link/x"),
            ("/h/p/link/x", "/h/p/link/x"),
            ("/h/p/link", "/h/p/link"),
            ("/h/p/link/", "/h/p/link"),
            ("/h/p/link/.", "/h/docs/deep"),
            ("/../../x", "/x"),
        ] {
            assert_eq!(at(text).as_deref(), Some(want), "{text}");
        }
        assert_eq!(at("/h/p/round/../x"), None);
        assert_eq!(at("/h/p/r\u{fffd}/../x"), None);
    }

    #[test]
    fn all_links_are_followed_where_that_is_asked() {
        let world = world();
        let to = |text: &str, last| physical(Path::new(text), &Disk(&world), last);
        assert_eq!(to("/h/p/link/x", true), Some("/h/docs/deep/x".into()));
        assert_eq!(to("/h/p/twice", false), Some("/h/p/twice".into()));
        assert_eq!(to("/h/p/twice", true), Some("/h/docs/deep".into()));
        assert_eq!(to("/h/p/round", true), None);
    }

    #[test]
    fn a_shell_goes_up_by_the_text() {
        assert_eq!(logical(Path::new("/h/p/link/../x//./y")), Path::new("/h/p/x/y"));
        assert_eq!(logical(Path::new("/h/p")), Path::new("/h/p"));
    }
}
