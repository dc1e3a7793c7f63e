//! The log in the store that machines share (docs/fleet.md): tiles, which never change, and the newest checkpoint, which
//! nobody replaces who does not go on from it.
//!
//! Owns the order: what a checkpoint counts is in the store before the checkpoint, and the checkpoint is there before it
//! counts here. So of two copies of one log that both go on, one is told, before it has signed anything that others see.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::book::{Log, LogError, is_over, tile_bytes};
use super::checkpoint::Checkpoint;
use super::journal::{Journal, Record};
use super::note::{Note, Vkey};
use super::tile::Tile;
use crate::document::hex;
use crate::fleet::Shared;

/// The checkpoint that the store has.
pub(super) struct There {
    note: Note,
    checkpoint: Checkpoint,
    tag: String,
}

impl Log {
    /// Shows tiles and checkpoints in this store, too: no checkpoint counts that it does not take first.
    #[must_use]
    pub fn sharing(mut self, shared: Option<Arc<Shared>>) -> Self {
        self.shared = shared;
        self
    }

    /// What the store has of this log, which must be what these records begin with. Under the lock.
    pub(super) fn in_store(
        &self,
        vkey: &Vkey,
        journal: &mut Journal,
        records: &[Record],
    ) -> Result<Option<There>, LogError> {
        let Some(shared) = &self.shared else { return Ok(None) };
        let Some(there) = read(shared, vkey)? else { return Ok(None) };
        let size = there.checkpoint.size;
        if size > records.len() as u64 || !is_over(journal, records, &there.checkpoint)? {
            return Err(another_way(shared, vkey, size));
        }
        Ok(Some(there))
    }

    /// Brings the tiles that the store lacks there, and then the checkpoint. Under the lock.
    pub(super) fn bring(
        &self,
        vkey: &Vkey,
        journal: &Journal,
        there: &Option<There>,
        note: &Note,
        size: u64,
    ) -> Result<(), LogError> {
        let Some(shared) = &self.shared else { return Ok(()) };
        let old = there.as_ref().map_or(0, |there| there.checkpoint.size);
        for tile in Tile::grown(old, size) {
            let bytes = tile_bytes(&tile, journal)?;
            if !shared.put_bytes(&place(vkey, &tile.path()), &bytes)? {
                return Err(another_way(shared, vkey, old));
            }
        }
        let at = place(vkey, "checkpoint");
        let text = note.to_string();
        let tag = match there {
            // Nobody takes cosignatures away that are there already.
            Some(there) if old == size && there.note.signatures() >= note.signatures() => return Ok(()),
            Some(there) => shared.replace(&at, &text, &there.tag)?,
            None => {
                shared.put(&place(vkey, "key"), &format!("{vkey}\n"))?;
                shared.put(&at, &text)?
            }
        };
        if tag.is_none() {
            return Err(another_way(shared, vkey, old));
        }
        Ok(())
    }

    /// Shows the newest checkpoint with the cosignatures that it has by now. Under the lock.
    pub(super) fn bring_cosigned(&self, note: &Note) -> Result<(), LogError> {
        let (Some(shared), Some(vkey)) = (&self.shared, self.vkey()?) else { return Ok(()) };
        let Some(there) = read(shared, &vkey)?.filter(|there| there.note.text() == note.text()) else {
            return Err(another_way(shared, &vkey, 0));
        };
        if there.note.signatures() >= note.signatures() {
            return Ok(());
        }
        match shared.replace(&place(&vkey, "checkpoint"), &note.to_string(), &there.tag)? {
            Some(_) => Ok(()),
            None => Err(another_way(shared, &vkey, there.checkpoint.size)),
        }
    }
}

/// The checkpoint in the store, signed by this log.
fn read(shared: &Shared, vkey: &Vkey) -> Result<Option<There>, LogError> {
    let at = place(vkey, "checkpoint");
    let Some(kept) = shared.read(&at)? else { return Ok(None) };
    let found = Note::parse(kept.body.as_bytes()).and_then(|note| {
        let signed = note.signed_by(vkey)?.is_some();
        let checkpoint = Checkpoint::parse(note.text())?;
        Ok((signed && checkpoint.origin == vkey.name()).then_some((note, checkpoint)))
    });
    match found {
        Ok(Some((note, checkpoint))) => Ok(Some(There { note, checkpoint, tag: kept.tag })),
        _ => Err(LogError::Contradicted(format!(
            "{}: {at} is no checkpoint of this log: somebody else wrote it; take it away there when you know who did",
            shared.address()
        ))),
    }
}

fn another_way(shared: &Shared, vkey: &Vkey, size: u64) -> LogError {
    LogError::Contradicted(format!(
        "{}: another copy of this log went on: its {size} leaves in {} are not what this copy begins with, or changed just now; only one copy may go on",
        shared.address(),
        place(vkey, "checkpoint"),
    ))
}

/// The log's place in a store is named after its key: copies of one log meet there, and no others.
fn place(vkey: &Vkey, path: &str) -> String {
    let digest = hex(&Sha256::digest(vkey.to_string()));
    format!("log/{}/{path}", digest.get(..32).unwrap_or_default())
}
