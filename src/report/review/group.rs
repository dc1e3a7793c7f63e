//! Changes of one sort, told once.
//!
//! Owns what counts as one sort: the verdict and who decided it, what is done to which type, what it costs and why, and what
//! forces it. Every change is in exactly one group.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::{Action, BECAUSE, FactValue, MASK, Source, Verdict};
use crate::order;
use crate::report::contract::{ConsequenceReport, MutationReport, VerificationSuggestion};
use crate::report::human::{action_word, severity};

use super::address::fold;

/// Steps, other commands and missing pieces of evidence that are told of one group.
const STEPS: usize = 4;

/// What is said of the first holds of the others.
pub(super) const LIKEWISE: &str = " (the others likewise)";

/// Changes that are told as one, in the report's order.
#[derive(Clone, Debug)]
pub(super) struct Group<'a> {
    pub(super) verdict: Verdict,
    /// What is done, in a word.
    pub(super) action: String,
    pub(super) members: Vec<&'a MutationReport>,
}

/// What the policy says of one change; where that is not known, what it says of the whole, which is at least as strict.
pub(super) fn verdict(report: &ConsequenceReport, mutation: &MutationReport) -> Verdict {
    mutation.verdict.unwrap_or(report.risk_assessment)
}

/// What is done. What only leaves the state is no change of the thing itself.
pub(super) fn act(mutation: &MutationReport) -> String {
    let words = mutation.intent.raw.rsplit_once(": ").map_or("", |(_, words)| words);
    let planned = mutation.intent.source == Source::Terraform;
    if planned && words.split(", ").any(|word| word == "forget") {
        return "forget".to_owned();
    }
    // Who may do what is a reason; the plan itself makes or changes something.
    if planned && matches!(mutation.intent.action, Action::Grant | Action::Revoke) {
        match words {
            "create" | "update" | "delete" => return words.to_owned(),
            "delete, create" | "create, delete" => return "replace".to_owned(),
            _ => {}
        }
    }
    action_word(mutation)
}

type Sort<'a> = (Verdict, u8, String, &'a str, String, Option<String>, Option<&'a str>);

/// The groups, the worst first; of two as bad, the one that the headline is about.
pub(super) fn groups(report: &ConsequenceReport) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places: HashMap<Sort<'_>, usize> = HashMap::new();
    for mutation in &report.mutations {
        let verdict = verdict(report, mutation);
        let action = act(mutation);
        let sort = (
            verdict,
            mutation.recoverability.tier,
            action.clone(),
            mutation.intent.target.r#type.as_str(),
            nameless(&mutation.recoverability.reasoning, mutation),
            because(mutation).map(|(word, _)| word),
            mutation.decided.as_deref(),
        );
        let place = *places.entry(sort).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.members.push(mutation),
            None => groups.push(Group { verdict, action, members: vec![mutation] }),
        }
    }
    order::by_key(&mut groups, |group| {
        let worst = group.members.first().map(|first| severity(first));
        Reverse((group.verdict, worst, group.is_headline(&report.assessment_reason)))
    });
    groups
}

/// A sentence without the names that tell one change from the next.
fn nameless(sentence: &str, mutation: &MutationReport) -> String {
    let target = &mutation.intent.target;
    let mut text = sentence.to_owned();
    for name in [Some(target.id.as_str()), target.name.as_deref()].into_iter().flatten() {
        if name.len() > 1 {
            text = text.replace(name, "");
        }
    }
    text
}

/// Why it is replaced or goes: in general, and with this one's values.
pub(super) fn because(mutation: &MutationReport) -> Option<(String, &str)> {
    let item = mutation.evidence.iter().find(|item| item.key == BECAUSE)?;
    match &item.value {
        Some(FactValue::Text(word)) => Some((word.clone(), &item.description)),
        _ => None,
    }
}

impl<'a> Group<'a> {
    pub(super) fn first(&self) -> Option<&'a MutationReport> {
        self.members.first().copied()
    }

    pub(super) fn r#type(&self) -> &'a str {
        self.first().map_or("", |first| first.intent.target.r#type.as_str())
    }

    pub(super) fn tier(&self) -> u8 {
        self.first().map_or(5, |first| first.recoverability.tier)
    }

    /// The tier in words.
    pub(super) fn label(&self) -> String {
        self.first().map_or_else(String::new, |first| first.recoverability.label.replace('-', " "))
    }

    /// Something is lost or may be, or the policy says more than yes.
    pub(super) fn weighs(&self) -> bool {
        self.verdict > Verdict::Allow || self.tier() >= 3
    }

    /// Something stands there no more as it did.
    pub(super) fn takes(&self) -> bool {
        matches!(self.action.as_str(), "delete" | "replace" | "forget")
    }

    fn is_headline(&self, headline: &str) -> bool {
        self.first().is_some_and(|first| {
            let said = first.decided.as_deref().unwrap_or(&first.recoverability.reasoning);
            !said.is_empty() && headline.contains(said)
        })
    }

    /// What is acted on: each by its address, those that differ in an index alone joined.
    pub(super) fn names(&self) -> Vec<String> {
        fold(self.members.iter().map(|one| {
            let target = &one.intent.target;
            let own = [target.id.as_str(), target.name.as_deref().unwrap_or_default(), &one.intent.raw];
            own.into_iter().find(|name| !name.is_empty()).unwrap_or("(no name)")
        }))
    }

    /// What the only one is called outside of the plan, where that is another name.
    pub(super) fn called(&self) -> Option<&'a str> {
        let [only] = self.members.as_slice() else { return None };
        let target = &only.intent.target;
        let last = target.id.rsplit('.').next().unwrap_or_default();
        target.name.as_deref().filter(|name| !name.is_empty() && *name != last && *name != target.id)
    }

    /// Why it is replaced or goes.
    pub(super) fn because(&self) -> Option<String> {
        let (word, said) = because(self.first()?)?;
        let same = |one: &&MutationReport| because(one).is_some_and(|(_, other)| other == said);
        Some(if self.members.iter().all(same) { said.to_owned() } else { word })
    }

    /// What the loss rests on, as it is said of the first.
    pub(super) fn why(&self) -> &'a str {
        self.first().map_or("", |first| first.recoverability.reasoning.as_str())
    }

    /// The rule of the policy that decided.
    pub(super) fn decided(&self) -> Option<&'a str> {
        self.first()?.decided.as_deref()
    }

    /// What feels the loss, by how it depends.
    pub(super) fn affects(&self) -> Vec<String> {
        let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for dependent in self.members.iter().flat_map(|one| &one.dependency_impact) {
            all.entry(&dependent.reason).or_default().insert(&dependent.target_id);
        }
        let mut said: Vec<String> = Vec::new();
        for (reason, ids) in all {
            said.push(format!("{}: {reason}", fold(ids).join(", ")));
        }
        cut(said)
    }

    /// What could not be had.
    pub(super) fn unseen(&self) -> Vec<String> {
        let why = self.why();
        let missing = self.members.iter().flat_map(|one| &one.missing_evidence);
        cut(distinct(missing.map(|missing| missing.description.as_str()).filter(|said| *said != why)))
    }

    /// How it comes back.
    pub(super) fn back(&self) -> Vec<String> {
        let mut back = self.alike(|one| one.recovery.iter().map(String::as_str).collect());
        if back.is_empty() && self.tier() == 4 {
            back.push("nothing brings it back".to_owned());
        }
        back
    }

    /// What to do instead.
    pub(super) fn instead(&self) -> Vec<String> {
        let first = self.first().and_then(|first| first.alternatives.first());
        let explained = first.map(|other| other.explanation.clone());
        let mut said = self.alike(|one| {
            one.alternatives.iter().take(1).map(|other| other.command.as_str()).collect::<Vec<_>>()
        });
        said.extend(explained.filter(|text| !text.is_empty() && !text.contains(MASK)));
        said
    }

    /// A look that would make it surer.
    pub(super) fn look(&self, report: &'a ConsequenceReport) -> Option<&'a VerificationSuggestion> {
        let ids = order::set(self.members.iter().map(|one| one.intent.target.id.as_str()));
        report.verification_suggestions.iter().find(|found| ids.contains(found.target.as_str()))
    }

    /// What is said of the first; of the others that it is alike, where only names differ.
    fn alike(&self, of: impl Fn(&'a MutationReport) -> Vec<&'a str>) -> Vec<String> {
        let Some(first) = self.first() else { return Vec::new() };
        let said = of(first);
        let others = self.members.iter().skip(1);
        if others.clone().all(|one| of(one) == said) {
            return cut(said.into_iter().map(str::to_owned).collect());
        }
        if others.clone().all(|one| similar(&of(one), &said)) {
            let mut lines = cut(said.into_iter().map(str::to_owned).collect());
            if let Some(last) = lines.last_mut() {
                last.push_str(LIKEWISE);
            }
            return lines;
        }
        cut(distinct(self.members.iter().flat_map(|one| of(one))))
    }
}

/// The same sentences about other things: as many words, and most of them the same.
fn similar(one: &[&str], other: &[&str]) -> bool {
    let words = |lines: &[&str]| -> Vec<String> {
        lines.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect()
    };
    let (one_words, other_words) = (words(one), words(other));
    let same = one_words.iter().zip(&other_words).filter(|(a, b)| a == b).count();
    one.len() == other.len() && one_words.len() == other_words.len() && 2 * same > one_words.len()
}

fn distinct<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    lines.filter(|line| seen.insert(*line)).map(str::to_owned).collect()
}

/// The first few, and how many more there are.
fn cut(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > STEPS {
        let rest = lines.len() - STEPS;
        lines.truncate(STEPS);
        lines.push(format!("and {rest} more of the kind"));
    }
    lines
}
