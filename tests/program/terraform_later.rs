//! What decides and is known only after the apply.

use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::model::Verdict;
use recourse::policy::Policy;
use recourse::terraform;
use recourse::world::MemoryWorld;
use serde_json::{Value, json};

/// One change of a type: its attributes before and after, and which of them are known only after the apply.
fn change(address: &str, before: Value, after: Value, unknown: Value) -> Value {
    let actions = if before.is_null() { json!(["create"]) } else { json!(["update"]) };
    json!({"address": address, "mode": "managed", "type": address.split('.').next(), "name": "it", "change":
        {"actions": actions, "before": before, "after": after, "after_unknown": unknown}})
}

fn verdict(changes: Value, configuration: Value) -> (Verdict, String) {
    let plan = json!({"format_version": "1.2", "resource_changes": changes,
        "configuration": {"root_module": {"resources": configuration}}});
    let read = terraform::read(plan.to_string().as_bytes()).unwrap();
    let context = EvaluationContext { cwd: "/".into(), ..EvaluationContext::default() };
    let world = MemoryWorld::default();
    let done = evaluate(Input::terraform(read), &context, &world, &Knowledge::builtin(), &Policy::default());
    let said = done.report.mutations.iter().map(|one| one.recoverability.reasoning.clone());
    (done.verdict(), said.collect::<Vec<_>>().join("; "))
}

/// The configuration gives these attributes of the resource by reference.
fn refers(address: &str, names: &[&str], to: &str) -> Value {
    let given: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({"references": [to]}))).collect();
    json!({"address": address, "expressions": given})
}

#[test]
fn an_update_whose_content_is_not_known_yet_is_told() {
    for (address, before, after, unknown, name) in [
        (
            "aws_iam_policy.it",
            json!({"name": "p", "policy": "{}"}),
            json!({"name": "p"}),
            json!({"policy": true}),
            "policy",
        ),
        (
            "aws_iam_role.it",
            json!({"name": "r", "assume_role_policy": "{}"}),
            json!({"name": "r"}),
            json!({"assume_role_policy": true}),
            "assume_role_policy",
        ),
        (
            "aws_s3_bucket_policy.it",
            json!({"bucket": "b", "policy": "{}"}),
            json!({"bucket": "b"}),
            json!({"policy": true}),
            "policy",
        ),
        (
            "aws_security_group_rule.it",
            json!({"type": "ingress", "cidr_blocks": ["10.0.0.0/8"]}),
            json!({"type": "ingress"}),
            json!({"cidr_blocks": true}),
            "cidr_blocks",
        ),
        (
            "google_compute_firewall.it",
            json!({"name": "f", "source_ranges": ["10.0.0.0/8"]}),
            json!({"name": "f"}),
            json!({"source_ranges": true}),
            "source_ranges",
        ),
        (
            "aws_s3_bucket_lifecycle_configuration.it",
            json!({"bucket": "b", "rule": [{"id": "a", "expiration": [{"days": 9}]}]}),
            json!({"bucket": "b"}),
            json!({"rule": true}),
            "rule",
        ),
        (
            "aws_ecr_lifecycle_policy.it",
            json!({"repository": "r", "policy": "{}"}),
            json!({"repository": "r"}),
            json!({"policy": true}),
            "policy",
        ),
    ] {
        for configuration in [json!([]), json!([refers(address, &[name], "aws_vpc.new.id")])] {
            let (found, said) = verdict(
                json!([change(address, before.clone(), after.clone(), unknown.clone())]),
                configuration,
            );
            assert!(found >= Verdict::Warn, "{address}: {said}");
            assert!(said.contains("is known only after the apply"), "{address}: {said}");
        }
    }
}

#[test]
fn what_the_provider_tells_and_what_only_refers_is_silent() {
    let group =
        json!({"name": "g", "ingress": [{"security_groups": ["sg-1"], "from_port": 443, "to_port": 443}]});
    let other = json!({"name": "g", "ingress": [{"from_port": 443, "to_port": 443}]});
    for (address, before, after, unknown) in [
        (
            "aws_iam_policy.it",
            json!({"name": "p", "policy": "{}"}),
            json!({"name": "p", "policy": "{}"}),
            json!({"arn": true, "id": true}),
        ),
        (
            "aws_s3_bucket_policy.it",
            json!({"bucket": "b", "policy": "{}"}),
            json!({"bucket": "b", "policy": "{}"}),
            json!({"id": true, "etag": true}),
        ),
        ("aws_security_group.it", group, other, json!({"ingress": [{"security_groups": [true]}]})),
        (
            "aws_security_group_rule.it",
            json!({"type": "egress", "cidr_blocks": ["10.0.0.0/8"]}),
            json!({"type": "egress"}),
            json!({"cidr_blocks": true}),
        ),
        (
            "aws_lambda_function.it",
            json!({"function_name": "f", "last_modified": "a"}),
            json!({"function_name": "f"}),
            json!({"last_modified": true}),
        ),
    ] {
        let (found, said) = verdict(json!([change(address, before, after, unknown)]), json!([]));
        assert_eq!(found, Verdict::Allow, "{address}: {said}");
    }
}

#[test]
fn what_is_made_with_all_that_it_is_about_is_silent() {
    let made = |address: &str, after: Value, unknown: Value| change(address, Value::Null, after, unknown);
    let policy = |bucket: Value, unknown: Value| made("aws_s3_bucket_policy.it", bucket, unknown);
    let bucket = made("aws_s3_bucket.it", json!({"bucket": "b"}), json!({"arn": true, "id": true}));
    let there = policy(json!({"bucket": "b"}), json!({"policy": true, "id": true}));
    let (found, said) = verdict(json!([there]), json!([]));
    assert_eq!(found, Verdict::Warn, "the bucket is there: {said}");
    assert!(said.contains("what it will allow is known only after the apply"), "{said}");
    assert_eq!(verdict(json!([bucket, there]), json!([])).0, Verdict::Allow, "the bucket is new");
    let both = policy(json!({}), json!({"bucket": true, "policy": true, "id": true}));
    assert_eq!(verdict(json!([bucket, both]), json!([])).0, Verdict::Allow, "by reference");
    for (address, after, unknown) in [
        ("aws_iam_role_policy.it", json!({"name": "p"}), json!({"role": true, "policy": true})),
        ("aws_iam_policy.it", json!({"name": "p"}), json!({"policy": true, "arn": true})),
        (
            "aws_security_group_rule.it",
            json!({"type": "ingress", "from_port": 443, "to_port": 443}),
            json!({"security_group_id": true, "source_security_group_id": true, "id": true}),
        ),
        (
            "aws_security_group_rule.it",
            json!({"type": "ingress", "security_group_id": "sg-1", "from_port": 443, "to_port": 443}),
            json!({"source_security_group_id": true}),
        ),
        ("aws_sns_topic_policy.it", json!({}), json!({"arn": true, "policy": true})),
    ] {
        let (found, said) = verdict(json!([made(address, after, unknown)]), json!([]));
        assert_eq!(found, Verdict::Allow, "{address}: {said}");
    }
    let rule = json!({"type": "ingress", "security_group_id": "sg-1", "from_port": 22, "to_port": 22});
    let (found, said) =
        verdict(json!([made("aws_security_group_rule.it", rule, json!({"cidr_blocks": true}))]), json!([]));
    assert_eq!(found, Verdict::Warn, "{said}");
}

/// A grant of what the same plan makes is judged where that is made; what is only looked up may be anything.
#[test]
fn a_grant_of_what_the_same_plan_makes_is_silent() {
    let policy = "aws_iam_role_policy_attachment.it";
    let member = "google_project_iam_member.it";
    let image = "azurerm_role_assignment.it";
    for (address, after, name, to, silent) in [
        (policy, json!({"role": "app"}), "policy_arn", "aws_iam_policy.app", true),
        (policy, json!({"role": "app"}), "policy_arn", "data.aws_iam_policy.app", false),
        (policy, json!({"role": "app"}), "policy_arn", "var.policy", false),
        (member, json!({"role": "roles/logging.logWriter"}), "member", "google_service_account.web", true),
        (member, json!({"role": "roles/owner"}), "member", "google_service_account.web", false),
        (
            member,
            json!({"role": "roles/logging.logWriter"}),
            "member",
            "google_cloud_identity_group.all",
            false,
        ),
        (image, json!({"role_definition_name": "AcrPull"}), "scope", "azurerm_container_registry.r", true),
        (image, json!({"role_definition_name": "AcrPull"}), "scope", "azurerm_resource_group.g", false),
    ] {
        let made = change(address, Value::Null, after, json!({name: true}));
        let (verdict, said) = verdict(json!([made]), json!([refers(address, &[name], to)]));
        assert_eq!(verdict == Verdict::Allow, silent, "{address} {to}: {said}");
    }
}
