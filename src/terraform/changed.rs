//! What a change's attributes say by themselves, whatever the type: signs, what lets everybody in, what policies grant more, full
//! control, what denied and goes, and what is known only after the apply.
//!
//! Owns which of that has to be looked for at all, so that attributes nobody asks for are not read.

use std::collections::BTreeSet;

use serde_json::Value;

use super::beside::{self, Beside};
use super::classify;
use super::crossing;
use super::denials;
use super::denying;
use super::diff::{self, Leaf, leaves};
use super::facts::Attributes;
use super::gains;
use super::judge::Verb;
use super::known::Known;
use super::later;
use super::lets_in;
use super::longer;
use super::openings;
use super::own::Own;
use super::patterns;
use super::plan::ResourceChange;
use super::powers;
use super::select::first_key;
use super::signs::{self, Said};
use super::triggers::{self, Says};
use super::widened;
use crate::knowledge::terraform_signs;
use crate::model::Action;

/// What a change's attributes say by themselves, whatever the type.
#[derive(Default)]
pub(super) struct Changed {
    pub(super) said: Said,
    /// Top-level attributes that differ.
    pub(super) names: BTreeSet<String>,
    /// It lets everybody in.
    pub(super) opens: Option<Beside>,
    /// What goes that denied, and what is known only after the apply.
    pub(super) more: Vec<Beside>,
    /// It gives full control.
    pub(super) power: Option<String>,
    /// Its rules keep more than before.
    pub(super) longer: bool,
}

/// What has to be looked for in all attributes of a change.
#[derive(Clone, Copy, Default)]
pub(super) struct Asked {
    /// What an update changes.
    updates: bool,
    /// What lets everybody in.
    may_open: bool,
    /// What a setting of an unknown type deletes.
    sets: bool,
    /// What something that is made unbinds.
    makes: bool,
    /// What denies and goes.
    denies: bool,
    /// Something on either side may deny.
    may_deny: bool,
    /// What gives full control.
    powers: bool,
    /// What policies grant more.
    documents: bool,
    /// What is known only after the apply.
    later: bool,
}

impl Asked {
    pub(super) fn of(change: &ResourceChange, verb: Verb, known: &Known) -> Self {
        let Verb::Do(action) = verb else {
            return Self::default();
        };
        let body = &change.change;
        let lasts = action != Action::Delete;
        let unknown = known.declared.is_none();
        let now = if lasts { triggers::said(body.after.get()) } else { Says::default() };
        let was = if action == Action::Create { Says::default() } else { triggers::said(body.before.get()) };
        Self {
            // What holds nothing of its own is only changed by being made anew.
            updates: action == Action::Update || action == Action::Replace && !unknown && !known.content,
            may_open: now.opens || lasts && known.spoken.ranges,
            sets: action == Action::Create && unknown && classify::is_setting(&change.r#type),
            makes: matches!(action, Action::Create | Action::Replace) && known.spoken.asks_of_made(),
            denies: was.denies,
            may_deny: was.denies || now.denies,
            powers: now.powers,
            documents: now.documents,
            later: lasts && later::may_be(&body.after_unknown),
        }
    }

    /// Something is looked for by what it says, whatever the attribute is called.
    fn looks(self) -> bool {
        self.denies || self.powers || self.documents || self.later
    }

    /// All attributes where all are gone through, else those that somebody asks for.
    pub(super) fn attributes(
        self,
        change: &ResourceChange,
        known: &Known,
    ) -> Result<Attributes, serde_json::Error> {
        if self.updates || self.may_open || self.sets || self.makes || self.looks() {
            Attributes::whole(change)
        } else {
            Attributes::of(change, &known.wanted)
        }
    }
}

/// Whether anything differs but labels and the like: what let nobody in lets nobody in by another label.
fn differ(before: &Value, after: &Value) -> bool {
    let (Value::Object(old), Value::Object(new)) = (before, after) else { return true };
    let mut names = old.keys().chain(new.keys());
    names.any(|name| old.get(name) != new.get(name) && !terraform_signs().is_harmless(name))
}

fn in_place(change: &ResourceChange) -> bool {
    matches!(Verb::of(&change.change.actions), Verb::Do(Action::Update))
}

/// Whether the configuration gives an attribute; `None`: there is no configuration.
type Gives<'a> = &'a dyn Fn(&str) -> Option<bool>;

impl Changed {
    pub(super) fn read(
        change: &ResourceChange,
        asked: Asked,
        attributes: &Attributes,
        known: &Known,
        names: &mut signs::Names,
        (gives, own): (Gives<'_>, &Own<'_>),
    ) -> Self {
        let Asked { updates, may_open, sets, makes, .. } = asked;
        let Attributes { before, after, .. } = attributes;
        let may_open = may_open && differ(before, after) && !widened::is_limit(&change.r#type, before);
        let opens = if may_open { openings::of(&change.r#type, before, after) } else { None };
        let opens =
            opens.or_else(|| if may_open { lets_in::of(&change.r#type, before, after) } else { None });
        let mut found = Self { opens, ..Self::default() };
        if asked.looks() {
            found.look(change, asked, attributes, (gives, own));
        }
        if !updates && !sets && !makes {
            return found;
        }
        let marks = [&attributes.before_sensitive, &attributes.after_sensitive];
        let mut differing = leaves(before, after, &attributes.after_unknown, marks);
        diff::pairs(&change.r#type, before, after, &mut differing);
        if !updates && !sets {
            found.said.beside = signs::made(names, &known.spoken, &differing);
            return found;
        }
        let kept =
            if updates { longer::names(before, after, &attributes.after_unknown) } else { BTreeSet::new() };
        let unknown = known.declared.is_none();
        let rules = longer::deleting(before, after, kept.clone(), unknown);
        let kept = if unknown { &rules } else { &kept };
        let denies = asked.may_deny && (denying::any(before) || denying::any(after));
        let beside = gains::Beside::of((before, after), (&change.r#type, !unknown), denies, kept);
        let mut said = signs::read(names, &differing, &known.spoken, &beside, gives);
        // What a sign tells already is enough.
        let told = |opens: &Beside| said.beside.iter().any(|known| known.kind() == opens.kind());
        found.opens = found.opens.filter(|opens| opens.is_grant() || !told(opens));
        if in_place(change) && known.spoken.alarms {
            crossing::tell(before, after, &mut said.beside);
        }
        if updates && !unknown {
            said.beside.extend(patterns::fewer(&change.r#type, before, after));
        }
        let off = known.declared.as_deref().and_then(|declared| beside::off(declared, &differing));
        if let Some(off) = off.filter(|off| said.beside.iter().all(|known| known.kind() != off.kind())) {
            said.beside.push(off);
        }
        if sets {
            // What is made protects nothing less than before, but what it deletes may be there already.
            said.beside.retain(|more| more.kind() == "protection.retention");
            said.beside.extend(signs::made(names, &known.spoken, &differing));
        }
        let top = |leaf: &Leaf| first_key(&leaf.path).to_owned();
        let changes: BTreeSet<String> = differing.iter().map(top).collect();
        let deletes = |name: &String| !rules.contains(name) && longer::may_delete(name);
        let all = updates && longer::is_longer(before, after, &attributes.after_unknown);
        if all {
            said.untold.clear();
        }
        // What is made anew may be about something else from now on.
        let longer = all || in_place(change) && !rules.is_empty() && !changes.iter().any(deletes);
        Self { said, names: changes, longer, ..found }
    }

    /// The very same is taken away elsewhere: nobody gets more.
    pub(super) fn gives_nothing(self) -> Self {
        Self { opens: None, power: None, more: Vec::new(), ..self }
    }

    /// What goes that denied, full control, what policies grant more, and what is known only after the apply.
    fn look(
        &mut self,
        change: &ResourceChange,
        asked: Asked,
        attributes: &Attributes,
        (gives, own): (Gives<'_>, &Own<'_>),
    ) {
        let Verb::Do(action) = Verb::of(&change.change.actions) else { return };
        if asked.denies {
            self.more.extend(denials::fewer(&change.r#type, action, attributes));
            let stays = matches!(action, Action::Update | Action::Replace);
            if stays
                && self.more.is_empty()
                && (widened::denies_less(attributes) || denials::denies_less(&change.r#type, attributes))
            {
                self.more.push(denials::less());
            }
        }
        if asked.later {
            self.more.extend(later::of(&change.r#type, action, attributes, gives));
        }
        if asked.powers {
            self.power = powers::given(&attributes.before, &attributes.after);
        }
        if asked.documents && self.opens.is_none() {
            self.opens = widened::of(&change.r#type, attributes, own);
        }
    }
}
