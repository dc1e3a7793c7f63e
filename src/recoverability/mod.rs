//! From a mutation and its evidence to a tier, with reasons, recovery steps and alternatives.
//!
//! Owns the choice among a kind's cases and the wording. Pure. Two rules stand above the data: what is not understood needs
//! review, and missing evidence never lowers a tier.

mod template;

pub use template::placeholders;

use crate::knowledge::{Case, Knowledge};
use crate::model::{
    AGAINST, Action, Alternative, Assessment, Cause, Evidence, FactValue, Facts, MissingEffect, Mutation,
    Recoverability, RecoverySource, Source, Subject, Tier, Verdict,
};
use crate::order;

/// Judges one mutation. The verdict is left for the policy; until then it is that of the tier's worst profile.
pub fn assess(mutation: Mutation, mut evidence: Evidence, knowledge: &Knowledge) -> Assessment {
    let judged = if mutation.cause.is_unknown() {
        not_understood(&mutation, &mut evidence)
    } else {
        by_rule(&mutation, &mut evidence, knowledge)
    };
    let judged = held_up_by_missing(judged, &evidence);
    Assessment {
        recoverability: Recoverability {
            tier: judged.tier,
            reasoning: judged.reasoning,
            source: judged.source,
            confidence: judged.confidence,
        },
        harmless: judged.harmless,
        recovery: judged.recovery,
        alternatives: judged.alternatives,
        verdict: Verdict::Escalate,
        message: None,
        rule: None,
        mutation,
        evidence,
    }
}

/// A recovery point holds all that this act destroys: one command brings it back, whatever else is known of it.
pub fn by_recovery_point(judged: &mut Assessment, point: &str) {
    let found = &mut judged.recoverability;
    let back = format!("recourse undo {point}");
    judged.evidence.fact(
        "recovery-point",
        FactValue::Text(point.to_owned()),
        "what goes is set aside before",
    );
    if found.tier.severity() <= Tier::RecoverableWithEffort.severity() {
        return;
    }
    judged.evidence.missing.retain(|missing| missing.effect == MissingEffect::LowersConfidence);
    found.tier = Tier::RecoverableWithEffort;
    found.reasoning = format!("{}; it is kept, and `{back}` brings it back", found.reasoning);
    judged.recovery = vec![back];
    judged.alternatives.clear();
}

/// A judgement on its way.
struct Judged {
    tier: Tier,
    reasoning: String,
    source: RecoverySource,
    confidence: u8,
    harmless: bool,
    recovery: Vec<String>,
    alternatives: Vec<Alternative>,
}

impl Judged {
    fn by_rules(tier: Tier, reasoning: String, confidence: u8) -> Self {
        Self {
            tier,
            reasoning,
            source: RecoverySource::Rules,
            confidence,
            harmless: false,
            recovery: Vec::new(),
            alternatives: Vec::new(),
        }
    }

    fn review(reasoning: String, confidence: u8) -> Self {
        Self {
            source: RecoverySource::Classifier,
            ..Self::by_rules(Tier::NeedsReview, reasoning, confidence)
        }
    }
}

/// Nothing is known, or not enough: a person has to look.
fn not_understood(mutation: &Mutation, evidence: &mut Evidence) -> Judged {
    let name = &mutation.target.id;
    let against = match mutation.facts.get(AGAINST) {
        Some(fact) => format!(", and {}", fact.description),
        None => String::new(),
    };
    let (key, reasoning, confidence) = match &mutation.cause {
        Cause::Rule => ("rule", format!("what becomes of {name} is not known"), 20),
        Cause::UnknownProgram if mutation.kind != "unknown" => {
            let tool = &mutation.rule.tool;
            (
                "program",
                format!("{tool} runs the project's own {name}, and nothing is known about that{against}"),
                30,
            )
        }
        Cause::UnknownProgram => {
            ("program", format!("nothing is known about the program {name}{against}"), 30)
        }
        Cause::UnknownForm => ("form", format!("{name} is used in a form that is not known{against}"), 40),
        Cause::Gap(what) => ("gap", format!("part of the text could not be read: {what}"), 10),
        Cause::Opaque(what) => ("opaque", format!("what runs here cannot be told: {what}"), 10),
        Cause::Limit(what) => ("limit", format!("a limit was reached before the end: {what}"), 10),
    };
    evidence.miss(key, reasoning.clone(), MissingEffect::RequiresReview);
    Judged::review(reasoning, confidence)
}

fn by_rule(mutation: &Mutation, evidence: &mut Evidence, knowledge: &Knowledge) -> Judged {
    let title =
        |kind: &str| knowledge.kind(kind).map_or_else(|| kind.to_owned(), |found| found.title.clone());
    let mut judged: Option<Judged> = None;
    let mut unknown: Vec<String> = Vec::new();
    let kinds = knowledge.kind(&mutation.kind).into_iter().chain(knowledge.raised_kind(&mutation.kind));
    for kind in kinds {
        let choice = kind.choose(mutation.action, &evidence.facts);
        unknown.extend(choice.missing);
        let found = choice.case.map(|case| from_case(case, mutation, &evidence.facts));
        // The user's own file may only make it worse.
        judged = match (judged, found) {
            (Some(ours), Some(theirs)) if theirs.tier.severity() > ours.tier.severity() => Some(theirs),
            (Some(ours), _) => Some(ours),
            (None, found) => found,
        };
    }
    let mut judged = match judged {
        Some(judged) => judged,
        None => without_case(mutation, &title(&mutation.kind)),
    };
    order::sort(&mut unknown);
    unknown.dedup();
    for key in &unknown {
        let about = knowledge
            .looks(&mutation.kind)
            .and_then(|looks| looks.iter().find(|look| look.key == *key).map(|look| look.about.clone()));
        let text = match about {
            Some(about) => format!("`{key}` is not known ({about}): it might show that less is lost"),
            None => format!("`{key}` is not known; it might show that less is lost"),
        };
        evidence.miss(key, text, MissingEffect::LowersConfidence);
    }
    let doubt = u8::try_from(unknown.len().min(5) * 10).unwrap_or(50);
    judged.confidence = judged.confidence.saturating_sub(doubt);
    // The kind itself was only guessed.
    if let Some(FactValue::Number(sure)) = evidence.facts.get("classifier.confidence").map(|fact| &fact.value)
    {
        judged.source = RecoverySource::Classifier;
        judged.confidence = judged.confidence.min(u8::try_from(*sure).unwrap_or(0));
    }
    judged
}

/// Looking and making are reversible unless a kind says otherwise; anything else without a case needs review.
fn without_case(mutation: &Mutation, title: &str) -> Judged {
    let name = &mutation.target.id;
    match mutation.action {
        Action::Read => {
            let mut judged = Judged::by_rules(Tier::Reversible, format!("{name} is only looked at"), 100);
            judged.harmless = true;
            judged
        }
        Action::Create => {
            let mut judged =
                Judged::by_rules(Tier::Reversible, format!("{name} is new; it can be removed again"), 100);
            judged.harmless = mutation.source == Source::Shell;
            judged
        }
        _ => Judged::review(format!("nothing is known about what becomes of the {title} {name}"), 20),
    }
}

fn from_case(case: &Case, mutation: &Mutation, facts: &Facts) -> Judged {
    let target = &mutation.target.id;
    // People know a file by what they typed; a command has to work from anywhere.
    let shown = match &mutation.subject {
        Subject::Path(subject) => &subject.shown,
        _ => mutation.target.name.as_ref().unwrap_or(target),
    };
    let prose = |text: &str| template::prose(text, shown, facts);
    let about = template::About { target, tool: &mutation.rule.tool, raw: &mutation.raw };
    let command = |text: &str| template::command(text, about, facts);
    Judged {
        harmless: case.harmless,
        recovery: case.recovery.iter().filter_map(|step| command(step)).collect(),
        alternatives: case
            .alternative
            .iter()
            .filter_map(|other| {
                Some(Alternative {
                    command: command(&other.command)?,
                    explanation: prose(&other.explanation),
                })
            })
            .collect(),
        ..Judged::by_rules(case.tier, prose(&case.reason), 100)
    }
}

/// Evidence that a probe could not get, and that it says a person has to look for, rules out a mild judgement.
fn held_up_by_missing(mut judged: Judged, evidence: &Evidence) -> Judged {
    let blocking = evidence.missing.iter().find(|missing| missing.effect != MissingEffect::LowersConfidence);
    if let Some(missing) = blocking {
        judged.harmless = false;
        judged.confidence = judged.confidence.min(50);
        if judged.tier.severity() < Tier::NeedsReview.severity() {
            judged.tier = Tier::NeedsReview;
            judged.reasoning = missing.description.clone();
        }
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Context, FactValue, PathSubject, RuleRef, Target, Value};

    fn mutation(action: Action, kind: &str) -> Mutation {
        Mutation {
            action,
            kind: kind.to_owned(),
            subject: Subject::Path(PathSubject::new(Value::known("/p/my file"), "my file")),
            target: Target { r#type: kind.to_owned(), id: "my file".to_owned(), ..Target::default() },
            source: Source::Shell,
            raw: String::new(),
            span: None,
            rule: RuleRef::default(),
            cause: Cause::Rule,
            context: Context::default(),
            facts: Facts::default(),
            dependents: Vec::new(),
        }
    }

    fn found(loss: &str) -> Evidence {
        let mut evidence = Evidence::default();
        evidence.fact("loss", FactValue::Text(loss.to_owned()), "");
        evidence.fact("loss.summary", FactValue::Text(format!("it is {loss}")), "");
        evidence
    }

    fn tier(action: Action, kind: &str, evidence: Evidence) -> Tier {
        assess(mutation(action, kind), evidence, &Knowledge::builtin()).recoverability.tier
    }

    #[test]
    fn classes_of_loss_become_tiers() {
        for (loss, expected) in [
            ("nothing", Tier::Reversible),
            ("temporary", Tier::Reversible),
            ("tracked", Tier::Reversible),
            ("copied", Tier::Reversible),
            ("regenerable", Tier::RecoverableWithEffort),
            ("packaged", Tier::RecoverableFromBackup),
            ("snapshot", Tier::RecoverableWithEffort),
            ("lost", Tier::Unrecoverable),
            ("unseen", Tier::NeedsReview),
        ] {
            for action in [Action::Delete, Action::Replace, Action::Update] {
                assert_eq!(tier(action, "file", found(loss)), expected, "{loss} {action:?}");
                assert_eq!(tier(action, "tree", found(loss)), expected, "{loss} {action:?}");
            }
        }
    }

    #[test]
    fn no_evidence_is_the_worst_case_and_says_what_is_missing() {
        let judged = assess(mutation(Action::Delete, "file"), Evidence::default(), &Knowledge::builtin());
        assert_eq!(judged.recoverability.tier, Tier::Unrecoverable);
        assert!(judged.evidence.missing.iter().any(|missing| missing.key == "loss"));
        assert!(judged.recoverability.confidence < 100);
    }

    #[test]
    fn what_is_not_understood_needs_review() {
        for cause in
            [Cause::UnknownProgram, Cause::UnknownForm, Cause::Gap("x".into()), Cause::Opaque("x".into())]
        {
            let mut given = mutation(Action::Execute, "unknown");
            given.cause = cause;
            let judged = assess(given, Evidence::default(), &Knowledge::builtin());
            assert_eq!(judged.recoverability.tier, Tier::NeedsReview);
            assert_eq!(judged.recoverability.source, RecoverySource::Classifier);
            assert!(judged.recoverability.confidence < 100);
            assert_eq!(judged.evidence.missing.len(), 1);
        }
        assert_eq!(tier(Action::Delete, "no.such.kind", found("nothing")), Tier::NeedsReview);
    }

    #[test]
    fn missing_evidence_never_lowers() {
        let mut evidence = found("nothing");
        evidence.miss("files", "not looked at", MissingEffect::RequiresReview);
        let judged = assess(mutation(Action::Delete, "file"), evidence, &Knowledge::builtin());
        assert_eq!(judged.recoverability.tier, Tier::NeedsReview);
        assert!(!judged.harmless);
        let mut evidence = found("lost");
        evidence.miss("files", "not looked at", MissingEffect::RequiresReview);
        assert_eq!(tier(Action::Delete, "file", evidence), Tier::Unrecoverable);
    }

    #[test]
    fn names_in_commands_are_quoted_and_reading_is_harmless() {
        let judged = assess(mutation(Action::Delete, "file"), found("tracked"), &Knowledge::builtin());
        assert!(judged.recovery[0].contains("'my file'"), "{:?}", judged.recovery);
        assert_eq!(judged.recoverability.reasoning, "it is tracked");
        let read = assess(mutation(Action::Read, "file"), Evidence::default(), &Knowledge::builtin());
        assert!(read.harmless);
    }
}
