//! Mutations of one sort in one place become one entry, worst first.
//!
//! Owns what counts as one sort and how places are joined when there are too many of them. Every mutation is in exactly one
//! group, so that the counts add up to the whole.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::model::{Action, Assessment, LossClass, Subject, Target, Verdict};
use crate::order;
use crate::report::contract::{ConsequenceReport, MutationReport};

/// Groups that stand by themselves; the rest is joined by verdict.
const MOST: usize = 8;

/// One sort: what differs in any of this is never told as one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key<'a> {
    verdict: Verdict,
    tier: u8,
    action: Action,
    r#type: &'a str,
    owner: [Option<&'a str>; 5],
    precious: Option<&'a str>,
    place: Place<'a>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place<'a> {
    /// The directory that a path is in.
    Folder(&'a str),
    /// Things with names: the reason without the name, for it says what their loss rests on.
    Reason(String),
}

/// Mutations that are told as one.
#[derive(Clone, Debug)]
pub(super) struct Group<'a> {
    /// The worst verdict of its members; they all have it.
    pub(super) verdict: Verdict,
    /// The directory that all of them are below.
    pub(super) within: Option<&'a str>,
    /// They differ in more than their names.
    pub(super) mixed: bool,
    /// Where they stand in the report, worst first.
    pub(super) members: Vec<usize>,
}

/// A report with the judgements behind it.
#[derive(Clone, Copy)]
pub(super) struct Judged<'a> {
    pub(super) report: &'a ConsequenceReport,
    pub(super) assessments: &'a [Assessment],
}

impl<'a> Judged<'a> {
    pub(super) fn mutation(&self, at: usize) -> Option<&'a MutationReport> {
        self.report.mutations.get(at)
    }

    /// The policy's verdict for one; where it is not known, the whole's, which is at least as strict.
    pub(super) fn verdict(&self, at: usize) -> Verdict {
        self.assessments.get(at).map_or(self.report.risk_assessment, |found| found.verdict)
    }

    /// Files and bytes that exist nowhere else, and files that could not be looked at.
    pub(super) fn lost(&self, at: usize) -> (u64, u64, u64) {
        let loss = self.assessments.get(at).and_then(|found| found.evidence.loss.as_ref());
        let tally = |class| loss.and_then(|loss| loss.classes.get(&class));
        let lost = tally(LossClass::Lost);
        let unseen = tally(LossClass::Unseen).map_or(0, |tally| tally.files);
        (lost.map_or(0, |tally| tally.files), lost.map_or(0, |tally| tally.bytes), unseen)
    }

    fn precious(&self, at: usize) -> Option<&'a str> {
        self.assessments.get(at)?.evidence.loss.as_ref()?.precious.as_deref()
    }

    fn is_path(&self, at: usize) -> bool {
        self.assessments.get(at).is_some_and(|found| matches!(found.mutation.subject, Subject::Path(_)))
    }

    /// Greater is worse.
    fn rank(&self, at: usize) -> (Verdict, u8, bool, u64, Reverse<usize>) {
        let severity = self.assessments.get(at).map_or(u8::MAX, |found| found.recoverability.tier.severity());
        (self.verdict(at), severity, self.precious(at).is_some(), self.lost(at).0, Reverse(at))
    }

    fn key(&self, at: usize, mutation: &'a MutationReport) -> Key<'a> {
        let target = &mutation.intent.target;
        let place = if self.is_path(at) {
            Place::Folder(folder(&target.id))
        } else {
            Place::Reason(nameless(&mutation.recoverability.reasoning, target))
        };
        let Target { service, provider, environment, region, account, .. } = target;
        Key {
            verdict: self.verdict(at),
            tier: mutation.recoverability.tier,
            action: mutation.intent.action,
            r#type: &target.r#type,
            owner: [service, provider, environment, region, account].map(Option::as_deref),
            precious: self.precious(at),
            place,
        }
    }
}

/// The directory of a path, or of all paths that it may be; empty for a bare name.
fn folder(id: &str) -> &str {
    let mut paths = id.split(" | ").map(parent);
    let first = paths.next().unwrap_or_default();
    paths.fold(first, |shared, next| common(shared, next))
}

fn parent(id: &str) -> &str {
    match id.rfind('/') {
        Some(0) => "/",
        Some(end) => id.get(..end).unwrap_or_default(),
        None => "",
    }
}

fn nameless(reasoning: &str, target: &Target) -> String {
    let mut text = reasoning.to_owned();
    for name in [Some(target.id.as_str()), target.name.as_deref()].into_iter().flatten() {
        if !name.is_empty() {
            text = text.replace(name, "");
        }
    }
    text
}

/// How many names lead to a folder.
fn depth(folder: &str) -> usize {
    folder.split('/').filter(|name| !name.is_empty()).count()
}

/// Its first so many names.
fn upto(folder: &str, names: usize) -> &str {
    if depth(folder) <= names {
        return folder;
    }
    let root = usize::from(folder.starts_with('/'));
    let slashes = || folder.match_indices('/').map(|(at, _)| at);
    let end = (names + root).checked_sub(1).and_then(|last| slashes().nth(last)).unwrap_or(0);
    folder.get(..end.max(root)).unwrap_or_default()
}

/// The directory that both are below.
fn common<'a>(one: &'a str, other: &str) -> &'a str {
    (0..=depth(one)).rev().map(|names| upto(one, names)).find(|start| is_below(other, start)).unwrap_or("")
}

fn is_below(folder: &str, start: &str) -> bool {
    start.is_empty() && !folder.starts_with('/')
        || start == "/" && folder.starts_with('/')
        || folder
            .strip_prefix(start)
            .is_some_and(|rest| !start.is_empty() && (rest.is_empty() || rest.starts_with('/')))
}

/// All mutations, each in one group, the worst group first.
pub(super) fn groups<'a>(judged: Judged<'a>) -> Vec<Group<'a>> {
    let mut found: Vec<(Key<'a>, Vec<usize>)> = Vec::new();
    let mut places: HashMap<Key<'a>, usize> = HashMap::new();
    for (at, mutation) in judged.report.mutations.iter().enumerate() {
        let key = judged.key(at, mutation);
        let place = *places.entry(key.clone()).or_insert(found.len());
        match found.get_mut(place) {
            Some((_, members)) => members.push(at),
            None => found.push((key, vec![at])),
        }
    }
    let mut groups: Vec<Group<'a>> = joined(found)
        .into_iter()
        .map(|(key, mut members)| {
            order::by_key(&mut members, |at| Reverse(judged.rank(*at)));
            let within = match key.place {
                Place::Folder(folder) if !folder.is_empty() => Some(folder),
                _ => None,
            };
            Group { verdict: key.verdict, within, mixed: false, members }
        })
        .collect();
    order::by_key(&mut groups, |group| Reverse(group.members.first().map(|at| judged.rank(*at))));
    folded(groups, judged)
}

/// Too many directories are told by those that they are in, as few levels up as will do.
fn joined<'a>(found: Vec<(Key<'a>, Vec<usize>)>) -> Vec<(Key<'a>, Vec<usize>)> {
    if found.len() <= MOST {
        return found;
    }
    let raised = |key: &Key<'a>, names: usize| match key.place {
        Place::Folder(folder) => Key { place: Place::Folder(upto(folder, names)), ..key.clone() },
        Place::Reason(_) => key.clone(),
    };
    let count = |names: usize| found.iter().map(|(key, _)| raised(key, names)).collect::<HashSet<_>>().len();
    let deepest = found.iter().map(|(key, _)| match key.place {
        Place::Folder(folder) => depth(folder),
        Place::Reason(_) => 0,
    });
    // Sorts that differ in more than their place stay as many; what is still too much is joined by verdict.
    let target = (2 * count(0)).max(MOST);
    let names = (0..=deepest.max().unwrap_or(0)).rev().find(|names| count(*names) <= target).unwrap_or(0);
    let mut all: Vec<(Key<'a>, Vec<usize>)> = Vec::new();
    let mut places: HashMap<Key<'a>, usize> = HashMap::new();
    for (key, members) in found {
        let key = raised(&key, names);
        let place = *places.entry(key.clone()).or_insert(all.len());
        match all.get_mut(place) {
            Some((_, those)) => those.extend(members),
            None => all.push((key, members)),
        }
    }
    all
}

/// What is more than [`MOST`] becomes one group for each verdict, and so does what is let through beside what is not.
fn folded<'a>(groups: Vec<Group<'a>>, judged: Judged<'a>) -> Vec<Group<'a>> {
    let weighs = groups.first().is_some_and(|group| group.verdict > Verdict::Allow);
    let mut kept: Vec<Group<'a>> = Vec::new();
    let mut rest: Vec<Group<'a>> = Vec::new();
    for next in groups {
        if kept.len() < MOST && !(weighs && next.verdict == Verdict::Allow) {
            kept.push(next);
            continue;
        }
        match rest.iter_mut().find(|group| group.verdict == next.verdict) {
            None => rest.push(next),
            Some(group) => {
                group.within = match (group.within, next.within) {
                    (Some(one), Some(other)) => Some(common(one, other)).filter(|shared| !shared.is_empty()),
                    _ => None,
                };
                group.mixed = true;
                group.members.extend(next.members);
            }
        }
    }
    for group in &mut rest {
        order::by_key(&mut group.members, |at| Reverse(judged.rank(*at)));
    }
    kept.extend(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_cut_at_names() {
        assert_eq!([folder("/a/b"), folder("/a"), folder("a"), folder("a/b")], ["/a", "/", "", "a"]);
        assert_eq!([folder("./a/x | ./b/y"), folder("/a/x | /a/b/y"), folder("/a/x | y")], [".", "/a", ""]);
        for (path, names, cut) in [
            ("/a/b/c", 3, "/a/b/c"),
            ("/a/b/c", 2, "/a/b"),
            ("/a/b/c", 1, "/a"),
            ("/a/b/c", 0, "/"),
            ("a/b/c", 2, "a/b"),
            ("a/b/c", 0, ""),
            ("/", 0, "/"),
            ("", 0, ""),
        ] {
            assert_eq!(upto(path, names), cut, "{path} {names}");
        }
        for (one, other, both) in [
            ("/a/b", "/a/c", "/a"),
            ("/a/b", "/a/b/c", "/a/b"),
            ("/ab", "/a", "/"),
            ("a/b", "a/c", "a"),
            ("a", "b", ""),
            ("/a", "a", ""),
        ] {
            assert_eq!(common(one, other), both, "{one} {other}");
        }
    }
}
