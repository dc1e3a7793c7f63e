//! Looks: every example holds, every command only reads, and what is suggested can be supplied.

// A test fails loudly.
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use recourse::evaluate::{Evaluation, EvaluationContext, Input, Supplied, evaluate};
use recourse::knowledge::{Knowledge, Look};
use recourse::model::Verdict;
use recourse::policy::Policy;
use recourse::shell;
use recourse::terraform;
use recourse::world::MemoryWorld;

fn looks() -> Vec<(String, String, Look)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/knowledge/looks");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let parsed =
            Look::parse(&file, &fs::read_to_string(&path).unwrap()).unwrap_or_else(|e| panic!("{e}"));
        for (kind, list) in parsed {
            found.extend(list.into_iter().map(|look| (file.clone(), kind.clone(), look)));
        }
    }
    assert!(found.len() > 10);
    found
}

fn judge(input: Input, evidence: &str) -> Evaluation {
    let supplied = Supplied::parse(evidence.as_bytes()).unwrap();
    let context = EvaluationContext { cwd: "/work".into(), supplied, ..EvaluationContext::default() };
    evaluate(input, &context, &MemoryWorld::new(), &Knowledge::builtin(), &Policy::default())
}

fn shell_text(text: &str) -> Input {
    Input::Shell(shell::Input::Text(text.to_owned()))
}

const NOTHING: &str = "{\"evidence\": []}";

#[test]
fn examples_hold_and_other_resources_say_nothing() {
    let mut problems = Vec::new();
    let knowledge = Knowledge::builtin();
    for (file, kind, look) in looks() {
        let place = format!("{file}: {kind}, {}", look.key);
        match knowledge.kind(&kind) {
            Some(known) => {
                let asked = format!("{known:?}").contains(&format!("key: \"{}\"", look.key));
                if !asked {
                    problems.push(format!("{place}: no case asks for it"));
                }
            }
            None => problems.push(format!("{place}: no such kind")),
        }
        let embedded = knowledge.looks(&kind).unwrap_or_else(|| panic!("{place}: not in the index"));
        if !embedded.iter().any(|e| e.key == look.key && e.argv == look.argv && e.parse == look.parse) {
            problems.push(format!("{place}: differs in the index"));
        }
        if !look.example.iter().any(|e| e.is.is_some()) || !look.example.iter().any(|e| e.is.is_none()) {
            problems.push(format!("{place}: needs an output that tells it and one that does not"));
        }
        for example in &look.example {
            let lookup = |key: &str| example.given.get(key).cloned();
            let found = look.parse.read(&example.raw, &lookup);
            let expected = example.is.as_ref().map(recourse::knowledge::Literal::value);
            if found != expected {
                problems.push(format!("{place}: `{}` gives {found:?}, not {expected:?}", example.raw));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_look_only_reads_and_refuses_odd_names() {
    let mut problems = Vec::new();
    for (file, kind, look) in looks() {
        let place = format!("{file}: {kind}, {}", look.key);
        let given: BTreeMap<String, String> =
            look.example.iter().find(|e| e.is.is_some()).map(|e| e.given.clone()).unwrap_or_default();
        let Some(words) = look.words(&|key| given.get(key).cloned()) else {
            problems.push(format!("{place}: its own example does not fill the words"));
            continue;
        };
        let judged =
            judge(Input::Shell(shell::Input::Argv(words.iter().cloned().map(Some).collect())), NOTHING);
        if judged.verdict() != Verdict::Allow {
            problems.push(format!("{place}: {words:?} is {}", judged.report.assessment_reason));
        }
        for odd in ["--profile=evil", "-x", "a\nb", ""] {
            let asks = look.argv.iter().any(|w| w.contains('{') && !w.starts_with('-'));
            let filled = look.words(&|_| Some(odd.to_owned()));
            if asks && filled.is_some_and(|words| words.iter().any(|w| w == odd)) {
                problems.push(format!("{place}: takes {odd:?}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn claim(target: &str, key: &str, raw: &str, argv: Option<&[String]>) -> String {
    let mut claim = serde_json::json!({"target": target, "key": key, "raw": raw});
    if let Some(argv) = argv {
        claim["argv"] = serde_json::json!(argv);
    }
    serde_json::json!({"evidence": [claim]}).to_string()
}

#[test]
fn what_is_suggested_can_be_supplied() {
    let command = "aws s3 rb s3://logs --force --region eu-1";
    let before = judge(shell_text(command), NOTHING);
    assert_eq!(before.verdict(), Verdict::Block);
    let suggestions = &before.report.verification_suggestions;
    let versioning = suggestions.iter().find(|s| s.evidence_key == "versioning").expect("versioning");
    assert_eq!(
        versioning.verification.argv,
        ["aws", "s3api", "get-bucket-versioning", "--bucket", "logs", "--output", "json", "--region", "eu-1"]
    );
    assert_eq!(versioning.verdict_impact.potential_tier, "recoverable-from-backup");
    assert_eq!(versioning.priority, "critical");
    let argv = &versioning.verification.argv;
    let raw = "{\"Status\": \"Enabled\"}";
    for (evidence, verdict) in [
        (claim("s3://logs", "versioning", raw, None), Verdict::Warn),
        (claim("logs", "versioning", raw, None), Verdict::Warn),
        (claim("other", "versioning", raw, None), Verdict::Block),
        (claim(&versioning.target, "versioning", raw, Some(argv)), Verdict::Warn),
        (claim("s3://logs", "versioning", raw, Some(&["aws".to_owned()])), Verdict::Block),
        (claim("s3://logs", "versioning", "{\"Status\": \"Suspended\"}", None), Verdict::Block),
        (claim("s3://logs", "versioning", "Enabled", None), Verdict::Block),
        (
            claim("s3://logs", "versioning", "{\"Status\": \"Enabled\", \"Status\": \"Enabled\"}", None),
            Verdict::Block,
        ),
        (claim("s3://logs", "force_destroy", "false", None), Verdict::Block),
        // What rests on a caller's output is never milder than a warning.
        (claim("s3://logs", "objects", "{\"Name\": \"logs\", \"IsTruncated\": false}", None), Verdict::Warn),
        (
            claim("s3://logs", "objects", "{\"Name\": \"other\", \"IsTruncated\": false}", None),
            Verdict::Block,
        ),
        (claim("s3://logs", "objects", &"x".repeat(1_100_000), None), Verdict::Block),
        (
            "{\"evidence\": [{\"target\": \"s3://logs\", \"key\": \"objects\", \"value\": 0, \"raw\": \"\"}]}"
                .to_owned(),
            Verdict::Block,
        ),
    ] {
        assert_eq!(
            judge(shell_text(command), &evidence).verdict(),
            verdict,
            "{}",
            &evidence[..evidence.len().min(200)]
        );
    }
}

#[test]
fn shell_terraform_and_unknown_names() {
    let keys = |evaluation: &Evaluation| {
        evaluation.report.verification_suggestions.iter().map(|s| s.evidence_key.clone()).collect::<Vec<_>>()
    };
    let shell = judge(
        shell_text("aws rds delete-db-instance --db-instance-identifier prod --skip-final-snapshot"),
        NOTHING,
    );
    assert_eq!(keys(&shell), ["snapshots", "deletion_protection"]);
    let plan = serde_json::json!({"format_version": "1.2", "terraform_version": "1.9.0", "resource_changes": [{
        "address": "aws_db_instance.main", "mode": "managed", "type": "aws_db_instance", "name": "main",
        "provider_name": "registry.terraform.io/hashicorp/aws",
        "change": {"actions": ["delete"], "before": {"identifier": "prod", "skip_final_snapshot": true}, "after": null}}]});
    let plan = terraform::read(plan.to_string().as_bytes()).unwrap();
    let terraform = judge(Input::terraform(plan), NOTHING);
    assert_eq!(keys(&terraform), ["snapshots"]);
    let first = &terraform.report.verification_suggestions[0];
    assert_eq!(first.target, "aws_db_instance.main");
    assert!(first.verification.argv.contains(&"prod".to_owned()));
    for text in [
        "aws s3 rb \"s3://$UNKNOWN\" --force",
        "aws s3 rb --force -- --profile",
        "aws s3 rb s3://-x --force",
        "aws s3 rb s3://b --force --region \"$R\"",
        "ssh box aws s3 rb s3://b --force",
    ] {
        let judged = judge(shell_text(text), NOTHING);
        assert!(judged.verdict() >= Verdict::Escalate, "{text}");
        assert!(keys(&judged).is_empty(), "{text}: {:?}", keys(&judged));
    }
    // Of the same server, as the same user; and where that cannot be told, nobody is asked.
    let argv = |text: &str| {
        let judged = judge(shell_text(text), NOTHING);
        assert!(judged.verdict() >= Verdict::Escalate, "{text}");
        judged.report.verification_suggestions.first().map(|one| one.verification.argv.join(" "))
    };
    assert_eq!(
        argv("psql -h db -p 5433 -U u -d app -c 'DROP TABLE users'").unwrap(),
        "psql -X -A -t -c SELECT 'users ' || count(*) FROM users -h db -p 5433 -U u -d app"
    );
    assert_eq!(
        argv("mysql -h db -P 3307 -u u app -e 'DELETE FROM users'").unwrap(),
        "mysql -N -B -e SELECT CONCAT('users ', COUNT(*)) FROM users -h db -P 3307 -u u -D app"
    );
    for text in [
        "psql postgres://u:p@h/db -c 'DROP TABLE users'",
        "psql -h \"$(cat host)\" -c 'DROP TABLE users'",
        "PGHOST=other psql -c 'DROP TABLE users'",
        "sudo -u postgres psql -c 'DROP TABLE users'",
        "ssh box \"psql -c 'DROP TABLE users'\"",
        "psql -c 'DROP TABLE \"a b\"'",
        "mysql --defaults-file=/x -e 'DROP TABLE users'",
        "AWS_PROFILE=other aws rds delete-db-instance --db-instance-identifier d --skip-final-snapshot",
        "export AWS_PROFILE=other; aws rds delete-db-instance --db-instance-identifier d --skip-final-snapshot",
        "KUBECONFIG=/x kubectl delete namespace prod",
        "DOCKER_HOST=ssh://x docker volume rm pgdata",
    ] {
        assert_eq!(argv(text), None, "{text}");
    }
    // Output counts with the command that asked this very server.
    let here = judge(shell_text("psql -h db -c 'DROP TABLE users'"), NOTHING);
    let asked = here.report.verification_suggestions.first().expect("a look").verification.argv.clone();
    let empty = |raw: &str, argv: Option<&[String]>| {
        judge(shell_text("psql -h db -c 'DROP TABLE users'"), &claim("users", "rows", raw, argv)).verdict()
    };
    assert_eq!(empty("users 0\n", Some(&asked)), Verdict::Warn);
    assert_eq!(empty("users 0\n", None), Verdict::Block);
    let other = asked.iter().map(|word| word.replace("db", "else")).collect::<Vec<_>>();
    assert_eq!(empty("users 0\n", Some(&other)), Verdict::Block);
    assert_eq!(empty("users 3\n", Some(&asked)), Verdict::Block);
    assert_eq!(empty("orders 0\n", Some(&asked)), Verdict::Block);
    let many = (0..40).map(|n| format!("aws s3 rb s3://b{n} --force; ")).collect::<String>();
    assert_eq!(judge(shell_text(&many), NOTHING).report.verification_suggestions.len(), 20);
}
