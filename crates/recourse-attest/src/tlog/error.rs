//! Why a log did not go on, or has no answer.

use std::path::PathBuf;

use thiserror::Error;

use super::signer::SignerError;
use crate::audit::AuditError;
use crate::disk::DiskError;
use crate::fleet::Away;
use crate::json::JsonError;
use crate::keys::KeyError;
use crate::store::StoreError;

/// Why the log did not go on, or has no answer.
#[derive(Debug, Error)]
pub enum LogError {
    /// A file or folder.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The log's key.
    #[error("the log's key: {0}")]
    Key(#[from] SignerError),
    /// The instance's keys.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// The store of attestations.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The audit log.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The store that machines share.
    #[error(transparent)]
    Away(#[from] Away),
    /// The registry has no canonical form.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// There is no log.
    #[error("there is no transparency log yet: `recourse log checkpoint` begins one")]
    None,
    /// What is on disk is not what was signed.
    #[error(
        "the transparency log is damaged: {0}; restore {1} from its newest copy, never from an older one"
    )]
    Damaged(String, PathBuf),
    /// What can be made again is damaged.
    #[error(
        "the hashes of the transparency log in {} are not those over its leaves: `recourse log checkpoint` makes them again", .0.display()
    )]
    Hashes(PathBuf),
    /// What is asked for is not in it.
    #[error("{0} is not in the log yet: `recourse log checkpoint` puts it in")]
    NotYet(String),
    /// What others saw is not what is here.
    #[error("{0}")]
    Contradicted(String),
}
