//! From assessments to the report: masking, counting, naming.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use crate::cores;
use crate::model::{
    Actor, Alternative, Assessment, BECAUSE, CrossActionRisk, EvidenceItem, FactValue, Material, Missing,
    Mutation, Recoverability, RecoverySource, Secrets, Source, Target, Tier,
};
use crate::policy::{Decision, Enforcement};
use crate::text;

use super::contract::{
    ConsequenceReport, DependencyImpact, IntentReport, MaterialReport, MutationReport, RecoverabilityReport,
    SCHEMA_VERSION, Summary, Timing, Trace, TraceStep, VerificationSuggestion,
};

/// Time that each stage took.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageTimes {
    /// Reading the input.
    pub parse: Duration,
    /// Evidence and recoverability.
    pub analysis: Duration,
    /// Cross-action and policy.
    pub policy: Duration,
    /// In all.
    pub total: Duration,
}

/// Everything that a report is made of.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// What was judged.
    pub assessments: &'a [Assessment],
    /// What is fatal together.
    pub risks: &'a [CrossActionRisk],
    /// The verdict.
    pub decision: &'a Decision,
    /// What the named profile does.
    pub enforcement: Option<&'a Enforcement>,
    /// Who asked.
    pub actor: Option<&'a Actor>,
    /// Environment that the caller named.
    pub environment: Option<&'a str>,
    /// What could be looked up.
    pub suggestions: &'a [VerificationSuggestion],
    /// What the input's words say is secret.
    pub secrets: &'a Secrets,
    /// Resources that a plan names, those that stay as they are included.
    pub resources: Option<usize>,
    /// The files whose content it rests on.
    pub materials: &'a [Material],
    /// Where the time went.
    pub times: StageTimes,
}

/// Makes the report. Secrets are masked here, once, for every output.
pub fn build(parts: Parts<'_>) -> ConsequenceReport {
    let secrets = &Masker::of(parts.secrets);
    // Each core writes some of a long plan's.
    let shares = parts.assessments.chunks(cores::share(parts.assessments.len()));
    let mutations = cores::each(shares, |some| {
        let masker = Masker::of(parts.secrets);
        some.iter().map(|a| mutation(a, &parts, &masker)).collect::<Vec<_>>()
    });
    let enforcement = parts.enforcement.map(|e| Enforcement {
        reason: masked(&e.reason, secrets),
        rule: e.rule.as_ref().map(|rule| masked(rule, secrets)),
        ..e.clone()
    });
    ConsequenceReport {
        schema_version: SCHEMA_VERSION,
        risk_assessment: parts.decision.verdict,
        assessment_reason: masked(&parts.decision.reason, secrets),
        enforcement,
        keep_first: None,
        recovery_point: None,
        summary: summary(parts.assessments, secrets),
        mutations: mutations.into_iter().flatten().collect(),
        materials: parts.materials.iter().map(|found| material(found, secrets)).collect(),
        cross_action_risks: parts.risks.iter().map(|found| risk(found, secrets)).collect(),
        verification_suggestions: parts
            .suggestions
            .iter()
            .filter_map(|found| suggestion(found, secrets))
            .collect(),
        trace: trace(&parts),
        timing: Timing {
            total_ms: milliseconds(parts.times.total),
            parse_ms: milliseconds(parts.times.parse),
            analysis_ms: milliseconds(parts.times.analysis),
            policy_ms: milliseconds(parts.times.policy),
        },
        resources: parts.resources,
        secrets: parts.secrets.clone(),
    }
}

/// Masks texts; what is said of many things once: of tens of thousands of texts of a long plan most are the same few.
struct Masker<'s> {
    secrets: &'s Secrets,
    done: RefCell<HashMap<String, String>>,
}

impl<'s> Masker<'s> {
    fn of(secrets: &'s Secrets) -> Self {
        Self { secrets, done: RefCell::default() }
    }
}

fn masked(text: &str, masker: &Masker<'_>) -> String {
    masker.secrets.mask(text).into_owned()
}

/// The same for what is said of many.
fn repeated(text: &str, masker: &Masker<'_>) -> String {
    if let Some(done) = masker.done.borrow().get(text) {
        return done.clone();
    }
    let done = masked(text, masker);
    masker.done.borrow_mut().insert(text.to_owned(), done.clone());
    done
}

/// Milliseconds to the microsecond.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn summary(assessments: &[Assessment], secrets: &Masker<'_>) -> Summary {
    let worst = assessments.iter().map(|a| &a.recoverability).max_by_key(|r| r.tier.severity());
    Summary {
        total_mutations: assessments.len(),
        worst_recoverability: worst.map_or_else(
            || RecoverabilityReport {
                tier: Tier::Reversible.number(),
                label: Tier::Reversible.label(),
                reasoning: "nothing is changed".to_owned(),
                source: RecoverySource::Rules,
                confidence: 1.0,
            },
            |worst| recoverability(worst, secrets),
        ),
        needs_review: assessments.iter().any(|a| a.recoverability.tier == Tier::NeedsReview),
        has_unrecoverable: assessments.iter().any(|a| a.recoverability.tier == Tier::Unrecoverable),
        dependency_impact_count: assessments.iter().map(|a| a.mutation.dependents.len()).sum(),
    }
}

fn recoverability(judged: &Recoverability, secrets: &Masker<'_>) -> RecoverabilityReport {
    RecoverabilityReport {
        tier: judged.tier.number(),
        label: judged.tier.label(),
        reasoning: repeated(&judged.reasoning, secrets),
        source: judged.source,
        confidence: f64::from(judged.confidence.min(100)) / 100.0,
    }
}

fn material(material: &Material, secrets: &Masker<'_>) -> MaterialReport {
    MaterialReport {
        path: masked(&material.path.to_string_lossy(), secrets),
        part: material.part,
        sha256: material.sha256.clone(),
    }
}

fn mutation(assessment: &Assessment, parts: &Parts<'_>, secrets: &Masker<'_>) -> MutationReport {
    let mutation = &assessment.mutation;
    MutationReport {
        intent: IntentReport {
            source: mutation.source,
            action: mutation.action,
            target: target(mutation, parts.environment, secrets),
            actor: parts.actor.cloned(),
            raw: masked(&mutation.raw, secrets),
            span: mutation.span,
        },
        recoverability: recoverability(&assessment.recoverability, secrets),
        verdict: Some(assessment.verdict),
        decided: assessment.message.as_deref().map(|text| masked(text, secrets)),
        evidence: because(assessment)
            .iter()
            .chain(&assessment.evidence.items)
            .map(|item| evidence(item, secrets))
            .collect(),
        missing_evidence: assessment.evidence.missing.iter().map(|item| missing(item, secrets)).collect(),
        recovery: assessment.recovery.iter().map(|step| repeated(step, secrets)).collect(),
        alternatives: assessment.alternatives.iter().map(|other| alternative(other, secrets)).collect(),
        dependency_impact: mutation
            .dependents
            .iter()
            .map(|dependent| DependencyImpact {
                target_id: masked(&dependent.id, secrets),
                target_type: dependent.r#type.clone(),
                reason: repeated(&dependent.reason, secrets),
                transitive: dependent.transitive,
            })
            .collect(),
    }
}

/// Why a plan replaces or removes it.
fn because(assessment: &Assessment) -> Option<EvidenceItem> {
    let fact = assessment.mutation.facts.get(BECAUSE)?;
    Some(EvidenceItem {
        key: BECAUSE.to_owned(),
        value: Some(fact.value.clone()),
        present: true,
        description: fact.description.clone().into_owned(),
        source: None,
    })
}

fn target(mutation: &Mutation, environment: Option<&str>, secrets: &Masker<'_>) -> Target {
    let Target { provider, service, r#type, id, name, environment: own, region, account } = &mutation.target;
    Target {
        provider: provider.clone(),
        service: service.clone(),
        r#type: r#type.clone(),
        id: masked(id, secrets),
        name: name.as_deref().map(|name| masked(name, secrets)),
        environment: own.as_deref().or(environment).map(str::to_owned),
        region: region.clone(),
        account: account.clone(),
    }
}

fn evidence(item: &EvidenceItem, secrets: &Masker<'_>) -> EvidenceItem {
    EvidenceItem {
        value: item.value.as_ref().map(|value| match value {
            FactValue::Text(text) => FactValue::Text(repeated(text, secrets)),
            other => other.clone(),
        }),
        description: repeated(&item.description, secrets),
        key: item.key.clone(),
        present: item.present,
        source: item.source,
    }
}

fn missing(item: &Missing, secrets: &Masker<'_>) -> Missing {
    Missing { key: item.key.clone(), description: repeated(&item.description, secrets), effect: item.effect }
}

fn alternative(other: &Alternative, secrets: &Masker<'_>) -> Alternative {
    Alternative {
        command: repeated(&other.command, secrets),
        explanation: repeated(&other.explanation, secrets),
    }
}

/// A suggestion whose words hold a secret could only be given with the secret: it is left out.
fn suggestion(found: &VerificationSuggestion, masker: &Masker<'_>) -> Option<VerificationSuggestion> {
    let secrets = masker.secrets;
    let secret = found.verification.argv.iter().any(|word| secrets.mask(word) != word.as_str());
    let line = found.verification.argv.join(" ");
    (!secret && secrets.mask(&line) == line.as_str()).then(|| VerificationSuggestion {
        target: masked(&found.target, masker),
        description: masked(&found.description, masker),
        expected_signal: masked(&found.expected_signal, masker),
        failure_signal: masked(&found.failure_signal, masker),
        ..found.clone()
    })
}

fn risk(risk: &CrossActionRisk, secrets: &Masker<'_>) -> CrossActionRisk {
    CrossActionRisk {
        affected_resources: risk.affected_resources.iter().map(|id| masked(id, secrets)).collect(),
        explanation: masked(&risk.explanation, secrets),
        ..risk.clone()
    }
}

fn trace(parts: &Parts<'_>) -> Trace {
    let count = parts.assessments.len();
    let items: usize = parts.assessments.iter().map(|a| a.evidence.items.len()).sum();
    let missing: usize = parts.assessments.iter().map(|a| a.evidence.missing.len()).sum();
    let step = |step, action, result, decision| TraceStep { step, action, result, decision };
    let handlers: BTreeSet<&str> = parts
        .assessments
        .iter()
        .map(|a| a.mutation.rule.tool.as_str())
        .filter(|tool| !tool.is_empty())
        .collect();
    let sources: BTreeSet<&str> = parts
        .assessments
        .iter()
        .map(|a| match a.mutation.source {
            Source::Terraform => "terraform-plan",
            Source::Mcp => "tool-call",
            Source::Shell => a.mutation.target.service.as_deref().unwrap_or("command"),
        })
        .collect();
    Trace {
        steps: vec![
            step(1, "parse_input", text::count(count as u64, "mutation"), None),
            step(
                2,
                "analyze_blast_radius",
                format!(
                    "{}, {}",
                    text::count(items as u64, "piece of evidence"),
                    text::count(missing as u64, "missing piece")
                ),
                None,
            ),
            step(3, "cross_action_analysis", text::count(parts.risks.len() as u64, "risk"), None),
            step(
                4,
                "policy_evaluation",
                parts.secrets.mask(&parts.decision.reason).into_owned(),
                Some(parts.decision.verdict.as_str().to_owned()),
            ),
        ],
        duration_ms: milliseconds(parts.times.total),
        handlers_invoked: handlers.into_iter().map(str::to_owned).collect(),
        state_sources: sources.into_iter().map(str::to_owned).collect(),
    }
}
