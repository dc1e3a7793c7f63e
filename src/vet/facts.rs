//! Facts: who tells one about a kind, and who asks for it. A key that is misspelt on either side never meets the other.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::knowledge::{ACTIONS, CommandSpec, EffectSpec, Knowledge, Pack, did_you_mean, facts as declared};
use crate::recoverability::placeholders;

/// Keys by kind.
type ByKind = BTreeMap<String, BTreeSet<String>>;

/// What is told and asked, found out when somebody wants to know.
pub(super) struct Known {
    knowledge: Knowledge,
    /// Kinds whose cases are checked.
    wanted: BTreeSet<String>,
    told: OnceCell<ByKind>,
}

/// What a plan's change adds to an attribute's name.
const OF_A_CHANGE: [&str; 4] = ["was.", "changed.", "lowered.", "limited."];

/// Not facts: what a tool says of the copies that it makes.
const OF_COPIES: [&str; 3] = ["holds", "becomes", "adds"];

impl Known {
    pub(super) fn new(packs: &[Pack], knowledge: &Knowledge) -> Self {
        let kinds = packs.iter().flat_map(|pack| &pack.kinds).map(|part| part.name.clone());
        let looked_at = packs.iter().flat_map(|pack| &pack.looks).map(|part| part.name.clone());
        let wanted = kinds.chain(looked_at).collect();
        Self { knowledge: knowledge.clone(), wanted, told: OnceCell::new() }
    }

    /// Whether a case of the kind asks for a fact, or a look at it does.
    pub(super) fn is_asked(&self, kind: &str, key: &str) -> bool {
        self.asked(kind).contains(key)
    }

    /// `None` when somebody asks for the fact; else what was probably meant.
    pub(super) fn unasked(&self, kind: &str, key: &str) -> Option<String> {
        if OF_COPIES.contains(&key) || declared().is_asked(key) {
            return None;
        }
        let asked = self.asked(kind);
        let by_change = |asked: &String| OF_A_CHANGE.iter().any(|head| asked.strip_prefix(head) == Some(key));
        if asked.contains(key) || asked.iter().any(by_change) {
            return None;
        }
        Some(did_you_mean(key, asked.iter().map(String::as_str)))
    }

    fn asked(&self, kind: &str) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        let all = self.knowledge.kind(kind).into_iter().chain(self.knowledge.raised_kind(kind));
        for kind in all {
            keys.extend(kind.flags.iter().cloned());
            for case in ACTIONS.iter().flat_map(|action| kind.own_cases(*action)) {
                keys.extend(case.r#if.iter().flat_map(|c| c.keys()).map(str::to_owned));
                keys.extend(case.texts().flat_map(placeholders).map(str::to_owned));
            }
        }
        for look in self.knowledge.looks(kind).iter().flat_map(|looks| looks.iter()) {
            keys.extend(look.asks());
        }
        keys
    }

    /// `None` when somebody tells the fact about the kind; else what was probably meant.
    pub(super) fn untold(&self, kind: &str, key: &str) -> Option<String> {
        if key == "target" || declared().is_told(key) {
            return None;
        }
        let told = self.told.get_or_init(|| self.all_told());
        let of_kind = told.get(kind).into_iter().flatten();
        let plain = OF_A_CHANGE.iter().find_map(|head| key.strip_prefix(head)).unwrap_or(key);
        let any_attribute = key.starts_with("changed.") && self.is_of_terraform(kind);
        if any_attribute || of_kind.clone().any(|one| one == key || one == plain) {
            return None;
        }
        Some(did_you_mean(key, of_kind.map(String::as_str).chain(declared().told())))
    }

    fn is_of_terraform(&self, kind: &str) -> bool {
        let types = self.knowledge.terraform_types();
        types.into_iter().filter_map(|name| self.knowledge.terraform(name)).any(|known| known.kind == kind)
    }

    /// What tools, servers, Terraform types and looks tell of the kinds that are checked.
    fn all_told(&self) -> ByKind {
        let mut told = ByKind::new();
        let mut tell = |kind: &str, key: &str| {
            if self.wanted.contains(kind) {
                told.entry(kind.to_owned()).or_default().insert(key.to_owned());
            }
        };
        let mut seen = BTreeSet::new();
        for name in self.knowledge.tool_names() {
            for tool in self.knowledge.tool(name).into_iter().chain(self.knowledge.raised(name)) {
                if seen.insert(Arc::as_ptr(&tool).addr()) {
                    effects(&tool.root, &tool.root, &mut |effect| of_effect(effect, &mut tell));
                }
            }
        }
        for family in self.knowledge.mcp() {
            for tool in (0..family.tools.len()).filter_map(|at| family.tool(at)) {
                tool.effect.iter().for_each(|effect| of_effect(effect, &mut tell));
            }
        }
        for name in self.knowledge.terraform_types() {
            let more = self.knowledge.raised_terraform(name);
            for known in self.knowledge.terraform(name).into_iter().chain(more) {
                let ends = known.removed.iter().chain(&known.made);
                for kind in std::iter::once(&known.kind).chain(ends) {
                    known.facts.keys().for_each(|fact| tell(kind, fact));
                }
                known.related.iter().for_each(|related| tell(&known.kind, &related.fact));
            }
        }
        for kind in &self.wanted {
            for look in self.knowledge.looks(kind).iter().flat_map(|looks| looks.iter()) {
                tell(kind, &look.key);
            }
        }
        told
    }
}

fn of_effect(effect: &EffectSpec, tell: &mut dyn FnMut(&str, &str)) {
    for with in &effect.with {
        tell(&effect.on.kind, with.split_once('=').map_or(with.as_str(), |(key, _)| key));
    }
}

fn effects(command: &CommandSpec, root: &CommandSpec, visit: &mut dyn FnMut(&EffectSpec)) {
    command.effects.iter().for_each(&mut *visit);
    if let Some(verbs) = &command.verbs {
        for effect in verbs.things.iter().flat_map(|thing| &thing.effects) {
            let with = effect.with.iter().chain(&verbs.with).cloned().collect();
            visit(&EffectSpec { with, ..effect.clone() });
        }
    }
    for name in command.commands.names() {
        if let Some(under) = command.commands.get(name, root) {
            effects(&under, root, visit);
        }
    }
}
