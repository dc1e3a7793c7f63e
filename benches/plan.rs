//! What judging a long plan costs beside reading its JSON: `cargo bench --bench plan` prints both and their ratio.
//!
//! Nothing here fails: timings are read by people. `RECOURSE_BENCH_CHANGES=N` sets the number of changes (default 20,000).

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use std::time::{Duration, Instant};

use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::policy::Policy;
use recourse::terraform;
use recourse::world::MemoryWorld;
use serde_json::{Value, json};

const RUNS: usize = 5;
const TYPES: [&str; 10] = [
    "aws_instance",
    "aws_s3_bucket",
    "aws_security_group_rule",
    "aws_iam_role",
    "google_storage_bucket",
    "azurerm_storage_account",
    "aws_dynamodb_table",
    "kubernetes_deployment",
    "aws_db_instance",
    "acme_widget",
];

fn main() {
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    let changes: usize =
        std::env::var("RECOURSE_BENCH_CHANGES").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let text = plan(changes);
    println!("{changes} changes, {:.1} MB", text.len() as f64 / 1e6);
    let parsed = median(|| serde_json::from_slice::<Value>(&text).unwrap().is_object());
    println!("{:<40} {parsed:>9.0?}", "the JSON, parsed to a tree");
    let read = median(|| terraform::read(&text).is_ok());
    println!("{:<40} {read:>9.0?}", "the plan, read");
    let (world, knowledge, policy) = (MemoryWorld::default(), Knowledge::builtin(), Policy::default());
    let judged = median(|| {
        let plan = terraform::read(&text).unwrap();
        let context = EvaluationContext { cwd: "/".into(), ..EvaluationContext::default() };
        evaluate(Input::terraform(plan), &context, &world, &knowledge, &policy).internal_error
    });
    println!(
        "{:<40} {judged:>9.0?}  {:.2} x parsing",
        "read and judged",
        judged.as_secs_f64() / parsed.as_secs_f64()
    );
}

fn median(run: impl Fn() -> bool) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(run());
            start.elapsed()
        })
        .collect();
    times.sort();
    times[RUNS / 2]
}

/// Changes of every sort, with attributes of an ordinary length.
fn plan(changes: usize) -> Vec<u8> {
    let all: Vec<Value> = (0..changes)
        .map(|n| {
            let kind = TYPES[n % TYPES.len()];
            let was = json!({"id": format!("id-{n}"), "name": format!("n{n}"), "bucket": format!("b{n}"),
                "arn": format!("arn:aws:x:eu-central-1:123456789012:thing/{n}"), "region": "eu-central-1",
                "tags": {"Name": format!("n{n}"), "team": "a"}, "policy": "{\"Version\":\"2012-10-17\",\"Statement\":[]}",
                "settings": [{"a": 1, "b": [{"c": true}]}], "description": "something that is long enough"});
            let mut now = was.clone();
            now["tags"]["team"] = json!("b");
            now["instance_type"] = json!("t3.large");
            now["size"] = json!(n);
            let (actions, before, after) = match n / TYPES.len() % 5 {
                0 => (json!(["delete"]), was, Value::Null),
                1 => (json!(["update"]), was, now),
                2 => (json!(["create"]), Value::Null, now),
                3 => (json!(["no-op"]), was.clone(), was),
                _ => (json!(["delete", "create"]), was, now),
            };
            json!({"address": format!("{kind}.r[{n}]"), "mode": "managed", "type": kind, "name": "r", "index": n,
                "provider_name": "registry.terraform.io/hashicorp/aws",
                "change": {"actions": actions, "before": before, "after": after, "after_unknown": {"last": true},
                    "before_sensitive": {}, "after_sensitive": {}}})
        })
        .collect();
    json!({"format_version": "1.2", "terraform_version": "1.9.0", "resource_changes": all})
        .to_string()
        .into_bytes()
}
