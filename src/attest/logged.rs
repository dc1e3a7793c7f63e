//! That a transparency log holds an attestation (docs/transparency.md).
//!
//! Owns where the proof comes from and what its failures are called. The proof itself is `tlog`'s.

use super::cache::{self, Fetch};
use super::document::Attestation;
use super::reason::{Failure, Reason};
use super::tlog::proof;
use super::tlog::{Entry, LogPolicy, Logged, Proof};

/// Where the proof of an attestation is published: beside it.
pub(crate) fn proof_url(attestation: &Attestation) -> String {
    let uri = attestation.uri();
    format!("{}.proof", uri.strip_suffix(".json").unwrap_or(uri))
}

/// Checks the proofs at hand, and where none of them holds the published one.
///
/// # Errors
/// [`Reason::NotLogged`]; [`Reason::NetworkError`] where the proof could not be had this time.
pub(super) fn check(
    policy: &LogPolicy,
    attestation: &Attestation,
    at_hand: &[Proof],
    fetch: Option<&dyn Fetch>,
    retries: u32,
) -> Result<Logged, Failure> {
    let refused = |detail: String| Failure::new(Reason::NotLogged, detail);
    let leaf = Entry::Attestation.leaf_of(attestation.canonical());
    let mut why = "no proof was given".to_owned();
    for proof in at_hand {
        match policy.check(proof, &leaf) {
            Ok(logged) => return Ok(logged),
            Err(error) => why = error.to_string(),
        }
    }
    let Some(fetch) = fetch else { return Err(refused(why)) };
    let url = proof_url(attestation);
    let bytes = match fetch.get(&url, proof::LIMIT) {
        Ok(bytes) => bytes,
        // A server that says there is none has answered.
        Err(error) if !error.transient => return Err(refused(error.to_string())),
        Err(_) => cache::get(fetch, &url, proof::LIMIT, retries.saturating_sub(1))?,
    };
    let found = Proof::parse(&bytes).and_then(|proof| policy.check(&proof, &leaf));
    found.map_err(|error| refused(format!("{url}: {error}")))
}
