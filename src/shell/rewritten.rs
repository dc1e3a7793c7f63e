//! Files that hold something else than before this command: what is known of their text by now.
//!
//! A file that the command wrote, changed, unpacked or checked out is never judged by what it held before.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::order;

use super::files::Files;

/// What a file, or all below a directory, holds by now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Now {
    /// It was put there since: what is recorded of that holds.
    Recorded,
    /// Exactly this.
    Text(String),
    /// Nobody has read it.
    Unread,
    /// What a build made of these sources; none where they are not told.
    Built(Vec<PathBuf>),
    /// What git laid out, where it has the file.
    Laid(Laid),
}

/// Where git took what it laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Laid {
    /// Directory of the repository that is asked.
    pub repository: PathBuf,
    /// Directory from which names count.
    pub top: PathBuf,
    /// A commit or tree as git names it, nothing for the index; `None` when it is not known.
    pub from: Option<String>,
    /// Files that were changed and not committed stay as they are.
    pub carries: bool,
    /// A branch that is not here may be taken from a server's, as far as those are known.
    pub remote: bool,
}

/// What git moved so far, so that its names mean something else than before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    /// What servers have.
    pub remotes: bool,
    /// The commit that is checked out, and its branch.
    pub head: bool,
    /// Any name.
    pub all: bool,
    /// The index.
    pub index: bool,
}

/// By place, each with its turn: what came later counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts(BTreeMap<PathBuf, (usize, Now)>);

impl PartialEq for Texts {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len()
            && self.0.iter().zip(&other.0).all(|((a, (_, x)), (b, (_, y)))| a == b && x == y)
    }
}

impl Eq for Texts {}

impl Texts {
    fn put(&mut self, path: PathBuf, now: Now) {
        let turn = self.0.values().map(|(turn, _)| turn + 1).max().unwrap_or(0);
        self.0.insert(path, (turn, now));
    }

    /// What is said of a path, by itself or what it lies in, the latest first.
    fn of<'a>(&'a self, path: &Path) -> Vec<&'a Now> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<&(usize, Now)> = path.ancestors().filter_map(|at| self.0.get(at)).collect();
        order::by_key(&mut found, |(turn, _)| std::cmp::Reverse(*turn));
        found.into_iter().map(|(_, now)| now).collect()
    }
}

impl Files {
    /// Records what a place holds from now on.
    pub fn rewrite(&mut self, path: PathBuf, now: Now) {
        self.texts.put(path, now);
    }

    /// What is said of a path's text, the latest first; nothing where it is what it was.
    pub fn now(&self, path: &Path) -> Vec<&Now> {
        self.texts.of(path)
    }

    /// The text of a file that this command rewrote: `Some(None)` where it is not known, `None` where it is what is
    /// recorded otherwise.
    pub fn rewritten(&self, path: &Path) -> Option<Option<&str>> {
        match self.now(path).first()? {
            Now::Recorded | Now::Built(_) => None,
            Now::Text(text) => Some(Some(text)),
            Now::Unread | Now::Laid(_) => Some(None),
        }
    }

    /// Texts that this command wrote into files, with the files' names.
    pub(crate) fn written(&self) -> impl Iterator<Item = (&Path, &str)> {
        let texts = self.texts.0.iter().filter_map(|(path, (_, now))| match now {
            Now::Text(text) => Some((path.as_path(), text.as_str())),
            _ => None,
        });
        let made = self.iter().filter_map(|(path, state)| match state {
            super::FileState::Created { content: Some(text), directory: false } => {
                Some((path, text.as_str()))
            }
            _ => None,
        });
        texts.chain(made)
    }

    /// Something is put at a path: what was said of it, or of what it lies in, holds no more.
    pub(super) fn put_there(&mut self, path: &Path, directory: bool) {
        if self.texts.0.is_empty() {
            return;
        }
        self.texts.0.retain(|at, _| !at.starts_with(path));
        if !directory && !self.texts.of(path).is_empty() {
            self.texts.put(path.to_owned(), Now::Recorded);
        }
    }

    /// What is said of `from` and all below it, to be said of another place: the latest of each.
    pub fn said(&self, from: &Path) -> Vec<(PathBuf, Now)> {
        let own = self.now(from).first().map(|now| (PathBuf::new(), (*now).clone()));
        let below = self.texts.0.iter().filter(|(at, _)| at.starts_with(from) && at.as_path() != from);
        let below =
            below.filter_map(|(at, (_, now))| Some((at.strip_prefix(from).ok()?.to_owned(), now.clone())));
        own.into_iter().filter(|(_, now)| *now != Now::Recorded).chain(below).collect()
    }

    /// Says of `to` what [`Files::said`] told.
    pub fn say(&mut self, to: &Path, said: Vec<(PathBuf, Now)>) {
        for (rest, now) in said {
            let at = if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) };
            self.texts.put(at, now);
        }
    }

    /// Two ways come together: what is not the same in both is not known.
    pub(super) fn merge_texts(&mut self, other: &Self) {
        self.moved.remotes |= other.moved.remotes;
        self.moved.head |= other.moved.head;
        self.moved.all |= other.moved.all;
        self.moved.index |= other.moved.index;
        if self.texts == other.texts {
            return;
        }
        let places: Vec<PathBuf> = self.texts.0.keys().chain(other.texts.0.keys()).cloned().collect();
        for place in places {
            let (here, there) = (self.now(&place).first().copied(), other.now(&place).first().copied());
            if here == there {
                continue;
            }
            let now = match (here, there) {
                (Some(Now::Recorded) | None, Some(Now::Recorded) | None) => Now::Recorded,
                (Some(Now::Built(sources)), Some(Now::Recorded) | None)
                | (Some(Now::Recorded) | None, Some(Now::Built(sources))) => Now::Built(sources.clone()),
                (Some(Now::Laid(laid)), Some(Now::Recorded | Now::Laid(_)) | None)
                | (Some(Now::Recorded) | None, Some(Now::Laid(laid))) => {
                    Now::Laid(Laid { from: None, ..laid.clone() })
                }
                _ => Now::Unread,
            };
            self.texts.put(place, now);
        }
    }
}
