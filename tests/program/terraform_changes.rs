//! Changes of real types, labelled by hand (`tests/data/terraform_changes.tsv`), judged from end to end.

use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::model::Verdict;
use recourse::policy::Policy;
use recourse::terraform;
use recourse::world::MemoryWorld;
use serde_json::{Value, json};

pub(crate) fn verdict(r#type: &str, change: &str, before: &str, after: &str) -> (Verdict, String) {
    let [before, after] = [before, after].map(|text| serde_json::from_str::<Value>(text).unwrap());
    let plan = json!({
        "format_version": "1.2",
        "resource_changes": [{"address": format!("{type}.it"), "mode": "managed", "type": r#type, "name": "it",
            "provider_name": "registry.terraform.io/hashicorp/x",
            "change": {"actions": change.split('/').collect::<Vec<_>>(), "before": before, "after": after, "after_unknown": {}}}]
    });
    let read = terraform::read(plan.to_string().as_bytes()).unwrap();
    let context = EvaluationContext { cwd: "/".into(), ..EvaluationContext::default() };
    let world = MemoryWorld::default();
    let done = evaluate(Input::terraform(read), &context, &world, &Knowledge::builtin(), &Policy::default());
    let worst = done.report.mutations.iter().max_by_key(|one| one.recoverability.tier);
    (done.verdict(), worst.map(|one| one.recoverability.reasoning.clone()).unwrap_or_default())
}

#[test]
fn labelled_changes_are_judged_as_their_documentation_says() {
    judged(include_str!("../data/terraform_changes.tsv"), 2_050, 3);
}

/// Of a thing that holds content an attribute that nobody declared is told; what is done every day stays silent.
#[test]
fn everyday_updates_are_silent_and_others_are_told() {
    judged(include_str!("../data/terraform_updates.tsv"), 120, 0);
}

/// At least so many lines, of which no more than these hundredths are wrong, and none is let go.
pub(crate) fn judged(text: &str, least: usize, per_cent: usize) {
    let (mut all, mut wrong, mut let_go) = (0, Vec::new(), Vec::new());
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [r#type, change, before, after, want, ..] = fields[..] else { panic!("{line}") };
        let (found, reason) = verdict(r#type, change, before, after);
        let right = match want {
            "silent" => found == Verdict::Allow,
            "told" => found >= Verdict::Warn,
            "asked" => found >= Verdict::Escalate,
            other => panic!("{other}"),
        };
        all += 1;
        if !right {
            wrong.push(format!("{found:?}, not {want}: {type} {change} {before} {after}\n    {reason}"));
        }
        if !right && want != "silent" && found == Verdict::Allow {
            let_go.push(line);
        }
    }
    let list = wrong.join("\n");
    assert!(all >= least, "{all}");
    assert!(let_go.is_empty(), "{} let go:\n{list}", let_go.len());
    assert!(wrong.len() * 100 <= all * per_cent, "{} of {all} wrong:\n{list}", wrong.len());
}
