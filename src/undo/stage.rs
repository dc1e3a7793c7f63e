//! Making what comes back, beside its place: nothing that stands anywhere is touched before all of it is made.
//!
//! A tree that is gone is made whole beside its place, so that one change of names brings it back.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use nix::sys::stat::SFlag;

use crate::keep::{Content, Item, Progress, UNDER_WAY, Was};

use super::Step;
use super::compare::has_changed;
use super::dirs::{Dir, Dirs, split};
use super::kept::Kept;
use super::rights;

/// Files and directories that are brought to the disk one by one; more are brought there together with all else.
const FEW: usize = 32;

/// One thing to do, once all is made. Names are beside each other in one directory.
#[derive(Debug)]
pub(super) enum Act<'a> {
    /// What was made gets its name.
    Place {
        /// What comes back.
        item: &'a Item,
        /// Its name while it is made.
        made: OsString,
        /// Something else has its name now.
        over: bool,
    },
    /// What stands there goes.
    Remove {
        /// The place.
        item: &'a Item,
        /// Its name until it is gone.
        aside: OsString,
    },
    /// Content is written into the very file, which has other names.
    Rewrite(&'a Item),
    /// Mode, owner, attributes, time.
    Rights(&'a Item),
}

impl Act<'_> {
    pub(super) fn item(&self) -> &Item {
        match self {
            Self::Place { item, .. }
            | Self::Remove { item, .. }
            | Self::Rewrite(item)
            | Self::Rights(item) => item,
        }
    }
}

/// What it is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// All of the point goes back to its place; nobody needs the point afterwards.
    Whole,
    /// Some of it goes back.
    Part,
    /// It is written to another place.
    Beside,
}

/// What could not be made, and why.
pub(super) type Failed = (PathBuf, String);

/// A directory that is being made.
struct Open<'a> {
    path: PathBuf,
    dir: Rc<Dir>,
    /// What it becomes, and where it stands while it is made; none: it stands already.
    new: Option<(&'a Item, Rc<Dir>, OsString)>,
}

/// What is being made.
pub(super) struct Stage<'a> {
    kept: &'a Kept,
    /// What names under way begin with.
    mark: String,
    purpose: Purpose,
    dirs: Dirs,
    open: Vec<Open<'a>>,
    /// One file of each group that stands or was made: where, and its device and number.
    groups: HashMap<u32, (PathBuf, (u64, u64))>,
    /// What is to be done.
    pub(super) acts: Vec<Act<'a>>,
    /// What came back otherwise than it was, and why.
    pub(super) remarks: Vec<Failed>,
    made: usize,
    /// Tells whoever waits.
    pub(super) progress: Progress,
}

/// What the names of a point's undo begin with while it is under way.
pub(super) fn mark(id: &str) -> String {
    format!("{UNDER_WAY}{id}-")
}

impl<'a> Stage<'a> {
    pub(super) fn new(kept: &'a Kept, id: &str, purpose: Purpose) -> Self {
        Self {
            kept,
            mark: mark(id),
            purpose,
            dirs: Dirs::default(),
            open: Vec::new(),
            groups: HashMap::new(),
            acts: Vec::new(),
            remarks: Vec::new(),
            made: 0,
            progress: Progress::at_terminal("undoing"),
        }
    }

    /// Makes everything that comes back. Items are sorted by path.
    pub(super) fn all(&mut self, steps: &'a [(Item, Step)]) -> Result<(), Failed> {
        for (item, _) in steps.iter().filter(|(_, step)| matches!(step, Step::Same | Step::Rights)) {
            if let (Some(group), Ok(meta)) = (item.group(), fs::symlink_metadata(&item.path.0)) {
                self.groups.entry(group).or_insert((item.path.0.clone(), (meta.dev(), meta.ino())));
            }
        }
        let mut gone: Option<&Path> = None;
        for (item, step) in steps {
            let path = item.path.0.as_path();
            if gone.is_some_and(|gone| path.starts_with(gone)) {
                continue;
            }
            match step {
                Step::Same => {}
                Step::Rights => self.acts.push(Act::Rights(item)),
                Step::Gone => {
                    gone = Some(path);
                    let aside = self.name();
                    self.acts.push(Act::Remove { item, aside });
                }
                Step::Back | Step::Replaced => {
                    // What stands below a directory goes with it.
                    if *step == Step::Replaced && item.was != Was::Directory {
                        gone = Some(path);
                    }
                    self.one(item, *step).map_err(|error| (path.to_owned(), error.to_string()))?;
                }
            }
        }
        while !self.open.is_empty() {
            self.close()?;
        }
        self.dirs.forget();
        if self.made > FEW {
            self.flush();
        }
        Ok(())
    }

    /// A name beside a place.
    fn name(&self) -> OsString {
        OsString::from(format!("{}{}", self.mark, self.acts.len()))
    }

    fn one(&mut self, item: &'a Item, step: Step) -> io::Result<()> {
        let (parent, name) = split(&item.path.0)?;
        while self.open.last().is_some_and(|open| open.path != parent) {
            self.close().map_err(|(_, why)| io::Error::other(why))?;
        }
        if let Some(open) = self.open.last() {
            let dir = Rc::clone(&open.dir);
            return self.make(item, &dir, name);
        }
        let dir = self.dirs.open(parent)?;
        if step == Step::Replaced && self.is_rewritten(item, &dir, name)? {
            self.acts.push(Act::Rewrite(item));
            return Ok(());
        }
        let made = self.name();
        // Noted first: what is half made is taken away again.
        self.acts.push(Act::Place { item, made: made.clone(), over: step == Step::Replaced });
        self.make(item, &dir, &made)
    }

    /// A file with names that stay is written into: else those would lead to something else.
    fn is_rewritten(&self, item: &Item, dir: &Dir, name: &OsStr) -> io::Result<bool> {
        let Was::File { twin: Some(_), .. } = &item.was else { return Ok(false) };
        let (Some(thing), Some((_, itself))) = (dir.thing(name)?, self.kept.itself(&item.was)) else {
            return Ok(false);
        };
        let same = (thing.meta.dev(), thing.meta.ino()) == (itself.dev(), itself.ino());
        Ok(self.purpose != Purpose::Beside && same && itself.nlink() > 2)
    }

    /// Makes one thing under a name.
    fn make(&mut self, item: &'a Item, dir: &Rc<Dir>, name: &OsStr) -> io::Result<()> {
        let at = dir.at(name);
        self.made += 1;
        match &item.was {
            Was::Directory => {
                // Nobody else looks in before all is back.
                DirBuilder::new().mode(0o700).create(&at)?;
                self.open.push(Open {
                    path: item.path.0.clone(),
                    dir: Rc::new(dir.enter(name)?),
                    new: Some((item, Rc::clone(dir), name.to_owned())),
                });
                return Ok(());
            }
            Was::Link(target) => symlink(&target.0, &at)?,
            Was::Pipe => nix::unistd::mkfifo(&at, nix::sys::stat::Mode::from_bits_truncate(0o600))
                .map_err(|error| io::Error::from_raw_os_error(error as i32))?,
            Was::Device { blocks, number } => {
                let kind = if *blocks { SFlag::S_IFBLK } else { SFlag::S_IFCHR };
                nix::sys::stat::mknod(&at, kind, nix::sys::stat::Mode::from_bits_truncate(0o600), *number)
                    .map_err(|error| io::Error::from_raw_os_error(error as i32))?;
            }
            Was::File { .. } => self.file(item, dir, name, &at)?,
            Was::Absent | Was::Around | Was::Rights | Was::RightsAndTime | Was::Service(_) => return Ok(()),
        }
        rights::give(item, dir, name)
    }

    fn file(&mut self, item: &'a Item, dir: &Dir, name: &OsStr, at: &Path) -> io::Result<()> {
        let Was::File { content, size, twin, .. } = &item.was else { return Ok(()) };
        self.progress.file();
        if let Some((place, itself)) = self.kept.itself(&item.was)
            && (self.purpose != Purpose::Beside
                && twin.is_some()
                && itself.nlink() > 1
                && !has_changed(item, &itself))
            && fs::hard_link(&place, at).is_ok()
        {
            self.note(item, dir, name)?;
            return Ok(());
        }
        if let Some(known) = item.group().and_then(|group| self.groups.get(&group))
            && fs::hard_link(&known.0, at).is_ok()
        {
            let meta = fs::symlink_metadata(at)?;
            if (meta.dev(), meta.ino()) == known.1 {
                return Ok(());
            }
            fs::remove_file(at)?;
        }
        if let (Content::Linked(..), Some((place, itself))) = (content, self.kept.itself(&item.was)) {
            let alone = itself.nlink() == 1;
            if !alone && has_changed(item, &itself) {
                let why = "it came back, but it was written into under another name since";
                self.remarks.push((item.path.0.clone(), why.to_owned()));
            }
            if self.purpose == Purpose::Whole && alone && fs::hard_link(&place, at).is_ok() {
                return self.note(item, dir, name);
            }
        }
        let file = self.kept.make(content, *size, at, &self.progress)?;
        if self.made <= FEW {
            file.sync_all()?;
        }
        self.note(item, dir, name)
    }

    /// Notes the file that further names of a group lead to.
    fn note(&mut self, item: &Item, dir: &Dir, name: &OsStr) -> io::Result<()> {
        if let Some(group) = item.group() {
            let meta = fs::symlink_metadata(dir.at(name))?;
            self.groups.insert(group, (dir.path.join(name), (meta.dev(), meta.ino())));
        }
        Ok(())
    }

    /// A directory has all that stands in it: now it becomes what it was.
    fn close(&mut self) -> Result<(), Failed> {
        let Some(Open { dir, new: Some((item, above, name)), .. }) = self.open.pop() else { return Ok(()) };
        let wrong = |error: io::Error| (item.path.0.clone(), error.to_string());
        if self.made <= FEW {
            dir.sync().map_err(wrong)?;
        }
        drop(dir);
        rights::give(item, &above, &name).and_then(|()| above.touch(&name, item.modified)).map_err(wrong)
    }

    /// Brings many things to the disk at once.
    fn flush(&self) {
        let mut devices = Vec::new();
        for act in &self.acts {
            let Some(parent) = act.item().path.0.parent() else { continue };
            let Ok(dir) = File::open(parent) else { continue };
            let Ok(meta) = dir.metadata() else { continue };
            if !devices.contains(&meta.dev()) {
                devices.push(meta.dev());
                sync_file_system(&dir);
            }
        }
    }

    /// Takes away what was made.
    pub(super) fn clear(&mut self) {
        self.open.clear();
        for act in &self.acts {
            if let Act::Place { item, made, .. } = act
                && let Ok((parent, _)) = split(&item.path.0)
                && let Ok(dir) = self.dirs.open(parent)
            {
                let _ = dir.remove(made);
            }
        }
        self.dirs.forget();
    }
}

#[cfg(target_os = "linux")]
fn sync_file_system(dir: &File) {
    let _ = rustix::fs::syncfs(dir);
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(_dir: &File) {
    nix::unistd::sync();
}
