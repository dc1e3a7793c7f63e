//! What changes of one plan mean to each other.

use recourse::evaluate::{Evaluation, EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::model::Verdict;
use recourse::policy::Policy;
use recourse::terraform;
use recourse::world::MemoryWorld;
use serde_json::{Value, json};

pub(super) fn change(address: &str, action: &str, attributes: Value) -> Value {
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

pub(super) fn verdict(changes: Value, configuration: Value) -> Verdict {
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
    let moves = |changes: Value| {
        let done = judged(changes, json!([]));
        let first = done.assessments[0].alternatives[0].clone();
        let moved = first.command
            == "terraform state mv 'aws_dynamodb_table.a[\"old\"]' 'aws_dynamodb_table.a[\"new\"]'";
        moved.then_some(first.explanation)
    };
    let same = moves(json!([gone, made("orders")])).unwrap_or_default();
    assert!(same.starts_with("the plan makes the same thing at another address"), "{same}");
    let perhaps = moves(json!([gone, made("others")])).unwrap_or_default();
    assert!(perhaps.starts_with("if that is the same thing under another key"), "{perhaps}");
    let third = change("aws_dynamodb_table.a[\"third\"]", "create", json!({"name": "third"}));
    assert_eq!(moves(json!([gone, made("others"), third])), None, "which of them it would be is not told");
}

pub(super) fn with(address: &str, actions: Value, before: Value, after: Value, more: Value) -> Value {
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

fn risks(changes: Value) -> String {
    let done = judged(changes, json!([]));
    done.report.cross_action_risks.iter().map(|risk| risk.explanation.clone()).collect::<Vec<_>>().join("; ")
}

/// They name each other by what the provider calls them, not by their addresses.
#[test]
fn a_copy_that_goes_with_what_it_was_made_from_is_told() {
    let link = "https://www.googleapis.com/compute/v1/projects/p/zones/z/disks/d";
    let elsewhere = "https://www.googleapis.com/compute/v1/projects/p/zones/y/disks/d";
    let azure = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/d";
    for (thing, of, copy, by) in [
        ("aws_ebs_volume", json!({"id": "vol-1"}), "aws_ebs_snapshot", json!({"volume_id": "vol-1"})),
        (
            "aws_rds_cluster",
            json!({"id": "c", "cluster_identifier": "c"}),
            "aws_db_cluster_snapshot",
            json!({"db_cluster_identifier": "c"}),
        ),
        (
            "google_compute_disk",
            json!({"name": "d", "self_link": link}),
            "google_compute_snapshot",
            json!({"name": "s", "source_disk": link}),
        ),
        (
            "azurerm_managed_disk",
            json!({"name": "d", "id": azure}),
            "azurerm_snapshot",
            json!({"name": "s", "source_uri": azure}),
        ),
        (
            "azurerm_linux_virtual_machine",
            json!({"name": "v", "id": "/subscriptions/s/v"}),
            "azurerm_backup_protected_vm",
            json!({"source_vm_id": "/subscriptions/s/v"}),
        ),
        (
            "digitalocean_volume",
            json!({"id": "v-1", "name": "v"}),
            "digitalocean_volume_snapshot",
            json!({"name": "s", "volume_id": "v-1"}),
        ),
        (
            "scaleway_block_volume",
            json!({"id": "fr-par-1/v", "name": "v"}),
            "scaleway_block_snapshot",
            json!({"name": "s", "volume_id": "fr-par-1/v"}),
        ),
    ] {
        let gone =
            |name: &str, attributes: &Value| change(&format!("{name}.a"), "delete", attributes.clone());
        let found = risks(json!([gone(thing, &of), gone(copy, &by)]));
        assert!(found.contains("are deleted together"), "{thing}: {found}");
        assert_eq!(
            risks(json!([gone(thing, &json!({"id": "another", "name": "another"})), gone(copy, &by)])),
            "",
            "{thing}"
        );
    }
    let other = json!([
        change("google_compute_disk.a", "delete", json!({"name": "d", "self_link": link})),
        change("google_compute_snapshot.a", "delete", json!({"name": "s", "source_disk": elsewhere}))
    ]);
    assert_eq!(risks(other), "", "of the same name in another zone");
}

#[test]
fn a_lock_that_goes_with_what_it_locks_is_not_told_as_if_it_stayed() {
    let id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/st";
    let done = judged(
        json!([
            change("azurerm_management_lock.l", "delete", json!({"name": "l", "scope": id})),
            change("azurerm_storage_account.a", "delete", json!({"name": "st", "id": id}))
        ]),
        json!([]),
    );
    let said = &done.report.mutations[0].recoverability.reasoning;
    assert!(said.contains("goes together with"), "{said}");
}

#[test]
fn what_stays_encrypted_with_a_key_that_goes_is_named() {
    let arn = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd";
    let key = change(
        "aws_kms_key.k",
        "delete",
        json!({"key_id": "1234abcd", "arn": arn, "deletion_window_in_days": 7}),
    );
    let used = json!({"identifier": "orders", "kms_key_id": arn});
    let stays = with("aws_db_instance.orders", json!(["no-op"]), used.clone(), used.clone(), json!({}));
    let done = judged(json!([key, stays]), json!([]));
    assert_eq!(done.verdict(), Verdict::Escalate);
    assert!(
        risks(json!([key, stays]))
            .contains("aws_db_instance.orders stays and is encrypted with aws_kms_key.k")
    );
    let other = json!({"identifier": "orders", "kms_key_id": "arn:aws:kms:eu-west-1:111122223333:key/other"});
    let moved = with("aws_db_instance.orders", json!(["update"]), used.clone(), other, json!({}));
    assert_eq!(risks(json!([key, moved])), "", "it is encrypted with another one then");
    let plan = json!({"format_version": "1.2", "resource_changes": [key], "prior_state": {"values": {"root_module": {"resources": [
        {"address": "aws_rds_cluster.c", "mode": "managed", "type": "aws_rds_cluster", "values": {"kms_key_id": arn}}]}}}});
    let read = terraform::read(plan.to_string().as_bytes()).unwrap();
    let context = EvaluationContext { cwd: "/".into(), ..EvaluationContext::default() };
    let world = MemoryWorld::default();
    let done = evaluate(Input::terraform(read), &context, &world, &Knowledge::builtin(), &Policy::default());
    assert!(done.report.mutations[0].recoverability.reasoning.contains("aws_rds_cluster.c"));
    let google = "projects/p/locations/eu/keyRings/r/cryptoKeys/k";
    let bucket = json!({"name": "b", "encryption": [{"default_kms_key_name": google}]});
    let both = json!([
        change("google_kms_crypto_key.k", "delete", json!({"id": google, "name": "k"})),
        with("google_storage_bucket.b", json!(["no-op"]), bucket.clone(), bucket, json!({}))
    ]);
    assert!(risks(both).contains("google_storage_bucket.b stays"));
}

/// By what the plan says of the names, and by reference where it says nothing.
#[test]
fn what_guards_or_backs_up_a_thing_goes_with_it() {
    let repository = change("github_repository.r", "delete", json!({"name": "app", "node_id": "R_1"}));
    let rule =
        change("github_branch_protection.b", "delete", json!({"repository_id": "R_1", "pattern": "main"}));
    let reason = |changes: Value, configuration: Value, at: usize| {
        let done = judged(changes, configuration);
        done.report.mutations[at].recoverability.reasoning.clone()
    };
    let together = "it goes together with github_repository.r, which is judged by itself";
    assert_eq!(reason(json!([repository, rule]), json!([]), 1), together);
    assert!(!reason(json!([rule]), json!([]), 0).contains("together"));
    let unnamed =
        change("github_branch_protection.b", "delete", json!({"repository_id": "MDEw", "pattern": "main"}));
    let refers = json!([{"address": "github_branch_protection.b", "expressions": {"repository_id": {"references": ["github_repository.r.node_id", "github_repository.r"]}}}]);
    assert_eq!(reason(json!([repository, unnamed]), refers, 1), together);
    let stays = with(
        "github_repository.r",
        json!(["no-op"]),
        json!({"name": "app", "node_id": "R_1"}),
        json!({"name": "app", "node_id": "R_1"}),
        json!({}),
    );
    assert_eq!(verdict(json!([stays, rule]), json!([])), Verdict::Warn);
    // What is made anew without its protection has none; with it, it has another.
    let bucket = with(
        "aws_s3_bucket.b",
        json!(["delete", "create"]),
        json!({"bucket": "b", "force_destroy": false}),
        json!({"bucket": "c"}),
        json!({}),
    );
    let versions = |actions: Value| {
        let on = json!({"bucket": "b", "versioning_configuration": [{"status": "Enabled"}]});
        with("aws_s3_bucket_versioning.v", actions, on.clone(), on, json!({}))
    };
    assert!(
        reason(json!([bucket, versions(json!(["delete", "create"]))]), json!([]), 1).contains("together")
    );
    assert!(!reason(json!([bucket, versions(json!(["delete"]))]), json!([]), 1).contains("together"));
}

#[test]
fn what_lives_in_a_place_that_goes_is_not_left_in_it() {
    let server = change(
        "azurerm_postgresql_flexible_server.s",
        "delete",
        json!({"name": "pg", "id": "/subscriptions/1/pg"}),
    );
    let database = |of: &str| {
        change(
            "azurerm_postgresql_flexible_server_database.d",
            "delete",
            json!({"name": "orders", "server_id": of}),
        )
    };
    let said = |of: &str| {
        let done = judged(json!([server, database(of)]), json!([]));
        done.report.mutations[1].recoverability.reasoning.clone()
    };
    assert_eq!(
        said("/subscriptions/1/pg"),
        "it lives in azurerm_postgresql_flexible_server.s, which goes too"
    );
    assert!(said("/subscriptions/1/other").contains("point-in-time"), "its own server stays");
}

#[test]
fn versions_that_end_and_rules_that_delete_are_told_together() {
    let versions = with(
        "aws_s3_bucket_versioning.v",
        json!(["update"]),
        json!({"bucket": "b", "versioning_configuration": [{"status": "Enabled"}]}),
        json!({"bucket": "b", "versioning_configuration": [{"status": "Suspended"}]}),
        json!({}),
    );
    let rules = |bucket: &str| {
        let rule = json!([{"id": "a", "status": "Enabled", "expiration": [{"days": 30}]}]);
        change("aws_s3_bucket_lifecycle_configuration.l", "create", json!({"bucket": bucket, "rule": rule}))
    };
    assert_eq!(verdict(json!([versions, rules("b")]), json!([])), Verdict::Escalate);
    assert_eq!(verdict(json!([versions, rules("c")]), json!([])), Verdict::Warn, "of another bucket");
}

/// Which of several each is about, a reference does not say.
#[test]
fn of_several_instances_one_may_stay() {
    let repository = change("github_repository.r[\"a\"]", "delete", json!({"name": "a", "node_id": "R_a"}));
    let rule = change(
        "github_branch_protection.b[\"b\"]",
        "delete",
        json!({"repository_id": "R_b", "pattern": "main"}),
    );
    let refers = json!([{"address": "github_branch_protection.b", "expressions": {"repository_id": {"references": ["github_repository.r"]}}}]);
    let done = judged(json!([rule, repository]), refers);
    assert!(!done.report.mutations[0].recoverability.reasoning.contains("together"));
}

/// A snapshot in another region is of another database, whatever that is called.
#[test]
fn the_same_name_in_another_region_is_another_thing() {
    let database = change(
        "aws_db_instance.a",
        "delete",
        json!({"identifier": "orders", "arn": "arn:aws:rds:eu-west-1:1:db:orders", "skip_final_snapshot": true}),
    );
    let judged_with = |region: &str| {
        let snapshot = json!({"id": "s", "db_instance_identifier": "orders", "region": region});
        let plan = json!({"format_version": "1.2", "resource_changes": [database], "prior_state": {"values": {"root_module":
            {"resources": [{"address": "aws_db_snapshot.s", "mode": "managed", "type": "aws_db_snapshot", "values": snapshot}]}}}});
        let read = terraform::read(plan.to_string().as_bytes()).unwrap();
        let context = EvaluationContext { cwd: "/".into(), ..EvaluationContext::default() };
        let world = MemoryWorld::default();
        evaluate(Input::terraform(read), &context, &world, &Knowledge::builtin(), &Policy::default())
            .verdict()
    };
    assert_eq!(judged_with("eu-west-1"), Verdict::Warn, "a snapshot stays");
    assert_eq!(judged_with("us-east-1"), Verdict::Block);
}
