//! Why a verification fails, in words that other programs know.
//!
//! Owns the closed list of reasons and their spelling on the wire. Looks at nothing.

use std::fmt;

use thiserror::Error;

/// Why an attestation is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Not an attestation: its JSON, shape or encoding is wrong.
    InvalidAttestation,
    /// There is none.
    AttestationAbsent,
    /// Its instance is not among the trusted ones.
    InstanceNotTrusted,
    /// The registry or a copy that must be compared could not be had. Nothing is said about the attestation itself.
    NetworkError,
    /// What this machine itself keeps for verifying cannot be read or written: nonces, kept registries, its own keys.
    LocalFault,
    /// The registry is older than one that was accepted before.
    RegistryRollback,
    /// The registry has no single, usable key of that name.
    KeyNotFound,
    /// The key is not valid yet.
    KeyPending,
    /// The key is not to be trusted, whenever it signed.
    KeyCompromised,
    /// The signature is not that key's over this content.
    SignatureInvalid,
    /// What should be the same is not: URI and content, report and output, input and what is to run, the two copies.
    CrossCheckMismatch,
    /// Outside the time in which it holds, on either side.
    AttestationExpired,
    /// Its nonce was spent before.
    NonceReused,
    /// It does not follow what it says it follows.
    ChainInvalid,
    /// The memory that machines share did not say that this is the first use.
    StoreUnavailable,
    /// No log that is believed is shown to hold it, before enough witnesses.
    NotLogged,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 16] = [
        Self::InvalidAttestation,
        Self::AttestationAbsent,
        Self::InstanceNotTrusted,
        Self::NetworkError,
        Self::LocalFault,
        Self::RegistryRollback,
        Self::KeyNotFound,
        Self::KeyPending,
        Self::KeyCompromised,
        Self::SignatureInvalid,
        Self::CrossCheckMismatch,
        Self::AttestationExpired,
        Self::NonceReused,
        Self::ChainInvalid,
        Self::StoreUnavailable,
        Self::NotLogged,
    ];

    /// The word on the wire and in logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidAttestation => "invalid_attestation",
            Self::AttestationAbsent => "attestation_absent",
            Self::InstanceNotTrusted => "instance_not_trusted",
            Self::NetworkError => "network_error",
            Self::LocalFault => "local_fault",
            Self::RegistryRollback => "registry_rollback",
            Self::KeyNotFound => "key_not_found",
            Self::KeyPending => "key_pending",
            Self::KeyCompromised => "key_compromised",
            Self::SignatureInvalid => "signature_invalid",
            Self::CrossCheckMismatch => "cross_check_mismatch",
            Self::AttestationExpired => "attestation_expired",
            Self::NonceReused => "nonce_reused",
            Self::ChainInvalid => "chain_invalid",
            Self::StoreUnavailable => "store_unavailable",
            Self::NotLogged => "not_logged",
        }
    }

    /// Whether trying again may help. Failures of cryptography or trust are final.
    pub fn may_retry(self) -> bool {
        self == Self::NetworkError
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A verification that failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason}: {detail}")]
pub struct Failure {
    /// The closed word.
    pub reason: Reason,
    /// What exactly, for people and logs. May quote the document.
    pub detail: String,
}

impl Failure {
    /// A failure with its detail.
    pub fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }
}
