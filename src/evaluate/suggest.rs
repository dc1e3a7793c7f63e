//! What a caller could look up to be surer: exact read-only commands for what is missing.
//!
//! Owns the choice and the order. What an answer could lead to is judged with the supposed fact by the same rules, never
//! invented: a look that would change no tier is not suggested.

use std::collections::BTreeSet;

use crate::knowledge::{Knowledge, Look};
use crate::model::{Assessment, CrossActionRisk, Tier};
use crate::order;
use crate::policy::{Policy, PolicyContext};
use crate::recoverability;
use crate::report::{DecisionChange, VerdictImpact, VerificationCommand, VerificationSuggestion};

use super::look::{About, learn};
use super::supplied::floored;

/// Suggestions in a report.
const MOST: usize = 20;

/// Looks worth taking, the most useful first.
pub(super) fn suggest(
    assessments: &[Assessment],
    risks: &[CrossActionRisk],
    knowledge: &Knowledge,
    policy: &Policy,
    seen: &PolicyContext<'_>,
) -> Vec<VerificationSuggestion> {
    // What is fatal together with something else is not made good by a look at one of them.
    let involved: BTreeSet<&str> =
        risks.iter().flat_map(|risk| risk.affected_resources.iter().map(String::as_str)).collect();
    let mut open: Vec<&Assessment> = assessments
        .iter()
        .filter(|judged| judged.recoverability.tier.number() >= 3 && !judged.evidence.missing.is_empty())
        .filter(|judged| !involved.contains(judged.mutation.target.id.as_str()))
        .collect();
    order::by_key(&mut open, |judged| {
        std::cmp::Reverse((judged.verdict, judged.recoverability.tier.severity()))
    });
    let mut told = BTreeSet::new();
    let mut found = Vec::new();
    for judged in open {
        let Some(looks) = knowledge.looks(&judged.mutation.kind) else { continue };
        for look in looks.iter() {
            if found.len() >= MOST {
                break;
            }
            if let Some(one) = consider(judged, look, knowledge, policy, seen)
                && told.insert((one.evidence_key.clone(), one.verification.argv.clone()))
            {
                found.push(one);
            }
        }
    }
    order::by_key(&mut found, |one| match one.priority {
        "critical" => 0,
        "recommended" => 1,
        _ => 2,
    });
    found
}

fn consider(
    judged: &Assessment,
    look: &Look,
    knowledge: &Knowledge,
    policy: &Policy,
    seen: &PolicyContext<'_>,
) -> Option<VerificationSuggestion> {
    let missing = &judged.evidence.missing;
    if !missing.iter().any(|m| m.key == look.key || look.answers.contains(&m.key)) {
        return None;
    }
    let argv = About::new(&judged.mutation, &judged.evidence.facts).words(look)?;
    let mut evidence = judged.evidence.clone();
    learn(&mut evidence, look, look.suppose.value(), String::new());
    // An answer that a caller hands in never makes it milder than a warning.
    let mut supposed = [floored(recoverability::assess(judged.mutation.clone(), evidence, knowledge), false)];
    let (now, then) = (judged.recoverability.tier, supposed[0].recoverability.tier);
    if then.severity() >= now.severity() {
        return None;
    }
    let to = policy.decide(&mut supposed, &[], seen).verdict;
    let change = (to < judged.verdict).then_some(DecisionChange { from: judged.verdict, to });
    let target = &judged.mutation.target;
    Some(VerificationSuggestion {
        target: target.id.clone(),
        evidence_key: look.key.clone(),
        description: format!("{}: {}", target.name.as_deref().unwrap_or(&target.id), look.about),
        uncertainty: match now {
            Tier::NeedsReview => "high",
            Tier::Unrecoverable => "medium",
            _ => "low",
        },
        verification: VerificationCommand {
            r#type: look.r#type,
            argv,
            timeout_seconds: look.seconds,
            requires_permissions: look.permissions.clone(),
        },
        expected_signal: look.expects.clone(),
        failure_signal: look.fails.clone(),
        priority: match &change {
            Some(_) => "critical",
            None if then.number() < 3 => "recommended",
            None => "informational",
        },
        verdict_impact: VerdictImpact {
            current_tier: now.label(),
            potential_tier: then.label(),
            decision_change: change,
        },
    })
}
