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
use super::senses::is_taken;
use crate::knowledge::{Sense, Sign, terraform_gains};
use crate::model::FactValue;

/// What of a change has to be known besides the attribute.
#[derive(Clone, Copy, Default)]
pub(super) struct Beside<'a> {
    before: Option<&'a Value>,
    after: Option<&'a Value>,
    /// A rule in it denies: what is a part of before may deny less.
    denies: bool,
    /// It may hold content.
    holds: bool,
    /// Attributes at the top whose rules keep more.
    longer: Option<&'a BTreeSet<String>>,
}

impl<'a> Beside<'a> {
    /// `denies`: a rule in it denies; `holds`: it may hold content; `longer`: attributes at the top whose rules keep more.
    pub(super) fn of(
        (before, after): (&'a Value, &'a Value),
        denies: bool,
        holds: bool,
        longer: &'a BTreeSet<String>,
    ) -> Self {
        Self { before: Some(before), after: Some(after), denies, holds, longer: Some(longer) }
    }

    /// Where something denies, a list or a range says nothing of which way round is less.
    pub(super) fn counts(&self, sense: Sense) -> bool {
        !(self.denies && is_of_lists(sense))
    }

    /// The rules of a top-level attribute keep more.
    pub(super) fn is_longer(&self, name: &str) -> bool {
        self.longer.is_some_and(|longer| longer.contains(name))
    }

    /// All that a top-level attribute allows it allowed before.
    pub(super) fn is_part(&self, name: &str) -> bool {
        let of =
            |side: Option<&'a Value>| side.and_then(|side| side.get(name)).filter(|value| !value.is_null());
        !self.denies
            && terraform_gains().is_part(name)
            && of(self.before).zip(of(self.after)).is_some_and(|(was, now)| narrower::is_part_of(was, now))
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
    // Names that nobody listed say little of what deletes.
    let goes_on = leaf.now.as_ref().is_some_and(is_on);
    let deletes = goes_on && terraform_gains().deletes(&leaf.path);
    let turned = |sign: &Sign| {
        let says_nothing =
            matches!(sign.sense, Sense::Other | Sense::Open) || sign.sense.is_general() && deletes;
        !says_nothing && beside.counts(sign.sense) && is_taken(sign, &back)
    };
    // What loses nothing when it goes off may lose something when it goes on, whatever else its name sounds like.
    let weakens = goes_on && !leaf.is_list && terraform_gains().is_off(&leaf.path);
    !weakens && signs.any(turned) || by_name(leaf, beside.holds)
}

/// Where something denies, a shorter list or a part of a range denies less.
fn is_of_lists(sense: Sense) -> bool {
    use Sense::{Added, Emptied, Fewer, Grows, Shrinks, Widens};
    matches!(sense, Added | Emptied | Fewer | Grows | Shrinks | Widens)
}

fn by_name(leaf: &Leaf, holds: bool) -> bool {
    let gains = terraform_gains();
    let path = leaf.path.as_str();
    let (was, now) = (leaf.was.as_ref(), leaf.now.as_ref());
    if gains.is_label(path, holds) {
        return true;
    }
    // More of them, or something where nothing was.
    let more = |was: Option<i64>, now: Option<i64>| was.unwrap_or(0) < now.unwrap_or(0);
    if gains.is_filled(path) {
        let grows = leaf.is_list && more(was.and_then(number), now.and_then(number));
        return grows || !was.is_some_and(is_set) && now.is_some();
    }
    if let Some((was, now)) = was.and_then(number).zip(now.and_then(number)).filter(|_| !leaf.is_list) {
        return was > 0 && endless(now) > was && gains.is_greater(path);
    }
    let (is, will) = (was.is_some_and(is_on), now.is_some_and(is_on));
    if is_switch(was) && is_switch(now) && is != will {
        return if will { gains.is_on(path) } else { gains.is_off(path) };
    }
    match (was, now) {
        (Some(FactValue::Text(was)), Some(FactValue::Text(now))) => {
            gains.is_stricter(&was.to_ascii_lowercase(), &now.to_ascii_lowercase())
                || !is && will && gains.is_on(path)
        }
        _ => false,
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
