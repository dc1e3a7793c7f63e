//! Patterns over several mutations.

use super::*;
use crate::model::{
    Context, Evidence, Fact, Facts, Mutation, PathSubject, Recoverability, RecoverySource, RuleRef, Target,
    Verdict,
};

fn assessment(action: Action, kind: &str, subject: Subject, id: &str, tier: Tier) -> Assessment {
    Assessment {
        mutation: Mutation {
            action,
            kind: kind.to_owned(),
            subject,
            target: Target { r#type: kind.to_owned(), id: id.to_owned(), ..Target::default() },
            source: Source::Shell,
            raw: String::new(),
            span: None,
            rule: RuleRef::default(),
            cause: Cause::Rule,
            context: Context::default(),
            facts: Facts::default(),
            dependents: Vec::new(),
        },
        evidence: Evidence::default(),
        recoverability: Recoverability {
            tier,
            reasoning: "before".to_owned(),
            source: RecoverySource::Rules,
            confidence: 100,
        },
        harmless: tier == Tier::Reversible,
        recovery: vec!["a step".to_owned()],
        alternatives: Vec::new(),
        verdict: Verdict::Allow,
        message: None,
        rule: None,
    }
}

fn path(id: &str, tier: Tier) -> Assessment {
    let subject = PathSubject::new(Value::known(format!("/p/{id}")), id);
    assessment(Action::Delete, "file", Subject::Path(subject), id, tier)
}

fn set(assessment: &mut Assessment, key: &str, value: FactValue) {
    assessment.evidence.facts.insert(key.to_owned(), Fact::new(value, ""));
}

fn word(text: &str) -> FactValue {
    FactValue::Text(text.to_owned())
}

#[test]
fn a_copy_that_is_deleted_too_saves_nothing() {
    let mut original = path("a", Tier::Reversible);
    if let Subject::Path(subject) = &mut original.mutation.subject {
        subject.copies = vec!["/p/b".into()];
    }
    set(&mut original, "loss.outright", word("lost"));
    let mut kept = vec![original.clone(), path("c", Tier::Reversible)];
    assert!(examine(&mut kept).is_empty());
    assert_eq!(kept[0].recoverability.tier, Tier::Reversible);
    let mut gone = vec![original, path("b", Tier::Reversible)];
    let risks = examine(&mut gone);
    assert_eq!(risks[0].pattern, "original_and_copy_both_destroyed");
    assert!(gone.iter().all(|a| a.recoverability.tier == Tier::Unrecoverable && !a.harmless));
}

#[test]
fn pruning_after_making_unreachable_is_fatal() {
    let git = |kind: &str, id: &str, tier| assessment(Action::Delete, kind, Subject::Unknown, id, tier);
    let mut both = vec![
        git("git.stash", "stash@{0}", Tier::RecoverableWithEffort),
        git("git.objects", "unreachable objects", Tier::RecoverableWithEffort),
    ];
    let risks = examine(&mut both);
    assert_eq!(risks[0].pattern, "unreachable_then_pruned");
    assert_eq!(both[0].recoverability.tier, Tier::Unrecoverable);
    let mut patient = both.clone();
    patient[0].recoverability.tier = Tier::RecoverableWithEffort;
    set(&mut patient[1], "grace", FactValue::Bool(true));
    assert!(examine(&mut patient).is_empty(), "recent objects are kept");
    let mut plain = both.clone();
    plain[0].recoverability.tier = Tier::RecoverableWithEffort;
    plain[1].harmless = true;
    set(&mut plain[1], "expire-configured", FactValue::Bool(true));
    assert!(examine(&mut plain).is_empty(), "git gc alone keeps two weeks");
    let mut other_way = both.clone();
    other_way.reverse();
    for each in &mut other_way {
        each.recoverability.tier = Tier::RecoverableWithEffort;
    }
    assert!(examine(&mut other_way).is_empty(), "pruned before it became unreachable");
}

#[test]
fn protection_off_then_deleted() {
    let mut off = assessment(Action::Update, "aws.rds.instance", Subject::Unknown, "db", Tier::Reversible);
    set(&mut off, "deletion_protection", FactValue::Bool(false));
    set(&mut off, "was.deletion_protection", FactValue::Bool(true));
    let gone =
        assessment(Action::Delete, "aws.rds.instance", Subject::Unknown, "db", Tier::RecoverableFromBackup);
    let mut both = vec![off.clone(), gone];
    assert_eq!(examine(&mut both)[0].pattern, "protection_disabled_then_deleted");
    assert!(both.iter().all(|a| a.recoverability.tier == Tier::Unrecoverable));
    let other = assessment(
        Action::Delete,
        "aws.rds.instance",
        Subject::Unknown,
        "other",
        Tier::RecoverableFromBackup,
    );
    assert!(examine(&mut [off, other]).is_empty());
}

#[test]
fn a_backup_goes_with_what_it_backs_up() {
    let mut database = assessment(
        Action::Delete,
        "aws.rds.instance",
        Subject::Unknown,
        "aws_db_instance.a",
        Tier::RecoverableFromBackup,
    );
    set(&mut database, "identifier", word("prod"));
    let mut snapshot = assessment(
        Action::Delete,
        "aws.rds.snapshot",
        Subject::Unknown,
        "aws_db_snapshot.a",
        Tier::RecoverableFromBackup,
    );
    set(&mut snapshot, "source_id", word("prod"));
    set(&mut snapshot, "relation", word("backup"));
    let mut both = vec![database.clone(), snapshot.clone()];
    assert_eq!(examine(&mut both)[0].pattern, "backup_and_protected_both_deleted");
    assert!(both.iter().all(|a| a.recoverability.tier == Tier::Unrecoverable && a.recovery.is_empty()));
    set(&mut snapshot, "relation", word("replica"));
    assert_eq!(examine(&mut [database, snapshot])[0].pattern, "replica_and_primary_both_deleted");
}
