//! Looks: what is suggested can be supplied.

// A test fails loudly.
use recourse::evaluate::{Evaluation, EvaluationContext, Input, Supplied, evaluate};
use recourse::knowledge::Knowledge;
use recourse::model::Verdict;
use recourse::policy::Policy;
use recourse::shell;
use recourse::terraform;
use recourse::world::MemoryWorld;

fn judge(input: Input, evidence: &str) -> Evaluation {
    let supplied = Supplied::parse(evidence.as_bytes()).unwrap();
    let context = EvaluationContext { cwd: "/work".into(), supplied, ..EvaluationContext::default() };
    evaluate(input, &context, &MemoryWorld::new(), &Knowledge::builtin(), &Policy::default())
}

fn shell_text(text: &str) -> Input {
    Input::Shell(shell::Input::Text(text.to_owned()))
}

const NOTHING: &str = "{\"evidence\": []}";

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
