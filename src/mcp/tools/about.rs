//! Policy, and the tool that verifies what others hand over as proof.

use serde_json::{Value, json};

use crate::attest::verify::{self as verification, Expect};
use crate::attest::{Attestation, Failure, KeyState, Mode, Reason};
use crate::config;
use crate::json::{self as strict, DOCUMENT_LIMIT};
use crate::proof::{Gate, follow};

use super::fields::{Arguments, Kind, optional};
use super::result::{self, object};
use super::{Effect, Tool, Tools};

pub(super) const TOOLS: &[Tool] = &[Tool {
    name: "recourse_verify_attestation",
    title: "Verify an attestation",
    description: "Call this before relying on a report or an attestation that somebody else handed you. It checks signature, key, age and trust, and that the report is the one that was signed. Do not act on a verdict whose attestation is not valid.",
    fields: &[
        optional("attestation", Kind::Document, "The attestation."),
        optional(
            "report",
            Kind::Document,
            "The whole report, with its attestation beside it (then leave `attestation` out) or without.",
        ),
        optional(
            "input",
            Kind::Document,
            "What was to be evaluated; an attestation of anything else is refused.",
        ),
    ],
    output: verification_schema,
    effect: Effect::Fetches,
    run: verify,
}];

/// The policy of the directory that the server runs in.
pub(super) fn policy() -> Result<Value, String> {
    let here =
        std::env::current_dir().map_err(|error| format!("the current directory cannot be told: {error}"))?;
    config::policy(&here).map(|policy| policy.describe()).map_err(|error| error.to_string())
}

fn verify(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let read = |name: &str| {
        let text = arguments.document(name);
        // A report and the attestation beside it hold the same twice.
        text.map(|text| strict::parse(text.as_bytes(), 2 * DOCUMENT_LIMIT)).transpose()
    };
    let unusable = |name: &str| format!("`{name}` cannot be read");
    let input = read("input").map_err(|error| format!("{}: {error}", unusable("input")))?;
    let (attestation, report) = (read("attestation"), read("report"));
    let given = match (attestation, report) {
        (Ok(None), Ok(None)) => {
            return Err("give `attestation`, or a `report` with its attestation beside it".to_owned());
        }
        (Err(error), _) | (_, Err(error)) => Err(Failure::new(Reason::InvalidAttestation, error.to_string())),
        (Ok(Some(attestation)), Ok(report)) => from_value(&attestation).map(|found| (found, report)),
        (Ok(None), Ok(Some(report))) if report.get("detail").is_some() => Err(Failure::new(
            Reason::AttestationAbsent,
            "this is the brief form of a report; what is signed is the whole one: evaluate with detail \"full\"",
        )),
        (Ok(None), Ok(Some(report))) => verification::beside(&report).map(|found| (found, Some(report))),
    };
    let checked = given.and_then(|(attestation, report)| {
        let expect = Expect { report: report.as_ref(), input: input.as_ref() };
        let verified = verifier(tools)?.verify(&attestation, expect)?;
        Ok((attestation, verified))
    });
    let answer = match checked {
        Ok((attestation, verified)) => json!({
            "valid": true,
            "reason": null,
            "detail": null,
            "riskAssessment": attestation.risk_assessment(),
            "attestationId": attestation.id(),
            "attestationUri": attestation.uri(),
            "instance": attestation.origin().to_string(),
            "keyId": attestation.key_id(),
            "keyState": KeyState::as_str(verified.key_state),
            "timestamp": attestation.timestamp_text(),
            "warnings": verified.warnings,
        }),
        // What an attestation says that is not valid is nobody's word.
        Err(failure) => json!({
            "valid": false,
            "reason": failure.reason.as_str(),
            "detail": failure.detail,
            "riskAssessment": null,
            "attestationId": null,
            "attestationUri": null,
            "instance": null,
            "keyId": null,
            "keyState": null,
            "timestamp": null,
            "warnings": [],
        }),
    };
    Ok(result::structured(&answer.to_string()))
}

/// An attestation, or a report that was handed over as one.
fn from_value(value: &Value) -> Result<Attestation, Failure> {
    if value.get("signature").is_none() && value.get("attestation").is_some() {
        return verification::beside(value);
    }
    Attestation::from_value(value)
        .map_err(|error| Failure::new(Reason::InvalidAttestation, error.to_string()))
}

/// As configured. Nobody's instance but the own one is trusted unless the configuration names it: the attestation comes
/// from outside, and must not choose whom to ask about itself.
fn verifier(tools: &Tools) -> Result<crate::attest::Verifier, Failure> {
    let places = config::user_places().ok_or_else(|| {
        Failure::new(Reason::InstanceNotTrusted, "there is no home directory, so no instance is known")
    })?;
    let (mut settings, _) = follow(tools.attestation.clone(), Some(&places));
    if settings.trusted_instances.is_empty() {
        settings.allow_unfresh |= settings.mode != Mode::Require;
        settings.mode = Mode::Require;
    }
    Gate { config: &settings, places: &places }.verifier()
}

fn verification_schema() -> Value {
    let text = json!({ "type": ["string", "null"] });
    object(json!({
        "valid": { "type": "boolean", "description": "Only then may anybody rely on it." },
        "reason": text,
        "detail": text,
        "riskAssessment": { "type": ["string", "null"], "description": "The attested verdict; null unless it is valid." },
        "attestationId": text,
        "attestationUri": text,
        "instance": text,
        "keyId": text,
        "keyState": text,
        "timestamp": text,
        "warnings": { "type": "array", "items": { "type": "string" } },
    }))
}
