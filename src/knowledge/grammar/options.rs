//! Options: how each style spells them, which words are their values, and which of those that say "do nothing" are
//! believed.

use super::super::matched::{GrammarGap, OptionUse};
use super::super::micro::{OptionSpec, Takes};
use super::super::schema::{Style, Unlisted};
use super::super::words::{cut, is_false, option_like, tail};
use super::{Scan, is_harmless};
use crate::model::Value;

/// What was found for a spelling.
pub(super) struct Found {
    pub(super) spec: OptionSpec,
    pub(super) off: bool,
    pub(super) level: usize,
}

impl Scan<'_> {
    pub(super) fn option(&mut self, word: &Value, index: usize) {
        let text = word.prefix();
        let exact = word.as_known().is_some();
        let command = self.command();
        if text.starts_with("--") || command.style == Style::Long {
            return self.long(word, index, &text, exact);
        }
        // A spelling of several letters behind one dash (`-exec`, `-out=x`).
        let (name, attached) = cut(&text);
        let short = name.chars().count() <= 2;
        if (exact || attached.is_some())
            && let Some(found) = self.find(|spec| spelled(spec, name))
            // `-n=false`
            && (!short || (attached.is_some() && found.spec.does_nothing()))
        {
            return self.give(found, index, attached.map(|at| tail(word, at)));
        }
        self.cluster(word, index, &text, exact);
    }

    fn long(&mut self, word: &Value, index: usize, text: &str, exact: bool) {
        let (name, attached) = cut(text);
        let style = self.command().style;
        let found = if exact || attached.is_some() { self.find_long(name, style) } else { None };
        match found {
            Some(found) => self.give(found, index, attached.map(|at| tail(word, at))),
            None => self.unknown_option(word, index, name),
        }
    }

    fn find_long(&self, name: &str, style: Style) -> Option<Found> {
        if style == Style::Long {
            let bare = name.trim_start_matches('-');
            let found = self.find(|spec| {
                let same = |s: &&String| s.trim_start_matches('-') == bare;
                if spec.on.iter().any(|s| same(&s)) {
                    Some(false)
                } else {
                    spec.off.iter().any(|s| same(&s)).then_some(true)
                }
            });
            return found.or_else(|| self.denied(name));
        }
        if let Some(found) = self.find(|spec| spelled(spec, name)) {
            return Some(found);
        }
        if name.len() < 3 {
            return None;
        }
        if let Some(found) = self.denied(name) {
            return Some(found);
        }
        let mut candidates: Vec<Found> = Vec::new();
        for (level, spec) in self.visible() {
            for (list, off) in [(&spec.on, false), (&spec.off, true)] {
                if list.iter().any(|s| s.starts_with(name) && s.starts_with("--"))
                    && !candidates.iter().any(|c| c.level == level && c.spec.key == spec.key && c.off == off)
                {
                    candidates.push(Found { spec: spec.clone(), off, level });
                }
            }
        }
        if candidates.len() == 1 { candidates.pop() } else { None }
    }

    /// `--no-dry-run`, also shortened: it takes back what an earlier word says, declared or not.
    fn denied(&self, name: &str) -> Option<Found> {
        let bare = name.trim_start_matches('-').strip_prefix("no-").filter(|bare| bare.len() > 2)?;
        let means = |spelling: &String| {
            spelling.len() > 3
                && spelling.starts_with('-')
                && spelling.trim_start_matches('-').starts_with(bare)
        };
        self.find(|spec| (spec.does_nothing() && spec.on.iter().any(means)).then_some(true))
    }

    fn cluster(&mut self, word: &Value, index: usize, text: &str, exact: bool) {
        let mut taken = 0;
        for (at, letter) in text.char_indices().skip(1) {
            if at < taken {
                continue;
            }
            let pair = self.pair(&text[at..]);
            let spelling = pair.unwrap_or_else(|| format!("-{letter}"));
            let rest = at + spelling.len() - 1;
            taken = rest;
            let Some(found) = self.find(|spec| spelled(spec, &spelling)) else {
                if self.command().numeric && letter.is_ascii_digit() {
                    // A number, perhaps with a unit behind it.
                    return;
                }
                return self.unknown_option(word, index, &spelling);
            };
            match found.spec.takes {
                Takes::Nothing => self.give(found, index, None),
                // A number ends with its last digit: in `perl -lne` and `perl -0777pe` the letters behind it are options.
                Takes::Attached
                    if found.spec.role.as_deref() == Some("num")
                        && digits(&text[rest..]).is_some_and(|number| exact || number.is_empty()) =>
                {
                    let number = digits(&text[rest..]).unwrap_or_default();
                    taken = rest + number.len();
                    self.give(found, index, (!number.is_empty()).then(|| Value::known(number)));
                }
                Takes::Always | Takes::Attached => {
                    let attached = (rest < text.len() || !exact).then(|| tail(word, rest));
                    return self.give(found, index, attached);
                }
            }
        }
        if !exact {
            self.unknown_option(word, index, text);
        }
    }

    /// An option of two letters that stands in a cluster as if it were one (`zip -qFS`, `wget -qnc`).
    fn pair(&self, text: &str) -> Option<String> {
        let end = text.char_indices().nth(2).map_or(text.len(), |(at, _)| at);
        let pair = format!("-{}", &text[..end]);
        if end < 2 || self.find(|spec| spelled(spec, &pair)).is_none() {
            return None;
        }
        let first = text.chars().next().map(|letter| format!("-{letter}")).unwrap_or_default();
        let valued = |found: &Found| !matches!(found.spec.takes, Takes::Nothing);
        // Behind an option that takes a value stands that.
        (!self.find(|spec| spelled(spec, &first)).as_ref().is_some_and(valued)).then_some(pair)
    }

    /// `key=value` words of `dd` and its like. `false`: not of that form.
    pub(super) fn assignment_option(&mut self, word: &Value, index: usize) -> bool {
        let text = word.prefix();
        let (name, attached) = cut(&text);
        let Some(at) = attached else {
            if let Some(found) = word.as_known().and_then(|w| self.find(|spec| spelled(spec, w))) {
                self.give(found, index, None);
                return true;
            }
            return false;
        };
        match self.find(|spec| spelled(spec, name)) {
            Some(found) => self.give(found, index, Some(tail(word, at))),
            None => self.unknown_option(word, index, name),
        }
        true
    }

    /// The first word of tar and its like: letters without a dash, whose values follow in order.
    pub(super) fn bundle(&mut self) {
        let Some(word) = self.words.first() else { return };
        let Some(text) = word.as_known() else { return };
        if text.starts_with('-') || text.is_empty() {
            return;
        }
        let letters = text
            .chars()
            .map(|c| self.find(|spec| spelled(spec, &format!("-{c}"))))
            .collect::<Option<Vec<_>>>();
        let Some(letters) = letters else { return };
        self.at = 1;
        for found in letters {
            if found.spec.takes == Takes::Always {
                self.give(found, 0, None);
            } else {
                self.record(found, 0, None, 0);
            }
        }
    }

    pub(super) fn unknown_option(&mut self, word: &Value, index: usize, name: &str) {
        let command = self.command();
        if let Some(default) = command.default.clone()
            && self.plain.is_empty()
            && self.descend(&default)
        {
            return self.word(word, index);
        }
        let text = word.prefix();
        self.loose = (!text.contains('=') && !text.starts_with("--no-")).then_some(index);
        if command.unlisted_options == Unlisted::Reads || is_harmless(&self.levels) {
            return;
        }
        // Of a group whose subcommands' words are judged, the words behind it are as well.
        let by_words =
            self.judges_words(&command) && command.effects.is_empty() && !command.commands.is_empty();
        self.gaps.push(GrammarGap { index, reason: format!("unknown option {name}"), by_words });
    }

    /// Records an option, taking the next word as its value when it needs one.
    pub(super) fn give(&mut self, found: Found, index: usize, attached: Option<Value>) {
        self.ended |= found.spec.last;
        let mut found = found;
        if found.spec.does_nothing() && !found.off {
            if self.loose.is_some_and(|at| at + 1 == index) {
                // It may be the value of the option in front of it.
                return;
            }
            found.off = found.spec.takes != Takes::Always
                && (!found.spec.is_idle(attached.as_ref()) || (attached.is_none() && self.taken_back(index)));
        }
        match found.spec.takes {
            _ if found.off => self.record(found, index, None, index),
            Takes::Nothing => {
                // `--force=false`: programs that allow it mean it; the others fail.
                let off = !found.spec.does_nothing()
                    && attached.as_ref().and_then(Value::as_known).is_some_and(is_false);
                self.record(Found { off, ..found }, index, None, index);
            }
            Takes::Attached => self.record(found, index, attached, index),
            Takes::Always => {
                if attached.is_some() {
                    found.off = found.spec.does_nothing() && !found.spec.is_idle(attached.as_ref());
                    return self.record(found, index, attached, index);
                }
                let value = self.words.get(self.at).cloned();
                let value_index = self.at;
                if value.is_some() {
                    self.at += 1;
                }
                if found.spec.does_nothing() && !found.spec.is_idle(value.as_ref()) {
                    return self.record(Found { off: true, ..found }, index, None, index);
                }
                let further = found.spec.further.clone();
                let swallows = found.spec.role.as_deref() == Some("argv");
                let many = found.spec.many && value.is_some();
                let spec = found.spec.clone();
                let level = found.level;
                self.record(found, index, value, value_index);
                for role in further {
                    let Some(next) = self.words.get(self.at).cloned() else { break };
                    let spec = OptionSpec { role: Some(role), repeats: true, ..spec.clone() };
                    self.record(Found { spec, off: false, level }, index, Some(next), self.at);
                    self.at += 1;
                }
                while many && self.words.get(self.at).is_some_and(|next| option_like(next).is_none()) {
                    let next = self.words.get(self.at).cloned();
                    self.record(Found { spec: spec.clone(), off: false, level }, index, next, self.at);
                    self.at += 1;
                }
                if swallows {
                    while let Some(next) = self.words.get(self.at).cloned() {
                        let at = self.at;
                        self.at += 1;
                        self.record(Found { spec: spec.clone(), off: false, level }, index, Some(next), at);
                    }
                }
            }
        }
    }

    /// `--dry-run none`: programs that take the next word for the value of a long option really do it then.
    fn taken_back(&self, index: usize) -> bool {
        let long = self.words.get(index).is_some_and(|word| word.prefix().starts_with("--"));
        let next = self.words.get(self.at).and_then(Value::as_known);
        (long || self.command().style == Style::Long) && next.is_some_and(is_false)
    }

    pub(super) fn record(&mut self, found: Found, index: usize, value: Option<Value>, value_index: usize) {
        let Found { spec, off, level } = found;
        if off {
            self.options.retain(|o| o.key != spec.key || (o.level != level && !spec.does_nothing()));
            return;
        }
        self.options.push(OptionUse {
            key: spec.key,
            value,
            role: spec.role,
            index,
            value_index,
            level,
            repeats: spec.repeats,
        });
    }

    /// Options that may stand here: the innermost command's, then those of the commands above that hand theirs down.
    pub(super) fn visible(&self) -> impl Iterator<Item = (usize, &OptionSpec)> {
        let last = self.levels.len().saturating_sub(1);
        self.levels
            .iter()
            .enumerate()
            .rev()
            .filter(move |(level, spec)| *level == last || spec.inherit)
            .flat_map(|(level, spec)| spec.options.iter().map(move |o| (level, o)))
    }

    pub(super) fn find(&self, matches: impl Fn(&OptionSpec) -> Option<bool>) -> Option<Found> {
        self.visible()
            .find_map(|(level, spec)| matches(spec).map(|off| Found { spec: spec.clone(), off, level }))
    }
}

pub(super) fn spelled(spec: &OptionSpec, word: &str) -> Option<bool> {
    if spec.is_on(word) { Some(false) } else { spec.is_off(word).then_some(true) }
}

/// The number that a text begins with, where something else follows it.
fn digits(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let Some(fraction) =
        text[end..].strip_prefix('.').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    else {
        return Some(&text[..end]);
    };
    let more = fraction.find(|c: char| !c.is_ascii_digit())?;
    Some(&text[..end + 1 + more])
}
