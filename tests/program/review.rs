//! The review of a plan: what `tests/golden/review` holds is what is printed, in each form.
//!
//! The report is made by hand, so that what is known of types changes nothing here. After a change that is meant,
//! `RECOURSE_GOLDEN=write cargo test --test program review::` writes the files anew: read the difference before it is
//! committed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use recourse::model::{
    Action, Alternative, CrossActionRisk, EvidenceItem, FactValue, Missing, MissingEffect, RecoverySource,
    Secrets, Source, Target, Tier, Verdict,
};
use recourse::report::{
    ConsequenceReport, DependencyImpact, IntentReport, MutationReport, RecoverabilityReport, SCHEMA_VERSION,
    Style, Summary, Timing, Trace, github, junit, markdown, render, sarif,
};
use serde_json::json;

use crate::support::Scratch;

fn judged(tier: Tier, reasoning: &str) -> RecoverabilityReport {
    RecoverabilityReport {
        tier: tier.number(),
        label: tier.label(),
        reasoning: reasoning.to_owned(),
        source: RecoverySource::Rules,
        confidence: 1.0,
    }
}

/// One change: its address, what is done, and what that costs.
fn change(id: &str, words: &str, tier: Tier, verdict: Verdict, reasoning: &str) -> MutationReport {
    let kind = id.split('.').rev().nth(1).unwrap_or("zork_thing").to_owned();
    let action = match words {
        "delete" => Action::Delete,
        "create" => Action::Create,
        "delete, create" => Action::Replace,
        _ => Action::Update,
    };
    MutationReport {
        intent: IntentReport {
            source: Source::Terraform,
            action,
            target: Target { r#type: kind, id: id.to_owned(), ..Target::default() },
            actor: None,
            raw: format!("{id}: {words}"),
            span: None,
        },
        recoverability: judged(tier, reasoning),
        verdict: Some(verdict),
        decided: None,
        evidence: Vec::new(),
        missing_evidence: Vec::new(),
        recovery: Vec::new(),
        alternatives: Vec::new(),
        dependency_impact: Vec::new(),
    }
}

fn because(mut change: MutationReport, word: &str, said: &str) -> MutationReport {
    change.evidence.push(EvidenceItem {
        key: "because".to_owned(),
        value: Some(FactValue::Text(word.to_owned())),
        present: true,
        description: said.to_owned(),
        source: None,
    });
    change
}

fn report(reason: &str, resources: usize, mutations: Vec<MutationReport>) -> ConsequenceReport {
    let verdict = mutations.iter().filter_map(|one| one.verdict).max().unwrap_or(Verdict::Allow);
    ConsequenceReport {
        schema_version: SCHEMA_VERSION,
        risk_assessment: verdict,
        assessment_reason: reason.to_owned(),
        enforcement: None,
        keep_first: None,
        recovery_point: None,
        summary: Summary {
            total_mutations: mutations.len(),
            worst_recoverability: judged(Tier::Unrecoverable, ""),
            needs_review: false,
            has_unrecoverable: true,
            dependency_impact_count: 0,
        },
        mutations,
        materials: Vec::new(),
        cross_action_risks: Vec::new(),
        verification_suggestions: Vec::new(),
        trace: Trace {
            steps: Vec::new(),
            duration_ms: 0.0,
            handlers_invoked: Vec::new(),
            state_sources: Vec::new(),
        },
        timing: Timing { total_ms: 1.0, parse_ms: 1.0, analysis_ms: 1.0, policy_ms: 1.0 },
        resources: Some(resources),
        secrets: Secrets::default(),
    }
}

/// A plan with something of everything, the worst in its middle.
fn everything() -> ConsequenceReport {
    let (allow, warn, escalate, block) = (Verdict::Allow, Verdict::Warn, Verdict::Escalate, Verdict::Block);
    let mut all: Vec<MutationReport> = (0..5)
        .map(|n| change(&format!("zork_role.r[{n}]"), "create", Tier::Reversible, allow, "is new"))
        .collect();
    all.extend((0..10).map(|n| {
        let id = format!("zork_server.worker[{n}]");
        let reason = "its disk goes with it";
        let mut one = because(
            change(&id, "delete, create", Tier::Unrecoverable, block, reason),
            "image cannot be changed in place",
            "image cannot be changed in place: \"one\" becomes \"two\"",
        );
        one.alternatives.push(Alternative {
            command: format!("zork keep --server w-{n} --name before"),
            explanation: "keeps an image of its disk".to_owned(),
        });
        one.dependency_impact.push(DependencyImpact {
            target_id: format!("zork_address.a[{n}]"),
            target_type: Some("zork_address".to_owned()),
            reason: "refers to it in server".to_owned(),
            transitive: false,
        });
        one
    }));
    let mut table = change(
        "module.shop[\"eu | west\"].zork_table.orders",
        "delete",
        Tier::Unrecoverable,
        block,
        "no copy of the table is known: its rows are gone",
    );
    table.intent.target.name = Some("orders-`prod`".to_owned());
    table.missing_evidence.push(Missing {
        key: "backups".to_owned(),
        description: "`backups` is not known; it might show that less is lost".to_owned(),
        effect: MissingEffect::LowersConfidence,
    });
    all.push(because(table, "gone", "it is no longer in the configuration"));
    all.push(change(
        "zork_vault.<b>@you\u{1b}[2J#1",
        "delete",
        Tier::NeedsReview,
        escalate,
        "no rule knows this type",
    ));
    let mut key = change("zork_key.k", "delete", Tier::RecoverableFromBackup, warn, "the key is scheduled");
    key.recovery.push("the deletion can be cancelled for 7 days".to_owned());
    key.decided = Some("rule `keys` of policy.toml".to_owned());
    all.push(key);
    all.push(because(
        change("zork_rule.web", "delete, create", Tier::RecoverableWithEffort, allow, "it is made again"),
        "name cannot be changed in place",
        "name cannot be changed in place: \"web\" becomes \"web2\"",
    ));
    all.push(change("zork_old.o", "forget", Tier::Reversible, allow, "it stays, and leaves the state"));
    let mut made = report("no copy of the table is known: its rows are gone (and 10 more)", 60, all);
    made.cross_action_risks.push(CrossActionRisk {
        pattern: "backup_and_protected_both_deleted".to_owned(),
        pattern_name: "Backup and what it protects".to_owned(),
        affected_resources: vec!["zork_key.k".to_owned()],
        explanation: "zork_key.k and what it encrypts go together".to_owned(),
        upgraded_tier: 4,
    });
    made
}

fn nothing() -> ConsequenceReport {
    let change = change("zork_role.r", "create", Tier::Reversible, Verdict::Allow, "is new");
    report("nothing is lost", 14, vec![change])
}

/// What fails without `--fail-on`.
fn fails(verdict: Verdict) -> bool {
    verdict == Verdict::Block
}

fn human(report: &ConsequenceReport, width: usize, color: bool) -> String {
    render(report, None, Style { color, width }).replace('\u{1b}', "␛")
}

#[test]
fn reviewers_read_what_the_files_hold() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/review");
    let write = std::env::var_os("RECOURSE_GOLDEN").is_some_and(|value| value == "write");
    let mut wrong = Vec::new();
    for (name, report) in [("everything", everything()), ("nothing", nothing())] {
        for (form, page) in [
            ("60.txt", human(&report, 60, false)),
            ("120.txt", human(&report, 120, false)),
            ("colour.txt", human(&report, 80, true)),
            ("md", markdown(&report)),
            ("junit.xml", junit(&report, Some("plan.json"), &fails)),
            ("github.txt", github(&report, Some("a plan.json"), &fails)),
        ] {
            let file = folder.join(format!("{name}.{form}"));
            if write {
                fs::create_dir_all(&folder).unwrap();
                fs::write(&file, &page).unwrap();
            }
            if fs::read_to_string(&file).unwrap_or_default() != page {
                wrong.push(format!("{}:\n{page}", file.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "RECOURSE_GOLDEN=write writes these anew, read the difference then:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn nothing_that_weighs_is_left_out() {
    // More sorts than anybody reads, each with many members.
    let mut all = Vec::new();
    for sort in 0..60 {
        for n in 0..50 {
            let reason = format!("reason {sort}");
            let id = format!("zork_t{sort}.x[{}]", n * 2);
            all.push(change(&id, "delete", Tier::Unrecoverable, Verdict::Block, &reason));
        }
    }
    let page = human(&report("reason 59 (and 2999 more)", 3000, all), 80, false);
    let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for sort in 0..60 {
        assert!(flat.contains(&format!("block delete 50 × zork_t{sort}")), "{sort}");
        assert!(flat.contains(&format!("zork_t{sort}.x[0, 2, 4")), "{sort}");
        assert!(flat.contains(&format!("reason {sort}")), "{sort}");
    }
    // What the headline is about stands first.
    assert!(flat.find("zork_t59.x").unwrap() < flat.find("zork_t0.x").unwrap());
}

#[test]
fn a_comment_is_never_too_long_and_always_the_same() {
    let many = |sorts: usize, each: usize| {
        let mut all = Vec::new();
        for sort in 0..sorts {
            for n in 0..each {
                let id = format!("zork_t{sort}.a_rather_long_name_of_a_resource[\"key number {n}\"]");
                let reason = format!("reason {sort}: {}", "words ".repeat(60));
                all.push(change(&id, "delete", Tier::Unrecoverable, Verdict::Block, &reason));
            }
        }
        report("a reason (and more)", sorts * each, all)
    };
    for (sorts, each) in [(1, 1), (1, 5000), (40, 40), (400, 3), (3000, 1)] {
        let report = many(sorts, each);
        let page = markdown(&report);
        assert!(page.chars().count() < 65_536, "{sorts} x {each}: {}", page.chars().count());
        assert_eq!(page, markdown(&report));
        assert!(page.contains("zork_t0"), "{sorts} x {each}");
        let shown = (0..sorts)
            .filter(|sort| {
                page.contains(&format!("zork_t{sort}`"))
                    || page.contains(&format!("zork_t{sort}<"))
                    || page.contains(&format!("zork_t{sort}."))
            })
            .count();
        assert!(
            shown == sorts || page.contains("more changes** have no room here"),
            "{sorts} x {each}: {shown}"
        );
    }
    let mut later = everything();
    later.timing.total_ms = 99.0;
    assert_eq!(markdown(&later), markdown(&everything()));
}

/// The official schema is not ours to hand on: its file is named by `RECOURSE_SARIF_SCHEMA`.
#[test]
fn sarif_is_as_the_standard_has_it() {
    let mut logs = vec![sarif(&nothing(), None), sarif(&everything(), Some("a plan.json"))];
    let mut whole = everything();
    whole.resources = None;
    logs.push(sarif(&whole, Some("/tmp/p")));
    for log in &logs {
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        let ids: Vec<&str> = run["tool"]["driver"]["rules"]
            .as_array()
            .unwrap()
            .iter()
            .map(|rule| rule["id"].as_str().unwrap())
            .collect();
        let mut prints = Vec::new();
        for result in run["results"].as_array().unwrap() {
            assert!(ids.contains(&result["ruleId"].as_str().unwrap()), "{result}");
            assert!(["error", "warning"].contains(&result["level"].as_str().unwrap()), "{result}");
            assert!(!result["message"]["text"].as_str().unwrap().contains('\u{1b}'), "{result}");
            prints.push(result["partialFingerprints"]["recourse/v1"].as_str().unwrap().to_owned());
        }
        let number = prints.len();
        prints.sort();
        prints.dedup();
        assert_eq!(prints.len(), number, "a fingerprint is one change's");
    }
    assert_eq!(logs[1]["runs"][0]["results"].as_array().unwrap().len(), 13);
    let Some(schema) = std::env::var_os("RECOURSE_SARIF_SCHEMA") else {
        crate::support::skipped("RECOURSE_SARIF_SCHEMA names no schema, so SARIF was checked by hand alone");
        return;
    };
    let schema = serde_json::from_slice(&fs::read(schema).unwrap()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for log in &logs {
        let errors: Vec<String> =
            schema.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn each_form_is_printed_and_the_exit_status_stays() {
    let scratch = Scratch::new();
    let plan = json!({ "format_version": "1.2", "resource_changes": [
        { "address": "zork_vault.v", "mode": "managed", "type": "zork_vault", "name": "v",
            "change": { "actions": ["delete"], "before": { "id": "v" }, "after": null } }] });
    scratch.file("p.json", plan.to_string());
    for (form, start) in [
        ("human", "recourse: "),
        ("json", "{"),
        ("markdown", "<!-- recourse"),
        ("sarif", "{"),
        ("junit", "<?xml"),
        ("github", "::error file=p.json,title=recourse%3A "),
    ] {
        let words = ["evaluate", "terraform", "--fail-on", "escalate", "--format", form, "p.json"];
        let done = scratch.run(&words);
        let said = String::from_utf8(done.stdout).unwrap();
        assert_eq!(done.status.code(), Some(20), "{form}: {said}");
        assert!(said.starts_with(start) && said.contains("zork_vault"), "{form}: {said}");
        let done = scratch.run(&["evaluate", "shell", "--format", form, "zorkctl --all"]);
        assert!(!done.stdout.is_empty() && done.stderr.is_empty(), "{form}");
    }
}

#[test]
fn a_report_with_its_attestation_is_of_the_reports_schema() {
    let scratch = Scratch::new();
    let made = scratch.run(&["keys", "generate", "--instance", "prod"]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let report = crate::support::json(&scratch.run(&[
        "evaluate",
        "shell",
        "--attest",
        "--format",
        "json",
        "rm -rf build",
    ]));
    assert!(report["attestation"].is_object(), "{report}");
    let schema = crate::support::json(&scratch.run(&["schema"]));
    let schema = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = schema.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let schema = crate::support::json(&scratch.run(&["schema", "attestation"]));
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&report["attestation"]));
}

#[test]
fn schemas_are_printed_and_hold_what_is_printed() {
    let scratch = Scratch::new();
    for (name, id) in [
        ("report", "recourse.consequence.v1"),
        ("attestation", "recourse.attestation.v1"),
        ("registry", ""),
        ("evidence", "recourse.evidence.v1"),
    ] {
        let schema = crate::support::json(&scratch.run(&["schema", name]));
        assert!(schema["$id"].as_str().unwrap().contains(id), "{name}");
        jsonschema::validator_for(&schema).unwrap();
    }
    let schema = crate::support::json(&scratch.run(&["schema", "evidence"]));
    let schema = jsonschema::validator_for(&schema).unwrap();
    assert!(schema.is_valid(
        &json!({ "evidence": [{ "target": "t", "key": "k", "raw": "", "argv": ["a"], "value": 1 }] })
    ));
    assert!(!schema.is_valid(&json!({ "evidence": [{ "target": "t", "key": "k" }] })));
    assert!(!schema.is_valid(&json!({ "evidence": [], "more": 1 })));
}

#[test]
fn no_line_goes_beyond_its_columns() {
    for width in [40, 60, 120] {
        for line in human(&everything(), width, false).lines() {
            assert!(recourse::text::width(line) <= width, "{width}: {line}");
        }
    }
}

/// A configuration that terraform has planned, as a binary file; `None` where terraform is missing.
fn planned(scratch: &Scratch) -> Option<()> {
    let terraform = |words: &[&str]| {
        Command::new("terraform")
            .args(words)
            .current_dir(scratch.work())
            .env("TF_CLI_CONFIG_FILE", scratch.file("terraformrc", ""))
            .output()
    };
    scratch.file("main.tf", "resource \"terraform_data\" \"a\" {\n  triggers_replace = [\"one\"]\n}\n");
    if terraform(&["init"]).is_err() {
        crate::support::skipped("terraform is not installed, so no binary plan was read");
        return None;
    }
    assert!(terraform(&["apply", "-auto-approve"]).unwrap().status.success());
    scratch.file("main.tf", "resource \"terraform_data\" \"a\" {\n  triggers_replace = [\"two\"]\n}\n");
    assert!(terraform(&["plan", "-out=next.tfplan"]).unwrap().status.success());
    Some(())
}

#[test]
fn a_binary_plan_is_read_by_the_program_that_made_it() {
    let scratch = Scratch::new();
    if planned(&scratch).is_none() {
        return;
    }
    let done = scratch.run(&["evaluate", "terraform", "--format", "json", "next.tfplan"]);
    let report = crate::support::json(&done);
    let evidence = &report["mutations"][0]["evidence"][0];
    assert_eq!(evidence["key"], "because", "{report}");
    assert!(evidence["description"].as_str().unwrap().starts_with("triggers_replace"), "{evidence}");
    // What is no plan after all says so, and nothing is let through.
    scratch.file("broken.tfplan", b"PK\x03\x04 nothing");
    let done = scratch.run(&["evaluate", "terraform", "broken.tfplan"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("could not read the plan"));
}

#[test]
fn a_program_beside_the_plan_is_never_run() {
    let scratch = Scratch::new();
    scratch.file("p.tfplan", b"PK\x03\x04 nothing");
    let trap = scratch.file("bin/terraform", "#!/bin/sh\ntouch sprung\n");
    Command::new("chmod").arg("+x").arg(&trap).status().unwrap();
    let path = format!("{}:.:bin", trap.parent().unwrap().display());
    let done = scratch.recourse(&["evaluate", "terraform", "p.tfplan"]).env("PATH", path).output().unwrap();
    assert_eq!(done.status.code(), Some(2), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(!scratch.work().join("sprung").exists());
}

#[test]
fn what_was_looked_at_is_said_when_nothing_is_lost() {
    let scratch = Scratch::new();
    let plan = json!({ "format_version": "1.2", "resource_changes": [
        { "address": "terraform_data.a", "mode": "managed", "type": "terraform_data", "name": "a",
            "change": { "actions": ["create"], "before": null, "after": {} } },
        { "address": "terraform_data.b", "mode": "managed", "type": "terraform_data", "name": "b",
            "change": { "actions": ["no-op"], "before": {}, "after": {} } }] });
    scratch.file("p.json", plan.to_string());
    let done = scratch.run(&["evaluate", "terraform", "p.json"]);
    let said = String::from_utf8(done.stdout).unwrap();
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("looked at 2 resources: 1 created, 1 as it is"), "{said}");
}
