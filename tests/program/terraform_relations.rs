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

fn with(address: &str, actions: Value, before: Value, after: Value, more: Value) -> Value {
    let mut change = change(address, "delete", before);
    change["change"]["actions"] = actions;
    change["change"]["after"] = after;
    if more.get("importing").is_some() {
        change["change"]["importing"] = more["importing"].clone();
    } else {
        change.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    }
    change
}

#[test]
fn an_object_left_over_from_a_replacement_is_judged_as_what_it_is() {
    let left = |kind: &str, before: Value| {
        let old = with(
            &format!("{kind}.a"),
            json!(["delete"]),
            before.clone(),
            Value::Null,
            json!({"deposed": "1a2b"}),
        );
        let stays = with(&format!("{kind}.a"), json!(["no-op"]), before.clone(), before, json!({}));
        judged(json!([old, stays]), json!([]))
    };
    let table = left("aws_dynamodb_table", json!({"name": "t"}));
    assert_eq!(table.verdict(), Verdict::Block, "its items go, whatever stands at the address now");
    assert!(table.assessments[0].mutation.facts.contains_key("deposed"));
    assert_eq!(left("aws_iam_policy", json!({"arn": "a", "policy": "{}"})).verdict(), Verdict::Allow);
}

#[test]
fn what_is_moved_imported_or_removed_from_the_state_loses_nothing_by_that() {
    let table = json!({"name": "t"});
    let other = json!({"name": "u"});
    let moved = json!({"previous_address": "aws_dynamodb_table.old"});
    let imported = json!({"importing": {"id": "t"}});
    for more in [moved, imported] {
        let judged = |actions: Value, after: &Value| {
            let change = with("aws_dynamodb_table.a", actions, table.clone(), after.clone(), more.clone());
            verdict(json!([change]), json!([]))
        };
        assert_eq!(judged(json!(["no-op"]), &table), Verdict::Allow, "{more}");
        assert_eq!(
            judged(json!(["update"]), &json!({"name": "t", "tags": {"a": "b"}})),
            Verdict::Allow,
            "{more}"
        );
        assert_eq!(judged(json!(["delete", "create"]), &other), Verdict::Block, "{more}");
    }
    let removed = |actions: Value, after: Value| {
        let change = with("aws_dynamodb_table.a", actions, table.clone(), after, json!({}));
        verdict(json!([change]), json!([]))
    };
    assert_eq!(removed(json!(["forget"]), Value::Null), Verdict::Allow);
    assert_eq!(removed(json!(["create", "forget"]), table.clone()), Verdict::Allow);
}

/// A plan does not say whether a provisioner is for the making or for the destruction.
#[test]
fn commands_of_a_resource_are_read_when_it_is_made_and_when_it_goes() {
    let provisioned = |expression: Value| {
        json!([{"address": "terraform_data.a", "mode": "managed", "type": "terraform_data", "name": "a",
            "provisioners": [{"type": "local-exec", "expressions": {"command": expression}}]}])
    };
    let done = |actions: Value, expression: Value| {
        let value = json!({"id": "x"});
        let [before, after] = match actions[0].as_str() {
            Some("create") => [Value::Null, value],
            Some("delete") => [value, Value::Null],
            _ => [value.clone(), value],
        };
        judged(json!([with("terraform_data.a", actions, before, after, json!({}))]), provisioned(expression))
    };
    let text = json!({"constant_value": "rm -rf /srv/orders"});
    let hidden = json!({"references": ["self.input"]});
    let removes =
        |done: &Evaluation| done.assessments.iter().any(|one| one.mutation.target.id.contains("/srv/orders"));
    for actions in [json!(["delete"]), json!(["create"]), json!(["delete", "create"])] {
        assert!(removes(&done(actions.clone(), text.clone())), "{actions}");
        assert_eq!(done(actions.clone(), hidden.clone()).verdict(), Verdict::Escalate, "{actions}");
    }
    for actions in [json!(["no-op"]), json!(["update"]), json!(["forget"])] {
        assert!(!removes(&done(actions.clone(), text.clone())), "{actions}");
        assert_eq!(done(actions.clone(), hidden.clone()).verdict(), Verdict::Allow, "{actions}");
    }
}
