//! Attestation: proof that an evaluation happened, on what, when, by whom and with which verdict.
//!
//! Owns the protocol: the signed document, keys and registries, verification, and (with the feature `signing`) the
//! operator's side. Knows nothing of what is evaluated: an input and an output are JSON here. Uses nothing of a machine but
//! what a caller hands in, except where a module says so. Without features it only verifies, and neither speaks HTTP
//! (`fetch`) nor holds keys (`signing`). The protocol itself is `docs/attestation.md` of the repository.
//!
//! | module | owns |
//! | --- | --- |
//! | [`json`] | strict JSON: bytes to values, values to the bytes that are signed |
//! | [`time`] | RFC 3339 in milliseconds |
//! | [`origin`] | scheme, host and port: what trust is given to |
//! | [`document`] | the attestation's shape, id and signed bytes |
//! | [`signature`] | Ed25519, strictly; base64url |
//! | [`registry`] | the key registry, key states and the steps between them |
//! | [`disk`] | files that stay private and whole |
//! | [`reason`] | the closed list of reasons why a verification fails |
//! | [`cache`] | registries of other instances: time to live, refresh, rollback protection |
//! | [`verify`] | the order of the checks |
//! | `around` | the report around an attestation: taken out of it, compared with it |
//! | `validity` | what a key's state and times mean to a verifier |
//! | `logged` | that a log holds an attestation, and the registry behind it |
//! | [`chain`] | what makes one attestation follow another |
//! | [`tlog`] | the transparency log: proofs, witnesses; with `signing` the log itself |
//! | [`trust`] | an organisation's bundle: whom its machines trust, and what they demand |
//! | [`mode`] | ignore, log, verify, require |
//! | `fetch` | HTTP (feature `fetch`) |
//! | `places` | where an operator's files stand (`signing`, as all below) |
//! | `keys` | private keys, the instance, every change of a key's state |
//! | `sign` | an evaluation becomes a signed, stored attestation |
//! | `statement` | an attestation as in-toto Statement, DSSE envelope and Sigstore bundle |
//! | `store` | the attestations that were signed here |
//! | `pruned` | attestations that are not kept any more, and that they were there |
//! | `publish` | registry and attestations as static files |
//! | `nonces` | what was used once is not used again |
//! | `beside` | `recourse-net`, the program beside this one that alone speaks with networks |
//! | `fleet` | what was spent on one machine is spent on all: an object store, through that program |
//! | `audit` | the hash-chained log |
//! | `retention` | what need not be kept goes by itself |
//!
//! # Verifying, as a third party
//!
//! ```
//! use recourse_attest::{Expect, Options, Origin, Reason, Registry, Verifier, json};
//!
//! // Trust is given to instances. With the feature `fetch`,
//! // `Verifier::new(options, HttpFetch::new(), DirectoryStore::new(folder))` fetches and keeps their registries.
//! let trusted = vec![Origin::base("https://recourse.example")?];
//! let options = Options { trusted, max_age: Some(900), ..Options::default() };
//! let known = json::parse(br#"{"instance_id": "prod", "registry_version": 1, "keys": []}"#, 1 << 20)?;
//! let verifier = Verifier::offline(options, Registry::from_value(&known)?);
//!
//! let failure = verifier.verify_json(b"{}", Expect::default()).unwrap_err();
//! assert_eq!(failure.reason, Reason::InvalidAttestation);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// The JSON Schema of an attestation, as published in `docs/attestation.schema.json`.
pub const ATTESTATION_SCHEMA: &str = include_str!("../attestation.schema.json");
/// The JSON Schema of a key registry, as published in `docs/registry.schema.json`.
pub const REGISTRY_SCHEMA: &str = include_str!("../registry.schema.json");

mod accept;
mod around;
#[cfg(feature = "signing")]
pub mod audit;
#[cfg(feature = "signing")]
pub mod beside;
pub mod cache;
pub mod chain;
#[cfg(feature = "signing")]
pub mod clock;
pub mod disk;
pub mod document;
#[cfg(feature = "fetch")]
pub mod fetch;
#[cfg(feature = "signing")]
pub mod fleet;
pub mod json;
#[cfg(feature = "signing")]
pub mod keys;
mod logged;
pub mod mode;
#[cfg(feature = "signing")]
pub mod nonces;
pub mod origin;
#[cfg(feature = "signing")]
pub mod places;
#[cfg(feature = "signing")]
pub mod pruned;
#[cfg(feature = "signing")]
pub mod publish;
pub mod reason;
pub mod registry;
#[cfg(feature = "signing")]
pub mod retention;
#[cfg(feature = "signing")]
pub mod sign;
pub mod signature;
#[cfg(feature = "signing")]
pub mod statement;
#[cfg(feature = "signing")]
pub mod store;
pub mod time;
pub mod tlog;
pub mod trust;
mod validity;
pub mod verify;

pub use cache::{CacheStore, DirectoryStore, Fetch, MemoryStore};
pub use document::{Attestation, DocumentError};
#[cfg(feature = "fetch")]
pub use fetch::HttpFetch;
pub use logged::Subject as Proven;
pub use mode::{Mode, Outcome, Proceed, decide};
pub use origin::Origin;
#[cfg(feature = "signing")]
pub use places::Places;
pub use reason::{Failure, Reason};
pub use registry::{KeyEntry, KeyState, Registry};
pub use time::Time;
pub use verify::{Expect, Options, Verified, Verifier};
