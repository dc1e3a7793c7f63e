use serde_json::json;

use super::*;

const DIGEST: &str = "parent_attestation";

fn evaluation() -> Value {
    json!({
        "input": {"source": "shell", "input": "rm -rf /srv/data"},
        "output": {"schemaVersion": "recourse.consequence.v1", "riskAssessment": "block"},
        "evaluator": "recourse:1",
        "timestamp": "2026-05-01T14:30:00.000Z",
        "expires_at": "2026-05-01T14:45:00.000Z",
        "key_id": "k-1",
        "attestation_uri": "https://recourse.example/.well-known/attestations/x.json",
        "signature": "AA",
    })
}

fn approval(parent: &Value) -> Value {
    let mut child = evaluation();
    child["output"] = json!({"schemaVersion": APPROVAL, "decision": "approved", "riskAssessment": "block", "approver": {"user": "ann"}});
    child["timestamp"] = json!("2026-05-01T14:31:00.000Z");
    child["chain_id"] = json!("c-1");
    child[DIGEST] = json!(read(parent).digest());
    child
}

fn read(value: &Value) -> Attestation {
    Attestation::from_value(value).unwrap()
}

fn why(child: &Value, parent: &Value) -> String {
    let failure = follows(&read(child), &read(parent)).unwrap_err();
    assert_eq!(failure.reason, Reason::ChainInvalid);
    failure.detail
}

#[test]
fn an_approval_follows_its_evaluation() {
    let parent = evaluation();
    let child = approval(&parent);
    assert_eq!(follows(&read(&child), &read(&parent)), Ok(()));
    assert_eq!(check(&[read(&parent), read(&child)]), Ok(()));
    assert_eq!(check(&[read(&parent)]), Ok(()));
    assert!(check(&[]).is_err());
    assert!(check(&[read(&child)]).is_err(), "the chain does not start there");
    assert!(check(&[read(&child), read(&parent)]).is_err());
}

#[test]
fn what_breaks_a_chain() {
    let parent = evaluation();
    let with = |field: &str, value: Value| {
        let mut child = approval(&parent);
        child[field] = value;
        child
    };
    let without = |field: &str| {
        let mut child = approval(&parent);
        child.as_object_mut().unwrap().remove(field);
        child
    };
    let approved = |approver: Value| {
        let mut output = approval(&parent)["output"].clone();
        output["approver"] = approver;
        output
    };
    for (child, expected) in [
        (without(DIGEST), "names no parent"),
        (with(DIGEST, json!(format!("sha256:{}", "0".repeat(64)))), "another attestation"),
        (without("chain_id"), "names no chain"),
        (with("timestamp", json!("2026-05-01T14:29:59.999Z")), "older than its parent"),
        (with("timestamp", json!("2026-05-01T14:45:00.001Z")), "had expired"),
        (with("input", json!({"source": "shell", "input": "rm -rf /srv"})), "another input"),
        (
            with(
                "output",
                json!({"schemaVersion": APPROVAL, "decision": "approved", "riskAssessment": "warn"}),
            ),
            "another verdict",
        ),
        (with("output", json!({"schemaVersion": APPROVAL, "decision": "approved"})), "another verdict"),
        (
            with(
                "output",
                json!({"schemaVersion": APPROVAL, "decision": "denied", "riskAssessment": "block"}),
            ),
            "does not say that it approves",
        ),
        (with("output", approved(json!({}))), "does not say who"),
        (with("output", approved(json!({"user": ""}))), "does not say who"),
        (with("output", approved(json!("ann"))), "does not say who"),
    ] {
        let detail = why(&child, &parent);
        assert!(detail.contains(expected), "{detail} / {expected}");
    }

    let mut named = evaluation();
    named["chain_id"] = json!("c-2");
    let mut child = approval(&named);
    assert!(why(&child, &named).contains("different chains"));
    child["chain_id"] = json!("c-2");
    assert_eq!(follows(&read(&child), &read(&named)), Ok(()));

    let first = approval(&parent);
    let mut second = approval(&first);
    second[DIGEST] = json!(read(&first).digest());
    assert!(why(&second, &first).contains("cannot be approved"));
}
