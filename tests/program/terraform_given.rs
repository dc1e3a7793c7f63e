//! Who gets more by a plan: what only gets another key, another account, and what a change says of itself.

use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::model::Verdict;
use recourse::policy::Policy;
use recourse::terraform;
use recourse::world::MemoryWorld;
use serde_json::{Value, json};

use super::terraform_relations::{change, verdict, with};

/// Who had it already gets no more by another key.
#[test]
fn the_same_grant_under_another_key_gives_nobody_more() {
    let grant = |key: &str, action: &str, role: &str| {
        let address = format!("google_project_iam_member.a[\"{key}\"]");
        change(&address, action, json!({"project": "p", "role": role, "member": "user:joe@acme.example"}))
    };
    let gone = grant("0", "delete", "roles/storage.admin");
    assert_eq!(
        verdict(json!([gone, grant("joe", "create", "roles/storage.admin")]), json!([])),
        Verdict::Allow
    );
    assert_ne!(verdict(json!([gone, grant("joe", "create", "roles/owner")]), json!([])), Verdict::Allow);
    assert_ne!(verdict(json!([grant("joe", "create", "roles/storage.admin")]), json!([])), Verdict::Allow);
}

/// The same in another account, by another provider configuration, is more.
#[test]
fn the_same_grant_in_another_account_is_more() {
    let grant = |name: &str, action: &str| {
        let address = format!("aws_iam_role_policy_attachment.{name}");
        change(
            &address,
            action,
            json!({"role": "app", "policy_arn": "arn:aws:iam::aws:policy/AdministratorAccess"}),
        )
    };
    let plan = |second: &str| {
        let resource = |name: &str, key: &str| json!({"address": format!("aws_iam_role_policy_attachment.{name}"), "provider_config_key": key});
        json!({"format_version": "1.2", "resource_changes": [grant("a", "delete"), grant("b", "create")],
            "configuration": {"provider_config": {"aws": {"name": "aws"}, "aws.prod": {"name": "aws"}},
                "root_module": {"resources": [resource("a", "aws"), resource("b", second)]}}})
    };
    assert_eq!(of_plan(plan("aws")), Verdict::Allow);
    assert_ne!(of_plan(plan("aws.prod")), Verdict::Allow);
}

fn of_plan(plan: Value) -> Verdict {
    let read = terraform::read(plan.to_string().as_bytes()).unwrap();
    let context = EvaluationContext { cwd: "/".into(), ..EvaluationContext::default() };
    let world = MemoryWorld::default();
    evaluate(Input::terraform(read), &context, &world, &Knowledge::builtin(), &Policy::default()).verdict()
}

/// What the change itself says does not make an account one's own.
#[test]
fn another_account_is_not_made_ones_own_by_the_change() {
    let policy = |statement: Value| {
        let own = json!({"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::111122223333:root"}, "Action": "kms:*", "Resource": "*"});
        let list = if statement.is_null() { json!([own]) } else { json!([own, statement]) };
        json!({"Version": "2012-10-17", "Statement": list}).to_string()
    };
    let outside = json!({"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::999988887777:root"}, "Action": "kms:Decrypt", "Resource": "*"});
    let arn = "arn:aws:kms:eu-west-1:111122223333:key/k";
    let before = json!({"arn": arn, "policy": policy(Value::Null)});
    let judged = |text: String, more: Value| {
        let mut after = json!({"arn": arn, "policy": text});
        after.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        verdict(
            json!([with("aws_kms_key.k", json!(["update"]), before.clone(), after, json!({}))]),
            json!([]),
        )
    };
    let whole = json!({"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::999988887777:root"}, "Action": "kms:*", "Resource": "*"});
    let anybodys =
        json!({"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "kms:Decrypt", "Resource": "*"});
    let org = |id: &str| {
        let mut one = outside.clone();
        one["Condition"] = json!({"StringEquals": {"aws:PrincipalOrgID": id}});
        one
    };
    let text = policy(outside.clone());
    for (text, more) in [
        (text.clone(), json!({})),
        (text.clone(), json!({"description": "arn:aws:iam::999988887777:root"})),
        (text.replace("\"Statement\"", "\"\\u0053tat\\u0065ment\""), json!({})),
        (policy(whole), json!({})),
        (policy(anybodys), json!({})),
        (policy(org("o-somebodys")), json!({})),
    ] {
        assert_ne!(judged(text.clone(), more), Verdict::Allow, "{text}");
    }
    let named = json!({"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::111122223333:role/app"}, "Action": "kms:DescribeKey", "Resource": "*"});
    assert_eq!(judged(policy(named), json!({})), Verdict::Allow, "one's own");
    let member =
        change("aws_guardduty_member.m", "create", json!({"account_id": "999988887777", "detector_id": "d"}));
    let change = with(
        "aws_kms_key.k",
        json!(["update"]),
        before.clone(),
        json!({"arn": arn, "policy": text}),
        json!({}),
    );
    assert_ne!(verdict(json!([member, change]), json!([])), Verdict::Allow, "a member is of another account");
}
