use super::*;
use crate::model::{Action, Secrets, Target, Tier};
use crate::report::contract::{IntentReport, RecoverabilityReport, SCHEMA_VERSION, Summary, Timing, Trace};

fn judged(tier: Tier) -> RecoverabilityReport {
    RecoverabilityReport {
        tier: tier.number(),
        label: tier.label(),
        reasoning: "it is gone".to_owned(),
        source: RecoverySource::Rules,
        confidence: 1.0,
    }
}

fn report(ids: &[String]) -> ConsequenceReport {
    let mutation = |id: &String| MutationReport {
        intent: IntentReport {
            source: Source::Shell,
            action: Action::Delete,
            target: Target { r#type: format!("kind-{}", id.len()), id: id.clone(), ..Target::default() },
            actor: None,
            raw: String::new(),
            span: None,
        },
        recoverability: judged(Tier::Unrecoverable),
        verdict: None,
        decided: None,
        evidence: Vec::new(),
        missing_evidence: Vec::new(),
        recovery: vec![format!("bring back {id}")],
        alternatives: Vec::new(),
        dependency_impact: Vec::new(),
    };
    ConsequenceReport {
        schema_version: SCHEMA_VERSION,
        risk_assessment: Verdict::Block,
        assessment_reason: "gone".to_owned(),
        enforcement: None,
        keep_first: None,
        recovery_point: None,
        summary: Summary {
            total_mutations: ids.len(),
            worst_recoverability: judged(Tier::Unrecoverable),
            needs_review: false,
            has_unrecoverable: true,
            dependency_impact_count: 0,
        },
        mutations: ids.iter().map(mutation).collect(),
        materials: Vec::new(),
        cross_action_risks: Vec::new(),
        verification_suggestions: Vec::new(),
        trace: Trace {
            steps: Vec::new(),
            duration_ms: 0.0,
            handlers_invoked: Vec::new(),
            state_sources: Vec::new(),
        },
        timing: Timing { total_ms: 0.0, parse_ms: 0.0, analysis_ms: 0.0, policy_ms: 0.0 },
        resources: None,
        secrets: Secrets::default(),
    }
}

#[test]
fn without_a_judgement_a_mutation_is_as_bad_as_the_whole() {
    let told = brief(&report(&["x".to_owned(), "y".to_owned()]), &[]);
    assert_eq!(told.mutations.len(), 1);
    assert_eq!((told.mutations[0].verdict, told.mutations[0].count), (Verdict::Block, 2));
    assert_eq!(told.mutations[0].recovery, ["bring back x", "bring back y"]);
    assert!(told.omitted.is_nothing());
}

#[test]
fn more_sorts_than_there_is_room_for_are_counted() {
    for number in 0..40 {
        // As many kinds as names have lengths.
        let ids: Vec<String> = (0..number).map(|n| "x".repeat(n + 1)).collect();
        let told = brief(&report(&ids), &[]);
        assert_eq!(told.mutations.iter().map(|entry| entry.count).sum::<usize>(), number);
        assert_eq!(told.mutations.iter().filter(|entry| entry.mixed).count(), usize::from(number > 9));
        let named: usize = told.mutations.iter().map(|entry| 1 + entry.also.len()).sum();
        assert_eq!(named + told.omitted.targets, number);
        let steps: usize = told.mutations.iter().map(|entry| entry.recovery.len()).sum();
        assert_eq!(steps + told.omitted.recovery, number);
        assert!(serde_json::to_string(&told).unwrap().len() < 4000);
    }
}

#[test]
fn the_schema_is_json() {
    let schema: serde_json::Value = serde_json::from_str(BRIEF_SCHEMA).unwrap();
    assert_eq!(schema["properties"]["schemaVersion"]["const"], SCHEMA_VERSION);
}
