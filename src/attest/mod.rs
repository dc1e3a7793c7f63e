//! Attestation: signed proof that an evaluation happened, made by the operator and verified by anybody.
//!
//! Uses nothing of this crate but [`model`](crate::model). Without features this is the verifier's side alone;
//! `fetch` adds registries over HTTP, `signing` the operator's side. Places on disk are given by the caller: nothing
//! here looks at the environment.

pub mod disk;
pub mod registry;
