//! How content is stored: a second name where the name alone goes, shared blocks where the file system can, else a copy.
//!
//! A second name is given only to what nobody can write into once the command ran: a file all of whose names go. Where a name
//! stays outside, the content is copied, and the second name only tells later whether it is still the same file.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::content::{self, Folder, folder_elsewhere};
use super::files::{Ability, CannotKeep, Capture, Waiting, Way, io, is_absent};
use super::names;
use super::point::{Content, Was};
use super::tidy::note_elsewhere;

/// Content up to this size may stand in the point's own file.
const SMALL: u64 = 4096;
/// Bytes of content in the point's own file, at most.
pub(super) const HERE: u64 = 64 << 10;
/// Content up to this size is put together with others.
const PACKED: u64 = 64 << 10;
/// Files beyond which a second name for each is cheaper than reading them.
const FEW: usize = 24;
/// Bytes whose disk a command sets free by intention, beyond which that is not withheld when the disk is nearly full.
const WITHHELD: u64 = 64 << 20;
/// Bytes of one point that fill no disk: they are kept however full it is.
const LITTLE: u64 = 1 << 20;

/// What was stored of a file.
#[derive(Clone, Debug)]
struct Stored {
    size: u64,
    content: Content,
    twin: Option<(u8, u32)>,
    modified: Option<(i64, u32)>,
    seen: Option<(u64, i64, u32)>,
}

impl Capture {
    /// Stores the content of everything that waits.
    pub(super) fn store_all(&mut self) -> Result<(), CannotKeep> {
        let waiting = std::mem::take(&mut self.waiting);
        let mut going: HashMap<(u64, u64), u64> = HashMap::new();
        for one in waiting.iter().filter(|one| one.way == Way::Name && one.names > 1) {
            *going.entry(one.id).or_default() += 1;
        }
        // A further name of a file that is written over would lead to what was written.
        let rewritten = std::mem::take(&mut self.rewritten);
        let over = waiting.iter().filter(|one| one.way == Way::Content || rewritten.contains(&one.path));
        let over: HashSet<(u64, u64)> = over.map(|one| one.id).collect();
        let goes = |one: &Waiting| {
            one.way == Way::Name
                && !over.contains(&one.id)
                && (one.names == 1 || going.get(&one.id) == Some(&one.names))
        };
        self.check(&waiting, goes)?;
        let many = waiting.len() > FEW;
        // What cannot be noted gets no name; it is copied.
        self.noted = names::note(
            &self.store,
            waiting.iter().filter(|one| goes(one) || one.names > 1).map(|one| one.id),
        )
        .ok();
        let mut known: HashMap<(u64, u64), Stored> = HashMap::new();
        for one in &waiting {
            let stored = match known.get(&one.id) {
                Some(stored) => stored.clone(),
                None => {
                    let stored = match self.store_one(one, goes(one), many) {
                        // Somebody else took it away since it was looked at: this command finds nothing there.
                        Err(_) if one.path.symlink_metadata().is_err_and(|error| is_absent(&error)) => {
                            self.items.remove(&one.path);
                            continue;
                        }
                        stored => stored?,
                    };
                    self.progress.file();
                    if one.names > 1 {
                        known.insert(one.id, stored.clone());
                    }
                    stored
                }
            };
            let Some(item) = self.items.get_mut(&one.path) else { continue };
            item.seen = stored.seen;
            item.modified = stored.modified.unwrap_or(item.modified);
            if let Was::File { size, content, twin, .. } = &mut item.was {
                (*size, *content, *twin) = (stored.size, stored.content, stored.twin);
            }
        }
        Ok(())
    }

    /// That it fits, before anything is written.
    fn check(&mut self, waiting: &[Waiting], goes: impl Fn(&Waiting) -> bool) -> Result<(), CannotKeep> {
        let sum = |kept: &mut dyn Iterator<Item = &Waiting>| {
            kept.fold(0_u64, |sum, one| sum.saturating_add(one.taken))
        };
        let linked = sum(&mut waiting.iter().filter(|one| goes(one)));
        let copied = sum(&mut waiting.iter().filter(|one| !goes(one)));
        let over = |bytes: u64, this: &Self| this.copied.saturating_add(bytes) > this.budget.copied;
        if linked > WITHHELD {
            self.leaves_room(0)?;
        }
        if !over(linked.saturating_add(copied), self) {
            return Ok(());
        }
        // Is it above what may be copied, the file system must be able to do without; that is tried with the largest.
        let largest = |goes: &dyn Fn(&Waiting) -> bool| {
            waiting.iter().filter(|one| goes(one)).max_by_key(|one| one.taken)
        };
        if let Some(one) = largest(&|one| goes(one))
            && over(linked, self)
            && !self.is_able(one, Ability::Link)
            && !self.is_able(one, Ability::Share)
        {
            return Err(self.too_much());
        }
        match largest(&|one| !goes(one)) {
            Some(one) if over(copied, self) && !self.is_able(one, Ability::Share) => Err(self.too_much()),
            _ => Ok(()),
        }
    }

    /// Whether a file's file system can do something, found out with the file itself.
    fn is_able(&mut self, one: &Waiting, ability: Ability) -> bool {
        let folder = self.folder_for(one.id.0, &one.path);
        let known = self.abilities.get(&(one.id.0, ability)).copied();
        known.unwrap_or_else(|| {
            let Ok((target, _)) = self.folders[folder].next() else { return false };
            let able = match ability {
                Ability::Link => std::fs::hard_link(&one.path, &target).is_ok(),
                Ability::Share => content::open(&one.path)
                    .and_then(|from| Ok(content::share(&from, &content::create(&target)?)))
                    .unwrap_or(false),
            };
            let _ = std::fs::remove_file(&target);
            self.abilities.insert((one.id.0, ability), able);
            able
        })
    }

    /// The folder on a device; the store's own where that device has none.
    fn folder_for(&mut self, device: u64, path: &Path) -> usize {
        if let Some(known) = self.devices.get(&device) {
            return *known;
        }
        let found = match folder_elsewhere(path, device, &self.place) {
            // A folder that nobody finds again is none.
            Some(folder)
                if self.folders.len() < usize::from(u8::MAX)
                    && folder
                        .ancestors()
                        .nth(self.place.components().count())
                        .is_some_and(|top| note_elsewhere(&self.store, top).is_ok()) =>
            {
                self.folders.push(Folder::new(folder));
                self.folders.len() - 1
            }
            _ => 0,
        };
        self.devices.insert(device, found);
        found
    }

    fn store_one(&mut self, one: &Waiting, goes: bool, many: bool) -> Result<Stored, CannotKeep> {
        let small = one.size <= SMALL && one.taken >= one.size.min(1);
        if goes
            && !(small && !many && self.here < HERE)
            && let Some(stored) = self.link(one)
        {
            self.progress.bytes(stored.size);
            return Ok(stored);
        }
        let twin = if one.names > 1 { self.twin(one) } else { None };
        let mut file = match content::open(&one.path) {
            Ok(file) => file,
            // What we may not read, we may still be allowed to give a name.
            Err(error) if goes => return self.link(one).ok_or_else(|| io(&one.path, error)),
            Err(error) => return Err(io(&one.path, error)),
        };
        let meta = file.metadata().map_err(|source| io(&one.path, source))?;
        let nanoseconds = |part: i64| u32::try_from(part).unwrap_or(0);
        let whole = meta.blocks().saturating_mul(512) >= meta.len();
        let (content, size) = if whole && meta.len() <= PACKED {
            let mut bytes = Vec::new();
            // It may grow meanwhile; then what it grew by is not in it, and was not there when it was judged.
            Read::by_ref(&mut file)
                .take(meta.len())
                .read_to_end(&mut bytes)
                .map_err(|source| io(&one.path, source))?;
            self.progress.bytes(bytes.len() as u64);
            (self.put(one, &bytes)?, bytes.len() as u64)
        } else {
            (self.copy(one, &mut file)?, meta.len())
        };
        Ok(Stored {
            size,
            content,
            twin,
            modified: Some((meta.mtime(), nanoseconds(meta.mtime_nsec()))),
            seen: Some((meta.ino(), meta.ctime(), nanoseconds(meta.ctime_nsec()))),
        })
    }

    /// The file itself, under a further name.
    fn link(&mut self, one: &Waiting) -> Option<Stored> {
        self.noted.as_ref()?;
        let folder = self.folder_for(one.id.0, &one.path);
        let number = self.folders[folder].link(&one.path).ok()?;
        let content = Content::Linked(u8::try_from(folder).ok()?, number);
        Some(Stored { size: one.size, content, twin: None, modified: None, seen: None })
    }

    fn twin(&mut self, one: &Waiting) -> Option<(u8, u32)> {
        self.noted.as_ref()?;
        let folder = self.folder_for(one.id.0, &one.path);
        let number = self.folders[folder].link(&one.path).ok()?;
        Some((u8::try_from(folder).ok()?, number))
    }

    /// Content that was fetched, in a file of its own.
    pub(super) fn store_bytes(&mut self, bytes: &[u8], of: &Path) -> Result<Content, CannotKeep> {
        self.spend(bytes.len() as u64)?;
        let (target, number) = self.folders[0].next().map_err(|source| io(of, source))?;
        content::create(&target)
            .and_then(|mut file| std::io::Write::write_all(&mut file, bytes))
            .map_err(|source| io(of, source))?;
        self.folders[0].written(target);
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        Ok(Content::Stored(0, number))
    }

    /// Bytes that may still be copied.
    pub(crate) fn room(&self) -> u64 {
        self.budget.copied.saturating_sub(self.copied)
    }

    /// Little content, which is in memory.
    fn put(&mut self, one: &Waiting, bytes: &[u8]) -> Result<Content, CannotKeep> {
        let size = bytes.len() as u64;
        self.spend(size)?;
        if size <= SMALL && self.here + size <= HERE {
            self.here += size;
            return Ok(Content::Here(STANDARD.encode(bytes)));
        }
        let (number, at) = self.folders[0].append(bytes).map_err(|source| io(&one.path, source))?;
        Ok(Content::Packed(0, number, at))
    }

    /// Much content, into a file of its own.
    fn copy(&mut self, one: &Waiting, from: &mut std::fs::File) -> Result<Content, CannotKeep> {
        let index = self.folder_for(one.id.0, &one.path);
        let wrong = |source| io(&one.path, source);
        let (target, number) = self.folders[index].next().map_err(wrong)?;
        let mut to = content::create(&target).map_err(wrong)?;
        let key = (one.id.0, Ability::Share);
        let shared = self.abilities.get(&key) != Some(&false) && content::share(from, &to);
        self.abilities.entry(key).or_insert(shared);
        if !shared {
            self.spend(one.taken)?;
            content::copy(from, &mut to, &self.progress).map_err(wrong)?;
        } else {
            self.progress.bytes(one.size);
        }
        self.folders[index].written(target);
        Ok(Content::Stored(u8::try_from(index).unwrap_or(0), number))
    }

    /// Counts bytes that are copied.
    pub(super) fn spend(&mut self, bytes: u64) -> Result<(), CannotKeep> {
        self.copied = self.copied.saturating_add(bytes);
        if self.copied > self.budget.copied { Err(self.too_much()) } else { self.leaves_room(bytes) }
    }

    /// That enough of the disk stays free.
    fn leaves_room(&self, bytes: u64) -> Result<(), CannotKeep> {
        if self.copied <= LITTLE {
            return Ok(());
        }
        let disk = nix::sys::statvfs::statvfs(&self.store)
            .map_err(|error| io(&self.store, std::io::Error::from_raw_os_error(error as i32)))?;
        let free = u128::from(disk.blocks_available());
        // Of what this user can use: what is reserved for others is neither free nor used.
        let all = u128::from(disk.blocks()) - u128::from(disk.blocks_free()).min(disk.blocks().into()) + free;
        let needed = u128::from(bytes) / u128::from(disk.fragment_size().max(1));
        if free.saturating_sub(needed) * 100 < all * u128::from(self.budget.free) {
            return Err(CannotKeep::Full(self.budget.free));
        }
        Ok(())
    }

    fn too_much(&self) -> CannotKeep {
        CannotKeep::TooMuch(crate::text::size(self.budget.copied))
    }
}
