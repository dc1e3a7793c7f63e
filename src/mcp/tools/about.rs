//! The tools that tell about recourse itself and about proof: coverage, policy, verification.

use serde_json::{Value, json};

use crate::attest::json::{self as strict, DOCUMENT_LIMIT};
use crate::attest::verify::{self as verification, Expect};
use crate::attest::{Attestation, Failure, KeyState, Mode, Reason};
use crate::config;
use crate::proof::Gate;

use super::Tools;
use super::fields::Arguments;
use super::result::{self, object};

pub(super) fn resources(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let covered = tools.knowledge.coverage(arguments.text("filter"));
    serde_json::to_string(&covered).map(|json| result::structured(&json)).map_err(|error| error.to_string())
}

pub(super) fn resources_schema() -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    object(json!({
        "tools": { "type": "array", "items": { "type": "string" }, "description": "Programs with rules of their own." },
        "kinds": {
            "type": "array",
            "description": "Kinds of resources whose loss is judged by rule.",
            "items": object(json!({ "kind": { "type": "string" }, "title": { "type": "string" } })),
        },
        "terraformTypes": { "type": "array", "items": { "type": "string" }, "description": "Terraform types with rules of their own." },
        "mcpServers": {
            "type": "array",
            "description": "MCP servers whose tools are known.",
            "items": object(json!({ "server": { "type": "string" }, "also": texts, "tools": texts })),
        },
    }))
}

/// The policy of the directory that the server runs in.
pub(super) fn policy() -> Result<Value, String> {
    let here =
        std::env::current_dir().map_err(|error| format!("the current directory cannot be told: {error}"))?;
    config::policy(&here).map(|policy| policy.describe()).map_err(|error| error.to_string())
}

pub(super) fn verify(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
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
    let mut settings = tools.attestation.clone();
    if settings.trusted_instances.is_empty() {
        settings.allow_unfresh |= settings.mode != Mode::Require;
        settings.mode = Mode::Require;
    }
    Gate { config: &settings, places: &places }.verifier()
}

pub(super) fn verification_schema() -> Value {
    let text = || json!({ "type": ["string", "null"] });
    object(json!({
        "valid": { "type": "boolean", "description": "Only then may anybody rely on it." },
        "reason": { "type": ["string", "null"], "description": "Why it is not valid, for programs: signature_invalid, key_not_found, instance_not_trusted …" },
        "detail": { "type": ["string", "null"], "description": "The same for people." },
        "riskAssessment": { "type": ["string", "null"], "description": "The attested verdict; null unless it is valid." },
        "attestationId": text(),
        "attestationUri": text(),
        "instance": text(),
        "keyId": text(),
        "keyState": text(),
        "timestamp": text(),
        "warnings": { "type": "array", "items": { "type": "string" } },
    }))
}
