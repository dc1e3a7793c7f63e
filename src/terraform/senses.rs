//! When an attribute that a sign names does what the sign says: what it was, and what it becomes.

use super::amounts::{self, number};
use super::diff::Leaf;
use super::filters;
use super::protections::{is_on, is_weaker};
use super::said::whole;
use super::sizes;
use super::versions;
use crate::knowledge::{Range, Sense, Sign, is_private, is_strict};
use crate::model::FactValue;
use crate::wildcard::fits;

/// Whether the change of an attribute takes away, opens or lets expire what the sign is about.
pub(super) fn is_taken(sign: &Sign, leaf: &Leaf) -> bool {
    let (was, now) = (leaf.was.as_ref(), leaf.now.as_ref());
    let on = |value: Option<&FactValue>| value.is_some_and(is_on);
    let number = |value: Option<&FactValue>| value.and_then(number);
    let set = |value: Option<&FactValue>| {
        value.is_some_and(|value| is_on(value) && !UNSET.contains(&whole(value).as_str()))
    };
    let says = |value: Option<&FactValue>| {
        value.is_some_and(|value| sign.words.fit(&whole(value).to_ascii_lowercase()))
    };
    match sign.sense {
        Sense::Off => on(was) && !on(now),
        Sense::On => !on(was) && on(now),
        Sense::Far => is_far(was, now),
        Sense::Smaller | Sense::Wider | Sense::Falls | Sense::Filters | Sense::Narrows => {
            is_less(sign, leaf, (was, now))
        }
        Sense::Spreads => covers(now, was),
        Sense::Lower if has_point(was) || has_point(now) => {
            fraction(now).zip(fraction(was)).is_some_and(|(now, was)| now < was)
        }
        Sense::Lower => match (number(was), number(now)) {
            (Some(was), Some(now)) => amounts::endless(now) < amounts::endless(was),
            (Some(was), None) => was != 0,
            _ => was.is_some_and(|was| is_weaker(was, now, false)),
        },
        Sense::None => number(was).is_some_and(|was| was > 0) && number(now) == Some(0),
        Sense::Expiry => match (number(was), number(now)) {
            (_, None) => leaf.unknown,
            (Some(was), Some(now)) if was > 0 => now > 0 && now < was,
            (_, Some(now)) => now > 0,
        },
        Sense::Emptied => leaf.is_list && number(was).unwrap_or(0) > 0 && number(now) == Some(0),
        Sense::More | Sense::Many | Sense::Higher | Sense::Halves | Sense::Doubles => {
            number(was).zip(number(now)).is_some_and(|both| moves(sign.sense, leaf, both))
        }
        Sense::Rarer => amounts::is_rarer(was, now),
        // One in another one's place is one more.
        Sense::Added => match (was, now) {
            (Some(FactValue::Text(old)), Some(FactValue::Text(new))) if !leaf.is_list => {
                let part = || covers(was, now);
                old != new && number(was).or(number(now)).is_none() && !new.is_empty() && !part()
            }
            (None, Some(FactValue::Text(new))) if !leaf.is_list && !leaf.whole => !new.is_empty(),
            _ => leaf.is_list && number(now).unwrap_or(0) > number(was).unwrap_or(0),
        },
        Sense::Opens => !opens(was) && opens(now),
        Sense::Open => false,
        // A name that is known only after the apply names something.
        Sense::Gone => set(was) && !set(now) && !leaf.unknown,
        Sense::Fewer => leaf.is_list && number(now).unwrap_or(0) < number(was).unwrap_or(0),
        // What was not set had the provider's own value.
        Sense::Becomes => says(now) && !says(was) && (was.is_some() || sign.made || is_one_more(sign, leaf)),
        Sense::Ceases => says(was) && !says(now) && !leaf.unknown,
        // Most are no words, and each of many lists is asked.
        Sense::Relaxes => {
            let both = || word(was).zip(word(now));
            let falls = |(was, now): (String, String)| {
                sign.relaxes(&was, &now) || sign.is_loose() && is_denied(&was, &now)
            };
            is_choice(was) && is_choice(now) && both().is_some_and(falls)
        }
        Sense::Looser => match (number(was), number(now)) {
            (Some(was), Some(now)) => limit(now) > limit(was),
            (Some(was), None) => was > 0 && !leaf.unknown,
            _ => false,
        },
        Sense::Mentions => called(now) < called(was) && !leaf.unknown,
        Sense::Grows => leaf.is_list && number(now).unwrap_or(0) > number(was).unwrap_or(0),
        Sense::Shrinks => leaf.is_list && number(now).unwrap_or(0) < number(was).unwrap_or(0),
        // One address in another one's place is an everyday change.
        Sense::Widens => widens(was, now),
        Sense::Other => set(was) && was != now && !leaf.unknown,
        Sense::Dropped => switch(was) == Some(true) && switch(now) == Some(false) && !leaf.unknown,
        Sense::Sooner => is_sooner(was, now),
        Sense::Later => was.is_some() && !leaf.unknown && is_sooner(now, was),
        Sense::Upgrades => !leaf.is_list && !leaf.whole && versions::is_upgrade(was, now),
        Sense::Raised => switch(was) != Some(true) && switch(now) == Some(true),
    }
}

/// Of senses that compare what two texts or amounts stand for.
fn is_less(sign: &Sign, leaf: &Leaf, (was, now): (Option<&FactValue>, Option<&FactValue>)) -> bool {
    let both = was.zip(now);
    match sign.sense {
        Sense::Smaller => both.is_some_and(|(was, now)| !leaf.is_list && sizes::is_smaller(was, now)),
        Sense::Wider => both.is_some_and(|(was, now)| sizes::is_wider(&whole(was), &whole(now))),
        Sense::Falls => {
            let at = |value| word(value).and_then(|said| sign.words.iter().position(|word| word == said));
            at(was).zip(at(now)).is_some_and(|(was, now)| now < was)
        }
        Sense::Filters => {
            // An empty one let all through.
            let said = was.is_some_and(|was| is_on(was) || whole(was).is_empty());
            said && was != now && !leaf.unknown && !filters::lets_more(was, now)
        }
        _ => covers(was, now) || filters::is_bounded(was, now) || is_below(was, now),
    }
}

/// What stands below the other: `/subscriptions/0/resourceGroups/x`.
fn is_below(was: Option<&FactValue>, now: Option<&FactValue>) -> bool {
    let (Some(FactValue::Text(was)), Some(FactValue::Text(now))) = (was, now) else { return false };
    let rest = now.strip_prefix(was.trim_end_matches('/'));
    was.starts_with('/') && was.len() > 1 && rest.is_some_and(|rest| rest.starts_with('/') && rest.len() > 1)
}

/// One more in a list, that stands for everything or lets an old one in.
fn is_one_more(sign: &Sign, leaf: &Leaf) -> bool {
    let everything = || leaf.now.as_ref().is_some_and(|now| whole(now) == "*");
    leaf.whole && (sign.kind == "protection.cipher" || everything())
}

/// More addresses: of others, or besides those that were let in.
fn widens(was: Option<&FactValue>, now: Option<&FactValue>) -> bool {
    let (Some(FactValue::Text(was)), Some(FactValue::Text(now))) = (was, now) else { return false };
    let both = Range::of(was).zip(Range::of(now));
    both.is_some_and(|(old, new)| new.is_greater(old) && (!is_private(now) || new.holds(old)))
}

/// How many are called by a text.
fn called(value: Option<&FactValue>) -> usize {
    value.map(whole).unwrap_or_default().matches('@').count()
}

/// Of senses that compare two numbers, or the lengths of lists.
fn moves(sense: Sense, leaf: &Leaf, (was, now): (i64, i64)) -> bool {
    match sense {
        Sense::More | Sense::Many => leaf.is_list && was > 0 && now > was,
        Sense::Higher => now > was,
        Sense::Halves => was > 1 && (0..=was / 2).contains(&now),
        Sense::Doubles => was > 0 && now / 2 >= was,
        _ => false,
    }
}

/// Whether a sign can tell from these values which is the weaker one, if it does not say that the new one is. `known`: of a type
/// that is declared words without an amount are sizes by name.
pub(super) fn can_tell(sign: &Sign, leaf: &Leaf, known: bool) -> bool {
    let (was, now) = (leaf.was.as_ref(), leaf.now.as_ref());
    let word = |value: Option<&FactValue>| {
        value.is_some_and(|value| {
            matches!(value, FactValue::Text(_)) && is_on(value) && number(value).is_none()
        })
    };
    // Where a size of 0 is none, any other is less.
    let none = |value: Option<&FactValue>| value.and_then(number) == Some(0);
    match sign.sense {
        Sense::Lower
            if sign.kind == "capacity.size" && none(was) && (!known || leaf.path.contains("quota")) =>
        {
            false
        }
        Sense::Lower | Sense::None | Sense::Expiry if has_point(was) && has_point(now) => true,
        Sense::Lower | Sense::None | Sense::Expiry => {
            !word(was) && !word(now) || known && word(was) == word(now)
        }
        Sense::Opens => {
            const SHUT: [&str; 4] = ["private", "internal", "false", "no"];
            let shut = |value: &FactValue| {
                !is_on(value) || SHUT.contains(&whole(value).to_ascii_lowercase().as_str())
            };
            !word(now) || opens(was) || now.is_some_and(shut)
        }
        // An entry in another one's place is not told by how many there are.
        Sense::Emptied | Sense::Added | Sense::More | Sense::Fewer | Sense::Grows | Sense::Shrinks => {
            leaf.is_list || was.is_none() || now.is_none()
        }
        _ => true,
    }
}

/// A word of a list of choices, in one way of writing.
pub(super) fn word(value: Option<&FactValue>) -> Option<String> {
    match value.filter(|_| is_choice(value)) {
        Some(FactValue::Text(text)) => Some(text.to_ascii_lowercase().replace('-', "_")),
        Some(FactValue::Bool(yes)) => Some(yes.to_string()),
        _ => None,
    }
}

fn is_choice(value: Option<&FactValue>) -> bool {
    match value {
        Some(FactValue::Text(text)) => (1..48).contains(&text.len()) && !text.contains(['/', ' ', ':']),
        Some(FactValue::Bool(_)) => true,
        _ => false,
    }
}

/// Whether the words before and after can stand for a change to a laxer one, or back, by the words of any sign: most do not, and
/// no sign has to be asked.
pub(super) fn may_relax(leaf: &Leaf) -> bool {
    let both = word(leaf.was.as_ref()).zip(word(leaf.now.as_ref()));
    both.is_some_and(|(was, now)| {
        is_strict(&was) || is_strict(&now) || is_denied(&was, &now) || is_denied(&now, &was)
    })
}

/// One word is the other with a "no" in front. What stood still or was shut is none the worse for it.
fn is_denied(was: &str, now: &str) -> bool {
    const SHUT: [&str; 6] = ["paused", "muted", "suspended", "locked", "blocked", "silenced"];
    let denied =
        now.strip_suffix(was).is_some_and(|front| ["no_", "non_", "not_", "un", "dis"].contains(&front));
    denied && !SHUT.contains(&was)
}

/// A number with a part behind the point.
fn has_point(value: Option<&FactValue>) -> bool {
    matches!(value, Some(FactValue::Text(text)) if text.contains('.') && text.parse::<f64>().is_ok())
}

/// A date at which something ends that had no end, or a later one.
fn is_sooner(was: Option<&FactValue>, now: Option<&FactValue>) -> bool {
    // Dates are written from the year on.
    let date = |value: Option<&FactValue>| {
        let text = value.map(whole)?;
        let is_date = text
            .get(..10)
            .is_some_and(|date| date.split('-').filter(|part| part.parse::<u32>().is_ok()).count() == 3);
        is_date.then_some(text)
    };
    date(now).is_some_and(|now| date(was).is_none_or(|was| now < was))
}

/// Below 0 there is no limit.
fn fraction(value: Option<&FactValue>) -> Option<f64> {
    let number = value.and_then(|value| whole(value).parse::<f64>().ok());
    number.map(|number| if number < 0.0 { f64::INFINITY } else { number })
}

/// Ten times as great, or a tenth.
fn is_far(was: Option<&FactValue>, now: Option<&FactValue>) -> bool {
    let amount = |value| fraction(value).or(value.and_then(number).map(|number| number as f64));
    let both = amount(was).zip(amount(now));
    both.is_some_and(|(was, now)| was > 0.0 && now > 0.0 && (now >= was * 10.0 || now <= was / 10.0))
}

/// One pattern fits all that another text does, and more.
fn covers(wide: Option<&FactValue>, narrow: Option<&FactValue>) -> bool {
    let text = |value: Option<&FactValue>| value.map(whole).filter(|text| !text.is_empty());
    let both = text(wide).zip(text(narrow));
    both.is_some_and(|(wide, narrow)| wide != narrow && wide.contains('*') && fits(&wide, &narrow))
}

/// A limit of 0 is none.
fn limit(number: i64) -> i64 {
    if number <= 0 { i64::MAX } else { number }
}

/// What a switch says; `None`: it is none. One that is not set is off.
pub(super) fn switch(value: Option<&FactValue>) -> Option<bool> {
    match value {
        None => Some(false),
        Some(FactValue::Bool(yes)) => Some(*yes),
        Some(FactValue::Number(_)) => None,
        Some(FactValue::Text(text)) => match text.to_ascii_lowercase().as_str() {
            "on" | "enabled" | "enable" | "active" => Some(true),
            "off" | "disabled" | "disable" | "inactive" | "" => Some(false),
            word => word.parse().ok(),
        },
    }
}

/// Words of parameters by which they are switched off.
const UNSET: [&str; 3] = ["0", "no", "optional"];

/// A switch or a word that lets everybody in.
pub(super) fn opens(value: Option<&FactValue>) -> bool {
    const OPEN: [&str; 8] =
        ["enabled", "public", "external", "blob", "container", "all", "internet", "anonymous"];
    match value {
        Some(FactValue::Bool(yes)) => *yes,
        Some(FactValue::Text(text)) => {
            let text = text.to_ascii_lowercase();
            OPEN.contains(&text.as_str()) || text.starts_with("public_") || text.starts_with("public-")
        }
        _ => false,
    }
}
