//! The log as static files below a web root, for any web server or bucket.
//!
//! Owns the order: what a checkpoint counts is there before the checkpoint, and no checkpoint replaces one that it does
//! not go on from.

use std::fs;
use std::io;
use std::path::Path;

use super::book::{Log, LogError, PREFIX, Wanted};
use super::checkpoint::Checkpoint;
use super::note::{Note, Vkey};
use super::proof::Proof;
use super::tile::Tile;
use crate::disk::{self, Access, Lock, io_error};

impl Log {
    /// Shows the newest checkpoint with its tiles and entries. Returns its size.
    ///
    /// # Errors
    /// When there is no log, what is published does not go on in it, or a file cannot be read or written.
    pub fn show(&self, root: &Path) -> Result<u64, LogError> {
        let vkey = self.vkey()?.ok_or(LogError::None)?;
        // One after the other: an older checkpoint must not take the place of one that came between the look and the writing.
        let _showing = Lock::acquire(&self.folder.join("showing"))?;
        let (note, now) = self.signed(&vkey)?.ok_or(LogError::None)?;
        let folder = root.join(PREFIX);
        let place = folder.join("checkpoint");
        let old = match published(&place, &vkey)? {
            Some(old) if old.size > now.size || self.root(old.size)? != old.root => {
                return Err(LogError::Contradicted(format!(
                    "{} shows {} leaves that this log does not go on from: it was published by another copy, or this one was put back from an old one; publishing it would look like an attack",
                    place.display(),
                    old.size,
                )));
            }
            Some(old) => old.size,
            None => 0,
        };
        // A crash may have left the last tiles out only before the checkpoint that counts them.
        for tile in Tile::grown(old, now.size) {
            let path = tile.path();
            let bytes = self.file(&path)?.ok_or_else(|| self.damaged(format!("{path} is not there")))?;
            put(&folder.join(&path), &bytes)?;
        }
        put(&folder.join("key"), format!("{vkey}\n").as_bytes())?;
        put(&place, note.to_string().as_bytes())?;
        Ok(now.size)
    }

    /// Shows the proof of an attestation or of the registry, unless there is one that as many witnesses back. True: one is there.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn show_proof(&self, wanted: &Wanted, place: &Path) -> Result<bool, LogError> {
        let (proof, _) = match self.prove(wanted) {
            Ok(found) => found,
            Err(LogError::NotYet(_)) => return Ok(false),
            Err(error) => return Err(error),
        };
        let there = fs::read(place).ok().and_then(|bytes| Proof::parse(&bytes).ok());
        let as_good = |one: &Proof| {
            one.index == proof.index && one.checkpoint.signatures() >= proof.checkpoint.signatures()
        };
        if !there.as_ref().is_some_and(as_good) {
            put(place, proof.to_string().as_bytes())?;
        }
        Ok(true)
    }
}

/// The checkpoint that a web root shows.
fn published(place: &Path, vkey: &Vkey) -> Result<Option<Checkpoint>, LogError> {
    let bytes = match fs::read(place) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("cannot read", place)(error).into()),
    };
    let found =
        Note::parse(&bytes).and_then(|note| Ok((note.signed_by(vkey)?, Checkpoint::parse(note.text())?)));
    match found {
        Ok((Some(_), checkpoint)) => Ok(Some(checkpoint)),
        _ => Err(LogError::Contradicted(format!(
            "{} is not of this log's key: another log is published there",
            place.display()
        ))),
    }
}

fn put(place: &Path, bytes: &[u8]) -> Result<(), LogError> {
    if let Some(folder) = place.parent() {
        disk::public_dir(folder)?;
    }
    Ok(disk::write_atomic(place, bytes, Access::Public)?)
}
