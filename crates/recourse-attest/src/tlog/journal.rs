//! The log's leaves on disk, and the hashes over them.
//!
//! Owns two files that only grow: `leaves`, records of equal length, which are the log; and `hashes`, every complete
//! subtree in the order in which it became complete, which can be made again from the leaves. A process that dies leaves
//! at most half a record, which the next one cuts off: no checkpoint has counted it.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::merkle::{self, Hash, Nodes, leaf_hash, node_hash};
use super::proof::Entry;
use crate::disk::{self, DiskError, Lock, io_error};
use crate::json::{self, JsonError};
use crate::places::Places;
use crate::registry::Registry;

/// Bytes of a record: what it is of, its digest, what to find it by.
const RECORD: u64 = 49;
const HASH: u64 = 32;

/// One leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// What it is of.
    pub(super) entry: Entry,
    /// Its digest.
    pub(super) digest: Hash,
    /// An attestation's id; a registry's version; an audit line's number and where the next one begins.
    pub(super) reference: [u8; 16],
}

impl Record {
    /// The leaf's bytes.
    pub(super) fn leaf(&self) -> Vec<u8> {
        self.entry.leaf(&self.digest)
    }

    fn to_bytes(self) -> Vec<u8> {
        let kind = match self.entry {
            Entry::Attestation => 1,
            Entry::Registry => 2,
            Entry::Audit => 3,
        };
        [&[kind], self.digest.as_slice(), self.reference.as_slice()].concat()
    }

    fn from_bytes(bytes: &[u8; RECORD as usize]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        let (digest, reference) = rest.split_first_chunk::<32>()?;
        let entry = match kind {
            1 => Entry::Attestation,
            2 => Entry::Registry,
            3 => Entry::Audit,
            _ => return None,
        };
        Some(Self { entry, digest: *digest, reference: reference.try_into().ok()? })
    }
}

/// Two numbers as a reference.
pub(super) fn reference(first: u64, second: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    let (left, right) = bytes.split_at_mut(8);
    left.copy_from_slice(&first.to_be_bytes());
    right.copy_from_slice(&second.to_be_bytes());
    bytes
}

/// The two numbers of a reference.
pub(super) fn numbers(reference: [u8; 16]) -> (u64, u64) {
    let both = u128::from_be_bytes(reference);
    ((both >> 64) as u64, both as u64)
}

/// A registry's record. Its leaf is of the canonical form of what is published.
pub(super) fn registry_record(registry: &Registry) -> Result<Record, JsonError> {
    let canonical = json::canonical(&registry.to_value())?;
    let version = reference(registry.version.unwrap_or(0), 0);
    Ok(Record { entry: Entry::Registry, digest: Sha256::digest(canonical).into(), reference: version })
}

/// Puts a registry in at once: between two checkpoints it may change more than once. Nothing where there is no log.
pub(crate) fn note_registry(places: &Places, registry: &Registry) -> Result<(), String> {
    let folder = places.log();
    if !folder.join("vkey").exists() {
        return Ok(());
    }
    let record = registry_record(registry).map_err(|error| error.to_string())?;
    let append = || {
        let _lock = Lock::acquire(&lock_path(&folder))?;
        let mut journal = Journal::open(&folder)?;
        let records = journal.records()?;
        let last = records.iter().rev().find(|one| one.entry == Entry::Registry);
        if last.is_some_and(|last| last.digest == record.digest) {
            return Ok(());
        }
        journal.append(records.len() as u64, &[record])
    };
    append().map_err(|error: DiskError| error.to_string())
}

/// The lock of whoever writes leaves: held for no longer than that takes.
pub(super) fn lock_path(folder: &Path) -> PathBuf {
    folder.join("lock")
}

/// Both files.
#[derive(Debug)]
pub(super) struct Journal {
    leaves: (File, PathBuf),
    hashes: (File, PathBuf),
}

impl Journal {
    /// Opens them to look. None: nothing was logged yet.
    pub(super) fn look(folder: &Path) -> Result<Option<Self>, DiskError> {
        let open = |name: &str| -> Result<Option<(File, PathBuf)>, DiskError> {
            let path = folder.join(name);
            Ok(disk::open_private(&path, OpenOptions::new().read(true))?.map(|file| (file, path)))
        };
        let (Some(leaves), Some(hashes)) = (open("leaves")?, open("hashes")?) else { return Ok(None) };
        Ok(Some(Self { leaves, hashes }))
    }

    /// Whether anything was ever logged.
    pub(super) fn has_leaves(folder: &Path) -> Result<bool, DiskError> {
        let path = folder.join("leaves");
        let Some(file) = disk::open_private(&path, OpenOptions::new().read(true))? else { return Ok(false) };
        Ok(file.metadata().map_err(io_error("cannot look at", &path))?.len() >= RECORD)
    }

    /// Opens them to write, under the log's lock.
    pub(super) fn open(folder: &Path) -> Result<Self, DiskError> {
        let open = |name: &str| -> Result<(File, PathBuf), DiskError> {
            let path = folder.join(name);
            let mut how = OpenOptions::new();
            how.read(true).write(true);
            if let Some(file) = disk::open_private(&path, &how)? {
                return Ok((file, path));
            }
            let made =
                how.create_new(true).mode(0o600).open(&path).map_err(io_error("cannot make", &path))?;
            disk::sync_folder(&path)?;
            Ok((made, path))
        };
        Ok(Self { leaves: open("leaves")?, hashes: open("hashes")? })
    }

    /// All whole records, up to the first that is none.
    pub(super) fn records(&self) -> Result<Vec<Record>, DiskError> {
        self.records_from(0)
    }

    /// The same from one on.
    pub(super) fn records_from(&self, first: u64) -> Result<Vec<Record>, DiskError> {
        let (file, path) = &self.leaves;
        let mut reader = BufReader::new(file);
        reader.seek(SeekFrom::Start(first.saturating_mul(RECORD))).map_err(io_error("cannot read", path))?;
        let mut records = Vec::new();
        let mut bytes = [0; RECORD as usize];
        loop {
            match reader.read_exact(&mut bytes) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(records),
                Err(error) => return Err(io_error("cannot read", path)(error)),
            }
            let Some(record) = Record::from_bytes(&bytes) else { return Ok(records) };
            records.push(record);
        }
    }

    /// The records from `from` to `to`.
    pub(super) fn some(&self, from: u64, to: u64) -> Result<Vec<Record>, DiskError> {
        let (file, path) = &self.leaves;
        let read = |index: u64| {
            let mut bytes = [0; RECORD as usize];
            file.read_exact_at(&mut bytes, index * RECORD).ok()?;
            Record::from_bytes(&bytes)
        };
        let damaged = || io_error("cannot read", path)(std::io::ErrorKind::InvalidData.into());
        (from..to).map(|index| read(index).ok_or_else(damaged)).collect()
    }

    /// Puts records behind the first `size`, durably. What is there behind them is cut off.
    pub(super) fn append(&mut self, size: u64, records: &[Record]) -> Result<(), DiskError> {
        let bytes: Vec<u8> = records.iter().flat_map(|record| record.to_bytes()).collect();
        write_behind(&mut self.leaves, size * RECORD, &bytes)
    }

    /// Makes the hashes over these records. Those over the first `checked` are taken as they are there: what is behind a
    /// checkpoint may have been written half-way.
    pub(super) fn hash(&mut self, records: &[Record], checked: u64) -> Result<(), DiskError> {
        let size = records.len() as u64;
        let have = self.hashes.0.metadata().map_err(io_error("cannot look at", &self.hashes.1))?.len() / HASH;
        // The most leaves whose hashes are all there.
        let (mut done, mut beyond) = (0, checked.min(size) + 1);
        while beyond - done > 1 {
            let middle = done + (beyond - done) / 2;
            if stored(middle) <= have { done = middle } else { beyond = middle }
        }
        // Complete subtrees that wait for their sibling, from left to right.
        let mut waiting: Vec<Hash> = Vec::new();
        let mut low = 0;
        while low < done {
            let level = (done - low).ilog2();
            waiting.push(self.node(level, low >> level)?);
            low += 1 << level;
        }
        let rest = records.get(usize::try_from(done).unwrap_or(usize::MAX)..).unwrap_or_default();
        let bytes = over(rest, done, waiting);
        write_behind(&mut self.hashes, stored(done) * HASH, &bytes)
    }

    /// Makes all hashes over these first records again, where they come to this root. False: they do not, and all is as it was.
    pub(super) fn hash_again(&mut self, records: &[Record], root: &Hash) -> Result<bool, DiskError> {
        let made = Made(over(records, 0, Vec::new()));
        let is_it = merkle::root(&made, records.len() as u64).is_ok_and(|made| made == *root);
        if is_it {
            write_behind(&mut self.hashes, 0, &made.0)?;
        }
        Ok(is_it)
    }

    /// Whether the hashes over these first records are on disk as they should be.
    pub(super) fn is_hashed(&self, records: &[Record]) -> Result<bool, DiskError> {
        let wanted = over(records, 0, Vec::new());
        let (file, path) = &self.hashes;
        let mut there = vec![0; wanted.len()];
        match file.read_exact_at(&mut there, 0) {
            Ok(()) => Ok(there == wanted),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(io_error("cannot read", path)(error)),
        }
    }
}

/// The hashes that these records behind the first `done` complete; `waiting`: complete subtrees before them that wait for
/// their sibling, from left to right.
fn over(records: &[Record], done: u64, mut waiting: Vec<Hash>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (index, record) in (done..).zip(records) {
        let mut hash = leaf_hash(&record.leaf());
        bytes.extend_from_slice(&hash);
        for _ in 0..index.trailing_ones() {
            if let Some(left) = waiting.pop() {
                hash = node_hash(&left, &hash);
                bytes.extend_from_slice(&hash);
            }
        }
        waiting.push(hash);
    }
    bytes
}

impl Nodes for Journal {
    type Error = DiskError;

    fn node(&self, level: u32, index: u64) -> Result<Hash, DiskError> {
        let mut hash = [0; HASH as usize];
        let (file, path) = &self.hashes;
        file.read_exact_at(&mut hash, place(level, index)).map_err(io_error("cannot read", path))?;
        Ok(hash)
    }
}

/// Hashes in memory, in the order in which they stand on disk.
struct Made(Vec<u8>);

impl Nodes for Made {
    type Error = ();

    fn node(&self, level: u32, index: u64) -> Result<Hash, ()> {
        let at = usize::try_from(place(level, index)).map_err(|_| ())?;
        self.0.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(())
    }
}

/// Where a complete subtree's hash stands: it was written right behind the last leaf below it and the smaller subtrees that
/// this one completed.
fn place(level: u32, index: u64) -> u64 {
    let last = ((index + 1) << level) - 1;
    (stored(last) + u64::from(level)) * HASH
}

/// How many hashes there are over so many leaves.
fn stored(leaves: u64) -> u64 {
    // Each level has half of the one below.
    leaves * 2 - u64::from(leaves.count_ones())
}

fn write_behind((file, path): &mut (File, PathBuf), at: u64, bytes: &[u8]) -> Result<(), DiskError> {
    let length = file.metadata().map_err(io_error("cannot look at", path))?.len();
    if length == at && bytes.is_empty() {
        return Ok(());
    }
    let write = |file: &mut File| {
        file.set_len(at)?;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write(file).map_err(io_error("cannot write", path))
}

/// What the journal holds already.
pub(super) struct Known {
    pub(super) attestations: HashSet<[u8; 16]>,
    pub(super) audit: Option<(u64, u64, Hash)>,
}

pub(super) fn known(records: &[Record]) -> Known {
    let mut known = Known { attestations: HashSet::new(), audit: None };
    for record in records {
        match record.entry {
            Entry::Attestation => {
                known.attestations.insert(record.reference);
            }
            Entry::Registry => {}
            Entry::Audit => {
                let (line, end) = numbers(record.reference);
                known.audit = Some((line, end, record.digest));
            }
        }
    }
    known
}

pub(super) fn id_bytes(id: &str) -> Option<[u8; 16]> {
    u128::from_str_radix(id, 16).ok().map(u128::to_be_bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::merkle::tests::Leaves;
    use super::super::merkle::{consistency, inclusion, root};
    use super::*;

    fn record(n: u64) -> Record {
        let kinds = Entry::ALL;
        Record { entry: kinds[n as usize % 3], digest: [n as u8; 32], reference: reference(n, n * 7) }
    }

    #[test]
    fn the_tree_on_disk_is_the_tree_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Journal::look(folder.path()).unwrap().is_none());
        let mut all: Vec<Record> = Vec::new();
        for step in [0u64, 1, 1, 2, 3, 5, 20, 100, 7] {
            let mut journal = Journal::open(folder.path()).unwrap();
            let size = all.len() as u64;
            let new: Vec<Record> = (size..size + step).map(record).collect();
            journal.append(size, &new).unwrap();
            all.extend(new);
            assert_eq!(journal.records().unwrap(), all);
            journal.hash(&all, size).unwrap();
            let leaves: Vec<Vec<u8>> = all.iter().map(Record::leaf).collect();
            let memory = Leaves::of(&leaves.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let size = all.len() as u64;
            assert_eq!(root(&journal, size).unwrap(), root(&memory, size).unwrap());
            for index in 0..size {
                assert_eq!(
                    inclusion(&journal, index, size).unwrap(),
                    inclusion(&memory, index, size).unwrap()
                );
                assert_eq!(
                    consistency(&journal, index, size).unwrap(),
                    consistency(&memory, index, size).unwrap()
                );
            }
            assert_eq!(fs::metadata(folder.path().join("hashes")).unwrap().len(), stored(size) * HASH);
        }
        assert_eq!(numbers(all[9].reference), (9, 63));
    }

    #[test]
    fn what_a_dying_process_leaves_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path()).unwrap();
        let all: Vec<Record> = (0..11).map(record).collect();
        journal.append(0, &all[..10]).unwrap();
        journal.hash(&all[..10], 0).unwrap();
        for cut in 1..RECORD {
            let (leaves, hashes) = (folder.path().join("leaves"), folder.path().join("hashes"));
            let torn = OpenOptions::new().write(true).open(&leaves).unwrap();
            torn.set_len(10 * RECORD + cut).unwrap();
            OpenOptions::new().write(true).open(&hashes).unwrap().set_len(cut * 5).unwrap();
            let mut journal = Journal::open(folder.path()).unwrap();
            assert_eq!(journal.records().unwrap(), all[..10]);
            journal.append(10, &all[10..]).unwrap();
            journal.hash(&all, 10).unwrap();
            let again = root(&journal, 11).unwrap();
            journal.hash(&all, 0).unwrap();
            assert_eq!(root(&journal, 11).unwrap(), again);
            assert_eq!(journal.some(3, 5).unwrap(), all[3..5]);
            assert!(journal.some(10, 12).is_err());
            journal.append(10, &[]).unwrap();
        }
    }
}
