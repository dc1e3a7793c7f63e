//! Plans with types that no rule knows, judged from end to end.

use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::model::Verdict;
use recourse::policy::Policy;
use recourse::terraform;
use recourse::world::MemoryWorld;
use serde_json::{Value, json};

fn plan(name: &str, change: &str) -> Value {
    let actions = match change {
        "replace" => json!(["delete", "create"]),
        other => json!([other]),
    };
    let (before, after) = match change {
        "create" => (Value::Null, json!({})),
        "delete" => (json!({}), Value::Null),
        _ => (json!({}), json!({})),
    };
    json!({
        "format_version": "1.2",
        "resource_changes": [{"address": format!("{name}.it"), "mode": "managed", "type": name, "name": "it",
            "provider_name": "registry.terraform.io/hashicorp/x",
            "change": {"actions": actions, "before": before, "after": after, "after_unknown": {}}}]
    })
}

fn tier(plan: &Value) -> (u8, Verdict, String) {
    let read = terraform::read(plan.to_string().as_bytes()).unwrap();
    let context = EvaluationContext { cwd: "/".into(), ..EvaluationContext::default() };
    let world = MemoryWorld::default();
    let done = evaluate(Input::terraform(read), &context, &world, &Knowledge::builtin(), &Policy::default());
    let found = &done.report.mutations[0].recoverability;
    (found.tier, done.verdict(), found.reasoning.clone())
}

#[test]
fn a_type_that_no_rule_knows_is_never_let_go() {
    for name in ["acme_widget", "acme_database", "acme_persistent_volume_claim", "acme_secret_key"] {
        for change in ["delete", "replace"] {
            let (_, verdict, reason) = tier(&plan(name, change));
            assert!(verdict >= Verdict::Escalate, "{name} {change}: {reason}");
        }
        assert_eq!(tier(&plan(name, "update")).1, Verdict::Warn);
        assert_eq!(tier(&plan(name, "create")).1, Verdict::Allow);
    }
}

#[test]
fn a_sure_loss_and_an_unknown_one_block_together() {
    let one = |name: &str, before: Value| {
        json!({"address": format!("{name}.it"), "mode": "managed", "type": name, "name": "it",
            "change": {"actions": ["delete"], "before": before, "after": null, "after_unknown": {}}})
    };
    let lost = one("aws_dynamodb_table", json!({"name": "t"}));
    let unknown = one("acme_widget", json!({}));
    for changes in [json!([lost, unknown]), json!([unknown, lost])] {
        let plan = json!({"format_version": "1.2", "resource_changes": changes});
        assert_eq!(tier(&plan).1, Verdict::Block);
    }
    let strange = json!({"format_version": "1.2", "resource_changes": [
        {"address": "a.b", "mode": "managed", "type": "terraform_data", "name": "b", "change": {"actions": ["vanish"], "before": {}, "after": null}}]});
    assert_eq!(tier(&strange).1, Verdict::Escalate);
    let errored = json!({"format_version": "1.2", "errored": true, "resource_changes": []});
    assert_eq!(tier(&errored).1, Verdict::Escalate);
}

/// The page on plans promises no more types than there are.
#[test]
fn the_page_says_how_many_types_of_a_provider_are_known() {
    let knowledge = Knowledge::builtin();
    let names = knowledge.terraform_types();
    let page = include_str!("../../docs/terraform.md");
    let mut rows = 0;
    for row in page.lines().filter_map(|line| line.strip_prefix("| ")) {
        let mut cells = row.split('|').map(str::trim);
        let (Some(provider), Some(Ok(promised))) = (cells.next(), cells.next().map(str::parse::<usize>))
        else {
            continue;
        };
        let prefix = format!("{provider}_");
        let known = names.iter().filter(|name| name.starts_with(&prefix)).count();
        assert!(
            promised <= known,
            "docs/terraform.md says {promised} types of {provider}; there are {known}"
        );
        rows += 1;
    }
    assert!(rows >= 7, "{rows} rows of docs/terraform.md were read");
}

/// Attributes that mean nothing to anybody but people are silent for every type and in every profile.
#[test]
fn labels_of_a_type_that_no_rule_knows_are_silent_and_protections_are_named() {
    let update = |before: Value, after: Value| {
        json!({"format_version": "1.2", "resource_changes": [{"address": "acme_cluster.it", "mode": "managed", "type": "acme_cluster",
            "name": "it", "change": {"actions": ["update"], "before": before, "after": after, "after_unknown": {"last_modified": true}}}]})
    };
    for name in ["tags", "tags_all", "labels", "description", "annotations", "display_name", "timeouts"] {
        let plan = update(json!({name: {"a": "b"}}), json!({name: {"a": "c"}}));
        assert_eq!(tier(&plan), (1, Verdict::Allow, tier(&plan).2), "{name}");
    }
    let grows = update(json!({"node_count": 3}), json!({"node_count": 5}));
    assert_eq!(tier(&grows).1, Verdict::Allow);
    assert_eq!(tier(&update(json!({"engine": "a"}), json!({"engine": "b"}))).1, Verdict::Warn);
    let open = update(json!({"deletion_protection": true}), json!({"deletion_protection": false}));
    assert_eq!(tier(&open).1, Verdict::Warn);
    for (before, after) in [
        (json!({"backup_retention_days": 30}), json!({"backup_retention_days": 1})),
        (json!({"force_destroy": false}), json!({"force_destroy": true})),
        (json!({"source_ranges": ["10.0.0.0/8"]}), json!({"source_ranges": ["0.0.0.0/0"]})),
        (json!({"node_count": 3}), json!({"node_count": 0})),
    ] {
        assert!(tier(&update(before.clone(), after.clone())).1 >= Verdict::Warn, "{before} {after}");
    }
}
