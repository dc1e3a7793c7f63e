//! What changes of one plan mean to each other.

use recourse::evaluate::{Evaluation, EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::model::Verdict;
use recourse::policy::Policy;
use recourse::terraform;
use recourse::world::MemoryWorld;
use serde_json::{Value, json};

fn change(address: &str, action: &str, attributes: Value) -> Value {
    let r#type = address.split('.').next().unwrap_or_default();
    let (before, after) =
        if action == "create" { (Value::Null, attributes) } else { (attributes, Value::Null) };
    json!({"address": address, "mode": "managed", "type": r#type, "name": "x", "change":
        {"actions": [action], "before": before, "after": after, "after_unknown": {}}})
}

fn judged(changes: Value, configuration: Value) -> Evaluation {
    let plan = json!({"format_version": "1.2", "resource_changes": changes,
        "configuration": {"root_module": {"resources": configuration}}});
    let read = terraform::read(plan.to_string().as_bytes()).unwrap();
    let context = EvaluationContext { cwd: "/".into(), ..EvaluationContext::default() };
    evaluate(
        Input::terraform(read),
        &context,
        &MemoryWorld::default(),
        &Knowledge::builtin(),
        &Policy::default(),
    )
}

fn verdict(changes: Value, configuration: Value) -> Verdict {
    judged(changes, configuration).verdict()
}

#[test]
fn rules_that_delete_lose_nothing_where_all_is_new() {
    let rule = json!([{"id": "a", "status": "Enabled", "expiration": [{"days": 1}]}]);
    let rules = |attributes: Value| change("aws_s3_bucket_lifecycle_configuration.a", "create", attributes);
    let known = rules(json!({"bucket": "b", "rule": rule}));
    let bucket = change("aws_s3_bucket.a", "create", json!({"bucket": "b"}));
    assert_eq!(verdict(json!([known]), json!([])), Verdict::Warn, "the bucket is there");
    assert_eq!(verdict(json!([bucket, known]), json!([])), Verdict::Allow, "the same name");
    let unnamed = change("aws_s3_bucket.a", "create", json!({}));
    let refers = json!([{"address": "aws_s3_bucket_lifecycle_configuration.a", "expressions": {"bucket": {"references": ["aws_s3_bucket.a.id"]}}}]);
    assert_eq!(
        verdict(json!([unnamed, rules(json!({"rule": rule}))]), refers),
        Verdict::Allow,
        "by reference"
    );
    let other = change("aws_s3_bucket.other", "create", json!({"bucket": "c"}));
    assert_eq!(verdict(json!([other, known]), json!([])), Verdict::Warn, "another bucket is new");
}

#[test]
fn the_parts_of_a_bucket_do_not_keep_each_other() {
    let gone = |kind: &str, more: Value| {
        let mut attributes = json!({"bucket": "b"});
        attributes.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        change(&format!("{kind}.a"), "delete", attributes)
    };
    let all = json!([
        gone("aws_s3_bucket", json!({"force_destroy": false})),
        gone("aws_s3_bucket_versioning", json!({"versioning_configuration": [{"status": "Enabled"}]})),
        gone("aws_s3_bucket_public_access_block", json!({"block_public_acls": true})),
        gone("aws_s3_bucket_policy", json!({"policy": "{}"})),
    ]);
    assert_eq!(verdict(all.clone(), json!([])), Verdict::Allow);
    let apart = json!([all[1], all[2]]);
    assert!(judged(apart, json!([])).report.cross_action_risks.is_empty());
}

#[test]
fn a_backup_is_worth_as_much_as_its_key() {
    let database = change(
        "aws_db_instance.a",
        "delete",
        json!({"identifier": "d", "skip_final_snapshot": false, "final_snapshot_identifier": "last"}),
    );
    let key = change("aws_kms_key.k", "delete", json!({"key_id": "k"}));
    let uses = |name: &str| json!([{"address": "aws_db_instance.a", "expressions": {name: {"references": ["aws_kms_key.k.arn"]}}}]);
    assert_eq!(verdict(json!([database, key]), uses("kms_key_id")), Verdict::Block);
    assert_eq!(verdict(json!([database, key]), uses("name")), Verdict::Warn);
}

#[test]
fn what_only_gets_another_address_can_be_moved() {
    let gone = change("aws_dynamodb_table.a[\"old\"]", "delete", json!({"name": "orders"}));
    let made = |name: &str| change("aws_dynamodb_table.a[\"new\"]", "create", json!({"name": name}));
    let moves = |name: &str| {
        let done = judged(json!([gone, made(name)]), json!([]));
        done.assessments[0]
            .alternatives
            .iter()
            .any(|other| other.command.starts_with("terraform state mv 'aws_dynamodb_table.a"))
    };
    assert!(moves("orders") && !moves("others"));
}
