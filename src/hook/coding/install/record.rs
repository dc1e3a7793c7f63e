//! What a file was before we changed it, kept so that taking us out again gives back those very bytes.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::attest::disk::{self, Access, DiskError};
use crate::attest::document::hex;
use crate::order;

/// Settings files are at most this large.
pub(super) const LIMIT: u64 = 16 << 20;

/// One changed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// The file.
    pub(super) file: PathBuf,
    /// What it held; `None`: there was none.
    pub(super) before: Option<String>,
    /// SHA-256 of what we wrote.
    pub(super) after: String,
    /// Folders that we made for it, the outermost first.
    pub(super) folders: Vec<PathBuf>,
}

/// SHA-256 in hexadecimal.
pub(super) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The folder of records.
#[derive(Clone, Debug)]
pub(super) struct Records(PathBuf);

impl Records {
    /// In `data/recourse/installed`.
    pub(super) fn open(data: &Path) -> Result<Self, DiskError> {
        let folder = data.join("installed");
        disk::private_dir(&folder)?;
        Ok(Self(folder))
    }

    fn path(&self, file: &Path) -> PathBuf {
        self.0.join(format!("{}.json", &digest(file.as_os_str().as_encoded_bytes())[..32]))
    }

    /// The record of a file; one that cannot be read counts as none, and then entries are taken out one by one.
    pub(super) fn get(&self, file: &Path) -> Result<Option<Record>, DiskError> {
        let Some(bytes) = disk::read_private(&self.path(file), LIMIT * 2)? else { return Ok(None) };
        Ok(serde_json::from_slice::<Record>(&bytes).ok().filter(|record| record.file == file))
    }

    /// Folders above a file that were made for another of ours: the last one that goes takes them with it.
    pub(super) fn made_above(&self, file: &Path) -> Vec<PathBuf> {
        let read = |entry: std::io::Result<std::fs::DirEntry>| {
            let bytes = disk::read_private(&entry.ok()?.path(), LIMIT * 2).ok()??;
            serde_json::from_slice::<Record>(&bytes).ok()
        };
        let records = std::fs::read_dir(&self.0).into_iter().flatten().filter_map(read);
        let mut made: Vec<PathBuf> = records.flat_map(|record| record.folders).collect();
        made.retain(|folder| file.starts_with(folder));
        order::sort(&mut made);
        made.dedup();
        made
    }

    /// Keeps a record.
    pub(super) fn keep(&self, record: &Record) -> Result<(), DiskError> {
        let bytes = serde_json::to_vec(record).unwrap_or_default();
        disk::write_atomic(&self.path(&record.file), &bytes, Access::Private)
    }

    /// Forgets a record.
    pub(super) fn forget(&self, file: &Path) {
        let _ = std::fs::remove_file(self.path(file));
    }
}
