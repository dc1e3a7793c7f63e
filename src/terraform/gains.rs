//! Attributes whose change loses nothing because of the way it goes: what a sign would tell if the change were turned round, and
//! what grows, keeps more or guards more by its name (`terraform_gains.toml`).
//!
//! Owns the question alone, so that nobody has to be asked about a change that only strengthens, of whatever type it is.

use std::collections::BTreeSet;

use serde_json::Value;

use super::amounts::{endless, number};
use super::diff::Leaf;
use super::narrower;
use super::protections::is_on;
use super::said::show;
use super::select::first_key;
use super::senses::is_taken;
use super::texts;
use crate::knowledge::{Range, Sense, Sign, terraform_gains, terraform_signs, tool_words};
use crate::model::FactValue;

/// What of a change has to be known besides the attribute.
#[derive(Clone, Copy, Default)]
pub(super) struct Beside<'a> {
    before: Option<&'a Value>,
    after: Option<&'a Value>,
    /// A rule in it denies: what is a part of before may deny less.
    denies: bool,
    /// Its type speaks of what deletes: what grows or goes on there may delete more.
    deletes: bool,
    /// Its type is declared.
    known: bool,
    /// Attributes at the top whose rules keep more.
    longer: Option<&'a BTreeSet<String>>,
}

impl<'a> Beside<'a> {
    /// `known`: the type is declared; `denies`: a rule in it denies; `longer`: attributes at the top whose rules keep more.
    pub(super) fn of(
        (before, after): (&'a Value, &'a Value),
        (r#type, known): (&str, bool),
        denies: bool,
        longer: &'a BTreeSet<String>,
    ) -> Self {
        let deletes = terraform_gains().is_of_deletion(r#type);
        Self { before: Some(before), after: Some(after), denies, deletes, known, longer: Some(longer) }
    }

    /// Whether a sign says which way round is less: where something denies, a list or a range does not, and what grows or goes on
    /// in something that deletes may delete more.
    pub(super) fn counts(&self, sign: &Sign) -> bool {
        const KEPT: [&str; 4] =
            ["protection.retention", "protection.backups", "protection.recovery", "protection.last-copy"];
        let deletes = self.deletes && !self.known && !KEPT.contains(&sign.kind.as_str());
        !(deletes || self.denies && is_of_lists(sign.sense))
    }

    /// The rules of a top-level attribute keep more.
    pub(super) fn is_longer(&self, name: &str) -> bool {
        self.longer.is_some_and(|longer| longer.contains(name))
    }

    /// What stands at the top of a path names somebody, or something.
    fn names_some(&self, path: &str) -> bool {
        self.after.and_then(|after| after.get(first_key(path))).is_some_and(names_some)
    }

    /// All that a top-level attribute allows it allowed before.
    pub(super) fn is_part(&self, name: &str) -> bool {
        let of =
            |side: Option<&'a Value>| side.and_then(|side| side.get(name)).filter(|value| !value.is_null());
        !self.denies
            && terraform_gains().is_part(name)
            && of(self.before)
                .zip(of(self.after))
                .is_some_and(|(was, now)| names_some(now) && narrower::is_part_of(was, now))
    }
}

/// Whether the change of an attribute loses nothing. `signs` are all that name it; none of them tells it as it is.
pub(super) fn is_gain<'s>(
    leaf: &Leaf,
    mut signs: impl Iterator<Item = &'s Sign>,
    beside: &Beside<'_>,
) -> bool {
    if leaf.unknown {
        return false;
    }
    let back = Leaf { was: leaf.now.clone(), now: leaf.was.clone(), ..leaf.clone() };
    let goes_on = leaf.now.as_ref().is_some_and(is_on);
    let path = texts::snake(&leaf.path);
    let leaf = &Leaf { path, ..leaf.clone() };
    let turned =
        |sign: &Sign| beside.counts(sign) && is_taken(sign, &back) && is_clear(sign, leaf, goes_on, beside);
    // What loses nothing when it goes off may lose something when it goes on, whatever else its name sounds like.
    let weakens = goes_on && !leaf.is_list && terraform_gains().is_off(&leaf.path);
    !weakens && signs.any(turned) || by_name(leaf, beside)
}

/// Whether a sign that tells the change turned round makes it one that loses nothing.
fn is_clear(sign: &Sign, leaf: &Leaf, goes_on: bool, beside: &Beside<'_>) -> bool {
    let gains = terraform_gains();
    let path = leaf.path.as_str();
    let numbers = || leaf.was.as_ref().and_then(number).zip(leaf.now.as_ref().and_then(number));
    let lets_in = ["access", "protection.entrance", "protection.inside"].contains(&sign.kind.as_str());
    let point = |value: Option<&FactValue>| show(value?).parse::<f64>().ok();
    let points = || point(leaf.was.as_ref()).zip(point(leaf.now.as_ref()));
    match sign.sense {
        Sense::Other | Sense::Open | Sense::Upgrades => return false,
        // The first who may come in may be everybody, and a wall may be another one.
        Sense::Gone | Sense::Emptied if lets_in && !is_switch(leaf.was.as_ref()) => return false,
        Sense::Emptied if lets_in => return false,
        Sense::Lower if numbers().is_none() && points().is_some_and(|(was, now)| was > 0.0 && now > 0.0) => {}
        // By its own sense a time of 0 is none.
        Sense::Expiry if sign.lists(path) && numbers().is_some_and(|(was, now)| was > 0 && now <= 0) => {}
        // 0 may be no end.
        Sense::Lower | Sense::None | Sense::Expiry | Sense::Looser
            if !numbers().is_some_and(|(was, now)| was > 0 && now != 0) =>
        {
            return false;
        }
        _ => {}
    }
    // A name that is listed as a whole says what it is; what only fits a pattern may say it the other way round.
    if sign.lists(path) {
        return true;
    }
    match sign.sense {
        Sense::Dropped | Sense::Raised | Sense::Off | Sense::On | Sense::Gone | Sense::Opens => {
            gains.is_clear(path, goes_on)
        }
        Sense::Shrinks | Sense::Fewer => beside.known || !sign.is_of_any_name(),
        _ => !gains.is_negated(path),
    }
}

/// Where something denies, a shorter list or a part of a range denies less.
fn is_of_lists(sense: Sense) -> bool {
    use Sense::{Added, Emptied, Fewer, Grows, Shrinks, Widens};
    matches!(sense, Added | Emptied | Fewer | Grows | Shrinks | Widens)
}

fn by_name(leaf: &Leaf, beside: &Beside<'_>) -> bool {
    let gains = terraform_gains();
    let path = leaf.path.as_str();
    let (was, now) = (leaf.was.as_ref(), leaf.now.as_ref());
    if gains.is_label(path) {
        return true;
    }
    // More of them, or something where nothing was.
    let more = |was: Option<i64>, now: Option<i64>| was.unwrap_or(0) < now.unwrap_or(0);
    if gains.is_filled(path) {
        let grows = leaf.is_list && more(was.and_then(number), now.and_then(number));
        return grows || !was.is_some_and(is_set) && now.is_some();
    }
    if gains.is_first(path) {
        let none = was.is_none_or(|was| if leaf.is_list { number(was) == Some(0) } else { !is_set(was) });
        return none && now.is_some_and(is_set) && beside.names_some(path);
    }
    if let Some((was, now)) = was.and_then(number).zip(now.and_then(number)).filter(|_| !leaf.is_list) {
        let of_one_sort = is_text(leaf.was.as_ref()) == is_text(leaf.now.as_ref());
        let grows = of_one_sort && was > 0 && now > was && !beside.deletes && gains.is_greater(path);
        return grows || of_one_sort && was > 0 && endless(now) > was && gains.is_kept(path);
    }
    if beside.deletes {
        return false;
    }
    let (is, will) = (was.is_some_and(is_on), now.is_some_and(is_on));
    if is_switch(was) && is_switch(now) && is != will {
        return if will { gains.is_on(path) } else { gains.is_off(path) };
    }
    match (was, now) {
        (Some(FactValue::Text(was)), Some(FactValue::Text(now))) => {
            !beside.denies && !leaf.whole && is_part(path, was, now)
                || gains.is_stricter(&was.to_ascii_lowercase(), &now.to_ascii_lowercase())
                || !is && will && gains.is_on(path)
        }
        _ => false,
    }
}

/// A part of a range of addresses that something is let in from.
fn is_part(path: &str, was: &str, now: &str) -> bool {
    let way = || terraform_signs().is_way(path);
    Range::of(was).zip(Range::of(now)).is_some_and(|(wide, part)| wide.holds(part))
        && !way()
        && !terraform_gains().is_negated(path)
}

/// Written as text, maybe with a unit.
fn is_text(value: Option<&FactValue>) -> bool {
    matches!(value, Some(FactValue::Text(text)) if text.parse::<i64>().is_err())
}

/// A list of who may come in that still names somebody: an empty one may stand for all, and one that is switched off is none.
fn names_some(list: &Value) -> bool {
    match list {
        Value::Null | Value::Bool(_) => false,
        Value::Number(_) => true,
        Value::String(text) => {
            let word = text.trim().to_ascii_lowercase();
            let none =
                ["", "*", "all", "any", "disabled", "inactive", "off", "none"].contains(&word.as_str());
            !none && !terraform_signs().everybody.has(&word) && !tool_words().grants.everybody.has(&word)
        }
        Value::Array(all) => !all.is_empty() && all.iter().all(names_some),
        Value::Object(all) => {
            let lists = all.values().filter(|value| !value.is_null() && !value.is_boolean());
            all.get("enabled") != Some(&Value::Bool(false))
                && lists.clone().count() > 0
                && lists.clone().all(names_some)
        }
    }
}

fn is_set(value: &FactValue) -> bool {
    !matches!(value, FactValue::Text(text) if text.is_empty())
}

/// A switch, or a word that is one; what is not set is off.
fn is_switch(value: Option<&FactValue>) -> bool {
    const WORDS: [&str; 8] = ["on", "off", "enabled", "disabled", "enable", "disable", "active", "inactive"];
    match value {
        None | Some(FactValue::Bool(_)) => true,
        Some(FactValue::Text(text)) => WORDS.contains(&text.to_ascii_lowercase().as_str()),
        Some(FactValue::Number(_)) => false,
    }
}
