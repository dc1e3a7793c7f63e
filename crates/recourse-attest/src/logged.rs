//! That a transparency log holds an attestation, and the registry that its key was looked up in (docs/transparency.md).
//!
//! Owns where proofs come from and what their failures are called: `not_logged` where the log says no, or says nothing;
//! `network_error` only where it could not be asked this time. The proof itself is `tlog`'s.

use std::thread;

use super::cache::{Fetch, PAUSE};
use super::document::Attestation;
use super::origin::Origin;
use super::reason::{Failure, Reason};
use super::tlog::merkle::Hash;
use super::tlog::proof;
use super::tlog::{Entry, LogPolicy, Logged, Proof};

/// What a log has to hold.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// An attestation.
    Attestation(&'a Attestation),
    /// The registry of an instance.
    Registry(&'a Origin),
}

impl Subject<'_> {
    /// Whose it is.
    pub fn origin(&self) -> &Origin {
        match self {
            Self::Attestation(attestation) => attestation.origin(),
            Self::Registry(origin) => origin,
        }
    }

    /// Where its proof is published: beside it.
    pub(crate) fn proof_url(&self) -> String {
        let url = match self {
            Self::Attestation(attestation) => attestation.uri().to_owned(),
            Self::Registry(origin) => origin.registry_url(),
        };
        format!("{}.proof", url.strip_suffix(".json").unwrap_or(&url))
    }

    /// What a failure speaks of.
    fn named(&self) -> &'static str {
        match self {
            Self::Attestation(_) => "the attestation",
            Self::Registry(_) => "the registry that its key stands in",
        }
    }
}

/// What proofs are looked for with.
pub(super) struct Demand<'a> {
    pub(super) policy: &'a LogPolicy,
    /// The network; none: nothing is fetched.
    pub(super) fetch: Option<&'a dyn Fetch>,
    pub(super) retries: u32,
}

impl Demand<'_> {
    /// Checks the proofs at hand, and where none of them holds the published one.
    ///
    /// # Errors
    /// Why the own log has no proof; [`Reason::NotLogged`]; [`Reason::NetworkError`] where it could not be had this time.
    pub(super) fn check(
        &self,
        subject: Subject<'_>,
        leaf: &[u8],
        at_hand: Result<Vec<Proof>, Failure>,
    ) -> Result<Logged, Failure> {
        match at_hand {
            Ok(proofs) => self.check_these(subject, leaf, &proofs),
            Err(why) => self.check_these(subject, leaf, &[]).map_err(|_| why),
        }
    }

    fn check_these(&self, subject: Subject<'_>, leaf: &[u8], at_hand: &[Proof]) -> Result<Logged, Failure> {
        let refused = |why: String| Failure::new(Reason::NotLogged, format!("{}: {why}", subject.named()));
        let mut why = "no proof was given".to_owned();
        let mut of_it = false;
        for proof in at_hand {
            // What is wrong with another entry's proof tells nothing of this one.
            let leads = proof.leads_from(leaf);
            match self.policy.check(proof, leaf) {
                Ok(logged) => return Ok(logged),
                Err(error) if leads || !of_it => (why, of_it) = (error.to_string(), leads),
                Err(_) => {}
            }
        }
        let Some(fetch) = self.fetch else { return Err(refused(why)) };
        let url = subject.proof_url();
        let bytes = self.fetched(fetch, &url, &refused).map_err(|failure| match failure.reason {
            // What is at hand was looked at, and is no proof of it; no network makes it one.
            Reason::NetworkError if !at_hand.is_empty() => refused(format!("{why}; and {}", failure.detail)),
            _ => failure,
        })?;
        let found = Proof::parse(&bytes).and_then(|proof| self.policy.check(&proof, leaf));
        found.map_err(|error| refused(format!("{url}: {error}")))
    }

    /// The published proof. A server that says that there is none has answered.
    fn fetched(
        &self,
        fetch: &dyn Fetch,
        url: &str,
        refused: &dyn Fn(String) -> Failure,
    ) -> Result<Vec<u8>, Failure> {
        let mut left = self.retries;
        loop {
            match fetch.get(url, proof::LIMIT) {
                Ok(bytes) => return Ok(bytes),
                Err(error) if error.local => return Err(Failure::new(error.reason(), error.to_string())),
                Err(error) if !error.transient => return Err(refused(error.to_string())),
                Err(error) if left == 0 => return Err(Failure::new(Reason::NetworkError, error.to_string())),
                Err(_) => {
                    left -= 1;
                    thread::sleep(PAUSE);
                }
            }
        }
    }
}

/// The leaf of a registry with this digest.
pub(super) fn registry_leaf(digest: &Hash) -> Vec<u8> {
    Entry::Registry.leaf(digest)
}

/// The leaf of an attestation.
pub(super) fn attestation_leaf(attestation: &Attestation) -> Vec<u8> {
    Entry::Attestation.leaf_of(attestation.canonical())
}

#[cfg(test)]
#[path = "logged_tests.rs"]
mod tests;
