//! A plan as a reviewer reads it: the worst first, changes of one sort together, and for each why it happens, what is lost,
//! what feels it and what brings it back.
//!
//! Owns the grouping, the numbers and the forms: for a terminal, as Markdown, SARIF, JUnit and GitHub's annotations. What
//! cannot be had back and what cannot be told is named in every form: much of one sort is joined, never cut. Judges nothing.

mod address;
mod ci;
mod group;
mod human;
mod markdown;
mod sarif;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::{Source, Verdict};
use crate::order;
use crate::text::{count, list};

use super::contract::{ConsequenceReport, MutationReport};
use group::{Group, act, groups, verdict};

pub(super) use ci::{github, junit};
pub(super) use human::{page, speak};
pub(super) use markdown::markdown;
pub(super) use sarif::sarif;

/// The verdicts, the worst first.
const VERDICTS: [Verdict; 4] = [Verdict::Block, Verdict::Escalate, Verdict::Warn, Verdict::Allow];
/// Types that one verdict's row names.
const TYPES: usize = 8;

/// Whether a report is of a plan.
pub(super) fn is_plan(report: &ConsequenceReport) -> bool {
    report.resources.is_some()
}

/// What was looked at: `looked at 14 resources: 3 deleted, 2 updated, 9 as they are`.
pub(super) fn looked_at(report: &ConsequenceReport) -> Option<String> {
    let resources = report.resources?;
    // Each by the gravest of its acts.
    let mut gravest: BTreeMap<&str, (u8, &str)> = BTreeMap::new();
    let mut others = 0;
    for mutation in &report.mutations {
        if mutation.intent.source != Source::Terraform {
            others += 1;
            continue;
        }
        let id = mutation.intent.target.id.as_str();
        let found = match act(mutation).as_str() {
            "delete" => (0, "deleted"),
            "replace" => (1, "replaced"),
            "forget" => (2, "left out of the state"),
            "update" => (3, "updated"),
            "create" => (4, "created"),
            "grant" | "revoke" => (5, "with other rights"),
            _ => (6, "unclear"),
        };
        let known = gravest.entry(id).or_insert(found);
        *known = found.min(*known);
    }
    let mut acts: BTreeMap<(u8, &str), u64> = BTreeMap::new();
    gravest.values().for_each(|act| *acts.entry(*act).or_default() += 1);
    let mut said: Vec<String> =
        acts.iter().map(|((_, word), ids)| format!("{} {word}", crate::text::grouped(*ids))).collect();
    let rest = resources.saturating_sub(gravest.len());
    if rest > 0 {
        said.push(format!(
            "{} as {}",
            crate::text::grouped(rest as u64),
            if rest == 1 { "it is" } else { "they are" }
        ));
    }
    let mut text = format!("looked at {}", count(resources as u64, "resource"));
    if !said.is_empty() {
        text.push_str(": ");
        text.push_str(&said.join(", "));
    }
    if others > 0 {
        text.push_str(&format!("; {} of commands that it runs", count(others, "effect")));
    }
    Some(text)
}

/// How many resources have a verdict, and of which types.
struct Row {
    verdict: Verdict,
    changes: usize,
    /// How many of each type, the most first.
    types: Vec<(String, usize)>,
}

impl Row {
    /// The types that are named, with how many of each.
    fn named(&self) -> impl Iterator<Item = (&str, usize)> {
        self.types.iter().take(TYPES).map(|(name, number)| (name.as_str(), *number))
    }

    /// How many are of types that are not.
    fn unnamed(&self) -> usize {
        self.types.iter().skip(TYPES).map(|(_, number)| number).sum()
    }

    /// `12 aws_instance, 1 aws_db_instance`.
    fn types(&self) -> String {
        let named: Vec<String> = self.named().map(|(name, number)| format!("{number} {name}")).collect();
        let rest = self.unnamed();
        let more = if rest > 0 { format!(", {rest} of other types") } else { String::new() };
        format!("{}{more}", named.join(", "))
    }
}

/// What is counted: of several effects on one resource the worst.
fn counted(report: &ConsequenceReport) -> Vec<&MutationReport> {
    let mut worst: HashMap<&str, &MutationReport> = HashMap::new();
    let mut found = Vec::new();
    for mutation in &report.mutations {
        if mutation.intent.source != Source::Terraform {
            found.push(mutation);
            continue;
        }
        let known = worst.entry(&mutation.intent.target.id).or_insert(mutation);
        if verdict(report, mutation) > verdict(report, known) {
            *known = mutation;
        }
    }
    found.extend(worst.into_values());
    found
}

/// The resources in numbers, the worst verdict first.
fn rows(report: &ConsequenceReport) -> Vec<Row> {
    let mut found: BTreeMap<Verdict, BTreeMap<&str, usize>> = BTreeMap::new();
    for mutation in counted(report) {
        let types = found.entry(verdict(report, mutation)).or_default();
        *types.entry(&mutation.intent.target.r#type).or_default() += 1;
    }
    VERDICTS
        .into_iter()
        .filter_map(|verdict| {
            let types = found.get(&verdict)?;
            let mut all: Vec<(String, usize)> =
                types.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect();
            order::by(&mut all, |one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
            Some(Row { verdict, changes: types.values().sum(), types: all })
        })
        .collect()
}

/// What a group does to what: `delete 12 × aws_instance`, or one by its address.
fn title(group: &Group<'_>) -> String {
    let names = group.names();
    match (group.members.as_slice(), names.as_slice()) {
        ([only], [name]) => {
            let kind = group.r#type();
            let called = group.called().map(|name| format!(" ({name})")).unwrap_or_default();
            let own = only.intent.source == Source::Terraform && name.contains(kind);
            let kind = if own { String::new() } else { format!(", {kind}") };
            format!("{} {name}{called}{kind}", group.action)
        }
        (members, names) => {
            // Several effects on one resource are told once.
            let ids: BTreeSet<&str> = members.iter().map(|one| one.intent.target.id.as_str()).collect();
            match (ids.len(), names) {
                (1, [name]) => format!("{} {name}", group.action),
                (number, _) => format!("{} {number} × {}", group.action, group.r#type()),
            }
        }
    }
}

/// One thing to say of a group.
struct Said {
    label: &'static str,
    lines: Vec<String>,
}

/// All that is said of a group.
fn said(group: &Group<'_>, report: &ConsequenceReport) -> Vec<Said> {
    let mut all = Vec::new();
    let mut say = |label: &'static str, lines: Vec<String>| {
        if !lines.is_empty() {
            all.push(Said { label, lines });
        }
    };
    if group.names().len() > 1
        || group.members.len() > 1 && group.names().iter().any(|name| name.contains('['))
    {
        say("resources", vec![group.names().join(", ")]);
    }
    say("because", group.because().into_iter().collect());
    say("why", vec![group.why().to_owned()]);
    say("policy", group.decided().map(str::to_owned).into_iter().collect());
    say("affects", group.affects());
    if group.weighs() {
        say("not seen", group.unseen());
        say("back", group.back());
        say("instead", group.instead());
        let look = group.look(report).filter(|_| group.verdict >= Verdict::Escalate);
        say("to check", look.map(|found| shell_words::join(&found.verification.argv)).into_iter().collect());
    }
    all
}

/// The groups that are told, and how many changes of which acts are only counted.
fn told<'a>(report: &'a ConsequenceReport, all: bool) -> (Vec<Group<'a>>, Option<String>) {
    let (told, counted): (Vec<Group<'_>>, Vec<Group<'_>>) =
        groups(report).into_iter().partition(|group| all || group.weighs() || group.takes());
    // What stands above already is no part of the rest.
    let ids = |groups: &[Group<'a>]| -> BTreeSet<&'a str> {
        groups.iter().flat_map(|group| &group.members).map(|one| one.intent.target.id.as_str()).collect()
    };
    let above = ids(&told);
    let mut acts: BTreeMap<&str, usize> = BTreeMap::new();
    for group in &counted {
        let rest = group.members.iter().filter(|one| !above.contains(one.intent.target.id.as_str())).count();
        if rest > 0 {
            *acts.entry(group.action.as_str()).or_default() += rest;
        }
    }
    let said: Vec<String> = acts.iter().map(|(action, number)| format!("{number} × {action}")).collect();
    let said = (!said.is_empty()).then(|| format!("nothing is lost by the rest: {}", list(&said)));
    (told, said)
}
