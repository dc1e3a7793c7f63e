//! Every example beside a Terraform type, judged from end to end.

use std::path::Path;

use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::{Knowledge, TerraformExample, TerraformType};
use recourse::model::Verdict;
use recourse::policy::Policy;
use recourse::terraform;
use recourse::world::MemoryWorld;
use serde_json::{Value, json};

fn plan(name: &str, example: &TerraformExample) -> Value {
    let actions = match example.change.as_str() {
        "replace" => json!(["delete", "create"]),
        other => json!([other]),
    };
    let before = serde_json::to_value(&example.before).unwrap();
    let after = serde_json::to_value(&example.after).unwrap();
    let (before, after) = match example.change.as_str() {
        "create" => (Value::Null, after),
        "delete" => (before, Value::Null),
        "replace" => (before.clone(), before),
        _ => (before, after),
    };
    let state: Vec<Value> = example
        .state
        .iter()
        .map(|(kind, values)| json!({"address": format!("{kind}.other"), "mode": "managed", "type": kind, "name": "other", "values": values}))
        .collect();
    json!({
        "format_version": "1.2",
        "resource_changes": [{"address": format!("{name}.it"), "mode": "managed", "type": name, "name": "it",
            "provider_name": "registry.terraform.io/hashicorp/x",
            "change": {"actions": actions, "before": before, "after": after, "after_unknown": {}}}],
        "prior_state": {"format_version": "1.0", "values": {"root_module": {"resources": state}}}
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
fn examples_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/knowledge/terraform");
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let types = TerraformType::parse(&file, &std::fs::read_to_string(&path).unwrap()).unwrap();
        for (name, declared) in types {
            if declared.example.is_empty() {
                wrong.push(format!("{file}: {name} has no example"));
            }
            for example in &declared.example {
                count += 1;
                let (found, _, reason) = tier(&plan(&name, example));
                if found != example.tier {
                    let before = &example.before;
                    wrong.push(format!(
                        "{name} {} {before:?}: tier {found} ({reason}), want {}",
                        example.change, example.tier
                    ));
                }
                if reason.contains('{') {
                    wrong.push(format!("{name}: a placeholder was left open: {reason}"));
                }
            }
        }
    }
    assert!(count > 150, "{count} examples");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_type_that_no_rule_knows_is_never_let_go() {
    let example = |change: &str| TerraformExample {
        change: change.to_owned(),
        before: toml::Table::new(),
        after: toml::Table::new(),
        state: Default::default(),
        tier: 5,
    };
    for name in ["acme_widget", "acme_database", "kubernetes_persistent_volume_claim", "acme_secret_key"] {
        for change in ["delete", "replace"] {
            let (_, verdict, reason) = tier(&plan(name, &example(change)));
            assert!(verdict >= Verdict::Escalate, "{name} {change}: {reason}");
        }
        assert_eq!(tier(&plan(name, &example("update"))).1, Verdict::Warn);
        assert_eq!(tier(&plan(name, &example("create"))).1, Verdict::Allow);
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
