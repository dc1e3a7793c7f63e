//! The report in a size that an agent can afford: the same names as the whole one, one entry for each directory and verdict.
//!
//! Owns what of a report decides and what is only counted. What stands here stands in the whole report under the same name;
//! what is left out is a list that is empty, a value that is the ordinary one, or counted in `omitted`. Judges nothing.

mod group;
mod shape;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::model::{
    Alternative, Assessment, CrossActionRisk, MASK, Missing, MissingEffect, RecoverySource, Source, Verdict,
};
use crate::order;
use crate::text;

use super::contract::{ConsequenceReport, MutationReport, VerificationSuggestion};
use group::{Group, Judged};

pub use shape::{
    Brief, BriefIntent, BriefLook, BriefLoss, BriefMissing, BriefMutation, BriefProof, BriefRecoverability,
    BriefSuggestion, BriefSummary, BriefTarget, BriefTier, Omitted,
};

/// The JSON Schema of [`Brief`], as published in `docs/brief.schema.json`.
pub const BRIEF_SCHEMA: &str = include_str!("../../../docs/brief.schema.json");

/// Other targets that an entry names.
const NAMES: usize = 5;
/// Steps back, other commands and missing pieces of evidence of one entry.
const STEPS: usize = 3;
/// Targets whose alternatives become one line.
const JOINED: usize = 4;
/// What is fatal together, and looks that could be taken.
const LISTED: usize = 2;
/// The longest sentence, in columns.
const SENTENCE: usize = 300;
/// The longest name of a target.
const NAME: usize = 200;

/// The decisive part of a report. `assessments` are those that it was made of, in the same order; what has none is taken to
/// be as bad as the whole.
pub fn brief(report: &ConsequenceReport, assessments: &[Assessment]) -> Brief {
    let judged = Judged { report, assessments };
    let mut omitted = Omitted::default();
    let mut raws: Vec<&str> = report.mutations.iter().map(|mutation| mutation.intent.raw.as_str()).collect();
    raws.sort_unstable();
    raws.dedup();
    let several = raws.len() > 1;
    let mutations: Vec<BriefMutation> = group::groups(judged)
        .iter()
        .filter_map(|group| entry(group, judged, several, &mut omitted))
        .collect();
    let worst = &report.summary.worst_recoverability;
    Brief {
        schema_version: report.schema_version,
        detail: "brief",
        risk_assessment: report.risk_assessment,
        assessment_reason: text::shorten(&report.assessment_reason, SENTENCE),
        enforcement: report.enforcement.clone(),
        summary: BriefSummary {
            total_mutations: report.summary.total_mutations,
            worst_recoverability: (!mutations.is_empty())
                .then_some(BriefTier { tier: worst.tier, label: worst.label }),
            dependency_impact_count: report.summary.dependency_impact_count,
        },
        mutations,
        cross_action_risks: risks(report, &mut omitted),
        verification_suggestions: suggestions(report, &mut omitted),
        omitted,
        proof: None,
    }
}

fn entry(
    group: &Group<'_>,
    judged: Judged<'_>,
    several: bool,
    omitted: &mut Omitted,
) -> Option<BriefMutation> {
    let count = group.members.len();
    let members: Vec<&MutationReport> = group.members.iter().filter_map(|at| judged.mutation(*at)).collect();
    let first = *members.first()?;
    let target = &first.intent.target;
    let within = group.within.filter(|_| count > 1);
    let also = also(&members, within);
    omitted.targets += count - 1 - also.len();
    let mut shown = BriefMutation {
        verdict: group.verdict,
        count,
        within: within.map(|folder| text::shorten(folder, NAME)),
        also,
        mixed: group.mixed,
        intent: BriefIntent {
            action: first.intent.action,
            target: BriefTarget {
                r#type: target.r#type.clone(),
                id: text::shorten(&target.id, NAME),
                environment: target.environment.clone(),
            },
            // A plan's words are the address and the action.
            raw: (several && first.intent.source != Source::Terraform)
                .then(|| text::shorten(&first.intent.raw, NAME / 2)),
        },
        recoverability: tier(first),
        lost: (count > 1).then(|| lost(group, judged)).flatten(),
        evidence: first.evidence.iter().filter(|item| item.source.is_some()).cloned().collect(),
        missing_evidence: Vec::new(),
        recovery: Vec::new(),
        alternatives: Vec::new(),
    };
    // Of what is let through nobody has to be told how it comes back.
    if group.verdict > Verdict::Allow {
        shown.missing_evidence = missing(&members, &mut omitted.missing_evidence);
        let steps = members.iter().flat_map(|mutation| &mutation.recovery);
        let steps = first_of(STEPS, steps, String::as_str, &mut omitted.recovery);
        shown.recovery = steps.into_iter().map(|step| text::shorten(step, SENTENCE)).collect();
        shown.alternatives = alternatives(group, judged, &members, &mut omitted.alternatives);
    }
    Some(shown)
}

/// Names of the others, relative to the directory that all are in.
fn also(members: &[&MutationReport], within: Option<&str>) -> Vec<String> {
    let relative = |id: &str| match within.and_then(|folder| id.strip_prefix(folder)) {
        Some(rest) => rest.trim_start_matches('/').to_owned(),
        None => id.to_owned(),
    };
    let others = members.iter().skip(1).take(NAMES);
    others.map(|mutation| text::shorten(&relative(&mutation.intent.target.id), NAME / 3)).collect()
}

fn tier(mutation: &MutationReport) -> BriefRecoverability {
    let found = &mutation.recoverability;
    BriefRecoverability {
        tier: found.tier,
        label: found.label,
        reasoning: text::shorten(&found.reasoning, SENTENCE),
        source: (found.source != RecoverySource::Rules).then_some(found.source),
        confidence: (found.confidence < 1.0).then_some(found.confidence),
    }
}

fn lost(group: &Group<'_>, judged: Judged<'_>) -> Option<BriefLoss> {
    let all = group.members.iter().map(|at| judged.lost(*at));
    let (files, bytes, unseen) = all.fold((0_u64, 0_u64, 0_u64), |sum, one| {
        (sum.0.saturating_add(one.0), sum.1.saturating_add(one.1), sum.2.saturating_add(one.2))
    });
    (files > 0 || unseen > 0).then_some(BriefLoss { files, bytes, unseen })
}

/// What to type instead: for a few targets one command for all of them, for many that of the first.
fn alternatives(
    group: &Group<'_>,
    judged: Judged<'_>,
    members: &[&MutationReport],
    omitted: &mut usize,
) -> Vec<Alternative> {
    // The first of each member before the second of any.
    let most = members.iter().map(|mutation| mutation.alternatives.len()).max().unwrap_or(0);
    let all = (0..most).flat_map(|n| members.iter().filter_map(move |found| found.alternatives.get(n)));
    let distinct: HashSet<&str> = all.clone().map(|other| other.command.as_str()).collect();
    let (shown, commands) = match together(group, judged) {
        Some(joined) => (vec![joined], members.len()),
        None => {
            let named = if members.len() > 1 { 1 } else { STEPS };
            let first = first_of(named, all, |other: &Alternative| other.command.as_str(), &mut 0);
            let shown: Vec<Alternative> = first.into_iter().cloned().collect();
            let commands = shown.len();
            (shown, commands)
        }
    };
    *omitted += distinct.len().saturating_sub(commands);
    shown
}

/// The first alternatives of all members as one line, where each is a complete command and all say the same of themselves.
fn together(group: &Group<'_>, judged: Judged<'_>) -> Option<Alternative> {
    let mut places = group.members.clone();
    if !(2..=JOINED).contains(&places.len()) {
        return None;
    }
    places.sort_unstable();
    let mut commands: Vec<&str> = Vec::new();
    let mut explanation = None;
    for at in places {
        let other = judged.mutation(at)?.alternatives.first()?;
        let plain = !other.command.contains(MASK) && !other.command.contains('…');
        if !plain || *explanation.get_or_insert(&other.explanation) != &other.explanation {
            return None;
        }
        if commands.contains(&other.command.as_str()) {
            return None;
        }
        commands.push(&other.command);
    }
    Some(Alternative { command: commands.join(" && "), explanation: explanation?.clone() })
}

/// The first different ones, told apart by what `name` says; the rest is counted.
fn first_of<'a, T>(
    most: usize,
    all: impl Iterator<Item = &'a T>,
    name: impl Fn(&'a T) -> &'a str,
    omitted: &mut usize,
) -> Vec<&'a T> {
    let mut seen = HashSet::new();
    let mut shown = Vec::new();
    for one in all {
        if seen.insert(name(one)) {
            if shown.len() < most {
                shown.push(one);
            } else {
                *omitted += 1;
            }
        }
    }
    shown
}

/// What rules out letting it run comes before what only makes it less sure.
fn missing(members: &[&MutationReport], omitted: &mut usize) -> Vec<BriefMissing> {
    let weight = |effect| match effect {
        MissingEffect::BlocksSafeVerdict => 0,
        MissingEffect::RequiresReview => 1,
        MissingEffect::LowersConfidence => 2,
    };
    let mut all: Vec<&Missing> = members.iter().flat_map(|mutation| &mutation.missing_evidence).collect();
    order::by_key(&mut all, |missing| weight(missing.effect));
    let reason = members.first().map_or("", |mutation| mutation.recoverability.reasoning.as_str());
    let described = first_of(STEPS, all.into_iter(), |missing: &Missing| missing.key.as_str(), omitted);
    let described = described.into_iter().map(|missing| BriefMissing {
        key: missing.key.clone(),
        description: (missing.effect != MissingEffect::LowersConfidence && missing.description != reason)
            .then(|| text::shorten(&missing.description, SENTENCE)),
        effect: missing.effect,
    });
    described.collect()
}

fn risks(report: &ConsequenceReport, omitted: &mut Omitted) -> Vec<CrossActionRisk> {
    let shown = report.cross_action_risks.iter().take(LISTED).map(|risk| {
        let mut affected_resources = risk.affected_resources.clone();
        affected_resources.truncate(NAMES);
        omitted.targets += risk.affected_resources.len() - affected_resources.len();
        CrossActionRisk {
            affected_resources,
            explanation: text::shorten(&risk.explanation, SENTENCE),
            ..risk.clone()
        }
    });
    let shown: Vec<CrossActionRisk> = shown.collect();
    omitted.cross_action_risks = report.cross_action_risks.len() - shown.len();
    shown
}

fn suggestions(report: &ConsequenceReport, omitted: &mut Omitted) -> Vec<BriefSuggestion> {
    let mut all: Vec<&VerificationSuggestion> = report.verification_suggestions.iter().collect();
    order::by_key(&mut all, |found| match found.priority {
        "critical" => 0,
        "recommended" => 1,
        _ => 2,
    });
    omitted.verification_suggestions = all.len().saturating_sub(LISTED);
    let shown = all.into_iter().take(LISTED).map(|found| BriefSuggestion {
        target: found.target.clone(),
        evidence_key: found.evidence_key.clone(),
        verification: BriefLook { argv: found.verification.argv.clone() },
        expected_signal: found.expected_signal.clone(),
        verdict_impact: found.verdict_impact.clone(),
    });
    shown.collect()
}
