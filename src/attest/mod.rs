//! Attestation: proof that an evaluation happened, on what, when, by whom and with which verdict.
//!
//! Owns the protocol: the signed document, keys and registries, verification, and (with the feature `signing`) the
//! operator's side. Uses nothing of the crate but `model`, and nothing of a machine but what a caller hands in, except
//! where a module says so; `default-features = false` leaves verification alone.
//!
//! | module | owns |
//! | --- | --- |
//! | [`json`] | strict JSON in, canonical bytes out (RFC 8785) |
//! | [`time`] | RFC 3339 in milliseconds |
//! | [`origin`] | scheme, host and port: what trust is given to |
//! | [`document`] | the attestation's shape, id and signed bytes |
//! | [`signature`] | Ed25519, strictly; base64url |
//! | [`registry`] | the key registry, key states and the steps between them |
//! | [`disk`] | files that stay private and whole |

pub mod disk;
pub mod document;
pub mod json;
pub mod origin;
pub mod registry;
pub mod signature;
pub mod time;

pub use document::{Attestation, DocumentError};
pub use origin::Origin;
pub use time::Time;
