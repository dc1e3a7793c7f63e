//! Attestations that follow one another: an approval follows the evaluation that it approves.
//!
//! Owns what makes two attestations parent and child. That each is genuine is `verify`'s question. Looks at nothing but
//! its arguments.

use serde_json::Value;

use super::document::Attestation;
use super::reason::{Failure, Reason};
use crate::json;

/// `output.schemaVersion` of an approval.
pub const APPROVAL: &str = "recourse.approval.v1";

/// Whether an attestation is a human's approval of another.
pub fn is_approval(attestation: &Attestation) -> bool {
    attestation.output().get("schemaVersion").and_then(Value::as_str) == Some(APPROVAL)
}

/// Whether an attestation may stand without one before it: an approval names what it approves (§1.3).
///
/// # Errors
///
/// [`Reason::ChainInvalid`].
pub(super) fn stands_alone(attestation: &Attestation) -> Result<(), Failure> {
    if is_approval(attestation) && attestation.parent().is_none() {
        return Err(Failure::new(Reason::ChainInvalid, "the approval does not name what it approves"));
    }
    Ok(())
}

/// Checks that a child follows its parent: its digest, one chain, in order of time, within the time that the parent
/// holds; an approval is of the same input and verdict.
///
/// # Errors
///
/// [`Reason::ChainInvalid`].
pub fn follows(child: &Attestation, parent: &Attestation) -> Result<(), Failure> {
    let wrong = |detail: &str| Err(Failure::new(Reason::ChainInvalid, detail));
    match child.parent() {
        None => return wrong("the attestation names no parent"),
        Some(digest) if digest != parent.digest() => {
            return wrong("parent_attestation is the digest of another attestation");
        }
        Some(_) => {}
    }
    match (child.chain_id(), parent.chain_id()) {
        (None, _) => return wrong("the attestation names no chain"),
        (Some(own), Some(other)) if own != other => return wrong("parent and child name different chains"),
        // The first of a chain was made before there was one; those behind it all name it.
        (Some(_), None) if parent.parent().is_some() => return wrong("the parent names no chain"),
        (Some(_), _) => {}
    }
    if child.timestamp() < parent.timestamp() {
        return wrong("the attestation is older than its parent");
    }
    if parent.expires_at().is_some_and(|end| child.timestamp() > end) {
        return wrong("the parent had expired when the attestation was made");
    }
    if is_approval(child) {
        if is_approval(parent) {
            return wrong("an approval cannot be approved");
        }
        if child.output().get("decision").and_then(Value::as_str) != Some("approved") {
            return wrong("the approval does not say that it approves");
        }
        if json::canonical(child.input()) != json::canonical(parent.input()) {
            return wrong("the approval is of another input than its parent");
        }
        if child.risk_assessment().is_none() || child.risk_assessment() != parent.risk_assessment() {
            return wrong("the approval is of another verdict than its parent's");
        }
        let who = child.output().pointer("/approver/user").and_then(Value::as_str);
        if who.is_none_or(str::is_empty) {
            return wrong("the approval does not say who approved");
        }
    }
    Ok(())
}

/// [`follows`] for a whole chain, the first attestation first. The first must not name a parent.
///
/// # Errors
///
/// [`Reason::ChainInvalid`], also for an empty chain.
pub fn check(chain: &[Attestation]) -> Result<(), Failure> {
    match chain.first() {
        None => return Err(Failure::new(Reason::ChainInvalid, "the chain is empty")),
        Some(first) if first.parent().is_some() => {
            return Err(Failure::new(Reason::ChainInvalid, "the chain's first attestation names a parent"));
        }
        Some(first) => stands_alone(first)?,
    }
    chain.windows(2).try_for_each(|pair| match pair {
        [parent, child] => follows(child, parent),
        _ => Ok(()),
    })
}

#[cfg(test)]
#[path = "chain_tests.rs"]
mod tests;
