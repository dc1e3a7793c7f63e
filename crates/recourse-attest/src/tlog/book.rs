//! The operator's log: what goes in, and when a checkpoint is signed.
//!
//! Owns the folder `tlog` below the instance's data, and two locks: `going` is held by whoever goes on with the log, also while
//! a store or witness is asked; `lock` only while leaves are written, so that a change of keys waits for nobody's network.
//! Everything is put in durably before a checkpoint counts
//! it, so that no two checkpoints ever contradict each other whenever a process dies; a folder that was put back from an
//! old copy is found by whoever remembers a checkpoint: the web root, the witnesses.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};

use super::checkpoint::Checkpoint;
pub use super::error::LogError;
use super::index::Index;
pub use super::index::Wanted;
use super::journal::{self, Journal, Record, id_bytes, known, reference, registry_record};
use super::merkle::{self, Hash};
use super::note::{Kind, NOTE_LIMIT, Note, NoteError, Vkey};
use super::proof::Entry;
use super::signer::NoteSigner;
use super::tile::{Tile, bundle};
use crate::audit::{AuditError, AuditLog};
use crate::disk::{self, Access, DiskError, Lock};
use crate::fleet::Shared;
use crate::keys::{KeyStore, Passphrase};
use crate::origin::Origin;
use crate::places::Places;
use crate::store::Store;

/// The log's place below a web root, and the path in its name.
pub const PREFIX: &str = ".well-known/recourse-log";
pub(super) const OTHER_LEAVES: &str = "its leaves are not those that its checkpoint was signed over";

/// What going on did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advanced {
    /// The newest checkpoint.
    pub checkpoint: Note,
    /// Its size.
    pub size: u64,
    /// How many leaves are new.
    pub added: u64,
    /// What the operator should know.
    pub notes: Vec<String>,
    /// Something that belongs into it could not be read, and is not in it.
    pub left_out: bool,
}

/// The log of this instance.
#[derive(Clone, Debug)]
pub struct Log {
    pub(super) folder: PathBuf,
    pub(super) places: Places,
    passphrase: Option<Passphrase>,
    pub(super) shared: Option<Arc<Shared>>,
    /// What was found in it before.
    pub(super) found: Arc<Mutex<Index>>,
}

impl Log {
    /// The log below these places. Touches nothing yet.
    pub fn open(places: &Places) -> Self {
        Self {
            folder: places.log(),
            places: places.clone(),
            passphrase: None,
            shared: None,
            found: Arc::default(),
        }
    }

    /// Opens an encrypted key, and encrypts one that is made from here on.
    #[must_use]
    pub fn with_passphrase(mut self, passphrase: Option<Passphrase>) -> Self {
        self.passphrase = passphrase;
        self
    }

    /// The log's public key. None: there is no log.
    ///
    /// # Errors
    /// When its file is damaged or not private.
    pub fn vkey(&self) -> Result<Option<Vkey>, LogError> {
        if !disk::check_dir(&self.folder)? {
            return Ok(None);
        }
        let path = self.folder.join("vkey");
        let Some(bytes) = disk::read_private(&path, 4096)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let key = text.trim_end().parse().map_err(|error: NoteError| self.damaged(error.to_string()))?;
        Ok(Some(key))
    }

    /// Begins the log of an instance, named after its base URL, unless there is one.
    ///
    /// # Errors
    /// When the disk or the random numbers fail, or the key cannot be used.
    pub fn begin(&self, base: &Origin) -> Result<Vkey, LogError> {
        disk::private_dir(&self.folder)?;
        let _going = self.going()?;
        if let Some(vkey) = self.vkey()? {
            return Ok(vkey);
        }
        if self.checkpoint()?.is_some() {
            return Err(self.damaged("it has checkpoints and no key".to_owned()));
        }
        if Journal::has_leaves(&self.folder)? {
            return Err(self.damaged("it has leaves and no key".to_owned()));
        }
        let url = base.to_string();
        let name = format!("{}/{PREFIX}", url.split_once("://").map_or(url.as_str(), |(_, rest)| rest));
        let passphrase = self.passphrase.as_ref();
        let signer = NoteSigner::open(&self.folder.join("key.pem"), &name, Kind::Log, passphrase, true)?;
        // Last: a log is there when this is.
        disk::write_atomic(
            &self.folder.join("vkey"),
            format!("{}\n", signer.vkey()).as_bytes(),
            Access::Private,
        )?;
        Ok(signer.vkey().clone())
    }

    /// Puts everything in that is not there yet, and signs a checkpoint over it.
    ///
    /// # Errors
    /// [`LogError`]; what was put in until then stays, and the next call goes on.
    pub fn advance(&self) -> Result<Advanced, LogError> {
        let vkey = self.vkey()?.ok_or(LogError::None)?;
        let _going = self.going()?;
        disk::sweep(&self.folder, std::time::Duration::ZERO);
        let signed = self.signed(&vkey)?;
        let (mut journal, records) = self.under_lock(|| {
            let journal = Journal::open(&self.folder)?;
            let records = journal.records()?;
            Ok((journal, records))
        })?;
        let before = records.len() as u64;
        // What witnesses saw stands even where the newest is gone.
        let witnessed = self.read("witnessed")?.map(|note| self.of_ours(&note, &vkey)).transpose()?;
        let counting = || signed.iter().map(|(_, signed)| signed).chain(&witnessed);
        if counting().any(|checkpoint| checkpoint.size > before) {
            return Err(self.damaged("it has fewer leaves than its checkpoint counts".to_owned()));
        }
        let checked = signed.as_ref().map_or(0, |(_, signed)| signed.size);
        journal.hash(&records, checked)?;
        for checkpoint in counting() {
            if !is_over(&mut journal, &records, checkpoint)? {
                return Err(self.damaged(OTHER_LEAVES.to_owned()));
            }
        }
        // Before anything is put in: a copy that went another way takes nothing in any more.
        let there = self.in_store(&vkey, &mut journal, &records)?;
        let mut notes = Vec::new();
        if signed.is_none() && records.iter().any(|one| one.entry != Entry::Registry) {
            notes.push(
                "the log had leaves and no checkpoint over them; if there was one, put it back from its newest copy"
                    .to_owned(),
            );
        }
        let known = notes.len();
        let new = self.collect(&records, &mut notes)?;
        let left_out = notes.len() > known;
        let records = self.under_lock(|| {
            // A change of keys may have put itself in meanwhile.
            let mut records = journal.records()?;
            let mut all: Vec<Record> = self.newest_registry(&records)?.into_iter().collect();
            all.extend(new);
            journal.append(records.len() as u64, &all)?;
            records.extend(all);
            Ok(records)
        })?;
        journal.hash(&records, before)?;
        let size = records.len() as u64;
        let added = size - checked;
        if let Some((note, signed)) = signed
            && signed.size == size
        {
            self.bring(&vkey, &journal, &there, &note, size)?;
            return Ok(Advanced { checkpoint: note, size, added: 0, notes, left_out });
        }
        let checkpoint =
            Checkpoint { origin: vkey.name().to_owned(), size, root: merkle::root(&journal, size)? };
        let checkpoint = self.sign(&vkey, &checkpoint)?;
        self.bring(&vkey, &journal, &there, &checkpoint, size)?;
        self.write("checkpoint", &checkpoint)?;
        Ok(Advanced { checkpoint, size, added, notes, left_out })
    }

    /// The lock of whoever goes on.
    pub(super) fn going(&self) -> Result<Lock, DiskError> {
        Lock::acquire(&self.folder.join("going"))
    }

    /// While nobody else writes leaves.
    fn under_lock<T>(&self, work: impl FnOnce() -> Result<T, LogError>) -> Result<T, LogError> {
        let _lock = Lock::acquire(&journal::lock_path(&self.folder))?;
        work()
    }

    /// The newest checkpoint, with the cosignatures that it has so far.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn checkpoint(&self) -> Result<Option<Note>, LogError> {
        self.read("checkpoint")
    }

    /// Adds cosignatures to the newest checkpoint, unless there is a newer one by now.
    pub(super) fn add_cosignatures(&self, text: &str, lines: &str) -> Result<(), LogError> {
        let _going = self.going()?;
        let Some(mut note) = self.checkpoint()?.filter(|note| note.text() == text) else { return Ok(()) };
        let wrong = |error: NoteError| self.damaged(error.to_string());
        note.add(lines).map_err(wrong)?;
        self.bring_cosigned(&note)?;
        self.write("checkpoint", &note)?;
        // Proofs rest on the newest checkpoint that no fewer have seen than any before it.
        let most = self.read("witnessed")?.map_or(0, |note| note.signatures());
        if note.signatures() >= most {
            self.write("witnessed", &note)?;
        }
        Ok(())
    }

    /// The proof that the newest checkpoint goes on from the log's first `old` leaves.
    ///
    /// # Errors
    /// When there is no log, or it is smaller.
    pub fn goes_on_from(&self, old: u64) -> Result<(Vec<Hash>, Note), LogError> {
        let vkey = self.vkey()?.ok_or(LogError::None)?;
        let (note, now) = self.signed(&vkey)?.ok_or(LogError::None)?;
        let journal = Journal::look(&self.folder)?.ok_or(LogError::None)?;
        if old > now.size {
            return Err(LogError::Contradicted(format!("the log has {} leaves, not {old}", now.size)));
        }
        let hashes = merkle::consistency(&journal, old, now.size)?;
        if !merkle::goes_on(old, &merkle::root(&journal, old)?, now.size, &now.root, &hashes) {
            return Err(LogError::Hashes(self.folder.clone()));
        }
        Ok((hashes, note))
    }

    /// The root of the log's first `size` leaves.
    pub(super) fn root(&self, size: u64) -> Result<Hash, LogError> {
        let journal = Journal::look(&self.folder)?.ok_or(LogError::None)?;
        Ok(merkle::root(&journal, size)?)
    }

    /// A static file of the log by its path below the prefix. None: there is none.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn file(&self, path: &str) -> Result<Option<Vec<u8>>, LogError> {
        let Some(vkey) = self.vkey()? else { return Ok(None) };
        match path {
            "key" => return Ok(Some(format!("{vkey}\n").into_bytes())),
            "checkpoint" => return Ok(self.checkpoint()?.map(|note| note.to_string().into_bytes())),
            _ => {}
        }
        let Some(tile) = Tile::parse(path) else { return Ok(None) };
        let Some((_, now)) = self.signed(&vkey)? else { return Ok(None) };
        if !tile.is_of(now.size) {
            return Ok(None);
        }
        let journal = Journal::look(&self.folder)?.ok_or(LogError::None)?;
        if tile.level.is_none() {
            self.check_leaves(&journal, &tile)?;
        }
        Ok(Some(tile_bytes(&tile, &journal)?))
    }

    /// Makes the hashes again that are not those over the leaves. True: some were not.
    ///
    /// # Errors
    /// When the leaves are not those that the checkpoint was signed over, or the log cannot be read.
    pub fn mend(&self) -> Result<bool, LogError> {
        let Some(vkey) = self.vkey()? else { return Ok(false) };
        let _going = self.going()?;
        let Some((_, signed)) = self.signed(&vkey)? else { return Ok(false) };
        let mut journal = self.under_lock(|| Ok(Journal::open(&self.folder)?))?;
        let mut records = journal.records()?;
        if signed.size > records.len() as u64 {
            return Err(self.damaged("it has fewer leaves than its checkpoint counts".to_owned()));
        }
        // What is behind the checkpoint may be half-written, and is made again by who goes on.
        records.truncate(usize::try_from(signed.size).unwrap_or(usize::MAX));
        if journal.is_hashed(&records)? {
            return Ok(false);
        }
        match journal.hash_again(&records, &signed.root)? {
            true => Ok(true),
            false => Err(self.damaged(OTHER_LEAVES.to_owned())),
        }
    }

    /// Whether the leaves of a tile are those of which its hashes are made.
    fn check_leaves(&self, journal: &Journal, tile: &Tile) -> Result<(), LogError> {
        let (from, to) = tile.span().unwrap_or_default();
        let mut wanted = Vec::new();
        for record in journal.some(from, to)? {
            wanted.extend_from_slice(&merkle::leaf_hash(&record.leaf()));
        }
        let hashes = Tile { level: Some(0), ..*tile }.hashes(journal)?;
        match hashes == wanted {
            true => Ok(()),
            false => Err(self.damaged(format!("its leaves from {from} on are not those of its hashes"))),
        }
    }

    /// The registry in force, where the log has another one.
    fn newest_registry(&self, records: &[Record]) -> Result<Option<Record>, LogError> {
        let Some(registry) = KeyStore::open(&self.places).registry()? else { return Ok(None) };
        let record = registry_record(&registry)?;
        let last = records.iter().rev().find(|one| one.entry == Entry::Registry);
        Ok((last.map(|last| last.digest) != Some(record.digest)).then_some(record))
    }

    /// What is not in the log yet but the registry: attestations in the order of their time, audit lines.
    fn collect(&self, records: &[Record], notes: &mut Vec<String>) -> Result<Vec<Record>, LogError> {
        let known = known(records);
        let mut new = Vec::new();
        let mut signed = Vec::new();
        for store in [Store::open(&self.places), Store::unpublished(&self.places)] {
            for id in store.list()? {
                let Some(reference) = id_bytes(&id).filter(|id| !known.attestations.contains(id)) else {
                    continue;
                };
                match store.read(&id) {
                    Ok(Some(one)) => {
                        let digest: Hash = Sha256::digest(one.canonical()).into();
                        signed
                            .push((one.timestamp(), Record { entry: Entry::Attestation, digest, reference }));
                    }
                    Ok(None) => {}
                    Err(error) => notes.push(format!("left out of the log: {error}")),
                }
            }
        }
        signed.sort_by_key(|(time, record)| (*time, record.reference));
        new.extend(signed.into_iter().map(|(_, record)| record));
        match AuditLog::open(&self.places).behind(known.audit) {
            Ok(lines) => new.extend(lines.into_iter().map(|(line, end, digest)| Record {
                entry: Entry::Audit,
                digest,
                reference: reference(line, end),
            })),
            Err(error @ AuditError::Broken { .. }) => {
                notes.push(format!("{error}; nothing behind it goes into the transparency log"));
            }
            Err(error) => return Err(error.into()),
        }
        Ok(new)
    }

    fn sign(&self, vkey: &Vkey, checkpoint: &Checkpoint) -> Result<Note, LogError> {
        let path = self.folder.join("key.pem");
        let signer = NoteSigner::open(&path, vkey.name(), Kind::Log, self.passphrase.as_ref(), false)?;
        if signer.vkey() != vkey {
            return Err(self.damaged("its private key is another than its public one".to_owned()));
        }
        let text = checkpoint.to_string();
        let note = format!("{text}\n{}", signer.sign(&text, 0));
        Note::parse(note.as_bytes()).map_err(|error| self.damaged(error.to_string()))
    }

    /// The newest checkpoint, read and checked.
    pub(super) fn signed(&self, vkey: &Vkey) -> Result<Option<(Note, Checkpoint)>, LogError> {
        let Some(note) = self.checkpoint()? else { return Ok(None) };
        let checkpoint = self.of_ours(&note, vkey)?;
        Ok(Some((note, checkpoint)))
    }

    /// A checkpoint that this log signed.
    pub(super) fn of_ours(&self, note: &Note, vkey: &Vkey) -> Result<Checkpoint, LogError> {
        let damaged = |error: NoteError| self.damaged(format!("its checkpoint: {error}"));
        if note.signed_by(vkey).map_err(damaged)?.is_none() {
            return Err(self.damaged("its checkpoint is not signed with its key".to_owned()));
        }
        let checkpoint = Checkpoint::parse(note.text()).map_err(damaged)?;
        if checkpoint.origin != vkey.name() {
            return Err(self.damaged("its checkpoint is of another log".to_owned()));
        }
        Ok(checkpoint)
    }

    pub(super) fn read(&self, name: &str) -> Result<Option<Note>, LogError> {
        if !disk::check_dir(&self.folder)? {
            return Ok(None);
        }
        let bytes = disk::read_private(&self.folder.join(name), NOTE_LIMIT as u64)?;
        let note = bytes.map(|bytes| Note::parse(&bytes)).transpose();
        note.map_err(|error| self.damaged(format!("{name}: {error}")))
    }

    fn write(&self, name: &str, note: &Note) -> Result<(), LogError> {
        let path = self.folder.join(name);
        Ok(disk::write_atomic(&path, note.to_string().as_bytes(), Access::Private)?)
    }

    pub(super) fn damaged(&self, why: String) -> LogError {
        LogError::Damaged(why, self.folder.clone())
    }
}

/// The bytes of a tile or bundle of which the journal has all.
pub(super) fn tile_bytes(tile: &Tile, journal: &Journal) -> Result<Vec<u8>, DiskError> {
    if tile.level.is_some() {
        return tile.hashes(journal);
    }
    let (from, to) = tile.span().unwrap_or_default();
    let leaves: Vec<Vec<u8>> = journal.some(from, to)?.iter().map(Record::leaf).collect();
    Ok(bundle(leaves.iter().map(Vec::as_slice)))
}

/// Whether these leaves, of which there are enough, are those that a checkpoint was signed over.
pub(super) fn is_over(
    journal: &mut Journal,
    records: &[Record],
    checkpoint: &Checkpoint,
) -> Result<bool, DiskError> {
    if merkle::root(journal, checkpoint.size)? == checkpoint.root {
        return Ok(true);
    }
    // The hashes can be made again; the leaves cannot.
    let counted = records.get(..usize::try_from(checkpoint.size).unwrap_or(usize::MAX)).unwrap_or_default();
    let is_it = journal.hash_again(counted, &checkpoint.root)?;
    if is_it {
        journal.hash(records, counted.len() as u64)?;
    }
    Ok(is_it)
}

#[cfg(test)]
#[path = "book_tests.rs"]
mod tests;
