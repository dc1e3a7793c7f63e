//! What was judged is what is read: whoever opens a file that the judgement followed gets the bytes that were judged, under the
//! name that it used, whatever took that name since.
//!
//! Owns the copies, and the answers to questions about reading. Of a script or a makefile the first reader gets a sealed copy;
//! who opens it once more may want the file itself (to lock it), and gets that while it is what it was. What the command itself
//! changes is its own from then on.

use std::collections::HashSet;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{Read, Write};
use std::mem::take;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::libc;
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::{Mode, fchmod, futimens};
use nix::sys::time::TimeSpec;

use crate::attest::document::hex;
use crate::model::{Material, Part};
use crate::text::escape;
use crate::world::sha256;

use super::asked;
use super::kernel::{self, Act, Listener, Named, Question};
use super::places;

/// Largest script of which a copy is made.
const COPIED: u64 = 64 << 20;
/// So many copies are open at once; further files are compared when they are opened.
const COPIES: usize = 128;
/// Largest file that is compared while a program waits for it.
const COMPARED: u64 = 1 << 30;

/// A file that is not what was judged, in words.
#[derive(Debug)]
pub(crate) struct NotBound(pub(crate) String);

/// The files that a judgement rests on, while the command runs that was judged.
#[derive(Debug)]
pub(crate) struct Bound {
    pieces: Vec<Piece>,
    /// The last parts of their names: nothing else is looked at.
    names: HashSet<OsString>,
    /// The words that the command starts with, each with a zero behind it, where the first line of a script decides on them.
    begins: Option<Vec<u8>>,
    /// What there is to tell people.
    said: Vec<String>,
    /// The command was ended for it.
    stopped: bool,
}

/// One file.
#[derive(Debug)]
struct Piece {
    /// As the judgement names it.
    path: PathBuf,
    /// The same, the way to it resolved.
    place: PathBuf,
    /// Where it leads.
    real: PathBuf,
    /// Other ways to it, over links that were followed when it was judged.
    ways: Vec<PathBuf>,
    digest: String,
    stood: Identity,
    copy: Option<File>,
    /// Who got the copy, by their words.
    readers: HashSet<Vec<u8>>,
    /// The command itself has changed it.
    its_own: bool,
}

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    file: (u64, u64),
    size: u64,
    changed: (i64, i64),
}

impl Identity {
    fn of(meta: &Metadata) -> Self {
        Self { file: (meta.dev(), meta.ino()), size: meta.size(), changed: (meta.ctime(), meta.ctime_nsec()) }
    }
}

impl Bound {
    /// Ready to hand out what these files held when they were judged; none, where there is nothing of that sort. What is only
    /// read, and where the links lead, has to be compared with what was judged after this.
    ///
    /// # Errors
    /// The first that is not any more what was judged.
    pub(crate) fn new(
        materials: &[Material],
        links: &[(PathBuf, PathBuf)],
    ) -> Result<Option<Self>, NotBound> {
        let links: Vec<(&PathBuf, PathBuf)> =
            links.iter().filter_map(|(at, _)| Some((at, fs::canonicalize(at).ok()?))).collect();
        let mut pieces: Vec<Piece> = Vec::new();
        for material in materials.iter().filter(|one| matches!(one.part, Part::Script | Part::Data)) {
            let Some(digest) = &material.sha256 else { continue };
            if let Some(known) = pieces.iter().position(|one| one.path == material.path) {
                if pieces[known].copy.is_none() && material.part == Part::Script {
                    pieces.remove(known);
                } else {
                    continue;
                }
            }
            let room = pieces.iter().filter(|one| one.copy.is_some()).count() < COPIES;
            pieces.extend(Piece::new(material, digest, room)?);
        }
        for piece in &mut pieces {
            let over = |(at, end): &(&PathBuf, PathBuf)| {
                let rest = piece.real.strip_prefix(end).ok()?;
                Some(if rest.as_os_str().is_empty() { (*at).clone() } else { at.join(rest) })
            };
            piece.ways = links.iter().filter_map(over).collect();
        }
        let names = pieces.iter().flat_map(|one| [&one.path, &one.real].into_iter().chain(&one.ways));
        let names = names.filter_map(|path| Some(path.file_name()?.to_owned())).collect();
        Ok((!pieces.is_empty()).then_some(Self {
            pieces,
            names,
            begins: None,
            said: Vec::new(),
            stopped: false,
        }))
    }

    /// The program is this script, called by this word, with these words behind it: what the system starts is what its first
    /// line said when it was judged.
    pub(crate) fn starts(&mut self, path: &Path, called: &OsStr, words: &[OsString]) {
        let Some(copy) = self.pieces.iter().find(|one| one.path == path).and_then(|one| one.copy.as_ref())
        else {
            return;
        };
        let Some(first) = first_line(copy) else { return };
        let called = [called.as_bytes()].into_iter().chain(words.iter().map(|word| word.as_bytes()));
        let all: Vec<Vec<u8>> = first.into_iter().chain(called.map(<[u8]>::to_vec)).collect();
        self.begins = Some(all.into_iter().flat_map(|word| word.into_iter().chain([0])).collect());
    }

    /// What has to stay open.
    pub(crate) fn open(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.pieces.iter().filter_map(|one| one.copy.as_ref().map(AsFd::as_fd))
    }

    /// What there is to tell people since it was asked last.
    pub(crate) fn said(&mut self) -> Vec<String> {
        take(&mut self.said)
    }

    /// Whether the command was ended because it is not what was judged.
    pub(crate) fn has_stopped_it(&self) -> bool {
        self.stopped
    }

    /// Answers a question about reading; whether it was one.
    pub(super) fn answers(&mut self, listener: &Listener, question: &Question) -> bool {
        if let Some(begins) = self.begins.take()
            && let Ok(words) = fs::read(format!("/proc/{}/cmdline", question.thread))
            && words != begins
            && listener.waits(question)
        {
            self.said.push("its first line changed after it was judged: nothing of it ran".to_owned());
            self.stopped = true;
            let _ = kill(question.thread, Signal::SIGKILL);
            return true;
        }
        match question.act {
            Some(Act::Read(named, alone)) => {
                if !self.reads(listener, question, named, alone) {
                    listener.go_on(question);
                }
                true
            }
            Some(Act::Add(named)) => {
                let path = places::named(question.thread, named).and_then(|path| places::end(&path));
                self.has_changed(path.as_deref());
                listener.go_on(question);
                true
            }
            _ => {
                self.follow(question);
                false
            }
        }
    }

    /// Whether it was one of these files, and was answered.
    fn reads(&mut self, listener: &Listener, question: &Question, named: Named, alone: bool) -> bool {
        let thread = question.thread;
        let known = kernel::text(thread, named.text).and_then(|text| {
            let path = PathBuf::from(OsString::from_vec(text));
            path.file_name().map(|name| self.names.contains(name))
        });
        // What cannot be read cannot be opened either.
        if known != Some(true) {
            return false;
        }
        let Some(path) = places::named(thread, named) else { return false };
        // Where nothing stands something may stand in a moment.
        let meta = fs::metadata(&path).ok();
        let Some(piece) = self.pieces.iter_mut().find(|one| one.is_at(&path) && !one.its_own) else {
            return false;
        };
        let same = meta.as_ref().is_some_and(|meta| Identity::of(meta) == piece.stood);
        let reader = || fs::read(format!("/proc/{thread}/cmdline")).unwrap_or_default();
        if let Some(copy) = &piece.copy
            && (!same || piece.readers.insert(reader()))
            && let Ok(copy) = File::open(format!("/proc/self/fd/{}", copy.as_raw_fd()))
            && listener.hand(question, copy.as_fd(), alone)
        {
            if !same {
                let shown = escape(&piece.path.to_string_lossy());
                let told = format!("{shown} changed after it was judged: it was read as it was judged");
                if !self.said.contains(&told) {
                    self.said.push(told);
                }
            }
            return true;
        }
        if same || piece.is_still(&path) {
            piece.stood = meta.as_ref().map_or(piece.stood, Identity::of);
            return false;
        }
        let shown = escape(&piece.path.to_string_lossy());
        self.said.push(format!("{shown} changed after it was judged: reading it was refused"));
        listener.refuse(question);
        true
    }

    /// Notes what the command changes itself.
    fn follow(&mut self, question: &Question) {
        match question.act {
            Some(Act::Rename(one, other, _) | Act::Exchange(one, other)) => {
                for named in [one, other] {
                    self.has_changed(asked::name(question, named).as_deref());
                }
            }
            Some(Act::Link(_, to, _)) => self.has_changed(asked::name(question, to).as_deref()),
            Some(Act::Read(..) | Act::Add(_) | Act::Rights(_) | Act::RightsOf(_)) | None => {}
            Some(Act::Write(_) | Act::Cut(_) | Act::Remove(_)) => {
                for (path, _) in asked::touched(question) {
                    self.has_changed(Some(&path));
                }
            }
        }
    }

    fn has_changed(&mut self, path: Option<&Path>) {
        let Some(path) = path else { return };
        let below = |one: &&mut Piece| one.real.starts_with(path) || one.place.starts_with(path);
        self.pieces.iter_mut().filter(below).for_each(|one| one.its_own = true);
    }
}

impl Piece {
    /// None: no file, which nobody can hold on to.
    fn new(material: &Material, digest: &str, room: bool) -> Result<Option<Self>, NotBound> {
        let shown = || escape(&material.path.to_string_lossy());
        let wrong = |error: &dyn std::fmt::Display| {
            NotBound(format!("{} cannot be compared with what was judged: {error}", shown()))
        };
        let Ok(mut file) = opened(&material.path) else { return Ok(None) };
        let meta = file.metadata().map_err(|error| wrong(&error))?;
        let real = fs::canonicalize(&material.path).map_err(|error| wrong(&error))?;
        if !meta.is_file() {
            return Ok(None);
        }
        let copy = match room && material.part == Part::Script && meta.len() <= COPIED {
            true => Some(copied(&mut file, &meta, &material.path).map_err(|error| wrong(&error))?),
            false => None,
        };
        if let Some((_, held)) = &copy
            && held != digest
        {
            return Err(NotBound(format!("{} changed after it was judged", shown())));
        }
        Ok(Some(Self {
            place: places::name(&material.path).unwrap_or_else(|| real.clone()),
            path: material.path.clone(),
            real,
            ways: Vec::new(),
            digest: digest.to_owned(),
            stood: Identity::of(&meta),
            copy: copy.map(|(file, _)| file),
            readers: HashSet::new(),
            its_own: false,
        }))
    }

    /// Whether a path of a program means this file, or what took its place.
    fn is_at(&self, path: &Path) -> bool {
        [&self.path].into_iter().chain(&self.ways).any(|way| path.components().eq(way.components()))
            || places::end(path).is_some_and(|end| end == self.real)
            || places::name(path).is_some_and(|name| name == self.place)
    }

    fn is_still(&self, path: &Path) -> bool {
        let held = opened(path).ok().and_then(|file| sha256(&file, COMPARED).ok().flatten());
        held.is_some_and(|bytes| hex(&bytes) == self.digest)
    }
}

/// Opened without waiting for anybody: what took a file's name may be a pipe.
fn opened(path: &Path) -> std::io::Result<File> {
    File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

/// A sealed copy that looks like the file, and the digest of what it holds.
fn copied(file: &mut File, meta: &Metadata, path: &Path) -> std::io::Result<(File, String)> {
    let name = path.file_name().and_then(|name| CString::new(name.as_bytes()).ok()).unwrap_or_default();
    // The name is for who lists what is open, and may not be long.
    let name = if name.as_bytes().len() > 200 { CString::default() } else { name };
    let mut copy =
        File::from(memfd_create(name.as_c_str(), MFdFlags::MFD_ALLOW_SEALING | MFdFlags::MFD_CLOEXEC)?);
    let mut held = Vec::new();
    file.take(COPIED + 1).read_to_end(&mut held)?;
    copy.write_all(&held)?;
    fchmod(&copy, Mode::from_bits_truncate(meta.mode() & 0o7777))?;
    let time = |seconds: i64, part: i64| TimeSpec::new(seconds, part);
    futimens(&copy, &time(meta.atime(), meta.atime_nsec()), &time(meta.mtime(), meta.mtime_nsec()))?;
    let all =
        SealFlag::F_SEAL_WRITE | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_SEAL;
    fcntl(&copy, FcntlArg::F_ADD_SEALS(all))?;
    let held = sha256(&File::open(format!("/proc/self/fd/{}", copy.as_raw_fd()))?, COPIED + 1)?;
    Ok((copy, held.map(|bytes| hex(&bytes)).unwrap_or_default()))
}

/// What the system puts before a script's own name when it starts it: the program of its first line, and the rest of that line
/// as one word. None where that program is a script again, or the line is none that every system reads alike.
fn first_line(script: &File) -> Option<Vec<Vec<u8>>> {
    /// As much as Linux looks at.
    const START: usize = 256;
    let mut start = Vec::new();
    let file = File::open(format!("/proc/self/fd/{}", script.as_raw_fd())).ok()?;
    file.take(START as u64).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?;
    let line = line.get(..line.iter().position(|byte| *byte == b'\n')?)?;
    if line.contains(&0) {
        return None;
    }
    let blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
    let trimmed = |line: &[u8]| -> Vec<u8> {
        let from = line.iter().position(|byte| !blank(byte)).unwrap_or(line.len());
        let to = line.iter().rposition(|byte| !blank(byte)).map_or(from, |last| last + 1);
        line[from..to].to_vec()
    };
    let line = trimmed(line);
    let end = line.iter().position(blank).unwrap_or(line.len());
    let (program, rest) = (line[..end].to_vec(), trimmed(&line[end..]));
    let mut two = [0; 2];
    File::open(OsStr::from_bytes(&program)).ok()?.read_exact(&mut two).ok()?;
    if two == *b"#!" {
        return None;
    }
    Some([program].into_iter().chain((!rest.is_empty()).then_some(rest)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_is_read_as_the_system_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let rows: [(&str, Option<&[&str]>); 7] = [
            ("#!/bin/sh\ntrue\n", Some(&["/bin/sh"])),
            ("#! /bin/sh  -e \t\n", Some(&["/bin/sh", "-e"])),
            ("#!/usr/bin/env -S bash -x\n", Some(&["/usr/bin/env", "-S bash -x"])),
            ("#!/nowhere/sh\n", None),
            ("#!/bin/sh", None),
            ("true\n", None),
            ("", None),
        ];
        for (number, (text, expected)) in rows.into_iter().enumerate() {
            let path = folder.path().join(number.to_string());
            fs::write(&path, text).unwrap();
            let found = first_line(&File::open(&path).unwrap());
            let expected = expected.map(|words| words.iter().map(|word| word.as_bytes().to_vec()).collect());
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
