//! What a point holds of a file's content, and whether what stands somewhere now is that.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::attest::disk::check_dir;
use crate::keep::{Content, Head, Item, Name, Progress, StoreError, Was, copy_content, create, open, share};

/// Bytes that are compared at once.
const CHUNK: usize = 1 << 16;

/// Where things are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// At their places.
    There,
    /// Below another directory: what stands there are copies, which share nothing with what was kept.
    Beside,
}

/// The content that a point holds.
#[derive(Debug)]
pub(super) struct Kept {
    folders: Vec<Name>,
    /// Files that hold the content of many.
    packs: RefCell<HashMap<(u8, u32), Rc<File>>>,
}

impl Kept {
    /// Of a point, whose folders must be this user's alone.
    pub(super) fn of(head: &Head) -> Result<Self, StoreError> {
        for folder in &head.folders {
            check_dir(&folder.0)?;
            if let Some(above) = folder.0.parent() {
                check_dir(above)?;
            }
        }
        Ok(Self { folders: head.folders.clone(), packs: RefCell::default() })
    }

    /// Where something stands.
    pub(super) fn place(&self, folder: u8, number: u32) -> io::Result<PathBuf> {
        let folder = self.folders.get(usize::from(folder));
        let folder = folder.ok_or_else(|| io::Error::other("the recovery point names no such folder"))?;
        Ok(folder.0.join(number.to_string()))
    }

    /// What the system says of the file itself, where it has a further name here.
    pub(super) fn itself(&self, was: &Was) -> Option<(PathBuf, Metadata)> {
        let (folder, number) = match was {
            Was::File { content: Content::Linked(folder, number), .. } => (*folder, *number),
            Was::File { twin: Some((folder, number)), .. } => (*folder, *number),
            _ => return None,
        };
        let place = self.place(folder, number).ok()?;
        let meta = fs::symlink_metadata(&place).ok().filter(Metadata::is_file)?;
        Some((place, meta))
    }

    /// Whether the point has no content for something any more: that went back to its place when the point was undone.
    pub(super) fn has_lost(&self, was: &Was) -> bool {
        let Was::File { content, .. } = was else { return false };
        match content {
            Content::Here(_) => false,
            Content::Packed(folder, number, _)
            | Content::Stored(folder, number)
            | Content::Linked(folder, number) => self
                .place(*folder, *number)
                .and_then(fs::symlink_metadata)
                .is_err_and(|error| error.kind() == io::ErrorKind::NotFound),
        }
    }

    fn pack(&self, folder: u8, number: u32) -> io::Result<Rc<File>> {
        if let Some(known) = self.packs.borrow().get(&(folder, number)) {
            return Ok(Rc::clone(known));
        }
        let file = Rc::new(opened(&self.place(folder, number)?)?);
        self.packs.borrow_mut().insert((folder, number), Rc::clone(&file));
        Ok(file)
    }

    /// Writes content into an empty file.
    pub(super) fn write(
        &self,
        content: &Content,
        size: u64,
        into: &mut File,
        progress: &Progress,
    ) -> io::Result<()> {
        match content {
            Content::Here(text) => into.write_all(&STANDARD.decode(text).map_err(io::Error::other)?),
            Content::Packed(folder, number, at) => {
                let mut bytes = vec![0_u8; usize::try_from(size).map_err(io::Error::other)?];
                self.pack(*folder, *number)?.read_exact_at(&mut bytes, *at)?;
                into.write_all(&bytes)
            }
            Content::Stored(folder, number) | Content::Linked(folder, number) => {
                let mut from = opened(&self.place(*folder, *number)?)?;
                if !share(&from, into) {
                    copy_content(&mut from, into, progress)?;
                }
                Ok(())
            }
        }
    }

    /// The content itself.
    pub(super) fn bytes(&self, content: &Content, size: u64) -> io::Result<Vec<u8>> {
        match content {
            Content::Here(text) => STANDARD.decode(text).map_err(io::Error::other),
            Content::Packed(folder, number, at) => {
                let mut bytes = vec![0_u8; usize::try_from(size).map_err(io::Error::other)?];
                self.pack(*folder, *number)?.read_exact_at(&mut bytes, *at)?;
                Ok(bytes)
            }
            Content::Stored(folder, number) | Content::Linked(folder, number) => {
                let mut bytes = Vec::new();
                opened(&self.place(*folder, *number)?)?.take(size).read_to_end(&mut bytes)?;
                Ok(bytes)
            }
        }
    }

    /// Makes a new private file with this content.
    pub(super) fn make(
        &self,
        content: &Content,
        size: u64,
        at: &Path,
        progress: &Progress,
    ) -> io::Result<File> {
        let mut file = create(at)?;
        self.write(content, size, &mut file, progress)?;
        Ok(file)
    }

    /// Whether a file that stands somewhere holds the content of an item.
    pub(super) fn is_in(&self, item: &Item, at: &Path, meta: &Metadata, place: Where) -> bool {
        let Was::File { size, content, .. } = &item.was else { return false };
        if let Content::Linked(..) = content {
            match self.itself(&item.was) {
                // The very file: nobody took it away.
                Some((_, itself)) if (itself.dev(), itself.ino()) == (meta.dev(), meta.ino()) => return true,
                // Another file by now; one with several names is more than what stood there.
                Some((_, itself))
                    if itself.len() != meta.len() || place == Where::There && meta.nlink() > 1 =>
                {
                    return false;
                }
                Some(_) => {}
                // It went back to its place, which is known only by what is said about it.
                None => return meta.len() == *size && times(meta).0 == item.modified,
            }
        } else if meta.len() != *size {
            return false;
        }
        if item.seen == Some((meta.ino(), meta.ctime(), times(meta).1)) && times(meta).0 == item.modified {
            return true;
        }
        self.agree(content, meta.len(), at, |kept, now| kept == now).unwrap_or(false)
    }

    /// Whether what stands at an item's place is its content as far as it was written when somebody was killed: the rest is
    /// missing, or a hole.
    pub(super) fn has_begun(&self, item: &Item) -> bool {
        let Was::File { content, size, .. } = &item.was else { return false };
        let at = &item.path.0;
        let part = |kept: &[u8], now: &[u8]| kept.iter().zip(now).all(|(kept, now)| kept == now || *now == 0);
        fs::symlink_metadata(at).is_ok_and(|meta| meta.is_file() && meta.len() <= *size)
            && self.agree(content, *size, at, part).unwrap_or(false)
    }

    /// Whether each part of a file is as it has to be, beside the same part of what is kept.
    fn agree(
        &self,
        content: &Content,
        size: u64,
        at: &Path,
        is: fn(&[u8], &[u8]) -> bool,
    ) -> io::Result<bool> {
        // It may be the name of an open file, which is a link.
        let mut now = File::open(at)?;
        match content {
            Content::Here(text) => {
                let kept = STANDARD.decode(text).map_err(io::Error::other)?;
                same(&mut now, |at, part| {
                    let start = usize::try_from(at).unwrap_or(usize::MAX);
                    Ok(kept.get(start..start.saturating_add(part.len())).is_some_and(|kept| is(kept, part)))
                })
            }
            Content::Packed(folder, number, from) => {
                let pack = self.pack(*folder, *number)?;
                same(&mut now, |at, part| {
                    let mut kept = vec![0_u8; part.len()];
                    pack.read_exact_at(&mut kept, from + at)?;
                    Ok(at + part.len() as u64 <= size && is(&kept, part))
                })
            }
            Content::Stored(folder, number) | Content::Linked(folder, number) => {
                let file = opened(&self.place(*folder, *number)?)?;
                same(&mut now, |at, part| {
                    let mut kept = vec![0_u8; part.len()];
                    file.read_exact_at(&mut kept, at)?;
                    Ok(is(&kept, part))
                })
            }
        }
    }
}

/// Compares a file part by part.
fn same(now: &mut File, mut is: impl FnMut(u64, &[u8]) -> io::Result<bool>) -> io::Result<bool> {
    let mut part = vec![0_u8; CHUNK];
    let mut at = 0;
    loop {
        let read = now.read(&mut part)?;
        if read == 0 {
            return Ok(true);
        }
        if !is(at, &part[..read])? {
            return Ok(false);
        }
        at += read as u64;
    }
}

/// Opens content in the store, and says it in words when it is not there any more.
fn opened(path: &Path) -> io::Result<File> {
    open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::other(
            "its content is not in the recovery point any more: it went back to its place when that was undone",
        ),
        _ => error,
    })
}

/// Last change of content, and the nanoseconds of the last change of anything.
fn times(meta: &Metadata) -> ((i64, u32), u32) {
    let nanoseconds = |part: i64| u32::try_from(part).unwrap_or(0);
    ((meta.mtime(), nanoseconds(meta.mtime_nsec())), nanoseconds(meta.ctime_nsec()))
}
