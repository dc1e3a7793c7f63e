//! What the attributes that a change touches say by their names, of any type: which lose nothing, and which take something
//! away (`terraform_signs.toml`).

use std::collections::HashMap;
use std::rc::Rc;

use super::amounts::{self, number};
use super::beside::Beside;
use super::diff::Leaf;
use super::gains;
use super::guards;
use super::lets_in;
use super::protections::is_on;
use super::said::show;
use super::select::first_key;
use super::senses::{can_tell, is_taken, may_relax};
use super::sounds;
use super::spoken::{Named, Spoken};
use super::texts;
use crate::knowledge::{Class, Sense, Sign, Sounds, terraform_signs};
use crate::model::{Action, FactValue};

/// What the attributes say.
#[derive(Default)]
pub(super) struct Said {
    /// What they do besides.
    pub(super) beside: Vec<Beside>,
    /// All of them are known to lose nothing by their names.
    pub(super) only_labels: bool,
    /// All of them are known to lose nothing, by their names or by what becomes of them.
    pub(super) safe: bool,
    /// Names of the others.
    pub(super) names: Vec<String>,
    /// Those of them of which neither the type's data nor their name says what becomes of what the thing holds.
    pub(super) untold: Vec<String>,
}

/// The paths that were met: a plan has the same ones thousands of times, and the lists are long.
#[derive(Default)]
pub(super) struct Names(HashMap<String, Rc<Named>>);

impl Names {
    /// A column that comes in addition takes nothing from the rows that are there.
    fn adds_a_column(&mut self, path: &str) -> bool {
        let list = path.rsplit_once('.').map(|(list, _)| list);
        list.is_some_and(|list| self.of(list).signs.iter().any(|sign| sign.kind == "data.columns"))
    }
}

/// Paths that are remembered at once: keys of maps are parts of paths, too.
const REMEMBERED: usize = 20_000;

impl Names {
    fn of(&mut self, path: &str) -> Rc<Named> {
        if let Some(known) = self.0.get(path) {
            return Rc::clone(known);
        }
        let signs = terraform_signs();
        // Documents write `minAvailable` where attributes are called `min_available`.
        let plain = texts::snake(path);
        let harmless = signs.is_harmless(path);
        let (mut own, mut typed) = signs.of(&plain);
        if plain != path {
            let exact =
                |sign: &&Sign| !sign.sense.is_general() && !own.iter().any(|own| std::ptr::eq(*own, *sign));
            let more: Vec<&Sign> = signs.of(path).0.into_iter().filter(exact).collect();
            own.extend(more);
        }
        typed.retain(|sign| !harmless || sign.of != Class::Guards && !sign.is_of_any_name());
        let named = Rc::new(Named {
            harmless,
            computed: signs.is_computed(path),
            setting: signs.is_setting(path),
            signs: own,
            typed,
            guards: !harmless && signs.deciding.in_guards(&plain),
            decides: signs.deciding.by_word(&plain),
            says: signs.deciding.by_text(&plain),
            sounds: if harmless { Sounds::default() } else { signs.sounding.of(&plain) },
        });
        if self.0.len() >= REMEMBERED {
            self.0.clear();
        }
        self.0.insert(path.to_owned(), Rc::clone(&named));
        named
    }
}

/// The signs that an attribute is asked by: those of its type alone, and all.
fn asked(spoken: &Spoken, named: &Named, leaf: &Leaf) -> (Vec<&'static Sign>, Vec<&'static Sign>) {
    let relaxes = may_relax(leaf);
    let counts = |sign: &&'static Sign| relaxes || sign.sense != Sense::Relaxes || sign.is_of_any_word();
    let mut own = spoken.among(&named.typed);
    own.retain(counts);
    let all = own.iter().copied().chain(named.signs.iter().copied().filter(counts)).collect();
    (own, all)
}

/// Reads an update. `is_set` tells whether the configuration gives the attribute; `None`: there is no configuration.
pub(super) fn read(
    names: &mut Names,
    leaves: &[Leaf],
    spoken: &Spoken,
    around: &gains::Beside<'_>,
    is_set: impl Fn(&str) -> Option<bool>,
) -> Said {
    // What differs in nothing that is told may differ in anything.
    let any = !leaves.is_empty();
    let mut said = Said { only_labels: any, safe: any, ..Said::default() };
    let mut gained: Vec<&str> = Vec::new();
    for leaf in leaves {
        let path = leaf.path.as_str();
        let named = names.of(path);
        let declared = spoken.own.iter().any(|known| known == path);
        let (own, all) = asked(spoken, &named, leaf);
        let acts = own.iter().any(|sign| is_taken(sign, leaf));
        if named.harmless && !declared && !acts || is_computed(leaf, &named, &is_set) {
            continue;
        }
        said.only_labels = false;
        let column = leaf.was.is_none() && !leaf.unknown && names.adds_a_column(path);
        if column || is_new_definition(leaf) {
            said.safe = false;
            continue;
        }
        let top = first_key(path);
        let longer = around.is_longer(top);
        let taken = |sign: &&&'static Sign| {
            let meant = longer && sign.kind == "protection.retention";
            is_taken(sign, leaf) && !meant && !lets_in::is_few_more(sign, leaf, leaves)
        };
        let weaker: Vec<&'static Sign> = all.iter().filter(taken).copied().collect();
        let gain = |leaf: &Leaf| gains::is_gain(leaf, all.iter().copied(), around);
        // What comes or goes with an element of a list says no more than the list does.
        let of_list = leaf.whole && gained.iter().any(|list| overlaps(list, path));
        if weaker.is_empty() && !leaf.unknown && (longer || of_list || gain(leaf) || around.is_part(top)) {
            if leaf.is_list {
                gained.push(path);
            }
            continue;
        }
        // Better than before, as far as its name says what is better.
        let says = |sign: &&&'static Sign| {
            !sign.sense.only_warns() && around.counts(sign) && can_tell(sign, leaf, spoken.known)
        };
        let found: Vec<_> = named.signs.iter().filter(says).collect();
        let spoken_of = || spoken.any.iter().any(|spoken| overlaps(spoken, path));
        if weaker.is_empty() && (found.is_empty() || leaf.unknown) {
            let told = guards::unclear(spoken, &named, leaf, leaves, all.iter().copied());
            said.beside.extend(told.or_else(|| {
                let quiet = spoken_of() || terraform_signs().is_content(path);
                if quiet { None } else { sounds::unclear(spoken, named.sounds, leaf, all.iter().copied()) }
            }));
        }
        said.beside.extend(guards::turned(leaf).filter(|_| weaker.is_empty()));
        if found.is_empty() || !weaker.is_empty() || leaf.unknown {
            said.safe = false;
            let name = first_key(path).to_owned();
            let known = || named.setting || spoken_of();
            // The length of a list says nothing that its elements do not say.
            let inside = |other: &Leaf| other.path.len() > path.len() && overlaps(path, &other.path);
            let told_inside = leaf.is_list && leaves.iter().any(inside);
            if found.is_empty()
                && weaker.is_empty()
                && !told_inside
                && !said.untold.contains(&name)
                && !known()
            {
                said.untold.push(name.clone());
            }
            if !said.names.contains(&name) {
                said.names.push(name);
            }
        }
        tell(&mut said, leaf, (&named, &own), spoken, declared, &weaker);
    }
    said
}

/// Tells what an attribute takes away. `own`: signs of the type that name it; `declared`: its data says what its loss means.
fn tell(
    said: &mut Said,
    leaf: &Leaf,
    (named, own): (&Named, &[&'static Sign]),
    spoken: &Spoken,
    declared: bool,
    weaker: &[&'static Sign],
) {
    let path = leaf.path.as_str();
    // What is listed says more than what a name suggests.
    let listed = weaker.iter().any(|sign| sign.is_loose())
        && (declared
            || spoken.told.iter().any(|known| known == path)
            || named.signs.iter().chain(own).any(|sign| !sign.sense.is_general()));
    for sign in weaker {
        // What the type's data says is enough, but for what it does not ask.
        if sign.is_loose() && listed || declared && !sign.sense.only_warns() {
            continue;
        }
        // What expires, and what comes after an upgrade, is judged by the kind, where the type's data tells it.
        let by_kind = ["protection.retention", "protection.upgrade"].contains(&sign.kind.as_str());
        if by_kind && spoken.told.iter().any(|known| overlaps(known, path)) {
            continue;
        }
        // Of several of a kind the one that leaves nothing is told.
        let is_off = leaf.now.as_ref().is_none_or(|now| !is_on(now));
        let more = of_sign(sign, leaf);
        match said.beside.iter().position(|known| known.kind() == more.kind()) {
            None => said.beside.push(more),
            Some(at) if is_off && !leaf.whole && !said.beside[at].leaves_nothing() => said.beside[at] = more,
            Some(_) => {}
        }
    }
}

/// What something that is made does besides.
pub(super) fn made(names: &mut Names, spoken: &Spoken, leaves: &[Leaf]) -> Vec<Beside> {
    let named: Vec<(Rc<Named>, &Leaf)> = leaves.iter().map(|leaf| (names.of(&leaf.path), leaf)).collect();
    let found = |sign: &'static Sign| {
        let names =
            |named: &Named| named.typed.iter().chain(&named.signs).any(|own| std::ptr::eq(*own, sign));
        let mut of = named.iter().filter(|(named, _)| names(named)).map(|(_, leaf)| *leaf);
        of.find(|leaf| is_taken(sign, leaf)).map(|leaf| of_sign(sign, leaf))
    };
    // What is listed for its own sake stands first; of a kind that is enough.
    let mut all: Vec<Beside> = Vec::new();
    for more in spoken.signs.iter().copied().filter(|sign| sign.made).filter_map(found) {
        if all.iter().all(|known| known.kind() != more.kind()) {
            all.push(more);
        }
    }
    all
}

/// Told by the provider after the apply, whatever it will be.
fn is_computed(leaf: &Leaf, named: &Named, is_set: &impl Fn(&str) -> Option<bool>) -> bool {
    leaf.unknown && !is_set(first_key(&leaf.path)).unwrap_or(!named.computed)
}

/// Whether one path stands below the other.
fn overlaps(one: &str, other: &str) -> bool {
    let below = |upper: &str, lower: &str| {
        lower.strip_prefix(upper).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    below(one, other) || below(other, one)
}

fn of_sign(sign: &Sign, leaf: &Leaf) -> Beside {
    // What it will be is not known, so nothing is known to be lost.
    if leaf.unknown && sign.kind.starts_with("protection.") {
        return guards::later(&leaf.path, &sign.kind);
    }
    let action = if sign.kind == "access" { Action::Grant } else { Action::Update };
    let mut beside = Beside::new(action, &sign.kind);
    if action == Action::Grant {
        if sign.sense == Sense::Emptied {
            beside.tell("everybody", FactValue::Text(format!("{} names nobody any more", leaf.path)));
            return beside;
        }
        if leaf.now.is_none() || leaf.is_list {
            beside.tell("everybody", FactValue::Text(format!("{} is gone", leaf.path)));
            return beside;
        }
        let value = leaf.now.as_ref().map(show).unwrap_or_default();
        beside.tell("everybody", FactValue::Text(format!("{} = {value}", leaf.path)));
        return beside;
    }
    beside.tell("attribute", FactValue::Text(leaf.path.clone()));
    if let Some(was) = &leaf.was {
        beside.tell("had", was.clone());
    }
    if let Some(now) = &leaf.now {
        beside.tell("left", now.clone());
    }
    let kept = amounts::kept(&leaf.path, leaf.now.as_ref().filter(|_| !leaf.is_list));
    if let Some((key, value)) = kept {
        beside.tell(key, value);
    }
    beside
}

/// A statement that makes something in addition to what is there; a longer list says no more than its new statements do.
fn is_new_definition(leaf: &Leaf) -> bool {
    let statement = leaf.path == "ddl" || leaf.path.ends_with(".ddl");
    let adds = leaf.was.is_none() && leaf.now.is_some() && !leaf.is_list;
    let text = leaf.now.as_ref().map(show).unwrap_or_default();
    let creates = leaf.was.is_none() && text.trim_start().to_ascii_uppercase().starts_with("CREATE ");
    let grows = leaf.is_list && leaf.now.as_ref().and_then(number) > leaf.was.as_ref().and_then(number);
    statement && !leaf.unknown && (creates || grows) || adds && terraform_signs().is_content(&leaf.path)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::diff::leaves;
    use super::*;

    fn said(before: Value, after: Value, unknown: Value) -> Said {
        let none = json!({});
        read(
            &mut Names::default(),
            &leaves(&before, &after, &unknown, [&none, &none]),
            &Spoken::default(),
            &gains::Beside::default(),
            |_| None,
        )
    }

    fn kinds(before: Value, after: Value) -> Vec<String> {
        said(before, after, json!({})).beside.iter().map(|beside| beside.kind().to_owned()).collect()
    }

    #[test]
    fn names_say_what_is_taken_away() {
        for (before, after, kind) in [
            (
                json!({"deletion_protection": true}),
                json!({"deletion_protection": false}),
                "protection.deletion",
            ),
            (
                json!({"deletion_protection": "ACTIVE"}),
                json!({"deletion_protection": "INACTIVE"}),
                "protection.deletion",
            ),
            (json!({"force_destroy": false}), json!({"force_destroy": true}), "protection.deletion"),
            (
                json!({"skip_final_snapshot": null}),
                json!({"skip_final_snapshot": true}),
                "protection.last-copy",
            ),
            (
                json!({"backup": [{"retention_days": 30}]}),
                json!({"backup": [{"retention_days": 7}]}),
                "protection.backups",
            ),
            (
                json!({"versioning": [{"enabled": true}]}),
                json!({"versioning": [{"enabled": false}]}),
                "protection.versions",
            ),
            (json!({"versioning": [{"enabled": true}]}), json!({"versioning": []}), "protection.versions"),
            (json!({"retention_in_days": 0}), json!({"retention_in_days": 1}), "protection.retention"),
            (
                json!({"message_retention_duration": "604800s"}),
                json!({"message_retention_duration": "600s"}),
                "protection.retention",
            ),
            (
                json!({"ttl": [{"enabled": false}]}),
                json!({"ttl": [{"enabled": true}]}),
                "protection.retention",
            ),
            (
                json!({"rule": [{"id": "a", "expiration": []}]}),
                json!({"rule": [{"id": "a", "expiration": [{"days": 1}]}]}),
                "protection.retention",
            ),
            (json!({"desired_capacity": 5}), json!({"desired_capacity": 0}), "capacity.compute"),
            (json!({"publicly_accessible": false}), json!({"publicly_accessible": true}), "access"),
        ] {
            assert_eq!(kinds(before.clone(), after.clone()), [kind], "{before} {after}");
            assert!(kinds(after.clone(), before).is_empty() || kind == "protection.backups", "{after}");
        }
    }

    #[test]
    fn what_records_guards_or_doubles_is_told_when_it_goes_and_never_when_it_comes() {
        for (strong, weak, kind) in [
            (json!({"access_logs": [{"enabled": true}]}), json!({"access_logs": []}), "protection.record"),
            (
                json!({"enabled_log_types": ["a", "b"]}),
                json!({"enabled_log_types": ["a"]}),
                "protection.record",
            ),
            (
                json!({"parameter": [{"name": "pgaudit.log", "value": "all"}]}),
                json!({"parameter": [{"name": "pgaudit.log", "value": "none"}]}),
                "protection.record",
            ),
            (json!({"http_tokens": "required"}), json!({"http_tokens": "optional"}), "protection.entrance"),
            (json!({"disable_mfa": "false"}), json!({"disable_mfa": "true"}), "protection.entrance"),
            (json!({"web_acl_id": "arn"}), json!({"web_acl_id": ""}), "protection.wall"),
            (json!({"https_only": true}), json!({"https_only": false}), "protection.cipher"),
            (json!({"min_tls_version": "TLS1_2"}), json!({"min_tls_version": "TLS1_0"}), "protection.cipher"),
            (json!({"multi_az": true}), json!({"multi_az": false}), "protection.standby"),
            (
                json!({"settings": [{"availability_type": "REGIONAL"}]}),
                json!({"settings": [{"availability_type": "ZONAL"}]}),
                "protection.standby",
            ),
            (
                json!({"dnssec_config": [{"state": "on"}]}),
                json!({"dnssec_config": [{"state": "off"}]}),
                "service.stopped",
            ),
        ] {
            assert_eq!(kinds(strong.clone(), weak.clone()), [kind], "{strong} {weak}");
            assert!(kinds(weak.clone(), strong).is_empty(), "{weak}");
        }
        for (was, now) in [
            (json!({"min_tls_version": null}), json!({"min_tls_version": "1.0"})),
            (json!({"web_acl_id": "a"}), json!({"web_acl_id": "b"})),
            (json!({"logging": [{"bucket": "a"}]}), json!({"logging": [{"bucket": "b"}]})),
        ] {
            assert!(kinds(was, now.clone()).is_empty(), "{now}");
        }
        let later = said(json!({"web_acl_id": "a"}), json!({}), json!({"web_acl_id": true}));
        assert!(later.beside.is_empty(), "another one takes its place");
    }

    #[test]
    fn labels_and_what_gets_better_are_safe() {
        let labels = said(json!({"tags": {"a": "b"}}), json!({"tags": {}}), json!({"last_modified": true}));
        assert!(labels.only_labels && labels.safe);
        let better = said(
            json!({"deletion_protection": false, "replicas": 3}),
            json!({"deletion_protection": true, "replicas": 5}),
            json!({}),
        );
        assert!(better.safe && !better.only_labels);
        let other = said(json!({"policy": "a"}), json!({"policy": "b"}), json!({}));
        assert_eq!((other.safe, other.names), (false, vec!["policy".to_owned()]));
        let unknown = said(json!({"policy": "a"}), json!({}), json!({"policy": true}));
        assert!(!unknown.safe, "it may become anything");
    }
}
