//! Where an operator's files stand. The caller says so; nothing here asks the environment.

use std::path::{Path, PathBuf};

/// The three folders of recourse itself (not their parents): for example `~/.local/share/recourse`,
/// `~/.local/state/recourse` and `~/.cache/recourse`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// What must not be lost: keys, registry, attestations, the audit log.
    pub data: PathBuf,
    /// What belongs to this machine: spent nonces, the audit log's head.
    pub state: PathBuf,
    /// What can be had again: others' registries.
    pub cache: PathBuf,
}

impl Places {
    /// All three under one folder.
    pub fn under(folder: &Path) -> Self {
        Self { data: folder.join("data"), state: folder.join("state"), cache: folder.join("cache") }
    }

    /// The private keys and the instance's own record.
    pub fn keys(&self) -> PathBuf {
        self.data.join("keys")
    }

    /// Every attestation that was signed here.
    pub fn attestations(&self) -> PathBuf {
        self.data.join("attestations")
    }

    /// What was signed for those who asked, and is not for everybody.
    pub fn unpublished(&self) -> PathBuf {
        self.data.join("unpublished")
    }

    /// The audit log.
    pub fn audit_log(&self) -> PathBuf {
        self.data.join("audit.jsonl")
    }

    /// What the audit log must reach to at least.
    pub fn audit_head(&self) -> PathBuf {
        self.state.join("audit.head")
    }

    /// The transparency log: its key, leaves and checkpoints.
    pub fn log(&self) -> PathBuf {
        self.data.join("tlog")
    }

    /// What a witness saw last, and its key.
    pub fn witness(&self) -> PathBuf {
        self.data.join("witness")
    }

    /// How far a witness has seen at least.
    pub fn witness_head(&self) -> PathBuf {
        self.state.join("witness")
    }

    /// Nonces that were spent here.
    pub fn nonces(&self) -> PathBuf {
        self.state.join("nonces")
    }

    /// The latest time that was seen.
    pub fn clock(&self) -> PathBuf {
        self.state.join("clock")
    }

    /// Registries of other instances.
    pub fn registries(&self) -> PathBuf {
        self.cache.join("registries")
    }
}
