//! The report around an attestation: the attestation in it, and whether it is of this report (§7.1).
//!
//! Looks at nothing but its arguments.

use serde_json::Value;

use super::document::Attestation;
use super::reason::{Failure, Reason};
use crate::json;

/// The attestation beside a report.
///
/// # Errors
///
/// [`Reason::AttestationAbsent`] where there is no such field, [`Reason::InvalidAttestation`] where it holds no
/// attestation (`null` is one that is not valid, not an absent one).
pub fn beside(report: &Value) -> Result<Attestation, Failure> {
    let value = report
        .as_object()
        .ok_or_else(|| Failure::new(Reason::InvalidAttestation, "a report is a JSON object"))?
        .get("attestation")
        .ok_or_else(|| Failure::new(Reason::AttestationAbsent, "the report has no attestation beside it"))?;
    Attestation::from_value(value).map_err(invalid)
}

/// The attestation beside a report that [`json::parse`] gave, taken out of it: what is left is what it is to be of.
///
/// # Errors
///
/// As [`beside`].
pub fn take_from(report: &mut Value) -> Result<Attestation, Failure> {
    let none = |reason, why| Failure::new(reason, why);
    let value = report
        .as_object_mut()
        .ok_or_else(|| none(Reason::InvalidAttestation, "a report is a JSON object"))?
        .remove("attestation")
        .ok_or_else(|| none(Reason::AttestationAbsent, "the report has no attestation beside it"))?;
    Attestation::from_parsed(value).map_err(invalid)
}

/// Whether a report, without its `attestation` field, is what was attested.
pub(super) fn check_report(attestation: &Attestation, report: &Value) -> Result<(), Failure> {
    let written = match report.as_object().filter(|members| members.contains_key("attestation")) {
        None => json::canonical(report),
        Some(members) => {
            let body = members.iter().filter(|(name, _)| *name != "attestation");
            json::canonical(&Value::Object(body.map(|(name, value)| (name.clone(), value.clone())).collect()))
        }
    };
    let same = written.map_err(|error| mismatch(format!("the report: {error}")))?
        == json::canonical(attestation.output()).map_err(invalid)?;
    if same { Ok(()) } else { Err(mismatch("the report beside the attestation is not the attested output")) }
}

fn invalid(error: impl ToString) -> Failure {
    Failure::new(Reason::InvalidAttestation, error.to_string())
}

fn mismatch(detail: impl Into<String>) -> Failure {
    Failure::new(Reason::CrossCheckMismatch, detail)
}
