//! Harmless alone, fatal together: patterns over all mutations of one command or plan.
//!
//! Owns the patterns; raises the tier of those involved, and so the verdict. Never lowers one. Pure.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::model::{
    Action, Assessment, Cause, CrossActionRisk, FactValue, PathOrigin, Source, Subject, Tier, Value,
};
use crate::terraform::are_apart;
use crate::wildcard::fits;

/// Looks for the patterns, raises tiers and says why.
pub fn examine(assessments: &mut [Assessment]) -> Vec<CrossActionRisk> {
    let mut risks = Vec::new();
    copies(assessments, &mut risks);
    moved(assessments, &mut risks);
    history(assessments, &mut risks);
    protection(assessments, &mut risks);
    relations(assessments, &mut risks);
    plans::keys(assessments, &mut risks);
    plans::expiring(assessments, &mut risks);
    plans::inhabitants(assessments);
    plans::staying(assessments);
    plans::shifted(assessments);
    risks
}

/// Raises to at least this tier; says whether that changed anything.
fn raise(assessment: &mut Assessment, tier: Tier, why: &str) -> bool {
    let milder = assessment.recoverability.tier.severity() < tier.severity();
    if milder {
        assessment.recoverability.tier = tier;
        assessment.recoverability.reasoning = why.to_owned();
        // Steps that rest on what the other mutation destroys.
        assessment.recovery.clear();
    }
    assessment.harmless &= !milder;
    milder
}

fn risk(
    pattern: &str,
    name: &str,
    affected: Vec<String>,
    explanation: String,
    tier: Tier,
) -> CrossActionRisk {
    CrossActionRisk {
        pattern: pattern.to_owned(),
        pattern_name: name.to_owned(),
        affected_resources: affected,
        explanation,
        upgraded_tier: tier.number(),
    }
}

fn fact<'a>(assessment: &'a Assessment, key: &str) -> Option<&'a FactValue> {
    let (found, own) = (&assessment.evidence.facts, &assessment.mutation.facts);
    let other = || if own.is_shared_with(found) { None } else { own.get(key) };
    found.get(key).or_else(other).map(|fact| &fact.value)
}

fn text<'a>(assessment: &'a Assessment, key: &str) -> Option<&'a str> {
    match fact(assessment, key)? {
        FactValue::Text(text) => Some(text),
        _ => None,
    }
}

fn bool_fact(assessment: &Assessment, key: &str) -> Option<bool> {
    match fact(assessment, key)? {
        FactValue::Bool(value) => Some(*value),
        _ => None,
    }
}

fn destroys(assessment: &Assessment) -> bool {
    matches!(assessment.mutation.action, Action::Delete | Action::Replace)
}

/// Whether a mutation destroys what is at a path, as far as its own path is known.
fn takes(assessment: &Assessment, path: &Path) -> bool {
    let Subject::Path(subject) = &assessment.mutation.subject else { return false };
    let mutation = &assessment.mutation;
    let changes = mutation.action == Action::Update
        && !["append", "no-change"].iter().any(|key| mutation.facts.contains_key(*key));
    if !(destroys(assessment) || changes) || mutation.context.host.is_some() {
        return false;
    }
    let covers =
        |known: &str| if subject.recursive { path.starts_with(known) } else { path == Path::new(known) };
    match &subject.path {
        Value::Affix { prefix, suffix } => {
            let text = path.to_string_lossy();
            text.starts_with(prefix.as_str()) && text.ends_with(suffix.as_str())
        }
        value => value.choices().is_some_and(|list| list.iter().any(|known| covers(known))),
    }
}

/// An original is deleted because a copy was made, and the copy is deleted too.
fn copies(assessments: &mut [Assessment], risks: &mut Vec<CrossActionRisk>) {
    for at in 0..assessments.len() {
        let copies: Vec<PathBuf> = match &assessments[at].mutation.subject {
            Subject::Path(subject) => subject.copies.clone(),
            Subject::Git { copies, .. } => copies.iter().map(|copy| copy.at.clone()).collect(),
            _ => continue,
        };
        if copies.is_empty() {
            continue;
        }
        let tier = match text(&assessments[at], "loss.outright") {
            Some("lost") => Tier::Unrecoverable,
            Some("unseen") => Tier::NeedsReview,
            _ => continue,
        };
        // Mutations stand in program order, and only copies that still stood by then are told: later ones count.
        let killers: Vec<usize> = (at + 1..assessments.len())
            .filter(|other| copies.iter().any(|copy| takes(&assessments[*other], copy)))
            .collect();
        // Which of its files a copy holds is not told of git's acts: any that goes may be the one.
        let named = matches!(assessments[at].mutation.subject, Subject::Path(_));
        let all = copies.iter().all(|copy| killers.iter().any(|other| takes(&assessments[*other], copy)));
        if named && !all || killers.is_empty() {
            continue;
        }
        let original = assessments[at].mutation.target.id.clone();
        let mut affected = vec![original.clone()];
        affected.extend(killers.iter().map(|other| assessments[*other].mutation.target.id.clone()));
        let why = format!("{original} is copied first, but the copy is destroyed by the same command");
        raise(&mut assessments[at], tier, &why);
        for other in killers {
            raise(
                &mut assessments[other],
                tier,
                &format!("it holds the only copy of {original}, which goes too"),
            );
        }
        risks.push(risk(
            "original_and_copy_both_destroyed",
            "Original and its only copy both destroyed",
            affected,
            why,
            tier,
        ));
    }
}

/// What was moved away earlier in the command is deleted where it went: told, since the words name another path.
fn moved(assessments: &mut [Assessment], risks: &mut Vec<CrossActionRisk>) {
    for assessment in assessments.iter_mut() {
        let Subject::Path(subject) = &assessment.mutation.subject else { continue };
        let from: Vec<String> = match &subject.origin {
            PathOrigin::MovedFrom(from) => vec![from.display().to_string()],
            _ => subject.moved_in.iter().map(|path| path.display().to_string()).collect(),
        };
        let tier = assessment.recoverability.tier;
        if from.is_empty() || !destroys(assessment) || tier.severity() < Tier::NeedsReview.severity() {
            continue;
        }
        let id = assessment.mutation.target.id.clone();
        let why = format!("{} is moved into {id} first and then destroyed there", from.join(", "));
        let affected = vec![id];
        risks.push(risk("moved_then_destroyed", "Moved and then destroyed", affected, why, tier));
    }
}

/// What git can still find for a while after it is gone.
const UNREACHABLE: &[&str] = &[
    "git.branch",
    "git.tag",
    "git.ref",
    "git.commits",
    "git.stash",
    "git.reflog",
    "git.note",
    "git.commit",
    "git.changes",
    "git.untracked",
    "git.history",
];

/// Kinds whose loss is mild only because git keeps unreachable objects for a while.
fn rests_on_unreachable_objects(assessment: &Assessment) -> bool {
    let mutation = &assessment.mutation;
    let kind = mutation.kind.as_str();
    // What is pushed to this very machine, or fetched over a branch, may be in the same repository.
    let comes =
        kind == "git.fetch" || kind == "git.remote-ref" && bool_fact(assessment, "remote.here") == Some(true);
    let git = UNREACHABLE.contains(&kind) || comes;
    let snapshot =
        matches!(mutation.subject, Subject::Path(_)) && text(assessment, "loss") == Some("snapshot");
    let tier = assessment.recoverability.tier;
    (git || snapshot)
        && (matches!(mutation.action, Action::Delete | Action::Replace | Action::Update) || comes)
        && !assessment.harmless
        && (tier == Tier::RecoverableWithEffort || tier == Tier::RecoverableFromBackup)
}

/// Makes unreachable objects go at once, or takes the last thing that reaches them.
fn purges(assessment: &Assessment) -> bool {
    assessment.mutation.kind == "git.objects"
        && assessment.mutation.action == Action::Delete
        && bool_fact(assessment, "grace") != Some(true)
        // The probe counts what earlier steps of the command leave behind: it saw that nothing goes.
        && !assessment.harmless
}

/// Work that could be found among git's unreachable objects, until the same command prunes them.
fn history(assessments: &mut [Assessment], risks: &mut Vec<CrossActionRisk>) {
    let Some(purge) = assessments.iter().rposition(purges) else { return };
    let pruner = assessments[purge].mutation.target.id.clone();
    let mut affected = Vec::new();
    for assessment in &mut assessments[..purge] {
        if !rests_on_unreachable_objects(assessment) {
            continue;
        }
        let id = assessment.mutation.target.id.clone();
        let why = format!(
            "git could still find {id} among its unreachable objects, but the same command prunes them"
        );
        if raise(assessment, Tier::Unrecoverable, &why) {
            affected.push(id);
        }
    }
    if affected.is_empty() {
        return;
    }
    let why = format!("what {} leaves unreachable is pruned by the same command", affected.join(", "));
    raise(&mut assessments[purge], Tier::Unrecoverable, &why);
    affected.push(pruner);
    let name = "Made unreachable and then pruned";
    risks.push(risk("unreachable_then_pruned", name, affected, why, Tier::Unrecoverable));
}

/// Attributes that keep a thing from being deleted.
const PROTECTIONS: &[&str] = &[
    "deletion_protection",
    "protection",
    "enable_deletion_protection",
    "disable_api_termination",
    "prevent_destroy",
    "deletion_protection_enabled",
];

/// Whether a mutation switches a protection off.
fn unprotects(assessment: &Assessment) -> bool {
    if bool_fact(assessment, "protection.disabled") == Some(true) {
        return true;
    }
    assessment.mutation.action == Action::Update
        && PROTECTIONS.iter().any(|key| {
            bool_fact(assessment, key) == Some(false)
                && (bool_fact(assessment, &format!("was.{key}")) == Some(true)
                    || bool_fact(assessment, &format!("changed.{key}")) == Some(true))
        })
}

/// What a mutation's target may be called.
fn names(assessment: &Assessment) -> impl Iterator<Item = &str> {
    let target = &assessment.mutation.target;
    let names = [Some(target.id.as_str()), target.name.as_deref(), text(assessment, "identifier")];
    names.into_iter().flatten().filter(|name| !name.is_empty())
}

/// Positions of the mutations that destroy something, by what that may be called: plans have tens of thousands.
/// Only of the names that somebody asks for.
fn destroyers<'a, I: Iterator<Item = &'a str>>(
    assessments: &'a [Assessment],
    names: impl Fn(&'a Assessment) -> I,
    asked: &HashSet<&str>,
) -> HashMap<String, BTreeSet<usize>> {
    let mut found: HashMap<String, BTreeSet<usize>> = HashMap::new();
    for (at, assessment) in assessments.iter().enumerate().filter(|(_, assessment)| destroys(assessment)) {
        for name in names(assessment).filter(|name| asked.contains(name)) {
            found.entry(name.to_owned()).or_default().insert(at);
        }
    }
    found
}

/// Protection is switched off and the thing deleted in one go: nobody had the chance to stop and think.
fn protection(assessments: &mut [Assessment], risks: &mut Vec<CrossActionRisk>) {
    let switched: Vec<usize> = (0..assessments.len()).filter(|at| unprotects(&assessments[*at])).collect();
    if switched.is_empty() {
        return;
    }
    let asked = switched.iter().flat_map(|off| names(&assessments[*off])).collect();
    let destroyers = destroyers(assessments, names, &asked);
    for off in switched {
        let found: BTreeSet<usize> =
            names(&assessments[off]).filter_map(|name| destroyers.get(name)).flatten().copied().collect();
        for gone in found.into_iter().filter(|gone| *gone != off) {
            let id = assessments[gone].mutation.target.id.clone();
            let why = format!("the protection of {id} is switched off and {id} is deleted in one go");
            raise(&mut assessments[gone], Tier::Unrecoverable, &why);
            raise(&mut assessments[off], Tier::Unrecoverable, &why);
            let affected = vec![assessments[off].mutation.target.id.clone(), id];
            let name = "Protection disabled and then deleted";
            risks.push(risk("protection_disabled_then_deleted", name, affected, why, Tier::Unrecoverable));
        }
    }
}

/// Whether a mutation destroys what keeps, guards or copies another thing.
fn is_copy(assessment: &Assessment) -> bool {
    destroys(assessment)
        && assessment.mutation.cause == Cause::Rule
        && text(assessment, "source_id").is_some()
        && !matches!(text(assessment, "relation"), Some("member" | "setting"))
}

/// A backup or replica goes together with what it was made from.
fn relations(assessments: &mut [Assessment], risks: &mut Vec<CrossActionRisk>) {
    let copies: Vec<usize> = (0..assessments.len()).filter(|at| is_copy(&assessments[*at])).collect();
    if copies.is_empty() {
        return;
    }
    let asked = copies.iter().filter_map(|at| text(&assessments[*at], "source_id")).collect();
    let origins = destroyers(
        assessments,
        |assessment| {
            let id = Some(assessment.mutation.target.id.as_str());
            // What is itself only about another thing keeps nothing of its own.
            let about = matches!(text(assessment, "relation"), Some("protection" | "setting"));
            let names = [id, text(assessment, "identifier")].into_iter().flatten();
            names.chain(assessment.mutation.names()).filter(move |_| !about)
        },
        &asked,
    );
    for copy in copies {
        let Some(source) = text(&assessments[copy], "source_id").map(str::to_owned) else { continue };
        let relation = text(&assessments[copy], "relation").unwrap_or("backup").to_owned();
        let types = text(&assessments[copy], "source_types").map(str::to_owned);
        let may_be = |origin: usize| {
            let found = &assessments[origin].mutation.target.r#type;
            let [one, other] = [copy, origin].map(|at| &assessments[at].mutation.facts);
            !are_apart(&source, one, other)
                && types.as_ref().is_none_or(|types| types.split(' ').any(|pattern| fits(pattern, found)))
        };
        let found = origins.get(&source).into_iter().flatten().copied().filter(|origin| may_be(*origin));
        // An address of a plan is one resource, also where several rules speak of it.
        let same = |origin: usize| {
            let [one, other] = [copy, origin].map(|index| &assessments[index].mutation);
            one.source == Source::Terraform && one.target.id == other.target.id
        };
        let found: Vec<usize> = found.filter(|origin| *origin != copy && !same(*origin)).collect();
        for origin in found {
            let ids = [copy, origin].map(|index| assessments[index].mutation.target.id.clone());
            let guarded = relation == "protection";
            let (pattern, name) = match relation.as_str() {
                "replica" => ("replica_and_primary_both_deleted", "Replica and primary both deleted"),
                "protection" => ("protection_disabled_then_deleted", "Protection disabled and then deleted"),
                _ => ("backup_and_protected_both_deleted", "Backup and protected resource both deleted"),
            };
            // A protection goes with every ordinary removal; it matters where getting the thing back rested on it.
            let tier = assessments[origin].recoverability.tier;
            if guarded && tier != Tier::RecoverableFromBackup {
                continue;
            }
            let end = if guarded { "nothing keeps it then" } else { "neither is left to restore from" };
            let why = format!("{} and its {relation} {} are deleted together; {end}", ids[1], ids[0]);
            let raised: &[usize] = if guarded { &[origin] } else { &[copy, origin] };
            for &index in raised {
                // The sentence that names both stands below them all.
                let own = match (guarded, index == copy) {
                    (true, _) => why.clone(),
                    (_, true) => format!("what it is a {relation} of, {}, goes too", ids[1]),
                    (_, false) => format!("its {relation} {} goes too", ids[0]),
                };
                let one = &mut assessments[index];
                if !raise(one, Tier::Unrecoverable, &own) && !one.recovery.is_empty() {
                    one.recovery = vec!["from another copy, if there is one outside of this".to_owned()];
                }
            }
            let mut found = risk(pattern, name, ids.to_vec(), why, Tier::Unrecoverable);
            if assessments[copy].mutation.source == Source::Terraform {
                found.explanation.push_str(". Only what is in this plan was looked at.");
            }
            risks.push(found);
        }
    }
}

mod plans;
#[cfg(test)]
mod tests;
