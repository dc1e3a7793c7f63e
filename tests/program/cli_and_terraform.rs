//! One act, one judgement: what a command line and a plan can both express is judged from both sides, without evidence. The
//! acts stand in `tests/data/cli_and_terraform.toml`.

use std::path::PathBuf;

use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::model::{Tier, Verdict};
use recourse::policy::Policy;
use recourse::world::MemoryWorld;
use recourse::{shell, terraform};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Acts {
    act: Vec<Act>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Act {
    /// The command.
    run: String,
    /// The plan's change.
    r#type: String,
    change: String,
    #[serde(default)]
    before: Option<Value>,
    #[serde(default)]
    after: Option<Value>,
    /// What the plan's provider is told, as a plan's configuration writes it.
    #[serde(default)]
    provider: Option<Value>,
    /// Why the plan's side is the milder one.
    differs: Option<String>,
    /// The kind that the plan's side has for what goes, where it is another one.
    theirs: Option<String>,
}

fn acts() -> Vec<Act> {
    toml::from_str::<Acts>(include_str!("../data/cli_and_terraform.toml")).unwrap().act
}

fn plan(act: &Act) -> Value {
    let name = &act.r#type;
    let provider = "registry.terraform.io/hashicorp/x";
    json!({
        "format_version": "1.2",
        "configuration": {"provider_config": {"x": {"full_name": act.provider.as_ref().map(|_| provider),
            "expressions": act.provider}}},
        "resource_changes": [{"address": format!("{name}.it"), "mode": "managed", "type": name, "name": "it",
            "provider_name": provider,
            "change": {"actions": [act.change], "before": act.before, "after": act.after, "after_unknown": {}}}]
    })
}

/// Kind, tier and reason of the worst mutation, and the verdict.
fn judged(input: Input, knowledge: &Knowledge) -> (String, Tier, Verdict, String) {
    let context = EvaluationContext { cwd: PathBuf::from("/home/me"), ..EvaluationContext::default() };
    let done = evaluate(input, &context, &MemoryWorld::new(), knowledge, &Policy::default());
    let worst = done.assessments.iter().max_by_key(|one| one.recoverability.tier.severity());
    let worst = worst.unwrap_or_else(|| panic!("nothing comes of it"));
    let found = &worst.recoverability;
    (worst.mutation.kind.clone(), found.tier, done.verdict(), found.reasoning.clone())
}

#[test]
fn a_command_and_a_plan_never_contradict_each_other() {
    let knowledge = Knowledge::builtin();
    let acts = acts();
    assert!(acts.len() >= 300, "{}", acts.len());
    let mut wrong = Vec::new();
    for act in &acts {
        let text = shell::Input::Text(act.run.clone());
        let (kind, tier, verdict, reason) = judged(Input::Shell(text), &knowledge);
        let read = terraform::read(plan(act).to_string().as_bytes()).unwrap();
        let (their_kind, their_tier, their_verdict, their_reason) =
            judged(Input::terraform(read), &knowledge);
        let same = (tier, verdict) == (their_tier, their_verdict);
        let right = match &act.differs {
            None => same,
            // A reason that is none any more has to go.
            Some(_) => {
                tier != their_tier && their_tier.severity() <= tier.severity() && their_verdict <= verdict
            }
        };
        if act.theirs.as_ref().unwrap_or(&kind) != &their_kind || !right {
            wrong.push(format!(
                "{}\n  {} {}\n    {kind} {tier:?} {verdict:?}: {reason}\n    {their_kind} {their_tier:?} {their_verdict:?}: {their_reason}",
                act.run, act.r#type, act.change
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), acts.len(), wrong.join("\n"));
}

/// A protection that goes with what it protects is judged with it; alone it is a loss of its own.
#[test]
fn a_protection_that_goes_with_its_bucket_is_no_loss_of_its_own() {
    let knowledge = Knowledge::builtin();
    let gone = |name: &str, before: Value| {
        json!({"address": format!("{name}.it"), "mode": "managed", "type": name, "name": "it",
            "change": {"actions": ["delete"], "before": before, "after": null, "after_unknown": {}}})
    };
    let bucket = gone("aws_s3_bucket", json!({"bucket": "b", "force_destroy": false}));
    let block = gone("aws_s3_bucket_public_access_block", json!({"bucket": "b", "block_public_acls": true}));
    let versions = gone("aws_s3_bucket_versioning", json!({"bucket": "b"}));
    let verdict = |changes: Value| {
        let plan = json!({"format_version": "1.2", "resource_changes": changes});
        let read = terraform::read(plan.to_string().as_bytes()).unwrap();
        judged(Input::terraform(read), &knowledge).2
    };
    assert_eq!(verdict(json!([bucket, block, versions])), Verdict::Allow);
    assert_eq!(verdict(json!([block])), Verdict::Escalate);
    assert_eq!(verdict(json!([versions])), Verdict::Warn);
    let other = gone("aws_s3_bucket", json!({"bucket": "c", "force_destroy": false}));
    assert_eq!(verdict(json!([other, versions])), Verdict::Warn);
}
