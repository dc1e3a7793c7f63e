//! Git's index file, versions 2 to 4, read without git.
//!
//! Total: any bytes give an index or an error in words. Paths are kept in one arena, so that ten thousand entries cost a
//! few allocations.

use std::ffi::CStr;

use super::digest::Format;

/// What the index says about one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexEntry {
    path: (u32, u32),
    id: u32,
    /// Mode with the type bits, as git writes it: `0o100644`, `0o120000` (link), `0o160000` (submodule).
    pub(super) mode: u32,
    /// Size in bytes, low 32 bits.
    pub(super) size: u32,
    /// Content changed: seconds (low 32 bits) and nanoseconds.
    pub(super) mtime: (u32, u32),
    /// Inode changed.
    pub(super) ctime: (u32, u32),
    /// Inode, low 32 bits.
    pub(super) inode: u32,
    /// Merge stage, 0 when not in conflict.
    pub(super) stage: u8,
    /// Added by intent alone (`git add -N`): no content is stored.
    pub(super) intent_to_add: bool,
    /// Left out of the working tree by a sparse checkout.
    pub(super) skip_worktree: bool,
}

/// An index.
#[derive(Debug)]
pub(super) struct Index {
    entries: Vec<IndexEntry>,
    paths: Vec<u8>,
    ids: Vec<u8>,
    id_length: usize,
}

/// Reads big-endian numbers; every read is checked.
struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.data.len());
        let Some(end) = end else { return Err(format!("the index ends early, at byte {}", self.data.len())) };
        let part = &self.data[self.at..end];
        self.at = end;
        Ok(part)
    }

    fn u32(&mut self) -> Result<u32, String> {
        let part = self.take(4)?;
        Ok(u32::from_be_bytes([part[0], part[1], part[2], part[3]]))
    }

    fn u16(&mut self) -> Result<u16, String> {
        let part = self.take(2)?;
        Ok(u16::from_be_bytes([part[0], part[1]]))
    }

    fn until_nul(&mut self) -> Result<&'a [u8], String> {
        let rest = CStr::from_bytes_until_nul(&self.data[self.at..])
            .map_err(|_| "a path in the index has no end".to_owned())?;
        self.at += rest.count_bytes() + 1;
        Ok(rest.to_bytes())
    }

    /// The offset encoding that version 4 uses for the length to strip.
    fn varint(&mut self) -> Result<usize, String> {
        let mut byte = self.take(1)?[0];
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.take(1)?[0];
            value = (value + 1)
                .checked_mul(128)
                .map(|v| v + usize::from(byte & 0x7f))
                .filter(|v| *v < 1 << 24)
                .ok_or("a path in the index is too long")?;
        }
        Ok(value)
    }
}

impl Index {
    /// An index without entries: what a repository without an index file has.
    pub(super) fn empty(format: Format) -> Self {
        Self { entries: Vec::new(), paths: Vec::new(), ids: Vec::new(), id_length: format.length() }
    }

    /// Reads the file's bytes.
    ///
    /// # Errors
    /// In words, when the bytes are not an index or use a part that is not supported (a split index).
    pub(super) fn parse(data: &[u8], format: Format) -> Result<Self, String> {
        let id_length = format.length();
        let mut reader = Reader { data, at: 0 };
        if reader.take(4)? != b"DIRC" {
            return Err("the index does not start with git's signature".to_owned());
        }
        let version = reader.u32()?;
        if !(2..=4).contains(&version) {
            return Err(format!("the index has version {version}, which is not known"));
        }
        let count = reader.u32()? as usize;
        // Every entry takes at least 62 bytes: a huge count is a corrupt file, not a reason to reserve memory.
        if count > data.len() / 42 {
            return Err(format!("the index claims {count} entries, more than fit into its size"));
        }
        let mut index = Self {
            entries: Vec::with_capacity(count),
            paths: Vec::with_capacity(data.len() / 2),
            ids: Vec::with_capacity(count * id_length),
            id_length,
        };
        for _ in 0..count {
            index.entry(&mut reader, version)?;
        }
        index.extensions(&mut reader)?;
        let ordered = index.entries.windows(2).all(|pair| {
            let order = index.path(&pair[0]).cmp(index.path(&pair[1]));
            order.is_lt() || (order.is_eq() && pair[0].stage < pair[1].stage)
        });
        if ordered { Ok(index) } else { Err("the index is not in order".to_owned()) }
    }

    fn entry(&mut self, reader: &mut Reader<'_>, version: u32) -> Result<(), String> {
        let start = reader.at;
        let head = reader.take(40)?;
        // The ten numbers of every version: bounds are checked once.
        let mut words = [0; 10];
        for (word, bytes) in words.iter_mut().zip(head.as_chunks::<4>().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        let [ctime, ctime_fraction, mtime, mtime_fraction, _device, inode, mode, _user, _group, size] = words;
        let id = self.ids.len() as u32;
        self.ids.extend_from_slice(reader.take(self.id_length)?);
        let flags = reader.u16()?;
        let more = if version >= 3 && flags & 0x4000 != 0 { reader.u16()? } else { 0 };
        let from = self.paths.len();
        if version == 4 {
            let strip = reader.varint()?;
            let previous = self.entries.last().map_or((0, 0), |entry| entry.path);
            let keep =
                (previous.1 as usize).checked_sub(strip).ok_or("a path in the index is cut too short")?;
            let previous = previous.0 as usize;
            self.paths.extend_from_within(previous..previous + keep);
            self.paths.extend_from_slice(reader.until_nul()?);
        } else {
            self.paths.extend_from_slice(reader.until_nul()?);
            // Padded with one to eight NULs to a multiple of eight.
            let used = reader.at - start - 1;
            let padded = (used + 8) & !7;
            let rest = reader.take((start + padded).saturating_sub(reader.at))?;
            if rest.iter().any(|byte| *byte != 0) {
                return Err("the index is damaged between two entries".to_owned());
            }
        }
        let length = self.paths.len() - from;
        if length == 0 {
            return Err("the index holds an empty path".to_owned());
        }
        self.entries.push(IndexEntry {
            path: (from as u32, length as u32),
            id,
            mode,
            size,
            mtime: (mtime, mtime_fraction),
            ctime: (ctime, ctime_fraction),
            inode,
            stage: ((flags >> 12) & 3) as u8,
            intent_to_add: more & 0x2000 != 0,
            skip_worktree: more & 0x4000 != 0,
        });
        Ok(())
    }

    /// Extensions are skipped; one whose name starts in lower case changes the meaning and must be known.
    fn extensions(&self, reader: &mut Reader<'_>) -> Result<(), String> {
        while reader.data.len().saturating_sub(reader.at) > self.id_length {
            let name = reader.take(4)?;
            let length = reader.u32()? as usize;
            if name[0].is_ascii_lowercase() && name != b"sdir" {
                return Err(match name {
                    b"link" => "the index is split in two files, which is not supported".to_owned(),
                    _ => format!("the index needs an extension ({}) that is not known", name.escape_ascii()),
                });
            }
            reader.take(length)?;
        }
        Ok(())
    }

    /// All entries in order of their paths' bytes.
    pub(super) fn entries(&self) -> &[IndexEntry] {
        &self.entries
    }

    /// Path of an entry, relative to the top of the working tree.
    pub(super) fn path(&self, entry: &IndexEntry) -> &[u8] {
        let from = entry.path.0 as usize;
        self.paths.get(from..from + entry.path.1 as usize).unwrap_or_default()
    }

    /// Object id of an entry.
    pub(super) fn id(&self, entry: &IndexEntry) -> &[u8] {
        let from = entry.id as usize;
        self.ids.get(from..from + self.id_length).unwrap_or_default()
    }

    /// Position of the first entry whose path is not smaller.
    pub(super) fn lower_bound(&self, path: &[u8]) -> usize {
        self.entries.partition_point(|entry| self.path(entry) < path)
    }

    /// The entry with this path; `hint` is a position to try first (walks ask in order).
    pub(super) fn find(&self, path: &[u8], hint: usize) -> Option<usize> {
        for position in [hint, hint + 1] {
            if self.entries.get(position).is_some_and(|entry| self.path(entry) == path) {
                return Some(position);
            }
        }
        let position = self.lower_bound(path);
        self.entries.get(position).is_some_and(|entry| self.path(entry) == path).then_some(position)
    }

    /// Positions of the entries at or below a directory or file (`""`: all).
    pub(super) fn below(&self, path: &[u8]) -> std::ops::Range<usize> {
        if path.is_empty() {
            return 0..self.entries.len();
        }
        let mut low = path.to_vec();
        low.push(b'/');
        let from = self.lower_bound(&low);
        low.pop();
        low.push(b'/' + 1);
        from..self.lower_bound(&low)
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, Index};

    fn entry(path: &str) -> Vec<u8> {
        let mut bytes = vec![0; 40];
        bytes[24..28].copy_from_slice(&0o100_644u32.to_be_bytes());
        bytes.extend([7; 20]);
        bytes.extend((path.len() as u16).to_be_bytes());
        bytes.extend(path.as_bytes());
        let padded = (bytes.len() + 8) & !7;
        bytes.resize(padded, 0);
        bytes
    }

    fn file(version: u32, entries: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend((entries.len() as u32).to_be_bytes());
        bytes.extend(entries.concat());
        bytes.extend([0; 20]);
        bytes
    }

    #[test]
    fn entries_are_found_by_path_and_directory() {
        let bytes = file(2, &[entry("a"), entry("src/a.py"), entry("src/b"), entry("src-x"), entry("z")]);
        assert!(Index::parse(&bytes, Format::Sha1).is_err(), "src-x sorts before src/a.py");
        let bytes = file(2, &[entry("a"), entry("src-x"), entry("src/a.py"), entry("src/b"), entry("z")]);
        let index = Index::parse(&bytes, Format::Sha1).unwrap();
        assert_eq!(index.below(b"src"), 2..4);
        assert_eq!(index.find(b"src/b", 2), Some(3));
        assert_eq!(index.find(b"src", 0), None);
        assert_eq!(index.id(&index.entries()[0]), [7; 20]);
    }

    #[test]
    fn any_bytes_give_an_index_or_an_error() {
        let good = file(2, &[entry("a"), entry("b/c")]);
        for length in 0..good.len() - 20 {
            assert!(Index::parse(&good[..length], Format::Sha1).is_err(), "{length}");
        }
        for position in 0..good.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = good.clone();
                bytes[position] = value;
                let _ = Index::parse(&bytes, Format::Sha1);
                let _ = Index::parse(&bytes, Format::Sha256);
            }
        }
    }
}
